/* The moment form: a bin's sums as one product [K^dim x P][P x columns], K = 2 order + 1.
 *
 * The rows are a slow factor (x, in three dimensions) times a plane of products over the other
 * axes. Planes have 9 or 25 rows (3D), 9 or 25 (2D), 3 or 5 (1D): whole eights of them are summed
 * with the rows in vector lanes and the columns broadcast; what is left over, and all rows of a
 * scalar matrix, with particles in the lanes and one sum over lanes a bin. */

/* Sums rows [begin, begin + ROWS vectors) of the product for `wide` columns from `column` on. */
CW_BODY void CW_REAL_NAME(cw_mm_multiply)(int slow_axis, int eights, int begin, int vectors,
                                          int column, int wide, int columns, int n, int first,
                                          cw_real *block, cw_scratch *s) {
  cw_lane sum[3][EIGHT][CW_MM_COLUMNS], row[3][EIGHT];
  for (int t = 0; t < vectors; t++)
    for (int h = 0; h < EIGHT; h++)
      for (int c = 0; c < wide; c++)
        sum[t][h][c] = (cw_lane){0};
  for (int p = 0; p < n; p++) {
    for (int t = 0; t < vectors; t++)
      for (int h = 0; h < EIGHT; h++) {
        const int w = begin + t, y = w % eights, i = w / eights;
        row[t][h] = CW_MM_LANE(cw_mm_load)(s->plane[p] + ROWS * y + LANES * h);
        if (slow_axis)
          row[t][h] *= s->slow[i][p];
      }
    for (int c = 0; c < wide; c++) {
      const cw_lane value = CW_MM_LANE(cw_mm_splat)(s->column[column + c][p]);
      for (int t = 0; t < vectors; t++)
        for (int h = 0; h < EIGHT; h++)
          sum[t][h][c] += row[t][h] * value;
    }
  }
  for (int t = 0; t < vectors; t++)
    for (int c = 0; c < wide; c++)
      for (int h = 0; h < EIGHT; h++) {
        cw_real *to = block + ((begin + t) * columns + column + c) * ROWS + LANES * h;
        CW_MM_LANE(cw_mm_store)
        (to, first ? sum[t][h][c] : sum[t][h][c] + CW_MM_LANE(cw_mm_load)(to));
      }
}

/* All columns, in groups whose sums fit in the registers. */
CW_BODY void CW_REAL_NAME(cw_mm_multiply_all)(int slow_axis, int eights, int slow, int columns,
                                              int n, int first, cw_real *block, cw_scratch *s) {
  const int rows = slow * eights, vectors = REGISTERS == 32 && rows % 3 == 0 ? 3 : 1;
  const int most = (REGISTERS - vectors * EIGHT - 1) / (vectors * EIGHT);
  const int groups = (columns + most - 1) / most, wide = (columns + groups - 1) / groups;
  for (int begin = 0; begin < rows; begin += vectors) {
    int column = 0;
    for (; column + wide < columns; column += wide) {
      CW_REAL_NAME(cw_mm_multiply)
      (slow_axis, eights, begin, vectors, column, wide, columns, n, first, block, s);
    }
    CW_REAL_NAME(cw_mm_multiply)
    (slow_axis, eights, begin, vectors, (groups - 1) * wide, columns - (groups - 1) * wide, columns,
     n, first, block, s);
  }
}

