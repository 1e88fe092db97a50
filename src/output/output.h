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

/* When a file's values are of. Units of 0 count as 1. */
typedef struct cw_output_time {
  int64_t step;
  double time, dt;
  double time_unit_SI, grid_unit_SI; /* seconds and metres in a unit of time and length */
} cw_output_time;

/* Makes the folder (and parents) and checks that it can be written; what is in it stays, but for
 * parts of files that a killed run left. Errors: CW_ERROR_IO naming the path and the reason (not a
 * folder, not writable, a history.csv that cellwise did not write, or that another run is writing); folders made by the failing
 * call are removed. */
cw_status cw_output_open_folder(cw_context *context, const char *folder);
/* Moves the history, field files and checkpoints of an earlier run out of the way of a new one,
 * where those of a longer run would pass for the new one's: into folder/previous_N with the next N
 * that is free, with copies of the decks. `aside` receives that folder's path, or "" where there was
 * nothing to move. Nothing is removed. Errors: CW_ERROR_IO; all is then back in its place. */
enum { CW_OUTPUT_PATH = 4096 };
cw_status cw_output_set_aside(cw_context *context, const char *folder, char aside[CW_OUTPUT_PATH]);
/* Undoes set_aside, as far as it can, for a run that could not start. */
void cw_output_put_back(const char *folder, const char *aside);
/* 1 when a run has begun in the folder: its deck or its history is there. */
int cw_output_has_run(const char *folder);
/* Removes files of a series of steps behind `step`. Errors: CW_ERROR_IO. */
cw_status cw_output_drop(cw_context *context, const char *folder, cw_series series, int64_t step);
/* Writes `text` whole as folder/name. Errors: CW_ERROR_IO; an older file of that name stays. */
cw_status cw_output_write_text(cw_context *context, const char *folder, const char *name,
                               const char *text);
/* Writes folder/fields_%08d.h5 (openPMD 1.1, file-based iterations): interior cells only. `deck`
 * (may be NULL) is stored as resolved. Errors: CW_ERROR_ARGUMENT (a record without name or data, a
 * negative step), CW_ERROR_IO with the path and the system's reason, CW_ERROR_MEMORY; on failure no
 * file is left. */
cw_status cw_output_write_fields(cw_context *context, const char *folder, const cw_deck *deck,
                                 const cw_grid *grid, const cw_output_time *when,
                                 const cw_output_record *records, int record_count);

/* A histogram to be written as a mesh; its axes are told as they stand in the array, the fastest
 * first. */
enum { CW_OUTPUT_AXES = 4 };
typedef struct cw_output_axis {
  const char *label;
  double low, step; /* lower edge of the first bin; width of one */
  int64_t count;
} cw_output_axis;
typedef struct cw_output_histogram {
  const char *name;
  int rank;
  cw_output_axis axis[CW_OUTPUT_AXES];
  const double *values;
  double below[CW_OUTPUT_AXES], above[CW_OUTPUT_AXES], total; /* weights in no bin, and of all */
} cw_output_histogram;
/* Writes folder/SERIES/SERIES_%08d.h5 with a mesh record each. Errors: as write_fields. */
cw_status cw_output_write_histograms(cw_context *context, const char *folder, cw_series series,
                                     const cw_deck *deck, const cw_output_time *when,
                                     const cw_output_histogram *histograms, int count);

/* Particles of one species to be written, after ED-PIC. */
typedef struct cw_output_species {
  const char *name;
  int dim;
  int64_t count;
  cw_precision precision; /* of momenta and weights in the file; places are double */
  const double *x[3], *u[3], *weight;
  const double *payload[CW_MAX_PAYLOADS]; /* the first n_payloads */
  int n_payloads;
  const uint64_t *id;
  double mass, charge;           /* of the reference particle's */
  int shape_order;               /* 0: zigzag */
  const char *deposition, *push; /* ED-PIC's words, or others' */
  double length_SI, momentum_SI, mass_SI, charge_SI;
} cw_output_species;
/* Writes folder/particles/particles_%08d.h5: for each species position, positionOffset (zero),
 * momentum (mass times u), weighting, payload1 ..., charge, mass and id. Errors: as write_fields. */
cw_status cw_output_write_particles(cw_context *context, const char *folder, const cw_deck *deck,
                                    const cw_output_time *when, const cw_output_species *species,
                                    int count);

/* history.csv: a header line of names, then a row an interval, numbers as the shortest text that
 * reads back to the same bits. A row is there whole or not at all. Errors: CW_ERROR_ARGUMENT (no
 * names, a name with a comma, quote or line break), CW_ERROR_IO (also: another run writes it),
 * CW_ERROR_MEMORY. */
typedef struct cw_history cw_history;
cw_status cw_history_create(cw_context *context, const char *folder, const char *const *names,
                            int count, cw_history **history);
/* Goes on with the history that is there: its first `bytes` bytes stay, later rows go. Errors: as
 * above, CW_ERROR_FORMAT (other columns, fewer bytes, bytes that do not end with a row): it is then
 * as it was. */
cw_status cw_history_resume(cw_context *context, const char *folder, const char *const *names,
                            int count, int64_t bytes, cw_history **history);
/* Bytes written so far, brought safely to the disk. Errors: CW_ERROR_IO. */
cw_status cw_history_sync(cw_history *history, int64_t *bytes);
/* The same number, without waiting for the disk. */
int64_t cw_history_bytes(const cw_history *history);
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
