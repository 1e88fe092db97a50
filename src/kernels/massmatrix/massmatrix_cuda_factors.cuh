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

/* Moments along an axis; one that is not simulated counts its only node with weight 1. */
template <int ORDER>
static __device__ __forceinline__ void cw_mm_axis_moments(bool simulated, double x, double *m) {
  cw_mm_moments_device(ORDER, x, m);
  if (simulated)
    return;
#pragma unroll
  for (int i = 0; i < 2 * ORDER + 1; i++)
    m[i] = 0;
  m[0] = ORDER == 1 ? 1 : -4; /* TSC: of the combinations in use, only w1 and w1 w1 are 1 then */
  m[1] = ORDER == 1 ? 0 : 1;
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

/* A slot's values as they were read: floats are converted when they are used, so that a read ahead
 * is not waited for. */
struct cw_mm_raw {
  double x[3], u[3], q, gamma;
  int32_t i[3];
  uint32_t slot;
  bool live;
};

static __device__ __forceinline__ double cw_mm_fetch(const void *array, bool is_double,
                                                     uint32_t slot) {
  if (is_double)
    return ((const double *)array)[slot];
  return __hiloint2double(0, ((const int *)array)[slot]);
}
static __device__ __forceinline__ double cw_mm_value(double raw, bool is_double) {
  return is_double ? raw : (double)__int_as_float(__double2loint(raw));
}

/* Reads the particle at place `at`; `inside`: there is one for this lane. */
template <bool TENSOR>
static __device__ __forceinline__ void cw_mm_read(const cw_mm_device_job &d, uint32_t at,
                                                  bool inside, cw_mm_raw *raw) {
  const cw_particles_view &view = d.job.particles;
  const bool is_double = view.precision == CW_DOUBLE;
#pragma unroll
  for (int a = 0; a < 3; a++)
    raw->x[a] = raw->u[a] = 0, raw->i[a] = 0;
  raw->q = raw->gamma = 0;
  raw->slot = 0;
  raw->live = inside;
  if (!inside)
    return;
  const uint32_t slot = raw->slot = d.slots ? d.slots[at] : at;
  if (view.tag)
    raw->live = view.tag[slot] != CW_TAG_DEAD;
  if (!raw->live)
    return; /* its values may be anything */
#pragma unroll
  for (int a = 0; a < 3; a++)
    if (a < d.job.dim) {
      raw->i[a] = view.i[a][slot];
      raw->x[a] = cw_mm_fetch(view.dx[a], is_double, slot);
    }
  const void *amount = !TENSOR && d.job.coefficient ? d.job.coefficient : view.weight;
  if (amount)
    raw->q = cw_mm_fetch(amount, is_double, slot);
  if constexpr (TENSOR) {
#pragma unroll
    for (int a = 0; a < 3; a++)
      raw->u[a] = cw_mm_fetch(view.u[a], is_double, slot);
    if (d.job.gamma && d.job.relativistic)
      raw->gamma = cw_mm_fetch(d.job.gamma, is_double, slot);
  }
}

/* A particle's place as b_a or beta take it, and its amount; 0 for lanes without one. Tells faults,
 * and particles of other bins. */
template <int ORDER, bool TENSOR>
static __device__ __forceinline__ double cw_mm_place(const cw_mm_device_job &d,
                                                     const cw_mm_raw &raw, const int32_t bin[3],
                                                     double x[3]) {
  const bool is_double = d.job.particles.precision == CW_DOUBLE;
  bool right = true, here = true;
#pragma unroll
  for (int a = 0; a < 3; a++) {
    x[a] = cw_mm_value(raw.x[a], is_double);
    if (a >= d.job.dim)
      continue;
    right = right && x[a] >= 0 && x[a] <= 1;
    const int upper = ORDER == 2 && x[a] >= 0.5;
    here = here && raw.i[a] + upper == bin[a] &&
           (ORDER == 1 || (raw.i[a] >= 0 && raw.i[a] < d.cells[a]));
    if (ORDER == 2)
      x[a] = upper ? x[a] - 0.5 : x[a] + 0.5;
  }
  if (!raw.live) {
    x[0] = x[1] = x[2] = 0;
    return 0;
  }
  if (!right)
    cw_mm_fault(d.status, CW_MM_FAULT_OFFSET, raw.slot);
  if (!here)
    d.status->misplaced = 1;
  const bool amounts = (!TENSOR && d.job.coefficient) || d.job.particles.weight;
  return d.job.scale * (amounts ? cw_mm_value(raw.q, is_double) : 1.0);
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
template <int ORDER>
static __device__ __forceinline__ void cw_mm_make_columns(const cw_mm_device_job &d,
                                                          const cw_mm_raw &raw, double q,
                                                          const double *field, const double x[3],
                                                          double column[CW_MM_COLUMNS]) {
  const bool is_double = d.job.particles.precision == CW_DOUBLE;
  const int nodes = (ORDER + 1) * (ORDER + 1) * (ORDER + 1);
  double u[3], w[3];
#pragma unroll
  for (int a = 0; a < 3; a++)
    u[a] = cw_mm_value(raw.u[a], is_double);
  double amount = q;
#pragma unroll
  for (int c = 0; c < 3; c++)
    w[c] = d.job.B[0] ? cw_mm_polynomial<ORDER>(field + c * nodes, x) : 0.0;
  if (d.job.relativistic) {
    const double square = 1 + (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) * d.job.inverse_c2;
    const double gamma = !raw.live     ? 1.0
                         : d.job.gamma ? cw_mm_value(raw.gamma, is_double)
                                       : sqrt(square);
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

/* omega B at the nodes of a bin, a warp's lanes together: values n, n + 32, ... of 3 x nodes. */
template <int ORDER> struct cw_mm_nodal {
  static const int nodes = (ORDER + 1) * (ORDER + 1) * (ORDER + 1), values = 3 * nodes;
  static const int each = (values + 31) / 32;
  double value[each];

  __device__ __forceinline__ void fetch(const cw_mm_device_job &d, const int32_t bin[3], int lane) {
    if (!d.job.B[0])
      return;
#pragma unroll
    for (int e = 0; e < each; e++) {
      const int n = lane + 32 * e;
      if (n >= values)
        continue;
      int rest = n % nodes;
      int64_t at = 0;
#pragma unroll
      for (int a = 0; a < 3; a++, rest /= ORDER + 1)
        if (a < d.job.dim)
          at += (int64_t)(bin[a] - (ORDER - 1) + rest % (ORDER + 1)) * d.job.stride[a];
      value[e] = d.job.omega * d.job.B[n / nodes][at];
    }
  }
  /* The polynomial's coefficients into `field`, axis by axis. */
  __device__ __forceinline__ void store(const cw_mm_device_job &d, double *field, int lane) const {
    if (!d.job.B[0])
      return;
    __syncwarp();
#pragma unroll
    for (int e = 0; e < each; e++)
      if (lane + 32 * e < values)
        field[lane + 32 * e] = value[e];
    const int lines = values / (ORDER + 1);
#pragma unroll
    for (int a = 0, step = 1; a < 3; a++, step *= ORDER + 1) {
      __syncwarp();
      if (lane >= lines)
        continue; /* 12 or 27 lines, a lane each */
      double *c = field + lane % step + lane / step * step * (ORDER + 1);
      const double n0 = c[0], n1 = c[step];
      if constexpr (ORDER == 1) {
        c[step] = n1 - n0;
      } else { /* w = ((1 - x)^2 / 2, 1/2 + x (1 - x), x^2 / 2) */
        const double n2 = c[2 * step];
        c[0] = 0.5 * (n0 + n1);
        c[step] = n1 - n0;
        c[2 * step] = 0.5 * (n0 + n2) - n1;
      }
    }
    __syncwarp();
  }
};

#endif
