/* Gather and push on the device against the plain double push on the host: every order, dimension,
 * precision and pusher, fields from the caches and from shared memory, with tail, escapes and dead
 * slots, with and without a cell table. CELLWISE_TIME=1 adds picoseconds a particle. */
#include "push_case.h"
#include "push_rates.h"

static int drags(const cw_push_options *options) {
  return options->drag.synchrotron > 0 || options->drag.compton > 0;
}

/* The host's answer in double precision: the plain push, or, as it takes a time that doubles with
 * the order, from order 6 on the fast one (which is compared with the plain one elsewhere); that one
 * for drag too, which the plain one integrates in another way. */
static cw_particles_view expected(const fixture *f, const cw_push_options *options,
                                  cw_vector_view E, cw_vector_view B) {
  cw_particles_view view = widened(f->context, f->grid.dim, f->start);
  if (options->order < 6 && !drags(options))
    plain_ok(f->context, cw_push_reference(f->context, options, &f->grid, E, B, &view));
  else
    plain_ok(f->context, cw_push(f->context, options, &f->grid, E, B, NULL, &view));
  return view;
}

static int slot_unchanged(cw_particles_view found, cw_particles_view start, int64_t slot) {
  void **x[ARRAYS], **y[ARRAYS];
  size_t sizes[ARRAYS];
  list_arrays(&found, x, sizes);
  list_arrays(&start, y, sizes);
  for (int n = 0; n < ARRAYS; n++) {
    const size_t at = (size_t)slot * sizes[n];
    if (*x[n] && memcmp((char *)*x[n] + at, (char *)*y[n] + at, sizes[n]) != 0)
      return 0;
  }
  return 1;
}

/* Largest error of a living slot's momentum (of |u|, or 1 if that is smaller) and position (of a
 * cell); infinite where an offset leaves [0, 1) or the old position is not kept. */
static double slot_error(const fixture *f, cw_particles_view found, cw_particles_view want,
                         int64_t p) {
  double most = 0, size = 1;
  for (int a = 0; a < 3; a++)
    size = cw_larger(size, fabs(((double *)want.u[a])[p]));
  for (int a = 0; a < 3; a++) {
    const double difference = cw_real_get(found.u[a], f->precision, p) - ((double *)want.u[a])[p];
    const double error = fabs(difference) / size;
    most = cw_larger(most, error);
    if (a >= f->grid.dim)
      continue;
    const double dx = cw_real_get(found.dx[a], f->precision, p);
    const double moved = fabs(found.i[a][p] - want.i[a][p] + (dx - ((double *)want.dx[a])[p]));
    most = cw_larger(most, moved);
    if (!(dx >= 0 && dx < 1) || found.i_prev[a][p] != f->start.i[a][p] ||
        cw_real_get(found.dx_prev[a], f->precision, p) !=
            cw_real_get(f->start.dx[a], f->precision, p))
      return INFINITY;
  }
  return most;
}

static void compare(const fixture *f, cw_particles_view found, cw_particles_view want,
                    const char *what) {
  /* u and fields are of order 1: some ten roundings, and those of order + 1 weights an axis. */
  const double tolerance = f->precision == CW_DOUBLE ? 1e-13 : 2e-6;
  double most = 0;
  int64_t worst = 0, changed = 0;
  for (int64_t p = 0; p < f->start.count; p++) {
    if (f->start.tag[p] == CW_TAG_DEAD) {
      changed += !slot_unchanged(found, f->start, p);
      continue;
    }
    const double error = slot_error(f, found, want, p);
    if (error > most || isnan(error)) {
      most = error;
      worst = p;
    }
  }
  plain_check(most <= tolerance && changed == 0, "%s: error %.2e in slot %lld, %lld dead changed",
              what, most, (long long)worst, (long long)changed);
}

