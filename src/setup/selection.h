/* Which particles a deck's output.particles.select chooses. */
#ifndef CW_SETUP_SELECTION_H
#define CW_SETUP_SELECTION_H

#include "deck/deck.h"

typedef struct cw_selection cw_selection;

/* Compiles the expression of x, y, z (of axes that the grid has), ux, uy, uz and gamma; without one
 * all are chosen. Errors: CW_ERROR_INPUT with the place of the character, CW_ERROR_MEMORY. */
cw_status cw_selection_create(cw_context *context, const cw_deck *deck, cw_selection **selection);
void cw_selection_destroy(cw_selection *selection);
/* 1 where the expression is neither 0 nor undefined. For threads as cw_expression_at. */
int cw_selection_takes(const cw_selection *selection, const double x[3], const double u[3],
                       double gamma);
/* The expression alone, for `check`. Errors as above. */
cw_status cw_selection_check(cw_context *context, const cw_deck *deck);

#endif
