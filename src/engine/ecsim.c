/* The energy-conserving semi-implicit engine (G. Lapenta, J. Comput. Phys. 334 (2017) 349).
 *
 * Positions stand half a step ahead of velocities and fields. A step: sort -> current and mass
 * matrix of the particles where they are -> E at theta -> velocities, positions -> E and B.
 * The particles' u is v, or gamma v with algorithms.ecsim.relativistic: then each one's mean gamma of
 * the step is foreseen before the sums. With charge_correction positions are displaced at the end. */
#include "engine/ecsim.h"

#include <math.h>

#include "base/amx.h"
#include "base/context_private.h"
#include "base/device.h"
#include "base/space.h"
#include "engine/ecsim_charge.h"
#include "engine/ecsim_mover_cpu.h"
#include "engine/ecsim_private.h"

enum { STAGE_SORT = 0, STAGE_DEPOSITION, STAGE_SOLVE, STAGE_MOVER, STAGES, TILE = 8 };
static const char *const stage_names[STAGES] = {"sort", "deposition", "solve", "mover"};
/* At most so many cycles of GMRES. */
enum { CYCLES = 50 };

double cw_ecsim_four_pi(const cw_deck *deck) {
  return deck->scales.units == CW_UNITS_GAUSSIAN ? 4 * acos(-1.0) : 1;
}

double cw_ecsim_beta(const cw_deck *deck, const cw_deck_species *species) {
  return 0.5 * deck->dt * deck->B0 * species->charge / species->mass;
}

int cw_ecsim_conductor(const cw_deck *deck, int axis) {
  return axis < deck->grid.dim && deck->grid.fields[axis][0] == CW_FIELD_CONDUCTOR;
}

double cw_ecsim_charge_scale(const cw_deck *deck) {
  return cw_ecsim_four_pi(deck) * deck->q0 / (deck->B0 * deck->V0);
}

static cw_status sort_species(cw_engine *engine) {
  for (int s = 0; s < engine->species_count; s++)
    if (engine->species[s].cells)
      CW_TRY(cw_cells_sort(engine->species[s].cells, engine->species[s].particles));
  return CW_OK;
}

static cw_status respond(void *user, const double *const E[3], double *const J[3]) {
  cw_vector_view in = {.precision = CW_DOUBLE}, out = {.precision = CW_DOUBLE};
  for (int c = 0; c < 3; c++) {
    in.component[c] = (void *)(uintptr_t)E[c]; /* a view has no const; the product only reads it */
    out.component[c] = J[c];
  }
  return cw_massmatrix_product(user, in, out);
}

double cw_ecsim_external_time(const cw_engine *engine) {
  return cw_engine_time(engine) + engine->deck->algorithms.ecsim.theta * engine->deck->dt;
}

/* Jhat += M E for the external E, which particles respond to as to the field's own. */
static cw_status add_external_response(cw_engine *engine) {
  cw_ecsim_state *state = engine->ecsim;
  const cw_vector_view Jhat = cw_ecsim_Jhat(state->fields);
  const int64_t points = engine->grid.points;
  const double *value[6];
  double *work = NULL;
  cw_status status = CW_OK;
  CW_TRY(cw_engine_external(engine, cw_ecsim_external_time(engine), value));
  if (!value[0] && !value[1] && !value[2])
    return CW_OK;
  CW_TRY(cw_memory_alloc(engine->context, engine->space, 4 * (size_t)points, sizeof *work,
                         "response to the external field", (void **)&work));
  const double *E[3];
  double *J[3];
  for (int c = 0; c < 3; c++) {
    E[c] = value[c] ? value[c] : work;
    J[c] = work + (c + 1) * points;
  }
  CW_TRY_CLEANUP(status, respond(state->matrix, E, J));
  for (int c = 0; c < 3; c++)
    CW_TRY_CLEANUP(status, engine->space_ops->add_density(engine, Jhat.component[c], J[c]));
cleanup:
  cw_memory_free(engine->context, engine->space, work);
  return status;
}

