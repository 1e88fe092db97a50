/* SUNDIALS' N_Vector over doubles of ours, in either space: sums over fixed blocks, in order, so
 * that they do not depend on the number of threads. On a device all operations are queued, but for
 * dot products, of which only the results cross the bus: those of one step of Arnoldi's at once. */
#ifndef CW_FIELDS_ECSIM_VECTOR_H
#define CW_FIELDS_ECSIM_VECTOR_H

#include <sundials/sundials_nvector.h>

#include <cellwise/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the vectors of one solver share: where they live and where the device forms their sums. */
typedef struct cw_ecsim_sums cw_ecsim_sums;
typedef struct cw_ecsim_vectors {
  cw_context *context;
  cw_space space;
  cw_ecsim_sums *sums; /* of a device, else NULL */
  cw_status status;    /* of the first operation that failed: SUNDIALS' have no result */
} cw_ecsim_vectors;

/* A vector of `length` doubles that owns its memory; NULL without memory. N_VDestroy frees it.
 * `shared` must outlive it. */
N_Vector cw_ecsim_vector_create(cw_ecsim_vectors *shared, SUNContext sundials, sunindextype length);
double *cw_ecsim_vector_data(N_Vector vector);
/* x . y and |x|. */
double cw_ecsim_vector_dot(N_Vector x, N_Vector y);
double cw_ecsim_vector_norm(N_Vector x);

#ifdef __cplusplus
}
#endif

#endif
