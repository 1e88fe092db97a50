/* What a source has to know of particles on the device. */
#include "base/device_cuda.cuh"
#include "engine/engine_cuda.h"

namespace {

/* In 2^-20, as on the host: whole numbers, whose sum has no order. */
__global__ void __launch_bounds__(CW_THREADS)
    count_region(cw_particles_view view, int dim, cw_inject_region region,
                 unsigned long long *counts) {
  cw_grid_stride(p, view.count) {
    if (view.tag[p] == CW_TAG_DEAD)
      continue;
    int64_t cell = 0;
    bool inside = true;
    for (int a = dim - 1; a >= 0; a--) {
      const int32_t i = view.i[a][p];
      inside = inside && i >= region.first[a] && i < region.end[a];
      cell = cell * (region.end[a] - region.first[a]) + (i - region.first[a]);
    }
    double weight = 1;
    if (view.weight)
      weight = view.precision == CW_DOUBLE ? ((const double *)view.weight)[p]
                                           : (double)((const float *)view.weight)[p];
    if (inside)
      atomicAdd(&counts[cell], (unsigned long long)(int64_t)(weight * CW_INJECT_WEIGHT));
  }
}

} // namespace

cw_status cw_engine_count_region_cuda(cw_context *context, const cw_particles_view *particles,
                                      int dim, const cw_inject_region *region, int64_t *counts) {
  if (particles->count > 0)
    CW_CUDA_LAUNCH(context, count_region, cw_cuda_blocks(context, particles->count, CW_THREADS),
                   CW_THREADS, 0, *particles, dim, *region, (unsigned long long *)counts);
  return CW_OK;
}
