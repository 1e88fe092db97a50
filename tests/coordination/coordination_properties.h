/* What any sum over pairs obeys, checked on systems that a seed makes: box, function, groups and
 * positions are all random. The same checks run on the host and on a device. */
#ifndef CW_TESTS_COORDINATION_PROPERTIES_H
#define CW_TESTS_COORDINATION_PROPERTIES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cellwise/coordination.h>

enum { PROPERTY_ATOMS = 240, PROPERTY_FUNCTIONS = 9, PROPERTY_BOXES = 5, PROPERTY_TEXT = 200 };

typedef struct property_system {
  uint64_t seed;
  cw_box box;
  double positions[3 * PROPERTY_ATOMS];
  uint32_t a[PROPERTY_ATOMS], b[PROPERTY_ATOMS];
  cw_coordination_options options;
  cw_context *context;
  cw_coordination *plan;
  char failure[PROPERTY_TEXT]; /* empty: all is well */
} property_system;

typedef struct property_sums {
  double value, box[3][3], derivatives[3 * PROPERTY_ATOMS];
  int64_t pairs;
} property_sums;

static inline double property_uniform(property_system *s, double low,
                                      double high) { /* splitmix64 */
  uint64_t z = (s->seed += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return low + (high - low) * (double)((z ^ (z >> 31)) >> 11) * (1.0 / 9007199254740992.0);
}

static inline int property_choice(property_system *s, int count) {
  return (int)property_uniform(s, 0, count);
}

/* None, orthorhombic, triclinic, left-handed, or thinner than two ranges. */
static inline void property_make_box(property_system *s) {
  const int kind = property_choice(s, PROPERTY_BOXES);
  memset(&s->box, 0, sizeof s->box);
  for (int a = 0; a < 3 && kind > 0; a++)
    for (int c = 0; c < 3; c++)
      s->box.vectors[a][c] = a == c
                                 ? property_uniform(s, kind == 4 ? 0.9 : 2, kind == 4 ? 1.3 : 2.8)
                                 : (kind > 1 ? property_uniform(s, -0.3, 0.3) : 0);
  if (kind == 3)
    for (int c = 0; c < 3; c++)
      s->box.vectors[2][c] = -s->box.vectors[2][c];
}

static inline void property_make_function(property_system *s) {
  static const char *const functions[] = {"1/(1+x2^3)", "exp(-x)*cos(x/3)", "1/(1+x^5)"};
  cw_switching_options *f = &s->options.switching;
  f->type = (cw_switching_type)property_choice(s, PROPERTY_FUNCTIONS);
  f->r_0 = property_uniform(s, 0.15, 0.3);
  f->d_max = property_uniform(s, 0.5, 0.65);
  f->d_0 = property_choice(s, 2) ? property_uniform(s, 0, 0.1) : 0;
  f->no_stretch = property_choice(s, 4) == 0;
  f->nn = 2 + property_choice(s, 9);
  f->mm = property_choice(s, 2) ? f->nn + 1 + property_choice(s, 8) : 0;
  f->a = 3 + property_choice(s, 6), f->b = 3 + property_choice(s, 6);
  f->beta = 20, f->lambda = 1.5, f->ref = 0.2;
  f->function = functions[property_choice(s, 3)];
}

static inline void property_make_groups(property_system *s) {
  cw_coordination_options *o = &s->options;
  const int named = property_choice(s, 3) > 0;
  o->atoms = PROPERTY_ATOMS;
  o->precision = CW_DOUBLE;
  o->pairs = (cw_coordination_pairs)property_choice(s, 3);
  if (o->pairs == CW_PAIRS_SELF && !named)
    return;
  for (int k = 0; k < PROPERTY_ATOMS; k++) {
    s->a[k] = (uint32_t)property_choice(s, PROPERTY_ATOMS);
    s->b[k] = (uint32_t)property_choice(s, PROPERTY_ATOMS);
  }
  o->a = s->a, o->b = s->b;
  o->count_a = o->count_b = 100 + property_choice(s, PROPERTY_ATOMS - 100);
}

static inline void property_make_positions(property_system *s) {
  const int none = s->box.vectors[0][0] == 0;
  for (int k = 0; k < PROPERTY_ATOMS; k++) {
    double at[3];
    for (int c = 0; c < 3; c++)
      at[c] = property_uniform(s, -1, 2);
    for (int c = 0; c < 3; c++)
      s->positions[3 * k + c] = none ? at[c]
                                     : at[0] * s->box.vectors[0][c] + at[1] * s->box.vectors[1][c] +
                                           at[2] * s->box.vectors[2][c];
  }
}

static inline int property_ok(property_system *s, cw_status status) {
  if (status != CW_OK && !s->failure[0])
    snprintf(s->failure, PROPERTY_TEXT, "%s", cw_context_message(s->context));
  return status == CW_OK;
}

static inline property_sums property_compute(property_system *s, double *positions,
                                             const cw_box *box) {
  property_sums sums = {0};
  for (int k = 0; k < 3 * PROPERTY_ATOMS; k++)
    sums.derivatives[k] = NAN;
  double *d = sums.derivatives;
  cw_coordination_result result = {.value = NAN,
                                   .derivatives = {CW_DOUBLE, CW_SPACE_HOST, {d, d + 1, d + 2}, 3}};
  const cw_coordinates_view view = {
      CW_DOUBLE, CW_SPACE_HOST, {positions, positions + 1, positions + 2}, 3};
  (void)property_ok(s, cw_coordination_compute(s->plan, view, box, 0, &result));
  sums.value = result.value;
  sums.pairs = result.pairs_in_range;
  memcpy(sums.box, result.box_derivatives, sizeof sums.box);
  return sums;
}

/* Two-sided; false for NaN. */
static inline void property_near(property_system *s, const char *claim, double found, double right,
                                 double tolerance) {
  if (!(fabs(found - right) <= tolerance) && !s->failure[0])
    snprintf(s->failure, PROPERTY_TEXT, "%s: %.12g, not %.12g (tolerance %g)", claim, found, right,
             tolerance);
}

/* Central differences of step h err by h^2 s'''/6, at most some 1e-10 1e5 a pair, and by round-off
 * over h, 1e-13 value / 1e-5. Where a pair crosses the end of the range in between, the function
 * has a kink or a jump and no difference means anything: those steps are left out. Returns how many
 * counted. */
static inline int property_derivatives(property_system *s, const property_sums *at) {
  const double h = 1e-5;
  double moved[3 * PROPERTY_ATOMS];
  int counted = 0;
  for (int k = property_choice(s, 30); k < 3 * PROPERTY_ATOMS; k += 61) {
    memcpy(moved, s->positions, sizeof moved);
    moved[k] = s->positions[k] + h;
    const property_sums up = property_compute(s, moved, &s->box);
    moved[k] = s->positions[k] - h;
    const property_sums down = property_compute(s, moved, &s->box);
    if (up.pairs != at->pairs || down.pairs != at->pairs)
      continue;
    counted++;
    property_near(s, "finite difference", at->derivatives[k], (up.value - down.value) / (2 * h),
                  1e-4 + 1e-8 * at->value);
  }
  return counted;
}

/* r -> r + e r, h -> h + e h along (a, b): the value changes by -B_ab e. Here an atom moves by e r,
 * and all of them at once; pairs that cross the end are found by their number. */
static inline int property_strain(property_system *s, const property_sums *at) {
  const double e = 1e-7;
  double moved[3 * PROPERTY_ATOMS];
  int counted = 0;
  for (int q = 0; q < 9; q++) {
    property_sums side[2];
    for (int k = 0; k < 2; k++) {
      const double strain = k ? e : -e;
      cw_box box = s->box;
      for (int a = 0; a < 3; a++)
        box.vectors[a][q / 3] += strain * s->box.vectors[a][q % 3];
      memcpy(moved, s->positions, sizeof moved);
      for (int k3 = 0; k3 < PROPERTY_ATOMS; k3++)
        moved[3 * k3 + q / 3] += strain * s->positions[3 * k3 + q % 3];
      side[k] = property_compute(s, moved, &box);
    }
    if (side[0].pairs != at->pairs || side[1].pairs != at->pairs)
      continue;
    counted++;
    property_near(s, "strain", at->box[q / 3][q % 3], (side[0].value - side[1].value) / (2 * e),
                  1e-4 + 1e-6 * at->value);
  }
  return counted;
}

/* Turned, shifted and numbered backwards: the same value, and the same derivatives turned. */
static inline void property_motion(property_system *s, const property_sums *at) {
  static const double turn[3][3] = {{0.36, 0.48, -0.8}, {-0.8, 0.6, 0}, {0.48, 0.64, 0.6}};
  double moved[3 * PROPERTY_ATOMS];
  cw_box box = {{{0}}};
  for (int k = 0; k < PROPERTY_ATOMS; k++)
    for (int c = 0; c < 3; c++)
      moved[3 * k + c] = turn[c][0] * s->positions[3 * k] + turn[c][1] * s->positions[3 * k + 1] +
                         turn[c][2] * s->positions[3 * k + 2] + 0.3 * c - 1;
  for (int q = 0; q < 27; q++)
    box.vectors[q / 9][q / 3 % 3] += turn[q / 3 % 3][q % 3] * s->box.vectors[q / 9][q % 3];
  const property_sums turned = property_compute(s, moved, &box);
  property_near(s, "turned value", turned.value, at->value, 1e-11 * (1 + at->value));
  for (int k = 0; k < PROPERTY_ATOMS; k++)
    for (int c = 0; c < 3; c++) {
      const double *d = at->derivatives + 3 * k;
      property_near(s, "turned derivative", turned.derivatives[3 * k + c],
                    turn[c][0] * d[0] + turn[c][1] * d[1] + turn[c][2] * d[2],
                    1e-9 * (1 + at->value));
    }
}

static inline void property_open(property_system *s) {
  s->plan = NULL;
  (void)property_ok(s, cw_coordination_create(s->context, &s->options, &s->plan));
}

static inline void property_numbering(property_system *s, const property_sums *at) {
  cw_coordination_options *o = &s->options;
  double moved[3 * PROPERTY_ATOMS];
  cw_coordination_destroy(s->plan);
  for (int k = 0; k < PROPERTY_ATOMS; k++) {
    memcpy(moved + 3 * k, s->positions + 3 * (PROPERTY_ATOMS - 1 - k), 3 * sizeof *moved);
    s->a[k] = PROPERTY_ATOMS - 1 - s->a[k];
    s->b[k] = PROPERTY_ATOMS - 1 - s->b[k];
  }
  for (int k = 0; k < (o->pairs == CW_PAIRS_ZIP ? 0 : (int)o->count_a / 2); k++) {
    const uint32_t kept = s->a[k]; /* entries, too */
    s->a[k] = s->a[o->count_a - 1 - k];
    s->a[o->count_a - 1 - k] = kept;
  }
  property_open(s);
  if (!s->plan)
    return;
  const property_sums other = property_compute(s, moved, &s->box);
  property_near(s, "value of atoms numbered backwards", other.value, at->value,
                1e-11 * (1 + at->value));
  for (int k = 0; k < 3 * PROPERTY_ATOMS; k++)
    property_near(s, "derivative of atoms numbered backwards", other.derivatives[k],
                  at->derivatives[3 * (PROPERTY_ATOMS - 1 - k / 3) + k % 3],
                  1e-9 * (1 + at->value));
}

/* The system of one seed, with its plan. */
static inline void property_make(cw_context *context, uint64_t seed, cw_coordination_form form,
                                 property_system *s) {
  memset(s, 0, sizeof *s);
  s->seed = seed * 0x9E3779B9u + 1;
  s->context = context;
  s->options.form = form;
  property_make_box(s);
  property_make_function(s);
  property_make_groups(s);
  property_make_positions(s);
  property_open(s);
}

/* All properties of the system of one seed. Returns the steps that counted; s->failure says what
 * went wrong. */
static inline int property_check(cw_context *context, uint64_t seed, cw_coordination_form form,
                                 property_system *s) {
  property_make(context, seed, form, s);
  if (!s->plan)
    return 0;
  const property_sums at = property_compute(s, s->positions, &s->box);
  double net[3] = {0};
  for (int k = 0; k < 3 * PROPERTY_ATOMS; k++)
    net[k % 3] += at.derivatives[k];
  for (int c = 0; c < 3; c++)
    property_near(s, "sum of derivatives", net[c], 0, 1e-10 * (1 + at.value));
  const int counted = property_derivatives(s, &at) + property_strain(s, &at);
  property_motion(s, &at);
  property_numbering(s, &at);
  cw_coordination_destroy(s->plan);
  s->plan = NULL;
  return counted;
}

#endif
