#include "setup/checks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/context_private.h"

cw_deck_where cw_setup_where(const cw_deck *deck, const char *key) {
  const cw_deck_parameter *parameter = cw_deck_setup_parameter(deck, key);
  return parameter ? parameter->where : deck->setup.where;
}

void cw_setup_file(const cw_deck *deck, const char *key, char path[CW_SETUP_PATH]) {
  char file[256];
  const char *slash = strrchr(deck->path, '/');
  cw_setup_text(deck, key, file);
  snprintf(path, CW_SETUP_PATH, "%.*s%s", slash ? (int)(slash - deck->path) + 1 : 0, deck->path,
           file);
  if (file[0] == '/' || !slash || access(path, R_OK) != 0)
    snprintf(path, CW_SETUP_PATH, "%s", file);
}

cw_status cw_check_range(cw_context *context, const cw_deck *deck, const char *key, double low,
                         double high, int open) {
  double value = cw_setup_number(deck, key);
  if (open ? value > low && value < high : value >= low && value <= high)
    return CW_OK;
  char upper[64] = "";
  if (isfinite(high))
    snprintf(upper, sizeof upper, " and %s %g", open ? "below" : "at most", high);
  return cw_deck_fail(context, deck, cw_setup_where(deck, key), "setup.%s is %g; expected %s %g%s",
                      key, value, open ? "above" : "at least", low, upper);
}

cw_status cw_check_temperature(cw_context *context, const cw_deck *deck, const char *key) {
  double value = cw_setup_number(deck, key);
  if (value >= 0 && isfinite(value))
    return CW_OK;
  return cw_deck_fail(context, deck, cw_setup_where(deck, key),
                      "setup.%s is %g; expected a temperature kT/(m c^2) of at least 0", key,
                      value);
}

cw_status cw_check_velocity(cw_context *context, const cw_deck *deck, const char *key) {
  double v[3];
  cw_setup_vector(deck, key, v);
  double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  if (speed < 1)
    return CW_OK;
  return cw_deck_fail(context, deck, cw_setup_where(deck, key),
                      "setup.%s has the size %g; expected a velocity below c = 1", key, speed);
}

/* Round-off of a sum of a few charges given as decimals. */
static const double CHARGE_TOLERANCE = 1e-12;

cw_status cw_check_neutral(cw_context *context, const cw_deck *deck) {
  const int count = deck->particles.species_count;
  double sum = 0, size = 0;
  if (count < 1)
    return cw_deck_fail(context, deck, deck->setup.where,
                        "problem \"%s\" needs at least one [[particles.species]]",
                        deck->setup.problem);
  for (int s = 0; s < count; s++) {
    const cw_deck_species *species = &deck->particles.species[s];
    if (!(species->mass > 0))
      return cw_deck_fail(context, deck, species->where,
                          "species %d (%s) has mass %g; problem \"%s\" expects a positive mass",
                          s + 1, species->label, species->mass, deck->setup.problem);
    sum += species->charge;
    size += fabs(species->charge);
  }
  if (fabs(sum) <= CHARGE_TOLERANCE * size)
    return CW_OK;
  return cw_deck_fail(context, deck, deck->particles.species[0].where,
                      "the species' charges sum to %g; problem \"%s\" puts equal numbers of every "
                      "species at the same places and expects a sum of 0",
                      sum, deck->setup.problem);
}

cw_status cw_check_pairs(cw_context *context, const cw_deck *deck, int pairs, const char *layout) {
  const int count = deck->particles.species_count;
  if (count != 2 * pairs)
    return cw_deck_fail(context, deck,
                        count ? deck->particles.species[count - 1].where : deck->setup.where,
                        "the deck has %d species; problem \"%s\" expects %d: %s", count,
                        deck->setup.problem, 2 * pairs, layout);
  const cw_deck_species *first = &deck->particles.species[0];
  for (int s = 0; s < count; s++) {
    const cw_deck_species *species = &deck->particles.species[s];
    double expected = s % 2 ? fabs(first->charge) : -fabs(first->charge);
    if (species->charge != expected || expected == 0)
      return cw_deck_fail(context, deck, species->where,
                          "species %d (%s) has charge %g; problem \"%s\" expects %g: %s", s + 1,
                          species->label, species->charge, deck->setup.problem,
                          expected == 0 ? -1.0 : expected, layout);
    if (!(species->mass > 0) || species->mass != first->mass)
      return cw_deck_fail(context, deck, species->where,
                          "species %d (%s) has mass %g; problem \"%s\" expects the same positive "
                          "mass for all species: %s",
                          s + 1, species->label, species->mass, deck->setup.problem, layout);
  }
  return CW_OK;
}

cw_status cw_check_periodic(cw_context *context, const cw_deck *deck, int axis,
                            const char *reason) {
  int periodic = 1;
  for (int side = 0; side < 2; side++)
    periodic = periodic && deck->grid.fields[axis][side] == CW_FIELD_PERIODIC &&
               deck->grid.particles[axis][side] == CW_PARTICLE_PERIODIC;
  if (periodic)
    return CW_OK;
  return cw_deck_fail(context, deck, deck->setup.where,
                      "problem \"%s\" expects periodic fields and particles along axis %d: %s",
                      deck->setup.problem, axis + 1, reason);
}

double cw_setup_cells(const cw_deck *deck) {
  double cells = 1;
  for (int a = 0; a < deck->grid.dim; a++)
    cells *= deck->grid.resolution[a];
  return cells;
}

int64_t cw_setup_whole(double count) {
  const double most = 0x1p62 / CW_DECK_MAX_SPECIES;
  return (int64_t)(count < most ? ceil(count) : most);
}
