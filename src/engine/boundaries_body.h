/* One particle at the sides of its block, for one precision (base/real.h), on host and device.
 * Needs CW_BODY: the qualifiers of its functions. */
#include "base/real.h"

/* Mirrors particle p at a wall: lower at 0, upper at `cells`. */
CW_BODY void CW_REAL_NAME(cw_reflect)(const cw_particles_view *view, int axis, int upper,
                                      int32_t cells, int64_t p) {
  /* X = i + dx becomes 2 wall - X, whose cell is 2 wall - i - 1 and offset 1 - dx. */
  cw_real *dx = (cw_real *)view->dx[axis], *u = (cw_real *)view->u[axis];
  int32_t cell = (upper ? 2 * cells : 0) - view->i[axis][p] - 1;
  cw_real offset = (cw_real)1 - dx[p];
  if (!(offset < (cw_real)1)) {
    cell += 1; /* it stood on a cell's lower face, or rounding put it there */
    offset = 0;
  }
  if (upper && cell >= cells) { /* exactly on the wall: the last place inside */
    cell = cells - 1;
    offset = (cw_real)(CW_REAL_IS_DOUBLE ? 1.0 - 0x1p-53 : 1.0 - 0x1p-24);
  }
  dx[p] = offset;
  view->i[axis][p] = cell;
  u[p] = -u[p];
  if (view->guide[0])
    ((cw_real *)view->guide[0])[p] = 0; /* made anew of its whole momentum */
}

/* Applies the two sides of one axis to particle p. */
CW_BODY void CW_REAL_NAME(cw_apply_sides)(const cw_particles_view *view, int axis, int32_t cells,
                                          const cw_particle_boundary boundary[2], int64_t p) {
  int32_t i = view->i[axis][p];
  if ((uint32_t)i < (uint32_t)cells || (view->tag && view->tag[p] == CW_TAG_DEAD))
    return;
  int upper = i >= cells;
  switch (boundary[upper]) {
  case CW_PARTICLE_PERIODIC:
    view->i[axis][p] += upper ? -cells : cells;
    view->i_prev[axis][p] += upper ? -cells : cells;
    break;
  case CW_PARTICLE_REFLECT:
    CW_REAL_NAME(cw_reflect)(view, axis, upper, cells, p);
    break;
  case CW_PARTICLE_ABSORB:
    view->tag[p] = CW_TAG_DEAD;
    break;
  }
}
