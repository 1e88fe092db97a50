/* Ghost cells of periodic axes against brute force over all cells, also where the box is thinner
 * than its ghost cells. */
#include "fields/fields_fixture.h"

enum { CASES = 5 };
static const struct {
  int dim;
  int32_t cells[3], ghost;
} cases[CASES] = {{1, {1, 1, 1}, 7},
                  {1, {40, 1, 1}, 3},
                  {2, {3, 2, 1}, 7},
                  {3, {2, 1, 3}, 7},
                  {3, {37, 33, 31}, 2}};

static int32_t modulo(int32_t i, int32_t n) {
  return ((i % n) + n) % n;
}

/* Index of the interior cell that the storage index `at` is an image of. */
static int64_t image_of(const cw_grid *grid, int64_t at) {
  int32_t cell[3];
  for (int a = 0; a < 3; a++) {
    int32_t ghost = a < grid->dim ? grid->ghost : 0;
    cell[a] = modulo((int32_t)(at / grid->stride[a] % grid->size[a]) - ghost, grid->cells[a]);
  }
  return cw_grid_index(grid, cell[0], cell[1], cell[2]);
}

static void check_case(int which, cw_precision precision, int threads) {
  static const double origin[3] = {0}, dx[3] = {1, 1, 1};
  cw_context *context = make_context(threads, CW_ISA_AUTO);
  cw_grid grid;
  ck_ok(context, cw_grid_init(context, &grid, cases[which].dim, cases[which].cells,
                              cases[which].ghost, origin, dx));
  size_t size = (size_t)cw_precision_size(precision);
  void *array = malloc((size_t)grid.points * size);
  double *expected = calloc((size_t)grid.points, sizeof *expected);
  /* Whole numbers: sums are exact in either precision and in any order. */
  for (int64_t at = 0; at < grid.points; at++) {
    double value = floor(100 * random_value(1, at));
    set(precision, array, at, value);
    expected[image_of(&grid, at)] += value;
  }
  for (int axis = 0; axis < grid.dim; axis++)
    ck_ok(context, cw_comm_fold_ghosts(context, &grid, precision, array, axis));
  for (int64_t at = 0; at < grid.points; at++) /* ghost cells: zero */
    ck_close(get(precision, array, at), expected[at], 0);
  for (int64_t at = 0; at < grid.points; at++)
    if (image_of(&grid, at) != at)
      set(precision, array, at, NAN);
  for (int axis = 0; axis < grid.dim; axis++)
    ck_ok(context, cw_comm_fill_ghosts(context, &grid, precision, array, axis));
  for (int64_t at = 0; at < grid.points; at++)
    ck_close(get(precision, array, at), expected[image_of(&grid, at)], 0);
  free(array);
  free(expected);
  cw_context_destroy(context);
}

START_TEST(test_fold_and_fill_equal_the_sum_over_images) {
  for (int threads = 1; threads <= 3; threads++) {
    check_case(_i, CW_SINGLE, threads);
    check_case(_i, CW_DOUBLE, threads);
  }
}
END_TEST

START_TEST(test_wrong_axis_is_refused) {
  static const double origin[3] = {0}, dx[3] = {1, 1, 1};
  static const int32_t cells[3] = {4, 4, 1};
  cw_context *context = make_context(1, CW_ISA_AUTO);
  cw_grid grid;
  float array[64] = {0};
  ck_ok(context, cw_grid_init(context, &grid, 2, cells, 2, origin, dx));
  ck_assert_int_eq(cw_comm_fill_ghosts(context, &grid, CW_SINGLE, array, 2), CW_ERROR_ARGUMENT);
  ck_assert_int_eq(cw_comm_fold_ghosts(context, &grid, CW_SINGLE, array, -1), CW_ERROR_ARGUMENT);
  ck_assert_int_eq(cw_comm_fold_ghosts(context, &grid, CW_SINGLE, NULL, 0), CW_ERROR_ARGUMENT);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_one_process_reduces_to_itself) {
  cw_context *context = make_context(1, CW_ISA_AUTO);
  double values[3] = {1.5, -2, 1e300};
  for (int op = CW_COMM_SUM; op <= CW_COMM_MIN; op++)
    ck_ok(context, cw_comm_reduce(context, values, 3, (cw_comm_op)op));
  ck_assert(values[0] == 1.5 && values[1] == -2 && values[2] == 1e300);
  ck_assert_int_eq(cw_comm_reduce(context, NULL, 1, CW_COMM_SUM), CW_ERROR_ARGUMENT);
  ck_assert_int_eq(cw_comm_size(), 1);
  ck_assert_int_eq(cw_comm_rank(), 0);
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("comm ghosts");
  TCase *tests = tcase_create("all");
  tcase_add_loop_test(tests, test_fold_and_fill_equal_the_sum_over_images, 0, CASES);
  tcase_add_test(tests, test_wrong_axis_is_refused);
  tcase_add_test(tests, test_one_process_reduces_to_itself);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
