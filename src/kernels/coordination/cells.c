/* Link cells: how many, who is in which, and the groups sorted by them. */
#include <math.h>

#include <cellwise/cells.h>

#include "kernels/coordination/coordination_private.h"

/* Halving the cells prunes candidates but shortens the runs that share a staging; it pays from
 * about this many atoms in a half-sized cell on (measured, README.md). */
static const double half_cell_atoms = 4;
enum { MAX_CELLS = 1 << 30 };

cw_status cw_coordination_reserve(cw_context *context, size_t count, size_t size, const char *what,
                                  size_t *capacity, void **pointer) {
  if (*pointer && count <= *capacity)
    return CW_OK;
  cw_memory_free(context, CW_SPACE_HOST, *pointer);
  *capacity = 0;
  size_t room = count + count / 8 + 16;
  CW_TRY(cw_memory_alloc(context, CW_SPACE_HOST, room, size, what, pointer));
  *capacity = room;
  return CW_OK;
}

static cw_status bounding_box(cw_coordination *plan, const cw_coordinates_view *positions,
                              double extent[3]) {
  cw_link_cells *cells = &plan->cells;
  const cw_entries *groups[2] = {&plan->a, &plan->b};
  for (int c = 0; c < 3; c++) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int g = 0; g < 2; g++)
      for (int64_t k = 0; k < groups[g]->count; k++) {
        double x = cw_coordinate(positions, c, groups[g]->atom[k]);
        low = x < low ? x : low;
        high = x > high ? x : high;
      }
    cells->origin[c] = low;
    extent[c] = high - low;
    if (!isfinite(extent[c]) && plan->a.count + plan->b.count > 0)
      return cw_fail(plan->context, CW_ERROR_NUMERIC, "the atoms span a range that is not finite");
  }
  return CW_OK;
}

static void choose_counts(cw_coordination *plan, const double extent[3], double cutoff) {
  cw_link_cells *cells = &plan->cells;
  double atoms = (double)(plan->a.count + plan->b.count), volume = 1;
  for (int a = 0; a < 3; a++)
    volume *= fmax(extent[a], cutoff);
  double in_half_cell = atoms / volume * cutoff * cutoff * cutoff / 8;
  int parts = in_half_cell >= half_cell_atoms ? 2 : 1;
  double n[3], most = fmin(fmax(2 * atoms, 8), MAX_CELLS);
  for (int a = 0; a < 3; a++)
    n[a] = fmax(1, floor(parts * extent[a] / cutoff * (1 - 1e-9)));
  while (n[0] * n[1] * n[2] > most) {
    int longest = n[0] >= n[1] && n[0] >= n[2] ? 0 : n[1] >= n[2] ? 1 : 2;
    n[longest] = fmax(1, floor(n[longest] / 2));
  }
  for (int a = 0; a < 3; a++) {
    cells->n[a] = (int64_t)n[a];
    /* an axis without extent has one layer of cells, and any reach covers it */
    double reach = ceil(cutoff / (extent[a] / n[a]) * (1 - 1e-12));
    cells->reach[a] = reach <= parts ? (int64_t)reach : parts;
    cells->width[a] = extent[a] / n[a];
  }
}

static cw_status choose_cells(cw_coordination *plan, const cw_coordinates_view *positions,
                              double cutoff, int one_cell) {
  cw_link_cells *cells = &plan->cells;
  double extent[3];
  *cells = (cw_link_cells){.n = {1, 1, 1}};
  if (plan->lattice.kind == CW_LATTICE_NONE) {
    CW_TRY(bounding_box(plan, positions, extent));
  } else {
    for (int a = 0; a < 3; a++) {
      extent[a] = plan->lattice.heights[a];
      /* Shorter than half of every height: at most one image is in range, and it is the shortest;
       * all neighbouring images must be visited then, which one cell alone does not. */
      if (one_cell || !(cutoff < extent[a] / 2 * (1 - 1e-9)))
        cells->images = 1;
    }
  }
  if (!one_cell && isfinite(cutoff))
    choose_counts(plan, extent, cutoff);
  return CW_OK;
}

static int64_t clamp(double x, int64_t n) {
  return x >= (double)n ? n - 1 : x > 0 ? (int64_t)x : 0;
}

