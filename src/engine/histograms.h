/* Weights of particles counted in bins of place, momentum and energy. */
#ifndef CW_ENGINE_HISTOGRAMS_H
#define CW_ENGINE_HISTOGRAMS_H

#include "engine/engine.h"

enum { CW_HISTOGRAM_AXES = 4 };

/* A histogram of one species over `rank` axes, the first one fastest. */
typedef struct cw_histogram {
  int rank;
  cw_deck_axis axis[CW_HISTOGRAM_AXES];
  int64_t count;  /* of bins in all */
  double *weight; /* [count]; owned */
  /* Weight of particles that fell out: counted once, by the first axis that they miss. */
  double below[CW_HISTOGRAM_AXES], above[CW_HISTOGRAM_AXES];
  double total; /* of all live particles: what is in bins, below and above */
} cw_histogram;

/* Counts a species by the axes given in the zeroed `histogram`: a bin holds low <= value < high.
 * Momenta are those at the time of the fields; sums have the same bits for any number of threads.
 * Free with cw_histogram_clear. Errors: as cw_engine_each_part. */
cw_status cw_histogram_count(cw_engine *engine, int species, cw_histogram *histogram);
void cw_histogram_clear(cw_context *context, cw_histogram *histogram);

#endif
