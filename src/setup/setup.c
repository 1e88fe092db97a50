#include "setup/setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context_private.h"
#include "setup/antenna.h"
#include "setup/external.h"
#include "setup/injectors.h"
#include "setup/newborn.h"
#include "setup/selection.h"

const cw_problem *cw_problem_find(const char *name) {
  for (const cw_problem *problem = cw_problems; problem->name; problem++)
    if (strcmp(problem->name, name) == 0)
      return problem;
  return NULL;
}

const cw_problem_key cw_setup_common_keys[] = {
    {"external_E", "expression[3]", "[0, 0, 0]", "B0",
     "electric field that acts on particles beside the simulated one; may depend on t"},
    {"external_B", "expression[3]", "[0, 0, 0]", "B0", "magnetic field of that kind"},
    {"match_E", "expression[3]", "none", "B0",
     "electric field that sides of kind MATCH take theirs to; may depend on t; the initial field "
     "where nothing is written"},
    {"match_B", "expression[3]", "none", "B0", "magnetic field of that kind"},
    {"species.LABEL.force", "expression[3]", "[0, 0, 0]", "c^2/L",
     "a force on each particle of the species beside those of the fields, over its mass; may "
     "depend on t"},
    {"species.LABEL.payloadN", "expression", "0", "",
     "what payload N of each particle of that species is when it comes into being; may depend on "
     "t: the time of its injection"},
    {"species.LABEL.tracked", "expression", "1", "",
     "with tracking: where it is not 0, particles that come into being are tracked"},
    {"constants.NAME", "expression", "none", "",
     "a number that all expressions know by this name: NAME = VALUE in [setup.constants]"},
    {"antenna.amplitude", "float", NULL, "B0",
     "[setup.antenna], a current of random long waves that drives the plasma (oscillating Langevin "
     "antenna): rms magnetic field that the current would hold if it stood still"},
    {"antenna.frequency", "float", NULL, "c/L", "of its waves (angular)"},
    {"antenna.damping", "float", NULL, "c/L", "rate at which a wave forgets its phase"},
    {"antenna.mode_min", "float", "1.0", "", "shortest wave vector, in waves a box length"},
    {"antenna.mode_max", "float", "1.0", "", "longest one"},
    {"antenna.direction", "float[3]", "[0, 0, 1]", "",
     "direction of the vector potential; the driven B is across it"},
    {"injectors.NAME.kind", "string", NULL, "",
     "a source of particles, [setup.injectors.NAME]: \"moving\" (a plane that leaves plasma behind "
     "it), \"reservoir\" (what comes in through a side from a plasma beyond it) or \"replenish\" "
     "(keeps the density of a region)"},
    {"injectors.NAME.species", "string[]", NULL, "",
     "labels of the species that it makes, up to 3, whose charges sum to 0; of \"moving\" and "
     "\"replenish\" one of each at the same place"},
    {"injectors.NAME.density", "expression", "1", "n0",
     "density of each of these species; may depend on t"},
    {"injectors.NAME.velocity", "expression[3]", "[0, 0, 0]", "c", "their mean velocity"},
    {"injectors.NAME.temperature", "expression", "0", "m c^2",
     "kT in the frame of the velocity, in units of each species' own m c^2"},
    {"injectors.NAME.side", "string", "none", "",
     "\"x-\", \"x+\", \"y-\", ...: of \"reservoir\" the side that it stands behind, of \"moving\" "
     "the side of the plasma that the plane is on"},
    {"injectors.NAME.position", "float", "none", "L",
     "of \"moving\": where the plane starts; its side of the box where nothing is written"},
    {"injectors.NAME.speed", "float", "0.0", "c",
     "of \"moving\": speed of the plane out of the plasma; negative: into it"},
    {"injectors.NAME.lower", "float[D]", "none", "L",
     "of \"replenish\": lower corner of the region; the box's where nothing is written"},
    {"injectors.NAME.upper", "float[D]", "none", "L", "its upper corner"},
    {"injectors.NAME.interval", "int", "1", "steps", "of \"replenish\": steps between refills"},
    {"injectors.NAME.start", "float", "0.0", "L/c", "when it starts"},
    {"injectors.NAME.end", "float", "none", "L/c", "when it ends; never where nothing is written"},
    {.name = NULL},
};

