/* The mass matrix on the device, every formulation and format, against the dense double sum.
 * CELLWISE_REDUCED=1: fewer cases, for compute-sanitizer. */
#include <stdlib.h>

#include "base/context_private.h"
#include "base/device.h"
#include "base/reals.h"
#include "plain_check.h"

#define ck_assert_msg(condition, ...) plain_check(condition, __VA_ARGS__)
#define ck_assert(condition)          plain_check(condition, "%s", "")
#define ck_assert_ptr_nonnull(p)      plain_check((p) != NULL, "%s", "")
#define ck_assert_int_eq(a, b)        plain_check((a) == (b), "%lld", (long long)(a))
#include "kernels/massmatrix_case.h"

/* FP64: round-off of sums of a few hundred terms. FP32: 24 bits. TF32: 11 bits an operand, averaged
 * over at least 16 particles or in three parts, of which two operands have 22 bits each. */
static const struct form {
  cw_massmatrix_method method;
  cw_massmatrix_format format;
  double tolerance;
} forms[] = {{CW_MASSMATRIX_MOMENT, CW_MASSMATRIX_FP64, 1e-14},
             {CW_MASSMATRIX_MOMENT_FMA, CW_MASSMATRIX_FP64, 1e-14},
             {CW_MASSMATRIX_SORTED, CW_MASSMATRIX_FP64, 1e-14},
             {CW_MASSMATRIX_PAIRS, CW_MASSMATRIX_FP64, 1e-14},
             {CW_MASSMATRIX_NAIVE, CW_MASSMATRIX_FP64, 1e-14},
             {CW_MASSMATRIX_MOMENT, CW_MASSMATRIX_TF32, 2e-4},
             {CW_MASSMATRIX_PAIRS, CW_MASSMATRIX_TF32, 2e-4},
             {CW_MASSMATRIX_MOMENT, CW_MASSMATRIX_TF32X3, 1e-6},
             {CW_MASSMATRIX_PAIRS, CW_MASSMATRIX_TF32X3, 1e-6},
             {CW_MASSMATRIX_MOMENT, CW_MASSMATRIX_FP32, 3e-6},
             {CW_MASSMATRIX_SORTED, CW_MASSMATRIX_FP32, 3e-6},
             {CW_MASSMATRIX_NAIVE, CW_MASSMATRIX_FP32, 3e-6}};
enum { FORMS = sizeof forms / sizeof *forms };

static const char *const format_names[] = {"FP64", "FP32", "TF32", "3xTF32"};

static int reduced(void) {
  const char *text = getenv("CELLWISE_REDUCED");
  return text && strcmp(text, "0") != 0;
}

/* A case on the device. */
typedef struct device_case {
  cw_context *context;
  mm_case c;
  cw_particles_view view;
  cw_massmatrix_species species;
  double *B[3], *linear[4];
  int32_t tile; /* told to the matrix */
} device_case;

static void *to_device(cw_context *context, const void *source, size_t bytes) {
  void *made = NULL;
  if (!source)
    return NULL;
  plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, bytes ? bytes : 1, 1, "copy", &made));
  if (made && bytes)
    plain_ok(context, cw_device_write(context, made, source, bytes));
  return made;
}

static void upload_particles(device_case *d) {
  const size_t count = (size_t)d->c.count, real = (size_t)cw_precision_size(d->c.precision);
  d->view = d->c.view;
  d->view.space = CW_SPACE_DEVICE;
  for (int a = 0; a < 3; a++) {
    d->view.i[a] = to_device(d->context, d->c.view.i[a], count * sizeof(int32_t));
    d->view.dx[a] = to_device(d->context, d->c.view.dx[a], count * real);
    d->view.u[a] = to_device(d->context, d->c.view.u[a], count * real);
  }
  d->view.weight = to_device(d->context, d->c.view.weight, count * real);
  d->view.tag = to_device(d->context, d->c.view.tag, count);
  d->species = d->c.species;
  d->species.gamma = to_device(d->context, d->c.species.gamma, count * real);
}

static void upload(cw_context *context, device_case *d) {
  const size_t bytes = (size_t)d->c.grid.points * sizeof(double);
  d->context = context;
  upload_particles(d);
  for (int a = 0; a < 3; a++)
    d->B[a] = to_device(context, d->c.B[a], bytes);
  double *zero = mm_array(d->c.grid.points, sizeof(double));
  for (int k = 0; k < 4; k++)
    d->linear[k] = to_device(context, zero, bytes);
  free(zero);
}

