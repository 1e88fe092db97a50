/* history.csv and the table reader: exact round trip, whole rows, errors with file and line. */
#include <float.h>
#include <math.h>

#include "output/output_fixture.h"

static const char *const three[3] = {"step", "time", "energy"};

/* Any finite double, from its bits. */
static double any_double(uint32_t n) {
  uint64_t bits = 0x9E3779B97F4A7C15u * (uint64_t)(n + 1);
  bits ^= bits >> 29;
  bits *= 0xBF58476D1CE4E5B9u;
  bits ^= bits >> 32;
  double value;
  memcpy(&value, &bits, sizeof value);
  return isfinite(value) ? value : (double)n;
}

START_TEST(test_numbers_read_back_to_the_same_bits) {
  enum { ROWS = 2000 };
  static const double special[] = {
      0.1,        1.0 / 3.0,          5e-324, DBL_MAX, DBL_MIN, -0.0, 1e22,
      1e15 + 0.5, 9007199254740993.0, 0.05,   M_PI,    -1e-300};
  enum { SPECIAL = sizeof special / sizeof *special };
  cw_history *history;
  cw_table *table;
  ck_ok(cw_history_create(context, folder, three, 3, &history));
  for (uint32_t r = 0; r < ROWS; r++) {
    double row[3] = {r, any_double(r), special[r % SPECIAL]};
    ck_ok(cw_history_append(history, row));
  }
  ck_ok(cw_history_close(history));
  ck_ok(cw_table_read(context, in_folder("history.csv"), &table));
  ck_assert_int_eq(table->rows, ROWS);
  ck_assert_int_eq(table->columns, 3);
  ck_assert_str_eq(table->names[2], "energy");
  for (uint32_t r = 0; r < ROWS; r++) {
    double expected[3] = {r, any_double(r), special[r % SPECIAL]};
    ck_assert_int_eq(memcmp(table->values + 3 * r, expected, sizeof expected), 0);
  }
  cw_table_destroy(table);
}
END_TEST

START_TEST(test_rows_are_short_and_there_at_once) {
  char text[256] = "";
  cw_history *history;
  ck_ok(cw_history_create(context, folder, three, 3, &history));
  ck_ok(cw_history_append(history, (double[]){12, 0.1, 2.5e-7}));
  FILE *file = fopen(in_folder("history.csv"), "r"); /* while the history is still open */
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  ck_assert_str_eq(text, "step,time,energy\n12,0.1,2.5e-07\n");
  ck_ok(cw_history_close(history));
  ck_ok(cw_history_close(NULL));
}
END_TEST

START_TEST(test_values_that_are_not_finite_are_kept) {
  cw_history *history;
  cw_table *table;
  ck_ok(cw_history_create(context, folder, three, 3, &history));
  ck_ok(cw_history_append(history, (double[]){1, INFINITY, NAN}));
  ck_ok(cw_history_close(history));
  ck_ok(cw_table_read(context, in_folder("history.csv"), &table));
  ck_assert(isinf(table->values[1]) && isnan(table->values[2]));
  cw_table_destroy(table);
}
END_TEST

/* The disk "fills" in the middle of a row: that row must not be there in part. */
START_TEST(test_row_that_does_not_fit_is_not_there_in_part) {
  cw_history *history;
  cw_table *table;
  ck_ok(cw_history_create(context, folder, three, 3, &history));
  ck_ok(cw_history_append(history, (double[]){1, 2, 3}));
  ck_fails_when_full(30, cw_history_append(history, (double[]){2, 0.3333, 0.1234567}), CW_ERROR_IO,
                     "history.csv: cannot write: File too large");
  ck_ok(cw_history_close(history));
  ck_ok(cw_table_read(context, in_folder("history.csv"), &table));
  ck_assert_int_eq(table->rows, 1);
  cw_table_destroy(table);
}
END_TEST

START_TEST(test_history_refuses_bad_names_and_folders) {
  cw_history *history;
  const char *comma[1] = {"a,b"};
  ck_fails(cw_history_create(context, folder, comma, 1, &history), CW_ERROR_ARGUMENT, "a,b");
  ck_fails(cw_history_create(context, folder, three, 0, &history), CW_ERROR_ARGUMENT, "no columns");
  ck_fails(cw_history_create(context, in_folder("missing"), three, 3, &history), CW_ERROR_IO,
           "cannot create: No such file or directory");
  ck_assert_ptr_null(history);
  ck_assert_int_eq(count_entries(folder), 0);
}
END_TEST

