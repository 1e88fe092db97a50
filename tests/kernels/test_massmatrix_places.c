/* Awkward numbers of particles in one cell and awkward places in it. */
#include "kernels/massmatrix_case.h"

static const cw_massmatrix_method methods[] = {CW_MASSMATRIX_MOMENT, CW_MASSMATRIX_SORTED,
                                               CW_MASSMATRIX_PAIRS, CW_MASSMATRIX_NAIVE};
static const cw_isa isas[] = {CW_ISA_BASE, CW_ISA_AVX2, CW_ISA_AVX512};

static void check_all(cw_context *context, mm_case *c, const char *what) {
  for (int tensor = 0; tensor < 2; tensor++) {
    mm_right right;
    mm_oracle(c, tensor, &right);
    for (int m = 0; m < 4; m++) {
      const double error = mm_compare(context, c, &right, methods[m], CW_MASSMATRIX_FP64);
      ck_assert_msg(error <= 1e-14, "%s: %dD order %d %s %s: error %g", what, c->dim, c->order,
                    tensor ? "tensor" : "scalar", cw_massmatrix_method_name(methods[m]), error);
    }
    mm_right_free(&right);
  }
}

/* Batches, vectors and their remainders: empty, partial, whole, several. */
START_TEST(test_any_number_of_particles_in_a_cell) {
  static const int64_t counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 31, 33, 63, 64, 65, 1000};
  cw_context *context = mm_context(1, isas[_i]);
  mm_each_count(context, counts, sizeof counts / sizeof *counts, check_all);
  cw_context_destroy(context);
}
END_TEST

/* On a node, on a face, on the border between two nodes' neighbourhoods, next to them, and at the
 * upper end of the cell, which rounding of a position may give. */
START_TEST(test_particles_on_nodes_faces_and_half_cells) {
  const double places[] = {0, 0.5, nextafter(0.5, 0), nextafter(1, 0), 1, 0.25, 5e-324};
  enum { PLACES = sizeof places / sizeof *places };
  cw_context *context = mm_context(2, isas[_i]);
  for (int order = 1; context && order <= 2; order++)
    for (int dim = 1; dim <= 3; dim++) {
      mm_case c = {.dim = dim,
                   .order = order,
                   .cells = {3, 2, 2},
                   .periodic = {0, 1, 1},
                   .count = 2 * PLACES * PLACES * PLACES,
                   .precision = CW_DOUBLE};
      mm_make(context, &c);
      for (int64_t p = 0; p < c.count; p++)
        for (int64_t a = 0, rest = p / 2; a < dim; a++, rest /= PLACES)
          mm_set(&c, c.view.dx[a], p, places[rest % PLACES]);
      check_all(context, &c, "places");
      mm_free(&c);
    }
  cw_context_destroy(context);
}
END_TEST

/* One particle on a node: CIC puts all on that node's diagonal, exactly. */
START_TEST(test_a_particle_on_a_node_fills_one_entry) {
  cw_context *context = mm_context(1, CW_ISA_AUTO);
  mm_case c = {.dim = 3,
               .order = 1,
               .cells = {3, 3, 3},
               .periodic = {1, 1, 1},
               .count = 1,
               .precision = CW_DOUBLE};
  mm_make(context, &c);
  for (int a = 0; a < 3; a++) {
    c.view.i[a][0] = a;
    mm_set(&c, c.view.dx[a], 0, 0);
  }
  mm_set(&c, c.view.weight, 0, 3);
  c.species.scale = 0.5;
  for (int m = 0; m < 4; m++) {
    double *linear[4] = {NULL}, *dense = mm_array(27 * 27, sizeof(double));
    cw_massmatrix *matrix = mm_sum(context, &c, 0, methods[m], CW_MASSMATRIX_FP64, linear);
    mm_ok(context, cw_massmatrix_dense(matrix, dense));
    const int node = 0 + 3 * (1 + 3 * 2);
    for (int k = 0; k < 27 * 27; k++)
      ck_assert(dense[k] == (k == 28 * node ? 1.5 : 0));
    cw_massmatrix_destroy(matrix);
    free(dense);
  }
  mm_free(&c);
  cw_context_destroy(context);
}
END_TEST

/* Slots that are dead count for nothing, wherever they say they are. */
START_TEST(test_dead_slots_are_skipped) {
  cw_context *context = mm_context(2, CW_ISA_AUTO);
  for (int order = 1; order <= 2; order++) {
    mm_case c = {.dim = 2,
                 .order = order,
                 .cells = {5, 4, 1},
                 .periodic = {1, 1, 1},
                 .count = 500,
                 .precision = CW_DOUBLE};
    mm_make(context, &c);
    c.view.tag = mm_array(c.count, 1);
    for (int64_t p = 0; p < c.count; p++) {
      c.view.tag[p] = p % 3 ? CW_TAG_ALIVE : CW_TAG_DEAD;
      if (p % 3)
        continue;
      c.view.i[0][p] = -1000;
      mm_set(&c, c.view.dx[1], p, NAN);
    }
    check_all(context, &c, "dead");
    mm_free(&c);
  }
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("mass matrix places");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 300);
  tcase_add_loop_test(all, test_any_number_of_particles_in_a_cell, 0, 3);
  tcase_add_loop_test(all, test_particles_on_nodes_faces_and_half_cells, 0, 3);
  tcase_add_test(all, test_a_particle_on_a_node_fills_one_entry);
  tcase_add_test(all, test_dead_slots_are_skipped);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