static void release_particles(device_case *d) {
  void *arrays[] = {d->view.i[0],  d->view.i[1],   d->view.i[2], d->view.dx[0],
                    d->view.dx[1], d->view.dx[2],  d->view.u[0], d->view.u[1],
                    d->view.u[2],  d->view.weight, d->view.tag,  NULL};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    cw_memory_free(d->context, CW_SPACE_DEVICE, arrays[k]);
  cw_memory_free(d->context, CW_SPACE_DEVICE, (void *)(uintptr_t)d->species.gamma);
}

static void release(device_case *d) {
  release_particles(d);
  for (int k = 0; k < 4; k++) {
    if (k < 3)
      cw_memory_free(d->context, CW_SPACE_DEVICE, d->B[k]);
    cw_memory_free(d->context, CW_SPACE_DEVICE, d->linear[k]);
  }
  mm_free(&d->c);
}

static cw_massmatrix_options options_of(const device_case *d, int tensor, const struct form *form) {
  return (cw_massmatrix_options){.order = d->c.order,
                                 .kind = tensor ? CW_MASSMATRIX_TENSOR : CW_MASSMATRIX_SCALAR,
                                 .method = form->method,
                                 .format = form->format,
                                 .periodic = {d->c.periodic[0], d->c.periodic[1], d->c.periodic[2]},
                                 .space = CW_SPACE_DEVICE,
                                 .tile = d->tile};
}

static cw_massmatrix *create(const device_case *d, int tensor, const struct form *form) {
  const cw_massmatrix_options options = options_of(d, tensor, form);
  cw_massmatrix *matrix = NULL;
  plain_ok(d->context, cw_massmatrix_create(d->context, &d->c.grid, &options, &matrix));
  return matrix;
}

static cw_status add(const device_case *d, cw_massmatrix *matrix, int tensor, int linear) {
  if (!tensor)
    return cw_massmatrix_add_scalar(matrix, d->view, NULL, d->species.scale);
  double *const none[3] = {NULL, NULL, NULL};
  return cw_massmatrix_add_species(matrix, d->view, &d->species, mm_vector(d->B),
                                   mm_vector(linear ? d->linear : none),
                                   linear ? d->linear[3] : NULL);
}

/* Sums into cleared arrays and finishes. */
static cw_massmatrix *sum(device_case *d, int tensor, const struct form *form, int linear) {
  const size_t bytes = (size_t)d->c.grid.points * sizeof(double);
  cw_massmatrix *matrix = create(d, tensor, form);
  for (int k = 0; k < 4; k++)
    plain_ok(d->context, cw_device_zero(d->context, d->linear[k], bytes));
  plain_ok(d->context, add(d, matrix, tensor, linear));
  plain_ok(d->context, cw_massmatrix_finish(matrix));
  for (int k = 0; k < 4; k++)
    plain_ok(d->context, cw_massmatrix_fold_ghosts(matrix, d->linear[k]));
  return matrix;
}

static double *read_back(const device_case *d, const double *array) {
  double *copy = mm_array(d->c.grid.points, sizeof(double));
  plain_ok(d->context,
           cw_device_read(d->context, copy, array, (size_t)d->c.grid.points * sizeof(double)));
  return copy;
}

static double linear_error(const device_case *d, const mm_right *r) {
  double error = 0;
  for (int k = 0; k < 4; k++) {
    double *found = read_back(d, d->linear[k]);
    for (int64_t g = 0; g < d->c.nodes; g++)
      error = mm_error(error, found[mm_index(&d->c, g)], r->linear[k][g], r->linear_scale);
    free(found);
  }
  return error;
}

/* On short periodic axes the dense form adds up several images of a pair, in another order for
 * (g, h) than for (h, g). */
static int has_one_image_of_each_pair(const mm_case *c) {
  int one = 1;
  for (int a = 0; a < c->dim; a++)
    one &= !c->periodic[a] || c->cells[a] > 2 * c->order;
  return one;
}

