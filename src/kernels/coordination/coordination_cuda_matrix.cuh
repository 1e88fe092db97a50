/* Bundles with squared distances from the matrix units: |r_i|^2 + |r_j|^2 - 2 r_i . r_j is one
 * product of (-2x, -2y, -2z, 1) by (x, y, z, |r|^2) added to |r_i|^2. Lengths are relative to the
 * bundle, so the cancellation costs a few bits.
 *
 * Lane l = 4 g + t holds, of the 16 x 8 result, rows g and g + 8 and columns 2t and 2t + 1; of the
 * left operand column t of those rows; of the right operand row t of column g.
 *
 * Derivatives by moments, F_i = sum_j h r_j - r_i sum_j h, so that no difference is formed. */
#ifndef CW_KERNELS_COORDINATION_CUDA_MATRIX_CUH
#define CW_KERNELS_COORDINATION_CUDA_MATRIX_CUH

#include "kernels/coordination/coordination_cuda_inner.cuh"

/* left: of rows g and g + 8; right: component t of neighbour g; norm: |r_i|^2 of the two rows. */
static __device__ __forceinline__ void cw_squares(const double left[2], double right,
                                                  const double norm[2], double r2[4]) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
               "{%7,%8,%9,%10};"
               : "=d"(r2[0]), "=d"(r2[1]), "=d"(r2[2]), "=d"(r2[3])
               : "d"(left[0]), "d"(left[1]), "d"(right), "d"(norm[0]), "d"(norm[0]), "d"(norm[1]),
                 "d"(norm[1]));
#else
#pragma unroll
  for (int q = 0; q < 2; q++)
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
                 : "=d"(r2[2 * q]), "=d"(r2[2 * q + 1])
                 : "d"(left[q]), "d"(right), "d"(norm[q]), "d"(norm[q]));
#endif
}

static __device__ __forceinline__ float cw_tf32(float x) { /* the 10 bits that the unit keeps */
  return __uint_as_float(__float_as_uint(x) & 0xffffe000u);
}
static __device__ __forceinline__ void cw_product_tf32(float a0, float a1, float a2, float a3,
                                                       float b0, float b1, float r2[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(r2[0]), "+f"(r2[1]), "+f"(r2[2]), "+f"(r2[3])
      : "r"(__float_as_uint(a0)), "r"(__float_as_uint(a1)), "r"(__float_as_uint(a2)),
        "r"(__float_as_uint(a3)), "r"(__float_as_uint(b0)), "r"(__float_as_uint(b1)));
}

/* Both operands split into two parts of 11 bits, and |r_j|^2 into three: all four products. */
static __device__ __forceinline__ void cw_squares(const float left[2], float right,
                                                  const float norm[2], float r2[4]) {
  const bool unit = threadIdx.x % 4 == 3; /* the column of ones */
  const float high = cw_tf32(right), low = right - high, third = low - cw_tf32(low);
  const float a0 = cw_tf32(left[0]), a1 = cw_tf32(left[1]);
  const float l0 = left[0] - a0, l1 = left[1] - a1;
  r2[0] = r2[1] = norm[0], r2[2] = r2[3] = norm[1];
  cw_product_tf32(a0, a1, a0, a1, high, low, r2);
  cw_product_tf32(unit ? 1.0f : l0, unit ? 1.0f : l1, l0, l1, unit ? third : high, low, r2);
}

