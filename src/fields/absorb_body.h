/* Damping of one array in a layer across one axis, for one precision (base/real.h). Values `first`
 * to `last` along the axis are multiplied by factor[0 ...]; all interior lines. */
static void CW_REAL_NAME(damp)(const cw_fields *fields, int axis, int32_t first, int32_t last,
                               const double *factor, cw_real *array) {
  const cw_grid *grid = &fields->grid;
  int32_t lower[3] = {0}, upper[3];
  for (int a = 0; a < 3; a++)
    upper[a] = grid->cells[a] - 1;
  lower[axis] = first;
  upper[axis] = last;
  int64_t ny = upper[1] - lower[1] + 1, rows = ny * (upper[2] - lower[2] + 1);
#pragma omp parallel for num_threads(cw_context_threads(                                           \
    fields->context)) if (grid->points > CW_FIELDS_PARALLEL_POINTS) schedule(static)
  for (int64_t r = 0; r < rows; r++) {
    int64_t j = lower[1] + r % ny, k = lower[2] + r / ny;
    cw_real *row = array + cw_grid_index(grid, lower[0], j, k);
    int32_t count = upper[0] - lower[0] + 1;
    if (axis == 0) {
      for (int32_t i = 0; i < count; i++)
        row[i] *= (cw_real)factor[i];
    } else {
      cw_real one = (cw_real)factor[(axis == 1 ? j : k) - first];
      for (int32_t i = 0; i < count; i++)
        row[i] *= one;
    }
  }
}
