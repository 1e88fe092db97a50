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
enum { CW_RUN_MAX = 128, CW_RUN_PAD = 16 };

/* Particles of a batch that are still to be summed: their numbers and places in the target. */
typedef struct cw_run_list {
  int32_t count;
  int32_t number[CW_RUN_MAX + CW_RUN_PAD], at[CW_RUN_MAX + CW_RUN_PAD];
} cw_run_list;

/* Takes the particles with the first one's place out of `left` into `run`; returns how many. */
static int cw_take_run(cw_run_list *left, int32_t *run) {
  const int32_t at = left->at[0], count = left->count;
  int length = 0, rest = 0;
#if CW_VECTOR_BYTES == 64
  for (int k = 0; k < count; k += 16) {
    const uint32_t lanes = count - k < 16 ? (1U << (count - k)) - 1 : 0xffffU;
    const __mmask16 here = (__mmask16)lanes;
    const __m512i number = _mm512_loadu_si512(left->number + k);
    const __m512i place = _mm512_loadu_si512(left->at + k);
    const __mmask16 same = _mm512_mask_cmpeq_epi32_mask(here, place, _mm512_set1_epi32(at));
    const __mmask16 other = (__mmask16)(here & ~same);
    _mm512_storeu_si512(run + length, _mm512_maskz_compress_epi32(same, number));
    _mm512_storeu_si512(left->number + rest, _mm512_maskz_compress_epi32(other, number));
    _mm512_storeu_si512(left->at + rest, _mm512_maskz_compress_epi32(other, place));
    length += __builtin_popcount(same);
    rest += __builtin_popcount(other);
  }
#else
  for (int k = 0; k < count; k++) {
    const int32_t number = left->number[k], place = left->at[k];
    const int same = place == at;
    run[length] = number;
    left->number[rest] = number;
    left->at[rest] = place;
    length += same;
    rest += !same;
  }
#endif
  left->count = rest;
  return length;
}

static inline float cw_deposit_sqrt_f32(float x) {
  return sqrtf(x);
}
static inline double cw_deposit_sqrt_f64(double x) {
  return sqrt(x);
}

#define CW_SINK_IS_FIXED  0
#define CW_REAL_IS_DOUBLE 0
#include "kernels/deposit/deposit_body.h"
#include "kernels/deposit/deposit_load.h"
#include "kernels/deposit/deposit_vector.h"
#undef CW_REAL_IS_DOUBLE
#define CW_REAL_IS_DOUBLE 1
#include "kernels/deposit/deposit_body.h"
#include "kernels/deposit/deposit_load.h"
#include "kernels/deposit/deposit_vector.h"

#define ORDERS(dim, real)                                                                          \
  {                                                                                                \
    NULL, cw_deposit_vector_##dim##_1_##real, cw_deposit_vector_##dim##_2_##real,                  \
        cw_deposit_vector_##dim##_3_##real, NULL                                                   \
  }
const cw_deposit_vector_ops CW_ISA_NAME(cw_deposit_vector_table) = {
    {{{NULL}, ORDERS(2d, f32), ORDERS(3d, f32)}, {{NULL}, ORDERS(2d, f64), ORDERS(3d, f64)}}};
#else
const cw_deposit_vector_ops CW_ISA_NAME(cw_deposit_vector_table) = {{{{NULL}}}};
#endif
