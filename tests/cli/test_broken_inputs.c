/* Broken decks and states through the program: one error with its place, exit status 2, no file left.
 * The table is broken_inputs.h; checkpoints that are to be resumed: test_checkpoint.c. */
#include "broken_inputs.h"

#include <fcntl.h>
#include <hdf5.h>
#include <math.h>

#include "refused.h"

enum { GRID = PROGRAM_CELLS, COUNT = 3 };
static const char file_name[] = "state.h5";

START_TEST(test_there_are_enough_of_them) {
  ck_assert_int_ge(BROKEN_DECKS, 60);
  ck_assert_int_ge(BROKEN_STATES, 30);
}
END_TEST

START_TEST(test_broken_deck_is_refused_with_its_place) {
  const broken_deck *row = &broken_decks[_i];
  if (CW_SANITIZED && _i % 3) /* a process each: a third of them is enough under sanitizers */
    return;
  char place[64];
  refused_write_deck(row->find, row->replace, place, sizeof place);
  refused_check(row->arguments, row->expected, place);
}
END_TEST

static void write_set(hid_t file, const char *name, int rank, const hsize_t *extent, hid_t type,
                      const void *values) {
  hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(rank, extent, NULL);
  H5Pset_create_intermediate_group(links, 1);
  hid_t set = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
  ck_assert(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Dclose(set);
  H5Sclose(space);
  H5Pclose(links);
}

static void make_arrays(void) {
  static const char *const names[] = {"electrons/x", "electrons/ux", "electrons/uy",
                                      "electrons/uz"};
  const hsize_t cells = GRID, count = COUNT;
  double B[GRID] = {0};
  const double values[COUNT] = {0.25, 0.5, 0.75};
  hid_t file = H5Fcreate(program_path(file_name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  ck_assert_int_ge(file, 0);
  write_set(file, "Bz", 1, &cells, H5T_NATIVE_DOUBLE, B);
  for (int k = 0; k < 4; k++)
    write_set(file, names[k], 1, &count, H5T_NATIVE_DOUBLE, values);
  H5Fclose(file);
}

static void copy_foreign(void) {
  char command[1024];
  snprintf(command, sizeof command, "cp %s/tests/golden/ecsim/ecsim_dh_small.h5 %s && chmod u+w %s",
           CW_SOURCE_DIR, program_path(file_name), program_path(file_name));
  ck_assert_int_eq(system(command), 0);
}

static void cut_in_half(void) {
  struct stat found;
  ck_assert_int_eq(stat(program_path(file_name), &found), 0);
  ck_assert_int_eq(truncate(program_path(file_name), found.st_size / 2), 0);
}

static void set_attribute(hid_t file, const char *name, broken_how how) {
  char object[64];
  const char *attribute = strchr(name, '@') + 1;
  const double value = how == NOT_FINITE ? NAN : how == NOUGHT ? 0 : 1e9;
  snprintf(object, sizeof object, "%.*s", (int)(attribute - 1 - name), name);
  hid_t at = H5Oopen(file, object, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
  ck_assert_int_ge(at, 0);
  if (H5Aexists(at, attribute) > 0)
    ck_assert_int_ge(H5Adelete(at, attribute), 0);
  if (how != DROPPED) {
    hid_t made = H5Acreate2(at, attribute, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(H5Awrite(made, H5T_NATIVE_DOUBLE, &value), 0);
    H5Aclose(made);
  }
  H5Sclose(space);
  H5Oclose(at);
}

static void set_second_value(hid_t file, const char *name, double value) {
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  double *values = malloc((size_t)count * sizeof *values);
  ck_assert(set >= 0 && count > 1 && values);
  H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  values[1] = value;
  ck_assert_int_ge(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
  free(values);
  H5Sclose(space);
  H5Dclose(set);
}

static void replace_set(hid_t file, const char *name, broken_how how) {
  static const hsize_t two = 2, deep[5] = {1, 1, 1, 1, 1};
  static const double numbers[2] = {0.25, 0.5};
  ck_assert_int_ge(H5Ldelete(file, name, H5P_DEFAULT), 0);
  if (how == SHORT)
    write_set(file, name, 1, &two, H5T_NATIVE_DOUBLE, numbers);
  else if (how == DEEP)
    write_set(file, name, 5, deep, H5T_NATIVE_DOUBLE, numbers);
  else if (how == WORDS)
    write_set(file, name, 1, &two, H5T_C_S1, "ab");
  else if (how == GROUPED)
    H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static void break_inside(const broken_state *row) {
  hid_t file = H5Fopen(program_path(file_name), H5F_ACC_RDWR, H5P_DEFAULT);
  ck_assert_int_ge(file, 0);
  if (strchr(row->name, '@'))
    set_attribute(file, row->name, row->how);
  else if (row->how == NOT_FINITE || row->how == LARGE)
    set_second_value(file, row->name, row->how == LARGE ? 1e9 : NAN);
  else
    replace_set(file, row->name, row->how);
  H5Fclose(file);
}

static void break_state(const broken_state *row) {
  if (row->how == ABSENT)
    return;
  if (row->how == FOLDER)
    ck_assert_int_eq(mkdir(program_path(file_name), 0777), 0);
  else if (row->how == EMPTY || row->how == TEXT)
    program_write(file_name, row->how == TEXT ? "x,y\n1,2\n" : "");
  else if (row->how == BARE)
    H5Fclose(H5Fcreate(program_path(file_name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  else {
    row->kind == ARRAYS ? make_arrays() : copy_foreign();
    row->how == CUT ? cut_in_half() : break_inside(row);
  }
}

static const char foreign_deck[] =
    "[simulation]\nname = \"state\"\nengine = \"ecsim\"\n[setup]\nproblem = \"state\"\n"
    "file = \"state.h5\"\n";

START_TEST(test_broken_state_is_refused_with_its_data_set) {
  const broken_state *row = &broken_states[_i];
  if (CW_SANITIZED && _i % 3)
    return;
  char place[64];
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  break_state(row);
  if (row->kind == ARRAYS) {
    refused_write_deck("problem = \"thermal\"\ntemperature = 0.1\n",
                       "problem = \"hdf5\"\n^file = \"state.h5\"\n", place, sizeof place);
  } else {
    program_write("deck.toml", foreign_deck);
    snprintf(place, sizeof place, "deck.toml:6:1: setup.file: ");
  }
  if (row->how == NOT_FINITE && !strchr(row->name, '@'))
    *place = '\0'; /* met as the values are read: the file and the data set are the place */
  refused_check("run deck.toml --out o --steps 1", row->expected, place);
}
END_TEST

/* What is broken above is sound before. */
START_TEST(test_sound_states_run) {
  char place[64];
  make_arrays();
  refused_write_deck("problem = \"thermal\"\ntemperature = 0.1\n",
                     "problem = \"hdf5\"\n^file = \"state.h5\"\n", place, sizeof place);
  const program_result *result = program_run("run deck.toml --out o --steps 1 --quiet");
  ck_assert_msg(result->status == 0, "%s", result->err);
  copy_foreign();
  program_write("deck.toml", foreign_deck);
  result = program_run("run deck.toml --out p --steps 1 --quiet");
  ck_assert_msg(result->status == 0, "%s", result->err);
}
END_TEST

int main(void) {
  TCase *cases = tcase_create("broken inputs");
  tcase_add_test(cases, test_there_are_enough_of_them);
  tcase_add_test(cases, test_sound_states_run);
  tcase_add_loop_test(cases, test_broken_deck_is_refused_with_its_place, 0, BROKEN_DECKS);
  tcase_add_loop_test(cases, test_broken_state_is_refused_with_its_data_set, 0, BROKEN_STATES);
  return program_suite("broken inputs", cases);
}
