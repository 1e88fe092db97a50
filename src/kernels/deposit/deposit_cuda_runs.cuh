/* Tiles on the device, orders 1 to 3 in 2D and 3D: a team a tile; a warp sums the particles of one
 * node, of all species, in registers before it adds to the tile's scratch. Included once a precision.
 *
 *     for each batch of the tile's slots (deposit_cuda_batch.cuh)
 *       list them by window (deposit_cuda_list.cuh): those that keep their support once, those that
 *         change it along one axis twice, each window's padded to whole groups of columns; the
 *         others from the list's other end on
 *       for each chunk of 32 entries of the warp's share of the list
 *         a lane an entry: load; planes and flows (deposit_cuda_window.cuh) into the lane's column
 *         for each group of columns: where the window changes, add the sums to the scratch;
 *           a lane a row of planes: sum[n] += plane[column] flow[n][column]
 *       the others, 32 at a time, on the wider window (deposit_cuda_queue.cuh)
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
 * Fewer rows than lanes: 32/rows sets of lanes take turns with the groups of columns. */

/* Sizes of a warp's stage (deposit_scratch.h) and how lanes share its rows. */
template <int DIM, int ORDER, class Mode> struct run_shape {
  typedef window<DIM, ORDER + 1> kept;
  typedef window<DIM, ORDER + 2> any;
  typedef typename Mode::Word Word;
  static const int group = cw_deposit_group(sizeof(Word)); /* columns of a load */
  static const int stride = cw_deposit_column_stride(sizeof(Word));
  static const int ways = kept::rows <= 16 ? 32 / kept::rows : 1;
  static const int rounds = (kept::rows + 31) / 32;
  static const int pair_words = DIM * (ORDER + 2) * 2;
  static const int particle_words = cw_deposit_particle_words(DIM, ORDER);
  static const int words = cw_deposit_stage_words(DIM, ORDER, sizeof(Word));
  static const size_t bytes = cw_deposit_stage_bytes(DIM, ORDER, sizeof(Word));
};

/* What a kernel of runs knows of its tile. The arena: the list, the scratch, a stage a warp. */
template <class Scratch> struct run_tile {
  Scratch *scratch;
  int volume, edge; /* volume: of a component, with its padding */
  int32_t low[3];   /* the scratch's first node */
  __device__ __forceinline__ int all() const { return (int)cw_deposit_even(3 * volume); }
  __device__ __forceinline__ int stride(int axis) const {
    return axis == 0 ? 1 : axis == 1 ? edge : edge * edge;
  }
};

template <int DIM> static __device__ __forceinline__ uint16_t *run_list(void) {
  return cw_team_arena<uint16_t>();
}
template <int DIM, class Mode>
static __device__ __forceinline__ typename Mode::Scratch *run_scratch(void) {
  return (typename Mode::Scratch *)(cw_team_arena<unsigned char>() + cw_deposit_list_bytes(DIM));
}
/* The stages of all warps. */
template <int DIM, class Mode>
static __device__ __forceinline__ unsigned char *run_stages(int volume) {
  return (unsigned char *)(run_scratch<DIM, Mode>() + cw_deposit_even(3 * volume));
}
template <int DIM, int ORDER, class Mode>
static __device__ __forceinline__ typename Mode::Word *run_stage(int volume, int warp) {
  return (typename Mode::Word *)(run_stages<DIM, Mode>(volume) +
                                 warp * run_shape<DIM, ORDER, Mode>::bytes);
}

template <int DIM, class Mode>
static __device__ __forceinline__ run_tile<typename Mode::Scratch> make_run_tile(
    const cw_deposit_device_job &job, const int32_t origin[3]) {
  run_tile<typename Mode::Scratch> tile;
  tile.scratch = run_scratch<DIM, Mode>();
  tile.edge = job.edge;
  tile.volume = (DIM == 2 ? tile.edge * tile.edge : tile.edge * tile.edge * tile.edge) + job.pad;
  for (int a = 0; a < 3; a++)
    tile.low[a] = origin[a] - job.below;
  return tile;
}

/* Registers of a lane: its rows' sums for the window `at` of the scratch (-1: none yet), and where
 * these rows are. Lanes without a row do as the last row does, but add nothing. */
