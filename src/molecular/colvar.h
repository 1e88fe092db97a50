/* Files in PLUMED's layout: a "#! FIELDS" line, then rows of numbers. */
#ifndef CW_MOLECULAR_COLVAR_H
#define CW_MOLECULAR_COLVAR_H

#include <stdio.h>

#include "base/context_private.h"

typedef struct cw_colvar cw_colvar;

typedef enum cw_colvar_mode {
  CW_COLVAR_NEW = 0, /* an existing file is renamed to bck.N.NAME, N the first free number */
  CW_COLVAR_APPEND,  /* rows are added to an existing file */
  CW_COLVAR_RESUME   /* the same, behind its last whole record */
} cw_colvar_mode;

typedef struct cw_colvar_options {
  cw_colvar_mode mode;
  const char *folder; /* NULL: name as it stands */
  const char *name;   /* NULL: to the stream `other`, which is not closed */
  FILE *other;
  const char *const *fields; /* [count] names of the columns */
  int count;
  int64_t record; /* rows that belong together */
} cw_colvar_options;

/* Opens the file and writes "#! FIELDS" and the names, unless the file has them. A last line that
 * is cut off is dropped. Errors: CW_ERROR_IO, CW_ERROR_FORMAT (the existing file has no FIELDS
 * line, or another one), CW_ERROR_MEMORY. */
cw_status cw_colvar_open(cw_context *context, const cw_colvar_options *options, cw_colvar **colvar);
/* RESUME: whole records that the file had, and the first word of the last one's rows ("" if none).
 */
int64_t cw_colvar_records(const cw_colvar *colvar);
const char *cw_colvar_last_time(const cw_colvar *colvar);
const char *cw_colvar_path(const cw_colvar *colvar);
FILE *cw_colvar_stream(cw_colvar *colvar);
/* Errors: CW_ERROR_IO, of anything written so far. */
cw_status cw_colvar_check(cw_colvar *colvar);
cw_status cw_colvar_flush(cw_colvar *colvar);
/* Frees; NULL allowed. */
cw_status cw_colvar_close(cw_colvar *colvar);

#endif
