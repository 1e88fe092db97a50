#include "deck/deck_entity.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/context_private.h"
#include "deck/deck_entity_keys.h"

static const cw_entity_key *find(const char *section, const char *name) {
  for (const cw_entity_key *key = cw_entity_keys; key->section; key++)
    if (strcmp(key->section, section) == 0 && strcmp(key->name, name) == 0)
      return key;
  return NULL;
}

int cw_deck_entity_knows(const char *section, const char *name) {
  return find(section, name) && !cw_deck_key_find(section, name);
}

int cw_deck_entity_is_table(const char *path) {
  size_t length = strlen(path);
  for (const cw_entity_key *key = cw_entity_keys; key->section; key++)
    if (strncmp(key->section, path, length) == 0 &&
        (key->section[length] == '\0' || key->section[length] == '.'))
      return 1;
  return 0;
}

static cw_entity_note *add(cw_deck_reader *reader, cw_deck_where where, int refused) {
  struct cw_deck_entity *found = reader->entity;
  if (!found || found->count == CW_ENTITY_NOTES)
    return NULL;
  cw_entity_note *note = &found->notes[found->count++];
  note->where = where;
  note->refused = refused;
  return note;
}

void cw_deck_entity_note(cw_deck_reader *reader, cw_deck_where where, const char *format, ...) {
  cw_entity_note *note = add(reader, where, 0);
  if (!note)
    return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(note->text, sizeof note->text, format, arguments);
  va_end(arguments);
}

/* 1 if the value is the one, written as in a deck, that asks for nothing. */
static int is_neutral(const char *neutral, const cw_toml_node *value) {
  size_t length;
  if (!neutral)
    return 0;
  switch (cw_toml_node_type(value)) {
  case CW_TOML_BOOL:
    return strcmp(neutral, cw_toml_bool(value) ? "true" : "false") == 0;
  case CW_TOML_INTEGER:
    return strcmp(neutral, "0") == 0 && cw_toml_integer(value) == 0;
  case CW_TOML_FLOAT:
    return strcmp(neutral, "0") == 0 && cw_toml_float(value) == 0;
  case CW_TOML_STRING:
    return strcasecmp(neutral, cw_toml_string(value, &length)) == 0;
  case CW_TOML_ARRAY:
    return strcmp(neutral, "[]") == 0 && cw_toml_count(value) == 0;
  default:
    return 0;
  }
}

static void refuse(cw_deck_reader *reader, const cw_entity_key *key, cw_deck_where where) {
  cw_entity_note *note = add(reader, where, 1);
  char text[CW_ENTITY_NOTE];
  snprintf(text, sizeof text, "found Entity's key %s.%s: %s", key->section, key->name, key->text);
  if (note)
    memcpy(note->text, text, sizeof note->text);
  cw_deck_fault(reader, CW_RANK_WRITTEN, where, "%s", text);
}

/* A time of at most 0 leaves the interval as it is. */
static void read_time(cw_deck_reader *reader, const cw_entity_key *theirs, const cw_deck_key *ours,
                      cw_deck_where where, const cw_toml_node *value) {
  struct cw_deck_entity *found = reader->entity;
  char path[CW_DECK_QUOTE];
  double time;
  snprintf(path, sizeof path, "%s.%s", theirs->section, theirs->name);
  if (!cw_deck_get_number(reader, path, value, &time) || time <= 0)
    return;
  if (!found || found->times == CW_ENTITY_TIMES)
    return;
  found->interval[found->times].key = ours;
  found->interval[found->times].time = time;
  found->interval[found->times++].where = where;
}

