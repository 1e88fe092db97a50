/* The Yee update against its exact discrete solutions and invariants. */
#include "base/reals.h"
#include "fields/fields_fixture.h"

/* Phase k.x of component `a` of E (or of B) at index (i, j, k): staggering as in fields.h. */
static double phase(const fixture *f, const double k[3], int of_B, int a, int32_t i, int32_t j,
                    int32_t l) {
  const int32_t cell[3] = {i, j, l};
  double sum = 0;
  for (int b = 0; b < f->grid.dim; b++) {
    double half = (a == b) != of_B ? 0.5 : 0;
    sum += k[b] * (cell[b] + half) * f->grid.dx[b];
  }
  return sum;
}

/* A discrete plane wave: E = e cos(k.x - w t), B = b cos(k.x - w t) where, with
 * K_a = 2 sin(k_a dx_a / 2) / dx_a and W = 2 sin(w dt / 2) / dt, e.K = 0, b = K x e / W. */
typedef struct wave {
  double k[3], e[3], b[3], omega;
} wave;

static wave make_wave(const fixture *f, const int mode[3], double dt) {
  wave w = {0};
  double K[3] = {0}, square = 0, e[3] = {0.3, -0.7, 0.5}, dot = 0;
  for (int a = 0; a < f->grid.dim; a++) {
    w.k[a] = 2 * PI * mode[a] / (f->grid.cells[a] * f->grid.dx[a]);
    K[a] = 2 * sin(w.k[a] * f->grid.dx[a] / 2) / f->grid.dx[a];
    square += K[a] * K[a];
    dot += K[a] * e[a];
  }
  for (int a = 0; a < 3; a++)
    w.e[a] = e[a] - K[a] * dot / square;
  w.omega = 2 / dt * asin(dt / 2 * sqrt(square));
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    w.b[a] = (K[b] * w.e[c] - K[c] * w.e[b]) / sqrt(square);
  }
  return w;
}

static void put_wave(fixture *f, const wave *w, double time_E, double time_B) {
  cw_vector_view E = cw_fields_E(f->fields), B = cw_fields_B(f->fields);
  for_interior(&f->grid, i, j, k) for (int a = 0; a < 3; a++) {
    int64_t at = cw_grid_index(&f->grid, i, j, k);
    set(E.precision, E.component[a], at,
        w->e[a] * cos(phase(f, w->k, 0, a, i, j, k) - w->omega * time_E));
    set(B.precision, B.component[a], at,
        w->b[a] * cos(phase(f, w->k, 1, a, i, j, k) - w->omega * time_B));
  }
  ck_ok(f->context, cw_fields_fill_ghosts(f->fields));
}

/* Largest difference from the wave at the given times. */
static double wave_error(const fixture *f, const wave *w, double time_E, double time_B) {
  cw_vector_view E = cw_fields_E(f->fields), B = cw_fields_B(f->fields);
  double worst = 0;
  for_interior(&f->grid, i, j, k) for (int a = 0; a < 3; a++) {
    int64_t at = cw_grid_index(&f->grid, i, j, k);
    double e = get(E.precision, E.component[a], at) -
               w->e[a] * cos(phase(f, w->k, 0, a, i, j, k) - w->omega * time_E);
    double b = get(B.precision, B.component[a], at) -
               w->b[a] * cos(phase(f, w->k, 1, a, i, j, k) - w->omega * time_B);
    ck_assert(isfinite(e) && isfinite(b));
    worst = cw_larger(worst, cw_larger(fabs(e), fabs(b)));
  }
  return worst;
}

enum { WAVES = 8, WAVE_STEPS = 200 };
static const struct {
  int dim;
  int32_t cells[3];
  int mode[3];
} waves[WAVES] = {{1, {32, 1, 1}, {1, 0, 0}},    {1, {33, 1, 1}, {11, 0, 0}},
                  {2, {20, 24, 1}, {0, 5, 0}},   {2, {20, 24, 1}, {3, -4, 0}},
                  {2, {20, 1, 1}, {7, 0, 0}},    {3, {12, 10, 14}, {1, 2, 3}},
                  {3, {12, 10, 14}, {5, -4, 6}}, {3, {2, 9, 8}, {1, 0, -2}}};

