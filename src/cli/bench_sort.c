/* bench sort: the particles stand in the order of the last sort and have moved one step since. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/context_private.h"
#include "base/device.h"
#include "base/reals.h"
#include "cli/bench.h"
#include "cli/bench_device.h"
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
  /* --backend cuda: `particles` is there, and the moved ones too; what is compared comes back */
  int on_device;
  cw_particles_view device_moved;
  cw_particles *result;
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

static cw_status copy_members_within(cw_context *context, const cw_particles_view *from,
                                     const cw_particles_view *to) {
  void *source[CW_MEMBERS], *destination[CW_MEMBERS];
  cw_member_arrays(from, source);
  cw_member_arrays(to, destination);
  for (int m = 0; m < CW_MEMBERS; m++)
    if (source[m])
      CW_TRY(cw_device_copy_within(context, destination[m], source[m],
                                   (size_t)from->count * cw_member_size(m, from->precision)));
  return cw_device_synchronize(context);
}

/* The sorted particles where the host can read them. */
static cw_status read_sorted(sort_state *s, cw_particles_view *sorted) {
  *sorted = cw_particles_get_view(s->particles);
  if (!s->on_device)
    return CW_OK;
  const cw_particles_view host = cw_particles_get_view(s->result);
  void *source[CW_MEMBERS], *destination[CW_MEMBERS];
  cw_member_arrays(sorted, source);
  cw_member_arrays(&host, destination);
  for (int m = 0; m < CW_MEMBERS; m++)
    if (source[m] && destination[m])
      CW_TRY(cw_device_read(s->context, destination[m], source[m],
                            (size_t)sorted->count * cw_member_size(m, sorted->precision)));
  const int64_t count = sorted->count;
  *sorted = host;
  sorted->count = count;
  return CW_OK;
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
  if (s->on_device) {
    CW_TRY(cw_particles_resize(s->particles, s->device_moved.count));
    const cw_particles_view device = cw_particles_get_view(s->particles);
    return copy_members_within(s->context, &s->device_moved, &device);
  }
  cw_particles_view from = cw_particles_get_view(s->moved),
                    to = cw_particles_get_view(s->particles);
  copy_members(&from, &to);
  return CW_OK;
}

static cw_status sort_particles(void *state) {
  sort_state *s = state;
  CW_TRY(cw_cells_sort(s->cells, s->particles));
  return s->on_device ? cw_device_synchronize(s->context) : CW_OK;
}

static cw_status sort_keys(void *state) {
  sort_state *s = state;
  const int64_t count = cw_particles_count(s->moved);
  if (s->on_device)
    return cw_cells_sort_keys_device(s->context, count, s->keys, s->bins, 0, s->permutation,
                                     s->offsets);
  return cw_cells_sort_keys(s->context, count, s->keys, s->bins, s->permutation, s->offsets);
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
  state->on_device = cw_context_backend(context) == CW_BACKEND_CUDA;
  cw_particles_options room = {.dim = c->dim, .precision = c->precision};
  if (state->on_device) {
    CW_TRY(cw_particles_create(context, &room, view.count, &state->result));
    CW_TRY(cw_particles_resize(state->result, view.count));
    CW_TRY(cw_bench_device_particles(context, c->dim, &view, &state->device_moved));
    room.space = options->space = CW_SPACE_DEVICE;
  }
  CW_TRY(cw_particles_create(context, &room, view.count, &state->particles));
  return cw_particles_resize(state->particles, view.count);
}

static cw_status time_particles(const cw_bench_case *c, const sort_variant *variant,
                                cw_cells_options options, sort_state *state, json_t *rows) {
  options.depth = variant->depth;
  options.low_memory = variant->low_memory;
  cw_particles_view moved = cw_particles_get_view(state->moved), sorted;
  plain_item *items = NULL;
  double seconds;
  cw_status status;
  CW_TRY_CLEANUP(status, cw_cells_create(state->context, &options, &state->cells));
  CW_TRY_CLEANUP(status, cw_bench_time(c->repeats, restore, sort_particles, state, &seconds));
  CW_TRY_CLEANUP(status, plain_sort(state->context, &options, &moved, &items));
  CW_TRY_CLEANUP(status, read_sorted(state, &sorted));
  cw_bench_add(rows, variant->name, 1e9 * seconds / (double)moved.count,
               compare_members(&moved, &sorted, items),
               cw_bench_checksum(sorted.id, (size_t)sorted.count * sizeof *sorted.id));
cleanup:
  cw_cells_destroy(state->cells);
  state->cells = NULL;
  CW_DELETE(state->context, items);
  return status;
}

