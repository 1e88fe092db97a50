/* The deposit's kernels of one precision. Included by deposit_cuda_f32.cu and deposit_cuda_f64.cu
 * with CW_REAL_IS_DOUBLE set. Both are compiled without contraction (fused products stand by name),
 * so that in fixed point a particle adds the same numbers by whatever kernel. */
#define CW_MADD(a, b, c)  fma((a), (b), (c))
#define CW_BODY           static __device__ __forceinline__
#define CW_SINK_IS_ATOMIC 1
#define CW_SINK_IS_FIXED  0
#include "kernels/deposit/deposit_body.h"
#undef CW_SINK_IS_FIXED
#define CW_SINK_IS_FIXED 1
#include "kernels/deposit/deposit_body.h"
#undef CW_SINK_IS_FIXED
#if !CW_REAL_IS_DOUBLE
#define CW_SINK_IS_FIXED 2
#include "kernels/deposit/deposit_body.h"
#undef CW_SINK_IS_FIXED
#endif

#include "kernels/deposit/deposit_cuda_modes.cuh"

static __device__ __forceinline__ cw_real CW_REAL_NAME(cw_deposit_sqrt)(cw_real x) {
  return sqrt(x);
}
#include "kernels/deposit/deposit_load.h"

typedef CW_REAL_NAME(cw_deposit_particle) particle_type;

/* Loads a slot that is not dead; 0 for one with a fault, which is reported. */
static __device__ __forceinline__ bool load_live(int dim, int order,
                                                 const cw_deposit_device_job &job, int species,
                                                 int64_t slot, particle_type *particle) {
  const cw_particles_view *view = &job.species[species].particles;
  const double *factor = job.species[species].scale;
  const cw_real scale[3] = {(cw_real)factor[0], (cw_real)factor[1], (cw_real)factor[2]};
  const cw_real weight = view->weight ? ((const cw_real *)view->weight)[slot] : (cw_real)1;
  *particle = CW_REAL_NAME(cw_deposit_load)(dim, view, scale, weight, slot);
  bool valid = CW_REAL_NAME(cw_deposit_valid)(dim, order, particle);
  for (int a = 0; a < dim; a++) {
    const cw_real move =
        (cw_real)(particle->i[a] - particle->i_prev[a]) + (particle->dx[a] - particle->dx_prev[a]);
    valid = valid && fabs(move) <= (cw_real)job.max_move;
  }
  if (valid)
    return true;
  cw_fault_report(job.fault, CW_FAULT_MOVED, slot);
  return false;
}

/* The same for any slot of the first species. */
static __device__ __forceinline__ bool load(int dim, int order, const cw_deposit_device_job &job,
                                            int64_t slot, particle_type *particle, bool *dead) {
  const uint8_t *tag = job.species[0].particles.tag;
  *dead = tag && tag[slot] == CW_TAG_DEAD;
  return !*dead && load_live(dim, order, job, 0, slot, particle);
}

/* A window leaves J's storage: a fault where nobody reads the counts. */
static __device__ __forceinline__ bool report_outside(const cw_deposit_device_job &job,
                                                      int64_t slot) {
  if (job.outside_is_fault)
    cw_fault_report(job.fault, CW_FAULT_OUTSIDE, slot);
  return false;
}

/* each takes from the one before */
#include "kernels/deposit/deposit_cuda_window.cuh"

#include "kernels/deposit/deposit_cuda_batch.cuh"

#include "kernels/deposit/deposit_cuda_runs.cuh"

#include "kernels/deposit/deposit_cuda_queue.cuh"

#include "kernels/deposit/deposit_cuda_list.cuh"

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

#if !CW_REAL_IS_DOUBLE
template <> struct body<double> {
  typedef CW_REAL_NAME(cw_deposit_sink_wide) sink_type;
  static __device__ __forceinline__ void add(int dim, int order, const particle_type *particle,
                                             const int32_t *start, const sink_type *sink) {
    CW_REAL_NAME(cw_deposit_particle_current_wide)(dim, order, particle, start, sink);
  }
};
#endif

