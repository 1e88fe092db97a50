/* The launch rules of the device's deposit, one by one, and what its fixed point promises: the same
 * bits by every way, no overflow. */
#include "deposit_device_case.h"
#include "kernels/deposit/deposit_fit.h"

/* By this method and these settings against the plain sum; the report is handed out. */
static cw_deposit_report deposit_once(fixture *f, int order, int drift, int components_only) {
  const size_t points = (size_t)f->grid.points;
  double *plain = calloc(3 * points, 8), *found = calloc(3 * points, 8);
  cw_deposit_options options = {
      .order = order, .charge = 1, .dt = f->dt, .drift = drift, .method = CW_DEPOSIT_TILED_FIXED};
  cw_vector_view J = {CW_DOUBLE, {plain, plain + points, plain + 2 * points}};
  cw_deposit_report report = {0};
  plain_ok(f->context, cw_deposit_current_reference(f->context, &options, &f->grid, &f->host, J));
  deposit(f, &options, found, &report);
  const double error = difference(f, found, plain);
  plain_check(error <= 1e-13, "order %d drift %d only %d: error %.2e", order, drift,
              components_only, error);
  free(plain), free(found);
  return report;
}

/* 16 + 2 (3 + 4) nodes an edge are 648 kB: no team has that, and nothing is deposited some other way
 * behind the caller's back. */
static void a_tile_too_large_for_any_team_is_refused_with_those_that_fit(cw_context *context) {
  fixture f = make(context, 3, 3, CW_DOUBLE, 16, 1);
  cw_deposit_options options = {
      .order = 3, .charge = 1, .dt = f.dt, .drift = 4, .method = CW_DEPOSIT_TILED_FIXED};
  cw_vector_view J = {f.precision, {f.device_J[0], f.device_J[1], f.device_J[2]}};
  plain_refused(context,
                cw_deposit_current(context, &options, &f.grid, &f.device, &f.device_cells, J, NULL),
                CW_ERROR_ARGUMENT, "a tile of edge 16 needs ");
  plain_check(strstr(cw_context_message(context), "tile edges that fit: ") != NULL, "'%s'",
              cw_context_message(context));
  options.method = CW_DEPOSIT_FLAT;
  plain_ok(context,
           cw_deposit_current(context, &options, &f.grid, &f.device, &f.device_cells, J, NULL));
  clear(&f);
}

/* What the check before a run promises is what the launches ask for: where it says that a tile fits,
 * the deposit works by tiles, with the smallest team too. */
static void what_is_said_to_fit_is_launched(cw_context *context) {
  static const int tiles[] = {4, 8, 16};
  int fitting = 0, refused = 0;
  for (int order = 1; order <= 5 && !plain_short(); order += 2)
    for (int precision = 0; precision < 2; precision++)
      for (int t = 0; t < 3; t++) {
        fixture f = make(context, 3, order, (cw_precision)precision, tiles[t], 1);
        cw_vector_view J = {f.precision, {f.device_J[0], f.device_J[1], f.device_J[2]}};
        for (int drift = 0; drift <= 4; drift += 4)
          for (int method = CW_DEPOSIT_TILED; method <= CW_DEPOSIT_TILED_FIXED; method++)
            for (int team = 0; team <= 32; team += 32) {
              const cw_deposit_options options = {.order = order,
                                                  .charge = 1,
                                                  .dt = f.dt,
                                                  .drift = drift,
                                                  .team_size = team,
                                                  .method = (cw_deposit_method)method};
              cw_deposit_report report = {0};
              const cw_status found =
                  cw_deposit_check_tile(context, &options, 3, f.precision, tiles[t]);
              const cw_status done = cw_deposit_current(context, &options, &f.grid, &f.device,
                                                        &f.device_cells, J, &report);
              fitting += found == CW_OK;
              refused += found != CW_OK;
              plain_check(found == done && (done != CW_OK || report.tiled > 0),
                          "order %d %s tile %d drift %d: %s, then %s, %lld tiled", order,
                          cw_precision_name(f.precision), tiles[t], drift, cw_status_name(found),
                          cw_status_name(done), (long long)report.tiled);
            }
        clear(&f);
      }
  plain_check(plain_short() || (fitting > 0 && refused > 0), "%d fit, %d do not", fitting, refused);
}

