/* Argument checks, choice of the loops, and what went wrong where. */
#include <math.h>
#include <omp.h>

#include "base/context_private.h"
#include "kernels/push/push_cuda.h"

const char *cw_pusher_name(cw_pusher pusher) {
  static const char *const names[] = {"none",     "boris",     "vay",     "higuera_cary",
                                      "massless", "boris_gca", "vay_gca", "higuera_cary_gca"};
  return (unsigned)pusher < sizeof names / sizeof *names ? names[pusher] : "unknown";
}

static cw_status check_options(cw_context *context, const cw_push_options *options,
                               const cw_grid *grid) {
  if (options->order < 0 || options->order > CW_PUSH_MAX_ORDER)
    return cw_fail(context, CW_ERROR_ARGUMENT, "push: shape order is %d; expected 0 to %d",
                   options->order, CW_PUSH_MAX_ORDER);
  if ((unsigned)options->pusher > CW_PUSHER_HIGUERA_CARY_GCA)
    return cw_fail(context, CW_ERROR_ARGUMENT, "push: unknown pusher %d", (int)options->pusher);
  if ((unsigned)options->path > CW_PUSH_PATH_VECTOR)
    return cw_fail(context, CW_ERROR_ARGUMENT, "push: unknown path %d", (int)options->path);
  if (!isfinite(options->force_scale))
    return cw_fail(context, CW_ERROR_ARGUMENT, "push: force_scale is %g", options->force_scale);
  for (int a = 0; a < grid->dim; a++)
    if (!(fabs(options->dt) <= (1 + 1e-9) * grid->dx[a])) /* dt = dx up to round-off is allowed */
      return cw_fail(context, CW_ERROR_ARGUMENT,
                     "push: in dt = %g light crosses more than one cell of %g along axis %d",
                     options->dt, grid->dx[a], a);
  return CW_OK;
}

static int is_guide(cw_pusher pusher) {
  return pusher >= CW_PUSHER_BORIS_GCA;
}

/* What moves a particle that is no guiding centre. */
static cw_pusher full_orbit(cw_pusher pusher) {
  return is_guide(pusher) ? pusher - CW_PUSHER_BORIS_GCA + CW_PUSHER_BORIS : pusher;
}

static cw_status check_extras(cw_context *context, const cw_push_options *options,
                              const cw_particles_view *particles) {
  const cw_push_drag *drag = &options->drag;
  const cw_push_guide *guide = &options->guide;
  if (!(drag->synchrotron >= 0) || !(drag->compton >= 0) || isinf(drag->synchrotron) ||
      isinf(drag->compton))
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "push: drag is %g and %g; expected finite numbers, 0 or more", drag->synchrotron,
                   drag->compton);
  if (!is_guide(options->pusher))
    return CW_OK;
  if (!(guide->e_ovr_b_max >= 0 && guide->e_ovr_b_max <= 1) || !(guide->larmor_max >= 0))
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "push: guiding centres up to E/B of %g and Larmor radii of %g; expected 0 to 1, "
                   "and 0 or more",
                   guide->e_ovr_b_max, guide->larmor_max);
  if (drag->synchrotron > 0 || drag->compton > 0)
    return cw_fail(context, CW_ERROR_ARGUMENT, "push: guiding centres have no drag");
  if (particles->count > 0 && (!particles->guide[0] || !particles->guide[1]))
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "push: the particles lack the arrays of guiding centres");
  return CW_OK;
}

static cw_status check_field(cw_context *context, const char *name, const cw_vector_view *field,
                             cw_precision precision, int *present) {
  int given =
      (field->component[0] != NULL) + (field->component[1] != NULL) + (field->component[2] != NULL);
  *present = given == 3;
  if (given != 0 && given != 3)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "push: %s has %d components; expected 3, or 0 for no field", name, given);
  if (given && field->precision != precision)
    return cw_fail(context, CW_ERROR_ARGUMENT, "push: %s is in %s precision; expected %s", name,
                   cw_precision_name(field->precision), cw_precision_name(precision));
  return CW_OK;
}

