/* Energies, densities and the charge error of the explicit engine's state as it stands. */
#include <math.h>

#include "base/context_private.h"
#include "base/space.h"
#include "engine/engine_private.h"
#include "sort/particles_private.h"

/* u stands half a step behind the fields; a push of half the impulse over no time brings it to
 * them. */
cw_status cw_engine_centre(cw_engine *engine, int s, const cw_particles_view *all, int64_t from,
                           int64_t to, cw_centred_momenta *work, cw_particles_view *part) {
  const size_t real = (size_t)cw_precision_size(all->precision);
  *part = cw_particles_slots(all, from, to);
  for (int a = 0; a < 3; a++) {
    CW_TRY(cw_space_copy(engine->context, engine->space, work->u[a], engine->space,
                         (const char *)all->u[a] + (size_t)from * real,
                         (size_t)part->count * real));
    part->u[a] = work->u[a];
  }
  cw_push_options options = cw_engine_push_options(engine, s);
  options.dt = 0;
  options.force_scale *= 0.5;
  options.drag.synchrotron *= 0.5;
  options.drag.compton *= 0.5;
  cw_vector_view E = cw_fields_E(engine->fields), B = cw_fields_B(engine->fields);
  CW_TRY(cw_engine_add_forces(engine, cw_engine_time(engine), &E, &B));
  CW_TRY(cw_engine_add_species_force(engine, s, cw_engine_time(engine), &E));
  return cw_push(engine->context, &options, &engine->grid, E, B, NULL, part);
}

static cw_status species_energy(cw_engine *engine, int s, double *energy, int64_t *alive) {
  const cw_particles_view view = cw_particles_get_view(engine->species[s].particles);
  const double mass = engine->species[s].deck->mass;
  const int64_t chunk = engine->space_ops->chunk;
  const size_t room = (size_t)cw_min_i64(view.count, chunk);
  cw_centred_momenta work = {{NULL}};
  cw_status status = CW_OK;
  for (int a = 0; a < 3; a++)
    CW_TRY_CLEANUP(status, cw_memory_alloc(engine->context, engine->space, room,
                                           (size_t)cw_precision_size(view.precision),
                                           "centred momenta", &work.u[a]));
  *energy = 0;
  *alive = 0;
  for (int64_t from = 0; from < view.count; from += chunk) {
    cw_particles_view part;
    CW_TRY_CLEANUP(status, cw_engine_centre(engine, s, &view, from,
                                            cw_min_i64(from + chunk, view.count), &work, &part));
    CW_TRY_CLEANUP(status, engine->space_ops->add_energy(engine, &part, mass == 0, energy, alive));
  }
  *energy *= engine->deck->q0 * (mass == 0 ? 1 : mass);
cleanup:
  for (int a = 0; a < 3; a++)
    cw_memory_free(engine->context, engine->space, work.u[a]);
  return status;
}

/* Adds one species with `charge` a particle to a density over the grid; ghost cells hold a share.
 */
static cw_status add_density(cw_engine *engine, int s, double charge, double *density) {
  cw_deposit_options options = {.order = engine->deck->algorithms.deposit.shape_order,
                                .charge = charge,
                                .dt = engine->deck->dt};
  cw_particles_view view = cw_particles_get_view(engine->species[s].particles);
  return cw_deposit_charge(engine->context, &options, &engine->grid, &view, 0, density);
}

static cw_status zero(cw_engine *engine, double *density) {
  return cw_space_zero(engine->context, engine->space, density,
                       (size_t)engine->grid.points * sizeof(double));
}

/* The charge density as the fields see it, in engine->density, and the largest |rho| of any one
 * species. The sum over species may vanish everywhere, as in a pair plasma at the start; what one
 * species has does not, and is what round-off is measured against. */
static cw_status charge_density(cw_engine *engine, double *largest) {
  const double ppc0 = engine->deck->particles.ppc0;
  double *total = engine->density, *one = engine->species_density;
  *largest = 0;
  CW_TRY(zero(engine, total));
  for (int s = 0; s < engine->species_count; s++) {
    if (engine->species[s].deck->charge == 0 || !engine->species[s].deck->deposit)
      continue;
    double found;
    CW_TRY(zero(engine, one));
    CW_TRY(add_density(engine, s, engine->species[s].deck->charge / ppc0, one));
    CW_TRY(engine->space_ops->add_density(engine, total, one));
    CW_TRY(cw_fields_sync_rho(engine->fields, one, 0));
    CW_TRY(engine->space_ops->largest(engine, one, &found));
    *largest = fmax(*largest, found);
  }
  return cw_fields_sync_rho(engine->fields, total, engine->deck->algorithms.current_filters);
}

cw_status cw_srpic_density(cw_engine *engine, int species, double **density) {
  double largest;
  *density = engine->density;
  if (species < 0)
    return charge_density(engine, &largest);
  CW_TRY(zero(engine, engine->density));
  CW_TRY(add_density(engine, species, 1.0 / engine->deck->particles.ppc0, engine->density));
  return cw_fields_sync_rho(engine->fields, engine->density, 0);
}

cw_status cw_srpic_diagnose(cw_engine *engine, cw_engine_diagnostics *diagnostics) {
  const cw_deck *deck = engine->deck;
  cw_engine_diagnostics found = {0};
  CW_TRY(cw_fields_energy(engine->fields, &found.electric_energy, &found.magnetic_energy));
  found.electric_energy *= deck->B0 * deck->B0;
  found.magnetic_energy *= deck->B0 * deck->B0;
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
  double max_error, max_total, largest;
  CW_TRY(charge_density(engine, &largest));
  /* density is in units of n0: q0 / (B0 V0) times the deposited sum is q0 n0 / B0 times it */
  const double scale = deck->q0 * deck->n0 / deck->B0;
  CW_TRY(cw_fields_charge_error(engine->fields, engine->density, scale, &max_error, &max_total));
  found.charge_error = max_error == 0 ? 0 : max_error / (scale * largest);
  *diagnostics = found;
  return CW_OK;
}
