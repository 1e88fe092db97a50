/* Every way to write sources, sides, window and antenna wrongly is told at its place. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "setup/setup.h"

static const char valid[] =
    "[simulation]\nname = \"s\"\nengine = \"srpic\"\nruntime = 10.0\n"
    "[grid]\nresolution = [32, 16]\nextent = [[0.0, 6.4], [0.0, 3.2]]\nmetric.metric = "
    "\"minkowski\"\n"
    "boundaries.fields = [[\"CONDUCTOR\", \"MATCH\"], [\"PERIODIC\"]]\n"
    "boundaries.particles = [[\"ABSORB\", \"ABSORB\"], [\"PERIODIC\"]]\n"
    "boundaries.match.ds = 0.8\n"
    "[scales]\nlarmor0 = 1.0\nskindepth0 = 1.0\n[particles]\nppc0 = 4.0\n"
    "[[particles.species]]\nlabel = \"e\"\nmass = 1.0\ncharge = -1.0\n"
    "[[particles.species]]\nlabel = \"p\"\nmass = 1.0\ncharge = 1.0\n"
    "[[particles.species]]\nlabel = \"ion\"\nmass = 4.0\ncharge = 2.0\n"
    "[[particles.species]]\nlabel = \"n\"\nmass = 1.0\ncharge = 0.0\n"
    "[[particles.species]]\nlabel = \"anti\"\nmass = 4.0\ncharge = -2.0\n"
    "[setup]\nproblem = \"thermal\"\ntemperature = 0.1\n"
    "match_B = [0, 0, \"1 + 0.1 * t\"]\n"
    "[setup.species.e]\nforce = [\"-x\", 0, 0]\n"
    "[setup.injectors.plane]\nkind = \"moving\"\nside = \"x+\"\nspecies = [\"e\", \"p\"]\n"
    "position = 3.0\nspeed = 1.0\nvelocity = [\"-0.5\", 0, 0]\ndensity = \"0.5 + 0.1 * t\"\n"
    "[setup.injectors.left]\nkind = \"reservoir\"\nside = \"x-\"\nspecies = [\"p\", \"e\"]\n"
    "temperature = 0.2\nstart = 1.0\nend = 2.0\n"
    "[setup.injectors.middle]\nkind = \"replenish\"\nspecies = [\"e\", \"p\"]\n"
    "lower = [1.0, 0.0]\nupper = [2.0, 3.2]\ninterval = 5\n";

/* '@' stands before the character that the message must point at. */
typedef struct broken {
  const char *old, *new, *message; /* the whole message behind the place */
} broken;

