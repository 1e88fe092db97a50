/* Ghost cells on a device, in a build without device code. */
#include "base/context_private.h"
#include "comm/comm_device.h"

cw_status cw_comm_exchange_device(cw_context *context, const cw_grid *grid, cw_precision precision,
                                  void *array, int64_t arrays, int axis, int fold) {
  (void)grid;
  (void)precision;
  (void)array;
  (void)arrays;
  (void)axis;
  (void)fold;
  return cw_fail(context, CW_ERROR_UNSUPPORTED, "ghost cells: this build has no device code");
}
