/* The fields that act on particles: the engine's own, with them the deck's external ones, and for a
 * species the force on it: an acceleration f of the deck acts as the electric field that would give
 * it, f m / q, so that every pusher takes it at its order. */
#include <math.h>

#include "base/context_private.h"
#include "engine/external_values.h"

struct cw_forces {
  cw_external_values external;
  void *total[6]; /* with the engine's own, in its precision; NULL where there is no value */
};

/* Takes `external` over; NULL: nothing is made. After a failure *made is to be destroyed. */
static cw_status create(cw_engine *engine, cw_external *external, double scale, cw_forces **made) {
  if (!external)
    return CW_OK;
  const cw_status status = CW_NEW(engine->context, 1, "forces", made);
  if (status != CW_OK) {
    cw_external_destroy(external);
    return status;
  }
  cw_forces *forces = *made;
  CW_TRY(cw_external_values_create(engine, external, scale, &forces->external));
  for (int f = 0; f < 6; f++)
    if (forces->external.value[f])
      CW_TRY(cw_memory_alloc(engine->context, engine->space, (size_t)engine->grid.points,
                             (size_t)cw_precision_size(engine->deck->simulation.precision),
                             "field with the external one", &forces->total[f]));
  return CW_OK;
}

cw_status cw_engine_create_forces(cw_engine *engine) {
  cw_external *external = NULL;
  CW_TRY(cw_external_create(engine->context, engine->deck, "external", 0, &external));
  return create(engine, external, 1, &engine->forces);
}

cw_status cw_engine_create_species_forces(cw_engine *engine) {
  for (int s = 0; s < engine->species_count; s++) {
    const cw_deck_species *species = engine->species[s].deck;
    cw_external *external = NULL;
    CW_TRY(cw_external_create_force(engine->context, engine->deck, species, 0, &external));
    const double scale = external ? species->mass / (species->charge * engine->deck->B0) : 0;
    CW_TRY(create(engine, external, scale, &engine->species[s].force));
  }
  return CW_OK;
}

static void destroy(cw_engine *engine, cw_forces **made) {
  cw_forces *forces = *made;
  if (!forces)
    return;
  for (int f = 0; f < 6; f++)
    cw_memory_free(engine->context, engine->space, forces->total[f]);
  cw_external_values_destroy(engine, &forces->external);
  CW_DELETE(engine->context, forces);
  *made = NULL;
}

void cw_engine_destroy_forces(cw_engine *engine) {
  destroy(engine, &engine->forces);
  for (int s = 0; s < engine->species_count; s++)
    destroy(engine, &engine->species[s].force);
}

cw_status cw_engine_explain_forces(cw_engine *engine) {
  if (engine->forces)
    CW_TRY(cw_external_values_explain(engine, &engine->forces->external));
  for (int s = 0; s < engine->species_count; s++)
    if (engine->species[s].force)
      CW_TRY(cw_external_values_explain(engine, &engine->species[s].force->external));
  return CW_OK;
}

static cw_status add(cw_engine *engine, cw_forces *forces, double t, cw_vector_view *E,
                     cw_vector_view *B) {
  if (!forces)
    return CW_OK;
  double *const *value = forces->external.value;
  CW_TRY(cw_external_values_at(engine, &forces->external, t));
  for (int f = 0; f < 6; f++) {
    cw_vector_view *view = f < 3 ? E : B;
    if (!value[f] || !view->component[f % 3])
      continue;
    CW_TRY(engine->space_ops->add_field(engine, view->precision, view->component[f % 3], value[f],
                                        forces->total[f]));
    view->component[f % 3] = forces->total[f];
  }
  return CW_OK;
}

cw_status cw_engine_add_forces(cw_engine *engine, double t, cw_vector_view *E, cw_vector_view *B) {
  return add(engine, engine->forces, t, E, B);
}

cw_status cw_engine_add_species_force(cw_engine *engine, int s, double t, cw_vector_view *E) {
  cw_vector_view none = {.precision = E->precision};
  return add(engine, engine->species[s].force, t, E, &none);
}

void cw_engine_forget_forces(cw_engine *engine) {
  if (engine->forces)
    engine->forces->external.time = NAN;
  for (int s = 0; s < engine->species_count; s++)
    if (engine->species[s].force)
      engine->species[s].force->external.time = NAN;
}

cw_status cw_engine_external(cw_engine *engine, double t, const double *value[6]) {
  for (int f = 0; f < 6; f++)
    value[f] = NULL;
  if (!engine->forces)
    return CW_OK;
  CW_TRY(cw_external_values_at(engine, &engine->forces->external, t));
  for (int f = 0; f < 6; f++)
    value[f] = engine->forces->external.value[f];
  return CW_OK;
}
