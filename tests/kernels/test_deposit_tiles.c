/* The tiled form against the flat one, its counts, and what its bits depend on. */
#include "kernels/deposit_case.h"

static deposit_setup three_d(int order, cw_precision precision) {
  return (deposit_setup){.dim = 3,
                         .order = order,
                         .precision = precision,
                         .cells = {13, 11, 10},
                         .ppc = 8,
                         .tile = 4,
                         .max_move = 0.55,
                         .steps = 1,
                         .tail = 40,
                         .dead_one_in = 19,
                         .seed = 21};
}

/* Same products, another order of summation. */
START_TEST(test_tiled_equals_flat) {
  cw_context *context = deposit_context(1, CW_ISA_AUTO);
  deposit_setup setup = three_d(_i, CW_DOUBLE);
  for (int steps = 1; steps <= 9; steps += 4) {
    setup.steps = steps;
    deposit_case c;
    deposit_case_init(&c, &setup);
    cw_deposit_options options = deposit_options(&c, CW_DEPOSIT_FLAT, CW_DEPOSIT_PATH_SCALAR, 1);
    cw_vector_view flat = deposit_run(context, &c, &options, NULL);
    for (int path = 0; path < 2; path++) {
      options.method = CW_DEPOSIT_TILED;
      options.path = path ? CW_DEPOSIT_PATH_SCALAR : CW_DEPOSIT_PATH_AUTO;
      cw_vector_view tiled = deposit_run(context, &c, &options, NULL);
      const double error = deposit_difference(&c, tiled, flat);
      ck_assert_msg(error <= 1e-13, "order %d steps %d: %g", _i, steps, error);
      deposit_vector_clear(&tiled);
    }
    deposit_vector_clear(&flat);
    deposit_case_clear(&c);
  }
  cw_context_destroy(context);
}
END_TEST

/* Of particles sorted before the last push, those that left their tile by more than the halo
 * allows escape; a wide enough halo lets none escape; the sum is the same. */
START_TEST(test_escapes_are_counted_and_cost_nothing_but_time) {
  cw_context *context = deposit_context(2, CW_ISA_AUTO);
  deposit_setup setup = three_d(2, CW_DOUBLE);
  setup.steps = 6;
  deposit_case c;
  deposit_case_init(&c, &setup);
  int64_t escaped[5];
  cw_vector_view first = {.precision = CW_DOUBLE};
  for (int drift = 0; drift < 5; drift++) {
    const cw_deposit_options options = deposit_options(&c, CW_DEPOSIT_TILED, 0, drift);
    cw_deposit_report report;
    cw_vector_view J = deposit_run(context, &c, &options, &report);
    escaped[drift] = report.escaped;
    ck_assert_int_eq(report.tiled + report.escaped + report.tail, c.live);
    ck_assert_int_eq(report.flat, 0);
    ck_assert_int_gt(report.tail, 30);
    if (drift == 0) {
      first = J;
      continue;
    }
    ck_assert_int_le(escaped[drift], escaped[drift - 1]);
    ck_assert(deposit_difference(&c, J, first) <= 1e-13);
    deposit_vector_clear(&J);
  }
  ck_assert_int_gt(escaped[0], 100);
  ck_assert_int_eq(escaped[4], 0); /* 6 steps of at most 0.55 cells: 3.3 cells */
  deposit_vector_clear(&first);
  deposit_case_clear(&c);
  cw_context_destroy(context);
}
END_TEST

/* Sorted in this very step, nothing escapes with the default drift of 1. */
START_TEST(test_nothing_escapes_right_after_the_sort) {
  cw_context *context = deposit_context(1, CW_ISA_AUTO);
  const deposit_setup setup = three_d(_i, CW_SINGLE);
  deposit_case c;
  deposit_case_init(&c, &setup);
  const cw_deposit_options options = deposit_options(&c, CW_DEPOSIT_TILED, 0, 1);
  cw_deposit_report report;
  cw_vector_view J = deposit_run(context, &c, &options, &report);
  ck_assert_int_eq(report.escaped, 0);
  deposit_vector_clear(&J);
  deposit_case_clear(&c);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_same_bits_for_any_number_of_threads) {
  for (int method = 0; method < 3; method++)
    for (int path = 0; path < 2; path++) {
      deposit_setup setup = three_d(_i, CW_SINGLE);
      setup.steps = 5;
      deposit_case c;
      deposit_case_init(&c, &setup);
      cw_vector_view first = {.precision = CW_SINGLE};
      for (int threads = 1; threads <= 3; threads++) {
        cw_context *context = deposit_context(threads, CW_ISA_AUTO);
        const cw_deposit_options options = deposit_options(
            &c, (cw_deposit_method)method, path ? CW_DEPOSIT_PATH_SCALAR : CW_DEPOSIT_PATH_AUTO, 1);
        cw_vector_view J = deposit_run(context, &c, &options, NULL);
        if (threads == 1)
          first = J;
        else {
          ck_assert_msg(deposit_same_bits(&c, J, first), "method %d, %d threads", method, threads);
          deposit_vector_clear(&J);
        }
        cw_context_destroy(context);
      }
      deposit_vector_clear(&first);
      deposit_case_clear(&c);
    }
}
END_TEST

