/* Readers of the keys that are lists. */
#include <stdio.h>
#include <string.h>

#include "deck/deck_entity.h"
#include "deck/deck_reader.h"

static void wrong(cw_deck_reader *reader, const cw_deck_key *key, const cw_toml_node *node,
                  const char *expected) {
  const char *theirs = cw_deck_entity_word(key, node);
  char found[CW_DECK_QUOTE + 32], count[32];
  const char *what = cw_deck_describe(node, found);
  if (cw_toml_node_type(node) == CW_TOML_ARRAY) {
    snprintf(count, sizeof count, "a list of %zu", cw_toml_count(node));
    what = count;
  }
  cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place(node), "%s.%s: found %s; expected %s%s%s",
                key->section, key->name, what, expected, theirs ? ": " : "", theirs ? theirs : "");
}

static int is_list(const cw_toml_node *node, size_t low, size_t high) {
  size_t length = cw_toml_count(node);
  return cw_toml_node_type(node) == CW_TOML_ARRAY && length >= low && length <= high;
}

/* The number of axes, known before any other key is read; 0 where resolution is no such list. */
static int dimension(const cw_deck_reader *reader) {
  const cw_toml_node *node = cw_toml_find(reader->root, "grid.resolution");
  return node && is_list(node, 1, 3) ? (int)cw_toml_count(node) : 0;
}

/* As in Entity, sides of axes that the grid has not may stand there. */
static int has_further_sides(cw_deck_reader *reader, const cw_deck_key *key,
                             const cw_toml_node *node, int dim) {
  if (key->type != CW_DECK_FIELD_SIDES && key->type != CW_DECK_PARTICLE_SIDES)
    return 0;
  if (!dim || !is_list(node, (size_t)dim + 1, 3))
    return 0;
  cw_deck_entity_note(reader, cw_deck_place(cw_toml_item(node, (size_t)dim)),
                      "passed over %s.%s from axis %d on: the grid has %d", key->section, key->name,
                      dim + 1, dim);
  return 1;
}

/* 1 if the list has an entry an axis. */
static int has_entry_an_axis(cw_deck_reader *reader, const cw_deck_key *key,
                             const cw_toml_node *node, const char *entry) {
  char expected[120];
  int dim = dimension(reader);
  if (dim ? is_list(node, (size_t)dim, (size_t)dim) : is_list(node, 1, 3))
    return 1;
  if (has_further_sides(reader, key, node, dim))
    return 1;
  if (dim)
    snprintf(expected, sizeof expected, "a list of %d, one %s an axis of grid.resolution", dim,
             entry);
  else
    snprintf(expected, sizeof expected, "a list of one %s an axis", entry);
  wrong(reader, key, node, expected);
  return 0;
}

static void read_resolution(cw_deck_reader *reader, const cw_deck_key *key,
                            const cw_toml_node *node) {
  if (!is_list(node, 1, 3)) {
    wrong(reader, key, node, "a list of 1, 2 or 3 integers, one an axis");
    return;
  }
  reader->deck->grid.dim = (int)cw_toml_count(node);
  for (int a = 0; a < reader->deck->grid.dim; a++) {
    const cw_toml_node *item = cw_toml_item(node, (size_t)a);
    int64_t cells = cw_toml_node_type(item) == CW_TOML_INTEGER ? cw_toml_integer(item) : 0;
    if ((double)cells >= key->low && (double)cells <= key->high)
      reader->deck->grid.resolution[a] = (int32_t)cells;
    else
      wrong(reader, key, item, "integer >= 1 and <= 1073741824");
  }
}

static void read_extent(cw_deck_reader *reader, const cw_deck_key *key, const cw_toml_node *node) {
  char lower[32], upper[32];
  if (!has_entry_an_axis(reader, key, node, "list [lower, upper]"))
    return;
  for (size_t a = 0; a < cw_toml_count(node); a++) {
    const cw_toml_node *item = cw_toml_item(node, a);
    double *edge = reader->deck->grid.extent[a];
    if (!is_list(item, 2, 2)) {
      wrong(reader, key, item, "a list of two numbers, [lower, upper]");
      continue;
    }
    if (!cw_deck_get_number(reader, "grid.extent", cw_toml_item(item, 0), &edge[0]) ||
        !cw_deck_get_number(reader, "grid.extent", cw_toml_item(item, 1), &edge[1]))
      continue;
    cw_deck_format_number(edge[0], 1, lower);
    cw_deck_format_number(edge[1], 1, upper);
    if (!(edge[0] < edge[1]))
      cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place(item),
                    "grid.extent: found [%s, %s]; expected the lower edge first, and an upper one "
                    "above it",
                    lower, upper);
  }
}

