#include "setup/formula.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context_private.h"

enum { PATH = 3 * CW_DECK_NAME + 16 };

int cw_formula_axes(const cw_deck *deck) {
  return (1 << deck->grid.dim) - 1;
}

/* "setup.E[2]", "setup.species.electrons.density" */
static void name_of(const cw_deck_parameter *parameter, int item, char name[PATH]) {
  char path[3 * CW_DECK_NAME];
  cw_deck_parameter_path(parameter, path);
  snprintf(name, PATH, "setup.%s", path);
  const size_t used = strlen(name);
  if (parameter->type == CW_PARAMETER_VECTOR || parameter->type == CW_PARAMETER_TEXTS)
    snprintf(name + used, PATH - used, "[%d]", item + 1);
}

cw_status cw_formula_fail(cw_context *context, const cw_deck *deck,
                          const cw_deck_parameter *parameter, int item, double value,
                          const double x[3], double t, const char *expected) {
  char name[PATH], place[160] = "";
  name_of(parameter, item, name);
  for (int a = 0; a < deck->grid.dim; a++)
    snprintf(place + strlen(place), sizeof place - strlen(place), "%s%c = %.9g", a ? ", " : " at ",
             "xyz"[a], x[a]);
  if (!isnan(t))
    snprintf(place + strlen(place), sizeof place - strlen(place), ", t = %.9g", t);
  return cw_deck_fail(context, deck, parameter->item[item], "%s is %.9g%s; expected %s", name,
                      isnan(value) ? fabs(value) : value, place, expected);
}

/* The fault of an expression's text, at its character; overrides have no columns: count there. */
static cw_status fail_text(cw_context *context, const cw_deck *deck,
                           const cw_deck_parameter *parameter, int item,
                           const cw_expression_fault *fault) {
  char name[PATH];
  name_of(parameter, item, name);
  const cw_deck_where start = parameter->item[item];
  if (start.line < 0)
    return cw_deck_fail(context, deck, start, "%s, character %zu: %s", name, fault->at + 1,
                        fault->message);
  return cw_deck_fail(context, deck, cw_deck_place_in_text(deck, start, fault->at), "%s: %s", name,
                      fault->message);
}

cw_status cw_formula_create(cw_context *context, const cw_deck *deck,
                            const cw_expression_scope *scope, const cw_deck_parameter *parameter,
                            int item, int allowed, cw_expression **expression) {
  cw_expression_fault fault;
  if (parameter->type == CW_PARAMETER_NUMBER || parameter->type == CW_PARAMETER_VECTOR)
    return cw_expression_create_number(context, parameter->number[item], expression);
  const cw_status status =
      cw_expression_create(context, parameter->text[item], scope, allowed, &fault, expression);
  return status == CW_ERROR_INPUT ? fail_text(context, deck, parameter, item, &fault) : status;
}

cw_status cw_formula_scalar(cw_context *context, const cw_deck *deck,
                            const cw_expression_scope *scope, const cw_deck_parameter *parameter,
                            double otherwise, int allowed, cw_expression **expression) {
  return parameter ? cw_formula_create(context, deck, scope, parameter, 0, allowed, expression)
                   : cw_expression_create_number(context, otherwise, expression);
}

cw_status cw_formula_vector(cw_context *context, const cw_deck *deck,
                            const cw_expression_scope *scope, const cw_deck_parameter *parameter,
                            int allowed, cw_expression *expression[3]) {
  for (int a = 0; a < 3; a++)
    CW_TRY(parameter
               ? cw_formula_create(context, deck, scope, parameter, a, allowed, &expression[a])
               : cw_expression_create_number(context, 0, &expression[a]));
  return CW_OK;
}

static void add(cw_expression_scope *scope, const char *name, double value) {
  scope->name[scope->count] = name;
  scope->value[scope->count++] = value;
}

