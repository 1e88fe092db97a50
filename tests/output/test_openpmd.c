/* Field files: right values at their places, the standard's attributes, whole or absent. */
#include <hdf5.h>
#include <math.h>

#include "output/output_fixture.h"

static const int32_t shapes[3][3] = {{7, 1, 1}, {7, 5, 1}, {7, 5, 3}};

/* Writes B (of the precision) and rho (double) over a grid of `dim` axes as step 40. */
static cw_status write_sample(const cw_grid *grid, cw_precision precision) {
  cw_output_record records[2] = {{.name = "B",
                                  .components = 3,
                                  .precision = precision,
                                  .position = {{0, .5, .5}, {.5, 0, .5}, {.5, .5, 0}},
                                  .unit_SI = 2.5,
                                  .dimension = {0, 1, -2, -1, 0, 0, 0}},
                                 {.name = "rho", .components = 1, .precision = CW_DOUBLE}};
  for (int c = 0; c < 3; c++)
    records[0].data[c] = make_array(grid, precision, c);
  records[1].data[0] = make_array(grid, CW_DOUBLE, 7);
  cw_status status = cw_output_write_fields(context, folder, NULL, grid,
                                            &(cw_output_time){40, 12.5, 0.125, 0, 0}, records, 2);
  for (int c = 0; c < 3; c++)
    CW_DELETE(context, (void *)(uintptr_t)records[0].data[c]);
  CW_DELETE(context, (void *)(uintptr_t)records[1].data[0]);
  return status;
}

static void check_component(const cw_grid *grid, const char *record, const char *component,
                            int number, const double position[3]) {
  int dim;
  int64_t cells[3];
  double spacing[3], offset[3], *values;
  ck_ok(cw_output_read_field(context, in_folder("fields_00000040.h5"), record, component, &dim,
                             cells, spacing, offset, &values));
  ck_assert_int_eq(dim, grid->dim);
  for (int a = 0; a < 3; a++) {
    ck_assert_int_eq(cells[a], grid->cells[a]);
    ck_assert_double_eq(spacing[a], grid->dx[a]);
    if (a < dim)
      ck_assert_double_eq(offset[a], grid->origin[a] + position[a] * grid->dx[a]);
  }
  for (int64_t k = 0; k < cells[2]; k++)
    for (int64_t j = 0; j < cells[1]; j++)
      for (int64_t i = 0; i < cells[0]; i++)
        ck_assert_double_eq(values[i + cells[0] * (j + cells[1] * k)],
                            known_value(number, i, j, k));
  CW_DELETE(context, values);
}

START_TEST(test_fields_come_back_exactly_at_their_places) {
  static const double positions[4][3] = {{0, .5, .5}, {.5, 0, .5}, {.5, .5, 0}, {0, 0, 0}};
  static const char *const names[3] = {"x", "y", "z"};
  int dim = _i % 3 + 1;
  cw_grid grid = make_grid(dim, shapes[dim - 1][0], shapes[dim - 1][1], shapes[dim - 1][2]);
  ck_ok(write_sample(&grid, _i < 3 ? CW_SINGLE : CW_DOUBLE));
  for (int c = 0; c < 3; c++)
    check_component(&grid, "B", names[c], c, positions[c]);
  check_component(&grid, "rho", NULL, 7, positions[3]);
  ck_assert_int_eq(count_entries(folder), 1);
}
END_TEST

