/* Write-out of LANES neighbouring bins: their sums, a vector an entry, become parts of rows of the
 * matrix's arrays.
 *
 * Along each axis a bin adds to S = (n + 1) (n + 2) / 2 places, one a pair a <= b of its nodes:
 * entry b - a at node bin + a (CIC) or bin - 1 + a (TSC). For CIC these are the three moments
 * themselves; for TSC, with q = 1/4 and moments t, (0,0) q t0              (0,1) q (t0 + t2) + t1
 * (0,2) q t2 (1,1) q (t0 + t4) + 2 (t1 + t3) + 9/2 t2           (1,2) q (t2 + t4) + t3     (2,2) q
 * t4 and weights are t0 + t1, t1 + t2 (CIC); (t0 + t2)/2 + t1, (t0 + t4)/2 + 3 (t1 + t3) + 5 t2,
 * (t2 + t4)/2 + t3 (TSC). Axis x, along which the lanes lie, comes last: there a bin's values move
 * up by a lanes and those of all bins are added up, so that each entry of a line is written once.
 * Nothing is written by two threads at once, and the order of all sums depends on the particles and
 * the grid only. */

/* v moved up by `lanes` (0 to 2), zeros behind it, and what falls out, in the lowest lanes. */
#if LANES == 16
#define CW_MM_UP(v, zero, lanes)                                                                   \
  ((lanes) == 1 ? __builtin_shufflevector(zero, v, 0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,  \
                                          27, 28, 29, 30)                                          \
                : __builtin_shufflevector(zero, v, 0, 1, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,   \
                                          26, 27, 28, 29))
