/* What a caller of the mass matrix may get wrong: errors that say so, and a matrix left as it was.
 */
#include "kernels/massmatrix_case.h"

static size_t values_of(const cw_massmatrix *matrix) {
  const cw_massmatrix_view view = cw_massmatrix_get_view(matrix);
  return (size_t)view.entries * (size_t)view.components * (size_t)view.points;
}

static void refuse(cw_context *context, cw_status found, cw_status expected, const char *part) {
  ck_assert_int_eq(found, expected);
  ck_assert_msg(strstr(cw_context_message(context), part) != NULL, "'%s' lacks '%s'",
                cw_context_message(context), part);
}

START_TEST(test_wrong_options_are_refused) {
  cw_context *context = mm_context(2, CW_ISA_AUTO);
  const double origin[3] = {0}, dx[3] = {1, 1, 1};
  const int32_t cells[3] = {4, 4, 4};
  cw_grid grid;
  cw_massmatrix *matrix;
  mm_ok(context, cw_grid_init(context, &grid, 2, cells, 2, origin, dx));
  const struct {
    cw_massmatrix_options options;
    cw_status status;
    const char *part;
  } wrong[] = {
      {{.order = 0}, CW_ERROR_ARGUMENT, "order"},
      {{.order = 12}, CW_ERROR_ARGUMENT, "order"},
      {{.order = 3}, CW_ERROR_ARGUMENT, "ghost"},
      {{.order = 1, .kind = 7}, CW_ERROR_ARGUMENT, "kind"},
      {{.order = 1, .method = 99}, CW_ERROR_ARGUMENT, "method"},
      {{.order = 1, .format = 9}, CW_ERROR_ARGUMENT, "format"},
      {{.order = 1, .format = CW_MASSMATRIX_TF32}, CW_ERROR_UNSUPPORTED, "FP64"},
      {{.order = 1, .space = CW_SPACE_DEVICE}, CW_ERROR_UNSUPPORTED, "device"},
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    refuse(context, cw_massmatrix_create(context, &grid, &wrong[k].options, &matrix),
           wrong[k].status, wrong[k].part);
    ck_assert_ptr_null(matrix);
  }
  mm_ok(context, cw_grid_init(context, &grid, 2, cells, 4, origin, dx));
  const cw_massmatrix_options high = {.order = 4, .method = CW_MASSMATRIX_MOMENT};
  refuse(context, cw_massmatrix_create(context, &grid, &high, &matrix), CW_ERROR_UNSUPPORTED,
         "naive");
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_wrong_particles_are_refused_and_leave_the_matrix) {
  cw_context *context = mm_context(2, CW_ISA_AUTO);
  mm_case c = {.dim = 2,
               .order = 2,
               .cells = {5, 4, 1},
               .periodic = {1, 1, 1},
               .count = 9000,
               .precision = CW_DOUBLE};
  mm_make(context, &c);
  const cw_massmatrix_options options = {.order = 2, .periodic = {1, 1, 1}};
  cw_massmatrix *matrix;
  const cw_vector_view none = {.precision = CW_DOUBLE};
  mm_ok(context, cw_massmatrix_create(context, &c.grid, &options, &matrix));
  refuse(context, cw_massmatrix_add_species(matrix, c.view, &c.species, none, none, NULL),
         CW_ERROR_ARGUMENT, "scalar");
  c.view.i[1][7777] = 4;
  refuse(context, cw_massmatrix_add_scalar(matrix, c.view, NULL, 1), CW_ERROR_ARGUMENT, "7777");
  c.view.i[1][7777] = 0;
  const double bad[] = {NAN, -0.25, 1.5};
  for (int k = 0; k < 3; k++) {
    mm_set(&c, c.view.dx[0], 4321, bad[k]);
    refuse(context, cw_massmatrix_add_scalar(matrix, c.view, NULL, 1), CW_ERROR_NUMERIC, "4321");
  }
  const double *values = cw_massmatrix_get_view(matrix).values;
  for (size_t k = 0; k < values_of(matrix); k++)
    ck_assert(values[k] == 0);
  double *sums = mm_array(c.grid.points, sizeof(double));
  refuse(context, cw_massmatrix_row_sums(matrix, 0, sums), CW_ERROR_ARGUMENT, "finish");
  mm_ok(context, cw_massmatrix_finish(matrix));
  refuse(context, cw_massmatrix_add_scalar(matrix, c.view, NULL, 1), CW_ERROR_ARGUMENT, "clear");
  refuse(context, cw_massmatrix_row_sums(matrix, 1, sums), CW_ERROR_ARGUMENT, "component");
  free(sums);
  cw_massmatrix_destroy(matrix);
  mm_free(&c);
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("mass matrix errors");
  TCase *all = tcase_create("all");
  tcase_add_test(all, test_wrong_options_are_refused);
  tcase_add_test(all, test_wrong_particles_are_refused_and_leave_the_matrix);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