/* Slots behind the live count are stale, whatever the table says of them. */
START_TEST(test_tiles_are_clamped_to_the_live_count) {
  cw_context *context = deposit_context(1, CW_ISA_AUTO);
  deposit_setup setup = three_d(1, CW_DOUBLE);
  setup.tail = 0;
  deposit_case c;
  deposit_case_init(&c, &setup);
  c.view.count = c.view.count / 2 + 7;
  cw_deposit_options options = deposit_options(&c, CW_DEPOSIT_TILED, 0, 1);
  cw_vector_view tiled = deposit_run(context, &c, &options, NULL);
  options.method = CW_DEPOSIT_FLAT;
  cw_vector_view flat = deposit_run(context, &c, &options, NULL);
  ck_assert(deposit_difference(&c, tiled, flat) <= 1e-13);
  deposit_vector_clear(&tiled);
  deposit_vector_clear(&flat);
  deposit_case_clear(&c);
  cw_context_destroy(context);
}
END_TEST

/* A particle whose stencil leaves the ghost cells is left out and counted, by every form. */
START_TEST(test_outside_particles_are_counted) {
  cw_context *context = deposit_context(1, CW_ISA_AUTO);
  deposit_setup setup = three_d(_i, CW_DOUBLE);
  setup.dead_one_in = 0;
  deposit_case c;
  deposit_case_init(&c, &setup);
  c.view.i[1][5] = c.view.i_prev[1][5] = c.grid.cells[1] + 30;
  c.view.i[0][c.view.count - 1] = c.view.i_prev[0][c.view.count - 1] = -9;
  for (int axis = 0; axis < 2; axis++) { /* no move, so that the particles are valid */
    ((double *)c.view.dx[1])[5] = ((double *)c.view.dx_prev[1])[5] = 0.25;
    ((double *)c.view.dx[0])[c.view.count - 1] = 0.25;
    ((double *)c.view.dx_prev[0])[c.view.count - 1] = 0.25;
  }
  cw_vector_view expected = deposit_reference(context, &c);
  for (int method = 0; method < 3; method++) {
    const cw_deposit_options options = deposit_options(&c, (cw_deposit_method)method, 0, 1);
    cw_deposit_report report;
    cw_vector_view J = deposit_run(context, &c, &options, &report);
    ck_assert_int_eq(report.outside, 2);
    ck_assert(deposit_difference(&c, J, expected) <= 1e-13);
    deposit_vector_clear(&J);
  }
  deposit_vector_clear(&expected);
  deposit_case_clear(&c);
  cw_context_destroy(context);
}
END_TEST

/* Each instruction set that this processor has, forced. */
START_TEST(test_every_instruction_set) {
  const deposit_setup setup = three_d(_i % 5, _i < 5 ? CW_SINGLE : CW_DOUBLE);
  deposit_case c;
  deposit_case_init(&c, &setup);
  cw_context *best = deposit_context(1, CW_ISA_AUTO);
  cw_vector_view expected = deposit_reference(best, &c);
  for (int isa = CW_ISA_BASE; isa <= (int)cw_context_isa(best); isa++) {
    cw_context *context = deposit_context(1, (cw_isa)isa);
    ck_assert_int_eq(cw_context_isa(context), isa);
    for (int method = 0; method < 3; method++)
      for (int path = 0; path < 2; path++) {
        const cw_deposit_options options = deposit_options(
            &c, (cw_deposit_method)method, path ? CW_DEPOSIT_PATH_SCALAR : CW_DEPOSIT_PATH_AUTO, 1);
        cw_vector_view J = deposit_run(context, &c, &options, NULL);
        const double error = deposit_difference(&c, J, expected);
        ck_assert_msg(error <= (setup.precision == CW_DOUBLE ? 1e-13 : 2e-6),
                      "%s method %d path %d: %g", cw_isa_name((cw_isa)isa), method, path, error);
        deposit_vector_clear(&J);
      }
    cw_context_destroy(context);
  }
  deposit_vector_clear(&expected);
  cw_context_destroy(best);
  deposit_case_clear(&c);
}
END_TEST

