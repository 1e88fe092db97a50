/* What `cellwise check` tells of a plasma: its lengths and times in closed form, and each warning
 * both where it is due and where it is not. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check_scales.h"
#include "cli/check_time.h"

#define HEAD                                                                                       \
  "[simulation]\nname = \"advice\"\nengine = \"srpic\"\nruntime = 10\n"                            \
  "[grid]\nresolution = [200, 100]\nextent = [[0, 20], [0, 10]]\nmetric.metric = \"minkowski\"\n"  \
  "boundaries.fields = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"                                         \
  "boundaries.particles = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"                                      \
  "[scales]\nlarmor0 = 2\nskindepth0 = 1\n[algorithms]\ntimestep.CFL = 0.5\n"                      \
  "[particles]\nppc0 = 16\nspatial_sorting_interval = 10\n"                                        \
  "[[particles.species]]\nlabel = \"e\"\nmass = 1\ncharge = -1\n"                                  \
  "[[particles.species]]\nlabel = \"i\"\nmass = 25\ncharge = 1\n"
static const char deck_text[] =
    HEAD "[setup]\nproblem = \"expressions\"\nB = [0, 0, \"0.4 * cos(2 * pi * x / Lx)\"]\n"
         "external_B = [0, 0, 0.1]\n[setup.species]\n"
         "e.density = \"0.5 + 0.25 * cos(2 * pi * x / Lx)\"\ne.temperature = 0.04\n"
         "i.density = \"0.5 + 0.25 * cos(2 * pi * x / Lx)\"\ni.velocity = [0, 0.3, 0]\n";

typedef struct advice {
  cw_context *context;
  cw_deck *deck;
  cw_check_scales scales;
  cw_check_warnings warnings;
} advice;

static advice advise(const char *text, const cw_deck_override *overrides, int count) {
  advice made;
  ck_assert_int_eq(cw_context_create(NULL, &made.context, NULL, 0), CW_OK);
  ck_assert_msg(
      cw_deck_parse(made.context, "t", text, strlen(text), overrides, count, &made.deck) == CW_OK &&
          cw_setup_check(made.context, made.deck) == CW_OK,
      "%s", cw_context_message(made.context));
  cw_check_scales_fill(&made.scales, made.deck);
  cw_check_warn(&made.warnings, &made.scales, made.deck);
  return made;
}

static void clear(advice *made) {
  cw_deck_destroy(made->deck);
  cw_context_destroy(made->context);
}

#define NEAR(a, b) ck_assert_msg(fabs((a) - (b)) <= 1e-3 * fabs(b), "%.9g, not %.9g", a, b)

/* In skin depths: dx = 0.1, dt = 0.5 0.1 / sqrt(2). Electrons: n = 0.75, skin depth sqrt(1 / 0.75).
 * Ions: 5 times that, cold, u = 0.3 / sqrt(0.91). B = 0.5 at most. The density's largest value
 * stands at x = 0, half a cell from the first sample: 1e-4 of it. */
START_TEST(test_scales_are_those_of_the_formulas) {
  advice made = advise(deck_text, NULL, 0);
  const cw_check_species *e = &made.scales.species[0], *i = &made.scales.species[1];
  const double dt = 0.05 / sqrt(2), two_pi = 2 * acos(-1.0);
  NEAR(e->most_per_cell, 12.0);
  NEAR(e->mean_per_cell, 8.0);
  NEAR(e->skindepth_cells, 11.547005);
  NEAR(e->debye_cells, 11.547005 * 0.2);
  NEAR(e->period_steps, two_pi * 1.1547005 / dt);
  NEAR(e->gyration_steps, two_pi * 2 / 0.5 / dt);
  NEAR(e->larmor_cells, 2 * sqrt(0.04 * 2.04) / 0.5 / 0.1);
  NEAR(i->skindepth_cells, 57.735027);
  ck_assert(i->debye_cells == 0);
  NEAR(i->gyration_steps, 25 * two_pi * 2 / 0.5 / dt);
  NEAR(i->larmor_cells, 2 * 25 * 0.31448545 / 0.5 / 0.1);
  NEAR(i->cells_a_step, 0.3 * dt / 0.1);
  NEAR(made.scales.debye_cells, 11.547005 * 0.2);
  /* both together: 1/p^2 = (1 + 1/25) / p_e^2 */
  NEAR(made.scales.densest_period_steps, two_pi * 1.1547005 / dt / sqrt(1.04));
  ck_assert_int_eq(made.warnings.count, 0);
  clear(&made);
}
END_TEST

