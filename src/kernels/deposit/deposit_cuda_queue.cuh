/* The slots that a kernel of runs sets aside: particles whose old and new shape stand on different
 * nodes along several axes, on the window of order + 2; and those at fault or out of the tile's
 * reach. Included after deposit_cuda_runs.cuh. */

/* What became of a queued slot. */
typedef enum queued_fate {
  QUEUED_NOTHING = 0,
  QUEUED_DONE,
  QUEUED_ESCAPED,
  QUEUED_OUTSIDE
} queued_fate;

/* Counts of a lane. */
typedef struct run_counts {
  unsigned done, escaped, outside, dead;
  __device__ __forceinline__ void add(queued_fate fate) {
    done += fate == QUEUED_DONE;
    escaped += fate == QUEUED_ESCAPED;
    outside += fate == QUEUED_OUTSIDE;
  }
  __device__ __forceinline__ void report(cw_deposit_counts *sum) const {
    cw_count(&sum->tiled, done);
    cw_count(&sum->escaped, escaped);
    cw_count(&sum->outside, outside);
    cw_count(&sum->dead, dead);
  }
} run_counts;

/* A queued particle's factors into its words of the stage and its window's place in the scratch; or
 * straight to J if it does not fit there. */
template <int DIM, int ORDER, class Mode>
static __device__ __forceinline__ queued_fate
stage_any(const cw_deposit_device_job &job, const run_tile<typename Mode::Scratch> &tile,
          int species, int64_t slot, typename Mode::Word *words, int *place) {
  typedef run_shape<DIM, ORDER, Mode> shape;
  particle_type particle;
  if (!load_live(DIM, ORDER, job, species, slot, &particle)) /* the dead are not listed */
    return QUEUED_NOTHING;
  int32_t start[3];
  int at = 0;
  bool fits = true;
#pragma unroll
  for (int a = 0; a < DIM; a++) {
    start[a] = CW_REAL_NAME(cw_deposit_start)(ORDER, &particle, a);
    const int local = start[a] - tile.low[a];
    fits = fits && local >= 0 && local <= tile.edge - (ORDER + 2);
    at += local * tile.stride(a);
  }
  if (!fits)
    return window_to_grid<DIM, ORDER, Mode>(job, &particle, slot) ? QUEUED_ESCAPED : QUEUED_OUTSIDE;
  cw_real scale[3];
  flow_scales<Mode>(job, scale);
  pair_type pairs[DIM][ORDER + 2];
  typename Mode::Word flows[shape::any::flows];
  any_factors<DIM, ORDER, Mode>(particle, start, scale, pairs, flows);
  cw_real *reals = (cw_real *)words;
#pragma unroll
  for (int a = 0; a < DIM; a++)
#pragma unroll
    for (int n = 0; n < ORDER + 2; n++) {
      reals[2 * (a * (ORDER + 2) + n)] = pairs[a][n].t;
      reals[2 * (a * (ORDER + 2) + n) + 1] = pairs[a][n].e;
    }
#pragma unroll
  for (int n = 0; n < shape::any::flows; n++)
    words[shape::pair_words + n] = flows[n];
  *place = at;
  return QUEUED_DONE;
}

template <int ORDER>
static __device__ __forceinline__ pair_type staged_pair(const void *words, int axis, int node) {
  const cw_real *pair = (const cw_real *)words + 2 * (axis * (ORDER + 2) + node);
  return {pair[0], pair[1]};
}

/* Adds a row of the wider window to the scratch from `offset` on: the plane times `count` flows. */
template <int ORDER, class Mode>
static __device__ __forceinline__ void add_row(const run_tile<typename Mode::Scratch> &tile,
                                               cw_real value, const typename Mode::Word *flows,
                                               int offset, int step, int count) {
  const typename Mode::Word plane = Mode::plane(value);
  if (Mode::fixed && plane == 0)
    return;
  typename Mode::Scratch values[ORDER + 1];
#pragma unroll
  for (int n = 0; n <= ORDER; n++)
    values[n] = n < count ? Mode::product(flows[n], plane) : 0;
  cw_tile_add<ORDER + 1>(tile.scratch, tile.all(), offset, step, values, count);
}

