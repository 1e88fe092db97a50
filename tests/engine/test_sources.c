/* Particles that come while a run goes on: how many, where, how fast, and Gauss's law with them. */
#include <math.h>
#include <stdlib.h>

#include "base/reals.h"
#include "engine/restore_case.h"

#define HEAD(more)                                                                                 \
  "[simulation]\nname = \"s\"\nengine = \"srpic\"\nruntime = 1000.0\nprecision = \"double\"\n"     \
  "[grid.metric]\nmetric = \"minkowski\"\n[scales]\nlarmor0 = 1.0\nskindepth0 = 1.0\n" more
#define FREE "[algorithms]\ndeposit.enable = false\nfieldsolver.enable = false\n"
#define PAIR                                                                                       \
  "[[particles.species]]\nlabel = \"e\"\nmass = 1.0\ncharge = -1.0\n"                              \
  "[[particles.species]]\nlabel = \"p\"\nmass = 1.0\ncharge = 1.0\n"
#define EMPTY                                                                                      \
  "[setup]\nproblem = \"expressions\"\n[setup.species.e]\ndensity = "                              \
  "0\n[setup.species.p]\ndensity "                                                                 \
  "= 0\n"
#define BOTH "species = [\"e\", \"p\"]\n"

/* Sums over the live particles of a species between two places along axis 0. */
typedef struct gas {
  double count, u[3], energy, beyond;
} gas;

static gas gas_between(engine_fixture *f, int s, double low, double high) {
  const cw_particles_view view = cw_particles_get_view(cw_engine_particles(f->engine, s));
  const cw_grid *grid = cw_engine_grid(f->engine);
  gas found = {0};
  for (int64_t p = 0; p < view.count; p++) {
    double square = 1, u[3];
    const double x =
        grid->origin[0] + (view.i[0][p] + cw_real_get(view.dx[0], view.precision, p)) * grid->dx[0];
    if (view.tag[p] == CW_TAG_DEAD)
      continue;
    found.beyond += x > high;
    if (!(x >= low && x < high))
      continue;
    found.count++;
    for (int a = 0; a < 3; a++) {
      u[a] = cw_real_get(view.u[a], view.precision, p);
      square += u[a] * u[a];
      found.u[a] += u[a];
    }
    found.energy += sqrt(square) - 1;
  }
  return found;
}

static void check_near(double found, double expected, double tolerance, const char *what) {
  ck_assert_msg(fabs(found - expected) <= tolerance, "%s: %.9g; expected %.9g within %.3g", what,
                found, expected, tolerance);
}

/* What an injected gas of kT = T m c^2 has: with h = K_3(1/T)/K_2(1/T), mean energy h - T - 1 at
 * rest, and where it drifts with v, mean u = g v h and mean energy g h - T/g - 1, g = 1/sqrt(1 - v^2)
 * (Bessel functions by their integral to 1e-12). */
static const double ENERGY_AT_HALF = 1.051174; /* T = 0.5, at rest */
static const double DRIFT_U = -1.408015;       /* T = 0.3, v = -0.6 */
static const double DRIFT_ENERGY = 1.106692;

#define GAS(density, temperature)                                                                  \
  "[setup]\nproblem = \"expressions\"\nB = [0, 0.2, 0.5]\n"                                        \
  "[setup.species.e]\ndensity = " density "\ntemperature = " temperature "\n"                      \
  "[setup.species.p]\ndensity = " density "\ntemperature = " temperature "\n"
#define RESERVOIR(side, rest)                                                                      \
  "[setup.injectors.\"" side "\"]\nkind = \"reservoir\"\nside = \"" side "\"\n" BOTH rest

/* A gas between reservoirs of the same gas stays as it is although all of it is new after some
 * crossings: N = 16 x 400 of each species. Tolerances: five standard errors of N, and of the means
 * of u_x and energy, whose spreads are below 1.3 and 1.1. */
