/* Inside the library: the context's members and the way to fail. */
#ifndef CW_BASE_CONTEXT_PRIVATE_H
#define CW_BASE_CONTEXT_PRIVATE_H

#ifndef __cplusplus
#include <stdatomic.h>
#endif
#include <stddef.h>
#include <stdint.h>

#include <cellwise/context.h>
#include <cellwise/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CW_MESSAGE_SIZE = 1024, CW_SPACES = 2 };

typedef struct cw_device cw_device; /* base/device.h */

#ifndef __cplusplus
struct cw_context {
  cw_backend backend;
  int threads;
  cw_isa isa;
  int device;        /* its number */
  cw_device *opened; /* NULL: the backend is the CPU */
  cw_log_function *log;
  void *log_user;
  _Atomic size_t used[CW_SPACES], peak[CW_SPACES];
  char message[CW_MESSAGE_SIZE];
};
#endif

/* The members that device code, which is C++, needs. */
int cw_context_device(const cw_context *context);
cw_device *cw_context_opened(const cw_context *context);
/* `opened` may be NULL: the device has been closed. */
void cw_context_set_opened(cw_context *context, cw_device *opened, int number);
/* Gives the device back and goes on with the CPU; nothing of the device may be held any more. */
void cw_context_leave_device(cw_context *context);

/* Records the message and returns `status`: `return cw_fail(context, CW_ERROR_INPUT, "...")`.
 * context may be NULL (then the message is lost). Not to be called inside a parallel region. */
cw_status cw_fail(cw_context *context, cw_status status, const char *format, ...) CW_PRINTF(3, 4);
void cw_log(const cw_context *context, cw_log_level level, const char *format, ...) CW_PRINTF(3, 4);

/* Typed host allocation: CW_NEW(context, count, "what", &pointer). */
#define CW_NEW(context, count, what, pointer)                                                      \
  cw_memory_alloc((context), CW_SPACE_HOST, (size_t)(count), sizeof(**(pointer)), (what),          \
                  (void **)(pointer))
#define CW_DELETE(context, pointer) cw_memory_free((context), CW_SPACE_HOST, (pointer))

/* Propagates a failure out of a function that owns nothing, or to its cleanup label. */
#define CW_TRY(call)                                                                               \
  do {                                                                                             \
    cw_status cw_try_status = (call);                                                              \
    if (cw_try_status != CW_OK)                                                                    \
      return cw_try_status;                                                                        \
  } while (0)
#define CW_TRY_CLEANUP(status, call)                                                               \
  do {                                                                                             \
    (status) = (call);                                                                             \
    if ((status) != CW_OK)                                                                         \
      goto cleanup;                                                                                \
  } while (0)

/* Fixed blocks of a loop over `count` items: sums are formed a block at a time and then over the
 * blocks in order, so that they do not depend on the number of threads. */
enum { CW_BLOCK = 16384 };
static inline int64_t cw_block_count(int64_t count) {
  return (count + CW_BLOCK - 1) / CW_BLOCK;
}

static inline int64_t cw_min_i64(int64_t a, int64_t b) {
  return a < b ? a : b;
}
static inline int64_t cw_max_i64(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* Seconds on a monotonic clock. */
double cw_seconds(void);

#ifdef __cplusplus
}
#endif

#endif
