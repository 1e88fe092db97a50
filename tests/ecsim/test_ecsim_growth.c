/* Growth of instabilities against linear theory. */
#include <math.h>
#include <stdlib.h>

#include "ecsim/ecsim_run.h"
#include "physics/modes.h"

enum { SAMPLES = 2000 };

#define PAIR_BEAMS                                                                                 \
  ECSIM_SPECIES("e1", "1.0", "-1.0")                                                               \
  ECSIM_SPECIES("p1", "1.0", "1.0")                                                                \
  ECSIM_SPECIES("e2", "1.0", "-1.0") ECSIM_SPECIES("p2", "1.0", "1.0")

/* Rate of the mode's amplitude between 2 % and 30 % of its largest value. */
static double measure(engine_fixture *f, cw_engine_quantity quantity, int component, int mode,
                      double until) {
  double *time = calloc(SAMPLES, sizeof *time), *amplitude = calloc(SAMPLES, sizeof *amplitude);
  double largest = 0;
  int count = 0;
  while (count < SAMPLES && cw_engine_time(f->engine) < until) {
    engine_steps(f, 1);
    time[count] = cw_engine_time(f->engine);
    amplitude[count] = mode_amplitude(f->engine, engine_vector(f, quantity), component, mode);
    largest = cw_larger(largest, amplitude[count++]);
  }
  const double rate = growth_rate(time, amplitude, count, 0.02 * largest, 0.3 * largest);
  free(time), free(amplitude);
  return rate;
}

/* L = 2 pi, mode 3, v0 = +-0.2, thermal speed 0.01: cold beams of wp = 1 in all have
 * k v0 = 0.6 near the maximum, 1 / sqrt(8) = 0.354 (C. K. Birdsall and A. B. Langdon, ch. 5). */
START_TEST(test_two_stream_growth) {
  engine_fixture f = engine_from_text(
      ECSIM_HEAD "[grid]\nresolution = [64]\nextent = [[0.0, 6.283185307179586]]\n" SIDES_1D
                 "[scales]\nlarmor0 = 1.0\nskindepth0 = 1.0\n[particles]\nppc0 = 160.0\n" PAIR_BEAMS
                 "[algorithms.timestep]\ndt = 0.125\n[algorithms.ecsim]\nsolver_tolerance = 1e-10\n"
                 "[setup]\nproblem = \"two_stream\"\ndrift_1 = 0.2\ndrift_2 = -0.2\nshare_2 = 0.5\n"
                 "temperature = 1e-4\nmode = 3\namplitude = 1e-4\n",
      1);
  const double rate = measure(&f, CW_QUANTITY_E, 0, 3, 30);
  ck_assert_msg(fabs(rate - 0.35) <= 0.035, "growth %.4f; expected 0.35 within 10 %%", rate);
  engine_clear(&f);
}
END_TEST

/* Evenly spread particles instead of random ones, and one wave of B_y that is to grow: the noise of
 * faster modes would else saturate before it. */
static void start_quietly(engine_fixture *f, int species, double amplitude) {
  const cw_grid *grid = cw_engine_grid(f->engine);
  for (int s = 0; s < species; s++) {
    const cw_particles_view view = cw_particles_get_view(cw_engine_particles(f->engine, s));
    const int64_t each = view.count / grid->cells[0];
    for (int64_t p = 0; p < view.count; p++) {
      view.i[0][p] = (int32_t)(p / each);
      ((double *)view.dx[0])[p] = ((double)(p % each) + 0.5) / (double)each;
    }
  }
  cw_ecsim_fields *fields = cw_engine_ecsim_fields(f->engine);
  double *B = cw_ecsim_B(fields).component[1];
  for (int32_t i = 0; i < grid->cells[0]; i++)
    B[cw_grid_index(grid, i, 0, 0)] = amplitude * sin(TWO_PI * (i + 0.5) / grid->cells[0]);
  CW_CHECK_OK(f->context, cw_ecsim_update(fields));
}

/* Beams across the wave, v0 = 0.2, k = wp: g^2 = [-(k^2 + 1) + sqrt((k^2 + 1)^2 + 4 k^2 v0^2)] / 2
 * (F. Califano et al., Phys. Rev. E 57 (1998) 7048, cold and slow). */
START_TEST(test_filamentation_growth) {
  engine_fixture f = engine_from_text(
      ECSIM_HEAD "[grid]\nresolution = [32]\nextent = [[0.0, 6.283185307179586]]\n" SIDES_1D
                 "[scales]\nlarmor0 = 1.0\nskindepth0 = 1.0\n[particles]\nppc0 = 400.0\n" PAIR_BEAMS
                 "[algorithms.timestep]\ndt = 0.25\n[algorithms.ecsim]\nsolver_tolerance = 1e-10\n"
                 "[setup]\nproblem = \"weibel\"\ndrift = 0.2\naxis = \"z\"\n",
      1);
  start_quietly(&f, 4, 1e-5);
  const double rate = measure(&f, CW_QUANTITY_B, 1, 1, 80);
  ck_assert_msg(fabs(rate - 0.1407) <= 0.01407, "growth %.4f; expected 0.1407 within 10 %%", rate);
  engine_clear(&f);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("ecsim growth");
  TCase *tests = tcase_create("linear theory");
  tcase_set_timeout(tests, 300);
  tcase_add_test(tests, test_two_stream_growth);
  tcase_add_test(tests, test_filamentation_growth);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
