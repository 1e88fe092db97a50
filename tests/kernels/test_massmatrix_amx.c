/* Sums in six BF16 products for one, on tiles of a processor with AMX: as exact as FP32. */
#include "base/amx.h"
#include "kernels/massmatrix_case.h"

/* Factors and sums in FP32 are rounded to 6e-8 each, and what the six products leave out is below
 * 6e-8 of one particle's term: some 3e-7 are met. */
static const double tolerance = 1e-6;

/* NULL, and a line that says so, where there is no AMX. */
static cw_context *amx_context(int threads) {
  cw_context *context = mm_context(threads, CW_ISA_AUTO);
  const char *missing = cw_amx_missing(context);
  if (!missing)
    return context;
  printf("skipped: AMX: %s\n", missing);
  cw_context_destroy(context);
  return NULL;
}

static void check_case(cw_context *context, mm_case *c, const char *what) {
  for (int tensor = 0; tensor < 2; tensor++) {
    mm_right right;
    mm_oracle(c, tensor, &right);
    const double error = mm_compare(context, c, &right, CW_MASSMATRIX_MOMENT, CW_MASSMATRIX_BF16X6);
    ck_assert_msg(error <= tolerance, "%s: %dD order %d %s: error %g", what, c->dim, c->order,
                  tensor ? "tensor" : "scalar", error);
    right.dense[0] += 10 * tolerance * right.scale;
    const double planted =
        mm_compare(context, c, &right, CW_MASSMATRIX_MOMENT, CW_MASSMATRIX_BF16X6);
    ck_assert_msg(!(planted <= tolerance), "%s: a planted error passes", what);
    mm_right_free(&right);
  }
}

START_TEST(test_cic_and_tsc_are_the_double_sum_in_1_to_3_dimensions) {
  static const int32_t cells[][3] = {{21, 5, 4}, {1, 1, 1}, {4, 2, 1}, {5, 3, 2}, {34, 1, 1}};
  static const int periodic[][3] = {{1, 1, 1}, {1, 1, 1}, {0, 1, 1}, {0, 0, 0}, {0, 1, 1}};
  cw_context *context = amx_context(2);
  for (int k = 0; context && k < 5 * 3 * 2 * 2; k++) {
    mm_case c = {.dim = 1 + k / 5 % 3,
                 .order = 1 + k / 15 % 2,
                 .relativistic = k % 2,
                 .precision = k / 30 ? CW_SINGLE : CW_DOUBLE,
                 .count = 300};
    memcpy(c.cells, cells[k % 5], sizeof c.cells);
    memcpy(c.periodic, periodic[k % 5], sizeof c.periodic);
    if (k % 5 == 0 && c.dim == 3)
      c.cells[0] = 5; /* the oracle is dense */
    mm_make(context, &c);
    check_case(context, &c, "boxes");
    mm_free(&c);
  }
  cw_context_destroy(context);
}
END_TEST

/* Batches of 80, steps of 16, and their remainders. */
START_TEST(test_any_number_of_particles_in_a_cell) {
  static const int64_t counts[] = {0, 1, 3, 4, 5, 15, 16, 17, 31, 33, 79, 80, 81, 97, 161, 1000};
  cw_context *context = amx_context(1);
  mm_each_count(context, counts, sizeof counts / sizeof *counts, check_case);
  cw_context_destroy(context);
}
END_TEST

/* On a node, on a face, on the border between two nodes' neighbourhoods, next to them, and at the
 * upper end of the cell; all particles in one place, so that no roundings average out. */
START_TEST(test_particles_on_nodes_faces_and_half_cells) {
  const double places[] = {0, 0.5, nextafter(0.5, 0), nextafter(1, 0), 1, 0.25, 1.0 / 3, 5e-324};
  enum { PLACES = sizeof places / sizeof *places };
  cw_context *context = amx_context(2);
  for (int k = 0; context && k < PLACES * PLACES * 2 * 3; k++) {
    mm_case c = {.dim = 1 + k / (2 * PLACES * PLACES),
                 .order = 1 + k / (PLACES * PLACES) % 2,
                 .cells = {3, 2, 2},
                 .periodic = {0, 1, 1},
                 .count = 20,
                 .precision = CW_DOUBLE};
    mm_make(context, &c);
    for (int64_t p = 0; p < c.count; p++)
      for (int a = 0; a < c.dim; a++) {
        c.view.i[a][p] = 1;
        mm_set(&c, c.view.dx[a], p, places[a == 1 ? k / PLACES % PLACES : k % PLACES]);
      }
    check_case(context, &c, "places");
    mm_free(&c);
  }
  cw_context_destroy(context);
}
END_TEST

static size_t value_bytes(const cw_massmatrix *matrix) {
  const cw_massmatrix_view view = cw_massmatrix_get_view(matrix);
  return (size_t)(view.entries * view.components * view.points) * sizeof(float);
}

