/* The switching functions: s(r) and g = s'(r)/r at CW_LANES squared distances. The only copy, for
 * float and double, CPU and device (where CW_LANES is 1). Formulas: cellwise/coordination.h.
 *
 * Needs cw_real and CW_REAL_NAME (base/real.h), CW_LANES, CW_EACH_LANE (a loop over lanes l) and
 * CW_MATH. Lanes are independent and most loops over them are free of branches: vector code. */

#include "kernels/coordination/expression_body.h"

/* 1 / (1 + x^n) and its derivative by x. */
CW_BODY void CW_REAL_NAME(cw_half)(int n, const cw_real *x, cw_real *s, cw_real *ds) {
  cw_real below[CW_LANES];
  CW_REAL_NAME(cw_power)(n - 1, x, below);
  CW_EACH_LANE {
    s[l] = 1 / (1 + below[l] * x[l]);
    ds[l] = -(cw_real)n * below[l] * s[l] * s[l];
  }
}

/* P_n(x) = 1 + x + ... + x^(n-1) = (1 - x^n)/(1 - x) and its derivative, by Horner's rule. */
CW_BODY cw_real CW_REAL_NAME(cw_geometric)(int n, cw_real x, cw_real *derivative) {
  cw_real p = 1, d = 0;
  for (int k = 1; k < n; k++)
    d = d * x + p, p = p * x + 1;
  *derivative = d;
  return p;
}

/* (1 - x^n)/(1 - x^m) and its derivative by x. Near x = 1 numerator and denominator vanish together
 * and the quotient loses digits; there P_n/P_m is taken, which has no cancellation in the value and
 * a mild one, by (m - 1)/(m - n), in the derivative. */
CW_BODY void CW_REAL_NAME(cw_quotient)(int n, int m, const cw_real *x, cw_real *s, cw_real *ds) {
  cw_real pn[CW_LANES], pm[CW_LANES];
  CW_REAL_NAME(cw_power)(n - 1, x, pn);
  CW_REAL_NAME(cw_power)(m - 1, x, pm);
  CW_EACH_LANE {
    cw_real denominator = 1 / (1 - pm[l] * x[l]);
    s[l] = (1 - pn[l] * x[l]) * denominator;
    ds[l] = ((cw_real)m * pm[l] * s[l] - (cw_real)n * pn[l]) * denominator;
  }
  for (int l = 0; l < CW_LANES; l++) {
    cw_real dn, dm;
    if (!(CW_MATH(fabs)(x[l] - 1) < (cw_real)0.25))
      continue;
    cw_real top = CW_REAL_NAME(cw_geometric)(n, x[l], &dn);
    cw_real bottom = CW_REAL_NAME(cw_geometric)(m, x[l], &dm);
    s[l] = top / bottom;
    ds[l] = (dn - s[l] * dm) / bottom;
  }
}

CW_BODY void CW_REAL_NAME(cw_smap)(const cw_switching *p, const cw_real *x, cw_real *s,
                                   cw_real *ds) {
  cw_real below[CW_LANES], c = (cw_real)p->smap_c;
  CW_REAL_NAME(cw_power)(p->a - 1, x, below);
  CW_EACH_LANE {
    cw_real base = 1 + c * below[l] * x[l];
    s[l] = CW_MATH(pow)(base, (cw_real)p->smap_power);
    ds[l] = -(cw_real)p->smap_b * c * below[l] * s[l] / base;
  }
}

CW_BODY void CW_REAL_NAME(cw_custom)(const cw_switching *p, const cw_real *x, cw_real *s,
                                     cw_real *ds) {
  CW_REAL_NAME(cw_dual) variables[2];
  CW_EACH_LANE {
    variables[0].v[l] = x[l], variables[0].d[l] = 1;
    variables[1].v[l] = x[l] * x[l], variables[1].d[l] = 2 * x[l];
  }
  CW_REAL_NAME(cw_dual) f = CW_REAL_NAME(cw_expression_lanes)(&p->function, variables);
  CW_EACH_LANE s[l] = f.v[l], ds[l] = f.d[l];
}

