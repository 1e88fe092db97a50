/* The kernel of particles that may be guiding centres: a thread a particle, any order of shapes in one
 * loop. Included by push_cuda_kernels.cuh, whose load, gather's contraction and advance it uses. */

/* Weights and slopes along an axis, and a weighted sum. */
static __device__ void CW_REAL_NAME(cw_guide_axis)(const cw_push_job *job, cw_real dx,
                                                   cw_real *const *weight, cw_real *const *slope) {
  CW_LANE_NAME(cw_axis_weights)(job->order, dx, weight[0], weight[1]);
  CW_LANE_NAME(cw_axis_slopes)(job->order, dx, slope[0], slope[1]);
}

static __device__ cw_real CW_REAL_NAME(cw_guide_sum)(const cw_push_job *job, const cw_real *field,
                                                     const cw_real *const *weight) {
  const cw_real *x = weight[0], *y = weight[1], *z = weight[2];
  if (job->dim == 1)
    return contract<1, 0>(job->order, field, job->stride, x, y, z);
  if (job->dim == 2)
    return contract<2, 0>(job->order, field, job->stride, x, y, z);
  return contract<3, 0>(job->order, field, job->stride, x, y, z);
}

#define CW_GATHER static __device__ __noinline__
#include "kernels/push/guide_body.h"
#include "kernels/push/guide_step.h"
#undef CW_GATHER

template <int DIM>
static __device__ void push_guide(const cw_push_job &job, cw_fault_word *fault, int64_t slot) {
  const cw_particles_view &view = job.particles;
  const particle p = load<DIM>(view, slot);
  if (!p.alive)
    return;
  cw_real moment = ((const cw_real *)view.guide[0])[slot];
  cw_real parallel = ((const cw_real *)view.guide[1])[slot];
  CW_REAL_NAME(cw_guide_place) place = {{0, 0, 0}, {0, 0, 0}};
  cw_guide_fields at = {};
  cw_lane3 u = {p.u[0], p.u[1], p.u[2]};
  int faults = 0;
#pragma unroll
  for (int a = 0; a < DIM; a++) {
    place.cell[a] = p.i[a];
    place.dx[a] = p.dx[a];
  }
  if (!CW_REAL_NAME(cw_gather_slopes)(&job, place.cell, place.dx, &at))
    faults = CW_PUSH_OUTSIDE;
  const int guided =
      !faults && job.dt != 0 &&
      CW_REAL_NAME(cw_guide_step)(&job, &at, &place, &u, &moment, &parallel, &faults);
  if (faults)
    cw_fault_report(fault, CW_FAULT_OUTSIDE, slot);
  if (!guided && job.dt == 0 && moment > 0)
    return; /* its momentum stands at no time of its own */
  ((cw_real *)view.guide[0])[slot] = guided ? moment : 0;
  ((cw_real *)view.guide[1])[slot] = guided ? parallel : 0;
  if (!guided) {
    const cw_real field[6] = {at.E.x, at.E.y, at.E.z, at.B.x, at.B.y, at.B.z};
    advance<DIM>(job, fault, slot, p, field);
    return;
  }
#pragma unroll
  for (int a = 0; a < DIM; a++) {
    view.i_prev[a][slot] = p.i[a];
    ((cw_real *)view.dx_prev[a])[slot] = p.dx[a];
    view.i[a][slot] = place.cell[a];
    ((cw_real *)view.dx[a])[slot] = place.dx[a];
  }
  ((cw_real *)view.u[0])[slot] = u.x;
  ((cw_real *)view.u[1])[slot] = u.y;
  ((cw_real *)view.u[2])[slot] = u.z;
  const cw_real zero = 0;
  if (!(zero * u.x + zero * u.y + zero * u.z == zero))
    cw_fault_report(fault, CW_FAULT_MOMENTUM, slot);
}

template <int DIM>
static __global__ void __launch_bounds__(CW_THREADS)
    push_guides(const __grid_constant__ cw_push_job job, cw_fault_word *fault, int64_t first) {
  cw_grid_stride(n, job.particles.count - first) push_guide<DIM>(job, fault, first + n);
}
