/* The engine's own loops on the device: sides of the block, energy sums, grid values. */
#ifndef CW_ENGINE_ENGINE_CUDA_H
#define CW_ENGINE_ENGINE_CUDA_H

#include <cellwise/grid.h>
#include <cellwise/particles.h>

#include "engine/window_body.h"
#include "setup/antenna_body.h"
#include "setup/expression_body.h"
#include "setup/inject_region.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cw_block_sides {
  int dim;
  int32_t cells[3];
  cw_particle_boundary boundary[3][2];
  /* A cell table whose inner tiles hold no particle that has left; total_tiles 0: none, look at
   * all particles. Slots from `sorted` on are looked at in any case. */
  int32_t tiles[3];
  int64_t total_tiles, sorted;
  const int64_t *tile_offsets; /* on the device */
} cw_block_sides;

/* cw_engine_apply_boundaries on device arrays: the same bits as the host's. Queued. */
cw_status cw_engine_apply_sides_cuda(cw_context *context, const cw_block_sides *sides,
                                     const cw_particles_view *particles);

/* Sum of weight (gamma - 1) (massless: weight |u|) over the live slots, in double, and their
 * number. Formed by a fixed number of blocks over fixed slots and a fixed tree: the same bits on
 * every run and every device. work: device array of CW_ENERGY_WORK doubles, overwritten. energy and
 * alive are on the host; waits for them. */
enum { CW_ENERGY_PARTS = 1024, CW_ENERGY_WORK = 2 * (CW_ENERGY_PARTS + 1) };
cw_status cw_engine_block_energy_cuda(cw_context *context, const cw_particles_view *particles,
                                      int massless, double *work, double *energy, int64_t *alive);

/* total += one, `points` doubles each. Queued. */
cw_status cw_engine_add_density_cuda(cw_context *context, int64_t points, double *total,
                                     const double *one);
/* total = own + external, `points` values each; own and total in that precision. Queued. */
cw_status cw_engine_add_field_cuda(cw_context *context, int64_t points, cw_precision precision,
                                   const void *own, const double *external, void *total);
/* The interior of a field, and behind the sides what it ends with there. Queued. */
cw_status cw_engine_continue_cuda(cw_context *context, const cw_grid *grid, cw_precision precision,
                                  const void *field, double *values);
/* Largest |density| over the interior; work: one double on the device. Waits for it. */
cw_status cw_engine_largest_cuda(cw_context *context, const cw_grid *grid, const double *density,
                                 double *work, double *largest);

/* Adds the weights of the live particles in each cell of the region to counts, an array on the
 * device, in units of 1 / CW_INJECT_WEIGHT: the same bits as on the host. Queued. */
cw_status cw_engine_count_region_cuda(cw_context *context, const cw_particles_view *particles,
                                      int dim, const cw_inject_region *region, int64_t *counts);

/* One component of an external field at time t, times `scale`, over the grid, ghost cells included. */
typedef struct cw_external_job {
  cw_grid grid;
  int32_t size[3]; /* points that differ along each axis: all, or 1 */
  double shift[3], t, scale;
  const cw_expression_instruction *code; /* on the device, as `stack` and `values` */
  int length;
  double *stack;  /* of cw_engine_external_stack values; NULL: 0 of them */
  double *values; /* out */
} cw_external_job;

/* Whether a value was not finite, and the time of the first one. On the device, zero at first. */
typedef struct cw_external_fault {
  uint32_t found;
  double t;
} cw_external_fault;

/* Values that programs of that depth need beside the threads' own; 0: none. */
enum { CW_EXTERNAL_THREADS = 1 << 14 };
int64_t cw_engine_external_stack(int depth);
/* Queued. A value that is not finite is a fault (CW_FAULT_NOT_FINITE, the point) told by the next
 * wait. */
cw_status cw_engine_fill_external_cuda(cw_context *context, const cw_external_job *job,
                                       cw_external_fault *first);

/* cw_window_move for all slots. Queued. */
cw_status cw_engine_move_particles_cuda(cw_context *context, const cw_particles_view *particles,
                                        int axis, int32_t cells, int32_t end);
/* The shifted array into `moved`, another one; shift->fresh is on the device. Queued. */
cw_status cw_engine_shift_array_cuda(cw_context *context, const cw_window_shift *shift,
                                     cw_precision precision, const void *array, void *moved);

/* Adds the current of an antenna's waves, whose arrays are on the device, to the interior of J: the
 * same bits as the host's. Queued. */
cw_status cw_engine_add_antenna_cuda(cw_context *context, const cw_antenna_waves *waves,
                                     const cw_grid *grid, cw_vector_view J);

#ifdef __cplusplus
}
#endif
#endif
