/* Several species in one call of the device's deposit: against the plain double sum over all of them,
 * and what fixed point promises of them together: the same bits by every way, no overflow. */
#include "deposit_device_case.h"

enum { MOST = 6 }; /* more than one pass takes */

/* Species of other ages, tiles and charges; the last is not sorted. */
typedef struct several {
  int count;
  fixture of[MOST];
  cw_deposit_species list[MOST];
} several;

static several make_several(cw_context *context, int dim, int order, cw_precision precision,
                            int count) {
  static const int ages[MOST] = {1, 4, 6, 2, 3, 5}, tiles[MOST] = {4, 4, 4, 8, 4, 4};
  static const double charges[MOST] = {-1.25, 1, 3, -0.5, 2, -7};
  several s = {.count = count};
  for (int k = 0; k < count; k++) {
    const int sorted = k == 0 || k < count - 1;
    s.of[k] = make(context, dim, order, precision, tiles[k], sorted ? ages[k] : 0);
    s.list[k] = (cw_deposit_species){charges[k], s.of[k].device, s.of[k].device_cells};
  }
  return s;
}

static void clear_several(several *s) {
  for (int k = 0; k < s->count; k++)
    clear(&s->of[k]);
}

static cw_deposit_options options_of(const several *s, int order) {
  return (cw_deposit_options){
      .order = order, .dt = s->of[0].dt, .drift = 1, .method = CW_DEPOSIT_TILED_FIXED};
}

/* Sets `out` [3][points] to J of the species in `list`. */
static void deposit_several(several *s, const cw_deposit_options *options,
                            const cw_deposit_species *list, double *out,
                            cw_deposit_report *report) {
  fixture *f = &s->of[0];
  const size_t points = (size_t)f->grid.points, real = (size_t)cw_precision_size(f->precision);
  const cw_vector_view J = {f->precision, {f->device_J[0], f->device_J[1], f->device_J[2]}};
  char *raw = malloc(points * 8);
  for (int c = 0; c < 3; c++)
    plain_ok(f->context, cw_device_zero(f->context, J.component[c], points * 8));
  plain_ok(f->context,
           cw_deposit_currents(f->context, options, &f->grid, list, s->count, J, report));
  for (int c = 0; c < 3; c++) {
    plain_ok(f->context, cw_device_read(f->context, raw, J.component[c], points * real));
    for (size_t k = 0; k < points; k++)
      out[(size_t)c * points + k] = cw_real_get(raw, f->precision, (int64_t)k);
  }
  free(raw);
}

/* Adds the plain J of each species to `out`. Returns the sum of their largest values, of which each
 * species' own J is good to a share: the largest of all together is less where currents cancel. */
static double plain_sum(several *s, const cw_deposit_options *options, double *out) {
  const size_t points = (size_t)s->of[0].grid.points;
  double scale = 0;
  double *own_J = malloc(3 * points * sizeof *own_J);
  for (int k = 0; k < s->count; k++) {
    const cw_vector_view J = {CW_DOUBLE, {own_J, own_J + points, own_J + 2 * points}};
    cw_deposit_options own = *options;
    own.charge = s->list[k].charge;
    memset(own_J, 0, 3 * points * sizeof *own_J);
    plain_ok(s->of[0].context, cw_deposit_current_reference(s->of[0].context, &own, &s->of[0].grid,
                                                            &s->of[k].host, J));
    for (size_t n = 0; n < 3 * points; n++)
      out[n] += own_J[n];
    scale += largest_of(&s->of[0], own_J);
  }
  free(own_J);
  return scale;
}

