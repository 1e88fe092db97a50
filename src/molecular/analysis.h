/* An input applied to frames: positions in, values, derivatives and files out. Frames may be
 * computed several at a time, each in a slot of its own, and are then written in order. */
#ifndef CW_MOLECULAR_ANALYSIS_H
#define CW_MOLECULAR_ANALYSIS_H

#include "molecular/colvar.h"
#include "molecular/evaluate.h"

typedef struct cw_analysis cw_analysis;

typedef struct cw_analysis_options {
  double file_length;    /* nm of the trajectory's length unit */
  double timestep;       /* ps a step */
  int derivatives;       /* 1: cw_analysis_result has them */
  int entry_values;      /* 1: cw_analysis_result has them */
  int all_single;        /* 1: single precision for every variable */
  int no_files;          /* 1: PRINT and DUMPDERIVATIVES write nothing */
  int resume;            /* 1: files go on behind the whole records that they hold */
  int slots;             /* frames at a time; 0: as many as threads and memory make sensible */
  const char *folder;    /* of the files; NULL: where the program runs */
  FILE *standard_output; /* for PRINT without FILE */
} cw_analysis_options;

typedef struct cw_analysis_result {
  const char *label;
  double value;
  const double
      *atom_derivatives;      /* [atoms][3] per length unit of the file; NULL if not asked for */
  const double *entry_values; /* [count_a]; NULL if not asked for */
  double box_derivatives[9];
  const cw_coordination_result *sums; /* of the kernel */
} cw_analysis_result;

/* Borrows the input. Errors: as cw_coordination_create with "FILE:LINE: ACTION: " in front,
 * CW_ERROR_IO and CW_ERROR_FORMAT (output files), CW_ERROR_INPUT (nothing to resume). */
cw_status cw_analysis_create(const cw_input *input, const cw_analysis_options *options,
                             cw_analysis **analysis);
/* Frees and closes files; NULL allowed. Errors: CW_ERROR_IO. */
cw_status cw_analysis_destroy(cw_analysis *analysis);

/* Frames that can be computed at the same time: as many as threads, on a device at most 4. 1 where a
 * frame depends on the one before (NLIST), and for systems so large that all threads work at one. */
int cw_analysis_slots(const cw_analysis *analysis);
/* Readies a slot for the next frame, in the order of the frames. *needed = 0: the files hold its
 * numbers already (resume), so that it is neither computed nor written. Errors: CW_ERROR_FORMAT (a
 * file's last record is of another time: it is not of this run). */
cw_status cw_analysis_begin(cw_analysis *analysis, int slot, int64_t step, int *needed);
/* Computes the frame; slots may be worked at by different threads. A failure stays in the slot. */
void cw_analysis_compute(cw_analysis *analysis, int slot, const cw_frame *frame);
/* Returns the slot's failure, or writes what is due. In the order of the frames. */
cw_status cw_analysis_write(cw_analysis *analysis, int slot);
/* The three in slot 0. */
cw_status cw_analysis_frame(cw_analysis *analysis, const cw_frame *frame, int64_t step);
/* Behind the last frame. Errors: CW_ERROR_FORMAT (resume: a file has more records than frames). */
cw_status cw_analysis_finish(cw_analysis *analysis);

/* Of the frame written last; valid until its slot is used again. */
cw_analysis_result cw_analysis_get(const cw_analysis *analysis, int variable);
double cw_analysis_time(const cw_analysis *analysis, int64_t step);

#endif
