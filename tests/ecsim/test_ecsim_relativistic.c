/* Relativistic particles in the energy-conserving engine. */
#include <math.h>
#include <stdlib.h>

#include "ecsim/ecsim_run.h"

/* One particle whose current is too weak to be felt: skindepth0 is long. */
#define ORBIT(parameters)                                                                          \
  ECSIM_HEAD                                                                                       \
  "[grid]\nresolution = [8, 8]\nextent = [[0.0, 8.0], [0.0, 8.0]]\n[grid.boundaries]\n"            \
  "fields = [[\"PERIODIC\"], [\"PERIODIC\"]]\nparticles = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"      \
  "[scales]\nlarmor0 = 1.0\nskindepth0 = 1e9\n[particles]\nppc0 = 1.0\n" ECSIM_SPECIES("e", "1.0", \
                                                                                       "1.0")      \
      ECSIM_SPECIES(                                                                               \
          "i", "1e30",                                                                             \
          "-1.0") "[algorithms.timestep]\ndt = 0.2\n[algorithms.ecsim]\n"                          \
                  "relativistic = true\n[setup]\nproblem = \"orbits\"\nposition = [4.0, "          \
                  "4.0, 0.0]\n" parameters

static void momentum(engine_fixture *f, double u[3]) {
  const cw_particles_view view = cw_particles_get_view(cw_engine_particles(f->engine, 0));
  for (int a = 0; a < 3; a++)
    u[a] = ((const double *)view.u[a])[0];
}

/* In B along z, u turns by 2 atan(B dt / (2 gamma)) a step, and |u| stays. */
START_TEST(test_gyration_at_gamma) {
  engine_fixture f = engine_from_text(ORBIT("u = [2.0, 0.0, 1.0]\nB = [0.0, 0.0, 0.7]\n"), 1);
  const double gamma = sqrt(6), turn = -2 * atan(0.7 * 0.2 / (2 * gamma));
  for (int k = 1; k <= 50; k++) {
    double u[3];
    engine_steps(&f, 1);
    momentum(&f, u);
    ck_assert_msg(fabs(u[0] - 2 * cos(k * turn)) <= 1e-12 &&
                      fabs(u[1] - 2 * sin(k * turn)) <= 1e-12 && fabs(u[2] - 1) <= 1e-12,
                  "step %d: u = (%.15g, %.15g, %.15g); expected to turn by %.15g a step", k, u[0],
                  u[1], u[2], turn);
  }
  engine_clear(&f);
}
END_TEST

/* A constant force: u = E t without end, and the place moves by dt u / gamma, less than dt. */
START_TEST(test_speed_stays_below_light) {
  engine_fixture f = engine_from_text(ORBIT("E = [3.0, 0.0, 0.0]\n"), 1);
  double x = 4;
  for (int k = 1; k <= 100; k++) {
    double u[3];
    engine_steps(&f, 1);
    momentum(&f, u);
    ck_assert_msg(fabs(u[0] - 0.6 * k) <= 1e-11 * k, "step %d: u = %.15g", k, u[0]);
    x += 0.2 * 0.6 * k / sqrt(1 + 0.36 * k * k);
    const cw_particles_view view = cw_particles_get_view(cw_engine_particles(f.engine, 0));
    const double place = view.i[0][0] + ((const double *)view.dx[0])[0];
    ck_assert_msg(fabs(remainder(place - x, 8)) <= 1e-10, "step %d: x = %.15g; expected %.15g", k,
                  place, fmod(x, 8));
  }
  engine_clear(&f);
}
END_TEST

