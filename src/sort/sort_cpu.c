#include "sort/sort_cpu.h"

#include <string.h>

/* Axis 0 sets the keys, the others add to them. Each returns bits of which the highest is set if a
 * cell is outside: then i or last - i is negative. */
static uint32_t axis_by_cell(const cw_key_rule *rule, int a, int64_t n, const int32_t *restrict i,
                             const int32_t *restrict prev, uint32_t *restrict keys) {
  const cw_key_axis axis = cw_key_axis_of(rule, a);
  const uint32_t keep = a == 0 ? 0 : UINT32_MAX, last = (uint32_t)axis.last;
  uint32_t bits = 0;
  for (int64_t k = 0; k < n; k++) {
    int32_t first = prev[k] < i[k] ? prev[k] : i[k];
    bits |= (uint32_t)i[k] | (last - (uint32_t)i[k]);
    keys[k] = (keys[k] & keep) + cw_key_by_cell(axis, first);
  }
  return bits;
}

#define AXIS_BY_NODE(name, real)                                                                   \
  static uint32_t name(const cw_key_rule *rule, int a, int64_t n, const int32_t *restrict i,       \
                       const int32_t *restrict prev, const real *restrict dx,                      \
                       uint32_t *restrict keys) {                                                  \
    const cw_key_axis axis = cw_key_axis_of(rule, a);                                              \
    const uint32_t keep = a == 0 ? 0 : UINT32_MAX, last = (uint32_t)axis.last;                     \
    uint32_t bits = 0;                                                                             \
    for (int64_t k = 0; k < n; k++) {                                                              \
      int32_t first = prev[k] < i[k] ? prev[k] : i[k];                                             \
      bits |= (uint32_t)i[k] | (last - (uint32_t)i[k]);                                            \
      keys[k] = (keys[k] & keep) + cw_key_by_node(axis, first, i[k], dx[k] >= (real)0.5);          \
    }                                                                                              \
    return bits;                                                                                   \
  }
AXIS_BY_NODE(axis_by_node_f32, float)
AXIS_BY_NODE(axis_by_node_f64, double)

static void mark_dead(int64_t n, const uint8_t *restrict tag, uint32_t sentinel,
                      uint32_t *restrict keys) {
  for (int64_t k = 0; k < n; k++)
    keys[k] = tag[k] == CW_TAG_DEAD ? sentinel : keys[k];
}

static int keys_of_slots(const cw_key_rule *rule, const cw_particles_view *particles, int64_t begin,
                         int64_t n, uint32_t *keys) {
  uint32_t bits = 0;
  for (int a = 0; a < rule->dim; a++) {
    const int32_t *i = particles->i[a] + begin;
    const int32_t *prev =
        rule->with_prev && particles->i_prev[a] ? particles->i_prev[a] + begin : i;
    if (!rule->by_node)
      bits |= axis_by_cell(rule, a, n, i, prev, keys);
    else if (particles->precision == CW_DOUBLE)
      bits |= axis_by_node_f64(rule, a, n, i, prev, (const double *)particles->dx[a] + begin, keys);
    else
      bits |= axis_by_node_f32(rule, a, n, i, prev, (const float *)particles->dx[a] + begin, keys);
  }
  if (particles->tag)
    mark_dead(n, particles->tag + begin, rule->bins, keys);
  return (int)(bits >> 31);
}

/* Tile and place in it of a bin. */
typedef struct bin_place {
  int32_t tile[3], local[3];
} bin_place;

static bin_place place_of_bin(const cw_key_rule *rule, uint32_t bin) {
  bin_place place = {{0}, {0}};
  for (int a = rule->dim - 1; a >= 0; a--) {
    place.tile[a] = (int32_t)(bin / rule->tile_stride[a]);
    bin %= rule->tile_stride[a];
  }
  for (int a = rule->dim - 1; a >= 0; a--) {
    place.local[a] = (int32_t)(bin / rule->local_stride[a]);
    bin %= rule->local_stride[a];
  }
  return place;
}

static void next_bin(const cw_key_rule *rule, bin_place *place) {
  for (int a = 0; a < rule->dim; a++) {
    if (++place->local[a] < rule->tile + rule->by_node)
      return;
    place->local[a] = 0;
  }
  for (int a = 0; a < rule->dim; a++) {
    if (++place->tile[a] * rule->tile <= rule->last[a])
      return;
    place->tile[a] = 0;
  }
}

