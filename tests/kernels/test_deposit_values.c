/* The deposit's values against hand-made numbers and against the plain double-precision sum. */
#include "kernels/deposit_case.h"

typedef struct single {
  int32_t i[3], i_prev[3];
  double dx[3], dx_prev[3], u[3];
  cw_particles_view view;
} single;

static void single_init(single *p, int dim) {
  memset(p, 0, sizeof *p);
  p->view = (cw_particles_view){.count = 1, .precision = CW_DOUBLE};
  for (int a = 0; a < 3; a++) {
    p->view.u[a] = &p->u[a];
    if (a >= dim)
      continue;
    p->view.i[a] = &p->i[a];
    p->view.i_prev[a] = &p->i_prev[a];
    p->view.dx[a] = &p->dx[a];
    p->view.dx_prev[a] = &p->dx_prev[a];
  }
}

static void unit_grid(cw_grid *grid, int dim, int32_t cells, int32_t ghost) {
  const int32_t n[3] = {cells, cells, cells};
  const double origin[3] = {0, 0, 0}, dx[3] = {1, 1, 1};
  ck_assert_int_eq(cw_grid_init(NULL, grid, dim, n, ghost, origin, dx), CW_OK);
}

static double total(const cw_grid *grid, cw_vector_view J, int c) {
  double sum = 0;
  for (int64_t n = 0; n < grid->points; n++)
    sum += ((double *)J.component[c])[n];
  return sum;
}

/* From (25.65, 21.65) to (24.99, 20.80) with u_z = 2.5 in one step of 1: the sums of J are the
 * displacements and u_z/gamma = 2.5/sqrt(7.25), whatever the shape. */
START_TEST(test_one_particle_carries_its_displacement) {
  cw_context *context = deposit_context(1, CW_ISA_AUTO);
  single p;
  cw_grid grid;
  single_init(&p, 2);
  p.i_prev[0] = 25, p.dx_prev[0] = 0.65, p.i_prev[1] = 21, p.dx_prev[1] = 0.65;
  p.i[0] = 24, p.dx[0] = 0.99, p.i[1] = 20, p.dx[1] = 0.80;
  p.u[2] = 2.5;
  unit_grid(&grid, 2, 48, cw_grid_ghost_cells(_i, 1));
  cw_vector_view J[2] = {{.precision = CW_DOUBLE}, {.precision = CW_DOUBLE}};
  for (int form = 0; form < 2; form++)
    for (int c = 0; c < 3; c++)
      J[form].component[c] = calloc((size_t)grid.points, sizeof(double));
  const cw_deposit_options options = {.order = _i, .charge = 1, .dt = 1};
  deposit_ok(context, cw_deposit_current(context, &options, &grid, &p.view, NULL, J[0], NULL));
  deposit_ok(context, cw_deposit_current_reference(context, &options, &grid, &p.view, J[1]));
  const double expected[3] = {-0.66, -0.85, 2.5 / sqrt(7.25)};
  for (int form = 0; form < 2; form++)
    for (int c = 0; c < 3; c++)
      ck_assert_double_eq_tol(total(&grid, J[form], c), expected[c], 1e-14); /* sums of order 1 */
  for (int form = 0; form < 2; form++)
    deposit_vector_clear(&J[form]);
  cw_context_destroy(context);
}
END_TEST

