#include "kernels/deposit/deposit_cuda.h"
#include "kernels/deposit/deposit_private.h"
#include "kernels/deposit/deposit_reference.h"

#include <math.h>

const cw_deposit_cpu_ops *cw_deposit_ops(const cw_context *context) {
  return CW_ISA_SELECT(cw_deposit_cpu_ops_table, cw_context_isa(context));
}

static const cw_deposit_vector_ops *vector_ops(const cw_context *context) {
  return CW_ISA_SELECT(cw_deposit_vector_table, cw_context_isa(context));
}

static int order_class(int order) {
  return order < CW_DEPOSIT_ORDER_CLASSES ? order : CW_DEPOSIT_ORDER_CLASSES - 1;
}

int cw_deposit_has_vector_path(const cw_context *context, int dim, int order,
                               cw_precision precision) {
  if (dim < 1 || dim > 3 || order < 0 || order > CW_MAX_SHAPE_ORDER)
    return 0;
  return vector_ops(context)->loop[precision][0][dim - 1][order_class(order)] != NULL;
}

cw_deposit_loop *cw_deposit_choose_loop(const cw_context *context, const cw_deposit_job *job) {
  const int precision = (int)job->particles.precision, dim = job->dim - 1;
  const int order = order_class(job->order);
  cw_deposit_loop *vector = vector_ops(context)->loop[precision][job->fixed != 0][dim][order];
  if (job->path == CW_DEPOSIT_PATH_VECTOR || (job->path == CW_DEPOSIT_PATH_AUTO && vector))
    return vector;
  return cw_deposit_ops(context)->scalar[precision][job->fixed][dim][order];
}

cw_deposit_target cw_deposit_grid_target(const cw_grid *grid, void *const component[3]) {
  cw_deposit_target target = {{component[0], component[1], component[2]}, {0}, {0}, {1, 1, 1}};
  for (int a = 0; a < grid->dim; a++) {
    target.stride[a] = grid->stride[a];
    target.low[a] = -grid->ghost;
    target.high[a] = grid->cells[a] + grid->ghost;
  }
  return target;
}

void cw_deposit_tally_add(cw_deposit_tally *sum, const cw_deposit_tally *part) {
  sum->done += part->done;
  sum->dead += part->dead;
  sum->missed += part->missed;
  if (part->fault >= 0 && (sum->fault < 0 || part->fault < sum->fault))
    sum->fault = part->fault;
}

static cw_status check_particles(cw_context *context, const cw_deposit_options *options,
                                 const cw_grid *grid, const cw_particles_view *particles) {
  if (options->order < 0 || options->order > CW_MAX_SHAPE_ORDER)
    return cw_fail(context, CW_ERROR_ARGUMENT, "deposit: shape order is %d; expected 0 to %d",
                   options->order, CW_MAX_SHAPE_ORDER);
  if (grid->dim < 1 || grid->dim > 3)
    return cw_fail(context, CW_ERROR_ARGUMENT, "deposit: dim is %d; expected 1, 2 or 3", grid->dim);
  /* even orders need one more where moves pass half a cell: such particles count as outside */
  const int32_t ghost = cw_grid_ghost_cells(options->order, 0.5);
  if (grid->ghost < ghost)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "deposit: the grid has %d ghost cells; order %d needs at least %d",
                   (int)grid->ghost, options->order, (int)ghost);
  if (particles->count < 0)
    return cw_fail(context, CW_ERROR_ARGUMENT, "deposit: %lld particles",
                   (long long)particles->count);
  if (!isfinite(options->charge))
    return cw_fail(context, CW_ERROR_ARGUMENT, "deposit: charge is %g", options->charge);
  return CW_OK;
}

static cw_status check_positions(cw_context *context, const cw_grid *grid,
                                 const cw_particles_view *particles, int now, int before) {
  for (int a = 0; a < grid->dim && particles->count > 0; a++)
    if ((now && (!particles->i[a] || !particles->dx[a])) ||
        (before && (!particles->i_prev[a] || !particles->dx_prev[a])))
      return cw_fail(context, CW_ERROR_ARGUMENT,
                     "deposit: the particles lack a position along axis %d", a);
  return CW_OK;
}