/* Rows that fill no eight, of a tensor: columns in registers, particles in lanes. */
CW_BODY void CW_REAL_NAME(cw_mm_multiply_rest)(int slow_axis, int slow, int rest, int columns,
                                               int n, int first, cw_real *partial, cw_scratch *s) {
  for (int i = 0; i < slow; i++)
    for (int k = 0; k < rest; k++) {
      cw_real *to = partial + (i + slow * k) * columns * LANES;
      cw_lane sum[CW_MM_COLUMNS];
      for (int c = 0; c < columns; c++)
        sum[c] = first ? (cw_lane){0} : CW_MM_LANE(cw_mm_load)(to + c * LANES);
      for (int at = 0; at < n; at += LANES) {
        cw_lane row = CW_MM_LANE(cw_mm_load)(s->rest[k] + at);
        if (slow_axis)
          row *= CW_MM_LANE(cw_mm_load)(s->slow[i] + at);
        for (int c = 0; c < columns; c++)
          sum[c] += row * CW_MM_LANE(cw_mm_load)(s->column[c] + at);
      }
      for (int c = 0; c < columns; c++)
        CW_MM_LANE(cw_mm_store)(to + c * LANES, sum[c]);
    }
}

/* All rows of a scalar matrix: rows in registers, particles in lanes. */
CW_BODY void CW_REAL_NAME(cw_mm_multiply_scalar)(int slow_axis, int slow, int rest, int n,
                                                 int first, cw_real *partial, cw_scratch *s) {
  for (int i = 0; i < slow; i++) {
    cw_real *to = partial + i * LANES;
    cw_lane sum[25];
    for (int k = 0; k < rest; k++)
      sum[k] = first ? (cw_lane){0} : CW_MM_LANE(cw_mm_load)(to + slow * k * LANES);
    for (int at = 0; at < n; at += LANES) {
      cw_lane value = CW_MM_LANE(cw_mm_load)(s->column[0] + at);
      if (slow_axis)
        value *= CW_MM_LANE(cw_mm_load)(s->slow[i] + at);
      for (int k = 0; k < rest; k++)
        sum[k] += value * CW_MM_LANE(cw_mm_load)(s->rest[k] + at);
    }
    for (int k = 0; k < rest; k++)
      CW_MM_LANE(cw_mm_store)(to + slow * k * LANES, sum[k]);
  }
}

CW_BODY void CW_REAL_NAME(cw_mm_sum_moments)(int dim, int order, int columns, const cw_mm_job *job,
                                             const int32_t *bin, CW_REAL_NAME(cw_mm_cursor) cursor,
                                             int eights, cw_real *block, cw_real *partial,
                                             cw_scratch *s) {
  const int K = 2 * order + 1, slow_axis = dim == 3, slow = slow_axis ? K : 1;
  const int rest = (dim == 1 ? K : K * K) - ROWS * eights;
  if (columns > 1)
    CW_REAL_NAME(cw_mm_read_field)(dim, order, job, bin, s);
  for (int first = 1; cursor.run < cursor.end; first = 0) {
    const int n = CW_REAL_NAME(cw_mm_read_batch)(dim, order, columns, job, &cursor, s);
    for (int at = 0; at < n; at += LANES) {
      CW_REAL_NAME(cw_mm_columns)(dim, order, columns, job, at, s);
      CW_REAL_NAME(cw_mm_factors)(dim, order, eights, at, s);
    }
    if (eights)
      CW_REAL_NAME(cw_mm_multiply_all)(slow_axis, eights, slow, columns, n, first, block, s);
    if (columns > 1)
      CW_REAL_NAME(cw_mm_multiply_rest)(slow_axis, slow, rest, columns, n, first, partial, s);
    else
      CW_REAL_NAME(cw_mm_multiply_scalar)(slow_axis, slow, rest, n, first, partial, s);
  }
}

/* One column's moments of LANES bins: vector i + slow k, i of the slow axis and k of the plane. */
CW_BODY void CW_REAL_NAME(cw_mm_column_moments)(int slow, int eights, int rest, int columns, int c,
                                                const cw_scratch *s, cw_lane *moment) {
  cw_lane square[LANES];
  for (int w = 0; w < slow * eights; w++)
    for (int h = 0; h < EIGHT; h++) {
      for (int l = 0; l < LANES; l++)
        square[l] = CW_MM_LANE(cw_mm_load)(s->block[l] + (w * columns + c) * ROWS + LANES * h);
      CW_MM_LANE(cw_mm_transpose)(square);
      for (int l = 0; l < LANES; l++)
        moment[w / eights + slow * (ROWS * (w % eights) + LANES * h + l)] = square[l];
    }
  for (int k = 0; k < slow * rest; k++) {
    for (int l = 0; l < LANES; l++)
      square[l] = CW_MM_LANE(cw_mm_load)(s->partial[l] + (k * columns + c) * LANES);
    moment[slow * ROWS * eights + k] = CW_MM_LANE(cw_mm_totals)(square);
  }
}

