/* The loops of the moment form on tiles of AMX, sums in FP32. */
#include <immintrin.h>
#include <math.h>
#include <string.h>

#define CW_MM_AMX /* compilers have different names of their own for it */
#include "kernels/massmatrix/massmatrix_sizes.h"

#define CW_BODY static inline __attribute__((always_inline))

#define CW_REAL_IS_DOUBLE 0
#define CW_SQRT           sqrtf
/* Each file needs those before it. */
/* clang-format off */
#include "base/real.h"
#include "kernels/massmatrix/massmatrix_lane.h"
#include "kernels/massmatrix/massmatrix_body.h"
#include "kernels/massmatrix/massmatrix_cell.h"
#include "kernels/massmatrix/massmatrix_write.h"
#include "kernels/massmatrix/massmatrix_amx.h"
/* clang-format on */

#define CW_MM_MOMENTS(dim, order)                                                                  \
  { cw_mm_amx_##dim##_##order##_1, cw_mm_amx_##dim##_##order##_13 }

const cw_mm_amx_ops cw_mm_amx_ops_table = {
    .scratch_size = sizeof(cw_mm_amx_scratch),
    .moment = {{CW_MM_MOMENTS(1, 1), CW_MM_MOMENTS(2, 1), CW_MM_MOMENTS(3, 1)},
               {CW_MM_MOMENTS(1, 2), CW_MM_MOMENTS(2, 2), CW_MM_MOMENTS(3, 2)}}};
