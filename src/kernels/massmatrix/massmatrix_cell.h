/* What the forms that sum cell by cell share: a bin's particles, BATCH at a time, as arrays of the
 * sums' precision, and from them, a vector of particles at a time, the factors of all products.
 *
 *   for each slab of bins (a thread each)          massmatrix_add.c
 *     for each LANES bins along x
 *       for each bin
 *         for each batch of its particles          <- this file
 *           sums of products                       massmatrix_moment.h, _amx.h, _pairs.h
 *       add the bins' sums to the matrix           massmatrix_write.h
 */

#define cw_scratch CW_REAL_NAME(cw_mm_scratch)

/* A thread's storage. */
typedef struct cw_scratch {
  cw_real x[3][BATCH], u[3][BATCH], q[BATCH], gamma[BATCH];
  cw_real slow[5][BATCH]; /* moments along x in three dimensions */
  cw_real column[CW_MM_COLUMNS][BATCH];
  cw_real plane[BATCH][24]; /* a particle's products over the plane, in eights */
  cw_real rest[26][BATCH];  /* those that do not fill an eight; the last row stays zero */
  cw_real block[LANES][15 * CW_MM_COLUMNS * ROWS]; /* sums of LANES bins: eights of rows */
  cw_real partial[LANES][MAX_MOMENTS * LANES]; /* and the others, still to be summed over lanes */
  cw_real B[3][27];
  cw_lane sums[MAX_SUMS];  /* LANES bins' sums in the forms by pairs */
  cw_real node[BATCH][32]; /* S at the nodes of a particle's support, zero behind the last */
  cw_real pair[MAX_PRODUCTS], linear[4][32];
} cw_scratch;

typedef struct CW_REAL_NAME(cw_mm_cursor) {
  int64_t run, end;
  uint32_t used; /* slots taken from `run` */
} CW_REAL_NAME(cw_mm_cursor);

CW_BODY void CW_REAL_NAME(cw_mm_read)(cw_real *restrict to, const void *from,
                                      cw_precision precision, int64_t begin, int n) {
  if (precision == CW_DOUBLE)
    for (int p = 0; p < n; p++)
      to[p] = (cw_real)((const double *)from)[begin + p];
  else
    for (int p = 0; p < n; p++)
      to[p] = (cw_real)((const float *)from)[begin + p];
}

/* Offsets from half a cell below the nearest node: before they are rounded to the sums' precision,
 * so that the node is the one of the particle's key. */
CW_BODY void CW_REAL_NAME(cw_mm_read_shifted)(cw_real *restrict to, const void *from,
                                              cw_precision precision, int64_t begin, int n) {
  if (precision == CW_DOUBLE)
    for (int p = 0; p < n; p++) {
      const double x = ((const double *)from)[begin + p];
      to[p] = (cw_real)(x >= 0.5 ? x - 0.5 : x + 0.5);
    }
  else
    for (int p = 0; p < n; p++) {
      const double x = (double)((const float *)from)[begin + p];
      to[p] = (cw_real)(x >= 0.5 ? x - 0.5 : x + 0.5);
    }
}

CW_BODY void CW_REAL_NAME(cw_mm_fill)(cw_real *to, cw_real value, int first, int last) {
  for (int p = first; p < last; p++)
    to[p] = value;
}

/* Asks for the n values behind those just read: what the next batch of sorted particles reads. */
CW_BODY void CW_REAL_NAME(cw_mm_read_ahead)(const void *from, cw_precision precision, int64_t begin,
                                            int n) {
  const int64_t size = precision == CW_DOUBLE ? 8 : 4;
  for (int64_t byte = (begin + n) * size; byte < (begin + 2 * n) * size; byte += 64)
    __builtin_prefetch((const char *)from + byte);
}

CW_BODY void CW_REAL_NAME(cw_mm_read_run)(int dim, int order, int columns, const cw_mm_job *job,
                                          int64_t slot, int at, int n, cw_scratch *s) {
  const cw_particles_view *view = &job->particles;
  const cw_precision precision = view->precision;
  for (int a = 0; a < dim; a++) {
    if (order % 2)
      CW_REAL_NAME(cw_mm_read)(s->x[a] + at, view->dx[a], precision, slot, n);
    else
      CW_REAL_NAME(cw_mm_read_shifted)(s->x[a] + at, view->dx[a], precision, slot, n);
  }
  const void *amount = columns == 1 && job->coefficient ? job->coefficient : view->weight;
  if (amount)
    CW_REAL_NAME(cw_mm_read)(s->q + at, amount, precision, slot, n);
  else
    CW_REAL_NAME(cw_mm_fill)(s->q, 1, at, at + n);
  if (columns == 1)
    return;
  for (int a = 0; a < 3; a++)
    CW_REAL_NAME(cw_mm_read)(s->u[a] + at, view->u[a], precision, slot, n);
  const int ahead = slot + 2 * n <= view->count ? n : 0;
  for (int a = 0; a < 3; a++)
    CW_REAL_NAME(cw_mm_read_ahead)(view->u[a], precision, slot, ahead);
  for (int a = 0; a < dim; a++)
    CW_REAL_NAME(cw_mm_read_ahead)(view->dx[a], precision, slot, ahead);
  if (job->relativistic && job->gamma)
    CW_REAL_NAME(cw_mm_read)(s->gamma + at, job->gamma, precision, slot, n);
}

