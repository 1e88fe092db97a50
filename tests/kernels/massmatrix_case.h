/* Particles, fields and a dense oracle for the tests of the mass matrix. The oracle knows nothing
 * of stencils: each particle has a weight at every node of an axis, its periodic images added up,
 * and the matrix is the plain sum over particles for every pair of nodes. */
#ifndef CW_TESTS_MASSMATRIX_CASE_H
#define CW_TESTS_MASSMATRIX_CASE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ck_assert_msg /* programs without libcheck bring their own */
#include <check.h>
#endif

#include <cellwise/cellwise.h>
#include <cellwise/massmatrix.h>

#include "base/reals.h"

enum { MM_MAX_AXIS = 64 };

typedef struct mm_case {
  int dim, order;
  int32_t cells[3];
  int periodic[3];
  int64_t count;
  int relativistic;
  cw_precision precision; /* of the particles */
  cw_grid grid;
  int32_t low[3], high[3]; /* nodes of each axis */
  int64_t nodes;
  cw_particles_view view;
  cw_massmatrix_species species;
  double *B[3]; /* over the grid */
} mm_case;

static inline cw_context *mm_context(int threads, cw_isa isa) {
  const cw_context_options options = {.threads = threads, .isa = isa, .backend = CW_BACKEND_CPU};
  cw_context *context = NULL;
  cw_context_create(&options, &context, NULL, 0);
  return context; /* NULL: that instruction set is not here */
}

static inline void mm_ok(cw_context *context, cw_status status) {
  ck_assert_msg(status == CW_OK, "%s: %s", cw_status_name(status), cw_context_message(context));
}

static inline void *mm_array(int64_t count, size_t size) {
  void *array = calloc((size_t)count + 1, size);
  ck_assert_ptr_nonnull(array);
  return array;
}

static inline double mm_get(const mm_case *c, const void *array, int64_t p) {
  return c->precision == CW_DOUBLE ? ((const double *)array)[p] : (double)((const float *)array)[p];
}

static inline void mm_set(const mm_case *c, void *array, int64_t p, double value) {
  if (c->precision == CW_DOUBLE)
    ((double *)array)[p] = value;
  else
    ((float *)array)[p] = (float)value;
}

static inline double mm_random(uint32_t stream, int64_t p) {
  double r[2];
  cw_random_uniform(7, stream, (uint64_t)p, 0, r);
  return r[0];
}

/* Smooth and not aligned with anything, so that all entries of alpha matter; on the images of a
 * node the same value. */
static inline double mm_field(const mm_case *c, int component, const int64_t at[3]) {
  double phase = 0.4 * component;
  for (int a = 0; a < c->dim; a++)
    phase += 2 * M_PI * (double)(at[a] * (a + 1)) / c->cells[a];
  return 0.7 - 0.3 * component + 1.3 * sin(phase);
}

static inline void mm_fill_field(mm_case *c) {
  const cw_grid *grid = &c->grid;
  for (int component = 0; component < 3; component++) {
    c->B[component] = mm_array(grid->points, sizeof(double));
    for (int64_t k = 0; k < grid->size[2]; k++)
      for (int64_t j = 0; j < grid->size[1]; j++)
        for (int64_t i = 0; i < grid->size[0]; i++) {
          const int64_t at[3] = {i - grid->ghost, grid->dim > 1 ? j - grid->ghost : 0,
                                 grid->dim > 2 ? k - grid->ghost : 0};
          c->B[component][cw_grid_index(grid, at[0], at[1], at[2])] = mm_field(c, component, at);
        }
  }
}

/* Fills the case's derived members; particle p stands anywhere in the box. */
static inline void mm_make(cw_context *context, mm_case *c) {
  const double origin[3] = {0}, dx[3] = {1, 1, 1};
  const int32_t ghost = c->order + 1;
  mm_ok(context, cw_grid_init(context, &c->grid, c->dim, c->cells, ghost, origin, dx));
  c->nodes = 1;
  for (int a = 0; a < 3; a++) {
    const int simulated = a < c->dim;
    c->low[a] = simulated && !c->periodic[a] ? -(c->order / 2) : 0;
    c->high[a] = !simulated ? 0 : c->periodic[a] ? c->cells[a] - 1 : c->cells[a] + c->order / 2;
    c->nodes *= c->high[a] - c->low[a] + 1;
  }
  const size_t real = (size_t)cw_precision_size(c->precision);
  c->view = (cw_particles_view){.count = c->count, .precision = c->precision};
  c->view.weight = mm_array(c->count, real);
  for (int a = 0; a < 3; a++) {
    c->view.u[a] = mm_array(c->count, real);
    if (a >= c->dim)
      continue;
    c->view.i[a] = mm_array(c->count, sizeof(int32_t));
    c->view.dx[a] = mm_array(c->count, real);
  }
  for (int64_t p = 0; p < c->count; p++) {
    mm_set(c, c->view.weight, p, 0.5 + mm_random(0, p));
    for (uint32_t a = 0; a < 3; a++) {
      mm_set(c, c->view.u[a], p, 2 * mm_random(1 + a, p) - 1);
      if ((int)a >= c->dim)
        continue;
      c->view.i[a][p] = (int32_t)(mm_random(4 + a, p) * c->cells[a]);
      mm_set(c, c->view.dx[a], p, mm_random(7 + a, p) * (1 - 1e-7));
    }
  }
  c->species = (cw_massmatrix_species){.charge = -0.7,
                                       .beta = -0.45,
                                       .scale = 1.7,
                                       .light_speed = 1.25,
                                       .relativistic = c->relativistic};
  mm_fill_field(c);
}

