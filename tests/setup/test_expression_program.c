/* Programs for devices have the values of muParser: a parser of its own against another's. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "base/context_private.h"
#include "setup/expression_program.h"
#include "setup/expression_random.h"

static const cw_expression_scope scope = {
    .count = 3, .name = {"pi", "half", "two"}, .value = {3.14159265358979324, 0.5, 2}};
static const int all = CW_EXPRESSION_PLACE | CW_EXPRESSION_T;

static cw_context *open_context(void) {
  const cw_context_options options = {.backend = CW_BACKEND_CPU, .threads = 1};
  cw_context *context;
  ck_assert_int_eq(cw_context_create(&options, &context, NULL, 0), CW_OK);
  return context;
}

static cw_expression *make(cw_context *context, const char *text) {
  cw_expression_fault fault;
  cw_expression *expression;
  ck_assert_msg(cw_expression_create(context, text, &scope, all, &fault, &expression) == CW_OK,
                "%s: %s", text, fault.message);
  return expression;
}

static double run(const cw_expression *expression, const double variable[4]) {
  const cw_expression_program program = cw_expression_get_program(expression);
  double *stack = calloc((size_t)program.depth + 1, sizeof *stack);
  stack[program.depth] = 12345;
  const double value = cw_expression_run(program.code, program.length, variable, stack, 1);
  ck_assert_msg(stack[program.depth] == 12345, "the stack is deeper than %d", program.depth);
  free(stack);
  return value;
}

static int same(double found, double expected, double tolerance) {
  return isnan(expected)   ? isnan(found)
         : isinf(expected) ? found == expected
                           : fabs(found - expected) <= tolerance * fabs(expected);
}

/* Values that precedence, order and signs decide; the right ones by hand. */
START_TEST(test_precedence_order_and_signs) {
  static const struct {
    const char *text;
    double value; /* at x = 3, y = 2, z = 5, t = 7 */
  } cases[] = {{"-x^y", -9},
               {"y^x^y", 512},
               {"y^-x^y", 1.0 / 512},
               {"y^-x*z", 0.625},
               {"z - x - y", 0},
               {"t / z / y", 0.7},
               {"z - -x * y", 11},
               {"-x*-y", 6},
               {"x + y * z ^ y", 53},
               {"x < y == 0", 1},
               {"1 + 1 == y && x > y || 0", 1},
               {"0 && 0 || 1", 1},
               {"x > y ? z : t", 5},
               {"x < y ? z : t ? x : y", 3},
               {"x > y ? x > z ? 1 : 2 : 3", 2}};
  const double variable[4] = {3, 2, 5, 7};
  cw_context *context = open_context();
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    cw_expression *expression = make(context, cases[k].text);
    const double value = run(expression, variable);
    ck_assert_msg(fabs(value - cases[k].value) <= 1e-15 * fabs(cases[k].value), "%s: %.17g",
                  cases[k].text, value);
    cw_expression_destroy(expression);
  }
  ck_assert_uint_eq(cw_memory_used(context, CW_SPACE_HOST), 0);
  cw_context_destroy(context);
}
END_TEST

/* Values of order 1 from numbers with few digits: what is compared or rounded down on the way is
 * the same on both sides, but for muParser's own reordering, whose last digit a comparison might
 * see: the seeds are such that none does. */
START_TEST(test_random_expressions_have_muparsers_values) {
  static const double places[3][4] = {
      {0.75, -1.25, 2.5, 0.5}, {-2, 0.25, 1.5, 3}, {1.125, 3.5, -0.75, 1.25}};
  enum { TEXTS = 3000 };
  int finite = 0, constants = 0;
  cw_context *context = open_context();
  for (int k = 0; k < TEXTS; k++) {
    random_text r = {.state = (uint64_t)k + 1};
    random_expression(&r, 1 + k % 4);
    if (strlen(r.text) >= RANDOM_TEXT - 1)
      continue;
    cw_expression *expression = make(context, r.text);
    const double tolerance = k % 4 == 0 ? 1e-14 : 1e-10; /* slopes of nested functions */
    constants += cw_expression_get_program(expression).length == 1;
    for (int p = 0; p < 3; p++) {
      const double expected = cw_expression_at(expression, places[p], places[p][3]);
      const double found = run(expression, places[p]);
      finite += isfinite(expected);
      ck_assert_msg(same(found, expected, tolerance),
                    "seed %d, place %d: %.17g; muParser %.17g: %s", k + 1, p, found, expected,
                    r.text);
    }
    cw_expression_destroy(expression);
  }
  ck_assert_msg(finite > TEXTS && constants > TEXTS / 50, "%d finite, %d constant", finite,
                constants);
  cw_context_destroy(context);
}
END_TEST

/* What does not depend on variables is one number; what nests is as deep as it must be. */
START_TEST(test_constants_are_folded_and_depth_is_known) {
  char text[CW_EXPRESSION_LENGTH + 1] = "x";
  const double variable[4] = {1, 0, 0, 0};
  cw_context *context = open_context();
  cw_expression *expression = make(context, "2 * pi / (half + max(1, 2, two) ^ 2) > 0 ? 3 : 4");
  ck_assert_int_eq(cw_expression_get_program(expression).length, 1);
  ck_assert(run(expression, variable) == 3);
  cw_expression_destroy(expression);
  expression = make(context, "2 * pi * x");
  ck_assert_int_eq(cw_expression_get_program(expression).length, 3);
  cw_expression_destroy(expression);
  while (strlen(text) + 2 < CW_EXPRESSION_LENGTH)
    strcat(text, "^x");
  expression = make(context, text);
  ck_assert_int_eq(cw_expression_get_program(expression).depth, (int)(strlen(text) + 1) / 2);
  ck_assert(run(expression, variable) == 1);
  cw_expression_destroy(expression);
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("expression_program");
  TCase *tests = tcase_create("expression_program");
  tcase_add_test(tests, test_precedence_order_and_signs);
  tcase_add_test(tests, test_random_expressions_have_muparsers_values);
  tcase_add_test(tests, test_constants_are_folded_and_depth_is_known);
  tcase_set_timeout(tests, 60);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
