/* What engine ecsim asks of a deck, and the keys that have no effect in one engine or the other. */
#include <string.h>

#include "deck/deck_reader.h"

/* A key, and why it has no effect in engine ecsim. */
static const struct {
  const char *section, *name, *reason;
} without_effect[] = {
    {"algorithms", "current_filters", "algorithms.ecsim.smoothing_passes filters"},
    {"algorithms.timestep", "correction", "its waves need no correction"},
    {"algorithms.deposit", "enable", "particles and fields are solved together"},
    {"algorithms.deposit", "tiled_deposit", "algorithms.ecsim.pipeline chooses"},
    {"algorithms.deposit", "tiled_deposit_fixed_point", "algorithms.ecsim.pipeline chooses"},
    {"algorithms.deposit", "tiled_deposit_drift", "algorithms.ecsim.pipeline chooses"},
    {"algorithms.deposit", "tiled_deposit_team_size", "algorithms.ecsim.pipeline chooses"},
    {"algorithms.fieldsolver", "enable", "particles and fields are solved together"},
    {"particles", "clear_interval", "no particle leaves its box"},
    {"particles", "spatial_sorting_interval", "algorithms.ecsim.pipeline sorts each step or never"},
    {"particles.species", "pusher", "it has its own mover"},
    {"particles.species", "deposit", "particles and fields are solved together"},
    {"particles.species", "radiative_drag", "it has its own mover"},
    {"algorithms.gca", "e_ovr_b_max", "it has its own mover"},
    {"algorithms.gca", "larmor_max", "it has its own mover"},
    {"radiation.drag.synchrotron", "gamma_rad", "it has its own mover"},
    {"radiation.drag.compton", "gamma_rad", "it has its own mover"},
    {"particles.species", "clear_interval", "no particle leaves its box"},
    {"particles.species", "tracking", "only engine srpic keeps tracks"},
    {"particles.species", "tracking_stride", "only engine srpic keeps tracks"},
    {"output.tracks", "interval", "only engine srpic keeps tracks"},
    {"particles.species", "spatial_sorting_interval",
     "algorithms.ecsim.pipeline sorts each step or never"},
};

static const char *reason_against(const cw_deck_key *key) {
  for (size_t k = 0; k < sizeof without_effect / sizeof *without_effect; k++)
    if (strcmp(without_effect[k].section, key->section) == 0 &&
        strcmp(without_effect[k].name, key->name) == 0)
      return without_effect[k].reason;
  return NULL;
}

static int is_own(const cw_deck_key *key) {
  return strcmp(key->section, "algorithms.ecsim") == 0 ||
         (strcmp(key->section, "algorithms.timestep") == 0 && strcmp(key->name, "dt") == 0) ||
         (strcmp(key->section, "scales") == 0 && strcmp(key->name, "units") == 0);
}

int cw_deck_key_applies(const cw_deck *deck, const cw_deck_key *key) {
  if (deck->simulation.engine != CW_ENGINE_ECSIM)
    return !is_own(key);
  if (strcmp(key->section, "algorithms.timestep") == 0) /* one of the two gives the step */
    return strcmp(key->name, deck->algorithms.dt > 0 ? "dt" : "CFL") == 0;
  return !reason_against(key);
}

static void refuse_idle_keys(cw_deck_reader *reader) {
  const int ecsim = reader->deck->simulation.engine == CW_ENGINE_ECSIM;
  for (const cw_deck_key *key = cw_deck_keys; key->section; key++) {
    const cw_deck_where where = reader->deck->written[key - cw_deck_keys];
    if (!where.line || cw_deck_key_applies(reader->deck, key))
      continue;
    const char *reason = reason_against(key);
    if (ecsim)
      cw_deck_fault(reader, CW_RANK_WRITTEN, where,
                    "%s.%s: found a key without effect in engine ecsim; expected none: %s",
                    key->section, key->name,
                    reason ? reason : "algorithms.timestep.dt gives the time step");
    else
      cw_deck_fault(reader, CW_RANK_WRITTEN, where,
                    "%s.%s: found a key of engine ecsim; expected engine = \"ecsim\" with it",
                    key->section, key->name);
  }
}

/* An axis of this engine is periodic, or it ends at conductors that reflect particles. */
static int has_known_sides(const cw_deck *deck, int a) {
  const cw_field_boundary *fields = deck->grid.fields[a];
  const cw_particle_boundary *particles = deck->grid.particles[a];
  const int periodic = fields[0] == CW_FIELD_PERIODIC;
  for (int side = 0; side < 2; side++)
    if (fields[side] != (periodic ? CW_FIELD_PERIODIC : CW_FIELD_CONDUCTOR) ||
        particles[side] != (periodic ? CW_PARTICLE_PERIODIC : CW_PARTICLE_REFLECT))
      return 0;
  return 1;
}

static void check_sides(cw_deck_reader *reader) {
  for (int a = 0; a < reader->deck->grid.dim; a++)
    if (!has_known_sides(reader->deck, a))
      cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place_of(reader, "grid.boundaries"),
                    "grid.boundaries: found other sides along axis %d; expected fields PERIODIC "
                    "with particles PERIODIC, or CONDUCTOR with REFLECT, at both ends: the only "
                    "ones that engine ecsim has",
                    a + 1);
}

static void check_numerics(cw_deck_reader *reader) {
  cw_deck *deck = reader->deck;
  cw_deck_where order = cw_deck_written(deck, "algorithms.deposit", "shape_order");
  cw_deck_where precision = cw_deck_written(deck, "simulation", "precision");
  if (!order.line)
    deck->algorithms.deposit.shape_order = 1;
  int found = deck->algorithms.deposit.shape_order;
  if (found != 1 && found != 2)
    cw_deck_fault(
        reader, CW_RANK_WRITTEN, order,
        "algorithms.deposit.shape_order: found %d; expected 1 (CIC) or 2 (TSC) for engine "
        "ecsim",
        found);
  if (precision.line && deck->simulation.precision != CW_DOUBLE)
    cw_deck_fault(reader, CW_RANK_WRITTEN, precision,
                  "simulation.precision: found single; expected double, without which engine ecsim "
                  "does not conserve energy");
  deck->simulation.precision = CW_DOUBLE;
}

static void check_species(cw_deck_reader *reader) {
  const cw_deck *deck = reader->deck;
  for (int s = 0; s < deck->particles.species_count; s++) {
    const cw_deck_species *species = &deck->particles.species[s];
    if (species->mass == 0)
      cw_deck_fault(reader, CW_RANK_WRITTEN, species->where,
                    "particles.species '%s': found mass 0; expected a positive mass for engine "
                    "ecsim",
                    species->label);
  }
}

void cw_deck_check_ecsim(cw_deck_reader *reader) {
  const cw_deck *deck = reader->deck;
  refuse_idle_keys(reader);
  if (deck->simulation.engine != CW_ENGINE_ECSIM)
    return;
  check_numerics(reader);
  check_sides(reader);
  check_species(reader);
}
