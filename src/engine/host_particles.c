/* Particles as output sees them: on the host, some at a time, with momenta at the time of the
 * fields. */
#include <stdlib.h>

#include "base/context_private.h"
#include "base/space.h"
#include "engine/engine_private.h"
#include "sort/particles_private.h"

enum { MOST_AT_ONCE = 1 << 20 }; /* slots */

/* Where a part's arrays are copied to, if they are on a device; the momenta in any case. */
typedef struct staging {
  int64_t room;
  cw_centred_momenta centred; /* in the engine's space */
  cw_particles_view host;     /* its arrays, of `room` slots */
} staging;

int cw_engine_is_slow(const cw_engine *engine) {
  return engine->ecsim && !engine->deck->algorithms.ecsim.relativistic;
}

static cw_status make_host_array(cw_engine *engine, int64_t room, size_t each, void **array) {
  return cw_memory_alloc(engine->context, CW_SPACE_HOST, (size_t)room, each, "particles for output",
                         array);
}

static cw_status make_staging(cw_engine *engine, const cw_particles_view *all, staging *made) {
  const size_t real = (size_t)cw_precision_size(all->precision);
  void *tag = NULL, *id = NULL;
  for (int a = 0; a < 3; a++)
    CW_TRY(cw_memory_alloc(engine->context, engine->space, (size_t)made->room, real,
                           "centred momenta", &made->centred.u[a]));
  if (engine->space == CW_SPACE_HOST)
    return CW_OK;
  for (int a = 0; a < 3; a++) {
    void *cell = NULL;
    CW_TRY(make_host_array(engine, made->room, real, &made->host.u[a]));
    if (a >= engine->grid.dim)
      continue;
    CW_TRY(make_host_array(engine, made->room, sizeof(int32_t), &cell));
    made->host.i[a] = cell;
    CW_TRY(make_host_array(engine, made->room, real, &made->host.dx[a]));
  }
  if (all->weight)
    CW_TRY(make_host_array(engine, made->room, real, &made->host.weight));
  for (int k = 0; k < CW_MAX_PAYLOADS && all->payload[k]; k++)
    CW_TRY(make_host_array(engine, made->room, real, &made->host.payload[k]));
  CW_TRY(make_host_array(engine, made->room, sizeof(uint8_t), &tag));
  made->host.tag = tag;
  CW_TRY(make_host_array(engine, made->room, sizeof(uint64_t), &id));
  made->host.id = id;
  return CW_OK;
}

static void free_staging(cw_engine *engine, staging *made) {
  for (int a = 0; a < 3; a++) {
    cw_memory_free(engine->context, engine->space, made->centred.u[a]);
    CW_DELETE(engine->context, made->host.u[a]);
    CW_DELETE(engine->context, made->host.i[a]);
    CW_DELETE(engine->context, made->host.dx[a]);
  }
  for (int k = 0; k < CW_MAX_PAYLOADS; k++)
    CW_DELETE(engine->context, made->host.payload[k]);
  CW_DELETE(engine->context, made->host.weight);
  CW_DELETE(engine->context, made->host.tag);
  CW_DELETE(engine->context, made->host.id);
}

static cw_status fetch_array(cw_engine *engine, void *to, const void *from, int64_t count,
                             size_t each) {
  if (!to)
    return CW_OK;
  return cw_space_copy(engine->context, CW_SPACE_HOST, to, engine->space, from,
                       (size_t)count * each);
}

/* A part of the device's arrays on the host. */
static cw_status fetch(cw_engine *engine, staging *made, cw_particles_view *part) {
  const size_t real = (size_t)cw_precision_size(part->precision);
  cw_particles_view host = made->host;
  host.count = part->count;
  host.precision = part->precision;
  host.space = CW_SPACE_HOST;
  for (int a = 0; a < 3; a++) {
    CW_TRY(fetch_array(engine, host.u[a], part->u[a], part->count, real));
    CW_TRY(fetch_array(engine, host.i[a], part->i[a], part->count, sizeof(int32_t)));
    CW_TRY(fetch_array(engine, host.dx[a], part->dx[a], part->count, real));
  }
  CW_TRY(fetch_array(engine, host.weight, part->weight, part->count, real));
  for (int k = 0; k < CW_MAX_PAYLOADS; k++)
    CW_TRY(fetch_array(engine, host.payload[k], part->payload[k], part->count, real));
  CW_TRY(fetch_array(engine, host.tag, part->tag, part->count, sizeof(uint8_t)));
  CW_TRY(fetch_array(engine, host.id, part->id, part->count, sizeof(uint64_t)));
  *part = host;
  return CW_OK;
}

cw_status cw_engine_each_part(cw_engine *engine, int s, cw_particles_visit *visit, void *user) {
  const cw_particles_view all = cw_particles_get_view(engine->species[s].particles);
  const int64_t most = cw_min_i64(engine->space_ops->chunk, MOST_AT_ONCE);
  staging work = {.room = cw_min_i64(all.count, most)};
  cw_status status = CW_OK;
  if (all.count == 0)
    return CW_OK;
  CW_TRY_CLEANUP(status, make_staging(engine, &all, &work));
  for (int64_t from = 0; from < all.count; from += most) {
    const int64_t to = cw_min_i64(from + most, all.count);
    cw_particles_view part = cw_particles_slots(&all, from, to);
    if (!engine->ecsim) /* whose u is at the time of its fields */
      CW_TRY_CLEANUP(status, cw_engine_centre(engine, s, &all, from, to, &work.centred, &part));
    if (engine->space == CW_SPACE_DEVICE)
      CW_TRY_CLEANUP(status, fetch(engine, &work, &part));
    for (int a = 0; a < 3; a++)
      part.i_prev[a] = NULL, part.dx_prev[a] = NULL;
    CW_TRY_CLEANUP(status, visit(user, &part));
  }
cleanup:
  free_staging(engine, &work);
  return status;
}

static int compare_ids(const void *a, const void *b) {
  const cw_id_slot *first = a, *second = b;
  return first->id < second->id ? -1 : first->id > second->id;
}

void cw_order_by_id(cw_id_slot *list, int64_t count) {
  qsort(list, (size_t)count, sizeof *list, compare_ids);
}
