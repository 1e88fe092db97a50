/* Members of the fields, for the files that work on them. */
#ifndef CW_FIELDS_ECSIM_PRIVATE_H
#define CW_FIELDS_ECSIM_PRIVATE_H

#include <sunlinsol/sunlinsol_spgmr.h>

#include "fields/ecsim.h"
#include "fields/ecsim_cpu.h"
#include "fields/ecsim_vector.h"
#include "fields/image_body.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the fields live decides who does the work: one table a space. A vector is three arrays over
 * the grid, one behind the other. */
typedef struct cw_ecsim_ops {
  cw_status (*curl)(const cw_ecsim_fields *fields, const cw_ecsim_job *job);
  cw_status (*divergence)(const cw_ecsim_fields *fields, const cw_ecsim_job *job);
  cw_status (*average)(const cw_ecsim_fields *fields, const cw_ecsim_job *job);
  /* Component of a vector on nodes, or -1: at centres. */
  cw_status (*smooth)(cw_ecsim_fields *fields, int component, double *array);
  /* A vector's values on nodes to a packed array of 3 nodes values (pack = 1), or back. Packed they
   * are multiplied by the root of the share of a cell that a node stands for, so that products of
   * packed arrays are sums over nodes with their volumes; the tangential component on a conductor,
   * which is no unknown, by 0. */
  cw_status (*pack)(const cw_ecsim_fields *fields, double *const array[3], double *packed,
                    int pack);
  /* The values at centres of `components` arrays, one behind the other, to packed ones, or back. */
  cw_status (*pack_centres)(const cw_ecsim_fields *fields, int components, double *array,
                            double *packed, int pack);
  /* z = a x + b y, ghost cells too; z may be x or y. */
  cw_status (*combine)(const cw_ecsim_fields *fields, double a, double *const x[3], double b,
                       double *const y[3], double *const z[3]);
  /* Sums of |E|^2 over nodes, times their shares of a cell, and of |B|^2 over centres. */
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
  int32_t *sources; /* of the host's filter, by kind of line and axis: 2 * passes indices */
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

/* Which values an array holds: what continues it behind a conductor. */
typedef enum cw_ecsim_kind {
  CW_ECSIM_NODE_E = 0, /* E, currents */
  CW_ECSIM_NODE_B,
  CW_ECSIM_CENTRE_B, /* B, curl E */
  CW_ECSIM_CHARGE    /* at centres, of particles and their images of the opposite charge */
} cw_ecsim_kind;

enum { CW_ECSIM_ARRAYS = 9 };
/* The table of all vectors, for allocation and the end. */
void cw_ecsim_arrays(cw_ecsim_fields *fields, double **arrays[CW_ECSIM_ARRAYS]);

/* Ghost cells of a vector along every simulated axis, and zero where a conductor wants it. */
cw_status cw_ecsim_fill_ghosts(cw_ecsim_fields *fields, cw_ecsim_kind kind, double *const array[3]);
/* What continues an array's component along an axis. */
cw_axis_rule cw_ecsim_rule(const cw_ecsim_fields *fields, cw_ecsim_kind kind, int component,
                           int axis);
/* 1 if any axis ends at conductors. */
int cw_ecsim_has_conductors(const cw_ecsim_fields *fields);
/* Nodes along each axis: cells, and one more between conductors. Returns the number of all. */
int64_t cw_ecsim_nodes(const cw_ecsim_fields *fields, int32_t count[3]);
/* Which part of a cell's extent along an axis node i stands for: 1, on a conductor 1/2. */
double cw_ecsim_share(const cw_ecsim_fields *fields, int axis, int32_t i);
/* Index and sign of the `passes` values that continue a line on each side, lower side first. */
void cw_ecsim_continue(const cw_ecsim_fields *fields, cw_ecsim_kind kind, int component, int axis,
                       int passes, int32_t *sources, int *signs);
/* A job over centres, or over nodes. */
cw_ecsim_job cw_ecsim_job_of(const cw_ecsim_fields *fields, int to_node, double scale);
cw_status cw_ecsim_smooth_vector(cw_ecsim_fields *fields, double *const array[3]);
/* What the host's filter needs: where a line goes on beyond its ends. */
cw_status cw_ecsim_create_filter(cw_ecsim_fields *fields);
cw_status cw_ecsim_solver_create(cw_ecsim_fields *fields);
void cw_ecsim_solver_destroy(cw_ecsim_fields *fields);

#ifdef __cplusplus
}
#endif

#endif
