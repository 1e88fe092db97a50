/* The field equation by restarted GMRES (Y. Saad and M. H. Schultz, SIAM J. Sci. Stat. Comput. 7
 * (1986) 856; SUNDIALS' SPGMR). Each cycle solves for a correction from the true residual, so what
 * is reported is b - A E' and not the recurrence's estimate. Gram and Schmidt's classical form has
 * all dot products of a step at once: one wait for a device; a loss of orthogonality would cost
 * another cycle. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/context_private.h"
#include "base/space.h"
#include "fields/ecsim_cuda.h"
#include "fields/ecsim_private.h"

static cw_status pack(const cw_ecsim_fields *fields, double *const array[3], N_Vector vector) {
  return fields->ops->pack(fields, array, cw_ecsim_vector_data(vector), 1);
}

static cw_status unpack(const cw_ecsim_fields *fields, N_Vector vector, double *const array[3]) {
  return fields->ops->pack(fields, array, cw_ecsim_vector_data(vector), 0);
}

/* E_theta = x with ghost cells, E_particles = S x with ghost cells. */
static cw_status set_unknown(cw_ecsim_fields *fields, N_Vector x) {
  CW_TRY(unpack(fields, x, fields->E_theta));
  CW_TRY(cw_ecsim_fill_ghosts(fields, CW_ECSIM_NODE_E, fields->E_theta));
  CW_TRY(cw_space_copy(fields->context, fields->options.space, fields->E_particles[0],
                       fields->options.space, fields->E_theta[0],
                       3 * (size_t)fields->grid.points * sizeof(double)));
  if (fields->options.smoothing_passes == 0)
    return CW_OK;
  CW_TRY(cw_ecsim_smooth_vector(fields, fields->E_particles));
  return cw_ecsim_fill_ghosts(fields, CW_ECSIM_NODE_E, fields->E_particles);
}

cw_status cw_ecsim_feel(cw_ecsim_fields *fields) {
  CW_TRY(cw_space_copy(fields->context, fields->options.space, fields->E_particles[0],
                       fields->options.space, fields->E[0],
                       3 * (size_t)fields->grid.points * sizeof(double)));
  CW_TRY(cw_ecsim_smooth_vector(fields, fields->E_particles));
  return cw_ecsim_fill_ghosts(fields, CW_ECSIM_NODE_E, fields->E_particles);
}

/* y = A x. Leaves S M S x in fields->work. */
static cw_status apply(cw_ecsim_fields *fields, N_Vector x, N_Vector y) {
  const cw_ecsim_options *o = &fields->options;
  const double step = o->theta * o->dt, matrix = o->current_scale * step;
  const double *in[3], *smoothed[3];
  CW_TRY(set_unknown(fields, x));
  memcpy(in, fields->E_theta, sizeof in);
  memcpy(smoothed, fields->E_particles, sizeof smoothed);
  if (cw_ecsim_has_conductors(fields))
    CW_TRY(cw_space_zero(fields->context, fields->options.space, fields->work[0],
                         3 * (size_t)fields->grid.points * sizeof(double)));
  CW_TRY(fields->response(fields->user, smoothed, fields->work));
  CW_TRY(cw_ecsim_fold_walls(fields, fields->work));
  CW_TRY(cw_ecsim_smooth_vector(fields, fields->work));
  CW_TRY(cw_ecsim_curl(fields, 0, in, fields->centre));
  CW_TRY(cw_ecsim_fill_ghosts(fields, CW_ECSIM_CENTRE_B, fields->centre));
  cw_ecsim_job job = cw_ecsim_job_of(fields, 1, step * step);
  for (int c = 0; c < 3; c++) {
    job.base[c] = fields->E_theta[c];
    job.in[c] = fields->centre[c];
    job.out[c] = fields->E_particles[c]; /* free again */
  }
  CW_TRY(fields->ops->curl(fields, &job));
  CW_TRY(fields->ops->combine(fields, 1, fields->E_particles, matrix, fields->work,
                              fields->E_particles));
  return pack(fields, fields->E_particles, y);
}

static int apply_callback(void *user, N_Vector x, N_Vector y) {
  cw_ecsim_fields *fields = user;
  fields->status = apply(fields, x, y);
  return fields->status == CW_OK ? 0 : -1;
}

cw_status cw_ecsim_solver_create(cw_ecsim_fields *fields) {
  int32_t nodes[3];
  const int64_t length = 3 * cw_ecsim_nodes(fields, nodes);
  cw_status failure =
      cw_fail(fields->context, CW_ERROR_MEMORY, "no memory for the field solver's vectors");
  if (SUNContext_Create(NULL, &fields->sundials) != 0)
    return failure;
  N_Vector *const vectors[] = {&fields->unknown, &fields->right, &fields->residual,
                               &fields->correction};
  fields->vectors = (cw_ecsim_vectors){.context = fields->context, .space = fields->options.space};
  if (fields->options.space != CW_SPACE_HOST)
    CW_TRY(cw_ecsim_sums_create_cuda(fields->context, &fields->vectors.sums));
  for (int k = 0; k < 4; k++) {
    *vectors[k] = cw_ecsim_vector_create(&fields->vectors, fields->sundials, (sunindextype)length);
    if (!*vectors[k])
      return CW_ERROR_MEMORY;
  }
  fields->solver =
      SUNLinSol_SPGMR(fields->unknown, SUN_PREC_NONE, fields->options.restart, fields->sundials);
  if (!fields->solver || SUNLinSol_SPGMRSetMaxRestarts(fields->solver, 0) != SUNLS_SUCCESS ||
      SUNLinSol_SPGMRSetGSType(fields->solver, SUN_CLASSICAL_GS) != SUNLS_SUCCESS ||
      SUNLinSolSetATimes(fields->solver, fields, apply_callback) != SUNLS_SUCCESS ||
      SUNLinSolInitialize(fields->solver) != SUNLS_SUCCESS)
    return CW_ERROR_MEMORY;
  return CW_OK;
}

