/* Energies, divergences, the charge error's sensitivity, and what create() refuses. */
#include "base/reals.h"
#include "fields/fields_fixture.h"

static const double dx[3] = {0.1, 0.2, 0.3};
static const int32_t cells[3] = {9, 8, 7};

/* Random E with Gauss's law holding for the rho that is returned (times scale). */
static double *consistent_rho(fixture *f, double scale) {
  double *rho = calloc((size_t)f->grid.points, sizeof *rho);
  for (int a = 0; a < 3; a++)
    randomise(&f->grid, cw_fields_E(f->fields).precision, cw_fields_E(f->fields).component[a],
              (uint32_t)a);
  ck_ok(f->context, cw_fields_fill_ghosts(f->fields));
  ck_ok(f->context, cw_fields_divergence(f->fields, 0, rho));
  for (int64_t at = 0; at < f->grid.points; at++)
    rho[at] /= scale;
  return rho;
}

START_TEST(test_charge_error_finds_a_planted_error) {
  cw_fields_options options = {.precision = _i ? CW_DOUBLE : CW_SINGLE};
  fixture f = make_fixture(3, cells, 2, dx, &options);
  double *rho = consistent_rho(&f, 2), error, largest, expected = 0;
  for_interior(&f.grid, i, j, k) expected =
      cw_larger(expected, fabs(2 * rho[cw_grid_index(&f.grid, i, j, k)]));
  ck_ok(f.context, cw_fields_charge_error(f.fields, rho, 2, &error, &largest));
  ck_close(error, 0, 1e-13);
  ck_close(largest, expected, 0);
  for_interior(&f.grid, i, j, k) { /* anywhere, with either sign */
    int64_t at = cw_grid_index(&f.grid, i, j, k);
    double planted = (i + j + k) % 2 ? 1e-3 : -1e-3, kept = rho[at];
    rho[at] += planted;
    ck_ok(f.context, cw_fields_charge_error(f.fields, rho, 2, &error, &largest));
    ck_close(error, 2e-3, 1e-12);
    rho[at] = kept;
  }
  free(rho);
  drop_fixture(&f);
}
END_TEST

START_TEST(test_charge_error_fails_on_values_that_are_not_finite) {
  static const double poison[3] = {NAN, INFINITY, -INFINITY};
  cw_fields_options options = {.precision = CW_DOUBLE};
  fixture f = make_fixture(3, cells, 2, dx, &options);
  double *rho = consistent_rho(&f, 1), error = 0, largest = 0;
  int64_t at = cw_grid_index(&f.grid, 4, 5, 6);
  double *places[2] = {&rho[at], (double *)cw_fields_E(f.fields).component[1] + at};
  for (int place = 0; place < 2; place++) {
    double kept = *places[place];
    *places[place] = poison[_i];
    ck_assert_int_eq(cw_fields_charge_error(f.fields, rho, 1, &error, &largest), CW_ERROR_NUMERIC);
    ck_assert(!isfinite(error) && !isfinite(largest));
    *places[place] = kept;
  }
  ck_ok(f.context, cw_fields_charge_error(f.fields, rho, 1, &error, &largest));
  double electric, magnetic;
  *places[1] = NAN;
  ck_ok(f.context, cw_fields_energy(f.fields, &electric, &magnetic));
  ck_assert(isnan(electric));
  free(rho);
  drop_fixture(&f);
}
END_TEST

START_TEST(test_charge_error_leaves_out_walls_and_layers) {
  cw_fields_options options = {.precision = CW_DOUBLE, .absorb_width = {0.25, 0, 0}};
  options.boundary[0][0] = options.boundary[0][1] = CW_FIELD_ABSORB;
  options.particle[0][0] = options.particle[0][1] = CW_PARTICLE_REFLECT;
  options.boundary[1][0] = options.boundary[1][1] = CW_FIELD_CONDUCTOR;
  options.particle[1][0] = options.particle[1][1] = CW_PARTICLE_REFLECT;
  fixture f = make_fixture(3, cells, 2, dx, &options);
  double *rho = consistent_rho(&f, 1), error, largest;
  for_interior(&f.grid, i, j, k) {
    int64_t at = cw_grid_index(&f.grid, i, j, k);
    /* layers of 2.5 cells: nodes 0 to 2 and 7 to 9 */
    int counted = i >= 4 && i < 6 && j >= 1;
    int excluded = i < 3 || i > 6 || j < 1;
    double kept = rho[at];
    rho[at] = NAN;
    cw_status status = cw_fields_charge_error(f.fields, rho, 1, &error, &largest);
    if (counted)
      ck_assert_int_eq(status, CW_ERROR_NUMERIC);
    if (excluded)
      ck_assert_int_eq(status, CW_OK);
    rho[at] = kept;
  }
  free(rho);
  drop_fixture(&f);
}
END_TEST

START_TEST(test_energy_is_half_the_square_times_the_volume) {
  cw_fields_options options = {.precision = _i ? CW_DOUBLE : CW_SINGLE};
  for (int dim = 1; dim <= 3; dim++) {
    fixture f = make_fixture(dim, cells, 3, dx, &options);
    double volume = 1, expected[2] = {0}, found[2];
    for (int a = 0; a < dim; a++)
      volume *= dx[a];
    cw_vector_view views[2] = {cw_fields_E(f.fields), cw_fields_B(f.fields)};
    for (int set = 0; set < 2; set++)
      for (int a = 0; a < 3; a++) {
        randomise(&f.grid, options.precision, views[set].component[a], (uint32_t)(3 * set + a));
        for_interior(&f.grid, i, j, k) expected[set] +=
            0.5 * volume *
            pow(get(options.precision, views[set].component[a], cw_grid_index(&f.grid, i, j, k)),
                2);
      }
    ck_ok(f.context, cw_fields_energy(f.fields, &found[0], &found[1]));
    for (int set = 0; set < 2; set++)
      ck_close(found[set] / expected[set], 1, 1e-13);
    drop_fixture(&f);
  }
}
END_TEST

