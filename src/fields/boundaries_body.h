/* Line operations along one axis, for one precision (base/real.h). */
#include "fields/line_body.h"

/* Every line along `axis`, ghost lines too. Along axis 0 an operation takes one value of a row;
 * along the others it takes rows. */
static void CW_REAL_NAME(apply_ops)(const cw_grid *grid, int threads, int axis,
                                    const cw_line_ops *ops, cw_real *array) {
  int other = axis == 2 ? 1 : 2;
  int64_t units = axis == 0 ? (int64_t)grid->size[1] * grid->size[2] : grid->size[other];
  int64_t unit_step = axis == 0 ? grid->size[0] : grid->stride[other];
  int32_t width = axis == 0 ? 1 : grid->size[0];
  int64_t stride = grid->stride[axis], ghost = grid->ghost;
#pragma omp parallel for num_threads(threads) if (grid->points > CW_FIELDS_PARALLEL_POINTS)        \
    schedule(static)
  for (int64_t unit = 0; unit < units; unit++) {
    cw_real *line = array + unit * unit_step;
    for (int k = 0; k < ops->count; k++) {
      const cw_line_op *op = &ops->op[k];
      CW_REAL_NAME(apply)
      (op, line + (op->to + ghost) * stride, line + (op->from + ghost) * stride, width);
    }
  }
}
