/* Particles that were sorted some steps ago: most have kept their tile, and few have left it.
 *
 *     leave     a block a tile of the last sort: keys; those that left are listed, the others counted
 *               (the dead are dropped; all that was appended since counts as having left)
 *     arrive    the list in order of slots, then of keys (two radix sorts); where tiles begin in it
 *     offsets   those that stayed in the tiles before, and those that arrived in them
 *     place     a block a tile: a stable counting sort in shared memory of
 *               arrivals from lower slots | those that stayed | arrivals from higher slots
 *
 * A stable sort has one result: this one is that of the sort of all keys. */
#include "sort/sort_cuda.cuh"

namespace {

enum { NOT_HERE = -1, AHEAD = 4, MOST_WARPS = CW_THREADS / CW_WARP, SCAN_THREADS = 1024 };
enum { PLAIN_SHARED = 48 * 1024 }; /* what every kernel may have */

/* The tables of one sort, tiles + 1 entries each but for the counts. */
struct tables {
  int64_t *arrivals, *offsets; /* first arrival of a tile in the list; first place */
  uint32_t *stayed;            /* of a tile */
  unsigned long long *left;    /* how many were listed, or would have been */
};

tables make_tables(const cw_sort_nearly_job *job) {
  tables made;
  made.left = (unsigned long long *)job->tables;
  made.arrivals = (int64_t *)job->tables + 1;
  made.offsets = made.arrivals + job->tiles + 1;
  made.stayed = (uint32_t *)(made.offsets + job->tiles + 1);
  return made;
}

struct leaving {
  uint32_t tile_bins, bins;
  int64_t count, sorted, room;
  const int64_t *offsets;
  uint32_t *keys; /* of a slot, in its tile; NOT_HERE */
  uint32_t *left_keys, *left_slots;
  uint32_t *stayed;
  unsigned long long *left;
};

/* Lists the warp's slots that `leave`. All lanes take part. */
__device__ __forceinline__ void list_slots(const leaving &job, bool leave, uint32_t key,
                                           int64_t slot) {
  const int lane = threadIdx.x % CW_WARP;
  const unsigned who = __ballot_sync(~0u, leave);
  if (who == 0)
    return;
  unsigned long long first = 0;
  if (lane == __ffs((int)who) - 1)
    first = atomicAdd(job.left, (unsigned long long)__popc(who));
  first = __shfl_sync(~0u, first, __ffs((int)who) - 1);
  const unsigned long long at = first + (unsigned)__popc(who & ((1u << lane) - 1));
  if (leave && at < (unsigned long long)job.room) {
    job.left_keys[at] = key;
    job.left_slots[at] = (uint32_t)slot;
  }
}

template <class Keys>
__global__ void __launch_bounds__(CW_THREADS) leave_tiles(Keys keys, leaving job) {
  __shared__ unsigned stayed;
  const int64_t t = blockIdx.x, begin = job.offsets[t], end = min(job.offsets[t + 1], job.count);
  const uint32_t low = (uint32_t)t * job.tile_bins;
  unsigned mine = 0;
  if (threadIdx.x == 0)
    stayed = 0;
  __syncthreads();
  for (int64_t next = begin + threadIdx.x; next - threadIdx.x % CW_WARP < end;
       next += AHEAD * CW_THREADS) {
    uint32_t key[AHEAD]; /* their loads are under way together */
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
      const int64_t slot = next + k * CW_THREADS;
      key[k] = slot < end ? keys(slot) : job.bins;
    }
#pragma unroll
    for (int k = 0; k < AHEAD; k++) {
      const int64_t slot = next + k * CW_THREADS;
      const bool stays = key[k] - low < job.tile_bins && key[k] < job.bins;
      if (slot < end)
        job.keys[slot] = stays ? key[k] - low : (uint32_t)NOT_HERE;
      mine += stays;
      list_slots(job, !stays && key[k] < job.bins, key[k], slot);
    }
  }
  mine = __reduce_add_sync(~0u, mine);
  if (threadIdx.x % CW_WARP == 0)
    atomicAdd(&stayed, mine);
  __syncthreads();
  if (threadIdx.x == 0)
    job.stayed[t] = stayed;
}

/* Slots from `sorted` on. */
template <class Keys>
__global__ void __launch_bounds__(CW_THREADS) leave_tail(Keys keys, leaving job) {
  const int64_t threads = (int64_t)gridDim.x * CW_THREADS;
  for (int64_t slot = job.sorted + (int64_t)blockIdx.x * CW_THREADS + threadIdx.x;
       slot - threadIdx.x % CW_WARP < job.count; slot += threads) {
    const uint32_t key = slot < job.count ? keys(slot) : job.bins;
    list_slots(job, key < job.bins, key, slot);
  }
}

/* arrivals[t]: entries of the sorted list whose key is below that of tile t. */
__global__ void __launch_bounds__(CW_THREADS)
    find_arrivals(const uint32_t *keys, int64_t count, uint32_t tile_bins, int64_t tiles,
                  int64_t *arrivals) {
  cw_grid_stride(t, tiles + 1) {
    const uint32_t key = (uint32_t)t * tile_bins;
    int64_t low = 0, high = count;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (keys[middle] < key)
        low = middle + 1;
      else
        high = middle;
    }
    arrivals[t] = low;
  }
}

