/* Decks and state files that are wrong, and what is said about them. */
#include <stdlib.h>
#include <unistd.h>

#include "ecsim/ecsim_run.h"

#define GOLDEN CW_SOURCE_DIR "/tests/golden/ecsim/ecsim_dh_small.h5"

#define STATE(rest)                                                                                \
  "[simulation]\nname = \"state\"\nengine = \"ecsim\"\n[setup]\nproblem = \"state\"\nfile = "      \
  "\"" GOLDEN "\"\n" rest

#define THERMAL(simulation, sides, rest)                                                           \
  "[simulation]\nname = \"thermal\"\nengine = \"ecsim\"\nruntime = 1.0\n" simulation               \
  "[grid]\nresolution = [8]\nextent = [[0.0, 8.0]]\n[grid.metric]\nmetric = \"minkowski\"\n" sides \
  "[scales]\nlarmor0 = 1.0\nskindepth0 = 1.0\n[particles]\nppc0 = 4.0\n" ECSIM_SPECIES("e", "1.0", \
                                                                                       "-1.0")     \
      ECSIM_SPECIES("p", "1.0", "1.0") "[setup]\nproblem = \"thermal\"\ntemperature = 0.01\n" rest

#define WALLS(fields, particles)                                                                   \
  "[grid.boundaries]\nfields = [[" fields "]]\nparticles = [[" particles "]]\n"

static void expect_refusal(const char *text, const char *first, const char *second) {
  cw_context *context;
  cw_deck *deck = NULL;
  ck_assert_int_eq(cw_context_create(NULL, &context, NULL, 0), CW_OK);
  cw_status status = cw_deck_parse(context, "deck.toml", text, strlen(text), NULL, 0, &deck);
  if (status == CW_OK)
    status = cw_setup_check(context, deck);
  const char *message = cw_context_message(context);
  ck_assert_msg(status == CW_ERROR_INPUT, "accepted; expected an error with '%s'", first);
  ck_assert_msg(strstr(message, first) && strstr(message, second), "'%s' lacks '%s' or '%s'",
                message, first, second);
  cw_deck_destroy(deck);
  cw_context_destroy(context);
}

START_TEST(test_wrong_decks_are_refused) {
  static const struct {
    const char *text, *first, *second;
  } cases[] = {
      {THERMAL("", SIDES_1D, "[algorithms.ecsim]\ntheta = 0.4\n"), "theta", "0.4"},
      {THERMAL("", SIDES_1D, "[algorithms.ecsim]\ntheta = 1.1\n"), "theta", "1.1"},
      {THERMAL("", SIDES_1D, "[algorithms.ecsim]\npipeline = \"matrx\"\n"), "pipeline", "matrix"},
      {THERMAL("", SIDES_1D, "[algorithms.deposit]\nshape_order = 3\n"), "shape_order", "TSC"},
      {THERMAL("precision = \"single\"\n", SIDES_1D, ""), "precision", "double"},
      {THERMAL("", WALLS("\"ABSORB\"", "\"ABSORB\""), ""), "axis 1", "CONDUCTOR with REFLECT"},
      {THERMAL("", WALLS("\"CONDUCTOR\"", "\"ABSORB\""), ""), "axis 1", "CONDUCTOR with REFLECT"},
      {THERMAL("", WALLS("\"CONDUCTOR\", \"ABSORB\"", "\"REFLECT\""), ""), "axis 1",
       "at both ends"},
      {THERMAL("", SIDES_1D, "[algorithms]\ncurrent_filters = 2\n"), "current_filters",
       "without effect"},
      {THERMAL("", SIDES_1D, "[algorithms.timestep]\ndt = 1.0\nCFL = 0.5\n"), "CFL",
       "without effect"},
      {THERMAL("", SIDES_1D, "[[particles.species]]\nmass = 0.0\ncharge = 0.0\n"), "mass 0",
       "ecsim"},
      {STATE("[grid]\nresolution = [12, 24, 7]\n"), "7 cells", "6 cells"},
      {STATE("[algorithms.timestep]\ndt = 0.2\n"), "0.2", "0.25"},
      {STATE("[algorithms.ecsim]\ntheta = 0.6\n"), "0.59999999999999998", "0.5"},
      {STATE("[algorithms.ecsim]\nsmoothing_passes = 1\n"), "found 1", "has 0"},
      {STATE("[algorithms.deposit]\nshape_order = 2\n"), "found 2", "has 1"},
      {STATE("[scales]\nunits = \"heaviside-lorentz\"\n"), "heaviside-lorentz", "Gaussian"},
      {STATE("[grid.boundaries]\nfields = [[\"CONDUCTOR\"], [\"PERIODIC\"], [\"PERIODIC\"]]\n"
             "particles = [[\"REFLECT\"], [\"PERIODIC\"], [\"PERIODIC\"]]\n"),
       "walls along axis 1", "state file"},
      {STATE("[[particles.species]]\nmass = 1.0\ncharge = 1.0\n"), "1 species", "has 4"},
  };
  expect_refusal(cases[_i].text, cases[_i].first, cases[_i].second);
}
END_TEST

