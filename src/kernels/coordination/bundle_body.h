/* Staging: which neighbours a bundle meets, tile by tile. Needs what loops_body.h needs. */

#include "kernels/coordination/loops_body.h"

/* What stands behind the tile's entries: nothing in range, and no atom that there is. */
static void CW_REAL_NAME(pad)(CW_REAL_NAME(tile) * tile, cw_real far) {
  for (int k = tile->count; k < tile->count + PAD; k++) {
    tile->x[k] = tile->y[k] = tile->z[k] = far;
    tile->order[k] = 0;
  }
  for (int k = tile->checked; k < tile->checked + PAD; k++)
    tile->id[k] = UINT32_MAX;
}

static void CW_REAL_NAME(collect)(const cw_sweep *sweep, const cw_bundle *bundle,
                                  CW_REAL_NAME(scratch) * w, int i, int begin);

#include "kernels/coordination/once_body.h"

/* In single precision distances err by rounding of coordinates up to `reach`: pairs within that
 * error of the range are decided upon in double. With u = 2^-24, a coordinate of d errs by at most
 * 3 u reach and d^2 by 2 sqrt(3) r times that and 4 u r^2, together below 16 u r reach. Images
 * chosen pair by pair pass through some more sums. */
static void CW_REAL_NAME(set_border)(const cw_sweep *sweep, CW_REAL_NAME(scratch) * w,
                                     double reach) {
  const double range2 = sweep->range2, unit = 1.0 / (1 << 24);
  const double border = CW_REAL_IS_DOUBLE || isinf(range2)
                            ? 0
                            : (sweep->cells->images ? 64 : 16) * unit * sqrt(range2) * reach;
  w->low2 = (cw_real)(range2 - border);
  w->high2 = (cw_real)(range2 + border);
}

/* Coordinates of the tile and of the centres, where images are chosen pair by pair. */
static double CW_REAL_NAME(largest_coordinate)(const CW_REAL_NAME(scratch) * w) {
  const CW_REAL_NAME(tile) *tile = &w->tile;
  cw_real largest = 0;
  for (int c = 0; c < 3; c++) {
    largest = w->high[c] > largest ? w->high[c] : largest;
    largest = -w->low[c] > largest ? -w->low[c] : largest;
  }
  for (int k = 0; k < tile->count; k++) {
    const cw_real x = CW_MATH(fabs)(tile->x[k]), y = CW_MATH(fabs)(tile->y[k]);
    const cw_real z = CW_MATH(fabs)(tile->z[k]), xy = x > y ? x : y;
    largest = xy > largest ? xy : largest;
    largest = z > largest ? z : largest;
  }
  return 2 * (double)largest;
}

/* Appends the pairs of one centre with the tile's entries from `begin` on to the buffer. */
static void CW_REAL_NAME(collect)(const cw_sweep *sweep, const cw_bundle *bundle,
                                  CW_REAL_NAME(scratch) * w, int i, int begin) {
  const int by_pair = sweep->cells->images;
  const int64_t place = bundle->first + i;
  const CW_REAL_NAME(tile) *from = &w->tile;
  cw_real centre[3] = {w->centre[0][i], w->centre[1][i], w->centre[2][i]};
  if (w->pairs + w->tile.count > PAIRS || w->runs == RUNS)
    CW_REAL_NAME(flush)(sweep, w);
  if (by_pair) {
    CW_REAL_NAME(shortest_images)(sweep, w, centre, sweep->centre->permutation[place]);
    centre[0] = centre[1] = centre[2] = 0;
    from = &w->images;
  }
  const int checked = by_pair ? w->tile.count : w->tile.checked;
  int kept =
      CW_REAL_NAME(compact)(w, from, centre, w->high2, sweep->centre->id[place], begin, checked);
  if (!CW_REAL_IS_DOUBLE && kept > 0)
    kept = CW_REAL_NAME(drop_beyond)(sweep, w, kept, place);
  if (kept == 0)
    return;
  w->run[w->runs++] = (CW_REAL_NAME(run)){i, w->pairs, w->pairs + kept};
  w->pairs += kept;
}

/* Tests the staged tile against centres [begin, end) and empties it. */
static void CW_REAL_NAME(process)(const cw_sweep *sweep, const cw_bundle *bundle,
                                  CW_REAL_NAME(scratch) * w, int begin, int end) {
  CW_REAL_NAME(tile) *tile = &w->tile;
  if (sweep->once) {
    CW_REAL_NAME(process_once)(sweep, bundle, w);
    return;
  }
  CW_REAL_NAME(pad)(tile, (cw_real)NAN);
  if (sweep->cells->images)
    CW_REAL_NAME(set_border)(sweep, w, CW_REAL_NAME(largest_coordinate)(w));
  for (int i = begin; i < end && tile->count > 0; i++)
    CW_REAL_NAME(collect)(sweep, bundle, w, i, 0);
  tile->count = tile->checked = 0;
}

