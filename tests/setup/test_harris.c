/* The Harris sheets' particles against their own field: Ampere's law, pressure balance, Gauss. */
#include <math.h>

#include <check.h>

#include "base/reals.h"
#include "setup/setup_case.h"

enum { NX = 64, NY = 128 };
static const double SIGMAS = 5; /* of the particles' noise in one row of cells: 128 rows, 2 laws */

/* Scales that differ from 1 and from each other, so that no factor can hide. */
static void harris_deck(cw_deck *deck) {
  deck_init(deck, "reconnection", 2, (const int32_t[3]){NX, NY, 0}, (const double[3]){32, 64, 0});
  deck_pairs(deck, 1);
  deck->scales.skindepth0 = 1.6;
  deck->scales.larmor0 = 0.7;
  deck->B0 = 1 / 0.7;
  deck->particles.ppc0 = 20;
  deck->n0 = deck->particles.ppc0 / deck->V0;
  deck->q0 = deck->V0 / (deck->particles.ppc0 * 1.6 * 1.6);
  deck_number(deck, "half_width", 3);
  deck_number(deck, "B", 0.9);
  deck_number(deck, "overdensity", 4);
  deck_number(deck, "background", 0.5);
  deck_number(deck, "background_temperature", 0.1);
  deck_number(deck, "perturbation", 0);
}

/* tanh of the distance from the lower or the upper sheet, centred at 15 and 47 in [-1, 63]. */
static double upstream_B(double y) {
  return 0.9 * (tanh((y - 15) / 3) - tanh((y - 47) / 3) - 1);
}

typedef struct row {
  double current, current_noise; /* sum of q v_z and of v_z^2 */
  double pressure, pressure_noise;
} row;

static void sum_rows(const setup_case *state, const cw_deck *deck, row rows[NY]) {
  for (int s = 0; s < deck->particles.species_count; s++) {
    cw_particles_view view = cw_particles_get_view(state->particles[s]);
    for (int64_t k = 0; k < view.count; k++) {
      double u[3], gamma = 1;
      for (int a = 0; a < 3; a++) {
        u[a] = real_at(view.u[a], view.precision, k);
        gamma += u[a] * u[a];
      }
      gamma = sqrt(gamma);
      row *row = &rows[view.i[1][k]];
      double stress = u[1] * u[1] / gamma;
      row->current += deck->particles.species[s].charge * u[2] / gamma;
      row->current_noise += u[2] * u[2] / (gamma * gamma);
      row->pressure += stress;
      row->pressure_noise += stress * stress;
    }
  }
}

/* Mean over a row of cells of J_z = (1 / (B0 skindepth0^2)) sum q v / (ppc0 cells) is the mean of
 * -dB_x/dy, a difference of the formula's B_x. */
START_TEST(test_drifts_carry_the_curl_of_B) {
  static cw_deck deck;
  harris_deck(&deck);
  setup_case state = case_fill(&deck, 2, CW_SINGLE);
  row rows[NY] = {{0}};
  sum_rows(&state, &deck, rows);
  const double scale = 0.7 / (1.6 * 1.6) / (20.0 * NX);
  double largest = 0, planted = 0;
  for (int j = 0; j < NY; j++) {
    double lower = -1 + 0.5 * j;
    double right = -(upstream_B(lower + 0.5) - upstream_B(lower)) / 0.5;
    double noise = scale * sqrt(rows[j].current_noise);
    ck_assert(fabs(scale * rows[j].current - right) < SIGMAS * noise);
    largest = cw_larger(largest, fabs(right));
    planted = cw_larger(planted, fabs(scale * rows[j].current - 1.2 * right) / noise);
  }
  ck_assert(largest > 0.25);   /* there is a current to be met: b / L = 0.3 */
  ck_assert(planted > SIGMAS); /* 20 % more would be seen */
  case_clear(&state);
}
END_TEST

/* The current through the whole lower half is the jump of B that the grid's array shows. */
START_TEST(test_total_current_is_the_jump_of_B) {
  static cw_deck deck;
  harris_deck(&deck);
  setup_case state = case_fill(&deck, 2, CW_SINGLE);
  row rows[NY] = {{0}};
  sum_rows(&state, &deck, rows);
  double current = 0, noise = 0;
  for (int j = 0; j < NY / 2; j++) {
    current += rows[j].current;
    noise += rows[j].current_noise;
  }
  const double scale = 0.5 * 0.7 / (1.6 * 1.6) / (20.0 * NX);
  double jump = state.field[3][cw_grid_index(&state.grid, 0, NY / 2, 0)] -
                state.field[3][cw_grid_index(&state.grid, 0, 0, 0)];
  ck_assert(fabs(jump - 1.8) < 1e-3);
  ck_assert(fabs(scale * current + jump) < SIGMAS * scale * sqrt(noise));
  ck_assert(SIGMAS * scale * sqrt(noise) < 0.05 * jump);
  case_clear(&state);
}
END_TEST

