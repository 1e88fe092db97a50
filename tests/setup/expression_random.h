/* Random expressions of every operator and function, for comparisons of two ways to evaluate them. */
#ifndef TESTS_SETUP_EXPRESSION_RANDOM_H
#define TESTS_SETUP_EXPRESSION_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "setup/expression.h"

enum { RANDOM_TEXT = 2048 };

typedef struct random_text {
  uint64_t state;
  char text[RANDOM_TEXT];
} random_text;

/* 0 .. count - 1 */
static inline int random_below(random_text *r, int count) { /* splitmix64 */
  uint64_t z = (r->state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (int)((z ^ (z >> 31)) % (uint64_t)count);
}

static inline void random_add(random_text *r, const char *piece) {
  strncat(r->text, piece, RANDOM_TEXT - 1 - strlen(r->text));
}

static inline void random_expression(random_text *r, int depth);

static inline void random_operand(random_text *r, int depth) {
  static const char *const leaves[] = {"x", "y",  "z",    "t",   "two", "0.25",
                                       "3", "1.", "5e-1", ".75", "half"};
  int functions = 0;
  if (random_below(r, 5) == 0)
    random_add(r, random_below(r, 3) ? "-" : "+");
  if (depth <= 0 || random_below(r, 4) == 0) {
    random_add(r, leaves[random_below(r, 11)]);
    return;
  }
  if (random_below(r, 2)) {
    random_add(r, "(");
    random_expression(r, depth - 1);
    random_add(r, ")");
    return;
  }
  while (cw_expression_functions[functions].name)
    functions++;
  const cw_expression_function *f = &cw_expression_functions[random_below(r, functions)];
  const int most = f->most < 4 ? f->most : 4;
  const int count = f->least + random_below(r, most - f->least + 1);
  random_add(r, f->name);
  for (int k = 0; k < count; k++) {
    random_add(r, k ? ", " : "(");
    random_expression(r, depth - 1);
  }
  random_add(r, ")");
}

/* Comparisons joined by && and ||, which muParser knows only for 0 and 1: of constants it drops the
 * fraction (0.5 && 1 is 0 there), of variables it does not. */
static inline void random_condition(random_text *r, int depth) {
  static const char *const operators[] = {" < ", "<=", ">", ">=", "==", "!="};
  const int count = 1 + random_below(r, 3);
  for (int k = 0; k < count; k++) {
    if (k)
      random_add(r, random_below(r, 2) ? "&&" : " || ");
    random_operand(r, depth);
    random_add(r, operators[random_below(r, 6)]);
    random_operand(r, depth);
  }
}

static inline void random_expression(random_text *r, int depth) {
  static const char *const operators[] = {"+", "-", "*", " / ", "^"};
  const int kind = random_below(r, 8), count = 1 + random_below(r, 4);
  if (kind < 2) {
    random_condition(r, depth);
  } else {
    for (int k = 0; k < count; k++) {
      if (k)
        random_add(r, operators[random_below(r, 5)]);
      random_operand(r, depth);
    }
  }
  if (kind != 1 && kind != 2)
    return;
  random_add(r, " ? ");
  random_expression(r, depth - 1);
  random_add(r, " : ");
  random_expression(r, depth - 1);
}

#endif
