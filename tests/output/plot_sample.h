/* A small run's folder to draw: a current sheet in 1, 2 or 3 dimensions and its history. */
#ifndef CW_TESTS_OUTPUT_PLOT_SAMPLE_H
#define CW_TESTS_OUTPUT_PLOT_SAMPLE_H

#include <math.h>

#include "output/output_fixture.h"

enum { SAMPLE_STEP = 40, SAMPLE_WIDTH = 1400 };

static inline void write_sample_history(void) {
  static const char *const names[6] = {
      "step", "time", "electric_energy", "magnetic_energy", "kinetic_energy", "total_energy"};
  cw_history *history;
  ck_ok(cw_history_create(context, folder, names, 6, &history));
  for (int n = 0; n <= SAMPLE_STEP; n++) {
    double electric = 0.01 * n, magnetic = 10 - 0.02 * n, kinetic = 20 + 0.01 * n;
    ck_ok(cw_history_append(history, (double[]){n, 0.25 * n, electric, magnetic, kinetic,
                                                electric + magnetic + kinetic}));
  }
  ck_ok(cw_history_close(history));
}

/* B = tanh(y) along x, and a density 1 / cosh(y)^2 + 0.1 of species "electrons". */
static inline void write_sample_fields(int dim, int64_t step) {
  cw_grid grid = make_grid(dim, 24, 16, 8);
  cw_output_record records[2] = {
      {.name = "B", .components = 3, .precision = CW_DOUBLE},
      {.name = "density_electrons", .components = 1, .precision = CW_DOUBLE}};
  double *arrays[4];
  for (int c = 0; c < 4; c++)
    ck_ok(CW_NEW(context, grid.points, "test", &arrays[c]));
  for (int64_t n = 0; n < grid.points; n++) {
    double y = dim == 1 ? (double)n - 15 : (double)(n / grid.stride[1] % grid.size[1]) - 11;
    arrays[0][n] = tanh(y);
    arrays[3][n] = 0.1 + 1 / (cosh(y) * cosh(y));
  }
  for (int c = 0; c < 3; c++)
    records[0].data[c] = arrays[c];
  records[1].data[0] = arrays[3];
  const cw_output_time when = {.step = step, .time = 0.25 * (double)step, .dt = 0.25};
  ck_ok(cw_output_write_fields(context, folder, NULL, &grid, &when, records, 2));
  for (int c = 0; c < 4; c++)
    CW_DELETE(context, arrays[c]);
}

/* Width and height from the header chunk of a PNG file, after a check of its signature. */
static inline void read_png_size(const char *path, unsigned *width, unsigned *height) {
  static const unsigned char expected[16] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n',
                                             0,    0,   0,   13,  'I',  'H',  'D',  'R'};
  unsigned char start[24] = {0};
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s is not there", path);
  ck_assert_uint_eq(fread(start, 1, sizeof start, file), sizeof start);
  fclose(file);
  ck_assert_int_eq(memcmp(start, expected, sizeof expected), 0);
  *width =
      (unsigned)start[16] << 24 | (unsigned)start[17] << 16 | (unsigned)start[18] << 8 | start[19];
  *height =
      (unsigned)start[20] << 24 | (unsigned)start[21] << 16 | (unsigned)start[22] << 8 | start[23];
}

static inline int no_gnuplot(void) {
  if (system("gnuplot --version >/dev/null 2>&1") == 0)
    return 0;
  printf("skipped: gnuplot is not installed\n");
  return 1;
}

#endif
