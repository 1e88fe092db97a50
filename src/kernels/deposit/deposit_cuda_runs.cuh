/* Tiles on the device, orders 1 to 3 in 2D and 3D: a team a tile; a warp sums the particles of one
 * node in registers before it adds to the tile's scratch. Included once a precision.
 *
 *     for each chunk of 32 slots of the warp's share of the tile
 *       a lane a particle: load; if it keeps its support (deposit_cuda_window.cuh) write its
 *         planes and flows into the lane's column of the stage, else queue its slot
 *       for each run of columns with one window
 *         a lane a row of planes: sum[n] += plane[column] flow[n][column], four columns a load
 *         where the window changes: add the sums to the scratch
 *       32 queued slots or more: sum them on the wider window, straight to the scratch, integers a
 *         lane a particle; those that do not fit the scratch go to J
 *     barrier; the slots left in the queues of all warps, 32 at a time
 *     barrier; flush the scratch to J, non-zero values only, clipped to J's storage
 *
 * The stage, order 2 in 3D (27 rows of planes, 6 of flows; 4 words of padding keep 16-byte loads of
 * neighbouring rows in different banks):
 *
 *     lane 0   . . . . | . . . . |  ...  32 columns, one a particle     component x, nodes (0, 0)
 *     lane 1   . . . . | . . . . |                                                  (1, 0)
 *       ...
 *     lane 26  . . . . | . . . . |                                      component z, nodes (2, 2)
 *     flows    . . . . | . . . . |      read by all lanes of a component
 *
 * Fewer rows than lanes: 32/rows groups of lanes take turns with the fours of columns. */

/* Sizes of a warp's stage (deposit_scratch.h) and how lanes share its rows. */
template <int DIM, int ORDER, class Mode> struct run_shape {
  typedef window<DIM, ORDER + 1> kept;
  typedef window<DIM, ORDER + 2> any;
  typedef typename Mode::Word Word;
  static const int group = 16 / (int)sizeof(Word); /* columns of a load */
  static const int stride = cw_deposit_column_stride(sizeof(Word));
  static const int ways = kept::rows <= 16 ? 32 / kept::rows : 1;
  static const int rounds = (kept::rows + 31) / 32;
  static const int pair_words = DIM * (ORDER + 2) * 2;
  static const int particle_words = cw_deposit_particle_words(DIM, ORDER);
  static const int words = cw_deposit_stage_words(DIM, ORDER, sizeof(Word));
  static const int queue = CW_DEPOSIT_QUEUE; /* at most 31 left over and 32 new; last: how many */
  static const size_t bytes = cw_deposit_stage_bytes(DIM, ORDER, sizeof(Word));
};

/* The arena: a stage a warp, each with its queue, then the scratch. */
template <int DIM, int ORDER, class Mode>
static __device__ __forceinline__ typename Mode::Word *run_stage(int warp) {
  return (typename Mode::Word *)(cw_team_arena<unsigned char>() +
                                 warp * run_shape<DIM, ORDER, Mode>::bytes);
}
template <int DIM, int ORDER, class Mode>
static __device__ __forceinline__ int32_t *run_queue(int warp) {
  return (int32_t *)(run_stage<DIM, ORDER, Mode>(warp) + run_shape<DIM, ORDER, Mode>::words);
}
template <int DIM, int ORDER, class Mode>
static __device__ __forceinline__ typename Mode::Scratch *run_scratch(void) {
  return (typename Mode::Scratch *)run_stage<DIM, ORDER, Mode>((int)blockDim.x / 32);
}

/* What a kernel of runs knows of its tile. */
template <class Scratch> struct run_tile {
  Scratch *scratch;
  int volume, edge;
  int32_t low[3]; /* the scratch's first node */
  __device__ __forceinline__ int stride(int axis) const {
    return axis == 0 ? 1 : axis == 1 ? edge : edge * edge;
  }
};

template <int DIM, int ORDER, class Mode>
static __device__ __forceinline__ run_tile<typename Mode::Scratch> make_run_tile(
    const cw_deposit_device_job &job, const int32_t origin[3]) {
  run_tile<typename Mode::Scratch> tile;
  tile.scratch = run_scratch<DIM, ORDER, Mode>();
  tile.edge = job.tile + 2 * job.halo;
  tile.volume = DIM == 2 ? tile.edge * tile.edge : tile.edge * tile.edge * tile.edge;
  for (int a = 0; a < 3; a++)
    tile.low[a] = origin[a] - job.halo;
  return tile;
}

