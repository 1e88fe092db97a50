/* Relativistic Harris sheets (E. G. Harris, Nuovo Cimento 23 (1962) 115; J. G. Kirk and
 * O. Skjaeraasen, Astrophys. J. 591 (2003) 366) in the deck's units.
 *
 * The engine's equations are du/dt = (q/m) B0 (E + v x B) and dE/dt = curl B - J with
 *   J = (1 / (B0 skindepth0^2)) sum over species of q (n / n0) v.
 * A sheet at y = y0 with Bx = s b tanh((y - y0) / L), s = +1 or -1, needs
 *   J_z = -dBx/dy = -(s b / L) sech^2((y - y0) / L).
 * Its electrons (-q) and positrons (+q) both have the density (eta n0 / 2) sech^2((y - y0) / L) and
 * drift along z with +s beta and -s beta, so that
 *   q eta beta / (B0 skindepth0^2) = b / L,   beta = b B0 skindepth0^2 / (q eta L).
 * A gas of temperature theta = kT/(m c^2) in the frame of its drift and of laboratory density n
 * presses on the field with n m theta / gamma, gamma = 1 / sqrt(1 - beta^2), and balance with the
 * field's b^2/2 is, both in the units of u (field times B0, density over n0 skindepth0^2),
 *   eta m theta / (gamma skindepth0^2) = (b B0)^2 / 2,
 *   theta = gamma (b B0 skindepth0)^2 / (2 eta m).
 * With the background's mass density m n0 `background`, the magnetization far from the sheets is
 * sigma = (b B0 skindepth0)^2 / (m background). The guide field and the background's pressure are
 * uniform and do not enter. */
#include <math.h>

#include "base/context_private.h"
#include "setup/checks.h"
#include "setup/initial_fields.h"
#include "setup/loaders.h"
#include "setup/problems.h"

static const double PI = 3.14159265358979323846;

const cw_problem_key cw_reconnection_keys[] = {
    {"half_width", "float", NULL, "length", "L in Bx = B tanh(y / L)"},
    {"B", "float", "1", "B0", "magnetic field far from the sheets"},
    {"guide_field", "float", "0", "B0", "uniform Bz"},
    {"overdensity", "float", "3", "n0", "density of the sheet's own particles at its middle"},
    {"background", "float", "1", "n0", "density of the uniform background"},
    {"background_temperature", "float", "0.01", "m c^2", "kT of the background"},
    {"sheets", "int", "2", "",
     "2: at a quarter and three quarters of y, all periodic; 1: in the middle, between conducting "
     "walls in y"},
    {"perturbation", "float", "0.1", "B",
     "about the largest field of a local pinch of each sheet, which starts reconnection there"},
    {"perturbation_x", "float", "0.5", "1", "its place, as a part of the box length in x"},
    {"perturbation_width", "float", "4", "half_width", "its size, as a multiple of half_width"},
    {.name = NULL},
};

typedef struct harris {
  int sheets;
  double half_width, B, guide, place[2]; /* place: y of each sheet */
  double overdensity, beta, theta;       /* of the sheet's particles */
  double background, cold;               /* density and temperature of the background */
  double potential, width, pinch;        /* perturbation: A_z, its size, its x */
  double lower[2], upper[2];             /* the box */
  double dx[2];
} harris;

static harris harris_of(const cw_deck *deck) {
  harris h = {.sheets = (int)cw_setup_number(deck, "sheets"),
              .half_width = cw_setup_number(deck, "half_width"),
              .B = cw_setup_number(deck, "B"),
              .guide = cw_setup_number(deck, "guide_field"),
              .overdensity = cw_setup_number(deck, "overdensity"),
              .background = cw_setup_number(deck, "background"),
              .cold = cw_setup_number(deck, "background_temperature")};
  for (int a = 0; a < 2; a++) {
    h.lower[a] = deck->grid.extent[a][0];
    h.upper[a] = deck->grid.extent[a][1];
    h.dx[a] = deck->grid.dx[a];
  }
  const double height = h.upper[1] - h.lower[1];
  h.place[0] = h.lower[1] + (h.sheets == 2 ? 0.25 : 0.5) * height;
  h.place[1] = h.lower[1] + 0.75 * height;
  h.pinch = h.lower[0] + cw_setup_number(deck, "perturbation_x") * (h.upper[0] - h.lower[0]);
  h.width = cw_setup_number(deck, "perturbation_width") * h.half_width;
  /* The gradient of exp(-r^2 / (2 w^2)) is largest at r = w: exp(-1/2) / w. */
  h.potential = cw_setup_number(deck, "perturbation") * h.B * h.width * exp(0.5);
  const double skin = deck->scales.skindepth0;
  const double charge = fabs(deck->particles.species[0].charge);
  const double mass = deck->particles.species[0].mass;
  h.beta = h.B * deck->B0 * skin * skin / (charge * h.overdensity * h.half_width);
  h.theta = pow(h.B * deck->B0 * skin, 2) / (2 * h.overdensity * mass * sqrt(1 - h.beta * h.beta));
  return h;
}

