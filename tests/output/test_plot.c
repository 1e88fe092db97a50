/* Pictures: whole PNG files for every dimension, the flux function, errors that help. */
#include "output/plot.h"
#include "output/plot_private.h"
#include "output/plot_sample.h"

static double potential(int64_t i, int64_t j) {
  return sin(0.3 * (double)i) + 0.5 * cos(0.7 * (double)j) +
         sin(0.2 * (double)i) * cos(0.4 * (double)j);
}

/* A field made from a potential gives the potential back, but for a constant. */
START_TEST(test_flux_function_is_the_potential_of_the_field) {
  enum { NX = 13, NY = 9 };
  int64_t cells[2] = {NX, NY};
  double spacing[2] = {0.5, 0.25}, Bx[NX * NY], By[NX * NY], flux[(NX + 1) * (NY + 1)], sum = 0;
  for (int j = 0; j < NY; j++)
    for (int i = 0; i < NX; i++) {
      Bx[j * NX + i] = (potential(i, j + 1) - potential(i, j)) / spacing[1];
      By[j * NX + i] = -(potential(i + 1, j) - potential(i, j)) / spacing[0];
    }
  for (int n = 0; n < (NX + 1) * (NY + 1); n++)
    flux[n] = NAN;
  cw_plot_flux(cells, spacing, Bx, By, flux);
  for (int j = 0; j <= NY; j++)
    for (int i = 0; i <= NX; i++) {
      double found = flux[j * (NX + 1) + i] - flux[0], right = potential(i, j) - potential(0, 0);
      sum += flux[j * (NX + 1) + i];
      /* 22 steps of one rounding each; no By is known at the corner, whose error is h^2 A_xy. */
      double tolerance = i == NX && j == NY ? 0.2 * 0.4 : 22 * 2.0 * 2.3e-16;
      ck_assert_msg(fabs(found - right) <= tolerance, "node (%d, %d): %.17g, expected %.17g", i, j,
                    found, right);
    }
  ck_assert(fabs(sum) <= (NX + 1) * (NY + 1) * 2.0 * 2.3e-16);
}
END_TEST

START_TEST(test_overview_is_a_whole_picture) {
  unsigned width, height;
  if (no_gnuplot())
    return;
  write_sample_history();
  write_sample_fields(_i, SAMPLE_STEP);
  ck_ok(cw_plot_overview(context, folder, in_folder("o.png")));
  read_png_size(in_folder("o.png"), &width, &height);
  ck_assert_uint_eq(width, SAMPLE_WIDTH);
  ck_assert_uint_ge(height, 400);
  ck_assert_int_eq(count_entries(folder), 3); /* no part file */
}
END_TEST

START_TEST(test_history_alone_is_drawn) {
  unsigned width, height;
  if (no_gnuplot())
    return;
  write_sample_history();
  ck_ok(cw_plot_overview(context, folder, in_folder("o.png")));
  read_png_size(in_folder("o.png"), &width, &height);
  ck_assert_uint_eq(width, SAMPLE_WIDTH);
}
END_TEST

START_TEST(test_every_kind_of_quantity_is_drawn) {
  static const char *const names[] = {"B", "|B|", "Bx", "B_x", "density_electrons", "N"};
  static const double largest[] = {1, 1, 1, 1, 1.1, 1.1};
  if (no_gnuplot())
    return;
  write_sample_fields(2, SAMPLE_STEP);
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    cw_plot_result shown;
    ck_ok(cw_plot_quantity(context, folder, names[n], -1, in_folder("q.png"), &shown));
    ck_assert_int_eq(shown.step, SAMPLE_STEP);
    ck_assert_double_eq(shown.time, 10.0);
    ck_assert_msg(fabs(shown.maximum - largest[n]) <= 1e-5, "%s: %g", names[n], shown.maximum);
  }
}
END_TEST

