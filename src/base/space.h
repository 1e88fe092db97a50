/* Arrays by the space that they live in: one call for host and device memory. */
#ifndef CW_BASE_SPACE_H
#define CW_BASE_SPACE_H

#include <cellwise/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zeroes `bytes`; on a device queued on the context's stream. Errors: CW_ERROR_DEVICE. */
cw_status cw_space_zero(cw_context *context, cw_space space, void *array, size_t bytes);
/* Copies `bytes`, which must not overlap; within a device queued on the context's stream, else done
 * when it returns. `context` is the device's where one is concerned. Errors: CW_ERROR_DEVICE,
 * CW_ERROR_NUMERIC (a fault that device bodies counted before). */
cw_status cw_space_copy(cw_context *context, cw_space to_space, void *to, cw_space from_space,
                        const void *from, size_t bytes);
/* From memory of cw_memory_alloc on the host, which may change as soon as this returns: to a device
 * queued on the context's stream. Errors: CW_ERROR_DEVICE. */
cw_status cw_space_send(cw_context *context, cw_space to_space, void *to, const void *from,
                        size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
