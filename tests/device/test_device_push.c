/* Gather and push on the device against the plain double push on the host: every order, dimension,
 * precision and pusher, fields from the caches and from shared memory, with tail, escapes and dead
 * slots, with and without a cell table. CELLWISE_TIME=1 adds picoseconds a particle. */
#include <stdlib.h>

#include <cellwise/cellwise.h>

#include "base/context_private.h"
#include "base/device.h"
#include "base/reals.h"
#include "kernels/push/push_cuda.h"
#include "plain_check.h"

enum { CELLS_1D = 90, CELLS_2D = 22, CELLS_3D = 11, POISON = 0x5a };

typedef struct fixture {
  cw_context *context;
  cw_grid grid;
  cw_precision precision;
  double dt;
  cw_particles_view start; /* host */
  cw_particles_view device;
  cw_cells *cells;
  cw_cells_view device_cells;
  cw_vector_view E, B, device_E, device_B; /* E, B: host, double, rounded to the precision */
} fixture;

/* ---- arrays ---- */

/* The arrays of a view, in one order for all views; item sizes beside them. */
enum { ARRAYS = 16 };
static void list_arrays(cw_particles_view *view, void **arrays[ARRAYS], size_t sizes[ARRAYS]) {
  const size_t real = (size_t)cw_precision_size(view->precision);
  int n = 0;
  for (int a = 0; a < 3; a++) {
    void **const each[] = {(void **)&view->i[a], (void **)&view->i_prev[a], &view->dx[a],
                           &view->dx_prev[a], &view->u[a]};
    for (int k = 0; k < 5; k++, n++) {
      arrays[n] = each[k];
      sizes[n] = k < 2 ? sizeof(int32_t) : real;
    }
  }
  arrays[n] = (void **)&view->tag;
  sizes[n] = 1;
}

static int has_array(int n, int dim) {
  return n == 15 || n % 5 == 4 || n / 5 < dim;
}

/* Arrays for `count` slots, in host memory poisoned. */
static cw_particles_view make_view(cw_context *context, int dim, cw_precision precision,
                                   cw_space space, int64_t count) {
  cw_particles_view view = {.count = count, .precision = precision, .space = space};
  void **arrays[ARRAYS];
  size_t sizes[ARRAYS];
  list_arrays(&view, arrays, sizes);
  for (int n = 0; n < ARRAYS; n++)
    if (has_array(n, dim)) {
      plain_ok(context, cw_memory_alloc(context, space, (size_t)count, sizes[n], "copy", arrays[n]));
      if (space == CW_SPACE_HOST && *arrays[n])
        memset(*arrays[n], POISON, (size_t)count * sizes[n]);
    }
  return view;
}

static void free_view(cw_context *context, cw_particles_view *view) {
  void **arrays[ARRAYS];
  size_t sizes[ARRAYS];
  list_arrays(view, arrays, sizes);
  for (int n = 0; n < ARRAYS; n++)
    cw_memory_free(context, view->space, *arrays[n]);
}

/* Between host and device, one precision. */
static void transfer(cw_context *context, cw_particles_view from, cw_particles_view *to) {
  void **source[ARRAYS], **target[ARRAYS];
  size_t sizes[ARRAYS];
  list_arrays(&from, source, sizes);
  list_arrays(to, target, sizes);
  to->count = from.count;
  for (int n = 0; n < ARRAYS; n++) {
    const size_t bytes = (size_t)from.count * sizes[n];
    if (*source[n] && from.space == CW_SPACE_HOST)
      plain_ok(context, cw_device_write(context, *target[n], *source[n], bytes));
    else if (*source[n])
      plain_ok(context, cw_device_read(context, *target[n], *source[n], bytes));
  }
}

/* A copy on the host in double precision. */
static cw_particles_view widened(cw_context *context, int dim, cw_particles_view from) {
  cw_particles_view to = make_view(context, dim, CW_DOUBLE, CW_SPACE_HOST, from.count);
  void **source[ARRAYS], **target[ARRAYS];
  size_t sizes[ARRAYS];
  list_arrays(&from, source, sizes);
  list_arrays(&to, target, sizes);
  for (int n = 0; n < ARRAYS; n++) {
    if (!*source[n])
      continue;
    if (n == 15 || n % 5 < 2)
      memcpy(*target[n], *source[n], (size_t)from.count * sizes[n]);
    else
      for (int64_t p = 0; p < from.count; p++)
        ((double *)*target[n])[p] = cw_real_get(*source[n], from.precision, p);
  }
  return to;
}

