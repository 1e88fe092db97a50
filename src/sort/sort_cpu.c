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

static void scatter_each(int64_t begin, int64_t end, uint32_t first, const uint32_t *keys,
                         uint32_t *places, uint32_t *permutation) {
  for (int64_t k = begin; k < end; k++)
    permutation[places[keys[k]]++] = first + (uint32_t)k;
}

#ifdef __AVX512F__
#include <immintrin.h>

/* Takes the lanes of one key out of `left`: their slots go to the key's places together. */
static inline __mmask16 scatter_key(uint32_t key, __mmask16 left, __m512i keys, __m512i slots,
                                    uint32_t *places, uint32_t *permutation) {
  const __mmask16 same = _mm512_mask_cmpeq_epi32_mask(left, keys, _mm512_set1_epi32((int)key));
  const uint32_t n = (uint32_t)__builtin_popcount(same), place = places[key];
  _mm512_mask_storeu_epi32(permutation + place, (__mmask16)((1U << n) - 1),
                           _mm512_maskz_compress_epi32(same, slots));
  places[key] = place + n;
  return (__mmask16)(left & ~same);
}

/* Most of 16 neighbours share the key of one of two among them: one by one, each would wait for
 * the place that the one before it left in memory. */
static void scatter(int64_t n, uint32_t first, const uint32_t *keys, uint32_t *places,
                    uint32_t *permutation) {
  const __m512i count = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  int64_t k = 0;
  for (; k + 16 <= n; k += 16) {
    const __m512i here = _mm512_loadu_si512(keys + k);
    const __m512i slots = _mm512_add_epi32(count, _mm512_set1_epi32((int)(first + (uint32_t)k)));
    __mmask16 left = 0xffff;
    left = scatter_key(keys[k + 4], left, here, slots, places, permutation);
    left = scatter_key(keys[k + 11], left, here, slots, places, permutation);
    for (uint32_t rest = left; rest; rest &= rest - 1) {
      const int64_t l = k + __builtin_ctz(rest);
      permutation[places[keys[l]]++] = first + (uint32_t)l;
    }
  }
  scatter_each(k, n, first, keys, places, permutation);
}

/* sources - base is `lanes`. */
static void add_strays(cw_sort_plan *plan, __mmask16 which, __m512i places, __m512i sources,
                       __m512i lanes) {
  enum { WARM = 4096 }; /* items, both ways */
  const __mmask16 cold = _mm512_mask_cmpge_epu32_mask(
      which, _mm512_add_epi32(lanes, _mm512_set1_epi32(WARM)), _mm512_set1_epi32(2 * WARM));
  _mm512_storeu_si512(plan->cold_source + plan->cold, _mm512_maskz_compress_epi32(cold, sources));
  plan->cold += __builtin_popcount(cold);
  _mm512_storeu_si512(plan->stray_place + plan->strays, _mm512_maskz_compress_epi32(which, places));
  _mm512_storeu_si512(plan->stray_source + plan->strays,
                      _mm512_maskz_compress_epi32(which, sources));
  plan->strays += __builtin_popcount(which);
}

/* The window of a group is laid around the source of a lane in its middle, or of another one where
 * that is a stray itself. */
static void make_plan(int64_t n, const uint32_t *index, int64_t source_count, cw_sort_plan *plan) {
  enum { MIDDLE = 8, BEFORE = 15, ENOUGH = 9, TRIES = 3 };
  static const int lanes[TRIES] = {MIDDLE, 4, 12};
  const __m512i count = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const int64_t last = source_count - CW_PLAN_REACH;
  plan->groups = last < 0 ? 0 : n / CW_PLAN_LANES;
  plan->strays = plan->cold = 0;
  for (int64_t g = 0; g < plan->groups; g++) {
    const uint32_t *here = index + g * CW_PLAN_LANES;
    const __m512i source = _mm512_loadu_si512(here);
    __mmask16 inside = 0;
    __m512i lane = count;
    for (int t = 0; t < TRIES && __builtin_popcount(inside) < ENOUGH; t++) {
      int64_t base = (int64_t)here[lanes[t]] - BEFORE + lanes[t] - MIDDLE;
      base = base < 0 ? 0 : base > last ? last : base;
      plan->base[g] = (uint32_t)base;
      lane = _mm512_sub_epi32(source, _mm512_set1_epi32((int)base));
      inside = _mm512_cmplt_epu32_mask(lane, _mm512_set1_epi32(CW_PLAN_REACH));
    }
    _mm_storeu_si128((__m128i *)(plan->lane + g * CW_PLAN_LANES), _mm512_cvtepi32_epi8(lane));
    const __m512i place = _mm512_add_epi32(count, _mm512_set1_epi32((int)(g * CW_PLAN_LANES)));
    add_strays(plan, (__mmask16)~inside, place, source, lane);
  }
  for (int64_t k = plan->groups * CW_PLAN_LANES; k < n; k++) {
    plan->stray_place[plan->strays] = (uint32_t)k;
    plan->stray_source[plan->strays++] = index[k];
  }
}

