/* Guiding centres against drifts and bounces in closed form, and where they begin and end. Fields are
 * linear or quadratic, which splines of order 2 gather exactly up to a constant (README.md). */
#include <math.h>

#include "base/reals.h"
#include "push_setup.h"

#define PI 3.14159265358979323846

enum { EDGE = 32 };

static push_setup guide_setup(int dim, cw_precision precision, push_field *field, int64_t count) {
  push_setup s = push_setup_make(push_context(CW_ISA_AUTO, 2), dim, precision, EDGE, 4, 1.0, count);
  push_fill(&s, field);
  for (int k = 0; k < 2; k++)
    s.p.guide[k] = calloc((size_t)count, (size_t)cw_precision_size(precision));
  return s;
}

static void guide_clear(push_setup *s) {
  free(s->p.guide[0]);
  free(s->p.guide[1]);
  push_setup_clear(s);
}

static cw_push_options guide_options(double dt, double frequency) {
  return (cw_push_options){.order = 2,
                           .pusher = CW_PUSHER_BORIS_GCA,
                           .dt = dt,
                           .force_scale = frequency * dt,
                           .guide = {.e_ovr_b_max = 0.9}};
}

static double moment(const push_setup *s, int64_t slot) {
  return push_get(s->p.precision, s->p.guide[0], slot);
}

static double along(const push_setup *s, int64_t slot) {
  return push_get(s->p.precision, s->p.guide[1], slot);
}

static double gamma_of(const push_setup *s, int64_t slot) {
  double square = 1;
  for (int a = 0; a < 3; a++)
    square += push_momentum(s, a, slot) * push_momentum(s, a, slot);
  return sqrt(square);
}

static void steps(push_setup *s, const cw_push_options *options, int count) {
  for (int k = 0; k < count; k++) {
    const cw_status status = push_step(s, options);
    ck_assert_msg(status == CW_OK, "step %d: %s", k, cw_context_message(s->context));
  }
}

/* B along z, E along x: v = E x B / B^2 = -0.6 along y, however the particle gyrates. */
static double crossed(int c, const double *x) {
  (void)x;
  return c == 0 ? 0.6 : c == 5 ? 1.0 : 0;
}

START_TEST(test_drift_across_the_fields_is_exact) {
  for (int precision = 0; precision < 2; precision++) {
    push_setup s = guide_setup(2, (cw_precision)precision, crossed, 1);
    const double x[3] = {16, 30, 0}, u[3] = {0.3, -0.4, 0.25};
    const double rounding = precision == CW_DOUBLE ? 1e-13 : 2e-5;
    cw_push_options options = guide_options(0.5, 100); /* 50 gyrations a step */
    push_place(&s, 0, x, u);
    steps(&s, &options, 1);
    const double first = moment(&s, 0), p = along(&s, 0);
    ck_assert_double_eq_tol(p, 0.25, 1e-7); /* a boost across B leaves it */
    /* w^2 = 2 mu B*: the energy in the frame of v, kappa (gamma - v.u), gives it */
    const double kappa = 1.25, own = kappa * (sqrt(1 + 0.3125) - 0.6 * 0.4);
    ck_assert_double_eq_tol(2 * first * 0.8, own * own - 1 - p * p, 1e-6);
    steps(&s, &options, 59);
    ck_assert_double_eq_tol(push_position(&s, 0, 0), 16, rounding);
    ck_assert_double_eq_tol(push_position(&s, 1, 0), 30 - 60 * 0.3, 60 * rounding);
    ck_assert(moment(&s, 0) == first && along(&s, 0) == p); /* no force along B: to the bit */
    guide_clear(&s);
  }
}
END_TEST

/* B_z = 1 + g (x - 16): v_y = mu g / (gamma s B), as gyration takes a step of 50 turns. */
static const double SLOPE = 0.01;
static double sloped(int c, const double *x) {
  return c == 5 ? 1 + SLOPE * (x[0] - 16) : 0;
}

START_TEST(test_drift_along_a_gradient) {
  push_setup s = guide_setup(2, CW_DOUBLE, sloped, 1);
  const double x[3] = {20, 4, 0}, u[3] = {1.2, 0.9, 0}, B = 1 + SLOPE * 4;
  cw_push_options options = guide_options(0.5, 100);
  push_place(&s, 0, x, u);
  steps(&s, &options, 400);
  const double mu = 2.25 / (2 * B), gamma = sqrt(3.25);
  ck_assert_double_eq_tol(moment(&s, 0), mu, 1e-12);
  const double right = 200 * mu * SLOPE / (gamma * 100 * B);
  ck_assert_double_eq_tol(push_position(&s, 1, 0) - 4, right, 1e-9 * right + 1e-12);
  ck_assert_double_eq_tol(push_position(&s, 0, 0), 20, 1e-12);
  ck_assert_double_eq_tol(gamma_of(&s, 0), gamma, 1e-12);
  guide_clear(&s);
}
END_TEST

