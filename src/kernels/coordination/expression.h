/* Arithmetic expressions compiled to a short postfix program that carries a derivative along.
 *
 * The program is a plain struct without pointers, so that it can be passed by value to a device.
 * Grammar and precedence: + - * / ^ (right associative, stronger than a sign in front),
 * parentheses, the functions and constants of expression.c. */
#ifndef CW_KERNELS_COORDINATION_EXPRESSION_H
#define CW_KERNELS_COORDINATION_EXPRESSION_H

#include "base/context_private.h"
#include "base/host_device.h"

enum { CW_EXPRESSION_LENGTH = 96, CW_EXPRESSION_DEPTH = 12 };

/* Operations: X(NAME, written, operands). The part after the variables is called as functions. */
/* clang-format off */
#define CW_EXPRESSION_OPERATIONS(X)                                                                \
  X(CONSTANT, "", 0) X(VARIABLE, "", 0)                                                            \
  X(ADD, "", 2) X(SUBTRACT, "", 2) X(MULTIPLY, "", 2) X(DIVIDE, "", 2)                             \
  X(POWER, "pow", 2) X(INTEGER_POWER, "", 1) X(NEGATE, "", 1) X(SQRT, "sqrt", 1)                   \
  X(EXP, "exp", 1) X(LOG, "log", 1) X(SIN, "sin", 1) X(COS, "cos", 1) X(TAN, "tan", 1)             \
  X(ASIN, "asin", 1) X(ACOS, "acos", 1) X(ATAN, "atan", 1) X(SINH, "sinh", 1)                      \
  X(COSH, "cosh", 1) X(TANH, "tanh", 1) X(ERF, "erf", 1) X(ERFC, "erfc", 1)                        \
  X(STEP, "step", 1) X(SQUARE, "square", 1) X(CUBE, "cube", 1) X(RECIP, "recip", 1)                \
  X(ABS, "abs", 1) X(FLOOR, "floor", 1) X(CEIL, "ceil", 1) X(MIN, "min", 2)                        \
  X(MAX, "max", 2) X(ATAN2, "atan2", 2) X(SELECT, "select", 3)
/* clang-format on */

typedef enum cw_operation {
#define CW_OPERATION_ENUM(name, written, operands) CW_OP_##name,
  CW_EXPRESSION_OPERATIONS(CW_OPERATION_ENUM)
#undef CW_OPERATION_ENUM
      CW_OPERATION_COUNT
} cw_operation;

/* Operands of an operation that is neither a constant nor a variable. */
CW_HOST_DEVICE static inline int cw_expression_operands(int operation) {
  if (operation == CW_OP_SELECT)
    return 3;
  int binary = (operation >= CW_OP_ADD && operation <= CW_OP_POWER) ||
               (operation >= CW_OP_MIN && operation <= CW_OP_ATAN2);
  return binary ? 2 : 1;
}

typedef struct cw_instruction {
  int operation; /* cw_operation */
  int index;     /* VARIABLE: which; INTEGER_POWER: the exponent */
  double value;  /* CONSTANT */
} cw_instruction;

typedef struct cw_expression {
  int length;
  int variables_used; /* bit k: variable k occurs */
  cw_instruction code[CW_EXPRESSION_LENGTH];
} cw_expression;

/* Compiles `text` with the given variable names. Errors: CW_ERROR_INPUT ("column N: ..."). */
cw_status cw_expression_compile(cw_context *context, const char *text, const char *const *variables,
                                int variable_count, cw_expression *expression);
/* Compiles and evaluates an expression without variables. Errors: CW_ERROR_INPUT (also when the
 * value is not finite). */
cw_status cw_expression_number(cw_context *context, const char *text, double *number);

#endif
