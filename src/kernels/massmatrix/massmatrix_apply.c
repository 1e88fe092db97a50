/* What a finished matrix is used for: product, row sums, dense form, canonical stencil. */
#include <string.h>

#include "base/device.h"
#include "base/reals.h"
#include "kernels/massmatrix/massmatrix_cuda.h"
#include "kernels/massmatrix/massmatrix_private.h"

enum { MAX_DENSE = 32768 };

static cw_status check_finished(const cw_massmatrix *matrix) {
  if (!matrix->finished)
    return cw_fail(matrix->context, CW_ERROR_ARGUMENT,
                   "massmatrix: the matrix is not finished; call cw_massmatrix_finish first");
  return CW_OK;
}

static cw_status check_component(const cw_massmatrix *matrix, int component) {
  if (component < 0 || component >= matrix->components)
    return cw_fail(matrix->context, CW_ERROR_ARGUMENT, "massmatrix: component %d; expected 0 to %d",
                   component, matrix->components - 1);
  return check_finished(matrix);
}

cw_status cw_massmatrix_product(const cw_massmatrix *matrix, cw_vector_view x, cw_vector_view y) {
  cw_context *context = matrix->context;
  CW_TRY(check_finished(matrix));
  const double *from[3];
  double *to[3];
  for (int c = 0; c < 3; c++) {
    int needed = c == 0 || matrix->components == 9;
    if (needed && (!x.component[c] || !y.component[c] || x.precision != CW_DOUBLE ||
                   y.precision != CW_DOUBLE))
      return cw_fail(context, CW_ERROR_ARGUMENT,
                     "massmatrix: the product lacks component %d of x or y in double", c);
    from[c] = x.component[c];
    to[c] = y.component[c];
  }
  if (matrix->work)
    return cw_mm_product_cuda(matrix, from, to);
  const cw_mm_ops *ops = CW_ISA_SELECT(cw_mm_ops_table, cw_context_isa(context));
  cw_mm_row_function *product = ops->product[matrix->precision];
  int32_t rows = matrix->high[1] - matrix->low[1] + 1;
  int64_t all = (int64_t)rows * (matrix->high[2] - matrix->low[2] + 1);
#pragma omp parallel for num_threads(cw_context_threads(context)) schedule(static)
  for (int64_t r = 0; r < all; r++)
    product(matrix, from, to, matrix->low[1] + (int32_t)(r % rows),
            matrix->low[2] + (int32_t)(r / rows));
  return CW_OK;
}

/* 1 and the neighbour g + d of node g when it exists; periodic images are not wrapped. */
static int neighbour(const cw_massmatrix *matrix, const int32_t g[3], const int d[3],
                     int32_t other[3]) {
  for (int a = 0; a < 3; a++) {
    other[a] = g[a] + d[a];
    int open = a >= matrix->grid.dim || !matrix->options.periodic[a];
    if (open && (other[a] < matrix->low[a] || other[a] > matrix->high[a]))
      return 0;
  }
  return 1;
}

/* M_{g, g + d} of one component; g + d exists. */
static double value_at(const cw_massmatrix *matrix, int component, const int32_t g[3],
                       const int d[3]) {
  int64_t entry = 0, at[3];
  for (int a = 2; a >= 0; a--) {
    at[a] = g[a] + (d[a] < 0 ? d[a] : 0);
    if (a < matrix->grid.dim)
      entry = entry * (matrix->options.order + 1) + (d[a] < 0 ? -d[a] : d[a]);
  }
  int64_t array = entry * matrix->components + component;
  return cw_real_get(matrix->values, matrix->precision,
                     array * matrix->grid.points +
                         cw_grid_index(&matrix->grid, at[0], at[1], at[2]));
}

static void node_of(const cw_massmatrix *matrix, int64_t k, int32_t g[3]) {
  for (int a = 0; a < 3; a++) {
    int32_t count = matrix->high[a] - matrix->low[a] + 1;
    g[a] = matrix->low[a] + (int32_t)(k % count);
    k /= count;
  }
}

/* The number of node g, brought back into the box along periodic axes. */
static int64_t number_of(const cw_massmatrix *matrix, const int32_t g[3]) {
  int64_t number = 0;
  for (int a = 2; a >= 0; a--) {
    int32_t count = matrix->high[a] - matrix->low[a] + 1, place = (g[a] - matrix->low[a]) % count;
    number = number * count + (place < 0 ? place + count : place);
  }
  return number;
}