/* B = g (-(y - 16), x - 16, 0): circles about the z axis, |B| = g r. A particle at r runs round, and
 * drifts along z by gamma v^2 / (s B r) of the bend and -mu g / (gamma s B) of the gradient. */
static double circles(int c, const double *x) {
  return c == 3 ? -0.1 * (x[1] - 16) : c == 4 ? 0.1 * (x[0] - 16) : 0;
}

/* What a quarter of a turn does; `dt` divides it. */
static void round_the_bend(double u_across, double dt, double *radius, double *z) {
  push_setup s = guide_setup(3, CW_DOUBLE, circles, 1);
  const double r = 10, frequency = 50, x[3] = {26, 16, 16}, u[3] = {u_across, 3, 0};
  const double speed = 3 / sqrt(10 + u_across * u_across), turn = r / speed * PI / 2;
  const int count = (int)lround(turn / dt);
  cw_push_options options = guide_options(turn / count, frequency);
  push_place(&s, 0, x, u);
  steps(&s, &options, count);
  *radius = hypot(push_position(&s, 0, 0) - 16, push_position(&s, 1, 0) - 16);
  *z = (push_position(&s, 2, 0) - 16) / turn;
  ck_assert_double_eq_tol(along(&s, 0), 3, 1e-12);
  ck_assert_double_eq_tol(gamma_of(&s, 0), sqrt(10 + u_across * u_across), 0.02);
  guide_clear(&s);
}

START_TEST(test_drift_round_a_bend) {
  double radius[2], z[2];
  const double s = 50, B = 1, g = 0.1;
  for (int k = 0; k < 2; k++) {
    const double u = k ? 1.0 : 0, gamma = sqrt(10 + u * u), mu = u * u / 2;
    const double right = 9 / gamma / (s * B * 10) - mu * g / (gamma * s * B);
    round_the_bend(u, 0.5, &radius[0], &z[0]);
    round_the_bend(u, 0.25, &radius[1], &z[1]);
    /* chords: the drift and the radius are right to second order in the step */
    ck_assert_msg(fabs(z[1] / right - 1) <= 1e-3, "drift %g; not %g", z[1], right);
    ck_assert_msg(fabs(radius[1] - 10) <= 1e-4, "radius %g", radius[1]);
    ck_assert_msg(fabs(radius[0] - 10) >= 3 * fabs(radius[1] - 10), "radius %g, then %g", radius[0],
                  radius[1]);
  }
}
END_TEST

/* B = (1 + a X^2, -2 a X Y) about the middle, free of divergence. On the axis p^2 + 2 mu B is kept,
 * so X beats like a spring of frequency sqrt(2 mu a) / gamma. */
static const double MIRROR = 0.02;
static double mirror(int c, const double *x) {
  const double X = x[0] - 16, Y = x[1] - 16;
  return c == 3 ? 1 + MIRROR * X * X : c == 4 ? -2 * MIRROR * X * Y : 0;
}

START_TEST(test_bounce_in_a_mirror) {
  for (int precision = 0; precision < 2; precision++) {
    push_setup s = guide_setup(2, (cw_precision)precision, mirror, 1);
    const double x[3] = {16, 16, 0}, u[3] = {0.5, 0, 1};
    cw_push_options options = guide_options(0.25, 400);
    push_place(&s, 0, x, u);
    const double raised = 1 + MIRROR * 0.25; /* order 2 adds (O + 1) / 12 a dimension */
    const double gamma = 1.5, mu = 1 / (2 * raised), omega = sqrt(2 * mu * MIRROR) / gamma;
    const double reach = 0.5 / gamma / omega;
    const int bounce = (int)lround(2 * PI / omega / 0.25);
    double farthest = 0;
    steps(&s, &options, 1);
    const double first = moment(&s, 0);
    ck_assert_double_eq_tol(first, mu, 1e-6);
    for (int n = 2; n <= 2 * bounce; n++) {
      steps(&s, &options, 1);
      const double right = reach * sin(omega * n * 0.25);
      farthest = cw_larger(farthest, push_position(&s, 0, 0) - 16);
      ck_assert_msg(fabs(push_position(&s, 0, 0) - 16 - right) <= 2e-3 * reach,
                    "step %d: %g, not %g", n, push_position(&s, 0, 0) - 16, right);
    }
    ck_assert(moment(&s, 0) == first); /* to the bit */
    ck_assert_double_eq_tol(farthest, reach, 2e-3 * reach);
    ck_assert_double_eq_tol(gamma_of(&s, 0), gamma, 1e-3);
    guide_clear(&s);
  }
}
END_TEST