template <int DIM, int ORDER, class Mode> struct run_sums {
  typedef run_shape<DIM, ORDER, Mode> shape;
  typedef typename shape::kept kept;
  typedef typename Mode::Word Word;
  typedef struct __align__(16) {
    Word w[shape::group];
  }
  Group;

  typename Mode::Sum sum[shape::rounds][ORDER];
  int count, at, way;
  struct row {
    int planes, flows, flow_step; /* in the stage */
    int place, step, adds;        /* in the scratch; flows that it adds */
  } rows[shape::rounds];

  __device__ __forceinline__ void start(const run_tile<typename Mode::Scratch> &tile, int lane) {
    clear();
    at = -1;
    way = min(lane / kept::rows, shape::ways - 1);
#pragma unroll
    for (int l = 0; l < shape::rounds; l++) {
      const int number = lane + 32 * l;
      const bool has = number < shape::ways * kept::rows;
      const int r = has ? number % kept::rows : kept::rows - 1;
      int c, a, b;
      kept::decode(r, &c, &a, &b);
      const int stride[3] = {tile.stride(0), tile.stride(1), tile.stride(2)};
      const int stride_a = c == 0 ? stride[1] : stride[0];
      const int stride_b = DIM == 2 ? (c == 2 ? stride[1] : 0) : c == 2 ? stride[1] : stride[2];
      rows[l].planes = r * shape::stride;
      rows[l].flows = (kept::rows + c * ORDER) * shape::stride;
      rows[l].flow_step = kept::flows_of(c) > 1 ? shape::stride : 0;
      rows[l].place = c * tile.volume + a * stride_a + b * stride_b;
      rows[l].step = c == 0 ? stride[0] : c == 1 ? stride[1] : stride[2];
      rows[l].adds = has ? kept::flows_of(c) : 0;
    }
  }
  __device__ __forceinline__ void clear() {
    count = 0;
#pragma unroll
    for (int l = 0; l < shape::rounds; l++)
#pragma unroll
      for (int n = 0; n < ORDER; n++)
        sum[l][n] = 0;
  }
  /* Adds the registers to the scratch and starts anew. */
  __device__ __forceinline__ void flush(const run_tile<typename Mode::Scratch> &tile) {
#pragma unroll
    for (int l = 0; l < shape::rounds; l++) {
      if (rows[l].adds == 0 || at < 0)
        continue;
      typename Mode::Scratch value[ORDER];
#pragma unroll
      for (int n = 0; n < ORDER; n++)
        value[n] = Mode::finish(sum[l][n], count);
      cw_tile_add<ORDER>(tile.scratch, tile.all(), at + rows[l].place, rows[l].step, value,
                         DIM == 3 ? ORDER : rows[l].adds);
    }
    clear();
  }
  /* All columns; `place`: the window of the lane's column, the same in a group (-1: an entry of no
   * particle, which adds nothing). */
  __device__ __forceinline__ void sum_columns(const run_tile<typename Mode::Scratch> &tile,
                                              const Word *stage, int place, int lane) {
    /* groups whose window differs from that of the group before, of the same way */
    const int turn = shape::group * shape::ways, last = __shfl_up_sync(~0u, place, turn % 32);
    const int held = __shfl_sync(~0u, at, lane / shape::group % shape::ways * kept::rows % 32);
    const unsigned heads = __ballot_sync(~0u, place >= 0 && lane % shape::group == 0 &&
                                                  place != (lane < turn ? held : last));
#pragma unroll
    for (int g = 0; g * shape::group < 32; g += shape::ways) {
      unsigned turns = 0;
#pragma unroll
      for (int w = 0; w < shape::ways && (g + w) * shape::group < 32; w++)
        turns |= heads >> ((g + w) * shape::group) & 1;
      const int column = min((g + way) * shape::group, 32 - shape::group);
      if (turns) {
        const int here = __shfl_sync(~0u, place, column);
        if (shape::ways == 1 || heads >> column & 1) {
          flush(tile);
          at = here;
        }
      }
      if (shape::ways == 1 || (g + way) * shape::group < 32) {
        count += shape::group;
#pragma unroll
        for (int l = 0; l < shape::rounds; l++)
          add_group(stage, l, column);
      }
    }
  }

private:
  __device__ __forceinline__ void add_group(const Word *stage, int l, int column) {
    const Group plane = *(const Group *)(stage + rows[l].planes + column);
#pragma unroll
    for (int n = 0; n < ORDER; n++) {
      const Group flow = *(const Group *)(stage + rows[l].flows + n * rows[l].flow_step + column);
#pragma unroll
      for (int k = 0; k < shape::group; k++)
        Mode::add(sum[l][n], flow.w[k], plane.w[k]);
    }
  }
};

/* An entry of the list: the number of a slot in its batch, and its form. FORM_WHOLE: the particle
 * keeps its support. FORM_SPLIT + 2 axis + upper: it changes it along that axis, and this is its
 * lower or its upper window. */
enum { NUMBER_BITS = 13, FORM_WHOLE = 0, FORM_SPLIT = 1 };
static const uint16_t NO_ENTRY = 0xffff;

/* What a listed window's column is made of; loads only, so that the next chunk's can be under way.
 * An entry of no particle is one of the batch's first slot, without weight. */
template <int DIM> struct raw_particle {
  int32_t i_prev[DIM], i;                                     /* i: along the axis of a split */
  cw_real dx_prev[DIM], dx[DIM], weight, u[DIM == 2 ? 3 : 1]; /* of no use in 3D */
  int form, species;
  bool here;
};