/* A call for two species against a call each, which are tested against the oracle; on a CPU the same
 * bits. What is wrong with any of them is told before J is touched. */
START_TEST(test_several_species_are_a_call_each) {
  cw_context *context = deposit_context(2, CW_ISA_AUTO);
  deposit_setup setup = three_d(2, _i % 2 ? CW_SINGLE : CW_DOUBLE);
  deposit_case first, second;
  deposit_case_init(&first, &setup);
  setup.seed = 22;
  setup.steps = 6;
  deposit_case_init(&second, &setup);
  cw_deposit_options options = deposit_options(&first, (cw_deposit_method)(_i / 2), 0, 1);
  cw_deposit_species list[2] = {{-1.5, first.view, first.cells}, {3, second.view, second.cells}};
  const int64_t points = first.grid.points;
  const size_t bytes = 3 * (size_t)points * (size_t)cw_precision_size(setup.precision);
  char *memory[2] = {calloc(1, bytes), calloc(1, bytes)};
  cw_vector_view J[2];
  for (int k = 0; k < 2; k++) {
    J[k] = (cw_vector_view){.precision = setup.precision};
    for (int a = 0; a < 3; a++)
      J[k].component[a] = memory[k] + bytes / 3 * (size_t)a;
  }
  cw_deposit_report sum = {0}, parts[2] = {{0}};
  for (int s = 0; s < 2; s++) {
    options.charge = list[s].charge;
    deposit_ok(context, cw_deposit_current(context, &options, &first.grid, &list[s].particles,
                                           &list[s].cells, J[0], &parts[s]));
  }
  options.charge = NAN; /* is not read */
  deposit_ok(context, cw_deposit_currents(context, &options, &first.grid, list, 2, J[1], &sum));
  ck_assert(memcmp(memory[0], memory[1], bytes) == 0);
  ck_assert_int_eq(sum.tiled, parts[0].tiled + parts[1].tiled);
  ck_assert_int_eq(sum.escaped, parts[0].escaped + parts[1].escaped);
  ck_assert_int_eq(sum.tail, parts[0].tail + parts[1].tail);
  ck_assert_int_eq(sum.flat, parts[0].flat + parts[1].flat);
  ck_assert_int_eq(sum.dead, parts[0].dead + parts[1].dead);
  ck_assert_int_eq(sum.outside, parts[0].outside + parts[1].outside);
  ck_assert_int_eq(sum.tiled + sum.escaped + sum.tail + sum.flat + sum.outside,
                   first.live + second.live);
  list[1].charge = NAN;
  ck_assert_int_eq(cw_deposit_currents(context, &options, &first.grid, list, 2, J[1], NULL),
                   CW_ERROR_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(cw_context_message(context), "charge is nan"));
  ck_assert(memcmp(memory[0], memory[1], bytes) == 0);
  free(memory[0]), free(memory[1]);
  deposit_case_clear(&first);
  deposit_case_clear(&second);
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("deposit tiles");
  TCase *tests = tcase_create("tiles");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_tiled_equals_flat, 0, 6);
  tcase_add_test(tests, test_escapes_are_counted_and_cost_nothing_but_time);
  tcase_add_loop_test(tests, test_nothing_escapes_right_after_the_sort, 0, 5);
  tcase_add_loop_test(tests, test_same_bits_for_any_number_of_threads, 0, 5);
  tcase_add_test(tests, test_tiles_are_clamped_to_the_live_count);
  tcase_add_loop_test(tests, test_outside_particles_are_counted, 0, 4);
  tcase_add_loop_test(tests, test_every_instruction_set, 0, 10);
  tcase_add_loop_test(tests, test_several_species_are_a_call_each, 0, 6);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? 1 : 0;
}
