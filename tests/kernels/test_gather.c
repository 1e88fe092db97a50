/* What a particle feels of a field of known form. */
#include <math.h>
#include <stdio.h>

#include "base/reals.h"
#include "push_setup.h"

enum { EDGE = 6, GHOST = 8, COUNT = 67, ORDERS = 12 };

static const double SLOPE[6][3] = {{0.3, -0.2, 0.5}, {-0.1, 0.4, 0.2}, {0.25, 0.15, -0.35},
                                   {0.2, -0.4, 0.1}, {0.5, 0.3, -0.2}, {-0.3, 0.1, 0.4}};

static double constant_field(int c, const double *x) {
  (void)x;
  return 1 + 0.25 * c;
}

static double linear_field(int c, const double *x) {
  double value = 0.5 - 0.25 * c;
  for (int a = 0; a < 3; a++)
    value += SLOPE[c][a] * x[a];
  return value;
}

static double quadratic_field(int c, const double *x) {
  (void)c;
  return 0.125 * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* A step of Boris in given local fields: half kicks, and a turn by 2 atan|t| about B written as
 * Rodrigues' formula. */
static void expected_momentum(const double *u0, const double *field, double force_scale,
                              double *u) {
  double h = force_scale / 2, minus[3], axis[3], turn[3];
  for (int a = 0; a < 3; a++)
    minus[a] = u0[a] + h * field[a];
  double gamma = sqrt(1 + minus[0] * minus[0] + minus[1] * minus[1] + minus[2] * minus[2]);
  double size = sqrt(field[3] * field[3] + field[4] * field[4] + field[5] * field[5]);
  double angle = -2 * atan(h * size / gamma), along = 0;
  for (int a = 0; a < 3; a++)
    axis[a] = size > 0 ? field[3 + a] / size : 0;
  for (int a = 0; a < 3; a++)
    along += axis[a] * minus[a];
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    turn[a] = axis[b] * minus[c] - axis[c] * minus[b];
    u[a] = minus[a] * cos(angle) + turn[a] * sin(angle) + axis[a] * along * (1 - cos(angle)) +
           h * field[a];
  }
}

/* Largest error of u over a step, against the field of which `smear(order)` more than its value at
 * the particle is expected. */
static double worst_error(int dim, cw_precision precision, cw_push_path path, int order,
                          push_field *field, double smear) {
  push_setup s =
      push_setup_make(push_context(CW_ISA_AUTO, 1), dim, precision, EDGE, GHOST, 1.0, COUNT);
  cw_push_options options = {
      .order = order, .pusher = CW_PUSHER_BORIS, .path = path, .dt = 0.25, .force_scale = 0.5};
  double(*expected)[3] = malloc(COUNT * sizeof *expected), worst = 0;
  push_fill(&s, field);
  push_scatter(&s, 7, 1.0);
  for (int n = 0; n < COUNT; n++) {
    double local[6], x[3], u[3];
    for (int a = 0; a < 3; a++) {
      x[a] = push_position(&s, a, n);
      u[a] = push_momentum(&s, a, n);
    }
    for (int c = 0; c < 6; c++)
      local[c] = field(c, x) + smear;
    expected_momentum(u, local, options.force_scale, expected[n]);
  }
  ck_assert_int_eq(push_step(&s, &options), CW_OK);
  for (int n = 0; n < COUNT; n++)
    for (int a = 0; a < 3; a++) {
      double error = fabs(push_momentum(&s, a, n) - expected[n][a]);
      worst = cw_larger(worst, error);
    }
  free(expected);
  push_setup_clear(&s);
  return worst;
}

/* Every dimension, precision, path and order from `first`. A value of at most `size` is summed from
 * weights whose recursion and products are a few operations an order and axis: 4 (order + 6)
 * roundings bound the error of the field, and half of it reaches u. */
static void check_field(push_field *field, int first, double size, int smeared) {
  for (int dim = 1; dim <= 3; dim++)
    for (int precision = CW_SINGLE; precision <= CW_DOUBLE; precision++)
      for (int path = CW_PUSH_PATH_SCALAR; path <= CW_PUSH_PATH_VECTOR; path++)
        for (int order = first; order < ORDERS; order++) {
          double epsilon = precision == CW_SINGLE ? 0x1p-24 : 0x1p-53;
          double smear = smeared ? 0.125 * dim * (order + 1) / 12.0 : 0;
          double bound = 2 * (order + 6) * epsilon * size;
          double error =
              worst_error(dim, (cw_precision)precision, (cw_push_path)path, order, field, smear);
          ck_assert_msg(error <= bound, "dim %d precision %d path %d order %d: error %g > %g", dim,
                        precision, path, order, error, bound);
        }
}

START_TEST(test_weights_sum_to_one) {
  check_field(constant_field, 0, 2.5, 0);
}
END_TEST

START_TEST(test_a_linear_field_is_gathered_exactly) {
  check_field(linear_field, 0, 20, 0);
}
END_TEST

/* sum over n of n^2 B(x - n) = x^2 + (order + 1)/12 for order >= 2: the variance of a B-spline,
 * which tells the orders apart. */
START_TEST(test_a_quadratic_field_is_smeared_by_the_variance_of_the_shape) {
  check_field(quadratic_field, 2, 60, 1);
}
END_TEST

START_TEST(test_a_wrong_variance_is_rejected) {
  double right = worst_error(3, CW_DOUBLE, CW_PUSH_PATH_VECTOR, 2, quadratic_field, 0.375 * 3 / 12);
  double wrong = worst_error(3, CW_DOUBLE, CW_PUSH_PATH_VECTOR, 2, quadratic_field, 0.375 * 4 / 12);
  ck_assert_double_le(right, 1e-13);
  ck_assert_double_ge(wrong, 1e-3);
}
END_TEST

int main(void) {
  const TTest *tests[] = {test_weights_sum_to_one, test_a_linear_field_is_gathered_exactly,
                          test_a_quadratic_field_is_smeared_by_the_variance_of_the_shape,
                          test_a_wrong_variance_is_rejected};
  return push_run_suite("gather", tests, (int)(sizeof tests / sizeof *tests));
}
