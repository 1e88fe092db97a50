/* Where an injector's particles of a step come from: behind a moving plane, behind a side, in a region
 * that lacks some. */
#include <math.h>
#include <string.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "setup/inject_private.h"
#include "setup/loaders.h"
#include "setup/place_body.h"

/* Particles of one piece have random numbers of their own up to this. */
enum { PIECE_BITS = 13 };

static cw_status add_piece(cw_inject_pieces *all, const cw_inject_piece *made) {
  if (all->count == all->room) {
    cw_inject_piece *grown = NULL;
    const int64_t room = cw_max_i64(64, 2 * all->room);
    CW_TRY(CW_NEW(all->injectors->context, room, "pieces of an injection", &grown));
    if (all->count)
      memcpy(grown, all->piece, (size_t)all->count * sizeof *grown);
    CW_DELETE(all->injectors->context, all->piece);
    all->piece = grown;
    all->room = room;
  }
  all->piece[all->count] = *made;
  all->piece[all->count].slot = 0;
  all->count++;
  return CW_OK;
}

static uint64_t key_of(const cw_inject_pieces *all, const int32_t index[3]) {
  const cw_grid *grid = all->target->grid;
  const uint64_t cells =
      (uint64_t)grid->cells[0] * (uint64_t)grid->cells[1] * (uint64_t)grid->cells[2];
  uint64_t cell = 0;
  for (int a = 2; a >= 0; a--)
    cell = cell * (uint64_t)grid->cells[a] +
           (uint64_t)cw_max_i64(0, cw_min_i64(index[a], grid->cells[a] - 1));
  return ((uint64_t)all->target->step * cells + cell) << PIECE_BITS;
}

/* Fills in what follows from a piece's place: its plasma at its centre, how many, its key. */
static void finish_piece(const cw_inject_pieces *all, cw_inject_piece *made) {
  const cw_grid *grid = all->target->grid;
  const int weighted = all->injectors->deck->particles.use_weights;
  double volume = 1;
  for (int a = 0; a < grid->dim; a++)
    volume *= made->to[a] - made->from[a];
  const double density = made->plasma.density;
  made->expected = all->injectors->deck->particles.ppc0 * volume *
                   (!weighted ? density : density >= CW_LOADER_MIN_WEIGHT);
  made->key = key_of(all, made->index);
}

/* Cell n of a region. */
static void region_index(const cw_inject_region *of, int64_t n, int32_t index[3]) {
  for (int a = 0; a < 3; a++) {
    const int32_t cells = of->end[a] - of->first[a];
    index[a] = of->first[a] + (int32_t)(n % cells);
    n /= cells;
  }
}

/* The cells of the grid's first layer across an axis: one a column. */
static cw_inject_region columns_of(const cw_grid *grid, int axis) {
  cw_inject_region made = {.cells = 1};
  for (int a = 0; a < 3; a++) {
    made.end[a] = a == axis ? 1 : grid->cells[a];
    made.cells *= made.end[a];
  }
  return made;
}

static void whole_cell(cw_inject_piece *made) {
  for (int a = 0; a < 3; a++)
    made->from[a] = 0, made->to[a] = 1;
}

static cw_status plasma_at(const cw_inject_pieces *all, cw_inject_piece *made, double along) {
  const cw_grid *grid = all->target->grid;
  double x[3];
  for (int a = 0; a < 3; a++)
    x[a] = cw_place(grid, a, made->index[a], 0.5);
  if (all->injector->kind != CW_INJECTOR_REPLENISH)
    x[all->injector->axis] = along;
  return cw_injector_plasma(all->injectors, all->injector, x, all->target->t, &made->plasma);
}

/* The cells that a slab [from, to] of a column touches; coordinates along the axis. */
static cw_status add_slab(cw_inject_pieces *all, cw_inject_piece *made, double from, double to) {
  const cw_grid *grid = all->target->grid;
  const int axis = all->injector->axis;
  const double low = fmax(0, (from - grid->origin[axis]) / grid->dx[axis]);
  const double high = fmin(grid->cells[axis], (to - grid->origin[axis]) / grid->dx[axis]);
  for (int32_t i = (int32_t)floor(low); i < high && i < grid->cells[axis]; i++) {
    made->index[axis] = i;
    made->from[axis] = fmax(low - i, 0);
    made->to[axis] = fmin(high - i, 1);
    if (!(made->to[axis] > made->from[axis]))
      continue;
    finish_piece(all, made);
    CW_TRY(add_piece(all, made));
  }
  return CW_OK;
}

static cw_status moving_pieces(cw_inject_pieces *all) {
  const cw_grid *grid = all->target->grid;
  const cw_injector *injector = all->injector;
  const double *box = all->injectors->deck->grid.extent[injector->axis];
  const double edge[2] = {grid->origin[injector->axis],
                          grid->origin[injector->axis] + (box[1] - box[0])};
  const double t = all->target->t, dt = all->target->dt;
  const double before = cw_injector_plane(injector, edge, t - dt);
  const double now = cw_injector_plane(injector, edge, t);
  const cw_inject_region columns = columns_of(grid, injector->axis);
  if (t <= injector->start) /* the initial state reaches up to the plane */
    return CW_OK;
  for (int64_t n = 0; n < columns.cells; n++) {
    cw_inject_piece made = {.plane = all->outward * (now - before) / dt};
    region_index(&columns, n, made.index);
    whole_cell(&made);
    CW_TRY(plasma_at(all, &made, now));
    const double left = before + made.plasma.velocity[injector->axis] * dt;
    CW_TRY(injector->upper ? add_slab(all, &made, left, now) : add_slab(all, &made, now, left));
  }
  return CW_OK;
}

