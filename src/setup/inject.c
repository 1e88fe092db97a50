#include "setup/inject.h"

#include <inttypes.h>
#include <math.h>

#include <cellwise/random.h>

#include "base/context_private.h"
#include "setup/inject_private.h"
#include "setup/loaders.h"

/* Streams of random numbers behind those of the loaders. */
enum { STREAM_COUNT = 4 << 16, STREAM_POSITION = 5 << 16, STREAM_MOMENTUM = 6 << 16 };

/* Expected numbers become first slots of candidates; returns the number of these. */
static int64_t round_pieces(cw_inject_pieces *all) {
  const uint32_t stream = STREAM_COUNT + all->stream;
  int64_t next = 0;
  for (int64_t n = 0; n < all->count; n++) {
    cw_inject_piece *at = &all->piece[n];
    at->slot = next;
    next += cw_loader_round(at->expected, all->seed, stream, at->key);
  }
  return next;
}

static double speed_along(const double u[3], int axis) {
  return u[axis] / sqrt(1 + u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
}

/* Candidate k of a piece: offset in the cell and momentum; 0 if it does not come in. */
static int draw(const cw_inject_pieces *all, const cw_inject_piece *at, int64_t k, int species,
                double offset[3], double u[3]) {
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

static int64_t candidates(const cw_inject_pieces *all, int64_t n, int64_t total) {
  return (n + 1 < all->count ? all->piece[n + 1].slot : total) - all->piece[n].slot;
}

/* Of a reservoir: how many of each piece come in, then the first slot of each; returns the sum. */
static int64_t count_entering(const cw_inject_pieces *all, int64_t total, int species,
                              int64_t *slots) {
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

static cw_status grow(const cw_inject_pieces *all, int species, int64_t more, int64_t *base) {
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

static void write(const cw_inject_pieces *all, int64_t total, int species, const int64_t *slots,
                  int64_t base) {
  const cw_particles_view view = cw_particles_get_view(all->target->particles[species]);
  const uint64_t first = *all->target->next_id;
  const int weighted = view.weight != NULL;
#pragma omp parallel for schedule(static) num_threads(cw_context_threads(all->injectors->context))
  for (int64_t n = 0; n < all->count; n++) {
    const cw_inject_piece *at = &all->piece[n];
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

static cw_status append(cw_inject_pieces *all) {
  cw_context *context = all->injectors->context;
  int64_t *slots = NULL, most = 0, base;
  cw_status status = CW_OK;
  const int64_t total = round_pieces(all);
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
  cw_inject_pieces all = {.injectors = injectors,
                          .injector = injector,
                          .target = target,
                          .seed = cw_loader_seed(injectors->deck),
                          .stream = (uint32_t)((injector - injectors->item) * CW_DECK_MAX_SPECIES),
                          .outward = injector->upper ? 1 : -1};
  if (target->t < injector->start || target->t >= injector->end)
    return CW_OK;
  cw_status status = cw_inject_find_pieces(&all);
  if (status == CW_OK && all.count > 0)
    status = append(&all);
  CW_DELETE(injectors->context, all.piece);
  return status;
}
