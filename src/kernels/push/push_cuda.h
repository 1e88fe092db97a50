/* The push on the device. Queued on the context's stream; what goes wrong with a particle
 * (CW_FAULT_MOMENTUM, CW_FAULT_OUTSIDE) is told by the next cw_device_synchronize. */
#ifndef CW_KERNELS_PUSH_CUDA_H
#define CW_KERNELS_PUSH_CUDA_H

#include "kernels/push/push_private.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cw_push_staging {
  CW_PUSH_STAGING_AUTO = 0, /* as measured best: see README.md */
  CW_PUSH_STAGING_NEVER,    /* a thread a particle, fields from the caches */
  CW_PUSH_STAGING_ALWAYS    /* a team a tile, fields from shared memory (orders 1 to 3) */
} cw_push_staging;

/* For measurements and tests; NULL or zeros: the library's choice. */
typedef struct cw_push_tuning {
  cw_push_staging staging;
  int drift;     /* AUTO finds it. ALWAYS: cells beyond its tile that a staged particle may be */
  int team_size; /* threads, at most 256; 0: 256 */
} cw_push_tuning;

/* Particles, fields and cells (may be NULL) in device memory, arguments checked. Errors:
 * CW_ERROR_UNSUPPORTED (no device), CW_ERROR_DEVICE, and of ALWAYS: CW_ERROR_ARGUMENT (the tile
 * does not fit into shared memory, no staged form of the order, no sorted cell table). */
cw_status cw_push_cuda(cw_context *context, const cw_push_job *job, const cw_cells_view *cells,
                       const cw_push_tuning *tuning);

#ifdef __cplusplus
}
#endif
#endif
