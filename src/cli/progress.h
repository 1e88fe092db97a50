/* Progress of a long run: one line rewritten on a terminal, plain lines now and then elsewhere. */
#ifndef CW_CLI_PROGRESS_H
#define CW_CLI_PROGRESS_H

#include <stdint.h>
#include <stdio.h>

typedef struct cw_progress {
  FILE *stream;
  int terminal;          /* 1: rewrite one line with \r */
  int64_t first, total;  /* step to begin with, steps in all */
  double started, shown; /* seconds */
  int64_t shown_step;
} cw_progress;

void cw_progress_start(cw_progress *progress, FILE *stream, int64_t first, int64_t total);
/* Called after each step; prints only when enough time has passed (0.2 s on a terminal, 10 s
 * elsewhere) or at the last step. */
void cw_progress_update(cw_progress *progress, int64_t step, int64_t particles);
/* Ends the line so that other messages start on a new one. */
void cw_progress_end(cw_progress *progress);

#endif
