/* Fields on a device: the Yee update, lines (walls), absorbing layers. */
#include "fields/fields_cuda.cuh"

#define CW_REAL_IS_DOUBLE 0
#include "base/real.h"
#include "fields/line_body.h"
#include "fields/yee_point_body.h"
#undef CW_REAL_IS_DOUBLE
#define CW_REAL_IS_DOUBLE 1
#include "base/real.h"
#include "fields/line_body.h"
#include "fields/yee_point_body.h"

cw_box_cells cw_fields_box(const cw_grid *grid, const int32_t first[3], const int32_t end[3]) {
  cw_box_cells box;
  box.start = cw_grid_index(grid, first[0], first[1], first[2]);
  box.stride1 = grid->stride[1];
  box.stride2 = grid->stride[2];
  for (int a = 0; a < 3; a++)
    box.count[a] = end[a] > first[a] ? end[a] - first[a] : 0;
  return box;
}

dim3 cw_fields_box_blocks(const cw_box_cells *box) {
  enum { MOST = 65535 }; /* of blocks along y and z */
  int64_t x = ((int64_t)box->count[0] + CW_BOX_X - 1) / CW_BOX_X;
  int64_t y = cw_min_i64(((int64_t)box->count[1] + CW_BOX_Y - 1) / CW_BOX_Y, MOST);
  return dim3((unsigned)x, (unsigned)y, (unsigned)cw_min_i64(box->count[2], MOST));
}

