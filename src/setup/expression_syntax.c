/* The grammar of expression.h, checked from left to right. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deck/deck.h"
#include "setup/expression.h"
#include "setup/expression_body.h"

enum { MAX_NESTING = 64, NAME = CW_DECK_NAME, SHOWN = 32 };

const cw_expression_function cw_expression_functions[] = {
#define CW_FUNCTION(name, function) {#name, 1, 1},
    CW_EXPRESSION_ONE(CW_FUNCTION)
#undef CW_FUNCTION
#define CW_FUNCTION(name, function) {#name, 2, 2},
        CW_EXPRESSION_TWO(CW_FUNCTION)
#undef CW_FUNCTION
#define CW_FUNCTION(name, function) {#name, 1, 16},
            CW_EXPRESSION_MANY(CW_FUNCTION)
#undef CW_FUNCTION
                {NULL, 0, 0}};

enum { VARIABLES = 8, ALWAYS = 4 }; /* the first ones are never free names */
static const char *const variable_names[VARIABLES] = {"x",  "y",  "z",  "t",
                                                      "ux", "uy", "uz", "gamma"};

typedef struct syntax {
  const char *text;
  size_t at;
  int depth, allowed, variables;
  const cw_expression_scope *scope;
  cw_expression_fault *fault;
} syntax;

static int fail_at(syntax *s, size_t at, const char *format, ...) CW_PRINTF(3, 4);
static int fail_at(syntax *s, size_t at, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(s->fault->message, sizeof s->fault->message, format, arguments);
  va_end(arguments);
  s->fault->at = at;
  return 0;
}

static char next(syntax *s) {
  while (s->text[s->at] && strchr(" \t\r\n", s->text[s->at]))
    s->at++;
  return s->text[s->at];
}

/* The character, number or name at `at`, for a message. */
static const char *found(const syntax *s, size_t at, char text[SHOWN + 16]) {
  const char *from = s->text + at;
  size_t length = 1;
  if (!*from)
    return "the end";
  if (isalnum((unsigned char)*from) || *from == '_')
    while (isalnum((unsigned char)from[length]) || from[length] == '_')
      length++;
  while (((unsigned char)from[length] & 0xc0) == 0x80)
    length++; /* a character of several bytes */
  if ((unsigned char)*from < 0x20 || *from == 0x7f)
    snprintf(text, SHOWN + 16, "byte 0x%02x", (unsigned)(unsigned char)*from);
  else
    snprintf(text, SHOWN + 16, "'%.*s'%s", (int)(length < SHOWN ? length : SHOWN), from,
             length > SHOWN ? "..." : "");
  return text;
}

static int is_name(char c, int first) {
  return isalpha((unsigned char)c) || c == '_' || (!first && isdigit((unsigned char)c));
}

static const cw_expression_function *find_function(const char *name) {
  for (const cw_expression_function *f = cw_expression_functions; f->name; f++)
    if (strcmp(f->name, name) == 0)
      return f;
  return NULL;
}

static int find_variable(const char *name, int allowed) {
  for (int v = 0; v < VARIABLES; v++)
    if ((v < ALWAYS || allowed >> v & 1) && strcmp(variable_names[v], name) == 0)
      return 1 << v;
  return 0;
}

static int find_constant(const syntax *s, const char *name) {
  for (int k = 0; k < s->scope->count; k++)
    if (strcmp(s->scope->name[k], name) == 0)
      return 1;
  return 0;
}

int cw_expression_is_free_name(const char *name) {
  if (!is_name(*name, 1) || find_variable(name, 0) || find_function(name))
    return 0;
  for (const char *c = name; *c; c++)
    if (!is_name(*c, 0))
      return 0;
  return 1;
}

