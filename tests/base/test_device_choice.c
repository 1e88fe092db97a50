/* Which of several devices is taken, and what is said of the others: tables in place of machines.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/device_choice.h"

#include "base/context_private.h"

enum { GIGABYTE = 1 << 30 };
static char told[CW_MESSAGE_SIZE];

static void listen(void *user, cw_log_level level, const char *message) {
  (void)user;
  if (level == CW_LOG_INFO)
    strcpy(told, message);
}

static cw_context *open_context(void) {
  const cw_context_options options = {.backend = CW_BACKEND_CPU, .threads = 1, .log = listen};
  cw_context *context = NULL;
  ck_assert_int_eq(cw_context_create(&options, &context, NULL, 0), CW_OK);
  told[0] = '\0';
  return context;
}

static cw_device_entry idle(int number, double gigabytes) {
  cw_device_entry entry = {.number = number,
                           .name = "Card",
                           .compute_major = 9,
                           .memory_total = (size_t)140 * GIGABYTE,
                           .memory_free = (size_t)(gigabytes * GIGABYTE)};
  entry.name[4] = (char)('A' + number);
  return entry;
}

static cw_device_entry broken(int number, cw_compute_mode mode, cw_status status,
                              const char *error) {
  cw_device_entry entry = idle(number, 0);
  entry.mode = mode;
  entry.status = status;
  strcpy(entry.error, error);
  return entry;
}

/* The number that is taken, or the status with its sign turned. */
static int choose(cw_context *context, const cw_device_entry *table, int count, const int *wanted) {
  int chosen = -77;
  const cw_status status = cw_device_choose(context, table, count, wanted, &chosen);
  if (status == CW_OK)
    return table[chosen].number;
  ck_assert_int_eq(chosen, -1);
  return -(int)status;
}

static void says(const char *text, const char *part) {
  ck_assert_msg(strstr(text, part) != NULL, "'%s' lacks '%s'", text, part);
}

START_TEST(test_most_free_memory_wins) {
  cw_context *context = open_context();
  const cw_device_entry table[] = {idle(0, 20), idle(1, 139), idle(2, 80)};
  ck_assert_int_eq(choose(context, table, 3, NULL), 1);
  says(told, "device 1 (CardB) is taken, with 142336 MB free; device 0 (CardA): 20480 of 143360 MB "
             "free; device 2 (CardC): 81920 of 143360 MB free");
  ck_assert_int_eq(choose(context, table, 1, NULL), 0);
  cw_context_destroy(context);
}
END_TEST

/* Megabytes that come and go do not move a run from device to device. */
START_TEST(test_equals_are_taken_in_order) {
  cw_context *context = open_context();
  const cw_device_entry equal[] = {idle(0, 139), idle(1, 139.9)};
  const cw_device_entry unequal[] = {idle(0, 130), idle(1, 139.9)};
  ck_assert_int_eq(choose(context, equal, 2, NULL), 0);
  ck_assert_int_eq(choose(context, unequal, 2, NULL), 1);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_one_device_of_its_own_says_nothing) {
  cw_context *context = open_context();
  const cw_device_entry table[] = {idle(0, 139)};
  ck_assert_int_eq(choose(context, table, 1, NULL), 0);
  ck_assert_str_eq(told, "");
  cw_context_destroy(context);
}
END_TEST

