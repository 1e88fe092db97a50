/* Exact energy: the drift over 200 cycles, the identity for each step, any scale, thin axes. */
#include <math.h>
#include <stdlib.h>

#include "base/amx.h"
#include "ecsim/ecsim_run.h"

/* clang-format off */
#define HARRIS_DECK                                                                                \
  ECSIM_HEAD                                                                                       \
  "[grid]\nresolution = [4, 12, %d]\nextent = [[0.0, 1.4], [0.0, 4.2], [0.0, %.17g]]\n"            \
  SIDES_3D                                                                                         \
  "[scales]\nlarmor0 = 1.0\nskindepth0 = 1.0\n"                                                    \
  "[particles]\nppc0 = 4.0\nuse_weights = true\n"                                                  \
  ECSIM_SPECIES("e", "0.00390625", "-1.0") ECSIM_SPECIES("i", "1.0", "1.0")                        \
  "[algorithms.timestep]\ndt = 0.25\n"                                                             \
  "[algorithms.deposit]\nshape_order = %d\n"                                                       \
  "[algorithms.ecsim]\npipeline = \"%s\"\n"                                                        \
  "solver_tolerance = 1e-14\ntheta = %.17g\nsmoothing_passes = %d\n"                               \
  "[setup]\nproblem = \"double_harris\"\nguide_field = 0.00097\n"
/* clang-format on */

static engine_fixture harris_with(int cells_z, int order, const char *pipeline, double theta,
                                  int passes, int threads, const char *more) {
  char text[4096];
  snprintf(text, sizeof text, HARRIS_DECK, cells_z, 0.35 * cells_z, order, pipeline, theta, passes);
  char *setup = strstr(text, "[setup]");
  memmove(setup + strlen(more), setup, strlen(setup) + 1);
  memcpy(setup, more, strlen(more));
  return engine_from_text(text, threads);
}

static engine_fixture harris(int cells_z, int order, const char *pipeline, double theta, int passes,
                             int threads) {
  return harris_with(cells_z, order, pipeline, theta, passes, threads, "");
}

/* The bound of the solver's residual is below 1e-15 of the total a step; what is left is round-off
 * in velocities and sums, which adds up as a random walk. */
START_TEST(test_energy_is_kept_over_200_cycles) {
  const int cycles = CW_SANITIZED ? 4 : 200; /* sanitizers look at code; 4 cycles run all of it */
  static const char *const pipelines[] = {"unsorted", "sorted", "matrix"};
  engine_fixture f = harris(3, 1 + _i / 3, pipelines[_i % 3], 0.5, 0, 1);
  const double first = total_energy(&f);
  double worst = 0;
  for (int k = 0; k < cycles; k++) {
    engine_steps(&f, 1);
    const double error = fabs(total_energy(&f) / first - 1);
    worst = cw_larger(worst, error);
  }
  ck_assert_msg(worst <= 1e-13, "order %d, %s: the energy drifts by %.3e", 1 + _i / 3,
                pipelines[_i % 3], worst);
  engine_clear(&f);
}
END_TEST

/* For a loose solver too: the identity then has a first term that is seen. */
START_TEST(test_change_of_energy_equals_the_identity) {
  static const struct {
    double theta;
    int passes, order;
    const char *tolerance;
  } cases[] = {{0.5, 0, 1, "1e-3"},
               {0.5, 2, 2, "1e-3"},
               {0.75, 0, 1, "1e-3"},
               {1.0, 1, 2, "1e-13"},
               {0.6, 1, 1, "1e-13"}};
  char text[4096];
  snprintf(text, sizeof text, HARRIS_DECK, 3, 1.05, cases[_i].order, "matrix", cases[_i].theta,
           cases[_i].passes);
  char *tolerance = strstr(text, "solver_tolerance = 1e-14");
  snprintf(tolerance + 19, 6, "%-5s", cases[_i].tolerance);
  tolerance[24] = '\n';
  engine_fixture f = engine_from_text(text, 1);
  check_identity(&f, cases[_i].theta, 0, CW_SANITIZED ? 3 : 8, 1e-11);
  engine_clear(&f);
}
END_TEST

/* A plasma whose Debye length is far below a cell heats up in an explicit code. Here dx and dt are
 * 1 to 1e16 times the skin depth, and the energy stays. */
