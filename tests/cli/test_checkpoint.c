/* Checkpoints that cannot be written or read: one clear error each, the older one still good. */
#include "resume_case.h"

enum { STEPS = 30 }; /* checkpoints of steps 14, 21, 28 come and 21, 28 stay */

static const char newest[] = "o/checkpoint_00000028.h5", older[] = "o/checkpoint_00000021.h5";
static char whole[65]; /* hash of an unbroken run of 40 steps */

static const char *more(const char *rest) {
  static char arguments[2048];
  snprintf(arguments, sizeof arguments, "deck.toml %s -t 1 %s", resume_options, rest);
  return arguments;
}

static void begin(void) {
  char sha256[65];
  run_to_end(more("--out whole --steps 40"), whole);
  run_to_end(more("--out o --steps 30"), sha256);
  ck_assert(program_exists(newest) && program_exists(older));
}

static program_result *resume(const char *rest) {
  char line[900];
  snprintf(line, sizeof line, "--out o --steps 40 --resume -q --json %s", rest);
  return program_run("run %s", more(line));
}

static void check_whole(const program_result *result) {
  ck_assert_msg(result->status == 0, "status %d: %s", result->status, result->err);
  ck_assert_msg(strstr(result->out, whole) != NULL, "another final state: %s", result->out);
  check_same_run("whole", "o");
}

static void check_refused(const program_result *result, const char *phrase) {
  ck_assert_msg(result->status == 2, "status %d: %s", result->status, result->err);
  ck_assert_msg(program_occurrences(result->err, "error: ") == 1, "stderr: %s", result->err);
  ck_assert_msg(strstr(result->err, phrase) != NULL, "expected '%s' in: %s", phrase, result->err);
  ck_assert_str_eq(result->out, "");
}

/* All bytes of a file, to be put back. */
typedef struct contents {
  char *bytes;
  size_t size;
} contents;

static contents load(const char *name) {
  contents all = {malloc(1 << 20), 0};
  FILE *file = fopen(program_path(name), "rb");
  ck_assert_ptr_nonnull(file);
  all.size = fread(all.bytes, 1, 1 << 20, file);
  fclose(file);
  ck_assert_uint_lt(all.size, 1 << 20);
  return all;
}

static void store(const char *name, const char *bytes, size_t size) {
  FILE *file = fopen(program_path(name), "wb");
  ck_assert_ptr_nonnull(file);
  ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
  ck_assert_int_eq(fclose(file), 0);
}

static void damage_nothing(const char *name) {
  store(name, "", 0);
}
static void damage_text(const char *name) {
  program_write(name, "step,time\n0,0\n");
}
static void damage_end(const char *name) {
  contents all = load(name);
  store(name, all.bytes, all.size - 1000);
  free(all.bytes);
}
static void damage_half(const char *name) {
  contents all = load(name);
  store(name, all.bytes, all.size / 2);
  free(all.bytes);
}
static void damage_appended(const char *name) {
  contents all = load(name);
  store(name, all.bytes, all.size + 1);
  free(all.bytes);
}
static void damage_bit(const char *name) {
  contents all = load(name);
  all.bytes[all.size * 2 / 3] ^= 4;
  store(name, all.bytes, all.size);
  free(all.bytes);
}
static void damage_seal(const char *name) {
  contents all = load(name);
  memcpy(strstr(all.bytes, "sha256"), "sha255", 6);
  store(name, all.bytes, all.size);
  free(all.bytes);
}
static void damage_format(const char *name) {
  contents all = load(name);
  memcpy(all.bytes, "cellwise checkpoint 9", 21);
  store(name, all.bytes, all.size);
  free(all.bytes);
}
static void damage_other_hdf5(const char *name) {
  contents all = load("o/fields_00000018.h5");
  store(name, all.bytes, all.size);
  free(all.bytes);
}
static void damage_folder(const char *name) {
  unlink(program_path(name));
  ck_assert_int_eq(mkdir(program_path(name), 0777), 0);
}

/* A sound seal around contents that are not what they should be. */
static hid_t open_inside(const char *name) {
  hid_t file = H5Fopen(program_path(name), H5F_ACC_RDWR, H5P_DEFAULT);
  ck_assert_int_ge((int)(file >= 0), 1);
  return file;
}

static void close_inside(const char *name, hid_t file) {
  cw_context *context;
  H5Fclose(file);
  ck_assert(cw_context_create(NULL, &context, NULL, 0) == CW_OK);
  ck_assert(cw_seal_write(context, program_path(name), name, "checkpoint") == CW_OK);
  cw_context_destroy(context);
}

