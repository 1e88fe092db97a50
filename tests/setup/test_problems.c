/* What each problem makes of a right deck, and what it says to a wrong one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <check.h>

#include "setup/setup_case.h"

static const int32_t box_cells[3] = {48, 48, 8};
static const double box_length[3] = {24, 24, 4};

static void walls(cw_deck *deck) {
  for (int side = 0; side < 2; side++)
    deck->grid.fields[0][side] = CW_FIELD_CONDUCTOR;
}
static void one_dimension(cw_deck *deck) {
  deck->grid.dim = 1;
}
static void charge_3(cw_deck *deck) {
  deck->particles.species[2].charge = 2;
}
static void charge_1(cw_deck *deck) {
  deck->particles.species[0].charge = -3;
}
static void neutral_1(cw_deck *deck) {
  deck->particles.species[0].charge = deck->particles.species[1].charge = 0;
}
static void mass_2(cw_deck *deck) {
  deck->particles.species[1].mass = 4;
}
static void massless(cw_deck *deck) {
  deck->particles.species[1].mass = 0;
}
static void no_species(cw_deck *deck) {
  deck->particles.species_count = 0;
}
static void one_species(cw_deck *deck) {
  deck->particles.species_count = 1;
}
static void strong_field(cw_deck *deck) {
  deck->B0 = 100;
}

/* A deck that is right until one thing is changed: a number, a vector, a text or by hand. */
typedef struct wrong {
  const char *problem, *key;
  double number;
  const char *text;
  double vector[3];
  void (*change)(cw_deck *deck);
  const char *message;
} wrong;

static const wrong wrongs[] = {
    {.problem = "nothing", .message = "expected one of orbits, langmuir"},
    {.problem = "thermal", .key = "temperatur", .number = 1, .message = "not a parameter"},
    {.problem = "thermal", .key = "temperature", .text = "hot", .message = "expected float"},
    {.problem = "thermal", .key = "drift", .number = 0.5, .message = "expected float[3]"},
    {.problem = "thermal", .key = "quiet", .number = 1, .message = "expected bool"},
    {.problem = "thermal", .key = "temperature", .number = -1, .message = "temperature is -1"},
    {.problem = "thermal", .key = "temperature", .number = NAN, .message = "not finite"},
    {.problem = "thermal", .key = "temperature_2", .number = -2, .message = "temperature_2 is -2"},
    {.problem = "thermal", .key = "temperature_3", .number = 1, .message = "deck has 2 species"},
    {.problem = "thermal", .key = "drift", .vector = {0.8, 0.8, 0}, .message = "velocity below c"},
    {.problem = "thermal", .change = charge_1, .message = "charges sum to -2"},
    {.problem = "thermal", .change = massless, .message = "expects a positive mass"},
    {.problem = "thermal", .change = no_species, .message = "at least one"},
    {.problem = "orbits", .key = "position", .vector = {50, 0, 0}, .message = "in the box"},
    {.problem = "orbits", .key = "u3", .vector = {1, 0, 0}, .message = "without setup.position3"},
    {.problem = "orbits", .change = one_species, .message = "charges sum to"},
    {.problem = "langmuir", .key = "mode", .vector = {0, 0, 0}, .message = "expected a wave"},
    {.problem = "langmuir", .key = "mode", .vector = {0.5, 0, 0}, .message = "whole number"},
    {.problem = "langmuir", .key = "mode", .vector = {40, 0, 0}, .message = "at most 12"},
    {.problem = "langmuir", .key = "mode", .vector = {0, 0, 1}, .message = "along axis 3"},
    {.problem = "langmuir", .key = "amplitude", .number = 0, .message = "above 0 and below 1"},
    {.problem = "langmuir", .change = neutral_1, .message = "no charge"},
    {.problem = "langmuir", .change = walls, .message = "periodic"},
    {.problem = "two_stream", .key = "drift_1", .number = 1, .message = "above -1 and below 1"},
    {.problem = "two_stream", .key = "share_2", .number = 1.5, .message = "share_2 is 1.5"},
    {.problem = "two_stream", .key = "mode", .number = 1.5, .message = "expected int"},
    {.problem = "two_stream", .key = "mode", .number = 13, .message = "at most 12"},
    {.problem = "two_stream", .change = one_species, .message = "expects 4: electrons and"},
    {.problem = "two_stream", .change = charge_3, .message = "species 3 (e-) has charge 2"},
    {.problem = "two_stream", .change = mass_2, .message = "same positive mass"},
    {.problem = "two_stream", .change = walls, .message = "periodic"},
    {.problem = "weibel", .key = "drift", .number = 1, .message = "below 1"},
    {.problem = "weibel", .key = "axis", .text = "w", .message = "none of"},
    {.problem = "weibel", .key = "temperature", .number = -1, .message = "at least 0"},
    {.problem = "weibel", .change = charge_3, .message = "expects -1"},
    {.problem = "weibel", .change = walls, .message = "periodic"},
    {.problem = "reconnection", .change = one_dimension, .message = "expects 2"},
    {.problem = "reconnection", .change = one_species, .message = "electrons and positrons"},
    {.problem = "reconnection", .change = walls, .message = "periodic"},
    {.problem = "reconnection", .key = "sheets", .number = 1, .message = "axis 2 is periodic"},
    {.problem = "reconnection", .key = "sheets", .number = 3, .message = "at most 2"},
    {.problem = "reconnection", .key = "half_width", .number = 0.1, .message = "at least a cell"},
    {.problem = "reconnection", .key = "half_width", .number = 2, .message = "at most 1/16"},
    {.problem = "reconnection", .key = "overdensity", .number = 0, .message = "above 0"},
    {.problem = "reconnection", .key = "background", .number = -1, .message = "at least 0"},
    {.problem = "reconnection", .change = strong_field, .message = "expected less than 1"},
};
enum { WRONGS = (int)(sizeof wrongs / sizeof *wrongs) };

