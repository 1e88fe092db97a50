/* Runs against linear theory: Langmuir frequency, two-stream and Weibel growth. */
#include <complex.h>
#include <stdlib.h>

#include "engine/engine_deck.h"
#include "physics/modes.h"

#define DECK_HEAD                                                                                  \
  "[simulation]\nname = \"wave\"\nengine = \"srpic\"\nruntime = 1000.0\nprecision = \"double\"\n"  \
  "[grid.metric]\nmetric = \"minkowski\"\n"                                                        \
  "[scales]\nlarmor0 = 1.0\nskindepth0 = 1.0\n"

#define SPECIES(label, charge)                                                                     \
  "[[particles.species]]\nlabel = \"" label "\"\nmass = 1.0\ncharge = " charge "\n"

/* omega = 1/skindepth0 for total density n0 (C. K. Birdsall and A. B. Langdon, Plasma Physics via
 * Computer Simulation, ch. 5). A cold wave of 64 cells: shapes of order 2 and the finite time step
 * change omega by less than 0.3 %, within the 1 % that is allowed. */
START_TEST(test_langmuir_frequency) {
  engine_fixture f = engine_from_text(
      DECK_HEAD "[grid]\nresolution = [64]\nextent = [[0.0, 6.4]]\n[grid.boundaries]\n"
                "fields = [[\"PERIODIC\"]]\nparticles = [[\"PERIODIC\"]]\n"
                "[algorithms.timestep]\nCFL = 0.5\n[particles]\nppc0 = 32.0\n"
                "spatial_sorting_interval = 5\n" SPECIES("e", "-1.0")
                    SPECIES("p", "1.0") "[setup]\nproblem = \"langmuir\"\namplitude = 0.001\n",
      1);
  double before = 0, first = 0, last = 0, previous_time = 0;
  int crossings = 0;
  while (cw_engine_time(f.engine) < 40) {
    engine_steps(&f, 1);
    double parts[2];
    mode_parts(f.engine, cw_fields_E(cw_engine_fields(f.engine)), 0, 1, parts);
    double time = cw_engine_time(f.engine);
    if (before * parts[0] + 0 * parts[1] < 0) {
      last = previous_time + (time - previous_time) * before / (before - parts[0]);
      if (crossings++ == 0)
        first = last;
    }
    before = parts[0], previous_time = time;
  }
  ck_assert_msg(crossings > 8, "only %d zero crossings in t = 40", crossings);
  double omega = TWO_PI / 2 * (crossings - 1) / (last - first);
  ck_assert_msg(fabs(omega - 1) <= 0.01, "omega = %.5f; expected 1 within 1 %%", omega);
  engine_clear(&f);
}
END_TEST

/* Fastest root of 1 = sum over beams of w_b / (gamma_b^3 (omega - k v_b)^2), by Newton's method
 * from many starts: the cold dispersion relation with the deck's own densities and drifts. */
static double two_stream_theory(double k, const double share[2], const double drift[2]) {
  double best = 0;
  for (int start = 0; start < 400; start++) {
    double complex omega = k * (drift[1] + (drift[0] - drift[1]) * (start % 20) / 19.0) +
                           I * (0.02 + 0.05 * (start / 20));
    for (int iteration = 0; iteration < 60; iteration++) {
      double complex value = 1, slope = 0;
      for (int b = 0; b < 2; b++) {
        double gamma = 1 / sqrt(1 - drift[b] * drift[b]);
        double complex d = omega - k * drift[b], w = share[b] / (gamma * gamma * gamma);
        value -= w / (d * d);
        slope += 2 * w / (d * d * d);
      }
      omega -= value / slope;
    }
    double complex residual = 1;
    for (int b = 0; b < 2; b++) {
      double gamma = 1 / sqrt(1 - drift[b] * drift[b]);
      double complex d = omega - k * drift[b];
      residual -= share[b] / (gamma * gamma * gamma) / (d * d);
    }
    if (cabs(residual) < 1e-9 && cimag(omega) > best)
      best = cimag(omega);
  }
  return best;
}