/* A map with field lines over it is another picture, of 2D and 3D fields; in 1D there are none. */
START_TEST(test_field_lines_are_drawn_over_a_quantity) {
  struct stat without, with;
  const char *png = in_folder("q.png");
  if (no_gnuplot())
    return;
  write_sample_fields(_i, SAMPLE_STEP);
  if (_i == 1) {
    ck_fails(cw_plot_quantity_lines(context, folder, "N", -1, png, NULL), CW_ERROR_INPUT,
             "has no field lines to draw; expected Bx and By");
    return;
  }
  ck_ok(cw_plot_quantity(context, folder, "N", -1, png, NULL));
  ck_assert_int_eq(stat(png, &without), 0);
  ck_ok(cw_plot_quantity_lines(context, folder, "N", -1, png, NULL));
  ck_assert_int_eq(stat(png, &with), 0);
  ck_assert_msg(with.st_size > without.st_size + 500, "%lld bytes with lines, %lld without",
                (long long)with.st_size, (long long)without.st_size);
}
END_TEST

/* Two species' spectra over three parts of the box, and their maps: the pictures show sums over the
 * box, a bin's width taken out, and of both species. */
static void write_sample_histograms(void) {
  double spectra[2][12], maps[2][6] = {{1, 2, 3, 4, 5, 6}, {0, 0, 0, 0, 0, 10}};
  cw_output_histogram list[2] = {
      {.name = "spectrum_e", .rank = 2, .axis = {{"log10_energy", -2, 0.5, 4}, {"x", 0, 1, 3}}},
      {.name = "spectrum_p", .rank = 2, .axis = {{"log10_energy", -2, 0.5, 4}, {"x", 0, 1, 3}}}};
  const cw_output_time when = {.step = 7, .time = 1.5, .dt = 0.5};
  for (int s = 0; s < 2; s++) {
    for (int k = 0; k < 12; k++)
      spectra[s][k] = (s + 1) * (k % 4);
    list[s].values = spectra[s];
  }
  ck_ok(cw_output_write_histograms(context, folder, CW_SERIES_SPECTRA, NULL, &when, list, 2));
  for (int s = 0; s < 2; s++)
    list[s] = (cw_output_histogram){.name = s ? "phase_x_ux_p" : "phase_x_ux_e",
                                    .rank = 2,
                                    .axis = {{"x", 0, 1, 3}, {"ux", -1, 1, 2}},
                                    .values = maps[s]};
  ck_ok(cw_output_write_histograms(context, folder, CW_SERIES_PHASE_SPACE, NULL, &when, list, 2));
}

START_TEST(test_histograms_are_drawn) {
  static const struct {
    const char *name;
    double largest;
  } cases[] = {{"spectrum", 3 * 6 / 0.5},
               {"phase", 16},
               {"phase_x_ux", 16},
               {"phase_x_ux_p", 10},
               {"phase_x_ux_e", 6}};
  if (no_gnuplot())
    return;
  write_sample_histograms();
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    cw_plot_result shown;
    ck_ok(cw_plot_quantity(context, folder, cases[n].name, -1, in_folder("q.png"), &shown));
    ck_assert_int_eq(shown.step, 7);
    ck_assert_double_eq(shown.time, 1.5);
    ck_assert_msg(shown.maximum == cases[n].largest, "%s: %g", cases[n].name, shown.maximum);
  }
  ck_fails(cw_plot_quantity(context, folder, "phase_y", -1, in_folder("q.png"), NULL),
           CW_ERROR_INPUT, "there are phase_x_ux_e, phase_x_ux_p");
  ck_fails(cw_plot_quantity(context, folder, "spectrum", 3, in_folder("q.png"), NULL),
           CW_ERROR_INPUT, "has no spectra file of step 3; there are 1 from step 7 to step 7");
  remove_folder(in_folder("spectra"));
  ck_fails(cw_plot_quantity(context, folder, "spectrum", -1, in_folder("q.png"), NULL),
           CW_ERROR_INPUT, "[output.spectra] asks a run for them");
  remove_folder(in_folder("phase_space"));
}
END_TEST

