/* The user's own plasma: density, velocity and temperature of each species and the initial fields
 * as expressions of the place. Species whose density is the same text start at the same places, so
 * that charges that cancel in the mean cancel everywhere. Momenta are Maxwell-Juttner in the frame
 * of the species' velocity; in engine ecsim, whose velocities are not relativistic, Gaussian around
 * it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cellwise/random.h>

#include "base/context_private.h"
#include "setup/checks.h"
#include "setup/initial_fields.h"
#include "setup/loaders.h"
#include "setup/plasma.h"
#include "setup/problems.h"

const cw_problem_key cw_expressions_keys[] = {
    {"species.LABEL.density", "expression", NULL, "n0",
     "density of the species of that label: where it is 1, the species has ppc0 particles a cell"},
    {"species.LABEL.velocity", "expression[3]", "[0, 0, 0]", "c", "mean velocity of the species"},
    {"species.LABEL.temperature", "expression", "0", "m c^2",
     "kT in the frame of the velocity, in units of the species' own m c^2"},
    {"E", "expression[3]", "[0, 0, 0]", "B0", "initial electric field"},
    {"B", "expression[3]", "[0, 0, 0]", "B0", "initial magnetic field"},
    {"A", "expression[3]", "[0, 0, 0]", "B0 L",
     "vector potential: B gets its curl, by the grid's own differences, so that div B is 0"},
    {"quiet", "bool", "false", "", "evenly spread particles instead of random places"},
    {.name = NULL},
};

cw_status cw_expressions_check(cw_context *context, const cw_deck *deck) {
  cw_plasma *plasma = NULL;
  CW_TRY(cw_plasma_create(context, deck, 1, &plasma));
  cw_status status = cw_plasma_check(plasma);
  cw_plasma_destroy(plasma);
  return status;
}

int64_t cw_expressions_expected(const cw_deck *deck, int species) {
  cw_plasma *plasma = NULL;
  double each = deck->particles.ppc0 * cw_setup_cells(deck);
  if (cw_plasma_create(deck->context, deck, 1, &plasma) != CW_OK)
    return 0;
  const double mean = cw_plasma_mean_density(plasma, species);
  each *= deck->particles.use_weights ? mean > 0 : mean;
  cw_plasma_destroy(plasma);
  return cw_setup_whole(each);
}

/* What an injection of one group is told. */
typedef struct group {
  const cw_plasma *plasma;
  int species, gaussian;
  uint64_t *fault; /* of the momenta: set to 1 by any thread */
} group;

static double density(const void *user, const double lower[3], const double upper[3]) {
  const group *group = user;
  return cw_plasma_density(group->plasma, group->species, lower, upper);
}

static void momentum(const void *user, const cw_loaded *particle, cw_random_source *source,
                     double u[3]) {
  const group *group = user;
  double drift[3], temperature;
  if (!cw_plasma_motion(group->plasma, particle->species, particle->x, drift, &temperature)) {
#pragma omp atomic write
    *group->fault = 1;
    return;
  }
  if (!group->gaussian) {
    cw_momentum_drifting(source, temperature, drift, u);
    return;
  }
  double normal[4];
  cw_random_normal(source->seed, source->stream, source->index, source->draw++, normal);
  cw_random_normal(source->seed, source->stream, source->index, source->draw++, normal + 2);
  for (int a = 0; a < 3; a++)
    u[a] = drift[a] + sqrt(temperature) * normal[a];
}

/* The species of equal density, from `first` on. */
static cw_status inject(cw_loader *loader, const cw_plasma *plasma, int first) {
  const cw_setup_target *target = loader->target;
  uint64_t fault = 0;
  const group group = {.plasma = plasma,
                       .species = first,
                       .gaussian = target->deck->simulation.engine == CW_ENGINE_ECSIM &&
                                   !target->deck->algorithms.ecsim.relativistic,
                       .fault = &fault};
  cw_injection injection = {.per_cell = target->deck->particles.ppc0,
                            .quiet = cw_setup_number(target->deck, "quiet") != 0,
                            .profile = density,
                            .profile_user = &group,
                            .momentum = momentum,
                            .momentum_user = &group};
  for (int s = first; s < target->species_count; s++)
    if (cw_plasma_leader(plasma, s) == first)
      injection.species[injection.species_count++] = s;
  cw_status status = cw_loader_inject(loader, &injection);
  if (status == CW_ERROR_NUMERIC)
    return cw_plasma_fail_density(plasma, first, target->grid);
  CW_TRY(status);
  for (int k = 0; k < injection.species_count && fault; k++)
    CW_TRY(cw_plasma_check_motion(plasma, injection.species[k], target->grid,
                                  target->particles[injection.species[k]]));
  return CW_OK;
}

cw_status cw_expressions_fill(const cw_setup_target *target) {
  cw_plasma *plasma = NULL;
  cw_loader loader;
  cw_status status = CW_OK;
  CW_TRY(cw_plasma_create(target->context, target->deck, 0, &plasma));
  cw_loader_init(&loader, target);
  for (int s = 0; s < target->species_count; s++)
    if (cw_plasma_leader(plasma, s) == s)
      CW_TRY_CLEANUP(status, inject(&loader, plasma, s));
  cw_initial_E(target, cw_plasma_E, plasma);
  cw_initial_B(target, cw_plasma_B, plasma);
  status = cw_plasma_check_fields(plasma, target);
cleanup:
  cw_plasma_destroy(plasma);
  return status;
}

void cw_expressions_scales(const cw_deck *deck, int species, cw_species_scales *scales) {
  cw_plasma *plasma = NULL;
  *scales = (cw_species_scales){0};
  if (cw_plasma_create(deck->context, deck, 1, &plasma) != CW_OK)
    return;
  cw_plasma_extremes(plasma, species, scales);
  cw_plasma_destroy(plasma);
}
