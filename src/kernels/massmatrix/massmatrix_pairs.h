/* The forms that sum products of pairs of nodes, cell by cell. Not the fastest: they are what the
 * moment form is measured against. Dimension, order and columns are not constants here. */

/* Per axis: number of the pair a <= b of nodes in the order of cw_mm_write_pairs. */
CW_BODY int CW_REAL_NAME(cw_mm_pair_number)(int nodes, int a, int b) {
  return a * nodes - a * (a - 1) / 2 + b - a;
}

/* Number of the pair of nodes (A, B) along all axes, or -1 if B is below A along some axis: that
 * pair has the same value as the one with these two nodes exchanged along that axis alone. */
static int CW_REAL_NAME(cw_mm_state)(int dim, int nodes, int A, int B) {
  const int pairs = nodes * (nodes + 1) / 2;
  int state = 0, factor = 1;
  for (int a = 0; a < dim; a++) {
    const int first = A % nodes, second = B % nodes;
    if (second < first)
      return -1;
    state += factor * CW_REAL_NAME(cw_mm_pair_number)(nodes, first, second);
    factor *= pairs;
    A /= nodes;
    B /= nodes;
  }
  return state;
}

/* S at the nodes of each particle's support. */
CW_BODY void CW_REAL_NAME(cw_mm_supports)(int dim, int order, int n, cw_scratch *s) {
  const int N = order + 1, n1 = dim > 1 ? N : 1, n2 = dim > 2 ? N : 1, nodes = N * n1 * n2;
  for (int at = 0; at < n; at += LANES) {
    cw_lane weight[3][3];
    for (int a = 0; a < dim; a++)
      CW_MM_LANE(cw_mm_weights)(order, CW_MM_LANE(cw_mm_load)(s->x[a] + at), weight[a]);
    for (int k = 0; k < n2; k++)
      for (int j = 0; j < n1; j++)
        for (int i = 0; i < N; i++) {
          cw_lane w = weight[0][i];
          if (dim > 1)
            w *= weight[1][j];
          if (dim > 2)
            w *= weight[2][k];
          for (int l = 0; l < LANES; l++)
            s->node[at + l][i + N * (j + n1 * k)] = w[l];
        }
    for (int l = 0; l < LANES; l++)
      for (int m = nodes; m < (nodes + 7) / 8 * 8; m++)
        s->node[at + l][m] = 0;
  }
}

/* The conventional form: one sum an unordered pair of nodes and component. */
CW_BODY void CW_REAL_NAME(cw_mm_sum_unordered)(int nodes, int components, int n, cw_scratch *s) {
  const int pairs = nodes * (nodes + 1) / 2;
  cw_real product[27 * 28 / 2];
  for (int p = 0; p < n; p++) {
    const cw_real *w = s->node[p];
    int m = 0;
    for (int a = 0; a < nodes; a++)
      for (int b = a; b < nodes; b++)
        product[m++] = w[a] * w[b];
    for (int c = 0; c < components; c++) {
      const cw_real value = s->column[c][p];
      cw_real *restrict sum = s->pair + c * pairs;
      for (int k = 0; k < pairs; k++)
        sum[k] += value * product[k];
    }
  }
}

/* The paper's products: for each component [nodes x P][P x nodes], a few rows of the result in
 * registers at a time. */
CW_BODY void CW_REAL_NAME(cw_mm_sum_products)(int nodes, int components, int n, cw_scratch *s) {
  enum { MOST = 8 };
  const int vectors = (nodes + 7) / 8 * EIGHT, wide = vectors * LANES;
  const int fit = (REGISTERS - 2) / (2 * vectors), some = fit < 1 ? 1 : fit < MOST ? fit : MOST;
  for (int c = 0; c < components; c++)
    for (int begin = 0; begin < nodes; begin += some) {
      const int count = nodes - begin < some ? nodes - begin : some;
      cw_real *to = s->pair + (c * nodes + begin) * wide;
      cw_lane sum[MOST][4 * EIGHT];
      for (int a = 0; a < count; a++)
        for (int v = 0; v < vectors; v++)
          sum[a][v] = CW_MM_LANE(cw_mm_load)(to + a * wide + v * LANES);
      for (int p = 0; p < n; p++)
        for (int v = 0; v < vectors; v++) {
          const cw_lane row = CW_MM_LANE(cw_mm_load)(s->node[p] + v * LANES) * s->column[c][p];
          for (int a = 0; a < count; a++)
            sum[a][v] += row * s->node[p][begin + a];
        }
      for (int a = 0; a < count; a++)
        for (int v = 0; v < vectors; v++)
          CW_MM_LANE(cw_mm_store)(to + a * wide + v * LANES, sum[a][v]);
    }
}

