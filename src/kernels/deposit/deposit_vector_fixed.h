/* Sums over one run in fixed point (AVX-512): each value of each particle is rounded to a whole
 * number of quanta, which its flow already counts in, and added to 64-bit integers in registers.
 * What a particle adds depends on itself alone, so the sum has the same bits for any order and any
 * runs. Included after deposit_vector_sum.h. */

enum { CW_REAL_NAME(SPLIT) = CW_REAL_IS_DOUBLE ? 1 : 2 }; /* vectors of integers for one of reals */
#define SPLIT CW_REAL_NAME(SPLIT)

CW_BODY void CW_REAL_NAME(cw_add_rounded)(__m512i *sum, cw_lanes value) {
#if CW_REAL_IS_DOUBLE
  sum[0] = _mm512_add_epi64(sum[0], _mm512_cvtpd_epi64((__m512d)value));
#else
  const __m256 low = _mm512_castps512_ps256((__m512)value);
  const __m256 high = _mm512_extractf32x8_ps((__m512)value, 1);
  sum[0] = _mm512_add_epi64(sum[0], _mm512_cvtps_epi64(low));
  sum[1] = _mm512_add_epi64(sum[1], _mm512_cvtps_epi64(high));
#endif
}

/* The integers of the lanes of a plane, side by side. */
typedef struct CW_REAL_NAME(cw_fix_plane) {
  int64_t lane[LANES * VECTORS];
} CW_REAL_NAME(cw_fix_plane);
#define cw_fix_plane CW_REAL_NAME(cw_fix_plane)

CW_BODY void CW_REAL_NAME(cw_store_plane)(int vectors, __m512i (*sum)[SPLIT], cw_fix_plane *plane) {
  for (int v = 0; v < vectors; v++)
    for (int q = 0; q < SPLIT; q++)
      _mm512_storeu_si512(plane->lane + v * LANES + 8 * q, sum[v][q]);
}

/* As cw_sum_components. */
CW_BODY void CW_REAL_NAME(cw_fix_components)(int order, int first, int last, const cw_batch *batch,
                                             cw_run run, cw_fix_plane (*sums)[4]) {
  const int vectors = CW_REAL_NAME(cw_plane_vectors)(order);
  __m512i sum[3][4][VECTORS][SPLIT];
  for (int c = first; c < last; c++)
    for (int p = 0; p <= order; p++)
      for (int v = 0; v < vectors * SPLIT; v++)
        sum[c][p][v / SPLIT][v % SPLIT] = _mm512_setzero_si512();
  for (int w = 0; w < RUN_WORDS; w++)
    for (uint64_t bits = run.word[w]; bits; bits &= bits - 1) {
      const uint32_t n = 64 * (uint32_t)w + (uint32_t)__builtin_ctzll(bits);
      for (int c = first; c < last; c++) {
        const cw_real *P = (const cw_real *)batch->P[c] + CW_REAL_NAME(cw_lane_place)(n);
        for (int v = 0; v < vectors; v++) {
          const cw_lanes plane = CW_REAL_NAME(cw_plane)(order, batch, n, c == 0, c == 2 ? 1 : 2, v);
          for (int p = 0; p <= order; p++)
            CW_REAL_NAME(cw_add_rounded)(sum[c][p][v], plane * P[p * LANES]);
        }
      }
    }
  for (int c = first; c < last; c++)
    for (int p = 0; p <= order; p++)
      CW_REAL_NAME(cw_store_plane)(vectors, sum[c][p], &sums[c][p]);
}

/* row[0 .. n) += the lanes of slow node s. */
CW_BODY void CW_REAL_NAME(cw_fix_row)(int64_t *row, int n, const cw_fix_plane *plane, int s) {
  for (int f = 0; f < n; f++)
    row[f] += plane->lane[CW_REAL_NAME(cw_plane_lane)(f, s)];
}

CW_BODY void CW_REAL_NAME(cw_fix_run_3d)(int order, const cw_batch *batch, cw_run run, int64_t at,
                                         const cw_deposit_target *target) {
  const int64_t s1 = target->stride[1], s2 = target->stride[2];
  cw_fix_plane sums[3][4];
  if (order < 3) {
    CW_REAL_NAME(cw_fix_components)(order, 0, 3, batch, run, sums);
  } else {
    CW_REAL_NAME(cw_fix_components)(order, 0, 1, batch, run, sums);
    CW_REAL_NAME(cw_fix_components)(order, 1, 2, batch, run, sums);
    CW_REAL_NAME(cw_fix_components)(order, 2, 3, batch, run, sums);
  }
  int64_t *const J1 = (int64_t *)target->component[0] + at;
  int64_t *const J2 = (int64_t *)target->component[1] + at;
  int64_t *const J3 = (int64_t *)target->component[2] + at;
  for (int k = 0; k < order + 2; k++)
    for (int j = 0; j < order + 2; j++) {
      const int64_t row = j * s1 + k * s2;
      for (int i = 0; i <= order; i++)
        J1[row + i] += sums[0][i].lane[CW_REAL_NAME(cw_plane_lane)(j, k)];
      if (j <= order)
        CW_REAL_NAME(cw_fix_row)(J2 + row, order + 2, &sums[1][j], k);
      if (k <= order)
        CW_REAL_NAME(cw_fix_row)(J3 + row, order + 2, &sums[2][k], j);
    }
}

CW_BODY void CW_REAL_NAME(cw_fix_run_2d)(int order, const cw_batch *batch, cw_run run, int64_t at,
                                         const cw_deposit_target *target) {
  const int vectors = CW_REAL_NAME(cw_plane_vectors)(order);
  __m512i sums[3][VECTORS][SPLIT];
  for (int c = 0; c < 3; c++)
    for (int v = 0; v < vectors * SPLIT; v++)
      sums[c][v / SPLIT][v % SPLIT] = _mm512_setzero_si512();
  for (int w = 0; w < RUN_WORDS; w++)
    for (uint64_t bits = run.word[w]; bits; bits &= bits - 1) {
      const uint32_t n = 64 * (uint32_t)w + (uint32_t)__builtin_ctzll(bits);
      for (int v = 0; v < vectors; v++) {
        cw_lanes values[3];
        CW_REAL_NAME(cw_values_2d)(order, batch, n, v, values);
        for (int c = 0; c < 3; c++)
          CW_REAL_NAME(cw_add_rounded)(sums[c][v], values[c]);
      }
    }
  for (int c = 0; c < 3; c++) {
    cw_fix_plane plane;
    CW_REAL_NAME(cw_store_plane)(vectors, sums[c], &plane);
    for (int j = 0; j < (c == 1 ? order + 1 : order + 2); j++)
      CW_REAL_NAME(cw_fix_row)
    ((int64_t *)target->component[c] + at + j * target->stride[1], c == 0 ? order + 1 : order + 2,
     &plane, j);
  }
}

CW_BODY void CW_REAL_NAME(cw_fix_run)(int dim, int order, const cw_batch *batch, cw_run run,
                                      int64_t at, const cw_deposit_target *target) {
  if (dim == 3)
    CW_REAL_NAME(cw_fix_run_3d)(order, batch, run, at, target);
  else
    CW_REAL_NAME(cw_fix_run_2d)(order, batch, run, at, target);
}
#undef SPLIT
#undef cw_fix_plane
