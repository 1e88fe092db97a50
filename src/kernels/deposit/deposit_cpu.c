/* The hot loops, compiled once an instruction set and offered through one table. */
#include <math.h>

#include "kernels/deposit/deposit_private.h"

CW_ISA_DECLARE(cw_deposit_cpu_ops, cw_deposit_cpu_ops_table);

static inline float cw_deposit_sqrt_f32(float x) {
  return sqrtf(x);
}
static inline double cw_deposit_sqrt_f64(double x) {
  return sqrt(x);
}

#define CW_REAL_IS_DOUBLE 0
#define CW_SINK_IS_FIXED  0
#include "kernels/deposit/deposit_loops.h"
#undef CW_SINK_IS_FIXED
#define CW_SINK_IS_FIXED 1
#include "kernels/deposit/deposit_loops.h"
#undef CW_REAL_IS_DOUBLE
#undef CW_SINK_IS_FIXED
#define CW_REAL_IS_DOUBLE 1
#define CW_SINK_IS_FIXED  0
#include "kernels/deposit/deposit_loops.h"
#undef CW_SINK_IS_FIXED
#define CW_SINK_IS_FIXED 1
#include "kernels/deposit/deposit_loops.h"

#define ORDERS(dim, suffix)                                                                        \
  {                                                                                                \
    cw_deposit_##dim##_0##suffix, cw_deposit_##dim##_1##suffix, cw_deposit_##dim##_2##suffix,      \
        cw_deposit_##dim##_3##suffix, cw_deposit_##dim##_n##suffix                                 \
  }
#define DIMS(suffix)                                                                               \
  { ORDERS(1d, suffix), ORDERS(2d, suffix), ORDERS(3d, suffix) }

const cw_deposit_cpu_ops CW_ISA_NAME(cw_deposit_cpu_ops_table) = {
    .scalar = {{DIMS(_f32), DIMS(_fixed_f32)}, {DIMS(_f64), DIMS(_fixed_f64)}},
    .list_missed = {cw_deposit_list_missed_f32, cw_deposit_list_missed_f64}};
