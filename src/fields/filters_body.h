/* The binomial filter along lines, for one precision (base/real.h). */

static inline cw_real CW_REAL_NAME(mean)(cw_real below, cw_real here, cw_real above) {
  return (cw_real)0.5 * here + (cw_real)0.25 * (below + above);
}

/* Values e in [1, count - 1) of `to` from `from`. */
static inline void CW_REAL_NAME(pass_row)(int64_t count, cw_real *restrict to,
                                          const cw_real *restrict from) {
  for (int64_t e = 1; e < count - 1; e++)
    to[e] = CW_REAL_NAME(mean)(from[e - 1], from[e], from[e + 1]);
}

/* One line along axis 0; `row` points at interior index 0. */
static void CW_REAL_NAME(filter_row)(const cw_filter_job *job, cw_real *row, cw_real *work) {
  int32_t first = job->first[0], passes = job->passes;
  int64_t length = job->last[0] - first + 1, count = length + 2 * passes;
  cw_real *from = work, *to = work + count + CW_FILTER_WIDTH;
  memcpy(from + passes, row + first, (size_t)length * sizeof *row);
  for (int e = 0; e < passes; e++)
    for (int side = 0; side < 2; side++) {
      int sign = job->sign[side][e];
      from[side ? passes + length + e : e] =
          sign ? (cw_real)sign * row[job->source[side][e]] : (cw_real)0;
    }
  for (int pass = 0; pass < passes; pass++, count -= 2) {
    CW_REAL_NAME(pass_row)(count, to, from);
    cw_real *swap = from + 1; /* the ends have no neighbours: the next pass starts one further */
    from = to + 1;
    to = swap;
  }
  memcpy(row + first, from, (size_t)length * sizeof *row);
}

static void CW_REAL_NAME(load)(cw_real *restrict to, const cw_real *restrict from, int sign,
                               int32_t width) {
  for (int32_t w = 0; w < width; w++)
    to[w] = sign ? (cw_real)sign * from[w] : (cw_real)0;
}

/* `width` neighbouring lines along axis 1 or 2; `column`: interior index 0 of the first. */
static void CW_REAL_NAME(filter_columns)(const cw_filter_job *job, cw_real *column, int32_t width,
                                         cw_real *work) {
  enum { W = CW_FILTER_WIDTH };
  int32_t first = job->first[job->axis], passes = job->passes;
  int64_t length = job->last[job->axis] - first + 1, count = length + 2 * passes;
  int64_t stride = job->grid->stride[job->axis];
  for (int64_t e = 0; e < length; e++)
    memcpy(work + (passes + e) * W, column + (first + e) * stride, (size_t)width * sizeof *work);
  for (int e = 0; e < passes; e++) {
    CW_REAL_NAME(load)
    (work + e * W, column + job->source[0][e] * stride, job->sign[0][e], width);
    CW_REAL_NAME(load)
    (work + (passes + length + e) * W, column + job->source[1][e] * stride, job->sign[1][e], width);
  }
  for (int pass = 1; pass <= passes; pass++) {
    cw_real below[W];
    memcpy(below, work + (pass - 1) * W, sizeof below);
    for (int64_t e = pass; e < count - pass; e++) {
      cw_real *restrict row = work + e * W;
      for (int w = 0; w < W; w++) {
        cw_real here = row[w];
        row[w] = CW_REAL_NAME(mean)(below[w], here, row[w + W]);
        below[w] = here;
      }
    }
  }
  for (int64_t e = 0; e < length; e++)
    memcpy(column + (first + e) * stride, work + (passes + e) * W, (size_t)width * sizeof *work);
}

static void CW_REAL_NAME(sweep)(const cw_filter_job *job) {
  const cw_grid *grid = job->grid;
  const int32_t *first = job->first, *last = job->last;
  int across = job->axis == 1 ? 2 : 1; /* units: lines across this axis, times chunks of axis 0 */
  int64_t chunks = (last[0] - first[0] + CW_FILTER_WIDTH) / CW_FILTER_WIDTH;
  int64_t inner = job->axis == 0 ? last[1] - first[1] + 1 : chunks;
  int64_t outer = job->axis == 0 ? last[2] - first[2] + 1 : last[across] - first[across] + 1;
  int64_t buffer = cw_filter_buffer(job);
  cw_real *array = (cw_real *)job->array + grid->offset;
#pragma omp parallel for num_threads(job->threads) if (grid->points > CW_FIELDS_PARALLEL_POINTS)   \
    schedule(static)
  for (int64_t unit = 0; unit < inner * outer; unit++) {
    cw_real *work = (cw_real *)job->work + omp_get_thread_num() * buffer;
    int64_t in = unit % inner, out = unit / inner;
    if (job->axis == 0) {
      CW_REAL_NAME(filter_row)
      (job, array + (first[1] + in) * grid->stride[1] + (first[2] + out) * grid->stride[2], work);
    } else {
      int64_t x = first[0] + in * CW_FILTER_WIDTH;
      int32_t width =
          (int32_t)(last[0] + 1 - x < CW_FILTER_WIDTH ? last[0] + 1 - x : CW_FILTER_WIDTH);
      CW_REAL_NAME(filter_columns)
      (job, array + x + (first[across] + out) * grid->stride[across], width, work);
    }
  }
}