/* Straight to J: the whole particle; 0 if its window leaves J's storage. */
template <int DIM, class Sink>
static __device__ __noinline__ bool add_to_grid(int order, const cw_deposit_device_job &job,
                                                const particle_type *particle, int64_t slot) {
  const int window = order ? order + 2 : 3;
  typename body<Sink>::sink_type sink;
  int32_t start[3];
  int64_t at = 0;
  for (int a = 0; a < DIM; a++) {
    start[a] = CW_REAL_NAME(cw_deposit_start)(order, particle, a);
    if (start[a] < job.low[a] || start[a] > job.high[a] - window)
      return report_outside(job, slot);
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
static __global__ void __launch_bounds__(CW_THREADS)
    deposit_flat(const __grid_constant__ cw_deposit_device_job job) {
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

template <class Scratch> static __device__ void zero_scratch(Scratch *scratch, int count) {
  for (int n = threadIdx.x; n < count; n += blockDim.x)
    scratch[n] = 0;
}

/* Any order of particles, orders 1 to 3 in 2D and 3D: the same bits as a kernel of runs adds. */
template <int DIM, int ORDER, class Mode>
static __global__ void __launch_bounds__(CW_THREADS)
    deposit_flat_window(const __grid_constant__ cw_deposit_device_job job) {
  unsigned done = 0, dead = 0, outside = 0;
  cw_grid_stride(n, job.last - job.first) {
    particle_type particle;
    bool is_dead;
    if (!load(DIM, ORDER, job, job.first + n, &particle, &is_dead)) {
      dead += is_dead;
      continue;
    }
    const bool inside = window_to_grid<DIM, ORDER, Mode>(job, &particle, job.first + n);
    done += inside;
    outside += !inside;
  }
  cw_count(job.tail ? &job.counts->tail : &job.counts->flat, done);
  cw_count(&job.counts->dead, dead);
  cw_count(&job.counts->outside, outside);
}

/* A team a tile, a thread a particle, atomic additions to the scratch: every order. Where the
 * scratch of three components does not fit, a team sums one: gridDim.y is 3. */
template <int DIM, int ORDER, class Scratch>
static __global__ void __launch_bounds__(CW_THREADS)
    deposit_tile(const __grid_constant__ cw_deposit_device_job job) {
  const int order = ORDER >= 0 ? ORDER : job.order, window = order ? order + 2 : 3;
  const int edge = job.edge;
  const int volume = DIM == 1 ? edge : DIM == 2 ? edge * edge : edge * edge * edge;
  Scratch *scratch = cw_team_arena<Scratch>();
  int64_t first, last;
  tile_slice(job.species[0], &first, &last);
  if (first >= last)
    return;
  const int only = gridDim.y > 1 ? (int)blockIdx.y : -1, components = only < 0 ? 3 : 1;
  const bool counts = only <= 0; /* of the teams that see a slot one counts it */
  zero_scratch(scratch, components * volume);
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
      const int32_t local = start[a] - (origin[a] - job.below);
      fits = fits && local >= 0 && local <= edge - window;
      at += local * stride;
      sink.stride[a] = stride;
      stride *= edge;
    }
    if (!fits) {
      if (!counts)
        continue;
      const bool inside = add_to_grid<DIM, Scratch>(order, job, &particle, slot);
      escaped += inside;
      outside += !inside;
      continue;
    }
    for (int c = 0; c < 3; c++) {
      sink.component[c] = only < 0 ? scratch + c * volume + at : c == only ? scratch + at : NULL;
      sink.quanta[c] = job.quanta ? (cw_real)job.quanta->quanta[c] : 1;
    }
    body<Scratch>::add(DIM, order, &particle, start, &sink);
    done++;
  }
  if (counts) {
    cw_count(&job.counts->tiled, done);
    cw_count(&job.counts->escaped, escaped);
    cw_count(&job.counts->dead, dead);
    cw_count(&job.counts->outside, outside);
  }
  __syncthreads();
  cw_tile_flush<DIM, Scratch, Scratch>(job, scratch, edge, origin, only < 0 ? 0 : only, components);
}

/* The warp's share of the listed windows. */
template <int DIM, int ORDER, class Mode>
static __device__ __forceinline__ void sum_listed(const run_tile<typename Mode::Scratch> &tile,
                                                  const slot_batch<DIM> &batch, int listed,
                                                  const cw_real scale[3]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  typename Mode::Word *const stage = run_stage<DIM, ORDER, Mode>(tile.volume, warp);
  const uint16_t *const list = run_list<DIM>();
  const int share = ((listed + warps - 1) / warps + 31) & ~31;
  const int begin = warp * share, end = min(begin + share, listed);
  const auto load = [&](int n) { return load_raw<DIM>(batch, n < end ? list[n] : NO_ENTRY); };
  run_sums<DIM, ORDER, Mode> sums;
  sums.start(tile, lane);
  raw_particle<DIM> next = load(begin + lane);
  for (int chunk = begin; chunk < end; chunk += 32) {
    const raw_particle<DIM> raw = next;
    next = load(chunk + 32 + lane);
    const int at = stage_entry<DIM, ORDER, Mode>(tile, batch, raw, scale, stage + lane);
    __syncwarp();
    sums.sum_columns(tile, stage, at, lane);
    __syncwarp();
  }
  sums.flush(tile);
}

/* The other slots, 32 at a time by whatever warp is free. */
template <int DIM, int ORDER, class Mode>
static __device__ __forceinline__ void sum_others(const cw_deposit_device_job &job,
                                                  const run_tile<typename Mode::Scratch> &tile,
                                                  const slot_batch<DIM> &batch, int entries,
                                                  int others, unsigned *taken, run_counts *counts) {
  const uint16_t *const list = run_list<DIM>();
  const int lane = threadIdx.x % 32;
  for (;;) {
    unsigned begin = 0;
    if (lane == 0)
      begin = atomicAdd(taken, 32u);
    begin = __shfl_sync(~0u, begin, 0);
    if (begin >= (unsigned)others)
      break;
    const int n = (int)begin + lane;
    int64_t slot = -1;
    int species = 0;
    if (n < others)
      batch.find(list[entries - 1 - n], &species, &slot);
    counts->add(sum_queued<DIM, ORDER, Mode>(job, tile, species, slot));
  }
}

/* The scratch to J, values that are not zero. */
template <int DIM, class Scratch, class Sink>
static __device__ __forceinline__ void flush_runs(const cw_deposit_device_job &job,
                                                  const run_tile<Scratch> &tile,
                                                  const int32_t origin[3]) {
  const uint32_t inverse = 0xffffffffu / (uint32_t)tile.edge + 1; /* n / edge = n inverse >> 32 */
  for (int n = threadIdx.x; n < 3 * tile.volume; n += blockDim.x) {
    const Scratch value = cw_tile_value(tile.scratch, tile.all(), n);
    if (value == 0)
      continue;
    const int c = (n >= tile.volume) + (n >= 2 * tile.volume), at = n - c * tile.volume;
    const int rows = (int)__umulhi((uint32_t)at, inverse);
    const int planes = DIM > 2 ? (int)__umulhi((uint32_t)rows, inverse) : 0;
    const int32_t node[3] = {at - rows * tile.edge, rows - planes * tile.edge, planes};
    cw_tile_put<DIM>(job, origin, c, node, (Sink)value);
  }
}

/* A team a tile: deposit_cuda_runs.cuh. */
template <int DIM, int ORDER, class Mode>
static __global__ void __launch_bounds__(cw_deposit_largest_staged_team(CW_REAL_IS_DOUBLE))
    deposit_runs(const __grid_constant__ cw_deposit_device_job job) {
  typedef typename Mode::Scratch Scratch;
  __shared__ slot_batch<DIM> batch;
  __shared__ unsigned taken; /* of a batch's others */
  tile_slots slots;
  int32_t origin[3];
  if (!slots.start(job))
    return;
  cw_tile_origin(job, (int)blockIdx.x, origin);
  const run_tile<Scratch> tile = make_run_tile<DIM, Mode>(job, origin);
  const list_room room = make_list_room<DIM, ORDER, Mode>(job.tile, tile.edge);
  zero_scratch(tile.scratch, tile.all());
  cw_real scale[3];
  flow_scales<Mode>(job, scale);
  run_counts counts = {0, 0, 0, 0};
  list_size size;
  slots.part(room.slots);
  while (slots.left > 0) {
    const int take = slots.next_batch(job, &batch);
    if (!make_list<DIM, ORDER, Mode>(job, tile, room, batch, &taken, &counts, &size)) {
      slots.parts *= 2;
      continue;
    }
    sum_listed<DIM, ORDER, Mode>(tile, batch, size.listed, scale);
    sum_others<DIM, ORDER, Mode>(job, tile, batch, room.entries, size.others, &taken, &counts);
    slots.pass(take, batch.slots());
  }
  counts.report(job.counts);
  __syncthreads();
  flush_runs<DIM, Scratch, typename Mode::Sink>(job, tile, origin);
}
