/* Where a point of the grid stands: the same bits on the host and on a device. */
#ifndef CW_SETUP_PLACE_BODY_H
#define CW_SETUP_PLACE_BODY_H

#include <cellwise/grid.h>

#include "base/host_device.h"

/* Coordinate of cell `index` (0: the first of the box) plus `shift` cells; 0 along axes that are not
 * simulated. To be compiled without contraction. */
static inline CW_HOST_DEVICE double cw_place(const cw_grid *grid, int axis, int64_t index,
                                             double shift) {
  return axis < grid->dim ? grid->origin[axis] + ((double)index + shift) * grid->dx[axis] : 0;
}

#endif
