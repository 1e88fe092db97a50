/* A batch of a tile's slots listed by window. Included after deposit_cuda_runs.cuh.
 *
 *     clear the bins, one a window that fits the scratch
 *     a thread a slot: a particle that keeps its support counts in its window's bin; the others
 *       (that change it, do not fit, or are at fault) are counted together; the rank is kept
 *     bins become first entries: sums over the bins, each count rounded up to whole groups
 *     a thread a slot: write it to its entry
 *
 *     list    0 0 0 0 0 0 0 -  1 1 1 -  3 3 3 3   ...     free     r r z z z z y y y x x x x x
 *             window 0: 7      1: 3     3: 4                        the others, backwards: those that
 *             change their support along one axis by that axis, then the rest
 *
 * The ranks depend on who comes first, which sums of integers do not show and sums of reals may.
 * Bins and ranks stand where the stages will. */

/* The sizes of a team's list. */
typedef struct list_room {
  int bins, edge;     /* edge: bins along an axis */
  int entries, slots; /* of the list; most of a batch */
} list_room;

/* What a list came to. */
typedef struct list_size {
  int kept, others; /* entries from the front, padding included; from the back */
} list_size;

static const uint16_t NO_SLOT = 0xffff;
static const uint32_t NO_CODE = ~0u, OTHER = 1u << 31;
enum { RANK_BITS = 13, CLASSES = 4, REST = CLASSES - 1 }; /* the entries are fewer than 2^13 */

/* Where a slot belongs: a bin, or a class of the others (an axis or REST). */
typedef struct slot_place {
  bool live, keeps; /* there is a particle; it keeps its support and fits */
  int bin, others;
} slot_place;

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
  room.slots = min(words - room.bins, max(padded, room.entries / shape::group));
  return room;
}

/* A slot as it stands in the arrays; loads only, so that the next one's can be under way. */
template <int DIM> struct slot_values {
  int32_t i_prev[DIM], i[DIM];
  cw_real dx_prev[DIM], dx[DIM], weight, u[DIM == 2 ? 3 : 1]; /* of no use in 3D */
  uint8_t tag;
};

template <int DIM>
static __device__ __forceinline__ slot_values<DIM> load_slot(const cw_particles_view &view,
                                                             int64_t first, uint32_t n) {
  slot_values<DIM> values;
#pragma unroll
  for (int a = 0; a < DIM; a++) {
    values.i_prev[a] = (view.i_prev[a] + first)[n];
    values.i[a] = (view.i[a] + first)[n];
    values.dx_prev[a] = ((const cw_real *)view.dx_prev[a] + first)[n];
    values.dx[a] = ((const cw_real *)view.dx[a] + first)[n];
  }
  values.weight = view.weight ? ((const cw_real *)view.weight + first)[n] : (cw_real)1;
  if constexpr (DIM == 2) /* a velocity out of plane that is not finite is a fault */
    for (int c = 0; c < 3; c++)
      values.u[c] = ((const cw_real *)view.u[c] + first)[n];
  values.tag = view.tag ? (view.tag + first)[n] : (uint8_t)CW_TAG_ALIVE;
  return values;
}

/* Only a particle that is valid may stand in a bin. */
template <int DIM, int ORDER, class Scratch>
static __device__ __forceinline__ slot_place place_of(const cw_deposit_device_job &job,
                                                      const run_tile<Scratch> &tile, int bins_edge,
                                                      const slot_values<DIM> &v) {
  bool fits = v.weight - v.weight == 0;
  if constexpr (DIM == 2)
    for (int c = 0; c < 3; c++)
      fits = fits && v.u[c] - v.u[c] == 0;
  slot_place place = {v.tag != CW_TAG_DEAD, false, 0, REST};
  int stride = 1;
  unsigned changes = 0;
#pragma unroll
  for (int a = 0; a < DIM; a++) {
    const int32_t s = CW_REAL_NAME(cw_deposit_first_node)(ORDER, v.i_prev[a], v.dx_prev[a]);
    const int32_t t = CW_REAL_NAME(cw_deposit_first_node)(ORDER, v.i[a], v.dx[a]);
    const cw_real move = CW_REAL_NAME(cw_deposit_move)(v.i[a] - v.i_prev[a], v.dx_prev[a], v.dx[a]);
    const int local = s - tile.low[a];
    changes |= (unsigned)(s != t) << a;
    fits = fits && v.dx[a] >= 0 && v.dx[a] <= 1 && v.dx_prev[a] >= 0 && v.dx_prev[a] <= 1 &&
           fabs(move) <= (cw_real)job.max_move && local >= 0 && local < bins_edge;
    place.bin += local * stride;
    stride *= bins_edge;
  }
  place.keeps = place.live && fits && changes == 0;
  if (changes == 1 || changes == 2 || changes == 4)
    place.others = (int)changes / 2;
  return place;
}

