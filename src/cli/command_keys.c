/* cellwise keys: the list of deck keys. */
#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/key_rows.h"
#include "cli/support.h"
#include "deck/deck_keys.h"

typedef struct keys_arguments {
  const char *command, *section;
  int json;
} keys_arguments;

static error_t parse(int key, char *value, struct argp_state *state) {
  keys_arguments *arguments = state->input;
  switch (key) {
  case 'j':
    arguments->json = 1;
    return 0;
  case ARGP_KEY_ARG:
    if (arguments->section) {
      cw_cli_usage_error(arguments->command, "found a second section '%s'; expected one", value);
      return EINVAL;
    }
    arguments->section = value;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option options[] = {{"json", 'j', NULL, 0, "print one JSON document", 0},
                                             {0}};

const struct argp cw_keys_argp = {
    options,
    parse,
    "[SECTION]",
    "List the keys of a deck: type, default (or that the key is required), unit, meaning. SECTION "
    "is a table of the deck, with the tables inside it; `setup` lists the problems and their "
    "parameters."
    "\vExample:\n  cellwise keys algorithms.deposit\n",
    NULL,
    NULL,
    NULL};

/* Widths of the columns, and the section printed last. */
typedef struct layout {
  int name, type, default_value, unit;
  const char *section;
} layout;

static void widen(int *width, const char *text) {
  int length = (int)strlen(text);
  if (length > *width)
    *width = length;
}

static void measure(void *user, const cw_key_row *row) {
  layout *widths = user;
  widen(&widths->name, row->name);
  widen(&widths->type, row->type);
  widen(&widths->default_value, row->default_value);
  widen(&widths->unit, row->unit);
}

static void print_row(void *user, const cw_key_row *row) {
  layout *widths = user;
  int species = strcmp(row->section, "particles.species") == 0;
  if (!widths->section || strcmp(widths->section, row->section) != 0)
    printf(species ? "\n[[%s]]\n" : "\n[%s]\n", row->section);
  widths->section = row->section;
  printf("  %-*s  %-*s  %-*s  %-*s  %s", widths->name, row->name, widths->type, row->type,
         widths->default_value, row->default_value, widths->unit, row->unit, row->text);
  printf(*row->range ? " (%s)\n" : "\n", row->range);
}

static void add_json(void *user, const cw_key_row *row) {
  json_t *item =
      json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "section", row->section, "key", row->name, "type",
                row->type, "unit", row->unit, "text", row->text, "range", row->range);
  int required = strcmp(row->default_value, "required") == 0;
  json_object_set_new(item, "required", json_boolean(required));
  json_object_set_new(item, "default", required ? json_null() : json_string(row->default_value));
  json_array_append_new(user, item);
}

static int is_setup(const char *section) {
  return !section || strcmp(section, "setup") == 0;
}

static int print_json(const char *section) {
  json_t *keys = json_array(), *problems = json_array(), *common = json_array();
  cw_key_rows_of_deck(section, add_json, keys);
  if (is_setup(section))
    cw_key_rows_of_setup(cw_setup_common_keys, add_json, common);
  for (const cw_problem *problem = cw_problems; is_setup(section) && problem->name; problem++) {
    json_t *list = json_array();
    cw_key_rows_of_setup(problem->keys, add_json, list);
    json_array_append_new(problems, json_pack("{s:s, s:s, s:o}", "name", problem->name, "text",
                                              problem->text, "keys", list));
  }
  json_t *document =
      json_pack("{s:o, s:o, s:o}", "keys", keys, "any_problem", common, "problems", problems);
  int failed = !document || json_dumpf(document, stdout, JSON_INDENT(2)) != 0;
  json_decref(document);
  printf("\n");
  return failed ? CW_EXIT_FAILED : CW_EXIT_DONE;
}

static int print_table(const char *section) {
  layout widths = {3, 4, 7, 4, NULL};
  cw_key_rows_of_deck(section, measure, &widths);
  printf("  %-*s  %-*s  %-*s  %-*s  %s\n", widths.name, "key", widths.type, "type",
         widths.default_value, "default", widths.unit, "unit", "text");
  cw_key_rows_of_deck(section, print_row, &widths);
  for (const cw_problem *problem = cw_problems; is_setup(section) && problem->name; problem++) {
    layout own = {0, 0, 0, 0, "setup"};
    cw_key_rows_of_setup(problem->keys, measure, &own);
    printf("\n[setup] problem = \"%s\": %s\n", problem->name, problem->text);
    cw_key_rows_of_setup(problem->keys, print_row, &own);
  }
  if (is_setup(section)) {
    layout own = {0, 0, 0, 0, "setup"};
    cw_key_rows_of_setup(cw_setup_common_keys, measure, &own);
    printf("\n[setup] with any problem:\n");
    cw_key_rows_of_setup(cw_setup_common_keys, print_row, &own);
  }
  return CW_EXIT_DONE;
}

static int unknown_section(const char *command, const char *section) {
  const char *names[64];
  int count = 0;
  for (const cw_deck_key *key = cw_deck_keys; key->section && count < 64; key++)
    if (count == 0 || strcmp(names[count - 1], key->section) != 0)
      names[count++] = key->section;
  const char *near = cw_deck_nearest(section, names, count);
  return cw_cli_usage_error(command, "found no section '%.80s'; expected one that `%s` lists%s%s%s",
                            section, command, near ? ", such as '" : "", near ? near : "",
                            near ? "'" : "");
}

int cw_command_keys(int argc, char **argv) {
  keys_arguments arguments = {.command = argv[0]};
  if (cw_cli_parse(argv[0], &cw_keys_argp, argc, argv, &arguments))
    return CW_EXIT_INPUT;
  if (arguments.section && !cw_deck_key_is_table(arguments.section))
    return unknown_section(arguments.command, arguments.section);
  int failed = arguments.json ? print_json(arguments.section) : print_table(arguments.section);
  return failed ? failed : cw_cli_flush(arguments.command);
}
