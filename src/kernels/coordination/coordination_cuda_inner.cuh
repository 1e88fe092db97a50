/* The centres of a bundle with the staged neighbours, in registers: two forms.
 *
 * Derivatives: F_i = sum_j h d. Box: sum_ij h d_a d_b with d = r_j - r_i is taken apart,
 *   sum_j r_ja (sum_i h d_b) - sum_i r_ia F_ib,
 * which leaves three multiply-adds a pair instead of nine; lengths are relative to the bundle. */
#ifndef CW_KERNELS_COORDINATION_CUDA_INNER_CUH
#define CW_KERNELS_COORDINATION_CUDA_INNER_CUH

#include "kernels/coordination/coordination_cuda_border.cuh"
#include "kernels/coordination/coordination_cuda_pair.cuh"

enum { CW_STAGE_PAD = 8 }; /* neighbours that are handled at a time */

/* Shared memory of one warp. at[k][3] is free for the form. */
template <class Real> struct __align__(32) cw_stage {
  Real at[CW_STAGE][4];
  uint32_t id[CW_STAGE];
};

template <class Real> struct cw_far; /* padding: out of any range, and its square is finite */
template <> struct cw_far<float> {
  static __device__ __forceinline__ float value() { return 1e17f; }
};
template <> struct cw_far<double> {
  static __device__ __forceinline__ double value() { return 1e60; }
};

struct __align__(16) cw_four_f32 {
  float v[4];
};
struct __align__(16) cw_two_f64 {
  double v[2];
};
static __device__ __forceinline__ void cw_load_four(const float *from, float to[4]) {
  const cw_four_f32 x = *(const cw_four_f32 *)from;
  for (int c = 0; c < 4; c++)
    to[c] = x.v[c];
}
static __device__ __forceinline__ void cw_load_four(const double *from, double to[4]) {
  const cw_two_f64 x = ((const cw_two_f64 *)from)[0], y = ((const cw_two_f64 *)from)[1];
  to[0] = x.v[0], to[1] = x.v[1], to[2] = y.v[0], to[3] = y.v[1];
}

/* One centre's sums over its lanes. */
template <class Real> struct cw_centre_sums {
  Real value, force[3];
  int pairs;
};

/* Common to both forms: writing a centre, and its share of the bundle's sums. */
template <class Real, class Pair>
static __device__ __forceinline__ void cw_finish_centre(const Pair &pair,
                                                        const cw_device_sweep &sweep, int place,
                                                        const Real at[3],
                                                        const cw_centre_sums<Real> &sums,
                                                        cw_partial *partial) {
  double value = (double)sums.value;
  int pairs = sums.pairs;
  if (!Pair::compare_ids && sweep.drop_self) {
    Real s, h;
    pair((Real)0, &s, &h);
    value -= (double)s;
    pairs--;
  }
  value = (double)pair.scale * value + (double)pair.shift * pairs;
  const int64_t entry = sweep.centre.permutation[place];
  double force[3];
#pragma unroll
  for (int c = 0; c < 3; c++) {
    force[c] = (double)pair.slope * (double)sums.force[c];
    sweep.derivative[3 * entry + c] = -force[c];
  }
  sweep.value[entry] = value;
  partial->sum[CW_SUM_VALUE] += value;
  partial->sum[CW_SUM_PAIRS] += pairs;
  const double x = (double)at[0], y = (double)at[1], z = (double)at[2];
  partial->sum[CW_SUM_BOX + 0] += x * force[0];
  partial->sum[CW_SUM_BOX + 1] += y * force[1];
  partial->sum[CW_SUM_BOX + 2] += z * force[2];
  partial->sum[CW_SUM_BOX + 3] += x * force[1];
  partial->sum[CW_SUM_BOX + 4] += x * force[2];
  partial->sum[CW_SUM_BOX + 5] += y * force[2];
}

/* Clusters, in two passes in single precision. The first counts every pair up to the range and its
 * border, and marks the bundle if one lies in the border (one in thirty does); the second, Exact,
 * does the marked bundles again and decides in double. To decide in the first pass costs it a
 * third.
 *
 * Lane l holds centres l % 4 + 4 q, q = 0 .. 3, and meets neighbours l / 4 + 8 k: a load
 * from shared memory serves four pairs, and eight addresses fill one access of 128 bytes. */
