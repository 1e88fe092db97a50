/* Loops of the energy-conserving mover, one table an instruction set. */
#ifndef CW_ENGINE_ECSIM_MOVER_CPU_H
#define CW_ENGINE_ECSIM_MOVER_CPU_H

#include "base/isa.h"
#include <cellwise/particles.h>

/* Doubles of one node: E and B, each filled up to four. */
enum { CW_ECSIM_NODE = 8 };

typedef struct cw_ecsim_move_job {
  const cw_grid *grid;
  cw_particles_view particles; /* doubles */
  const double *nodes;         /* [points][CW_ECSIM_NODE], ghost cells filled */
  double beta;                 /* q dt / (2 m), in the fields' unit */
  double dt;
  int reflect[3]; /* 1: an axis's ends reflect particles, else it is periodic */
} cw_ecsim_move_job;

typedef struct cw_ecsim_mover_table {
  /* Moves slots [from, to); returns the first one whose place is not finite or too far, or -1. */
  int64_t (*move[2])(const cw_ecsim_move_job *job, int64_t from, int64_t to); /* by order - 1 */
} cw_ecsim_mover_table;

CW_ISA_DECLARE(cw_ecsim_mover_table, cw_ecsim_mover_ops);

#endif