/* Registers of a lane: its rows' sums for the window `at` of the scratch. */
template <int DIM, int ORDER, class Mode> struct run_sums {
  typedef run_shape<DIM, ORDER, Mode> shape;
  typedef typename shape::kept kept;
  typedef typename Mode::Word Word;
  typedef struct __align__(16) {
    Word w[shape::group];
  }
  Group;

  typename Mode::Sum sum[shape::rounds][ORDER];
  int count[shape::rounds], at;

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int l = 0; l < shape::rounds; l++) {
      count[l] = 0;
#pragma unroll
      for (int n = 0; n < ORDER; n++)
        sum[l][n] = 0;
    }
  }
  static __device__ __forceinline__ int row_of(int lane, int round) {
    return shape::ways > 1 ? lane % kept::rows : lane + 32 * round;
  }
  static __device__ __forceinline__ bool has_row(int lane, int round) {
    return shape::ways > 1 ? lane < shape::ways * kept::rows : lane + 32 * round < kept::rows;
  }
  /* Sums columns begin .. end - 1. */
  __device__ __forceinline__ void accumulate(const Word *stage, int lane, int begin, int end) {
#pragma unroll
    for (int l = 0; l < shape::rounds; l++) {
      if (!has_row(lane, l))
        continue;
      int c, a, b;
      kept::decode(row_of(lane, l), &c, &a, &b);
      const Word *planes = stage + row_of(lane, l) * shape::stride;
      const Word *flows = stage + (kept::rows + c * ORDER) * shape::stride;
      const int step = kept::flows_of(c) > 1 ? shape::stride : 0;
      const int way = shape::ways > 1 ? lane / kept::rows : 0;
      for (int g = begin / shape::group + way; g * shape::group < end; g += shape::ways) {
        const int column = g * shape::group;
        const Group plane = *(const Group *)(planes + column);
        Group flow[ORDER];
#pragma unroll
        for (int n = 0; n < ORDER; n++)
          flow[n] = *(const Group *)(flows + n * step + column);
        if (column < begin || column + shape::group > end)
#pragma unroll
          for (int k = 0; k < shape::group; k++)
            if (column + k < begin || column + k >= end)
#pragma unroll
              for (int n = 0; n < ORDER; n++)
                flow[n].w[k] = 0;
        count[l] += shape::group;
#pragma unroll
        for (int k = 0; k < shape::group; k++)
#pragma unroll
          for (int n = 0; n < ORDER; n++)
            Mode::add(sum[l][n], flow[n].w[k], plane.w[k]);
      }
    }
  }
  /* Adds the registers to the scratch and starts anew. */
  __device__ __forceinline__ void flush(const run_tile<typename Mode::Scratch> &tile, int lane) {
#pragma unroll
    for (int l = 0; l < shape::rounds; l++) {
      if (!has_row(lane, l) || count[l] == 0)
        continue;
      int c, a, b;
      kept::decode(row_of(lane, l), &c, &a, &b);
      const int stride[3] = {1, tile.edge, tile.edge * tile.edge};
      typename Mode::Scratch *place =
          tile.scratch + c * tile.volume + at + kept::place(stride, c, a, b);
      typename Mode::Scratch value[ORDER];
#pragma unroll
      for (int n = 0; n < ORDER; n++)
        value[n] = Mode::finish(sum[l][n], count[l]);
      cw_tile_add<ORDER>(place, tile.stride(c), value, kept::flows_of(c));
    }
    clear();
  }
  /* All columns, whose windows stand at `place` (-1: nothing in that lane's). */
  __device__ __forceinline__ void sum_columns(const run_tile<typename Mode::Scratch> &tile,
                                              const Word *stage, int place, int lane) {
    /* where the window differs from that of the column before, or from the registers' */
    const unsigned kept_lanes = __ballot_sync(~0u, place >= 0);
    const unsigned before = kept_lanes & ((1u << lane) - 1);
    const int other = __shfl_sync(~0u, place, before ? 31 - __clz((int)before) : 0);
    unsigned heads = __ballot_sync(~0u, place >= 0 && place != (before ? other : at));
    for (int from = 0; kept_lanes;) {
      const int to = heads ? __ffs((int)heads) - 1 : 32;
      if (to > from)
        accumulate(stage, lane, from, to);
      if (!heads)
        break;
      flush(tile, lane);
      at = __shfl_sync(~0u, place, to);
      heads &= heads - 1;
      from = to;
    }
  }
};

/* A slot as it stands in the arrays; loads only, so that the next chunk's can be under way. */
template <int DIM> struct raw_particle {
  int32_t i_prev[DIM], i[DIM];
  cw_real dx_prev[DIM], dx[DIM], weight, u[DIM == 2 ? 3 : 1]; /* of no use in 3D */
  uint8_t tag;
  bool here; /* 0: no such slot */
  __device__ __forceinline__ bool live() const { return here && tag != CW_TAG_DEAD; }
};

