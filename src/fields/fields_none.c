/* Fields on a device, in a build without device code. */
#include "fields/fields_private.h"

const cw_fields_ops *cw_fields_device_ops(void) {
  return NULL;
}
