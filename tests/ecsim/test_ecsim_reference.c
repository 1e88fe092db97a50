/* The program against the energies of a public code (tests/golden/ecsim), from its state. */
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ecsim/ecsim_run.h"
#include "output/output.h"

#define GOLDEN CW_SOURCE_DIR "/tests/golden/ecsim/"

/* Cycle, electric, magnetic and kinetic energy of the reference's first ten cycles. */
static void read_reference(double rows[10][4]) {
  FILE *stream = fopen(GOLDEN "ecsim_dh_small_energy.csv", "r");
  char line[256];
  ck_assert_ptr_nonnull(stream);
  ck_assert_ptr_nonnull(fgets(line, sizeof line, stream));
  for (int k = 0; k < 10; k++) {
    ck_assert_ptr_nonnull(fgets(line, sizeof line, stream));
    ck_assert_int_eq(
        sscanf(line, "%lf,%lf,%lf,%lf", &rows[k][0], &rows[k][1], &rows[k][2], &rows[k][3]), 4);
  }
  fclose(stream);
}

static int column(const cw_table *table, const char *name) {
  for (int c = 0; c < table->columns; c++)
    if (strcmp(table->names[c], name) == 0)
      return c;
  ck_abort_msg("history.csv has no column %s", name);
}

/* The state is cycle 1, so step n is cycle n + 1. Summation order and solver differ from the
 * public code's: 1e-15 at first, which the particles' motion enlarges to 2e-13 by cycle 10. */
START_TEST(test_energies_of_the_reference_run) {
  static const char *const pipelines[] = {"unsorted", "sorted", "matrix"};
  static const char *const names[] = {"electric_energy", "magnetic_energy", "kinetic_energy"};
  char folder[] = "/tmp/cellwise-ecsim-XXXXXX", command[2048], path[128];
  double rows[10][4];
  ck_assert_ptr_nonnull(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/deck.toml", folder);
  FILE *deck = fopen(path, "w");
  fprintf(deck,
          "[simulation]\nname = \"reference\"\nengine = \"ecsim\"\n[setup]\nproblem = \"state\"\n"
          "file = \"" GOLDEN "ecsim_dh_small.h5\"\n[output]\ninterval = 0\n[output.stats]\n"
          "interval = 1\n[algorithms.ecsim]\npipeline = \"%s\"\n",
          pipelines[_i]);
  fclose(deck);
  snprintf(command, sizeof command,
           CW_PROGRAM " run %s --steps 9 --out %s/out --quiet --threads 2 > %s/log 2>&1", path,
           folder, folder);
  ck_assert_msg(system(command) == 0, "failed: %s", command);
  read_reference(rows);
  cw_context *context;
  cw_table *table;
  ck_assert_int_eq(cw_context_create(NULL, &context, NULL, 0), CW_OK);
  snprintf(path, sizeof path, "%s/out/history.csv", folder);
  CW_CHECK_OK(context, cw_table_read(context, path, &table));
  ck_assert_int_eq(table->rows, 10);
  for (int k = 0; k < 10; k++)
    for (int c = 0; c < 3; c++) {
      const double found = table->values[k * table->columns + column(table, names[c])];
      const double error = fabs(found / rows[k][c + 1] - 1);
      ck_assert_msg(error <= 1e-11, "cycle %.0f, %s: %.16e; expected %.16e", rows[k][0], names[c],
                    found, rows[k][c + 1]);
    }
  cw_table_destroy(table);
  cw_context_destroy(context);
  snprintf(command, sizeof command, "rm -r %s", folder);
  ck_assert_int_eq(system(command), 0);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("ecsim reference");
  TCase *tests = tcase_create("a public code's run");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_energies_of_the_reference_run, 0, 3);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
