/* The deposit on the device against the host and the plain double sum: every order, dimension and
 * method, tiles, drift, team sizes, with tail, escapes and dead slots, and before the first sort.
 */
#include "deposit_device_case.h"
#include "kernels/deposit/deposit_fit.h"

static void check_case(cw_context *context, int dim, int order, cw_precision precision, int tile,
                       int drift, int steps) {
  fixture f = make(context, dim, order, precision, tile, steps);
  const size_t points = (size_t)f.grid.points;
  double *plain = calloc(3 * points, 8), *found = calloc(3 * points, 8),
         *again = calloc(3 * points, 8);
  cw_deposit_options options = {
      .order = order, .charge = -1.25, .dt = f.dt, .drift = drift, .max_move = 0.95 / sqrt(dim)};
  cw_vector_view J = {CW_DOUBLE, {plain, plain + points, plain + 2 * points}};
  plain_ok(context, cw_deposit_current_reference(context, &options, &f.grid, &f.host, J));
  /* The reference's rounding is 1e-16. A float's factors are good to some 2^-23 each, and a value
   * sums hundreds of particles of either sign: 1e-6 of the largest. 64-bit fixed point adds
   * roundings of 2^-23 of a particle's own value. 32 bits less those of the 1,000 to 2,000
   * particles in reach leave values of 2^20 quanta at least: roundings of 3e-7 of the largest one
   * particle can add, some hundred of them, and the largest |J| is several such. */
  const double tolerance = precision == CW_DOUBLE ? 1e-13 : 1e-6;
  int64_t live = 0;
  for (int64_t p = 0; p < f.host.count; p++)
    live += f.host.tag[p] != CW_TAG_DEAD;
  for (int variant = 0; variant < 6; variant++) {
    static const cw_deposit_method methods[] = {CW_DEPOSIT_FLAT,        CW_DEPOSIT_TILED,
                                                CW_DEPOSIT_TILED,       CW_DEPOSIT_TILED_FIXED,
                                                CW_DEPOSIT_TILED_FIXED, CW_DEPOSIT_TILED_FIXED};
    options.method = methods[variant];
    options.path = variant == 1 || variant == 3 ? CW_DEPOSIT_PATH_SCALAR : CW_DEPOSIT_PATH_AUTO;
    options.scratch_bits = variant == 5 ? 32 : 0;
    options.team_size = 0;
    cw_deposit_report report;
    if (steps > 0 &&
        cw_deposit_check_tile(context, &options, dim, (cw_precision)precision, tile) != CW_OK)
      continue;
    deposit(&f, &options, found, &report);
    const double error = difference(&f, found, plain);
    const double allowed = variant == 5 && precision == CW_SINGLE ? 1e-5 : tolerance;
    plain_check(error <= allowed,
                "dim %d order %d %s tile %d drift %d steps %d variant %d: error %.2e, allowed %.0e",
                dim, order, cw_precision_name(precision), tile, drift, steps, variant, error,
                allowed);
    const int64_t done = report.tiled + report.escaped + report.tail + report.flat;
    plain_check(done == live && report.outside == 0 && report.dead == f.host.count - live,
                "dim %d order %d variant %d: %lld done of %lld, %lld outside, %lld dead", dim,
                order, variant, (long long)done, (long long)live, (long long)report.outside,
                (long long)report.dead);
    if (options.method != CW_DEPOSIT_FLAT && steps > 0)
      plain_check(report.flat == 0 && report.tail > 0 && report.tiled > 0,
                  "dim %d order %d tile %d drift %d: no tail or nothing tiled", dim, order, tile,
                  drift);
    else
      plain_check(report.flat == live, "%lld flat of %lld", (long long)report.flat,
                  (long long)live);
    if (drift == 0 && tile == 4 && steps > 4)
      plain_check(options.method == CW_DEPOSIT_FLAT || report.escaped > 0, "nothing escaped");
    if (options.method != CW_DEPOSIT_TILED_FIXED)
      continue;
    static const int teams[] = {32, 96, 1000};
    for (int t = 0; t < (plain_short() ? 1 : 3); t++) {
      options.team_size = teams[t];
      deposit(&f, &options, again, NULL);
      plain_check(memcmp(found, again, 3 * points * 8) == 0,
                  "dim %d order %d variant %d: team of %d gives other bits", dim, order, variant,
                  teams[t]);
    }
  }
  free(plain), free(found), free(again);
  clear(&f);
}

