#include <cellwise/cells.h>

#include <string.h>

#include "base/context_private.h"
#include "base/device.h"
#include "sort/sort_cuda.h"
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
  cw_sort_work work; /* on the device, in place of the scratch above */
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
      cw_memory_alloc(context, options->space, (size_t)(rule.bins / rule.tile_bins) + 1,
                      sizeof *made->offsets, "tile offsets", (void **)&made->offsets);
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
  cw_sort_work_release(cells->context, &cells->work);
  cw_memory_free(cells->context, cells->options.space, cells->offsets);
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
  if (particles->space != cells->options.space)
    return cw_fail(context, CW_ERROR_ARGUMENT, "cells: the particles are %s, the table %s",
                   particles->space == CW_SPACE_HOST ? "on the host" : "in device memory",
                   particles->space == CW_SPACE_HOST ? "in device memory" : "on the host");
  for (int a = 0; a < cells->options.dim; a++) {
    if (!particles->i[a])
      return cw_fail(context, CW_ERROR_ARGUMENT, "cells: the particles have no array i[%d]", a);
    if (cells->rule.by_node && !particles->dx[a])
      return cw_fail(context, CW_ERROR_ARGUMENT, "cells: the particles have no array dx[%d]", a);
  }
  return CW_OK;
}

static cw_status sort_host(cw_cells *cells, cw_particles_view *particles, int64_t *alive) {
  cw_context *context = cells->context;
  const cw_key_rule *rule = &cells->rule;
  const int cells_from_bins =
      !rule->with_prev && cells->options.depth != CW_DEPTH_TILE && !cells->options.low_memory;
  uint32_t *bin_ends = NULL;
  int outside = 0;
  cw_status status;
  CW_TRY(reserve_scratch(cells, particles->count));
  if (cells_from_bins)
    CW_TRY(CW_NEW(context, rule->bins, "ends of the sort's bins", &bin_ends));
  cw_key_source source = {.rule = rule,
                          .particles = particles,
                          .kept = cells->keys,
                          .bin_ends = bin_ends,
                          .outside = &outside};
  CW_TRY_CLEANUP(status, cw_sort_permutation(context, particles->count, &source, rule->bins,
                                             rule->tile_bins, cells->permutation, cells->offsets));
  *alive = cells->offsets[rule->bins / rule->tile_bins];
  const cw_sort_bins bins = {rule, bin_ends};
  status =
      cw_sort_reorder(context, particles, *alive, cells->permutation, cells->options.low_memory,
                      bin_ends && !outside ? &bins : NULL, &cells->scratch);
cleanup:
  CW_DELETE(context, bin_ends);
  return status;
}

/* spare, sorted: as for cw_sort_cells_cuda. */
static cw_status sort(cw_cells *cells, cw_particles_view *particles, void **spare, int64_t sorted,
                      int64_t *count) {
  int64_t alive;
  CW_TRY(check_particles(cells, particles));
  cells->view.total_tiles = 0; /* the offsets are rewritten: not sorted, should a step fail */
  if (cells->options.space == CW_SPACE_DEVICE)
    CW_TRY(cw_sort_cells_cuda(cells->context, &cells->rule, cells->options.low_memory, particles,
                              spare, &cells->work, sorted, cells->offsets, &alive));
  else
    CW_TRY(sort_host(cells, particles, &alive));
  cells->view.total_tiles = (int64_t)(cells->rule.bins / cells->rule.tile_bins);
  cells->view.npart_partitioned = alive;
  cells->view.epoch = 0;
  cells->sorted = NULL;
  *count = alive;
  return CW_OK;
}

cw_status cw_cells_sort_view(cw_cells *cells, cw_particles_view particles, int64_t *count) {
  return sort(cells, &particles, NULL, 0, count);
}

/* The owner's arrays may trade places on the device; they stay its own even if the sort fails. */
static cw_status sort_owner(cw_cells *cells, cw_particles *particles, int64_t *alive) {
  void *spare[CW_SPARES] = {NULL};
  cw_particles_view view = cw_particles_get_view(particles);
  if (view.space == CW_SPACE_HOST || cells->options.space == CW_SPACE_HOST)
    return sort(cells, &view, NULL, 0, alive);
  /* the offsets still hold if only positions, tags and the tail have changed */
  const int holds = cells->view.total_tiles > 0 && cells->sorted == particles &&
                    cells->view.epoch == cw_particles_epoch(particles);
  if (!cells->options.low_memory)
    cw_particles_get_spares(particles, spare);
  cw_status status = sort(cells, &view, spare, holds ? cells->view.npart_partitioned : 0, alive);
  cw_particles_set_arrays(particles, &view, cells->options.low_memory ? NULL : spare);
  return status;
}

cw_status cw_cells_sort(cw_cells *cells, cw_particles *particles) {
  if (cw_particles_dim(particles) != cells->options.dim)
    return cw_fail(cells->context, CW_ERROR_ARGUMENT,
                   "cells: the particles have %d axes, the table has %d",
                   cw_particles_dim(particles), cells->options.dim);
  int64_t alive;
  CW_TRY(sort_owner(cells, particles, &alive));
  cw_particles_reordered(particles, alive);
  cells->view.epoch = cw_particles_epoch(particles);
  cells->sorted = particles;
  return CW_OK;
}

static cw_status check_offsets(const cw_cells *cells, const cw_particles *particles,
                               const int64_t *offsets, int64_t count) {
  const int64_t tiles = (int64_t)(cells->rule.bins / cells->rule.tile_bins);
  if (count != tiles + 1)
    return cw_fail(cells->context, CW_ERROR_ARGUMENT,
                   "cells: found %lld offsets; expected %lld, one a tile and one more",
                   (long long)count, (long long)tiles + 1);
  int rising = offsets[0] == 0 && offsets[tiles] <= cw_particles_count(particles);
  for (int64_t t = 0; t < tiles; t++)
    rising &= offsets[t] <= offsets[t + 1];
  if (!rising)
    return cw_fail(cells->context, CW_ERROR_ARGUMENT,
                   "cells: the offsets do not rise from 0 to at most the %lld particles",
                   (long long)cw_particles_count(particles));
  return CW_OK;
}

cw_status cw_cells_restore(cw_cells *cells, const cw_particles *particles, const int64_t *offsets,
                           int64_t count) {
  const size_t bytes = (size_t)count * sizeof *offsets;
  cells->view.total_tiles = 0;
  CW_TRY(check_offsets(cells, particles, offsets, count));
  if (cells->options.space == CW_SPACE_DEVICE)
    CW_TRY(cw_device_write(cells->context, cells->offsets, offsets, bytes));
  else
    memcpy(cells->offsets, offsets, bytes);
  cells->view.total_tiles = count - 1;
  cells->view.npart_partitioned = offsets[count - 1];
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
