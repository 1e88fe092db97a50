/* Expressions have the values of C's arithmetic, and the state made from them their moments. */
#include <math.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "setup/expression.h"
#include "setup/expression_deck.h"

static const double SIGMAS = 5;

static cw_context *make_context(int threads) {
  const cw_context_options options = {.threads = threads};
  cw_context *context;
  ck_assert_int_eq(cw_context_create(&options, &context, NULL, 0), CW_OK);
  return context;
}

/* The same text as an expression and as C, where both have it. */
#define SAME(c)                                                                                    \
  { #c, c }

START_TEST(test_values_are_those_of_c) {
  const double x = 0.7, y = -1.3, z = 2.25, t = 0.4, place[3] = {x, y, z};
  const struct {
    const char *text;
    double value;
  } values[] = {
      SAME(1 + 2 * 3 - 4 / 8.0),
      SAME((1 + 2) * 3),
      SAME(x - y - z),
      SAME(x / y / z),
      SAME(-x * -y),
      SAME(2.5e-3 * x + .5 + 1.),
      SAME(x < y),
      SAME(x > y && z >= 2.25),
      SAME((x > 9 || y > -9) && z > 0),
      SAME(x > 9   ? 1
           : y < 0 ? 2
                   : 3),
      SAME((x > 0) * 3 + (x != x)),
      SAME(sin(x) * cos(y) + tan(z)),
      SAME(asin(x) + acos(x) + atan(y) + atan2(y, x)),
      SAME(sinh(x) + cosh(y) + tanh(z)),
      SAME(asinh(x) + acosh(z) + atanh(x)),
      SAME(exp(y) + log(z) + log2(z) + log10(z)),
      SAME(sqrt(z) + cbrt(y) + hypot(x, y) + pow(z, x)),
      SAME(floor(y) + 10 * ceil(y) + 100 * round(y)),
      SAME(erf(x) + erfc(y)),
      SAME(x * t + y),
      {"-2^2", -4},
      {"2^3^2", 512},
      {"2^-1", 0.5},
      {"ln(z)", 0.81093021621632877}, /* log(2.25), to 17 digits */
      {"max (1,\t2) - -1\n+ 1--2 * (x >-1)", 6},
      {"pi", 3.14159265358979324},
      {"sech(0) + sign(y) * 10 + step(0) * 100 + step(y) * 1000", 91},
      {"mod(-1, 3) + 10 * mod(7, 4)", 32},
      {"abs(y)", 1.3},
      {"min(3, 1, 2) + 10 * max(1, 3, 2) + 100 * min(5)", 531},
      {"half * 4 + _half2", 2.5},
  };
  cw_context *context = make_context(1);
  const cw_expression_scope scope = {
      .count = 3, .name = {"pi", "half", "_half2"}, .value = {acos(-1.0), 0.5, 0.5}};
  for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
    cw_expression_fault fault;
    cw_expression *expression;
    const int all = CW_EXPRESSION_PLACE | CW_EXPRESSION_T;
    ck_assert_msg(cw_expression_create(context, values[k].text, &scope, all, &fault, &expression) ==
                      CW_OK,
                  "%s: %s", values[k].text, fault.message);
    /* a few roundings: muParser folds constants and multiplies out small powers */
    const double value = cw_expression_at(expression, place, t);
    ck_assert_msg(fabs(value - values[k].value) <= 1e-15 * fabs(values[k].value),
                  "%s: %.17g, not %.17g", values[k].text, value, values[k].value);
    cw_expression_destroy(expression);
  }
  ck_assert_uint_eq(cw_memory_used(context, CW_SPACE_HOST), 0);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_undefined_values_are_not_finite) {
  static const char *const texts[] = {"sqrt(x - 1)",      "1 / (x - 0.7)",    "log(-x)",
                                      "min(x, sqrt(-x))", "max(sqrt(-x), x)", "mod(x, 0)"};
  cw_context *context = make_context(1);
  const cw_expression_scope scope = {.count = 0};
  const double place[3] = {0.7, -1.3, 2.25};
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    cw_expression_fault fault;
    cw_expression *expression;
    ck_assert_int_eq(
        cw_expression_create(context, texts[k], &scope, CW_EXPRESSION_PLACE, &fault, &expression),
        CW_OK);
    ck_assert_msg(!isfinite(cw_expression_at(expression, place, 0)), "%s", texts[k]);
    cw_expression_destroy(expression);
  }
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_what_an_expression_depends_on_is_known) {
  cw_context *context = make_context(2);
  const cw_expression_scope scope = {.count = 0};
  static const struct {
    const char *text;
    int variables;
  } rows[] = {{"1 + 2", 0},
              {"sin(x)", CW_EXPRESSION_X},
              {"z * y", CW_EXPRESSION_Y | CW_EXPRESSION_Z},
              {"x > 0 ? t : 0", CW_EXPRESSION_X | CW_EXPRESSION_T}};
  for (int k = 0; k < 4; k++) {
    cw_expression_fault fault;
    cw_expression *expression;
    ck_assert_int_eq(cw_expression_create(context, rows[k].text, &scope,
                                          CW_EXPRESSION_PLACE | CW_EXPRESSION_T, &fault,
                                          &expression),
                     CW_OK);
    ck_assert_int_eq(cw_expression_variables(expression), rows[k].variables);
    cw_expression_destroy(expression);
  }
  cw_context_destroy(context);
}
END_TEST