/* The busy one of two, wherever it stands, and whatever is wrong with it. */
START_TEST(test_what_cannot_be_used_is_passed_over) {
  cw_context *context = open_context();
  cw_device_entry old = idle(0, 100);
  old.compute_major = 7;
  old.compute_minor = 5;
  const struct {
    cw_device_entry entry;
    const char *reason;
  } cases[] = {
      {broken(0, CW_COMPUTE_EXCLUSIVE, CW_ERROR_DEVICE, "all devices are busy"),
       "its compute mode is exclusive, another program may have it (all devices are busy)"},
      {broken(0, CW_COMPUTE_PROHIBITED, CW_OK, ""), "its compute mode prohibits programs"},
      {broken(0, CW_COMPUTE_SHARED, CW_ERROR_MEMORY, "it can't be opened: out of memory"),
       "it can't be opened: out of memory"},
      {old, "it has compute capability 7.5; this build needs 8.0 or later"}};
  for (int k = 0; k < 4; k++) {
    cw_device_entry table[] = {cases[k].entry, idle(1, 1)};
    ck_assert_int_eq(choose(context, table, 2, NULL), 1);
    says(told, "device 1 (CardB) is taken");
    says(told, cases[k].reason);
    table[0] = idle(0, 1);
    table[1] = cases[k].entry;
    table[1].number = 1;
    ck_assert_int_eq(choose(context, table, 2, NULL), 0);
    says(told, cases[k].reason);
  }
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_none_that_can_be_used_is_an_error_with_every_reason) {
  cw_context *context = open_context();
  const cw_device_entry table[] = {
      broken(0, CW_COMPUTE_SHARED, CW_ERROR_MEMORY, "it can't be opened: out of memory"),
      broken(1, CW_COMPUTE_PROHIBITED, CW_OK, "")};
  ck_assert_int_eq(choose(context, table, 2, NULL), -CW_ERROR_MEMORY);
  says(cw_context_message(context), "no device can be used: device 0 (CardA): it can't be opened: "
                                    "out of memory; device 1 (CardB): its compute mode prohibits");
  ck_assert_int_eq(choose(context, &table[1], 1, NULL), -CW_ERROR_UNSUPPORTED);
  ck_assert_int_eq(choose(context, NULL, 0, NULL), -CW_ERROR_UNSUPPORTED);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_wanted_number_is_taken_or_refused_and_no_other) {
  cw_context *context = open_context();
  const cw_device_entry table[] = {
      idle(0, 139), idle(1, 2),
      broken(2, CW_COMPUTE_EXCLUSIVE, CW_ERROR_DEVICE, "all devices are busy")};
  const int one = 1, busy = 2, absent = 7, negative = -1;
  ck_assert_int_eq(choose(context, table, 3, &one), 1);
  ck_assert_int_eq(choose(context, table, 3, &busy), -CW_ERROR_DEVICE);
  says(cw_context_message(context),
       "device 2 (CardC) can't be used: its compute mode is exclusive");
  says(cw_context_message(context), "others: device 0 (CardA): 142336 of 143360 MB free; device 1");
  ck_assert_int_eq(choose(context, table, 3, &absent), -CW_ERROR_ARGUMENT);
  says(cw_context_message(context), "device 7 was asked for; there are 3 here: device 0 (CardA)");
  ck_assert_int_eq(choose(context, table, 3, &negative), -CW_ERROR_ARGUMENT);
  ck_assert_int_eq(choose(context, &table[2], 1, &busy), -CW_ERROR_DEVICE);
  says(cw_context_message(context), "there is no other");
  cw_context_destroy(context);
}
END_TEST

/* The list is cut off before it would leave its place. */
START_TEST(test_many_devices_fit_the_message) {
  cw_context *context = open_context();
  cw_device_entry table[CW_DEVICES];
  const int absent = 1000;
  for (int k = 0; k < CW_DEVICES; k++) {
    table[k] = idle(k, 100);
    memset(table[k].name, 'x', sizeof table[k].name - 1);
  }
  table[40].memory_free = (size_t)120 * GIGABYTE;
  ck_assert_int_eq(choose(context, table, CW_DEVICES, NULL), 40);
  ck_assert_int_eq(choose(context, table, CW_DEVICES, &absent), -CW_ERROR_ARGUMENT);
  says(cw_context_message(context), "there are 64 here: device 0 (xxx");
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("device_choice");
  TCase *tests = tcase_create("device_choice");
  tcase_add_test(tests, test_most_free_memory_wins);
  tcase_add_test(tests, test_equals_are_taken_in_order);
  tcase_add_test(tests, test_one_device_of_its_own_says_nothing);
  tcase_add_test(tests, test_what_cannot_be_used_is_passed_over);
  tcase_add_test(tests, test_none_that_can_be_used_is_an_error_with_every_reason);
  tcase_add_test(tests, test_wanted_number_is_taken_or_refused_and_no_other);
  tcase_add_test(tests, test_many_devices_fit_the_message);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
