/* The moving window on the device. */
#include "base/device_cuda.cuh"
#include "engine/engine_cuda.h"

namespace {

__global__ void __launch_bounds__(CW_THREADS)
    move_particles(cw_particles_view view, int axis, int32_t cells, int32_t end) {
  cw_grid_stride(p, view.count) cw_window_move(&view, axis, cells, end, p);
}

template <class real>
__global__ void __launch_bounds__(CW_THREADS)
    shift_array(cw_window_shift shift, const real *array, real *moved) {
  const cw_grid &grid = shift.grid;
  cw_grid_stride(p, grid.points) {
    int32_t index[3] = {0, 0, 0};
    int64_t rest = p, line;
    for (int a = grid.dim - 1; a >= 0; a--) {
      index[a] = (int32_t)(rest / grid.stride[a]) - grid.ghost;
      rest %= grid.stride[a];
    }
    const int64_t from = cw_window_source(&shift, index, p, &line);
    moved[p] = from < 0 ? (real)shift.fresh[line] : array[from];
  }
}

} // namespace

cw_status cw_engine_move_particles_cuda(cw_context *context, const cw_particles_view *particles,
                                        int axis, int32_t cells, int32_t end) {
  if (particles->count > 0)
    CW_CUDA_LAUNCH(context, move_particles, cw_cuda_blocks(context, particles->count, CW_THREADS),
                   CW_THREADS, 0, *particles, axis, cells, end);
  return CW_OK;
}

cw_status cw_engine_shift_array_cuda(cw_context *context, const cw_window_shift *shift,
                                     cw_precision precision, const void *array, void *moved) {
  const unsigned blocks = cw_cuda_blocks(context, shift->grid.points, CW_THREADS);
  if (precision == CW_DOUBLE)
    CW_CUDA_LAUNCH_NAMED(context, "shift_array", shift_array<double>, blocks, CW_THREADS, 0, *shift,
                         (const double *)array, (double *)moved);
  else
    CW_CUDA_LAUNCH_NAMED(context, "shift_array", shift_array<float>, blocks, CW_THREADS, 0, *shift,
                         (const float *)array, (float *)moved);
  return CW_OK;
}
