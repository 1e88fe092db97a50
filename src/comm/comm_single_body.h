/* Ghost cells along one periodic axis, for one precision (base/real.h). A `unit` is what one thread
 * treats alone: a row along axis 0, or all rows along axis 1 or 2 with the third index fixed. */

static void CW_REAL_NAME(fill_row)(const cw_grid *grid, cw_real *row) {
  int32_t n = grid->cells[0], ghost = grid->ghost;
  for (int32_t i = -ghost; i < 0; i++)
    row[i] = row[cw_comm_image(i, n)];
  for (int32_t i = n; i < n + ghost; i++)
    row[i] = row[cw_comm_image(i, n)];
}

static void CW_REAL_NAME(fold_row)(const cw_grid *grid, cw_real *row) {
  int32_t n = grid->cells[0], ghost = grid->ghost;
  for (int32_t i = -ghost; i < 0; i++)
    row[cw_comm_image(i, n)] += row[i], row[i] = 0;
  for (int32_t i = n; i < n + ghost; i++)
    row[cw_comm_image(i, n)] += row[i], row[i] = 0;
}

static void CW_REAL_NAME(add_row)(int32_t size, cw_real *restrict to, cw_real *restrict from) {
  for (int32_t i = 0; i < size; i++)
    to[i] += from[i], from[i] = 0;
}

/* Rows along `axis` (1 or 2): `first` is the start of the row of interior index 0. */
static void CW_REAL_NAME(exchange_rows)(const cw_grid *grid, cw_real *first, int axis, int fold) {
  int32_t n = grid->cells[axis], ghost = grid->ghost, size = grid->size[0];
  int64_t stride = grid->stride[axis];
  for (int32_t i = -ghost; i < n + ghost; i++) {
    if (i == 0)
      i = n;
    cw_real *outside = first + i * stride, *inside = first + cw_comm_image(i, n) * stride;
    if (fold)
      CW_REAL_NAME(add_row)(size, inside, outside);
    else
      memcpy(outside, inside, (size_t)size * sizeof *inside);
  }
}

static void CW_REAL_NAME(exchange)(const cw_grid *grid, int threads, cw_real *array, int axis,
                                   int fold) {
  int other = axis == 2 ? 1 : 2; /* the axis, besides 0, that units are counted along */
  int64_t units = axis == 0 ? (int64_t)grid->size[1] * grid->size[2] : grid->size[other];
  int64_t step = axis == 0 ? grid->size[0] : grid->stride[other];
  int64_t start = grid->ghost * grid->stride[axis];
#pragma omp parallel for num_threads(threads) if (grid->points > PARALLEL_POINTS) schedule(static)
  for (int64_t unit = 0; unit < units; unit++) {
    cw_real *first = array + start + unit * step;
    if (axis != 0)
      CW_REAL_NAME(exchange_rows)(grid, first, axis, fold);
    else if (fold)
      CW_REAL_NAME(fold_row)(grid, first);
    else
      CW_REAL_NAME(fill_row)(grid, first);
  }
}
