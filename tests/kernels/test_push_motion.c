/* Positions stay in [0, 1) of a cell and lose nothing; what is dead or wrong is treated as said. */
#include <math.h>
#include <stdio.h>

#include "push_setup.h"

/* Offsets that rounding may carry over a cell's edge, in single precision. */
static float edge_offset(int64_t n, double draw) {
  static const float edges[] = {0.0f, 0x1p-149f,      0x1p-126f,      0x1p-25f,      0x1p-24f,
                                0.5f, 0x1.fffffep-2f, 0x1.fffffep-1f, 0x1.fffffcp-1f};
  int kind = (int)(n % 12);
  float offset = (float)draw;
  if (kind < 9)
    offset = edges[kind];
  return offset < 1 ? offset : 0;
}

/* A million particles, many of them a rounding away from an edge, with velocities from 1e-30 to 1
 * of either sign: the offset stays in [0, 1), and the new position is the old one plus the move to
 * a rounding of the offset, 2^-24, and of the move. */
static void check_motion(cw_push_path path) {
  enum { MANY = 1000000 };
  push_setup s = push_setup_make(push_context(CW_ISA_AUTO, 2), 1, CW_SINGLE, 16, 2, 1.0, MANY);
  cw_push_options options = {.order = 2, .pusher = CW_PUSHER_NONE, .path = path, .dt = 1};
  const float *now = s.p.dx[0], *before = s.p.dx_prev[0];
  for (int64_t n = 0; n < MANY; n++) {
    double r[2], zero[3] = {0, 0, 0};
    cw_random_uniform(21, 0, (uint64_t)n, 0, r);
    zero[0] = (r[1] < 0.5 ? -1 : 1) * pow(10, 34 * fabs(2 * r[1] - 1) - 30);
    push_place(&s, n, (double[3]){5, 0, 0}, zero);
    ((float *)s.p.dx[0])[n] = edge_offset(n, r[0]);
  }
  ck_assert_int_eq(push_step(&s, &options), CW_OK);
  int64_t wrong = -1;
  for (int64_t n = 0; n < MANY && wrong < 0; n++) {
    int crossed = s.p.i[0][n] - s.p.i_prev[0][n];
    double u = push_momentum(&s, 0, n), move = u / sqrt(1 + u * u);
    /* x = dx + move rounds once (at most 2^-24 up to 2), x + 1 once more, move itself twice. */
    double error = fabs((double)now[n] + crossed - (double)before[n] - move);
    int right = now[n] >= 0 && now[n] < 1 && s.p.i_prev[0][n] == 5 && crossed >= -1 &&
                crossed <= 2 && error <= 4 * 0x1p-24;
    if (!right)
      wrong = n;
  }
  ck_assert_msg(wrong < 0, "slot %lld: dx %.9g from %.9g", (long long)wrong,
                (double)now[wrong < 0 ? 0 : wrong], (double)before[wrong < 0 ? 0 : wrong]);
  push_setup_clear(&s);
}

START_TEST(test_offsets_stay_in_the_cell_scalar) {
  check_motion(CW_PUSH_PATH_SCALAR);
}
END_TEST
START_TEST(test_offsets_stay_in_the_cell_vector) {
  check_motion(CW_PUSH_PATH_VECTOR);
}
END_TEST