static void check_wave(int which, cw_precision precision, cw_isa isa, double tolerance) {
  static const double dx[3] = {0.1, 0.13, 0.09};
  cw_context *context = make_context(1, isa);
  if (!context)
    return;
  cw_fields_options options = {.precision = precision};
  fixture f = make_fixture_on(context, waves[which].dim, waves[which].cells, 2, dx, &options);
  double inverse = 0;
  for (int a = 0; a < f.grid.dim; a++)
    inverse += 1 / (dx[a] * dx[a]);
  double dt = 0.9 / sqrt(inverse);
  wave w = make_wave(&f, waves[which].mode, dt);
  put_wave(&f, &w, 0, -dt / 2);
  for (int step = 1; step <= WAVE_STEPS; step++) {
    ck_ok(context, cw_fields_advance_B(f.fields, dt));
    ck_ok(context, cw_fields_advance_E(f.fields, dt, 0));
  }
  /* An error d of omega would show as d * WAVE_STEPS * dt in the phase. */
  double found = wave_error(&f, &w, WAVE_STEPS * dt, (WAVE_STEPS - 0.5) * dt);
  ck_assert_msg(found <= tolerance, "wave %d, %s: error %g", which, cw_isa_name(isa), found);
  drop_fixture(&f);
}

START_TEST(test_light_wave_obeys_the_discrete_dispersion) {
  for (int isa = CW_ISA_BASE; isa <= CW_ISA_AVX512; isa++) {
    /* Round-off of 200 steps: 1e-13 in double; in float each step rounds to 6e-8, and dt / dx
     * is rounded once, which shifts omega t (at most 180) by 6e-8 of itself. */
    check_wave(_i, CW_DOUBLE, (cw_isa)isa, 1e-12);
    check_wave(_i, CW_SINGLE, (cw_isa)isa, 3e-5);
  }
}
END_TEST

START_TEST(test_correction_multiplies_the_speed_of_light) {
  static const double dx[3] = {0.1, 0.1, 0.1};
  static const int32_t cells[3] = {16, 16, 1};
  cw_fields_options options = {.precision = CW_DOUBLE, .correction = 1.05};
  fixture f = make_fixture(2, cells, 2, dx, &options);
  double dt = 0.06;
  /* c dt is all that enters: a wave of c = 1 with a longer step. */
  wave w = make_wave(&f, (const int[3]){2, 3, 0}, 1.05 * dt);
  put_wave(&f, &w, 0, -0.5 * 1.05 * dt);
  for (int step = 0; step < 50; step++) {
    ck_ok(f.context, cw_fields_advance_B(f.fields, dt));
    ck_ok(f.context, cw_fields_advance_E(f.fields, dt, 0));
  }
  ck_close(wave_error(&f, &w, 50 * 1.05 * dt, 49.5 * 1.05 * dt), 0, 1e-12);
  drop_fixture(&f);
}
END_TEST

START_TEST(test_div_B_stays_zero) {
  static const double dx[3] = {0.1, 0.13, 0.09};
  static const int32_t cells[3] = {9, 8, 7};
  cw_fields_options options =
      walls(CW_DOUBLE, _i == 0 ? 0 : 3, CW_FIELD_CONDUCTOR, CW_PARTICLE_REFLECT);
  fixture f = make_fixture(3, cells, 2, dx, &options);
  for (int a = 0; a < 3; a++)
    randomise(&f.grid, CW_DOUBLE, cw_fields_E(f.fields).component[a], (uint32_t)a);
  ck_ok(f.context, cw_fields_fill_ghosts(f.fields));
  for (int step = 0; step < 100; step++) {
    ck_ok(f.context, cw_fields_advance_B(f.fields, 0.05));
    ck_ok(f.context, cw_fields_advance_E(f.fields, 0.05, 0));
  }
  double *divergence = calloc((size_t)f.grid.points, sizeof *divergence);
  ck_ok(f.context, cw_fields_divergence(f.fields, 1, divergence));
  /* |B| / dx about 30, 100 steps of 1e-16 each. */
  for_interior(&f.grid, i, j, k) ck_close(divergence[cw_grid_index(&f.grid, i, j, k)], 0, 1e-12);
  free(divergence);
  drop_fixture(&f);
}
END_TEST

