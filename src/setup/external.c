#include "setup/external.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context_private.h"
#include "setup/formula.h"
#include "setup/initial_fields.h"

struct cw_external {
  cw_context *context;
  const cw_deck *deck;
  cw_expression *field[6];
  const cw_deck_parameter *key[2]; /* of E and B; NULL: not given */
};

/* From the parameters of E and of B; NULL: not given. */
static cw_status create(cw_context *context, const cw_deck *deck,
                        const cw_deck_parameter *const keys[2], int threads,
                        cw_external **external) {
  cw_expression_scope scope;
  cw_external *made = NULL;
  cw_status status = CW_OK;
  *external = NULL;
  CW_TRY(cw_formula_scope(context, deck, threads,
                          &scope)); /* constants are checked even without a use */
  if (!keys[0] && !keys[1])
    return CW_OK;
  CW_TRY(CW_NEW(context, 1, "external fields", &made));
  made->context = context;
  made->deck = deck;
  for (int f = 0; f < 2; f++) {
    made->key[f] = keys[f];
    CW_TRY_CLEANUP(status,
                   cw_formula_vector(context, deck, &scope, keys[f],
                                     cw_formula_axes(deck) | CW_EXPRESSION_T, made->field + 3 * f));
  }
  *external = made;
  made = NULL;
cleanup:
  cw_external_destroy(made);
  return status;
}

cw_status cw_external_create(cw_context *context, const cw_deck *deck, const char *stem,
                             int threads, cw_external **external) {
  const cw_deck_parameter *keys[2];
  for (int f = 0; f < 2; f++) {
    char name[CW_DECK_NAME];
    snprintf(name, sizeof name, "%s_%c", stem, "EB"[f]);
    keys[f] = cw_deck_setup_parameter(deck, name);
  }
  return create(context, deck, keys, threads, external);
}

static const cw_deck_parameter *force_of(const cw_deck *deck, const cw_deck_species *species) {
  return cw_deck_setup_entry(deck, "species", species->label, "force");
}

cw_status cw_external_create_force(cw_context *context, const cw_deck *deck,
                                   const cw_deck_species *species, int threads,
                                   cw_external **external) {
  const cw_deck_parameter *const keys[2] = {force_of(deck, species), NULL};
  return create(context, deck, keys, threads, external);
}

void cw_external_destroy(cw_external *external) {
  if (!external)
    return;
  for (int f = 0; f < 6; f++)
    cw_expression_destroy(external->field[f]);
  CW_DELETE(external->context, external);
}

int cw_external_has(const cw_external *external, int field) {
  static const double nowhere[3] = {0, 0, 0};
  const cw_expression *expression = external->field[field];
  return cw_expression_variables(expression) || cw_expression_at(expression, nowhere, 0) != 0;
}

int cw_external_moves(const cw_external *external) {
  int variables = 0;
  for (int f = 0; f < 6; f++)
    variables |= cw_expression_variables(external->field[f]);
  return (variables & CW_EXPRESSION_T) != 0;
}

static cw_status fail_at(const cw_external *external, int field, double value, const double x[3],
                         double t) {
  return cw_formula_fail(external->context, external->deck, external->key[field / 3], field % 3,
                         value, x, t, "a finite field");
}

/* A walk over points: those that differ in what the expression depends on, or all. */
typedef struct walk {
  const cw_grid *grid;
  int32_t size[3]; /* 1 along axes that the expression does not depend on */
  double shift[3];
} walk;

static walk walk_of(const cw_external *external, const cw_grid *grid, int field) {
  const int variables = cw_expression_variables(external->field[field]);
  walk made = {.grid = grid};
  for (int a = 0; a < 3; a++)
    made.size[a] = variables >> a & 1 ? grid->size[a] : 1;
  if (external->deck->simulation.engine != CW_ENGINE_ECSIM)
    cw_initial_shift(external->deck, field < 3, field % 3, made.shift);
  return made;
}

cw_external_plan cw_external_get_plan(const cw_external *external, const cw_grid *grid, int field) {
  const walk walk = walk_of(external, grid, field);
  cw_external_plan plan = {.program = cw_expression_get_program(external->field[field])};
  memcpy(plan.size, walk.size, sizeof plan.size);
  memcpy(plan.shift, walk.shift, sizeof plan.shift);
  return plan;
}

static void place_of(const walk *walk, int64_t i, int64_t j, int64_t k, double x[3]) {
  const cw_grid *grid = walk->grid;
  const int64_t index[3] = {i - grid->ghost, j - grid->ghost, k - grid->ghost};
  cw_initial_coordinates(grid, index, walk->shift, x);
}

/* Rows of the points that differ; returns the number of values that are not finite. */
static int64_t evaluate(const cw_external *external, const walk *walk, int field, double t,
                        double *values) {
  const cw_grid *grid = walk->grid;
  const int64_t rows = (int64_t)walk->size[1] * walk->size[2];
  int64_t bad = 0;
#pragma omp parallel for schedule(static) reduction(+ : bad) if (rows > 16)                        \
    num_threads(cw_context_threads(external->context))
  for (int64_t row = 0; row < rows; row++) {
    const int64_t j = row % walk->size[1], k = row / walk->size[1];
    for (int64_t i = 0; i < walk->size[0]; i++) {
      double x[3];
      place_of(walk, i, j, k, x);
      const double value = cw_expression_at(external->field[field], x, t);
      values[i + j * grid->stride[1] + k * grid->stride[2]] = value;
      bad += !isfinite(value);
    }
  }
  return bad;
}

