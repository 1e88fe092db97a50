/* What continues an array along one axis beyond the box: images, mirrors, nothing. */
#ifndef CW_FIELDS_IMAGE_BODY_H
#define CW_FIELDS_IMAGE_BODY_H

#include <stdint.h>

#include "base/host_device.h"

/* The image of the other end, a mirror, or nothing. */
typedef enum cw_side { CW_SIDE_PERIODIC = 0, CW_SIDE_MIRROR, CW_SIDE_OPEN } cw_side;

/* One axis of one array: cells, ghost cells, where values stand (dual: at i + 1/2), the sign of a
 * mirror image, and what stands at the lower and the upper side. */
typedef struct cw_axis_rule {
  int32_t n, ghost;
  int dual, mirror_sign;
  cw_side lower, upper;
} cw_axis_rule;

static CW_HOST_DEVICE inline int32_t cw_axis_modulo(int32_t i, int32_t n) {
  int32_t rest = i % n;
  return rest < 0 ? rest + n : rest;
}

/* The index whose value, times *sign, continues the array at index i; *sign = 0 where there is
 * nothing (beyond the storage of an open side). Indices inside map to themselves. */
static CW_HOST_DEVICE inline int32_t cw_axis_image(const cw_axis_rule *axis, int32_t i, int *sign) {
  int32_t n = axis->n;
  int32_t top = axis->dual ? n - 1 : n; /* last value on or before the upper wall */
  *sign = 1;
  if (axis->lower == CW_SIDE_PERIODIC)
    return cw_axis_modulo(i, n);
  if (axis->lower == CW_SIDE_MIRROR && axis->upper == CW_SIDE_MIRROR) {
    i = cw_axis_modulo(i, 2 * n); /* two mirrors repeat everything after 2 n cells */
    if (i <= top)
      return i;
    *sign = axis->mirror_sign;
    return 2 * n - axis->dual - i;
  }
  if (axis->lower == CW_SIDE_MIRROR && i < 0) {
    *sign = axis->mirror_sign;
    i = -axis->dual - i;
  } else if (axis->upper == CW_SIDE_MIRROR && i > top) {
    *sign = axis->mirror_sign;
    i = 2 * n - axis->dual - i;
  }
  if (i < -axis->ghost || i >= n + axis->ghost)
    *sign = 0;
  return i;
}

#endif