/* 4 + 2 (9 + 1) nodes an edge are 332 kB for three components, 111 kB for one. */
static void a_tile_too_large_for_three_components_takes_one_at_a_time(cw_context *context) {
  fixture f = make(context, 3, 9, CW_DOUBLE, 4, 1);
  const cw_deposit_report report = deposit_once(&f, 9, 1, 1);
  plain_check(report.tiled > 0 && report.flat == 0 && report.tail > 0, "%lld tiled, %lld flat",
              (long long)report.tiled, (long long)report.flat);
  clear(&f);
}

/* Slots that were dropped since the sort belong to no tile, though its offsets still count them. */
static void a_slice_is_clamped_to_the_live_count(cw_context *context) {
  for (int order = 0; order <= 4; order++) {
    fixture f = make(context, 2, order, CW_DOUBLE, 4, 1);
    f.host.count = f.device.count = f.host_cells.npart_partitioned / 2 + 7;
    const cw_deposit_report report = deposit_once(&f, order, 1, 0);
    plain_check(report.tail == 0 && report.tiled + report.escaped + report.dead == f.host.count,
                "order %d: %lld tiled, %lld escaped, %lld dead, %lld tail of %lld", order,
                (long long)report.tiled, (long long)report.escaped, (long long)report.dead,
                (long long)report.tail, (long long)f.host.count);
    clear(&f);
  }
}

/* Beyond the report: J is added to, and a value that no particle reaches keeps its bits. */
static void what_stands_in_J_stays(cw_context *context) {
  fixture f = make(context, 2, 2, CW_SINGLE, 8, 1);
  const size_t points = (size_t)f.grid.points;
  float *before = malloc(points * 4), *after = malloc(points * 4);
  double *alone = calloc(3 * points, 8);
  for (size_t k = 0; k < points; k++)
    before[k] = 3.0F + 0x1p-20F * (float)(k % 1024);
  for (int fixed = 0; fixed < 2; fixed++) {
    cw_deposit_options options = {.order = 2,
                                  .charge = 1,
                                  .dt = f.dt,
                                  .drift = 1,
                                  .method = fixed ? CW_DEPOSIT_TILED_FIXED : CW_DEPOSIT_TILED};
    cw_vector_view J = {CW_SINGLE, {f.device_J[0], f.device_J[1], f.device_J[2]}};
    deposit(&f, &options, alone, NULL);
    for (int c = 0; c < 3; c++)
      plain_ok(context, cw_device_write(context, J.component[c], before, points * 4));
    plain_ok(context,
             cw_deposit_current(context, &options, &f.grid, &f.device, &f.device_cells, J, NULL));
    plain_ok(context, cw_device_read(context, after, J.component[1], points * 4));
    double most = 0, untouched = 0;
    for (size_t k = 0; k < points; k++) {
      most = cw_larger(most, fabs((double)after[k] - ((double)before[k] + alone[points + k])));
      untouched += alone[points + k] == 0 && after[k] == before[k];
    }
    /* sums of up to 40 in single precision, some ten additions a value */
    plain_check(most <= 1e-4 && untouched > 0, "fixed %d: %.2e, %g untouched", fixed, most,
                untouched);
  }
  free(before), free(after), free(alone);
  clear(&f);
}

