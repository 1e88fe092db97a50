/* The sort on the device: what the C side of this folder asks of it. All arrays are in device
 * memory unless said otherwise; work is queued on the context's stream. */
#ifndef CW_SORT_SORT_CUDA_H
#define CW_SORT_SORT_CUDA_H

#include <cellwise/cells.h>

#include "sort/key_body.h"
#include "sort/particles_private.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Working memory that outlives a sort: 16 bytes a slot (low_memory: 8), and what a pass needs. */
typedef struct cw_sort_work {
  void *slots, *passes, *tables;
  size_t slot_bytes, pass_bytes, table_bytes;
  int unsorted; /* sorts to go before particles are tried as nearly sorted again */
} cw_sort_work;

void cw_sort_work_release(cw_context *context, cw_sort_work *work);

/* Sorts all members but the _prev ones by the rule's key; offsets[t], t <= bins / tile_bins, is the
 * first slot of tile t. *alive (host) is read at the end.
 * sorted: 0, or how many slots `offsets` describes from an earlier sort of these particles: those
 * that have kept their tile then cost less, and this waits once more.
 * spare: NULL, or the owner's standby arrays: then members trade places with the _prev arrays and
 * the spares, which `particles` and `spare` show on return; else every array keeps its address.
 * Errors: CW_ERROR_MEMORY (nothing moved), CW_ERROR_DEVICE. */
cw_status cw_sort_cells_cuda(cw_context *context, const cw_key_rule *rule, int low_memory,
                             cw_particles_view *particles, void *spare[CW_SPARES],
                             cw_sort_work *work, int64_t sorted, int64_t *offsets, int64_t *alive);

/* Moves the live slots to the front in their order, all members; *alive (host) as above. */
cw_status cw_sort_compact_cuda(cw_context *context, const cw_particles_view *particles,
                               int64_t *alive);

#ifdef __cplusplus
}
#endif
#endif
