/* The antenna's current on the device: a block takes a part of a few rows, so that a wave's value at a
 * place is read once for all of them. Compiled without contraction: the bits are the host's. */
#include "base/device_cuda.cuh"
#include "engine/engine_cuda.h"

namespace {

enum { ROWS = 8, MOST_BLOCKS = 65535 /* along y */ };

/* The rows' values at place i of the grid, of which there are `count`. */
template <class real>
__device__ void add_at(const cw_antenna_waves &waves, const cw_grid &grid, int c, int64_t i,
                       int64_t first, int count, const double (*factor)[CW_ANTENNA_MODES][2],
                       real *array) {
  double sum[ROWS] = {0};
  for (int m = 0; m < waves.count; m++)
#pragma unroll
    for (int r = 0; r < ROWS; r++)
      sum[r] += cw_antenna_at(&waves, c, m, i, factor[r][m]);
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    const int64_t j = (first + r) % grid.cells[1], k = (first + r) / grid.cells[1];
    const int64_t at = grid.offset + i + j * grid.stride[1] + k * grid.stride[2];
    if (r < count)
      array[at] = (real)((double)array[at] + sum[r]);
  }
}

template <class real>
__global__ void __launch_bounds__(CW_THREADS)
    add_antenna(cw_antenna_waves waves, cw_grid grid, int c, real *array) {
  __shared__ double factor[ROWS][CW_ANTENNA_MODES][2];
  const int64_t rows = (int64_t)grid.cells[1] * grid.cells[2];
  const int64_t i = (int64_t)blockIdx.x * CW_THREADS + threadIdx.x;
  for (int64_t first = ROWS * (int64_t)blockIdx.y; first < rows; first += ROWS * gridDim.y) {
    const int count = (int)min((int64_t)ROWS, rows - first);
    __syncthreads(); /* the last rows' factors have been read */
    for (int n = threadIdx.x; n < ROWS * waves.count; n += CW_THREADS) {
      const int r = n / waves.count, m = n % waves.count;
      const int64_t row = first + min(r, count - 1);
      cw_antenna_row(&waves, c, m, row % grid.cells[1], row / grid.cells[1], factor[r][m]);
    }
    __syncthreads();
    if (i < grid.cells[0])
      add_at(waves, grid, c, i, first, count, factor, array);
  }
}

template <class real>
cw_status launch(cw_context *context, const cw_antenna_waves *waves, const cw_grid *grid,
                 void *const component[3]) {
  const int64_t parts = ((int64_t)grid->cells[1] * grid->cells[2] + ROWS - 1) / ROWS;
  const dim3 blocks((unsigned)((grid->cells[0] + CW_THREADS - 1) / CW_THREADS),
                    (unsigned)cw_min_i64(parts, MOST_BLOCKS));
  for (int c = 0; c < 3; c++)
    if (waves->weight[c])
      CW_CUDA_LAUNCH_NAMED(context, "add_antenna", add_antenna<real>, blocks, CW_THREADS, 0, *waves,
                           *grid, c, (real *)component[c]);
  return CW_OK;
}

} // namespace

cw_status cw_engine_add_antenna_cuda(cw_context *context, const cw_antenna_waves *waves,
                                     const cw_grid *grid, cw_vector_view J) {
  return J.precision == CW_DOUBLE ? launch<double>(context, waves, grid, J.component)
                                  : launch<float>(context, waves, grid, J.component);
}
