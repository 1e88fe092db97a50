#include "setup/plasma.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "setup/formula.h"
#include "setup/initial_fields.h"
#include "setup/particle_place.h"

typedef struct species_plasma {
  cw_expression *density, *temperature, *velocity[3];
  const cw_deck_parameter *density_key, *temperature_key, *velocity_key;
  int leader;
} species_plasma;

struct cw_plasma {
  cw_context *context;
  const cw_deck *deck;
  species_plasma species[CW_DECK_MAX_SPECIES];
  cw_expression *E[3], *B[3], *A[3];
  const cw_deck_parameter *E_key, *B_key, *A_key;
};

static const char expected_density[] = "a finite density of at least 0";
static const char expected_temperature[] = "a finite temperature kT/(m c^2) of at least 0";
static const char expected_velocity[] = "a velocity below c = 1";
static const char expected_field[] = "a finite field";

static cw_status make_species(cw_plasma *plasma, const cw_expression_scope *scope, int s) {
  cw_context *context = plasma->context;
  const cw_deck *deck = plasma->deck;
  const cw_deck_species *species = &deck->particles.species[s];
  species_plasma *made = &plasma->species[s];
  const int axes = cw_formula_axes(deck);
  made->density_key = cw_deck_setup_entry(deck, "species", species->label, "density");
  made->temperature_key = cw_deck_setup_entry(deck, "species", species->label, "temperature");
  made->velocity_key = cw_deck_setup_entry(deck, "species", species->label, "velocity");
  if (!made->density_key)
    return cw_deck_fail(context, deck, species->where,
                        "found no density in [setup.species.%s]; problem \"expressions\" expects "
                        "one for each species (0 for none)",
                        species->label);
  if (!(species->mass > 0))
    return cw_deck_fail(context, deck, species->where,
                        "species %d (%s) has mass %g; problem \"expressions\" expects a positive "
                        "mass",
                        s + 1, species->label, species->mass);
  CW_TRY(cw_formula_create(context, deck, scope, made->density_key, 0, axes, &made->density));
  CW_TRY(cw_formula_vector(context, deck, scope, made->velocity_key, axes, made->velocity));
  return cw_formula_scalar(context, deck, scope, made->temperature_key, 0, axes,
                           &made->temperature);
}

static int same_density(const cw_deck_parameter *a, const cw_deck_parameter *b) {
  if (a->type != b->type)
    return 0;
  return a->type == CW_PARAMETER_TEXT ? strcmp(a->text[0], b->text[0]) == 0
                                      : a->number[0] == b->number[0];
}

static cw_status make(cw_plasma *plasma, int threads) {
  cw_context *context = plasma->context;
  const cw_deck *deck = plasma->deck;
  const int axes = cw_formula_axes(deck);
  cw_expression_scope scope;
  CW_TRY(cw_formula_scope(context, deck, threads, &scope));
  if (deck->particles.species_count < 1)
    return cw_deck_fail(context, deck, deck->setup.where,
                        "problem \"expressions\" needs at least one [[particles.species]]");
  for (int s = 0; s < deck->particles.species_count; s++) {
    CW_TRY(make_species(plasma, &scope, s));
    int leader = 0;
    while (!same_density(plasma->species[leader].density_key, plasma->species[s].density_key))
      leader++;
    plasma->species[s].leader = leader;
  }
  plasma->E_key = cw_deck_setup_parameter(deck, "E");
  plasma->B_key = cw_deck_setup_parameter(deck, "B");
  plasma->A_key = cw_deck_setup_parameter(deck, "A");
  CW_TRY(cw_formula_vector(context, deck, &scope, plasma->A_key, axes, plasma->A));
  CW_TRY(cw_formula_vector(context, deck, &scope, plasma->E_key, axes, plasma->E));
  return cw_formula_vector(context, deck, &scope, plasma->B_key, axes, plasma->B);
}

cw_status cw_plasma_create(cw_context *context, const cw_deck *deck, int threads,
                           cw_plasma **plasma) {
  cw_plasma *made = NULL;
  *plasma = NULL;
  CW_TRY(CW_NEW(context, 1, "plasma of expressions", &made));
  made->context = context;
  made->deck = deck;
  const cw_status status = make(made, threads);
  if (status == CW_OK)
    *plasma = made;
  else
    cw_plasma_destroy(made);
  return status;
}