START_TEST(test_reservoirs_keep_their_gas_between_them) {
  engine_fixture f = engine_from_text(
      HEAD(FREE) "[grid]\nresolution = [16]\nextent = [[0.0, 16.0]]\n"
                 "boundaries.fields = [[\"CONDUCTOR\"]]\nboundaries.particles = [[\"ABSORB\"]]\n"
                 "[particles]\nppc0 = 400.0\nclear_interval = 10\n" PAIR GAS("1", "0.5")
                     RESERVOIR("x-", "temperature = 0.5\n") RESERVOIR("x+", "temperature = 0.5\n"),
      1);
  const double expected = 16 * 400, error = 5 / sqrt(expected);
  engine_steps(&f, 100);
  for (int s = 0; s < 2; s++) {
    const gas found = gas_between(&f, s, 0, 16);
    check_near(found.count, expected, expected * error, "particles");
    check_near(found.u[0] / found.count, 0, 1.3 * error, "mean u_x");
    check_near(found.energy / found.count, ENERGY_AT_HALF, 1.1 * error, "mean energy");
  }
  engine_clear(&f);
}
END_TEST

/* Behind a plane that recedes with c, the gas has the density, drift and energy asked for, and
 * nothing is in front of it. N = 30 x 300; five standard errors, spreads 1.6 and 1.5. The plane may
 * stand at either side. */
START_TEST(test_a_moving_plane_leaves_its_gas_behind) {
  char text[2048];
  const double sign = _i ? -1 : 1;
  snprintf(text, sizeof text,
           HEAD(FREE) "[grid]\nresolution = [64]\nextent = [[-32.0, 32.0]]\n"
                      "boundaries.fields = [[\"CONDUCTOR\"]]\nboundaries.particles = "
                      "[[\"ABSORB\"]]\n[particles]\nppc0 = 300.0\nclear_interval = 10\n" PAIR EMPTY
                      "[setup.injectors.plane]\nkind = \"moving\"\n" BOTH
                      "side = \"%s\"\ntemperature = 0.3\nvelocity = [%g, 0, 0]\nposition = %g\n"
                      "speed = 1.0\n",
           _i ? "x-" : "x+", -0.6 * sign, -20 * sign);
  engine_fixture f = engine_from_text(text, 1);
  while (cw_engine_time(f.engine) < 40)
    engine_steps(&f, 1);
  const double plane = -20 + cw_engine_time(f.engine), expected = 30 * 300;
  const double error = 5 / sqrt(expected);
  for (int s = 0; s < 2; s++) {
    const double low = -15, high = 15;
    const gas found = gas_between(&f, s, low, high);
    check_near(found.count, expected, expected * error, "particles");
    check_near(found.u[0] / found.count, sign * DRIFT_U, 1.6 * error, "mean u_x");
    check_near(found.energy / found.count, DRIFT_ENERGY, 1.5 * error, "mean energy");
    const gas front = gas_between(&f, s, sign > 0 ? plane : -32, sign > 0 ? 32 : -plane);
    check_near(front.count, 0, 0, "particles in front of the plane");
  }
  engine_clear(&f);
}
END_TEST

/* A region that loses particles through both ends has its number again before each push: after it,
 * less what left in one step, 2 x 0.2 c dt of a gas of that mean speed (kT = 0.5: 0.78 c / 4). The
 * first 3 steps fill an empty box. Rounding in 32 cells: 5 x sqrt(32)/2. */
START_TEST(test_a_region_is_filled_up) {
  engine_fixture f = engine_from_text(
      HEAD(FREE) "[grid]\nresolution = [32]\nextent = [[0.0, 32.0]]\n"
                 "boundaries.fields = [[\"CONDUCTOR\"]]\nboundaries.particles = [[\"ABSORB\"]]\n"
                 "[particles]\nppc0 = 100.0\nclear_interval = 10\n" PAIR EMPTY
                 "[setup.injectors.region]\nkind = \"replenish\"\n" BOTH
                 "temperature = 0.5\nlower = [8.0]\nupper = [24.0]\n",
      1);
  engine_steps(&f, 3);
  for (int step = 0; step < 40; step++) {
    engine_steps(&f, 1);
    const double expected = 16 * 100, flow = 2 * 0.2 * f.deck->dt * 100,
                 spread = 6 * sqrt(2 * flow);
    const double found = gas_between(&f, 0, 8, 24).count;
    ck_assert_msg(fabs(found - expected) <= spread + flow + 0 * found,
                  "step %d: %g particles; expected %g", step, found, expected);
  }
  ck_assert_msg(gas_between(&f, 0, 0, 8).count > 0, "nothing left the region");
  engine_clear(&f);
}
END_TEST

