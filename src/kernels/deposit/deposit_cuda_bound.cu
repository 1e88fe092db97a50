#include "kernels/deposit/deposit_cuda_bound.cuh"

/* Largest |weight| as the bits of a float, which order as the values do; rounded up. */
template <class Real>
static __global__ void largest_weight(const Real *weight, const uint8_t *tag, int64_t count,
                                      cw_deposit_quanta *quanta, cw_fault_word *fault) {
  unsigned largest = 0;
  cw_grid_stride(n, count) {
    if (tag && tag[n] == CW_TAG_DEAD)
      continue;
    const float w = __double2float_ru(fabs((double)weight[n]));
    if (!isfinite(w))
      cw_fault_report(fault, CW_FAULT_NOT_FINITE, n);
    else if (__float_as_uint(w) > largest)
      largest = __float_as_uint(w);
  }
  largest = __reduce_max_sync(~0u, largest);
  if (threadIdx.x % 32 == 0 && largest)
    atomicMax(&quanta->weight_bits, largest);
}

/* Blocks of BLOCK cells an axis over the grid, ghosts included; particles beyond count in the
 * outermost ones. */
enum { BLOCK = 2 };
typedef struct census {
  int dim;
  const int32_t *cell[3];
  int32_t low, size[3]; /* size: blocks */
} census;

/* A slot's block; -1: no such slot. */
static __device__ __forceinline__ int64_t block_of(const census &grid, int64_t slot,
                                                   int64_t count) {
  if (slot >= count)
    return -1;
  int64_t block = 0;
  for (int a = grid.dim - 1; a >= 0; a--) {
    const int32_t at = max(grid.cell[a][slot] - grid.low, 0) / BLOCK;
    block = block * grid.size[a] + min(at, grid.size[a] - 1);
  }
  return block;
}

/* A warp takes 128 slots, whose loads are under way together. */
static __global__ void count_blocks(census grid, int64_t particles, unsigned *counts) {
  enum { ROUNDS = 4 };
  const int lane = threadIdx.x % 32;
  const int64_t warp = cw_thread_index() / 32, warps = cw_thread_count() / 32;
  for (int64_t first = warp * 32 * ROUNDS; first < particles; first += warps * 32 * ROUNDS) {
    int64_t blocks[ROUNDS];
#pragma unroll
    for (int k = 0; k < ROUNDS; k++)
      blocks[k] = block_of(grid, first + 32 * k + lane, particles);
#pragma unroll
    for (int k = 0; k < ROUNDS; k++) {
      /* one addition for a run of lanes in one block */
      const int64_t before = __shfl_up_sync(~0u, blocks[k], 1);
      const bool heads_run = lane == 0 || blocks[k] != before;
      const unsigned heads = __ballot_sync(~0u, heads_run);
      const unsigned above = lane < 31 ? heads >> (lane + 1) : 0;
      const int run = above ? __ffs((int)above) : 32 - lane;
      if (heads_run && blocks[k] >= 0)
        atomicAdd(&counts[blocks[k]], (unsigned)run);
    }
  }
}

/* to[n] = from[n] + ... + from[n + (width - 1) stride], as far as the axis goes; the largest one is
 * kept where `to` is NULL. */
static __global__ void sum_window(const unsigned *from, unsigned *to, int64_t points,
                                  int64_t stride, int32_t size, int width,
                                  cw_deposit_quanta *quanta) {
  unsigned largest = 0;
  cw_grid_stride(n, points) {
    /* 32 bits where they do: a division of 64 is a hundred instructions */
    const int32_t at = points <= UINT32_MAX
                           ? (int32_t)((uint32_t)n / (uint32_t)stride % (uint32_t)size)
                           : (int32_t)(n / stride % size);
    const int32_t left = size - at;
    unsigned sum = 0;
    for (int k = 0; k < width && k < left; k++)
      sum += from[n + k * stride];
    if (to)
      to[n] = sum;
    largest = max(largest, sum);
  }
  if (to)
    return;
  largest = __reduce_max_sync(~0u, largest);
  if (threadIdx.x % 32 == 0 && largest)
    atomicMax(&quanta->most, largest);
}

/* The power of two at or below x, between 2^-limit and 2^limit. */
static __device__ double power_below(double x, int limit) {
  int exponent = 0;
  frexp(x, &exponent);
  return x > 0 ? ldexp(1.0, min(max(exponent - 1, -limit), limit)) : ldexp(1.0, -limit);
}

