/* Sets E and B over the interior of a grid. */
#ifndef CW_SETUP_INITIAL_FIELDS_H
#define CW_SETUP_INITIAL_FIELDS_H

#include "setup/setup.h"

/* The same vector, in units of B0, everywhere. */
void cw_initial_uniform(const cw_setup_target *target, cw_vector_view field, const double value[3]);

/* Component `axis` of a field at coordinates x. Called by many threads. */
typedef double cw_initial_field(const void *user, int axis, const double x[3]);

/* E and B from a function, each component at its own place in the engine's grid: on the Yee grid
 * E_a is dual along axis a and primal along the others, and B_a the other way round; engine ecsim
 * has E on nodes and B at cell centres. */
void cw_initial_E(const cw_setup_target *target, cw_initial_field *function, const void *user);
void cw_initial_B(const cw_setup_target *target, cw_initial_field *function, const void *user);

/* Those places: offsets of a component in its cell (0 or 1/2), and coordinates of the value of cell
 * `index` with such offsets; 0 along axes that are not simulated. */
void cw_initial_shift(const cw_deck *deck, int electric, int axis, double shift[3]);
void cw_initial_coordinates(const cw_grid *grid, const int64_t index[3], const double shift[3],
                            double x[3]);
#endif