/* Cell of a point that lies in the box. */
static uint32_t cell_of(const cw_coordination *plan, const double r[3]) {
  const cw_link_cells *cells = &plan->cells;
  const cw_lattice *lattice = &plan->lattice;
  int64_t c[3];
  for (int a = 0; a < 3; a++) {
    double s = lattice->kind == CW_LATTICE_NONE
                   ? (cells->width[a] > 0 ? (r[a] - cells->origin[a]) / cells->width[a] : 0)
                   : (r[0] * lattice->inverse[0][a] + r[1] * lattice->inverse[1][a] +
                      r[2] * lattice->inverse[2][a]) *
                         (double)cells->n[a];
    c[a] = clamp(s, cells->n[a]);
  }
  return (uint32_t)(c[0] + cells->n[0] * (c[1] + cells->n[1] * c[2]));
}

static cw_status sort_entries(cw_coordination *plan, cw_entries *entries,
                              const cw_coordinates_view *positions) {
  const cw_link_cells *cells = &plan->cells;
  uint32_t total = (uint32_t)(cells->n[0] * cells->n[1] * cells->n[2]);
  CW_TRY(cw_coordination_reserve(plan->context, (size_t)total + 1, sizeof(int64_t),
                                 "link cell offsets", &entries->offsets_capacity,
                                 (void **)&entries->offsets));
  int threads = cw_context_threads(plan->context);
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int64_t k = 0; k < entries->count; k++) {
    double r[3];
    for (int c = 0; c < 3; c++)
      r[c] = cw_coordinate(positions, c, entries->atom[k]);
    cw_lattice_wrap(&plan->lattice, r);
    entries->key[k] = cell_of(plan, r);
  }
  CW_TRY(cw_cells_sort_keys(plan->context, entries->count, entries->key, total,
                            entries->permutation, entries->offsets));
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int64_t s = 0; s < entries->count; s++) {
    uint32_t atom = entries->atom[entries->permutation[s]];
    if (s + CW_ATOMS_AHEAD < entries->count)
      cw_coordinate_ask(positions, entries->atom[entries->permutation[s + CW_ATOMS_AHEAD]]);
    double r[3];
    for (int c = 0; c < 3; c++)
      r[c] = cw_coordinate(positions, c, atom);
    if (!cells->images)
      cw_lattice_wrap(&plan->lattice, r);
    for (int c = 0; c < 3; c++)
      entries->position[c][s] = r[c];
    entries->id[s] = atom;
  }
  return CW_OK;
}

cw_status cw_link_cells_build(cw_coordination *plan, cw_coordinates_view positions, double cutoff,
                              int one_cell) {
  CW_TRY(choose_cells(plan, &positions, cutoff, one_cell));
  CW_TRY(sort_entries(plan, &plan->a, &positions));
  return plan->b.count > 0 ? sort_entries(plan, &plan->b, &positions) : CW_OK;
}

cw_status cw_link_cells_bundles(cw_coordination *plan, const cw_entries *entries) {
  int64_t total = plan->cells.n[0] * plan->cells.n[1] * plan->cells.n[2], most = 0, count = 0;
  for (int64_t c = 0; c < total; c++)
    most += (entries->offsets[c + 1] - entries->offsets[c] + CW_BUNDLE - 1) / CW_BUNDLE;
  size_t capacity = plan->bundle_capacity;
  CW_TRY(cw_coordination_reserve(plan->context, (size_t)most, sizeof *plan->bundles, "bundles",
                                 &capacity, (void **)&plan->bundles));
  CW_TRY(cw_coordination_reserve(plan->context, (size_t)most, sizeof *plan->partials,
                                 "partial sums", &plan->bundle_capacity, (void **)&plan->partials));
  int64_t rows = plan->cells.n[1] * plan->cells.n[2];
  CW_TRY(cw_coordination_reserve(plan->context, (size_t)rows + 1, sizeof *plan->rows,
                                 "rows of cells", &plan->row_capacity, (void **)&plan->rows));
  for (int64_t c = 0; c < total; c++) {
    if (c % plan->cells.n[0] == 0)
      plan->rows[c / plan->cells.n[0]] = count;
    for (int64_t first = entries->offsets[c]; first < entries->offsets[c + 1]; first += CW_BUNDLE)
      plan->bundles[count++] =
          (cw_bundle){.cell = c,
                      .first = first,
                      .count = (int32_t)cw_min_i64(CW_BUNDLE, entries->offsets[c + 1] - first)};
  }
  plan->rows[rows] = count;
  plan->bundle_count = count;
  return CW_OK;
}
