/* A run from its deck to its files: what is written when, that it is the same bits each time, and
 * how a run ends that cannot go on. */
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

#include <cellwise/cellwise.h>

#include "base/context_private.h"
#include "output/output.h"
#include "program.h"

#include <pty.h> /* last: its macros B0, B50... are members' names in the deck */

static cw_context *make_context(void) {
  cw_context *context;
  char message[256];
  ck_assert_msg(cw_context_create(NULL, &context, message, sizeof message) == CW_OK, "%s", message);
  return context;
}

/* The closing table of a run that must end well. */
static json_t *closing_table(const program_result *result) {
  ck_assert_msg(result->status == 0, "status %d: %s", result->status, result->err);
  json_t *table = json_loads(result->out, 0, NULL);
  ck_assert_msg(table != NULL, "not one JSON document: %s", result->out);
  return table;
}

static void run_sha256(const char *arguments, char sha256[65]) {
  json_t *table = closing_table(program_run("run --json --quiet --out o %s", arguments));
  const char *text = json_string_value(json_object_get(table, "sha256"));
  ck_assert_ptr_nonnull(text);
  ck_assert_uint_eq(strlen(text), 64);
  strcpy(sha256, text);
  json_decref(table);
}

/* Runs until SIGINT or its own end: far more steps than there is time for. */
static const char endless[] = "exec \"$CELLWISE\" run deck.toml --out o --json --threads 1 "
                              "--steps 1000000000 --set output.interval=1000 "
                              "--set output.stats.interval=1";

static void wait_for(const char *name) {
  for (int k = 0; k < 2000 && !program_exists(name); k++)
    nanosleep(&(struct timespec){0, 10000000}, NULL);
  ck_assert_msg(program_exists(name), "%s did not appear", name);
}

START_TEST(test_history_has_the_contracts_columns_and_a_row_an_interval) {
  static const char header[] =
      "step,time,electric_energy,magnetic_energy,kinetic_energy,total_energy,charge_error,"
      "particles,kinetic_electrons,kinetic_positrons,seconds_";
  char text[16384];
  cw_context *context = make_context();
  cw_table *table;
  /* stats every 3 steps: 0, 3, 6 and the last, 8 */
  ck_assert_int_eq(
      program_run("run deck.toml --out o --quiet --set output.stats.interval=3")->status, 0);
  program_read(program_path("o/history.csv"), text, sizeof text);
  ck_assert_msg(strncmp(text, header, sizeof header - 1) == 0, "header: %.200s", text);
  ck_assert(cw_table_read(context, program_path("o/history.csv"), &table) == CW_OK);
  static const double steps[] = {0, 3, 6, 8};
  ck_assert_int_eq(table->rows, 4);
  for (int r = 0; r < 4; r++) {
    const double *row = table->values + r * table->columns;
    ck_assert_double_eq(row[0], steps[r]);
    /* dt = 0.9 * 0.1; a product of two doubles has round-off of 1e-16 */
    ck_assert(fabs(row[1] - 0.09 * steps[r]) <= 1e-14);
    /* the columns are sums of others: the same sums to round-off */
    ck_assert(fabs(row[5] - (row[2] + row[3] + row[4])) <= 1e-14 * row[5]);
    ck_assert(fabs(row[4] - (row[8] + row[9])) <= 1e-14 * row[4]);
    ck_assert(row[4] > 0 && row[6] <= 1e-12);
    ck_assert_double_eq(row[7], 2 * PROGRAM_CELLS * 8);
  }
  cw_table_destroy(table);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_the_deck_is_kept_and_the_resolved_one_runs_to_the_same_bits) {
  char kept[sizeof program_deck + 16], first[65], again[65];
  run_sha256("deck.toml", first);
  program_read(program_path("o/deck.toml"), kept, sizeof kept);
  ck_assert_str_eq(kept, program_deck);
  ck_assert_int_eq(rename(program_path("o"), program_path("first")), 0);
  run_sha256("first/deck_resolved.toml", again);
  ck_assert_str_eq(first, again);
}
END_TEST

