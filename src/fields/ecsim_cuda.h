/* Vectors of the energy-conserving method on a device: what the solver does to them. All functions
 * run on the host with arrays on the device; work is queued, but where a result is awaited. */
#ifndef CW_FIELDS_ECSIM_CUDA_H
#define CW_FIELDS_ECSIM_CUDA_H

#include "fields/ecsim_vector.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CW_ECSIM_AT_ONCE = 48 }; /* vectors of one call */

/* Errors: CW_ERROR_MEMORY, CW_ERROR_UNSUPPORTED (a build without device code). */
cw_status cw_ecsim_sums_create_cuda(cw_context *context, cw_ecsim_sums **sums);
void cw_ecsim_sums_destroy_cuda(cw_context *context, cw_ecsim_sums *sums);

/* results[k] = x . y[k], by a fixed number of blocks over fixed slices and fixed trees: the same
 * bits on every run and every device. Waits for them; faults of device bodies are left for others.
 */
cw_status cw_ecsim_dots_cuda(cw_context *context, cw_ecsim_sums *sums, int64_t length,
                             const double *x, int count, const double *const *y, double *results);
/* z = sum over k of c[k] x[k], count >= 1 terms in order; z may be any x[k]. */
cw_status cw_ecsim_combine_cuda(cw_context *context, int64_t length, int count, const double *c,
                                const double *const *x, double *z);
cw_status cw_ecsim_set_cuda(cw_context *context, int64_t length, double c, double *z);
/* z = x y, or x / y. */
cw_status cw_ecsim_pointwise_cuda(cw_context *context, int64_t length, const double *x,
                                  const double *y, int divide, double *z);

#ifdef __cplusplus
}
#endif
#endif
