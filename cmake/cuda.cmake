# Device code. cw_cuda_sources(f.cu) adds to it where it is built (cw_cuda_plain_sources: without
# contraction of multiply-add); cw_cuda_absent_sources(f.c) names
# the plain C files that stand in for it where it is not.
#
# One binary holds machine code for compute capability 8.0 and 9.0 (with Hopper's own instructions,
# hence 90a) and PTX that the driver compiles for any other from 8.0 on.

set(CELLWISE_CUDA ${cuda})
if(cuda STREQUAL "AUTO")
  include(CheckLanguage)
  check_language(CUDA)
  set(CELLWISE_CUDA OFF)
  if(CMAKE_CUDA_COMPILER AND NOT sanitize)
    set(CELLWISE_CUDA ON)
  endif()
endif()

set(CELLWISE_CUDA_OBJECTS "")
set(CELLWISE_CUDA_TEXT "no device code")
if(CELLWISE_CUDA)
  set(CMAKE_CUDA_ARCHITECTURES OFF)
  set(CMAKE_CUDA_STANDARD 17)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  enable_language(CUDA)
  find_package(CUDAToolkit 12.4 REQUIRED)
  set(CELLWISE_CUDA_TEXT "CUDA ${CUDAToolkit_VERSION_MAJOR}.${CUDAToolkit_VERSION_MINOR}")
  add_library(cellwise_cuda OBJECT)
  set_target_properties(cellwise_cuda PROPERTIES CUDA_VISIBILITY_PRESET hidden)
  target_include_directories(cellwise_cuda PRIVATE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  set(cuda_architectures 80 90a PTX CACHE STRING
    "Machine code in the binary; PTX is of compute capability 8.0. Fewer compile faster")
  foreach(architecture IN LISTS cuda_architectures)
    if(architecture STREQUAL "PTX")
      list(APPEND CELLWISE_CUDA_FLAGS -gencode=arch=compute_80,code=compute_80)
    else()
      list(APPEND CELLWISE_CUDA_FLAGS
        -gencode=arch=compute_${architecture},code=sm_${architecture})
    endif()
  endforeach()
  list(APPEND CELLWISE_CUDA_FLAGS -lineinfo -Xcompiler=-ffp-contract=off,-Wall,-Wextra)
  # As cellwise_cuda, without contraction of multiply-add: for kernels that must form the same bits
  # in several places.
  add_library(cellwise_cuda_plain OBJECT)
  set_target_properties(cellwise_cuda_plain PROPERTIES CUDA_VISIBILITY_PRESET hidden)
  target_include_directories(cellwise_cuda_plain PRIVATE
    $<TARGET_PROPERTY:cellwise_cuda,INCLUDE_DIRECTORIES>)
  target_compile_options(cellwise_cuda_plain PRIVATE ${CELLWISE_CUDA_FLAGS} --fmad=false)
  list(APPEND CELLWISE_CUDA_FLAGS --fmad=true)
  target_compile_options(cellwise_cuda PRIVATE ${CELLWISE_CUDA_FLAGS})
  set(CELLWISE_CUDA_OBJECTS
    $<TARGET_OBJECTS:cellwise_cuda> $<TARGET_OBJECTS:cellwise_cuda_plain>)
  target_link_libraries(cellwise_usage INTERFACE CUDA::cudart_static)
endif()

function(cw_cuda_sources)
  cw_sources_where("${CELLWISE_CUDA}" cellwise_cuda ${ARGN})
endfunction()

function(cw_cuda_plain_sources)
  cw_sources_where("${CELLWISE_CUDA}" cellwise_cuda_plain ${ARGN})
endfunction()

function(cw_cuda_absent_sources)
  if(NOT CELLWISE_CUDA)
    cw_sources_where(ON cellwise_objects ${ARGN})
  endif()
endfunction()
