/* What all engines share: creation, access, memory, and the choice of one. */
#include "engine/engine.h"

#include <string.h>

#include "base/context_private.h"
#include "engine/engine_private.h"
#include "setup/injectors.h"
#include "setup/setup.h"

static const cw_engine_ops *ops_of(const cw_deck *deck) {
  switch (deck->simulation.engine) {
  case CW_ENGINE_SRPIC:
    return &cw_srpic_ops;
  case CW_ENGINE_ECSIM:
    return &cw_ecsim_ops;
  }
  return &cw_srpic_ops;
}

const char *const *cw_engine_stages(const cw_deck *deck, int *count) {
  *count = ops_of(deck)->stage_count;
  return ops_of(deck)->stage_names;
}

cw_particles_options cw_engine_particles_options(const cw_deck *deck, int s) {
  const cw_deck_species *species = &deck->particles.species[s];
  return (cw_particles_options){.dim = deck->grid.dim,
                                .precision = deck->simulation.precision,
                                .with_weights = deck->particles.use_weights,
                                .payloads = species->n_payloads,
                                .with_guide = species->pusher >= CW_PUSHER_BORIS_GCA};
}

cw_status cw_engine_create_species(cw_engine *engine, int s, int64_t sort_interval, int32_t tile,
                                   int low_memory) {
  const cw_deck *deck = engine->deck;
  cw_species_state *species = &engine->species[s];
  species->deck = &deck->particles.species[s];
  species->sort_interval = sort_interval;
  species->clear_interval = species->deck->clear_interval >= 0 ? species->deck->clear_interval
                                                               : deck->particles.clear_interval;
  cw_particles_options options = cw_engine_particles_options(deck, s);
  options.space = engine->space;
  CW_TRY(cw_particles_create(engine->context, &options, 0, &species->particles));
  engine->species_count = s + 1;
  if (sort_interval == 0)
    return CW_OK;
  /* Even orders have one stencil for all particles with the same nearest node, odd ones for all in
   * the same cell. */
  const int order = deck->algorithms.deposit.shape_order;
  cw_cells_options cells = {.dim = deck->grid.dim,
                            .tile = tile,
                            .key = CW_KEY_CURRENT,
                            .depth = order % 2 == 0 && order > 0 ? CW_DEPTH_NODE : CW_DEPTH_CELL,
                            .low_memory = low_memory,
                            .space = engine->space};
  memcpy(cells.cells, engine->grid.cells, sizeof cells.cells);
  return cw_cells_create(engine->context, &cells, &species->cells);
}

cw_status cw_engine_check_backend(cw_context *context, const cw_deck *deck) {
  const cw_engine_ops *ops = ops_of(deck);
  const int on_device = cw_context_backend(context) != CW_BACKEND_CPU;
  return on_device && ops->check_device ? ops->check_device(context, deck) : CW_OK;
}

static cw_space space_of(const cw_context *context) {
  return cw_context_backend(context) == CW_BACKEND_CUDA ? CW_SPACE_DEVICE : CW_SPACE_HOST;
}

static cw_status new_density(cw_engine *engine, const char *what, double **density) {
  return cw_memory_alloc(engine->context, engine->space, (size_t)engine->grid.points,
                         sizeof **density, what, (void **)density);
}

