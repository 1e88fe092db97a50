/* The products of the paper (L. Pennati, S. Markidis, arXiv 2604.19286): for each component c,
 *
 *   [nodes x P] diag(column c of the P particles) [P x nodes]
 *
 * with tiles of 8 x 8 and depth 4 in FP64, and of 16 x 16 (two of 16 x 8) and depth 8 in TF32, of
 * which only those with a pair a <= b are formed; the last batch is filled with zeros. TSC takes
 * the 27 nodes around the bin's, so that there are no support groups. Components that do not fit
 * the registers take another pass over the particles (grid axis 1). Current and charge are a
 * product [nodes x P] [P x 4] of the first pass. */
#ifndef CW_KERNELS_MASSMATRIX_CUDA_PAPER_CUH
#define CW_KERNELS_MASSMATRIX_CUDA_PAPER_CUH

#include "kernels/massmatrix/massmatrix_cuda_outer.cuh"

template <int ORDER, class T, bool TENSOR> struct cw_mm_paper {
  typedef T real;
  static const int order = ORDER, store = ORDER == 1 ? CW_MM_CELLS : CW_MM_PAIRS;
  static const bool tensor = TENSOR, joins = false, is_double = sizeof(T) == 8;
  static const int ahead = 1;
  static const int nodes = (ORDER + 1) * (ORDER + 1) * (ORDER + 1), eights = (nodes + 7) / 8;
  static const int high = is_double ? 1 : 2; /* eights of rows a tile */
  static const int bands = (eights + high - 1) / high;
  static const char *name() { return "mass matrix by products of nodes"; }
  static const int components = TENSOR ? 9 : 1, each = !TENSOR ? 1 : ORDER == 1 ? 9 : 3;
  static const int passes = components / each;
  static const int columns = TENSOR ? 13 : 1, P = is_double ? 36 : CW_MM_PITCH;
  static const int stage = (nodes + columns) * P, scratch = 0, warps = 4,
                   blocks = ORDER == 1 ? 4 : 2;
  static const int values = 2 * high; /* of a tile in a lane */

  T c[each][bands][eights][values]; /* tiles below the diagonal are not used, and not there */
  T linear[TENSOR ? bands : 1][values];

  __device__ __forceinline__ static constexpr bool is_formed(int band, int eight) {
    return eight >= high * band;
  }
  __device__ __forceinline__ void begin(int) {
#pragma unroll
    for (int m = 0; m < bands; m++)
#pragma unroll
      for (int i = 0; i < values; i++) {
        linear[TENSOR ? m : 0][i] = 0;
#pragma unroll
        for (int k = 0; k < each; k++)
#pragma unroll
          for (int o = 0; o < eights; o++)
            c[k][m][o][i] = 0;
      }
  }

  __device__ __forceinline__ void produce(const cw_mm_device_job &d, const double x[3],
                                          const double *column, T *to, int lane) {
    cw_mm_stage_nodes<ORDER>(d.job.dim, x, to + lane, P);
#pragma unroll
    for (int i = 0; i < columns; i++)
      to[(nodes + i) * P + lane] = (T)column[i];
  }

  /* FP64, a depth of 4. */
  __device__ __forceinline__ void step_small(const T *at, int g) {
    T s[eights];
#pragma unroll
    for (int o = 0; o < eights; o++)
      s[o] = 8 * o + g < nodes ? at[(8 * o + g) * P] : (T)0;
#pragma unroll
    for (int k = 0; k < each; k++) {
      const T column = at[(nodes + (int)blockIdx.y * each + k) * P];
#pragma unroll
      for (int o = 0; o < eights; o++) {
        const T right = s[o] * column;
#pragma unroll
        for (int m = 0; m < bands; m++)
          if (is_formed(m, o))
            cw_tile_small(c[k][m][o], s[m], right);
      }
    }
    if (!TENSOR || blockIdx.y > 0)
      return;
    const T right = g < 4 ? at[(nodes + (TENSOR ? 9 : 0) + g) * P] : (T)0;
#pragma unroll
    for (int m = 0; m < bands; m++)
      cw_tile_small(linear[TENSOR ? m : 0], s[m], right);
  }

  /* TF32, a depth of 8. */
  template <bool THREE> __device__ __forceinline__ void step(const T *at, int g) {
    T s[eights][2];
#pragma unroll
    for (int o = 0; o < eights; o++) {
      s[o][0] = s[o][1] = 0;
      if (8 * o + g < nodes)
        cw_mm_load(at + (8 * o + g) * P, s[o]);
    }
    cw_tile_operand<T, 4, THREE> left[bands];
#pragma unroll
    for (int m = 0; m < bands; m++)
#pragma unroll
      for (int i = 0; i < 4; i++)
        left[m].set(i, high * m + i % 2 < eights ? s[(high * m + i % 2) % eights][i / 2] : (T)0);
#pragma unroll
    for (int k = 0; k < each; k++) {
      const T *column = at + (nodes + (int)blockIdx.y * each + k) * P;
#pragma unroll
      for (int o = 0; o < eights; o++) {
        cw_tile_operand<T, 2, THREE> right;
        right.set(0, s[o][0] * column[0]);
        right.set(1, s[o][1] * column[1]);
#pragma unroll
        for (int m = 0; m < bands; m++)
          if (is_formed(m, o))
            cw_tile_add<T, THREE, 1>(&c[k][m][o], left[m], &right);
      }
    }
    if (!TENSOR || blockIdx.y > 0)
      return;
    cw_tile_operand<T, 2, THREE> right;
    T pair[2] = {0, 0};
    if (g < 4)
      cw_mm_load(at + (nodes + (TENSOR ? 9 : 0) + g) * P, pair);
#pragma unroll
    for (int h = 0; h < 2; h++)
      right.set(h, pair[h]);
#pragma unroll
    for (int m = 0; m < bands; m++)
      cw_tile_add<T, THREE, 1>(&linear[TENSOR ? m : 0], left[m], &right);
  }

  __device__ __forceinline__ void consume(const cw_mm_device_job &d, const T *from, int n,
                                          int lane) {
    if constexpr (is_double) {
#pragma unroll 1
      for (int k = 0; k < n; k += 4)
        step_small(from + k + lane % 4, lane / 4);
    } else {
      cw_mm_take_steps(*this, d, from, n, lane);
    }
  }

  __device__ __forceinline__ void write(const cw_mm_device_job &, T *, T *out, const int32_t *,
                                        bool, int lane) {
    typedef cw_mm_store<store> place;
    const int g = lane / 4, t = lane % 4;
#pragma unroll
    for (int m = 0; m < bands; m++)
#pragma unroll
      for (int i = 0; i < values; i++) {
        const int row = 8 * (high * m + i / 2) + g;
#pragma unroll
        for (int o = 0; o < eights; o++) {
          const int column = 8 * o + 2 * t + i % 2;
          const int entry = is_formed(m, o) && row < nodes && column < nodes
                                ? cw_mm_pair_entry<ORDER>(row, column)
                                : -1;
          if (entry < 0)
            continue;
#pragma unroll
          for (int k = 0; k < each; k++)
            out[place::place(place::entries, components, entry, (int)blockIdx.y * each + k)] =
                c[k][m][o][i];
        }
        if (TENSOR && blockIdx.y == 0 && row < nodes && 2 * t + i % 2 < 4)
          out[place::linear(9) + 4 * row + 2 * t + i % 2] = linear[TENSOR ? m : 0][i];
      }
    begin(lane);
  }
};

#endif
