/* What matching sides take the fields to: expressions of the deck, or the fields at the start. */
#include <math.h>
#include <stdio.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "engine/engine_private.h"
#include "setup/external.h"

struct cw_match {
  cw_external *external; /* match_E, match_B; NULL: neither is given */
  int given[2];          /* of E and B; else the initial field stays the target */
  double time;           /* of the expressions' values; NAN: none yet */
  double *target[6];     /* Ex ... Bz over the grid */
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
  if (!any_side(engine->deck))
    return CW_OK;
  CW_TRY(CW_NEW(context, 1, "matching sides", &engine->match));
  cw_match *match = engine->match;
  match->time = NAN;
  match->given[0] = cw_deck_setup_parameter(engine->deck, "match_E") != NULL;
  match->given[1] = cw_deck_setup_parameter(engine->deck, "match_B") != NULL;
  CW_TRY(cw_external_create(context, engine->deck, "match", 0, &match->external));
  for (int f = 0; f < 6; f++)
    CW_TRY(CW_NEW(context, engine->grid.points, "field to match", &match->target[f]));
  cw_fields_match(engine->fields, (const double *const *)match->target);
  return CW_OK;
}

void cw_engine_destroy_match(cw_engine *engine) {
  if (!engine->match)
    return;
  cw_external_destroy(engine->match->external);
  for (int f = 0; f < 6; f++)
    CW_DELETE(engine->context, engine->match->target[f]);
  CW_DELETE(engine->context, engine->match);
  engine->match = NULL;
}

/* The interior of a field, going on behind the sides as it ends there. */
static void take(const cw_grid *grid, cw_precision precision, const void *field, double *target) {
  for (int64_t p = 0; p < grid->points; p++) {
    int64_t index[3] = {0, 0, 0}, rest = p;
    for (int a = grid->dim - 1; a >= 0; a--) {
      index[a] = rest / grid->stride[a] - grid->ghost;
      rest %= grid->stride[a];
      index[a] = cw_max_i64(0, cw_min_i64(index[a], grid->cells[a] - 1));
    }
    target[p] = cw_real_get(field, precision, cw_grid_index(grid, index[0], index[1], index[2]));
  }
}

void cw_engine_match_initial(cw_engine *engine) {
  const cw_vector_view E = cw_fields_E(engine->fields), B = cw_fields_B(engine->fields);
  for (int f = 0; f < 6 && engine->match; f++)
    if (!engine->match->given[f / 3])
      take(&engine->grid, E.precision, f < 3 ? E.component[f] : B.component[f - 3],
           engine->match->target[f]);
}

cw_status cw_engine_match(cw_engine *engine, double t) {
  cw_match *match = engine->match;
  if (!match || !match->external || match->time == t ||
      (!isnan(match->time) && !cw_external_moves(match->external)))
    return CW_OK;
  for (int f = 0; f < 6; f++)
    if (match->given[f / 3])
      CW_TRY(cw_external_fill(match->external, &engine->grid, f, t, match->target[f]));
  match->time = t;
  return CW_OK;
}

double *cw_engine_match_shift(cw_engine *engine, int f) {
  if (!engine->match)
    return NULL;
  engine->match->time = NAN;
  return engine->match->given[f / 3] ? NULL : engine->match->target[f];
}

int cw_engine_match_array(cw_engine *engine, int f, cw_array *array) {
  if (!engine->match || engine->match->given[f / 3])
    return 0;
  *array = cw_engine_grid_array(engine, CW_ARRAY_F64, engine->match->target[f]);
  snprintf(array->name, CW_ARRAY_NAME, "match/%c/%c", f < 3 ? 'E' : 'B', "xyz"[f % 3]);
  return 1;
}
