/* The problems' parts, which problems.c gathers into cw_problems[]. */
#ifndef CW_SETUP_PROBLEMS_H
#define CW_SETUP_PROBLEMS_H

#include "setup/setup.h"

#define CW_PROBLEM_DECLARE(name)                                                                   \
  extern const cw_problem_key cw_##name##_keys[];                                                  \
  cw_status cw_##name##_check(cw_context *context, const cw_deck *deck);                           \
  int64_t cw_##name##_expected(const cw_deck *deck, int species);                                  \
  cw_status cw_##name##_fill(const cw_setup_target *target);                                       \
  void cw_##name##_scales(const cw_deck *deck, int species, cw_species_scales *scales)

CW_PROBLEM_DECLARE(orbits);
CW_PROBLEM_DECLARE(langmuir);
CW_PROBLEM_DECLARE(two_stream);
CW_PROBLEM_DECLARE(weibel);
CW_PROBLEM_DECLARE(thermal);
CW_PROBLEM_DECLARE(reconnection);
CW_PROBLEM_DECLARE(light_wave);
CW_PROBLEM_DECLARE(whistler);
CW_PROBLEM_DECLARE(double_harris);
CW_PROBLEM_DECLARE(gem);
CW_PROBLEM_DECLARE(expressions);
CW_PROBLEM_DECLARE(hdf5);
CW_PROBLEM_DECLARE(state);
cw_status cw_state_resolve(cw_context *context, cw_deck *deck);

#endif
