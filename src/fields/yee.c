/* dB/dt = -curl E, dE/dt = curl B - current (Yee 1966): checks, choice of code, boundaries. */
#include <math.h>

#include "fields/fields_private.h"
#include "fields/yee_cpu.h"

cw_status cw_fields_host_curl(cw_fields *fields, const cw_yee_job *job) {
  const cw_yee_cpu_table *table = CW_ISA_SELECT(cw_yee_cpu_ops, cw_context_isa(fields->context));
  table->curl[fields->options.precision](job);
  return CW_OK;
}

static cw_status add_curl(cw_fields *fields, cw_yee_job *job, double dt) {
  const cw_grid *grid = &fields->grid;
  job->grid = grid;
  job->threads = cw_context_threads(fields->context);
  for (int a = 0; a < grid->dim; a++)
    job->coefficient[a] = fields->options.correction * dt / grid->dx[a];
  return fields->ops->curl(fields, job);
}

/* Layers, walls and ghost cells of a component that has been advanced. */
static cw_status finish(cw_fields *fields, const cw_fields_kind *kind, int component, void *array,
                        double dt) {
  CW_TRY(cw_fields_absorb(fields, kind, component, array, dt));
  CW_TRY(cw_fields_fill_array(fields, kind, fields->options.precision, array));
  return cw_fields_set_outside(fields, kind, component, array);
}

cw_status cw_fields_advance_B(cw_fields *fields, double dt) {
  if (!isfinite(dt))
    return cw_fail(fields->context, CW_ERROR_ARGUMENT, "advance B: dt is %g", dt);
  cw_yee_job job = {.step = 1};
  for (int a = 0; a < 3; a++)
    job.out[a] = fields->B[a], job.in[a] = fields->E[a];
  CW_TRY(add_curl(fields, &job, dt));
  for (int a = 0; a < 3; a++) {
    cw_fields_kind kind = cw_fields_kind_B(a);
    CW_TRY(finish(fields, &kind, 3 + a, fields->B[a], dt));
  }
  return CW_OK;
}

cw_status cw_fields_advance_E(cw_fields *fields, double dt, double current_scale) {
  if (!isfinite(dt) || !isfinite(current_scale))
    return cw_fail(fields->context, CW_ERROR_ARGUMENT, "advance E: dt is %g, current scale %g", dt,
                   current_scale);
  cw_yee_job job = {.step = -1, .current_scale = current_scale};
  for (int a = 0; a < 3; a++) {
    job.out[a] = fields->E[a];
    job.in[a] = fields->B[a];
    job.current[a] = current_scale != 0 ? fields->J[a] : NULL;
  }
  CW_TRY(add_curl(fields, &job, dt));
  for (int a = 0; a < 3; a++) {
    cw_fields_kind kind = cw_fields_kind_E(a);
    CW_TRY(finish(fields, &kind, a, fields->E[a], dt));
  }
  return CW_OK;
}
