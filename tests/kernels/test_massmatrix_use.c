/* What a finished matrix promises: symmetry, sum rules, product, stencils, the same bits. */
#include "kernels/massmatrix_case.h"

static const cw_massmatrix_method methods[] = {CW_MASSMATRIX_MOMENT, CW_MASSMATRIX_SORTED,
                                               CW_MASSMATRIX_PAIRS, CW_MASSMATRIX_NAIVE};
static const cw_isa isas[] = {CW_ISA_BASE, CW_ISA_AVX2, CW_ISA_AVX512};
static double *const no_linear[4] = {NULL};

static cw_massmatrix *sum(cw_context *context, const mm_case *c, int tensor,
                          cw_massmatrix_method method) {
  double *linear[4];
  memcpy(linear, no_linear, sizeof linear);
  return mm_sum(context, c, tensor, method, CW_MASSMATRIX_FP64, linear);
}

START_TEST(test_symmetry_is_exact) {
  cw_context *context = mm_context(2, CW_ISA_AUTO);
  for (int order = 1; order <= 3; order++) {
    mm_case c = {.dim = 2,
                 .order = order,
                 .cells = {6, 4, 1},
                 .periodic = {1, 0, 1},
                 .count = 300,
                 .precision = CW_DOUBLE};
    mm_make(context, &c);
    cw_massmatrix *matrix = sum(context, &c, 1, CW_MASSMATRIX_AUTO);
    mm_check_symmetry(context, &c, matrix);
    cw_massmatrix_destroy(matrix);
    mm_free(&c);
  }
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_row_sums_are_the_linear_moment) {
  cw_context *context = mm_context(2, CW_ISA_AUTO);
  for (int order = 1; order <= 2; order++)
    for (int tensor = 0; tensor < 2; tensor++) {
      mm_case c = {.dim = 3,
                   .order = order,
                   .cells = {4, 1, 3},
                   .periodic = {1, 1, 0},
                   .count = 400,
                   .precision = CW_DOUBLE};
      mm_make(context, &c);
      cw_massmatrix *matrix = sum(context, &c, tensor, CW_MASSMATRIX_MOMENT);
      const double error = mm_row_sum_error(context, &c, tensor, matrix);
      ck_assert_msg(error <= 1e-14, "order %d: error %g", order, error);
      cw_massmatrix_destroy(matrix);
      mm_free(&c);
    }
  cw_context_destroy(context);
}
END_TEST

/* y = M x against the dense form; rows of 19 nodes hold whole vectors, remainders and ends. */
START_TEST(test_product_is_the_dense_product) {
  static const int32_t sizes[3][3] = {{19, 3, 2}, {1, 2, 1}, {9, 1, 3}};
  static const int periodic[3][3] = {{1, 1, 1}, {1, 1, 1}, {0, 0, 1}};
  cw_context *context = mm_context(2, isas[_i]);
  for (int k = 0; context && k < 3 * 3 * 2 * 3; k++) {
    const int box = k % 3, dim = 1 + k / 3 % 3, tensor = k / 9 % 2, order = 1 + k / 18;
    mm_case c = {.dim = dim, .order = order, .count = 200, .precision = CW_DOUBLE};
    memcpy(c.cells, sizes[box], sizeof c.cells);
    memcpy(c.periodic, periodic[box], sizeof c.periodic);
    mm_make(context, &c);
    cw_massmatrix *matrix = sum(context, &c, tensor, CW_MASSMATRIX_AUTO);
    const int wide = tensor ? 3 : 1;
    const int64_t n = wide * c.nodes;
    double *dense = mm_array(n * n, sizeof(double)), *x[3], *y[3], error = 0, largest = 0;
    mm_ok(context, cw_massmatrix_dense(matrix, dense));
    for (int a = 0; a < 3; a++) {
      x[a] = mm_array(c.grid.points, sizeof(double));
      y[a] = mm_array(c.grid.points, sizeof(double));
      for (int64_t p = 0; p < c.grid.points; p++)
        x[a][p] = y[a][p] = NAN; /* nothing else may be read */
      for (int64_t g = 0; g < c.nodes; g++)
        x[a][mm_index(&c, g)] = mm_random(20 + (uint32_t)a, g) - 0.5;
      mm_ok(context, cw_massmatrix_fill_ghosts(matrix, x[a]));
    }
    mm_ok(context, cw_massmatrix_product(matrix, mm_vector(x), mm_vector(y)));
    for (int pass = 0; pass < 2; pass++)
      for (int64_t row = 0; row < n; row++) {
        double right = 0;
        for (int64_t column = 0; column < n; column++)
          right += dense[row * n + column] * x[column % wide][mm_index(&c, column / wide)];
        if (pass == 0)
          largest = cw_larger(largest, fabs(right));
        else
          error = mm_error(error, y[row % wide][mm_index(&c, row / wide)], right, largest);
      }
    ck_assert_msg(error <= 1e-14, "%dD order %d box %d: error %g", dim, order, box, error);
    free(dense);
    for (int a = 0; a < 3; a++) {
      free(x[a]);
      free(y[a]);
    }
    cw_massmatrix_destroy(matrix);
    mm_free(&c);
  }
  cw_context_destroy(context);
}
END_TEST