START_TEST(test_divergence_of_a_linear_field_is_its_slope) {
  cw_fields_options options = walls(CW_DOUBLE, 3, CW_FIELD_CONDUCTOR, CW_PARTICLE_REFLECT);
  fixture f = make_fixture(3, cells, 2, dx, &options);
  static const double slope[3] = {2, -3, 5};
  double *divergence = calloc((size_t)f.grid.points, sizeof *divergence);
  for (int of_B = 0; of_B < 2; of_B++) {
    cw_vector_view view = of_B ? cw_fields_B(f.fields) : cw_fields_E(f.fields);
    for (int a = 0; a < 3; a++)
      for (int64_t at = 0; at < f.grid.points; at++)
        ((double *)view.component[a])[at] =
            slope[a] * dx[a] * (double)(at / f.grid.stride[a] % f.grid.size[a]);
    ck_ok(f.context, cw_fields_divergence(f.fields, of_B, divergence));
    for_interior(&f.grid, i, j, k) ck_close(divergence[cw_grid_index(&f.grid, i, j, k)], 4, 1e-12);
  }
  free(divergence);
  drop_fixture(&f);
}
END_TEST

/* Every change of one option that must be refused, with a message. */
static void refuse(cw_context *context, const cw_grid *grid, const cw_fields_options *options) {
  cw_fields *fields = (cw_fields *)context; /* poisoned: must become NULL */
  ck_assert_int_eq(cw_fields_create(context, grid, options, &fields), CW_ERROR_ARGUMENT);
  ck_assert_ptr_null(fields);
  ck_assert(strlen(cw_context_message(context)) > 0);
}

START_TEST(test_create_refuses_options_that_contradict_each_other) {
  static const double origin[3] = {0};
  cw_context *context = make_context(1, CW_ISA_AUTO);
  cw_grid grid;
  ck_ok(context, cw_grid_init(context, &grid, 2, cells, 1, origin, dx));
  cw_fields_options options = {.precision = CW_DOUBLE};
  refuse(context, &grid, &options); /* one ghost cell */
  ck_ok(context, cw_grid_init(context, &grid, 2, cells, 2, origin, dx));
  options.boundary[1][0] = CW_FIELD_CONDUCTOR, options.particle[1][0] = CW_PARTICLE_REFLECT;
  refuse(context, &grid, &options); /* periodic at one side */
  options.boundary[1][1] = CW_FIELD_CONDUCTOR;
  refuse(context, &grid, &options); /* periodic for particles */
  options.particle[1][1] = CW_PARTICLE_REFLECT;
  options.correction = NAN;
  refuse(context, &grid, &options);
  options.correction = 0;
  options.boundary[1][1] = CW_FIELD_ABSORB;
  refuse(context, &grid, &options); /* a layer without thickness */
  options.absorb_width[1] = 1.7;    /* the axis is 1.6 long */
  refuse(context, &grid, &options);
  options.absorb_width[1] = NAN;
  refuse(context, &grid, &options);
  options.absorb_width[1] = 0.8;
  options.precision = (cw_precision)7;
  refuse(context, &grid, &options);
  options.precision = CW_SINGLE;
  cw_fields *fields;
  ck_ok(context, cw_fields_create(context, &grid, &options, &fields));
  ck_assert_int_eq(cw_fields_advance_B(fields, NAN), CW_ERROR_ARGUMENT);
  ck_assert_int_eq(cw_fields_advance_E(fields, 1, INFINITY), CW_ERROR_ARGUMENT);
  ck_assert_int_eq(cw_fields_sync_J(fields, -1), CW_ERROR_ARGUMENT);
  ck_assert_int_eq(cw_fields_sync_rho(fields, NULL, 0), CW_ERROR_ARGUMENT);
  ck_assert_int_eq(cw_fields_divergence(fields, 0, NULL), CW_ERROR_ARGUMENT);
  cw_fields_destroy(fields);
  cw_fields_destroy(NULL);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_zero_J_clears_ghost_cells_too) {
  cw_fields_options options = {.precision = CW_SINGLE};
  fixture f = make_fixture(3, (const int32_t[3]){40, 30, 20}, 3, dx, &options);
  for (int a = 0; a < 3; a++)
    randomise(&f.grid, CW_SINGLE, cw_fields_J(f.fields).component[a], (uint32_t)a);
  ck_ok(f.context, cw_fields_zero_J(f.fields));
  for (int a = 0; a < 3; a++)
    for (int64_t at = 0; at < f.grid.points; at++)
      ck_close(get(CW_SINGLE, cw_fields_J(f.fields).component[a], at), 0, 0);
  drop_fixture(&f);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("field diagnostics");
  TCase *tests = tcase_create("all");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_charge_error_finds_a_planted_error, 0, 2);
  tcase_add_loop_test(tests, test_charge_error_fails_on_values_that_are_not_finite, 0, 3);
  tcase_add_test(tests, test_charge_error_leaves_out_walls_and_layers);
  tcase_add_loop_test(tests, test_energy_is_half_the_square_times_the_volume, 0, 2);
  tcase_add_test(tests, test_divergence_of_a_linear_field_is_its_slope);
  tcase_add_test(tests, test_create_refuses_options_that_contradict_each_other);
  tcase_add_test(tests, test_zero_J_clears_ghost_cells_too);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
