/* One CUDA device: what it is, its streams, memory, copies, events and the fault word. */
#include <new>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/device_cuda.cuh"

struct held_block {
  held_block *next;
  void *pointer;
  size_t bytes;
};

struct cw_device {
  int number;
  cudaStream_t stream, aux;
  cw_device_properties properties;
  cw_fault_word *fault; /* on the device */
  cw_fault_word *seen;  /* pinned, on the host */
  held_block *blocks;
  struct {
    void *pointer;
    size_t bytes;
  } kept[CW_KEPT_USES]; /* also among the blocks */
  const char *last_kernel;
  int wait_each;
};

static double megabytes(size_t bytes) {
  return (double)bytes / 1048576.0;
}

cw_status cw_cuda_check(cw_context *context, cudaError_t error, const char *call) {
  if (error == cudaSuccess)
    return CW_OK;
  cudaGetLastError(); /* the next launch is not to report this one */
  return cw_fail(context, error == cudaErrorMemoryAllocation ? CW_ERROR_MEMORY : CW_ERROR_DEVICE,
                 "%s failed: %s (%s)", call, cudaGetErrorString(error), cudaGetErrorName(error));
}

static cw_status start(cw_context *context, cw_device *device) {
  char call[64];
  snprintf(call, sizeof call, "opening device %d", device->number);
  CW_TRY(cw_cuda_check(context, cudaSetDevice(device->number), call));
  CW_TRY(cw_cuda_check(context, cudaFree(NULL), call)); /* makes the driver's context */
  CW_CUDA_TRY(context, cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking));
  CW_CUDA_TRY(context, cudaStreamCreateWithFlags(&device->aux, cudaStreamNonBlocking));
  CW_CUDA_TRY(context, cudaMalloc(&device->fault, sizeof *device->fault));
  CW_CUDA_TRY(context, cudaMemsetAsync(device->fault, 0, sizeof *device->fault, device->stream));
  CW_CUDA_TRY(context, cudaMallocHost(&device->seen, sizeof *device->seen));
  CW_CUDA_TRY(context, cudaStreamSynchronize(device->stream));
  return CW_OK;
}

static void release(cw_device *device) {
  cudaSetDevice(device->number);
  if (device->stream)
    cudaStreamSynchronize(device->stream);
  if (device->aux)
    cudaStreamSynchronize(device->aux);
  while (device->blocks) { /* what its owners should have freed */
    held_block *next = device->blocks->next;
    cudaFree(device->blocks->pointer);
    free(device->blocks);
    device->blocks = next;
  }
  if (device->fault)
    cudaFree(device->fault);
  if (device->seen)
    cudaFreeHost(device->seen);
  if (device->stream)
    cudaStreamDestroy(device->stream);
  if (device->aux)
    cudaStreamDestroy(device->aux);
  cudaGetLastError();
  delete device;
}

static cw_status open_chosen(cw_context *context, const cw_device_entry *chosen) {
  cw_device *device = new (std::nothrow) cw_device();
  if (!device)
    return cw_fail(context, CW_ERROR_MEMORY, "the device's record could not be allocated");
  device->number = chosen->number;
  const char *wait = getenv("CELLWISE_DEVICE_SYNC");
  device->wait_each = wait && *wait && strcmp(wait, "0") != 0;
  cw_status status = cw_device_describe(context, chosen->number, &device->properties);
  device->properties.memory_free = chosen->memory_free;
  if (status == CW_OK)
    status = start(context, device);
  if (status != CW_OK) {
    release(device);
    return status;
  }
  cw_context_set_opened(context, device, chosen->number);
  return CW_OK;
}

static cw_status probe_all(cw_context *context, cw_device_entry table[CW_DEVICES], int *count) {
  int here;
  CW_TRY(cw_device_count(context, &here));
  for (*count = 0; *count < here && *count < CW_DEVICES; ++*count)
    CW_TRY(cw_device_probe(context, *count, 1, &table[*count]));
  return CW_OK;
}

