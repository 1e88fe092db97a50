/* The program as a user meets it: a command line in a folder of its own, what it prints, its exit
 * status, and what it leaves behind. */
#ifndef CW_TESTS_CLI_PROGRAM_H
#define CW_TESTS_CLI_PROGRAM_H

#include <check.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds a command; bytes kept of a stream. */
enum { PROGRAM_LIMIT = 240, PROGRAM_TEXT = 1 << 18 };

static char program_session[64]; /* holds every case's root; goes even when a case fails */
static char program_root[128];   /* stdout.txt, stderr.txt and work/, where commands run */

typedef struct program_result {
  int status; /* exit status; 128 + number when a signal ended the command */
  char out[PROGRAM_TEXT], err[PROGRAM_TEXT];
} program_result;

/* 24 cells, 8 particles a cell and species: two beams, charges in balance, 8 steps. */
static const char program_deck[] = "[simulation]\n"
                                   "name = \"beams\"\n"
                                   "engine = \"srpic\"\n"
                                   "runtime = 0.72\n"
                                   "precision = \"double\"\n"
                                   "\n"
                                   "[grid]\n"
                                   "resolution = [24]\n"
                                   "extent = [[0.0, 2.4]]\n"
                                   "[grid.metric]\n"
                                   "metric = \"minkowski\"\n"
                                   "[grid.boundaries]\n"
                                   "fields = [[\"PERIODIC\"]]\n"
                                   "particles = [[\"PERIODIC\"]]\n"
                                   "\n"
                                   "[scales]\n"
                                   "larmor0 = 1.0\n"
                                   "skindepth0 = 1.0\n"
                                   "\n"
                                   "[algorithms]\n"
                                   "timestep.CFL = 0.9\n"
                                   "deposit.shape_order = 2\n"
                                   "deposit.tiled_deposit_tile_size = 4\n"
                                   "\n"
                                   "[particles]\n"
                                   "ppc0 = 16.0\n"
                                   "spatial_sorting_interval = 2\n"
                                   "[[particles.species]]\n"
                                   "label = \"electrons\"\n"
                                   "mass = 1.0\n"
                                   "charge = -1.0\n"
                                   "[[particles.species]]\n"
                                   "label = \"positrons\"\n"
                                   "mass = 1.0\n"
                                   "charge = 1.0\n"
                                   "\n"
                                   "[setup]\n"
                                   "problem = \"thermal\"\n"
                                   "temperature = 0.1\n"
                                   "\n"
                                   "[output]\n"
                                   "interval = 4\n"
                                   "stats.interval = 2\n"
                                   "particles.enable = false\n"
                                   "spectra.enable = false\n";
enum { PROGRAM_STEPS = 8, PROGRAM_CELLS = 24 };

/* A path below the folder that commands run in; four may be in use at a time. */
static inline const char *program_path(const char *name) {
  static char path[4][512];
  static int turn;
  turn = (turn + 1) % 4;
  snprintf(path[turn], sizeof *path, "%s/work/%s", program_root, name);
  return path[turn];
}

static inline void program_write(const char *name, const char *text) {
  FILE *file = fopen(program_path(name), "w");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_ge(fputs(text, file), 0);
  ck_assert_int_eq(fclose(file), 0);
}

/* A whole text file; the part that does not fit is cut. */
static inline void program_read(const char *path, char *text, size_t size) {
  FILE *file = fopen(path, "r");
  ck_assert_msg(file != NULL, "%s is not there", path);
  text[fread(text, 1, size - 1, file)] = '\0';
  fclose(file);
}

static inline int program_exists(const char *name) {
  return access(program_path(name), F_OK) == 0;
}

/* Entries of a folder whose name begins so. */
static inline int program_count_begin(const char *folder, const char *begin) {
  DIR *directory = opendir(folder);
  int count = 0;
  for (struct dirent *entry; directory && (entry = readdir(directory));)
    count += strncmp(entry->d_name, begin, strlen(begin)) == 0;
  if (directory)
    closedir(directory);
  return count;
}