/* A state made from a deck's text. */
typedef struct made_state {
  cw_context *context;
  cw_deck *deck;
  cw_grid grid;
  cw_particles *particles[2];
  double *field[6];
  cw_status status;
} made_state;

static made_state make_state(const char *text, int threads) {
  made_state made = {.context = make_context(threads)};
  cw_setup_target target = {.species_count = 2};
  ck_assert_msg(cw_deck_parse(made.context, "t.toml", text, strlen(text), NULL, 0, &made.deck) ==
                        CW_OK &&
                    cw_setup_check(made.context, made.deck) == CW_OK &&
                    cw_setup_grid(made.context, made.deck, &made.grid) == CW_OK,
                "%s", cw_context_message(made.context));
  const cw_particles_options options = {.dim = 2,
                                        .precision = made.deck->simulation.precision,
                                        .with_weights = made.deck->particles.use_weights};
  for (int s = 0; s < 2; s++)
    ck_assert_int_eq(cw_particles_create(made.context, &options, 0, &made.particles[s]), CW_OK);
  target.E.precision = target.B.precision = CW_DOUBLE;
  for (int f = 0; f < 6; f++) {
    ck_assert_int_eq(CW_NEW(made.context, made.grid.points, "field", &made.field[f]), CW_OK);
    (f < 3 ? &target.E : &target.B)->component[f % 3] = made.field[f];
  }
  target.context = made.context;
  target.deck = made.deck;
  target.grid = &made.grid;
  target.particles = made.particles;
  made.status = cw_setup_fill(&target);
  return made;
}

static void clear_state(made_state *made) {
  for (int s = 0; s < 2; s++)
    cw_particles_destroy(made->particles[s]);
  for (int f = 0; f < 6; f++)
    CW_DELETE(made->context, made->field[f]);
  cw_deck_destroy(made->deck);
  ck_assert_uint_eq(cw_memory_used(made->context, CW_SPACE_HOST), 0);
  cw_context_destroy(made->context);
}

static double weight_of(const cw_particles_view *view, int64_t p) {
  return view->weight ? cw_real_get(view->weight, view->precision, p) : 1;
}

/* Each column of cells (32 of them) holds ppc0 n(x) particles a cell on average, n being the mean
 * of the formula over the cell, which is known in closed form. Only the fraction of a count is
 * random: its variance is f (1 - f) a cell. With weights every cell has 10 particles, exactly. */
START_TEST(test_counts_follow_the_density) {
  char *text =
      expression_deck_with("ppc0 = 10", _i ? "ppc0 = 10\nuse_weights = true" : "ppc0 = 2.3");
  made_state made = make_state(text, 2);
  ck_assert_msg(made.status == CW_OK, "%s", cw_context_message(made.context));
  const double ppc = _i ? 10 : 2.3, k = 2 * acos(-1.0) / 6.4;
  for (int s = 0; s < 2; s++) {
    cw_particles_view view = cw_particles_get_view(made.particles[s]);
    double sum[64] = {0}, total = 0;
    for (int64_t p = 0; p < view.count; p++)
      sum[view.i[0][p]] += weight_of(&view, p);
    for (int i = 0; i < 64; i++) {
      const double left = -3.2 + 0.1 * i;
      const double mean = ppc * (1 + 0.5 * (sin(k * (left + 0.1)) - sin(k * left)) / (k * 0.1));
      const double fraction = mean - floor(mean);
      /* two Gauss points an axis: (k h)^4 / 4320 of the cosine, 5e-8 */
      const double bound = _i ? 1e-5 * 320 : SIGMAS * sqrt(32 * fraction * (1 - fraction)) + 1e-5;
      ck_assert_msg(fabs(sum[i] - 32 * mean) <= bound, "column %d: %g, not %g +- %g", i, sum[i],
                    32 * mean, bound);
      total += sum[i];
    }
    ck_assert(fabs(total - 2048 * ppc) < SIGMAS * sqrt(2048 * 0.25) + 1e-2);
  }
  clear_state(&made);
  free(text);
}
END_TEST

