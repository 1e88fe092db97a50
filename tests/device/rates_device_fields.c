/* Times of the field operations on a device, beside the floor that their bytes set: every array
 * that an operation reads or writes once, at RATE bytes a second. Not a test. */
#include <stdlib.h>

#include "base/context_private.h"
#include "base/device.h"
#include "fields/fields.h"
#include "plain_check.h"

enum { REPEATS = 20, GHOST = 3, PASSES = 4 };
static const double RATE = 4.25e12; /* copy rate of an H200 */

typedef struct work {
  cw_context *context;
  cw_fields *fields;
  double *rho;
} work;

static cw_status advance_B(work *w) {
  return cw_fields_advance_B(w->fields, 0.1);
}
static cw_status advance_E(work *w) {
  return cw_fields_advance_E(w->fields, 0.1, 0.1);
}
static cw_status fold_J(work *w) {
  return cw_fields_sync_J(w->fields, 0);
}
static cw_status filter_J(work *w) {
  return cw_fields_sync_J(w->fields, PASSES);
}
static cw_status fill(work *w) {
  return cw_fields_fill_ghosts(w->fields);
}
static cw_status energy(work *w) {
  double electric, magnetic;
  return cw_fields_energy(w->fields, &electric, &magnetic);
}
static cw_status charge(work *w) {
  double error, largest;
  return cw_fields_charge_error(w->fields, w->rho, 1, &error, &largest);
}

/* `arrays` of reals and `doubles` of doubles move, at least. */
static const struct operation {
  const char *name;
  cw_status (*run)(work *w);
  int arrays, doubles;
} operations[] = {{"B, with ghosts", advance_B, 9, 0},
                  {"E, with ghosts", advance_E, 12, 0},
                  {"fold J", fold_J, 0, 0},
                  {"fold and filter J, 4 passes", filter_J, 6, 0},
                  {"ghosts of E and B", fill, 0, 0},
                  {"energies", energy, 6, 0},
                  {"charge error", charge, 3, 1}};
enum { OPERATIONS = (int)(sizeof operations / sizeof *operations) };

static double time_of(work *w, const struct operation *operation) {
  cw_device_event *begin = NULL, *end = NULL;
  double seconds = 0;
  plain_ok(w->context, cw_device_event_create(w->context, &begin));
  plain_ok(w->context, cw_device_event_create(w->context, &end));
  for (int k = -3; k < REPEATS; k++) {
    if (k == 0)
      plain_ok(w->context, cw_device_event_record(w->context, begin));
    plain_ok(w->context, operation->run(w));
  }
  plain_ok(w->context, cw_device_event_record(w->context, end));
  plain_ok(w->context, cw_device_event_seconds(w->context, begin, end, &seconds));
  cw_device_event_destroy(w->context, begin);
  cw_device_event_destroy(w->context, end);
  return seconds / REPEATS;
}

static void rates_of(cw_context *context, int dim, int32_t n, cw_precision precision) {
  static const double origin[3] = {0}, dx[3] = {1, 1, 1};
  const int32_t cells[3] = {n, n, n};
  cw_grid grid;
  work w = {.context = context};
  cw_fields_options options = {.precision = precision, .space = CW_SPACE_DEVICE};
  plain_ok(context, cw_grid_init(context, &grid, dim, cells, GHOST, origin, dx));
  plain_ok(context, cw_fields_create(context, &grid, &options, &w.fields));
  plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, (size_t)grid.points, sizeof(double),
                                    "rho", (void **)&w.rho));
  for (int k = 0; k < OPERATIONS && !plain_failures; k++) {
    double bytes = (double)grid.points * (operations[k].arrays * cw_precision_size(precision) +
                                          operations[k].doubles * 8.0);
    double seconds = time_of(&w, &operations[k]), floor = bytes / RATE;
    printf("%dD %5d %s  %-28s %9.1f us  %7.4f ns a cell  floor %9.1f us  %5.1f %%\n", dim, (int)n,
           cw_precision_name(precision), operations[k].name, 1e6 * seconds,
           1e9 * seconds / (double)grid.points, 1e6 * floor, 100 * floor / seconds);
  }
  cw_memory_free(context, CW_SPACE_DEVICE, w.rho);
  cw_fields_destroy(w.fields);
}

static void rates(cw_context *context) {
  for (int p = 0; p < 2; p++) {
    rates_of(context, 2, 2048, (cw_precision)p);
    rates_of(context, 3, 256, (cw_precision)p);
  }
}

int main(void) {
  static const plain_case cases[] = {PLAIN_CASE(rates)};
  return plain_main(cases, 1);
}
