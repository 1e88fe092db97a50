/* Properties of whole steps: Gauss's law, energy, the same bits for any number of threads. */
#include <math.h>

#include "base/reals.h"
#include "engine/engine_deck.h"

/* A warm pair plasma; the rest of the deck is appended. */
#define WARM(precision, resolution, extent, boundaries, particles)                                 \
  "[simulation]\nname = \"warm\"\nengine = \"srpic\"\nruntime = 1000.0\nprecision = \"" precision  \
  "\"\n[grid]\nresolution = " resolution "\nextent = " extent "\n[grid.metric]\nmetric = "         \
  "\"minkowski\"\n[grid.boundaries]\n" boundaries "\n[scales]\nlarmor0 = 1.0\nskindepth0 = 1.0\n"  \
  "[particles]\n" particles "\n"                                                                   \
  "[[particles.species]]\nlabel = \"e\"\nmass = 1.0\ncharge = -1.0\n"                              \
  "[[particles.species]]\nlabel = \"p\"\nmass = 1.0\ncharge = 1.0\n"                               \
  "[setup]\nproblem = \"thermal\"\ntemperature = 0.3\n"

#define PERIODIC_2D                                                                                \
  "fields = [[\"PERIODIC\"], [\"PERIODIC\"]]\nparticles = [[\"PERIODIC\"], [\"PERIODIC\"]]"
#define WALLS_2D                                                                                   \
  "fields = [[\"CONDUCTOR\"], [\"PERIODIC\"]]\nparticles = [[\"REFLECT\"], [\"PERIODIC\"]]"
#define PERIODIC_3D                                                                                \
  "fields = [[\"PERIODIC\"], [\"PERIODIC\"], [\"PERIODIC\"]]\n"                                    \
  "particles = [[\"PERIODIC\"], [\"PERIODIC\"], [\"PERIODIC\"]]"

/* sanitizers look at code, and 100 steps run all of it */
enum { STEPS = CW_SANITIZED ? 100 : 1000 };

static double largest_charge_error(const char *deck, int steps) {
  engine_fixture f = engine_from_text(deck, 2);
  cw_engine_diagnostics found;
  double largest = 0;
  for (int k = 0; k < steps; k++) {
    engine_steps(&f, 1);
    if (k % 50 != 49)
      continue;
    CW_CHECK_OK(f.context, cw_engine_diagnose(f.engine, &found));
    largest = cw_larger(largest, found.charge_error);
  }
  engine_clear(&f);
  return largest;
}

/* div E = rho holds at the start; a closing current keeps it to the round-off that 1,000 steps add
 * up: 1,000 * 1e-16 * |E|/(|rho| dx), and |E|/(|rho| dx) is about 10. */
START_TEST(test_gauss_law_is_kept_over_1000_steps_in_double) {
  double error = largest_charge_error(WARM("double", "[32, 24]", "[[0.0, 3.2], [0.0, 2.4]]",
                                           PERIODIC_2D, "ppc0 = 8.0\nspatial_sorting_interval = 7"),
                                      STEPS);
  ck_assert_msg(error <= 1e-12, "charge error %.3e; expected at most 1e-12", error);
}
END_TEST

/* The same in single precision: 1e-7 for 1e-16, and sums of 1,000 rounded steps. */
START_TEST(test_gauss_law_is_kept_over_1000_steps_in_single) {
  double error = largest_charge_error(WARM("single", "[32, 24]", "[[0.0, 3.2], [0.0, 2.4]]",
                                           PERIODIC_2D, "ppc0 = 8.0\nspatial_sorting_interval = 7"),
                                      STEPS);
  ck_assert_msg(error <= 1e-3, "charge error %.3e; expected at most 1e-3", error);
}
END_TEST

START_TEST(test_gauss_law_is_kept_between_reflecting_conductors) {
  double error = largest_charge_error(WARM("double", "[32, 24]", "[[0.0, 3.2], [0.0, 2.4]]",
                                           WALLS_2D, "ppc0 = 8.0\nspatial_sorting_interval = 7"),
                                      STEPS);
  ck_assert_msg(error <= 1e-12, "charge error %.3e; expected at most 1e-12", error);
}
END_TEST

/* Warm plasma with a Debye length of 0.55 skin depths on cells of 0.1: self-heating over 500 steps
 * with second-order shapes stays below 0.2 % (an unfiltered run of a good code does as well). */
