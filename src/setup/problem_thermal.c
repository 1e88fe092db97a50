/* A plasma in equilibrium. In a magnetic field a drifting plasma brings its motional electric field
 * E = -v x B, so that nothing moves in its own frame. */
#include <math.h>
#include <stdio.h>

#include "base/context_private.h"
#include "setup/checks.h"
#include "setup/initial_fields.h"
#include "setup/loaders.h"
#include "setup/problems.h"

#define TEMPERATURE(number)                                                                        \
  {                                                                                                \
    "temperature_" number, "float", "none", "m c^2",                                               \
        "kT of species " number ", in units of its own m c^2; default: temperature"                \
  }

const cw_problem_key cw_thermal_keys[] = {
    {"temperature", "float", "0.1", "m c^2", "kT of every species, in units of its own m c^2"},
    TEMPERATURE("1"),
    TEMPERATURE("2"),
    TEMPERATURE("3"),
    TEMPERATURE("4"),
    TEMPERATURE("5"),
    TEMPERATURE("6"),
    TEMPERATURE("7"),
    TEMPERATURE("8"),
    {"drift", "float[3]", "[0, 0, 0]", "c", "velocity of the whole plasma"},
    {"B", "float[3]", "[0, 0, 0]", "B0", "uniform magnetic field; E = -drift x B comes with it"},
    {"quiet", "bool", "false", "", "evenly spread particles instead of random places"},
    {.name = NULL},
};

enum { OWN_TEMPERATURES = 8 };

static const char *temperature_key(const cw_deck *deck, int species, char own[24]) {
  snprintf(own, 24, "temperature_%d", species + 1);
  return species < OWN_TEMPERATURES && cw_setup_given(deck, own) ? own : "temperature";
}

cw_status cw_thermal_check(cw_context *context, const cw_deck *deck) {
  CW_TRY(cw_check_neutral(context, deck));
  CW_TRY(cw_check_velocity(context, deck, "drift"));
  for (int s = 0; s < deck->particles.species_count; s++) {
    char own[24];
    CW_TRY(cw_check_temperature(context, deck, temperature_key(deck, s, own)));
  }
  for (int s = deck->particles.species_count; s < OWN_TEMPERATURES; s++) {
    char own[24];
    if (temperature_key(deck, s, own) == own)
      return cw_deck_fail(context, deck, cw_setup_where(deck, own),
                          "setup.%s is given, but the deck has %d species", own,
                          deck->particles.species_count);
  }
  return CW_OK;
}

int64_t cw_thermal_expected(const cw_deck *deck, int species) {
  (void)species;
  return cw_setup_whole(cw_setup_cells(deck) * deck->particles.ppc0 /
                        deck->particles.species_count);
}

typedef struct gas {
  double drift[3], temperature[CW_DECK_MAX_SPECIES];
} gas;

static void gas_momentum(const void *user, const cw_loaded *particle, cw_random_source *source,
                         double u[3]) {
  const gas *gas = user;
  cw_momentum_drifting(source, gas->temperature[particle->species], gas->drift, u);
}

static void set_fields(const cw_setup_target *target, const double drift[3]) {
  double B[3], E[3];
  cw_setup_vector(target->deck, "B", B);
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    E[a] = -(drift[b] * B[c] - drift[c] * B[b]);
  }
  cw_initial_uniform(target, target->E, E);
  cw_initial_uniform(target, target->B, B);
}

cw_status cw_thermal_fill(const cw_setup_target *target) {
  const cw_deck *deck = target->deck;
  gas gas;
  cw_setup_vector(deck, "drift", gas.drift);
  cw_injection injection = {.species_count = target->species_count,
                            .per_cell = deck->particles.ppc0 / target->species_count,
                            .quiet = cw_setup_number(deck, "quiet") != 0,
                            .momentum = gas_momentum,
                            .momentum_user = &gas};
  for (int s = 0; s < target->species_count; s++) {
    char own[24];
    injection.species[s] = s;
    gas.temperature[s] = cw_setup_number(deck, temperature_key(deck, s, own));
  }
  cw_loader loader;
  cw_loader_init(&loader, target);
  CW_TRY(cw_loader_inject(&loader, &injection));
  set_fields(target, gas.drift);
  return CW_OK;
}

static double size_of(const cw_deck *deck, const char *key) {
  double v[3];
  cw_setup_vector(deck, key, v);
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

void cw_thermal_scales(const cw_deck *deck, int species, cw_species_scales *scales) {
  char own[24];
  *scales =
      (cw_species_scales){.density = 1.0 / deck->particles.species_count,
                          .temperature = cw_setup_number(deck, temperature_key(deck, species, own)),
                          .speed = size_of(deck, "drift"),
                          .B = size_of(deck, "B")};
}
