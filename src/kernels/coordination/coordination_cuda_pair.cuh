/* One pair on the device: s and the slope h from the squared distance. Constant factors of both
 * are left to the end of the sum: value = scale s + shift, g = s'(r)/r = slope h. */
#ifndef CW_KERNELS_COORDINATION_CUDA_PAIR_CUH
#define CW_KERNELS_COORDINATION_CUDA_PAIR_CUH

#include "kernels/coordination/coordination_cuda_job.cuh"

#pragma nv_diag_suppress 550 /* operands that one operation of many does not use */
#define CW_BODY           static __device__ inline
#define CW_LANES          1
#define CW_EACH_LANE      for (int l = 0; l < CW_LANES; l++)
#define CW_REAL_IS_DOUBLE 0
#include "base/real.h"
#define CW_MATH(name) name##f
#include "kernels/coordination/switching_body.h"
#undef CW_REAL_IS_DOUBLE
#undef CW_MATH
#define CW_REAL_IS_DOUBLE 1
#include "base/real.h"
#define CW_MATH(name) name
#include "kernels/coordination/switching_body.h"
#undef CW_MATH

/* 1/x for finite x >= the smallest normal number: one instruction in single precision (1 ulp); in
 * double the unit's 20 bits and two Newton steps. */
static __device__ __forceinline__ float cw_reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
static __device__ __forceinline__ double cw_reciprocal(double x) {
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  y = fma(fma(-x, y, 1.0), y, y);
  return fma(fma(-x, y, 1.0), y, y);
}

static __device__ inline void cw_switching_one(const cw_switching *p, float r2, float *s,
                                               float *h) {
  cw_switching_lanes_f32(p, &r2, s, h);
}
static __device__ inline void cw_switching_one(const cw_switching *p, double r2, double *s,
                                               double *h) {
  cw_switching_lanes_f64(p, &r2, s, h);
}
/* Every function with its branches, once in a kernel. */
template <class Real>
static __device__ __noinline__ void cw_switching_any(const cw_switching *p, Real r2, Real *s,
                                                     Real *h) {
  cw_switching_one(p, r2, s, h);
}

/* 1/(1 + (r/r_0)^6) = k / (k + r^6), k = r_0^6; k and range^6 within what cw_send_away needs. */
template <class Real> struct cw_pair_sixth {
  static const bool cheap = true; /* evaluated for every candidate, and dropped */
  static const bool compare_ids = false;
  Real k, scale, shift, slope;
  __device__ __forceinline__ void operator()(Real r2, Real *s, Real *h) const {
    const Real r4 = r2 * r2, y = cw_reciprocal(r4 * r2 + k);
    *s = y;
    *h = r4 * (y * y);
  }
};

/* 1/(1 + u^n), u = (r/r_0)^2, n >= 1. */
template <class Real> struct cw_pair_even {
  static const bool cheap = true;
  static const bool compare_ids = true;
  Real inverse2, scale, shift, slope;
  int n;
  __device__ __forceinline__ void operator()(Real r2, Real *s, Real *h) const {
    const Real u = r2 * inverse2;
    Real below = 1, base = u;
    for (int k = n - 1; k > 0; k >>= 1) {
      if (k & 1)
        below *= base;
      base *= base;
    }
    const Real y = cw_reciprocal(below * u + 1);
    *s = y;
    *h = below * (y * y);
  }
};

template <class Real> struct cw_pair_any {
  static const bool cheap = false;
  static const bool compare_ids = true;
  Real scale, shift, slope;
  cw_switching switching;
  __device__ __forceinline__ void operator()(Real r2, Real *s, Real *h) const {
    cw_switching_any(&switching, r2 > 0 ? r2 : 0, s, h);
  }
};

/* s and h of a candidate, 0 where it does not count; pairs counts it, and farthest becomes the
 * largest squared distance that counted (in single precision, where it is looked at). */
template <class Real, class Pair>
static __device__ __forceinline__ void cw_pair_masked(const Pair &pair, Real r2, Real range2,
                                                      bool other, Real *s, Real *h, int *pairs,
                                                      Real *farthest) {
  const bool counts = r2 <= range2 && other;
  *s = *h = 0;
  if (Pair::cheap) {
    Real s_any, h_any;
    pair(r2, &s_any, &h_any);
    *s = counts ? s_any : (Real)0;
    *h = counts ? h_any : (Real)0;
  } else if (counts) {
    pair(r2, s, h);
  }
  *pairs += counts;
  if (sizeof(Real) < sizeof(double) && counts)
    *farthest = r2 > *farthest ? r2 : *farthest;
}

/* One comparison decides all: a candidate beyond the range is moved to where s is negligible and h
 * underflows to 0. The compiler would spend three instructions on the count. */
static __device__ __forceinline__ float cw_send_away(float r2, float range2, int *pairs,
                                                     float *farthest) {
  asm("{\n .reg .pred p;\n setp.le.f32 p, %3, %4;\n selp.f32 %0, %3, %5, p;\n"
      " @p add.s32 %1, %1, 1;\n @p max.f32 %2, %2, %3;\n}"
      : "=&f"(r2), "+r"(*pairs), "+f"(*farthest)
      : "f"(r2), "f"(range2), "f"(1e12f));
  return r2;
}
static __device__ __forceinline__ double cw_send_away(double r2, double range2, int *pairs,
                                                      double *) {
  asm("{\n .reg .pred p;\n setp.le.f64 p, %2, %3;\n selp.f64 %0, %2, %4, p;\n"
      " @p add.s32 %1, %1, 1;\n}"
      : "=d"(r2), "+r"(*pairs)
      : "d"(r2), "d"(range2), "d"(1e60));
  return r2;
}
template <class Real>
static __device__ __forceinline__ void cw_pair_masked(const cw_pair_sixth<Real> &pair, Real r2,
                                                      Real range2, bool, Real *s, Real *h,
                                                      int *pairs, Real *farthest) {
  pair(cw_send_away(r2, range2, pairs, farthest), s, h);
}

#endif