static cw_status check_boundaries(cw_context *context, const cw_deck *deck, int sheets) {
  CW_TRY(cw_check_periodic(context, deck, 0, "the sheets go on along it"));
  if (sheets == 2)
    return cw_check_periodic(context, deck, 1, "setup.sheets is 2: the field reverses twice");
  for (int side = 0; side < 2; side++)
    if (deck->grid.fields[1][side] == CW_FIELD_PERIODIC ||
        deck->grid.particles[1][side] == CW_PARTICLE_PERIODIC)
      return cw_deck_fail(context, deck, cw_setup_where(deck, "sheets"),
                          "setup.sheets is 1, but axis 2 is periodic; expected conductor fields "
                          "and reflecting particles (the field is opposite at the two ends)");
  return CW_OK;
}

static cw_status check_sheet(cw_context *context, const cw_deck *deck) {
  const harris h = harris_of(deck);
  const double height = h.upper[1] - h.lower[1];
  if (h.half_width < h.dx[1] || h.half_width > height / (8 * h.sheets))
    return cw_deck_fail(context, deck, cw_setup_where(deck, "half_width"),
                        "setup.half_width is %g; expected at least a cell, %g, and at most 1/%d of "
                        "the box along y, %g",
                        h.half_width, h.dx[1], 8 * h.sheets, height / (8 * h.sheets));
  if (!(h.beta < 1))
    return cw_deck_fail(context, deck, cw_setup_where(deck, "overdensity"),
                        "the sheet's current needs a drift of %g c = B skindepth0^2 / (larmor0 "
                        "overdensity half_width); expected less than 1: raise overdensity or "
                        "half_width",
                        h.beta);
  if (h.half_width < 3 * h.dx[1])
    cw_log(context, CW_LOG_WARNING,
           "setup.half_width is %.2g cells: at least 3 are needed to resolve the sheet",
           h.half_width / h.dx[1]);
  return CW_OK;
}

cw_status cw_reconnection_check(cw_context *context, const cw_deck *deck) {
  const int split = deck->particles.species_count == 4;
  if (deck->grid.dim != 2)
    return cw_deck_fail(context, deck, deck->setup.where,
                        "the grid has %d axes; problem \"reconnection\" expects 2", deck->grid.dim);
  CW_TRY(cw_check_pairs(context, deck, split ? 2 : 1,
                        split ? "electrons and positrons of the background, then of the sheets"
                              : "electrons and positrons (or 4: background, then sheets)"));
  const double unlimited = INFINITY;
  CW_TRY(cw_check_range(context, deck, "half_width", 0, unlimited, 1));
  CW_TRY(cw_check_range(context, deck, "B", 0, unlimited, 1));
  CW_TRY(cw_check_range(context, deck, "overdensity", 0, unlimited, 1));
  CW_TRY(cw_check_range(context, deck, "background", 0, unlimited, 0));
  CW_TRY(cw_check_temperature(context, deck, "background_temperature"));
  CW_TRY(cw_check_range(context, deck, "sheets", 1, 2, 0));
  CW_TRY(cw_check_range(context, deck, "perturbation", 0, 1, 0));
  CW_TRY(cw_check_range(context, deck, "perturbation_x", 0, 1, 0));
  CW_TRY(cw_check_range(context, deck, "perturbation_width", 0, unlimited, 1));
  CW_TRY(check_boundaries(context, deck, (int)cw_setup_number(deck, "sheets")));
  return check_sheet(context, deck);
}

int64_t cw_reconnection_expected(const cw_deck *deck, int species) {
  const harris h = harris_of(deck);
  const double each = 0.5 * deck->particles.ppc0 * cw_setup_cells(deck);
  const double sheet = 2 * h.half_width * h.sheets / (h.upper[1] - h.lower[1]);
  /* Of a weighted sheet, cells down to sech^2 = CW_LOADER_MIN_WEIGHT are filled evenly. */
  const double filled =
      deck->particles.use_weights ? fmin(1, sheet * acosh(1 / sqrt(CW_LOADER_MIN_WEIGHT))) : sheet;
  double share = 0;
  if (species < 2)
    share += h.background;
  if (species >= 2 || deck->particles.species_count < 4)
    share += h.overdensity * filled;
  return cw_setup_whole(each * share);
}

typedef struct sheet {
  const harris *h;
  int number;
} sheet;

