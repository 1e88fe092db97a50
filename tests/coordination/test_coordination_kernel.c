/* Pair sums: every form equals the plain one, and obeys what must hold for any such sum. */
#include "coordination_support.h"

enum { BOXES = 7 };
static const cw_box boxes[BOXES] = {
    {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}},                     /* none */
    {{{2.3, 0, 0}, {0, 2.5, 0}, {0, 0, 2.7}}},               /* orthorhombic */
    {{{2.4, 0.1, -0.2}, {0.7, 2.2, 0.3}, {-0.5, 0.4, 2.6}}}, /* triclinic, all entries */
    {{{2.2, 0, 0}, {6.9, 2.4, 0}, {-4.1, 5.3, 2.5}}},        /* far from reduced */
    {{{2.4, 0, 0}, {0.3, 2.5, 0}, {0.2, 0.1, -2.6}}},        /* left-handed */
    {{{0.55, 0, 0}, {0, 2.9, 0}, {0, 0, 3.4}}},              /* slab thinner than two ranges */
    {{{0.9, 0.1, 0}, {-0.4, 0.8, 0.1}, {0.3, -0.2, 1.1}}}};  /* thin in every direction */

enum { FUNCTIONS = 10 };
static const cw_switching_options functions[FUNCTIONS] = {
    {.r_0 = 0.25, .d_max = 0.6},
    {.r_0 = 0.25, .d_max = 0.6, .nn = 7, .d_0 = 0.05},
    {.r_0 = 0.3, .d_max = 0.6, .nn = 6, .mm = 10},
    {.type = CW_SWITCHING_EXP, .r_0 = 0.1, .d_max = 0.6},
    {.type = CW_SWITCHING_GAUSSIAN, .r_0 = 0.15, .d_0 = 0.1, .d_max = 0.6},
    {.type = CW_SWITCHING_SMAP, .r_0 = 0.25, .a = 8, .b = 10, .d_max = 0.6},
    {.type = CW_SWITCHING_CUBIC, .d_0 = 0.1, .d_max = 0.6},
    {.type = CW_SWITCHING_TANH, .r_0 = 0.2, .d_max = 0.6},
    {.type = CW_SWITCHING_COSINUS, .r_0 = 0.4, .d_0 = 0.1},
    {.type = CW_SWITCHING_CUSTOM, .function = "1/(1+x2^3)*exp(-x/9)", .r_0 = 0.25, .d_max = 0.6}};

enum { ATOMS = 260 };

/* Atoms in and around the box, some boxes away. */
static void fill(double *positions, int64_t atoms, const cw_box *box, uint64_t seed) {
  int none = box->vectors[0][0] == 0;
  for (int64_t k = 0; k < atoms; k++) {
    double s[3];
    for (int c = 0; c < 3; c++)
      s[c] = next_uniform(&seed) * 3 - 1;
    for (int c = 0; c < 3; c++)
      positions[3 * k + c] =
          none ? s[c]
               : s[0] * box->vectors[0][c] + s[1] * box->vectors[1][c] + s[2] * box->vectors[2][c];
  }
}

static cw_coordination_options self_options(int function, cw_precision precision) {
  return (cw_coordination_options){
      .switching = functions[function], .atoms = ATOMS, .precision = precision};
}

