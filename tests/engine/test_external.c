/* External fields given by expressions: closed orbits, a driven plasma, and what they leave alone.
 */
#include <math.h>
#include <stdlib.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "engine/engine_deck.h"
#include "setup/external.h"

#define PI 3.14159265358979323846
#define HEAD(engine)                                                                               \
  "[simulation]\nname = \"external\"\nengine = \"" engine                                          \
  "\"\nruntime = 20\nprecision = \"double\"\n"                                                     \
  "[grid]\nmetric.metric = \"minkowski\"\n"
#define GRID_2D                                                                                    \
  "resolution = [32, 16]\nextent = [[-1.6, 1.6], [0, 1.6]]\n"                                      \
  "boundaries.fields = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"                                         \
  "boundaries.particles = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"
#define SPECIES                                                                                    \
  "[[particles.species]]\nlabel = \"e\"\nmass = 1\ncharge = -1\n"                                  \
  "[[particles.species]]\nlabel = \"p\"\nmass = 2\ncharge = 1\n"

/* One electron and one positive particle that do not act on the fields. */
static const char orbit_deck[] = HEAD("srpic") GRID_2D
    "[scales]\nlarmor0 = 0.5\nskindepth0 = 1\n"
    "[algorithms]\ntimestep.CFL = 0.2\ndeposit.enable = false\nfieldsolver.enable = false\n"
    "[particles]\nppc0 = 1\n" SPECIES "[setup]\nproblem = \"orbits\"\n";

static engine_fixture orbit_engine(const char *setup, int threads) {
  char text[4096];
  snprintf(text, sizeof text, "%s%s", orbit_deck, setup);
  return engine_from_text(text, threads);
}

/* Coordinate of the only particle, images of the box followed by `last`. */
static double coordinate(engine_fixture *f, int s, int axis, double last) {
  const cw_particles_view view = cw_particles_get_view(cw_engine_particles(f->engine, s));
  const cw_grid *grid = cw_engine_grid(f->engine);
  const double length = grid->cells[axis] * grid->dx[axis];
  const double x =
      grid->origin[axis] +
      (view.i[axis][0] + cw_real_get(view.dx[axis], view.precision, 0)) * grid->dx[axis];
  return x + length * round((last - x) / length);
}

/* A particle starts at rest in crossed fields, E = 0.01 B: it draws a cycloid,
 *   x = (v/w) (1 - cos w t) s, y = -v (t - sin(w t) / w), v = E/B, w = |q| B / m, s = sign q,
 * to relativity's v^2 = 1e-4, to u's half step behind at the start (w dt / 2 of v/w in x, of its
 * phase in y) and to Boris' (w dt)^2 / 12 = 1e-4 of the phase. */
START_TEST(test_drift_in_crossed_fields_is_a_cycloid) {
  engine_fixture f = orbit_engine("position = [0.05, 0.8, 0]\nu = [0, 0, 0]\n"
                                  "external_E = [\"0.01 * cos(0 * x)\", 0, 0]\n"
                                  "external_B = [0, 0, 1]\n",
                                  1);
  const double dt = f.deck->dt, v = 0.01;
  double y[2] = {0.8, 0.8}, farthest = 0;
  for (int n = 1; n <= 1200; n++) {
    engine_steps(&f, 1);
    for (int s = 0; s < 2; s++) {
      const double w = 2 / (s ? 2.0 : 1.0), t = n * dt, sign = s ? 1 : -1;
      const double x = coordinate(&f, s, 0, 0.05);
      y[s] = coordinate(&f, s, 1, y[s]);
      ck_assert(fabs(x - 0.05 - sign * v / w * (1 - cos(w * t))) < 0.05 * v / w);
      ck_assert(fabs(y[s] - 0.8 + v * (t - sin(w * t) / w)) < 0.05 * v / w);
      farthest = cw_larger(farthest, fabs(y[s] - 0.8));
    }
  }
  ck_assert(farthest > 0.1); /* there was a drift: 17 L/c at 0.01 c */
  engine_clear(&f);
}
END_TEST