#define PLANE "[setup.injectors.plane]\n"
#define ANTENNA(text)                                                                              \
  {                                                                                                \
    "[setup.species.e]\n", "[setup.antenna]\n" text "[setup.species.e]\n",

static const broken cases[] =
    {
        /* injectors */
        {"kind = \"moving\"\n", "", NULL},
        {"\"moving\"", "@\"movign\"",
         "setup.injectors.plane.kind: found \"movign\"; expected \"moving\", \"reservoir\" or "
         "\"replenish\" (did you mean \"moving\"?)"},
        {"kind = \"moving\"", "kind = 1", NULL},
        {"species = [\"e\", \"p\"]\nposition", "position", NULL},
        {"[\"e\", \"p\"]\nposition", "[\"e\", @\"pp\"]\nposition",
         "setup.injectors.plane.species: found 'pp', which is no species' label; did you mean "
         "'p'?"},
        {"[\"e\", \"p\"]\nposition", "[\"e\", @\"e\"]\nposition",
         "setup.injectors.plane.species: found 'e' a second time; expected each species once"},
        {"[\"e\", \"p\"]\nposition", "[@\"e\", \"ion\"]\nposition",
         "setup.injectors.plane.species: found charges that sum to 1; expected 0, or each "
         "injection "
         "breaks Gauss's law"},
        {"[\"e\", \"p\"]\nposition", "[@\"e\"]\nposition",
         "setup.injectors.plane.species: found charges that sum to -1; expected 0, or each "
         "injection "
         "breaks Gauss's law"},
        {"side = \"x+\"\n", "", NULL},
        {"side = \"x+\"", "side = @\"z+\"",
         "setup.injectors.plane.side: found \"z+\"; expected x, y or z, as far as the grid has "
         "axes, "
         "with - or +"},
        {"side = \"x+\"", "side = @\"x\"",
         "setup.injectors.plane.side: found \"x\"; expected x, y or z, as far as the grid has "
         "axes, "
         "with - or +"},
        {"side = \"x+\"", "side = @\"y+\"",
         "setup.injectors.plane.side: found \"y+\", which is PERIODIC for particles; expected an "
         "ABSORB or REFLECT side in grid.boundaries.particles"},
        {"[[\"ABSORB\", \"ABSORB\"]", "[[\"REFLECT\", \"ABSORB\"]", NULL},
        {"position = 3.0", "@position = 7.0",
         "setup.injectors.plane.position: found 7; expected a place in the box, 0 to 6.4"},
        {"speed = 1.0", "@speed = 1.5",
         "setup.injectors.plane.speed: found 1.5; expected at most c = 1"},
        {"speed = 1.0", "@speed = -0.6",
         "setup.injectors.plane: found a plane of speed -0.6 and a plasma of -0.5 out of side x+; "
         "expected a plane that outruns the plasma, by 0.001 at least"},
        {"\"-0.5\"", "@\"-1.5\"",
         "setup.injectors.plane.velocity[1] is -1.5 at x = 3, y = 0, t = 0; expected a velocity "
         "below "
         "c = 1"},
        {"\"0.5 + 0.1 * t\"", "@\"0.5 - 0.1 * t\"",
         "setup.injectors.plane.density is -0.5 at x = 6.4, y = 0, t = 10; expected a finite "
         "density "
         "of at least 0"},
        {"\"0.5 + 0.1 * t\"", "@2000",
         "setup.injectors.plane.density is 2000 at x = 3, y = 0, t = 0; expected at most 4000 "
         "particles a cell"},
        {"\"0.5 + 0.1 * t\"", "\"0.5 + @widht\"",
         "setup.injectors.plane.density: found unknown name 'widht'; expected a variable, a "
         "function "
         "or a name of [setup.constants]"},
        {"temperature = 0.2\n", "temperature = @-0.2\n",
         "setup.injectors.left.temperature is -0.2 at x = 0, y = 0, t = 1; expected a finite "
         "temperature kT/(m c^2) of at least 0"},
        {"end = 2.0", "@end = 0.5",
         "setup.injectors.left: found an end at 0.5 and a start at 1; expected the end after the "
         "start"},
        {"start = 1.0", "@speed = 1.0",
         "setup.injectors.left.speed: found a key without effect for kind \"reservoir\"; expected "
         "none"},
        {"interval = 5", "@side = \"x-\"",
         "setup.injectors.middle.side: found a key without effect for kind \"replenish\"; expected "
         "none"},
        {"interval = 5", "@interval = 0",
         "setup.injectors.middle.interval: found 0; expected at least 1"},
        {"upper = [2.0, 3.2]", "@upper = [2.0, 4.2]",
         "setup.injectors.middle: found a region from 0 to 4.2 along axis 2; expected one inside "
         "the "
         "box, 0 to 3.2, and at least a cell, 0.2, long"},
        {"upper = [2.0, 3.2]", "@upper = [1.1, 3.2]",
         "setup.injectors.middle: found a region from 1 to 1.1 along axis 1; expected one inside "
         "the "
         "box, 0 to 6.4, and at least a cell, 0.2, long"},
        {"upper = [2.0, 3.2]", "@upper = [2.0]",
         "setup.injectors.middle.upper is a list; expected float[D]"},
        {"interval = 5", "@intervall = 5",
         "setup.injectors.middle.intervall is not a parameter of problem \"thermal\"; did you mean "
         "\"injectors.NAME.interval\"?"},
        /* sides that match */
        {"match_B = [0, 0, \"1 + 0.1 * t\"]", "match_B = [0, 0, \"1 + 0.1 * @* t\"]", NULL},
        {"match_B = [0, 0, \"1 + 0.1 * t\"]", "match_B = [0, 0, @\"1 / t\"]",
         "setup.match_B[3] is inf at x = 0, y = 0, t = 0; expected a finite field"},
        {"\"CONDUCTOR\", \"MATCH\"", "\"CONDUCTOR\"", NULL},
        /* forces */
        {"[setup.species.e]", "[setup.species.q]", NULL},
        {"[setup.species.e]\n", "[setup.species.n]\n@",
         "setup.species.n.force: found a force on a species of mass 1 and charge 0; expected a "
         "positive "
         "mass, a charge, and engine = \"srpic\""},
        {"force = [\"-x\"", "force = [@\"1 / x\"",
         "setup.species.e.force[1] is inf at x = 0, y = 0, t = 0; expected a finite field"},
        /* window */
        {"boundaries.match.ds = 0.8", "boundaries.match.ds = 0.8\nwindow.axis = \"x\"", NULL},
        /* antenna */
        ANTENNA("amplitude = 1.0\nfrequency = 1.0\ndamping = 1.0\n") NULL},
                    ANTENNA("amplitude = 1.0\nfrequency = 1.0\n") NULL
}
, ANTENNA("@amplitude = -1.0\nfrequency = 1.0\ndamping = 1.0\n") "setup.antenna.amplitude: found "
                                                                 "-1; expected at least 0"
}
,
}
;
enum { CASES = (int)(sizeof cases / sizeof *cases) };

