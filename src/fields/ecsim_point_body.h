/* Node and centre operators at one place, on host and device. G. Lapenta, J. Comput. Phys. 334
 * (2017) 349, section 3.
 *
 * (d/dx F) is the mean over the four parallel edges of a cell of the difference along x, over dx.
 * The eight values stand in four rows (j, k); along axes that are not simulated the stride is 0, so
 * that a mean is the value itself and a difference is 0. */
#ifndef CW_FIELDS_ECSIM_POINT_BODY_H
#define CW_FIELDS_ECSIM_POINT_BODY_H

#include <stdint.h>

#include "base/host_device.h"

typedef struct cw_ecsim_rows {
  const double *a, *b, *c, *d; /* (0, 0), (1, 0), (0, 1), (1, 1) of axes 1 and 2 */
} cw_ecsim_rows;

static inline CW_HOST_DEVICE cw_ecsim_rows cw_ecsim_rows_of(const double *in, const int64_t s[3]) {
  cw_ecsim_rows rows;
  rows.a = in;
  rows.b = in + s[1];
  rows.c = in + s[2];
  rows.d = in + s[1] + s[2];
  return rows;
}

static inline CW_HOST_DEVICE double cw_ecsim_along_x(const cw_ecsim_rows *f, int64_t i, int64_t s) {
  return (f->a[i + s] - f->a[i]) + (f->b[i + s] - f->b[i]) + (f->c[i + s] - f->c[i]) +
         (f->d[i + s] - f->d[i]);
}

static inline CW_HOST_DEVICE double cw_ecsim_along_y(const cw_ecsim_rows *f, int64_t i, int64_t s) {
  return (f->b[i] - f->a[i]) + (f->b[i + s] - f->a[i + s]) + (f->d[i] - f->c[i]) +
         (f->d[i + s] - f->c[i + s]);
}

static inline CW_HOST_DEVICE double cw_ecsim_along_z(const cw_ecsim_rows *f, int64_t i, int64_t s) {
  return (f->c[i] - f->a[i]) + (f->c[i + s] - f->a[i + s]) + (f->d[i] - f->b[i]) +
         (f->d[i + s] - f->b[i + s]);
}

static inline CW_HOST_DEVICE double cw_ecsim_mean_around(const cw_ecsim_rows *f, int64_t i,
                                                         int64_t s) {
  return 0.125 * (((f->a[i] + f->a[i + s]) + (f->b[i] + f->b[i + s])) +
                  ((f->c[i] + f->c[i + s]) + (f->d[i] + f->d[i + s])));
}

/* Component c of the curl of F, whose axes 0 to 2 stand in f[0] to f[2]; step: 1 / (4 dx). */
static inline CW_HOST_DEVICE double cw_ecsim_curl_x(const cw_ecsim_rows f[3], const double step[3],
                                                    int64_t i, int64_t s) {
  return step[1] * cw_ecsim_along_y(&f[2], i, s) - step[2] * cw_ecsim_along_z(&f[1], i, s);
}

static inline CW_HOST_DEVICE double cw_ecsim_curl_y(const cw_ecsim_rows f[3], const double step[3],
                                                    int64_t i, int64_t s) {
  return step[2] * cw_ecsim_along_z(&f[0], i, s) - step[0] * cw_ecsim_along_x(&f[2], i, s);
}

static inline CW_HOST_DEVICE double cw_ecsim_curl_z(const cw_ecsim_rows f[3], const double step[3],
                                                    int64_t i, int64_t s) {
  return step[0] * cw_ecsim_along_x(&f[1], i, s) - step[1] * cw_ecsim_along_y(&f[0], i, s);
}

static inline CW_HOST_DEVICE double cw_ecsim_divergence_of(const cw_ecsim_rows f[3],
                                                           const double step[3], int64_t i,
                                                           int64_t s) {
  return step[0] * cw_ecsim_along_x(&f[0], i, s) + step[1] * cw_ecsim_along_y(&f[1], i, s) +
         step[2] * cw_ecsim_along_z(&f[2], i, s);
}

#endif
