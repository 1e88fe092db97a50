/* What a particle is given when it comes into being, at the start or by an injector: payloads, and
 * the mark of those whose history is kept. [setup.species.LABEL] says it: payload1 ..., tracked. */
#ifndef CW_SETUP_NEWBORN_H
#define CW_SETUP_NEWBORN_H

#include "setup/setup.h"

typedef struct cw_newborn cw_newborn;

/* Compiles the expressions, for so many threads at a time (0: the context's); *newborn is NULL where
 * the deck gives particles nothing. Errors: CW_ERROR_INPUT (with the character's place; a payload or
 * a condition that the species has no key for), CW_ERROR_MEMORY. */
cw_status cw_newborn_create(cw_context *context, const cw_deck *deck, int threads,
                            cw_newborn **newborn);
void cw_newborn_destroy(cw_newborn *newborn); /* NULL is allowed */
/* Slots [first, last) of species s, live ones, with place, id and tag set, on the host: their
 * payloads at time t (0 where nothing is said), and CW_TAG_TRACKED or CW_TAG_ALIVE. The result does
 * not depend on the number of threads. Errors: CW_ERROR_INPUT (a payload that is not finite; the
 * message has place and time). */
cw_status cw_newborn_set(const cw_newborn *newborn, const cw_grid *grid, int s,
                         const cw_particles_view *view, int64_t first, int64_t last, double t);
/* Number from 0 of the payload that a parameter of [setup.species.LABEL] sets, or -1. */
int cw_newborn_payload(const cw_deck_parameter *parameter);
/* Compiles alone. */
cw_status cw_newborn_check(cw_context *context, const cw_deck *deck);
#endif
