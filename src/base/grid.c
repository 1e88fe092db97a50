#include <math.h>

#include <cellwise/grid.h>

#include "base/context_private.h"

int32_t cw_grid_ghost_cells(int order, double max_move) {
  /* A particle that leaves the block stands in cell -1 or cells. Odd order: its shape starts
   * (order - 1)/2 nodes below its cell and ends (order + 1)/2 above. Even order: the shape is
   * centred on the nearest node, so a particle in the upper half of cell `cells` reaches
   * order/2 + 1 above that cell, which is possible only for moves of more than half a cell. */
  if (order == 0)
    order = 1; /* zigzag writes linear weights */
  int32_t reach = order % 2 ? (order + 1) / 2 + 1 : order / 2 + (max_move > 0.5 ? 2 : 1);
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
