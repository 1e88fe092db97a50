/* Decks of engine ecsim, and the closing lines of a test program. */
#ifndef CW_TESTS_ECSIM_RUN_H
#define CW_TESTS_ECSIM_RUN_H

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

static inline int run_suite(Suite *suite) {
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? 1 : 0;
}

#endif
