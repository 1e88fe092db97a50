/* Every way to write a deck wrongly is told with its line, its column and what was expected. */
#include <sys/stat.h>
#include <unistd.h>

#include "deck_case.h"

typedef struct broken {
  const char *old, *new; /* what is changed in the valid deck */
  int line, column;
  const char *phrase; /* must be part of the message */
} broken;

static const broken cases[] = {
    /* not TOML */
    {"name = \"two\"", "name = \"two", 2, 12, "not TOML"},
    {"runtime = 10", "runtime = ", 4, 11, "not TOML"},
    {"[grid]", "[grid", 6, 6, "not TOML"},
    {"runtime = 10", "runtime = 10\nruntime = 11", 5, 11, "redefine"},
    {"runtime = 10", "runtime = 10\xff", 4, 13, "byte 0xff"},
    {"runtime = 10", "# \xc3\xa9\nruntime = 10 \xe2\x82 ", 5, 14, "byte 0xe2"},
    {"runtime = 10", "# \xed\xa0\x80", 4, 3, "byte 0xed"},
    {"name = \"two\"", "name = \"\xc3\xa9\xff\"", 2, 10, "byte 0xff"},
    {"runtime = 10", "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = 1", 4,
     64, "too many parts"},
    {"runtime = 10", "\xc3\xa9\xc3\xa9 = 10", 4, 1, "beyond ASCII; expected it in quotes"},
    {"name = \"two\"", "name = \"\xc3\xa9\" \xc2\xa0", 2, 12,
     "beyond ASCII; expected it in quotes"},
    {"name = \"two\"", "name = \"\"\"a\\\n\xc3\xa9\"\"\"", 3, 1, "after a backslash"},
    {"name = \"two\"", "x = ]", 2, 5, "not TOML"},
    /* unknown names */
    {"runtime = 10", "runtme = 10", 4, 1, "such as 'runtime'"},
    {"runtime = 10", "runtime = 10\nCFL = 0.5", 5, 1, "expected it in [algorithms.timestep]"},
    {"runtime = 10", "runtime = 10\nxyzzyplugh = 0.5", 5, 1, "unknown key 'xyzzyplugh'"},
    {"[scales]", "[scale]", 14, 2, "such as 'scales'"},
    {"[grid.metric]", "[grid.metrix]", 9, 7, "unknown table 'metrix' in [grid]"},
    {"label = ", "Label = ", 24, 1, "such as 'label'"},
    {"CFL = 0.5", "cfl = 0.5", 18, 1, "such as 'CFL'"},
    {"[[particles.species]]\nlabel", "[[particles.specie]]\nlabel", 23, 13, "'species'"},
    /* types */
    {"runtime = 10", "runtime = \"abc\"", 4, 11, "found string \"abc\"; expected number"},
    {"runtime = 10", "runtime = nan", 4, 11, "expected a finite number"},
    {"runtime = 10", "runtime = inf", 4, 11, "found float inf"},
    {"runtime = 10", "runtime = true", 4, 11, "found true"},
    {"runtime = 10", "runtime = 2020-01-01", 4, 11, "found a date"},
    {"runtime = 10", "seed = 1.0\nruntime = 10", 4, 8, "found float 1.0; expected integer"},
    {"name = \"two\"", "name = 2", 2, 8, "found integer 2; expected string"},
    {"name = \"two\"", "name = \"a/b\"", 2, 8, "without /"},
    {"name = \"two\"", "name = \"\"", 2, 8, "1 to 63 bytes"},
    {"label = \"e-\"", "label = \"e,x\"", 24, 9, "letters, digits"},
    {"label = \"e-\"", "label = \"e\\u0000\"", 24, 9, "letters, digits"},
    {"tiled_deposit_tile_size = 4", "enable = 1", 20, 10,
     "found integer 1; expected true or false"},
    {"[scales]", "[[scales]]", 14, 1, "expected a table, [scales]"},
    {"[particles]\nppc0 = 16\n[[particles.species]]\nlabel = \"e-\"\nmass = 1\ncharge = -1.0\n"
     "[[particles.species]]",
     "[particles]\nppc0 = 16\n[particles.species]", 23, 1, "expected [[particles.species]]"},
    {"runtime = 10", "runtime = 10\n[checkpoint]\nwalltime = \"1:60:00\"", 6, 12,
     "found string \"1:60:00\"; expected string \"HH:MM:SS\""},
    {"runtime = 10", "runtime = 10\n[checkpoint]\nwalltime = 3600", 6, 12, "HH:MM:SS"},
    {"runtime = 10", "runtime = 10\n[checkpoint]\nwrite_path = \"a\\u0000b\"", 6, 14,
     "without control characters"},
    {"runtime = 10", "runtime = 10\n[checkpoint]\nwrite_path = true", 6, 14, "path of at most"},
    {"runtime = 10", "runtime = 10\n[checkpoint]\nkeep = -2", 6, 8, "expected integer >= -1"},
    /* ranges and choices */
    {"runtime = 10", "runtime = -1", 4, 11, "found integer -1; expected number >= 0"},
    {"runtime = 10", "runtime = 1e300", 4, 11, "at most 1e15 steps"},
    {"ppc0 = 16", "ppc0 = -2.0", 22, 8, "expected number > 0"},
    {"ppc0 = 16", "ppc0 = 0", 22, 8, "expected number > 0"},
    {"CFL = 0.5", "CFL = 1.5", 18, 7, "expected number > 0 and <= 1"},
    {"CFL = 0.5", "CFL = 0.5\ncorrection = 2.5", 19, 14, "at most 1"},
    {"tiled_deposit_tile_size = 4", "tiled_deposit_tile_size = 5", 20, 27,
     "expected integer out of 4, 6, 8, 10, 12, 14, 16"},
    {"tiled_deposit_tile_size = 4", "shape_order = 12", 20, 15, ">= 0 and <= 11"},
    {"tiled_deposit_tile_size = 4", "tiled_deposit_drift = 5", 20, 23, ">= 0 and <= 4"},
    {"engine = \"srpic\"", "engine = \"srpci\"", 3, 10, "did you mean \"srpic\"?"},
    {"precision = \"single\"", "precision = \"half\"", 5, 13, "single, double"},
    {"\"minkowski\"", "\"kerr_schild\"", 10, 10, "expected string out of minkowski"},
    {"charge = -1.0", "charge = -1.0\npusher = \"Bors\"", 27, 10, "did you mean \"Boris\"?"},
    {"charge = -1.0", "charge = -1.0\nmaxnpart = 1.5", 27, 12, "expected integer"},
    {"[\"E\", \"N\"]", "[\"E\", \"E\"]", 35, 20, "found E twice"},
    {"[\"E\", \"N\"]", "[\"Tij\", \"Txy\"]", 35, 22, "found Txy_e_minus twice"},
    {"[\"E\", \"N\"]", "[\"N_1\", \"N\"]", 35, 22, "found density_e_minus twice"},
    {"[\"E\", \"N\"]", "[\"E\", \"n\"]", 35, 20, "did you mean \"N\"?"},
    {"[\"E\", \"N\"]", "[\"E\", \"T1i\"]", 35, 20, "found \"T1i\"; expected E, B, J"},
    {"[\"E\", \"N\"]", "[\"E\", \"B_1\"]", 35, 20, "found \"B_1\""},
    {"[\"E\", \"N\"]", "[\"E\", \"N_3\"]", 35, 20, "or all: there are e-, s2"},
    {"[\"E\", \"N\"]", "[\"E\", \"N_e-_e-\"]", 35, 20, "each once"},
    {"[\"E\", \"N\"]", "[\"E\", 0.5]", 35, 20, "found float 0.5; expected string"},
    {"[\"E\", \"N\"]", "\"E\"", 35, 14, "a list of at most 32 strings"},
    {"quantities = ", "downsampling = 3\nquantities = ", 35, 16,
     "found 3 along axis 1 of 32 cells; expected a divisor"},
    {"quantities = ", "downsampling = [2, 0]\nquantities = ", 35, 20, "integer >= 1"},
    {"quantities = ", "downsampling = [2]\nquantities = ", 35, 16, "a list of 2, one integer"},
    {"quantities = ", "interval = -1\nquantities = ", 35, 12, ">= 0"},
    {"[output.fields]", "[output.particles]\nstride = 0\n[output.fields]", 35, 10, ">= 1"},
    {"[output.fields]", "[output.particles]\nspecies = [\"ions\"]\n[output.fields]", 35, 12,
     "found \"ions\"; expected labels or numbers of species, each once: there are e-, s2"},
    {"[output.fields]", "[output.particles]\nspecies = [\"e-_s2\"]\n[output.fields]", 35, 12,
     "each once: there are e-, s2"},
    {"[output.fields]", "[output.particles]\nselect = 3\n[output.fields]", 35, 10,
     "expression of at most 255 bytes"},
    {"[output.fields]", "[output.spectra]\ne_min = 0\n[output.fields]", 35, 9,
     "expected number > 0"},
    {"[output.fields]", "[output.spectra]\ne_max = 1e-4\n[output.fields]", 35, 9,
     "found 0.0001 with e_min = 0.001; expected more"},
    {"[output.fields]", "[output.spectra]\nspecies = [\"e-\", 1]\n[output.fields]", 35, 18,
     "each once: there are e-, s2"},
    {"[output.fields]", "[output.spectra]\nspatial_bins = [65536, 65536]\n[output.fields]", 35, 16,
     "at most 1e8"},
    {"[output.fields]", "[output.phase_space]\nmaps = [\"x:vx\"]\n[output.fields]", 35, 9,
     "two different ones of x, y, ux"},
    {"[output.fields]", "[output.phase_space]\nmaps = [\"ux:ux\"]\n[output.fields]", 35, 9,
     "two different ones"},
    {"[output.fields]", "[output.phase_space]\nmaps = [\"x:z\"]\n[output.fields]", 35, 9,
     "two different ones"},
    {"[output.fields]", "[output.phase_space]\nmaps = [\"x:ux[2,1]\"]\n[output.fields]", 35, 9,
     "[low,high,bins]"},
    {"[output.fields]", "[output.phase_space]\nmaps = [\"x:ux[0,1,2.5]\"]\n[output.fields]", 35, 9,
     "[low,high,bins]"},
    {"[output.fields]", "[output.phase_space]\nmaps = [\"x:ux\", \"x:ux[0,1]\"]\n[output.fields]",
     35, 17, "found x:ux twice"},
    {"[output.fields]", "[output]\nlength_SI = 0\n[output.fields]", 35, 13, "number > 0"},
    {"[output.fields]", "[output]\nformat = \"adios2\"\n[output.fields]", 35, 10, "hdf5"},
    {"[output.fields]", "[output.stats]\ninterval = 0\n[output.fields]", 35, 12, ">= 1"},
    /* lists */
    {"[32, 16]", "[32, 16, 8, 4]", 7, 14, "found a list of 4; expected a list of 1, 2 or 3"},
    {"[32, 16]", "[]", 7, 14, "found a list of 0"},
    {"[32, 16]", "32", 7, 14, "found integer 32; expected a list"},
    {"[32, 16]", "[32, 0]", 7, 19, "expected integer >= 1"},
    {"[32, 16]", "[32.0, 16]", 7, 15, "found float 32.0"},
    {"[32, 16]", "[1073741824, 1073741824]", 7, 14, "at most 2^40"},
    {"[[-1.6, 1.6], [0, 1.6]]", "[[-1.6, 1.6]]", 8, 10, "found a list of 1; expected a list of 2"},
    {"[0, 1.6]]", "[1.6, 0]]", 8, 24, "expected the lower edge first"},
    {"[0, 1.6]]", "[0, 1.6, 2]]", 8, 24, "expected a list of two numbers"},
    {"[0, 1.6]]", "[0, \"a\"]]", 8, 28, "found string \"a\"; expected number"},
    {"[0, 1.6]]", "[0, 1.7]]", 8, 10, "extent = [[-1.6, 1.6], [0.0, 1.6]]"},
    {"[\"conductor\", \"ABSORB\"]", "[\"HORIZON\"]", 12, 26, "PERIODIC, CONDUCTOR, ABSORB, MATCH"},
    {"[\"conductor\", \"ABSORB\"]", "[]", 12, 25, "one or two"},
    {"[\"conductor\", \"ABSORB\"]", "\"ABSORB\"", 12, 25, "one or two"},
    {"[\"conductor\", \"ABSORB\"]", "[\"PERIODIC\", \"ABSORB\"]", 12, 10, "both or neither"},
    {"[\"conductor\", \"ABSORB\"]", "[\"PERIODIC\"]", 13, 13, "periodic together"},
    {"[grid.metric]", "[grid.boundaries.absorb]\nds = 0.9\n[grid.metric]", 10, 6,
     "shortest box edge"},
    /* species and parameters */
    {"label = \"e-\"", "label = \"s2\"", 27, 1, "label 's2' a second time"},
    {"mass = 1\n", "mass = 0\n", 23, 1, "expected pusher = \"massless\""},
    {"mass = 1\n", "mass = 1\npusher = \"photon\"\n", 23, 1, "expected both to be 0"},
    {"drift = [0.1, 0, 0]", "drift = [0.1, 0, 0, 0]", 33, 9, "1 to 3 numbers"},
    {"drift = [0.1, 0, 0]", "drift = [0.1, nan, 0]", 33, 15, "finite"},
    {"drift = [0.1, 0, 0]", "drift = {x = 1}", 33, 1, "found a table"},
    /* missing keys: at their table, or at the file's start */
    {"runtime = 10\n", "", 1, 1, "found no runtime in [simulation]"},
    {"[scales]\nlarmor0 = 2\nskindepth0 = 0.5\n", "", 1, 1, "found no larmor0 in [scales]"},
    {"mass = 1836.15\n", "", 27, 1, "found no mass in [[particles.species]]"},
    {"problem = \"thermal\"\n", "", 30, 1, "found no problem in [setup]"},
    {"fields = [", "# [", 11, 1, "found no fields in [grid.boundaries]"},
};
enum { CASES = (int)(sizeof cases / sizeof *cases) };

