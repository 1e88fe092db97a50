/* The other commands: help, keys, check, info, bench, and each instruction set forced. */
#include <jansson.h>
#include <math.h>

#include "deck/deck_keys.h"
#include "program.h"

static const char *const all_commands[] = {"run",   "check",     "keys", "plot", "coordination",
                                           "bench", "tile-size", "info", "man"};
enum { COMMANDS = (int)(sizeof all_commands / sizeof *all_commands) };

static json_t *document(const program_result *result) {
  ck_assert_msg(result->status == 0, "status %d: %s", result->status, result->err);
  json_t *root = json_loads(result->out, 0, NULL);
  ck_assert_msg(root != NULL, "not one JSON document: %.400s", result->out);
  return root;
}

static const char *text_of(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  ck_assert_msg(text != NULL, "no text '%s'", name);
  return text;
}

START_TEST(test_help_of_a_command_has_an_example) {
  char example[64];
  const program_result *result = program_run("%s --help", all_commands[_i]);
  snprintf(example, sizeof example, "  cellwise %s ", all_commands[_i]);
  ck_assert_int_eq(result->status, 0);
  ck_assert_str_eq(result->err, "");
  ck_assert_ptr_nonnull(strstr(result->out, "Example"));
  ck_assert_msg(strstr(result->out, example) != NULL, "no '%s' in: %s", example, result->out);
}
END_TEST

START_TEST(test_help_lists_every_command) {
  static const char *const ways[] = {"--help", "-h", "help"};
  for (int w = 0; w < 3; w++) {
    const program_result *result = program_run("%s", ways[w]);
    ck_assert_int_eq(result->status, 0);
    for (int c = 0; c < COMMANDS; c++)
      ck_assert_msg(strstr(result->out, all_commands[c]) != NULL, "no %s", all_commands[c]);
  }
  ck_assert_int_eq(program_run("%s", "--version")->status, 0);
  ck_assert_int_eq(program_run("%s", "")->status, 2);
}
END_TEST

/* Every option of a command's help stands in its manual page, as roff writes it. */
START_TEST(test_manual_page_of_a_command_has_every_option) {
  static char help[PROGRAM_TEXT];
  strcpy(help, program_run("%s --help", all_commands[_i])->out);
  const program_result *page = program_run("man %s", all_commands[_i]);
  ck_assert_int_eq(page->status, 0);
  ck_assert_ptr_nonnull(strstr(page->out, ".SH SYNOPSIS\n\\fBcellwise "));
  int options = 0;
  for (const char *line = help; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    const char *at = line + strspn(line, " ");
    const char *name = *at == '-' && line[0] == ' ' ? strstr(at, "--") : NULL;
    char option[64];
    if (!name || strncmp(name, "--usage", 7) == 0)
      continue;
    snprintf(option, sizeof option, "\\fB\\-\\-%.*s",
             (int)strspn(name + 2, "abcdefghijklmnopqrstuvwxyz"), name + 2);
    ck_assert_msg(strstr(page->out, option) != NULL, "%s: no %s in: %s", all_commands[_i], option,
                  page->out);
    options++;
  }
  ck_assert_msg(options >= 1, "no option in the help of %s", all_commands[_i]);
}
END_TEST

START_TEST(test_manual_page_of_decks_has_every_key_and_problem) {
  const program_result *page = program_run("man deck");
  ck_assert_int_eq(page->status, 0);
  for (const cw_deck_key *key = cw_deck_keys; key->section; key++) {
    char name[80];
    snprintf(name, sizeof name, "\n\\fB%s\\fR (", key->name);
    ck_assert_msg(strstr(page->out, name) != NULL, "no key %s", key->name);
  }
  ck_assert_ptr_nonnull(strstr(page->out, "\n.SS reconnection\n"));
  ck_assert_ptr_nonnull(strstr(program_run("man cellwise-deck")->out, "\n.SS reconnection\n"));
  ck_assert_int_eq(program_run("man dekc")->status, 2);
  ck_assert_int_eq(program_run("man run --folder m")->status, 2);
}
END_TEST