static engine_fixture plasma(double temperature, const char *relativistic, int order,
                             const char *pipeline, int threads) {
  char text[4096];
  snprintf(
      text, sizeof text,
      ECSIM_HEAD
      "[grid]\nresolution = [6, 4, 4]\nextent = [[0.0, 3.0], [0.0, 2.0], [0.0, 2.0]]\n" SIDES_3D
      "[scales]\nlarmor0 = 1.0\nskindepth0 = 1.0\n[particles]\nppc0 = 32.0\n" ECSIM_SPECIES(
          "e", "1.0", "-1.0")
          ECSIM_SPECIES("p", "1.0",
                        "1.0") "[algorithms.timestep]\ndt = 0.2\n[algorithms.deposit]\n"
                               "shape_order = %d\n[algorithms.ecsim]\nrelativistic = %s\n"
                               "pipeline = \"%s\"\n[setup]\nproblem = \"thermal\"\n"
                               "temperature = %.17g\nB = [0.0, 0.0, 0.2]\n",
      order, relativistic, pipeline, temperature);
  return engine_from_text(text, threads);
}

/* Very good energy, not exact: gamma of a step is foreseen with the E of its start. */
START_TEST(test_energy_of_a_hot_plasma) {
  static const char *const pipelines[] = {"unsorted", "sorted", "matrix"};
  engine_fixture f = plasma(1.0, "true", 1 + _i % 2, pipelines[_i % 3], 1);
  const double first = total_energy(&f);
  double worst = 0;
  for (int k = 0; k < (CW_SANITIZED ? 5 : 40); k++) {
    engine_steps(&f, 1);
    worst = cw_larger(worst, fabs(total_energy(&f) / first - 1));
  }
  ck_assert_msg(worst <= 1e-4 && worst >= 1e-13, "the energy drifts by %.3e", worst);
  engine_clear(&f);
}
END_TEST

/* Slow particles, v^2 of some 1e-8: both forms give the same fields but for that. */
START_TEST(test_slow_plasma_is_as_without) {
  engine_fixture f[2];
  double largest = 0, difference = 0;
  for (int k = 0; k < 2; k++) {
    f[k] = plasma(1e-8, k ? "true" : "false", 2, "matrix", 1);
    engine_steps(&f[k], 10);
  }
  const cw_grid *grid = cw_engine_grid(f[0].engine);
  const cw_vector_view E[2] = {engine_vector(&f[0], CW_QUANTITY_E),
                               engine_vector(&f[1], CW_QUANTITY_E)};
  for (int c = 0; c < 3; c++)
    for (int64_t k = 0; k < grid->points; k++) {
      const double one = ((const double *)E[0].component[c])[k];
      largest = cw_larger(largest, fabs(one));
      difference = cw_larger(difference, fabs(((const double *)E[1].component[c])[k] - one));
    }
  ck_assert_msg(largest > 1e-7 && difference <= 1e-6 * largest && difference > 0,
                "E up to %.3e differs by %.3e", largest, difference);
  const double energy[2] = {total_energy(&f[0]), total_energy(&f[1])};
  ck_assert_msg(fabs(energy[1] / energy[0] - 1) <= 1e-6, "energies %.15g and %.15g", energy[0],
                energy[1]);
  engine_clear(&f[0]), engine_clear(&f[1]);
}
END_TEST

START_TEST(test_same_bits) {
  char hex[2][65];
  for (int k = 0; k < 2; k++) {
    engine_fixture f = plasma(0.5, "true", 1, "matrix", 1 + 2 * k);
    engine_steps(&f, 2);
    CW_CHECK_OK(f.context, cw_engine_sha256(f.engine, hex[k]));
    engine_clear(&f);
  }
  ck_assert_str_eq(hex[0], hex[1]);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("ecsim relativistic");
  TCase *tests = tcase_create("relativistic");
  tcase_set_timeout(tests, 200);
  tcase_add_test(tests, test_gyration_at_gamma);
  tcase_add_test(tests, test_speed_stays_below_light);
  tcase_add_loop_test(tests, test_energy_of_a_hot_plasma, 0, 6);
  tcase_add_test(tests, test_slow_plasma_is_as_without);
  tcase_add_test(tests, test_same_bits);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
