#include "fields/ecsim_private.h"

#include <math.h>
#include <string.h>

#include "base/context_private.h"
#include "comm/comm.h"
#include "fields/filters_cpu.h"

static cw_vector_view view_of(double *const array[3]) {
  return (cw_vector_view){.precision = CW_DOUBLE, .component = {array[0], array[1], array[2]}};
}

cw_vector_view cw_ecsim_E(const cw_ecsim_fields *fields) {
  return view_of(fields->E);
}
cw_vector_view cw_ecsim_B(const cw_ecsim_fields *fields) {
  return view_of(fields->B);
}
cw_vector_view cw_ecsim_B_node(const cw_ecsim_fields *fields) {
  return view_of(fields->B_node);
}
cw_vector_view cw_ecsim_E_theta(const cw_ecsim_fields *fields) {
  return view_of(fields->E_theta);
}
cw_vector_view cw_ecsim_E_particles(const cw_ecsim_fields *fields) {
  return view_of(fields->E_particles);
}
cw_vector_view cw_ecsim_Jhat(const cw_ecsim_fields *fields) {
  return view_of(fields->Jhat);
}
cw_vector_view cw_ecsim_J(const cw_ecsim_fields *fields) {
  return view_of(fields->J);
}

void cw_ecsim_arrays(cw_ecsim_fields *fields, double **arrays[CW_ECSIM_ARRAYS]) {
  double **const all[CW_ECSIM_ARRAYS] = {fields->E,       fields->B,           fields->B_node,
                                         fields->E_theta, fields->E_particles, fields->Jhat,
                                         fields->J,       fields->centre,      fields->work};
  memcpy(arrays, all, sizeof all);
}

static cw_status check_options(cw_context *context, const cw_grid *grid,
                               const cw_ecsim_options *options) {
  if (!(options->theta >= 0.5 && options->theta <= 1))
    return cw_fail(context, CW_ERROR_ARGUMENT, "ecsim: theta is %g; expected 1/2 to 1",
                   options->theta);
  if (!(options->dt > 0) || !isfinite(options->dt) || !isfinite(options->current_scale) ||
      !(options->four_pi > 0))
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "ecsim: dt is %g, the current's scale %g; expected finite numbers and dt > 0",
                   options->dt, options->current_scale);
  if (!(options->tolerance > 0 && options->tolerance < 1) || options->restart < 1 ||
      options->iterations < 1 || options->smoothing_passes < 0)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "ecsim: tolerance %g, restart %d, iterations %d, smoothing %d; expected a "
                   "tolerance below 1 and positive numbers",
                   options->tolerance, options->restart, options->iterations,
                   options->smoothing_passes);
  if (grid->ghost < 1)
    return cw_fail(context, CW_ERROR_ARGUMENT, "ecsim: the grid has no ghost cells");
  return CW_OK;
}

