/* Coordination numbers on the device against the plain double sum on the host: every form,
 * function, kind of box and group; properties of random systems. */
#include <stdint.h>
#include <stdlib.h>

#include <cellwise/coordination.h>

#include "base/context_private.h"
#include "base/device.h"
#include "plain_check.h"

enum { BOXES = 9, FUNCTIONS = 11, ATOMS = 260, FORMS = 3 };
static const cw_box boxes[BOXES] = {
    {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}},                     /* none */
    {{{2.3, 0, 0}, {0, 2.5, 0}, {0, 0, 2.7}}},               /* orthorhombic */
    {{{1.3, 0, 0}, {0, 1.25, 0}, {0, 0, -3.9}}},             /* barely two ranges wide */
    {{{2.4, 0.1, -0.2}, {0.7, 2.2, 0.3}, {-0.5, 0.4, 2.6}}}, /* triclinic, all entries */
    {{{2.2, 0, 0}, {6.9, 2.4, 0}, {-4.1, 5.3, 2.5}}},        /* far from reduced */
    {{{2.4, 0, 0}, {0.3, 2.5, 0}, {0.2, 0.1, -2.6}}},        /* left-handed */
    {{{2, 2, 0}, {0, 2, 2}, {2, 0, 2}}},                     /* rhombic dodecahedron */
    {{{0.55, 0, 0}, {0, 2.9, 0}, {0, 0, 3.4}}},              /* slab thinner than two ranges */
    {{{0.9, 0.1, 0}, {-0.4, 0.8, 0.1}, {0.3, -0.2, 1.1}}}};  /* thin in every direction */

static const cw_switching_options functions[FUNCTIONS] = {
    {.r_0 = 0.25, .d_max = 0.6},
    {.r_0 = 0.25, .d_max = 0.6, .nn = 8, .no_stretch = 1},
    {.r_0 = 0.25, .d_max = 0.6, .nn = 7, .d_0 = 0.05},
    {.r_0 = 0.3, .d_max = 0.6, .nn = 6, .mm = 10},
    {.type = CW_SWITCHING_EXP, .r_0 = 0.1, .d_max = 0.6},
    {.type = CW_SWITCHING_GAUSSIAN, .r_0 = 0.15, .d_0 = 0.1, .d_max = 0.6},
    {.type = CW_SWITCHING_SMAP, .r_0 = 0.25, .a = 8, .b = 10, .d_max = 0.6},
    {.type = CW_SWITCHING_CUBIC, .d_0 = 0.1, .d_max = 0.6},
    {.type = CW_SWITCHING_TANH, .r_0 = 0.2, .d_max = 0.6},
    {.type = CW_SWITCHING_COSINUS, .r_0 = 0.4, .d_0 = 0.1},
    {.type = CW_SWITCHING_CUSTOM, .function = "1/(1+x2^3)*exp(-x/9)", .r_0 = 0.25, .d_max = 0.6}};

/* Of the boxes: orthorhombic, and thin. */
static int left_out_box(int box) {
  return plain_short() && box != 1 && box != 8;
}

/* What one way of computing gave. */
typedef struct sums {
  cw_coordination_result result;
  double *derivatives, *entry_derivatives, *entry_values;
  int64_t atoms, rows, entries;
} sums;

