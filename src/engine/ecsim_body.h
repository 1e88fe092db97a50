/* The physics of one particle of the energy-conserving method.
 *
 * G. Lapenta, J. Comput. Phys. 334 (2017) 349, eq. 7 to 11: with w = beta B,
 *   alpha u = (u - w x u + w (w . u)) / (1 + |w|^2),
 *   vbar = alpha (v + beta E),  v_next = 2 vbar - v.
 *
 * Relativistic particles (arXiv 2306.04685), u = gamma v, with a mean gamma g of the step:
 *   w = beta B / g,  ubar = alpha (u + beta E),  vbar = ubar / g,  u_next = 2 ubar - u. */
#ifndef CW_ENGINE_ECSIM_BODY_H
#define CW_ENGINE_ECSIM_BODY_H

#include <math.h>

#include <cellwise/particles.h>

#include "base/host_device.h"

/* Before a loop that a device's compiler must unroll, lest its arrays leave the registers. */
#ifdef __CUDA_ARCH__
#define CW_ECSIM_UNROLL _Pragma("unroll")
#else
#define CW_ECSIM_UNROLL
#endif

typedef struct cw_ecsim_vector {
  double x, y, z;
} cw_ecsim_vector;

static inline CW_HOST_DEVICE cw_ecsim_vector cw_ecsim_rotate(cw_ecsim_vector w, cw_ecsim_vector u) {
  const double along = w.x * u.x + w.y * u.y + w.z * u.z;
  const double norm = 1 / (1 + (w.x * w.x + w.y * w.y + w.z * w.z));
  cw_ecsim_vector result;
  result.x = (u.x - (w.y * u.z - w.z * u.y) + w.x * along) * norm;
  result.y = (u.y - (w.z * u.x - w.x * u.z) + w.y * along) * norm;
  result.z = (u.z - (w.x * u.y - w.y * u.x) + w.z * along) * norm;
  return result;
}

/* u_next of one particle from u and the fields at it, E in f[0 .. 2] and B in f[4 .. 6]. */
static inline CW_HOST_DEVICE cw_ecsim_vector cw_ecsim_push(cw_ecsim_vector u, const double *f,
                                                           double beta, double gamma) {
  const double turn = beta / gamma;
  cw_ecsim_vector w, half;
  w.x = turn * f[4], w.y = turn * f[5], w.z = turn * f[6];
  half.x = u.x + beta * f[0], half.y = u.y + beta * f[1], half.z = u.z + beta * f[2];
  const cw_ecsim_vector mean = cw_ecsim_rotate(w, half);
  cw_ecsim_vector next;
  next.x = 2 * mean.x - u.x, next.y = 2 * mean.y - u.y, next.z = 2 * mean.z - u.z;
  return next;
}

static inline CW_HOST_DEVICE double cw_ecsim_gamma(cw_ecsim_vector u) {
  return sqrt(1 + (u.x * u.x + u.y * u.y + u.z * u.z));
}

/* The mean gamma of a step, (gamma + gamma_next) / 2, for fields that are known before it: a few
 * rounds, each of which changes it by a few percent of the last change at most. With it,
 * m (u_next - u) . ubar / g is exactly the change of m gamma. */
static inline CW_HOST_DEVICE double cw_ecsim_mean_gamma(cw_ecsim_vector u, const double *f,
                                                        double beta) {
  const double first = cw_ecsim_gamma(u);
  double mean = first;
  for (int round = 0; round < 4; round++)
    mean = 0.5 * (first + cw_ecsim_gamma(cw_ecsim_push(u, f, beta, mean)));
  return mean;
}

/* Weights of the nodes around an offset in its cell; returns the first node, counted from the
 * cell's. Order 1: nodes 0 and 1; order 2: the nearest node and its neighbours. */
static inline CW_HOST_DEVICE int cw_ecsim_weights(int order, double offset, double weight[3]) {
  if (order == 1) {
    weight[0] = 1 - offset;
    weight[1] = offset;
    return 0;
  }
  const int upper = offset >= 0.5;
  const double t = offset - upper, below = 0.5 - t, above = 0.5 + t;
  weight[0] = 0.5 * below * below;
  weight[1] = 0.75 - t * t;
  weight[2] = 0.5 * above * above;
  return upper - 1;
}

/* Compensated summation (A. Neumaier, Z. angew. Math. Mech. 54 (1974) 39): the sum must not hide a
 * drift of 1e-14. The value is sum + lost. */
typedef struct cw_ecsim_sum {
  double sum, lost;
} cw_ecsim_sum;

static inline CW_HOST_DEVICE void cw_ecsim_add(cw_ecsim_sum *to, double each) {
  const double next = to->sum + each;
  to->lost += fabs(to->sum) >= fabs(each) ? (to->sum - next) + each : (each - next) + to->sum;
  to->sum = next;
}

static inline CW_HOST_DEVICE void cw_ecsim_join(cw_ecsim_sum *to, const cw_ecsim_sum *other) {
  cw_ecsim_add(to, other->sum);
  to->lost += other->lost;
}

static inline CW_HOST_DEVICE double cw_ecsim_weighted_square(const cw_particles_view *view,
                                                             int64_t p) {
  const double x = ((const double *)view->u[0])[p], y = ((const double *)view->u[1])[p],
               z = ((const double *)view->u[2])[p];
  const double square = x * x + y * y + z * z;
  return view->weight ? ((const double *)view->weight)[p] * square : square;
}

/* Weight times 2 (gamma - 1), which loses nothing for slow particles. */
static inline CW_HOST_DEVICE double cw_ecsim_weighted_gamma(const cw_particles_view *view,
                                                            int64_t p) {
  const double *const u[3] = {(const double *)view->u[0], (const double *)view->u[1],
                              (const double *)view->u[2]};
  const double *const weight = (const double *)view->weight; /* C++ wants to be told */
  const double square = u[0][p] * u[0][p] + u[1][p] * u[1][p] + u[2][p] * u[2][p];
  return (weight ? weight[p] : 1) * (2 * square / (sqrt(1 + square) + 1));
}

/* What is summed over particles: weight |u|^2, weight 2 (gamma - 1), |weight|. */
enum { CW_ECSIM_SQUARES = 0, CW_ECSIM_GAMMAS, CW_ECSIM_WEIGHTS };

static inline CW_HOST_DEVICE double cw_ecsim_summand(const cw_particles_view *view, int what,
                                                     int64_t p) {
  if (what == CW_ECSIM_WEIGHTS)
    return view->weight ? fabs(((const double *)view->weight)[p]) : 1;
  return what == CW_ECSIM_GAMMAS ? cw_ecsim_weighted_gamma(view, p)
                                 : cw_ecsim_weighted_square(view, p);
}

/* The place of slot p along axis a, half a cell downwards: centres then stand where nodes stood. */
static inline CW_HOST_DEVICE void cw_ecsim_shift_place(const cw_particles_view *view, int a,
                                                       int64_t p, int32_t *i, double *dx) {
  const double from = ((const double *)view->dx[a])[p];
  const int upper = from >= 0.5;
  *i = view->i[a][p] - !upper;
  *dx = upper ? from - 0.5 : from + 0.5;
}

#endif
