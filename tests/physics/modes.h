/* Fourier amplitude of one field component along x in a 1D run, and rates from series of it. */
#ifndef CW_TESTS_PHYSICS_MODES_H
#define CW_TESTS_PHYSICS_MODES_H

#include <math.h>

#include "base/reals.h"
#include "engine/engine.h"

#define TWO_PI 6.283185307179586476925286766559

/* sin and cos parts of wave `mode` along axis 0 of component c, averaged over the other axes. */
static inline void mode_parts(cw_engine *engine, cw_vector_view view, int c, int mode,
                              double parts[2]) {
  const cw_grid *grid = cw_engine_grid(engine);
  double sine = 0, cosine = 0, cells = 0;
  for (int32_t k = 0; k < grid->cells[2]; k++)
    for (int32_t j = 0; j < grid->cells[1]; j++)
      for (int32_t i = 0; i < grid->cells[0]; i++) {
        double value = cw_real_get(view.component[c], view.precision, cw_grid_index(grid, i, j, k));
        double phase = TWO_PI * mode * i / grid->cells[0];
        sine += value * sin(phase);
        cosine += value * cos(phase);
        cells += 1;
      }
  parts[0] = 2 * sine / cells;
  parts[1] = 2 * cosine / cells;
}

static inline double mode_amplitude(cw_engine *engine, cw_vector_view view, int c, int mode) {
  double parts[2];
  mode_parts(engine, view, c, mode, parts);
  return hypot(parts[0], parts[1]);
}

/* Slope of log(amplitude) against time by least squares over the samples between low and high, from
 * the first time that the amplitude passes low until it first passes high; NAN with fewer than 10. */
static inline double growth_rate(const double *time, const double *amplitude, int count, double low,
                                 double high) {
  double n = 0, st = 0, sl = 0, stt = 0, stl = 0;
  int started = 0;
  for (int k = 0; k < count; k++) {
    if (!started && amplitude[k] < low)
      continue;
    started = 1;
    if (!(amplitude[k] < high))
      break;
    double l = log(amplitude[k]);
    n += 1, st += time[k], sl += l, stt += time[k] * time[k], stl += time[k] * l;
  }
  return n < 10 ? NAN : (n * stl - st * sl) / (n * stt - st * st);
}

#endif
