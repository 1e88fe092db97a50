/* SUNDIALS' N_Vector over doubles of ours: sums over fixed blocks, in order, so that they do not
 * depend on the number of threads. */
#ifndef CW_FIELDS_ECSIM_VECTOR_H
#define CW_FIELDS_ECSIM_VECTOR_H

#include <sundials/sundials_nvector.h>

#include <cellwise/context.h>

/* A vector of `length` doubles that owns its memory; NULL without memory. N_VDestroy frees it. */
N_Vector cw_ecsim_vector_create(cw_context *context, SUNContext sundials, sunindextype length);
double *cw_ecsim_vector_data(N_Vector vector);
/* x . y and |x|. */
double cw_ecsim_vector_dot(N_Vector x, N_Vector y);
double cw_ecsim_vector_norm(N_Vector x);

#endif
