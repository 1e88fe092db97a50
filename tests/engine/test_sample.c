/* Particles chosen for output: by id, by expression, in order, and what they carry. */
#include <math.h>
#include <stdlib.h>

#include "base/context_private.h"
#include "engine/engine_deck.h"
#include "engine/sample.h"

static const char box[] =
    "[simulation]\nname = \"sample\"\nengine = \"srpic\"\nruntime = 1\nprecision = \"double\"\n"
    "[grid]\nresolution = [16, 8]\nextent = [[-0.8, 0.8], [0, 0.8]]\n"
    "[grid.metric]\nmetric = \"minkowski\"\n"
    "[grid.boundaries]\nfields = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"
    "particles = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"
    "[scales]\nlarmor0 = 1\nskindepth0 = 1\n[algorithms]\ntimestep.CFL = 0.5\n"
    "[particles]\nppc0 = 200\nspatial_sorting_interval = 3\n"
    "[[particles.species]]\nlabel = \"e\"\nmass = 1\ncharge = -1\n"
    "[[particles.species]]\nlabel = \"p\"\nmass = 1\ncharge = 1\n"
    "[setup]\nproblem = \"thermal\"\ntemperature = 0.3\n[setup.constants]\ngamma = 7\nhalf = 0.5\n"
    "[output.particles]\nselect = \"%s\"\n";

static engine_fixture begin(const char *select, int threads) {
  char text[sizeof box + 100];
  snprintf(text, sizeof text, box, select);
  return engine_from_text(text, threads);
}

static cw_sample take(engine_fixture *f, int64_t stride) {
  cw_selection *selection;
  cw_sample sample = {0};
  CW_CHECK_OK(f->context, cw_selection_create(f->context, f->deck, &selection));
  CW_CHECK_OK(f->context, cw_sample_take(f->engine, 0, stride, selection, &sample));
  cw_selection_destroy(selection);
  return sample;
}

/* gamma is the particle's, though the deck has a constant of that name; half is the deck's. */
START_TEST(test_the_expression_chooses) {
  engine_fixture f = begin("gamma > 1.5 && x < 0 || uy > half", 2);
  engine_steps(&f, 4);
  cw_sample some = take(&f, 1);
  f.deck->output.particles.select[0] = '\0';
  cw_sample all = take(&f, 1);
  ck_assert_int_eq(all.count, cw_particles_count(cw_engine_particles(f.engine, 0)));
  int64_t expected = 0;
  for (int64_t n = 0; n < all.count; n++) {
    const double gamma =
        sqrt(1 + all.u[0][n] * all.u[0][n] + all.u[1][n] * all.u[1][n] + all.u[2][n] * all.u[2][n]);
    ck_assert(all.x[0][n] >= -0.8 && all.x[0][n] <= 0.8 && all.x[1][n] >= 0 && all.x[1][n] <= 0.8);
    ck_assert(n == 0 || all.id[n] > all.id[n - 1]);
    if (!((gamma > 1.5 && all.x[0][n] < 0) || all.u[1][n] > 0.5))
      continue;
    ck_assert_int_lt(expected, some.count);
    ck_assert_uint_eq(some.id[expected], all.id[n]);
    ck_assert(some.x[0][expected] == all.x[0][n] && some.u[2][expected] == all.u[2][n] &&
              some.weight[expected] == 1);
    expected++;
  }
  ck_assert_int_eq(some.count, expected);
  ck_assert(expected > all.count / 10 && expected < all.count);
  cw_sample_clear(f.context, &some);
  cw_sample_clear(f.context, &all);
  engine_clear(&f);
}
END_TEST

/* One of 50 of 12,800: 256 with a standard error of 16; the same ones after steps and sorts, and as
 * many in each half of each row of cells as chance gives. */
