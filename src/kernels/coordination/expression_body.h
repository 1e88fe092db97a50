/* Evaluates a cw_expression on CW_LANES points: value and derivative (dual numbers, exact to
 * round-off). Needs cw_real (base/real.h), CW_MATH and CW_LANES; device code defines CW_BODY. */

#ifndef CW_BODY
#define CW_BODY static inline
#endif

typedef struct CW_REAL_NAME(cw_dual) {
  cw_real v[CW_LANES], d[CW_LANES];
} CW_REAL_NAME(cw_dual);

/* f(a): value and f'(a) a'. `t` is the argument; both expressions may use l. */
#define CW_DUAL_CHAIN(value, slope)                                                                \
  CW_EACH_LANE {                                                                                   \
    cw_real t = a->v[l], f = (cw_real)(value);                                                     \
    cw_real k = (cw_real)(slope);                                                                  \
    a->d[l] = a->d[l] == 0 ? 0 : k * a->d[l];                                                      \
    a->v[l] = f;                                                                                   \
  }                                                                                                \
  break

/* y = x^n, n >= 0 the same on all lanes. */
CW_BODY void CW_REAL_NAME(cw_power)(int n, const cw_real *x, cw_real *y) {
  cw_real base[CW_LANES];
  CW_EACH_LANE base[l] = x[l], y[l] = 1;
  while (n > 0) {
    if (n & 1)
      CW_EACH_LANE y[l] *= base[l];
    n >>= 1;
    if (n > 0)
      CW_EACH_LANE base[l] *= base[l];
  }
}

CW_BODY void CW_REAL_NAME(cw_dual_integer_power)(CW_REAL_NAME(cw_dual) * a, int n) {
  const int m = n < 0 ? -n : n;
  cw_real below[CW_LANES]; /* a^(m-1) */
  CW_REAL_NAME(cw_power)(m > 0 ? m - 1 : 0, a->v, below);
  CW_EACH_LANE {
    cw_real power = m == 0 ? 1 : below[l] * a->v[l];
    cw_real slope = (cw_real)m * below[l];
    a->v[l] = n < 0 ? 1 / power : power;
    a->d[l] *= n < 0 ? -slope / (power * power) : slope;
  }
}

CW_BODY void CW_REAL_NAME(cw_dual_one)(int operation, int index, CW_REAL_NAME(cw_dual) * a) {
  switch (operation) {
  case CW_OP_NEGATE:
    CW_DUAL_CHAIN(-t, -1);
  case CW_OP_INTEGER_POWER:
    CW_REAL_NAME(cw_dual_integer_power)(a, index);
    break;
  case CW_OP_SQRT:
    CW_DUAL_CHAIN(CW_MATH(sqrt)(t), (cw_real)0.5 / f);
  case CW_OP_EXP:
    CW_DUAL_CHAIN(CW_MATH(exp)(t), f);
  case CW_OP_LOG:
    CW_DUAL_CHAIN(CW_MATH(log)(t), 1 / t);
  case CW_OP_SIN:
    CW_DUAL_CHAIN(CW_MATH(sin)(t), CW_MATH(cos)(t));
  case CW_OP_COS:
    CW_DUAL_CHAIN(CW_MATH(cos)(t), -CW_MATH(sin)(t));
  case CW_OP_TAN:
    CW_DUAL_CHAIN(CW_MATH(tan)(t), 1 + f * f);
  case CW_OP_ASIN:
    CW_DUAL_CHAIN(CW_MATH(asin)(t), 1 / CW_MATH(sqrt)(1 - t * t));
  case CW_OP_ACOS:
    CW_DUAL_CHAIN(CW_MATH(acos)(t), -1 / CW_MATH(sqrt)(1 - t * t));
  case CW_OP_ATAN:
    CW_DUAL_CHAIN(CW_MATH(atan)(t), 1 / (1 + t * t));
  case CW_OP_SINH:
    CW_DUAL_CHAIN(CW_MATH(sinh)(t), CW_MATH(cosh)(t));
  case CW_OP_COSH:
    CW_DUAL_CHAIN(CW_MATH(cosh)(t), CW_MATH(sinh)(t));
  case CW_OP_TANH:
    CW_DUAL_CHAIN(CW_MATH(tanh)(t), 1 - f * f);
  case CW_OP_ERF:
    CW_DUAL_CHAIN(CW_MATH(erf)(t), 1.1283791670955126 * (double)CW_MATH(exp)(-t * t));
  case CW_OP_ERFC:
    CW_DUAL_CHAIN(CW_MATH(erfc)(t), -1.1283791670955126 * (double)CW_MATH(exp)(-t * t));
  case CW_OP_STEP:
    CW_DUAL_CHAIN(t >= 0 ? 1 : 0, 0);
  case CW_OP_SQUARE:
    CW_DUAL_CHAIN(t * t, 2 * t);
  case CW_OP_CUBE:
    CW_DUAL_CHAIN(t * t * t, 3 * t * t);
  case CW_OP_RECIP:
    CW_DUAL_CHAIN(1 / t, -f * f);
  case CW_OP_ABS:
    CW_DUAL_CHAIN(CW_MATH(fabs)(t), t > 0 ? 1 : t < 0 ? -1 : 0);
  case CW_OP_FLOOR:
    CW_DUAL_CHAIN(CW_MATH(floor)(t), 0);
  case CW_OP_CEIL:
    CW_DUAL_CHAIN(CW_MATH(ceil)(t), 0);
  default:
    break;
  }
}

