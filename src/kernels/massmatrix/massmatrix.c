/* The matrix as an object: storage, checks of the options, ghost cells, offsets of the stencil. */
#include <string.h>

#include "comm/comm.h"
#include "kernels/massmatrix/massmatrix_private.h"

const char *cw_massmatrix_method_name(cw_massmatrix_method method) {
  static const char *const names[] = {"auto", "naive", "sorted", "moment", "pairs", "reference"};
  return (unsigned)method < sizeof names / sizeof *names ? names[method] : "unknown";
}

static cw_status check_options(cw_context *context, const cw_grid *grid,
                               const cw_massmatrix_options *options) {
  if (options->order < 1 || options->order > CW_MASSMATRIX_MAX_ORDER)
    return cw_fail(context, CW_ERROR_ARGUMENT, "massmatrix: shape order is %d; expected 1 to %d",
                   options->order, CW_MASSMATRIX_MAX_ORDER);
  if ((unsigned)options->kind > CW_MASSMATRIX_TENSOR)
    return cw_fail(context, CW_ERROR_ARGUMENT, "massmatrix: unknown kind %d", (int)options->kind);
  if ((unsigned)options->method > CW_MASSMATRIX_REFERENCE)
    return cw_fail(context, CW_ERROR_ARGUMENT, "massmatrix: unknown method %d",
                   (int)options->method);
  if ((unsigned)options->format > CW_MASSMATRIX_TF32X3)
    return cw_fail(context, CW_ERROR_ARGUMENT, "massmatrix: unknown format %d",
                   (int)options->format);
  if (grid->ghost < options->order)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "massmatrix: the grid has %d ghost cells; order %d needs %d at least",
                   (int)grid->ghost, options->order, options->order);
  if (options->space != CW_SPACE_HOST)
    return cw_fail(context, CW_ERROR_UNSUPPORTED, "massmatrix: device memory is not supported");
  if (options->format != CW_MASSMATRIX_FP64 && options->format != CW_MASSMATRIX_FP32)
    return cw_fail(context, CW_ERROR_UNSUPPORTED,
                   "massmatrix: the CPU has the formats FP64 and FP32 only");
  if (options->method == CW_MASSMATRIX_REFERENCE && options->format != CW_MASSMATRIX_FP64)
    return cw_fail(context, CW_ERROR_UNSUPPORTED, "massmatrix: method reference is FP64 only");
  int by_cell = options->method == CW_MASSMATRIX_SORTED ||
                options->method == CW_MASSMATRIX_MOMENT || options->method == CW_MASSMATRIX_PAIRS;
  if (by_cell && options->order > CW_MM_FAST_ORDERS)
    return cw_fail(context, CW_ERROR_UNSUPPORTED,
                   "massmatrix: method %s has orders 1 and 2, not %d; use naive or auto",
                   cw_massmatrix_method_name(options->method), options->order);
  return CW_OK;
}

static void choose_method(cw_massmatrix_options *options) {
  if (options->method == CW_MASSMATRIX_AUTO)
    options->method =
        options->order <= CW_MM_FAST_ORDERS ? CW_MASSMATRIX_MOMENT : CW_MASSMATRIX_NAIVE;
}

cw_status cw_massmatrix_create(cw_context *context, const cw_grid *grid,
                               const cw_massmatrix_options *options, cw_massmatrix **matrix) {
  *matrix = NULL;
  CW_TRY(check_options(context, grid, options));
  cw_massmatrix *made;
  CW_TRY(CW_NEW(context, 1, "mass matrix", &made));
  made->context = context;
  made->grid = *grid;
  made->options = *options;
  choose_method(&made->options);
  made->components = options->kind == CW_MASSMATRIX_TENSOR ? 9 : 1;
  made->entries = 1;
  made->precision = options->format == CW_MASSMATRIX_FP64 ? CW_DOUBLE : CW_SINGLE;
  for (int a = 0; a < grid->dim; a++) {
    int reach = options->order / 2;
    made->entries *= options->order + 1;
    made->low[a] = options->periodic[a] ? 0 : -reach;
    made->high[a] = options->periodic[a] ? grid->cells[a] - 1 : grid->cells[a] + reach;
  }
  size_t arrays = (size_t)made->entries * (size_t)made->components;
  cw_status status = cw_memory_alloc(context, CW_SPACE_HOST, arrays * (size_t)grid->points,
                                     (size_t)cw_precision_size(made->precision),
                                     "entries of the mass matrix", &made->values);
  if (status != CW_OK) {
    CW_DELETE(context, made);
    return status;
  }
  *matrix = made;
  return CW_OK;
}

