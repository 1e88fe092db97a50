/* What drives a plasma from outside: forces on a species, test particles, the antenna. */
#include <math.h>

#include "base/reals.h"
#include "engine/restore_case.h"

#define HEAD(more)                                                                                 \
  "[simulation]\nname = \"s\"\nengine = \"srpic\"\nruntime = 1e5\nprecision = \"double\"\n"        \
  "[grid.metric]\nmetric = \"minkowski\"\n[scales]\nlarmor0 = 0.5\nskindepth0 = 1.0\n" more
#define RING                                                                                       \
  "boundaries.fields = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"                                         \
  "boundaries.particles = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"
#define SQUARE "[grid]\nresolution = [16, 12]\nextent = [[-1.6, 1.6], [0.0, 2.4]]\n" RING
#define SPECIES(label, mass, charge, more)                                                         \
  "[[particles.species]]\nlabel = \"" label "\"\nmass = " mass "\ncharge = " charge "\n" more

static double real_at(const void *array, const engine_fixture *f, int64_t p) {
  return cw_real_get(array, f->deck->simulation.precision, p);
}

/* du/dt = f: after n pushes u is n dt f to n roundings, whatever mass and charge; the other species
 * stays where it is. */
START_TEST(test_a_force_accelerates_its_species) {
  engine_fixture f = engine_from_text(
      HEAD("[algorithms]\nfieldsolver.enable = false\ndeposit.enable = false\n") SQUARE
      "[particles]\nppc0 = 4.0\n" SPECIES("a", "3.0", "-2.0", "")
          SPECIES("b", "1.0", "1.0",
                  "") "[setup]\nproblem = \"expressions\"\n[setup.species.a]\ndensity = 1\n"
                      "force = [0.3, -0.02, \"0.1 * 2\"]\n[setup.species.b]\ndensity = 1\n",
      1);
  static const double force[2][3] = {{0.3, -0.02, 0.2}, {0, 0, 0}};
  engine_steps(&f, 20);
  for (int s = 0; s < 2; s++) {
    const cw_particles_view view = cw_particles_get_view(cw_engine_particles(f.engine, s));
    ck_assert_int_eq(view.count, 16 * 12 * 4);
    for (int64_t p = 0; p < view.count; p++)
      for (int a = 0; a < 3; a++) {
        const double found = real_at(view.u[a], &f, p), expected = 20 * f.deck->dt * force[s][a];
        ck_assert_msg(fabs(found - expected) <= 1e-13, "u: %.17g; expected %.17g", found, expected);
      }
  }
  engine_clear(&f);
}
END_TEST

/* A force of place, -w^2 x: a harmonic oscillator of w = 0.5; across a field B it drifts with
 * v = f x B/(q B0 B^2/m). Leapfrog's phase is off by (w dt)^2/24 = 2e-4 a radian. */
START_TEST(test_a_force_of_place_swings) {
  engine_fixture f = engine_from_text(
      HEAD("[algorithms]\nfieldsolver.enable = false\ndeposit.enable = false\n") SQUARE
      "[particles]\nppc0 = 4.0\n" SPECIES("a", "2.0", "-1.0",
                                          "") "[setup]\nproblem = \"expressions\"\nquiet = "
                                              "true\n[setup.species.a]\ndensity = \"abs(x) < "
                                              "0.2\"\nforce = [\"-0.25 * x\", 0, 0]\n",
      1);
  const cw_particles_view view = cw_particles_get_view(cw_engine_particles(f.engine, 0));
  double first[64];
  ck_assert_int_eq(view.count, 2 * 12 * 4);
  for (int p = 0; p < 64; p++)
    first[p] = 0.2 * (view.i[0][p] + real_at(view.dx[0], &f, p)) - 1.6;
  const double period = 2 * acos(-1.0) / 0.5;
  const int64_t steps = (int64_t)round(period / f.deck->dt);
  engine_steps(&f, steps / 2);
  for (int p = 0; p < 64; p++) {
    const double now = 0.2 * (view.i[0][p] + real_at(view.dx[0], &f, p)) - 1.6;
    /* u starts half a step late: x is a cosine of t - dt/2, to w dt/2 of a small sine */
    const double t = (double)(steps / 2) * f.deck->dt;
    const double expected = first[p] * (cos(0.5 * t) + 0.25 * f.deck->dt * sin(0.5 * t));
    ck_assert_msg(fabs(now - expected) <= 2e-3 * 0.2, "x: %g; expected %g", now, expected);
  }
  engine_clear(&f);
}
END_TEST

