/* The GEM challenge (J. Birn et al., J. Geophys. Res. 106 (2001) 3715) in a small run: how fast flux
 * reconnects between conductors. */
#include <math.h>
#include <stdlib.h>

#include "ecsim/ecsim_run.h"

/* A sample each gyration time of the ions, 1 / B: STEPS steps. */
enum { WIDE = 64, HIGH = 32, SAMPLES = 24, STEPS = 20, PEAK = 2, PHASE = 12 };
static const double B = 0.05; /* and with it the Alfven speed, far from the sheet, at n0 */

#define GEM_DECK                                                                                   \
  ECSIM_HEAD                                                                                       \
  "[grid]\nresolution = [64, 32]\nextent = [[-12.8, 12.8], [-6.4, 6.4]]\n[grid.boundaries]\n"      \
  "fields = [[\"PERIODIC\"], [\"CONDUCTOR\"]]\nparticles = [[\"PERIODIC\"], [\"REFLECT\"]]\n"      \
  "[scales]\nlarmor0 = 1.0\nskindepth0 = 1.0\n[particles]\nppc0 = 16.0\nuse_weights = "            \
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
    highest = cw_larger(highest, A);
  }
  return highest - lowest;
}

/* The largest mean rate over `window` samples. */
static double fastest(const double *psi, int samples, int window) {
  double most = 0;
  for (int k = window; k <= samples; k++)
    most = cw_larger(most, (psi[k] - psi[k - window]) / window);
  return most;
}

/* Rates are per B and Alfven speed: flux in units of B times d_i, times in gyration times of the ions.
 * The electric field at the X line comes to 0.24 (an explicit code: P. L. Pritchett, J. Geophys. Res.
 * 106 (2001) 3783); over the phase in which most of the flux reconnects, the mean is 0.07 to 0.2. */
START_TEST(test_flux_reconnects_at_the_known_rate) {
  const int samples = CW_SANITIZED ? 4 : SAMPLES;
  double psi[SAMPLES + 1];
  engine_fixture f = engine_from_text(GEM_DECK, 1);
  const double first = total_energy(&f);
  for (int k = 0; k <= samples; k++) {
    psi[k] = flux(&f) / B;
    engine_steps(&f, STEPS);
  }
  ck_assert_msg(fabs(psi[0] - 0.2) <= 0.001,
                "the perturbation's flux is %.4f; expected 2 psi0 = 0.2", psi[0]);
  ck_assert_msg(fabs(total_energy(&f) / first - 1) <= 1e-4, "the energy drifts by %.3e",
                total_energy(&f) / first - 1); /* by a solver tolerance of 1e-4 */
  if (!CW_SANITIZED) {
    const double peak = fastest(psi, samples, PEAK), mean = fastest(psi, samples, PHASE);
    ck_assert_msg(fabs(peak / 0.24 - 1) <= 0.15, "the peak rate is %.3f; expected 0.24", peak);
    ck_assert_msg(mean >= 0.07 && mean <= 0.2, "the mean rate is %.3f; expected 0.07 to 0.2", mean);
  }
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
