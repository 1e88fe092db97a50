/* The push's kernels of one precision, and their choice. Included by push_cuda_f32.cu and
 * push_cuda_f64.cu with CW_REAL_IS_DOUBLE set. The physics is push_body.h, for one particle. */
#include <string.h>

#include <cuda_pipeline.h>

#include "base/real.h"

#define CW_BODY           static __device__ __forceinline__
#define CW_SQRT           sqrt
#define CW_LANE_IS_VECTOR 0
/* Each builds on the one before. */
/* clang-format off */
#include "kernels/push/push_lane.h"
#include "kernels/push/push_body.h"
/* clang-format on */

typedef struct particle {
  int32_t i[3];
  cw_real dx[3], u[3];
  bool alive;
} particle;

/* The value is needed here: keeps its load before the branches that follow. */
static __device__ __forceinline__ void hold(int32_t &value) {
  asm volatile("" : "+r"(value));
}
static __device__ __forceinline__ void hold(float &value) {
  asm volatile("" : "+f"(value));
}
static __device__ __forceinline__ void hold(double &value) {
  asm volatile("" : "+d"(value));
}

/* Particles pass through once: they are not to push the fields out of the caches (__ldcs, __stcs).
 * All loads are in flight before the first is waited for. */
template <int DIM>
static __device__ __forceinline__ particle load(const cw_particles_view &view, int64_t slot) {
  particle p;
  int32_t tag = view.tag ? __ldcs(view.tag + slot) : CW_TAG_ALIVE;
#pragma unroll
  for (int a = 0; a < 3; a++) {
    p.i[a] = a < DIM ? __ldcs(view.i[a] + slot) : 0;
    p.dx[a] = a < DIM ? __ldcs((const cw_real *)view.dx[a] + slot) : 0;
    p.u[a] = __ldcs((const cw_real *)view.u[a] + slot);
  }
#pragma unroll
  for (int a = 0; a < 3; a++) {
    if (a < DIM)
      hold(p.i[a]), hold(p.dx[a]);
    hold(p.u[a]);
  }
  hold(tag);
  p.alive = tag != CW_TAG_DEAD;
  return p;
}

/* Six components over nodes, from node `low` on; an absent field has no pointers in the job. */
template <class Index> struct node_arrays {
  const cw_real *component[6];
  Index stride[3];
  int32_t low[3];
};

/* sum over k, j, i of z[k] y[j] x[i] value(i, j, k), axis by axis. */
template <int DIM, int ORDER, class Index>
static __device__ __forceinline__ cw_real contract(int order, const cw_real *value,
                                                   const Index *stride, const cw_real *x,
                                                   const cw_real *y, const cw_real *z) {
  const int rows = DIM > 1 ? order + 1 : 1, planes = DIM > 2 ? order + 1 : 1;
  cw_real sum = 0;
#pragma unroll(ORDER ? ORDER + 1 : 1)
  for (int k = 0; k < planes; k++) {
    cw_real plane = 0;
#pragma unroll(ORDER ? ORDER + 1 : 1)
    for (int j = 0; j < rows; j++) {
      const cw_real *row = value + (DIM > 1 ? j * stride[1] : 0) + (DIM > 2 ? k * stride[2] : 0);
      cw_real line = x[0] * row[0];
#pragma unroll(ORDER ? ORDER + 1 : 1)
      for (int i = 1; i <= order; i++)
        line += x[i] * row[i];
      plane = DIM > 1 ? plane + y[j] * line : line;
    }
    sum = DIM > 2 ? sum + z[k] * plane : plane;
  }
  return sum;
}

/* E and B at a particle whose window lies in the arrays; ORDER 0: the job's. E_a is dual along a,
 * B_a along the other axes. */
