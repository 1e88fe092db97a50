#include "cli/run_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "output/output.h"

enum { COLUMN_NAME = CW_DECK_NAME + 16, FIXED_COLUMNS = 8 };

struct cw_run_output {
  cw_context *context;
  const cw_deck *deck;
  char folder[4096];
  char aside[CW_OUTPUT_PATH]; /* an earlier run's results, or "" */
  cw_history *history;
  double stages_before[CW_STAGE_COUNT];
};

static cw_status start_history(cw_run_output *output, const cw_checkpoint_info *resumed) {
  static const char *const fixed[FIXED_COLUMNS] = {
      "step",           "time",         "electric_energy", "magnetic_energy",
      "kinetic_energy", "total_energy", "charge_error",    "particles"};
  char text[CW_DECK_MAX_SPECIES + CW_STAGE_COUNT][COLUMN_NAME];
  const char *names[FIXED_COLUMNS + CW_DECK_MAX_SPECIES + CW_STAGE_COUNT];
  const int species = output->deck->particles.species_count;
  for (int k = 0; k < FIXED_COLUMNS; k++)
    names[k] = fixed[k];
  for (int s = 0; s < species; s++)
    snprintf(text[s], COLUMN_NAME, "kinetic_%s", output->deck->particles.species[s].label);
  int stages;
  const char *const *stage_names = cw_engine_stages(output->deck, &stages);
  for (int k = 0; k < stages; k++)
    snprintf(text[species + k], COLUMN_NAME, "seconds_%s", stage_names[k]);
  for (int k = 0; k < species + stages; k++)
    names[FIXED_COLUMNS + k] = text[k];
  if (resumed)
    return cw_history_resume(output->context, output->folder, names,
                             FIXED_COLUMNS + species + stages, resumed->history_bytes,
                             &output->history);
  return cw_history_create(output->context, output->folder, names, FIXED_COLUMNS + species + stages,
                           &output->history);
}

/* The deck as resolved, as text. */
static cw_status write_resolved_deck(cw_run_output *output) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  if (!stream)
    return cw_fail(output->context, CW_ERROR_MEMORY, "no memory for the resolved deck");
  cw_status status = cw_deck_echo(output->context, output->deck, stream);
  fclose(stream);
  if (status == CW_OK)
    status = cw_output_write_text(output->context, output->folder, "deck_resolved.toml", text);
  free(text);
  return status;
}

/* Length of the part of a path that is there: folders behind it are this run's own. */
static size_t existing_part(const char *path) {
  char part[sizeof((cw_run_output *)0)->folder];
  strcpy(part, path);
  while (*part && access(part, F_OK) != 0) {
    char *slash = strrchr(part, '/');
    *(slash ? slash : part) = '\0';
  }
  return strlen(part);
}

/* After a failure: removes what a new folder got so far, and the folders that were made. */
static void remove_new_folder(const char *folder, size_t existing) {
  static const char *const files[] = {"deck.toml", "deck_resolved.toml"};
  char path[sizeof((cw_run_output *)0)->folder + 32];
  if (existing == strlen(folder))
    return;
  for (int k = 0; k < 2; k++) {
    snprintf(path, sizeof path, "%s/%s", folder, files[k]);
    unlink(path);
  }
  strcpy(path, folder);
  while (strlen(path) > existing && rmdir(path) == 0) {
    char *slash = strrchr(path, '/');
    *(slash ? slash : path) = '\0';
  }
}

static cw_status begin(cw_run_output *output) {
  CW_TRY(cw_output_set_aside(output->context, output->folder, output->aside));
  CW_TRY(cw_output_write_text(output->context, output->folder, "deck.toml", output->deck->source));
  CW_TRY(write_resolved_deck(output));
  return start_history(output, NULL);
}