/* A change of the deck that brings one warning about, and another that just does not. */
static const struct {
  const char *key, *bad, *good, *phrase;
} rows[] = {
    /* Debye length 2.309 cells sqrt(theta / 0.04): 0.3 at theta = 6.75e-4 */
    {"setup.species.e.temperature", "6.6e-4", "6.9e-4", "the Debye length of species 'e'"},
    /* skin depth 11.547 cells times skindepth0: 1 at 0.0866; Debye lengths and period follow */
    {"scales.skindepth0", "0.086", "0.087", "the skin depth of species 'e'"},
    /* electrons' period 205.2 steps / sqrt(1.04) at skindepth0 = 1: 10 at 0.0497, 3.14 at 0.0156 */
    {"scales.skindepth0", "0.049", "0.0505", "expected at least 10"},
    {"scales.skindepth0", "0.0155", "0.0158", "oscillations are unstable below 3.14"},
    /* 710.9 steps at larmor0 = 2: 6 at 0.01688 */
    {"scales.larmor0", "0.0168", "0.017", "a gyration of species 'e' takes"},
    {"algorithms.timestep.CFL", "1.0", "0.99", "of the largest stable one"},
    {"algorithms.timestep.correction", "1.995", "1.98", "of the largest stable one"},
    /* 12 particles a cell at ppc0 = 16: 4 at 5.33 */
    {"particles.ppc0", "5.3", "5.4", "the noise of its density is 50 %"},
    {"setup.species.i.density", "0.49", "0.5", "charges do not cancel: their mean is -0.0101"},
    /* electrons move 0.097 cells a step, drift 1, tiles of 8 in two dimensions: 5 cells at 51 steps
     */
    {"particles.spatial_sorting_interval", "60", "45", "sort every 30 steps"},
    {"particles.spatial_sorting_interval", "0", "10", "is never sorted"},
};
enum { ROWS = (int)(sizeof rows / sizeof *rows) };

static int told(const advice *made, const char *phrase) {
  int count = 0;
  for (int k = 0; k < made->warnings.count; k++)
    count += strstr(made->warnings.text[k], phrase) != NULL;
  return count;
}

START_TEST(test_warning_is_given_where_due_and_only_there) {
  for (int good = 0; good < 2; good++) {
    const cw_deck_override override = {rows[_i].key, good ? rows[_i].good : rows[_i].bad};
    advice made = advise(deck_text, &override, 1);
    ck_assert_msg(told(&made, rows[_i].phrase) == !good, "row %d, %s = %s: '%s' told %d times; %s",
                  _i, override.key, override.value, rows[_i].phrase, told(&made, rows[_i].phrase),
                  made.warnings.count ? made.warnings.text[0] : "no warning at all");
    clear(&made);
  }
}
END_TEST

START_TEST(test_tiles_that_do_not_fit_are_told) {
  for (int good = 0; good < 2; good++) {
    const cw_deck_override overrides[] = {
        {"grid.resolution", good ? "[200, 8]" : "[200, 7]"},
        {"grid.extent", good ? "[[0, 20], [0, 0.8]]" : "[[0, 20], [0, 0.7]]"}};
    advice made = advise(deck_text, overrides, 2);
    ck_assert_int_eq(told(&made, "tiles of 8 cells do not fit into the 7 cells along axis 2"),
                     !good);
    clear(&made);
  }
}
END_TEST

