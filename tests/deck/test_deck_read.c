/* What a valid deck resolves to: values, defaults, derived scales, overrides, and the echo. */
#include <math.h>

#include "deck/deck_keys.h"
#include "deck_case.h"

START_TEST(test_values_reach_their_members) {
  cw_context *context = case_context();
  cw_deck *deck = parsed(context, valid_deck);
  ck_assert_str_eq(deck->simulation.name, "two");
  ck_assert(deck->simulation.runtime == 10);
  ck_assert_int_eq(deck->grid.dim, 2);
  ck_assert_int_eq(deck->grid.resolution[1], 16);
  ck_assert(deck->grid.extent[0][0] == -1.6 && deck->grid.extent[1][1] == 1.6);
  ck_assert_int_eq(deck->grid.fields[0][1], CW_FIELD_PERIODIC);
  ck_assert_int_eq(deck->grid.fields[1][0], CW_FIELD_CONDUCTOR);
  ck_assert_int_eq(deck->grid.fields[1][1], CW_FIELD_ABSORB);
  ck_assert_int_eq(deck->grid.particles[1][0], CW_PARTICLE_REFLECT);
  ck_assert_int_eq(deck->grid.particles[1][1], CW_PARTICLE_ABSORB);
  ck_assert_int_eq(deck->algorithms.deposit.tile_size, 4);
  ck_assert_int_eq(deck->particles.species_count, 2);
  ck_assert_str_eq(deck->particles.species[0].label, "e-");
  ck_assert_str_eq(deck->particles.species[1].label, "s2");
  ck_assert(deck->particles.species[1].mass == 1836.15);
  ck_assert_int_eq(deck->particles.species[1].where.line, 27);
  ck_assert_str_eq(deck->setup.problem, "thermal");
  ck_assert_int_eq(deck->setup.parameter_count, 2);
  const cw_deck_parameter *drift = cw_deck_setup_parameter(deck, "drift");
  ck_assert_int_eq(drift->type, CW_PARAMETER_VECTOR);
  ck_assert_int_eq(drift->where.line, 33);
  ck_assert(drift->number[0] == 0.1);
  ck_assert_ptr_null(cw_deck_setup_parameter(deck, "problem"));
  ck_assert_int_eq(deck->output.fields.quantities.count, 2);
  ck_assert_str_eq(deck->output.fields.quantities.word[1], "N");
  ck_assert_str_eq(deck->source, valid_deck);
  cw_deck_destroy(deck);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_defaults_are_the_documented_ones) {
  cw_context *context = case_context();
  char *text = replaced(valid_deck, "[output.fields]\nquantities = [\"E\", \"N\"]\n", "");
  cw_deck *deck = parsed(context, text);
  ck_assert_int_eq(deck->simulation.seed, 1);
  ck_assert_int_eq(deck->algorithms.current_filters, 0);
  ck_assert(deck->algorithms.correction == 1);
  ck_assert_int_eq(deck->algorithms.deposit.enable, 1);
  ck_assert_int_eq(deck->algorithms.deposit.fixed_point, 0);
  ck_assert_int_eq(deck->algorithms.deposit.team_size, 0);
  ck_assert_int_eq(deck->algorithms.fieldsolver_enable, 1);
  ck_assert_int_eq(deck->particles.use_weights, 0);
  ck_assert_int_eq(deck->particles.clear_interval, 100);
  ck_assert_int_eq(deck->particles.spatial_sorting_interval, 0);
  ck_assert_int_eq(deck->particles.species[0].pusher, CW_PUSHER_BORIS);
  ck_assert_int_eq(deck->particles.species[0].maxnpart, 0);
  ck_assert_int_eq(deck->particles.species[0].spatial_sorting_interval, -1);
  ck_assert_int_eq(deck->output.interval, 100);
  ck_assert_int_eq(deck->output.stats_interval, 100);
  ck_assert_int_eq(deck->output.fields.quantities.count, 5);
  ck_assert_str_eq(deck->output.fields.quantities.word[3], "rho");
  ck_assert_int_eq(deck->diagnostics.interval, 1);
  ck_assert_int_eq(deck->diagnostics.log_level, CW_LOG_INFO);
  ck_assert(deck->grid.absorb_ds == 0.01 * 1.6);
  cw_deck_destroy(deck);
  free(text);
  cw_context_destroy(context);
}
END_TEST

