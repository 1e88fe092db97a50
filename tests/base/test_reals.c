/* The largest of many, on which other tests and the benches rely. */
#include <check.h>
#include <stddef.h>

#include "base/reals.h"

static double largest(const double *values, size_t count) {
  double most = 0;
  for (size_t k = 0; k < count; k++)
    most = cw_larger(most, values[k]);
  return most;
}

START_TEST(test_a_nan_anywhere_is_the_largest) {
  for (size_t place = 0; place < 3; place++) {
    double values[3] = {1, INFINITY, 2};
    ck_assert_double_eq(largest(values, 3), INFINITY);
    values[place] = NAN;
    ck_assert_double_nan(largest(values, 3));
  }
  ck_assert_double_eq(largest((const double[]){1, 3, -4, 2}, 4), 3);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("reals");
  TCase *tests = tcase_create("reals");
  tcase_add_test(tests, test_a_nan_anywhere_is_the_largest);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
