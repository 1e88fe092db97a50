/* The devices that are here: how many, what they are, and whether they can be opened.
 *
 * Only an open device says how much of its memory is free. Opening is done through the driver's
 * primary contexts, which count their users: what is opened to look at it is let go again, and a
 * device that another library of this process uses stays as it is. */
#include <stdio.h>
#include <string.h>

#include <cudaTypedefs.h>

#include "base/device_cuda.cuh"

/* Its attributes can be read only where the binary has code for the device. */
static __global__ void any_code(void) {}

cw_status cw_device_count(cw_context *context, int *count) {
  *count = 0;
  cudaError_t error = cudaGetDeviceCount(count);
  if (error == cudaSuccess && *count > 0)
    return CW_OK;
  cudaGetLastError();
  *count = 0;
  if (error == cudaSuccess || error == cudaErrorNoDevice)
    return cw_fail(context, CW_ERROR_UNSUPPORTED,
                   "there is no NVIDIA device here that can be used");
  int driver = 0;
  if (error == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess &&
      driver > 0)
    return cw_fail(context, CW_ERROR_UNSUPPORTED,
                   "the NVIDIA driver offers CUDA %d.%d; this build needs %d.%d", driver / 1000,
                   driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
  if (error == cudaErrorInsufficientDriver)
    return cw_fail(context, CW_ERROR_UNSUPPORTED, "there is no NVIDIA driver here (%s)",
                   cudaGetErrorName(error));
  return cw_cuda_check(context, error, "cudaGetDeviceCount");
}

static cw_status check_number(cw_context *context, int device) {
  int count;
  CW_TRY(cw_device_count(context, &count));
  if (device < 0 || device >= count)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "device %d was asked for; there %s %d here, numbered from 0", device,
                   count == 1 ? "is" : "are", count);
  return CW_OK;
}

/* The driver's functions, found without linking to it: the program starts where none is. */
typedef struct driver_calls {
  PFN_cuDeviceGet_v2000 get;
  PFN_cuDevicePrimaryCtxRetain_v7000 retain;
  PFN_cuDevicePrimaryCtxRelease_v11000 release;
  PFN_cuCtxPushCurrent_v4000 push;
  PFN_cuCtxPopCurrent_v4000 pop;
  PFN_cuGetErrorString_v6000 text;
} driver_calls;

static cudaError_t find_call(const char *name, unsigned version, void **call) {
  cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
  cudaError_t error =
      cudaGetDriverEntryPointByVersion(name, call, version, cudaEnableDefault, &found);
#else
  (void)version;
  cudaError_t error = cudaGetDriverEntryPoint(name, call, cudaEnableDefault, &found);
#endif
  if (error == cudaSuccess && found != cudaDriverEntryPointSuccess)
    error = cudaErrorSymbolNotFound;
  return error;
}

static cudaError_t find_calls(driver_calls *calls) {
  struct {
    const char *name;
    unsigned version;
    void **call;
  } const wanted[] = {{"cuDeviceGet", 2000, (void **)&calls->get},
                      {"cuDevicePrimaryCtxRetain", 7000, (void **)&calls->retain},
                      {"cuDevicePrimaryCtxRelease", 11000, (void **)&calls->release},
                      {"cuCtxPushCurrent", 4000, (void **)&calls->push},
                      {"cuCtxPopCurrent", 4000, (void **)&calls->pop},
                      {"cuGetErrorString", 6000, (void **)&calls->text}};
  for (const auto &one : wanted) {
    const cudaError_t error = find_call(one.name, one.version, one.call);
    if (error != cudaSuccess)
      return error;
  }
  return cudaSuccess;
}

static void refuse(cw_device_entry *entry, cw_status status, const char *what, const char *text) {
  entry->status = status;
  snprintf(entry->error, sizeof entry->error, "%s: %.120s", what, text);
}

