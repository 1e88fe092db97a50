/* Field files of a run: blocks of cells averaged in their right places, units in SI, sizes. */
#include <hdf5.h>
#include <math.h>

#include "base/reals.h"
#include "cli/check_output.h"
#include "cli/run_fields.h"
#include "cli/run_units.h"
#include "engine/engine_deck.h"
#include "output/output_fixture.h"

static const char deck_text[] =
    "[simulation]\nname = \"blocks\"\nengine = \"srpic\"\nruntime = 1\nprecision = \"double\"\n"
    "[grid]\nresolution = [12, 8]\nextent = [[-0.6, 0.6], [1, 1.8]]\n"
    "[grid.metric]\nmetric = \"minkowski\"\n"
    "[grid.boundaries]\nfields = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"
    "particles = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"
    "[scales]\nlarmor0 = 0.5\nskindepth0 = 2\n"
    "[algorithms]\ntimestep.CFL = 0.5\n"
    "[particles]\nppc0 = 16\n"
    "[[particles.species]]\nlabel = \"e\"\nmass = 1\ncharge = -1\n"
    "[[particles.species]]\nlabel = \"p\"\nmass = 1\ncharge = 1\n"
    "[setup]\nproblem = \"thermal\"\ntemperature = 0.1\nB = [0, 0.5, 1]\ndrift = [0.2, 0, 0]\n"
    "[output]\nlength_SI = 0.01\n"
    "[output.fields]\nquantities = [\"E\", \"B\", \"N\", \"Txx\", \"V\"]\ndownsampling = %s\n";

typedef struct written {
  int dim;
  int64_t cells[3];
  double spacing[3], offset[3], *values;
} written;

/* One component of what the deck writes, with that downsampling, after three steps. */
static written write_and_read(const char *downsampling, const char *record, const char *component) {
  char text[sizeof deck_text + 16];
  written found;
  snprintf(text, sizeof text, deck_text, downsampling);
  engine_fixture f = engine_from_text(text, 1);
  engine_steps(&f, 3);
  CW_CHECK_OK(f.context, cw_run_fields_write(f.context, f.deck, folder, f.engine));
  ck_ok(cw_output_read_field(context, in_folder("fields_00000003.h5"), record, component,
                             &found.dim, found.cells, found.spacing, found.offset, &found.values));
  engine_clear(&f);
  return found;
}

static const struct {
  const char *record, *component;
  double position[2];
} components[] = {
    {"B", "z", {.5, .5}}, {"E", "x", {.5, 0}}, {"density_p", NULL, {0, 0}}, {"V_e", "y", {0, 0}}};

/* Blocks of 3 x 2: each value is the mean of its block (to the round-off of six), and stands where
 * the mean of their places is. */
START_TEST(test_downsampling_averages_in_the_right_place) {
  written fine = write_and_read("1", components[_i].record, components[_i].component);
  written coarse = write_and_read("[3, 2]", components[_i].record, components[_i].component);
  const double *at = components[_i].position;
  ck_assert_int_eq(coarse.cells[0], 4);
  ck_assert_int_eq(coarse.cells[1], 4);
  ck_assert_double_eq_tol(coarse.spacing[0], 0.3, 1e-14);
  ck_assert_double_eq_tol(coarse.spacing[1], 0.2, 1e-14);
  ck_assert_double_eq_tol(coarse.offset[0], -0.6 + 0.1 * (at[0] + 1), 1e-13);
  ck_assert_double_eq_tol(coarse.offset[1], 1 + 0.1 * (at[1] + 0.5), 1e-13);
  double mean[2] = {0, 0}, varies = 0;
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 4; i++) {
      double sum = 0;
      for (int k = 0; k < 6; k++)
        sum += fine.values[3 * i + k % 3 + 12 * (2 * j + k / 3)];
      ck_assert_double_eq_tol(coarse.values[i + 4 * j], sum / 6, 1e-14);
      mean[0] += sum / 96, mean[1] += coarse.values[i + 4 * j] / 16;
      varies = cw_larger(varies, fabs(coarse.values[i + 4 * j] - coarse.values[0]));
    }
  ck_assert_double_eq_tol(mean[0], mean[1], 1e-14);
  ck_assert_double_gt(varies, 1e-6);
  CW_DELETE(context, fine.values);
  CW_DELETE(context, coarse.values);
}
END_TEST

