/* The loops of the moment form, the naive form and the product, compiled for each instruction set
 * and for sums in both precisions. */
#include <math.h>
#include <string.h>

#include "kernels/massmatrix/massmatrix_sizes.h"

#define CW_BODY static inline __attribute__((always_inline))

/* Nodes of a product y = M x at once. */
#if defined(__AVX512F__)
#define NODES 8
#elif defined(__AVX__)
#define NODES 4
#else
#define NODES 2
#endif
typedef double cw_nodes __attribute__((vector_size(NODES * sizeof(double))));
typedef double cw_mm_entries_f64 __attribute__((vector_size(NODES * sizeof(double))));
typedef float cw_mm_entries_f32 __attribute__((vector_size(NODES * sizeof(float))));

#define CW_REAL_IS_DOUBLE 0
#define CW_SQRT           sqrtf
#include "kernels/massmatrix/massmatrix_loops.h"
#undef CW_SQRT
#undef CW_REAL_IS_DOUBLE

#define CW_REAL_IS_DOUBLE 1
#define CW_SQRT           sqrt
#include "kernels/massmatrix/massmatrix_loops.h"
#undef CW_SQRT
#undef CW_REAL_IS_DOUBLE

#define CW_MM_MOMENTS(dim, order, suffix)                                                          \
  { cw_mm_moment_##dim##_##order##_1##suffix, cw_mm_moment_##dim##_##order##_13##suffix }
#define CW_MM_ALL(FORM, suffix)                                                                    \
  {                                                                                                \
    {FORM(1, 1, suffix), FORM(2, 1, suffix), FORM(3, 1, suffix)},                                  \
        {FORM(1, 2, suffix), FORM(2, 2, suffix), FORM(3, 2, suffix)},                              \
  }

const cw_mm_ops CW_ISA_NAME(cw_mm_ops_table) = {
    .keys = {cw_mm_keys_f32, cw_mm_keys_f64},
    .scratch_size = {sizeof(cw_mm_scratch_f32), sizeof(cw_mm_scratch_f64)},
    .naive = {cw_mm_naive_f32, cw_mm_naive_f64},
    .moment = {CW_MM_ALL(CW_MM_MOMENTS, _f32), CW_MM_ALL(CW_MM_MOMENTS, _f64)},
    .product = {cw_mm_product_row_f32, cw_mm_product_row_f64}};
