/* What a moving window does to a particle and to a place of an array, on host and device. */
#ifndef CW_ENGINE_WINDOW_BODY_H
#define CW_ENGINE_WINDOW_BODY_H

#include <cellwise/particles.h>

#include "base/host_device.h"

/* Slot p moves down by `cells`; what then stands outside [0, end) along the axis is dead. */
static inline CW_HOST_DEVICE void cw_window_move(const cw_particles_view *view, int axis,
                                                 int32_t cells, int32_t end, int64_t p) {
  const int32_t i = view->i[axis][p] - cells;
  view->i[axis][p] = i;
  view->i_prev[axis][p] -= cells;
  if (i < 0 || i >= end)
    view->tag[p] = CW_TAG_DEAD;
}

/* An array moves down by a cell. Interior lines get fresh values in the cells from the last one to
 * `end`; behind them the array stays as it is. */
typedef struct cw_window_shift {
  cw_grid grid;
  int axis;
  int32_t end;
  const double *fresh; /* a value a line, in the order of the other axes */
} cw_window_shift;

/* Where the value of place (index[0] ...), which stands at `at` of the array, comes from; -1: it is
 * the fresh one of *line. */
static inline CW_HOST_DEVICE int64_t cw_window_source(const cw_window_shift *shift,
                                                      const int32_t index[3], int64_t at,
                                                      int64_t *line) {
  const cw_grid *grid = &shift->grid;
  const int32_t along = index[shift->axis], last = grid->cells[shift->axis] - 1;
  int inside = 1;
  *line = 0;
  for (int a = 2; a >= 0; a--)
    if (a != shift->axis) {
      inside = inside && index[a] >= 0 && index[a] < grid->cells[a];
      *line = *line * grid->cells[a] + index[a];
    }
  if (inside && along >= last && along < shift->end)
    return -1;
  return along == last + grid->ghost ? at : at + grid->stride[shift->axis];
}

#endif
