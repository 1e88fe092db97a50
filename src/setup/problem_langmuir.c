/* A standing plasma wave. All species start at the same places, so E = 0 satisfies Gauss's law, and
 * their velocities are perturbed along k by v_s ~ (q_s / m_s) sin(k . x): what a longitudinal field
 * gives to each species, hence the eigenmode of a cold plasma. Then
 *   E ~ sin(omega t), omega^2 = (1 / skindepth0^2) sum over s of (n_s / n0) q_s^2 / m_s,
 * each species having n_s = n0 / (number of species). C. K. Birdsall and A. B. Langdon, Plasma
 * Physics via Computer Simulation (1985), ch. 5. */
#include <math.h>

#include "base/context_private.h"
#include "setup/checks.h"
#include "setup/initial_fields.h"
#include "setup/loaders.h"
#include "setup/problems.h"

static const double TWO_PI = 6.283185307179586476925286766559;

const cw_problem_key cw_langmuir_keys[] = {
    {"mode", "float[3]", "[1, 0, 0]", "1", "whole waves in the box along each axis"},
    {"amplitude", "float", "0.01", "c",
     "largest u of species 1 along the wave vector; the others follow by charge over mass"},
    {"temperature", "float", "0", "m c^2", "kT of every species, in units of its own m c^2"},
    {"quiet", "bool", "true", "", "evenly spread particles instead of random places"},
    {.name = NULL},
};

cw_status cw_langmuir_check(cw_context *context, const cw_deck *deck) {
  CW_TRY(cw_check_neutral(context, deck));
  CW_TRY(cw_check_range(context, deck, "amplitude", 0, 1, 1));
  CW_TRY(cw_check_temperature(context, deck, "temperature"));
  if (deck->particles.species[0].charge == 0)
    return cw_deck_fail(context, deck, deck->particles.species[0].where,
                        "species 1 has no charge; problem \"langmuir\" measures the amplitude by "
                        "its velocity");
  double mode[3];
  cw_setup_vector(deck, "mode", mode);
  int waves = 0;
  for (int a = 0; a < 3; a++) {
    int32_t most = a < deck->grid.dim ? deck->grid.resolution[a] / 4 : 0;
    if (mode[a] != floor(mode[a]) || fabs(mode[a]) > most)
      return cw_deck_fail(context, deck, cw_setup_where(deck, "mode"),
                          "setup.mode has %g along axis %d; expected a whole number of at most %d "
                          "(4 cells a wave)",
                          mode[a], a + 1, (int)most);
    if (mode[a] == 0)
      continue;
    waves = 1;
    CW_TRY(cw_check_periodic(context, deck, a, "the wave must fit into the box"));
  }
  if (!waves)
    return cw_deck_fail(context, deck, cw_setup_where(deck, "mode"),
                        "setup.mode is zero along every axis; expected a wave");
  return CW_OK;
}

int64_t cw_langmuir_expected(const cw_deck *deck, int species) {
  (void)species;
  return cw_setup_whole(cw_setup_cells(deck) * deck->particles.ppc0 /
                        deck->particles.species_count);
}

typedef struct wave {
  double k[3], unit[3], origin[3], temperature;
  double amplitude[CW_DECK_MAX_SPECIES];
} wave;

static void wave_momentum(const void *user, const cw_loaded *particle, cw_random_source *source,
                          double u[3]) {
  const wave *wave = user;
  double phase = 0;
  for (int a = 0; a < 3; a++)
    phase += wave->k[a] * (particle->x[a] - wave->origin[a]);
  cw_momentum_isotropic(source, wave->temperature, u);
  for (int a = 0; a < 3; a++)
    u[a] += wave->amplitude[particle->species] * sin(phase) * wave->unit[a];
}

static wave wave_of(const cw_deck *deck) {
  wave wave = {.temperature = cw_setup_number(deck, "temperature")};
  double mode[3], size = 0;
  cw_setup_vector(deck, "mode", mode);
  for (int a = 0; a < deck->grid.dim; a++) {
    wave.k[a] = TWO_PI * mode[a] / (deck->grid.extent[a][1] - deck->grid.extent[a][0]);
    wave.origin[a] = deck->grid.extent[a][0];
    size += wave.k[a] * wave.k[a];
  }
  for (int a = 0; a < 3; a++)
    wave.unit[a] = wave.k[a] / sqrt(size);
  const cw_deck_species *species = deck->particles.species;
  double first = fabs(species[0].charge / species[0].mass);
  for (int s = 0; s < deck->particles.species_count; s++)
    wave.amplitude[s] =
        cw_setup_number(deck, "amplitude") * species[s].charge / species[s].mass / first;
  return wave;
}

cw_status cw_langmuir_fill(const cw_setup_target *target) {
  const cw_deck *deck = target->deck;
  const wave wave = wave_of(deck);
  const double zero[3] = {0, 0, 0};
  cw_injection injection = {.species_count = target->species_count,
                            .per_cell = deck->particles.ppc0 / target->species_count,
                            .quiet = cw_setup_number(deck, "quiet") != 0,
                            .momentum = wave_momentum,
                            .momentum_user = &wave};
  for (int s = 0; s < target->species_count; s++)
    injection.species[s] = s;
  cw_loader loader;
  cw_loader_init(&loader, target);
  CW_TRY(cw_loader_inject(&loader, &injection));
  cw_initial_uniform(target, target->E, zero);
  cw_initial_uniform(target, target->B, zero);
  return CW_OK;
}

void cw_langmuir_scales(const cw_deck *deck, int species, cw_species_scales *scales) {
  *scales = (cw_species_scales){.density = 1.0 / deck->particles.species_count,
                                .temperature = cw_setup_number(deck, "temperature"),
                                .speed = fabs(wave_of(deck).amplitude[species])};
}
