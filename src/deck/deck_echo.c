/* The resolved deck as TOML: written from the list of keys, so that it names every one that
 * has an effect. */
#include <stdio.h>
#include <string.h>

#include "base/context_private.h"
#include "deck/deck_reader.h"

static void put_string(FILE *stream, const char *text) {
  fputc('"', stream);
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      fprintf(stream, "\\%c", c);
    else if (c < 0x20 || c == 0x7f)
      fprintf(stream, "\\u%04x", (unsigned)c);
    else
      fputc(c, stream);
  }
  fputc('"', stream);
}

static void put_number(FILE *stream, double number) {
  char text[32];
  cw_deck_format_number(number, 1, text);
  fputs(text, stream);
}

static void put_sides(FILE *stream, const cw_deck_key *key, int lower, int upper) {
  fputc('[', stream);
  put_string(stream, cw_deck_choice_word(key->choices, lower));
  fputs(", ", stream);
  put_string(stream, cw_deck_choice_word(key->choices, upper));
  fputc(']', stream);
}

static void put_list(FILE *stream, const cw_deck_key *key, const cw_deck *deck,
                     const void *member) {
  const int count =
      key->type == CW_DECK_WORDS ? ((const cw_deck_words *)member)->count : deck->grid.dim;
  fputc('[', stream);
  for (int k = 0; k < count; k++) {
    if (k)
      fputs(", ", stream);
    if (key->type == CW_DECK_WORDS)
      put_string(stream, ((const cw_deck_words *)member)->word[k]);
    else if (key->type == CW_DECK_FACTORS)
      fprintf(stream, "%d", (int)((const int32_t *)member)[k]);
    else if (key->type == CW_DECK_RESOLUTION)
      fprintf(stream, "%d", deck->grid.resolution[k]);
    else if (key->type == CW_DECK_FIELD_SIDES)
      put_sides(stream, key, (int)deck->grid.fields[k][0], (int)deck->grid.fields[k][1]);
    else if (key->type == CW_DECK_PARTICLE_SIDES)
      put_sides(stream, key, (int)deck->grid.particles[k][0], (int)deck->grid.particles[k][1]);
    else {
      fputc('[', stream);
      put_number(stream, deck->grid.extent[k][0]);
      fputs(", ", stream);
      put_number(stream, deck->grid.extent[k][1]);
      fputc(']', stream);
    }
  }
  fputc(']', stream);
}

static void put_duration(FILE *stream, double seconds) {
  const int64_t whole = (int64_t)seconds;
  fprintf(stream, "\"%02lld:%02d:%02d\"", (long long)(whole / 3600), (int)(whole / 60 % 60),
          (int)(whole % 60));
}

void cw_deck_put_value(FILE *stream, const cw_deck_key *key, const cw_deck *deck,
                       const void *base) {
  const char *member = (const char *)base + key->offset;
  int choice;
  switch (key->type) {
  case CW_DECK_BOOL:
    fputs(*(const int *)(const void *)member ? "true" : "false", stream);
    return;
  case CW_DECK_INT32:
    fprintf(stream, "%d", *(const int *)(const void *)member);
    return;
  case CW_DECK_INT64:
  case CW_DECK_COUNT:
    fprintf(stream, "%lld", (long long)*(const int64_t *)(const void *)member);
    return;
  case CW_DECK_FLOAT:
    put_number(stream, *(const double *)(const void *)member);
    return;
  case CW_DECK_DURATION:
    put_duration(stream, *(const double *)(const void *)member);
    return;
  case CW_DECK_TEXT:
  case CW_DECK_PATH:
  case CW_DECK_FORMULA:
  case CW_DECK_LABEL:
    put_string(stream, member);
    return;
  case CW_DECK_CHOICE:
    memcpy(&choice, member, sizeof choice);
    put_string(stream, cw_deck_choice_word(key->choices, choice));
    return;
  default:
    put_list(stream, key, deck, member);
  }
}