template <int DIM>
static __device__ __forceinline__ raw_particle<DIM> load_raw(const slot_batch<DIM> &batch,
                                                             uint16_t entry) {
  raw_particle<DIM> raw;
  raw.here = entry != NO_ENTRY;
  const uint32_t n = raw.here ? entry & ((1u << NUMBER_BITS) - 1) : 0;
  raw.form = raw.here ? entry >> NUMBER_BITS : FORM_WHOLE;
  raw.species = batch.species_of((int)n);
  const batch_species<DIM> &from = batch.of[raw.species];
#pragma unroll
  for (int a = 0; a < DIM; a++) {
    raw.i_prev[a] = from.i_prev[a][n];
    raw.dx_prev[a] = from.dx_prev[a][n];
    raw.dx[a] = from.dx[a][n];
  }
  raw.i = raw.form == FORM_WHOLE ? 0 : from.i[(raw.form - FORM_SPLIT) / 2][n];
  raw.weight = !raw.here ? 0 : from.weight ? from.weight[n] : (cw_real)1;
  if constexpr (DIM == 2)
    for (int c = 0; c < 3; c++)
      raw.u[c] = from.u[c][n];
  return raw;
}

/* Puts the factors of the axis of a split in place of those that it would have, had the particle
 * kept its support. Returns how far its window is from the old shape along that axis. */
template <int DIM, int ORDER>
static __device__ __forceinline__ int put_split(const raw_particle<DIM> &raw, int axis, int upper,
                                                pair_type pairs[DIM * (ORDER + 1)],
                                                cw_real flux[DIM][ORDER]) {
  int32_t i_prev = raw.i_prev[0];
  cw_real dx_prev = raw.dx_prev[0], dx = raw.dx[0];
#pragma unroll
  for (int a = 1; a < DIM; a++) /* registers have no index */
    if (a == axis) {
      i_prev = raw.i_prev[a];
      dx_prev = raw.dx_prev[a];
      dx = raw.dx[a];
    }
  pair_type own[ORDER + 1];
  cw_real own_flux[ORDER];
  const int nodes = split_axis<ORDER>(raw.i - i_prev, dx_prev, dx, upper, own, own_flux);
#pragma unroll
  for (int a = 0; a < DIM; a++)
    if (a == axis) {
#pragma unroll
      for (int n = 0; n <= ORDER; n++)
        pairs[a * (ORDER + 1) + n] = own[n];
#pragma unroll
      for (int n = 0; n < ORDER; n++)
        flux[a][n] = own_flux[n];
    }
  return upper - (nodes < 0);
}

/* Planes and flows of an entry into its column; an entry of no particle has flows of 0. Returns the
 * place of its window in the scratch, or -1. */
template <int DIM, int ORDER, class Mode>
static __device__ __forceinline__ int stage_entry(const run_tile<typename Mode::Scratch> &tile,
                                                  const slot_batch<DIM> &batch,
                                                  const raw_particle<DIM> &raw,
                                                  const cw_real scale[3],
                                                  typename Mode::Word *column) {
  typedef run_shape<DIM, ORDER, Mode> shape;
  typedef typename shape::kept kept;
  typename Mode::Word *flows = column + kept::rows * shape::stride;
  const cw_real half = (cw_real)0.5, *own_scale = batch.of[raw.species].scale;
  pair_type pairs[DIM * (ORDER + 1)];
  cw_real flux[DIM][ORDER];
  int at = 0;
#pragma unroll
  for (int a = 0; a < DIM; a++) {
    const int32_t s = CW_REAL_NAME(cw_deposit_first_node)(ORDER, raw.i_prev[a], raw.dx_prev[a]);
    /* of two cells with one nearest node, or in one cell */
    const int cells = ORDER % 2 ? 0 : (raw.dx_prev[a] >= half) - (raw.dx[a] >= half);
    const cw_real move = CW_REAL_NAME(cw_deposit_move)(cells, raw.dx_prev[a], raw.dx[a]);
    at += (s - tile.low[a]) * tile.stride(a);
    kept_axis<ORDER>(raw.dx_prev[a], raw.dx[a], move, pairs + a * (ORDER + 1), flux[a]);
  }
  if (raw.form != FORM_WHOLE) {
    const int axis = (raw.form - FORM_SPLIT) / 2, upper = (raw.form - FORM_SPLIT) % 2;
    at += put_split<DIM, ORDER>(raw, axis, upper, pairs, flux) * tile.stride(axis);
  }
#pragma unroll
  for (int a = 0; a < DIM; a++) {
    const cw_real flow = own_scale[a] * raw.weight * scale[a];
#pragma unroll
    for (int n = 0; n < ORDER; n++)
      flows[(a * ORDER + n) * shape::stride] = Mode::flow(flux[a][n] * flow);
  }
  if constexpr (DIM == 2) {
    cw_real square = 1;
    for (int c = 0; c < 3; c++)
      square += raw.u[c] * raw.u[c];
    const cw_real v = raw.u[2] * (1 / CW_REAL_NAME(cw_deposit_sqrt)(square));
    flows[2 * ORDER * shape::stride] = Mode::flow(own_scale[2] * raw.weight * v * scale[2]);
  }
#pragma unroll
  for (int row = 0; row < kept::rows; row++) {
    int c, a, b;
    kept::decode(row, &c, &a, &b);
    column[row * shape::stride] = Mode::plane(row_plane<DIM, ORDER + 1>(pairs, c, a, b));
  }
  return raw.here ? at : -1;
}
