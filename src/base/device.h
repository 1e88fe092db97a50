/* The device behind a context: memory, one ordered queue of work, copies, time, failures.
 *
 * All functions run on the host and may be called from any thread, one at a time a context. Work is
 * asynchronous: it is queued on the context's stream and done in order; what a function says it
 * waits for, it waits for. A build without CUDA has the same functions: they return
 * CW_ERROR_UNSUPPORTED. Failures of the device are CW_ERROR_DEVICE with the name of the call or
 * kernel; after one, every later call on that device may fail too. */
#ifndef CW_BASE_DEVICE_H
#define CW_BASE_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "base/device_choice.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cw_device_properties {
  char name[128];
  int compute_major, compute_minor; /* compute capability */
  int multiprocessors;
  int threads_per_block, threads_per_multiprocessor;
  int blocks_per_multiprocessor, registers_per_multiprocessor;
  size_t shared_per_block, shared_per_multiprocessor; /* bytes; a block's on request */
  size_t shared_reserved_per_block;                   /* bytes that the system takes of a block's */
  size_t l2_bytes;
  size_t memory_total, memory_free; /* bytes; free: when it was opened, 0 if it was not */
} cw_device_properties;

/* Devices here. `context` (may be NULL) takes the message. Errors: CW_ERROR_UNSUPPORTED (this build
 * has no device code; no driver, or one that is too old), CW_ERROR_DEVICE; *count is then 0. */
cw_status cw_device_count(cw_context *context, int *count);
/* Errors: as above, CW_ERROR_ARGUMENT (no such device: the message says how many there are). */
cw_status cw_device_describe(cw_context *context, int device, cw_device_properties *properties);
/* Fills the device's entry of the table for cw_device_choose. With `open` the device is opened, where
 * that is allowed, to see whether it can be and what is free: it stays open until unprobe, which must
 * be called once for each probe with `open` that returned CW_OK. What opening it says is in the entry
 * and is no error. Errors: as of describe. */
cw_status cw_device_probe(cw_context *context, int device, int open, cw_device_entry *entry);
void cw_device_unprobe(const cw_device_entry *entry);

/* Opens a device for the context: number *wanted, or with NULL the one that cw_device_choose takes; a
 * stream for its work and one beside it (aux) for what may overlap. Errors: as of
 * cw_device_choose. Closing waits for the work; NULL-safe. */
cw_status cw_device_open(cw_context *context, const int *wanted);
void cw_device_close(cw_context *context);
/* Properties as read when it was opened; NULL for a context without a device. */
const cw_device_properties *cw_device_opened(const cw_context *context);

/* `bytes` of device memory, zeroed in stream order, aligned to 256 bytes; 0 gives a valid pointer.
 * `what` names the array in the message. Errors: CW_ERROR_MEMORY (message: needed, free, total). */
cw_status cw_device_alloc(cw_context *context, size_t bytes, const char *what, void **pointer);
/* Waits for the device. Returns the bytes that were held; NULL gives 0. */
size_t cw_device_free(cw_context *context, void *pointer);
/* Device memory that stays between calls, one block a use: it grows when more is asked for and is
 * freed with the context. What it holds is undefined at each call. Errors: as of alloc; a block that
 * was there is then lost. */
typedef enum cw_kept { CW_KEPT_DEPOSIT = 0, CW_KEPT_PLACES, CW_KEPT_USES } cw_kept;
cw_status cw_device_kept(cw_context *context, cw_kept use, size_t bytes, const char *what,
                         void **pointer);
/* Bytes the device can still give; 0 without one. */
size_t cw_device_memory_free(const cw_context *context);

/* Queued on the context's stream. Host memory must stay as it is until the next synchronisation,
 * unless it is pageable, which the driver copies aside before it returns. */
cw_status cw_device_zero(cw_context *context, void *device, size_t bytes);
cw_status cw_device_copy_to(cw_context *context, void *device, const void *host, size_t bytes);
cw_status cw_device_copy_from(cw_context *context, void *host, const void *device, size_t bytes);
cw_status cw_device_copy_within(cw_context *context, void *to, const void *from, size_t bytes);
/* The same, done when they return; both are synchronisations in the sense of the next function. */
cw_status cw_device_write(cw_context *context, void *device, const void *host, size_t bytes);
cw_status cw_device_read(cw_context *context, void *host, const void *device, size_t bytes);

/* Waits for all work of the context and reads the fault word. Errors: CW_ERROR_DEVICE,
 * CW_ERROR_NUMERIC (a device body counted faults: the message has the first slot and the number;
 * the word is cleared). */
cw_status cw_device_synchronize(cw_context *context);

/* What device bodies can find wrong, X(name, value, text); the first slot's code is reported. */
#define CW_FAULT_LIST(X)                                                                           \
  X(CW_FAULT_NOT_FINITE, 1, "a value is not finite")                                               \
  X(CW_FAULT_MOMENTUM, 2, "a particle's momentum is not finite")                                   \
  X(CW_FAULT_MOVED, 3, "a particle moved more than one cell in a step")                            \
  X(CW_FAULT_OUTSIDE, 4, "a particle stands outside the block and its ghost cells")                \
  X(CW_FAULT_OVERFLOW, 5, "a fixed-point sum left its proven range")                               \
  X(CW_FAULT_KEY, 6, "a key is larger than the number of bins")                                    \
  X(CW_FAULT_CAPACITY, 7, "a list is longer than the room made for it")
typedef enum cw_fault {
#define CW_FAULT_ENUM(name, value, text) name = value,
  CW_FAULT_LIST(CW_FAULT_ENUM)
#undef CW_FAULT_ENUM
} cw_fault;

/* Moments on the context's stream. `seconds` waits for `end`. */
typedef struct cw_device_event cw_device_event;
cw_status cw_device_event_create(cw_context *context, cw_device_event **event);
void cw_device_event_destroy(cw_context *context, cw_device_event *event);
cw_status cw_device_event_record(cw_context *context, cw_device_event *event);
cw_status cw_device_event_seconds(cw_context *context, cw_device_event *begin, cw_device_event *end,
                                  double *seconds);

#ifdef __cplusplus
}
#endif
#endif
