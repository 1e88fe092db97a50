# The installed library: versioned symbols, a CMake package and a pkg-config file.
include(CMakePackageConfigHelpers)

add_library(cellwise SHARED $<TARGET_OBJECTS:cellwise_objects> ${CELLWISE_ISA_OBJECTS}
  ${CELLWISE_CUDA_OBJECTS})
target_link_libraries(cellwise PRIVATE cellwise_usage)
target_link_options(cellwise PRIVATE
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/cellwise.map)
set_target_properties(cellwise PROPERTIES VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/cellwise.map)
target_include_directories(cellwise INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

install(TARGETS cellwise EXPORT cellwise LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/cellwise DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/include/cellwise/version.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cellwise)
install(EXPORT cellwise NAMESPACE cellwise:: FILE cellwise-targets.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cellwise)
configure_package_config_file(cmake/cellwise-config.cmake.in cellwise-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cellwise)
write_basic_package_version_file(cellwise-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cellwise-config.cmake
  ${PROJECT_BINARY_DIR}/cellwise-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cellwise)
configure_file(cmake/cellwise.pc.in cellwise.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cellwise.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
