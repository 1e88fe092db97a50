/* The energy-conserving engine's loops on a device: a thread a particle or a node. */
#include "base/device_cuda.cuh"
#include "engine/ecsim_cuda.h"
#include "engine/engine_cuda.h"

namespace {

struct arrays {
  const double *E[3], *B[3];
};

__global__ void __launch_bounds__(CW_THREADS)
    pack_nodes(int64_t points, const __grid_constant__ arrays from, double *nodes) {
  cw_grid_stride(k, points) {
    double *node = nodes + CW_ECSIM_NODE * k;
#pragma unroll
    for (int c = 0; c < 3; c++) {
      node[c] = from.E[c][k];
      node[CW_ECSIM_NODE / 2 + c] = from.B[c][k];
    }
  }
}

template <int order, int dim>
__global__ void __launch_bounds__(CW_THREADS)
    move(const __grid_constant__ cw_ecsim_move_job job, cw_fault_word *faults) {
  cw_grid_stride(p, job.particles.count) {
    if (job.particles.tag && job.particles.tag[p] == CW_TAG_DEAD)
      continue;
    if (!cw_ecsim_move_one(&job, order, dim, p))
      cw_fault_report(faults, CW_FAULT_OUTSIDE, p);
  }
}

template <int order, int dim>
__global__ void __launch_bounds__(CW_THREADS)
    predict(const __grid_constant__ cw_ecsim_move_job job, cw_fault_word *) {
  cw_grid_stride(p, job.particles.count) {
    const bool dead = job.particles.tag && job.particles.tag[p] == CW_TAG_DEAD;
    job.gamma[p] = dead ? 1 : cw_ecsim_predict_one(&job, order, dim, p);
  }
}

typedef void particle_kernel(const cw_ecsim_move_job, cw_fault_word *);

/* kernels: by order - 1 and dim - 1. */
cw_status launch(cw_context *context, const char *name, particle_kernel *const kernels[2][3],
                 int order, const cw_ecsim_move_job *job) {
  const int64_t count = job->particles.count;
  if (count == 0)
    return CW_OK;
  CW_CUDA_LAUNCH_NAMED(context, name, kernels[order - 1][job->grid.dim - 1],
                       cw_cuda_blocks(context, count, CW_THREADS), CW_THREADS, 0, *job,
                       cw_device_fault(context));
  return CW_OK;
}

struct join {
  __device__ static cw_ecsim_sum of(cw_ecsim_sum a, cw_ecsim_sum b) {
    cw_ecsim_join(&a, &b);
    return a;
  }
};

/* parts: sum, lost and number of each block. */
__global__ void __launch_bounds__(CW_THREADS)
    sum_particles(const __grid_constant__ cw_particles_view view, int what, double *parts) {
  cw_ecsim_sum mine = {0, 0}, alive = {0, 0};
  cw_grid_stride(p, view.count) {
    if (view.tag && view.tag[p] == CW_TAG_DEAD)
      continue;
    cw_ecsim_add(&mine, cw_ecsim_summand(&view, what, p));
    alive.sum += 1;
  }
  mine = cw_over_block<join>(mine, threadIdx.x);
  alive = cw_over_block<join>(alive, threadIdx.x);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = mine.sum + mine.lost;
    parts[CW_ENERGY_PARTS + blockIdx.x] = alive.sum;
  }
}

/* A block a quantity. */
__global__ void __launch_bounds__(CW_THREADS) sum_parts(const double *parts, double *results) {
  cw_ecsim_sum mine = {0, 0};
  for (int k = threadIdx.x; k < CW_ENERGY_PARTS; k += CW_THREADS)
    cw_ecsim_add(&mine, parts[blockIdx.x * CW_ENERGY_PARTS + k]);
  mine = cw_over_block<join>(mine, threadIdx.x);
  if (threadIdx.x == 0)
    results[blockIdx.x] = mine.sum + mine.lost;
}

struct places {
  int32_t *i[3];
  double *dx[3];
};

__global__ void __launch_bounds__(CW_THREADS) shift(const __grid_constant__ cw_particles_view view,
                                                    int dim, const __grid_constant__ places to) {
  cw_grid_stride(p, view.count) for (int a = 0; a < dim; a++)
      cw_ecsim_shift_place(&view, a, p, &to.i[a][p], &to.dx[a][p]);
}

} // namespace

cw_status cw_ecsim_pack_nodes_cuda(cw_context *context, int64_t points, const double *const E[3],
                                   const double *const B[3], double *nodes) {
  arrays from;
  for (int c = 0; c < 3; c++)
    from.E[c] = E[c], from.B[c] = B[c];
  CW_CUDA_LAUNCH(context, pack_nodes, cw_cuda_blocks(context, points, CW_THREADS), CW_THREADS, 0,
                 points, from, nodes);
  return CW_OK;
}

cw_status cw_ecsim_move_cuda(cw_context *context, int order, const cw_ecsim_move_job *job) {
  static particle_kernel *const kernels[2][3] = {{move<1, 1>, move<1, 2>, move<1, 3>},
                                                 {move<2, 1>, move<2, 2>, move<2, 3>}};
  return launch(context, "ecsim mover", kernels, order, job);
}

cw_status cw_ecsim_predict_cuda(cw_context *context, int order, const cw_ecsim_move_job *job) {
  static particle_kernel *const kernels[2][3] = {{predict<1, 1>, predict<1, 2>, predict<1, 3>},
                                                 {predict<2, 1>, predict<2, 2>, predict<2, 3>}};
  return launch(context, "ecsim mean gamma", kernels, order, job);
}

cw_status cw_ecsim_sum_cuda(cw_context *context, const cw_particles_view *particles, int what,
                            double *work, double *sum, int64_t *alive) {
  double found[2], *results = work + 2 * CW_ENERGY_PARTS;
  CW_CUDA_LAUNCH(context, sum_particles, CW_ENERGY_PARTS, CW_THREADS, 0, *particles, what, work);
  CW_CUDA_LAUNCH(context, sum_parts, 2, CW_THREADS, 0, (const double *)work, results);
  CW_TRY(cw_device_read(context, found, results, sizeof found));
  *sum = found[0];
  *alive = (int64_t)found[1];
  return CW_OK;
}

cw_status cw_ecsim_shift_cuda(cw_context *context, const cw_particles_view *particles, int dim,
                              int32_t *const i[3], double *const dx[3]) {
  places to = {};
  if (particles->count == 0)
    return CW_OK;
  for (int a = 0; a < dim; a++)
    to.i[a] = i[a], to.dx[a] = dx[a];
  CW_CUDA_LAUNCH(context, shift, cw_cuda_blocks(context, particles->count, CW_THREADS), CW_THREADS,
                 0, *particles, dim, to);
  return CW_OK;
}
