/* Particles on host and device for the tests of the device's deposit: sorted some steps ago, with a
 * tail and dead slots, or never sorted. */
#ifndef TESTS_DEVICE_DEPOSIT_CASE_H
#define TESTS_DEVICE_DEPOSIT_CASE_H

#include <stdlib.h>

#include <cellwise/cellwise.h>

#include "base/context_private.h"
#include "base/device.h"
#include "base/reals.h"
#include "plain_check.h"

enum { CELLS_1D = 90, CELLS_2D = 22, CELLS_3D = 11 };

typedef struct fixture {
  cw_context *context;
  cw_grid grid;
  cw_precision precision;
  double dt;
  cw_particles *particles;
  cw_cells *cells;
  cw_particles_view host, device;
  cw_cells_view host_cells, device_cells;
  void *J[3]; /* host, double: the plain sum */
  void *device_J[3];
  double largest;
} fixture;

static inline void *to_device(cw_context *context, const void *source, size_t bytes) {
  void *made = NULL;
  plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, bytes ? bytes : 1, 1, "copy", &made));
  if (made && bytes)
    plain_ok(context, cw_device_write(context, made, source, bytes));
  return made;
}

/* Moves every particle by up to `move` cells along each axis, by its id. */
static inline void move_all(const cw_particles_view *view, int dim, double move, uint32_t step) {
  for (int64_t p = 0; p < view->count; p++)
    for (int a = 0; a < dim; a++) {
      double r[2];
      cw_random_uniform(7, (uint32_t)a, view->id[p], step, r);
      double before = cw_real_get(view->dx[a], view->precision, p);
      double now = before + move * (2 * r[0] - 1), whole = floor(now);
      view->i_prev[a][p] = view->i[a][p];
      cw_real_set(view->dx_prev[a], view->precision, p, before);
      double offset = now - whole;
      view->i[a][p] += (int32_t)whole;
      cw_real_set(view->dx[a], view->precision, p, offset < 1 - 1e-6 ? offset : 1 - 1e-6);
    }
}

/* Keeps particles that left the box out of the sum. */
static inline void kill_outside(const cw_particles_view *view, const cw_grid *grid) {
  for (int64_t p = 0; p < view->count; p++)
    for (int a = 0; a < grid->dim; a++)
      if (view->i[a][p] < 0 || view->i[a][p] >= grid->cells[a])
        view->tag[p] = CW_TAG_DEAD;
}

static inline void copy_to_device(fixture *f) {
  cw_context *context = f->context;
  const size_t count = (size_t)f->host.count, real = (size_t)cw_precision_size(f->precision);
  f->device = f->host;
  f->device.space = CW_SPACE_DEVICE;
  for (int a = 0; a < 3; a++) {
    if (a < f->grid.dim) {
      f->device.i[a] = to_device(context, f->host.i[a], count * 4);
      f->device.i_prev[a] = to_device(context, f->host.i_prev[a], count * 4);
      f->device.dx[a] = to_device(context, f->host.dx[a], count * real);
      f->device.dx_prev[a] = to_device(context, f->host.dx_prev[a], count * real);
    }
    f->device.u[a] = to_device(context, f->host.u[a], count * real);
  }
  f->device.weight = to_device(context, f->host.weight, count * real);
  f->device.tag = to_device(context, f->host.tag, count);
  f->device.id = to_device(context, f->host.id, count * 8);
  f->device_cells = f->host_cells;
  if (f->host_cells.total_tiles > 0)
    f->device_cells.tile_offsets =
        to_device(context, f->host_cells.tile_offsets,
                  ((size_t)f->host_cells.total_tiles + 1) * sizeof(int64_t));
}

