#include "setup/selection.h"

#include <math.h>

#include "base/context_private.h"
#include "setup/formula.h"

struct cw_selection {
  cw_context *context;
  cw_expression *expression; /* NULL: all */
};

/* The fault's character in the deck; overrides have no columns: it is counted there. */
static cw_status fail(cw_context *context, const cw_deck *deck, const cw_expression_fault *fault) {
  const cw_deck_where start = cw_deck_written(deck, "output.particles", "select");
  if (start.line < 0)
    return cw_deck_fail(context, deck, start, "output.particles.select, character %zu: %s",
                        fault->at + 1, fault->message);
  return cw_deck_fail(context, deck, cw_deck_place_in_text(deck, start, fault->at),
                      "output.particles.select: %s", fault->message);
}

cw_status cw_selection_create(cw_context *context, const cw_deck *deck, cw_selection **selection) {
  const char *text = deck->output.particles.select;
  cw_expression_scope scope;
  cw_expression_fault fault;
  cw_selection *made = NULL;
  *selection = NULL;
  CW_TRY(CW_NEW(context, 1, "selection", &made));
  made->context = context;
  cw_status status = CW_OK;
  if (*text) {
    CW_TRY_CLEANUP(status, cw_formula_scope(context, deck, 0, &scope));
    status =
        cw_expression_create(context, text, &scope, cw_formula_axes(deck) | CW_EXPRESSION_MOTION,
                             &fault, &made->expression);
    if (status == CW_ERROR_INPUT)
      status = fail(context, deck, &fault);
  }
cleanup:
  if (status != CW_OK) {
    cw_selection_destroy(made);
    return status;
  }
  *selection = made;
  return CW_OK;
}

void cw_selection_destroy(cw_selection *selection) {
  if (!selection)
    return;
  cw_expression_destroy(selection->expression);
  CW_DELETE(selection->context, selection);
}

int cw_selection_takes(const cw_selection *selection, const double x[3], const double u[3],
                       double gamma) {
  if (!selection->expression)
    return 1;
  const double value = cw_expression_of_particle(selection->expression, x, u, gamma);
  return !isnan(value) && value != 0;
}

cw_status cw_selection_check(cw_context *context, const cw_deck *deck) {
  cw_selection *selection;
  CW_TRY(cw_selection_create(context, deck, &selection));
  cw_selection_destroy(selection);
  return CW_OK;
}