/* Weighted or not, species of one density's text are at the same places: no charge anywhere. */
START_TEST(test_equal_densities_share_their_places) {
  made_state made = make_state(expression_deck, 2);
  cw_particles_view a = cw_particles_get_view(made.particles[0]);
  cw_particles_view b = cw_particles_get_view(made.particles[1]);
  ck_assert_int_eq(a.count, b.count);
  ck_assert_int_gt(a.count, 20000);
  for (int64_t p = 0; p < a.count; p++)
    for (int axis = 0; axis < 2; axis++) {
      ck_assert_int_eq(a.i[axis][p], b.i[axis][p]);
      ck_assert(((double *)a.dx[axis])[p] == ((double *)b.dx[axis])[p]);
    }
  clear_state(&made);
  char *text = expression_deck_with("[setup.species.ions]\ndensity = \"1 + 0.5 * cos(k * x)\"",
                                    "[setup.species.ions]\ndensity = \"1 + cos(k * x) * 0.5\"");
  made = make_state(text, 2);
  a = cw_particles_get_view(made.particles[0]);
  b = cw_particles_get_view(made.particles[1]);
  int same = 0;
  for (int64_t p = 0; p < a.count && p < b.count; p++)
    same += ((double *)a.dx[0])[p] == ((double *)b.dx[0])[p];
  ck_assert_int_eq(same, 0); /* another text: places of its own, never shared by chance */
  clear_state(&made);
  free(text);
}
END_TEST

/* Mean velocity and temperature by the mean over x in bins: the drift 0.1 sin(k x) along y within
 * 5 standard errors, u_y's spread being sqrt(0.01) to 2.5 %, its relativistic correction
 * (K_3/K_2 = 1 + 5/2 theta). */
START_TEST(test_momenta_have_the_mean_and_spread_asked_for) {
  char *text = expression_deck_with("ppc0 = 10", "ppc0 = 40");
  made_state made = make_state(text, 2);
  cw_particles_view view = cw_particles_get_view(made.particles[0]);
  double first[3][16] = {{0}}, second[3] = {0}, count[16] = {0};
  const double k = 2 * acos(-1.0) / 6.4;
  for (int64_t p = 0; p < view.count; p++) {
    const double place = -3.2 + 0.1 * (view.i[0][p] + ((double *)view.dx[0])[p]);
    const double drift[3] = {0, 0.1 * sin(k * place), 0};
    double gamma = 1;
    for (int a = 0; a < 3; a++)
      gamma += pow(((double *)view.u[a])[p], 2);
    for (int a = 0; a < 3; a++) {
      const double v = ((double *)view.u[a])[p] / sqrt(gamma);
      first[a][view.i[0][p] / 4] += v - drift[a];
      second[a] += (v - drift[a]) * (v - drift[a]);
    }
    count[view.i[0][p] / 4]++;
  }
  for (int a = 0; a < 3; a++) {
    for (int bin = 0; bin < 16; bin++)
      ck_assert(fabs(first[a][bin] / count[bin]) < SIGMAS * 0.1 / sqrt(count[bin]));
    const double n = (double)view.count, variance = second[a] / n;
    /* <v_a^2> = theta (1 - 5/2 theta) + O(theta^3): 0.00975; 1e-4 for higher orders and drift^2 */
    ck_assert_msg(fabs(variance - 0.00975) < SIGMAS * 0.01 * sqrt(2 / n) + 1e-4, "%g", variance);
  }
  view = cw_particles_get_view(made.particles[1]); /* cold and at rest, the defaults */
  for (int64_t p = 0; p < view.count; p++)
    for (int a = 0; a < 3; a++)
      ck_assert(((double *)view.u[a])[p] == 0);
  clear_state(&made);
  free(text);
}
END_TEST

/* ECSIM's velocities are Gaussian around the mean: variance 0.01 to 5 standard errors, sqrt(2 / n).
 */
