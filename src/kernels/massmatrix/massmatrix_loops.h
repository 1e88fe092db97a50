/* All loops of massmatrix_cpu.c for one precision of the sums. */
/* Each file needs those before it. */
/* clang-format off */
#include "base/real.h"
#include "kernels/shape_body.h"

#define cw_lane cw_real
#define CW_MM_LANE(name) CW_REAL_NAME(name##_one)
#include "kernels/massmatrix/massmatrix_body.h"
#include "kernels/massmatrix/massmatrix_keys.h"
#include "kernels/massmatrix/massmatrix_naive.h"

#include "kernels/massmatrix/massmatrix_lane.h"
#include "kernels/massmatrix/massmatrix_body.h"
#include "kernels/massmatrix/massmatrix_cell.h"
#include "kernels/massmatrix/massmatrix_write.h"
#include "kernels/massmatrix/massmatrix_moment.h"

#include "kernels/massmatrix/massmatrix_product.h"
/* clang-format on */

#undef cw_scratch
#undef cw_lane
#undef CW_MM_LANE
#undef LANES
#undef EIGHT
#undef REGISTERS