/* ---- fixture ---- */

static void place(const fixture *f, int64_t p) {
  const cw_particles_view *view = &f->start;
  double r[8];
  for (uint32_t k = 0; k < 4; k++)
    cw_random_uniform(5, 0, (uint64_t)p, k, &r[2 * k]);
  for (int a = 0; a < f->grid.dim; a++) {
    const double x = r[a] * f->grid.cells[a];
    view->i[a][p] = (int32_t)x;
    cw_real_set(view->dx[a], f->precision, p, (1 - 1e-6) * (x - floor(x)));
  }
  for (int a = 0; a < 3; a++)
    cw_real_set(view->u[a], f->precision, p, 4 * r[3 + a] - 2);
  view->tag[p] = r[7] < 0.1 ? CW_TAG_DEAD : CW_TAG_ALIVE;
}

/* Some particles leave their tile after the sort, by up to two cells: escapes. */
static void scatter(const fixture *f) {
  for (int64_t p = 0; p < f->start.count; p += 3)
    for (int a = 0; a < f->grid.dim; a++) {
      double r[2];
      cw_random_uniform(6, (uint32_t)a, (uint64_t)p, 0, r);
      int32_t *cell = &f->start.i[a][p];
      const int32_t to = *cell + (int32_t)(5 * r[0]) - 2;
      if (f->start.tag[p] != CW_TAG_DEAD && to >= -1 && to <= f->grid.cells[a])
        *cell = to;
    }
}

/* Sorts nine tenths of the particles; the others are that sort's tail. */
static void sort_most(fixture *f, int order, int tile) {
  cw_context *context = f->context;
  cw_cells_options options = {.dim = f->grid.dim,
                              .tile = tile,
                              .key = CW_KEY_CURRENT,
                              .depth = order % 2 ? CW_DEPTH_CELL : CW_DEPTH_NODE};
  memcpy(options.cells, f->grid.cells, sizeof options.cells);
  plain_ok(context, cw_cells_create(context, &options, &f->cells));
  const int64_t all = f->start.count;
  int64_t sorted = 0;
  f->start.count = all - all / 10;
  plain_ok(context, cw_cells_sort_view(f->cells, f->start, &sorted));
  f->start.count = sorted + all / 10;
  for (int64_t p = sorted; p < f->start.count; p++)
    place(f, p);
  for (int64_t p = 0; p < f->start.count; p += 17)
    f->start.tag[p] = CW_TAG_DEAD;
  scatter(f);
  f->device_cells = cw_cells_get_view(f->cells);
  const size_t bytes = ((size_t)f->device_cells.total_tiles + 1) * sizeof(int64_t);
  void *offsets;
  plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, bytes, 1, "offsets", &offsets));
  plain_ok(context, cw_device_write(context, offsets, f->device_cells.tile_offsets, bytes));
  f->device_cells.tile_offsets = offsets;
}

/* Poison again what the sort left undefined. */
static void poison_previous(const fixture *f) {
  const size_t count = (size_t)f->start.count, real = (size_t)cw_precision_size(f->precision);
  for (int a = 0; a < f->grid.dim; a++) {
    memset(f->start.i_prev[a], POISON, count * sizeof(int32_t));
    memset(f->start.dx_prev[a], POISON, count * real);
  }
}

static void make_fields(fixture *f) {
  const size_t points = (size_t)f->grid.points, real = (size_t)cw_precision_size(f->precision);
  void *narrow = calloc(points, 8);
  f->E.precision = f->B.precision = CW_DOUBLE;
  f->device_E.precision = f->device_B.precision = f->precision;
  for (int c = 0; c < 6; c++) {
    void **host = c < 3 ? &f->E.component[c] : &f->B.component[c - 3];
    void **device = c < 3 ? &f->device_E.component[c] : &f->device_B.component[c - 3];
    *host = calloc(points, 8);
    for (size_t k = 0; k < points; k++) {
      double r[2];
      cw_random_uniform(8, (uint32_t)c, k, 0, r);
      cw_real_set(narrow, f->precision, (int64_t)k, 2 * r[0] - 1);
      ((double *)*host)[k] = cw_real_get(narrow, f->precision, (int64_t)k);
    }
    plain_ok(f->context,
             cw_memory_alloc(f->context, CW_SPACE_DEVICE, points, real, "field", device));
    plain_ok(f->context, cw_device_write(f->context, *device, narrow, points * real));
  }
  free(narrow);
}

