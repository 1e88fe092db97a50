/* What else the program writes: derivatives, centres of mass, HDF5, and what the guide shows. */
#include <hdf5.h>
#include <jansson.h>

#include "program_support.h"

/* Rows against the derivatives of the JSON output: GROUPA's entries, GROUPB's, the box. */
START_TEST(test_dumped_derivatives_are_those_of_the_atoms) {
  write_text("input.dat", "d: COORDINATION GROUPA=3,7 GROUPB=5,9,8 R_0=0.5\n"
                          "DUMPDERIVATIVES ARG=d FILE=DERIV FMT=%22.14e\n");
  must_run(RUN "--json --derivatives");
  static const int atom[5] = {3, 7, 5, 9, 8};
  char path[256];
  in_folder("output", path);
  json_t *output = json_load_file(path, 0, NULL);
  char *text = read_file("DERIV"), *at = strchr(text, '\n');
  ck_assert_int_eq(strncmp(text, "#! FIELDS time parameter d\n", 27), 0);
  for (int frame = 0; frame < 23; frame++) {
    json_t *d = json_object_get(
        json_object_get(json_array_get(json_object_get(output, "frames"), (size_t)frame),
                        "variables"),
        "d");
    for (int row = 0; row < 24; row++) {
      json_t *right = json_array_get(json_object_get(d, "box_derivatives"), (size_t)row - 15);
      if (row < 15)
        right = json_array_get(
            json_array_get(json_object_get(d, "atom_derivatives"), (size_t)atom[row / 3] - 1),
            (size_t)row % 3);
      ck_assert(near(strtod(at, &at), frame, 1e-9));
      ck_assert_int_eq(strtol(at, &at, 10), row);
      double value = strtod(at, &at);
      ck_assert(near(value, json_number_value(right), 1e-13 * fmax(1, fabs(value))));
    }
  }
  ck_assert_str_eq(at, "\n");
  json_decref(output);
  free(text);
}
END_TEST

/* Two atoms at 0 and 1 with masses 3 and 1: their centre of mass is at 0.25. The third is at 1.25,
 * 1 away, where 1/(1 + x^6) is 1/2 and its slope -3/2. */
static void check_mass_run(const char *arguments, double length) {
  must_run(arguments);
  char path[256];
  in_folder("output", path);
  json_t *output = json_load_file(path, 0, NULL);
  json_t *c = json_object_get(
      json_object_get(json_array_get(json_object_get(output, "frames"), 0), "variables"), "c");
  static const double right[3] = {0.75 * 1.5, 0.25 * 1.5, -1.5};
  ck_assert(near(json_number_value(json_object_get(c, "value")), 0.5, 1e-14));
  for (size_t k = 0; k < 3; k++)
    ck_assert(near(json_number_value(json_array_get(
                       json_array_get(json_object_get(c, "atom_derivatives"), k), 0)),
                   right[k] * length, 1e-13));
  json_decref(output);
}

START_TEST(test_centres_of_mass_share_their_derivatives_by_mass) {
  write_text("traj.xyz", "3\n0 0 0\nA 0 0 0\nB 1 0 0\nC 1.25 0 0\n");
  write_text("input.dat", "m: COM ATOMS=1,2\nc: COORDINATION GROUPA=m GROUPB=3 "
                          "SWITCH={RATIONAL R_0=1}\n");
  write_text("masses", "# index mass charge\n0 3.0 0\n1 1.0 0\n2 7.0 0\n");
  write_text("one.pdb",
             "ATOM      1  A   X   A   1       0.000   0.000   0.000  3.00  0.00\n"
             "ATOM      2  B   X   A   1      10.000   0.000   0.000  1.00  0.00\n"
             "ATOM      3  C   X   A   1      12.500   0.000   0.000  7.00  0.00\nEND\n");
  check_mass_run(RUN "--json --derivatives --mc masses", 1);
  check_mass_run(RUN "--json --derivatives --pdb one.pdb", 1);
  check_mass_run("input.dat --traj one.pdb --json --derivatives", 0.1); /* slopes an Angstrom */
}
END_TEST

START_TEST(test_masses_that_are_missing_or_odd_are_refused) {
  write_text("input.dat", "m: COM ATOMS=1,2\nc: COORDINATION GROUPA=m GROUPB=3 R_0=1\n");
  must_refuse("missing.dat --traj traj.xyz", "missing.dat: No such file");
  must_refuse("input.dat --traj missing.xyz", "missing.xyz: No such file");
  must_refuse(RUN, "input.dat:1: COM: the mass of atom 1 is not known");
  write_text("masses", "0 3.0 0\n1 zwei 0\n");
  must_refuse(RUN "--mc masses", "masses:2:");
  write_text("masses", "0 3.0 0\n30 1.0 0\n");
  must_refuse(RUN "--mc masses", "masses:2:");
  write_text("one.pdb",
             "ATOM      1  A   X   A   1       0.000   0.000   0.000  3.00  0.00\nEND\n");
  must_refuse(RUN "--pdb one.pdb", "one.pdb has 1 atoms, but the trajectory has 30");
}
END_TEST

