/* The deposit's kernels of one precision, and their choice. Included by deposit_cuda_f32.cu and
 * deposit_cuda_f64.cu with CW_REAL_IS_DOUBLE set. */
#define CW_BODY              static __device__ __forceinline__
#define CW_SINK_IS_ATOMIC    1
#define CW_SINK_IS_FIXED     0
#include "kernels/deposit/deposit_body.h"
#undef CW_SINK_IS_FIXED
#define CW_SINK_IS_FIXED 1
#include "kernels/deposit/deposit_body.h"
#undef CW_SINK_IS_FIXED

#include "kernels/deposit/deposit_cuda_runs.cuh"

static __device__ __forceinline__ cw_real CW_REAL_NAME(cw_deposit_sqrt)(cw_real x) {
  return sqrt(x);
}
#include "kernels/deposit/deposit_load.h"

typedef CW_REAL_NAME(cw_deposit_particle) particle_type;

/* Loads slot `slot`; 0 for a dead slot or one with a fault, which is reported. */
static __device__ __forceinline__ bool load(int dim, int order, const cw_deposit_device_job &job,
                                            int64_t slot, particle_type *particle, bool *dead) {
  const cw_particles_view *view = &job.particles;
  *dead = view->tag && view->tag[slot] == CW_TAG_DEAD;
  if (*dead) return false;
  const cw_real scale[3] = {(cw_real)job.scale[0], (cw_real)job.scale[1], (cw_real)job.scale[2]};
  const cw_real weight = view->weight ? ((const cw_real *)view->weight)[slot] : (cw_real)1;
  *particle = CW_REAL_NAME(cw_deposit_load)(dim, view, scale, weight, slot);
  bool valid = CW_REAL_NAME(cw_deposit_valid)(dim, order, particle);
  for (int a = 0; a < dim; a++) {
    const cw_real move =
        (cw_real)(particle->i[a] - particle->i_prev[a]) + (particle->dx[a] - particle->dx_prev[a]);
    valid = valid && fabs(move) <= (cw_real)job.max_move;
  }
  if (valid) return true;
  cw_fault_report(job.fault, CW_FAULT_MOVED, slot);
  return false;
}

template <class Sink> struct body;
template <> struct body<cw_real> {
  typedef CW_REAL_NAME(cw_deposit_sink) sink_type;
  static __device__ __forceinline__ void add(int dim, int order, const particle_type *particle,
                                             const int32_t *start, const sink_type *sink) {
    CW_REAL_NAME(cw_deposit_particle_current)(dim, order, particle, start, sink);
  }
};
template <> struct body<int64_t> {
  typedef CW_REAL_NAME(cw_deposit_sink_fixed) sink_type;
  static __device__ __forceinline__ void add(int dim, int order, const particle_type *particle,
                                             const int32_t *start, const sink_type *sink) {
    CW_REAL_NAME(cw_deposit_particle_current_fixed)(dim, order, particle, start, sink);
  }
};

/* Straight to J: the whole particle; 0 if its window leaves J's storage, which is a fault where
 * nobody reads the counts. */
template <int DIM, class Sink>
static __device__ __noinline__ bool add_to_grid(int order, const cw_deposit_device_job &job,
                                                const particle_type *particle, int64_t slot) {
  const int window = order ? order + 2 : 3;
  typename body<Sink>::sink_type sink;
  int32_t start[3];
  int64_t at = 0;
  for (int a = 0; a < DIM; a++) {
    start[a] = CW_REAL_NAME(cw_deposit_start)(order, particle, a);
    if (start[a] < job.low[a] || start[a] > job.high[a] - window) {
      if (job.outside_is_fault) cw_fault_report(job.fault, CW_FAULT_OUTSIDE, slot);
      return false;
    }
    at += (start[a] - job.low[a]) * job.stride[a];
  }
  for (int c = 0; c < 3; c++) {
    sink.component[c] = (Sink *)job.component[c] + at;
    sink.stride[c] = job.stride[c];
    sink.quanta[c] = job.quanta ? (cw_real)job.quanta->quanta[c] : 1;
  }
  body<Sink>::add(DIM, order, particle, start, &sink);
  return true;
}

/* A thread a particle, any order of particles. */
template <int DIM, class Sink>
static __global__ void __launch_bounds__(CW_THREADS) deposit_flat(cw_deposit_device_job job) {
  unsigned done = 0, dead = 0, outside = 0;
  cw_grid_stride(n, job.last - job.first) {
    particle_type particle;
    bool is_dead;
    if (!load(DIM, job.order, job, job.first + n, &particle, &is_dead)) {
      dead += is_dead;
      continue;
    }
    const bool inside = add_to_grid<DIM, Sink>(job.order, job, &particle, job.first + n);
    done += inside;
    outside += !inside;
  }
  cw_count(job.tail ? &job.counts->tail : &job.counts->flat, done);
  cw_count(&job.counts->dead, dead);
  cw_count(&job.counts->outside, outside);
}

