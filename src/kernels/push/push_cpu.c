/* The push of one block of particles, compiled for each instruction set and both precisions. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "kernels/push/push_private.h"

#define CW_REAL_IS_DOUBLE 0
#include "kernels/push/push_loops.h"
#undef CW_REAL_IS_DOUBLE

#define CW_REAL_IS_DOUBLE 1
#include "kernels/push/push_loops.h"
#undef CW_REAL_IS_DOUBLE

const cw_push_ops CW_ISA_NAME(cw_push_ops_table) = {
    .push_block = {cw_push_block_f32, cw_push_block_f64},
    .gather_block = {cw_push_gather_block_f32, cw_push_gather_block_f64}};
