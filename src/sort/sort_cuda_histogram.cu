/* The histogram sort: stable counting passes over digits of the key, lowest digit first.
 *
 *     for each digit
 *       a block a chunk of CHUNK places: counts[digit][chunk]
 *       a block a digit: first[digit][chunk] = sum of counts over earlier chunks; total[digit]
 *       a block a chunk: a warp a run of consecutive places, 32 at a time in order
 *         place = totals of lower digits + first + counts of earlier warps + rank in the warp
 *
 * Only slot numbers move, 8 bytes a slot for both of their arrays; keys are formed from the
 * particles in every pass. */
#include "sort/sort_cuda.cuh"

namespace {

enum {
  DIGITS = 256,
  DIGIT_BITS = 8,
  WARPS = CW_THREADS / CW_WARP,
  ROUNDS = 16, /* places a lane */
  CHUNK = CW_THREADS * ROUNDS,
  NO_DIGIT = DIGITS /* of places behind the last */
};
static_assert((int)DIGITS == (int)CW_THREADS, "a thread a digit");

/* One pass; from is NULL in the first, where place k holds slot k. */
struct digit_pass {
  const uint32_t *from;
  uint32_t *to;
  int64_t count;
  int shift;
  uint32_t mask;
  uint32_t *table;  /* [DIGITS][chunks] */
  uint32_t *totals; /* [DIGITS] */
  int64_t chunks;
};

__device__ inline uint32_t slot_at(const digit_pass &pass, int64_t place) {
  return pass.from ? pass.from[place] : (uint32_t)place;
}

template <class Keys>
__global__ void __launch_bounds__(CW_THREADS) count_digits(Keys keys, digit_pass pass) {
  __shared__ uint32_t counts[DIGITS];
  counts[threadIdx.x] = 0;
  __syncthreads();
  const int64_t begin = (int64_t)blockIdx.x * CHUNK, end = min(begin + CHUNK, pass.count);
  for (int64_t place = begin + threadIdx.x; place < end; place += CW_THREADS)
    atomicAdd(&counts[keys(slot_at(pass, place)) >> pass.shift & pass.mask], 1u);
  __syncthreads();
  pass.table[threadIdx.x * pass.chunks + blockIdx.x] = counts[threadIdx.x];
}

/* Inclusive sums over the block's threads. */
__device__ uint32_t sum_to(uint32_t value, uint32_t *shared) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int step = 1; step < CW_THREADS; step *= 2) {
    uint32_t below = (int)threadIdx.x >= step ? shared[threadIdx.x - step] : 0;
    __syncthreads();
    shared[threadIdx.x] += below;
    __syncthreads();
  }
  return shared[threadIdx.x];
}