/* One entry stands for both sides. */
static void read_sides(cw_deck_reader *reader, const cw_deck_key *key, const cw_toml_node *node) {
  char expected[120], range[80];
  cw_deck_key_range(key, range, sizeof range);
  snprintf(expected, sizeof expected, "a list of one or two out of %s", range);
  if (!has_entry_an_axis(reader, key, node, "list of one or two names"))
    return;
  const int dim = dimension(reader);
  for (size_t a = 0; a < (dim ? (size_t)dim : cw_toml_count(node)); a++) {
    const cw_toml_node *item = cw_toml_item(node, a);
    if (!is_list(item, 1, 2)) {
      wrong(reader, key, item, expected);
      continue;
    }
    for (size_t s = 0; s < 2; s++) {
      const cw_toml_node *side = cw_toml_item(item, cw_toml_count(item) == 2 ? s : 0);
      int value = cw_deck_choice_of(key->choices, side);
      if (value < 0)
        wrong(reader, key, side, expected + strlen("a list of one or two "));
      else if (key->type == CW_DECK_FIELD_SIDES)
        reader->deck->grid.fields[a][s] = (cw_field_boundary)value;
      else
        reader->deck->grid.particles[a][s] = (cw_particle_boundary)value;
    }
  }
}

/* A word is a short text, or a number that stands for one (species are counted from 1). */
static int read_word(const cw_toml_node *item, char word[CW_DECK_NAME]) {
  if (cw_toml_node_type(item) == CW_TOML_INTEGER && cw_toml_integer(item) >= 0) {
    snprintf(word, CW_DECK_NAME, "%lld", (long long)cw_toml_integer(item));
    return 1;
  }
  size_t length;
  if (cw_toml_node_type(item) != CW_TOML_STRING)
    return 0;
  const char *text = cw_toml_string(item, &length);
  int fits = length > 0 && length < CW_DECK_NAME;
  for (size_t k = 0; k < length && fits; k++)
    fits = text[k] >= 0x20 && text[k] < 0x7f;
  if (fits)
    memcpy(word, text, length + 1);
  return fits;
}

static void read_words(cw_deck_reader *reader, const cw_deck_key *key, const cw_toml_node *node,
                       cw_deck_words *words) {
  if (!is_list(node, 0, CW_DECK_MAX_WORDS)) {
    wrong(reader, key, node, "a list of at most 32 strings");
    return;
  }
  words->count = 0;
  for (size_t k = 0; k < cw_toml_count(node); k++) {
    const cw_toml_node *item = cw_toml_item(node, k);
    words->where[words->count] = cw_deck_place(item);
    if (read_word(item, words->word[words->count]))
      words->count++;
    else
      wrong(reader, key, item, "string of 1 to 63 printable ASCII characters");
  }
}

/* One number stands for all axes. */
static void read_factors(cw_deck_reader *reader, const cw_deck_key *key, const cw_toml_node *node,
                         int32_t *factors) {
  const int list = cw_toml_node_type(node) == CW_TOML_ARRAY;
  if (list && !has_entry_an_axis(reader, key, node, "integer"))
    return;
  for (int a = 0; a < 3; a++)
    factors[a] = 1;
  for (int a = 0; a < 3; a++) {
    const cw_toml_node *item = list ? cw_toml_item(node, (size_t)a) : node;
    if (!item)
      continue;
    int64_t value = cw_toml_node_type(item) == CW_TOML_INTEGER ? cw_toml_integer(item) : 0;
    if ((double)value >= key->low && (double)value <= key->high) {
      factors[a] = (int32_t)value;
      continue;
    }
    wrong(reader, key, item, "integer >= 1, or a list of them, one an axis");
    return;
  }
}

void cw_deck_read_list(cw_deck_reader *reader, const cw_deck_key *key, const cw_toml_node *node,
                       void *member) {
  if (key->type == CW_DECK_RESOLUTION)
    read_resolution(reader, key, node);
  else if (key->type == CW_DECK_EXTENT)
    read_extent(reader, key, node);
  else if (key->type == CW_DECK_WORDS)
    read_words(reader, key, node, member);
  else if (key->type == CW_DECK_FACTORS)
    read_factors(reader, key, node, member);
  else
    read_sides(reader, key, node);
}
