/* Decks in Entity's form (tests/deck/entity): what means the same is read as it is meant, and every
 * key that means something else is named with its place. */
#include "deck_case.h"

#include <math.h>

/* What was told while a deck was read, a line a message. */
typedef struct told {
  char text[16384];
  size_t used;
} told;

static void listen(void *user, cw_log_level level, const char *message) {
  told *heard = user;
  heard->used += (size_t)snprintf(heard->text + heard->used, sizeof heard->text - heard->used,
                                  "%s %s\n", level == CW_LOG_ERROR ? "error" : "note", message);
  ck_assert_uint_lt(heard->used, sizeof heard->text);
}

/* Reads tests/deck/entity/NAME; what is told of it starts with NAME. */
static cw_status read_entity(const char *name, told *heard, cw_context **context, cw_deck **deck) {
  const cw_context_options options = {.backend = CW_BACKEND_CPU, .log = listen, .log_user = heard};
  char path[1024];
  static char text[16384];
  heard->used = 0;
  ck_assert_int_eq(cw_context_create(&options, context, NULL, 0), CW_OK);
  snprintf(path, sizeof path, "%s/tests/deck/entity/%s", CW_SOURCE_DIR, name);
  FILE *file = fopen(path, "r");
  ck_assert_msg(file != NULL, "no %s", path);
  size_t length = fread(text, 1, sizeof text, file);
  fclose(file);
  return cw_deck_parse(*context, name, text, length, NULL, 0, deck);
}

/* The message of a line that starts with "error PLACE" or "note PLACE" and holds a phrase. */
static void expect_told(const told *heard, const char *start, const char *phrase) {
  const char *line = strstr(heard->text, start);
  ck_assert_msg(line != NULL, "nothing at '%s' in:\n%s", start, heard->text);
  const char *found = strstr(line, phrase);
  ck_assert_msg(found && found < line + strcspn(line, "\n"), "no '%s' at '%s' in:\n%s", phrase,
                start, heard->text);
}

static int lines(const told *heard) {
  int count = 0;
  for (const char *at = heard->text; (at = strchr(at, '\n')) && at < heard->text + heard->used;
       at++)
    count++;
  return count;
}

/* dt = 0.5 * 0.1 / sqrt(2): 0.25 is 7.07 steps of it, and 1.0 is 28.3. */
START_TEST(test_deck_of_beams_is_read_as_it_is_meant) {
  told heard;
  cw_context *context;
  cw_deck *deck;
  cw_status status = read_entity("weibel.toml", &heard, &context, &deck);
  ck_assert_msg(status == CW_OK, "%s", cw_context_message(context));
  ck_assert_int_eq(deck->simulation.engine, CW_ENGINE_SRPIC);
  ck_assert_int_eq(deck->grid.dim, 2);
  ck_assert_int_eq(deck->grid.fields[1][1], CW_FIELD_PERIODIC);
  ck_assert_int_eq((int)deck->output.interval, 8);
  ck_assert_int_eq((int)deck->output.stats_interval, 29);
  ck_assert_int_eq((int)deck->output.fields.interval, 0);
  ck_assert_int_eq((int)deck->particles.species[3].maxnpart, 10000000);
  ck_assert_int_eq(deck->diagnostics.log_level, CW_LOG_INFO);
  ck_assert(deck->checkpoint.walltime == 0);
  expect_told(&heard, "note weibel.toml:9:5: ", "simulation.domain.number: one process");
  expect_told(&heard, "note weibel.toml:20:46: ", "grid.boundaries.fields from axis 3 on");
  expect_told(&heard, "note weibel.toml:76:3: ", "as interval = 8 steps");
  ck_assert_ptr_null(strstr(heard.text, "delta_x")); /* 0 asks for nothing */
  cw_deck_destroy(deck);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_deck_of_two_streams_is_read_as_it_is_meant) {
  told heard;
  cw_context *context;
  cw_deck *deck;
  cw_status status = read_entity("two_stream.toml", &heard, &context, &deck);
  ck_assert_msg(status == CW_OK, "%s", cw_context_message(context));
  ck_assert_str_eq(deck->particles.species[0].label, "s1");
  ck_assert_int_eq(deck->particles.species[0].pusher, CW_PUSHER_BORIS);
  ck_assert_int_eq(deck->particles.species[2].pusher, CW_PUSHER_VAY);
  ck_assert_int_eq((int)deck->output.interval, 50);
  ck_assert_int_eq((int)deck->output.stats_interval, 10);
  ck_assert_ptr_nonnull(cw_deck_setup_entry(deck, "species", "s4", "velocity"));
  ck_assert_msg(lines(&heard) == 3, "%s", heard.text); /* qsph_r0, pusher_niter, blocking_timers */
  cw_deck_destroy(deck);
  cw_context_destroy(context);
}
END_TEST