static void CW_REAL_NAME(load_centres)(const cw_sweep *sweep, const cw_bundle *bundle,
                                       CW_REAL_NAME(scratch) * w) {
  double largest = 0;
  w->pairs = w->runs = w->tile.count = w->tile.checked = 0;
  w->own_cell = 1;
  const cw_switching *p = sweep->switching;
  w->slope = -2 * p->nn * p->stretch * p->inverse_r_0 * p->inverse_r_0;
  memset(&w->partial, 0, sizeof w->partial);
  for (int i = 0; i < bundle->count; i++)
    w->value[i] = w->derivative[0][i] = w->derivative[1][i] = w->derivative[2][i] = 0;
  for (int c = 0; c < 3; c++) {
    const double *position = sweep->centre->position[c] + bundle->first;
    w->reference[c] = CW_REAL_IS_DOUBLE ? 0 : position[0];
    w->low[c] = w->high[c] = (cw_real)(position[0] - w->reference[c]);
    for (int i = 0; i < bundle->count; i++) {
      cw_real x = (cw_real)(position[i] - w->reference[c]);
      w->centre[c][i] = x;
      w->low[c] = x < w->low[c] ? x : w->low[c];
      w->high[c] = x > w->high[c] ? x : w->high[c];
    }
    w->origin[c] = (double)w->centre[c][0];
    largest = fmax(largest, fmax(fabs((double)w->low[c]), fabs((double)w->high[c])));
  }
  CW_REAL_NAME(set_border)(sweep, w, largest + (isinf(sweep->range2) ? 0 : sqrt(sweep->range2)));
}

/* Copies places [begin, end) of the other group, shifted, to `to` from index `at` on. */
static inline void CW_REAL_NAME(copy)(const cw_entries *other, int64_t begin, int64_t end,
                                      const double offset[3], CW_REAL_NAME(tile) * to, int at) {
  const double *px = other->position[0] + begin, *py = other->position[1] + begin;
  const double *pz = other->position[2] + begin;
  int n = (int)(end - begin);
#pragma omp simd
  for (int k = 0; k < n; k++) {
    to->x[at + k] = (cw_real)(px[k] + offset[0]);
    to->y[at + k] = (cw_real)(py[k] + offset[1]);
    to->z[at + k] = (cw_real)(pz[k] + offset[2]);
  }
}

/* Stages places [begin, end) of the other group, shifted by an image. `whole`: none may be left
 * out, and their atoms must be known (the own cell; images chosen pair by pair). */
static void CW_REAL_NAME(stage)(const cw_sweep *sweep, const cw_bundle *bundle,
                                CW_REAL_NAME(scratch) * w, int64_t begin, int64_t end,
                                const double shift[3], int whole) {
  const cw_entries *other = sweep->other;
  CW_REAL_NAME(tile) *tile = &w->tile;
  /* Round-off of the box test must not lose a pair. */
  const cw_real near2 = w->high2 * (CW_REAL_IS_DOUBLE ? (cw_real)(1 + 1e-12) : (cw_real)(1 + 1e-5));
  double offset[3];
  for (int c = 0; c < 3; c++)
    offset[c] = shift[c] - w->reference[c];
  while (begin < end) {
    if (tile->count == TILE)
      CW_REAL_NAME(process)(sweep, bundle, w, 0, bundle->count);
    int64_t stop = cw_min_i64(end, begin + TILE - tile->count);
    int n = (int)(stop - begin);
    if (whole) {
      CW_REAL_NAME(copy)(other, begin, stop, offset, tile, tile->count);
      size_t bytes = (size_t)n * sizeof(uint32_t);
      memcpy(tile->id + tile->count, other->id + begin, bytes);
      memcpy(tile->order + tile->count, other->permutation + begin, bytes);
      for (int k = 0; k < n; k++)
        tile->place[tile->count + k] = (uint32_t)(begin + k);
      tile->count += n;
      tile->checked = tile->count;
    } else {
      CW_REAL_NAME(copy)(other, begin, stop, offset, &w->images, 0);
      CW_REAL_NAME(append_near)(w, begin, n, near2);
    }
    begin = stop;
  }
}

/* Stages the cells with first coordinates [low, high] of one row, image by image. */
static void CW_REAL_NAME(stage_row)(const cw_sweep *sweep, const cw_bundle *bundle,
                                    CW_REAL_NAME(scratch) * w, int64_t row, int64_t low,
                                    int64_t high, const double row_shift[3]) {
  const int64_t n = sweep->cells->n[0];
  const int64_t *offsets = sweep->other->offsets;
  while (low <= high) {
    int64_t image = cw_floor_divide(low, n), last = cw_min_i64(high, (image + 1) * n - 1);
    double shift[3];
    for (int c = 0; c < 3; c++)
      shift[c] = row_shift[c] + (image ? (double)image * sweep->lattice->h[0][c] : 0);
    int64_t begin = offsets[row + low - image * n], end = offsets[row + last - image * n + 1];
    CW_REAL_NAME(stage)(sweep, bundle, w, begin, end, shift, sweep->cells->images);
    low = last + 1;
  }
}

