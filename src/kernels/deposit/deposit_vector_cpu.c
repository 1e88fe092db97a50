/* The vector path's loops, for the instruction sets with vectors of 256 and 512 bits. */
#include <math.h>
#include <string.h>

#include "kernels/deposit/deposit_private.h"

CW_ISA_DECLARE(cw_deposit_vector_ops, cw_deposit_vector_table);

#if defined(__AVX512F__)
#define CW_VECTOR_BYTES 64
#elif defined(__AVX2__)
#define CW_VECTOR_BYTES 32
#endif

#ifdef CW_VECTOR_BYTES
#include <immintrin.h>

enum { DEAD = -1, MISSED = -2, BAD = -3 }; /* instead of a place in the target */
/* The particles n < 128 of a batch as bits. */
enum { CW_RUN_WORDS = 2 };
typedef struct cw_run {
  uint64_t word[CW_RUN_WORDS];
} cw_run;

/* Bits of the 64 places from `at` on that are `place`. */
static inline uint64_t cw_same_place(const int32_t *at, int32_t place) {
  uint64_t same = 0;
#if CW_VECTOR_BYTES == 64
  for (int n = 0; n < 64; n += 16)
    same |= (uint64_t)_mm512_cmpeq_epi32_mask(_mm512_loadu_si512(at + n), _mm512_set1_epi32(place))
            << n;
#else
  for (int n = 0; n < 64; n += 8) {
    const __m256i here = _mm256_loadu_si256((const __m256i *)(at + n));
    const __m256i equal = _mm256_cmpeq_epi32(here, _mm256_set1_epi32(place));
    same |= (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal)) << n;
  }
#endif
  return same;
}

/* Bits of the 64 that have a place: it is not negative. */
static inline uint64_t cw_placed(const int32_t *at) {
  uint64_t negative = 0;
#if CW_VECTOR_BYTES == 64
  for (int n = 0; n < 64; n += 16)
    negative |= (uint64_t)_mm512_movepi32_mask(_mm512_loadu_si512(at + n)) << n;
#else
  for (int n = 0; n < 64; n += 8) {
    const __m256i here = _mm256_loadu_si256((const __m256i *)(at + n));
    negative |= (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(here)) << n;
  }
#endif
  return ~negative;
}

static inline int cw_run_first(const cw_run *run) {
  return run->word[0] ? __builtin_ctzll(run->word[0]) : 64 + __builtin_ctzll(run->word[1]);
}

/* Takes the particles with the place of the first one out of `left`. */
static inline cw_run cw_take_run(cw_run *left, const int32_t *at, int words) {
  const int first = cw_run_first(left);
  cw_run run = {{0}};
  for (int w = 0; w < words; w++) {
    run.word[w] = left->word[w] & cw_same_place(at + 64 * w, at[first]);
    left->word[w] &= ~run.word[w];
  }
  return run;
}

static inline float cw_deposit_sqrt_f32(float x) {
  return sqrtf(x);
}
static inline double cw_deposit_sqrt_f64(double x) {
  return sqrt(x);
}

#if CW_VECTOR_BYTES == 64
#define CW_VECTOR_HAS_FIXED /* conversion of reals to 64-bit integers */
#endif

#define CW_SINK_IS_FIXED  0
#define CW_REAL_IS_DOUBLE 0
#include "kernels/deposit/deposit_vector_path.h"
#undef CW_REAL_IS_DOUBLE
#define CW_REAL_IS_DOUBLE 1
#include "kernels/deposit/deposit_vector_path.h"

#define ORDERS(kind, dim, real)                                                                    \
  {                                                                                                \
    NULL, cw_deposit_##kind##_##dim##_1_##real, cw_deposit_##kind##_##dim##_2_##real,              \
        cw_deposit_##kind##_##dim##_3_##real, NULL                                                 \
  }
#define DIMS(kind, real)                                                                           \
  { {NULL}, ORDERS(kind, 2d, real), ORDERS(kind, 3d, real) }
#ifdef CW_VECTOR_HAS_FIXED
#define FIXED(real) DIMS(fixed, real)
#else
#define FIXED(real)                                                                                \
  {                                                                                                \
    { NULL }                                                                                       \
  }
#endif
const cw_deposit_vector_ops CW_ISA_NAME(cw_deposit_vector_table) = {
    {{DIMS(vector, f32), FIXED(f32)}, {DIMS(vector, f64), FIXED(f64)}}};
#else
const cw_deposit_vector_ops CW_ISA_NAME(cw_deposit_vector_table) = {{{{{NULL}}}}};
#endif