/* The displacement of number k of all (2n + 1)^dim. */
static void displacement(const cw_massmatrix *matrix, int k, int d[3]) {
  int width = 2 * matrix->options.order + 1;
  for (int a = 0; a < 3; a++) {
    d[a] = a < matrix->grid.dim ? k % width - matrix->options.order : 0;
    k /= width;
  }
}

cw_status cw_massmatrix_row_sums(const cw_massmatrix *matrix, int component, double *sums) {
  CW_TRY(check_component(matrix, component));
  if (matrix->work)
    return cw_mm_row_sums_cuda(matrix, component, sums);
  int64_t nodes = cw_massmatrix_nodes(matrix);
  int all = 2 * cw_massmatrix_canonical_count(matrix) - 1;
#pragma omp parallel for num_threads(cw_context_threads(matrix->context)) schedule(static)
  for (int64_t k = 0; k < nodes; k++) {
    int32_t g[3], other[3];
    int d[3];
    double sum = 0;
    node_of(matrix, k, g);
    for (int m = 0; m < all; m++) {
      displacement(matrix, m, d);
      if (neighbour(matrix, g, d, other))
        sum += value_at(matrix, component, g, d);
    }
    sums[cw_grid_index(&matrix->grid, g[0], g[1], g[2])] = sum;
  }
  return CW_OK;
}

static void fill_dense(const cw_massmatrix *matrix, double *dense, int64_t order) {
  int64_t nodes = cw_massmatrix_nodes(matrix);
  int wide = matrix->components == 9 ? 3 : 1, all = 2 * cw_massmatrix_canonical_count(matrix) - 1;
  memset(dense, 0, (size_t)(order * order) * sizeof *dense);
  for (int64_t k = 0; k < nodes; k++)
    for (int m = 0; m < all; m++) {
      int32_t g[3], other[3];
      int d[3];
      node_of(matrix, k, g);
      displacement(matrix, m, d);
      if (!neighbour(matrix, g, d, other))
        continue;
      int64_t column = number_of(matrix, other);
      for (int c = 0; c < matrix->components; c++)
        dense[(wide * k + c / 3) * order + wide * column + c % 3] += value_at(matrix, c, g, d);
    }
}

cw_status cw_massmatrix_dense(const cw_massmatrix *matrix, double *dense) {
  cw_context *context = matrix->context;
  CW_TRY(check_finished(matrix));
  int64_t order = (matrix->components == 9 ? 3 : 1) * cw_massmatrix_nodes(matrix);
  if (order > MAX_DENSE)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "massmatrix: a dense matrix of order %lld; expected at most %d",
                   (long long)order, MAX_DENSE);
  if (!matrix->work) {
    fill_dense(matrix, dense, order);
    return CW_OK;
  }
  cw_massmatrix copy = *matrix;
  size_t values =
             (size_t)matrix->entries * (size_t)matrix->components * (size_t)matrix->grid.points,
         size = (size_t)cw_precision_size(matrix->precision);
  CW_TRY(
      cw_memory_alloc(context, CW_SPACE_HOST, values, size, "copy of a mass matrix", &copy.values));
  cw_status status = cw_device_read(context, copy.values, matrix->values, values * size);
  if (status == CW_OK)
    fill_dense(&copy, dense, order);
  CW_DELETE(context, copy.values);
  return status;
}

cw_status cw_massmatrix_canonical(const cw_massmatrix *matrix, int k, int component,
                                  double *array) {
  int d[3];
  CW_TRY(cw_massmatrix_canonical_offset(matrix, k, d));
  CW_TRY(check_component(matrix, component));
  if (matrix->work)
    return cw_mm_canonical_cuda(matrix, d, component, array);
  int64_t nodes = cw_massmatrix_nodes(matrix);
#pragma omp parallel for num_threads(cw_context_threads(matrix->context)) schedule(static)
  for (int64_t n = 0; n < nodes; n++) {
    int32_t g[3], other[3];
    node_of(matrix, n, g);
    array[cw_grid_index(&matrix->grid, g[0], g[1], g[2])] =
        neighbour(matrix, g, d, other) ? value_at(matrix, component, g, d) : 0;
  }
  return CW_OK;
}
