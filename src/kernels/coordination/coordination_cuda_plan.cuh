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

static inline cw_device_entries cw_device_entries_of(const cw_entries *host,
                                                     const cw_device_group *group) {
  cw_device_entries e = {};
  e.count = (int)host->count;
  e.atom = group->atom;
  e.id = group->id;
  e.permutation = group->permutation;
  e.offsets = group->offsets;
  for (int c = 0; c < 3; c++)
    e.position[c] = group->position[c];
  return e;
}

/* coordination_cuda_cells.cu. Cells of the plan's method and form for these positions; without a
 * periodic box it waits for the device, to know what the atoms span. */
cw_status cw_coordination_cuda_choose_cells(cw_coordination *plan, const cw_coordinates_view *view,
                                            const cw_device_positions *positions,
                                            cw_device_cells *cells);
cw_status cw_coordination_cuda_sort_groups(cw_coordination *plan, const cw_device_cells *cells,
                                           const cw_device_positions *positions);
/* CW_ERROR_NUMERIC, with the coordinates, if the outcome that was read names a bad atom. */
cw_status cw_coordination_cuda_check_atoms(cw_coordination *plan, const cw_coordinates_view *view);

#endif