static const cw_problem_key *find_in(const cw_problem_key *keys, const char *name) {
  for (const cw_problem_key *key = keys; key->name; key++)
    if (strcmp(key->name, name) == 0)
      return key;
  return NULL;
}

static const cw_problem_key *find_key(const cw_problem *problem, const char *name) {
  const cw_problem_key *key = find_in(problem->keys, name);
  return key ? key : find_in(cw_setup_common_keys, name);
}

enum { PATH = 3 * CW_DECK_NAME };

/* A parameter's name as the tables of keys have it. */
static void general_name(const cw_deck_parameter *parameter, char name[PATH]) {
  if (strcmp(parameter->table, "constants") == 0)
    snprintf(name, PATH, "constants.NAME");
  else if (cw_newborn_payload(parameter) >= 0)
    snprintf(name, PATH, "species.LABEL.payloadN");
  else if (*parameter->entry)
    snprintf(name, PATH, "%s.%s.%s", parameter->table,
             strcmp(parameter->table, "species") == 0 ? "LABEL" : "NAME", parameter->name);
  else
    cw_deck_parameter_path(parameter, name);
}

/* The default of a key of the deck's problem as TOML text; "" if there is none. */
static const char *default_of(const cw_deck *deck, const char *name) {
  const cw_problem *problem = cw_problem_find(deck->setup.problem);
  const cw_problem_key *key = problem ? find_key(problem, name) : NULL;
  return key && key->default_value ? key->default_value : "";
}

int cw_setup_given(const cw_deck *deck, const char *name) {
  char general[PATH];
  for (int k = 0; k < deck->setup.parameter_count; k++) {
    general_name(&deck->setup.parameters[k], general);
    if (strcmp(general, name) == 0)
      return 1;
  }
  return 0;
}

double cw_setup_number(const cw_deck *deck, const char *name) {
  const cw_deck_parameter *parameter = cw_deck_setup_parameter(deck, name);
  if (parameter)
    return parameter->number[0];
  const char *text = default_of(deck, name);
  return strcmp(text, "true") == 0 ? 1 : strtod(text, NULL);
}

void cw_setup_vector(const cw_deck *deck, const char *name, double value[3]) {
  const cw_deck_parameter *parameter = cw_deck_setup_parameter(deck, name);
  value[0] = value[1] = value[2] = 0;
  if (parameter)
    memcpy(value, parameter->number, 3 * sizeof *value);
  else if (sscanf(default_of(deck, name), "[%lf , %lf , %lf ]", &value[0], &value[1], &value[2]) !=
           3)
    value[0] = value[1] = value[2] = 0;
}

void cw_setup_text(const cw_deck *deck, const char *name, char value[256]) {
  const cw_deck_parameter *parameter = cw_deck_setup_parameter(deck, name);
  const char *text = parameter ? parameter->text[0] : default_of(deck, name);
  size_t length = strlen(text);
  if (!parameter && length >= 2 && text[0] == '"')
    text++, length -= 2;
  snprintf(value, 256, "%.*s", (int)length, text);
}

static int type_fits(const cw_problem_key *key, const cw_deck_parameter *parameter, int dim) {
  if (strcmp(key->type, "float") == 0)
    return parameter->type == CW_PARAMETER_NUMBER;
  if (strcmp(key->type, "int") == 0)
    return parameter->type == CW_PARAMETER_NUMBER &&
           floor(parameter->number[0]) == parameter->number[0];
  if (strcmp(key->type, "bool") == 0)
    return parameter->type == CW_PARAMETER_BOOL;
  if (strcmp(key->type, "string") == 0)
    return parameter->type == CW_PARAMETER_TEXT;
  if (strcmp(key->type, "expression") == 0)
    return parameter->type == CW_PARAMETER_NUMBER || parameter->type == CW_PARAMETER_TEXT;
  if (strcmp(key->type, "expression[3]") == 0 && parameter->type == CW_PARAMETER_TEXTS)
    return parameter->length == 3;
  if (strcmp(key->type, "string[]") == 0)
    return parameter->type == CW_PARAMETER_TEXTS;
  if (strcmp(key->type, "float[D]") == 0)
    return parameter->type == CW_PARAMETER_VECTOR && parameter->length == dim;
  return parameter->type == CW_PARAMETER_VECTOR && parameter->length == 3;
}

