#include "cli/check_scales.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "setup/injectors.h"

static const double PI = 3.14159265358979323846;
static const double COLDEST_DEBYE = 0.3;   /* cells: Birdsall & Langdon, ch. 8 */
static const double FASTEST_PERIOD = 10;   /* steps, of plasma waves */
static const double FASTEST_GYRATION = 6;  /* steps: half a radian of phase at a time is lost */
static const double FEWEST_PARTICLES = 4;  /* a cell and species: half of the density is noise */
static const double NET_CHARGE = 1e-3;     /* of the sum of sizes */
static const double STABLE_MARGIN = 0.995; /* of the largest stable step */
static const double STRAYED_SHARE = 1;     /* of particles that have left their tile's reach */
static const double SORTED_COUNT = 1e5;    /* particles, from which on it matters */

static double dx_of(const cw_deck *deck) {
  double dx = deck->grid.dx[0];
  for (int a = 1; a < deck->grid.dim; a++)
    dx = fmin(dx, deck->grid.dx[a]);
  return dx;
}

/* 1 over a number that may be 0: infinitely many cells are told as none. */
static double over(double a, double b) {
  return b > 0 ? a / b : 0;
}

static void fill_species(cw_check_species *made, const cw_deck *deck, int s) {
  const cw_deck_species *species = &deck->particles.species[s];
  const double dx = dx_of(deck), q = fabs(species->charge), m = species->mass;
  cw_setup_scales(deck, s, &made->plasma);
  const cw_species_scales *plasma = &made->plasma;
  const cw_problem *problem = cw_problem_find(deck->setup.problem);
  double cells = 1;
  for (int a = 0; a < deck->grid.dim; a++)
    cells *= deck->grid.resolution[a];
  double injected[CW_DECK_MAX_SPECIES]; /* in the end, on a deck that has been checked */
  if (cw_injectors_expected(deck->context, deck, injected) != CW_OK)
    injected[s] = 0;
  made->mean_per_cell = ((double)problem->expected(deck, s) + injected[s]) / cells;
  made->most_per_cell = plasma->density > 0 && !deck->particles.use_weights
                            ? plasma->density * deck->particles.ppc0
                            : made->mean_per_cell;
  made->sampled_per_cell = plasma->density > 0 ? made->most_per_cell : 0;
  const double skin = deck->scales.skindepth0 * sqrt(over(m, plasma->density * q * q));
  const double theta = plasma->temperature, drift = plasma->speed;
  const double u = theta > 0 ? sqrt(theta * (theta + 2)) : drift / sqrt(1 - drift * drift);
  made->skindepth_cells = skin / dx;
  made->debye_cells = skin * sqrt(theta) / dx;
  made->period_steps = 2 * PI * skin / deck->dt;
  made->larmor_cells = over(deck->scales.larmor0 * m * u, q * plasma->B) / dx;
  made->gyration_steps = over(2 * PI * deck->scales.larmor0 * m, q * plasma->B * deck->dt);
  made->cells_a_step = fmax(u / sqrt(1 + u * u), drift) * deck->dt / dx;
}

void cw_check_scales_fill(cw_check_scales *scales, const cw_deck *deck) {
  const double dx = dx_of(deck);
  double frequency2 = 0;
  *scales = (cw_check_scales){.cells = 1};
  for (int a = 0; a < deck->grid.dim; a++)
    scales->cells *= deck->grid.resolution[a];
  scales->skindepth_cells = deck->scales.skindepth0 / dx;
  scales->larmor_cells = deck->scales.larmor0 / dx;
  scales->period_steps = 2 * PI * deck->scales.skindepth0 / deck->dt;
  for (int s = 0; s < deck->particles.species_count; s++) {
    cw_check_species *species = &scales->species[s];
    fill_species(species, deck, s);
    if (species->period_steps > 0)
      frequency2 += 1 / (species->period_steps * species->period_steps);
    if (species->debye_cells > 0 &&
        (scales->debye_cells == 0 || species->debye_cells < scales->debye_cells))
      scales->debye_cells = species->debye_cells;
  }
  scales->densest_period_steps = frequency2 > 0 ? 1 / sqrt(frequency2) : 0;
}

void cw_check_add_warning(cw_check_warnings *warnings, const char *format, ...) {
  if (warnings->count == CW_CHECK_WARNINGS)
    return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(warnings->text[warnings->count++], CW_CHECK_WARNING, format, arguments);
  va_end(arguments);
}

