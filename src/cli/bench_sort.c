/* bench sort: the particles stand in the order of the last sort and have moved one step since. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "cli/bench.h"
#include "sort/particles_private.h"

typedef struct sort_variant {
  const char *name;
  cw_cells_depth depth;
  int low_memory;
} sort_variant;

static const sort_variant variants_here[] = {{"tile", CW_DEPTH_TILE, 0},
                                             {"cell", CW_DEPTH_CELL, 0},
                                             {"node", CW_DEPTH_NODE, 0},
                                             {"cell_low_memory", CW_DEPTH_CELL, 1}};

typedef struct sort_state {
  cw_context *context;
  cw_cells *cells;
  cw_particles *particles;
  cw_particles *moved; /* what `particles` is before each timed sort */
  uint32_t *keys, *permutation;
  int64_t *offsets;
  uint32_t bins;
} sort_state;

/* Key of one particle by division, tile first: the plain version of the library's rule. */
static uint64_t plain_key(const cw_cells_options *options, const cw_particles_view *view,
                          int64_t slot, uint64_t *tile) {
  uint64_t local = 0, edge = (uint64_t)options->tile + (options->depth == CW_DEPTH_NODE), bins = 1;
  *tile = 0;
  for (int a = options->dim - 1; a >= 0; a--) {
    int32_t cell = view->i[a][slot], t = cell / options->tile;
    int half = cw_real_get(view->dx[a], view->precision, slot) >= 0.5;
    uint64_t l = (uint64_t)(cell - t * options->tile + (options->depth == CW_DEPTH_NODE && half));
    local = local * edge + (options->depth == CW_DEPTH_TILE ? 0 : l);
    *tile =
        *tile * (uint64_t)((options->cells[a] + options->tile - 1) / options->tile) + (uint64_t)t;
    bins *= edge;
  }
  return *tile * bins + local;
}

typedef struct plain_item {
  uint64_t key;
  int64_t slot;
} plain_item;

static int compare_items(const void *left, const void *right) {
  const plain_item *a = left, *b = right;
  if (a->key != b->key)
    return a->key < b->key ? -1 : 1;
  return a->slot < b->slot ? -1 : a->slot > b->slot;
}

/* The moved particles in sorted order by the C library's qsort on (key, slot). */
static cw_status plain_sort(cw_context *context, const cw_cells_options *options,
                            const cw_particles_view *view, plain_item **items) {
  CW_TRY(CW_NEW(context, view->count, "plain sort", items));
  for (int64_t s = 0; s < view->count; s++) {
    uint64_t tile;
    (*items)[s] = (plain_item){plain_key(options, view, s, &tile), s};
  }
  qsort(*items, (size_t)view->count, sizeof **items, compare_items);
  return CW_OK;
}

/* One periodic step of ballistic motion from where the last sort left the particles. */
static void move(const cw_particles_view *view, const cw_grid *grid, double dt) {
  for (int64_t s = 0; s < view->count; s++) {
    double u[3], square = 1;
    for (int a = 0; a < 3; a++) {
      u[a] = cw_real_get(view->u[a], view->precision, s);
      square += u[a] * u[a];
    }
    for (int a = 0; a < grid->dim; a++) {
      double now = cw_real_get(view->dx[a], view->precision, s) + dt * u[a] / sqrt(square);
      double whole = floor(now);
      int32_t cell = view->i[a][s];
      view->i_prev[a][s] = cell;
      view->i[a][s] = (cell + (int32_t)whole + grid->cells[a]) % grid->cells[a];
      cw_real_set(view->dx[a], view->precision, s, fmin(now - whole, 1 - 1e-7));
    }
  }
}

static void copy_members(const cw_particles_view *from, const cw_particles_view *to) {
  void *source[CW_MEMBERS], *destination[CW_MEMBERS];
  cw_member_arrays(from, source);
  cw_member_arrays(to, destination);
  for (int m = 0; m < CW_MEMBERS; m++)
    if (source[m])
      memcpy(destination[m], source[m], (size_t)from->count * cw_member_size(m, from->precision));
}

static cw_status restore(void *state) {
  sort_state *s = state;
  cw_particles_view from = cw_particles_get_view(s->moved),
                    to = cw_particles_get_view(s->particles);
  copy_members(&from, &to);
  return CW_OK;
}

static cw_status sort_particles(void *state) {
  sort_state *s = state;
  return cw_cells_sort(s->cells, s->particles);
}

static cw_status sort_keys(void *state) {
  sort_state *s = state;
  return cw_cells_sort_keys(s->context, cw_particles_count(s->moved), s->keys, s->bins,
                            s->permutation, s->offsets);
}

/* 0 when every moved array equals the plain sort's, else 1. */
static double compare_members(const cw_particles_view *moved, const cw_particles_view *sorted,
                              const plain_item *items) {
  void *from[CW_MEMBERS], *to[CW_MEMBERS];
  cw_member_arrays(moved, from);
  cw_member_arrays(sorted, to);
  int wrong = sorted->count != moved->count;
  for (int m = 0; m < CW_MEMBERS && !wrong; m++) {
    int is_prev =
        (m >= CW_MEMBER_I_PREV && m < CW_MEMBER_DX) || (m >= CW_MEMBER_DX_PREV && m < CW_MEMBER_U);
    size_t size = cw_member_size(m, moved->precision);
    for (int64_t s = 0; s < sorted->count && to[m] && !is_prev && !wrong; s++)
      wrong = memcmp((char *)to[m] + (size_t)s * size,
                     (char *)from[m] + (size_t)items[s].slot * size, size) != 0;
  }
  return wrong;
}