cw_status cw_engine_make(cw_context *context, const cw_deck *deck, int blank, cw_engine **engine) {
  cw_engine *made = NULL;
  cw_status status = CW_OK;
  *engine = NULL;
  CW_TRY(cw_engine_check_backend(context, deck));
  CW_TRY(CW_NEW(context, 1, "engine", &made));
  made->ops = ops_of(deck);
  made->space = space_of(context);
  made->space_ops = made->space == CW_SPACE_DEVICE ? &cw_engine_on_device : &cw_engine_on_host;
  made->context = context;
  made->deck = deck;
  made->blank = blank;
  CW_TRY_CLEANUP(status, cw_setup_grid(context, deck, &made->grid));
  CW_TRY_CLEANUP(status, made->space_ops->open(made));
  CW_TRY_CLEANUP(status, new_density(made, "charge density", &made->density));
  CW_TRY_CLEANUP(status, new_density(made, "density of a species", &made->species_density));
  CW_TRY_CLEANUP(status, cw_engine_create_forces(made));
  CW_TRY_CLEANUP(status, made->ops->create(made));
  CW_TRY_CLEANUP(status, cw_engine_create_sources(made));
  CW_TRY_CLEANUP(status, cw_engine_create_window(made));
  CW_TRY_CLEANUP(status, cw_engine_create_antenna(made));
  CW_TRY_CLEANUP(status, cw_engine_create_species_forces(made));
  *engine = made;
  made = NULL;
cleanup:
  cw_engine_destroy(made);
  return status;
}

/* Of fields and densities that the user gives; the other problems start without a charge. */
static cw_status warn_of_charge(cw_engine *engine) {
  static const double tolerance = 1e-3;
  cw_engine_diagnostics found;
  const char *problem = engine->deck->setup.problem;
  if (strcmp(problem, "expressions") != 0 && strcmp(problem, "hdf5") != 0)
    return CW_OK;
  CW_TRY(cw_engine_diagnose(engine, &found));
  if (found.charge_error > tolerance)
    cw_log(
        engine->context, CW_LOG_WARNING,
        "the initial state breaks Gauss's law: max |div E - rho| is %.3g of the largest charge "
        "density of one species; the difference stays, as a charge that never moves (set E, or "
        "let charges that cancel start at the same places: in expressions, densities of the same "
        "text)",
        found.charge_error);
  return CW_OK;
}

cw_status cw_engine_create(cw_context *context, const cw_deck *deck, cw_engine **engine) {
  CW_TRY(cw_engine_make(context, deck, 0, engine));
  const cw_status status = warn_of_charge(*engine);
  if (status == CW_OK)
    return CW_OK;
  cw_engine_destroy(*engine);
  *engine = NULL;
  return status;
}

cw_status cw_engine_create_from(cw_context *context, const cw_deck *deck,
                                cw_particles *const particles[], cw_engine **engine) {
  cw_engine *made;
  cw_status status;
  *engine = NULL;
  CW_TRY(cw_engine_make(context, deck, 1, &made));
  for (int s = 0; s < made->species_count; s++)
    CW_TRY_CLEANUP(status, cw_particles_copy(made->species[s].particles, particles[s]));
  *engine = made;
  made = NULL;
cleanup:
  cw_engine_destroy(made);
  return status;
}

void cw_engine_destroy(cw_engine *engine) {
  if (!engine)
    return;
  engine->ops->destroy(engine);
  cw_engine_destroy_forces(engine);
  cw_engine_destroy_match(engine);
  cw_engine_destroy_antenna(engine);
  cw_engine_destroy_sources(engine);
  for (int s = 0; s < engine->species_count; s++) {
    cw_cells_destroy(engine->species[s].cells);
    cw_particles_destroy(engine->species[s].particles);
  }
  cw_memory_free(engine->context, engine->space, engine->density);
  cw_memory_free(engine->context, engine->space, engine->species_density);
  cw_engine_free_copies(engine);
  engine->space_ops->close(engine);
  CW_DELETE(engine->context, engine);
}

/* A value that is not finite may come from the deck's external fields: then these are named. */
static cw_status explain(cw_engine *engine, cw_status status) {
  char message[CW_MESSAGE_SIZE];
  memcpy(message, cw_context_message(engine->context), sizeof message);
  if (status != CW_ERROR_NUMERIC)
    return status;
  if (cw_engine_explain_forces(engine) == CW_ERROR_INPUT ||
      cw_engine_explain_match(engine) == CW_ERROR_INPUT)
    return CW_ERROR_INPUT;
  return cw_fail(engine->context, status, "%s", message);
}

