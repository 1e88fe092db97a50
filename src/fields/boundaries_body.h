/* Line operations along one axis, for one precision (base/real.h). */

static inline void CW_REAL_NAME(apply)(const line_op *op, cw_real *to, cw_real *from, int32_t n) {
  const cw_real factor = (cw_real)op->factor;
  switch (op->action) {
  case LINE_SET:
    for (int32_t i = 0; i < n; i++)
      to[i] = factor * from[i];
    break;
  case LINE_MOVE:
    for (int32_t i = 0; i < n; i++) {
      to[i] += factor * from[i];
      from[i] = 0;
    }
    break;
  case LINE_SCALE:
    for (int32_t i = 0; i < n; i++)
      to[i] *= factor;
    break;
  case LINE_ZERO:
    for (int32_t i = 0; i < n; i++)
      to[i] = 0;
    break;
  }
}

/* Every line along `axis`, ghost lines too. Along axis 0 an operation takes one value of a row;
 * along the others it takes rows. */
static void CW_REAL_NAME(apply_ops)(const cw_grid *grid, int threads, int axis, const line_ops *ops,
                                    cw_real *array) {
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
      const line_op *op = &ops->op[k];
      CW_REAL_NAME(apply)
      (op, line + (op->to + ghost) * stride, line + (op->from + ghost) * stride, width);
    }
  }
}
