#include "cli/check_report.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/context_private.h"
#include "deck/deck_keys.h"
#include "setup/setup.h"

static void warn(cw_check_report *report, const char *format, ...) CW_PRINTF(2, 3);
static void warn(cw_check_report *report, const char *format, ...) {
  if (report->warning_count == CW_CHECK_WARNINGS)
    return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(report->warnings[report->warning_count++], sizeof *report->warnings, format, arguments);
  va_end(arguments);
}

/* The smallest positive "temperature..." of [setup], default or given; 0 if there is none. */
static double coldest(const cw_deck *deck) {
  const cw_problem *problem = cw_problem_find(deck->setup.problem);
  double least = 0;
  for (const cw_problem_key *key = problem ? problem->keys : NULL; key && key->name; key++) {
    if (strncmp(key->name, "temperature", 11) != 0 || strcmp(key->type, "float") != 0)
      continue;
    double temperature = cw_setup_number(deck, key->name);
    if (temperature > 0 && (least == 0 || temperature < least))
      least = temperature;
  }
  return least;
}

void cw_check_report_fill(cw_check_report *report, const cw_deck *deck) {
  double dx = deck->grid.dx[0], skindepth = deck->scales.skindepth0;
  report->cells = 1;
  for (int a = 0; a < deck->grid.dim; a++)
    report->cells *= deck->grid.resolution[a];
  report->skindepth_cells = skindepth / dx;
  report->larmor_cells = deck->scales.larmor0 / dx;
  report->plasma_period_steps = 2 * acos(-1.0) * skindepth / deck->dt;
  report->debye_cells = sqrt(coldest(deck)) * skindepth / dx;
  if (deck->simulation.engine == CW_ENGINE_ECSIM)
    return; /* stable, and without heating, at any step and cell */
  if (report->skindepth_cells < 1)
    warn(report, "the skin depth is %.3g cells: plasma waves are not resolved",
         report->skindepth_cells);
  /* omega_p dt < 2 keeps leap-frogged plasma oscillations stable (Birdsall & Langdon, ch. 4) */
  if (report->plasma_period_steps < acos(-1.0))
    warn(report, "a plasma period is %.3g steps: plasma oscillations are unstable below 3.14",
         report->plasma_period_steps);
  /* Birdsall & Langdon, ch. 8: aliasing heats a plasma until its Debye length is some dx / 3 */
  if (report->debye_cells > 0 && report->debye_cells < 0.3)
    warn(report,
         "the Debye length is %.3g cells: the plasma will heat up by itself until it is "
         "about 0.3",
         report->debye_cells);
}

static cw_status written(cw_context *context, FILE *stream) {
  if (fflush(stream) == 0 && !ferror(stream))
    return CW_OK;
  return cw_fail(context, CW_ERROR_IO, "the report could not be written");
}

static void print_setup_defaults(const cw_deck *deck, FILE *stream) {
  const cw_problem *problem = cw_problem_find(deck->setup.problem);
  fprintf(stream, "\n# Parameters of problem \"%s\" left to their defaults:\n", problem->name);
  for (const cw_problem_key *key = problem->keys; key->name; key++)
    if (key->default_value && strcmp(key->default_value, "none") != 0 &&
        !cw_setup_given(deck, key->name))
      fprintf(stream, "#   %s = %s # %s%s%s\n", key->name, key->default_value,
              key->unit ? key->unit : "", key->unit && *key->unit ? "; " : "", key->text);
}

cw_status cw_check_report_text(cw_context *context, const cw_check_report *report,
                               const cw_deck *deck, FILE *stream) {
  CW_TRY(cw_deck_echo(context, deck, stream));
  print_setup_defaults(deck, stream);
  fprintf(stream,
          "\n# Scales:\n#   time step             %.6g L/c\n#   steps                 %lld\n"
          "#   cell edge             %.6g skin depths\n#   Larmor radius         %.6g cells\n"
          "#   plasma period         %.6g steps\n#   cells                 %.0f\n"
          "#   particles             %lld\n",
          deck->dt, (long long)deck->steps, 1 / report->skindepth_cells, report->larmor_cells,
          report->plasma_period_steps, report->cells, (long long)report->memory.particle_count);
  if (report->debye_cells > 0)
    fprintf(stream, "#   Debye length          %.6g cells\n", report->debye_cells);
  fprintf(stream,
          "#   memory                %.1f MB: fields %.1f, particles %.1f, work %.1f; "
          "%.0f MB are available\n",
          report->memory.total / 1048576, report->memory.fields / 1048576,
          report->memory.particles / 1048576, report->memory.work / 1048576,
          report->available / 1048576);
  if (deck->checkpoint.keep != 0)
    fprintf(stream, "#   a checkpoint          %.1f MB on disk\n", report->checkpoint / 1048576);
  return written(context, stream);
}

static json_t *json_sides(const cw_deck_key *key, int lower, int upper) {
  return json_pack("[s, s]", cw_deck_choice_word(key->choices, lower),
                   cw_deck_choice_word(key->choices, upper));
}

static json_t *json_list(const cw_deck_key *key, const cw_deck *deck) {
  json_t *list = json_array();
  int count = key->type == CW_DECK_QUANTITIES ? deck->output.quantity_count : deck->grid.dim;
  for (int k = 0; k < count; k++) {
    json_t *item;
    if (key->type == CW_DECK_QUANTITIES)
      item = json_string(deck->output.quantities[k]);
    else if (key->type == CW_DECK_RESOLUTION)
      item = json_integer(deck->grid.resolution[k]);
    else if (key->type == CW_DECK_FIELD_SIDES)
      item = json_sides(key, (int)deck->grid.fields[k][0], (int)deck->grid.fields[k][1]);
    else if (key->type == CW_DECK_PARTICLE_SIDES)
      item = json_sides(key, (int)deck->grid.particles[k][0], (int)deck->grid.particles[k][1]);
    else
      item = json_pack("[f, f]", deck->grid.extent[k][0], deck->grid.extent[k][1]);
    json_array_append_new(list, item);
  }
  return list;
}