START_TEST(test_a_stride_takes_the_same_ones_in_every_file) {
  engine_fixture f = begin("", 1);
  cw_sample before = take(&f, 50);
  engine_steps(&f, 8);
  cw_sample after = take(&f, 50);
  ck_assert_msg(llabs(before.count - 256) <= 80, "%lld particles", (long long)before.count);
  ck_assert_int_eq(after.count, before.count);
  ck_assert_mem_eq(after.id, before.id, (size_t)after.count * sizeof *after.id);
  int64_t moved = 0, left = 0;
  for (int64_t n = 0; n < after.count; n++) {
    moved += after.x[0][n] != before.x[0][n];
    left += before.x[0][n] < 0;
  }
  ck_assert_int_eq(moved, after.count);
  ck_assert_msg(llabs(2 * left - before.count) <= 80, "%lld on the left", (long long)left);
  cw_sample_clear(f.context, &before);
  cw_sample_clear(f.context, &after);
  engine_clear(&f);
}
END_TEST

/* Ids count cell by cell, 100 in each: one of 100 is not one of each cell. Of 128 cells a share of
 * 1 / e, 47, have none; 5.5 is a standard error. */
START_TEST(test_a_stride_follows_no_pattern) {
  engine_fixture f = begin("", 1);
  cw_sample sample = take(&f, 100);
  int there[128] = {0}, empty = 0;
  for (int64_t n = 0; n < sample.count; n++)
    there[(int)((sample.x[0][n] + 0.8) / 0.1) + 16 * (int)(sample.x[1][n] / 0.1)]++;
  for (int k = 0; k < 128; k++)
    empty += there[k] == 0;
  ck_assert_msg(abs(empty - 47) <= 28, "%d cells have none", empty);
  cw_sample_clear(f.context, &sample);
  engine_clear(&f);
}
END_TEST

START_TEST(test_threads_do_not_change_a_bit) {
  engine_fixture one = begin("ux > 0", 1), three = begin("ux > 0", 3);
  cw_sample a = take(&one, 3), b = take(&three, 3);
  ck_assert_int_eq(a.count, b.count);
  ck_assert_mem_eq(a.id, b.id, (size_t)a.count * sizeof *a.id);
  ck_assert_mem_eq(a.u[1], b.u[1], (size_t)a.count * sizeof(double));
  cw_sample_clear(one.context, &a);
  cw_sample_clear(three.context, &b);
  engine_clear(&one);
  engine_clear(&three);
}
END_TEST

START_TEST(test_wrong_expressions_are_told_at_their_character) {
  static const struct {
    const char *select, *message;
  } cases[] = {{"gamma > > 2", "test deck:37:19: output.particles.select: found '>'"},
               {"z > 0", "test deck:37:11: output.particles.select: found 'z'; expected x, y"},
               {"x + t", "found 't'; expected x, y or z of an axis that the grid has, ux"},
               {"gama > 2", "did you mean 'gamma'?"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[sizeof box + 100];
    cw_context *context;
    cw_deck *deck;
    snprintf(text, sizeof text, box, cases[k].select);
    ck_assert(cw_context_create(NULL, &context, NULL, 0) == CW_OK);
    CW_CHECK_OK(context, cw_deck_parse(context, "test deck", text, strlen(text), NULL, 0, &deck));
    ck_assert_int_eq(cw_setup_check(context, deck), CW_ERROR_INPUT);
    ck_assert_msg(strstr(cw_context_message(context), cases[k].message) != NULL, "%s",
                  cw_context_message(context));
    cw_deck_destroy(deck);
    cw_context_destroy(context);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("sample");
  TCase *tests = tcase_create("sample");
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, test_the_expression_chooses);
  tcase_add_test(tests, test_a_stride_takes_the_same_ones_in_every_file);
  tcase_add_test(tests, test_a_stride_follows_no_pattern);
  tcase_add_test(tests, test_threads_do_not_change_a_bit);
  tcase_add_test(tests, test_wrong_expressions_are_told_at_their_character);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
