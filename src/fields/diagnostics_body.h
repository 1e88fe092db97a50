/* Rows of the diagnostics, for one precision (base/real.h); results in double. */

static double CW_REAL_NAME(square_row)(int32_t n, const cw_real *x, const cw_real *y,
                                       const cw_real *z) {
  double sum[3] = {0};
  for (int32_t i = 0; i < n; i++) {
    sum[0] += (double)x[i] * (double)x[i];
    sum[1] += (double)y[i] * (double)y[i];
    sum[2] += (double)z[i] * (double)z[i];
  }
  return sum[0] + sum[1] + sum[2];
}

/* sum over axes of (F_a[i + upper] - F_a[i + upper - 1]) / dx_a, upper being 1 for B (at cell
 * centres) and 0 for E (at nodes). */
static void CW_REAL_NAME(divergence_row)(const cw_grid *grid, void *const component[3], int upper,
                                         int64_t at, double *divergence) {
  for (int32_t i = 0; i < grid->cells[0]; i++)
    divergence[i] = 0;
  for (int a = 0; a < grid->dim; a++) {
    const cw_real *high = (const cw_real *)component[a] + at + upper * grid->stride[a];
    const cw_real *low = high - grid->stride[a];
    double inverse = 1 / grid->dx[a];
    for (int32_t i = 0; i < grid->cells[0]; i++)
      divergence[i] += ((double)high[i] - (double)low[i]) * inverse;
  }
}
