/* The input's syntax: what a line means, and what is refused with its line. */
#include <unistd.h>

#include "coordination_support.h"

#include "molecular/input.h"

static char folder[] = "/tmp/cellwise_input_XXXXXX";

static void write_file(const char *name, const char *text) {
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  fputs(text, file);
  fclose(file);
}

static cw_status read_text(cw_context *context, const char *text, cw_input *input) {
  char path[256];
  write_file("input.dat", text);
  snprintf(path, sizeof path, "%s/input.dat", folder);
  return cw_input_read(context, path, 100, input);
}

/* Reads and returns the atoms of a group, counted from 1, as text. */
static void check_group(const char *before, const char *group, const char *right) {
  cw_context *context = new_context(1, CW_ISA_AUTO);
  cw_input input;
  char text[2048], found[1024] = "";
  snprintf(text, sizeof text, "%s\nc: COORDINATION GROUPA=%s R_0=0.3\n", before, group);
  MUST(context, read_text(context, text, &input));
  const cw_atom_list *list = &input.variables[0].a;
  for (int64_t k = 0; k < list->count; k++)
    sprintf(found + strlen(found), "%s%u", k ? " " : "", list->atom[k] + 1);
  ck_assert_str_eq(found, right);
  cw_input_clear(&input);
  cw_context_destroy(context);
}

START_TEST(test_atom_lists) {
  write_file("index.ndx", "[ OW ]\n1 4 7\n10\n; a comment\n[ HW ]\n2 3\n5\n");
  check_group("", "1-5", "1 2 3 4 5");
  check_group("", "1-10:4", "1 5 9");
  check_group("", "10-2:-4", "10 6 2");
  check_group("", "3,1,3", "3 1 3");
  check_group("", "{3 1,2}", "3 1 2");
  check_group("", "97-100", "97 98 99 100");
  check_group("g: GROUP ATOMS=5,1-3", "g", "5 1 2 3");
  check_group("g: GROUP ATOMS=5,1-3,5 SORT", "g", "1 2 3 5 5");
  check_group("g: GROUP ATOMS=5,1-3,5 UNIQUE", "g", "1 2 3 5");
  check_group("g: GROUP ATOMS=1-6 REMOVE=2,4-5", "g", "1 3 6");
  check_group("g: GROUP ATOMS=1-2\nh: GROUP ATOMS=g,9", "h,7", "1 2 9 7");
  check_group("g: GROUP NDX_FILE=index.ndx NDX_GROUP=HW", "g", "2 3 5");
  check_group("g: GROUP NDX_FILE=index.ndx", "g", "1 4 7 10");
  check_group("", "{@ndx:{index.ndx HW}}", "2 3 5");
  check_group("", "@ndx:index.ndx", "1 4 7 10");
  check_group("", "{@ndx:{index.ndx HW},9}", "2 3 5 9");
  check_group("v: CENTER ATOMS=1-4\nw: CENTER ATOMS=v,5", "v,1,w", "101 1 102");
}
END_TEST

START_TEST(test_all_atoms) {
  cw_context *context = new_context(1, CW_ISA_AUTO);
  cw_input input;
  MUST(context, read_text(context,
                          "v: CENTER ATOMS=1,2\nc: COORDINATION GROUPA=@mdatoms GROUPB=@allatoms "
                          "R_0=1",
                          &input));
  ck_assert_int_eq(input.variables[0].a.count, 100);
  ck_assert_int_eq(input.variables[0].b.count, 101);
  cw_input_clear(&input);
  cw_context_destroy(context);
}
END_TEST

