/* Inside the tracks: one column of a file, open. */
#ifndef CW_OUTPUT_TRACKS_PRIVATE_H
#define CW_OUTPUT_TRACKS_PRIVATE_H

#include "output/output_private.h"
#include "output/tracks.h"

enum { CW_TRACK_SET = CW_DECK_NAME + 64 }; /* of a data set's name, with its groups */

typedef struct cw_track_column {
  hid_t file, set, space;
} cw_track_column;

/* Opens a data set of one dimension whose values are stored as `type`. To be closed after a failure,
 * too. Errors: CW_ERROR_INPUT (no such file or data set), CW_ERROR_FORMAT. */
cw_status cw_track_column_open(cw_context *context, const char *path, const char *name, hid_t type,
                               cw_track_column *column, int64_t *count);
/* Values [first, first + count). Errors: CW_ERROR_FORMAT. */
cw_status cw_track_column_read(cw_context *context, const char *path, const char *name,
                               const cw_track_column *column, hid_t type, int64_t first,
                               int64_t count, void *values);
void cw_track_column_close(cw_track_column *column);

#endif
