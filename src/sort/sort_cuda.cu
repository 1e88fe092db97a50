/* The sort on the device: keys, permutation by one of two sorts, offsets, gather. */
#include "sort/sort_cuda.cuh"

namespace {

enum { ALIGN = 64 }; /* slots; 256 bytes of slot numbers */

template <class Keys>
__global__ void __launch_bounds__(CW_THREADS)
    form_keys(Keys keys, int64_t count, uint32_t *out, uint32_t *slots) {
  cw_grid_stride(slot, count) {
    out[slot] = keys(slot);
    slots[slot] = (uint32_t)slot;
  }
}

/* Key of what stands at a place: sorted keys, or formed through the permutation. */
struct sorted_keys {
  const uint32_t *keys;
  __device__ uint32_t operator()(int64_t place) const { return keys[place]; }
};
template <class Keys> struct permuted_keys {
  Keys keys;
  const uint32_t *permutation;
  __device__ uint32_t operator()(int64_t place) const { return keys(permutation[place]); }
};

/* offsets[t] = number of places whose key is below t stride, t <= tiles, by bisection: a few dozen
 * reads a tile, however many tiles are empty or particles are in one. */
template <class At>
__global__ void __launch_bounds__(CW_THREADS)
    find_offsets(At at, int64_t count, uint32_t stride, int64_t tiles, int64_t *offsets) {
  cw_grid_stride(t, tiles + 1) {
    const uint32_t key = (uint32_t)t * stride;
    int64_t low = 0, high = count;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (at(middle) < key)
        low = middle + 1;
      else
        high = middle;
    }
    offsets[t] = low;
  }
}

__global__ void __launch_bounds__(CW_THREADS)
    check_keys(const uint32_t *keys, int64_t count, uint32_t bins, cw_fault_word *fault) {
  cw_grid_stride(point, count) if (keys[point] > bins) cw_fault_report(fault, CW_FAULT_KEY, point);
}

__global__ void __launch_bounds__(CW_THREADS)
    count_dead(const uint8_t *tag, int64_t count, unsigned long long *dead) {
  unsigned long long mine = 0;
  cw_grid_stride(slot, count) mine += tag[slot] == CW_TAG_DEAD;
  if (mine)
    atomicAdd(dead, mine);
}

/* The arrays that a sort works in. */
struct arrays {
  uint32_t *keys[2], *slots[2]; /* keys: NULL with low_memory */
};

cw_status grow(cw_context *context, void **array, size_t *has, size_t bytes, const char *what) {
  if (bytes <= *has)
    return CW_OK;
  cw_memory_free(context, CW_SPACE_DEVICE, *array);
  *array = NULL;
  *has = 0;
  CW_TRY(cw_memory_alloc(context, CW_SPACE_DEVICE, bytes, 1, what, array));
  *has = bytes;
  return CW_OK;
}

cw_status reserve(cw_context *context, cw_sort_work *work, int64_t count, int bits, int low_memory,
                  arrays *a) {
  const int64_t stride = (count + ALIGN - 1) / ALIGN * ALIGN;
  const size_t bytes = (size_t)stride * sizeof(uint32_t) * (low_memory ? 2 : 4);
  *a = arrays();
  if (bytes > work->slot_bytes)
    CW_TRY(grow(context, &work->slots, &work->slot_bytes, bytes + bytes / 8,
                "keys and slots of the sort"));
  uint32_t *next = (uint32_t *)work->slots;
  for (int k = 0; !low_memory && k < 2; k++, next += stride)
    a->keys[k] = next;
  for (int k = 0; k < 2; k++, next += stride)
    a->slots[k] = next;
  size_t pass_bytes = cw_sort_histogram_bytes(count);
  if (!low_memory) {
    const int most = (int)cw_max_i64(bits, cw_sort_key_bits((uint32_t)count)); /* or slots */
    const cw_sort_pairs pairs = {{a->keys[0], a->keys[1]}, {a->slots[0], a->slots[1]}, count, most};
    CW_TRY(cw_sort_cub_bytes(context, &pairs, &pass_bytes));
  }
  return grow(context, &work->passes, &work->pass_bytes, pass_bytes, "passes of the sort");
}

/* What the two sorts leave behind. */
struct sorted_slots {
  uint32_t *permutation;
  void *buffer; /* no longer needed: bytes a slot */
  size_t bytes;
};

