/* Current and charge at a bin's nodes from its moments: every linear weight is a sum of them. */
#ifndef CW_KERNELS_MASSMATRIX_CUDA_LINEAR_CUH
#define CW_KERNELS_MASSMATRIX_CUDA_LINEAR_CUH

#include "kernels/massmatrix/massmatrix_cuda_job.cuh"

/* TSC: w_a = sum over i of this times beta_i. */
static __device__ __forceinline__ float cw_mm_linear(int a, int i) {
  const int from = a == 0 ? i : 4 - i; /* of the outer nodes, mirrored */
  const float outer = from == 0 || from == 2 ? 0.5f : from == 1 ? 1.0f : 0.0f;
  const float middle = i == 2 ? 5.0f : i == 1 || i == 3 ? 3.0f : 0.5f;
  return a == 1 ? middle : outer;
}

/* J and rho at a bin's nodes from the moments' sums in `moments` [entry][4]: for CIC a lane a node
 * and quantity, w_a = b_a + b_a+1 along each axis. */
template <class T>
static __device__ __forceinline__ void cw_mm_write_linear_cells(const T *moments, T *out,
                                                                int lane) {
  typedef cw_mm_store<CW_MM_CELLS> store;
  __syncwarp();
  const T *from = moments + 4 * store::entry(lane / 4 % 2, lane / 8 % 2, lane / 16) + lane % 4;
  T sum = 0;
#pragma unroll
  for (int m = 0; m < 8; m++)
    sum += from[4 * store::entry(m % 2, m / 2 % 2, m / 4)];
  out[lane] = sum;
  __syncwarp();
}

/* The same for TSC in two steps; `half` has room for [3][25][4] sums, contracted along axis 0. */
template <class T>
static __device__ __forceinline__ void cw_mm_write_linear_nodes(const T *moments, T *half, T *out,
                                                                int lane) {
  const int nodes = 3, axis = 5, planes = axis * axis;
  typedef cw_mm_store<CW_MM_MOMENTS> store;
  __syncwarp();
  for (int n = lane; n < nodes * planes * 4; n += 32) {
    const int q = n % 4, plane = n / 4 % planes, a = n / 4 / planes;
    T sum = 0;
#pragma unroll
    for (int i = 0; i < axis; i++)
      sum += (T)cw_mm_linear(a, i) * moments[4 * store::entry(i, plane % axis, plane / axis) + q];
    half[n] = sum;
  }
  __syncwarp();
  for (int n = lane; n < nodes * nodes * nodes * 4; n += 32) {
    const int q = n % 4, a = n / 4 % nodes, b = n / 4 / nodes % nodes, c = n / 4 / nodes / nodes;
    T sum = 0;
    for (int k = 0; k < axis; k++) {
      T row = 0;
#pragma unroll
      for (int j = 0; j < axis; j++)
        row += (T)cw_mm_linear(b, j) * half[4 * (a * planes + j + axis * k) + q];
      sum += (T)cw_mm_linear(c, k) * row;
    }
    out[n] = sum;
  }
  __syncwarp();
}

template <int ORDER, class T>
static __device__ __forceinline__ void cw_mm_write_linear(const T *moments, T *half, T *out,
                                                          int lane) {
  if constexpr (ORDER == 1)
    cw_mm_write_linear_cells(moments, out, lane);
  else
    cw_mm_write_linear_nodes(moments, half, out, lane);
}

#endif
