/* Where particles are put, how many, and under which ids. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <check.h>

#include "base/reals.h"
#include "setup/loaders.h"
#include "setup/setup_case.h"

static const int32_t box_cells[3] = {12, 10, 6};
static const double box_length[3] = {6, 4, 3};

static void thermal_deck(cw_deck *deck, int dim) {
  deck_init(deck, "thermal", dim, box_cells, box_length);
  deck_pairs(deck, 1);
  deck->particles.ppc0 = 7;
  deck_number(deck, "temperature", 0.5);
}

static int ascending(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

START_TEST(test_ids_are_unique_and_start_at_one) {
  cw_deck deck;
  deck_init(&deck, "reconnection", 2, (const int32_t[3]){24, 80, 0}, (const double[3]){24, 80, 0});
  deck_pairs(&deck, 1);
  deck_number(&deck, "half_width", 4);
  setup_case state = case_fill(&deck, 2, CW_SINGLE);
  for (int s = 0; s < 2; s++) {
    cw_particles_view view = cw_particles_get_view(state.particles[s]);
    ck_assert_int_gt(view.count, 1000);
    qsort(view.id, (size_t)view.count, sizeof *view.id, ascending);
    ck_assert_uint_eq(view.id[0], 1);
    for (int64_t k = 1; k < view.count; k++)
      ck_assert_uint_ne(view.id[k], view.id[k - 1]);
  }
  case_clear(&state);
}
END_TEST

static void assert_same_state(const setup_case *one, const setup_case *two, int dim) {
  for (int s = 0; s < 2; s++) {
    cw_particles_view a = cw_particles_get_view(one->particles[s]);
    cw_particles_view b = cw_particles_get_view(two->particles[s]);
    ck_assert_int_eq(a.count, b.count);
    size_t count = (size_t)a.count, real = (size_t)cw_precision_size(a.precision);
    for (int axis = 0; axis < dim; axis++) {
      ck_assert(memcmp(a.i[axis], b.i[axis], count * sizeof *a.i[axis]) == 0);
      ck_assert(memcmp(a.dx[axis], b.dx[axis], count * real) == 0);
    }
    for (int axis = 0; axis < 3; axis++)
      ck_assert(memcmp(a.u[axis], b.u[axis], count * real) == 0);
    ck_assert(memcmp(a.id, b.id, count * sizeof *a.id) == 0);
  }
}

START_TEST(test_one_and_two_threads_load_the_same_bits) {
  for (int dim = 1; dim <= 3; dim++) {
    cw_deck deck;
    thermal_deck(&deck, dim);
    cw_precision precision = _i ? CW_DOUBLE : CW_SINGLE;
    setup_case one = case_fill(&deck, 1, precision), two = case_fill(&deck, 2, precision);
    assert_same_state(&one, &two, dim);
    case_clear(&one);
    case_clear(&two);
  }
}
END_TEST

START_TEST(test_another_seed_loads_another_state) {
  cw_deck deck;
  thermal_deck(&deck, 2);
  setup_case one = case_fill(&deck, 1, CW_DOUBLE);
  deck.simulation.seed++;
  setup_case two = case_fill(&deck, 1, CW_DOUBLE);
  cw_particles_view a = cw_particles_get_view(one.particles[0]);
  cw_particles_view b = cw_particles_get_view(two.particles[0]);
  const double *x = a.dx[0], *y = b.dx[0];
  int64_t same = 0, count = a.count < b.count ? a.count : b.count;
  for (int64_t k = 0; k < count; k++)
    same += x[k] == y[k];
  ck_assert_int_eq(same, 0);
  case_clear(&one);
  case_clear(&two);
}
END_TEST

START_TEST(test_species_start_at_the_same_places_with_other_momenta) {
  cw_deck deck;
  thermal_deck(&deck, 3);
  setup_case state = case_fill(&deck, 2, CW_SINGLE);
  cw_particles_view a = cw_particles_get_view(state.particles[0]);
  cw_particles_view b = cw_particles_get_view(state.particles[1]);
  ck_assert_int_eq(a.count, b.count);
  int64_t same_u = 0;
  for (int64_t k = 0; k < a.count; k++) {
    for (int axis = 0; axis < 3; axis++) {
      ck_assert_int_eq(a.i[axis][k], b.i[axis][k]);
      ck_assert(((float *)a.dx[axis])[k] == ((float *)b.dx[axis])[k]);
    }
    same_u += ((float *)a.u[0])[k] == ((float *)b.u[0])[k];
  }
  ck_assert_int_lt(same_u, 3);
  case_clear(&state);
}
END_TEST

START_TEST(test_particles_start_alive_inside_and_with_their_past) {
  cw_deck deck;
  thermal_deck(&deck, 2);
  deck.particles.ppc0 = 400;
  setup_case state = case_fill(&deck, 2, CW_SINGLE);
  cw_particles_view view = cw_particles_get_view(state.particles[0]);
  for (int64_t k = 0; k < view.count; k++) {
    ck_assert_uint_eq(view.tag[k], CW_TAG_ALIVE);
    for (int a = 0; a < 2; a++) {
      float dx = ((float *)view.dx[a])[k];
      ck_assert(dx >= 0 && dx < 1);
      ck_assert(dx == ((float *)view.dx_prev[a])[k]);
      ck_assert_int_eq(view.i[a][k], view.i_prev[a][k]);
      ck_assert(view.i[a][k] >= 0 && view.i[a][k] < box_cells[a]);
    }
  }
  case_clear(&state);
}
END_TEST

/* Offsets are uniform: mean 1/2, variance 1/12, no correlation between axes (5 standard errors). */
START_TEST(test_random_offsets_are_uniform) {
  cw_deck deck;
  thermal_deck(&deck, 3);
  deck.particles.ppc0 = 200;
  setup_case state = case_fill(&deck, 2, CW_DOUBLE);
  cw_particles_view view = cw_particles_get_view(state.particles[0]);
  double n = (double)view.count;
  for (int a = 0; a < 3; a++) {
    const double *x = view.dx[a], *y = view.dx[(a + 1) % 3];
    double first = 0, second = 0, cross = 0;
    for (int64_t k = 0; k < view.count; k++) {
      first += x[k] - 0.5;
      second += (x[k] - 0.5) * (x[k] - 0.5);
      cross += (x[k] - 0.5) * (y[k] - 0.5);
    }
    ck_assert(fabs(first / n) < 5 * sqrt(1 / (12 * n)));
    ck_assert(fabs(second / n - 1.0 / 12) < 5 * sqrt(1 / (180 * n)));
    ck_assert(fabs(cross / n) < 5 / (12 * sqrt(n)));
  }
  case_clear(&state);
}
END_TEST

