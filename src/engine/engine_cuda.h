/* The engine's own loops on the device: sides of the block, energy sums, grid values. */
#ifndef CW_ENGINE_ENGINE_CUDA_H
#define CW_ENGINE_ENGINE_CUDA_H

#include <cellwise/particles.h>

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
/* Largest |density| over the interior; work: one double on the device. Waits for it. */
cw_status cw_engine_largest_cuda(cw_context *context, const cw_grid *grid, const double *density,
                                 double *work, double *largest);

#ifdef __cplusplus
}
#endif
#endif
