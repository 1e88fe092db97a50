/* The loop over frames of `cellwise coordination`: frames are read in order, several are computed
 * at a time while the next are read, and they are written in order. */
#ifndef CW_CLI_COORDINATION_RUN_H
#define CW_CLI_COORDINATION_RUN_H

#include <signal.h>

#include "molecular/analysis.h"

typedef struct cw_coordination_run {
  cw_trajectory *trajectory; /* holds the first frame */
  const cw_input *input;
  cw_analysis *analysis;
  int64_t stride, initial_step; /* steps between frames, step of the first */
  int64_t every;                /* each how-many-th frame is taken */
  const volatile sig_atomic_t *interrupted;
  /* Called behind each frame that was written, in order; `read` counts frames of the file. */
  cw_status (*after)(void *user, int64_t step, int64_t done, int64_t read);
  void *user;
  int64_t done; /* out: frames taken */
} cw_coordination_run;

/* Errors: as cw_trajectory_next and cw_analysis_write, of the first frame that fails, the frames
 * before it being written; CW_ERROR_INTERRUPTED; CW_ERROR_MEMORY. */
cw_status cw_coordination_run_frames(cw_coordination_run *run);

#endif
