#include "setup/injectors.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context_private.h"
#include "setup/formula.h"

static const char table[] = "injectors";
static const char *const kinds[] = {"moving", "reservoir", "replenish"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const cw_deck_parameter *entry(const cw_deck *deck, const cw_injector *injector,
                                      const char *key) {
  return cw_deck_setup_entry(deck, table, injector->name, key);
}

cw_deck_where cw_injector_where(const cw_deck *deck, const cw_injector *injector, const char *key) {
  const cw_deck_parameter *parameter = entry(deck, injector, key);
  if (parameter)
    return parameter->where;
  for (int k = 0; k < deck->setup.parameter_count; k++)
    if (strcmp(deck->setup.parameters[k].table, table) == 0 &&
        strcmp(deck->setup.parameters[k].entry, injector->name) == 0)
      return deck->setup.parameters[k].where;
  return deck->setup.where;
}

#define FAIL(injectors, injector, key, ...)                                                        \
  cw_deck_fail((injectors)->context, (injectors)->deck,                                            \
               cw_injector_where((injectors)->deck, injector, key), __VA_ARGS__)

static cw_status missing(const cw_injectors *injectors, const cw_injector *injector,
                         const char *key, const char *what) {
  return FAIL(injectors, injector, key, "found no %s in [setup.injectors.%s]; expected %s", key,
              injector->name, what);
}

static double number(const cw_deck *deck, const cw_injector *injector, const char *key,
                     double otherwise) {
  const cw_deck_parameter *parameter = entry(deck, injector, key);
  return parameter ? parameter->number[0] : otherwise;
}

static cw_status read_kind(const cw_injectors *injectors, cw_injector *made) {
  const cw_deck_parameter *kind = entry(injectors->deck, made, "kind");
  if (!kind)
    return missing(injectors, made, "kind", "\"moving\", \"reservoir\" or \"replenish\"");
  for (int k = 0; k < KINDS; k++)
    if (strcmp(kind->text[0], kinds[k]) == 0) {
      made->kind = (cw_injector_kind)k;
      return CW_OK;
    }
  const char *near = cw_deck_nearest(kind->text[0], kinds, KINDS);
  return cw_deck_fail(injectors->context, injectors->deck, kind->item[0],
                      "setup.injectors.%s.kind: found \"%.60s\"; expected \"moving\", "
                      "\"reservoir\" or \"replenish\"%s%s%s",
                      made->name, kind->text[0], near ? " (did you mean \"" : "", near ? near : "",
                      near ? "\"?)" : "");
}

/* A key that the kind has no use for. */
static cw_status refuse_idle(const cw_injectors *injectors, const cw_injector *made) {
  static const struct {
    const char *key;
    unsigned kinds; /* bits */
  } used[] = {{"side", 3},  {"position", 1}, {"speed", 1},
              {"lower", 4}, {"upper", 4},    {"interval", 4}};
  for (size_t k = 0; k < sizeof used / sizeof *used; k++)
    if (entry(injectors->deck, made, used[k].key) && !(used[k].kinds >> made->kind & 1))
      return FAIL(injectors, made, used[k].key,
                  "setup.injectors.%s.%s: found a key without effect for kind \"%s\"; expected "
                  "none",
                  made->name, used[k].key, kinds[made->kind]);
  return CW_OK;
}

static cw_status read_species(const cw_injectors *injectors, cw_injector *made) {
  const cw_deck *deck = injectors->deck;
  const cw_deck_parameter *list = entry(deck, made, "species");
  const char *labels[CW_DECK_MAX_SPECIES], *near;
  const int count = deck->particles.species_count;
  double charge = 0;
  if (!list)
    return missing(injectors, made, "species", "a list of labels");
  for (int s = 0; s < count; s++)
    labels[s] = deck->particles.species[s].label;
  for (int k = 0; k < list->length; k++) {
    int s = 0;
    while (s < count && strcmp(labels[s], list->text[k]) != 0)
      s++;
    near = s < count ? NULL : cw_deck_nearest(list->text[k], labels, count);
    if (s == count)
      return cw_deck_fail(injectors->context, deck, list->item[k],
                          "setup.injectors.%s.species: found '%.60s', which is no species' "
                          "label%s%s%s",
                          made->name, list->text[k], near ? "; did you mean '" : "",
                          near ? near : "", near ? "'?" : "");
    for (int before = 0; before < k; before++)
      if (made->species[before] == s)
        return cw_deck_fail(injectors->context, deck, list->item[k],
                            "setup.injectors.%s.species: found '%s' a second time; expected each "
                            "species once",
                            made->name, labels[s]);
    if (!(deck->particles.species[s].mass > 0))
      return cw_deck_fail(injectors->context, deck, list->item[k],
                          "setup.injectors.%s.species: found '%s' of mass %g; expected a positive "
                          "mass",
                          made->name, labels[s], deck->particles.species[s].mass);
    charge += deck->particles.species[s].charge;
    made->species[made->species_count++] = s;
  }
  if (fabs(charge) > 1e-12)
    return cw_deck_fail(injectors->context, deck, list->item[0],
                        "setup.injectors.%s.species: found charges that sum to %g; expected 0, or "
                        "each injection breaks Gauss's law",
                        made->name, charge);
  return CW_OK;
}

static cw_status read_side(const cw_injectors *injectors, cw_injector *made) {
  const cw_deck *deck = injectors->deck;
  const cw_deck_parameter *side = entry(deck, made, "side");
  if (made->kind == CW_INJECTOR_REPLENISH)
    return CW_OK;
  if (!side)
    return missing(injectors, made, "side", "a side of the box such as \"x+\"");
  const char *text = side->text[0];
  made->axis = text[0] - 'x';
  made->upper = text[0] && text[1] == '+';
  if (made->axis < 0 || made->axis >= deck->grid.dim || (text[1] != '-' && text[1] != '+') ||
      text[2])
    return cw_deck_fail(injectors->context, deck, side->item[0],
                        "setup.injectors.%s.side: found \"%.60s\"; expected x, y or z, as far as "
                        "the grid has axes, with - or +",
                        made->name, text);
  const cw_particle_boundary found = deck->grid.particles[made->axis][made->upper];
  if (made->kind == CW_INJECTOR_RESERVOIR ? found != CW_PARTICLE_ABSORB
                                          : found == CW_PARTICLE_PERIODIC)
    return cw_deck_fail(injectors->context, deck, side->item[0],
                        "setup.injectors.%s.side: found \"%s\", which is %s for particles; "
                        "expected %s side in grid.boundaries.particles",
                        made->name, text, found == CW_PARTICLE_PERIODIC ? "PERIODIC" : "REFLECT",
                        made->kind == CW_INJECTOR_RESERVOIR ? "an ABSORB" : "an ABSORB or REFLECT");
  if (made->kind == CW_INJECTOR_RESERVOIR && (int)deck->grid.window_axis == made->axis + 1)
    return cw_deck_fail(injectors->context, deck, side->item[0],
                        "setup.injectors.%s.side: found \"%s\", a side that moves with "
                        "grid.window; expected one that stands",
                        made->name, text);
  return CW_OK;
}

static cw_status read_plane(const cw_injectors *injectors, cw_injector *made) {
  const double *edge = injectors->deck->grid.extent[made->axis];
  if (made->kind != CW_INJECTOR_MOVING)
    return CW_OK;
  made->speed = number(injectors->deck, made, "speed", 0);
  made->position = number(injectors->deck, made, "position", edge[made->upper]);
  if (!(fabs(made->speed) <= 1))
    return FAIL(injectors, made, "speed",
                "setup.injectors.%s.speed: found %g; expected at most c = 1", made->name,
                made->speed);
  if (!(made->position >= edge[0] && made->position <= edge[1]))
    return FAIL(injectors, made, "position",
                "setup.injectors.%s.position: found %g; expected a place in the box, %g to %g",
                made->name, made->position, edge[0], edge[1]);
  return CW_OK;
}

static cw_status read_region(const cw_injectors *injectors, cw_injector *made) {
  const cw_deck *deck = injectors->deck;
  const cw_deck_parameter *lower = entry(deck, made, "lower"), *upper = entry(deck, made, "upper");
  if (made->kind != CW_INJECTOR_REPLENISH)
    return CW_OK;
  made->interval = (int64_t)number(deck, made, "interval", 1);
  if (made->interval < 1)
    return FAIL(injectors, made, "interval",
                "setup.injectors.%s.interval: found %lld; expected at least 1", made->name,
                (long long)made->interval);
  for (int a = 0; a < deck->grid.dim; a++) {
    const double *edge = deck->grid.extent[a];
    made->lower[a] = lower ? lower->number[a] : edge[0];
    made->upper_at[a] = upper ? upper->number[a] : edge[1];
    if (!(made->lower[a] >= edge[0] && made->upper_at[a] <= edge[1] &&
          made->upper_at[a] - made->lower[a] >= deck->grid.dx[a] * (1 - 1e-9)))
      return FAIL(injectors, made, upper ? "upper" : "lower",
                  "setup.injectors.%s: found a region from %g to %g along axis %d; expected one "
                  "inside the box, %g to %g, and at least a cell, %g, long",
                  made->name, made->lower[a], made->upper_at[a], a + 1, edge[0], edge[1],
                  deck->grid.dx[a]);
  }
  return CW_OK;
}

static cw_status read_time(const cw_injectors *injectors, cw_injector *made) {
  made->start = number(injectors->deck, made, "start", 0);
  made->end = number(injectors->deck, made, "end", INFINITY);
  if (!(made->start < made->end))
    return FAIL(injectors, made, "end",
                "setup.injectors.%s: found an end at %g and a start at %g; expected the end after "
                "the start",
                made->name, made->end, made->start);
  return CW_OK;
}

static cw_status compile(const cw_injectors *injectors, const cw_expression_scope *scope,
                         cw_injector *made) {
  cw_context *context = injectors->context;
  const cw_deck *deck = injectors->deck;
  const int allowed = cw_formula_axes(deck) | CW_EXPRESSION_T;
  made->density_key = entry(deck, made, "density");
  made->temperature_key = entry(deck, made, "temperature");
  made->velocity_key = entry(deck, made, "velocity");
  CW_TRY(cw_formula_scalar(context, deck, scope, made->density_key, 1, allowed, &made->density));
  CW_TRY(cw_formula_scalar(context, deck, scope, made->temperature_key, 0, allowed,
                           &made->temperature));
  return cw_formula_vector(context, deck, scope, made->velocity_key, allowed, made->velocity);
}

static cw_status make(const cw_injectors *injectors, const cw_expression_scope *scope,
                      cw_injector *made) {
  CW_TRY(read_kind(injectors, made));
  CW_TRY(refuse_idle(injectors, made));
  CW_TRY(read_species(injectors, made));
  CW_TRY(read_side(injectors, made));
  CW_TRY(read_plane(injectors, made));
  CW_TRY(read_region(injectors, made));
  CW_TRY(read_time(injectors, made));
  return compile(injectors, scope, made);
}

/* The names of [setup.injectors], in the order of the deck. */
static cw_status find(cw_injectors *injectors) {
  const cw_deck *deck = injectors->deck;
  for (int k = 0; k < deck->setup.parameter_count; k++) {
    const cw_deck_parameter *parameter = &deck->setup.parameters[k];
    int known = strcmp(parameter->table, table) != 0;
    for (int n = 0; n < injectors->count; n++)
      known |= strcmp(injectors->item[n].name, parameter->entry) == 0;
    if (known)
      continue;
    if (injectors->count == CW_MAX_INJECTORS)
      return cw_deck_fail(injectors->context, deck, parameter->where,
                          "setup.injectors.%s: found one injector too many; expected at most %d",
                          parameter->entry, (int)CW_MAX_INJECTORS);
    if (deck->simulation.engine != CW_ENGINE_SRPIC)
      return cw_deck_fail(injectors->context, deck, parameter->where,
                          "setup.injectors.%s: found an injector; expected engine = \"srpic\" with "
                          "it",
                          parameter->entry);
    snprintf(injectors->item[injectors->count++].name, CW_DECK_NAME, "%s", parameter->entry);
  }
  return CW_OK;
}

cw_status cw_injectors_create(cw_context *context, const cw_deck *deck, int threads,
                              cw_injectors **injectors) {
  cw_injectors *made = NULL;
  cw_expression_scope scope;
  cw_status status = CW_OK;
  *injectors = NULL;
  if (!cw_deck_setup_has_table(deck, table))
    return CW_OK;
  CW_TRY(CW_NEW(context, 1, "injectors", &made));
  made->context = context;
  made->deck = deck;
  CW_TRY_CLEANUP(status, cw_formula_scope(context, deck, threads, &scope));
  CW_TRY_CLEANUP(status, find(made));
  for (int k = 0; k < made->count; k++)
    CW_TRY_CLEANUP(status, make(made, &scope, &made->item[k]));
  *injectors = made;
  made = NULL;
cleanup:
  cw_injectors_destroy(made);
  return status;
}

void cw_injectors_destroy(cw_injectors *injectors) {
  if (!injectors)
    return;
  for (int k = 0; k < injectors->count; k++) {
    cw_expression_destroy(injectors->item[k].density);
    cw_expression_destroy(injectors->item[k].temperature);
    for (int a = 0; a < 3; a++)
      cw_expression_destroy(injectors->item[k].velocity[a]);
  }
  CW_DELETE(injectors->context, injectors);
}
