/* The numbers of one frame. Several evaluators of one input can work at the same time, each with
 * its own context. */
#ifndef CW_MOLECULAR_EVALUATE_H
#define CW_MOLECULAR_EVALUATE_H

#include "molecular/input.h"
#include "molecular/trajectory.h"

/* What is wanted besides values. */
typedef struct cw_evaluator_options {
  double file_length; /* nm of the trajectory's length unit */
  int derivatives;    /* of every atom */
  int entry_values;   /* of every entry of GROUPA */
  int all_single;     /* single precision for every variable */
} cw_evaluator_options;

typedef struct cw_evaluated {
  cw_coordination *plan;
  cw_coordination_result result;
  double *derivatives;       /* [atoms + virtual][3] per length unit of the file, or NULL */
  double *entry_derivatives; /* [entries][3], or NULL: only where DUMPDERIVATIVES wants them */
  double *entry_values;      /* [count_a], or NULL */
} cw_evaluated;

typedef struct cw_evaluator {
  cw_context *context;
  const cw_input *input; /* borrowed */
  cw_evaluator_options options;
  cw_evaluated *variables;
  double *positions; /* [atoms + virtual][3], in the input's length unit */
  int64_t step;      /* of the frame evaluated last */
} cw_evaluator;

/* Errors: as cw_coordination_create with "FILE:LINE: ACTION: " in front, CW_ERROR_MEMORY; clear it
 * after failures too. */
cw_status cw_evaluator_init(cw_context *context, const cw_input *input,
                            const cw_evaluator_options *options, cw_evaluator *evaluator);
void cw_evaluator_clear(cw_evaluator *evaluator);
/* Errors: as cw_coordination_compute. */
cw_status cw_evaluator_frame(cw_evaluator *evaluator, const cw_frame *frame, int64_t step);

#endif