template <class Keys>
cw_status sort_slots(cw_context *context, const Keys &keys, int64_t count, uint32_t bins,
                     uint32_t stride, const cw_sort_work *work, const arrays *a, int64_t *offsets,
                     sorted_slots *result) {
  const int bits = cw_sort_key_bits(bins);
  const int64_t tiles = bins / stride;
  const unsigned blocks = cw_cuda_blocks(context, count, CW_THREADS),
                 tile_blocks = cw_cuda_blocks(context, tiles + 1, CW_THREADS);
  if (!a->keys[0]) {
    CW_TRY(cw_sort_histogram(context, keys, count, bits, a->slots, work->passes));
    const int last = cw_sort_histogram_result(bits);
    const permuted_keys<Keys> at = {keys, a->slots[last]};
    *result = {a->slots[last], a->slots[1 - last], sizeof(uint32_t)};
    CW_CUDA_LAUNCH_NAMED(context, "find_offsets", find_offsets<permuted_keys<Keys>>, tile_blocks,
                         CW_THREADS, 0, at, count, stride, tiles, offsets);
    return CW_OK;
  }
  const cw_sort_pairs pairs = {{a->keys[0], a->keys[1]}, {a->slots[0], a->slots[1]}, count, bits};
  int sorted = 0;
  CW_CUDA_LAUNCH_NAMED(context, "form_keys", form_keys<Keys>, blocks, CW_THREADS, 0, keys, count,
                       a->keys[0], a->slots[0]);
  CW_TRY(cw_sort_cub(context, &pairs, work->passes, work->pass_bytes, &sorted));
  const sorted_keys at = {a->keys[sorted]};
  *result = {a->slots[sorted], a->keys[0], 2 * sizeof(uint32_t)};
  CW_CUDA_LAUNCH_NAMED(context, "find_offsets", find_offsets<sorted_keys>, tile_blocks, CW_THREADS,
                       0, at, count, stride, tiles, offsets);
  return CW_OK;
}

/* By what is left of the last sort, if there is one and most of it holds. Where it did not, there
 * will be as long between the next sorts, and it is not tried for a while. */
template <class Keys>
cw_status sort_again(cw_context *context, const Keys &keys, const cw_key_rule *rule, int64_t count,
                     int64_t sorted, cw_sort_work *work, const arrays *a, int64_t *offsets,
                     sorted_slots *result, int *done) {
  enum { LEAST_KEPT = 12, PAUSE = 16 };
  const int64_t room = count / LEAST_KEPT / ALIGN * ALIGN; /* for those that left their tile */
  *done = 0;
  if (work->unsorted > 0) {
    work->unsorted--;
    return CW_OK;
  }
  if (sorted == 0 || !a->keys[0] || room == 0 || rule->bins / rule->tile_bins > INT32_MAX)
    return CW_OK;
  const cw_sort_nearly_job job = {count,
                                  cw_min_i64(sorted, count),
                                  rule->bins / rule->tile_bins,
                                  rule->tile_bins,
                                  rule->bins,
                                  offsets,
                                  work->tables,
                                  a->keys[0],
                                  a->slots[0],
                                  {a->keys[1], a->keys[1] + room},
                                  {a->slots[1], a->slots[1] + room},
                                  room,
                                  work->passes,
                                  work->pass_bytes};
  *result = {a->slots[0], a->keys[0], 2 * sizeof(uint32_t)};
  CW_TRY(cw_sort_nearly(context, keys, &job, done));
  work->unsorted = *done ? 0 : PAUSE;
  return CW_OK;
}

template <class real>
cw_status sort_particles(cw_context *context, const cw_key_rule *rule,
                         const cw_particles_view *particles, int64_t sorted, cw_sort_work *work,
                         const arrays *a, int64_t *offsets, sorted_slots *result) {
  const cw_keys_of_particles<real> keys = {*rule, *particles};
  int done;
  CW_TRY(
      sort_again(context, keys, rule, particles->count, sorted, work, a, offsets, result, &done));
  return done ? CW_OK
              : sort_slots(context, keys, particles->count, rule->bins, rule->tile_bins, work, a,
                           offsets, result);
}

} // namespace

void cw_sort_work_release(cw_context *context, cw_sort_work *work) {
  cw_memory_free(context, CW_SPACE_DEVICE, work->slots);
  cw_memory_free(context, CW_SPACE_DEVICE, work->passes);
  cw_memory_free(context, CW_SPACE_DEVICE, work->tables);
  *work = cw_sort_work();
}