/* u = 0.75 is v = 0.6; kT in m0 c^2 is a quarter of that in the ions' own m c^2, whose mass is 4. */
START_TEST(test_their_streaming_is_ours_by_expressions) {
  static const struct {
    const char *species, *key;
    double value;
    int component; /* 0: a number */
  } expected[] = {{"e-_p", "density", 0.25, 0},       {"p+_p", "density", 0.25, 0},
                  {"e-_b", "density", 0.75, 0},       {"p+_b", "density", 0.75, 0},
                  {"e-_p", "velocity", 0.6, 3},       {"p+_b", "velocity", -0.6, 3},
                  {"e-_p", "velocity", 0, 1},         {"e-_b", "temperature", 1e-4, 0},
                  {"p+_p", "temperature", 2.5e-5, 0}, {"p+_b", "temperature", 1e-4, 0}};
  told heard;
  cw_context *context;
  cw_deck *deck;
  cw_status status = read_entity("streaming.toml", &heard, &context, &deck);
  ck_assert_msg(status == CW_OK, "%s", cw_context_message(context));
  ck_assert_str_eq(deck->setup.problem, "expressions");
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
    const cw_deck_parameter *found =
        cw_deck_setup_entry(deck, "species", expected[k].species, expected[k].key);
    ck_assert_msg(found != NULL, "no %s of %s", expected[k].key, expected[k].species);
    const double value = found->number[expected[k].component ? expected[k].component - 1 : 0];
    ck_assert_msg(fabs(value - expected[k].value) <= 1e-15, "%s of %s: %.17g", expected[k].key,
                  expected[k].species, value);
  }
  const cw_deck_parameter *B = cw_deck_setup_parameter(deck, "B");
  ck_assert(B && fabs(B->number[0]) < 1e-15 && B->number[1] == 0 && fabs(B->number[2] - 2) < 1e-15);
  ck_assert_msg(lines(&heard) == 6, "%s", heard.text);
  expect_told(&heard, "note streaming.toml:50:3: ", "drifts_in_z as part of");
  cw_deck_destroy(deck);
  ck_assert_uint_eq(cw_memory_used(context, CW_SPACE_HOST), 0);
  cw_context_destroy(context);
}
END_TEST

/* Lists that are not as long as the species are many: nothing is guessed, and each is named. */
START_TEST(test_streaming_that_does_not_fit_is_named) {
  cw_context *context = case_context();
  char *text = replaced(valid_deck, "problem = \"thermal\"\ntemperature = 1e-3\ndrift",
                        "drifts_in_x = [0.1, 0.1, 0.1]\ndensities = [1.0]\nBmag");
  cw_deck *deck;
  ck_assert_int_eq(cw_deck_parse(context, "t.toml", text, strlen(text), NULL, 0, &deck),
                   CW_ERROR_INPUT);
  const char *message = cw_context_message(context);
  ck_assert_msg(strstr(message, "t.toml:31:1: found 3 keys of Entity's") != NULL, "%s", message);
  free(text);
  cw_context_destroy(context);
}
END_TEST

/* A key of theirs and what is told of it. */
typedef struct named {
  const char *place, *phrase;
} named;

static void expect_each_named(const char *name, int line, int column, const named *keys,
                              int count) {
  told heard;
  cw_context *context;
  cw_deck *deck = (cw_deck *)1;
  char place[80], number[80];
  ck_assert_int_eq(read_entity(name, &heard, &context, &deck), CW_ERROR_INPUT);
  ck_assert_ptr_null(deck);
  for (int k = 0; k < count; k++) {
    snprintf(place, sizeof place, "error %s:%s: ", name, keys[k].place);
    expect_told(&heard, place, keys[k].phrase);
  }
  ck_assert_msg(lines(&heard) == count, "%d told, expected %d:\n%s", lines(&heard), count,
                heard.text);
  snprintf(place, sizeof place, "%s:%d:%d: ", name, line, column);
  snprintf(number, sizeof number, "found %d keys of Entity's", count);
  const char *message = cw_context_message(context);
  ck_assert_msg(strncmp(message, place, strlen(place)) == 0, "not at %s: %s", place, message);
  ck_assert_msg(strstr(message, number) || strstr(message, "FIXED"), "%s", message);
  cw_context_destroy(context);
}

