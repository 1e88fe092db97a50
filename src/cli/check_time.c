#include "cli/check_time.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context_private.h"

enum { MOST_STEPS = 20 };
static const double LONGEST = 0.5; /* seconds */

static void add_parameter(cw_deck *deck, const char *label, const char *name, double value) {
  cw_deck_parameter *parameter = &deck->setup.parameters[deck->setup.parameter_count++];
  *parameter = (cw_deck_parameter){.type = CW_PARAMETER_NUMBER, .number = {value}};
  snprintf(parameter->table, sizeof parameter->table, "species");
  snprintf(parameter->entry, sizeof parameter->entry, "%s", label);
  snprintf(parameter->name, sizeof parameter->name, "%s", name);
}

/* The deck's species with mass, as many a cell, as warm and as fast, in problem "expressions". */
static void set_plasma(cw_deck *small, const cw_deck *deck, const cw_check_scales *scales) {
  static const double warm = 0.01; /* where nothing is known */
  snprintf(small->setup.problem, sizeof small->setup.problem, "expressions");
  small->setup.parameter_count = small->particles.species_count = 0;
  for (int s = 0; s < deck->particles.species_count; s++) {
    const cw_deck_species *species = &deck->particles.species[s];
    const cw_check_species *known = &scales->species[s];
    const cw_species_scales *plasma = &known->plasma;
    if (!(species->mass > 0))
      continue;
    small->particles.species[small->particles.species_count] = *species;
    small->particles.species[small->particles.species_count++].maxnpart = 0;
    /* with weights, a density is no number of particles: a cell has ppc0 */
    add_parameter(small, species->label, "density",
                  deck->particles.use_weights ? 1 : known->mean_per_cell / deck->particles.ppc0);
    add_parameter(small, species->label, "temperature",
                  plasma->density > 0 ? plasma->temperature : warm);
    add_parameter(small, species->label, "velocity", plasma->speed);
    cw_deck_parameter *velocity = &small->setup.parameters[small->setup.parameter_count - 1];
    velocity->type = CW_PARAMETER_VECTOR;
    velocity->length = 3;
  }
}

/* A box of the deck's cells that holds about CW_CHECK_TIMED particles, or all of them. */
static void set_box(cw_deck *small, double particles_a_cell) {
  const int dim = small->grid.dim;
  const double edge = pow(CW_CHECK_TIMED / fmax(particles_a_cell, 1), 1.0 / dim);
  small->grid.window_axis = CW_WINDOW_NONE;
  for (int a = 0; a < dim; a++) {
    const double cells = fmin(small->grid.resolution[a], fmax(ceil(edge), 4));
    small->grid.resolution[a] = (int32_t)cells;
    small->grid.extent[a][1] = small->grid.extent[a][0] + cells * small->grid.dx[a];
    for (int side = 0; side < 2; side++) {
      small->grid.fields[a][side] = CW_FIELD_PERIODIC;
      small->grid.particles[a][side] = CW_PARTICLE_PERIODIC;
    }
  }
}

/* Seconds of the stages whose work goes with cells, and of the others. */
static void stage_sums(const cw_engine *engine, const cw_deck *deck, double *of_cells,
                       double *of_particles) {
  int count;
  const char *const *names = cw_engine_stages(deck, &count);
  const double *seconds = cw_engine_stage_seconds(engine);
  *of_cells = *of_particles = 0;
  for (int k = 0; k < count; k++)
    *(strcmp(names[k], "fields") == 0 || strcmp(names[k], "solve") == 0 ? of_cells
                                                                        : of_particles) +=
        seconds[k];
}

/* Steps whole sorting intervals after a first step that is not counted. */
static cw_status time_steps(cw_engine *engine, const cw_deck *deck, cw_check_time *time,
                            double *of_cells, double *of_particles) {
  const int64_t interval = cw_max_i64(deck->particles.spatial_sorting_interval, 1);
  double cells_before, particles_before, cells_after, particles_after;
  CW_TRY(cw_engine_step(engine));
  stage_sums(engine, deck, &cells_before, &particles_before);
  const double start = cw_seconds();
  time->steps = 0;
  do {
    for (int64_t k = 0; k < cw_min_i64(interval, MOST_STEPS); k++, time->steps++)
      CW_TRY(cw_engine_step(engine));
  } while (time->steps + interval <= MOST_STEPS && cw_seconds() - start < LONGEST);
  stage_sums(engine, deck, &cells_after, &particles_after);
  *of_cells = (cells_after - cells_before) / (double)time->steps;
  *of_particles = (particles_after - particles_before) / (double)time->steps;
  return CW_OK;
}

static cw_status measure(cw_context *context, const cw_deck *small, cw_check_time *time) {
  cw_engine *engine = NULL;
  double of_cells = 0, of_particles = 0, cells = 1;
  CW_TRY(cw_engine_create(context, small, &engine));
  cw_status status = time_steps(engine, small, time, &of_cells, &of_particles);
  time->particles = 0;
  for (int s = 0; s < small->particles.species_count; s++)
    time->particles += cw_particles_count(cw_engine_particles(engine, s));
  cw_engine_destroy(engine);
  CW_TRY(status);
  for (int a = 0; a < small->grid.dim; a++)
    cells *= small->grid.resolution[a];
  time->threads = cw_context_threads(context);
  time->ns_per_cell = 1e9 * of_cells / cells;
  time->ns_per_particle = time->particles ? 1e9 * of_particles / (double)time->particles : 0;
  return CW_OK;
}

cw_status cw_check_time_measure(cw_context *context, const cw_deck *deck,
                                const cw_check_scales *scales, double particles,
                                cw_check_time *time) {
  const cw_context_options quiet = {.backend = CW_BACKEND_CPU,
                                    .threads = cw_context_threads(context),
                                    .isa = cw_context_isa(context)};
  cw_context *own = NULL; /* whose messages nobody hears */
  cw_deck *small = NULL;
  *time = (cw_check_time){0};
  CW_TRY(CW_NEW(context, 1, "deck to time", &small));
  *small = *deck;
  set_plasma(small, deck, scales);
  set_box(small, particles / scales->cells);
  char message[256];
  cw_status status = cw_context_create(&quiet, &own, message, sizeof message);
  if (status != CW_OK)
    cw_fail(context, status, "%s", message);
  small->context = own;
  if (status == CW_OK && small->particles.species_count)
    status = measure(own, small, time);
  if (status != CW_OK && own)
    cw_fail(context, status, "%s", cw_context_message(own));
  cw_context_destroy(own);
  CW_DELETE(context, small);
  CW_TRY(status);
  time->seconds = 1e-9 * (double)deck->steps *
                  (particles * time->ns_per_particle + scales->cells * time->ns_per_cell);
  return CW_OK;
}
