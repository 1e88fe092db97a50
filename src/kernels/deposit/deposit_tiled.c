/* One thread sums one tile's particles in its own scratch and flushes it once:
 *
 *     for each class of tiles whose windows do not overlap          (in order)
 *       for each tile of the class                                  (threads)
 *         clear the scratch
 *         for each slot of the tile: sum it, or leave it if its window does not fit
 *         add the scratch to the target
 *     the particles that were left: flat
 *
 * Every value is summed in an order that the particles and the grid fix, never the threads. */
#include "kernels/deposit/deposit_private.h"
#include "kernels/deposit/deposit_scratch.h"

#include <string.h>

#include <omp.h>

typedef struct cw_deposit_tiles {
  const cw_deposit_job *job;
  const cw_grid *grid;
  const cw_cells_view *cells;
  int32_t halo;    /* cells that the scratch reaches beyond its tile, each side */
  int32_t edge[3]; /* of the scratch, nodes */
  int64_t values;  /* of one component of the scratch, padded to whole cache lines */
  size_t value_size;
  int32_t classes;           /* an axis */
  cw_deposit_tally *tallies; /* a tile */
} cw_deposit_tiles;

static void tile_position(const cw_deposit_tiles *tiles, int64_t tile, int32_t position[3]) {
  const int32_t *number = tiles->cells->tiles;
  position[0] = (int32_t)(tile % number[0]);
  position[1] = (int32_t)(tile / number[0] % number[1]);
  position[2] = (int32_t)(tile / number[0] / number[1]);
}

/* The tile's scratch as a target. Its window ends where J's storage ends, so that a particle is
 * summed here only if all of it can be flushed. */
static cw_deposit_target tile_target(const cw_deposit_tiles *tiles, int64_t tile, char *scratch) {
  cw_deposit_target target = {{0}, {0}, {0}, {1, 1, 1}};
  int32_t position[3];
  tile_position(tiles, tile, position);
  int64_t stride = 1, skipped = 0;
  for (int a = 0; a < tiles->job->dim; a++) {
    const int32_t low = position[a] * tiles->cells->tile - tiles->halo;
    const int32_t ghost = tiles->grid->ghost, end = tiles->grid->cells[a] + ghost;
    target.low[a] = low < -ghost ? -ghost : low;
    target.high[a] = low + tiles->edge[a] > end ? end : low + tiles->edge[a];
    target.stride[a] = stride;
    skipped += (target.low[a] - low) * stride;
    stride *= tiles->edge[a];
  }
  for (int c = 0; c < 3 && scratch; c++) /* without scratch only the extent is asked for */
    target.component[c] = scratch + (size_t)(c * tiles->values + skipped) * tiles->value_size;
  return target;
}

#define FLUSH_ROW(type)                                                                            \
  do {                                                                                             \
    type *sum = (type *)to->component[c] + into;                                                   \
    const type *part = (const type *)from->component[c] + at;                                      \
    for (int64_t i = 0; i < n; i++)                                                                \
      if (part[i] != 0)                                                                            \
        sum[i] += part[i];                                                                         \
  } while (0)

static void flush(const cw_deposit_job *job, const cw_deposit_target *from,
                  const cw_deposit_target *to) {
  const int64_t n = from->high[0] - from->low[0];
  for (int c = 0; c < 3; c++)
    for (int32_t k = from->low[2]; k < from->high[2]; k++)
      for (int32_t j = from->low[1]; j < from->high[1]; j++) {
        const int64_t at =
            (j - from->low[1]) * from->stride[1] + (k - from->low[2]) * from->stride[2];
        const int64_t into = (from->low[0] - to->low[0]) + (j - to->low[1]) * to->stride[1] +
                             (k - to->low[2]) * to->stride[2];
        if (job->fixed)
          FLUSH_ROW(int64_t);
        else if (job->particles.precision == CW_DOUBLE)
          FLUSH_ROW(double);
        else
          FLUSH_ROW(float);
      }
}

static void tile_slots(const cw_deposit_tiles *tiles, int64_t tile, int64_t *first, int64_t *last) {
  const int64_t count = tiles->job->particles.count;
  *first = cw_min_i64(tiles->cells->tile_offsets[tile], count);
  *last = cw_min_i64(tiles->cells->tile_offsets[tile + 1], count);
}

static void sum_tile(const cw_deposit_tiles *tiles, int64_t tile, cw_deposit_loop *loop,
                     char *scratch, const cw_deposit_target *to) {
  int64_t first, last;
  tile_slots(tiles, tile, &first, &last);
  if (first == last)
    return;
  const cw_deposit_target target = tile_target(tiles, tile, scratch);
  memset(scratch, 0, (size_t)(3 * tiles->values) * tiles->value_size);
  loop(tiles->job, &target, NULL, first, last, &tiles->tallies[tile]);
  flush(tiles->job, &target, to);
}