template <class Real, class Pair, bool Exact> struct cw_inner_passes {
  static const bool compare_ids = Pair::compare_ids, again = Exact;
  enum { EACH = CW_CENTRES / 4 };
  const Pair &pair;
  const cw_device_sweep &sweep;
  Real range2, border, low2, farthest; /* farthest: squared, of the pairs that count */
  int first;                           /* place of the first centre */
  Real x[EACH], y[EACH], z[EACH];
  uint32_t id[EACH];
  Real value[EACH], fx[EACH], fy[EACH], fz[EACH];
  int pairs[EACH];
  Real box[6];

  __device__ __forceinline__ cw_inner_passes(const Pair &p, const cw_device_sweep &s, Real r2)
      : pair(p), sweep(s), range2(r2) {}

  __device__ __forceinline__ void load(const Real local[3], uint32_t own_id, int centres) {
    const int lane = threadIdx.x % CW_WARP;
#pragma unroll
    for (int q = 0; q < EACH; q++) {
      const int i = lane % 4 + 4 * q;
      x[q] = __shfl_sync(0xffffffffu, local[0], i);
      y[q] = __shfl_sync(0xffffffffu, local[1], i);
      z[q] = __shfl_sync(0xffffffffu, local[2], i);
      id[q] = __shfl_sync(0xffffffffu, own_id, i);
      if (i >= centres)
        x[q] = -cw_far<Real>::value();
      value[q] = fx[q] = fy[q] = fz[q] = 0;
      pairs[q] = 0;
    }
#pragma unroll
    for (int q = 0; q < 6; q++)
      box[q] = 0;
  }

  __device__ __forceinline__ void begin(int first_centre, double reach) {
    border = sweep.fast_border ? (Real)0 : cw_border<Real>(sweep.range2, reach);
    first = first_centre;
    low2 = sweep.fast_border ? 2 * range2 : range2 - border;
    farthest = 0;
    if (!Exact)
      range2 += border;
  }

  static __device__ __forceinline__ void put(cw_stage<Real> *stage, int to, const Real at[3],
                                             uint32_t other_id, int place) {
    stage->at[to][0] = at[0];
    stage->at[to][1] = at[1];
    stage->at[to][2] = at[2];
    if (sizeof(Real) < sizeof(double))
      stage->at[to][3] = __int_as_float(place);
    if (compare_ids)
      stage->id[to] = other_id;
  }

  __device__ __forceinline__ void meet(const Real r[4], uint32_t other_id) {
    Real gx = 0, gy = 0, gz = 0;
#pragma unroll
    for (int q = 0; q < EACH; q++) {
      const Real dx = r[0] - x[q], dy = r[1] - y[q], dz = r[2] - z[q];
      Real s, h, r2 = dx * dx + dy * dy + dz * dz;
      if (Exact && cw_unsure(r2, range2, border))
        r2 = cw_settled(
            cw_in_range(sweep, first + (int)threadIdx.x % 4 + 4 * q, __float_as_int((float)r[3])),
            r2, range2);
      cw_pair_masked(pair, r2, range2, !compare_ids || other_id != id[q], &s, &h, &pairs[q],
                     &farthest);
      value[q] += s;
      fx[q] += h * dx, fy[q] += h * dy, fz[q] += h * dz;
      gx += h * dx, gy += h * dy, gz += h * dz;
    }
    box[0] += r[0] * gx, box[1] += r[1] * gy, box[2] += r[2] * gz;
    box[3] += r[0] * gy, box[4] += r[0] * gz, box[5] += r[1] * gz;
  }

  __device__ __forceinline__ void process(cw_stage<Real> *stage, int staged) {
    const int lane = threadIdx.x % CW_WARP;
    if (lane < CW_STAGE_PAD) {
      const Real far[3] = {cw_far<Real>::value(), 0, 0};
      put(stage, staged + lane, far, UINT32_MAX, 0);
    }
    __syncwarp();
#pragma unroll 1
    for (int k = lane / 4; k < staged + lane / 4; k += CW_STAGE_PAD) {
      Real r[4];
      cw_load_four(stage->at[k], r);
      meet(r, compare_ids ? stage->id[k] : 0);
    }
    __syncwarp();
  }

  __device__ __forceinline__ cw_partial finish(int first, int centres) {
    const int lane = threadIdx.x % CW_WARP;
    cw_partial partial = {};
#pragma unroll
    for (int q = 0; q < 6; q++)
      partial.sum[CW_SUM_BOX + q] = -(double)pair.slope * (double)box[q];
#pragma unroll
    for (int q = 0; q < EACH; q++) {
#pragma unroll
      for (int apart = 4; apart < 32; apart *= 2) {
        value[q] += __shfl_xor_sync(0xffffffffu, value[q], apart);
        fx[q] += __shfl_xor_sync(0xffffffffu, fx[q], apart);
        fy[q] += __shfl_xor_sync(0xffffffffu, fy[q], apart);
        fz[q] += __shfl_xor_sync(0xffffffffu, fz[q], apart);
        pairs[q] += __shfl_xor_sync(0xffffffffu, pairs[q], apart);
      }
      const int i = lane + 4 * q;
      if (lane < 4 && i < centres) {
        const cw_centre_sums<Real> sums = {value[q], {fx[q], fy[q], fz[q]}, pairs[q]};
        const Real at[3] = {x[q], y[q], z[q]};
        cw_finish_centre(pair, sweep, first + i, at, sums, &partial);
      }
    }
    return partial;
  }

  /* Whether the second pass must do the bundle again. */
  __device__ __forceinline__ bool in_doubt() const {
    return sizeof(Real) < sizeof(double) && !Exact && __any_sync(0xffffffffu, farthest >= low2);
  }
};
template <class Real, class Pair> using cw_inner_cluster = cw_inner_passes<Real, Pair, false>;
template <class Real, class Pair> using cw_inner_exact = cw_inner_passes<Real, Pair, true>;

#endif