static fixture make(cw_context *context, int dim, int order, cw_precision precision, int tile) {
  fixture f = {.context = context, .precision = precision, .dt = 0.95 / sqrt(dim)};
  const int32_t edge = dim == 1 ? CELLS_1D : dim == 2 ? CELLS_2D : CELLS_3D;
  const int32_t cells[3] = {edge, edge + 3, edge - 2};
  const double origin[3] = {0}, dx[3] = {1, 1, 1};
  plain_ok(context, cw_grid_init(context, &f.grid, dim, cells, cw_grid_ghost_cells(order, 1) + 1,
                                 origin, dx));
  f.start = make_view(context, dim, precision, CW_SPACE_HOST, 1500);
  for (int64_t p = 0; p < f.start.count; p++)
    place(&f, p);
  sort_most(&f, order, tile);
  poison_previous(&f);
  f.device = make_view(context, dim, precision, CW_SPACE_DEVICE, f.start.count);
  make_fields(&f);
  return f;
}

static void clear(fixture *f) {
  cw_context *context = f->context;
  free_view(context, &f->start);
  free_view(context, &f->device);
  for (int c = 0; c < 3; c++) {
    free(f->E.component[c]), free(f->B.component[c]);
    cw_memory_free(context, CW_SPACE_DEVICE, f->device_E.component[c]);
    cw_memory_free(context, CW_SPACE_DEVICE, f->device_B.component[c]);
  }
  cw_memory_free(context, CW_SPACE_DEVICE, (void *)(uintptr_t)f->device_cells.tile_offsets);
  cw_cells_destroy(f->cells);
}

/* ---- comparison ---- */

/* The host's answer in double precision: the plain push, or, as it takes a time that doubles with
 * the order, from order 6 on the fast one (which is compared with the plain one elsewhere). */
static cw_particles_view expected(const fixture *f, const cw_push_options *options,
                                  cw_vector_view E, cw_vector_view B) {
  cw_particles_view view = widened(f->context, f->grid.dim, f->start);
  if (options->order < 6)
    plain_ok(f->context, cw_push_reference(f->context, options, &f->grid, E, B, &view));
  else
    plain_ok(f->context, cw_push(f->context, options, &f->grid, E, B, NULL, &view));
  return view;
}

static int slot_unchanged(cw_particles_view found, cw_particles_view start, int64_t slot) {
  void **x[ARRAYS], **y[ARRAYS];
  size_t sizes[ARRAYS];
  list_arrays(&found, x, sizes);
  list_arrays(&start, y, sizes);
  for (int n = 0; n < ARRAYS; n++) {
    const size_t at = (size_t)slot * sizes[n];
    if (*x[n] && memcmp((char *)*x[n] + at, (char *)*y[n] + at, sizes[n]) != 0)
      return 0;
  }
  return 1;
}

/* Largest error of a living slot's momentum (of |u|, or 1 if that is smaller) and position (of a
 * cell); infinite where an offset leaves [0, 1) or the old position is not kept. */
static double slot_error(const fixture *f, cw_particles_view found, cw_particles_view want,
                         int64_t p) {
  double most = 0, size = 1;
  for (int a = 0; a < 3; a++)
    size = fmax(size, fabs(((double *)want.u[a])[p]));
  for (int a = 0; a < 3; a++) {
    const double error = cw_real_get(found.u[a], f->precision, p) - ((double *)want.u[a])[p];
    if (!(fabs(error) / size <= most))
      most = fabs(error) / size;
    if (a >= f->grid.dim)
      continue;
    const double dx = cw_real_get(found.dx[a], f->precision, p);
    const double moved = found.i[a][p] - want.i[a][p] + (dx - ((double *)want.dx[a])[p]);
    if (!(fabs(moved) <= most))
      most = fabs(moved);
    if (!(dx >= 0 && dx < 1) || found.i_prev[a][p] != f->start.i[a][p] ||
        cw_real_get(found.dx_prev[a], f->precision, p) !=
            cw_real_get(f->start.dx[a], f->precision, p))
      return INFINITY;
  }
  return most;
}

