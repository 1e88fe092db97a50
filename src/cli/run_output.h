/* What `cellwise run` writes into its folder, from an engine's state. */
#ifndef CW_CLI_RUN_OUTPUT_H
#define CW_CLI_RUN_OUTPUT_H

#include "engine/engine.h"

typedef struct cw_run_output cw_run_output;

/* Makes the folder, writes deck.toml (verbatim) and deck_resolved.toml, and starts history.csv.
 * Errors: CW_ERROR_IO naming the path; nothing half-written is left. */
cw_status cw_run_output_create(cw_context *context, const cw_deck *deck, const char *folder,
                               cw_run_output **output);
cw_status cw_run_output_history(cw_run_output *output, const cw_engine *engine,
                                const cw_engine_diagnostics *diagnostics);
/* The deck's quantities at the engine's step, one openPMD file. */
cw_status cw_run_output_fields(cw_run_output *output, cw_engine *engine);
const char *cw_run_output_folder(const cw_run_output *output);
cw_status cw_run_output_close(cw_run_output *output); /* frees; NULL is allowed */

#endif