/* Pushes a fresh copy on the device and reads it back. */
static void push_copy(fixture *f, const cw_push_options *options, int with_cells,
                      const cw_push_tuning *tuning, int with_E, int with_B,
                      cw_particles_view *found) {
  const cw_vector_view none = {.precision = f->precision};
  const cw_vector_view E = with_E ? f->device_E : none, B = with_B ? f->device_B : none;
  const cw_cells_view *cells = with_cells ? &f->device_cells : NULL;
  transfer(f->context, f->start, &f->device);
  if (tuning) {
    cw_push_job job = cw_push_make_job(options, &f->grid, &E, &B, &f->device);
    plain_ok(f->context, cw_push_cuda(f->context, &job, cells, tuning));
  } else {
    plain_ok(f->context, cw_push(f->context, options, &f->grid, E, B, cells, &f->device));
  }
  plain_ok(f->context, cw_device_synchronize(f->context));
  transfer(f->context, f->device, found);
}

static void check_pusher(fixture *f, const cw_push_options *given, int tile, int with_E,
                         int with_B) {
  cw_push_options options = *given;
  const cw_vector_view none = {.precision = CW_DOUBLE};
  const int order = options.order > 0 ? options.order : 1;
  const int acts = (with_E || with_B) && options.pusher != CW_PUSHER_NONE &&
                   options.pusher != CW_PUSHER_MASSLESS;
  cw_particles_view want = expected(f, &options, with_E ? f->E : none, with_B ? f->B : none);
  cw_particles_view found =
      make_view(f->context, f->grid.dim, f->precision, CW_SPACE_HOST, f->start.count);
  cw_particles_view again =
      make_view(f->context, f->grid.dim, f->precision, CW_SPACE_HOST, f->start.count);
  for (int variant = 0; variant < 6; variant++) {
    const cw_push_tuning staged = {CW_PUSH_STAGING_ALWAYS, variant - 3, variant == 5 ? 64 : 0};
    const int tuned = variant > 2;
    if (tuned && (order > 3 || !acts || tile > 8 || drags(given)))
      continue;
    char what[128];
    snprintf(what, sizeof what, "dim %d order %d %s %s tile %d E %d B %d variant %d", f->grid.dim,
             options.order, cw_precision_name(f->precision), cw_pusher_name(options.pusher), tile,
             with_E, with_B, variant);
    options.path = variant == 1 ? CW_PUSH_PATH_SCALAR : CW_PUSH_PATH_AUTO;
    push_copy(f, &options, variant != 2, tuned ? &staged : NULL, with_E, with_B, &found);
    compare(f, found, want, what);
    push_copy(f, &options, variant != 2, tuned ? &staged : NULL, with_E, with_B, &again);
    int64_t differ = 0;
    for (int64_t p = 0; p < f->start.count; p++)
      differ += !slot_unchanged(again, found, p);
    plain_check(differ == 0, "%s: %lld slots differ in a second run", what, (long long)differ);
  }
  free_view(f->context, &want);
  free_view(f->context, &found);
  free_view(f->context, &again);
}

static void every_order_dimension_precision_and_pusher(cw_context *context) {
  for (int dim = 1; dim <= 3; dim++)
    for (int order = 0; order <= (plain_short() ? 4 : CW_PUSH_MAX_ORDER); order++)
      for (int precision = 0; precision < 2; precision++) {
        if (plain_short() && (dim + order + precision) % 4)
          continue;
        fixture f = make(context, dim, order, (cw_precision)precision, 4, 0);
        for (int pusher = plain_short() ? CW_PUSHER_BORIS : CW_PUSHER_NONE;
             pusher <= (plain_short() ? CW_PUSHER_BORIS : CW_PUSHER_MASSLESS); pusher++) {
          const cw_push_options options = {
              .order = order, .pusher = (cw_pusher)pusher, .dt = f.dt, .force_scale = 0.4};
          check_pusher(&f, &options, 4, 1, 1);
        }
        clear(&f);
      }
}

