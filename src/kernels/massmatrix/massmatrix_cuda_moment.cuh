/* The moment form on matrix units.
 *
 * Tensor: rows are moments, columns are quantities. Moments stand in eights: for each value i along
 * axis 0 the eights of the products over axes 1 and 2, of which the last one (the 9th, the 25th)
 * stands with those of all i in one more eight:
 *
 *   CIC   x0 [8]  x1 [8] | x2 [8]  x0 x1 x2 of the 9th           2 tiles of 16 rows
 *   TSC   x0 [8 8 8]  x1 [8 8 8] ...  x4 [8 8 8]  x0 .. x4 of the 25th    8 tiles
 *
 *   columns   M00 M01 M02 M10 M11 M12 M20 M21 | M22 Jx Jy Jz rho         1 or 2 tiles of 8
 *
 * A lane forms its rows as x_i times the product over the plane, which it reads from the stage; a
 * batch of 8 particles is one step in depth. Without current and charge the ninth column is summed
 * by ordinary multiply-add on the same rows. Scalar: rows are the products over the plane, columns
 * x_i.
 *
 * Bins of a piece follow each other along axis 0, so that for CIC the x2 sums of one are the first
 * part of the x0 sums of the next: they stay in their registers, renamed (CW_MM_CARRIED). */
#ifndef CW_KERNELS_MASSMATRIX_CUDA_MOMENT_CUH
#define CW_KERNELS_MASSMATRIX_CUDA_MOMENT_CUH

#include "kernels/massmatrix/massmatrix_cuda_choose.cuh"
#include "kernels/massmatrix/massmatrix_cuda_linear.cuh"
#include "kernels/massmatrix/massmatrix_cuda_stage.cuh"
#include "kernels/matrix_tile.cuh"

