/* Energies, densities and the charge error of the energy-conserving engine. */
#include <math.h>
#include <string.h>

#include "base/context_private.h"
#include "engine/ecsim_charge.h"

/* Weight times |v|^2 of one block of slots, by compensated summation (A. Neumaier, Z. angew. Math.
 * Mech. 54 (1974) 39): the sum must not hide a drift of 1e-14. */
static double block_energy(const cw_particles_view *view, int64_t from, int64_t to,
                           int64_t *alive) {
  const double *u[3] = {view->u[0], view->u[1], view->u[2]}, *weight = view->weight;
  double sum = 0, lost = 0;
  *alive = 0;
  for (int64_t p = from; p < to; p++) {
    if (view->tag && view->tag[p] == CW_TAG_DEAD)
      continue;
    const double square = u[0][p] * u[0][p] + u[1][p] * u[1][p] + u[2][p] * u[2][p];
    const double each = weight ? weight[p] * square : square, next = sum + each;
    lost += fabs(sum) >= fabs(each) ? (sum - next) + each : (each - next) + sum;
    sum = next;
    ++*alive;
  }
  return sum + lost;
}

static cw_status species_energy(cw_engine *engine, int s, double *energy, int64_t *alive) {
  const cw_particles_view view = cw_particles_get_view(engine->species[s].particles);
  const int64_t blocks = cw_block_count(view.count);
  double *sums = NULL;
  int64_t *counts = NULL;
  cw_status status = CW_NEW(engine->context, blocks, "energy sums", &sums);
  if (status == CW_OK)
    status = CW_NEW(engine->context, blocks, "particle counts", &counts);
  if (status == CW_OK) {
#pragma omp parallel for schedule(static) if (blocks > 1)                                          \
    num_threads(cw_context_threads(engine->context))
    for (int64_t b = 0; b < blocks; b++)
      sums[b] =
          block_energy(&view, b * CW_BLOCK, cw_min_i64((b + 1) * CW_BLOCK, view.count), &counts[b]);
    *energy = 0;
    *alive = 0;
    for (int64_t b = 0; b < blocks; b++)
      *energy += sums[b], *alive += counts[b];
    *energy *= 0.5 * engine->deck->q0 * engine->species[s].deck->mass;
  }
  CW_DELETE(engine->context, sums);
  CW_DELETE(engine->context, counts);
  return status;
}

/* The particles with their places shifted by half a cell downwards along every axis: centres then
 * stand where nodes stood. `i` and `dx` receive the places. */
static cw_particles_view shifted(const cw_particles_view *view, int dim, int32_t *const i[3],
                                 double *const dx[3]) {
  cw_particles_view moved = *view;
  for (int a = 0; a < dim; a++) {
    const double *from = view->dx[a];
    for (int64_t p = 0; p < view->count; p++) {
      const int upper = from[p] >= 0.5;
      i[a][p] = view->i[a][p] - !upper;
      dx[a][p] = upper ? from[p] - 0.5 : from[p] + 0.5;
    }
    moved.i[a] = i[a];
    moved.dx[a] = dx[a];
  }
  return moved;
}

/* Adds one species, `charge` a particle, to a density at nodes or at centres. */
static cw_status add_density(cw_engine *engine, int s, double charge, int at_centres,
                             double *density) {
  const cw_deposit_options options = {.order = engine->deck->algorithms.deposit.shape_order,
                                      .charge = charge,
                                      .dt = engine->deck->dt};
  cw_particles_view view = cw_particles_get_view(engine->species[s].particles);
  if (!at_centres)
    return cw_deposit_charge(engine->context, &options, &engine->grid, &view, 0, density);
  int32_t *i[3] = {NULL};
  double *dx[3] = {NULL};
  cw_status status = CW_OK;
  for (int a = 0; a < engine->grid.dim; a++) {
    CW_TRY_CLEANUP(status, CW_NEW(engine->context, view.count, "shifted cells", &i[a]));
    CW_TRY_CLEANUP(status, CW_NEW(engine->context, view.count, "shifted offsets", &dx[a]));
  }
  view = shifted(&view, engine->grid.dim, i, dx);
  status = cw_deposit_charge(engine->context, &options, &engine->grid, &view, 0, density);
cleanup:
  for (int a = 0; a < 3; a++) {
    CW_DELETE(engine->context, i[a]);
    CW_DELETE(engine->context, dx[a]);
  }
  return status;
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

cw_status cw_ecsim_charge_at_centres(cw_engine *engine, double unit, double *largest) {
  double *total = engine->density, *one = engine->species_density;
  *largest = 0;
  zero(engine, total);
  for (int s = 0; s < engine->species_count; s++) {
    if (engine->species[s].deck->charge == 0)
      continue;
    zero(engine, one);
    CW_TRY(add_density(engine, s, unit * engine->species[s].deck->charge, 1, one));
    CW_TRY(cw_ecsim_fold_charge(engine->ecsim->fields, one));
    *largest = fmax(*largest, largest_inside(&engine->grid, one));
    for (int64_t k = 0; k < engine->grid.points; k++)
      total[k] += one[k];
  }
  return CW_OK;
}

/* The sum over species may vanish everywhere; the error is measured against the largest density of
 * any one species. Positions stand half a step after E: the charge is that of the positions, or with
 * the charge correction that of E's time. */
static cw_status charge_error(cw_engine *engine, double *error) {
  double largest, max_error, max_rho;
  CW_TRY(cw_ecsim_charge_at_centres(engine, 1, &largest));
  cw_ecsim_charge_blend(engine, 1, engine->density);
  const double scale = cw_ecsim_charge_scale(engine->deck);
  CW_TRY(cw_ecsim_charge_error(engine->ecsim->fields, engine->density, scale, &max_error,
                               &max_rho));
  *error = max_error == 0 ? 0 : max_error / (scale * largest);
  return CW_OK;
}

cw_status cw_ecsim_gauss_charge(cw_engine *engine, double **density) {
  double largest;
  const double unit = 1 / engine->deck->particles.ppc0;
  CW_TRY(cw_ecsim_charge_at_centres(engine, unit, &largest));
  cw_ecsim_charge_blend(engine, unit, engine->density);
  CW_TRY(cw_ecsim_smooth(engine->ecsim->fields, -1, engine->density));
  *density = engine->density;
  return CW_OK;
}

cw_status cw_ecsim_density(cw_engine *engine, int species, double **density) {
  const double ppc0 = engine->deck->particles.ppc0;
  const int even[3] = {0, 0, 0};
  *density = engine->density;
  zero(engine, engine->density);
  if (species >= 0) {
    CW_TRY(add_density(engine, species, 1 / ppc0, 0, engine->density));
    return cw_ecsim_fold_moment(engine->ecsim->fields, even, engine->density);
  }
  for (int s = 0; s < engine->species_count; s++)
    CW_TRY(add_density(engine, s, engine->species[s].deck->charge / ppc0, 0, engine->density));
  return cw_ecsim_fold_moment(engine->ecsim->fields, even, engine->density);
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