/* The species with the smallest number at that offset of cw_check_species, of those that have one
 * below the limit; -1: none. `more` receives how many others there are, as text. */
static int smallest(const cw_check_scales *scales, int count, size_t offset, double limit,
                    char more[40]) {
  int found = -1, below = 0;
  double least = limit;
  for (int s = 0; s < count; s++) {
    double value;
    memcpy(&value, (const char *)&scales->species[s] + offset, sizeof value);
    if (!(value > 0 && value < limit))
      continue;
    below++;
    if (value < least)
      found = s, least = value;
  }
  *more = '\0';
  if (below > 1)
    snprintf(more, 40, " (and %d more)", below - 1);
  return found;
}
#define SMALLEST(member, limit)                                                                    \
  smallest(scales, deck->particles.species_count, offsetof(cw_check_species, member), limit, more)
#define LABEL(s) deck->particles.species[s].label

/* Lengths and times that an explicit step must resolve. */
static void warn_of_resolution(cw_check_warnings *warnings, const cw_check_scales *scales,
                               const cw_deck *deck) {
  char more[40];
  int s = SMALLEST(skindepth_cells, 1);
  if (s >= 0)
    cw_check_add_warning(
        warnings, "the skin depth of species '%s'%s is %.3g cells: its waves are not resolved",
        LABEL(s), more, scales->species[s].skindepth_cells);
  s = SMALLEST(debye_cells, COLDEST_DEBYE);
  if (s >= 0)
    cw_check_add_warning(
        warnings,
        "the Debye length of species '%s'%s is %.3g cells: it will heat up by itself until that is "
        "about %g; use smaller cells, a higher shape_order or current_filters, or engine ecsim",
        LABEL(s), more, scales->species[s].debye_cells, COLDEST_DEBYE);
  s = SMALLEST(gyration_steps, FASTEST_GYRATION);
  if (s >= 0)
    cw_check_add_warning(
        warnings,
        "a gyration of species '%s'%s takes %.3g steps: its phase is not resolved below about %g",
        LABEL(s), more, scales->species[s].gyration_steps, FASTEST_GYRATION);
}

static void warn_of_time_step(cw_check_warnings *warnings, const cw_check_scales *scales,
                              const cw_deck *deck) {
  const double period =
      scales->densest_period_steps > 0 ? scales->densest_period_steps : scales->period_steps;
  const double courant = deck->algorithms.CFL * deck->algorithms.correction;
  /* omega_p dt < 2 keeps leap-frogged plasma oscillations stable (Birdsall & Langdon, ch. 4) */
  if (period < PI)
    cw_check_add_warning(
        warnings,
        "a plasma period is %.3g steps where the plasma is densest: oscillations are unstable "
        "below 3.14",
        period);
  else if (period < FASTEST_PERIOD)
    cw_check_add_warning(
        warnings,
        "a plasma period is %.3g steps where the plasma is densest: expected at least %g for its "
        "frequency",
        period, FASTEST_PERIOD);
  if (courant > STABLE_MARGIN)
    cw_check_add_warning(
        warnings,
        "the time step is %.4g of the largest stable one: the shortest waves are at the edge of "
        "stability; lower algorithms.timestep.CFL",
        courant);
}

/* Mean charge of a plasma whose densities the user gives; in a periodic box no field belongs to it.
 */
static void warn_of_charge(cw_check_warnings *warnings, const cw_check_scales *scales,
                           const cw_deck *deck) {
  double net = 0, size = 0;
  for (int s = 0; s < deck->particles.species_count; s++) {
    const double each = deck->particles.species[s].charge * scales->species[s].mean_per_cell;
    if (scales->species[s].plasma.density > 0)
      net += each, size += fabs(each);
  }
  if (!deck->particles.use_weights && fabs(net) > NET_CHARGE * size)
    cw_check_add_warning(
        warnings,
        "the species' charges do not cancel: their mean is %.3g of what they would "
        "be with one sign",
        net / size);
}

static void warn_of_sampling(cw_check_warnings *warnings, const cw_check_scales *scales,
                             const cw_deck *deck) {
  char more[40];
  const int s = SMALLEST(sampled_per_cell, FEWEST_PARTICLES);
  if (s >= 0)
    cw_check_add_warning(
        warnings,
        "species '%s'%s has %.3g particles a cell where it is densest: the noise of its density is "
        "%.0f %%; raise particles.ppc0",
        LABEL(s), more, scales->species[s].sampled_per_cell,
        100 / sqrt(scales->species[s].sampled_per_cell));
}