/* Slots in another order: with their members, so that only the order differs. */
static void reverse(fixture *f) {
  const int64_t count = f->host.count;
  const size_t real = (size_t)cw_precision_size(f->precision);
  struct {
    char *at;
    size_t size;
  } members[] = {{(char *)f->host.i[0], 4},      {(char *)f->host.i[1], 4},
                 {(char *)f->host.i[2], 4},      {(char *)f->host.i_prev[0], 4},
                 {(char *)f->host.i_prev[1], 4}, {(char *)f->host.i_prev[2], 4},
                 {f->host.dx[0], real},          {f->host.dx[1], real},
                 {f->host.dx[2], real},          {f->host.dx_prev[0], real},
                 {f->host.dx_prev[1], real},     {f->host.dx_prev[2], real},
                 {f->host.u[0], real},           {f->host.u[1], real},
                 {f->host.u[2], real},           {f->host.weight, real},
                 {(char *)f->host.tag, 1},       {(char *)f->host.id, 8}};
  char swap[8];
  for (size_t m = 0; m < sizeof members / sizeof *members; m++)
    for (int64_t n = 0; members[m].at && n < count / 2; n++) {
      char *a = members[m].at + (size_t)n * members[m].size;
      char *b = members[m].at + (size_t)(count - 1 - n) * members[m].size;
      memcpy(swap, a, members[m].size);
      memcpy(a, b, members[m].size);
      memcpy(b, swap, members[m].size);
    }
}

/* The same particles by tiles, with escapes and tail, flat, and in another order of slots, which
 * sends most of them to the escape path: the same bits in fixed point. */
static void check_bits(cw_context *context, int dim, int order, cw_precision precision, int bits) {
  fixture f = make(context, dim, order, precision, 4, 6);
  const size_t points = (size_t)f.grid.points;
  double *found = calloc(3 * points, 8), *again = calloc(3 * points, 8);
  cw_deposit_options options = {.order = order,
                                .charge = -1.25,
                                .dt = f.dt,
                                .drift = 0,
                                .method = CW_DEPOSIT_TILED_FIXED,
                                .scratch_bits = bits};
  cw_deposit_report report;
  deposit(&f, &options, found, &report);
  plain_check(report.tiled > 0 && report.escaped > 0 && report.tail > 0,
              "dim %d order %d: not every path is taken", dim, order);
  const int32_t total_tiles = (int32_t)f.device_cells.total_tiles;
  f.device_cells.total_tiles = 0; /* as before the first sort */
  deposit(&f, &options, again, &report);
  plain_check(report.flat > 0 && memcmp(found, again, 3 * points * 8) == 0,
              "dim %d order %d %s %d bits: flat gives other bits", dim, order,
              cw_precision_name(precision), bits);
  f.device_cells.total_tiles = total_tiles;
  options.drift = 2;
  deposit(&f, &options, again, &report);
  plain_check(memcmp(found, again, 3 * points * 8) == 0,
              "dim %d order %d %s %d bits: another drift gives other bits", dim, order,
              cw_precision_name(precision), bits);
  reverse(&f);
  for (int a = 0; a < 3; a++) {
    const size_t real = (size_t)cw_precision_size(precision), count = (size_t)f.host.count;
    if (a < dim) {
      plain_ok(context, cw_device_write(context, f.device.i[a], f.host.i[a], count * 4));
      plain_ok(context, cw_device_write(context, f.device.i_prev[a], f.host.i_prev[a], count * 4));
      plain_ok(context, cw_device_write(context, f.device.dx[a], f.host.dx[a], count * real));
      plain_ok(context,
               cw_device_write(context, f.device.dx_prev[a], f.host.dx_prev[a], count * real));
    }
    plain_ok(context, cw_device_write(context, f.device.u[a], f.host.u[a], count * real));
    plain_ok(context, cw_device_write(context, f.device.weight, f.host.weight, count * real));
    plain_ok(context, cw_device_write(context, f.device.tag, f.host.tag, count));
  }
  deposit(&f, &options, again, &report);
  plain_check(memcmp(found, again, 3 * points * 8) == 0,
              "dim %d order %d %s %d bits: another order of slots gives other bits", dim, order,
              cw_precision_name(precision), bits);
  free(found), free(again);
  clear(&f);
}

static void fixed_point_has_the_same_bits_by_every_way(cw_context *context) {
  for (int dim = plain_short() ? 3 : 1; dim <= 3; dim++)
    for (int order = plain_short() ? 2 : 0; order <= (plain_short() ? 2 : 5); order++) {
      check_bits(context, dim, order, CW_SINGLE, 64);
      check_bits(context, dim, order, CW_SINGLE, 32);
      check_bits(context, dim, order, CW_DOUBLE, 64);
    }
}

