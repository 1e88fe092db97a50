/* Particles, a cell table and J for the tests of the deposit: made by hand, so that the tests hold
 * whatever the sort does. Everything is seeded by particle number. */
#ifndef CW_TESTS_DEPOSIT_CASE_H
#define CW_TESTS_DEPOSIT_CASE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include <cellwise/cellwise.h>

#include "base/reals.h"

typedef struct deposit_setup {
  int dim, order;
  cw_precision precision;
  int32_t cells[3];
  int ppc;
  int32_t tile;
  double max_move;  /* largest move along an axis in a step, cells */
  int steps;        /* steps since the sort, the deposited one included; 0: never sorted */
  int64_t tail;     /* particles appended since */
  int dead_one_in;  /* every such slot is dead; 0: none */
  int even_weights; /* 1: no weight array */
  uint32_t seed;
} deposit_setup;

typedef struct deposit_case {
  deposit_setup setup;
  cw_grid grid;
  double dt, charge;
  int64_t live;
  cw_particles_view view;
  int64_t *offsets;
  cw_cells_view cells;
} deposit_case;

static inline cw_context *deposit_context(int threads, cw_isa isa) {
  const cw_context_options options = {.threads = threads, .isa = isa, .backend = CW_BACKEND_CPU};
  cw_context *context = NULL;
  char message[256] = "";
  cw_status status = cw_context_create(&options, &context, message, (int)sizeof message);
  ck_assert_msg(status == CW_OK, "%s", message);
  return context;
}

static inline void deposit_ok(cw_context *context, cw_status status) {
  ck_assert_msg(status == CW_OK, "%s: %s", cw_status_name(status), cw_context_message(context));
}

/* The largest move along an axis at CFL 0.95: 0.95, 0.67, 0.55 cells in 1, 2, 3 dimensions. */
static inline double deposit_max_move(int dim) {
  return 0.95 / sqrt(dim);
}

static inline double deposit_real(const void *array, cw_precision precision, int64_t n) {
  return precision == CW_DOUBLE ? ((const double *)array)[n] : ((const float *)array)[n];
}

static inline void deposit_set(void *array, cw_precision precision, int64_t n, double value) {
  if (precision == CW_DOUBLE)
    ((double *)array)[n] = value;
  else
    ((float *)array)[n] = (float)value;
}

/* Splits a position into cell and offset in [0, 1), in the particles' precision. */
static inline void deposit_place(const deposit_case *c, int32_t *i, void *dx, int64_t n, double x) {
  const double low = floor(x);
  i[n] = (int32_t)low;
  deposit_set(dx, c->setup.precision, n, x - low);
  if (deposit_real(dx, c->setup.precision, n) >= 1) {
    i[n]++;
    deposit_set(dx, c->setup.precision, n, 0);
  }
}

static inline double deposit_move(const deposit_case *c, int64_t id, int step, int axis) {
  double uniform[2];
  cw_random_uniform(c->setup.seed, (uint32_t)(10 + axis), (uint64_t)id, (uint32_t)step, uniform);
  return (2 * uniform[0] - 1) * c->setup.max_move;
}

/* One step: prev takes the position; moves that would leave the block are turned round, but for
 * the last step's. */
static inline void deposit_step(deposit_case *c, int64_t first, int64_t last, int step, int final) {
  for (int a = 0; a < c->setup.dim; a++)
    for (int64_t n = first; n < last; n++) {
      const double from = c->view.i[a][n] + deposit_real(c->view.dx[a], c->setup.precision, n);
      double move = deposit_move(c, (int64_t)c->view.id[n], step, a);
      const double to = from + move;
      if (!final && (to < 0 || to >= c->grid.cells[a]))
        move = -move;
      c->view.i_prev[a][n] = c->view.i[a][n];
      deposit_set(c->view.dx_prev[a], c->setup.precision, n,
                  deposit_real(c->view.dx[a], c->setup.precision, n));
      deposit_place(c, c->view.i[a], c->view.dx[a], n, from + move);
    }
}

