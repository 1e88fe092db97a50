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

/* How a chunk of nearly sorted items is gathered a register at a time: the sources of most of 16
 * places stand among 32 in a row, so that two loads and one permutation fetch them, member after
 * member. The others are strays and are copied one by one. */
enum { CW_PLAN_CHUNK = 1024, CW_PLAN_LANES = 16, CW_PLAN_REACH = 32 };
typedef struct cw_sort_plan {
  uint32_t base[CW_PLAN_CHUNK / CW_PLAN_LANES]; /* first of the 32 */
  uint8_t lane[CW_PLAN_CHUNK];                  /* source - base, mod 32 */
  int64_t groups, strays, cold;
  uint32_t stray_source[CW_PLAN_CHUNK + CW_PLAN_LANES];
  uint32_t stray_place[CW_PLAN_CHUNK + CW_PLAN_LANES];
  uint32_t cold_source[CW_PLAN_CHUNK + CW_PLAN_LANES]; /* strays that no cache has */
} cw_sort_plan;

typedef struct cw_sort_cpu {
  /* Keys of slots [begin, begin + n); not 0 if a cell among them is outside the block. */
  int (*keys)(const cw_key_rule *rule, const cw_particles_view *particles, int64_t begin, int64_t n,
              uint32_t *keys);
  /* The other way round, without with_prev and with none outside: cells of places [begin, begin +
   * n), from the end of each bin's places and the offsets there; dx and i begin at `begin`. */
  void (*cells)(const cw_key_rule *rule, const uint32_t *bin_ends, int64_t begin, int64_t n,
                cw_precision precision, const void *const dx[3], int32_t *const i[3]);
  /* destination[k] = source[index[k]], k < n, items of 1, 2, 4 or 8 bytes. */
  void (*gather)(int64_t n, const uint32_t *index, size_t item_size, const void *source,
                 void *destination);
  /* Writes the runs of index[0 .. n) and one that ends the last; returns their number (n > 0). */
  int64_t (*find_runs)(int64_t n, const uint32_t *index, cw_sort_run *runs);
  /* The same gather by runs; source has source_count items and is not read behind them. */
  void (*copy_runs)(int64_t run_count, const cw_sort_run *runs, size_t item_size,
                    int64_t source_count, const void *source, void *destination);
  /* permutation[places[keys[k]]++] = first + k, k < n, in that order. */
  void (*scatter)(int64_t n, uint32_t first, const uint32_t *keys, uint32_t *places,
                  uint32_t *permutation);
  /* The same gather by a plan of index[0 .. n), n <= CW_PLAN_CHUNK, for items of 1, 4 or 8
   * bytes of arrays of source_count. NULL without registers that can be permuted so. */
  void (*plan)(int64_t n, const uint32_t *index, int64_t source_count, cw_sort_plan *plan);
  void (*copy_planned)(const cw_sort_plan *plan, size_t item_size, const void *source,
                       void *destination);
} cw_sort_cpu;

CW_ISA_DECLARE(cw_sort_cpu, cw_sort_cpu_ops);

#endif
