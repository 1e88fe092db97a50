/* From the text of an expression to instructions, by recursive descent through the grammar of
 * expression.h, which the text is known to follow. */
#include "setup/expression_program.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct translation {
  const char *at;
  const cw_expression_scope *scope;
  cw_expression_instruction *code;
  int length, height, depth;
} translation;

static void emit(translation *t, int code, int operands, double number) {
  double stack[32];
  int constant = operands > 0;
  t->code[t->length++] = (cw_expression_instruction){code, operands, number};
  for (int k = 2; k < operands + 2; k++)
    constant &= t->length >= k && t->code[t->length - k].code == CW_CODE_NUMBER;
  if (constant) {
    t->length -= operands + 1;
    const double value = cw_expression_run(t->code + t->length, operands + 1, NULL, stack, 1);
    t->code[t->length++] = (cw_expression_instruction){CW_CODE_NUMBER, 0, value};
  }
  t->height += 1 - operands;
  t->depth = t->height > t->depth ? t->height : t->depth;
}

static char next(translation *t) {
  while (*t->at && strchr(" \t\r\n", *t->at))
    t->at++;
  return *t->at;
}

/* 1 and beyond it, if that is what comes next. */
static int accept(translation *t, const char *word) {
  next(t);
  if (strncmp(t->at, word, strlen(word)) != 0)
    return 0;
  t->at += strlen(word);
  return 1;
}

/* operands 0: any number. */
static const struct {
  const char *name;
  int code, operands;
} functions[] = {
#define CW_FUNCTION(name, function) {#name, CW_CODE_##name, 1},
    CW_EXPRESSION_ONE(CW_FUNCTION)
#undef CW_FUNCTION
#define CW_FUNCTION(name, function) {#name, CW_CODE_##name, 2},
        CW_EXPRESSION_TWO(CW_FUNCTION)
#undef CW_FUNCTION
#define CW_FUNCTION(name, function) {#name, CW_CODE_##name, 0},
            CW_EXPRESSION_MANY(CW_FUNCTION)
#undef CW_FUNCTION
};

static void expression(translation *t);

static void name(translation *t) {
  static const char variables[] = "xyzt";
  size_t length = 0;
  const char *from = t->at;
  while (isalnum((unsigned char)from[length]) || from[length] == '_')
    length++;
  t->at += length;
  if (length == 1 && strchr(variables, *from)) {
    emit(t, CW_CODE_VARIABLE, 0, 0);
    t->code[t->length - 1].count = (int32_t)(strchr(variables, *from) - variables);
    return;
  }
  for (int k = 0; k < t->scope->count; k++)
    if (strlen(t->scope->name[k]) == length && strncmp(t->scope->name[k], from, length) == 0) {
      emit(t, CW_CODE_NUMBER, 0, t->scope->value[k]);
      return;
    }
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
    if (strlen(functions[k].name) == length && strncmp(functions[k].name, from, length) == 0) {
      int count = 0;
      accept(t, "(");
      do {
        expression(t);
        count++;
      } while (accept(t, ","));
      accept(t, ")");
      emit(t, functions[k].code, count, 0);
      return;
    }
}

static void primary(translation *t) {
  if (accept(t, "(")) {
    expression(t);
    accept(t, ")");
  } else if (isdigit((unsigned char)next(t)) || *t->at == '.') {
    char *end;
    const double number = strtod(t->at, &end);
    t->at = end;
    emit(t, CW_CODE_NUMBER, 0, number);
  } else {
    name(t);
  }
}

/* [sign] primary [^ factor]: a power binds more than the sign before it, and from the right. */
static void factor(translation *t) {
  const int negative = accept(t, "-");
  if (!negative)
    accept(t, "+");
  primary(t);
  if (accept(t, "^")) {
    factor(t);
    emit(t, CW_CODE_POWER, 2, 0);
  }
  if (negative)
    emit(t, CW_CODE_NEGATE, 1, 0);
}

/* By rising precedence; within one, from the left. Longer operators stand before their beginnings. */
enum { LEVELS = 5, OPERATORS = 6 };
static const struct {
  const char *text;
  int code;
} levels[LEVELS][OPERATORS] = {
    {{"||", CW_CODE_OR}},
    {{"&&", CW_CODE_AND}},
    {{"==", CW_CODE_EQUAL},
     {"!=", CW_CODE_UNEQUAL},
     {"<=", CW_CODE_LESS_EQUAL},
     {">=", CW_CODE_GREATER_EQUAL},
     {"<", CW_CODE_LESS},
     {">", CW_CODE_GREATER}},
    {{"+", CW_CODE_ADD}, {"-", CW_CODE_SUBTRACT}},
    {{"*", CW_CODE_MULTIPLY}, {"/", CW_CODE_DIVIDE}},
};

static void operation(translation *t, int level) {
  if (level == LEVELS) {
    factor(t);
    return;
  }
  operation(t, level + 1);
  for (int k = 0; k < OPERATORS && levels[level][k].text; k++)
    if (accept(t, levels[level][k].text)) {
      operation(t, level + 1);
      emit(t, levels[level][k].code, 2, 0);
      k = -1; /* again from the first */
    }
}

static void expression(translation *t) {
  operation(t, 0);
  if (!accept(t, "?"))
    return;
  expression(t);
  accept(t, ":");
  expression(t);
  emit(t, CW_CODE_CHOOSE, 3, 0);
}

cw_expression_program cw_expression_translate(const char *text, const cw_expression_scope *scope,
                                              cw_expression_instruction *code) {
  translation t = {.at = text, .scope = scope, .code = code};
  expression(&t);
  return (cw_expression_program){code, t.length, t.depth};
}
