/* The whole state of an engine as named arrays on the host, and back. */
#include <stdio.h>
#include <string.h>

#include "base/context_private.h"
#include "base/device.h"
#include "engine/ecsim_charge.h"
#include "engine/engine_private.h"
#include "setup/particle_arrays.h"

static const char axes[] = "xyz";

/* An array of the engine, in whatever memory it is in. */
typedef struct member {
  cw_array array;
  cw_space space;
} member;

static size_t bytes_of(const cw_array *array) {
  return (size_t)(cw_array_count(array) * cw_array_value_size(array->type));
}

/* What happens to one member on its way. */
typedef struct passage {
  cw_engine *engine;
  cw_array_visit *visit; /* saving */
  void *user;
  const cw_array_source *source; /* restoring */
} passage;

static cw_status save_host(const passage *way, const cw_array *array) {
  CW_TRY(cw_array_check_finite(way->engine->context, CW_ERROR_NUMERIC, array));
  return way->visit(way->user, array);
}

static cw_status restore_host(const passage *way, const cw_array *array) {
  CW_TRY(way->source->read(way->source->user, array));
  return cw_array_check_finite(way->engine->context, CW_ERROR_FORMAT, array);
}

/* The only place where the state crosses between the device and the host. */
static cw_status pass(const passage *way, const member *item) {
  cw_context *context = way->engine->context;
  cw_array host = item->array;
  if (item->space == CW_SPACE_HOST)
    return way->source ? restore_host(way, &host) : save_host(way, &host);
  cw_status status;
  const size_t bytes = bytes_of(&host);
  CW_TRY(cw_memory_alloc(context, CW_SPACE_HOST, bytes, 1, "host copy of an array", &host.data));
  if (way->source) {
    status = restore_host(way, &host);
    if (status == CW_OK)
      status = cw_device_write(context, item->array.data, host.data, bytes);
  } else {
    status = cw_device_read(context, host.data, item->array.data, bytes);
    if (status == CW_OK)
      status = save_host(way, &host);
  }
  CW_DELETE(context, host.data);
  return status;
}

cw_array cw_engine_grid_array(const cw_engine *engine, cw_array_type type, void *data) {
  const cw_grid *grid = &engine->grid;
  cw_array array = {.type = type, .rank = grid->dim, .data = data};
  for (int a = 0; a < grid->dim; a++)
    array.extent[a] = grid->size[grid->dim - 1 - a];
  return array;
}

static cw_status pass_fields(const passage *way) {
  static const char *const names[] = {"E", "B", "J"};
  double position[3][3];
  for (int q = CW_QUANTITY_E; q <= CW_QUANTITY_J; q++) {
    const cw_vector_view view =
        way->engine->ops->vector(way->engine, (cw_engine_quantity)q, position);
    const cw_array_type type = view.precision == CW_DOUBLE ? CW_ARRAY_F64 : CW_ARRAY_F32;
    for (int c = 0; c < 3; c++) {
      member item = {.array = cw_engine_grid_array(way->engine, type, view.component[c]),
                     .space = way->engine->space};
      snprintf(item.array.name, CW_ARRAY_NAME, "fields/%s/%c", names[q], axes[c]);
      CW_TRY(pass(way, &item));
    }
  }
  return CW_OK;
}

/* With the charge correction, the charge before the last move belongs to the state. */
static cw_status pass_charge(const passage *way) {
  if (!way->engine->ecsim || way->engine->step == 0)
    return CW_OK;
  member item = {
      .array = cw_engine_grid_array(way->engine, CW_ARRAY_F64, cw_ecsim_charge_before(way->engine)),
      .space = way->engine->space};
  if (!item.array.data)
    return CW_OK;
  snprintf(item.array.name, CW_ARRAY_NAME, "fields/charge_before");
  if (way->source)
    cw_ecsim_charge_set_known(way->engine);
  return pass(way, &item);
}

/* One member of a species on its way. */
typedef struct species_passage {
  const passage *way;
  cw_space space;
} species_passage;

static cw_status pass_member(void *user, const cw_array *array) {
  const species_passage *species = user;
  const member item = {.array = *array, .space = species->space};
  return pass(species->way, &item);
}

static cw_status pass_particles(const passage *way, const cw_species_state *species) {
  const cw_particles_view view = cw_particles_get_view(species->particles);
  species_passage each = {way, view.space};
  return cw_particle_arrays_each(&view, way->engine->grid.dim, species->deck->label, pass_member,
                                 &each);
}

