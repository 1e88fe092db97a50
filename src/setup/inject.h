/* Particles that an injector makes in one step. */
#ifndef CW_SETUP_INJECT_H
#define CW_SETUP_INJECT_H

#include "setup/inject_region.h"
#include "setup/injectors.h"

/* The state that an injector adds to, at the start of a step, before the push. */
typedef struct cw_inject_target {
  const cw_grid *grid;
  /* Of all species, on the host; or empty, where the others are elsewhere. */
  cw_particles **particles;
  /* For those: how many of each species there are, and what adds their counts in a region; NULL. */
  const int64_t *elsewhere;
  cw_status (*count)(void *user, int species, const cw_inject_region *region, int64_t *counts);
  void *user;
  int64_t step;
  double t, dt;
  uint64_t *next_id; /* the first id that no particle has had; moves on */
} cw_inject_target;

/* Appends the particles of one step, as a tail of the last sort.
 *
 * Moving: the slab that the plane and the plasma that it left behind have uncovered since the last
 * step, one particle of each species at each place; momenta are drawn with the weight of what the
 * plane leaves behind, f(u) (w - v) for a plane of speed w, so that the plasma behind it has f.
 * Reservoir: candidates of the plasma in a layer as thick as light goes in a step behind the side;
 * those that come in during the step are kept, behind the side still, and enter with the push.
 * Replenish: the region's lack of particles, counted over all of it, shared among the cells that
 * lack some.
 * Counts, places and momenta are random, keyed by the deck's seed, the injector, the species, the
 * step and the cell: the result does not depend on threads. Errors: CW_ERROR_INPUT (a plasma that
 * cannot be, a species above its maxnpart), CW_ERROR_MEMORY. */
cw_status cw_inject(const cw_injectors *injectors, const cw_injector *injector,
                    const cw_inject_target *target);
#endif
