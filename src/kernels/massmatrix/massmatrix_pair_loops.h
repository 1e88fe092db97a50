/* All loops of massmatrix_pairs_cpu.c for one precision of the sums. */
/* Each file needs those before it. */
/* clang-format off */
#include "base/real.h"
#include "kernels/massmatrix/massmatrix_lane.h"
#include "kernels/massmatrix/massmatrix_body.h"
#include "kernels/massmatrix/massmatrix_cell.h"
#include "kernels/massmatrix/massmatrix_write.h"
#include "kernels/massmatrix/massmatrix_pairs.h"
/* clang-format on */

#undef cw_scratch
#undef cw_lane
#undef CW_MM_LANE
#undef LANES
#undef EIGHT
#undef REGISTERS