/* Tile, then nearest node of the position (cell for odd orders): one number that sorts by both. */
static inline int64_t deposit_key(const deposit_case *c, int64_t n, int64_t *tile) {
  int64_t key = 0, stride = 1, tile_stride = 1;
  *tile = 0;
  for (int a = 0; a < c->setup.dim; a++) {
    const int32_t i = c->view.i[a][n];
    const int32_t at = i < 0 ? 0 : i >= c->grid.cells[a] ? c->grid.cells[a] - 1 : i;
    *tile += at / c->setup.tile * tile_stride;
    tile_stride *= c->cells.tiles[a];
    const int upper =
        c->setup.order % 2 == 0 && deposit_real(c->view.dx[a], c->setup.precision, n) >= 0.5;
    key += (at % c->setup.tile + upper) * stride;
    stride *= c->setup.tile + 1;
  }
  return *tile * stride + key;
}

typedef struct deposit_keyed {
  int64_t key, tile, slot;
} deposit_keyed;

static inline int deposit_compare(const void *a, const void *b) {
  const deposit_keyed *x = a, *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->slot < y->slot ? -1 : 1;
}

static inline void deposit_permute(void *array, size_t size, const deposit_keyed *order,
                                   int64_t count) {
  if (!array)
    return;
  char *copy = malloc((size_t)count * size);
  memcpy(copy, array, (size_t)count * size);
  for (int64_t n = 0; n < count; n++)
    memcpy((char *)array + (size_t)n * size, copy + (size_t)order[n].slot * size, size);
  free(copy);
}

static inline void deposit_reorder(deposit_case *c, const deposit_keyed *order, int64_t count) {
  const size_t real = (size_t)cw_precision_size(c->setup.precision);
  for (int a = 0; a < 3; a++) {
    deposit_permute(c->view.i[a], sizeof(int32_t), order, count);
    deposit_permute(c->view.i_prev[a], sizeof(int32_t), order, count);
    deposit_permute(c->view.dx[a], real, order, count);
    deposit_permute(c->view.dx_prev[a], real, order, count);
    deposit_permute(c->view.u[a], real, order, count);
  }
  deposit_permute(c->view.weight, real, order, count);
  deposit_permute(c->view.id, sizeof(uint64_t), order, count);
  deposit_permute(c->view.tag, sizeof(uint8_t), order, count);
}

static inline void deposit_sort(deposit_case *c, int64_t count) {
  deposit_keyed *order = malloc((size_t)(count + 1) * sizeof *order);
  memset(c->offsets, 0, (size_t)(c->cells.total_tiles + 1) * sizeof *c->offsets);
  for (int64_t n = 0; n < count; n++) {
    order[n].slot = n;
    order[n].key = deposit_key(c, n, &order[n].tile);
    c->offsets[order[n].tile + 1]++;
  }
  for (int64_t t = 0; t < c->cells.total_tiles; t++)
    c->offsets[t + 1] += c->offsets[t];
  qsort(order, (size_t)count, sizeof *order, deposit_compare);
  deposit_reorder(c, order, count);
  c->cells.npart_partitioned = count;
  free(order);
}

static inline void deposit_tiles(deposit_case *c) {
  c->cells = (cw_cells_view){.dim = c->setup.dim, .tile = c->setup.tile, .total_tiles = 1};
  for (int a = 0; a < 3; a++) {
    c->cells.cells[a] = c->grid.cells[a];
    c->cells.tiles[a] =
        a < c->setup.dim ? (c->grid.cells[a] + c->setup.tile - 1) / c->setup.tile : 1;
    c->cells.total_tiles *= c->cells.tiles[a];
  }
  c->offsets = calloc((size_t)c->cells.total_tiles + 1, sizeof *c->offsets);
  c->cells.tile_offsets = c->offsets;
}

