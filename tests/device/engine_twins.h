/* The same deck run by the explicit engine on the device and on the CPU, for tests. */
#ifndef TESTS_ENGINE_TWINS_H
#define TESTS_ENGINE_TWINS_H

#include <stdlib.h>
#include <unistd.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "engine/array_store.h"
#include "engine/engine.h"
#include "plain_check.h"
#include "setup/setup.h"

enum { TWIN_DECK = 4096 };

typedef enum twin_walls {
  TWIN_PERIODIC = 0,
  TWIN_REFLECT,
  TWIN_ABSORB,
  TWIN_MATCH, /* to given fields, or those of the start */
  TWIN_OPEN   /* conductors that absorb particles: no layer */
} twin_walls;
typedef enum twin_deposit { TWIN_FLAT = 0, TWIN_TILED, TWIN_FIXED } twin_deposit;

/* A warm pair plasma in a small box; walls stand along one axis. */
typedef struct twin_case {
  int dim;
  cw_precision precision;
  twin_walls walls;
  int axis;   /* of the walls */
  int window; /* 1: the box follows along that axis */
  twin_deposit deposit;
  int interval; /* of the sort */
  int order, filters, weights;
  int low_memory;      /* the histogram sort */
  const char *more;    /* keys of [particles], or NULL */
  const char *pusher;  /* of the second species; NULL: Vay */
  const char *problem; /* its keys; NULL: thermal */
  const char *setup;   /* further keys of [setup], or NULL */
} twin_case;

/* Appends a list of an entry for each axis, which `write` writes. */
typedef int twin_entry(const twin_case *c, int axis, char *text, size_t room);
static inline int twin_list(const twin_case *c, const char *key, twin_entry *write, char *text) {
  int used = sprintf(text, "%s = [", key);
  for (int a = 0; a < c->dim; a++) {
    used += write(c, a, text + used, 64);
    used += sprintf(text + used, a + 1 < c->dim ? ", " : "]\n");
  }
  return used;
}

/* A window keeps some cells empty. */
static inline int twin_cells(const twin_case *c, int axis) {
  static const int cells[3][3] = {{96}, {24, 20}, {12, 10, 14}};
  return cells[c->dim - 1][axis] + (c->window && axis == c->axis ? 14 : 0);
}
static inline int twin_resolution(const twin_case *c, int axis, char *text, size_t room) {
  return snprintf(text, room, "%d", twin_cells(c, axis));
}
static inline int twin_extent(const twin_case *c, int axis, char *text, size_t room) {
  return snprintf(text, room, "[0.0, %.1f]", 0.1 * twin_cells(c, axis));
}
static inline int twin_fields(const twin_case *c, int axis, char *text, size_t room) {
  static const char *const names[] = {"PERIODIC", "CONDUCTOR", "ABSORB", "MATCH", "CONDUCTOR"};
  return snprintf(text, room, "[\"%s\"]", names[axis == c->axis ? c->walls : TWIN_PERIODIC]);
}
static inline int twin_particles(const twin_case *c, int axis, char *text, size_t room) {
  static const char *const names[] = {"PERIODIC", "REFLECT", "ABSORB", "ABSORB", "ABSORB"};
  return snprintf(text, room, "[\"%s\"]", names[axis == c->axis ? c->walls : TWIN_PERIODIC]);
}

static inline int twin_grid(const twin_case *c, char *text) {
  static const char *const layers[] = {"", "", "boundaries.absorb.ds = 0.3\n",
                                       "boundaries.match.ds = 0.3\n", ""};
  int used = sprintf(text, "[grid]\nmetric.metric = \"minkowski\"\n%s", layers[c->walls]);
  used += twin_list(c, "resolution", twin_resolution, text + used);
  used += twin_list(c, "extent", twin_extent, text + used);
  used += twin_list(c, "boundaries.fields", twin_fields, text + used);
  used += twin_list(c, "boundaries.particles", twin_particles, text + used);
  return used + (c->window ? sprintf(text + used, "window.axis = \"%c\"\n", 'x' + c->axis) : 0);
}