template <int DIM, int ORDER, class Index>
static __device__ __forceinline__ void gather(const cw_push_job &job,
                                              const node_arrays<Index> &nodes, const particle &p,
                                              cw_real field[6]) {
  const int order = ORDER ? ORDER : job.order;
  cw_real weight[2][3][(ORDER ? ORDER : CW_PUSH_MAX_ORDER) + 1]; /* [dual][axis] */
  Index first[2][3];
#pragma unroll
  for (int a = 0; a < DIM; a++) {
    CW_LANE_NAME(cw_axis_weights)(order, p.dx[a], weight[0][a], weight[1][a]);
    const int upper = p.dx[a] >= (cw_real)0.5;
    const int32_t node = p.i[a] + (order % 2 ? 0 : upper) - order / 2 - nodes.low[a];
    first[0][a] = node * nodes.stride[a];
    first[1][a] = (node - 1 + (upper == order % 2)) * nodes.stride[a];
  }
#pragma unroll(ORDER ? 6 : 1)
  for (int c = 0; c < 6; c++) {
    field[c] = 0;
    if (!(c < 3 ? job.E[0] : job.B[0]))
      continue;
    const cw_real *value = nodes.component[c];
    const cw_real *along[3];
#pragma unroll
    for (int a = 0; a < DIM; a++) {
      const int dual = c < 3 ? a == c : a != c - 3;
      along[a] = weight[dual][a];
      value += first[dual][a];
    }
    field[c] = contract<DIM, ORDER>(order, value, nodes.stride, along[0],
                                    DIM > 1 ? along[1] : along[0], DIM > 2 ? along[2] : along[0]);
  }
}

/* New momentum and position of slot `slot`, which held `old`. */
template <int DIM, bool DRAG = false>
static __device__ __forceinline__ void advance(const cw_push_job &job, cw_fault_word *fault,
                                               int64_t slot, const particle &old,
                                               const cw_real field[6]) {
  const cw_particles_view &view = job.particles;
  cw_lane3 u = {old.u[0], old.u[1], old.u[2]};
  const cw_real kick = (cw_real)job.half_kick;
  const cw_lane3 e = {kick * field[0], kick * field[1], kick * field[2]};
  const cw_lane3 b = {kick * field[3], kick * field[4], kick * field[5]};
  if (DRAG)
    u = CW_LANE_NAME(cw_drag)((cw_real)job.drag[0], (cw_real)job.drag[1], u, e, b);
  if (job.gathers)
    u = CW_LANE_NAME(cw_momentum)(job.pusher, u, e, b);
  if (DRAG)
    u = CW_LANE_NAME(cw_drag)((cw_real)job.drag[0], (cw_real)job.drag[1], u, e, b);
  if (DRAG || job.gathers) {
    __stcs((cw_real *)view.u[0] + slot, u.x);
    __stcs((cw_real *)view.u[1] + slot, u.y);
    __stcs((cw_real *)view.u[2] + slot, u.z);
  }
  const cw_lane3 v = CW_LANE_NAME(cw_velocity)(job.pusher, u);
  const cw_real velocity[3] = {v.x, v.y, v.z}, zero = 0;
  bool finite = zero * u.x + zero * u.y + zero * u.z == zero;
#pragma unroll
  for (int a = 0; a < DIM; a++) {
    cw_real dx = old.dx[a];
    const cw_real crossed = CW_LANE_NAME(cw_advance)(&dx, velocity[a] * (cw_real)job.step[a]);
    finite = finite && dx == dx;
    __stcs(view.i_prev[a] + slot, old.i[a]);
    __stcs((cw_real *)view.dx_prev[a] + slot, old.dx[a]);
    __stcs(view.i[a] + slot, CW_LANE_NAME(cw_add_cells)(old.i[a], CW_LANE_TO_CELL(crossed)));
    __stcs((cw_real *)view.dx[a] + slot, dx);
  }
  if (!finite)
    cw_fault_report(fault, CW_FAULT_MOMENTUM, slot);
}

/* Gather from the caches and push; a particle outside the fields' arrays gets none. */
template <int DIM, int ORDER, bool DRAG = false>
static __device__ __forceinline__ void push_slot(const cw_push_job &job, cw_fault_word *fault,
                                                 int64_t slot) {
  const int order = ORDER ? ORDER : job.order;
  const particle p = load<DIM>(job.particles, slot);
  if (!p.alive)
    return;
  node_arrays<int64_t> nodes;
  bool inside = true;
#pragma unroll
  for (int a = 0; a < DIM; a++) {
    const int upper = order % 2 == 0 && p.dx[a] >= (cw_real)0.5;
    const int32_t base = (int32_t)((uint32_t)p.i[a] + (uint32_t)upper);
    inside = inside && base >= job.low[a] && base <= job.high[a];
    nodes.stride[a] = job.stride[a];
    nodes.low[a] = 0;
  }
#pragma unroll
  for (int c = 0; c < 6; c++)
    nodes.component[c] = (const cw_real *)(c < 3 ? job.E[c] : job.B[c - 3]) + job.offset;
  cw_real field[6] = {0, 0, 0, 0, 0, 0};
  if (inside)
    gather<DIM, ORDER>(job, nodes, p, field);
  else
    cw_fault_report(fault, CW_FAULT_OUTSIDE, slot);
  advance<DIM, DRAG>(job, fault, slot, p, field);
}

