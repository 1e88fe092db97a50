/* Ghost cells of arrays on the device, where their images are in the same block. */
#ifndef CW_COMM_COMM_DEVICE_H
#define CW_COMM_COMM_DEVICE_H

#include "comm/comm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills (fold = 0) or folds (1) `arrays` arrays, one behind the other, along one simulated,
 * periodic axis; arguments are checked. */
cw_status cw_comm_exchange_device(cw_context *context, const cw_grid *grid, cw_precision precision,
                                  void *array, int64_t arrays, int axis, int fold);

#ifdef __cplusplus
}
#endif
#endif
