/* Which backend `cellwise run` computes on. */
#ifndef CW_CLI_RUN_BACKEND_H
#define CW_CLI_RUN_BACKEND_H

#include "deck/deck.h"
#include "engine/engine.h"

/* Whether the deck's engine runs on the context's backend and the problem fits its memory. If it
 * can't on a device, an `automatic` choice of it ends on the CPU, with a message to the log.
 * Errors: CW_ERROR_UNSUPPORTED, CW_ERROR_INPUT (memory: needed and free). */
cw_status cw_run_settle_backend(cw_context *context, const cw_deck *deck, int automatic);
/* CW_ERROR_INPUT, "FILE:LINE:COLUMN: ..." at the key that makes the need: `wanted` and `available`
 * bytes, these "free on ..." or whatever `where` says. */
cw_status cw_run_fail_memory(cw_context *context, const cw_deck *deck, const cw_engine_memory *need,
                             double wanted, double available, const char *where);

#endif
