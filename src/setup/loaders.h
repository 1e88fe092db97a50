/* Puts particles into the cells of a grid: groups of species at the same positions. */
#ifndef CW_SETUP_LOADERS_H
#define CW_SETUP_LOADERS_H

#include "setup/momenta.h"
#include "setup/setup.h"

/* What is known of a particle when its momentum is wanted. */
typedef struct cw_loaded {
  int species;
  uint64_t id;
  double x[3]; /* coordinates; 0 along axes that are not simulated */
} cw_loaded;

/* Mean of the density profile over the cell between two corners; finite, >= 0. */
typedef double cw_load_profile(const void *user, const double lower[3], const double upper[3]);
/* u of one particle; draws from `source`, which is the particle's own. Called by many threads. */
typedef void cw_load_momentum(const void *user, const cw_loaded *particle, cw_random_source *source,
                              double u[3]);

/* One injection. Zero-initialised members mean defaults, but for species and per_cell. */
typedef struct cw_injection {
  int species_count;
  int species[CW_DECK_MAX_SPECIES]; /* each gets a particle at every position: no net charge where
                                       the species' charges cancel */
  double per_cell;                  /* particles of each species a cell where the profile is 1 */
  int quiet;                        /* 1: evenly spread in each cell, else random */
  cw_load_profile *profile;         /* NULL: 1 everywhere */
  const void *profile_user;
  cw_load_momentum *momentum; /* NULL: at rest */
  const void *momentum_user;
} cw_injection;

/* Successive injections into one target; start with cw_loader_init. */
typedef struct cw_loader {
  const cw_setup_target *target;
  uint32_t seed;
  uint64_t next_id;
} cw_loader;

void cw_loader_init(cw_loader *loader, const cw_setup_target *target);

/* Appends the injection's particles, cell by cell. Without weights the profile sets their number:
 * a fractional expectation is rounded up with that fraction's probability, decided by a random
 * number of the cell. With the deck's use_weights the number is per_cell and the profile becomes
 * the weight; cells whose weight would be below CW_LOADER_MIN_WEIGHT stay empty.
 * Ids start from 1 with the first injection and count cells, then places in the cell; everything
 * random is keyed by the deck's seed, the species and the id, so the result does not depend on the
 * number of threads. i_prev and dx_prev repeat i and dx.
 * Nothing is done for a target that wants its fields alone.
 * Errors: CW_ERROR_MEMORY, CW_ERROR_INPUT (more particles than a species' maxnpart),
 * CW_ERROR_NUMERIC (a profile that is negative or not finite); the target is then incomplete. */
cw_status cw_loader_inject(cw_loader *loader, const cw_injection *injection);

/* Appends one particle of weight 1 at coordinates x (inside the box) to each listed species. */
cw_status cw_loader_place(cw_loader *loader, int species_count, const int *species,
                          const double x[3], const double u[3]);

/* Writes one particle into a slot, i_prev and dx_prev included. */
void cw_loader_write(const cw_particles_view *view, int dim, int64_t slot, const int32_t index[3],
                     const double offset[3], const double u[3], double weight, uint64_t id);
/* `expected` rounded down or, with its fraction's probability, up, by the random number named. */
int64_t cw_loader_round(double expected, uint32_t seed, uint32_t stream, uint64_t index);
/* The deck's seed as the random numbers take it. */
uint32_t cw_loader_seed(const cw_deck *deck);

#define CW_LOADER_MIN_WEIGHT 1e-4
#endif
