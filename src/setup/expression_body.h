/* The functions of expressions, once for all: the list that the syntax check, muParser and devices
 * share, and a stack machine that evaluates a compiled expression on the host or on a device.
 *
 * A program is a list of instructions: numbers and variables are pushed, the others take their
 * operands from the stack's top and leave their value there. There are no jumps: both sides of a
 * ?: are evaluated and one of the values is dropped, which differs in nothing, as expressions have
 * no effects; so the threads of a warp stay together. */
#ifndef CW_SETUP_EXPRESSION_BODY_H
#define CW_SETUP_EXPRESSION_BODY_H

#include <math.h>
#include <stdint.h>

#include "base/host_device.h"

/* X(name, function of C): of one argument, and of two. */
#define CW_EXPRESSION_ONE(X)                                                                       \
  X(sin, sin)                                                                                      \
  X(cos, cos)                                                                                      \
  X(tan, tan)                                                                                      \
  X(asin, asin)                                                                                    \
  X(acos, acos)                                                                                    \
  X(atan, atan)                                                                                    \
  X(sinh, sinh)                                                                                    \
  X(cosh, cosh)                                                                                    \
  X(tanh, tanh)                                                                                    \
  X(sech, cw_expression_sech)                                                                      \
  X(asinh, asinh)                                                                                  \
  X(acosh, acosh)                                                                                  \
  X(atanh, atanh)                                                                                  \
  X(exp, exp)                                                                                      \
  X(log, log)                                                                                      \
  X(ln, log)                                                                                       \
  X(log2, log2)                                                                                    \
  X(log10, log10)                                                                                  \
  X(sqrt, sqrt)                                                                                    \
  X(cbrt, cbrt)                                                                                    \
  X(abs, fabs)                                                                                     \
  X(sign, cw_expression_sign)                                                                      \
  X(step, cw_expression_step)                                                                      \
  X(floor, floor)                                                                                  \
  X(ceil, ceil)                                                                                    \
  X(round, round)                                                                                  \
  X(erf, erf)                                                                                      \
  X(erfc, erfc)
#define CW_EXPRESSION_TWO(X)                                                                       \
  X(atan2, atan2)                                                                                  \
  X(pow, pow)                                                                                      \
  X(mod, cw_expression_mod)                                                                        \
  X(hypot, hypot)
/* X(name, which of two), NaN where one is: of 1 to 16 arguments. */
#define CW_EXPRESSION_MANY(X)                                                                      \
  X(min, cw_expression_least)                                                                      \
  X(max, cw_expression_most)

static inline CW_HOST_DEVICE double cw_expression_sech(double x) {
  return 1 / cosh(x);
}
static inline CW_HOST_DEVICE double cw_expression_sign(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}
static inline CW_HOST_DEVICE double cw_expression_step(double x) {
  return x < 0 ? 0 : 1;
}
/* The remainder with the sign of b: mod(-1, 3) = 2. */
static inline CW_HOST_DEVICE double cw_expression_mod(double a, double b) {
  return a - b * floor(a / b);
}
/* NaN where an argument is NaN, unlike fmin. */
static inline CW_HOST_DEVICE double cw_expression_least(double a, double b) {
  return b < a || isnan(b) ? b : a;
}
static inline CW_HOST_DEVICE double cw_expression_most(double a, double b) {
  return b > a || isnan(b) ? b : a;
}
/* By the number of operands: none, one, two, three, any. */
typedef enum cw_expression_code {
  CW_CODE_NUMBER = 0, /* pushes `number` */
  CW_CODE_VARIABLE,   /* pushes variable `count`: x, y, z, t */
  CW_CODE_NEGATE,
#define CW_CODE_ENUM(name, function) CW_CODE_##name,
  CW_EXPRESSION_ONE(CW_CODE_ENUM) /* */
  CW_CODE_ADD,
  CW_CODE_SUBTRACT,
  CW_CODE_MULTIPLY,
  CW_CODE_DIVIDE,
  CW_CODE_POWER,
  CW_CODE_EQUAL,
  CW_CODE_UNEQUAL,
  CW_CODE_LESS,
  CW_CODE_LESS_EQUAL,
  CW_CODE_GREATER,
  CW_CODE_GREATER_EQUAL,
  CW_CODE_AND,
  CW_CODE_OR,
  CW_EXPRESSION_TWO(CW_CODE_ENUM) /* */
  CW_CODE_CHOOSE,                 /* condition, value, other */
  CW_EXPRESSION_MANY(CW_CODE_ENUM)
#undef CW_CODE_ENUM
} cw_expression_code;

typedef struct cw_expression_instruction {
  int32_t code, count; /* count: the variable; operands of min and max */
  double number;
} cw_expression_instruction;

static inline CW_HOST_DEVICE double cw_expression_of_one(int code, double x) {
  switch (code) {
  case CW_CODE_NEGATE:
    return -x;
#define CW_CODE_CASE(name, function)                                                               \
  case CW_CODE_##name:                                                                             \
    return function(x);
    CW_EXPRESSION_ONE(CW_CODE_CASE)
#undef CW_CODE_CASE
  }
  return x;
}

static inline CW_HOST_DEVICE double cw_expression_of_two(int code, double a, double b) {
  switch (code) {
  case CW_CODE_ADD:
    return a + b;
  case CW_CODE_SUBTRACT:
    return a - b;
  case CW_CODE_MULTIPLY:
    return a * b;
  case CW_CODE_DIVIDE:
    return a / b;
  case CW_CODE_POWER:
    return pow(a, b);
  case CW_CODE_EQUAL:
    return a == b;
  case CW_CODE_UNEQUAL:
    return a != b;
  case CW_CODE_LESS:
    return a < b;
  case CW_CODE_LESS_EQUAL:
    return a <= b;
  case CW_CODE_GREATER:
    return a > b;
  case CW_CODE_GREATER_EQUAL:
    return a >= b;
  case CW_CODE_AND:
    return a != 0 && b != 0;
  case CW_CODE_OR:
    return a != 0 || b != 0;
#define CW_CODE_CASE(name, function)                                                               \
  case CW_CODE_##name:                                                                             \
    return function(a, b);
    CW_EXPRESSION_TWO(CW_CODE_CASE)
    CW_EXPRESSION_MANY(CW_CODE_CASE)
#undef CW_CODE_CASE
  }
  return a;
}

/* The value at variable[0..4): x, y, z, t. stack[k * stride], k below the program's depth, is
 * overwritten; the stack's top stands in `top`, what is below it in the array. */
static inline CW_HOST_DEVICE double cw_expression_run(const cw_expression_instruction *program,
                                                      int length, const double variable[4],
                                                      double *stack, int64_t stride) {
  double top = 0;
  for (int n = 0; n < length; n++) {
    const cw_expression_instruction now = program[n];
    if (now.code <= CW_CODE_VARIABLE) {
      *stack = top; /* of the first one: nothing */
      stack += stride;
      top = now.code == CW_CODE_NUMBER ? now.number : variable[now.count];
    } else if (now.code < CW_CODE_ADD) {
      top = cw_expression_of_one(now.code, top);
    } else if (now.code == CW_CODE_CHOOSE) {
      stack -= 2 * stride;
      top = *stack != 0 ? stack[stride] : top;
    } else {
      const int joins = now.code > CW_CODE_CHOOSE ? now.count - 1 : 1;
      for (int k = 0; k < joins; k++) {
        stack -= stride;
        top = cw_expression_of_two(now.code, *stack, top);
      }
    }
  }
  return top;
}

#endif
