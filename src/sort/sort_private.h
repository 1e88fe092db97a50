/* Inside the sort: how a particle's key is formed, the counting sort, and the reorder. */
#ifndef CW_SORT_SORT_PRIVATE_H
#define CW_SORT_SORT_PRIVATE_H

#include <cellwise/cells.h>

#include "sort/particles_private.h"
#include "sort/sort_cpu.h"

/* Keys in slot order: given, or formed from particles by a rule and kept in an array, or (both
 * arrays NULL) formed each time that they are asked for. */
typedef struct cw_key_source {
  const uint32_t *given;
  const cw_key_rule *rule;
  const cw_particles_view *particles;
  uint32_t *kept;
  uint32_t *bin_ends; /* out: where each bin's places end, or NULL */
  int *outside;       /* out, with a rule: a particle is outside the block */
} cw_key_source;

/* What a rule and its sort tell of the cell of each sorted place. */
typedef struct cw_sort_bins {
  const cw_key_rule *rule;
  const uint32_t *ends;
} cw_sort_bins;

/* A slot number must fit in 32 bits. */
cw_status cw_sort_check_count(cw_context *context, int64_t count);

/* Rule for one table. Errors: CW_ERROR_ARGUMENT, CW_ERROR_UNSUPPORTED (more than 2^32 - 2 bins). */
cw_status cw_key_rule_init(cw_context *context, const cw_cells_options *options, cw_key_rule *rule,
                           int32_t tiles[3]);

/* permutation[s] = slot of the particle that belongs at place s, points of the sentinel bin last;
 * offsets[b] = first place of bin b * stride, for b <= bins / stride (offsets may be NULL). */
cw_status cw_sort_permutation(cw_context *context, int64_t count, const cw_key_source *source,
                              uint32_t bins, uint32_t stride, uint32_t *permutation,
                              int64_t *offsets);

/* Working memory that outlives a reorder, so that the next one need not ask for it again. */
typedef struct cw_reorder_scratch {
  char *bytes;
  size_t size;
} cw_reorder_scratch;

/* Moves every array that is not NULL so that slot s receives slot permutation[s], for s < alive;
 * slots from alive on are undefined. Overwrites the permutation. With `bins`, cells may be written
 * from them instead of being moved.
 * Errors: CW_ERROR_MEMORY, before anything moved. */
cw_status cw_sort_reorder(cw_context *context, cw_particles_view *particles, int64_t alive,
                          uint32_t *permutation, int low_memory, const cw_sort_bins *bins,
                          cw_reorder_scratch *scratch);

#endif
