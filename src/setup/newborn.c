#include "setup/newborn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "base/thinning.h"
#include "setup/formula.h"
#include "setup/particle_place.h"

typedef struct species_newborn {
  cw_expression *payload[CW_MAX_PAYLOADS]; /* NULL: 0 */
  const cw_deck_parameter *payload_key[CW_MAX_PAYLOADS];
  cw_expression *tracked; /* NULL: everywhere */
  const cw_deck_parameter *tracked_key;
} species_newborn;

struct cw_newborn {
  cw_context *context;
  const cw_deck *deck;
  species_newborn species[CW_DECK_MAX_SPECIES];
};

int cw_newborn_payload(const cw_deck_parameter *parameter) {
  static const char stem[] = "payload";
  const char *digits = parameter->name + sizeof stem - 1;
  if (strcmp(parameter->table, "species") != 0 ||
      strncmp(parameter->name, stem, sizeof stem - 1) != 0 || *digits < '1' || *digits > '9' ||
      strspn(digits, "0123456789") != strlen(digits) || strlen(digits) > 4)
    return -1;
  return atoi(digits) - 1;
}

/* One parameter of [setup.species.LABEL], if it is ours. */
static cw_status take(cw_newborn *newborn, const cw_expression_scope *scope, int s,
                      const cw_deck_parameter *parameter) {
  const cw_deck *deck = newborn->deck;
  const cw_deck_species *species = &deck->particles.species[s];
  species_newborn *of = &newborn->species[s];
  const int allowed = cw_formula_axes(deck) | CW_EXPRESSION_T;
  const int k = cw_newborn_payload(parameter);
  if (k >= species->n_payloads)
    return cw_deck_fail(newborn->context, deck, parameter->where,
                        "setup.species.%s.%s: found it where the species has n_payloads = %d; "
                        "expected payloads 1 to n_payloads, which is at most %d",
                        species->label, parameter->name, species->n_payloads, CW_MAX_PAYLOADS);
  if (k >= 0) {
    of->payload_key[k] = parameter;
    return cw_formula_create(newborn->context, deck, scope, parameter, 0, allowed, &of->payload[k]);
  }
  if (strcmp(parameter->name, "tracked") != 0)
    return CW_OK;
  if (!species->tracking)
    return cw_deck_fail(newborn->context, deck, parameter->where,
                        "setup.species.%s.tracked: found it where the species is not tracked; "
                        "expected tracking = true in its [[particles.species]]",
                        species->label);
  of->tracked_key = parameter;
  return cw_formula_create(newborn->context, deck, scope, parameter, 0, allowed, &of->tracked);
}

static cw_status make(cw_newborn *newborn, int threads) {
  const cw_deck *deck = newborn->deck;
  cw_expression_scope scope;
  CW_TRY(cw_formula_scope(newborn->context, deck, threads, &scope));
  for (int k = 0; k < deck->setup.parameter_count; k++) {
    const cw_deck_parameter *parameter = &deck->setup.parameters[k];
    for (int s = 0; s < deck->particles.species_count; s++)
      if (strcmp(parameter->table, "species") == 0 &&
          strcmp(parameter->entry, deck->particles.species[s].label) == 0)
        CW_TRY(take(newborn, &scope, s, parameter));
  }
  return CW_OK;
}

static int gives_nothing(const cw_newborn *newborn) {
  for (int s = 0; s < newborn->deck->particles.species_count; s++) {
    if (newborn->deck->particles.species[s].tracking)
      return 0;
    for (int k = 0; k < CW_MAX_PAYLOADS; k++)
      if (newborn->species[s].payload[k])
        return 0;
  }
  return 1;
}

cw_status cw_newborn_create(cw_context *context, const cw_deck *deck, int threads,
                            cw_newborn **newborn) {
  cw_newborn *made = NULL;
  *newborn = NULL;
  CW_TRY(CW_NEW(context, 1, "payloads and marks", &made));
  made->context = context;
  made->deck = deck;
  const cw_status status = make(made, threads);
  if (status == CW_OK && !gives_nothing(made))
    *newborn = made;
  else
    cw_newborn_destroy(made);
  return status;
}

void cw_newborn_destroy(cw_newborn *newborn) {
  if (!newborn)
    return;
  for (int s = 0; s < CW_DECK_MAX_SPECIES; s++) {
    cw_expression_destroy(newborn->species[s].tracked);
    for (int k = 0; k < CW_MAX_PAYLOADS; k++)
      cw_expression_destroy(newborn->species[s].payload[k]);
  }
  CW_DELETE(newborn->context, newborn);
}

cw_status cw_newborn_check(cw_context *context, const cw_deck *deck) {
  cw_newborn *newborn = NULL;
  const cw_status status = cw_newborn_create(context, deck, 1, &newborn);
  cw_newborn_destroy(newborn);
  return status;
}

/* One particle; returns the number of its first payload that is not finite, or -1. */
static int set_one(const cw_newborn *newborn, int s, const cw_particles_view *view, int64_t p,
                   const double x[3], double t) {
  const species_newborn *of = &newborn->species[s];
  const cw_deck_species *species = &newborn->deck->particles.species[s];
  int bad = -1;
  for (int k = 0; k < species->n_payloads; k++) {
    if (!of->payload[k])
      continue;
    cw_real_set(view->payload[k], view->precision, p, cw_expression_at(of->payload[k], x, t));
    if (bad < 0 && !isfinite(cw_real_get(view->payload[k], view->precision, p)))
      bad = k;
  }
  if (species->tracking && view->tag[p] != CW_TAG_DEAD) {
    const int chosen = cw_thinning_keeps(view->id[p], species->tracking_stride) &&
                       (!of->tracked || cw_expression_at(of->tracked, x, t) != 0);
    view->tag[p] = chosen ? CW_TAG_TRACKED : CW_TAG_ALIVE;
  }
  return bad;
}

cw_status cw_newborn_set(const cw_newborn *newborn, const cw_grid *grid, int s,
                         const cw_particles_view *view, int64_t first, int64_t last, double t) {
  int64_t wrong = last;
#pragma omp parallel for schedule(static) reduction(min                                            \
                                                    : wrong) if (last - first > CW_BLOCK)          \
    num_threads(cw_context_threads(newborn->context))
  for (int64_t p = first; p < last; p++) {
    double x[3];
    cw_particle_place(grid, view, p, x);
    if (set_one(newborn, s, view, p, x, t) >= 0 && p < wrong)
      wrong = p;
  }
  if (wrong == last)
    return CW_OK;
  double x[3];
  cw_particle_place(grid, view, wrong, x);
  const int k = set_one(newborn, s, view, wrong, x, t);
  return cw_formula_fail(newborn->context, newborn->deck, newborn->species[s].payload_key[k], 0,
                         cw_real_get(view->payload[k], view->precision, wrong), x, t,
                         "a finite number in the run's precision");
}
