/* Two equal pair beams against each other: the filamentation (Weibel) instability. An electron of
 * one beam starts at the place of a positron of the other: no charge anywhere and no mean current,
 * while each such couple carries a current along the beams, so that their random places seed the
 * magnetic field. For cold beams the growth rate of a wave across the beams rises with k to
 *   drift / sqrt(gamma) / skindepth0,   gamma = 1 / sqrt(1 - drift^2)
 * for the total density n0 (F. Califano et al., Phys. Rev. E 57 (1998) 7048). */
#include <math.h>
#include <string.h>

#include "base/context_private.h"
#include "setup/checks.h"
#include "setup/initial_fields.h"
#include "setup/loaders.h"
#include "setup/problems.h"

const cw_problem_key cw_weibel_keys[] = {
    {"drift", "float", "0.5", "c", "speed of each beam"},
    {"axis", "string", "\"z\"", "", "direction of the beams: \"x\", \"y\" or \"z\""},
    {"temperature", "float", "0", "m c^2", "kT of every species in the frame of its beam"},
    {.name = NULL},
};

static int beam_axis(const cw_deck *deck) {
  char axis[256];
  cw_setup_text(deck, "axis", axis);
  return strlen(axis) == 1 && axis[0] >= 'x' && axis[0] <= 'z' ? axis[0] - 'x' : -1;
}

cw_status cw_weibel_check(cw_context *context, const cw_deck *deck) {
  CW_TRY(
      cw_check_pairs(context, deck, 2,
                     "electrons and positrons with +drift, electrons and positrons with -drift"));
  CW_TRY(cw_check_range(context, deck, "drift", 0, 1, 1));
  CW_TRY(cw_check_temperature(context, deck, "temperature"));
  int axis = beam_axis(deck);
  if (axis < 0)
    return cw_deck_fail(context, deck, cw_setup_where(deck, "axis"),
                        "setup.axis is none of \"x\", \"y\", \"z\"");
  if (deck->grid.dim == 1 && axis == 0)
    return cw_deck_fail(context, deck, cw_setup_where(deck, "axis"),
                        "setup.axis is \"x\" in one dimension, where no wave runs across the "
                        "beams; expected \"y\" or \"z\"");
  for (int a = 0; a < deck->grid.dim; a++)
    CW_TRY(cw_check_periodic(context, deck, a, "the beams fill the box"));
  return CW_OK;
}

int64_t cw_weibel_expected(const cw_deck *deck, int species) {
  (void)species;
  return cw_setup_whole(cw_setup_cells(deck) * deck->particles.ppc0 / 4);
}

typedef struct beams {
  double drift[2][3], temperature;
} beams;

static void beams_momentum(const void *user, const cw_loaded *particle, cw_random_source *source,
                           double u[3]) {
  const beams *beams = user;
  cw_momentum_drifting(source, beams->temperature, beams->drift[particle->species / 2], u);
}

cw_status cw_weibel_fill(const cw_setup_target *target) {
  const cw_deck *deck = target->deck;
  const double zero[3] = {0, 0, 0};
  const int axis = beam_axis(deck);
  beams beams = {.temperature = cw_setup_number(deck, "temperature")};
  beams.drift[0][axis] = cw_setup_number(deck, "drift");
  beams.drift[1][axis] = -beams.drift[0][axis];
  static const int couples[2][2] = {{0, 3}, {2, 1}};
  cw_loader loader;
  cw_loader_init(&loader, target);
  for (int c = 0; c < 2; c++) {
    const cw_injection injection = {.species_count = 2,
                                    .species = {couples[c][0], couples[c][1]},
                                    .per_cell = deck->particles.ppc0 / 4,
                                    .momentum = beams_momentum,
                                    .momentum_user = &beams};
    CW_TRY(cw_loader_inject(&loader, &injection));
  }
  cw_initial_uniform(target, target->E, zero);
  cw_initial_uniform(target, target->B, zero);
  return CW_OK;
}

void cw_weibel_scales(const cw_deck *deck, int species, cw_species_scales *scales) {
  (void)species;
  *scales = (cw_species_scales){.density = 0.25,
                                .temperature = cw_setup_number(deck, "temperature"),
                                .speed = cw_setup_number(deck, "drift")};
}
