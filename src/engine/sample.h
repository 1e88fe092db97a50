/* A choice of a species' particles, gathered for output. */
#ifndef CW_ENGINE_SAMPLE_H
#define CW_ENGINE_SAMPLE_H

#include "engine/engine.h"
#include "setup/selection.h"

/* Arrays of `count` particles, in the order of their ids; owned. */
typedef struct cw_sample {
  int64_t count, room;
  double *x[3]; /* places; NULL along axes that are not simulated */
  double *u[3]; /* at the time of the fields */
  double *weight;
  double *payload[CW_MAX_PAYLOADS]; /* those that the species has */
  uint64_t *id;
} cw_sample;

/* Gathers one of `stride` live particles (base/thinning.h: always the same ones) as far as
 * `selection` takes them, into the zeroed `sample`. Free with cw_sample_clear. Errors: as
 * cw_engine_each_part. */
cw_status cw_sample_take(cw_engine *engine, int species, int64_t stride,
                         const cw_selection *selection, cw_sample *sample);
void cw_sample_clear(cw_context *context, cw_sample *sample);

#endif