/* In ECSIM nothing is unstable; electrons of 0.2 c cross a cell of 0.1 in dt = 0.357. */
START_TEST(test_ecsim_is_told_of_crossed_cells_alone) {
  for (int good = 0; good < 2; good++) {
    const cw_deck_override overrides[] = {{"simulation.engine", "ecsim"},
                                          {"particles.spatial_sorting_interval", "10"},
                                          {"scales.skindepth0", "0.01"},
                                          {"algorithms.timestep.dt", good ? "0.35" : "0.37"}};
    char *text = strdup(deck_text);
    char *at = strstr(text, "timestep.CFL = 0.5");
    memset(at, ' ', strlen("timestep.CFL = 0.5"));
    at = strstr(text, "spatial_sorting_interval = 10");
    memset(at, ' ', strlen("spatial_sorting_interval = 10"));
    const cw_deck_override used[] = {
        overrides[0], overrides[2], overrides[3], {"setup.species.i.velocity", "[0, 0, 0]"}};
    advice made = advise(text, used, 4);
    ck_assert_int_eq(told(&made, "crosses"), !good);
    ck_assert_int_eq(made.warnings.count, !good);
    clear(&made);
    free(text);
  }
}
END_TEST

/* Every problem tells its plasma's density and temperature; its particles a cell are those loaded.
 */
static const struct {
  const char *setup;
  int species;
  double density, temperature, speed, B;
} plasmas[] = {
    {"problem = \"thermal\"\ntemperature_2 = 0.3\ndrift = [0.3, 0, 0.4]\nB = [0, 2, 0]\n", 1, 0.5,
     0.3, 0.5, 2},
    {"problem = \"langmuir\"\namplitude = 0.05\ntemperature = 0.01\n", 0, 0.5, 0.01, 0.05, 0},
    {"problem = \"light_wave\"\n", 0, 0.5, 0, 0, 0},
    {"problem = \"whistler\"\nB = -0.5\n", 1, 0.5, 0, 0, 0.5},
    {"problem = \"reconnection\"\nhalf_width = 0.5\nguide_field = 0.75\nbackground_temperature = "
     "0.02\n"
     "overdensity = 3\nbackground = 0.2\n",
     0, 1.6, 0.02, 1 / (3 * 0.5 * 2.0), 1.25},
};

START_TEST(test_problems_tell_their_plasma) {
  char text[4096];
  snprintf(text, sizeof text, "%s[setup]\n%s", HEAD, plasmas[_i].setup);
  char *mass = strstr(text, "mass = 25"); /* pairs, where the problem asks for them */
  memcpy(mass, "mass = 1 ", 9);
  char *first = strstr(text, "label = \"e\"");
  ck_assert_ptr_nonnull(first);
  advice made = advise(text, NULL, 0);
  const cw_species_scales *plasma = &made.scales.species[plasmas[_i].species].plasma;
  NEAR(plasma->density, plasmas[_i].density);
  ck_assert(fabs(plasma->temperature - plasmas[_i].temperature) < 1e-12);
  ck_assert_msg(fabs(plasma->speed - plasmas[_i].speed) < 1e-12, "%g", plasma->speed);
  ck_assert(fabs(plasma->B - plasmas[_i].B) < 1e-12);
  clear(&made);
}
END_TEST

/* The time is the steps' number times what the timed ones took, all of it positive. */
START_TEST(test_time_is_scaled_from_the_timed_steps) {
  advice made = advise(deck_text, NULL, 0);
  cw_check_time time;
  ck_assert_int_eq(cw_check_time_measure(made.context, made.deck, &made.scales, 320000, &time),
                   CW_OK);
  ck_assert(time.ns_per_particle > 0 && time.ns_per_cell > 0);
  ck_assert_int_ge(time.steps, 10);
  ck_assert(time.particles > CW_CHECK_TIMED / 2 && time.particles < 2 * CW_CHECK_TIMED);
  ck_assert_int_eq(time.threads, cw_context_threads(made.context));
  const double steps = ceil(10 / (0.05 / sqrt(2)));
  NEAR(time.seconds, 1e-9 * steps * (320000 * time.ns_per_particle + 20000 * time.ns_per_cell));
  clear(&made);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("advice");
  TCase *tests = tcase_create("advice");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_scales_are_those_of_the_formulas);
  tcase_add_loop_test(tests, test_warning_is_given_where_due_and_only_there, 0, ROWS);
  tcase_add_test(tests, test_tiles_that_do_not_fit_are_told);
  tcase_add_test(tests, test_ecsim_is_told_of_crossed_cells_alone);
  tcase_add_loop_test(tests, test_problems_tell_their_plasma, 0,
                      (int)(sizeof plasmas / sizeof *plasmas));
  tcase_add_test(tests, test_time_is_scaled_from_the_timed_steps);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
