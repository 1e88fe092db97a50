/* Every form of the mass matrix, its current and charge, against the dense double sum. */
#include "kernels/massmatrix_case.h"

static const cw_massmatrix_method by_cell[] = {CW_MASSMATRIX_MOMENT, CW_MASSMATRIX_SORTED,
                                               CW_MASSMATRIX_PAIRS, CW_MASSMATRIX_NAIVE,
                                               CW_MASSMATRIX_REFERENCE};

/* Sums of a few hundred terms in double: round-off of about 1e-15 of the largest entry. */
static const double tolerance = 1e-14;

static void check_case(cw_isa isa, mm_case *c, int methods) {
  cw_context *context = mm_context(2, isa);
  if (!context)
    return;
  mm_make(context, c);
  for (int tensor = 0; tensor < 2; tensor++) {
    mm_right right;
    mm_oracle(c, tensor, &right);
    for (int m = 5 - methods; m < 5; m++) {
      const double error = mm_compare(context, c, &right, by_cell[m], CW_MASSMATRIX_FP64);
      ck_assert_msg(error <= tolerance, "%dD order %d %s %s isa %s: error %g", c->dim, c->order,
                    tensor ? "tensor" : "scalar", cw_massmatrix_method_name(by_cell[m]),
                    cw_isa_name(isa), error);
    }
    mm_right_free(&right);
  }
  mm_free(c);
  cw_context_destroy(context);
}

static const cw_isa isas[] = {CW_ISA_BASE, CW_ISA_AVX2, CW_ISA_AVX512};

/* Axes of one and two cells are among them: all images of a node add up. */
static const struct {
  int32_t cells[3];
  int periodic[3];
} boxes[] = {{{21, 5, 4}, {1, 1, 1}}, {{1, 1, 1}, {1, 1, 1}}, {{2, 1, 2}, {1, 1, 1}},
             {{4, 2, 1}, {0, 1, 1}},  {{5, 3, 2}, {0, 0, 0}}, {{3, 4, 1}, {1, 0, 0}}};

START_TEST(test_cic_and_tsc_are_the_double_sum_in_1_to_3_dimensions) {
  for (int order = 1; order <= 2; order++)
    for (int dim = 1; dim <= 3; dim++)
      for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++) {
        mm_case c = {.dim = dim, .order = order, .count = 90, .precision = CW_DOUBLE};
        memcpy(c.cells, boxes[b].cells, sizeof c.cells);
        memcpy(c.periodic, boxes[b].periodic, sizeof c.periodic);
        if (b == 0 && dim == 3)
          c.cells[0] = 5; /* the oracle is dense */
        check_case(isas[_i], &c, 5);
      }
}
END_TEST

START_TEST(test_relativistic_form_has_gamma_in_rotation_and_response) {
  for (int order = 1; order <= 2; order++) {
    mm_case c = {.dim = 3,
                 .order = order,
                 .cells = {3, 2, 3},
                 .periodic = {1, 1, 1},
                 .count = 200,
                 .relativistic = 1,
                 .precision = CW_DOUBLE};
    check_case(isas[_i], &c, 5);
  }
}
END_TEST

START_TEST(test_orders_3_to_11_are_the_double_sum) {
  for (int order = 3; order <= CW_MASSMATRIX_MAX_ORDER; order += order < 5 ? 1 : 2)
    for (int dim = 1; dim <= (order < 5 ? 3 : order < 8 ? 2 : 1); dim++) {
      mm_case c = {.dim = dim,
                   .order = order,
                   .cells = {5, 3, 1},
                   .periodic = {1, 0, 1},
                   .count = 40,
                   .precision = CW_DOUBLE};
      check_case(CW_ISA_AUTO, &c, 2);
    }
}
END_TEST

/* Float positions are exact numbers for the oracle: only the sums' precision matters. */
START_TEST(test_particles_in_single_precision_lose_nothing) {
  for (int order = 1; order <= 2; order++) {
    mm_case c = {.dim = 3,
                 .order = order,
                 .cells = {4, 3, 3},
                 .periodic = {1, 1, 0},
                 .count = 300,
                 .precision = CW_SINGLE};
    check_case(isas[_i], &c, 5);
  }
}
END_TEST

/* FP32: 24 bits, positive terms of sums of about 100: a few 1e-7 of the largest entry. */
START_TEST(test_fp32_sums_are_right_to_their_precision) {
  cw_context *context = mm_context(2, isas[_i]);
  for (int order = 1; context && order <= 2; order++)
    for (int dim = 1; dim <= 3; dim++) {
      mm_case c = {.dim = dim,
                   .order = order,
                   .cells = {5, 4, 3},
                   .periodic = {1, 0, 1},
                   .count = 500,
                   .precision = CW_DOUBLE};
      mm_make(context, &c);
      for (int tensor = 0; tensor < 2; tensor++) {
        mm_right right;
        mm_oracle(&c, tensor, &right);
        for (int m = 0; m < 4; m++) {
          const double error = mm_compare(context, &c, &right, by_cell[m], CW_MASSMATRIX_FP32);
          ck_assert_msg(error <= 3e-6, "%dD order %d %s: error %g", dim, order,
                        cw_massmatrix_method_name(by_cell[m]), error);
          ck_assert(error >= 1e-9); /* the sums were formed in single precision */
        }
        mm_right_free(&right);
      }
      mm_free(&c);
    }
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("mass matrix values");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 300);
  tcase_add_loop_test(all, test_cic_and_tsc_are_the_double_sum_in_1_to_3_dimensions, 0, 3);
  tcase_add_loop_test(all, test_relativistic_form_has_gamma_in_rotation_and_response, 0, 3);
  tcase_add_test(all, test_orders_3_to_11_are_the_double_sum);
  tcase_add_loop_test(all, test_particles_in_single_precision_lose_nothing, 0, 3);
  tcase_add_loop_test(all, test_fp32_sums_are_right_to_their_precision, 0, 3);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
