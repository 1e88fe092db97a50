/* Fixed point: the same bits whatever the order of the particles, the tiles and the threads. */
#include "kernels/deposit_case.h"

static cw_vector_view run_fixed(int threads, const deposit_case *c, int drift) {
  cw_context *context = deposit_context(threads, CW_ISA_AUTO);
  const cw_deposit_options options = deposit_options(c, CW_DEPOSIT_TILED_FIXED, 0, drift);
  cw_vector_view J = deposit_run(context, c, &options, NULL);
  cw_context_destroy(context);
  return J;
}

/* A seeded shuffle of all slots, then a sort by tile alone if `sorted`. */
static void shuffle(deposit_case *c, uint32_t seed, int sorted) {
  const int64_t count = c->view.count;
  deposit_keyed *order = calloc((size_t)count, sizeof *order);
  for (int64_t n = 0; n < count; n++)
    order[n].slot = n;
  for (int64_t n = count - 1; n > 0; n--) {
    double uniform[2];
    cw_random_uniform(seed, 99, (uint64_t)n, 0, uniform);
    const int64_t other = (int64_t)(uniform[0] * (double)(n + 1));
    const int64_t swap = order[n].slot;
    order[n].slot = order[other].slot;
    order[other].slot = swap;
  }
  deposit_reorder(c, order, count);
  free(order);
  if (sorted)
    deposit_sort(c, count);
  else
    c->cells.total_tiles = 0;
}

static deposit_setup setup_of(int dim, int order, cw_precision precision) {
  return (deposit_setup){.dim = dim,
                         .order = order,
                         .precision = precision,
                         .cells = {dim == 1 ? 90 : 14, 11, 9},
                         .ppc = 6,
                         .tile = 4,
                         .max_move = deposit_max_move(dim),
                         .steps = 5,
                         .tail = 50,
                         .dead_one_in = 23,
                         .seed = 31};
}

START_TEST(test_same_bits_for_any_order_tiles_and_threads) {
  const int dim = 1 + _i % 3, order = _i / 3 % 4;
  const deposit_setup setup = setup_of(dim, order, _i < 12 ? CW_SINGLE : CW_DOUBLE);
  deposit_case c;
  deposit_case_init(&c, &setup);
  cw_vector_view first = run_fixed(1, &c, 1);
  for (int form = 0; form < 6; form++) {
    if (form == 2) { /* another tile size: other escapes, other scratch */
      free(c.offsets);
      c.setup.tile = 8;
      deposit_tiles(&c);
    }
    if (form >= 1)
      shuffle(&c, (uint32_t)form, form != 4);
    cw_vector_view J = run_fixed(1 + form % 3, &c, form == 5 ? 0 : 1);
    ck_assert_msg(deposit_same_bits(&c, J, first), "dim %d order %d form %d", dim, order, form);
    deposit_vector_clear(&J);
  }
  deposit_vector_clear(&first);
  deposit_case_clear(&c);
}
END_TEST

/* The floating-point forms do depend on the order: the test above can fail. */
START_TEST(test_the_shuffle_changes_the_bits_of_a_floating_point_sum) {
  const deposit_setup setup = setup_of(3, 2, CW_SINGLE);
  deposit_case c;
  deposit_case_init(&c, &setup);
  cw_context *context = deposit_context(1, CW_ISA_AUTO);
  const cw_deposit_options options = deposit_options(&c, CW_DEPOSIT_TILED, 0, 1);
  cw_vector_view before = deposit_run(context, &c, &options, NULL);
  shuffle(&c, 1, 1);
  cw_vector_view after = deposit_run(context, &c, &options, NULL);
  ck_assert(!deposit_same_bits(&c, before, after));
  deposit_vector_clear(&before);
  deposit_vector_clear(&after);
  deposit_case_clear(&c);
  cw_context_destroy(context);
}
END_TEST

/* AVX-512 sums the same integers in vector registers; its products stand in another order, so
 * values differ by roundings of the particles' precision before they become integers. Elsewhere the
 * path is refused by name. */
