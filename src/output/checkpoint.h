/* Writes checkpoints (setup/checkpoint_file.h says what they hold) and minds their folder. */
#ifndef CW_OUTPUT_CHECKPOINT_H
#define CW_OUTPUT_CHECKPOINT_H

#include "setup/checkpoint_file.h"

/* Calls visit for each array of a state; `owner` is whose state it is. */
typedef cw_status cw_checkpoint_walk(void *owner, cw_array_visit *visit, void *user);

/* Writes folder/checkpoint_STEP.h5: aside, sealed, fsynced, renamed, the folder fsynced. Errors:
 * those of walk, CW_ERROR_IO, CW_ERROR_MEMORY; no part of it is left then, and older checkpoints
 * are as they were. */
cw_status cw_checkpoint_write(cw_context *context, const char *folder, const cw_deck *deck,
                              const cw_grid *grid, const cw_checkpoint_info *info,
                              cw_checkpoint_walk *walk, void *owner);

/* Steps of the checkpoints in a folder, newest first; *steps is freed with CW_DELETE. A folder that
 * is not there has none. Errors: CW_ERROR_IO, CW_ERROR_MEMORY. */
cw_status cw_checkpoint_list(cw_context *context, const char *folder, int64_t **steps,
                             int64_t *count);
/* "folder/checkpoint_STEP.h5". Errors: CW_ERROR_IO (too long). */
cw_status cw_checkpoint_path(cw_context *context, const char *folder, int64_t step,
                             char path[CW_CHECKPOINT_PATH]);
/* Removes all but the newest `keep` checkpoints of steps up to `newest`. Errors: CW_ERROR_IO. */
cw_status cw_checkpoint_prune(cw_context *context, const char *folder, int64_t newest,
                              int64_t keep);

#endif