START_TEST(test_table_errors_name_file_line_and_column) {
  static const struct {
    const char *text, *message;
  } faults[] = {{"", "t.csv:1: is empty"},
                {"a,,b\n1,2,3\n", "t.csv:1: column 2 has no name"},
                {"a,b\n1,2\n3\n", "t.csv:3: has 1 values; expected 2 as in the header"},
                {"a,b\n1,2,3\n", "t.csv:2: has 3 values; expected 2"},
                {"a,b\n1,2\n3,x4\n", "t.csv:3: column 2 (b) holds \"x4\"; expected a number"},
                {"a,b\n1,2 3\n", "t.csv:2: column 2 (b) holds \"2 3\""},
                {"a,b\n1,\n", "t.csv:2: column 2 (b) holds \"\""},
                {"a,b\n\n1,2\n", "t.csv:2: has 1 values"}};
  cw_table *table;
  for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
    write_file(in_folder("t.csv"), faults[f].text);
    ck_fails(cw_table_read(context, in_folder("t.csv"), &table), CW_ERROR_FORMAT,
             faults[f].message);
    ck_assert_ptr_null(table);
  }
  ck_fails(cw_table_read(context, in_folder("none.csv"), &table), CW_ERROR_IO, "none.csv");
  ck_fails(cw_table_read(context, folder, &table), CW_ERROR_IO, "is not a regular file");
}
END_TEST

START_TEST(test_tables_of_other_programs_are_read) {
  cw_table *table;
  write_file(in_folder("t.csv"), "a,b\r\n1,2\r\n3,4"); /* DOS line ends, none at the end */
  ck_ok(cw_table_read(context, in_folder("t.csv"), &table));
  ck_assert_int_eq(table->rows, 2);
  ck_assert_double_eq(table->values[3], 4);
  ck_assert_str_eq(table->names[1], "b");
  cw_table_destroy(table);
}
END_TEST

static void check_text(const char *expected) {
  char text[256] = "";
  FILE *file = fopen(in_folder("history.csv"), "r");
  ck_assert_ptr_nonnull(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  ck_assert_str_eq(text, expected);
}

START_TEST(test_a_history_goes_on_behind_the_bytes_that_are_to_stay) {
  cw_history *history;
  int64_t bytes;
  ck_ok(cw_history_create(context, folder, three, 3, &history));
  ck_ok(cw_history_append(history, (double[]){0, 0, 1}));
  ck_ok(cw_history_sync(history, &bytes));
  ck_assert_int_eq(bytes, cw_history_bytes(history));
  ck_ok(cw_history_append(history, (double[]){5, 0.5, 2}));
  ck_ok(cw_history_close(history));
  ck_ok(cw_history_resume(context, folder, three, 3, bytes, &history));
  ck_assert_int_eq(cw_history_bytes(history), bytes);
  ck_ok(cw_history_append(history, (double[]){7, 0.7, 3}));
  ck_ok(cw_history_close(history));
  check_text("step,time,energy\n0,0,1\n7,0.7,3\n");
}
END_TEST

START_TEST(test_a_history_that_is_not_the_resumed_runs_stays_as_it_is) {
  static const char *const other[3] = {"step", "time", "charge"};
  static const char text[] = "step,time,energy\n0,0,1\n5,0.5,2\n";
  cw_history *history;
  ck_fails(cw_history_resume(context, folder, three, 3, 23, &history), CW_ERROR_IO,
           "history.csv: cannot open");
  write_file(in_folder("history.csv"), text);
  ck_fails(cw_history_resume(context, folder, other, 3, 23, &history), CW_ERROR_FORMAT,
           "other columns");
  ck_fails(cw_history_resume(context, folder, three, 2, 23, &history), CW_ERROR_FORMAT,
           "other columns");
  ck_fails(cw_history_resume(context, folder, three, 3, 22, &history), CW_ERROR_FORMAT,
           "no end of a row");
  ck_fails(cw_history_resume(context, folder, three, 3, 100, &history), CW_ERROR_FORMAT,
           "found 31 bytes; the checkpoint expects 100");
  ck_fails(cw_history_resume(context, folder, three, 3, 5, &history), CW_ERROR_FORMAT, "header");
  ck_assert_ptr_null(history);
  check_text(text);
}
END_TEST

int main(void) {
  TCase *cases = tcase_create("history");
  tcase_add_test(cases, test_numbers_read_back_to_the_same_bits);
  tcase_add_test(cases, test_rows_are_short_and_there_at_once);
  tcase_add_test(cases, test_values_that_are_not_finite_are_kept);
  tcase_add_test(cases, test_row_that_does_not_fit_is_not_there_in_part);
  tcase_add_test(cases, test_history_refuses_bad_names_and_folders);
  tcase_add_test(cases, test_table_errors_name_file_line_and_column);
  tcase_add_test(cases, test_tables_of_other_programs_are_read);
  tcase_add_test(cases, test_a_history_goes_on_behind_the_bytes_that_are_to_stay);
  tcase_add_test(cases, test_a_history_that_is_not_the_resumed_runs_stays_as_it_is);
  return run_suite(cases);
}
