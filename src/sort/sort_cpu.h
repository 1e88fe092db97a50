/* Hot loops of the sort, one table an instruction set. */
#ifndef CW_SORT_SORT_CPU_H
#define CW_SORT_SORT_CPU_H

#include <stddef.h>
#include <stdint.h>

#include <cellwise/particles.h>

#include "base/isa.h"
#include "sort/key_body.h"

/* Places [begin, next run's begin) come from slots source, source + 1, ... */
typedef struct cw_sort_run {
  uint32_t source, begin;
} cw_sort_run;

enum { CW_RUN_OVERSHOOT = 64 }; /* bytes that copy_runs may write behind its last item */

typedef struct cw_sort_cpu {
  /* Keys of slots [begin, begin + n). */
  void (*keys)(const cw_key_rule *rule, const cw_particles_view *particles, int64_t begin,
               int64_t n, uint32_t *keys);
  /* destination[k] = source[index[k]], k < n, items of 1, 2, 4 or 8 bytes. */
  void (*gather)(int64_t n, const uint32_t *index, size_t item_size, const void *source,
                 void *destination);
  /* Writes the runs of index[0 .. n) and one that ends the last; returns their number (n > 0). */
  int64_t (*find_runs)(int64_t n, const uint32_t *index, cw_sort_run *runs);
  /* The same gather by runs; source has source_count items and is not read behind them. */
  void (*copy_runs)(int64_t run_count, const cw_sort_run *runs, size_t item_size,
                    int64_t source_count, const void *source, void *destination);
} cw_sort_cpu;

CW_ISA_DECLARE(cw_sort_cpu, cw_sort_cpu_ops);

#endif
