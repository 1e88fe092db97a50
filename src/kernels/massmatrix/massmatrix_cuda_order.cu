/* Which slots a bin owns, and which particles are out of place. */
#include "kernels/massmatrix/massmatrix_cuda_launch.cuh"
#include "sort/sort_cuda.cuh"

/* The first slot whose key is at least `wanted`: leaps from a guess, which may be right, growing
 * until it lies between two, then bisection. */
template <class real>
static __device__ __forceinline__ uint32_t first_of(const cw_keys_of_particles<real> &key,
                                                    int64_t count, int64_t guess, int64_t leap,
                                                    uint32_t wanted) {
  int64_t low = 0, high = count;
  if (key(guess) < wanted) {
    low = guess + 1;
    for (; low < high; leap *= 4) {
      const int64_t probe = min(low + leap, high - 1);
      if (key(probe) >= wanted) {
        high = probe;
        break;
      }
      low = probe + 1;
    }
  } else if (guess == 0 || key(guess - 1) < wanted) {
    return (uint32_t)guess;
  } else {
    high = guess - 1;
    for (; low < high; leap *= 4) {
      const int64_t probe = max(high - leap, low);
      if (key(probe) < wanted) {
        low = probe + 1;
        break;
      }
      high = probe;
    }
  }
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (key(middle) < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return (uint32_t)low;
}

/* Where a bin starts if all cells have equally many particles: of the nodes of a tile the outer
 * ones have half a cell along their axis. */
static __device__ __forceinline__ int64_t guess_of(const cw_key_rule &rule, int64_t k,
                                                   int64_t count) {
  double before = (double)k / (double)rule.bins;
  if (rule.by_node) {
    const uint32_t in_tile = (uint32_t)k % rule.tile_bins;
    double part = 0;
    for (int a = 0; a < rule.dim; a++) {
      const uint32_t above = a + 1 < rule.dim ? rule.local_stride[a + 1] : rule.tile_bins;
      const uint32_t nodes = above / rule.local_stride[a],
                     l = in_tile % above / rule.local_stride[a];
      const double low = l > 0 ? l - 0.5 : 0.0, width = l > 0 && l + 1 < nodes ? 1.0 : 0.5;
      part = (low + width * part) / (nodes - 1);
    }
    const double tiles = (double)(rule.bins / rule.tile_bins);
    before = ((double)((uint32_t)k / rule.tile_bins) + part) / tiles;
  }
  return min((int64_t)(before * (double)count), count - 1);
}

/* In sorted slots these are the bins. In others some ranges may run backwards, which is told here;
 * in what remains each particle is compared with its bin when it is summed. Either way every slot
 * is in one range, and a range that is not empty has an existing bin.
 *
 * A warp finds the bounds of 31 bins, a lane a bound: the first and the last from where they would be
 * if all bins had equally many, those between from where they would be if these had. */
template <class real>
static __global__ void __launch_bounds__(CW_THREADS)
    find_offsets(cw_keys_of_particles<real> key, int64_t count, uint32_t *offsets,
                 cw_mm_status *status) {
  const int64_t bins = key.rule.bins, warps = cw_thread_count() / 32;
  const int lane = (int)threadIdx.x % 32;
  for (int64_t warp = cw_thread_index() / 32; warp * 31 < bins; warp += warps) {
    const int64_t k = warp * 31 + lane;
    uint32_t begin = (uint32_t)count;
    if (k < bins && lane % 31 == 0)
      begin = first_of(key, count, guess_of(key.rule, k, count), count / bins + 32, (uint32_t)k);
    const int64_t low = __shfl_sync(0xffffffffu, begin, 0);
    const int64_t width = (int64_t)__shfl_sync(0xffffffffu, begin, 31) - low;
    if (k < bins && lane % 31 != 0)
      begin = first_of(key, count, min(max(low + width * lane / 31, (int64_t)0), count - 1),
                       max(width, (int64_t)0) / 256 + 1, (uint32_t)k);
    const uint32_t end = __shfl_down_sync(0xffffffffu, begin, 1);
    if (k > bins || (lane == 31 && k < bins))
      continue; /* the next warp's first */
    offsets[k] = begin;
    if (k < bins && (begin > end || (begin < end && key(begin) != (uint32_t)k)))
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

template <class real> static cw_status find(cw_context *context, const cw_mm_device_job *job) {
  const cw_keys_of_particles<real> key = keys_of<real>(job);
  const int64_t count = job->job.particles.count, bins = job->rule.bins;
  CW_CUDA_LAUNCH_NAMED(context, "bins of the mass matrix", find_offsets<real>,
                       cw_cuda_blocks(context, bins / 31 * 32 + 32, CW_THREADS), CW_THREADS, 0, key,
                       count, (uint32_t *)job->offsets, job->status);
  return CW_OK;
}

cw_status cw_mm_find_offsets_cuda(cw_context *context, const cw_mm_device_job *job) {
  return job->job.particles.precision == CW_DOUBLE ? find<double>(context, job)
                                                   : find<float>(context, job);
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
  const int in_order = !keys && job->offsets && !job->slots; /* `slots` are in order */
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
