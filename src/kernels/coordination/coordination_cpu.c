/* The pair loops for one instruction set, float and double. */
#include <math.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "kernels/coordination/coordination_private.h"

/* A tile of 512 and 1024 pairs are 56 KB in double: second-level cache, first-level in float. */
enum { TILE = 512, PAIRS = 1024, RUNS = 128, PAD = 32 };
/* Without the pragma the compiler unrolls the loop first and then finds no vectors in it. */
#ifdef __clang__
#define CW_EACH_LANE _Pragma("clang loop unroll(disable)") for (int l = 0; l < CW_LANES; l++)
#else
#define CW_EACH_LANE _Pragma("omp simd") for (int l = 0; l < CW_LANES; l++)
#endif

/* Cells to visit along an axis, from low to high; outside [0, n) they are images. */
typedef struct cw_cell_range {
  int64_t low, high;
} cw_cell_range;

static cw_cell_range cw_cell_range_of(const cw_link_cells *cells, int periodic, int a,
                                      int64_t home) {
  int64_t n = cells->n[a], reach = cells->reach[a];
  cw_cell_range range = {home - reach, home + reach};
  if (!periodic) {
    range.low = cw_max_i64(range.low, 0);
    range.high = cw_min_i64(range.high, n - 1);
  } else if (cells->images && 2 * reach + 1 > n) { /* each cell once */
    range.low = 0;
    range.high = n - 1;
  }
  return range;
}

static int64_t cw_floor_divide(int64_t a, int64_t n) {
  return a >= 0 ? a / n : -((n - 1 - a) / n);
}

#define CW_REAL_IS_DOUBLE 0
#include "base/real.h"
#define CW_LANES      16
#define CW_MATH(name) name##f
#include "kernels/coordination/bundle_body.h"
#undef CW_REAL_IS_DOUBLE
#undef CW_MATH

#define CW_REAL_IS_DOUBLE 1
#include "base/real.h"
#define CW_MATH(name) name
#include "kernels/coordination/bundle_body.h"

const cw_coordination_ops CW_ISA_NAME(cw_coordination_cpu_ops) = {
    .scratch_bytes = {sizeof(scratch_f32), sizeof(scratch_f64)},
    .bundle = {bundle_f32, bundle_f64},
};