/* 0.35 particles a cell and species: cells hold 0 or 1 and the mean is 0.35 (binomial, 5 sigma). */
START_TEST(test_fractions_of_a_particle_count_on_average) {
  cw_deck deck;
  deck_init(&deck, "thermal", 2, (const int32_t[3]){200, 100, 0}, (const double[3]){1, 1, 1});
  deck_pairs(&deck, 1);
  deck.particles.ppc0 = 0.7;
  setup_case state = case_fill(&deck, 2, CW_SINGLE);
  cw_particles_view view = cw_particles_get_view(state.particles[0]);
  double expected = 0.35 * 20000;
  ck_assert(fabs((double)view.count - expected) < 5 * sqrt(expected * 0.65));
  for (int64_t k = 1; k < view.count; k++)
    ck_assert(view.i[0][k] != view.i[0][k - 1] || view.i[1][k] != view.i[1][k - 1]);
  case_clear(&state);
}
END_TEST

START_TEST(test_quiet_start_is_evenly_spaced) {
  cw_deck deck;
  deck_init(&deck, "langmuir", 1, (const int32_t[3]){16, 0, 0}, (const double[3]){16, 0, 0});
  deck_pairs(&deck, 1);
  deck.particles.ppc0 = 10;
  setup_case state = case_fill(&deck, 1, CW_DOUBLE);
  cw_particles_view view = cw_particles_get_view(state.particles[0]);
  ck_assert_int_eq(view.count, 80);
  for (int64_t k = 0; k < view.count; k++)
    ck_assert(fabs(view.i[0][k] + ((double *)view.dx[0])[k] - ((double)k + 0.5) / 5) < 1e-13);
  case_clear(&state);
}
END_TEST

/* Weights carry the profile: the sheet's weights sum to the integral of eta sech^2, 2 eta L a
 * sheet, less the part below CW_LOADER_MIN_WEIGHT (relative 5e-5) and the noise of a fractional
 * count. */