namespace {

const dim3 box_threads(CW_BOX_X, CW_BOX_Y);

template <class real> struct yee_arrays {
  real *out[3];
  const real *in[3];
  const real *current[3]; /* NULL: none */
  int64_t step[3];
  real coefficient[3], current_scale;
};

__device__ inline void curl_at(const yee_arrays<float> &a, int64_t at) {
  curl_point_f32(at, a.step[0], a.step[1], a.step[2], a.coefficient[0], a.coefficient[1],
                 a.coefficient[2], a.out[0], a.out[1], a.out[2], a.in[0], a.in[1], a.in[2]);
}
__device__ inline void curl_at(const yee_arrays<double> &a, int64_t at) {
  curl_point_f64(at, a.step[0], a.step[1], a.step[2], a.coefficient[0], a.coefficient[1],
                 a.coefficient[2], a.out[0], a.out[1], a.out[2], a.in[0], a.in[1], a.in[2]);
}

template <class real>
__global__ void __launch_bounds__(CW_THREADS) yee(cw_box_cells box, yee_arrays<real> a) {
  cw_box_loop(box, i, j, k) {
    int64_t at = cw_box_at(box, i, j, k);
    curl_at(a, at);
    if (a.current[0])
      for (int c = 0; c < 3; c++)
        a.out[c][at] -= a.current_scale * a.current[c][at];
  }
}

template <class real> cw_status launch_yee(cw_fields *fields, const cw_yee_job *job) {
  const int32_t first[3] = {0, 0, 0};
  const cw_box_cells box = cw_fields_box(job->grid, first, job->grid->cells);
  yee_arrays<real> a;
  for (int c = 0; c < 3; c++) {
    a.out[c] = (real *)job->out[c];
    a.in[c] = (const real *)job->in[c];
    a.current[c] = (const real *)job->current[c];
    a.step[c] = c < job->grid->dim ? job->step * job->grid->stride[c] : 0;
    a.coefficient[c] = (real)job->coefficient[c];
  }
  a.current_scale = (real)job->current_scale;
  CW_CUDA_LAUNCH_NAMED(fields->context, "yee", yee<real>, cw_fields_box_blocks(&box), box_threads,
                       0, box, a);
  return CW_OK;
}

cw_status device_curl(cw_fields *fields, const cw_yee_job *job) {
  return fields->options.precision == CW_DOUBLE ? launch_yee<double>(fields, job)
                                                : launch_yee<float>(fields, job);
}

__device__ inline void apply_one(const cw_line_op *op, float *to, float *from) {
  apply_f32(op, to, from, 1);
}
__device__ inline void apply_one(const cw_line_op *op, double *to, double *from) {
  apply_f64(op, to, from, 1);
}

/* One thread a line. Lines along axis 0 are rows; along the others, neighbours stand side by side.
 */
template <class real>
__global__ void __launch_bounds__(CW_THREADS)
    lines(const __grid_constant__ cw_line_ops ops, int64_t count, int64_t inner,
          int64_t inner_stride, int64_t outer_stride, int64_t stride, int32_t ghost, real *array) {
  cw_grid_stride(l, count) {
    real *line = array + l / inner * outer_stride + l % inner * inner_stride + ghost * stride;
    for (int k = 0; k < ops.count; k++)
      apply_one(&ops.op[k], line + ops.op[k].to * stride, line + ops.op[k].from * stride);
  }
}

cw_status device_lines(cw_fields *fields, cw_precision precision, void *array, int axis,
                       const cw_line_ops *ops) {
  return cw_lines_device(fields->context, &fields->grid, precision, array, axis, ops);
}

template <class real>
__global__ void __launch_bounds__(CW_THREADS) damp(cw_box_cells box, cw_layer layer, real *array) {
  cw_box_loop(box, i, j, k) {
    int32_t along = layer.first + (layer.axis == 0 ? i : layer.axis == 1 ? j : k);
    array[cw_box_at(box, i, j, k)] *= (real)cw_layer_factor(&layer, along);
  }
}

cw_status device_damp(cw_fields *fields, const cw_layer *layer, void *array) {
  int32_t first[3] = {0, 0, 0}, end[3];
  for (int a = 0; a < 3; a++)
    end[a] = fields->grid.cells[a];
  first[layer->axis] = layer->first;
  end[layer->axis] = layer->last + 1;
  const cw_box_cells box = cw_fields_box(&fields->grid, first, end);
  if (box.count[layer->axis] == 0)
    return CW_OK;
  const dim3 blocks = cw_fields_box_blocks(&box);
  if (fields->options.precision == CW_DOUBLE)
    CW_CUDA_LAUNCH_NAMED(fields->context, "damp", damp<double>, blocks, box_threads, 0, box, *layer,
                         (double *)array);
  else
    CW_CUDA_LAUNCH_NAMED(fields->context, "damp", damp<float>, blocks, box_threads, 0, box, *layer,
                         (float *)array);
  return CW_OK;
}

cw_status device_zero(cw_fields *fields, void *array, size_t bytes) {
  return cw_device_zero(fields->context, array, bytes);
}

const cw_fields_ops device_ops = {device_zero,
                                  device_curl,
                                  device_lines,
                                  device_damp,
                                  cw_fields_device_match,
                                  cw_fields_device_filter,
                                  cw_fields_device_squares,
                                  cw_fields_device_divergence,
                                  cw_fields_device_charge};

} // namespace

const cw_fields_ops *cw_fields_device_ops(void) {
  return &device_ops;
}

cw_status cw_lines_device(cw_context *context, const cw_grid *grid, cw_precision precision,
                          void *array, int axis, const cw_line_ops *ops) {
  int64_t count = grid->points / grid->size[axis], stride = grid->stride[axis];
  int64_t inner = axis == 0 ? count : stride;
  int64_t inner_stride = axis == 0 ? grid->size[0] : 1, outer_stride = stride * grid->size[axis];
  unsigned blocks = cw_cuda_blocks(context, count, CW_THREADS);
  if (precision == CW_DOUBLE)
    CW_CUDA_LAUNCH_NAMED(context, "lines", lines<double>, blocks, CW_THREADS, 0, *ops, count, inner,
                         inner_stride, outer_stride, stride, grid->ghost, (double *)array);
  else
    CW_CUDA_LAUNCH_NAMED(context, "lines", lines<float>, blocks, CW_THREADS, 0, *ops, count, inner,
                         inner_stride, outer_stride, stride, grid->ghost, (float *)array);
  return CW_OK;
}