/* Where the tiles of the last sort begin: until the next one, kernels work by them. */
static cw_status save_table(const passage *way, const cw_species_state *species) {
  if (!species->cells || cw_cells_check(species->cells, species->particles) != CW_OK)
    return CW_OK;
  const cw_cells_view table = cw_cells_get_view(species->cells);
  if (table.total_tiles == 0)
    return CW_OK;
  const cw_particles_view view = cw_particles_get_view(species->particles);
  member item = {.space = view.space, .array = {.type = CW_ARRAY_I64, .rank = 1}};
  item.array.extent[0] = table.total_tiles + 1;
  item.array.data = (void *)(uintptr_t)table.tile_offsets; /* only read */
  cw_particle_array_name(&item.array, species->deck->label, "tile_offsets", -1);
  return pass(way, &item);
}

static cw_status pass_sources(const passage *way) {
  member item = {.space = way->engine->space};
  for (int f = 0; f < 6; f++)
    if (cw_engine_match_array(way->engine, f, &item.array))
      CW_TRY(pass(way, &item));
  item.space = CW_SPACE_HOST;
  if (cw_engine_antenna_array(way->engine, &item.array))
    CW_TRY(pass(way, &item));
  if (cw_engine_sources_array(way->engine, &item.array))
    CW_TRY(pass(way, &item));
  return CW_OK;
}

cw_status cw_engine_save(cw_engine *engine, cw_array_visit *visit, void *user) {
  const passage way = {.engine = engine, .visit = visit, .user = user};
  CW_TRY(pass_fields(&way));
  CW_TRY(pass_charge(&way));
  for (int s = 0; s < engine->species_count; s++) {
    CW_TRY(pass_particles(&way, &engine->species[s]));
    CW_TRY(save_table(&way, &engine->species[s]));
  }
  return pass_sources(&way);
}

double cw_engine_save_bytes(const cw_deck *deck, const cw_grid *grid, int s, double count) {
  const double real = cw_precision_size(deck->simulation.precision);
  if (s < 0)
    return (deck->algorithms.ecsim.charge_correction ? 10 : 9) * real * (double)grid->points;
  const cw_particles_options options = cw_engine_particles_options(deck, s);
  /* all but the previous positions */
  return count * ((double)cw_particles_bytes_each(&options) - grid->dim * (sizeof(int32_t) + real));
}

static cw_status restore_table(const passage *way, cw_species_state *species) {
  cw_context *context = way->engine->context;
  cw_array array = {.type = CW_ARRAY_I64, .rank = 1};
  if (!species->cells)
    return CW_OK;
  cw_particle_array_name(&array, species->deck->label, "tile_offsets", -1);
  array.extent[0] = way->source->count(way->source->user, array.name);
  if (array.extent[0] < 1)
    return CW_OK;
  int64_t *offsets = NULL;
  cw_status status = CW_NEW(context, array.extent[0], "tile offsets", &offsets);
  array.data = offsets;
  if (status == CW_OK)
    status = way->source->read(way->source->user, &array);
  if (status == CW_OK)
    status = cw_cells_restore(species->cells, species->particles, offsets, array.extent[0]);
  CW_DELETE(context, offsets);
  return status;
}

static cw_status restore_species(const passage *way, cw_species_state *species) {
  cw_context *context = way->engine->context;
  cw_array array;
  cw_particle_array_name(&array, species->deck->label, "id", -1);
  const int64_t count = way->source->count(way->source->user, array.name);
  if (count < 0)
    return cw_fail(context, CW_ERROR_FORMAT, "found no data set '%s'", array.name);
  CW_TRY(cw_particles_resize(species->particles, count));
  CW_TRY(pass_particles(way, species));
  const cw_particles_view view = cw_particles_get_view(species->particles);
  if (view.space == CW_SPACE_HOST) /* the device's kernels count what is outside */
    CW_TRY(cw_particle_arrays_check(context, &way->engine->grid, &view, species->deck->label));
  return restore_table(way, species);
}

static cw_status restore_state(const passage *way) {
  cw_engine *engine = way->engine;
  const cw_deck *deck = engine->deck;
  CW_TRY(pass_fields(way));
  CW_TRY(pass_charge(way));
  for (int s = 0; s < engine->species_count; s++)
    CW_TRY(restore_species(way, &engine->species[s]));
  CW_TRY(pass_sources(way));
  if (engine->ecsim)
    return cw_ecsim_update(engine->ecsim->fields);
  if (engine->step > 0 && deck->algorithms.deposit.enable && deck->algorithms.fieldsolver_enable)
    cw_fields_restore_passes(engine->fields, deck->algorithms.current_filters);
  return CW_OK;
}

cw_status cw_engine_restore(cw_context *context, const cw_deck *deck, int64_t step,
                            const cw_array_source *source, cw_engine **engine) {
  cw_engine *made;
  *engine = NULL;
  CW_TRY(cw_engine_make(context, deck, 1, &made));
  made->step = step;
  cw_engine_restore_window(made);
  const passage way = {.engine = made, .source = source};
  cw_status status = restore_state(&way);
  if (status != CW_OK) {
    cw_engine_destroy(made);
    return status;
  }
  *engine = made;
  return CW_OK;
}
