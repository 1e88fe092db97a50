/* The push's kernels in double precision. */
#define CW_REAL_IS_DOUBLE 1
#include "kernels/push/push_cuda_launch.cuh"

#include "kernels/push/push_cuda_kernels.cuh"
