/* The special-relativistic explicit engine: sort -> kernels -> fields, each step. */
#include <stdlib.h>
#include <string.h>

#include "base/context_private.h"
#include "engine/engine_private.h"
#include "setup/setup.h"

const char *const cw_stage_names[CW_STAGE_COUNT] = {"sort", "push", "deposit", "fields",
                                                    "boundaries"};

static void count_stage(cw_engine *engine, int stage, double *since) {
  double now = cw_seconds();
  engine->stage_seconds[stage] += now - *since;
  *since = now;
}

/* A species due for sorting is sorted before its push, which overwrites the previous positions: so
 * those need not be permuted. */
static cw_status sort_species(cw_engine *engine) {
  for (int s = 0; s < engine->species_count; s++) {
    cw_species_state *species = &engine->species[s];
    if (species->cells && engine->step % species->sort_interval == 0)
      CW_TRY(cw_cells_sort(species->cells, species->particles));
    else if (!species->cells && engine->step > 0 && engine->deck->particles.clear_interval > 0 &&
             engine->step % engine->deck->particles.clear_interval == 0)
      CW_TRY(cw_engine_compact(engine, species));
  }
  return CW_OK;
}

cw_push_options cw_engine_push_options(const cw_engine *engine, int s) {
  const cw_deck *deck = engine->deck;
  const cw_deck_species *species = engine->species[s].deck;
  return (cw_push_options){
      .order = deck->algorithms.deposit.shape_order,
      .pusher = species->pusher,
      .dt = deck->dt,
      .force_scale = species->mass == 0 ? 0 : deck->dt * deck->B0 * species->charge / species->mass,
  };
}

static cw_status push_species(cw_engine *engine) {
  for (int s = 0; s < engine->species_count; s++) {
    const cw_species_state *species = &engine->species[s];
    cw_push_options options = cw_engine_push_options(engine, s);
    cw_particles_view view = cw_particles_get_view(species->particles);
    cw_cells_view cells = species->cells ? cw_cells_get_view(species->cells) : (cw_cells_view){0};
    CW_TRY(cw_push(engine->context, &options, &engine->grid, cw_fields_E(engine->fields),
                   cw_fields_B(engine->fields), &cells, &view));
  }
  return CW_OK;
}

static cw_deposit_options deposit_options(const cw_deck *deck, const cw_deck_species *species) {
  return (cw_deposit_options){
      .order = deck->algorithms.deposit.shape_order,
      .method = !deck->algorithms.deposit.tiled_deposit ? CW_DEPOSIT_FLAT
                : deck->algorithms.deposit.fixed_point  ? CW_DEPOSIT_TILED_FIXED
                                                        : CW_DEPOSIT_TILED,
      .drift = deck->algorithms.deposit.drift,
      .team_size = deck->algorithms.deposit.team_size,
      .charge = species->charge,
      .dt = deck->dt,
  };
}

static cw_status deposit_species(cw_engine *engine) {
  const cw_deck *deck = engine->deck;
  if (!deck->algorithms.deposit.enable)
    return CW_OK;
  CW_TRY(cw_fields_zero_J(engine->fields));
  for (int s = 0; s < engine->species_count; s++) {
    const cw_species_state *species = &engine->species[s];
    if (species->deck->charge == 0)
      continue;
    cw_deposit_options options = deposit_options(deck, species->deck);
    cw_particles_view view = cw_particles_get_view(species->particles);
    cw_cells_view cells = {0};
    if (species->cells) {
      CW_TRY(cw_cells_check(species->cells, species->particles));
      cells = cw_cells_get_view(species->cells);
    }
    cw_deposit_report report;
    CW_TRY(cw_deposit_current(engine->context, &options, &engine->grid, &view, &cells,
                              cw_fields_J(engine->fields), &report));
    if (report.outside > 0)
      return cw_fail(engine->context, CW_ERROR_NUMERIC,
                     "%lld particles of species '%s' are outside the box at step %lld",
                     (long long)report.outside, species->deck->label, (long long)engine->step);
  }
  return CW_OK;
}

/* dE/dt = curl B - q0 / (B0 V0) J, fields in units of B0; B in two halves around E, so that both
 * stand at the same time when particles are pushed. */
static cw_status advance_fields(cw_engine *engine) {
  const cw_deck *deck = engine->deck;
  if (!deck->algorithms.fieldsolver_enable)
    return CW_OK;
  double current_scale = deck->dt * deck->q0 / (deck->B0 * deck->V0);
  if (deck->algorithms.deposit.enable)
    CW_TRY(cw_fields_sync_J(engine->fields, deck->algorithms.current_filters));
  CW_TRY(cw_fields_advance_B(engine->fields, 0.5 * deck->dt));
  CW_TRY(cw_fields_advance_E(engine->fields, deck->dt, current_scale));
  return cw_fields_advance_B(engine->fields, 0.5 * deck->dt);
}

