/* A batch of a tile's slots listed by window. Included after deposit_cuda_runs.cuh.
 *
 *     clear the bins, one a window of order + 1 nodes that fits the scratch
 *     a thread a slot: a particle that keeps its support counts in its window's bin; one that
 *       changes it along one axis in two neighbours; the others (that change it along more, do not
 *       fit, or are at fault) are counted together
 *     bins become first entries: sums over the bins, each count rounded up to whole groups
 *     a thread a slot: write it to the next entry of its bins
 *
 *     list    0 0 0 0 0 0 0 -  1 1 1 -  3 3 3 3   ...     free     others, backwards
 *             window 0: 7      1: 3     3: 4
 *
 * The entries of a bin depend on who comes first, which sums of integers do not show and sums of
 * reals may. Bins and codes stand where the stages will. */

/* The sizes of a team's list. */
typedef struct list_room {
  int bins, edge;     /* edge: bins along an axis */
  int entries, slots; /* of the list; most of a batch */
} list_room;

/* What a list came to. */
typedef struct list_size {
  int listed, others; /* entries from the front, padding included; from the back */
} list_size;

/* Where a slot belongs: the bin of its (lower) window and its form, of FORM_BITS, as its lower
 * entry has it. */
enum { FORM_BITS = 16 - NUMBER_BITS };
static const uint32_t DEAD_CODE = ~0u, OTHER_CODE = ~0u - 1;

/* A batch leaves room for half a group in each cell and those at the sides. */
template <int DIM, int ORDER, class Mode>
static __device__ __forceinline__ list_room make_list_room(int tile, int edge) {
  typedef run_shape<DIM, ORDER, Mode> shape;
  list_room room;
  room.edge = edge - ORDER;
  room.bins = DIM == 2 ? room.edge * room.edge : room.edge * room.edge * room.edge;
  room.entries = cw_deposit_list_entries(DIM);
  const size_t bytes = shape::bytes * (blockDim.x / 32);
  const size_t least = cw_deposit_least_work(room.bins);
  const int words = (int)((bytes > least ? bytes : least) / sizeof(uint32_t));
  const int cells = (tile + 1) * (tile + 1) * (DIM > 2 ? tile + 1 : 1);
  const int padded = room.entries - (shape::group - 1) * cells / 2;
  /* a fifth or so has two entries */
  room.slots = min(words - room.bins, max(padded * 5 / 6, room.entries / shape::group));
  return room;
}

/* A slot as it stands in the arrays; loads only, so that the next one's can be under way. */
template <int DIM> struct slot_values {
  int32_t i_prev[DIM], i[DIM];
  cw_real dx_prev[DIM], dx[DIM], weight, u[DIM == 2 ? 3 : 1]; /* of no use in 3D */
  uint8_t tag;
};

template <int DIM>
static __device__ __forceinline__ slot_values<DIM> load_slot(const slot_batch<DIM> &batch, int n) {
  const batch_species<DIM> &from = batch.of[batch.species_of(n)];
  slot_values<DIM> values;
#pragma unroll
  for (int a = 0; a < DIM; a++) {
    values.i_prev[a] = from.i_prev[a][n];
    values.i[a] = from.i[a][n];
    values.dx_prev[a] = from.dx_prev[a][n];
    values.dx[a] = from.dx[a][n];
  }
  values.weight = from.weight ? from.weight[n] : (cw_real)1;
  if constexpr (DIM == 2) /* a velocity out of plane that is not finite is a fault */
    for (int c = 0; c < 3; c++)
      values.u[c] = from.u[c][n];
  values.tag = from.tag ? from.tag[n] : (uint8_t)CW_TAG_ALIVE;
  return values;
}

/* A slot's code. Only a particle that is valid may stand in a bin. */
template <int DIM, int ORDER, class Scratch>
static __device__ __forceinline__ uint32_t code_of(const cw_deposit_device_job &job,
                                                   const run_tile<Scratch> &tile, int bins_edge,
                                                   const slot_values<DIM> &v) {
  bool fits = v.weight - v.weight == 0;
  if constexpr (DIM == 2)
    for (int c = 0; c < 3; c++)
      fits = fits && v.u[c] - v.u[c] == 0;
  int stride = 1, bin = 0, changes = 0, form = FORM_WHOLE;
#pragma unroll
  for (int a = 0; a < DIM; a++) {
    const int32_t s = CW_REAL_NAME(cw_deposit_first_node)(ORDER, v.i_prev[a], v.dx_prev[a]);
    const int32_t t = CW_REAL_NAME(cw_deposit_first_node)(ORDER, v.i[a], v.dx[a]);
    const uint32_t cells = (uint32_t)v.i[a] - (uint32_t)v.i_prev[a];
    const cw_real move = CW_REAL_NAME(cw_deposit_move)((int32_t)cells, v.dx_prev[a], v.dx[a]);
    const int lowest = min(s, t) - tile.low[a];
    const int change = s != t;
    fits = fits && v.dx[a] >= 0 && v.dx[a] <= 1 && v.dx_prev[a] >= 0 && v.dx_prev[a] <= 1 &&
           cells + 1 <= 2 && (uint32_t)t - (uint32_t)s + 1 <= 2 &&
           fabs(move) <= (cw_real)job.max_move && lowest >= 0 && lowest + change < bins_edge;
    if (change)
      form = FORM_SPLIT + 2 * a;
    changes += change;
    bin += lowest * stride;
    stride *= bins_edge;
  }
  if (v.tag == CW_TAG_DEAD)
    return DEAD_CODE;
  return fits && changes <= 1 ? (uint32_t)bin << FORM_BITS | (uint32_t)form : OTHER_CODE;
}

