/* Bad input: one error line that says what and where, exit status 2, nothing left behind. */
#include "program.h"

typedef struct bad_input {
  const char *arguments; /* after `cellwise` */
  const char *find;      /* text of the deck that is replaced, or NULL */
  const char *replace;   /* its place; '^' stands before the character the message must point at */
  const char *expected;  /* part of the message */
} bad_input;

static const bad_input decks[] = {
    {"run deck.toml --out o", "CFL = 0.9", "^CLF = 0.9", "CFL"},
    {"run deck.toml --out o", "problem = \"thermal\"\ntemperature = 0.1\n",
     "problem = \"expressions\"\nspecies.electrons.density = \"1 + cos(^q * x)\"\n"
     "species.positrons.density = 1\n",
     "found unknown name 'q'"},
    {"check deck.toml", "problem = \"thermal\"\ntemperature = 0.1\n",
     "problem = \"expressions\"\nspecies.electrons.density = ^\"x - 1\"\n"
     "species.positrons.density = 1\n",
     "is -0.95 at x = 0.05; expected a finite density of at least 0"},
    {"run deck.toml --out o", "temperature = 0.1\n",
     "temperature = 0.1\nexternal_E = [0, ^\"sqrt(t - 1)\", 0]\n",
     "setup.external_E[2] is nan at x = 0, t = 0; expected a finite field"},
    {"run deck.toml --out o --set 'setup.external_B=[0, \"1 +\", 0]'", "temperature = 0.1\n",
     "temperature = 0.1\n", "setup.external_B[2], character 4: found the end"},
    {"run deck.toml --out o", "skindepth0", "^skindepht0", "'skindepth0'"},
    {"run deck.toml --out o", "[scales]", "[^scalse]", "scales"},
    {"run deck.toml --out o", "shape_order = 2", "shape_order = ^\"two\"", "expected"},
    {"run deck.toml --out o", "shape_order = 2", "shape_order = ^12", "11"},
    {"run deck.toml --out o", "resolution = [24]", "resolution = ^24", "expected"},
    {"run deck.toml --out o", "resolution = [24]", "resolution = [^-24]", "expected"},
    {"run deck.toml --out o", "tile_size = 4", "tile_size = ^5", "4, 6, 8, 10, 12, 14, 16"},
    {"run deck.toml --out o", "ppc0 = 16.0", "ppc0 = ^-16.0", "particles.ppc0"},
    {"run deck.toml --out o", "ppc0 = 16.0", "ppc0 = ^nan", "particles.ppc0"},
    {"run deck.toml --out o", "ppc0 = 16.0", "ppc0 = ^inf", "particles.ppc0"},
    {"run deck.toml --out o", "CFL = 0.9", "CFL = ^1.2", "<= 1"},
    {"run deck.toml --out o", "CFL = 0.9", "CFL = ^nan", "timestep.CFL"},
    {"run deck.toml --out o", "runtime = 0.72", "runtime = ^-1.0", "simulation.runtime"},
    {"run deck.toml --out o", "runtime = 0.72\n", "runtime = ^\n", "TOML"},
    {"run deck.toml --out o", "\"srpic\"", "^\"pic\"", "srpic"},
    {"run deck.toml --out o", "\"minkowski\"", "^\"kerr\"", "minkowski"},
    {"run deck.toml --out o", "fields = [[\"PERIODIC\"]]", "fields = [[^\"PERIODC\"]]", "PERIODIC"},
    {"run deck.toml --out o", "problem = \"thermal\"", "problem = ^\"thermla\"", "thermal"},
    {"run deck.toml --out o", "temperature = 0.1", "^temperature = -0.1", "setup.temperature"},
    {"run deck.toml --out o", "temperature = 0.1", "^temperature = \"hot\"", "expected float"},
    {"run deck.toml --out o", "temperature = 0.1", "^temprature = 0.1", "\"temperature\""},
    {"check deck.toml", "CFL = 0.9", "CFL = ^1.2", "<= 1"},
    {"check deck.toml --json", "ppc0 = 16.0", "ppc0 = ^-16.0", "particles.ppc0"},
    {"run deck.toml --out o", "ppc0 = 16.0", "ppc0 = ^1e12", "are available"},
    {"check deck.toml", "ppc0 = 16.0", "ppc0 = ^1e12", "are available"},
    /* more particles than a 64-bit count holds */
    {"run deck.toml --out o", "ppc0 = 16.0", "ppc0 = ^1e300", "are available"},
    {"check deck.toml", "ppc0 = 16.0", "ppc0 = ^1e300", "are available"},
    /* no one place is wrong */
    {"run deck.toml --out o", "larmor0 = 1.0\n", "", "larmor0"},
    {"run deck.toml --out o", "resolution = [24]\nextent = [[0.0, 2.4]]",
     "resolution = [1000000, 1000000]\nextent = [[0.0, 1.0], [0.0, 1.0]]",
     "grid.boundaries.fields"},
};