/* On a device, what a particle did in one step shows in a later one: the state is then lost. */
static cw_status when(cw_engine *engine, cw_status status) {
  if (status == CW_OK || engine->space == CW_SPACE_HOST)
    return status;
  status = explain(engine, status);
  if (engine->settled)
    return status;
  engine->halfway = 1;
  return cw_fail(engine->context, status, "at step %lld or before: %s", (long long)engine->step,
                 cw_context_message(engine->context));
}

cw_status cw_engine_step(cw_engine *engine) {
  return when(engine, engine->ops->step(engine));
}
cw_status cw_engine_wait(cw_engine *engine) {
  return when(engine, engine->space_ops->wait(engine));
}
cw_status cw_engine_diagnose(cw_engine *engine, cw_engine_diagnostics *diagnostics) {
  CW_TRY(cw_engine_wait(engine));
  return engine->ops->diagnose(engine, diagnostics);
}
int cw_engine_is_whole(const cw_engine *engine) {
  /* Steps on a device are queued: which of them failed is not known. */
  return !engine->halfway && (engine->space == CW_SPACE_HOST || engine->settled);
}
int64_t cw_engine_step_number(const cw_engine *engine) {
  return engine->step;
}
double cw_engine_time(const cw_engine *engine) {
  return (double)engine->step * engine->deck->dt;
}
const cw_grid *cw_engine_grid(const cw_engine *engine) {
  return &engine->grid;
}
cw_fields *cw_engine_fields(cw_engine *engine) {
  return engine->fields;
}
cw_particles *cw_engine_particles(cw_engine *engine, int species) {
  return engine->species[species].particles;
}
const double *cw_engine_stage_seconds(const cw_engine *engine) {
  return engine->stage_seconds;
}

cw_status cw_engine_estimate(cw_context *context, const cw_deck *deck, cw_engine_memory *memory) {
  cw_grid grid;
  CW_TRY(cw_setup_grid(context, deck, &grid));
  const cw_problem *problem = cw_problem_find(deck->setup.problem);
  if (!problem)
    return cw_fail(context, CW_ERROR_INPUT, "there is no problem '%s'", deck->setup.problem);
  cw_engine_memory found = {.space = space_of(context),
                            .saved = cw_engine_save_bytes(deck, &grid, -1, 0)};
  double largest = 0;
  double injected[CW_DECK_MAX_SPECIES];
  CW_TRY(cw_injectors_expected(context, deck, injected));
  for (int s = 0; s < deck->particles.species_count; s++) {
    const cw_particles_options options = cw_engine_particles_options(deck, s);
    double count = (double)problem->expected(deck, s) + injected[s];
    found.particle_count += (int64_t)count;
    found.particles += count * (double)cw_particles_bytes_each(&options);
    found.saved += cw_engine_save_bytes(deck, &grid, s, count);
    if (count > largest)
      largest = count;
  }
  ops_of(deck)->estimate(deck, &grid, largest, &found);
  /* external fields, and these with the engine's own */
  const double each = sizeof(double) + (double)cw_precision_size(deck->simulation.precision);
  found.fields += 3 * (cw_setup_given(deck, "external_E") + cw_setup_given(deck, "external_B")) *
                  each * (double)grid.points;
  found.fields += cw_engine_match_bytes(deck, &grid);
  for (int s = 0; s < deck->particles.species_count; s++)
    if (cw_deck_setup_entry(deck, "species", deck->particles.species[s].label, "force"))
      found.fields += 3 * each * (double)grid.points;
  found.total = found.fields + found.particles + found.work;
  /* the initial state once; later, copies of fields and a density for output */
  if (found.space == CW_SPACE_DEVICE)
    found.host = found.particles + found.fields + 3 * sizeof(double) * (double)grid.points;
  *memory = found;
  return CW_OK;
}