/* What mandoc warns of is a fault of a page, but for the date that none has. */
START_TEST(test_manual_pages_are_clean) {
  static program_result result;
  ck_assert_int_eq(program_run("man --folder m")->status, 0);
  ck_assert_int_eq(program_count(program_path("m/man1"), NULL), COMMANDS + 1);
  program_finish(
      program_start("command -v mandoc >/dev/null || exit 77; "
                    "mandoc -Tlint -Wwarning m/man1/* m/man5/* | grep -v 'missing date'"),
      &result);
  if (result.status == 77)
    printf("skipped: mandoc is not installed\n");
  else
    ck_assert_msg(result.status == 1, "%s", result.out); /* grep: nothing left */
}
END_TEST

/* The line of the table that starts with a key, in any section; NULL if there is none. */
static const char *key_line(const char *table, const char *name) {
  for (const char *line = table; line; line = strchr(line, '\n'), line += line != NULL) {
    const char *start = line + strspn(line, " ");
    size_t length = strlen(name);
    if (strncmp(start, name, length) == 0 && start[length] == ' ')
      return line;
  }
  return NULL;
}

START_TEST(test_keys_lists_every_key_with_type_default_and_unit) {
  static char table[PROGRAM_TEXT];
  const program_result *result = program_run("keys");
  ck_assert_int_eq(result->status, 0);
  strcpy(table, result->out);
  for (const cw_deck_key *key = cw_deck_keys; key->section; key++) {
    char section[80], line[600];
    snprintf(section, sizeof section, "[%s]", key->section);
    const char *found = strstr(table, section);
    ck_assert_msg(found != NULL, "no section %s", key->section);
    found = key_line(found, key->name);
    ck_assert_msg(found != NULL, "no key %s.%s", key->section, key->name);
    snprintf(line, sizeof line, "%.*s", (int)strcspn(found, "\n"), found);
    const char *value = key->default_value ? key->default_value : key->computed;
    ck_assert_msg(strstr(line, cw_deck_type_name(key)) &&
                      strstr(line, value ? value : "required") && strstr(line, key->unit) &&
                      strstr(line, key->text),
                  "%s.%s: %s", key->section, key->name, line);
  }
}
END_TEST

START_TEST(test_keys_as_json_has_every_key_and_problem) {
  json_t *root = document(program_run("keys --json"));
  const json_t *keys = json_object_get(root, "keys");
  ck_assert_int_eq((int)json_array_size(keys), cw_deck_key_count());
  for (int k = 0; k < cw_deck_key_count(); k++) {
    const json_t *key = json_array_get(keys, (size_t)k);
    ck_assert_str_eq(text_of(key, "section"), cw_deck_keys[k].section);
    ck_assert_str_eq(text_of(key, "key"), cw_deck_keys[k].name);
    ck_assert_str_eq(text_of(key, "unit"), cw_deck_keys[k].unit);
    ck_assert(strlen(text_of(key, "text")) > 0 && strlen(text_of(key, "type")) > 0);
    int required = json_is_true(json_object_get(key, "required"));
    ck_assert_int_eq(required, cw_deck_key_is_required(&cw_deck_keys[k]));
    ck_assert_int_eq(json_is_null(json_object_get(key, "default")), required);
  }
  ck_assert(json_array_size(json_object_get(root, "problems")) >= 6);
  json_decref(root);
  root = document(program_run("keys algorithms.timestep --json"));
  int expected = 0;
  for (const cw_deck_key *key = cw_deck_keys; key->section; key++)
    expected += strcmp(key->section, "algorithms.timestep") == 0;
  ck_assert_int_eq((int)json_array_size(json_object_get(root, "keys")), expected);
  json_decref(root);
}
END_TEST

