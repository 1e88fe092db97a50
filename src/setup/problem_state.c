/* Start from a state file: the deck's grid, species, scales and numerics come from it, and what the
 * deck says of them too must agree. A checkpoint is one (problem_state_checkpoint.c); the other
 * kind, state.h's, is for engine ecsim. Its units: charges, masses and fields as in the file, so q0
 * = B0 = 1 and a particle's weight is the size of its charge. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context_private.h"
#include "setup/checkpoint_file.h"
#include "setup/checks.h"
#include "setup/problem_state_checkpoint.h"
#include "setup/problems.h"
#include "setup/state.h"

const cw_problem_key cw_state_keys[] = {
    {"file", "string", NULL, "",
     "HDF5 file of the state, from the deck's folder or the current one"},
    {.name = NULL},
};

/* The failure that the context tells of, as one of the key. */
static cw_status fail_file(cw_context *context, const cw_deck *deck) {
  char message[512];
  snprintf(message, sizeof message, "%s", cw_context_message(context));
  return cw_deck_fail(context, deck, cw_setup_where(deck, "file"), "setup.file: %s", message);
}

static cw_status open_state(cw_context *context, const cw_deck *deck, cw_state_file *state) {
  char path[CW_SETUP_PATH];
  cw_setup_file(deck, "file", path);
  return cw_state_open(context, path, state) == CW_OK ? CW_OK : fail_file(context, deck);
}

