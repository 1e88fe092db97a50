/* A run that was broken off and resumed has the bits of one that was not: final state, rows of
 * history.csv, field files. */
#include "resume_case.h"

enum { STEPS = 40 };

static const char *options_of(int engine) {
  return engine ? "semi.toml" : "deck.toml";
}

static void begin(int engine, char whole[65]) {
  char arguments[1024];
  program_write("semi.toml", ecsim_deck);
  snprintf(arguments, sizeof arguments, "%s %s --out whole --steps %d --threads 1",
           options_of(engine), engine ? "" : resume_options, STEPS);
  run_to_end(arguments, whole);
}

static const char *more(int engine, const char *rest) {
  static char arguments[1024];
  snprintf(arguments, sizeof arguments, "%s %s %s", options_of(engine),
           engine ? "" : resume_options, rest);
  return arguments;
}

/* Ended by --steps, 4 steps behind a checkpoint, between rows, sorts and field files; then on with
 * more threads. */
START_TEST(test_a_longer_run_goes_on_from_a_shorter_one) {
  char whole[65], sha256[65];
  begin(_i, whole);
  run_to_end(more(_i, "--out o --steps 25 --threads 1"), sha256);
  ck_assert(program_exists("o/fields_00000025.h5")); /* of the end; an unbroken run has none */
  run_to_end(more(_i, "--out o --steps 40 --threads 3 --resume"), sha256);
  ck_assert_str_eq(sha256, whole);
  check_same_run("whole", "o");
  ck_assert(!program_exists("o/previous_1"));
}
END_TEST

START_TEST(test_a_finished_run_resumes_to_what_it_is) {
  char whole[65], sha256[65];
  begin(_i, whole);
  for (int k = 0; k < 2; k++) {
    run_to_end(more(_i, "--out whole --steps 40 --resume"), sha256);
    ck_assert_str_eq(sha256, whole);
  }
  run_to_end(more(_i, "--out o --steps 40"), sha256);
  check_same_run("whole", "o");
}
END_TEST

/* A checkpoint at the very end, on no interval of rows and field files but the end's. */
START_TEST(test_a_checkpoint_of_the_last_step_ends_at_once) {
  char whole[65], sha256[65];
  begin(_i, whole);
  run_to_end(more(_i, "--out o --steps 35"), whole);
  ck_assert(program_exists("o/checkpoint_00000035.h5"));
  run_to_end(more(_i, "--out copy --steps 35"), sha256);
  run_to_end(more(_i, "--out o --steps 35 --resume"), sha256);
  ck_assert_str_eq(sha256, whole);
  check_same_run("copy", "o");
}
END_TEST

static void pause_ms(double ms) {
  const struct timespec time = {(time_t)(ms / 1000), (long)(fmod(ms, 1000) * 1e6)};
  nanosleep(&time, NULL);
}

static double now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* Ctrl-C and SIGTERM: the step is finished, a checkpoint stands at it, the status is 1; what was
 * written only because the run ended there is gone after the resume. */
START_TEST(test_an_interrupted_run_goes_on_where_it_was) {
  static program_result result;
  static const int signals[] = {SIGINT, SIGTERM};
  char command[1200], arguments[1024], unbroken[65], sha256[65], name[64];
  long long step, of;
  snprintf(command, sizeof command,
           "exec \"$CELLWISE\" run deck.toml %s --out o --steps 1000000 -q -t 1 "
           "--set checkpoint.interval=0",
           resume_options);
  pid_t child = program_start(command);
  for (int k = 0; k < 2000 && !program_exists("o/fields_00000045.h5"); k++)
    pause_ms(10);
  ck_assert_int_eq(kill(child, signals[_i]), 0);
  program_finish(child, &result);
  ck_assert_msg(result.status == 1, "status %d: %s", result.status, result.err);
  const char *told = strstr(result.err, "interrupted after step ");
  ck_assert_msg(told && sscanf(told, "interrupted after step %lld of %lld", &step, &of) == 2, "%s",
                result.err);
  ck_assert_ptr_nonnull(strstr(told, "--resume goes on"));
  snprintf(name, sizeof name, "o/checkpoint_%08lld.h5", step);
  ck_assert_msg(program_exists(name), "%s is not there", name);
  snprintf(arguments, sizeof arguments, "deck.toml %s --steps %lld", resume_options, step + 30);
  char line[1200];
  snprintf(line, sizeof line, "%s --out o --resume", arguments);
  run_to_end(line, sha256);
  snprintf(line, sizeof line, "%s --out whole", arguments);
  run_to_end(line, unbroken);
  ck_assert_str_eq(sha256, unbroken);
  check_same_run("whole", "o");
}
END_TEST

