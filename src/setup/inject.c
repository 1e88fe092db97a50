#include "setup/inject.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <cellwise/random.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "setup/loaders.h"
#include "setup/place_body.h"

/* Streams of random numbers behind those of the loaders. */
enum { STREAM_COUNT = 4 << 16, STREAM_POSITION = 5 << 16, STREAM_MOMENTUM = 6 << 16 };
/* Particles of one piece have random numbers of their own up to this. */
enum { PIECE_BITS = 13 };

/* A part of a cell that gets particles. */
typedef struct piece {
  int32_t index[3];
  double from[3], to[3]; /* offsets in the cell */
  cw_injected_plasma plasma;
  double expected; /* of each species */
  double plane;    /* moving: speed of the plane, outwards */
  uint64_t key;    /* of its random numbers */
  int64_t slot;    /* first of its particles; of the last piece + 1: their number */
} piece;

typedef struct pieces {
  const cw_injectors *injectors;
  const cw_injector *injector;
  const cw_inject_target *target;
  uint32_t seed, stream;
  double outward; /* sign of the side */
  int64_t count, room;
  piece *piece;
} pieces;

static cw_status add_piece(pieces *all, const piece *made) {
  if (all->count == all->room) {
    piece *grown = NULL;
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

static uint64_t key_of(const pieces *all, const int32_t index[3]) {
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
static void finish_piece(const pieces *all, piece *made) {
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

static void whole_cell(piece *made) {
  for (int a = 0; a < 3; a++)
    made->from[a] = 0, made->to[a] = 1;
}

static cw_status plasma_at(const pieces *all, piece *made, double along) {
  const cw_grid *grid = all->target->grid;
  double x[3];
  for (int a = 0; a < 3; a++)
    x[a] = cw_place(grid, a, made->index[a], 0.5);
  if (all->injector->kind != CW_INJECTOR_REPLENISH)
    x[all->injector->axis] = along;
  return cw_injector_plasma(all->injectors, all->injector, x, all->target->t, &made->plasma);
}

/* The cells that a slab [from, to] of a column touches; coordinates along the axis. */
static cw_status add_slab(pieces *all, piece *made, double from, double to) {
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

static cw_status moving_pieces(pieces *all) {
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
    piece made = {.plane = all->outward * (now - before) / dt};
    region_index(&columns, n, made.index);
    whole_cell(&made);
    CW_TRY(plasma_at(all, &made, now));
    const double left = before + made.plasma.velocity[injector->axis] * dt;
    CW_TRY(injector->upper ? add_slab(all, &made, left, now) : add_slab(all, &made, now, left));
  }
  return CW_OK;
}

/* Behind the side, as deep as light goes in a step. */
static cw_status reservoir_pieces(pieces *all) {
  const cw_grid *grid = all->target->grid;
  const int axis = all->injector->axis, upper = all->injector->upper;
  const double depth = all->target->dt / grid->dx[axis];
  const cw_inject_region columns = columns_of(grid, axis);
  for (int64_t n = 0; n < columns.cells; n++) {
    piece made = {0};
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
static void region_range(const pieces *all, int axis, int32_t *first, int32_t *end) {
  const cw_grid *grid = all->target->grid;
  *first = 0, *end = 1;
  if (axis >= grid->dim)
    return;
  const double low = (all->injector->lower[axis] - grid->origin[axis]) / grid->dx[axis];
  const double high = (all->injector->upper_at[axis] - grid->origin[axis]) / grid->dx[axis];
  *first = (int32_t)fmax(0, fmin(grid->cells[axis], round(low)));
  *end = (int32_t)fmax(*first, fmin(grid->cells[axis], round(high)));
}

static cw_inject_region region_of(const pieces *all) {
  cw_inject_region made = {.cells = 1};
  for (int a = 0; a < 3; a++) {
    region_range(all, a, &made.first[a], &made.end[a]);
    made.cells *= made.end[a] - made.first[a];
  }
  return made;
}

/* Weights of the live particles of the first species in each cell of the region, in 2^-20: whole
 * numbers, so that the sum does not depend on its order. */
static void count_region(const pieces *all, const cw_inject_region *of, int64_t *counts) {
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

static cw_status lacking_pieces(pieces *all, const cw_inject_region *of, const int64_t *counts) {
  const double ppc0 = all->injectors->deck->particles.ppc0;
  double lack = 0, lacking = 0;
  for (int64_t n = 0; n < of->cells; n++) {
    piece made = {0};
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

static cw_status replenish_pieces(pieces *all) {
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

/* Expected numbers become first slots. */
static void round_pieces(pieces *all) {
  const uint32_t stream = STREAM_COUNT + all->stream;
  int64_t next = 0;
  for (int64_t n = 0; n < all->count; n++) {
    piece *at = &all->piece[n];
    at->slot = next;
    next += cw_loader_round(at->expected, all->seed, stream, at->key);
  }
}

static double speed_along(const double u[3], int axis) {
  return u[axis] / sqrt(1 + u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
}

/* Candidate k of a piece: offset in the cell and momentum; 0 if it does not come in. */
static int draw(const pieces *all, const piece *at, int64_t k, int species, double offset[3],
                double u[3]) {
  const cw_injector *injector = all->injector;
  const uint64_t key = at->key + (uint64_t)k;
  /* species of one place share its random numbers; those that come in by themselves do not */
  const uint32_t own = injector->kind == CW_INJECTOR_RESERVOIR ? (uint32_t)species : 0;
  double uniform[4], flip[2];
  cw_random_source place = {all->seed, STREAM_POSITION + all->stream + own, key, 0};
  cw_random_source motion = {all->seed, STREAM_MOMENTUM + all->stream + (uint32_t)species, key, 0};
  cw_random_next(&place, uniform);
  cw_random_next(&place, uniform + 2);
  for (int a = 0; a < 3; a++)
    offset[a] = at->from[a] + uniform[a] * (at->to[a] - at->from[a]);
  for (;;) {
    cw_momentum_drifting(&motion, at->plasma.temperature, at->plasma.velocity, u);
    const double out = all->outward * speed_along(u, injector->axis);
    if (injector->kind == CW_INJECTOR_RESERVOIR) {
      const double way = injector->upper ? offset[injector->axis] : 1 - offset[injector->axis];
      return -out * all->target->dt > way * all->target->grid->dx[injector->axis];
    }
    if (injector->kind == CW_INJECTOR_REPLENISH)
      return 1;
    cw_random_next(&motion, flip);
    if (flip[0] * (at->plane + 1) < at->plane - out)
      return 1;
  }
}

static int64_t candidates(const pieces *all, int64_t n, int64_t total) {
  return (n + 1 < all->count ? all->piece[n + 1].slot : total) - all->piece[n].slot;
}

/* Of a reservoir: how many of each piece come in, then the first slot of each; returns the sum. */
static int64_t count_entering(const pieces *all, int64_t total, int species, int64_t *slots) {
#pragma omp parallel for schedule(static) num_threads(cw_context_threads(all->injectors->context))
  for (int64_t n = 0; n < all->count; n++) {
    const int64_t count = candidates(all, n, total);
    slots[n] = all->injector->kind == CW_INJECTOR_RESERVOIR ? 0 : count;
    for (int64_t k = 0; k < count && all->injector->kind == CW_INJECTOR_RESERVOIR; k++) {
      double offset[3], u[3];
      slots[n] += draw(all, &all->piece[n], k, species, offset, u);
    }
  }
  int64_t next = 0;
  for (int64_t n = 0; n < all->count; n++) {
    const int64_t count = slots[n];
    slots[n] = next;
    next += count;
  }
  return next;
}

static cw_status grow(const pieces *all, int species, int64_t more, int64_t *base) {
  const cw_deck *deck = all->injectors->deck;
  const cw_deck_species *entry = &deck->particles.species[species];
  cw_particles *particles = all->target->particles[species];
  *base = cw_particles_count(particles);
  const int64_t all_of_them =
      *base + more + (all->target->elsewhere ? all->target->elsewhere[species] : 0);
  if (entry->maxnpart > 0 && all_of_them > entry->maxnpart)
    return cw_deck_fail(all->injectors->context, deck, entry->where,
                        "injector '%s' brings species '%s' to %" PRId64
                        " particles at step %" PRId64 "; its maxnpart allows %" PRId64,
                        all->injector->name, entry->label, all_of_them, all->target->step,
                        entry->maxnpart);
  return cw_particles_resize(particles, *base + more);
}

static void write(const pieces *all, int64_t total, int species, const int64_t *slots,
                  int64_t base) {
  const cw_particles_view view = cw_particles_get_view(all->target->particles[species]);
  const uint64_t first = *all->target->next_id;
  const int weighted = view.weight != NULL;
#pragma omp parallel for schedule(static) num_threads(cw_context_threads(all->injectors->context))
  for (int64_t n = 0; n < all->count; n++) {
    const piece *at = &all->piece[n];
    int64_t next = slots[n];
    for (int64_t k = 0; k < candidates(all, n, total); k++) {
      double offset[3], u[3];
      if (!draw(all, at, k, species, offset, u))
        continue;
      cw_loader_write(&view, all->target->grid->dim, base + next, at->index, offset, u,
                      weighted ? at->plasma.density : 1, first + (uint64_t)next);
      next++;
    }
  }
}

static cw_status append(pieces *all) {
  cw_context *context = all->injectors->context;
  int64_t *slots = NULL, most = 0, base;
  cw_status status = CW_OK;
  const piece last = {.index = {0}, .expected = 0};
  CW_TRY(add_piece(all, &last)); /* its slot is the number of candidates */
  round_pieces(all);
  const int64_t total = all->piece[--all->count].slot;
  CW_TRY(CW_NEW(context, all->count + 1, "slots of an injection", &slots));
  for (int k = 0; k < all->injector->species_count; k++) {
    const int species = all->injector->species[k];
    const int64_t entering = count_entering(all, total, species, slots);
    CW_TRY_CLEANUP(status, grow(all, species, entering, &base));
    write(all, total, species, slots, base);
    most = cw_max_i64(most, entering);
  }
  *all->target->next_id += (uint64_t)most; /* species at the same place share the id */
cleanup:
  CW_DELETE(context, slots);
  return status;
}

cw_status cw_inject(const cw_injectors *injectors, const cw_injector *injector,
                    const cw_inject_target *target) {
  pieces all = {.injectors = injectors,
                .injector = injector,
                .target = target,
                .seed = cw_loader_seed(injectors->deck),
                .stream = (uint32_t)((injector - injectors->item) * CW_DECK_MAX_SPECIES),
                .outward = injector->upper ? 1 : -1};
  cw_status status = CW_OK;
  if (target->t < injector->start || target->t >= injector->end)
    return CW_OK;
  if (injector->kind == CW_INJECTOR_MOVING)
    status = moving_pieces(&all);
  else if (injector->kind == CW_INJECTOR_RESERVOIR)
    status = reservoir_pieces(&all);
  else
    status = replenish_pieces(&all);
  if (status == CW_OK && all.count > 0)
    status = append(&all);
  CW_DELETE(injectors->context, all.piece);
  return status;
}