static inline void deposit_fill(deposit_case *c, int64_t n) {
  const deposit_setup *s = &c->setup;
  double uniform[2], normal[2];
  for (int a = 0; a < s->dim; a++) {
    cw_random_uniform(s->seed, (uint32_t)a, (uint64_t)n, 0, uniform);
    deposit_place(c, c->view.i[a], c->view.dx[a], n, uniform[0] * c->grid.cells[a]);
    if (c->view.i[a][n] >= c->grid.cells[a])
      deposit_place(c, c->view.i[a], c->view.dx[a], n, 0);
  }
  for (int k = 0; k < 3; k++) {
    cw_random_normal(s->seed, (uint32_t)(4 + k), (uint64_t)n, 0, normal);
    deposit_set(c->view.u[k], s->precision, n, normal[0]);
  }
  cw_random_uniform(s->seed, 8, (uint64_t)n, 0, uniform);
  if (c->view.weight)
    deposit_set(c->view.weight, s->precision, n, 0.5 + uniform[0]);
  c->view.id[n] = (uint64_t)n;
}

static inline void deposit_case_init(deposit_case *c, const deposit_setup *setup) {
  const double origin[3] = {0, 0, 0}, dx[3] = {0.5, 0.75, 1.25};
  memset(c, 0, sizeof *c);
  c->setup = *setup;
  c->dt = 0.4;
  c->charge = -1.5;
  const int32_t ghost = cw_grid_ghost_cells(setup->order, setup->max_move);
  ck_assert_int_eq(cw_grid_init(NULL, &c->grid, setup->dim, setup->cells, ghost, origin, dx),
                   CW_OK);
  int64_t sorted = setup->ppc;
  for (int a = 0; a < setup->dim; a++)
    sorted *= setup->cells[a];
  const int64_t count = sorted + setup->tail;
  const size_t real = (size_t)cw_precision_size(setup->precision), slots = (size_t)count + 1;
  c->view = (cw_particles_view){.count = count, .precision = setup->precision};
  for (int a = 0; a < 3; a++) {
    c->view.u[a] = calloc(slots, real);
    if (a >= setup->dim)
      continue;
    c->view.i[a] = calloc(slots, sizeof(int32_t));
    c->view.i_prev[a] = calloc(slots, sizeof(int32_t));
    c->view.dx[a] = calloc(slots, real);
    c->view.dx_prev[a] = calloc(slots, real);
  }
  if (!setup->even_weights)
    c->view.weight = calloc(slots, real);
  c->view.id = calloc(slots, sizeof(uint64_t));
  c->view.tag = calloc(slots, 1);
  memset(c->view.tag, CW_TAG_ALIVE, slots);
  for (int64_t n = 0; n < count; n++)
    deposit_fill(c, n);
  deposit_tiles(c);
  if (setup->steps)
    deposit_sort(c, sorted);
  else
    c->cells.total_tiles = 0;
  for (int step = 1; step < setup->steps; step++)
    deposit_step(c, 0, sorted, step, 0);
  deposit_step(c, 0, count, setup->steps + 1, 1);
  c->live = count;
  for (int64_t n = 0; setup->dead_one_in && n < count; n += setup->dead_one_in) {
    c->view.tag[n] = CW_TAG_DEAD;
    c->live--;
  }
}

static inline void deposit_case_clear(deposit_case *c) {
  for (int a = 0; a < 3; a++) {
    free(c->view.u[a]);
    free(c->view.i[a]);
    free(c->view.i_prev[a]);
    free(c->view.dx[a]);
    free(c->view.dx_prev[a]);
  }
  free(c->view.weight);
  free(c->view.id);
  free(c->view.tag);
  free(c->offsets);
}

static inline cw_deposit_options deposit_options(const deposit_case *c, cw_deposit_method method,
                                                 cw_deposit_path path, int drift) {
  return (cw_deposit_options){.order = c->setup.order,
                              .method = method,
                              .path = path,
                              .drift = drift,
                              .charge = c->charge,
                              .dt = c->dt};
}