static double next_uniform(uint64_t *state) { /* splitmix64 */
  uint64_t z = (*state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (double)((z ^ (z >> 31)) >> 11) * (1.0 / 9007199254740992.0);
}

static cw_coordinates_view packed(double *values) {
  cw_coordinates_view view = {CW_DOUBLE, CW_SPACE_HOST, {values, values + 1, values + 2}, 3};
  return view;
}

static double *poisoned(int64_t count) {
  double *made = malloc((size_t)(count + 1) * sizeof *made);
  for (int64_t k = 0; k < count; k++)
    made[k] = NAN;
  return made;
}

static sums new_sums(const cw_coordination_options *options) {
  const int self = options->pairs == CW_PAIRS_SELF;
  sums s = {.atoms = options->atoms};
  s.entries = options->a ? options->count_a : options->atoms;
  s.rows = s.entries + (self ? 0 : options->b ? options->count_b : options->atoms);
  s.derivatives = poisoned(3 * s.atoms);
  s.entry_derivatives = poisoned(3 * s.rows);
  s.entry_values = poisoned(s.entries);
  s.result.derivatives = packed(s.derivatives);
  s.result.entry_derivatives = s.entry_derivatives;
  s.result.entry_values = s.entry_values;
  s.result.value = NAN;
  return s;
}

static void free_sums(sums *s) {
  free(s->derivatives);
  free(s->entry_derivatives);
  free(s->entry_values);
}

/* Largest deviation over the largest of b, 1e-3 at least; NaN counts as infinite. */
static double deviation(const double *a, const double *b, int64_t count) {
  double largest = 1e-3, worst = 0;
  for (int64_t k = 0; k < count; k++) {
    const double e = fabs(a[k] - b[k]);
    largest = fmax(largest, fabs(b[k]));
    if (!(e <= worst))
      worst = isnan(e) ? HUGE_VAL : e;
  }
  return worst / largest;
}

/* Value's and derivatives' tolerance. Double: sums of up to 1e5 terms, each good to some 1e-15; the
 * matrix form's squares carry 1e-15 of (range + bundle)^2, 1e-12 of the closest pairs' own. Single:
 * 6e-8 a coordinate; squares from split TF32 products carry 1e-6, that is 1e-3 of those pairs. */
static void tolerances(cw_coordination_form form, cw_precision precision, double tolerance[2]) {
  const int matrix = form == CW_COORDINATION_FORM_MATRIX;
  tolerance[0] = precision == CW_DOUBLE ? 1e-12 : 2e-5;
  tolerance[1] = precision == CW_DOUBLE ? (matrix ? 1e-10 : 1e-11) : (matrix ? 2e-3 : 2e-5);
}

static void compare(const sums *found, const sums *right, const double tolerance[2],
                    const char *what) {
  const double value = right->result.value;
  plain_check(fabs(found->result.value - value) <= tolerance[0] * (1 + value),
              "%s: value %.17g, right %.17g", what, found->result.value, value);
  double worst = deviation(found->derivatives, right->derivatives, 3 * right->atoms);
  plain_check(worst <= tolerance[1], "%s: derivatives differ by %g", what, worst);
  worst = deviation(found->entry_derivatives, right->entry_derivatives, 3 * right->rows);
  plain_check(worst <= tolerance[1], "%s: entries' derivatives differ by %g", what, worst);
  worst = deviation(&found->result.box_derivatives[0][0], &right->result.box_derivatives[0][0], 9);
  plain_check(worst <= tolerance[1], "%s: box derivatives differ by %g", what, worst);
  worst = deviation(found->entry_values, right->entry_values, right->entries);
  plain_check(worst <= tolerance[1], "%s: entries' values differ by %g", what, worst);
}

static sums compute(cw_context *context, const cw_coordination_options *options, double *positions,
                    const cw_box *box, int plain) {
  cw_coordination *plan = NULL;
  sums s = new_sums(options);
  plain_ok(context, cw_coordination_create(context, options, &plan));
  if (plan && plain)
    plain_ok(context, cw_coordination_reference(plan, packed(positions), box, &s.result));
  else if (plan)
    plain_ok(context, cw_coordination_compute(plan, packed(positions), box, 0, &s.result));
  cw_coordination_destroy(plan);
  return s;
}

/* Every form and precision against `right`, each twice with the same bits. */
static void check_forms(cw_context *context, cw_coordination_options options, double *positions,
                        const cw_box *box, const sums *right, const char *what) {
  for (int precision = 0; precision < 2; precision++)
    for (int form = 1; form <= FORMS; form++) {
      char name[96];
      double tolerance[2];
      options.precision = (cw_precision)precision;
      options.form = (cw_coordination_form)form;
      snprintf(name, sizeof name, "%s, form %d, %s", what, form,
               cw_precision_name(options.precision));
      sums found = compute(context, &options, positions, box, 0);
      sums again = compute(context, &options, positions, box, 0);
      tolerances(options.form, options.precision, tolerance);
      compare(&found, right, tolerance, name);
      if (precision == CW_DOUBLE || form != CW_COORDINATION_FORM_MATRIX)
        plain_check(found.result.pairs_in_range == right->result.pairs_in_range,
                    "%s: %lld pairs, right %lld", name, (long long)found.result.pairs_in_range,
                    (long long)right->result.pairs_in_range);
      plain_check(memcmp(found.derivatives, again.derivatives,
                         (size_t)(3 * found.atoms) * sizeof(double)) == 0 &&
                      memcmp(found.result.box_derivatives, again.result.box_derivatives,
                             sizeof found.result.box_derivatives) == 0 &&
                      found.result.value == again.result.value,
                  "%s: two runs differ", name);
      free_sums(&found);
      free_sums(&again);
    }
}

static void check_against_plain(cw_context *context, const cw_coordination_options *options,
                                double *positions, const cw_box *box, const char *what) {
  sums right = compute(context, options, positions, box, 1);
  check_forms(context, *options, positions, box, &right, what);
  free_sums(&right);
}

/* Atoms in and around the box, some boxes away. */
static void fill(double *positions, int64_t atoms, const cw_box *box, uint64_t seed) {
  const int none = box->vectors[0][0] == 0;
  for (int64_t k = 0; k < atoms; k++) {
    double s[3];
    for (int c = 0; c < 3; c++)
      s[c] = next_uniform(&seed) * 3 - 1;
    for (int c = 0; c < 3; c++)
      positions[3 * k + c] =
          none ? s[c]
               : s[0] * box->vectors[0][c] + s[1] * box->vectors[1][c] + s[2] * box->vectors[2][c];
  }
}

static void test_every_function_and_box_equals_the_plain_sum(cw_context *context) {
  double positions[3 * ATOMS];
  for (int b = 0; b < BOXES; b++)
    for (int f = 0; f < FUNCTIONS; f++) {
      if (left_out_box(b) || (plain_short() && f != 0 && f != 3 && f != FUNCTIONS - 1))
        continue;
      char name[64];
      const cw_coordination_options options = {.switching = functions[f], .atoms = ATOMS};
      snprintf(name, sizeof name, "box %d, function %d", b, f);
      fill(positions, ATOMS, &boxes[b], (uint64_t)(100 * b + f + 1));
      check_against_plain(context, &options, positions, &boxes[b], name);
    }
}

static void test_groups_with_repeats_and_overlap_equal_the_plain_sum(cw_context *context) {
  enum { COUNT = 150 };
  double positions[3 * ATOMS];
  uint32_t a[COUNT], b[COUNT], apart[COUNT];
  uint64_t seed = 5;
  for (int k = 0; k < COUNT; k++) {
    a[k] = (uint32_t)(next_uniform(&seed) * ATOMS);
    b[k] = (uint32_t)(next_uniform(&seed) * (ATOMS / 2));
    apart[k] = (uint32_t)(ATOMS - 1 - k % (ATOMS - COUNT));
  }
  for (int box = 0; box < BOXES; box++)
    for (int pairs = 0; pairs < 3; pairs++)
      for (int overlap = 0; overlap < 2; overlap++)
        for (int method = 0; method <= CW_COORDINATION_LIST; method += 1 + !method) {
          if (left_out_box(box) || (plain_short() && (method > 1 || !overlap)))
            continue;
          char name[96];
          const cw_coordination_options options = {.switching = functions[0],
                                                   .pairs = (cw_coordination_pairs)pairs,
                                                   .method = (cw_coordination_method)method,
                                                   .atoms = ATOMS,
                                                   .a = overlap ? a : apart,
                                                   .b = b,
                                                   .count_a = COUNT,
                                                   .count_b = COUNT};
          snprintf(name, sizeof name, "box %d, pairs %d, overlap %d, method %d", box, pairs,
                   overlap, method);
          fill(positions, ATOMS, &boxes[box], 77);
          check_against_plain(context, &options, positions, &boxes[box], name);
        }
}

static void test_infinite_range_equals_the_plain_sum(cw_context *context) {
  double positions[3 * ATOMS];
  for (int b = 0; b < BOXES; b++)
    for (int implicit = 0; implicit < (plain_short() ? 1 : 2) && !left_out_box(b); implicit++) {
      cw_coordination_options options = {.switching = {.r_0 = 0.25}, .atoms = ATOMS};
      options.switching.implicit_d_max = implicit;
      fill(positions, ATOMS, &boxes[b], 9);
      check_against_plain(context, &options, positions, &boxes[b], "long range");
    }
}

/* 700 atoms within a tenth of the range and 60 around: one cell holds more than a team has threads
 * and a stage has room. */
static void test_a_crowded_cell_equals_the_plain_sum(cw_context *context) {
  enum { CROWD = 700, ALL = 760 };
  double *positions = malloc(3 * ALL * sizeof *positions);
  uint64_t seed = 11;
  for (int b = 0; b < 4; b++) {
    if (left_out_box(b))
      continue;
    const cw_coordination_options options = {.switching = functions[0], .atoms = ALL};
    fill(positions, ALL, &boxes[b], 12);
    for (int k = 0; k < 3 * CROWD; k++)
      positions[k] = 0.3 + 0.06 * next_uniform(&seed);
    check_against_plain(context, &options, positions, &boxes[b], "crowd");
  }
  free(positions);
}

static void test_any_number_of_atoms_equals_the_host(cw_context *context) {
  static const int counts[] = {0, 1, 2, 33, 1000, 20000};
  const cw_context_options cpu = {.backend = CW_BACKEND_CPU};
  cw_context *host = NULL;
  plain_ok(context, cw_context_create(&cpu, &host, NULL, 0));
  for (int k = 0; host && k < (plain_short() ? 4 : 6); k++) {
    const int64_t atoms = counts[k];
    const double edge = cbrt((double)(atoms > 250 ? atoms : 250) / 100);
    const cw_box box = {{{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}}};
    const cw_coordination_options options = {
        .switching = {.r_0 = 0.2, .d_max = 0.5}, .precision = CW_DOUBLE, .atoms = atoms};
    char name[32];
    double *positions = malloc((size_t)(3 * atoms + 1) * sizeof *positions);
    snprintf(name, sizeof name, "%d atoms", counts[k]);
    fill(positions, atoms, &box, 21);
    sums right = compute(host, &options, positions, &box, 0);
    check_forms(context, options, positions, &box, &right, name);
    free_sums(&right);
    free(positions);
  }
  cw_context_destroy(host);
}

/* Structure of arrays in device memory, in and out; float positions hold what double ones do. */
static void test_device_arrays_give_what_host_arrays_give(cw_context *context) {
  const int64_t atoms = ATOMS;
  double positions[3 * ATOMS], on_host[ATOMS];
  float single[ATOMS];
  const size_t bytes = sizeof on_host;
  const cw_coordination_options options = {
      .switching = functions[0], .precision = CW_DOUBLE, .atoms = atoms};
  cw_coordinates_view in = {CW_SINGLE, CW_SPACE_DEVICE, {NULL, NULL, NULL}, 1};
  cw_coordinates_view out = {CW_DOUBLE, CW_SPACE_DEVICE, {NULL, NULL, NULL}, 1};
  fill(positions, atoms, &boxes[3], 31);
  for (int k = 0; k < 3 * ATOMS; k++)
    positions[k] = (double)(float)positions[k];
  for (int c = 0; c < 3; c++) {
    plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, ATOMS, sizeof(double), "in",
                                      &in.component[c]));
    plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, ATOMS, sizeof(double), "out",
                                      &out.component[c]));
    for (int k = 0; k < ATOMS; k++)
      single[k] = (float)positions[3 * k + c];
    plain_ok(context, cw_device_write(context, in.component[c], single, sizeof single));
  }
  sums right = compute(context, &options, positions, &boxes[3], 0);
  cw_coordination *plan = NULL;
  cw_coordination_result result = {.derivatives = out};
  plain_ok(context, cw_coordination_create(context, &options, &plan));
  plain_ok(context, cw_coordination_compute(plan, in, &boxes[3], 0, &result));
  plain_check(result.value == right.result.value, "value %.17g, from host arrays %.17g",
              result.value, right.result.value);
  for (int c = 0; c < 3; c++) {
    plain_ok(context, cw_device_read(context, on_host, out.component[c], bytes));
    int wrong = 0;
    for (int k = 0; k < ATOMS; k++)
      wrong += !(on_host[k] == right.derivatives[3 * k + c]);
    plain_check(wrong == 0, "component %d: %d derivatives differ", c, wrong);
    cw_memory_free(context, CW_SPACE_DEVICE, in.component[c]);
    cw_memory_free(context, CW_SPACE_DEVICE, out.component[c]);
  }
  cw_coordination_destroy(plan);
  free_sums(&right);
}