static void compare(const fixture *f, cw_particles_view found, cw_particles_view want,
                    const char *what) {
  /* u and fields are of order 1: some ten roundings, and those of order + 1 weights an axis. */
  const double tolerance = f->precision == CW_DOUBLE ? 1e-13 : 2e-6;
  double most = 0;
  int64_t worst = 0, changed = 0;
  for (int64_t p = 0; p < f->start.count; p++) {
    if (f->start.tag[p] == CW_TAG_DEAD) {
      changed += !slot_unchanged(found, f->start, p);
      continue;
    }
    const double error = slot_error(f, found, want, p);
    if (!(error <= most)) {
      most = error;
      worst = p;
    }
  }
  plain_check(most <= tolerance && changed == 0, "%s: error %.2e in slot %lld, %lld dead changed",
              what, most, (long long)worst, (long long)changed);
}

/* Pushes a fresh copy on the device and reads it back. */
static void push_copy(fixture *f, const cw_push_options *options, int with_cells,
                      const cw_push_tuning *tuning, int with_E, int with_B,
                      cw_particles_view *found) {
  const cw_vector_view none = {.precision = f->precision};
  const cw_vector_view E = with_E ? f->device_E : none, B = with_B ? f->device_B : none;
  const cw_cells_view *cells = with_cells ? &f->device_cells : NULL;
  transfer(f->context, f->start, &f->device);
  if (tuning) {
    cw_push_job job = cw_push_make_job(options, &f->grid, &E, &B, &f->device);
    plain_ok(f->context, cw_push_cuda(f->context, &job, cells, tuning));
  } else {
    plain_ok(f->context, cw_push(f->context, options, &f->grid, E, B, cells, &f->device));
  }
  plain_ok(f->context, cw_device_synchronize(f->context));
  transfer(f->context, f->device, found);
}

static void check_pusher(fixture *f, const cw_push_options *given, int tile, int with_E,
                         int with_B) {
  cw_push_options options = *given;
  const cw_vector_view none = {.precision = CW_DOUBLE};
  const int order = options.order > 0 ? options.order : 1;
  const int acts = (with_E || with_B) && options.pusher != CW_PUSHER_NONE &&
                   options.pusher != CW_PUSHER_MASSLESS;
  cw_particles_view want =
      expected(f, &options, with_E ? f->E : none, with_B ? f->B : none);
  cw_particles_view found =
      make_view(f->context, f->grid.dim, f->precision, CW_SPACE_HOST, f->start.count);
  cw_particles_view again =
      make_view(f->context, f->grid.dim, f->precision, CW_SPACE_HOST, f->start.count);
  for (int variant = 0; variant < 6; variant++) {
    const cw_push_tuning staged = {CW_PUSH_STAGING_ALWAYS, variant - 3, variant == 5 ? 64 : 0};
    const int tuned = variant > 2;
    if (tuned && (order > 3 || !acts || tile > 8))
      continue;
    char what[128];
    snprintf(what, sizeof what, "dim %d order %d %s %s tile %d E %d B %d variant %d", f->grid.dim,
             options.order, cw_precision_name(f->precision), cw_pusher_name(options.pusher), tile,
             with_E, with_B, variant);
    options.path = variant == 1 ? CW_PUSH_PATH_SCALAR : CW_PUSH_PATH_AUTO;
    push_copy(f, &options, variant != 2, tuned ? &staged : NULL, with_E, with_B, &found);
    compare(f, found, want, what);
    push_copy(f, &options, variant != 2, tuned ? &staged : NULL, with_E, with_B, &again);
    int64_t differ = 0;
    for (int64_t p = 0; p < f->start.count; p++)
      differ += !slot_unchanged(again, found, p);
    plain_check(differ == 0, "%s: %lld slots differ in a second run", what, (long long)differ);
  }
  free_view(f->context, &want);
  free_view(f->context, &found);
  free_view(f->context, &again);
}

/* ---- cases ---- */

static void every_order_dimension_precision_and_pusher(cw_context *context) {
  for (int dim = 1; dim <= 3; dim++)
    for (int order = 0; order <= CW_PUSH_MAX_ORDER; order++)
      for (int precision = 0; precision < 2; precision++) {
        fixture f = make(context, dim, order, (cw_precision)precision, 4);
        for (int pusher = CW_PUSHER_NONE; pusher <= CW_PUSHER_MASSLESS; pusher++) {
          const cw_push_options options = {
              .order = order, .pusher = (cw_pusher)pusher, .dt = f.dt, .force_scale = 0.4};
          check_pusher(&f, &options, 4, 1, 1);
        }
        clear(&f);
      }
}

