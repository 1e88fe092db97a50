/* Every path, instruction set, precision, order and dimension against the reference; positions,
 * dead slots, faults and threads. */
#include <math.h>
#include <stdio.h>

#include "base/reals.h"
#include "push_setup.h"

enum { COUNT = 150 };

/* Largest difference from the reference in u and in position, after one step from the same state.
 */
static void compare(cw_isa isa, int dim, cw_precision precision, const cw_push_options *options,
                    double *u_error, double *x_error) {
  push_setup s = push_setup_make(push_context(isa, 1), dim, precision, 5, 8, 1.0, COUNT);
  push_random_fields(&s, 11);
  push_scatter(&s, 5, 3.0);
  push_setup d = push_setup_double(&s, push_context(CW_ISA_AUTO, 1));
  ck_assert_int_eq(push_step(&s, options), CW_OK);
  ck_assert_int_eq(cw_push_reference(d.context, options, &d.grid, d.E, d.B, &d.p), CW_OK);
  *u_error = *x_error = 0;
  for (int64_t n = 0; n < COUNT; n++)
    for (int a = 0; a < 3; a++) {
      double u = fabs(push_momentum(&s, a, n) - push_momentum(&d, a, n));
      double x = fabs(push_position(&s, a, n) - push_position(&d, a, n));
      *u_error = cw_larger(*u_error, u);
      *x_error = cw_larger(*x_error, x);
    }
  push_setup_clear(&s);
  push_setup_clear(&d);
}

static int isa_is_here(cw_isa isa) {
  cw_context *context = push_context(isa, 1);
  cw_context_destroy(context);
  return context != NULL;
}

/* |u| <= 5, |E|, |B| <= 1, force_scale 1. Weights carry about order + 6 roundings an axis (see
 * test_gather), of which a random field sums up few; the pushers add some 20 at size 5. */
START_TEST(test_every_path_matches_the_reference) {
  static const cw_pusher pushers[] = {CW_PUSHER_BORIS, CW_PUSHER_VAY, CW_PUSHER_HIGUERA_CARY};
  int skipped = 0;
  for (int isa = CW_ISA_BASE; isa <= CW_ISA_AVX512; isa++) {
    if (!isa_is_here((cw_isa)isa)) {
      skipped++;
      continue;
    }
    for (int path = CW_PUSH_PATH_AUTO; path <= CW_PUSH_PATH_VECTOR; path++)
      for (int dim = 1; dim <= 3; dim++)
        for (int precision = CW_SINGLE; precision <= CW_DOUBLE; precision++)
          for (int order = 0; order <= (dim == 3 ? 7 : 11); order++) {
            cw_push_options options = {.order = order,
                                       .pusher = pushers[order % 3],
                                       .path = (cw_push_path)path,
                                       .dt = 0.9,
                                       .force_scale = 1};
            double epsilon = precision == CW_SINGLE ? 0x1p-24 : 0x1p-53, u, x;
            double bound = (100 + 4 * order) * epsilon;
            compare((cw_isa)isa, dim, (cw_precision)precision, &options, &u, &x);
            ck_assert_msg(u <= bound && x <= bound / 5 + 4 * epsilon * 6,
                          "isa %d path %d dim %d precision %d order %d: u %g x %g > %g", isa, path,
                          dim, precision, order, u, x, bound);
          }
  }
  if (skipped)
    printf("skipped: %d instruction sets are not on this machine\n", skipped);
}
END_TEST

/* The highest orders in 3D, where the reference is slow: once. */
START_TEST(test_the_highest_orders_match_in_3d) {
  for (int path = CW_PUSH_PATH_SCALAR; path <= CW_PUSH_PATH_VECTOR; path++)
    for (int order = 8; order <= 11; order++) {
      cw_push_options options = {.order = order,
                                 .pusher = CW_PUSHER_BORIS,
                                 .path = (cw_push_path)path,
                                 .dt = 0.5,
                                 .force_scale = 1};
      double u, x;
      compare(CW_ISA_AUTO, 3, CW_DOUBLE, &options, &u, &x);
      ck_assert_msg(u <= 144 * 0x1p-53, "path %d order %d: %g", path, order, u);
    }
}
END_TEST

