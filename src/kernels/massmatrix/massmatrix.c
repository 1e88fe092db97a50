/* The matrix as an object: storage, checks of the options, ghost cells, offsets of the stencil. */
#include <stdio.h>
#include <string.h>

#include "base/amx.h"
#include "base/device.h"
#include "comm/comm.h"
#include "kernels/massmatrix/massmatrix_cuda.h"
#include "kernels/massmatrix/massmatrix_private.h"

const char *cw_massmatrix_method_name(cw_massmatrix_method method) {
  static const char *const names[] = {"auto",  "naive",     "sorted",    "moment",
                                      "pairs", "reference", "moment_fma"};
  return (unsigned)method < sizeof names / sizeof *names ? names[method] : "unknown";
}

static const char *format_name(cw_massmatrix_format format) {
  static const char *const names[] = {"FP64", "FP32", "TF32", "3xTF32", "6xBF16"};
  return names[format];
}

/* What AUTO stands for. */
static cw_massmatrix_method choose_method(const cw_massmatrix_options *options) {
  if (options->method != CW_MASSMATRIX_AUTO)
    return options->method;
  return options->order <= CW_MM_FAST_ORDERS ? CW_MASSMATRIX_MOMENT : CW_MASSMATRIX_NAIVE;
}

/* Which methods have which formats, as bits 1 << format, on the host and on a device. */
static cw_status check_format(cw_context *context, const cw_massmatrix_options *options) {
  enum { FP64 = 1, FP32 = 2, TF32 = 12, ALL = 15, BF16X6 = 16 };
  static const unsigned formats[2][CW_MASSMATRIX_MOMENT_FMA + 1] = {
      {0, FP64 | FP32, FP64 | FP32, FP64 | FP32 | BF16X6, FP64 | FP32, FP64, FP64 | FP32},
      {0, FP64 | FP32, FP64 | FP32, ALL, FP64 | TF32, 0, FP64 | FP32}};
  const int on_device = options->space != CW_SPACE_HOST;
  const cw_massmatrix_method method = choose_method(options);
  if (formats[on_device][method] >> options->format & 1)
    return CW_OK;
  char has[64] = "";
  for (int f = 0; f <= CW_MASSMATRIX_BF16X6; f++)
    if (formats[on_device][method] >> f & 1)
      snprintf(has + strlen(has), sizeof has - strlen(has), "%s%s", *has ? ", " : "",
               format_name((cw_massmatrix_format)f));
  return cw_fail(context, CW_ERROR_UNSUPPORTED,
                 "massmatrix: method %s has no format %s on %s; expected %s",
                 cw_massmatrix_method_name(method), format_name(options->format),
                 on_device ? "a device" : "the CPU", *has ? has : "another method");
}

static cw_status check_options(cw_context *context, const cw_grid *grid,
                               const cw_massmatrix_options *options) {
  if (options->order < 1 || options->order > CW_MASSMATRIX_MAX_ORDER)
    return cw_fail(context, CW_ERROR_ARGUMENT, "massmatrix: shape order is %d; expected 1 to %d",
                   options->order, CW_MASSMATRIX_MAX_ORDER);
  if ((unsigned)options->kind > CW_MASSMATRIX_TENSOR)
    return cw_fail(context, CW_ERROR_ARGUMENT, "massmatrix: unknown kind %d", (int)options->kind);
  if ((unsigned)options->method > CW_MASSMATRIX_MOMENT_FMA)
    return cw_fail(context, CW_ERROR_ARGUMENT, "massmatrix: unknown method %d",
                   (int)options->method);
  if ((unsigned)options->format > CW_MASSMATRIX_BF16X6)
    return cw_fail(context, CW_ERROR_ARGUMENT, "massmatrix: unknown format %d",
                   (int)options->format);
  if (grid->ghost < options->order)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "massmatrix: the grid has %d ghost cells; order %d needs %d at least",
                   (int)grid->ghost, options->order, options->order);
  CW_TRY(check_format(context, options));
  int by_cell = options->method == CW_MASSMATRIX_SORTED ||
                options->method == CW_MASSMATRIX_MOMENT || options->method == CW_MASSMATRIX_PAIRS ||
                options->method == CW_MASSMATRIX_MOMENT_FMA;
  if (by_cell && options->order > CW_MM_FAST_ORDERS)
    return cw_fail(context, CW_ERROR_UNSUPPORTED,
                   "massmatrix: method %s has orders 1 and 2, not %d; use naive or auto",
                   cw_massmatrix_method_name(options->method), options->order);
  const char *missing = options->format == CW_MASSMATRIX_BF16X6 ? cw_amx_missing(context) : NULL;
  if (missing)
    return cw_fail(context, CW_ERROR_UNSUPPORTED,
                   "massmatrix: format %s needs the matrix unit AMX: %s",
                   format_name(options->format), missing);
  return CW_OK;
}

