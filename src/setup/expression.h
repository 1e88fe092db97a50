/* Expressions of place and time, compiled once and evaluated by any number of threads: the only
 * door to muParser (its C interface), behind a syntax check of our own that knows the place of a
 * fault.
 *
 * Grammar: numbers, names, ( ), function calls, and by rising precedence ?: || && (== != < > <= >=)
 * (+ -) (* /) sign ^ (from the right: 2^3^2 = 512, -2^2 = -4). Comparisons give 0 or 1. */
#ifndef CW_SETUP_EXPRESSION_H
#define CW_SETUP_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

#include <cellwise/context.h>

/* What an expression may depend on; bits. */
enum {
  CW_EXPRESSION_X = 1,
  CW_EXPRESSION_Y = 2,
  CW_EXPRESSION_Z = 4,
  CW_EXPRESSION_T = 8,
  CW_EXPRESSION_PLACE = CW_EXPRESSION_X | CW_EXPRESSION_Y | CW_EXPRESSION_Z,
  /* of a particle: ux, uy, uz, gamma; free names where they are not allowed */
  CW_EXPRESSION_UX = 16,
  CW_EXPRESSION_MOTION = 15 * CW_EXPRESSION_UX
};

enum { CW_EXPRESSION_NAMES = 160, CW_EXPRESSION_LENGTH = 4096 };

/* Named numbers that expressions know beside the variables and functions; names are borrowed. */
typedef struct cw_expression_scope {
  int threads; /* that may evaluate at a time; 0: as many as the context's */
  int count;
  const char *name[CW_EXPRESSION_NAMES];
  double value[CW_EXPRESSION_NAMES];
} cw_expression_scope;

typedef struct cw_expression_fault {
  size_t at; /* byte of the text */
  char message[240];
} cw_expression_fault;

/* A function of expressions, for the check and for lists. */
typedef struct cw_expression_function {
  const char *name;
  int least, most; /* arguments */
} cw_expression_function;
/* Ends with a NULL name. */
extern const cw_expression_function cw_expression_functions[];

/* 1 if a constant may be called so: a letter or _, then letters, digits and _, and not the name of
 * a variable or function. */
int cw_expression_is_free_name(const char *name);

/* Checks `text` alone: *variables receives what it depends on, out of the bits `allowed`.
 * CW_ERROR_INPUT: *fault says what was found, what was expected, and where. No message is recorded
 * in a context. */
cw_status cw_expression_check(const char *text, const cw_expression_scope *scope, int allowed,
                              int *variables, cw_expression_fault *fault);

typedef struct cw_expression cw_expression;

/* Checks and compiles, once for each of the scope's threads. Errors: CW_ERROR_INPUT (as above),
 * CW_ERROR_MEMORY (recorded in the context). */
cw_status cw_expression_create(cw_context *context, const char *text,
                               const cw_expression_scope *scope, int allowed,
                               cw_expression_fault *fault, cw_expression **expression);
/* A constant. */
cw_status cw_expression_create_number(cw_context *context, double value,
                                      cw_expression **expression);
void cw_expression_destroy(cw_expression *expression);
/* What it depends on; 0: a constant. */
int cw_expression_variables(const cw_expression *expression);
/* Value at one place and time; not finite where it is not defined. To be called by a thread of a
 * parallel region of at most the scope's threads, or outside of any. */
double cw_expression_at(const cw_expression *expression, const double x[3], double t);
/* The same for a particle, whose u and gamma may be asked for. */
double cw_expression_of_particle(const cw_expression *expression, const double x[3],
                                 const double u[3], double gamma);
#endif