/* Jhat and M of all species, without the factor kappa of the field equation. */
static cw_status deposit(cw_engine *engine) {
  cw_ecsim_state *state = engine->ecsim;
  const cw_vector_view Jhat = cw_ecsim_Jhat(state->fields);
  cw_vector_view none = {.precision = CW_DOUBLE}, B = cw_ecsim_B_node(state->fields);
  CW_TRY(cw_engine_add_forces(engine, cw_ecsim_external_time(engine), &none, &B));
  for (int c = 0; c < 3; c++)
    CW_TRY(cw_space_zero(engine->context, engine->space, Jhat.component[c],
                         (size_t)engine->grid.points * sizeof(double)));
  cw_massmatrix_clear(state->matrix);
  for (int s = 0; s < engine->species_count; s++) {
    const cw_deck_species *species = engine->species[s].deck;
    if (species->charge == 0)
      continue;
    const cw_massmatrix_species options = {.charge = species->charge,
                                           .beta = cw_ecsim_beta(engine->deck, species),
                                           .scale = 1,
                                           .relativistic =
                                               engine->deck->algorithms.ecsim.relativistic,
                                           .gamma = state->gamma[s]};
    CW_TRY(cw_massmatrix_add_species(state->matrix,
                                     cw_particles_get_view(engine->species[s].particles), &options,
                                     B, Jhat, NULL));
  }
  CW_TRY(cw_massmatrix_finish(state->matrix));
  for (int c = 0; c < 3; c++)
    CW_TRY(cw_massmatrix_fold_ghosts(state->matrix, Jhat.component[c]));
  CW_TRY(add_external_response(engine));
  double *const current[3] = {Jhat.component[0], Jhat.component[1], Jhat.component[2]};
  return cw_ecsim_fold_walls(state->fields, current);
}

/* A solver that stalls has changed nothing: where no particle was at fault before, a device's state
 * is whole, too. */
static cw_status solve(cw_engine *engine) {
  cw_ecsim_state *state = engine->ecsim;
  const cw_status status = cw_ecsim_solve(state->fields, respond, state->matrix, &state->report);
  if (status == CW_ERROR_NUMERIC && engine->space == CW_SPACE_DEVICE)
    engine->settled = cw_device_synchronize(engine->context) == CW_OK;
  return status;
}

static cw_status step(cw_engine *engine) {
  const cw_ecsim_state *state = engine->ecsim;
  cw_status (*const mark)(cw_engine *, int) = engine->space_ops->mark;
  CW_TRY(mark(engine, CW_STAGE_COUNT));
  CW_TRY(sort_species(engine));
  CW_TRY(mark(engine, STAGE_SORT));
  if (engine->deck->algorithms.ecsim.relativistic)
    CW_TRY(cw_ecsim_predict(engine));
  CW_TRY(deposit(engine));
  CW_TRY(mark(engine, STAGE_DEPOSITION));
  CW_TRY(solve(engine));
  CW_TRY(mark(engine, STAGE_SOLVE));
  engine->halfway = 1;
  if (state->charge)
    CW_TRY(cw_ecsim_charge_keep(engine));
  CW_TRY(cw_ecsim_move(engine));
  CW_TRY(mark(engine, STAGE_MOVER));
  CW_TRY(cw_ecsim_advance(engine->ecsim->fields));
  CW_TRY(mark(engine, STAGE_SOLVE));
  if (state->charge) {
    CW_TRY(cw_ecsim_charge_correct(engine));
    CW_TRY(mark(engine, STAGE_MOVER));
  }
  engine->step++;
  engine->halfway = 0;
  return CW_OK;
}

/* On the CPU's matrix unit, which not all processors have. */
static cw_status check_bf16(const cw_engine *engine) {
  const cw_deck *deck = engine->deck;
  const char *missing = engine->space == CW_SPACE_DEVICE ? "the backend is a device"
                        : deck->algorithms.ecsim.pipeline != CW_PIPELINE_MATRIX
                            ? "the pipeline is not \"matrix\""
                            : cw_amx_missing(engine->context);
  if (!missing)
    return CW_OK;
  return cw_deck_fail(engine->context, deck,
                      cw_deck_written(deck, "algorithms.ecsim", "matrix_format"),
                      "algorithms.ecsim.matrix_format: found bf16x6, which needs pipeline "
                      "\"matrix\" on a CPU with AMX: %s",
                      missing);
}

/* Formats of matrix units are a device's, or a CPU's with AMX, and of the pipeline that works on
 * them. */