START_TEST(test_velocities_of_ecsim_are_gaussian) {
  char *text = expression_deck_with("\"srpic\"", "\"ecsim\"");
  made_state made = make_state(text, 2);
  const cw_particles_view view = cw_particles_get_view(made.particles[0]);
  const double n = (double)view.count, k = 2 * acos(-1.0) / 6.4;
  for (int a = 0; a < 3; a++) {
    double first = 0, second = 0, fourth = 0;
    for (int64_t p = 0; p < view.count; p++) {
      const double place = -3.2 + 0.1 * (view.i[0][p] + ((double *)view.dx[0])[p]);
      const double v = ((double *)view.u[a])[p] - (a == 1 ? 0.1 * sin(k * place) : 0);
      first += v, second += v * v, fourth += v * v * v * v;
    }
    ck_assert(fabs(first / n) < SIGMAS * 0.1 / sqrt(n));
    ck_assert(fabs(second / n - 0.01) < SIGMAS * 0.01 * sqrt(2 / n));
    ck_assert(fabs(fourth / n - 3e-4) < SIGMAS * 1e-4 * sqrt(96 / n)); /* <v^8> - <v^4>^2 = 96 */
  }
  clear_state(&made);
  free(text);
}
END_TEST

START_TEST(test_one_and_two_threads_make_the_same_bits) {
  made_state one = make_state(expression_deck, 1), two = make_state(expression_deck, 2);
  for (int s = 0; s < 2; s++) {
    cw_particles_view a = cw_particles_get_view(one.particles[s]);
    cw_particles_view b = cw_particles_get_view(two.particles[s]);
    ck_assert_int_eq(a.count, b.count);
    const size_t count = (size_t)a.count;
    ck_assert_mem_eq(a.id, b.id, count * sizeof *a.id);
    for (int axis = 0; axis < 3; axis++) {
      if (axis < 2) {
        ck_assert_mem_eq(a.i[axis], b.i[axis], count * sizeof(int32_t));
        ck_assert_mem_eq(a.dx[axis], b.dx[axis], count * sizeof(double));
      }
      ck_assert_mem_eq(a.u[axis], b.u[axis], count * sizeof(double));
    }
  }
  for (int f = 0; f < 6; f++)
    ck_assert_mem_eq(one.field[f], two.field[f], (size_t)one.grid.points * sizeof(double));
  clear_state(&one);
  clear_state(&two);
}
END_TEST

/* B_z is dual along x and y: it stands at cell centres. */
START_TEST(test_fields_stand_at_their_places) {
  char *text = expression_deck_with("B = [0, 0,", "E = [\"x + 10 * y\", 2, \"x * y\"]\nB = [0, 0,");
  made_state made = make_state(text, 2);
  for (int j = 0; j < 32; j++)
    for (int i = 0; i < 64; i++) {
      const int64_t at = cw_grid_index(&made.grid, i, j, 0);
      const double node = -3.2 + 0.1 * i, centre = node + 0.05;
      ck_assert(fabs(made.field[5][at] - 0.5 / cosh(centre / 0.8)) < 1e-14);
      ck_assert(fabs(made.field[0][at] - (centre + 10 * 0.1 * j)) < 1e-13);
      ck_assert(made.field[1][at] == 2 && made.field[3][at] == 0);
      ck_assert(fabs(made.field[2][at] - node * 0.1 * j) < 1e-13);
    }
  clear_state(&made);
  free(text);
}
END_TEST

/* B = curl A of a field that no component of B alone is free of divergence with; in the box's
 * middle, since A is not periodic. On the Yee grid the sum of the differences of face values
 * vanishes to their round-off; in ECSIM that of the means over a node's faces. */
START_TEST(test_curl_of_a_potential_has_no_divergence) {
  char *text = expression_deck_with(
      "B = [0, 0,", "A = [\"y^2\", \"x^3\", \"exp(-(x - y)^2) * x\"]\nB = [0.5, 0,");
  if (_i) {
    char *engine = strstr(text, "\"srpic\"");
    memcpy(engine, "\"ecsim\"", 7);
  }
  made_state made = make_state(text, 2);
  ck_assert_msg(made.status == CW_OK, "%s", cw_context_message(made.context));
  const double *Bx = made.field[3], *By = made.field[4], *Bz = made.field[5];
  double largest = 0;
  for (int j = 1; j < 31; j++)
    for (int i = 1; i < 63; i++) {
      const int64_t at = cw_grid_index(&made.grid, i, j, 0), up = at + made.grid.stride[1];
      const int64_t down = at - made.grid.stride[1];
      const double yee = Bx[at + 1] - Bx[at] + By[up] - By[at];
      const double ecsim = Bx[at] - Bx[at - 1] + Bx[down] - Bx[down - 1] + By[at] - By[down] +
                           By[at - 1] - By[down - 1];
      ck_assert(fabs(_i ? ecsim : yee) < 1e-13);
      largest = cw_larger(largest, fabs(Bx[at + 1] - Bx[at]));
      /* dAz/dy + 0.5 at its place, dAy/dx - dAx/dy: second order */
      const double x = -3.2 + 0.1 * i + (_i ? 0.05 : 0), y = 0.1 * j + 0.05;
      const double right = 2 * (x - y) * exp(-(x - y) * (x - y)) * x + 0.5;
      ck_assert(fabs(Bx[at] - right) < 0.05);
      const double xc = -3.2 + 0.1 * i + 0.05;
      ck_assert(fabs(Bz[at] - (3 * xc * xc - 2 * y + 0.5 / cosh(xc / 0.8))) < 0.01);
    }
  ck_assert(largest > 0.1); /* the two parts cancel, neither is small */
  clear_state(&made);
  free(text);
}
END_TEST

