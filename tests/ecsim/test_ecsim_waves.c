/* Frequencies of cold waves against the scheme's own dispersion relation.
 *
 * With Om = (2 / dt) tan(w dt / 2), K = (2 / dx) sin(k dx / 2) and the particles' response m(k):
 * Langmuir Om^2 = m wp^2; light Om^2 = K^2 + m wp^2; along B, for either sense of rotation,
 * Om^2 = K^2 + m wp^2 Om / (Om + Om_c). For particles spread evenly, n a cell, CIC has
 * m = (2/3 - 1/(6 n^2)) + (1/3 + 1/(6 n^2)) cos(k dx). */
#include <complex.h>
#include <math.h>

#include "ecsim/ecsim_run.h"
#include "physics/modes.h"

enum { CELLS = 16, PER_CELL = 8, STEPS = 400 };
static const double DT = 0.2;

/* wp = 1 of the electrons alone: half of the particles, and ions of no motion. */
#define WAVE_DECK                                                                                  \
  ECSIM_HEAD "[grid]\nresolution = [16]\nextent = [[0.0, 16.0]]\n" SIDES_1D                        \
             "[scales]\nlarmor0 = 1.0\nskindepth0 = 0.70710678118654752\n[algorithms.timestep]\n"  \
             "dt = 0.2\n[particles]\nppc0 = 16.0\n" ECSIM_SPECIES("e", "1.0", "-1.0")              \
                 ECSIM_SPECIES("i", "1e14", "1.0") "[algorithms.deposit]\nshape_order = %d\n"      \
                                                   "[setup]\nproblem = \"%s\"\n%s\n"

static double response(int order) {
  const double theta = TWO_PI / CELLS, n = PER_CELL;
  if (order == 1)
    return 2.0 / 3 - 1 / (6 * n * n) + (1.0 / 3 + 1 / (6 * n * n)) * cos(theta);
  /* The continuous m, (33 + 26 cos + cos 2) / 60, is what n evenly spread particles tend to; the
   * sum over their places in a cell is exact. */
  double m = 0;
  for (int p = 0; p < PER_CELL; p++) {
    const double t = (p + 0.5) / n - 0.5;
    const double w[3] = {0.5 * (0.5 - t) * (0.5 - t), 0.75 - t * t, 0.5 * (0.5 + t) * (0.5 + t)};
    double complex sum = 0;
    for (int g = 0; g < 3; g++)
      sum += w[g] * cexp(I * theta * (g - 1));
    m += creal(sum * conj(sum)) / n;
  }
  return m;
}

static engine_fixture wave_engine(int order, const char *problem, const char *parameters) {
  char text[2048];
  snprintf(text, sizeof text, WAVE_DECK, order, problem, parameters);
  return engine_from_text(text, 1);
}

static double mode_of(engine_fixture *f, int component, int part) {
  double parts[2];
  mode_parts(f->engine, engine_vector(f, CW_QUANTITY_E), component, 1, parts);
  return parts[part];
}

/* w of a series that holds cos(w t + phase) alone: a[n + 1] + a[n - 1] = 2 cos(w dt) a[n]. */
static double single_frequency(const double *a, int count) {
  double above = 0, below = 0;
  for (int k = 1; k + 1 < count; k++) {
    above += a[k] * (a[k + 1] + a[k - 1]);
    below += 2 * a[k] * a[k];
  }
  return acos(above / below) / DT;
}

static double physical(double Om) {
  return 2 / DT * atan(Om * DT / 2);
}

START_TEST(test_langmuir_frequency) {
  const int order = _i + 1;
  engine_fixture f = wave_engine(order, "langmuir", "amplitude = 1e-7");
  double a[STEPS];
  for (int k = 0; k < STEPS; k++) {
    engine_steps(&f, 1);
    a[k] = mode_of(&f, 0, 0);
  }
  const double w = single_frequency(a, STEPS), expected = physical(sqrt(response(order)));
  ck_assert_msg(fabs(w - expected) <= 1e-5 * expected, "order %d: w = %.8f; expected %.8f", order,
                w, expected);
  if (order == 1) /* a printed value, so that the formula itself is tested */
    ck_assert_msg(fabs(w - 0.983944) <= 1e-5, "w = %.8f; expected 0.983944", w);
  engine_clear(&f);
}
END_TEST