/* The slice of tile t that is still live. */
static __device__ __forceinline__ void tile_slice(const cw_deposit_device_job &job, int64_t *first,
                                                  int64_t *last) {
  *first = job.tile_offsets[blockIdx.x];
  *last = job.tile_offsets[blockIdx.x + 1];
  if (*last > job.particles.count) *last = job.particles.count;
}

template <class Scratch> static __device__ void zero_scratch(Scratch *scratch, int count) {
  for (int n = threadIdx.x; n < count; n += blockDim.x) scratch[n] = 0;
}

/* A team a tile, a thread a particle, atomic additions to the scratch: every order. */
template <int DIM, int ORDER, class Scratch>
static __global__ void __launch_bounds__(CW_THREADS) deposit_tile(cw_deposit_device_job job) {
  const int order = ORDER >= 0 ? ORDER : job.order, window = order ? order + 2 : 3;
  const int edge = job.tile + 2 * job.halo;
  const int volume = DIM == 1 ? edge : DIM == 2 ? edge * edge : edge * edge * edge;
  Scratch *scratch = cw_team_arena<Scratch>();
  int64_t first, last;
  tile_slice(job, &first, &last);
  if (first >= last) return;
  zero_scratch(scratch, 3 * volume);
  int32_t origin[3];
  cw_tile_origin(job, (int)blockIdx.x, origin);
  __syncthreads();
  unsigned done = 0, escaped = 0, dead = 0, outside = 0;
  for (int64_t slot = first + threadIdx.x; slot < last; slot += blockDim.x) {
    particle_type particle;
    bool is_dead;
    if (!load(DIM, order, job, slot, &particle, &is_dead)) {
      dead += is_dead;
      continue;
    }
    int32_t start[3];
    int at = 0, stride = 1;
    bool fits = true;
    typename body<Scratch>::sink_type sink;
#pragma unroll
    for (int a = 0; a < DIM; a++) {
      start[a] = CW_REAL_NAME(cw_deposit_start)(order, &particle, a);
      const int32_t local = start[a] - (origin[a] - job.halo);
      fits = fits && local >= 0 && local <= edge - window;
      at += local * stride;
      sink.stride[a] = stride;
      stride *= edge;
    }
    if (!fits) {
      const bool inside = add_to_grid<DIM, Scratch>(order, job, &particle, slot);
      escaped += inside;
      outside += !inside;
      continue;
    }
    for (int c = 0; c < 3; c++) {
      sink.component[c] = scratch + c * volume + at;
      sink.quanta[c] = job.quanta ? (cw_real)job.quanta->quanta[c] : 1;
    }
    body<Scratch>::add(DIM, order, &particle, start, &sink);
    done++;
  }
  cw_count(&job.counts->tiled, done);
  cw_count(&job.counts->escaped, escaped);
  cw_count(&job.counts->dead, dead);
  cw_count(&job.counts->outside, outside);
  __syncthreads();
  cw_tile_flush<DIM, Scratch, Scratch>(job, scratch, edge, origin, 0);
}

/* Factors of one particle into its stage; its window's place in the scratch, or -1 if it does not
 * fit there. */
template <int DIM, int ORDER>
static __device__ __forceinline__ int stage_particle(const cw_deposit_device_job &job,
                                                     const particle_type &particle,
                                                     const int32_t origin[3], int edge,
                                                     const cw_real quanta[3], cw_real *stage) {
  typedef cw_run_shape<DIM, ORDER> shape;
  int at = 0, stride = 1;
  cw_real words[shape::words];
#pragma unroll
  for (int n = 0; n < shape::words; n++) words[n] = 0;
#pragma unroll
  for (int a = 0; a < DIM; a++) {
    cw_real s[ORDER + 1], t[ORDER + 1];
    int s_first, t_first;
    CW_REAL_NAME(cw_shape_weights)(ORDER, particle.dx_prev[a], &s_first, s);
    CW_REAL_NAME(cw_shape_weights)(ORDER, particle.dx[a], &t_first, t);
    const int32_t start = particle.i_prev[a] + s_first - 1;
    const int32_t local = start - (origin[a] - job.halo);
    if (local < 0 || local > edge - shape::window) return -1;
    cw_run_axis<ORDER, cw_real>(s, t, particle.i[a] + t_first - start, particle.flow[a] * quanta[a],
                                words + a * shape::p_words,
                                words + DIM * shape::p_words + a * 2 * shape::window);
    at += local * stride;
    stride *= edge;
  }
#pragma unroll
  for (int c = DIM; c < 3; c++)
    words[DIM * (shape::p_words + 2 * shape::window) + c - DIM] = particle.flow[c] * quanta[c];
  typedef typename std::conditional<sizeof(cw_real) == 4, float4, double2>::type vector;
  const int step = 16 / (int)sizeof(cw_real);
#pragma unroll
  for (int n = 0; n < shape::words; n += step) {
    vector v;
    if constexpr (sizeof(cw_real) == 4)
      v = {words[n], words[n + 1], words[n + 2], words[n + 3]};
    else
      v = {words[n], words[n + 1]};
    *(vector *)(stage + n) = v;
  }
  return at;
}