/* Sum of `value` over the threads before this one; *all: over all. A block of full warps. */
__device__ uint32_t sum_before(uint32_t value, uint32_t *all) {
  __shared__ uint32_t sums[SCAN_THREADS / CW_WARP];
  const int lane = threadIdx.x % CW_WARP, warp = threadIdx.x / CW_WARP;
  uint32_t to = value, before = 0;
#pragma unroll
  for (int step = 1; step < CW_WARP; step *= 2) {
    const uint32_t below = __shfl_up_sync(~0u, to, step);
    to += lane >= step ? below : 0;
  }
  if (lane == CW_WARP - 1)
    sums[warp] = to;
  __syncthreads();
  *all = 0;
  for (int w = 0; w < (int)blockDim.x / CW_WARP; w++) {
    before += w < warp ? sums[w] : 0;
    *all += sums[w];
  }
  __syncthreads();
  return before + to - value;
}

/* One block. offsets[t] = arrivals[t] + those that stayed in the tiles before t. */
__global__ void __launch_bounds__(SCAN_THREADS) form_offsets(tables table, int64_t tiles) {
  const int64_t each = (tiles + SCAN_THREADS - 1) / SCAN_THREADS;
  const int64_t begin = min(threadIdx.x * each, tiles), end = min(begin + each, tiles);
  uint32_t mine = 0, all;
  for (int64_t t = begin; t < end; t++)
    mine += table.stayed[t];
  uint32_t place = sum_before(mine, &all);
  for (int64_t t = begin; t < end; t++) {
    table.offsets[t] = table.arrivals[t] + place;
    place += table.stayed[t];
  }
  if (threadIdx.x == 0)
    table.offsets[tiles] = table.arrivals[tiles] + all;
}

struct placing {
  uint32_t tile_bins;
  int64_t count;
  const int64_t *before, *after; /* offsets of the last sort and of this one */
  const int64_t *arrivals;
  const uint32_t *keys, *left_keys, *left_slots;
  uint32_t *permutation;
};

/* Entry k of a tile's sequence. */
struct tile_entries {
  const placing &job;
  int64_t begin, first; /* slot of those that stayed; arrival */
  int stayed, arrived;
  uint32_t low;
  __device__ __forceinline__ uint32_t key_of(int k, uint32_t *slot) const {
    const int n = k - arrived;
    if (n >= 0 && n < stayed) {
      *slot = (uint32_t)(begin + n);
      return job.keys[*slot];
    }
    const int64_t at = first + (n < 0 ? k : n - stayed);
    *slot = job.left_slots[at];
    return (*slot < (uint32_t)begin) == (n < 0) ? job.left_keys[at] - low : (uint32_t)NOT_HERE;
  }
};

/* counts[warp][bin] become the first places. */
__device__ void place_warps(uint32_t *counts, int bins) {
  const int warps = (int)blockDim.x / CW_WARP;
  const int each = (bins + (int)blockDim.x - 1) / (int)blockDim.x;
  const int begin = min((int)threadIdx.x * each, bins), end = min(begin + each, bins);
  uint32_t mine = 0, all;
  for (int b = begin; b < end; b++)
    for (int w = 0; w < warps; w++)
      mine += counts[w * bins + b];
  uint32_t place = sum_before(mine, &all);
  for (int b = begin; b < end; b++)
    for (int w = 0; w < warps; w++) {
      const uint32_t n = counts[w * bins + b];
      counts[w * bins + b] = place;
      place += n;
    }
}

__global__ void __launch_bounds__(CW_THREADS) place_slots(placing job) {
  extern __shared__ uint32_t counts[]; /* [warps][tile_bins] */
  const int64_t t = blockIdx.x;
  const int lane = threadIdx.x % CW_WARP, warp = threadIdx.x / CW_WARP;
  const int warps = (int)blockDim.x / CW_WARP, bins = (int)job.tile_bins;
  const int64_t begin = job.before[t], first = job.arrivals[t];
  const tile_entries entries = {job,
                                begin,
                                first,
                                (int)(max(min(job.before[t + 1], job.count), begin) - begin),
                                (int)(job.arrivals[t + 1] - first),
                                (uint32_t)t * job.tile_bins};
  const int all = 2 * entries.arrived + entries.stayed;
  const int share = ((all + warps - 1) / warps + CW_WARP - 1) / CW_WARP * CW_WARP;
  const int from = min(warp * share, all), to = min(from + share, all);
  uint32_t *const mine = counts + warp * bins;
  uint32_t slot;
  for (int k = threadIdx.x; k < warps * bins; k += blockDim.x)
    counts[k] = 0;
  __syncthreads();
#pragma unroll 4
  for (int k = from + lane; k < to; k += CW_WARP) {
    const uint32_t key = entries.key_of(k, &slot);
    if (key != (uint32_t)NOT_HERE)
      atomicAdd(&mine[key], 1u);
  }
  __syncthreads();
  place_warps(counts, bins);
  __syncthreads();
  uint32_t *const permutation = job.permutation + job.after[t];
  uint32_t next_slot = 0;
  uint32_t next = from + lane < to ? entries.key_of(from + lane, &next_slot) : (uint32_t)NOT_HERE;
  for (int k = from + lane; k - lane < to; k += CW_WARP) {
    const uint32_t key = next;
    slot = next_slot;
    next = k + CW_WARP < to ? entries.key_of(k + CW_WARP, &next_slot) : (uint32_t)NOT_HERE;
    const unsigned same = __match_any_sync(~0u, key);
    const bool here = key != (uint32_t)NOT_HERE;
    const uint32_t place = here ? mine[key] : 0;
    __syncwarp();
    if (here && lane == __ffs((int)same) - 1)
      mine[key] = place + (uint32_t)__popc(same);
    __syncwarp();
    if (here)
      permutation[place + (uint32_t)__popc(same & ((1u << lane) - 1))] = slot;
  }
}

