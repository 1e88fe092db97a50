/* How long a deck's run will take, from a short run of a small one like it, here and now. */
#ifndef CW_CLI_CHECK_TIME_H
#define CW_CLI_CHECK_TIME_H

#include "cli/check_scales.h"
#include "engine/engine.h"

typedef struct cw_check_time {
  double seconds;                      /* of all steps, without output */
  double ns_per_particle, ns_per_cell; /* of a step */
  int64_t particles, steps;            /* that were timed */
  int threads;
} cw_check_time;

/* Times some steps of a periodic box of the deck's cells, species, engine and keys, at most
 * CW_CHECK_TIMED particles at the deck's mean density; takes about half a second. What depends on
 * particles and what depends on cells is scaled up each on its own. Larger boxes leave the caches:
 * they take longer than this says, on the CPU by up to some two times. Errors: those of making and
 * stepping an engine. */
cw_status cw_check_time_measure(cw_context *context, const cw_deck *deck,
                                const cw_check_scales *scales, double particles,
                                cw_check_time *time);
enum { CW_CHECK_TIMED = 65536 };
#endif
