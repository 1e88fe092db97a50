/* Particle boundaries of a block, and the removal of dead particles. */
#include <string.h>

#include <omp.h>

#include "base/context_private.h"
#include "engine/engine_cuda.h"
#include "engine/engine_private.h"
#include "sort/particles_private.h"
#include "sort/sort_cuda.h"

#define CW_BODY           static inline
#define CW_REAL_IS_DOUBLE 0
#include "engine/boundaries_body.h"
#undef CW_REAL_IS_DOUBLE
#define CW_REAL_IS_DOUBLE 1
#include "engine/boundaries_body.h"

/* Particles looked at together: most groups have none outside, although most blocks have some. */
enum { GROUP = 64 };

/* 1 if any of the cells leaves [0, cells): then i or cells - 1 - i has its sign bit set. */
static int any_outside(const int32_t *i, int64_t from, int64_t to, int32_t cells) {
  const uint32_t last = (uint32_t)cells - 1;
  uint32_t bits = 0;
  for (int64_t p = from; p < to; p++)
    bits |= (uint32_t)i[p] | (last - (uint32_t)i[p]);
  return (int)(bits >> 31);
}

static void apply(const cw_particles_view *view, int axis, int32_t cells,
                  const cw_particle_boundary boundary[2], int64_t from, int64_t to) {
  if (view->precision == CW_DOUBLE)
    for (int64_t p = from; p < to; p++)
      cw_apply_sides_f64(view, axis, cells, boundary, p);
  else
    for (int64_t p = from; p < to; p++)
      cw_apply_sides_f32(view, axis, cells, boundary, p);
}

/* Whether particles that were sorted into tiles off the sides are still inside: none has moved more
 * cells than the thinnest tile at a side has. */
static int only_edge_tiles(const cw_engine *engine, const cw_species_state *species,
                           const cw_cells_view *cells) {
  if (!species->cells || cells->total_tiles == 0 ||
      cells->epoch != cw_particles_epoch(species->particles))
    return 0;
  int64_t thinnest = cells->tile;
  for (int a = 0; a < cells->dim; a++)
    thinnest = cw_min_i64(thinnest, cells->cells[a] - (cells->tiles[a] - 1) * cells->tile);
  return engine->step % species->sort_interval + 1 <= thinnest;
}

static cw_status apply_on_device(const cw_engine *engine, const cw_species_state *species,
                                 const cw_particles_view *view) {
  cw_block_sides sides = {.dim = engine->grid.dim};
  const cw_cells_view cells =
      species->cells ? cw_cells_get_view(species->cells) : (cw_cells_view){0};
  if (only_edge_tiles(engine, species, &cells)) {
    sides.total_tiles = cells.total_tiles;
    sides.tile_offsets = cells.tile_offsets;
    sides.sorted = cells.npart_partitioned;
    memcpy(sides.tiles, cells.tiles, sizeof sides.tiles);
  }
  for (int a = 0; a < engine->grid.dim; a++) {
    sides.cells[a] = engine->grid.cells[a];
    sides.boundary[a][0] = engine->deck->grid.particles[a][0];
    sides.boundary[a][1] = engine->deck->grid.particles[a][1];
  }
  return cw_engine_apply_sides_cuda(engine->context, &sides, view);
}

cw_status cw_engine_apply_boundaries(cw_engine *engine, cw_species_state *species) {
  const cw_particles_view view = cw_particles_get_view(species->particles);
  const int64_t blocks = cw_block_count(view.count);
  if (view.space == CW_SPACE_DEVICE)
    return apply_on_device(engine, species, &view);
#pragma omp parallel for num_threads(cw_context_threads(engine->context)) schedule(static)
  for (int64_t b = 0; b < blocks; b++) {
    const int64_t end = cw_min_i64((b + 1) * CW_BLOCK, view.count);
    for (int a = 0; a < engine->grid.dim; a++)
      for (int64_t from = b * CW_BLOCK; from < end; from += GROUP) {
        const int64_t to = cw_min_i64(from + GROUP, end);
        const int32_t cells = engine->grid.cells[a];
        if (any_outside(view.i[a], from, to, cells))
          apply(&view, a, cells, engine->deck->grid.particles[a], from, to);
      }
  }
  return CW_OK;
}

static void move_slot(void *const array[CW_MEMBERS], cw_precision precision, int64_t to,
                      int64_t from) {
  for (int m = 0; m < CW_MEMBERS; m++) {
    const size_t size = cw_member_size(m, precision);
    if (array[m])
      memcpy((char *)array[m] + (size_t)to * size, (const char *)array[m] + (size_t)from * size,
             size);
  }
}

cw_status cw_engine_compact(cw_engine *engine, cw_species_state *species) {
  const cw_particles_view view = cw_particles_get_view(species->particles);
  void *array[CW_MEMBERS];
  int64_t kept = 0;
  if (view.space == CW_SPACE_DEVICE) {
    CW_TRY(cw_sort_compact_cuda(engine->context, &view, &kept));
    return cw_particles_resize(species->particles, kept);
  }
  cw_member_arrays(&view, array);
  for (int64_t p = 0; p < view.count; p++) {
    if (view.tag[p] == CW_TAG_DEAD)
      continue;
    if (kept != p)
      move_slot(array, view.precision, kept, p);
    kept++;
  }
  return cw_particles_resize(species->particles, kept);
}
