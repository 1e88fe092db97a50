#include "setup/setup_case.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <check.h>

#include "base/context_private.h"

void deck_init(cw_deck *deck, const char *problem, int dim, const int32_t cells[3],
               const double length[3]) {
  memset(deck, 0, sizeof *deck);
  snprintf(deck->path, sizeof deck->path, "case.toml");
  snprintf(deck->setup.problem, sizeof deck->setup.problem, "%s", problem);
  deck->setup.where = (cw_deck_where){1, 1};
  deck->simulation.seed = 12345;
  deck->grid.dim = dim;
  deck->V0 = 1;
  for (int a = 0; a < dim; a++) {
    deck->grid.resolution[a] = cells[a];
    deck->grid.extent[a][0] = -1;
    deck->grid.extent[a][1] = length[a] - 1;
    deck->grid.dx[a] = length[a] / cells[a];
    deck->V0 *= deck->grid.dx[a];
  }
  deck->scales.larmor0 = deck->scales.skindepth0 = 1;
  deck->algorithms.CFL = 0.5;
  deck->algorithms.deposit.enable = 1;
  deck->algorithms.deposit.shape_order = 2;
  deck->particles.ppc0 = 8;
  deck->dt = deck->algorithms.CFL * deck->grid.dx[0] / sqrt(dim);
  deck->n0 = deck->particles.ppc0 / deck->V0;
  deck->q0 = deck->V0 / deck->particles.ppc0;
  deck->B0 = 1;
}

void deck_species(cw_deck *deck, const char *label, double mass, double charge) {
  cw_deck_species *species = &deck->particles.species[deck->particles.species_count++];
  snprintf(species->label, sizeof species->label, "%s", label);
  species->mass = mass;
  species->charge = charge;
  species->where = (cw_deck_where){10 + deck->particles.species_count, 1};
}

void deck_pairs(cw_deck *deck, int pairs) {
  for (int p = 0; p < pairs; p++) {
    deck_species(deck, "e-", 1, -1);
    deck_species(deck, "e+", 1, 1);
  }
}

static cw_deck_parameter *add(cw_deck *deck, const char *name) {
  cw_deck_parameter *parameter = NULL;
  for (int k = 0; k < deck->setup.parameter_count; k++)
    if (strcmp(deck->setup.parameters[k].name, name) == 0)
      parameter = &deck->setup.parameters[k];
  if (!parameter)
    parameter = &deck->setup.parameters[deck->setup.parameter_count++];
  memset(parameter, 0, sizeof *parameter);
  snprintf(parameter->name, sizeof parameter->name, "%s", name);
  parameter->where = (cw_deck_where){100 + deck->setup.parameter_count, 3};
  return parameter;
}

void deck_number(cw_deck *deck, const char *name, double value) {
  cw_deck_parameter *parameter = add(deck, name);
  parameter->type = CW_PARAMETER_NUMBER;
  parameter->number[0] = value;
}

void deck_bool(cw_deck *deck, const char *name, int value) {
  cw_deck_parameter *parameter = add(deck, name);
  parameter->type = CW_PARAMETER_BOOL;
  parameter->number[0] = value;
}

void deck_text(cw_deck *deck, const char *name, const char *value) {
  cw_deck_parameter *parameter = add(deck, name);
  parameter->type = CW_PARAMETER_TEXT;
  parameter->text[0] = value;
}

void deck_vector(cw_deck *deck, const char *name, double x, double y, double z) {
  cw_deck_parameter *parameter = add(deck, name);
  parameter->type = CW_PARAMETER_VECTOR;
  parameter->number[0] = x;
  parameter->number[1] = y;
  parameter->number[2] = z;
  parameter->length = 3;
}

setup_case case_prepare(const cw_deck *deck, int threads, cw_precision precision) {
  setup_case state = {.context = NULL};
  const cw_context_options options = {.threads = threads};
  ck_assert_int_eq(cw_context_create(&options, &state.context, NULL, 0), CW_OK);
  ck_assert_int_eq(cw_setup_grid(state.context, deck, &state.grid), CW_OK);
  const cw_particles_options kind = {
      .dim = deck->grid.dim, .precision = precision, .with_weights = deck->particles.use_weights};
  state.target = (cw_setup_target){.context = state.context,
                                   .species_count = deck->particles.species_count,
                                   .E.precision = CW_DOUBLE,
                                   .B.precision = CW_DOUBLE};
  for (int s = 0; s < deck->particles.species_count; s++)
    ck_assert_int_eq(cw_particles_create(state.context, &kind, 0, &state.particles[s]), CW_OK);
  for (int f = 0; f < 6; f++) {
    ck_assert_int_eq(CW_NEW(state.context, state.grid.points, "field", &state.field[f]), CW_OK);
    for (int64_t k = 0; k < state.grid.points; k++)
      state.field[f][k] = NAN;
    if (f < 3)
      state.target.E.component[f] = state.field[f];
    else
      state.target.B.component[f - 3] = state.field[f];
  }
  return state;
}

setup_case case_fill(cw_deck *deck, int threads, cw_precision precision) {
  setup_case state = case_prepare(deck, threads, precision);
  cw_setup_target target = state.target;
  target.deck = deck;
  target.grid = &state.grid;
  target.particles = state.particles;
  ck_assert_msg(cw_setup_check(state.context, deck) == CW_OK, "%s",
                cw_context_message(state.context));
  ck_assert_msg(cw_setup_fill(&target) == CW_OK, "%s", cw_context_message(state.context));
  return state;
}

void case_clear(setup_case *state) {
  for (int s = 0; s < CW_DECK_MAX_SPECIES; s++)
    cw_particles_destroy(state->particles[s]);
  for (int f = 0; f < 6; f++)
    CW_DELETE(state->context, state->field[f]);
  ck_assert_uint_eq(cw_memory_used(state->context, CW_SPACE_HOST), 0);
  cw_context_destroy(state->context);
}

double real_at(const void *array, cw_precision precision, int64_t k) {
  return precision == CW_DOUBLE ? ((const double *)array)[k] : (double)((const float *)array)[k];
}
