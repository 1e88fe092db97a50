#include "cli/run_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "output/output.h"

enum { COLUMN_NAME = CW_DECK_NAME + 16, FIXED_COLUMNS = 8 };

struct cw_run_output {
  cw_context *context;
  const cw_deck *deck;
  char folder[4096];
  cw_history *history;
  double stages_before[CW_STAGE_COUNT];
};

static int history_columns(const cw_deck *deck) {
  return FIXED_COLUMNS + deck->particles.species_count + CW_STAGE_COUNT;
}

static cw_status start_history(cw_run_output *output) {
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
  for (int k = 0; k < CW_STAGE_COUNT; k++)
    snprintf(text[species + k], COLUMN_NAME, "seconds_%s", cw_stage_names[k]);
  for (int k = 0; k < species + CW_STAGE_COUNT; k++)
    names[FIXED_COLUMNS + k] = text[k];
  return cw_history_create(output->context, output->folder, names, history_columns(output->deck),
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

cw_status cw_run_output_create(cw_context *context, const cw_deck *deck, const char *folder,
                               cw_run_output **output) {
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
  cw_status status = cw_output_open_folder(context, folder);
  if (status == CW_OK)
    status = cw_output_write_text(context, folder, "deck.toml", deck->source);
  if (status == CW_OK)
    status = write_resolved_deck(made);
  if (status == CW_OK)
    status = start_history(made);
  if (status != CW_OK) {
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
  for (int k = 0; k < CW_STAGE_COUNT; k++) {
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

/* electric: dual along its own axis (E, J); else primal along its own and dual along the others. */
static cw_output_record *add_vector(record_list *list, const char *name, cw_vector_view view,
                                    int electric, int dim) {
  cw_output_record *record = &list->records[list->count++];
  *record =
      (cw_output_record){.name = name, .components = 3, .precision = view.precision, .unit_SI = 1};
  for (int c = 0; c < 3; c++) {
    record->data[c] = view.component[c];
    for (int a = 0; a < dim; a++)
      record->position[c][a] = (a == c) == electric ? 0.5 : 0.0;
  }
  return record;
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
  const cw_vector_view J = cw_fields_J(cw_engine_fields(engine));
  const double unit = 1.0 / output->deck->particles.ppc0; /* in units of the charge times n0 c */
  cw_vector_view copy = {.precision = J.precision};
  for (int c = 0; c < 3; c++)
    CW_TRY(scaled_copy(output, list, cw_engine_grid(engine), J.precision, J.component[c], unit,
                       &copy.component[c]));
  add_vector(list, "J", copy, 1, output->deck->grid.dim);
  return CW_OK;
}

static cw_status add_quantity(cw_run_output *output, record_list *list, cw_engine *engine,
                              const char *quantity) {
  const int dim = output->deck->grid.dim;
  if (strcmp(quantity, "E") == 0) {
    add_vector(list, "E", cw_fields_E(cw_engine_fields(engine)), 1, dim);
  } else if (strcmp(quantity, "B") == 0) {
    add_vector(list, "B", cw_fields_B(cw_engine_fields(engine)), 0, dim);
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