START_TEST(test_field_files_stand_at_their_steps_and_read_back) {
  cw_context *context = make_context();
  ck_assert_int_eq(program_run("run deck.toml --out o --quiet --set output.interval=3")->status, 0);
  ck_assert_int_eq(program_count(program_path("o"), ".h5"), 4);
  static const char *const files[] = {"o/fields_00000000.h5", "o/fields_00000003.h5",
                                      "o/fields_00000006.h5", "o/fields_00000008.h5"};
  for (int f = 0; f < 4; f++) {
    int dim;
    int64_t cells[3];
    double spacing[3], offset[3], *values, sum = 0, mean = 0;
    ck_assert_msg(cw_output_read_field(context, program_path(files[f]), "E", "x", &dim, cells,
                                       spacing, offset, &values) == CW_OK,
                  "%s", cw_context_message(context));
    ck_assert_int_eq(dim, 1);
    ck_assert_int_eq(cells[0], PROGRAM_CELLS);
    ck_assert(fabs(spacing[0] - 0.1) <= 1e-15 && fabs(offset[0] - 0.05) <= 1e-15);
    for (int k = 0; k < PROGRAM_CELLS; k++)
      sum += fabs(values[k]);
    ck_assert(isfinite(sum) && (f == 0 || sum > 0));
    CW_DELETE(context, values);
    ck_assert(cw_output_read_field(context, program_path(files[f]), "density_electrons", NULL, &dim,
                                   cells, spacing, offset, &values) == CW_OK);
    for (int k = 0; k < PROGRAM_CELLS; k++)
      mean += values[k] / PROGRAM_CELLS;
    /* half of n0 is electrons, and a shape's values sum to 1 */
    ck_assert_msg(fabs(mean - 0.5) <= 1e-13, "mean density %.17g", mean);
    CW_DELETE(context, values);
  }
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_json_is_alone_on_stdout) {
  const program_result *result = program_run("run deck.toml --out o --json");
  json_t *table = closing_table(result);
  ck_assert_int_eq(json_integer_value(json_object_get(table, "steps")), PROGRAM_STEPS);
  ck_assert_int_eq(json_integer_value(json_object_get(table, "particles")), 2 * PROGRAM_CELLS * 8);
  ck_assert_str_eq(json_string_value(json_object_get(table, "folder")), "o");
  ck_assert_ptr_nonnull(strstr(result->err, "step 8/8"));
  json_decref(table);
}
END_TEST

START_TEST(test_the_closing_table_is_for_people_without_json) {
  const program_result *result = program_run("run deck.toml --out o");
  ck_assert_int_eq(result->status, 0);
  static const char *const parts[] = {"energy change", "charge error", "speed", "state, sha256",
                                      "results in"};
  for (int k = 0; k < 5; k++)
    ck_assert_msg(strstr(result->out, parts[k]) != NULL, "no '%s' in: %s", parts[k], result->out);
}
END_TEST

START_TEST(test_the_same_bits_with_one_and_two_threads_and_again) {
  static const char *const variants[] = {"", "--set algorithms.deposit.tiled_deposit=false",
                                         "--set algorithms.deposit.tiled_deposit_fixed_point=true"};
  char one[65], two[65], again[65], arguments[256];
  for (int v = 0; v < 3; v++) {
    snprintf(arguments, sizeof arguments, "deck.toml --threads 1 %s", variants[v]);
    run_sha256(arguments, one);
    run_sha256(arguments, again);
    snprintf(arguments, sizeof arguments, "deck.toml --threads 2 %s", variants[v]);
    run_sha256(arguments, two);
    ck_assert_str_eq(one, again);
    ck_assert_str_eq(one, two);
  }
  run_sha256("deck.toml --set simulation.seed=2", two);
  ck_assert_str_ne(one, two); /* the sum sees the state */
}
END_TEST

START_TEST(test_no_steps_write_the_initial_state) {
  json_t *table = closing_table(program_run("run deck.toml --out o --steps 0 --json"));
  ck_assert_int_eq(json_integer_value(json_object_get(table, "steps")), 0);
  ck_assert(json_number_value(json_object_get(table, "energy_change")) == 0);
  json_decref(table);
  char text[8192];
  program_read(program_path("o/history.csv"), text, sizeof text);
  ck_assert_int_eq(program_occurrences(text, "\n"), 2);
  ck_assert_int_eq(program_count(program_path("o"), ".h5"), 1);
  ck_assert(program_exists("o/fields_00000000.h5"));
}
END_TEST