/* Only the wanted device where it can be used; else all, so that the choice can tell of them. */
static cw_status probe(cw_context *context, const int *wanted, cw_device_entry table[CW_DEVICES],
                       int *count) {
  char why[sizeof table->error];
  int here;
  *count = 0;
  CW_TRY(cw_device_count(context, &here));
  if (!wanted || *wanted < 0 || *wanted >= here)
    return probe_all(context, table, count);
  CW_TRY(cw_device_probe(context, *wanted, 1, &table[0]));
  if (cw_device_unusable(&table[0], why, sizeof why))
    return probe_all(context, table, count);
  *count = 1;
  return CW_OK;
}

cw_status cw_device_open(cw_context *context, const int *wanted) {
  cw_device_entry table[CW_DEVICES];
  int count = 0, chosen = -1;
  cw_status status = probe(context, wanted, table, &count);
  if (status == CW_OK)
    status = cw_device_choose(context, table, count, wanted, &chosen);
  if (status == CW_OK)
    status = open_chosen(context, &table[chosen]);
  for (int k = 0; k < count; k++)
    cw_device_unprobe(&table[k]);
  return status;
}

void cw_device_close(cw_context *context) {
  if (!context || !cw_context_opened(context))
    return;
  release(cw_context_opened(context));
  cw_context_set_opened(context, NULL, cw_context_device(context));
}

const cw_device_properties *cw_device_opened(const cw_context *context) {
  const cw_device *device = context ? cw_context_opened(context) : NULL;
  return device ? &device->properties : NULL;
}

cw_status cw_device_use(cw_context *context, cudaStream_t *stream) {
  if (stream)
    *stream = NULL;
  cw_device *device = cw_context_opened(context);
  if (!device)
    return cw_fail(context, CW_ERROR_UNSUPPORTED, "this context has no device (backend cpu)");
  CW_CUDA_TRY(context, cudaSetDevice(device->number));
  if (stream)
    *stream = device->stream;
  return CW_OK;
}