static int same_values(const cw_massmatrix *a, const cw_massmatrix *b) {
  ck_assert_uint_eq(value_bytes(a), value_bytes(b));
  return memcmp(cw_massmatrix_get_view(a).values, cw_massmatrix_get_view(b).values,
                value_bytes(a)) == 0;
}

START_TEST(test_same_bits_on_every_run_and_for_any_number_of_threads) {
  cw_context *contexts[4] = {amx_context(1), NULL, NULL, NULL};
  for (int t = 1; contexts[0] && t < 4; t++)
    contexts[t] = amx_context(t);
  for (int order = 1; contexts[0] && order <= 2; order++)
    for (int dim = 1; dim <= 3; dim++) {
      mm_case c = {.dim = dim,
                   .order = order,
                   .cells = {dim == 1 ? 700 : 19, 17, 9},
                   .periodic = {1, 1, 1},
                   .count = 12000,
                   .precision = CW_SINGLE};
      cw_massmatrix *matrix[4];
      double *linear[4][4];
      mm_make(contexts[0], &c);
      for (int t = 0; t < 4; t++) {
        for (int k = 0; k < 4; k++)
          linear[t][k] = mm_array(c.grid.points, sizeof(double));
        matrix[t] =
            mm_sum(contexts[t], &c, 1, CW_MASSMATRIX_MOMENT, CW_MASSMATRIX_BF16X6, linear[t]);
        ck_assert(same_values(matrix[t], matrix[0]));
        for (int k = 0; k < 4; k++)
          ck_assert_mem_eq(linear[t][k], linear[0][k], (size_t)c.grid.points * sizeof(double));
      }
      for (int t = 0; t < 4; t++) {
        cw_massmatrix_destroy(matrix[t]);
        for (int k = 0; k < 4; k++)
          free(linear[t][k]);
      }
      mm_free(&c);
    }
  for (int t = 0; t < 4; t++)
    cw_context_destroy(contexts[t]);
}
END_TEST

START_TEST(test_rows_sum_to_the_linear_moment_and_symmetry_is_exact) {
  cw_context *context = amx_context(2);
  for (int order = 1; context && order <= 2; order++) {
    mm_case c = {.dim = 3,
                 .order = order,
                 .cells = {4, 1, 3},
                 .periodic = {1, 1, 0},
                 .count = 400,
                 .precision = CW_DOUBLE};
    double *linear[4] = {NULL};
    mm_make(context, &c);
    cw_massmatrix *matrix =
        mm_sum(context, &c, 1, CW_MASSMATRIX_MOMENT, CW_MASSMATRIX_BF16X6, linear);
    const double error = mm_row_sum_error(context, &c, 1, matrix);
    ck_assert_msg(error <= tolerance, "order %d: error %g", order, error);
    mm_check_symmetry(context, &c, matrix);
    cw_massmatrix_destroy(matrix);
    mm_free(&c);
  }
  cw_context_destroy(context);
}
END_TEST

static double sum_of_values(const cw_massmatrix *matrix) {
  const cw_massmatrix_view view = cw_massmatrix_get_view(matrix);
  double sum = 0;
  for (int64_t k = 0; k < view.entries * view.components * view.points; k++)
    sum += cw_real_get(view.values, view.precision, k);
  return sum;
}

/* The energy of `ecsim` drifts by what errors have in common. All values of a scalar matrix have one
 * sign, and so would have what parts that are cut off leave out of each: 4e-8 of it; parts that are
 * rounded leave out as much of either sign. FP32 has the same factors. */
START_TEST(test_errors_have_no_common_sign) {
  cw_context *context = amx_context(2);
  for (int order = 1; context && order <= 2; order++) {
    mm_case c = {.dim = 3,
                 .order = order,
                 .cells = {6, 5, 4},
                 .periodic = {1, 1, 1},
                 .count = 20000,
                 .precision = CW_SINGLE};
    double *none[4] = {NULL};
    mm_make(context, &c);
    cw_massmatrix *tiles = mm_sum(context, &c, 0, CW_MASSMATRIX_MOMENT, CW_MASSMATRIX_BF16X6, none);
    cw_massmatrix *fp32 =
        mm_sum(context, &c, 0, CW_MASSMATRIX_MOMENT_FMA, CW_MASSMATRIX_FP32, none);
    const double error = sum_of_values(tiles) / sum_of_values(fp32) - 1;
    ck_assert_msg(fabs(error) <= 1e-8, "order %d: the sum of all values is off by %g", order,
                  error);
    cw_massmatrix_destroy(tiles);
    cw_massmatrix_destroy(fp32);
    mm_free(&c);
  }
  cw_context_destroy(context);
}
END_TEST

