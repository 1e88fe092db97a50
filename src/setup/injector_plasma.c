/* What an injector's plasma is like: evaluated, checked, counted. */
#include <math.h>

#include "base/context_private.h"
#include "setup/formula.h"
#include "setup/injectors.h"

/* The plane must not fall behind the plasma: it would inject nothing. */
static const double least_gap = 1e-3;

cw_status cw_injector_plasma(const cw_injectors *injectors, const cw_injector *injector,
                             const double x[3], double t, cw_injected_plasma *plasma) {
  double square = 0;
  int largest = 0;
  plasma->density = cw_expression_at(injector->density, x, t);
  plasma->temperature = cw_expression_at(injector->temperature, x, t);
  for (int a = 0; a < 3; a++) {
    plasma->velocity[a] = cw_expression_at(injector->velocity[a], x, t);
    square += plasma->velocity[a] * plasma->velocity[a];
    if (a && !(fabs(plasma->velocity[a]) <= fabs(plasma->velocity[largest])))
      largest = a;
  }
  const double most = 4000 / injectors->deck->particles.ppc0;
  if (injector->density_key && !(plasma->density >= 0 && plasma->density <= most))
    return cw_formula_fail(injectors->context, injectors->deck, injector->density_key, 0,
                           plasma->density, x, t,
                           plasma->density > most ? "at most 4000 particles a cell"
                                                  : "a finite density of at least 0");
  if (injector->temperature_key && !(plasma->temperature >= 0 && isfinite(plasma->temperature)))
    return cw_formula_fail(injectors->context, injectors->deck, injector->temperature_key, 0,
                           plasma->temperature, x, t,
                           "a finite temperature kT/(m c^2) of at least 0");
  if (injector->velocity_key && !(square < 1))
    return cw_formula_fail(injectors->context, injectors->deck, injector->velocity_key, largest,
                           plasma->velocity[largest], x, t, "a velocity below c = 1");
  return CW_OK;
}

double cw_injector_plane(const cw_injector *injector, const double edge[2], double t) {
  const double moved = injector->speed * fmax(0, fmin(t, injector->end) - injector->start);
  const double at = injector->position + (injector->upper ? moved : -moved);
  return fmax(edge[0], fmin(edge[1], at));
}

static double sign_of(const cw_injector *injector) {
  return injector->upper ? 1 : -1;
}

/* When sample k is looked at: start, end of its time in the run. */
static double time_of(const cw_injectors *injectors, const cw_injector *injector, int k) {
  const double end = fmin(injector->end, injectors->deck->simulation.runtime);
  return k ? fmax(end, injector->start) : injector->start;
}

/* Corner, edge, side and centre points of where it injects: the point of 3^D with digits k. */
static void place_of(const cw_injectors *injectors, const cw_injector *injector, int k, double t,
                     double x[3]) {
  const cw_deck *deck = injectors->deck;
  x[0] = x[1] = x[2] = 0;
  for (int a = 0; a < deck->grid.dim; a++, k /= 3) {
    const double *edge = deck->grid.extent[a];
    if (injector->kind == CW_INJECTOR_REPLENISH)
      x[a] = injector->lower[a] + 0.5 * (k % 3) * (injector->upper_at[a] - injector->lower[a]);
    else if (a != injector->axis)
      x[a] = edge[0] + 0.5 * (k % 3) * (edge[1] - edge[0]);
    else
      x[a] = injector->kind == CW_INJECTOR_MOVING ? cw_injector_plane(injector, edge, t)
                                                  : edge[injector->upper];
  }
}

static cw_status check_one(const cw_injectors *injectors, const cw_injector *injector) {
  enum { POINTS = 27 };
  for (int k = 0; k < 2 * POINTS; k++) {
    const double t = time_of(injectors, injector, k / POINTS);
    cw_injected_plasma plasma;
    double x[3];
    place_of(injectors, injector, k % POINTS, t, x);
    CW_TRY(cw_injector_plasma(injectors, injector, x, t, &plasma));
    const double outward = sign_of(injector) * plasma.velocity[injector->axis];
    if (injector->kind == CW_INJECTOR_MOVING && !(injector->speed - outward >= least_gap))
      return cw_deck_fail(injectors->context, injectors->deck,
                          cw_injector_where(injectors->deck, injector, "speed"),
                          "setup.injectors.%s: found a plane of speed %g and a plasma of %g out of "
                          "side %c%c; expected a plane that outruns the plasma, by %g at least",
                          injector->name, injector->speed, outward, "xyz"[injector->axis],
                          injector -> upper ? '+' : '-', least_gap);
  }
  return CW_OK;
}

cw_status cw_injectors_check(cw_context *context, const cw_deck *deck) {
  cw_injectors *injectors;
  cw_status status = CW_OK;
  CW_TRY(cw_injectors_create(context, deck, 1, &injectors));
  for (int k = 0; injectors && k < injectors->count && status == CW_OK; k++)
    status = check_one(injectors, &injectors->item[k]);
  cw_injectors_destroy(injectors);
  return status;
}

/* Particles of each of its species in a run. */
static double expected_of(const cw_injectors *injectors, const cw_injector *injector) {
  const cw_deck *deck = injectors->deck;
  const double t = time_of(injectors, injector, 0);
  const double span = fmax(0, time_of(injectors, injector, 1) - t);
  cw_injected_plasma plasma;
  double x[3], each = deck->particles.ppc0 / deck->grid.dx[injector->axis];
  for (int a = 0; a < deck->grid.dim; a++)
    each *= a == injector->axis ? 1 : deck->grid.resolution[a];
  place_of(injectors, injector, 13, t, x);
  if (injector->kind == CW_INJECTOR_REPLENISH) {
    each = deck->particles.ppc0;
    for (int a = 0; a < deck->grid.dim; a++)
      each *= (injector->upper_at[a] - injector->lower[a]) / deck->grid.dx[a];
    return cw_injector_plasma(injectors, injector, x, t, &plasma) == CW_OK ? each * plasma.density
                                                                           : 0;
  }
  if (cw_injector_plasma(injectors, injector, x, t, &plasma) != CW_OK)
    return 0;
  const double inward = -sign_of(injector) * plasma.velocity[injector->axis];
  if (injector->kind == CW_INJECTOR_MOVING)
    return each * plasma.density * (injector->speed + inward) * span;
  /* what a gas at rest sends through a plane is a quarter of its mean speed, c at most */
  const double thermal = fmin(0.25, 0.4 * sqrt(plasma.temperature));
  return each * plasma.density * fmax(0, fmax(inward, thermal)) * span;
}

cw_status cw_injectors_expected(cw_context *context, const cw_deck *deck,
                                double expected[CW_DECK_MAX_SPECIES]) {
  cw_injectors *injectors;
  for (int s = 0; s < CW_DECK_MAX_SPECIES; s++)
    expected[s] = 0;
  CW_TRY(cw_injectors_create(context, deck, 1, &injectors));
  for (int k = 0; injectors && k < injectors->count; k++) {
    const cw_injector *injector = &injectors->item[k];
    for (int n = 0; n < injector->species_count; n++)
      expected[injector->species[n]] += expected_of(injectors, injector);
  }
  cw_injectors_destroy(injectors);
  return CW_OK;
}