/* Particles sorted `steps` steps ago, with a tail and dead slots; steps = 0: never sorted. */
static inline fixture make(cw_context *context, int dim, int order, cw_precision precision,
                           int tile, int steps) {
  fixture f = {.context = context, .precision = precision};
  const int32_t edge = dim == 1 ? CELLS_1D : dim == 2 ? CELLS_2D : CELLS_3D;
  const int32_t cells[3] = {edge, edge + 3, edge - 2};
  const double origin[3] = {0}, dx[3] = {1, 1, 1}, move = 0.95 / sqrt(dim);
  f.dt = move;
  plain_ok(context,
           cw_grid_init(context, &f.grid, dim, cells, cw_grid_ghost_cells(order, 1), origin, dx));
  cw_particles_options options = {.dim = dim, .precision = precision, .with_weights = 1};
  int64_t count = 6;
  for (int a = 0; a < dim; a++)
    count *= f.grid.cells[a];
  plain_ok(context, cw_particles_create(context, &options, count, &f.particles));
  plain_ok(context, cw_particles_resize(f.particles, count));
  f.host = cw_particles_get_view(f.particles);
  for (int64_t p = 0; p < count; p++) {
    double r[8];
    for (uint32_t k = 0; k < 4; k++)
      cw_random_uniform(5, 0, (uint64_t)p, k, &r[2 * k]);
    for (int a = 0; a < dim; a++) {
      f.host.i[a][p] = (int32_t)(r[a] * f.grid.cells[a]);
      cw_real_set(f.host.dx[a], precision, p, (1 - 1e-6) * fmod(r[a] * f.grid.cells[a], 1.0));
    }
    for (int a = 0; a < 3; a++)
      cw_real_set(f.host.u[a], precision, p, r[3 + a] - 0.5);
    cw_real_set(f.host.weight, precision, p, 0.5 + r[6]);
    f.host.tag[p] = r[7] < 0.1 ? CW_TAG_DEAD : CW_TAG_ALIVE;
    f.host.id[p] = (uint64_t)p;
  }
  if (steps > 0) {
    cw_cells_options cell_options = {.dim = dim,
                                     .tile = tile,
                                     .key = CW_KEY_CURRENT,
                                     .depth = order % 2 ? CW_DEPTH_CELL : CW_DEPTH_NODE};
    memcpy(cell_options.cells, f.grid.cells, sizeof cell_options.cells);
    plain_ok(context, cw_cells_create(context, &cell_options, &f.cells));
    /* the last tenth is appended after the sort */
    plain_ok(context, cw_particles_resize(f.particles, count - count / 10));
    plain_ok(context, cw_cells_sort(f.cells, f.particles));
    const int64_t sorted = cw_particles_count(f.particles);
    plain_ok(context, cw_particles_resize(f.particles, sorted + count / 20));
    f.host = cw_particles_get_view(f.particles);
    for (int64_t p = sorted; p < f.host.count; p++) {
      for (int a = 0; a < dim; a++) {
        f.host.i[a][p] = f.host.i[a][p - sorted];
        cw_real_set(f.host.dx[a], precision, p, 0.25);
      }
      cw_real_set(f.host.weight, precision, p, 1.5);
      f.host.tag[p] = CW_TAG_ALIVE;
      f.host.id[p] = (uint64_t)(1000000 + p);
    }
    for (int64_t p = 0; p < f.host.count; p += 17)
      f.host.tag[p] = CW_TAG_DEAD;
    f.host_cells = cw_cells_get_view(f.cells);
  }
  for (int s = 0; s < (steps ? steps : 1); s++) {
    if (s > 0)
      kill_outside(&f.host, &f.grid);
    move_all(&f.host, dim, move, (uint32_t)s);
  }
  copy_to_device(&f);
  const size_t points = (size_t)f.grid.points;
  for (int c = 0; c < 3; c++) {
    plain_ok(context, cw_memory_alloc(context, CW_SPACE_HOST, points, 8, "J", &f.J[c]));
    plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, points, 8, "J", &f.device_J[c]));
  }
  return f;
}

static inline void clear(fixture *f) {
  cw_context *context = f->context;
  void *const device[] = {
      f->device.i[0],
      f->device.i[1],
      f->device.i[2],
      f->device.i_prev[0],
      f->device.i_prev[1],
      f->device.i_prev[2],
      f->device.dx[0],
      f->device.dx[1],
      f->device.dx[2],
      f->device.dx_prev[0],
      f->device.dx_prev[1],
      f->device.dx_prev[2],
      f->device.u[0],
      f->device.u[1],
      f->device.u[2],
      f->device.weight,
      f->device.tag,
      f->device.id,
      f->device_J[0],
      f->device_J[1],
      f->device_J[2],
      f->host_cells.total_tiles ? (void *)(uintptr_t)f->device_cells.tile_offsets : NULL};
  for (size_t k = 0; k < sizeof device / sizeof *device; k++)
    cw_memory_free(context, CW_SPACE_DEVICE, device[k]);
  for (int c = 0; c < 3; c++)
    cw_memory_free(context, CW_SPACE_HOST, f->J[c]);
  cw_cells_destroy(f->cells);
  cw_particles_destroy(f->particles);
}

/* J on the device by these options, read back as doubles into `out` [3][points]. */
static inline void deposit(fixture *f, const cw_deposit_options *options, double *out,
                           cw_deposit_report *report) {
  const size_t points = (size_t)f->grid.points, real = (size_t)cw_precision_size(f->precision);
  cw_vector_view J = {f->precision, {f->device_J[0], f->device_J[1], f->device_J[2]}};
  char *raw = malloc(points * 8);
  for (int c = 0; c < 3; c++)
    plain_ok(f->context, cw_device_zero(f->context, J.component[c], points * 8));
  plain_ok(f->context, cw_deposit_current(f->context, options, &f->grid, &f->device,
                                          &f->device_cells, J, report));
  for (int c = 0; c < 3; c++) {
    plain_ok(f->context, cw_device_read(f->context, raw, J.component[c], points * real));
    for (size_t k = 0; k < points; k++)
      out[(size_t)c * points + k] = cw_real_get(raw, f->precision, (int64_t)k);
  }
  free(raw);
}

/* Of the three components. */
static inline double largest_of(const fixture *f, const double *J) {
  double largest = 0;
  for (int64_t k = 0; k < 3 * f->grid.points; k++)
    largest = cw_larger(largest, fabs(J[k]));
  return largest;
}

static inline double difference(const fixture *f, const double *a, const double *b) {
  double most = 0;
  for (int64_t k = 0; k < 3 * f->grid.points; k++)
    most = cw_larger(most, fabs(a[k] - b[k]));
  return most / largest_of(f, b);
}

#endif