/* A field that bends, with a drift that changes along it: B = (1, 0, g X), E_y = e + h X. A Boris
 * particle that starts with the drift's velocity has next to no gyration, and its path, in steps of a
 * three-hundredth of a turn, is the guiding centre's to second order in its gyration radius. */
static double sheared(int c, const double *x) {
  const double X = x[0] - 16;
  return c == 1 ? 0.3 + 0.01 * X : c == 3 ? 1.0 : c == 5 ? 0.02 * X : 0;
}

START_TEST(test_a_guiding_centre_goes_where_the_full_orbit_goes) {
  const double frequency = 10, duration = 16;
  push_setup s = guide_setup(3, CW_DOUBLE, sheared, 2);
  const double x[3] = {8, 16, 16};
  double u[3] = {0.5, 0, 0};
  cw_push_options options = guide_options(1.0 / 32, frequency);
  /* v = E x B / B^2 at x, E_y = 0.22, B = (1, 0, -0.16) */
  const double B2 = 1 + 0.16 * 0.16, v[3] = {0.22 * -0.16 / B2, 0, -0.22 / B2};
  const double rest = sqrt(1 - v[0] * v[0] - v[2] * v[2]);
  const double b[3] = {1 / sqrt(B2), 0, -0.16 / sqrt(B2)}, p = 0.5;
  const double gamma = sqrt(1 + p * p) / rest;
  for (int a = 0; a < 3; a++)
    u[a] = p * b[a] + gamma * v[a];
  push_place(&s, 0, x, u);
  push_place(&s, 1, x, u);
  steps(&s, &options, (int)(duration / options.dt));
  ck_assert_double_gt(moment(&s, 0), 0);
  const double found[3] = {push_position(&s, 0, 0), push_position(&s, 1, 0),
                           push_position(&s, 2, 0)};
  push_place(&s, 0, x, u);
  push_place(&s, 1, x, u);
  options = guide_options(1.0 / 512, frequency);
  options.pusher = CW_PUSHER_BORIS;
  steps(&s, &options, (int)(duration / options.dt));
  const double moved[3] = {push_position(&s, 0, 1) - x[0], push_position(&s, 1, 1) - x[1],
                           push_position(&s, 2, 1) - x[2]};
  ck_assert_double_gt(fabs(moved[0]), 3);
  ck_assert_double_gt(fabs(moved[2]), 2);
  /* u starts half a step behind: 1/64 of the time times the force, 0.03, on u of order 1. Along y
   * there are but the drifts of the bend and of the changing v: to a part in the gyrations. */
  for (int a = 0; a < 3; a++)
    ck_assert_msg(fabs(found[a] - x[a] - moved[a]) <= (a == 1 ? 0.01 * fabs(moved[1]) : 1e-3),
                  "axis %d: %g, not %g", a, found[a] - x[a], moved[a]);
  ck_assert_double_gt(fabs(moved[1]), 1.5e-3);
  guide_clear(&s);
}
END_TEST

/* E_x / B from 0.5 to 1 across the box. */
static double stronger(int c, const double *x) {
  return c == 0 ? 0.5 + x[0] / 64 : c == 5 ? 1.0 : 0;
}

