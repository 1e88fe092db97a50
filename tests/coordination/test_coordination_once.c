/* Systems of so many cells that each pair is met once: sums of both ends against the plain ones. */
#include "coordination_support.h"

enum { BOXES = 4, FUNCTIONS = 10, ATOMS = 900 };
static const cw_box boxes[BOXES] = {
    {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}},
    {{{3.1, 0, 0}, {0, 3.8, 0}, {0, 0, 3.4}}},               /* odd numbers of cells */
    {{{3.9, 0.1, -0.2}, {0.7, 3.8, 0.3}, {-0.5, 0.4, 4.1}}}, /* triclinic */
    {{{3.2, 0, 0}, {9.9, 3.6, 0}, {-4.1, 5.3, -3.9}}}};      /* far from reduced, left-handed */

static const cw_switching_options functions[FUNCTIONS] = {
    {.r_0 = 0.25, .d_max = 0.6},
    {.r_0 = 0.25, .d_max = 0.6, .nn = 8, .no_stretch = 1},
    {.r_0 = 0.25, .d_max = 0.6, .nn = 4},
    {.r_0 = 0.3, .d_max = 0.6, .nn = 12},
    {.r_0 = 0.25, .d_max = 0.6, .nn = 10},
    {.r_0 = 0.25, .d_max = 0.6, .nn = 7, .d_0 = 0.05},
    {.r_0 = 0.3, .d_max = 0.6, .nn = 6, .mm = 10},
    {.type = CW_SWITCHING_EXP, .r_0 = 0.1, .d_max = 0.6},
    {.type = CW_SWITCHING_CUBIC, .d_0 = 0.1, .d_max = 0.6},
    {.type = CW_SWITCHING_CUSTOM, .function = "1/(1+x2^3)*exp(-x/9)", .r_0 = 0.25, .d_max = 0.6}};

/* Sums of 10^4 terms: 1e-13 in double; float carries 6e-8 a distance, so 2e-6. */
static const double tolerances[2] = {2e-6, 1e-13};

static void fill(double *positions, int64_t atoms, const cw_box *box, uint64_t seed) {
  const int none = box->vectors[0][0] == 0;
  for (int64_t k = 0; k < atoms; k++) {
    double s[3];
    for (int c = 0; c < 3; c++)
      s[c] = next_uniform(&seed) * 3 - 1;
    for (int c = 0; c < 3; c++)
      positions[3 * k + c] =
          none ? 1.3 * s[c]
               : s[0] * box->vectors[0][c] + s[1] * box->vectors[1][c] + s[2] * box->vectors[2][c];
  }
}

static sums compute(cw_context *context, const cw_coordination_options *options, double *positions,
                    const cw_box *box, int plain, int values) {
  cw_coordination *plan;
  const int64_t entries = options->a ? options->count_a : options->atoms;
  sums s = new_sums(options->atoms, entries);
  if (!values)
    s.result.entry_values = NULL;
  MUST(context, cw_coordination_create(context, options, &plan));
  if (plain)
    MUST(context, cw_coordination_reference(plan, packed(positions), box, &s.result));
  else
    MUST(context, cw_coordination_compute(plan, packed(positions), box, 0, &s.result));
  cw_coordination_destroy(plan);
  return s;
}

static void compare(const sums *found, const sums *right, int64_t entries, double tolerance) {
  const double value = right->result.value;
  ck_assert_msg(near(found->result.value, value, tolerance * (1 + value)), "value %.17g, not %.17g",
                found->result.value, value);
  double worst = derivative_error(found->derivatives, right->derivatives, 3 * right->atoms);
  ck_assert_msg(worst <= 10 * tolerance, "derivatives differ by %g", worst);
  worst = derivative_error(&found->result.box_derivatives[0][0],
                           &right->result.box_derivatives[0][0], 9);
  ck_assert_msg(worst <= 10 * tolerance, "box derivatives differ by %g", worst);
  ck_assert_int_eq(found->result.pairs_in_range, right->result.pairs_in_range);
  if (found->result.entry_values) {
    worst = derivative_error(found->entry_values, right->entry_values, entries);
    ck_assert_msg(worst <= 10 * tolerance, "entries' values differ by %g", worst);
  }
}

/* Every instruction set that is here and both precisions, with entries' values and without (which
 * take different loops). */
static void check(const cw_coordination_options *given, double *positions, const cw_box *box) {
  cw_context *context = new_context(2, CW_ISA_AUTO);
  const cw_isa here = cw_context_isa(context);
  cw_coordination_options options = *given;
  const int64_t entries = options.a ? options.count_a : options.atoms;
  sums right = compute(context, &options, positions, box, 1, 1);
  cw_context_destroy(context);
  ck_assert(right.result.pairs_in_range > 1000);
  for (int isa = CW_ISA_BASE; isa <= (int)here; isa++)
    for (int k = 0; k < 4; k++) {
      context = new_context(2, (cw_isa)isa);
      options.precision = (cw_precision)(k % 2);
      sums found = compute(context, &options, positions, box, 0, k / 2);
      compare(&found, &right, entries, tolerances[options.precision]);
      free_sums(&found);
      cw_context_destroy(context);
    }
  free_sums(&right);
}

START_TEST(test_every_function_equals_the_plain_sum) {
  double *positions = malloc(3 * ATOMS * sizeof *positions);
  const cw_coordination_options options = {.switching = functions[_i], .atoms = ATOMS};
  const cw_box *box = &boxes[1 + _i % 3];
  fill(positions, ATOMS, box, (uint64_t)_i + 1);
  check(&options, positions, box);
  free(positions);
}
END_TEST

