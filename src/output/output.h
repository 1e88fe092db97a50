/* What a run writes: openPMD HDF5 fields, history.csv, the deck as used. Files appear whole
 * (written aside, closed, fsynced, renamed) or not at all. */
#ifndef CW_OUTPUT_OUTPUT_H
#define CW_OUTPUT_OUTPUT_H

#include "deck/deck.h"

/* One quantity over the grid to be written: a scalar (components = 1) or a vector (3). */
typedef struct cw_output_record {
  const char *name; /* "E", "B", "J", "rho", "density_electrons", ... */
  int components;
  cw_precision precision;
  const void *data[3];   /* arrays over the grid, ghost cells included */
  double position[3][3]; /* [component][axis]: 0 or 0.5 cells from the node */
  double unit_SI;        /* 1 where the deck is dimensionless */
  double dimension[7];   /* openPMD unitDimension: L M T I theta N J */
} cw_output_record;

/* Makes the folder (and parents) and checks that it can be written. The history and field files of
 * an earlier run there are removed, since those of a longer run would pass for the new one's;
 * other files stay. Errors: CW_ERROR_IO naming the path and the reason (not a folder, not writable,
 * a history.csv that cellwise did not write); folders made by the failing call are removed. */
cw_status cw_output_open_folder(cw_context *context, const char *folder);
/* Writes `text` whole as folder/name. Errors: CW_ERROR_IO; an older file of that name stays. */
cw_status cw_output_write_text(cw_context *context, const char *folder, const char *name,
                               const char *text);
/* Writes folder/fields_%08d.h5 (openPMD 1.1, file-based iterations): interior cells only. `deck`
 * (may be NULL) is stored as resolved. Errors: CW_ERROR_ARGUMENT (a record without name or data, a
 * negative step), CW_ERROR_IO with the path and the system's reason, CW_ERROR_MEMORY; on failure no
 * file is left. */
cw_status cw_output_write_fields(cw_context *context, const char *folder, const cw_deck *deck,
                                 const cw_grid *grid, int64_t step, double time, double dt,
                                 const cw_output_record *records, int record_count);

/* history.csv: a header line of names, then a row an interval, numbers as the shortest text that
 * reads back to the same bits. A row is there whole or not at all. Errors: CW_ERROR_ARGUMENT (no
 * names, a name with a comma, quote or line break), CW_ERROR_IO, CW_ERROR_MEMORY. */
typedef struct cw_history cw_history;
cw_status cw_history_create(cw_context *context, const char *folder, const char *const *names,
                            int count, cw_history **history);
cw_status cw_history_append(cw_history *history, const double *values); /* integers print as such */
cw_status cw_history_close(cw_history *history); /* flushes; frees; NULL allowed */

/* A whole history.csv read back, for plots and tests. */
typedef struct cw_table {
  int columns;
  int64_t rows;
  char **names;
  double *values; /* [rows][columns] */
} cw_table;
/* Errors: CW_ERROR_IO, CW_ERROR_FORMAT as "FILE:LINE: found; expected", CW_ERROR_MEMORY. The table
 * must be destroyed before the context. */
cw_status cw_table_read(cw_context *context, const char *path, cw_table **table);
void cw_table_destroy(cw_table *table);
/* One component of a record read back from a field file, interior, axis 0 fastest. `component` is
 * "x", "y" or "z", or NULL for a scalar; offset is the coordinate of the first value along each
 * axis, its staggering included. *values is freed with CW_DELETE. Errors: CW_ERROR_IO,
 * CW_ERROR_FORMAT, CW_ERROR_INPUT (no such record), CW_ERROR_MEMORY. */
cw_status cw_output_read_field(cw_context *context, const char *path, const char *record,
                               const char *component, int *dim, int64_t cells[3], double spacing[3],
                               double offset[3], double **values);
#endif
