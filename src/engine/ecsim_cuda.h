/* The energy-conserving engine's loops on a device: mover, kinetic energy, places shifted by half a
 * cell. Work is queued, but where a result is awaited. */
#ifndef CW_ENGINE_ECSIM_CUDA_H
#define CW_ENGINE_ECSIM_CUDA_H

#include "engine/ecsim_mover_body.h"

#ifdef __cplusplus
extern "C" {
#endif

/* nodes[points][CW_ECSIM_NODE] of E and B over the grid. */
cw_status cw_ecsim_pack_nodes_cuda(cw_context *context, int64_t points, const double *const E[3],
                                   const double *const B[3], double *nodes);
/* Moves all live slots. What CW_FAULT_OUTSIDE names (a place that is not finite or more than 1e9 cells away) is told by the next wait. */
cw_status cw_ecsim_move_cuda(cw_context *context, int order, const cw_ecsim_move_job *job);
/* The mean gamma of the step of all slots, 1 of dead ones, into job->gamma. */
cw_status cw_ecsim_predict_cuda(cw_context *context, int order, const cw_ecsim_move_job *job);
/* Compensated sum of `what` (cw_ecsim_summand) over the live slots, and their number; the same bits on
 * every run. work: CW_ENERGY_WORK doubles (engine_cuda.h) on the device. Waits. */
cw_status cw_ecsim_sum_cuda(cw_context *context, const cw_particles_view *particles, int what,
                            double *work, double *sum, int64_t *alive);
/* Places shifted by half a cell downwards along every axis, to i and dx. */
cw_status cw_ecsim_shift_cuda(cw_context *context, const cw_particles_view *particles, int dim,
                              int32_t *const i[3], double *const dx[3]);

#ifdef __cplusplus
}
#endif
#endif
