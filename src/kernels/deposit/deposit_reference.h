/* The oracle's loop, for deposit.c, which checks the arguments. */
#ifndef CW_KERNELS_DEPOSIT_REFERENCE_H
#define CW_KERNELS_DEPOSIT_REFERENCE_H

#include <cellwise/deposit.h>

/* Adds to J; returns the slot of the first particle that is not finite or moved too far, or -1. */
int64_t cw_deposit_reference_sum(const cw_deposit_options *options, const cw_grid *grid,
                                 const cw_particles_view *particles, double *const J[3]);

#endif
