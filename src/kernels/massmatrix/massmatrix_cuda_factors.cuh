/* One particle of a bin in one lane: read, checked, and its factors in double, whatever the format
 * of the products: B at its place, alpha, the 13 columns. Shared by all forms. */
#ifndef CW_KERNELS_MASSMATRIX_CUDA_FACTORS_CUH
#define CW_KERNELS_MASSMATRIX_CUDA_FACTORS_CUH

#include "kernels/massmatrix/massmatrix_cuda_job.cuh"

/* a / b for normal b >= 1: a guess of 20 bits and one cubic step leave 60; a is any number. */
static __device__ __forceinline__ double cw_mm_divide(double a, double b) {
#ifdef __CUDA_ARCH__
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(b));
  const double e = fma(-b, y, 1.0);
  y = fma(y, fma(e, e, e), y);
  return a * y;
#else
  return a / b;
#endif
}

#define cw_lane            double
#define CW_MM_LANE(name)   name##_device
#define CW_MM_DIVIDE(a, b) cw_mm_divide(a, b)
#define CW_BODY            static __device__ __forceinline__
#define CW_REAL_IS_DOUBLE  1
#include "base/real.h"
#include "kernels/massmatrix/massmatrix_body.h"
#undef cw_lane

/* A slot's values in the particles' precision: converted when they are used, so that a read ahead
 * is not waited for. Without a particle (`live` 0) the amount counts as 0. */
template <class Real> struct cw_mm_raw {
  Real x[3], u[3], q, gamma;
  int32_t i[3];
  uint32_t slot;
  bool live;
};

/* Reads the particle at place `at`, which exists even where it is not to be counted. */
template <bool TENSOR, class Real>
static __device__ __forceinline__ void cw_mm_read(const cw_mm_device_job &d, uint32_t at, bool live,
                                                  cw_mm_raw<Real> *raw) {
  const cw_particles_view &view = d.job.particles;
  const uint32_t slot = raw->slot = d.slots ? d.slots[at] : at;
#pragma unroll
  for (int a = 0; a < 3; a++) {
    raw->i[a] = a < d.job.dim ? view.i[a][slot] : 0;
    raw->x[a] = a < d.job.dim ? ((const Real *)view.dx[a])[slot] : (Real)0;
  }
  const Real *amount =
      (const Real *)(!TENSOR && d.job.coefficient ? d.job.coefficient : view.weight);
  raw->q = amount ? amount[slot] : (Real)1;
  if constexpr (TENSOR) {
#pragma unroll
    for (int a = 0; a < 3; a++)
      raw->u[a] = ((const Real *)view.u[a])[slot];
    if (d.job.relativistic && d.job.gamma)
      raw->gamma = ((const Real *)d.job.gamma)[slot];
  }
  raw->live = live && (!view.tag || view.tag[slot] != CW_TAG_DEAD);
}

/* x is in [0, 1]. Nearly always it is below 1, which the upper word tells. */
static __device__ __forceinline__ bool cw_mm_offset_is_right(double x) {
  return (uint32_t)__double2hiint(x) < 0x3ff00000u || (x >= 0 && x <= 1);
}
static __device__ __forceinline__ bool cw_mm_offset_is_right(float x) {
  return x >= 0 && x <= 1;
}

/* A particle's place as b_a or beta take it, and its amount; 0 for lanes without one. Tells faults,
 * and particles of other bins. */
template <int ORDER, class Real>
static __device__ __forceinline__ double cw_mm_place(const cw_mm_device_job &d,
                                                     const cw_mm_raw<Real> &raw,
                                                     const int32_t bin[3], double x[3]) {
  bool right = true, here = true;
#pragma unroll
  for (int a = 0; a < 3; a++) {
    x[a] = (double)raw.x[a];
    if (a >= d.job.dim)
      continue;
    right = right && cw_mm_offset_is_right(raw.x[a]);
    const int upper = ORDER == 2 && raw.x[a] >= (Real)0.5;
    here = here && raw.i[a] + upper == bin[a];
    if (ORDER == 2) {
      here = here && raw.i[a] >= 0 && raw.i[a] < d.cells[a];
      x[a] = upper ? x[a] - 0.5 : x[a] + 0.5;
    }
  }
  if (raw.live && !right)
    cw_mm_fault(d.status, CW_MM_FAULT_OFFSET, raw.slot);
  if (raw.live && !here)
    d.status->misplaced = 1;
  if (d.job.particles.tag && !raw.live)
    x[0] = x[1] = x[2] = 0; /* a dead slot's values may be anything */
  return raw.live ? d.job.scale * (double)raw.q : 0.0;
}

/* B of one component as a polynomial of the place, axis 0 fastest in `field`. */
template <int ORDER>
static __device__ __forceinline__ double cw_mm_polynomial(const double *field, const double x[3]) {
  double sum = 0;
#pragma unroll
  for (int k = ORDER; k >= 0; k--) {
    double plane = 0;
#pragma unroll
    for (int j = ORDER; j >= 0; j--) {
      const double *c = field + (ORDER + 1) * (j + (ORDER + 1) * k);
      double row = c[ORDER];
      if constexpr (ORDER == 1) { /* one access */
        const double2 both = *(const double2 *)c;
        row = fma(both.y, x[0], both.x);
      } else {
#pragma unroll
        for (int i = ORDER - 1; i >= 0; i--)
          row = fma(row, x[0], c[i]);
      }
      plane = j == ORDER ? row : fma(plane, x[1], row);
    }
    sum = k == ORDER ? plane : fma(sum, x[2], plane);
  }
  return sum;
}

