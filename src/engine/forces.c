/* The fields that act on particles: the engine's own, with them the deck's external ones, and for a
 * species the force on it: an acceleration f of the deck acts as the electric field that would give
 * it, f m / q, so that every pusher takes it at its order. */
#include <math.h>
#include <string.h>

#include "base/context_private.h"
#include "base/device.h"
#include "comm/comm.h"
#include "engine/engine_cuda.h"
#include "engine/engine_private.h"
#include "setup/external.h"

/* What a device needs to evaluate a component. */
typedef struct on_device {
  cw_expression_instruction *code;
  double *stack; /* NULL: the threads' own are deep enough */
} on_device;

struct cw_forces {
  cw_external *external;
  double scale;     /* from the deck's expressions to fields in units of B0 */
  double time;      /* of the values; NAN: none yet */
  double *value[6]; /* external Ex ... Bz over the grid, in the engine's space; NULL: zero */
  void *total[6];   /* with the engine's own, in its precision; NULL where there is no value */
  on_device device[6];
  cw_external_fault *first; /* on the device */
};

static cw_status to_device(cw_engine *engine, cw_forces *forces, int field) {
  cw_context *context = engine->context;
  on_device *device = &forces->device[field];
  const cw_external_plan plan = cw_external_get_plan(forces->external, &engine->grid, field);
  const int64_t deep = cw_engine_external_stack(plan.program.depth);
  const size_t bytes = (size_t)plan.program.length * sizeof *plan.program.code;
  CW_TRY(cw_memory_alloc(context, CW_SPACE_DEVICE, bytes, 1, "external field's program",
                         (void **)&device->code));
  if (deep > 0)
    CW_TRY(cw_memory_alloc(context, CW_SPACE_DEVICE, (size_t)deep, sizeof(double),
                           "external field's stack", (void **)&device->stack));
  return cw_device_write(context, device->code, plan.program.code, bytes);
}

static cw_status create_component(cw_engine *engine, cw_forces *forces, int field) {
  cw_context *context = engine->context;
  const size_t points = (size_t)engine->grid.points;
  CW_TRY(cw_memory_alloc(context, engine->space, points, sizeof(double), "external field",
                         (void **)&forces->value[field]));
  CW_TRY(cw_memory_alloc(context, engine->space, points,
                         (size_t)cw_precision_size(engine->deck->simulation.precision),
                         "field with the external one", &forces->total[field]));
  return engine->space == CW_SPACE_DEVICE ? to_device(engine, forces, field) : CW_OK;
}

/* Takes `external` over; NULL: nothing is made. After a failure *made is to be destroyed. */
static cw_status create(cw_engine *engine, cw_external *external, double scale, cw_forces **made) {
  cw_context *context = engine->context;
  if (!external)
    return CW_OK;
  const cw_status status = CW_NEW(context, 1, "forces", made);
  if (status != CW_OK) {
    cw_external_destroy(external);
    return status;
  }
  cw_forces *forces = *made;
  forces->external = external;
  forces->scale = scale;
  forces->time = NAN;
  for (int f = 0; f < 6; f++)
    if (cw_external_has(external, f))
      CW_TRY(create_component(engine, forces, f));
  if (engine->space == CW_SPACE_DEVICE)
    CW_TRY(cw_memory_alloc(context, CW_SPACE_DEVICE, 1, sizeof *forces->first,
                           "first fault of external fields", (void **)&forces->first));
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
  for (int f = 0; f < 6; f++) {
    cw_memory_free(engine->context, engine->space, forces->value[f]);
    cw_memory_free(engine->context, engine->space, forces->total[f]);
    cw_memory_free(engine->context, CW_SPACE_DEVICE, forces->device[f].code);
    cw_memory_free(engine->context, CW_SPACE_DEVICE, forces->device[f].stack);
  }
  cw_memory_free(engine->context, CW_SPACE_DEVICE, forces->first);
  cw_external_destroy(forces->external);
  CW_DELETE(engine->context, forces);
  *made = NULL;
}

void cw_engine_destroy_forces(cw_engine *engine) {
  destroy(engine, &engine->forces);
  for (int s = 0; s < engine->species_count; s++)
    destroy(engine, &engine->species[s].force);
}

