/* Cases of the mass matrix on the device: copies of a case's data, sums, comparison with the dense
 * double sum. */
#ifndef CW_TESTS_MASSMATRIX_DEVICE_H
#define CW_TESTS_MASSMATRIX_DEVICE_H

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

/* A case on the device. */
typedef struct device_case {
  cw_context *context;
  mm_case c;
  cw_particles_view view;
  cw_massmatrix_species species;
  double *B[3], *linear[4];
  int32_t tile; /* told to the matrix */
} device_case;

static inline void *to_device(cw_context *context, const void *source, size_t bytes) {
  void *made = NULL;
  if (!source)
    return NULL;
  plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, bytes ? bytes : 1, 1, "copy", &made));
  if (made && bytes)
    plain_ok(context, cw_device_write(context, made, source, bytes));
  return made;
}

static inline void upload_particles(device_case *d) {
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

static inline void upload(cw_context *context, device_case *d) {
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

static inline void release_particles(device_case *d) {
  void *arrays[] = {d->view.i[0],  d->view.i[1],   d->view.i[2], d->view.dx[0],
                    d->view.dx[1], d->view.dx[2],  d->view.u[0], d->view.u[1],
                    d->view.u[2],  d->view.weight, d->view.tag,  NULL};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    cw_memory_free(d->context, CW_SPACE_DEVICE, arrays[k]);
  cw_memory_free(d->context, CW_SPACE_DEVICE, (void *)(uintptr_t)d->species.gamma);
}

static inline void release_device(device_case *d) {
  release_particles(d);
  for (int k = 0; k < 4; k++) {
    if (k < 3)
      cw_memory_free(d->context, CW_SPACE_DEVICE, d->B[k]);
    cw_memory_free(d->context, CW_SPACE_DEVICE, d->linear[k]);
  }
}

static inline void release(device_case *d) {
  release_device(d);
  mm_free(&d->c);
}

static inline cw_massmatrix_options options_of(const device_case *d, int tensor,
                                               const struct form *form) {
  return (cw_massmatrix_options){.order = d->c.order,
                                 .kind = tensor ? CW_MASSMATRIX_TENSOR : CW_MASSMATRIX_SCALAR,
                                 .method = form->method,
                                 .format = form->format,
                                 .periodic = {d->c.periodic[0], d->c.periodic[1], d->c.periodic[2]},
                                 .space = CW_SPACE_DEVICE,
                                 .tile = d->tile};
}

static inline cw_massmatrix *create(const device_case *d, int tensor, const struct form *form) {
  const cw_massmatrix_options options = options_of(d, tensor, form);
  cw_massmatrix *matrix = NULL;
  plain_ok(d->context, cw_massmatrix_create(d->context, &d->c.grid, &options, &matrix));
  return matrix;
}

static inline cw_status add(const device_case *d, cw_massmatrix *matrix, int tensor, int linear) {
  if (!tensor)
    return cw_massmatrix_add_scalar(matrix, d->view, NULL, d->species.scale);
  double *const none[3] = {NULL, NULL, NULL};
  return cw_massmatrix_add_species(matrix, d->view, &d->species, mm_vector(d->B),
                                   mm_vector(linear ? d->linear : none),
                                   linear ? d->linear[3] : NULL);
}

/* Sums into cleared arrays and finishes. */
static inline cw_massmatrix *sum(device_case *d, int tensor, const struct form *form, int linear) {
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

static inline double *read_back(const device_case *d, const double *array) {
  double *copy = mm_array(d->c.grid.points, sizeof(double));
  plain_ok(d->context,
           cw_device_read(d->context, copy, array, (size_t)d->c.grid.points * sizeof(double)));
  return copy;
}

static inline double linear_error(const device_case *d, const mm_right *r) {
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
static inline int has_one_image_of_each_pair(const mm_case *c) {
  int one = 1;
  for (int a = 0; a < c->dim; a++)
    one &= !c->periodic[a] || c->cells[a] > 2 * c->order;
  return one;
}

/* Against the right values; M_gh^ij = M_hg^ij exactly. */
static inline void check_form(device_case *d, const mm_right *r, int tensor,
                              const struct form *form, int linear, const char *what) {
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

static inline char *values_of(const device_case *d, const cw_massmatrix *matrix, size_t *bytes) {
  const cw_massmatrix_view view = cw_massmatrix_get_view(matrix);
  *bytes = (size_t)(view.points * view.entries * view.components) *
           (size_t)cw_precision_size(view.precision);
  char *copy = malloc(*bytes);
  plain_ok(d->context, cw_device_read(d->context, copy, view.values, *bytes));
  return copy;
}

/* Keys of rows of bins or, tile > 0, of the cell table's order. */
static inline int64_t key_of(const mm_case *c, int64_t p, int32_t tile) {
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
static inline void sort_particles(mm_case *c, int32_t tile) {
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

#endif
