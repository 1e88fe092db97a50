/* The antenna's current at a place: the same bits on the host and on a device, where it is compiled
 * without contraction. */
#ifndef CW_SETUP_ANTENNA_BODY_H
#define CW_SETUP_ANTENNA_BODY_H

#include <stdint.h>

#include "base/host_device.h"

enum { CW_ANTENNA_MODES = 256 };

/* Its waves at the places of a grid. Arrays of pairs hold real and imaginary parts. */
typedef struct cw_antenna_waves {
  int count;         /* modes */
  int32_t cells[3];  /* places along each axis */
  double *amplitude; /* [count] pairs */
  double *weight[3]; /* [count] of a mode in each component of the current; NULL: it has none */
  double
      *wave[3][2]; /* [count][cells] pairs exp(i k_a x) along axis a, on nodes and half a cell on */
} cw_antenna_waves;

/* What the places of a row along axis 0 have in common in component c of mode m. */
static inline CW_HOST_DEVICE void cw_antenna_row(const cw_antenna_waves *of, int c, int m,
                                                 int64_t j, int64_t k, double factor[2]) {
  const double *y = of->wave[1][c == 1] + 2 * (m * (int64_t)of->cells[1] + j);
  const double *z = of->wave[2][c == 2] + 2 * (m * (int64_t)of->cells[2] + k);
  const double *a = of->amplitude + 2 * m, weight = of->weight[c][m];
  const double re = y[0] * z[0] - y[1] * z[1], im = y[0] * z[1] + y[1] * z[0];
  factor[0] = weight * (a[0] * re - a[1] * im);
  factor[1] = weight * (a[0] * im + a[1] * re);
}

/* Component c of mode m at place i of such a row. */
static inline CW_HOST_DEVICE double cw_antenna_at(const cw_antenna_waves *of, int c, int m,
                                                  int64_t i, const double factor[2]) {
  const double *x = of->wave[0][c == 0] + 2 * (m * (int64_t)of->cells[0] + i);
  return factor[0] * x[0] - factor[1] * x[1];
}

#endif
