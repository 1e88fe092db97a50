/* Files in PLUMED's layout: a "#! FIELDS" line, then a row of numbers a step. */
#ifndef CW_MOLECULAR_COLVAR_H
#define CW_MOLECULAR_COLVAR_H

#include <stdio.h>

#include "base/context_private.h"

typedef struct cw_colvar cw_colvar;

/* Opens folder/name for writing (folder NULL: as it stands); name NULL: to the stream `other`,
 * which is not closed. An existing file is renamed to bck.N.NAME, N the first free number, unless
 * `append`. Errors: CW_ERROR_IO. */
cw_status cw_colvar_open(cw_context *context, const char *folder, const char *name, int append,
                         FILE *other, cw_colvar **colvar);
/* Writes the FIELDS line: "#! FIELDS" and the names. */
cw_status cw_colvar_fields(cw_colvar *colvar, const char *const *names, int count);
FILE *cw_colvar_stream(cw_colvar *colvar);
/* Writes errors found here and at closing. */
cw_status cw_colvar_check(cw_colvar *colvar);
cw_status cw_colvar_flush(cw_colvar *colvar);
/* Frees; NULL allowed. */
cw_status cw_colvar_close(cw_colvar *colvar);

#endif
