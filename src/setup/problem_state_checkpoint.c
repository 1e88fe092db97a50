#include "setup/problem_state_checkpoint.h"

#include <stdio.h>

#include "base/context_private.h"
#include "setup/checkpoint_file.h"
#include "setup/particle_arrays.h"

cw_status cw_state_resolve_checkpoint(cw_context *context, cw_deck *deck, const char *path) {
  cw_checkpoint_file file;
  CW_TRY(cw_checkpoint_open(context, path, 0, &file));
  cw_status status = cw_deck_take(context, deck, file.deck, path);
  cw_checkpoint_close(&file);
  return status;
}

/* Slots of a species, by its label in the file. */
static int64_t count_slots(cw_checkpoint_file *file, int species) {
  const cw_array_source source = cw_checkpoint_source(file);
  cw_array array;
  if (species >= file->deck->particles.species_count)
    return -1;
  cw_particle_array_name(&array, file->deck->particles.species[species].label, "id", -1);
  return source.count(source.user, array.name);
}

int64_t cw_state_expected_checkpoint(const cw_deck *deck, int species, const char *path) {
  cw_checkpoint_file file;
  if (cw_checkpoint_open(deck->context, path, 0, &file) != CW_OK)
    return -1;
  const int64_t count = count_slots(&file, species);
  cw_checkpoint_close(&file);
  return count;
}

static cw_status read_array(void *user, const cw_array *array) {
  cw_checkpoint_file *file = user;
  const cw_array_source source = cw_checkpoint_source(file);
  CW_TRY(source.read(source.user, array));
  return cw_array_check_finite(file->context, CW_ERROR_FORMAT, array);
}

static cw_status fill_field(cw_checkpoint_file *file, const cw_grid *grid, const char *name,
                            const cw_vector_view *view) {
  cw_array array = {.type = view->precision == CW_DOUBLE ? CW_ARRAY_F64 : CW_ARRAY_F32,
                    .rank = grid->dim};
  for (int a = 0; a < grid->dim; a++)
    array.extent[a] = grid->size[grid->dim - 1 - a];
  for (int c = 0; c < 3; c++) {
    snprintf(array.name, CW_ARRAY_NAME, "fields/%s/%c", name, "xyz"[c]);
    array.data = view->component[c];
    CW_TRY(read_array(file, &array));
  }
  return CW_OK;
}

static cw_status fill_species(const cw_setup_target *target, cw_checkpoint_file *file, int s) {
  const char *label = file->deck->particles.species[s].label;
  const int64_t count = count_slots(file, s);
  if (count < 0)
    return cw_fail(target->context, CW_ERROR_FORMAT, "%.300s: found no particles of '%s'",
                   file->path, label);
  CW_TRY(cw_particles_resize(target->particles[s], count));
  cw_particles_view view = cw_particles_get_view(target->particles[s]);
  for (int k = file->deck->particles.species[s].n_payloads; k < CW_MAX_PAYLOADS; k++)
    view.payload[k] = NULL; /* the file has none */
  if (file->deck->particles.species[s].pusher < CW_PUSHER_BORIS_GCA)
    view.guide[0] = view.guide[1] = NULL; /* all are on their full orbits */
  CW_TRY(cw_particle_arrays_each(&view, target->grid->dim, label, read_array, file));
  return cw_particle_arrays_check(target->context, target->grid, &view, label);
}

cw_status cw_state_fill_checkpoint(const cw_setup_target *target, const char *path) {
  cw_checkpoint_file file;
  CW_TRY(cw_checkpoint_open(target->context, path, 1, &file));
  cw_status status = fill_field(&file, target->grid, "E", &target->E);
  if (status == CW_OK)
    status = fill_field(&file, target->grid, "B", &target->B);
  for (int s = 0; s < target->species_count && status == CW_OK; s++)
    status = fill_species(target, &file, s);
  cw_checkpoint_close(&file);
  return status;
}