/* s and ds/dx for x > 0, by form. */
CW_BODY void CW_REAL_NAME(cw_switching_of_x)(const cw_switching *p, const cw_real *r,
                                             const cw_real *x, cw_real *s, cw_real *ds) {
  const cw_real pi = (cw_real)3.14159265358979323846;
  const cw_real largest = CW_REAL_IS_DOUBLE ? 700 : 80; /* e to that power is finite */
  switch (p->form) {
  case CW_FORM_HALF:
    CW_REAL_NAME(cw_half)(p->nn, x, s, ds);
    break;
  case CW_FORM_QUOTIENT:
    CW_REAL_NAME(cw_quotient)(p->nn, p->mm, x, s, ds);
    break;
  case CW_FORM_EXP:
    CW_EACH_LANE s[l] = CW_MATH(exp)(-x[l]), ds[l] = -s[l];
    break;
  case CW_FORM_GAUSSIAN:
    CW_EACH_LANE s[l] = CW_MATH(exp)(-x[l] * x[l] / 2), ds[l] = -x[l] * s[l];
    break;
  case CW_FORM_SMAP:
    CW_REAL_NAME(cw_smap)(p, x, s, ds);
    break;
  case CW_FORM_Q:
    CW_EACH_LANE {
      cw_real t = (cw_real)p->beta * (r[l] - (cw_real)p->centre);
      cw_real e = CW_MATH(exp)(t < largest ? t : largest);
      s[l] = 1 / (1 + e);
      ds[l] = -(cw_real)(p->beta / p->inverse_r_0) * e * s[l] * s[l];
    }
    break;
  case CW_FORM_CUBIC:
    CW_EACH_LANE {
      cw_real y = x[l] < 1 ? x[l] : 1, t = y - 1;
      s[l] = t * t * (1 + 2 * y);
      ds[l] = 6 * t * y;
    }
    break;
  case CW_FORM_TANH:
    CW_EACH_LANE {
      cw_real t = CW_MATH(tanh)(x[l]);
      s[l] = 1 - t;
      ds[l] = -(1 - t * t);
    }
    break;
  case CW_FORM_COSINUS:
    CW_EACH_LANE {
      s[l] = x[l] <= 1 ? (CW_MATH(cos)(pi * x[l]) + 1) / 2 : 0;
      ds[l] = x[l] <= 1 ? -pi * CW_MATH(sin)(pi * x[l]) / 2 : 0;
    }
    break;
  default:
    CW_REAL_NAME(cw_custom)(p, x, s, ds);
  }
}

/* s and g = s'(r)/r, stretched. Distances beyond the range must have been left out. */
CW_BODY void CW_REAL_NAME(cw_switching_lanes)(const cw_switching *p, const cw_real *r2, cw_real *s,
                                              cw_real *g) {
  const cw_real stretch = (cw_real)p->stretch, shift = (cw_real)p->shift;
  const cw_real limit = (cw_real)(CW_REAL_IS_DOUBLE ? p->limit_double : p->limit_single);
  const cw_real inverse = (cw_real)p->inverse_r_0, d_0 = (cw_real)p->d_0;
  if (p->form == CW_FORM_HALF_EVEN || p->form == CW_FORM_QUOTIENT_EVEN) {
    cw_real u[CW_LANES], du[CW_LANES], inverse2 = inverse * inverse;
    CW_EACH_LANE u[l] = r2[l] * inverse2 < limit ? r2[l] * inverse2 : limit;
    if (p->form == CW_FORM_HALF_EVEN)
      CW_REAL_NAME(cw_half)(p->nn, u, s, du);
    else
      CW_REAL_NAME(cw_quotient)(p->nn, p->mm, u, s, du);
    CW_EACH_LANE s[l] = stretch * s[l] + shift, g[l] = 2 * inverse2 * stretch * du[l];
    return;
  }
  cw_real r[CW_LANES], x[CW_LANES], ds[CW_LANES];
  CW_EACH_LANE {
    r[l] = CW_MATH(sqrt)(r2[l]);
    cw_real t = (r[l] - d_0) * inverse;
    x[l] = t < limit ? (t > 0 ? t : 0) : limit;
  }
  CW_REAL_NAME(cw_switching_of_x)(p, r, x, s, ds);
  CW_EACH_LANE {
    cw_real slope = r[l] > 0 ? inverse * ds[l] / r[l] : 0;
    s[l] = stretch * (x[l] > 0 ? s[l] : 1) + shift;
    g[l] = x[l] > 0 ? stretch * slope : 0;
  }
}
