/* Energies, densities and the charge error of the energy-conserving engine. */
#include <math.h>

#include "base/context_private.h"
#include "base/device.h"
#include "base/space.h"
#include "engine/ecsim_charge.h"
#include "engine/ecsim_cuda.h"
#include "engine/ecsim_private.h"

static cw_status species_energy(cw_engine *engine, int s, double *energy, int64_t *alive) {
  const cw_particles_view view = cw_particles_get_view(engine->species[s].particles);
  const int what = engine->deck->algorithms.ecsim.relativistic ? CW_ECSIM_GAMMAS : CW_ECSIM_SQUARES;
  double sum = 0;
  *alive = 0;
  CW_TRY(engine->space_ops->add_sums(engine, &view, what, &sum, alive));
  *energy = 0.5 * engine->deck->q0 * engine->species[s].deck->mass * sum;
  return CW_OK;
}

/* Places of a chunk of particles, shifted by half a cell: centres then stand where nodes stood. */
typedef struct shifted_places {
  int32_t *i[3];
  double *dx[3];
} shifted_places;

/* A device keeps the memory between calls: to give it and take it again would wait. */
static cw_status make_places(cw_engine *engine, int64_t count, shifted_places *made) {
  const int dim = engine->grid.dim;
  const size_t bytes = (size_t)(count * dim) * (sizeof(double) + sizeof(int32_t));
  void *memory = NULL;
  CW_TRY(
      engine->space == CW_SPACE_DEVICE
          ? cw_device_kept(engine->context, CW_KEPT_PLACES, bytes, "shifted places", &memory)
          : cw_memory_alloc(engine->context, CW_SPACE_HOST, bytes, 1, "shifted places", &memory));
  void *const cells = (double *)memory + dim * count;
  for (int a = 0; a < dim; a++) {
    made->dx[a] = (double *)memory + a * count;
    made->i[a] = (int32_t *)cells + a * count;
  }
  return CW_OK;
}

static void free_places(cw_engine *engine, shifted_places *made) {
  if (engine->space == CW_SPACE_HOST)
    CW_DELETE(engine->context, made->dx[0]);
}

/* Slots [from, to) of a view, with the places shifted. */
static cw_status shift(cw_engine *engine, const cw_particles_view *all, int64_t from, int64_t to,
                       const shifted_places *work, cw_particles_view *part) {
  *part = *all;
  part->count = to - from;
  for (int a = 0; a < engine->grid.dim; a++) {
    part->i[a] = all->i[a] + from;
    part->dx[a] = (double *)all->dx[a] + from;
  }
  if (all->weight)
    part->weight = (double *)all->weight + from;
  if (all->tag)
    part->tag = all->tag + from;
  if (engine->space == CW_SPACE_DEVICE)
    CW_TRY(cw_ecsim_shift_cuda(engine->context, part, engine->grid.dim, work->i, work->dx));
  for (int a = 0; a < engine->grid.dim; a++) {
    for (int64_t p = 0; p < part->count && engine->space == CW_SPACE_HOST; p++)
      cw_ecsim_shift_place(part, a, p, &work->i[a][p], &work->dx[a][p]);
    part->i[a] = work->i[a];
    part->dx[a] = work->dx[a];
  }
  return CW_OK;
}

/* Adds a species, `charge` a particle, to a density at centres. */
static cw_status add_at_centres(cw_engine *engine, const cw_deposit_options *options,
                                const cw_particles_view *view, double *density) {
  const int64_t chunk = engine->space_ops->chunk;
  shifted_places work = {{NULL}, {NULL}};
  cw_status status;
  CW_TRY_CLEANUP(status, make_places(engine, cw_min_i64(view->count, chunk), &work));
  for (int64_t from = 0; from < view->count; from += chunk) {
    cw_particles_view part;
    CW_TRY_CLEANUP(status,
                   shift(engine, view, from, cw_min_i64(from + chunk, view->count), &work, &part));
    CW_TRY_CLEANUP(status,
                   cw_deposit_charge(engine->context, options, &engine->grid, &part, 0, density));
  }
cleanup:
  free_places(engine, &work);
  return status;
}

/* Adds one species, `charge` a particle, to a density at nodes or at centres. */
static cw_status add_density(cw_engine *engine, int s, double charge, int at_centres,
                             double *density) {
  const cw_deposit_options options = {.order = engine->deck->algorithms.deposit.shape_order,
                                      .charge = charge,
                                      .dt = engine->deck->dt};
  const cw_particles_view view = cw_particles_get_view(engine->species[s].particles);
  return at_centres
             ? add_at_centres(engine, &options, &view, density)
             : cw_deposit_charge(engine->context, &options, &engine->grid, &view, 0, density);
}

