/* fields.xdmf and particles.xdmf: what the HDF5 files of a run hold, as ParaView and VisIt ask for it
 * (https://www.xdmf.org): a time series over all files of a kind. */
#ifndef CW_OUTPUT_SIDECAR_H
#define CW_OUTPUT_SIDECAR_H

#include "output/output.h"

typedef struct cw_sidecar cw_sidecar;

/* 1 for the series that have one: fields and particles. */
int cw_sidecar_is_for(cw_series series);
/* "fields.xdmf" */
void cw_sidecar_name(cw_series series, char name[32]);
/* Looks at the files of the series that are in the folder already; if there are any or an older
 * sidecar is there, it is written anew. A damaged file is told by a warning and left out. Errors:
 * CW_ERROR_IO, CW_ERROR_MEMORY. */
cw_status cw_sidecar_create(cw_context *context, const char *folder, cw_series series,
                            cw_sidecar **sidecar);
/* Adds the file of a step, which is there, and writes the sidecar whole. Errors: as above,
 * CW_ERROR_FORMAT; the older sidecar stays. */
cw_status cw_sidecar_add(cw_sidecar *sidecar, int64_t step);
void cw_sidecar_destroy(cw_sidecar *sidecar); /* NULL is allowed */

#endif