/* A thread a particle, any order of particles. */
template <int DIM, int ORDER, bool DRAG>
static __global__ void __launch_bounds__(CW_THREADS)
    push_flat(const __grid_constant__ cw_push_job job, cw_fault_word *fault, int64_t first) {
  cw_grid_stride(n, job.particles.count - first) push_slot<DIM, ORDER, DRAG>(job, fault, first + n);
}

/* No field: positions only, and what slows a particle by itself. */
template <int DIM, bool DRAG>
static __global__ void __launch_bounds__(CW_THREADS)
    push_free(const __grid_constant__ cw_push_job job, cw_fault_word *fault, int64_t first) {
  const cw_real none[6] = {0, 0, 0, 0, 0, 0};
  cw_grid_stride(n, job.particles.count - first) {
    const particle p = load<DIM>(job.particles, first + n);
    if (p.alive)
      advance<DIM, DRAG>(job, fault, first + n, p, none);
  }
}

/* What a team holds of the fields along an axis; kept in shared memory, to be read as one word. */
struct __align__(16) window {
  int32_t first;     /* its lowest node */
  int32_t low, high; /* cells whose particles read staged nodes of the arrays only */
};

template <int DIM, int ORDER>
static __device__ __forceinline__ void tile_window(const cw_push_job &job,
                                                   const cw_push_tiles &tiles, window *w) {
  const int t = (int)blockIdx.x;
  const int32_t at[3] = {t % tiles.tiles[0], t / tiles.tiles[0] % tiles.tiles[1],
                         t / tiles.tiles[0] / tiles.tiles[1]};
#pragma unroll
  for (int a = 0; a < DIM; a++) {
    const int32_t low = at[a] * tiles.tile - tiles.drift;
    const int32_t high = (at[a] + 1) * tiles.tile - 1 + tiles.drift;
    w[a].first = low - (ORDER + 1) / 2;
    w[a].low = max(low, job.low[a]);
    w[a].high = min(high, job.high[a] - (ORDER % 2 ? 0 : 1)); /* the base may be one up */
  }
}

/* Loads the window: component after component, axis 0 fastest. Nodes beyond the arrays are left
 * as they are: no staged particle reads them. */
template <int DIM, int ORDER>
static __device__ __forceinline__ void stage(const cw_push_job &job, const window *w, int edge,
                                             int volume, cw_real *staged) {
  for (int n = threadIdx.x; n < volume; n += blockDim.x) {
    const int32_t node[3] = {n % edge, DIM > 1 ? n / edge % edge : 0,
                             DIM > 2 ? n / edge / edge : 0};
    int64_t at = job.offset;
    bool inside = true;
#pragma unroll
    for (int a = 0; a < DIM; a++) {
      const int32_t k = w[a].first + node[a];
      inside = inside && k >= job.low[a] - (ORDER / 2 + 1) && k <= job.high[a] + ORDER - ORDER / 2;
      at += k * job.stride[a];
    }
#pragma unroll
    for (int c = 0; c < 6; c++) {
      const cw_real *field = (const cw_real *)(c < 3 ? job.E[c] : job.B[c - 3]);
      if (inside && field)
        staged[c * volume + n] = __ldg(field + at);
    }
  }
}

/* Particles that left their team's window; a few, so out of the way of its registers. */
template <int DIM, int ORDER>
static __device__ __noinline__ void push_escaped(const cw_push_job &job, cw_fault_word *fault,
                                                 int64_t slot) {
  push_slot<DIM, ORDER>(job, fault, slot);
}

enum { ESCAPED_ROOM = 512 };

/* In single precision a thread's next particle is on its way to shared memory while the present one
 * is pushed: registers have no room for it. A thread reads only what it asked for itself. */
