/* Switching functions against closed forms in long double, written down here a second time. */
#include "coordination_support.h"

#include "kernels/coordination/switching.h"

typedef long double real;

/* s(r) before the stretch, and the derivative by central differences in long double. */
static real plain(const cw_switching_options *o, real r) {
  real x = (r - o->d_0) / o->r_0, y = (r - o->d_0) / (o->d_max - o->d_0);
  int nn = o->nn ? o->nn : 6, mm = o->mm ? o->mm : 2 * nn;
  if (o->type == CW_SWITCHING_CUBIC)
    x = y;
  if (x <= 0)
    return 1;
  switch (o->type) {
  case CW_SWITCHING_RATIONAL:
    if (fabsl(x - 1) < 1e-12L)
      return (real)nn / mm;
    return expm1l(nn * logl(x)) / expm1l(mm * logl(x));
  case CW_SWITCHING_EXP:
    return expl(-x);
  case CW_SWITCHING_GAUSSIAN:
    return expl(-x * x / 2);
  case CW_SWITCHING_SMAP:
    return powl(1 + (powl(2, (real)o->a / o->b) - 1) * powl(x, o->a), -(real)o->b / o->a);
  case CW_SWITCHING_Q:
    return 1 / (1 + expl(50 * (r - 1.8L * o->ref)));
  case CW_SWITCHING_CUBIC:
    return (y - 1) * (y - 1) * (1 + 2 * y);
  case CW_SWITCHING_TANH:
    return 1 - tanhl(x);
  case CW_SWITCHING_COSINUS:
    return x > 1 ? 0 : (cosl(x * acosl(-1)) + 1) / 2;
  case CW_SWITCHING_CUSTOM:
    return expl(-x) * (1 + x);
  }
  return NAN;
}

static real stretched(const cw_switching_options *o, real r) {
  if (o->d_max == 0)
    return plain(o, r);
  if (r > o->d_max)
    return 0;
  if (o->no_stretch)
    return plain(o, r);
  real end = plain(o, o->d_max);
  return (plain(o, r) - end) / (plain(o, 0) - end);
}

static const cw_switching_options cases[] = {
    {.r_0 = 0.25},
    {.r_0 = 0.25, .d_max = 0.7},
    {.r_0 = 0.25, .d_max = 0.7, .no_stretch = 1},
    {.r_0 = 0.25, .d_0 = 0.1, .d_max = 0.7},
    {.r_0 = 0.25, .nn = 9},
    {.r_0 = 0.25, .nn = 8, .mm = 14, .d_max = 0.9},
    {.r_0 = 0.25, .nn = 5, .mm = 13, .d_0 = 0.05},
    {.r_0 = 0.25, .nn = 1, .mm = 2},
    {.r_0 = 0.25, .nn = 14, .mm = 28},
    {.r_0 = 0.25, .nn = 50, .mm = 100},
    {.type = CW_SWITCHING_EXP, .r_0 = 0.1, .d_0 = 0.1, .d_max = 0.8},
    {.type = CW_SWITCHING_GAUSSIAN, .r_0 = 0.2},
    {.type = CW_SWITCHING_SMAP, .r_0 = 0.25, .a = 8, .b = 10, .d_max = 0.9},
    {.type = CW_SWITCHING_SMAP, .r_0 = 0.25, .a = 1, .b = 3},
    {.type = CW_SWITCHING_Q, .r_0 = 0.01, .ref = 0.25},
    {.type = CW_SWITCHING_CUBIC, .d_0 = 0.1, .d_max = 0.7},
    {.type = CW_SWITCHING_TANH, .r_0 = 0.2, .d_0 = 0.05},
    {.type = CW_SWITCHING_COSINUS, .r_0 = 0.4, .d_0 = 0.1},
    {.type = CW_SWITCHING_CUSTOM, .function = "exp(-x)*(1+x)", .r_0 = 0.2, .d_max = 0.9}};
enum { CASES = (int)(sizeof cases / sizeof *cases) };