/* v dt = 0.6 (0.6, -0.64, 0.48) a step: after 1000 steps the sum to 1000 roundings of offsets. */
START_TEST(test_a_thousand_steps_add_up) {
  for (int precision = CW_SINGLE; precision <= CW_DOUBLE; precision++) {
    double epsilon = precision == CW_SINGLE ? 0x1p-24 : 0x1p-53;
    double start[3] = {20.25, 800.75, 4.5}, direction[3] = {0.6, -0.64, 0.48}, u[3];
    push_setup s =
        push_setup_make(push_context(CW_ISA_AUTO, 1), 3, (cw_precision)precision, 8, 2, 1.0, 1);
    cw_push_options options = {.order = 1, .pusher = CW_PUSHER_BORIS, .dt = 0.75, .force_scale = 1};
    for (int a = 0; a < 3; a++)
      u[a] = direction[a] * 0.8 / 0.6; /* gamma = 5/3, v = 0.8 */
    push_place(&s, 0, start, u);
    cw_vector_view none = {.precision = (cw_precision)precision};
    for (int n = 0; n < 1000; n++)
      ck_assert_int_eq(cw_push(s.context, &options, &s.grid, none, none, NULL, &s.p), CW_OK);
    for (int a = 0; a < 3; a++) /* of a step: move 3 roundings of size 0.6, offset 1 of size 1 */
      ck_assert_double_eq_tol(push_position(&s, a, 0), start[a] + 600 * direction[a],
                              4000 * epsilon);
    push_setup_clear(&s);
  }
}
END_TEST

/* Every third slot is dead and holds numbers, not-a-number and cells far outside. */
static void check_dead(cw_push_path path, cw_precision precision) {
  enum { MANY = 200 };
  push_setup s = push_setup_make(push_context(CW_ISA_AUTO, 1), 3, precision, 6, 3, 1.0, MANY);
  push_setup t = push_setup_make(push_context(CW_ISA_AUTO, 1), 3, precision, 6, 3, 1.0, MANY);
  size_t real = (size_t)cw_precision_size(precision);
  push_random_fields(&s, 3);
  push_random_fields(&t, 3);
  push_scatter(&s, 9, 2.0);
  push_scatter(&t, 9, 2.0);
  for (int n = 0; n < MANY; n += 3) {
    t.p.tag[n] = CW_TAG_DEAD;
    for (int a = 0; a < 3; a++) {
      push_set(precision, t.p.u[a], n, a == 1 ? 5 : NAN);
      push_set(precision, t.p.dx[a], n, a == 1 ? 0.25 : NAN);
      t.p.i[a][n] = INT32_MAX;
      t.p.i_prev[a][n] = 77;
      push_set(precision, t.p.dx_prev[a], n, 77);
    }
  }
  cw_push_options options = {
      .order = 2, .pusher = CW_PUSHER_BORIS, .path = path, .dt = 0.5, .force_scale = 1};
  ck_assert_int_eq(push_step(&s, &options), CW_OK);
  ck_assert_int_eq(push_step(&t, &options), CW_OK);
  for (int n = 0; n < MANY; n++)
    for (int a = 0; a < 3; a++) {
      if (n % 3 == 0) {
        double u = push_momentum(&t, a, n), dx = push_get(precision, t.p.dx[a], n);
        ck_assert(a == 1 ? u == 5 && dx == 0.25 : isnan(u) && isnan(dx));
        ck_assert(t.p.i[a][n] == INT32_MAX && t.p.i_prev[a][n] == 77);
        ck_assert(push_get(precision, t.p.dx_prev[a], n) == 77);
        continue;
      }
      size_t at = (size_t)n * real;
      ck_assert_mem_eq((char *)t.p.u[a] + at, (char *)s.p.u[a] + at, real);
      ck_assert_mem_eq((char *)t.p.dx[a] + at, (char *)s.p.dx[a] + at, real);
      ck_assert_mem_eq((char *)t.p.dx_prev[a] + at, (char *)s.p.dx_prev[a] + at, real);
      ck_assert_int_eq(t.p.i[a][n], s.p.i[a][n]);
      ck_assert_int_eq(t.p.i_prev[a][n], s.p.i_prev[a][n]);
    }
  push_setup_clear(&s);
  push_setup_clear(&t);
}

START_TEST(test_dead_slots_are_left_alone_and_disturb_nobody) {
  for (int path = CW_PUSH_PATH_SCALAR; path <= CW_PUSH_PATH_VECTOR; path++)
    for (int precision = CW_SINGLE; precision <= CW_DOUBLE; precision++)
      check_dead((cw_push_path)path, (cw_precision)precision);
}
END_TEST

