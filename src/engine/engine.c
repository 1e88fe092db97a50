/* What all engines share: creation, access, memory, and the choice of one. */
#include "engine/engine.h"

#include <string.h>

#include <nettle/sha2.h>

#include "base/context_private.h"
#include "engine/engine_private.h"
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

void cw_engine_count_stage(cw_engine *engine, int stage, double *since) {
  double now = cw_seconds();
  engine->stage_seconds[stage] += now - *since;
  *since = now;
}

cw_status cw_engine_create_species(cw_engine *engine, int s, int64_t sort_interval, int32_t tile,
                                   int low_memory) {
  const cw_deck *deck = engine->deck;
  cw_species_state *species = &engine->species[s];
  species->deck = &deck->particles.species[s];
  species->sort_interval = sort_interval;
  cw_particles_options options = {.dim = deck->grid.dim,
                                  .precision = deck->simulation.precision,
                                  .with_weights = deck->particles.use_weights};
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
                            .low_memory = low_memory};
  memcpy(cells.cells, engine->grid.cells, sizeof cells.cells);
  return cw_cells_create(engine->context, &cells, &species->cells);
}

cw_status cw_engine_load(cw_engine *engine, cw_vector_view E, cw_vector_view B) {
  const cw_deck *deck = engine->deck;
  cw_particles *particles[CW_DECK_MAX_SPECIES];
  if (engine->blank)
    return CW_OK;
  for (int s = 0; s < engine->species_count; s++)
    particles[s] = engine->species[s].particles;
  cw_setup_target target = {.context = engine->context,
                            .deck = deck,
                            .grid = &engine->grid,
                            .species_count = engine->species_count,
                            .particles = particles,
                            .E = E,
                            .B = B};
  CW_TRY(cw_setup_fill(&target));
  for (int s = 0; s < engine->species_count; s++) {
    const cw_deck_species *species = &deck->particles.species[s];
    int64_t count = cw_particles_count(engine->species[s].particles);
    if (species->maxnpart > 0 && count > species->maxnpart)
      return cw_deck_fail(engine->context, deck, species->where,
                          "species '%s' starts with %lld particles; maxnpart allows %lld",
                          species->label, (long long)count, (long long)species->maxnpart);
  }
  return CW_OK;
}