static inline void twin_deck(const twin_case *c, char text[TWIN_DECK]) {
  int used = snprintf(
      text, TWIN_DECK,
      "[simulation]\nname = \"twin\"\nengine = \"srpic\"\nruntime = 1000.0\nprecision = \"%s\"\n"
      "[scales]\nlarmor0 = 1.0\nskindepth0 = 1.0\n[algorithms]\ncurrent_filters = %d\n",
      cw_precision_name(c->precision), c->filters);
  used += twin_grid(c, text + used);
  snprintf(text + used, (size_t)(TWIN_DECK - used),
           "[algorithms.deposit]\ntiled_deposit = %s\ntiled_deposit_fixed_point = %s\n"
           "tiled_deposit_tile_size = 4\nvendor_sort = %s\nshape_order = %d\n"
           "[particles]\nppc0 = 12.0\nspatial_sorting_interval = %d\nuse_weights = %s\n%s"
           "[[particles.species]]\nlabel = \"e\"\nmass = 1.0\ncharge = -1.0\n"
           "[[particles.species]]\nlabel = \"p\"\nmass = 1.0\ncharge = 1.0\npusher = \"%s\"\n"
           "[setup]\n%s%s",
           c->deposit == TWIN_FLAT ? "false" : "true", c->deposit == TWIN_FIXED ? "true" : "false",
           c->low_memory ? "false" : "true", c->order, c->interval, c->weights ? "true" : "false",
           c->more ? c->more : "", c->pusher ? c->pusher : "Vay",
           c->problem ? c->problem : "problem = \"thermal\"\ntemperature = 0.3\n",
           c->setup ? c->setup : "");
}

typedef struct twin {
  cw_context *context;
  int own_context;
  cw_deck *deck;
  cw_engine *engine; /* NULL: something failed, which is counted */
} twin;

/* A twin of a deck file (text NULL) or text. device: the context to use, or NULL for the CPU. */
static inline twin twin_open(cw_context *device, const char *path, const char *text,
                             const cw_deck_override *overrides, int override_count) {
  const cw_context_options options = {.backend = CW_BACKEND_CPU};
  twin made = {.context = device, .own_context = device == NULL};
  if (!device)
    plain_check(cw_context_create(&options, &made.context, NULL, 0) == CW_OK, "no CPU context");
  cw_status status = text ? cw_deck_parse(made.context, path, text, strlen(text), overrides,
                                          override_count, &made.deck)
                          : cw_deck_read(made.context, path, overrides, override_count, &made.deck);
  if (status == CW_OK)
    status = cw_setup_check(made.context, made.deck);
  if (status == CW_OK)
    status = cw_engine_create(made.context, made.deck, &made.engine);
  plain_ok(made.context, status);
  return made;
}

static inline void twin_close(twin *t) {
  cw_engine_destroy(t->engine);
  cw_deck_destroy(t->deck);
  if (t->own_context)
    cw_context_destroy(t->context);
  memset(t, 0, sizeof *t);
}

static inline void twin_steps(twin *t, int steps) {
  for (int k = 0; k < steps && t->engine; k++)
    plain_ok(t->context, cw_engine_step(t->engine));
}

/* Two runs of one deck, closed here: the device's is saved after `before` steps. Restored there, it
 * goes on for `after` steps to the same bits as it did; restored on the CPU it has the same state. */
static inline void twin_check_restore(twin *device, twin *host, int before, int after) {
  char hash[4][65] = {"", "", "a", "b"};
  store kept = {0};
  const cw_array_source source = {.user = &kept, .count = count_of, .read = give};
  if (device->engine && host->engine) {
    twin_steps(device, before);
    plain_ok(device->context, cw_engine_save(device->engine, keep, &kept));
    plain_ok(device->context, cw_engine_sha256(device->engine, hash[0]));
    twin_steps(device, after);
    plain_ok(device->context, cw_engine_sha256(device->engine, hash[1]));
    cw_engine_destroy(device->engine);
    cw_engine_destroy(host->engine);
    plain_ok(host->context,
             cw_engine_restore(host->context, host->deck, before, &source, &host->engine));
    plain_ok(device->context,
             cw_engine_restore(device->context, device->deck, before, &source, &device->engine));
    if (host->engine)
      plain_ok(host->context, cw_engine_sha256(host->engine, hash[2]));
    twin_steps(device, after);
    if (device->engine)
      plain_ok(device->context, cw_engine_sha256(device->engine, hash[3]));
    plain_check(strcmp(hash[0], hash[2]) == 0, "the CPU's state is %s, not %s", hash[2], hash[0]);
    plain_check(strcmp(hash[1], hash[3]) == 0, "%s; unbroken %s", hash[3], hash[1]);
    forget(&kept);
  }
  twin_close(device);
  twin_close(host);
}

/* What twins may differ by: energies relative to the CPU's (and a millionth of the total, lest
 * one that is nothing but rounding be compared), charge errors absolutely. */
typedef struct twin_tolerance {
  double energy, charge_error;
} twin_tolerance;

static double twin_worst; /* of all differences over their tolerances */

static inline void twin_near(const char *what, const char *name, int64_t step, double found,
                             double expected, double tolerance) {
  twin_worst = cw_larger(twin_worst, fabs(found - expected) / tolerance);
  plain_check(fabs(found - expected) <= tolerance, "%s, step %lld: %s is %.17g; the CPU has %.17g",
              what, (long long)step, name, found, expected);
}

