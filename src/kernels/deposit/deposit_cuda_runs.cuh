/* Tiles on the device, orders 1 to 3: a team a tile, and in it a warp sums a run of particles with
 * the same old node in registers, a lane a pair of nodes, before it adds to the tile's scratch.
 *
 *     for each chunk of 32 slots of the tile, a warp a chunk
 *       a lane a particle: load; factors T = U/2, E = D/sqrt(12), P on the window of order + 3 nodes
 *         that starts one below the old shape; store them in the warp's stage
 *       for each particle of the chunk
 *         if its window is another one: add the registers to the scratch, start anew
 *         a lane a pair (a, b): plane = T[a] T'[b] + E[a] E'[b];  sum[i] += P[i] plane  for each i
 *     barrier; flush the scratch to J, non-zero values only, clipped to J's storage
 *
 * deposit_body.h has the identity behind the planes. The window covers old and new shape wherever
 * the particle moved by at most a cell, so that all particles of a run share it.
 *
 * Fixed point: P carries the quanta, and adding 1.5 * 2^(mantissa bits) to a product rounds it to a
 * whole number that stands in the low mantissa bits; runs, scratch and J's accumulators sum those
 * as integers, so that no order of particles, warps or tiles changes a bit. */
#ifndef CW_KERNELS_DEPOSIT_CUDA_RUNS_CUH
#define CW_KERNELS_DEPOSIT_CUDA_RUNS_CUH

#include "kernels/deposit/deposit_cuda_job.cuh"
#include "kernels/deposit/deposit_scratch.h"

template <class Real> struct cw_run_integer;
template <> struct cw_run_integer<float> {
  typedef int32_t type;
  static __device__ float magic() { return 12582912.0f; } /* 1.5 * 2^23 */
  static __device__ int32_t bits(float x) { return __float_as_int(x); }
};
template <> struct cw_run_integer<double> {
  typedef int64_t type;
  static __device__ double magic() { return 6755399441055744.0; } /* 1.5 * 2^52 */
  static __device__ int64_t bits(double x) { return __double_as_longlong(x); }
};

/* A particle's stage (deposit_scratch.h) and what a warp makes of it. */
template <int DIM, int ORDER> struct cw_run_shape {
  static const int window = ORDER + 3, steps = ORDER + 2;
  static const int p_words = cw_deposit_step_words(ORDER);
  static const int words = cw_deposit_stage_words(DIM, ORDER);
  static const int pairs = DIM == 1 ? window : window * window;
  static const int pairs_a_lane = (pairs + 31) / 32;
  static const int sums = DIM == 3 ? 3 * steps : 3;
};

/* Factors of one axis into the stage. `shift` is the new shape's first node less the window's. */
template <int ORDER, class Real>
__device__ __forceinline__ void cw_run_axis(const Real *s, const Real *t, int shift, Real flow,
                                            Real *p, Real *te) {
  const Real half = (Real)0.5, root = (Real)0.28867513459481288; /* 1/sqrt(12) */
  Real prefix = 0;
#pragma unroll
  for (int n = 0; n < ORDER + 3; n++) {
    const Real S = n > 0 && n <= ORDER + 1 ? s[n > 0 ? n - 1 : 0] : (Real)0;
    /* the new shape starts at node 0, 1 or 2 of the window */
    const Real t0 = n <= ORDER ? t[n <= ORDER ? n : 0] : (Real)0;
    const Real t1 = n >= 1 && n <= ORDER + 1 ? t[n >= 1 && n <= ORDER + 1 ? n - 1 : 0] : (Real)0;
    const Real t2 = n >= 2 ? t[n >= 2 ? n - 2 : 0] : (Real)0;
    const Real T = shift == 0 ? t0 : shift == 1 ? t1 : t2;
    const Real D = T - S;
    te[2 * n] = half * (S + T);
    te[2 * n + 1] = root * D;
    prefix += D;
    if (n < ORDER + 2) p[n] = -flow * prefix;
  }
}

