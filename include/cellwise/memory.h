/* Memory, tagged by the space that it lives in. */
#ifndef CELLWISE_MEMORY_H
#define CELLWISE_MEMORY_H

#include <stddef.h>

#include <cellwise/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where memory is. */
typedef enum cw_space { CW_SPACE_HOST = 0, CW_SPACE_DEVICE } cw_space;

/* Allocates count * size bytes, zeroed, aligned to 64 bytes (host). `what` names the array in the
 * error message. count = 0 gives a valid pointer. On failure *pointer is NULL.
 * Errors: CW_ERROR_MEMORY (message says what, how much, and how much there is),
 * CW_ERROR_UNSUPPORTED (a space that this build has not). */
CW_API cw_status cw_memory_alloc(cw_context *context, cw_space space, size_t count, size_t size,
                                 const char *what, void **pointer);
/* Frees; NULL is allowed. */
CW_API void cw_memory_free(cw_context *context, cw_space space, void *pointer);
/* Bytes held through this context in a space, now and at most so far. */
CW_API size_t cw_memory_used(const cw_context *context, cw_space space);
CW_API size_t cw_memory_peak(const cw_context *context, cw_space space);
/* Bytes that this machine can still give in a space (host: MemAvailable and cgroup limit). */
CW_API size_t cw_memory_available(const cw_context *context, cw_space space);

#ifdef __cplusplus
}
#endif
#endif
