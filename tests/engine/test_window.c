/* A moving window: what stands in the laboratory stays where it is while the box moves over it. */
#include <math.h>

#include "base/reals.h"
#include "engine/restore_case.h"

#define DECK(algorithms, sides, setup)                                                             \
  "[simulation]\nname = \"w\"\nengine = \"srpic\"\nruntime = 1000.0\nprecision = \"double\"\n"     \
  "[grid.metric]\nmetric = \"minkowski\"\n[scales]\nlarmor0 = 1.0\nskindepth0 = 1.0\n"             \
  "[grid]\nresolution = [60, 12]\nextent = [[0.0, 12.0], [0.0, 2.4]]\nwindow.axis = \"x\"\n" sides \
  "boundaries.particles = [[\"ABSORB\"], [\"PERIODIC\"]]\n" algorithms                             \
  "[[particles.species]]\nlabel = \"e\"\nmass = 1.0\ncharge = -1.0\n"                              \
  "[[particles.species]]\nlabel = \"p\"\nmass = 1.0\ncharge = 1.0\n[setup]\n" setup
#define CONDUCTOR "boundaries.fields = [[\"CONDUCTOR\"], [\"PERIODIC\"]]\n"
#define MATCHED                                                                                    \
  "boundaries.fields = [[\"ABSORB\", \"MATCH\"], [\"PERIODIC\"]]\nboundaries.match.ds = 0.8\n"     \
  "boundaries.absorb.ds = 0.8\n"
#define FREE "[algorithms]\nfieldsolver.enable = false\ndeposit.enable = false\n"

static double place_of(const engine_fixture *f, const cw_particles_view *view, int64_t p) {
  const cw_grid *grid = cw_engine_grid(f->engine);
  return grid->origin[0] +
         (view->i[0][p] + cw_real_get(view->dx[0], view->precision, p)) * grid->dx[0];
}

/* Cold plasma at rest has a density of place, 1 + sin(x)/2, wherever the window goes: particles
 * between two places are its integral, within five standard errors of their number and what
 * rounding in 12 x 20 cells adds, sqrt(240)/2; none stands in the cells kept empty. */
START_TEST(test_plasma_at_rest_stays_where_it_is) {
  engine_fixture f = engine_from_text(
      DECK(FREE "[particles]\nppc0 = 30.0\nclear_interval = 3\n", CONDUCTOR,
           "problem = \"expressions\"\n[setup.species.e]\ndensity = \"1 + 0.5 * sin(x)\"\n"
           "[setup.species.p]\ndensity = \"1 + 0.5 * sin(x)\"\n"),
      1);
  while (cw_engine_time(f.engine) < 20)
    engine_steps(&f, 1);
  const cw_grid *grid = cw_engine_grid(f.engine);
  const double moved = floor((cw_engine_time(f.engine) - f.deck->dt) / 0.2 + 1e-9) * 0.2;
  ck_assert_msg(fabs(grid->origin[0] - moved) <= 1e-9, "origin %g; expected %g", grid->origin[0],
                moved);
  for (int s = 0; s < 2; s++) {
    const cw_particles_view view = cw_particles_get_view(cw_engine_particles(f.engine, s));
    double found = 0, low = moved + 1, high = moved + 5;
    for (int64_t p = 0; p < view.count; p++) {
      const double x = place_of(&f, &view, p);
      if (view.tag[p] == CW_TAG_DEAD)
        continue;
      ck_assert_msg(x < moved + 12 - 0.2 * 5, "x = %g in a box from %g", x, moved);
      found += x >= low && x < high;
    }
    const double per_area = 30 * 2.4 / 0.04;
    const double expected = per_area * (high - low + 0.5 * (cos(low) - cos(high)));
    const double error = 5 * (sqrt(240.0) / 2 + 0.01 * sqrt(expected));
    ck_assert_msg(fabs(found - expected) <= error, "%g particles; expected %g within %g", found,
                  expected, error);
  }
  engine_clear(&f);
}
END_TEST

/* A field that does not move is a function of the laboratory's places, in every cell that it comes to,
 * to the rounding of these. */