/* CIC in 1D by hand: from 3.75 to 4.25, all of the charge crosses node 4 in two equal parts. */
START_TEST(test_linear_current_by_hand) {
  cw_context *context = deposit_context(1, CW_ISA_AUTO);
  single p;
  cw_grid grid;
  single_init(&p, 1);
  p.i_prev[0] = 3, p.dx_prev[0] = 0.75, p.i[0] = 4, p.dx[0] = 0.25;
  p.u[1] = 0.75; /* v = 0.6 */
  unit_grid(&grid, 1, 8, 2);
  for (int order = 0; order < 2; order++) {
    const cw_deposit_options options = {.order = order, .charge = 2, .dt = 0.5};
    cw_vector_view J = {.precision = CW_DOUBLE};
    for (int c = 0; c < 3; c++)
      J.component[c] = calloc((size_t)grid.points, sizeof(double));
    deposit_ok(context, cw_deposit_current(context, &options, &grid, &p.view, NULL, J, NULL));
    const double *J1 = J.component[0], *J2 = J.component[1];
    ck_assert_double_eq_tol(J1[cw_grid_index(&grid, 3, 0, 0)], 1, 1e-15);
    ck_assert_double_eq_tol(J1[cw_grid_index(&grid, 4, 0, 0)], 1, 1e-15);
    /* q v = 1.2 times the mean of the weights (1/4, 3/4, 0) before and (0, 3/4, 1/4) after; for
     * zigzag, of those in the middle of each half path, (1/8, 7/8, 0) and (0, 7/8, 1/8) */
    const double outer = order ? 1.0 / 8 : 1.0 / 16;
    ck_assert_double_eq_tol(J2[cw_grid_index(&grid, 3, 0, 0)], 1.2 * outer, 1e-15);
    ck_assert_double_eq_tol(J2[cw_grid_index(&grid, 4, 0, 0)], 1.2 * (1 - 2 * outer), 1e-15);
    ck_assert_double_eq_tol(J2[cw_grid_index(&grid, 5, 0, 0)], 1.2 * outer, 1e-15);
    deposit_vector_clear(&J);
  }
  cw_context_destroy(context);
}
END_TEST

/* Centred B-spline by its explicit sum of truncated powers, taken from the nearer end of its
 * support, where few powers cancel: good to 1e-10 up to order 11. */
static double truncated_powers(int order, double x) {
  double sum = 0, binomial = 1, factorial = 1;
  for (int k = 0; k <= order + 1; k++) {
    const double y = 0.5 * (order + 1) - fabs(x) - k;
    if (y > 0)
      sum += binomial * pow(y, order);
    binomial *= -(double)(order + 1 - k) / (k + 1);
  }
  for (int k = 2; k <= order; k++)
    factorial *= k;
  return sum / factorial;
}

START_TEST(test_charge_is_the_centred_spline) {
  cw_context *context = deposit_context(1, CW_ISA_AUTO);
  const double offsets[] = {0, 0.1, 0.25, 0.49, 0.5, 0.51, 0.8, 0.9999};
  single p;
  cw_grid grid;
  single_init(&p, 1);
  unit_grid(&grid, 1, 24, 8);
  double *rho = malloc((size_t)grid.points * sizeof *rho);
  const cw_deposit_options options = {.order = _i, .charge = -3, .dt = 1};
  for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++) {
    memset(rho, 0, (size_t)grid.points * sizeof *rho);
    p.i[0] = 11, p.dx[0] = offsets[k];
    deposit_ok(context, cw_deposit_charge(context, &options, &grid, &p.view, 0, rho));
    for (int32_t n = -8; n < 32; n++)
      ck_assert_double_eq_tol(rho[cw_grid_index(&grid, n, 0, 0)],
                              -3 * truncated_powers(_i ? _i : 1, 11 + offsets[k] - n), 1e-9);
  }
  free(rho);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_charge_sums_to_the_charge_of_the_particles) {
  cw_context *context = deposit_context(2, CW_ISA_AUTO);
  const deposit_setup setup = {.dim = 3,
                               .order = _i,
                               .cells = {9, 8, 7},
                               .ppc = 3,
                               .tile = 4,
                               .max_move = 0.55,
                               .steps = 1,
                               .dead_one_in = 7,
                               .seed = 3};
  deposit_case c;
  deposit_case_init(&c, &setup);
  const cw_deposit_options options = deposit_options(&c, CW_DEPOSIT_FLAT, 0, 0);
  double *rho = calloc((size_t)c.grid.points, sizeof *rho), sum = 0, expected = 0;
  deposit_ok(context, cw_deposit_charge(context, &options, &c.grid, &c.view, 0, rho));
  for (int64_t n = 0; n < c.grid.points; n++)
    sum += rho[n];
  for (int64_t n = 0; n < c.view.count; n++)
    if (c.view.tag[n])
      expected += c.charge * ((float *)c.view.weight)[n];
  /* some 1e5 additions of doubles */
  ck_assert_double_eq_tol(sum / expected, 1, 1e-12);
  free(rho);
  deposit_case_clear(&c);
  cw_context_destroy(context);
}
END_TEST

