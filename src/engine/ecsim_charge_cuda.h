/* Particles of the charge correction on a device: their matrix, and their displacement. Queued. */
#ifndef CW_ENGINE_ECSIM_CHARGE_CUDA_H
#define CW_ENGINE_ECSIM_CHARGE_CUDA_H

#include "base/context_private.h"
#include "engine/ecsim_charge_body.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Adds the live slots' parts of A, times job->factor and rounded to integers of 64 bits, to sums, an
 * array of a scalar mass matrix's size whose values are taken for such integers: the same bits in any
 * order of particles. No sum may pass 2^62. */
cw_status cw_ecsim_charge_add_cuda(cw_context *context, int order, const cw_ecsim_charge_job *job,
                                   double *sums);
/* The integers of `sums`, times unit, in their place. */
cw_status cw_ecsim_charge_scale_cuda(cw_context *context, int64_t count, double unit, double *sums);
/* Displaces the live slots by job->factor sum_c phi_c grad W_pc; phi is over the grid. */
cw_status cw_ecsim_charge_displace_cuda(cw_context *context, int order,
                                        const cw_ecsim_charge_job *job, const double *phi);

#ifdef __cplusplus
}
#endif
#endif
