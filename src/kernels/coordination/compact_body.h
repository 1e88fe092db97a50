/* Keeps the neighbours in range: drops those far from all centres, then tests a tile against one
 * centre, W lanes at a time, and stores the distances of those in range one after the other. Vector
 * code an instruction set; plain C is the oracle of the others. Needs cw_real (base/real.h). */

#undef CW_W
#undef CW_V
#undef CW_COMPACT_STEP
#if defined(__AVX512F__) && CW_REAL_IS_DOUBLE
#define CW_W       8
#define CW_V(name) _mm512_##name##_pd
#elif defined(__AVX512F__)
#define CW_W       16
#define CW_V(name) _mm512_##name##_ps
#elif defined(__AVX2__) && CW_REAL_IS_DOUBLE
#define CW_W       4
#define CW_V(name) _mm256_##name##_pd
#elif defined(__AVX2__)
#define CW_W       8
#define CW_V(name) _mm256_##name##_ps
#else
#define CW_W 1
#endif

#if CW_W > 1
/* Bit l of the result: lane l has another atom than the centre. */
static inline unsigned CW_REAL_NAME(other_atoms)(const uint32_t *id, uint32_t centre) {
#if defined(__AVX512F__) && CW_REAL_IS_DOUBLE
  return _mm256_cmpneq_epi32_mask(_mm256_loadu_si256((const __m256i *)(const void *)id),
                                  _mm256_set1_epi32((int)centre));
#elif defined(__AVX512F__)
  return _mm512_cmpneq_epi32_mask(_mm512_loadu_si512(id), _mm512_set1_epi32((int)centre));
#elif CW_REAL_IS_DOUBLE
  __m128i same = _mm_cmpeq_epi32(_mm_loadu_si128((const __m128i *)(const void *)id),
                                 _mm_set1_epi32((int)centre));
  return ~(unsigned)_mm_movemask_ps(_mm_castsi128_ps(same)) & 0xFu;
#else
  __m256i same = _mm256_cmpeq_epi32(_mm256_loadu_si256((const __m256i *)(const void *)id),
                                    _mm256_set1_epi32((int)centre));
  return ~(unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(same)) & 0xFFu;
#endif
}
#endif

#if CW_W > 1 && !defined(__AVX512F__)
/* Lane numbers that bring the lanes of a mask to the front (as 32-bit lanes): a byte a lane, made
 * by spreading the mask's bits over bytes and extracting those bytes from 7 6 5 4 3 2 1 0. */
typedef __m256i CW_REAL_NAME(lane_front);
static inline __m256i CW_REAL_NAME(front_of)(unsigned mask) {
#if CW_REAL_IS_DOUBLE
  uint64_t bits = _pdep_u64(mask, 0x55) * 3;
#else
  uint64_t bits = mask;
#endif
  uint64_t bytes = _pdep_u64(bits, 0x0101010101010101u) * 0xFF;
  uint64_t lanes = _pext_u64(0x0706050403020100u, bytes);
  return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)lanes));
}
#elif CW_W > 1
#if CW_REAL_IS_DOUBLE
typedef __mmask8 CW_REAL_NAME(lane_front);
#else
typedef __mmask16 CW_REAL_NAME(lane_front);
#endif
static inline CW_REAL_NAME(lane_front) CW_REAL_NAME(front_of)(unsigned mask) {
  return (CW_REAL_NAME(lane_front))mask;
}
#endif