static void test_what_cannot_be_is_refused_and_the_plan_lives_on(cw_context *context) {
  double positions[3 * ATOMS];
  for (int b = 0; b < BOXES; b++)
    for (int pairs = 0; pairs < 3; pairs += 2) {
      const cw_coordination_options options = {.switching = functions[0],
                                               .pairs = (cw_coordination_pairs)pairs,
                                               .precision = CW_DOUBLE,
                                               .atoms = ATOMS};
      cw_coordination *plan = NULL;
      cw_coordination_result result = {.value = NAN};
      fill(positions, ATOMS, &boxes[b], 41);
      plain_ok(context, cw_coordination_create(context, &options, &plan));
      positions[3 * 17 + 1] = NAN;
      plain_refused(context,
                    cw_coordination_compute(plan, packed(positions), &boxes[b], 0, &result),
                    CW_ERROR_NUMERIC, "atom 17 has the coordinates");
      positions[3 * 17 + 1] = 0.5;
      plain_ok(context, cw_coordination_compute(plan, packed(positions), &boxes[b], 0, &result));
      plain_check(isfinite(result.value), "value %g", result.value);
      cw_coordination_destroy(plan);
    }
  plain_check(cw_memory_used(context, CW_SPACE_DEVICE) == 0, "memory is still held");
}

static const plain_case cases[] = {
    PLAIN_CASE(test_every_function_and_box_equals_the_plain_sum),
    PLAIN_CASE(test_groups_with_repeats_and_overlap_equal_the_plain_sum),
    PLAIN_CASE(test_infinite_range_equals_the_plain_sum),
    PLAIN_CASE(test_a_crowded_cell_equals_the_plain_sum),
    PLAIN_CASE(test_any_number_of_atoms_equals_the_host),
    PLAIN_CASE(test_device_arrays_give_what_host_arrays_give),
    PLAIN_CASE(test_what_cannot_be_is_refused_and_the_plan_lives_on)};

int main(void) {
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
