#include "base/context_private.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/device.h"

/* Each host block starts with its size, padded to one cache line. */
enum { ALIGNMENT = 64 };

static double megabytes(size_t bytes) {
  return (double)bytes / 1048576.0;
}

/* First number of a file, or 0 if there is none ("max" in a cgroup file). */
static size_t number_in_file(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file)
    return 0;
  unsigned long long value = 0;
  if (fscanf(file, "%llu", &value) != 1)
    value = 0;
  fclose(file);
  return (size_t)value;
}

static size_t meminfo_available(void) {
  FILE *file = fopen("/proc/meminfo", "r");
  if (!file)
    return SIZE_MAX;
  char line[256];
  unsigned long long kilobytes = 0;
  int found = 0;
  while (!found && fgets(line, sizeof line, file))
    found = sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1;
  fclose(file);
  return found ? (size_t)kilobytes * 1024 : SIZE_MAX;
}

size_t cw_memory_available(const cw_context *context, cw_space space) {
  if (space != CW_SPACE_HOST)
    return cw_device_memory_free(context);
  size_t available = meminfo_available();
  size_t limit = number_in_file("/sys/fs/cgroup/memory.max");
  size_t current = number_in_file("/sys/fs/cgroup/memory.current");
  if (limit && limit > current && limit - current < available)
    available = limit - current;
  return available;
}

static void count_use(cw_context *context, cw_space space, size_t bytes) {
  size_t now = atomic_fetch_add(&context->used[space], bytes) + bytes;
  size_t peak = atomic_load(&context->peak[space]);
  while (now > peak && !atomic_compare_exchange_weak(&context->peak[space], &peak, now))
    continue;
}

/* The first touch of a page costs more than its zeroing: threads share the pages of a large block. */
static void zero(const cw_context *context, char *block, size_t bytes) {
  enum { PART = 1 << 22 };
  const int64_t parts = (int64_t)((bytes + PART - 1) / PART);
  const int threads = context ? cw_context_threads(context) : 1;
#pragma omp parallel for num_threads(threads) schedule(static) if (parts > 16)
  for (int64_t p = 0; p < parts; p++) {
    const size_t from = (size_t)p * PART;
    memset(block + from, 0, bytes - from < PART ? bytes - from : PART);
  }
}

cw_status cw_memory_alloc(cw_context *context, cw_space space, size_t count, size_t size,
                          const char *what, void **pointer) {
  *pointer = NULL;
  if (size && count > (SIZE_MAX / 2 - 2 * ALIGNMENT) / size)
    return cw_fail(context, CW_ERROR_MEMORY, "%s: %zu items of %zu bytes do not fit in memory",
                   what, count, size);
  size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (space != CW_SPACE_HOST) {
    CW_TRY(cw_device_alloc(context, bytes, what, pointer));
    count_use(context, space, bytes);
    return CW_OK;
  }
  size_t available = bytes > ((size_t)64 << 20) ? cw_memory_available(context, space) : SIZE_MAX;
  /* Memory that is merely promised would kill the process when it is first written. */
  char *block = bytes <= available ? aligned_alloc(ALIGNMENT, bytes + ALIGNMENT) : NULL;
  if (!block)
    return cw_fail(context, CW_ERROR_MEMORY, "%s: %.1f MB are needed, %.1f MB are available", what,
                   megabytes(bytes), megabytes(cw_memory_available(context, space)));
  zero(context, block, bytes + ALIGNMENT);
  memcpy(block, &bytes, sizeof bytes);
  count_use(context, space, bytes);
  *pointer = block + ALIGNMENT;
  return CW_OK;
}

void cw_memory_free(cw_context *context, cw_space space, void *pointer) {
  if (!pointer)
    return;
  if (space != CW_SPACE_HOST) {
    atomic_fetch_sub(&context->used[space], cw_device_free(context, pointer));
    return;
  }
  char *block = (char *)pointer - ALIGNMENT;
  size_t bytes;
  memcpy(&bytes, block, sizeof bytes);
  atomic_fetch_sub(&context->used[space], bytes);
  free(block);
}

size_t cw_memory_used(const cw_context *context, cw_space space) {
  return atomic_load(&context->used[space]);
}

size_t cw_memory_peak(const cw_context *context, cw_space space) {
  return atomic_load(&context->peak[space]);
}
