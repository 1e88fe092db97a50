/* Fields and energies of engine ecsim's twins. */
#ifndef TESTS_ECSIM_TWINS_H
#define TESTS_ECSIM_TWINS_H

#include "base/device.h"
#include "engine/ecsim.h"
#include "engine_twins.h"

static double worst_field; /* of all differences over the largest value of a field */

static inline void compare_arrays(const char *what, const cw_grid *grid, const double *found,
                                  const double *expected, double scale, double tolerance) {
  double largest = 0;
  const double difference = twin_difference_inside(grid, found, expected, &largest);
  worst_field = cw_larger(worst_field, difference / scale);
  plain_check(difference <= tolerance * scale, "%s: differs by %g of %g", what, difference, scale);
}

static inline double largest_of(const cw_grid *grid, const double *array) {
  double largest = 0;
  for (int64_t k = 0; k < grid->points; k++)
    largest = cw_larger(largest, fabs(array[k]));
  return largest;
}

static inline void compare_vectors(const char *what, twin *device, twin *host,
                                   cw_engine_quantity quantity, double tolerance) {
  double position[3][3], scale = 0;
  cw_vector_view a, b;
  const cw_grid *grid = cw_engine_grid(host->engine);
  plain_ok(device->context, cw_engine_vector(device->engine, quantity, position, &a));
  plain_ok(host->context, cw_engine_vector(host->engine, quantity, position, &b));
  for (int c = 0; c < 3; c++)
    scale = cw_larger(scale, largest_of(grid, b.component[c]));
  plain_check(scale > 0, "%s is 0", what);
  for (int c = 0; c < 3; c++)
    compare_arrays(what, grid, a.component[c], b.component[c], scale, tolerance);
}

static inline double total_energy(twin *t) {
  cw_engine_diagnostics found = {.total_energy = NAN};
  plain_ok(t->context, cw_engine_diagnose(t->engine, &found));
  return found.total_energy;
}

#endif
