#include <cellwise/cells.h>

#include "base/context_private.h"
#include "sort/sort_private.h"

struct cw_cells {
  cw_context *context;
  cw_cells_options options;
  cw_key_rule rule;
  cw_cells_view view;
  const cw_particles *sorted; /* whose slots the view describes; NULL: a caller's own arrays */
  int64_t *offsets;           /* what view.tile_offsets shows */
  uint32_t *permutation;      /* scratch for `capacity` slots, kept between sorts */
  uint32_t *keys;             /* the same; NULL with low_memory */
  int64_t capacity;
  cw_reorder_scratch scratch;
};

cw_status cw_cells_create(cw_context *context, const cw_cells_options *options, cw_cells **cells) {
  *cells = NULL;
  cw_key_rule rule;
  int32_t tiles[3];
  CW_TRY(cw_key_rule_init(context, options, &rule, tiles));
  cw_cells *made = NULL;
  CW_TRY(CW_NEW(context, 1, "cell table", &made));
  made->context = context;
  made->options = *options;
  made->rule = rule;
  made->view = (cw_cells_view){.dim = options->dim, .tile = options->tile};
  for (int a = 0; a < 3; a++) {
    made->view.cells[a] = a < options->dim ? options->cells[a] : 1;
    made->view.tiles[a] = tiles[a];
  }
  cw_status status =
      CW_NEW(context, (size_t)(rule.bins / rule.tile_bins) + 1, "tile offsets", &made->offsets);
  if (status != CW_OK) {
    cw_cells_destroy(made);
    return status;
  }
  made->view.tile_offsets = made->offsets;
  *cells = made;
  return CW_OK;
}

static void release_scratch(cw_cells *cells) {
  CW_DELETE(cells->context, cells->permutation);
  CW_DELETE(cells->context, cells->keys);
  cells->permutation = NULL;
  cells->keys = NULL;
  cells->capacity = 0;
}

void cw_cells_destroy(cw_cells *cells) {
  if (!cells)
    return;
  release_scratch(cells);
  CW_DELETE(cells->context, cells->scratch.bytes);
  CW_DELETE(cells->context, cells->offsets);
  CW_DELETE(cells->context, cells);
}

static cw_status reserve_scratch(cw_cells *cells, int64_t count) {
  if (count <= cells->capacity)
    return CW_OK;
  release_scratch(cells);
  int64_t capacity = count + count / 8;
  CW_TRY(CW_NEW(cells->context, capacity, "permutation of the sort", &cells->permutation));
  if (!cells->options.low_memory)
    CW_TRY(CW_NEW(cells->context, capacity, "keys of the sort", &cells->keys));
  cells->capacity = capacity;
  return CW_OK;
}

static cw_status check_particles(cw_cells *cells, const cw_particles_view *particles) {
  cw_context *context = cells->context;
  CW_TRY(cw_sort_check_count(context, particles->count));
  if (particles->space != CW_SPACE_HOST)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "cells: the particles are in device memory, the table on the host");
  for (int a = 0; a < cells->options.dim; a++) {
    if (!particles->i[a])
      return cw_fail(context, CW_ERROR_ARGUMENT, "cells: the particles have no array i[%d]", a);
    if (cells->rule.by_node && !particles->dx[a])
      return cw_fail(context, CW_ERROR_ARGUMENT, "cells: the particles have no array dx[%d]", a);
  }
  return CW_OK;
}

cw_status cw_cells_sort_view(cw_cells *cells, cw_particles_view particles, int64_t *count) {
  cw_context *context = cells->context;
  const cw_key_rule *rule = &cells->rule;
  CW_TRY(check_particles(cells, &particles));
  CW_TRY(reserve_scratch(cells, particles.count));
  int64_t total_tiles = (int64_t)(rule->bins / rule->tile_bins);
  cw_key_source source = {.rule = rule, .particles = &particles, .kept = cells->keys};
  cells->view.total_tiles = 0; /* the offsets are rewritten: not sorted, should a step fail */
  CW_TRY(cw_sort_permutation(context, particles.count, &source, rule->bins, rule->tile_bins,
                             cells->permutation, cells->offsets));
  int64_t alive = cells->offsets[total_tiles];
  CW_TRY(cw_sort_reorder(context, &particles, alive, cells->permutation, cells->options.low_memory,
                         &cells->scratch));
  cells->view.total_tiles = total_tiles;
  cells->view.npart_partitioned = alive;
  cells->view.epoch = 0;
  cells->sorted = NULL;
  *count = alive;
  return CW_OK;
}

cw_status cw_cells_sort(cw_cells *cells, cw_particles *particles) {
  if (cw_particles_dim(particles) != cells->options.dim)
    return cw_fail(cells->context, CW_ERROR_ARGUMENT,
                   "cells: the particles have %d axes, the table has %d",
                   cw_particles_dim(particles), cells->options.dim);
  int64_t alive;
  CW_TRY(cw_cells_sort_view(cells, cw_particles_get_view(particles), &alive));
  cw_particles_reordered(particles, alive);
  cells->view.epoch = cw_particles_epoch(particles);
  cells->sorted = particles;
  return CW_OK;
}

cw_cells_view cw_cells_get_view(const cw_cells *cells) {
  return cells->view;
}

cw_status cw_cells_check(const cw_cells *cells, const cw_particles *particles) {
  if (cells->view.total_tiles == 0)
    return CW_OK;
  if (cells->sorted != particles)
    return cw_fail(cells->context, CW_ERROR_STALE, "cells: the table is of other particles");
  if (cells->view.epoch != cw_particles_epoch(particles))
    return cw_fail(
        cells->context, CW_ERROR_STALE,
        "cells: the particles were reordered since the sort (epoch %llu, sorted at %llu)",
        (unsigned long long)cw_particles_epoch(particles), (unsigned long long)cells->view.epoch);
  return CW_OK;
}
