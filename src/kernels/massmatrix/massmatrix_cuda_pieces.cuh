/* The walk that the forms with a warp a bin share:
 *
 *   for each bin of the warp's piece, along axis 0
 *     for each batch of at most 32 of its particles
 *       a lane a particle: factors to the warp's stage         Form::produce
 *       (the next batch is being read meanwhile)
 *       products over the batch, sums in registers             Form::consume
 *     store the bin's sums                                     Form::write
 *
 * A Form has: name, order, tensor, store, a type `real` of stage and sums, values a warp of its stage
 * and of the scratch that write needs, warps a block, blocks a multiprocessor, passes over the
 * particles (grid axis 1); `ahead`: 1, the next batch is asked for when this one's factors are formed;
 * 2, before: its sums take less time than a read; `joins`: where bins have few particles, the walk is
 * that of massmatrix_cuda_joined.cuh. */
#ifndef CW_KERNELS_MASSMATRIX_CUDA_PIECES_CUH
#define CW_KERNELS_MASSMATRIX_CUDA_PIECES_CUH

#include "kernels/massmatrix/massmatrix_cuda_factors.cuh"
#include "kernels/massmatrix/massmatrix_cuda_launch.cuh"

/* Row of the stage: 32 particles, padded so that rows g at neighbouring pairs 2 t, 2 t + 1 of them,
 * of 8 times 4 lanes, are in different banks. Which particle stands at which depth of a product
 * does not matter as long as both operands agree: depths t and t + 4 are such a pair, one access.
 */
enum { CW_MM_PITCH = 40 };

template <class T> struct cw_mm_pair;
template <> struct cw_mm_pair<double> { typedef double2 type; };
template <> struct cw_mm_pair<float> { typedef float2 type; };

template <class T> static __device__ __forceinline__ void cw_mm_load(const T *from, T value[2]) {
  const typename cw_mm_pair<T>::type pair = *(const typename cw_mm_pair<T>::type *)from;
  value[0] = pair.x;
  value[1] = pair.y;
}

/* Batches of a piece, one after the other. */
struct cw_mm_walk {
  int32_t bin[3], last; /* of axis 0: behind the piece */
  int range;
  uint32_t at, end;
  uint32_t row_key; /* of axes 1 and 2, where a bin has one range */

  __device__ __forceinline__ void begin(const cw_mm_device_job &d) {
    row_key = 0;
#pragma unroll
    for (int a = 1; a < 3; a++) {
      if (a >= d.rule.dim)
        continue;
      const cw_key_axis axis = cw_key_axis_of(&d.rule, a);
      const uint32_t c = (uint32_t)bin[a], t = (uint32_t)((uint64_t)c * axis.reciprocal >> 32);
      row_key += t * axis.tile_stride + (c - t * (uint32_t)axis.tile) * axis.local_stride;
    }
  }

  __device__ __forceinline__ void find(const cw_mm_device_job &d) {
    if (d.ranges > 1) {
      cw_mm_range(d, bin, range, &at, &end);
      return;
    }
    const cw_key_axis axis = cw_key_axis_of(&d.rule, 0);
    const uint32_t c = (uint32_t)bin[0], t = (uint32_t)((uint64_t)c * axis.reciprocal >> 32);
    const uint32_t *key = d.offsets + row_key + t * axis.tile_stride +
                          (c - t * (uint32_t)axis.tile) * axis.local_stride;
    at = key[0];
    end = key[1];
  }

  /* The next batch: where it starts, how many (0: the piece is done), its bin in `bin`. */
  __device__ __forceinline__ int next(const cw_mm_device_job &d, uint32_t *first) {
    while (at >= end) {
      if (++range >= d.ranges) {
        range = 0;
        if (++bin[0] >= last) {
          range = d.ranges, bin[0] = last;
          return 0;
        }
      }
      find(d);
    }
    *first = at;
    const uint32_t left = end - at;
    const int n = left < 32 ? (int)left : 32;
    at += (uint32_t)n;
    return n;
  }
};

template <class Form>
static __device__ __forceinline__ typename Form::real *cw_mm_sums_of(const cw_mm_device_job &d,
                                                                     const int32_t bin[3]) {
  typedef cw_mm_store<Form::store> store;
  const int64_t number =
      bin[0] - d.low[0] +
      (int64_t)(d.high[0] - d.low[0]) *
          (bin[1] - d.low[1] + (int64_t)(d.high[1] - d.low[1]) * (bin[2] - d.low[2]));
  return (typename Form::real *)d.sums + number * store::stride(Form::tensor ? 9 : 1);
}