START_TEST(test_thresholds_decide_who_is_a_guiding_centre) {
  static const cw_pusher full[] = {CW_PUSHER_BORIS, CW_PUSHER_VAY, CW_PUSHER_HIGUERA_CARY};
  for (int k = 0; k < 3; k++) {
    push_setup s = guide_setup(2, CW_DOUBLE, stronger, 4), plain;
    const double x[4][3] = {{20, 8}, {28, 8}, {20, 20}, {20, 24}};
    const double u[4][3] = {{0.1, -1.4, 0.3}, {0.1, -1.4, 0.3}, {4, 3, 0}, {0.1, 0.1, 0}};
    cw_push_options options = guide_options(0.25, 2);
    options.pusher = (cw_pusher)(CW_PUSHER_BORIS_GCA + k);
    options.guide.larmor_max = 1;
    plain = push_setup_make(push_context(CW_ISA_AUTO, 1), 2, CW_DOUBLE, EDGE, 4, 1.0, 4);
    push_fill(&plain, stronger);
    for (int p = 0; p < 4; p++) {
      push_place(&s, p, x[p], u[p]);
      push_place(&plain, p, x[p], u[p]);
    }
    s.p.tag[3] = CW_TAG_DEAD;
    steps(&s, &options, 1);
    options.pusher = full[k];
    options.path = CW_PUSH_PATH_SCALAR;
    steps(&plain, &options, 1);
    ck_assert_double_gt(moment(&s, 0), 0);
    ck_assert(moment(&s, 1) == 0); /* E / B = 0.94 */
    ck_assert(moment(&s, 2) == 0); /* its Larmor radius is above 1 */
    for (int p = 1; p < 3; p++)    /* moved as by the plain pusher, to the bit */
      for (int a = 0; a < 3; a++) {
        ck_assert(push_momentum(&s, a, p) == push_momentum(&plain, a, p));
        ck_assert(push_position(&s, a, p) == push_position(&plain, a, p));
      }
    for (int a = 0; a < 3; a++)
      ck_assert(push_momentum(&s, a, 3) == u[3][a]); /* dead: left alone */
    push_setup_clear(&plain);
    guide_clear(&s);
  }
}
END_TEST

/* In a growing field (E = 0) the Larmor radius shrinks below the limit on the way in, and grows
 * above it on the way out: full orbit, guiding centre, full orbit. The energy is kept to round-off
 * and mu to the mirror's own adiabaticity. */
START_TEST(test_a_particle_becomes_a_guiding_centre_and_again_none) {
  push_setup s = guide_setup(2, CW_DOUBLE, mirror, 1);
  const double x[3] = {16, 16.02, 0}, u[3] = {0.8, 0, 0.5};
  cw_push_options options = guide_options(0.02, 20);
  options.guide.larmor_max = 0.022;
  push_place(&s, 0, x, u);
  const double gamma = gamma_of(&s, 0);
  int changes = 0, guided = 0, was = 0;
  for (int n = 0; n < 4000; n++) {
    steps(&s, &options, 1);
    const int is = moment(&s, 0) > 0;
    changes += is != was;
    guided += was = is;
    ck_assert_msg(fabs(gamma_of(&s, 0) / gamma - 1) <= 2e-3, "step %d: gamma %.9g, not %.9g", n,
                  gamma_of(&s, 0), gamma);
    if (is) {
      const double X = push_position(&s, 0, 0) - 16;
      const double mu = 0.25 / (2 * (1 + MIRROR * 0.25));
      ck_assert_msg(fabs(moment(&s, 0) / mu - 1) <= 0.08, "step %d, X = %g: mu %g, not %g", n, X,
                    moment(&s, 0), mu);
    }
  }
  ck_assert_int_ge(changes, 3);
  ck_assert_int_gt(guided, 500);
  ck_assert_int_lt(guided, 3500);
  guide_clear(&s);
}
END_TEST

START_TEST(test_wrong_guides_are_refused) {
  push_setup s = guide_setup(2, CW_DOUBLE, crossed, 1);
  const double x[3] = {16, 16, 0}, u[3] = {0, 0, 0};
  cw_push_options options = guide_options(0.5, 1);
  push_place(&s, 0, x, u);
  options.guide.e_ovr_b_max = 1.5;
  ck_assert_int_eq(push_step(&s, &options), CW_ERROR_ARGUMENT);
  options.guide = (cw_push_guide){0.9, -1};
  ck_assert_int_eq(push_step(&s, &options), CW_ERROR_ARGUMENT);
  options.guide.larmor_max = 0;
  void *kept = s.p.guide[1];
  s.p.guide[1] = NULL;
  ck_assert_int_eq(push_step(&s, &options), CW_ERROR_ARGUMENT);
  s.p.guide[1] = kept;
  ck_assert_int_eq(push_step(&s, &options), CW_OK);
  guide_clear(&s);
}
END_TEST

int main(void) {
  const TTest *const tests[] = {test_drift_across_the_fields_is_exact,
                                test_drift_along_a_gradient,
                                test_drift_round_a_bend,
                                test_bounce_in_a_mirror,
                                test_a_guiding_centre_goes_where_the_full_orbit_goes,
                                test_thresholds_decide_who_is_a_guiding_centre,
                                test_a_particle_becomes_a_guiding_centre_and_again_none,
                                test_wrong_guides_are_refused};
  return push_run_suite("push_guide", tests, (int)(sizeof tests / sizeof *tests));
}