cw_status cw_sort_cells_cuda(cw_context *context, const cw_key_rule *rule, int low_memory,
                             cw_particles_view *particles, void *spare[CW_SPARES],
                             cw_sort_work *work, int64_t sorted, int64_t *offsets, int64_t *alive) {
  const int64_t tiles = rule->bins / rule->tile_bins;
  arrays a;
  sorted_slots found;
  *alive = 0;
  if (particles->count == 0)
    return cw_device_zero(context, offsets, (size_t)(tiles + 1) * sizeof *offsets);
  CW_TRY(reserve(context, work, particles->count, cw_sort_key_bits(rule->bins), low_memory, &a));
  if (sorted > 0 && !low_memory)
    CW_TRY(grow(context, &work->tables, &work->table_bytes, cw_sort_nearly_bytes(tiles),
                "tables of the sort"));
  CW_TRY((particles->precision == CW_DOUBLE ? sort_particles<double>
                                            : sort_particles<float>)(context, rule, particles,
                                                                     sorted, work, &a, offsets,
                                                                     &found));
  const cw_gather_room room = {found.buffer, found.bytes, spare, 0};
  CW_TRY(cw_sort_gather_members(context, particles, found.permutation, offsets + tiles, &room));
  return cw_device_read(context, alive, offsets + tiles, sizeof *alive);
}

cw_status cw_sort_compact_cuda(cw_context *context, const cw_particles_view *particles,
                               int64_t *alive) {
  cw_sort_work work = {};
  cw_particles_view moved = *particles;
  const cw_keys_of_tags keys = {particles->tag};
  arrays a;
  sorted_slots sorted;
  int64_t *ends = NULL; /* of the live and the dead; first, in ends[0], how many are dead */
  int64_t dead = 0;
  cw_status status;
  *alive = particles->count;
  if (particles->count == 0 || !particles->tag)
    return CW_OK;
  CW_TRY_CLEANUP(status, cw_memory_alloc(context, CW_SPACE_DEVICE, 2, sizeof *ends,
                                         "live particles", (void **)&ends));
  status = [&]() -> cw_status {
    CW_CUDA_LAUNCH(context, count_dead, cw_cuda_blocks(context, moved.count, CW_THREADS),
                   CW_THREADS, 0, moved.tag, moved.count, (unsigned long long *)ends);
    CW_TRY(cw_device_read(context, &dead, ends, sizeof dead));
    if (dead == 0)
      return CW_OK;
    CW_TRY(reserve(context, &work, moved.count, 1, 1, &a));
    CW_TRY(sort_slots(context, keys, moved.count, 1, 1, &work, &a, ends, &sorted));
    const cw_gather_room room = {sorted.buffer, sorted.bytes, NULL, 1};
    CW_TRY(cw_sort_gather_members(context, &moved, sorted.permutation, ends + 1, &room));
    return cw_device_read(context, alive, ends + 1, sizeof *alive);
  }();
cleanup:
  cw_sort_work_release(context, &work);
  cw_memory_free(context, CW_SPACE_DEVICE, ends);
  return status;
}

static cw_status sort_given(cw_context *context, int64_t count, const uint32_t *keys, uint32_t bins,
                            int low_memory, uint32_t *permutation, int64_t *offsets,
                            cw_sort_work *work) {
  const cw_keys_given given = {keys, bins};
  const size_t bytes = (size_t)count * sizeof *permutation;
  arrays a;
  sorted_slots sorted;
  CW_CUDA_LAUNCH(context, check_keys, cw_cuda_blocks(context, count, CW_THREADS), CW_THREADS, 0,
                 keys, count, bins, cw_device_fault(context));
  CW_TRY(reserve(context, work, count, cw_sort_key_bits(bins), low_memory, &a));
  CW_TRY(sort_slots(context, given, count, bins, 1, work, &a, offsets, &sorted));
  CW_TRY(cw_device_copy_within(context, permutation, sorted.permutation, bytes));
  return cw_device_synchronize(context);
}

cw_status cw_cells_sort_keys_device(cw_context *context, int64_t count, const uint32_t *keys,
                                    uint32_t bins, int low_memory, uint32_t *permutation,
                                    int64_t *offsets) {
  if (count < 0)
    return cw_fail(context, CW_ERROR_ARGUMENT, "sort: count is %lld; expected 0 or more",
                   (long long)count);
  if (count > (int64_t)UINT32_MAX || bins == UINT32_MAX)
    return cw_fail(context, CW_ERROR_UNSUPPORTED,
                   "sort: at most 2^32 - 1 points and 2^32 - 2 bins are possible");
  if (count == 0)
    return cw_device_zero(context, offsets, ((size_t)bins + 1) * sizeof *offsets);
  cw_sort_work work = {};
  cw_status status =
      sort_given(context, count, keys, bins, low_memory, permutation, offsets, &work);
  cw_sort_work_release(context, &work);
  return status;
}