/* By slot, then by key; *found: the pair of arrays that holds the result. */
cw_status sort_list(cw_context *context, const cw_sort_nearly_job *job, int64_t left, int *found) {
  int by_slot = 0, by_key = 0;
  *found = 0;
  if (left == 0)
    return CW_OK;
  uint32_t *const *keys = job->left_keys, *const *slots = job->left_slots;
  const cw_sort_pairs slots_first = {
      {slots[0], slots[1]}, {keys[0], keys[1]}, left, cw_sort_key_bits((uint32_t)job->count)};
  CW_TRY(cw_sort_cub(context, &slots_first, job->passes, job->pass_bytes, &by_slot));
  const cw_sort_pairs keys_then = {{keys[by_slot], keys[1 - by_slot]},
                                   {slots[by_slot], slots[1 - by_slot]},
                                   left,
                                   cw_sort_key_bits(job->bins)};
  CW_TRY(cw_sort_cub(context, &keys_then, job->passes, job->pass_bytes, &by_key));
  *found = by_slot ^ by_key;
  return CW_OK;
}

cw_status place(cw_context *context, const cw_sort_nearly_job *job, const tables &table, int list) {
  const placing places = {job->tile_bins,  job->count, job->offsets,         table.offsets,
                          table.arrivals,  job->keys,  job->left_keys[list], job->left_slots[list],
                          job->permutation};
  const size_t each = job->tile_bins * sizeof(uint32_t);
  const int warps = (int)cw_max_i64(1, cw_min_i64(MOST_WARPS, (int64_t)(PLAIN_SHARED / 2 / each)));
  CW_CUDA_LAUNCH(context, place_slots, (unsigned)job->tiles, CW_WARP * warps, each * warps, places);
  return cw_device_copy_within(context, job->offsets, table.offsets,
                               ((size_t)job->tiles + 1) * sizeof *job->offsets);
}

} // namespace

size_t cw_sort_nearly_bytes(int64_t tiles) {
  return ((size_t)tiles + 1) * (2 * sizeof(int64_t) + sizeof(uint32_t)) + sizeof(int64_t);
}

template <class Keys>
cw_status cw_sort_nearly(cw_context *context, const Keys &keys, const cw_sort_nearly_job *job,
                         int *done) {
  const tables table = make_tables(job);
  const leaving leave = {job->tile_bins,     job->bins,    job->count, job->sorted,
                         job->room,          job->offsets, job->keys,  job->left_keys[0],
                         job->left_slots[0], table.stayed, table.left};
  unsigned long long left = 0;
  int list;
  *done = 0;
  CW_TRY(cw_device_zero(context, table.left, sizeof *table.left));
  CW_CUDA_LAUNCH_NAMED(context, "leave_tiles", leave_tiles<Keys>, (unsigned)job->tiles, CW_THREADS,
                       0, keys, leave);
  if (job->count > job->sorted)
    CW_CUDA_LAUNCH_NAMED(context, "leave_tail", leave_tail<Keys>,
                         cw_cuda_blocks(context, job->count - job->sorted, CW_THREADS), CW_THREADS,
                         0, keys, leave);
  CW_TRY(cw_device_read(context, &left, table.left, sizeof left));
  if (left > (unsigned long long)job->room)
    return CW_OK;
  CW_TRY(sort_list(context, job, (int64_t)left, &list));
  CW_CUDA_LAUNCH(context, find_arrivals, cw_cuda_blocks(context, job->tiles + 1, CW_THREADS),
                 CW_THREADS, 0, job->left_keys[list], (int64_t)left, job->tile_bins, job->tiles,
                 table.arrivals);
  CW_CUDA_LAUNCH(context, form_offsets, 1, SCAN_THREADS, 0, table, job->tiles);
  CW_TRY(place(context, job, table, list));
  *done = 1;
  return CW_OK;
}

template cw_status cw_sort_nearly<cw_keys_of_particles<float>>(cw_context *,
                                                               const cw_keys_of_particles<float> &,
                                                               const cw_sort_nearly_job *, int *);
template cw_status cw_sort_nearly<cw_keys_of_particles<double>>(
    cw_context *, const cw_keys_of_particles<double> &, const cw_sort_nearly_job *, int *);