cw_status cw_context_wait_for_stream(cw_context *context, void *stream) {
  cudaStream_t own;
  cudaEvent_t event;
  CW_TRY(cw_device_use(context, &own));
  CW_CUDA_TRY(context, cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  cudaError_t error = cudaEventRecord(event, (cudaStream_t)stream);
  if (error == cudaSuccess)
    error = cudaStreamWaitEvent(own, event, 0);
  cudaEventDestroy(event);
  CW_CUDA_TRY(context, error);
  return CW_OK;
}

cudaStream_t cw_device_aux_stream(const cw_context *context) {
  return cw_context_opened(context)->aux;
}

cw_fault_word *cw_device_fault(const cw_context *context) {
  return cw_context_opened(context)->fault;
}

unsigned cw_cuda_blocks(const cw_context *context, int64_t count, int threads) {
  enum { BLOCKS_PER_MULTIPROCESSOR = 64 };
  int64_t most = (int64_t)cw_device_opened(context)->multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
  return (unsigned)cw_max_i64(1, cw_min_i64(most, (count + threads - 1) / threads));
}

size_t cw_device_memory_free(const cw_context *context) {
  cw_device *device = context ? cw_context_opened(context) : NULL;
  size_t available = 0, total = 0;
  if (!device || cudaSetDevice(device->number) != cudaSuccess ||
      cudaMemGetInfo(&available, &total) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return available;
}

cw_status cw_device_alloc(cw_context *context, size_t bytes, const char *what, void **pointer) {
  *pointer = NULL;
  CW_TRY(cw_device_use(context, NULL));
  cw_device *device = cw_context_opened(context);
  held_block *block = (held_block *)malloc(sizeof *block);
  cudaError_t error = cudaErrorMemoryAllocation;
  if (block)
    error = cudaMalloc(&block->pointer, bytes ? bytes : 1);
  if (error != cudaSuccess) {
    free(block);
    cudaGetLastError();
    if (error != cudaErrorMemoryAllocation)
      return cw_cuda_check(context, error, what);
    return cw_fail(context, CW_ERROR_MEMORY,
                   "%s: %.1f MB are needed, %.1f MB of %.1f MB are free on device %d (%s)", what,
                   megabytes(bytes), megabytes(cw_device_memory_free(context)),
                   megabytes(device->properties.memory_total), device->number,
                   device->properties.name);
  }
  block->bytes = bytes;
  block->next = device->blocks;
  device->blocks = block;
  cw_status status = cw_device_zero(context, block->pointer, bytes);
  if (status != CW_OK)
    cw_device_free(context, block->pointer);
  else
    *pointer = block->pointer;
  return status;
}

size_t cw_device_free(cw_context *context, void *pointer) {
  cw_device *device = cw_context_opened(context);
  if (!pointer || !device)
    return 0;
  for (held_block **link = &device->blocks; *link; link = &(*link)->next) {
    held_block *block = *link;
    if (block->pointer != pointer)
      continue;
    size_t bytes = block->bytes;
    *link = block->next;
    free(block);
    cudaSetDevice(device->number);
    cudaFree(pointer); /* waits for the device; an older failure is reported by the next call */
    return bytes;
  }
  return 0;
}

cw_status cw_device_kept(cw_context *context, cw_kept use, size_t bytes, const char *what,
                         void **pointer) {
  *pointer = NULL;
  CW_TRY(cw_device_use(context, NULL));
  auto *kept = &cw_context_opened(context)->kept[use];
  if (!kept->pointer || kept->bytes < bytes) {
    cw_memory_free(context, CW_SPACE_DEVICE, kept->pointer);
    kept->pointer = NULL;
    CW_TRY(cw_memory_alloc(context, CW_SPACE_DEVICE, bytes, 1, what, &kept->pointer));
    kept->bytes = bytes;
  }
  *pointer = kept->pointer;
  return CW_OK;
}

cw_status cw_device_zero(cw_context *context, void *device, size_t bytes) {
  cudaStream_t stream;
  CW_TRY(cw_device_use(context, &stream));
  if (bytes)
    CW_CUDA_TRY(context, cudaMemsetAsync(device, 0, bytes, stream));
  return CW_OK;
}

static cw_status copy(cw_context *context, void *to, const void *from, size_t bytes,
                      cudaMemcpyKind kind) {
  cudaStream_t stream;
  CW_TRY(cw_device_use(context, &stream));
  if (bytes)
    CW_CUDA_TRY(context, cudaMemcpyAsync(to, from, bytes, kind, stream));
  return CW_OK;
}

cw_status cw_device_copy_to(cw_context *context, void *device, const void *host, size_t bytes) {
  return copy(context, device, host, bytes, cudaMemcpyHostToDevice);
}
cw_status cw_device_copy_from(cw_context *context, void *host, const void *device, size_t bytes) {
  return copy(context, host, device, bytes, cudaMemcpyDeviceToHost);
}
cw_status cw_device_copy_within(cw_context *context, void *to, const void *from, size_t bytes) {
  return copy(context, to, from, bytes, cudaMemcpyDeviceToDevice);
}

cw_status cw_device_write(cw_context *context, void *device, const void *host, size_t bytes) {
  CW_TRY(cw_device_copy_to(context, device, host, bytes));
  return cw_device_synchronize(context);
}

cw_status cw_device_read(cw_context *context, void *host, const void *device, size_t bytes) {
  CW_TRY(cw_device_copy_from(context, host, device, bytes));
  return cw_device_synchronize(context);
}

static const char *fault_text(int code) {
  switch (code) {
#define CW_FAULT_CASE(name, value, text)                                                           \
  case name:                                                                                       \
    return text;
    CW_FAULT_LIST(CW_FAULT_CASE)
#undef CW_FAULT_CASE
  }
  return "an unknown fault";
}

/* Failures of kernels show only now: the kernel that is named is the last one queued. */
static cw_status check_wait(cw_context *context, cudaError_t error) {
  const cw_device *device = cw_context_opened(context);
  if (error == cudaSuccess)
    return CW_OK;
  return cw_fail(context, CW_ERROR_DEVICE,
                 "device %d (%s) failed at or before kernel %s: %s (%s); with "
                 "CELLWISE_DEVICE_SYNC=1 in the environment the very kernel is named",
                 device->number, device->properties.name,
                 device->last_kernel ? device->last_kernel : "(none was launched)",
                 cudaGetErrorString(error), cudaGetErrorName(error));
}

cw_status cw_device_synchronize(cw_context *context) {
  CW_TRY(cw_device_use(context, NULL));
  cw_device *device = cw_context_opened(context);
  CW_TRY(check_wait(context, cudaStreamSynchronize(device->aux)));
  CW_TRY(check_wait(context, cudaMemcpyAsync(device->seen, device->fault, sizeof *device->seen,
                                             cudaMemcpyDeviceToHost, device->stream)));
  CW_TRY(check_wait(context, cudaStreamSynchronize(device->stream)));
  if (device->seen->count == 0)
    return CW_OK;
  unsigned long long key = ~device->seen->first;
  unsigned long long count = device->seen->count;
  CW_CUDA_TRY(context, cudaMemsetAsync(device->fault, 0, sizeof *device->fault, device->stream));
  return cw_fail(context, CW_ERROR_NUMERIC, "%s: slot %llu is the first of %llu on device %d",
                 fault_text((int)(key & 255)), key >> 8, count, device->number);
}

cw_status cw_cuda_launched(cw_context *context, const char *kernel) {
  cw_device *device = cw_context_opened(context);
  device->last_kernel = kernel;
  cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess && device->wait_each)
    error = cudaStreamSynchronize(device->stream);
  if (error == cudaSuccess)
    return CW_OK;
  return cw_fail(context, CW_ERROR_DEVICE, "kernel %s failed on device %d (%s): %s (%s)", kernel,
                 device->number, device->properties.name, cudaGetErrorString(error),
                 cudaGetErrorName(error));
}

cw_status cw_device_event_create(cw_context *context, cw_device_event **event) {
  cudaEvent_t made;
  *event = NULL;
  CW_TRY(cw_device_use(context, NULL));
  CW_CUDA_TRY(context, cudaEventCreate(&made));
  *event = reinterpret_cast<cw_device_event *>(made);
  return CW_OK;
}

void cw_device_event_destroy(cw_context *context, cw_device_event *event) {
  if (event && cw_device_use(context, NULL) == CW_OK)
    cudaEventDestroy(reinterpret_cast<cudaEvent_t>(event));
}

cw_status cw_device_event_record(cw_context *context, cw_device_event *event) {
  cudaStream_t stream;
  CW_TRY(cw_device_use(context, &stream));
  CW_CUDA_TRY(context, cudaEventRecord(reinterpret_cast<cudaEvent_t>(event), stream));
  return CW_OK;
}

cw_status cw_device_event_seconds(cw_context *context, cw_device_event *begin, cw_device_event *end,
                                  double *seconds) {
  float milliseconds = 0;
  *seconds = 0;
  CW_TRY(cw_device_use(context, NULL));
  CW_TRY(check_wait(context, cudaEventSynchronize(reinterpret_cast<cudaEvent_t>(end))));
  CW_CUDA_TRY(context, cudaEventElapsedTime(&milliseconds, reinterpret_cast<cudaEvent_t>(begin),
                                            reinterpret_cast<cudaEvent_t>(end)));
  *seconds = 1e-3 * (double)milliseconds;
  return CW_OK;
}