static cw_status check_current(cw_context *context, const cw_deposit_options *options,
                               const cw_grid *grid, const cw_particles_view *particles,
                               const cw_vector_view *J) {
  CW_TRY(check_particles(context, options, grid, particles));
  CW_TRY(check_positions(context, grid, particles, 1, 1));
  for (int c = 0; c < 3 && grid->dim < 3 && particles->count > 0; c++)
    if (!particles->u[c])
      return cw_fail(context, CW_ERROR_ARGUMENT, "deposit: the particles lack momentum %d", c);
  if (!(fabs(options->dt) > 0) || !isfinite(options->dt))
    return cw_fail(context, CW_ERROR_ARGUMENT, "deposit: dt is %g; expected a time step",
                   options->dt);
  if (!J->component[0] || !J->component[1] || !J->component[2])
    return cw_fail(context, CW_ERROR_ARGUMENT, "deposit: a component of J is missing");
  return CW_OK;
}

static cw_status check_layout(cw_context *context, const cw_deposit_options *options,
                              const cw_grid *grid, const cw_cells_view *cells, cw_space space) {
  if (options->drift < 0 || options->drift > CW_DEPOSIT_MAX_DRIFT)
    return cw_fail(context, CW_ERROR_ARGUMENT, "deposit: drift is %d; expected 0 to %d",
                   options->drift, CW_DEPOSIT_MAX_DRIFT);
  if (!cells || cells->total_tiles == 0)
    return CW_OK;
  if (cells->tile < 4 || cells->tile > 16 || cells->tile % 2)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "deposit: tile edge is %d; expected 4, 6, 8, 10, 12, 14 or 16",
                   (int)cells->tile);
  int64_t total = 1;
  int agree = cells->dim == grid->dim && cells->tile_offsets != NULL;
  for (int a = 0; a < 3; a++) {
    const int32_t tiles = a < grid->dim ? (grid->cells[a] + cells->tile - 1) / cells->tile : 1;
    agree &= cells->cells[a] == grid->cells[a] && cells->tiles[a] == tiles;
    total *= tiles;
  }
  if (!agree || total != cells->total_tiles)
    return cw_fail(context, CW_ERROR_ARGUMENT, "deposit: the cell table is of another grid");
  if (space != CW_SPACE_HOST)
    return CW_OK; /* offsets on a device come from its sort and are not read back for this */
  agree = cells->tile_offsets[0] == 0 && cells->tile_offsets[total] == cells->npart_partitioned;
  for (int64_t t = 0; t < total; t++)
    agree &= cells->tile_offsets[t] <= cells->tile_offsets[t + 1];
  if (!agree)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "deposit: the cell table's offsets do not ascend "
                   "from 0 to the number of sorted particles");
  return CW_OK;
}

static cw_status check_fault(cw_context *context, const cw_particles_view *particles,
                             int64_t slot) {
  if (slot < 0)
    return CW_OK;
  const char *text = "deposit: particle in slot %lld (id %llu) has a value that is not finite, an "
                     "offset outside its cell, or moved by more than one cell";
  return cw_fail(context, CW_ERROR_NUMERIC, text, (long long)slot,
                 particles->id ? (unsigned long long)particles->id[slot] : 0ULL);
}

static cw_deposit_job make_job(const cw_deposit_options *options, const cw_grid *grid,
                               const cw_particles_view *particles) {
  cw_deposit_job job = {.dim = grid->dim,
                        .order = options->order,
                        .window = cw_deposit_window(options->order),
                        .fixed = options->method == CW_DEPOSIT_TILED_FIXED,
                        .path = options->path,
                        .particles = *particles,
                        .quanta = {1, 1, 1}};
  for (int c = 0; c < 3; c++)
    job.scale[c] = options->charge * (c < grid->dim ? grid->dx[c] / options->dt : 1);
  return job;
}

