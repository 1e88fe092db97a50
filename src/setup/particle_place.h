/* Where particles stand. */
#ifndef CW_SETUP_PARTICLE_PLACE_H
#define CW_SETUP_PARTICLE_PLACE_H

#include <cellwise/particles.h>

#include "base/reals.h"
#include "setup/place_body.h"

/* Coordinate of slot p of a host's view; 0 along axes that are not simulated. */
static inline double cw_particle_coordinate(const cw_grid *grid, const cw_particles_view *view,
                                            int axis, int64_t p) {
  return axis < grid->dim ? cw_place(grid, axis, view->i[axis][p],
                                     cw_real_get(view->dx[axis], view->precision, p))
                          : 0;
}

static inline void cw_particle_place(const cw_grid *grid, const cw_particles_view *view, int64_t p,
                                     double x[3]) {
  for (int a = 0; a < 3; a++)
    x[a] = cw_particle_coordinate(grid, view, a, p);
}

#endif
