/* The particles of a species as named arrays, and what may stand in them. */
#ifndef CW_SETUP_PARTICLE_ARRAYS_H
#define CW_SETUP_PARTICLE_ARRAYS_H

#include <cellwise/particles.h>

#include "base/array.h"

/* "particles/LABEL/NAME", with "/x", "/y", "/z" for an axis >= 0. */
void cw_particle_array_name(cw_array *array, const char *label, const char *name, int axis);
/* Visits the members of a view that a state is made of, wherever they are: positionOffset/x (cell),
 * position/x (offset in it), momentum/x, weighting, guidingMoment and guidingMomentum, payload1 ..., tag, id. The _prev arrays are not among them:
 * the next push overwrites them before anything reads them. */
cw_status cw_particle_arrays_each(const cw_particles_view *view, int dim, const char *label,
                                  cw_array_visit *visit, void *user);
/* What the kernels rely on: slots are dead, or alive and inside the block. Particles on the host.
 * Errors: CW_ERROR_FORMAT naming the first slot. */
cw_status cw_particle_arrays_check(cw_context *context, const cw_grid *grid,
                                   const cw_particles_view *view, const char *label);
/* `status` naming the array and its first value that is not finite, if there is one. */
cw_status cw_array_check_finite(cw_context *context, cw_status status, const cw_array *array);

#endif