static void CW_REAL_NAME(stage_neighbours)(const cw_sweep *sweep, const cw_bundle *bundle,
                                           CW_REAL_NAME(scratch) * w) {
  const cw_link_cells *cells = sweep->cells;
  const int64_t *offsets = sweep->other->offsets;
  const double none[3] = {0, 0, 0};
  int64_t home[3] = {bundle->cell % cells->n[0], bundle->cell / cells->n[0] % cells->n[1],
                     bundle->cell / cells->n[0] / cells->n[1]};
  cw_cell_range range[3];
  for (int a = 0; a < 3; a++)
    range[a] = cw_cell_range_of(cells, sweep->lattice->kind != CW_LATTICE_NONE, a, home[a]);
  /* Of pairs met once a centre has those ahead of it: later places of the own cell, later cells. */
  const int ahead = sweep->once && sweep->same;
  /* The own cell first: only there can an entry be the centre itself. */
  CW_REAL_NAME(stage)
  (sweep, bundle, w, ahead ? bundle->first : offsets[bundle->cell], offsets[bundle->cell + 1], none,
   1);
  for (int64_t k = ahead ? home[2] : range[2].low; k <= range[2].high; k++)
    for (int64_t j = ahead && k == home[2] ? home[1] : range[1].low; j <= range[1].high; j++) {
      int64_t kn = cw_floor_divide(k, cells->n[2]), jn = cw_floor_divide(j, cells->n[1]);
      int64_t row = cells->n[0] * (j - jn * cells->n[1] + cells->n[1] * (k - kn * cells->n[2]));
      double shift[3] = {0, 0, 0};
      for (int c = 0; c < 3 && (kn || jn); c++)
        shift[c] = (double)kn * sweep->lattice->h[2][c] + (double)jn * sweep->lattice->h[1][c];
      if (k == home[2] && j == home[1]) {
        if (!ahead)
          CW_REAL_NAME(stage_row)(sweep, bundle, w, row, range[0].low, home[0] - 1, shift);
        CW_REAL_NAME(stage_row)(sweep, bundle, w, row, home[0] + 1, range[0].high, shift);
      } else {
        CW_REAL_NAME(stage_row)(sweep, bundle, w, row, range[0].low, range[0].high, shift);
      }
    }
  CW_REAL_NAME(process)(sweep, bundle, w, 0, bundle->count);
}

/* Neighbours from a list: each centre has its own. */
static void CW_REAL_NAME(stage_list)(const cw_sweep *sweep, const cw_bundle *bundle,
                                     CW_REAL_NAME(scratch) * w) {
  const cw_entries *other = sweep->other;
  CW_REAL_NAME(tile) *tile = &w->tile;
  for (int i = 0; i < bundle->count; i++) {
    int64_t at = sweep->list->offsets[bundle->first + i];
    int64_t end = sweep->list->offsets[bundle->first + i + 1];
    while (at < end) {
      int64_t stop = cw_min_i64(end, at + TILE);
      for (; at < stop; at++) {
        uint32_t k = sweep->list->other[at];
        int n = tile->count++;
        tile->checked = tile->count;
        tile->x[n] = (cw_real)(other->position[0][k] - w->reference[0]);
        tile->y[n] = (cw_real)(other->position[1][k] - w->reference[1]);
        tile->z[n] = (cw_real)(other->position[2][k] - w->reference[2]);
        tile->id[n] = other->id[k];
        tile->order[n] = other->permutation[k];
        tile->place[n] = k;
      }
      CW_REAL_NAME(process)(sweep, bundle, w, i, i + 1);
    }
  }
}

static void CW_REAL_NAME(bundle)(const cw_sweep *sweep, const cw_bundle *bundle, void *scratch,
                                 cw_partial *partial) {
  CW_REAL_NAME(scratch) *w = scratch;
  CW_REAL_NAME(load_centres)(sweep, bundle, w);
  if (sweep->list)
    CW_REAL_NAME(stage_list)(sweep, bundle, w);
  else
    CW_REAL_NAME(stage_neighbours)(sweep, bundle, w);
  CW_REAL_NAME(flush)(sweep, w);
  if (sweep->dense && sweep->with_box)
    CW_REAL_NAME(add_centres_box)(bundle, w);
  for (int i = 0; i < bundle->count; i++) {
    const int64_t place = bundle->first + i;
    for (int c = 0; c < 3; c++)
      sweep->centre->derivative[c][place] += w->derivative[c][i];
    if (sweep->with_values)
      sweep->centre->value[place] += w->value[i];
  }
  *partial = w->partial;
}
