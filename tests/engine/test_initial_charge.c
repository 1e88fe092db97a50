/* A start that breaks Gauss's law is told with the number, and one that keeps it is not. */
#include <math.h>

#include "engine/engine_deck.h"

/* Ions of density 1 and electrons of 1 - 0.2 cos(k x): rho = 0.2 cos(k x), in units of n0, against
 * electrons of at most 1.2. In 1D with 400 particles a cell, evenly spread, a cell's count is off
 * by less than one: 0.5 % of rho, on either side of a node. */
static const char deck_text[] =
    "[simulation]\nname = \"charge\"\nengine = \"srpic\"\nruntime = 1\nprecision = \"double\"\n"
    "[grid]\nresolution = [64]\nextent = [[-1.5, 4.9]]\nmetric.metric = \"minkowski\"\n"
    "boundaries.fields = [[\"PERIODIC\"]]\nboundaries.particles = [[\"PERIODIC\"]]\n"
    "[scales]\nlarmor0 = 0.5\nskindepth0 = 2\n[algorithms]\ndeposit.shape_order = 1\n"
    "[particles]\nppc0 = 400\n"
    "[[particles.species]]\nlabel = \"e\"\nmass = 1\ncharge = -1\n"
    "[[particles.species]]\nlabel = \"i\"\nmass = 100\ncharge = 1\n"
    "[setup]\nproblem = \"expressions\"\nquiet = true\n"
    "[setup.constants]\nk = \"2 * pi / Lx\"\nscale = \"larmor0 / skindepth0^2\"\n"
    "[setup.species]\ne.density = \"1 - 0.2 * cos(k * x)\"\ni.density = \"1\"\n";

typedef struct told {
  int warnings;
  char message[512];
} told;

static void listen(void *user, cw_log_level level, const char *message) {
  told *told = user;
  if (level != CW_LOG_WARNING)
    return;
  told->warnings++;
  snprintf(told->message, sizeof told->message, "%s", message);
}

static double charge_error_of(const cw_deck_override *override, told *told) {
  const cw_context_options options = {.threads = 1, .log = listen, .log_user = told};
  cw_context *context;
  cw_deck *deck;
  cw_engine *engine;
  cw_engine_diagnostics found;
  *told = (struct told){0};
  ck_assert_int_eq(cw_context_create(&options, &context, NULL, 0), CW_OK);
  CW_CHECK_OK(context, cw_deck_parse(context, "t", deck_text, strlen(deck_text), override,
                                     override ? 1 : 0, &deck));
  CW_CHECK_OK(context, cw_setup_check(context, deck));
  CW_CHECK_OK(context, cw_engine_create(context, deck, &engine));
  CW_CHECK_OK(context, cw_engine_diagnose(engine, &found));
  cw_engine_destroy(engine);
  cw_deck_destroy(deck);
  cw_context_destroy(context);
  return found.charge_error;
}

START_TEST(test_missing_field_is_told_with_its_share) {
  told told;
  const double error = charge_error_of(NULL, &told);
  ck_assert_msg(fabs(error - 0.2 / 1.2) < 0.005, "%g", error);
  ck_assert_int_eq(told.warnings, 1);
  ck_assert_msg(strstr(told.message, "max |div E - rho| is 0.16") != NULL, "%s", told.message);
}
END_TEST

/* div E = (larmor0 / skindepth0^2) rho, E in units of B0: what is left is the counts' rounding. */
START_TEST(test_field_of_the_charge_satisfies_gauss) {
  static const cw_deck_override field = {"setup.E", "['scale * 0.2 / k * sin(k * x)', 0, 0]"};
  told told;
  const double error = charge_error_of(&field, &told);
  ck_assert_msg(error < 0.006, "%g", error);
}
END_TEST

START_TEST(test_neutral_start_is_not_told) {
  static const cw_deck_override same = {"setup.species.i.density", "'1 - 0.2 * cos(k * x)'"};
  told told;
  const double error = charge_error_of(&same, &told);
  ck_assert_msg(error < 1e-12, "%g", error);
  ck_assert_int_eq(told.warnings, 0);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("initial charge");
  TCase *tests = tcase_create("initial charge");
  tcase_add_test(tests, test_missing_field_is_told_with_its_share);
  tcase_add_test(tests, test_field_of_the_charge_satisfies_gauss);
  tcase_add_test(tests, test_neutral_start_is_not_told);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
