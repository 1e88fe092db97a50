/* The fields of the energy-conserving method on a device: a thread a node or centre. */
#include "fields/ecsim_cuda.h"
#include "fields/ecsim_point_body.h"
#include "fields/ecsim_private.h"
#include "fields/fields_cuda.cuh"

namespace {

const dim3 box_threads(CW_BOX_X, CW_BOX_Y);

/* The first `count` places of each axis. */
cw_box_cells box_of(const cw_grid *grid, const int32_t count[3]) {
  const int32_t first[3] = {0, 0, 0};
  return cw_fields_box(grid, first, count);
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
  int32_t count[3];
  for (int a = 0; a < 3; a++)
    count[a] = job->grid->cells[a] + job->beyond[a];
  d.box = box_of(job->grid, count);
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

/* Places that are packed; wall: the last one of an axis that ends at conductors, else 0. */
struct pack_job {
  cw_box_cells box;
  int components;
  int32_t wall[3];
  int64_t points, count;
};

/* What packing multiplies a value of component c on index i of axis a by: cw_ecsim_ops. */
__device__ double root(const pack_job &job, int c, int a, int32_t i) {
  if (job.wall[a] == 0 || (i > 0 && i < job.wall[a]))
    return 1;
  return c == a ? 0.70710678118654752440 : 0;
}

__global__ void __launch_bounds__(CW_THREADS)
    pack(const __grid_constant__ pack_job job, double *array, double *packed, int to_packed) {
  cw_box_loop(job.box, i, j, k) {
    const int64_t at = cw_box_at(job.box, i, j, k);
    const int64_t to = i + job.box.count[0] * (j + (int64_t)job.box.count[1] * k);
    for (int c = 0; c < job.components; c++) {
      const double factor = root(job, c, 0, i) * root(job, c, 1, j) * root(job, c, 2, k);
      double *inside = array + c * job.points + at, *outside = packed + c * job.count + to;
      if (to_packed)
        *outside = factor * *inside;
      else
        *inside = factor > 0 ? *outside / factor : 0;
    }
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

cw_status device_smooth(cw_ecsim_fields *fields, int component, double *array) {
  const size_t bytes = (size_t)fields->grid.points * sizeof(double);
  const cw_ecsim_kind kind = component < 0 ? CW_ECSIM_CHARGE : CW_ECSIM_NODE_E;
  cw_filter_box box = {};
  int32_t nodes[3];
  cw_ecsim_nodes(fields, nodes);
  if (!fields->filter_work)
    CW_TRY(cw_memory_alloc(fields->context, CW_SPACE_DEVICE, bytes, 1, "filter scratch",
                           &fields->filter_work));
  box.grid = &fields->grid;
  for (int a = 0; a < 3; a++) {
    box.last[a] = (component < 0 ? fields->grid.cells[a] : nodes[a]) - 1;
    box.rule[a] = cw_ecsim_rule(fields, kind, component, a);
  }
  void *from = array, *to = fields->filter_work;
  CW_TRY(cw_filter_device(fields->context, &box, CW_DOUBLE, fields->options.smoothing_passes, &from,
                          &to));
  return from == array ? CW_OK : cw_device_copy_within(fields->context, array, from, bytes);
}

cw_status launch_pack(const cw_ecsim_fields *fields, const pack_job *job, double *array,
                      double *packed, int to_packed) {
  CW_CUDA_LAUNCH(fields->context, pack, cw_fields_box_blocks(&job->box), box_threads, 0, *job,
                 array, packed, to_packed);
  return CW_OK;
}

cw_status device_pack(const cw_ecsim_fields *fields, double *const array[3], double *packed,
                      int to_packed) {
  pack_job job = {};
  int32_t nodes[3];
  job.components = 3;
  job.count = cw_ecsim_nodes(fields, nodes);
  job.points = fields->grid.points;
  job.box = box_of(&fields->grid, nodes);
  for (int a = 0; a < 3; a++)
    job.wall[a] = fields->options.conductor[a] ? fields->grid.cells[a] : 0;
  return launch_pack(fields, &job, array[0], packed, to_packed);
}

cw_status device_combine(const cw_ecsim_fields *fields, double a, double *const x[3], double b,
                         double *const y[3], double *const z[3]) {
  const double c[2] = {a, b}, *const terms[2] = {x[0], y[0]};
  return cw_ecsim_combine_cuda(fields->context, 3 * fields->grid.points, 2, c, terms, z[0]);
}

cw_status device_pack_centres(const cw_ecsim_fields *fields, int components, double *array,
                              double *packed, int to_packed) {
  const int32_t *n = fields->grid.cells;
  pack_job job = {};
  job.components = components;
  job.count = (int64_t)n[0] * n[1] * n[2];
  job.points = fields->grid.points;
  job.box = box_of(&fields->grid, n);
  return launch_pack(fields, &job, array, packed, to_packed);
}

/* By way of a vector of the solver, which is free between solves. */
cw_status device_squares(cw_ecsim_fields *fields, double sums[2]) {
  const int32_t *n = fields->grid.cells;
  double *packed = cw_ecsim_vector_data(fields->correction);
  int32_t nodes[3];
  CW_TRY(device_pack(fields, fields->E, packed, 1));
  CW_TRY(cw_ecsim_dots_cuda(fields->context, fields->vectors.sums,
                            3 * cw_ecsim_nodes(fields, nodes), packed, 1, &packed, &sums[0]));
  CW_TRY(device_pack_centres(fields, 3, fields->B[0], packed, 1));
  return cw_ecsim_dots_cuda(fields->context, fields->vectors.sums, 3 * (int64_t)n[0] * n[1] * n[2],
                            packed, 1, &packed, &sums[1]);
}

cw_status device_charge(cw_ecsim_fields *fields, const double *of_E, const double *rho,
                        double scale, double result[3]) {
  const cw_box_cells box = box_of(&fields->grid, fields->grid.cells);
  double *work = cw_ecsim_vector_data(fields->correction);
  CW_TRY(cw_device_zero(fields->context, work, 3 * sizeof *work));
  CW_CUDA_LAUNCH(fields->context, charge, cw_fields_box_blocks(&box), box_threads, 0, box, of_E,
                 rho, scale, work);
  return cw_device_read(fields->context, result, work, 3 * sizeof *work);
}

const cw_ecsim_ops device_ops = {device_curl,    device_divergence, device_average,
                                 device_smooth,  device_pack,       device_pack_centres,
                                 device_combine, device_squares,    device_charge};

} // namespace

const cw_ecsim_ops *cw_ecsim_device_ops(void) {
  return &device_ops;
}