/* Round-off of a number that went through decimals. */
static int agree(double a, double b) {
  return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

/* A number that the deck may give too; the member takes the file's value. */
static cw_status take(cw_context *context, const cw_deck *deck, const char *section,
                      const char *name, double *member, double value) {
  const cw_deck_where where = cw_deck_written(deck, section, name);
  if (where.line && !agree(*member, value))
    return cw_deck_fail(context, deck, where,
                        "%s.%s: found %.17g; the state file has %.17g: expected the same, or "
                        "nothing here",
                        section, name, *member, value);
  *member = value;
  return CW_OK;
}

static cw_status take_count(cw_context *context, const cw_deck *deck, const char *section,
                            const char *name, int *member, int value) {
  double number = *member;
  CW_TRY(take(context, deck, section, name, &number, value));
  *member = value;
  return CW_OK;
}

static cw_status take_grid(cw_context *context, cw_deck *deck, const cw_state_file *state) {
  const cw_deck_where resolution = cw_deck_written(deck, "grid", "resolution");
  const cw_deck_where extent = cw_deck_written(deck, "grid", "extent");
  for (int a = 0; a < 3; a++) {
    const double *edge = deck->grid.extent[a];
    if (resolution.line && (deck->grid.dim != 3 || deck->grid.resolution[a] != state->cells[a]))
      return cw_deck_fail(context, deck, resolution,
                          "grid.resolution: found %d axes, %d cells along axis %d; the state file "
                          "has 3 axes, %lld cells",
                          deck->grid.dim, (int)deck->grid.resolution[a], a + 1,
                          (long long)state->cells[a]);
    if (extent.line && !(edge[0] == 0 && agree(edge[1], state->length[a])))
      return cw_deck_fail(context, deck, extent,
                          "grid.extent: found [%.17g, %.17g] along axis %d; the state file has "
                          "[0, %.17g]",
                          edge[0], edge[1], a + 1, state->length[a]);
  }
  deck->grid.dim = 3;
  for (int a = 0; a < 3; a++) {
    deck->grid.resolution[a] = (int32_t)state->cells[a];
    deck->grid.extent[a][0] = 0;
    deck->grid.extent[a][1] = state->length[a];
    deck->grid.dx[a] = state->length[a] / (double)state->cells[a];
  }
  return CW_OK;
}

static cw_status take_species(cw_context *context, cw_deck *deck, const cw_state_file *state) {
  const int written = deck->particles.species_count;
  if (written && written != state->species_count)
    return cw_deck_fail(context, deck, deck->particles.species[0].where,
                        "particles.species: found %d species; the state file has %d", written,
                        state->species_count);
  deck->particles.species_count = state->species_count;
  for (int s = 0; s < state->species_count; s++) {
    cw_deck_species *species = &deck->particles.species[s];
    const double charge = state->q_over_m[s] < 0 ? -1 : 1, mass = 1 / fabs(state->q_over_m[s]);
    if (written && !(species->charge == charge && agree(species->mass, mass)))
      return cw_deck_fail(context, deck, species->where,
                          "particles.species '%s': found charge %.17g and mass %.17g; the state "
                          "file has %.17g and %.17g",
                          species->label, species->charge, species->mass, charge, mass);
    if (!written) {
      snprintf(species->label, sizeof species->label, "s%d", s + 1);
      species->pusher = CW_PUSHER_BORIS;
      species->spatial_sorting_interval = -1;
      species->where = deck->setup.where;
    }
    species->charge = charge;
    species->mass = mass;
  }
  return CW_OK;
}

static cw_status take_numerics(cw_context *context, cw_deck *deck, const cw_state_file *state) {
  CW_TRY(take(context, deck, "algorithms.timestep", "dt", &deck->algorithms.dt, state->dt));
  CW_TRY(take(context, deck, "algorithms.ecsim", "theta", &deck->algorithms.ecsim.theta,
              state->theta));
  CW_TRY(take_count(context, deck, "algorithms.ecsim", "smoothing_passes",
                    &deck->algorithms.ecsim.smoothing_passes, state->smoothing_passes));
  CW_TRY(take_count(context, deck, "algorithms.deposit", "shape_order",
                    &deck->algorithms.deposit.shape_order, state->order));
  const cw_deck_where units = cw_deck_written(deck, "scales", "units");
  const int gaussian = deck->scales.units == CW_UNITS_GAUSSIAN;
  if (units.line && gaussian != state->gaussian)
    return cw_deck_fail(context, deck, units,
                        "scales.units: found \"%s\"; the state file is in %s units",
                        gaussian ? "gaussian" : "heaviside-lorentz",
                        state->gaussian ? "Gaussian" : "Heaviside-Lorentz");
  deck->scales.units = state->gaussian ? CW_UNITS_GAUSSIAN : CW_UNITS_HEAVISIDE;
  const cw_deck_where CFL = cw_deck_written(deck, "algorithms.timestep", "CFL");
  if (CFL.line)
    return cw_deck_fail(context, deck, CFL,
                        "algorithms.timestep.CFL: found it where the state file gives dt, %.17g",
                        state->dt);
  return CW_OK;
}

/* Values for the keys that speak of particles and scales, such that q0 = B0 = 1. */
static cw_status take_scales(cw_context *context, cw_deck *deck) {
  const double volume = deck->grid.dx[0] * deck->grid.dx[1] * deck->grid.dx[2];
  const double four_pi = deck->scales.units == CW_UNITS_GAUSSIAN ? 4 * acos(-1.0) : 1;
  CW_TRY(take(context, deck, "scales", "larmor0", &deck->scales.larmor0, 1));
  CW_TRY(take(context, deck, "scales", "skindepth0", &deck->scales.skindepth0,
              sqrt(volume / four_pi)));
  CW_TRY(take(context, deck, "particles", "ppc0", &deck->particles.ppc0, 1));
  const cw_deck_where weights = cw_deck_written(deck, "particles", "use_weights");
  if (weights.line && !deck->particles.use_weights)
    return cw_deck_fail(context, deck, weights,
                        "particles.use_weights: found false; the state file gives each particle "
                        "its own charge");
  deck->particles.use_weights = 1;
  return CW_OK;
}

static cw_status take_all(cw_context *context, cw_deck *deck, const cw_state_file *state) {
  for (int a = 0; a < 3; a++)
    if (deck->grid.fields[a][0] != CW_FIELD_PERIODIC)
      return cw_deck_fail(context, deck, cw_deck_written(deck, "grid.boundaries", "fields"),
                          "grid.boundaries: found walls along axis %d; expected PERIODIC sides, "
                          "which a state file is of",
                          a + 1);
  CW_TRY(take_grid(context, deck, state));
  CW_TRY(take_species(context, deck, state));
  CW_TRY(take_numerics(context, deck, state));
  CW_TRY(take_scales(context, deck));
  CW_TRY(cw_deck_complete(context, deck));
  deck->q0 = deck->B0 = 1; /* exactly, whatever the square root was rounded to */
  return CW_OK;
}

cw_status cw_state_resolve(cw_context *context, cw_deck *deck) {
  cw_state_file state;
  char path[CW_SETUP_PATH];
  cw_setup_file(deck, "file", path);
  if (cw_checkpoint_is(path)) {
    cw_status status = cw_state_resolve_checkpoint(context, deck, path);
    return status == CW_OK || status == CW_ERROR_INPUT ? status : fail_file(context, deck);
  }
  if (deck->simulation.engine != CW_ENGINE_ECSIM)
    return cw_deck_fail(context, deck, deck->setup.where,
                        "setup.problem: found \"state\" and a file that is not a checkpoint; "
                        "expected engine = \"ecsim\" with it");
  CW_TRY(open_state(context, deck, &state));
  cw_status status = take_all(context, deck, &state);
  cw_state_close(&state);
  return status;
}

cw_status cw_state_check(cw_context *context, const cw_deck *deck) {
  (void)context, (void)deck; /* all is checked as it is taken from the file */
  return CW_OK;
}

int64_t cw_state_expected(const cw_deck *deck, int species) {
  cw_state_file state;
  char path[CW_SETUP_PATH];
  cw_setup_file(deck, "file", path);
  if (cw_checkpoint_is(path))
    return cw_max_i64(cw_state_expected_checkpoint(deck, species, path), 0);
  if (open_state(deck->context, deck, &state) != CW_OK)
    return 0;
  const int64_t count = species < state.species_count ? state.count[species] : 0;
  cw_state_close(&state);
  return count;
}

/* One component, z fastest in the file. */
static cw_status fill_field(const cw_setup_target *target, cw_state_file *state, const char *name,
                            double *component, double *values) {
  const cw_grid *grid = target->grid;
  const int64_t ny = grid->cells[1], nz = grid->cells[2], count = grid->cells[0] * ny * nz;
  CW_TRY(cw_state_read(state, name, count, values));
  for (int64_t i = 0; i < grid->cells[0]; i++)
    for (int64_t j = 0; j < ny; j++)
      for (int64_t k = 0; k < nz; k++)
        component[cw_grid_index(grid, i, j, k)] = values[(i * ny + j) * nz + k];
  return CW_OK;
}

static cw_status fill_fields(const cw_setup_target *target, cw_state_file *state) {
  const cw_grid *grid = target->grid;
  const char *const names[2][3] = {{"Ex", "Ey", "Ez"}, {"Bx", "By", "Bz"}};
  double *values = NULL;
  cw_status status = CW_OK;
  CW_TRY(CW_NEW(target->context, (int64_t)grid->cells[0] * grid->cells[1] * grid->cells[2],
                "field of the state file", &values));
  for (int f = 0; f < 2; f++)
    for (int c = 0; c < 3; c++)
      CW_TRY_CLEANUP(status,
                     fill_field(target, state, names[f][c],
                                f ? target->B.component[c] : target->E.component[c], values));
cleanup:
  CW_DELETE(target->context, values);
  return status;
}

/* Cell and offset of coordinates that may lie in an image of the box. */
static void place(const cw_grid *grid, int a, double x, int32_t *cell, double *offset) {
  const double where = x / grid->dx[a], whole = floor(where);
  const double around = fmod(whole, grid->cells[a]);
  *cell = (int32_t)(around < 0 ? around + grid->cells[a] : around);
  *offset = fmin(where - whole, 1 - 0x1p-53);
}

static cw_status fill_positions(const cw_setup_target *target, const cw_particles_view *view,
                                const double *values, int a, const cw_state_file *state) {
  for (int64_t p = 0; p < view->count; p++) {
    if (!(fabs(values[p]) <= 1e6 * state->length[a]))
      return cw_fail(target->context, CW_ERROR_FORMAT,
                     "%s: particle %lld stands at %g along axis %d; the box is %g long",
                     state->path, (long long)p, values[p], a + 1, state->length[a]);
    place(target->grid, a, values[p], &view->i[a][p], (double *)view->dx[a] + p);
  }
  return CW_OK;
}

static cw_status fill_weights(const cw_setup_target *target, const cw_particles_view *view, int s,
                              const double *values, const cw_state_file *state) {
  const double sign = target->deck->particles.species[s].charge;
  for (int64_t p = 0; p < view->count; p++) {
    if (!(values[p] * sign >= 0))
      return cw_fail(target->context, CW_ERROR_FORMAT,
                     "%s: particle %lld of species_%d has charge %g; expected the sign of "
                     "q_over_m, %g",
                     state->path, (long long)p, s, values[p], state->q_over_m[s]);
    ((double *)view->weight)[p] = fabs(values[p]);
    view->tag[p] = CW_TAG_ALIVE;
    view->id[p] = (uint64_t)p + 1;
  }
  return CW_OK;
}

static cw_status fill_species(const cw_setup_target *target, cw_state_file *state, int s,
                              double *values) {
  static const char axes[] = "xyz";
  char name[32];
  const int64_t count = state->count[s];
  CW_TRY(cw_particles_resize(target->particles[s], count));
  const cw_particles_view view = cw_particles_get_view(target->particles[s]);
  for (int a = 0; a < 3; a++) {
    snprintf(name, sizeof name, "species_%d/v_%c", s, axes[a]);
    CW_TRY(cw_state_read(state, name, count, view.u[a]));
    snprintf(name, sizeof name, "species_%d/x_%c", s, axes[a]);
    CW_TRY(cw_state_read(state, name, count, values));
    CW_TRY(fill_positions(target, &view, values, a, state));
  }
  snprintf(name, sizeof name, "species_%d/q", s);
  CW_TRY(cw_state_read(state, name, count, values));
  return fill_weights(target, &view, s, values, state);
}

cw_status cw_state_fill(const cw_setup_target *target) {
  cw_state_file state;
  double *values = NULL;
  int64_t most = 0;
  cw_status status = CW_OK;
  char path[CW_SETUP_PATH];
  cw_setup_file(target->deck, "file", path);
  if (cw_checkpoint_is(path)) {
    status = cw_state_fill_checkpoint(target, path);
    return status == CW_OK || status == CW_ERROR_MEMORY ? status
                                                        : fail_file(target->context, target->deck);
  }
  CW_TRY(open_state(target->context, target->deck, &state));
  for (int s = 0; s < target->species_count && s < state.species_count; s++)
    most = cw_max_i64(most, state.count[s]);
  CW_TRY_CLEANUP(status, fill_fields(target, &state));
  CW_TRY_CLEANUP(status, CW_NEW(target->context, most, "values of the state file", &values));
  for (int s = 0; s < target->species_count && s < state.species_count; s++)
    CW_TRY_CLEANUP(status, fill_species(target, &state, s, values));
cleanup:
  CW_DELETE(target->context, values);
  cw_state_close(&state);
  return status;
}
