/* Decks of engine ecsim, and the closing lines of a test program. */
#ifndef CW_TESTS_ECSIM_RUN_H
#define CW_TESTS_ECSIM_RUN_H

#include <stdlib.h>

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

static inline int run_suite(Suite *suite) {
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? 1 : 0;
}

#endif
