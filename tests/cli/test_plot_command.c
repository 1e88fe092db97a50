/* cellwise plot: exit statuses, messages, JSON. */
#include <jansson.h>
#include <sys/wait.h>

#include "output/plot_sample.h"

/* Runs the program's plot command; its stdout comes back in `text`. */
static int run_plot(const char *arguments, char *text, size_t size) {
  char command[2048];
  snprintf(command, sizeof command, "'%s' plot %s 2>%s", CW_PROGRAM, arguments,
           in_folder("stderr.txt"));
  FILE *stream = popen(command, "r");
  ck_assert_ptr_nonnull(stream);
  text[fread(text, 1, size - 1, stream)] = '\0';
  int state = pclose(stream);
  ck_assert(WIFEXITED(state));
  return WEXITSTATUS(state);
}

static void check_stderr(const char *expected) {
  char text[2048] = "";
  FILE *file = fopen(in_folder("stderr.txt"), "r");
  ck_assert_ptr_nonnull(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  ck_assert_msg(strstr(text, expected) != NULL, "stderr: %s", text);
}

START_TEST(test_plot_draws_and_reports_json) {
  char arguments[600], text[4096];
  unsigned width, height;
  if (no_gnuplot())
    return;
  write_sample_history();
  write_sample_fields(2, SAMPLE_STEP);
  snprintf(arguments, sizeof arguments, "%s --quantity Bx --step 40 --json", folder);
  ck_assert_int_eq(run_plot(arguments, text, sizeof text), 0);
  json_t *result = json_loads(text, 0, NULL);
  ck_assert_msg(result != NULL, "not JSON: %s", text);
  ck_assert_int_eq(json_integer_value(json_object_get(result, "step")), 40);
  ck_assert_double_eq(json_number_value(json_object_get(result, "time")), 10.0);
  read_png_size(json_string_value(json_object_get(result, "file")), &width, &height);
  ck_assert_uint_eq(width, SAMPLE_WIDTH);
  json_decref(result);
}
END_TEST

START_TEST(test_plot_without_options_draws_an_overview) {
  char text[4096];
  unsigned width, height;
  if (no_gnuplot())
    return;
  write_sample_history();
  write_sample_fields(1, SAMPLE_STEP);
  ck_assert_int_eq(run_plot(folder, text, sizeof text), 0);
  read_png_size(in_folder("overview.png"), &width, &height);
  ck_assert_ptr_nonnull(strstr(text, "overview.png"));
}
END_TEST

START_TEST(test_bad_input_exits_with_2_and_says_why) {
  char arguments[600], text[4096];
  write_sample_history();
  write_sample_fields(2, SAMPLE_STEP);
  ck_assert_int_eq(run_plot("/nonexistent/run", text, sizeof text), 2);
  check_stderr("there is no such folder");
  ck_assert_int_eq(run_plot("", text, sizeof text), 2);
  check_stderr("expected the output folder");
  snprintf(arguments, sizeof arguments, "%s --quantity temperature", folder);
  ck_assert_int_eq(run_plot(arguments, text, sizeof text), 2);
  check_stderr("there are B, Bx");
  ck_assert_str_eq(text, "");
  snprintf(arguments, sizeof arguments, "%s --step 41", folder);
  ck_assert_int_eq(run_plot(arguments, text, sizeof text), 2);
  check_stderr("has no field file of step 41");
  snprintf(arguments, sizeof arguments, "%s --step four", folder);
  ck_assert_int_eq(run_plot(arguments, text, sizeof text), 2);
  check_stderr("found 'four'");
}
END_TEST

START_TEST(test_failure_while_drawing_exits_with_1) {
  char arguments[600], text[4096];
  write_sample_history();
  snprintf(arguments, sizeof arguments, "%s --output %s/none/o.png", folder, folder);
  ck_assert_int_eq(run_plot(arguments, text, sizeof text), 1);
  check_stderr("cannot create");
}
END_TEST

START_TEST(test_help_shows_an_example) {
  char text[4096];
  ck_assert_int_eq(run_plot("--help", text, sizeof text), 0);
  ck_assert_ptr_nonnull(strstr(text, "cellwise plot reconnection"));
}
END_TEST

int main(void) {
  TCase *cases = tcase_create("plot command");
  tcase_add_test(cases, test_plot_draws_and_reports_json);
  tcase_add_test(cases, test_plot_without_options_draws_an_overview);
  tcase_add_test(cases, test_bad_input_exits_with_2_and_says_why);
  tcase_add_test(cases, test_failure_while_drawing_exits_with_1);
  tcase_add_test(cases, test_help_shows_an_example);
  return run_suite(cases);
}
