/* Particle by particle into the matrix, every order: a thread a particle, an atomic addition for
 * each entry and component. The order of the additions, and with it the last bits, differ from run
 * to run. */
#include "kernels/massmatrix/massmatrix_cuda_factors.cuh"
#include "kernels/massmatrix/massmatrix_cuda_launch.cuh"

#include "kernels/shape_body.h"

enum { NODES = CW_MASSMATRIX_MAX_ORDER + 1 };

struct spread {
  double w[3][NODES]; /* weights along the axes; one node along those that are not simulated */
  int nodes[3];
  int64_t first; /* the lowest node */
};

template <int ORDER, class Real>
static __device__ __forceinline__ void find_weights(const cw_mm_device_job &d,
                                                    const cw_mm_raw<Real> &raw, spread *s) {
  const int order = ORDER ? ORDER : d.job.order;
  s->first = 0;
#pragma unroll
  for (int a = 0; a < 3; a++) {
    s->nodes[a] = a < d.job.dim ? order + 1 : 1;
    s->w[a][0] = 1;
    if (a >= d.job.dim)
      continue;
    int first;
    cw_shape_weights_f64(order, (double)raw.x[a], &first, s->w[a]);
    s->first += (raw.i[a] + first) * d.job.stride[a];
  }
}

template <int ORDER>
static __device__ __forceinline__ double gather_field(const cw_mm_device_job &d, const spread &s,
                                                      const double *field) {
  double sum = 0;
  for (int k = 0; k < s.nodes[2]; k++)
    for (int j = 0; j < s.nodes[1]; j++) {
      double row = 0;
      const int64_t at = s.first + j * d.job.stride[1] + k * d.job.stride[2];
      for (int i = 0; i < s.nodes[0]; i++)
        row += s.w[0][i] * field[at + i];
      sum += s.w[2][k] * s.w[1][j] * row;
    }
  return sum;
}

template <int ORDER, class Real>
static __device__ __forceinline__ void find_columns(const cw_mm_device_job &d,
                                                    const cw_mm_raw<Real> &raw, const spread &s,
                                                    double column[13]) {
  const double q = d.job.scale * (double)raw.q;
  double u[3], w[3], factor = 1;
  for (int a = 0; a < 3; a++)
    u[a] = (double)raw.u[a];
  if (d.job.relativistic)
    factor =
        1 / (d.job.gamma ? (double)raw.gamma
                         : sqrt(1 + (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) * d.job.inverse_c2));
  for (int c = 0; c < 3; c++)
    w[c] = d.job.B[c] ? d.job.omega * factor * gather_field<ORDER>(d, s, d.job.B[c]) : 0.0;
  cw_mm_alpha_device(w, q * factor, column);
  for (int a = 0; a < 3; a++)
    column[9 + a] = column[3 * a] * u[0] + column[3 * a + 1] * u[1] + column[3 * a + 2] * u[2];
  column[12] = q;
  for (int c = 0; c < 9; c++)
    column[c] *= d.job.beta;
}

/* Each unordered pair along each axis once: (a, b) to row b - a at node a. */
template <int ORDER, class T>
static __device__ __forceinline__ void add_pairs(const cw_mm_device_job &d, const spread &s,
                                                 const double *column) {
  const int order = ORDER ? ORDER : d.job.order, components = d.job.components;
  const int64_t *stride = d.job.stride;
  for (int k = 0; k < s.nodes[2]; k++)
    for (int c = k; c < s.nodes[2]; c++)
      for (int j = 0; j < s.nodes[1]; j++)
        for (int b = j; b < s.nodes[1]; b++) {
          const double plane = s.w[2][k] * s.w[2][c] * (s.w[1][j] * s.w[1][b]);
          const int64_t line = s.first + j * stride[1] + k * stride[2];
          for (int i = 0; i < s.nodes[0]; i++)
            for (int a = i; a < s.nodes[0]; a++) {
              const double value = plane * (s.w[0][i] * s.w[0][a]);
              const int64_t entry = a - i + (order + 1) * (b - j + (int64_t)(order + 1) * (c - k));
              T *to = (T *)d.job.values + entry * components * d.job.points + line + i;
              for (int q = 0; q < components; q++)
                atomicAdd(to + q * d.job.points, (T)(value * column[q]));
            }
        }
}

static __device__ __forceinline__ void add_nodes(const cw_mm_device_job &d, const spread &s,
                                                 const double *column) {
  for (int k = 0; k < s.nodes[2]; k++)
    for (int j = 0; j < s.nodes[1]; j++)
      for (int i = 0; i < s.nodes[0]; i++) {
        const double weight = s.w[2][k] * s.w[1][j] * s.w[0][i];
        const int64_t at = s.first + i + j * d.job.stride[1] + k * d.job.stride[2];
        for (int a = 0; a < 3; a++)
          if (d.job.J[a])
            atomicAdd(d.job.J[a] + at, weight * column[9 + a]);
        if (d.job.rho)
          atomicAdd(d.job.rho + at, weight * column[12]);
      }
}

template <int ORDER, class T, class Real>
static __global__ void __launch_bounds__(CW_THREADS)
    add_particles(const __grid_constant__ cw_mm_device_job d) {
  const bool tensor = d.job.components == 9;
  cw_grid_stride(n, d.job.particles.count) {
    cw_mm_raw<Real> raw = {};
    if (tensor)
      cw_mm_read<true>(d, (uint32_t)n, true, &raw);
    else
      cw_mm_read<false>(d, (uint32_t)n, true, &raw);
    if (!raw.live)
      continue;
    spread s;
    double column[13];
    find_weights<ORDER>(d, raw, &s);
    if (tensor) {
      find_columns<ORDER>(d, raw, s, column);
      add_nodes(d, s, column);
    } else {
      column[0] = d.job.scale * (double)raw.q;
    }
    add_pairs<ORDER, T>(d, s, column);
  }
}

template <class T, class Real>
static cw_status launch(cw_context *context, const cw_mm_device_job *job) {
  const unsigned blocks = cw_cuda_blocks(context, job->job.particles.count, CW_THREADS);
  const char *name = "mass matrix by atomics";
  if (job->job.order == 1)
    CW_CUDA_LAUNCH_NAMED(context, name, (add_particles<1, T, Real>), blocks, CW_THREADS, 0, *job);
  else if (job->job.order == 2)
    CW_CUDA_LAUNCH_NAMED(context, name, (add_particles<2, T, Real>), blocks, CW_THREADS, 0, *job);
  else
    CW_CUDA_LAUNCH_NAMED(context, name, (add_particles<0, T, Real>), blocks, CW_THREADS, 0, *job);
  return CW_OK;
}

template <class T> static cw_status launch_of(cw_context *context, const cw_mm_device_job *job) {
  return job->job.particles.precision == CW_DOUBLE ? launch<T, double>(context, job)
                                                   : launch<T, float>(context, job);
}

cw_status cw_mm_naive_cuda(cw_context *context, const cw_mm_device_job *job) {
  return job->is_double ? launch_of<double>(context, job) : launch_of<float>(context, job);
}
