#include "kernels/coordination/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CW_REAL_IS_DOUBLE 1
#include "base/real.h"
#define CW_LANES      1
#define CW_EACH_LANE  for (int l = 0; l < CW_LANES; l++)
#define CW_MATH(name) name
#include "kernels/coordination/expression_body.h"

enum { NESTING = 64, NAME_SIZE = 32 };

/* Recursive descent over text[at]; the first fault ends it. */
typedef struct parser {
  const char *text;
  size_t at;
  const char *const *variables;
  int variable_count, nesting, depth;
  cw_expression *out;
  char fault[160];
} parser;

static const struct {
  const char *name;
  double value;
} constants[] = {{"pi", 3.14159265358979323846},    {"e", 2.7182818284590452354},
                 {"log2e", 1.4426950408889634074},  {"log10e", 0.43429448190325182765},
                 {"ln2", 0.69314718055994530942},   {"ln10", 2.30258509299404568402},
                 {"pi_2", 1.57079632679489661923},  {"pi_4", 0.78539816339744830962},
                 {"sqrt2", 1.41421356237309504880}, {"sqrt1_2", 0.70710678118654752440}};

static const struct {
  const char *name;
  int operands;
} operations[] = {
#define CW_OPERATION_ROW(name, written, operands) {written, operands},
    CW_EXPRESSION_OPERATIONS(CW_OPERATION_ROW)
#undef CW_OPERATION_ROW
};

static int fail(parser *p, const char *what) {
  if (!p->fault[0])
    snprintf(p->fault, sizeof p->fault, "column %zu: %s", p->at + 1, what);
  return 0;
}

static char peek(parser *p) {
  while (isspace((unsigned char)p->text[p->at]))
    p->at++;
  return p->text[p->at];
}

static int accept(parser *p, char c) {
  if (peek(p) != c)
    return 0;
  p->at++;
  return 1;
}

static int emit(parser *p, int operation, int index, double value) {
  int pushes = operation == CW_OP_CONSTANT || operation == CW_OP_VARIABLE;
  if (p->out->length == CW_EXPRESSION_LENGTH)
    return fail(p, "the expression is too long");
  p->depth += pushes ? 1 : 1 - cw_expression_operands(operation);
  if (p->depth > CW_EXPRESSION_DEPTH)
    return fail(p, "the expression is nested too deeply");
  p->out->code[p->out->length++] = (cw_instruction){operation, index, value};
  return 1;
}

static int parse_sum(parser *p);

static int parse_number(parser *p) {
  /* strtod would also take hexadecimal, "inf" and "nan": the first character rules these out. */
  const char *start = p->text + p->at;
  if (start[0] == '0' && (start[1] == 'x' || start[1] == 'X'))
    return fail(p, "hexadecimal numbers are not accepted");
  char *end;
  double value = strtod(start, &end);
  if (end == start)
    return fail(p, "a number is expected");
  p->at += (size_t)(end - start);
  return emit(p, CW_OP_CONSTANT, 0, value);
}

static int parse_call(parser *p, int operation) {
  int operands = operations[operation].operands;
  for (int k = 0; k < operands; k++) {
    if (k > 0 && !accept(p, ','))
      return fail(p, "',' and another argument are expected");
    if (!parse_sum(p))
      return 0;
  }
  if (!accept(p, ')'))
    return fail(p, "')' is expected");
  return emit(p, operation, 0, 0);
}

static int parse_name(parser *p) {
  char name[NAME_SIZE];
  size_t start = p->at, length = 0;
  while (isalnum((unsigned char)p->text[p->at]) || p->text[p->at] == '_')
    p->at++;
  length = p->at - start;
  if (length >= sizeof name)
    return fail(p, "unknown name");
  memcpy(name, p->text + start, length);
  name[length] = '\0';
  if (accept(p, '(')) {
    for (int k = 0; k < CW_OPERATION_COUNT; k++)
      if (operations[k].name[0] && strcmp(name, operations[k].name) == 0)
        return parse_call(p, k);
    p->at = start;
    return fail(p, "unknown function");
  }
  for (int k = 0; k < p->variable_count; k++)
    if (strcmp(name, p->variables[k]) == 0) {
      p->out->variables_used |= 1 << k;
      return emit(p, CW_OP_VARIABLE, k, 0);
    }
  for (size_t k = 0; k < sizeof constants / sizeof *constants; k++)
    if (strcmp(name, constants[k].name) == 0)
      return emit(p, CW_OP_CONSTANT, 0, constants[k].value);
  p->at = start;
  return fail(p, "unknown name");
}