START_TEST(test_an_interrupt_ends_the_run_after_a_step_with_whole_files) {
  static program_result result;
  cw_context *context = make_context();
  cw_table *history;
  pid_t child = program_start(endless);
  wait_for("o/fields_00001000.h5");
  ck_assert_int_eq(kill(child, SIGINT), 0);
  program_finish(child, &result);
  ck_assert_msg(result.status == 1, "status %d: %s", result.status, result.err);
  ck_assert_ptr_nonnull(strstr(result.err, "interrupted after step"));
  json_t *table = json_loads(result.out, 0, NULL);
  ck_assert(table && json_is_true(json_object_get(table, "interrupted")));
  long long steps = json_integer_value(json_object_get(table, "steps"));
  json_decref(table);
  ck_assert(cw_table_read(context, program_path("o/history.csv"), &history) == CW_OK);
  ck_assert_int_eq(history->rows, steps + 1);
  ck_assert_double_eq(history->values[(history->rows - 1) * history->columns], (double)steps);
  /* the state at the end, whole */
  char name[64];
  int dim;
  int64_t cells[3];
  double spacing[3], offset[3], *values;
  snprintf(name, sizeof name, "o/fields_%08lld.h5", steps);
  ck_assert(cw_output_read_field(context, program_path(name), "B", "z", &dim, cells, spacing,
                                 offset, &values) == CW_OK);
  CW_DELETE(context, values);
  ck_assert_int_eq(program_count(program_path("o"), ".part"), 0);
  cw_table_destroy(history);
  cw_context_destroy(context);
}
END_TEST

/* One error line, the last of stderr, and exit status 1. */
static void check_failed(const program_result *result, const char *file) {
  ck_assert_msg(result->status == 1, "status %d: %s", result->status, result->err);
  ck_assert_msg(program_occurrences(result->err, "error: ") == 1, "stderr: %s", result->err);
  ck_assert_msg(strstr(result->err, file) != NULL, "stderr: %s", result->err);
  ck_assert_str_eq(result->out, "");
  ck_assert_int_eq(program_count(program_path("o"), ".part"), 0);
}

START_TEST(test_a_full_disk_ends_in_one_error) {
  static program_result result;
  pid_t child;
  /* `ulimit -f` counts blocks of 512 bytes in dash and of 1024 in bash; the history outgrows both.
   */
  char command[400];
  snprintf(command, sizeof command, "ulimit -f 60; %s", endless);
  child = program_start(command);
  program_finish(child, &result);
  check_failed(&result, "o/");
}
END_TEST

/* 120 kB of random places and momenta do not fit; fields do, and what is there stays whole. */
START_TEST(test_a_full_disk_names_the_particle_file) {
  static program_result result;
  pid_t child = program_start("ulimit -f 60; exec \"$CELLWISE\" run deck.toml --out o -q "
                              "--set particles.ppc0=64 --set output.particles.enable=true "
                              "--set output.particles.stride=1 --set output.particles.interval=4");
  program_finish(child, &result);
  check_failed(&result, "o/particles/particles_00000000.h5: cannot write: File too large");
  ck_assert(program_exists("o/fields_00000000.h5") && program_exists("o/fields.xdmf"));
  ck_assert_int_eq(program_count(program_path("o/particles"), NULL), 0);
}
END_TEST

START_TEST(test_a_disk_that_is_full_from_the_start_leaves_no_folder) {
  static program_result result;
  /* two blocks: LLVM's OpenMP runtime makes a file of 1024 bytes before main; the resolved deck is
   * longer */
  pid_t child = program_start("ulimit -f 2; exec \"$CELLWISE\" run deck.toml --out a/b/o -q");
  program_finish(child, &result);
  ck_assert_msg(result.status == 2, "status %d: %s", result.status, result.err);
  ck_assert_msg(program_occurrences(result.err, "error: ") == 1, "stderr: %s", result.err);
  ck_assert(!program_exists("a"));
}
END_TEST

START_TEST(test_a_folder_that_vanishes_ends_in_one_error) {
  static program_result result;
  pid_t child = program_start(endless);
  wait_for("o/fields.xdmf");
  ck_assert_int_eq(rename(program_path("o"), program_path("gone")), 0);
  program_finish(child, &result);
  check_failed(&result, "o/fields");
  ck_assert_int_eq(program_count(program_path("gone"), ".part"), 0);
  ck_assert(!program_exists("o"));
}
END_TEST