START_TEST(test_gauss_law_is_kept_by_a_current_with_continuity) {
  static const double dx[3] = {0.1, 0.13, 0.09};
  static const int32_t cells[3] = {9, 8, 7};
  const int dim = _i + 1;
  const double dt = 0.04, scale = 3.7;
  cw_fields_options options = {.precision = CW_DOUBLE};
  fixture f = make_fixture(dim, cells, 2, dx, &options);
  cw_vector_view E = cw_fields_E(f.fields), J = cw_fields_J(f.fields);
  double *rho = calloc((size_t)f.grid.points, sizeof *rho);
  for (int a = 0; a < 3; a++)
    randomise(&f.grid, CW_DOUBLE, E.component[a], (uint32_t)a);
  ck_ok(f.context, cw_fields_fill_ghosts(f.fields));
  ck_ok(f.context, cw_fields_divergence(f.fields, 0, rho));
  for (int64_t at = 0; at < f.grid.points; at++)
    rho[at] /= scale;
  for (uint32_t step = 0; step < 30; step++) {
    for (int a = 0; a < 3; a++)
      for_interior(&f.grid, i, j, k) {
        int64_t at = cw_grid_index(&f.grid, i, j, k);
        ((double *)J.component[a])[at] = random_value(10 + 3 * step + (uint32_t)a, at);
      }
    ck_ok(f.context, cw_fields_sync_J(f.fields, 0)); /* fills the ghost cells */
    for_interior(&f.grid, i, j, k) {
      int64_t at = cw_grid_index(&f.grid, i, j, k);
      for (int a = 0; a < dim; a++) {
        const double *current = J.component[a];
        rho[at] -= dt * (current[at] - current[at - f.grid.stride[a]]) / dx[a];
      }
    }
    ck_ok(f.context, cw_fields_advance_B(f.fields, dt));
    ck_ok(f.context, cw_fields_advance_E(f.fields, dt, dt * scale));
  }
  double error, largest;
  ck_ok(f.context, cw_fields_charge_error(f.fields, rho, scale, &error, &largest));
  ck_close(error / largest, 0, 1e-13); /* round-off of 30 steps */
  ck_assert(largest > 1);
  free(rho);
  drop_fixture(&f);
}
END_TEST

/* A hash of E and B after some steps with currents. */
static uint64_t bits_after(int threads, cw_precision precision, cw_isa isa) {
  static const double dx[3] = {0.1, 0.13, 0.09};
  static const int32_t cells[3] = {41, 30, 33}; /* more than CW_FIELDS_PARALLEL_POINTS */
  cw_fields_options options = {.precision = precision, .absorb_width = {0, 0, 1}};
  for (int side = 0; side < 2; side++) {
    options.boundary[1][side] = CW_FIELD_CONDUCTOR;
    options.particle[1][side] = CW_PARTICLE_REFLECT;
    options.boundary[2][side] = CW_FIELD_ABSORB;
    options.particle[2][side] = CW_PARTICLE_ABSORB;
  }
  cw_context *context = make_context(threads, isa);
  if (!context)
    return 0;
  fixture f = make_fixture_on(context, 3, cells, 3, dx, &options);
  uint64_t hash = 1469598103934665603u;
  for (int step = 0; step < 3; step++) {
    for (int a = 0; a < 3; a++)
      randomise(&f.grid, precision, cw_fields_J(f.fields).component[a], (uint32_t)(3 * step + a));
    ck_ok(context, cw_fields_sync_J(f.fields, 4));
    ck_ok(context, cw_fields_advance_B(f.fields, 0.05));
    ck_ok(context, cw_fields_advance_E(f.fields, 0.05, 0.05));
  }
  cw_vector_view views[2] = {cw_fields_E(f.fields), cw_fields_B(f.fields)};
  for (int set = 0; set < 2; set++)
    for (int a = 0; a < 3; a++) {
      const unsigned char *bytes = views[set].component[a];
      size_t count = (size_t)f.grid.points * (size_t)cw_precision_size(precision);
      for (size_t b = 0; b < count; b++)
        hash = (hash ^ bytes[b]) * 1099511628211u;
    }
  double energy[2];
  ck_ok(context, cw_fields_energy(f.fields, &energy[0], &energy[1]));
  for (size_t b = 0; b < sizeof energy; b++)
    hash = (hash ^ ((const unsigned char *)energy)[b]) * 1099511628211u;
  drop_fixture(&f);
  return hash;
}

START_TEST(test_bits_do_not_depend_on_threads) {
  for (int isa = CW_ISA_BASE; isa <= CW_ISA_AVX512; isa++)
    for (int precision = CW_SINGLE; precision <= CW_DOUBLE; precision++) {
      uint64_t one = bits_after(1, (cw_precision)precision, (cw_isa)isa);
      for (int threads = 2; threads <= 3; threads++)
        ck_assert_uint_eq(bits_after(threads, (cw_precision)precision, (cw_isa)isa), one);
    }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("yee");
  TCase *tests = tcase_create("all");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_light_wave_obeys_the_discrete_dispersion, 0, WAVES);
  tcase_add_test(tests, test_correction_multiplies_the_speed_of_light);
  tcase_add_loop_test(tests, test_div_B_stays_zero, 0, 2);
  tcase_add_loop_test(tests, test_gauss_law_is_kept_by_a_current_with_continuity, 0, 3);
  tcase_add_test(tests, test_bits_do_not_depend_on_threads);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