static const bad_input command_lines[] = {
    {"run none.toml --out o", NULL, NULL, "none.toml: the deck cannot be read: No such file"},
    {"run . --out o", NULL, NULL, "found a directory"},
    {"run /dev/null --out o", NULL, NULL, "/dev/null:1:1: "},
    {"run --out o", NULL, NULL, "no deck was given"},
    {"run deck.toml deck.toml --out o", NULL, NULL, "found a second deck 'deck.toml'"},
    {"run deck.toml --out deck.toml/o", NULL, NULL, "deck.toml"},
    {"run deck.toml --out deck.toml", NULL, NULL, "expected a folder"},
    {"run deck.toml --out /proc/o", NULL, NULL, "/proc/o"},
    {"run deck.toml --out ''", NULL, NULL, "empty"},
    {"run deck.toml --out o --threads 0", NULL, NULL, "option --threads: found '0'"},
    {"run deck.toml --out o --threads abc", NULL, NULL, "option --threads: found 'abc'"},
    {"run deck.toml --out o --threads 2x", NULL, NULL, "option --threads: found '2x'"},
    {"run deck.toml --out o --backend foo", NULL, NULL, "option --backend: found 'foo'"},
    {"run deck.toml --out o --device x", NULL, NULL, "option --device: found 'x'"},
    {"run deck.toml --out o --device -1", NULL, NULL, "option --device: found '-1'"},
    {"run deck.toml --out o --backend cpu --device 0", NULL, NULL, "found 0 with the backend cpu"},
    {"run deck.toml --out o --backend auto --device 1000", NULL, NULL,
     "backend cuda was asked for"},
    {"bench step --device x", NULL, NULL, "option --device: found 'x'"},
    {"bench step --sort-interval 1,,4", NULL, NULL, "option --sort-interval: found ''"},
    {"bench sort --sort-interval 1,4", NULL, NULL, "kernel sort expects one"},
    {"bench massmatrix --backend cuda", NULL, NULL, "cuda"},
    {"run deck.toml --out o --set particles.ppc0", NULL, NULL, "expected KEY=VALUE"},
    {"run deck.toml --out o --set particles.pcp0=3", NULL, NULL, "'ppc0'"},
    {"run deck.toml --out o --set ppc0=3", NULL, NULL, "[particles]"},
    {"run deck.toml --out o --set particles.ppc0=many", NULL, NULL, "--set particles.ppc0=many: "},
    {"run deck.toml --out o --set particles.ppc0=-3", NULL, NULL, "--set particles.ppc0=-3: "},
    {"run deck.toml --out o --set setup.temprature=1.0", NULL, NULL, "\"temperature\""},
    {"run deck.toml --out o --steps -1", NULL, NULL, "option --steps: found '-1'"},
    {"run deck.toml --out o --steps 1.5", NULL, NULL, "option --steps: found '1.5'"},
    {"run deck.toml --out o --steps", NULL, NULL, "option --steps: "},
    {"run deck.toml --out o --thread 2 --trheads 2", NULL, NULL, "'--threads'"},
    {"run deck.toml --out o --quiet=yes", NULL, NULL, "--quiet"},
    {"run deck.toml --out o -x", NULL, NULL, "'-x'"},
    {"run deck.toml --out o -qx", NULL, NULL, "'-x'"},
    {"run deck.toml -o", NULL, NULL, "option --out: found no value"},
    {"rnu deck.toml", NULL, NULL, "'run'"},
    {"check none.toml", NULL, NULL, "No such file"},
    {"check --frobnicate", NULL, NULL, "'--frobnicate'"},
    {"keys grdi", NULL, NULL, "'grid'"},
    {"keys grid scales", NULL, NULL, "second section"},
    {"bench depsoit", NULL, NULL, "expected deposit, tiles, sort, step"},
    {"bench", NULL, NULL, "expected deposit, tiles, sort, step"},
    {"bench sort --precision half", NULL, NULL, "single or double"},
    {"bench sort --tile 5", NULL, NULL, "4, 6, 8, 10, 12, 14 or 16"},
    {"bench sort --dim 4", NULL, NULL, "option --dim: found '4'"},
    {"bench sort --order 12", NULL, NULL, "option --order: found '12'"},
    {"bench sort --temperature nan", NULL, NULL, "option --temperature: found 'nan'"},
    {"bench sort --repeats 3", NULL, NULL, "from 7"},
    {"bench step --cells 100000 --ppc 1000", NULL, NULL, "available"},
    {"bench sort --cells 100000 --ppc 1000", NULL, NULL, "available"},
};

