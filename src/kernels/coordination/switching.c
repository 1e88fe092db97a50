#include "kernels/coordination/switching.h"

#include <float.h>
#include <math.h>

#define CW_REAL_IS_DOUBLE 1
#include "base/real.h"
#define CW_LANES      1
#define CW_EACH_LANE  for (int l = 0; l < CW_LANES; l++)
#define CW_MATH(name) name
#include "kernels/coordination/switching_body.h"

enum { MAX_EXPONENT = 1000 };

static const char *const variables[] = {"x", "x2"};

static cw_status init_rational(cw_context *context, const cw_switching_options *o,
                               cw_switching *s) {
  int nn = o->nn ? o->nn : 6, mm = o->mm ? o->mm : 2 * nn;
  if (nn < 1 || mm <= nn || mm > MAX_EXPONENT)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "RATIONAL: NN is %d and MM is %d; expected 0 < NN < MM <= %d", nn, mm,
                   MAX_EXPONENT);
  if (o->implicit_d_max && o->d_max == 0)
    s->range = o->d_0 + o->r_0 * pow(1e-5, 1.0 / (nn - mm));
  int even = o->d_0 == 0 && nn % 2 == 0 && mm % 2 == 0, half = mm == 2 * nn;
  s->form = half ? (even ? CW_FORM_HALF_EVEN : CW_FORM_HALF)
                 : (even ? CW_FORM_QUOTIENT_EVEN : CW_FORM_QUOTIENT);
  s->nn = even ? nn / 2 : nn;
  s->mm = even ? mm / 2 : mm;
  /* Both x^mm and (x^nn)^2 stay finite below the limit. */
  double power = s->mm > 2 * s->nn ? s->mm : 2 * s->nn;
  s->limit_single = pow(1e35, 1 / power);
  s->limit_double = pow(1e300, 1 / power);
  return CW_OK;
}

static cw_status init_smap(cw_context *context, const cw_switching_options *o, cw_switching *s) {
  if (o->a < 1 || o->b < 1 || o->a > MAX_EXPONENT || o->b > MAX_EXPONENT)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "SMAP: A is %d and B is %d; expected whole numbers from 1 to %d", o->a, o->b,
                   MAX_EXPONENT);
  s->a = o->a;
  s->smap_c = pow(2, (double)o->a / o->b) - 1;
  s->smap_b = o->b;
  s->smap_power = -(double)o->b / o->a;
  s->limit_single = pow(1e35 / fmax(1, s->smap_c * o->b), 1.0 / o->a);
  s->limit_double = pow(1e300 / fmax(1, s->smap_c * o->b), 1.0 / o->a);
  if (!isfinite(s->smap_c) || !(s->limit_single > 1))
    return cw_fail(context, CW_ERROR_ARGUMENT, "SMAP: 2^(A/B) with A %d, B %d is too large", o->a,
                   o->b);
  return CW_OK;
}

static cw_status init_q(cw_context *context, const cw_switching_options *o, cw_switching *s) {
  s->beta = o->beta == 0 ? 50 : o->beta;
  double lambda = o->lambda == 0 ? 1.8 : o->lambda;
  s->centre = lambda * o->ref;
  if (!(o->ref > 0) || !(s->beta > 0) || !(lambda > 0) || !isfinite(s->beta * s->centre))
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "Q: BETA is %g, LAMBDA %g, REF %g; expected positive numbers", s->beta, lambda,
                   o->ref);
  return CW_OK;
}

static cw_status init_custom(cw_context *context, const cw_switching_options *o, cw_switching *s) {
  if (!o->function)
    return cw_fail(context, CW_ERROR_ARGUMENT, "CUSTOM: the expression FUNC is missing");
  return cw_expression_compile(context, o->function, variables, 2, &s->function);
}

static cw_status init_type(cw_context *context, const cw_switching_options *o, cw_switching *s) {
  switch (o->type) {
  case CW_SWITCHING_RATIONAL:
    return init_rational(context, o, s);
  case CW_SWITCHING_SMAP:
    s->form = CW_FORM_SMAP;
    return init_smap(context, o, s);
  case CW_SWITCHING_Q:
    s->form = CW_FORM_Q;
    return init_q(context, o, s);
  case CW_SWITCHING_CUSTOM:
    s->form = CW_FORM_CUSTOM;
    return init_custom(context, o, s);
  case CW_SWITCHING_CUBIC:
    s->form = CW_FORM_CUBIC;
    s->inverse_r_0 = 1 / (o->d_max - o->d_0);
    return CW_OK;
  case CW_SWITCHING_EXP:
    s->form = CW_FORM_EXP;
    return CW_OK;
  case CW_SWITCHING_GAUSSIAN:
    s->form = CW_FORM_GAUSSIAN;
    return CW_OK;
  case CW_SWITCHING_TANH:
    s->form = CW_FORM_TANH;
    return CW_OK;
  case CW_SWITCHING_COSINUS:
    s->form = CW_FORM_COSINUS;
    if (o->d_max == 0)
      s->range = o->d_0 + o->r_0; /* where s has come to 0 by itself */
    return CW_OK;
  }
  return cw_fail(context, CW_ERROR_ARGUMENT, "the switching function's type is %d", (int)o->type);
}

static cw_status check_lengths(cw_context *context, const cw_switching_options *o) {
  int cubic = o->type == CW_SWITCHING_CUBIC;
  if (!cubic && !(o->r_0 > 0 && isfinite(o->r_0)))
    return cw_fail(context, CW_ERROR_ARGUMENT, "R_0 is %g; expected a positive length", o->r_0);
  if (!isfinite(o->d_0))
    return cw_fail(context, CW_ERROR_ARGUMENT, "D_0 is %g; expected a length", o->d_0);
  if (cubic && !(o->d_max > 0))
    return cw_fail(context, CW_ERROR_ARGUMENT, "CUBIC: D_MAX is missing");
  if (o->d_max != 0 && !(o->d_max > 0 && o->d_max > o->d_0 && isfinite(o->d_max)))
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "D_MAX is %g; expected a positive length above D_0 = %g", o->d_max, o->d_0);
  return CW_OK;
}

cw_status cw_switching_init(cw_context *context, const cw_switching_options *options,
                            cw_switching *switching) {
  *switching = (cw_switching){.inverse_r_0 = 1 / options->r_0,
                              .d_0 = options->d_0,
                              .stretch = 1,
                              .limit_single = FLT_MAX,
                              .limit_double = DBL_MAX};
  CW_TRY(check_lengths(context, options));
  switching->range = options->d_max > 0 ? options->d_max : HUGE_VAL;
  CW_TRY(init_type(context, options, switching));
  switching->range2 = switching->range * switching->range;
  int has_d_max =
      options->d_max > 0 || (options->type == CW_SWITCHING_RATIONAL && options->implicit_d_max);
  if (!has_d_max || options->no_stretch)
    return CW_OK;
  double at_0 = cw_switching_value(switching, 0, NULL);
  double at_end = cw_switching_value(switching, switching->range, NULL);
  if (!(fabs(at_0 - at_end) > 1e-12))
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "the function is %g at 0 and %g at D_MAX = %g: it cannot be stretched", at_0,
                   at_end, switching->range);
  switching->stretch = 1 / (at_0 - at_end);
  switching->shift = -at_end * switching->stretch;
  return CW_OK;
}

double cw_switching_value(const cw_switching *switching, double r, double *derivative) {
  double s = 0, g = 0, r2 = r * r;
  if (r <= switching->range)
    cw_switching_lanes_f64(switching, &r2, &s, &g);
  if (derivative)
    *derivative = g * r;
  return s;
}