static int fail_unknown(syntax *s, size_t at, const char *name) {
  const char *names[CW_EXPRESSION_NAMES + 64];
  int count = 0;
  for (int v = 0; v < VARIABLES; v++)
    if (s->allowed >> v & 1)
      names[count++] = variable_names[v];
  for (int k = 0; k < s->scope->count; k++)
    names[count++] = s->scope->name[k];
  for (const cw_expression_function *f = cw_expression_functions; f->name; f++)
    names[count++] = f->name;
  const char *near = cw_deck_nearest(name, names, count);
  if (near)
    return fail_at(s, at, "found unknown name '%.40s'; did you mean '%s'?", name, near);
  return fail_at(s, at,
                 "found unknown name '%.40s'; expected a variable, a function or a name of "
                 "[setup.constants]",
                 name);
}

static int expression(syntax *s);

/* ( is next: the arguments of a call. */
static int arguments(syntax *s, const cw_expression_function *function) {
  const size_t open = s->at++;
  char text[SHOWN + 16];
  for (int count = 1;; count++) {
    if (!expression(s))
      return 0;
    const char c = next(s);
    if ((c == ',' && count == function->most) || (c == ')' && count < function->least))
      return fail_at(s, s->at, "found %s after %d argument%s of '%s'; expected %s%d",
                     found(s, s->at, text), count, count > 1 ? "s" : "", function->name,
                     function->most > function->least ? "at most " : "",
                     c == ',' ? function->most : function->least);
    if (!c)
      return fail_at(s, open, "found '(' that is never closed; expected ')'");
    if (c != ',' && c != ')')
      return fail_at(s, s->at, "found %s; expected an operator, ',' or ')'", found(s, s->at, text));
    s->at++;
    if (c == ')')
      return 1;
  }
}

static int name(syntax *s) {
  const size_t from = s->at;
  char name[NAME], text[SHOWN + 16];
  while (is_name(s->text[s->at], 0))
    s->at++;
  if (s->at - from >= sizeof name)
    return fail_at(s, from, "found a name of %zu bytes; expected a known name", s->at - from);
  snprintf(name, sizeof name, "%.*s", (int)(s->at - from), s->text + from);
  const cw_expression_function *function = find_function(name);
  const int variable = find_variable(name, s->allowed);
  if (function && next(s) != '(')
    return fail_at(s, s->at, "found %s after function '%s'; expected '('", found(s, s->at, text),
                   name);
  if (function)
    return arguments(s, function);
  if (variable & ~s->allowed)
    return fail_at(s, from, "found '%s'; expected %s", name,
                   !s->allowed ? "a constant: neither place nor time is known here"
                   : s->allowed & CW_EXPRESSION_MOTION
                       ? "x, y or z of an axis that the grid has, ux, uy, uz or gamma"
                   : variable == CW_EXPRESSION_T ? "no time: only external fields depend on t"
                                                 : "only axes that the grid has");
  if (!variable && !find_constant(s, name))
    return fail_unknown(s, from, name);
  s->variables |= variable;
  if (next(s) == '(')
    return fail_at(s, s->at, "found '(' after '%s', which is no function; expected an operator",
                   name);
  return 1;
}

static int number(syntax *s) {
  const size_t from = s->at;
  char text[SHOWN + 16], *end;
  while (isdigit((unsigned char)s->text[s->at]))
    s->at++;
  if (s->text[s->at] == '.')
    s->at++;
  while (isdigit((unsigned char)s->text[s->at]))
    s->at++;
  if (s->at == from + 1 && s->text[from] == '.')
    return fail_at(s, from, "found '.'; expected digits with it");
  if (s->text[s->at] == 'e' || s->text[s->at] == 'E') {
    const size_t exponent = s->at++;
    if (s->text[s->at] == '+' || s->text[s->at] == '-')
      s->at++;
    if (!isdigit((unsigned char)s->text[s->at]))
      return fail_at(s, exponent,
                     "found '%c' after a number; expected an exponent such as 1e-3, or "
                     "an operator",
                     s->text[exponent]);
    while (isdigit((unsigned char)s->text[s->at]))
      s->at++;
  }
  if (is_name(s->text[s->at], 0) || s->text[s->at] == '.')
    return fail_at(s, s->at, "found %s after a number; expected an operator such as '*'",
                   found(s, s->at, text));
  if (!isfinite(strtod(s->text + from, &end)))
    return fail_at(s, from, "found a number beyond 1.8e308; expected a smaller one");
  return 1;
}