/* Against the right values; M_gh^ij = M_hg^ij exactly. */
static void check_form(device_case *d, const mm_right *r, int tensor, const struct form *form,
                       int linear, const char *what) {
  const int64_t order = r->wide * d->c.nodes, wide = r->wide;
  double *dense = mm_array(order * order, sizeof(double)), error = 0;
  cw_massmatrix *matrix = sum(d, tensor, form, linear);
  plain_ok(d->context, cw_massmatrix_dense(matrix, dense));
  for (int64_t k = 0; k < order * order; k++)
    error = mm_error(error, dense[k], r->dense[k], r->scale);
  int64_t asymmetric = 0;
  for (int64_t g = 0; g < d->c.nodes && has_one_image_of_each_pair(&d->c); g++)
    for (int64_t h = 0; h < g; h++)
      for (int64_t i = 0; i < wide * wide; i++)
        asymmetric += dense[(wide * g + i / wide) * order + wide * h + i % wide] !=
                      dense[(wide * h + i / wide) * order + wide * g + i % wide];
  const double of_linear = tensor && linear ? linear_error(d, r) : 0;
  plain_check(error <= form->tolerance && of_linear <= form->tolerance,
              "%s: %dD order %d %s %s %s: error %.2e, of current and charge %.2e, allowed %.0e",
              what, d->c.dim, d->c.order, tensor ? "tensor" : "scalar",
              cw_massmatrix_method_name(form->method), format_names[form->format], error, of_linear,
              form->tolerance);
  plain_check(asymmetric == 0, "%s: %lld entries are not symmetric", what, (long long)asymmetric);
  cw_massmatrix_destroy(matrix);
  free(dense);
}

static void check_all(cw_context *context, device_case *d, const char *what) {
  upload(context, d);
  for (int tensor = 0; tensor < 2; tensor++) {
    mm_right right;
    mm_oracle(&d->c, tensor, &right);
    if (d->c.count == 0)
      right.scale = right.linear_scale = 1e-300; /* everything must be exactly zero */
    for (int f = 0; f < FORMS; f++)
      for (int linear = 1; linear >= (tensor && d->c.order == 1 && f == 0 ? 0 : 1); linear--)
        check_form(d, &right, tensor, &forms[f], linear, what);
    mm_right_free(&right);
  }
  release(d);
}

/* Keys of rows of bins or, tile > 0, of the cell table's order. */
static int64_t key_of(const mm_case *c, int64_t p, int32_t tile) {
  int64_t key = 0, place = 0, edge = tile + (c->order == 2);
  for (int a = 2; a >= 0; a--) {
    const int upper = c->order == 2 && a < c->dim && mm_get(c, c->view.dx[a], p) >= 0.5;
    const int32_t cell = a < c->dim ? c->view.i[a][p] : 0;
    if (a >= c->dim)
      continue;
    key = tile ? key * 1000 + cell / tile : key * 1000 + cell + upper;
    place = tile ? place * edge + cell % tile + upper : 0;
  }
  return key * 10000 + place;
}

/* Sorts slots by key, stable. */
static void sort_particles(mm_case *c, int32_t tile) {
  for (int64_t p = 1; p < c->count; p++)
    for (int64_t q = p; q > 0 && key_of(c, q - 1, tile) > key_of(c, q, tile); q--) {
      for (int a = 0; a < 3; a++) {
        if (a < c->dim) {
          const int32_t i = c->view.i[a][q];
          c->view.i[a][q] = c->view.i[a][q - 1];
          c->view.i[a][q - 1] = i;
        }
        void *const arrays[] = {a < c->dim ? c->view.dx[a] : NULL, c->view.u[a]};
        for (int k = 0; k < 2; k++) {
          if (!arrays[k])
            continue;
          const double value = mm_get(c, arrays[k], q);
          mm_set(c, arrays[k], q, mm_get(c, arrays[k], q - 1));
          mm_set(c, arrays[k], q - 1, value);
        }
      }
      const double weight = mm_get(c, c->view.weight, q);
      mm_set(c, c->view.weight, q, mm_get(c, c->view.weight, q - 1));
      mm_set(c, c->view.weight, q - 1, weight);
    }
}

/* Axes of one and two cells are among them: all images of a node add up. The first box has several
 * pieces a row and tiles of which the last is not whole. */
static const struct {
  int32_t cells[3];
  int periodic[3];
} boxes[] = {{{11, 5, 4}, {1, 1, 1}},
             {{1, 1, 1}, {1, 1, 1}},
             {{2, 1, 2}, {1, 1, 1}},
             {{4, 2, 1}, {0, 1, 1}},
             {{5, 3, 2}, {0, 0, 0}}};