/* The next particles of the bin, at most BATCH, and behind them up to a whole vector particles of
 * no charge; returns how many. */
CW_BODY int CW_REAL_NAME(cw_mm_read_batch)(int dim, int order, int columns, const cw_mm_job *job,
                                           CW_REAL_NAME(cw_mm_cursor) * cursor, cw_scratch *s) {
  int n = 0;
  while (cursor->run < cursor->end && n < BATCH) {
    const uint32_t left = job->runs.length[cursor->run] - cursor->used;
    const int m = left < (uint32_t)(BATCH - n) ? (int)left : BATCH - n;
    const int64_t slot = (int64_t)job->runs.begin[cursor->run] + cursor->used;
    CW_REAL_NAME(cw_mm_read_run)(dim, order, columns, job, slot, n, m, s);
    n += m;
    cursor->used += (uint32_t)m;
    if (cursor->used == job->runs.length[cursor->run]) {
      cursor->run++;
      cursor->used = 0;
    }
  }
  const int whole = (n + LANES - 1) / LANES * LANES;
  for (int a = 0; a < dim; a++)
    CW_REAL_NAME(cw_mm_fill)(s->x[a], 0, n, whole);
  for (int a = 0; columns > 1 && a < 3; a++)
    CW_REAL_NAME(cw_mm_fill)(s->u[a], 0, n, whole);
  CW_REAL_NAME(cw_mm_fill)(s->q, 0, n, whole);
  CW_REAL_NAME(cw_mm_fill)(s->gamma, 1, n, whole);
  return n;
}

/* B at the nodes of a bin. */
CW_BODY void CW_REAL_NAME(cw_mm_read_field)(int dim, int order, const cw_mm_job *job,
                                            const int32_t *bin, cw_scratch *s) {
  const int nodes = order + 1, n1 = dim > 1 ? nodes : 1, n2 = dim > 2 ? nodes : 1;
  int64_t first = 0;
  for (int a = 0; a < dim; a++)
    first += (bin[a] - (order - 1)) * job->stride[a];
  for (int c = 0; c < 3 && job->B[0]; c++)
    for (int k = 0; k < n2; k++)
      for (int j = 0; j < n1; j++)
        for (int i = 0; i < nodes; i++)
          s->B[c][i + nodes * (j + nodes * k)] =
              (cw_real)job->B[c][first + i + j * job->stride[1] + k * job->stride[2]];
}

CW_BODY cw_lane CW_REAL_NAME(cw_mm_gather)(int dim, int order, const cw_real *B,
                                           cw_lane (*weight)[3]) {
  const int nodes = order + 1, n1 = dim > 1 ? nodes : 1, n2 = dim > 2 ? nodes : 1;
  cw_lane sum = {0};
  for (int k = 0; k < n2; k++) {
    cw_lane plane = {0};
    for (int j = 0; j < n1; j++) {
      cw_lane row = weight[0][0] * B[nodes * (j + nodes * k)];
      for (int i = 1; i < nodes; i++)
        row += weight[0][i] * B[i + nodes * (j + nodes * k)];
      plane = dim > 1 ? plane + weight[1][j] * row : row;
    }
    sum = dim > 2 ? sum + weight[2][k] * plane : plane;
  }
  return sum;
}

/* Columns of the vector of particles from `at` on. */
CW_BODY void CW_REAL_NAME(cw_mm_columns)(int dim, int order, int columns, const cw_mm_job *job,
                                         int at, cw_scratch *s) {
  const cw_lane q = CW_MM_LANE(cw_mm_load)(s->q + at) * (cw_real)job->scale;
  if (columns == 1) {
    CW_MM_LANE(cw_mm_store)(s->column[0] + at, q);
    return;
  }
  cw_lane u[3], w[3], weight[3][3], alpha[9], column[CW_MM_COLUMNS];
  cw_lane factor = CW_MM_LANE(cw_mm_splat)(1);
  for (int a = 0; a < 3; a++)
    u[a] = CW_MM_LANE(cw_mm_load)(s->u[a] + at);
  if (job->relativistic) {
    cw_lane gamma = 1 + (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) * (cw_real)job->inverse_c2;
    if (job->gamma)
      gamma = CW_MM_LANE(cw_mm_load)(s->gamma + at);
    else
      for (int l = 0; l < LANES; l++)
        gamma[l] = CW_SQRT(gamma[l]);
    factor = 1 / gamma;
  }
  for (int a = 0; a < dim; a++)
    CW_MM_LANE(cw_mm_weights)(order, CW_MM_LANE(cw_mm_load)(s->x[a] + at), weight[a]);
  for (int c = 0; c < 3; c++)
    w[c] = job->B[c] ? factor * (cw_real)job->omega *
                           CW_REAL_NAME(cw_mm_gather)(dim, order, s->B[c], weight)
                     : (cw_lane){0};
  CW_MM_LANE(cw_mm_alpha)(w, factor, alpha);
  CW_MM_LANE(cw_mm_columns)(q, (cw_real)job->beta, alpha, u, column);
  for (int c = 0; c < columns; c++)
    CW_MM_LANE(cw_mm_store)(s->column[c] + at, column[c]);
}

