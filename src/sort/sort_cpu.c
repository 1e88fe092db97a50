#include "sort/sort_cpu.h"

#include <string.h>

/* Axis 0 sets the keys, the others add to them. */
static void axis_by_cell(const cw_key_rule *rule, int a, int64_t n, const int32_t *restrict i,
                         const int32_t *restrict prev, uint32_t *restrict keys) {
  const cw_key_axis axis = cw_key_axis_of(rule, a);
  const uint32_t keep = a == 0 ? 0 : UINT32_MAX;
  for (int64_t k = 0; k < n; k++) {
    int32_t first = prev[k] < i[k] ? prev[k] : i[k];
    keys[k] = (keys[k] & keep) + cw_key_by_cell(axis, first);
  }
}

#define AXIS_BY_NODE(name, real)                                                                   \
  static void name(const cw_key_rule *rule, int a, int64_t n, const int32_t *restrict i,           \
                   const int32_t *restrict prev, const real *restrict dx,                          \
                   uint32_t *restrict keys) {                                                      \
    const cw_key_axis axis = cw_key_axis_of(rule, a);                                              \
    const uint32_t keep = a == 0 ? 0 : UINT32_MAX;                                                 \
    for (int64_t k = 0; k < n; k++) {                                                              \
      int32_t first = prev[k] < i[k] ? prev[k] : i[k];                                             \
      keys[k] = (keys[k] & keep) + cw_key_by_node(axis, first, i[k], dx[k] >= (real)0.5);          \
    }                                                                                              \
  }
AXIS_BY_NODE(axis_by_node_f32, float)
AXIS_BY_NODE(axis_by_node_f64, double)

static void mark_dead(int64_t n, const uint8_t *restrict tag, uint32_t sentinel,
                      uint32_t *restrict keys) {
  for (int64_t k = 0; k < n; k++)
    keys[k] = tag[k] == CW_TAG_DEAD ? sentinel : keys[k];
}

static void keys_of_slots(const cw_key_rule *rule, const cw_particles_view *particles,
                          int64_t begin, int64_t n, uint32_t *keys) {
  for (int a = 0; a < rule->dim; a++) {
    const int32_t *i = particles->i[a] + begin;
    const int32_t *prev =
        rule->with_prev && particles->i_prev[a] ? particles->i_prev[a] + begin : i;
    if (!rule->by_node)
      axis_by_cell(rule, a, n, i, prev, keys);
    else if (particles->precision == CW_DOUBLE)
      axis_by_node_f64(rule, a, n, i, prev, (const double *)particles->dx[a] + begin, keys);
    else
      axis_by_node_f32(rule, a, n, i, prev, (const float *)particles->dx[a] + begin, keys);
  }
  if (particles->tag)
    mark_dead(n, particles->tag + begin, rule->bins, keys);
}

#define GATHER(name, type)                                                                         \
  static void name(int64_t n, const uint32_t *restrict index, const type *restrict source,         \
                   type *restrict destination) {                                                   \
    for (int64_t k = 0; k < n; k++)                                                                \
      destination[k] = source[index[k]];                                                           \
  }
GATHER(gather_1, uint8_t)
GATHER(gather_2, uint16_t)
GATHER(gather_4, uint32_t)
GATHER(gather_8, uint64_t)

static void gather(int64_t n, const uint32_t *index, size_t item_size, const void *source,
                   void *destination) {
  switch (item_size) {
  case 1:
    gather_1(n, index, source, destination);
    break;
  case 2:
    gather_2(n, index, source, destination);
    break;
  case 4:
    gather_4(n, index, source, destination);
    break;
  default:
    gather_8(n, index, source, destination);
  }
}

/* Without a branch: every place is written as a start, and stays when it is one. */
static int64_t find_runs(int64_t n, const uint32_t *index, cw_sort_run *runs) {
  int64_t count = 0;
  uint32_t expected = index[0] + 1;
  for (int64_t k = 0; k < n; k++) {
    runs[count] = (cw_sort_run){index[k], (uint32_t)k};
    count += index[k] != expected;
    expected = index[k] + 1;
  }
  runs[count].begin = (uint32_t)n;
  return count;
}

enum { AHEAD = 4096 }; /* bytes: runs go up in memory but for a few, and the next page is theirs */

/* Most runs are short: copies of one cache line, whose length the compiler knows. What such a copy
 * writes too much, the next run overwrites. */
#define COPY_RUNS(name, type)                                                                      \
  static void name(int64_t run_count, const cw_sort_run *restrict runs, int64_t source_count,      \
                   const type *restrict source, type *restrict destination) {                      \
    enum { WIDTH = CW_RUN_OVERSHOOT / sizeof(type) };                                              \
    for (int64_t r = 0; r < run_count; r++) {                                                      \
      const type *from = source + runs[r].source;                                                  \
      type *to = destination + runs[r].begin;                                                      \
      int64_t n = (int64_t)runs[r + 1].begin - (int64_t)runs[r].begin;                             \
      if ((int64_t)runs[r].source + n + WIDTH > source_count) {                                    \
        memcpy(to, from, (size_t)n * sizeof(type));                                                \
        continue;                                                                                  \
      }                                                                                            \
      __builtin_prefetch((const void *)((uintptr_t)from + AHEAD));                                 \
      memcpy(to, from, CW_RUN_OVERSHOOT);                                                          \
      if (n > WIDTH)                                                                               \
        memcpy(to + WIDTH, from + WIDTH, CW_RUN_OVERSHOOT);                                        \
      if (n > 2 * WIDTH)                                                                           \
        memcpy(to + 2 * WIDTH, from + 2 * WIDTH, (size_t)(n - 2 * WIDTH) * sizeof(type));          \
    }                                                                                              \
  }
COPY_RUNS(copy_runs_1, uint8_t)
COPY_RUNS(copy_runs_4, uint32_t)
COPY_RUNS(copy_runs_8, uint64_t)

static void copy_runs(int64_t run_count, const cw_sort_run *runs, size_t item_size,
                      int64_t source_count, const void *source, void *destination) {
  if (item_size == 1)
    copy_runs_1(run_count, runs, source_count, source, destination);
  else if (item_size == 4)
    copy_runs_4(run_count, runs, source_count, source, destination);
  else
    copy_runs_8(run_count, runs, source_count, source, destination);
}

const cw_sort_cpu CW_ISA_NAME(cw_sort_cpu_ops) = {
    .keys = keys_of_slots, .gather = gather, .find_runs = find_runs, .copy_runs = copy_runs};
