/* What the tests of the output share: a folder of their own, a context, a grid with known values.
 */
#ifndef CW_TESTS_OUTPUT_FIXTURE_H
#define CW_TESTS_OUTPUT_FIXTURE_H

#include <check.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cellwise/cellwise.h>

#include "base/context_private.h"
#include "output/output.h"

static cw_context *context;
static char folder[256];

static inline void fixture_begin(void) {
  char message[256];
  snprintf(folder, sizeof folder, "/tmp/cellwise_test_XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  ck_assert_msg(cw_context_create(NULL, &context, message, sizeof message) == CW_OK, "%s", message);
}

/* Removes the files of one level and the folder. */
static inline void remove_folder(const char *path) {
  DIR *directory = opendir(path);
  if (!directory)
    return;
  for (struct dirent *entry; (entry = readdir(directory));) {
    char name[1024];
    snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      unlink(name);
  }
  closedir(directory);
  rmdir(path);
}

static inline void fixture_end(void) {
  ck_assert_uint_eq(cw_memory_used(context, CW_SPACE_HOST), 0);
  cw_context_destroy(context);
  remove_folder(folder);
}

static inline int count_entries(const char *path) {
  int count = 0;
  DIR *directory = opendir(path);
  if (!directory)
    return -1;
  for (struct dirent *entry; (entry = readdir(directory));)
    count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
  closedir(directory);
  return count;
}

static inline const char *in_folder(const char *name) {
  static char path[4][1024];
  static int turn;
  turn = (turn + 1) % 4;
  snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
  return path[turn];
}

static inline void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_ge(fputs(text, file), 0);
  ck_assert_int_eq(fclose(file), 0);
}

/* A disk that is full after so many bytes a file: writes fail with "File too large". */
static inline void limit_file_size(rlim_t bytes) {
  struct rlimit limit = {bytes, RLIM_INFINITY};
  signal(SIGXFSZ, SIG_IGN);
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

#define ck_ok(call) ck_assert_msg((call) == CW_OK, "%s", cw_context_message(context))
/* As ck_fails with files limited to `bytes`; Check's own files must not be. */
#define ck_fails_when_full(bytes, call, status, part)                                              \
  do {                                                                                             \
    limit_file_size(bytes);                                                                        \
    cw_status found = (call);                                                                      \
    limit_file_size(RLIM_INFINITY);                                                                \
    ck_fails(found, (status), (part));                                                             \
  } while (0)
#define ck_fails(call, status, part)                                                               \
  do {                                                                                             \
    ck_assert_int_eq((call), (status));                                                            \
    ck_assert_msg(strstr(cw_context_message(context), (part)) != NULL, "message: %s",              \
                  cw_context_message(context));                                                    \
  } while (0)

static inline cw_grid make_grid(int dim, int32_t nx, int32_t ny, int32_t nz) {
  cw_grid grid;
  int32_t cells[3] = {nx, ny, nz};
  double origin[3] = {-1.5, 2.25, 10.0}, dx[3] = {0.5, 0.25, 2.0};
  ck_ok(cw_grid_init(context, &grid, dim, cells, 3, origin, dx));
  return grid;
}

/* A value that tells its component and index; exact in float. */
static inline double known_value(int component, int64_t i, int64_t j, int64_t k) {
  return (double)(component * 100000 + i + 20 * j + 400 * k) + 0.25;
}

/* An array over the grid, known inside, poisoned in the ghost cells. Freed with CW_DELETE. */
static inline void *make_array(const cw_grid *grid, cw_precision precision, int component) {
  float *single = NULL;
  double *full = NULL;
  if (precision == CW_SINGLE)
    ck_ok(CW_NEW(context, grid->points, "test", &single));
  else
    ck_ok(CW_NEW(context, grid->points, "test", &full));
  for (int64_t n = 0; n < grid->points; n++) {
    if (single)
      single[n] = -1e30f;
    else
      full[n] = -1e30;
  }
  for (int64_t k = 0; k < grid->cells[2]; k++)
    for (int64_t j = 0; j < grid->cells[1]; j++)
      for (int64_t i = 0; i < grid->cells[0]; i++) {
        int64_t n = cw_grid_index(grid, i, j, k);
        if (single)
          single[n] = (float)known_value(component, i, j, k);
        else
          full[n] = known_value(component, i, j, k);
      }
  return single ? (void *)single : (void *)full;
}

static inline int run_suite(TCase *cases) {
  Suite *suite = suite_create("output");
  tcase_add_checked_fixture(cases, fixture_begin, fixture_end);
  tcase_set_timeout(cases, 60);
  suite_add_tcase(suite, cases);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
