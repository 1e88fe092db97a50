/* Energies, densities and the charge error of the explicit engine's state as it stands. */
#include <math.h>
#include <string.h>

#include <omp.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "engine/engine_private.h"

/* Sums over one block of slots: weight * (gamma - 1) (massless: weight * |u|), and the live count.
 */
static void block_energy(const cw_particles_view *view, int massless, int64_t from, int64_t to,
                         double *energy, int64_t *alive) {
  double sum = 0;
  int64_t count = 0;
  for (int64_t p = from; p < to; p++) {
    if (view->tag && view->tag[p] == CW_TAG_DEAD)
      continue;
    double ux = cw_real_get(view->u[0], view->precision, p);
    double uy = cw_real_get(view->u[1], view->precision, p);
    double uz = cw_real_get(view->u[2], view->precision, p);
    double u2 = ux * ux + uy * uy + uz * uz;
    /* gamma - 1 = u^2 / (gamma + 1) loses nothing for slow particles */
    double each = massless ? sqrt(u2) : u2 / (sqrt(1 + u2) + 1);
    sum += view->weight ? each * cw_real_get(view->weight, view->precision, p) : each;
    count++;
  }
  *energy = sum;
  *alive = count;
}

/* Momenta of a few particles at the time of the fields. */
typedef struct centred_momenta {
  void *u[3];
} centred_momenta;

enum { CHUNK = 64 * CW_BLOCK }; /* particles whose momenta are centred at a time */

/* The slots [from, to) of a view, with the momenta advanced by half a step in `work`: u stands half
 * a step behind the fields, and a push of half the impulse over no time brings it to them. */
static cw_status centre(cw_engine *engine, int s, const cw_particles_view *all, int64_t from,
                        int64_t to, centred_momenta *work, cw_particles_view *part) {
  const size_t real = (size_t)cw_precision_size(all->precision);
  *part = *all;
  part->count = to - from;
  for (int a = 0; a < 3; a++) {
    if (a < engine->grid.dim) {
      part->i[a] += from, part->i_prev[a] += from;
      part->dx[a] = (char *)all->dx[a] + (size_t)from * real;
      part->dx_prev[a] = (char *)all->dx_prev[a] + (size_t)from * real;
    }
    memcpy(work->u[a], (const char *)all->u[a] + (size_t)from * real, (size_t)part->count * real);
    part->u[a] = work->u[a];
  }
  if (all->weight) part->weight = (char *)all->weight + (size_t)from * real;
  part->tag += from;
  part->id += from;
  cw_push_options options = cw_engine_push_options(engine, s);
  options.dt = 0;
  options.force_scale *= 0.5;
  cw_vector_view E = cw_fields_E(engine->fields), B = cw_fields_B(engine->fields);
  CW_TRY(cw_engine_add_forces(engine, cw_engine_time(engine), &E, &B));
  return cw_push(engine->context, &options, &engine->grid, E, B, NULL, part);
}

/* Adds the energy of one chunk, block by block in order. */
static void add_chunk(cw_context *context, const cw_particles_view *part, int massless,
                      double *sums, int64_t *counts, double *energy, int64_t *alive) {
  const int64_t blocks = cw_block_count(part->count);
#pragma omp parallel for num_threads(cw_context_threads(context)) schedule(static)
  for (int64_t b = 0; b < blocks; b++)
    block_energy(part, massless, b * CW_BLOCK, cw_min_i64((b + 1) * CW_BLOCK, part->count),
                 &sums[b], &counts[b]);
  for (int64_t b = 0; b < blocks; b++) *energy += sums[b], *alive += counts[b];
}

static cw_status species_energy(cw_engine *engine, int s, double *energy, int64_t *alive) {
  const cw_particles_view view = cw_particles_get_view(engine->species[s].particles);
  const double mass = engine->species[s].deck->mass;
  const size_t room = (size_t)cw_min_i64(view.count, CHUNK);
  double *sums = NULL;
  int64_t *counts = NULL;
  centred_momenta work = {{NULL}};
  cw_status status;
  CW_TRY_CLEANUP(status, CW_NEW(engine->context, CHUNK / CW_BLOCK, "energy sums", &sums));
  CW_TRY_CLEANUP(status, CW_NEW(engine->context, CHUNK / CW_BLOCK, "particle counts", &counts));
  for (int a = 0; a < 3; a++)
    CW_TRY_CLEANUP(status, cw_memory_alloc(engine->context, CW_SPACE_HOST, room,
                                           (size_t)cw_precision_size(view.precision),
                                           "centred momenta", &work.u[a]));
  *energy = 0;
  *alive = 0;
  for (int64_t from = 0; from < view.count; from += CHUNK) {
    cw_particles_view part;
    CW_TRY_CLEANUP(status, centre(engine, s, &view, from, cw_min_i64(from + CHUNK, view.count),
                                  &work, &part));
    add_chunk(engine->context, &part, mass == 0, sums, counts, energy, alive);
  }
  *energy *= engine->deck->q0 * (mass == 0 ? 1 : mass);
cleanup:
  for (int a = 0; a < 3; a++) CW_DELETE(engine->context, work.u[a]);
  CW_DELETE(engine->context, sums);
  CW_DELETE(engine->context, counts);
  return status;
}

/* Adds one species with `charge` a particle to a density over the grid; ghost cells hold a share. */
static cw_status add_density(cw_engine *engine, int s, double charge, double *density) {
  cw_deposit_options options = {.order = engine->deck->algorithms.deposit.shape_order,
                                .charge = charge,
                                .dt = engine->deck->dt};
  cw_particles_view view = cw_particles_get_view(engine->species[s].particles);
  return cw_deposit_charge(engine->context, &options, &engine->grid, &view, 0, density);
}

static void zero(cw_engine *engine, double *density) {
  memset(density, 0, (size_t)engine->grid.points * sizeof(double));
}

static double largest_inside(const cw_grid *grid, const double *density) {
  double largest = 0;
  for (int32_t k = 0; k < grid->cells[2]; k++)
    for (int32_t j = 0; j < grid->cells[1]; j++)
      for (int32_t i = 0; i < grid->cells[0]; i++)
        largest = fmax(largest, fabs(density[cw_grid_index(grid, i, j, k)]));
  return largest;
}

/* The charge density as the fields see it, in engine->density, and the largest |rho| of any one
 * species. The sum over species may vanish everywhere, as in a pair plasma at the start; what one
 * species has does not, and is what round-off is measured against. */
static cw_status charge_density(cw_engine *engine, double *largest) {
  const double ppc0 = engine->deck->particles.ppc0;
  double *total = engine->density, *one = engine->species_density;
  *largest = 0;
  zero(engine, total);
  for (int s = 0; s < engine->species_count; s++) {
    if (engine->species[s].deck->charge == 0) continue;
    zero(engine, one);
    CW_TRY(add_density(engine, s, engine->species[s].deck->charge / ppc0, one));
    for (int64_t k = 0; k < engine->grid.points; k++) total[k] += one[k];
    CW_TRY(cw_fields_sync_rho(engine->fields, one, 0));
    *largest = fmax(*largest, largest_inside(&engine->grid, one));
  }
  return cw_fields_sync_rho(engine->fields, total, engine->deck->algorithms.current_filters);
}

cw_status cw_srpic_density(cw_engine *engine, int species, const double **density) {
  double largest;
  *density = engine->density;
  if (species < 0) return charge_density(engine, &largest);
  zero(engine, engine->density);
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
