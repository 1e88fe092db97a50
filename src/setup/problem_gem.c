/* The reconnection challenge (J. Birn et al., J. Geophys. Res. 106 (2001) 3715): one Harris sheet of
 * ions and electrons across y between conductors, periodic along x, with a magnetic island that
 * starts reconnection at the middle of the box. From the middle,
 *   Bx = B tanh(y / d),  n = n0 [sech^2(y / d) + background],
 *   psi = psi0 B d_i cos(2 pi x / Lx) cos(pi y / Ly),  dB = (d psi / dy, -d psi / dx, 0).
 *
 * Units: with skindepth0 = d_i, the skin depth of a species of mass and charge 1 at n0, and b = B B0,
 * pressure balance is Ti + Te = (b skindepth0)^2 / 2 in units of m0 c^2, and each species of charge
 * q drifts along z with w = -2 T / (q b d), so that both together carry J_z = -dBx/dy. */
#include <math.h>

#include "base/context_private.h"
#include "setup/checks.h"
#include "setup/harris.h"
#include "setup/initial_fields.h"
#include "setup/problems.h"

static const double PI = 3.14159265358979323846;

const cw_problem_key cw_gem_keys[] = {
    {"half_width", "float", "0.5", "length", "d in Bx = B tanh(y / d)"},
    {"B", "float", "0.05", "B0",
     "magnetic field far from the sheet; with skindepth0 = larmor0 = 1 it is also the Alfven speed "
     "in units of c"},
    {"guide_field", "float", "0", "B0", "uniform Bz"},
    {"background", "float", "0.2", "n0", "density of the uniform background"},
    {"temperature_ratio", "float", "5", "1",
     "of ions to electrons; balance with B gives their sum"},
    {"perturbation", "float", "0.1", "B skindepth0", "psi0, the height of the flux function"},
    {.name = NULL},
};

typedef struct gem {
  double d, B, guide, psi0;
  double middle[2], length[2], dx[2];
  cw_harris plasma;
} gem;

static gem gem_of(const cw_deck *deck) {
  const double skin = deck->scales.skindepth0, ratio = cw_setup_number(deck, "temperature_ratio");
  gem g = {.d = cw_setup_number(deck, "half_width"),
           .B = cw_setup_number(deck, "B"),
           .guide = cw_setup_number(deck, "guide_field")};
  const double b = g.B * deck->B0, sum = 0.5 * b * b * skin * skin;
  for (int a = 0; a < 2; a++) {
    g.length[a] = deck->grid.extent[a][1] - deck->grid.extent[a][0];
    g.middle[a] = deck->grid.extent[a][0] + 0.5 * g.length[a];
    g.dx[a] = deck->grid.dx[a];
  }
  g.psi0 = cw_setup_number(deck, "perturbation") * g.B * skin;
  g.plasma = (cw_harris){.sheets = 1,
                         .middle = {g.middle[1]},
                         .half_width = g.d,
                         .background = cw_setup_number(deck, "background")};
  for (int ion = 0; ion < 2 && ion < deck->particles.species_count; ion++) {
    const cw_deck_species *species = &deck->particles.species[ion];
    const double T = sum * (ion ? ratio : 1) / (1 + ratio);
    g.plasma.thermal[ion] = sqrt(T / species->mass);
    g.plasma.drift[ion] = -2 * T / (species->charge * b * g.d);
  }
  return g;
}

static cw_status check_sides(cw_context *context, const cw_deck *deck) {
  CW_TRY(cw_check_periodic(context, deck, 0, "the sheet goes on along it"));
  if (deck->grid.dim == 3)
    CW_TRY(cw_check_periodic(context, deck, 2, "the sheet goes on along it"));
  if (deck->grid.fields[1][0] == CW_FIELD_PERIODIC)
    return cw_deck_fail(context, deck, deck->setup.where,
                        "axis 2 is periodic; problem \"gem\" expects conductor fields and "
                        "reflecting particles there (the field is opposite at the two ends)");
  return CW_OK;
}

cw_status cw_gem_check(cw_context *context, const cw_deck *deck) {
  const double unlimited = INFINITY;
  if (deck->simulation.engine != CW_ENGINE_ECSIM)
    return cw_deck_fail(
        context, deck, deck->setup.where,
        "problem \"gem\" is for engine \"ecsim\": its fields stand on nodes and its "
        "particles are not relativistic");
  if (deck->grid.dim < 2)
    return cw_deck_fail(context, deck, deck->setup.where,
                        "the grid has one axis; problem \"gem\" expects 2 or 3");
  CW_TRY(check_sides(context, deck));
  CW_TRY(cw_harris_check_species(context, deck));
  const double height = deck->grid.extent[1][1] - deck->grid.extent[1][0];
  CW_TRY(cw_check_range(context, deck, "half_width", deck->grid.dx[1], height / 8, 0));
  CW_TRY(cw_check_range(context, deck, "B", 0, unlimited, 1));
  CW_TRY(cw_check_range(context, deck, "background", 0, unlimited, 0));
  CW_TRY(cw_check_range(context, deck, "temperature_ratio", 0, unlimited, 1));
  const gem g = gem_of(deck);
  for (int s = 0; s < 2; s++)
    if (!(fabs(g.plasma.drift[s]) + 3 * g.plasma.thermal[s] < 1))
      return cw_deck_fail(
          context, deck, cw_setup_where(deck, "B"),
          "setup.B = %g needs a thermal speed of %g c and a drift of %g c of species "
          "%d (%s); expected fewer: three thermal speeds and the drift below c",
          g.B, g.plasma.thermal[s], g.plasma.drift[s], s + 1, deck->particles.species[s].label);
  return CW_OK;
}

static double flux(const void *user, double x, double y) {
  const gem *g = user;
  return g->psi0 * cos(2 * PI * (x - g->middle[0]) / g->length[0]) *
         cos(PI * (y - g->middle[1]) / g->length[1]);
}

static double field(const void *user, int axis, const double x[3]) {
  const gem *g = user;
  if (axis == 2)
    return g->guide;
  const double dB = cw_harris_flux_field(flux, g, g->dx, axis, x);
  return axis == 1 ? dB : g->B * tanh((x[1] - g->middle[1]) / g->d) + dB;
}

int64_t cw_gem_expected(const cw_deck *deck, int species) {
  const gem g = gem_of(deck);
  return cw_harris_expected(&g.plasma, deck, species);
}

cw_status cw_gem_fill(const cw_setup_target *target) {
  const gem g = gem_of(target->deck);
  const double zero[3] = {0, 0, 0};
  CW_TRY(cw_harris_load(&g.plasma, target));
  cw_initial_uniform(target, target->E, zero);
  cw_initial_B(target, field, &g);
  return CW_OK;
}

void cw_gem_scales(const cw_deck *deck, int species, cw_species_scales *scales) {
  const gem g = gem_of(deck);
  cw_harris_scales(&g.plasma, deck, species, scales);
  scales->B = hypot(g.B, g.guide);
}
