/* Layout of arrays over a grid, and the ghost cells that shapes need. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include <cellwise/grid.h>

static cw_context *context;
static const double origin[3] = {-1, 2, 3}, edge[3] = {0.5, 0.25, 2};
static const int32_t cells[3] = {7, 5, 4};

static void create(void) {
  ck_assert_int_eq(cw_context_create(NULL, &context, NULL, 0), CW_OK);
}
static void destroy(void) {
  cw_context_destroy(context);
}

/* Every cell, ghost cells included, has its own place, axis 0 next to each other; all are used. */
START_TEST(test_index_is_a_bijection_with_axis_0_fastest) {
  for (int dim = 1; dim <= 3; dim++) {
    cw_grid grid;
    ck_assert_int_eq(cw_grid_init(context, &grid, dim, cells, 2, origin, edge), CW_OK);
    int64_t next = 0;
    int ghost[3];
    for (int a = 0; a < 3; a++)
      ghost[a] = a < dim ? 2 : 0;
    for (int k = -ghost[2]; k < grid.cells[2] + ghost[2]; k++)
      for (int j = -ghost[1]; j < grid.cells[1] + ghost[1]; j++)
        for (int i = -ghost[0]; i < grid.cells[0] + ghost[0]; i++)
          ck_assert_int_eq(cw_grid_index(&grid, i, j, k), next++);
    ck_assert_int_eq(next, grid.points);
  }
}
END_TEST

START_TEST(test_axes_not_simulated_have_one_cell) {
  cw_grid grid;
  ck_assert_int_eq(cw_grid_init(context, &grid, 1, cells, 3, origin, edge), CW_OK);
  ck_assert_int_eq(grid.size[0], 13);
  for (int a = 1; a < 3; a++) {
    ck_assert_int_eq(grid.cells[a], 1);
    ck_assert_int_eq(grid.size[a], 1);
    ck_assert(grid.dx[a] == 1 && grid.origin[a] == 0);
  }
  ck_assert_int_eq(grid.points, 13);
}
END_TEST

static void refuse(int dim, const int32_t count[3], int32_t ghost, const double dx[3],
                   const char *part) {
  cw_grid grid = {.dim = 77};
  ck_assert_int_eq(cw_grid_init(context, &grid, dim, count, ghost, origin, dx), CW_ERROR_ARGUMENT);
  ck_assert_int_eq(grid.dim, 77);
  const char *message = cw_context_message(context);
  ck_assert_msg(strstr(message, part) != NULL, "'%s' lacks '%s'", message, part);
}

START_TEST(test_unusable_grids_are_refused) {
  refuse(0, cells, 2, edge, "dim is 0");
  refuse(4, cells, 2, edge, "dim is 4");
  refuse(2, (const int32_t[3]){4, 0, 4}, 2, edge, "axis 1");
  refuse(2, cells, -1, edge, "ghost is -1");
  refuse(2, cells, 2, (const double[3]){1, 0, 1}, "axis 1");
  refuse(2, cells, 2, (const double[3]){-1, 1, 1}, "axis 0");
  refuse(2, cells, 2, (const double[3]){NAN, 1, 1}, "axis 0");
  refuse(2, cells, 2, (const double[3]){INFINITY, 1, 1}, "axis 0");
  refuse(1, (const int32_t[3]){INT32_MAX, 1, 1}, 2, edge, "too many");
  refuse(3, (const int32_t[3]){INT32_MAX - 8, INT32_MAX - 8, INT32_MAX - 8}, 2, edge, "too many");
}
END_TEST

/* Centred B-spline of order n around x in cells: nodes with |node - x| < (n + 1)/2. A particle
 * starts in [0, cells) and moves at most max_move; every node of its shape must be in
 * [-ghost, cells + ghost - 1], before and after. Counted over a fine set of positions. */
static int32_t ghosts_counted(int order, double max_move) {
  const int count = 32;
  int32_t most = 0;
  for (int k = 0; k <= 4000; k++) {
    double beyond = max_move * k / 4000;
    double below = -beyond, above = count + beyond * (1 - 1e-12) - 1e-12;
    double reach = order == 0 ? 1 : 0.5 * (order + 1);
    int lowest = (int)floor(below - reach) + 1, highest = (int)ceil(above + reach) - 1;
    if (-lowest > most)
      most = -lowest;
    if (highest - (count - 1) > most)
      most = highest - (count - 1);
  }
  return most;
}

START_TEST(test_ghost_cells_hold_every_shape_after_a_step) {
  static const double moves[] = {0.1, 0.3, 0.5, 0.549, 0.671, 0.95, 1};
  for (int order = 0; order <= 11; order++)
    for (int m = 0; m < 7; m++) {
      int32_t needed = ghosts_counted(order, moves[m]),
              given = cw_grid_ghost_cells(order, moves[m]);
      ck_assert_msg(given >= needed, "order %d, move %g: %d given, %d needed", order, moves[m],
                    (int)given, (int)needed);
      ck_assert_msg(given <= needed + 1, "order %d, move %g: %d given, %d needed", order, moves[m],
                    (int)given, (int)needed);
    }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("grid");
  TCase *tests = tcase_create("grid");
  tcase_add_checked_fixture(tests, create, destroy);
  tcase_add_test(tests, test_index_is_a_bijection_with_axis_0_fastest);
  tcase_add_test(tests, test_axes_not_simulated_have_one_cell);
  tcase_add_test(tests, test_unusable_grids_are_refused);
  tcase_add_test(tests, test_ghost_cells_hold_every_shape_after_a_step);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