START_TEST(test_check_prints_a_deck_that_checks_to_itself) {
  static char first[PROGRAM_TEXT];
  const program_result *result = program_run("check deck.toml");
  ck_assert_msg(result->status == 0, "%s", result->err);
  ck_assert_ptr_nonnull(strstr(result->out, "tiled_deposit_drift = "));
  ck_assert_ptr_nonnull(strstr(result->out, "#   particles             384\n"));
  strcpy(first, result->out);
  program_write("resolved.toml", first);
  result = program_run("check resolved.toml");
  ck_assert_msg(result->status == 0, "%s", result->err);
  /* all but the last line, which tells the memory that is free just now */
  size_t length = (size_t)(strstr(first, "#   memory") - first);
  ck_assert_int_eq(strncmp(first, result->out, length), 0);
  ck_assert(!program_exists("beams")); /* a check writes nothing */
}
END_TEST

START_TEST(test_check_as_json_has_the_deck_and_what_follows_from_it) {
  json_t *root = document(program_run("check deck.toml --json --set scales.skindepth0=0.05"));
  const json_t *deck = json_object_get(root, "deck"), *derived = json_object_get(root, "derived");
  const json_t *scales = json_object_get(deck, "scales");
  ck_assert(json_number_value(json_object_get(scales, "skindepth0")) == 0.05);
  /* CFL dx / sqrt(D), and 0.72 / dt */
  ck_assert(fabs(json_number_value(json_object_get(derived, "dt")) - 0.09) <= 1e-15);
  ck_assert_int_eq(json_integer_value(json_object_get(derived, "steps")), PROGRAM_STEPS);
  ck_assert_int_eq(json_integer_value(json_object_get(derived, "particles")), 384);
  const json_t *memory = json_object_get(root, "memory");
  ck_assert(json_number_value(json_object_get(memory, "total")) > 384 * 4 * 8);
  ck_assert(json_array_size(json_object_get(root, "warnings")) > 0); /* half a cell */
  /* each species has half of n0: skin depths of 0.05 sqrt(2) / 0.1 cells */
  const json_t *species = json_array_get(json_object_get(root, "species"), 1);
  ck_assert_str_eq(text_of(species, "label"), "positrons");
  ck_assert(fabs(json_number_value(json_object_get(species, "skindepth_cells")) - 0.70710678) <
            1e-6);
  ck_assert(fabs(json_number_value(json_object_get(species, "debye_cells")) - 0.22360680) < 1e-6);
  ck_assert(json_number_value(json_object_get(species, "particles_per_cell")) == 8);
  ck_assert(json_is_null(json_object_get(species, "larmor_cells"))); /* there is no field */
  ck_assert(json_number_value(json_object_get(json_object_get(root, "time"), "seconds")) > 0);
  json_decref(root);
}
END_TEST

START_TEST(test_info_as_json_names_the_build_and_the_machine) {
  json_t *root = document(program_run("info --json"));
  static const char *const texts[] = {"version", "commit", "build", "instruction_set"};
  for (int k = 0; k < 4; k++)
    text_of(root, texts[k]);
  ck_assert_str_eq(json_string_value(json_array_get(json_object_get(root, "backends"), 0)), "cpu");
  ck_assert(json_integer_value(json_object_get(root, "threads")) >= 1);
  /* AMX, or why there is none */
  const int amx = json_is_true(json_object_get(root, "amx"));
  ck_assert(amx == !*json_string_value(json_object_get(root, "amx_note")));
  json_decref(root);
}
END_TEST

typedef struct bench_case {
  const char *arguments;
  double tolerance; /* of max_rel_err */
} bench_case;

/* Sorts are exact. Currents are differences of shapes, so that their round-off is some ten times
 * that of a number (6e-8 in single, 1.1e-16 in double), over a few dozen terms. */
static const bench_case benches[] = {
    {"sort --dim 2 --cells 16 --ppc 4 --tile 4", 0},
    {"deposit --dim 1 --cells 64 --ppc 8 --tile 8 --precision double", 1e-13},
    {"deposit --dim 2 --cells 16 --ppc 4 --tile 4", 2e-5},
    {"deposit --dim 3 --cells 8 --ppc 4 --tile 4 --order 1", 2e-5},
    {"tiles --dim 2 --cells 16 --ppc 4", 2e-5},
    {"step --dim 2 --cells 16 --ppc 4 --tile 4", 1e-5},
    {"step --dim 2 --cells 16 --ppc 4 --tile 4 --precision double", 1e-13},
};
enum { BENCHES = (int)(sizeof benches / sizeof *benches) };

