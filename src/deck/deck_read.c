/* From text to a checked deck: every member of the tree is read or refused, then defaults fill what
 * is not written. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context_private.h"
#include "deck/deck_entity.h"
#include "deck/deck_reader.h"

enum { MAX_PATH = 200 };
static const char species_section[] = "particles.species";

static int comes_before(cw_deck_where a, cw_deck_where b) {
  return a.line != b.line ? a.line < b.line : a.column < b.column;
}

void cw_deck_fault(cw_deck_reader *reader, cw_deck_rank rank, cw_deck_where where,
                   const char *format, ...) {
  if (rank < reader->rank || (rank == reader->rank && !comes_before(where, reader->where)))
    return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reader->message, sizeof reader->message, format, arguments);
  va_end(arguments);
  reader->rank = rank;
  reader->where = where;
}

cw_deck_where cw_deck_place(const cw_toml_node *node) {
  cw_toml_place place = cw_toml_node_place(node);
  return (cw_deck_where){place.line, place.column};
}

cw_deck_where cw_deck_place_of(const cw_deck_reader *reader, const char *path) {
  char above[MAX_PATH];
  if (!reader->root) /* the tree is gone: the state file gave the value */
    return reader->deck->setup.where;
  snprintf(above, sizeof above, "%s", path);
  for (char *dot = above; dot; dot = strrchr(above, '.')) {
    if (dot != above)
      *dot = '\0';
    const cw_toml_node *node = cw_toml_find(reader->root, above);
    cw_deck_where where = node ? cw_deck_place(node) : (cw_deck_where){0, 0};
    if (where.line)
      return where;
  }
  return (cw_deck_where){1, 1};
}

cw_status cw_deck_fail(cw_context *context, const cw_deck *deck, cw_deck_where where,
                       const char *format, ...) {
  char message[CW_DECK_MESSAGE];
  const char *name = *deck->path ? deck->path : "deck";
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  if (where.line < 0 && deck->overrides) {
    const char *text = deck->overrides;
    for (int skip = 1; skip < where.column; skip++)
      text += strlen(text) + 1;
    char quoted[CW_DECK_QUOTE * 2];
    cw_deck_quote(text, strlen(text), quoted, sizeof quoted);
    if (where.column > deck->translated)
      return cw_fail(context, CW_ERROR_INPUT, "--set %s: %s", quoted, message);
    return cw_fail(context, CW_ERROR_INPUT, "%.*s: %s, as read from Entity's [setup]: %s", 240,
                   name, quoted, message);
  }
  return cw_fail(context, CW_ERROR_INPUT, "%.*s:%d:%d: %s", 240, name,
                 where.line > 0 ? where.line : 1, where.column > 0 ? where.column : 1, message);
}

/* One table being walked. */
typedef struct cw_deck_walk {
  cw_deck_reader *reader;
  const char *section;
  void *base; /* what its keys fill */
} cw_deck_walk;

static int names_of_section(const char *section, const char **names, int room) {
  size_t length = strlen(section);
  int count = 0;
  for (const cw_deck_key *key = cw_deck_keys; key->section; key++) {
    const char *inner = length ? key->section + length + 1 : key->section;
    if (strcmp(key->section, section) == 0) {
      if (count < room)
        names[count++] = key->name;
    } else if (count < room && strncmp(key->section, section, length) == 0 &&
               (!length || key->section[length] == '.') && !strchr(inner, '.'))
      names[count++] = inner;
  }
  return count;
}

/* The section that has a key of that name, or NULL. */
static const char *home_of(const char *name) {
  for (const cw_deck_key *key = cw_deck_keys; key->section; key++)
    if (cw_deck_choice_value((cw_deck_choice[]){{key->name, 1}, {NULL, 0}}, name) == 1)
      return key->section;
  return NULL;
}

static const char *nearest_anywhere(const char *name) {
  const char *names[128];
  int count = 0;
  for (const cw_deck_key *key = cw_deck_keys; key->section && count < 128; key++)
    names[count++] = key->name;
  return cw_deck_nearest(name, names, count);
}

