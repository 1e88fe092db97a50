/* The files that PRINT and DUMPDERIVATIVES write: backups, RESTART, FLUSH, resuming, frames in
 * parallel. */
#include "program_support.h"

#include "molecular/analysis.h"

START_TEST(test_frames_in_parallel_give_the_bytes_of_one_after_another) {
  must_run(RUN "--threads 1");
  char *colvar = read_file("COLVAR"), *derivatives = read_file("DERIV");
  must_run(RUN "--threads 4");
  check_same("COLVAR", colvar);
  check_same("DERIV", derivatives);
  must_run(RUN "--threads 1 --json --derivatives");
  char *json = read_file("output");
  must_run(RUN "--threads 3 --json --derivatives");
  check_same("output", json);
  free(json);
  free(colvar);
  free(derivatives);
}
END_TEST

/* A bad frame: those before it are written, and the message names its line. */
START_TEST(test_frames_before_a_bad_one_are_written) {
  write_text("traj.xyz", "1\n2 2 2\nX 0 0 0\n1\n2 2 2\nX 0 0 0\n1\n2 2 2\nX 0 0\n");
  write_text("input.dat", "c: COORDINATION GROUPA=1 R_0=1\nPRINT ARG=c FILE=COLVAR\n");
  must_refuse(RUN "--threads 2", "traj.xyz:9: atom 1");
  check_same("COLVAR", "#! FIELDS time c\n 0.000000 0.000000\n 1.000000 0.000000\n");
}
END_TEST

START_TEST(test_existing_files_are_kept_under_the_next_free_name) {
  write_text("COLVAR", "mine\n");
  must_run(RUN);
  check_same("bck.0.COLVAR", "mine\n");
  char *first = read_file("COLVAR");
  must_run(RUN "--stride 2");
  check_same("bck.0.COLVAR", "mine\n");
  check_same("bck.1.COLVAR", first);
  free(first);
}
END_TEST

START_TEST(test_restart_adds_rows_under_the_old_header) {
  char *old, *both = NULL, text[1024];
  must_run(RUN);
  old = read_file("COLVAR");
  snprintf(text, sizeof text, "RESTART\n%s", input);
  write_text("restart.dat", text);
  must_run("restart.dat --traj traj.xyz");
  const char *rows = strchr(old, '\n') + 1;
  both = malloc(2 * strlen(old));
  sprintf(both, "%s%s", old, rows);
  check_same("COLVAR", both);
  ck_assert_ptr_null(read_file("bck.0.COLVAR"));
  /* other columns, a file that is none, a cut-off line */
  write_text("other.dat",
             "RESTART\nc: COORDINATION GROUPA=1-30 R_0=0.3\nPRINT ARG=c FILE=COLVAR\n");
  must_refuse("other.dat --traj traj.xyz", "#! FIELDS time c d");
  check_same("COLVAR", both);
  write_text("COLVAR", " 0.0 1.0\n");
  must_refuse("restart.dat --traj traj.xyz", "does not begin with '#! FIELDS'");
  snprintf(text, sizeof text, "#! FIELDS time c d\n 0.0 1.");
  write_text("COLVAR", text);
  must_run("restart.dat --traj traj.xyz");
  check_same("COLVAR", old);
  free(old);
  free(both);
}
END_TEST

/* Files cut anywhere, each at another place. */
START_TEST(test_resuming_gives_the_files_of_an_unbroken_run) {
  must_run(RUN "--threads 1");
  char *colvar = read_file("COLVAR"), *derivatives = read_file("DERIV");
  size_t length = strlen(colvar), other = strlen(derivatives);
  for (size_t k = 0; k <= 12; k++) {
    size_t a = length * k / 12, b = other * (k * 5 % 13) / 12;
    char *cut = strndup(colvar, a), *cut_other = strndup(derivatives, b);
    write_text("COLVAR", cut);
    write_text("DERIV", cut_other);
    must_run(RUN "--resume --threads 2");
    check_same("COLVAR", colvar);
    check_same("DERIV", derivatives);
    free(cut);
    free(cut_other);
  }
  ck_assert_ptr_null(read_file("bck.0.COLVAR"));
  free(colvar);
  free(derivatives);
}
END_TEST