/* E_x = -x / 2 holds the positive particle (m = 2, B0 = 2) with w^2 = 1/2 around x = 0. Splines
 * gather a linear field exactly if it stands at its places, so that the leap-frog solution is met:
 * x_n = A cos(w' n dt + phase), 2 sin(w' dt / 2) = w dt, to relativity's share v^2 of w, 3/16 A^2
 * w^2.
 */
START_TEST(test_linear_field_is_an_oscillator_around_its_zero) {
  engine_fixture f = orbit_engine("position = [0.01, 0.8, 0]\nu = [0, 0, 0]\n"
                                  "external_E = [\"-x / 2\", 0, 0]\n",
                                  1);
  const double dt = f.deck->dt, w = sqrt(0.5), exact = 2 / dt * asin(0.5 * w * dt);
  double largest = 0, least = 0;
  for (int n = 1; n <= 1000; n++) {
    engine_steps(&f, 1);
    const double x = coordinate(&f, 1, 0, 0), t = n * dt;
    /* u = 0 stands half a step before the start: x_1 = x_0 - (w dt)^2 x_0 instead of half of it */
    const double phase = atan(-0.5 * w * dt / sqrt(1 - 0.25 * w * w * dt * dt));
    const double right = 0.01 / cos(phase) * cos(exact * t - phase);
    ck_assert_msg(fabs(x - right) < 1e-5, "step %d: %g, not %g", n, x, right);
    largest = cw_larger(largest, x), least = fmin(least, x);
  }
  ck_assert(largest > 0.0099 && least < -0.0099);
  engine_clear(&f);
}
END_TEST

/* u gains dt (q/m) B0 E(t_n) in step n, E at the time of the positions: the sum is known. */
START_TEST(test_time_is_that_of_the_step) {
  engine_fixture f = orbit_engine("position = [0.05, 0.8, 0]\nu = [0, 0, 0]\n"
                                  "external_E = [0, 0, \"0.3 * cos(w * t) + 0.01 * t\"]\n"
                                  "[setup.constants]\nw = 1.5\n",
                                  1);
  const double dt = f.deck->dt;
  double sum = 0;
  for (int n = 0; n < 50; n++) {
    engine_steps(&f, 1);
    sum += dt * 2 * (0.3 * cos(1.5 * n * dt) + 0.01 * n * dt);
    for (int s = 0; s < 2; s++) {
      const cw_particles_view view = cw_particles_get_view(cw_engine_particles(f.engine, s));
      const double u = cw_real_get(view.u[2], view.precision, 0);
      ck_assert(fabs(u - (s ? 0.5 : -1) * sum) < 1e-13);
    }
  }
  engine_clear(&f);
}
END_TEST

/* A cold plasma in a uniform external E0 from t = 0 on: its own field E is no part of E0 and
 * follows E + E0 = E0 cos w t with the plasma frequency 1 / skindepth0. Both schemes have closed
 * solutions: ECSIM's is the trapezoidal rule, tan(w' dt / 2) = w dt / 2; the leap-frog's starts
 * with u at rest half a step before, cos w' dt = 1 - (w dt)^2 / 2, tan phase = (w dt)^2 / (2 sin w'
 * dt). What is left is relativity and the ions' share, 1e-8 and 1e-9. */
static const char plasma_setup[] =
    "[scales]\nlarmor0 = 0.5\nskindepth0 = 1\n[particles]\nppc0 = 16\n"
    "[[particles.species]]\nlabel = \"e\"\nmass = 1\ncharge = -1\n"
    "[[particles.species]]\nlabel = \"i\"\nmass = 1e9\ncharge = 1\n"
    "[setup]\nproblem = \"expressions\"\nquiet = true\nexternal_E = [\"E0\", 0, 0]\n"
    "constants.E0 = 1e-4\nspecies.e.density = 1\nspecies.i.density = 1\n";