START_TEST(test_each_parameter_of_their_sheet_is_named) {
  static const named keys[] = {{"38:3", "problem = \"reconnection\" and B"},
                               {"39:3", "guide_field"},
                               {"40:3", "background_temperature"},
                               {"41:3", "half_width"},
                               {"42:3", "overdensity"},
                               {"49:5", "output.fields.custom"}};
  expect_each_named("reconnection.toml", 38, 3, keys, 6);
}
END_TEST

START_TEST(test_each_key_of_their_shock_is_named) {
  static const named keys[] = {{"23:3", "algorithms.fieldsolver.delta_x"},
                               {"39:5", "no photons are emitted"},
                               {"42:3", "species.LABEL.velocity"},
                               {"43:3", "temperature_ratio"},
                               {"44:3", "filling_fraction"}};
  expect_each_named("shock.toml", 15, 32, keys, 5);
}
END_TEST

/* What a word of theirs means, and what stands for it here. */
START_TEST(test_words_of_theirs_are_explained) {
  static const struct {
    const char *old, *new, *phrase;
  } words[] = {{"\"srpic\"", "\"GRPIC\"", "general relativity is not here"},
               {"\"minkowski\"", "\"Kerr_Schild\"", "only flat, Cartesian space"},
               {"\"conductor\"", "\"ATMOSPHERE\"", "no side has an atmosphere"},
               {"[output.fields]", "[output]\nformat = \"disabled\"\n[output.fields]",
                "interval = 0 writes no files"}};
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
    cw_context *context = case_context();
    char *text = replaced(valid_deck, words[k].old, words[k].new);
    cw_deck *deck;
    ck_assert_int_eq(cw_deck_parse(context, "t.toml", text, strlen(text), NULL, 0, &deck),
                     CW_ERROR_INPUT);
    ck_assert_msg(strstr(cw_context_message(context), words[k].phrase) != NULL, "%s",
                  cw_context_message(context));
    free(text);
    cw_context_destroy(context);
  }
}
END_TEST

/* One key alone is told as any other fault is: in one message, at its place. */
START_TEST(test_one_key_of_theirs_is_told_once) {
  told heard = {"", 0};
  const cw_context_options options = {.backend = CW_BACKEND_CPU, .log = listen, .log_user = &heard};
  cw_context *context;
  cw_deck *deck;
  ck_assert_int_eq(cw_context_create(&options, &context, NULL, 0), CW_OK);
  char *text =
      replaced(valid_deck, "CFL = 0.5\n", "CFL = 0.5\n[algorithms.fieldsolver]\ndelta_x = 0.1\n");
  ck_assert_int_eq(cw_deck_parse(context, "t.toml", text, strlen(text), NULL, 0, &deck),
                   CW_ERROR_INPUT);
  ck_assert_str_eq(cw_context_message(context),
                   "t.toml:20:1: found Entity's key algorithms.fieldsolver.delta_x: the field "
                   "solver is Yee's, without further coefficients; expected 0, or nothing");
  ck_assert_uint_eq(heard.used, 0);
  free(text);
  cw_context_destroy(context);
}
END_TEST

/* A state's time step is not known when the deck is read: its intervals are steps. */
START_TEST(test_time_between_outputs_of_a_state_is_refused) {
  cw_context *context = case_context();
  static const char text[] =
      "[simulation]\nname = \"s\"\nengine = \"srpic\"\n[setup]\n"
      "problem = \"state\"\nfile = \"c.h5\"\n[output]\ninterval_time = 1.0\n";
  cw_deck *deck;
  ck_assert_int_eq(cw_deck_parse(context, "t.toml", text, strlen(text), NULL, 0, &deck),
                   CW_ERROR_INPUT);
  ck_assert_msg(strstr(cw_context_message(context), "t.toml:8:1: output.interval_time: "), "%s",
                cw_context_message(context));
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("decks of Entity");
  TCase *tests = tcase_create("decks of Entity");
  tcase_add_test(tests, test_deck_of_beams_is_read_as_it_is_meant);
  tcase_add_test(tests, test_deck_of_two_streams_is_read_as_it_is_meant);
  tcase_add_test(tests, test_their_streaming_is_ours_by_expressions);
  tcase_add_test(tests, test_streaming_that_does_not_fit_is_named);
  tcase_add_test(tests, test_each_parameter_of_their_sheet_is_named);
  tcase_add_test(tests, test_each_key_of_their_shock_is_named);
  tcase_add_test(tests, test_words_of_theirs_are_explained);
  tcase_add_test(tests, test_one_key_of_theirs_is_told_once);
  tcase_add_test(tests, test_time_between_outputs_of_a_state_is_refused);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
