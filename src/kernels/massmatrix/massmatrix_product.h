/* y = M x at the nodes of one row: y_g = sum over d of array(|d|)[g + min(d, 0)] x_{g + d}. */

/* A displacement's part along axes 1 and 2. */
typedef struct CW_REAL_NAME(cw_mm_line) {
  const cw_real *entry; /* component 0, d[0] = 0, at node 0 of the row */
  int64_t x;            /* index of x's node 0 */
} CW_REAL_NAME(cw_mm_line);

/* The lines that exist for row (n1, n2); returns how many. */
static int CW_REAL_NAME(cw_mm_list_lines)(const cw_massmatrix *matrix, int32_t n1, int32_t n2,
                                          CW_REAL_NAME(cw_mm_line) * lines) {
  const cw_grid *grid = &matrix->grid;
  const int n = matrix->options.order, reach1 = grid->dim > 1 ? n : 0;
  const int reach2 = grid->dim > 2 ? n : 0;
  int count = 0;
  for (int d2 = -reach2; d2 <= reach2; d2++)
    for (int d1 = -reach1; d1 <= reach1; d1++) {
      const int open1 = !matrix->options.periodic[1], open2 = !matrix->options.periodic[2];
      if (open1 && (n1 + d1 < matrix->low[1] || n1 + d1 > matrix->high[1]))
        continue;
      if (open2 && (n2 + d2 < matrix->low[2] || n2 + d2 > matrix->high[2]))
        continue;
      const int64_t entry = (d1 < 0 ? -d1 : d1) + (n + 1) * (d2 < 0 ? -d2 : d2);
      lines[count++] = (CW_REAL_NAME(cw_mm_line)){
          .entry = (const cw_real *)matrix->values +
                   entry * (n + 1) * matrix->components * grid->points +
                   cw_grid_index(grid, 0, n1 + (d1 < 0 ? d1 : 0), n2 + (d2 < 0 ? d2 : 0)),
          .x = cw_grid_index(grid, 0, n1 + d1, n2 + d2)};
    }
  return count;
}

/* A vector of nodes from g on, all of whose neighbours exist. */
CW_BODY void CW_REAL_NAME(cw_mm_product_vector)(int wide, const cw_massmatrix *matrix,
                                                const CW_REAL_NAME(cw_mm_line) * lines, int count,
                                                int32_t g, const double *const x[3],
                                                double *const y[3], int64_t row) {
  const int n = matrix->options.order;
  const int64_t points = matrix->grid.points, step = points * matrix->components;
  cw_nodes sum[3] = {{0}, {0}, {0}};
  for (int l = 0; l < count; l++)
    for (int d = -n; d <= n; d++) {
      const cw_real *entry = lines[l].entry + (d < 0 ? -d : d) * step + (d < 0 ? d : 0) + g;
      cw_nodes value[3];
      for (int j = 0; j < wide; j++)
        memcpy(&value[j], x[j] + lines[l].x + g + d, sizeof *value);
      for (int i = 0; i < wide; i++)
        for (int j = 0; j < wide; j++) {
          CW_REAL_NAME(cw_mm_entries) m;
          memcpy(&m, entry + (wide * i + j) * points, sizeof m);
          sum[i] += __builtin_convertvector(m, cw_nodes) * value[j];
        }
    }
  for (int i = 0; i < wide; i++)
    memcpy(y[i] + row + g, &sum[i], sizeof *sum);
}

/* One node; neighbours beyond the ends of an open axis do not exist. */
static void CW_REAL_NAME(cw_mm_product_node)(int wide, const cw_massmatrix *matrix,
                                             const CW_REAL_NAME(cw_mm_line) * lines, int count,
                                             int32_t g, const double *const x[3],
                                             double *const y[3], int64_t row) {
  const int n = matrix->options.order, open = !matrix->options.periodic[0];
  const int64_t points = matrix->grid.points, step = points * matrix->components;
  double sum[3] = {0, 0, 0};
  for (int l = 0; l < count; l++)
    for (int d = -n; d <= n; d++) {
      if (open && (g + d < matrix->low[0] || g + d > matrix->high[0]))
        continue;
      const cw_real *entry = lines[l].entry + (d < 0 ? -d : d) * step + (d < 0 ? d : 0) + g;
      for (int i = 0; i < wide; i++)
        for (int j = 0; j < wide; j++)
          sum[i] += (double)entry[(wide * i + j) * points] * x[j][lines[l].x + g + d];
    }
  for (int i = 0; i < wide; i++)
    y[i][row + g] = sum[i];
}

static void CW_REAL_NAME(cw_mm_product_row)(const cw_massmatrix *matrix, const double *const x[3],
                                            double *const y[3], int32_t n1, int32_t n2) {
  CW_REAL_NAME(cw_mm_line)
  lines[(2 * CW_MASSMATRIX_MAX_ORDER + 1) * (2 * CW_MASSMATRIX_MAX_ORDER + 1)];
  const int count = CW_REAL_NAME(cw_mm_list_lines)(matrix, n1, n2, lines);
  const int64_t row = cw_grid_index(&matrix->grid, 0, n1, n2);
  const int32_t margin = matrix->options.periodic[0] ? 0 : matrix->options.order;
  int32_t g = matrix->low[0];
  while (g <= matrix->high[0]) {
    const int whole = g >= matrix->low[0] + margin && g + NODES - 1 <= matrix->high[0] - margin;
    if (whole && matrix->components == 9)
      CW_REAL_NAME(cw_mm_product_vector)(3, matrix, lines, count, g, x, y, row);
    else if (whole)
      CW_REAL_NAME(cw_mm_product_vector)(1, matrix, lines, count, g, x, y, row);
    else
      CW_REAL_NAME(cw_mm_product_node)
    (matrix->components == 9 ? 3 : 1, matrix, lines, count, g, x, y, row);
    g += whole ? NODES : 1;
  }
}