/* A run takes ten times as long under sanitizers, which look at code that a few kills have reached. */
enum { KILLS = CW_SANITIZED ? 10 : 50, MOST_RUNS = 1000 };

/* The delay before kill number k as a share of an unbroken run's time: the whole course of a run
 * with its start is hit, and most runs are broken several times. */
static double share_of(uint32_t k) {
  uint32_t bits = (k + 1) * 2654435761u;
  bits ^= bits >> 15;
  bits *= 2246822519u;
  bits ^= bits >> 13;
  return 0.75 * (double)(bits >> 8) / 16777216.0;
}

/* SIGKILL at any moment: while the program starts, in a step, in the middle of writing. */
START_TEST(test_killed_at_random_moments_it_comes_to_the_same_bits) {
  static program_result result;
  char whole[65], sha256[65], command[1200], line[1200];
  const char *steps = "--steps 120 -t 1 --set checkpoint.interval=3";
  snprintf(line, sizeof line, "deck.toml %s %s --out whole", resume_options, steps);
  const double since = now_ms();
  run_to_end(line, whole);
  const double run = now_ms() - since;
  int kills = 0, ended = 0, broken = 0;
  for (int k = 0; k < MOST_RUNS && kills < KILLS; k++) {
    const int started = program_exists("o/history.csv");
    snprintf(command, sizeof command, "exec \"$CELLWISE\" run deck.toml %s %s --out o -q %s",
             resume_options, steps, started ? "--resume" : "");
    pid_t child = program_start(command);
    pause_ms(run * share_of((uint32_t)k));
    kill(child, SIGKILL);
    program_finish(child, &result);
    kills += result.status == 128 + SIGKILL;
    broken += result.status == 128 + SIGKILL;
    ck_assert_msg(result.status == 128 + SIGKILL || result.status == 0, "run %d: status %d: %s", k,
                  result.status, result.err);
    if (result.status != 0)
      continue;
    check_same_run("whole", "o");
    ended += broken > 0;
    broken = 0;
    program_remove(program_path("o"));
  }
  ck_assert_int_ge(kills, KILLS);
  snprintf(line, sizeof line, "deck.toml %s %s --out o %s", resume_options, steps,
           program_exists("o/history.csv") ? "--resume" : "");
  run_to_end(line, sha256);
  ck_assert_str_eq(sha256, whole);
  check_same_run("whole", "o");
  ck_assert_int_eq(program_count(program_path("o"), ".part"), 0);
  ck_assert_int_eq(program_count(program_path("o"), ".bad"), 0);
  printf("%d kills, %d runs broken and ended\n", kills, ended + 1);
}
END_TEST

/* What does not act on the state may change: length, output, threads, the run's name. */
START_TEST(test_output_and_length_may_change_on_the_way) {
  char whole[65], sha256[65];
  begin(0, whole);
  run_to_end(more(0, "--out o --steps 20"), sha256);
  run_to_end(more(0, "--out o --resume --steps 40 --threads 2 --set output.interval=0 "
                     "--set output.stats.interval=1 --set simulation.name=other "
                     "--set checkpoint.keep=1 --set diagnostics.interval=3"),
             sha256);
  ck_assert_str_eq(sha256, whole);
}
END_TEST

START_TEST(test_as_many_stay_as_are_to_be_kept) {
  char sha256[65];
  run_to_end(more(0, "--out two --steps 40"), sha256);
  ck_assert_int_eq(program_count_begin(program_path("two"), "fields_"), 6); /* 0 9 18 27 36 40 */
  ck_assert_int_eq(program_count_begin(program_path("two"), "checkpoint_"), 2);
  ck_assert(program_exists("two/checkpoint_00000028.h5"));
  ck_assert(program_exists("two/checkpoint_00000035.h5"));
  run_to_end(more(0, "--out all --steps 40 --set checkpoint.keep=-1"), sha256);
  ck_assert_int_eq(program_count_begin(program_path("all"), "fields_"), 6);
  ck_assert_int_eq(program_count_begin(program_path("all"), "checkpoint_"), 5);
  run_to_end(more(0, "--out none --steps 40 --set checkpoint.keep=0"), sha256);
  ck_assert_int_eq(program_count_begin(program_path("none"), "fields_"), 6);
  ck_assert_int_eq(program_count_begin(program_path("none"), "checkpoint_"), 0);
}
END_TEST

