/* Creating contexts, choosing an instruction set, messages and logs. */
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "base/context_private.h"

static void refuse(const cw_context_options *options, cw_status expected, const char *part) {
  char message[256] = "";
  cw_context *context = (cw_context *)message;
  ck_assert_int_eq(cw_context_create(options, &context, message, sizeof message), expected);
  ck_assert_ptr_null(context);
  ck_assert_msg(strstr(message, part) != NULL, "'%s' lacks '%s'", message, part);
}

START_TEST(test_a_cpu_context_needs_no_more) {
  unsetenv("CELLWISE_ISA");
  cw_context *context;
  const cw_context_options cpu = {.backend = CW_BACKEND_CPU};
  ck_assert_int_eq(cw_context_create(&cpu, &context, NULL, 0), CW_OK);
  ck_assert_int_eq(cw_context_backend(context), CW_BACKEND_CPU);
  ck_assert_int_ge(cw_context_threads(context), 1);
  ck_assert_int_ne(cw_context_isa(context), CW_ISA_AUTO);
  ck_assert_str_eq(cw_context_message(context), "");
  cw_context_destroy(context);
  cw_context_destroy(NULL);
}
END_TEST

START_TEST(test_threads_are_as_asked) {
  const cw_context_options options = {.threads = 3};
  cw_context *context;
  ck_assert_int_eq(cw_context_create(&options, &context, NULL, 0), CW_OK);
  ck_assert_int_eq(cw_context_threads(context), 3);
  cw_context_destroy(context);
  refuse(&(cw_context_options){.threads = -1}, CW_ERROR_ARGUMENT, "threads is -1");
  refuse(&(cw_context_options){.threads = 1000000}, CW_ERROR_ARGUMENT, "threads is 1000000");
}
END_TEST

START_TEST(test_environment_chooses_the_instruction_set) {
  setenv("CELLWISE_ISA", "base", 1);
  cw_context *context;
  ck_assert_int_eq(cw_context_create(NULL, &context, NULL, 0), CW_OK);
  ck_assert_int_eq(cw_context_isa(context), CW_ISA_BASE);
  cw_context_destroy(context);
  setenv("CELLWISE_ISA", "avx3", 1);
  refuse(NULL, CW_ERROR_ARGUMENT, "CELLWISE_ISA is 'avx3'");
  setenv("CELLWISE_ISA", "", 1);
  ck_assert_int_eq(cw_context_create(NULL, &context, NULL, 0), CW_OK);
  cw_context_destroy(context);
  unsetenv("CELLWISE_ISA");
}
END_TEST

START_TEST(test_option_overrules_the_environment) {
  setenv("CELLWISE_ISA", "nonsense", 1);
  const cw_context_options options = {.isa = CW_ISA_BASE};
  cw_context *context;
  ck_assert_int_eq(cw_context_create(&options, &context, NULL, 0), CW_OK);
  ck_assert_int_eq(cw_context_isa(context), CW_ISA_BASE);
  cw_context_destroy(context);
  unsetenv("CELLWISE_ISA");
  refuse(&(cw_context_options){.isa = (cw_isa)9}, CW_ERROR_ARGUMENT, "isa is 9");
}
END_TEST

/* Each set is either taken as asked or refused as not here; the best is never below one taken. */
START_TEST(test_each_instruction_set_is_taken_or_refused) {
  unsetenv("CELLWISE_ISA");
  cw_context *context;
  ck_assert_int_eq(cw_context_create(NULL, &context, NULL, 0), CW_OK);
  cw_isa best = cw_context_isa(context);
  cw_context_destroy(context);
  for (int isa = CW_ISA_BASE; isa <= CW_ISA_AVX512; isa++) {
    const cw_context_options options = {.isa = (cw_isa)isa};
    if (isa > (int)best) {
      refuse(&options, CW_ERROR_UNSUPPORTED, cw_isa_name((cw_isa)isa));
      continue;
    }
    ck_assert_int_eq(cw_context_create(&options, &context, NULL, 0), CW_OK);
    ck_assert_int_eq(cw_context_isa(context), isa);
    cw_context_destroy(context);
  }
}
END_TEST