/* What a warp has in shared memory: B of a bin, the stage. */
template <class Form> struct cw_mm_arena {
  static const int field = Form::tensor ? (cw_mm_nodal<Form::order, 1>::values + 1) / 2 * 2 : 0;
  static const size_t bytes =
      (field * sizeof(double) +
       (Form::stage > Form::scratch ? Form::stage : Form::scratch) * sizeof(typename Form::real) +
       15) /
      16 * 16;
};

/* Starts the reading of the next batch; returns how many it has, 0 behind the piece. */
template <class Form, class Real>
static __device__ __forceinline__ int cw_mm_ask(const cw_mm_device_job &d, cw_mm_walk &walk,
                                                int lane, cw_mm_raw<Real> *raw, int32_t *bin) {
  uint32_t first = 0;
  const int n = walk.next(d, &first);
  *bin = walk.bin[0];
  if (n > 0)
    cw_mm_read<Form::tensor>(d, first + (uint32_t)min(lane, n - 1), lane < n, raw);
  return n;
}

/* The run of bins of this thread's warp, behind it `last`; false if there is none. */
struct cw_mm_piece {
  int32_t bin[3], last;
};
static __device__ __forceinline__ bool cw_mm_find_piece(const cw_mm_device_job &d, int warps,
                                                        cw_mm_piece *piece) {
  const int64_t number = (int64_t)blockIdx.x * warps + threadIdx.x / 32;
  const int32_t ny = d.high[1] - d.low[1], nz = d.high[2] - d.low[2];
  if (number >= (int64_t)d.pieces * ny * nz)
    return false;
  const int64_t row = number / d.pieces;
  piece->bin[0] = d.low[0] + (int32_t)(number % d.pieces) * d.length;
  piece->bin[1] = d.low[1] + (int32_t)(row % ny);
  piece->bin[2] = d.low[2] + (int32_t)(row / ny);
  piece->last = min(piece->bin[0] + d.length, d.high[0]);
  return true;
}

template <class Form, class Real>
static __global__ void __launch_bounds__(Form::warps * 32, Form::blocks)
    cw_mm_sum_pieces(const __grid_constant__ cw_mm_device_job d) {
  typedef cw_mm_arena<Form> arena;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  cw_mm_piece piece;
  if (!cw_mm_find_piece(d, Form::warps, &piece) || cw_mm_failed(d.status))
    return;
  double *field = (double *)(cw_team_arena<unsigned char>() + warp * arena::bytes);
  typename Form::real *stage = (typename Form::real *)(field + arena::field);

  const int32_t start = piece.bin[0], last = piece.last;
  int32_t bin[3] = {start, piece.bin[1], piece.bin[2]};
  cw_mm_walk walk = {{start - 1, bin[1], bin[2]}, last, d.ranges, 0, 0, 0};
  walk.begin(d);

  Form form;
  form.begin(lane);
  cw_mm_nodal<Form::order, 1> nodal;
  if constexpr (Form::tensor)
    nodal.begin(d, bin, lane), nodal.fetch(d, bin[0]);
  cw_mm_raw<Real> raw = {};
  int32_t of; /* bin of the batch that is being read */
  int n = cw_mm_ask<Form>(d, walk, lane, &raw, &of);
  for (; bin[0] < last; bin[0]++) {
    if constexpr (Form::tensor) {
      nodal.store(d, field, lane);
      nodal.fetch(d, min(bin[0] + 1, last - 1));
    }
    while (n > 0 && of == bin[0]) {
      double x[3], column[CW_MM_COLUMNS];
      const int now = n;
      const cw_mm_raw<Real> read = raw;
      if constexpr (Form::ahead > 1)
        n = cw_mm_ask<Form>(d, walk, lane, &raw, &of);
      const double q = cw_mm_place<Form::order>(d, read, bin, x);
      if constexpr (Form::tensor)
        cw_mm_make_columns<Form::order>(d, read, q, field, x, column);
      else
        column[0] = q;
      form.produce(d, x, column, stage, lane);
      if constexpr (Form::ahead == 1)
        n = cw_mm_ask<Form>(d, walk, lane, &raw, &of);
      __syncwarp();
      form.consume(d, stage, now, lane);
      __syncwarp();
    }
    form.write(d, stage, cw_mm_sums_of<Form>(d, bin), bin, bin[0] + 1 == last, lane);
  }
}

#endif
