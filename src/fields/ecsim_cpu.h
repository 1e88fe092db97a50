/* Loops of the node and centre operators, one table an instruction set. */
#ifndef CW_FIELDS_ECSIM_CPU_H
#define CW_FIELDS_ECSIM_CPU_H

#include "base/isa.h"
#include <cellwise/grid.h>

enum { CW_ECSIM_PARALLEL_POINTS = 8192 }; /* smaller arrays are not worth waking threads for */

/* Results over the interior from arrays with filled ghost cells. Node i of an axis stands at i dx,
 * centre i at (i + 1/2) dx: a centre has the nodes i and i + 1 around it, a node the centres i - 1
 * and i. `to_node` tells the two apart; the sums are the same. */
typedef struct cw_ecsim_job {
  const cw_grid *grid;
  int threads;
  int to_node;
  int beyond[3]; /* results along each axis beyond one a cell: 1 on nodes between conductors */
  double scale;
  const double *base[3]; /* NULL: 0; may be `out` */
  const double *in[3];
  double *out[3];
} cw_ecsim_job;

typedef struct cw_ecsim_cpu_table {
  void (*curl)(const cw_ecsim_job *job);       /* out = base + scale curl in */
  void (*divergence)(const cw_ecsim_job *job); /* out[0] = base[0] + scale div in */
  void (*average)(const cw_ecsim_job *job);    /* out = mean of the values around */
} cw_ecsim_cpu_table;

CW_ISA_DECLARE(cw_ecsim_cpu_table, cw_ecsim_cpu_ops);

#endif
