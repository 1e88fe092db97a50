/* Every way to write an expression wrongly is told at its character. */
#include <math.h>

#include "setup/expression_deck.h"

/* A change of the valid deck: '@' stands before the character that the message must point at. */
typedef struct broken {
  const char *old, *new, *message; /* the whole message behind the place */
} broken;

#define E_DENSITY "\"1 + 0.5 * cos(k * x)\"\nvelocity"
#define DENSITY(text, message)                                                                     \
  { E_DENSITY, text "\nvelocity", "setup.species.electrons.density: " message }
#define KNOWN "; expected a variable, a function or a name of [setup.constants]"

static const broken cases[] = {
    /* syntax */
    DENSITY("\"1 + @\"", "found the end; expected a number, a name or '('"),
    DENSITY("\"@\"", "found the end; expected a number, a name or '('"),
    DENSITY("\"  \\t @\"", "found the end; expected a number, a name or '('"),
    DENSITY("\"1 + @* x\"", "found '*'; expected a number, a name or '('"),
    DENSITY("\"1 - -@-x\"", "found '-'; expected a number, a name or '('"),
    DENSITY("\"1 + @(x * 2\"", "found '(' that is never closed; expected ')'"),
    DENSITY("\"1 + cos@(x * 2\"", "found '(' that is never closed; expected ')'"),
    DENSITY("\"(1 + x@]\"", "found ']'; expected an operator or ')'"),
    DENSITY("\"1 + x@)\"", "found ')'; expected an operator or the end"),
    DENSITY("\"1 + x @y\"", "found 'y'; expected an operator or the end"),
    DENSITY("\"2@x\"", "found 'x' after a number; expected an operator such as '*'"),
    DENSITY("\"1.5@.2\"", "found '.' after a number; expected an operator such as '*'"),
    DENSITY("\"1 + @.\"", "found '.'; expected digits with it"),
    DENSITY("\"1@e+\"",
            "found 'e' after a number; expected an exponent such as 1e-3, or an operator"),
    DENSITY("\"1 + @1e999\"", "found a number beyond 1.8e308; expected a smaller one"),
    DENSITY("\"x@**2\"", "found '**'; expected '^' for a power"),
    DENSITY("\"x @= 2\"", "found '='; expected '=='"),
    DENSITY("\"x > 1 @& y > 2\"", "found '&'; expected '&&'"),
    DENSITY("\"x @% 2\"", "found '%'; expected mod(a, b) for a remainder"),
    DENSITY("\"x > 0 @? 1\"", "found '?' without ':'; expected CONDITION ? VALUE : OTHER"),
    DENSITY("\"x > 0 ? 1 @, 2\"", "found ','; expected an operator or ':'"),
    DENSITY("\"1@, 2\"", "found ','; expected an operator or the end"),
    DENSITY("'@\"1\"'", "found '\"'; expected a number, a name or '('"),
    DENSITY("\"1 + @\xc3\xa9\"", "found '\xc3\xa9'; expected a number, a name or '('"),
    /* names */
    DENSITY("\"1 + @widht\"", "found unknown name 'widht'; did you mean 'width'?"),
    DENSITY("\"1 + @Cos(x)\"", "found unknown name 'Cos'; did you mean 'cos'?"),
    DENSITY("\"1 + @plughxyz\"", "found unknown name 'plughxyz'" KNOWN),
    DENSITY("\"1 + @_pi\"", "found unknown name '_pi'; did you mean 'pi'?"),
    DENSITY("\"1 + @t\"", "found 't'; expected no time: only external fields depend on t"),
    DENSITY("\"1 + @z\"", "found 'z'; expected only axes that the grid has"),
    DENSITY("\"1 + k@(x)\"", "found '(' after 'k', which is no function; expected an operator"),
    /* functions */
    DENSITY("\"1 + cos @x\"", "found 'x' after function 'cos'; expected '('"),
    DENSITY("\"1 + cos(@)\"", "found ')'; expected a number, a name or '('"),
    DENSITY("\"1 + cos(x@, y)\"", "found ',' after 1 argument of 'cos'; expected 1"),
    DENSITY("\"1 + atan2(x@)\"", "found ')' after 1 argument of 'atan2'; expected 2"),
    DENSITY("\"max@(1, x\"", "found '(' that is never closed; expected ')'"),
    /* the place in strings of every kind */
    DENSITY("\"\\u0020\\t1 + @widht\"", "found unknown name 'widht'; did you mean 'width'?"),
    DENSITY("'1 + @widht'", "found unknown name 'widht'; did you mean 'width'?"),
    DENSITY("\"\"\"\n  1 +\n    @widht\"\"\"", "found unknown name 'widht'; did you mean 'width'?"),
    DENSITY("\"\"\"1 + \\\n    @widht\"\"\"", "found unknown name 'widht'; did you mean 'width'?"),
    DENSITY("'''\n\n1 + @widht'''", "found unknown name 'widht'; did you mean 'width'?"),
    {"[0, \"0.1 * sin(k * x)\", 0]", "[0, 0,\n  \"x + @q\"]",
     "setup.species.electrons.velocity[3]: found unknown name 'q'" KNOWN},
    {"\"b * sech(x / width)\"", "\"@B0\"",
     "setup.B[3]: found unknown name 'B0'; did you mean 'b'?"},
    /* constants */
    {"\"2 * pi / Lx\"", "\"2 * @x\"",
     "setup.constants.k: found 'x'; expected a constant: neither place nor time is known here"},
    {"\"2 * pi / Lx\"", "\"2 * @Lz\"",
     "setup.constants.k: found unknown name 'Lz'; did you mean 'Lx'?"},
    {"k = \"2 * pi / Lx\"", "@k = \"2 * q\"\nq = \"k / 2\"",
     "setup.constants.k: found constants that are defined by each other in a circle; expected one "
     "that starts"},
    {"b = 0.5", "b = @\"1 / 0\"", "setup.constants.b is inf; expected a finite number"},
    {"b = 0.5", "b = 0.5\n@cos = 1",
     "setup.constants: found the name 'cos'; expected letters, digits and _, not starting with a "
     "digit, and no name that expressions know already"},
    {"b = 0.5", "b = 0.5\n@\"2b\" = 1",
     "setup.constants: found the name '2b'; expected letters, digits and _, not starting with a "
     "digit, and no name that expressions know already"},
    {"b = 0.5", "b = 0.5\n@Lx = 1",
     "setup.constants: found the name 'Lx'; expected letters, digits and _, not starting with a "
     "digit, and no name that expressions know already"},
    {"b = 0.5", "@b = true", "setup.constants.b is a bool; expected expression"},
    /* values */
    {E_DENSITY, "@\"x\"\nvelocity",
     "setup.species.electrons.density is -3.15 at x = -3.15, y = 0.05; expected a finite density "
     "of "
     "at least 0"},
    {E_DENSITY, "@\"1 / (y - 0.05)^2\"\nvelocity",
     "setup.species.electrons.density is inf at x = -3.15, y = 0.05; expected a finite density of "
     "at "
     "least 0"},
    {E_DENSITY, "@\"sqrt(y - 1)\"\nvelocity",
     "setup.species.electrons.density is nan at x = -3.15, y = 0.05; expected a finite density of "
     "at "
     "least 0"},
    {"\"0.1 * sin(k * x)\"", "@\"x\"",
     "setup.species.electrons.velocity[2] is -3.15 at x = -3.15, y = 0.05; expected a velocity "
     "below "
     "c = 1"},
    {"temperature = 0.01", "temperature = @-0.01",
     "setup.species.electrons.temperature is -0.01 at x = -3.15, y = 0.05; expected a finite "
     "temperature kT/(m c^2) of at least 0"},
    {"\"b * sech(x / width)\"", "@\"1 / (y - 0.05)\"",
     "setup.B[3] is inf at x = -3.15, y = 0.05; expected a finite field"},
    {"B = [0, 0, ", "A = [0, 0, @\"log(x)\"]\nB = [0, 0, ",
     "setup.A[3] is nan at x = -3.15, y = 0.05; expected a finite field"},
    /* tables and types */
    {"[setup.species.ions]\n", "[setup.species.iosn]\n@",
     "setup.species.iosn: found no species of that label; did you mean 'ions'?"},
    {"[setup.species.ions]\ndensity = \"1 + 0.5 * cos(k * x)\"\n", "", NULL},
    {"temperature = 0.01", "@temprature = 0.01",
     "setup.species.electrons.temprature is not a parameter of problem \"expressions\"; did you "
     "mean "
     "\"species.LABEL.temperature\"?"},
    {"[0, \"0.1 * sin(k * x)\", 0]", "[0, \"0.1 * sin(k * x)\"]", NULL},
    {"problem = \"expressions\"\n", "problem = \"expressions\"\n@G = 1\n",
     "setup.G is not a parameter of problem \"expressions\""},
};
enum { CASES = (int)(sizeof cases / sizeof *cases) };