static void without(const char *name, const char *link) {
  char path[256];
  hid_t file = open_inside(name);
  snprintf(path, sizeof path, "data/28/%s", link);
  ck_assert_int_ge(H5Ldelete(file, path, H5P_DEFAULT), 0);
  close_inside(name, file);
}
static void damage_without_momentum(const char *name) {
  without(name, "particles/electrons/momentum/x");
}
static void damage_without_species(const char *name) {
  without(name, "particles/positrons");
}
static void damage_without_field(const char *name) {
  without(name, "fields/E/z");
}
static void damage_without_iteration(const char *name) {
  hid_t file = open_inside(name);
  H5Ldelete(file, "data/28", H5P_DEFAULT);
  close_inside(name, file);
}

static void without_attribute(const char *name, const char *object, const char *attribute) {
  hid_t file = open_inside(name);
  ck_assert_int_ge(H5Adelete_by_name(file, object, attribute, H5P_DEFAULT), 0);
  close_inside(name, file);
}
static void damage_without_deck(const char *name) {
  without_attribute(name, "/", "deck");
}
static void damage_without_bytes(const char *name) {
  without_attribute(name, "data/28", "historyBytes");
}

/* Puts a data set of `count` values of a type in place of one. */
static void instead(const char *name, const char *link, hid_t type, hsize_t count) {
  static double zeros[4096];
  char path[256];
  hid_t file = open_inside(name), space = H5Screate_simple(1, &count, NULL);
  snprintf(path, sizeof path, "data/28/%s", link);
  ck_assert_int_ge(H5Ldelete(file, path, H5P_DEFAULT), 0);
  hid_t set = H5Dcreate2(file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  ck_assert_int_ge(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros), 0);
  H5Dclose(set);
  H5Sclose(space);
  close_inside(name, file);
}
static void damage_fewer(const char *name) {
  instead(name, "particles/electrons/momentum/y", H5T_NATIVE_DOUBLE, 5);
}
static void damage_type(const char *name) {
  instead(name, "particles/electrons/momentum/y", H5T_NATIVE_FLOAT, PROGRAM_CELLS * 8);
}
static void damage_grid(const char *name) {
  instead(name, "fields/B/y", H5T_NATIVE_DOUBLE, 25);
}
static void damage_tiles(const char *name) {
  instead(name, "particles/electrons/tile_offsets", H5T_NATIVE_INT64, 3);
}

/* A value that no run can come to, in sound HDF5. */
static void set_cell(const char *name, int32_t cell) {
  hid_t file = open_inside(name);
  hid_t set = H5Dopen2(file, "data/28/particles/positrons/positionOffset/x", H5P_DEFAULT);
  int32_t cells[PROGRAM_CELLS * 8];
  ck_assert_int_ge(H5Dread(set, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells), 0);
  cells[7] = cell;
  ck_assert_int_ge(H5Dwrite(set, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, cells), 0);
  H5Dclose(set);
  close_inside(name, file);
}
static void damage_cell(const char *name) {
  set_cell(name, 1000000);
}

static const struct {
  void (*damage)(const char *name);
  const char *phrase;
} damages[] = {
    {damage_nothing, "not a checkpoint of cellwise"},
    {damage_text, "not a checkpoint of cellwise"},
    {damage_other_hdf5, "not a checkpoint of cellwise"},
    {damage_folder, "no plain file"},
    {damage_end, "the file was cut off"},
    {damage_half, "the file was cut off"},
    {damage_appended, "the file was cut off"},
    {damage_bit, "the file was damaged"},
    {damage_seal, "found a damaged head"},
    {damage_format, "of format 9; this version of cellwise reads format 1"},
    {damage_without_momentum, "found no data set 'particles/electrons/momentum/x'"},
    {damage_without_species, "found no data set 'particles/positrons/id'"},
    {damage_without_field, "found no data set 'fields/E/z'"},
    {damage_without_iteration, "found no one iteration"},
    {damage_without_deck, "found no attribute 'deck'"},
    {damage_without_bytes, "found no attribute 'historyBytes'"},
    {damage_fewer, "another grid or number of particles in data set 'particles/electrons/mom"},
    {damage_type, "values of another type in data set 'particles/electrons/momentum/y'"},
    {damage_grid, "another grid or number of particles in data set 'fields/B/y'"},
    {damage_tiles, "3 offsets; expected 7"},
    {damage_cell, "'particles/positrons': slot 7 is neither dead nor inside the box"},
};
enum { DAMAGES = sizeof damages / sizeof *damages };

