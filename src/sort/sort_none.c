/* The device's sort in a build without device code. */
#include "base/context_private.h"
#include "sort/sort_cuda.h"

static cw_status absent(cw_context *context) {
  return cw_fail(context, CW_ERROR_UNSUPPORTED,
                 "sort: the arrays are in device memory, and this build has no device code");
}

void cw_sort_work_release(cw_context *context, cw_sort_work *work) {
  (void)context, (void)work;
}

cw_status cw_sort_cells_cuda(cw_context *context, const cw_key_rule *rule, int low_memory,
                             cw_particles_view *particles, void *spare[CW_SPARES],
                             cw_sort_work *work, int64_t sorted, int64_t *offsets, int64_t *alive) {
  (void)rule, (void)low_memory, (void)particles, (void)spare;
  (void)work, (void)sorted, (void)offsets, (void)alive;
  return absent(context);
}

cw_status cw_sort_compact_cuda(cw_context *context, const cw_particles_view *particles,
                               int64_t *alive) {
  (void)particles, (void)alive;
  return absent(context);
}

cw_status cw_cells_sort_keys_device(cw_context *context, int64_t count, const uint32_t *keys,
                                    uint32_t bins, int low_memory, uint32_t *permutation,
                                    int64_t *offsets) {
  (void)count, (void)keys, (void)bins, (void)low_memory, (void)permutation, (void)offsets;
  return absent(context);
}

cw_status cw_cells_gather_device(cw_context *context, int64_t count, const uint32_t *permutation,
                                 size_t item_size, const void *source, void *destination) {
  (void)count, (void)permutation, (void)item_size, (void)source, (void)destination;
  return absent(context);
}