static int parse_atom(parser *p) {
  char c = peek(p);
  if (accept(p, '('))
    return parse_sum(p) && (accept(p, ')') || fail(p, "')' is expected"));
  if (isdigit((unsigned char)c) || c == '.')
    return parse_number(p);
  if (isalpha((unsigned char)c) || c == '_')
    return parse_name(p);
  return fail(p, c ? "a number, a name or '(' is expected" : "the expression ends too early");
}

static int parse_sign(parser *p);

/* atom [^ signed power], right associative; small whole exponents become repeated products. */
static int parse_power(parser *p) {
  if (!parse_atom(p))
    return 0;
  if (!accept(p, '^'))
    return 1;
  int before = p->out->length;
  if (!parse_sign(p))
    return 0;
  cw_instruction *exponent = &p->out->code[before];
  int negative = p->out->length == before + 2 && exponent[1].operation == CW_OP_NEGATE;
  int literal = exponent->operation == CW_OP_CONSTANT && (p->out->length == before + 1 || negative);
  double n = negative ? -exponent->value : exponent->value;
  if (!literal || n != floor(n) || fabs(n) > 64)
    return emit(p, CW_OP_POWER, 0, 0);
  p->out->length = before;
  p->depth--;
  return emit(p, CW_OP_INTEGER_POWER, (int)n, 0);
}

static int parse_sign(parser *p) {
  if (++p->nesting > NESTING)
    return fail(p, "the expression is nested too deeply");
  int done;
  if (accept(p, '-'))
    done = parse_sign(p) && emit(p, CW_OP_NEGATE, 0, 0);
  else if (accept(p, '+'))
    done = parse_sign(p);
  else
    done = parse_power(p);
  p->nesting--;
  return done;
}

static int parse_product(parser *p) {
  if (!parse_sign(p))
    return 0;
  for (;;) {
    int operation = accept(p, '*') ? CW_OP_MULTIPLY : accept(p, '/') ? CW_OP_DIVIDE : 0;
    if (!operation)
      return 1;
    if (!parse_sign(p) || !emit(p, operation, 0, 0))
      return 0;
  }
}

static int parse_sum(parser *p) {
  if (++p->nesting > NESTING)
    return fail(p, "the expression is nested too deeply");
  int done = parse_product(p);
  while (done) {
    int operation = accept(p, '+') ? CW_OP_ADD : accept(p, '-') ? CW_OP_SUBTRACT : 0;
    if (!operation)
      break;
    done = parse_product(p) && emit(p, operation, 0, 0);
  }
  p->nesting--;
  return done;
}

cw_status cw_expression_compile(cw_context *context, const char *text, const char *const *variables,
                                int variable_count, cw_expression *expression) {
  memset(expression, 0, sizeof *expression);
  parser p = {
      .text = text, .variables = variables, .variable_count = variable_count, .out = expression};
  int done = parse_sum(&p);
  if (done && peek(&p) != '\0')
    done = fail(&p, "an operator or the end is expected");
  if (!done)
    return cw_fail(context, CW_ERROR_INPUT, "expression '%.200s': %s", text, p.fault);
  return CW_OK;
}

cw_status cw_expression_number(cw_context *context, const char *text, double *number) {
  cw_expression expression;
  CW_TRY(cw_expression_compile(context, text, NULL, 0, &expression));
  double value = cw_expression_lanes_f64(&expression, NULL).v[0];
  if (!isfinite(value))
    return cw_fail(context, CW_ERROR_INPUT, "expression '%.200s': the value is not finite", text);
  *number = value;
  return CW_OK;
}