START_TEST(test_vector_registers_give_the_scalar_sum) {
  const deposit_setup setup = setup_of(2 + _i % 2, 1 + _i / 2 % 3, _i < 6 ? CW_SINGLE : CW_DOUBLE);
  deposit_case c;
  deposit_case_init(&c, &setup);
  cw_context *context = deposit_context(1, CW_ISA_AUTO);
  const cw_deposit_options scalar =
      deposit_options(&c, CW_DEPOSIT_TILED_FIXED, CW_DEPOSIT_PATH_SCALAR, 1);
  const cw_deposit_options vector =
      deposit_options(&c, CW_DEPOSIT_TILED_FIXED, CW_DEPOSIT_PATH_VECTOR, 1);
  cw_vector_view expected = deposit_run(context, &c, &scalar, NULL);
  if (cw_context_isa(context) == CW_ISA_AVX512) {
    cw_vector_view J = deposit_run(context, &c, &vector, NULL);
    /* single: a few roundings of 6e-8; double: a few quanta, 2^-44 to 2^-48 of a largest value, as
     * a value between two of them may fall on either */
    ck_assert(deposit_difference(&c, J, expected) <= (_i < 6 ? 1e-6 : 2e-13));
    deposit_vector_clear(&J);
  }
  cw_context *lesser = deposit_context(1, CW_ISA_BASE);
  ck_assert_int_eq(cw_deposit_current(lesser, &vector, &c.grid, &c.view, &c.cells, expected, NULL),
                   CW_ERROR_UNSUPPORTED);
  cw_context_destroy(lesser);
  deposit_vector_clear(&expected);
  deposit_case_clear(&c);
  cw_context_destroy(context);
}
END_TEST

/* Everything in one place and moving together: the sums come as near to the bound as they can.
 * Overflow would wrap to a result that is wrong by orders of magnitude. */
START_TEST(test_crowded_cell_does_not_overflow) {
  deposit_setup setup = setup_of(3, _i, CW_SINGLE);
  setup.ppc = 12;
  setup.steps = 0;
  setup.dead_one_in = 0;
  deposit_case c;
  deposit_case_init(&c, &setup);
  for (int64_t n = 0; n < c.view.count; n++)
    for (int a = 0; a < 3; a++) {
      c.view.i_prev[a][n] = c.view.i[a][n] = 4;
      ((float *)c.view.dx_prev[a])[n] = a == 0 ? 0 : 0.02F;
      ((float *)c.view.dx[a])[n] = a == 0 ? 0.999F : 0.02F;
      ((float *)c.view.weight)[n] = 3e20F;
    }
  cw_context *context = deposit_context(1, CW_ISA_AUTO);
  cw_vector_view expected = deposit_reference(context, &c);
  cw_vector_view J = run_fixed(2, &c, 1);
  /* equal particles: roundings to single add up in one direction */
  ck_assert(deposit_difference(&c, J, expected) <= 1e-6);
  deposit_vector_clear(&expected);
  deposit_vector_clear(&J);
  deposit_case_clear(&c);
  cw_context_destroy(context);
}
END_TEST

/* Small charges must not vanish below the quantum: it scales with them. */
START_TEST(test_quantum_follows_the_charge) {
  const deposit_setup setup = setup_of(2, 2, CW_DOUBLE);
  deposit_case c;
  deposit_case_init(&c, &setup);
  cw_context *context = deposit_context(1, CW_ISA_AUTO);
  static const double charges[] = {1e-200, 1e-9, 1, 1e9, 1e200};
  for (size_t k = 0; k < sizeof charges / sizeof *charges; k++) {
    c.charge = charges[k];
    cw_vector_view expected = deposit_reference(context, &c);
    cw_vector_view J = run_fixed(1, &c, 1);
    ck_assert(deposit_difference(&c, J, expected) <= 1e-13);
    deposit_vector_clear(&expected);
    deposit_vector_clear(&J);
  }
  deposit_case_clear(&c);
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("deposit fixed point");
  TCase *tests = tcase_create("fixed");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_same_bits_for_any_order_tiles_and_threads, 0, 24);
  tcase_add_test(tests, test_the_shuffle_changes_the_bits_of_a_floating_point_sum);
  tcase_add_loop_test(tests, test_vector_registers_give_the_scalar_sum, 0, 12);
  tcase_add_loop_test(tests, test_crowded_cell_does_not_overflow, 0, 4);
  tcase_add_test(tests, test_quantum_follows_the_charge);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? 1 : 0;
}
