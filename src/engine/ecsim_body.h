/* The physics of one particle of the energy-conserving method.
 *
 * G. Lapenta, J. Comput. Phys. 334 (2017) 349, eq. 7 to 11: with w = beta B,
 *   alpha u = (u - w x u + w (w . u)) / (1 + |w|^2),
 *   vbar = alpha (v + beta E),  v_next = 2 vbar - v. */
#ifndef CW_ENGINE_ECSIM_BODY_H
#define CW_ENGINE_ECSIM_BODY_H

#include "base/host_device.h"

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

#endif
