/* The fields of the energy-conserving method in host memory. */
#include <math.h>
#include <string.h>

#include "base/context_private.h"
#include "fields/ecsim_private.h"
#include "fields/filters_cpu.h"

/* `passes` places on each side, an axis. */
cw_status cw_ecsim_create_filter(cw_ecsim_fields *fields) {
  const int passes = fields->options.smoothing_passes;
  if (passes == 0)
    return CW_OK;
  const cw_grid *grid = &fields->grid;
  size_t values = 0;
  CW_TRY(CW_NEW(fields->context, 6 * passes, "filter maps", &fields->sources));
  CW_TRY(CW_NEW(fields->context, 2 * passes, "filter signs", &fields->signs));
  for (int e = 0; e < 2 * passes; e++)
    fields->signs[e] = 1;
  for (int a = 0; a < grid->dim; a++) {
    const int32_t n = grid->cells[a];
    for (int e = 0; e < passes; e++) {
      fields->sources[2 * passes * a + e] = ((e - passes) % n + n) % n;
      fields->sources[2 * passes * a + passes + e] = e % n;
    }
    cw_filter_job job = {.grid = grid, .axis = a, .passes = passes};
    job.last[a] = n - 1;
    size_t wanted = (size_t)cw_filter_buffer(&job);
    values = wanted > values ? wanted : values;
  }
  return cw_memory_alloc(fields->context, CW_SPACE_HOST,
                         values * (size_t)cw_context_threads(fields->context), sizeof(double),
                         "filter scratch", &fields->filter_work);
}

static cw_status host_smooth(cw_ecsim_fields *fields, double *array) {
  const int passes = fields->options.smoothing_passes;
  const cw_filter_cpu_table *table =
      CW_ISA_SELECT(cw_filter_cpu_ops, cw_context_isa(fields->context));
  cw_filter_job job = {.grid = &fields->grid,
                       .threads = cw_context_threads(fields->context),
                       .passes = passes,
                       .sign = {fields->signs, fields->signs + passes},
                       .array = array,
                       .work = fields->filter_work};
  for (int a = 0; a < 3; a++)
    job.last[a] = fields->grid.cells[a] - 1;
  for (job.axis = 0; job.axis < fields->grid.dim; job.axis++) {
    job.source[0] = fields->sources + 2 * passes * job.axis;
    job.source[1] = job.source[0] + passes;
    table->sweep[CW_DOUBLE](&job);
  }
  return CW_OK;
}

static const cw_ecsim_cpu_table *table_of(const cw_ecsim_fields *fields) {
  return CW_ISA_SELECT(cw_ecsim_cpu_ops, cw_context_isa(fields->context));
}

static cw_status host_curl(const cw_ecsim_fields *fields, const cw_ecsim_job *job) {
  table_of(fields)->curl(job);
  return CW_OK;
}

static cw_status host_divergence(const cw_ecsim_fields *fields, const cw_ecsim_job *job) {
  table_of(fields)->divergence(job);
  return CW_OK;
}

static cw_status host_average(const cw_ecsim_fields *fields, const cw_ecsim_job *job) {
  table_of(fields)->average(job);
  return CW_OK;
}

static cw_status host_pack(const cw_ecsim_fields *fields, double *const array[3], double *packed,
                           int pack) {
  const cw_grid *grid = &fields->grid;
  const int64_t n = grid->cells[0], rows = (int64_t)grid->cells[1] * grid->cells[2];
  const size_t bytes = (size_t)n * sizeof(double);
#pragma omp parallel for schedule(static) if (fields->grid.points > CW_ECSIM_PARALLEL_POINTS)      \
    num_threads(cw_context_threads(fields->context))
  for (int64_t row = 0; row < 3 * rows; row++) {
    const int64_t r = row % rows;
    double *inside =
        array[row / rows] + cw_grid_index(grid, 0, r % grid->cells[1], r / grid->cells[1]);
    if (pack)
      memcpy(packed + row * n, inside, bytes);
    else
      memcpy(inside, packed + row * n, bytes);
  }
  return CW_OK;
}

static cw_status host_combine(const cw_ecsim_fields *fields, double a, double *const x[3], double b,
                              double *const y[3], double *const z[3]) {
#pragma omp parallel for schedule(static) if (fields->grid.points > CW_ECSIM_PARALLEL_POINTS)      \
    num_threads(cw_context_threads(fields->context))
  for (int64_t k = 0; k < fields->grid.points; k++)
    for (int c = 0; c < 3; c++)
      z[c][k] = a * x[c][k] + b * y[c][k];
  return CW_OK;
}

/* Sum of squares over the interior: a row at a time, then the rows of a plane, then the planes. */
static double square_sum(const cw_grid *grid, double *const array[3]) {
  double total = 0;
  for (int32_t k = 0; k < grid->cells[2]; k++) {
    double plane = 0;
    for (int32_t j = 0; j < grid->cells[1]; j++) {
      const int64_t at = cw_grid_index(grid, 0, j, k);
      double row = 0;
      for (int c = 0; c < 3; c++)
        for (int32_t i = 0; i < grid->cells[0]; i++)
          row += array[c][at + i] * array[c][at + i];
      plane += row;
    }
    total += plane;
  }
  return total;
}

static cw_status host_squares(cw_ecsim_fields *fields, double sums[2]) {
  sums[0] = square_sum(&fields->grid, fields->E);
  sums[1] = square_sum(&fields->grid, fields->B);
  return CW_OK;
}

static cw_status host_charge(cw_ecsim_fields *fields, const double *divergence, const double *rho,
                             double scale, double result[3]) {
  const cw_grid *grid = &fields->grid;
  memset(result, 0, 3 * sizeof *result);
  for (int32_t k = 0; k < grid->cells[2]; k++)
    for (int32_t j = 0; j < grid->cells[1]; j++)
      for (int32_t i = 0; i < grid->cells[0]; i++) {
        const int64_t at = cw_grid_index(grid, i, j, k);
        const double charge = scale * rho[at], error = fabs(divergence[at] - charge);
        if (!isfinite(error))
          result[2] = 1;
        result[0] = fmax(result[0], error);
        result[1] = fmax(result[1], fabs(charge));
      }
  return CW_OK;
}

const cw_ecsim_ops cw_ecsim_host_ops = {.curl = host_curl,
                                        .divergence = host_divergence,
                                        .average = host_average,
                                        .smooth = host_smooth,
                                        .pack = host_pack,
                                        .combine = host_combine,
                                        .squares = host_squares,
                                        .charge = host_charge};