/* Told, set aside under another name, and the one before it leads to the same bits. */
START_TEST(test_a_damaged_checkpoint_is_told_and_the_older_one_used) {
  char phrase[512];
  begin();
  damages[_i].damage(newest);
  const program_result *result = resume("");
  check_whole(result);
  ck_assert_msg(strstr(result->err, damages[_i].phrase) != NULL, "expected '%s' in: %s",
                damages[_i].phrase, result->err);
  snprintf(phrase, sizeof phrase, "warning: %s: ", newest);
  ck_assert_msg(strstr(result->err, phrase) != NULL, "stderr: %s", result->err);
  ck_assert_int_eq(program_occurrences(result->err, "warning: "), 1);
  ck_assert_int_eq(program_occurrences(result->err, "error: "), 0);
  ck_assert(program_exists("o/checkpoint_00000028.h5.bad"));
  ck_assert(program_exists("o/checkpoint_00000035.h5"));
}
END_TEST

START_TEST(test_without_a_sound_checkpoint_nothing_is_begun) {
  char history[PROGRAM_TEXT], after[PROGRAM_TEXT];
  begin();
  damage_bit(newest);
  damage_end(older);
  program_read(program_path("o/history.csv"), history, sizeof history);
  check_refused(resume(""), "none of the 2 checkpoints in o can be used");
  program_read(program_path("o/history.csv"), after, sizeof after);
  ck_assert_str_eq(history, after);
  ck_assert(program_exists("o/fields_00000030.h5"));
  ck_assert(program_exists(newest) && program_exists(older));
}
END_TEST

/* The deck's keys that act on the state: name, value here, value there. */
static const struct {
  const char *set, *phrase;
} changes[] = {
    {"grid.resolution=[12] --set grid.extent=[[0.0,1.2]]",
     "grid.resolution: found [12]; the checkpoint o/checkpoint_00000028.h5 has [24]"},
    {"grid.extent=[[0.1,2.5]]", "grid.extent: found [[0.1, 2.5]]"},
    {"'grid.boundaries.fields=[[\"CONDUCTOR\"]]' --set "
     "'grid.boundaries.particles=[[\"REFLECT\"]]'",
     "grid.boundaries.fields: found [[\"CONDUCTOR\", \"CONDUCTOR\"]]"},
    {"'simulation.precision=\"single\"'", "simulation.precision: found \"single\""},
    {"simulation.seed=2", "simulation.seed: found 2"},
    {"scales.larmor0=0.5", "scales.larmor0: found 0.5"},
    {"algorithms.timestep.CFL=0.5", "algorithms.timestep.CFL: found 0.5"},
    {"algorithms.deposit.shape_order=1", "shape_order: found 1"},
    {"algorithms.deposit.tiled_deposit_tile_size=8", "tile_size: found 8"},
    {"algorithms.current_filters=1", "current_filters: found 1"},
    {"particles.ppc0=8", "particles.ppc0: found 8.0"},
    {"particles.use_weights=true", "particles.use_weights: found true"},
    {"particles.spatial_sorting_interval=6", "spatial_sorting_interval: found 6"},
    {"setup.temperature=0.2",
     "found setup.temperature = 0.2; the checkpoint o/checkpoint_00000028.h5 has temperature = "
     "0.1"},
    {"'setup.drift=[0.1,0.0,0.0]'", "setup.drift: found it where the deck of the checkpoint"},
};
enum { CHANGES = sizeof changes / sizeof *changes };

START_TEST(test_a_deck_that_differs_is_refused_by_the_keys_name) {
  char set[512], history[PROGRAM_TEXT], after[PROGRAM_TEXT];
  begin();
  program_read(program_path("o/history.csv"), history, sizeof history);
  for (int k = 0; k < CHANGES; k++) {
    snprintf(set, sizeof set, "--set %s", changes[k].set);
    check_refused(resume(set), changes[k].phrase);
  }
  program_read(program_path("o/history.csv"), after, sizeof after);
  ck_assert_str_eq(history, after);
  check_whole(resume(""));
}
END_TEST