/* Behind the side, as deep as light goes in a step. */
static cw_status reservoir_pieces(cw_inject_pieces *all) {
  const cw_grid *grid = all->target->grid;
  const int axis = all->injector->axis, upper = all->injector->upper;
  const double depth = all->target->dt / grid->dx[axis];
  const cw_inject_region columns = columns_of(grid, axis);
  for (int64_t n = 0; n < columns.cells; n++) {
    cw_inject_piece made = {0};
    region_index(&columns, n, made.index);
    made.index[axis] = upper ? grid->cells[axis] : -1;
    whole_cell(&made);
    made.from[axis] = upper ? 0 : 1 - depth;
    made.to[axis] = upper ? depth : 1;
    CW_TRY(plasma_at(all, &made,
                     grid->origin[axis] + (upper ? grid->cells[axis] : 0) * grid->dx[axis]));
    finish_piece(all, &made);
    CW_TRY(add_piece(all, &made));
  }
  return CW_OK;
}

/* First cell and end of the region along an axis. A cell is in it if its centre is. */
static void region_range(const cw_inject_pieces *all, int axis, int32_t *first, int32_t *end) {
  const cw_grid *grid = all->target->grid;
  *first = 0, *end = 1;
  if (axis >= grid->dim)
    return;
  const double low = (all->injector->lower[axis] - grid->origin[axis]) / grid->dx[axis];
  const double high = (all->injector->upper_at[axis] - grid->origin[axis]) / grid->dx[axis];
  *first = (int32_t)fmax(0, fmin(grid->cells[axis], round(low)));
  *end = (int32_t)fmax(*first, fmin(grid->cells[axis], round(high)));
}

static cw_inject_region region_of(const cw_inject_pieces *all) {
  cw_inject_region made = {.cells = 1};
  for (int a = 0; a < 3; a++) {
    region_range(all, a, &made.first[a], &made.end[a]);
    made.cells *= made.end[a] - made.first[a];
  }
  return made;
}

/* Weights of the live particles of the first species in each cell of the region, in 2^-20: whole
 * numbers, so that the sum does not depend on its order. */
static void count_region(const cw_inject_pieces *all, const cw_inject_region *of, int64_t *counts) {
  const cw_particles_view view =
      cw_particles_get_view(all->target->particles[all->injector->species[0]]);
  const int dim = all->target->grid->dim;
#pragma omp parallel for schedule(static) num_threads(cw_context_threads(all->injectors->context))
  for (int64_t p = 0; p < view.count; p++) {
    int64_t cell = 0;
    int inside = view.tag[p] != CW_TAG_DEAD;
    for (int a = dim - 1; a >= 0 && inside; a--) {
      const int32_t i = view.i[a][p];
      inside = i >= of->first[a] && i < of->end[a];
      cell = cell * (of->end[a] - of->first[a]) + (i - of->first[a]);
    }
    const double weight = view.weight ? cw_real_get(view.weight, view.precision, p) : 1;
    const int64_t share = (int64_t)(weight * CW_INJECT_WEIGHT);
    if (inside) {
#pragma omp atomic
      counts[cell] += share;
    }
  }
}

static cw_status lacking_pieces(cw_inject_pieces *all, const cw_inject_region *of,
                                const int64_t *counts) {
  const double ppc0 = all->injectors->deck->particles.ppc0;
  double lack = 0, lacking = 0;
  for (int64_t n = 0; n < of->cells; n++) {
    cw_inject_piece made = {0};
    region_index(of, n, made.index);
    whole_cell(&made);
    CW_TRY(plasma_at(all, &made, 0));
    finish_piece(all, &made);
    const double missing = ppc0 * made.plasma.density - (double)counts[n] / CW_INJECT_WEIGHT;
    lack += missing;
    if (!(missing > 0) || !(made.expected > 0))
      continue;
    lacking += missing;
    made.expected *= missing / (ppc0 * made.plasma.density); /* with weights: particles of them */
    CW_TRY(add_piece(all, &made));
  }
  const double share = lack > 0 && lacking > 0 ? lack / lacking : 0;
  for (int64_t n = 0; n < all->count; n++)
    all->piece[n].expected *= share;
  return CW_OK;
}

static cw_status replenish_pieces(cw_inject_pieces *all) {
  const cw_inject_region of = region_of(all);
  int64_t *counts = NULL;
  if (of.cells == 0 || all->target->step % all->injector->interval != 0)
    return CW_OK;
  CW_TRY(CW_NEW(all->injectors->context, of.cells, "particles of a region", &counts));
  count_region(all, &of, counts);
  cw_status status = CW_OK;
  if (all->target->count)
    status = all->target->count(all->target->user, all->injector->species[0], &of, counts);
  if (status == CW_OK)
    status = lacking_pieces(all, &of, counts);
  CW_DELETE(all->injectors->context, counts);
  return status;
}

cw_status cw_inject_find_pieces(cw_inject_pieces *all) {
  switch (all->injector->kind) {
  case CW_INJECTOR_MOVING:
    return moving_pieces(all);
  case CW_INJECTOR_RESERVOIR:
    return reservoir_pieces(all);
  case CW_INJECTOR_REPLENISH:
    return replenish_pieces(all);
  }
  return CW_OK;
}
