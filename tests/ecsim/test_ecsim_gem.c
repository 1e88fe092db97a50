/* The GEM challenge (J. Birn et al., J. Geophys. Res. 106 (2001) 3715) in a small run: how fast flux
 * reconnects between conductors. */
#include <math.h>
#include <stdlib.h>

#include "ecsim/ecsim_run.h"

/* A sample each gyration time of the ions, 1 / B: STEPS steps. */
enum { WIDE = 64, HIGH = 32, SAMPLES = 18, STEPS = 20, WINDOW = 6 };
static const double B = 0.05; /* and with it the Alfven speed, far from the sheet, at n0 */

#define GEM_DECK                                                                                   \
  ECSIM_HEAD                                                                                       \
  "[grid]\nresolution = [64, 32]\nextent = [[-12.8, 12.8], [-6.4, 6.4]]\n[grid.boundaries]\n"      \
  "fields = [[\"PERIODIC\"], [\"CONDUCTOR\"]]\nparticles = [[\"PERIODIC\"], [\"REFLECT\"]]\n"      \
  "[scales]\nlarmor0 = 1.0\nskindepth0 = 1.0\n[particles]\nppc0 = 8.0\nuse_weights = "             \
  "true\n" ECSIM_SPECIES("e", "0.04", "-1.0") ECSIM_SPECIES(                                       \
      "i", "1.0",                                                                                  \
      "1.0") "[algorithms.timestep]\ndt = 1.0\n[algorithms.ecsim]\nsolver_tolerance = 1e-4\n"      \
             "[setup]\nproblem = \"gem\"\n"

/* Flux between X and O line: A_z, dA_z/dx = -B_y, along the middle, its range. */
static double flux(engine_fixture *f) {
  const cw_grid *grid = cw_engine_grid(f->engine);
  const double *By = engine_vector(f, CW_QUANTITY_B).component[1];
  double A = 0, lowest = 0, highest = 0;
  for (int32_t i = 0; i < WIDE; i++) {
    A -= 0.5 * grid->dx[0] *
         (By[cw_grid_index(grid, i, HIGH / 2 - 1, 0)] + By[cw_grid_index(grid, i, HIGH / 2, 0)]);
    lowest = fmin(lowest, A);
    highest = fmax(highest, A);
  }
  return highest - lowest;
}

/* Rates are per B and Alfven speed: flux in units of B times d_i, times in gyration times of the ions.
 * The largest mean over 6 gyration times of well resolved runs is 0.1 to 0.2. */
START_TEST(test_flux_reconnects_at_the_known_rate) {
  const int samples = CW_SANITIZED ? 4 : SAMPLES;
  double psi[SAMPLES + 1], fastest = 0;
  engine_fixture f = engine_from_text(GEM_DECK, 1);
  const double first = total_energy(&f);
  for (int k = 0; k <= samples; k++) {
    psi[k] = flux(&f) / B;
    if (k >= WINDOW)
      fastest = fmax(fastest, (psi[k] - psi[k - WINDOW]) / WINDOW);
    engine_steps(&f, STEPS);
  }
  ck_assert_msg(fabs(psi[0] - 0.2) <= 0.001,
                "the perturbation's flux is %.4f; expected 2 psi0 = 0.2", psi[0]);
  ck_assert_msg(fabs(total_energy(&f) / first - 1) <= 1e-4, "the energy drifts by %.3e",
                total_energy(&f) / first - 1); /* by a solver tolerance of 1e-4 */
  if (!CW_SANITIZED)
    ck_assert_msg(fastest >= 0.07 && fastest <= 0.2, "the peak rate is %.3f; expected 0.07 to 0.2",
                  fastest);
  engine_clear(&f);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("ecsim gem");
  TCase *tests = tcase_create("reconnection");
  tcase_set_timeout(tests, 300);
  tcase_add_test(tests, test_flux_reconnects_at_the_known_rate);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
