#include "engine/external_values.h"

#include <math.h>
#include <string.h>

#include "base/context_private.h"
#include "base/device.h"
#include "comm/comm.h"

static cw_status to_device(cw_engine *engine, cw_external_values *values, int field) {
  cw_context *context = engine->context;
  const cw_external_plan plan = cw_external_get_plan(values->external, &engine->grid, field);
  const int64_t deep = cw_engine_external_stack(plan.program.depth);
  const size_t bytes = (size_t)plan.program.length * sizeof *plan.program.code;
  CW_TRY(cw_memory_alloc(context, CW_SPACE_DEVICE, bytes, 1, "external field's program",
                         (void **)&values->code[field]));
  if (deep > 0)
    CW_TRY(cw_memory_alloc(context, CW_SPACE_DEVICE, (size_t)deep, sizeof(double),
                           "external field's stack", (void **)&values->stack[field]));
  return cw_device_write(context, values->code[field], plan.program.code, bytes);
}

cw_status cw_external_values_create(cw_engine *engine, cw_external *external, double scale,
                                    cw_external_values *made) {
  cw_context *context = engine->context;
  *made = (cw_external_values){.external = external, .scale = scale, .time = NAN};
  for (int f = 0; f < 6; f++) {
    if (!cw_external_has(external, f))
      continue;
    CW_TRY(cw_memory_alloc(context, engine->space, (size_t)engine->grid.points, sizeof(double),
                           "external field", (void **)&made->value[f]));
    if (engine->space == CW_SPACE_DEVICE)
      CW_TRY(to_device(engine, made, f));
  }
  if (engine->space == CW_SPACE_DEVICE)
    CW_TRY(cw_memory_alloc(context, CW_SPACE_DEVICE, 1, sizeof *made->first,
                           "first fault of external fields", (void **)&made->first));
  return CW_OK;
}

void cw_external_values_destroy(cw_engine *engine, cw_external_values *values) {
  for (int f = 0; f < 6; f++) {
    cw_memory_free(engine->context, engine->space, values->value[f]);
    cw_memory_free(engine->context, CW_SPACE_DEVICE, values->code[f]);
    cw_memory_free(engine->context, CW_SPACE_DEVICE, values->stack[f]);
  }
  cw_memory_free(engine->context, CW_SPACE_DEVICE, values->first);
  cw_external_destroy(values->external);
  *values = (cw_external_values){.time = NAN};
}

static cw_status fill_on_host(cw_engine *engine, cw_external_values *values, int field, double t) {
  double *value = values->value[field];
  CW_TRY(cw_external_fill(values->external, &engine->grid, field, t, value));
  for (int64_t k = 0; k < engine->grid.points && values->scale != 1; k++)
    value[k] *= values->scale;
  return CW_OK;
}

/* On a device by the expression's program. */
static cw_status fill(cw_engine *engine, cw_external_values *values, int field, double t) {
  if (engine->space == CW_SPACE_HOST)
    return fill_on_host(engine, values, field, t);
  const cw_external_plan plan = cw_external_get_plan(values->external, &engine->grid, field);
  cw_external_job job = {.grid = engine->grid,
                         .t = t,
                         .scale = values->scale,
                         .code = values->code[field],
                         .length = plan.program.length,
                         .stack = values->stack[field],
                         .values = values->value[field]};
  memcpy(job.size, plan.size, sizeof job.size);
  memcpy(job.shift, plan.shift, sizeof job.shift);
  return cw_engine_fill_external_cuda(engine->context, &job, values->first);
}

cw_status cw_external_values_at(cw_engine *engine, cw_external_values *values, double t) {
  if (values->time == t || (!isnan(values->time) && !cw_external_moves(values->external)))
    return CW_OK;
  for (int f = 0; f < 6; f++) {
    if (!values->value[f])
      continue;
    CW_TRY(fill(engine, values, f, t));
    /* ECSIM's response is folded at the edges: field and response must have the same images there
     */
    for (int a = 0; a < engine->grid.dim && engine->ecsim; a++)
      if (engine->deck->grid.fields[a][0] == CW_FIELD_PERIODIC)
        CW_TRY(cw_comm_fill_ghosts_in(engine->context, engine->space, &engine->grid, CW_DOUBLE,
                                      values->value[f], a));
  }
  values->time = t;
  return CW_OK;
}

cw_status cw_external_values_explain(cw_engine *engine, const cw_external_values *values) {
  cw_external_fault first = {0};
  double *found = NULL;
  if (!values->first)
    return CW_OK;
  CW_TRY(cw_device_read(engine->context, &first, values->first, sizeof first));
  if (!first.found)
    return CW_OK;
  cw_status status = CW_NEW(engine->context, engine->grid.points, "external field", &found);
  for (int f = 0; f < 6 && status == CW_OK; f++)
    if (values->value[f])
      status = cw_external_fill(values->external, &engine->grid, f, first.t, found);
  CW_DELETE(engine->context, found);
  return status;
}
