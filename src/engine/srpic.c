/* The special-relativistic explicit engine: sort -> kernels -> fields, each step. */
#include <math.h>
#include <string.h>

#include "base/context_private.h"
#include "engine/engine_private.h"
#include "kernels/deposit/deposit_fit.h"
#include "setup/setup.h"

const char *const cw_stage_names[CW_STAGE_COUNT] = {"sort", "push", "deposit", "fields",
                                                    "boundaries"};

/* A species due for sorting is sorted before its push, which overwrites the previous positions: so
 * those need not be permuted. */
static cw_status sort_species(cw_engine *engine, int moved) {
  for (int s = 0; s < engine->species_count; s++) {
    cw_species_state *species = &engine->species[s];
    if (species->cells && (moved || engine->step % species->sort_interval == 0))
      CW_TRY(cw_cells_sort(species->cells, species->particles));
    else if (!species->cells && engine->step > 0 && species->clear_interval > 0 &&
             engine->step % species->clear_interval == 0)
      CW_TRY(cw_engine_compact(engine, species));
  }
  return CW_OK;
}

/* What radiation takes in a step: 0.1 dt B0 / gamma_rad^2 of the reference particle, times
 * charge^4 / mass^3. */
static double drag_of(const cw_deck *deck, const cw_deck_species *species, int kind,
                      double gamma_rad) {
  if (!((int)species->radiative_drag & kind))
    return 0;
  return 0.1 * deck->dt * deck->B0 / (gamma_rad * gamma_rad) * pow(species->charge, 4) /
         pow(species->mass, 3);
}

cw_push_options cw_engine_push_options(const cw_engine *engine, int s) {
  const cw_deck *deck = engine->deck;
  const cw_deck_species *species = engine->species[s].deck;
  return (cw_push_options){
      .order = deck->algorithms.deposit.shape_order,
      .pusher = species->pusher,
      .dt = deck->dt,
      .force_scale = species->mass == 0 ? 0 : deck->dt * deck->B0 * species->charge / species->mass,
      .drag = {drag_of(deck, species, CW_DRAG_SYNCHROTRON, deck->radiation.synchrotron_gamma_rad),
               drag_of(deck, species, CW_DRAG_COMPTON, deck->radiation.compton_gamma_rad)},
      .guide = {deck->algorithms.gca.e_ovr_b_max, deck->algorithms.gca.larmor_max},
  };
}

static cw_status push_species(cw_engine *engine) {
  cw_vector_view E = cw_fields_E(engine->fields), B = cw_fields_B(engine->fields);
  CW_TRY(cw_engine_add_forces(engine, cw_engine_time(engine), &E, &B));
  for (int s = 0; s < engine->species_count; s++) {
    const cw_species_state *species = &engine->species[s];
    cw_push_options options = cw_engine_push_options(engine, s);
    cw_particles_view view = cw_particles_get_view(species->particles);
    cw_cells_view cells = species->cells ? cw_cells_get_view(species->cells) : (cw_cells_view){0};
    cw_vector_view own = E;
    CW_TRY(cw_engine_add_species_force(engine, s, cw_engine_time(engine), &own));
    CW_TRY(cw_push(engine->context, &options, &engine->grid, own, B, &cells, &view));
  }
  return CW_OK;
}

/* Nothing is faster than light; a little more for the rounding of two offsets. */
static double largest_move(const cw_deck *deck, const cw_grid *grid) {
  double move = 0;
  for (int a = 0; a < grid->dim; a++)
    move = fmax(move, deck->dt / grid->dx[a]);
  return fmin(move + 1e-6, 1);
}

static cw_deposit_options deposit_options(const cw_deck *deck, const cw_grid *grid) {
  return (cw_deposit_options){
      .order = deck->algorithms.deposit.shape_order,
      .method = !deck->algorithms.deposit.tiled_deposit ? CW_DEPOSIT_FLAT
                : deck->algorithms.deposit.fixed_point  ? CW_DEPOSIT_TILED_FIXED
                                                        : CW_DEPOSIT_TILED,
      .drift = deck->algorithms.deposit.drift,
      .team_size = deck->algorithms.deposit.team_size,
      .max_move = largest_move(deck, grid),
      .dt = deck->dt,
  };
}

/* What a species deposits; *deposits: 0 if it does not. */
static cw_status deposited_species(const cw_engine *engine, int s, cw_deposit_species *species,
                                   int *deposits) {
  const cw_species_state *state = &engine->species[s];
  *deposits = state->deck->charge != 0 && state->deck->deposit;
  if (!*deposits)
    return CW_OK;
  *species = (cw_deposit_species){.charge = state->deck->charge,
                                  .particles = cw_particles_get_view(state->particles)};
  if (!state->cells)
    return CW_OK;
  species->cells = cw_cells_get_view(state->cells);
  return cw_cells_check(state->cells, state->particles);
}

