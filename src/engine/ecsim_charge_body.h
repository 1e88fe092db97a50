/* What one particle has to do with the charge at the centres around it: weights, their slopes, and
 * the displacement that changes them. Y. Chen and G. Toth, J. Comput. Phys. 386 (2019) 632. */
#ifndef CW_ENGINE_ECSIM_CHARGE_BODY_H
#define CW_ENGINE_ECSIM_CHARGE_BODY_H

#include <math.h>
#include <stdint.h>

#include "engine/ecsim_body.h"

/* Along one axis: centres first, first + 1, ...; weight and d weight / dx in cells. */
typedef struct cw_ecsim_line {
  int64_t first;
  double weight[3], slope[3];
} cw_ecsim_line;

/* Slopes of cw_ecsim_weights at the same offset. */
static inline void cw_ecsim_slopes(int order, double offset, double slope[3]) {
  if (order == 1) {
    slope[0] = -1;
    slope[1] = 1;
    return;
  }
  const double t = offset - (offset >= 0.5);
  slope[0] = t - 0.5;
  slope[1] = -2 * t;
  slope[2] = t + 0.5;
}

/* Behind conductors stand images of the opposite charge: a centre there takes from its mirror
 * image inside. */
static inline void cw_ecsim_mirror_line(int order, int64_t cells, cw_ecsim_line *line) {
  double weight[3] = {0, 0, 0}, slope[3] = {0, 0, 0};
  const int64_t first = line->first < 0 ? 0 : line->first;
  for (int m = 0; m <= order; m++) {
    int64_t centre = line->first + m;
    double sign = 1;
    if (centre < 0)
      centre = -1 - centre, sign = -sign;
    if (centre >= cells)
      centre = 2 * cells - 1 - centre, sign = -sign;
    weight[centre - first] += sign * line->weight[m];
    slope[centre - first] += sign * line->slope[m];
  }
  line->first = first;
  for (int m = 0; m < 3; m++)
    line->weight[m] = weight[m], line->slope[m] = slope[m];
}

/* A place is given by its cell and its offset there; centre i stands at i + 1/2. */
static inline cw_ecsim_line cw_ecsim_centre_line(int order, int64_t cell, double offset,
                                                 int64_t cells, int mirrors) {
  cw_ecsim_line line = {0, {1, 0, 0}, {0, 0, 0}};
  const int upper = offset >= 0.5;
  const double from_centre = upper ? offset - 0.5 : offset + 0.5;
  line.first = cell - !upper + cw_ecsim_weights(order, from_centre, line.weight);
  cw_ecsim_slopes(order, from_centre, line.slope);
  if (mirrors)
    cw_ecsim_mirror_line(order, cells, &line);
  return line;
}

/* x += step cells, at most half of one, along an axis; a particle does not leave between walls. */
static inline void cw_ecsim_displace(int32_t *cell, double *offset, double step, int32_t cells,
                                     int walls) {
  const double place = *offset + fmin(fmax(step, -0.5), 0.5), whole = floor(place);
  double rest = place - whole;
  int64_t index = *cell + (int64_t)whole;
  if (rest >= 1) /* a tiny negative place, rounded */
    rest = 0, index++;
  if (index < 0) {
    index = walls ? 0 : cells - 1;
    rest = walls ? 0 : rest;
  } else if (index >= cells) {
    index = walls ? cells - 1 : 0;
    rest = walls ? 1 - 0x1p-53 : rest;
  }
  *cell = (int32_t)index;
  *offset = rest;
}

#endif