static inline void mm_free(mm_case *c) {
  free(c->view.weight);
  free(c->view.tag);
  for (int a = 0; a < 3; a++) {
    free(c->view.i[a]);
    free(c->view.dx[a]);
    free(c->view.u[a]);
    free(c->B[a]);
  }
}

/* The centred B-spline: the mean of the one of an order less over a cell around x, as a recursion.
 */
static inline long double mm_spline(int order, long double x) {
  const long double half = 0.5L * (order + 1);
  if (order == 0)
    return x >= -0.5L && x < 0.5L ? 1 : 0;
  if (fabsl(x) >= half)
    return 0;
  return ((half + x) * mm_spline(order - 1, x + 0.5L) +
          (half - x) * mm_spline(order - 1, x - 0.5L)) /
         order;
}

/* S of particle p at every node of an axis. */
static inline void mm_weights(const mm_case *c, int64_t p, int a, double weight[MM_MAX_AXIS]) {
  const int32_t count = c->high[a] - c->low[a] + 1;
  for (int32_t n = 0; n < count; n++)
    weight[n] = a < c->dim ? 0 : 1;
  if (a >= c->dim)
    return;
  const long double x = c->view.i[a][p] + (long double)mm_get(c, c->view.dx[a], p);
  for (int32_t n = c->view.i[a][p] - c->order; n <= c->view.i[a][p] + c->order + 1; n++) {
    const long double s = mm_spline(c->order, x - n);
    int32_t place = n - c->low[a];
    if (c->periodic[a])
      place = (place % count + count) % count;
    if (place >= 0 && place < count)
      weight[place] += (double)s;
    else
      ck_assert(s == 0);
  }
}

static inline void mm_inverse(double m[3][3], double inverse[3][3]) {
  double det = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int a = (j + 1) % 3, b = (j + 2) % 3, d = (i + 1) % 3, e = (i + 2) % 3;
      inverse[i][j] = m[a][d] * m[b][e] - m[a][e] * m[b][d]; /* cofactor, transposed */
    }
  for (int j = 0; j < 3; j++)
    det += m[0][j] * inverse[j][0];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      inverse[i][j] /= det;
}

static inline int64_t mm_index(const mm_case *c, int64_t node) {
  int64_t at[3];
  for (int a = 0; a < 3; a++) {
    const int64_t count = c->high[a] - c->low[a] + 1;
    at[a] = c->low[a] + node % count;
    node /= count;
  }
  return cw_grid_index(&c->grid, at[0], at[1], at[2]);
}

/* S of particle p at all nodes, by their number. */
static inline void mm_node_weights(const mm_case *c, int64_t p, double *S) {
  double weight[3][MM_MAX_AXIS];
  for (int a = 0; a < 3; a++)
    mm_weights(c, p, a, weight[a]);
  const int64_t n0 = c->high[0] - c->low[0] + 1, n1 = c->high[1] - c->low[1] + 1;
  for (int64_t g = 0; g < c->nodes; g++)
    S[g] = weight[0][g % n0] * weight[1][g / n0 % n1] * weight[2][g / n0 / n1];
}