static void compare_with_plain(cw_context *context, const cw_coordination_options *options,
                               double *positions, const cw_box *box, double tolerance) {
  cw_coordination *plan;
  int64_t entries = options->a ? options->count_a : options->atoms;
  sums fast = new_sums(options->atoms, entries), plain = new_sums(options->atoms, entries);
  MUST(context, cw_coordination_create(context, options, &plan));
  MUST(context, cw_coordination_compute(plan, packed(positions), box, 0, &fast.result));
  MUST(context, cw_coordination_reference(plan, packed(positions), box, &plain.result));
  ck_assert_msg(near(fast.result.value, plain.result.value, tolerance * (1 + plain.result.value)),
                "value %.17g, plain %.17g", fast.result.value, plain.result.value);
  double worst = derivative_error(fast.derivatives, plain.derivatives, 3 * options->atoms);
  ck_assert_msg(worst <= 10 * tolerance, "derivatives differ by %g", worst);
  worst =
      derivative_error(&fast.result.box_derivatives[0][0], &plain.result.box_derivatives[0][0], 9);
  ck_assert_msg(worst <= 10 * tolerance, "box derivatives differ by %g", worst);
  worst = derivative_error(fast.entry_values, plain.entry_values, entries);
  ck_assert_msg(worst <= 10 * tolerance, "entries' values differ by %g", worst);
  ck_assert(plain.result.pairs_in_range > 0);
  ck_assert_int_eq(fast.result.pairs_in_range, plain.result.pairs_in_range);
  free_sums(&fast);
  free_sums(&plain);
  cw_coordination_destroy(plan);
}

/* Sums of 10^3 to 10^4 terms: 1e-13 in double; float carries 6e-8 a distance, so 2e-6. */
static const double tolerances[2] = {2e-6, 1e-13};

START_TEST(test_every_function_and_box_equals_the_plain_sum) {
  int isa = _i / 2 + CW_ISA_BASE;
  cw_precision precision = (cw_precision)(_i % 2);
  cw_context *best = new_context(1, CW_ISA_AUTO);
  int here = (int)cw_context_isa(best);
  cw_context_destroy(best);
  if (isa > here)
    return; /* this processor has not that instruction set */
  cw_context *context = new_context(2, (cw_isa)isa);
  double positions[3 * ATOMS];
  for (int b = 0; b < BOXES; b++)
    for (int f = 0; f < FUNCTIONS; f++) {
      if (CW_SANITIZED && (b + f) % 3) /* each function in two boxes or three, each box with some */
        continue;
      cw_coordination_options options = self_options(f, precision);
      fill(positions, ATOMS, &boxes[b], (uint64_t)(100 * b + f + 1));
      compare_with_plain(context, &options, positions, &boxes[b], tolerances[precision]);
    }
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_groups_with_repeats_and_overlap_equal_the_plain_sum) {
  cw_context *context = new_context(2, CW_ISA_AUTO);
  double positions[3 * ATOMS];
  uint32_t a[150], b[150];
  uint64_t seed = 5;
  for (int k = 0; k < 150; k++) {
    a[k] = (uint32_t)(next_uniform(&seed) * ATOMS);
    b[k] = (uint32_t)(next_uniform(&seed) * (ATOMS / 2));
  }
  for (int box = 0; box < BOXES; box++)
    for (int pairs = 0; pairs < 3; pairs++)
      for (int method = 0; method < 4; method++) {
        cw_coordination_options options = self_options(0, CW_DOUBLE);
        options.pairs = (cw_coordination_pairs)pairs;
        options.method = (cw_coordination_method)method;
        options.a = a, options.b = b;
        options.count_a = options.count_b = 150;
        fill(positions, ATOMS, &boxes[box], 77);
        compare_with_plain(context, &options, positions, &boxes[box], 1e-13);
      }
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_infinite_range_equals_the_plain_sum) {
  cw_context *context = new_context(2, CW_ISA_AUTO);
  double positions[3 * ATOMS];
  for (int b = 0; b < BOXES; b++) {
    cw_coordination_options options = self_options(0, CW_DOUBLE);
    options.switching.d_max = 0;
    fill(positions, ATOMS, &boxes[b], 9);
    compare_with_plain(context, &options, positions, &boxes[b], 1e-13);
    options.switching.implicit_d_max = 1;
    compare_with_plain(context, &options, positions, &boxes[b], 1e-13);
  }
  cw_context_destroy(context);
}
END_TEST

static double value_of(cw_context *context, cw_coordination *plan, double *positions,
                       const cw_box *box) {
  cw_coordination_result result = {.value = NAN};
  MUST(context, cw_coordination_compute(plan, packed(positions), box, 0, &result));
  return result.value;
}