static void unknown(cw_deck_reader *reader, const char *section, const char *name,
                    cw_deck_where where, int is_table) {
  const char *names[64];
  char quoted[CW_DECK_QUOTE], hint[3 * CW_DECK_QUOTE];
  cw_deck_quote(name, strlen(name), quoted, sizeof quoted);
  const char *near = cw_deck_nearest(name, names, names_of_section(section, names, 64));
  const char *home = home_of(name), *far = home ? NULL : nearest_anywhere(name);
  if (home && !(near && strcmp(home, section) == 0))
    snprintf(hint, sizeof hint, "; expected it in [%s]", home);
  else if (near)
    snprintf(hint, sizeof hint, "; expected a known name, such as '%s'", near);
  else if (far)
    snprintf(hint, sizeof hint, "; expected a known name, such as '%s' of [%s]", far, home_of(far));
  else
    snprintf(hint, sizeof hint, "; expected one that `cellwise keys %s` lists", section);
  cw_deck_fault(reader, CW_RANK_WRITTEN, where, "found unknown %s '%s'%s%s%s%s",
                is_table ? "table" : "key", quoted, *section ? " in [" : "", section,
                *section ? "]" : "", hint);
}

static void walk_table(cw_deck_reader *reader, const char *section, const cw_toml_node *table,
                       void *base);

static void read_species(cw_deck_reader *reader, const cw_toml_node *list) {
  char found[CW_DECK_QUOTE + 32];
  size_t count = cw_toml_count(list);
  if (cw_toml_node_type(list) != CW_TOML_ARRAY) {
    cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place(list),
                  "particles.species: found %s; expected [[particles.species]], once a species",
                  cw_deck_describe(list, found));
    return;
  }
  for (size_t s = 0; s < count && s <= CW_DECK_MAX_SPECIES; s++) {
    const cw_toml_node *entry = cw_toml_item(list, s);
    if (s == CW_DECK_MAX_SPECIES)
      cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place(entry),
                    "particles.species: found %zu species; expected at most %d", count,
                    CW_DECK_MAX_SPECIES);
    else if (cw_toml_node_type(entry) != CW_TOML_TABLE)
      cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place(entry),
                    "particles.species: found %s; expected a table",
                    cw_deck_describe(entry, found));
    else {
      cw_deck_species *species = &reader->deck->particles.species[s];
      species->where = cw_deck_place(entry);
      snprintf(species->label, sizeof species->label, "s%zu", s + 1);
      reader->deck->particles.species_count = (int)s + 1;
      walk_table(reader, species_section, entry, species);
    }
  }
}

static void visit_table(cw_deck_walk *walk, const char *path, const cw_toml_node *node) {
  char found[CW_DECK_QUOTE + 32];
  if (strcmp(path, species_section) == 0)
    read_species(walk->reader, node);
  else if (cw_toml_node_type(node) == CW_TOML_TABLE)
    walk_table(walk->reader, path, node, walk->reader->deck);
  else
    cw_deck_fault(walk->reader, CW_RANK_WRITTEN, cw_deck_place(node),
                  "%s: found %s; expected a table, [%s]", path, cw_deck_describe(node, found),
                  path);
}

/* Parameters of a problem are its own, whatever other codes call theirs. */
static int is_of_entity(const cw_deck_reader *reader, const char *section, const char *name) {
  if (!cw_deck_entity_knows(section, name) || strcmp(section, "setup") != 0)
    return cw_deck_entity_knows(section, name);
  return reader->entity->streaming ? cw_deck_entity_is_streaming(name)
                                   : !cw_toml_find(reader->root, "setup.problem");
}

static void visit_member(void *user, const char *name, cw_toml_place place,
                         const cw_toml_node *value) {
  cw_deck_walk *walk = user;
  char path[MAX_PATH];
  cw_deck_where where = {place.line, place.column};
  const cw_deck_key *key = cw_deck_key_find(walk->section, name);
  snprintf(path, sizeof path, "%s%s%.60s", walk->section, *walk->section ? "." : "", name);
  if (where.line == 0)
    where = cw_deck_place(value);
  if (key) {
    walk->reader->deck->written[key - cw_deck_keys] = cw_deck_place(value);
    cw_deck_read_value(walk->reader, key, value, walk->base);
  } else if (strlen(name) < 60 && !strchr(name, '.') && cw_deck_key_is_table(path))
    visit_table(walk, path, value);
  else if (is_of_entity(walk->reader, walk->section, name) &&
           cw_deck_entity_read(walk->reader, walk->section, name, where, value, walk->base))
    return;
  else if (cw_toml_node_type(value) == CW_TOML_TABLE && cw_deck_entity_is_table(path))
    walk_table(walk->reader, path, value, walk->reader->deck);
  else if (strcmp(walk->section, "setup") == 0)
    cw_deck_read_parameter(walk->reader, name, where, value);
  else
    unknown(walk->reader, walk->section, name, where,
            cw_toml_node_type(value) == CW_TOML_TABLE || cw_toml_node_type(value) == CW_TOML_ARRAY);
}

static void walk_table(cw_deck_reader *reader, const char *section, const cw_toml_node *table,
                       void *base) {
  cw_deck_walk walk = {reader, section, base};
  cw_toml_each(table, visit_member, &walk);
}