static void every_form_is_the_double_sum_in_1_to_3_dimensions(cw_context *context) {
  for (int order = 1; order <= 2; order++)
    for (int dim = 1; dim <= 3; dim++)
      for (size_t b = 0; b < (reduced() ? 1 : sizeof boxes / sizeof *boxes); b++) {
        device_case d = {.c = {.dim = dim, .order = order, .count = 90, .precision = CW_DOUBLE}};
        memcpy(d.c.cells, boxes[b].cells, sizeof d.c.cells);
        memcpy(d.c.periodic, boxes[b].periodic, sizeof d.c.periodic);
        if (b == 0 && dim == 3) /* the oracle is dense */
          d.c.cells[0] = 5, d.c.cells[1] = 3, d.c.cells[2] = 2;
        mm_make(context, &d.c);
        check_all(context, &d, "particles in no order");
      }
}

static void sorted_particles_are_read_where_they_stand(cw_context *context) {
  for (int order = 1; order <= 2; order++)
    for (int dim = 2; dim <= 3; dim++)
      for (int32_t tile = 0; tile <= 4; tile += 4) {
        device_case d = {.c = {.dim = dim,
                               .order = order,
                               .cells = {9, 5, 1},
                               .periodic = {1, 0, 1},
                               .count = 400,
                               .precision = tile ? CW_SINGLE : CW_DOUBLE},
                         .tile = tile};
        mm_make(context, &d.c);
        sort_particles(&d.c, tile);
        check_all(context, &d, tile ? "tiles" : "rows");
      }
}

/* Batches and their remainders. A neighbouring cell has one particle, so that its sums show. */
static void any_number_of_particles_in_a_cell(cw_context *context) {
  static const int64_t counts[] = {0, 1, 3, 4, 5, 31, 33, 1000};
  for (int order = 1; order <= 2; order++)
    for (size_t k = reduced() ? 4 : 0; k < (reduced() ? 7 : 8); k++) {
      device_case d = {.c = {.dim = 3,
                             .order = order,
                             .cells = {3, 3, 2},
                             .periodic = {1, 0, 1},
                             .count = counts[k] ? counts[k] + 1 : 0,
                             .precision = CW_DOUBLE}};
      mm_make(context, &d.c);
      for (int64_t p = 0; p < d.c.count; p++)
        for (int a = 0; a < 3; a++) {
          d.c.view.i[a][p] = p < counts[k] ? 1 : a == 0 ? 2 : 1;
          if (order == 2) /* around the same node */
            mm_set(&d.c, d.c.view.dx[a], p, 0.49 * mm_get(&d.c, d.c.view.dx[a], p));
        }
      char what[32];
      snprintf(what, sizeof what, "%d particles", (int)counts[k]);
      check_all(context, &d, what);
    }
}

/* On a node, on a face, on the border between two nodes' neighbourhoods, next to them, and at the
 * upper end of the cell, which rounding of a position may give. */
static void particles_on_nodes_faces_and_half_cells(cw_context *context) {
  const double places[] = {0, 0.5, nextafter(0.5, 0), nextafter(1, 0), 1, 0.25, 5e-324};
  enum { PLACES = sizeof places / sizeof *places };
  for (int order = 1; order <= 2; order++)
    for (int dim = reduced() ? 3 : 1; dim <= 3; dim++) {
      device_case d = {.c = {.dim = dim,
                             .order = order,
                             .cells = {3, 2, 2},
                             .periodic = {0, 1, 1},
                             .count = PLACES * PLACES * PLACES,
                             .precision = CW_DOUBLE}};
      mm_make(context, &d.c);
      for (int64_t p = 0; p < d.c.count; p++)
        for (int64_t a = 0, rest = p; a < dim; a++, rest /= PLACES)
          mm_set(&d.c, d.c.view.dx[a], p, places[rest % PLACES]);
      check_all(context, &d, "places");
    }
}