/* dx = 0.1, CFL = 0.5, D = 2, ppc0 = 16, skindepth0 = 0.5, larmor0 = 2; worked out by hand. Each
 * derived member is a product of at most five factors: 1e-14 leaves room for their rounding. */
START_TEST(test_derived_scales) {
  cw_context *context = case_context();
  cw_deck *deck = parsed(context, valid_deck);
  const double right[][2] = {{deck->dt, 0.035355339059327376},
                             {deck->V0, 0.01},
                             {deck->n0, 1600},
                             {deck->q0, 0.0025},
                             {deck->B0, 0.5},
                             {deck->grid.dx[1], 0.1}};
  for (int k = 0; k < 6; k++)
    ck_assert_msg(fabs(right[k][0] - right[k][1]) <= 1e-14 * right[k][1],
                  "%d: %.17g, expected %.17g", k, right[k][0], right[k][1]);
  ck_assert_int_eq(deck->steps, 283); /* 10 / 0.0353553 = 282.84 */
  cw_deck_destroy(deck);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_a_whole_number_of_steps_is_not_rounded_up) {
  cw_context *context = case_context();
  /* dt = 0.7 * 0.1 in one dimension; 0.28 / 0.07 is 4.000000000000001 in doubles */
  const char *text = "simulation = {name = 'a', engine = 'SRPIC', runtime = 0.28}\n"
                     "scales = {larmor0 = 1, skindepth0 = 1}\nparticles.ppc0 = 1\n"
                     "algorithms.timestep.CFL = 0.7\nsetup.problem = 'p'\n"
                     "[grid]\nresolution = [10]\nextent = [[0, 1]]\nmetric.metric = 'Minkowski'\n"
                     "boundaries = {fields = [['periodic']], particles = [['periodic']]}\n";
  cw_deck *deck = parsed(context, text);
  ck_assert_int_eq(deck->steps, 4);
  ck_assert_int_eq(deck->particles.species_count, 0);
  cw_deck_destroy(deck);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_overrides_replace_and_add) {
  cw_context *context = case_context();
  const cw_deck_override overrides[] = {
      {"simulation.runtime", "20"},       {"grid.resolution", "[64, 32]"},
      {"particles.species.e-.mass", "4"}, {"particles.species.s2.label", "ions"},
      {"output.stats.interval", "7"},     {"simulation.precision", "double"},
      {"setup.file", "some/state.h5"},    {"setup.temperature", "0.25"}};
  cw_deck *deck;
  cw_status status =
      cw_deck_parse(context, "t.toml", valid_deck, strlen(valid_deck), overrides, 8, &deck);
  ck_assert_msg(status == CW_OK, "%s", cw_context_message(context));
  ck_assert(deck->simulation.runtime == 20 && deck->particles.species[0].mass == 4);
  ck_assert_int_eq(deck->grid.resolution[0], 64);
  ck_assert_str_eq(deck->particles.species[1].label, "ions");
  ck_assert_int_eq(deck->output.stats_interval, 7);
  ck_assert_int_eq(deck->simulation.precision, CW_DOUBLE);
  ck_assert_str_eq(cw_deck_setup_parameter(deck, "file")->text[0], "some/state.h5");
  ck_assert(cw_deck_setup_parameter(deck, "temperature")->number[0] == 0.25);
  ck_assert_int_eq(cw_deck_fail(context, deck, cw_deck_setup_parameter(deck, "file")->where, "bad"),
                   CW_ERROR_INPUT);
  ck_assert_str_eq(cw_context_message(context), "--set setup.file=some/state.h5: bad");
  cw_deck_destroy(deck);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_wrong_override_is_named) {
  static const struct {
    cw_deck_override override;
    const char *message, *phrase;
  } cases[] = {
      {{"particles.ppc0", "-1"}, "--set particles.ppc0=-1: ", "expected number > 0"},
      {{"particles.ppc0", "abc"}, "--set particles.ppc0=abc: ", "found string \"abc\""},
      {{"particles.ppc0", "1, 2"}, "--set particles.ppc0=1, 2: ", "not TOML"},
      {{"particles.ppc0", "1\n[x]"}, "--set particles.ppc0=1?[x]: ", "not TOML"},
      {{"particles.ppc0", ""}, "--set particles.ppc0=: ", "not TOML"},
      {{"particles.pcp0", "1"}, "--set particles.pcp0=1: ", "such as 'ppc0'"},
      {{"ppc0", "1"}, "--set ppc0=1: ", "expected it in [particles]"},
      {{"particles", "1"}, "--set particles=1: ", "unknown key"},
      {{"", "1"}, "--set =1: ", "unknown key"},
      {{"..", "1"}, "--set ..=1: ", "unknown key"},
      {{"particles.species.mass", "1"}, "--set particles.species.mass=1: ", "LABEL"},
      {{"particles.species.x.mass", "1"}, "--set particles.species.x.mass=1: ", "LABEL"},
      {{"grid.resolution", "[32, 17]"}, "t.toml:8:10: ", "cubes"},
      {{"simulation.name", "[[[[1]]]]"}, "--set simulation.name=[[[[1]]]]: ", "found a list"},
  };
  cw_context *context = case_context();
  cw_deck *deck;
  for (int k = 0; k < (int)(sizeof cases / sizeof *cases); k++) {
    cw_status status = cw_deck_parse(context, "t.toml", valid_deck, strlen(valid_deck),
                                     &cases[k].override, 1, &deck);
    const char *message = cw_context_message(context);
    ck_assert_msg(status == CW_ERROR_INPUT, "case %d: accepted", k);
    ck_assert_msg(strncmp(message, cases[k].message, strlen(cases[k].message)) == 0 &&
                      strstr(message, cases[k].phrase),
                  "case %d: %s", k, message);
  }
  cw_context_destroy(context);
}
END_TEST