/* What the check's samples do not meet (512 x 512 cells, 256 x 256 samples), the load does. */
START_TEST(test_a_load_tells_what_the_check_has_not_seen) {
  static const struct {
    const char *old, *new, *message;
  } rows[] = {
      {"density = \"1 + 0.5 * cos(k * x)\"\nvelocity",
       "density = \"x < Lx / 512 - 3.2 ? -1 : 1e-3\"\nvelocity",
       "t.toml:33:11: setup.species.electrons.density is -1 at x = -3.19735844, y = "
       "0.00264156082; "},
      {"\"0.1 * sin(k * x)\"", "\"x > -3.2 + 2 * Lx / 512 && x < -3.2 + 3 * Lx / 512 ? -2 : 0\"",
       "t.toml:34:16: setup.species.electrons.velocity[2] is -2 at x = -3.1"},
      {"\"b * sech(x / width)\"", "\"x < Lx / 512 - 3.2 ? 0 / (y - y) : 0\"",
       "t.toml:27:12: setup.B[3] is nan at x = -3.19375, y = 0.00625; expected a finite field"},
  };
  char *grid = expression_deck_with(rows[_i].old, rows[_i].new);
  char *at = strstr(grid, "[64, 32]"), *text = malloc(strlen(grid) + 64);
  sprintf(text, "%.*s[512, 256]%s", (int)(at - grid), grid, at + 8);
  at = strstr(text, "ppc0 = 10");
  memcpy(at, "ppc0 = 1 ", 9);
  made_state made = make_state(text, 2);
  ck_assert_int_eq(made.status, CW_ERROR_INPUT);
  ck_assert_msg(
      strncmp(cw_context_message(made.context), rows[_i].message, strlen(rows[_i].message)) == 0,
      "%s", cw_context_message(made.context));
  clear_state(&made);
  free(text);
  free(grid);
}
END_TEST

START_TEST(test_expected_counts_are_those_of_the_state) {
  char *text =
      expression_deck_with("ppc0 = 10", _i ? "ppc0 = 10\nuse_weights = true" : "ppc0 = 7.7");
  made_state made = make_state(text, 1);
  for (int s = 0; s < 2; s++) {
    const double expected = (double)cw_problem_find("expressions")->expected(made.deck, s);
    ck_assert(fabs((double)cw_particles_count(made.particles[s]) - expected) <=
              SIGMAS * sqrt(2048 * 0.25) + 1);
  }
  clear_state(&made);
  free(text);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("expressions");
  TCase *tests = tcase_create("expressions");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_values_are_those_of_c);
  tcase_add_test(tests, test_undefined_values_are_not_finite);
  tcase_add_test(tests, test_what_an_expression_depends_on_is_known);
  tcase_add_loop_test(tests, test_counts_follow_the_density, 0, 2);
  tcase_add_test(tests, test_equal_densities_share_their_places);
  tcase_add_test(tests, test_momenta_have_the_mean_and_spread_asked_for);
  tcase_add_test(tests, test_velocities_of_ecsim_are_gaussian);
  tcase_add_test(tests, test_one_and_two_threads_make_the_same_bits);
  tcase_add_test(tests, test_fields_stand_at_their_places);
  tcase_add_loop_test(tests, test_curl_of_a_potential_has_no_divergence, 0, 2);
  tcase_add_loop_test(tests, test_a_load_tells_what_the_check_has_not_seen, 0, 3);
  tcase_add_loop_test(tests, test_expected_counts_are_those_of_the_state, 0, 2);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
