/* Loops of the sort on registers of 16 items that can be permuted and compressed (AVX-512).
 * Included by sort_cpu.c, behind the plain loops that they fall back on. */

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