static char *echoed(cw_context *context, const cw_deck *deck) {
  char *text = NULL;
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  ck_assert_ptr_nonnull(stream);
  ck_assert_int_eq(cw_deck_echo(context, deck, stream), CW_OK);
  fclose(stream);
  return text;
}

static void expect_equal_words(const cw_deck_words *a, const cw_deck_words *b) {
  ck_assert_int_eq(a->count, b->count);
  for (int k = 0; k < a->count; k++)
    ck_assert_str_eq(a->word[k], b->word[k]);
}

static void expect_equal_output(const cw_deck *a, const cw_deck *b) {
  ck_assert(a->output.interval == b->output.interval &&
            a->output.length_SI == b->output.length_SI &&
            a->output.stats_interval == b->output.stats_interval);
  ck_assert(a->output.fields.enable == b->output.fields.enable &&
            a->output.fields.interval == b->output.fields.interval);
  expect_equal_words(&a->output.fields.quantities, &b->output.fields.quantities);
  ck_assert(a->output.particles.stride == b->output.particles.stride &&
            a->output.particles.chosen == b->output.particles.chosen &&
            strcmp(a->output.particles.select, b->output.particles.select) == 0);
  ck_assert_mem_eq(&a->output.spectra.chosen, &b->output.spectra.chosen,
                   sizeof a->output.spectra - offsetof(cw_deck, output.spectra.chosen) +
                       offsetof(cw_deck, output.spectra));
  expect_equal_words(&a->output.phase_space.maps, &b->output.phase_space.maps);
  ck_assert(a->output.phase_space.u_max == b->output.phase_space.u_max &&
            a->output.phase_space.bins == b->output.phase_space.bins);
  ck_assert_mem_eq(a->output.fields.downsampling, b->output.fields.downsampling,
                   sizeof a->output.fields.downsampling);
}

/* Every member but the source and the places. */
static void expect_equal(const cw_deck *a, const cw_deck *b) {
  ck_assert_mem_eq(&a->simulation, &b->simulation, sizeof a->simulation);
  ck_assert_mem_eq(&a->grid, &b->grid, sizeof a->grid);
  ck_assert_mem_eq(&a->scales, &b->scales, sizeof a->scales);
  ck_assert_mem_eq(&a->algorithms, &b->algorithms, sizeof a->algorithms);
  ck_assert(a->particles.ppc0 == b->particles.ppc0 &&
            a->particles.species_count == b->particles.species_count);
  for (int s = 0; s < a->particles.species_count; s++)
    ck_assert_mem_eq(&a->particles.species[s], &b->particles.species[s],
                     offsetof(cw_deck_species, where));
  ck_assert_str_eq(a->setup.problem, b->setup.problem);
  ck_assert_int_eq(a->setup.parameter_count, b->setup.parameter_count);
  for (int k = 0; k < a->setup.parameter_count; k++) {
    const cw_deck_parameter *one = &a->setup.parameters[k], *other = &b->setup.parameters[k];
    ck_assert_mem_eq(one, other, offsetof(cw_deck_parameter, text));
    for (int t = 0; t < 3; t++)
      ck_assert(one->text[t] ? strcmp(one->text[t], other->text[t]) == 0 : !other->text[t]);
  }
  expect_equal_output(a, b);
  ck_assert_mem_eq(&a->diagnostics, &b->diagnostics, sizeof a->diagnostics);
  ck_assert_mem_eq(&a->dt, &b->dt, sizeof *a - offsetof(cw_deck, dt));
}

