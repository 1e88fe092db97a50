/* The deposit's kernels in double precision. */
#define CW_REAL_IS_DOUBLE 1
#include "kernels/deposit/deposit_cuda_launch.cuh"

#include "kernels/deposit/deposit_cuda_kernels.cuh"

#include "kernels/deposit/deposit_cuda_choose.cuh"