template <int ORDER, class T, bool LINEAR> struct cw_mm_moment_tensor {
  typedef T real;
  static const char *name() { return "mass matrix by moments"; }
  static const int passes = 1;
  static const int order = ORDER, store = ORDER == 1 ? CW_MM_CARRIED : CW_MM_MOMENTS;
  static const bool tensor = true, joins = true;
  static const int ahead = 1;
  static const int NX = 2 * ORDER + 1, eights = ORDER == 1 ? 1 : 3, plane = NX * NX;
  static const int octets = NX * eights + 1, tiles = octets / 2, sides = LINEAR ? 2 : 1;
  static const int columns = LINEAR ? 13 : 9, P = CW_MM_PITCH;
  /* rows of the stage */
  static const int at_x = 8 * eights, at_rest = at_x + NX, at_column = at_rest + NX;
  static const int rows = at_column + columns;
  static const int entries = ORDER == 1 ? 27 : 125;
  static const int stage = rows * P;
  static const int scratch = LINEAR ? 4 * entries + (ORDER == 1 ? 0 : 4 * 3 * plane) : 0;
  static const int warps = 4;
  static const int blocks = ORDER == 1 ? 4 : sizeof(T) == 8 ? 2 : 3;

  T c[tiles][sides][4];
  T ninth[LINEAR ? 1 : octets]; /* this lane's part of the ninth column's sums */

  __device__ __forceinline__ void begin(int) {
#pragma unroll
    for (int m = 0; m < tiles; m++)
#pragma unroll
      for (int s = 0; s < sides; s++)
#pragma unroll
        for (int i = 0; i < 4; i++)
          c[m][s][i] = 0;
#pragma unroll
    for (int o = 0; o < (LINEAR ? 1 : octets); o++)
      ninth[o] = 0;
  }

  __device__ __forceinline__ void produce(const cw_mm_device_job &d, const double x[3],
                                          const double *column, T *to, int lane) {
    const cw_mm_place_moments<ORDER, T> m(d.job.dim, x);
#pragma unroll
    for (int i = 0; i < NX; i++)
      to[(at_x + i) * P + lane] = (T)m.along[i];
#pragma unroll
    for (int p = 0; p < 8 * eights; p++)
      to[p * P + lane] = m.plane(p);
#pragma unroll
    for (int i = 0; i < NX; i++)
      to[(at_rest + i) * P + lane] = (T)m.along[i] * m.plane(plane - 1);
#pragma unroll
    for (int i = 0; i < columns; i++)
      to[(at_column + i) * P + lane] = (T)column[i];
  }

  template <bool THREE> __device__ __forceinline__ void step(const T *at, int g) {
    cw_tile_operand<T, 2, THREE> b[sides];
    T x[NX][2], yz[eights][2], rest[2], last[2];
    T pair[2], more[2] = {0, 0};
    cw_mm_load(at + (at_column + g) * P, pair);
    if constexpr (LINEAR) {
      if (g < 5)
        cw_mm_load(at + (at_column + 8 + g) * P, more);
    } else {
      cw_mm_load(at + (at_column + 8) * P, last);
    }
#pragma unroll
    for (int h = 0; h < 2; h++) {
      b[0].set(h, pair[h]);
      if constexpr (LINEAR)
        b[sides - 1].set(h, more[h]);
    }
#pragma unroll
    for (int i = 0; i < NX; i++)
      cw_mm_load(at + (at_x + i) * P, x[i]);
#pragma unroll
    for (int j = 0; j < eights; j++)
      cw_mm_load(at + (8 * j + g) * P, yz[j]);
    rest[0] = rest[1] = 0;
    if (g < NX)
      cw_mm_load(at + (at_rest + g) * P, rest);
#pragma unroll
    for (int m = 0; m < tiles; m++) {
      cw_tile_operand<T, 4, THREE> a;
#pragma unroll
      for (int half = 0; half < 2; half++) {
        const int o = 2 * m + half;
#pragma unroll
        for (int h = 0; h < 2; h++) {
          const T row =
              o == octets - 1 ? rest[h] : x[o < octets - 1 ? o / eights : 0][h] * yz[o % eights][h];
          a.set(2 * h + half, row);
          if constexpr (!LINEAR)
            ninth[o] += row * last[h];
        }
      }
      cw_tile_add<T, THREE, sides>(c[m], a, b);
    }
  }

  __device__ __forceinline__ void consume(const cw_mm_device_job &d, const T *stage, int n,
                                          int lane) {
    cw_mm_take_steps(*this, d, stage, n, lane);
  }

  /* The number of an eight's row g among the entries as they are stored, and whether it is one. */
  __device__ __forceinline__ static int entry(int o, int g) {
    if (o == octets - 1)
      return ORDER == 1 ? 9 * g + 8 : 120 + g;
    return ORDER == 1 ? 9 * o + g : 8 * o + g;
  }
  static constexpr int stored = cw_mm_store<store>::entries;
  __device__ __forceinline__ static bool is_stored(int o, int g) {
    return o < octets - 1 ? ORDER == 2 || o < 2 : g < (ORDER == 1 ? 2 : NX);
  }

  __device__ __forceinline__ void put(T *to, int e, int o, int g, int t, int of) const {
    typedef typename cw_mm_pair<T>::type pair;
    const T *sum = c[o / 2][0] + o % 2 * 2;
    *(pair *)(to + 8 * e + 2 * t) = pair{sum[0], sum[1]};
    if (t == 0)
      to[8 * of + e] = LINEAR ? c[o / 2][sides - 1][o % 2 * 2] : ninth[LINEAR ? 0 : o];
    (void)g;
  }

  __device__ __forceinline__ void write(const cw_mm_device_job &d, T *stage, T *out,
                                        const int32_t bin[3], bool ends, int lane) {
    const int g = lane / 4, t = lane % 4;
    if constexpr (!LINEAR) {
#pragma unroll
      for (int o = 0; o < octets; o++) {
        ninth[o] += __shfl_xor_sync(0xffffffffu, ninth[o], 1);
        ninth[o] += __shfl_xor_sync(0xffffffffu, ninth[o], 2);
      }
    }
#pragma unroll
    for (int o = 0; o < octets; o++)
      if (is_stored(o, g))
        put(out, entry(o, g), o, g, t, stored);
    if constexpr (LINEAR) {
#pragma unroll
      for (int o = 0; o < octets; o++) {
        if (o == octets - 1 && g >= NX)
          continue;
        const T *sum = c[o / 2][1] + o % 2 * 2; /* columns 2t, 2t + 1 of M22 Jx Jy Jz rho */
        T *to = stage + 4 * entry(o, g);
        if (t > 0 && t < 3)
          to[2 * t - 1] = sum[0];
        if (t < 2)
          to[2 * t] = sum[1];
      }
      cw_mm_write_linear<ORDER, T>(stage, stage + 4 * entries, out + cw_mm_store<store>::linear(9),
                                   lane);
    }
    if constexpr (ORDER == 1)
      carry(d, bin, ends, lane);
    else
      begin(lane);
  }

  /* x2 sums become the next bin's x0; at the piece's end they are stored behind. */
  __device__ __forceinline__ void carry(const cw_mm_device_job &d, const int32_t bin[3], bool ends,
                                        int lane) {
    const int g = lane / 4, t = lane % 4;
    if (ends) {
      const int64_t row = bin[1] - d.low[1] + (int64_t)(d.high[1] - d.low[1]) * (bin[2] - d.low[2]);
      T *tail = (T *)d.tails + (row * d.pieces + (bin[0] - d.low[0]) / d.length) * 82;
      put(tail, g, 2, g, t, 9);
      if (g == 2)
        put(tail, 8, 3, g, t, 9);
      return;
    }
#pragma unroll
    for (int s = 0; s < sides; s++)
#pragma unroll
      for (int i = 0; i < 2; i++) {
        const bool kept = s == 0 || (i == 0 && t == 0); /* current and charge are not carried */
        const T below = __shfl_down_sync(0xffffffffu, c[1][s][2 + i], 8); /* row 2 to row 0 */
        c[0][s][i] = kept ? c[1][s][i] : (T)0;
        c[1][s][2 + i] = kept && g == 0 ? below : (T)0;
        c[0][s][2 + i] = c[1][s][i] = 0;
      }
    if constexpr (!LINEAR) {
      const T below = __shfl_down_sync(0xffffffffu, ninth[3], 8);
      ninth[0] = t == 0 ? ninth[2] : (T)0;
      ninth[3] = t == 0 && g == 0 ? below : (T)0;
      ninth[1] = ninth[2] = 0;
    }
  }
};

