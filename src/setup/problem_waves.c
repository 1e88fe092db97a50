/* Transverse waves along x in a cold plasma at rest, started by E alone: E_y = A cos(k x), and
 * E_z = A sin(k x) where the wave is circular. With c = 1 and electrons only (heavy ions),
 *   omega^2 = k^2 + wp^2,                                      light
 *   omega^2 = k^2 + wp^2 omega / (omega + omega_c),            along B, both signs of omega_c
 * (T. H. Stix, Waves in Plasmas (1992), ch. 1). What E starts is a sum of the modes of that k. */
#include <math.h>

#include "base/context_private.h"
#include "setup/checks.h"
#include "setup/initial_fields.h"
#include "setup/loaders.h"
#include "setup/problems.h"

static const double TWO_PI = 6.283185307179586476925286766559;

#define WAVE_KEYS                                                                                  \
  {"mode", "int", "1", "1", "whole waves in the box along x"},                                     \
      {"amplitude", "float", "1e-6", "B0", "largest E of the wave"},                               \
      {"temperature", "float", "0", "m c^2", "kT of every species, in units of its own m c^2"}, {  \
    "quiet", "bool", "true", "", "evenly spread particles instead of random places"                \
  }

const cw_problem_key cw_light_wave_keys[] = {WAVE_KEYS, {.name = NULL}};
const cw_problem_key cw_whistler_keys[] = {
    WAVE_KEYS, {"B", "float", NULL, "B0", "uniform magnetic field along x"}, {.name = NULL}};

cw_status cw_light_wave_check(cw_context *context, const cw_deck *deck) {
  CW_TRY(cw_check_neutral(context, deck));
  CW_TRY(cw_check_temperature(context, deck, "temperature"));
  CW_TRY(cw_check_range(context, deck, "mode", 1, deck->grid.resolution[0] / 4, 0));
  return cw_check_periodic(context, deck, 0, "the wave must fit into the box");
}

cw_status cw_whistler_check(cw_context *context, const cw_deck *deck) {
  return cw_light_wave_check(context, deck);
}

int64_t cw_light_wave_expected(const cw_deck *deck, int species) {
  (void)species;
  return cw_setup_whole(cw_setup_cells(deck) * deck->particles.ppc0 /
                        deck->particles.species_count);
}

int64_t cw_whistler_expected(const cw_deck *deck, int species) {
  return cw_light_wave_expected(deck, species);
}

typedef struct wave {
  double k, origin, amplitude, temperature;
  int circular;
} wave;

static void rest_momentum(const void *user, const cw_loaded *particle, cw_random_source *source,
                          double u[3]) {
  (void)particle;
  cw_momentum_isotropic(source, ((const wave *)user)->temperature, u);
}

static double wave_field(const void *user, int axis, const double x[3]) {
  const wave *wave = user;
  const double phase = wave->k * (x[0] - wave->origin);
  if (axis == 1)
    return wave->amplitude * cos(phase);
  return axis == 2 && wave->circular ? wave->amplitude * sin(phase) : 0;
}

static cw_status fill(const cw_setup_target *target, int circular, double Bx) {
  const cw_deck *deck = target->deck;
  const double B[3] = {Bx, 0, 0};
  const wave wave = {.k = TWO_PI * cw_setup_number(deck, "mode") /
                          (deck->grid.extent[0][1] - deck->grid.extent[0][0]),
                     .origin = deck->grid.extent[0][0],
                     .amplitude = cw_setup_number(deck, "amplitude"),
                     .temperature = cw_setup_number(deck, "temperature"),
                     .circular = circular};
  cw_injection injection = {.species_count = target->species_count,
                            .per_cell = deck->particles.ppc0 / target->species_count,
                            .quiet = cw_setup_number(deck, "quiet") != 0,
                            .momentum = rest_momentum,
                            .momentum_user = &wave};
  for (int s = 0; s < target->species_count; s++)
    injection.species[s] = s;
  cw_loader loader;
  cw_loader_init(&loader, target);
  CW_TRY(cw_loader_inject(&loader, &injection));
  cw_initial_E(target, wave_field, &wave);
  cw_initial_uniform(target, target->B, B);
  return CW_OK;
}

cw_status cw_light_wave_fill(const cw_setup_target *target) {
  return fill(target, 0, 0);
}

cw_status cw_whistler_fill(const cw_setup_target *target) {
  return fill(target, 1, cw_setup_number(target->deck, "B"));
}

void cw_light_wave_scales(const cw_deck *deck, int species, cw_species_scales *scales) {
  (void)species;
  *scales = (cw_species_scales){.density = 1.0 / deck->particles.species_count,
                                .temperature = cw_setup_number(deck, "temperature")};
}

void cw_whistler_scales(const cw_deck *deck, int species, cw_species_scales *scales) {
  cw_light_wave_scales(deck, species, scales);
  scales->B = fabs(cw_setup_number(deck, "B"));
}
