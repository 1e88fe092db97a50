/* Two Harris sheets of ions and electrons across y, periodic (E. G. Harris, Nuovo Cimento 23 (1962)
 * 115), with the perturbation that starts reconnection in each:
 *   Bx = B [-1 + tanh((y - Ly/4) / d) - tanh((y - 3 Ly/4) / d)],
 *   n = n0 [sech^2((y - Ly/4) / d) + sech^2((y - 3 Ly/4) / d) + background],
 *   psi = A B d exp(-r^2 / d^2) cos(pi x' / (10 d)) cos(pi y' / (10 d)), dB = grad psi x z,
 * A at (Lx/4, Ly/4), -A at (3 Lx/4, 3 Ly/4), x', y' and r from there. The sheets' particles drift
 * along z, opposite in the two, with velocities that are Gaussian and not relativistic. ppc0 counts
 * the electrons, and the ions, of one cell where n = n0; skindepth0 is the skin depth of a species
 * of mass and charge 1 there: with ions of mass 1 it is the ion inertial length. */
#include <math.h>

#include "base/context_private.h"
#include "setup/checks.h"
#include "setup/harris.h"
#include "setup/initial_fields.h"
#include "setup/problems.h"

static const double PI = 3.14159265358979323846;

const cw_problem_key cw_double_harris_keys[] = {
    {"half_width", "float", "0.5", "length", "d in Bx = B tanh(y / d)"},
    {"B", "float", "0.0097", "B0", "magnetic field far from the sheets"},
    {"guide_field", "float", "0", "B0", "uniform Bz"},
    {"background", "float", "0.1", "n0", "density of the uniform background"},
    {"thermal_electrons", "float", "0.045", "c", "thermal speed of electrons, each component"},
    {"thermal_ions", "float", "0.0063", "c", "thermal speed of ions, each component"},
    {"drift_electrons", "float", "0.00325", "c", "drift of the first sheet's electrons along z"},
    {"drift_ions", "float", "-0.01624", "c", "drift of the first sheet's ions along z"},
    {"perturbation", "float", "0.4", "1", "A of the flux function psi"},
    {.name = NULL},
};

typedef struct sheets {
  double d, B, guide, amplitude;
  double lower[2], length[2], dx[2];
} sheets;

static sheets sheets_of(const cw_deck *deck) {
  sheets s = {.d = cw_setup_number(deck, "half_width"),
              .B = cw_setup_number(deck, "B"),
              .guide = cw_setup_number(deck, "guide_field"),
              .amplitude = cw_setup_number(deck, "perturbation")};
  for (int a = 0; a < 2; a++) {
    s.lower[a] = deck->grid.extent[a][0];
    s.length[a] = deck->grid.extent[a][1] - deck->grid.extent[a][0];
    s.dx[a] = deck->grid.dx[a];
  }
  return s;
}

static double middle(const sheets *s, int sheet) {
  return s->lower[1] + (sheet ? 0.75 : 0.25) * s->length[1];
}

cw_status cw_double_harris_check(cw_context *context, const cw_deck *deck) {
  const double unlimited = INFINITY;
  if (deck->simulation.engine != CW_ENGINE_ECSIM)
    return cw_deck_fail(context, deck, deck->setup.where,
                        "problem \"double_harris\" is for engine \"ecsim\": its fields stand on "
                        "nodes and its particles are not relativistic");
  if (deck->grid.dim < 2)
    return cw_deck_fail(context, deck, deck->setup.where,
                        "the grid has one axis; problem \"double_harris\" expects 2 or 3");
  for (int a = 0; a < deck->grid.dim; a++)
    CW_TRY(cw_check_periodic(context, deck, a, "the two sheets close the field"));
  CW_TRY(cw_harris_check_species(context, deck));
  const double height = deck->grid.extent[1][1] - deck->grid.extent[1][0];
  CW_TRY(cw_check_range(context, deck, "half_width", deck->grid.dx[1], height / 8, 0));
  CW_TRY(cw_check_range(context, deck, "background", 0, unlimited, 0));
  CW_TRY(cw_check_range(context, deck, "thermal_electrons", 0, 1, 0));
  CW_TRY(cw_check_range(context, deck, "thermal_ions", 0, 1, 0));
  CW_TRY(cw_check_range(context, deck, "drift_electrons", -1, 1, 1));
  return cw_check_range(context, deck, "drift_ions", -1, 1, 1);
}

/* psi at a place, and its periodic images left out: it has died away half a box from its centre. */
static double flux(const void *user, double x, double y) {
  const sheets *s = user;
  double sum = 0;
  for (int sheet = 0; sheet < 2; sheet++) {
    const double dx = x - s->lower[0] - (sheet ? 0.75 : 0.25) * s->length[0];
    const double dy = y - middle(s, sheet);
    const double along = remainder(dx, s->length[0]), across = remainder(dy, s->length[1]);
    sum += (sheet ? -1 : 1) * exp(-(along * along + across * across) / (s->d * s->d)) *
           cos(PI * along / (10 * s->d)) * cos(PI * across / (10 * s->d));
  }
  return s->amplitude * s->B * s->d * sum;
}

static double field(const void *user, int axis, const double x[3]) {
  const sheets *s = user;
  if (axis == 2)
    return s->guide;
  const double dB = cw_harris_flux_field(flux, s, s->dx, axis, x);
  if (axis == 1)
    return dB;
  return s->B * (-1 + tanh((x[1] - middle(s, 0)) / s->d) - tanh((x[1] - middle(s, 1)) / s->d)) + dB;
}

static cw_harris plasma_of(const cw_deck *deck) {
  const sheets s = sheets_of(deck);
  return (cw_harris){
      .sheets = 2,
      .middle = {middle(&s, 0), middle(&s, 1)},
      .half_width = s.d,
      .background = cw_setup_number(deck, "background"),
      .thermal = {cw_setup_number(deck, "thermal_electrons"),
                  cw_setup_number(deck, "thermal_ions")},
      .drift = {cw_setup_number(deck, "drift_electrons"), cw_setup_number(deck, "drift_ions")}};
}

int64_t cw_double_harris_expected(const cw_deck *deck, int species) {
  const cw_harris plasma = plasma_of(deck);
  return cw_harris_expected(&plasma, deck, species);
}

cw_status cw_double_harris_fill(const cw_setup_target *target) {
  const sheets s = sheets_of(target->deck);
  const cw_harris plasma = plasma_of(target->deck);
  const double zero[3] = {0, 0, 0};
  CW_TRY(cw_harris_load(&plasma, target));
  cw_initial_uniform(target, target->E, zero);
  cw_initial_B(target, field, &s);
  return CW_OK;
}

void cw_double_harris_scales(const cw_deck *deck, int species, cw_species_scales *scales) {
  const sheets s = sheets_of(deck);
  const cw_harris plasma = plasma_of(deck);
  cw_harris_scales(&plasma, deck, species, scales);
  scales->B = hypot(s.B, s.guide);
}