/* Spoils two slots and expects the first to be named. */
START_TEST(test_the_first_particle_that_is_not_finite_is_named) {
  for (int path = CW_PUSH_PATH_SCALAR; path <= CW_PUSH_PATH_VECTOR; path++)
    for (int spoilt = 0; spoilt < 3; spoilt++) {
      push_setup s = push_setup_make(push_context(CW_ISA_AUTO, 2), 2, CW_SINGLE, 6, 3, 1.0, 9000);
      cw_push_options options = {.order = 2,
                                 .pusher = CW_PUSHER_BORIS,
                                 .path = (cw_push_path)path,
                                 .dt = 0.5,
                                 .force_scale = 1};
      push_scatter(&s, 9, 2.0);
      ((float *)s.p.u[1])[8765] = NAN;
      if (spoilt == 0)
        ((float *)s.p.u[2])[4321] = INFINITY;
      if (spoilt == 1)
        ((float *)s.p.dx[0])[4321] = NAN;
      if (spoilt == 2)
        s.p.i[1][4321] = 9; /* its window leaves the ghost cells */
      ck_assert_int_eq(push_step(&s, &options), CW_ERROR_NUMERIC);
      const char *message = cw_context_message(s.context);
      ck_assert_msg(strstr(message, "slot 4321 (id 5321)") != NULL, "%s", message);
      ck_assert((strstr(message, "outside") != NULL) == (spoilt == 2));
      push_setup_clear(&s);
    }
}
END_TEST

static void expect_refusal(push_setup *s, const cw_push_options *options, const char *word) {
  ck_assert_int_eq(push_step(s, options), CW_ERROR_ARGUMENT);
  ck_assert_msg(strstr(cw_context_message(s->context), word) != NULL, "%s",
                cw_context_message(s->context));
}

START_TEST(test_wrong_arguments_are_refused) {
  push_setup s = push_setup_make(push_context(CW_ISA_AUTO, 1), 2, CW_SINGLE, 6, 3, 0.5, 10);
  const cw_push_options good = {.order = 2, .pusher = CW_PUSHER_BORIS, .dt = 0.5, .force_scale = 1};
  cw_push_options bad = good;
  push_scatter(&s, 1, 1.0);
  ck_assert_int_eq(push_step(&s, &good), CW_OK); /* dt = dx: light crosses just one cell */
  push_scatter(&s, 1, 1.0);
  bad.dt = 0.51;
  expect_refusal(&s, &bad, "light");
  bad.dt = NAN;
  expect_refusal(&s, &bad, "light");
  bad = good;
  bad.order = 12;
  expect_refusal(&s, &bad, "order");
  bad.order = 6; /* needs 4 ghost cells, has 3 */
  expect_refusal(&s, &bad, "ghost");
  bad = good;
  bad.force_scale = INFINITY;
  expect_refusal(&s, &bad, "force_scale");
  s.E.precision = CW_DOUBLE;
  expect_refusal(&s, &good, "precision");
  s.E.precision = CW_SINGLE;
  void *kept = s.B.component[1];
  s.B.component[1] = NULL;
  expect_refusal(&s, &good, "components");
  s.B.component[1] = kept;
  ck_assert_int_eq(push_step(&s, &good), CW_OK);
  push_setup_clear(&s);
}
END_TEST

int main(void) {
  const TTest *tests[] = {test_offsets_stay_in_the_cell_scalar,
                          test_offsets_stay_in_the_cell_vector,
                          test_a_thousand_steps_add_up,
                          test_dead_slots_are_left_alone_and_disturb_nobody,
                          test_the_first_particle_that_is_not_finite_is_named,
                          test_wrong_arguments_are_refused};
  return push_run_suite("push_motion", tests, (int)(sizeof tests / sizeof *tests));
}
