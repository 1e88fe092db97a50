/* Particles, fields and a cell table on host and device, for the tests and rates of the push. */
#ifndef TESTS_DEVICE_PUSH_CASE_H
#define TESTS_DEVICE_PUSH_CASE_H

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
      plain_ok(context,
               cw_memory_alloc(context, space, (size_t)count, sizes[n], "copy", arrays[n]));
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

/* Some particles leave their tile after the sort, by up to two cells: escapes. They stand at most
 * `beyond` cells outside the block. */
static void scatter(const fixture *f, int beyond) {
  for (int64_t p = 0; p < f->start.count; p += 3)
    for (int a = 0; a < f->grid.dim; a++) {
      double r[2];
      cw_random_uniform(6, (uint32_t)a, (uint64_t)p, 0, r);
      int32_t *cell = &f->start.i[a][p];
      const int32_t to = *cell + (int32_t)(5 * r[0]) - 2;
      if (f->start.tag[p] != CW_TAG_DEAD && to >= -beyond && to < f->grid.cells[a] + beyond)
        *cell = to;
    }
}

/* Sorts nine tenths of the particles; the others are that sort's tail. */
static void sort_most(fixture *f, int order, int tile, int beyond) {
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
  scatter(f, beyond);
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

/* narrow: no more ghost cells than the gather of particles in the block reads. */
static fixture make(cw_context *context, int dim, int order, cw_precision precision, int tile,
                    int narrow) {
  fixture f = {.context = context, .precision = precision, .dt = 0.95 / sqrt(dim)};
  const int32_t edge = dim == 1 ? CELLS_1D : dim == 2 ? CELLS_2D : CELLS_3D;
  const int32_t cells[3] = {edge, edge + 3, edge - 2};
  const double origin[3] = {0}, dx[3] = {1, 1, 1};
  const int32_t ghost = narrow ? order / 2 + 1 : cw_grid_ghost_cells(order, 1) + 1;
  plain_ok(context, cw_grid_init(context, &f.grid, dim, cells, ghost, origin, dx));
  f.start = make_view(context, dim, precision, CW_SPACE_HOST, 1500);
  for (int64_t p = 0; p < f.start.count; p++)
    place(&f, p);
  sort_most(&f, order, tile, !narrow);
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

#endif
