# The targets that every folder of src/ adds its files to:
#   cellwise_objects      target_sources(cellwise_objects PRIVATE file.c): ordinary code
#   cw_isa_sources(f.c)   hot loops, compiled once an instruction set (src/base/isa.h)
#   cw_cuda_sources(f.cu)   device code (cmake/cuda.cmake)
#   cellwise_usage        include folders and libraries, for all of them

find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)
find_package(PkgConfig REQUIRED)
find_package(HDF5 REQUIRED COMPONENTS C)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(NETTLE REQUIRED IMPORTED_TARGET nettle)
# Expressions of decks: muParser, by its C interface.
pkg_check_modules(MUPARSER IMPORTED_TARGET muparser)
if(NOT MUPARSER_FOUND)
  message(FATAL_ERROR "muParser is not here: install libmuparser-dev (Debian), or run scripts/bootstrap")
endif()
# SUNDIALS: GMRES of the field solver, by its static libraries where they are.
find_path(SUNDIALS_INCLUDE sunlinsol/sunlinsol_spgmr.h REQUIRED)
find_library(SUNDIALS_SPGMR NAMES libsundials_sunlinsolspgmr.a sundials_sunlinsolspgmr REQUIRED)
find_library(SUNDIALS_GENERIC NAMES libsundials_generic.a sundials_generic REQUIRED)

add_library(cellwise_warnings INTERFACE)
target_compile_options(cellwise_warnings INTERFACE
  -Wall -Wextra -Wpedantic
  $<$<COMPILE_LANGUAGE:C>:-Wconversion -Wstrict-prototypes -Wmissing-prototypes>)

add_library(cellwise_usage INTERFACE)
target_include_directories(cellwise_usage INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_include_directories(cellwise_usage SYSTEM INTERFACE ${HDF5_C_INCLUDE_DIRS} ${SUNDIALS_INCLUDE})
target_compile_definitions(cellwise_usage INTERFACE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE)
target_link_libraries(cellwise_usage INTERFACE
  OpenMP::OpenMP_C Threads::Threads PkgConfig::JANSSON PkgConfig::NETTLE PkgConfig::MUPARSER ${HDF5_C_LIBRARIES} ${SUNDIALS_SPGMR}
  ${SUNDIALS_GENERIC} m)
if(sanitize)
  target_compile_options(cellwise_usage INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  target_link_options(cellwise_usage INTERFACE -fsanitize=address,undefined)
  # Each of some 150 programs in a third of the time.
  include(CheckLinkerFlag)
  check_linker_flag(C -fuse-ld=lld has_lld)
  if(has_lld)
    target_link_options(cellwise_usage INTERFACE -fuse-ld=lld)
  endif()
endif()

add_library(cellwise_objects OBJECT)
target_link_libraries(cellwise_objects PRIVATE cellwise_usage cellwise_warnings)
# Contraction of multiply-add is set, never left to the compiler's default: off here, on in the hot
# loops below.
target_compile_options(cellwise_objects PRIVATE -ffp-contract=off)

# Unrolled loops full of checks take minutes to optimise and gain nothing from it.
set(cellwise_isa_optimisation $<IF:$<BOOL:${sanitize}>,-O1,-O3>)
# Null pointers and offsets that wrap round end in an address that the other sanitizer stops at; to
# look for them at each access besides doubles the time of the compiler and of the tests.
add_library(cellwise_isa_checks INTERFACE)
if(sanitize)
  target_compile_options(cellwise_isa_checks INTERFACE -fno-sanitize=null,pointer-overflow)
endif()
set(CELLWISE_ISAS base)
set(cellwise_isa_flags_base "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND CELLWISE_ISAS avx2 avx512)
  set(cellwise_isa_flags_base -march=x86-64)
  set(cellwise_isa_flags_avx2 -march=x86-64-v3)
  set(cellwise_isa_flags_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
endif()
foreach(isa IN LISTS CELLWISE_ISAS)
  add_library(cellwise_isa_${isa} OBJECT)
  target_link_libraries(cellwise_isa_${isa} PRIVATE cellwise_usage cellwise_warnings cellwise_isa_checks)
  target_compile_definitions(cellwise_isa_${isa} PRIVATE CW_ISA_SUFFIX=_${isa})
  target_compile_options(cellwise_isa_${isa} PRIVATE ${cellwise_isa_flags_${isa}}
    $<$<NOT:$<CONFIG:Debug>>:${cellwise_isa_optimisation}> -ffp-contract=fast -fno-math-errno -fno-trapping-math -Wno-psabi)
  list(APPEND CELLWISE_ISA_OBJECTS $<TARGET_OBJECTS:cellwise_isa_${isa}>)
endforeach()

function(cw_isa_sources)
  foreach(file IN LISTS ARGN)
    foreach(isa IN LISTS CELLWISE_ISAS)
      target_sources(cellwise_isa_${isa} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    endforeach()
  endforeach()
endfunction()

include(cmake/cuda.cmake)

# For the program and the tests: everything, private functions too.
add_library(cellwise_static STATIC $<TARGET_OBJECTS:cellwise_objects> ${CELLWISE_ISA_OBJECTS}
  ${CELLWISE_CUDA_OBJECTS})
target_link_libraries(cellwise_static PUBLIC cellwise_usage)
