/* Typed readers: one TOML value into one member. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deck/deck_entity.h"
#include "deck/deck_reader.h"

static void *member(const cw_deck_key *key, void *base) {
  return (char *)base + key->offset;
}

const char *cw_deck_describe(const cw_toml_node *node, char text[CW_DECK_QUOTE + 32]) {
  enum { SIZE = CW_DECK_QUOTE + 32 };
  char number[32];
  size_t length;
  switch (cw_toml_node_type(node)) {
  case CW_TOML_TABLE:
    return "a table";
  case CW_TOML_ARRAY:
    return cw_toml_count(node) == 0 ? "an empty list" : "a list";
  case CW_TOML_DATE:
    return "a date or time";
  case CW_TOML_BOOL:
    return cw_toml_bool(node) ? "true" : "false";
  case CW_TOML_INTEGER:
    snprintf(text, SIZE, "integer %lld", (long long)cw_toml_integer(node));
    return text;
  case CW_TOML_FLOAT:
    cw_deck_format_number(cw_toml_float(node), 1, number);
    snprintf(text, SIZE, "float %s", number);
    return text;
  case CW_TOML_STRING: {
    const char *string = cw_toml_string(node, &length);
    char quoted[CW_DECK_QUOTE];
    cw_deck_quote(string, length, quoted, sizeof quoted);
    snprintf(text, SIZE, "string \"%s\"", quoted);
    return text;
  }
  }
  return "a value";
}

static void wrong(cw_deck_reader *reader, const cw_deck_key *key, const cw_toml_node *node,
                  const char *expected) {
  const char *theirs = cw_deck_entity_word(key, node);
  char found[CW_DECK_QUOTE + 32];
  cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place(node), "%s.%s: found %s; expected %s%s%s",
                key->section, key->name, cw_deck_describe(node, found), expected,
                theirs ? ": " : "", theirs ? theirs : "");
}

static void wrong_range(cw_deck_reader *reader, const cw_deck_key *key, const cw_toml_node *node,
                        const char *what) {
  char range[200], expected[240];
  cw_deck_key_range(key, range, sizeof range);
  snprintf(expected, sizeof expected, "%s %s%s", what, key->choices ? "out of " : "", range);
  wrong(reader, key, node, expected);
}

int cw_deck_get_number(cw_deck_reader *reader, const char *what, const cw_toml_node *node,
                       double *number) {
  char found[CW_DECK_QUOTE + 32];
  switch (cw_toml_node_type(node)) {
  case CW_TOML_INTEGER:
    *number = (double)cw_toml_integer(node);
    return 1;
  case CW_TOML_FLOAT:
    *number = cw_toml_float(node);
    if (isfinite(*number))
      return 1;
    break;
  default:
    break;
  }
  cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place(node), "%s: found %s; expected %s", what,
                cw_deck_describe(node, found),
                cw_toml_node_type(node) == CW_TOML_FLOAT ? "a finite number" : "number");
  return 0;
}

static int in_range(const cw_deck_key *key, double number) {
  return (key->low_open ? number > key->low : number >= key->low) && number <= key->high;
}

static void read_float(cw_deck_reader *reader, const cw_deck_key *key, const cw_toml_node *node,
                       double *value) {
  char path[CW_DECK_QUOTE];
  double number;
  snprintf(path, sizeof path, "%s.%s", key->section, key->name);
  if (!cw_deck_get_number(reader, path, node, &number))
    return;
  if (in_range(key, number))
    *value = number;
  else
    wrong_range(reader, key, node, "number");
}

static int whole_number(const cw_deck_key *key, const cw_toml_node *node, int64_t *value) {
  cw_toml_type type = cw_toml_node_type(node);
  if (type == CW_TOML_INTEGER) {
    *value = cw_toml_integer(node);
    return 1;
  }
  if (key->type != CW_DECK_COUNT || type != CW_TOML_FLOAT)
    return 0;
  double number = cw_toml_float(node);
  if (!(fabs(number) <= 1e15) || number != floor(number))
    return 0;
  *value = (int64_t)number;
  return 1;
}

static int number_is_choice(const cw_deck_key *key, int64_t value) {
  for (const cw_deck_choice *choice = key->choices; choice->word; choice++)
    if (choice->value == value)
      return 1;
  return 0;
}

static void read_integer(cw_deck_reader *reader, const cw_deck_key *key, const cw_toml_node *node,
                         void *base) {
  int64_t value;
  if (!whole_number(key, node, &value))
    wrong_range(reader, key, node, "integer");
  else if (key->choices ? !number_is_choice(key, value) : !in_range(key, (double)value))
    wrong_range(reader, key, node, "integer");
  else if (key->type == CW_DECK_INT32)
    *(int *)member(key, base) = (int)value;
  else
    *(int64_t *)member(key, base) = value;
}

/* A short text without control characters; for labels, of letters, digits and + - _ . alone. */
static void read_text(cw_deck_reader *reader, const cw_deck_key *key, const cw_toml_node *node,
                      char *value) {
  size_t length;
  if (cw_toml_node_type(node) != CW_TOML_STRING) {
    wrong(reader, key, node, "string");
    return;
  }
  const char *text = cw_toml_string(node, &length);
  int fits = length > 0 && length < CW_DECK_NAME;
  for (size_t k = 0; k < length && fits; k++) {
    unsigned char c = (unsigned char)text[k];
    int plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                (c && strchr("+-_.", c));
    fits = key->type == CW_DECK_LABEL ? plain : c >= 0x20 && c != 0x7f && c != '/';
  }
  if (fits)
    memcpy(value, text, length + 1);
  else
    wrong(reader, key, node,
          key->type == CW_DECK_LABEL ? "string of 1 to 63 letters, digits and + - _ ."
                                     : "string of 1 to 63 bytes without / and control characters");
}