/* Row blockIdx.x of the table becomes the sums of what stands before each entry. */
__global__ void __launch_bounds__(CW_THREADS) sum_rows(digit_pass pass) {
  enum { EACH = 8 };
  __shared__ uint32_t shared[CW_THREADS];
  uint32_t *row = pass.table + blockIdx.x * pass.chunks;
  uint32_t before = 0;
  for (int64_t begin = 0; begin < pass.chunks; begin += CW_THREADS * EACH) {
    const int64_t first = begin + (int64_t)threadIdx.x * EACH;
    uint32_t value[EACH], sum = 0;
    for (int k = 0; k < EACH; k++) {
      value[k] = first + k < pass.chunks ? row[first + k] : 0;
      sum += value[k];
    }
    uint32_t place = before + sum_to(sum, shared) - sum;
    before += shared[CW_THREADS - 1];
    for (int k = 0; k < EACH; k++) {
      if (first + k < pass.chunks)
        row[first + k] = place;
      place += value[k];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0)
    pass.totals[blockIdx.x] = before;
}

/* counts[w][digit] becomes the first place of that digit's items of warp w; a thread a digit. */
__device__ void place_warps(const digit_pass &pass, uint32_t (*counts)[DIGITS + 1]) {
  __shared__ uint32_t shared[CW_THREADS];
  const uint32_t digit = threadIdx.x, total = pass.totals[digit];
  uint32_t place = sum_to(total, shared) - total + pass.table[digit * pass.chunks + blockIdx.x];
  for (int w = 0; w < WARPS; w++) {
    uint32_t n = counts[w][digit];
    counts[w][digit] = place;
    place += n;
  }
}

template <class Keys>
__global__ void __launch_bounds__(CW_THREADS) scatter_slots(Keys keys, digit_pass pass) {
  __shared__ uint32_t counts[WARPS][DIGITS + 1];
  const int warp = threadIdx.x / CW_WARP, lane = threadIdx.x % CW_WARP;
  for (int k = threadIdx.x; k < WARPS * (DIGITS + 1); k += CW_THREADS)
    (&counts[0][0])[k] = 0;
  __syncthreads();
  const int64_t begin = (int64_t)blockIdx.x * CHUNK + (int64_t)warp * CW_WARP * ROUNDS + lane;
  uint32_t slot[ROUNDS], digit[ROUNDS];
#pragma unroll
  for (int r = 0; r < ROUNDS; r++) {
    const int64_t place = begin + r * CW_WARP;
    slot[r] = 0;
    digit[r] = NO_DIGIT;
    if (place < pass.count) {
      slot[r] = slot_at(pass, place);
      digit[r] = keys(slot[r]) >> pass.shift & pass.mask;
    }
    atomicAdd(&counts[warp][digit[r]], 1u);
  }
  __syncthreads();
  place_warps(pass, counts);
  __syncthreads();
#pragma unroll
  for (int r = 0; r < ROUNDS; r++) {
    const unsigned same = __match_any_sync(0xffffffffu, digit[r]);
    const uint32_t first = counts[warp][digit[r]];
    __syncwarp();
    if (lane == __ffs((int)same) - 1)
      counts[warp][digit[r]] = first + (uint32_t)__popc(same);
    __syncwarp();
    if (digit[r] != NO_DIGIT)
      pass.to[first + (uint32_t)__popc(same & ((1u << lane) - 1))] = slot[r];
  }
}

int64_t chunk_count(int64_t count) {
  return (count + CHUNK - 1) / CHUNK;
}

int pass_count(int bits) {
  return (bits + DIGIT_BITS - 1) / DIGIT_BITS;
}

} // namespace

size_t cw_sort_histogram_bytes(int64_t count) {
  return (size_t)DIGITS * ((size_t)chunk_count(count) + 1) * sizeof(uint32_t);
}

int cw_sort_histogram_result(int bits) {
  return (pass_count(bits) - 1) % 2;
}

template <class Keys>
cw_status cw_sort_histogram(cw_context *context, const Keys &keys, int64_t count, int bits,
                            uint32_t *const slots[2], void *table) {
  const int passes = pass_count(bits);
  if (count == 0)
    return CW_OK;
  digit_pass pass = {};
  pass.count = count;
  pass.chunks = chunk_count(count);
  pass.totals = (uint32_t *)table;
  pass.table = pass.totals + DIGITS;
  for (int p = 0; p < passes; p++) {
    const int first_bit = bits * p / passes, end_bit = bits * (p + 1) / passes;
    pass.shift = first_bit;
    pass.mask = (1u << (end_bit - first_bit)) - 1;
    pass.to = slots[p % 2];
    const unsigned blocks = (unsigned)pass.chunks;
    CW_CUDA_LAUNCH_NAMED(context, "count_digits", count_digits<Keys>, blocks, CW_THREADS, 0, keys,
                         pass);
    CW_CUDA_LAUNCH(context, sum_rows, DIGITS, CW_THREADS, 0, pass);
    CW_CUDA_LAUNCH_NAMED(context, "scatter_slots", scatter_slots<Keys>, blocks, CW_THREADS, 0, keys,
                         pass);
    pass.from = pass.to;
  }
  return CW_OK;
}

#define HISTOGRAM(Keys)                                                                            \
  template cw_status cw_sort_histogram<Keys>(cw_context *, const Keys &, int64_t, int,             \
                                             uint32_t *const[2], void *)
HISTOGRAM(cw_keys_of_particles<float>);
HISTOGRAM(cw_keys_of_particles<double>);
HISTOGRAM(cw_keys_given);
HISTOGRAM(cw_keys_of_tags);
