/* What a plan holds on its device. */
#ifndef CW_KERNELS_COORDINATION_CUDA_PLAN_CUH
#define CW_KERNELS_COORDINATION_CUDA_PLAN_CUH

#include "kernels/coordination/coordination_cuda_job.cuh"

enum { CW_COORDINATION_EVENTS = 5 };

typedef struct cw_device_group {
  uint32_t *atom, *id, *permutation, *offsets;
  double *position[3];
  int64_t offsets_capacity;
} cw_device_group;

struct cw_coordination_cuda {
  cw_device_group group[2];
  cw_device_sorter sorter;
  uint32_t *entry_offsets, *entries; /* of each atom, in the order of entries: a, then b */
  double *derivative, *value;        /* [entries][3], [entries] */
  cw_partial *partial[2];
  int64_t partial_capacity;
  int disjoint;                      /* no atom stands in both groups */
  cw_device_outcome *outcome, *seen; /* on the device; pinned */
  void *raw, *out;                   /* [atoms][3] on the device */
  void *pinned_in, *pinned_out;
  size_t pinned_bytes;
  cw_coordination_cuda_times *times;
  cw_device_event *event[CW_COORDINATION_EVENTS];
};

/* Makes plan->cuda where it is not there yet. */
cw_status cw_coordination_cuda_prepare(cw_coordination *plan);
cw_status cw_coordination_cuda_new(cw_context *context, int64_t count, size_t size,
                                   const char *what, void **pointer);
/* Room for `count` items; contents are lost when it grows. */
cw_status cw_coordination_cuda_reserve(cw_context *context, int64_t count, size_t size,
                                       const char *what, int64_t *capacity, void **pointer);

#endif
