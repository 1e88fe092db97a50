/* Members of the fields, for the files that work on them. */
#ifndef CW_FIELDS_ECSIM_PRIVATE_H
#define CW_FIELDS_ECSIM_PRIVATE_H

#include <sunlinsol/sunlinsol_spgmr.h>

#include "fields/ecsim.h"
#include "fields/ecsim_cpu.h"
#include "fields/ecsim_vector.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the fields live decides who does the work: one table a space. A vector is three arrays over
 * the grid, one behind the other. */
typedef struct cw_ecsim_ops {
  cw_status (*curl)(const cw_ecsim_fields *fields, const cw_ecsim_job *job);
  cw_status (*divergence)(const cw_ecsim_fields *fields, const cw_ecsim_job *job);
  cw_status (*average)(const cw_ecsim_fields *fields, const cw_ecsim_job *job);
  cw_status (*smooth)(cw_ecsim_fields *fields, double *array);
  /* Interior values of a vector to a packed array of 3 cells values (pack = 1), or back. */
  cw_status (*pack)(const cw_ecsim_fields *fields, double *const array[3], double *packed,
                    int pack);
  /* z = a x + b y, ghost cells too; z may be x or y. */
  cw_status (*combine)(const cw_ecsim_fields *fields, double a, double *const x[3], double b,
                       double *const y[3], double *const z[3]);
  /* Sums over the interior of |E|^2 and |B|^2. */
  cw_status (*squares)(cw_ecsim_fields *fields, double sums[2]);
  /* Over the interior: max |divergence - scale rho|, max |scale rho|, and 1 if a value is not
   * finite, else 0. */
  cw_status (*charge)(cw_ecsim_fields *fields, const double *divergence, const double *rho,
                      double scale, double result[3]);
} cw_ecsim_ops;

extern const cw_ecsim_ops cw_ecsim_host_ops;
const cw_ecsim_ops *cw_ecsim_device_ops(void); /* NULL: a build without device code */

struct cw_ecsim_fields {
  cw_context *context;
  cw_grid grid;
  cw_ecsim_options options;
  const cw_ecsim_ops *ops;
  double *E[3], *B[3], *B_node[3], *E_theta[3], *E_particles[3], *Jhat[3], *J[3];
  double *centre[3], *work[3]; /* curl E' at centres; the operator's work arrays */
  int32_t *sources;            /* of the host's filter: 2 * passes indices an axis, then signs */
  int *signs;
  void *filter_work;
  cw_ecsim_vectors vectors; /* what the solver's share */
  SUNContext sundials;
  SUNLinearSolver solver;
  N_Vector unknown, right, residual, correction;
  cw_ecsim_response *response; /* during a solve */
  void *user;
  cw_status status; /* of the last application of the operator */
};

enum { CW_ECSIM_ARRAYS = 9 };
/* The table of all vectors, for allocation and the end. */
void cw_ecsim_arrays(cw_ecsim_fields *fields, double **arrays[CW_ECSIM_ARRAYS]);

/* Ghost cells of a vector along every simulated axis. */
cw_status cw_ecsim_fill_ghosts(cw_ecsim_fields *fields, double *const array[3]);
cw_status cw_ecsim_smooth_vector(cw_ecsim_fields *fields, double *const array[3]);
/* What the host's filter needs: where a periodic line goes on beyond its ends. */
cw_status cw_ecsim_create_filter(cw_ecsim_fields *fields);
cw_status cw_ecsim_solver_create(cw_ecsim_fields *fields);
void cw_ecsim_solver_destroy(cw_ecsim_fields *fields);

#ifdef __cplusplus
}
#endif

#endif