static void missing(cw_deck_reader *reader, const cw_deck_key *key, cw_deck_where where) {
  int species = cw_deck_key_is_species(key);
  char range[200];
  cw_deck_key_range(key, range, sizeof range);
  cw_deck_fault(reader, CW_RANK_MISSING, where, "found no %s in %s%s%s; expected it (%s%s%s): %s",
                key->name, species ? "[[" : "[", key->section, species ? "]]" : "]",
                cw_deck_type_name(key), *range ? ", " : "", range, key->text);
}

cw_deck_where cw_deck_written(const cw_deck *deck, const char *section, const char *name) {
  const cw_deck_key *key = cw_deck_key_find(section, name);
  return key ? deck->written[key - cw_deck_keys] : (cw_deck_where){0, 0};
}

int cw_deck_is_state(const cw_deck *deck) {
  return strcmp(deck->setup.problem, "state") == 0;
}

/* 1 where a state file stands for the key: any but the run's name, engine and problem. */
static int comes_from_state(const cw_deck *deck, const cw_deck_key *key) {
  return cw_deck_is_state(deck) && !cw_deck_key_is_species(key) && strcmp(key->name, "name") != 0 &&
         strcmp(key->name, "engine") != 0;
}

/* Keys that are not written: their default, or a fault. */
static void fill_absent(cw_deck_reader *reader) {
  const cw_toml_node *list = cw_toml_find(reader->root, species_section);
  for (const cw_deck_key *key = cw_deck_keys; key->section; key++) {
    int species = cw_deck_key_is_species(key);
    int count = species ? reader->deck->particles.species_count : 1;
    for (int s = 0; s < count; s++) {
      const cw_toml_node *table =
          species ? cw_toml_item(list, (size_t)s) : cw_toml_find(reader->root, key->section);
      if (table && cw_toml_find(table, key->name))
        continue;
      cw_deck_where where = species ? reader->deck->particles.species[s].where
                                    : cw_deck_place_of(reader, key->section);
      void *base = species ? (void *)&reader->deck->particles.species[s] : (void *)reader->deck;
      if (cw_deck_key_is_required(key)) {
        if (!comes_from_state(reader->deck, key))
          missing(reader, key, where);
      } else
        cw_deck_set_default(key, base);
    }
  }
}

static int compare_parameters(const void *a, const void *b) {
  const cw_deck_parameter *first = a, *second = b;
  char path[2][3 * CW_DECK_NAME];
  if (comes_before(first->where, second->where))
    return -1;
  if (comes_before(second->where, first->where))
    return 1;
  cw_deck_parameter_path(first, path[0]);
  cw_deck_parameter_path(second, path[1]);
  return strcmp(path[0], path[1]);
}

static void check_and_derive(cw_deck_reader *reader) {
  cw_deck_check_species(reader);
  cw_deck_check_grid(reader);
  if (reader->rank == CW_RANK_NONE)
    cw_deck_check_output(reader);
  if (reader->rank == CW_RANK_NONE)
    cw_deck_derive(reader);
}

static void read_tree(cw_deck_reader *reader) {
  cw_deck *deck = reader->deck;
  walk_table(reader, "", reader->root, deck);
  fill_absent(reader);
  deck->setup.where = cw_deck_place_of(reader, "setup.problem");
  qsort(deck->setup.parameters, (size_t)deck->setup.parameter_count, sizeof *deck->setup.parameters,
        compare_parameters);
  if (reader->rank == CW_RANK_NONE)
    cw_deck_check_ecsim(reader);
  if (reader->rank == CW_RANK_NONE && !cw_deck_is_state(deck))
    check_and_derive(reader);
  if (reader->rank == CW_RANK_NONE)
    cw_deck_entity_intervals(reader);
}

cw_status cw_deck_complete(cw_context *context, cw_deck *deck) {
  cw_deck_reader reader = {.deck = deck};
  check_and_derive(&reader);
  return reader.rank == CW_RANK_NONE
             ? CW_OK
             : cw_deck_fail(context, deck, reader.where, "%s", reader.message);
}

static int is_known_path(const char *path) {
  const char *dot = strrchr(path, '.');
  char section[MAX_PATH];
  if (!dot || (size_t)(dot - path) >= sizeof section)
    return 0;
  snprintf(section, sizeof section, "%.*s", (int)(dot - path), path);
  size_t length = strlen(species_section);
  if (strncmp(section, species_section, length) == 0)
    snprintf(section, sizeof section, "%s", species_section);
  return cw_deck_is_parameter_section(section) || cw_deck_key_find(section, dot + 1) != NULL ||
         cw_deck_entity_knows(section, dot + 1);
}

