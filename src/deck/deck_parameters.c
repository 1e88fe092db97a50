/* The free parameters of [setup]: read, found again, and the places of their characters. */
#include <stdio.h>
#include <string.h>

#include "base/context_private.h"
#include "deck/deck_reader.h"

enum { PATH = 3 * CW_DECK_NAME };

/* Tables of [setup] that hold parameters. */
static const struct {
  const char *name, *entry; /* entry: what names a table in it, [setup.NAME.ENTRY]; NULL: none */
} tables[] = {{"constants", NULL},
              {"antenna", NULL},
              {"species", "the label of a species, [setup.species.LABEL]"},
              {"injectors", "the name of an injector, [setup.injectors.NAME]"}};
enum { TABLES = sizeof tables / sizeof *tables };

/* The row of that name, or -1. */
static int table_of(const char *name) {
  for (int k = 0; k < TABLES; k++)
    if (strcmp(tables[k].name, name) == 0)
      return k;
  return -1;
}

int cw_deck_table_has_entries(const char *table) {
  const int row = table_of(table);
  return row >= 0 && tables[row].entry;
}

const cw_deck_parameter *cw_deck_setup_entry(const cw_deck *deck, const char *table,
                                             const char *entry, const char *name) {
  for (int k = 0; k < deck->setup.parameter_count; k++) {
    const cw_deck_parameter *parameter = &deck->setup.parameters[k];
    if (strcmp(parameter->table, table) == 0 && strcmp(parameter->entry, entry) == 0 &&
        strcmp(parameter->name, name) == 0)
      return parameter;
  }
  return NULL;
}

const cw_deck_parameter *cw_deck_setup_parameter(const cw_deck *deck, const char *name) {
  return cw_deck_setup_entry(deck, "", "", name);
}

int cw_deck_setup_has_table(const cw_deck *deck, const char *table) {
  for (int k = 0; k < deck->setup.parameter_count; k++)
    if (strcmp(deck->setup.parameters[k].table, table) == 0)
      return 1;
  return 0;
}

void cw_deck_parameter_path(const cw_deck_parameter *parameter, char path[PATH]) {
  snprintf(path, PATH, "%s%s%s%s%s", parameter->table, *parameter->table ? "." : "",
           parameter->entry, *parameter->entry ? "." : "", parameter->name);
}

int cw_deck_is_parameter_section(const char *section) {
  static const char setup[] = "setup";
  char name[CW_DECK_NAME];
  if (strncmp(section, setup, sizeof setup - 1) != 0)
    return 0;
  const char *table = section + sizeof setup - 1;
  if (*table++ != '.')
    return table[-1] == '\0';
  const size_t length = strcspn(table, ".");
  snprintf(name, sizeof name, "%.*s", (int)cw_min_i64((int64_t)length, CW_DECK_NAME), table);
  const int row = table_of(name);
  if (row < 0)
    return 0;
  return tables[row].entry ? table[length] == '.' && table[length + 1] : table[length] == '\0';
}

/* Where a member stands: names of a tree as long as they are read. */
typedef struct member {
  cw_deck_reader *reader;
  const char *table, *entry;
} member;

/* Keeps `length` bytes of a text with the deck, whose room is enough for all. */
static const char *keep_text(cw_deck *deck, const char *text, size_t length) {
  char *kept = deck->setup.texts + deck->setup.texts_used;
  memcpy(kept, text, length);
  kept[length] = '\0';
  deck->setup.texts_used += length + 1;
  return kept;
}

static void read_text(cw_deck_reader *reader, cw_deck_parameter *parameter, int item,
                      const char *what, const cw_toml_node *node) {
  size_t length;
  const char *text = cw_toml_string(node, &length);
  parameter->text[item] = "";
  if (strlen(text) != length)
    cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place(node),
                  "%s: found a string with a NUL byte; expected one without", what);
  else
    parameter->text[item] = keep_text(reader->deck, text, length);
}