enum { PLAN_AHEAD = 16384 }; /* bytes: farther than what moved up by a plane of a tile's cells */

static inline __m512i plan_lanes(const cw_sort_plan *plan, int64_t group) {
  return _mm512_cvtepu8_epi32(
      _mm_loadu_si128((const __m128i *)(plan->lane + group * CW_PLAN_LANES)));
}

static inline void copy_group_1(const uint8_t *from, __m512i lane, uint8_t *to) {
  const __m512i low = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)from));
  const __m512i high = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)from + 1));
  _mm_storeu_si128((__m128i *)to, _mm512_cvtepi32_epi8(_mm512_permutex2var_epi32(low, lane, high)));
}

static inline void copy_group_4(const uint32_t *from, __m512i lane, uint32_t *to) {
  const __m512i low = _mm512_loadu_si512(from), high = _mm512_loadu_si512(from + 16);
  _mm512_storeu_si512(to, _mm512_permutex2var_epi32(low, lane, high));
}

/* 8 of the 16 items: from the lower or the upper half of the 32. */
static inline void copy_half_8(const uint64_t *from, __m256i half, uint64_t *to) {
  const __m512i lane = _mm512_cvtepu32_epi64(half);
  const __m512i a = _mm512_loadu_si512(from), b = _mm512_loadu_si512(from + 8);
  const __m512i c = _mm512_loadu_si512(from + 16), d = _mm512_loadu_si512(from + 24);
  const __mmask8 upper = _mm512_test_epi64_mask(lane, _mm512_set1_epi64(16));
  _mm512_storeu_si512(to, _mm512_mask_blend_epi64(upper, _mm512_permutex2var_epi64(a, lane, b),
                                                  _mm512_permutex2var_epi64(c, lane, d)));
}

static inline void copy_group_8(const uint64_t *from, __m512i lane, uint64_t *to) {
  copy_half_8(from, _mm512_castsi512_si256(lane), to);
  copy_half_8(from, _mm512_extracti64x4_epi64(lane, 1), to + 8);
}

#define COPY_PLANNED(size, type)                                                                   \
  static void copy_planned_##size(const cw_sort_plan *plan, const type *source,                    \
                                  type *destination) {                                             \
    for (int64_t g = 0; g < plan->groups; g++) {                                                   \
      const type *from = source + plan->base[g];                                                   \
      for (int line = 0; line < CW_PLAN_LANES * size; line += 64)                                  \
        __builtin_prefetch((const void *)((uintptr_t)from + PLAN_AHEAD + (uintptr_t)line), 0, 2);  \
      copy_group_##size(from, plan_lanes(plan, g), destination + g * CW_PLAN_LANES);               \
    }                                                                                              \
    for (int64_t s = 0; s < plan->strays; s++)                                                     \
      destination[plan->stray_place[s]] = source[plan->stray_source[s]];                           \
  }
COPY_PLANNED(1, uint8_t)
COPY_PLANNED(4, uint32_t)
COPY_PLANNED(8, uint64_t)

static void copy_planned(const cw_sort_plan *plan, size_t item_size, const void *source,
                         void *destination) {
  if (item_size == 1)
    copy_planned_1(plan, source, destination);
  else if (item_size == 4)
    copy_planned_4(plan, source, destination);
  else
    copy_planned_8(plan, source, destination);
}
#define PLANNED .plan = make_plan, .copy_planned = copy_planned
#else
static void scatter(int64_t n, uint32_t first, const uint32_t *keys, uint32_t *places,
                    uint32_t *permutation) {
  scatter_each(0, n, first, keys, places, permutation);
}
#define PLANNED .plan = NULL, .copy_planned = NULL
#endif

const cw_sort_cpu CW_ISA_NAME(cw_sort_cpu_ops) = {.keys = keys_of_slots,
                                                  .gather = gather,
                                                  .find_runs = find_runs,
                                                  .copy_runs = copy_runs,
                                                  .scatter = scatter,
                                                  PLANNED};