static cw_status zero(cw_engine *engine, double *density) {
  return cw_space_zero(engine->context, engine->space, density,
                       (size_t)engine->grid.points * sizeof(double));
}

cw_status cw_ecsim_charge_at_centres(cw_engine *engine, double unit, double *largest) {
  double *total = engine->density, *one = engine->species_density;
  *largest = 0;
  CW_TRY(zero(engine, total));
  for (int s = 0; s < engine->species_count; s++) {
    double found;
    if (engine->species[s].deck->charge == 0)
      continue;
    CW_TRY(zero(engine, one));
    CW_TRY(add_density(engine, s, unit * engine->species[s].deck->charge, 1, one));
    CW_TRY(cw_ecsim_fold_charge(engine->ecsim->fields, one));
    CW_TRY(engine->space_ops->largest(engine, one, &found));
    *largest = fmax(*largest, found);
    CW_TRY(engine->space_ops->add_density(engine, total, one));
  }
  return CW_OK;
}

/* The sum over species may vanish everywhere; the error is measured against the largest density of
 * any one species. Positions stand half a step after E: the charge is that of the positions, or with
 * the charge correction that of E's time. */
static cw_status charge_error(cw_engine *engine, double *error) {
  double largest, max_error, max_rho;
  CW_TRY(cw_ecsim_charge_at_centres(engine, 1, &largest));
  CW_TRY(cw_ecsim_charge_blend(engine, 1, engine->density));
  const double scale = cw_ecsim_charge_scale(engine->deck);
  CW_TRY(
      cw_ecsim_charge_error(engine->ecsim->fields, engine->density, scale, &max_error, &max_rho));
  *error = max_error == 0 ? 0 : max_error / (scale * largest);
  return CW_OK;
}

cw_status cw_ecsim_gauss_charge(cw_engine *engine, double **density) {
  double largest;
  const double unit = 1 / engine->deck->particles.ppc0;
  CW_TRY(cw_ecsim_charge_at_centres(engine, unit, &largest));
  CW_TRY(cw_ecsim_charge_blend(engine, unit, engine->density));
  CW_TRY(cw_ecsim_smooth(engine->ecsim->fields, -1, engine->density));
  *density = engine->density;
  return CW_OK;
}

cw_status cw_ecsim_density(cw_engine *engine, int species, double **density) {
  const double ppc0 = engine->deck->particles.ppc0;
  const int even[3] = {0, 0, 0};
  *density = engine->density;
  CW_TRY(zero(engine, engine->density));
  if (species >= 0) {
    CW_TRY(add_density(engine, species, 1 / ppc0, 0, engine->density));
    return cw_ecsim_fold_moment(engine->ecsim->fields, engine->space, even, engine->density);
  }
  for (int s = 0; s < engine->species_count; s++)
    CW_TRY(add_density(engine, s, engine->species[s].deck->charge / ppc0, 0, engine->density));
  return cw_ecsim_fold_moment(engine->ecsim->fields, engine->space, even, engine->density);
}

cw_status cw_ecsim_diagnose(cw_engine *engine, cw_engine_diagnostics *diagnostics) {
  const double unit = engine->deck->B0 * engine->deck->B0;
  cw_engine_diagnostics found = {0};
  CW_TRY(cw_ecsim_energy(engine->ecsim->fields, &found.electric_energy, &found.magnetic_energy));
  found.electric_energy *= unit;
  found.magnetic_energy *= unit;
  for (int s = 0; s < engine->species_count; s++) {
    CW_TRY(species_energy(engine, s, &found.species_energy[s], &found.species_count[s]));
    found.kinetic_energy += found.species_energy[s];
    found.particles += found.species_count[s];
  }
  found.total_energy = found.electric_energy + found.magnetic_energy + found.kinetic_energy;
  if (!isfinite(found.total_energy))
    return cw_fail(engine->context, CW_ERROR_NUMERIC,
                   "the total energy is not finite at step %lld (electric %g, magnetic %g, "
                   "kinetic %g)",
                   (long long)engine->step, found.electric_energy, found.magnetic_energy,
                   found.kinetic_energy);
  CW_TRY(charge_error(engine, &found.charge_error));
  *diagnostics = found;
  return CW_OK;
}
