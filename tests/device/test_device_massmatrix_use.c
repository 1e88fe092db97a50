/* The mass matrix on the device: what a finished one is used for, slabs, species, errors. */
#include "massmatrix_device.h"

/* Sum over g' of S_g' is 1: the row sums are the linear moment. */
static void row_sums_products_and_stencils_are_those_of_the_matrix(cw_context *context) {
  for (int k = 0; k < 8; k++) {
    const int order = 1 + k % 2, tensor = k / 2 % 2;
    const struct form *form = &forms[k < 4 ? 0 : 7];
    const double tolerance = k < 4 ? 1e-13 : 3e-6;
    device_case d = {.c = {.dim = 3 - (k == 1),
                           .order = order,
                           .cells = {5, 4, 3},
                           .periodic = {1, 0, 1},
                           .count = 300,
                           .precision = CW_DOUBLE}};
    mm_right right;
    mm_make(context, &d.c);
    upload(context, &d);
    mm_oracle(&d.c, tensor, &right);
    cw_massmatrix *matrix = sum(&d, tensor, form, 1);
    const int64_t wide = right.wide, n = wide * d.c.nodes;
    double *dense = mm_array(n * n, sizeof(double)), error = 0;
    plain_ok(context, cw_massmatrix_dense(matrix, dense));
    if (!tensor) {
      plain_ok(context, cw_massmatrix_row_sums(matrix, 0, d.linear[0]));
      double *sums = read_back(&d, d.linear[0]);
      for (int64_t g = 0; g < d.c.nodes; g++)
        error = mm_error(error, sums[mm_index(&d.c, g)], right.linear[3][g], right.linear_scale);
      plain_check(error <= tolerance, "order %d: row sums: error %.2e", order, error);
      free(sums);
    }
    plain_ok(context, cw_massmatrix_product(matrix, mm_vector(d.B), mm_vector(d.linear)));
    error = 0;
    for (int i = 0; i < (tensor ? 3 : 1); i++) {
      double *y = read_back(&d, d.linear[i]);
      for (int64_t g = 0; g < d.c.nodes; g++) {
        double expected = 0;
        for (int64_t h = 0; h < n; h++)
          expected += dense[(wide * g + i) * n + h] * d.c.B[h % wide][mm_index(&d.c, h / wide)];
        error = mm_error(error, y[mm_index(&d.c, g)], expected, right.scale);
      }
      free(y);
    }
    plain_check(error <= 1e-13, "order %d tensor %d: product: error %.2e", order, tensor, error);
    int found = 0;
    for (int s = 0; s < cw_massmatrix_canonical_count(matrix); s++) {
      int by[3];
      plain_ok(context, cw_massmatrix_canonical_offset(matrix, s, by));
      if (by[0] != 1 || by[1] != 1 || by[2] != 0)
        continue;
      plain_ok(context, cw_massmatrix_canonical(matrix, s, tensor ? 5 : 0, d.linear[0]));
      double *array = read_back(&d, d.linear[0]);
      const int64_t nx = d.c.high[0] - d.c.low[0] + 1, ny = d.c.high[1] - d.c.low[1] + 1;
      for (int64_t g = 0; g < d.c.nodes; g++) {
        const int64_t h = (g % nx + 1) % nx + (g / nx + 1) * nx;
        const double expected =
            g / nx % ny + 1 >= ny
                ? 0
                : dense[(wide * g + (tensor ? 1 : 0)) * n + wide * h + (tensor ? 2 : 0)];
        found += array[mm_index(&d.c, g)] == expected;
      }
      free(array);
      plain_check(found == d.c.nodes, "canonical stencil: %d of %d nodes", found, (int)d.c.nodes);
    }
    plain_check(found > 0, "no displacement (1, 1, 0)");
    cw_massmatrix_destroy(matrix);
    mm_right_free(&right);
    free(dense);
    release(&d);
  }
}

/* The tensor's sums of TSC pairs of this box are more than a slab holds. */
static void a_box_larger_than_a_slab(cw_context *context) {
  if (plain_short())
    return;
  device_case d = {.c = {.dim = 3,
                         .order = 2,
                         .cells = {42, 42, 43},
                         .periodic = {1, 1, 1},
                         .count = 100000,
                         .precision = CW_DOUBLE}};
  mm_make(context, &d.c);
  upload(context, &d);
  size_t bytes;
  cw_massmatrix *pairs = sum(&d, 1, &forms[3], 1), *moment = sum(&d, 1, &forms[0], 1);
  double *a = (double *)values_of(&d, pairs, &bytes), *b = (double *)values_of(&d, moment, &bytes);
  double largest = 0, error = 0;
  for (size_t k = 0; k < bytes / 8; k++)
    largest = cw_larger(largest, fabs(b[k]));
  for (size_t k = 0; k < bytes / 8; k++)
    error = mm_error(error, a[k], b[k], largest);
  plain_check(error <= 1e-14 && largest > 0, "slabs: error %.2e", error);
  free(a), free(b);
  cw_massmatrix_destroy(pairs);
  cw_massmatrix_destroy(moment);
  release(&d);
}