void cw_ecsim_solver_destroy(cw_ecsim_fields *fields) {
  N_Vector const vectors[] = {fields->unknown, fields->right, fields->residual, fields->correction};
  if (fields->solver)
    SUNLinSolFree(fields->solver);
  for (int k = 0; k < 4; k++)
    if (vectors[k])
      N_VDestroy(vectors[k]);
  if (fields->sundials)
    SUNContext_Free(&fields->sundials);
  if (fields->vectors.sums)
    cw_ecsim_sums_destroy_cuda(fields->context, fields->vectors.sums);
}

/* b = E + th dt F B - kappa th dt S Jhat; S Jhat is kept in fields->J. */
static cw_status right_side(cw_ecsim_fields *fields) {
  const double step = fields->options.theta * fields->options.dt;
  const double source = step * fields->options.current_scale;
  cw_ecsim_job job = cw_ecsim_job_of(fields, 1, step);
  for (int c = 0; c < 3; c++) {
    job.base[c] = fields->E[c];
    job.in[c] = fields->B[c];
    job.out[c] = fields->work[c];
  }
  CW_TRY(cw_space_copy(fields->context, fields->options.space, fields->J[0], fields->options.space,
                       fields->Jhat[0], 3 * (size_t)fields->grid.points * sizeof(double)));
  CW_TRY(cw_ecsim_smooth_vector(fields, fields->J));
  CW_TRY(fields->ops->curl(fields, &job));
  CW_TRY(fields->ops->combine(fields, 1, fields->work, -source, fields->J, fields->work));
  return pack(fields, fields->work, fields->right);
}

/* r = b - A x, its norm, and the norm of A x. */
static cw_status true_residual(cw_ecsim_fields *fields, double *norm) {
  CW_TRY(apply(fields, fields->unknown, fields->residual));
  N_VLinearSum(1, fields->right, -1, fields->residual, fields->residual);
  *norm = cw_ecsim_vector_norm(fields->residual);
  CW_TRY(fields->vectors.status);
  if (!isfinite(*norm))
    return cw_fail(fields->context, CW_ERROR_NUMERIC,
                   "the field equation's residual is not finite: a field, a particle or the mass "
                   "matrix holds a value that is not a number");
  return CW_OK;
}

static cw_status cycle(cw_ecsim_fields *fields, double tolerance, int *iterations) {
  fields->status = CW_OK;
  N_VConst(0, fields->correction);
  SUNLinSolSetZeroGuess(fields->solver, SUNTRUE);
  int result =
      SUNLinSolSolve(fields->solver, NULL, fields->correction, fields->residual, tolerance);
  *iterations += SUNLinSolNumIters(fields->solver);
  CW_TRY(fields->status);
  CW_TRY(fields->vectors.status);
  if (result < 0)
    return cw_fail(fields->context, CW_ERROR_INTERNAL, "GMRES failed with code %d", result);
  N_VLinearSum(1, fields->unknown, 1, fields->correction, fields->unknown);
  return CW_OK;
}

static cw_status stalled(cw_ecsim_fields *fields, const cw_ecsim_report *report) {
  return cw_fail(fields->context, CW_ERROR_NUMERIC,
                 "the field solver stalls: after %d iterations the residual is %.3e, %.3e of the "
                 "first one, %.3e; algorithms.ecsim.solver_tolerance asks for %.3e: raise "
                 "solver_tolerance or solver_restart (%d), or lower the time step",
                 report->iterations, report->residual, report->residual / report->first_residual,
                 report->first_residual, fields->options.tolerance, fields->options.restart);
}

/* Cycles until the true residual is below the tolerance, or as small as round-off lets it be. */
static cw_status iterate(cw_ecsim_fields *fields, cw_ecsim_report *report) {
  CW_TRY(true_residual(fields, &report->residual));
  report->first_residual = report->residual;
  report->right_side = cw_ecsim_vector_norm(fields->right);
  const double target = fields->options.tolerance * report->first_residual;
  const double roundoff = 16 * DBL_EPSILON * (report->right_side + report->first_residual);
  while (report->residual > target) {
    const double before = report->residual;
    if (report->iterations >= fields->options.iterations)
      return stalled(fields, report);
    CW_TRY(cycle(fields, 0.5 * target, &report->iterations));
    CW_TRY(true_residual(fields, &report->residual));
    if (report->residual <= target || report->residual <= 0.5 * before)
      continue;
    if (report->residual <= roundoff)
      break; /* as far as doubles go */
    if (report->residual > 0.99 * before)
      return stalled(fields, report);
  }
  return CW_OK;
}

cw_status cw_ecsim_solve(cw_ecsim_fields *fields, cw_ecsim_response *response, void *user,
                         cw_ecsim_report *report) {
  cw_ecsim_report found = {0};
  fields->response = response;
  fields->user = user;
  fields->vectors.status = CW_OK;
  CW_TRY(right_side(fields));
  CW_TRY(pack(fields, fields->E, fields->unknown));
  CW_TRY(iterate(fields, &found));
  found.work = cw_ecsim_vector_dot(fields->unknown, fields->residual);
  CW_TRY(fields->ops->combine(fields, 1, fields->J, 1, fields->work, fields->J));
  *report = found;
  return set_unknown(fields, fields->unknown);
}