static void every_tile_size(cw_context *context) {
  for (int dim = 1; dim <= 3; dim++)
    for (int tile = 4; tile <= 16; tile += 2)
      for (int order = 1; order <= 3; order++)
        for (int precision = 0; precision < 2; precision++) {
          fixture f = make(context, dim, order, (cw_precision)precision, tile);
          const cw_push_options options = {
              .order = order, .pusher = CW_PUSHER_BORIS, .dt = f.dt, .force_scale = -0.4};
          check_pusher(&f, &options, tile, 1, 1);
          clear(&f);
        }
}

static void one_field_or_none(cw_context *context) {
  for (int dim = 1; dim <= 3; dim++)
    for (int order = 1; order <= 4; order++)
      for (int given = 0; given < 3; given++) {
        fixture f = make(context, dim, order, CW_DOUBLE, 8);
        const cw_push_options options = {
            .order = order, .pusher = CW_PUSHER_VAY, .dt = f.dt, .force_scale = 0.4};
        check_pusher(&f, &options, 8, given == 1, given == 2);
        clear(&f);
      }
}

static void a_momentum_that_is_not_finite_is_named(cw_context *context) {
  for (int tuned = 0; tuned < 2; tuned++) {
    fixture f = make(context, 3, 2, CW_SINGLE, 8);
    const cw_push_options options = {
        .order = 2, .pusher = CW_PUSHER_BORIS, .dt = f.dt, .force_scale = 0.4};
    const int64_t slots[] = {703, 411, 900};
    for (int k = 0; k < 3; k++) {
      f.start.tag[slots[k]] = CW_TAG_ALIVE;
      cw_real_set(f.start.u[k], CW_SINGLE, slots[k], k ? NAN : INFINITY);
    }
    cw_real_set(f.start.u[0], CW_SINGLE, 17, NAN); /* dead: none of its business */
    transfer(context, f.start, &f.device);
    plain_ok(context, cw_push(context, &options, &f.grid, f.device_E, f.device_B,
                              tuned ? &f.device_cells : NULL, &f.device));
    plain_refused(context, cw_device_synchronize(context), CW_ERROR_NUMERIC, "slot 411 ");
    plain_refused(context, CW_ERROR_NUMERIC, CW_ERROR_NUMERIC, "momentum");
    plain_ok(context, cw_device_synchronize(context));
    clear(&f);
  }
}

static void a_particle_outside_the_block_is_named_and_reads_nothing(cw_context *context) {
  for (int with_cells = 0; with_cells < 2; with_cells++) {
    fixture f = make(context, 2, 2, CW_DOUBLE, 8);
    const cw_push_options options = {
        .order = 2, .pusher = CW_PUSHER_BORIS, .dt = f.dt, .force_scale = 0.4};
    static const int32_t far[] = {1000, -1000, INT32_MAX, INT32_MIN};
    for (int k = 0; k < 4; k++) {
      f.start.tag[500 + k] = CW_TAG_ALIVE;
      f.start.i[k % 2][500 + k] = far[k];
    }
    transfer(context, f.start, &f.device);
    plain_ok(context, cw_push(context, &options, &f.grid, f.device_E, f.device_B,
                              with_cells ? &f.device_cells : NULL, &f.device));
    plain_refused(context, cw_device_synchronize(context), CW_ERROR_NUMERIC, "slot 500 ");
    plain_refused(context, CW_ERROR_NUMERIC, CW_ERROR_NUMERIC, "outside");
    clear(&f);
  }
}

static void what_cannot_be_staged_is_refused(cw_context *context) {
  fixture f = make(context, 3, 3, CW_DOUBLE, 16);
  const cw_push_options options = {
      .order = 3, .pusher = CW_PUSHER_BORIS, .dt = f.dt, .force_scale = 0.4};
  const cw_push_tuning always = {CW_PUSH_STAGING_ALWAYS, 2, 0};
  cw_push_job job = cw_push_make_job(&options, &f.grid, &f.device_E, &f.device_B, &f.device);
  plain_refused(context, cw_push_cuda(context, &job, &f.device_cells, &always), CW_ERROR_ARGUMENT,
                "tile edges that fit: 4");
  plain_refused(context, cw_push_cuda(context, &job, NULL, &always), CW_ERROR_ARGUMENT, "sorted");
  job.order = 4;
  plain_refused(context, cw_push_cuda(context, &job, &f.device_cells, &always), CW_ERROR_ARGUMENT,
                "order is 4");
  clear(&f);
}