/* beta q alpha (9), q alpha u (3), q of particle p, with the case's scale. */
static inline void mm_columns(const mm_case *c, int64_t p, const double *S, double column[13]) {
  double u[3], u2 = 0, w[3] = {0}, gamma = 1, inverse[3][3];
  for (int a = 0; a < 3; a++) {
    u[a] = mm_get(c, c->view.u[a], p);
    u2 += u[a] * u[a];
  }
  const double light = c->species.light_speed;
  if (c->relativistic)
    gamma = c->species.gamma ? mm_get(c, c->species.gamma, p) : sqrt(1 + u2 / light / light);
  for (int64_t g = 0; g < c->nodes; g++)
    for (int a = 0; a < 3; a++)
      w[a] += c->species.beta / light / gamma * S[g] * c->B[a][mm_index(c, g)];
  double rotation[3][3] = {{1, -w[2], w[1]}, {w[2], 1, -w[0]}, {-w[1], w[0], 1}};
  mm_inverse(rotation, inverse);
  const double q = c->species.scale * c->species.charge * mm_get(c, c->view.weight, p);
  for (int i = 0; i < 3; i++) {
    column[9 + i] = 0;
    for (int j = 0; j < 3; j++) {
      column[3 * i + j] = c->species.beta * q * inverse[i][j] / gamma;
      column[9 + i] += q * inverse[i][j] / gamma * u[j];
    }
  }
  column[12] = q;
}

/* What the library should give: the dense matrix, and J (3) and rho by node number. */
typedef struct mm_right {
  int wide; /* 1 or 3 */
  double *dense, *linear[4];
  double scale, linear_scale; /* largest entries */
} mm_right;

static inline void mm_oracle(const mm_case *c, int tensor, mm_right *r) {
  const int wide = r->wide = tensor ? 3 : 1;
  const int64_t order = wide * c->nodes;
  r->dense = mm_array(order * order, sizeof(double));
  for (int k = 0; k < 4; k++)
    r->linear[k] = mm_array(c->nodes, sizeof(double));
  double *S = mm_array(c->nodes, sizeof(double)), column[13];
  for (int64_t p = 0; p < c->count; p++) {
    if (c->view.tag && c->view.tag[p] == CW_TAG_DEAD)
      continue;
    mm_node_weights(c, p, S);
    if (tensor)
      mm_columns(c, p, S, column);
    else
      column[0] = column[12] = c->species.scale * mm_get(c, c->view.weight, p);
    for (int64_t g = 0; g < c->nodes; g++) {
      for (int k = tensor ? 0 : 3; k < 4; k++)
        r->linear[k][g] += S[g] * column[9 + k];
      for (int64_t h = 0; h < c->nodes && S[g] != 0; h++)
        for (int i = 0; i < wide * wide; i++)
          r->dense[(wide * g + i / wide) * order + wide * h + i % wide] += S[g] * S[h] * column[i];
    }
  }
  free(S);
  r->scale = r->linear_scale = c->count ? 0 : 1e-300; /* without particles all must be exactly 0 */
  for (int64_t k = 0; k < order * order; k++)
    r->scale = cw_larger(r->scale, fabs(r->dense[k]));
  for (int64_t k = 0; k < 4 * c->nodes; k++)
    r->linear_scale = cw_larger(r->linear_scale, fabs(r->linear[k % 4][k / 4]));
}

static inline void mm_right_free(mm_right *r) {
  free(r->dense);
  for (int k = 0; k < 4; k++)
    free(r->linear[k]);
}

static inline cw_vector_view mm_vector(double *const component[3]) {
  return (cw_vector_view){.precision = CW_DOUBLE,
                          .component = {component[0], component[1], component[2]}};
}

/* Creates a matrix, adds the case's particles and finishes. linear: J (3) and rho over the grid,
 * folded; NULL members are not asked for. */
static inline cw_massmatrix *mm_sum(cw_context *context, const mm_case *c, int tensor,
                                    cw_massmatrix_method method, cw_massmatrix_format format,
                                    double *linear[4]) {
  const cw_massmatrix_options options = {
      .order = c->order,
      .kind = tensor ? CW_MASSMATRIX_TENSOR : CW_MASSMATRIX_SCALAR,
      .method = method,
      .format = format,
      .periodic = {c->periodic[0], c->periodic[1], c->periodic[2]}};
  cw_massmatrix *matrix;
  mm_ok(context, cw_massmatrix_create(context, &c->grid, &options, &matrix));
  if (tensor)
    mm_ok(context, cw_massmatrix_add_species(matrix, c->view, &c->species, mm_vector(c->B),
                                             mm_vector(linear), linear[3]));
  else
    mm_ok(context, cw_massmatrix_add_scalar(matrix, c->view, NULL, c->species.scale));
  mm_ok(context, cw_massmatrix_finish(matrix));
  for (int k = 0; k < 4; k++)
    if (linear[k])
      mm_ok(context, cw_massmatrix_fold_ghosts(matrix, linear[k]));
  return matrix;
}

/* Largest difference from the right values, over the largest right value; NaN stays NaN. */
static inline double mm_error(double error, double found, double expected, double scale) {
  return cw_larger(error, fabs(found - expected) / scale);
}

