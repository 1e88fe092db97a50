/* Radiation reaction against closed forms: synchrotron cooling in a magnetic field, inverse-Compton
 * cooling of a free particle, and the oracle. */
#include <math.h>

#include "push_setup.h"

static double uniform[6];

static double fill_uniform(int c, const double *x) {
  (void)x;
  return uniform[c];
}

static const cw_pusher PUSHERS[] = {CW_PUSHER_BORIS, CW_PUSHER_VAY, CW_PUSHER_HIGUERA_CARY};

/* u after a time of 1 in n steps; the drag's coefficients are rates. */
static void cool(cw_pusher pusher, cw_precision precision, cw_push_drag rate, const double *field,
                 const double *u0, int n, double *u) {
  push_setup s = push_setup_make(push_context(CW_ISA_AUTO, 1), 2, precision, 8, 3, 1.0, 1);
  cw_push_options options = {.order = 2,
                             .pusher = pusher,
                             .dt = 1.0 / n,
                             .force_scale = 2.0 / n,
                             .drag = {rate.synchrotron / n, rate.compton / n}};
  const double middle[3] = {4, 4, 0};
  memcpy(uniform, field, sizeof uniform);
  push_fill(&s, fill_uniform);
  push_place(&s, 0, middle, u0);
  for (int k = 0; k < n; k++)
    ck_assert_int_eq(push_step(&s, &options), CW_OK);
  for (int a = 0; a < 3; a++)
    u[a] = push_momentum(&s, a, 0);
  push_setup_clear(&s);
}