static void right_deck(cw_deck *deck, const char *problem) {
  deck_init(deck, problem, 2, box_cells, box_length);
  int beams = strcmp(problem, "two_stream") == 0 || strcmp(problem, "weibel") == 0;
  deck_pairs(deck, beams ? 2 : 1);
  if (strcmp(problem, "orbits") == 0)
    deck_vector(deck, "position", 1, 2, 0);
  if (strcmp(problem, "reconnection") == 0)
    deck_number(deck, "half_width", 1.5);
}

START_TEST(test_wrong_decks_are_refused_with_place_and_reason) {
  static cw_deck deck;
  const wrong *wrong = &wrongs[_i];
  right_deck(&deck, wrong->problem);
  cw_context *context;
  ck_assert_int_eq(cw_context_create(NULL, &context, NULL, 0), CW_OK);
  if (cw_problem_find(wrong->problem))
    ck_assert_msg(cw_setup_check(context, &deck) == CW_OK, "%s", cw_context_message(context));
  const cw_problem_key *key = NULL;
  for (key = wrong->key && cw_problem_find(wrong->problem) ? cw_problem_find(wrong->problem)->keys
                                                           : NULL;
       key && key->name && strcmp(key->name, wrong->key) != 0; key++)
    continue;
  int vector = key && key->name && strcmp(key->type, "float[3]") == 0;
  if (wrong->key && wrong->text)
    deck_text(&deck, wrong->key, wrong->text);
  if (wrong->key && !wrong->text && vector && wrong->number == 0)
    deck_vector(&deck, wrong->key, wrong->vector[0], wrong->vector[1], wrong->vector[2]);
  else if (wrong->key && !wrong->text)
    deck_number(&deck, wrong->key, wrong->number);
  if (wrong->change)
    wrong->change(&deck);
  ck_assert_int_eq(cw_setup_check(context, &deck), CW_ERROR_INPUT);
  const char *message = cw_context_message(context);
  ck_assert_msg(strstr(message, wrong->message) != NULL, "'%s' lacks '%s'", message,
                wrong->message);
  ck_assert_msg(strstr(message, "case.toml:") != NULL, "'%s' names no place", message);
  if (wrong->key)
    ck_assert_msg(strstr(message, ":3: ") != NULL, "'%s': another place", message);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_missing_parameter_is_named) {
  static cw_deck deck;
  right_deck(&deck, "reconnection");
  deck.setup.parameter_count = 0;
  cw_context *context;
  ck_assert_int_eq(cw_context_create(NULL, &context, NULL, 0), CW_OK);
  ck_assert_int_eq(cw_setup_check(context, &deck), CW_ERROR_INPUT);
  ck_assert_ptr_nonnull(strstr(cw_context_message(context), "setup.half_width is missing"));
  cw_context_destroy(context);
}
END_TEST

/* Every default in the tables reads back as its type. */
START_TEST(test_defaults_are_those_of_the_table) {
  static cw_deck deck;
  deck_init(&deck, "weibel", 2, box_cells, box_length);
  char text[256];
  cw_setup_text(&deck, "axis", text);
  ck_assert_str_eq(text, "z");
  ck_assert(cw_setup_number(&deck, "drift") == 0.5);
  snprintf(deck.setup.problem, sizeof deck.setup.problem, "langmuir");
  double mode[3];
  cw_setup_vector(&deck, "mode", mode);
  ck_assert(mode[0] == 1 && mode[1] == 0 && mode[2] == 0);
  ck_assert(cw_setup_number(&deck, "quiet") == 1);
  deck_bool(&deck, "quiet", 0);
  ck_assert(cw_setup_number(&deck, "quiet") == 0);
}
END_TEST

