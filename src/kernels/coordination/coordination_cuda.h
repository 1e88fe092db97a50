/* The device's side of a coordination plan. A build without CUDA has the same functions. */
#ifndef CW_KERNELS_COORDINATION_CUDA_H
#define CW_KERNELS_COORDINATION_CUDA_H

#include "kernels/coordination/coordination_private.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One frame on the context's device; plan->lattice is set. Positions and derivatives may each be in
 * either space. Errors: CW_ERROR_NUMERIC, CW_ERROR_MEMORY, CW_ERROR_DEVICE, CW_ERROR_UNSUPPORTED
 * (FROZEN lists; 2^31 entries). */
cw_status cw_coordination_cuda_compute(cw_coordination *plan, const cw_coordinates_view *positions,
                                       cw_coordination_result *result);
/* Frees plan->cuda; NULL-safe. */
void cw_coordination_cuda_destroy(cw_coordination *plan);
/* Bytes of device and pinned memory. */
size_t cw_coordination_cuda_memory(const cw_coordination *plan);

/* Where a frame's time goes on the device. `times` (NULL: no longer) is filled in by each frame. */
typedef struct cw_coordination_cuda_times {
  double upload, sort, sweep, finish; /* seconds; sweep: the pair kernels alone */
} cw_coordination_cuda_times;
cw_status cw_coordination_cuda_measure(cw_coordination *plan, cw_coordination_cuda_times *times);

/* coordination_cuda_stage.c: between the caller's arrays and packed (atoms, 3) memory. */
void cw_coordination_pack(const cw_coordinates_view *from, int64_t atoms, void *packed,
                          int threads);
void cw_coordination_unpack(const void *packed, int64_t atoms, const cw_coordinates_view *to,
                            int threads);

#ifdef __cplusplus
}
#endif
#endif
