/* Which backend `cellwise run` computes on. */
#ifndef CW_CLI_RUN_BACKEND_H
#define CW_CLI_RUN_BACKEND_H

#include "deck/deck.h"

/* Whether the deck's engine runs on the context's backend and the problem fits its memory. If it
 * can't on a device, an `automatic` choice of it ends on the CPU, with a message to the log.
 * Errors: CW_ERROR_UNSUPPORTED, CW_ERROR_INPUT (memory: needed and free). */
cw_status cw_run_settle_backend(cw_context *context, const cw_deck *deck, int automatic);

#endif