static json_t *json_value(const cw_deck_key *key, const cw_deck *deck, const void *base) {
  const void *member = (const char *)base + key->offset;
  int choice;
  switch (key->type) {
  case CW_DECK_BOOL:
    return json_boolean(*(const int *)member);
  case CW_DECK_INT32:
    return json_integer(*(const int *)member);
  case CW_DECK_INT64:
  case CW_DECK_COUNT:
    return json_integer(*(const int64_t *)member);
  case CW_DECK_FLOAT:
    return json_real(*(const double *)member);
  case CW_DECK_DURATION:
    return json_real(*(const double *)member);
  case CW_DECK_TEXT:
  case CW_DECK_PATH:
  case CW_DECK_LABEL:
    return json_string(member);
  case CW_DECK_CHOICE:
    memcpy(&choice, member, sizeof choice);
    return json_string(cw_deck_choice_word(key->choices, choice));
  default:
    return json_list(key, deck);
  }
}

/* A table in a table, made where it is not there yet; borrowed. */
static json_t *member_table(json_t *table, const char *name) {
  if (!json_object_get(table, name))
    json_object_set_new(table, name, json_object());
  return json_object_get(table, name);
}

/* The same at a path of names joined by dots. */
static json_t *table_at(json_t *root, const char *path) {
  while (*path) {
    size_t length = strcspn(path, ".");
    char name[CW_DECK_NAME];
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    root = member_table(root, name);
    path += length + (path[length] == '.');
  }
  return root;
}

static json_t *json_parameter(const cw_deck_parameter *parameter) {
  json_t *list;
  switch (parameter->type) {
  case CW_PARAMETER_TEXT:
    return json_string(parameter->text[0]);
  case CW_PARAMETER_BOOL:
    return json_boolean(parameter->number[0] != 0);
  case CW_PARAMETER_NUMBER:
    return json_real(parameter->number[0]);
  case CW_PARAMETER_VECTOR:
  case CW_PARAMETER_TEXTS:
    list = json_array();
    for (int k = 0; k < parameter->length; k++)
      json_array_append_new(list, parameter->type == CW_PARAMETER_TEXTS
                                      ? json_string(parameter->text[k])
                                      : json_real(parameter->number[k]));
    return list;
  }
  return NULL;
}

static json_t *json_deck(const cw_deck *deck) {
  json_t *root = json_object(), *species = json_array();
  for (int s = 0; s < deck->particles.species_count; s++)
    json_array_append_new(species, json_object());
  for (const cw_deck_key *key = cw_deck_keys; key->section; key++) {
    if (!cw_deck_key_applies(deck, key))
      continue;
    if (!cw_deck_key_is_species(key))
      json_object_set_new(table_at(root, key->section), key->name, json_value(key, deck, deck));
    else
      for (int s = 0; s < deck->particles.species_count; s++)
        json_object_set_new(json_array_get(species, (size_t)s), key->name,
                            json_value(key, deck, &deck->particles.species[s]));
  }
  json_object_set_new(table_at(root, "particles"), "species", species);
  for (int k = 0; k < deck->setup.parameter_count; k++) {
    const cw_deck_parameter *parameter = &deck->setup.parameters[k];
    json_t *table = table_at(root, "setup");
    table = *parameter->table ? member_table(table, parameter->table) : table;
    table = *parameter->entry ? member_table(table, parameter->entry) : table;
    json_object_set_new(table, parameter->name, json_parameter(parameter));
  }
  return root;
}

cw_status cw_check_report_json(cw_context *context, const cw_check_report *report,
                               const cw_deck *deck, FILE *stream) {
  json_t *warnings = json_array();
  for (int k = 0; k < report->warning_count; k++)
    json_array_append_new(warnings, json_string(report->warnings[k]));
  json_t *derived = json_pack(
      "{s:f, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:I}", "dt", deck->dt, "steps",
      (json_int_t)deck->steps, "V0", deck->V0, "n0", deck->n0, "q0", deck->q0, "B0", deck->B0,
      "dx_skindepths", 1 / report->skindepth_cells, "larmor_cells", report->larmor_cells,
      "plasma_period_steps", report->plasma_period_steps, "debye_cells", report->debye_cells,
      "cells", (json_int_t)report->cells, "particles", (json_int_t)report->memory.particle_count);
  json_t *memory = json_pack("{s:f, s:f, s:f, s:f, s:f}", "total", report->memory.total, "fields",
                             report->memory.fields, "particles", report->memory.particles, "work",
                             report->memory.work, "available", report->available);
  json_t *document = json_pack("{s:o, s:o, s:o, s:f, s:o}", "deck", json_deck(deck), "derived",
                               derived, "memory", memory, "checkpoint_bytes", report->checkpoint,
                               "warnings", warnings);
  if (!document)
    return cw_fail(context, CW_ERROR_MEMORY, "the report does not fit in memory");
  int failed = json_dumpf(document, stream, JSON_INDENT(2)) != 0 || fputc('\n', stream) == EOF;
  json_decref(document);
  if (failed)
    return cw_fail(context, CW_ERROR_IO, "the report could not be written");
  return written(context, stream);
}