START_TEST(test_plasma_screens_a_uniform_field) {
  char text[4096];
  snprintf(text, sizeof text, "%s%s",
           _i ? HEAD("ecsim") GRID_2D "[algorithms]\ntimestep.dt = 0.05\n"
              : HEAD("srpic") GRID_2D "[algorithms]\ntimestep.CFL = 0.7\n",
           plasma_setup);
  engine_fixture f = engine_from_text(text, 2);
  const double dt = f.deck->dt, leap = acos(1 - dt * dt / 2);
  const double w = _i ? 2 / dt * atan(dt / 2) : leap / dt;
  const double phase = _i ? 0 : atan(dt * dt / (2 * sin(leap)));
  double deepest = 0;
  for (int n = 1; n <= 200; n++) {
    engine_steps(&f, 1);
    const double right = 1e-4 * (cos(w * n * dt + phase) / cos(phase) - 1);
    const cw_vector_view E = engine_vector(&f, CW_QUANTITY_E);
    for (int i = 0; i < 32; i += 5) {
      const double own = cw_real_get(E.component[0], E.precision,
                                     cw_grid_index(cw_engine_grid(f.engine), i, i % 16, 0));
      ck_assert_msg(fabs(own - right) < 1e-9, "step %d: %g, not %g", n, own, right);
      deepest = fmin(deepest, own);
    }
  }
  ck_assert(deepest < -1.98e-4);
  engine_clear(&f);
}
END_TEST

/* ECSIM's particles in crossed external fields, too few to act on the field (skindepth0 = 1e4):
 * from rest v = (E/B) (s sin w' t, -(1 - cos w' t)), s the charge's sign, with the mover's rotation
 * tan(w' dt / 2) = w dt / 2. */
START_TEST(test_ecsim_draws_the_cycloid) {
  engine_fixture f = engine_from_text(
      HEAD("ecsim") GRID_2D
      "[algorithms]\ntimestep.dt = 0.05\n[scales]\nlarmor0 = 0.5\nskindepth0 = 1e4\n[particles]\n"
      "ppc0 = 1\n" SPECIES "[setup]\nproblem = \"expressions\"\nquiet = true\n"
      "species.e.density = 1\nspecies.p.density = 1\nexternal_E = [\"0.01 * cosh(0 * x)\", 0, 0]\n"
      "external_B = [0, 0, \"1\"]\n",
      2);
  const double dt = 0.05, v = 0.01;
  for (int n = 1; n <= 100; n++) {
    engine_steps(&f, 1);
    for (int s = 0; s < 2; s++) {
      const double w = 2 / dt * atan(0.5 * dt * 2 / (s ? 2.0 : 1.0)), t = n * dt;
      const cw_particles_view view = cw_particles_get_view(cw_engine_particles(f.engine, s));
      for (int64_t p = 0; p < view.count; p += 97) {
        ck_assert(fabs(((double *)view.u[0])[p] - (s ? 1 : -1) * v * sin(w * t)) < 1e-6 * v);
        ck_assert(fabs(((double *)view.u[1])[p] + v * (1 - cos(w * t))) < 1e-6 * v);
      }
    }
  }
  engine_clear(&f);
}
END_TEST

/* With nothing that carries current, fields stay exactly as they are, whatever acts on particles.
 */
START_TEST(test_external_fields_are_no_part_of_the_fields) {
  char text[4096];
  snprintf(text, sizeof text,
           "%s[scales]\nlarmor0 = 1\nskindepth0 = 1\n[particles]\nppc0 = 4\n"
           "[[particles.species]]\nlabel = \"n\"\nmass = 1\ncharge = 0\n[setup]\n"
           "problem = \"expressions\"\nspecies.n.density = 1\nspecies.n.temperature = 0.1\n"
           "external_E = [\"x\", \"y\", \"t\"]\nexternal_B = [\"t\", 1, \"x * y\"]\n",
           HEAD("srpic") GRID_2D);
  engine_fixture f = engine_from_text(text, 2);
  engine_steps(&f, 5);
  for (int q = 0; q < 2; q++) {
    const cw_vector_view view = engine_vector(&f, q ? CW_QUANTITY_B : CW_QUANTITY_E);
    for (int c = 0; c < 3; c++)
      for (int64_t k = 0; k < cw_engine_grid(f.engine)->points; k++)
        ck_assert(((double *)view.component[c])[k] == 0);
  }
  engine_clear(&f);
}
END_TEST