/* The reference's own step in another field must be seen to differ. */
START_TEST(test_a_field_half_a_cell_away_is_rejected) {
  push_setup s = push_setup_make(push_context(CW_ISA_AUTO, 1), 3, CW_DOUBLE, 5, 8, 1.0, COUNT);
  push_random_fields(&s, 11);
  push_scatter(&s, 5, 3.0);
  push_setup d = push_setup_double(&s, push_context(CW_ISA_AUTO, 1));
  cw_push_options options = {.order = 2, .pusher = CW_PUSHER_BORIS, .dt = 0.5, .force_scale = 1};
  double worst = 0;
  for (int64_t n = 0; n < COUNT; n++) { /* E is then read as if it stood half a cell further */
    double dx = ((double *)d.p.dx[0])[n];
    ((double *)d.p.dx[0])[n] = dx < 0.5 ? dx + 0.5 : dx - 0.5;
  }
  ck_assert_int_eq(push_step(&s, &options), CW_OK);
  ck_assert_int_eq(cw_push_reference(d.context, &options, &d.grid, d.E, d.B, &d.p), CW_OK);
  for (int64_t n = 0; n < COUNT; n++)
    worst = cw_larger(worst, fabs(push_momentum(&s, 0, n) - push_momentum(&d, 0, n)));
  ck_assert_double_ge(worst, 0.01);
  push_setup_clear(&s);
  push_setup_clear(&d);
}
END_TEST

/* A particle is given the same bits whatever stands beside it: sorted, shuffled, or far away from
 * all others of its block. */
START_TEST(test_the_result_does_not_depend_on_the_order_of_particles) {
  enum { MANY = 5000 };
  for (int precision = CW_SINGLE; precision <= CW_DOUBLE; precision++)
    for (int order = 1; order <= 4; order++) {
      cw_push_options options = {
          .order = order, .pusher = CW_PUSHER_BORIS, .dt = 0.9, .force_scale = 1};
      push_setup s = push_setup_make(push_context(CW_ISA_AUTO, 1), 3, (cw_precision)precision, 24,
                                     4, 1.0, MANY);
      push_setup t = push_setup_make(push_context(CW_ISA_AUTO, 1), 3, (cw_precision)precision, 24,
                                     4, 1.0, MANY);
      push_random_fields(&s, 2);
      push_random_fields(&t, 2);
      for (int64_t n = 0; n < MANY; n++) { /* s in runs of 40 a cell; t in a stride of 1777 */
        double r[6], x[3], u[3];
        int64_t to = n * 1777 % MANY, cell = n / 40;
        for (uint32_t k = 0; k < 3; k++)
          cw_random_uniform(1, 0, (uint64_t)n, k, r + 2 * k);
        for (int a = 0; a < 3; a++) {
          x[a] = (double)(cell * (7 + 4 * a) % 24) + 0.9999 * r[a];
          u[a] = 2 * r[3 + a] - 1;
        }
        push_place(&s, n, x, u);
        push_place(&t, to, x, u);
      }
      ck_assert_int_eq(push_step(&s, &options), CW_OK);
      ck_assert_int_eq(push_step(&t, &options), CW_OK);
      for (int64_t n = 0; n < MANY; n++)
        for (int a = 0; a < 3; a++) {
          ck_assert(push_momentum(&s, a, n) == push_momentum(&t, a, n * 1777 % MANY));
          ck_assert(push_position(&s, a, n) == push_position(&t, a, n * 1777 % MANY));
        }
      push_setup_clear(&s);
      push_setup_clear(&t);
    }
}
END_TEST

START_TEST(test_any_number_of_threads_gives_the_same_bits) {
  enum { MANY = 20000 };
  push_setup s[3];
  cw_push_options options = {.order = 2, .pusher = CW_PUSHER_VAY, .dt = 0.9, .force_scale = 1};
  for (int k = 0; k < 3; k++) {
    s[k] = push_setup_make(push_context(CW_ISA_AUTO, k + 1), 3, CW_SINGLE, 12, 3, 1.0, MANY);
    push_random_fields(&s[k], 3);
    push_scatter(&s[k], 9, 2.0);
    ck_assert_int_eq(push_step(&s[k], &options), CW_OK);
  }
  for (int k = 1; k < 3; k++)
    for (int a = 0; a < 3; a++) {
      ck_assert_mem_eq(s[k].p.u[a], s[0].p.u[a], MANY * sizeof(float));
      ck_assert_mem_eq(s[k].p.dx[a], s[0].p.dx[a], MANY * sizeof(float));
      ck_assert_mem_eq(s[k].p.i[a], s[0].p.i[a], MANY * sizeof(int32_t));
    }
  for (int k = 0; k < 3; k++)
    push_setup_clear(&s[k]);
}
END_TEST

int main(void) {
  const TTest *tests[] = {test_every_path_matches_the_reference,
                          test_the_highest_orders_match_in_3d,
                          test_a_field_half_a_cell_away_is_rejected,
                          test_the_result_does_not_depend_on_the_order_of_particles,
                          test_any_number_of_threads_gives_the_same_bits};
  return push_run_suite("push_paths", tests, (int)(sizeof tests / sizeof *tests));
}