/* Differences of step 1e-6 in long double: error h^2 s'''/6 < 1e-8 of slopes of order 1 to 30. */
START_TEST(test_value_and_derivative_equal_the_closed_form) {
  const cw_switching_options *o = &cases[_i];
  cw_context *context = new_context(1, CW_ISA_AUTO);
  cw_switching s;
  real h = 1e-6L;
  MUST(context, cw_switching_init(context, o, &s));
  for (int k = 1; k < 1000; k++) {
    double r = k * 1e-3 + 0.13e-3, slope = NAN;
    double value = cw_switching_value(&s, r, &slope);
    real right = stretched(o, r),
         derivative = (stretched(o, r + h) - stretched(o, r - h)) / (2 * h);
    ck_assert_msg(near(value, (double)right, 4e-15), "r = %g: %.17g, not %.17Lg", r, value, right);
    ck_assert_msg(near(slope, (double)derivative, 1e-6), "r = %g: slope %.12g, not %.12Lg", r,
                  slope, derivative);
  }
  cw_context_destroy(context);
}
END_TEST

/* Where numerator and denominator vanish together: the series of value and slope about x = 1. */
START_TEST(test_quotient_is_exact_near_one) {
  cw_context *context = new_context(1, CW_ISA_AUTO);
  static const int exponents[][2] = {{6, 10}, {7, 11}, {1, 3}, {6, 13}, {12, 18}, {5, 100}};
  for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++)
    for (int shift = 0; shift < 2; shift++) { /* with d_0 the form in x, without it that in x^2 */
      int n = exponents[e][0], m = exponents[e][1];
      cw_switching_options o = {.r_0 = 1, .d_0 = shift, .nn = n, .mm = m};
      cw_switching s;
      MUST(context, cw_switching_init(context, &o, &s));
      for (int k = -12; k <= 12; k++) {
        double d = k == 0 ? 0 : copysign(pow(10, -abs(k)), k), slope, r = 1 + shift + d;
        if (fabs(d) > 1e-3)
          continue;
        double value = cw_switching_value(&s, r, &slope);
        real x = (real)(r - shift), p = 0, q = 0, dp = 0, dq = 0;
        for (int j = n; j-- > 0;)
          dp = dp * x + p, p = p * x + 1;
        for (int j = m; j-- > 0;)
          dq = dq * x + q, q = q * x + 1;
        real right = p / q, derivative = (dp - right * dq) / q;
        ck_assert(near(value, (double)right, 1e-15 * n));
        ck_assert_msg(near(slope, (double)derivative, 1e-13 * m),
                      "%d/%d at 1 + %g: %.17g, not %.17Lg", n, m, d, slope, derivative);
      }
      double slope;
      ck_assert(near(cw_switching_value(&s, 1 + shift, &slope), (double)n / m, 1e-15));
      ck_assert(near(slope, 0.5 * n * (n - m) / m, 1e-13 * m));
    }
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_ends_of_the_range) {
  cw_context *context = new_context(1, CW_ISA_AUTO);
  for (int k = 0; k < CASES; k++) {
    cw_switching s;
    double slope = NAN;
    MUST(context, cw_switching_init(context, &cases[k], &s));
    ck_assert(near(cw_switching_value(&s, 0, &slope), 1, 1e-15));
    ck_assert(slope == 0);
    ck_assert(cw_switching_value(&s, 1e5, &slope) <= 1e-5); /* finite, not NaN, and gone */
    ck_assert(fabs(slope) < 1e-6);
    if (cases[k].d_max == 0)
      continue;
    ck_assert(cw_switching_value(&s, nextafter(s.range, 10), &slope) == 0);
    ck_assert(slope == 0);
    if (!cases[k].no_stretch)
      ck_assert(near(cw_switching_value(&s, s.range, NULL), 0, 1e-15));
  }
  cw_context_destroy(context);
}
END_TEST

/* D_0 + R_0 (1e-5)^(1/(NN - MM)): 6.8 R_0 for 6/12. */
START_TEST(test_implicit_range) {
  cw_context *context = new_context(1, CW_ISA_AUTO);
  cw_switching s;
  cw_switching_options o = {.r_0 = 0.3, .d_0 = 0.1, .implicit_d_max = 1};
  MUST(context, cw_switching_init(context, &o, &s));
  ck_assert(near(s.range, 0.1 + 0.3 * 6.812920690579614, 1e-14));
  ck_assert(near(cw_switching_value(&s, s.range, NULL), 0, 1e-15));
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("switching functions");
  TCase *tcase = tcase_create("functions");
  tcase_add_loop_test(tcase, test_value_and_derivative_equal_the_closed_form, 0, CASES);
  tcase_add_test(tcase, test_quotient_is_exact_near_one);
  tcase_add_test(tcase, test_ends_of_the_range);
  tcase_add_test(tcase, test_implicit_range);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