/* On a CPU with AMX, for sums in FP32 whose form is not prescribed: where tiles were measured ahead at
 * any number of particles a cell (README.md). */
static int takes_tiles(const cw_context *context, const cw_grid *grid,
                       const cw_massmatrix_options *options) {
  return options->format == CW_MASSMATRIX_BF16X6 ||
         (options->format == CW_MASSMATRIX_FP32 && options->method == CW_MASSMATRIX_AUTO &&
          options->space == CW_SPACE_HOST && options->order == 2 && grid->dim == 3 &&
          !cw_amx_missing(context));
}

static cw_status create_work(cw_massmatrix *matrix) {
  CW_TRY(CW_NEW(matrix->context, 1, "mass matrix on a device", &matrix->work));
  matrix->work->fresh = 1;
  return cw_mm_work_create_cuda(matrix->context, matrix->work);
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
  made->options.method = choose_method(options);
  made->amx = takes_tiles(context, grid, options);
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
  cw_status status = cw_memory_alloc(context, options->space, arrays * (size_t)grid->points,
                                     (size_t)cw_precision_size(made->precision),
                                     "entries of the mass matrix", &made->values);
  if (status == CW_OK && options->space != CW_SPACE_HOST)
    status = create_work(made);
  if (status != CW_OK) {
    cw_massmatrix_destroy(made);
    return status;
  }
  *matrix = made;
  return CW_OK;
}

void cw_massmatrix_destroy(cw_massmatrix *matrix) {
  if (!matrix)
    return;
  cw_context *context = matrix->context;
  if (matrix->work)
    cw_mm_work_destroy_cuda(context, matrix->work);
  CW_DELETE(context, matrix->work);
  cw_memory_free(context, matrix->options.space, matrix->values);
  CW_DELETE(context, matrix);
}

void cw_massmatrix_clear(cw_massmatrix *matrix) {
  int64_t arrays = (int64_t)matrix->entries * matrix->components;
  size_t size = (size_t)matrix->grid.points * (size_t)cw_precision_size(matrix->precision);
  matrix->finished = 0;
  if (matrix->work) { /* a failure shows at the next call that waits */
    cw_device_zero(matrix->context, matrix->values, (size_t)arrays * size);
    matrix->work->fresh = 1;
    return;
  }
#pragma omp parallel for num_threads(cw_context_threads(matrix->context)) schedule(static)
  for (int64_t k = 0; k < arrays; k++)
    memset((char *)matrix->values + (size_t)k * size, 0, size);
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

/* Folds and fills `arrays` arrays, one behind the other, along the periodic axes. */
static cw_status exchange(const cw_massmatrix *matrix, cw_precision precision, void *array,
                          int64_t arrays, int fold, int fill) {
  cw_context *context = matrix->context;
  const cw_space space = matrix->options.space;
  for (int a = 0; fold && a < matrix->grid.dim; a++)
    if (matrix->options.periodic[a])
      CW_TRY(cw_comm_fold_arrays(context, space, &matrix->grid, precision, array, arrays, a));
  for (int a = 0; fill && a < matrix->grid.dim; a++)
    if (matrix->options.periodic[a])
      CW_TRY(cw_comm_fill_arrays(context, space, &matrix->grid, precision, array, arrays, a));
  return CW_OK;
}

cw_status cw_massmatrix_fold_ghosts(const cw_massmatrix *matrix, double *array) {
  return exchange(matrix, CW_DOUBLE, array, 1, 1, 0);
}

cw_status cw_massmatrix_fill_ghosts(const cw_massmatrix *matrix, double *array) {
  return exchange(matrix, CW_DOUBLE, array, 1, 0, 1);
}

cw_status cw_massmatrix_finish(cw_massmatrix *matrix) {
  if (matrix->finished)
    return CW_OK;
  int64_t arrays = (int64_t)matrix->entries * matrix->components;
  CW_TRY(exchange(matrix, matrix->precision, matrix->values, arrays, 1, 1));
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
