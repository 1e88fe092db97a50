#include "base/context_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <omp.h>

#include "base/device.h"

enum { CW_MAX_THREADS = 4096 };

static const char *const isa_names[] = {"auto", "base", "avx2", "avx512"};
enum { ISA_COUNT = (int)(sizeof isa_names / sizeof *isa_names) };

const char *cw_isa_name(cw_isa isa) {
  return (int)isa >= 0 && (int)isa < ISA_COUNT ? isa_names[isa] : "unknown";
}

const char *cw_backend_name(cw_backend backend) {
  switch (backend) {
  case CW_BACKEND_AUTO:
    return "auto";
  case CW_BACKEND_CPU:
    return "cpu";
  case CW_BACKEND_CUDA:
    return "cuda";
  }
  return "unknown";
}

const char *cw_precision_name(cw_precision precision) {
  return precision == CW_DOUBLE ? "double" : "single";
}

int cw_precision_size(cw_precision precision) {
  return precision == CW_DOUBLE ? (int)sizeof(double) : (int)sizeof(float);
}

/* The best instruction set that this processor and its operating system run. */
static cw_isa isa_here(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  int avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
  return avx512 ? CW_ISA_AVX512 : avx2 ? CW_ISA_AVX2 : CW_ISA_BASE;
#else
  return CW_ISA_BASE;
#endif
}

static cw_status choose_isa(cw_context *context, cw_isa wanted) {
  cw_isa here = isa_here();
  const char *forced = getenv("CELLWISE_ISA");
  const char *origin = "the option isa";
  if (wanted == CW_ISA_AUTO && forced && *forced) {
    origin = "the environment variable CELLWISE_ISA";
    int found = 0;
    for (int k = 0; k < ISA_COUNT; k++)
      if (strcmp(forced, isa_names[k]) == 0)
        wanted = (cw_isa)k, found = 1;
    if (!found)
      return cw_fail(context, CW_ERROR_ARGUMENT,
                     "CELLWISE_ISA is '%s'; expected auto, base, avx2 or avx512", forced);
  }
  if ((int)wanted < 0 || (int)wanted >= ISA_COUNT)
    return cw_fail(context, CW_ERROR_ARGUMENT, "isa is %d; expected a cw_isa", (int)wanted);
  if (wanted > here)
    return cw_fail(context, CW_ERROR_UNSUPPORTED,
                   "%s asks for %s, but this processor has at most %s", origin, isa_names[wanted],
                   isa_names[here]);
  context->isa = wanted == CW_ISA_AUTO ? here : wanted;
  return CW_OK;
}

/* Only AUTO may end on the CPU where the device can't be used; it says why to the log. */
static cw_status choose_backend(cw_context *context, const cw_context_options *options) {
  const cw_backend wanted = options->backend;
  context->backend = CW_BACKEND_CPU;
  if (wanted == CW_BACKEND_CPU)
    return CW_OK;
  if (wanted != CW_BACKEND_AUTO && wanted != CW_BACKEND_CUDA)
    return cw_fail(context, CW_ERROR_ARGUMENT, "backend is %d; expected a cw_backend", (int)wanted);
  int count = 0;
  cw_status status = cw_device_count(context, &count);
  int missing = status != CW_OK || count == 0;
  if (status == CW_OK)
    status =
        cw_device_open(context, options->device || options->only_device ? &options->device : NULL);
  if (status == CW_OK) {
    context->backend = CW_BACKEND_CUDA;
    return CW_OK;
  }
  char reason[CW_MESSAGE_SIZE];
  memcpy(reason, context->message, sizeof reason);
  if (wanted == CW_BACKEND_CUDA)
    return cw_fail(context, status, "backend cuda was asked for: %s", reason);
  if (status == CW_ERROR_ARGUMENT && !missing)
    return status; /* a device number that is not here is a mistake, not a missing device */
  cw_log(context, missing ? CW_LOG_INFO : CW_LOG_WARNING, "the CPU is used: %s", reason);
  context->message[0] = 0;
  return CW_OK;
}

static cw_status init(cw_context *context, const cw_context_options *options) {
  context->log = options->log;
  context->log_user = options->log_user;
  if (options->threads < 0 || options->threads > CW_MAX_THREADS)
    return cw_fail(context, CW_ERROR_ARGUMENT, "threads is %d; expected 0 (all) to %d",
                   options->threads, CW_MAX_THREADS);
  context->threads = options->threads ? options->threads : omp_get_max_threads();
  CW_TRY(choose_isa(context, options->isa));
  return choose_backend(context, options);
}

cw_status cw_context_create(const cw_context_options *options, cw_context **context, char *message,
                            int message_size) {
  static const cw_context_options defaults;
  *context = NULL;
  cw_context *made = calloc(1, sizeof *made);
  cw_status status = made ? init(made, options ? options : &defaults) : CW_ERROR_MEMORY;
  if (status == CW_OK) {
    *context = made;
    return CW_OK;
  }
  if (message && message_size > 0)
    snprintf(message, (size_t)message_size, "%s",
             made ? made->message : cw_status_text(CW_ERROR_MEMORY));
  free(made);
  return status;
}

void cw_context_destroy(cw_context *context) {
  if (context)
    cw_device_close(context);
  free(context);
}

const char *cw_context_message(const cw_context *context) {
  return context ? context->message : "";
}
int cw_context_threads(const cw_context *context) {
  return context->threads;
}
cw_isa cw_context_isa(const cw_context *context) {
  return context->isa;
}
cw_backend cw_context_backend(const cw_context *context) {
  return context->backend;
}

int cw_context_device(const cw_context *context) {
  return context->device;
}
cw_device *cw_context_opened(const cw_context *context) {
  return context->opened;
}
void cw_context_set_opened(cw_context *context, cw_device *opened, int number) {
  context->opened = opened;
  context->device = number;
}

void cw_context_leave_device(cw_context *context) {
  cw_device_close(context);
  context->backend = CW_BACKEND_CPU;
}

cw_status cw_fail(cw_context *context, cw_status status, const char *format, ...) {
  if (!context)
    return status;
  char text[CW_MESSAGE_SIZE]; /* the arguments may contain the old message */
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  memcpy(context->message, text, sizeof text);
  return status;
}

void cw_log(const cw_context *context, cw_log_level level, const char *format, ...) {
  if (!context || !context->log)
    return;
  char text[CW_MESSAGE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  context->log(context->log_user, level, text);
}

double cw_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
