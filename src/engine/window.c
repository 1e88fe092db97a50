/* The moving window: the box follows what runs along an axis, by whole cells. Fields and particles
 * move down by a cell, the first column is dropped, and the last one gets the fields that the
 * deck's problem has there.
 *
 * New plasma is laid some cells in front of the upper side, so far that no particle's current, with
 * its shape and the filter, reaches it: what lies behind the side would be lost, and missed when
 * the side moves on. In a window that moves with c nothing overtakes that distance, and Gauss's law
 * holds. */
#include <math.h>
#include <stdio.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "base/space.h"
#include "engine/engine_cuda.h"
#include "engine/engine_private.h"
#include "setup/setup.h"

static int axis_of(const cw_engine *engine) {
  return (int)engine->deck->grid.window_axis - 1;
}

/* Cells that a window has moved when step `step` begins. */
static int64_t cells_at(const cw_engine *engine, int64_t step) {
  const cw_deck *deck = engine->deck;
  const int axis = axis_of(engine);
  const double t = (double)step * deck->dt - deck->grid.window_start;
  if (axis < 0 || step < 0 || !(t > 0))
    return 0;
  return (int64_t)floor(deck->grid.window_speed * t / deck->grid.dx[axis] + 1e-9);
}

/* From the upper side to the plasma: what a particle reaches in the steps before the window moves,
 * what runs ahead of light on the grid, and a layer that acts on the field. */
static int32_t margin_of(const cw_engine *engine) {
  static const int32_t ahead = 10;
  const cw_deck *deck = engine->deck;
  const int axis = axis_of(engine);
  const cw_field_boundary side = deck->grid.fields[axis][1];
  const double layer = side == CW_FIELD_ABSORB  ? deck->grid.absorb_ds
                       : side == CW_FIELD_MATCH ? deck->grid.match_ds
                                                : 0;
  return engine->grid.ghost + deck->algorithms.current_filters + 2 +
         (int32_t)ceil(layer / deck->grid.dx[axis]) + ahead;
}

static void set_origin(cw_engine *engine, int64_t moved) {
  const int axis = axis_of(engine);
  engine->window_cells = moved;
  engine->grid.origin[axis] =
      engine->deck->grid.extent[axis][0] + (double)moved * engine->grid.dx[axis];
}

/* What was evaluated at places is no longer theirs. */
static void forget(cw_engine *engine) {
  cw_engine_forget_forces(engine);
  (void)cw_engine_match_shift(engine, 0);
}

void cw_engine_restore_window(cw_engine *engine) {
  if (axis_of(engine) < 0)
    return;
  set_origin(engine, cells_at(engine, engine->step - 1));
  forget(engine);
}

/* All particles of a species move down by `cells`; from cell `end` on none stays. */
static cw_status move_particles(const cw_engine *engine, const cw_species_state *species,
                                int32_t cells, int32_t end) {
  const int axis = axis_of(engine);
  const cw_particles_view view = cw_particles_get_view(species->particles);
  if (view.space == CW_SPACE_DEVICE)
    return cw_engine_move_particles_cuda(engine->context, &view, axis, cells, end);
#pragma omp parallel for schedule(static) num_threads(cw_context_threads(engine->context))
  for (int64_t p = 0; p < view.count; p++)
    cw_window_move(&view, axis, cells, end, p);
  return CW_OK;
}

cw_status cw_engine_create_window(cw_engine *engine) {
  const int axis = axis_of(engine);
  if (axis < 0 || engine->blank)
    return CW_OK;
  const int32_t end = engine->grid.cells[axis] - margin_of(engine);
  if (end < 1)
    return cw_deck_fail(engine->context, engine->deck,
                        cw_deck_written(engine->deck, "grid.window", "axis"),
                        "grid.window: found %d cells along axis %d; expected more than the %d that "
                        "stay empty at the upper side",
                        (int)engine->grid.cells[axis], axis + 1, (int)margin_of(engine));
  for (int s = 0; s < engine->species_count; s++) {
    CW_TRY(move_particles(engine, &engine->species[s], 0, end));
    CW_TRY(cw_engine_compact(engine, &engine->species[s]));
  }
  return CW_OK;
}

/* What the deck's problem has in one column of cells, on the host. */
typedef struct column {
  cw_grid grid;
  cw_vector_view E, B;
  cw_particles *particles[CW_DECK_MAX_SPECIES]; /* NULL: not asked for */
} column;