/* One operation on two operands: value v and derivative d from x, dx and y, dy. */
#define CW_DUAL_PAIR(value, derivative)                                                            \
  CW_EACH_LANE {                                                                                   \
    cw_real x = a->v[l], dx = a->d[l], y = b->v[l], dy = b->d[l], v = (value);                     \
    a->d[l] = (derivative);                                                                        \
    a->v[l] = v;                                                                                   \
    (void)x, (void)dx, (void)y, (void)dy;                                                          \
  }                                                                                                \
  break

/* a = a op b, or a = select(a, b, b[1]). */
CW_BODY void CW_REAL_NAME(cw_dual_more)(int operation, CW_REAL_NAME(cw_dual) * a,
                                        const CW_REAL_NAME(cw_dual) * b) {
  switch (operation) {
  case CW_OP_ADD:
    CW_DUAL_PAIR(x + y, dx + dy);
  case CW_OP_SUBTRACT:
    CW_DUAL_PAIR(x - y, dx - dy);
  case CW_OP_MULTIPLY:
    CW_DUAL_PAIR(x * y, dx * y + x * dy);
  case CW_OP_DIVIDE:
    CW_DUAL_PAIR(x / y, (dx - v * dy) / y);
  case CW_OP_POWER:
    CW_DUAL_PAIR(CW_MATH(pow)(x, y), (dx == 0 ? 0 : y * CW_MATH(pow)(x, y - 1) * dx) +
                                         (dy == 0 || v == 0 ? 0 : v * CW_MATH(log)(x) * dy));
  case CW_OP_MIN:
    CW_DUAL_PAIR(x < y ? x : y, x < y ? dx : dy);
  case CW_OP_MAX:
    CW_DUAL_PAIR(x > y ? x : y, x > y ? dx : dy);
  case CW_OP_ATAN2:
    CW_DUAL_PAIR(CW_MATH(atan2)(x, y), (dx * y - x * dy) / (x * x + y * y));
  case CW_OP_SELECT:
    CW_DUAL_PAIR(x != 0 ? y : b[1].v[l], x != 0 ? dy : b[1].d[l]);
  default:
    break;
  }
}

/* variables[k] holds the k-th variable and its derivative; may be NULL when none is used. */
CW_BODY CW_REAL_NAME(cw_dual)
    CW_REAL_NAME(cw_expression_lanes)(const cw_expression *expression,
                                      const CW_REAL_NAME(cw_dual) * variables) {
  CW_REAL_NAME(cw_dual) stack[CW_EXPRESSION_DEPTH];
  int top = -1;
  for (int k = 0; k < expression->length; k++) {
    const cw_instruction *at = &expression->code[k];
    if (at->operation == CW_OP_CONSTANT) {
      top++;
      CW_EACH_LANE stack[top].v[l] = (cw_real)at->value, stack[top].d[l] = 0;
    } else if (at->operation == CW_OP_VARIABLE) {
      stack[++top] = variables[at->index];
    } else {
      int operands = cw_expression_operands(at->operation);
      top -= operands - 1;
      if (operands == 1)
        CW_REAL_NAME(cw_dual_one)(at->operation, at->index, &stack[top]);
      else
        CW_REAL_NAME(cw_dual_more)(at->operation, &stack[top], &stack[top + 1]);
    }
  }
  return stack[0];
}
#undef CW_DUAL_CHAIN
#undef CW_DUAL_PAIR