/* Share of particles that a tile's scratch no longer reaches after `steps`: those that started
 * within what they moved, less the drift that is allowed for, of a side. */
static double strayed(const cw_check_species *species, const cw_deck *deck, double steps) {
  const double moved = species->cells_a_step * steps - deck->algorithms.deposit.drift;
  return fmin(deck->grid.dim * fmax(moved, 0) / deck->algorithms.deposit.tile_size, 1);
}

static int64_t interval_of(const cw_deck *deck, int s) {
  const int64_t own = deck->particles.species[s].spatial_sorting_interval;
  return own >= 0 ? own : deck->particles.spatial_sorting_interval;
}

/* The charged species that strays farthest of those that are many; never sorted counts as all. */
static void warn_of_sorting(cw_check_warnings *warnings, const cw_check_scales *scales,
                            const cw_deck *deck) {
  int worst = -1;
  double share = 0;
  for (int s = 0; s < deck->particles.species_count; s++) {
    const double steps = interval_of(deck, s) ? (double)interval_of(deck, s) : INFINITY;
    const double strays = strayed(&scales->species[s], deck, steps);
    if (deck->particles.species[s].charge != 0 && strays > share &&
        scales->species[s].mean_per_cell * scales->cells >= SORTED_COUNT)
      worst = s, share = strays;
  }
  if (share < STRAYED_SHARE)
    return;
  const double step = scales->species[worst].cells_a_step;
  const double better = fmax(1, floor((deck->algorithms.deposit.drift +
                                       0.5 * deck->algorithms.deposit.tile_size / deck->grid.dim) /
                                      step));
  if (interval_of(deck, worst) == 0)
    cw_check_add_warning(warnings,
                         "species '%s' is never sorted: tiles do not help it; set "
                         "particles.spatial_sorting_interval, to %.0f for example",
                         LABEL(worst), fmin(better, 20));
  else
    cw_check_add_warning(
        warnings,
        "between sorts, particles of species '%s' move %.3g cells and leave their tile's reach: "
        "tiles do not help them; sort every %.0f steps",
        LABEL(worst), step * (double)interval_of(deck, worst), better);
}

static void warn_of_tiles(cw_check_warnings *warnings, const cw_check_scales *scales,
                          const cw_deck *deck) {
  if (!deck->algorithms.deposit.tiled_deposit || !deck->algorithms.deposit.enable)
    return;
  for (int a = 0; a < deck->grid.dim; a++)
    if (deck->grid.resolution[a] < deck->algorithms.deposit.tile_size) {
      cw_check_add_warning(warnings,
                           "tiles of %d cells do not fit into the %d cells along axis %d; lower "
                           "algorithms.deposit.tiled_deposit_tile_size",
                           deck->algorithms.deposit.tile_size, (int)deck->grid.resolution[a],
                           a + 1);
      break;
    }
  warn_of_sorting(warnings, scales, deck);
}

/* ECSIM is stable, and heats nothing, at any step and cell; its particles should stay near theirs.
 */
static void warn_of_crossing(cw_check_warnings *warnings, const cw_check_scales *scales,
                             const cw_deck *deck) {
  int fastest = 0;
  for (int s = 1; s < deck->particles.species_count; s++)
    if (scales->species[s].cells_a_step > scales->species[fastest].cells_a_step)
      fastest = s;
  if (scales->species[fastest].cells_a_step > 1)
    cw_check_add_warning(
        warnings,
        "a particle of species '%s' crosses %.3g cells a step: what it meets on the way is not "
        "seen; lower algorithms.timestep.dt",
        LABEL(fastest), scales->species[fastest].cells_a_step);
}

void cw_check_warn(cw_check_warnings *warnings, const cw_check_scales *scales,
                   const cw_deck *deck) {
  warnings->count = 0;
  if (deck->particles.species_count < 1)
    return;
  warn_of_sampling(warnings, scales, deck);
  warn_of_charge(warnings, scales, deck);
  if (deck->simulation.engine == CW_ENGINE_ECSIM) {
    warn_of_crossing(warnings, scales, deck);
    return;
  }
  warn_of_resolution(warnings, scales, deck);
  warn_of_time_step(warnings, scales, deck);
  warn_of_tiles(warnings, scales, deck);
}