/* A bin's pair sums into lane x, one of the pairs that have the same value. */
CW_BODY void CW_REAL_NAME(cw_mm_store_pairs)(int dim, int order, int components, int unordered,
                                             int x, cw_scratch *s) {
  const int N = order + 1, nodes = dim == 1 ? N : dim == 2 ? N * N : N * N * N;
  const int S = N * (N + 1) / 2, states = dim == 1 ? S : dim == 2 ? S * S : S * S * S;
  const int pairs = nodes * (nodes + 1) / 2, wide = (nodes + 7) / 8 * 8;
  for (int a = 0; a < nodes; a++)
    for (int b = a; b < nodes; b++) {
      const int state = CW_REAL_NAME(cw_mm_state)(dim, N, a, b);
      const int k = CW_REAL_NAME(cw_mm_pair_number)(nodes, a, b);
      for (int c = 0; c < components && state >= 0; c++)
        s->sums[c * states + state][x] =
            unordered ? s->pair[c * pairs + k] : s->pair[(c * nodes + a) * wide + b];
    }
}

CW_BODY void CW_REAL_NAME(cw_mm_sum_bin)(int dim, int order, const cw_mm_job *job,
                                         const int32_t *bin, CW_REAL_NAME(cw_mm_cursor) cursor,
                                         int x, cw_scratch *s) {
  const int N = order + 1, nodes = dim == 1 ? N : dim == 2 ? N * N : N * N * N;
  const int S = N * (N + 1) / 2, states = dim == 1 ? S : dim == 2 ? S * S : S * S * S;
  const int components = job->components, columns = job->columns;
  memset(s->pair, 0, (size_t)components * (size_t)nodes * 32 * sizeof(cw_real));
  memset(s->linear, 0, sizeof s->linear);
  if (columns > 1)
    CW_REAL_NAME(cw_mm_read_field)(dim, order, job, bin, s);
  while (cursor.run < cursor.end) {
    const int n = CW_REAL_NAME(cw_mm_read_batch)(dim, order, columns, job, &cursor, s);
    for (int at = 0; at < n; at += LANES)
      CW_REAL_NAME(cw_mm_columns)(dim, order, columns, job, at, s);
    CW_REAL_NAME(cw_mm_supports)(dim, order, n, s);
    if (job->unordered)
      CW_REAL_NAME(cw_mm_sum_unordered)(nodes, components, n, s);
    else
      CW_REAL_NAME(cw_mm_sum_products)(nodes, components, n, s);
    for (int c = 9; c < columns; c++)
      for (int p = 0; p < n; p++)
        for (int m = 0; m < nodes; m++)
          s->linear[c - 9][m] += s->column[c][p] * s->node[p][m];
  }
  CW_REAL_NAME(cw_mm_store_pairs)(dim, order, components, job->unordered, x, s);
  for (int c = 9; c < columns; c++)
    for (int m = 0; m < nodes; m++)
      s->sums[components * states + (c - 9) * nodes + m][x] = s->linear[c - 9][m];
}

/* All bins of the slab. */
CW_BODY void CW_REAL_NAME(cw_mm_pair_slab)(int dim, int order, const cw_mm_job *job, int32_t first,
                                           int32_t last, cw_scratch *s) {
  CW_REAL_NAME(cw_mm_walk) walk;
  CW_REAL_NAME(cw_mm_walk_begin)(job, first, last, &walk);
  while (CW_REAL_NAME(cw_mm_walk_next)(job, &walk)) {
    for (int x = 0; x < LANES; x++) {
      const CW_REAL_NAME(cw_mm_cursor) cursor = CW_REAL_NAME(cw_mm_walk_bin)(job, &walk, x);
      const int32_t bin[3] = {walk.bin[0] + x, walk.bin[1], walk.bin[2]};
      if (cursor.run < cursor.end)
        CW_REAL_NAME(cw_mm_sum_bin)(dim, order, job, bin, cursor, x, s);
      else
        for (int r = 0; r < MAX_SUMS; r++)
          s->sums[r][x] = 0;
    }
    CW_REAL_NAME(cw_mm_write_sums)(dim, order, job, walk.bin, walk.bins, s->sums);
  }
}

#define CW_MM_PAIR_SLAB(dim, order)                                                                \
  static void CW_REAL_NAME(cw_mm_pairs_##dim##_##order)(const cw_mm_job *job, int32_t first,       \
                                                        int32_t last, void *scratch) {             \
    CW_REAL_NAME(cw_mm_pair_slab)(dim, order, job, first, last, scratch);                          \
  }
CW_MM_PAIR_SLAB(1, 1)
CW_MM_PAIR_SLAB(2, 1)
CW_MM_PAIR_SLAB(3, 1)
CW_MM_PAIR_SLAB(1, 2)
CW_MM_PAIR_SLAB(2, 2)
CW_MM_PAIR_SLAB(3, 2)
#undef CW_MM_PAIR_SLAB