/* Central differences of step h err by h^2 s'''/6, about 1e-10 * 1e4, and by round-off / h, about
 * 1e-13 * value / 1e-5: together below 1e-5 of derivatives of order 10. */
START_TEST(test_derivatives_equal_finite_differences) {
  cw_context *context = new_context(1, CW_ISA_AUTO);
  double positions[3 * ATOMS], h = 1e-5;
  for (int b = 0; b < BOXES; b++) {
    cw_coordination *plan;
    cw_coordination_options options = self_options(b % 3, CW_DOUBLE);
    sums s = new_sums(ATOMS, ATOMS);
    fill(positions, ATOMS, &boxes[b], 3);
    MUST(context, cw_coordination_create(context, &options, &plan));
    MUST(context, cw_coordination_compute(plan, packed(positions), &boxes[b], 0, &s.result));
    double checked = 0;
    for (int k = 0; k < 3 * ATOMS; k += 97) {
      double at = positions[k];
      positions[k] = at + h;
      double up = value_of(context, plan, positions, &boxes[b]);
      positions[k] = at - h;
      double down = value_of(context, plan, positions, &boxes[b]);
      positions[k] = at;
      ck_assert_msg(near((up - down) / (2 * h), s.derivatives[k], 1e-4), "%.12g, differences %.12g",
                    s.derivatives[k], (up - down) / (2 * h));
      checked += fabs(s.derivatives[k]);
    }
    ck_assert(checked > 1e-2); /* the system has forces at all */
    free_sums(&s);
    cw_coordination_destroy(plan);
  }
  cw_context_destroy(context);
}
END_TEST

/* r -> r + e r, h -> h + e h along (a, b): the value changes by -B_ab e. The cubic function has no
 * kink at its end that the strain could carry a pair over. */
START_TEST(test_box_derivatives_equal_a_strain_derivative) {
  cw_context *context = new_context(1, CW_ISA_AUTO);
  double positions[3 * ATOMS], moved[3 * ATOMS], h = 1e-6;
  for (int b = 0; b < BOXES; b++) {
    cw_coordination *plan;
    cw_coordination_options options = self_options(6, CW_DOUBLE);
    sums s = new_sums(ATOMS, ATOMS);
    fill(positions, ATOMS, &boxes[b], 4);
    MUST(context, cw_coordination_create(context, &options, &plan));
    MUST(context, cw_coordination_compute(plan, packed(positions), &boxes[b], 0, &s.result));
    for (int q = 0; q < 9; q++) {
      double value[2];
      for (int side = 0; side < 2; side++) {
        double e = side ? h : -h;
        cw_box box = boxes[b];
        for (int a = 0; a < 3; a++)
          box.vectors[a][q / 3] += e * boxes[b].vectors[a][q % 3];
        memcpy(moved, positions, sizeof moved);
        for (int k = 0; k < ATOMS; k++)
          moved[3 * k + q / 3] += e * positions[3 * k + q % 3];
        value[side] = value_of(context, plan, moved, &box);
      }
      double slope = -(value[1] - value[0]) / (2 * h);
      double right = s.result.box_derivatives[q / 3][q % 3];
      ck_assert_msg(near(slope, right, 1e-5 * (1 + s.result.value)), "%.12g, strain %.12g", right,
                    slope);
    }
    free_sums(&s);
    cw_coordination_destroy(plan);
  }
  cw_context_destroy(context);
}
END_TEST

/* Nothing depends on where the system is, how it is turned, or how its atoms are numbered; and no
 * net force acts. */
