/* The deposit's kernels in single precision. */
#define CW_REAL_IS_DOUBLE 0
#include "kernels/deposit/deposit_cuda_launch.cuh"

#include "kernels/deposit/deposit_cuda_kernels.cuh"

#include "kernels/deposit/deposit_cuda_choose.cuh"
