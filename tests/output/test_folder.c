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

START_TEST(test_an_earlier_run_is_replaced_and_other_files_stay) {
  write_file(in_folder("history.csv"), "step,time,energy\n0,0,1\n");
  write_file(in_folder("fields_00000040.h5"), "x");
  write_file(in_folder("fields_00000080.h5.part"), "x");
  write_file(in_folder("fields_mine.h5"), "x");
  write_file(in_folder("notes.txt"), "x");
  ck_ok(cw_output_open_folder(context, folder));
  ck_assert_int_eq(count_entries(folder), 2);
  ck_assert_int_eq(access(in_folder("notes.txt"), F_OK), 0);
  ck_assert_int_eq(access(in_folder("fields_mine.h5"), F_OK), 0);
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
  tcase_add_test(cases, test_an_earlier_run_is_replaced_and_other_files_stay);
  tcase_add_test(cases, test_a_foreign_history_is_not_lost);
  tcase_add_test(cases, test_text_is_replaced_whole_or_not_at_all);
  return run_suite(cases);
}