static cw_status go_on(cw_run_output *output, const cw_checkpoint_info *resumed) {
  CW_TRY(start_history(output, resumed));
  CW_TRY(cw_output_drop_fields(output->context, output->folder, resumed->fields_step));
  CW_TRY(cw_output_write_text(output->context, output->folder, "deck.toml", output->deck->source));
  return write_resolved_deck(output);
}

cw_status cw_run_output_create(cw_context *context, const cw_deck *deck, const char *folder,
                               const cw_checkpoint_info *resumed, cw_run_output **output) {
  *output = NULL;
  if (strlen(folder) >= sizeof((cw_run_output *)0)->folder)
    return cw_fail(context, CW_ERROR_INPUT,
                   "the output folder's name is longer than %zu characters",
                   sizeof((cw_run_output *)0)->folder - 1);
  cw_run_output *made = NULL;
  CW_TRY(CW_NEW(context, 1, "output", &made));
  made->context = context;
  made->deck = deck;
  strcpy(made->folder, folder);
  size_t existing = existing_part(folder);
  cw_status status = cw_output_open_folder(context, folder);
  if (status == CW_OK)
    status = resumed ? go_on(made, resumed) : begin(made);
  if (status != CW_OK) {
    cw_output_put_back(folder, made->aside);
    remove_new_folder(folder, existing);
    cw_run_output_close(made);
    return status;
  }
  *output = made;
  return CW_OK;
}

cw_status cw_run_output_history(cw_run_output *output, const cw_engine *engine,
                                const cw_engine_diagnostics *diagnostics) {
  double values[FIXED_COLUMNS + CW_DECK_MAX_SPECIES + CW_STAGE_COUNT] = {
      (double)cw_engine_step_number(engine),
      cw_engine_time(engine),
      diagnostics->electric_energy,
      diagnostics->magnetic_energy,
      diagnostics->kinetic_energy,
      diagnostics->total_energy,
      diagnostics->charge_error,
      (double)diagnostics->particles};
  int column = FIXED_COLUMNS;
  for (int s = 0; s < output->deck->particles.species_count; s++)
    values[column++] = diagnostics->species_energy[s];
  const double *stages = cw_engine_stage_seconds(engine);
  int stage_count;
  cw_engine_stages(output->deck, &stage_count);
  for (int k = 0; k < stage_count; k++) {
    values[column++] = stages[k] - output->stages_before[k];
    output->stages_before[k] = stages[k];
  }
  return cw_history_append(output->history, values);
}

/* The records of one file; arrays that had to be made are listed to be freed. */
typedef struct record_list {
  cw_output_record records[CW_DECK_MAX_QUANTITIES + CW_DECK_MAX_SPECIES];
  char names[CW_DECK_MAX_QUANTITIES + CW_DECK_MAX_SPECIES][COLUMN_NAME];
  int count;
  void *made[3 + CW_DECK_MAX_SPECIES + CW_DECK_MAX_QUANTITIES];
  int made_count;
} record_list;

/* A copy of `source` times factor in the deck's precision. */
static cw_status scaled_copy(cw_run_output *output, record_list *list, const cw_grid *grid,
                             cw_precision from, const void *source, double factor, void **copy) {
  cw_precision precision = output->deck->simulation.precision;
  CW_TRY(cw_memory_alloc(output->context, CW_SPACE_HOST, (size_t)grid->points,
                         (size_t)cw_precision_size(precision), "output array", copy));
  list->made[list->made_count++] = *copy;
  for (int64_t k = 0; k < grid->points; k++)
    cw_real_set(*copy, precision, k, factor * cw_real_get(source, from, k));
  return CW_OK;
}

static void add_vector(record_list *list, const char *name, cw_vector_view view,
                       double position[3][3]) {
  cw_output_record *record = &list->records[list->count++];
  *record =
      (cw_output_record){.name = name, .components = 3, .precision = view.precision, .unit_SI = 1};
  for (int c = 0; c < 3; c++)
    record->data[c] = view.component[c];
  memcpy(record->position, position, sizeof record->position);
}