void cw_plasma_destroy(cw_plasma *plasma) {
  if (!plasma)
    return;
  for (int s = 0; s < CW_DECK_MAX_SPECIES; s++) {
    cw_expression_destroy(plasma->species[s].density);
    cw_expression_destroy(plasma->species[s].temperature);
    for (int a = 0; a < 3; a++)
      cw_expression_destroy(plasma->species[s].velocity[a]);
  }
  for (int a = 0; a < 3; a++) {
    cw_expression_destroy(plasma->E[a]);
    cw_expression_destroy(plasma->B[a]);
    cw_expression_destroy(plasma->A[a]);
  }
  CW_DELETE(plasma->context, plasma);
}

int cw_plasma_leader(const cw_plasma *plasma, int species) {
  return plasma->species[species].leader;
}

static double value_at(const cw_expression *expression, const double x[3]) {
  return cw_expression_at(expression, x, 0);
}

/* Sample points: cell centres of an even lattice of at most CW_PLASMA_SAMPLES. */
typedef struct lattice {
  const cw_deck *deck;
  int count[3], points;
} lattice;

static lattice lattice_of(const cw_deck *deck) {
  static const int most[] = {CW_PLASMA_SAMPLES, 256, 40}; /* an axis, in 1, 2, 3 dimensions */
  lattice made = {deck, {1, 1, 1}, 1};
  for (int a = 0; a < deck->grid.dim; a++) {
    const int limit = most[deck->grid.dim - 1], cells = deck->grid.resolution[a];
    made.count[a] = cells < limit ? cells : limit;
    made.points *= made.count[a];
  }
  return made;
}

static void sample_place(const lattice *lattice, int k, double x[3]) {
  const cw_deck *deck = lattice->deck;
  for (int a = 0; a < 3; a++) {
    x[a] = 0;
    if (a < deck->grid.dim) {
      const int64_t cells = deck->grid.resolution[a];
      const int64_t cell = (2 * (k % lattice->count[a]) + 1) * cells / (2 * lattice->count[a]);
      x[a] = deck->grid.extent[a][0] + ((double)cell + 0.5) * deck->grid.dx[a];
    }
    k /= lattice->count[a];
  }
}

/* What is wrong with the motion at a place, if anything. */
static cw_status check_motion_at(const cw_plasma *plasma, int s, const double x[3]) {
  const species_plasma *species = &plasma->species[s];
  double drift[3], temperature;
  int largest = 0;
  if (cw_plasma_motion(plasma, s, x, drift, &temperature))
    return CW_OK;
  if (!(temperature >= 0) || !isfinite(temperature))
    return cw_formula_fail(plasma->context, plasma->deck, species->temperature_key, 0, temperature,
                           x, NAN, expected_temperature);
  for (int a = 1; a < 3; a++)
    if (!(fabs(drift[a]) <= fabs(drift[largest])))
      largest = a;
  return cw_formula_fail(plasma->context, plasma->deck, species->velocity_key, largest,
                         drift[largest], x, NAN, expected_velocity);
}

static cw_status check_at(const cw_plasma *plasma, const double x[3]) {
  for (int s = 0; s < plasma->deck->particles.species_count; s++) {
    const double density = value_at(plasma->species[s].density, x);
    if (!(density >= 0) || !isfinite(density))
      return cw_formula_fail(plasma->context, plasma->deck, plasma->species[s].density_key, 0,
                             density, x, NAN, expected_density);
    if (density > 0)
      CW_TRY(check_motion_at(plasma, s, x));
  }
  for (int k = 0; k < 9; k++) {
    cw_expression *const *const field = k < 3 ? plasma->E : k < 6 ? plasma->B : plasma->A;
    const cw_deck_parameter *key = k < 3 ? plasma->E_key : k < 6 ? plasma->B_key : plasma->A_key;
    const double value = value_at(field[k % 3], x);
    if (!isfinite(value))
      return cw_formula_fail(plasma->context, plasma->deck, key, k % 3, value, x, NAN,
                             expected_field);
  }
  return CW_OK;
}