START_TEST(test_weights_sum_to_the_profile) {
  cw_deck deck;
  deck_init(&deck, "reconnection", 2, (const int32_t[3]){16, 160, 0},
            (const double[3]){16, 160, 0});
  deck_pairs(&deck, 2);
  deck.particles.use_weights = 1;
  deck_number(&deck, "half_width", 6);
  deck_number(&deck, "overdensity", 2.5);
  setup_case state = case_fill(&deck, 2, CW_DOUBLE);
  cw_particles_view view = cw_particles_get_view(state.particles[2]);
  double sum = 0, largest = 0;
  for (int64_t k = 0; k < view.count; k++) {
    double weight = ((double *)view.weight)[k];
    sum += weight;
    largest = cw_larger(largest, weight);
  }
  double right = 2 * 2 * 2.5 * 6 * 16 * 8 / 2.0;
  ck_assert(fabs(sum / right - 1) < 1e-4);
  ck_assert(largest <= 1 && largest > 0.98);
  case_clear(&state);
}
END_TEST

START_TEST(test_expected_counts_are_those_of_the_state) {
  cw_deck deck;
  deck_init(&deck, "reconnection", 2, (const int32_t[3]){32, 96, 0}, (const double[3]){32, 96, 0});
  deck_pairs(&deck, 1 + _i % 2);
  deck.particles.use_weights = _i / 2;
  deck_number(&deck, "half_width", 4);
  setup_case state = case_fill(&deck, 2, CW_SINGLE);
  for (int s = 0; s < deck.particles.species_count; s++) {
    double expected = (double)cw_problem_find("reconnection")->expected(&deck, s);
    /* A weighted sheet has whole cells: up to 4 edge rows more or less. */
    double edge = deck.particles.use_weights ? 4 * 32 * 12 : 0;
    ck_assert(fabs((double)cw_particles_count(state.particles[s]) - expected) <=
              5 * sqrt(expected) + edge);
  }
  case_clear(&state);
}
END_TEST

START_TEST(test_maxnpart_is_kept) {
  cw_deck deck;
  thermal_deck(&deck, 2);
  deck.particles.species[1].maxnpart = 100;
  setup_case state = case_prepare(&deck, 1, CW_SINGLE);
  cw_setup_target target = state.target;
  target.deck = &deck;
  target.grid = &state.grid;
  target.particles = state.particles;
  ck_assert_int_eq(cw_setup_fill(&target), CW_ERROR_INPUT);
  ck_assert_ptr_nonnull(strstr(cw_context_message(state.context), "maxnpart allows 100"));
  case_clear(&state);
}
END_TEST

static double negative(const void *user, const double lower[3], const double upper[3]) {
  (void)user, (void)upper;
  return lower[0] > 0 ? NAN : 1;
}

START_TEST(test_unusable_density_is_refused) {
  cw_deck deck;
  thermal_deck(&deck, 1);
  setup_case state = case_prepare(&deck, 1, CW_SINGLE);
  cw_setup_target target = state.target;
  target.deck = &deck;
  target.grid = &state.grid;
  target.particles = state.particles;
  const cw_injection injection = {.species_count = 1, .per_cell = 2, .profile = negative};
  cw_loader loader;
  cw_loader_init(&loader, &target);
  ck_assert_int_eq(cw_loader_inject(&loader, &injection), CW_ERROR_NUMERIC);
  ck_assert_int_eq(cw_particles_count(state.particles[0]), 0);
  case_clear(&state);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("loaders");
  TCase *tests = tcase_create("loaders");
  tcase_set_timeout(tests, 120);
  tcase_add_test(tests, test_ids_are_unique_and_start_at_one);
  tcase_add_loop_test(tests, test_one_and_two_threads_load_the_same_bits, 0, 2);
  tcase_add_test(tests, test_another_seed_loads_another_state);
  tcase_add_test(tests, test_species_start_at_the_same_places_with_other_momenta);
  tcase_add_test(tests, test_particles_start_alive_inside_and_with_their_past);
  tcase_add_test(tests, test_random_offsets_are_uniform);
  tcase_add_test(tests, test_fractions_of_a_particle_count_on_average);
  tcase_add_test(tests, test_quiet_start_is_evenly_spaced);
  tcase_add_test(tests, test_weights_sum_to_the_profile);
  tcase_add_loop_test(tests, test_expected_counts_are_those_of_the_state, 0, 4);
  tcase_add_test(tests, test_maxnpart_is_kept);
  tcase_add_test(tests, test_unusable_density_is_refused);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
