/* What the tests of coordination numbers share: seeded random systems, plans, comparisons. */
#ifndef CW_TESTS_COORDINATION_SUPPORT_H
#define CW_TESTS_COORDINATION_SUPPORT_H

#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cellwise/context.h>
#include <cellwise/coordination.h>

/* Tests of the program run elsewhere than where they were built, and on a device, by the
 * environment: CELLWISE_TEST_PROGRAM, CELLWISE_TEST_GOLDEN, CELLWISE_TEST_BACKEND. */
static inline const char *from_environment(const char *name, const char *otherwise) {
  const char *value = getenv(name);
  return value && value[0] ? value : otherwise;
}
#ifdef CW_PROGRAM
static inline const char *tested_program(void) {
  return from_environment("CELLWISE_TEST_PROGRAM", CW_PROGRAM);
}
static inline const char *golden_folder(void) {
  return from_environment("CELLWISE_TEST_GOLDEN", CW_SOURCE_DIR "/tests/golden/coordination");
}
static inline const char *tested_backend(void) {
  return from_environment("CELLWISE_TEST_BACKEND", "cpu");
}
/* 1: the program cannot have the backend here, and has said why. */
static inline int backend_is_missing(void) {
  char command[2048];
  snprintf(command, sizeof command,
           "'%s' coordination '%s/pair/plumed.dat' --traj '%s/pair/traj.xyz' --backend %s --out "
           "/nonexistent 2>&1 | grep 'backend %s was asked for'",
           tested_program(), golden_folder(), golden_folder(), tested_backend(), tested_backend());
  return system(command) == 0;
}
#endif

/* Reproducible uniform numbers in [0, 1): splitmix64. */
static inline double next_uniform(uint64_t *state) {
  uint64_t z = (*state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (double)((z ^ (z >> 31)) >> 11) * (1.0 / 9007199254740992.0);
}

static inline cw_context *new_context(int threads, cw_isa isa) {
  cw_context_options options = {.threads = threads, .isa = isa};
  cw_context *context;
  char message[256];
  ck_assert_msg(cw_context_create(&options, &context, message, sizeof message) == CW_OK, "%s",
                message);
  return context;
}

static inline cw_coordinates_view packed(double *values) {
  return (cw_coordinates_view){CW_DOUBLE, CW_SPACE_HOST, {values, values + 1, values + 2}, 3};
}

#define MUST(context, call)                                                                        \
  do {                                                                                             \
    cw_status must_status = (call);                                                                \
    ck_assert_msg(must_status == CW_OK, "%s: %s", cw_status_name(must_status),                     \
                  cw_context_message(context));                                                    \
  } while (0)

/* Two-sided, and false for NaN. */
static inline int near(double a, double b, double tolerance) {
  return fabs(a - b) <= tolerance;
}

/* Value, derivatives and box derivatives of one frame; arrays start poisoned. */
typedef struct sums {
  cw_coordination_result result;
  double *derivatives, *entry_values;
  int64_t atoms;
} sums;

static inline sums new_sums(int64_t atoms, int64_t entries) {
  sums s = {.atoms = atoms};
  s.derivatives = malloc((size_t)(3 * atoms) * sizeof(double));
  s.entry_values = malloc((size_t)entries * sizeof(double) + 8);
  for (int64_t k = 0; k < 3 * atoms; k++)
    s.derivatives[k] = NAN;
  for (int64_t k = 0; k < entries; k++)
    s.entry_values[k] = NAN;
  s.result.derivatives = packed(s.derivatives);
  s.result.entry_values = s.entry_values;
  s.result.value = NAN;
  return s;
}

static inline void free_sums(sums *s) {
  free(s->derivatives);
  free(s->entry_values);
}

static inline void must_have_the_same_bits(const sums *a, const sums *b, int64_t atoms) {
  ck_assert(memcmp(&a->result.value, &b->result.value, sizeof(double)) == 0);
  ck_assert(memcmp(a->derivatives, b->derivatives, 3 * (size_t)atoms * sizeof(double)) == 0);
  ck_assert(memcmp(a->result.box_derivatives, b->result.box_derivatives, sizeof(cw_box)) == 0);
}

/* Largest deviation of derivatives, relative to the largest derivative; NaN counts as infinite. */
static inline double derivative_error(const double *a, const double *b, int64_t count) {
  double largest = 1e-300, worst = 0;
  for (int64_t k = 0; k < count; k++) {
    double e = fabs(a[k] - b[k]);
    largest = fmax(largest, fabs(b[k]));
    if (!(e <= worst))
      worst = isnan(e) ? HUGE_VAL : e;
  }
  return worst / largest;
}

#endif