/* Different ways to write one input. */
START_TEST(test_spellings_of_one_line_agree) {
  static const char *const texts[] = {
      "c: COORDINATION GROUPA=1-10 GROUPB=11-20 SWITCH={RATIONAL R_0=0.3 D_MAX=0.9}",
      "COORDINATION LABEL=c GROUPA=1-10 GROUPB=11-20 SWITCH={RATIONAL R_0=0.3 D_MAX=0.9}",
      "c: coordination groupa=1-10 groupb=11-20 switch={rational r_0=3/10 d_max=sqrt(0.81)}",
      "# comment\n\n  c:   COORDINATION\tGROUPA=1-10 GROUPB=11-20 SWITCH={RATIONAL R_0=0.3 "
      "D_MAX=0.9} # more",
      "c: COORDINATION ...\n GROUPA=1-10 # comment\n\n GROUPB=11-20\n SWITCH={RATIONAL\n R_0=0.3 "
      "D_MAX=0.9}\n...",
      "COORDINATION ...\nLABEL=c\nGROUPA=1-10 GROUPB=11-20\nSWITCH={RATIONAL R_0=0.3 "
      "D_MAX=0.9}\n... COORDINATION",
      "c: COORDINATION ...\nGROUPA=1-10 GROUPB=11-20 SWITCH={RATIONAL R_0=0.3 D_MAX=0.9}\n... c",
      "INCLUDE FILE=rest.dat",
      "c: COORDINATION GROUPA=1-10 GROUPB=11-20 SWITCH={RATIONAL R_0=0.3 D_MAX=0.9}\r\nENDPLUMED\n"
      "nonsense",
      "c: CUDACOORDINATION GROUPA=1-10 GROUPB=11-20 R_0=0.3 D_MAX=0.9 THREADS=64"};
  write_file("rest.dat", "c: COORDINATION GROUPA=1-10 GROUPB=11-20 ...\nSWITCH={RATIONAL R_0=0.3 "
                         "D_MAX=0.9}\n...\n");
  cw_context *context = new_context(1, CW_ISA_AUTO);
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    cw_input input;
    cw_status status = read_text(context, texts[k], &input);
    ck_assert_msg(status == CW_OK, "%zu: %s", k, cw_context_message(context));
    const cw_variable *v = &input.variables[0];
    ck_assert_int_eq(input.variable_count, 1);
    ck_assert_str_eq(v->words->label, "c");
    ck_assert_int_eq(v->a.count, 10);
    ck_assert_int_eq(v->b.count, 10);
    ck_assert(near(v->options.switching.r_0, 0.3, 1e-16));
    ck_assert(near(v->options.switching.d_max, 0.9, 1e-15));
    cw_input_clear(&input);
  }
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_units_print_and_restart) {
  cw_context *context = new_context(1, CW_ISA_AUTO);
  cw_input input;
  MUST(context, read_text(context,
                          "RESTART\nUNITS LENGTH=A TIME=fs ENERGY=kcal/mol\n"
                          "c: COORDINATION GROUPA=1-5 R_0=3\nd: COORDINATION GROUPA=1-5 R_0=3\n"
                          "PRINT ARG=c,d FILE=X STRIDE=5 FMT=%8.3f\nPRINT ARG=* RESTART=NO\n"
                          "DUMPDERIVATIVES ARG=d FILE=Y\n",
                          &input));
  ck_assert(near(input.length, 0.1, 1e-16));
  ck_assert(near(input.time, 0.001, 1e-16));
  ck_assert_int_eq(input.output_count, 3);
  ck_assert_int_eq(input.outputs[0].stride, 5);
  ck_assert_int_eq(input.outputs[0].restart, 1);
  ck_assert_int_eq(input.outputs[0].count, 2);
  ck_assert_str_eq(input.outputs[0].format, " %8.3f");
  ck_assert_int_eq(input.outputs[1].restart, 0);
  ck_assert_int_eq(input.outputs[1].count, 2);
  ck_assert_str_eq(input.outputs[1].format, " %f");
  ck_assert_int_eq(input.outputs[2].derivatives, 1);
  ck_assert_str_eq(input.outputs[2].format, " %15.10f");
  cw_input_clear(&input);
  cw_context_destroy(context);
}
END_TEST