START_TEST(test_a_deck_of_other_species_is_refused) {
  begin();
  char deck[sizeof program_deck + 256];
  snprintf(deck, sizeof deck, "%s", program_deck);
  memcpy(strstr(deck, "positrons"), "positrans", 9);
  program_write("deck.toml", deck);
  check_refused(resume(""), "particles.species.label: found \"positrans\"; the checkpoint");
  snprintf(deck, sizeof deck, "%s", program_deck);
  memcpy(strstr(strstr(deck, "positrons"), "mass = 1.0"), "mass = 2.0", 10);
  program_write("deck.toml", deck);
  check_refused(resume(""), "particles.species.mass: found 2.0; the checkpoint");
  snprintf(deck, sizeof deck, "%s[[particles.species]]\nmass = 1.0\ncharge = 0.0\n", program_deck);
  program_write("deck.toml", deck);
  check_refused(resume(""), "particles.species: found 3 species; the checkpoint");
}
END_TEST

START_TEST(test_what_cannot_be_resumed_is_refused) {
  char sha256[65];
  check_refused(program_run("run deck.toml --out nowhere --resume"),
                "found no checkpoint in nowhere and no run in nowhere");
  ck_assert(!program_exists("nowhere"));
  begin();
  /* a run that is to end before the checkpoint */
  check_refused(program_run("run %s", more("--out o --resume --steps 27")),
                "found a checkpoint of step 28; the run is to end after step 27");
  /* a history that is not there, too short, or another's */
  ck_assert_int_eq(rename(program_path("o/history.csv"), program_path("kept.csv")), 0);
  check_refused(resume(""), "history.csv: cannot open");
  program_write("o/history.csv", "step,time,x\n0,0,0\n");
  check_refused(resume(""), "history.csv: found 18 bytes; the checkpoint expects");
  contents history = load("kept.csv");
  memcpy(strstr(history.bytes, "total"), "TOTAL", 5);
  store("o/history.csv", history.bytes, history.size);
  check_refused(resume(""), "found other columns");
  free(history.bytes);
  ck_assert_int_eq(rename(program_path("kept.csv"), program_path("o/history.csv")), 0);
  check_whole(resume(""));
  /* killed before its first checkpoint: from the beginning, and said so */
  run_to_end(more("--out p --steps 6"), sha256);
  const program_result *result = program_run("run %s", more("--out p --steps 40 --resume -q -j"));
  ck_assert_msg(strstr(result->err, "did not get so far; starting from the beginning"), "%s",
                result->err);
  ck_assert_msg(strstr(result->out, whole) != NULL, "%s", result->err);
  check_same_run("whole", "p");
}
END_TEST

static program_result *limited(const char *limit, const char *rest) {
  static program_result result;
  char command[2600];
  snprintf(command, sizeof command, "%s; exec \"$CELLWISE\" run %s", limit, more(rest));
  program_finish(program_start(command), &result);
  return &result;
}

/* `ulimit -f` counts 512 bytes in dash and 1024 in bash: 16 to 32 kB hold all but a checkpoint. */
START_TEST(test_a_full_disk_leaves_the_older_checkpoint) {
  begin();
  const program_result *result =
      limited("ulimit -f 32", "--out o --steps 40 --resume -q --set output.interval=0 "
                              "--set output.spectra.enable=false");
  ck_assert_msg(result->status == 1, "status %d: %s", result->status, result->err);
  ck_assert_int_eq(program_occurrences(result->err, "error: "), 1);
  ck_assert_msg(strstr(result->err, "o/checkpoint_00000035.h5: cannot write: File too large"),
                "stderr: %s", result->err);
  ck_assert_int_eq(program_count(program_path("o"), ".part"), 0);
  ck_assert(program_exists(newest) && program_exists(older));
  /* its fields were dropped with it: they come anew */
  check_whole(resume(""));
}
END_TEST

/* /proc cannot be written to, not even by root. */
START_TEST(test_a_folder_that_cannot_be_written_is_told_before_the_first_step) {
  check_refused(program_run("run %s", more("--out o --steps 9 --set "
                                           "'checkpoint.write_path=\"/proc/here\"'")),
                "/proc");
}
END_TEST

START_TEST(test_a_checkpoint_folder_that_vanishes_ends_in_one_error) {
  static program_result result;
  pid_t child = program_start("exec \"$CELLWISE\" run deck.toml --out o --steps 1000000000 -q -t 1 "
                              "--set checkpoint.interval=20 --set output.interval=0 --set "
                              "'checkpoint.write_path=\"safe\"'");
  for (int k = 0; k < 3000 && program_count(program_path("o/safe"), ".h5") == 0; k++)
    nanosleep(&(struct timespec){0, 10000000}, NULL);
  ck_assert_int_eq(rename(program_path("o/safe"), program_path("gone")), 0);
  program_finish(child, &result);
  ck_assert_msg(result.status == 1, "status %d: %s", result.status, result.err);
  ck_assert_int_eq(program_occurrences(result.err, "error: "), 1);
  ck_assert_msg(strstr(result.err, "o/safe/checkpoint_") != NULL, "stderr: %s", result.err);
  ck_assert_int_ge(program_count(program_path("gone"), ".h5"), 1);
}
END_TEST

