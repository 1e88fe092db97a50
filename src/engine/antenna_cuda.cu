/* The antenna's current on the device: a block a part of a row, whose factors it shares. Compiled
 * without contraction: the bits are the host's. */
#include "base/device_cuda.cuh"
#include "engine/engine_cuda.h"

namespace {

enum { MOST_BLOCKS = 65535 }; /* along y */

template <class real>
__global__ void __launch_bounds__(CW_THREADS)
    add_antenna(cw_antenna_waves waves, cw_grid grid, int c, real *array) {
  __shared__ double factor[CW_ANTENNA_MODES][2];
  const int64_t rows = (int64_t)grid.cells[1] * grid.cells[2];
  const int64_t i = (int64_t)blockIdx.x * CW_THREADS + threadIdx.x;
  for (int64_t row = blockIdx.y; row < rows; row += gridDim.y) {
    const int64_t j = row % grid.cells[1], k = row / grid.cells[1];
    const int64_t at = grid.offset + i + j * grid.stride[1] + k * grid.stride[2];
    __syncthreads(); /* the last row's factors have been read */
    for (int m = threadIdx.x; m < waves.count; m += CW_THREADS)
      cw_antenna_row(&waves, c, m, j, k, factor[m]);
    __syncthreads();
    double sum = 0;
    for (int m = 0; m < waves.count && i < grid.cells[0]; m++)
      sum += cw_antenna_at(&waves, c, m, i, factor[m]);
    if (i < grid.cells[0])
      array[at] = (real)((double)array[at] + sum);
  }
}

template <class real>
cw_status launch(cw_context *context, const cw_antenna_waves *waves, const cw_grid *grid,
                 void *const component[3]) {
  const int64_t rows = (int64_t)grid->cells[1] * grid->cells[2];
  const dim3 blocks((unsigned)((grid->cells[0] + CW_THREADS - 1) / CW_THREADS),
                    (unsigned)cw_min_i64(rows, MOST_BLOCKS));
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