static void relativistic_form_and_dead_slots(cw_context *context) {
  for (int order = 1; order <= 2; order++)
    for (int given = 0; given < 2; given++) {
      device_case d = {.c = {.dim = 3,
                             .order = order,
                             .cells = {3, 2, 3},
                             .periodic = {1, 1, 1},
                             .count = 200,
                             .relativistic = 1,
                             .precision = given ? CW_SINGLE : CW_DOUBLE}};
      mm_make(context, &d.c);
      void *gamma = mm_array(d.c.count, 8);
      d.c.view.tag = mm_array(d.c.count, 1);
      for (int64_t p = 0; p < d.c.count; p++) {
        mm_set(&d.c, gamma, p, 1 + mm_random(20, p));
        d.c.view.tag[p] = p % 3 ? CW_TAG_ALIVE : CW_TAG_DEAD;
        if (p % 3)
          continue;
        d.c.view.i[0][p] = -1000;
        mm_set(&d.c, d.c.view.dx[1], p, NAN);
        mm_set(&d.c, d.c.view.u[2], p, NAN);
      }
      if (given)
        d.c.species.gamma = gamma;
      check_all(context, &d, given ? "gamma given" : "gamma formed");
      free(gamma);
    }
}

static void orders_3_to_11_are_the_double_sum(cw_context *context) {
  for (int order = 3; order <= CW_MASSMATRIX_MAX_ORDER; order += 2)
    for (int dim = 1; dim <= (order == 3 ? 3 : order < 8 ? 2 : 1); dim++) {
      device_case d = {.c = {.dim = dim,
                             .order = order,
                             .cells = {5, 3, 1},
                             .periodic = {1, 0, 1},
                             .count = 40,
                             .precision = CW_DOUBLE}};
      static const struct form naive = {CW_MASSMATRIX_AUTO, CW_MASSMATRIX_FP64, 1e-14};
      mm_right right;
      mm_make(context, &d.c);
      upload(context, &d);
      mm_oracle(&d.c, 1, &right);
      check_form(&d, &right, 1, &naive, 1, "high order");
      mm_right_free(&right);
      release(&d);
    }
}

static char *values_of(const device_case *d, const cw_massmatrix *matrix, size_t *bytes) {
  const cw_massmatrix_view view = cw_massmatrix_get_view(matrix);
  *bytes = (size_t)(view.points * view.entries * view.components) *
           (size_t)cw_precision_size(view.precision);
  char *copy = malloc(*bytes);
  plain_ok(d->context, cw_device_read(d->context, copy, view.values, *bytes));
  return copy;
}

static void results_have_the_same_bits_every_run(cw_context *context) {
  for (int order = 1; order <= 2; order++) {
    device_case d = {.c = {.dim = 3,
                           .order = order,
                           .cells = {6, 5, 4},
                           .periodic = {1, 1, 1},
                           .count = reduced() ? 600 : 6000,
                           .precision = CW_DOUBLE}};
    mm_make(context, &d.c);
    upload(context, &d);
    for (int f = 0; f < FORMS; f++)
      for (int tensor = 0; tensor < 2 && forms[f].method != CW_MASSMATRIX_NAIVE; tensor++) {
        char *first = NULL;
        double *current = NULL;
        for (int run = 0; run < 3; run++) {
          size_t bytes;
          cw_massmatrix *matrix = sum(&d, tensor, &forms[f], 1);
          char *values = values_of(&d, matrix, &bytes);
          double *J = read_back(&d, d.linear[1]);
          plain_check(!first || (memcmp(first, values, bytes) == 0 &&
                                 memcmp(current, J, (size_t)d.c.grid.points * 8) == 0),
                      "order %d %s %s: other bits in run %d", order,
                      cw_massmatrix_method_name(forms[f].method), format_names[forms[f].format],
                      run);
          free(first), free(current);
          first = values, current = J;
          cw_massmatrix_destroy(matrix);
        }
        free(first), free(current);
      }
    release(&d);
  }
}

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
  if (reduced())
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
    largest = fmax(largest, fabs(b[k]));
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
      PLAIN_CASE(every_form_is_the_double_sum_in_1_to_3_dimensions),
      PLAIN_CASE(sorted_particles_are_read_where_they_stand),
      PLAIN_CASE(any_number_of_particles_in_a_cell),
      PLAIN_CASE(particles_on_nodes_faces_and_half_cells),
      PLAIN_CASE(relativistic_form_and_dead_slots),
      PLAIN_CASE(orders_3_to_11_are_the_double_sum),
      PLAIN_CASE(results_have_the_same_bits_every_run),
      PLAIN_CASE(row_sums_products_and_stencils_are_those_of_the_matrix),
      PLAIN_CASE(a_box_larger_than_a_slab),
      PLAIN_CASE(two_species_add_up),
      PLAIN_CASE(faults_are_named_and_leave_the_matrix),
      PLAIN_CASE(what_a_device_has_not_is_refused)};
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