static double unit_of(hid_t file, const char *path) {
  double unit = NAN;
  hid_t object = H5Oopen(file, path, H5P_DEFAULT), attribute = H5Aopen(object, "unitSI", 0);
  ck_assert_int_ge(H5Aread(attribute, H5T_NATIVE_DOUBLE, &unit), 0);
  H5Aclose(attribute);
  H5Oclose(object);
  return unit;
}

/* A skin depth of 2 cm of an electron plasma is a density of 7.06e16 / m^3 (omega_p = 1.5e10 / s,
 * 5.31e6 m / d, squared), and a Larmor radius of 5 mm of u = 1 a field of 0.341 T; E is c times it.
 */
START_TEST(test_units_are_those_of_an_electron_plasma) {
  written any = write_and_read("1", "B", "z");
  hid_t file = H5Fopen(in_folder("fields_00000003.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
  const double B = unit_of(file, "/data/3/fields/B/z"), E = unit_of(file, "/data/3/fields/E/z");
  const double n = unit_of(file, "/data/3/fields/density_e");
  ck_assert_double_eq_tol(B, 0.34090, 1e-5);
  ck_assert_double_eq_tol(E / B, 299792458.0, 1e-3);
  ck_assert_double_eq_tol(n / 7.0598e16, 1, 1e-4);
  ck_assert_double_eq_tol(unit_of(file, "/data/3/fields/Txx_e") / (n * 8.18710578e-14), 1, 1e-8);
  ck_assert_double_eq_tol(unit_of(file, "/data/3/fields/V_e/x"), 299792458.0, 1e-6);
  H5Fclose(file);
  CW_DELETE(context, any.values);
}
END_TEST

/* 16 components over 12 x 8 cells, or 4 x 4 blocks; one of 100 particles of 2 + 4 + 1 values; two
 * spectra of 200 bins; no maps. 29 steps, every 100 and the last: two files each. */
START_TEST(test_check_knows_what_will_be_written) {
  cw_check_output output;
  char text[sizeof deck_text + 16];
  for (int coarse = 0; coarse < 2; coarse++) {
    snprintf(text, sizeof text, deck_text, coarse ? "[3, 2]" : "1");
    engine_fixture f = engine_from_text(text, 1);
    cw_check_output_fill(&output, f.deck, 1500);
    ck_assert_double_eq(output.bytes[CW_SERIES_FIELDS], 16 * (coarse ? 16 : 96) * 8);
    ck_assert_double_eq_tol(output.bytes[CW_SERIES_PARTICLES], 15 * (2 + 4 + 1) * 8, 1e-9);
    ck_assert_double_eq(output.bytes[CW_SERIES_SPECTRA], 2 * 200 * 8);
    ck_assert_int_eq(f.deck->steps, 29);
    for (int k = 0; k < CW_SERIES_COUNT; k++)
      ck_assert_int_eq(output.files[k], k == CW_SERIES_PHASE_SPACE ? 0 : 2);
    f.deck->output.particles.interval = 10;
    cw_check_output_fill(&output, f.deck, 1500);
    ck_assert_int_eq(output.files[CW_SERIES_PARTICLES], 4); /* 0 10 20 29 */
    engine_clear(&f);
  }
}
END_TEST

int main(void) {
  TCase *tests = tcase_create("run fields");
  tcase_add_loop_test(tests, test_downsampling_averages_in_the_right_place, 0, 4);
  tcase_add_test(tests, test_units_are_those_of_an_electron_plasma);
  tcase_add_test(tests, test_check_knows_what_will_be_written);
  return run_suite(tests);
}
