/* Members of the fields, for the files that work on them. */
#ifndef CW_FIELDS_ECSIM_PRIVATE_H
#define CW_FIELDS_ECSIM_PRIVATE_H

#include <sunlinsol/sunlinsol_spgmr.h>

#include "fields/ecsim.h"
#include "fields/ecsim_cpu.h"

struct cw_ecsim_fields {
  cw_context *context;
  cw_grid grid;
  cw_ecsim_options options;
  const cw_ecsim_cpu_table *table;
  double *E[3], *B[3], *B_node[3], *E_theta[3], *E_particles[3], *Jhat[3], *J[3];
  double *centre[3], *work[3]; /* curl E' at centres; the operator's work arrays */
  int32_t *sources;            /* of the filter: 2 * passes indices an axis, then signs */
  int *signs;
  void *filter_work;
  SUNContext sundials;
  SUNLinearSolver solver;
  N_Vector unknown, right, residual, correction;
  cw_ecsim_response *response; /* during a solve */
  void *user;
  cw_status status; /* of the last application of the operator */
};

enum { CW_ECSIM_ARRAYS = 9 };
/* The table of all arrays over the grid, for allocation and the end. */
void cw_ecsim_arrays(cw_ecsim_fields *fields, double **arrays[CW_ECSIM_ARRAYS]);

/* Ghost cells of three arrays along every simulated axis. */
cw_status cw_ecsim_fill_ghosts(cw_ecsim_fields *fields, double *const array[3]);
cw_status cw_ecsim_smooth_vector(cw_ecsim_fields *fields, double *const array[3]);
cw_status cw_ecsim_solver_create(cw_ecsim_fields *fields);
void cw_ecsim_solver_destroy(cw_ecsim_fields *fields);

#endif