static void check_two_stream(double share_2, double drift_1, double drift_2, double length) {
  char text[2048];
  snprintf(
      text, sizeof text,
      DECK_HEAD
      "[grid]\nresolution = [64]\nextent = [[0.0, %.17g]]\n[grid.boundaries]\n"
      "fields = [[\"PERIODIC\"]]\nparticles = [[\"PERIODIC\"]]\n"
      "[particles]\nppc0 = 40.0\nspatial_sorting_interval = 5\n"
      "[algorithms.timestep]\nCFL = 0.5\n" SPECIES("e1", "-1.0") SPECIES("p1", "1.0")
          SPECIES("e2", "-1.0") SPECIES(
              "p2", "1.0") "[setup]\nproblem = \"two_stream\"\ndrift_1 = %.17g\ndrift_2 = %.17g\n"
                           "share_2 = %.17g\nmode = 1\namplitude = 1e-6\n",
      length, drift_1, drift_2, share_2);
  engine_fixture f = engine_from_text(text, 1);
  enum { SAMPLES = 20000 };
  double *time = calloc(SAMPLES, sizeof *time), *amplitude = calloc(SAMPLES, sizeof *amplitude);
  int count = 0;
  double largest = 0;
  while (count < SAMPLES && cw_engine_time(f.engine) < 150) {
    engine_steps(&f, 1);
    time[count] = cw_engine_time(f.engine);
    amplitude[count] = mode_amplitude(f.engine, cw_fields_E(cw_engine_fields(f.engine)), 0, 1);
    if (amplitude[count] > largest)
      largest = amplitude[count];
    count++;
    if (amplitude[count - 1] < 0.5 * largest && largest > 1e-3)
      break;
  }
  double measured = growth_rate(time, amplitude, count, 1e-3 * largest, 0.1 * largest);
  const double share[2] = {1 - share_2, share_2}, drift[2] = {drift_1, drift_2};
  double theory = two_stream_theory(TWO_PI / length, share, drift);
  ck_assert_msg(theory > 0.05, "the deck is stable in theory (growth %.3g)", theory);
  ck_assert_msg(fabs(measured - theory) <= 0.05 * theory,
                "growth %.4f (largest |E_k| %.2e); theory %.4f, expected within 5 %%", measured,
                largest, theory);
  free(time), free(amplitude);
  engine_clear(&f);
}

START_TEST(test_two_stream_growth_of_symmetric_beams) {
  check_two_stream(0.5, 0.2, -0.2, TWO_PI * 0.2 / 0.6124);
}
END_TEST

START_TEST(test_two_stream_growth_of_a_weak_beam) {
  check_two_stream(0.1, 0.0, 0.4, TWO_PI * 0.4);
}
END_TEST

/* Cold counter-streaming beams along z, wave along x (F. Califano et al., Phys. Rev. E 57 (1998)
 * 7048, or by linearising): G^4 + G^2 (k^2 + wp^2/gamma^3) = wp^2 v^2 k^2 / gamma. */
static double weibel_theory(double k, double v) {
  double gamma = 1 / sqrt(1 - v * v);
  double b = k * k + 1 / (gamma * gamma * gamma), c = v * v * k * k / gamma;
  return sqrt(0.5 * (sqrt(b * b + 4 * c) - b));
}

START_TEST(test_weibel_growth) {
  enum { FIRST = 4, MODES = 8, SAMPLES = 4000 };
  const double v = 0.5, length = 12.8;
  char text[2048];
  snprintf(text, sizeof text,
           DECK_HEAD
           "[grid]\nresolution = [256]\nextent = [[0.0, 12.8]]\n[grid.boundaries]\n"
           "fields = [[\"PERIODIC\"]]\nparticles = [[\"PERIODIC\"]]\n"
           "[particles]\nppc0 = %d\nspatial_sorting_interval = 5\n"
           "[algorithms.timestep]\nCFL = 0.8\n" SPECIES("e1", "-1.0") SPECIES("p1", "1.0")
               SPECIES("e2", "-1.0") SPECIES(
                   "p2", "1.0") "[setup]\nproblem = \"weibel\"\ndrift = 0.5\naxis = \"z\"\n",
           CW_SANITIZED ? 40 : 160);
  engine_fixture f = engine_from_text(text, 1);
  double *time = calloc(SAMPLES, sizeof *time);
  double *amplitude = calloc((size_t)SAMPLES * MODES, sizeof *amplitude);
  int count = 0;
  while (count < SAMPLES && cw_engine_time(f.engine) < 40) {
    engine_steps(&f, 1);
    time[count] = cw_engine_time(f.engine);
    for (int m = 0; m < MODES; m++)
      amplitude[m * SAMPLES + count] =
          mode_amplitude(f.engine, cw_fields_B(cw_engine_fields(f.engine)), 1, FIRST + m);
    count++;
  }
  /* Each mode starts with an arbitrary mixture of growing and other waves: the mean of the ratio
   * over the modes is compared, while they are small against where they saturate. */
  double ratio = 0;
  for (int m = 0; m < MODES; m++) {
    double largest = 0;
    for (int k = 0; k < count; k++)
      largest = cw_larger(largest, amplitude[m * SAMPLES + k]);
    double measured =
        growth_rate(time, &amplitude[m * SAMPLES], count, 0.005 * largest, 0.08 * largest);
    ratio += measured / weibel_theory(TWO_PI * (FIRST + m) / length, v) / MODES;
  }
  ck_assert_msg(fabs(ratio - 1) <= 0.1,
                "measured over theoretical growth is %.4f; expected 1 within "
                "10 %%",
                ratio);
  free(time), free(amplitude);
  engine_clear(&f);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("plasma waves");
  TCase *tests = tcase_create("linear theory");
  tcase_set_timeout(tests, 300);
  tcase_add_test(tests, test_langmuir_frequency);
  tcase_add_test(tests, test_two_stream_growth_of_symmetric_beams);
  tcase_add_test(tests, test_two_stream_growth_of_a_weak_beam);
  tcase_add_test(tests, test_weibel_growth);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? 1 : 0;
}