START_TEST(test_fields_at_rest_stay_where_they_are) {
  engine_fixture f = engine_from_text(
      DECK(FREE "[particles]\nppc0 = 1.0\n", CONDUCTOR,
           "problem = \"expressions\"\nB = [0, 0, \"1 + 0.3 * sin(x) * cos(2 * y)\"]\n"
           "[setup.species.e]\ndensity = 0\n[setup.species.p]\ndensity = 0\n"),
      1);
  while (cw_engine_time(f.engine) < 5)
    engine_steps(&f, 1);
  const cw_grid *grid = cw_engine_grid(f.engine);
  const void *Bz = cw_fields_B(cw_engine_fields(f.engine)).component[2];
  ck_assert(grid->origin[0] > 4);
  for (int32_t j = 0; j < grid->cells[1]; j++)
    for (int32_t i = 0; i < grid->cells[0]; i++) {
      const double x = grid->origin[0] + (i + 0.5) * grid->dx[0],
                   y = grid->origin[1] + (j + 0.5) * grid->dx[1];
      const double found = cw_real_get(Bz, CW_DOUBLE, cw_grid_index(grid, i, j, 0));
      const double expected = 1 + 0.3 * sin(x) * cos(2 * y);
      ck_assert_msg(fabs(found - expected) <= 1e-13, "(%d, %d): %.17g; expected %.17g", (int)i,
                    (int)j, found, expected);
    }
  engine_clear(&f);
}
END_TEST

static const char *const decks[] = {
    /* a drifting plasma in the field that goes with it: E = -v x B */
    DECK("[algorithms]\ncurrent_filters = 2\n[particles]\nppc0 = 8.0\nspatial_sorting_interval = "
         "5\n",
         MATCHED,
         "problem = \"expressions\"\nE = [0, -0.4, 0]\nB = [0, 0, 1]\n"
         "[setup.species.e]\ndensity = 1\ntemperature = 0.2\nvelocity = [-0.4, 0, 0]\n"
         "[setup.species.p]\ndensity = 1\ntemperature = 0.2\nvelocity = [-0.4, 0, 0]\n"),
    /* the same fields as expressions, never sorted, weights, and a thermal plasma */
    DECK("[algorithms.deposit]\nshape_order = 3\n[particles]\nppc0 = 8.0\nclear_interval = 4\n"
         "use_weights = true\n",
         MATCHED,
         "problem = \"thermal\"\ntemperature = 0.3\ndrift = [0.3, 0.0, 0.1]\nB = [0, 0.2, 1]\n"
         "match_B = [0, 0.2, \"1 + 0 * x\"]\nexternal_B = [0, 0, \"0.1 * sin(x)\"]\n"),
    /* no layer: what runs ahead of light on the grid must not reach the side either */
    DECK("[algorithms]\ncurrent_filters = 1\n[particles]\nppc0 = 8.0\nspatial_sorting_interval = "
         "1\n",
         CONDUCTOR, "problem = \"thermal\"\ntemperature = 0.3\nB = [0.3, 1, 0.5]\n"),
};
enum { DECKS = sizeof decks / sizeof *decks };

/* Round-off over 120 steps and 80 shifts, although plasma comes and goes. */
START_TEST(test_gauss_law_holds_in_a_window) {
  cw_engine_diagnostics found;
  engine_fixture f = engine_from_text(decks[_i], 1);
  const int64_t start = cw_particles_count(cw_engine_particles(f.engine, 0));
  for (int k = 0; k < 4; k++) {
    engine_steps(&f, CW_SANITIZED ? 10 : 30);
    CW_CHECK_OK(f.context, cw_engine_diagnose(f.engine, &found));
    ck_assert_msg(found.charge_error <= 1e-12, "step %d: %g", (int)cw_engine_step_number(f.engine),
                  found.charge_error);
    ck_assert_msg(found.species_count[0] > start / 2, "%d particles", (int)found.species_count[0]);
  }
  ck_assert(cw_engine_grid(f.engine)->origin[0] > 1);
  engine_clear(&f);
}
END_TEST

START_TEST(test_a_window_resumes_to_the_same_bits) {
  resumed_pair runs = resumed_pair_of(decks[_i], 11, 11);
  ck_assert(cw_engine_grid(runs.resumed.engine)->origin[0] ==
            cw_engine_grid(runs.unbroken.engine)->origin[0]);
  resumed_pair_clear(&runs);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("window");
  TCase *tests = tcase_create("window");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_plasma_at_rest_stays_where_it_is);
  tcase_add_test(tests, test_fields_at_rest_stay_where_they_are);
  tcase_add_loop_test(tests, test_gauss_law_holds_in_a_window, 0, DECKS);
  tcase_add_loop_test(tests, test_a_window_resumes_to_the_same_bits, 0, DECKS);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? 1 : 0;
}
