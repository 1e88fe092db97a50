/* Single particles in uniform fields. */
#include <stdio.h>

#include "base/context_private.h"
#include "setup/checks.h"
#include "setup/initial_fields.h"
#include "setup/loaders.h"
#include "setup/problems.h"

enum { MAX_ORBITS = 8 };

#define ORBIT(number)                                                                              \
  {"position" number, "float[3]", "none", "length",                                                \
   "where particle " number " starts; components of axes that are not simulated are ignored"},     \
  {                                                                                                \
    "u" number, "float[3]", "[0, 0, 0]", "c", "its momentum gamma v"                               \
  }

const cw_problem_key cw_orbits_keys[] = {
    {"position", "float[3]", NULL, "length",
     "where the first particle starts; components of axes that are not simulated are ignored"},
    {"u", "float[3]", "[0, 0, 0]", "c", "its momentum gamma v"},
    ORBIT("2"),
    ORBIT("3"),
    ORBIT("4"),
    ORBIT("5"),
    ORBIT("6"),
    ORBIT("7"),
    ORBIT("8"),
    {"E", "float[3]", "[0, 0, 0]", "B0", "uniform electric field"},
    {"B", "float[3]", "[0, 0, 0]", "B0", "uniform magnetic field"},
    {.name = NULL},
};

enum { ORBIT_KEY = 24 }; /* bytes of a key's name with any int behind */

static void orbit_keys(int orbit, char position[ORBIT_KEY], char u[ORBIT_KEY]) {
  snprintf(position, ORBIT_KEY, orbit ? "position%d" : "position", orbit + 1);
  snprintf(u, ORBIT_KEY, orbit ? "u%d" : "u", orbit + 1);
}

static cw_status check_orbit(cw_context *context, const cw_deck *deck, const char *position,
                             const char *u) {
  if (!cw_setup_given(deck, position)) {
    if (!cw_setup_given(deck, u))
      return CW_OK;
    return cw_deck_fail(context, deck, cw_setup_where(deck, u),
                        "setup.%s is given without setup.%s", u, position);
  }
  double x[3];
  cw_setup_vector(deck, position, x);
  for (int a = 0; a < deck->grid.dim; a++)
    if (!(x[a] >= deck->grid.extent[a][0] && x[a] < deck->grid.extent[a][1]))
      return cw_deck_fail(context, deck, cw_setup_where(deck, position),
                          "setup.%s has %g along axis %d; expected a place in the box, %g to %g",
                          position, x[a], a + 1, deck->grid.extent[a][0], deck->grid.extent[a][1]);
  return CW_OK;
}

cw_status cw_orbits_check(cw_context *context, const cw_deck *deck) {
  if (deck->particles.species_count < 1)
    return cw_deck_fail(context, deck, deck->setup.where,
                        "problem \"orbits\" needs at least one [[particles.species]]");
  /* Fields start without the particles' own: that is consistent with Gauss's law only where the
   * copies cancel. */
  if (deck->algorithms.deposit.enable)
    CW_TRY(cw_check_neutral(context, deck));
  for (int orbit = 0; orbit < MAX_ORBITS; orbit++) {
    char position[ORBIT_KEY], u[ORBIT_KEY];
    orbit_keys(orbit, position, u);
    CW_TRY(check_orbit(context, deck, position, u));
  }
  return CW_OK;
}

int64_t cw_orbits_expected(const cw_deck *deck, int species) {
  (void)species;
  int64_t count = 0;
  for (int orbit = 0; orbit < MAX_ORBITS; orbit++) {
    char position[ORBIT_KEY], u[ORBIT_KEY];
    orbit_keys(orbit, position, u);
    count += cw_setup_given(deck, position);
  }
  return count;
}

cw_status cw_orbits_fill(const cw_setup_target *target) {
  const cw_deck *deck = target->deck;
  int all[CW_DECK_MAX_SPECIES];
  for (int s = 0; s < target->species_count; s++)
    all[s] = s;
  cw_loader loader;
  cw_loader_init(&loader, target);
  for (int orbit = 0; orbit < MAX_ORBITS; orbit++) {
    char position[ORBIT_KEY], u[ORBIT_KEY];
    orbit_keys(orbit, position, u);
    if (!cw_setup_given(deck, position))
      continue;
    double x[3], momentum[3];
    cw_setup_vector(deck, position, x);
    cw_setup_vector(deck, u, momentum);
    CW_TRY(cw_loader_place(&loader, target->species_count, all, x, momentum));
  }
  double field[3];
  cw_setup_vector(deck, "E", field);
  cw_initial_uniform(target, target->E, field);
  cw_setup_vector(deck, "B", field);
  cw_initial_uniform(target, target->B, field);
  return CW_OK;
}

void cw_orbits_scales(const cw_deck *deck, int species, cw_species_scales *scales) {
  (void)deck, (void)species;
  *scales = (cw_species_scales){0}; /* a few particles are no plasma */
}
