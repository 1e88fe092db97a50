#include "engine/tracked.h"

#include <string.h>

#include "base/context_private.h"
#include "base/device.h"
#include "base/reals.h"
#include "engine/engine_private.h"
#include "setup/particle_place.h"
#include "sort/particles_private.h"

/* Slots of the tracked, ordered by id; *list is freed by the caller. */
static cw_status find(cw_engine *engine, const cw_particles_view *view, cw_id_slot **list,
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
        (*list)[next++] = (cw_id_slot){view->id[p], p};
  }
  CW_DELETE(engine->context, first);
  if (status == CW_OK)
    cw_order_by_id(*list, *count);
  return status;
}

/* A view of copies of their places alone, for the gather; freed with free_places. */
static cw_status copy_places(cw_engine *engine, const cw_particles_view *all,
                             const cw_id_slot *list, cw_particles_view *places) {
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

/* The fields that act, where the particles are. */
static cw_status gather(cw_engine *engine, const cw_particles_view *places, double *field[6]) {
  cw_vector_view E = cw_fields_E(engine->fields), B = cw_fields_B(engine->fields);
  CW_TRY(cw_engine_add_forces(engine, cw_engine_time(engine), &E, &B));
  CW_TRY(cw_engine_host_vector(engine, CW_QUANTITY_E, &E));
  CW_TRY(cw_engine_host_vector(engine, CW_QUANTITY_B, &B));
  return cw_push_gather(engine->context, engine->deck->algorithms.deposit.shape_order,
                        &engine->grid, E, B, places, field);
}

/* Slots of a device's tracked particles, in their order. */
static cw_status find_on_device(cw_engine *engine, const cw_particles_view *view, uint32_t **slots,
                                int64_t *count) {
  cw_context *context = engine->context;
  uint8_t *tag = NULL;
  int64_t next = 0;
  cw_status status = CW_OK;
  *count = 0;
  CW_TRY_CLEANUP(status, CW_NEW(context, view->count + 1, "tags of particles", &tag));
  CW_TRY_CLEANUP(status, cw_device_read(context, tag, view->tag, (size_t)view->count));
  for (int64_t p = 0; p < view->count; p++)
    *count += tag[p] == CW_TAG_TRACKED;
  CW_TRY_CLEANUP(status, CW_NEW(context, *count + 1, "slots of tracked particles", slots));
  for (int64_t p = 0; p < view->count; p++)
    if (tag[p] == CW_TAG_TRACKED)
      (*slots)[next++] = (uint32_t)p;
cleanup:
  CW_DELETE(context, tag);
  return status;
}

/* What a device's tracked particles are made of, but for their previous places, on the host; freed
 * with free_members, after a failure too. */
static cw_status fetch(cw_engine *engine, const cw_particles_view *all, cw_particles_view *host) {
  cw_context *context = engine->context;
  void *from[CW_MEMBERS], *to[CW_MEMBERS] = {NULL}, *list = NULL, *gathered = NULL;
  uint32_t *slots = NULL;
  cw_status status = CW_OK;
  *host = (cw_particles_view){.precision = all->precision, .space = CW_SPACE_HOST};
  CW_TRY_CLEANUP(status, find_on_device(engine, all, &slots, &host->count));
  if (host->count == 0)
    goto cleanup;
  const size_t n = (size_t)host->count;
  CW_TRY_CLEANUP(status, cw_memory_alloc(context, CW_SPACE_DEVICE, n, 4, "tracked slots", &list));
  CW_TRY_CLEANUP(status,
                 cw_memory_alloc(context, CW_SPACE_DEVICE, n, 8, "tracked particles", &gathered));
  CW_TRY_CLEANUP(status, cw_device_write(context, list, slots, n * 4));
  cw_member_arrays(all, from);
  for (int m = 0; m < CW_MEMBERS; m++) {
    const size_t size = cw_member_size(m, all->precision);
    if (!from[m] || (m >= CW_MEMBER_I_PREV && m < CW_MEMBER_DX) ||
        (m >= CW_MEMBER_DX_PREV && m < CW_MEMBER_U))
      continue;
    CW_TRY_CLEANUP(status,
                   cw_memory_alloc(context, CW_SPACE_HOST, n, size, "tracked particles", &to[m]));
    CW_TRY_CLEANUP(status,
                   cw_cells_gather_device(context, host->count, list, size, from[m], gathered));
    CW_TRY_CLEANUP(status, cw_device_read(context, to[m], gathered, n * size));
  }
cleanup:
  cw_member_set_arrays(host, to);
  CW_DELETE(context, slots);
  cw_memory_free(context, CW_SPACE_DEVICE, list);
  cw_memory_free(context, CW_SPACE_DEVICE, gathered);
  return status;
}

static void free_members(cw_context *context, const cw_particles_view *view) {
  void *array[CW_MEMBERS];
  cw_member_arrays(view, array);
  for (int m = 0; m < CW_MEMBERS; m++)
    CW_DELETE(context, array[m]);
}

static void fill_own(const cw_engine *engine, const cw_particles_view *view, const cw_id_slot *list,
                     cw_tracked *tracked) {
  const cw_grid *grid = &engine->grid;
  double **value = tracked->value;
  for (int64_t k = 0; k < tracked->count; k++) {
    const int64_t p = list[k].slot;
    int c = 0;
    tracked->id[k] = list[k].id;
    for (int a = 0; a < grid->dim; a++)
      value[c++][k] = cw_particle_coordinate(grid, view, a, p);
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
  const cw_particles_view all = cw_particles_get_view(engine->species[s].particles);
  const int on_device = all.space == CW_SPACE_DEVICE;
  cw_particles_view view = all;
  cw_particles_view places = {.precision = view.precision, .space = CW_SPACE_HOST};
  cw_id_slot *list = NULL;
  cw_status status = CW_OK;
  memset(tracked, 0, sizeof *tracked);
  if (on_device)
    CW_TRY_CLEANUP(status, fetch(engine, &all, &view));
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
  if (on_device)
    free_members(engine->context, &view);
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