/* Runs end after this many particles: their sums of 2^22 quanta each stay within 32 bits. */
enum { LONGEST_RUN = 256 };

template <int DIM, int ORDER, class Scratch, class Sink>
static __global__ void __launch_bounds__(CW_THREADS) deposit_runs(cw_deposit_device_job job) {
  typedef cw_run_shape<DIM, ORDER> shape;
  const int edge = job.tile + 2 * job.halo;
  const int volume = DIM == 1 ? edge : DIM == 2 ? edge * edge : edge * edge * edge;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  int64_t first, last;
  tile_slice(job, &first, &last);
  if (first >= last) return;
  cw_real *stages = cw_team_arena<cw_real>();
  cw_real *stage = stages + warp * 32 * shape::words;
  Scratch *scratch = (Scratch *)(stages + warps * 32 * shape::words);
  Scratch *component[3] = {scratch, scratch + volume, scratch + 2 * volume};
  const int stride[3] = {1, edge, edge * edge};
  zero_scratch(scratch, 3 * volume);
  int32_t origin[3];
  cw_tile_origin(job, (int)blockIdx.x, origin);
  /* 32-bit sums of a tile's n particles: each at most 2^22 quanta, all less than 2^31 */
  int shift = 0;
  if (sizeof(Scratch) == 4 && job.quanta)
    while (((last - first) >> shift) >= 511) shift++;
  cw_real quanta[3] = {1, 1, 1};
  if (job.quanta)
    for (int c = 0; c < 3; c++) quanta[c] = (cw_real)ldexp(job.quanta->quanta[c], -shift);
  __syncthreads();
  unsigned done = 0, escaped = 0, dead = 0, outside = 0;
  cw_run_sums<DIM, ORDER, cw_real, Sink, Scratch> sums;
  sums.clear();
  int current = -1;
  const int64_t share = (last - first + warps - 1) / warps;
  const int64_t begin = first + warp * share, end = begin + share < last ? begin + share : last;
  for (int64_t chunk = begin; chunk < end; chunk += 32) {
    const int64_t slot = chunk + lane;
    int at = -1;
    if (slot < end) {
      particle_type particle;
      bool is_dead;
      if (load(DIM, ORDER, job, slot, &particle, &is_dead)) {
        at = stage_particle<DIM, ORDER>(job, particle, origin, edge, quanta,
                                        stage + lane * shape::words);
        if (at < 0) {
          const bool inside = add_to_grid<DIM, Sink>(ORDER, job, &particle, slot);
          escaped += inside;
          outside += !inside;
        }
        done += at >= 0;
      } else {
        dead += is_dead;
      }
    }
    __syncwarp();
    const int slots = end - chunk < 32 ? (int)(end - chunk) : 32;
    for (int p = 0; p < slots; p++) {
      const int here = __shfl_sync(0xffffffffu, at, p);
      if (here < 0) continue;
      if (here != current || sums.count == LONGEST_RUN) {
        sums.flush(component, stride, current, lane);
        current = here;
      }
      sums.accumulate(stage + p * shape::words, lane);
    }
    __syncwarp();
  }
  sums.flush(component, stride, current, lane);
  cw_count(&job.counts->tiled, done);
  cw_count(&job.counts->escaped, escaped);
  cw_count(&job.counts->dead, dead);
  cw_count(&job.counts->outside, outside);
  __syncthreads();
  cw_tile_flush<DIM, Scratch, Sink>(job, scratch, edge, origin, shift);
}

/* ---- launches ---- */

static size_t arena_of_tile(const void *user, int tile) {
  return cw_deposit_arena_bytes((const cw_deposit_arena *)user, tile);
}

