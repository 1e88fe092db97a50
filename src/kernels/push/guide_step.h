/* One guiding centre's step, on host and device; behind guide_body.h. The fields are taken where it
 * is and again halfway, so that the step follows bent field lines to second order. The file that
 * includes this one has CW_GATHER, the qualifiers of the gather, and defines cw_guide_axis and
 * cw_guide_sum. */

CW_BODY cw_lane3 CW_LANE_NAME(cw_three)(cw_real x, cw_real y, cw_real z) {
  cw_lane3 r = {x, y, z};
  return r;
}

/* E, B and their derivatives by the coordinates at offset dx of `cell`; 0 outside the arrays. */
CW_GATHER int CW_REAL_NAME(cw_gather_slopes)(const cw_push_job *job, const int32_t *cell,
                                             const cw_real *dx, cw_guide_fields *at) {
  cw_real weights[2][3][CW_PUSH_MAX_ORDER + 1], slopes[2][3][CW_PUSH_MAX_ORDER + 1];
  int64_t first[2][3] = {{0}};
  cw_real value[6] = {0}, slope[3][6] = {{0}};
  for (int a = 0; a < 3; a++)
    weights[0][a][0] = weights[1][a][0] = 1;
  for (int a = 0; a < job->dim; a++) {
    const int upper = dx[a] >= (cw_real)0.5;
    const int64_t base = (int64_t)cell[a] + (job->order % 2 ? 0 : upper);
    if (base < job->low[a] || base > job->high[a])
      return 0;
    cw_real *const weight[2] = {weights[0][a], weights[1][a]};
    cw_real *const along[2] = {slopes[0][a], slopes[1][a]};
    CW_REAL_NAME(cw_guide_axis)(job, dx[a], weight, along);
    first[0][a] = (base - job->order / 2) * job->stride[a];
    first[1][a] = first[0][a] + ((upper == job->order % 2) - 1) * job->stride[a];
  }
  for (int c = 0; c < 6; c++) {
    const cw_real *field = (const cw_real *)(c < 3 ? job->E[c] : job->B[c - 3]);
    if (!field)
      continue;
    const cw_real *weight[3], *along[3];
    int64_t start = job->offset;
    for (int a = 0; a < 3; a++) {
      const int dual = c < 3 ? a == c : a != c - 3;
      weight[a] = weights[dual][a];
      along[a] = slopes[dual][a];
      start += first[dual][a];
    }
    value[c] = CW_REAL_NAME(cw_guide_sum)(job, field + start, weight);
    for (int a = 0; a < job->dim; a++) {
      const cw_real *kept = weight[a];
      weight[a] = along[a];
      slope[a][c] =
          CW_REAL_NAME(cw_guide_sum)(job, field + start, weight) / (cw_real)job->spacing[a];
      weight[a] = kept;
    }
  }
  at->E = CW_LANE_NAME(cw_three)(value[0], value[1], value[2]);
  at->B = CW_LANE_NAME(cw_three)(value[3], value[4], value[5]);
  for (int a = 0; a < 3; a++) {
    at->dE[a] = CW_LANE_NAME(cw_three)(slope[a][0], slope[a][1], slope[a][2]);
    at->dB[a] = CW_LANE_NAME(cw_three)(slope[a][3], slope[a][4], slope[a][5]);
  }
  return 1;
}

/* A particle's cell and offset, and where it is after moving with a velocity; 0 where that is faster
 * than light. */
typedef struct CW_REAL_NAME(cw_guide_place) {
  int32_t cell[3];
  cw_real dx[3];
} CW_REAL_NAME(cw_guide_place);

CW_BODY int CW_REAL_NAME(cw_guide_move)(const cw_push_job *job, cw_lane3 v, cw_real share,
                                        CW_REAL_NAME(cw_guide_place) * place) {
  const cw_real velocity[3] = {v.x, v.y, v.z};
  if (!(CW_LANE_NAME(cw_dot)(v, v) < 1))
    return 0;
  for (int a = 0; a < job->dim; a++) {
    const cw_real move = share * velocity[a] * (cw_real)job->step[a];
    place->cell[a] += CW_LANE_TO_CELL(CW_LANE_NAME(cw_advance)(&place->dx[a], move));
  }
  return 1;
}

/* The step of one guiding centre from *place on; 0, with nothing changed, where it is none. */
CW_BODY int CW_REAL_NAME(cw_guide_step)(const cw_push_job *job, const cw_guide_fields *at,
                                        CW_REAL_NAME(cw_guide_place) * place, cw_lane3 *u,
                                        cw_real *moment, cw_real *parallel, int *faults) {
  const cw_real s = (cw_real)(2 * job->half_kick / job->dt), most = (cw_real)job->guide.e_ovr_b_max;
  cw_guide_frame before, halfway;
  cw_guide_fields there;
  cw_guide guide;
  CW_REAL_NAME(cw_guide_place) middle = *place, end = *place;
  if (!CW_LANE_NAME(cw_guide_look)(at, most, &before) ||
      !CW_LANE_NAME(cw_guide_take)(&before, s, (cw_real)job->guide.larmor_max, *u, *moment,
                                   *parallel, &guide))
    return 0;
  guide.parallel = CW_LANE_NAME(cw_guide_kick)(&before, at, &guide, s, (cw_real)job->dt);
  if (!CW_REAL_NAME(cw_guide_move)(job, CW_LANE_NAME(cw_guide_velocity)(&before, at, &guide, s),
                                   (cw_real)0.5, &middle))
    return 0;
  if (!CW_REAL_NAME(cw_gather_slopes)(job, middle.cell, middle.dx, &there)) {
    *faults |= CW_PUSH_OUTSIDE;
    return 0;
  }
  if (!CW_LANE_NAME(cw_guide_look)(&there, 1, &halfway) ||
      !CW_REAL_NAME(cw_guide_move)(
          job, CW_LANE_NAME(cw_guide_velocity)(&halfway, &there, &guide, s), 1, &end))
    return 0;
  *place = end;
  *u = CW_LANE_NAME(cw_guide_momentum)(&before, &halfway, &guide, (cw_real)job->half_kick);
  *moment = guide.moment;
  *parallel = guide.parallel;
  return 1;
}