static const char plain[] = HEAD("") SQUARE
    "[particles]\nppc0 = 6.0\nspatial_sorting_interval = 3\n" SPECIES("e", "1.0", "-1.0", "")
        SPECIES("p", "1.0", "1.0", "") "[setup]\nproblem = \"expressions\"\nB = [0, 0, 1]\n"
                                       "[setup.species.e]\ndensity = 1\nvelocity = [0.3, 0, 0]\n"
                                       "[setup.species.p]\ndensity = 1\nvelocity = [-0.3, 0, 0]\n";
static const char with_tests[] = HEAD("") SQUARE
    "[particles]\nppc0 = 6.0\nspatial_sorting_interval = 3\n" SPECIES("e", "1.0", "-1.0", "")
        SPECIES("p", "1.0", "1.0", "")
            SPECIES("t", "1.0", "-1.0",
                    "deposit = false\n") "[setup]\nproblem = \"expressions\"\nB = [0, 0, 1]\n"
                                         "[setup.species.e]\ndensity = 1\nvelocity = [0.3, 0, 0]\n"
                                         "[setup.species.p]\ndensity = 1\nvelocity = [-0.3, 0, 0]\n"
                                         "[setup.species.t]\ndensity = 1\nvelocity = [0.3, 0, 0]\n";

/* Test particles change no bit of the fields, and move as the species beside which they start. */
START_TEST(test_test_particles_feel_and_do_not_act) {
  engine_fixture without = engine_from_text(plain, 1), with = engine_from_text(with_tests, 1);
  engine_steps(&without, 12);
  engine_steps(&with, 12);
  const size_t bytes = (size_t)cw_engine_grid(with.engine)->points * sizeof(double);
  for (int q = CW_QUANTITY_E; q <= CW_QUANTITY_J; q++)
    for (int a = 0; a < 3; a++)
      ck_assert_mem_eq(engine_vector(&with, (cw_engine_quantity)q).component[a],
                       engine_vector(&without, (cw_engine_quantity)q).component[a], bytes);
  const cw_particles_view e = cw_particles_get_view(cw_engine_particles(with.engine, 0));
  const cw_particles_view t = cw_particles_get_view(cw_engine_particles(with.engine, 2));
  ck_assert_int_eq(e.count, t.count);
  ck_assert(real_at(e.u[1], &with, 5) != 0);
  for (int a = 0; a < 3; a++)
    ck_assert_mem_eq(e.u[a], t.u[a], (size_t)e.count * sizeof(double));
  cw_engine_diagnostics found;
  CW_CHECK_OK(with.context, cw_engine_diagnose(with.engine, &found));
  ck_assert_msg(found.charge_error <= 1e-13, "%g", found.charge_error);
  engine_clear(&with);
  engine_clear(&without);
}
END_TEST

#define VACUUM                                                                                     \
  "[particles]\nppc0 = 1.0\n" SPECIES("e", "1.0", "-1.0", "") "[setup]\nproblem = \"expressions\"" \
                                                              "\n[setup.species.e]\ndensity = 0\n"

/* Amplitudes of the antenna as they stand. */
static int amplitudes(engine_fixture *f, double *a) {
  store kept = {0};
  CW_CHECK_OK(f->context, cw_engine_save(f->engine, keep, &kept));
  const cw_array *found = find(&kept, "antenna/amplitude");
  ck_assert_ptr_nonnull(found);
  const int count = (int)cw_array_count(found);
  memcpy(a, found->data, (size_t)count * sizeof *a);
  forget(&kept);
  return count / 2;
}