/* ---- rates ---- */

typedef struct rate_case {
  int dim, edge, each; /* each: particles a cell */
  cw_precision precision;
} rate_case;

static double next_random(uint64_t *state) { /* xorshift64, G. Marsaglia (2003) */
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (double)(*state >> 11) * 0x1p-53;
}

/* One particle around node `node` of the tile at `corner`, inside the tile. */
static void fill_slot(const fixture *f, int64_t p, const int *corner, const int *node, int tile,
                      uint64_t *state) {
  int still = 0;
  for (int a = 0; a < f->grid.dim; a++) {
    const double low = fmax(node[a] - 0.5, 0), high = fmin(node[a] + 0.5, tile - 1e-6);
    const double x = low + (high - low) * next_random(state);
    f->start.i[a][p] = corner[a] + (int32_t)x;
    cw_real_set(f->start.dx[a], f->precision, p, x - floor(x));
    still |= f->start.i[a][p] < 4 || f->start.i[a][p] >= f->grid.cells[a] - 4;
  }
  for (int a = 0; a < 3; a++) { /* thermal, T = 0.1; at rest near the edge of the box */
    const double sum = next_random(state) + next_random(state) + next_random(state) - 1.5;
    cw_real_set(f->start.u[a], f->precision, p, still ? 0 : 0.316 * 2 * sum);
  }
  f->start.tag[p] = CW_TAG_ALIVE;
}

/* Particles by tile, then by nearest node, as the sort leaves them. */
static void fill_sorted(fixture *f, const rate_case *rate, int tile, int64_t *offsets) {
  const int dim = rate->dim, across = rate->edge / tile;
  uint64_t state = 88172645463325252u;
  int64_t p = 0, tiles = 1;
  for (int a = 0; a < dim; a++)
    tiles *= across;
  for (int64_t t = 0; t < tiles; t++) {
    const int corner[3] = {(int)(t % across) * tile, (int)(t / across % across) * tile,
                           (int)(t / across / across) * tile};
    const int ny = dim > 1 ? tile : 0, nz = dim > 2 ? tile : 0;
    offsets[t] = p;
    for (int k = 0; k <= nz; k++)
      for (int j = 0; j <= ny; j++)
        for (int i = 0; i <= tile; i++) {
          const int node[3] = {i, j, k};
          int here = rate->each;
          for (int a = 0; a < dim; a++)
            here >>= node[a] == 0 || node[a] == tile;
          for (int n = 0; n < here; n++)
            fill_slot(f, p++, corner, node, tile, &state);
        }
  }
  offsets[tiles] = p;
  plain_check(p == f->start.count, "%lld of %lld", (long long)p, (long long)f->start.count);
}

static fixture make_rate(cw_context *context, const rate_case *rate, int tile) {
  fixture f = {.context = context, .precision = rate->precision};
  const int32_t cells[3] = {rate->edge, rate->edge, rate->edge};
  const double origin[3] = {0}, dx[3] = {1, 1, 1};
  int64_t count = rate->each, tiles = 1;
  plain_ok(context, cw_grid_init(context, &f.grid, rate->dim, cells, 4, origin, dx));
  for (int a = 0; a < rate->dim; a++) {
    count *= rate->edge;
    tiles *= rate->edge / tile;
  }
  f.start = make_view(context, rate->dim, rate->precision, CW_SPACE_HOST, count);
  f.device = make_view(context, rate->dim, rate->precision, CW_SPACE_DEVICE, count);
  void *offsets = NULL, *on_device = NULL;
  const size_t bytes = ((size_t)tiles + 1) * sizeof(int64_t);
  plain_ok(context, cw_memory_alloc(context, CW_SPACE_HOST, bytes, 1, "offsets", &offsets));
  plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, bytes, 1, "offsets", &on_device));
  fill_sorted(&f, rate, tile, offsets);
  plain_ok(context, cw_device_write(context, on_device, offsets, bytes));
  cw_memory_free(context, CW_SPACE_HOST, offsets);
  f.device_cells = (cw_cells_view){.dim = rate->dim,
                                   .tile = tile,
                                   .tiles = {1, 1, 1},
                                   .cells = {rate->edge, 1, 1},
                                   .total_tiles = tiles,
                                   .tile_offsets = on_device,
                                   .npart_partitioned = count};
  for (int a = 0; a < rate->dim; a++) {
    f.device_cells.tiles[a] = rate->edge / tile;
    f.device_cells.cells[a] = rate->edge;
  }
  make_fields(&f);
  return f;
}