template <class Real, class Pair> struct cw_inner_matrix {
  static const bool compare_ids = Pair::compare_ids, again = false;
  const Pair &pair;
  const cw_device_sweep &sweep;
  Real range2;
  Real at[2][3], left[2], norm[2]; /* rows g and g + 8 */
  uint32_t id[2];
  Real value[2], sum[2], moment[2][3];
  int pairs[2];
  Real box[6];

  __device__ __forceinline__ cw_inner_matrix(const Pair &p, const cw_device_sweep &s, Real r2)
      : pair(p), sweep(s), range2(r2) {}

  __device__ __forceinline__ void load(const Real local[3], uint32_t own_id, int centres) {
    const int lane = threadIdx.x % CW_WARP, t = lane % 4;
#pragma unroll
    for (int q = 0; q < 2; q++) {
      const int i = lane / 4 + 8 * q;
#pragma unroll
      for (int c = 0; c < 3; c++)
        at[q][c] = __shfl_sync(0xffffffffu, local[c], i);
      id[q] = __shfl_sync(0xffffffffu, own_id, i);
      if (i >= centres)
        at[q][0] = -cw_far<Real>::value();
      left[q] = t == 3 ? (Real)1 : -2 * (t == 0 ? at[q][0] : t == 1 ? at[q][1] : at[q][2]);
      norm[q] = at[q][0] * at[q][0] + at[q][1] * at[q][1] + at[q][2] * at[q][2];
      value[q] = sum[q] = moment[q][0] = moment[q][1] = moment[q][2] = 0;
      pairs[q] = 0;
    }
#pragma unroll
    for (int q = 0; q < 6; q++)
      box[q] = 0;
  }

  /* Squares err by more than a border could hold: pairs at the range's end are left to rounding. */
  __device__ __forceinline__ void begin(int, double) {}
  __device__ __forceinline__ bool in_doubt() const {
    return false;
  }

  static __device__ __forceinline__ void put(cw_stage<Real> *stage, int to, const Real r[3],
                                             uint32_t other_id, int) {
    stage->at[to][0] = r[0];
    stage->at[to][1] = r[1];
    stage->at[to][2] = r[2];
    stage->at[to][3] = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    if (compare_ids)
      stage->id[to] = other_id;
  }

  __device__ __forceinline__ void meet(const Real r[4], uint32_t other_id, const Real r2[2]) {
    Real column = 0;
#pragma unroll
    for (int q = 0; q < 2; q++) {
      Real s, h, farthest = 0;
      cw_pair_masked(pair, r2[q], range2, !compare_ids || other_id != id[q], &s, &h, &pairs[q],
                     &farthest);
      value[q] += s;
      sum[q] += h;
      column += h;
#pragma unroll
      for (int c = 0; c < 3; c++)
        moment[q][c] += h * r[c];
    }
    const Real gx = column * r[0], gy = column * r[1], gz = column * r[2];
    box[0] += r[0] * gx, box[1] += r[1] * gy, box[2] += r[2] * gz;
    box[3] += r[0] * gy, box[4] += r[0] * gz, box[5] += r[1] * gz;
  }

  __device__ __forceinline__ void process(cw_stage<Real> *stage, int staged) {
    const int lane = threadIdx.x % CW_WARP, t = lane % 4;
    if (lane < CW_STAGE_PAD) {
      const Real far[3] = {cw_far<Real>::value(), 0, 0};
      put(stage, staged + lane, far, UINT32_MAX, 0);
    }
    __syncwarp();
#pragma unroll 1
    for (int k = 0; k < staged; k += CW_STAGE_PAD) {
      Real r2[4], r[4];
      cw_squares(left, stage->at[k + lane / 4][t], norm, r2);
#pragma unroll
      for (int c = 0; c < 2; c++) {
        const int j = k + 2 * t + c;
        const Real of_column[2] = {r2[c], r2[2 + c]};
        cw_load_four(stage->at[j], r);
        meet(r, compare_ids ? stage->id[j] : 0, of_column);
      }
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
    for (int q = 0; q < 2; q++) {
#pragma unroll
      for (int apart = 1; apart < 4; apart *= 2) {
        value[q] += __shfl_xor_sync(0xffffffffu, value[q], apart);
        sum[q] += __shfl_xor_sync(0xffffffffu, sum[q], apart);
        pairs[q] += __shfl_xor_sync(0xffffffffu, pairs[q], apart);
#pragma unroll
        for (int c = 0; c < 3; c++)
          moment[q][c] += __shfl_xor_sync(0xffffffffu, moment[q][c], apart);
      }
      const int i = lane / 4 + 8 * q;
      if (lane % 4 || i >= centres)
        continue;
      cw_centre_sums<Real> sums = {value[q], {0, 0, 0}, pairs[q]};
#pragma unroll
      for (int c = 0; c < 3; c++)
        sums.force[c] = moment[q][c] - at[q][c] * sum[q];
      cw_finish_centre(pair, sweep, first + i, at[q], sums, &partial);
      /* the other half of the cross terms, by the moments themselves */
      const int a[6] = {0, 1, 2, 0, 0, 1}, b[6] = {0, 1, 2, 1, 2, 2};
#pragma unroll
      for (int k = 0; k < 6; k++)
        partial.sum[CW_SUM_BOX + k] +=
            (double)pair.slope * (double)at[q][b[k]] * (double)moment[q][a[k]];
    }
    return partial;
  }
};

#endif
