/* Inside the output folder: files that appear whole, and HDF5 with checked results. */
#ifndef CW_OUTPUT_OUTPUT_PRIVATE_H
#define CW_OUTPUT_OUTPUT_PRIVATE_H

#include <hdf5.h>

#include "base/context_private.h"
#include "output/output.h"

enum { CW_PATH_SIZE = 4096, CW_FIELD_NAME = 96 };

/* A file being written aside as `part`, to be renamed to `path`. */
typedef struct cw_aside {
  char path[CW_PATH_SIZE];
  char part[CW_PATH_SIZE];
} cw_aside;

/* "folder/name" into path[CW_PATH_SIZE]. Errors: CW_ERROR_IO (too long). */
cw_status cw_path_join(cw_context *context, const char *folder, const char *name, char *path);
/* Forms the names; creates nothing. */
cw_status cw_aside_begin(cw_context *context, const char *path, cw_aside *aside);
/* fsyncs the closed part file, renames it and fsyncs its folder; on failure the part is removed. */
cw_status cw_aside_commit(cw_context *context, const cw_aside *aside);
/* Removes the part file, if it is there. */
void cw_aside_abandon(const cw_aside *aside);
/* Claims a run's history for this process (`exclusive`), or asks whether another process has claimed
 * it. The claim ends with the descriptor, however the process ends. File systems that know no such
 * claims grant all. Errors: CW_ERROR_IO (another run writes there). */
cw_status cw_claim(cw_context *context, int descriptor, const char *path, int exclusive);
/* Writes all bytes to a descriptor. Errors: CW_ERROR_IO naming `path`. */
cw_status cw_write_all(cw_context *context, int descriptor, const char *path, const char *bytes,
                       size_t count);
/* The step of a name "STEM_XXXXXXXX.h5", or -1. */
int64_t cw_step_of_name(const char *name, const char *stem);

/* Folder of a series, and the path of its file at a step. Errors: CW_ERROR_IO (too long). */
cw_status cw_series_folder(cw_context *context, const char *folder, cw_series series, char *path);
cw_status cw_series_path(cw_context *context, const char *folder, cw_series series, int64_t step,
                         char *path);
/* Makes the folder of a series where it is not there. Errors: CW_ERROR_IO. */
cw_status cw_series_make_folder(cw_context *context, const char *folder, cw_series series);
/* 1 where the folder holds a file of that series; `folder` is the series' own. */
int cw_series_is_there(const char *folder, cw_series series);

/* HDF5 prints every failure to stderr unless told not to: silence it, and restore what the
 * surrounding program had chosen. */
typedef struct cw_h5_silence {
  H5E_auto2_t function;
  void *data;
} cw_h5_silence;
cw_h5_silence cw_h5_silence_begin(void);
void cw_h5_silence_end(cw_h5_silence silence);
/* CW_ERROR_IO "path: operation: HDF5's deepest reason". */
cw_status cw_h5_fail(cw_context *context, const char *path, const char *operation);

/* Registers the file driver of hdf5_part.c; its information in a file access list is an int * that
 * receives the first errno. Free with H5FDunregister. */
hid_t cw_h5_part_driver(void);

/* An openPMD field file open for reading. */
typedef struct cw_field_file {
  cw_context *context;
  char path[CW_PATH_SIZE];
  cw_h5_silence silence;
  hid_t file, fields; /* `fields`: the group of records of the file's iteration */
  int64_t step;
  double time;
  double skindepth0;       /* 0 when the file has none */
  char name[CW_DECK_NAME]; /* of the simulation, or "" */
} cw_field_file;
cw_status cw_field_file_open(cw_context *context, const char *path, cw_field_file *file);
void cw_field_file_close(cw_field_file *file);
/* A name a component: "E/x", or "rho" for scalars, sorted; freed with CW_DELETE. */
cw_status cw_field_file_list(cw_field_file *file, char (**names)[CW_FIELD_NAME], int *count);
/* As cw_output_read_field on an open file. */
/* A record of any number of axes as rows along the fastest one: *points of them a row, standing at
 * low + (i + 1/2) step. `label` receives the fastest axis' name. Freed with CW_DELETE. */
enum { CW_AXIS_LABEL = 32 };
cw_status cw_field_file_rows(cw_field_file *file, const char *record, int64_t *points,
                             int64_t *rows, double *low, double *step, char label[CW_AXIS_LABEL],
                             double **values);
cw_status cw_field_file_read(cw_field_file *file, const char *record, const char *component,
                             int *dim, int64_t cells[3], double spacing[3], double offset[3],
                             double **values);

#endif
