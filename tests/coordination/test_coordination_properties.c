/* Properties of pair sums over random systems, boxes, functions and groups, on the host. */
#include "coordination_properties.h"
#include "coordination_support.h"

enum { SYSTEMS = 60 };

START_TEST(test_random_systems_obey_what_any_sum_does) {
  cw_context *context = new_context(2, CW_ISA_AUTO);
  int counted = 0;
  for (int k = 0; k < SYSTEMS; k++) {
    static property_system s;
    counted += property_check(context, (uint64_t)k, CW_COORDINATION_FORM_AUTO, &s);
    ck_assert_msg(!s.failure[0], "seed %d: %s", k, s.failure);
  }
  ck_assert_int_gt(counted, SYSTEMS * 10); /* of about 21 steps each */
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("coordination properties");
  TCase *tcase = tcase_create("sums");
  tcase_set_timeout(tcase, 300);
  tcase_add_test(tcase, test_random_systems_obey_what_any_sum_does);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