static void read_path(cw_deck_reader *reader, const cw_deck_key *key, const cw_toml_node *node,
                      char *value) {
  size_t length = CW_DECK_PATH_SIZE;
  const char *text = "";
  if (cw_toml_node_type(node) == CW_TOML_STRING)
    text = cw_toml_string(node, &length);
  int fits = length < CW_DECK_PATH_SIZE;
  for (size_t k = 0; k < length && fits; k++)
    fits = (unsigned char)text[k] >= 0x20 && text[k] != 0x7f;
  if (fits)
    memcpy(value, text, length + 1);
  else
    wrong(reader, key, node,
          key->type == CW_DECK_FORMULA
              ? "expression of at most 255 bytes without control characters"
              : "path of at most 255 bytes without control characters");
}

/* "HH:MM:SS": any number of hours. */
static void read_duration(cw_deck_reader *reader, const cw_deck_key *key, const cw_toml_node *node,
                          double *seconds) {
  size_t length = 0;
  const char *text = cw_toml_node_type(node) == CW_TOML_STRING ? cw_toml_string(node, &length) : "";
  size_t hours = strspn(text, "0123456789");
  const char *rest = text + hours;
  int fits = hours >= 1 && hours <= 6 && length == hours + 6 && strlen(text) == length;
  for (size_t k = 0; k < 6 && fits; k++)
    fits = k % 3 == 0 ? rest[k] == ':' : rest[k] >= '0' && rest[k] <= (k % 3 == 1 ? '5' : '9');
  if (cw_toml_node_type(node) == CW_TOML_STRING && length == 0)
    *seconds = 0; /* Entity's way to say never */
  else if (fits)
    *seconds = 3600.0 * atoi(text) + 60.0 * atoi(rest + 1) + atoi(rest + 4);
  else
    wrong(reader, key, node, "string \"HH:MM:SS\"");
}

int cw_deck_choice_of(const cw_deck_choice *choices, const cw_toml_node *node) {
  size_t length;
  if (cw_toml_node_type(node) != CW_TOML_STRING)
    return -1;
  const char *word = cw_toml_string(node, &length);
  return strlen(word) == length ? cw_deck_choice_value(choices, word) : -1;
}