static cw_status add_density(cw_run_output *output, record_list *list, cw_engine *engine,
                             int species, const char *label) {
  const double *density;
  void *copy;
  CW_TRY(cw_engine_density(engine, species, &density));
  CW_TRY(scaled_copy(output, list, cw_engine_grid(engine), CW_DOUBLE, density, 1.0, &copy));
  char *name = list->names[list->count];
  snprintf(name, COLUMN_NAME, species < 0 ? "%s" : "density_%s", label);
  list->records[list->count++] = (cw_output_record){.name = name,
                                                    .components = 1,
                                                    .precision = output->deck->simulation.precision,
                                                    .data = {copy},
                                                    .unit_SI = 1};
  return CW_OK;
}

static cw_status add_current(cw_run_output *output, record_list *list, cw_engine *engine) {
  double position[3][3];
  cw_vector_view J;
  CW_TRY(cw_engine_vector(engine, CW_QUANTITY_J, position, &J));
  const double unit = 1.0 / output->deck->particles.ppc0; /* in units of the charge times n0 c */
  cw_vector_view copy = {.precision = J.precision};
  for (int c = 0; c < 3; c++)
    CW_TRY(scaled_copy(output, list, cw_engine_grid(engine), J.precision, J.component[c], unit,
                       &copy.component[c]));
  add_vector(list, "J", copy, position);
  return CW_OK;
}

static cw_status add_quantity(cw_run_output *output, record_list *list, cw_engine *engine,
                              const char *quantity) {
  double position[3][3];
  cw_vector_view view;
  if (strcmp(quantity, "E") == 0) {
    CW_TRY(cw_engine_vector(engine, CW_QUANTITY_E, position, &view));
    add_vector(list, "E", view, position);
  } else if (strcmp(quantity, "B") == 0) {
    CW_TRY(cw_engine_vector(engine, CW_QUANTITY_B, position, &view));
    add_vector(list, "B", view, position);
  } else if (strcmp(quantity, "J") == 0) {
    return add_current(output, list, engine);
  } else if (strcmp(quantity, "rho") == 0) {
    return add_density(output, list, engine, -1, "rho");
  } else if (strcmp(quantity, "N") == 0) {
    for (int s = 0; s < output->deck->particles.species_count; s++)
      CW_TRY(add_density(output, list, engine, s, output->deck->particles.species[s].label));
  } else {
    return cw_fail(output->context, CW_ERROR_INTERNAL, "quantity '%s' has no writer", quantity);
  }
  return CW_OK;
}

cw_status cw_run_output_fields(cw_run_output *output, cw_engine *engine) {
  record_list *list = NULL;
  CW_TRY(CW_NEW(output->context, 1, "record list", &list));
  cw_status status = CW_OK;
  for (int q = 0; q < output->deck->output.quantity_count && status == CW_OK; q++)
    status = add_quantity(output, list, engine, output->deck->output.quantities[q]);
  if (status == CW_OK && list->count > 0)
    status = cw_output_write_fields(output->context, output->folder, output->deck,
                                    cw_engine_grid(engine), cw_engine_step_number(engine),
                                    cw_engine_time(engine), output->deck->dt, list->records,
                                    list->count);
  for (int k = 0; k < list->made_count; k++)
    CW_DELETE(output->context, list->made[k]);
  CW_DELETE(output->context, list);
  return status;
}

const char *cw_run_output_aside(const cw_run_output *output) {
  return output->aside;
}

int64_t cw_run_output_history_bytes(const cw_run_output *output) {
  return cw_history_bytes(output->history);
}

cw_status cw_run_output_sync(cw_run_output *output) {
  int64_t bytes;
  return cw_history_sync(output->history, &bytes);
}

const char *cw_run_output_folder(const cw_run_output *output) {
  return output->folder;
}

cw_status cw_run_output_close(cw_run_output *output) {
  if (!output)
    return CW_OK;
  cw_status status = cw_history_close(output->history);
  CW_DELETE(output->context, output);
  return status;
}
