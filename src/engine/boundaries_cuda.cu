/* Sides of the block and energy sums on the device. */
#include "base/device_cuda.cuh"
#include "engine/engine_cuda.h"

#define CW_BODY           static __device__ __forceinline__
#define CW_REAL_IS_DOUBLE 0
#include "engine/boundaries_body.h"
#undef CW_REAL_IS_DOUBLE
#define CW_REAL_IS_DOUBLE 1
#include "engine/boundaries_body.h"

namespace {

template <class real>
__device__ void apply_one(const cw_particles_view &view, const cw_block_sides &sides, int64_t p) {
#pragma unroll
  for (int a = 0; a < 3; a++) {
    if (a >= sides.dim)
      break;
    if (sizeof(real) == sizeof(double))
      cw_apply_sides_f64(&view, a, sides.cells[a], sides.boundary[a], p);
    else
      cw_apply_sides_f32(&view, a, sides.cells[a], sides.boundary[a], p);
  }
}

/* Slots from `first` on. */
template <class real>
__global__ void __launch_bounds__(CW_THREADS)
    apply_sides(cw_particles_view view, cw_block_sides sides, int64_t first) {
  cw_grid_stride(n, view.count - first) apply_one<real>(view, sides, first + n);
}

/* A block a tile; those off the sides have nothing to do. */
template <class real>
__global__ void __launch_bounds__(CW_THREADS)
    apply_edge_tiles(cw_particles_view view, cw_block_sides sides) {
  const int64_t t = blockIdx.x;
  int64_t rest = t;
  bool at_edge = false;
  for (int a = 0; a < sides.dim; a++) {
    const int64_t place = rest % sides.tiles[a];
    rest /= sides.tiles[a];
    at_edge = at_edge || place == 0 || place == sides.tiles[a] - 1;
  }
  if (!at_edge)
    return;
  const int64_t end = min(sides.tile_offsets[t + 1], view.count);
  for (int64_t p = sides.tile_offsets[t] + threadIdx.x; p < end; p += CW_THREADS)
    apply_one<real>(view, sides, p);
}

template <class real>
cw_status launch_sides(cw_context *context, const cw_block_sides *sides,
                       const cw_particles_view *particles) {
  int64_t first = 0;
  if (sides->total_tiles > 0 && sides->total_tiles <= INT32_MAX) {
    CW_CUDA_LAUNCH_NAMED(context, "apply_edge_tiles", apply_edge_tiles<real>,
                         (unsigned)sides->total_tiles, CW_THREADS, 0, *particles, *sides);
    first = cw_min_i64(sides->sorted, particles->count);
  }
  if (first < particles->count)
    CW_CUDA_LAUNCH_NAMED(context, "apply_sides", apply_sides<real>,
                         cw_cuda_blocks(context, particles->count - first, CW_THREADS), CW_THREADS,
                         0, *particles, *sides, first);
  return CW_OK;
}

template <class real>
__device__ double energy_of(const cw_particles_view &view, int massless, int64_t p) {
  const double x = ((const real *)view.u[0])[p], y = ((const real *)view.u[1])[p],
               z = ((const real *)view.u[2])[p];
  const double u2 = x * x + y * y + z * z;
  /* gamma - 1 = u^2 / (gamma + 1) loses nothing for slow particles */
  const double each = massless ? sqrt(u2) : u2 / (sqrt(1 + u2) + 1);
  return view.weight ? each * (double)((const real *)view.weight)[p] : each;
}

/* A count is below 2^53: a double holds it. */
template <class real>
__global__ void __launch_bounds__(CW_THREADS)
    sum_energy(cw_particles_view view, int massless, double *parts) {
  double energy = 0, alive = 0;
  cw_grid_stride(p, view.count) {
    if (view.tag && view.tag[p] == CW_TAG_DEAD)
      continue;
    energy += energy_of<real>(view, massless, p);
    alive += 1;
  }
  energy = cw_over_block<cw_join_sum>(energy, threadIdx.x);
  alive = cw_over_block<cw_join_sum>(alive, threadIdx.x);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = energy;
    parts[CW_ENERGY_PARTS + blockIdx.x] = alive;
  }
}

/* A block a quantity. */
__global__ void __launch_bounds__(CW_THREADS) sum_parts(const double *parts, double *results) {
  const double *mine = parts + blockIdx.x * CW_ENERGY_PARTS;
  double sum = 0;
  for (int k = threadIdx.x; k < CW_ENERGY_PARTS; k += CW_THREADS)
    sum += mine[k];
  sum = cw_over_block<cw_join_sum>(sum, threadIdx.x);
  if (threadIdx.x == 0)
    results[blockIdx.x] = sum;
}

} // namespace

cw_status cw_engine_apply_sides_cuda(cw_context *context, const cw_block_sides *sides,
                                     const cw_particles_view *particles) {
  if (particles->count == 0)
    return CW_OK;
  return particles->precision == CW_DOUBLE ? launch_sides<double>(context, sides, particles)
                                           : launch_sides<float>(context, sides, particles);
}

cw_status cw_engine_block_energy_cuda(cw_context *context, const cw_particles_view *particles,
                                      int massless, double *work, double *energy, int64_t *alive) {
  double found[2], *results = work + 2 * CW_ENERGY_PARTS;
  if (particles->precision == CW_DOUBLE)
    CW_CUDA_LAUNCH_NAMED(context, "sum_energy", sum_energy<double>, CW_ENERGY_PARTS, CW_THREADS, 0,
                         *particles, massless, work);
  else
    CW_CUDA_LAUNCH_NAMED(context, "sum_energy", sum_energy<float>, CW_ENERGY_PARTS, CW_THREADS, 0,
                         *particles, massless, work);
  CW_CUDA_LAUNCH(context, sum_parts, 2, CW_THREADS, 0, (const double *)work, results);
  CW_TRY(cw_device_read(context, found, results, sizeof found));
  *energy = found[0];
  *alive = (int64_t)found[1];
  return CW_OK;
}
