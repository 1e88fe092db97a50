#include "cli/check_report.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/context_private.h"
#include "deck/deck_keys.h"
#include "setup/setup.h"

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

/* "NAME VALUE UNIT" where there is a value. */
static void print_scale(FILE *stream, const char *name, double value, const char *unit) {
  if (value > 0)
    fprintf(stream, ", %s %.4g %s", name, value, unit);
}

static void print_species(const cw_check_scales *scales, const cw_deck *deck, FILE *stream) {
  fprintf(stream, "# Species, where they are densest and coldest and the field is largest:\n");
  for (int s = 0; s < deck->particles.species_count; s++) {
    const cw_check_species *species = &scales->species[s];
    fprintf(stream, "#   %-21s %.4g particles a cell", deck->particles.species[s].label,
            species->most_per_cell);
    print_scale(stream, "Debye length", species->debye_cells, "cells");
    print_scale(stream, "skin depth", species->skindepth_cells, "cells");
    print_scale(stream, "Larmor radius", species->larmor_cells, "cells");
    print_scale(stream, "plasma period", species->period_steps, "steps");
    print_scale(stream, "gyration", species->gyration_steps, "steps");
    print_scale(stream, "moves", species->cells_a_step, "cells a step");
    fprintf(stream, "\n");
  }
}

static void print_time(const cw_check_time *time, FILE *stream) {
  static const struct {
    const char *name;
    double seconds;
  } units[] = {{"days", 86400}, {"hours", 3600}, {"minutes", 60}, {"seconds", 1}};
  int u = 0;
  if (time->steps == 0) {
    fprintf(stream,
            "#   time                  not measured for a state file, or without particles\n");
    return;
  }
  while (u < 3 && time->seconds < 2 * units[u].seconds)
    u++;
  fprintf(
      stream,
      "#   time                  about %.3g %s without output: %.3g ns a particle and %.3g ns a "
      "cell in each step,\n#     as %lld steps of %lld particles took just now on the CPU with %d "
      "thread%s; larger boxes are slower\n",
      time->seconds / units[u].seconds, units[u].name, time->ns_per_particle, time->ns_per_cell,
      (long long)time->steps, (long long)time->particles, time->threads,
      time->threads > 1 ? "s" : "");
}

static void print_output(const cw_check_output *output, FILE *stream) {
  double total = 0;
  for (int k = 0; k < CW_SERIES_COUNT; k++) {
    if (output->files[k] == 0)
      continue;
    total += (double)output->files[k] * output->bytes[k];
    fprintf(stream, "#   %-21s %lld file%s of %s%.3g MB\n", cw_series_names[k],
            (long long)output->files[k], output->files[k] > 1 ? "s" : "",
            k == CW_SERIES_PARTICLES ? "at most " : "", output->bytes[k] / 1048576);
  }
  fprintf(stream, "#   output                %.4g MB in all\n", total / 1048576);
}

static json_t *json_output(const cw_check_output *output) {
  json_t *table = json_object();
  for (int k = 0; k < CW_SERIES_COUNT; k++)
    json_object_set_new(
        table, cw_series_names[k],
        json_pack("{s:I, s:f}", "files", (json_int_t)output->files[k], "bytes", output->bytes[k]));
  return table;
}

cw_status cw_check_report_text(cw_context *context, const cw_check_report *report,
                               const cw_deck *deck, FILE *stream) {
  const cw_check_scales *scales = &report->scales;
  CW_TRY(cw_deck_echo(context, deck, stream));
  print_setup_defaults(deck, stream);
  fprintf(stream,
          "\n# Scales:\n#   time step             %.6g L/c\n#   steps                 %lld\n"
          "#   cell edge             %.6g skin depths\n"
          "#   Larmor radius         %.6g cells, of u = 1 in B0\n"
          "#   plasma period         %.6g steps, at density n0\n#   cells                 %.0f\n"
          "#   particles             %lld\n",
          deck->dt, (long long)deck->steps, 1 / scales->skindepth_cells, scales->larmor_cells,
          scales->period_steps, scales->cells, (long long)report->memory.particle_count);
  if (scales->debye_cells > 0)
    fprintf(stream, "#   Debye length          %.6g cells, the shortest\n", scales->debye_cells);
  print_species(scales, deck, stream);
  fprintf(stream,
          "# Cost:\n#   memory                %.1f MB: fields %.1f, particles %.1f, work %.1f; "
          "%.0f MB are available\n",
          report->memory.total / 1048576, report->memory.fields / 1048576,
          report->memory.particles / 1048576, report->memory.work / 1048576,
          report->available / 1048576);
  print_output(&report->output, stream);
  if (deck->checkpoint.keep != 0)
    fprintf(stream, "#   a checkpoint          %.1f MB on disk\n", report->checkpoint / 1048576);
  print_time(&report->time, stream);
  return written(context, stream);
}