/* Mean of sech^2 over a cell: exactly the difference of tanh that curl B takes. */
static double sheet_profile(const void *user, const double lower[3], const double upper[3]) {
  const sheet *sheet = user;
  const double L = sheet->h->half_width, place = sheet->h->place[sheet->number];
  const double mean =
      (tanh((upper[1] - place) / L) - tanh((lower[1] - place) / L)) * L / (upper[1] - lower[1]);
  return fmax(mean, 0);
}

static void sheet_momentum(const void *user, const cw_loaded *particle, cw_random_source *source,
                           double u[3]) {
  const sheet *sheet = user;
  const double sign = (sheet->number ? -1.0 : 1.0) * (particle->species % 2 ? -1.0 : 1.0);
  const double drift[3] = {0, 0, sign * sheet->h->beta};
  cw_momentum_drifting(source, sheet->h->theta, drift, u);
}

static void background_momentum(const void *user, const cw_loaded *particle,
                                cw_random_source *source, double u[3]) {
  (void)particle;
  cw_momentum_isotropic(source, ((const harris *)user)->cold, u);
}

/* Vector potential of the pinches, B = curl A: it raises A_z along the first sheet, where A_z is
 * smallest across it, and lowers it along the second, where A_z is largest: an X-point in each. The
 * taper takes each pinch smoothly to zero at walls and at half the period. */
static double pinch_potential(const harris *h, double x, double y) {
  double sum = 0;
  const double length = h->upper[0] - h->lower[0], height = h->upper[1] - h->lower[1];
  for (int s = 0; s < h->sheets; s++) {
    const double across = h->sheets == 2 ? remainder(y - h->place[s], height) : y - h->place[s];
    const double along = remainder(x - h->pinch, length);
    const double taper = cos(PI * across / height) * cos(PI * along / length);
    sum += (s ? -1 : 1) * taper * taper *
           exp(-0.5 * (across * across + along * along) / (h->width * h->width));
  }
  return h->potential * sum;
}

/* Differences of A_z between the corners that surround the component's place: div B = 0 to
 * round-off in the Yee sense. */
static double harris_field(const void *user, int axis, const double x[3]) {
  const harris *h = user;
  if (axis == 2)
    return h->guide;
  if (axis == 1)
    return -(pinch_potential(h, x[0] + h->dx[0] / 2, x[1]) -
             pinch_potential(h, x[0] - h->dx[0] / 2, x[1])) /
           h->dx[0];
  double Bx = tanh((x[1] - h->place[0]) / h->half_width);
  if (h->sheets == 2)
    Bx -= tanh((x[1] - h->place[1]) / h->half_width) + 1;
  return h->B * Bx + (pinch_potential(h, x[0], x[1] + h->dx[1] / 2) -
                      pinch_potential(h, x[0], x[1] - h->dx[1] / 2)) /
                         h->dx[1];
}

cw_status cw_reconnection_fill(const cw_setup_target *target) {
  const cw_deck *deck = target->deck;
  const harris h = harris_of(deck);
  const double zero[3] = {0, 0, 0};
  const int first = target->species_count == 4 ? 2 : 0;
  cw_loader loader;
  cw_loader_init(&loader, target);
  const cw_injection background = {.species_count = 2,
                                   .species = {0, 1},
                                   .per_cell = 0.5 * deck->particles.ppc0 * h.background,
                                   .momentum = background_momentum,
                                   .momentum_user = &h};
  CW_TRY(cw_loader_inject(&loader, &background));
  for (int s = 0; s < h.sheets; s++) {
    const sheet sheet = {&h, s};
    const cw_injection injection = {.species_count = 2,
                                    .species = {first, first + 1},
                                    .per_cell = 0.5 * deck->particles.ppc0 * h.overdensity,
                                    .profile = sheet_profile,
                                    .profile_user = &sheet,
                                    .momentum = sheet_momentum,
                                    .momentum_user = &sheet};
    CW_TRY(cw_loader_inject(&loader, &injection));
  }
  cw_initial_uniform(target, target->E, zero);
  cw_initial_B(target, harris_field, &h);
  return CW_OK;
}

void cw_reconnection_scales(const cw_deck *deck, int species, cw_species_scales *scales) {
  const harris h = harris_of(deck);
  const int split = deck->particles.species_count == 4, sheet = !split || species >= 2;
  *scales = (cw_species_scales){.B = hypot(h.B, h.guide)};
  scales->density = 0.5 * (sheet ? h.overdensity : 0) + 0.5 * (split && sheet ? 0 : h.background);
  scales->temperature = split && sheet ? h.theta : fmin(h.cold, sheet ? h.theta : h.cold);
  scales->speed = sheet ? h.beta : 0;
}
