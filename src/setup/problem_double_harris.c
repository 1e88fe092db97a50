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

#include <cellwise/random.h>

#include "base/context_private.h"
#include "setup/checks.h"
#include "setup/initial_fields.h"
#include "setup/loaders.h"
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
  double d, B, guide, background, amplitude;
  double lower[2], length[2], dx[2];
} sheets;

static sheets sheets_of(const cw_deck *deck) {
  sheets s = {.d = cw_setup_number(deck, "half_width"),
              .B = cw_setup_number(deck, "B"),
              .guide = cw_setup_number(deck, "guide_field"),
              .background = cw_setup_number(deck, "background"),
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

static cw_status check_species(cw_context *context, const cw_deck *deck) {
  const int count = deck->particles.species_count;
  if (count != 2 && count != 4)
    return cw_deck_fail(context, deck, deck->setup.where,
                        "the deck has %d species; problem \"double_harris\" expects electrons and "
                        "ions, or these twice: of the sheets and of the background",
                        count);
  for (int s = 0; s < count; s++) {
    const cw_deck_species *species = &deck->particles.species[s];
    const double charge =
        s % 2 ? fabs(deck->particles.species[0].charge) : -fabs(deck->particles.species[0].charge);
    if (!(species->mass > 0) || species->charge != charge || charge == 0)
      return cw_deck_fail(context, deck, species->where,
                          "species %d (%s) has charge %g and mass %g; problem \"double_harris\" "
                          "expects charge %g and a positive mass",
                          s + 1, species->label, species->charge, species->mass,
                          charge == 0 ? -1.0 : charge);
  }
  return CW_OK;
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
  CW_TRY(check_species(context, deck));
  const double height = deck->grid.extent[1][1] - deck->grid.extent[1][0];
  CW_TRY(cw_check_range(context, deck, "half_width", deck->grid.dx[1], height / 8, 0));
  CW_TRY(cw_check_range(context, deck, "background", 0, unlimited, 0));
  CW_TRY(cw_check_range(context, deck, "thermal_electrons", 0, 1, 0));
  CW_TRY(cw_check_range(context, deck, "thermal_ions", 0, 1, 0));
  CW_TRY(cw_check_range(context, deck, "drift_electrons", -1, 1, 1));
  return cw_check_range(context, deck, "drift_ions", -1, 1, 1);
}

/* Mean over the cell of both sheets' sech^2, from the difference of tanh that curl B takes. */
static double sheet_mean(const sheets *s, int sheet, const double lower[3], const double upper[3]) {
  const double y = middle(s, sheet);
  return fmax((tanh((upper[1] - y) / s->d) - tanh((lower[1] - y) / s->d)) * s->d /
                  (upper[1] - lower[1]),
              0);
}

/* What one injection loads: sheets, background or both. */
typedef struct population {
  sheets s;
  double thermal[2], drift[2]; /* of electrons and ions; drift: in the first sheet */
  int has_sheets;
  double background;
} population;

static double density(const void *user, const double lower[3], const double upper[3]) {
  const population *p = user;
  double n = p->background;
  for (int sheet = 0; sheet < 2 && p->has_sheets; sheet++)
    n += sheet_mean(&p->s, sheet, lower, upper);
  return n;
}

static double sech2(double x) {
  const double c = 1 / cosh(x);
  return c * c;
}

/* Sheets and background together drift with the mean of what they hold: w n_sheet / n. */
static double drift_at(const population *p, double drift, double y) {
  const double first = sech2((y - middle(&p->s, 0)) / p->s.d);
  const double second = sech2((y - middle(&p->s, 1)) / p->s.d);
  const double all = first + second + p->background;
  return all > 0 ? drift * (first - second) / all : 0;
}

static void momentum(const void *user, const cw_loaded *particle, cw_random_source *source,
                     double u[3]) {
  const population *p = user;
  const int ion = particle->species % 2;
  double normal[4];
  cw_random_normal(source->seed, source->stream, source->index, source->draw++, normal);
  cw_random_normal(source->seed, source->stream, source->index, source->draw++, normal + 2);
  for (int a = 0; a < 3; a++)
    u[a] = p->thermal[ion] * normal[a];
  if (p->has_sheets)
    u[2] += drift_at(p, p->drift[ion], particle->x[1]);
}

/* psi at a place, and its periodic images left out: it has died away half a box from its centre. */
static double flux(const sheets *s, double x, double y) {
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

/* dB = grad psi x z by differences of psi between a cell's corners, in the mean over the other
 * axis: the very differences of the engine's curl, so that div B = 0 to round-off. */
static double field(const void *user, int axis, const double x[3]) {
  const sheets *s = user;
  const double hx = 0.5 * s->dx[0], hy = 0.5 * s->dx[1];
  if (axis == 2)
    return s->guide;
  const double lower_left = flux(s, x[0] - hx, x[1] - hy);
  const double lower_right = flux(s, x[0] + hx, x[1] - hy);
  const double upper_left = flux(s, x[0] - hx, x[1] + hy);
  const double upper_right = flux(s, x[0] + hx, x[1] + hy);
  if (axis == 1)
    return -0.5 * ((lower_right - lower_left) + (upper_right - upper_left)) / s->dx[0];
  return s->B * (-1 + tanh((x[1] - middle(s, 0)) / s->d) - tanh((x[1] - middle(s, 1)) / s->d)) +
         0.5 * ((upper_left - lower_left) + (upper_right - lower_right)) / s->dx[1];
}

int64_t cw_double_harris_expected(const cw_deck *deck, int species) {
  const sheets s = sheets_of(deck);
  const int split = deck->particles.species_count == 4, background = split && species >= 2;
  const double each = deck->particles.ppc0 * cw_setup_cells(deck);
  const double sheet = 4 * s.d / s.length[1]; /* mean of the two sech^2 */
  if (deck->particles.use_weights)
    return cw_setup_whole(each);
  return cw_setup_whole(each * (background ? s.background : sheet + (split ? 0 : s.background)));
}

/* Electrons and ions of one population at the same places: no charge at the start. */
static cw_status load(cw_loader *loader, int first, int has_sheets, double background) {
  const cw_deck *deck = loader->target->deck;
  const population both = {
      .s = sheets_of(deck),
      .thermal = {cw_setup_number(deck, "thermal_electrons"),
                  cw_setup_number(deck, "thermal_ions")},
      .drift = {cw_setup_number(deck, "drift_electrons"), cw_setup_number(deck, "drift_ions")},
      .has_sheets = has_sheets,
      .background = background};
  const cw_injection injection = {.species_count = 2,
                                  .species = {first, first + 1},
                                  .per_cell = deck->particles.ppc0,
                                  .profile = density,
                                  .profile_user = &both,
                                  .momentum = momentum,
                                  .momentum_user = &both};
  return cw_loader_inject(loader, &injection);
}

cw_status cw_double_harris_fill(const cw_setup_target *target) {
  const sheets s = sheets_of(target->deck);
  const double zero[3] = {0, 0, 0};
  cw_loader loader;
  cw_loader_init(&loader, target);
  if (target->species_count == 4) {
    CW_TRY(load(&loader, 0, 1, 0));
    CW_TRY(load(&loader, 2, 0, s.background));
  } else {
    CW_TRY(load(&loader, 0, 1, s.background));
  }
  cw_initial_uniform(target, target->E, zero);
  cw_initial_B(target, field, &s);
  return CW_OK;
}

void cw_double_harris_scales(const cw_deck *deck, int species, cw_species_scales *scales) {
  const sheets s = sheets_of(deck);
  const int split = deck->particles.species_count == 4, background = split && species >= 2;
  const char *const keys[2][2] = {{"thermal_electrons", "drift_electrons"},
                                  {"thermal_ions", "drift_ions"}};
  const double thermal = cw_setup_number(deck, keys[species % 2][0]);
  *scales = (cw_species_scales){
      .density = background ? s.background : 1 + (split ? 0 : s.background),
      .temperature = thermal * thermal,
      .speed = background ? 0 : fabs(cw_setup_number(deck, keys[species % 2][1])),
      .B = hypot(s.B, s.guide)};
}