/* Mean square amplitude, and its correlation over a time s, exp(-(damping - i frequency) s), of
 * eight waves. T/(2/damping) independent values each: 8 x 4000 x 0.19 x 0.3 / 2 = 900, five
 * standard errors 0.17 of the mean square; the correlation's are not larger. */
START_TEST(test_the_antenna_has_its_spectrum) {
  engine_fixture f = engine_from_text(
      HEAD("[algorithms]\ndeposit.enable = false\n") "[grid]\nresolution = [4, 4]\nextent = [[0.0, "
                                                     "0.8], [0.0, 0.8]]\n" RING VACUUM
                                                     "[setup.antenna]\namplitude = 0.5\nfrequency "
                                                     "= 0.7\ndamping = 0.3\nmode_max = 1.5\n",
      1);
  enum { STEPS = CW_SANITIZED ? 1000 : 8000, LAG = 12, WAVES = 8 };
  static double history[STEPS][2 * WAVES];
  const double two_pi = 2 * acos(-1.0), dt = f.deck->dt;
  double square = 0, re = 0, im = 0;
  for (int n = 0; n < STEPS; n++) {
    ck_assert_int_eq(amplitudes(&f, history[n]), WAVES);
    engine_steps(&f, 1);
  }
  for (int n = LAG; n < STEPS; n++)
    for (int m = 0; m < WAVES; m++) {
      /* waves of the shell (1, 0), (1, 1) and their like; rms of each by its wave number */
      const int diagonal = m == 0 || m == 2 || m == 5 || m == 7;
      const double K = 2 / 0.2 * sin(two_pi / 8) * (diagonal ? sqrt(2.0) : 1);
      const double rms = 0.5 * sqrt(2.0 / WAVES) / K;
      const double *now = &history[n][2 * m], *before = &history[n - LAG][2 * m];
      square += (now[0] * now[0] + now[1] * now[1]) / (rms * rms);
      re += (now[0] * before[0] + now[1] * before[1]) / (rms * rms);
      im += (now[1] * before[0] - now[0] * before[1]) / (rms * rms);
    }
  const double values = (double)(STEPS - LAG) * WAVES, lag = LAG * dt;
  const double error = 5 / sqrt(values * dt * 0.3 / 2);
  const double expected[3] = {1, exp(-0.3 * lag) * cos(0.7 * lag),
                              -exp(-0.3 * lag) * sin(0.7 * lag)};
  const double found[3] = {square / values, re / values, im / values};
  for (int k = 0; k < 3; k++)
    ck_assert_msg(fabs(found[k] - expected[k]) <= error, "%d: %g; expected %g within %g", k,
                  found[k], expected[k], error);
  engine_clear(&f);
}
END_TEST

/* In a vacuum, a current that stands still from t = 0 drives B(t) = B_static (1 - cos(w t)), w by
 * the grid's dispersion, B_static^2 = sum of (K^2 |a_k + conj(a_-k)|^2/2) over pairs of waves, of
 * the frequency 0 that they keep; E and B of a step stand at its end to dt^2/8 of w^2. No charge
 * appears. */
START_TEST(test_a_standing_current_holds_its_field) {
  engine_fixture f = engine_from_text(
      HEAD("") "[grid]\nresolution = [24, 24]\nextent = [[0.0, 4.8], [0.0, 4.8]]\n" RING VACUUM
               "[setup.antenna]\namplitude = 0.5\nfrequency = 0.0\ndamping = 0.0\n",
      1);
  double a[8], square = 0;
  const double dx = 0.2, dt = f.deck->dt, K = 2 / dx * sin(acos(-1.0) / 24);
  const double w = 2 / dt * asin(0.5 * dt * K);
  ck_assert_int_eq(amplitudes(&f, a), 4);
  /* in the order of y, then x: (0,-1), (-1,0), (1,0), (0,1) */
  static const int pair[2][2] = {{0, 3}, {1, 2}};
  for (int m = 0; m < 2; m++) {
    const double *p = &a[2 * pair[m][0]], *q = &a[2 * pair[m][1]];
    square += 0.5 * K * K * (pow(p[0] + q[0], 2) + pow(p[1] - q[1], 2));
  }
  for (int part = 1; part <= 6; part++) {
    cw_engine_diagnostics found;
    engine_steps(&f, 5);
    CW_CHECK_OK(f.context, cw_engine_diagnose(f.engine, &found));
    /* magnetic_energy = B0^2 B^2/2 over the box */
    const double B2 = 2 * found.magnetic_energy * 0.25 / (4.8 * 4.8);
    const double expected = square * pow(1 - cos(w * cw_engine_time(f.engine)), 2);
    ck_assert_msg(fabs(B2 - expected) <= 0.02 * square, "t = %g: B^2 = %g; expected %g",
                  cw_engine_time(f.engine), B2, expected);
    ck_assert_msg(found.charge_error == 0 || found.charge_error <= 1e-12, "%g", found.charge_error);
  }
  engine_clear(&f);
}
END_TEST

