/* Decks of engine ecsim, and the closing lines of a test program. */
#ifndef CW_TESTS_ECSIM_RUN_H
#define CW_TESTS_ECSIM_RUN_H

#include <math.h>
#include <stdlib.h>

#include "base/reals.h"
#include "engine/ecsim.h"
#include "engine/engine_deck.h"

#define ECSIM_HEAD                                                                                 \
  "[simulation]\nname = \"ecsim\"\nengine = \"ecsim\"\nruntime = 1000.0\n[grid.metric]\n"          \
  "metric = \"minkowski\"\n"

#define SIDES_1D "[grid.boundaries]\nfields = [[\"PERIODIC\"]]\nparticles = [[\"PERIODIC\"]]\n"
#define SIDES_3D                                                                                   \
  "[grid.boundaries]\nfields = [[\"PERIODIC\"], [\"PERIODIC\"], [\"PERIODIC\"]]\n"                 \
  "particles = [[\"PERIODIC\"], [\"PERIODIC\"], [\"PERIODIC\"]]\n"

#define ECSIM_SPECIES(label, mass, charge)                                                         \
  "[[particles.species]]\nlabel = \"" label "\"\nmass = " mass "\ncharge = " charge "\n"

static inline double total_energy(engine_fixture *f) {
  cw_engine_diagnostics found;
  CW_CHECK_OK(f->context, cw_engine_diagnose(f->engine, &found));
  return found.total_energy;
}

/* Copies of three arrays over the grid; copy[] is NULL at first and freed by the caller. */
static inline void keep_vector(const cw_grid *grid, cw_vector_view view, double *copy[3]) {
  for (int c = 0; c < 3; c++) {
    copy[c] = realloc(copy[c], (size_t)grid->points * sizeof(double));
    memcpy(copy[c], view.component[c], (size_t)grid->points * sizeof(double));
  }
}

/* Sum of |now - before|^2 over cells; axis a of `walls` (bits): over nodes, one more than cells,
 * those at its ends by half. */
static inline double squared_change(const cw_grid *grid, cw_vector_view now,
                                    double *const before[3], int walls) {
  double sum = 0;
  int32_t last[3];
  for (int a = 0; a < 3; a++)
    last[a] = grid->cells[a] - 1 + (walls >> a & 1);
  for (int c = 0; c < 3; c++)
    for (int32_t k = 0; k <= last[2]; k++)
      for (int32_t j = 0; j <= last[1]; j++)
        for (int32_t i = 0; i <= last[0]; i++) {
          const int32_t place[3] = {i, j, k};
          const int64_t at = cw_grid_index(grid, i, j, k);
          const double change = ((const double *)now.component[c])[at] - before[c][at];
          double share = 1;
          for (int a = 0; a < 3; a++)
            if ((walls >> a & 1) && (place[a] == 0 || place[a] == last[a]))
              share *= 0.5;
          sum += share * change * change;
        }
  return sum;
}

/* dW = -(V / th) sum E' . r - (th - 1/2) V sum (|dE|^2 + |dB|^2) over so many steps, sums over nodes
 * with their shares of a cell between `walls` (bits). One step's change is to be at least `seen` of
 * the energy. */
static inline void check_identity(engine_fixture *f, double theta, int walls, int steps,
                                  double seen) {
  const cw_grid *grid = cw_engine_grid(f->engine);
  cw_ecsim_fields *fields = cw_engine_ecsim_fields(f->engine);
  const double V = grid->dx[0] * grid->dx[1] * grid->dx[2];
  double *E[3] = {NULL}, *B[3] = {NULL}, largest = 0, before = total_energy(f), total = before;
  for (int k = 0; k < steps; k++) {
    keep_vector(grid, cw_ecsim_E(fields), E);
    keep_vector(grid, cw_ecsim_B(fields), B);
    engine_steps(f, 1);
    const double now = total_energy(f);
    const double damped = squared_change(grid, cw_ecsim_E(fields), E, walls) +
                          squared_change(grid, cw_ecsim_B(fields), B, 0);
    const double expected =
        -V / theta * cw_engine_ecsim_report(f->engine).work - (theta - 0.5) * V * damped;
    ck_assert_msg(fabs(now - before - expected) <= 2e-14 * total,
                  "walls %d, step %d: the energy changes by %.6e; expected %.6e", walls, k + 1,
                  now - before, expected);
    largest = cw_larger(largest, fabs(expected));
    before = now;
  }
  ck_assert_msg(largest >= seen * total, "the identity was not put to the test: %.1e", largest);
  for (int c = 0; c < 3; c++)
    free(E[c]), free(B[c]);
}

static inline int run_suite(Suite *suite) {
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? 1 : 0;
}

#endif
