/* For tests of the program: a folder of the test's own, files in it, runs in it. */
#ifndef CW_TESTS_PROGRAM_SUPPORT_H
#define CW_TESTS_PROGRAM_SUPPORT_H

#include <sys/wait.h>
#include <unistd.h>

#include "coordination_support.h"

static char folder[] = "/tmp/cellwise_program_XXXXXX";

/* Two variables and two files of different strides. */
static const char input[] = "c: COORDINATION GROUPA=1-30 SWITCH={RATIONAL R_0=0.3 D_MAX=0.9}\n"
                            "d: COORDINATION GROUPA=1-5 GROUPB=4-12 R_0=0.1\n"
                            "PRINT ARG=c,d FILE=COLVAR STRIDE=2 FMT=%.12f\n"
                            "DUMPDERIVATIVES ARG=d FILE=DERIV STRIDE=5\n";

static inline void in_folder(const char *name, char path[256]) {
  snprintf(path, 256, "%s/%s", folder, name);
}

static inline void write_text(const char *name, const char *text) {
  char path[256];
  in_folder(name, path);
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  fputs(text, file);
  fclose(file);
}

/* The caller frees it; NULL: there is no such file. */
static inline char *read_file(const char *name) {
  char path[256], *text = NULL;
  size_t size = 0, got;
  in_folder(name, path);
  FILE *file = fopen(path, "r"), *copy = open_memstream(&text, &size);
  if (file) {
    char bytes[4096];
    while ((got = fread(bytes, 1, sizeof bytes, file)) > 0)
      fwrite(bytes, 1, got, copy);
    fclose(file);
  }
  fclose(copy);
  if (file)
    return text;
  free(text);
  return NULL;
}

static inline void write_trajectory(int frames, int atoms) {
  char path[256];
  uint64_t state = 3;
  in_folder("traj.xyz", path);
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  for (int k = 0; k < frames; k++) {
    fprintf(file, "%d\n2 2 2\n", atoms);
    for (int j = 0; j < atoms; j++) {
      double x = 2 * next_uniform(&state), y = 2 * next_uniform(&state);
      fprintf(file, "X %.6f %.6f %.6f\n", x, y, 2 * next_uniform(&state));
    }
  }
  fclose(file);
}

/* Exit status of the program; its messages are left in the file "messages". */
static inline int run_program(const char *arguments) {
  char command[1024];
  snprintf(command, sizeof command, "cd '%s' && '%s' coordination %s >output 2>messages", folder,
           CW_PROGRAM, arguments);
  int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static inline void must_run(const char *arguments) {
  int status = run_program(arguments);
  char *messages = read_file("messages");
  ck_assert_msg(status == 0, "%s: %d: %s", arguments, status, messages);
  free(messages);
}

static inline void must_refuse(const char *arguments, const char *part) {
  int status = run_program(arguments);
  char *messages = read_file("messages");
  ck_assert_msg(status == 2, "%s: exit status %d", arguments, status);
  ck_assert_msg(strstr(messages, part) != NULL, "'%s' is not in: %s", part, messages);
  free(messages);
}

static inline void check_same(const char *name, const char *right) {
  char *text = read_file(name);
  ck_assert_msg(text && strcmp(text, right) == 0, "%s differs", name);
  free(text);
}

static inline void setup(void) {
  char command[256];
  snprintf(command, sizeof command, "rm -rf '%s' && mkdir '%s'", folder, folder);
  ck_assert_int_eq(system(command), 0);
  write_trajectory(23, 30);
  write_text("input.dat", input);
}

#define RUN "input.dat --traj traj.xyz "

/* Runs the cases and removes the folder. */
static inline int run_suite(Suite *suite, TCase *tcase) {
  tcase_set_timeout(tcase, 120);
  tcase_add_checked_fixture(tcase, setup, NULL);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  char command[256];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  return system(command) != 0 || failed != 0;
}

#endif