static void every_tile_size(cw_context *context) {
  for (int dim = 1; dim <= 3; dim++)
    for (int tile = 4; tile <= 16; tile += 2)
      for (int order = 1; order <= 3; order++)
        for (int precision = 0; precision < 2; precision++) {
          if (plain_short() && (dim != order || tile % 12))
            continue;
          fixture f = make(context, dim, order, (cw_precision)precision, tile, 0);
          const cw_push_options options = {
              .order = order, .pusher = CW_PUSHER_BORIS, .dt = f.dt, .force_scale = -0.4};
          check_pusher(&f, &options, tile, 1, 1);
          clear(&f);
        }
}

static void one_field_or_none(cw_context *context) {
  for (int dim = plain_short() ? 3 : 1; dim <= 3; dim++)
    for (int order = 1; order <= 4; order++)
      for (int given = 0; given < 3; given++) {
        fixture f = make(context, dim, order, CW_DOUBLE, 8, 0);
        const cw_push_options options = {
            .order = order, .pusher = CW_PUSHER_VAY, .dt = f.dt, .force_scale = 0.4};
        check_pusher(&f, &options, 8, given == 1, given == 2);
        clear(&f);
      }
}

static void radiation(cw_context *context) {
  static const cw_push_drag kinds[] = {{0.01, 0}, {0, 0.02}, {0.01, 0.02}};
  for (int dim = 1; dim <= 3; dim++)
    for (int order = 1; order <= 4; order++)
      for (int precision = 0; precision < 2; precision++) {
        fixture f = make(context, dim, order, (cw_precision)precision, 8, 0);
        for (int kind = 0; kind < 3; kind++) {
          const cw_push_options options = {.order = order,
                                           .pusher = (cw_pusher)(CW_PUSHER_BORIS + kind),
                                           .dt = f.dt,
                                           .force_scale = 0.4,
                                           .drag = kinds[kind]};
          check_pusher(&f, &options, 8, 1, 1);
        }
        clear(&f);
      }
  fixture f = make(context, 2, 2, CW_DOUBLE, 8, 0); /* a free particle in light */
  const cw_push_options options = {
      .order = 2, .pusher = CW_PUSHER_BORIS, .dt = f.dt, .force_scale = 0.4, .drag = kinds[1]};
  check_pusher(&f, &options, 8, 0, 0);
  clear(&f);
}

static void a_momentum_that_is_not_finite_is_named(cw_context *context) {
  for (int tuned = 0; tuned < 2; tuned++) {
    fixture f = make(context, 3, 2, CW_SINGLE, 8, 0);
    const cw_push_options options = {
        .order = 2, .pusher = CW_PUSHER_BORIS, .dt = f.dt, .force_scale = 0.4};
    const int64_t slots[] = {703, 411, 900};
    for (int k = 0; k < 3; k++) {
      f.start.tag[slots[k]] = CW_TAG_ALIVE;
      cw_real_set(f.start.u[k], CW_SINGLE, slots[k], k ? NAN : INFINITY);
    }
    cw_real_set(f.start.u[0], CW_SINGLE, 17, NAN); /* dead: none of its business */
    transfer(context, f.start, &f.device);
    plain_ok(context, cw_push(context, &options, &f.grid, f.device_E, f.device_B,
                              tuned ? &f.device_cells : NULL, &f.device));
    plain_refused(context, cw_device_synchronize(context), CW_ERROR_NUMERIC, "slot 411 ");
    plain_check(strstr(cw_context_message(context), "momentum") != NULL, "%s",
                cw_context_message(context));
    plain_ok(context, cw_device_synchronize(context));
    clear(&f);
  }
}

