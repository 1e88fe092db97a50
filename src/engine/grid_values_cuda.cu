/* Values over the grid on the device: sums of two, largest ones. */
#include "base/device_cuda.cuh"
#include "engine/engine_cuda.h"
#include "engine/grid_values_body.h"

namespace {

__global__ void __launch_bounds__(CW_THREADS)
    add_density(int64_t points, double *total, const double *one) {
  cw_grid_stride(k, points) total[k] += one[k];
}

template <class real>
__global__ void __launch_bounds__(CW_THREADS)
    add_field(int64_t points, const real *own, const double *external, real *total) {
  cw_grid_stride(k, points) total[k] = (real)((double)own[k] + external[k]);
}

template <class real>
__global__ void __launch_bounds__(CW_THREADS)
    continue_field(cw_grid grid, const real *field, double *values) {
  cw_grid_stride(p, grid.points) values[p] = (double)field[cw_nearest_inside(&grid, p)];
}

/* Values that are not negative order as their bits do, so that a maximum is one of integers. */
__global__ void __launch_bounds__(CW_THREADS)
    largest_inside(cw_grid grid, const double *density, unsigned long long *result) {
  const int64_t row = grid.cells[0], plane = row * grid.cells[1], count = plane * grid.cells[2];
  double largest = 0;
  cw_grid_stride(n, count) {
    const int64_t j = n / row % grid.cells[1], k = n / plane;
    const int64_t at = grid.offset + n % row + j * grid.stride[1] + k * grid.stride[2];
    largest = fmax(largest, fabs(density[at]));
  }
  for (int half = CW_WARP / 2; half > 0; half /= 2)
    largest = fmax(largest, __shfl_xor_sync(0xffffffffu, largest, half));
  if (threadIdx.x % CW_WARP == 0)
    atomicMax(result, (unsigned long long)__double_as_longlong(largest));
}

} // namespace

cw_status cw_engine_add_density_cuda(cw_context *context, int64_t points, double *total,
                                     const double *one) {
  CW_CUDA_LAUNCH(context, add_density, cw_cuda_blocks(context, points, CW_THREADS), CW_THREADS, 0,
                 points, total, one);
  return CW_OK;
}

cw_status cw_engine_add_field_cuda(cw_context *context, int64_t points, cw_precision precision,
                                   const void *own, const double *external, void *total) {
  const unsigned blocks = cw_cuda_blocks(context, points, CW_THREADS);
  if (precision == CW_DOUBLE)
    CW_CUDA_LAUNCH_NAMED(context, "add_field", add_field<double>, blocks, CW_THREADS, 0, points,
                         (const double *)own, external, (double *)total);
  else
    CW_CUDA_LAUNCH_NAMED(context, "add_field", add_field<float>, blocks, CW_THREADS, 0, points,
                         (const float *)own, external, (float *)total);
  return CW_OK;
}

cw_status cw_engine_continue_cuda(cw_context *context, const cw_grid *grid, cw_precision precision,
                                  const void *field, double *values) {
  const unsigned blocks = cw_cuda_blocks(context, grid->points, CW_THREADS);
  if (precision == CW_DOUBLE)
    CW_CUDA_LAUNCH_NAMED(context, "continue_field", continue_field<double>, blocks, CW_THREADS, 0,
                         *grid, (const double *)field, values);
  else
    CW_CUDA_LAUNCH_NAMED(context, "continue_field", continue_field<float>, blocks, CW_THREADS, 0,
                         *grid, (const float *)field, values);
  return CW_OK;
}

cw_status cw_engine_largest_cuda(cw_context *context, const cw_grid *grid, const double *density,
                                 double *work, double *largest) {
  const int64_t cells = (int64_t)grid->cells[0] * grid->cells[1] * grid->cells[2];
  CW_TRY(cw_device_zero(context, work, sizeof *work));
  CW_CUDA_LAUNCH(context, largest_inside, cw_cuda_blocks(context, cells, CW_THREADS), CW_THREADS, 0,
                 *grid, density, (unsigned long long *)work);
  return cw_device_read(context, largest, work, sizeof *largest);
}