START_TEST(test_translation_rotation_and_numbering_change_nothing) {
  cw_context *context = new_context(2, CW_ISA_AUTO);
  double positions[3 * ATOMS], moved[3 * ATOMS];
  const double turn[3][3] = {{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}};
  for (int b = 0; b < BOXES; b++) {
    cw_coordination *plan;
    cw_coordination_options options = self_options(0, CW_DOUBLE);
    sums s = new_sums(ATOMS, ATOMS), t = new_sums(ATOMS, ATOMS);
    cw_box box = {{{0}}};
    fill(positions, ATOMS, &boxes[b], 6);
    MUST(context, cw_coordination_create(context, &options, &plan));
    MUST(context, cw_coordination_compute(plan, packed(positions), &boxes[b], 0, &s.result));
    double net[3] = {0, 0, 0};
    for (int k = 0; k < 3 * ATOMS; k++)
      net[k % 3] += s.derivatives[k];
    for (int c = 0; c < 3; c++)
      ck_assert(near(net[c], 0, 1e-10));
    for (int k = 0; k < ATOMS; k++) /* reversed numbering, turned, shifted */
      for (int c = 0; c < 3; c++) {
        const double *r = positions + 3 * (ATOMS - 1 - k);
        moved[3 * k + c] = turn[c][0] * r[0] + turn[c][1] * r[1] + turn[c][2] * r[2] + 0.3 * c - 1;
      }
    for (int a = 0; a < 3; a++)
      for (int c = 0; c < 3; c++)
        for (int e = 0; e < 3; e++)
          box.vectors[a][c] += turn[c][e] * boxes[b].vectors[a][e];
    MUST(context, cw_coordination_compute(plan, packed(moved), &box, 0, &t.result));
    ck_assert(near(s.result.value, t.result.value, 1e-11 * (1 + s.result.value)));
    for (int k = 0; k < ATOMS; k++) {
      const double *d = s.derivatives + 3 * (ATOMS - 1 - k);
      for (int c = 0; c < 3; c++) {
        double turned = turn[c][0] * d[0] + turn[c][1] * d[1] + turn[c][2] * d[2];
        ck_assert(near(t.derivatives[3 * k + c], turned, 1e-9));
      }
    }
    free_sums(&s);
    free_sums(&t);
    cw_coordination_destroy(plan);
  }
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_results_do_not_depend_on_the_number_of_threads) {
  double positions[3 * ATOMS];
  for (int precision = 0; precision < 2; precision++)
    for (int b = 0; b < BOXES; b++) {
      sums s[2];
      fill(positions, ATOMS, &boxes[b], 8);
      for (int run = 0; run < 2; run++) {
        cw_context *context = new_context(run ? 5 : 1, CW_ISA_AUTO);
        cw_coordination *plan;
        cw_coordination_options options = self_options(0, (cw_precision)precision);
        s[run] = new_sums(ATOMS, ATOMS);
        MUST(context, cw_coordination_create(context, &options, &plan));
        MUST(context,
             cw_coordination_compute(plan, packed(positions), &boxes[b], 0, &s[run].result));
        cw_coordination_destroy(plan);
        cw_context_destroy(context);
      }
      must_have_the_same_bits(&s[0], &s[1], ATOMS);
      free_sums(&s[0]);
      free_sums(&s[1]);
    }
}
END_TEST

/* Atoms walk; the kept list must give the complete sum at every step, without being rebuilt at
 * every one. */