static void read_list(cw_deck_reader *reader, cw_deck_parameter *parameter, const char *what,
                      const cw_toml_node *node) {
  const size_t length = cw_toml_count(node);
  int texts = 0;
  if (length < 1 || length > 3)
    cw_deck_fault(reader, CW_RANK_WRITTEN, cw_deck_place(node),
                  "%s: found a list of %zu; expected a list of 1 to 3 numbers", what, length);
  for (size_t k = 0; k < length && k < 3; k++)
    texts |= cw_toml_node_type(cw_toml_item(node, k)) == CW_TOML_STRING;
  parameter->type = texts ? CW_PARAMETER_TEXTS : CW_PARAMETER_VECTOR;
  parameter->length = (int)length;
  for (size_t k = 0; k < length && k < 3; k++) {
    const cw_toml_node *item = cw_toml_item(node, k);
    char written[32];
    double number;
    parameter->item[k] = cw_deck_place(item);
    if (texts && cw_toml_node_type(item) == CW_TOML_STRING) {
      read_text(reader, parameter, (int)k, what, item);
      continue;
    }
    if (!cw_deck_get_number(reader, what, item, &number))
      return;
    cw_deck_format_number(number, 0, written);
    if (texts)
      parameter->text[k] = keep_text(reader->deck, written, strlen(written));
    else
      parameter->number[k] = number;
  }
}

static void read_value(cw_deck_reader *reader, cw_deck_parameter *parameter, const char *what,
                       const cw_toml_node *node) {
  char found[CW_DECK_QUOTE + 32];
  parameter->item[0] = cw_deck_place(node);
  switch (cw_toml_node_type(node)) {
  case CW_TOML_BOOL:
    parameter->type = CW_PARAMETER_BOOL;
    parameter->number[0] = cw_toml_bool(node);
    return;
  case CW_TOML_STRING:
    parameter->type = CW_PARAMETER_TEXT;
    read_text(reader, parameter, 0, what, node);
    return;
  case CW_TOML_ARRAY:
    read_list(reader, parameter, what, node);
    return;
  case CW_TOML_INTEGER:
  case CW_TOML_FLOAT:
    parameter->type = CW_PARAMETER_NUMBER;
    cw_deck_get_number(reader, what, node, &parameter->number[0]);
    return;
  default:
    cw_deck_fault(reader, CW_RANK_WRITTEN, parameter->where,
                  "%s: found %s; expected a number, true or false, a string or a list of numbers",
                  what, cw_deck_describe(node, found));
  }
}

static void read_member(const member *at, const char *name, cw_deck_where where,
                        const cw_toml_node *node) {
  cw_deck *deck = at->reader->deck;
  char quoted[CW_DECK_QUOTE], what[PATH];
  cw_deck_quote(name, strlen(name), quoted, sizeof quoted);
  snprintf(what, sizeof what, "setup.%s%s%s%s%s", at->table, *at->table ? "." : "", at->entry,
           *at->entry ? "." : "", quoted);
  if (strlen(name) >= CW_DECK_NAME || deck->setup.parameter_count == CW_DECK_MAX_PARAMETERS) {
    cw_deck_fault(at->reader, CW_RANK_WRITTEN, where,
                  "%s: found a long name or one too many; expected at most %d parameters with "
                  "names of at most %d bytes",
                  what, CW_DECK_MAX_PARAMETERS, CW_DECK_NAME - 1);
    return;
  }
  cw_deck_parameter *parameter = &deck->setup.parameters[deck->setup.parameter_count++];
  snprintf(parameter->table, sizeof parameter->table, "%s", at->table);
  snprintf(parameter->entry, sizeof parameter->entry, "%s", at->entry);
  snprintf(parameter->name, sizeof parameter->name, "%s", name);
  parameter->where = where;
  read_value(at->reader, parameter, what, node);
}

static void visit_member(void *user, const char *name, cw_toml_place place,
                         const cw_toml_node *value) {
  cw_deck_where where = {place.line, place.column};
  read_member(user, name, where.line ? where : cw_deck_place(value), value);
}

/* Where a table of tables is walked. */
typedef struct entries {
  cw_deck_reader *reader;
  int row;
} entries;

