/* Pair lists that live for several frames, built from link cells. */
#include <math.h>
#include <string.h>

#include "kernels/coordination/coordination_private.h"

void cw_pair_list_clear(cw_context *context, cw_pair_list *list) {
  CW_DELETE(context, list->offsets);
  CW_DELETE(context, list->other);
  *list = (cw_pair_list){0};
}

/* Visits the entries of `other` within the list's cut-off of one place of `centre`; writes their
 * entry numbers to `out` unless it is NULL, and returns how many there are. */
static int64_t neighbours_of(const cw_coordination *plan, const cw_entries *centre, int64_t place,
                             int64_t cell, const cw_entries *other, uint32_t *out) {
  const cw_link_cells *cells = &plan->cells;
  const double cutoff2 = plan->list_cutoff * plan->list_cutoff;
  const int periodic = plan->lattice.kind != CW_LATTICE_NONE;
  int64_t home[3] = {cell % cells->n[0], cell / cells->n[0] % cells->n[1],
                     cell / cells->n[0] / cells->n[1]};
  int64_t low[3], high[3], count = 0;
  for (int a = 0; a < 3; a++) {
    low[a] = home[a] - cells->reach[a], high[a] = home[a] + cells->reach[a];
    if (!periodic)
      low[a] = cw_max_i64(low[a], 0), high[a] = cw_min_i64(high[a], cells->n[a] - 1);
    else if (2 * cells->reach[a] + 1 > cells->n[a])
      low[a] = 0, high[a] = cells->n[a] - 1;
  }
  for (int64_t k = low[2]; k <= high[2]; k++)
    for (int64_t j = low[1]; j <= high[1]; j++)
      for (int64_t i = low[0]; i <= high[0]; i++) {
        int64_t c[3] = {i, j, k};
        for (int a = 0; a < 3; a++)
          c[a] = (c[a] + cells->n[a] * 2) % cells->n[a];
        int64_t at = c[0] + cells->n[0] * (c[1] + cells->n[1] * c[2]);
        for (int64_t s = other->offsets[at]; s < other->offsets[at + 1]; s++) {
          double d[3], r2 = 0;
          if (other->id[s] == centre->id[place])
            continue;
          for (int a = 0; a < 3; a++)
            d[a] = other->position[a][s] - centre->position[a][place];
          cw_lattice_minimum_image(&plan->lattice, d);
          for (int a = 0; a < 3; a++)
            r2 += d[a] * d[a];
          if (!(r2 <= cutoff2))
            continue;
          if (out)
            out[count] = other->permutation[s];
          count++;
        }
      }
  return count;
}

/* The list of one group, by entry. Two passes: count, then fill. */
static cw_status build(cw_coordination *plan, const cw_entries *centre, const cw_entries *other,
                       cw_pair_list *list) {
  cw_context *context = plan->context;
  int threads = cw_context_threads(context);
  int64_t total = plan->cells.n[0] * plan->cells.n[1] * plan->cells.n[2];
  if (!list->offsets)
    CW_TRY(CW_NEW(context, centre->count + 1, "pair list", &list->offsets));
  list->offsets[0] = 0;
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
  for (int64_t c = 0; c < total; c++)
    for (int64_t s = centre->offsets[c]; s < centre->offsets[c + 1]; s++)
      list->offsets[centre->permutation[s] + 1] = neighbours_of(plan, centre, s, c, other, NULL);
  for (int64_t k = 0; k < centre->count; k++)
    list->offsets[k + 1] += list->offsets[k];
  CW_TRY(cw_coordination_reserve(context, (size_t)list->offsets[centre->count], sizeof(uint32_t),
                                 "pair list", &list->capacity, (void **)&list->other));
#pragma omp parallel for schedule(dynamic, 16) num_threads(threads)
  for (int64_t c = 0; c < total; c++)
    for (int64_t s = centre->offsets[c]; s < centre->offsets[c + 1]; s++)
      neighbours_of(plan, centre, s, c, other, list->other + list->offsets[centre->permutation[s]]);
  return CW_OK;
}