static __global__ void choose_quanta(cw_deposit_quanta *quanta, cw_deposit_bounds bounds,
                                     int has_weights, int limit) {
  const double weight = has_weights ? (double)__uint_as_float(quanta->weight_bits) : 1.0;
  const double most = quanta->most > 0 ? (double)quanta->most : 1.0;
  const double slack = 1 - 0x1p-20; /* for the roundings of this very function */
  for (int c = 0; c < 3; c++) {
    const double flow = bounds.flow[c] * weight, plane = bounds.plane[c];
    double q = 1;
    if (bounds.rounding == CW_ROUND_PRODUCT) {
      /* most (flow q + 1/2) (plane 2^23 + 1) < 2^63, and flow q + 1/2 < 2^30 */
      const double each = 0x1p63 * slack / (most * (plane * CW_DEPOSIT_PLANE_UNIT + 1));
      if (flow > 0)
        q = power_below((fmin(each, 0x1p30 * slack) - 0.5) / flow, limit);
      q *= CW_DEPOSIT_PLANE_UNIT;
    } else {
      /* most (flow plane q + 1/2) < 2^31 or 2^63, and flow plane q < 2^22 or 2^51 */
      const int narrow = bounds.rounding == CW_ROUND_32;
      const double each = (narrow ? 0x1p31 : 0x1p63) * slack / most;
      const double largest = (narrow ? 0x1p22 : 0x1p51) * slack;
      if (flow > 0)
        q = power_below((fmin(each, largest) - 0.5) / (flow * plane), limit);
    }
    quanta->quanta[c] = q;
  }
}

static cw_status find_weight(cw_context *context, const cw_particles_view *view,
                             cw_deposit_quanta *quanta) {
  if (!view->weight || view->count == 0)
    return CW_OK;
  const unsigned blocks = cw_cuda_blocks(context, view->count, CW_THREADS);
  if (view->precision == CW_DOUBLE)
    CW_CUDA_LAUNCH_NAMED(context, "largest_weight", largest_weight<double>, blocks, CW_THREADS, 0,
                         (const double *)view->weight, view->tag, view->count, quanta,
                         cw_device_fault(context));
  else
    CW_CUDA_LAUNCH_NAMED(context, "largest_weight", largest_weight<float>, blocks, CW_THREADS, 0,
                         (const float *)view->weight, view->tag, view->count, quanta,
                         cw_device_fault(context));
  return CW_OK;
}

static int32_t blocks_along(const cw_grid *grid, int axis) {
  return axis < grid->dim ? (grid->cells[axis] + 2 * grid->ghost + BLOCK - 1) / BLOCK : 1;
}

static int64_t blocks_of(const cw_grid *grid) {
  return (int64_t)blocks_along(grid, 0) * blocks_along(grid, 1) * blocks_along(grid, 2);
}

size_t cw_deposit_census_bytes(const cw_grid *grid) {
  return (size_t)blocks_of(grid) * 2 * sizeof(unsigned);
}

/* A value's particles have their cells within `cells_wide` of each other along each axis: windows
 * begin one node below the old shape or at it, and end one above it or at it; an even order's shape
 * begins at one of two nodes of a cell. Wherever these cells begin, they touch `width` blocks. */
static cw_status take_census(cw_context *context, const cw_grid *grid,
                             const cw_particles_view *view, int order, int now, unsigned *counts,
                             cw_deposit_quanta *quanta) {
  const int cells_wide = order + 3 + (order % 2 == 0);
  const int width = (cells_wide + BLOCK - 2) / BLOCK + 1;
  census cells = {grid->dim, {NULL, NULL, NULL}, -grid->ghost, {1, 1, 1}};
  const int64_t points = blocks_of(grid);
  for (int a = 0; a < grid->dim; a++) {
    cells.cell[a] = now ? view->i[a] : view->i_prev[a];
    cells.size[a] = blocks_along(grid, a);
  }
  CW_TRY(cw_device_zero(context, counts, (size_t)points * sizeof *counts));
  CW_CUDA_LAUNCH(context, count_blocks, cw_cuda_blocks(context, view->count, CW_THREADS),
                 CW_THREADS, 0, cells, view->count, counts);
  unsigned *from = counts, *to = counts + points;
  int64_t stride = 1;
  for (int a = 0; a < grid->dim; a++) {
    CW_CUDA_LAUNCH(context, sum_window, cw_cuda_blocks(context, points, CW_THREADS), CW_THREADS, 0,
                   from, a + 1 < grid->dim ? to : NULL, points, stride, cells.size[a], width,
                   quanta);
    stride *= cells.size[a];
    unsigned *const swap = from;
    from = to;
    to = swap;
  }
  return CW_OK;
}

cw_status cw_deposit_find_quanta(cw_context *context, const cw_grid *grid,
                                 const cw_particles_view *particles, int order, int now,
                                 const cw_deposit_bounds *bounds, unsigned *counts,
                                 cw_deposit_quanta *quanta) {
  CW_TRY(cw_device_zero(context, quanta, sizeof *quanta));
  CW_TRY(find_weight(context, particles, quanta));
  if (particles->count > 0)
    CW_TRY(take_census(context, grid, particles, order, now, counts, quanta));
  CW_CUDA_LAUNCH(context, choose_quanta, 1, 1, 0, quanta, *bounds, particles->weight != NULL,
                 particles->precision == CW_DOUBLE ? 960 : 96);
  return CW_OK;
}