START_TEST(test_no_heating_on_any_grid) {
  static const double scales[] = {1, 1e2, 1e4, 1e8, 1e16};
  char text[2048];
  snprintf(
      text, sizeof text,
      ECSIM_HEAD
      "[grid]\nresolution = [16]\nextent = [[0.0, %.17g]]\n" SIDES_1D
      "[scales]\nlarmor0 = 1.0\nskindepth0 = 1.0\n[particles]\nppc0 = 64.0\n" ECSIM_SPECIES(
          "e", "1.0", "-1.0")
          ECSIM_SPECIES(
              "p", "1.0",
              "1.0") "[algorithms.timestep]\ndt = %.17g\n[algorithms.deposit]\nshape_order = %d\n"
                     "[setup]\nproblem = \"thermal\"\ntemperature = 1e-4\n",
      16 * scales[_i / 2], 0.5 * scales[_i / 2], 1 + _i % 2);
  engine_fixture f = engine_from_text(text, 1);
  const double first = total_energy(&f);
  double worst = 0;
  for (int k = 0; k < (CW_SANITIZED ? 20 : 100); k++) {
    engine_steps(&f, 1);
    const double error = fabs(total_energy(&f) / first - 1);
    worst = cw_larger(worst, error);
  }
  ck_assert_msg(worst <= 1e-13, "scale %g, order %d: the energy drifts by %.3e", scales[_i / 2],
                1 + _i % 2, worst);
  engine_clear(&f);
}
END_TEST

static int amx_is_here(void) {
  const cw_context_options cpu = {.backend = CW_BACKEND_CPU};
  cw_context *context;
  ck_assert_int_eq(cw_context_create(&cpu, &context, NULL, 0), CW_OK);
  const char *missing = cw_amx_missing(context);
  if (missing)
    printf("skipped: AMX: %s\n", missing);
  cw_context_destroy(context);
  return !missing;
}

/* A matrix that is not quite the particles' response loses energy, which the solver's residual does
 * not show. In single some 1e-9 of the total. */
START_TEST(test_drift_of_a_matrix_in_single_precision) {
  const int order = 1 + _i % 2;
  if (_i >= 2 && !amx_is_here())
    return;
  engine_fixture f =
      harris_with(3, order, "matrix", 0.5, 0, 1,
                  _i < 2 ? "matrix_format = \"fp32\"\n" : "matrix_format = \"bf16x6\"\n");
  const double first = total_energy(&f);
  double worst = 0;
  for (int k = 0; k < (CW_SANITIZED ? 10 : 50); k++) {
    engine_steps(&f, 1);
    worst = cw_larger(worst, fabs(total_energy(&f) / first - 1));
  }
  ck_assert_msg(worst >= 1e-12 && worst <= 1e-7, "order %d: the energy drifts by %.3e", order,
                worst);
  engine_clear(&f);
}
END_TEST

/* One and two cells along z: every node of a shape is an image of one or two. */
START_TEST(test_thin_axes_keep_the_energy) {
  engine_fixture f = harris(1 + _i % 2, 1 + _i / 2, "matrix", 0.5, 1, 1);
  const double first = total_energy(&f);
  engine_steps(&f, CW_SANITIZED ? 8 : 40);
  const double error = fabs(total_energy(&f) / first - 1);
  ck_assert_msg(error <= 1e-13, "%d cells, order %d: the energy drifts by %.3e", 1 + _i % 2,
                1 + _i / 2, error);
  engine_clear(&f);
}
END_TEST

START_TEST(test_same_bits_for_any_number_of_threads) {
  static const char *const pipelines[] = {"unsorted", "sorted", "matrix"};
  char reference[65], hex[65];
  for (int threads = 1; threads <= 3; threads++) {
    engine_fixture f = harris(4, 1 + _i / 3, pipelines[_i % 3], 0.5, 1, threads);
    engine_steps(&f, CW_SANITIZED ? 2 : 3);
    CW_CHECK_OK(f.context, cw_engine_sha256(f.engine, threads == 1 ? reference : hex));
    engine_clear(&f);
    if (threads > 1)
      ck_assert_msg(strcmp(hex, reference) == 0, "%d threads give %s; one gave %s", threads, hex,
                    reference);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("ecsim energy");
  TCase *tests = tcase_create("energy");
  tcase_set_timeout(tests, 300);
  tcase_add_loop_test(tests, test_energy_is_kept_over_200_cycles, 0, 6);
  tcase_add_loop_test(tests, test_change_of_energy_equals_the_identity, 0, 5);
  tcase_add_loop_test(tests, test_no_heating_on_any_grid, 0, 10);
  tcase_add_loop_test(tests, test_drift_of_a_matrix_in_single_precision, 0, 4);
  tcase_add_loop_test(tests, test_thin_axes_keep_the_energy, 0, 4);
  tcase_add_loop_test(tests, test_same_bits_for_any_number_of_threads, 0, 6);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