/* A value out of a list of words; suggests the nearest one. */
static int read_choice(cw_deck_reader *reader, const cw_deck_key *key, const cw_toml_node *node) {
  int value = cw_deck_choice_of(key->choices, node);
  if (value >= 0)
    return value;
  const char *words[16], *nearest = NULL;
  char expected[300], range[200];
  size_t length;
  int count = 0;
  while (count < 16 && key->choices[count].word)
    words[count] = key->choices[count].word, count++;
  if (cw_toml_node_type(node) == CW_TOML_STRING)
    nearest = cw_deck_nearest(cw_toml_string(node, &length), words, count);
  cw_deck_key_range(key, range, sizeof range);
  snprintf(expected, sizeof expected, "string out of %s%s%s%s", range,
           nearest ? " (did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?)" : "");
  wrong(reader, key, node, expected);
  return -1;
}

void cw_deck_read_value(cw_deck_reader *reader, const cw_deck_key *key, const cw_toml_node *node,
                        void *base) {
  int choice;
  switch (key->type) {
  case CW_DECK_BOOL:
    if (cw_toml_node_type(node) == CW_TOML_BOOL)
      *(int *)member(key, base) = cw_toml_bool(node);
    else
      wrong(reader, key, node, "true or false");
    return;
  case CW_DECK_INT32:
  case CW_DECK_INT64:
  case CW_DECK_COUNT:
    read_integer(reader, key, node, base);
    return;
  case CW_DECK_FLOAT:
    read_float(reader, key, node, member(key, base));
    return;
  case CW_DECK_TEXT:
  case CW_DECK_LABEL:
    read_text(reader, key, node, member(key, base));
    return;
  case CW_DECK_PATH:
  case CW_DECK_FORMULA:
    read_path(reader, key, node, member(key, base));
    return;
  case CW_DECK_DURATION:
    read_duration(reader, key, node, member(key, base));
    return;
  case CW_DECK_CHOICE:
    choice = read_choice(reader, key, node);
    if (choice >= 0)
      memcpy(member(key, base), &choice, sizeof choice);
    return;
  case CW_DECK_RESOLUTION:
  case CW_DECK_EXTENT:
  case CW_DECK_FIELD_SIDES:
  case CW_DECK_PARTICLE_SIDES:
  case CW_DECK_WORDS:
  case CW_DECK_FACTORS:
    cw_deck_read_list(reader, key, node, member(key, base));
    return;
  }
}

/* ["A", "B"]: what stands between the quotes. */
static void default_words(const char *text, cw_deck_words *words) {
  words->count = 0;
  for (const char *quote = strchr(text, '"'); quote; quote = strchr(quote + 1, '"')) {
    const char *end = strchr(quote + 1, '"');
    snprintf(words->word[words->count], CW_DECK_NAME, "%.*s", (int)(end - quote - 1), quote + 1);
    words->where[words->count++] = (cw_deck_where){0, 0};
    quote = end;
  }
}

void cw_deck_set_default(const cw_deck_key *key, void *base) {
  const char *text = key->default_value;
  char word[CW_DECK_NAME];
  int value;
  if (!text)
    return;
  switch (key->type) {
  case CW_DECK_BOOL:
    *(int *)member(key, base) = strcmp(text, "true") == 0;
    return;
  case CW_DECK_INT32:
    *(int *)member(key, base) = (int)strtol(text, NULL, 10);
    return;
  case CW_DECK_INT64:
  case CW_DECK_COUNT:
    *(int64_t *)member(key, base) = strtoll(text, NULL, 10);
    return;
  case CW_DECK_FLOAT:
    *(double *)member(key, base) = strtod(text, NULL);
    return;
  case CW_DECK_CHOICE:
    snprintf(word, sizeof word, "%.*s", (int)strlen(text) - 2, text + 1); /* without its quotes */
    value = cw_deck_choice_value(key->choices, word);
    memcpy(member(key, base), &value, sizeof value);
    return;
  case CW_DECK_WORDS:
    default_words(text, member(key, base));
    return;
  case CW_DECK_FACTORS:
    for (int a = 0; a < 3; a++)
      ((int32_t *)member(key, base))[a] = (int32_t)strtol(text, NULL, 10);
    return;
  default:
    return;
  }
}
