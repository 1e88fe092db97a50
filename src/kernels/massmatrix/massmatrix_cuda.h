/* The mass matrix on a device: what the C side of this folder asks of it. */
#ifndef CW_KERNELS_MASSMATRIX_CUDA_H
#define CW_KERNELS_MASSMATRIX_CUDA_H

#include "kernels/massmatrix/massmatrix_private.h"
#include "sort/key_body.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memory that outlives a call: offsets of bins, their sums, the status word. */
struct cw_mm_device_work {
  void *status, *offsets, *offsets64, *keys, *slots, *sums, *tails;
  size_t offsets_bytes, offsets64_bytes, keys_bytes, slots_bytes, sums_bytes, tails_bytes;
  void *seen; /* the status on the host, pinned */
  int fresh;  /* the matrix was cleared and nothing added since */
};
typedef struct cw_mm_device_work cw_mm_device_work;

/* Creates the status word. The rest is allocated when it is needed. Errors: CW_ERROR_MEMORY. */
cw_status cw_mm_work_create_cuda(cw_context *context, cw_mm_device_work *work);
void cw_mm_work_destroy_cuda(cw_context *context, cw_mm_device_work *work);

/* Adds the job's particles. tiled: the order that they are expected to have; by_bin: in rows of
 * bins. Other orders are sorted first. Waits. Errors: as cw_massmatrix_add_species. */
cw_status cw_mm_add_cuda(cw_massmatrix *matrix, const cw_mm_job *job, const cw_key_rule *tiled,
                         const cw_key_rule *by_bin);

/* The public functions of a matrix on a device, arguments checked; arrays there too. Queued. */
cw_status cw_mm_product_cuda(const cw_massmatrix *matrix, const double *const x[3],
                             double *const y[3]);
cw_status cw_mm_row_sums_cuda(const cw_massmatrix *matrix, int component, double *sums);
cw_status cw_mm_canonical_cuda(const cw_massmatrix *matrix, const int d[3], int component,
                               double *array);

#ifdef __cplusplus
}
#endif
#endif
