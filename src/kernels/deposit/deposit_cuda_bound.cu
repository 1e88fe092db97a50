#include "kernels/deposit/deposit_cuda_bound.cuh"

/* Largest |weight| as the bits of a float, which order as the values do; rounded up. */
template <class Real>
static __global__ void largest_weight(const Real *weight, const uint8_t *tag, int64_t count,
                                      unsigned *bits, cw_fault_word *fault) {
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
    atomicMax(bits, largest);
}

/* Blocks of BLOCK cells an axis over the grid, ghosts included; particles beyond count in the
 * outermost ones. */
enum { BLOCK = 2 };
typedef struct census {
  int dim;
  const int32_t *cell[3];
  int32_t low, size[3]; /* size: blocks */
} census;

/* Cell i's block along an axis. */
static __device__ __forceinline__ int32_t block_along(const census &grid, int axis, int32_t i) {
  return min(max(i - grid.low, 0) / BLOCK, grid.size[axis] - 1);
}

/* A slot's block; -1: no such slot. */
static __device__ __forceinline__ int64_t block_of(const census &grid, int64_t slot,
                                                   int64_t count) {
  if (slot >= count)
    return -1;
  int64_t block = 0;
  for (int a = grid.dim - 1; a >= 0; a--)
    block = block * grid.size[a] + block_along(grid, a, grid.cell[a][slot]);
  return block;
}

/* The blocks around one tile, of those of the grid: so many cells more on each side, beyond which a
 * particle counts by itself. */
enum { BESIDE = 2, TILE_BLOCKS = (16 + 2 * BESIDE) / BLOCK + 1 };
typedef struct tile_census {
  const int64_t *offsets;
  int32_t tile, tiles[3];
} tile_census;

/* A team a tile, whose particles meet in few blocks: counted in shared memory first. */
template <int DIM>
static __global__ void __launch_bounds__(CW_THREADS)
    count_tiles(census grid, tile_census tiles, int64_t particles, unsigned *counts) {
  __shared__ unsigned here[DIM == 1   ? TILE_BLOCKS
                           : DIM == 2 ? TILE_BLOCKS * TILE_BLOCKS
                                      : TILE_BLOCKS * TILE_BLOCKS * TILE_BLOCKS];
  const int64_t begin = tiles.offsets[blockIdx.x];
  const int count = (int)(min(tiles.offsets[blockIdx.x + 1], particles) - begin);
  const int edge = (tiles.tile + 2 * BESIDE) / BLOCK + 1;
  const int all = DIM == 1 ? edge : DIM == 2 ? edge * edge : edge * edge * edge;
  const int tile[3] = {(int)blockIdx.x % tiles.tiles[0],
                       (int)blockIdx.x / tiles.tiles[0] % tiles.tiles[1],
                       (int)blockIdx.x / tiles.tiles[0] / tiles.tiles[1]};
  int32_t low[DIM]; /* the first block's number along each axis */
  const int32_t *cell[DIM];
  if (count <= 0)
    return;
#pragma unroll
  for (int a = 0; a < DIM; a++) {
    low[a] = max(tile[a] * tiles.tile - BESIDE - grid.low, 0) / BLOCK;
    cell[a] = grid.cell[a] + begin;
  }
  for (int n = threadIdx.x; n < all; n += CW_THREADS)
    here[n] = 0;
  __syncthreads();
#pragma unroll 4
  for (int n = threadIdx.x; n < count; n += CW_THREADS) {
    int at = 0;
    bool near = true;
#pragma unroll
    for (int a = DIM - 1; a >= 0; a--) {
      const int32_t i = cell[a][n];
      const int32_t block = block_along(grid, a, i) - low[a];
      near = near && (uint32_t)block < (uint32_t)edge;
      at = at * edge + block;
    }
    if (near)
      atomicAdd(&here[at], 1u);
    else
      atomicAdd(&counts[block_of(grid, begin + n, particles)], 1u);
  }
  __syncthreads();
  for (int n = threadIdx.x; n < all; n += CW_THREADS) {
    if (here[n] == 0)
      continue;
    const int at[3] = {n % edge, n / edge % edge, n / edge / edge};
    int64_t block = 0;
#pragma unroll
    for (int a = DIM - 1; a >= 0; a--)
      block = block * grid.size[a] + (low[a] + at[a]);
    atomicAdd(&counts[block], here[n]);
  }
}