/* With the antenna on in a plasma, in three dimensions and single precision too, Gauss's law is not
 * touched, and a restored run goes on to the same bits on another number of threads. */
static const char *const driven[] = {
    HEAD("") SQUARE
    "[particles]\nppc0 = 6.0\nspatial_sorting_interval = 3\n" SPECIES("e", "1.0", "-1.0", "")
        SPECIES(
            "p", "1.0", "1.0",
            "") "[setup]\nproblem = \"expressions\"\nB = [0, 0, 1]\n"
                "[setup.species.e]\ndensity = 1\ntemperature = 0.2\nforce = [0, \"sin(t)\", 0]\n"
                "[setup.species.p]\ndensity = 1\ntemperature = 0.2\n"
                "[setup.antenna]\namplitude = 0.5\nfrequency = 0.7\ndamping = 0.3\nmode_max = 2.0\n"
                "direction = [1, 0.5, 2]\n",
    HEAD("[algorithms]\ncurrent_filters = 2\n") "[grid]\nresolution = [10, 8, 6]\nextent = [[0.0, "
                                                "2.0], [0.0, 1.6], [0.0, 1.2]]\n"
                                                "boundaries.fields = [[\"PERIODIC\"], "
                                                "[\"PERIODIC\"], [\"PERIODIC\"]]\n"
                                                "boundaries.particles = [[\"PERIODIC\"], "
                                                "[\"PERIODIC\"], [\"PERIODIC\"]]\n"
                                                "[particles]\nppc0 = 4.0\n" SPECIES("e", "1.0",
                                                                                    "-1.0", "")
                                                    SPECIES(
                                                        "p", "1.0", "1.0",
                                                        "") "[setup]\nproblem = "
                                                            "\"thermal\"\ntemperature = 0.3\n"
                                                            "[setup.antenna]\namplitude = "
                                                            "0.5\nfrequency = 0.7\ndamping = 0.3\n"
                                                            "direction = [1, 1, 1]\nmode_max = "
                                                            "1.5\n",
};

START_TEST(test_a_driven_plasma_keeps_gauss_and_resumes) {
  cw_engine_diagnostics found;
  resumed_pair runs = resumed_pair_of(driven[_i], 6, 6);
  CW_CHECK_OK(runs.unbroken.context, cw_engine_diagnose(runs.unbroken.engine, &found));
  ck_assert_msg(found.charge_error <= 1e-12, "%g", found.charge_error);
  ck_assert_msg(found.magnetic_energy > 0, "%g", found.magnetic_energy);
  resumed_pair_clear(&runs);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("drive");
  TCase *tests = tcase_create("drive");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_a_force_accelerates_its_species);
  tcase_add_test(tests, test_a_force_of_place_swings);
  tcase_add_test(tests, test_test_particles_feel_and_do_not_act);
  tcase_add_test(tests, test_the_antenna_has_its_spectrum);
  tcase_add_test(tests, test_a_standing_current_holds_its_field);
  tcase_add_loop_test(tests, test_a_driven_plasma_keeps_gauss_and_resumes, 0,
                      sizeof driven / sizeof *driven);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? 1 : 0;
}
