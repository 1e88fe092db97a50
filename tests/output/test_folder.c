/* Output folders and text files: made with their parents, checked, and left alone on failure. */

#include "output/output_fixture.h"

START_TEST(test_folder_is_made_with_its_parents) {
  ck_ok(cw_output_open_folder(context, in_folder("a/b//c/")));
  ck_assert_int_eq(count_entries(in_folder("a/b/c")), 0);
  ck_ok(cw_output_open_folder(context, in_folder("a/b/c"))); /* again: it is there */
  rmdir(in_folder("a/b/c"));
  rmdir(in_folder("a/b"));
  rmdir(in_folder("a"));
}
END_TEST

START_TEST(test_path_below_a_file_fails) {
  write_file(in_folder("plain"), "text");
  ck_fails(cw_output_open_folder(context, in_folder("plain")), CW_ERROR_IO, "is a file");
  ck_fails(cw_output_open_folder(context, in_folder("plain/run")), CW_ERROR_IO, "plain: is a file");
  ck_fails(cw_output_open_folder(context, ""), CW_ERROR_IO, "empty");
  ck_assert_int_eq(count_entries(folder), 1);
}
END_TEST

START_TEST(test_failure_removes_only_the_folders_it_made) {
  char deep[700] = "new/run/";
  memset(deep + 8, 'x', 300); /* longer than any file system's limit for a name */
  deep[308] = '\0';
  ck_fails(cw_output_open_folder(context, in_folder(deep)), CW_ERROR_IO, "File name too long");
  ck_assert_int_eq(count_entries(folder), 0);
}
END_TEST

/* /proc cannot be written to, not even by root. */
START_TEST(test_folder_that_cannot_be_written_fails) {
  ck_fails(cw_output_open_folder(context, "/proc"), CW_ERROR_IO, "cannot write into");
  ck_fails(cw_output_open_folder(context, "/proc/run"), CW_ERROR_IO, "cannot make");
}
END_TEST

static void check_content(const char *name, const char *expected);

static void write_earlier_run(void) {
  write_file(in_folder("history.csv"), "step,time,energy\n0,0,1\n");
  write_file(in_folder("fields_00000040.h5"), "old fields");
  write_file(in_folder("checkpoint_00000040.h5"), "old checkpoint");
  write_file(in_folder("deck.toml"), "old deck");
  write_file(in_folder("fields_mine.h5"), "x");
  write_file(in_folder("notes.txt"), "x");
}

/* Removes folder/previous_N. */
static void remove_aside(const char *aside) {
  remove_folder(aside);
  ck_assert_int_ne(access(aside, F_OK), 0);
}

START_TEST(test_an_earlier_run_is_moved_aside_and_other_files_stay) {
  char aside[CW_OUTPUT_PATH];
  write_earlier_run();
  write_file(in_folder("fields_00000080.h5.part"), "x"); /* of a killed run: worthless */
  write_file(in_folder("checkpoint_00000080.h5.part"), "x");
  write_file(in_folder("mine.part"), "x");
  ck_ok(cw_output_open_folder(context, folder));
  ck_assert_int_eq(count_entries(folder), 7);
  ck_ok(cw_output_set_aside(context, folder, aside));
  ck_assert_str_eq(aside, in_folder("previous_1"));
  ck_assert_int_eq(count_entries(folder), 5); /* a deck may be the one that is being run */
  ck_assert_int_eq(access(in_folder("notes.txt"), F_OK), 0);
  ck_assert_int_eq(access(in_folder("fields_mine.h5"), F_OK), 0);
  ck_assert_int_eq(access(in_folder("mine.part"), F_OK), 0);
  check_content("deck.toml", "old deck");
  ck_assert_int_eq(count_entries(aside), 4);
  check_content("previous_1/history.csv", "step,time,energy\n0,0,1\n");
  check_content("previous_1/fields_00000040.h5", "old fields");
  check_content("previous_1/checkpoint_00000040.h5", "old checkpoint");
  check_content("previous_1/deck.toml", "old deck");
  /* nothing is left to move, so nothing is made */
  ck_ok(cw_output_set_aside(context, folder, aside));
  ck_assert_str_eq(aside, "");
  write_file(in_folder("history.csv"), "step,time,energy\n0,0,2\n");
  ck_ok(cw_output_set_aside(context, folder, aside));
  check_content("previous_2/history.csv", "step,time,energy\n0,0,2\n");
  check_content("previous_1/history.csv", "step,time,energy\n0,0,1\n");
  remove_aside(in_folder("previous_1"));
  remove_aside(in_folder("previous_2"));
}
END_TEST

