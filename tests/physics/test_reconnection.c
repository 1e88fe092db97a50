/* The reconnection example in a box of half its size and resolution: how fast field lines meet. */
#include <math.h>

#include "base/reals.h"
#include "engine/engine_deck.h"

/* Flux between the X- and the O-points of a sheet along x, in B0 L: the range of the integral of By
 * along row `row` of cells, the sheet's middle. */
static double reconnected_flux(engine_fixture *f, int row) {
  const cw_vector_view B = engine_vector(f, CW_QUANTITY_B);
  const cw_grid *grid = cw_engine_grid(f->engine);
  double flux = 0, least = 0, most = 0;
  for (int32_t i = 0; i < grid->cells[0]; i++) {
    flux += cw_real_get(B.component[1], B.precision, cw_grid_index(grid, i, row, 0)) * grid->dx[0];
    ck_assert(isfinite(flux));
    least = fmin(least, flux);
    most = cw_larger(most, flux);
  }
  return most - least;
}

/* Mean of both sheets. */
static double flux_at(engine_fixture *f, double time) {
  const int rows = f->deck->grid.resolution[1];
  while (cw_engine_time(f->engine) < time - 0.5 * f->deck->dt)
    engine_steps(f, 1);
  return 0.5 * (reconnected_flux(f, rows / 4) + reconnected_flux(f, 3 * rows / 4));
}

/* Lines reconnect at E = 0.1 B0 v_A / c, with v_A = sqrt(sigma / (1 + sigma)) = 0.953 c for sigma =
 * 10: L. Sironi and A. Spitkovsky, Astrophys. J. 783 (2014) L21. Sheets in this small a box, and one
 * line of islands' mergers, scatter by some 15 %; 25 % are allowed. The change of the flux between
 * the sheet's start (its pinch grows) and the end (the islands fill the box) is that E's mean. */
START_TEST(test_lines_reconnect_at_a_tenth_of_the_speed_of_light) {
  static const cw_deck_override small[] = {{"grid.resolution", "[128, 64]"},
                                           {"grid.extent", "[[-51.2, 51.2], [-25.6, 25.6]]"},
                                           {"particles.ppc0", "4"}};
  engine_fixture f = engine_from_file(CW_SOURCE_DIR "/examples/reconnection.toml", small, 3, 1);
  const double begin = flux_at(&f, 55), end = flux_at(&f, 100);
  const double rate = (end - begin) / 45 / sqrt(10.0 / 11);
  ck_assert_msg(fabs(rate - 0.1) <= 0.025, "rate %.4f; expected 0.1", rate);
  engine_clear(&f);
}
END_TEST

int main(void) {
  if (CW_SANITIZED) {
    printf("skipped: 250 steps take too long under sanitizers; test_examples has the first ten\n");
    return 77;
  }
  Suite *suite = suite_create("reconnection");
  TCase *tests = tcase_create("reconnection");
  tcase_set_timeout(tests, 240);
  tcase_add_test(tests, test_lines_reconnect_at_a_tenth_of_the_speed_of_light);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
