/* Centred B-spline shapes on the primal nodes. Included after CW_REAL_IS_DOUBLE is set, once for
 * each precision; no include guard on purpose.
 *
 * cw_shape_weights_f32/_f64(order, dx, &first_offset, w): for a particle at offset dx in [0, 1) of
 * its cell, w[0 .. order] are the weights at the nodes cell + first_offset + (0 .. order), for
 * order 1 to 11. They sum to 1 to round-off. `order` should be a constant of the inlining caller.
 *
 * cw_shape_weights_dual_f32/_f64 gives the same for dual (half-shifted) nodes. */
#include "base/real.h"

#ifndef CW_BODY
#define CW_BODY static inline __attribute__((always_inline))
#endif

#define CW_SHAPE_TYPE       cw_real
#define CW_SHAPE_NAME(name) CW_REAL_NAME(name)
#include "kernels/shape_recursion.h"

/* Where a particle at dx stands between two knots: the recursion's argument. */
CW_BODY cw_real CW_REAL_NAME(cw_shape_knot_offset)(int order, cw_real dx) {
  const cw_real half = (cw_real)0.5;
  return order % 2 ? dx : dx + (dx >= half ? -half : half);
}

/* Knots stand on nodes for odd orders and between them for even ones, where the upper half of the
 * cell belongs to the next node. */
CW_BODY void CW_REAL_NAME(cw_shape_weights)(int order, cw_real dx, int *first_offset, cw_real *w) {
  *first_offset = order % 2 ? -(order - 1) / 2 : (dx >= (cw_real)0.5) - order / 2;
  CW_REAL_NAME(cw_shape_recursion)(order, CW_REAL_NAME(cw_shape_knot_offset)(order, dx), w);
}

/* The same on the dual nodes (node n at n + 1/2): w[j] belongs to cell + first_offset + j. */
CW_BODY void CW_REAL_NAME(cw_shape_weights_dual)(int order, cw_real dx, int *first_offset,
                                                 cw_real *w) {
  const cw_real half = (cw_real)0.5;
  if (order % 2) {
    const int upper = dx >= half;
    *first_offset = upper - 1 - (order - 1) / 2;
    CW_REAL_NAME(cw_shape_recursion)(order, upper ? dx - half : dx + half, w);
  } else {
    /* n + 1/2 is nearest to every point of cell n: the knots are the cell's faces */
    *first_offset = -order / 2;
    CW_REAL_NAME(cw_shape_recursion)(order, dx, w);
  }
}