/* Every order, dimension and precision of the flat and tiled forms against the plain sum. */
static void compare_with_reference(int dim, int order, cw_precision precision) {
  cw_context *context = deposit_context(2, CW_ISA_AUTO);
  const deposit_setup setup = {.dim = dim,
                               .order = order,
                               .precision = precision,
                               .cells = {dim == 1 ? 61 : 13, dim == 3 ? 7 : 12, 9},
                               .ppc = dim == 3 ? 1 : 8,
                               .tile = 6,
                               .max_move = deposit_max_move(dim),
                               .steps = 1,
                               .tail = 17,
                               .dead_one_in = 13,
                               .seed = (uint32_t)(7 + order)};
  deposit_case c;
  deposit_case_init(&c, &setup);
  cw_vector_view expected = deposit_reference(context, &c);
  /* Round-off: values of a stencil carry some 10 roundings each; the largest |J| is formed by a few
   * particles, so that relative errors are a few units of the last place, more for the wide
   * shapes, whose P is a difference of prefix sums: 1e-13 and 6e-6 leave a margin of two to four.
   */
  const double tolerance = precision == CW_DOUBLE ? 1e-13 : order < 4 ? 1e-6 : 6e-6;
  for (int path = 0; path < 2; path++)
    for (int method = 0; method < 3; method++) {
      const cw_deposit_options options = deposit_options(
          &c, (cw_deposit_method)method, path ? CW_DEPOSIT_PATH_AUTO : CW_DEPOSIT_PATH_SCALAR, 1);
      cw_vector_view J = deposit_run(context, &c, &options, NULL);
      const double error = deposit_difference(&c, J, expected);
      /* fixed point: a quantum is 2^-46 of the largest value here */
      const double fixed =
          method == CW_DEPOSIT_TILED_FIXED && order >= 4 ? 5 * tolerance : tolerance;
      ck_assert_msg(error <= fixed, "dim %d order %d %s method %d path %d: error %g", dim, order,
                    cw_precision_name(precision), method, path, error);
      deposit_vector_clear(&J);
    }
  deposit_vector_clear(&expected);
  deposit_case_clear(&c);
  cw_context_destroy(context);
}

START_TEST(test_equals_the_plain_sum_in_single) {
  for (int dim = 1; dim <= 3; dim++)
    compare_with_reference(dim, _i, CW_SINGLE);
}
END_TEST

START_TEST(test_equals_the_plain_sum_in_double) {
  for (int dim = 1; dim <= 3; dim++)
    compare_with_reference(dim, _i, CW_DOUBLE);
}
END_TEST

START_TEST(test_wrong_arguments_are_refused) {
  cw_context *context = deposit_context(1, CW_ISA_AUTO);
  const deposit_setup setup = {.dim = 2,
                               .order = 2,
                               .cells = {16, 16, 1},
                               .ppc = 1,
                               .tile = 8,
                               .max_move = 0.6,
                               .steps = 1,
                               .seed = 1};
  deposit_case c;
  deposit_case_init(&c, &setup);
  cw_vector_view J = deposit_vector(&c, CW_SINGLE);
  const cw_deposit_options good = deposit_options(&c, CW_DEPOSIT_TILED, 0, 1);
  cw_deposit_options o;
#define REFUSED(status, member, value)                                                             \
  o = good;                                                                                        \
  o.member = value;                                                                                \
  ck_assert_int_eq(cw_deposit_current(context, &o, &c.grid, &c.view, &c.cells, J, NULL), status)
  REFUSED(CW_ERROR_ARGUMENT, order, 12);
  REFUSED(CW_ERROR_ARGUMENT, order, -1);
  REFUSED(CW_ERROR_ARGUMENT, order, 6); /* ghost cells are those of order 2 */
  REFUSED(CW_ERROR_ARGUMENT, drift, -1);
  REFUSED(CW_ERROR_ARGUMENT, drift, 17);
  REFUSED(CW_ERROR_ARGUMENT, dt, 0);
  REFUSED(CW_ERROR_ARGUMENT, dt, (double)NAN);
  REFUSED(CW_ERROR_ARGUMENT, charge, (double)INFINITY);
  REFUSED(CW_ERROR_ARGUMENT, method, (cw_deposit_method)3);
  cw_cells_view cells = c.cells;
  cells.tile = 5;
  ck_assert_int_eq(cw_deposit_current(context, &good, &c.grid, &c.view, &cells, J, NULL),
                   CW_ERROR_ARGUMENT);
  cells = c.cells;
  cells.cells[1] = 15;
  ck_assert_int_eq(cw_deposit_current(context, &good, &c.grid, &c.view, &cells, J, NULL),
                   CW_ERROR_ARGUMENT);
  cw_vector_view other = J;
  other.precision = CW_DOUBLE;
  ck_assert_int_eq(cw_deposit_current(context, &good, &c.grid, &c.view, NULL, other, NULL),
                   CW_ERROR_ARGUMENT);
  ck_assert_int_eq(cw_deposit_current_reference(context, &good, &c.grid, &c.view, J),
                   CW_ERROR_ARGUMENT);
  deposit_vector_clear(&J);
  deposit_case_clear(&c);
  cw_context_destroy(context);
}
END_TEST