static void check_several(cw_context *context, int dim, int order, cw_precision precision,
                          int count) {
  several s = make_several(context, dim, order, precision, count);
  const size_t points = (size_t)s.of[0].grid.points;
  double *plain = calloc(3 * points, 8), *found = calloc(3 * points, 8);
  cw_deposit_options options = options_of(&s, order);
  int64_t slots = 0;
  for (int k = 0; k < count; k++)
    slots += s.of[k].host.count;
  const double scale = plain_sum(&s, &options, plain);
  for (int method = CW_DEPOSIT_FLAT; method <= CW_DEPOSIT_TILED_FIXED; method++) {
    cw_deposit_report report = {0};
    options.method = (cw_deposit_method)method;
    options.drift = method == CW_DEPOSIT_TILED_FIXED ? 0 : 1;
    deposit_several(&s, &options, s.list, found, &report);
    /* As of test_device_deposit.c. Floats are rounded at sums of single species, which are larger
     * than what is left of them together; fixed point is not. */
    const double error =
        difference(&s.of[0], found, plain) *
        (method == CW_DEPOSIT_TILED_FIXED ? 1 : largest_of(&s.of[0], plain) / scale);
    plain_check(error <= (precision == CW_DOUBLE ? 1e-13 : 1e-6),
                "dim %d order %d %s, %d species, method %d: error %.2e", dim, order,
                cw_precision_name(precision), count, method, error);
    plain_check(report.tiled + report.escaped + report.tail + report.flat + report.dead == slots &&
                    (count == 1 || report.flat > 0) && report.outside == 0,
                "dim %d order %d method %d: of %lld slots %lld tiled, %lld flat", dim, order,
                method, (long long)slots, (long long)report.tiled, (long long)report.flat);
    if (method == CW_DEPOSIT_TILED_FIXED && count > 2) /* of two one is fresh, one not sorted */
      plain_check(report.tiled > 0 && report.escaped > 0 && report.tail > 0 && report.dead > 0,
                  "dim %d order %d: not every path is taken", dim, order);
  }
  free(plain), free(found);
  clear_several(&s);
}

static void several_species_are_the_sum_of_each(cw_context *context) {
  for (int dim = plain_short() ? 2 : 1; dim <= 3; dim++)
    for (int order = plain_short() ? 2 : 0; order <= (plain_short() ? 2 : 4); order++)
      for (int precision = 0; precision < (plain_short() ? 1 : 2); precision++)
        for (int count = plain_short() ? 4 : 2; count <= (plain_short() ? 4 : MOST); count += 2)
          check_several(context, dim, order, precision ? CW_DOUBLE : CW_SINGLE, count);
}

/* In another order, by other teams and drifts, and all flat. */
static void check_bits(cw_context *context, int dim, int order, cw_precision precision, int bits) {
  several s = make_several(context, dim, order, precision, 4);
  const size_t points = (size_t)s.of[0].grid.points;
  double *found = calloc(3 * points, 8), *again = calloc(3 * points, 8);
  cw_deposit_options options = options_of(&s, order);
  options.scratch_bits = bits;
  deposit_several(&s, &options, s.list, found, NULL);
  for (int way = 0; way < 4; way++) {
    cw_deposit_species list[MOST];
    for (int k = 0; k < s.count; k++) {
      list[k] = s.list[(k + way + 1) % s.count];
      if (way == 3)
        list[k].cells.total_tiles = 0;
    }
    options.drift = way;
    options.team_size = 32 * way;
    deposit_several(&s, &options, list, again, NULL);
    plain_check(memcmp(found, again, 3 * points * 8) == 0,
                "dim %d order %d %s %d bits, way %d: other bits", dim, order,
                cw_precision_name(precision), bits, way);
  }
  /* and they are not those of nothing */
  plain_check(difference(&s.of[0], found, found) == 0, "J is not finite or 0");
  free(found), free(again);
  clear_several(&s);
}

static void the_bits_do_not_depend_on_the_order_of_species(cw_context *context) {
  for (int dim = plain_short() ? 3 : 1; dim <= 3; dim++)
    for (int order = plain_short() ? 2 : 0; order <= (plain_short() ? 2 : 4); order++) {
      check_bits(context, dim, order, CW_SINGLE, 64);
      check_bits(context, dim, order, CW_SINGLE, 32);
      check_bits(context, dim, order, CW_DOUBLE, 64);
    }
}

/* Every particle to one place, where it adds to one value as much as it can: the largest move along
 * axis 0 about the middle between two nodes, at rest on a node along the others. */