#undef CW_VECTOR
#undef CW_WITHIN
#undef CW_STORE_FRONT
#if defined(__AVX512F__) && CW_REAL_IS_DOUBLE
#define CW_VECTOR       __m512d
#define CW_WITHIN(a, b) ((unsigned)_mm512_cmp_pd_mask(a, b, _CMP_LE_OQ))
#elif defined(__AVX512F__)
#define CW_VECTOR       __m512
#define CW_WITHIN(a, b) ((unsigned)_mm512_cmp_ps_mask(a, b, _CMP_LE_OQ))
#elif CW_REAL_IS_DOUBLE
#define CW_VECTOR       __m256d
#define CW_WITHIN(a, b) ((unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LE_OQ)))
#else
#define CW_VECTOR       __m256
#define CW_WITHIN(a, b) ((unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LE_OQ)))
#endif
/* v where a <= b, else 0. */
#undef CW_KEEP
#if defined(__AVX512F__) && CW_REAL_IS_DOUBLE
#define CW_KEEP(a, b, v) _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(a, b, _CMP_LE_OQ), v)
#elif defined(__AVX512F__)
#define CW_KEEP(a, b, v) _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(a, b, _CMP_LE_OQ), v)
#else
#define CW_KEEP(a, b, v) CW_V (and)(CW_V(cmp)(a, b, _CMP_LE_OQ), v)
#endif
/* Stores the lanes of the mask in front; `front` comes from CW_REAL_NAME(front_of). */
#if defined(__AVX512F__)
#define CW_STORE_FRONT(to, v, front) CW_V(storeu)(to, CW_V(maskz_compress)(front, v))
#elif CW_REAL_IS_DOUBLE
#define CW_STORE_FRONT(to, v, front)                                                               \
  _mm256_storeu_pd(to, _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(v), front)))
#else
#define CW_STORE_FRONT(to, v, front) _mm256_storeu_ps(to, _mm256_permutevar8x32_ps(v, front))
#endif

#if CW_W > 1
static inline cw_real CW_REAL_NAME(lane_sum)(CW_VECTOR v) {
#if defined(__AVX512F__)
  return CW_V(reduce_add)(v);
#else
  cw_real lane[CW_W], sum = 0;
  CW_V(storeu)(lane, v);
  for (int l = 0; l < CW_W; l++)
    sum += lane[l];
  return sum;
#endif
}