static double gamma_of(const double *u) {
  return sqrt(1 + u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
}

/* gamma(t) where d gamma / dt = -rate (gamma^2 - 1): coth(rate t + arcoth gamma0). */
static double cooled(double gamma, double rate_t) {
  return 1 / tanh(rate_t + atanh(1 / gamma));
}

/* The error of gamma must shrink fourfold when steps are halved, and be small. */
static void check_order(double coarse, double fine, double right) {
  ck_assert_msg(fabs(fine / right) <= 2e-4, "off by %g of %g", fine, right);
  ck_assert_msg(coarse / fine >= 3.5 && coarse / fine <= 4.5, "errors %g, %g", coarse, fine);
}

/* Perpendicular to B: d gamma / dt = -k B^2 (gamma^2 - 1). From gamma 10 to 2.0: k B^2 t = 0.45. */
START_TEST(test_synchrotron_cooling_across_the_field) {
  const double field[6] = {0, 0, 0, 0, 1.2, 0.9}, u0[3] = {sqrt(99.0), 0, 0}, square = 2.25;
  const cw_push_drag rate = {0.2, 0};
  for (int k = 0; k < 3; k++) {
    double u[3], v[3];
    const double right = cooled(10, rate.synchrotron * square);
    cool(PUSHERS[k], CW_DOUBLE, rate, field, u0, 100, u);
    cool(PUSHERS[k], CW_DOUBLE, rate, field, u0, 200, v);
    check_order(gamma_of(u) - right, gamma_of(v) - right, right);
    ck_assert_msg(fabs(v[1] * 1.2 + v[2] * 0.9) <= 1e-12, "along B: %g", v[1] * 1.2 + v[2] * 0.9);
  }
}
END_TEST

/* At a pitch: the velocity along B stays, and in the frame that moves with it the above holds:
 * gamma(t) = G g(t / G), G = 1 / sqrt(1 - v^2), g(0) = gamma0 / G. */
START_TEST(test_synchrotron_cooling_keeps_the_velocity_along_the_field) {
  const double field[6] = {0, 0, 0, 0, 0, 1.5}, u0[3] = {3, 1, 4}, k = 0.2;
  const double v0 = u0[2] / gamma_of(u0), boost = 1 / sqrt(1 - v0 * v0);
  const double right = boost * cooled(gamma_of(u0) / boost, k * 2.25 / boost);
  double u[3], v[3];
  const cw_push_drag rate = {k, 0};
  cool(CW_PUSHER_BORIS, CW_DOUBLE, rate, field, u0, 20, u);
  cool(CW_PUSHER_BORIS, CW_DOUBLE, rate, field, u0, 40, v);
  check_order(gamma_of(u) - right, gamma_of(v) - right, right);
  const double coarse = u[2] / gamma_of(u) - v0, fine = v[2] / gamma_of(v) - v0;
  ck_assert_msg(fabs(fine) <= 1e-5, "velocity along B off by %g", fine);
  ck_assert_msg(coarse / fine >= 3.4 && coarse / fine <= 4.6, "errors %g, %g", coarse, fine);
}
END_TEST

/* Free: d gamma / dt = -k (gamma^2 - 1), the direction stays. Even where k gamma dt = 5, far beyond
 * any explicit rule, gamma falls and ends right within 2 %. */
START_TEST(test_compton_cooling_of_a_free_particle) {
  const double none[6] = {0}, u0[3] = {24, 32, -30}; /* |u| = 50 */
  double u[3], v[3];
  const cw_push_drag rate = {0, 0.8}, strong = {0, 4};
  for (int k = 0; k < 3; k++) {
    const double right = cooled(gamma_of(u0), 0.8);
    cool(PUSHERS[k], CW_DOUBLE, rate, none, u0, 20, u);
    cool(PUSHERS[k], CW_DOUBLE, rate, none, u0, 40, v);
    check_order(gamma_of(u) - right, gamma_of(v) - right, right);
    ck_assert_double_eq_tol(v[1] / v[0], 32.0 / 24, 1e-12);
    ck_assert_double_eq_tol(v[2] / v[0], -30.0 / 24, 1e-12);
  }
  cool(CW_PUSHER_BORIS, CW_DOUBLE, strong, none, u0, 40, u);
  ck_assert_double_eq_tol(sqrt(gamma_of(u) * gamma_of(u) - 1),
                          1 / sinh(4 + atanh(1 / gamma_of(u0))), 0.02 * 0.037);
}
END_TEST

/* Single precision: 200 steps of some 60 roundings each. */
START_TEST(test_cooling_in_single_precision) {
  const double field[6] = {0, 0, 0, 0, 1.2, 0.9}, u0[3] = {sqrt(99.0), 0, 0};
  const cw_push_drag rate = {0.2, 0.05};
  double single[3], right[3];
  for (int k = 0; k < 3; k++) {
    cool(PUSHERS[k], CW_SINGLE, rate, field, u0, 200, single);
    cool(PUSHERS[k], CW_DOUBLE, rate, field, u0, 200, right);
    for (int a = 0; a < 3; a++)
      ck_assert_msg(fabs(single[a] - right[a]) <= 1e-4 * gamma_of(right), "u[%d]: %g, not %g", a,
                    single[a], right[a]);
  }
}
END_TEST

/* Random fields and momenta, both paths, against the oracle, which follows the same force by many
 * small steps. Radiation takes up to some percent; the midpoint rule's error is the cube of that,
 * 1e-5; an error of a hundredth of the drag is far above. */
START_TEST(test_drag_is_that_of_the_oracle) {
  static const cw_push_path paths[] = {CW_PUSH_PATH_SCALAR, CW_PUSH_PATH_VECTOR};
  for (int path = 0; path < 2; path++)
    for (int dim = 1; dim <= 3; dim++)
      for (int precision = 0; precision < 2; precision++) {
        push_setup s = push_setup_make(push_context(CW_ISA_AUTO, 1), dim, (cw_precision)precision,
                                       8, 4, 1.0, 200);
        push_random_fields(&s, 5);
        push_scatter(&s, 6, 3.0);
        s.p.tag[3] = CW_TAG_DEAD;
        push_setup d = push_setup_double(&s, push_context(CW_ISA_AUTO, 1));
        const cw_push_options options = {.order = 2,
                                         .pusher = PUSHERS[dim - 1],
                                         .path = paths[path],
                                         .dt = 0.4,
                                         .force_scale = 0.3,
                                         .drag = {4e-4, 3e-4}};
        ck_assert_int_eq(push_step(&s, &options), CW_OK);
        ck_assert_int_eq(cw_push_reference(d.context, &options, &d.grid, d.E, d.B, &d.p), CW_OK);
        for (int64_t slot = 0; slot < s.p.count; slot++)
          for (int a = 0; a < 3 && slot != 3; a++) {
            const double found = push_momentum(&s, a, slot), right = push_momentum(&d, a, slot);
            ck_assert_msg(fabs(found - right) <= 2e-5, "slot %d, u[%d]: %g, not %g", (int)slot, a,
                          found, right);
          }
        push_setup_clear(&s);
        push_setup_clear(&d);
      }
}
END_TEST

START_TEST(test_wrong_drag_is_refused) {
  push_setup s = push_setup_make(push_context(CW_ISA_AUTO, 1), 2, CW_DOUBLE, 8, 3, 1.0, 1);
  const double x[3] = {4, 4, 0}, u[3] = {0, 0, 0};
  cw_push_options options = {.order = 2, .pusher = CW_PUSHER_BORIS, .dt = 0.5, .force_scale = 1};
  push_place(&s, 0, x, u);
  options.drag.compton = -1;
  ck_assert_int_eq(push_step(&s, &options), CW_ERROR_ARGUMENT);
  options.drag = (cw_push_drag){NAN, 0};
  ck_assert_int_eq(push_step(&s, &options), CW_ERROR_ARGUMENT);
  options.drag = (cw_push_drag){0, 1};
  options.pusher = CW_PUSHER_BORIS_GCA;
  ck_assert_int_eq(push_step(&s, &options), CW_ERROR_ARGUMENT);
  push_setup_clear(&s);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {test_synchrotron_cooling_across_the_field,
                                test_synchrotron_cooling_keeps_the_velocity_along_the_field,
                                test_compton_cooling_of_a_free_particle,
                                test_cooling_in_single_precision,
                                test_drag_is_that_of_the_oracle,
                                test_wrong_drag_is_refused};
  return push_run_suite("push_drag", tests, (int)(sizeof tests / sizeof *tests));
}