#define PLANE_2D(more)                                                                             \
  "[grid]\nresolution = [40, 24]\nextent = [[0.0, 8.0], [0.0, 4.8]]\n" more                        \
  "[particles]\nppc0 = 6.0\nspatial_sorting_interval = 4\n"
#define MOVING                                                                                     \
  "[setup.injectors.plane]\nkind = \"moving\"\nside = \"x+\"\n" BOTH                               \
  "position = 4.0\nspeed = 0.8\nvelocity = [\"-0.5 + 0.1 * sin(2 * pi * y / Ly)\", 0, 0]\n"        \
  "temperature = 0.2\n"
#define REGION                                                                                     \
  "[setup.injectors.middle]\nkind = \"replenish\"\n" BOTH                                          \
  "lower = [3.0, 1.0]\nupper = [5.0, 4.0]\ndensity = \"1 + 0.5 * sin(t)\"\ntemperature = 0.3\n"    \
  "interval = 3\n"

static const char *const decks[] = {
    /* a plane in front of a wall, the side behind it kept as it was at the start */
    HEAD("[algorithms]\ncurrent_filters = 2\n")
        PLANE_2D("boundaries.fields = [[\"CONDUCTOR\", \"MATCH\"], [\"PERIODIC\"]]\n"
                 "boundaries.particles = [[\"REFLECT\", \"ABSORB\"], [\"PERIODIC\"]]\n"
                 "boundaries.match.ds = 1.0\n") PAIR GAS("\"x < 4 ? 1 : 0\"", "0.2") MOVING,
    /* reservoirs at two sides, one in a layer that damps fields, a wall at a third */
    HEAD("[algorithms]\ncurrent_filters = 1\n")
        PLANE_2D("boundaries.fields = [[\"CONDUCTOR\", \"ABSORB\"], [\"CONDUCTOR\"]]\n"
                 "boundaries.particles = [[\"ABSORB\"], [\"REFLECT\", \"ABSORB\"]]\n"
                 "boundaries.absorb.ds = 1.0\n") PAIR GAS("1", "0.3")
            RESERVOIR("x-", "temperature = 0.3\nvelocity = [0.2, 0, 0.1]\n")
                RESERVOIR("x+", "temperature = 0.1\n")
                    RESERVOIR("y+", "temperature = 0.3\ndensity = \"x / Lx\"\n"),
    /* all of them, third order, tiles in fixed point, weights */
    HEAD("[algorithms.deposit]\nshape_order = 3\ntiled_deposit_fixed_point = true\n")
        PLANE_2D("boundaries.fields = [[\"ABSORB\", \"CONDUCTOR\"], [\"PERIODIC\"]]\n"
                 "boundaries.particles = [[\"ABSORB\"], [\"PERIODIC\"]]\n"
                 "boundaries.absorb.ds = 1.0\n") "use_weights = true\n" PAIR GAS("0.5", "0.2")
            MOVING REGION RESERVOIR("x-", "temperature = 0.3\n"),
    /* never sorted, zigzag, one species heavy */
    HEAD(
        "[algorithms.deposit]\nshape_order = 0\n") "[grid]\nresolution = [40, 24]\nextent = [[0.0, "
                                                   "8.0], [0.0, 4.8]]\nboundaries.fields = "
                                                   "[[\"CONDUCTOR\"], "
                                                   "[\"ABSORB\"]]\nboundaries.particles = "
                                                   "[[\"ABSORB\", \"REFLECT\"], "
                                                   "[\"ABSORB\"]]\nboundaries.absorb.ds = "
                                                   "0.8\n[particles]\nppc0 = 6.0\n"
                                                   "clear_interval = 5\n"
                                                   "[[particles.species]]\nlabel = \"e\"\nmass = "
                                                   "1.0\ncharge = -1.0\n"
                                                   "[[particles.species]]\nlabel = \"p\"\nmass = "
                                                   "20.0\ncharge = 1.0\n" GAS("0.5", "0.1")
                                                       REGION RESERVOIR(
                                                           "x-", "temperature = 0.1\nend = 3.0\n")
                                                           RESERVOIR("y+", "start = 1.0\n"),
};
enum { DECKS = sizeof decks / sizeof *decks, BEFORE = 9, AFTER = 8 };

