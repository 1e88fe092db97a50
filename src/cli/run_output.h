/* What `cellwise run` writes into its folder, from an engine's state. */
#ifndef CW_CLI_RUN_OUTPUT_H
#define CW_CLI_RUN_OUTPUT_H

#include "engine/engine.h"
#include "setup/checkpoint_file.h"

typedef struct cw_run_output cw_run_output;

/* Makes the folder, writes deck.toml (verbatim) and deck_resolved.toml, and starts history.csv; an
 * earlier run's results are moved aside first. With `resumed`, what that run was resumed from,
 * history and field files go on behind it instead: later ones are dropped. Errors: CW_ERROR_IO
 * naming the path, CW_ERROR_FORMAT (a history.csv that is not the resumed run's); nothing
 * half-written is left, and earlier results are where they were. */
cw_status cw_run_output_create(cw_context *context, const cw_deck *deck, const char *folder,
                               const cw_checkpoint_info *resumed, cw_run_output **output);
/* Where an earlier run's results were moved to, or "". */
const char *cw_run_output_aside(const cw_run_output *output);
/* Bytes of history.csv so far. */
int64_t cw_run_output_history_bytes(const cw_run_output *output);
/* Records the tracked particles, where that is due at the engine's step. Errors: CW_ERROR_IO,
 * CW_ERROR_MEMORY. */
cw_status cw_run_output_tracks(cw_run_output *output, cw_engine *engine);
/* Brings history.csv and tracks.h5 to the disk. Errors: CW_ERROR_IO. */
cw_status cw_run_output_sync(cw_run_output *output);
cw_status cw_run_output_history(cw_run_output *output, const cw_engine *engine,
                                const cw_engine_diagnostics *diagnostics);
/* The file of a series at the engine's step, and the sidecar that names it. */
cw_status cw_run_output_series(cw_run_output *output, cw_engine *engine, cw_series series);
const char *cw_run_output_folder(const cw_run_output *output);
cw_status cw_run_output_close(cw_run_output *output); /* frees; NULL is allowed */

#endif
