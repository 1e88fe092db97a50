/* Loops of the Yee update, one table an instruction set. */
#ifndef CW_FIELDS_YEE_CPU_H
#define CW_FIELDS_YEE_CPU_H

#include "base/isa.h"
#include <cellwise/grid.h>

/* out += curl with coefficients, over the interior. B -= dt curl E takes differences to the next
 * value (step = +1), E += dt curl B to the one before (step = -1); written as "neighbour minus
 * here" both are the same expression. */
typedef struct cw_yee_job {
  const cw_grid *grid;
  int threads;
  int step;              /* +1 or -1 */
  double coefficient[3]; /* correction dt / dx; 0 along axes that are not simulated */
  void *out[3];
  void *in[3];
  void *current[3];     /* NULL: none */
  double current_scale; /* out -= current_scale * current */
} cw_yee_job;

typedef struct cw_yee_cpu_table {
  void (*curl[2])(const cw_yee_job *job); /* by cw_precision */
} cw_yee_cpu_table;

CW_ISA_DECLARE(cw_yee_cpu_table, cw_yee_cpu_ops);

#endif
