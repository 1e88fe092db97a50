#include "engine/tracked.h"

#include <stdlib.h>
#include <string.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "engine/engine_private.h"

/* A tracked particle's id and slot. */
typedef struct found {
  uint64_t id;
  int64_t slot;
} found;

static int by_id(const void *a, const void *b) {
  const found *first = a, *second = b;
  return first->id < second->id ? -1 : first->id > second->id;
}

/* Slots of the tracked, ordered by id; *list is freed by the caller. */
static cw_status find(cw_engine *engine, const cw_particles_view *view, found **list,
                      int64_t *count) {
  const int64_t blocks = cw_block_count(view->count);
  int64_t *first = NULL;
  CW_TRY(CW_NEW(engine->context, blocks + 1, "tracked particles of a block", &first));
#pragma omp parallel for num_threads(cw_context_threads(engine->context)) schedule(static)
  for (int64_t b = 0; b < blocks; b++)
    for (int64_t p = b * CW_BLOCK; p < cw_min_i64((b + 1) * CW_BLOCK, view->count); p++)
      first[b + 1] += view->tag[p] == CW_TAG_TRACKED;
  for (int64_t b = 0; b < blocks; b++)
    first[b + 1] += first[b];
  *count = first[blocks];
  cw_status status = CW_NEW(engine->context, *count + 1, "tracked particles", list);
  for (int64_t b = 0; b < blocks && status == CW_OK; b++) {
    int64_t next = first[b];
    for (int64_t p = b * CW_BLOCK; next < first[b + 1]; p++)
      if (view->tag[p] == CW_TAG_TRACKED)
        (*list)[next++] = (found){view->id[p], p};
  }
  CW_DELETE(engine->context, first);
  if (status == CW_OK)
    qsort(*list, (size_t)*count, sizeof **list, by_id);
  return status;
}

/* A view of copies of their places alone, for the gather; freed with free_places. */
static cw_status copy_places(cw_engine *engine, const cw_particles_view *all, const found *list,
                             cw_particles_view *places) {
  const size_t real = (size_t)cw_precision_size(all->precision);
  for (int a = 0; a < engine->grid.dim; a++) {
    CW_TRY(CW_NEW(engine->context, places->count, "cells of tracked particles", &places->i[a]));
    CW_TRY(cw_memory_alloc(engine->context, CW_SPACE_HOST, (size_t)places->count, real,
                           "offsets of tracked particles", &places->dx[a]));
    for (int64_t k = 0; k < places->count; k++) {
      places->i[a][k] = all->i[a][list[k].slot];
      memcpy((char *)places->dx[a] + (size_t)k * real,
             (const char *)all->dx[a] + (size_t)list[k].slot * real, real);
    }
  }
  return CW_OK;
}

static void free_places(cw_context *context, cw_particles_view *places) {
  for (int a = 0; a < 3; a++) {
    CW_DELETE(context, places->i[a]);
    CW_DELETE(context, places->dx[a]);
  }
}

static cw_status gather(cw_engine *engine, const cw_particles_view *places, double *field[6]) {
  cw_vector_view E = cw_fields_E(engine->fields), B = cw_fields_B(engine->fields);
  CW_TRY(cw_engine_add_forces(engine, cw_engine_time(engine), &E, &B));
  return cw_push_gather(engine->context, engine->deck->algorithms.deposit.shape_order,
                        &engine->grid, E, B, places, field);
}

static void fill_own(const cw_engine *engine, const cw_particles_view *view, const found *list,
                     cw_tracked *tracked) {
  const cw_grid *grid = &engine->grid;
  double **value = tracked->value;
  for (int64_t k = 0; k < tracked->count; k++) {
    const int64_t p = list[k].slot;
    int c = 0;
    tracked->id[k] = list[k].id;
    for (int a = 0; a < grid->dim; a++)
      value[c++][k] = grid->origin[a] +
                      (view->i[a][p] + cw_real_get(view->dx[a], view->precision, p)) * grid->dx[a];
    for (int a = 0; a < 3; a++)
      value[c++][k] = cw_real_get(view->u[a], view->precision, p);
    value[c++][k] = view->weight ? cw_real_get(view->weight, view->precision, p) : 1;
    c += 6; /* E and B are gathered */
    for (int m = 0; m < CW_MAX_PAYLOADS && view->payload[m]; m++)
      value[c++][k] = cw_real_get(view->payload[m], view->precision, p);
  }
}

cw_status cw_engine_tracked(cw_engine *engine, int s, cw_tracked *tracked) {
  char names[CW_TRACK_COLUMNS][CW_TRACK_NAME];
  const int columns = cw_track_columns(engine->deck, s, names);
  const cw_particles_view view = cw_particles_get_view(engine->species[s].particles);
  cw_particles_view places = {.precision = view.precision, .space = CW_SPACE_HOST};
  found *list = NULL;
  cw_status status = CW_OK;
  memset(tracked, 0, sizeof *tracked);
  if (view.space != CW_SPACE_HOST)
    return cw_fail(engine->context, CW_ERROR_UNSUPPORTED, "particles on a device aren't tracked");
  CW_TRY_CLEANUP(status, find(engine, &view, &list, &tracked->count));
  places.count = tracked->count;
  CW_TRY_CLEANUP(status, CW_NEW(engine->context, tracked->count + 1, "ids", &tracked->id));
  for (int c = 0; c < columns; c++)
    CW_TRY_CLEANUP(status, CW_NEW(engine->context, tracked->count + 1, "a tracked quantity",
                                  &tracked->value[c]));
  CW_TRY_CLEANUP(status, copy_places(engine, &view, list, &places));
  fill_own(engine, &view, list, tracked);
  status = gather(engine, &places, tracked->value + engine->grid.dim + 4);
cleanup:
  free_places(engine->context, &places);
  CW_DELETE(engine->context, list);
  return status;
}

void cw_tracked_free(cw_context *context, cw_tracked *tracked) {
  CW_DELETE(context, tracked->id);
  for (int c = 0; c < CW_TRACK_COLUMNS; c++)
    CW_DELETE(context, tracked->value[c]);
  tracked->count = 0;
}