template <int DIM>
static __device__ __forceinline__ raw_particle<DIM> load_raw(const cw_particles_view &view,
                                                             int64_t slot, int64_t first,
                                                             int64_t end) {
  raw_particle<DIM> raw;
  const bool here = slot >= first && slot < end;
#pragma unroll
  for (int a = 0; a < DIM; a++) {
    raw.i_prev[a] = here ? view.i_prev[a][slot] : 0;
    raw.i[a] = here ? view.i[a][slot] : 0;
    raw.dx_prev[a] = here ? ((const cw_real *)view.dx_prev[a])[slot] : 0;
    raw.dx[a] = here ? ((const cw_real *)view.dx[a])[slot] : 0;
  }
  raw.weight = here && view.weight ? ((const cw_real *)view.weight)[slot] : (cw_real)1;
  if constexpr (DIM == 2)
    for (int c = 0; c < 3; c++)
      raw.u[c] = here ? ((const cw_real *)view.u[c])[slot] : 0;
  raw.tag = here && view.tag ? view.tag[slot] : (uint8_t)CW_TAG_ALIVE;
  raw.here = here;
  return raw;
}

/* The place of a particle's window in the scratch if it is valid, keeps its support along every
 * axis and fits; else -1. */
template <int DIM, int ORDER, class Scratch>
static __device__ __forceinline__ int kept_place(const cw_deposit_device_job &job,
                                                 const run_tile<Scratch> &tile,
                                                 const raw_particle<DIM> &raw, cw_real move[DIM]) {
  bool keeps = raw.live() && raw.weight - raw.weight == 0;
  int at = 0;
#pragma unroll
  for (int a = 0; a < DIM; a++) {
    const int32_t s = CW_REAL_NAME(cw_deposit_first_node)(ORDER, raw.i_prev[a], raw.dx_prev[a]);
    const int32_t t = CW_REAL_NAME(cw_deposit_first_node)(ORDER, raw.i[a], raw.dx[a]);
    move[a] = CW_REAL_NAME(cw_deposit_move)(raw.i[a] - raw.i_prev[a], raw.dx_prev[a], raw.dx[a]);
    const int local = s - tile.low[a];
    keeps = keeps && s == t && raw.dx[a] >= 0 && raw.dx[a] <= 1 && raw.dx_prev[a] >= 0 &&
            raw.dx_prev[a] <= 1 && fabs(move[a]) <= (cw_real)job.max_move && local >= 0 &&
            local <= tile.edge - (ORDER + 1);
    at += local * tile.stride(a);
  }
  return keeps ? at : -1;
}

/* Planes and flows of a particle that keeps its support into its column, which adds nothing if the
 * particle does not. Returns kept_place. */
template <int DIM, int ORDER, class Mode>
static __device__ __forceinline__ int stage_kept(const cw_deposit_device_job &job,
                                                 const run_tile<typename Mode::Scratch> &tile,
                                                 const raw_particle<DIM> &raw,
                                                 const cw_real scale[3],
                                                 typename Mode::Word *column) {
  typedef run_shape<DIM, ORDER, Mode> shape;
  typedef typename shape::kept kept;
  typename Mode::Word *flows = column + kept::rows * shape::stride;
  cw_real move[DIM];
  const int place = kept_place<DIM, ORDER>(job, tile, raw, move);
  if (place < 0) {
    for (int n = 0; n < kept::flows; n++)
      flows[n * shape::stride] = 0;
    return place;
  }
  pair_type pairs[DIM * (ORDER + 1)];
#pragma unroll
  for (int a = 0; a < DIM; a++) {
    cw_real flux[ORDER];
    kept_axis<ORDER>(raw.dx_prev[a], raw.dx[a], move[a], pairs + a * (ORDER + 1), flux);
    const cw_real flow = (cw_real)job.scale[a] * raw.weight * scale[a];
#pragma unroll
    for (int n = 0; n < ORDER; n++)
      flows[(a * ORDER + n) * shape::stride] = Mode::flow(flux[n] * flow);
  }
  if constexpr (DIM == 2) {
    cw_real square = 1;
    for (int c = 0; c < 3; c++)
      square += raw.u[c] * raw.u[c];
    const cw_real v = raw.u[2] * (1 / CW_REAL_NAME(cw_deposit_sqrt)(square));
    flows[2 * ORDER * shape::stride] =
        Mode::flow((cw_real)job.scale[2] * raw.weight * v * scale[2]);
  }
#pragma unroll
  for (int row = 0; row < kept::rows; row++) {
    int c, a, b;
    kept::decode(row, &c, &a, &b);
    column[row * shape::stride] = Mode::plane(row_plane<DIM, ORDER + 1>(pairs, c, a, b));
  }
  return place;
}
