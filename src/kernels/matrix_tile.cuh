/* Tile MMA of matrix_tile.h, C += A B, as a warp holds it.
 *
 *              rows  columns  depth  operands  sums    instruction
 *   double     16    8        8      FP64      FP64    2 m16n8k4 (9.0), 4 m8n8k4 (8.0)
 *   float      16    8        8      TF32      FP32    1 m16n8k8
 *
 * Lane 4 g + t (g = 0 .. 7, t = 0 .. 3) holds, as (row, column) of each matrix,
 *
 *   A  a[0] (g, t)    a[1] (g + 8, t)    a[2] (g, t + 4)    a[3] (g + 8, t + 4)
 *   B  b[0] (t, g)    b[1] (t + 4, g)
 *   C  c[0] (g, 2t)   c[1] (g, 2t + 1)   c[2] (g + 8, 2t)   c[3] (g + 8, 2t + 1)
 *
 *        A: depth ->               B: columns ->             C: columns ->
 *         t 0 1 2 3|4 5 6 7         g 0 1 .. 7                 0 1   2 3   4 5   6 7
 *   g 0   0 1 2 3  0 1 2 3    t 0   0 4 .. 28         g 0    lane 0 |  1  |  2  |  3
 *     1   4 5 6 7  4 5 6 7      1   1 5 .. 29           1    lane 4 |  5  |  6  |  7
 *     .   lanes                 .   lanes               .
 *
 * A format that wants another lane map (a wavefront of 64, other depths) is one more specialisation
 * with the same three arrays; kernels take rows, columns and depth from it and index by these maps.
 */
#ifndef CW_KERNELS_MATRIX_TILE_CUH
#define CW_KERNELS_MATRIX_TILE_CUH

#include "base/device_cuda.cuh"
#include "kernels/matrix_tile.h"

enum {
  CW_TILE_ROWS = CW_TILE_MMA_ROWS,
  CW_TILE_COLUMNS = CW_TILE_MMA_COLUMNS,
  CW_TILE_DEPTH = CW_TILE_MMA_DEPTH
};

/* The FP64 tile of 8 rows, 8 columns and depth 4: a (g, t), b (t, g), c (g, 2t) and (g, 2t + 1). */
static __device__ __forceinline__ void cw_tile_small(double c[2], double a, double b) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
      : "+d"(c[0]), "+d"(c[1])
      : "d"(a), "d"(b));
}

static __device__ __forceinline__ void cw_tile_multiply(double c[4], const double a[4],
                                                        const double b[2]) {
#pragma unroll
  for (int h = 0; h < 2; h++) {
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
        "{%0,%1,%2,%3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[2 * h]), "d"(a[2 * h + 1]), "d"(b[h]));
#else
    cw_tile_small(c, a[2 * h], b[h]);
    cw_tile_small(c + 2, a[2 * h + 1], b[h]);
#endif
  }
}

/* The unit reads the upper 19 bits of each float: round them before. Its sums are truncated. */
static __device__ __forceinline__ void cw_tile_multiply(float c[4], const float a[4],
                                                        const float b[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
        "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}

/* x such that the unit's truncation rounds it to the nearest number of its format, and that number.
 */
static __device__ __forceinline__ double cw_tile_prepare(double x) {
  return x;
}
static __device__ __forceinline__ float cw_tile_prepare(float x) {
  return __uint_as_float(__float_as_uint(x) + 0x1000u);
}
static __device__ __forceinline__ double cw_tile_round(double x) {
  return x;
}
static __device__ __forceinline__ float cw_tile_round(float x) {
  return __uint_as_float((__float_as_uint(x) + 0x1000u) & 0xffffe000u);
}

/* N operands of a tile, in parts when three products stand for one: x = high + low. */
template <class T, int N, bool THREE> struct cw_tile_operand {
  T high[N], low[N];
  __device__ __forceinline__ void set(int i, T x) {
    high[i] = THREE ? cw_tile_round(x) : cw_tile_prepare(x);
    if constexpr (THREE)
      low[i] = cw_tile_prepare(x - high[i]);
  }
};

/* C_s += A B_s in one product, or in three (without the product of the low parts), whose sum is
 * formed apart, from the smallest on, and added to C by an ordinary, rounded, addition. The
 * products of different s don't wait for each other. */
template <class T, bool THREE, int SIDES>
static __device__ __forceinline__ void cw_tile_add(T c[SIDES][4],
                                                   const cw_tile_operand<T, 4, THREE> &a,
                                                   const cw_tile_operand<T, 2, THREE> b[SIDES]) {
  if constexpr (THREE) {
    T sum[SIDES][4];
#pragma unroll
    for (int n = 0; n < 4 * SIDES; n++)
      sum[n / 4][n % 4] = 0;
#pragma unroll
    for (int s = 0; s < SIDES; s++)
      cw_tile_multiply(sum[s], a.low, b[s].high);
#pragma unroll
    for (int s = 0; s < SIDES; s++)
      cw_tile_multiply(sum[s], a.high, b[s].low);
#pragma unroll
    for (int s = 0; s < SIDES; s++)
      cw_tile_multiply(sum[s], a.high, b[s].high);
#pragma unroll
    for (int n = 0; n < 4 * SIDES; n++)
      c[n / 4][n % 4] += sum[n / 4][n % 4];
  } else {
#pragma unroll
    for (int s = 0; s < SIDES; s++)
      cw_tile_multiply(c[s], a.high, b[s].high);
  }
}

#endif