START_TEST(test_a_list_with_a_skin_never_misses_a_pair) {
  cw_context *context = new_context(2, CW_ISA_AUTO);
  double positions[3 * ATOMS];
  for (int b = 0; b < BOXES; b++) {
    cw_coordination *plan;
    cw_coordination_options options = self_options(0, CW_DOUBLE);
    uint64_t seed = 12;
    int rebuilt = 0, steps = CW_SANITIZED ? 12 : 30;
    options.method = CW_COORDINATION_LIST;
    options.skin = 0.15;
    fill(positions, ATOMS, &boxes[b], 11);
    MUST(context, cw_coordination_create(context, &options, &plan));
    for (int step = 0; step < steps; step++) {
      cw_coordination_result listed = {.value = NAN}, plain = {.value = NAN};
      MUST(context, cw_coordination_compute(plan, packed(positions), &boxes[b], 0, &listed));
      MUST(context, cw_coordination_reference(plan, packed(positions), &boxes[b], &plain));
      ck_assert(near(listed.value, plain.value, 1e-12 * (1 + plain.value)));
      ck_assert_int_eq(listed.pairs_in_range, plain.pairs_in_range);
      rebuilt += listed.list_rebuilt;
      for (int k = 0; k < 3 * ATOMS; k++)
        positions[k] += 0.04 * (next_uniform(&seed) - 0.5);
    }
    ck_assert_int_gt(rebuilt, 1);
    ck_assert_int_lt(rebuilt, steps);
    cw_coordination_destroy(plan);
  }
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_bad_requests_are_refused_by_name) {
  cw_context *context = new_context(1, CW_ISA_AUTO);
  uint32_t far = ATOMS;
  cw_coordination *plan;
  double positions[6] = {0, 0, 0, 0.1, NAN, 0};
  struct {
    cw_coordination_options options;
    const char *word;
  } cases[] = {{{.switching = {.r_0 = 0}, .atoms = 2}, "R_0"},
               {{.switching = {.r_0 = NAN}, .atoms = 2}, "R_0"},
               {{.switching = {.r_0 = 1, .nn = 6, .mm = 6}, .atoms = 2}, "NN"},
               {{.switching = {.r_0 = 1, .d_0 = 2, .d_max = 1}, .atoms = 2}, "D_MAX"},
               {{.switching = {.r_0 = 1, .type = CW_SWITCHING_CUSTOM}, .atoms = 2}, "FUNC"},
               {{.switching = {.type = CW_SWITCHING_CUBIC}, .atoms = 2}, "CUBIC"},
               {{.switching = {.r_0 = 1}, .atoms = 2, .a = &far, .count_a = 1}, "260"},
               {{.switching = {.r_0 = 1}, .atoms = 2, .skin = -1}, "skin"},
               {{.switching = {.r_0 = 1}, .atoms = -1}, "atoms"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    cw_status status = cw_coordination_create(context, &cases[k].options, &plan);
    ck_assert(status == CW_ERROR_ARGUMENT || status == CW_ERROR_INPUT);
    ck_assert_ptr_null(plan);
    ck_assert_msg(strstr(cw_context_message(context), cases[k].word) != NULL, "%s",
                  cw_context_message(context));
  }
  cw_coordination_options fine = {.switching = {.r_0 = 1}, .atoms = 2};
  cw_coordination_result result = {0};
  MUST(context, cw_coordination_create(context, &fine, &plan));
  ck_assert_int_eq(cw_coordination_compute(plan, packed(positions), NULL, 0, &result),
                   CW_ERROR_NUMERIC);
  positions[4] = 0;
  const cw_box flat = {{{1, 0, 0}, {0, 1, 0}, {1, 1, 0}}};
  ck_assert_int_eq(cw_coordination_compute(plan, packed(positions), &flat, 0, &result),
                   CW_ERROR_ARGUMENT);
  MUST(context, cw_coordination_compute(plan, packed(positions), NULL, 0, &result));
  cw_coordination_destroy(plan);
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("coordination kernel");
  TCase *tcase = tcase_create("sums");
  tcase_set_timeout(tcase, 300);
  tcase_add_loop_test(tcase, test_every_function_and_box_equals_the_plain_sum, 0, 6);
  tcase_add_test(tcase, test_groups_with_repeats_and_overlap_equal_the_plain_sum);
  tcase_add_test(tcase, test_infinite_range_equals_the_plain_sum);
  tcase_add_test(tcase, test_derivatives_equal_finite_differences);
  tcase_add_test(tcase, test_box_derivatives_equal_a_strain_derivative);
  tcase_add_test(tcase, test_translation_rotation_and_numbering_change_nothing);
  tcase_add_test(tcase, test_results_do_not_depend_on_the_number_of_threads);
  tcase_add_test(tcase, test_a_list_with_a_skin_never_misses_a_pair);
  tcase_add_test(tcase, test_bad_requests_are_refused_by_name);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