static cw_status check_format(const cw_engine *engine) {
  const cw_deck *deck = engine->deck;
  if (deck->algorithms.ecsim.matrix_format == CW_MATRIX_BF16X6)
    return check_bf16(engine);
  const int tf32 = deck->algorithms.ecsim.matrix_format >= CW_MATRIX_TF32;
  if (!tf32 ||
      (engine->space == CW_SPACE_DEVICE && deck->algorithms.ecsim.pipeline == CW_PIPELINE_MATRIX))
    return CW_OK;
  return cw_deck_fail(
      engine->context, deck, cw_deck_written(deck, "algorithms.ecsim", "matrix_format"),
      "algorithms.ecsim.matrix_format: found %s; expected fp64 or fp32, or pipeline "
      "\"matrix\" and the backend cuda with it",
      deck->algorithms.ecsim.matrix_format == CW_MATRIX_TF32 ? "tf32" : "tf32x3");
}

static cw_status create_matrix(cw_engine *engine) {
  const cw_deck *deck = engine->deck;
  static const cw_massmatrix_method methods[] = {
      [CW_PIPELINE_UNSORTED] = CW_MASSMATRIX_NAIVE,
      [CW_PIPELINE_SORTED] = CW_MASSMATRIX_SORTED,
      [CW_PIPELINE_MATRIX] = CW_MASSMATRIX_AUTO, /* moments, on what is fastest here */
  };
  static const cw_massmatrix_format formats[] = {
      [CW_MATRIX_FP64] = CW_MASSMATRIX_FP64,     [CW_MATRIX_FP32] = CW_MASSMATRIX_FP32,
      [CW_MATRIX_TF32] = CW_MASSMATRIX_TF32,     [CW_MATRIX_TF32X3] = CW_MASSMATRIX_TF32X3,
      [CW_MATRIX_BF16X6] = CW_MASSMATRIX_BF16X6,
  };
  const cw_massmatrix_options options = {.order = deck->algorithms.deposit.shape_order,
                                         .kind = CW_MASSMATRIX_TENSOR,
                                         .method = methods[deck->algorithms.ecsim.pipeline],
                                         .format = formats[deck->algorithms.ecsim.matrix_format],
                                         .periodic = {!cw_ecsim_conductor(deck, 0),
                                                      !cw_ecsim_conductor(deck, 1),
                                                      !cw_ecsim_conductor(deck, 2)},
                                         .space = engine->space,
                                         .tile = TILE};
  return cw_massmatrix_create(engine->context, &engine->grid, &options, &engine->ecsim->matrix);
}

static cw_status create_fields(cw_engine *engine) {
  const cw_deck *deck = engine->deck;
  const double four_pi = cw_ecsim_four_pi(deck);
  const cw_ecsim_options options = {
      .dt = deck->dt,
      .theta = deck->algorithms.ecsim.theta,
      .current_scale = cw_ecsim_charge_scale(deck),
      .four_pi = four_pi,
      .smoothing_passes = deck->algorithms.ecsim.smoothing_passes,
      .tolerance = deck->algorithms.ecsim.solver_tolerance,
      .restart = deck->algorithms.ecsim.solver_restart,
      .iterations = CYCLES * deck->algorithms.ecsim.solver_restart,
      .conductor = {cw_ecsim_conductor(deck, 0), cw_ecsim_conductor(deck, 1),
                    cw_ecsim_conductor(deck, 2)},
      .space = engine->space,
  };
  return cw_ecsim_create(engine->context, &engine->grid, &options, &engine->ecsim->fields);
}

static cw_status create(cw_engine *engine) {
  const cw_deck *deck = engine->deck;
  CW_TRY(CW_NEW(engine->context, 1, "engine ecsim", &engine->ecsim));
  CW_TRY(create_fields(engine));
  CW_TRY(check_format(engine));
  CW_TRY(create_matrix(engine));
  if (deck->algorithms.ecsim.charge_correction)
    CW_TRY(cw_ecsim_charge_create(engine));
  CW_TRY(cw_memory_alloc(engine->context, engine->space,
                         CW_ECSIM_NODE * (size_t)engine->grid.points, sizeof(double),
                         "fields for the mover", (void **)&engine->ecsim->nodes));
  const int sorted = deck->algorithms.ecsim.pipeline != CW_PIPELINE_UNSORTED;
  for (int s = 0; s < deck->particles.species_count; s++)
    CW_TRY(
        cw_engine_create_species(engine, s, sorted, TILE, !deck->algorithms.deposit.vendor_sort));
  CW_TRY(
      cw_engine_load(engine, cw_ecsim_E(engine->ecsim->fields), cw_ecsim_B(engine->ecsim->fields)));
  return cw_ecsim_update(engine->ecsim->fields);
}