/* bins[b] becomes the first entry of bin b, whose last group is filled up; the entries in all. */
template <int GROUP>
static __device__ __forceinline__ int place_bins(uint32_t *bins, int count, uint16_t *list,
                                                 int entries) {
  __shared__ uint32_t sums[CW_DEPOSIT_LARGEST_STAGED_TEAM / 32];
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
        list[place + k] = NO_SLOT;
      place += padded;
    }
  }
  return (int)all;
}

/* Lists slots first .. first + count - 1; false if they do not fit the list: fewer will. Begins and
 * ends with a barrier. */
template <int DIM, int ORDER, class Mode>
static __device__ __forceinline__ bool make_list(const cw_deposit_device_job &job,
                                                 const run_tile<typename Mode::Scratch> &tile,
                                                 const list_room &room, int64_t first, int count,
                                                 unsigned *taken, run_counts *counts,
                                                 list_size *size) {
  typedef run_shape<DIM, ORDER, Mode> shape;
  __shared__ uint32_t others[CLASSES];
  uint32_t *const bins = (uint32_t *)run_stages<DIM, Mode>(tile.volume);
  uint32_t *const codes = bins + room.bins;
  uint16_t *const list = run_list<DIM>();
  unsigned kept = 0, dead = 0;
  __syncthreads();
  for (int b = threadIdx.x; b < room.bins; b += blockDim.x)
    bins[b] = 0;
  if (threadIdx.x < CLASSES)
    others[threadIdx.x] = 0;
  if (threadIdx.x == 0)
    *taken = 0;
  __syncthreads();
  slot_values<DIM> next = load_slot<DIM>(job.particles, first, min((int)threadIdx.x, count - 1));
  for (int n = threadIdx.x; n < count; n += blockDim.x) {
    const slot_values<DIM> values = next;
    next = load_slot<DIM>(job.particles, first, min(n + (int)blockDim.x, count - 1));
    const slot_place place = place_of<DIM, ORDER>(job, tile, room.edge, values);
    uint32_t code = NO_CODE;
    if (place.keeps)
      code = (uint32_t)place.bin << RANK_BITS | atomicAdd(&bins[place.bin], 1u);
    else if (place.live)
      code = OTHER | (uint32_t)place.others << RANK_BITS | atomicAdd(&others[place.others], 1u);
    codes[n] = code;
    kept += place.keeps;
    dead += !place.live;
  }
  __syncthreads();
  int before[CLASSES];
  size->others = 0;
#pragma unroll
  for (int k = 0; k < CLASSES; k++) {
    before[k] = size->others;
    size->others += (int)others[k];
  }
  size->kept = place_bins<shape::group>(bins, room.bins, list, room.entries - size->others);
  if (size->kept + size->others > room.entries)
    return false;
  __syncthreads();
  for (int n = threadIdx.x; n < count; n += blockDim.x) {
    const uint32_t code = codes[n];
    if (code == NO_CODE)
      continue;
    const uint32_t rank = code & ((1u << RANK_BITS) - 1), bin = (code & ~OTHER) >> RANK_BITS;
    const uint32_t ahead = rank + (uint32_t)(bin == 0   ? before[0]
                                             : bin == 1 ? before[1]
                                             : bin == 2 ? before[2]
                                                        : before[3]);
    list[code & OTHER ? (uint32_t)room.entries - 1 - ahead : bins[bin] + rank] = (uint16_t)n;
  }
  counts->done += kept;
  counts->dead += dead;
  __syncthreads();
  return true;
}