/* Plants one bad value and expects every form to name its slot. */
static void expect_fault(cw_context *context, deposit_case *c, int64_t slot) {
  char name[32];
  snprintf(name, sizeof name, "slot %d ", (int)slot);
  for (int method = 0; method < 4; method++) {
    cw_vector_view J = deposit_vector(c, method == 3 ? CW_DOUBLE : c->setup.precision);
    const cw_deposit_options options =
        deposit_options(c, (cw_deposit_method)(method % 3), CW_DEPOSIT_PATH_AUTO, 1);
    const cw_status status =
        method == 3 ? cw_deposit_current_reference(context, &options, &c->grid, &c->view, J)
                    : cw_deposit_current(context, &options, &c->grid, &c->view, &c->cells, J, NULL);
    ck_assert_int_eq(status, CW_ERROR_NUMERIC);
    ck_assert_msg(strstr(cw_context_message(context), name) != NULL, "method %d: '%s'", method,
                  cw_context_message(context));
    deposit_vector_clear(&J);
  }
}

START_TEST(test_bad_particles_are_named) {
  cw_context *context = deposit_context(2, CW_ISA_AUTO);
  const deposit_setup setup = {.dim = 2,
                               .order = _i,
                               .cells = {16, 16, 1},
                               .ppc = 4,
                               .tile = 8,
                               .max_move = 0.6,
                               .steps = 1,
                               .seed = 1};
  deposit_case c;
  deposit_case_init(&c, &setup);
  float *dx = c.view.dx[0], *u = c.view.u[2], *weight = c.view.weight;
  int32_t *i = c.view.i[0], *i_prev = c.view.i_prev[0];
  const int64_t slot = 321;
  const float offset = dx[slot], momentum = u[slot], w = weight[slot];
  dx[slot] = NAN;
  expect_fault(context, &c, slot);
  dx[slot] = offset;
  u[slot] = NAN;
  expect_fault(context, &c, slot);
  u[slot] = momentum;
  weight[slot] = INFINITY;
  expect_fault(context, &c, slot);
  weight[slot] = w;
  i_prev[slot] = 7, i[slot] = 9; /* both in the tile, or just beside it */
  expect_fault(context, &c, slot);
  i_prev[slot] = 7, i[slot] = 8, dx[slot] = 0.875F;
  ((float *)c.view.dx_prev[0])[slot] = 0.125F; /* neighbouring cells, but 1.75 cells apart */
  expect_fault(context, &c, slot);
  deposit_case_clear(&c);
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("deposit values");
  TCase *tests = tcase_create("values");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_one_particle_carries_its_displacement, 0, 12);
  tcase_add_test(tests, test_linear_current_by_hand);
  tcase_add_loop_test(tests, test_charge_is_the_centred_spline, 0, 12);
  tcase_add_loop_test(tests, test_charge_sums_to_the_charge_of_the_particles, 0, 5);
  tcase_add_loop_test(tests, test_equals_the_plain_sum_in_single, 0, 12);
  tcase_add_loop_test(tests, test_equals_the_plain_sum_in_double, 0, 12);
  tcase_add_test(tests, test_wrong_arguments_are_refused);
  tcase_add_loop_test(tests, test_bad_particles_are_named, 0, 5);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? 1 : 0;
}
