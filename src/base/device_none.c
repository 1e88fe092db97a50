/* The device functions of a build without device code. */
#include "base/context_private.h"
#include "base/device.h"

static cw_status refuse(cw_context *context) {
  return cw_fail(context, CW_ERROR_UNSUPPORTED,
                 "this build of cellwise has no device code: only the backend cpu");
}

cw_status cw_device_count(cw_context *context, int *count) {
  *count = 0;
  return refuse(context);
}

cw_status cw_device_describe(cw_context *context, int device, cw_device_properties *properties) {
  (void)device;
  *properties = (cw_device_properties){0};
  return refuse(context);
}

cw_status cw_device_probe(cw_context *context, int device, int open, cw_device_entry *entry) {
  (void)device;
  (void)open;
  *entry = (cw_device_entry){0};
  return refuse(context);
}

void cw_device_unprobe(const cw_device_entry *entry) {
  (void)entry;
}

cw_status cw_device_open(cw_context *context, const int *wanted) {
  (void)wanted;
  return refuse(context);
}

void cw_device_close(cw_context *context) {
  (void)context;
}

const cw_device_properties *cw_device_opened(const cw_context *context) {
  (void)context;
  return NULL;
}

cw_status cw_device_alloc(cw_context *context, size_t bytes, const char *what, void **pointer) {
  (void)bytes;
  *pointer = NULL;
  return cw_fail(context, CW_ERROR_UNSUPPORTED, "%s: this build of cellwise has no device memory",
                 what);
}

size_t cw_device_free(cw_context *context, void *pointer) {
  (void)context;
  (void)pointer;
  return 0;
}

cw_status cw_device_kept(cw_context *context, cw_kept use, size_t bytes, const char *what,
                         void **pointer) {
  (void)use;
  return cw_device_alloc(context, bytes, what, pointer);
}

size_t cw_device_memory_free(const cw_context *context) {
  (void)context;
  return 0;
}

cw_status cw_device_zero(cw_context *context, void *device, size_t bytes) {
  (void)device;
  (void)bytes;
  return refuse(context);
}

static cw_status refuse_copy(cw_context *context, void *to, const void *from, size_t bytes) {
  (void)to;
  (void)from;
  (void)bytes;
  return refuse(context);
}

cw_status cw_device_copy_to(cw_context *context, void *device, const void *host, size_t bytes) {
  return refuse_copy(context, device, host, bytes);
}
cw_status cw_device_copy_from(cw_context *context, void *host, const void *device, size_t bytes) {
  return refuse_copy(context, host, device, bytes);
}
cw_status cw_device_copy_within(cw_context *context, void *to, const void *from, size_t bytes) {
  return refuse_copy(context, to, from, bytes);
}
cw_status cw_device_write(cw_context *context, void *device, const void *host, size_t bytes) {
  return refuse_copy(context, device, host, bytes);
}
cw_status cw_device_read(cw_context *context, void *host, const void *device, size_t bytes) {
  return refuse_copy(context, host, device, bytes);
}

cw_status cw_device_synchronize(cw_context *context) {
  return refuse(context);
}

cw_status cw_device_event_create(cw_context *context, cw_device_event **event) {
  *event = NULL;
  return refuse(context);
}

void cw_device_event_destroy(cw_context *context, cw_device_event *event) {
  (void)context;
  (void)event;
}

cw_status cw_context_wait_for_stream(cw_context *context, void *stream) {
  (void)stream;
  return refuse(context);
}

cw_status cw_device_event_record(cw_context *context, cw_device_event *event) {
  (void)event;
  return refuse(context);
}

cw_status cw_device_event_seconds(cw_context *context, cw_device_event *begin, cw_device_event *end,
                                  double *seconds) {
  (void)begin;
  (void)end;
  *seconds = 0;
  return refuse(context);
}
