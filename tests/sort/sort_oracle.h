/* Random particles, and the sort as its definition says it: keys in 64-bit integers from divisions,
 * then qsort by (key, slot). */
#ifndef CW_TESTS_SORT_ORACLE_H
#define CW_TESTS_SORT_ORACLE_H

#include <stdlib.h>
#include <string.h>

#include <cellwise/cellwise.h>

typedef struct oracle_case {
  int dim;
  cw_precision precision;
  int32_t cells[3];
  int32_t tile;
  cw_cells_key key;
  cw_cells_depth depth;
  double dead;    /* share of dead particles */
  double outside; /* share of particles that stand outside the block */
  int64_t count;
} oracle_case;

/* Particle n's values depend on n alone: its id is n + 1, so that a result can be traced back. */
static inline void oracle_particle(const oracle_case *c, const cw_particles_view *view,
                                   int64_t slot, uint64_t n) {
  for (int a = 0; a < c->dim; a++) {
    double uniform[2], more[2];
    cw_random_uniform(7, (uint32_t)a, n, 0, uniform);
    cw_random_uniform(7, (uint32_t)a, n, 1, more);
    int32_t cell = (int32_t)(uniform[0] * c->cells[a]);
    if (more[0] < c->outside)
      cell = more[0] < c->outside / 2 ? -1 - (int32_t)(3 * uniform[1])
                                      : c->cells[a] + (int32_t)(3 * uniform[1]);
    int32_t move = (int32_t)(3 * more[1]) - 1;
    view->i[a][slot] = cell;
    view->i_prev[a][slot] = cell + move;
    if (n % 16 == 5) /* exactly between two nodes: belongs to the upper one */
      uniform[1] = 0.5;
    if (c->precision == CW_DOUBLE)
      ((double *)view->dx[a])[slot] = uniform[1];
    else
      ((float *)view->dx[a])[slot] = uniform[1] == 0.5 ? 0.5f : (float)uniform[1] * 0.999f;
  }
  double dead[2];
  cw_random_uniform(7, 3, n, 0, dead);
  view->tag[slot] = dead[0] < c->dead ? CW_TAG_DEAD : CW_TAG_ALIVE;
  view->id[slot] = n + 1;
  for (int a = 0; a < 3; a++) {
    if (c->precision == CW_DOUBLE)
      ((double *)view->u[a])[slot] = (double)n + 0.25 * (a + 1);
    else
      ((float *)view->u[a])[slot] = (float)(n % 65536) + 0.25f * (float)(a + 1);
  }
  if (c->precision == CW_DOUBLE)
    ((double *)view->weight)[slot] = 1.0 / (double)(n + 1);
  else
    ((float *)view->weight)[slot] = 1.0f / (float)(n + 1);
  for (int k = 0; k < CW_MAX_PAYLOADS && view->payload[k]; k++)
    if (c->precision == CW_DOUBLE)
      ((double *)view->payload[k])[slot] = (double)n + 0.125 * (k + 1);
    else
      ((float *)view->payload[k])[slot] = (float)(n % 65536) + 0.125f * (float)(k + 1);
}

static inline int64_t oracle_between(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

/* Tile of a live particle, and its place inside the tile (node places: 0 to tile an axis). */
static inline void oracle_key(const oracle_case *c, const cw_particles_view *view, int64_t slot,
                              int64_t *tile, int64_t *local) {
  int64_t tile_stride = 1, local_stride = 1;
  *tile = *local = 0;
  for (int a = 0; a < c->dim; a++) {
    int64_t now = view->i[a][slot], before = view->i_prev[a][slot];
    int64_t cell = c->key == CW_KEY_MIN_PREV && before < now ? before : now;
    cell = oracle_between(cell, 0, c->cells[a] - 1);
    int64_t t = cell / c->tile, l = cell % c->tile;
    double dx = c->precision == CW_DOUBLE ? ((const double *)view->dx[a])[slot]
                                          : (double)((const float *)view->dx[a])[slot];
    if (c->depth == CW_DEPTH_NODE)
      l = oracle_between(oracle_between(now, -1, c->cells[a]) + (dx >= 0.5) - t * c->tile, 0,
                         c->tile);
    if (c->depth == CW_DEPTH_TILE)
      l = 0;
    *tile += t * tile_stride;
    *local += l * local_stride;
    tile_stride *= (c->cells[a] + c->tile - 1) / c->tile;
    local_stride *= c->tile + 1;
  }
}

typedef struct oracle_item {
  int64_t tile, local, slot;
} oracle_item;

static inline int oracle_compare(const void *left, const void *right) {
  const oracle_item *a = left, *b = right;
  if (a->tile != b->tile)
    return a->tile < b->tile ? -1 : 1;
  if (a->local != b->local)
    return a->local < b->local ? -1 : 1;
  return a->slot < b->slot ? -1 : a->slot > b->slot;
}

/* Live particles in the right order; the caller frees the list. */
static inline oracle_item *oracle_sort(const oracle_case *c, const cw_particles_view *view,
                                       int64_t *alive) {
  oracle_item *items = malloc(sizeof *items * (size_t)(view->count + 1));
  if (!items)
    abort();
  *alive = 0;
  for (int64_t s = 0; s < view->count; s++) {
    if (view->tag && view->tag[s] == CW_TAG_DEAD)
      continue;
    oracle_item *item = &items[(*alive)++];
    item->slot = s;
    oracle_key(c, view, s, &item->tile, &item->local);
  }
  qsort(items, (size_t)*alive, sizeof *items, oracle_compare);
  return items;
}

static inline int64_t oracle_tiles(const oracle_case *c) {
  int64_t tiles = 1;
  for (int a = 0; a < c->dim; a++)
    tiles *= (c->cells[a] + c->tile - 1) / c->tile;
  return tiles;
}

#endif