static json_t *json_sides(const cw_deck_key *key, int lower, int upper) {
  return json_pack("[s, s]", cw_deck_choice_word(key->choices, lower),
                   cw_deck_choice_word(key->choices, upper));
}

static json_t *json_list(const cw_deck_key *key, const cw_deck *deck, const void *member) {
  json_t *list = json_array();
  const int count =
      key->type == CW_DECK_WORDS ? ((const cw_deck_words *)member)->count : deck->grid.dim;
  for (int k = 0; k < count; k++) {
    json_t *item;
    if (key->type == CW_DECK_WORDS)
      item = json_string(((const cw_deck_words *)member)->word[k]);
    else if (key->type == CW_DECK_FACTORS)
      item = json_integer(((const int32_t *)member)[k]);
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
  case CW_DECK_FORMULA:
  case CW_DECK_LABEL:
    return json_string(member);
  case CW_DECK_CHOICE:
    memcpy(&choice, member, sizeof choice);
    return json_string(cw_deck_choice_word(key->choices, choice));
  default:
    return json_list(key, deck, member);
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

static json_t *json_known(double value) {
  return value > 0 ? json_real(value) : json_null();
}

static json_t *json_species(const cw_check_scales *scales, const cw_deck *deck) {
  json_t *list = json_array();
  for (int s = 0; s < deck->particles.species_count; s++) {
    const cw_check_species *species = &scales->species[s];
    const cw_species_scales *plasma = &species->plasma;
    const int known = plasma->density > 0;
    json_array_append_new(
        list,
        json_pack("{s:s, s:f, s:f, s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:f}", "label",
                  deck->particles.species[s].label, "particles_per_cell", species->most_per_cell,
                  "mean_particles_per_cell", species->mean_per_cell, "density",
                  json_known(plasma->density), "temperature",
                  known ? json_real(plasma->temperature) : json_null(), "speed",
                  known ? json_real(plasma->speed) : json_null(), "B", plasma->B, "debye_cells",
                  json_known(species->debye_cells), "skindepth_cells",
                  json_known(species->skindepth_cells), "larmor_cells",
                  json_known(species->larmor_cells), "plasma_period_steps",
                  json_known(species->period_steps), "gyration_steps",
                  json_known(species->gyration_steps), "cells_per_step", species->cells_a_step));
  }
  return list;
}

static json_t *json_time(const cw_check_time *time) {
  if (time->steps == 0)
    return json_null();
  return json_pack("{s:f, s:f, s:f, s:I, s:I, s:i}", "seconds", time->seconds, "ns_per_particle",
                   time->ns_per_particle, "ns_per_cell", time->ns_per_cell, "timed_particles",
                   (json_int_t)time->particles, "timed_steps", (json_int_t)time->steps, "threads",
                   time->threads);
}

cw_status cw_check_report_json(cw_context *context, const cw_check_report *report,
                               const cw_deck *deck, FILE *stream) {
  json_t *warnings = json_array();
  for (int k = 0; k < report->warnings.count; k++)
    json_array_append_new(warnings, json_string(report->warnings.text[k]));
  const cw_check_scales *scales = &report->scales;
  json_t *derived = json_pack(
      "{s:f, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:o, s:I, s:I}", "dt", deck->dt, "steps",
      (json_int_t)deck->steps, "V0", deck->V0, "n0", deck->n0, "q0", deck->q0, "B0", deck->B0,
      "dx_skindepths", 1 / scales->skindepth_cells, "larmor_cells", scales->larmor_cells,
      "plasma_period_steps", scales->period_steps, "densest_plasma_period_steps",
      json_known(scales->densest_period_steps), "debye_cells", json_known(scales->debye_cells),
      "cells", (json_int_t)scales->cells, "particles", (json_int_t)report->memory.particle_count);
  json_t *memory = json_pack("{s:f, s:f, s:f, s:f, s:f}", "total", report->memory.total, "fields",
                             report->memory.fields, "particles", report->memory.particles, "work",
                             report->memory.work, "available", report->available);
  json_t *document =
      json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:o}", "deck", json_deck(deck), "derived",
                derived, "species", json_species(scales, deck), "memory", memory, "time",
                json_time(&report->time), "output", json_output(&report->output),
                "checkpoint_bytes", report->checkpoint, "warnings", warnings);
  if (!document)
    return cw_fail(context, CW_ERROR_MEMORY, "the report does not fit in memory");
  int failed = json_dumpf(document, stream, JSON_INDENT(2)) != 0 || fputc('\n', stream) == EOF;
  json_decref(document);
  if (failed)
    return cw_fail(context, CW_ERROR_IO, "the report could not be written");
  return written(context, stream);
}
