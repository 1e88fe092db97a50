/* Inside the sidecar: one HDF5 file as XML. */
#ifndef CW_OUTPUT_SIDECAR_GRID_H
#define CW_OUTPUT_SIDECAR_GRID_H

#include "output/output_private.h"

/* Writes the <Grid> of the file `path` at its step; `link` is its name from the sidecar. Errors:
 * CW_ERROR_IO, CW_ERROR_FORMAT. */
cw_status cw_sidecar_put_grid(cw_context *context, const char *path, const char *link,
                              cw_series series, int64_t step, FILE *stream);

#endif