/* Tiles `classes` apart along every axis have windows that do not overlap. */
static void sum_class(cw_context *context, const cw_deposit_tiles *tiles, int32_t class,
                      cw_deposit_loop *loop, char *scratches, size_t scratch_size,
                      const cw_deposit_target *to) {
  int32_t first[3], number[3];
  for (int a = 0; a < 3; a++) {
    const int32_t of = a < tiles->job->dim ? tiles->classes : 1;
    first[a] = class % of;
    class /= of;
    number[a] = (tiles->cells->tiles[a] - first[a] + of - 1) / of;
    if (number[a] <= 0)
      return;
  }
  const int64_t total = (int64_t)number[0] * number[1] * number[2];
#pragma omp parallel num_threads(cw_context_threads(context))
  {
    char *scratch = scratches + (size_t)omp_get_thread_num() * scratch_size;
#pragma omp for schedule(dynamic)
    for (int64_t n = 0; n < total; n++) {
      const int64_t i = first[0] + n % number[0] * tiles->classes;
      const int64_t j = first[1] + n / number[0] % number[1] * tiles->classes;
      const int64_t k = first[2] + n / number[0] / number[1] * tiles->classes;
      const int32_t *of = tiles->cells->tiles;
      sum_tile(tiles, i + of[0] * (j + of[1] * k), loop, scratch, to);
    }
  }
}

/* The slots that their tiles left, in ascending order. */
static void list_escapes(cw_context *context, const cw_deposit_tiles *tiles, int64_t *list) {
  cw_deposit_list *const list_missed =
      cw_deposit_ops(context)->list_missed[tiles->job->particles.precision];
  int64_t count = 0;
  for (int64_t tile = 0; tile < tiles->cells->total_tiles; tile++) {
    if (tiles->tallies[tile].missed == 0)
      continue;
    int64_t first, last;
    tile_slots(tiles, tile, &first, &last);
    const cw_deposit_target target = tile_target(tiles, tile, NULL);
    count += list_missed(tiles->job, &target, first, last, list + count);
  }
}

static cw_deposit_tiles plan(const cw_deposit_job *job, const cw_grid *grid,
                             const cw_cells_view *cells, int drift) {
  cw_deposit_tiles tiles = {.job = job, .grid = grid, .cells = cells, .edge = {1, 1, 1}};
  tiles.halo = cw_deposit_halo(job->order, drift);
  tiles.values = 1;
  for (int a = 0; a < job->dim; a++) {
    tiles.edge[a] = cells->tile + 2 * tiles.halo;
    tiles.values *= tiles.edge[a];
  }
  tiles.values = (tiles.values + 15) / 16 * 16;
  tiles.value_size =
      job->fixed ? sizeof(int64_t) : (size_t)cw_precision_size(job->particles.precision);
  tiles.classes = (cells->tile + 2 * tiles.halo + cells->tile - 1) / cells->tile;
  return tiles;
}

cw_status cw_deposit_tiled(cw_context *context, const cw_deposit_job *job, const cw_grid *grid,
                           const cw_cells_view *cells, int drift, const cw_deposit_target *target,
                           cw_deposit_tally *tiled, cw_deposit_tally *escaped) {
  cw_deposit_tiles tiles = plan(job, grid, cells, drift);
  cw_deposit_loop *loop = cw_deposit_choose_loop(context, job);
  char *scratches = NULL;
  int64_t *list = NULL;
  cw_status status = CW_OK;
  const size_t scratch_size = (size_t)(3 * tiles.values) * tiles.value_size;
  *tiled = *escaped = (cw_deposit_tally){.fault = -1};
  CW_TRY_CLEANUP(status, CW_NEW(context, cells->total_tiles, "counts of tiles", &tiles.tallies));
  CW_TRY_CLEANUP(status, CW_NEW(context, scratch_size * (size_t)cw_context_threads(context),
                                "scratch tiles of the deposit", &scratches));
  for (int64_t tile = 0; tile < cells->total_tiles; tile++)
    tiles.tallies[tile].fault = -1;
  int32_t classes = 1;
  for (int a = 0; a < job->dim; a++)
    classes *= tiles.classes;
  for (int32_t class = 0; class < classes; class ++)
    sum_class(context, &tiles, class, loop, scratches, scratch_size, target);
  for (int64_t tile = 0; tile < cells->total_tiles; tile++)
    cw_deposit_tally_add(tiled, &tiles.tallies[tile]);
  if (tiled->missed) {
    CW_TRY_CLEANUP(status, CW_NEW(context, tiled->missed, "list of escaped particles", &list));
    list_escapes(context, &tiles, list);
    CW_TRY_CLEANUP(
        status, cw_deposit_flat(context, job, grid, loop, target, list, 0, tiled->missed, escaped));
  }
cleanup:
  CW_DELETE(context, list);
  CW_DELETE(context, scratches);
  CW_DELETE(context, tiles.tallies);
  return status;
}
