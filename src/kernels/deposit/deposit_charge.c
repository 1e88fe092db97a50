/* Charge and other moments at primal nodes: the shapes of deposit_body.h in double precision, in
 * slabs. */
#include "kernels/deposit/deposit_moments.h"
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

/* First value of a target that a stencil from `first` on writes. */
static int64_t place(const cw_deposit_job *job, const cw_deposit_target *target,
                     const int32_t first[3]) {
  int64_t at = 0;
  for (int a = 0; a < job->dim; a++)
    at += (first[a] - target->low[a]) * target->stride[a];
  return at;
}

static void add_charge(const cw_deposit_job *job, const cw_deposit_target *target, double charge,
                       double w[3][CW_MAX_SHAPE_ORDER + 1], const int32_t first[3]) {
  const int nodes = job->order + 1, ny = job->dim > 1 ? nodes : 1, nz = job->dim > 2 ? nodes : 1;
  const int64_t at = place(job, target, first);
  for (int k = 0; k < nz; k++)
    for (int j = 0; j < ny; j++) {
      double *row =
          (double *)target->component[0] + at + j * target->stride[1] + k * target->stride[2];
      const double plane = charge * (job->dim > 1 ? w[1][j] : 1) * (job->dim > 2 ? w[2][k] : 1);
      for (int i = 0; i < nodes; i++)
        row[i] += plane * w[0][i];
    }
}

/* Several sums at once; the charge stands for none of them. */
typedef struct moments_job {
  cw_deposit_job job; /* first: the loop gets this */
  int count;
  const double *const *values; /* [moment][slot] */
  double *const *sums;         /* [moment], at the grid's first node */
} moments_job;

static void add_moments(const moments_job *moments, const cw_deposit_target *target, int64_t slot,
                        double w[3][CW_MAX_SHAPE_ORDER + 1], const int32_t first[3]) {
  const cw_deposit_job *job = &moments->job;
  const int nodes = job->order + 1, ny = job->dim > 1 ? nodes : 1, nz = job->dim > 2 ? nodes : 1;
  const int64_t at = place(job, target, first);
  for (int m = 0; m < moments->count; m++) {
    const double value = moments->values[m][slot];
    for (int k = 0; k < nz; k++)
      for (int j = 0; j < ny; j++) {
        double *row = moments->sums[m] + at + j * target->stride[1] + k * target->stride[2];
        const double plane = value * (job->dim > 1 ? w[1][j] : 1) * (job->dim > 2 ? w[2][k] : 1);
        for (int i = 0; i < nodes; i++)
          row[i] += plane * w[0][i];
      }
  }
}

static int values_are_finite(const moments_job *moments, int64_t slot) {
  int finite = 1;
  for (int m = 0; m < moments->count; m++)
    finite &= isfinite(moments->values[m][slot]) != 0;
  return finite;
}

/* Sums slots[first .. last): charge, or where `moments` is not NULL these. */
static void sum_slots(const cw_deposit_job *job, const moments_job *moments,
                      const cw_deposit_target *target, const int64_t *slots, int64_t first,
                      int64_t last, cw_deposit_tally *tally) {
  const cw_particles_view *view = &job->particles;
  cw_deposit_tally count = {.fault = -1};
  for (int64_t n = first; n < last; n++) {
    const int64_t slot = slots ? slots[n] : n;
    double w[3][CW_MAX_SHAPE_ORDER + 1];
    int32_t node[3];
    const double weight = view->weight ? cw_real_get(view->weight, view->precision, slot) : 1;
    const int valid = shapes(job, slot, w, node) && isfinite(weight) &&
                      (!moments || values_are_finite(moments, slot));
    int fits = 1;
    for (int a = 0; a < job->dim; a++)
      fits &= node[a] >= target->low[a] && (int64_t)node[a] + job->order < target->high[a];
    if (valid && fits && moments)
      add_moments(moments, target, slot, w, node);
    else if (valid && fits)
      add_charge(job, target, job->scale[0] * weight, w, node);
    count.done += valid && fits;
    count.missed += valid && !fits;
    if (!valid && (count.fault < 0 || slot < count.fault))
      count.fault = slot;
  }
  *tally = count;
}

void cw_deposit_charge_loop(const cw_deposit_job *job, const cw_deposit_target *target,
                            const int64_t *slots, int64_t first, int64_t last,
                            cw_deposit_tally *tally) {
  sum_slots(job, NULL, target, slots, first, last, tally);
}

static void moments_loop(const cw_deposit_job *job, const cw_deposit_target *target,
                         const int64_t *slots, int64_t first, int64_t last,
                         cw_deposit_tally *tally) {
  sum_slots(job, (const moments_job *)job, target, slots, first, last, tally);
}

cw_status cw_deposit_moments(cw_context *context, int order, const cw_grid *grid,
                             const cw_particles_view *particles, int count,
                             const double *const values[], double *const sums[]) {
  if (particles->space != CW_SPACE_HOST || order < 0 || order > CW_MAX_SHAPE_ORDER)
    return cw_fail(context, CW_ERROR_ARGUMENT, "moments: particles on a device, or order %d",
                   order);
  moments_job moments = {.job = {.dim = grid->dim, .particles = *particles},
                         .count = count,
                         .values = values,
                         .sums = sums};
  cw_deposit_job *job = &moments.job;
  job->order = order ? order : 1;
  job->window = cw_deposit_window(job->order);
  job->particles.weight = NULL; /* the values have it */
  for (int a = 0; a < grid->dim; a++)
    job->particles.i_prev[a] = job->particles.i[a];
  void *const component[3] = {NULL, NULL, NULL};
  const cw_deposit_target target = cw_deposit_grid_target(grid, component);
  cw_deposit_tally tally;
  CW_TRY(cw_deposit_flat(context, job, grid, moments_loop, &target, NULL, 0, particles->count,
                         &tally));
  if (tally.fault >= 0)
    return cw_fail(context, CW_ERROR_NUMERIC,
                   "moments: particle slot %lld has a place, weight or momentum that is not finite",
                   (long long)tally.fault);
  return CW_OK;
}