START_TEST(test_echo_reads_back_as_the_same_deck) {
  cw_context *context = case_context();
  char *text = replaced(valid_deck, "drift = [0.1, 0, 0]",
                        "drift = [0.30000000000000004, 1e-300, -1.7976931348623157e308]\n"
                        "\"odd name\" = 'a \"quoted\" \\ text'\n\"\" = 1\nflag = false\n"
                        "constants.k = '2*pi'\nconstants.\"odd name\" = 1\n"
                        "species.\"e-.1\".density = '''\na\n\\b'''\nE = ['x', 1.5, \"\\\"\"]\n"
                        "species.\"\".density = 2\n"
                        "small = 5e-324\nthird = 0.3333333333333333\nbig = 123456789012345678");
  cw_deck *first = parsed(context, text);
  char *echo = echoed(context, first);
  cw_deck *second = parsed(context, echo);
  expect_equal(first, second);
  char *again = echoed(context, second);
  ck_assert_str_eq(echo, again);
  free(text);
  free(echo);
  free(again);
  cw_deck_destroy(first);
  cw_deck_destroy(second);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_echo_names_every_key) {
  cw_context *context = case_context();
  cw_deck *deck = parsed(context, valid_deck);
  char *echo = echoed(context, deck), line[128];
  for (const cw_deck_key *key = cw_deck_keys; key->section; key++) {
    if (!cw_deck_key_applies(deck, key))
      continue;
    snprintf(line, sizeof line, "\n%s = ", key->name);
    ck_assert_msg(strstr(echo, line) != NULL, "%s.%s", key->section, key->name);
    ck_assert_msg(strstr(echo, key->text) != NULL, "%s.%s", key->section, key->name);
  }
  free(echo);
  cw_deck_destroy(deck);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_nearest_name) {
  static const char *const names[] = {"runtime", "name", "engine", "CFL",
                                      "spatial_sorting_interval"};
  ck_assert_str_eq(cw_deck_nearest("runtmie", names, 5), "runtime");
  ck_assert_str_eq(cw_deck_nearest("cfl", names, 5), "CFL");
  ck_assert_str_eq(cw_deck_nearest("nmae", names, 5), "name");
  ck_assert_str_eq(cw_deck_nearest("sorting_interval", names, 5) ? "near" : "far", "far");
  ck_assert_str_eq(cw_deck_nearest("spatial_sort_interval", names, 5), "spatial_sorting_interval");
  ck_assert_ptr_null(cw_deck_nearest("zzz", names, 5));
  ck_assert_ptr_null(cw_deck_nearest("", names, 5));
  ck_assert_ptr_null(cw_deck_nearest("name", names, 0));
  char *endless = calloc(1, 100000);
  memset(endless, 'n', 99999);
  ck_assert_ptr_null(cw_deck_nearest(endless, names, 5));
  free(endless);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("deck read");
  TCase *tests = tcase_create("deck read");
  tcase_add_test(tests, test_values_reach_their_members);
  tcase_add_test(tests, test_defaults_are_the_documented_ones);
  tcase_add_test(tests, test_derived_scales);
  tcase_add_test(tests, test_a_whole_number_of_steps_is_not_rounded_up);
  tcase_add_test(tests, test_overrides_replace_and_add);
  tcase_add_test(tests, test_wrong_override_is_named);
  tcase_add_test(tests, test_echo_reads_back_as_the_same_deck);
  tcase_add_test(tests, test_echo_names_every_key);
  tcase_add_test(tests, test_nearest_name);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