/* Each component at its place in the Yee cell, ghost cells beyond the box too. */
START_TEST(test_values_stand_at_yees_places) {
  engine_fixture f =
      orbit_engine("external_E = [\"x + 10 * y + t\", \"y\", \"x + 10 * y\"]\n"
                   "external_B = [\"x + 10 * y + 3 * t\", \"x + 10 * y\", \"x + 10 * y\"]\n"
                   "position = [0, 0, 0]\nu = [0, 0, 0]\n",
                   2);
  const cw_grid *grid = cw_engine_grid(f.engine);
  static const double half[6][2] = {{1, 0}, {0, 1}, {0, 0}, {0, 1}, {1, 0}, {1, 1}};
  static const double rate[6] = {1, 0, 0, 3, 0, 0};
  cw_external *external = NULL;
  double *values = NULL;
  CW_CHECK_OK(f.context, cw_external_create(f.context, f.deck, "external", 0, &external));
  CW_CHECK_OK(f.context, CW_NEW(f.context, grid->points, "values", &values));
  ck_assert(cw_external_moves(external));
  for (int field = 0; field < 6; field++) {
    CW_CHECK_OK(f.context, cw_external_fill(external, grid, field, 0.7, values));
    ck_assert(cw_external_has(external, field));
    for (int j = -grid->ghost; j < 16 + grid->ghost; j++)
      for (int i = -grid->ghost; i < 32 + grid->ghost; i++) {
        const double x = -1.6 + 0.1 * (i + 0.5 * half[field][0]);
        const double y = 0.1 * (j + 0.5 * half[field][1]);
        const double right = (field == 1 ? y : x + 10 * y) + rate[field] * 0.7;
        ck_assert(fabs(values[cw_grid_index(grid, i, j, 0)] - right) < 1e-12);
      }
  }
  CW_DELETE(f.context, values);
  cw_external_destroy(external);
  engine_clear(&f);
}
END_TEST

static void run_hash(int threads, char hex[65]) {
  char text[4096];
  snprintf(text, sizeof text,
           "%s%sspecies.e.temperature = 0.01\nexternal_B = [0, \"sin(x - t)\", \"1 + y * y\"]\n",
           HEAD("srpic") GRID_2D, plasma_setup);
  engine_fixture f = engine_from_text(text, threads);
  engine_steps(&f, 20);
  cw_engine_sha256(f.engine, hex);
  engine_clear(&f);
}

START_TEST(test_one_and_two_threads_end_in_the_same_bits) {
  char one[65], two[65];
  run_hash(1, one);
  run_hash(2, two);
  ck_assert_str_eq(one, two);
}
END_TEST

/* What the check's samples do not meet is told when it is. */
START_TEST(test_a_field_that_ceases_to_be_finite_is_told) {
  engine_fixture f = orbit_engine("position = [0, 0, 0]\nu = [0, 0, 0]\n"
                                  "external_E = [\"sqrt(abs(t - 10) - 9.9)\", 0, 0]\n",
                                  1);
  cw_status status = CW_OK;
  for (int n = 0; n < 20 && status == CW_OK; n++)
    status = cw_engine_step(f.engine);
  ck_assert_int_eq(status, CW_ERROR_INPUT);
  ck_assert_msg(strstr(cw_context_message(f.context), "setup.external_E[1] is nan at x = ") &&
                    strstr(cw_context_message(f.context), ", t = 0.1"),
                "%s", cw_context_message(f.context));
  engine_clear(&f);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("external fields");
  TCase *tests = tcase_create("external fields");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_drift_in_crossed_fields_is_a_cycloid);
  tcase_add_test(tests, test_linear_field_is_an_oscillator_around_its_zero);
  tcase_add_test(tests, test_time_is_that_of_the_step);
  tcase_add_loop_test(tests, test_plasma_screens_a_uniform_field, 0, 2);
  tcase_add_test(tests, test_ecsim_draws_the_cycloid);
  tcase_add_test(tests, test_external_fields_are_no_part_of_the_fields);
  tcase_add_test(tests, test_values_stand_at_yees_places);
  tcase_add_test(tests, test_one_and_two_threads_end_in_the_same_bits);
  tcase_add_test(tests, test_a_field_that_ceases_to_be_finite_is_told);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