static void two_species_add_up(cw_context *context) {
  for (int order = 1; order <= 2; order++) {
    device_case d = {.c = {.dim = 3,
                           .order = order,
                           .cells = {4, 3, 3},
                           .periodic = {1, 1, 1},
                           .count = 200,
                           .precision = CW_DOUBLE}};
    mm_make(context, &d.c);
    upload(context, &d);
    cw_massmatrix *once = sum(&d, 1, &forms[0], 1), *twice = create(&d, 1, &forms[0]);
    cw_massmatrix_clear(twice);
    for (int k = 0; k < 2; k++)
      plain_ok(context, add(&d, twice, 1, 0));
    plain_ok(context, cw_massmatrix_finish(twice));
    size_t bytes, different = 0;
    double *a = (double *)values_of(&d, once, &bytes), *b = (double *)values_of(&d, twice, &bytes);
    for (size_t k = 0; k < bytes / 8; k++)
      different += !(fabs(2 * a[k] - b[k]) <= 1e-14 * fabs(b[k]));
    plain_check(different == 0, "order %d: %zu values", order, different);
    free(a), free(b);
    cw_massmatrix_destroy(once);
    cw_massmatrix_destroy(twice);
    release(&d);
  }
}

static int64_t values_not_zero(const device_case *d, const cw_massmatrix *matrix) {
  size_t bytes, count = 0;
  char *values = values_of(d, matrix, &bytes);
  for (size_t k = 0; k < bytes; k++)
    count += values[k] != 0;
  free(values);
  return (int64_t)count;
}

static void faults_are_named_and_leave_the_matrix(cw_context *context) {
  for (int f = 0; f < FORMS; f++)
    for (int order = 1; order <= 2; order++) {
      device_case d = {.c = {.dim = 2,
                             .order = order,
                             .cells = {4, 3, 1},
                             .periodic = {1, 1, 1},
                             .count = 70,
                             .precision = CW_DOUBLE}};
      mm_make(context, &d.c);
      sort_particles(&d.c, 0);
      mm_set(&d.c, d.c.view.dx[1], 41, 1.5);
      mm_set(&d.c, d.c.view.dx[0], 60, NAN);
      upload(context, &d);
      cw_massmatrix *matrix = create(&d, 0, &forms[f]);
      plain_refused(context, add(&d, matrix, 0, 0), CW_ERROR_NUMERIC, "slot 41 has offset 1.5");
      release_particles(&d);
      mm_set(&d.c, d.c.view.dx[1], 41, 0.5);
      mm_set(&d.c, d.c.view.dx[0], 60, 0.5);
      d.c.view.i[0][33] = 4;
      upload_particles(&d);
      plain_refused(context, add(&d, matrix, 0, 0), CW_ERROR_ARGUMENT,
                    "slot 33 is in cell 4 along axis 0; expected 0 to 3");
      plain_check(values_not_zero(&d, matrix) == 0, "the matrix was changed");
      cw_massmatrix_destroy(matrix);
      release(&d);
    }
}

static void what_a_device_has_not_is_refused(cw_context *context) {
  static const struct {
    cw_massmatrix_method method;
    cw_massmatrix_format format;
    const char *text;
  } refused[] = {{CW_MASSMATRIX_REFERENCE, CW_MASSMATRIX_FP64, "reference has no format FP64"},
                 {CW_MASSMATRIX_PAIRS, CW_MASSMATRIX_FP32, "pairs has no format FP32"},
                 {CW_MASSMATRIX_SORTED, CW_MASSMATRIX_TF32, "sorted has no format TF32"}};
  device_case d = {.c = {.dim = 1, .order = 1, .cells = {4, 1, 1}, .precision = CW_DOUBLE}};
  cw_massmatrix *matrix = NULL;
  mm_make(context, &d.c);
  for (int k = 0; k < 3; k++) {
    const struct form form = {refused[k].method, refused[k].format, 0};
    const cw_massmatrix_options options = options_of(&d, 0, &form);
    plain_refused(context, cw_massmatrix_create(context, &d.c.grid, &options, &matrix),
                  CW_ERROR_UNSUPPORTED, refused[k].text);
  }
  const cw_massmatrix_options options = options_of(&d, 0, &forms[0]);
  plain_ok(context, cw_massmatrix_create(context, &d.c.grid, &options, &matrix));
  plain_refused(context, cw_massmatrix_add_scalar(matrix, d.c.view, NULL, 1), CW_ERROR_ARGUMENT,
                "particles are in host memory, the matrix in device memory");
  cw_massmatrix_destroy(matrix);
  mm_free(&d.c);
}

int main(void) {
  static const plain_case cases[] = {
      PLAIN_CASE(row_sums_products_and_stencils_are_those_of_the_matrix),
      PLAIN_CASE(a_box_larger_than_a_slab), PLAIN_CASE(two_species_add_up),
      PLAIN_CASE(faults_are_named_and_leave_the_matrix),
      PLAIN_CASE(what_a_device_has_not_is_refused)};
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