/* The bare sort of ready keys (those of the cells) into a permutation: its arrays, on the host and
 * where it runs. */
typedef struct key_arrays {
  uint32_t *keys, *permutation;
  int64_t *offsets;
} key_arrays;

static cw_status key_room(sort_state *state, int64_t count, key_arrays *host) {
  CW_TRY(CW_NEW(state->context, count, "keys", &host->keys));
  CW_TRY(CW_NEW(state->context, count, "permutation", &host->permutation));
  CW_TRY(CW_NEW(state->context, state->bins + 1, "offsets", &host->offsets));
  if (!state->on_device) {
    state->keys = host->keys;
    state->permutation = host->permutation;
    state->offsets = host->offsets;
    return CW_OK;
  }
  const size_t bytes = (size_t)count * sizeof *state->keys;
  CW_TRY(cw_memory_alloc(state->context, CW_SPACE_DEVICE, bytes, 1, "keys", (void **)&state->keys));
  CW_TRY(cw_memory_alloc(state->context, CW_SPACE_DEVICE, bytes, 1, "permutation",
                         (void **)&state->permutation));
  return cw_memory_alloc(state->context, CW_SPACE_DEVICE, state->bins + 1, sizeof *state->offsets,
                         "offsets", (void **)&state->offsets);
}

static void drop_keys(sort_state *state, key_arrays *host) {
  if (state->on_device) {
    cw_memory_free(state->context, CW_SPACE_DEVICE, state->keys);
    cw_memory_free(state->context, CW_SPACE_DEVICE, state->permutation);
    cw_memory_free(state->context, CW_SPACE_DEVICE, state->offsets);
  }
  CW_DELETE(state->context, host->keys);
  CW_DELETE(state->context, host->permutation);
  CW_DELETE(state->context, host->offsets);
}

static cw_status read_keys(sort_state *state, int64_t count, const key_arrays *host) {
  if (!state->on_device)
    return CW_OK;
  CW_TRY(cw_device_read(state->context, host->permutation, state->permutation,
                        (size_t)count * sizeof *host->permutation));
  return cw_device_read(state->context, host->offsets, state->offsets,
                        ((size_t)state->bins + 1) * sizeof *host->offsets);
}

static cw_status time_keys(const cw_bench_case *c, const cw_cells_options *options,
                           sort_state *state, json_t *rows) {
  const cw_particles_view moved = cw_particles_get_view(state->moved);
  const int64_t count = moved.count;
  uint64_t bins = 1, tile;
  for (int a = 0; a < c->dim; a++)
    bins *= (uint64_t)((c->cells[a] + c->tile - 1) / c->tile) * (uint64_t)c->tile;
  state->bins = (uint32_t)bins;
  key_arrays host = {0};
  plain_item *items = NULL;
  double seconds;
  cw_status status;
  CW_TRY_CLEANUP(status, key_room(state, count, &host));
  for (int64_t s = 0; s < count; s++)
    host.keys[s] = (uint32_t)plain_key(options, &moved, s, &tile);
  if (state->on_device)
    CW_TRY_CLEANUP(status, cw_device_write(state->context, state->keys, host.keys,
                                           (size_t)count * sizeof *host.keys));
  CW_TRY_CLEANUP(status, cw_bench_time(c->repeats, NULL, sort_keys, state, &seconds));
  CW_TRY_CLEANUP(status, read_keys(state, count, &host));
  CW_TRY_CLEANUP(status, plain_sort(state->context, options, &moved, &items));
  int wrong = host.offsets[bins] != count;
  for (int64_t s = 0; s < count; s++)
    wrong |= host.permutation[s] != (uint32_t)items[s].slot;
  cw_bench_add(rows, "keys", 1e9 * seconds / (double)count, wrong,
               cw_bench_checksum(host.permutation, (size_t)count * sizeof *host.permutation));
cleanup:
  drop_keys(state, &host);
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
  CW_TRY_CLEANUP(status, time_keys(c, &options, &state, rows));
cleanup:
  cw_bench_device_particles_free(context, &state.device_moved);
  cw_particles_destroy(state.moved);
  cw_particles_destroy(state.particles);
  cw_particles_destroy(state.result);
  return status;
}