START_TEST(test_closing_table_that_cannot_be_written_is_a_failure) {
  if (access("/dev/full", W_OK) != 0) {
    printf("skipped: there is no /dev/full\n");
    return;
  }
  const program_result *result = program_run("run deck.toml --out o --quiet --json >/dev/full");
  ck_assert_int_eq(result->status, 1);
  ck_assert_int_eq(program_occurrences(result->err, "error: "), 1);
}
END_TEST

START_TEST(test_options_may_be_shortened_as_usual) {
  json_t *table =
      closing_table(program_run("run -qjt1 -oo -n 2 --se particles.ppc0=8 -- deck.toml"));
  ck_assert_int_eq(json_integer_value(json_object_get(table, "steps")), 2);
  ck_assert_int_eq(json_integer_value(json_object_get(table, "threads")), 1);
  ck_assert_int_eq(json_integer_value(json_object_get(table, "particles")), PROGRAM_CELLS * 8);
  json_decref(table);
}
END_TEST

START_TEST(test_progress_is_plain_lines_off_a_terminal_and_none_when_quiet) {
  const program_result *result = program_run("run deck.toml --out o");
  ck_assert_ptr_null(strchr(result->err, '\r'));
  ck_assert_ptr_null(strchr(result->err, '\033'));
  ck_assert_int_eq(program_occurrences(result->err, "steps/s"), 1);
  ck_assert_ptr_nonnull(strstr(result->err, "left\n"));
  ck_assert_str_eq(program_run("run deck.toml --out o --quiet")->err, "");
}
END_TEST

START_TEST(test_progress_is_one_line_rewritten_on_a_terminal) {
  int terminal;
  char text[8192];
  size_t used = 0;
  pid_t child = forkpty(&terminal, NULL, NULL, NULL);
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    alarm(PROGRAM_LIMIT);
    setenv("OMP_WAIT_POLICY", "passive", 1);
    if (chdir(program_path("")) == 0 && freopen("/dev/null", "w", stdout))
      execl(CW_PROGRAM, "cellwise", "run", "deck.toml", "--out", "o", (char *)NULL);
    _exit(127);
  }
  /* the terminal's end reads as an error on Linux, as an end of file elsewhere */
  for (ssize_t got;
       used < sizeof text - 1 && (got = read(terminal, text + used, sizeof text - 1 - used)) > 0;)
    used += (size_t)got;
  text[used] = '\0';
  int state;
  ck_assert_int_eq(waitpid(child, &state, 0), child);
  ck_assert(WIFEXITED(state) && WEXITSTATUS(state) == 0);
  close(terminal);
  ck_assert_msg(text[0] == '\r' && text[1] == '[', "progress: %s", text);
  ck_assert_msg(strstr(text, "step 8/8") != NULL, "progress: %s", text);
  ck_assert_msg(program_occurrences(text, "\n") == 1 && text[used - 1] == '\n', "progress: %s",
                text);
}
END_TEST

int main(void) {
  TCase *cases = tcase_create("run");
  tcase_add_test(cases, test_history_has_the_contracts_columns_and_a_row_an_interval);
  tcase_add_test(cases, test_the_deck_is_kept_and_the_resolved_one_runs_to_the_same_bits);
  tcase_add_test(cases, test_field_files_stand_at_their_steps_and_read_back);
  tcase_add_test(cases, test_json_is_alone_on_stdout);
  tcase_add_test(cases, test_the_closing_table_is_for_people_without_json);
  tcase_add_test(cases, test_the_same_bits_with_one_and_two_threads_and_again);
  tcase_add_test(cases, test_no_steps_write_the_initial_state);
  tcase_add_test(cases, test_an_interrupt_ends_the_run_after_a_step_with_whole_files);
  tcase_add_test(cases, test_a_full_disk_ends_in_one_error);
  tcase_add_test(cases, test_a_full_disk_names_the_particle_file);
  tcase_add_test(cases, test_a_disk_that_is_full_from_the_start_leaves_no_folder);
  tcase_add_test(cases, test_a_folder_that_vanishes_ends_in_one_error);
  tcase_add_test(cases, test_closing_table_that_cannot_be_written_is_a_failure);
  tcase_add_test(cases, test_options_may_be_shortened_as_usual);
  tcase_add_test(cases, test_progress_is_plain_lines_off_a_terminal_and_none_when_quiet);
  tcase_add_test(cases, test_progress_is_one_line_rewritten_on_a_terminal);
  return program_suite("run", cases);
}