START_TEST(test_fault_is_told_with_its_place) {
  const broken *broken = &cases[_i];
  cw_context *context = case_context();
  char *text = replaced(valid_deck, broken->old, broken->new), place[64];
  cw_deck *deck = (cw_deck *)1;
  cw_status status = cw_deck_parse(context, "t.toml", text, strlen(text), NULL, 0, &deck);
  const char *message = cw_context_message(context);
  ck_assert_msg(status == CW_ERROR_INPUT, "case %d ('%s'): accepted", _i, broken->new);
  ck_assert_ptr_null(deck);
  snprintf(place, sizeof place, "t.toml:%d:%d: ", broken->line, broken->column);
  ck_assert_msg(strncmp(message, place, strlen(place)) == 0, "case %d: expected %s in: %s", _i,
                place, message);
  ck_assert_msg(strstr(message, broken->phrase) != NULL, "case %d: expected '%s' in: %s", _i,
                broken->phrase, message);
  ck_assert_uint_eq(cw_memory_used(context, CW_SPACE_HOST), 0);
  free(text);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_first_fault_in_the_file_is_told) {
  cw_context *context = case_context();
  char *once = replaced(valid_deck, "ppc0 = 16", "ppc0 = -1");
  char *twice = replaced(once, "CFL = 0.5", "CFL = 7");
  cw_deck *deck;
  ck_assert_int_eq(cw_deck_parse(context, "t.toml", twice, strlen(twice), NULL, 0, &deck),
                   CW_ERROR_INPUT);
  ck_assert_int_eq(strncmp(cw_context_message(context), "t.toml:18:7: ", 13), 0);
  free(once);
  free(twice);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_seventeen_species_are_too_many) {
  cw_context *context = case_context();
  char text[4096];
  cw_deck *deck;
  int end = snprintf(text, sizeof text, "%s", valid_deck);
  for (int s = 2; s < 17; s++)
    end += snprintf(text + end, sizeof text - (size_t)end,
                    "[[particles.species]]\nmass = 1\ncharge = 0\n");
  ck_assert_int_eq(cw_deck_parse(context, "t.toml", text, strlen(text), NULL, 0, &deck),
                   CW_ERROR_INPUT);
  ck_assert_msg(strstr(cw_context_message(context), ":78:1: ") &&
                    strstr(cw_context_message(context), "17 species; expected at most 16"),
                "%s", cw_context_message(context));
  text[strlen(text) - strlen("[[particles.species]]\nmass = 1\ncharge = 0\n")] = '\0';
  cw_deck_destroy(parsed(context, text));
  cw_context_destroy(context);
}
END_TEST

