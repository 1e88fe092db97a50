/* What the engines themselves do to arrays in device memory; all of it queued, but for what
 * has a result on the host. Stages are timed by events, whose distances are read at the next wait:
 * a step waits for nothing to be timed. */
#include "base/context_private.h"
#include "base/device.h"
#include "engine/ecsim_cuda.h"
#include "engine/engine_cuda.h"
#include "engine/engine_private.h"

enum { MARKS = 128 * CW_STEP_MARKS }; /* a wait at least every so many steps */

struct cw_engine_device {
  double *work; /* CW_ENERGY_WORK values */
  int marks;
  int stage[MARKS]; /* that ends there */
  cw_device_event *event[MARKS];
};

static cw_status device_open(cw_engine *engine) {
  CW_TRY(CW_NEW(engine->context, 1, "engine on the device", &engine->device));
  for (int k = 0; k < MARKS; k++)
    CW_TRY(cw_device_event_create(engine->context, &engine->device->event[k]));
  return cw_memory_alloc(engine->context, CW_SPACE_DEVICE, CW_ENERGY_WORK, sizeof(double),
                         "partial sums of the engine", (void **)&engine->device->work);
}

static void device_close(cw_engine *engine) {
  if (!engine->device)
    return;
  for (int k = 0; k < MARKS; k++)
    cw_device_event_destroy(engine->context, engine->device->event[k]);
  cw_memory_free(engine->context, CW_SPACE_DEVICE, engine->device->work);
  CW_DELETE(engine->context, engine->device);
}

static cw_status device_wait(cw_engine *engine) {
  cw_engine_device *device = engine->device;
  const int marks = device->marks;
  device->marks = 0;
  CW_TRY(cw_device_synchronize(engine->context));
  for (int k = 1; k < marks; k++) {
    double seconds;
    if (device->stage[k] == CW_STAGE_COUNT)
      continue;
    CW_TRY(
        cw_device_event_seconds(engine->context, device->event[k - 1], device->event[k], &seconds));
    engine->stage_seconds[device->stage[k]] += seconds;
  }
  return CW_OK;
}

static cw_status device_mark(cw_engine *engine, int stage) {
  cw_engine_device *device = engine->device;
  if (stage == CW_STAGE_COUNT && device->marks > MARKS - CW_STEP_MARKS)
    CW_TRY(device_wait(engine));
  CW_TRY(cw_device_event_record(engine->context, device->event[device->marks]));
  device->stage[device->marks++] = stage;
  return CW_OK;
}

static cw_status add_energy(cw_engine *engine, const cw_particles_view *particles, int massless,
                            double *energy, int64_t *alive) {
  double sum;
  int64_t count;
  CW_TRY(cw_engine_block_energy_cuda(engine->context, particles, massless, engine->device->work,
                                     &sum, &count));
  *energy += sum;
  *alive += count;
  return CW_OK;
}

static cw_status add_sums(cw_engine *engine, const cw_particles_view *particles, int what,
                          double *sum, int64_t *alive) {
  double found;
  int64_t count;
  CW_TRY(cw_ecsim_sum_cuda(engine->context, particles, what, engine->device->work, &found, &count));
  *sum += found;
  *alive += count;
  return CW_OK;
}

static cw_status add_density(cw_engine *engine, double *total, const double *one) {
  return cw_engine_add_density_cuda(engine->context, engine->grid.points, total, one);
}

static cw_status add_field(cw_engine *engine, cw_precision precision, const void *own,
                           const double *external, void *total) {
  return cw_engine_add_field_cuda(engine->context, engine->grid.points, precision, own, external,
                                  total);
}

static cw_status largest(cw_engine *engine, const double *density, double *found) {
  return cw_engine_largest_cuda(engine->context, &engine->grid, density, engine->device->work,
                                found);
}

const cw_engine_space_ops cw_engine_on_device = {.chunk = (int64_t)1 << 24,
                                                 .open = device_open,
                                                 .close = device_close,
                                                 .mark = device_mark,
                                                 .wait = device_wait,
                                                 .add_energy = add_energy,
                                                 .add_sums = add_sums,
                                                 .add_density = add_density,
                                                 .add_field = add_field,
                                                 .largest = largest};
