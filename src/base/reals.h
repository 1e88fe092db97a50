/* One value of an array that holds floats or doubles, and the largest of many. For loops that are
 * not hot. */
#ifndef CW_BASE_REALS_H
#define CW_BASE_REALS_H

#include <math.h>
#include <stdint.h>

#include <cellwise/context.h>

static inline double cw_real_get(const void *array, cw_precision precision, int64_t k) {
  return precision == CW_DOUBLE ? ((const double *)array)[k] : (double)((const float *)array)[k];
}

static inline void cw_real_set(void *array, cw_precision precision, int64_t k, double value) {
  if (precision == CW_DOUBLE)
    ((double *)array)[k] = value;
  else
    ((float *)array)[k] = (float)value;
}

/* fmax for the largest of many, which keeps a NaN where fmax passes over it. */
static inline double cw_larger(double largest, double value) {
  return value > largest || isnan(value) ? value : largest;
}

#endif
