/* Accounting of memory, and requests that cannot be met. */
#include <stdint.h>
#include <string.h>

#include <check.h>

#include "base/context_private.h"

static cw_context *context;

static void create(void) {
  ck_assert_int_eq(cw_context_create(NULL, &context, NULL, 0), CW_OK);
}
static void destroy(void) {
  cw_context_destroy(context);
}

START_TEST(test_memory_is_zeroed_and_aligned) {
  for (size_t count = 0; count < 300; count += 7) {
    char *block;
    ck_assert_int_eq(CW_NEW(context, count, "block", &block), CW_OK);
    ck_assert_ptr_nonnull(block);
    ck_assert_uint_eq((uintptr_t)block % 64, 0);
    for (size_t k = 0; k < count; k++)
      ck_assert_int_eq(block[k], 0);
    memset(block, 0xff, count);
    CW_DELETE(context, block);
  }
}
END_TEST

START_TEST(test_use_and_peak_follow_what_is_held) {
  double *first, *second;
  ck_assert_uint_eq(cw_memory_used(context, CW_SPACE_HOST), 0);
  ck_assert_int_eq(CW_NEW(context, 1000, "first", &first), CW_OK);
  size_t one = cw_memory_used(context, CW_SPACE_HOST);
  ck_assert(one >= 8000 && one < 8000 + 128);
  ck_assert_int_eq(CW_NEW(context, 3000, "second", &second), CW_OK);
  size_t both = cw_memory_used(context, CW_SPACE_HOST);
  ck_assert(both >= 32000 && both < 32000 + 256);
  CW_DELETE(context, first);
  ck_assert_uint_eq(cw_memory_used(context, CW_SPACE_HOST), both - one);
  CW_DELETE(context, second);
  ck_assert_uint_eq(cw_memory_used(context, CW_SPACE_HOST), 0);
  ck_assert_uint_eq(cw_memory_peak(context, CW_SPACE_HOST), both);
  CW_DELETE(context, NULL);
}
END_TEST

static void refuse(size_t count, size_t size, const char *part) {
  void *pointer = &pointer;
  ck_assert_int_eq(cw_memory_alloc(context, CW_SPACE_HOST, count, size, "the charge", &pointer),
                   CW_ERROR_MEMORY);
  ck_assert_ptr_null(pointer);
  const char *message = cw_context_message(context);
  ck_assert_msg(strstr(message, "the charge") && strstr(message, part), "'%s' lacks '%s'", message,
                part);
  ck_assert_uint_eq(cw_memory_used(context, CW_SPACE_HOST), 0);
}

START_TEST(test_absurd_sizes_are_refused_with_a_reason) {
  refuse(SIZE_MAX, 8, "do not fit");
  refuse(SIZE_MAX / 8, 8, "do not fit");
  refuse((size_t)1 << 33, (size_t)1 << 33, "do not fit"); /* the product wraps to 4 */
  refuse(SIZE_MAX, 1, "do not fit");
  refuse((size_t)1 << 50, 8, "available");
}
END_TEST

START_TEST(test_device_space_is_unsupported_without_a_device) {
  if (cw_context_backend(context) == CW_BACKEND_CUDA)
    return;
  void *pointer = &pointer;
  ck_assert_int_eq(cw_memory_alloc(context, CW_SPACE_DEVICE, 1, 8, "array", &pointer),
                   CW_ERROR_UNSUPPORTED);
  ck_assert_ptr_null(pointer);
}
END_TEST

/* Between 1 MB and 256 TB: a number was read, and it is in bytes. */
START_TEST(test_available_memory_is_plausible) {
  size_t available = cw_memory_available(context, CW_SPACE_HOST);
  ck_assert(available > ((size_t)1 << 20));
  ck_assert(available < ((size_t)1 << 48));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("memory");
  TCase *tests = tcase_create("memory");
  tcase_add_checked_fixture(tests, create, destroy);
  tcase_add_test(tests, test_memory_is_zeroed_and_aligned);
  tcase_add_test(tests, test_use_and_peak_follow_what_is_held);
  tcase_add_test(tests, test_absurd_sizes_are_refused_with_a_reason);
  tcase_add_test(tests, test_device_space_is_unsupported_without_a_device);
  tcase_add_test(tests, test_available_memory_is_plausible);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