START_TEST(test_an_earlier_run_comes_back_when_the_new_one_cannot_start) {
  char aside[CW_OUTPUT_PATH];
  write_earlier_run();
  ck_ok(cw_output_set_aside(context, folder, aside));
  cw_output_put_back(folder, aside);
  ck_assert_int_eq(count_entries(folder), 6);
  check_content("history.csv", "step,time,energy\n0,0,1\n");
  check_content("checkpoint_00000040.h5", "old checkpoint");
  check_content("deck.toml", "old deck");
}
END_TEST

START_TEST(test_field_files_behind_a_step_are_dropped) {
  write_earlier_run();
  write_file(in_folder("fields_00000060.h5"), "x");
  write_file(in_folder("fields_123456789.h5"), "x");
  ck_ok(cw_output_drop(context, folder, CW_SERIES_FIELDS, 40));
  ck_assert_int_eq(count_entries(folder), 6);
  check_content("fields_00000040.h5", "old fields");
  ck_ok(cw_output_drop(context, folder, CW_SERIES_FIELDS, -1));
  ck_assert_int_eq(count_entries(folder), 5);
}
END_TEST

/* A series with a folder of its own moves with it, is dropped in it, and its parts go; a folder of
 * that name without its files is the user's. */
START_TEST(test_folders_of_series_are_minded) {
  char aside[CW_OUTPUT_PATH];
  ck_assert_int_eq(mkdir(in_folder("spectra"), 0777), 0);
  write_file(in_folder("spectra/mine.txt"), "x");
  ck_ok(cw_output_set_aside(context, folder, aside));
  ck_assert_str_eq(aside, "");
  write_file(in_folder("spectra/spectra_00000010.h5"), "ten");
  write_file(in_folder("spectra/spectra_00000020.h5"), "twenty");
  write_file(in_folder("spectra/spectra_00000030.h5.part"), "x");
  ck_ok(cw_output_open_folder(context, folder));
  ck_assert_int_eq(count_entries(in_folder("spectra")), 3);
  ck_ok(cw_output_drop(context, folder, CW_SERIES_SPECTRA, 10));
  ck_ok(cw_output_drop(context, folder, CW_SERIES_PHASE_SPACE, 10)); /* is not there */
  ck_assert_int_eq(count_entries(in_folder("spectra")), 2);
  ck_ok(cw_output_set_aside(context, folder, aside));
  check_content("previous_1/spectra/spectra_00000010.h5", "ten");
  ck_assert_int_eq(access(in_folder("spectra"), F_OK), -1);
  remove_aside(in_folder("previous_1/spectra"));
  remove_aside(in_folder("previous_1"));
}
END_TEST

START_TEST(test_a_foreign_history_is_not_lost) {
  write_file(in_folder("history.csv"), "year,event\n1905,relativity\n");
  ck_fails(cw_output_open_folder(context, folder), CW_ERROR_IO, "was not written by cellwise");
  ck_assert_int_eq(count_entries(folder), 1);
}
END_TEST

static void check_content(const char *name, const char *expected) {
  char text[64] = "";
  FILE *file = fopen(in_folder(name), "r");
  ck_assert_ptr_nonnull(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  ck_assert_str_eq(text, expected);
}

START_TEST(test_text_is_replaced_whole_or_not_at_all) {
  char large[20001];
  memset(large, 'a', 20000);
  large[20000] = '\0';
  ck_ok(cw_output_write_text(context, folder, "deck.toml", "old\n"));
  ck_ok(cw_output_write_text(context, folder, "deck.toml", "new\n"));
  check_content("deck.toml", "new\n");
  ck_fails_when_full(10000, cw_output_write_text(context, folder, "deck.toml", large), CW_ERROR_IO,
                     "deck.toml: cannot write: File too large");
  check_content("deck.toml", "new\n");
  ck_assert_int_eq(count_entries(folder), 1);
  ck_fails(cw_output_write_text(context, in_folder("none"), "deck.toml", "x"), CW_ERROR_IO,
           "none/deck.toml: cannot create");
}
END_TEST

int main(void) {
  TCase *cases = tcase_create("folder");
  tcase_add_test(cases, test_folder_is_made_with_its_parents);
  tcase_add_test(cases, test_path_below_a_file_fails);
  tcase_add_test(cases, test_failure_removes_only_the_folders_it_made);
  tcase_add_test(cases, test_folder_that_cannot_be_written_fails);
  tcase_add_test(cases, test_an_earlier_run_is_moved_aside_and_other_files_stay);
  tcase_add_test(cases, test_an_earlier_run_comes_back_when_the_new_one_cannot_start);
  tcase_add_test(cases, test_field_files_behind_a_step_are_dropped);
  tcase_add_test(cases, test_folders_of_series_are_minded);
  tcase_add_test(cases, test_a_foreign_history_is_not_lost);
  tcase_add_test(cases, test_text_is_replaced_whole_or_not_at_all);
  return run_suite(cases);
}