static void destroy(cw_engine *engine) {
  cw_ecsim_state *state = engine->ecsim;
  if (!state)
    return;
  cw_ecsim_destroy(state->fields);
  cw_massmatrix_destroy(state->matrix);
  cw_ecsim_charge_destroy(engine);
  for (int s = 0; s < CW_DECK_MAX_SPECIES; s++)
    cw_memory_free(engine->context, engine->space, state->gamma[s]);
  cw_memory_free(engine->context, engine->space, state->nodes);
  CW_DELETE(engine->context, state->faults);
  CW_DELETE(engine->context, state);
}

static cw_vector_view vector(const cw_engine *engine, cw_engine_quantity quantity,
                             double position[3][3]) {
  const cw_ecsim_fields *fields = engine->ecsim->fields;
  for (int c = 0; c < 3; c++)
    for (int a = 0; a < 3; a++)
      position[c][a] = a < engine->grid.dim && quantity == CW_QUANTITY_B ? 0.5 : 0.0;
  return quantity == CW_QUANTITY_E   ? cw_ecsim_E(fields)
         : quantity == CW_QUANTITY_B ? cw_ecsim_B(fields)
                                     : cw_ecsim_J(fields);
}

static cw_status divergence(cw_engine *engine, int of_B, double position[3]) {
  for (int a = 0; a < 3; a++)
    position[a] = !of_B && a < engine->grid.dim ? 0.5 : 0;
  return cw_ecsim_divergence(engine->ecsim->fields, of_B, engine->density);
}

/* On a device: sums of the matrix's bins, places shifted, and for all sorted particles keys, slots and
 * spares. */
static double device_work(const cw_deck *deck, const cw_grid *grid, double largest,
                          const cw_engine_memory *memory) {
  const double moments = 125 * 13.0 * sizeof(double), most = (double)((int64_t)1 << 30);
  const double shifted = fmin(largest, (double)cw_engine_on_device.chunk) * grid->dim *
                         (sizeof(int32_t) + sizeof(double));
  if (deck->algorithms.ecsim.pipeline == CW_PIPELINE_UNSORTED)
    return shifted;
  return shifted + fmin(moments * (double)grid->points, most) +
         (double)memory->particle_count * (deck->algorithms.deposit.vendor_sort ? 18 + 1 : 9);
}

static void estimate(const cw_deck *deck, const cw_grid *grid, double largest,
                     cw_engine_memory *memory) {
  const double points = (double)grid->points, real = sizeof(double);
  const int correct = deck->algorithms.ecsim.charge_correction;
  double entries = correct ? 10 : 9;
  for (int a = 0; a < grid->dim; a++)
    entries *= deck->algorithms.deposit.shape_order + 1;
  memory->fields = (27 + 2 + (correct ? 7 : 0) + CW_ECSIM_NODE) * points * real;
  /* matrix, and the solver's vectors: restart + 1 and six more */
  memory->work =
      entries * points * real + (deck->algorithms.ecsim.solver_restart + 7) * 3.0 * points * real;
  if (deck->algorithms.ecsim.relativistic)
    memory->work += (double)memory->particle_count * real; /* gamma */
  if (memory->space == CW_SPACE_HOST)
    memory->work += /* a sort */
        largest * (correct ? 24 : 16);
  else
    memory->work += device_work(deck, grid, largest, memory);
}

cw_ecsim_fields *cw_engine_ecsim_fields(const cw_engine *engine) {
  return engine->ecsim ? engine->ecsim->fields : NULL;
}

cw_ecsim_report cw_engine_ecsim_report(const cw_engine *engine) {
  return engine->ecsim ? engine->ecsim->report : (cw_ecsim_report){0};
}

const cw_engine_ops cw_ecsim_ops = {.name = "ecsim",
                                    .stage_names = stage_names,
                                    .stage_count = STAGES,
                                    .create = create,
                                    .destroy = destroy,
                                    .step = step,
                                    .diagnose = cw_ecsim_diagnose,
                                    .density = cw_ecsim_density,
                                    .gauss_charge = cw_ecsim_gauss_charge,
                                    .divergence = divergence,
                                    .vector = vector,
                                    .estimate = estimate};
