/* How the host code chooses among the device's forms. */
#ifndef CW_KERNELS_MASSMATRIX_CUDA_LAUNCH_CUH
#define CW_KERNELS_MASSMATRIX_CUDA_LAUNCH_CUH

#include "kernels/massmatrix/massmatrix_cuda_job.cuh"

/* The launches of one call: a form's sums, and the gather of what it stores. */
typedef struct cw_mm_plan {
  int order, components, is_double;
  int linear; /* current or charge are wanted */
  cw_mm_sum_launch *sum, *gather;
  int store;     /* set with `sum` */
  size_t stride; /* values of a bin; set with `gather` */
} cw_mm_plan;

void cw_mm_plan_moment(cw_mm_plan *plan);
void cw_mm_plan_outer(cw_mm_plan *plan, int pairs);
void cw_mm_plan_paper(cw_mm_plan *plan);
void cw_mm_plan_gather(cw_mm_plan *plan);

/* Straight into the matrix by atomic additions; particles checked before. */
cw_mm_sum_launch cw_mm_naive_cuda;

/* offsets[k] = first place whose key by the job's rule is at least k, k = 0 .. bins; marks the
 * status where the slots are not in that order (not every such place is met). */
cw_mm_sum_launch cw_mm_find_offsets_cuda;
/* Faults of all slots; with keys: their keys, bins for dead slots. */
cw_status cw_mm_check_cuda(cw_context *context, const cw_mm_device_job *job, uint32_t *keys);
/* to[k] = from[k], k = 0 .. count - 1. */
cw_status cw_mm_narrow_cuda(cw_context *context, const int64_t *from, uint32_t *to, int64_t count);

#endif
