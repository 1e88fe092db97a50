/* Wrong command lines: one error line that says what and where, exit status 2, nothing left behind.
 * Wrong decks and states: test_broken_inputs.c. */
#include "refused.h"

typedef struct bad_input {
  const char *arguments; /* after `cellwise` */
  const char *expected;  /* part of the message */
} bad_input;

static const bad_input command_lines[] = {
    {"run none.toml --out o", "none.toml: the deck cannot be read: No such file"},
    {"run . --out o", "found a directory"},
    {"run /dev/null --out o", "/dev/null:1:1: "},
    {"run --out o", "no deck was given"},
    {"run deck.toml deck.toml --out o", "found a second deck 'deck.toml'"},
    {"run deck.toml --out deck.toml/o", "deck.toml"},
    {"run deck.toml --out deck.toml", "expected a folder"},
    {"run deck.toml --out /proc/o", "/proc/o"},
    {"run deck.toml --out ''", "empty"},
    {"run deck.toml --out o --threads 0", "option --threads: found '0'"},
    {"run deck.toml --out o --threads abc", "option --threads: found 'abc'"},
    {"run deck.toml --out o --threads 2x", "option --threads: found '2x'"},
    {"run deck.toml --out o --backend foo", "option --backend: found 'foo'"},
    {"run deck.toml --out o --device x", "option --device: found 'x'"},
    {"run deck.toml --out o --device -1", "option --device: found '-1'"},
    {"run deck.toml --out o --backend cpu --device 0", "found 0 with the backend cpu"},
    {"run deck.toml --out o --backend auto --device 1000", "backend cuda was asked for"},
    {"bench step --device x", "option --device: found 'x'"},
    {"bench step --sort-interval 1,,4", "option --sort-interval: found ''"},
    {"bench sort --sort-interval 1,4", "kernel sort expects one"},
    {"bench massmatrix --backend cuda", "cuda"},
    {"run deck.toml --out o --set particles.ppc0", "expected KEY=VALUE"},
    {"run deck.toml --out o --set particles.pcp0=3", "'ppc0'"},
    {"run deck.toml --out o --set ppc0=3", "[particles]"},
    {"run deck.toml --out o --set particles.ppc0=many", "--set particles.ppc0=many: "},
    {"run deck.toml --out o --set particles.ppc0=-3", "--set particles.ppc0=-3: "},
    {"run deck.toml --out o --set setup.temprature=1.0", "\"temperature\""},
    {"run deck.toml --out o --steps -1", "option --steps: found '-1'"},
    {"run deck.toml --out o --steps 1.5", "option --steps: found '1.5'"},
    {"run deck.toml --out o --steps", "option --steps: "},
    {"run deck.toml --out o --thread 2 --trheads 2", "'--threads'"},
    {"run deck.toml --out o --quiet=yes", "--quiet"},
    {"run deck.toml --out o -x", "'-x'"},
    {"run deck.toml --out o -qx", "'-x'"},
    {"run deck.toml -o", "option --out: found no value"},
    {"rnu deck.toml", "'run'"},
    {"check none.toml", "No such file"},
    {"check --frobnicate", "'--frobnicate'"},
    {"keys grdi", "'grid'"},
    {"keys grid scales", "second section"},
    {"bench depsoit", "expected deposit, tiles, sort, step"},
    {"bench", "expected deposit, tiles, sort, step"},
    {"bench sort --precision half", "single or double"},
    {"bench sort --tile 5", "4, 6, 8, 10, 12, 14 or 16"},
    {"bench sort --dim 4", "option --dim: found '4'"},
    {"bench sort --order 12", "option --order: found '12'"},
    {"bench sort --temperature nan", "option --temperature: found 'nan'"},
    {"bench deposit --dead 1", "option --dead: found '1'; expected a number from 0"},
    {"bench deposit --tail -1", "option --tail: found '-1'"},
    {"bench sort --repeats 3", "from 7"},
    {"bench step --cells 100000 --ppc 1000", "available"},
    {"bench sort --cells 100000 --ppc 1000", "available"},
};

enum { COMMAND_LINES = (int)(sizeof command_lines / sizeof *command_lines) };

START_TEST(test_command_line_is_refused) {
  refused_check(command_lines[_i].arguments, command_lines[_i].expected, "");
}
END_TEST

START_TEST(test_a_grid_larger_than_memory_is_refused_before_it_is_made) {
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
  refused_check("run deck.toml --out o", "are available", place);
}
END_TEST

START_TEST(test_a_backend_that_is_not_here_is_refused) {
  static const bad_input rows[] = {
      {"run deck.toml --out o --backend cuda", "backend cuda was asked for: "},
      {"run deck.toml --out o --device 0", "backend cuda was asked for: "},
      {"bench step --dim 2 --cells 16 --ppc 4 --backend cuda", "backend cuda was asked for: "}};
  if (strstr(program_run("info --json")->out, "\"cuda\"")) {
    printf("skipped: a device is here\n");
    return;
  }
  for (int k = 0; k < 3; k++)
    refused_check(rows[k].arguments, rows[k].expected, "");
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
  setenv("CELLWISE_ISA", "sse9", 1);
  refused_check("run deck.toml --out o", "'sse9'", "");
}
END_TEST

START_TEST(test_a_refused_run_leaves_earlier_results_alone) {
  char place[64], before[8192], after[8192];
  ck_assert_int_eq(program_run("run deck.toml --out o --quiet")->status, 0);
  program_read(program_path("o/history.csv"), before, sizeof before);
  refused_write_deck("CFL = 0.9", "CFL = ^1.2", place, sizeof place);
  refused_check("run deck.toml --out o", "CFL", place);
  program_read(program_path("o/history.csv"), after, sizeof after);
  ck_assert_str_eq(before, after);
}
END_TEST

int main(void) {
  TCase *cases = tcase_create("bad input");
  tcase_add_loop_test(cases, test_command_line_is_refused, 0, COMMAND_LINES);
  tcase_add_test(cases, test_a_grid_larger_than_memory_is_refused_before_it_is_made);
  tcase_add_test(cases, test_a_backend_that_is_not_here_is_refused);
  tcase_add_test(cases, test_backend_auto_runs_here);
  tcase_add_test(cases, test_an_unknown_instruction_set_is_refused);
  tcase_add_test(cases, test_a_refused_run_leaves_earlier_results_alone);
  return program_suite("bad input", cases);
}