cw_status cw_plasma_check(const cw_plasma *plasma) {
  const lattice lattice = lattice_of(plasma->deck);
  for (int k = 0; k < lattice.points; k++) {
    double x[3];
    sample_place(&lattice, k, x);
    CW_TRY(check_at(plasma, x));
  }
  return CW_OK;
}

double cw_plasma_mean_density(const cw_plasma *plasma, int species) {
  const lattice lattice = lattice_of(plasma->deck);
  double sum = 0;
  for (int k = 0; k < lattice.points; k++) {
    double x[3];
    sample_place(&lattice, k, x);
    sum += value_at(plasma->species[species].density, x);
  }
  return sum / lattice.points;
}

void cw_plasma_extremes(const cw_plasma *plasma, int species, cw_species_scales *scales) {
  const lattice lattice = lattice_of(plasma->deck);
  *scales = (cw_species_scales){.temperature = INFINITY};
  for (int k = 0; k < lattice.points; k++) {
    double x[3], drift[3], temperature;
    sample_place(&lattice, k, x);
    const double density = value_at(plasma->species[species].density, x);
    double B = 0;
    for (int a = 0; a < 3; a++)
      B += pow(cw_plasma_B(plasma, a, x), 2);
    scales->B = fmax(scales->B, sqrt(B));
    if (!(density > 0) || !cw_plasma_motion(plasma, species, x, drift, &temperature))
      continue;
    const double speed = sqrt(drift[0] * drift[0] + drift[1] * drift[1] + drift[2] * drift[2]);
    scales->density = fmax(scales->density, density);
    scales->speed = fmax(scales->speed, speed);
    scales->temperature = fmin(scales->temperature, temperature);
  }
  if (isinf(scales->temperature))
    scales->temperature = 0;
}

/* The c-th of Gauss's points of a cell, bit a of c choosing the one along axis a. */
static void gauss_point(int dim, int c, const double lower[3], const double upper[3], double x[3]) {
  const double offset = 0.5 / sqrt(3.0);
  for (int a = 0; a < 3; a++)
    x[a] = a < dim ? 0.5 * (lower[a] + upper[a]) +
                         (c >> a & 1 ? offset : -offset) * (upper[a] - lower[a])
                   : 0;
}

double cw_plasma_density(const cw_plasma *plasma, int species, const double lower[3],
                         const double upper[3]) {
  const int dim = plasma->deck->grid.dim;
  const cw_expression *density = plasma->species[species].density;
  double sum = 0;
  for (int c = 0; c < 1 << dim; c++) {
    double x[3];
    gauss_point(dim, c, lower, upper, x);
    const double value = value_at(density, x);
    if (!(value >= 0) || isinf(value))
      return NAN;
    sum += value;
  }
  return sum / (1 << dim);
}

int cw_plasma_motion(const cw_plasma *plasma, int species, const double x[3], double drift[3],
                     double *temperature) {
  const species_plasma *of = &plasma->species[species];
  double square = 0;
  for (int a = 0; a < 3; a++) {
    drift[a] = value_at(of->velocity[a], x);
    square += drift[a] * drift[a];
  }
  *temperature = value_at(of->temperature, x);
  return square < 1 && *temperature >= 0 && isfinite(*temperature);
}

double cw_plasma_E(const void *plasma, int axis, const double x[3]) {
  return value_at(((const cw_plasma *)plasma)->E[axis], x);
}

/* Difference of component c of A along axis b over the cell around x. On the Yee grid A_c stands on
 * the edge along c, where E_c does; engine ecsim takes the mean over the cell's edges along b. */
static double difference(const cw_plasma *plasma, int c, int b, const double x[3]) {
  const cw_deck *deck = plasma->deck;
  const int dim = deck->grid.dim;
  const int corners = deck->simulation.engine == CW_ENGINE_ECSIM ? 1 << dim : 1;
  double sum = 0;
  int edges = 0;
  if (b >= dim || !plasma->A_key)
    return 0;
  for (int corner = 0; corner < corners; corner++) {
    double upper[3] = {x[0], x[1], x[2]}, lower[3];
    if (corner >> b & 1)
      continue; /* both ends of an edge are taken at once */
    for (int a = 0; a < dim && corners > 1; a++)
      if (a != b)
        upper[a] += (corner >> a & 1 ? 0.5 : -0.5) * deck->grid.dx[a];
    memcpy(lower, upper, sizeof lower);
    upper[b] += 0.5 * deck->grid.dx[b];
    lower[b] -= 0.5 * deck->grid.dx[b];
    sum += value_at(plasma->A[c], upper) - value_at(plasma->A[c], lower);
    edges++;
  }
  return sum / edges / deck->grid.dx[b];
}