/* dt is 0.09: multiples of 1 lie in steps 12, 23, 34; the clock adds one more behind any step. */
START_TEST(test_checkpoints_by_time) {
  char sha256[65];
  run_to_end(more(0, "--out o --steps 40 --set checkpoint.interval_time=1.0 "
                     "--set checkpoint.keep=-1"),
             sha256);
  ck_assert(program_exists("o/checkpoint_00000012.h5"));
  ck_assert(program_exists("o/checkpoint_00000023.h5"));
  ck_assert(program_exists("o/checkpoint_00000034.h5"));
  ck_assert_int_eq(program_count_begin(program_path("o"), "fields_"), 6);
  ck_assert_int_eq(program_count_begin(program_path("o"), "checkpoint_"), 3);
  static program_result result;
  pid_t child = program_start("exec \"$CELLWISE\" run deck.toml --out w --steps 1000000000 -q -t 1 "
                              "--set checkpoint.interval=0 --set checkpoint.walltime='\"00:00:01\"'"
                              " --set output.stats.interval=100000 --set output.interval=0");
  for (int k = 0; k < 3000 && program_count(program_path("w"), ".h5") == 0; k++)
    pause_ms(10);
  kill(child, SIGKILL);
  program_finish(child, &result);
  ck_assert_int_eq(program_count(program_path("w"), ".h5"), 1);
}
END_TEST

START_TEST(test_checkpoints_have_a_folder_of_their_own_where_the_deck_says_so) {
  char whole[65], sha256[65];
  begin(0, whole);
  const char *path = "--set 'checkpoint.write_path=\"../safe/here\"'";
  char line[512];
  snprintf(line, sizeof line, "--out o --steps 25 %s", path);
  run_to_end(more(0, line), sha256);
  ck_assert(program_exists("safe/here/checkpoint_00000021.h5"));
  snprintf(line, sizeof line, "--out o --steps 40 --resume %s", path);
  run_to_end(more(0, line), sha256);
  ck_assert_str_eq(sha256, whole);
  ck_assert_int_eq(program_count_begin(program_path("o"), "fields_"), 6);
  ck_assert_int_eq(program_count_begin(program_path("o"), "checkpoint_"), 0);
  /* a new run does not take up the earlier one's */
  snprintf(line, sizeof line, "--out o --steps 2 %s", path);
  run_to_end(more(0, line), sha256);
  ck_assert(program_exists("safe/here/previous_1/checkpoint_00000035.h5"));
  ck_assert(!program_exists("safe/here/checkpoint_00000035.h5"));
  ck_assert(program_exists("o/previous_1/fields_00000040.h5"));
}
END_TEST

START_TEST(test_a_new_run_moves_an_earlier_one_aside_and_says_so) {
  char sha256[65], first[65];
  run_to_end(more(0, "--out o --steps 20"), first);
  const program_result *result = program_run("run %s", more(0, "--out o --steps 10"));
  ck_assert_int_eq(result->status, 0);
  ck_assert_msg(strstr(result->err, "earlier run are now in o/previous_1") != NULL, "%s",
                result->err);
  ck_assert(program_exists("o/previous_1/checkpoint_00000014.h5"));
  ck_assert(program_exists("o/previous_1/deck.toml"));
  ck_assert(!program_exists("o/checkpoint_00000014.h5"));
  run_to_end(more(0, "--out o/previous_1 --steps 20 --resume"), sha256);
  ck_assert_str_eq(sha256, first);
}
END_TEST

/* A deck that starts from a checkpoint and says nothing that it gives. */
static void write_state_deck(const char *name, const char *engine, const char *file,
                             const char *rest) {
  char deck[1024];
  snprintf(deck, sizeof deck,
           "[simulation]\nname = \"on\"\nengine = \"%s\"\nruntime = 100.0\n[setup]\n"
           "problem = \"state\"\nfile = \"%s\"\n[output]\ninterval = 0\nstats.interval = 1\n"
           "[checkpoint]\ninterval = 7\n%s",
           engine, file, rest);
  program_write(name, deck);
}

/* Row number `row` of a history from its third column on: behind step and time. */
static void energies_of(const char *folder, int row, char text[512]) {
  char *all = history_of(folder), *line = strchr(all, '\n') + 1;
  for (int k = 0; k < row; k++)
    line = strchr(line, '\n') + 1;
  line = strchr(strchr(line, ',') + 1, ',');
  snprintf(text, 512, "%.*s", (int)strcspn(line, "\n"), line);
  free(all);
}

/* The new run's first row is the old one's at that step: the same particles in the same order in
 * the same fields. Engine ecsim sorts each step, so that all that follows has the same bits too. */