/* Moments of the vector of particles from `at` on: the slow factor and the plane's products, the
 * eights among these with one row a particle. */
CW_BODY void CW_REAL_NAME(cw_mm_factors)(int dim, int order, int eights, int at, cw_scratch *s) {
  const int K = 2 * order + 1, plane_rows = dim == 1 ? K : K * K;
  cw_lane moment[3][5], plane[25];
  for (int a = 0; a < dim; a++)
    CW_MM_LANE(cw_mm_moments)(order, CW_MM_LANE(cw_mm_load)(s->x[a] + at), moment[a]);
  for (int k = 0; k < plane_rows; k++)
    plane[k] = dim == 1   ? moment[0][k]
               : dim == 2 ? moment[0][k % K] * moment[1][k / K]
                          : moment[1][k % K] * moment[2][k / K];
  for (int i = 0; dim == 3 && i < K; i++)
    CW_MM_LANE(cw_mm_store)(s->slow[i] + at, moment[0][i]);
  for (int k = ROWS * eights; k < plane_rows; k++)
    CW_MM_LANE(cw_mm_store)(s->rest[k - ROWS * eights] + at, plane[k]);
  for (int y = 0; y < eights; y++)
    for (int h = 0; h < EIGHT; h++) {
      cw_lane square[LANES];
      for (int l = 0; l < LANES; l++)
        square[l] = plane[ROWS * y + LANES * h + l];
      CW_MM_LANE(cw_mm_transpose)(square);
      for (int l = 0; l < LANES; l++)
        CW_MM_LANE(cw_mm_store)(s->plane[at + l] + ROWS * y + LANES * h, square[l]);
    }
}

/* A walk over the groups of LANES bins along x that hold particles. */
typedef struct CW_REAL_NAME(cw_mm_walk) {
  int32_t low[3], high[3], bin[3]; /* bin: the group's first */
  int bins;                        /* in the group: LANES but at a row's end; 0 at first */
  int64_t number;                  /* of the first bin */
} CW_REAL_NAME(cw_mm_walk);

CW_BODY void CW_REAL_NAME(cw_mm_walk_begin)(const cw_mm_job *job, int32_t first, int32_t last,
                                            CW_REAL_NAME(cw_mm_walk) * walk) {
  for (int a = 0; a < 3; a++) {
    walk->low[a] = a == job->dim - 1 ? first : 0;
    walk->high[a] = a == job->dim - 1 ? last : job->bins[a];
    walk->bin[a] = walk->low[a];
  }
  walk->bins = 0;
}

/* Goes to the next group with particles, along x, then through the slab, then along y, so that rows
 * of the matrix are met again soon; 0 at the end. */
CW_BODY int CW_REAL_NAME(cw_mm_walk_next)(const cw_mm_job *job, CW_REAL_NAME(cw_mm_walk) * walk) {
  int32_t *bin = walk->bin;
  for (;;) {
    bin[0] += walk->bins;
    if (bin[0] >= walk->high[0])
      bin[0] = walk->low[0], bin[2]++;
    if (bin[2] >= walk->high[2])
      bin[2] = walk->low[2], bin[1]++;
    if (bin[1] >= walk->high[1])
      return 0;
    const int32_t left = walk->high[0] - bin[0];
    walk->bins = left < LANES ? left : LANES;
    walk->number = bin[0] + job->bins[0] * (bin[1] + (int64_t)job->bins[1] * bin[2]);
    if (job->runs.offsets[walk->number] < job->runs.offsets[walk->number + walk->bins])
      return 1;
  }
}

/* The particles of bin x of the group; none behind its last one. */
CW_BODY CW_REAL_NAME(cw_mm_cursor)
    CW_REAL_NAME(cw_mm_walk_bin)(const cw_mm_job *job, const CW_REAL_NAME(cw_mm_walk) * walk,
                                 int x) {
  if (x >= walk->bins)
    return (CW_REAL_NAME(cw_mm_cursor)){0};
  return (CW_REAL_NAME(cw_mm_cursor)){.run = job->runs.offsets[walk->number + x],
                                      .end = job->runs.offsets[walk->number + x + 1]};
}