template <int DIM> struct next_particle {
  static const bool used = sizeof(cw_real) == 4;
  static const int words = used ? 2 * DIM + 3 : 1;
  int32_t tag;

  static __device__ __forceinline__ void copy(uint32_t *column, int word, const void *from,
                                              int64_t slot) {
    __pipeline_memcpy_async(column + word * CW_THREADS, (const uint32_t *)from + slot, 4);
  }
  __device__ __forceinline__ void request(const cw_particles_view &view, int64_t slot,
                                          uint32_t *column) {
    tag = view.tag ? __ldcs(view.tag + slot) : CW_TAG_ALIVE;
#pragma unroll
    for (int a = 0; a < DIM; a++) {
      copy(column, a, view.i[a], slot);
      copy(column, DIM + a, view.dx[a], slot);
    }
#pragma unroll
    for (int c = 0; c < 3; c++)
      copy(column, 2 * DIM + c, view.u[c], slot);
    __pipeline_commit();
  }
  /* Nothing of the column is needed any more on return. */
  __device__ __forceinline__ particle receive(const uint32_t *column) const {
    particle p;
    __pipeline_wait_prior(0);
#pragma unroll
    for (int a = 0; a < 3; a++) {
      p.i[a] = a < DIM ? (int32_t)column[a * CW_THREADS] : 0;
      p.dx[a] = a < DIM ? (cw_real)__uint_as_float(column[(DIM + a) * CW_THREADS]) : 0;
      p.u[a] = (cw_real)__uint_as_float(column[(2 * DIM + a) * CW_THREADS]);
    }
#pragma unroll
    for (int a = 0; a < 3; a++) {
      if (a < DIM)
        hold(p.i[a]), hold(p.dx[a]);
      hold(p.u[a]);
    }
    p.alive = tag != CW_TAG_DEAD;
    return p;
  }
};

/* A team a tile: fields around it in shared memory, a thread a particle. TILE, with a drift of 1,
 * or 0 for the job's: a constant edge makes one address of a component's window. Escaped particles
 * are listed and pushed together at the end, so that one of them does not hold up a warp; where the
 * list is full, at once, by the same code. */
template <int DIM, int ORDER, int TILE>
static __global__ void __launch_bounds__(CW_THREADS, sizeof(cw_real) == 4 ? 3 : 2)
    push_tile(const __grid_constant__ cw_push_job job, const __grid_constant__ cw_push_tiles tiles,
              cw_fault_word *fault) {
  __shared__ window w[DIM];
  __shared__ unsigned escaped, list[ESCAPED_ROOM];
  __shared__ uint32_t ahead[next_particle<DIM>::words][CW_THREADS];
  const int64_t begin = tiles.offsets[blockIdx.x];
  const int64_t end = min(tiles.offsets[blockIdx.x + 1], job.particles.count);
  if (begin >= end)
    return;
  if (threadIdx.x == 0) {
    escaped = 0;
    tile_window<DIM, ORDER>(job, tiles, w);
  }
  __syncthreads();
  const int edge = TILE ? TILE + 2 + ORDER + 1 : tiles.edge;
  const int volume = DIM == 1 ? edge : DIM == 2 ? edge * edge : edge * edge * edge;
  cw_real *staged = cw_team_arena<cw_real>();
  stage<DIM, ORDER>(job, w, edge, volume, staged);
  node_arrays<int> nodes;
#pragma unroll
  for (int c = 0; c < 6; c++)
    nodes.component[c] = staged + c * volume;
  nodes.stride[0] = 1, nodes.stride[1] = edge, nodes.stride[2] = edge * edge;
  __syncthreads();
  next_particle<DIM> next;
  uint32_t *const column = &ahead[0][threadIdx.x];
  int64_t slot = begin + threadIdx.x;
  if (next.used && slot < end)
    next.request(job.particles, slot, column);
  for (; slot < end; slot += blockDim.x) {
    particle p;
    if constexpr (next_particle<DIM>::used) {
      p = next.receive(column);
      if (slot + blockDim.x < end)
        next.request(job.particles, slot + blockDim.x, column);
    } else {
      p = load<DIM>(job.particles, slot);
    }
    if (!p.alive)
      continue;
    bool near = true;
#pragma unroll
    for (int a = 0; a < DIM; a++) {
      const window along = w[a];
      near = near && p.i[a] >= along.low && p.i[a] <= along.high;
      nodes.low[a] = along.first;
    }
    if (!near) {
      const unsigned place = atomicAdd(&escaped, 1u);
      if (place < ESCAPED_ROOM)
        list[place] = (unsigned)(slot - begin);
      else
        push_escaped<DIM, ORDER>(job, fault, slot);
      continue;
    }
    cw_real field[6];
    gather<DIM, ORDER>(job, nodes, p, field);
    advance<DIM>(job, fault, slot, p, field);
  }
  __syncthreads();
  const unsigned listed = min(escaped, (unsigned)ESCAPED_ROOM);
  for (unsigned n = threadIdx.x; n < listed; n += blockDim.x)
    push_escaped<DIM, ORDER>(job, fault, begin + list[n]);
}