static void drop_column(cw_engine *engine, column *made) {
  for (int c = 0; c < 3; c++) {
    CW_DELETE(engine->context, made->E.component[c]);
    CW_DELETE(engine->context, made->B.component[c]);
  }
  for (int s = 0; s < engine->species_count; s++)
    cw_particles_destroy(made->particles[s]);
}

/* The column of cell `at` along the axis, its particles, if any, with ids from first_id on. */
static cw_status make_column(cw_engine *engine, int32_t at, int with_particles, uint64_t first_id,
                             column *made) {
  cw_context *context = engine->context;
  const cw_grid *grid = &engine->grid;
  const cw_deck *deck = engine->deck;
  const int axis = axis_of(engine);
  const cw_precision precision = deck->simulation.precision;
  double origin[3] = {grid->origin[0], grid->origin[1], grid->origin[2]};
  int32_t cells[3] = {grid->cells[0], grid->cells[1], grid->cells[2]};
  *made = (column){.E = {.precision = precision}, .B = {.precision = precision}};
  origin[axis] += at * grid->dx[axis];
  cells[axis] = 1;
  CW_TRY(cw_grid_init(context, &made->grid, grid->dim, cells, grid->ghost, origin, grid->dx));
  for (int k = 0; k < 6; k++)
    CW_TRY(cw_memory_alloc(context, CW_SPACE_HOST, (size_t)made->grid.points,
                           (size_t)cw_precision_size(precision), "field of a column",
                           k < 3 ? &made->E.component[k] : &made->B.component[k - 3]));
  for (int s = 0; s < engine->species_count && with_particles; s++) {
    const cw_particles_options options = cw_engine_particles_options(deck, s);
    CW_TRY(cw_particles_create(context, &options, 0, &made->particles[s]));
  }
  const cw_setup_target target = {.context = context,
                                  .deck = deck,
                                  .grid = &made->grid,
                                  .species_count = engine->species_count,
                                  .particles = with_particles ? made->particles : NULL,
                                  .E = made->E,
                                  .B = made->B,
                                  .first_id = first_id};
  return cw_setup_fill(&target);
}

/* A value a line of each of Ex ... Bz. */
static void pack(const column *from, int64_t lines, double *fresh) {
  const cw_grid *grid = &from->grid;
  for (int64_t n = 0; n < lines; n++) {
    const int64_t i = n % grid->cells[0], j = n / grid->cells[0] % grid->cells[1],
                  k = n / grid->cells[0] / grid->cells[1];
    for (int f = 0; f < 6; f++)
      fresh[f * lines + n] = cw_real_get(f < 3 ? from->E.component[f] : from->B.component[f - 3],
                                         from->E.precision, cw_grid_index(grid, i, j, k));
  }
}

static void shift_on_host(const cw_engine *engine, const cw_window_shift *shift,
                          cw_precision precision, const void *array, void *moved) {
  const cw_grid *grid = &shift->grid;
  const int64_t rows = (int64_t)grid->size[1] * grid->size[2];
  const int32_t ghost[3] = {grid->ghost, grid->dim > 1 ? grid->ghost : 0,
                            grid->dim > 2 ? grid->ghost : 0};
#pragma omp parallel for schedule(static) num_threads(cw_context_threads(engine->context))
  for (int64_t row = 0; row < rows; row++)
    for (int32_t i = 0; i < grid->size[0]; i++) {
      const int32_t index[3] = {i - ghost[0], (int32_t)(row % grid->size[1]) - ghost[1],
                                (int32_t)(row / grid->size[1]) - ghost[2]};
      int64_t line;
      const int64_t at = row * grid->size[0] + i, from = cw_window_source(shift, index, at, &line);
      cw_real_set(moved, precision, at,
                  from < 0 ? shift->fresh[line] : cw_real_get(array, precision, from));
    }
}

/* By way of a work array that is large enough. */
static cw_status shift_array(const cw_engine *engine, const cw_window_shift *shift,
                             cw_precision precision, void *array) {
  void *moved = engine->density;
  if (engine->space == CW_SPACE_HOST)
    shift_on_host(engine, shift, precision, array, moved);
  else
    CW_TRY(cw_engine_shift_array_cuda(engine->context, shift, precision, array, moved));
  return cw_space_copy(engine->context, engine->space, array, engine->space, moved,
                       (size_t)engine->grid.points * (size_t)cw_precision_size(precision));
}

