/* What the tests of fields/ share: a context with a grid and fields, access to values as doubles,
 * random values, and ranges of the values that an array holds of its own. */
#ifndef TESTS_FIELDS_FIXTURE_H
#define TESTS_FIELDS_FIXTURE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include <cellwise/random.h>

#include "base/context_private.h"
#include "comm/comm.h"
#include "fields/fields.h"

static const double PI = 3.14159265358979323846;

/* Fails on NaN too. */
#define ck_close(found, expected, tolerance)                                                       \
  do {                                                                                             \
    double ck_error = fabs((double)(found) - (double)(expected));                                  \
    ck_assert_msg(ck_error <= (tolerance), "%s = %.17g, expected %.17g, tolerance %g", #found,     \
                  (double)(found), (double)(expected), (double)(tolerance));                       \
  } while (0)

#define ck_ok(context, call)                                                                       \
  do {                                                                                             \
    cw_status ck_status = (call);                                                                  \
    ck_assert_msg(ck_status == CW_OK, "%s: %s", #call, cw_context_message(context));               \
  } while (0)

typedef struct fixture {
  cw_context *context;
  cw_grid grid;
  cw_fields *fields;
} fixture;

static inline cw_context *make_context(int threads, cw_isa isa) {
  cw_context_options options = {.threads = threads, .isa = isa};
  cw_context *context = NULL;
  cw_status status = cw_context_create(&options, &context, NULL, 0);
  ck_assert(status == CW_OK || status == CW_ERROR_UNSUPPORTED);
  if (!context)
    printf("skipped: %s is not on this processor\n", cw_isa_name(isa));
  return context; /* NULL: this processor has not that instruction set */
}

static inline fixture make_fixture_on(cw_context *context, int dim, const int32_t cells[3],
                                      int32_t ghost, const double dx[3],
                                      const cw_fields_options *options) {
  static const double origin[3] = {0};
  fixture made = {.context = context};
  ck_ok(context, cw_grid_init(context, &made.grid, dim, cells, ghost, origin, dx));
  ck_ok(context, cw_fields_create(context, &made.grid, options, &made.fields));
  return made;
}

static inline fixture make_fixture(int dim, const int32_t cells[3], int32_t ghost,
                                   const double dx[3], const cw_fields_options *options) {
  return make_fixture_on(make_context(1, CW_ISA_AUTO), dim, cells, ghost, dx, options);
}

static inline void drop_fixture(fixture *made) {
  cw_fields_destroy(made->fields);
  ck_assert_uint_eq(cw_memory_used(made->context, CW_SPACE_HOST), 0);
  cw_context_destroy(made->context);
}

static inline cw_fields_options walls(cw_precision precision, int dim, cw_field_boundary field,
                                      cw_particle_boundary particle) {
  cw_fields_options options = {.precision = precision};
  for (int a = 0; a < dim; a++)
    for (int side = 0; side < 2; side++) {
      options.boundary[a][side] = field;
      options.particle[a][side] = particle;
    }
  return options;
}

static inline double get(cw_precision precision, const void *array, int64_t at) {
  return precision == CW_DOUBLE ? ((const double *)array)[at] : (double)((const float *)array)[at];
}

static inline void set(cw_precision precision, void *array, int64_t at, double value) {
  if (precision == CW_DOUBLE)
    ((double *)array)[at] = value;
  else
    ((float *)array)[at] = (float)value;
}

/* Uniform in (-1, 1). */
static inline double random_value(uint32_t stream, int64_t index) {
  double uniform[2];
  cw_random_uniform(7, stream, (uint64_t)index, 0, uniform);
  return 2 * uniform[0] - 1;
}

/* Every value, ghost cells too. */
static inline void randomise(const cw_grid *grid, cw_precision precision, void *array,
                             uint32_t stream) {
  for (int64_t at = 0; at < grid->points; at++)
    set(precision, array, at, random_value(stream, at));
}

/* Loops over the interior: for_interior(grid, i, j, k). */
#define for_interior(grid, i, j, k)                                                                \
  for (int32_t k = 0; k < (grid)->cells[2]; k++)                                                   \
    for (int32_t j = 0; j < (grid)->cells[1]; j++)                                                 \
      for (int32_t i = 0; i < (grid)->cells[0]; i++)

#endif
