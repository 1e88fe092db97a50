/* The deposit on the device: the same contract as the CPU's, on device arrays. */
#ifndef CW_KERNELS_DEPOSIT_CUDA_H
#define CW_KERNELS_DEPOSIT_CUDA_H

#include <cellwise/deposit.h>

#ifdef __cplusplus
extern "C" {
#endif

/* cw_deposit_currents for particles and J in device memory; arguments are checked already, but for
 * what only the device knows (tile against shared memory). Queued on the context's stream; `report`
 * makes it wait. Where it is NULL, a particle outside is a fault (CW_FAULT_OUTSIDE), told by the next
 * wait for the device. */
cw_status cw_deposit_currents_cuda(cw_context *context, const cw_deposit_options *options,
                                   const cw_grid *grid, const cw_deposit_species *species,
                                   int count, cw_vector_view J, cw_deposit_report *report);
/* cw_deposit_charge into a device array of doubles, in fixed point: the same bits every run. */
cw_status cw_deposit_charge_cuda(cw_context *context, const cw_deposit_options *options,
                                 const cw_grid *grid, const cw_particles_view *particles,
                                 int use_prev, double *rho);

#ifdef __cplusplus
}
#endif
#endif
