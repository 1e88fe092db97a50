/* The launches that deposit_cuda_f32.cu and deposit_cuda_f64.cu offer to deposit_cuda.cu. */
#ifndef CW_KERNELS_DEPOSIT_CUDA_LAUNCH_CUH
#define CW_KERNELS_DEPOSIT_CUDA_LAUNCH_CUH

#include "kernels/deposit/deposit_cuda_job.cuh"

/* Slots first .. last - 1 straight to J. */
cw_status cw_deposit_cuda_flat_f32(cw_context *context, const cw_deposit_device_job *job);
cw_status cw_deposit_cuda_flat_f64(cw_context *context, const cw_deposit_device_job *job);
/* The sorted slots, a team a tile. runs: sum runs of particles in registers where that is compiled
 * (orders 1 to 3), else a thread a particle. scratch_bits: of single precision's fixed point. */
cw_status cw_deposit_cuda_tiled_f32(cw_context *context, const cw_deposit_device_job *job, int runs,
                                    int scratch_bits, int team);
cw_status cw_deposit_cuda_tiled_f64(cw_context *context, const cw_deposit_device_job *job, int runs,
                                    int scratch_bits, int team);

#endif