double cw_plasma_B(const void *user, int axis, const double x[3]) {
  const cw_plasma *plasma = user;
  const int b = (axis + 1) % 3, c = (axis + 2) % 3;
  return value_at(plasma->B[axis], x) + difference(plasma, c, b, x) - difference(plasma, b, c, x);
}

cw_status cw_plasma_fail_density(const cw_plasma *plasma, int species, const cw_grid *grid) {
  const species_plasma *of = &plasma->species[species];
  const int64_t cells = (int64_t)grid->cells[0] * grid->cells[1] * grid->cells[2];
  double x[3] = {0, 0, 0}, value = 0;
  for (int64_t cell = 0; cell < cells; cell++) {
    const int64_t index[3] = {cell % grid->cells[0], cell / grid->cells[0] % grid->cells[1],
                              cell / grid->cells[0] / grid->cells[1]};
    double lower[3], upper[3];
    for (int a = 0; a < 3; a++) {
      lower[a] = grid->origin[a] + (double)index[a] * grid->dx[a];
      upper[a] = grid->origin[a] + (double)(index[a] + 1) * grid->dx[a];
    }
    for (int c = 0; c < 1 << grid->dim; c++) {
      gauss_point(grid->dim, c, lower, upper, x);
      value = value_at(of->density, x);
      if (!(value >= 0) || !(value * plasma->deck->particles.ppc0 <= 1e9))
        return cw_formula_fail(plasma->context, plasma->deck, of->density_key, 0, value, x, NAN,
                               value >= 0 ? "at most 1e9 particles a cell" : expected_density);
    }
  }
  return cw_formula_fail(plasma->context, plasma->deck, of->density_key, 0, value, x, NAN,
                         expected_density);
}

cw_status cw_plasma_check_motion(const cw_plasma *plasma, int species, const cw_grid *grid,
                                 const cw_particles *particles) {
  const cw_particles_view view = cw_particles_get_view(particles);
  for (int64_t p = 0; p < view.count; p++) {
    double x[3];
    cw_particle_place(grid, &view, p, x);
    CW_TRY(check_motion_at(plasma, species, x));
  }
  return CW_OK;
}

/* The first value of a component that is not finite. */
static cw_status check_component(const cw_plasma *plasma, const cw_setup_target *target,
                                 int electric, int axis) {
  const cw_grid *grid = target->grid;
  const cw_vector_view field = electric ? target->E : target->B;
  const cw_deck_parameter *key = electric        ? plasma->E_key
                                 : plasma->B_key ? plasma->B_key
                                                 : plasma->A_key;
  const int64_t rows = (int64_t)grid->cells[1] * grid->cells[2];
  double shift[3], x[3];
  cw_initial_shift(target->deck, electric, axis, shift);
  for (int64_t row = 0; row < rows && key; row++) {
    const int64_t index[3] = {0, row % grid->cells[1], row / grid->cells[1]};
    for (int64_t i = 0; i < grid->cells[0]; i++) {
      const double value = cw_real_get(field.component[axis], field.precision,
                                       cw_grid_index(grid, i, index[1], index[2]));
      if (isfinite(value))
        continue;
      cw_initial_coordinates(grid, (const int64_t[3]){i, index[1], index[2]}, shift, x);
      return cw_formula_fail(plasma->context, plasma->deck, key, axis, value, x, NAN,
                             expected_field);
    }
  }
  return CW_OK;
}

cw_status cw_plasma_check_fields(const cw_plasma *plasma, const cw_setup_target *target) {
  for (int k = 0; k < 6; k++)
    CW_TRY(check_component(plasma, target, k < 3, k % 3));
  return CW_OK;
}