/* Where a periodic line goes on beyond its ends: `passes` places on each side, an axis. */
static cw_status create_filter(cw_ecsim_fields *fields) {
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

cw_status cw_ecsim_smooth(cw_ecsim_fields *fields, double *array) {
  const int passes = fields->options.smoothing_passes;
  const cw_filter_cpu_table *table =
      CW_ISA_SELECT(cw_filter_cpu_ops, cw_context_isa(fields->context));
  cw_filter_job job = {.grid = &fields->grid,
                       .threads = cw_context_threads(fields->context),
                       .passes = passes,
                       .sign = {fields->signs, passes ? fields->signs + passes : NULL},
                       .array = array,
                       .work = fields->filter_work};
  if (passes == 0)
    return CW_OK;
  for (int a = 0; a < 3; a++)
    job.last[a] = fields->grid.cells[a] - 1;
  for (job.axis = 0; job.axis < fields->grid.dim; job.axis++) {
    job.source[0] = fields->sources + 2 * passes * job.axis;
    job.source[1] = job.source[0] + passes;
    table->sweep[CW_DOUBLE](&job);
  }
  return CW_OK;
}

cw_status cw_ecsim_smooth_vector(cw_ecsim_fields *fields, double *const array[3]) {
  for (int c = 0; c < 3; c++)
    CW_TRY(cw_ecsim_smooth(fields, array[c]));
  return CW_OK;
}

cw_status cw_ecsim_fill_ghosts(cw_ecsim_fields *fields, double *const array[3]) {
  for (int c = 0; c < 3; c++)
    for (int a = 0; a < fields->grid.dim; a++)
      CW_TRY(cw_comm_fill_ghosts(fields->context, &fields->grid, CW_DOUBLE, array[c], a));
  return CW_OK;
}

cw_status cw_ecsim_create(cw_context *context, const cw_grid *grid, const cw_ecsim_options *options,
                          cw_ecsim_fields **fields) {
  cw_ecsim_fields *made = NULL;
  double **arrays[CW_ECSIM_ARRAYS];
  cw_status status = CW_OK;
  *fields = NULL;
  CW_TRY(check_options(context, grid, options));
  CW_TRY(CW_NEW(context, 1, "fields", &made));
  made->context = context;
  made->grid = *grid;
  made->options = *options;
  made->table = CW_ISA_SELECT(cw_ecsim_cpu_ops, cw_context_isa(context));
  cw_ecsim_arrays(made, arrays);
  for (int k = 0; k < CW_ECSIM_ARRAYS; k++)
    for (int c = 0; c < 3; c++)
      CW_TRY_CLEANUP(status, CW_NEW(context, grid->points, "field array", &arrays[k][c]));
  CW_TRY_CLEANUP(status, create_filter(made));
  CW_TRY_CLEANUP(status, cw_ecsim_solver_create(made));
  *fields = made;
  made = NULL;
cleanup:
  cw_ecsim_destroy(made);
  return status;
}

void cw_ecsim_destroy(cw_ecsim_fields *fields) {
  if (!fields)
    return;
  double **arrays[CW_ECSIM_ARRAYS];
  cw_ecsim_solver_destroy(fields);
  cw_ecsim_arrays(fields, arrays);
  for (int k = 0; k < CW_ECSIM_ARRAYS; k++)
    for (int c = 0; c < 3; c++)
      CW_DELETE(fields->context, arrays[k][c]);
  CW_DELETE(fields->context, fields->sources);
  CW_DELETE(fields->context, fields->signs);
  CW_DELETE(fields->context, fields->filter_work);
  CW_DELETE(fields->context, fields);
}

static cw_ecsim_job job_of(const cw_ecsim_fields *fields, int to_node, double scale) {
  return (cw_ecsim_job){.grid = &fields->grid,
                        .threads = cw_context_threads(fields->context),
                        .to_node = to_node,
                        .scale = scale};
}

void cw_ecsim_curl(const cw_ecsim_fields *fields, int to_node, const double *const in[3],
                   double *const out[3]) {
  cw_ecsim_job job = job_of(fields, to_node, 1);
  memcpy(job.in, in, sizeof job.in);
  memcpy(job.out, out, sizeof job.out);
  fields->table->curl(&job);
}

cw_status cw_ecsim_update(cw_ecsim_fields *fields) {
  CW_TRY(cw_ecsim_fill_ghosts(fields, fields->E));
  CW_TRY(cw_ecsim_fill_ghosts(fields, fields->B));
  cw_ecsim_job job = job_of(fields, 1, 1);
  for (int c = 0; c < 3; c++)
    job.in[c] = fields->B[c], job.out[c] = fields->B_node[c];
  fields->table->average(&job);
  return cw_ecsim_fill_ghosts(fields, fields->B_node);
}

cw_status cw_ecsim_advance(cw_ecsim_fields *fields) {
  const double theta = fields->options.theta, before = 1 - theta;
  cw_ecsim_job job = job_of(fields, 0, -fields->options.dt);
  for (int c = 0; c < 3; c++)
    job.base[c] = job.out[c] = fields->B[c], job.in[c] = fields->E_theta[c];
  fields->table->curl(&job);
#pragma omp parallel for schedule(static) if (fields->grid.points > CW_ECSIM_PARALLEL_POINTS)      \
    num_threads(cw_context_threads(fields->context))
  for (int64_t k = 0; k < fields->grid.points; k++)
    for (int c = 0; c < 3; c++)
      fields->E[c][k] = (fields->E_theta[c][k] - before * fields->E[c][k]) / theta;
  return cw_ecsim_update(fields);
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

cw_status cw_ecsim_energy(cw_ecsim_fields *fields, double *electric, double *magnetic) {
  const double *dx = fields->grid.dx;
  const double factor = dx[0] * dx[1] * dx[2] / (2 * fields->options.four_pi);
  double sums[2] = {square_sum(&fields->grid, fields->E), square_sum(&fields->grid, fields->B)};
  CW_TRY(cw_comm_reduce(fields->context, sums, 2, CW_COMM_SUM));
  *electric = factor * sums[0];
  *magnetic = factor * sums[1];
  return CW_OK;
}

cw_status cw_ecsim_charge_error(cw_ecsim_fields *fields, double *rho, double scale,
                                double *max_error, double *max_rho) {
  const cw_grid *grid = &fields->grid;
  *max_error = *max_rho = NAN;
  CW_TRY(cw_ecsim_smooth(fields, rho));
  cw_ecsim_job job = job_of(fields, 0, 1);
  memcpy(job.in, fields->E, sizeof job.in);
  job.out[0] = fields->centre[0];
  fields->table->divergence(&job);
  double largest[2] = {0, 0};
  for (int32_t k = 0; k < grid->cells[2]; k++)
    for (int32_t j = 0; j < grid->cells[1]; j++)
      for (int32_t i = 0; i < grid->cells[0]; i++) {
        const int64_t at = cw_grid_index(grid, i, j, k);
        const double charge = scale * rho[at], error = fabs(job.out[0][at] - charge);
        if (!isfinite(error))
          return cw_fail(fields->context, CW_ERROR_NUMERIC,
                         "div E or the charge is not finite at cell (%d, %d, %d)", (int)i, (int)j,
                         (int)k);
        largest[0] = fmax(largest[0], error);
        largest[1] = fmax(largest[1], fabs(charge));
      }
  CW_TRY(cw_comm_reduce(fields->context, largest, 2, CW_COMM_MAX));
  *max_error = largest[0];
  *max_rho = largest[1];
  return CW_OK;
}