/* Each is refused; the message names the line and the word. */
START_TEST(test_nonsense_is_refused_by_line_and_name) {
#define C "c: COORDINATION GROUPA=1-10 "
  static const struct {
    const char *text, *line, *word;
  } cases[] = {{"", "", "no COORDINATION"},
               {C "R_0=0.3\nd: DISTANCE ATOMS=1,2", ":2:", "DISTANCE"},
               {C "R_0=0.3\nMETAD ARG=c SIGMA=1", ":2:", "METAD"},
               {C "R_0=0.3\nLOAD FILE=x.so", ":2:", "LOAD"},
               {C "R_0=0.3 R_0=0.4", ":1:", "twice"},
               {C "R_0=", ":1:", "R_0"},
               {C "R_0=0.3 SWITCH", ":1:", "SWITCH"},
               {C "R_0=1e400", ":1:", "R_0"},
               {C "R_0=nan", ":1:", "R_0"},
               {C "R_0=0.3 NN=1e10", ":1:", "NN"},
               {C "R_0=0.3 NN=2000", ":1:", "NN"},
               {C "R_0=0.3 MM=-2", ":1:", "MM"},
               {C "R_0=0.3 PAIR", ":1:", "PAIR"},
               {C "R_0=0.3 NLIST NL_CUTOFF=0 NL_STRIDE=1", ":1:", "NL_CUTOFF"},
               {C "R_0=0.3 NLIST NL_CUTOFF=1 NL_STRIDE=0", ":1:", "NL_STRIDE"},
               {C "R_0=0.3 NLIST NL_CUTOFF=1 NL_STRIDE=1.5", ":1:", "NL_STRIDE"},
               {C "R_0=0.3 SERIAL", ":1:", "SERIAL"},
               {C "R_0=0.3 THREADS=4", ":1:", "THREADS"},
               {C "SWITCH={RATIONAL R_0=0.3", ":1:", "brace"},
               {C "SWITCH=RATIONAL R_0=0.3", ":1:", "R_0"},
               {C "SWITCH={RATIONAL R_0=0.3 STRETCH NOSTRETCH}", ":1:", "NOSTRETCH"},
               {C "SWITCH={RATIONAL R_0=0.3 BETA=2}", ":1:", "BETA"},
               {C "SWITCH={SMAP R_0=0.3 A=0 B=4}", ":1:", "SMAP"},
               {C "SWITCH={Q R_0=0.3 REF=0.3 BETA=0}", ":1:", "BETA"},
               {C "SWITCH={Q R_0=0.3 REF=-1}", ":1:", "REF"},
               {C "SWITCH={GAUSSIAN R_0=0.3 D_MAX=0}", ":1:", "D_MAX"},
               {C "SWITCH={CUSTOM FUNC=1 R_0=0.3 D_MAX=1}", ":1:", "stretch"},
               {C "SWITCH={CUSTOM FUNC=1/(1+z^6) R_0=0.3}", ":1:", "z^6"},
               {"c: COORDINATION GROUPA= R_0=0.3", ":1:", "empty"},
               {"c: COORDINATION GROUPA=1-10:0 R_0=0.3", ":1:", "1-10:0"},
               {"c: COORDINATION GROUPA=1-10:-2 R_0=0.3", ":1:", "1-10:-2"},
               {"c: COORDINATION GROUPA=101 R_0=0.3", ":1:", "101"},
               {"c: COORDINATION GROUPA=99999999999999999999 R_0=0.3", ":1:", "1 to 100"},
               {"c: COORDINATION GROUPA=1.5 R_0=0.3", ":1:", "1.5"},
               {"c: COORDINATION GROUPA=1- R_0=0.3", ":1:", "1-"},
               {"c: COORDINATION GROUPA=@protein R_0=0.3", ":1:", "@protein"},
               {"c: COORDINATION GROUPA={@ndx:{index.ndx XX}} R_0=0.3", ":1:", "XX"},
               {"c: COORDINATION GROUPA={@ndx:{missing.ndx XX}} R_0=0.3", "", "missing.ndx"},
               {"c: COORDINATION GROUPA=g R_0=0.3\ng: GROUP ATOMS=1-4", ":1:", "'g'"},
               {"COORDINATION GROUPA=1-4 R_0=0.3", ":1:", "label"},
               {"a: b: COORDINATION GROUPA=1-4 R_0=0.3", ":1:", "b:"},
               {"c: COORDINATION LABEL=d GROUPA=1-4 R_0=0.3", ":1:", "two labels"},
               {"@c: COORDINATION GROUPA=1-4 R_0=0.3", ":1:", "label"},
               {"c:", ":1:", "label"},
               {"c: COORDINATION ...\nGROUPA=1-4 R_0=0.3", ":1:", "never ended"},
               {"c: COORDINATION ...\nGROUPA=1-4 R_0=0.3\n... d", ":3:", "'... d'"},
               {"... c", ":1:", "ends nothing"},
               {C "R_0=0.3\nPRINT FILE=X", ":2:", "ARG"},
               {C "R_0=0.3\nPRINT ARG=c FMT=%s FILE=X", ":2:", "FMT"},
               {C "R_0=0.3\nPRINT ARG=c FMT=%n FILE=X", ":2:", "FMT"},
               {C "R_0=0.3\nPRINT ARG=c FMT=%f%f FILE=X", ":2:", "FMT"},
               {C "R_0=0.3\nPRINT ARG=c FMT=%999999f FILE=X", ":2:", "FMT"},
               {C "R_0=0.3\nPRINT ARG=c STRIDE=0", ":2:", "STRIDE"},
               {C "R_0=0.3\nDUMPDERIVATIVES ARG=c", ":2:", "FILE"},
               {C "R_0=0.3\nUNITS LENGTH=A", ":2:", "UNITS"},
               {"UNITS LENGTH=parsec\n" C "R_0=0.3", ":1:", "parsec"},
               {"UNITS LENGTH=-1\n" C "R_0=0.3", ":1:", "LENGTH"},
               {"v: CENTER ATOMS=1-3 WEIGHTS=1,2\n" C "R_0=0.3", ":1:", "WEIGHTS"},
               {"v: CENTER ATOMS=1-2 WEIGHTS=1,-1\n" C "R_0=0.3", ":1:", "WEIGHTS"},
               {"v: CENTER ATOMS=1-2 PHASES\n" C "R_0=0.3", ":1:", "PHASES"},
               {"g: GROUP REMOVE=1\n" C "R_0=0.3", ":1:", "ATOMS"},
               {"g: GROUP ATOMS=1-3 NDX_GROUP=x\n" C "R_0=0.3", ":1:", "NDX_FILE"},
               {"INCLUDE FILE=input.dat\n" C "R_0=0.3", ":1:", "deep"},
               {"INCLUDE FILE=missing.dat\n" C "R_0=0.3", "", "missing.dat"}};
  write_file("index.ndx", "[ OW ]\n1 4 7\n");
  cw_context *context = new_context(1, CW_ISA_AUTO);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    cw_input input;
    cw_status status = read_text(context, cases[k].text, &input);
    if (status == CW_OK) { /* values that the kernel checks */
      cw_coordination *plan = NULL;
      status = cw_coordination_create(context, &input.variables[0].options, &plan);
      ck_assert_msg(status != CW_OK, "accepted: %s", cases[k].text);
      cw_input_clear(&input);
      ck_assert_msg(strstr(cw_context_message(context), cases[k].word) != NULL, "'%s': %s",
                    cases[k].text, cw_context_message(context));
      continue;
    }
    const char *message = cw_context_message(context);
    ck_assert(status == CW_ERROR_INPUT || status == CW_ERROR_IO);
    ck_assert_msg(strstr(message, cases[k].word) != NULL, "'%s': %s", cases[k].text, message);
    ck_assert_msg(strstr(message, cases[k].line) != NULL, "'%s': %s", cases[k].text, message);
  }
  ck_assert_int_eq((int64_t)cw_memory_used(context, CW_SPACE_HOST), 0); /* nothing leaked */
  cw_context_destroy(context);
}
END_TEST