/* 1-d or 2-d dataset of doubles; returns the number of values. */
static size_t read_set(hid_t file, const char *name, double *values, size_t most) {
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  ck_assert_msg(set >= 0, "%s is missing", name);
  hid_t space = H5Dget_space(set);
  size_t count = (size_t)H5Sget_simple_extent_npoints(space);
  ck_assert(count <= most);
  ck_assert(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Sclose(space);
  H5Dclose(set);
  return count;
}

/* Sums over entries are the values in COLVAR; the histogram counts the same numbers. */
START_TEST(test_per_atom_numbers_add_up_and_are_counted) {
  char path[256];
  static double each[23 * 30], time[23], colvar[23], counts[1000], edges[1001];
  write_text("input.dat", "c: COORDINATION GROUPA=30-1:-1 SWITCH={RATIONAL R_0=0.3 D_MAX=0.9}\n"
                          "time: COORDINATION GROUPA=1-2 R_0=0.1\n"
                          "PRINT ARG=c FILE=COLVAR FMT=%.14f\n");
  must_run(RUN "--per-atom atoms.h5 --histogram histogram.h5 --bin-width 0.05 --threads 3");
  in_folder("atoms.h5", path);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  ck_assert(read_set(file, "time", time, 23) == 23);
  ck_assert(read_set(file, "variables/c/coordination", each, 23 * 30) == 23 * 30);
  ck_assert(read_set(file, "variables/c/atoms", counts, 30) == 30);
  ck_assert(counts[0] == 30 && counts[29] == 1);
  H5Fclose(file);
  char *text = read_file("COLVAR"), *at = strchr(text, '\n');
  for (int k = 0; k < 23; k++) {
    double sum = 0;
    ck_assert(strtod(at, &at) == time[k]);
    colvar[k] = strtod(at, &at);
    for (int j = 0; j < 30; j++)
      sum += each[30 * k + j];
    ck_assert(near(sum / 2, colvar[k], 1e-12 * colvar[k]));
  }
  in_folder("histogram.h5", path);
  file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  size_t bins = read_set(file, "variables/c/counts", counts, 1000);
  ck_assert(read_set(file, "variables/c/edges", edges, 1001) == bins + 1 && bins > 5);
  for (size_t b = 0; b < bins; b++) {
    int found = 0;
    for (int k = 0; k < 23 * 30; k++)
      found += floor(each[k] / 0.05) == (double)b;
    ck_assert_int_eq(found, (int)counts[b]);
    ck_assert(near(edges[b + 1], 0.05 * (double)(b + 1), 1e-14));
  }
  H5Fclose(file);
  ck_assert_ptr_null(read_file("atoms.h5.part"));
  free(text);
}
END_TEST

/* The files on disk are kept; the HDF5 file is whole all the same. */
START_TEST(test_a_resumed_run_has_every_frame_in_hdf5) {
  char path[256];
  static double time[23];
  must_run(RUN);
  char *colvar = read_file("COLVAR"), *cut = strndup(colvar, strlen(colvar) / 2);
  write_text("COLVAR", cut);
  must_run(RUN "--resume --per-atom atoms.h5");
  check_same("COLVAR", colvar);
  in_folder("atoms.h5", path);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  ck_assert(read_set(file, "time", time, 23) == 23);
  ck_assert(time[0] == 0 && time[22] == 22);
  H5Fclose(file);
  free(colvar);
  free(cut);
}
END_TEST

START_TEST(test_a_failed_run_leaves_no_hdf5_file) {
  char *text = read_file("traj.xyz");
  text[strlen(text) - 20] = '\0';
  write_text("traj.xyz", text);
  must_refuse(RUN "--per-atom atoms.h5", "traj.xyz");
  ck_assert_ptr_null(read_file("atoms.h5"));
  ck_assert_ptr_null(read_file("atoms.h5.part"));
  ck_assert_int_eq(run_program(RUN "--per-atom missing/atoms.h5"), 1);
  must_refuse(RUN "--bin-width 0.1", "--histogram");
  must_refuse(RUN "--histogram h.h5 --bin-width -1", "--bin-width");
  free(text);
}
END_TEST

/* What the guide shows is what the program writes. */
START_TEST(test_the_guide_shows_what_the_program_writes) {
  char command[1024];
  snprintf(command, sizeof command,
           "cp '%s'/examples/coordination/* '%s'/docs/coordination.md '%s'", CW_SOURCE_DIR,
           CW_SOURCE_DIR, folder);
  ck_assert_int_eq(system(command), 0);
  must_run("plumed.dat --traj traj.xyz --threads 2 --explain");
  char *guide = read_file("coordination.md"), *explained = read_file("messages");
  char *shown[3] = {read_file("plumed.dat"), read_file("COLVAR"), explained};
  char *second = strstr(explained, "step 1:"); /* the guide stops there */
  ck_assert_ptr_nonnull(second);
  *second = '\0';
  for (int k = 0; k < 3; k++) {
    ck_assert_msg(strstr(guide, shown[k]) != NULL, "the guide lacks:\n%s", shown[k]);
    free(shown[k]);
  }
  free(guide);
}
END_TEST

int main(void) {
  if (!mkdtemp(folder))
    return 1;
  Suite *suite = suite_create("coordination program");
  TCase *tcase = tcase_create("program");
  tcase_add_test(tcase, test_dumped_derivatives_are_those_of_the_atoms);
  tcase_add_test(tcase, test_centres_of_mass_share_their_derivatives_by_mass);
  tcase_add_test(tcase, test_masses_that_are_missing_or_odd_are_refused);
  tcase_add_test(tcase, test_per_atom_numbers_add_up_and_are_counted);
  tcase_add_test(tcase, test_a_resumed_run_has_every_frame_in_hdf5);
  tcase_add_test(tcase, test_a_failed_run_leaves_no_hdf5_file);
  tcase_add_test(tcase, test_the_guide_shows_what_the_program_writes);
  return run_suite(suite, tcase);
}
