/* What is kept of the particles whose histories are kept: at one step, ordered by id. */
#ifndef CW_ENGINE_TRACKED_H
#define CW_ENGINE_TRACKED_H

#include "engine/engine.h"
#include "setup/track_columns.h"

/* The live tracked particles of species s as they stand. The same bits for any number of threads and
 * any order of slots. Free with cw_tracked_free, after a failure too. From a device only the tags
 * and the tracked particles cross to the host, and the fields whole. Errors: CW_ERROR_MEMORY,
 * CW_ERROR_NUMERIC (a particle outside the block), CW_ERROR_DEVICE. */
cw_status cw_engine_tracked(cw_engine *engine, int s, cw_tracked *tracked);
void cw_tracked_free(cw_context *context, cw_tracked *tracked);

#endif
