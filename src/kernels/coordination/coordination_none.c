/* Coordination numbers on a device, in a build without device code. */
#include "kernels/coordination/coordination_cuda.h"

cw_status cw_coordination_cuda_compute(cw_coordination *plan, const cw_coordinates_view *positions,
                                       cw_coordination_result *result) {
  (void)positions;
  (void)result;
  return cw_fail(plan->context, CW_ERROR_UNSUPPORTED,
                 "coordination numbers: this build has no device code");
}

void cw_coordination_cuda_destroy(cw_coordination *plan) {
  (void)plan;
}

size_t cw_coordination_cuda_memory(const cw_coordination *plan) {
  (void)plan;
  return 0;
}

cw_status cw_coordination_cuda_measure(cw_coordination *plan, cw_coordination_cuda_times *times) {
  *times = (cw_coordination_cuda_times){0};
  return cw_fail(plan->context, CW_ERROR_UNSUPPORTED,
                 "coordination numbers: this build has no device code");
}
