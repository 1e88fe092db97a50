/* libgromacs in a process of its own: a file whose compressed bytes are damaged makes it write where
 * it must not, and ends the process that it runs in. */
#ifndef CW_MOLECULAR_GROMACS_CHILD_H
#define CW_MOLECULAR_GROMACS_CHILD_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct cw_gromacs_child {
  pid_t process; /* 0: none */
  FILE *frames;  /* what it reads comes through a pipe */
} cw_gromacs_child;

/* Starts reading. Returns 0 on failure. */
int cw_gromacs_child_open(const char *path, int64_t atoms, cw_gromacs_child *child);
/* The next frame, as cw_gromacs_next; 0 where there is none, or the process has died. */
int cw_gromacs_child_next(cw_gromacs_child *child, int64_t atoms, double *positions,
                          double box[3][3]);
void cw_gromacs_child_close(cw_gromacs_child *child);

#endif