/* Round-off of sums of some thousand values a node, 1e-16 each, over 80 steps; a pair that is not
 * put at one place, or a current left out, is an error of a particle's charge, some percent. */
START_TEST(test_gauss_law_holds_with_every_source) {
  cw_engine_diagnostics found;
  engine_fixture f = engine_from_text(decks[_i], 1);
  for (int k = 0; k < 4; k++) {
    engine_steps(&f, CW_SANITIZED ? 8 : 20);
    CW_CHECK_OK(f.context, cw_engine_diagnose(f.engine, &found));
    ck_assert_msg(found.charge_error <= 1e-12, "step %d: %g", (int)cw_engine_step_number(f.engine),
                  found.charge_error);
    ck_assert_msg(found.particles > 3000, "%d particles", (int)found.particles);
  }
  engine_clear(&f);
}
END_TEST

static int compare_ids(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void check_ids(engine_fixture *f) {
  for (int s = 0; s < 2; s++) {
    const cw_particles_view view = cw_particles_get_view(cw_engine_particles(f->engine, s));
    uint64_t *ids = malloc((size_t)view.count * sizeof *ids);
    memcpy(ids, view.id, (size_t)view.count * sizeof *ids);
    qsort(ids, (size_t)view.count, sizeof *ids, compare_ids);
    for (int64_t p = 1; p < view.count; p++)
      ck_assert_msg(ids[p] != ids[p - 1], "id %llu twice", (unsigned long long)ids[p]);
    free(ids);
  }
}

START_TEST(test_a_restored_run_goes_on_to_the_same_bits_and_new_ids) {
  resumed_pair runs = resumed_pair_of(decks[_i], BEFORE, AFTER);
  store ends[2] = {{0}, {0}};
  check_ids(&runs.unbroken);
  CW_CHECK_OK(runs.unbroken.context, cw_engine_save(runs.unbroken.engine, keep, &ends[0]));
  CW_CHECK_OK(runs.resumed.context, cw_engine_save(runs.resumed.engine, keep, &ends[1]));
  const cw_array *next[3] = {find(&runs.kept, "sources/next_id"), find(&ends[0], "sources/next_id"),
                             find(&ends[1], "sources/next_id")};
  ck_assert(next[0] && next[1] && next[2]);
  ck_assert_uint_eq(*(const uint64_t *)next[2]->data, *(const uint64_t *)next[1]->data);
  ck_assert(*(const uint64_t *)next[1]->data > *(const uint64_t *)next[0]->data);
  resumed_pair_clear(&runs);
  forget(&ends[0]);
  forget(&ends[1]);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("sources");
  TCase *tests = tcase_create("sources");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_reservoirs_keep_their_gas_between_them);
  tcase_add_loop_test(tests, test_a_moving_plane_leaves_its_gas_behind, 0, 2);
  tcase_add_test(tests, test_a_region_is_filled_up);
  tcase_add_loop_test(tests, test_gauss_law_holds_with_every_source, 0, DECKS);
  tcase_add_loop_test(tests, test_a_restored_run_goes_on_to_the_same_bits_and_new_ids, 0, DECKS);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? 1 : 0;
}