static const char *nearest_key(const cw_problem *problem, const char *name) {
  const char *names[CW_DECK_MAX_PARAMETERS];
  int count = 0;
  for (const cw_problem_key *key = problem->keys; key->name && count < CW_DECK_MAX_PARAMETERS / 2;
       key++)
    names[count++] = key->name;
  for (const cw_problem_key *key = cw_setup_common_keys; key->name; key++)
    names[count++] = key->name;
  return cw_deck_nearest(name, names, count);
}

static cw_status check_parameter(cw_context *context, const cw_deck *deck,
                                 const cw_problem *problem, const cw_deck_parameter *parameter) {
  static const char *const found[] = {"a number", "a string", "a bool", "a list", "a list"};
  char name[PATH], path[PATH];
  general_name(parameter, name);
  cw_deck_parameter_path(parameter, path);
  const cw_problem_key *key = find_key(problem, name);
  if (!key) {
    const char *near = nearest_key(problem, name);
    return cw_deck_fail(context, deck, parameter->where,
                        "setup.%s is not a parameter of problem \"%s\"%s%s%s", path, problem->name,
                        near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
  }
  if (!type_fits(key, parameter, deck->grid.dim))
    return cw_deck_fail(context, deck, parameter->where, "setup.%s is %s; expected %s", path,
                        found[parameter->type], key->type);
  if (strcmp(key->type, "string") == 0 && strlen(parameter->text[0]) > 255)
    return cw_deck_fail(context, deck, parameter->where,
                        "setup.%s has %zu bytes; expected at most 255", path,
                        strlen(parameter->text[0]));
  int values = parameter->type == CW_PARAMETER_VECTOR ? parameter->length : 0;
  if (parameter->type == CW_PARAMETER_NUMBER)
    values = 1;
  for (int k = 0; k < values && k < 3; k++)
    if (!isfinite(parameter->number[k]))
      return cw_deck_fail(context, deck, parameter->where, "setup.%s is not finite", path);
  return CW_OK;
}

/* Every table of [setup.species] must be one of the deck's species. */
static cw_status check_labels(cw_context *context, const cw_deck *deck) {
  const char *labels[CW_DECK_MAX_SPECIES];
  const int count = deck->particles.species_count;
  for (int s = 0; s < count; s++)
    labels[s] = deck->particles.species[s].label;
  for (int k = 0; k < deck->setup.parameter_count; k++) {
    const cw_deck_parameter *parameter = &deck->setup.parameters[k];
    int known = strcmp(parameter->table, "species") != 0;
    for (int s = 0; s < count; s++)
      known |= strcmp(labels[s], parameter->entry) == 0;
    const char *near = known ? NULL : cw_deck_nearest(parameter->entry, labels, count);
    if (!known)
      return cw_deck_fail(
          context, deck, parameter->where, "setup.species.%s: found no species of that label%s%s%s",
          parameter->entry, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  }
  return CW_OK;
}

static cw_status fail_unknown_problem(cw_context *context, const cw_deck *deck) {
  const char *names[CW_DECK_MAX_PARAMETERS];
  char list[512] = "";
  int count = 0;
  for (const cw_problem *problem = cw_problems; problem->name; problem++) {
    size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", problem->name);
    if (count < CW_DECK_MAX_PARAMETERS)
      names[count++] = problem->name;
  }
  const char *near = cw_deck_nearest(deck->setup.problem, names, count);
  return cw_deck_fail(context, deck, deck->setup.where,
                      "setup.problem is \"%s\"; expected one of %s%s%s%s", deck->setup.problem,
                      list, near ? " (did you mean \"" : "", near ? near : "", near ? "\"?)" : "");
}

/* `stored`: NULL, or what stands for the problem's own file. */
static cw_status check(cw_context *context, cw_deck *deck, const cw_deck *stored,
                       const char *path) {
  const cw_problem *problem = cw_problem_find(deck->setup.problem);
  if (!problem)
    return fail_unknown_problem(context, deck);
  for (int k = 0; k < deck->setup.parameter_count; k++)
    CW_TRY(check_parameter(context, deck, problem, &deck->setup.parameters[k]));
  for (const cw_problem_key *key = problem->keys; key->name; key++)
    if (!key->default_value && !strchr(key->name, '.') && !cw_setup_given(deck, key->name))
      return cw_deck_fail(context, deck, deck->setup.where,
                          "setup.%s is missing: problem \"%s\" needs it (%s, %s)", key->name,
                          problem->name, key->type, key->text);
  if (problem->resolve)
    CW_TRY(stored ? cw_deck_take(context, deck, stored, path) : problem->resolve(context, deck));
  CW_TRY(check_labels(context, deck));
  CW_TRY(problem->check(context, deck));
  CW_TRY(cw_newborn_check(context, deck));
  CW_TRY(cw_external_check(context, deck));
  CW_TRY(cw_selection_check(context, deck));
  CW_TRY(cw_injectors_check(context, deck));
  if (deck->grid.window_axis != CW_WINDOW_NONE && strcmp(problem->name, "expressions") != 0 &&
      strcmp(problem->name, "thermal") != 0)
    return cw_deck_fail(context, deck, deck->setup.where,
                        "setup.problem: found \"%s\" with a moving window, which has to know the "
                        "plasma beyond the box; expected \"expressions\" or \"thermal\"",
                        problem->name);
  cw_antenna antenna;
  return cw_antenna_read(context, deck, &antenna);
}

cw_status cw_setup_check(cw_context *context, cw_deck *deck) {
  return check(context, deck, NULL, NULL);
}

cw_status cw_setup_check_resumed(cw_context *context, cw_deck *deck, const cw_deck *stored,
                                 const char *path) {
  if (deck->fixed_point_chosen) /* as the run began, on whatever backend */
    deck->algorithms.deposit.fixed_point = stored->algorithms.deposit.fixed_point;
  return check(context, deck, stored, path);
}

/* Payloads and marks of the particles that there are at the start. */
static cw_status name_newborn(const cw_setup_target *target) {
  cw_newborn *newborn = NULL;
  cw_status status = cw_newborn_create(target->context, target->deck, 0, &newborn);
  for (int s = 0; s < target->species_count && newborn && status == CW_OK; s++) {
    const cw_particles_view view = cw_particles_get_view(target->particles[s]);
    status = cw_newborn_set(newborn, target->grid, s, &view, 0, view.count, 0);
  }
  cw_newborn_destroy(newborn);
  return status;
}

cw_status cw_setup_fill(const cw_setup_target *target) {
  const cw_problem *problem = cw_problem_find(target->deck->setup.problem);
  if (!problem)
    return fail_unknown_problem(target->context, target->deck);
  if (target->species_count != target->deck->particles.species_count)
    return cw_fail(target->context, CW_ERROR_ARGUMENT,
                   "setup: %d containers for the deck's %d species", target->species_count,
                   target->deck->particles.species_count);
  for (int s = 0; s < target->species_count && target->particles; s++)
    if (cw_particles_count(target->particles[s]) != 0)
      return cw_fail(target->context, CW_ERROR_ARGUMENT,
                     "setup: the container of species %d is not empty", s + 1);
  CW_TRY(problem->fill(target));
  return target->particles ? name_newborn(target) : CW_OK;
}

void cw_setup_scales(const cw_deck *deck, int species, cw_species_scales *scales) {
  const cw_problem *problem = cw_problem_find(deck->setup.problem);
  *scales = (cw_species_scales){0};
  if (problem && problem->scales)
    problem->scales(deck, species, scales);
  scales->B += cw_external_largest_B(deck);
}

cw_status cw_setup_grid(cw_context *context, const cw_deck *deck, cw_grid *grid) {
  double origin[3] = {0, 0, 0};
  for (int a = 0; a < deck->grid.dim; a++)
    origin[a] = deck->grid.extent[a][0];
  /* The deposit's window is one node wider than a shape. For even orders that node stands where the
   * shape itself gets only by moves of more than half a cell: ask for these at any CFL. */
  int32_t ghost = cw_grid_ghost_cells(deck->algorithms.deposit.shape_order, 1.0);
  return cw_grid_init(context, grid, deck->grid.dim, deck->grid.resolution, ghost, origin,
                      deck->grid.dx);
}
