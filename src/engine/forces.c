/* The fields that act on particles: the engine's own, and with them the deck's external ones. */
#include <math.h>

#include "base/context_private.h"
#include "base/space.h"
#include "comm/comm.h"
#include "engine/engine_private.h"
#include "setup/external.h"

struct cw_forces {
  cw_external *external;
  double time;      /* of the values; NAN: none yet */
  double *value[6]; /* external Ex ... Bz over the grid, on the host; NULL: zero */
  double *copy[6];  /* of these, in the engine's space: the same arrays on the host */
  void *total[6];   /* with the engine's own, in its precision; NULL where there is no value */
};

cw_status cw_engine_create_forces(cw_engine *engine) {
  cw_context *context = engine->context;
  const cw_precision precision = engine->deck->simulation.precision;
  cw_external *external = NULL;
  CW_TRY(cw_external_create(context, engine->deck, "external", 0, &external));
  if (!external)
    return CW_OK;
  cw_status status = CW_NEW(context, 1, "forces", &engine->forces);
  if (status != CW_OK) {
    cw_external_destroy(external);
    return status;
  }
  cw_forces *forces = engine->forces;
  forces->external = external;
  forces->time = NAN;
  for (int f = 0; f < 6; f++) {
    if (!cw_external_has(external, f))
      continue;
    CW_TRY(CW_NEW(context, engine->grid.points, "external field", &forces->value[f]));
    forces->copy[f] = forces->value[f];
    if (engine->space == CW_SPACE_DEVICE)
      CW_TRY(cw_memory_alloc(context, engine->space, (size_t)engine->grid.points, sizeof(double),
                             "external field", (void **)&forces->copy[f]));
    CW_TRY(cw_memory_alloc(context, engine->space, (size_t)engine->grid.points,
                           (size_t)cw_precision_size(precision), "field with the external one",
                           &forces->total[f]));
  }
  return CW_OK;
}

void cw_engine_destroy_forces(cw_engine *engine) {
  cw_forces *forces = engine->forces;
  if (!forces)
    return;
  for (int f = 0; f < 6; f++) {
    if (forces->copy[f] != forces->value[f])
      cw_memory_free(engine->context, engine->space, forces->copy[f]);
    CW_DELETE(engine->context, forces->value[f]);
    cw_memory_free(engine->context, engine->space, forces->total[f]);
  }
  cw_external_destroy(forces->external);
  CW_DELETE(engine->context, forces);
  engine->forces = NULL;
}

/* External values at time t, where they are not there yet. They are evaluated on the host: those
 * that move cross to a device in each step. */
static cw_status evaluate(cw_engine *engine, double t) {
  cw_forces *forces = engine->forces;
  if (forces->time == t || (!isnan(forces->time) && !cw_external_moves(forces->external)))
    return CW_OK;
  for (int f = 0; f < 6; f++) {
    if (!forces->value[f])
      continue;
    CW_TRY(cw_external_fill(forces->external, &engine->grid, f, t, forces->value[f]));
    /* ECSIM's response is folded at the edges: field and response must have the same images there
     */
    for (int a = 0; a < engine->grid.dim && engine->ecsim; a++)
      if (engine->deck->grid.fields[a][0] == CW_FIELD_PERIODIC)
        CW_TRY(cw_comm_fill_ghosts(engine->context, &engine->grid, CW_DOUBLE, forces->value[f], a));
    if (forces->copy[f] != forces->value[f])
      CW_TRY(cw_space_copy(engine->context, engine->space, forces->copy[f], CW_SPACE_HOST,
                           forces->value[f], (size_t)engine->grid.points * sizeof(double)));
  }
  forces->time = t;
  return CW_OK;
}

cw_status cw_engine_add_forces(cw_engine *engine, double t, cw_vector_view *E, cw_vector_view *B) {
  cw_forces *forces = engine->forces;
  if (!forces)
    return CW_OK;
  CW_TRY(evaluate(engine, t));
  for (int f = 0; f < 6; f++) {
    cw_vector_view *view = f < 3 ? E : B;
    if (!forces->value[f] || !view->component[f % 3])
      continue;
    CW_TRY(engine->space_ops->add_field(engine, view->precision, view->component[f % 3],
                                        forces->copy[f], forces->total[f]));
    view->component[f % 3] = forces->total[f];
  }
  return CW_OK;
}

void cw_engine_forget_forces(cw_engine *engine) {
  if (engine->forces)
    engine->forces->time = NAN;
}

cw_status cw_engine_external(cw_engine *engine, double t, const double *value[6]) {
  for (int f = 0; f < 6; f++)
    value[f] = NULL;
  if (!engine->forces)
    return CW_OK;
  CW_TRY(evaluate(engine, t));
  for (int f = 0; f < 6; f++)
    value[f] = engine->forces->copy[f];
  return CW_OK;
}