static void every_order_and_dimension(cw_context *context) {
  if (plain_short()) {
    for (int dim = 1; dim <= 3; dim++)
      for (int order = dim == 3 ? 1 : 0; order <= (dim == 3 ? 3 : 4); order += 2)
        check_case(context, dim, order, dim == 3 ? CW_SINGLE : CW_DOUBLE, 4, 1, 1);
    return;
  }
  for (int dim = 1; dim <= 3; dim++)
    for (int order = 0; order <= 11; order++)
      for (int precision = 0; precision < 2; precision++)
        check_case(context, dim, order, (cw_precision)precision, 4, 1, 1);
}

static void every_tile_size_and_drift(cw_context *context) {
  static const int tiles[] = {4, 6, 8, 10, 12, 14, 16};
  for (int dim = 1; dim <= 3 && !plain_short(); dim++)
    for (int t = 0; t < 7; t++)
      for (int drift = 0; drift <= 4; drift += 2) {
        check_case(context, dim, 2, CW_SINGLE, tiles[t], drift, 1);
        check_case(context, dim, 1, CW_SINGLE, tiles[t], drift, 4);
      }
}

/* Every order, dimension and precision with tiles, drifts and ages of the order that go round, so that
 * each meets each. */
static void every_order_with_every_tile_size(cw_context *context) {
  static const int tiles[] = {4, 6, 8, 10, 12, 14, 16};
  for (int dim = 1; dim <= 3 && !plain_short(); dim++)
    for (int order = 0; order <= 11; order++)
      for (int t = 0; t < 7; t++)
        check_case(context, dim, order, (cw_precision)((order + t) % 2), tiles[t],
                   (order + 3 * t) % 5, 1 + (2 * order + t) % 6);
}

static void stale_order_and_no_order(cw_context *context) {
  if (plain_short()) {
    check_case(context, 2, 2, CW_SINGLE, 4, 0, 6);
    return;
  }
  for (int dim = 1; dim <= 3; dim++)
    for (int order = 0; order <= 4; order++) {
      check_case(context, dim, order, CW_SINGLE, 4, 0, 6);
      check_case(context, dim, order, CW_DOUBLE, 4, 1, 0);
    }
}

static void a_particle_that_moved_too_far_is_named(cw_context *context) {
  fixture f = make(context, 2, 2, CW_SINGLE, 8, 1);
  const int32_t far = 1000;
  f.host.tag[34 * 17 + 1] = CW_TAG_ALIVE;
  plain_ok(context, cw_device_write(context, f.device.i[0] + 34 * 17 + 1, &far, sizeof far));
  cw_deposit_options options = {
      .order = 2, .charge = 1, .dt = f.dt, .drift = 1, .method = CW_DEPOSIT_TILED_FIXED};
  cw_vector_view J = {f.precision, {f.device_J[0], f.device_J[1], f.device_J[2]}};
  cw_deposit_report report;
  plain_refused(
      context,
      cw_deposit_current(context, &options, &f.grid, &f.device, &f.device_cells, J, &report),
      CW_ERROR_NUMERIC, "579");
  clear(&f);
}

static void charge_equals_the_hosts(cw_context *context) {
  for (int dim = plain_short() ? 3 : 1; dim <= 3; dim++)
    for (int order = 0; order <= (plain_short() ? 2 : 11); order++) {
      fixture f = make(context, dim, order, CW_DOUBLE, 8, 1);
      const size_t points = (size_t)f.grid.points;
      double *host = calloc(points, 8), *found = calloc(points, 8);
      cw_deposit_options options = {.order = order, .charge = 2, .dt = f.dt};
      for (int use_prev = 0; use_prev < 2; use_prev++) {
        memset(host, 0, points * 8);
        plain_ok(context, cw_device_zero(context, f.device_J[0], points * 8));
        plain_ok(context, cw_deposit_charge(context, &options, &f.grid, &f.host, use_prev, host));
        plain_ok(context,
                 cw_deposit_charge(context, &options, &f.grid, &f.device, use_prev, f.device_J[0]));
        plain_ok(context, cw_device_read(context, found, f.device_J[0], points * 8));
        double most = 0, largest = 0;
        for (size_t k = 0; k < points; k++) {
          const double error = fabs(found[k] - host[k]);
          most = cw_larger(most, error);
          largest = cw_larger(largest, fabs(host[k]));
        }
        /* at least 40 bits a value of some hundred, on top of the host's rounding */
        plain_check(most <= 1e-10 * largest, "dim %d order %d: %.2e", dim, order, most / largest);
      }
      free(host), free(found);
      clear(&f);
    }
}

int main(void) {
  static const plain_case cases[] = {PLAIN_CASE(every_order_and_dimension),
                                     PLAIN_CASE(every_tile_size_and_drift),
                                     PLAIN_CASE(every_order_with_every_tile_size),
                                     PLAIN_CASE(stale_order_and_no_order),
                                     PLAIN_CASE(a_particle_that_moved_too_far_is_named),
                                     PLAIN_CASE(charge_equals_the_hosts)};
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
