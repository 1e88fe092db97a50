/* Particles that come while a run goes on: the deck's injectors, and the ids that they get. */
#include <string.h>

#include "base/context_private.h"
#include "base/device.h"
#include "engine/engine_cuda.h"
#include "engine/engine_private.h"
#include "setup/inject.h"
#include "setup/newborn.h"

struct cw_sources {
  cw_injectors *injectors; /* NULL: a moving window alone */
  cw_newborn *newborn;     /* NULL: particles are given nothing */
  uint64_t next_id;        /* no particle of any species has had it or one above */
  /* On a device: of a step, made on the host; NULL: of species without an injector. */
  cw_particles *made[CW_DECK_MAX_SPECIES];
};

uint64_t cw_engine_next_id(const cw_engine *engine) {
  return engine->sources->next_id;
}

static void count_ids(cw_engine *engine, const uint64_t *ids, int64_t count) {
  uint64_t *next = &engine->sources->next_id;
  for (int64_t p = 0; p < count; p++)
    if (ids[p] >= *next)
      *next = ids[p] + 1;
}

void cw_engine_count_ids(cw_engine *engine, const cw_particles *particles) {
  const cw_particles_view view = cw_particles_get_view(particles);
  count_ids(engine, view.id, view.count);
}

/* Of the engine's own, in either space. */
static cw_status count_own_ids(cw_engine *engine, int s) {
  const cw_particles *particles = engine->species[s].particles;
  const cw_particles_view view = cw_particles_get_view(particles);
  uint64_t *ids = NULL;
  if (view.space == CW_SPACE_HOST) {
    cw_engine_count_ids(engine, particles);
    return CW_OK;
  }
  CW_TRY(CW_NEW(engine->context, view.count + 1, "ids", &ids));
  const cw_status status =
      cw_device_read(engine->context, ids, view.id, (size_t)view.count * sizeof *ids);
  count_ids(engine, ids, status == CW_OK ? view.count : 0);
  CW_DELETE(engine->context, ids);
  return status;
}

/* Where a device's particles are made before they cross to it. */
static cw_status create_rooms(cw_engine *engine) {
  const cw_injectors *injectors = engine->sources->injectors;
  for (int k = 0; injectors && k < injectors->count && engine->space == CW_SPACE_DEVICE; k++)
    for (int n = 0; n < injectors->item[k].species_count; n++) {
      const int s = injectors->item[k].species[n];
      cw_particles **made = &engine->sources->made[s];
      const cw_particles_options options = cw_engine_particles_options(engine->deck, s);
      if (!*made)
        CW_TRY(cw_particles_create(engine->context, &options, 0, made));
    }
  return CW_OK;
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
  CW_TRY(cw_newborn_create(engine->context, engine->deck, 0, &engine->sources->newborn));
  CW_TRY(create_rooms(engine));
  engine->sources->next_id = 1;
  for (int s = 0; s < engine->species_count; s++)
    CW_TRY(count_own_ids(engine, s));
  return CW_OK;
}

void cw_engine_destroy_sources(cw_engine *engine) {
  if (!engine->sources)
    return;
  cw_injectors_destroy(engine->sources->injectors);
  cw_newborn_destroy(engine->sources->newborn);
  for (int s = 0; s < CW_DECK_MAX_SPECIES; s++)
    cw_particles_destroy(engine->sources->made[s]);
  CW_DELETE(engine->context, engine->sources);
  engine->sources = NULL;
}

/* Of a device's particles; waits for them. */
static cw_status count_on_device(void *user, int species, const cw_inject_region *region,
                                 int64_t *counts) {
  cw_engine *engine = user;
  cw_context *context = engine->context;
  const cw_particles_view view = cw_particles_get_view(engine->species[species].particles);
  const size_t bytes = (size_t)region->cells * sizeof *counts;
  void *device = NULL;
  int64_t *found = NULL;
  cw_status status = CW_NEW(context, region->cells, "particles of a region", &found);
  if (status == CW_OK)
    status = cw_memory_alloc(context, CW_SPACE_DEVICE, bytes, 1, "particles of a region", &device);
  if (status == CW_OK)
    status = cw_engine_count_region_cuda(context, &view, engine->grid.dim, region, device);
  if (status == CW_OK)
    status = cw_device_read(context, found, device, bytes);
  for (int64_t n = 0; n < region->cells && status == CW_OK; n++)
    counts[n] += found[n];
  cw_memory_free(context, CW_SPACE_DEVICE, device);
  CW_DELETE(context, found);
  return status;
}

static cw_status inject_all(cw_engine *engine, const cw_inject_target *target) {
  const cw_injectors *injectors = engine->sources->injectors;
  for (int k = 0; k < injectors->count; k++)
    CW_TRY(cw_inject(injectors, &injectors->item[k], target));
  return CW_OK;
}

cw_status cw_engine_name_newborn(cw_engine *engine, cw_particles *const *particles,
                                 const int64_t *before) {
  const cw_newborn *newborn = engine->sources->newborn;
  for (int s = 0; s < engine->species_count && newborn; s++) {
    if (!particles[s])
      continue;
    const cw_particles_view view = cw_particles_get_view(particles[s]);
    CW_TRY(cw_newborn_set(newborn, &engine->grid, s, &view, before[s], view.count,
                          cw_engine_time(engine)));
  }
  return CW_OK;
}

/* What comes in a step is made on the host, with the bits that it has there, and crosses to the
 * device: some layers of cells, in a step that moves them all. */
cw_status cw_engine_inject(cw_engine *engine) {
  cw_sources *sources = engine->sources;
  const int on_device = engine->space == CW_SPACE_DEVICE;
  cw_particles *particles[CW_DECK_MAX_SPECIES];
  int64_t elsewhere[CW_DECK_MAX_SPECIES], before[CW_DECK_MAX_SPECIES];
  if (!sources || !sources->injectors)
    return CW_OK;
  const cw_inject_target target = {.grid = &engine->grid,
                                   .particles = particles,
                                   .elsewhere = on_device ? elsewhere : NULL,
                                   .count = on_device ? count_on_device : NULL,
                                   .user = engine,
                                   .step = engine->step,
                                   .t = cw_engine_time(engine),
                                   .dt = engine->deck->dt,
                                   .next_id = &sources->next_id};
  for (int s = 0; s < engine->species_count; s++) {
    particles[s] = on_device ? sources->made[s] : engine->species[s].particles;
    elsewhere[s] = on_device ? cw_particles_count(engine->species[s].particles) : 0;
    if (on_device && particles[s])
      CW_TRY(cw_particles_resize(particles[s], 0));
    before[s] = particles[s] ? cw_particles_count(particles[s]) : 0;
  }
  CW_TRY(inject_all(engine, &target));
  CW_TRY(cw_engine_name_newborn(engine, particles, before));
  for (int s = 0; s < engine->species_count && on_device; s++)
    if (particles[s])
      CW_TRY(cw_particles_append(engine->species[s].particles, particles[s]));
  return CW_OK;
}

int cw_engine_sources_array(cw_engine *engine, cw_array *array) {
  if (!engine->sources)
    return 0;
  *array = (cw_array){.type = CW_ARRAY_U64, .rank = 1, .extent = {1}};
  snprintf(array->name, CW_ARRAY_NAME, "sources/next_id");
  array->data = &engine->sources->next_id;
  return 1;
}