enum {
  DECKS = (int)(sizeof decks / sizeof *decks),
  COMMAND_LINES = (int)(sizeof command_lines / sizeof *command_lines)
};

/* Writes the deck with the row's edit; `place`: "deck.toml:LINE:COLUMN: ", or "" if none is due. */
static void write_deck(const bad_input *row, char *place, size_t size) {
  char text[2 * sizeof program_deck];
  const char *found = strstr(program_deck, row->find);
  ck_assert_msg(found != NULL, "the deck does not hold '%s'", row->find);
  snprintf(text, sizeof text, "%.*s%s%s", (int)(found - program_deck), program_deck, row->replace,
           found + strlen(row->find));
  *place = '\0';
  char *mark = strchr(text, '^');
  if (mark) {
    int line = 1, column = 1;
    for (const char *at = text; at < mark; at++)
      column = *at == '\n' ? (line++, 1) : column + 1;
    memmove(mark, mark + 1, strlen(mark));
    snprintf(place, size, "deck.toml:%d:%d: ", line, column);
  }
  program_write("deck.toml", text);
}

static void check_refused(const bad_input *row, const char *place) {
  int before = program_count(program_path(""), NULL);
  const program_result *result = program_run("%s", row->arguments);
  ck_assert_msg(result->status == 2, "%s: status %d; stderr: %s", row->arguments, result->status,
                result->err);
  ck_assert_msg(strcmp(result->out, "") == 0, "%s: stdout: %s", row->arguments, result->out);
  ck_assert_msg(strncmp(result->err, "cellwise", 8) == 0 &&
                    program_occurrences(result->err, ": error: ") == 1 &&
                    program_occurrences(result->err, "\n") == 1,
                "%s: not one error line: %s", row->arguments, result->err);
  ck_assert_msg(strstr(result->err, row->expected) != NULL && strstr(result->err, place) != NULL,
                "%s: expected '%s%s' in: %s", row->arguments, place, row->expected, result->err);
  ck_assert_msg(program_count(program_path(""), NULL) == before, "%s left something behind",
                row->arguments);
}

START_TEST(test_deck_is_refused_with_its_place) {
  char place[64];
  write_deck(&decks[_i], place, sizeof place);
  check_refused(&decks[_i], place);
}
END_TEST