/* Entries below a folder, itself not counted; those whose name ends with `suffix` unless NULL. */
static inline int program_count(const char *folder, const char *suffix) {
  DIR *directory = opendir(folder);
  int count = 0;
  if (!directory)
    return 0;
  for (struct dirent *entry; (entry = readdir(directory));) {
    char path[2048];
    struct stat found;
    size_t length = strlen(entry->d_name), tail = suffix ? strlen(suffix) : 0;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
      continue;
    if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path)
      continue;
    count += length >= tail && strcmp(entry->d_name + length - tail, suffix ? suffix : "") == 0;
    if (lstat(path, &found) == 0 && S_ISDIR(found.st_mode))
      count += program_count(path, suffix);
  }
  closedir(directory);
  return count;
}

static inline void program_remove(const char *folder) {
  DIR *directory = opendir(folder);
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    char path[2048];
    struct stat found;
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
      continue;
    if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path)
      continue;
    if (lstat(path, &found) == 0 && S_ISDIR(found.st_mode))
      program_remove(path);
    else
      unlink(path);
  }
  if (directory)
    closedir(directory);
  rmdir(folder);
}

static inline void program_begin(void) {
  snprintf(program_root, sizeof program_root, "%s/XXXXXX", program_session);
  ck_assert_ptr_nonnull(mkdtemp(program_root));
  ck_assert_int_eq(mkdir(program_path(""), 0777), 0);
  program_write("deck.toml", program_deck);
}

static inline void program_end(void) {
  program_remove(program_root);
}

/* Starts the shell command in the work folder; the program's path is in $CELLWISE. It ends itself
 * after PROGRAM_LIMIT seconds. */
static inline pid_t program_start(const char *command) {
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child)
    return child;
  char out[256], err[256];
  snprintf(out, sizeof out, "%s/stdout.txt", program_root);
  snprintf(err, sizeof err, "%s/stderr.txt", program_root);
  alarm(PROGRAM_LIMIT);
  /* Tests share the processors: idle threads should sleep, not spin. */
  setenv("OMP_WAIT_POLICY", "passive", 1);
  setenv("CELLWISE", CW_PROGRAM, 1);
  if (chdir(program_path("")) != 0 || !freopen(out, "w", stdout) || !freopen(err, "w", stderr))
    _exit(126);
  execl("/bin/sh", "sh", "-c", command, (char *)NULL);
  _exit(127);
}

static inline void program_finish(pid_t child, program_result *result) {
  int state;
  char path[256];
  ck_assert_int_eq(waitpid(child, &state, 0), child);
  result->status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
  snprintf(path, sizeof path, "%s/stdout.txt", program_root);
  program_read(path, result->out, sizeof result->out);
  snprintf(path, sizeof path, "%s/stderr.txt", program_root);
  program_read(path, result->err, sizeof result->err);
}

/* Runs `cellwise ARGUMENTS` (a shell's words); the result is static, good until the next call. */
static inline program_result *program_run(const char *format, ...) {
  static program_result result;
  char arguments[2048], command[2100];
  va_list list;
  va_start(list, format);
  vsnprintf(arguments, sizeof arguments, format, list);
  va_end(list);
  snprintf(command, sizeof command, "exec \"$CELLWISE\" %s", arguments);
  program_finish(program_start(command), &result);
  return &result;
}

static inline int program_occurrences(const char *text, const char *part) {
  int count = 0;
  for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
    count++;
  return count;
}

static inline int program_suite(const char *name, TCase *cases) {
  snprintf(program_session, sizeof program_session, "/tmp/cellwise_cli_XXXXXX");
  if (!mkdtemp(program_session))
    return EXIT_FAILURE;
  Suite *suite = suite_create(name);
  tcase_add_checked_fixture(cases, program_begin, program_end);
  tcase_set_timeout(cases, 240);
  suite_add_tcase(suite, cases);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  program_remove(program_session);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
