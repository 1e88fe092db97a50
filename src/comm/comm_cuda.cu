/* Ghost cells along one periodic axis: one thread a line, as the rows of comm_single_body.h. */
#include "base/device_cuda.cuh"
#include "comm/comm_device.h"
#include "comm/image_body.h"

namespace {

/* Lines along an axis: where line l starts, its stride, and the index of interior cell 0. */
struct lines {
  int64_t count, arrays, points, inner, outer_stride, inner_stride;
  int64_t stride;
  int32_t n, ghost;
};

lines make_lines(const cw_grid *grid, int64_t arrays, int axis) {
  lines made;
  made.count = grid->points / grid->size[axis];
  made.arrays = arrays;
  made.points = grid->points;
  made.inner = axis == 0 ? made.count : grid->stride[axis]; /* lines that stand side by side */
  made.inner_stride = axis == 0 ? grid->size[0] : 1;
  made.outer_stride = grid->stride[axis] * grid->size[axis];
  made.stride = grid->stride[axis];
  made.n = grid->cells[axis];
  made.ghost = grid->ghost;
  return made;
}

template <class real>
__device__ void exchange_cell(real *line, const lines &l, int32_t i, int fold) {
  real *outside = line + i * l.stride, *inside = line + cw_comm_image(i, l.n) * l.stride;
  if (fold) {
    *inside += *outside;
    *outside = 0;
  } else {
    *outside = *inside;
  }
}

template <class real>
__global__ void __launch_bounds__(CW_THREADS) exchange(lines l, real *array, int fold) {
  cw_grid_stride(n, l.count * l.arrays) {
    const int64_t k = n % l.count;
    real *line = array + n / l.count * l.points + k / l.inner * l.outer_stride +
                 k % l.inner * l.inner_stride + l.ghost * l.stride;
    for (int32_t i = -l.ghost; i < 0; i++)
      exchange_cell(line, l, i, fold);
    for (int32_t i = l.n; i < l.n + l.ghost; i++)
      exchange_cell(line, l, i, fold);
  }
}

} // namespace

cw_status cw_comm_exchange_device(cw_context *context, const cw_grid *grid, cw_precision precision,
                                  void *array, int64_t arrays, int axis, int fold) {
  CW_TRY(cw_device_use(context, NULL));
  const lines l = make_lines(grid, arrays, axis);
  unsigned blocks = cw_cuda_blocks(context, l.count * arrays, CW_THREADS);
  if (precision == CW_DOUBLE)
    CW_CUDA_LAUNCH_NAMED(context, "ghost cells", exchange<double>, blocks, CW_THREADS, 0, l,
                         (double *)array, fold);
  else
    CW_CUDA_LAUNCH_NAMED(context, "ghost cells", exchange<float>, blocks, CW_THREADS, 0, l,
                         (float *)array, fold);
  return CW_OK;
}
