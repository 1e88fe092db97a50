/* Sets E and B over the interior of a grid. */
#ifndef CW_SETUP_INITIAL_FIELDS_H
#define CW_SETUP_INITIAL_FIELDS_H

#include "setup/setup.h"

/* The same vector, in units of B0, everywhere. */
void cw_initial_uniform(const cw_setup_target *target, cw_vector_view field, const double value[3]);

/* Component `axis` of a field at coordinates x. Called by many threads. */
typedef double cw_initial_field(const void *user, int axis, const double x[3]);

/* B from a function, each component at its own place on the Yee grid: B_a is primal along axis a
 * and dual along the others. */
void cw_initial_B(const cw_setup_target *target, cw_initial_field *function, const void *user);
#endif
