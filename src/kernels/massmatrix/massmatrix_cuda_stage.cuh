/* What the forms put on their stages of a particle's place, and the walk along a stage in steps of a
 * product's depth. */
#ifndef CW_KERNELS_MASSMATRIX_CUDA_STAGE_CUH
#define CW_KERNELS_MASSMATRIX_CUDA_STAGE_CUH

#include "kernels/massmatrix/massmatrix_cuda_factors.cuh"

/* Moments along an axis; one that is not simulated counts its only node with weight 1. */
template <int ORDER>
static __device__ __forceinline__ void cw_mm_axis_moments(bool simulated, double x, double *m) {
  cw_mm_moments_device(ORDER, x, m);
  if constexpr (ORDER == 2) /* CIC: x is 0 there, and the moments are 1, 0, 0 */
    if (!simulated) {
#pragma unroll
      for (int i = 2; i < 2 * ORDER + 1; i++)
        m[i] = 0;
      m[0] = -4; /* of the combinations in use, only w1 and w1 w1 are 1 then */
      m[1] = 1;
    }
}

template <int ORDER>
static __device__ __forceinline__ void cw_mm_axis_weights(bool simulated, double x, double *w) {
  cw_mm_weights_device(ORDER, x, w);
  if (simulated)
    return;
#pragma unroll
  for (int i = 0; i <= ORDER; i++)
    w[i] = i == ORDER / 2;
}

/* Moments of a place: along axis 0 in double, over the plane of the others in the products' format.
 */
template <int ORDER, class T> struct cw_mm_place_moments {
  static const int N = 2 * ORDER + 1;
  double along[N];
  T second[N], third[N];

  __device__ __forceinline__ cw_mm_place_moments(int dim, const double x[3]) {
    double m[N];
    cw_mm_axis_moments<ORDER>(true, x[0], along);
    cw_mm_axis_moments<ORDER>(dim > 1, x[1], m);
#pragma unroll
    for (int j = 0; j < N; j++)
      second[j] = (T)m[j];
    cw_mm_axis_moments<ORDER>(dim > 2, x[2], m);
#pragma unroll
    for (int k = 0; k < N; k++)
      third[k] = (T)m[k];
  }
  __device__ __forceinline__ T plane(int jk) const {
    return second[jk % N] * third[jk / N];
  }
};

/* S at the nodes of a place's bin, axis 0 fastest: to[n * pitch]. */
template <int ORDER, class T>
static __device__ __forceinline__ void cw_mm_stage_nodes(int dim, const double x[3], T *to,
                                                         int pitch) {
  const int N = ORDER + 1;
  double w[3][N];
#pragma unroll
  for (int a = 0; a < 3; a++)
    cw_mm_axis_weights<ORDER>(a < dim, x[a], w[a]);
#pragma unroll
  for (int n = 0; n < N * N * N; n++)
    to[n * pitch] = (T)w[0][n % N] * ((T)w[1][n / N % N] * (T)w[2][n / N / N]);
}

/* The steps of depth 8 of a form's products over n particles. Of few particles roundings to TF32 do
 * not average out, and three products cost nothing there. */
template <class Form>
static __device__ __forceinline__ void cw_mm_take_steps(Form &form, const cw_mm_device_job &d,
                                                        const typename Form::real *stage, int n,
                                                        int lane) {
  const int g = lane / 4, t = lane % 4;
  const bool has_parts = sizeof(typename Form::real) == 4;
  if (has_parts && (d.three || n < 16)) {
#pragma unroll 1
    for (int k = 0; k < n; k += 8)
      form.template step<has_parts>(stage + k + 2 * t, g);
  } else {
#pragma unroll 1
    for (int k = 0; k < n; k += 8)
      form.template step<false>(stage + k + 2 * t, g);
  }
}

#endif