/* One component. */
template <int ORDER, class T> struct cw_mm_moment_scalar {
  typedef T real;
  static const char *name() { return "mass matrix by moments"; }
  static const int passes = 1;
  static const int order = ORDER, store = ORDER == 1 ? CW_MM_CELLS : CW_MM_MOMENTS;
  static const bool tensor = false, joins = true;
  static const int ahead = 2;
  static const int NX = 2 * ORDER + 1, plane = NX * NX, tiles = ORDER == 1 ? 1 : 2;
  static const int P = CW_MM_PITCH, stage = (plane + NX) * P, scratch = 0, warps = 4;
  static const int blocks = ORDER == 1 ? 6 : 4;
  T c[tiles][4];

  __device__ __forceinline__ void begin(int) {
#pragma unroll
    for (int m = 0; m < tiles; m++)
#pragma unroll
      for (int i = 0; i < 4; i++)
        c[m][i] = 0;
  }
  __device__ __forceinline__ void produce(const cw_mm_device_job &d, const double x[3],
                                          const double *column, T *to, int lane) {
    const cw_mm_place_moments<ORDER, T> m(d.job.dim, x);
#pragma unroll
    for (int i = 0; i < NX; i++)
      to[(plane + i) * P + lane] = (T)(column[0] * m.along[i]);
#pragma unroll
    for (int p = 0; p < plane; p++)
      to[p * P + lane] = m.plane(p);
  }
  template <bool THREE> __device__ __forceinline__ void step(const T *at, int g) {
    cw_tile_operand<T, 2, THREE> b;
    T pair[2] = {0, 0};
    if (g < NX)
      cw_mm_load(at + (plane + g) * P, pair);
#pragma unroll
    for (int h = 0; h < 2; h++)
      b.set(h, pair[h]);
#pragma unroll
    for (int m = 0; m < tiles; m++) {
      cw_tile_operand<T, 4, THREE> a;
#pragma unroll
      for (int half = 0; half < 2; half++) {
        const int row = 16 * m + 8 * half + g;
        pair[0] = pair[1] = 0;
        if (row < plane)
          cw_mm_load(at + row * P, pair);
#pragma unroll
        for (int h = 0; h < 2; h++)
          a.set(2 * h + half, pair[h]);
      }
      cw_tile_add<T, THREE, 1>(&c[m], a, &b);
    }
  }
  __device__ __forceinline__ void consume(const cw_mm_device_job &d, const T *stage, int n,
                                          int lane) {
    cw_mm_take_steps(*this, d, stage, n, lane);
  }
  __device__ __forceinline__ void write(const cw_mm_device_job &, T *, T *out, const int32_t *,
                                        bool, int lane) {
    const int g = lane / 4, t = lane % 4;
#pragma unroll
    for (int m = 0; m < tiles; m++)
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const int row = 16 * m + 8 * (i / 2) + g, x = 2 * t + i % 2;
        if (row < plane && x < NX)
          out[cw_mm_store<store>::entry(x, row % NX, row / NX)] = c[m][i];
      }
    begin(lane);
  }
};

/* One component of CIC without a matrix unit: a lane a particle, all 27 sums in its registers. */
template <class T> struct cw_mm_moment_lane {
  typedef T real;
  static const char *name() { return "mass matrix, a lane a particle"; }
  static const int order = 1, store = CW_MM_CELLS, stage = 0, scratch = 27 * 33;
  static const int warps = 4, blocks = 5, passes = 1;
  static const bool tensor = false, joins = false; /* a lane's sums are of one bin */
  static const int ahead = 2;
  T sum[27];

  __device__ __forceinline__ void begin(int) {
#pragma unroll
    for (int i = 0; i < 27; i++)
      sum[i] = 0;
  }
  __device__ __forceinline__ void produce(const cw_mm_device_job &d, const double x[3],
                                          const double *column, T *, int) {
    const cw_mm_place_moments<1, T> m(d.job.dim, x);
#pragma unroll
    for (int i = 0; i < 3; i++) {
      const T first = (T)(column[0] * m.along[i]);
#pragma unroll
      for (int p = 0; p < 9; p++)
        sum[9 * i + p] += first * m.plane(p);
    }
  }
  __device__ __forceinline__ void consume(const cw_mm_device_job &, const T *, int, int) {}
  __device__ __forceinline__ void write(const cw_mm_device_job &, T *stage, T *out, const int32_t *,
                                        bool, int lane) {
#pragma unroll
    for (int i = 0; i < 27; i++)
      stage[33 * i + lane] = sum[i];
    __syncwarp();
    if (lane < 27) {
      T total = 0;
#pragma unroll
      for (int l = 0; l < 32; l++)
        total += stage[33 * lane + l];
      out[lane] = total;
    }
    __syncwarp();
    begin(lane);
  }
};

#endif