/* The list of a resumed run is that of an unbroken one: rebuilt at steps 0, 7, 14, 21. */
START_TEST(test_resuming_between_rebuilds_of_a_list) {
  write_text("input.dat", "c: COORDINATION GROUPA=1-30 SWITCH={RATIONAL R_0=0.3 D_MAX=0.9} NLIST "
                          "NL_CUTOFF=0.9 NL_STRIDE=7\nPRINT ARG=c FILE=COLVAR FMT=%.12f\n");
  must_run(RUN);
  char *colvar = read_file("COLVAR"), *cut = strndup(colvar, strlen(colvar) / 2);
  write_text("COLVAR", cut);
  must_run(RUN "--resume");
  check_same("COLVAR", colvar);
  free(colvar);
  free(cut);
}
END_TEST

START_TEST(test_files_of_another_run_are_not_resumed) {
  must_run(RUN);
  must_refuse(RUN "--resume --timestep 2 --stride 4 --every 1 --initial-step 4", "COLVAR");
  must_refuse(RUN "--resume --every 2", "cannot be resumed");
  write_text("only.dat", "c: COORDINATION GROUPA=1-30 R_0=0.3\n");
  must_refuse("only.dat --traj traj.xyz --resume", "nothing to resume");
  write_text("restart.dat", "RESTART\nc: COORDINATION GROUPA=1-30 R_0=0.3\nPRINT ARG=c FILE=X\n");
  must_refuse("restart.dat --traj traj.xyz --resume", "restart.dat:3: PRINT: RESTART");
  must_refuse(RUN "--resume --json", "--json");
}
END_TEST

static size_t rows_on_disk(void) {
  char *text = read_file("COLVAR");
  size_t rows = 0;
  for (const char *at = text; *at; at++)
    rows += *at == '\n';
  free(text);
  return rows;
}

/* Without FLUSH, rows stay in memory until the file is closed; with it they are there at once. */
START_TEST(test_flush_puts_rows_on_disk) {
  static const size_t right[2][3] = {{3, 3, 5}, {0, 0, 0}}; /* after steps 2, 3 and 4 */
  char path[256];
  for (int without = 0; without < 2; without++) {
    cw_context *context = new_context(1, CW_ISA_AUTO);
    cw_trajectory *trajectory;
    cw_input read;
    cw_analysis *analysis;
    cw_analysis_options options = {.file_length = 1, .timestep = 1, .folder = folder};
    int more;
    write_text("flush.dat", without
                                ? "c: COORDINATION GROUPA=1-30 R_0=0.1\nPRINT ARG=c FILE=COLVAR\n"
                                : "c: COORDINATION GROUPA=1-30 R_0=0.1\nFLUSH STRIDE=2\n"
                                  "PRINT ARG=c FILE=COLVAR\n");
    in_folder("traj.xyz", path);
    MUST(context, cw_trajectory_open(context, path, NULL, NULL, &trajectory));
    in_folder("flush.dat", path);
    MUST(context, cw_input_read(context, path, 30, &read));
    MUST(context, cw_analysis_create(&read, &options, &analysis));
    for (int step = 1; step <= 4; step++) {
      MUST(context, cw_trajectory_next(trajectory, &more));
      MUST(context, cw_analysis_frame(analysis, &trajectory->frame, step));
      if (step > 1)
        ck_assert_uint_eq(rows_on_disk(), right[without][step - 2]);
    }
    MUST(context, cw_analysis_destroy(analysis));
    ck_assert_uint_eq(rows_on_disk(), 5);
    cw_input_clear(&read);
    cw_trajectory_close(trajectory);
    ck_assert_int_eq((int64_t)cw_memory_used(context, CW_SPACE_HOST), 0);
    cw_context_destroy(context);
  }
}
END_TEST

int main(void) {
  if (!mkdtemp(folder))
    return 1;
  Suite *suite = suite_create("coordination files");
  TCase *tcase = tcase_create("program");
  tcase_add_test(tcase, test_frames_in_parallel_give_the_bytes_of_one_after_another);
  tcase_add_test(tcase, test_frames_before_a_bad_one_are_written);
  tcase_add_test(tcase, test_existing_files_are_kept_under_the_next_free_name);
  tcase_add_test(tcase, test_restart_adds_rows_under_the_old_header);
  tcase_add_test(tcase, test_resuming_gives_the_files_of_an_unbroken_run);
  tcase_add_test(tcase, test_resuming_between_rebuilds_of_a_list);
  tcase_add_test(tcase, test_files_of_another_run_are_not_resumed);
  tcase_add_test(tcase, test_flush_puts_rows_on_disk);
  return run_suite(suite, tcase);
}
