/* The list of result codes. */
#include <string.h>

#include <check.h>

#include <cellwise/status.h>

static const cw_status all[] = {
#define CODE(name, value, text, survives) name,
    CW_STATUS_LIST(CODE)
#undef CODE
};
enum { CODES = (int)(sizeof all / sizeof *all) };

/* The numbers are part of the interface: programs and scripts compare them. */
START_TEST(test_codes_count_up_from_zero) {
  ck_assert_int_eq(CW_OK, 0);
  for (int k = 0; k < CODES; k++)
    ck_assert_int_eq((int)all[k], k);
}
END_TEST

START_TEST(test_every_code_has_its_own_name_and_text) {
  for (int k = 0; k < CODES; k++) {
    ck_assert_int_eq(strncmp(cw_status_name(all[k]), "CW_", 3), 0);
    ck_assert_int_gt((int)strlen(cw_status_text(all[k])), 3);
    for (int other = 0; other < k; other++) {
      ck_assert_str_ne(cw_status_name(all[k]), cw_status_name(all[other]));
      ck_assert_str_ne(cw_status_text(all[k]), cw_status_text(all[other]));
    }
  }
  ck_assert_str_eq(cw_status_name(CW_ERROR_STALE), "CW_ERROR_STALE");
}
END_TEST

START_TEST(test_foreign_values_are_unknown) {
  ck_assert_str_eq(cw_status_name((cw_status)CODES), "unknown status");
  ck_assert_str_eq(cw_status_text((cw_status)CODES), "unknown status");
  ck_assert_int_eq(cw_status_state_survives((cw_status)CODES), 0);
}
END_TEST

START_TEST(test_only_broken_numbers_devices_and_faults_lose_the_state) {
  for (int k = 0; k < CODES; k++) {
    int lost =
        all[k] == CW_ERROR_NUMERIC || all[k] == CW_ERROR_DEVICE || all[k] == CW_ERROR_INTERNAL;
    ck_assert_int_eq(cw_status_state_survives(all[k]), !lost);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("status");
  TCase *tests = tcase_create("status");
  tcase_add_test(tests, test_codes_count_up_from_zero);
  tcase_add_test(tests, test_every_code_has_its_own_name_and_text);
  tcase_add_test(tests, test_foreign_values_are_unknown);
  tcase_add_test(tests, test_only_broken_numbers_devices_and_faults_lose_the_state);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
