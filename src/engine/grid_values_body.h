/* Places of a grid's arrays, on host and device. */
#ifndef CW_ENGINE_GRID_VALUES_BODY_H
#define CW_ENGINE_GRID_VALUES_BODY_H

#include <cellwise/grid.h>

#include "base/host_device.h"

/* The interior place that is nearest to place p of an array, ghost cells included. */
static inline CW_HOST_DEVICE int64_t cw_nearest_inside(const cw_grid *grid, int64_t p) {
  int64_t nearest = grid->offset, rest = p;
  for (int a = grid->dim - 1; a >= 0; a--) {
    const int64_t last = grid->cells[a] - 1;
    int64_t index = rest / grid->stride[a] - grid->ghost;
    index = index < 0 ? 0 : index > last ? last : index;
    nearest += index * grid->stride[a];
    rest %= grid->stride[a];
  }
  return nearest;
}

#endif