static void a_particle_outside_the_block_is_named_and_reads_nothing(cw_context *context) {
  for (int with_cells = 0; with_cells < 2; with_cells++) {
    fixture f = make(context, 2, 2, CW_DOUBLE, 8, 0);
    const cw_push_options options = {
        .order = 2, .pusher = CW_PUSHER_BORIS, .dt = f.dt, .force_scale = 0.4};
    static const int32_t far[] = {1000, -1000, INT32_MAX, INT32_MIN};
    for (int k = 0; k < 4; k++) {
      f.start.tag[500 + k] = CW_TAG_ALIVE;
      f.start.i[k % 2][500 + k] = far[k];
    }
    transfer(context, f.start, &f.device);
    plain_ok(context, cw_push(context, &options, &f.grid, f.device_E, f.device_B,
                              with_cells ? &f.device_cells : NULL, &f.device));
    plain_refused(context, cw_device_synchronize(context), CW_ERROR_NUMERIC, "slot 500 ");
    plain_check(strstr(cw_context_message(context), "outside") != NULL, "%s",
                cw_context_message(context));
    clear(&f);
  }
}

static void narrow_ghosts_are_enough_and_not_passed(cw_context *context) {
  for (int dim = plain_short() ? 3 : 1; dim <= 3; dim++)
    for (int order = 1; order <= 3; order++) {
      fixture f = make(context, dim, order, CW_SINGLE, 4, 1);
      const cw_push_options options = {
          .order = order, .pusher = CW_PUSHER_BORIS, .dt = f.dt, .force_scale = 0.4};
      check_pusher(&f, &options, 4, 1, 1);
      const int64_t slots[] = {1, f.device_cells.npart_partitioned - 1};
      const int32_t cells[] = {-1, f.grid.cells[0]};
      for (int side = 0; side < 2; side++) { /* in the first tile and in the last */
        const int64_t slot = slots[side];
        const int32_t before = f.start.i[0][slot];
        char name[32];
        snprintf(name, sizeof name, "slot %lld is", (long long)slot);
        f.start.tag[slot] = CW_TAG_ALIVE;
        f.start.i[0][slot] = cells[side];
        cw_real_set(f.start.dx[0], CW_SINGLE, slot, side ? 0.75 : 0.25);
        transfer(context, f.start, &f.device);
        plain_ok(context, cw_push(context, &options, &f.grid, f.device_E, f.device_B,
                                  &f.device_cells, &f.device));
        plain_refused(context, cw_device_synchronize(context), CW_ERROR_NUMERIC, name);
        f.start.i[0][slot] = before;
      }
      clear(&f);
    }
}

static void what_cannot_be_staged_is_refused(cw_context *context) {
  fixture f = make(context, 3, 3, CW_DOUBLE, 16, 0);
  const cw_push_options options = {
      .order = 3, .pusher = CW_PUSHER_BORIS, .dt = f.dt, .force_scale = 0.4};
  const cw_push_tuning always = {CW_PUSH_STAGING_ALWAYS, 2, 0};
  cw_push_job job = cw_push_make_job(&options, &f.grid, &f.device_E, &f.device_B, &f.device);
  plain_refused(context, cw_push_cuda(context, &job, &f.device_cells, &always), CW_ERROR_ARGUMENT,
                "tile edges that fit: 4");
  plain_refused(context, cw_push_cuda(context, &job, NULL, &always), CW_ERROR_ARGUMENT, "sorted");
  job.order = 4;
  plain_refused(context, cw_push_cuda(context, &job, &f.device_cells, &always), CW_ERROR_ARGUMENT,
                "order is 4");
  clear(&f);
}

int main(void) {
  static const plain_case cases[] = {
      PLAIN_CASE(every_order_dimension_precision_and_pusher),
      PLAIN_CASE(every_tile_size),
      PLAIN_CASE(one_field_or_none),
      PLAIN_CASE(radiation),
      PLAIN_CASE(a_momentum_that_is_not_finite_is_named),
      PLAIN_CASE(a_particle_outside_the_block_is_named_and_reads_nothing),
      PLAIN_CASE(narrow_ghosts_are_enough_and_not_passed),
      PLAIN_CASE(what_cannot_be_staged_is_refused),
      PLAIN_CASE(rates)};
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
