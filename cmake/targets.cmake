# The targets that every folder of src/ adds its files to:
#   cellwise_objects      target_sources(cellwise_objects PRIVATE file.c): ordinary code
#   cw_isa_sources(f.c)   hot loops, compiled once an instruction set (src/base/isa.h)
#   cw_amx_sources(f.c)   loops on tiles of AMX (src/base/amx.h), where the compiler has them;
#                         cw_amx_absent_sources(f.c) stand in for them where it has not
#   cw_cuda_sources(f.cu)   device code (cmake/cuda.cmake)
#   cellwise_usage        include folders and libraries, for all of them

include(CheckCSourceCompiles)
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
function(cw_isa_library isa)
  add_library(cellwise_isa_${isa} OBJECT)
  target_link_libraries(cellwise_isa_${isa} PRIVATE cellwise_usage cellwise_warnings cellwise_isa_checks)
  target_compile_definitions(cellwise_isa_${isa} PRIVATE CW_ISA_SUFFIX=_${isa})
  target_compile_options(cellwise_isa_${isa} PRIVATE ${cellwise_isa_flags_${isa}}
    $<$<NOT:$<CONFIG:Debug>>:${cellwise_isa_optimisation}> -ffp-contract=fast -fno-math-errno -fno-trapping-math -Wno-psabi)
  set(CELLWISE_ISA_OBJECTS ${CELLWISE_ISA_OBJECTS} $<TARGET_OBJECTS:cellwise_isa_${isa}> PARENT_SCOPE)
endfunction()
foreach(isa IN LISTS CELLWISE_ISAS)
  cw_isa_library(${isa})
endforeach()

# Tiles of AMX: a compiler that has them, and a kernel that gives them out.
set(cellwise_isa_flags_amx ${cellwise_isa_flags_avx512} -mamx-tile -mamx-bf16)
set(CMAKE_REQUIRED_FLAGS ${cellwise_isa_flags_amx})
list(JOIN CMAKE_REQUIRED_FLAGS " " CMAKE_REQUIRED_FLAGS)
check_c_source_compiles("
  #include <immintrin.h>
  #include <sys/syscall.h>
  int main(void) { _tile_zero(0); _tile_dpbf16ps(0, 1, 2); return SYS_arch_prctl; }" CELLWISE_AMX)
unset(CMAKE_REQUIRED_FLAGS)
if(CELLWISE_AMX)
  cw_isa_library(amx)
endif()

function(cw_isa_sources)
  foreach(file IN LISTS ARGN)
    foreach(isa IN LISTS CELLWISE_ISAS)
      target_sources(cellwise_isa_${isa} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    endforeach()
  endforeach()
endfunction()

# Adds files of this folder to a target where `wanted` is true.
function(cw_sources_where wanted target)
  if(wanted)
    list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    target_sources(${target} PRIVATE ${ARGN})
  endif()
endfunction()

function(cw_amx_sources)
  cw_sources_where("${CELLWISE_AMX}" cellwise_isa_amx ${ARGN})
endfunction()

function(cw_amx_absent_sources)
  if(NOT CELLWISE_AMX)
    cw_sources_where(ON cellwise_objects ${ARGN})
  endif()
endfunction()

include(cmake/cuda.cmake)

# For the program and the tests: everything, private functions too.
add_library(cellwise_static STATIC $<TARGET_OBJECTS:cellwise_objects> ${CELLWISE_ISA_OBJECTS}
  ${CELLWISE_CUDA_OBJECTS})
target_link_libraries(cellwise_static PUBLIC cellwise_usage)