static void put_key(FILE *stream, const cw_deck_key *key, const cw_deck *deck, const void *base) {
  fprintf(stream, "%s = ", key->name);
  cw_deck_put_value(stream, key, deck, base);
  fprintf(stream, " # %s%s%s\n", *key->unit ? key->unit : "", *key->unit ? "; " : "", key->text);
}

static void put_name(FILE *stream, const char *name) {
  static const char bare[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  if (*name && strspn(name, bare) == strlen(name))
    fputs(name, stream);
  else
    put_string(stream, name);
}

void cw_deck_put_parameter(FILE *stream, const cw_deck_parameter *parameter) {
  const char *const tables[] = {parameter->table, parameter->entry};
  const int levels = *parameter->table ? 1 + cw_deck_table_has_entries(parameter->table) : 0;
  for (int k = 0; k < levels; k++) {
    put_name(stream, tables[k]);
    fputc('.', stream);
  }
  put_name(stream, parameter->name);
  fputs(" = ", stream);
  switch (parameter->type) {
  case CW_PARAMETER_TEXT:
    put_string(stream, parameter->text[0]);
    break;
  case CW_PARAMETER_BOOL:
    fputs(parameter->number[0] != 0 ? "true" : "false", stream);
    break;
  case CW_PARAMETER_NUMBER:
    put_number(stream, parameter->number[0]);
    break;
  case CW_PARAMETER_VECTOR:
  case CW_PARAMETER_TEXTS:
    for (int k = 0; k < parameter->length; k++) {
      fputs(k ? ", " : "[", stream);
      if (parameter->type == CW_PARAMETER_TEXTS)
        put_string(stream, parameter->text[k]);
      else
        put_number(stream, parameter->number[k]);
    }
    fputc(']', stream);
  }
  fputc('\n', stream);
}

static int any_applies(const cw_deck_key *first, const cw_deck *deck) {
  int any = 0;
  for (const cw_deck_key *key = first; key->section && strcmp(key->section, first->section) == 0;
       key++)
    any |= cw_deck_key_applies(deck, key);
  return any;
}

/* The keys of one section, from its first one; returns the first key of the next section. */
static const cw_deck_key *put_section(FILE *stream, const cw_deck_key *first, const cw_deck *deck) {
  int species = cw_deck_key_is_species(first);
  int entries = species ? deck->particles.species_count : 1;
  const cw_deck_key *key = first;
  if (!any_applies(first, deck))
    entries = 0;
  for (int s = 0; s < entries; s++) {
    fprintf(stream, species ? "\n[[%s]]\n" : "\n[%s]\n", first->section);
    const void *base = species ? (const void *)&deck->particles.species[s] : (const void *)deck;
    for (key = first; key->section && strcmp(key->section, first->section) == 0; key++)
      if (cw_deck_key_applies(deck, key))
        put_key(stream, key, deck, base);
  }
  while (key->section && strcmp(key->section, first->section) == 0)
    key++; /* a section without entries */
  if (strcmp(first->section, "setup") == 0)
    for (int k = 0; k < deck->setup.parameter_count; k++)
      cw_deck_put_parameter(stream, &deck->setup.parameters[k]);
  return key;
}

cw_status cw_deck_echo(cw_context *context, const cw_deck *deck, FILE *stream) {
  fprintf(stream, "# The deck as used: every key, with its unit and meaning. c = 1; L is the unit "
                  "of length.\n");
  for (const cw_deck_key *key = cw_deck_keys; key->section;)
    key = put_section(stream, key, deck);
  fprintf(
      stream,
      "\n# Derived:\n#   dt = %.17g (time step)\n#   steps = %lld\n#   V0 = %.17g (cell volume)\n"
      "#   n0 = %.17g (reference density)\n#   q0 = %.17g (charge scale)\n"
      "#   B0 = %.17g (field scale)\n",
      deck->dt, (long long)deck->steps, deck->V0, deck->n0, deck->q0, deck->B0);
  if (ferror(stream))
    return cw_fail(context, CW_ERROR_IO, "the resolved deck could not be written");
  return CW_OK;
}
