/* Loops of the energy-conserving mover, one table an instruction set. */
#ifndef CW_ENGINE_ECSIM_MOVER_CPU_H
#define CW_ENGINE_ECSIM_MOVER_CPU_H

#include "base/isa.h"
#include "engine/ecsim_mover_body.h"

typedef struct cw_ecsim_mover_table {
  /* Moves slots [from, to); returns the first one whose place is not finite or too far, or -1. */
  int64_t (*move[2])(const cw_ecsim_move_job *job, int64_t from, int64_t to); /* by order - 1 */
  /* Fills job->gamma of these slots by the fields in job->nodes. */
  void (*predict[2])(const cw_ecsim_move_job *job, int64_t from, int64_t to);
} cw_ecsim_mover_table;

CW_ISA_DECLARE(cw_ecsim_mover_table, cw_ecsim_mover_ops);

#endif