static cw_status fail_fill(const cw_external *external, const walk *walk, int field, double t,
                           const double *values) {
  const cw_grid *grid = walk->grid;
  for (int64_t k = 0; k < walk->size[2]; k++)
    for (int64_t j = 0; j < walk->size[1]; j++)
      for (int64_t i = 0; i < walk->size[0]; i++) {
        const double value = values[i + j * grid->stride[1] + k * grid->stride[2]];
        double x[3];
        place_of(walk, i, j, k, x);
        if (!isfinite(value))
          return fail_at(external, field, value, x, t);
      }
  return CW_OK;
}

cw_status cw_external_fill(const cw_external *external, const cw_grid *grid, int field, double t,
                           double *values) {
  const walk walk = walk_of(external, grid, field);
  if (evaluate(external, &walk, field, t, values) > 0)
    return fail_fill(external, &walk, field, t, values);
  /* Copies downwards: a point that others copy from is either kept or written before them. */
  for (int64_t k = 0; k < grid->size[2]; k++)
    for (int64_t j = 0; j < grid->size[1]; j++) {
      double *to = values + j * grid->stride[1] + k * grid->stride[2];
      const double *from =
          values + (j % walk.size[1]) * grid->stride[1] + (k % walk.size[2]) * grid->stride[2];
      for (int64_t i = 0; i < grid->size[0]; i++)
        to[i] = from[walk.size[0] == 1 ? 0 : i];
    }
  return CW_OK;
}

/* Sample k of SAMPLES: corners, middles of edges and sides, centre; at the start, then the end. */
enum { SAMPLES = 2 * 27 };
static double sample(const cw_deck *deck, int k, double x[3]) {
  const int point[3] = {k % 3, k / 3 % 3, k / 9 % 3};
  for (int a = 0; a < 3; a++) {
    const double *edge = deck->grid.extent[a];
    x[a] = a < deck->grid.dim ? edge[0] + 0.5 * point[a] * (edge[1] - edge[0]) : 0;
  }
  return k < 27 ? 0 : deck->simulation.runtime;
}

/* Samples what has been compiled, and destroys it. */
static cw_status sample_all(const cw_deck *deck, cw_external *external) {
  cw_status status = CW_OK;
  for (int k = 0; external && k < 6 * SAMPLES && status == CW_OK; k++) {
    double x[3];
    const double t = sample(deck, k / 6, x);
    const double value = cw_expression_at(external->field[k % 6], x, t);
    if (!isfinite(value))
      status = fail_at(external, k % 6, value, x, t);
  }
  cw_external_destroy(external);
  return status;
}

static cw_status check(cw_context *context, const cw_deck *deck, const char *stem) {
  cw_external *external;
  CW_TRY(cw_external_create(context, deck, stem, 1, &external));
  return sample_all(deck, external);
}

static cw_status check_force(cw_context *context, const cw_deck *deck,
                             const cw_deck_species *species) {
  const cw_deck_parameter *force = force_of(deck, species);
  cw_external *external;
  if (!force)
    return CW_OK;
  if (!(species->mass > 0) || species->charge == 0 || deck->simulation.engine != CW_ENGINE_SRPIC)
    return cw_deck_fail(context, deck, force->where,
                        "setup.species.%s.force: found a force on a species of mass %g and charge "
                        "%g; expected a positive mass, a charge, and engine = \"srpic\"",
                        species->label, species->mass, species->charge);
  CW_TRY(cw_external_create_force(context, deck, species, 1, &external));
  return sample_all(deck, external);
}

cw_status cw_external_check(cw_context *context, const cw_deck *deck) {
  int sides = 0;
  for (int a = 0; a < deck->grid.dim; a++)
    for (int upper = 0; upper < 2; upper++)
      sides += deck->grid.fields[a][upper] == CW_FIELD_MATCH;
  for (int f = 0; f < 2 && !sides; f++) {
    const cw_deck_parameter *key = cw_deck_setup_parameter(deck, f ? "match_B" : "match_E");
    if (key)
      return cw_deck_fail(context, deck, key->where,
                          "setup.%s: found a field to match; expected a side of kind MATCH in "
                          "grid.boundaries.fields with it",
                          key->name);
  }
  for (int s = 0; s < deck->particles.species_count; s++)
    CW_TRY(check_force(context, deck, &deck->particles.species[s]));
  CW_TRY(check(context, deck, "external"));
  return check(context, deck, "match");
}

double cw_external_largest_B(const cw_deck *deck) {
  cw_external *external = NULL;
  double largest = 0;
  if (cw_external_create(deck->context, deck, "external", 1, &external) != CW_OK)
    return 0;
  for (int k = 0; external && k < SAMPLES; k++) {
    double x[3], square = 0;
    const double t = sample(deck, k, x);
    for (int a = 0; a < 3; a++)
      square += pow(cw_expression_at(external->field[3 + a], x, t), 2);
    largest = fmax(largest, sqrt(square));
  }
  cw_external_destroy(external);
  return largest;
}