/* 14 and 63 displacements in 3D, each of a pair once; the entries are those of the dense matrix on
 * a grid so large that no two displacements are the same. */
START_TEST(test_canonical_stencil_is_half_of_the_dense_matrix) {
  static const int counts[2][3] = {{2, 5, 14}, {3, 13, 63}};
  cw_context *context = mm_context(2, CW_ISA_AUTO);
  for (int order = 1; order <= 2; order++)
    for (int dim = 1; dim <= 3; dim++) {
      mm_case c = {.dim = dim,
                   .order = order,
                   .cells = {5, 6, 5},
                   .periodic = {1, 1, 0},
                   .count = 300,
                   .precision = CW_DOUBLE};
      mm_make(context, &c);
      cw_massmatrix *matrix = sum(context, &c, 0, CW_MASSMATRIX_AUTO);
      double *dense = mm_array(c.nodes * c.nodes, sizeof(double)), total = 0, all = 0;
      double *array = mm_array(c.grid.points, sizeof(double));
      mm_ok(context, cw_massmatrix_dense(matrix, dense));
      for (int64_t k = 0; k < c.nodes * c.nodes; k++)
        all += dense[k];
      ck_assert_int_eq(cw_massmatrix_canonical_count(matrix), counts[order - 1][dim - 1]);
      for (int k = 0; k < counts[order - 1][dim - 1]; k++) {
        int d[3];
        mm_ok(context, cw_massmatrix_canonical_offset(matrix, k, d));
        mm_ok(context, cw_massmatrix_canonical(matrix, k, 0, array));
        for (int64_t g = 0; g < c.nodes; g++) {
          int64_t rest = g, other = 0, stride = 1;
          int exists = 1;
          for (int a = 0; a < 3; a++) {
            const int64_t n = c.high[a] - c.low[a] + 1;
            int64_t place = rest % n + d[a];
            if (c.periodic[a])
              place = (place + n) % n;
            exists &= place >= 0 && place < n;
            other += stride * place;
            stride *= n;
            rest /= n;
          }
          const double found = array[mm_index(&c, g)];
          ck_assert(found == (exists ? dense[g * c.nodes + other] : 0));
          total += (k == 0 ? 1 : 2) * found;
        }
      }
      /* every pair was met once: 300 terms, positive */
      ck_assert_msg(fabs(total - all) <= 1e-13 * all, "total %g, dense %g", total, all);
      ck_assert_int_eq(cw_massmatrix_canonical_offset(matrix, 63, (int[3]){0}), CW_ERROR_ARGUMENT);
      free(dense);
      free(array);
      cw_massmatrix_destroy(matrix);
      mm_free(&c);
    }
  cw_context_destroy(context);
}
END_TEST

static size_t value_bytes(const cw_massmatrix *matrix) {
  const cw_massmatrix_view view = cw_massmatrix_get_view(matrix);
  return (size_t)view.entries * (size_t)view.components * (size_t)view.points * sizeof(double);
}

