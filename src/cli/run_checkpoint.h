/* When `cellwise run` writes checkpoints, and how it finds the one to go on from. */
#ifndef CW_CLI_RUN_CHECKPOINT_H
#define CW_CLI_RUN_CHECKPOINT_H

#include "engine/engine.h"
#include "output/checkpoint.h"

typedef struct cw_run_checkpoints {
  cw_context *context;
  const cw_deck *deck;
  const char *command;     /* for messages on stderr */
  char out[4096];          /* the output folder */
  char folder[4096];       /* the checkpoints', which may be the same */
  cw_checkpoint_info info; /* kept by the run: what the next checkpoint says */
  int64_t written;         /* step of the last one; -1: none */
  double started;          /* on the clock */
  int walltime_done;
} cw_run_checkpoints;

/* Borrows all. Errors: CW_ERROR_INPUT (a path that is too long). */
cw_status cw_run_checkpoints_init(cw_run_checkpoints *checkpoints, cw_context *context,
                                  const cw_deck *deck, const char *command, const char *out);
/* cw_setup_check for a run that resumes: where the deck starts from a state file, the newest
 * checkpoint that opens gives what that file gave. Errors: as cw_setup_check. */
cw_status cw_run_checkpoints_check_setup(cw_run_checkpoints *checkpoints, cw_deck *deck);
/* The engine from the newest checkpoint that is sound, its info in checkpoints->info; those that
 * are not are told on stderr and renamed to NAME.bad. Without any checkpoint, but with a run in
 * the output folder that did not get so far, *engine stays NULL. Errors: CW_ERROR_INPUT (nothing to
 * resume; no sound checkpoint; a deck that differs: the first key is named; a run that ends before
 * the checkpoint), CW_ERROR_IO, CW_ERROR_MEMORY. */
cw_status cw_run_checkpoints_resume(cw_run_checkpoints *checkpoints, cw_engine **engine);
/* A folder of their own is made and cleared of parts that a killed run left; for a new run, of an
 * earlier run's checkpoints too, which are moved aside. Errors: CW_ERROR_IO. */
cw_status cw_run_checkpoints_begin(const cw_run_checkpoints *checkpoints, int resumed);
/* 1 when one is to be written behind this step. */
int cw_run_checkpoints_due(cw_run_checkpoints *checkpoints, const cw_engine *engine);
/* Writes one, unless this step's is there, and drops those beyond checkpoint.keep. Errors: as
 * cw_checkpoint_write; older ones stay. */
cw_status cw_run_checkpoints_write(cw_run_checkpoints *checkpoints, cw_engine *engine);

#endif