static inline void twin_compare(const char *what, twin *device, twin *host,
                                twin_tolerance tolerance) {
  cw_engine_diagnostics a = {0}, b = {0};
  if (!device->engine || !host->engine)
    return;
  plain_ok(device->context, cw_engine_diagnose(device->engine, &a));
  plain_ok(host->context, cw_engine_diagnose(host->engine, &b));
  const int64_t step = cw_engine_step_number(host->engine);
  const double e = tolerance.energy;
  const double least = 1e-6 * b.total_energy;
#define TWIN_ENERGY(member)                                                                        \
  twin_near(what, #member, step, a.member, b.member, e *(b.member + least))
  TWIN_ENERGY(electric_energy);
  TWIN_ENERGY(magnetic_energy);
  TWIN_ENERGY(kinetic_energy);
  TWIN_ENERGY(total_energy);
#undef TWIN_ENERGY
  twin_near(what, "charge_error", step, a.charge_error, b.charge_error, tolerance.charge_error);
  plain_check(a.particles == b.particles, "%s, step %lld: %lld particles; the CPU has %lld", what,
              (long long)step, (long long)a.particles, (long long)b.particles);
  for (int s = 0; s < host->deck->particles.species_count; s++) {
    twin_near(what, host->deck->particles.species[s].label, step, a.species_energy[s],
              b.species_energy[s], e * (b.species_energy[s] + least));
    plain_check(a.species_count[s] == b.species_count[s],
                "%s: %lld of species %d; the CPU has %lld", what, (long long)a.species_count[s], s,
                (long long)b.species_count[s]);
  }
}

/* The largest difference inside the box; *largest grows to the largest expected value there. */
static inline double twin_difference_inside(const cw_grid *grid, const double *found,
                                            const double *expected, double *largest) {
  double difference = 0;
  for (int32_t k = 0; k < grid->cells[2]; k++)
    for (int32_t j = 0; j < grid->cells[1]; j++)
      for (int32_t i = 0; i < grid->cells[0]; i++) {
        const int64_t at = cw_grid_index(grid, i, j, k);
        difference = cw_larger(difference, fabs(found[at] - expected[at]));
        *largest = cw_larger(*largest, fabs(expected[at]));
      }
  return difference;
}

/* Returns the largest value. */
static inline double twin_compare_arrays(const char *what, const cw_grid *grid,
                                         cw_precision precision, const void *found,
                                         const void *expected, double tolerance) {
  double difference = 0, largest = 0;
  for (int64_t k = 0; k < grid->points; k++) {
    const double a = cw_real_get(found, precision, k), b = cw_real_get(expected, precision, k);
    const double error = fabs(a - b);
    difference = cw_larger(difference, error);
    largest = cw_larger(largest, fabs(b));
  }
  plain_check(difference <= tolerance * largest, "%s: differs by %g of %g", what, difference,
              largest);
  return largest;
}

static inline void twin_compare_vectors(twin *device, twin *host, cw_engine_quantity quantity,
                                        double tolerance) {
  static const char *const names[] = {"E", "B", "J"};
  double position[2][3][3];
  cw_vector_view a, b;
  plain_ok(device->context, cw_engine_vector(device->engine, quantity, position[0], &a));
  plain_ok(host->context, cw_engine_vector(host->engine, quantity, position[1], &b));
  plain_check(memcmp(position[0], position[1], sizeof position[0]) == 0, "places");
  double largest = 0;
  for (int c = 0; c < 3; c++)
    largest = cw_larger(largest, twin_compare_arrays(names[quantity], cw_engine_grid(host->engine),
                                                     b.precision, a.component[c], b.component[c],
                                                     tolerance));
  plain_check(largest > 0, "%s is 0", names[quantity]);
}

/* Steps and a wait for them: what is found on a device is told by a later one. */
static inline cw_status twin_try_steps(twin *device, int steps) {
  cw_status status = CW_OK;
  for (int k = 0; k < steps && status == CW_OK && device->engine; k++)
    status = cw_engine_step(device->engine);
  if (status == CW_OK && device->engine)
    status = cw_engine_wait(device->engine);
  return status;
}

/* The file of a folder of the sources: where it was built, or beside where the test runs. */
static inline const char *twin_path(const char *folder, const char *name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s/%s", CW_SOURCE_DIR, folder, name);
  if (access(path, R_OK) != 0)
    snprintf(path, sizeof path, "%s/%s", folder, name);
  plain_check(access(path, R_OK) == 0, "%s is not here", path);
  return path;
}

#endif