/* More of it: a line with nothing wrong stands first, so that line numbers are not always 1. */
START_TEST(test_more_nonsense_is_refused_by_line_and_name) {
#define OK "o: COORDINATION GROUPA=1-3 R_0=0.2\n"
  static const struct {
    const char *text, *line, *word;
  } cases[] = {{OK "o: COORDINATION GROUPA=1-4 R_0=0.3", ":2:", "taken already"},
               {OK "o: GROUP ATOMS=1-4", ":2:", "taken already"},
               {OK "c: COORDINATION GROUPA=1,,2- R_0=1", ":2:", "2-"},
               {OK C "R_0=0.3 D_0=0,1", ":2:", "D_0"},
               {OK C "R_0=1/0", ":2:", "R_0"},
               {OK C "R_0=sqrt(-1)", ":2:", "R_0"},
               {OK C "R_0=0.3nm", ":2:", "R_0"},
               {OK C "R_0=0.3 NN=6.5", ":2:", "NN"},
               {OK C "R_0=0.3 D_MAX=1", ":2:", "D_MAX"},
               {OK C "R_0=0.3 SWITCH={EXP R_0=0.3}", ":2:", "SWITCH"},
               {OK C "NN=8 SWITCH={EXP R_0=0.3}", ":2:", "NN"},
               {OK C "SWITCH={}", ":2:", "SWITCH"},
               {OK C "SWITCH={HEAVISIDE R_0=0.3}", ":2:", "HEAVISIDE"},
               {OK C "SWITCH={RATIONAL}", ":2:", "R_0"},
               {OK C "SWITCH={EXP R_0=0.3 NN=4}", ":2:", "NN"},
               {OK C "SWITCH={RATIONAL R_0=0.3 D_MAX=zwei}", ":2:", "D_MAX"},
               {OK C "R_0=0.3 GROUPC=1", ":2:", "GROUPC"},
               {OK C "R_0=0.3 groupa=2", ":2:", "twice"},
               {OK C "R_0=0.3 NLIST NLISTCELLS NL_CUTOFF=1 NL_STRIDE=1", ":2:", "NLISTCELLS"},
               {OK C "R_0=0.3 NL_STRIDE=10", ":2:", "NL_STRIDE"},
               {OK C "GROUPB=1-10 PAIR R_0=0.3 NLISTCELLS NL_CUTOFF=1 NL_STRIDE=1", ":2:", "PAIR"},
               {OK C "GROUPB=1-9 PAIR R_0=0.3", ":2:", "equal size"},
               {OK "c: COORDINATION GROUPB=1-10 R_0=0.3", ":2:", "GROUPA"},
               {OK "c: COORDINATION GROUPA=0-3 R_0=0.3", ":2:", "atom 0"},
               {OK "c: COORDINATION GROUPA=5-1 R_0=0.3", ":2:", "5-1"},
               {OK "c: COORDINATION GROUPA=1-5:1:1 R_0=0.3", ":2:", "1-5:1:1"},
               {OK "c: COORDINATION GROUPA=-3 R_0=0.3", ":2:", "-3"},
               {OK "c: COORDINATION GROUPA=o R_0=0.3", ":2:", "'o'"},
               {OK "c: COORDINATION GROUPA={@ndx:} R_0=0.3", ":2:", "@ndx"},
               {OK "c: COORDINATION GROUPA=@ndx:bad.ndx R_0=0.3", "bad.ndx:3:", "atom 101"},
               {OK "c: COORDINATION GROUPA={@ndx:{bad.ndx WORD}} R_0=0.3", "bad.ndx:5:", "number"},
               {OK "PRINT ARG=x FILE=X", ":2:", "ARG=x"},
               {OK "PRINT ARG=o.value FILE=X", ":2:", "o.value"},
               {OK "PRINT ARG=o FILE=X\n\nPRINT ARG=o FILE=X", ":4:", "in line 2 already"},
               {OK "PRINT ARG=o FILE=X RESTART=MAYBE", ":2:", "RESTART"},
               {OK "PRINT ARG=o FILE=X STRIDE=-5", ":2:", "STRIDE"},
               {OK "DUMPDERIVATIVES ARG=o FILE=X FMT=15.10f", ":2:", "FMT"},
               {OK "FLUSH", ":2:", "STRIDE"},
               {OK "FLUSH STRIDE=0", ":2:", "STRIDE"},
               {"UNITS TIME=fortnight\n" OK, ":1:", "fortnight"},
               {"UNITS LENGTH=nan\n" OK, ":1:", "LENGTH"},
               {OK "RESTART MAYBE", ":2:", "MAYBE"},
               {OK "v: CENTER", ":2:", "ATOMS"},
               {OK "v: CENTER ATOMS=1-3 WEIGHTS=a,b,c", ":2:", "WEIGHTS"},
               {OK "v: COM ATOMS=1-3 WEIGHTS=1,1,1", ":2:", "WEIGHTS"},
               {OK "g: GROUP ATOMS=1-3 REMOVE=200", ":2:", "200"},
               {OK "g: GROUP NDX_FILE=bad.ndx NDX_GROUP=none", ":2:", "none"},
               {OK "x{y: COORDINATION GROUPA=1-3 R_0=1", ":2:", "brace"},
               {OK "c: CUDACOORDINATION GROUPA=1-3 R_0=0.3 THREADS=0", ":2:", "THREADS"}};
  write_file("bad.ndx", "[ FAR ]\n1 2\n101\n[ WORD ]\nzwei\n");
  cw_context *context = new_context(1, CW_ISA_AUTO);
  ck_assert_uint_ge(sizeof cases / sizeof *cases, 30);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    cw_input input;
    cw_status status = read_text(context, cases[k].text, &input);
    const char *message = cw_context_message(context);
    ck_assert_msg(status == CW_ERROR_INPUT || status == CW_ERROR_FORMAT, "accepted: %s",
                  cases[k].text);
    ck_assert_msg(strstr(message, cases[k].word) != NULL, "'%s': %s", cases[k].text, message);
    ck_assert_msg(strstr(message, cases[k].line) != NULL, "'%s': %s", cases[k].text, message);
  }
  ck_assert_int_eq((int64_t)cw_memory_used(context, CW_SPACE_HOST), 0); /* nothing leaked */
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  if (!mkdtemp(folder))
    return 1;
  Suite *suite = suite_create("plumed input");
  TCase *tcase = tcase_create("input");
  tcase_add_test(tcase, test_atom_lists);
  tcase_add_test(tcase, test_all_atoms);
  tcase_add_test(tcase, test_spellings_of_one_line_agree);
  tcase_add_test(tcase, test_units_print_and_restart);
  tcase_add_test(tcase, test_nonsense_is_refused_by_line_and_name);
  tcase_add_test(tcase, test_more_nonsense_is_refused_by_line_and_name);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  char command[256];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  return system(command) != 0 || failed != 0;
}