START_TEST(test_every_box_equals_the_plain_sum) {
  double *positions = malloc(3 * ATOMS * sizeof *positions);
  const cw_coordination_options options = {.switching = functions[0], .atoms = ATOMS};
  fill(positions, ATOMS, &boxes[_i], (uint64_t)_i + 21);
  check(&options, positions, &boxes[_i]);
  free(positions);
}
END_TEST

/* Atoms twice in a group and in both groups; a loop that masks and one that does not. */
START_TEST(test_groups_with_repeats_and_overlap_equal_the_plain_sum) {
  enum { COUNT = 1000 };
  double *positions = malloc(3 * ATOMS * sizeof *positions);
  uint32_t a[COUNT], b[COUNT];
  uint64_t seed = 5;
  for (int k = 0; k < COUNT; k++) {
    a[k] = (uint32_t)(next_uniform(&seed) * ATOMS);
    b[k] = (uint32_t)(next_uniform(&seed) * (ATOMS / 2));
  }
  for (int function = 0; function < 8; function += 7) {
    if (CW_SANITIZED && function == _i / 2 % 2 * 7) /* one of them a box */
      continue;
    const cw_coordination_options options = {.switching = functions[function],
                                             .pairs = (cw_coordination_pairs)(_i % 2),
                                             .atoms = ATOMS,
                                             .a = a,
                                             .b = b,
                                             .count_a = COUNT,
                                             .count_b = COUNT - 100};
    fill(positions, ATOMS, &boxes[_i / 2], 77);
    check(&options, positions, &boxes[_i / 2]);
  }
  free(positions);
}
END_TEST

/* More atoms in one cell than a tile has room for. */
START_TEST(test_a_crowded_cell_equals_the_plain_sum) {
  enum { CROWD = 700 };
  double *positions = malloc(3 * ATOMS * sizeof *positions);
  uint64_t seed = 11;
  const cw_coordination_options options = {.switching = functions[_i * 7], .atoms = ATOMS};
  fill(positions, ATOMS, &boxes[2], 12);
  for (int k = 0; k < 3 * CROWD; k++)
    positions[k] = 0.3 + 0.06 * next_uniform(&seed);
  check(&options, positions, &boxes[2]);
  free(positions);
}
END_TEST

/* Neighbours two spacings away on a cubic lattice are 4e-9 inside or outside the range, less than a
 * float of their coordinates can tell. */
START_TEST(test_rounding_does_not_decide_which_pairs_count) {
  enum { EDGE = 12 };
  const double spacing = 0.3, side = EDGE * spacing, off = _i ? 4e-9 : -4e-9;
  const cw_box box = {{{side, 0, 0}, {0, side, 0}, {0, 0, side}}};
  double *positions = malloc(3 * EDGE * EDGE * EDGE * sizeof *positions);
  for (int k = 0; k < EDGE * EDGE * EDGE; k++) {
    positions[3 * k] = spacing * (k % EDGE) + 0.01;
    positions[3 * k + 1] = spacing * (k / EDGE % EDGE) + 0.02;
    positions[3 * k + 2] = spacing * (k / EDGE / EDGE) + 0.03;
  }
  const int64_t shells = 6 + 12 + 8 + (_i ? 6 : 0); /* at 1, sqrt 2, sqrt 3 and 2 spacings */
  for (int k = 0; k < 8; k++) {
    cw_context *context = new_context(2, k / 4 ? CW_ISA_AUTO : CW_ISA_BASE);
    const cw_coordination_options options = {
        .switching = {.r_0 = 0.25, .d_max = 0.6 + off, .nn = k / 2 % 2 ? 7 : 6},
        .precision = (cw_precision)(k % 2),
        .atoms = EDGE * EDGE * EDGE};
    sums s = compute(context, &options, positions, &box, 0, 0);
    ck_assert_int_eq(s.result.pairs_in_range, options.atoms * shells / 2);
    free_sums(&s);
    cw_context_destroy(context);
  }
  free(positions);
}
END_TEST

START_TEST(test_results_do_not_depend_on_the_number_of_threads) {
  double *positions = malloc(3 * ATOMS * sizeof *positions);
  for (int k = 0; k < 4; k++) {
    const cw_coordination_options options = {
        .switching = functions[k / 2 * 7], .precision = (cw_precision)(k % 2), .atoms = ATOMS};
    sums s[2];
    fill(positions, ATOMS, &boxes[2], 8);
    for (int run = 0; run < 2; run++) {
      cw_context *context = new_context(run ? 5 : 1, CW_ISA_AUTO);
      s[run] = compute(context, &options, positions, &boxes[2], 0, 0);
      cw_context_destroy(context);
    }
    must_have_the_same_bits(&s[0], &s[1], ATOMS);
    free_sums(&s[0]);
    free_sums(&s[1]);
  }
  free(positions);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("coordination, each pair once");
  TCase *tcase = tcase_create("sums");
  tcase_set_timeout(tcase, 300);
  tcase_add_loop_test(tcase, test_every_function_equals_the_plain_sum, 0, FUNCTIONS);
  tcase_add_loop_test(tcase, test_every_box_equals_the_plain_sum, 0, BOXES);
  tcase_add_loop_test(tcase, test_groups_with_repeats_and_overlap_equal_the_plain_sum, 0,
                      2 * BOXES);
  tcase_add_loop_test(tcase, test_a_crowded_cell_equals_the_plain_sum, 0, 2);
  tcase_add_loop_test(tcase, test_rounding_does_not_decide_which_pairs_count, 0, 2);
  tcase_add_test(tcase, test_results_do_not_depend_on_the_number_of_threads);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
