/* The interior cell of a periodic axis that a cell is an image of. */
#ifndef CW_COMM_IMAGE_BODY_H
#define CW_COMM_IMAGE_BODY_H

#include <stdint.h>

#include "base/host_device.h"

static CW_HOST_DEVICE inline int32_t cw_comm_image(int32_t i, int32_t n) {
  int32_t rest = i % n;
  return rest < 0 ? rest + n : rest;
}

#endif
