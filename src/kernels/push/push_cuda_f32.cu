/* The push's kernels in single precision. */
#define CW_REAL_IS_DOUBLE 0
#include "kernels/push/push_cuda_launch.cuh"

#include "kernels/push/push_cuda_kernels.cuh"
