#include "fields/ecsim_private.h"

#include <math.h>
#include <string.h>

#include "base/context_private.h"
#include "comm/comm.h"

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
  if (options->space != CW_SPACE_HOST && !cw_ecsim_device_ops())
    return cw_fail(context, CW_ERROR_UNSUPPORTED, "ecsim: this build has no device code");
  for (int a = 0; a < 3; a++)
    if ((options->conductor[a] & ~1) || (options->conductor[a] && a >= grid->dim))
      return cw_fail(context, CW_ERROR_ARGUMENT,
                     "ecsim: conductor %d across axis %d of %d; expected 0 or 1, and 0 for an axis "
                     "that is not simulated",
                     options->conductor[a], a + 1, grid->dim);
  if (grid->ghost < 1)
    return cw_fail(context, CW_ERROR_ARGUMENT, "ecsim: the grid has no ghost cells");
  return CW_OK;
}

cw_status cw_ecsim_smooth(cw_ecsim_fields *fields, int component, double *array) {
  return fields->options.smoothing_passes > 0 ? fields->ops->smooth(fields, component, array)
                                              : CW_OK;
}

cw_status cw_ecsim_smooth_vector(cw_ecsim_fields *fields, double *const array[3]) {
  for (int c = 0; c < 3; c++)
    CW_TRY(cw_ecsim_smooth(fields, c, array[c]));
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
  made->ops = options->space == CW_SPACE_HOST ? &cw_ecsim_host_ops : cw_ecsim_device_ops();
  cw_ecsim_arrays(made, arrays);
  for (int k = 0; k < CW_ECSIM_ARRAYS; k++) {
    CW_TRY_CLEANUP(status, cw_memory_alloc(context, options->space, 3 * (size_t)grid->points,
                                           sizeof(double), "field", (void **)&arrays[k][0]));
    for (int c = 1; c < 3; c++)
      arrays[k][c] = arrays[k][0] + c * grid->points;
  }
  if (options->space == CW_SPACE_HOST)
    CW_TRY_CLEANUP(status, cw_ecsim_create_filter(made));
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
    cw_memory_free(fields->context, fields->options.space, arrays[k][0]);
  CW_DELETE(fields->context, fields->sources);
  CW_DELETE(fields->context, fields->signs);
  cw_memory_free(fields->context, fields->options.space, fields->filter_work);
  CW_DELETE(fields->context, fields);
}

cw_ecsim_job cw_ecsim_job_of(const cw_ecsim_fields *fields, int to_node, double scale) {
  cw_ecsim_job job = {.grid = &fields->grid,
                      .threads = cw_context_threads(fields->context),
                      .to_node = to_node,
                      .scale = scale};
  for (int a = 0; a < 3; a++)
    job.beyond[a] = to_node && fields->options.conductor[a];
  return job;
}

cw_status cw_ecsim_curl(const cw_ecsim_fields *fields, int to_node, const double *const in[3],
                        double *const out[3]) {
  cw_ecsim_job job = cw_ecsim_job_of(fields, to_node, 1);
  memcpy(job.in, in, sizeof job.in);
  memcpy(job.out, out, sizeof job.out);
  return fields->ops->curl(fields, &job);
}

cw_status cw_ecsim_update(cw_ecsim_fields *fields) {
  CW_TRY(cw_ecsim_fill_ghosts(fields, CW_ECSIM_NODE_E, fields->E));
  CW_TRY(cw_ecsim_fill_ghosts(fields, CW_ECSIM_CENTRE_B, fields->B));
  cw_ecsim_job job = cw_ecsim_job_of(fields, 1, 1);
  for (int c = 0; c < 3; c++)
    job.in[c] = fields->B[c], job.out[c] = fields->B_node[c];
  CW_TRY(fields->ops->average(fields, &job));
  return cw_ecsim_fill_ghosts(fields, CW_ECSIM_NODE_B, fields->B_node);
}

cw_status cw_ecsim_advance(cw_ecsim_fields *fields) {
  const double theta = fields->options.theta, before = 1 - theta;
  cw_ecsim_job job = cw_ecsim_job_of(fields, 0, -fields->options.dt);
  for (int c = 0; c < 3; c++)
    job.base[c] = job.out[c] = fields->B[c], job.in[c] = fields->E_theta[c];
  CW_TRY(fields->ops->curl(fields, &job));
  CW_TRY(fields->ops->combine(fields, 1 / theta, fields->E_theta, -before / theta, fields->E,
                              fields->E));
  return cw_ecsim_update(fields);
}

cw_status cw_ecsim_energy(cw_ecsim_fields *fields, double *electric, double *magnetic) {
  const double *dx = fields->grid.dx;
  const double factor = dx[0] * dx[1] * dx[2] / (2 * fields->options.four_pi);
  double sums[2];
  CW_TRY(fields->ops->squares(fields, sums));
  CW_TRY(cw_comm_reduce(fields->context, sums, 2, CW_COMM_SUM));
  *electric = factor * sums[0];
  *magnetic = factor * sums[1];
  return CW_OK;
}

cw_status cw_ecsim_divergence(cw_ecsim_fields *fields, int of_B, double *out) {
  cw_ecsim_job job = cw_ecsim_job_of(fields, of_B, 1);
  memcpy(job.in, of_B ? fields->B : fields->E, sizeof job.in);
  job.out[0] = out;
  return fields->ops->divergence(fields, &job);
}

cw_status cw_ecsim_pack_centres(const cw_ecsim_fields *fields, double *array, double *packed,
                                int pack) {
  return fields->ops->pack_centres(fields, 1, array, packed, pack);
}

cw_status cw_ecsim_charge_error(cw_ecsim_fields *fields, double *rho, double scale,
                                double *max_error, double *max_rho) {
  *max_error = *max_rho = NAN;
  CW_TRY(cw_ecsim_smooth(fields, -1, rho));
  CW_TRY(cw_ecsim_divergence(fields, 0, fields->centre[0]));
  double largest[3];
  CW_TRY(fields->ops->charge(fields, fields->centre[0], rho, scale, largest));
  if (largest[2] != 0)
    return cw_fail(fields->context, CW_ERROR_NUMERIC, "div E or the charge is not finite");
  CW_TRY(cw_comm_reduce(fields->context, largest, 2, CW_COMM_MAX));
  *max_error = largest[0];
  *max_rho = largest[1];
  return CW_OK;
}