START_TEST(test_command_line_is_refused) {
  check_refused(&command_lines[_i], "");
}
END_TEST

START_TEST(test_a_grid_larger_than_memory_is_refused_before_it_is_made) {
  static const bad_input row = {"run deck.toml --out o", NULL, NULL, "are available"};
  int line = 1;
  char place[64];
  char text[2 * sizeof program_deck];
  const char *grid = strstr(program_deck, "resolution"), *scales = strstr(program_deck, "[scales]");
  snprintf(text, sizeof text,
           "%.*sresolution = [1000000, 1000000]\nextent = [[0.0, 1.0], [0.0, 1.0]]\n"
           "[grid.metric]\nmetric = \"minkowski\"\n[grid.boundaries]\n"
           "fields = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"
           "particles = [[\"PERIODIC\"], [\"PERIODIC\"]]\n%s",
           (int)(grid - program_deck), program_deck, scales);
  for (const char *at = program_deck; at < grid; at++)
    line += *at == '\n';
  snprintf(place, sizeof place, "deck.toml:%d:14: ", line);
  program_write("deck.toml", text);
  check_refused(&row, place);
}
END_TEST

START_TEST(test_a_backend_that_is_not_here_is_refused) {
  static const bad_input rows[] = {
      {"run deck.toml --out o --backend cuda", NULL, NULL, "backend cuda was asked for: "},
      {"run deck.toml --out o --device 0", NULL, NULL, "backend cuda was asked for: "},
      {"bench step --dim 2 --cells 16 --ppc 4 --backend cuda", NULL, NULL,
       "backend cuda was asked for: "}};
  if (strstr(program_run("info --json")->out, "\"cuda\"")) {
    printf("skipped: a device is here\n");
    return;
  }
  for (int k = 0; k < 3; k++)
    check_refused(&rows[k], "");
}
END_TEST

/* Left the choice, the program takes what is here and says which. */
START_TEST(test_backend_auto_runs_here) {
  program_result *found = program_run("run deck.toml --out o --quiet --json --backend auto");
  ck_assert_msg(found->status == 0, "status %d: %s", found->status, found->err);
  ck_assert_msg(strstr(found->out, "\"backend\": \"c") && strstr(found->out, "\"device\": \""),
                "no backend and device in: %s", found->out);
}
END_TEST

START_TEST(test_an_unknown_instruction_set_is_refused) {
  static const bad_input row = {"run deck.toml --out o", NULL, NULL, "'sse9'"};
  setenv("CELLWISE_ISA", "sse9", 1);
  check_refused(&row, "");
}
END_TEST

START_TEST(test_a_refused_run_leaves_earlier_results_alone) {
  static const bad_input row = {"run deck.toml --out o", "CFL = 0.9", "CFL = ^1.2", "CFL"};
  char place[64], before[8192], after[8192];
  ck_assert_int_eq(program_run("run deck.toml --out o --quiet")->status, 0);
  program_read(program_path("o/history.csv"), before, sizeof before);
  write_deck(&row, place, sizeof place);
  check_refused(&row, place);
  program_read(program_path("o/history.csv"), after, sizeof after);
  ck_assert_str_eq(before, after);
}
END_TEST

int main(void) {
  TCase *cases = tcase_create("bad input");
  tcase_add_loop_test(cases, test_deck_is_refused_with_its_place, 0, DECKS);
  tcase_add_loop_test(cases, test_command_line_is_refused, 0, COMMAND_LINES);
  tcase_add_test(cases, test_a_grid_larger_than_memory_is_refused_before_it_is_made);
  tcase_add_test(cases, test_a_backend_that_is_not_here_is_refused);
  tcase_add_test(cases, test_backend_auto_runs_here);
  tcase_add_test(cases, test_an_unknown_instruction_set_is_refused);
  tcase_add_test(cases, test_a_refused_run_leaves_earlier_results_alone);
  return program_suite("bad input", cases);
}
