/* Particles that come while a run goes on: the deck's injectors, and the ids that they get. */
#include <string.h>

#include "base/context_private.h"
#include "engine/engine_private.h"
#include "setup/inject.h"
#include "setup/newborn.h"

struct cw_sources {
  cw_injectors *injectors; /* NULL: a moving window alone */
  cw_newborn *newborn;     /* NULL: particles are given nothing */
  uint64_t next_id;        /* no particle of any species has had it or one above */
};

uint64_t cw_engine_next_id(const cw_engine *engine) {
  return engine->sources->next_id;
}

void cw_engine_count_ids(cw_engine *engine, const cw_particles *particles) {
  const cw_particles_view view = cw_particles_get_view(particles);
  uint64_t *next = &engine->sources->next_id;
  for (int64_t p = 0; p < view.count; p++)
    if (view.id[p] >= *next)
      *next = view.id[p] + 1;
}

cw_status cw_engine_create_sources(cw_engine *engine) {
  cw_injectors *injectors;
  CW_TRY(cw_injectors_create(engine->context, engine->deck, 0, &injectors));
  if (!injectors && engine->deck->grid.window_axis == CW_WINDOW_NONE)
    return CW_OK;
  const cw_status status = CW_NEW(engine->context, 1, "sources", &engine->sources);
  if (status != CW_OK) {
    cw_injectors_destroy(injectors);
    return status;
  }
  engine->sources->injectors = injectors;
  engine->sources->next_id = 1;
  for (int s = 0; s < engine->species_count; s++)
    cw_engine_count_ids(engine, engine->species[s].particles);
  return cw_newborn_create(engine->context, engine->deck, 0, &engine->sources->newborn);
}

void cw_engine_destroy_sources(cw_engine *engine) {
  if (!engine->sources)
    return;
  cw_injectors_destroy(engine->sources->injectors);
  cw_newborn_destroy(engine->sources->newborn);
  CW_DELETE(engine->context, engine->sources);
  engine->sources = NULL;
}

cw_status cw_engine_name_newborn(cw_engine *engine, const int64_t *before) {
  const cw_newborn *newborn = engine->sources->newborn;
  for (int s = 0; s < engine->species_count && newborn; s++) {
    const cw_particles_view view = cw_particles_get_view(engine->species[s].particles);
    CW_TRY(cw_newborn_set(newborn, &engine->grid, s, &view, before[s], view.count,
                          cw_engine_time(engine)));
  }
  return CW_OK;
}

cw_status cw_engine_inject(cw_engine *engine) {
  cw_sources *sources = engine->sources;
  cw_particles *particles[CW_DECK_MAX_SPECIES];
  int64_t before[CW_DECK_MAX_SPECIES];
  const cw_inject_target target = {.grid = &engine->grid,
                                   .particles = particles,
                                   .step = engine->step,
                                   .t = cw_engine_time(engine),
                                   .dt = engine->deck->dt,
                                   .next_id = sources ? &sources->next_id : NULL};
  if (!sources || !sources->injectors)
    return CW_OK;
  for (int s = 0; s < engine->species_count; s++) {
    particles[s] = engine->species[s].particles;
    before[s] = cw_particles_count(particles[s]);
  }
  for (int k = 0; k < sources->injectors->count; k++)
    CW_TRY(cw_inject(sources->injectors, &sources->injectors->item[k], &target));
  return cw_engine_name_newborn(engine, before);
}

void cw_engine_sources_array(cw_engine *engine, int k, cw_array *array) {
  (void)k;
  *array = (cw_array){.type = CW_ARRAY_U64, .rank = 1, .extent = {1}};
  snprintf(array->name, CW_ARRAY_NAME, "sources/next_id");
  array->data = &engine->sources->next_id;
}
