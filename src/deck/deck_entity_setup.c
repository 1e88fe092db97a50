/* Entity's problem generator "streaming" as a problem "expressions": uniform plasmas, a pair of
 * species of one density each, drifting through each other, and a uniform field. Its [setup] has
 * lists of numbers a species (drifts u, temperatures in m0 c^2) or a pair (densities). */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/context_private.h"
#include "deck/deck_entity.h"

static const char *const names[] = {"drifts_in_x",  "drifts_in_y", "drifts_in_z", "densities",
                                    "temperatures", "Bmag",        "Btheta",      "Bphi"};
enum { NAMES = (int)(sizeof names / sizeof *names), DENSITIES = 3, TEMPERATURES = 4, LISTS = 5 };

int cw_deck_entity_is_streaming(const char *name) {
  for (int k = 0; k < NAMES; k++)
    if (strcmp(names[k], name) == 0)
      return 1;
  return 0;
}

static int get_number(const cw_toml_node *node, double *number) {
  if (!node)
    return 0;
  if (cw_toml_node_type(node) == CW_TOML_INTEGER)
    *number = (double)cw_toml_integer(node);
  else if (cw_toml_node_type(node) == CW_TOML_FLOAT)
    *number = cw_toml_float(node);
  else
    return 0;
  return isfinite(*number);
}

/* A list of `count` numbers; all `otherwise` where there is none, or an empty one. */
static int get_list(const cw_toml_node *setup, const char *name, int count, double otherwise,
                    double *numbers) {
  const cw_toml_node *list = cw_toml_find(setup, name);
  for (int k = 0; k < count; k++)
    numbers[k] = otherwise;
  if (!list)
    return 1;
  if (cw_toml_node_type(list) != CW_TOML_ARRAY)
    return 0;
  const size_t length = cw_toml_count(list);
  if (length != 0 && length != (size_t)count)
    return 0;
  for (size_t k = 0; k < length; k++)
    if (!get_number(cw_toml_item(list, k), &numbers[k]))
      return 0;
  return 1;
}

static void add(cw_entity_settings *settings, const char *value, const char *format, ...)
    CW_PRINTF(3, 4);
static void add(cw_entity_settings *settings, const char *value, const char *format, ...) {
  char *key = settings->text + settings->used, *end = settings->text + sizeof settings->text;
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(key, (size_t)(end - key), format, arguments);
  va_end(arguments);
  char *copy = key + length + 1;
  snprintf(copy, (size_t)(end - copy), "%s", value);
  settings->items[settings->count++] = (cw_deck_override){key, copy};
  settings->used += (size_t)length + strlen(value) + 2;
}

/* Label and mass of a species; a label that a path of names cannot have is no good. */
static int get_species(const cw_toml_node *species, int s, char label[CW_DECK_NAME], double *mass) {
  const cw_toml_node *node = cw_toml_find(species, "label");
  size_t length;
  snprintf(label, CW_DECK_NAME, "s%d", s + 1);
  if (node && cw_toml_node_type(node) == CW_TOML_STRING)
    snprintf(label, CW_DECK_NAME, "%s", cw_toml_string(node, &length));
  return *label && !strchr(label, '.') && get_number(cw_toml_find(species, "mass"), mass) &&
         *mass > 0;
}

static int add_species(cw_entity_settings *settings, const char *label, double density,
                       const double u[3], double temperature) {
  char value[120];
  const double gamma = sqrt(1 + u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  if (!isfinite(gamma) || !isfinite(temperature))
    return 0;
  snprintf(value, sizeof value, "%.17g", density);
  add(settings, value, "setup.species.%s.density", label);
  snprintf(value, sizeof value, "[%.17g, %.17g, %.17g]", u[0] / gamma, u[1] / gamma, u[2] / gamma);
  add(settings, value, "setup.species.%s.velocity", label);
  snprintf(value, sizeof value, "%.17g", temperature);
  add(settings, value, "setup.species.%s.temperature", label);
  return 1;
}

static int add_all_species(cw_entity_settings *settings, const cw_toml_node *root,
                           const cw_toml_node *setup) {
  const cw_toml_node *list = cw_toml_find(root, "particles.species");
  const int count = list ? (int)cw_toml_count(list) : 0;
  double numbers[LISTS][CW_DECK_MAX_SPECIES], mass;
  char label[CW_DECK_NAME];
  if (count < 2 || count > CW_DECK_MAX_SPECIES || count % 2 ||
      cw_toml_node_type(list) != CW_TOML_ARRAY)
    return 0;
  for (int k = 0; k < LISTS; k++)
    if (!get_list(setup, names[k], k == DENSITIES ? count / 2 : count,
                  k == DENSITIES ? 2.0 / count : 0, numbers[k]))
      return 0;
  for (int s = 0; s < count; s++) {
    const cw_toml_node *species = cw_toml_item(list, (size_t)s);
    if (cw_toml_node_type(species) != CW_TOML_TABLE || !get_species(species, s, label, &mass))
      return 0;
    const double u[3] = {numbers[0][s], numbers[1][s], numbers[2][s]};
    if (!add_species(settings, label, numbers[DENSITIES][s / 2], u,
                     numbers[TEMPERATURES][s] / mass))
      return 0;
  }
  return 1;
}

/* Bmag along the direction of polar angle Btheta from x and azimuth Bphi from z, in degrees. */
static int add_field(cw_entity_settings *settings, const cw_toml_node *setup) {
  const double degree = acos(-1.0) / 180;
  double field[3] = {0, 0, 0};
  char value[120];
  for (int k = 0; k < 3; k++) {
    const cw_toml_node *node = cw_toml_find(setup, names[LISTS + k]);
    if (node && !get_number(node, &field[k]))
      return 0;
  }
  const double across = field[0] * sin(field[1] * degree);
  snprintf(value, sizeof value, "[%.17g, %.17g, %.17g]", field[0] * cos(field[1] * degree),
           across * sin(field[2] * degree), across * cos(field[2] * degree));
  if (field[0] != 0)
    add(settings, value, "setup.B");
  return 1;
}

/* 1 for a deck that has lists of theirs, and no problem. */
static int has_lists(const cw_toml_node *setup, const cw_deck_override *given, int count) {
  for (int k = 0; k < count; k++)
    if (strcmp(given[k].key, "setup.problem") == 0)
      return 0;
  if (!setup || cw_toml_node_type(setup) != CW_TOML_TABLE || cw_toml_find(setup, "problem"))
    return 0;
  for (int k = 0; k < LISTS; k++)
    if (cw_toml_find(setup, names[k]))
      return 1;
  return 0;
}

cw_status cw_deck_entity_settings(cw_context *context, const cw_toml_node *root,
                                  const cw_deck_override *given, int count,
                                  cw_entity_settings *settings, cw_deck_override **all) {
  const cw_toml_node *setup = cw_toml_find(root, "setup");
  settings->count = 0;
  settings->used = 0;
  if (has_lists(setup, given, count)) {
    add(settings, "\"expressions\"", "setup.problem");
    if (!add_all_species(settings, root, setup) || !add_field(settings, setup))
      settings->count = 0; /* each key is named as one that is not here */
  }
  CW_TRY(CW_NEW(context, (size_t)(settings->count + count), "overrides", all));
  memcpy(*all, settings->items, (size_t)settings->count * sizeof **all);
  if (count)
    memcpy(*all + settings->count, given, (size_t)count * sizeof **all);
  return CW_OK;
}
