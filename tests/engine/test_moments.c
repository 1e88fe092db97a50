/* Moments of particles against closed forms: beams, a drifting Maxwell-Juttner plasma, walls. */
#include <math.h>
#include <stdlib.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "engine/engine_deck.h"
#include "engine/records.h"

/* Two species of masses 1 and 3; sides and quantities are filled in. */
static const char box[] =
    "[simulation]\nname = \"moments\"\nengine = \"srpic\"\nruntime = 1\nprecision = \"%s\"\n"
    "[grid]\nresolution = [12, 8]\nextent = [[0, 1.2], [0, 0.8]]\n"
    "[grid.metric]\nmetric = \"minkowski\"\n"
    "[grid.boundaries]\nfields = [[\"%s\"], [\"PERIODIC\"]]\n"
    "particles = [[\"%s\"], [\"PERIODIC\"]]\n"
    "[scales]\nlarmor0 = 1\nskindepth0 = 1\n"
    "[algorithms]\ntimestep.CFL = 0.5\ndeposit.shape_order = 2\n"
    "[particles]\nppc0 = %s\nuse_weights = true\n"
    "[[particles.species]]\nlabel = \"light\"\nmass = 1\ncharge = -1\n"
    "[[particles.species]]\nlabel = \"heavy\"\nmass = 3\ncharge = 1\n"
    "[setup]\nproblem = \"thermal\"\ntemperature = 0.1\ndrift = [0.6, 0, 0.2]\n"
    "[output.fields]\nquantities = [\"divB\", \"divE_error\", \"N\", \"N_all\", \"Rho_1_2\", "
    "\"Charge_all\", "
    "\"V\", \"V_all\", \"kinetic\", \"temperature\", \"T00\", \"T0i\", \"Tij\", \"Nppc\"]\n";

typedef struct moments_case {
  engine_fixture f;
  cw_records *records;
} moments_case;

static moments_case begin(const char *precision, const char *fields, const char *particles,
                          const char *ppc0, int threads) {
  char text[sizeof box + 200];
  moments_case made = {{0}, NULL};
  snprintf(text, sizeof text, box, precision, fields, particles, ppc0);
  made.f = engine_from_text(text, threads);
  return made;
}

static moments_case periodic(const char *precision, const char *ppc0, int threads) {
  return begin(precision, "PERIODIC", "PERIODIC", ppc0, threads);
}

static void sum(moments_case *c) {
  cw_records_destroy(c->records);
  CW_CHECK_OK(c->f.context, cw_records_create(c->f.engine, c->f.deck, &c->records));
}

static void end(moments_case *c) {
  cw_records_destroy(c->records);
  engine_clear(&c->f);
}

/* A component of the record of that name, copied: [points], to be freed. */
static double *get(moments_case *c, const char *name, int component) {
  cw_deck_record record;
  cw_record_values values;
  const int64_t points = cw_engine_grid(c->f.engine)->points;
  double *copy = malloc((size_t)points * sizeof *copy);
  ck_assert_ptr_nonnull(copy);
  for (int n = 0; cw_deck_output_record(c->f.deck, n, &record); n++) {
    if (strcmp(record.name, name) != 0)
      continue;
    CW_CHECK_OK(c->f.context, cw_records_get(c->records, &record, &values));
    ck_assert_int_eq(values.precision, CW_DOUBLE);
    memcpy(copy, values.component[component], (size_t)points * sizeof *copy);
    return copy;
  }
  ck_abort_msg("there is no record %s", name);
  return NULL;
}

/* Every particle of species s gets this momentum. */
static void set_momentum(moments_case *c, int s, const double u[3]) {
  const cw_particles_view view = cw_particles_get_view(cw_engine_particles(c->f.engine, s));
  for (int64_t p = 0; p < view.count; p++)
    for (int a = 0; a < 3; a++)
      ((double *)view.u[a])[p] = u[a];
}

/* Largest |values - factor N| over the interior, in units of the largest |factor N|. */
static double worst(const moments_case *c, const double *values, const double *N, double factor) {
  const cw_grid *grid = cw_engine_grid(c->f.engine);
  double error = 0, largest = 1e-300;
  for (int32_t j = 0; j < grid->cells[1]; j++)
    for (int32_t i = 0; i < grid->cells[0]; i++) {
      const int64_t k = cw_grid_index(grid, i, j, 0);
      const double off = fabs(values[k] - factor * N[k]);
      ck_assert(isfinite(off));
      error = cw_larger(error, off);
      largest = cw_larger(largest, cw_larger(fabs(factor * N[k]), N[k]));
    }
  return error / largest;
}

static double mean(const moments_case *c, const double *values) {
  const cw_grid *grid = cw_engine_grid(c->f.engine);
  double total = 0;
  for (int32_t j = 0; j < grid->cells[1]; j++)
    for (int32_t i = 0; i < grid->cells[0]; i++)
      total += values[cw_grid_index(grid, i, j, 0)];
  return total / ((double)grid->cells[0] * grid->cells[1]);
}

