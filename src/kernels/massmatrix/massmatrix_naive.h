/* Particle by particle, straight into the storage: any order of shape. For each axis the pairs
 * a <= b of nodes are listed once, so a particle writes ((n + 1) (n + 2) / 2)^dim values. */

typedef struct CW_REAL_NAME(cw_mm_one) {
  int64_t first[3]; /* index of the lowest node along each axis, times its stride */
  cw_real weight[3][MAX_NODES];
  cw_real column[CW_MM_COLUMNS];
} CW_REAL_NAME(cw_mm_one);

CW_BODY cw_real CW_REAL_NAME(cw_mm_get)(const void *array, cw_precision precision, int64_t slot) {
  return precision == CW_DOUBLE ? (cw_real)((const double *)array)[slot]
                                : (cw_real)((const float *)array)[slot];
}

static cw_real CW_REAL_NAME(cw_mm_gather_one)(const cw_mm_job *job,
                                              const CW_REAL_NAME(cw_mm_one) * one,
                                              const double *field) {
  const int nodes = job->order + 1, n1 = job->dim > 1 ? nodes : 1, n2 = job->dim > 2 ? nodes : 1;
  cw_real sum = 0;
  for (int k = 0; k < n2; k++)
    for (int j = 0; j < n1; j++) {
      const double *row = field + one->first[0] + one->first[1] + one->first[2] +
                          j * job->stride[1] + k * job->stride[2];
      cw_real part = 0;
      for (int i = 0; i < nodes; i++)
        part += one->weight[0][i] * (cw_real)row[i];
      sum += one->weight[1][j] * one->weight[2][k] * part;
    }
  return sum;
}

static void CW_REAL_NAME(cw_mm_prepare_one)(const cw_mm_job *job, int64_t slot,
                                            CW_REAL_NAME(cw_mm_one) * one) {
  const cw_particles_view *view = &job->particles;
  for (int a = 0; a < 3; a++) {
    int below = 0;
    one->first[a] = 0;
    one->weight[a][0] = 1;
    if (a >= job->dim)
      continue;
    CW_REAL_NAME(cw_shape_weights)
    (job->order, CW_REAL_NAME(cw_mm_get)(view->dx[a], view->precision, slot), &below,
     one->weight[a]);
    one->first[a] = (view->i[a][slot] + below) * job->stride[a];
  }
  const cw_real weight =
      view->weight ? CW_REAL_NAME(cw_mm_get)(view->weight, view->precision, slot) : 1;
  const cw_real q = (cw_real)job->scale * weight;
  if (job->columns == 1) {
    one->column[0] =
        job->coefficient
            ? (cw_real)job->scale * CW_REAL_NAME(cw_mm_get)(job->coefficient, view->precision, slot)
            : q;
    return;
  }
  cw_real u[3], w[3], alpha[9], factor = 1;
  for (int a = 0; a < 3; a++)
    u[a] = CW_REAL_NAME(cw_mm_get)(view->u[a], view->precision, slot);
  if (job->relativistic) {
    const cw_real square = 1 + (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) * (cw_real)job->inverse_c2;
    factor = 1 / (job->gamma ? CW_REAL_NAME(cw_mm_get)(job->gamma, view->precision, slot)
                             : CW_SQRT(square));
  }
  for (int a = 0; a < 3; a++)
    w[a] = job->B[a]
               ? (cw_real)job->omega * factor * CW_REAL_NAME(cw_mm_gather_one)(job, one, job->B[a])
               : 0;
  CW_REAL_NAME(cw_mm_alpha_one)(w, factor, alpha);
  CW_REAL_NAME(cw_mm_columns_one)(q, (cw_real)job->beta, alpha, u, one->column);
}

/* Pairs a <= b of the nodes of an axis: products, entries b - a, offsets a of the base. */
typedef struct CW_REAL_NAME(cw_mm_pairs) {
  int count;
  cw_real product[MAX_PAIRS];
  int entry[MAX_PAIRS], base[MAX_PAIRS];
} CW_REAL_NAME(cw_mm_pairs);

static void CW_REAL_NAME(cw_mm_list_pairs)(int nodes, const cw_real *weight,
                                           CW_REAL_NAME(cw_mm_pairs) * pairs) {
  int count = 0;
  for (int a = 0; a < nodes; a++)
    for (int b = a; b < nodes; b++, count++) {
      pairs->product[count] = weight[a] * weight[b];
      pairs->entry[count] = b - a;
      pairs->base[count] = a;
    }
  pairs->count = count;
}

static void CW_REAL_NAME(cw_mm_add_one)(const cw_mm_job *job, const CW_REAL_NAME(cw_mm_one) * one,
                                        CW_REAL_NAME(cw_mm_pairs) pairs[3]) {
  const int nodes = job->order + 1, components = job->components;
  const int64_t points = job->points;
  cw_real *values = (cw_real *)job->values + one->first[0] + one->first[1] + one->first[2];
  for (int t = 0; t < pairs[2].count; t++)
    for (int s = 0; s < pairs[1].count; s++) {
      const cw_real outer = pairs[1].product[s] * pairs[2].product[t];
      const int entry = nodes * (pairs[1].entry[s] + nodes * pairs[2].entry[t]);
      cw_real *row = values + pairs[1].base[s] * job->stride[1] + pairs[2].base[t] * job->stride[2];
      for (int r = 0; r < pairs[0].count; r++) {
        const cw_real product = outer * pairs[0].product[r];
        cw_real *to =
            row + pairs[0].base[r] + (int64_t)(entry + pairs[0].entry[r]) * components * points;
        for (int c = 0; c < components; c++)
          to[c * points] += product * one->column[c];
      }
    }
}

static void CW_REAL_NAME(cw_mm_add_current_one)(const cw_mm_job *job,
                                                const CW_REAL_NAME(cw_mm_one) * one) {
  const int nodes = job->order + 1, n1 = job->dim > 1 ? nodes : 1, n2 = job->dim > 2 ? nodes : 1;
  for (int k = 0; k < n2; k++)
    for (int j = 0; j < n1; j++) {
      const int64_t at =
          one->first[0] + one->first[1] + one->first[2] + j * job->stride[1] + k * job->stride[2];
      const cw_real outer = one->weight[1][j] * one->weight[2][k];
      for (int i = 0; i < nodes; i++) {
        const cw_real w = outer * one->weight[0][i];
        for (int c = 0; c < 3; c++)
          if (job->J[c])
            job->J[c][at + i] += w * one->column[9 + c];
        if (job->rho)
          job->rho[at + i] += w * one->column[12];
      }
    }
}

static void CW_REAL_NAME(cw_mm_naive)(const cw_mm_job *job, int32_t first, int32_t last,
                                      void *scratch) {
  (void)scratch;
  CW_REAL_NAME(cw_mm_one) one;
  CW_REAL_NAME(cw_mm_pairs) pairs[3];
  for (int64_t run = job->runs.offsets[first]; run < job->runs.offsets[last]; run++)
    for (uint32_t p = 0; p < job->runs.length[run]; p++) {
      CW_REAL_NAME(cw_mm_prepare_one)(job, (int64_t)job->runs.begin[run] + p, &one);
      for (int a = 0; a < 3; a++)
        CW_REAL_NAME(cw_mm_list_pairs)(a < job->dim ? job->order + 1 : 1, one.weight[a], &pairs[a]);
      CW_REAL_NAME(cw_mm_add_one)(job, &one, pairs);
      if (job->columns > 1)
        CW_REAL_NAME(cw_mm_add_current_one)(job, &one);
    }
}