START_TEST(test_missing_backend_is_refused) {
  cw_context *context = NULL;
  const cw_context_options options = {.backend = CW_BACKEND_CUDA};
  cw_status status = cw_context_create(&options, &context, NULL, 0);
  if (status != CW_OK)
    refuse(&options, CW_ERROR_UNSUPPORTED, "cuda");
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_names_of_enumerations) {
  ck_assert_str_eq(cw_isa_name(CW_ISA_AVX512), "avx512");
  ck_assert_str_eq(cw_isa_name((cw_isa)77), "unknown");
  ck_assert_str_eq(cw_backend_name(CW_BACKEND_CPU), "cpu");
  ck_assert_str_eq(cw_backend_name((cw_backend)77), "unknown");
  ck_assert_str_eq(cw_precision_name(CW_DOUBLE), "double");
  ck_assert_int_eq(cw_precision_size(CW_SINGLE), 4);
  ck_assert_int_eq(cw_precision_size(CW_DOUBLE), 8);
}
END_TEST

START_TEST(test_failure_keeps_its_particulars) {
  cw_context *context;
  ck_assert_int_eq(cw_context_create(NULL, &context, NULL, 0), CW_OK);
  ck_assert_int_eq(cw_fail(context, CW_ERROR_IO, "file %s, line %d", "x", 7), CW_ERROR_IO);
  ck_assert_str_eq(cw_context_message(context), "file x, line 7");
  /* The old message may be part of the new one. */
  cw_fail(context, CW_ERROR_IO, "outer: %s", cw_context_message(context));
  ck_assert_str_eq(cw_context_message(context), "outer: file x, line 7");
  char longest[3 * CW_MESSAGE_SIZE];
  memset(longest, 'a', sizeof longest - 1);
  longest[sizeof longest - 1] = 0;
  cw_fail(context, CW_ERROR_IO, "%s", longest);
  ck_assert_uint_eq(strlen(cw_context_message(context)), CW_MESSAGE_SIZE - 1);
  ck_assert_int_eq(cw_fail(NULL, CW_ERROR_STALE, "lost"), CW_ERROR_STALE);
  ck_assert_str_eq(cw_context_message(NULL), "");
  cw_context_destroy(context);
}
END_TEST

typedef struct heard {
  int count;
  cw_log_level level;
  char text[64];
} heard;

static void listen(void *user, cw_log_level level, const char *message) {
  heard *heard = user;
  heard->count++;
  heard->level = level;
  strncpy(heard->text, message, sizeof heard->text - 1);
}

START_TEST(test_log_reaches_the_callers_function) {
  heard heard = {0};
  const cw_context_options options = {.backend = CW_BACKEND_CPU, .log = listen, .log_user = &heard};
  cw_context *context;
  ck_assert_int_eq(cw_context_create(&options, &context, NULL, 0), CW_OK);
  cw_log(context, CW_LOG_WARNING, "dx is %g", 0.5);
  ck_assert_int_eq(heard.count, 1);
  ck_assert_int_eq(heard.level, CW_LOG_WARNING);
  ck_assert_str_eq(heard.text, "dx is 0.5");
  cw_log(NULL, CW_LOG_ERROR, "nobody listens");
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("context");
  TCase *tests = tcase_create("context");
  tcase_add_test(tests, test_a_cpu_context_needs_no_more);
  tcase_add_test(tests, test_threads_are_as_asked);
  tcase_add_test(tests, test_environment_chooses_the_instruction_set);
  tcase_add_test(tests, test_option_overrules_the_environment);
  tcase_add_test(tests, test_each_instruction_set_is_taken_or_refused);
  tcase_add_test(tests, test_missing_backend_is_refused);
  tcase_add_test(tests, test_names_of_enumerations);
  tcase_add_test(tests, test_failure_keeps_its_particulars);
  tcase_add_test(tests, test_log_reaches_the_callers_function);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