static inline CW_VECTOR CW_REAL_NAME(lane_numbers)(int first) {
  static const cw_real number[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return CW_V(add)(CW_V(loadu)(number), CW_V(set1)((cw_real)first));
}

/* One step at lane k, for the pair buffer from n on. Writes W values each; those past the kept ones
 * are overwritten later. */
static inline int CW_REAL_NAME(compact_step)(const CW_REAL_NAME(tile) * tile, int k,
                                             const cw_real centre[3], cw_real range2,
                                             unsigned allowed, CW_REAL_NAME(scratch) * w, int n) {
  CW_VECTOR x = CW_V(sub)(CW_V(loadu)(tile->x + k), CW_V(set1)(centre[0]));
  CW_VECTOR y = CW_V(sub)(CW_V(loadu)(tile->y + k), CW_V(set1)(centre[1]));
  CW_VECTOR z = CW_V(sub)(CW_V(loadu)(tile->z + k), CW_V(set1)(centre[2]));
  CW_VECTOR r2 = CW_V(fmadd)(z, z, CW_V(fmadd)(y, y, CW_V(mul)(x, x)));
  unsigned mask = CW_WITHIN(r2, CW_V(set1)(range2)) & allowed;
  CW_REAL_NAME(lane_front) front = CW_REAL_NAME(front_of)(mask);
  CW_STORE_FRONT(w->dx + n, x, front);
  CW_STORE_FRONT(w->dy + n, y, front);
  CW_STORE_FRONT(w->dz + n, z, front);
  CW_STORE_FRONT(w->at + n, CW_REAL_NAME(lane_numbers)(k), front);
  return __builtin_popcount(mask);
}

/* How far outside [low, high] a coordinate lies, squared. */
static inline CW_VECTOR CW_REAL_NAME(outside2)(CW_VECTOR x, cw_real low, cw_real high) {
  CW_VECTOR below = CW_V(sub)(CW_V(set1)(low), x), above = CW_V(sub)(x, CW_V(set1)(high));
  CW_VECTOR out = CW_V(max)(CW_V(max)(below, above), CW_V(set1)(0));
  return CW_V(mul)(out, out);
}
#endif

/* Appends to the tile (room for n + CW_W more) those of the first n points of w->images, which
 * stand at the places from `begin` on, that come near the box of the centres. */
static inline void CW_REAL_NAME(append_near)(CW_REAL_NAME(scratch) * w, int64_t begin, int n,
                                             cw_real near2) {
  CW_REAL_NAME(tile) *tile = &w->tile;
  const cw_real *x = w->images.x, *y = w->images.y, *z = w->images.z;
  const cw_real *low = w->low, *high = w->high;
  const int before = tile->count;
  int count = before;
#if CW_W > 1
  for (int k = 0; k < n; k += CW_W) {
    CW_VECTOR vx = CW_V(loadu)(x + k), vy = CW_V(loadu)(y + k), vz = CW_V(loadu)(z + k);
    CW_VECTOR r2 = CW_V(add)(CW_REAL_NAME(outside2)(vx, low[0], high[0]),
                             CW_V(add)(CW_REAL_NAME(outside2)(vy, low[1], high[1]),
                                       CW_REAL_NAME(outside2)(vz, low[2], high[2])));
    unsigned valid = n - k < CW_W ? (1u << (n - k)) - 1 : ~0u;
    unsigned mask = CW_WITHIN(r2, CW_V(set1)(near2)) & valid;
    CW_REAL_NAME(lane_front) front = CW_REAL_NAME(front_of)(mask);
    CW_STORE_FRONT(tile->x + count, vx, front);
    CW_STORE_FRONT(tile->y + count, vy, front);
    CW_STORE_FRONT(tile->z + count, vz, front);
    CW_STORE_FRONT(tile->fx + count, CW_REAL_NAME(lane_numbers)(k), front);
    count += __builtin_popcount(mask);
  }
#else
  for (int k = 0; k < n; k++) {
    const cw_real p[3] = {x[k], y[k], z[k]};
    cw_real r2 = 0;
    for (int c = 0; c < 3; c++) {
      cw_real below = low[c] - p[c], above = p[c] - high[c];
      cw_real out = below > above ? below : above;
      r2 += out > 0 ? out * out : 0;
    }
    tile->x[count] = p[0], tile->y[count] = p[1], tile->z[count] = p[2];
    tile->fx[count] = (cw_real)k;
    count += r2 <= near2;
  }
#endif
  const uint32_t first = (uint32_t)begin;
#pragma omp simd
  for (int k = before; k < count; k++)
    tile->place[k] = first + (uint32_t)(int)tile->fx[k];
  tile->count = count;
}

/* Appends to the pair buffer (room for tile->count + CW_W more) the distances of the tile's entries
 * from `begin` on that are in range, and their numbers; of those before `checked`, only entries of
 * another atom than `id`. The tile is padded with NaN, which is never in range. Returns how many
 * were kept. */
static inline int CW_REAL_NAME(compact)(CW_REAL_NAME(scratch) * w, const CW_REAL_NAME(tile) * tile,
                                        const cw_real centre[3], cw_real range2, uint32_t id,
                                        int begin, int checked) {
  int n = w->pairs, k = begin;
#if CW_W > 1
  const unsigned all = (1u << (CW_W - 1) << 1) - 1;
  for (; k < checked; k += CW_W)
    n += CW_REAL_NAME(compact_step)(tile, k, centre, range2,
                                    CW_REAL_NAME(other_atoms)(tile->id + k, id), w, n);
  for (; k < tile->count; k += CW_W)
    n += CW_REAL_NAME(compact_step)(tile, k, centre, range2, all, w, n);
#else
  for (; k < tile->count; k++) {
    cw_real x = tile->x[k] - centre[0], y = tile->y[k] - centre[1], z = tile->z[k] - centre[2];
    cw_real r2 = x * x + y * y + z * z;
    w->dx[n] = x, w->dy[n] = y, w->dz[n] = z, w->at[n] = (cw_real)k;
    n += (r2 <= range2) & ((k >= checked) | (tile->id[k] != id));
  }
#endif
  return n - w->pairs;
}