/* P_yy + B^2/2 is the same in every row: sum of u_y v_y over skindepth0^2 and the mean of
 * (b B0)^2 tanh^2 / 2 = (b B0)^2 (1 - mean sech^2) / 2; outside, the background's n theta remains.
 */
START_TEST(test_pressure_balances_the_field) {
  static cw_deck deck;
  harris_deck(&deck);
  setup_case state = case_fill(&deck, 2, CW_SINGLE);
  row rows[NY] = {{0}};
  sum_rows(&state, &deck, rows);
  const double scale = 1 / (1.6 * 1.6) / (20.0 * NX), b = 0.9 / 0.7;
  const double right = 0.5 * b * b + 0.5 * 0.1 / (1.6 * 1.6);
  for (int j = 0; j < NY; j++) {
    double lower = -1 + 0.5 * j;
    double sech2 = fabs(upstream_B(lower + 0.5) - upstream_B(lower)) / 0.9 * 3 / 0.5;
    double total = scale * rows[j].pressure + 0.5 * b * b * (1 - sech2);
    ck_assert(fabs(total - right) < SIGMAS * scale * sqrt(rows[j].pressure_noise));
  }
  case_clear(&state);
}
END_TEST

static double at(const setup_case *state, int field, int i, int j) {
  return state->field[field][cw_grid_index(&state->grid, (i + NX) % NX, (j + NY) % NY, 0)];
}

/* With the pinch: div B = 0 at every cell to the round-off of B/dx, E = 0, and By reaches about
 * the asked size. */
START_TEST(test_perturbed_field_has_no_divergence) {
  static cw_deck deck;
  harris_deck(&deck);
  deck_number(&deck, "perturbation", 0.2);
  deck_number(&deck, "guide_field", 0.3);
  deck_number(&deck, "perturbation_width", 0.6);
  setup_case state = case_fill(&deck, 2, CW_SINGLE);
  double divergence = 0, largest = 0;
  for (int j = 0; j < NY; j++)
    for (int i = 0; i < NX; i++) {
      double value = (at(&state, 3, i + 1, j) - at(&state, 3, i, j)) / 0.5 +
                     (at(&state, 4, i, j + 1) - at(&state, 4, i, j)) / 0.5;
      ck_assert(isfinite(value));
      divergence = cw_larger(divergence, fabs(value));
      largest = cw_larger(largest, fabs(at(&state, 4, i, j)));
      ck_assert(at(&state, 5, i, j) == 0.3);
      for (int a = 0; a < 3; a++)
        ck_assert(at(&state, a, i, j) == 0);
    }
  ck_assert(divergence < 1e-13);
  ck_assert(fabs(largest / (0.2 * 0.9) - 1) < 0.15);
  case_clear(&state);
}
END_TEST

START_TEST(test_one_sheet_pinch_leaves_walls_alone) {
  static cw_deck deck;
  harris_deck(&deck);
  deck_number(&deck, "sheets", 1);
  deck_number(&deck, "perturbation", 0.2);
  for (int side = 0; side < 2; side++) {
    deck.grid.fields[1][side] = CW_FIELD_CONDUCTOR;
    deck.grid.particles[1][side] = CW_PARTICLE_REFLECT;
  }
  setup_case state = case_fill(&deck, 2, CW_SINGLE);
  double inside = 0;
  for (int i = 0; i < NX; i++) {
    ck_assert(fabs(at(&state, 4, i, 0)) < 1e-15);
    inside = cw_larger(inside, fabs(at(&state, 4, i, NY / 2)));
  }
  ck_assert(inside > 0.1);
  case_clear(&state);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("harris");
  TCase *tests = tcase_create("harris");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_drifts_carry_the_curl_of_B);
  tcase_add_test(tests, test_total_current_is_the_jump_of_B);
  tcase_add_test(tests, test_pressure_balances_the_field);
  tcase_add_test(tests, test_perturbed_field_has_no_divergence);
  tcase_add_test(tests, test_one_sheet_pinch_leaves_walls_alone);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