/* Those without a mark: the place and the message are here. */
static const struct {
  int line, column;
  const char *message;
} others[] = {
    {21, 1,
     "found no density in [setup.species.ions]; problem \"expressions\" expects one for each "
     "species "
     "(0 for none)"},
    {34, 1, "setup.species.electrons.velocity is a list; expected expression[3]"},
};

static void expect_fault(const char *text, const char *expected) {
  cw_context *context;
  cw_deck *deck;
  ck_assert_int_eq(cw_context_create(NULL, &context, NULL, 0), CW_OK);
  cw_status status = cw_deck_parse(context, "t.toml", text, strlen(text), NULL, 0, &deck);
  ck_assert_msg(status == CW_OK, "%s", cw_context_message(context));
  status = cw_setup_check(context, deck);
  ck_assert_msg(status == CW_ERROR_INPUT, "case %s: accepted", expected);
  ck_assert_str_eq(cw_context_message(context), expected);
  cw_deck_destroy(deck);
  ck_assert_uint_eq(cw_memory_used(context, CW_SPACE_HOST), 0);
  cw_context_destroy(context);
}

START_TEST(test_fault_is_told_at_its_character) {
  const broken *broken = &cases[_i];
  char *text = expression_deck_with(broken->old, broken->new), expected[700];
  char *mark = strchr(text, '@');
  if (broken->message) {
    int line = 1, column = 1;
    ck_assert_ptr_nonnull(mark);
    for (const char *at = text; at < mark; at++)
      column = *at == '\n' ? (line++, 1) : column + 1;
    memmove(mark, mark + 1, strlen(mark));
    snprintf(expected, sizeof expected, "t.toml:%d:%d: %s", line, column, broken->message);
  } else {
    int other = 0;
    for (int k = 0; k < _i; k++)
      other += !cases[k].message;
    snprintf(expected, sizeof expected, "t.toml:%d:%d: %s", others[other].line,
             others[other].column, others[other].message);
  }
  expect_fault(text, expected);
  free(text);
}
END_TEST

