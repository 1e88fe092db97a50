/* Charge at primal nodes: the shapes of deposit_body.h in double precision, in slabs. */
#include "kernels/deposit/deposit_private.h"

#include <math.h>

#include "base/reals.h"

#define CW_REAL_IS_DOUBLE 1
#include "kernels/shape_body.h"

/* Weights and first node along each axis; 0 if a value is not finite. */
static int shapes(const cw_deposit_job *job, int64_t slot, double w[3][CW_MAX_SHAPE_ORDER + 1],
                  int32_t first[3]) {
  const cw_particles_view *view = &job->particles;
  int valid = 1;
  for (int a = 0; a < job->dim; a++) {
    int offset;
    const double dx = cw_real_get(view->dx[a], view->precision, slot);
    valid &= dx >= 0 && dx <= 1;
    cw_shape_weights_f64(job->order, dx, &offset, w[a]);
    first[a] = view->i[a][slot] + offset;
  }
  return valid;
}

static void add_charge(const cw_deposit_job *job, const cw_deposit_target *target, double charge,
                       double w[3][CW_MAX_SHAPE_ORDER + 1], const int32_t first[3]) {
  const int nodes = job->order + 1, ny = job->dim > 1 ? nodes : 1, nz = job->dim > 2 ? nodes : 1;
  int64_t at = 0;
  for (int a = 0; a < job->dim; a++)
    at += (first[a] - target->low[a]) * target->stride[a];
  for (int k = 0; k < nz; k++)
    for (int j = 0; j < ny; j++) {
      double *row =
          (double *)target->component[0] + at + j * target->stride[1] + k * target->stride[2];
      const double plane = charge * (job->dim > 1 ? w[1][j] : 1) * (job->dim > 2 ? w[2][k] : 1);
      for (int i = 0; i < nodes; i++)
        row[i] += plane * w[0][i];
    }
}

void cw_deposit_charge_loop(const cw_deposit_job *job, const cw_deposit_target *target,
                            const int64_t *slots, int64_t first, int64_t last,
                            cw_deposit_tally *tally) {
  const cw_particles_view *view = &job->particles;
  cw_deposit_tally count = {.fault = -1};
  for (int64_t n = first; n < last; n++) {
    const int64_t slot = slots ? slots[n] : n;
    double w[3][CW_MAX_SHAPE_ORDER + 1];
    int32_t node[3];
    const double weight = view->weight ? cw_real_get(view->weight, view->precision, slot) : 1;
    const int valid = shapes(job, slot, w, node) && isfinite(weight);
    int fits = 1;
    for (int a = 0; a < job->dim; a++)
      fits &= node[a] >= target->low[a] && (int64_t)node[a] + job->order < target->high[a];
    if (valid && fits)
      add_charge(job, target, job->scale[0] * weight, w, node);
    count.done += valid && fits;
    count.missed += valid && !fits;
    if (!valid && (count.fault < 0 || slot < count.fault))
      count.fault = slot;
  }
  *tally = count;
}
