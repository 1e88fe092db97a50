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
#include <string.h>

#include "base/context_private.h"
#include "base/reals.h"
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

cw_status cw_engine_create_window(cw_engine *engine) {
  const int axis = axis_of(engine);
  if (axis < 0 || engine->blank)
    return CW_OK;
  const int32_t last = engine->grid.cells[axis] - margin_of(engine);
  if (last < 1)
    return cw_deck_fail(engine->context, engine->deck,
                        cw_deck_written(engine->deck, "grid.window", "axis"),
                        "grid.window: found %d cells along axis %d; expected more than the %d that "
                        "stay empty at the upper side",
                        (int)engine->grid.cells[axis], axis + 1, (int)margin_of(engine));
  for (int s = 0; s < engine->species_count; s++) {
    const cw_particles_view view = cw_particles_get_view(engine->species[s].particles);
    for (int64_t p = 0; p < view.count; p++)
      if (view.i[axis][p] >= last)
        view.tag[p] = CW_TAG_DEAD;
    CW_TRY(cw_engine_compact(engine, &engine->species[s]));
  }
  return CW_OK;
}

/* Every line of an array along the axis moves down by a value; the last one stays as it is. */
static void shift_array(const cw_engine *engine, int axis, char *array, size_t size) {
  const cw_grid *grid = &engine->grid;
  const int64_t stride = grid->stride[axis], length = grid->size[axis];
  const int64_t lines = grid->points / (stride * length);
#pragma omp parallel for schedule(static) num_threads(cw_context_threads(engine->context))
  for (int64_t n = 0; n < lines; n++) {
    char *block = array + (size_t)(n * stride * length) * size;
    memmove(block, block + (size_t)stride * size, (size_t)(stride * (length - 1)) * size);
  }
}

/* What the deck's problem has in one column of cells. */
typedef struct column {
  cw_grid grid;
  cw_vector_view E, B;
  cw_particles *particles[CW_DECK_MAX_SPECIES];
} column;

static void drop_column(cw_engine *engine, column *made) {
  for (int c = 0; c < 3; c++) {
    CW_DELETE(engine->context, made->E.component[c]);
    CW_DELETE(engine->context, made->B.component[c]);
  }
  for (int s = 0; s < engine->species_count; s++)
    cw_particles_destroy(made->particles[s]);
}

/* The column of cell `at` along the axis, its particles' ids from first_id on. */
static cw_status make_column(cw_engine *engine, int32_t at, uint64_t first_id, column *made) {
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
  for (int s = 0; s < engine->species_count; s++) {
    const cw_particles_options options = cw_engine_particles_options(deck, s);
    CW_TRY(cw_particles_create(context, &options, 0, &made->particles[s]));
  }
  const cw_setup_target target = {.context = context,
                                  .deck = deck,
                                  .grid = &made->grid,
                                  .species_count = engine->species_count,
                                  .particles = made->particles,
                                  .E = made->E,
                                  .B = made->B,
                                  .first_id = first_id};
  return cw_setup_fill(&target);
}

/* Component values of a column into the cells [first, end) along the axis of an array. */
static void put_column(const cw_engine *engine, const column *from, const void *values,
                       cw_precision precision, void *array, cw_precision array_precision,
                       int64_t first, int64_t end) {
  const cw_grid *grid = &engine->grid;
  const int axis = axis_of(engine);
  for (int64_t k = 0; k < grid->cells[2]; k++)
    for (int64_t j = 0; j < grid->cells[1]; j++)
      for (int64_t i = 0; i < grid->cells[0]; i++) {
        int64_t to[3] = {i, j, k}, of[3] = {i, j, k};
        if (to[axis] != 0)
          continue; /* once a line */
        of[axis] = 0;
        const double value =
            cw_real_get(values, precision, cw_grid_index(&from->grid, of[0], of[1], of[2]));
        for (to[axis] = first; to[axis] < end; to[axis]++)
          cw_real_set(array, array_precision, cw_grid_index(grid, to[0], to[1], to[2]), value);
      }
}

static cw_status shift_fields(cw_engine *engine, const column *last) {
  const int axis = axis_of(engine);
  const int64_t n = engine->grid.cells[axis];
  const cw_vector_view E = cw_fields_E(engine->fields), B = cw_fields_B(engine->fields);
  for (int f = 0; f < 6; f++) {
    void *array = f < 3 ? E.component[f] : B.component[f - 3];
    const void *values = f < 3 ? last->E.component[f] : last->B.component[f - 3];
    shift_array(engine, axis, array, (size_t)cw_precision_size(E.precision));
    put_column(engine, last, values, E.precision, array, E.precision, n - 1, n);
    double *target = cw_engine_match_shift(engine, f);
    if (!target)
      continue;
    shift_array(engine, axis, (char *)target, sizeof *target);
    put_column(engine, last, values, E.precision, target, CW_DOUBLE, n - 1, n + engine->grid.ghost);
  }
  forget(engine);
  CW_TRY(cw_engine_match(engine, cw_engine_time(engine)));
  return cw_fields_fill_ghosts(engine->fields);
}

static void shift_particles(const cw_engine *engine, const cw_species_state *species) {
  const int axis = axis_of(engine);
  const cw_particles_view view = cw_particles_get_view(species->particles);
#pragma omp parallel for schedule(static) num_threads(cw_context_threads(engine->context))
  for (int64_t p = 0; p < view.count; p++) {
    view.i_prev[axis][p]--;
    if (--view.i[axis][p] < 0)
      view.tag[p] = CW_TAG_DEAD;
  }
}

/* The particles of a column behind those of a species, in cell `at`. */
static cw_status append(cw_engine *engine, cw_species_state *species, cw_particles *made,
                        int32_t at) {
  const int axis = axis_of(engine);
  const cw_particles_view from = cw_particles_get_view(made);
  const int64_t base = cw_particles_count(species->particles);
  const int64_t most = species->deck->maxnpart;
  if (most > 0 && base + from.count > most)
    return cw_deck_fail(engine->context, engine->deck, species->deck->where,
                        "the window brings species '%s' to %lld particles at step %lld; its "
                        "maxnpart allows %lld",
                        species->deck->label, (long long)(base + from.count),
                        (long long)engine->step, (long long)most);
  for (int64_t p = 0; p < from.count; p++)
    from.i[axis][p] = from.i_prev[axis][p] = at;
  return cw_particles_append(species->particles, made);
}

static cw_status shift(cw_engine *engine) {
  const int axis = axis_of(engine);
  const int32_t n = engine->grid.cells[axis], at = n - 1 - margin_of(engine);
  column plasma = {.grid = {0}}, last = {.grid = {0}};
  cw_status status = CW_OK;
  int64_t before[CW_DECK_MAX_SPECIES];
  set_origin(engine, engine->window_cells + 1);
  CW_TRY_CLEANUP(status, make_column(engine, at, cw_engine_next_id(engine), &plasma));
  CW_TRY_CLEANUP(status, make_column(engine, n - 1, cw_engine_next_id(engine), &last));
  for (int s = 0; s < engine->species_count; s++) {
    before[s] = cw_particles_count(engine->species[s].particles);
    shift_particles(engine, &engine->species[s]);
    CW_TRY_CLEANUP(status, append(engine, &engine->species[s], plasma.particles[s], at));
    cw_engine_count_ids(engine, plasma.particles[s]);
  }
  CW_TRY_CLEANUP(status, cw_engine_name_newborn(engine, before));
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
