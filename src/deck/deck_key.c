/* One row of the table of keys: where it stands, what it is called, what it may be. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "deck/deck_keys.h"

int cw_deck_key_is_required(const cw_deck_key *key) {
  return !key->default_value && !key->computed;
}

int cw_deck_key_is_species(const cw_deck_key *key) {
  return strcmp(key->section, "particles.species") == 0;
}

const cw_deck_key *cw_deck_key_find(const char *section, const char *name) {
  for (const cw_deck_key *key = cw_deck_keys; key->section; key++)
    if (strcmp(key->section, section) == 0 && strcmp(key->name, name) == 0)
      return key;
  return NULL;
}

int cw_deck_key_is_table(const char *path) {
  size_t length = strlen(path);
  for (const cw_deck_key *key = cw_deck_keys; key->section; key++)
    if (strncmp(key->section, path, length) == 0 &&
        (key->section[length] == '\0' || key->section[length] == '.'))
      return 1;
  return 0;
}

const char *cw_deck_type_name(const cw_deck_key *key) {
  switch (key->type) {
  case CW_DECK_BOOL:
    return "bool";
  case CW_DECK_INT32:
  case CW_DECK_INT64:
  case CW_DECK_COUNT:
    return "int";
  case CW_DECK_FLOAT:
    return "float";
  case CW_DECK_TEXT:
  case CW_DECK_PATH:
  case CW_DECK_FORMULA:
  case CW_DECK_DURATION:
  case CW_DECK_LABEL:
  case CW_DECK_CHOICE:
    return "string";
  case CW_DECK_RESOLUTION:
    return "int[D]";
  case CW_DECK_EXTENT:
    return "float[D][2]";
  case CW_DECK_FIELD_SIDES:
  case CW_DECK_PARTICLE_SIDES:
    return "string[D][1 or 2]";
  case CW_DECK_WORDS:
    return "string[]";
  case CW_DECK_FACTORS:
    return "int or int[D]";
  }
  return "unknown";
}

static void list_choices(const cw_deck_choice *choices, char *text, size_t size) {
  size_t used = 0;
  for (; choices->word && used < size; choices++) {
    int written = snprintf(text + used, size - used, "%s%s", used ? ", " : "", choices->word);
    used += written > 0 ? (size_t)written : 0;
  }
}

void cw_deck_key_range(const cw_deck_key *key, char *text, size_t size) {
  const char *sign = key->low_open ? ">" : ">=";
  *text = '\0';
  if (key->choices)
    list_choices(key->choices, text, size);
  else if (isfinite(key->low) && isfinite(key->high))
    snprintf(text, size, "%s %.15g and <= %.15g", sign, key->low, key->high);
  else if (isfinite(key->low))
    snprintf(text, size, "%s %.15g", sign, key->low);
}

int cw_deck_choice_value(const cw_deck_choice *choices, const char *word) {
  for (; choices->word; choices++)
    if (strcasecmp(choices->word, word) == 0)
      return choices->value;
  return -1;
}

const char *cw_deck_choice_word(const cw_deck_choice *choices, int value) {
  for (; choices->word; choices++)
    if (choices->value == value)
      return choices->word;
  return "unknown";
}