static void expect_ratio(moments_case *c, const char *name, int component, const double *N,
                         double factor) {
  double *values = get(c, name, component);
  const double found = worst(c, values, N, factor);
  /* sums of some 600 terms, each to round-off */
  ck_assert_msg(found <= 1e-13, "%s, component %d: off by %g", name, component, found);
  ck_assert_msg(worst(c, values, N, 1.0001 * factor + 1e-4) > 1e-13, "%s: a wrong one passes",
                name);
  free(values);
}

/* All particles of a beam have one u: T^ij = m n u_i u_j / gamma, and nothing is hot. */
START_TEST(test_cold_beam_has_the_stress_of_one_particle) {
  static const double u[3] = {0.75, -2.0, 0.5}, m = 3;
  static const char *const names[6] = {"Txx_heavy", "Txy_heavy", "Txz_heavy",
                                       "Tyy_heavy", "Tyz_heavy", "Tzz_heavy"};
  static const int pair[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
  const double gamma = sqrt(1 + u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  moments_case c = periodic("double", "16", 2);
  set_momentum(&c, 1, u);
  sum(&c);
  double *N = get(&c, "density_heavy", 0), *one = get(&c, "V_heavy", 0);
  for (int k = 0; k < 6; k++)
    expect_ratio(&c, names[k], 0, N, m * u[pair[k][0]] * u[pair[k][1]] / gamma);
  expect_ratio(&c, "T00_heavy", 0, N, m * gamma);
  expect_ratio(&c, "kinetic_heavy", 0, N, m * (gamma - 1));
  for (int64_t k = 0; k < cw_engine_grid(c.f.engine)->points; k++)
    one[k] = 1;
  for (int a = 0; a < 3; a++) {
    expect_ratio(&c, "T0i_heavy", a, N, m * u[a]);
    expect_ratio(&c, "V_heavy", a, one, u[a] / gamma);
  }
  double *T = get(&c, "temperature_heavy", 0);
  /* a difference of energies of gamma^2 = 5.8 to round-off */
  ck_assert_msg(worst(&c, T, one, 0) <= 1e-13, "temperature %g", worst(&c, T, one, 0));
  free(T);
  free(one);
  free(N);
  end(&c);
}
END_TEST

/* Two beams of both species are one gas: V_all is the mean of particles, mass and charge add up. */
START_TEST(test_sums_over_species_add_up) {
  static const double still[3] = {0, 0, 0}, moving[3] = {0.75, 0, 0};
  moments_case c = periodic("double", "16", 1);
  set_momentum(&c, 0, still);
  set_momentum(&c, 1, moving);
  sum(&c);
  double *light = get(&c, "density_light", 0), *heavy = get(&c, "density_heavy", 0);
  double *all = get(&c, "density_all", 0), *mass = get(&c, "Rho_1_2", 0);
  double *charge = get(&c, "Charge_all", 0), *V = get(&c, "V_all", 0);
  const cw_grid *grid = cw_engine_grid(c.f.engine);
  for (int32_t j = 0; j < grid->cells[1]; j++)
    for (int32_t i = 0; i < grid->cells[0]; i++) {
      const int64_t k = cw_grid_index(grid, i, j, 0);
      ck_assert_double_eq_tol(all[k], light[k] + heavy[k], 1e-14);
      ck_assert_double_eq_tol(mass[k], light[k] + 3 * heavy[k], 1e-14);
      ck_assert_double_eq_tol(charge[k], heavy[k] - light[k], 1e-14);
      ck_assert_double_eq_tol(V[k], 0.6 * heavy[k] / all[k], 1e-14);
    }
  ck_assert_double_eq_tol(mean(&c, all), 1, 0.02); /* ppc0 = 16 is halves of 8 */
  double *const made[] = {light, heavy, all, mass, charge, V};
  for (int k = 0; k < 6; k++)
    free(made[k]);
  end(&c);
}
END_TEST

/* A plasma of temperature 0.1 that drifts: in its own frame its pressure is n T, whatever the
 * drift. Heavy particles are as hot in units of their own rest energy. 96 cells of 1000 particles
 * of a species: T to 1 / sqrt(3 * 96000 / 2) = 0.3 % a standard error; of the mean over nodes. The
 * bulk velocity is the drift to sqrt(0.1 / 96000) = 0.1 %. */
START_TEST(test_drifting_maxwellian_has_its_temperature) {
  moments_case c = periodic(_i ? "single" : "double", CW_SANITIZED ? "800" : "2000", 2);
  const double T0 = 0.1, drift[3] = {0.6, 0, 0.2};
  const double wide = CW_SANITIZED ? 1.6 : 1;
  sum(&c);
  double *T = get(&c, "temperature_light", 0), *heavy = get(&c, "temperature_heavy", 0);
  ck_assert_msg(fabs(mean(&c, T) / T0 - 1) <= 0.015 * wide, "temperature %g", mean(&c, T));
  ck_assert_msg(fabs(mean(&c, heavy) / (3 * T0) - 1) <= 0.015 * wide, "heavy: %g", mean(&c, heavy));
  for (int a = 0; a < 3; a++) {
    double *V = get(&c, "V_light", a);
    ck_assert_msg(fabs(mean(&c, V) - drift[a]) <= 0.005 * wide, "V_%c %g", "xyz"[a], mean(&c, V));
    free(V);
  }
  free(T);
  free(heavy);
  end(&c);
}
END_TEST

/* At a wall that reflects, particles and their images give density without a dip, and nothing that
 * flows through it: V_x and T_xy vanish there, and do not one cell before it. */
START_TEST(test_a_wall_reflects_moments) {
  static const double u[3] = {0.75, 0.4, 0};
  moments_case c = begin("double", "CONDUCTOR", "REFLECT", "400", 2);
  const cw_grid *grid = cw_engine_grid(c.f.engine);
  set_momentum(&c, 1, u);
  sum(&c);
  double *N = get(&c, "density_heavy", 0), *V = get(&c, "V_heavy", 0);
  double *Txy = get(&c, "Txy_heavy", 0), *Txx = get(&c, "Txx_heavy", 0);
  double at_wall = 0, inside = 0;
  const double gamma = sqrt(1 + 0.75 * 0.75 + 0.4 * 0.4);
  for (int32_t j = 0; j < grid->cells[1]; j++) {
    const int64_t k = cw_grid_index(grid, 0, j, 0);
    at_wall += N[k], inside += N[k + 5];
    ck_assert(V[k] == 0 && Txy[k] == 0);
    ck_assert_double_eq_tol(Txx[k], 3 * N[k] * 0.75 * 0.75 / gamma, 1e-12);
    ck_assert_double_eq_tol(V[k + 3], 0.75 / gamma, 1e-13);
    ck_assert(V[k + 1] > 0.5 && Txy[k + 1] > 0.1);
  }
  /* each a sum of 8 * 200 particles with the shape's weights: 2 % a standard error */
  ck_assert_msg(fabs(at_wall / inside - 1) <= 0.1, "density %g at the wall, %g inside", at_wall,
                inside);
  free(N);
  free(V);
  free(Txy);
  free(Txx);
  end(&c);
}
END_TEST

START_TEST(test_threads_do_not_change_a_bit) {
  moments_case one = periodic("single", "20", 1), three = periodic("single", "20", 3);
  cw_deck_record record;
  const cw_grid *grid = cw_engine_grid(one.f.engine);
  engine_steps(&one.f, 2);
  engine_steps(&three.f, 2);
  sum(&one);
  sum(&three);
  for (int n = 0; cw_deck_output_record(one.f.deck, n, &record); n++)
    for (int k = 0; k < record.components; k++) {
      double *a = get(&one, record.name, k), *b = get(&three, record.name, k);
      for (int32_t j = 0; j < grid->cells[1]; j++)
        ck_assert_mem_eq(a + cw_grid_index(grid, 0, j, 0), b + cw_grid_index(grid, 0, j, 0),
                         (size_t)grid->cells[0] * sizeof *a);
      free(a);
      free(b);
    }
  end(&one);
  end(&three);
}
END_TEST

/* After steps with currents and charges both laws hold to round-off. */
START_TEST(test_divergences_stay_at_round_off) {
  moments_case c = periodic("double", "4", 2);
  engine_steps(&c.f, 20);
  sum(&c);
  double *E = get(&c, "divE_error", 0), *B = get(&c, "divB", 0);
  double *rho = get(&c, "Charge_all", 0);
  const cw_grid *grid = cw_engine_grid(c.f.engine);
  double error = 0, field = 0, charge = 0;
  for (int32_t j = 0; j < grid->cells[1]; j++)
    for (int32_t i = 0; i < grid->cells[0]; i++) {
      const int64_t k = cw_grid_index(grid, i, j, 0);
      error = cw_larger(error, fabs(E[k]));
      field = cw_larger(field, fabs(B[k]));
      charge = cw_larger(charge, fabs(rho[k]));
    }
  ck_assert_msg(error <= 1e-12, "div E - rho is %g", error);
  ck_assert_msg(field <= 1e-13, "div B is %g", field);
  ck_assert_msg(charge > 1e-3, "charge %g", charge);
  free(E);
  free(B);
  free(rho);
  end(&c);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("moments");
  TCase *tests = tcase_create("moments");
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, test_cold_beam_has_the_stress_of_one_particle);
  tcase_add_test(tests, test_sums_over_species_add_up);
  tcase_add_loop_test(tests, test_drifting_maxwellian_has_its_temperature, 0, 2);
  tcase_add_test(tests, test_a_wall_reflects_moments);
  tcase_add_test(tests, test_threads_do_not_change_a_bit);
  tcase_add_test(tests, test_divergences_stay_at_round_off);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
