#include "cli/key_rows.h"

#include <string.h>

#include "deck/deck_keys.h"

static int in_section(const char *section, const char *wanted) {
  size_t length = wanted ? strlen(wanted) : 0;
  return !wanted || (strncmp(section, wanted, length) == 0 &&
                     (section[length] == '\0' || section[length] == '.'));
}

void cw_key_rows_of_deck(const char *section, cw_key_row_visit *visit, void *user) {
  for (const cw_deck_key *key = cw_deck_keys; key->section; key++) {
    if (!in_section(key->section, section))
      continue;
    cw_key_row row = {.section = key->section,
                      .name = key->name,
                      .type = cw_deck_type_name(key),
                      .default_value = key->default_value ? key->default_value
                                       : key->computed    ? key->computed
                                                          : "required",
                      .unit = key->unit,
                      .text = key->text};
    cw_deck_key_range(key, row.range, sizeof row.range);
    visit(user, &row);
  }
}

void cw_key_rows_of_setup(const cw_problem_key *keys, cw_key_row_visit *visit, void *user) {
  for (const cw_problem_key *key = keys; key->name; key++) {
    cw_key_row row = {.section = "setup",
                      .name = key->name,
                      .type = key->type,
                      .default_value = key->default_value ? key->default_value : "required",
                      .unit = key->unit ? key->unit : "",
                      .text = key->text,
                      .range = ""};
    visit(user, &row);
  }
}