/* E alone starts a wave and a static part of B; differences in time have only the wave. */
START_TEST(test_light_frequency) {
  const int order = _i + 1;
  engine_fixture f = wave_engine(order, "light_wave", "amplitude = 1e-7");
  double a[STEPS], before = mode_of(&f, 1, 1);
  for (int k = 0; k < STEPS; k++) {
    engine_steps(&f, 1);
    const double now = mode_of(&f, 1, 1);
    a[k] = now - before;
    before = now;
  }
  const double K = 2 * sin(0.5 * TWO_PI / CELLS);
  const double w = single_frequency(a, STEPS), expected = physical(sqrt(K * K + response(order)));
  ck_assert_msg(fabs(w - expected) <= 1e-5 * expected, "order %d: w = %.8f; expected %.8f", order,
                w, expected);
  if (order == 1)
    ck_assert_msg(fabs(w - 1.057487) <= 1e-5, "w = %.8f; expected 1.057487", w);
  engine_clear(&f);
}
END_TEST

/* Least squares for a[n + 3] = c2 a[n + 2] + c1 a[n + 1] + c0 a[n], by normal equations. */
static void recurrence(const double complex *a, int count, double complex c[3]) {
  double complex m[3][4] = {{0}};
  for (int n = 0; n + 3 < count; n++)
    for (int r = 0; r < 3; r++) {
      for (int s = 0; s < 3; s++)
        m[r][s] += conj(a[n + r]) * a[n + s];
      m[r][3] += conj(a[n + r]) * a[n + 3];
    }
  for (int p = 0; p < 3; p++)
    for (int r = 0; r < 3; r++) {
      const double complex factor = r == p ? 0 : m[r][p] / m[p][p];
      for (int s = 0; s < 4 && r != p; s++)
        m[r][s] -= factor * m[p][s];
    }
  for (int r = 0; r < 3; r++)
    c[r] = m[r][3] / m[r][r];
}

/* Smallest |w| among the roots of z^3 = c2 z^2 + c1 z + c0, z = exp(-i w dt), by Newton's method.
 */
static double slowest(const double complex c[3]) {
  double best = INFINITY;
  for (int start = 0; start < 64; start++) {
    double complex z = cexp(I * TWO_PI * start / 64.0);
    for (int k = 0; k < 60; k++)
      z -= (z * z * z - c[2] * z * z - c[1] * z - c[0]) / (3 * z * z - 2 * c[2] * z - c[1]);
    const double w = carg(z) / DT;
    if (fabs(cabs(z) - 1) < 1e-3 && fabs(w) < fabs(best))
      best = w;
  }
  return fabs(best);
}

/* E_y + i E_z at wave number k turns with three frequencies: two of light and the whistler (in the
 * sense of the electrons), of which the whistler is the slowest. */
START_TEST(test_whistler_frequency) {
  const int order = _i + 1;
  engine_fixture f = wave_engine(order, "whistler", "amplitude = 1e-7\nB = 0.5");
  double complex a[STEPS];
  for (int k = 0; k < STEPS; k++) {
    engine_steps(&f, 1);
    /* the part of E_y + i E_z that goes as exp(i k x) */
    const double complex cosine = mode_of(&f, 1, 1) + I * mode_of(&f, 2, 1);
    const double complex sine = mode_of(&f, 1, 0) + I * mode_of(&f, 2, 0);
    a[k] = 0.5 * (cosine - I * sine);
  }
  double complex c[3];
  recurrence(a, STEPS, c);
  const double w = slowest(c), K = 2 * sin(0.5 * TWO_PI / CELLS), m = response(order);
  /* Om of the whistler: Om^2 (Om - 1/2) = K^2 (Om - 1/2) + m Om, its root below 1/2 */
  double Om = 0.07;
  for (int k = 0; k < 60; k++)
    Om -= (Om * Om * (Om - 0.5) - K * K * (Om - 0.5) - m * Om) / (3 * Om * Om - Om - K * K - m);
  const double expected = physical(Om);
  ck_assert_msg(fabs(w - expected) <= 1e-5 * expected, "order %d: w = %.8f; expected %.8f", order,
                w, expected);
  if (order == 1)
    ck_assert_msg(fabs(w - 0.065889) <= 1e-5 * 0.07 + 5e-7, "w = %.8f; expected 0.065889", w);
  engine_clear(&f);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("ecsim waves");
  TCase *tests = tcase_create("dispersion");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_langmuir_frequency, 0, 2);
  tcase_add_loop_test(tests, test_light_frequency, 0, 2);
  tcase_add_loop_test(tests, test_whistler_frequency, 0, 2);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