template <int DIM, int ORDER, class Real, class Sink, class Scratch> struct cw_run_sums {
  typedef cw_run_shape<DIM, ORDER> shape;
  typedef typename cw_run_integer<Real>::type Integer;
  static const bool fixed = !std::is_same<Real, Scratch>::value;
  typedef typename std::conditional<fixed, Integer, Real>::type Sum;
  Sum sum[shape::pairs_a_lane][shape::sums];
  int count;

  __device__ __forceinline__ void clear() {
    count = 0;
#pragma unroll
    for (int l = 0; l < shape::pairs_a_lane; l++)
#pragma unroll
      for (int n = 0; n < shape::sums; n++) sum[l][n] = 0;
  }
  /* sum += x y, rounded to whole quanta in fixed point */
  __device__ __forceinline__ static void add(Sum &sum, Real x, Real y) {
    if constexpr (fixed) {
      typedef typename std::make_unsigned<Integer>::type U;
      sum = (Sum)((U)sum + (U)cw_run_integer<Real>::bits(fma(x, y, cw_run_integer<Real>::magic())));
    } else {
      sum = fma(x, y, sum);
    }
  }
  /* The words p[0 .. p_words) by 16-byte loads: a load is a load, however wide. */
  __device__ __forceinline__ static void load_steps(const Real *p, Real out[shape::p_words]) {
    typedef typename std::conditional<sizeof(Real) == 4, float4, double2>::type vector;
    const int step = 16 / (int)sizeof(Real);
#pragma unroll
    for (int n = 0; n < shape::p_words; n += step) {
      const vector v = *(const vector *)(p + n);
      out[n] = v.x;
      out[n + 1] = v.y;
      if constexpr (sizeof(Real) == 4) {
        out[n + 2] = v.z;
        out[n + 3] = v.w;
      }
    }
  }
  /* The pair (T, E) of node n. */
  typedef typename std::conditional<sizeof(Real) == 4, float2, double2>::type Pair;
  __device__ __forceinline__ static Pair load_pair(const Real *te, int n) {
    return *(const Pair *)(te + 2 * n);
  }
  __device__ __forceinline__ void accumulate(const Real *stage, int lane) {
    const Real *p = stage, *te = stage + DIM * shape::p_words;
    count++;
    Real P[DIM == 3 ? 3 : 1][shape::p_words];
    if constexpr (DIM == 3)
#pragma unroll
      for (int c = 0; c < 3; c++)
        load_steps(p + c * shape::p_words, P[c]);
#pragma unroll
    for (int l = 0; l < shape::pairs_a_lane; l++) {
      int pair = lane + 32 * l;
      if (shape::pairs % 32 && pair >= shape::pairs) pair = 0; /* its sums are not flushed */
      const int a = DIM == 1 ? pair : pair % shape::window, b = pair / shape::window;
      if constexpr (DIM == 3) {
        const Real *te2 = te + 2 * shape::window, *te3 = te2 + 2 * shape::window;
        const Pair xa = load_pair(te, a), ya = load_pair(te2, a), yb = load_pair(te2, b),
                   zb = load_pair(te3, b);
        const Real yz = ya.x * zb.x + ya.y * zb.y, xz = xa.x * zb.x + xa.y * zb.y,
                   xy = xa.x * yb.x + xa.y * yb.y;
#pragma unroll
        for (int n = 0; n < shape::steps; n++) {
          add(sum[l][n], P[0][n], yz);
          add(sum[l][shape::steps + n], P[1][n], xz);
          add(sum[l][2 * shape::steps + n], P[2][n], xy);
        }
      } else if constexpr (DIM == 2) {
        const Real *te2 = te + 2 * shape::window;
        const Real flow = te2[2 * shape::window];
        /* a lane of the last node along an axis has no P there: p_words pads it, not flushed */
        const int pa = a < shape::steps ? a : 0, pb = b < shape::steps ? b : 0;
        const Pair x = load_pair(te, a), y = load_pair(te2, b);
        add(sum[l][0], p[pa], y.x);
        add(sum[l][1], p[shape::p_words + pb], x.x);
        add(sum[l][2], flow, x.x * y.x + x.y * y.y);
      } else {
        const Real *flow = te + 2 * shape::window;
        const int pa = a < shape::steps ? a : 0;
        add(sum[l][0], p[pa], (Real)1);
        add(sum[l][1], flow[0], te[2 * a]);
        add(sum[l][2], flow[1], te[2 * a]);
      }
    }
  }
  __device__ __forceinline__ void give(Scratch *place, Sum value) {
    if constexpr (fixed) {
      typedef typename std::make_unsigned<Integer>::type U;
      const Integer rounded =
          (Integer)((U)value - (U)count * (U)cw_run_integer<Real>::bits(cw_run_integer<Real>::magic()));
      if (rounded != 0) cw_sink_add(place, (Scratch)rounded);
    } else if (value != 0) {
      cw_sink_add(place, value);
    }
  }
  /* Adds the registers to the scratch window at `at`. */
  __device__ __forceinline__ void flush(Scratch *const component[3], const int stride[3], int at,
                                        int lane) {
    if (count == 0) return;
#pragma unroll
    for (int l = 0; l < shape::pairs_a_lane; l++) {
      const int pair = lane + 32 * l;
      if (pair >= shape::pairs) continue;
      const int a = DIM == 1 ? pair : pair % shape::window, b = pair / shape::window;
      if constexpr (DIM == 3) {
        const int yz = at + a * stride[1] + b * stride[2], xz = at + a + b * stride[2],
                  xy = at + a + b * stride[1];
#pragma unroll
        for (int n = 0; n < shape::steps; n++) {
          give(component[0] + yz + n, sum[l][n]);
          give(component[1] + xz + n * stride[1], sum[l][shape::steps + n]);
          give(component[2] + xy + n * stride[2], sum[l][2 * shape::steps + n]);
        }
      } else {
        const int xy = at + a + (DIM == 2 ? b * stride[1] : 0);
        if (a < shape::steps) give(component[0] + xy, sum[l][0]);
        if (DIM == 1 || b < shape::steps) give(component[1] + xy, sum[l][1]);
        give(component[2] + xy, sum[l][2]);
      }
    }
    clear();
  }
};

#endif
