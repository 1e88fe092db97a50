/* bench step: the whole explicit step on a thermal pair plasma, with each stage's share. */
#include <math.h>
#include <string.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "cli/bench.h"
#include "engine/engine.h"
#include "setup/setup.h"

enum { DECK_TEXT = 4096, COMPARED_STEPS = 4, SPECIES = 2 };

typedef struct step_variant {
  const char *name;
  int tiled, fixed_point;
} step_variant;

static const step_variant variants_here[] = {
    {"whole", 1, 0}, {"whole_fixed", 1, 1}, {"whole_flat", 0, 0}};

static void axis_list(char *text, size_t size, const char *format_first, int dim,
                      const double *values) {
  size_t used = 0;
  for (int a = 0; a < dim; a++) {
    used += (size_t)snprintf(text + used, size - used, a ? ", " : "");
    used += (size_t)snprintf(text + used, size - used,
                             format_first[0] == 'e' ? "[0.0, %.17g]" : "%.0f", values[a]);
  }
}

static void write_deck(const cw_bench_case *c, const step_variant *variant, int sort_interval,
                       cw_precision precision, char text[DECK_TEXT]) {
  const double dx = 0.1; /* skin depths */
  double cells[3], extent[3];
  char resolution[128], extents[256], boundaries[128];
  for (int a = 0; a < c->dim; a++)
    cells[a] = c->cells[a], extent[a] = c->cells[a] * dx;
  axis_list(resolution, sizeof resolution, "resolution", c->dim, cells);
  axis_list(extents, sizeof extents, "extent", c->dim, extent);
  boundaries[0] = 0;
  for (int a = 0; a < c->dim; a++)
    strcat(boundaries, a ? ", [\"PERIODIC\"]" : "[\"PERIODIC\"]");
  snprintf(text, DECK_TEXT,
           "[simulation]\nname = \"bench\"\nengine = \"srpic\"\nruntime = 1.0\nprecision = \"%s\"\n"
           "seed = %u\n[grid]\nresolution = [%s]\nextent = [%s]\n[grid.metric]\nmetric = "
           "\"minkowski\"\n[grid.boundaries]\nfields = [%s]\nparticles = [%s]\n[scales]\n"
           "larmor0 = 1.0\nskindepth0 = 1.0\n[algorithms]\ncurrent_filters = 4\n"
           "[algorithms.timestep]\nCFL = %.17g\n[algorithms.deposit]\ntiled_deposit = %s\n"
           "tiled_deposit_fixed_point = %s\ntiled_deposit_tile_size = %d\n"
           "tiled_deposit_drift = %d\nshape_order = %d\n[particles]\nppc0 = %d.0\n"
           "spatial_sorting_interval = %d\n"
           "[[particles.species]]\nlabel = \"electrons\"\nmass = 1.0\ncharge = -1.0\n"
           "[[particles.species]]\nlabel = \"positrons\"\nmass = 1.0\ncharge = 1.0\n"
           "[setup]\nproblem = \"thermal\"\ntemperature = %.17g\ndrift = [%.17g, 0.0, 0.0]\n",
           cw_precision_name(precision), c->seed, resolution, extents, boundaries, boundaries,
           c->cfl, variant->tiled ? "true" : "false", variant->fixed_point ? "true" : "false",
           c->tile, c->drift, c->order, c->ppc, variant->tiled ? sort_interval : 0, c->temperature,
           c->bulk / sqrt(1 + c->bulk * c->bulk));
}

static cw_status make_deck(cw_context *context, const cw_bench_case *c, const step_variant *variant,
                           int sort_interval, cw_precision precision, cw_deck **deck) {
  char text[DECK_TEXT];
  write_deck(c, variant, sort_interval, precision, text);
  CW_TRY(cw_deck_parse(context, "bench deck", text, strlen(text), NULL, 0, deck));
  return cw_setup_check(context, *deck);
}

/* The initial state, on the host, made once for all variants: the plasma has no fields. */
typedef struct initial_state {
  cw_particles *species[SPECIES];
} initial_state;

static void free_state(initial_state *state) {
  for (int s = 0; s < SPECIES; s++) {
    cw_particles_destroy(state->species[s]);
    state->species[s] = NULL;
  }
}

static cw_status new_state(cw_context *context, int dim, cw_precision precision,
                           initial_state *state) {
  const cw_particles_options options = {.dim = dim, .precision = precision};
  for (int s = 0; s < SPECIES; s++)
    CW_TRY(cw_particles_create(context, &options, 0, &state->species[s]));
  return CW_OK;
}