/* Everything in one place, the largest move along each axis, the largest weight: the sums come as
 * near to the bound as they can; one that passed it would wrap and be wrong by its own size. The
 * whole of a 32-bit scratch stands at 2^31/n - 1 quanta a particle: 1e-3 of 4,000 of them. */
static void crowded_particles_do_not_overflow(cw_context *context) {
  for (int dim = plain_short() ? 3 : 2; dim <= 3; dim++)
    for (int order = plain_short() ? 3 : 0; order <= (plain_short() ? 3 : 4); order++)
      for (int bits = plain_short() ? 64 : 32; bits <= 64; bits += 32)
        for (int precision = bits == 32; precision < 2; precision++) {
          fixture f = make(context, dim, order, precision ? CW_SINGLE : CW_DOUBLE, 8, 1);
          cw_deposit_options options = {.order = order,
                                        .charge = 1,
                                        .dt = f.dt,
                                        .drift = 1,
                                        .max_move = f.dt,
                                        .method = CW_DEPOSIT_TILED_FIXED,
                                        .scratch_bits = bits};
          const size_t points = (size_t)f.grid.points;
          const size_t real = (size_t)cw_precision_size(f.precision), count = (size_t)f.host.count;
          double *plain = calloc(3 * points, 8), *found = calloc(3 * points, 8);
          for (int64_t p = 0; p < f.host.count; p++) {
            for (int a = 0; a < dim; a++) {
              const double from = order % 2 ? 0.5 - f.dt / 2 : 0.999 - f.dt;
              f.host.i[a][p] = f.host.i_prev[a][p] = 4;
              cw_real_set(f.host.dx_prev[a], f.precision, p, from);
              cw_real_set(f.host.dx[a], f.precision, p, from + f.dt);
            }
            cw_real_set(f.host.weight, f.precision, p, 3e20);
          }
          for (int a = 0; a < dim; a++) {
            plain_ok(context, cw_device_write(context, f.device.i[a], f.host.i[a], count * 4));
            plain_ok(context,
                     cw_device_write(context, f.device.i_prev[a], f.host.i_prev[a], count * 4));
            plain_ok(context, cw_device_write(context, f.device.dx[a], f.host.dx[a], count * real));
            plain_ok(context, cw_device_write(context, f.device.dx_prev[a], f.host.dx_prev[a],
                                              count * real));
          }
          plain_ok(context, cw_device_write(context, f.device.weight, f.host.weight, count * real));
          cw_vector_view J = {CW_DOUBLE, {plain, plain + points, plain + 2 * points}};
          plain_ok(context, cw_deposit_current_reference(context, &options, &f.grid, &f.host, J));
          deposit(&f, &options, found, NULL);
          /* equal particles: roundings add up in one direction, in the plain sum too */
          const double allowed = f.precision == CW_DOUBLE ? (double)f.host.count * 0x1p-53
                                 : bits == 32 && order >= 1 && order <= 3 ? 1e-3
                                                                          : 1e-6;
          const double error = difference(&f, found, plain);
          plain_check(error <= allowed, "dim %d order %d %s %d bits: error %.2e", dim, order,
                      cw_precision_name(f.precision), bits, error);
          free(plain), free(found);
          clear(&f);
        }
}

int main(void) {
  static const plain_case cases[] = {
      PLAIN_CASE(a_tile_too_large_for_any_team_is_refused_with_those_that_fit),
      PLAIN_CASE(what_is_said_to_fit_is_launched),
      PLAIN_CASE(a_tile_too_large_for_three_components_takes_one_at_a_time),
      PLAIN_CASE(a_slice_is_clamped_to_the_live_count),
      PLAIN_CASE(what_stands_in_J_stays),
      PLAIN_CASE(fixed_point_has_the_same_bits_by_every_way),
      PLAIN_CASE(crowded_particles_do_not_overflow)};
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
