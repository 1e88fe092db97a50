/* Spectra and phase-space maps: every weight is somewhere, and in the right bin. */
#include <math.h>

#include "base/context_private.h"
#include "engine/engine_deck.h"
#include "engine/histograms.h"

static const char box[] =
    "[simulation]\nname = \"bins\"\nengine = \"srpic\"\nruntime = 1\nprecision = \"%s\"\n"
    "[grid]\nresolution = [16, 8]\nextent = [[-0.8, 0.8], [0, 0.8]]\n"
    "[grid.metric]\nmetric = \"minkowski\"\n"
    "[grid.boundaries]\nfields = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"
    "particles = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"
    "[scales]\nlarmor0 = 1\nskindepth0 = 1\n[algorithms]\ntimestep.CFL = 0.5\n"
    "[particles]\nppc0 = 300\nuse_weights = true\n"
    "[[particles.species]]\nlabel = \"e\"\nmass = 1\ncharge = -1\n"
    "[[particles.species]]\nlabel = \"p\"\nmass = 1\ncharge = 1\n"
    "[setup]\nproblem = \"thermal\"\ntemperature = 0.3\n";

static engine_fixture begin(const char *precision, int threads) {
  char text[sizeof box + 20];
  snprintf(text, sizeof text, box, precision);
  return engine_from_text(text, threads);
}

static cw_histogram count(engine_fixture *f, int rank, const cw_deck_axis *axes) {
  cw_histogram made = {.rank = rank};
  memcpy(made.axis, axes, (size_t)rank * sizeof *axes);
  CW_CHECK_OK(f->context, cw_histogram_count(f->engine, 0, &made));
  return made;
}

/* What the particles weigh, summed one by one. */
static double weigh(engine_fixture *f) {
  const cw_particles_view view = cw_particles_get_view(cw_engine_particles(f->engine, 0));
  double sum = 0;
  for (int64_t p = 0; p < view.count; p++)
    if (view.tag[p] != CW_TAG_DEAD)
      sum += view.precision == CW_DOUBLE ? ((double *)view.weight)[p] : ((float *)view.weight)[p];
  return sum;
}

static double in_bins(const cw_histogram *made) {
  double sum = 0;
  for (int64_t k = 0; k < made->count; k++) {
    ck_assert(made->weight[k] >= 0);
    sum += made->weight[k];
  }
  return sum;
}

static double outside(const cw_histogram *made) {
  double sum = 0;
  for (int a = 0; a < made->rank; a++)
    sum += made->below[a] + made->above[a];
  return sum;
}

/* Weights that differ, and some particles that are dead. */
static void disturb(engine_fixture *f) {
  const cw_particles_view view = cw_particles_get_view(cw_engine_particles(f->engine, 0));
  for (int64_t p = 0; p < view.count; p++) {
    ((double *)view.weight)[p] = 0.5 + 0.001 * (double)(p % 977);
    if (p % 13 == 0)
      view.tag[p] = CW_TAG_DEAD;
  }
}

/* Narrow bins leave some weight below and some above; nothing is lost or counted twice. */
START_TEST(test_every_weight_is_somewhere) {
  static const cw_deck_axis axes[3][3] = {
      {{CW_DECK_LOG_ENERGY, -1, 0, 20}, {CW_DECK_X, -0.8, 0.8, 4}, {CW_DECK_Y, 0, 0.8, 3}},
      {{CW_DECK_X, -0.8, 0.8, 32}, {CW_DECK_UX, -0.5, 0.25, 10}},
      {{CW_DECK_GAMMA, 1.1, 1.5, 7}, {CW_DECK_UZ, 0, 1, 5}}};
  engine_fixture f = begin("double", 2);
  disturb(&f);
  const double total = weigh(&f);
  for (int k = 0; k < 3; k++) {
    cw_histogram made = count(&f, k == 0 ? 3 : 2, axes[k]);
    /* sums of 19,000 weights in two orders */
    ck_assert_double_eq_tol(made.total / total, 1, 1e-12);
    ck_assert_double_eq_tol((in_bins(&made) + outside(&made)) / total, 1, 1e-12);
    ck_assert_double_gt(outside(&made), 0.05 * total);
    ck_assert_double_gt(in_bins(&made), 0.05 * total);
    cw_histogram_clear(f.context, &made);
  }
  engine_clear(&f);
}
END_TEST

/* A cold beam of u_x = 0.75 (gamma = 1.25): one row of the x-u_x map, with the particles of each
 * column of cells; one bin of the spectrum. */