static void check_bench(const json_t *root, const bench_case *expected) {
  char kernel[16];
  sscanf(expected->arguments, "%15s", kernel);
  ck_assert_str_eq(text_of(root, "kernel"), kernel);
  ck_assert_str_eq(text_of(root, "backend"), "cpu");
  text_of(root, "device");
  const json_t *parameters = json_object_get(root, "case");
  static const char *const members[] = {"dim", "order", "precision", "cells", "ppc", "tile"};
  for (int m = 0; m < 6; m++)
    ck_assert_msg(json_object_get(parameters, members[m]) != NULL, "no case.%s", members[m]);
  size_t v;
  const json_t *variants = json_object_get(root, "variants");
  ck_assert(json_array_size(variants) >= 3);
  for (v = 0; v < json_array_size(variants); v++) {
    const json_t *row = json_array_get(variants, v);
    const json_t *time = json_object_get(row, "ns_per_particle");
    const json_t *error = json_object_get(row, "max_rel_err");
    ck_assert(json_is_number(time) && json_number_value(time) > 0);
    ck_assert_msg(json_is_number(error) && json_number_value(error) <= expected->tolerance &&
                      json_number_value(error) >= 0,
                  "%s: %s: max_rel_err %g", expected->arguments, text_of(row, "name"),
                  json_number_value(error));
    ck_assert_uint_eq(strlen(text_of(row, "checksum")), 16);
  }
}

START_TEST(test_bench_reports_small_errors_and_the_same_bits_for_two_threads) {
  const bench_case *expected = &benches[_i];
  json_t *roots[2];
  for (int t = 0; t < 2; t++) {
    roots[t] = document(
        program_run("bench %s --backend cpu --threads %d --json", expected->arguments, t + 1));
    check_bench(roots[t], expected);
  }
  const json_t *one = json_object_get(roots[0], "variants");
  const json_t *two = json_object_get(roots[1], "variants");
  ck_assert_uint_eq(json_array_size(one), json_array_size(two));
  for (size_t v = 0; v < json_array_size(one); v++)
    ck_assert_msg(strcmp(text_of(json_array_get(one, v), "checksum"),
                         text_of(json_array_get(two, v), "checksum")) == 0,
                  "%s: %s differs between 1 and 2 threads", expected->arguments,
                  text_of(json_array_get(one, v), "name"));
  json_decref(roots[0]);
  json_decref(roots[1]);
}
END_TEST

static int count_of(const json_t *row, const char *name) {
  const json_t *count = json_object_get(row, name);
  ck_assert_msg(json_is_integer(count), "no count '%s'", name);
  return (int)json_integer_value(count);
}

/* 2048 sorted slots and as many that came later; a quarter of all is dead, give or take four times
 * sqrt(4096 * 0.25 * 0.75) = 28. Each slot is counted once, whatever the path. */
START_TEST(test_bench_deposit_makes_tail_dead_and_first_step) {
  static const char *const options[] = {"--tail 0.5 --dead 0.25", "--sort-interval 0"};
  for (int k = 0; k < 2; k++) {
    json_t *root = document(program_run("bench deposit --dim 2 --cells 16 --ppc 8 --tile 4 "
                                        "--backend cpu --threads 2 --json %s",
                                        options[k]));
    const json_t *variants = json_object_get(root, "variants"), *row;
    const int slots = k == 0 ? 4096 : 2048;
    size_t v;
    json_array_foreach(variants, v, row) {
      const int sorted = strncmp(text_of(row, "name"), "tiled", 5) == 0 && k == 0;
      const int dead = count_of(row, "dead"), tail = count_of(row, "tail");
      const int tiled = count_of(row, "tiled") + count_of(row, "escapes");
      ck_assert_int_eq(tiled + tail + count_of(row, "flat") + dead, slots);
      ck_assert_int_le(abs(dead - (k == 0 ? 1024 : 0)), k == 0 ? 112 : 0);
      ck_assert_int_le(abs(tail - (sorted ? 1536 : 0)), sorted ? 112 : 0);
      ck_assert_int_eq(count_of(row, "flat"), sorted ? 0 : slots - dead);
      ck_assert(json_number_value(json_object_get(row, "max_rel_err")) <= 2e-5);
    }
    ck_assert_uint_ge(v, 3);
    json_decref(root);
  }
}
END_TEST