/* The cells of one bin along one axis: its own, or those whose upper half or lower half belongs to
 * its node. */
static void fill_cells(int64_t n, int32_t cell, int32_t *restrict i) {
  for (int64_t k = 0; k < n; k++)
    i[k] = cell;
}

#ifdef __AVX512F__
#include <immintrin.h>

static void cells_of_node_f32(int64_t n, int32_t node, const float *dx, int32_t *i) {
  const __m512i upper = _mm512_set1_epi32(node), one = _mm512_set1_epi32(1);
  for (int64_t k = 0; k < n; k += 16) {
    const __mmask16 here = n - k < 16 ? (__mmask16)((1U << (n - k)) - 1) : (__mmask16)0xffff;
    const __mmask16 half = _mm512_mask_cmp_ps_mask(here, _mm512_maskz_loadu_ps(here, dx + k),
                                                   _mm512_set1_ps(0.5F), _CMP_GE_OQ);
    _mm512_mask_storeu_epi32(i + k, here, _mm512_mask_sub_epi32(upper, half, upper, one));
  }
}

static void cells_of_node_f64(int64_t n, int32_t node, const double *dx, int32_t *i) {
  const __m256i upper = _mm256_set1_epi32(node), one = _mm256_set1_epi32(1);
  for (int64_t k = 0; k < n; k += 8) {
    const __mmask8 here = n - k < 8 ? (__mmask8)((1U << (n - k)) - 1) : (__mmask8)0xff;
    const __mmask8 half = _mm512_mask_cmp_pd_mask(here, _mm512_maskz_loadu_pd(here, dx + k),
                                                  _mm512_set1_pd(0.5), _CMP_GE_OQ);
    _mm256_mask_storeu_epi32(i + k, here, _mm256_mask_sub_epi32(upper, half, upper, one));
  }
}
#else
#define CELLS_OF_NODE(name, real)                                                                  \
  static void name(int64_t n, int32_t node, const real *restrict dx, int32_t *restrict i) {        \
    for (int64_t k = 0; k < n; k++)                                                                \
      i[k] = node - (dx[k] >= (real)0.5);                                                          \
  }
CELLS_OF_NODE(cells_of_node_f32, float)
CELLS_OF_NODE(cells_of_node_f64, double)
#endif

/* The first bin that ends behind the place. */
static uint32_t bin_of_place(const uint32_t *bin_ends, uint32_t bins, int64_t place) {
  uint32_t low = 0, high = bins - 1;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (bin_ends[middle] > place)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static void cells_of_places(const cw_key_rule *rule, const uint32_t *bin_ends, int64_t begin,
                            int64_t n, cw_precision precision, const void *const dx[3],
                            int32_t *const i[3]) {
  uint32_t bin = bin_of_place(bin_ends, rule->bins, begin);
  bin_place place = place_of_bin(rule, bin);
  for (int64_t k = 0; k < n; bin++, next_bin(rule, &place)) {
    int64_t count = (int64_t)bin_ends[bin] - begin - k;
    if (count > n - k)
      count = n - k;
    for (int a = 0; a < rule->dim && count > 0; a++) {
      const int32_t cell = place.tile[a] * rule->tile + place.local[a];
      if (!rule->by_node)
        fill_cells(count, cell, i[a] + k);
      else if (precision == CW_DOUBLE)
        cells_of_node_f64(count, cell, (const double *)dx[a] + k, i[a] + k);
      else
        cells_of_node_f32(count, cell, (const float *)dx[a] + k, i[a] + k);
    }
    k += count;
  }
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
#include "sort/sort_registers.h"
#define PLANNED .plan = make_plan, .copy_planned = copy_planned
#else
static void scatter(int64_t n, uint32_t first, const uint32_t *keys, uint32_t *places,
                    uint32_t *permutation) {
  scatter_each(0, n, first, keys, places, permutation);
}
#define PLANNED .plan = NULL, .copy_planned = NULL
#endif

const cw_sort_cpu CW_ISA_NAME(cw_sort_cpu_ops) = {.keys = keys_of_slots,
                                                  .cells = cells_of_places,
                                                  .gather = gather,
                                                  .find_runs = find_runs,
                                                  .copy_runs = copy_runs,
                                                  .scatter = scatter,
                                                  PLANNED};