static cw_status fill_state(cw_context *context, const cw_deck *deck, initial_state *state) {
  cw_grid grid;
  cw_vector_view none = {.precision = CW_DOUBLE};
  double *zero = NULL;
  cw_status status;
  CW_TRY(cw_setup_grid(context, deck, &grid));
  CW_TRY(CW_NEW(context, grid.points, "initial field", &zero));
  for (int c = 0; c < 3; c++)
    none.component[c] = zero;
  const cw_setup_target target = {.context = context,
                                  .deck = deck,
                                  .grid = &grid,
                                  .species_count = SPECIES,
                                  .particles = state->species,
                                  .E = none,
                                  .B = none};
  CW_TRY_CLEANUP(status, new_state(context, grid.dim, CW_DOUBLE, state));
  CW_TRY_CLEANUP(status, cw_setup_fill(&target));
cleanup:
  CW_DELETE(context, zero);
  return status;
}

/* An offset that rounds to 1 stays below it. */
static void round_slot(int dim, const cw_particles_view *from, const cw_particles_view *to,
                       int64_t p) {
  const float below_one = nextafterf(1, 0);
  for (int a = 0; a < dim; a++) {
    to->i[a][p] = from->i[a][p];
    ((float *)to->dx[a])[p] = fminf((float)((const double *)from->dx[a])[p], below_one);
  }
  for (int a = 0; a < 3; a++)
    ((float *)to->u[a])[p] = (float)((const double *)from->u[a])[p];
  to->tag[p] = from->tag[p];
  to->id[p] = from->id[p];
}

/* The state in single precision in place of that in double. */
static cw_status round_state(cw_context *context, int dim, initial_state *state) {
  initial_state rounded = {{NULL}};
  cw_status status;
  CW_TRY_CLEANUP(status, new_state(context, dim, CW_SINGLE, &rounded));
  for (int s = 0; s < SPECIES; s++) {
    const int64_t count = cw_particles_count(state->species[s]);
    CW_TRY_CLEANUP(status, cw_particles_resize(rounded.species[s], count));
    const cw_particles_view from = cw_particles_get_view(state->species[s]);
    const cw_particles_view to = cw_particles_get_view(rounded.species[s]);
#pragma omp parallel for num_threads(cw_context_threads(context)) schedule(static)
    for (int64_t p = 0; p < count; p++)
      round_slot(dim, &from, &to, p);
    cw_particles_destroy(state->species[s]);
    state->species[s] = rounded.species[s];
    rounded.species[s] = NULL;
  }
cleanup:
  free_state(&rounded);
  return status;
}

static cw_status run_steps(cw_engine *engine, int64_t steps) {
  for (int64_t k = 0; k < steps; k++)
    CW_TRY(cw_engine_step(engine));
  return cw_engine_wait(engine);
}

/* Makes the engine and takes the few steps after which fields are compared. */
static cw_status start(cw_context *context, const cw_deck *deck, const initial_state *state,
                       cw_engine **engine) {
  CW_TRY(cw_engine_create_from(context, deck, state->species, engine));
  return run_steps(*engine, COMPARED_STEPS);
}

/* E of the plain double-precision engine after the same few steps; [component][points]. */
static cw_status reference_field(cw_context *context, const cw_deck *deck,
                                 const initial_state *state, double **field) {
  cw_engine *engine = NULL;
  cw_vector_view E;
  double position[3][3];
  cw_status status;
  CW_TRY_CLEANUP(status, start(context, deck, state, &engine));
  CW_TRY_CLEANUP(status, cw_engine_vector(engine, CW_QUANTITY_E, position, &E));
  const int64_t points = cw_engine_grid(engine)->points;
  CW_TRY_CLEANUP(status, CW_NEW(context, 3 * points, "field to compare with", field));
  for (int a = 0; a < 3; a++)
    memcpy(*field + a * points, E.component[a], (size_t)points * sizeof **field);
cleanup:
  cw_engine_destroy(engine);
  return status;
}

/* Largest difference of E over the largest |E|. */
static double compare_fields(const cw_grid *grid, const cw_vector_view *E, const double *expected) {
  double difference = 0, largest = 0;
  for (int c = 0; c < 3; c++)
    for (int64_t k = 0; k < grid->points; k++) {
      double x = cw_real_get(E->component[c], E->precision, k), y = expected[c * grid->points + k];
      if (!isfinite(x) || !isfinite(y))
        return NAN;
      difference = fmax(difference, fabs(x - y));
      largest = fmax(largest, fabs(y));
    }
  return largest > 0 ? difference / largest : NAN;
}

typedef struct timed {
  cw_engine *engine;
  int64_t steps;
} timed;

static cw_status timed_steps(void *state) {
  timed *run = state;
  return run_steps(run->engine, run->steps);
}

