/* One process: a reduction is the identity, and the image of every ghost cell is in the block. */
#include "comm/comm.h"

#include <string.h>

#include "base/context_private.h"
#include "comm/comm_device.h"
#include "comm/image_body.h"

enum { PARALLEL_POINTS = 32768 }; /* smaller arrays are not worth waking threads for */

#define CW_REAL_IS_DOUBLE 0
#include "base/real.h"
#include "comm/comm_single_body.h"
#undef CW_REAL_IS_DOUBLE
#define CW_REAL_IS_DOUBLE 1
#include "base/real.h"
#include "comm/comm_single_body.h"

int cw_comm_rank(void) {
  return 0;
}
int cw_comm_size(void) {
  return 1;
}

cw_status cw_comm_reduce(cw_context *context, double *values, int count, cw_comm_op op) {
  if (count < 0 || (count > 0 && !values))
    return cw_fail(context, CW_ERROR_ARGUMENT, "reduce: %d values at %p", count, (void *)values);
  if (op != CW_COMM_SUM && op != CW_COMM_MAX && op != CW_COMM_MIN)
    return cw_fail(context, CW_ERROR_ARGUMENT, "reduce: operation is %d; expected a cw_comm_op",
                   (int)op);
  return CW_OK;
}

static cw_status exchange(cw_context *context, cw_space space, const cw_grid *grid,
                          cw_precision precision, void *array, int64_t arrays, int axis, int fold) {
  if (axis < 0 || axis >= grid->dim)
    return cw_fail(context, CW_ERROR_ARGUMENT, "ghost cells: axis is %d; expected 0 to %d", axis,
                   grid->dim - 1);
  if (!array)
    return cw_fail(context, CW_ERROR_ARGUMENT, "ghost cells: the array is NULL");
  if (space != CW_SPACE_HOST)
    return cw_comm_exchange_device(context, grid, precision, array, arrays, axis, fold);
  int threads = cw_context_threads(context);
  for (int64_t k = 0; k < arrays; k++)
    if (precision == CW_DOUBLE)
      exchange_f64(grid, threads, (double *)array + k * grid->points, axis, fold);
    else
      exchange_f32(grid, threads, (float *)array + k * grid->points, axis, fold);
  return CW_OK;
}

cw_status cw_comm_fill_ghosts_in(cw_context *context, cw_space space, const cw_grid *grid,
                                 cw_precision precision, void *array, int axis) {
  return exchange(context, space, grid, precision, array, 1, axis, 0);
}

cw_status cw_comm_fold_ghosts_in(cw_context *context, cw_space space, const cw_grid *grid,
                                 cw_precision precision, void *array, int axis) {
  return exchange(context, space, grid, precision, array, 1, axis, 1);
}

cw_status cw_comm_fill_ghosts(cw_context *context, const cw_grid *grid, cw_precision precision,
                              void *array, int axis) {
  return exchange(context, CW_SPACE_HOST, grid, precision, array, 1, axis, 0);
}

cw_status cw_comm_fold_ghosts(cw_context *context, const cw_grid *grid, cw_precision precision,
                              void *array, int axis) {
  return exchange(context, CW_SPACE_HOST, grid, precision, array, 1, axis, 1);
}

cw_status cw_comm_fill_arrays(cw_context *context, cw_space space, const cw_grid *grid,
                              cw_precision precision, void *array, int64_t arrays, int axis) {
  return exchange(context, space, grid, precision, array, arrays, axis, 0);
}

cw_status cw_comm_fold_arrays(cw_context *context, cw_space space, const cw_grid *grid,
                              cw_precision precision, void *array, int64_t arrays, int axis) {
  return exchange(context, space, grid, precision, array, arrays, axis, 1);
}
