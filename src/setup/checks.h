/* Checks that several problems make of a deck. All return CW_OK or CW_ERROR_INPUT, with the place
 * in the deck, what was found and what was expected. */
#ifndef CW_SETUP_CHECKS_H
#define CW_SETUP_CHECKS_H

#include "setup/setup.h"

/* Where a parameter stands, or the [setup] table if it is left to its default. */
cw_deck_where cw_setup_where(const cw_deck *deck, const char *key);
/* The path that a key names: as written, or seen from the deck's folder where that is a file. */
enum { CW_SETUP_PATH = 4096 + 256 };
void cw_setup_file(const cw_deck *deck, const char *key, char path[CW_SETUP_PATH]);
/* low <= value <= high, or strictly between if open. */
cw_status cw_check_range(cw_context *context, const cw_deck *deck, const char *key, double low,
                         double high, int open);
/* temperature >= 0 under that key. */
cw_status cw_check_temperature(cw_context *context, const cw_deck *deck, const char *key);
/* |velocity| < 1 of a float[3] key. */
cw_status cw_check_velocity(cw_context *context, const cw_deck *deck, const char *key);
/* At least one massive species, the charges summing to zero. */
cw_status cw_check_neutral(cw_context *context, const cw_deck *deck);
/* `pairs` times (charge -q, charge +q) in this order, all of one mass and one |q|; `layout` says
 * what they are for the message. */
cw_status cw_check_pairs(cw_context *context, const cw_deck *deck, int pairs, const char *layout);
/* Fields and particles periodic along the axis; `reason` ends the message. */
cw_status cw_check_periodic(cw_context *context, const cw_deck *deck, int axis, const char *reason);
/* Interior cells of the deck's grid. */
double cw_setup_cells(const cw_deck *deck);
/* The next whole number; for what no machine holds, or is not a number, a bound that may still be
 * added up over all species. */
int64_t cw_setup_whole(double count);
#endif
