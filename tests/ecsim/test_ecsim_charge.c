/* Chen and Toth's displacement: Gauss's law holds, no energy moves. */
#include <math.h>
#include <stdlib.h>

#include "ecsim/ecsim_run.h"
#include "engine/restore_case.h"
#include "physics/modes.h"

#define CHARGE_DECK                                                                                \
  ECSIM_HEAD                                                                                       \
  "[grid]\nresolution = %s\nextent = %s\n[grid.boundaries]\nfields = %s\nparticles = %s\n"         \
  "[scales]\nlarmor0 = 2.0\nskindepth0 = 0.7\n[particles]\nppc0 = %d\nuse_weights = "              \
  "true\n" ECSIM_SPECIES("e", "1.0", "-1.0") ECSIM_SPECIES(                                        \
      "i", "25.0",                                                                                 \
      "1.0") "[algorithms.timestep]\ndt = 0.4\n[algorithms.deposit]\nshape_order = "               \
             "%d\n[algorithms.ecsim]\n"                                                            \
             "charge_correction = %s\npipeline = \"%s\"\nsmoothing_passes = %d\nsolver_tolerance " \
             "= 1e-13\n"                                                                           \
             "[setup]\nproblem = \"thermal\"\ntemperature = 0.01\nB = [0.3, 0.2, 0.1]\n"

enum { LINE = 0, LINE_WALLS, PLANE, PLANE_WALLS, BOX, BOX_WALLS, THIN };

static const struct {
  const char *resolution, *extent, *fields, *particles;
  int ppc;
} boxes[] = {
    {"[16]", "[[0.0, 8.0]]", "[[\"PERIODIC\"]]", "[[\"PERIODIC\"]]", 64},
    {"[16]", "[[0.0, 8.0]]", "[[\"CONDUCTOR\"]]", "[[\"REFLECT\"]]", 64},
    {"[8, 6]", "[[0.0, 4.0], [0.0, 3.0]]", "[[\"PERIODIC\"], [\"PERIODIC\"]]",
     "[[\"PERIODIC\"], [\"PERIODIC\"]]", 64},
    {"[8, 6]", "[[0.0, 4.0], [0.0, 3.0]]", "[[\"PERIODIC\"], [\"CONDUCTOR\"]]",
     "[[\"PERIODIC\"], [\"REFLECT\"]]", 64},
    {"[4, 5, 4]", "[[0.0, 2.0], [0.0, 2.5], [0.0, 2.0]]",
     "[[\"PERIODIC\"], [\"PERIODIC\"], [\"PERIODIC\"]]",
     "[[\"PERIODIC\"], [\"PERIODIC\"], [\"PERIODIC\"]]", 64},
    {"[4, 5, 4]", "[[0.0, 2.0], [0.0, 2.5], [0.0, 2.0]]",
     "[[\"CONDUCTOR\"], [\"CONDUCTOR\"], [\"CONDUCTOR\"]]",
     "[[\"REFLECT\"], [\"REFLECT\"], [\"REFLECT\"]]", 64},
    {"[6, 1, 2]", "[[0.0, 3.0], [0.0, 0.5], [0.0, 1.0]]",
     "[[\"PERIODIC\"], [\"PERIODIC\"], [\"CONDUCTOR\"]]",
     "[[\"PERIODIC\"], [\"PERIODIC\"], [\"REFLECT\"]]", 64},
};

static engine_fixture plasma(int box, int order, const char *correct, const char *pipeline,
                             int passes, int threads) {
  char text[4096];
  snprintf(text, sizeof text, CHARGE_DECK, boxes[box].resolution, boxes[box].extent,
           boxes[box].fields, boxes[box].particles, boxes[box].ppc, order, correct, pipeline,
           passes);
  return engine_from_text(text, threads);
}

static double charge_error(engine_fixture *f) {
  cw_engine_diagnostics found;
  CW_CHECK_OK(f->context, cw_engine_diagnose(f->engine, &found));
  return found.charge_error;
}

START_TEST(test_gauss_law_and_energy) {
  const int box = _i / 2, order = 1 + _i % 2, passes = box == PLANE || box == BOX_WALLS;
  static const char *const pipelines[] = {"unsorted", "sorted", "matrix"};
  engine_fixture f = plasma(box, order, "true", pipelines[_i % 3], passes, 1);
  const double first = total_energy(&f);
  for (int k = 0; k < (CW_SANITIZED ? 3 : 20); k++) {
    engine_steps(&f, 1);
    const double error = charge_error(&f), drift = fabs(total_energy(&f) / first - 1);
    ck_assert_msg(error <= 2e-13, "box %d, order %d, step %d: the charge is off by %.3e", box,
                  order, k + 1, error);
    ck_assert_msg(drift <= 2e-14, "box %d, order %d, step %d: the energy drifts by %.3e", box,
                  order, k + 1, drift);
  }
  engine_clear(&f);
}
END_TEST

/* Weight of the centre of cell c for a particle at x, both in cells: cloud in cell, mirrored with
 * the opposite sign between walls. */
static double weight_at(double x, int c, int cells, int walls) {
  double sum = 0;
  for (int image = -1; image <= 1; image++) {
    const double centre = c + 0.5;
    sum += fmax(0, 1 - fabs(x - centre + image * (walls ? 2 : 1) * cells));
    if (walls)
      sum -= fmax(0, 1 - fabs(-x - centre + image * 2 * cells));
  }
  return sum;
}

