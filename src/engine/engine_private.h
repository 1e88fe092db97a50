/* The explicit engine's state. */
#ifndef CW_ENGINE_ENGINE_PRIVATE_H
#define CW_ENGINE_ENGINE_PRIVATE_H

#include "engine/engine.h"

typedef struct cw_species_state {
  const cw_deck_species *deck;
  cw_particles *particles;
  cw_cells *cells;       /* NULL when this species is never sorted */
  int64_t sort_interval; /* steps; 0: never */
} cw_species_state;

struct cw_engine {
  cw_context *context;
  const cw_deck *deck; /* borrowed: outlives the engine */
  cw_grid grid;
  cw_fields *fields;
  int species_count;
  cw_species_state species[CW_DECK_MAX_SPECIES];
  double *density, *species_density; /* work arrays over the grid */
  int64_t step;
  double stage_seconds[CW_STAGE_COUNT];
};

/* Applies the deck's particle boundaries after a deposit: particles that left through a periodic
 * side come back on the other, reflected ones are mirrored at the wall with the normal momentum
 * reversed, absorbed ones are tagged dead. */
cw_status cw_engine_apply_boundaries(cw_engine *engine, cw_species_state *species);

/* How species s is pushed in a whole step. */
cw_push_options cw_engine_push_options(const cw_engine *engine, int s);

/* Drops dead slots of a species that is never sorted; the others keep their order. */
cw_status cw_engine_compact(cw_engine *engine, cw_species_state *species);

#endif