START_TEST(test_a_cold_beam_is_a_line) {
  static const cw_deck_axis map[2] = {{CW_DECK_X, -0.8, 0.8, 16}, {CW_DECK_UX, -2, 2, 32}};
  static const cw_deck_axis energy[1] = {{CW_DECK_ENERGY, 0, 1, 100}};
  static const cw_deck_axis logarithm[1] = {{CW_DECK_LOG_ENERGY, -3, 3, 60}};
  engine_fixture f = begin("double", 2);
  disturb(&f);
  const cw_particles_view view = cw_particles_get_view(cw_engine_particles(f.engine, 0));
  double column[16] = {0};
  for (int64_t p = 0; p < view.count; p++) {
    ((double *)view.u[0])[p] = 0.75;
    ((double *)view.u[1])[p] = ((double *)view.u[2])[p] = 0;
    if (view.tag[p] != CW_TAG_DEAD)
      column[view.i[0][p]] += ((double *)view.weight)[p];
  }
  cw_histogram made = count(&f, 2, map);
  for (int j = 0; j < 32; j++)
    for (int i = 0; i < 16; i++)
      ck_assert_double_eq_tol(made.weight[i + 16 * j], j == 22 ? column[i] : 0,
                              1e-12 * column[i]); /* (0.75 + 2) / 0.125 = 22 */
  ck_assert_double_gt(column[3], 100);
  cw_histogram_clear(f.context, &made);
  made = count(&f, 1, energy); /* 0.25 / 0.01 = 25, up to round-off */
  ck_assert_double_eq_tol((made.weight[25] + made.weight[24]) / made.total, 1, 1e-12);
  cw_histogram_clear(f.context, &made);
  made = count(&f, 1, logarithm); /* (log10(0.25) + 3) / 0.1 = 23.98 */
  ck_assert_double_eq_tol(made.weight[23] / made.total, 1, 1e-12);
  cw_histogram_clear(f.context, &made);
  engine_clear(&f);
}
END_TEST

START_TEST(test_threads_do_not_change_a_bit) {
  static const cw_deck_axis axes[2] = {{CW_DECK_Y, 0, 0.8, 5}, {CW_DECK_GAMMA, 1, 3, 40}};
  engine_fixture one = begin("double", 1), three = begin("double", 3);
  disturb(&one);
  disturb(&three);
  cw_histogram a = count(&one, 2, axes), b = count(&three, 2, axes);
  ck_assert_mem_eq(a.weight, b.weight, (size_t)a.count * sizeof(double));
  ck_assert(a.total == b.total && a.above[1] == b.above[1] && a.above[1] > 0);
  cw_histogram_clear(one.context, &a);
  cw_histogram_clear(three.context, &b);
  engine_clear(&one);
  engine_clear(&three);
}
END_TEST

/* Maxwell-Juttner of T = 0.3: dN / dgamma ~ gamma^2 beta exp(-gamma / T). The share of gamma above 2
 * is the integral from there on over that from 1 on: by a sum over 10^5 steps; 19,200 particles:
 * 0.0031 a standard error. */
START_TEST(test_a_thermal_spectrum_has_its_tail) {
  static const cw_deck_axis axes[1] = {{CW_DECK_ENERGY, 1, 50, 10}};
  engine_fixture f = begin(_i ? "single" : "double", 2);
  double all = 0, tail = 0;
  for (int k = 0; k < 100000; k++) {
    const double gamma = 1 + (k + 0.5) * 1e-4;
    const double each = gamma * sqrt(gamma * gamma - 1) * exp(-(gamma - 1) / 0.3);
    all += each;
    tail += gamma > 2 ? each : 0;
  }
  cw_histogram made = count(&f, 1, axes);
  const double found = in_bins(&made) / made.total;
  ck_assert_msg(fabs(found - tail / all) <= 5 * 0.0031, "%g of the weight; expected %g", found,
                tail / all);
  ck_assert(made.above[0] == 0);
  cw_histogram_clear(f.context, &made);
  engine_clear(&f);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("histograms");
  TCase *tests = tcase_create("histograms");
  tcase_set_timeout(tests, 60);
  tcase_add_test(tests, test_every_weight_is_somewhere);
  tcase_add_test(tests, test_a_cold_beam_is_a_line);
  tcase_add_test(tests, test_threads_do_not_change_a_bit);
  tcase_add_loop_test(tests, test_a_thermal_spectrum_has_its_tail, 0, 2);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