START_TEST(test_a_checkpoint_is_a_state_to_start_from) {
  char whole[65], sha256[65], unbroken[65], before[512], after[512];
  begin(_i, whole);
  run_to_end(more(_i, "--out o --steps 21 --set output.stats.interval=7"), sha256);
  energies_of("o", 3, before);
  write_state_deck("on.toml", _i ? "ecsim" : "srpic", "o/checkpoint_00000021.h5",
                   _i ? "[algorithms.ecsim]\nsmoothing_passes = 1\n" : "");
  run_to_end("on.toml --steps 19 --out on", unbroken);
  energies_of("on", 0, after);
  ck_assert_str_eq(before, after);
  if (_i)
    ck_assert_str_eq(unbroken, whole);
  /* such a run resumes too, also when the checkpoint that it began from is gone */
  run_to_end("on.toml --steps 10 --out broken", sha256);
  ck_assert_int_eq(unlink(program_path("o/checkpoint_00000021.h5")), 0);
  run_to_end("on.toml --steps 19 --out broken --resume", sha256);
  ck_assert_str_eq(sha256, unbroken);
  check_same_history("on", "broken");
}
END_TEST

static const struct {
  const char *engine, *rest, *phrase;
} contradictions[] = {
    {"ecsim", "",
     "simulation.engine: found \"ecsim\"; the checkpoint o/checkpoint_00000021.h5 has \"srpic\""},
    {"srpic", "[grid]\nresolution = [25]\n", "grid.resolution: found [25]"},
    {"srpic", "[scales]\nskindepth0 = 2.0\n", "scales.skindepth0: found 2.0"},
    {"srpic", "[algorithms.deposit]\nshape_order = 3\n", "shape_order: found 3"},
    {"srpic", "[[particles.species]]\nmass = 1.0\ncharge = 1.0\n", "found 1 species"},
    {"srpic",
     "[[particles.species]]\nmass = 1.0\ncharge = 1.0\n[[particles.species]]\nmass = 1.0\n"
     "charge = -1.0\n",
     "particles.species.charge: found 1.0"},
    {"srpic", "[grid]\nresolution = [24]\nboundaries.fields = [[\"CONDUCTOR\"]]\n",
     "grid.boundaries.fields: found [[\"CONDUCTOR\", \"CONDUCTOR\"]]"},
};

START_TEST(test_a_deck_that_contradicts_the_checkpoint_it_starts_from_is_refused) {
  char sha256[65];
  run_to_end(more(0, "--out o --steps 21"), sha256);
  for (size_t k = 0; k < sizeof contradictions / sizeof *contradictions; k++) {
    write_state_deck("on.toml", contradictions[k].engine, "o/checkpoint_00000021.h5",
                     contradictions[k].rest);
    const program_result *result = program_run("check on.toml");
    ck_assert_msg(result->status == 2, "case %zu: status %d", k, result->status);
    ck_assert_msg(strstr(result->err, contradictions[k].phrase) && strstr(result->err, "on.toml:"),
                  "case %zu: %s", k, result->err);
  }
  /* what agrees may be said */
  write_state_deck("on.toml", "srpic", "o/checkpoint_00000021.h5",
                   "[grid]\nresolution = [24]\nboundaries.fields = [[\"PERIODIC\"]]\n"
                   "[algorithms]\ntimestep.CFL = 0.9\n");
  const program_result *result = program_run("run on.toml --steps 2 --out on -q");
  ck_assert_msg(result->status == 0, "%s", result->err);
  /* a damaged one */
  FILE *file = fopen(program_path("o/checkpoint_00000021.h5"), "r+b");
  fseek(file, 5000, SEEK_SET);
  fputs("damage", file);
  fclose(file);
  result = program_run("run on.toml --steps 2 --out bad -q");
  ck_assert_int_eq(result->status, 2);
  ck_assert_msg(strstr(result->err, "setup.file: ") && strstr(result->err, "was damaged"), "%s",
                result->err);
  ck_assert(!program_exists("bad"));
}
END_TEST

int main(void) {
  TCase *cases = tcase_create("resume");
  tcase_add_loop_test(cases, test_a_longer_run_goes_on_from_a_shorter_one, 0, 2);
  tcase_add_loop_test(cases, test_a_finished_run_resumes_to_what_it_is, 0, 2);
  tcase_add_loop_test(cases, test_a_checkpoint_of_the_last_step_ends_at_once, 0, 2);
  tcase_add_loop_test(cases, test_an_interrupted_run_goes_on_where_it_was, 0, 2);
  tcase_add_test(cases, test_killed_at_random_moments_it_comes_to_the_same_bits);
  tcase_add_test(cases, test_output_and_length_may_change_on_the_way);
  tcase_add_test(cases, test_as_many_stay_as_are_to_be_kept);
  tcase_add_test(cases, test_checkpoints_by_time);
  tcase_add_test(cases, test_checkpoints_have_a_folder_of_their_own_where_the_deck_says_so);
  tcase_add_test(cases, test_a_new_run_moves_an_earlier_one_aside_and_says_so);
  tcase_add_loop_test(cases, test_a_checkpoint_is_a_state_to_start_from, 0, 2);
  tcase_add_test(cases, test_a_deck_that_contradicts_the_checkpoint_it_starts_from_is_refused);
  return program_suite("resume", cases);
}