static void sum_current(const setup_case *state, const cw_deck *deck, double J[3], double size[3]) {
  for (int a = 0; a < 3; a++)
    J[a] = size[a] = 0;
  for (int s = 0; s < deck->particles.species_count; s++) {
    cw_particles_view view = cw_particles_get_view(state->particles[s]);
    for (int64_t k = 0; k < view.count; k++) {
      double u[3], gamma = 1;
      for (int a = 0; a < 3; a++) {
        u[a] = real_at(view.u[a], view.precision, k);
        gamma += u[a] * u[a];
      }
      for (int a = 0; a < 3; a++) {
        J[a] += deck->particles.species[s].charge * u[a] / sqrt(gamma);
        size[a] += fabs(u[a]) / sqrt(gamma);
      }
    }
  }
}

/* Net charge in every cell: the signed count of particles, since species share their places. */
static void assert_neutral_cells(const setup_case *state, const cw_deck *deck) {
  static double charge[48 * 48];
  memset(charge, 0, sizeof charge);
  double moment = 0;
  for (int s = 0; s < deck->particles.species_count; s++) {
    cw_particles_view view = cw_particles_get_view(state->particles[s]);
    for (int64_t k = 0; k < view.count; k++) {
      double q = deck->particles.species[s].charge;
      charge[view.i[0][k] + 48 * view.i[1][k]] += q;
      moment += q * real_at(view.dx[0], view.precision, k) * real_at(view.dx[1], view.precision, k);
    }
  }
  for (int c = 0; c < 48 * 48; c++)
    ck_assert(charge[c] == 0);
  ck_assert(fabs(moment) < 1e-9);
}

static const char *const neutral_problems[] = {"langmuir", "two_stream",   "weibel",
                                               "thermal",  "reconnection", "orbits"};

START_TEST(test_states_have_no_charge_anywhere) {
  static cw_deck deck;
  right_deck(&deck, neutral_problems[_i]);
  setup_case state = case_fill(&deck, 2, CW_DOUBLE);
  ck_assert_int_gt(cw_particles_count(state.particles[0]), 0);
  assert_neutral_cells(&state, &deck);
  for (int f = 0; f < 6; f++)
    for (int j = 0; j < 48; j++)
      for (int i = 0; i < 48; i++)
        ck_assert(isfinite(state.field[f][cw_grid_index(&state.grid, i, j, 0)]));
  case_clear(&state);
}
END_TEST

/* Beams of unequal density and speed carry no net current: exactly cancelling when cold. */
START_TEST(test_beams_carry_no_net_current) {
  static cw_deck deck;
  right_deck(&deck, _i ? "weibel" : "two_stream");
  if (_i) {
    deck_number(&deck, "drift", 0.8);
  } else {
    deck.particles.ppc0 = 16; /* 7 and 1 a cell */
    deck_number(&deck, "drift_1", 0.1);
    deck_number(&deck, "drift_2", -0.9);
    deck_number(&deck, "share_2", 0.125);
    deck_number(&deck, "amplitude", 0);
  }
  setup_case state = case_fill(&deck, 2, CW_DOUBLE);
  double J[3], size[3];
  sum_current(&state, &deck, J, size);
  for (int a = 0; a < 3; a++)
    ck_assert(fabs(J[a]) <= 1e-12 * size[a]);
  ck_assert(size[_i ? 2 : 0] > 100);
  int64_t first = cw_particles_count(state.particles[0]);
  int64_t last = cw_particles_count(state.particles[3]);
  ck_assert_int_eq(first, _i ? last : 7 * last);
  case_clear(&state);
}
END_TEST

/* u of each species is (q/m) (m_1/|q_1|) A sin(k . x) along k. */
START_TEST(test_langmuir_wave_has_its_form) {
  static cw_deck deck;
  deck_init(&deck, "langmuir", 2, box_cells, box_length);
  deck_species(&deck, "e-", 4, -1);
  deck_species(&deck, "ion", 100, 1);
  deck_vector(&deck, "mode", 2, 1, 0);
  deck_number(&deck, "amplitude", 0.03);
  setup_case state = case_fill(&deck, 2, CW_DOUBLE);
  const double k0 = 2 * acos(-1.0) / 24;
  for (int s = 0; s < 2; s++) {
    cw_particles_view view = cw_particles_get_view(state.particles[s]);
    for (int64_t k = 0; k < view.count; k++) {
      double x = 0.5 * (view.i[0][k] + ((double *)view.dx[0])[k]);
      double y = 0.5 * (view.i[1][k] + ((double *)view.dx[1])[k]);
      double u = 0.03 * (s ? 0.04 : -1) * sin(k0 * (2 * x + y)) / sqrt(5);
      ck_assert(fabs(((double *)view.u[0])[k] - 2 * u) < 1e-14);
      ck_assert(fabs(((double *)view.u[1])[k] - u) < 1e-14);
      ck_assert(((double *)view.u[2])[k] == 0);
    }
  }
  case_clear(&state);
}
END_TEST

