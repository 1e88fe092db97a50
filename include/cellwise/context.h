/* The context: one a device, the owner of everything that would otherwise be global. */
#ifndef CELLWISE_CONTEXT_H
#define CELLWISE_CONTEXT_H

#include <cellwise/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Backend, device, threads, instruction set, memory in use and the last message. */
typedef struct cw_context cw_context;

/* Where kernels run. */
typedef enum cw_backend { CW_BACKEND_AUTO = 0, CW_BACKEND_CPU, CW_BACKEND_CUDA } cw_backend;

/* Instruction sets that the hot loops are compiled for; CW_ISA_AUTO takes the best one here. */
typedef enum cw_isa { CW_ISA_AUTO = 0, CW_ISA_BASE, CW_ISA_AVX2, CW_ISA_AVX512 } cw_isa;

/* float or double. */
typedef enum cw_precision { CW_SINGLE = 0, CW_DOUBLE = 1 } cw_precision;

/* How important a message is, the most important first. */
typedef enum cw_log_level {
  CW_LOG_ERROR = 0,
  CW_LOG_WARNING,
  CW_LOG_INFO,
  CW_LOG_DEBUG
} cw_log_level;

/* Receives one message without a trailing newline. May be called from any thread. */
typedef void cw_log_function(void *user, cw_log_level level, const char *message);

/* Zero-initialised means defaults. */
typedef struct cw_context_options {
  cw_backend backend; /* AUTO: the device if there is one and the build supports it, else the CPU */
  int threads;        /* CPU threads; 0: what OpenMP offers (OMP_NUM_THREADS, affinity) */
  cw_isa isa;         /* AUTO: environment CELLWISE_ISA (base, avx2, avx512), else the best here */
  int device;         /* device number; 0 without only_device: of the devices that can be used the
                       * one with the most free memory */
  int only_device;    /* 1: device 0 is meant as a number, too; other numbers always are */
  cw_log_function *log; /* NULL: the library stays silent */
  void *log_user;       /* handed to log as it is */
} cw_context_options;

/* Creates a context; options may be NULL. On failure *context is NULL, and since there is no
 * context to hold the message, `message` (may be NULL) of message_size bytes receives it.
 * Errors: CW_ERROR_UNSUPPORTED (instruction set or backend not here), CW_ERROR_ARGUMENT,
 * CW_ERROR_MEMORY, CW_ERROR_DEVICE (a device that is there but can't be opened: busy, full); the
 * message lists the devices there are. */
CW_API cw_status cw_context_create(const cw_context_options *options, cw_context **context,
                                   char *message, int message_size);
/* Frees the context; every object made from it must be destroyed before. NULL is allowed. */
CW_API void cw_context_destroy(cw_context *context);

/* What the context queues on its device after this call waits for what `stream` (a cudaStream_t, NULL
 * the default one) holds now: for device arrays that other code fills on a stream of its own. Results
 * are there when a call returns and need no such thing. Errors: CW_ERROR_UNSUPPORTED (backend cpu),
 * CW_ERROR_DEVICE. */
CW_API cw_status cw_context_wait_for_stream(cw_context *context, void *stream);

/* The particulars of the last failure (file, line, key, found, expected); "" if none.
 * Valid until the next failing call on this context. */
CW_API const char *cw_context_message(const cw_context *context);
/* What the context was made with: CPU threads, instruction set, backend; none of them AUTO or 0. */
CW_API int cw_context_threads(const cw_context *context);
CW_API cw_isa cw_context_isa(const cw_context *context);
CW_API cw_backend cw_context_backend(const cw_context *context);
/* Names as in messages and options: "avx2", "cuda", "single". Static. */
CW_API const char *cw_isa_name(cw_isa isa);
CW_API const char *cw_backend_name(cw_backend backend);
CW_API const char *cw_precision_name(cw_precision precision);
/* Bytes of one real number of that precision. */
CW_API int cw_precision_size(cw_precision precision);

#ifdef __cplusplus
}
#endif
#endif
