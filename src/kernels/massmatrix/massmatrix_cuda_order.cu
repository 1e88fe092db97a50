/* Which slots a bin owns, and which particles are out of place. */
#include "kernels/massmatrix/massmatrix_cuda_launch.cuh"
#include "sort/sort_cuda.cuh"

template <class real>
static __device__ __forceinline__ uint32_t first_of(const cw_keys_of_particles<real> &key,
                                                    int64_t count, uint32_t wanted) {
  int64_t low = 0, high = count;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (key(middle) < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return (uint32_t)low;
}

/* In sorted slots these are the bins. In others some ranges may run backwards, which is told here;
 * in what remains each particle is compared with its bin when it is summed. Either way every slot
 * is in one range, and a range has an existing bin. */
template <class real>
static __global__ void __launch_bounds__(CW_THREADS)
    find_offsets(cw_keys_of_particles<real> key, int64_t count, uint32_t *offsets,
                 cw_mm_status *status) {
  cw_grid_stride(k, (int64_t)key.rule.bins) {
    const uint32_t begin = first_of(key, count, (uint32_t)k);
    const uint32_t end =
        k + 1 < (int64_t)key.rule.bins ? first_of(key, count, (uint32_t)k + 1) : (uint32_t)count;
    offsets[k] = begin;
    if (k + 1 == (int64_t)key.rule.bins)
      offsets[k + 1] = end;
    if (begin > end || (begin < end && key(begin) != (uint32_t)k))
      status->misplaced = 1;
  }
}

template <class real> static cw_keys_of_particles<real> keys_of(const cw_mm_device_job *job) {
  cw_keys_of_particles<real> key;
  key.rule = job->rule;
  key.particles = job->job.particles;
  key.particles.tag = NULL; /* dead slots stay where they are */
  return key;
}

cw_status cw_mm_find_offsets_cuda(cw_context *context, const cw_mm_device_job *job) {
  const unsigned blocks = cw_cuda_blocks(context, job->rule.bins, CW_THREADS);
  const int64_t count = job->job.particles.count;
  uint32_t *offsets = (uint32_t *)job->offsets;
  if (job->job.particles.precision == CW_DOUBLE)
    CW_CUDA_LAUNCH_NAMED(context, "bins of the mass matrix", find_offsets<double>, blocks,
                         CW_THREADS, 0, keys_of<double>(job), count, offsets, job->status);
  else
    CW_CUDA_LAUNCH_NAMED(context, "bins of the mass matrix", find_offsets<float>, blocks,
                         CW_THREADS, 0, keys_of<float>(job), count, offsets, job->status);
  return CW_OK;
}

/* With keys: writes them, dead slots last. Without: tells slots that are not in order. */
template <class real>
static __global__ void __launch_bounds__(CW_THREADS)
    check_slots(cw_mm_device_job d, cw_keys_of_particles<real> key, uint32_t *keys, int in_order) {
  const cw_particles_view &view = d.job.particles;
  cw_grid_stride(slot, view.count) {
    const bool live = !view.tag || view.tag[slot] != CW_TAG_DEAD;
    for (int a = 0; live && a < d.job.dim; a++) {
      const real dx = ((const real *)view.dx[a])[slot];
      const int32_t i = view.i[a][slot];
      if (!(dx >= 0 && dx <= 1))
        cw_mm_fault(d.status, CW_MM_FAULT_OFFSET, slot);
      if (i < 0 || i >= d.cells[a])
        cw_mm_fault(d.status, CW_MM_FAULT_PLACE, slot);
    }
    if (keys)
      keys[slot] = live ? key(slot) : d.rule.bins;
    if (in_order && slot > 0 && key(slot) < key(slot - 1))
      d.status->misplaced = 1;
  }
}

cw_status cw_mm_check_cuda(cw_context *context, const cw_mm_device_job *job, uint32_t *keys) {
  const unsigned blocks = cw_cuda_blocks(context, job->job.particles.count, CW_THREADS);
  const int in_order = !keys && job->offsets != NULL;
  if (job->job.particles.precision == CW_DOUBLE)
    CW_CUDA_LAUNCH_NAMED(context, "check of particles", check_slots<double>, blocks, CW_THREADS, 0,
                         *job, keys_of<double>(job), keys, in_order);
  else
    CW_CUDA_LAUNCH_NAMED(context, "check of particles", check_slots<float>, blocks, CW_THREADS, 0,
                         *job, keys_of<float>(job), keys, in_order);
  return CW_OK;
}

static __global__ void narrow(const int64_t *from, uint32_t *to, int64_t count) {
  cw_grid_stride(k, count) to[k] = (uint32_t)from[k];
}

cw_status cw_mm_narrow_cuda(cw_context *context, const int64_t *from, uint32_t *to, int64_t count) {
  CW_CUDA_LAUNCH(context, narrow, cw_cuda_blocks(context, count, CW_THREADS), CW_THREADS, 0, from,
                 to, count);
  return CW_OK;
}
