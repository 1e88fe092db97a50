/* A PLUMED input, understood: variables, virtual atoms, units, and what to write where. */
#ifndef CW_MOLECULAR_INPUT_H
#define CW_MOLECULAR_INPUT_H

#include <cellwise/coordination.h>

#include "molecular/selection.h"

/* CENTER or COM: a weighted mean of atoms, made whole first unless NOPBC. */
typedef struct cw_virtual_atom {
  const cw_words *words;
  cw_atom_list list;
  double *weight; /* [list.count], sum 1; NULL until masses are known, when by_mass */
  int by_mass, nopbc;
} cw_virtual_atom;

typedef struct cw_variable {
  const cw_words *words;
  cw_atom_list a, b;
  cw_coordination_options options; /* borrows from the lists and the words */
  int nopbc;
  int list_stride; /* FROZEN: rebuilt at the first step and at its multiples */
} cw_variable;

/* PRINT or DUMPDERIVATIVES. */
typedef struct cw_output_action {
  const cw_words *words;
  int derivatives;
  int *variable; /* [count] */
  int count;
  const char *file; /* NULL: standard output */
  int stride;
  char format[32]; /* with its leading space */
  int restart;     /* append instead of keeping a backup */
} cw_output_action;

typedef struct cw_input {
  cw_context *context;
  cw_script script;
  cw_selection selection;
  int64_t atoms;
  double length; /* nm of the unit of the input's lengths */
  double time;   /* ps */
  int restart;
  int flush_stride; /* FLUSH: steps; 0: files are flushed when they are closed */
  cw_virtual_atom *virtual_atoms;
  int virtual_count;
  cw_variable *variables;
  int variable_count;
  cw_output_action *outputs;
  int output_count;
} cw_input;

/* Reads an input for a trajectory of `atoms` atoms. Warnings go to the context's log.
 * Errors: CW_ERROR_INPUT ("FILE:LINE: ACTION: ..."), CW_ERROR_IO, CW_ERROR_MEMORY; *input is empty
 * after them. */
cw_status cw_input_read(cw_context *context, const char *path, int64_t atoms, cw_input *input);
void cw_input_clear(cw_input *input);

/* switch_input.c: R_0, NN ... or SWITCH={...} of an action. d_max_keyword: D_MAX may stand outside
 * SWITCH (CUDACOORDINATION). */
cw_status cw_input_read_switching(cw_context *context, const cw_words *words, int d_max_keyword,
                                  cw_switching_options *options);
/* actions.c: one action each. */
cw_status cw_input_read_action(cw_input *input, const cw_words *words);
/* actions_output.c: PRINT and DUMPDERIVATIVES, UNITS, RESTART, FLUSH. */
cw_status cw_action_output(cw_input *input, const cw_words *words);
cw_status cw_action_units(cw_input *input, const cw_words *words);
cw_status cw_action_restart(cw_input *input, const cw_words *words);
cw_status cw_action_flush(cw_input *input, const cw_words *words);
/* Length units by name ("nm", "A", "um", "Bohr") or as a number of nm. */
cw_status cw_input_length_unit(cw_context *context, const char *text, double *nm);
/* Logs "FILE:LINE: ACTION: warning". */
void cw_input_warn(cw_context *context, const cw_words *words, const char *format, ...)
    CW_PRINTF(3, 4);

#endif