#define CW_MM_OUT(v, zero, lanes)                                                                  \
  ((lanes) == 1                                                                                    \
       ? __builtin_shufflevector(zero, v, 31, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)         \
       : __builtin_shufflevector(zero, v, 30, 31, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
#elif LANES == 8
#define CW_MM_UP(v, zero, lanes)                                                                   \
  ((lanes) == 1 ? __builtin_shufflevector(zero, v, 0, 8, 9, 10, 11, 12, 13, 14)                    \
                : __builtin_shufflevector(zero, v, 0, 1, 8, 9, 10, 11, 12, 13))
#define CW_MM_OUT(v, zero, lanes)                                                                  \
  ((lanes) == 1 ? __builtin_shufflevector(zero, v, 15, 0, 0, 0, 0, 0, 0, 0)                        \
                : __builtin_shufflevector(zero, v, 14, 15, 0, 0, 0, 0, 0, 0))
#elif LANES == 4
#define CW_MM_UP(v, zero, lanes)                                                                   \
  ((lanes) == 1 ? __builtin_shufflevector(zero, v, 0, 4, 5, 6)                                     \
                : __builtin_shufflevector(zero, v, 0, 1, 4, 5))
#define CW_MM_OUT(v, zero, lanes)                                                                  \
  ((lanes) == 1 ? __builtin_shufflevector(zero, v, 7, 0, 0, 0)                                     \
                : __builtin_shufflevector(zero, v, 6, 7, 0, 0))
#else
#define CW_MM_UP(v, zero, lanes)  ((lanes) == 1 ? __builtin_shufflevector(zero, v, 0, 2) : zero)
#define CW_MM_OUT(v, zero, lanes) ((lanes) == 1 ? __builtin_shufflevector(zero, v, 3, 0) : v)
#endif

/* Pairs (is_pairs) or weights of one axis from its moments. */
CW_BODY void CW_REAL_NAME(cw_mm_combine)(int order, int is_pairs, const cw_lane *t, cw_lane *to) {
  const cw_real q = (cw_real)0.25, h = (cw_real)0.5, nine_halves = (cw_real)4.5;
  if (order == 1 && is_pairs) {
    for (int k = 0; k < 3; k++)
      to[k] = t[k];
  } else if (order == 1) {
    to[0] = t[0] + t[1];
    to[1] = t[1] + t[2];
  } else if (is_pairs) {
    to[0] = q * t[0];
    to[1] = q * (t[0] + t[2]) + t[1];
    to[2] = q * t[2];
    to[3] = q * (t[0] + t[4]) + 2 * (t[1] + t[3]) + nine_halves * t[2];
    to[4] = q * (t[2] + t[4]) + t[3];
    to[5] = q * t[4];
  } else {
    to[0] = h * (t[0] + t[2]) + t[1];
    to[1] = h * (t[0] + t[4]) + 3 * (t[1] + t[3]) + 5 * t[2];
    to[2] = h * (t[2] + t[4]) + t[3];
  }
}

/* Expands the moments along axis 1 or 2: out[(o S + s) inner + i] from in[(o K + k) inner + i]. */
CW_BODY void CW_REAL_NAME(cw_mm_expand)(int order, int is_pairs, int outer, int inner,
                                        const cw_lane *restrict in, cw_lane *restrict out) {
  const int K = 2 * order + 1, S = is_pairs ? (order + 1) * (order + 2) / 2 : order + 1;
  for (int o = 0; o < outer; o++)
    for (int i = 0; i < inner; i++) {
      cw_lane t[5], value[6];
      for (int k = 0; k < K; k++)
        t[k] = in[(o * K + k) * inner + i];
      CW_REAL_NAME(cw_mm_combine)(order, is_pairs, t, value);
      for (int s = 0; s < S; s++)
        out[(o * S + s) * inner + i] = value[s];
    }
}

/* Adds the values of `bins` bins to a row, and `more` values behind them. */
CW_BODY void CW_REAL_NAME(cw_mm_add)(cw_real *to, cw_lane low, cw_lane high, int bins, int more) {
#if LANES == 16
  const unsigned places = (1u << (bins + more)) - 1;
  const __mmask16 in_low = (__mmask16)places, in_high = (__mmask16)(places >> LANES);
  const __m512 sum = _mm512_maskz_loadu_ps(in_low, to) + (__m512)low;
  _mm512_mask_storeu_ps(to, in_low, sum);
  if (in_high)
    _mm512_mask_storeu_ps(to + LANES, in_high,
                          _mm512_maskz_loadu_ps(in_high, to + LANES) + (__m512)high);
#else
  if (bins == LANES) {
    CW_MM_LANE(cw_mm_store)(to, CW_MM_LANE(cw_mm_load)(to) + low);
    for (int x = 0; x < more; x++)
      to[LANES + x] += high[x];
    return;
  }
  cw_real value[2 * LANES];
  CW_MM_LANE(cw_mm_store)(value, low);
  CW_MM_LANE(cw_mm_store)(value + LANES, high);
  for (int x = 0; x < bins + more; x++)
    to[x] += value[x];
#endif
}

/* One line of pairs: entry e along x to the row at to + e * step. */
CW_BODY void CW_REAL_NAME(cw_mm_write_line)(int order, const cw_lane *pair, int bins, cw_real *to,
                                            int64_t step, int64_t ahead) {
  const cw_lane zero = {0};
  for (int e = 0; e <= order; e++) {
    cw_lane low = pair[e], high = zero;
    for (int a = 1, k = order + 1 + e; a <= order - e; a++) {
      low += CW_MM_UP(pair[k], zero, a);
      high += CW_MM_OUT(pair[k], zero, a);
      k += order + 1 - a;
    }
    __builtin_prefetch(to + e * step + ahead, 1);
    __builtin_prefetch(to + e * step + ahead + LANES, 1);
    CW_REAL_NAME(cw_mm_add)(to + e * step, low, high, bins, order - e);
  }
}

/* One component's pairs, S^dim vectors, or with from_moments still moments along x. `node` is the
 * lowest node of the first bin. */
CW_BODY void CW_REAL_NAME(cw_mm_write_pairs)(int dim, int order, int from_moments,
                                             const cw_mm_job *job, int component, int64_t node,
                                             int bins, const cw_lane *values) {
  static const int entry[2][6] = {{0, 1, 0}, {0, 1, 2, 0, 1, 0}};
  static const int base[2][6] = {{0, 0, 1}, {0, 0, 0, 1, 1, 2}};
  const int n = order + 1, S = n * (n + 1) / 2, n1 = dim > 1 ? S : 1, n2 = dim > 2 ? S : 1;
  const int K = from_moments ? 2 * order + 1 : S;
  const int *e = entry[order - 1], *b = base[order - 1];
  const int64_t step = job->components * job->points;
  const int64_t ahead = component + 1 < job->components ? job->points : 0;
  for (int t = 0; t < n2; t++)
    for (int s = 0; s < n1; s++) {
      const cw_lane *from = values + K * (s + n1 * t);
      cw_lane pair[6];
      if (from_moments)
        CW_REAL_NAME(cw_mm_combine)(order, 1, from, pair);
      else
        for (int k = 0; k < S; k++)
          pair[k] = from[k];
      cw_real *to = (cw_real *)job->values + n * (e[s] + n * e[t]) * step +
                    component * job->points + node + b[s] * job->stride[1] + b[t] * job->stride[2];
      CW_REAL_NAME(cw_mm_write_line)(order, pair, bins, to, step, ahead);
    }
}

/* One column's weights, (n + 1)^dim vectors, or with from_moments still moments along x, to an
 * array on nodes. */
CW_BODY void CW_REAL_NAME(cw_mm_write_nodes)(int dim, int order, int from_moments,
                                             const cw_mm_job *job, double *array, int64_t node,
                                             int bins, const cw_lane *values) {
  const int n = order + 1, n1 = dim > 1 ? n : 1, n2 = dim > 2 ? n : 1;
  const int K = from_moments ? 2 * order + 1 : n;
  const cw_lane zero = {0};
  for (int k = 0; k < n2; k++)
    for (int j = 0; j < n1; j++) {
      const cw_lane *from = values + K * (j + n1 * k);
      double *to = array + node + j * job->stride[1] + k * job->stride[2];
      cw_lane weight[3], sum[2];
      if (from_moments)
        CW_REAL_NAME(cw_mm_combine)(order, 0, from, weight);
      else
        for (int a = 0; a < n; a++)
          weight[a] = from[a];
      sum[0] = weight[0];
      sum[1] = zero;
      for (int a = 1; a < n; a++) {
        sum[0] += CW_MM_UP(weight[a], zero, a);
        sum[1] += CW_MM_OUT(weight[a], zero, a);
      }
      cw_real value[2 * LANES];
      CW_MM_LANE(cw_mm_store)(value, sum[0]);
      CW_MM_LANE(cw_mm_store)(value + LANES, sum[1]);
      for (int x = 0; x < bins + order; x++)
        to[x] += (double)value[x];
    }
}

CW_BODY int64_t CW_REAL_NAME(cw_mm_first_node)(int dim, int order, const cw_mm_job *job,
                                               const int32_t *bin) {
  int64_t node = 0;
  for (int a = 0; a < dim; a++)
    node += (bin[a] - (order - 1)) * job->stride[a];
  return node;
}

/* Where column c goes: current (9 to 11) or charge (12). */
CW_BODY double *CW_REAL_NAME(cw_mm_node_array)(const cw_mm_job *job, int c) {
  return c < 12 ? job->J[c - 9] : job->rho;
}

/* One column's moments, K^dim vectors, to where they belong. */
CW_BODY void CW_REAL_NAME(cw_mm_write_moments)(int dim, int order, const cw_mm_job *job, int column,
                                               int64_t node, int bins, const cw_lane *moments) {
  const int is_pairs = column < 9, n = order + 1, K = 2 * order + 1;
  const int S = is_pairs ? n * (n + 1) / 2 : n, copies = is_pairs && order == 1;
  double *array = is_pairs ? NULL : CW_REAL_NAME(cw_mm_node_array)(job, column);
  cw_lane planes[150], lines[180];
  const cw_lane *from = moments;
  if (!is_pairs && !array)
    return;
  if (dim == 3 && !copies) {
    CW_REAL_NAME(cw_mm_expand)(order, is_pairs, 1, K * K, from, planes);
    from = planes;
  }
  if (dim > 1 && !copies) {
    CW_REAL_NAME(cw_mm_expand)(order, is_pairs, dim == 3 ? S : 1, K, from, lines);
    from = lines;
  }
  if (is_pairs)
    CW_REAL_NAME(cw_mm_write_pairs)(dim, order, 1, job, column, node, bins, from);
  else
    CW_REAL_NAME(cw_mm_write_nodes)(dim, order, 1, job, array, node, bins, from);
}

/* Pairs, S^dim vectors a component, and weights, (n + 1)^dim vectors a column behind them. */
CW_BODY void CW_REAL_NAME(cw_mm_write_sums)(int dim, int order, const cw_mm_job *job,
                                            const int32_t *bin, int bins, const cw_lane *sums) {
  const int n = order + 1, S = n * (n + 1) / 2;
  const int states = dim == 1 ? S : dim == 2 ? S * S : S * S * S;
  const int nodes = dim == 1 ? n : dim == 2 ? n * n : n * n * n;
  const int64_t node = CW_REAL_NAME(cw_mm_first_node)(dim, order, job, bin);
  for (int c = 0; c < job->components; c++)
    CW_REAL_NAME(cw_mm_write_pairs)(dim, order, 0, job, c, node, bins, sums + c * states);
  for (int c = 9; c < job->columns; c++) {
    double *array = CW_REAL_NAME(cw_mm_node_array)(job, c);
    if (array)
      CW_REAL_NAME(cw_mm_write_nodes)
    (dim, order, 0, job, array, node, bins, sums + job->components * states + (c - 9) * nodes);
  }
}
#undef CW_MM_UP
#undef CW_MM_OUT