/* LANES bins; those behind the last of a row are empty ones. */
CW_BODY void CW_REAL_NAME(cw_mm_sum_bins)(int dim, int order, int columns, const cw_mm_job *job,
                                          const CW_REAL_NAME(cw_mm_walk) * walk, cw_scratch *s) {
  const int K = 2 * order + 1, slow = dim == 3 ? K : 1, plane_rows = dim == 1 ? K : K * K;
  const int eights = columns == 1 ? 0 : plane_rows / ROWS, rest = plane_rows - ROWS * eights;
  const int64_t node = CW_REAL_NAME(cw_mm_first_node)(dim, order, job, walk->bin);
  for (int l = 0; l < LANES; l++) {
    const CW_REAL_NAME(cw_mm_cursor) cursor = CW_REAL_NAME(cw_mm_walk_bin)(job, walk, l);
    const int32_t bin[3] = {walk->bin[0] + l, walk->bin[1], walk->bin[2]};
    if (cursor.run < cursor.end) {
      CW_REAL_NAME(cw_mm_sum_moments)
      (dim, order, columns, job, bin, cursor, eights, s->block[l], s->partial[l], s);
    } else {
      memset(s->block[l], 0, (size_t)(slow * eights * columns * ROWS) * sizeof(cw_real));
      memset(s->partial[l], 0, (size_t)(slow * rest * columns * LANES) * sizeof(cw_real));
    }
  }
  for (int c = 0; c < columns; c++) {
    cw_lane moment[MAX_MOMENTS];
    CW_REAL_NAME(cw_mm_column_moments)(slow, eights, rest, columns, c, s, moment);
    CW_REAL_NAME(cw_mm_write_moments)(dim, order, job, c, node, walk->bins, moment);
  }
}

CW_BODY void CW_REAL_NAME(cw_mm_moment_slab)(int dim, int order, int columns, const cw_mm_job *job,
                                             int32_t first, int32_t last, cw_scratch *s) {
  CW_REAL_NAME(cw_mm_walk) walk;
  CW_REAL_NAME(cw_mm_walk_begin)(job, first, last, &walk);
  while (CW_REAL_NAME(cw_mm_walk_next)(job, &walk))
    CW_REAL_NAME(cw_mm_sum_bins)(dim, order, columns, job, &walk, s);
}

#define CW_MM_MOMENT_SLAB(name, dim, order, columns)                                               \
  static void CW_REAL_NAME(name)(const cw_mm_job *job, int32_t first, int32_t last,                \
                                 void *scratch) {                                                  \
    CW_REAL_NAME(cw_mm_moment_slab)(dim, order, columns, job, first, last, scratch);               \
  }
#define CW_MM_MOMENT_SLABS(dim, order)                                                             \
  CW_MM_MOMENT_SLAB(cw_mm_moment_##dim##_##order##_1, dim, order, 1)                               \
  CW_MM_MOMENT_SLAB(cw_mm_moment_##dim##_##order##_13, dim, order, 13)
CW_MM_MOMENT_SLABS(1, 1)
CW_MM_MOMENT_SLABS(2, 1)
CW_MM_MOMENT_SLABS(3, 1)
CW_MM_MOMENT_SLABS(1, 2)
CW_MM_MOMENT_SLABS(2, 2)
CW_MM_MOMENT_SLABS(3, 2)
#undef CW_MM_MOMENT_SLABS
#undef CW_MM_MOMENT_SLAB