static void expect_unreadable(const char *path, const char *phrase) {
  cw_context *context = case_context();
  cw_deck *deck = (cw_deck *)1;
  ck_assert_int_ne(cw_deck_read(context, path, NULL, 0, &deck), CW_OK);
  ck_assert_ptr_null(deck);
  ck_assert_msg(strstr(cw_context_message(context), phrase) != NULL, "%s",
                cw_context_message(context));
  cw_context_destroy(context);
}

START_TEST(test_what_is_no_deck_is_refused) {
  char path[] = "/tmp/cw_deck_XXXXXX";
  int file = mkstemp(path);
  ck_assert_int_ge(file, 0);
  ck_assert_int_eq(write(file,
                         "\x7f"
                         "ELF\0\1\2",
                         7),
                   7);
  expect_unreadable(path, ":1:1: found text that is not TOML: found byte 0x7f");
  ck_assert_int_eq(ftruncate(file, 0), 0);
  expect_unreadable(path, "found no name in [simulation]");
  ck_assert_int_eq(ftruncate(file, 16 * 1024 * 1024 + 1), 0);
  expect_unreadable(path, "at most 16 MB");
  close(file);
  unlink(path);
  expect_unreadable(path, "No such file");
  expect_unreadable("/tmp", "found a directory");
}
END_TEST

int main(void) {
  Suite *suite = suite_create("deck errors");
  TCase *tests = tcase_create("deck errors");
  tcase_add_loop_test(tests, test_fault_is_told_with_its_place, 0, CASES);
  tcase_add_test(tests, test_first_fault_in_the_file_is_told);
  tcase_add_test(tests, test_seventeen_species_are_too_many);
  tcase_add_test(tests, test_what_is_no_deck_is_refused);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
