/* Switching functions with their parameters resolved: a plain struct, the same on host and device.
 */
#ifndef CW_KERNELS_COORDINATION_SWITCHING_H
#define CW_KERNELS_COORDINATION_SWITCHING_H

#include <cellwise/coordination.h>

#include "kernels/coordination/expression.h"

/* How a function is evaluated: the types, and the rational one by what its exponents allow. */
typedef enum cw_switching_form {
  CW_FORM_HALF_EVEN = 0, /* mm = 2 nn, nn even, d_0 = 0: products of r^2 only */
  CW_FORM_HALF,          /* mm = 2 nn */
  CW_FORM_QUOTIENT_EVEN, /* nn and mm even, d_0 = 0 */
  CW_FORM_QUOTIENT,
  CW_FORM_EXP,
  CW_FORM_GAUSSIAN,
  CW_FORM_SMAP,
  CW_FORM_Q,
  CW_FORM_CUBIC,
  CW_FORM_TANH,
  CW_FORM_COSINUS,
  CW_FORM_CUSTOM
} cw_switching_form;

typedef struct cw_switching {
  cw_switching_form form;
  int nn, mm;              /* exponents in the form's variable: x, or u = x^2 where EVEN */
  int a;                   /* SMAP */
  double inverse_r_0, d_0; /* CUBIC: 1 / (d_max - d_0) */
  double beta, centre;     /* Q: centre = lambda ref */
  double smap_c, smap_b, smap_power; /* 2^(a/b) - 1, b, -b/a */
  double stretch, shift;             /* s -> stretch s + shift */
  double range, range2;              /* d_max and its square, or HUGE_VAL */
  /* Powers of a variable above these overflow; there s is 0 to round-off, so it is clamped. */
  double limit_single, limit_double;
  cw_expression function; /* CUSTOM, in x (0) and x2 (1) */
} cw_switching;

/* Errors: CW_ERROR_ARGUMENT (names the parameter), CW_ERROR_INPUT (the expression). */
cw_status cw_switching_init(cw_context *context, const cw_switching_options *options,
                            cw_switching *switching);
/* s at distance r and (if not NULL) ds/dr, in double. */
double cw_switching_value(const cw_switching *switching, double r, double *derivative);

#endif
