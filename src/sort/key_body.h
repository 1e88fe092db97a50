/* One particle's key, for host and device.
 *
 * key = sum over axes of t tile_stride + l local_stride, where c is the particle's cell, kept
 * inside the block, t = c / tile and l = c - t tile (cell) or i + (dx >= 1/2) - t tile (node, 0 to
 * tile). */
#ifndef CW_SORT_KEY_BODY_H
#define CW_SORT_KEY_BODY_H

#include <stdint.h>

#include "base/host_device.h"

typedef struct cw_key_rule {
  int dim;
  int by_node, with_prev;
  int32_t tile;
  uint32_t reciprocal; /* ceil(2^32 / tile): c / tile = c reciprocal >> 32 for c < 2^28 */
  int32_t last[3];     /* cells - 1 */
  uint32_t tile_stride[3], local_stride[3];
  uint32_t tile_bins; /* bins of one tile */
  uint32_t bins;      /* and of all; dead particles take the key `bins` */
} cw_key_rule;

/* What one axis needs of the rule. */
typedef struct cw_key_axis {
  int32_t last, tile;
  uint32_t reciprocal, tile_stride, local_stride;
} cw_key_axis;

static inline CW_HOST_DEVICE cw_key_axis cw_key_axis_of(const cw_key_rule *rule, int axis) {
  cw_key_axis made;
  made.last = rule->last[axis];
  made.tile = rule->tile;
  made.reciprocal = rule->reciprocal;
  made.tile_stride = rule->tile_stride[axis];
  made.local_stride = rule->local_stride[axis];
  return made;
}

static inline CW_HOST_DEVICE int32_t cw_key_clamp(int32_t value, int32_t low, int32_t high) {
  value = value < low ? low : value;
  return value > high ? high : value;
}

/* The axis's part of the key; `first` is i or min(i, i_prev). */
static inline CW_HOST_DEVICE uint32_t cw_key_by_cell(cw_key_axis axis, int32_t first) {
  uint32_t c = (uint32_t)cw_key_clamp(first, 0, axis.last);
  uint32_t t = (uint32_t)((uint64_t)c * axis.reciprocal >> 32);
  return t * axis.tile_stride + (c - t * (uint32_t)axis.tile) * axis.local_stride;
}

/* The same by node; `upper` is dx >= 1/2. */
static inline CW_HOST_DEVICE uint32_t cw_key_by_node(cw_key_axis axis, int32_t first, int32_t now,
                                                     int upper) {
  uint32_t c = (uint32_t)cw_key_clamp(first, 0, axis.last);
  uint32_t t = (uint32_t)((uint64_t)c * axis.reciprocal >> 32);
  int32_t node = cw_key_clamp(now, -1, axis.last + 1) + upper;
  uint32_t l = (uint32_t)cw_key_clamp(node - (int32_t)t * axis.tile, 0, axis.tile);
  return t * axis.tile_stride + l * axis.local_stride;
}

#endif
