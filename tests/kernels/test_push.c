/* The pushers against orbits and laws known in closed form. */
#include <math.h>

#include "base/reals.h"
#include "push_setup.h"

static const double GAMMAS[] = {1 + 1e-6, 1.1, 2, 10, 100, 1e4};
enum { GAMMA_COUNT = sizeof GAMMAS / sizeof *GAMMAS };

static double uniform[6]; /* the field that fill_uniform writes */

static double fill_uniform(int c, const double *x) {
  (void)x;
  return uniform[c];
}

static push_setup uniform_setup(cw_precision precision, const double *field, int edge) {
  push_setup s = push_setup_make(push_context(CW_ISA_AUTO, 1), 2, precision, edge, 3, 1.0, 1);
  memcpy(uniform, field, sizeof uniform);
  push_fill(&s, fill_uniform);
  return s;
}

static double norm(const double *v) {
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double gamma_of(const double *u) {
  return sqrt(1 + norm(u) * norm(u));
}

static void cross(const double *p, const double *q, double *r) {
  for (int a = 0; a < 3; a++)
    r[a] = p[(a + 1) % 3] * q[(a + 2) % 3] - p[(a + 2) % 3] * q[(a + 1) % 3];
}

static void read_momentum(const push_setup *s, double *u) {
  for (int a = 0; a < 3; a++)
    u[a] = push_momentum(s, a, 0);
}

/* Steps once from u0 and reads the new momentum. */
static void step_from(push_setup *s, const cw_push_options *options, const double *u0, double *u) {
  double middle[3] = {3.3, 3.7, 0};
  push_place(s, 0, middle, u0);
  ck_assert_int_eq(push_step(s, options), CW_OK);
  read_momentum(s, u);
}

/* Boris turns by theta = 2 atan(omega dt / (2 gamma)) a step, on a polygon of chords v dt inscribed
 * in a circle of radius v dt / (2 sin(theta / 2)). Against the true phase omega dt / gamma it lags
 * by theta^3 / 12. 200 steps; round-off 200 epsilon in the phase. */
START_TEST(test_gyration_has_the_phase_and_radius_of_the_boris_polygon) {
  for (int g = 0; g < GAMMA_COUNT; g++) {
    double gamma = GAMMAS[g], size = sqrt(gamma * gamma - 1), theta = 0.125, dt = 0.5;
    double field[6] = {0, 0, 0, 0, 0, 1}, omega_dt = 2 * gamma * tan(theta / 2);
    push_setup s = uniform_setup(CW_DOUBLE, field, 16);
    cw_push_options options = {
        .order = 2, .pusher = CW_PUSHER_BORIS, .dt = dt, .force_scale = omega_dt};
    double radius = dt * size / gamma / (2 * sin(theta / 2)), start[3] = {8, 8, 0};
    /* u x z turns clockwise, from the circle's top; a step turns u and then moves along it, so
     * that step n runs along the chord of direction -(n - 1/2) theta. */
    double u0[3] = {size * cos(theta / 2), size * sin(theta / 2), 0}, u[3];
    start[1] += radius;
    push_place(&s, 0, start, u0);
    for (int n = 1; n <= 200; n++) {
      ck_assert_int_eq(push_step(&s, &options), CW_OK);
      read_momentum(&s, u);
      double phase = -(n - 0.5) * theta;
      double error = hypot(u[0] - size * cos(phase), u[1] - size * sin(phase)) / size;
      ck_assert_msg(error <= 1e-12, "gamma %g step %d: direction off by %g", gamma, n, error);
      double x = push_position(&s, 0, 0) - 8, y = push_position(&s, 1, 0) - 8;
      double where = hypot(x - radius * sin(n * theta), y - radius * cos(n * theta));
      ck_assert_msg(where <= 1e-12, "gamma %g step %d: off the circle by %g", gamma, n, where);
    }
    double lag = omega_dt / gamma - theta, expected = theta * theta * theta / 12;
    ck_assert_double_eq_tol(lag, expected, 0.01 * expected); /* next term: theta^2 / 10 of it */
    push_setup_clear(&s);
  }
}
END_TEST

/* Each scheme solves u1 - u0 = force_scale (E + V x B) with its own mean velocity V:
 *   Boris (u- + u+) / (2 gamma-), Vay (v0 + v1)/2, Higuera-Cary mean(u) / gamma(mean(u)). */
static void mean_velocity(cw_pusher pusher, const double *u0, const double *u1, const double *kick,
                          double *v) {
  double mean[3], minus[3];
  for (int a = 0; a < 3; a++) {
    mean[a] = (u0[a] + u1[a]) / 2;
    minus[a] = u0[a] + kick[a];
  }
  for (int a = 0; a < 3; a++) {
    if (pusher == CW_PUSHER_BORIS)
      v[a] = mean[a] / gamma_of(minus);
    else if (pusher == CW_PUSHER_VAY)
      v[a] = (u0[a] / gamma_of(u0) + u1[a] / gamma_of(u1)) / 2;
    else
      v[a] = mean[a] / gamma_of(mean);
  }
}

static double residual(cw_pusher scheme, cw_pusher law, cw_precision precision, double gamma,
                       uint64_t draw) {
  double r[10], u0[3], u1[3], v[3], vxB[3], kick[3], worst = 0;
  for (uint32_t d = 0; d < 5; d++)
    cw_random_uniform(3, 0, draw, d, r + 2 * d);
  double field[6] = {2 * r[0] - 1, 2 * r[1] - 1, 2 * r[2] - 1,
                     2 * r[3] - 1, 2 * r[4] - 1, 2 * r[5] - 1};
  push_setup s = uniform_setup(precision, field, 8);
  cw_push_options options = {.order = 1, .pusher = scheme, .dt = 0.5, .force_scale = gamma};
  for (int a = 0; a < 3; a++)
    u0[a] = 2 * r[6 + a] - 1;
  double stretch = sqrt(gamma * gamma - 1) / norm(u0);
  for (int a = 0; a < 3; a++)
    u0[a] *= stretch;
  step_from(&s, &options, u0, u1);
  for (int c = 0; c < 3; c++) { /* the values as stored */
    field[c] = push_get(precision, s.E.component[c], 0);
    field[3 + c] = push_get(precision, s.B.component[c], 0);
    u0[c] = precision == CW_SINGLE ? (double)(float)u0[c] : u0[c];
    kick[c] = gamma / 2 * field[c];
  }
  mean_velocity(law, u0, u1, kick, v);
  cross(v, field + 3, vxB);
  for (int a = 0; a < 3; a++) {
    double error = fabs(u1[a] - u0[a] - gamma * (field[a] + vxB[a])) / gamma;
    worst = cw_larger(worst, error);
  }
  push_setup_clear(&s);
  return worst;
}

/* About 40 operations on numbers of size gamma, some through 1 / gamma: 60 roundings. The law of
 * another scheme must be seen to fail. */
START_TEST(test_each_pusher_solves_its_implicit_equation) {
  static const cw_pusher schemes[] = {CW_PUSHER_BORIS, CW_PUSHER_VAY, CW_PUSHER_HIGUERA_CARY};
  for (int g = 0; g < GAMMA_COUNT; g++)
    for (int k = 0; k < 3; k++)
      for (uint64_t draw = 0; draw < 50; draw++) {
        double exact = residual(schemes[k], schemes[k], CW_DOUBLE, GAMMAS[g], draw);
        double single = residual(schemes[k], schemes[k], CW_SINGLE, GAMMAS[g], draw);
        ck_assert_msg(exact <= 60 * 0x1p-53, "pusher %d gamma %g: %g", k, GAMMAS[g], exact);
        ck_assert_msg(single <= 60 * 0x1p-24, "pusher %d gamma %g: %g", k, GAMMAS[g], single);
      }
  ck_assert_double_ge(residual(CW_PUSHER_BORIS, CW_PUSHER_VAY, CW_DOUBLE, 10, 1), 1e-3);
  ck_assert_double_ge(residual(CW_PUSHER_VAY, CW_PUSHER_HIGUERA_CARY, CW_DOUBLE, 10, 1), 1e-3);
  ck_assert_double_ge(residual(CW_PUSHER_HIGUERA_CARY, CW_PUSHER_BORIS, CW_DOUBLE, 10, 1), 1e-3);
}
END_TEST

/* Relative change of u in one step where E + v x B = 0. */
static double force_free_change(cw_pusher pusher, double gamma) {
  double speed = sqrt(1 - 1 / (gamma * gamma));
  double u0[3] = {gamma * speed, 0, 0}, v[3] = {speed, 0, 0}, B[3] = {0, 0, 1}, vxB[3], u[3];
  cross(v, B, vxB);
  double field[6] = {-vxB[0], -vxB[1], -vxB[2], B[0], B[1], B[2]}, change[3];
  push_setup s = uniform_setup(CW_DOUBLE, field, 8);
  cw_push_options options = {.order = 2, .pusher = pusher, .dt = 0.5, .force_scale = gamma};
  step_from(&s, &options, u0, u);
  for (int a = 0; a < 3; a++)
    change[a] = u[a] - u0[a];
  push_setup_clear(&s);
  return norm(change) / norm(u0);
}

/* Vay and Higuera-Cary keep u to round-off; Boris, whose gamma is that after half an electric kick
 * of size gamma / 2, does not. */
START_TEST(test_vay_and_higuera_cary_keep_a_force_free_drift_and_boris_does_not) {
  for (int g = 1; g < GAMMA_COUNT; g++) {
    double vay = force_free_change(CW_PUSHER_VAY, GAMMAS[g]);
    double higuera_cary = force_free_change(CW_PUSHER_HIGUERA_CARY, GAMMAS[g]);
    double boris = force_free_change(CW_PUSHER_BORIS, GAMMAS[g]);
    ck_assert_msg(vay <= 20 * 0x1p-53, "Vay, gamma %g: %g", GAMMAS[g], vay);
    ck_assert_msg(higuera_cary <= 20 * 0x1p-53, "Higuera-Cary, gamma %g: %g", GAMMAS[g],
                  higuera_cary);
    ck_assert_msg(boris >= 1e-3, "Boris, gamma %g: %g", GAMMAS[g], boris);
  }
}
END_TEST

/* The mean velocity over whole gyrations is E x B / B^2 for every scheme. 64 steps of about 1/8 a
 * turn; what is left is at most a gyration's width, E/B / omega, over the time. */
START_TEST(test_a_particle_at_rest_drifts_at_E_cross_B) {
  for (int pusher = CW_PUSHER_BORIS; pusher <= CW_PUSHER_HIGUERA_CARY; pusher++) {
    double field[6] = {0, 0.1, 0, 0, 0, 1}, rest[3] = {0, 0, 0}, start[3] = {4.5, 4.5, 0};
    push_setup s = uniform_setup(CW_DOUBLE, field, 32);
    cw_push_options options = {
        .order = 2, .pusher = (cw_pusher)pusher, .dt = 0.5, .force_scale = 0.8};
    push_place(&s, 0, start, rest);
    for (int n = 0; n < 400; n++)
      ck_assert_int_eq(push_step(&s, &options), CW_OK);
    double time = 400 * options.dt, omega = options.force_scale / options.dt;
    double tolerance = 4 * 0.1 / omega / time;
    double vx = (push_position(&s, 0, 0) - 4.5) / time, vy = (push_position(&s, 1, 0) - 4.5) / time;
    ck_assert_double_eq_tol(vx, 0.1, tolerance);
    ck_assert_double_eq_tol(vy, 0, tolerance);
    push_setup_clear(&s);
  }
}
END_TEST

/* Boris and Higuera-Cary turn u without stretching it: |u| walks by a rounding or two a step. */
START_TEST(test_energy_is_kept_in_a_magnetic_field) {
  static const cw_pusher schemes[] = {CW_PUSHER_BORIS, CW_PUSHER_HIGUERA_CARY};
  for (int g = 0; g < GAMMA_COUNT; g++)
    for (int k = 0; k < 2; k++) {
      double field[6] = {0, 0, 0, 0.3, -0.5, 0.8}, size = sqrt(GAMMAS[g] * GAMMAS[g] - 1), u[3];
      double u0[3] = {0.6 * size, -0.48 * size, 0.64 * size}, middle[3] = {3.3, 3.7, 0};
      push_setup s = uniform_setup(CW_DOUBLE, field, 8);
      cw_push_options options = {
          .order = 2, .pusher = schemes[k], .dt = 0, .force_scale = 0.7 * GAMMAS[g]};
      push_place(&s, 0, middle, u0);
      for (int n = 0; n < 1000; n++)
        ck_assert_int_eq(push_step(&s, &options), CW_OK);
      read_momentum(&s, u);
      ck_assert_double_le(fabs(norm(u) / size - 1), 2000 * 0x1p-53);
      push_setup_clear(&s);
    }
}
END_TEST

START_TEST(test_massless_particles_move_at_c_and_feel_no_force) {
  static const double sizes[] = {1e-30, 1e-5, 1, 1e30};
  for (int precision = CW_SINGLE; precision <= CW_DOUBLE; precision++)
    for (int k = 0; k < 4; k++) {
      double field[6] = {1, 2, 3, 4, 5, 6}, u0[3] = {0.6 * sizes[k], 0.8 * sizes[k], 0}, u[3];
      double epsilon = precision == CW_SINGLE ? 0x1p-24 : 0x1p-53;
      push_setup s = uniform_setup((cw_precision)precision, field, 8);
      cw_push_options options = {
          .order = 2, .pusher = CW_PUSHER_MASSLESS, .dt = 0.5, .force_scale = 1};
      step_from(&s, &options, u0, u);
      for (int a = 0; a < 3; a++)
        ck_assert(u[a] == (precision == CW_SINGLE ? (double)(float)u0[a] : u0[a]));
      double path = hypot(push_position(&s, 0, 0) - 3.3, push_position(&s, 1, 0) - 3.7);
      ck_assert_double_eq_tol(path, 0.5, 8 * epsilon); /* rounding of the two offsets */
      push_setup_clear(&s);
    }
}
END_TEST

int main(void) {
  const TTest *tests[] = {test_gyration_has_the_phase_and_radius_of_the_boris_polygon,
                          test_each_pusher_solves_its_implicit_equation,
                          test_vay_and_higuera_cary_keep_a_force_free_drift_and_boris_does_not,
                          test_a_particle_at_rest_drifts_at_E_cross_B,
                          test_energy_is_kept_in_a_magnetic_field,
                          test_massless_particles_move_at_c_and_feel_no_force};
  return push_run_suite("push", tests, (int)(sizeof tests / sizeof *tests));
}