static cw_status shift_all(cw_engine *engine, int64_t lines, const double *fresh) {
  const int axis = axis_of(engine);
  const int32_t n = engine->grid.cells[axis];
  const cw_vector_view E = cw_fields_E(engine->fields), B = cw_fields_B(engine->fields);
  for (int f = 0; f < 6; f++) {
    cw_window_shift shift = {
        .grid = engine->grid, .axis = axis, .end = n, .fresh = fresh + f * lines};
    double *target = cw_engine_match_shift(engine, f);
    CW_TRY(shift_array(engine, &shift, E.precision, f < 3 ? E.component[f] : B.component[f - 3]));
    shift.end = n + engine->grid.ghost;
    if (target)
      CW_TRY(shift_array(engine, &shift, CW_DOUBLE, target));
  }
  return CW_OK;
}

/* The last column crosses to a device in a work array: it has more places along the axis than there
 * are components. */
static cw_status shift_fields(cw_engine *engine, const column *last) {
  const cw_grid *grid = &last->grid;
  const int64_t lines = (int64_t)grid->cells[0] * grid->cells[1] * grid->cells[2];
  double *fresh = NULL;
  CW_TRY(CW_NEW(engine->context, 6 * lines, "fields of a column", &fresh));
  pack(last, lines, fresh);
  cw_status status = cw_space_send(engine->context, engine->space, engine->species_density, fresh,
                                   6 * (size_t)lines * sizeof *fresh);
  CW_DELETE(engine->context, fresh);
  if (status == CW_OK)
    status = shift_all(engine, lines, engine->species_density);
  CW_TRY(status);
  forget(engine);
  CW_TRY(cw_engine_match(engine, cw_engine_time(engine)));
  return cw_fields_fill_ghosts(engine->fields);
}

/* The particles of a column in cell `at` of the box, with all that they are given. */
static cw_status settle(cw_engine *engine, column *plasma, int32_t at) {
  static const int64_t none[CW_DECK_MAX_SPECIES];
  const int axis = axis_of(engine);
  for (int s = 0; s < engine->species_count; s++) {
    const cw_particles_view view = cw_particles_get_view(plasma->particles[s]);
    for (int64_t p = 0; p < view.count; p++)
      view.i[axis][p] = view.i_prev[axis][p] = at;
    cw_engine_count_ids(engine, plasma->particles[s]);
  }
  return cw_engine_name_newborn(engine, plasma->particles, none);
}

/* Behind those of a species; they cross to it where it is on a device. */
static cw_status append(cw_engine *engine, cw_species_state *species, cw_particles *made) {
  const int64_t count = cw_particles_count(species->particles) + cw_particles_count(made);
  const int64_t most = species->deck->maxnpart;
  if (most > 0 && count > most)
    return cw_deck_fail(engine->context, engine->deck, species->deck->where,
                        "the window brings species '%s' to %lld particles at step %lld; its "
                        "maxnpart allows %lld",
                        species->deck->label, (long long)count, (long long)engine->step,
                        (long long)most);
  return cw_particles_append(species->particles, made);
}

static cw_status shift(cw_engine *engine) {
  const int axis = axis_of(engine);
  const int32_t n = engine->grid.cells[axis], at = n - 1 - margin_of(engine);
  column plasma = {.grid = {0}}, last = {.grid = {0}};
  cw_status status = CW_OK;
  set_origin(engine, engine->window_cells + 1);
  CW_TRY_CLEANUP(status, make_column(engine, at, 1, cw_engine_next_id(engine), &plasma));
  CW_TRY_CLEANUP(status, settle(engine, &plasma, at));
  CW_TRY_CLEANUP(status, make_column(engine, n - 1, 0, 0, &last));
  for (int s = 0; s < engine->species_count; s++) {
    cw_species_state *species = &engine->species[s];
    CW_TRY_CLEANUP(status, move_particles(engine, species, 1, n));
    CW_TRY_CLEANUP(status, append(engine, species, plasma.particles[s]));
  }
  status = shift_fields(engine, &last);
cleanup:
  drop_column(engine, &plasma);
  drop_column(engine, &last);
  return status;
}

cw_status cw_engine_move_window(cw_engine *engine, int *moved) {
  const int64_t wanted = cells_at(engine, engine->step);
  *moved = 0;
  for (; axis_of(engine) >= 0 && engine->window_cells < wanted; *moved = 1) {
    engine->halfway = 1;
    CW_TRY(shift(engine));
  }
  return CW_OK;
}