static cw_status check_particles(cw_context *context, const cw_grid *grid,
                                 const cw_particles_view *particles) {
  if (particles->count < 0)
    return cw_fail(context, CW_ERROR_ARGUMENT, "push: %lld particles", (long long)particles->count);
  if (particles->count == 0)
    return CW_OK;
  for (int a = 0; a < 3; a++) {
    int positions =
        particles->i[a] && particles->i_prev[a] && particles->dx[a] && particles->dx_prev[a];
    if (!particles->u[a] || (a < grid->dim && !positions))
      return cw_fail(context, CW_ERROR_ARGUMENT,
                     "push: the particles lack arrays of axis %d of a %d-dimensional grid", a,
                     grid->dim);
  }
  return CW_OK;
}

cw_status cw_push_check(cw_context *context, const cw_push_options *options, const cw_grid *grid,
                        const cw_vector_view *E, const cw_vector_view *B, cw_precision precision,
                        const cw_particles_view *particles, int *has_E, int *has_B) {
  CW_TRY(check_options(context, options, grid));
  CW_TRY(check_extras(context, options, particles));
  CW_TRY(check_particles(context, grid, particles));
  CW_TRY(check_field(context, "E", E, precision, has_E));
  CW_TRY(check_field(context, "B", B, precision, has_B));
  /* A dual window starts order / 2 + 1 nodes below the base (push_body.h). */
  int order = options->order > 0 ? options->order : 1;
  if ((*has_E || *has_B) && grid->ghost < order / 2 + 1)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "push: the grid has %d ghost cells; order %d needs %d at least",
                   (int)grid->ghost, options->order, order / 2 + 1);
  return CW_OK;
}

cw_push_job cw_push_make_job(const cw_push_options *options, const cw_grid *grid,
                             const cw_vector_view *E, const cw_vector_view *B,
                             const cw_particles_view *particles) {
  cw_push_job job = {.dim = grid->dim,
                     .order = options->order > 0 ? options->order : 1,
                     .pusher = full_orbit(options->pusher),
                     .guides = is_guide(options->pusher),
                     .guide = options->guide,
                     .dt = options->dt,
                     .vector = options->path != CW_PUSH_PATH_SCALAR,
                     .offset = grid->offset,
                     .half_kick = options->force_scale / 2,
                     .particles = *particles};
  int forceless = options->pusher == CW_PUSHER_NONE || options->pusher == CW_PUSHER_MASSLESS ||
                  options->force_scale == 0;
  for (int a = 0; a < 3; a++) {
    job.low[a] = job.order / 2 + 1 - grid->ghost;
    job.high[a] = grid->cells[a] - 1 + grid->ghost - job.order + job.order / 2;
    job.stride[a] = grid->stride[a];
    job.step[a] = options->dt / grid->dx[a];
    job.spacing[a] = grid->dx[a];
    job.E[a] = forceless ? NULL : E->component[a];
    job.B[a] = forceless ? NULL : B->component[a];
  }
  job.gathers = job.E[0] || job.B[0];
  job.guides = job.guides && job.gathers;
  /* the body's fields are kicks: half_kick times what the drag's coefficient is meant for */
  if (options->drag.synchrotron > 0 && job.gathers)
    job.drag[0] = 0.5 * options->drag.synchrotron / (job.half_kick * job.half_kick);
  job.drag[1] = 0.5 * options->drag.compton;
  job.drags = job.drag[0] > 0 || job.drag[1] > 0;
  return job;
}

static double real_at(cw_precision precision, const void *array, int64_t slot) {
  return precision == CW_SINGLE ? (double)((const float *)array)[slot]
                                : ((const double *)array)[slot];
}

/* The faults of one slot after the push. */
static int slot_faults(const cw_push_job *job, int64_t slot) {
  const cw_particles_view *view = &job->particles;
  int faults = 0;
  if (view->tag && view->tag[slot] == CW_TAG_DEAD)
    return 0;
  for (int a = 0; a < 3; a++)
    if (!isfinite(real_at(view->precision, view->u[a], slot)))
      faults |= CW_PUSH_NOT_FINITE;
  for (int a = 0; a < job->dim; a++) {
    int upper = real_at(view->precision, view->dx_prev[a], slot) >= 0.5;
    int64_t base = (int64_t)view->i_prev[a][slot] + (job->order % 2 ? 0 : upper);
    if (job->gathers && (base < job->low[a] || base > job->high[a]))
      faults |= CW_PUSH_OUTSIDE;
    if (!isfinite(real_at(view->precision, view->dx[a], slot)))
      faults |= CW_PUSH_NOT_FINITE;
  }
  return faults;
}

