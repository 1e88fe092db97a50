/* Expressions: precedence, values, derivatives, and what is refused. */
#include "coordination_support.h"

#include "kernels/coordination/switching.h"

static double number(const char *text) {
  cw_context *context = new_context(1, CW_ISA_AUTO);
  double value = NAN;
  MUST(context, cw_expression_number(context, text, &value));
  cw_context_destroy(context);
  return value;
}

START_TEST(test_precedence) {
  ck_assert(number("1+2*3") == 7);
  ck_assert(number("2^3^2") == 512);
  ck_assert(number("-2^2") == -4);
  ck_assert(number("2^-2") == 0.25);
  ck_assert(number("8/4/2") == 1);
  ck_assert(number("1-2-3") == -4);
  ck_assert(number(" ( 1 + 2 ) * -3 ") == -9);
  ck_assert(near(number("sqrt(0.09)"), 0.3, 1e-16));
  ck_assert(near(number("2*pi+e"), 9.0014671356386, 1e-12));
  ck_assert(number("select(0,1,2)+max(3,4)*min(1,5)+abs(-2)+step(1)") == 9);
  ck_assert(near(number("2^0.5-1.5e1"), sqrt(2) - 15, 1e-14));
}
END_TEST

/* Each function of x alone against central differences of step 1e-5: error below 1e-8. */
START_TEST(test_derivatives_of_every_function) {
  static const char *const texts[] = {
      "sqrt(x)",    "exp(-x)",    "log(x)",     "sin(x)",     "cos(x)",
      "tan(x/2)",   "asin(x/3)",  "acos(x/3)",  "atan(x)",    "sinh(x)",
      "cosh(x)",    "tanh(x)",    "erf(x)",     "erfc(x)",    "square(x)",
      "cube(x)",    "recip(x)",   "abs(x-9)",   "x^7",        "x^-3",
      "x^2.5",      "2^x",        "x^x",        "x/(1+x)",    "x2*x",
      "1/(1+x2^3)", "min(x,x^2)", "max(x,x^2)", "atan2(x,2)", "select(step(x-1),x^2,x)",
      "x-x^0",      "pow(x,3)",   "0^(x2^3)",   "x+0^x"};
  cw_context *context = new_context(1, CW_ISA_AUTO);
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    cw_switching s;
    cw_switching_options o = {.type = CW_SWITCHING_CUSTOM, .r_0 = 1, .function = texts[k]};
    MUST(context, cw_switching_init(context, &o, &s));
    for (double r = 0.31; r < 2; r += 0.3) {
      double h = 1e-5, slope;
      cw_switching_value(&s, r, &slope);
      double right =
          (cw_switching_value(&s, r + h, NULL) - cw_switching_value(&s, r - h, NULL)) / (2 * h);
      ck_assert_msg(near(slope, right, 1e-6 * (1 + fabs(right))), "%s at %g: %.10g, not %.10g",
                    texts[k], r, slope, right);
    }
  }
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_nonsense_is_refused_with_its_column) {
  static const char *const texts[] = {"",       "1+",    "(1",       "1)",     "1 2",    "foo",
                                      "sin",    "sin()", "sin(1,2)", "foo(1)", "0x10",   "1e999",
                                      "1/0",    "*1",    "1..2",     "inf",    "nan",    "{1}",
                                      "min(1)", "2^",    "1,2",      "@",      "log(0)", "x"};
  cw_context *context = new_context(1, CW_ISA_AUTO);
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    double value = 7;
    ck_assert_msg(cw_expression_number(context, texts[k], &value) == CW_ERROR_INPUT, "'%s' is %g",
                  texts[k], value);
    ck_assert(value == 7);
  }
  char deep[3000];
  memset(deep, '(', sizeof deep);
  deep[sizeof deep - 1] = '\0';
  double value;
  ck_assert_int_eq(cw_expression_number(context, deep, &value), CW_ERROR_INPUT);
  memset(deep, '-', sizeof deep - 1);
  ck_assert_int_eq(cw_expression_number(context, deep, &value), CW_ERROR_INPUT);
  for (size_t k = 0; k + 2 < sizeof deep; k += 2)
    memcpy(deep + k, "1^", 2);
  ck_assert_int_eq(cw_expression_number(context, deep, &value), CW_ERROR_INPUT);
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("expressions");
  TCase *tcase = tcase_create("expressions");
  tcase_add_test(tcase, test_precedence);
  tcase_add_test(tcase, test_derivatives_of_every_function);
  tcase_add_test(tcase, test_nonsense_is_refused_with_its_column);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
