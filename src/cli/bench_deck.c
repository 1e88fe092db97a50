/* bench step --deck: whole steps of a deck's own problem, with each stage's share; of engine ecsim in
 * every pipeline. */
#include <math.h>
#include <string.h>

#include "base/context_private.h"
#include "cli/bench.h"
#include "cli/run_backend.h"
#include "engine/ecsim.h"
#include "setup/setup.h"

typedef struct deck_variant {
  const char *name;
  int engine;
  cw_deck_override override; /* key NULL: none */
} deck_variant;

static const deck_variant variants_here[] = {
    {"srpic", CW_ENGINE_SRPIC, {NULL, NULL}},
    {"unsorted", CW_ENGINE_ECSIM, {"algorithms.ecsim.pipeline", "\"unsorted\""}},
    {"sorted", CW_ENGINE_ECSIM, {"algorithms.ecsim.pipeline", "\"sorted\""}},
    {"matrix", CW_ENGINE_ECSIM, {"algorithms.ecsim.pipeline", "\"matrix\""}}};

static cw_status read_deck(cw_context *context, const char *path, const deck_variant *variant,
                           cw_deck **deck) {
  const int overrides = variant && variant->override.key;
  return cw_deck_read(context, path, overrides ? &variant->override : NULL, overrides, deck);
}

typedef struct timed {
  cw_engine *engine;
  int64_t steps; /* of one run */
} timed;

static cw_status timed_steps(void *state) {
  timed *run = state;
  for (int64_t k = 0; k < run->steps; k++)
    CW_TRY(cw_engine_step(run->engine));
  return cw_engine_wait(run->engine);
}

static json_t *stages_json(const cw_engine *engine, const cw_deck *deck, const double *before,
                           double particle_steps) {
  int count;
  const char *const *names = cw_engine_stages(deck, &count);
  const double *seconds = cw_engine_stage_seconds(engine);
  json_t *stages = json_object();
  for (int k = 0; k < count; k++)
    json_object_set_new(stages, names[k],
                        json_real(1e9 * (seconds[k] - before[k]) / particle_steps));
  return stages;
}

/* The error is the largest relative change of the total energy over the steps taken. */
static cw_status time_engine(cw_engine *engine, const cw_deck *deck, const cw_bench_case *c,
                             const char *name, json_t *rows) {
  const int64_t interval = deck->particles.spatial_sorting_interval;
  timed run = {engine, deck->simulation.engine == CW_ENGINE_SRPIC && interval > 0 ? interval : 1};
  cw_engine_diagnostics first, last;
  cw_vector_view E;
  double position[3][3], before[CW_STAGE_COUNT], seconds;
  CW_TRY(cw_engine_diagnose(engine, &first));
  memcpy(before, cw_engine_stage_seconds(engine), sizeof before);
  const int64_t step = cw_engine_step_number(engine);
  CW_TRY(cw_bench_time(c->repeats, NULL, timed_steps, &run, &seconds));
  CW_TRY(cw_engine_diagnose(engine, &last));
  CW_TRY(cw_engine_vector(engine, CW_QUANTITY_E, position, &E));
  const double particles = (double)last.particles;
  const double steps = (double)(cw_engine_step_number(engine) - step);
  const size_t bytes =
      (size_t)cw_engine_grid(engine)->points * (size_t)cw_precision_size(E.precision);
  json_t *row = cw_bench_add(rows, name, 1e9 * seconds / (particles * (double)run.steps),
                             fabs(last.total_energy / first.total_energy - 1),
                             cw_bench_checksum(E.component[0], bytes));
  json_object_set_new(row, "stages", stages_json(engine, deck, before, steps * particles));
  json_object_set_new(row, "particles", json_real(particles));
  if (deck->simulation.engine == CW_ENGINE_ECSIM)
    json_object_set_new(row, "solver_iterations",
                        json_integer(cw_engine_ecsim_report(engine).iterations));
  return CW_OK;
}

static cw_status time_variant(cw_context *context, const cw_bench_case *c,
                              const deck_variant *variant, json_t *rows) {
  cw_deck *deck = NULL;
  cw_engine *engine = NULL;
  cw_status status;
  CW_TRY_CLEANUP(status, read_deck(context, c->deck, variant, &deck));
  CW_TRY_CLEANUP(status, cw_setup_check(context, deck));
  CW_TRY_CLEANUP(status, cw_run_settle_backend(context, deck, 0));
  CW_TRY_CLEANUP(status, cw_engine_create(context, deck, &engine));
  CW_TRY_CLEANUP(status, time_engine(engine, deck, c, variant->name, rows));
cleanup:
  cw_engine_destroy(engine);
  cw_deck_destroy(deck);
  return status;
}

cw_status cw_bench_deck(cw_context *context, const cw_bench_case *c, json_t *rows) {
  cw_deck *deck;
  int taken = 0;
  CW_TRY(read_deck(context, c->deck, NULL, &deck));
  const int engine = (int)deck->simulation.engine;
  cw_deck_destroy(deck);
  for (size_t v = 0; v < sizeof variants_here / sizeof *variants_here; v++) {
    const deck_variant *variant = &variants_here[v];
    if (variant->engine != engine || (c->only && !strstr(variant->name, c->only)))
      continue;
    CW_TRY(time_variant(context, c, variant, rows));
    taken++;
  }
  if (taken == 0)
    return cw_fail(context, CW_ERROR_INPUT,
                   "option --only: found '%s'; expected part of %s, which %s has", c->only,
                   engine == CW_ENGINE_ECSIM ? "unsorted, sorted or matrix" : "srpic", c->deck);
  return CW_OK;
}
