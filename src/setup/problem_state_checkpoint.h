/* Problem "state" from a checkpoint: its four functions, for a path that is one. */
#ifndef CW_SETUP_PROBLEM_STATE_CHECKPOINT_H
#define CW_SETUP_PROBLEM_STATE_CHECKPOINT_H

#include "setup/setup.h"

/* The deck from the checkpoint's. Errors: CW_ERROR_INPUT (a key that differs), those of opening. */
cw_status cw_state_resolve_checkpoint(cw_context *context, cw_deck *deck, const char *path);
/* Particles of a species there; -1 when it cannot be read. */
int64_t cw_state_expected_checkpoint(const cw_deck *deck, int species, const char *path);
/* Verifies the file, then E, B and the particles, bit by bit. The run starts at step 0. */
cw_status cw_state_fill_checkpoint(const cw_setup_target *target, const char *path);

#endif
