/* The launches that push_cuda_f32.cu and push_cuda_f64.cu offer to push_cuda.cu. */
#ifndef CW_KERNELS_PUSH_CUDA_LAUNCH_CUH
#define CW_KERNELS_PUSH_CUDA_LAUNCH_CUH

#include "base/device_cuda.cuh"
#include "kernels/push/push_cuda.h"

enum { CW_PUSH_STAGED_ORDERS = 3 }; /* orders 1 to 3 are constants of their kernels */

/* Sorted particles and how a team holds the fields around its tile; passed to kernels by value. */
typedef struct cw_push_tiles {
  int tile, tiles[3];
  int64_t total;
  const int64_t *offsets;
  int drift; /* cells beyond the tile that a staged particle may be */
  int edge;  /* nodes an axis in shared memory */
} cw_push_tiles;

/* Nodes that particles in `tile` + 2 drift cells reach: (order + 1)/2 below the first cell,
 * order/2 + 1 above the last (push_body.h). */
static inline int cw_push_edge(int order, int tile, int drift) {
  return tile + 2 * drift + order + 1;
}

/* Bytes of shared memory for six fields. */
static inline size_t cw_push_arena(const cw_push_job *job, int tile, int drift) {
  size_t values = 6;
  for (int a = 0; a < job->dim; a++)
    values *= (size_t)cw_push_edge(job->order, tile, drift);
  return values * (size_t)cw_precision_size(job->particles.precision);
}

/* Slots from `first` on: a thread a particle. */
cw_status cw_push_cuda_flat_f32(cw_context *context, const cw_push_job *job, int64_t first);
cw_status cw_push_cuda_flat_f64(cw_context *context, const cw_push_job *job, int64_t first);
/* The sorted slots: a team a tile. */
cw_status cw_push_cuda_tiled_f32(cw_context *context, const cw_push_job *job,
                                 const cw_push_tiles *tiles, int team_size);
cw_status cw_push_cuda_tiled_f64(cw_context *context, const cw_push_job *job,
                                 const cw_push_tiles *tiles, int team_size);

#endif