static json_t *stages_json(const cw_engine *engine, const double before[CW_STAGE_COUNT],
                           double particle_steps) {
  const double *seconds = cw_engine_stage_seconds(engine);
  json_t *stages = json_object();
  for (int k = 0; k < CW_STAGE_COUNT; k++)
    json_object_set_new(stages, cw_stage_names[k],
                        json_real(1e9 * (seconds[k] - before[k]) / particle_steps));
  return stages;
}

static cw_status time_engine(cw_engine *engine, const cw_bench_case *c, const char *name,
                             int sort_interval, const double *expected, json_t *rows) {
  /* Each timed run holds one sort. */
  timed run = {engine, sort_interval > 0 ? sort_interval : 1};
  const cw_grid *grid = cw_engine_grid(engine);
  cw_vector_view E;
  double position[3][3], before[CW_STAGE_COUNT], seconds, particles = 0;
  CW_TRY(cw_engine_vector(engine, CW_QUANTITY_E, position, &E));
  const double error = compare_fields(grid, &E, expected);
  const int64_t first = cw_engine_step_number(engine);
  memcpy(before, cw_engine_stage_seconds(engine), sizeof before);
  CW_TRY(cw_bench_time(c->repeats, NULL, timed_steps, &run, &seconds));
  for (int s = 0; s < SPECIES; s++)
    particles += (double)cw_particles_count(cw_engine_particles(engine, s));
  CW_TRY(cw_engine_vector(engine, CW_QUANTITY_E, position, &E));
  json_t *row =
      cw_bench_add(rows, name, 1e9 * seconds / (particles * (double)run.steps), error,
                   cw_bench_checksum(E.component[0], (size_t)grid->points *
                                                         (size_t)cw_precision_size(E.precision)));
  const double steps = (double)(cw_engine_step_number(engine) - first);
  json_object_set_new(row, "sort_interval", json_integer(sort_interval));
  json_object_set_new(row, "stages", stages_json(engine, before, steps * particles));
  json_object_set_new(row, "particles", json_real(particles));
  return CW_OK;
}

static cw_status time_variant(cw_context *context, const cw_bench_case *c,
                              const step_variant *variant, int sort_interval,
                              const initial_state *state, const double *expected, json_t *rows) {
  cw_deck *deck = NULL;
  cw_engine *engine = NULL;
  cw_status status;
  char name[64];
  if (c->sort_interval_count > 1 && variant->tiled)
    snprintf(name, sizeof name, "%s_every%d", variant->name, sort_interval);
  else
    snprintf(name, sizeof name, "%s", variant->name);
  CW_TRY_CLEANUP(status, make_deck(context, c, variant, sort_interval, c->precision, &deck));
  CW_TRY_CLEANUP(status, start(context, deck, state, &engine));
  CW_TRY_CLEANUP(status, time_engine(engine, c, name, sort_interval, expected, rows));
cleanup:
  cw_engine_destroy(engine);
  cw_deck_destroy(deck);
  return status;
}

/* Without tiles there is nothing to sort for. */
static cw_status time_intervals(cw_context *context, const cw_bench_case *c,
                                const step_variant *variant, const initial_state *state,
                                const double *expected, json_t *rows) {
  for (int k = 0; k < (variant->tiled ? c->sort_interval_count : 1); k++)
    CW_TRY(time_variant(context, c, variant, variant->tiled ? c->sort_intervals[k] : 0, state,
                        expected, rows));
  return CW_OK;
}

cw_status cw_bench_step(cw_context *context, const cw_bench_case *c, json_t *rows) {
  const step_variant plain = {"plain", 0, 0};
  double *expected = NULL;
  cw_deck *deck = NULL;
  initial_state state = {{NULL}};
  cw_status status;
  if (c->deck)
    return cw_bench_deck(context, c, rows);
  CW_TRY_CLEANUP(status, make_deck(context, c, &plain, 0, CW_DOUBLE, &deck));
  CW_TRY_CLEANUP(status, fill_state(context, deck, &state));
  CW_TRY_CLEANUP(status, reference_field(context, deck, &state, &expected));
  if (c->precision == CW_SINGLE)
    CW_TRY_CLEANUP(status, round_state(context, c->dim, &state));
  for (size_t v = 0; v < sizeof variants_here / sizeof *variants_here; v++)
    if (!c->only || strstr(variants_here[v].name, c->only))
      CW_TRY_CLEANUP(status, time_intervals(context, c, &variants_here[v], &state, expected, rows));
cleanup:
  free_state(&state);
  cw_deck_destroy(deck);
  CW_DELETE(context, expected);
  return status;
}