/* The columns without beta: q alpha (9), q alpha u, q. */
template <int ORDER, class Real>
static __device__ __forceinline__ void cw_mm_make_columns(const cw_mm_device_job &d,
                                                          const cw_mm_raw<Real> &raw, double q,
                                                          const double *field, const double x[3],
                                                          double column[CW_MM_COLUMNS]) {
  const int nodes = (ORDER + 1) * (ORDER + 1) * (ORDER + 1);
  double u[3], w[3] = {0, 0, 0};
#pragma unroll
  for (int a = 0; a < 3; a++)
    u[a] = (double)raw.u[a];
  if (d.job.particles.tag && !raw.live)
    u[0] = u[1] = u[2] = 0;
  double amount = q;
  if (d.job.B[0]) {
#pragma unroll
    for (int c = 0; c < 3; c++)
      w[c] = cw_mm_polynomial<ORDER>(field + c * nodes, x);
  }
  if (d.job.relativistic) {
    const double square = 1 + (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) * d.job.inverse_c2;
    const double gamma = !raw.live ? 1.0 : d.job.gamma ? (double)raw.gamma : sqrt(square);
    const double factor = 1 / gamma;
    amount = q * factor;
#pragma unroll
    for (int c = 0; c < 3; c++)
      w[c] *= factor;
  }
  cw_mm_alpha_device(w, amount, column);
#pragma unroll
  for (int a = 0; a < 3; a++)
    column[9 + a] = column[3 * a] * u[0] + column[3 * a + 1] * u[1] + column[3 * a + 2] * u[2];
  column[12] = q;
}

/* omega B at the nodes of a bin, a warp's lanes together: values n, n + 32, ... of 3 x nodes,
 * asked for before they are needed. */
template <int ORDER, int AHEAD> struct cw_mm_nodal {
  static const int nodes = (ORDER + 1) * (ORDER + 1) * (ORDER + 1), values = 3 * nodes;
  static const int each = (values + 31) / 32;
  const double *from[each];  /* at bin 0 of the row */
  double value[AHEAD][each]; /* of the next bin to be stored, ... */

  __device__ __forceinline__ void begin(const cw_mm_device_job &d, const int32_t bin[3], int lane) {
#pragma unroll
    for (int e = 0; e < each; e++) {
      const int n = min(lane + 32 * e, values - 1);
      int rest = n % nodes;
      int64_t at = 0;
#pragma unroll
      for (int a = 0; a < 3; a++, rest /= ORDER + 1)
        if (a < d.job.dim)
          at += (int64_t)((a ? bin[a] : 0) - (ORDER - 1) + rest % (ORDER + 1)) * d.job.stride[a];
      from[e] = d.job.B[0] ? d.job.B[n / nodes] + at : NULL;
#pragma unroll
      for (int k = 0; k + 1 < AHEAD; k++)
        value[k + 1][e] = 0;
    }
  }
  /* Asks for the bin AHEAD - 1 behind the one that is stored next. */
  __device__ __forceinline__ void fetch(const cw_mm_device_job &d, int32_t bin0) {
    if (!d.job.B[0])
      return;
#pragma unroll
    for (int e = 0; e < each; e++) {
#pragma unroll
      for (int k = 0; k + 1 < AHEAD; k++)
        value[k][e] = value[k + 1][e];
      value[AHEAD - 1][e] = from[e][bin0];
    }
  }
  /* The polynomial's coefficients into `field`, axis by axis. */
  __device__ __forceinline__ void store(const cw_mm_device_job &d, double *field, int lane) const {
    if (!d.job.B[0])
      return;
    if constexpr (ORDER == 1) { /* eight lanes have the corners of a component */
      double c = d.job.omega * value[0][0];
#pragma unroll
      for (int step = 1; step < 8; step *= 2) {
        const double other = __shfl_xor_sync(0xffffffffu, c, step);
        c = lane & step ? c - other : c;
      }
      __syncwarp();
      if (lane < values)
        field[lane] = c;
      __syncwarp();
    } else {
      store_by_lines(d, field, lane);
    }
  }
  __device__ __forceinline__ void store_by_lines(const cw_mm_device_job &d, double *field,
                                                 int lane) const {
    __syncwarp();
#pragma unroll
    for (int e = 0; e < each; e++)
      if (lane + 32 * e < values)
        field[lane + 32 * e] = d.job.omega * value[0][e];
    const int lines = values / (ORDER + 1);
#pragma unroll
    for (int a = 0, step = 1; a < 3; a++, step *= ORDER + 1) {
      __syncwarp();
      if (lane >= lines)
        continue; /* 27 lines, a lane each */
      double *c = field + lane % step + lane / step * step * (ORDER + 1);
      const double n0 = c[0], n1 = c[step];
      const double n2 = c[2 * step]; /* w = ((1 - x)^2 / 2, 1/2 + x (1 - x), x^2 / 2) */
      c[0] = 0.5 * (n0 + n1);
      c[step] = n1 - n0;
      c[2 * step] = 0.5 * (n0 + n2) - n1;
    }
    __syncwarp();
  }
};

#endif
