/* The loops of the forms that sum pairs of nodes, compiled as those of massmatrix_cpu.c. */
#include <math.h>
#include <string.h>

#include "kernels/massmatrix/massmatrix_sizes.h"

#define CW_BODY static inline __attribute__((always_inline))

#define CW_REAL_IS_DOUBLE 0
#define CW_SQRT           sqrtf
#include "kernels/massmatrix/massmatrix_pair_loops.h"
#undef CW_SQRT
#undef CW_REAL_IS_DOUBLE

#define CW_REAL_IS_DOUBLE 1
#define CW_SQRT           sqrt
#include "kernels/massmatrix/massmatrix_pair_loops.h"
#undef CW_SQRT
#undef CW_REAL_IS_DOUBLE

#define CW_MM_PAIRS(suffix)                                                                        \
  {                                                                                                \
    {cw_mm_pairs_1_1##suffix, cw_mm_pairs_2_1##suffix, cw_mm_pairs_3_1##suffix},                   \
        {cw_mm_pairs_1_2##suffix, cw_mm_pairs_2_2##suffix, cw_mm_pairs_3_2##suffix},               \
  }

const cw_mm_pair_ops CW_ISA_NAME(cw_mm_pair_ops_table) = {
    .pairs = {CW_MM_PAIRS(_f32), CW_MM_PAIRS(_f64)}};
