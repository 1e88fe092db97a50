#include "setup/harris.h"

#include <math.h>

#include <cellwise/random.h>

#include "base/context_private.h"
#include "setup/checks.h"

cw_status cw_harris_check_species(cw_context *context, const cw_deck *deck) {
  const int count = deck->particles.species_count;
  if (count != 2 && count != 4)
    return cw_deck_fail(context, deck, deck->setup.where,
                        "the deck has %d species; problem \"%s\" expects electrons and ions, or "
                        "these twice: of the sheets and of the background",
                        count, deck->setup.problem);
  for (int s = 0; s < count; s++) {
    const cw_deck_species *species = &deck->particles.species[s];
    const double charge =
        s % 2 ? fabs(deck->particles.species[0].charge) : -fabs(deck->particles.species[0].charge);
    if (!(species->mass > 0) || species->charge != charge || charge == 0)
      return cw_deck_fail(
          context, deck, species->where,
          "species %d (%s) has charge %g and mass %g; problem \"%s\" expects charge "
          "%g and a positive mass",
          s + 1, species->label, species->charge, species->mass, deck->setup.problem,
          charge == 0 ? -1.0 : charge);
  }
  return CW_OK;
}

int64_t cw_harris_expected(const cw_harris *harris, const cw_deck *deck, int species) {
  const int split = deck->particles.species_count == 4, background = split && species >= 2;
  const double each = deck->particles.ppc0 * cw_setup_cells(deck);
  const double height = deck->grid.extent[1][1] - deck->grid.extent[1][0];
  const double sheet = 2 * harris->sheets * harris->half_width / height; /* mean of sech^2 */
  if (deck->particles.use_weights)
    return cw_setup_whole(each);
  return cw_setup_whole(
      each * (background ? harris->background : sheet + (split ? 0 : harris->background)));
}

/* What one injection loads: sheets, background or both. */
typedef struct population {
  const cw_harris *harris;
  int has_sheets;
  double background;
} population;

/* Mean over the cell of a sheet's sech^2, from the difference of tanh that curl B takes. */
static double sheet_mean(const cw_harris *harris, int sheet, const double lower[3],
                         const double upper[3]) {
  const double y = harris->middle[sheet], d = harris->half_width;
  return fmax((tanh((upper[1] - y) / d) - tanh((lower[1] - y) / d)) * d / (upper[1] - lower[1]), 0);
}

static double density(const void *user, const double lower[3], const double upper[3]) {
  const population *p = user;
  double n = p->background;
  for (int sheet = 0; sheet < p->harris->sheets && p->has_sheets; sheet++)
    n += sheet_mean(p->harris, sheet, lower, upper);
  return n;
}

/* Of sheets and background together: drift n_sheet / n. */
static double drift_at(const population *p, double drift, double y) {
  double net = 0, all = p->background;
  for (int sheet = 0; sheet < p->harris->sheets; sheet++) {
    const double c = 1 / cosh((y - p->harris->middle[sheet]) / p->harris->half_width);
    net += sheet ? -c * c : c * c;
    all += c * c;
  }
  return all > 0 ? drift * net / all : 0;
}

static void momentum(const void *user, const cw_loaded *particle, cw_random_source *source,
                     double u[3]) {
  const population *p = user;
  const int ion = particle->species % 2;
  double normal[4];
  cw_random_normal(source->seed, source->stream, source->index, source->draw++, normal);
  cw_random_normal(source->seed, source->stream, source->index, source->draw++, normal + 2);
  for (int a = 0; a < 3; a++)
    u[a] = p->harris->thermal[ion] * normal[a];
  if (p->has_sheets)
    u[2] += drift_at(p, p->harris->drift[ion], particle->x[1]);
}

static cw_status load(const cw_harris *harris, cw_loader *loader, int first, int has_sheets,
                      double background) {
  const population both = {harris, has_sheets, background};
  const cw_injection injection = {.species_count = 2,
                                  .species = {first, first + 1},
                                  .per_cell = loader->target->deck->particles.ppc0,
                                  .profile = density,
                                  .profile_user = &both,
                                  .momentum = momentum,
                                  .momentum_user = &both};
  return cw_loader_inject(loader, &injection);
}

cw_status cw_harris_load(const cw_harris *harris, const cw_setup_target *target) {
  cw_loader loader;
  cw_loader_init(&loader, target);
  if (target->species_count == 2)
    return load(harris, &loader, 0, 1, harris->background);
  CW_TRY(load(harris, &loader, 0, 1, 0));
  return load(harris, &loader, 2, 0, harris->background);
}

void cw_harris_scales(const cw_harris *harris, const cw_deck *deck, int species,
                      cw_species_scales *scales) {
  const int split = deck->particles.species_count == 4, background = split && species >= 2;
  const double thermal = harris->thermal[species % 2];
  *scales = (cw_species_scales){.density = background ? harris->background
                                                      : 1 + (split ? 0 : harris->background),
                                .temperature = thermal * thermal,
                                .speed = background ? 0 : fabs(harris->drift[species % 2])};
}

double cw_harris_flux_field(cw_harris_flux *flux, const void *user, const double dx[2], int axis,
                            const double x[3]) {
  const double hx = 0.5 * dx[0], hy = 0.5 * dx[1];
  const double lower_left = flux(user, x[0] - hx, x[1] - hy);
  const double lower_right = flux(user, x[0] + hx, x[1] - hy);
  const double upper_left = flux(user, x[0] - hx, x[1] + hy);
  const double upper_right = flux(user, x[0] + hx, x[1] + hy);
  return axis == 1 ? -0.5 * ((lower_right - lower_left) + (upper_right - upper_left)) / dx[0]
                   : 0.5 * ((upper_left - lower_left) + (upper_right - lower_right)) / dx[1];
}