/* Any order, from slot `begin` on. A warp takes 128 slots, whose loads are under way together. */
static __global__ void count_blocks(census grid, int64_t begin, int64_t particles,
                                    unsigned *counts) {
  enum { ROUNDS = 4 };
  const int lane = threadIdx.x % 32;
  const int64_t warp = cw_thread_index() / 32, warps = cw_thread_count() / 32;
  for (int64_t first = begin + warp * 32 * ROUNDS; first < particles;
       first += warps * 32 * ROUNDS) {
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

/* |charge| of each species, and 1 where its weights are not 1. */
typedef struct species_charges {
  double charge[CW_DEPOSIT_TOGETHER];
  int count, has_weights[CW_DEPOSIT_TOGETHER];
} species_charges;

static __global__ void choose_quanta(cw_deposit_quanta *quanta, cw_deposit_bounds bounds,
                                     species_charges species, int limit) {
  double weight = 0; /* the largest |charge weight| */
  for (int s = 0; s < species.count; s++)
    weight = fmax(weight, species.charge[s] * (species.has_weights[s]
                                                   ? (double)__uint_as_float(quanta->weight_bits[s])
                                                   : 1.0));
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

static cw_status find_weight(cw_context *context, const cw_particles_view *view, unsigned *bits) {
  if (!view->weight || view->count == 0)
    return CW_OK;
  const unsigned blocks = cw_cuda_blocks(context, view->count, CW_THREADS);
  if (view->precision == CW_DOUBLE)
    CW_CUDA_LAUNCH_NAMED(context, "largest_weight", largest_weight<double>, blocks, CW_THREADS, 0,
                         (const double *)view->weight, view->tag, view->count, bits,
                         cw_device_fault(context));
  else
    CW_CUDA_LAUNCH_NAMED(context, "largest_weight", largest_weight<float>, blocks, CW_THREADS, 0,
                         (const float *)view->weight, view->tag, view->count, bits,
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

static cw_status count_species(cw_context *context, const cw_deposit_counted *species,
                               const cw_grid *grid, int now, unsigned *counts) {
  const cw_particles_view *view = species->particles;
  const cw_cells_view *sorted = species->cells;
  census cells = {grid->dim, {NULL, NULL, NULL}, -grid->ghost, {1, 1, 1}};
  int64_t done = 0;
  for (int a = 0; a < grid->dim; a++) {
    cells.cell[a] = now ? view->i[a] : view->i_prev[a];
    cells.size[a] = blocks_along(grid, a);
  }
  if (sorted && sorted->total_tiles > 0 && sorted->total_tiles <= INT32_MAX) {
    const tile_census tiles = {
        sorted->tile_offsets, sorted->tile, {sorted->tiles[0], sorted->tiles[1], sorted->tiles[2]}};
    void (*kernel)(census, tile_census, int64_t, unsigned *) = grid->dim == 1   ? count_tiles<1>
                                                               : grid->dim == 2 ? count_tiles<2>
                                                                                : count_tiles<3>;
    CW_CUDA_LAUNCH_NAMED(context, "count_tiles", kernel, (unsigned)sorted->total_tiles, CW_THREADS,
                         0, cells, tiles, view->count, counts);
    done = cw_min_i64(sorted->npart_partitioned, view->count);
  }
  if (done < view->count)
    CW_CUDA_LAUNCH(context, count_blocks, cw_cuda_blocks(context, view->count - done, CW_THREADS),
                   CW_THREADS, 0, cells, done, view->count, counts);
  return CW_OK;
}

/* A value's particles have their cells within `cells_wide` of each other along each axis: windows
 * begin one node below the old shape or at it, and end one above it or at it; an even order's shape
 * begins at one of two nodes of a cell. Wherever these cells begin, they touch `width` blocks. The
 * counts of all species stand in the first half of `counts`. */
static cw_status find_most(cw_context *context, const cw_grid *grid, int order, unsigned *counts,
                           cw_deposit_quanta *quanta) {
  const int cells_wide = order + 3 + (order % 2 == 0);
  const int width = (cells_wide + BLOCK - 2) / BLOCK + 1;
  const int64_t points = blocks_of(grid);
  unsigned *from = counts, *to = counts + points;
  int64_t stride = 1;
  for (int a = 0; a < grid->dim; a++) {
    const int32_t size = blocks_along(grid, a);
    CW_CUDA_LAUNCH(context, sum_window, cw_cuda_blocks(context, points, CW_THREADS), CW_THREADS, 0,
                   from, a + 1 < grid->dim ? to : NULL, points, stride, size, width, quanta);
    stride *= size;
    unsigned *const swap = from;
    from = to;
    to = swap;
  }
  return CW_OK;
}

cw_status cw_deposit_find_quanta(cw_context *context, const cw_grid *grid,
                                 const cw_deposit_counted *species, int count, int order, int now,
                                 const cw_deposit_bounds *bounds, unsigned *counts,
                                 cw_deposit_quanta *quanta) {
  species_charges charges = {{0}, count, {0}};
  CW_TRY(cw_device_zero(context, quanta, sizeof *quanta));
  CW_TRY(cw_device_zero(context, counts, (size_t)blocks_of(grid) * sizeof *counts));
  for (int s = 0; s < count; s++) {
    charges.charge[s] = fabs(species[s].charge);
    charges.has_weights[s] = species[s].particles->weight != NULL;
    CW_TRY(find_weight(context, species[s].particles, &quanta->weight_bits[s]));
    CW_TRY(count_species(context, &species[s], grid, now, counts));
  }
  CW_TRY(find_most(context, grid, order, counts, quanta));
  CW_CUDA_LAUNCH(context, choose_quanta, 1, 1, 0, quanta, *bounds, charges,
                 species[0].particles->precision == CW_DOUBLE ? 960 : 96);
  return CW_OK;
}
