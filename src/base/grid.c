#include <math.h>

#include <cellwise/grid.h>

#include "base/context_private.h"

int32_t cw_grid_ghost_cells(int order, double max_move) {
  /* A particle of the block stands in cells 0 to cells - 1, and after its step in -1 to cells. Its
   * old and new shapes share a window of order + 2 nodes (fewer only if it cannot move at all).
   * Odd order: the window starts (order - 1)/2 below the lower of the two cells. Even order: shapes
   * are centred on the nearest node, so for a particle in the upper half of the last cell the
   * window starts order/2 - 1 below it and ends order/2 + 2 above. */
  if (order == 0)
    order = 1; /* zigzag writes linear weights */
  int32_t reach = order % 2 ? (order + 1) / 2 + 1 : order / 2 + (max_move > 0 ? 2 : 1);
  return reach < 2 ? 2 : reach;
}

cw_status cw_grid_init(cw_context *context, cw_grid *grid, int dim, const int32_t cells[3],
                       int32_t ghost, const double origin[3], const double dx[3]) {
  if (dim < 1 || dim > 3)
    return cw_fail(context, CW_ERROR_ARGUMENT, "grid: dim is %d; expected 1, 2 or 3", dim);
  if (ghost < 0 || ghost > 64)
    return cw_fail(context, CW_ERROR_ARGUMENT, "grid: ghost is %d; expected 0 to 64", (int)ghost);
  cw_grid made = {.dim = dim, .ghost = ghost};
  int64_t points = 1;
  for (int a = 0; a < 3; a++) {
    int active = a < dim;
    if (active && (cells[a] < 1 || !(dx[a] > 0) || !isfinite(dx[a])))
      return cw_fail(context, CW_ERROR_ARGUMENT,
                     "grid: axis %d has %d cells of edge %g; expected at least 1 cell of a "
                     "positive edge",
                     a, (int)cells[a], dx[a]);
    made.cells[a] = active ? cells[a] : 1;
    made.origin[a] = active ? origin[a] : 0;
    made.dx[a] = active ? dx[a] : 1;
    int64_t size = active ? (int64_t)cells[a] + 2 * ghost : 1;
    if (size > INT32_MAX || points > INT64_MAX / size)
      return cw_fail(context, CW_ERROR_ARGUMENT, "grid: %d cells along axis %d are too many",
                     (int)cells[a], a);
    made.size[a] = (int32_t)size;
    made.stride[a] = points;
    if (active)
      made.offset += ghost * points;
    points *= size;
  }
  made.points = points;
  *grid = made;
  return CW_OK;
}