static cw_status launch_tiles(cw_context *context, const cw_deposit_device_job *job,
                              const char *name, void (*kernel)(cw_deposit_device_job),
                              size_t value, size_t stage_a_warp, int team_size) {
  /* a stage a warp: the arena grows with the team, so its size is settled first */
  const int threads =
      stage_a_warp ? (team_size ? (team_size + 31) / 32 * 32 : CW_DEPOSIT_STAGED_TEAM) : team_size;
  const int team = threads > CW_DEPOSIT_LARGEST_TEAM ? CW_DEPOSIT_LARGEST_TEAM : threads;
  const cw_deposit_arena arena = {job->dim, job->halo, value, stage_a_warp, team / 32};
  const cw_team_request request = {name,
                                   (const void *)kernel,
                                   (int64_t)job->tiles[0] * job->tiles[1] * job->tiles[2],
                                   team,
                                   arena_of_tile(&arena, job->tile),
                                   job->tile,
                                   arena_of_tile,
                                   &arena};
  cw_team_launch launch;
  CW_TRY(cw_team_prepare(context, &request, &launch));
  CW_TEAM_LAUNCH(context, launch, name, kernel, *job);
  return CW_OK;
}

template <int DIM, class Sink>
static cw_status launch_flat(cw_context *context, const cw_deposit_device_job *job) {
  const int64_t count = job->last - job->first;
  if (count <= 0) return CW_OK;
  CW_CUDA_LAUNCH_NAMED(context, "deposit_flat", (deposit_flat<DIM, Sink>),
                       cw_cuda_blocks(context, count, CW_THREADS), CW_THREADS, 0, *job);
  return CW_OK;
}

cw_status CW_REAL_NAME(cw_deposit_cuda_flat)(cw_context *context, const cw_deposit_device_job *job) {
  switch (job->dim * 2 + (job->quanta != NULL)) {
  case 2: return launch_flat<1, cw_real>(context, job);
  case 3: return launch_flat<1, int64_t>(context, job);
  case 4: return launch_flat<2, cw_real>(context, job);
  case 5: return launch_flat<2, int64_t>(context, job);
  case 6: return launch_flat<3, cw_real>(context, job);
  default: return launch_flat<3, int64_t>(context, job);
  }
}

template <int DIM, class Scratch>
static cw_status launch_lanes(cw_context *context, const cw_deposit_device_job *job, int team) {
  const char *name = "deposit_tile";
  switch (job->order) {
  case 0: return launch_tiles(context, job, name, deposit_tile<DIM, 0, Scratch>, sizeof(Scratch), 0, team);
  case 1: return launch_tiles(context, job, name, deposit_tile<DIM, 1, Scratch>, sizeof(Scratch), 0, team);
  case 2: return launch_tiles(context, job, name, deposit_tile<DIM, 2, Scratch>, sizeof(Scratch), 0, team);
  case 3: return launch_tiles(context, job, name, deposit_tile<DIM, 3, Scratch>, sizeof(Scratch), 0, team);
  default: return launch_tiles(context, job, name, deposit_tile<DIM, -1, Scratch>, sizeof(Scratch), 0, team);
  }
}

template <int DIM, class Scratch, class Sink>
static cw_status launch_runs(cw_context *context, const cw_deposit_device_job *job, int team) {
  const char *name = "deposit_runs";
  const size_t word = CW_DEPOSIT_STAGE_SLOTS * sizeof(cw_real);
  switch (job->order) {
  case 1:
    return launch_tiles(context, job, name, deposit_runs<DIM, 1, Scratch, Sink>, sizeof(Scratch),
                        word * cw_run_shape<DIM, 1>::words, team);
  case 2:
    return launch_tiles(context, job, name, deposit_runs<DIM, 2, Scratch, Sink>, sizeof(Scratch),
                        word * cw_run_shape<DIM, 2>::words, team);
  default:
    return launch_tiles(context, job, name, deposit_runs<DIM, 3, Scratch, Sink>, sizeof(Scratch),
                        word * cw_run_shape<DIM, 3>::words, team);
  }
}

template <int DIM>
static cw_status launch_tiled(cw_context *context, const cw_deposit_device_job *job, int runs,
                              int scratch_bits, int team) {
  if (!runs || !cw_deposit_has_runs(job->order))
    return job->quanta ? launch_lanes<DIM, int64_t>(context, job, team)
                       : launch_lanes<DIM, cw_real>(context, job, team);
  if (!job->quanta) return launch_runs<DIM, cw_real, cw_real>(context, job, team);
#if !CW_REAL_IS_DOUBLE
  if (scratch_bits == 32) return launch_runs<DIM, int32_t, int64_t>(context, job, team);
#else
  (void)scratch_bits;
#endif
  return launch_runs<DIM, int64_t, int64_t>(context, job, team);
}

cw_status CW_REAL_NAME(cw_deposit_cuda_tiled)(cw_context *context, const cw_deposit_device_job *job,
                                              int runs, int scratch_bits, int team) {
  switch (job->dim) {
  case 1: return launch_tiled<1>(context, job, runs, scratch_bits, team);
  case 2: return launch_tiled<2>(context, job, runs, scratch_bits, team);
  default: return launch_tiled<3>(context, job, runs, scratch_bits, team);
  }
}
