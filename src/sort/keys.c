/* How cells and tiles become the keys of the sort. */
#include "base/context_private.h"
#include "sort/sort_private.h"

enum { MAX_CELLS_AXIS = 1 << 28 };

static cw_status check_options(cw_context *context, const cw_cells_options *options) {
  static const int32_t sizes[] = {4, 6, 8, 10, 12, 14, 16};
  int known = 0;
  for (int k = 0; k < (int)(sizeof sizes / sizeof *sizes); k++)
    known |= options->tile == sizes[k];
  if (!known)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "cells: tile is %d; expected 4, 6, 8, 10, 12, 14 or 16", (int)options->tile);
  if (options->dim < 1 || options->dim > 3)
    return cw_fail(context, CW_ERROR_ARGUMENT, "cells: dim is %d; expected 1, 2 or 3",
                   options->dim);
  for (int a = 0; a < options->dim; a++)
    if (options->cells[a] < 1 || options->cells[a] > MAX_CELLS_AXIS)
      return cw_fail(context, CW_ERROR_ARGUMENT, "cells: cells[%d] is %d; expected 1 to %d", a,
                     (int)options->cells[a], MAX_CELLS_AXIS);
  if ((int)options->key < CW_KEY_MIN_PREV || options->key > CW_KEY_CURRENT)
    return cw_fail(context, CW_ERROR_ARGUMENT, "cells: key is %d; expected a cw_cells_key",
                   (int)options->key);
  if ((int)options->depth < CW_DEPTH_TILE || options->depth > CW_DEPTH_NODE)
    return cw_fail(context, CW_ERROR_ARGUMENT, "cells: depth is %d; expected a cw_cells_depth",
                   (int)options->depth);
  return CW_OK;
}

cw_status cw_key_rule_init(cw_context *context, const cw_cells_options *options, cw_key_rule *rule,
                           int32_t tiles[3]) {
  CW_TRY(check_options(context, options));
  const int32_t tile = options->tile;
  *rule = (cw_key_rule){.dim = options->dim,
                        .by_node = options->depth == CW_DEPTH_NODE,
                        .with_prev = options->key == CW_KEY_MIN_PREV,
                        .tile = tile};
  rule->reciprocal = (uint32_t)((((uint64_t)1 << 32) + (uint64_t)tile - 1) / (uint64_t)tile);
  uint64_t edge = (uint64_t)tile + (options->depth == CW_DEPTH_NODE);
  uint64_t tile_bins = 1;
  for (int a = 0; a < options->dim && options->depth != CW_DEPTH_TILE; a++) {
    rule->local_stride[a] = (uint32_t)tile_bins;
    tile_bins *= edge;
  }
  uint64_t bins = tile_bins;
  for (int a = 0; a < 3; a++) {
    int simulated = a < options->dim;
    tiles[a] = simulated ? (options->cells[a] + tile - 1) / tile : 1;
    rule->last[a] = simulated ? options->cells[a] - 1 : 0;
    rule->tile_stride[a] = (uint32_t)bins;
    bins *= (uint64_t)tiles[a];
    if (bins >= UINT32_MAX)
      return cw_fail(context, CW_ERROR_UNSUPPORTED,
                     "cells: a block of %lld x %lld x %lld cells has more than 2^32 - 2 bins",
                     (long long)options->cells[0], (long long)options->cells[1],
                     (long long)options->cells[2]);
  }
  rule->tile_bins = (uint32_t)tile_bins;
  rule->bins = (uint32_t)bins;
  return CW_OK;
}