static hid_t open_sample(void) {
  hid_t file = H5Fopen(in_folder("fields_00000040.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  ck_assert_int_ge(file, 0);
  return file;
}

static void check_text(hid_t file, const char *object, const char *name, const char *expected) {
  char text[128] = "";
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, sizeof text);
  hid_t attribute = H5Aopen_by_name(file, object, name, H5P_DEFAULT, H5P_DEFAULT);
  ck_assert_msg(attribute >= 0, "%s has no attribute %s", object, name);
  ck_assert_int_ge(H5Aread(attribute, type, text), 0);
  if (expected)
    ck_assert_str_eq(text, expected);
  H5Aclose(attribute);
  H5Tclose(type);
}

static void check_numbers(hid_t file, const char *object, const char *name, int count,
                          const double *expected) {
  double values[8];
  hid_t attribute = H5Aopen_by_name(file, object, name, H5P_DEFAULT, H5P_DEFAULT);
  ck_assert_msg(attribute >= 0, "%s has no attribute %s", object, name);
  hid_t space = H5Aget_space(attribute);
  ck_assert_int_eq(H5Sget_simple_extent_npoints(space), count);
  ck_assert_int_ge(H5Aread(attribute, H5T_NATIVE_DOUBLE, values), 0);
  for (int n = 0; n < count; n++)
    ck_assert_double_eq(values[n], expected[n]);
  H5Sclose(space);
  H5Aclose(attribute);
}

START_TEST(test_file_has_the_attributes_that_openpmd_requires) {
  cw_grid grid = make_grid(3, 7, 5, 3);
  ck_ok(write_sample(&grid, CW_SINGLE));
  hid_t file = open_sample();
  check_text(file, "/", "openPMD", "1.1.0");
  check_numbers(file, "/", "openPMDextension", 1, (double[]){0});
  check_text(file, "/", "basePath", "/data/%T/");
  check_text(file, "/", "meshesPath", "fields/");
  check_text(file, "/", "iterationEncoding", "fileBased");
  check_text(file, "/", "iterationFormat", "fields_%08T.h5");
  check_text(file, "/", "software", "cellwise");
  check_text(file, "/", "softwareVersion", cw_version());
  check_text(file, "/", "commit", cw_commit());
  check_text(file, "/", "backend", "cpu");
  check_text(file, "/", "date", NULL);
  check_numbers(file, "/data/40", "time", 1, (double[]){12.5});
  check_numbers(file, "/data/40", "dt", 1, (double[]){0.125});
  check_numbers(file, "/data/40", "timeUnitSI", 1, (double[]){1});
  H5Fclose(file);
}
END_TEST

START_TEST(test_meshes_carry_geometry_slowest_axis_first) {
  cw_grid grid = make_grid(3, 7, 5, 3);
  ck_ok(write_sample(&grid, CW_SINGLE));
  hid_t file = open_sample();
  static const char *const meshes[2] = {"/data/40/fields/B", "/data/40/fields/rho"};
  for (int m = 0; m < 2; m++) {
    check_text(file, meshes[m], "geometry", "cartesian");
    check_text(file, meshes[m], "dataOrder", "C");
    check_numbers(file, meshes[m], "gridSpacing", 3, (double[]){2.0, 0.25, 0.5});
    check_numbers(file, meshes[m], "gridGlobalOffset", 3, (double[]){10.0, 2.25, -1.5});
    check_numbers(file, meshes[m], "gridUnitSI", 1, (double[]){1});
    check_numbers(file, meshes[m], "timeOffset", 1, (double[]){0});
  }
  check_numbers(file, meshes[0], "unitDimension", 7, (double[]){0, 1, -2, -1, 0, 0, 0});
  check_numbers(file, "/data/40/fields/B/x", "position", 3, (double[]){.5, .5, 0});
  check_numbers(file, "/data/40/fields/B/z", "position", 3, (double[]){0, .5, .5});
  check_numbers(file, "/data/40/fields/B/x", "unitSI", 1, (double[]){2.5});
  check_numbers(file, "/data/40/fields/rho", "unitSI", 1, (double[]){1});
  char labels[3][2];
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, 2);
  hid_t attribute = H5Aopen_by_name(file, meshes[0], "axisLabels", H5P_DEFAULT, H5P_DEFAULT);
  ck_assert_int_ge(H5Aread(attribute, type, labels), 0);
  for (int a = 0; a < 3; a++)
    ck_assert_int_eq(labels[a][0], "zyx"[a]);
  H5Aclose(attribute);
  H5Tclose(type);
  H5Fclose(file);
}
END_TEST

START_TEST(test_single_stays_single_in_the_file) {
  cw_grid grid = make_grid(2, 7, 5, 1);
  ck_ok(write_sample(&grid, CW_SINGLE));
  hid_t file = open_sample();
  hid_t dataset = H5Dopen2(file, "/data/40/fields/B/y", H5P_DEFAULT), type = H5Dget_type(dataset);
  ck_assert_uint_eq(H5Tget_size(type), 4);
  H5Tclose(type);
  H5Dclose(dataset);
  H5Fclose(file);
}
END_TEST

/* The deck in the file, read as a deck again, gives the same deck. */
START_TEST(test_file_holds_the_resolved_deck) {
  cw_deck *deck, *again;
  cw_grid grid = make_grid(1, 7, 1, 1);
  char *text = NULL;
  ck_ok(cw_deck_read(context, CW_SOURCE_DIR "/examples/reconnection.toml", NULL, 0, &deck));
  ck_ok(cw_output_write_fields(context, folder, deck, &grid, &(cw_output_time){.step = 40, .dt = 1},
                               NULL, 0));
  hid_t file = open_sample(), type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  hid_t attribute = H5Aopen(file, "deck", H5P_DEFAULT);
  ck_assert_int_ge(H5Aread(attribute, type, &text), 0);
  ck_ok(cw_deck_parse(context, "deck", text, strlen(text), NULL, 0, &again));
  ck_assert_str_eq(again->simulation.name, deck->simulation.name);
  ck_assert_double_eq(again->scales.skindepth0, deck->scales.skindepth0);
  ck_assert_double_eq(again->dt, deck->dt);
  check_numbers(file, "/", "skindepth0", 1, &deck->scales.skindepth0);
  check_text(file, "/", "simulation", deck->simulation.name);
  H5free_memory(text);
  H5Aclose(attribute);
  H5Tclose(type);
  H5Fclose(file);
  cw_deck_destroy(again);
  cw_deck_destroy(deck);
}
END_TEST

