/* Sums of any values of particles with their shapes, for output. */
#ifndef CW_KERNELS_DEPOSIT_MOMENTS_H
#define CW_KERNELS_DEPOSIT_MOMENTS_H

#include <cellwise/particles.h>

/* Adds values[m][slot] times the shape of `order` (0: linear weights) at primal positions to each
 * of the arrays sums[m], m < count, over the grid; dead slots are left out, and ghost cells receive
 * their share. On the host, in double precision; the result does not depend on the number of
 * threads. The particles' weights are not used. Errors: CW_ERROR_ARGUMENT, CW_ERROR_MEMORY,
 * CW_ERROR_NUMERIC (a value that is not finite: the slot is named). */
cw_status cw_deposit_moments(cw_context *context, int order, const cw_grid *grid,
                             const cw_particles_view *particles, int count,
                             const double *const values[], double *const sums[]);

#endif
