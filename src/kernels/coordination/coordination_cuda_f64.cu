/* The coordination kernels in double precision. */
#include "kernels/coordination/coordination_cuda_sweep.cuh"

cw_status cw_coordination_cuda_sweep_f64(cw_context *context, const cw_switching *switching,
                                         const cw_device_sweep *sweep, cw_coordination_form form) {
  return launch_sweep<double>(context, switching, sweep, form);
}
