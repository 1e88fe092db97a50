/* Particles of the charge correction on a device: a thread a particle. */
#include "base/device_cuda.cuh"
#include "engine/ecsim_charge_cuda.h"

namespace {

template <int order, int dim>
__global__ void __launch_bounds__(CW_THREADS)
    add_particles(const __grid_constant__ cw_ecsim_charge_job job, unsigned long long *sums) {
  cw_grid_stride(p, job.particles.count) {
    if (!cw_ecsim_is_live(&job.particles, p))
      continue;
    cw_ecsim_charge_pairs pairs;
    const double factor = cw_ecsim_find_pairs(&job, order, dim, p, &pairs);
#pragma unroll(order == 1 ? 3 : 1)
    for (int k = 0; k < pairs.count[2]; k++)
#pragma unroll(order == 1 ? 3 : 1)
      for (int j = 0; j < pairs.count[1]; j++)
#pragma unroll
        for (int i = 0; i < (order + 1) * (order + 2) / 2; i++)
          atomicAdd(sums + cw_ecsim_pair_place(&pairs, i, j, k),
                    (unsigned long long)llrint(cw_ecsim_pair_value(&pairs, factor, i, j, k)));
  }
}

template <int order, int dim>
__global__ void __launch_bounds__(CW_THREADS)
    displace_particles(const __grid_constant__ cw_ecsim_charge_job job, const double *phi) {
  cw_grid_stride(p, job.particles.count) {
    if (cw_ecsim_is_live(&job.particles, p))
      cw_ecsim_displace_one(&job, phi, order, dim, p);
  }
}

__global__ void __launch_bounds__(CW_THREADS) scale_sums(int64_t count, double unit, double *sums) {
  cw_grid_stride(k, count) sums[k] = unit * (double)__double_as_longlong(sums[k]);
}

template <class Array> using kernel = void(const cw_ecsim_charge_job, Array *);

/* kernels: by order - 1 and dim - 1. */
template <class Array>
cw_status launch(cw_context *context, const char *name, kernel<Array> *const kernels[2][3],
                 int order, const cw_ecsim_charge_job *job, Array *array) {
  const int64_t count = job->particles.count;
  if (count == 0)
    return CW_OK;
  CW_CUDA_LAUNCH_NAMED(context, name, kernels[order - 1][job->grid.dim - 1],
                       cw_cuda_blocks(context, count, CW_THREADS), CW_THREADS, 0, *job, array);
  return CW_OK;
}

} // namespace

cw_status cw_ecsim_charge_add_cuda(cw_context *context, int order, const cw_ecsim_charge_job *job,
                                   double *sums) {
  static kernel<unsigned long long> *const kernels[2][3] = {
      {add_particles<1, 1>, add_particles<1, 2>, add_particles<1, 3>},
      {add_particles<2, 1>, add_particles<2, 2>, add_particles<2, 3>}};
  return launch(context, "matrix of the charge correction", kernels, order, job,
                (unsigned long long *)sums);
}

cw_status cw_ecsim_charge_scale_cuda(cw_context *context, int64_t count, double unit,
                                     double *sums) {
  CW_CUDA_LAUNCH(context, scale_sums, cw_cuda_blocks(context, count, CW_THREADS), CW_THREADS, 0,
                 count, unit, sums);
  return CW_OK;
}

cw_status cw_ecsim_charge_displace_cuda(cw_context *context, int order,
                                        const cw_ecsim_charge_job *job, const double *phi) {
  static kernel<const double> *const kernels[2][3] = {
      {displace_particles<1, 1>, displace_particles<1, 2>, displace_particles<1, 3>},
      {displace_particles<2, 1>, displace_particles<2, 2>, displace_particles<2, 3>}};
  return launch(context, "displacement of the charge correction", kernels, order, job, phi);
}