START_TEST(test_same_bits_for_any_number_of_threads) {
  for (int order = 1; order <= 3; order += 1)
    for (int dim = 1; dim <= 3; dim++)
      for (int m = order > 2 ? 3 : 0; m < 4; m++) {
        mm_case c = {.dim = dim,
                     .order = order,
                     .cells = {70, 17, 9},
                     .periodic = {1, 1, 1},
                     .count = 12000,
                     .precision = CW_DOUBLE};
        if (dim > 1)
          c.cells[0] = 19;
        if (dim == 1)
          c.cells[0] = 700;
        cw_massmatrix *first = NULL;
        double *first_linear[4] = {NULL};
        cw_context *contexts[3];
        for (int threads = 1; threads <= 3; threads++) {
          cw_context *context = contexts[threads - 1] = mm_context(threads, CW_ISA_AUTO);
          if (threads == 1)
            mm_make(context, &c);
          double *linear[4];
          for (int k = 0; k < 4; k++)
            linear[k] = mm_array(c.grid.points, sizeof(double));
          cw_massmatrix *matrix = mm_sum(context, &c, 1, methods[m], CW_MASSMATRIX_FP64, linear);
          if (threads == 1) {
            first = matrix;
            memcpy(first_linear, linear, sizeof linear);
            continue;
          }
          ck_assert_mem_eq(cw_massmatrix_get_view(matrix).values,
                           cw_massmatrix_get_view(first).values, value_bytes(matrix));
          for (int k = 0; k < 4; k++) {
            ck_assert_mem_eq(linear[k], first_linear[k], (size_t)c.grid.points * sizeof(double));
            free(linear[k]);
          }
          cw_massmatrix_destroy(matrix);
        }
        cw_massmatrix_destroy(first);
        for (int k = 0; k < 4; k++)
          free(first_linear[k]);
        for (int k = 0; k < 3; k++)
          cw_context_destroy(contexts[k]);
        mm_free(&c);
      }
}
END_TEST

/* In tiles of a cell table or in no order: the same sums to round-off. */
START_TEST(test_order_of_particles_changes_rounding_only) {
  cw_context *context = mm_context(2, CW_ISA_AUTO);
  for (int order = 1; order <= 2; order++) {
    mm_case c = {.dim = 3,
                 .order = order,
                 .cells = {9, 6, 5},
                 .periodic = {1, 1, 1},
                 .count = 9000,
                 .precision = CW_DOUBLE};
    mm_make(context, &c);
    cw_massmatrix *shuffled = sum(context, &c, 1, CW_MASSMATRIX_MOMENT);
    const cw_cells_options options = {.dim = 3,
                                      .cells = {9, 6, 5},
                                      .tile = 4,
                                      .key = CW_KEY_CURRENT,
                                      .depth = order == 1 ? CW_DEPTH_CELL : CW_DEPTH_NODE};
    cw_cells *cells;
    int64_t alive;
    mm_ok(context, cw_cells_create(context, &options, &cells));
    mm_ok(context, cw_cells_sort_view(cells, c.view, &alive));
    cw_massmatrix *sorted = sum(context, &c, 1, CW_MASSMATRIX_MOMENT);
    const double *a = cw_massmatrix_get_view(shuffled).values;
    const double *b = cw_massmatrix_get_view(sorted).values;
    double largest = 0, error = 0;
    for (size_t k = 0; k < value_bytes(sorted) / sizeof(double); k++)
      largest = cw_larger(largest, fabs(a[k]));
    for (size_t k = 0; k < value_bytes(sorted) / sizeof(double); k++)
      error = mm_error(error, b[k], a[k], largest);
    ck_assert_msg(error <= 1e-14, "order %d: error %g", order, error);
    cw_cells_destroy(cells);
    cw_massmatrix_destroy(sorted);
    cw_massmatrix_destroy(shuffled);
    mm_free(&c);
  }
  cw_context_destroy(context);
}
END_TEST

