/* A force on one species, an acceleration of the deck: it acts as the electric field that would
 * give it, f m / q, so that every pusher takes it at its order. */
#include <math.h>

#include "base/context_private.h"
#include "base/space.h"
#include "engine/engine_private.h"
#include "setup/external.h"

struct cw_species_force {
  cw_external *external; /* the acceleration as its "electric field" */
  double scale;          /* from acceleration to a field in units of B0 */
  double time;           /* of the values; NAN: none yet */
  double *value[3];      /* over the grid, on the host; NULL: zero */
  double *copy[3];       /* of these, in the engine's space: the same arrays on the host */
  void *total[3];        /* with the field, in its precision */
};

static cw_status create(cw_engine *engine, cw_species_state *species) {
  cw_context *context = engine->context;
  const cw_precision precision = engine->deck->simulation.precision;
  cw_external *external;
  CW_TRY(cw_external_create_force(context, engine->deck, species->deck, 0, &external));
  if (!external)
    return CW_OK;
  const cw_status status = CW_NEW(context, 1, "force on a species", &species->force);
  if (status != CW_OK) {
    cw_external_destroy(external);
    return status;
  }
  cw_species_force *force = species->force;
  force->external = external;
  force->time = NAN;
  force->scale = species->deck->mass / (species->deck->charge * engine->deck->B0);
  for (int a = 0; a < 3; a++) {
    if (!cw_external_has(external, a))
      continue;
    CW_TRY(CW_NEW(context, engine->grid.points, "force", &force->value[a]));
    force->copy[a] = force->value[a];
    if (engine->space == CW_SPACE_DEVICE)
      CW_TRY(cw_memory_alloc(context, engine->space, (size_t)engine->grid.points, sizeof(double),
                             "force", (void **)&force->copy[a]));
    CW_TRY(cw_memory_alloc(context, engine->space, (size_t)engine->grid.points,
                           (size_t)cw_precision_size(precision), "field with a force",
                           &force->total[a]));
  }
  return CW_OK;
}

cw_status cw_engine_create_species_forces(cw_engine *engine) {
  for (int s = 0; s < engine->species_count; s++)
    CW_TRY(create(engine, &engine->species[s]));
  return CW_OK;
}

void cw_engine_destroy_species_forces(cw_engine *engine) {
  for (int s = 0; s < engine->species_count; s++) {
    cw_species_force *force = engine->species[s].force;
    if (!force)
      continue;
    for (int a = 0; a < 3; a++) {
      if (force->copy[a] != force->value[a])
        cw_memory_free(engine->context, engine->space, force->copy[a]);
      CW_DELETE(engine->context, force->value[a]);
      cw_memory_free(engine->context, engine->space, force->total[a]);
    }
    cw_external_destroy(force->external);
    CW_DELETE(engine->context, force);
    engine->species[s].force = NULL;
  }
}

void cw_engine_forget_species_forces(cw_engine *engine) {
  for (int s = 0; s < engine->species_count; s++)
    if (engine->species[s].force)
      engine->species[s].force->time = NAN;
}

static cw_status evaluate(cw_engine *engine, cw_species_force *force, double t) {
  const cw_grid *grid = &engine->grid;
  if (force->time == t || (!isnan(force->time) && !cw_external_moves(force->external)))
    return CW_OK;
  for (int a = 0; a < 3; a++) {
    if (!force->value[a])
      continue;
    CW_TRY(cw_external_fill(force->external, grid, a, t, force->value[a]));
    for (int64_t p = 0; p < grid->points; p++)
      force->value[a][p] *= force->scale;
    if (force->copy[a] != force->value[a])
      CW_TRY(cw_space_copy(engine->context, engine->space, force->copy[a], CW_SPACE_HOST,
                           force->value[a], (size_t)grid->points * sizeof(double)));
  }
  force->time = t;
  return CW_OK;
}

cw_status cw_engine_add_species_force(cw_engine *engine, int s, double t, cw_vector_view *E) {
  cw_species_force *force = engine->species[s].force;
  if (!force)
    return CW_OK;
  CW_TRY(evaluate(engine, force, t));
  for (int a = 0; a < 3; a++) {
    if (!force->value[a])
      continue;
    CW_TRY(engine->space_ops->add_field(engine, E->precision, E->component[a], force->copy[a],
                                        force->total[a]));
    E->component[a] = force->total[a];
  }
  return CW_OK;
}
