/* What matching sides take the fields to: expressions of the deck, or the fields at the start. */
#include <math.h>
#include <stdio.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "engine/external_values.h"
#include "engine/grid_values_body.h"

struct cw_match {
  int given[2]; /* match_E, match_B; else the initial field stays the target */
  cw_external_values values;
  double *initial[6]; /* over the grid, in the engine's space; NULL where expressions are given */
};

static int any_side(const cw_deck *deck) {
  int any = 0;
  for (int a = 0; a < deck->grid.dim; a++)
    any |= deck->grid.fields[a][0] == CW_FIELD_MATCH || deck->grid.fields[a][1] == CW_FIELD_MATCH;
  return any;
}

double cw_engine_match_bytes(const cw_deck *deck, const cw_grid *grid) {
  return any_side(deck) ? 6 * sizeof(double) * (double)grid->points : 0;
}

cw_status cw_engine_create_match(cw_engine *engine) {
  cw_context *context = engine->context;
  cw_external *external;
  const double *target[6];
  if (!any_side(engine->deck))
    return CW_OK;
  CW_TRY(CW_NEW(context, 1, "matching sides", &engine->match));
  cw_match *match = engine->match;
  match->given[0] = cw_deck_setup_parameter(engine->deck, "match_E") != NULL;
  match->given[1] = cw_deck_setup_parameter(engine->deck, "match_B") != NULL;
  CW_TRY(cw_external_create(context, engine->deck, "match", 0, &external));
  if (external)
    CW_TRY(cw_external_values_create(engine, external, 1, &match->values));
  for (int f = 0; f < 6; f++) {
    if (!match->given[f / 3])
      CW_TRY(cw_memory_alloc(context, engine->space, (size_t)engine->grid.points, sizeof(double),
                             "field to match", (void **)&match->initial[f]));
    target[f] = match->given[f / 3] ? match->values.value[f] : match->initial[f];
  }
  cw_fields_match(engine->fields, target);
  return CW_OK;
}

void cw_engine_destroy_match(cw_engine *engine) {
  if (!engine->match)
    return;
  cw_external_values_destroy(engine, &engine->match->values);
  for (int f = 0; f < 6; f++)
    cw_memory_free(engine->context, engine->space, engine->match->initial[f]);
  CW_DELETE(engine->context, engine->match);
  engine->match = NULL;
}

/* The interior of a field, going on behind the sides as it ends there. */
static cw_status take(const cw_engine *engine, cw_precision precision, const void *field,
                      double *target) {
  const cw_grid *grid = &engine->grid;
  if (engine->space == CW_SPACE_DEVICE)
    return cw_engine_continue_cuda(engine->context, grid, precision, field, target);
  for (int64_t p = 0; p < grid->points; p++)
    target[p] = cw_real_get(field, precision, cw_nearest_inside(grid, p));
  return CW_OK;
}

cw_status cw_engine_match_initial(cw_engine *engine) {
  const cw_vector_view E = cw_fields_E(engine->fields), B = cw_fields_B(engine->fields);
  for (int f = 0; f < 6 && engine->match; f++)
    if (engine->match->initial[f])
      CW_TRY(take(engine, E.precision, f < 3 ? E.component[f] : B.component[f - 3],
                  engine->match->initial[f]));
  return CW_OK;
}

cw_status cw_engine_match(cw_engine *engine, double t) {
  if (!engine->match || !engine->match->values.external)
    return CW_OK;
  return cw_external_values_at(engine, &engine->match->values, t);
}

cw_status cw_engine_explain_match(cw_engine *engine) {
  return engine->match ? cw_external_values_explain(engine, &engine->match->values) : CW_OK;
}

double *cw_engine_match_shift(cw_engine *engine, int f) {
  if (!engine->match)
    return NULL;
  engine->match->values.time = NAN;
  return engine->match->initial[f];
}

int cw_engine_match_array(cw_engine *engine, int f, cw_array *array) {
  if (!engine->match || !engine->match->initial[f])
    return 0;
  *array = cw_engine_grid_array(engine, CW_ARRAY_F64, engine->match->initial[f]);
  snprintf(array->name, CW_ARRAY_NAME, "match/%c/%c", f < 3 ? 'E' : 'B', "xyz"[f % 3]);
  return 1;
}