/* On a device all species in one call, and without a report, which would have to be waited for:
 * particles outside are faults there. */
static cw_status deposit_species(cw_engine *engine) {
  const cw_deck *deck = engine->deck;
  const cw_deposit_options options = deposit_options(deck, &engine->grid);
  const cw_vector_view J = cw_fields_J(engine->fields);
  cw_deposit_species together[CW_DECK_MAX_SPECIES];
  int count = 0;
  if (!deck->algorithms.deposit.enable)
    return CW_OK;
  CW_TRY(cw_fields_zero_J(engine->fields));
  for (int s = 0; s < engine->species_count; s++) {
    cw_deposit_report report = {0};
    int deposits;
    CW_TRY(deposited_species(engine, s, &together[count], &deposits));
    count += deposits;
    if (engine->space != CW_SPACE_HOST || !deposits)
      continue;
    count = 0;
    CW_TRY(cw_deposit_currents(engine->context, &options, &engine->grid, together, 1, J, &report));
    if (report.outside > 0)
      return cw_fail(engine->context, CW_ERROR_NUMERIC,
                     "%lld particles of species '%s' are outside the box at step %lld",
                     (long long)report.outside, engine->species[s].deck->label,
                     (long long)engine->step);
  }
  return cw_deposit_currents(engine->context, &options, &engine->grid, together, count, J, NULL);
}

/* dE/dt = curl B - q0 / (B0 V0) J, fields in units of B0; B in two halves around E, so that both
 * stand at the same time when particles are pushed. */
static cw_status advance_fields(cw_engine *engine) {
  const cw_deck *deck = engine->deck;
  if (!deck->algorithms.fieldsolver_enable)
    return CW_OK;
  double current_scale = deck->dt * deck->q0 / (deck->B0 * deck->V0);
  CW_TRY(cw_engine_match(engine, cw_engine_time(engine) + deck->dt));
  if (deck->algorithms.deposit.enable)
    CW_TRY(cw_fields_sync_J(engine->fields, deck->algorithms.current_filters));
  CW_TRY(cw_engine_add_antenna(engine));
  CW_TRY(cw_fields_advance_B(engine->fields, 0.5 * deck->dt));
  CW_TRY(cw_fields_advance_E(engine->fields, deck->dt, current_scale));
  return cw_fields_advance_B(engine->fields, 0.5 * deck->dt);
}

static cw_status step(cw_engine *engine) {
  cw_status (*const mark)(cw_engine *, int) = engine->space_ops->mark;
  int moved;
  CW_TRY(mark(engine, CW_STAGE_COUNT));
  CW_TRY(cw_engine_move_window(engine, &moved));
  CW_TRY(mark(engine, CW_STAGE_BOUNDARIES));
  CW_TRY(sort_species(engine, moved));
  CW_TRY(mark(engine, CW_STAGE_SORT));
  engine->halfway = 1;
  CW_TRY(cw_engine_inject(engine));
  CW_TRY(mark(engine, CW_STAGE_BOUNDARIES));
  CW_TRY(push_species(engine));
  CW_TRY(mark(engine, CW_STAGE_PUSH));
  CW_TRY(deposit_species(engine));
  CW_TRY(mark(engine, CW_STAGE_DEPOSIT));
  for (int s = 0; s < engine->species_count; s++)
    CW_TRY(cw_engine_apply_boundaries(engine, &engine->species[s]));
  CW_TRY(mark(engine, CW_STAGE_BOUNDARIES));
  CW_TRY(advance_fields(engine));
  CW_TRY(mark(engine, CW_STAGE_FIELDS));
  engine->step++;
  engine->halfway = 0;
  return CW_OK;
}

static int64_t sort_interval(const cw_deck *deck, int s) {
  const int64_t own = deck->particles.species[s].spatial_sorting_interval;
  return own >= 0 ? own : deck->particles.spatial_sorting_interval;
}

