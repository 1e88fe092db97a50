/* Loops of the binomial filter, one table an instruction set. */
#ifndef CW_FIELDS_FILTERS_CPU_H
#define CW_FIELDS_FILTERS_CPU_H

#include "base/isa.h"
#include <cellwise/grid.h>

/* Columns that are filtered together along axes 1 and 2: two 64-byte lines of floats. */
enum { CW_FILTER_WIDTH = 32 };

/* All passes along one axis, in one sweep over the array. A line is copied to a buffer together
 * with `passes` values that continue it on each side (index and sign from the maps, zero where the
 * sign is 0), filtered there, and copied back without them. */
typedef struct cw_filter_job {
  const cw_grid *grid;
  int threads, axis, passes;
  int32_t first[3], last[3]; /* values that an array holds of its own, by axis */
  const int32_t *source[2];  /* [passes] indices below the line and above it */
  const int *sign[2];
  void *array;
  void *work; /* a buffer a thread, of cw_filter_buffer values each */
} cw_filter_job;

static inline int64_t cw_filter_buffer(const cw_filter_job *job) {
  int64_t length = job->last[job->axis] - job->first[job->axis] + 1 + 2 * job->passes;
  int64_t values = job->axis == 0 ? 2 * (length + CW_FILTER_WIDTH) : CW_FILTER_WIDTH * length;
  return (values + CW_FILTER_WIDTH) / CW_FILTER_WIDTH * CW_FILTER_WIDTH;
}

typedef struct cw_filter_cpu_table {
  void (*sweep[2])(const cw_filter_job *job); /* by cw_precision */
} cw_filter_cpu_table;

CW_ISA_DECLARE(cw_filter_cpu_table, cw_filter_cpu_ops);

#endif