/* [setup.TABLE.ENTRY] */
static void visit_entry(void *user, const char *name, cw_toml_place place,
                        const cw_toml_node *value) {
  const entries *at = user;
  const member of = {at->reader, tables[at->row].name, name};
  char found[CW_DECK_QUOTE + 32], quoted[CW_DECK_QUOTE];
  cw_deck_where where = {place.line, place.column};
  if (cw_toml_node_type(value) == CW_TOML_TABLE && strlen(name) < CW_DECK_NAME) {
    cw_toml_each(value, visit_member, (void *)(uintptr_t)&of);
    return;
  }
  cw_deck_quote(name, strlen(name), quoted, sizeof quoted);
  cw_deck_fault(at->reader, CW_RANK_WRITTEN, where, "setup.%s.%s: found %s; expected %s",
                tables[at->row].name, quoted, cw_deck_describe(value, found),
                tables[at->row].entry);
}

void cw_deck_read_parameter(cw_deck_reader *reader, const char *name, cw_deck_where where,
                            const cw_toml_node *node) {
  const int row = cw_toml_node_type(node) == CW_TOML_TABLE ? table_of(name) : -1;
  const member own = {reader, "", ""}, plain = {reader, row < 0 ? "" : tables[row].name, ""};
  entries list = {reader, row};
  if (row < 0)
    read_member(&own, name, where, node);
  else if (tables[row].entry)
    cw_toml_each(node, visit_entry, &list);
  else
    cw_toml_each(node, visit_member, (void *)(uintptr_t)&plain);
}

/* A walk over the source's characters. */
typedef struct walk {
  const char *at;
  int line, column;
} walk;

static void step(walk *walk) {
  if (*walk->at == '\n')
    walk->line++, walk->column = 0;
  walk->at++;
  while (((unsigned char)*walk->at & 0xc0) == 0x80)
    walk->at++; /* the rest of a character of several bytes */
  walk->column++;
}

static void skip(walk *walk, int count) {
  for (int k = 0; k < count && *walk->at; k++)
    step(walk);
}

/* Bytes of UTF-8 of the code point in `digits` hexadecimal digits. */
static size_t escape_bytes(const char *hex, int digits) {
  unsigned code = 0;
  char text[9] = "";
  snprintf(text, sizeof text, "%.*s", digits, hex);
  sscanf(text, "%x", &code);
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

static int joins_lines(const walk *walk, char quote, int multiline) {
  return multiline && quote == '"' && *walk->at == '\\' && walk->at[1] &&
         strchr(" \t\r\n", walk->at[1]);
}

/* Moves over one character of a string's source; returns the bytes that it stands for. */
static size_t step_decoded(walk *walk, char quote, int multiline) {
  const char *from = walk->at;
  if (*from != '\\' || quote == '\'') {
    skip(walk, from[0] == '\r' && from[1] == '\n' ? 2 : 1);
    return from[0] == '\r' && from[1] == '\n' ? 1 : (size_t)(walk->at - from);
  }
  if (from[1] == 'u' || from[1] == 'U') {
    const int digits = from[1] == 'u' ? 4 : 8;
    skip(walk, 2 + digits);
    return escape_bytes(from + 2, digits);
  }
  if (joins_lines(walk, quote, multiline)) {
    step(walk);
    while (*walk->at && strchr(" \t\r\n", *walk->at))
      step(walk);
    return 0;
  }
  skip(walk, 2);
  return 1;
}

cw_deck_where cw_deck_place_in_text(const cw_deck *deck, cw_deck_where start, size_t offset) {
  walk walk = {deck->source, 1, 1};
  if (start.line < 1 || !deck->source)
    return start;
  if (strncmp(walk.at, "\xef\xbb\xbf", 3) == 0)
    walk.at += 3;
  while (*walk.at &&
         (walk.line < start.line || (walk.line == start.line && walk.column < start.column)))
    step(&walk);
  const char quote = *walk.at;
  if (quote != '"' && quote != '\'')
    return start;
  const int multiline = walk.at[1] == quote && walk.at[2] == quote;
  skip(&walk, multiline ? 3 : 1);
  if (multiline && *walk.at == '\r')
    step(&walk);
  if (multiline && *walk.at == '\n')
    step(&walk);
  for (size_t decoded = 0; (decoded < offset || joins_lines(&walk, quote, multiline)) && *walk.at;)
    decoded += step_decoded(&walk, quote, multiline);
  return (cw_deck_where){walk.line, walk.column};
}