static cw_status remember(cw_coordination *plan, const cw_coordinates_view *positions) {
  if (!plan->list_position)
    CW_TRY(CW_NEW(plan->context, 3 * plan->atoms, "listed positions", &plan->list_position));
  for (int64_t k = 0; k < plan->atoms; k++)
    for (int c = 0; c < 3; c++)
      plan->list_position[3 * k + c] = cw_coordinate(positions, c, k);
  memcpy(plan->list_box, plan->lattice.h, sizeof plan->list_box);
  plan->list_valid = 1;
  return CW_OK;
}

/* How much closer two listed atoms may have come at most. Both moved up to the largest
 * displacement; a box that changed shape moved images by more than that can bound, so it counts as
 * infinitely far. */
static double approach(const cw_coordination *plan, const cw_coordinates_view *positions) {
  const cw_entries *groups[2] = {&plan->a, &plan->b};
  double largest2 = 0;
  if (memcmp(plan->list_box, plan->lattice.h, sizeof plan->list_box) != 0)
    return HUGE_VAL;
  for (int g = 0; g < 2; g++)
    for (int64_t k = 0; k < groups[g]->count; k++) {
      int64_t atom = groups[g]->atom[k];
      double d[3], r2 = 0;
      for (int c = 0; c < 3; c++)
        d[c] = cw_coordinate(positions, c, atom) - plan->list_position[3 * atom + c];
      cw_lattice_minimum_image(&plan->lattice, d);
      for (int c = 0; c < 3; c++)
        r2 += d[c] * d[c];
      largest2 = r2 > largest2 ? r2 : largest2;
    }
  return 2 * sqrt(largest2);
}

/* Positions at the entries' own places, as the list numbers them. */
static void place_by_entry(cw_entries *e, const cw_coordinates_view *positions) {
  for (int64_t k = 0; k < e->count; k++) {
    e->permutation[k] = (uint32_t)k;
    e->id[k] = e->atom[k];
    for (int c = 0; c < 3; c++)
      e->position[c][k] = cw_coordinate(positions, c, e->atom[k]);
  }
}

static cw_status one_cell(cw_coordination *plan, cw_entries *e) {
  CW_TRY(cw_coordination_reserve(plan->context, 2, sizeof(int64_t), "link cell offsets",
                                 &e->offsets_capacity, (void **)&e->offsets));
  e->offsets[0] = 0;
  e->offsets[1] = e->count;
  return CW_OK;
}

cw_status cw_pair_list_update(cw_coordination *plan, cw_coordinates_view positions,
                              int rebuild_asked, cw_coordination_result *result) {
  int frozen = plan->method == CW_COORDINATION_FROZEN, self = plan->pairs == CW_PAIRS_SELF;
  double slack = plan->list_cutoff - plan->switching.range;
  double closer = plan->list_valid ? approach(plan, &positions) : HUGE_VAL;
  result->list_rebuilt = !plan->list_valid || (frozen ? rebuild_asked : !(closer <= slack));
  result->list_may_miss = slack < 0 || (!result->list_rebuilt && !(closer <= slack));
  if (result->list_rebuilt) {
    plan->list_valid = 0;
    CW_TRY(cw_link_cells_build(plan, positions, plan->list_cutoff, 0));
    CW_TRY(build(plan, &plan->a, self ? &plan->a : &plan->b, &plan->list_a));
    if (!self)
      CW_TRY(build(plan, &plan->b, &plan->a, &plan->list_b));
    CW_TRY(remember(plan, &positions));
  }
  place_by_entry(&plan->a, &positions);
  place_by_entry(&plan->b, &positions);
  plan->cells = (cw_link_cells){.n = {1, 1, 1}, .images = plan->lattice.kind != CW_LATTICE_NONE};
  CW_TRY(one_cell(plan, &plan->a));
  return one_cell(plan, &plan->b);
}