/* A key of this engine has no effect in the other. */
START_TEST(test_keys_of_ecsim_are_refused_elsewhere) {
  char text[2048];
  snprintf(text, sizeof text, "%s", THERMAL("", SIDES_1D, "[algorithms.ecsim]\ntheta = 0.5\n"));
  char *engine = strstr(text, "ecsim");
  memcpy(engine, "srpic", 5);
  expect_refusal(text, "theta", "engine ecsim");
}
END_TEST

START_TEST(test_file_that_is_no_state_is_refused) {
  expect_refusal("[simulation]\nname = \"a\"\nengine = \"ecsim\"\n[setup]\nproblem = \"state\"\n"
                 "file = \"/nonexistent.h5\"\n",
                 "/nonexistent.h5", "cannot be read");
  expect_refusal("[simulation]\nname = \"a\"\nengine = \"ecsim\"\n[setup]\nproblem = \"state\"\n"
                 "file = \"" CW_SOURCE_DIR "/tests/golden/ecsim/README.md\"\n",
                 "README.md", "not HDF5");
}
END_TEST

/* A format that only some processors have, and that only one pipeline takes. */
START_TEST(test_bf16_needs_amx_and_the_pipeline_of_products) {
  static const struct {
    const char *pipeline, *part;
    cw_isa isa;
  } wrong[] = {{"sorted", "AMX: the pipeline is not \"matrix\"", CW_ISA_AUTO},
               {"matrix", "needs pipeline \"matrix\" on a CPU with AMX: ", CW_ISA_BASE}};
  for (int k = 0; k < 2; k++) {
    char text[4096];
    snprintf(text, sizeof text, "%spipeline = \"%s\"\n",
             THERMAL("", SIDES_1D, "[algorithms.ecsim]\nmatrix_format = \"bf16x6\"\n"),
             wrong[k].pipeline);
    const cw_context_options cpu = {.backend = CW_BACKEND_CPU, .threads = 1, .isa = wrong[k].isa};
    cw_context *context;
    cw_deck *deck = NULL;
    cw_engine *engine = NULL;
    ck_assert_int_eq(cw_context_create(&cpu, &context, NULL, 0), CW_OK);
    CW_CHECK_OK(context, cw_deck_parse(context, "deck.toml", text, strlen(text), NULL, 0, &deck));
    CW_CHECK_OK(context, cw_setup_check(context, deck));
    ck_assert_int_eq(cw_engine_create(context, deck, &engine), CW_ERROR_INPUT);
    ck_assert_msg(strstr(cw_context_message(context), wrong[k].part) != NULL, "%s",
                  cw_context_message(context));
    ck_assert_ptr_null(engine);
    cw_deck_destroy(deck);
    cw_context_destroy(context);
  }
}
END_TEST

/* A format that only a device has. */
START_TEST(test_tf32_on_the_cpu_is_refused) {
  static const char text[] =
      THERMAL("", SIDES_1D, "[algorithms.ecsim]\nmatrix_format = \"tf32\"\n");
  const cw_context_options cpu = {.backend = CW_BACKEND_CPU, .threads = 1};
  cw_context *context;
  cw_deck *deck = NULL;
  cw_engine *engine = NULL;
  ck_assert_int_eq(cw_context_create(&cpu, &context, NULL, 0), CW_OK);
  CW_CHECK_OK(context, cw_deck_parse(context, "deck.toml", text, strlen(text), NULL, 0, &deck));
  CW_CHECK_OK(context, cw_setup_check(context, deck));
  ck_assert_int_eq(cw_engine_create(context, deck, &engine), CW_ERROR_INPUT);
  ck_assert_msg(strstr(cw_context_message(context), "matrix_format: found tf32; expected fp64"),
                "%s", cw_context_message(context));
  ck_assert_ptr_null(engine);
  cw_deck_destroy(deck);
  cw_context_destroy(context);
}
END_TEST

/* The resolved deck of a state gives what the file gives, and is accepted with it. */
START_TEST(test_resolved_deck_of_a_state_runs_again) {
  static const char text[] = STATE("");
  char *echo = NULL, hex[2][65];
  size_t size;
  engine_fixture f = engine_from_text(text, 2);
  FILE *stream = open_memstream(&echo, &size);
  CW_CHECK_OK(f.context, cw_deck_echo(f.context, f.deck, stream));
  fclose(stream);
  engine_steps(&f, 1);
  CW_CHECK_OK(f.context, cw_engine_sha256(f.engine, hex[0]));
  engine_clear(&f);
  f = engine_from_text(echo, 2);
  engine_steps(&f, 1);
  CW_CHECK_OK(f.context, cw_engine_sha256(f.engine, hex[1]));
  engine_clear(&f);
  ck_assert_str_eq(hex[0], hex[1]);
  free(echo);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("ecsim input");
  TCase *tests = tcase_create("decks and states");
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, test_wrong_decks_are_refused, 0, 19);
  tcase_add_test(tests, test_keys_of_ecsim_are_refused_elsewhere);
  tcase_add_test(tests, test_tf32_on_the_cpu_is_refused);
  tcase_add_test(tests, test_bf16_needs_amx_and_the_pipeline_of_products);
  tcase_add_test(tests, test_file_that_is_no_state_is_refused);
  tcase_add_test(tests, test_resolved_deck_of_a_state_runs_again);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
