/* The fields of the energy-conserving method on a device: a thread a node or centre. */
#include "fields/ecsim_cuda.h"
#include "fields/ecsim_point_body.h"
#include "fields/ecsim_private.h"
#include "fields/fields_cuda.cuh"

namespace {

const dim3 box_threads(CW_BOX_X, CW_BOX_Y);

cw_box_cells interior(const cw_grid *grid) {
  const int32_t first[3] = {0, 0, 0};
  return cw_fields_box(grid, first, grid->cells);
}

/* A cw_ecsim_job as kernels see it. */
struct device_job {
  cw_box_cells box;
  int64_t stride[3], shift;
  double step[3]; /* scale / (4 dx), 0 along axes that are not simulated */
  const double *base[3], *in[3];
  double *out[3];
};

device_job describe(const cw_ecsim_job *job) {
  device_job d = {};
  d.box = interior(job->grid);
  for (int c = 0; c < 3; c++) {
    d.base[c] = job->base[c];
    d.in[c] = job->in[c];
    d.out[c] = job->out[c];
  }
  for (int a = 0; a < job->grid->dim; a++) {
    d.stride[a] = job->grid->stride[a];
    d.step[a] = job->scale / (4 * job->grid->dx[a]);
    d.shift += job->to_node ? d.stride[a] : 0;
  }
  return d;
}

__device__ void rows_at(const device_job &d, int64_t at, cw_ecsim_rows f[3]) {
#pragma unroll
  for (int c = 0; c < 3; c++)
    f[c] = cw_ecsim_rows_of(d.in[c] + at - d.shift, d.stride);
}

__global__ void __launch_bounds__(CW_THREADS) curl(const __grid_constant__ device_job d) {
  cw_box_loop(d.box, i, j, k) {
    const int64_t at = cw_box_at(d.box, i, j, k), s = d.stride[0];
    cw_ecsim_rows f[3];
    rows_at(d, at, f);
    const double found[3] = {cw_ecsim_curl_x(f, d.step, 0, s), cw_ecsim_curl_y(f, d.step, 0, s),
                             cw_ecsim_curl_z(f, d.step, 0, s)};
#pragma unroll
    for (int c = 0; c < 3; c++)
      d.out[c][at] = (d.base[c] ? d.base[c][at] : 0) + found[c];
  }
}

__global__ void __launch_bounds__(CW_THREADS) divergence(const __grid_constant__ device_job d) {
  cw_box_loop(d.box, i, j, k) {
    const int64_t at = cw_box_at(d.box, i, j, k);
    cw_ecsim_rows f[3];
    rows_at(d, at, f);
    d.out[0][at] =
        (d.base[0] ? d.base[0][at] : 0) + cw_ecsim_divergence_of(f, d.step, 0, d.stride[0]);
  }
}

__global__ void __launch_bounds__(CW_THREADS) average(const __grid_constant__ device_job d) {
  cw_box_loop(d.box, i, j, k) {
    const int64_t at = cw_box_at(d.box, i, j, k);
    cw_ecsim_rows f[3];
    rows_at(d, at, f);
#pragma unroll
    for (int c = 0; c < 3; c++)
      d.out[c][at] = cw_ecsim_mean_around(&f[c], 0, d.stride[0]);
  }
}

__global__ void __launch_bounds__(CW_THREADS)
    pack(cw_box_cells box, int64_t points, double *array, double *packed, int to_packed) {
  const int64_t cells = (int64_t)box.count[0] * box.count[1] * box.count[2];
  cw_box_loop(box, i, j, k) {
    const int64_t at = cw_box_at(box, i, j, k);
    const int64_t to = i + box.count[0] * (j + (int64_t)box.count[1] * k);
#pragma unroll
    for (int c = 0; c < 3; c++)
      if (to_packed)
        packed[c * cells + to] = array[c * points + at];
      else
        array[c * points + at] = packed[c * cells + to];
  }
}

/* Values that are not negative order as their bits do, so that a maximum is one of integers. */
__device__ void keep_largest(double value, double *result) {
  for (int half = CW_WARP / 2; half > 0; half /= 2)
    value = fmax(value, __shfl_xor_sync(0xffffffffu, value, half));
  if (threadIdx.x == 0) /* a warp is a row of the box's threads */
    atomicMax((unsigned long long *)result, (unsigned long long)__double_as_longlong(value));
}

__global__ void __launch_bounds__(CW_THREADS)
    charge(cw_box_cells box, const double *divergence, const double *rho, double scale,
           double *result) {
  static_assert((int)CW_BOX_X == (int)CW_WARP, "a warp is a row");
  double most[3] = {0, 0, 0};
  cw_box_loop(box, i, j, k) {
    const int64_t at = cw_box_at(box, i, j, k);
    const double here = scale * rho[at], error = fabs(divergence[at] - here);
    if (!isfinite(error))
      most[2] = 1;
    most[0] = fmax(most[0], error);
    most[1] = fmax(most[1], fabs(here));
  }
#pragma unroll
  for (int q = 0; q < 3; q++)
    keep_largest(most[q], &result[q]);
}

cw_status device_curl(const cw_ecsim_fields *fields, const cw_ecsim_job *job) {
  const device_job d = describe(job);
  CW_CUDA_LAUNCH(fields->context, curl, cw_fields_box_blocks(&d.box), box_threads, 0, d);
  return CW_OK;
}

cw_status device_divergence(const cw_ecsim_fields *fields, const cw_ecsim_job *job) {
  const device_job d = describe(job);
  CW_CUDA_LAUNCH(fields->context, divergence, cw_fields_box_blocks(&d.box), box_threads, 0, d);
  return CW_OK;
}

cw_status device_average(const cw_ecsim_fields *fields, const cw_ecsim_job *job) {
  const device_job d = describe(job);
  CW_CUDA_LAUNCH(fields->context, average, cw_fields_box_blocks(&d.box), box_threads, 0, d);
  return CW_OK;
}

/* Without conductors all components are alike. */
cw_status device_smooth(cw_ecsim_fields *fields, int, double *array) {
  const size_t bytes = (size_t)fields->grid.points * sizeof(double);
  cw_filter_box box = {};
  if (!fields->filter_work)
    CW_TRY(cw_memory_alloc(fields->context, CW_SPACE_DEVICE, bytes, 1, "filter scratch",
                           &fields->filter_work));
  box.grid = &fields->grid;
  for (int a = 0; a < 3; a++) {
    box.last[a] = fields->grid.cells[a] - 1;
    box.rule[a].n = fields->grid.cells[a];
    box.rule[a].ghost = fields->grid.ghost;
  }
  void *from = array, *to = fields->filter_work;
  CW_TRY(cw_filter_device(fields->context, &box, CW_DOUBLE, fields->options.smoothing_passes, &from,
                          &to));
  return from == array ? CW_OK : cw_device_copy_within(fields->context, array, from, bytes);
}

cw_status device_pack(const cw_ecsim_fields *fields, double *const array[3], double *packed,
                      int to_packed) {
  const cw_box_cells box = interior(&fields->grid);
  CW_CUDA_LAUNCH(fields->context, pack, cw_fields_box_blocks(&box), box_threads, 0, box,
                 fields->grid.points, array[0], packed, to_packed);
  return CW_OK;
}

cw_status device_combine(const cw_ecsim_fields *fields, double a, double *const x[3], double b,
                         double *const y[3], double *const z[3]) {
  const double c[2] = {a, b}, *const terms[2] = {x[0], y[0]};
  return cw_ecsim_combine_cuda(fields->context, 3 * fields->grid.points, 2, c, terms, z[0]);
}

/* By way of a vector of the solver, which is free between solves. */
cw_status device_squares(cw_ecsim_fields *fields, double sums[2]) {
  double *const *const arrays[2] = {fields->E, fields->B};
  const int32_t *n = fields->grid.cells;
  double *packed = cw_ecsim_vector_data(fields->correction);
  for (int f = 0; f < 2; f++) {
    CW_TRY(device_pack(fields, arrays[f], packed, 1));
    CW_TRY(cw_ecsim_dots_cuda(fields->context, fields->vectors.sums,
                              3 * (int64_t)n[0] * n[1] * n[2], packed, 1, &packed, &sums[f]));
  }
  return CW_OK;
}

cw_status device_charge(cw_ecsim_fields *fields, const double *of_E, const double *rho,
                        double scale, double result[3]) {
  const cw_box_cells box = interior(&fields->grid);
  double *work = cw_ecsim_vector_data(fields->correction);
  CW_TRY(cw_device_zero(fields->context, work, 3 * sizeof *work));
  CW_CUDA_LAUNCH(fields->context, charge, cw_fields_box_blocks(&box), box_threads, 0, box, of_E,
                 rho, scale, work);
  return cw_device_read(fields->context, result, work, 3 * sizeof *work);
}

const cw_ecsim_ops device_ops = {device_curl, device_divergence, device_average, device_smooth,
                                 device_pack, device_combine,    device_squares, device_charge};

} // namespace

const cw_ecsim_ops *cw_ecsim_device_ops(void) {
  return &device_ops;
}