START_TEST(test_missing_folder_fails_and_leaves_nothing) {
  cw_grid grid = make_grid(1, 7, 1, 1);
  rmdir(folder);
  ck_fails(write_sample(&grid, CW_SINGLE), CW_ERROR_IO, "No such file or directory");
  ck_assert_int_eq(count_entries(folder), -1);
}
END_TEST

/* The disk "fills" after 16 kB: an older file of the step must survive, and no part may stay. */
START_TEST(test_failed_write_keeps_the_older_file_and_leaves_no_part) {
  cw_grid small = make_grid(1, 7, 1, 1), large = make_grid(2, 200, 200, 1);
  ck_ok(write_sample(&small, CW_SINGLE));
  ck_fails_when_full(16384, write_sample(&large, CW_DOUBLE), CW_ERROR_IO, "File too large");
  ck_assert_ptr_nonnull(strstr(cw_context_message(context), "fields_00000040.h5"));
  ck_assert_int_eq(count_entries(folder), 1);
  check_component(&small, "rho", NULL, 7, (double[]){0, 0, 0});
}
END_TEST

START_TEST(test_faulty_records_are_refused) {
  cw_grid grid = make_grid(1, 7, 1, 1);
  cw_output_record two = {.name = "B", .components = 2}, bare = {.name = "B", .components = 1};
  ck_fails(cw_output_write_fields(context, folder, NULL, &grid,
                                  &(cw_output_time){.step = 0, .dt = 1}, &two, 1),
           CW_ERROR_ARGUMENT, "has 2 components; expected 1 or 3");
  ck_fails(cw_output_write_fields(context, folder, NULL, &grid,
                                  &(cw_output_time){.step = 0, .dt = 1}, &bare, 1),
           CW_ERROR_ARGUMENT, "no data");
  ck_fails(cw_output_write_fields(context, folder, NULL, &grid,
                                  &(cw_output_time){.step = -1, .dt = 1}, NULL, 0),
           CW_ERROR_ARGUMENT, "negative");
  ck_assert_int_eq(count_entries(folder), 0);
}
END_TEST

START_TEST(test_reader_says_what_is_wrong_with_a_file) {
  int dim;
  int64_t cells[3];
  double spacing[3], offset[3], *values;
  const char *path = in_folder("fields_00000040.h5");
  write_file(path, "not HDF5");
  ck_fails(cw_output_read_field(context, path, "B", "x", &dim, cells, spacing, offset, &values),
           CW_ERROR_IO, "opening the field file failed");
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(file);
  ck_fails(cw_output_read_field(context, path, "B", "x", &dim, cells, spacing, offset, &values),
           CW_ERROR_FORMAT, "has no group /data");
  cw_grid grid = make_grid(1, 7, 1, 1);
  ck_ok(write_sample(&grid, CW_SINGLE));
  ck_fails(cw_output_read_field(context, path, "B", "w", &dim, cells, spacing, offset, &values),
           CW_ERROR_INPUT, "has no record B/w");
  ck_fails(cw_output_read_field(context, path, "B", NULL, &dim, cells, spacing, offset, &values),
           CW_ERROR_INPUT, "has no record B");
  ck_assert_ptr_null(values);
}
END_TEST

int main(void) {
  TCase *cases = tcase_create("openpmd");
  tcase_add_loop_test(cases, test_fields_come_back_exactly_at_their_places, 0, 6);
  tcase_add_test(cases, test_file_has_the_attributes_that_openpmd_requires);
  tcase_add_test(cases, test_meshes_carry_geometry_slowest_axis_first);
  tcase_add_test(cases, test_single_stays_single_in_the_file);
  tcase_add_test(cases, test_file_holds_the_resolved_deck);
  tcase_add_test(cases, test_missing_folder_fails_and_leaves_nothing);
  tcase_add_test(cases, test_failed_write_keeps_the_older_file_and_leaves_no_part);
  tcase_add_test(cases, test_faulty_records_are_refused);
  tcase_add_test(cases, test_reader_says_what_is_wrong_with_a_file);
  return run_suite(cases);
}