#include "kernels/push/push_cuda_guide.cuh"

/* ---- launches ---- */

typedef void flat_kernel(const cw_push_job, cw_fault_word *, int64_t);
typedef void tile_kernel(const cw_push_job, const cw_push_tiles, cw_fault_word *);

template <int DIM, bool DRAG> static flat_kernel *flat_kernel_of(const cw_push_job *job) {
  if (job->guides)
    return push_guides<DIM>;
  static flat_kernel *const gathers[CW_PUSH_STAGED_ORDERS + 1] = {
      push_flat<DIM, 0, DRAG>, push_flat<DIM, 1, DRAG>, push_flat<DIM, 2, DRAG>,
      push_flat<DIM, 3, DRAG>};
  if (!job->gathers)
    return push_free<DIM, DRAG>;
  return gathers[job->order <= CW_PUSH_STAGED_ORDERS ? job->order : 0];
}

template <bool DRAG> static flat_kernel *choose_flat_kernel(const cw_push_job *job) {
  if (job->dim == 1)
    return flat_kernel_of<1, DRAG>(job);
  return job->dim == 2 ? flat_kernel_of<2, DRAG>(job) : flat_kernel_of<3, DRAG>(job);
}

cw_status CW_REAL_NAME(cw_push_cuda_flat)(cw_context *context, const cw_push_job *job,
                                          int64_t first) {
  flat_kernel *kernel = job->drags ? choose_flat_kernel<true>(job) : choose_flat_kernel<false>(job);
  CW_CUDA_LAUNCH_NAMED(context, job->gathers ? "push_flat" : "push_free", kernel,
                       cw_cuda_blocks(context, job->particles.count - first, CW_THREADS),
                       CW_THREADS, 0, *job, cw_device_fault(context), first);
  return CW_OK;
}

/* Bytes that another tile edge would need, for the message where this one is too large. */
typedef struct arena_shape {
  const cw_push_job *job;
  int drift;
} arena_shape;

static size_t arena_of_tile(const void *user, int tile) {
  const arena_shape *shape = (const arena_shape *)user;
  return cw_push_arena(shape->job, tile, shape->drift);
}

template <int TILE> static tile_kernel *tile_kernel_of(int dim, int order) {
  static tile_kernel *const kernels[3][CW_PUSH_STAGED_ORDERS] = {
      {push_tile<1, 1, TILE>, push_tile<1, 2, TILE>, push_tile<1, 3, TILE>},
      {push_tile<2, 1, TILE>, push_tile<2, 2, TILE>, push_tile<2, 3, TILE>},
      {push_tile<3, 1, TILE>, push_tile<3, 2, TILE>, push_tile<3, 3, TILE>}};
  return kernels[dim - 1][order - 1];
}

static tile_kernel *choose_tile_kernel(int dim, int order, const cw_push_tiles *tiles) {
  if (tiles->drift == 1 && tiles->tile == 8)
    return tile_kernel_of<8>(dim, order);
  if (tiles->drift == 1 && tiles->tile == 4)
    return tile_kernel_of<4>(dim, order);
  return tile_kernel_of<0>(dim, order);
}

cw_status CW_REAL_NAME(cw_push_cuda_tiled)(cw_context *context, const cw_push_job *job,
                                           const cw_push_tiles *tiles, int team_size) {
  tile_kernel *kernel = choose_tile_kernel(job->dim, job->order, tiles);
  const arena_shape shape = {job, tiles->drift};
  const cw_team_request request = {"push_tile",
                                   (const void *)kernel,
                                   tiles->total,
                                   team_size ? team_size : CW_THREADS,
                                   arena_of_tile(&shape, tiles->tile),
                                   tiles->tile,
                                   arena_of_tile,
                                   &shape};
  cw_team_launch launch;
  CW_TRY(cw_team_prepare(context, &request, &launch));
  CW_TEAM_LAUNCH(context, launch, "push_tile", kernel, *job, *tiles, cw_device_fault(context));
  return CW_OK;
}