static cw_status create(cw_engine *engine) {
  const cw_deck *deck = engine->deck;
  cw_fields_options options = {.precision = deck->simulation.precision,
                               .space = engine->space,
                               .correction = deck->algorithms.correction};
  memcpy(options.boundary, deck->grid.fields, sizeof options.boundary);
  memcpy(options.particle, deck->grid.particles, sizeof options.particle);
  for (int a = 0; a < 3; a++)
    options.absorb_width[a] = deck->grid.absorb_ds, options.match_width[a] = deck->grid.match_ds;
  CW_TRY(cw_fields_create(engine->context, &engine->grid, &options, &engine->fields));
  for (int s = 0; s < deck->particles.species_count; s++)
    CW_TRY(cw_engine_create_species(engine, s, sort_interval(deck, s),
                                    deck->algorithms.deposit.tile_size,
                                    !deck->algorithms.deposit.vendor_sort));
  CW_TRY(cw_engine_create_match(engine));
  CW_TRY(cw_engine_load(engine, cw_fields_E(engine->fields), cw_fields_B(engine->fields)));
  CW_TRY(cw_engine_match_initial(engine));
  CW_TRY(cw_engine_match(engine, 0));
  return cw_fields_fill_ghosts(engine->fields);
}

/* A tile must fit into a team's shared memory where any species is sorted into tiles. */
static cw_status check_device(cw_context *context, const cw_deck *deck) {
  cw_grid grid;
  int sorted = 0;
  if (!deck->algorithms.deposit.enable || !deck->algorithms.deposit.tiled_deposit)
    return CW_OK;
  for (int s = 0; s < deck->particles.species_count; s++)
    sorted |= deck->particles.species[s].charge != 0 && deck->particles.species[s].deposit &&
              sort_interval(deck, s) > 0;
  if (!sorted)
    return CW_OK;
  CW_TRY(cw_setup_grid(context, deck, &grid));
  const cw_deposit_options options = deposit_options(deck, &grid);
  const cw_status status = cw_deposit_check_tile(
      context, &options, grid.dim, deck->simulation.precision, deck->algorithms.deposit.tile_size);
  if (status == CW_OK)
    return CW_OK;
  return cw_deck_fail(
      context, deck, cw_deck_written(deck, "algorithms.deposit", "tiled_deposit_tile_size"),
      "algorithms.deposit.tiled_deposit_tile_size: %s; or lower tiled_deposit_drift, or set "
      "tiled_deposit = false",
      cw_context_message(context));
}

static void destroy(cw_engine *engine) {
  cw_fields_destroy(engine->fields);
}

/* Yee's places: E_a and J_a dual along a, B_a dual along the other axes. */
static cw_vector_view vector(const cw_engine *engine, cw_engine_quantity quantity,
                             double position[3][3]) {
  const int electric = quantity != CW_QUANTITY_B;
  for (int c = 0; c < 3; c++)
    for (int a = 0; a < 3; a++)
      position[c][a] = a < engine->grid.dim && (a == c) == electric ? 0.5 : 0.0;
  return quantity == CW_QUANTITY_E   ? cw_fields_E(engine->fields)
         : quantity == CW_QUANTITY_B ? cw_fields_B(engine->fields)
                                     : cw_fields_J(engine->fields);
}

static cw_status gauss_charge(cw_engine *engine, double **density) {
  return cw_srpic_density(engine, -1, density);
}

static cw_status divergence(cw_engine *engine, int of_B, double position[3]) {
  for (int a = 0; a < 3; a++)
    position[a] = of_B && a < engine->grid.dim ? 0.5 : 0;
  return cw_fields_divergence(engine->fields, of_B, engine->density);
}

/* Beside the fields: on the host the densities, the filter's line, a sort's keys, permutation and
 * reorder buffer; on a device the densities and what J, rho and their integer sums are filtered and
 * formed in, and for each sorted particle two keys, two slots (an eighth more) and the spares. */
static void estimate(const cw_deck *deck, const cw_grid *grid, double largest,
                     cw_engine_memory *memory) {
  const double real = cw_precision_size(deck->simulation.precision), points = (double)grid->points;
  memory->fields = 9 * real * points;
  memory->work = (16 + real) * points + largest * 16;
  if (memory->space == CW_SPACE_HOST)
    return;
  memory->work = (16 + 8 + real + 4 * 8) * points + 3 * real * fmin(largest, 1 << 24);
  const double spares = deck->simulation.precision == CW_DOUBLE ? 1 : 9;
  memory->work +=
      (double)memory->particle_count * (deck->algorithms.deposit.vendor_sort ? 18 + spares : 9);
}

const cw_engine_ops cw_srpic_ops = {.name = "srpic",
                                    .check_device = check_device,
                                    .stage_names = cw_stage_names,
                                    .stage_count = CW_STAGE_COUNT,
                                    .create = create,
                                    .destroy = destroy,
                                    .step = step,
                                    .diagnose = cw_srpic_diagnose,
                                    .density = cw_srpic_density,
                                    .gauss_charge = gauss_charge,
                                    .divergence = divergence,
                                    .vector = vector,
                                    .estimate = estimate};
