/* (rho_new - rho_old)/dt + div J = 0 in every cell, for particles that cross in all directions; and
 * the tiled form, on the same particles, gives the flat one's J. */
#include "kernels/deposit_case.h"

/* Largest relative violation allowed. In double every cell sums some 1e3 to 1e4 roundings of 1e-16;
 * in single as many of 6e-8, and the change of rho, the yardstick, is a sum of signed terms. */
static double tolerance(cw_precision precision) {
  return precision == CW_DOUBLE ? 1e-12 : 2e-5;
}

/* Returns J, for the caller to clear. */
static cw_vector_view expect_continuity(cw_context *context, const deposit_case *c,
                                        cw_deposit_method method, cw_deposit_path path, int drift) {
  const deposit_setup *s = &c->setup;
  const cw_deposit_options options = deposit_options(c, method, path, drift);
  cw_deposit_report report;
  cw_vector_view J = deposit_run(context, c, &options, &report);
  const double violation = deposit_continuity(context, c, J);
  ck_assert_msg(violation <= tolerance(s->precision),
                "dim %d order %d %s method %d path %d tile %d drift %d steps %d: violation %g",
                s->dim, s->order, cw_precision_name(s->precision), method, path, (int)s->tile,
                drift, s->steps, violation);
  /* every live particle is deposited exactly once, or counted as outside */
  ck_assert_int_eq(report.tiled + report.escaped + report.tail + report.flat + report.outside,
                   c->live);
  ck_assert_int_eq(report.dead, c->view.count - c->live);
  ck_assert_int_eq(report.outside, 0);
  return J;
}

/* In double, the sum of tiles of floating point is the flat one up to the order of its terms. */
static void expect_same(const deposit_case *c, cw_vector_view J, cw_vector_view flat, int drift) {
  const deposit_setup *s = &c->setup;
  const double error = deposit_difference(c, J, flat);
  ck_assert_msg(error <= 1e-13, "dim %d order %d tile %d drift %d steps %d: tiled - flat %g",
                s->dim, s->order, (int)s->tile, drift, s->steps, error);
}

static void all_forms(cw_context *context, const deposit_case *c, int drift) {
  cw_vector_view flat =
      expect_continuity(context, c, CW_DEPOSIT_FLAT, CW_DEPOSIT_PATH_SCALAR, drift);
  for (int method = 0; method < 3; method++)
    for (int path = CW_DEPOSIT_PATH_AUTO; path <= CW_DEPOSIT_PATH_SCALAR; path++) {
      cw_vector_view J =
          expect_continuity(context, c, (cw_deposit_method)method, (cw_deposit_path)path, drift);
      if (c->setup.precision == CW_DOUBLE && method != CW_DEPOSIT_TILED_FIXED)
        expect_same(c, J, flat, drift);
      deposit_vector_clear(&J);
    }
  deposit_vector_clear(&flat);
}

static void every_dim_and_precision(int order) {
  cw_context *context = deposit_context(2, CW_ISA_AUTO);
  for (int dim = 1; dim <= 3; dim++)
    for (int precision = 0; precision < 2; precision++) {
      const deposit_setup setup = {.dim = dim,
                                   .order = order,
                                   .precision = (cw_precision)precision,
                                   .cells = {dim == 1 ? 97 : 14, dim == 3 ? 7 : 15, 9},
                                   .ppc = dim == 3 ? 2 : 16,
                                   .tile = 8,
                                   .max_move = deposit_max_move(dim),
                                   .steps = 1,
                                   .tail = 29,
                                   .dead_one_in = 17,
                                   .seed = (uint32_t)(100 + order)};
      deposit_case c;
      deposit_case_init(&c, &setup);
      all_forms(context, &c, 1);
      deposit_case_clear(&c);
    }
  cw_context_destroy(context);
}

START_TEST(test_every_order_dimension_and_precision) {
  every_dim_and_precision(_i);
}
END_TEST

/* Tile sizes, drift allowances and sort intervals, each with every other one once. */
START_TEST(test_every_tile_drift_and_interval) {
  cw_context *context = deposit_context(2, CW_ISA_AUTO);
  static const int32_t tiles[] = {4, 6, 8, 10, 12, 14, 16};
  static const int steps[] = {1, 4, 0};
  static const int orders[] = {2, 1, 3, 0, 5, 2, 4};
  for (int drift = 0; drift <= 4; drift++)
    for (int interval = 0; interval < 3; interval++) {
      const int dim = 1 + (drift + interval + _i) % 3;
      const deposit_setup setup = {.dim = dim,
                                   .order = orders[(_i + drift) % 7],
                                   .precision = (cw_precision)((_i + interval) % 2),
                                   .cells = {dim == 1 ? 83 : 21, dim == 3 ? 11 : 18, 10},
                                   .ppc = dim == 3 ? 2 : 8,
                                   .tile = tiles[_i],
                                   .max_move = deposit_max_move(dim),
                                   .steps = steps[interval],
                                   .tail = 31 * (drift % 2),
                                   .dead_one_in = drift % 3 ? 5 : 0,
                                   .even_weights = drift == 3,
                                   .seed = (uint32_t)(_i + 1)};
      deposit_case c;
      deposit_case_init(&c, &setup);
      all_forms(context, &c, drift);
      deposit_case_clear(&c);
    }
  cw_context_destroy(context);
}
END_TEST

/* 64 particles a cell: sums are long, and single precision has the most to lose. */
START_TEST(test_many_particles_a_cell) {
  cw_context *context = deposit_context(2, CW_ISA_AUTO);
  const deposit_setup setup = {.dim = 2,
                               .order = _i,
                               .precision = CW_SINGLE,
                               .cells = {24, 20, 1},
                               .ppc = 64,
                               .tile = 8,
                               .max_move = 0.67,
                               .steps = 2,
                               .seed = 11};
  deposit_case c;
  deposit_case_init(&c, &setup);
  all_forms(context, &c, 1);
  deposit_case_clear(&c);
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("deposit continuity");
  TCase *tests = tcase_create("continuity");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_every_order_dimension_and_precision, 0, 12);
  tcase_add_loop_test(tests, test_every_tile_drift_and_interval, 0, 7);
  tcase_add_loop_test(tests, test_many_particles_a_cell, 0, 4);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? 1 : 0;
}