/* Fails naming the first faulty slot. */
static cw_status report(cw_context *context, const cw_push_job *job) {
  const cw_particles_view *view = &job->particles;
  int64_t slot = 0;
  int faults = 0;
  while (slot < view->count && !(faults = slot_faults(job, slot)))
    slot++;
  if (slot == view->count)
    return cw_fail(context, CW_ERROR_INTERNAL, "push: a fault of no slot");
  long long at = (long long)slot;
  unsigned long long id = view->id ? (unsigned long long)view->id[slot] : 0;
  if (faults & CW_PUSH_OUTSIDE)
    return cw_fail(context, CW_ERROR_NUMERIC,
                   "push: the particle in slot %lld (id %llu) starts outside the block: cell %d "
                   "along axis 0",
                   at, id, (int)view->i_prev[0][slot]);
  return cw_fail(context, CW_ERROR_NUMERIC,
                 "push: the particle in slot %lld (id %llu) is not finite: u = (%g, %g, %g)", at,
                 id, real_at(view->precision, view->u[0], slot),
                 real_at(view->precision, view->u[1], slot),
                 real_at(view->precision, view->u[2], slot));
}

cw_status cw_push(cw_context *context, const cw_push_options *options, const cw_grid *grid,
                  cw_vector_view E, cw_vector_view B, const cw_cells_view *cells,
                  cw_particles_view *particles) {
  int has_E, has_B;
  CW_TRY(cw_push_check(context, options, grid, &E, &B, particles->precision, particles, &has_E,
                       &has_B));
  if (particles->count == 0)
    return CW_OK;
  cw_push_job job = cw_push_make_job(options, grid, &E, &B, particles);
  if (particles->space != CW_SPACE_HOST)
    return cw_push_cuda(context, &job, cells, NULL);
  /* cells are not asked for: a block groups its particles by itself, any order of slots will do */
  const cw_push_ops *ops = CW_ISA_SELECT(cw_push_ops_table, cw_context_isa(context));
  cw_push_block_function *push_block = ops->push_block[particles->precision];
  int64_t blocks = (particles->count + CW_PUSH_BLOCK - 1) / CW_PUSH_BLOCK;
  int threads = (int)cw_min_i64(cw_context_threads(context), blocks), faults = 0;
  cw_push_scratch *scratch;
  CW_TRY(CW_NEW(context, threads, "fields at a block's particles", &scratch));
#pragma omp parallel for num_threads(threads) schedule(static) reduction(| : faults)
  for (int64_t block = 0; block < blocks; block++) {
    int64_t begin = block * CW_PUSH_BLOCK;
    int count = (int)cw_min_i64(CW_PUSH_BLOCK, job.particles.count - begin);
    faults |= push_block(&job, begin, count, &scratch[omp_get_thread_num()]);
  }
  CW_DELETE(context, scratch);
  return faults ? report(context, &job) : CW_OK;
}

cw_status cw_push_gather(cw_context *context, int order, const cw_grid *grid, cw_vector_view E,
                         cw_vector_view B, const cw_particles_view *particles,
                         double *const field[6]) {
  const cw_push_options options = {.order = order, .pusher = CW_PUSHER_BORIS, .force_scale = 1};
  int has_E, has_B, faults = 0;
  cw_particles_view places = *particles;
  for (int a = 0; a < 3; a++) { /* the check asks for what a push writes, too */
    places.i_prev[a] = places.i[a];
    places.dx_prev[a] = places.dx[a];
    places.u[a] = field[a];
  }
  if (particles->space != CW_SPACE_HOST)
    return cw_fail(context, CW_ERROR_ARGUMENT, "push: fields are gathered for host particles only");
  CW_TRY(cw_push_check(context, &options, grid, &E, &B, places.precision, &places, &has_E, &has_B));
  cw_push_job job = cw_push_make_job(&options, grid, &E, &B, &places);
  const cw_push_ops *ops = CW_ISA_SELECT(cw_push_ops_table, cw_context_isa(context));
  cw_push_scratch *scratch;
  CW_TRY(CW_NEW(context, 1, "fields at a block's particles", &scratch));
  for (int64_t begin = 0; begin < places.count; begin += CW_PUSH_BLOCK)
    faults |= ops->gather_block[places.precision](
        &job, begin, (int)cw_min_i64(CW_PUSH_BLOCK, places.count - begin), scratch, field);
  CW_DELETE(context, scratch);
  return faults ? cw_fail(context, CW_ERROR_NUMERIC,
                          "push: fields were asked for at a particle outside the block")
                : CW_OK;
}