/* With the device's context current: is there code for it, and how much memory is free? */
static void ask(cw_device_entry *entry) {
  cudaFuncAttributes attributes;
  size_t total;
  cudaError_t error = cudaFuncGetAttributes(&attributes, any_code);
  const char *what =
      error == cudaErrorNoKernelImageForDevice || error == cudaErrorInvalidDeviceFunction
          ? "this build has no code for it"
          : "it can't be asked for its code";
  if (error == cudaSuccess) {
    error = cudaMemGetInfo(&entry->memory_free, &total);
    what = "its memory can't be asked for";
  }
  if (error != cudaSuccess)
    refuse(entry,
           error == cudaErrorMemoryAllocation         ? CW_ERROR_MEMORY
           : error == cudaErrorNoKernelImageForDevice ? CW_ERROR_UNSUPPORTED
                                                      : CW_ERROR_DEVICE,
           what, cudaGetErrorString(error));
  cudaGetLastError();
}

static void open_for_a_look(cw_device_entry *entry) {
  driver_calls calls = {};
  CUdevice device;
  CUcontext opened = NULL, popped;
  const cudaError_t found = find_calls(&calls);
  if (found != cudaSuccess) {
    cudaGetLastError();
    refuse(entry, CW_ERROR_DEVICE, "the driver lacks a function", cudaGetErrorString(found));
    return;
  }
  CUresult result = calls.get(&device, entry->number);
  if (result == CUDA_SUCCESS)
    result = calls.retain(&opened, device);
  if (result != CUDA_SUCCESS) {
    const char *text = NULL;
    calls.text(result, &text);
    refuse(entry, result == CUDA_ERROR_OUT_OF_MEMORY ? CW_ERROR_MEMORY : CW_ERROR_DEVICE,
           "it can't be opened", text ? text : "unknown error");
    return;
  }
  if (calls.push(opened) == CUDA_SUCCESS) {
    ask(entry);
    calls.pop(&popped);
  }
  if (entry->status != CW_OK)
    calls.release(device);
}

cw_status cw_device_probe(cw_context *context, int device, int open, cw_device_entry *entry) {
  cudaDeviceProp found;
  int mode = 0;
  memset(entry, 0, sizeof *entry);
  CW_TRY(check_number(context, device));
  CW_CUDA_TRY(context, cudaGetDeviceProperties(&found, device));
  CW_CUDA_TRY(context, cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, device));
  entry->number = device;
  snprintf(entry->name, sizeof entry->name, "%.127s", found.name);
  entry->compute_major = found.major;
  entry->compute_minor = found.minor;
  entry->memory_total = found.totalGlobalMem;
  entry->mode = mode == cudaComputeModeProhibited ? CW_COMPUTE_PROHIBITED
                : mode == cudaComputeModeDefault  ? CW_COMPUTE_SHARED
                                                  : CW_COMPUTE_EXCLUSIVE;
  char why[sizeof entry->error];
  entry->opened = open && !cw_device_unusable(entry, why, sizeof why);
  if (entry->opened)
    open_for_a_look(entry);
  entry->opened = entry->opened && entry->status == CW_OK;
  return CW_OK;
}

void cw_device_unprobe(const cw_device_entry *entry) {
  driver_calls calls = {};
  CUdevice device;
  if (entry->opened && find_calls(&calls) == cudaSuccess &&
      calls.get(&device, entry->number) == CUDA_SUCCESS)
    calls.release(device);
  cudaGetLastError();
}

cw_status cw_device_describe(cw_context *context, int device, cw_device_properties *properties) {
  cudaDeviceProp found;
  memset(properties, 0, sizeof *properties);
  CW_TRY(check_number(context, device));
  CW_CUDA_TRY(context, cudaGetDeviceProperties(&found, device));
  snprintf(properties->name, sizeof properties->name, "%.127s", found.name);
  properties->compute_major = found.major;
  properties->compute_minor = found.minor;
  properties->multiprocessors = found.multiProcessorCount;
  properties->threads_per_block = found.maxThreadsPerBlock;
  properties->threads_per_multiprocessor = found.maxThreadsPerMultiProcessor;
  properties->blocks_per_multiprocessor = found.maxBlocksPerMultiProcessor;
  properties->registers_per_multiprocessor = found.regsPerMultiprocessor;
  properties->shared_per_block = found.sharedMemPerBlockOptin;
  properties->shared_per_multiprocessor = found.sharedMemPerMultiprocessor;
  properties->shared_reserved_per_block = found.reservedSharedMemPerBlock;
  properties->l2_bytes = (size_t)found.l2CacheSize;
  properties->memory_total = found.totalGlobalMem;
  return CW_OK;
}
