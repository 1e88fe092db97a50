/* The launches that deposit_cuda_f32.cu and deposit_cuda_f64.cu offer to deposit_cuda.cu. */
#ifndef CW_KERNELS_DEPOSIT_CUDA_LAUNCH_CUH
#define CW_KERNELS_DEPOSIT_CUDA_LAUNCH_CUH

#include "kernels/deposit/deposit_cuda_job.cuh"

/* Slots first .. last - 1 straight to J. */
cw_status cw_deposit_cuda_flat_f32(cw_context *context, const cw_deposit_device_job *job);
cw_status cw_deposit_cuda_flat_f64(cw_context *context, const cw_deposit_device_job *job);
/* The sorted slots, a team a tile, by the kernel that the job asks for. *fits: 0, and nothing is
 * queued, where no form of the tile's scratch fits in shared memory. */
cw_status cw_deposit_cuda_tiled_f32(cw_context *context, const cw_deposit_device_job *job, int team,
                                    int *fits);
cw_status cw_deposit_cuda_tiled_f64(cw_context *context, const cw_deposit_device_job *job, int team,
                                    int *fits);

#endif
