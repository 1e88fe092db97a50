/* The deck's expressions: parameters of [setup] compiled, with the deck's constants, and faults
 * told with the character's place. */
#ifndef CW_SETUP_FORMULA_H
#define CW_SETUP_FORMULA_H

#include "deck/deck.h"
#include "setup/expression.h"

/* What every expression of the deck knows: pi, larmor0, skindepth0, the box lengths Lx, Ly, Lz of
 * simulated axes, and [setup.constants], which may be expressions of each other in any order. Names
 * are the deck's; `threads` as in the scope. Errors: CW_ERROR_INPUT (a name that is taken, an
 * expression that is wrong, in a circle or not finite; the message has the place), CW_ERROR_MEMORY.
 */
cw_status cw_formula_scope(cw_context *context, const cw_deck *deck, int threads,
                           cw_expression_scope *scope);

/* x, y, z as far as the grid has axes. */
int cw_formula_axes(const cw_deck *deck);

/* Compiles the parameter (`item` of a list, else 0), a number or a text. Errors: CW_ERROR_INPUT
 * with the place of the character, CW_ERROR_MEMORY. */
cw_status cw_formula_create(cw_context *context, const cw_deck *deck,
                            const cw_expression_scope *scope, const cw_deck_parameter *parameter,
                            int item, int allowed, cw_expression **expression);

/* The same, or a number where the parameter is NULL. */
cw_status cw_formula_scalar(cw_context *context, const cw_deck *deck,
                            const cw_expression_scope *scope, const cw_deck_parameter *parameter,
                            double otherwise, int allowed, cw_expression **expression);

/* Three of them from a parameter of [setup] itself, or from the default where it is not given
 * (numbers: zeros). The parameter's type has been checked. */
cw_status cw_formula_vector(cw_context *context, const cw_deck *deck,
                            const cw_expression_scope *scope, const cw_deck_parameter *parameter,
                            int allowed, cw_expression *expression[3]);

/* "setup.NAME is VALUE at x = ..., y = ...; expected ...", CW_ERROR_INPUT. `t` is told where it is
 * not NAN. */
cw_status cw_formula_fail(cw_context *context, const cw_deck *deck,
                          const cw_deck_parameter *parameter, int item, double value,
                          const double x[3], double t, const char *expected);
#endif