int cw_deck_entity_read(cw_deck_reader *reader, const char *section, const char *name,
                        cw_deck_where where, const cw_toml_node *value, void *base) {
  const cw_entity_key *theirs = find(section, name);
  if (!theirs)
    return 0;
  if (strcmp(section, "setup") == 0 && reader->entity->streaming) {
    cw_deck_entity_note(reader, where,
                        "read Entity's key setup.%s as part of problem = \"expressions\"", name);
    return 1;
  }
  const char *other = theirs->kind == CW_ENTITY_RENAMED ? theirs->other
                      : theirs->kind == CW_ENTITY_TIMED ? "interval"
                                                        : NULL;
  const cw_deck_key *ours = other ? cw_deck_key_find(section, other) : NULL;
  if (other && !ours)
    return 0;
  if (theirs->kind == CW_ENTITY_PASSED) {
    cw_deck_entity_note(reader, where, "passed over Entity's key %s.%s: %s", section, name,
                        theirs->text);
  } else if (theirs->kind == CW_ENTITY_TIMED) {
    read_time(reader, theirs, ours, where, value);
  } else if (theirs->kind == CW_ENTITY_RENAMED) {
    cw_deck_entity_note(reader, where, "read Entity's key %s.%s as %s", section, name, other);
    cw_deck_read_value(reader, ours, value, base);
  } else if (!is_neutral(theirs->other, value)) {
    refuse(reader, theirs, where);
  }
  return 1;
}

const char *cw_deck_entity_word(const cw_deck_key *key, const cw_toml_node *node) {
  size_t length;
  if (cw_toml_node_type(node) != CW_TOML_STRING)
    return NULL;
  const char *word = cw_toml_string(node, &length);
  for (const cw_entity_word *row = cw_entity_words; row->key; row++)
    if (strcmp(row->key, key->name) == 0 && strcasecmp(row->word, word) == 0)
      return row->text;
  return NULL;
}

void cw_deck_entity_intervals(cw_deck_reader *reader) {
  struct cw_deck_entity *found = reader->entity;
  for (int k = 0; found && k < found->times; k++) {
    const cw_deck_key *key = found->interval[k].key;
    const double time = found->interval[k].time;
    if (cw_deck_is_state(reader->deck)) {
      cw_deck_fault(reader, CW_RANK_WRITTEN, found->interval[k].where,
                    "%s.interval_time: found a time where the state's file gives the time step; "
                    "expected interval, in steps",
                    key->section);
      continue;
    }
    const double steps = ceil(time / reader->deck->dt * (1 - 1e-9));
    if (!(steps <= key->high)) {
      cw_deck_fault(reader, CW_RANK_WRITTEN, found->interval[k].where,
                    "%s.interval_time: found %g, or %.4g steps; expected at most %g of them",
                    key->section, time, steps, key->high);
      continue;
    }
    *(int64_t *)(void *)((char *)reader->deck + key->offset) = (int64_t)steps;
    cw_deck_entity_note(reader, found->interval[k].where,
                        "read Entity's key %s.interval_time, %g, as interval = %.0f steps of dt = "
                        "%.6g",
                        key->section, time, steps, reader->deck->dt);
  }
}

static int in_order(const void *a, const void *b) {
  const cw_entity_note *first = a, *second = b;
  return first->where.line != second->where.line ? first->where.line - second->where.line
                                                 : first->where.column - second->where.column;
}

void cw_deck_entity_tell(cw_deck_reader *reader) {
  struct cw_deck_entity *found = reader->entity;
  const cw_deck *deck = reader->deck;
  int refused = 0, first = -1;
  qsort(found->notes, (size_t)found->count, sizeof *found->notes, in_order);
  for (int k = 0; k < found->count; k++) {
    refused += found->notes[k].refused;
    if (found->notes[k].refused && first < 0)
      first = k;
  }
  for (int k = 0; k < found->count; k++) {
    const cw_entity_note *note = &found->notes[k];
    if (note->refused && refused == 1 &&
        in_order(note, &(cw_entity_note){reader->where, 1, ""}) == 0)
      continue; /* the reader's own message has it */
    cw_log(deck->context, note->refused ? CW_LOG_ERROR : CW_LOG_WARNING, "%.*s:%d:%d: %s", 240,
           *deck->path ? deck->path : "deck", note->where.line > 0 ? note->where.line : 1,
           note->where.column > 0 ? note->where.column : 1, note->text);
  }
  if (refused > 1 && found->notes[first].where.line == reader->where.line &&
      found->notes[first].where.column == reader->where.column)
    snprintf(reader->message, sizeof reader->message,
             "found %d keys of Entity's that mean nothing here, each told above; docs/entity.md "
             "has what to write instead",
             refused);
}