/* A number, name, call or ( ), with at most one sign before it. */
static int operand(syntax *s) {
  char text[SHOWN + 16], c = next(s);
  if (c == '-' || c == '+') {
    s->at++;
    c = next(s);
  }
  if (c == '(') {
    const size_t open = s->at++;
    if (!expression(s))
      return 0;
    if (!next(s))
      return fail_at(s, open, "found '(' that is never closed; expected ')'");
    if (s->text[s->at] != ')')
      return fail_at(s, s->at, "found %s; expected an operator or ')'", found(s, s->at, text));
    s->at++;
    return 1;
  }
  if (isdigit((unsigned char)c) || c == '.')
    return number(s);
  if (is_name(c, 1))
    return name(s);
  return fail_at(s, s->at, "found %s; expected a number, a name or '('", found(s, s->at, text));
}

/* Length of a binary operator at this place; 0: none; -1: a fault was found. */
static int operator_length(syntax *s) {
  static const char *const operators[] = {"||", "&&", "==", "!=", "<=", ">=", "<",
                                          ">",  "+",  "-",  "*",  "/",  "^"};
  const char c = next(s);
  for (size_t k = 0; k < sizeof operators / sizeof *operators; k++)
    if (strncmp(s->text + s->at, operators[k], strlen(operators[k])) == 0) {
      if (c == '*' && s->text[s->at + 1] == '*')
        return fail_at(s, s->at, "found '**'; expected '^' for a power") - 1;
      return (int)strlen(operators[k]);
    }
  if (c == '=' || c == '&' || c == '|')
    return fail_at(s, s->at, "found '%c'; expected '%c%c'", c, c, c) - 1;
  if (c == '%')
    return fail_at(s, s->at, "found '%%'; expected mod(a, b) for a remainder") - 1;
  return 0;
}

/* Operands joined by operators, and what stands behind a ?. */
static int expression(syntax *s) {
  char text[SHOWN + 16];
  int length;
  if (++s->depth > MAX_NESTING)
    return fail_at(s, s->at, "found more than %d levels of nesting; expected fewer", MAX_NESTING);
  if (!operand(s))
    return 0;
  while ((length = operator_length(s)) > 0) {
    s->at += (size_t)length;
    if (!operand(s))
      return 0;
  }
  if (length < 0)
    return 0;
  if (next(s) == '?') {
    const size_t mark = s->at++;
    if (!expression(s))
      return 0;
    if (!next(s))
      return fail_at(s, mark, "found '?' without ':'; expected CONDITION ? VALUE : OTHER");
    if (s->text[s->at] != ':')
      return fail_at(s, s->at, "found %s; expected an operator or ':'", found(s, s->at, text));
    s->at++;
    if (!expression(s))
      return 0;
  }
  s->depth--;
  return 1;
}

cw_status cw_expression_check(const char *text, const cw_expression_scope *scope, int allowed,
                              int *variables, cw_expression_fault *fault) {
  syntax s = {.text = text, .allowed = allowed, .scope = scope, .fault = fault};
  char shown[SHOWN + 16];
  *variables = 0;
  if (strlen(text) > CW_EXPRESSION_LENGTH) {
    fail_at(&s, 0, "found an expression of %zu bytes; expected at most %d", strlen(text),
            CW_EXPRESSION_LENGTH);
    return CW_ERROR_INPUT;
  }
  if (!expression(&s))
    return CW_ERROR_INPUT;
  if (next(&s)) {
    fail_at(&s, s.at, "found %s; expected an operator or the end", found(&s, s.at, shown));
    return CW_ERROR_INPUT;
  }
  *variables = s.variables;
  return CW_OK;
}