/* A text from the command line has no column: its characters are counted. */
START_TEST(test_override_is_told_by_its_character) {
  static const cw_deck_override override = {"setup.species.ions.density", "\"1 + widht\""};
  cw_context *context;
  cw_deck *deck;
  ck_assert_int_eq(cw_context_create(NULL, &context, NULL, 0), CW_OK);
  ck_assert_int_eq(cw_deck_parse(context, "t.toml", expression_deck, strlen(expression_deck),
                                 &override, 1, &deck),
                   CW_OK);
  ck_assert_int_eq(cw_setup_check(context, deck), CW_ERROR_INPUT);
  ck_assert_str_eq(cw_context_message(context),
                   "--set setup.species.ions.density=\"1 + widht\": setup.species.ions.density, "
                   "character 5: found unknown name 'widht'; did you mean 'width'?");
  cw_deck_destroy(deck);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_long_and_deep_expressions_are_refused) {
  for (int deep = 0; deep < 2; deep++) {
    const int length = deep ? 4000 : 4097;
    char value[4200], expected[200];
    memset(value, deep ? '(' : '1', sizeof value);
    value[0] = value[length + 1] = '"';
    strcpy(value + length + 2, "\nvelocity");
    char *deck = expression_deck_with(E_DENSITY, value);
    snprintf(expected, sizeof expected, "t.toml:33:%d: setup.species.electrons.density: %s",
             deep ? 12 + 64 : 12,
             deep ? "found more than 64 levels of nesting; expected fewer"
                  : "found an expression of 4097 bytes; expected at most 4096");
    expect_fault(deck, expected);
    free(deck);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("expression errors");
  TCase *tests = tcase_create("expression errors");
  tcase_add_loop_test(tests, test_fault_is_told_at_its_character, 0, CASES);
  tcase_add_test(tests, test_override_is_told_by_its_character);
  tcase_add_test(tests, test_long_and_deep_expressions_are_refused);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
