#include "base/space.h"

#include <string.h>

#include "base/device.h"

cw_status cw_space_zero(cw_context *context, cw_space space, void *array, size_t bytes) {
  if (space == CW_SPACE_DEVICE)
    return cw_device_zero(context, array, bytes);
  memset(array, 0, bytes);
  return CW_OK;
}

cw_status cw_space_copy(cw_context *context, cw_space to_space, void *to, cw_space from_space,
                        const void *from, size_t bytes) {
  if (to_space == CW_SPACE_DEVICE)
    return from_space == CW_SPACE_DEVICE ? cw_device_copy_within(context, to, from, bytes)
                                         : cw_device_write(context, to, from, bytes);
  if (from_space == CW_SPACE_DEVICE)
    return cw_device_read(context, to, from, bytes);
  memcpy(to, from, bytes);
  return CW_OK;
}

cw_status cw_space_send(cw_context *context, cw_space to_space, void *to, const void *from,
                        size_t bytes) {
  if (to_space == CW_SPACE_DEVICE) /* pageable memory, which the driver copies aside */
    return cw_device_copy_to(context, to, from, bytes);
  memcpy(to, from, bytes);
  return CW_OK;
}