static void crowd(fixture *f, double weight) {
  cw_context *context = f->context;
  const size_t real = (size_t)cw_precision_size(f->precision), count = (size_t)f->host.count;
  for (int64_t p = 0; p < f->host.count; p++) {
    for (int a = 0; a < f->grid.dim; a++) {
      f->host.i[a][p] = f->host.i_prev[a][p] = 4;
      cw_real_set(f->host.dx_prev[a], f->precision, p, a == 0 ? 0.5 - f->dt / 2 : 0);
      cw_real_set(f->host.dx[a], f->precision, p, a == 0 ? 0.5 + f->dt / 2 : 0);
    }
    cw_real_set(f->host.weight, f->precision, p, weight);
  }
  for (int a = 0; a < f->grid.dim; a++) {
    plain_ok(context, cw_device_write(context, f->device.i[a], f->host.i[a], count * 4));
    plain_ok(context, cw_device_write(context, f->device.i_prev[a], f->host.i_prev[a], count * 4));
    plain_ok(context, cw_device_write(context, f->device.dx[a], f->host.dx[a], count * real));
    plain_ok(context,
             cw_device_write(context, f->device.dx_prev[a], f->host.dx_prev[a], count * real));
  }
  plain_ok(context, cw_device_write(context, f->device.weight, f->host.weight, count * real));
}

static void check_crowd(cw_context *context, int dim, int order, cw_precision precision,
                        int one_is_heavy) {
  several s = make_several(context, dim, order, precision, 4);
  const size_t points = (size_t)s.of[0].grid.points;
  double *plain = calloc(3 * points, 8), *found = calloc(3 * points, 8);
  cw_deposit_options options = options_of(&s, order);
  int64_t all = 0;
  options.max_move = s.of[0].dt;
  for (int k = 0; k < s.count; k++) {
    crowd(&s.of[k], one_is_heavy && k != 2 ? 1 : 3e20);
    s.list[k].charge = one_is_heavy && k == 2 ? -7 : 1;
    all += s.of[k].host.count;
  }
  plain_sum(&s, &options, plain);
  deposit_several(&s, &options, s.list, found, NULL);
  /* equal particles: roundings add up in one direction */
  const double error = difference(&s.of[0], found, plain);
  plain_check(error <= (precision == CW_DOUBLE ? (double)all * 0x1p-53 : 1e-6),
              "dim %d order %d %s heavy %d: error %.2e", dim, order, cw_precision_name(precision),
              one_is_heavy, error);
  free(plain), free(found);
  clear_several(&s);
}

/* A bound that missed a species' number, or the weight and charge of one, would wrap. */
static void crowded_species_do_not_overflow(cw_context *context) {
  for (int dim = plain_short() ? 3 : 2; dim <= 3; dim++)
    for (int order = plain_short() ? 2 : 0; order <= (plain_short() ? 2 : 4); order++)
      for (int precision = 0; precision < 2; precision++)
        for (int one_is_heavy = 0; one_is_heavy < 2; one_is_heavy++)
          check_crowd(context, dim, order, (cw_precision)precision, one_is_heavy);
}

static void species_that_differ_are_refused(cw_context *context) {
  several s = make_several(context, 2, 2, CW_SINGLE, 2);
  fixture other = make(context, 2, 2, CW_DOUBLE, 4, 1);
  cw_deposit_options options = options_of(&s, 2);
  const cw_vector_view J = {CW_SINGLE,
                            {s.of[0].device_J[0], s.of[0].device_J[1], s.of[0].device_J[2]}};
  cw_deposit_species list[2] = {s.list[0], {1, other.device, other.device_cells}};
  plain_refused(context, cw_deposit_currents(context, &options, &s.of[0].grid, list, 2, J, NULL),
                CW_ERROR_ARGUMENT, "J is single, the particles are double");
  list[1] = (cw_deposit_species){1, s.of[1].host, s.of[1].host_cells};
  plain_refused(context, cw_deposit_currents(context, &options, &s.of[0].grid, list, 2, J, NULL),
                CW_ERROR_ARGUMENT, "species 0 and 1 are in different memory");
  plain_ok(context, cw_deposit_currents(context, &options, &s.of[0].grid, list, 0, J, NULL));
  clear(&other);
  clear_several(&s);
}

int main(void) {
  static const plain_case cases[] = {PLAIN_CASE(several_species_are_the_sum_of_each),
                                     PLAIN_CASE(the_bits_do_not_depend_on_the_order_of_species),
                                     PLAIN_CASE(crowded_species_do_not_overflow),
                                     PLAIN_CASE(species_that_differ_are_refused)};
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