/* Particles as after a sort of that depth, then moved; and room to sort them in. */
static cw_status prepare(cw_context *context, const cw_bench_case *c, cw_cells_options *options,
                         sort_state *state) {
  cw_grid grid;
  double dt;
  *options = (cw_cells_options){.dim = c->dim, .tile = c->tile, .key = CW_KEY_CURRENT};
  memcpy(options->cells, c->cells, sizeof options->cells);
  options->depth = CW_DEPTH_CELL;
  state->context = context;
  CW_TRY(cw_bench_particles(context, c, &grid, &dt, &state->moved));
  cw_particles_view view = cw_particles_get_view(state->moved);
  for (int a = 0; a < c->dim; a++) {
    memcpy(view.i[a], view.i_prev[a], (size_t)view.count * sizeof *view.i[a]);
    memcpy(view.dx[a], view.dx_prev[a],
           (size_t)view.count * (size_t)cw_precision_size(c->precision));
  }
  cw_cells *cells;
  CW_TRY(cw_cells_create(context, options, &cells));
  cw_status status = cw_cells_sort(cells, state->moved);
  cw_cells_destroy(cells);
  CW_TRY(status);
  move(&view, &grid, dt);
  cw_particles_options room = {.dim = c->dim, .precision = c->precision};
  CW_TRY(cw_particles_create(context, &room, view.count, &state->particles));
  return cw_particles_resize(state->particles, view.count);
}

static cw_status time_particles(const cw_bench_case *c, const sort_variant *variant,
                                cw_cells_options options, sort_state *state, json_t *rows) {
  options.depth = variant->depth;
  options.low_memory = variant->low_memory;
  cw_particles_view moved = cw_particles_get_view(state->moved);
  plain_item *items = NULL;
  double seconds;
  cw_status status;
  CW_TRY_CLEANUP(status, cw_cells_create(state->context, &options, &state->cells));
  CW_TRY_CLEANUP(status, cw_bench_time(c->repeats, restore, sort_particles, state, &seconds));
  CW_TRY_CLEANUP(status, plain_sort(state->context, &options, &moved, &items));
  cw_particles_view sorted = cw_particles_get_view(state->particles);
  cw_bench_add(rows, variant->name, 1e9 * seconds / (double)moved.count,
               compare_members(&moved, &sorted, items),
               cw_bench_checksum(sorted.id, (size_t)sorted.count * sizeof *sorted.id));
cleanup:
  cw_cells_destroy(state->cells);
  state->cells = NULL;
  CW_DELETE(state->context, items);
  return status;
}

/* The bare sort of ready keys (those of the cells) into a permutation. */
static cw_status time_keys(const cw_bench_case *c, cw_cells_options options, sort_state *state,
                           json_t *rows) {
  cw_particles_view moved = cw_particles_get_view(state->moved);
  uint64_t bins = 1, tile;
  for (int a = 0; a < c->dim; a++)
    bins *= (uint64_t)((c->cells[a] + c->tile - 1) / c->tile) * (uint64_t)c->tile;
  state->bins = (uint32_t)bins;
  plain_item *items = NULL;
  double seconds;
  cw_status status;
  CW_TRY_CLEANUP(status, CW_NEW(state->context, moved.count, "keys", &state->keys));
  CW_TRY_CLEANUP(status, CW_NEW(state->context, moved.count, "permutation", &state->permutation));
  CW_TRY_CLEANUP(status, CW_NEW(state->context, bins + 1, "offsets", &state->offsets));
  for (int64_t s = 0; s < moved.count; s++)
    state->keys[s] = (uint32_t)plain_key(&options, &moved, s, &tile);
  CW_TRY_CLEANUP(status, cw_bench_time(c->repeats, NULL, sort_keys, state, &seconds));
  CW_TRY_CLEANUP(status, plain_sort(state->context, &options, &moved, &items));
  int wrong = state->offsets[bins] != moved.count;
  for (int64_t s = 0; s < moved.count; s++)
    wrong |= state->permutation[s] != (uint32_t)items[s].slot;
  cw_bench_add(
      rows, "keys", 1e9 * seconds / (double)moved.count, wrong,
      cw_bench_checksum(state->permutation, (size_t)moved.count * sizeof *state->permutation));
cleanup:
  CW_DELETE(state->context, state->keys);
  CW_DELETE(state->context, state->permutation);
  CW_DELETE(state->context, state->offsets);
  CW_DELETE(state->context, items);
  return status;
}

cw_status cw_bench_sort(cw_context *context, const cw_bench_case *c, json_t *rows) {
  sort_state state = {0};
  cw_cells_options options;
  cw_status status;
  CW_TRY_CLEANUP(status, prepare(context, c, &options, &state));
  for (size_t v = 0; v < sizeof variants_here / sizeof *variants_here; v++)
    CW_TRY_CLEANUP(status, time_particles(c, &variants_here[v], options, &state, rows));
  CW_TRY_CLEANUP(status, time_keys(c, options, &state, rows));
cleanup:
  cw_particles_destroy(state.moved);
  cw_particles_destroy(state.particles);
  return status;
}
