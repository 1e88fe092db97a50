#include "engine/sample.h"

#include <math.h>
#include <string.h>

#include <omp.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "base/thinning.h"
#include "engine/engine_private.h"
#include "setup/particle_place.h"

/* One species being gathered. */
typedef struct taking {
  cw_engine *engine;
  int massless;
  int64_t stride;
  const cw_selection *selection;
  cw_sample *sample;
  uint8_t *chosen; /* of the slots of a part */
  int64_t room;
} taking;

static void momentum_of(const cw_particles_view *part, int64_t p, double u[3]) {
  for (int a = 0; a < 3; a++)
    u[a] = cw_real_get(part->u[a], part->precision, p);
}

static int is_chosen(const taking *work, const cw_particles_view *part, int64_t p) {
  double x[3], u[3];
  if ((part->tag && part->tag[p] == CW_TAG_DEAD) || !cw_thinning_keeps(part->id[p], work->stride))
    return 0;
  cw_particle_place(&work->engine->grid, part, p, x);
  momentum_of(part, p, u);
  const double u2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  const double gamma = work->massless                    ? sqrt(u2)
                       : cw_engine_is_slow(work->engine) ? 1 + 0.5 * u2
                                                         : sqrt(1 + u2);
  return cw_selection_takes(work->selection, x, u, gamma);
}

/* An array of `room` doubles with the `count` first ones of *array. */
static cw_status regrow(cw_context *context, int64_t count, int64_t room, double **array) {
  double *made;
  CW_TRY(CW_NEW(context, room, "particles for output", &made));
  if (count)
    memcpy(made, *array, (size_t)count * sizeof *made);
  CW_DELETE(context, *array);
  *array = made;
  return CW_OK;
}

static cw_status make_room(taking *work, const cw_particles_view *part, int64_t more) {
  cw_context *context = work->engine->context;
  cw_sample *sample = work->sample;
  uint64_t *id;
  if (sample->count + more <= sample->room)
    return CW_OK;
  const int64_t room = cw_max_i64(sample->count + more, 2 * sample->room);
  for (int a = 0; a < 3; a++) {
    if (a < work->engine->grid.dim)
      CW_TRY(regrow(context, sample->count, room, &sample->x[a]));
    CW_TRY(regrow(context, sample->count, room, &sample->u[a]));
  }
  CW_TRY(regrow(context, sample->count, room, &sample->weight));
  for (int k = 0; k < CW_MAX_PAYLOADS && part->payload[k]; k++)
    CW_TRY(regrow(context, sample->count, room, &sample->payload[k]));
  CW_TRY(CW_NEW(context, room, "ids for output", &id));
  if (sample->count)
    memcpy(id, sample->id, (size_t)sample->count * sizeof *id);
  CW_DELETE(context, sample->id);
  sample->id = id;
  sample->room = room;
  return CW_OK;
}

static void add(taking *work, const cw_particles_view *part, int64_t p) {
  cw_sample *sample = work->sample;
  const int64_t n = sample->count++;
  double x[3], u[3];
  cw_particle_place(&work->engine->grid, part, p, x);
  momentum_of(part, p, u);
  for (int a = 0; a < 3; a++) {
    if (sample->x[a])
      sample->x[a][n] = x[a];
    sample->u[a][n] = u[a];
  }
  sample->weight[n] = part->weight ? cw_real_get(part->weight, part->precision, p) : 1;
  for (int k = 0; k < CW_MAX_PAYLOADS && part->payload[k]; k++)
    sample->payload[k][n] = cw_real_get(part->payload[k], part->precision, p);
  sample->id[n] = part->id[p];
}

static cw_status take_part(void *user, const cw_particles_view *part) {
  taking *work = user;
  int64_t more = 0;
  if (part->count > work->room) {
    CW_DELETE(work->engine->context, work->chosen);
    work->chosen = NULL;
    CW_TRY(CW_NEW(work->engine->context, part->count, "chosen slots", &work->chosen));
    work->room = part->count;
  }
#pragma omp parallel for num_threads(cw_context_threads(work->engine->context)) schedule(static)   \
    reduction(+ : more)
  for (int64_t p = 0; p < part->count; p++) {
    work->chosen[p] = (uint8_t)is_chosen(work, part, p);
    more += work->chosen[p];
  }
  CW_TRY(make_room(work, part, more));
  for (int64_t p = 0; p < part->count; p++)
    if (work->chosen[p])
      add(work, part, p);
  return CW_OK;
}

static void permute(const cw_id_slot *order, int64_t count, double *array, double *work) {
  if (!array)
    return;
  for (int64_t n = 0; n < count; n++)
    work[n] = array[order[n].slot];
  memcpy(array, work, (size_t)count * sizeof *array);
}

static cw_status sort_by_id(cw_context *context, cw_sample *sample) {
  cw_id_slot *order = NULL;
  double *work = NULL;
  cw_status status = CW_OK;
  if (sample->count == 0)
    return CW_OK;
  CW_TRY_CLEANUP(status, CW_NEW(context, sample->count, "order of ids", &order));
  CW_TRY_CLEANUP(status, CW_NEW(context, sample->count, "order of ids", &work));
  for (int64_t n = 0; n < sample->count; n++)
    order[n] = (cw_id_slot){sample->id[n], n};
  cw_order_by_id(order, sample->count);
  for (int a = 0; a < 3; a++) {
    permute(order, sample->count, sample->x[a], work);
    permute(order, sample->count, sample->u[a], work);
  }
  permute(order, sample->count, sample->weight, work);
  for (int k = 0; k < CW_MAX_PAYLOADS; k++)
    permute(order, sample->count, sample->payload[k], work);
  for (int64_t n = 0; n < sample->count; n++)
    sample->id[n] = order[n].id;
cleanup:
  CW_DELETE(context, work);
  CW_DELETE(context, order);
  return status;
}

cw_status cw_sample_take(cw_engine *engine, int species, int64_t stride,
                         const cw_selection *selection, cw_sample *sample) {
  taking work = {.engine = engine,
                 .massless = engine->species[species].deck->mass == 0,
                 .stride = stride,
                 .selection = selection,
                 .sample = sample};
  cw_status status = cw_engine_each_part(engine, species, take_part, &work);
  if (status == CW_OK)
    status = sort_by_id(engine->context, sample);
  CW_DELETE(engine->context, work.chosen);
  if (status != CW_OK)
    cw_sample_clear(engine->context, sample);
  return status;
}

void cw_sample_clear(cw_context *context, cw_sample *sample) {
  for (int a = 0; a < 3; a++) {
    CW_DELETE(context, sample->x[a]);
    CW_DELETE(context, sample->u[a]);
  }
  CW_DELETE(context, sample->weight);
  for (int k = 0; k < CW_MAX_PAYLOADS; k++)
    CW_DELETE(context, sample->payload[k]);
  CW_DELETE(context, sample->id);
  *sample = (cw_sample){0};
}