static cw_status fill_on_host(cw_engine *engine, cw_forces *forces, int field, double t) {
  double *values = forces->value[field];
  CW_TRY(cw_external_fill(forces->external, &engine->grid, field, t, values));
  for (int64_t k = 0; k < engine->grid.points && forces->scale != 1; k++)
    values[k] *= forces->scale;
  return CW_OK;
}

/* On a device by the expression's program: nothing crosses to it. */
static cw_status fill(cw_engine *engine, cw_forces *forces, int field, double t) {
  if (engine->space == CW_SPACE_HOST)
    return fill_on_host(engine, forces, field, t);
  const cw_external_plan plan = cw_external_get_plan(forces->external, &engine->grid, field);
  cw_external_job job = {.grid = engine->grid,
                         .t = t,
                         .scale = forces->scale,
                         .code = forces->device[field].code,
                         .length = plan.program.length,
                         .stack = forces->device[field].stack,
                         .values = forces->value[field]};
  memcpy(job.size, plan.size, sizeof job.size);
  memcpy(job.shift, plan.shift, sizeof job.shift);
  return cw_engine_fill_external_cuda(engine->context, &job, forces->first);
}

/* External values at time t, where they are not there yet. */
static cw_status evaluate(cw_engine *engine, cw_forces *forces, double t) {
  if (forces->time == t || (!isnan(forces->time) && !cw_external_moves(forces->external)))
    return CW_OK;
  for (int f = 0; f < 6; f++) {
    if (!forces->value[f])
      continue;
    CW_TRY(fill(engine, forces, f, t));
    /* ECSIM's response is folded at the edges: field and response must have the same images there
     */
    for (int a = 0; a < engine->grid.dim && engine->ecsim; a++)
      if (engine->deck->grid.fields[a][0] == CW_FIELD_PERIODIC)
        CW_TRY(cw_comm_fill_ghosts_in(engine->context, engine->space, &engine->grid, CW_DOUBLE,
                                      forces->value[f], a));
  }
  forces->time = t;
  return CW_OK;
}

static cw_status explain(cw_engine *engine, cw_forces *forces) {
  cw_external_fault first = {0};
  double *values = NULL;
  if (!forces || !forces->first)
    return CW_OK;
  CW_TRY(cw_device_read(engine->context, &first, forces->first, sizeof first));
  if (!first.found)
    return CW_OK;
  cw_status status = CW_NEW(engine->context, engine->grid.points, "external field", &values);
  for (int f = 0; f < 6 && status == CW_OK; f++)
    if (forces->value[f])
      status = cw_external_fill(forces->external, &engine->grid, f, first.t, values);
  CW_DELETE(engine->context, values);
  return status;
}

cw_status cw_engine_explain_forces(cw_engine *engine) {
  CW_TRY(explain(engine, engine->forces));
  for (int s = 0; s < engine->species_count; s++)
    CW_TRY(explain(engine, engine->species[s].force));
  return CW_OK;
}

static cw_status add(cw_engine *engine, cw_forces *forces, double t, cw_vector_view *E,
                     cw_vector_view *B) {
  if (!forces)
    return CW_OK;
  CW_TRY(evaluate(engine, forces, t));
  for (int f = 0; f < 6; f++) {
    cw_vector_view *view = f < 3 ? E : B;
    if (!forces->value[f] || !view->component[f % 3])
      continue;
    CW_TRY(engine->space_ops->add_field(engine, view->precision, view->component[f % 3],
                                        forces->value[f], forces->total[f]));
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
    engine->forces->time = NAN;
  for (int s = 0; s < engine->species_count; s++)
    if (engine->species[s].force)
      engine->species[s].force->time = NAN;
}

cw_status cw_engine_external(cw_engine *engine, double t, const double *value[6]) {
  for (int f = 0; f < 6; f++)
    value[f] = NULL;
  if (!engine->forces)
    return CW_OK;
  CW_TRY(evaluate(engine, engine->forces, t));
  for (int f = 0; f < 6; f++)
    value[f] = engine->forces->value[f];
  return CW_OK;
}