void cw_massmatrix_destroy(cw_massmatrix *matrix) {
  if (!matrix)
    return;
  cw_context *context = matrix->context;
  CW_DELETE(context, matrix->values);
  CW_DELETE(context, matrix);
}

void cw_massmatrix_clear(cw_massmatrix *matrix) {
  int64_t arrays = (int64_t)matrix->entries * matrix->components;
  size_t size = (size_t)matrix->grid.points * (size_t)cw_precision_size(matrix->precision);
#pragma omp parallel for num_threads(cw_context_threads(matrix->context)) schedule(static)
  for (int64_t k = 0; k < arrays; k++)
    memset((char *)matrix->values + (size_t)k * size, 0, size);
  matrix->finished = 0;
}

cw_massmatrix_view cw_massmatrix_get_view(const cw_massmatrix *matrix) {
  return (cw_massmatrix_view){.dim = matrix->grid.dim,
                              .order = matrix->options.order,
                              .entries = matrix->entries,
                              .components = matrix->components,
                              .precision = matrix->precision,
                              .space = matrix->options.space,
                              .points = matrix->grid.points,
                              .values = matrix->values};
}

/* Folds and fills one array along the periodic axes. */
static cw_status exchange(const cw_massmatrix *matrix, cw_precision precision, void *array,
                          int fold, int fill) {
  for (int a = 0; fold && a < matrix->grid.dim; a++)
    if (matrix->options.periodic[a])
      CW_TRY(cw_comm_fold_ghosts(matrix->context, &matrix->grid, precision, array, a));
  for (int a = 0; fill && a < matrix->grid.dim; a++)
    if (matrix->options.periodic[a])
      CW_TRY(cw_comm_fill_ghosts(matrix->context, &matrix->grid, precision, array, a));
  return CW_OK;
}

cw_status cw_massmatrix_fold_ghosts(const cw_massmatrix *matrix, double *array) {
  return exchange(matrix, CW_DOUBLE, array, 1, 0);
}

cw_status cw_massmatrix_fill_ghosts(const cw_massmatrix *matrix, double *array) {
  return exchange(matrix, CW_DOUBLE, array, 0, 1);
}

cw_status cw_massmatrix_finish(cw_massmatrix *matrix) {
  if (matrix->finished)
    return CW_OK;
  int64_t arrays = (int64_t)matrix->entries * matrix->components;
  size_t size = (size_t)matrix->grid.points * (size_t)cw_precision_size(matrix->precision);
  for (int64_t k = 0; k < arrays; k++)
    CW_TRY(exchange(matrix, matrix->precision, (char *)matrix->values + (size_t)k * size, 1, 1));
  matrix->finished = 1;
  return CW_OK;
}

int64_t cw_massmatrix_nodes(const cw_massmatrix *matrix) {
  int64_t nodes = 1;
  for (int a = 0; a < 3; a++)
    nodes *= matrix->high[a] - matrix->low[a] + 1;
  return nodes;
}

int cw_massmatrix_canonical_count(const cw_massmatrix *matrix) {
  int full = 1;
  for (int a = 0; a < matrix->grid.dim; a++)
    full *= 2 * matrix->options.order + 1;
  return (full + 1) / 2;
}

cw_status cw_massmatrix_canonical_offset(const cw_massmatrix *matrix, int k, int d[3]) {
  int count = cw_massmatrix_canonical_count(matrix), n = matrix->options.order;
  if (k < 0 || k >= count)
    return cw_fail(matrix->context, CW_ERROR_ARGUMENT,
                   "massmatrix: stencil entry %d; expected 0 to %d", k, count - 1);
  int rest = count - 1 + k; /* the second half of all displacements, axis 0 fastest */
  for (int a = 0; a < 3; a++) {
    d[a] = a < matrix->grid.dim ? rest % (2 * n + 1) - n : 0;
    rest /= 2 * n + 1;
  }
  return CW_OK;
}