/* A processor without AMX, and an instruction set without it: a message, no other sums. */
START_TEST(test_without_amx_the_format_is_refused) {
  static const cw_isa isas[] = {CW_ISA_BASE, CW_ISA_AVX2, CW_ISA_AUTO};
  const double origin[3] = {0}, dx[3] = {1, 1, 1};
  const int32_t cells[3] = {4, 4, 4};
  const cw_massmatrix_options options = {.order = 1, .format = CW_MASSMATRIX_BF16X6};
  for (int k = 0; k < 3; k++) {
    cw_context *context = mm_context(1, isas[k]);
    const char *missing = context ? cw_amx_missing(context) : NULL;
    cw_massmatrix *matrix;
    cw_grid grid;
    if (isas[k] != CW_ISA_AUTO)
      ck_assert(!context || missing != NULL);
    if (missing) {
      mm_ok(context, cw_grid_init(context, &grid, 3, cells, 2, origin, dx));
      ck_assert_int_eq(cw_massmatrix_create(context, &grid, &options, &matrix),
                       CW_ERROR_UNSUPPORTED);
      ck_assert_msg(strstr(cw_context_message(context), "6xBF16 needs the matrix unit AMX: ") &&
                        strstr(cw_context_message(context), missing),
                    "%s", cw_context_message(context));
      ck_assert_ptr_null(matrix);
    }
    cw_context_destroy(context);
  }
}
END_TEST

/* Where tiles are ahead, TSC in 3D, FP32 is formed on them unless another form is asked for. */
START_TEST(test_fp32_is_formed_on_tiles_for_tsc_in_3d) {
  cw_context *context = amx_context(2);
  for (int k = 0; context && k < 4; k++) {
    double *none[4] = {NULL};
    mm_case c = {.dim = 2 + k / 2,
                 .order = 1 + k % 2,
                 .cells = {5, 4, 3},
                 .periodic = {1, 1, 1},
                 .count = 3000,
                 .precision = CW_SINGLE};
    mm_make(context, &c);
    cw_massmatrix *tiles = mm_sum(context, &c, 1, CW_MASSMATRIX_MOMENT, CW_MASSMATRIX_BF16X6, none);
    cw_massmatrix *fp32 = mm_sum(context, &c, 1, CW_MASSMATRIX_AUTO, CW_MASSMATRIX_FP32, none);
    cw_massmatrix *fma = mm_sum(context, &c, 1, CW_MASSMATRIX_MOMENT_FMA, CW_MASSMATRIX_FP32, none);
    const int on_tiles = c.dim == 3 && c.order == 2;
    ck_assert(!same_values(tiles, fma));
    ck_assert(same_values(fp32, on_tiles ? tiles : fma));
    cw_massmatrix_destroy(tiles);
    cw_massmatrix_destroy(fp32);
    cw_massmatrix_destroy(fma);
    mm_free(&c);
  }
  cw_context_destroy(context);
}
END_TEST

#ifdef __x86_64__
/* Parts of the processor's state in use: bits 17 and 18 are the tiles'. */
static unsigned state_in_use(void) {
  unsigned low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
  return low;
}

/* Tiles left in use would be saved at every change of thread, and slow down the caller. */
START_TEST(test_tiles_are_given_back) {
  cw_context *context = amx_context(1);
  if (context) {
    mm_case c = {.dim = 3, .order = 1, .cells = {3, 3, 3}, .periodic = {1, 1, 1}, .count = 100};
    double *none[4] = {NULL};
    mm_make(context, &c);
    cw_massmatrix *matrix =
        mm_sum(context, &c, 1, CW_MASSMATRIX_MOMENT, CW_MASSMATRIX_BF16X6, none);
    ck_assert_uint_eq(state_in_use() >> 17 & 3, 0);
    cw_massmatrix_destroy(matrix);
    mm_free(&c);
  }
  cw_context_destroy(context);
}
END_TEST
#endif

int main(void) {
  Suite *suite = suite_create("mass matrix on AMX");
  TCase *all = tcase_create("all");
  tcase_set_timeout(all, 300);
  tcase_add_test(all, test_cic_and_tsc_are_the_double_sum_in_1_to_3_dimensions);
  tcase_add_test(all, test_any_number_of_particles_in_a_cell);
  tcase_add_test(all, test_particles_on_nodes_faces_and_half_cells);
  tcase_add_test(all, test_same_bits_on_every_run_and_for_any_number_of_threads);
  tcase_add_test(all, test_rows_sum_to_the_linear_moment_and_symmetry_is_exact);
  tcase_add_test(all, test_errors_have_no_common_sign);
  tcase_add_test(all, test_without_amx_the_format_is_refused);
  tcase_add_test(all, test_fp32_is_formed_on_tiles_for_tsc_in_3d);
#ifdef __x86_64__
  tcase_add_test(all, test_tiles_are_given_back);
#endif
  suite_add_tcase(suite, all);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