/* Three zeroed components over the case's grid, each in its own block, so that the address
 * sanitizer sees a value written off the storage. */
static inline cw_vector_view deposit_vector(const deposit_case *c, cw_precision precision) {
  cw_vector_view J = {.precision = precision};
  for (int k = 0; k < 3; k++)
    J.component[k] = calloc((size_t)c->grid.points, (size_t)cw_precision_size(precision));
  return J;
}

static inline void deposit_vector_clear(cw_vector_view *J) {
  for (int k = 0; k < 3; k++)
    free(J->component[k]);
}

static inline cw_vector_view deposit_run(cw_context *context, const deposit_case *c,
                                         const cw_deposit_options *options,
                                         cw_deposit_report *report) {
  cw_vector_view J = deposit_vector(c, c->setup.precision);
  deposit_ok(context,
             cw_deposit_current(context, options, &c->grid, &c->view, &c->cells, J, report));
  return J;
}

static inline cw_vector_view deposit_reference(cw_context *context, const deposit_case *c) {
  const cw_deposit_options options = deposit_options(c, CW_DEPOSIT_FLAT, 0, 0);
  cw_vector_view J = deposit_vector(c, CW_DOUBLE);
  deposit_ok(context, cw_deposit_current_reference(context, &options, &c->grid, &c->view, J));
  return J;
}

/* Largest |x - y| over the largest |y|, of all components; NaN if anything is not finite. */
static inline double deposit_difference(const deposit_case *c, cw_vector_view x, cw_vector_view y) {
  double largest = 0, difference = 0, bad = 0;
  for (int k = 0; k < 3; k++)
    for (int64_t n = 0; n < c->grid.points; n++) {
      const double a = deposit_real(x.component[k], x.precision, n);
      const double b = deposit_real(y.component[k], y.precision, n);
      bad += 0 * (a - b);
      largest = cw_larger(largest, fabs(b));
      difference = cw_larger(difference, fabs(a - b));
    }
  return difference / largest + bad;
}

static inline int deposit_same_bits(const deposit_case *c, cw_vector_view x, cw_vector_view y) {
  const size_t size = (size_t)c->grid.points * (size_t)cw_precision_size(x.precision);
  int same = 1;
  for (int k = 0; k < 3; k++)
    same &= memcmp(x.component[k], y.component[k], size) == 0;
  return same;
}

/* Largest |d rho/dt + div J| of any cell over the largest |d rho/dt|; beyond the storage J is 0. */
static inline double deposit_continuity(cw_context *context, const deposit_case *c,
                                        cw_vector_view J) {
  const cw_deposit_options options = deposit_options(c, CW_DEPOSIT_FLAT, 0, 0);
  const size_t points = (size_t)c->grid.points;
  double *before = calloc(points, sizeof *before), *after = calloc(points, sizeof *after);
  deposit_ok(context, cw_deposit_charge(context, &options, &c->grid, &c->view, 1, before));
  deposit_ok(context, cw_deposit_charge(context, &options, &c->grid, &c->view, 0, after));
  double largest = 0, violation = 0, bad = 0;
  for (int64_t n = 0; n < c->grid.points; n++) {
    const double change = (after[n] - before[n]) / c->dt;
    double sum = change;
    for (int a = 0; a < c->grid.dim; a++) {
      const int at_low = n / c->grid.stride[a] % c->grid.size[a] == 0;
      const double upper = deposit_real(J.component[a], J.precision, n);
      const double lower =
          at_low ? 0 : deposit_real(J.component[a], J.precision, n - c->grid.stride[a]);
      sum += (upper - lower) / c->grid.dx[a];
    }
    bad += 0 * sum;
    largest = cw_larger(largest, fabs(change));
    violation = cw_larger(violation, fabs(sum));
  }
  free(before);
  free(after);
  return violation / largest + bad;
}

#endif