/* Sums into the target: the sorted slots by tiles, then the tail, or everything flat. */
static cw_status sum(cw_context *context, const cw_deposit_job *job,
                     const cw_deposit_options *options, const cw_grid *grid,
                     const cw_cells_view *cells, const cw_deposit_target *target,
                     cw_deposit_report *report) {
  const int64_t count = job->particles.count;
  cw_deposit_tally tiled = {.fault = -1}, escaped = {.fault = -1}, flat = {.fault = -1};
  int64_t sorted = 0;
  if (options->method != CW_DEPOSIT_FLAT && cells && cells->total_tiles > 0) {
    sorted = cw_min_i64(cells->npart_partitioned, count);
    CW_TRY(cw_deposit_tiled(context, job, grid, cells, options->drift, target, &tiled, &escaped));
  }
  CW_TRY(cw_deposit_flat(context, job, grid, cw_deposit_choose_loop(context, job), target, NULL,
                         sorted, count - sorted, &flat));
  *report = (cw_deposit_report){.tiled = tiled.done,
                                .escaped = escaped.done,
                                .tail = sorted ? flat.done : 0,
                                .flat = sorted ? 0 : flat.done,
                                .dead = tiled.dead + escaped.dead + flat.dead,
                                .outside = escaped.missed + flat.missed};
  cw_deposit_tally_add(&tiled, &escaped);
  cw_deposit_tally_add(&tiled, &flat);
  return check_fault(context, &job->particles, tiled.fault);
}

static cw_status sum_fixed(cw_context *context, cw_deposit_job *job,
                           const cw_deposit_options *options, const cw_grid *grid,
                           const cw_cells_view *cells, cw_vector_view J,
                           cw_deposit_report *report) {
  int64_t *sums = NULL;
  cw_status status = CW_OK;
  CW_TRY_CLEANUP(status, cw_deposit_fixed_scale(context, job, grid));
  CW_TRY_CLEANUP(status, CW_NEW(context, 3 * grid->points, "fixed-point sums of J", &sums));
  int64_t *const component[3] = {sums, sums + grid->points, sums + 2 * grid->points};
  void *const places[3] = {component[0], component[1], component[2]};
  const cw_deposit_target target = cw_deposit_grid_target(grid, places);
  CW_TRY_CLEANUP(status, sum(context, job, options, grid, cells, &target, report));
  cw_deposit_fixed_add(context, job, grid, component, J);
cleanup:
  CW_DELETE(context, sums);
  return status;
}

/* All that can be said of a species' deposit before it is begun. */
static cw_status check_deposit(cw_context *context, const cw_deposit_options *options,
                               const cw_grid *grid, const cw_particles_view *particles,
                               const cw_cells_view *cells, cw_vector_view J) {
  CW_TRY(check_current(context, options, grid, particles, &J));
  CW_TRY(check_layout(context, options, grid, cells, particles->space));
  if (J.precision != particles->precision)
    return cw_fail(context, CW_ERROR_ARGUMENT, "deposit: J is %s, the particles are %s",
                   cw_precision_name(J.precision), cw_precision_name(particles->precision));
  if ((unsigned)options->method > CW_DEPOSIT_TILED_FIXED ||
      (unsigned)options->path > CW_DEPOSIT_PATH_VECTOR)
    return cw_fail(context, CW_ERROR_ARGUMENT, "deposit: method %d or path %d is unknown",
                   (int)options->method, (int)options->path);
  return CW_OK;
}

static cw_status deposit_host(cw_context *context, const cw_deposit_options *options,
                              const cw_grid *grid, const cw_particles_view *particles,
                              const cw_cells_view *cells, cw_vector_view J,
                              cw_deposit_report *report) {
  cw_deposit_job job = make_job(options, grid, particles);
  if (!cw_deposit_choose_loop(context, &job))
    return cw_fail(context, CW_ERROR_UNSUPPORTED,
                   "deposit: no vector path for dim %d, order %d, %s%s on %s", grid->dim,
                   options->order, cw_precision_name(particles->precision),
                   job.fixed ? ", fixed point" : "", cw_isa_name(cw_context_isa(context)));
  cw_deposit_report counts = {0};
  cw_status status;
  if (job.fixed) {
    status = sum_fixed(context, &job, options, grid, cells, J, &counts);
  } else {
    const cw_deposit_target target = cw_deposit_grid_target(grid, J.component);
    status = sum(context, &job, options, grid, cells, &target, &counts);
  }
  if (report)
    *report = counts;
  return status;
}

