/* A block whose particles may be guiding centres: one particle at a time. Fields and their slopes are
 * gathered where it is and again halfway. The others go the way of push_move.h. */

#define CW_GATHER static

/* Weights and slopes along an axis, and a weighted sum; by the order's own functions. */
CW_BODY void CW_REAL_NAME(cw_guide_axis)(const cw_push_job *job, cw_real dx, cw_real *const *weight,
                                         cw_real *const *slope) {
  CW_REAL_NAME(cw_by_order)[job->order].weights(dx, weight[0], weight[1]);
  CW_REAL_NAME(cw_by_order)[job->order].slopes(dx, slope[0], slope[1]);
}

CW_BODY cw_real CW_REAL_NAME(cw_guide_sum)(const cw_push_job *job, const cw_real *field,
                                           const cw_real *const *weight) {
  const int rows = job->dim > 1 ? job->order + 1 : 1, planes = job->dim > 2 ? job->order + 1 : 1;
  return CW_REAL_NAME(cw_by_order)[job->order].contract(field, job->stride[1], job->stride[2], rows,
                                                        planes, weight);
}

#include "kernels/push/guide_step.h"
#undef CW_GATHER

/* Pushes the p-th particle of the block, slot `slot`; returns its faults. */
static int CW_REAL_NAME(cw_guide_push)(const cw_push_job *job, int64_t slot, int p,
                                       cw_push_scratch *scratch) {
  const cw_particles_view *view = &job->particles;
  cw_real *moment = (cw_real *)view->guide[0] + slot;
  cw_real *parallel = (cw_real *)view->guide[1] + slot;
  CW_REAL_NAME(cw_guide_place) place = {{0}, {0}}, old;
  cw_guide_fields at;
  cw_real *u[3];
  int faults = 0;
  for (int a = 0; a < 3; a++)
    u[a] = (cw_real *)view->u[a] + slot;
  for (int a = 0; a < job->dim; a++) {
    place.cell[a] = view->i[a][slot];
    place.dx[a] = ((const cw_real *)view->dx[a])[slot];
  }
  old = place;
  if (!CW_REAL_NAME(cw_gather_slopes)(job, place.cell, place.dx, &at))
    faults = CW_REAL_NAME(cw_no_field)(scratch, p);
  cw_lane3 momentum = {*u[0], *u[1], *u[2]};
  if (!faults && job->dt != 0 &&
      CW_REAL_NAME(cw_guide_step)(job, &at, &place, &momentum, moment, parallel, &faults)) {
    for (int a = 0; a < job->dim; a++) {
      view->i_prev[a][slot] = old.cell[a];
      ((cw_real *)view->dx_prev[a])[slot] = old.dx[a];
      view->i[a][slot] = place.cell[a];
      ((cw_real *)view->dx[a])[slot] = place.dx[a];
    }
    *u[0] = momentum.x, *u[1] = momentum.y, *u[2] = momentum.z;
    const cw_real zero = 0, sum = zero * momentum.x + zero * momentum.y + zero * momentum.z;
    return sum == zero ? faults : faults | CW_PUSH_NOT_FINITE;
  }
  if (job->dt == 0 && *moment > 0)
    return faults; /* its momentum stands at no time of its own */
  *moment = *parallel = 0;
  if (!faults) {
    const cw_real field[6] = {at.E.x, at.E.y, at.E.z, at.B.x, at.B.y, at.B.z};
    for (int c = 0; c < 6; c++)
      ((cw_real *)scratch->field[c])[p] = field[c];
  }
  return faults |
         (CW_LANE_NAME(cw_move)(job->dim, 0, job, slot, p, 1, scratch, NULL) ? 0
                                                                             : CW_PUSH_NOT_FINITE);
}

static int CW_REAL_NAME(cw_guide_block)(const cw_push_job *job, int64_t begin, int count,
                                        cw_push_scratch *scratch) {
  int faults = 0;
  for (int p = 0; p < count; p++)
    if (!job->particles.tag || job->particles.tag[begin + p] != CW_TAG_DEAD)
      faults |= CW_REAL_NAME(cw_guide_push)(job, begin + p, p, scratch);
  return faults;
}
