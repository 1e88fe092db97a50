/* What the tests of checkpoints share: decks whose bits hang on more than fields and particles, and
 * the comparison of a resumed run with an unbroken one. */
#ifndef CW_TESTS_CLI_RESUME_CASE_H
#define CW_TESTS_CLI_RESUME_CASE_H

#include <hdf5.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <time.h>

#include <cellwise/cellwise.h>

#include "base/context_private.h"
#include "base/seal.h"
#include "output/output.h"
#include "program.h"

/* The deck of program.h with intervals that do not divide each other: a checkpoint stands between
 * sorts, rows and field files. */
static const char resume_options[] = "--set particles.spatial_sorting_interval=5 "
                                     "--set checkpoint.interval=7 --set output.interval=9 "
                                     "--set output.stats.interval=4 "
                                     "--set output.spectra.enable=true "
                                     "--set output.spectra.interval=5 "
                                     "--set output.spectra.n_bins=20";
/* The same for engine ecsim, whose solver begins each step from the fields of the last. */
static const char ecsim_deck[] =
    "[simulation]\nname = \"semi\"\nengine = \"ecsim\"\nruntime = 1000.0\n"
    "[grid]\nresolution = [24]\nextent = [[0.0, 6.0]]\n[grid.metric]\nmetric = \"minkowski\"\n"
    "[grid.boundaries]\nfields = [[\"PERIODIC\"]]\nparticles = [[\"PERIODIC\"]]\n"
    "[scales]\nlarmor0 = 1.0\nskindepth0 = 1.0\n[algorithms]\ntimestep.dt = 0.2\n"
    "ecsim.smoothing_passes = 1\n[particles]\nppc0 = 16.0\n"
    "[[particles.species]]\nlabel = \"electrons\"\nmass = 1.0\ncharge = -1.0\n"
    "[[particles.species]]\nlabel = \"positrons\"\nmass = 1.0\ncharge = 1.0\n"
    "[setup]\nproblem = \"thermal\"\ntemperature = 0.1\n"
    "[output]\ninterval = 9\nstats.interval = 4\nspectra.interval = 5\nspectra.n_bins = 20\n"
    "[checkpoint]\ninterval = 7\n";

/* Runs to the end; the hash of the final state. */
static inline void run_to_end(const char *arguments, char sha256[65]) {
  const program_result *result = program_run("run --json --quiet %s", arguments);
  ck_assert_msg(result->status == 0, "%s: status %d: %s", arguments, result->status, result->err);
  json_t *table = json_loads(result->out, 0, NULL);
  ck_assert_msg(table != NULL, "not one JSON document: %s", result->out);
  snprintf(sha256, 65, "%s", json_string_value(json_object_get(table, "sha256")));
  ck_assert_uint_eq(strlen(sha256), 64);
  json_decref(table);
}

/* The steps, values and names of history.csv up to the seconds, which no two runs share. */
static inline char *history_of(const char *folder) {
  char name[128], *text = malloc(PROGRAM_TEXT), *to = text;
  snprintf(name, sizeof name, "%s/history.csv", folder);
  program_read(program_path(name), text, PROGRAM_TEXT);
  const char *seconds = strstr(text, ",seconds_");
  ck_assert_ptr_nonnull(seconds);
  int columns = 1;
  for (const char *at = text; at <= seconds; at++)
    columns += *at == ',';
  for (const char *line = text; *line;) {
    const char *end = strchr(line, '\n');
    ck_assert_ptr_nonnull(end);
    int column = 1;
    for (; line < end && column < columns; line++) {
      column += *line == ',';
      if (column < columns)
        *to++ = *line;
    }
    *to++ = '\n';
    line = end + 1;
  }
  *to = '\0';
  return text;
}

static inline void check_same_history(const char *a, const char *b) {
  char *first = history_of(a), *second = history_of(b);
  ck_assert_str_eq(first, second);
  free(first);
  free(second);
}

static inline void check_same_field(cw_context *context, const char *a, const char *b,
                                    const char *record, const char *component) {
  int dim[2];
  int64_t cells[2][3] = {{1, 1, 1}, {1, 1, 1}};
  double spacing[3], offset[3], *values[2];
  const char *const paths[2] = {a, b};
  for (int k = 0; k < 2; k++)
    ck_assert_msg(cw_output_read_field(context, paths[k], record, component, &dim[k], cells[k],
                                       spacing, offset, &values[k]) == CW_OK,
                  "%s", cw_context_message(context));
  ck_assert_int_eq(memcmp(cells[0], cells[1], sizeof cells[0]), 0);
  ck_assert_msg(memcmp(values[0], values[1], (size_t)cells[0][0] * sizeof(double)) == 0,
                "%s differs in %s", record, b);
  CW_DELETE(context, values[0]);
  CW_DELETE(context, values[1]);
}

/* Field files at the same steps, with the same bits in each record. */
static inline void check_same_fields(const char *a, const char *b) {
  static const char *const records[] = {"E", "B", "J"}, *const components[] = {"x", "y", "z"};
  static const char *const scalars[] = {"rho", "density_electrons", "density_positrons"};
  cw_context *context;
  char path[1024], other[1024];
  int count = 0;
  ck_assert(cw_context_create(NULL, &context, NULL, 0) == CW_OK);
  DIR *directory = opendir(program_path(a));
  for (struct dirent *entry; (entry = readdir(directory));) {
    if (strncmp(entry->d_name, "fields_", 7) != 0)
      continue;
    snprintf(path, sizeof path, "%s/%s", program_path(a), entry->d_name);
    snprintf(other, sizeof other, "%s/%s", program_path(b), entry->d_name);
    for (int r = 0; r < 3; r++) {
      for (int c = 0; c < 3; c++)
        check_same_field(context, path, other, records[r], components[c]);
      check_same_field(context, path, other, scalars[r], NULL);
    }
    count++;
  }
  closedir(directory);
  int there = 0;
  directory = opendir(program_path(b));
  for (struct dirent *entry; (entry = readdir(directory));)
    there += strncmp(entry->d_name, "fields_", 7) == 0;
  closedir(directory);
  ck_assert_int_gt(count, 1);
  ck_assert_int_eq(there, count);
  cw_context_destroy(context);
}

/* The same for spectra, whose files have an interval of their own. */
static inline void check_same_spectra(const char *a, const char *b) {
  cw_context *context;
  char path[1024], other[1024], folder[512];
  int count = 0;
  ck_assert(cw_context_create(NULL, &context, NULL, 0) == CW_OK);
  snprintf(folder, sizeof folder, "%s/spectra", program_path(a));
  DIR *directory = opendir(folder);
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    if (strncmp(entry->d_name, "spectra_", 8) != 0)
      continue;
    snprintf(path, sizeof path, "%s/spectra/%s", program_path(a), entry->d_name);
    snprintf(other, sizeof other, "%s/spectra/%s", program_path(b), entry->d_name);
    check_same_field(context, path, other, "spectrum_electrons", NULL);
    check_same_field(context, path, other, "spectrum_positrons", NULL);
    count++;
  }
  ck_assert_ptr_nonnull(directory);
  closedir(directory);
  snprintf(folder, sizeof folder, "%s/spectra", program_path(b));
  ck_assert_int_gt(count, 1);
  ck_assert_int_eq(program_count_begin(folder, "spectra_"), count);
  cw_context_destroy(context);
}

static inline void check_same_run(const char *a, const char *b) {
  check_same_spectra(a, b);
  check_same_history(a, b);
  check_same_fields(a, b);
}

#endif