/* From a window's bin to that of the upper window of the same particle. */
static __device__ __forceinline__ int upper_bin(int form, int bins_edge) {
  return form == FORM_SPLIT ? 1 : form == FORM_SPLIT + 2 ? bins_edge : bins_edge * bins_edge;
}

/* bins[b] becomes the first entry of bin b, whose last group is filled up; the entries in all. */
template <int GROUP>
static __device__ __forceinline__ int place_bins(uint32_t *bins, int count, uint16_t *list,
                                                 int entries) {
  __shared__ uint32_t sums[cw_deposit_largest_staged_team(0) / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const int each = (count + (int)blockDim.x - 1) / (int)blockDim.x;
  const int begin = min((int)threadIdx.x * each, count), end = min(begin + each, count);
  uint32_t mine = 0;
  for (int b = begin; b < end; b++)
    mine += (bins[b] + GROUP - 1) / GROUP * GROUP;
  uint32_t to = mine;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const uint32_t below = __shfl_up_sync(~0u, to, step);
    to += lane >= step ? below : 0;
  }
  if (lane == 31)
    sums[warp] = to;
  __syncthreads();
  uint32_t before = 0, all = 0;
  for (int w = 0; w < warps; w++) {
    before += w < warp ? sums[w] : 0;
    all += sums[w];
  }
  if (all <= (uint32_t)entries) {
    uint32_t place = before + to - mine;
    for (int b = begin; b < end; b++) {
      const uint32_t n = bins[b], padded = (n + GROUP - 1) / GROUP * GROUP;
      bins[b] = place;
      for (uint32_t k = n; k < padded; k++)
        list[place + k] = NO_ENTRY;
      place += padded;
    }
  }
  return (int)all;
}

/* Lists a batch; false if it does not fit the list: a smaller one will. The batch is set by thread 0 to
 * 31 just before; ends with a barrier. */
template <int DIM, int ORDER, class Mode>
static __device__ __forceinline__ bool make_list(const cw_deposit_device_job &job,
                                                 const run_tile<typename Mode::Scratch> &tile,
                                                 const list_room &room,
                                                 const slot_batch<DIM> &batch, unsigned *taken,
                                                 run_counts *counts, list_size *size) {
  typedef run_shape<DIM, ORDER, Mode> shape;
  __shared__ unsigned others, next_other;
  uint32_t *const bins = (uint32_t *)run_stages<DIM, Mode>(tile.volume);
  uint32_t *const codes = bins + room.bins;
  uint16_t *const list = run_list<DIM>();
  unsigned listed = 0, dead = 0, rest = 0;
  for (int b = threadIdx.x; b < room.bins; b += blockDim.x)
    bins[b] = 0;
  if (threadIdx.x == 0)
    others = next_other = *taken = 0;
  __syncthreads();
  const int count = batch.slots();
  slot_values<DIM> next = load_slot(batch, min((int)threadIdx.x, count - 1));
  for (int n = threadIdx.x; n < count; n += blockDim.x) {
    const slot_values<DIM> values = next;
    next = load_slot(batch, min(n + (int)blockDim.x, count - 1));
    const uint32_t code = code_of<DIM, ORDER>(job, tile, room.edge, values);
    const uint32_t bin = code >> FORM_BITS;
    const int form = (int)(code & ((1u << FORM_BITS) - 1));
    codes[n] = code;
    dead += code == DEAD_CODE;
    rest += code == OTHER_CODE;
    if (code >= OTHER_CODE)
      continue;
    listed++;
    atomicAdd(&bins[bin], 1u);
    if (form != FORM_WHOLE)
      atomicAdd(&bins[bin + upper_bin(form, room.edge)], 1u);
  }
  if (rest)
    atomicAdd(&others, rest);
  __syncthreads();
  size->others = (int)others;
  size->listed = place_bins<shape::group>(bins, room.bins, list, room.entries - size->others);
  if (size->listed + size->others > room.entries)
    return false;
  __syncthreads();
  for (int n = threadIdx.x; n < count; n += blockDim.x) {
    const uint32_t code = codes[n], bin = code >> FORM_BITS;
    const int form = (int)(code & ((1u << FORM_BITS) - 1));
    if (code == DEAD_CODE)
      continue;
    if (code == OTHER_CODE) {
      list[room.entries - 1 - (int)atomicAdd(&next_other, 1u)] = (uint16_t)n;
      continue;
    }
    list[atomicAdd(&bins[bin], 1u)] = (uint16_t)(n | form << NUMBER_BITS);
    if (form != FORM_WHOLE)
      list[atomicAdd(&bins[bin + upper_bin(form, room.edge)], 1u)] =
          (uint16_t)(n | (form + 1) << NUMBER_BITS);
  }
  counts->done += listed;
  counts->dead += dead;
  __syncthreads();
  return true;
}