/* Two runs in one folder would spoil each other's files. */
START_TEST(test_a_folder_is_one_runs_at_a_time) {
  static program_result result;
  pid_t child = program_start("exec \"$CELLWISE\" run deck.toml --out o --steps 1000000000 -q -t 1 "
                              "--set checkpoint.interval=20 --set output.interval=0");
  for (int k = 0; k < 3000 && program_count(program_path("o"), ".h5") == 0; k++)
    nanosleep(&(struct timespec){0, 10000000}, NULL);
  check_refused(program_run("run deck.toml --out o"), "o/history.csv: another run is writing it");
  check_refused(program_run("run deck.toml --out o --resume --steps 1000000000 --set "
                            "checkpoint.interval=20 --set output.interval=0"),
                "o/history.csv: another run is writing it");
  ck_assert(!program_exists("o/previous_1"));
  kill(child, SIGKILL);
  program_finish(child, &result);
  ck_assert_int_eq(result.status, 128 + SIGKILL);
  ck_assert_int_eq(program_run("run deck.toml --out o -q")->status, 0);
}
END_TEST

/* GMRES(1) cannot solve a step this long: residual, iterations, advice, and the state is kept. */
START_TEST(test_a_solver_that_stalls_leaves_a_checkpoint) {
  program_write("semi.toml", ecsim_deck);
  const program_result *result =
      program_run("run semi.toml --out o --steps 20 -q --set algorithms.timestep.dt=40 --set "
                  "algorithms.ecsim.solver_restart=1");
  ck_assert_msg(result->status == 1, "status %d: %s", result->status, result->err);
  ck_assert_int_eq(program_occurrences(result->err, "error: "), 1);
  ck_assert_msg(strstr(result->err, "the field solver stalls") &&
                    strstr(result->err, "raise solver_tolerance") &&
                    strstr(result->err, "a checkpoint of step "),
                "stderr: %s", result->err);
  ck_assert_int_eq(program_count(program_path("o"), ".h5"), 4); /* and step 0 */
}
END_TEST

/* What a file says of itself, read without cellwise. */
START_TEST(test_a_checkpoint_says_what_it_is) {
  static const char *const texts[] = {"openPMD", "software", "softwareVersion", "commit",
                                      "backend", "date",     "engine",          "precision"};
  char head[600];
  unsigned long long bytes;
  begin();
  program_read(program_path(newest), head, sizeof head);
  ck_assert_int_eq(sscanf(head, "cellwise checkpoint 1\nbytes %llu\nsha256 ", &bytes), 1);
  contents all = load(newest);
  ck_assert_uint_eq(bytes, all.size);
  free(all.bytes);
  hid_t file = H5Fopen(program_path(newest), H5F_ACC_RDONLY, H5P_DEFAULT);
  for (int k = 0; k < 8; k++)
    ck_assert_msg(H5Aexists(file, texts[k]) > 0, "no attribute %s", texts[k]);
  ck_assert_int_gt(H5Aexists(file, "deck"), 0);
  ck_assert_int_gt(H5Aexists_by_name(file, "data/28", "time", H5P_DEFAULT), 0);
  H5Fclose(file);
}
END_TEST

int main(void) {
  TCase *cases = tcase_create("checkpoint");
  tcase_add_loop_test(cases, test_a_damaged_checkpoint_is_told_and_the_older_one_used, 0, DAMAGES);
  tcase_add_test(cases, test_without_a_sound_checkpoint_nothing_is_begun);
  tcase_add_test(cases, test_a_deck_that_differs_is_refused_by_the_keys_name);
  tcase_add_test(cases, test_a_deck_of_other_species_is_refused);
  tcase_add_test(cases, test_what_cannot_be_resumed_is_refused);
  tcase_add_test(cases, test_a_full_disk_leaves_the_older_checkpoint);
  tcase_add_test(cases, test_a_folder_that_cannot_be_written_is_told_before_the_first_step);
  tcase_add_test(cases, test_a_checkpoint_folder_that_vanishes_ends_in_one_error);
  tcase_add_test(cases, test_a_folder_is_one_runs_at_a_time);
  tcase_add_test(cases, test_a_solver_that_stalls_leaves_a_checkpoint);
  tcase_add_test(cases, test_a_checkpoint_says_what_it_is);
  return program_suite("checkpoint", cases);
}