/* Every row of a lane's particle. */
template <int DIM, int ORDER, class Mode>
static __device__ __forceinline__ void add_rows(const run_tile<typename Mode::Scratch> &tile,
                                                const typename Mode::Word *words, int at) {
  typedef run_shape<DIM, ORDER, Mode> shape;
  typedef typename shape::any any;
#pragma unroll 1
  for (int c = 0; c < 3; c++) {
    const int axis_a = any::axis_a(c), axis_b = DIM == 2 ? 1 : any::axis_b(c);
    const bool plane = any::is_plane(c);
    typename Mode::Word flows[ORDER + 1];
    pair_type pairs[ORDER + 2];
#pragma unroll
    for (int n = 0; n <= ORDER; n++)
      flows[n] = n < any::flows_of(c) ? words[shape::pair_words + c * (ORDER + 1) + n] : 0;
#pragma unroll
    for (int a = 0; a < ORDER + 2; a++)
      pairs[a] = staged_pair<ORDER>(words, axis_a, a);
#pragma unroll 1
    for (int b = 0; b < (plane ? ORDER + 2 : 1); b++) {
      const pair_type across = staged_pair<ORDER>(words, axis_b, b);
      const int offset = at + c * tile.volume + (plane ? b * tile.stride(axis_b) : 0);
#pragma unroll
      for (int a = 0; a < ORDER + 2; a++)
        add_row<ORDER, Mode>(tile, plane ? plane_value(pairs[a], across) : pairs[a].t, flows,
                             offset + a * tile.stride(axis_a), tile.stride(c), any::flows_of(c));
    }
  }
}

/* Row `row` of the wider window of a staged particle. */
template <int DIM, int ORDER, class Mode>
static __device__ __forceinline__ void add_staged_row(const run_tile<typename Mode::Scratch> &tile,
                                                      const typename Mode::Word *words, int at,
                                                      int row) {
  typedef run_shape<DIM, ORDER, Mode> shape;
  typedef typename shape::any any;
  int c, a, b;
  any::decode(row, &c, &a, &b);
  const int axis_a = any::axis_a(c), axis_b = DIM == 2 ? 1 : any::axis_b(c);
  const pair_type pair = staged_pair<ORDER>(words, axis_a, a);
  const bool plane = any::is_plane(c);
  add_row<ORDER, Mode>(
      tile, plane ? plane_value(pair, staged_pair<ORDER>(words, axis_b, b)) : pair.t,
      words + shape::pair_words + c * (ORDER + 1),
      at + c * tile.volume + a * tile.stride(axis_a) + (plane ? b * tile.stride(axis_b) : 0),
      tile.stride(c), any::flows_of(c));
}

/* Sums up to 32 queued slots, the lane's in `slot` (-1: none), into the scratch. Integers: a lane a
 * particle, since colliding integer additions cost little. Reals: all lanes on one particle, whose
 * window has no place twice, since colliding ones are repeated. */
template <int DIM, int ORDER, class Mode>
static __device__ __forceinline__ queued_fate sum_queued(const cw_deposit_device_job &job,
                                                         run_tile<typename Mode::Scratch> tile,
                                                         int species, int64_t slot) {
  typedef run_shape<DIM, ORDER, Mode> shape;
  typedef typename shape::any any;
  const int lane = threadIdx.x % 32;
  /* found anew, so that it is known to be shared memory */
  typename Mode::Word *const stage = run_stage<DIM, ORDER, Mode>(tile.volume, threadIdx.x / 32);
  tile.scratch = run_scratch<DIM, Mode>();
  typename Mode::Word *const words = stage + lane * shape::particle_words;
  queued_fate fate = QUEUED_NOTHING;
  int place = -1;
  if (slot >= 0)
    fate = stage_any<DIM, ORDER, Mode>(job, tile, species, slot, words, &place);
  if (Mode::fixed) {
    if (place >= 0)
      add_rows<DIM, ORDER, Mode>(tile, words, place);
  } else {
    __syncwarp();
    for (int p = 0; p < 32; p++) {
      const int here = __shfl_sync(~0u, place, p);
      if (here < 0)
        continue;
#pragma unroll
      for (int row = lane; row < any::rows; row += 32)
        add_staged_row<DIM, ORDER, Mode>(tile, stage + p * shape::particle_words, here, row);
    }
  }
  __syncwarp();
  return fate;
}