/* M x . x >= 0: sum_p c_p (sum_g S_pg x_g)^2. */
START_TEST(test_scalar_matrix_is_positive_semidefinite) {
  cw_context *context = mm_context(2, CW_ISA_AUTO);
  mm_case c = {.dim = 2,
               .order = 2,
               .cells = {6, 5, 1},
               .periodic = {1, 1, 1},
               .count = 12,
               .precision = CW_DOUBLE};
  mm_make(context, &c);
  cw_massmatrix *matrix = sum(context, &c, 0, CW_MASSMATRIX_AUTO);
  double *x = mm_array(c.grid.points, sizeof(double)), *y = mm_array(c.grid.points, sizeof(double));
  double *S = mm_array(c.nodes, sizeof(double));
  for (uint32_t vector = 0; vector < 50; vector++) {
    double right = 0, found = 0;
    for (int64_t g = 0; g < c.nodes; g++)
      x[mm_index(&c, g)] = mm_random(100 + vector, g) - 0.5;
    mm_ok(context, cw_massmatrix_fill_ghosts(matrix, x));
    const cw_vector_view from = {CW_DOUBLE, {x, NULL, NULL}}, to = {CW_DOUBLE, {y, NULL, NULL}};
    mm_ok(context, cw_massmatrix_product(matrix, from, to));
    for (int64_t p = 0; p < c.count; p++) {
      double value = 0;
      mm_node_weights(&c, p, S);
      for (int64_t g = 0; g < c.nodes; g++)
        value += S[g] * x[mm_index(&c, g)];
      right += c.species.scale * mm_get(&c, c.view.weight, p) * value * value;
    }
    for (int64_t g = 0; g < c.nodes; g++)
      found += x[mm_index(&c, g)] * y[mm_index(&c, g)];
    ck_assert_msg(fabs(found - right) <= 1e-13 * c.species.scale, "%g and %g", found, right);
  }
  free(x);
  free(y);
  free(S);
  cw_massmatrix_destroy(matrix);
  mm_free(&c);
  cw_context_destroy(context);
}
END_TEST

/* Given gamma, own coefficients and two species: what is added is what was asked for. */
START_TEST(test_gamma_coefficients_and_species_are_taken_as_given) {
  cw_context *context = mm_context(2, CW_ISA_AUTO);
  mm_case c = {.dim = 2,
               .order = 1,
               .cells = {4, 3, 1},
               .periodic = {1, 1, 1},
               .count = 130,
               .relativistic = 1,
               .precision = CW_DOUBLE};
  mm_make(context, &c);
  double *gamma = mm_array(c.count, sizeof(double));
  for (int64_t p = 0; p < c.count; p++)
    gamma[p] = 1 + mm_random(50, p);
  c.species.gamma = gamma;
  mm_right right;
  mm_oracle(&c, 1, &right);
  for (int m = 0; m < 4; m++)
    ck_assert(mm_compare(context, &c, &right, methods[m], CW_MASSMATRIX_FP64) <= 1e-14);
  mm_right_free(&right);

  mm_oracle(&c, 0, &right); /* c_p = weight; twice half of it */
  const cw_massmatrix_options options = {.order = 1, .periodic = {1, 1, 1}};
  cw_massmatrix *matrix;
  mm_ok(context, cw_massmatrix_create(context, &c.grid, &options, &matrix));
  cw_particles_view bare = c.view;
  bare.weight = NULL;
  for (int k = 0; k < 2; k++)
    mm_ok(context, cw_massmatrix_add_scalar(matrix, bare, c.view.weight, 0.5 * c.species.scale));
  mm_ok(context, cw_massmatrix_finish(matrix));
  double *dense = mm_array(c.nodes * c.nodes, sizeof(double)), error = 0;
  mm_ok(context, cw_massmatrix_dense(matrix, dense));
  for (int64_t k = 0; k < c.nodes * c.nodes; k++)
    error = mm_error(error, dense[k], right.dense[k], right.scale);
  ck_assert_msg(error <= 1e-14, "error %g", error);
  free(dense);
  free(gamma);
  mm_right_free(&right);
  cw_massmatrix_destroy(matrix);
  mm_free(&c);
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("mass matrix use");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 300);
  tcase_add_test(all, test_symmetry_is_exact);
  tcase_add_test(all, test_row_sums_are_the_linear_moment);
  tcase_add_loop_test(all, test_product_is_the_dense_product, 0, 3);
  tcase_add_test(all, test_canonical_stencil_is_half_of_the_dense_matrix);
  tcase_add_test(all, test_same_bits_for_any_number_of_threads);
  tcase_add_test(all, test_order_of_particles_changes_rounding_only);
  tcase_add_test(all, test_scalar_matrix_is_positive_semidefinite);
  tcase_add_test(all, test_gamma_coefficients_and_species_are_taken_as_given);
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