/* Those without a mark: a phrase of the message each. */
static const char *const phrases[] = {
    "found no kind in [setup.injectors.plane]; expected",
    "setup.injectors.plane.kind is a number; expected string",
    "found no species in [setup.injectors.plane]; expected a list of labels",
    "found no side in [setup.injectors.plane]; expected a side of the box",
    "setup.injectors.left.side: found \"x-\", which is REFLECT for particles; expected an ABSORB",
    "setup.match_B[3]: found '*'",
    "setup.match_B: found a field to match; expected a side of kind MATCH",
    "setup.species.q: found no species of that label",
    "setup.injectors.left.side: found \"x-\", a side that moves with grid.window",
    "the antenna's waves fit the box along each axis",
    "found no damping in [setup.antenna]; expected a number of at least 0",
};

static char *with(const broken *broken) {
  const char *at = strstr(valid, broken->old);
  ck_assert_msg(at != NULL, "the valid deck has no '%s'", broken->old);
  char *made = malloc(sizeof valid + strlen(broken->new) + 1);
  sprintf(made, "%.*s%s%s", (int)(at - valid), valid, broken->new, at + strlen(broken->old));
  return made;
}

/* 1 when the text is refused; the message. */
static int refused(const char *text, char message[1024]) {
  cw_context *context;
  cw_deck *deck;
  ck_assert_int_eq(cw_context_create(NULL, &context, NULL, 0), CW_OK);
  cw_status status = cw_deck_parse(context, "t.toml", text, strlen(text), NULL, 0, &deck);
  if (status == CW_OK)
    status = cw_setup_check(context, deck);
  ck_assert(status == CW_OK || status == CW_ERROR_INPUT);
  snprintf(message, 1024, "%s", status == CW_OK ? "" : cw_context_message(context));
  cw_deck_destroy(deck);
  ck_assert_uint_eq(cw_memory_used(context, CW_SPACE_HOST), 0);
  cw_context_destroy(context);
  return status != CW_OK;
}

START_TEST(test_the_deck_is_right_before_it_is_broken) {
  char message[1024];
  ck_assert_msg(!refused(valid, message), "%s", message);
}
END_TEST

START_TEST(test_a_fault_is_told_at_its_place) {
  const broken *broken = &cases[_i];
  char *text = with(broken), message[1024], expected[1024];
  char *mark = strchr(text, '@');
  int line = 1, column = 1;
  for (const char *at = text; mark && at < mark; at++)
    column = *at == '\n' ? (line++, 1) : column + 1;
  if (mark)
    memmove(mark, mark + 1, strlen(mark));
  ck_assert_msg(refused(text, message), "case %d ('%s'): accepted", _i, broken->new);
  snprintf(expected, sizeof expected, "t.toml:%d:%d: ", line, column);
  if (mark)
    ck_assert_msg(strncmp(message, expected, strlen(expected)) == 0, "case %d: '%s'; expected '%s'",
                  _i, message, expected);
  if (broken->message) {
    ck_assert_str_eq(strchr(message, ' ') + 1, broken->message);
  } else {
    int other = 0;
    for (int k = 0; k < _i; k++)
      other += !cases[k].message;
    ck_assert_msg(strstr(message, phrases[other]) != NULL, "case %d: '%s'; expected '%s'", _i,
                  message, phrases[other]);
  }
  free(text);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("source errors");
  TCase *tests = tcase_create("source errors");
  tcase_add_test(tests, test_the_deck_is_right_before_it_is_broken);
  tcase_add_loop_test(tests, test_a_fault_is_told_at_its_place, 0, CASES);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