static void add_charge(engine_fixture *f, int walls, double rho[16]) {
  for (int s = 0; s < 2; s++) {
    const cw_particles_view view = cw_particles_get_view(cw_engine_particles(f->engine, s));
    for (int64_t p = 0; p < view.count; p++)
      for (int c = 0; c < 16; c++)
        rho[c] += (s ? 1 : -1) * ((const double *)view.weight)[p] *
                  weight_at(view.i[0][p] + ((const double *)view.dx[0])[p], c, 16, walls);
  }
}

/* By brute force, from places and E alone: (E_{i+1} - E_i) / dx = scale (0.51 rho after the move +
 * 0.49 rho before it), scale = q0 / (B0 V0) = larmor0 / (ppc0 skindepth0^2) in one dimension. The same
 * without the correction is far off. */
START_TEST(test_gauss_law_by_brute_force) {
  const int walls = _i % 2, correct = _i < 2;
  engine_fixture f =
      plasma(walls ? LINE_WALLS : LINE, 1, correct ? "true" : "false", "matrix", 0, 1);
  const cw_grid *grid = cw_engine_grid(f.engine);
  const double scale = 2.0 / (64 * 0.49);
  double worst = 0;
  for (int k = 0; k < 10; k++) {
    double rho[2][16] = {{0}};
    add_charge(&f, walls, rho[0]);
    engine_steps(&f, 1);
    add_charge(&f, walls, rho[1]);
    const double *E = engine_vector(&f, CW_QUANTITY_E).component[0];
    for (int c = 0; c < 16; c++) {
      const int64_t at = cw_grid_index(grid, c, 0, 0);
      const int64_t next = walls || c < 15 ? at + 1 : cw_grid_index(grid, 0, 0, 0);
      const double div = (E[next] - E[at]) / grid->dx[0];
      worst = cw_larger(worst, fabs(div / scale - (0.51 * rho[1][c] + 0.49 * rho[0][c])) / 32);
    }
  }
  if (correct)
    ck_assert_msg(worst <= 1e-12, "Gauss's law is off by %.3e of a species' density", worst);
  else
    ck_assert_msg(worst >= 1e-3, "without correction the law is off by %.3e only", worst);
  engine_clear(&f);
}
END_TEST

/* The correction does not touch the plasma's own motion: a Langmuir wave keeps its frequency,
 * Om = (2/dt) tan(w dt/2) = sqrt(m), m = 2/3 + cos(k dx)/3, to a hundredth. */
START_TEST(test_langmuir_wave_with_correction) {
  enum { STEPS = 150 };
  engine_fixture f = engine_from_text(
      ECSIM_HEAD "[grid]\nresolution = [16]\nextent = [[0.0, 16.0]]\n" SIDES_1D
                 "[scales]\nlarmor0 = 1.0\nskindepth0 = 0.70710678118654752\n"
                 "[algorithms.timestep]\ndt = 0.2\n[particles]\nppc0 = 16.0\n" ECSIM_SPECIES(
                     "e", "1.0", "-1.0")
                     ECSIM_SPECIES("i", "1e14", "1.0") "[algorithms.ecsim]\ncharge_correction = "
                                                       "true\n[setup]\nproblem = \"langmuir\"\n"
                                                       "amplitude = 1e-5\n",
      1);
  double a[STEPS], above = 0, below = 0;
  for (int k = 0; k < STEPS; k++) {
    double parts[2];
    engine_steps(&f, 1);
    mode_parts(f.engine, engine_vector(&f, CW_QUANTITY_E), 0, 1, parts);
    a[k] = parts[0];
  }
  for (int k = 1; k + 1 < STEPS; k++)
    above += a[k] * (a[k + 1] + a[k - 1]), below += 2 * a[k] * a[k];
  const double w = acos(above / below) / 0.2;
  const double expected = 10 * atan(0.1 * sqrt((2 + cos(TWO_PI / 16)) / 3));
  ck_assert_msg(fabs(w - expected) <= 0.01 * expected, "w = %.6f; expected %.6f", w, expected);
  ck_assert_msg(charge_error(&f) <= 1e-12, "the charge is off by %.3e", charge_error(&f));
  engine_clear(&f);
}
END_TEST

/* Any number of threads, and a state that was saved and restored between two steps. */
START_TEST(test_same_bits) {
  const int steps = CW_SANITIZED ? 1 : 2;
  char hex[3][65];
  store kept = {0};
  for (int run = 0; run < 3; run++) {
    engine_fixture f = plasma(BOX_WALLS, 1 + _i, "true", "matrix", 1, run == 1 ? 3 : 1);
    if (run == 2) {
      restore_into(&f, &kept, 2);
      ck_assert_msg(charge_error(&f) <= 2e-13, "after a restart: %.3e", charge_error(&f));
    } else {
      engine_steps(&f, steps);
    }
    if (run == 0)
      CW_CHECK_OK(f.context, cw_engine_save(f.engine, keep, &kept));
    engine_steps(&f, steps);
    CW_CHECK_OK(f.context, cw_engine_sha256(f.engine, hex[run]));
    engine_clear(&f);
  }
  ck_assert_str_eq(hex[0], hex[1]);
  ck_assert_str_eq(hex[0], hex[2]);
  forget(&kept);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("ecsim charge");
  TCase *tests = tcase_create("Gauss's law");
  tcase_set_timeout(tests, 300);
  tcase_add_loop_test(tests, test_gauss_law_by_brute_force, 0, 4);
  tcase_add_test(tests, test_langmuir_wave_with_correction);
  tcase_add_loop_test(tests, test_same_bits, 0, 2);
  tcase_add_loop_test(tests, test_gauss_law_and_energy, 0, 14);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
