/* Two beams of electrons and positrons along x. Each beam is a pair plasma whose two species start
 * at the same places with the same drift: no charge and no current, whatever the densities and
 * drifts of the beams. A longitudinal wave moves electrons and positrons of a beam oppositely, so
 * both add to its plasma frequency and the cold beams obey
 *   1 = sum over beams of omega_b^2 / (gamma_b^3 (omega - k v_b)^2),
 *   omega_b^2 = (share of the beam in the density n0) / skindepth0^2
 * (A. I. Akhiezer et al., Plasma Electrodynamics (1975), vol. 1, ch. 6). The seed of the
 * instability is a velocity perturbation of opposite sign for the two charges. */
#include <math.h>

#include "base/context_private.h"
#include "setup/checks.h"
#include "setup/initial_fields.h"
#include "setup/loaders.h"
#include "setup/problems.h"

static const double TWO_PI = 6.283185307179586476925286766559;

const cw_problem_key cw_two_stream_keys[] = {
    {"drift_1", "float", "0.2", "c", "velocity along x of species 1 and 2"},
    {"drift_2", "float", "-0.2", "c", "velocity along x of species 3 and 4"},
    {"share_2", "float", "0.5", "1",
     "part of the density n0 that is in species 3 and 4; the rest is in 1 and 2"},
    {"temperature", "float", "0", "m c^2", "kT of every species in the frame of its beam"},
    {"mode", "int", "1", "1", "waves in the box along x of the seed perturbation"},
    {"amplitude", "float", "1e-4", "c", "largest change of u_x by the seed perturbation"},
    {"quiet", "bool", "true", "", "evenly spread particles instead of random places"},
    {.name = NULL},
};

cw_status cw_two_stream_check(cw_context *context, const cw_deck *deck) {
  CW_TRY(cw_check_pairs(context, deck, 2,
                        "electrons and positrons of beam 1, electrons and positrons of beam 2"));
  CW_TRY(cw_check_periodic(context, deck, 0, "the beams stream along it"));
  CW_TRY(cw_check_range(context, deck, "drift_1", -1, 1, 1));
  CW_TRY(cw_check_range(context, deck, "drift_2", -1, 1, 1));
  CW_TRY(cw_check_range(context, deck, "share_2", 0, 1, 1));
  CW_TRY(cw_check_range(context, deck, "amplitude", 0, 1, 0));
  CW_TRY(cw_check_range(context, deck, "mode", 0, deck->grid.resolution[0] / 4, 0));
  return cw_check_temperature(context, deck, "temperature");
}

/* Share of n0 that one species of a beam (0 or 1) has. */
static double species_share(const cw_deck *deck, int beam) {
  double second = cw_setup_number(deck, "share_2");
  return 0.5 * (beam ? second : 1 - second);
}

int64_t cw_two_stream_expected(const cw_deck *deck, int species) {
  return cw_setup_whole(cw_setup_cells(deck) * deck->particles.ppc0 *
                        species_share(deck, species / 2));
}

typedef struct beam {
  double drift[3], temperature, k, origin, amplitude;
} beam;

static void beam_momentum(const void *user, const cw_loaded *particle, cw_random_source *source,
                          double u[3]) {
  const beam *beam = user;
  double sign = particle->species % 2 ? 1 : -1;
  cw_momentum_drifting(source, beam->temperature, beam->drift, u);
  u[0] += sign * beam->amplitude * sin(beam->k * (particle->x[0] - beam->origin));
}

cw_status cw_two_stream_fill(const cw_setup_target *target) {
  const cw_deck *deck = target->deck;
  const double zero[3] = {0, 0, 0};
  const double length = deck->grid.extent[0][1] - deck->grid.extent[0][0];
  cw_loader loader;
  cw_loader_init(&loader, target);
  for (int b = 0; b < 2; b++) {
    const beam beam = {.drift = {cw_setup_number(deck, b ? "drift_2" : "drift_1"), 0, 0},
                       .temperature = cw_setup_number(deck, "temperature"),
                       .k = TWO_PI * cw_setup_number(deck, "mode") / length,
                       .origin = deck->grid.extent[0][0],
                       .amplitude = cw_setup_number(deck, "amplitude")};
    const cw_injection injection = {.species_count = 2,
                                    .species = {2 * b, 2 * b + 1},
                                    .per_cell = deck->particles.ppc0 * species_share(deck, b),
                                    .quiet = cw_setup_number(deck, "quiet") != 0,
                                    .momentum = beam_momentum,
                                    .momentum_user = &beam};
    CW_TRY(cw_loader_inject(&loader, &injection));
  }
  cw_initial_uniform(target, target->E, zero);
  cw_initial_uniform(target, target->B, zero);
  return CW_OK;
}

void cw_two_stream_scales(const cw_deck *deck, int species, cw_species_scales *scales) {
  *scales = (cw_species_scales){
      .density = species_share(deck, species / 2),
      .temperature = cw_setup_number(deck, "temperature"),
      .speed = fabs(cw_setup_number(deck, species / 2 ? "drift_2" : "drift_1"))};
}