START_TEST(test_energy_drift_is_small) {
  engine_fixture f =
      engine_from_text(WARM("single", "[32, 32]", "[[0.0, 3.2], [0.0, 3.2]]", PERIODIC_2D,
                            "ppc0 = 32.0\nspatial_sorting_interval = 5"),
                       2);
  cw_engine_diagnostics first, last;
  engine_steps(&f, 20); /* fields build up from particle noise at first */
  CW_CHECK_OK(f.context, cw_engine_diagnose(f.engine, &first));
  engine_steps(&f, CW_SANITIZED ? 50 : 500);
  CW_CHECK_OK(f.context, cw_engine_diagnose(f.engine, &last));
  double drift = last.total_energy / first.total_energy - 1;
  ck_assert_msg(fabs(drift) <= 2e-3, "energy drift %.3e; expected at most 2e-3", drift);
  engine_clear(&f);
}
END_TEST

static void state_of(const char *deck, const char *method, int threads, char hex[65]) {
  char text[4096];
  snprintf(text, sizeof text, "%s[algorithms.deposit]\n%s\n", deck, method);
  engine_fixture f = engine_from_text(text, threads);
  engine_steps(&f, CW_SANITIZED ? 5 : 13); /* three sorts (one) and a part */
  CW_CHECK_OK(f.context, cw_engine_sha256(f.engine, hex));
  engine_clear(&f);
}

/* SHA-256 of the final state: one thread, two, three, and twice, for each deposit. */
START_TEST(test_same_bits_for_any_number_of_threads) {
  static const char *const methods[] = {"tiled_deposit = false", "tiled_deposit = true",
                                        "tiled_deposit = true\ntiled_deposit_fixed_point = true",
                                        "tiled_deposit_tile_size = 4\nshape_order = 3"};
  static const char *const decks[] = {
      WARM("single", "[40, 24]", "[[0.0, 4.0], [0.0, 2.4]]", WALLS_2D,
           "ppc0 = 16.0\nspatial_sorting_interval = 4"),
      WARM("double", "[12, 10, 14]", "[[0.0, 1.2], [0.0, 1.0], [0.0, 1.4]]", PERIODIC_3D,
           "ppc0 = 6.0\nspatial_sorting_interval = 4\nuse_weights = true")};
  const char *deck = decks[_i % 2], *method = methods[_i / 2];
  char reference[65], hex[65];
  state_of(deck, method, 1, reference);
  for (int threads = 1; threads <= 3; threads++) {
    state_of(deck, method, threads, hex);
    ck_assert_msg(strcmp(hex, reference) == 0, "%d threads give %s; one gave %s", threads, hex,
                  reference);
  }
}
END_TEST

/* Absorbing walls: particles leave, the rest of the run stays finite and Gauss's law holds inside:
 * the current of a particle that dies is deposited first. */
START_TEST(test_absorbing_walls_lose_particles_and_keep_gauss_law) {
  engine_fixture f = engine_from_text(
      WARM("double", "[40, 16]", "[[0.0, 4.0], [0.0, 1.6]]",
           "fields = [[\"ABSORB\"], [\"PERIODIC\"]]\nparticles = [[\"ABSORB\"], [\"PERIODIC\"]]\n"
           "absorb.ds = 0.5",
           "ppc0 = 8.0\nspatial_sorting_interval = 5"),
      2);
  cw_engine_diagnostics first, last;
  CW_CHECK_OK(f.context, cw_engine_diagnose(f.engine, &first));
  engine_steps(&f, 200);
  CW_CHECK_OK(f.context, cw_engine_diagnose(f.engine, &last));
  ck_assert_msg(last.particles < first.particles && last.particles > first.particles / 10,
                "%lld of %lld particles are left", (long long)last.particles,
                (long long)first.particles);
  ck_assert_msg(last.charge_error <= 1e-12, "charge error %.3e; expected at most 1e-12",
                last.charge_error);
  engine_clear(&f);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("engine");
  TCase *tests = tcase_create("whole steps");
  tcase_set_timeout(tests, 300);
  tcase_add_test(tests, test_gauss_law_is_kept_over_1000_steps_in_double);
  tcase_add_test(tests, test_gauss_law_is_kept_over_1000_steps_in_single);
  tcase_add_test(tests, test_gauss_law_is_kept_between_reflecting_conductors);
  tcase_add_test(tests, test_energy_drift_is_small);
  tcase_add_loop_test(tests, test_same_bits_for_any_number_of_threads, 0, 8);
  tcase_add_test(tests, test_absorbing_walls_lose_particles_and_keep_gauss_law);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? 1 : 0;
}