START_TEST(test_orbits_are_copied_to_every_species) {
  static cw_deck deck;
  right_deck(&deck, "orbits");
  deck_vector(&deck, "u", 1, 2, 3);
  deck_vector(&deck, "position4", 22.9, -1, 0);
  deck_vector(&deck, "u4", -4, 0, 5);
  deck_vector(&deck, "E", 0.1, 0, 0);
  deck_vector(&deck, "B", 0, 0, 2);
  setup_case state = case_fill(&deck, 1, CW_DOUBLE);
  ck_assert_int_eq(cw_problem_find("orbits")->expected(&deck, 1), 2);
  for (int s = 0; s < 2; s++) {
    cw_particles_view view = cw_particles_get_view(state.particles[s]);
    ck_assert_int_eq(view.count, 2);
    ck_assert_uint_eq(view.id[0], 1);
    ck_assert_uint_eq(view.id[1], 2);
    ck_assert_int_eq(view.i[0][0], 4); /* (1 + 1) / 0.5 */
    ck_assert(fabs(0.5 * (view.i[0][1] + ((double *)view.dx[0])[1]) - 23.9) < 1e-13);
    ck_assert(((double *)view.u[2])[1] == 5);
    ck_assert_uint_eq(view.tag[1], CW_TAG_ALIVE);
  }
  int64_t middle = cw_grid_index(&state.grid, 7, 9, 0);
  ck_assert(state.field[0][middle] == 0.1 && state.field[5][middle] == 2);
  ck_assert(state.field[1][middle] == 0 && state.field[4][middle] == 0);
  case_clear(&state);
}
END_TEST

/* E + v x B = 0 for the drift. */
START_TEST(test_drifting_magnetized_plasma_feels_no_force) {
  static cw_deck deck;
  right_deck(&deck, "thermal");
  deck_vector(&deck, "drift", 0.3, -0.4, 0.2);
  deck_vector(&deck, "B", 0.5, 1, -2);
  setup_case state = case_fill(&deck, 1, CW_DOUBLE);
  const double v[3] = {0.3, -0.4, 0.2}, B[3] = {0.5, 1, -2};
  int64_t middle = cw_grid_index(&state.grid, 3, 3, 0);
  for (int a = 0; a < 3; a++) {
    int b = (a + 1) % 3, c = (a + 2) % 3;
    ck_assert(fabs(state.field[a][middle] + v[b] * B[c] - v[c] * B[b]) < 1e-15);
    ck_assert(state.field[3 + a][middle] == B[a]);
  }
  case_clear(&state);
}
END_TEST

/* The deposit adds to order + 2 nodes from the lowest one of a step: for even orders and a particle
 * in the upper half of the last cell these end order/2 + 2 cells beyond the block. */
START_TEST(test_grid_has_ghost_cells_for_the_deposits_window) {
  static cw_deck deck;
  right_deck(&deck, "thermal");
  cw_context *context;
  ck_assert_int_eq(cw_context_create(NULL, &context, NULL, 0), CW_OK);
  for (int order = 1; order <= 11; order++)
    for (int fast = 0; fast < 2; fast++) {
      cw_grid grid;
      deck.algorithms.deposit.shape_order = order;
      deck.algorithms.CFL = fast ? 0.95 : 0.5;
      ck_assert_int_eq(cw_setup_grid(context, &deck, &grid), CW_OK);
      int last = order % 2 ? 47 - (order - 1) / 2 : 48 - order / 2;
      ck_assert_int_le(last + order + 1, 47 + grid.ghost);
      ck_assert(grid.origin[1] == -1 && grid.dx[1] == 0.5 && grid.cells[0] == 48);
    }
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("problems");
  TCase *tests = tcase_create("problems");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_wrong_decks_are_refused_with_place_and_reason, 0, WRONGS);
  tcase_add_test(tests, test_missing_parameter_is_named);
  tcase_add_test(tests, test_defaults_are_those_of_the_table);
  tcase_add_loop_test(tests, test_states_have_no_charge_anywhere, 0, 6);
  tcase_add_loop_test(tests, test_beams_carry_no_net_current, 0, 2);
  tcase_add_test(tests, test_langmuir_wave_has_its_form);
  tcase_add_test(tests, test_orbits_are_copied_to_every_species);
  tcase_add_test(tests, test_drifting_magnetized_plasma_feels_no_force);
  tcase_add_test(tests, test_grid_has_ghost_cells_for_the_deposits_window);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