START_TEST(test_bench_prints_a_table_for_people) {
  const program_result *result = program_run("bench sort --dim 1 --cells 64 --ppc 4 --threads 1");
  ck_assert_int_eq(result->status, 0);
  ck_assert_ptr_nonnull(strstr(result->out, "ns a particle"));
}
END_TEST

/* The last row of a history as numbers. */
static void last_row(const char *path, double *values, int count) {
  char text[16384];
  program_read(path, text, sizeof text);
  text[strlen(text) - 1] = '\0';
  const char *at = strrchr(text, '\n');
  ck_assert_ptr_nonnull(at);
  for (int k = 0; k < count; k++) {
    char *end;
    values[k] = strtod(at + 1, &end);
    at = end;
  }
}

START_TEST(test_instruction_sets_agree_to_rounding) {
  static const char *const sets[] = {"base", "avx2", "avx512"};
  double expected[6] = {0}, found[6];
  int compared = 0;
  for (int k = 0; k < 3; k++) {
    setenv("CELLWISE_ISA", sets[k], 1);
    const program_result *result =
        program_run("run deck.toml --backend cpu --out %s --json", sets[k]);
    if (result->status == 2 && strstr(result->err, "this processor has at most")) {
      printf("skipped: this processor has no %s\n", sets[k]);
      continue;
    }
    json_t *table = document(result);
    ck_assert_str_eq(text_of(table, "instruction_set"), sets[k]);
    json_decref(table);
    char path[64];
    snprintf(path, sizeof path, "%s/history.csv", sets[k]);
    last_row(program_path(path), compared ? found : expected, 6);
    /* eight steps in double: a few hundred roundings of 1e-16 of the total */
    for (int c = 2; compared && c < 6; c++)
      ck_assert_msg(fabs(found[c] - expected[c]) <= 1e-13 * expected[5],
                    "%s: column %d: %.17g, base %.17g", sets[k], c, found[c], expected[c]);
    compared++;
  }
  ck_assert(expected[4] > 0);
}
END_TEST

int main(void) {
  TCase *cases = tcase_create("commands");
  tcase_add_loop_test(cases, test_help_of_a_command_has_an_example, 0, COMMANDS);
  tcase_add_test(cases, test_help_lists_every_command);
  tcase_add_loop_test(cases, test_manual_page_of_a_command_has_every_option, 0, COMMANDS);
  tcase_add_test(cases, test_manual_page_of_decks_has_every_key_and_problem);
  tcase_add_test(cases, test_manual_pages_are_clean);
  tcase_add_test(cases, test_keys_lists_every_key_with_type_default_and_unit);
  tcase_add_test(cases, test_keys_as_json_has_every_key_and_problem);
  tcase_add_test(cases, test_check_prints_a_deck_that_checks_to_itself);
  tcase_add_test(cases, test_check_as_json_has_the_deck_and_what_follows_from_it);
  tcase_add_test(cases, test_info_as_json_names_the_build_and_the_machine);
  tcase_add_loop_test(cases, test_bench_reports_small_errors_and_the_same_bits_for_two_threads, 0,
                      BENCHES);
  tcase_add_test(cases, test_bench_deposit_makes_tail_dead_and_first_step);
  tcase_add_test(cases, test_bench_prints_a_table_for_people);
  tcase_add_test(cases, test_instruction_sets_agree_to_rounding);
  return program_suite("commands", cases);
}