cw_status cw_engine_make(cw_context *context, const cw_deck *deck, int blank, cw_engine **engine) {
  cw_engine *made = NULL;
  cw_status status = CW_OK;
  *engine = NULL;
  CW_TRY(CW_NEW(context, 1, "engine", &made));
  made->ops = ops_of(deck);
  made->context = context;
  made->deck = deck;
  made->blank = blank;
  CW_TRY_CLEANUP(status, cw_setup_grid(context, deck, &made->grid));
  CW_TRY_CLEANUP(status, CW_NEW(context, made->grid.points, "charge density", &made->density));
  CW_TRY_CLEANUP(
      status, CW_NEW(context, made->grid.points, "density of a species", &made->species_density));
  CW_TRY_CLEANUP(status, cw_engine_create_forces(made));
  CW_TRY_CLEANUP(status, made->ops->create(made));
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
  if (strcmp(engine->deck->setup.problem, "expressions") != 0)
    return CW_OK;
  CW_TRY(cw_engine_diagnose(engine, &found));
  if (found.charge_error > tolerance)
    cw_log(engine->context, CW_LOG_WARNING,
           "the initial state breaks Gauss's law: max |div E - rho| is %.3g of the largest charge "
           "density of one species; the difference stays, as a charge that never moves (set E, or "
           "give species that cancel the same text as density: they then start at the same places)",
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

void cw_engine_destroy(cw_engine *engine) {
  if (!engine)
    return;
  engine->ops->destroy(engine);
  cw_engine_destroy_forces(engine);
  for (int s = 0; s < engine->species_count; s++) {
    cw_cells_destroy(engine->species[s].cells);
    cw_particles_destroy(engine->species[s].particles);
  }
  CW_DELETE(engine->context, engine->density);
  CW_DELETE(engine->context, engine->species_density);
  CW_DELETE(engine->context, engine);
}

cw_status cw_engine_step(cw_engine *engine) {
  return engine->ops->step(engine);
}
cw_status cw_engine_diagnose(cw_engine *engine, cw_engine_diagnostics *diagnostics) {
  return engine->ops->diagnose(engine, diagnostics);
}
cw_status cw_engine_density(cw_engine *engine, int species, const double **density) {
  return engine->ops->density(engine, species, density);
}
cw_vector_view cw_engine_vector(const cw_engine *engine, cw_engine_quantity quantity,
                                double position[3][3]) {
  return engine->ops->vector(engine, quantity, position);
}
int cw_engine_is_whole(const cw_engine *engine) {
  /* Steps on a device are queued: which of them failed is not known. */
  return !engine->halfway && cw_context_backend(engine->context) == CW_BACKEND_CPU;
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

static void hash_array(struct sha256_ctx *hash, const void *array, size_t bytes) {
  if (array)
    sha256_update(hash, bytes, array);
}

void cw_engine_sha256(const cw_engine *engine, char hex[65]) {
  struct sha256_ctx hash;
  sha256_init(&hash);
  double position[3][3];
  const cw_vector_view views[2] = {cw_engine_vector(engine, CW_QUANTITY_E, position),
                                   cw_engine_vector(engine, CW_QUANTITY_B, position)};
  for (int v = 0; v < 2; v++)
    for (int c = 0; c < 3; c++)
      hash_array(&hash, views[v].component[c],
                 (size_t)engine->grid.points * (size_t)cw_precision_size(views[v].precision));
  for (int s = 0; s < engine->species_count; s++) {
    const cw_particles_view view = cw_particles_get_view(engine->species[s].particles);
    const size_t count = (size_t)view.count, real = (size_t)cw_precision_size(view.precision);
    for (int a = 0; a < 3; a++) {
      hash_array(&hash, view.i[a], count * sizeof(int32_t));
      hash_array(&hash, view.dx[a], count * real);
      hash_array(&hash, view.u[a], count * real);
    }
    hash_array(&hash, view.weight, count * real);
    hash_array(&hash, view.tag, count);
    hash_array(&hash, view.id, count * sizeof(uint64_t));
  }
  uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_digest(&hash, SHA256_DIGEST_SIZE, digest);
  static const char digits[] = "0123456789abcdef";
  for (int k = 0; k < SHA256_DIGEST_SIZE; k++) {
    hex[2 * k] = digits[digest[k] >> 4];
    hex[2 * k + 1] = digits[digest[k] & 15];
  }
  hex[64] = 0;
}

cw_status cw_engine_estimate(cw_context *context, const cw_deck *deck, cw_engine_memory *memory) {
  cw_grid grid;
  CW_TRY(cw_setup_grid(context, deck, &grid));
  const cw_problem *problem = cw_problem_find(deck->setup.problem);
  if (!problem)
    return cw_fail(context, CW_ERROR_INPUT, "there is no problem '%s'", deck->setup.problem);
  cw_particles_options options = {.dim = grid.dim,
                                  .precision = deck->simulation.precision,
                                  .with_weights = deck->particles.use_weights};
  cw_engine_memory found = {0};
  double largest = 0;
  for (int s = 0; s < deck->particles.species_count; s++) {
    double count = (double)problem->expected(deck, s);
    found.particle_count += (int64_t)count;
    found.particles += count * (double)cw_particles_bytes_each(&options);
    if (count > largest)
      largest = count;
  }
  ops_of(deck)->estimate(deck, &grid, largest, &found);
  /* external fields, and these with the engine's own */
  const double each = sizeof(double) + (double)cw_precision_size(deck->simulation.precision);
  found.fields += 3 * (cw_setup_given(deck, "external_E") + cw_setup_given(deck, "external_B")) *
                  each * (double)grid.points;
  found.total = found.fields + found.particles + found.work;
  *memory = found;
  return CW_OK;
}