cw_status cw_deposit_current(cw_context *context, const cw_deposit_options *options,
                             const cw_grid *grid, const cw_particles_view *particles,
                             const cw_cells_view *cells, cw_vector_view J,
                             cw_deposit_report *report) {
  CW_TRY(check_deposit(context, options, grid, particles, cells, J));
  if (particles->space == CW_SPACE_HOST)
    return deposit_host(context, options, grid, particles, cells, J, report);
  const cw_deposit_species species = {options->charge, *particles,
                                      cells ? *cells : (cw_cells_view){0}};
  return cw_deposit_currents_cuda(context, options, grid, &species, 1, J, report);
}

static void add_report(cw_deposit_report *sum, const cw_deposit_report *part) {
  sum->tiled += part->tiled;
  sum->escaped += part->escaped;
  sum->tail += part->tail;
  sum->flat += part->flat;
  sum->dead += part->dead;
  sum->outside += part->outside;
}

cw_status cw_deposit_currents(cw_context *context, const cw_deposit_options *options,
                              const cw_grid *grid, const cw_deposit_species *species, int count,
                              cw_vector_view J, cw_deposit_report *report) {
  cw_deposit_report all = {0};
  for (int s = 0; s < count; s++) {
    const cw_particles_view *particles = &species[s].particles;
    cw_deposit_options own = *options;
    own.charge = species[s].charge;
    CW_TRY(check_deposit(context, &own, grid, particles, &species[s].cells, J));
    if (particles->space != species[0].particles.space)
      return cw_fail(context, CW_ERROR_ARGUMENT,
                     "deposit: species 0 and %d are in different memory", s);
  }
  if (count > 0 && species[0].particles.space != CW_SPACE_HOST)
    return cw_deposit_currents_cuda(context, options, grid, species, count, J, report);
  for (int s = 0; s < count; s++) {
    cw_deposit_report part;
    cw_deposit_options own = *options;
    own.charge = species[s].charge;
    CW_TRY(deposit_host(context, &own, grid, &species[s].particles, &species[s].cells, J, &part));
    add_report(&all, &part);
  }
  if (report)
    *report = all;
  return CW_OK;
}

cw_status cw_deposit_current_reference(cw_context *context, const cw_deposit_options *options,
                                       const cw_grid *grid, const cw_particles_view *particles,
                                       cw_vector_view J) {
  CW_TRY(check_current(context, options, grid, particles, &J));
  if (particles->space != CW_SPACE_HOST)
    return cw_fail(context, CW_ERROR_ARGUMENT, "deposit: the reference takes host particles only");
  if (J.precision != CW_DOUBLE)
    return cw_fail(context, CW_ERROR_ARGUMENT, "deposit: the reference sums into double J only");
  double *const component[3] = {J.component[0], J.component[1], J.component[2]};
  return check_fault(context, particles,
                     cw_deposit_reference_sum(options, grid, particles, component));
}

cw_status cw_deposit_charge(cw_context *context, const cw_deposit_options *options,
                            const cw_grid *grid, const cw_particles_view *particles, int use_prev,
                            double *rho) {
  CW_TRY(check_particles(context, options, grid, particles));
  CW_TRY(check_positions(context, grid, particles, !use_prev, use_prev));
  if (particles->space != CW_SPACE_HOST)
    return cw_deposit_charge_cuda(context, options, grid, particles, use_prev, rho);
  cw_deposit_job job = {.dim = grid->dim, .particles = *particles, .scale = {options->charge}};
  job.order = options->order ? options->order : 1;
  job.window = cw_deposit_window(job.order);
  for (int a = 0; a < grid->dim; a++) {
    if (use_prev) {
      job.particles.i[a] = particles->i_prev[a];
      job.particles.dx[a] = particles->dx_prev[a];
    }
    job.particles.i_prev[a] = job.particles.i[a];
  }
  void *const component[3] = {rho, NULL, NULL};
  const cw_deposit_target target = cw_deposit_grid_target(grid, component);
  cw_deposit_tally tally;
  CW_TRY(cw_deposit_flat(context, &job, grid, cw_deposit_charge_loop, &target, NULL, 0,
                         particles->count, &tally));
  return check_fault(context, particles, tally.fault);
}