static cw_status refuse_override(cw_context *context, cw_deck *deck, int number, const char *path) {
  cw_deck_reader reader = {.deck = deck};
  char section[MAX_PATH] = "";
  const char *dot = strrchr(path, '.');
  if (dot)
    snprintf(section, sizeof section, "%.*s", (int)cw_min_i64(dot - path, 100), path);
  unknown(&reader, section, dot ? dot + 1 : path, (cw_deck_where){-1, number}, 0);
  return cw_deck_fail(context, deck, reader.where, "%s", reader.message);
}

static cw_status keep_overrides(cw_context *context, cw_deck *deck,
                                const cw_deck_override *overrides, int count) {
  size_t size = 1;
  for (int k = 0; k < count; k++)
    size += strlen(overrides[k].key) + strlen(overrides[k].value) + 2;
  CW_TRY(CW_NEW(context, size, "overrides", &deck->overrides));
  char *end = deck->overrides;
  for (int k = 0; k < count; k++)
    end += sprintf(end, "%s=%s", overrides[k].key, overrides[k].value) + 1;
  return CW_OK;
}

static cw_status apply_overrides(cw_context *context, cw_deck *deck, cw_toml *tree,
                                 const cw_deck_override *overrides, int count) {
  cw_toml_fault fault;
  CW_TRY(keep_overrides(context, deck, overrides, count));
  for (int k = 0; k < count; k++) {
    if (!is_known_path(overrides[k].key))
      return refuse_override(context, deck, k + 1, overrides[k].key);
    cw_status status = cw_toml_override(tree, k + 1, overrides[k].key, overrides[k].value, &fault);
    if (status == CW_ERROR_MEMORY)
      return cw_fail(context, status, "no memory for --set");
    if (status != CW_OK)
      return cw_deck_fail(context, deck, (cw_deck_where){-1, k + 1}, "%s", fault.message);
  }
  return CW_OK;
}

/* A decoded string is not longer than its source; numbers may become texts, too. */
static cw_status make_room_for_texts(cw_context *context, cw_deck *deck, size_t length,
                                     const cw_deck_override *overrides, int count) {
  size_t size = length + 3 * CW_DECK_MAX_PARAMETERS * 32;
  for (int k = 0; k < count; k++)
    size += strlen(overrides[k].value) + 1;
  return CW_NEW(context, size, "texts of [setup]", &deck->setup.texts);
}

/* Tiles of integers are the faster ones on a device, where runs are then the same bit by bit. */
static void choose_sums(const cw_context *context, cw_deck *deck) {
  deck->fixed_point_chosen = deck->algorithms.deposit.fixed_point < 0;
  if (deck->fixed_point_chosen)
    deck->algorithms.deposit.fixed_point = cw_context_backend(context) == CW_BACKEND_CUDA;
}

cw_status cw_deck_read_source(cw_context *context, cw_deck *deck, size_t length,
                              const cw_deck_override *overrides, int override_count) {
  cw_toml *tree = NULL;
  cw_toml_fault fault;
  cw_entity_settings own;
  cw_deck_override *all = NULL;
  cw_status status = cw_toml_parse(deck->source, length, &tree, &fault);
  if (status == CW_ERROR_MEMORY)
    return cw_fail(context, status, "no memory to parse the deck");
  if (status != CW_OK) {
    char quoted[400];
    cw_deck_quote(fault.message, strlen(fault.message), quoted, sizeof quoted);
    return cw_deck_fail(context, deck, (cw_deck_where){fault.place.line, fault.place.column},
                        "found text that is not TOML: %s", quoted);
  }
  CW_TRY_CLEANUP(status, cw_deck_entity_settings(context, cw_toml_root(tree), overrides,
                                                 override_count, &own, &all));
  const int count = own.count + override_count;
  deck->translated = own.count;
  CW_TRY_CLEANUP(status, apply_overrides(context, deck, tree, all, count));
  CW_TRY_CLEANUP(status, make_room_for_texts(context, deck, length, all, count));
  struct cw_deck_entity entity = {.streaming = own.count > 0};
  cw_deck_reader reader = {.deck = deck, .root = cw_toml_root(tree), .entity = &entity};
  deck->algorithms.deposit.fixed_point = -1; /* not written */
  read_tree(&reader);
  choose_sums(context, deck);
  cw_deck_entity_tell(&reader);
  if (reader.rank != CW_RANK_NONE)
    status = cw_deck_fail(context, deck, reader.where, "%s", reader.message);
cleanup:
  CW_DELETE(context, all);
  cw_toml_destroy(tree);
  return status;
}