/* Uniform, infinite and missing values must not stop a picture. */
START_TEST(test_fields_without_a_range_are_drawn) {
  cw_grid grid = make_grid(2, 24, 16, 8);
  double *values;
  if (no_gnuplot())
    return;
  ck_ok(CW_NEW(context, grid.points, "test", &values));
  for (int64_t n = 0; n < grid.points; n++)
    values[n] = _i == 0 ? 0 : _i == 1 ? NAN : n % 7 ? 1 : INFINITY;
  cw_output_record record = {
      .name = "rho", .components = 1, .precision = CW_DOUBLE, .data = {values}};
  ck_ok(
      cw_output_write_fields(context, folder, NULL, &grid, &(cw_output_time){.dt = 1}, &record, 1));
  ck_ok(cw_plot_quantity(context, folder, "rho", -1, in_folder("q.png"), NULL));
  CW_DELETE(context, values);
}
END_TEST

START_TEST(test_the_asked_step_is_drawn) {
  cw_plot_result shown;
  if (no_gnuplot())
    return;
  write_sample_history();
  write_sample_fields(1, 0);
  write_sample_fields(1, SAMPLE_STEP);
  ck_ok(cw_plot_overview_at(context, folder, 0, in_folder("o.png"), &shown));
  ck_assert_int_eq(shown.step, 0);
  ck_assert_double_eq(shown.time, 0);
}
END_TEST

START_TEST(test_errors_say_what_there_is) {
  const char *png = in_folder("o.png");
  ck_fails(cw_plot_overview(context, "/nonexistent/run", png), CW_ERROR_INPUT,
           "/nonexistent/run: there is no such folder");
  ck_fails(cw_plot_overview(context, folder, png), CW_ERROR_INPUT, "history.csv: is not there");
  ck_fails(cw_plot_quantity(context, folder, "Bx", -1, png, NULL), CW_ERROR_INPUT,
           "has no field files");
  write_sample_history();
  write_sample_fields(2, 0);
  write_sample_fields(2, SAMPLE_STEP);
  ck_fails(cw_plot_overview_at(context, folder, 7, png, NULL), CW_ERROR_INPUT,
           "has no field file of step 7; there are 2 from step 0 to step 40");
  ck_fails(cw_plot_quantity(context, folder, "density_electron", -1, png, NULL), CW_ERROR_INPUT,
           "did you mean \"density_electrons\"?");
  ck_fails(cw_plot_quantity(context, folder, "temperature", -1, png, NULL), CW_ERROR_INPUT,
           "there are B, Bx, By, Bz, density_electrons, N, energy");
  ck_assert_int_eq(count_entries(folder), 3);
}
END_TEST

START_TEST(test_picture_that_cannot_be_written_fails) {
  write_sample_history();
  ck_fails(cw_plot_overview(context, folder, in_folder("none/o.png")), CW_ERROR_IO,
           "none/o.png: cannot create: No such file or directory");
}
END_TEST

START_TEST(test_missing_gnuplot_is_named_with_its_package) {
  write_sample_history();
  setenv("PATH", "/nonexistent", 1);
  ck_fails(cw_plot_overview(context, folder, in_folder("o.png")), CW_ERROR_IO, "gnuplot-nox");
  ck_assert_int_eq(count_entries(folder), 1);
}
END_TEST

int main(void) {
  TCase *cases = tcase_create("plot");
  tcase_add_test(cases, test_flux_function_is_the_potential_of_the_field);
  tcase_add_loop_test(cases, test_overview_is_a_whole_picture, 1, 4);
  tcase_add_test(cases, test_history_alone_is_drawn);
  tcase_add_test(cases, test_every_kind_of_quantity_is_drawn);
  tcase_add_test(cases, test_histograms_are_drawn);
  tcase_add_loop_test(cases, test_field_lines_are_drawn_over_a_quantity, 1, 4);
  tcase_add_loop_test(cases, test_fields_without_a_range_are_drawn, 0, 3);
  tcase_add_test(cases, test_the_asked_step_is_drawn);
  tcase_add_test(cases, test_errors_say_what_there_is);
  tcase_add_test(cases, test_picture_that_cannot_be_written_fails);
  tcase_add_test(cases, test_missing_gnuplot_is_named_with_its_package);
  return run_suite(cases);
}