/* The same of a whole matrix with its current and charge. */
static inline double mm_compare(cw_context *context, const mm_case *c, const mm_right *r,
                                cw_massmatrix_method method, cw_massmatrix_format format) {
  const int64_t order = r->wide * c->nodes;
  double *linear[4], *dense = mm_array(order * order, sizeof(double)), error = 0;
  for (int k = 0; k < 4; k++)
    linear[k] = mm_array(c->grid.points, sizeof(double));
  cw_massmatrix *matrix = mm_sum(context, c, r->wide == 3, method, format, linear);
  ck_assert_int_eq(cw_massmatrix_nodes(matrix), c->nodes);
  mm_ok(context, cw_massmatrix_dense(matrix, dense));
  for (int64_t k = 0; k < order * order; k++)
    error = mm_error(error, dense[k], r->dense[k], r->scale);
  for (int k = 0; r->wide == 3 && k < 4; k++)
    for (int64_t g = 0; g < c->nodes; g++)
      error = mm_error(error, linear[k][mm_index(c, g)], r->linear[k][g], r->linear_scale);
  cw_massmatrix_destroy(matrix);
  free(dense);
  for (int k = 0; k < 4; k++)
    free(linear[k]);
  return error;
}

/* Cells of many numbers of particles. The second cell of each case has one particle, so that a
 * neighbour's sums would be seen. */
typedef void mm_check(cw_context *context, mm_case *c, const char *what);
static inline void mm_each_count(cw_context *context, const int64_t *counts, size_t size,
                                 mm_check *check) {
  for (int order = 1; context && order <= 2; order++)
    for (int dim = 1; dim <= 3; dim++)
      for (size_t k = 0; k < size; k++) {
        mm_case c = {.dim = dim,
                     .order = order,
                     .cells = {3, 3, 3},
                     .periodic = {1, 0, 1},
                     .count = counts[k] ? counts[k] + 1 : 0,
                     .precision = CW_DOUBLE};
        mm_make(context, &c);
        for (int64_t p = 0; p < c.count; p++)
          for (int a = 0; a < dim; a++)
            c.view.i[a][p] = p < counts[k] ? 1 : 2;
        char what[32];
        snprintf(what, sizeof what, "%d particles", (int)counts[k]);
        check(context, &c, what);
        mm_free(&c);
      }
}

/* M^ij_gg' = M^ij_g'g to the bit, because both are the same stored number. */
static inline void mm_check_symmetry(cw_context *context, const mm_case *c,
                                     const cw_massmatrix *matrix) {
  const int64_t n = 3 * c->nodes;
  double *dense = mm_array(n * n, sizeof(double)), largest = 0;
  mm_ok(context, cw_massmatrix_dense(matrix, dense));
  for (int64_t g = 0; g < c->nodes; g++)
    for (int64_t h = 0; h < c->nodes; h++)
      for (int k = 0; k < 9; k++) {
        const double here = dense[(3 * g + k / 3) * n + 3 * h + k % 3];
        ck_assert(here == dense[(3 * h + k / 3) * n + 3 * g + k % 3]);
        largest = cw_larger(largest, fabs(here));
      }
  ck_assert(largest > 0.01);
  free(dense);
}

/* S sums to one over the nodes, so row g of M^ij sums to sum_p beta q alpha^ij S_pg: the largest
 * difference from it. */
static inline double mm_row_sum_error(cw_context *context, const mm_case *c, int tensor,
                                      const cw_massmatrix *matrix) {
  double *moment = mm_array(9 * c->nodes, sizeof(double)), column[13], largest = 0, error = 0;
  double *S = mm_array(c->nodes, sizeof(double));
  double *sums = mm_array(c->grid.points, sizeof(double));
  for (int64_t p = 0; p < c->count; p++) {
    mm_node_weights(c, p, S);
    mm_columns(c, p, S, column);
    if (!tensor)
      column[0] = c->species.scale * mm_get(c, c->view.weight, p);
    for (int64_t g = 0; g < c->nodes; g++)
      for (int k = 0; k < (tensor ? 9 : 1); k++)
        moment[9 * g + k] += S[g] * column[k];
  }
  for (int64_t k = 0; k < 9 * c->nodes; k++)
    largest = cw_larger(largest, fabs(moment[k]));
  for (int k = 0; k < (tensor ? 9 : 1); k++) {
    mm_ok(context, cw_massmatrix_row_sums(matrix, k, sums));
    for (int64_t g = 0; g < c->nodes; g++)
      error = mm_error(error, sums[mm_index(c, g)], moment[9 * g + k], largest);
  }
  free(S);
  free(sums);
  free(moment);
  return error;
}

#endif