static void add_own(cw_expression_scope *scope, const cw_deck *deck) {
  static const char *const lengths[] = {"Lx", "Ly", "Lz"};
  add(scope, "pi", acos(-1.0));
  add(scope, "larmor0", deck->scales.larmor0);
  add(scope, "skindepth0", deck->scales.skindepth0);
  for (int a = 0; a < deck->grid.dim; a++)
    add(scope, lengths[a], deck->grid.extent[a][1] - deck->grid.extent[a][0]);
}

static int is_constant(const cw_deck_parameter *parameter) {
  return strcmp(parameter->table, "constants") == 0;
}

static int knows(const cw_expression_scope *scope, const char *name) {
  for (int k = 0; k < scope->count; k++)
    if (strcmp(scope->name[k], name) == 0)
      return 1;
  return 0;
}

/* All names, and each constant's text against them: what is wrong on its own is told here. */
static cw_status check_constants(cw_context *context, const cw_deck *deck,
                                 const cw_expression_scope *own) {
  cw_expression_scope all = *own;
  cw_expression_fault fault;
  int variables;
  for (int k = 0; k < deck->setup.parameter_count; k++) {
    const cw_deck_parameter *constant = &deck->setup.parameters[k];
    if (!is_constant(constant))
      continue;
    if (!cw_expression_is_free_name(constant->name) || knows(own, constant->name))
      return cw_deck_fail(context, deck, constant->where,
                          "setup.constants: found the name '%s'; expected letters, digits and _, "
                          "not starting with a digit, and no name that expressions know already",
                          constant->name);
    add(&all, constant->name, 0);
  }
  for (int k = 0; k < deck->setup.parameter_count; k++) {
    const cw_deck_parameter *constant = &deck->setup.parameters[k];
    if (is_constant(constant) && constant->type == CW_PARAMETER_TEXT &&
        cw_expression_check(constant->text[0], &all, 0, &variables, &fault) != CW_OK)
      return fail_text(context, deck, constant, 0, &fault);
  }
  return CW_OK;
}

/* Adds a constant whose names are known; *added tells if so. */
static cw_status add_constant(cw_context *context, const cw_deck *deck,
                              const cw_deck_parameter *constant, cw_expression_scope *scope,
                              int *added) {
  cw_expression_fault fault;
  cw_expression *expression = NULL;
  int variables;
  *added = 0;
  if (constant->type == CW_PARAMETER_TEXT &&
      cw_expression_check(constant->text[0], scope, 0, &variables, &fault) != CW_OK)
    return CW_OK;
  CW_TRY(cw_formula_create(context, deck, scope, constant, 0, 0, &expression));
  const double nowhere[3] = {0, 0, 0}, value = cw_expression_at(expression, nowhere, 0);
  cw_expression_destroy(expression);
  if (!isfinite(value))
    return cw_deck_fail(context, deck, constant->item[0],
                        "setup.constants.%s is %g; expected a finite number", constant->name,
                        value);
  add(scope, constant->name, value);
  *added = 1;
  return CW_OK;
}

cw_status cw_formula_scope(cw_context *context, const cw_deck *deck, int threads,
                           cw_expression_scope *scope) {
  scope->count = 0;
  scope->threads = threads;
  add_own(scope, deck);
  CW_TRY(check_constants(context, deck, scope));
  for (;;) {
    const cw_deck_parameter *waiting = NULL;
    int progress = 0;
    for (int k = 0; k < deck->setup.parameter_count; k++) {
      const cw_deck_parameter *constant = &deck->setup.parameters[k];
      int added;
      if (!is_constant(constant) || knows(scope, constant->name))
        continue;
      CW_TRY(add_constant(context, deck, constant, scope, &added));
      progress |= added;
      if (!added && !waiting)
        waiting = constant;
    }
    if (!waiting)
      return CW_OK;
    if (!progress)
      return cw_deck_fail(context, deck, waiting->where,
                          "setup.constants.%s: found constants that are defined by each other in a "
                          "circle; expected one that starts",
                          waiting->name);
  }
}