cw_status cw_engine_step(cw_engine *engine) {
  double since = cw_seconds();
  CW_TRY(sort_species(engine));
  count_stage(engine, CW_STAGE_SORT, &since);
  CW_TRY(push_species(engine));
  count_stage(engine, CW_STAGE_PUSH, &since);
  CW_TRY(deposit_species(engine));
  count_stage(engine, CW_STAGE_DEPOSIT, &since);
  for (int s = 0; s < engine->species_count; s++)
    CW_TRY(cw_engine_apply_boundaries(engine, &engine->species[s]));
  count_stage(engine, CW_STAGE_BOUNDARIES, &since);
  CW_TRY(advance_fields(engine));
  count_stage(engine, CW_STAGE_FIELDS, &since);
  engine->step++;
  return CW_OK;
}

static cw_status create_species(cw_engine *engine, int s) {
  const cw_deck *deck = engine->deck;
  cw_species_state *species = &engine->species[s];
  species->deck = &deck->particles.species[s];
  cw_particles_options options = {.dim = deck->grid.dim,
                                  .precision = deck->simulation.precision,
                                  .with_weights = deck->particles.use_weights};
  CW_TRY(cw_particles_create(engine->context, &options, 0, &species->particles));
  engine->species_count = s + 1;
  int64_t own = species->deck->spatial_sorting_interval;
  species->sort_interval = own >= 0 ? own : deck->particles.spatial_sorting_interval;
  if (species->sort_interval == 0)
    return CW_OK;
  /* Even orders have one stencil for all particles with the same nearest node, odd ones for all in
   * the same cell. */
  cw_cells_options cells = {.dim = deck->grid.dim,
                            .tile = deck->algorithms.deposit.tile_size,
                            .key = CW_KEY_CURRENT,
                            .depth = deck->algorithms.deposit.shape_order % 2 == 0 &&
                                             deck->algorithms.deposit.shape_order > 0
                                         ? CW_DEPTH_NODE
                                         : CW_DEPTH_CELL,
                            .low_memory = !deck->algorithms.deposit.vendor_sort};
  memcpy(cells.cells, engine->grid.cells, sizeof cells.cells);
  return cw_cells_create(engine->context, &cells, &species->cells);
}

static cw_status create_state(cw_engine *engine) {
  const cw_deck *deck = engine->deck;
  CW_TRY(cw_setup_grid(engine->context, deck, &engine->grid));
  cw_fields_options options = {.precision = deck->simulation.precision,
                               .correction = deck->algorithms.correction};
  memcpy(options.boundary, deck->grid.fields, sizeof options.boundary);
  memcpy(options.particle, deck->grid.particles, sizeof options.particle);
  for (int a = 0; a < 3; a++)
    options.absorb_width[a] = deck->grid.absorb_ds;
  CW_TRY(cw_fields_create(engine->context, &engine->grid, &options, &engine->fields));
  CW_TRY(CW_NEW(engine->context, engine->grid.points, "charge density", &engine->density));
  CW_TRY(CW_NEW(engine->context, engine->grid.points, "density of a species",
                &engine->species_density));
  for (int s = 0; s < deck->particles.species_count; s++)
    CW_TRY(create_species(engine, s));

  cw_particles *particles[CW_DECK_MAX_SPECIES];
  for (int s = 0; s < engine->species_count; s++)
    particles[s] = engine->species[s].particles;
  cw_setup_target target = {.context = engine->context,
                            .deck = deck,
                            .grid = &engine->grid,
                            .species_count = engine->species_count,
                            .particles = particles,
                            .E = cw_fields_E(engine->fields),
                            .B = cw_fields_B(engine->fields)};
  CW_TRY(cw_setup_fill(&target));
  for (int s = 0; s < engine->species_count; s++) {
    const cw_deck_species *species = &deck->particles.species[s];
    int64_t count = cw_particles_count(engine->species[s].particles);
    if (species->maxnpart > 0 && count > species->maxnpart)
      return cw_deck_fail(engine->context, deck, species->where,
                          "species '%s' starts with %lld particles; maxnpart allows %lld",
                          species->label, (long long)count, (long long)species->maxnpart);
  }
  return cw_fields_fill_ghosts(engine->fields);
}

cw_status cw_engine_create(cw_context *context, const cw_deck *deck, cw_engine **engine) {
  *engine = NULL;
  cw_engine *made = NULL;
  CW_TRY(CW_NEW(context, 1, "engine", &made));
  made->context = context;
  made->deck = deck;
  cw_status status = create_state(made);
  if (status != CW_OK) {
    cw_engine_destroy(made);
    return status;
  }
  *engine = made;
  return CW_OK;
}

void cw_engine_destroy(cw_engine *engine) {
  if (!engine)
    return;
  for (int s = 0; s < engine->species_count; s++) {
    cw_cells_destroy(engine->species[s].cells);
    cw_particles_destroy(engine->species[s].particles);
  }
  cw_fields_destroy(engine->fields);
  CW_DELETE(engine->context, engine->density);
  CW_DELETE(engine->context, engine->species_density);
  CW_DELETE(engine->context, engine);
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
