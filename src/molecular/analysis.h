/* An input applied to frames: positions in, values, derivatives and files out. */
#ifndef CW_MOLECULAR_ANALYSIS_H
#define CW_MOLECULAR_ANALYSIS_H

#include "molecular/input.h"
#include "molecular/trajectory.h"

typedef struct cw_analysis cw_analysis;

typedef struct cw_analysis_options {
  double file_length;    /* nm of the trajectory's length unit */
  double timestep;       /* ps a step */
  int derivatives;       /* 1: cw_analysis_result has them */
  int all_single;        /* 1: single precision for every variable */
  int no_files;          /* 1: PRINT and DUMPDERIVATIVES write nothing */
  const char *folder;    /* of the files; NULL: where the program runs */
  FILE *standard_output; /* for PRINT without FILE */
} cw_analysis_options;

typedef struct cw_analysis_result {
  const char *label;
  double value;
  const double
      *atom_derivatives; /* [atoms][3] per length unit of the file; NULL if not asked for */
  double box_derivatives[9];
  const cw_coordination_result *sums; /* of the kernel */
} cw_analysis_result;

/* Borrows the input. Errors: as cw_coordination_create with "FILE:LINE: ACTION: " in front,
 * CW_ERROR_IO (output files). */
cw_status cw_analysis_create(const cw_input *input, const cw_analysis_options *options,
                             cw_analysis **analysis);
/* Frees and closes files; NULL allowed. Errors: CW_ERROR_IO. */
cw_status cw_analysis_destroy(cw_analysis *analysis);
/* One frame at a step: computes every variable, writes what is due. */
cw_status cw_analysis_frame(cw_analysis *analysis, const cw_frame *frame, int64_t step);
/* Of the last frame; valid until the next. */
cw_analysis_result cw_analysis_get(const cw_analysis *analysis, int variable);
double cw_analysis_time(const cw_analysis *analysis, int64_t step);

#endif