/* Picoseconds a particle and push, over `pushes` of them. */
static double measure(fixture *f, const cw_push_options *options, const cw_push_tuning *tuning,
                      int pushes) {
  cw_device_event *begin, *end;
  double seconds = 0;
  cw_push_job job = cw_push_make_job(options, &f->grid, &f->device_E, &f->device_B, &f->device);
  plain_ok(f->context, cw_device_event_create(f->context, &begin));
  plain_ok(f->context, cw_device_event_create(f->context, &end));
  plain_ok(f->context, cw_device_event_record(f->context, begin));
  for (int k = 0; k < pushes; k++)
    plain_ok(f->context, cw_push_cuda(f->context, &job, &f->device_cells, tuning));
  plain_ok(f->context, cw_device_event_record(f->context, end));
  plain_ok(f->context, cw_device_event_seconds(f->context, begin, end, &seconds));
  plain_ok(f->context, cw_device_synchronize(f->context));
  cw_device_event_destroy(f->context, begin);
  cw_device_event_destroy(f->context, end);
  return seconds / pushes / (double)f->start.count * 1e12;
}

static void rates_of(cw_context *context, const rate_case *rate) {
  static const cw_push_tuning designs[] = {{CW_PUSH_STAGING_NEVER, 0, 0},
                                           {CW_PUSH_STAGING_ALWAYS, 0, 0},
                                           {CW_PUSH_STAGING_ALWAYS, 1, 0},
                                           {CW_PUSH_STAGING_ALWAYS, 1, 128},
                                           {CW_PUSH_STAGING_AUTO, 0, 0}};
  static const char *const names[] = {"caches", "staged, drift 0", "staged, drift 1",
                                      "staged, drift 1, team 128", "automatic"};
  fixture f = make_rate(context, rate, 8);
  printf("%dD %d cells an axis, %d a cell, %s, tile 8; ps a particle\n", rate->dim, rate->edge,
         rate->each, cw_precision_name(rate->precision));
  transfer(context, f.start, &f.device);
  for (int order = 1; order <= 4; order++) {
    /* a step so short that the order of the particles stays */
    cw_push_options options = {
        .order = order, .pusher = CW_PUSHER_BORIS, .dt = 1e-6, .force_scale = 1e-6};
    for (int d = 0; d < 5; d++) {
      if (order > 3 && designs[d].staging == CW_PUSH_STAGING_ALWAYS)
        continue;
      measure(&f, &options, &designs[d], 1);
      printf("  order %d  %-26s %7.1f\n", order, names[d],
             measure(&f, &options, &designs[d], order > 3 ? 2 : 5));
    }
  }
  for (int d = 0; d < 3; d++) {
    cw_push_options options = {.order = 2,
                               .pusher = CW_PUSHER_BORIS,
                               .dt = 0.5 / sqrt(rate->dim),
                               .force_scale = 1e-6};
    transfer(context, f.start, &f.device);
    printf("  order 2  %-26s %7.1f  mean of the 10 steps after a sort\n", names[d],
           measure(&f, &options, &designs[d], 10));
  }
  clear(&f);
}

static void rates(cw_context *context) {
  static const rate_case cases[] = {{3, 128, 16, CW_SINGLE}, {2, 1024, 64, CW_SINGLE},
                                    {3, 128, 8, CW_SINGLE},  {3, 64, 16, CW_DOUBLE},
                                    {2, 512, 64, CW_DOUBLE}};
  const char *wanted = getenv("CELLWISE_TIME");
  if (!wanted || strcmp(wanted, "1") != 0) {
    printf("rates: only with CELLWISE_TIME=1\n");
    return;
  }
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    rates_of(context, &cases[k]);
}

int main(void) {
  static const plain_case cases[] = {
      PLAIN_CASE(every_order_dimension_precision_and_pusher),
      PLAIN_CASE(every_tile_size),
      PLAIN_CASE(one_field_or_none),
      PLAIN_CASE(a_momentum_that_is_not_finite_is_named),
      PLAIN_CASE(a_particle_outside_the_block_is_named_and_reads_nothing),
      PLAIN_CASE(what_cannot_be_staged_is_refused),
      PLAIN_CASE(rates)};
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
