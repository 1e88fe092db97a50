/* The walk of massmatrix_cuda_pieces.cuh where bins have few particles: a batch holds particles of a
 * bin and, from lane `second` on, which is a multiple of 8 as the depth of the products is, of the
 * next, so that factors are formed for two bins at once.
 *
 *   for each batch of the warp's piece
 *     a lane a particle: factors to the warp's stage         Form::produce
 *     (the next batch is being read meanwhile)
 *     for each of its two bins
 *       store the sums of the bins before                    Form::write
 *       products over its particles, sums in registers       Form::consume */
#ifndef CW_KERNELS_MASSMATRIX_CUDA_JOINED_CUH
#define CW_KERNELS_MASSMATRIX_CUDA_JOINED_CUH

#include "kernels/massmatrix/massmatrix_cuda_pieces.cuh"

/* The particles of a piece, one range of slots of a bin after the other. A piece has at most 8 bins
 * of 8 ranges: their bounds are read at once, a lane a range, so that no batch waits for them. */
template <int ORDER> struct cw_mm_joined_walk {
  static const int slots = ORDER == 1 ? 1 : 2; /* CIC: one range a bin */
  uint32_t begins[slots], ends[slots];         /* of range lane + 32 s of the piece */
  unsigned left[slots];                        /* ranges that are not empty, and not begun */
  int32_t start, last, bin; /* of axis 0: the piece's first, behind it, at hand (last: done) */
  uint32_t at, end;

  __device__ __forceinline__ static int ranges_of(const cw_mm_device_job &d) {
    return ORDER == 1 ? 1 : d.ranges;
  }
  __device__ __forceinline__ void begin(const cw_mm_device_job &d, const int32_t first[3],
                                        int32_t behind, int lane) {
    const int ranges = ranges_of(d);
    start = bin = first[0], last = behind;
    at = end = 0;
#pragma unroll
    for (int s = 0; s < slots; s++) {
      const int n = lane + 32 * s;
      const int32_t of[3] = {start + n / ranges, first[1], first[2]};
      begins[s] = ends[s] = 0;
      if (of[0] < last)
        cw_mm_range(d, of, n % ranges, &begins[s], &ends[s]);
      left[s] = __ballot_sync(0xffffffffu, begins[s] < ends[s]);
    }
  }

  /* Goes to the next range if this one is done; false behind the piece. */
  __device__ __forceinline__ bool seek(const cw_mm_device_job &d) {
    if (at < end)
      return true;
#pragma unroll
    for (int s = 0; s < slots; s++)
      if (left[s]) {
        const int n = __ffs((int)left[s]) - 1;
        left[s] &= left[s] - 1;
        at = __shfl_sync(0xffffffffu, begins[s], n);
        end = __shfl_sync(0xffffffffu, ends[s], n);
        bin = start + (n + 32 * s) / ranges_of(d);
        return true;
      }
    bin = last;
    return false;
  }

  /* At most `room` particles of the range at hand, from place *first on. */
  __device__ __forceinline__ int take(int room, uint32_t *first) {
    const uint32_t rest = end - at;
    const int n = rest < (uint32_t)room ? (int)rest : room;
    *first = at;
    at += (uint32_t)n;
    return n;
  }
};

struct cw_mm_batch {
  int32_t bin[2]; /* along axis 0; behind the piece: its end */
  int count[2];   /* 0 and 0 behind the piece */
  int second;     /* 32: none */
};

/* Starts the reading of the next batch. */
template <class Form, class Real>
static __device__ __forceinline__ void cw_mm_ask_joined(const cw_mm_device_job &d,
                                                        cw_mm_joined_walk<Form::order> &walk,
                                                        int lane, cw_mm_raw<Real> *raw,
                                                        cw_mm_batch *batch) {
  uint32_t first[2] = {0, 0};
  batch->count[0] = batch->count[1] = 0;
  batch->second = 32;
  if (walk.seek(d))
    batch->count[0] = walk.take(32, &first[0]);
  batch->bin[0] = batch->bin[1] = walk.bin;
  if (batch->count[0] == 0)
    return;
  if (batch->count[0] <= 24 && walk.seek(d) && walk.bin <= batch->bin[0] + 1) {
    batch->second = (batch->count[0] + 7) / 8 * 8;
    batch->count[1] = walk.take(32 - batch->second, &first[1]);
    batch->bin[1] = walk.bin;
  }
  const bool s = lane >= batch->second;
  const int n = s ? batch->count[1] : batch->count[0], of = s ? lane - batch->second : lane;
  cw_mm_read<Form::tensor>(d, (s ? first[1] : first[0]) + (uint32_t)min(of, n - 1), of < n, raw);
}

template <class Form> struct cw_mm_joined_arena {
  static const int field = cw_mm_arena<Form>::field; /* of each of two bins */
  static const size_t bytes = (2 * field * sizeof(double) +
                               (Form::stage + Form::scratch) * sizeof(typename Form::real) + 15) /
                              16 * 16;
};

template <class Form, class Real>
static __global__ void __launch_bounds__(Form::warps * 32, Form::blocks)
    cw_mm_sum_joined(const __grid_constant__ cw_mm_device_job d) {
  typedef cw_mm_joined_arena<Form> arena;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  cw_mm_piece piece;
  if (!cw_mm_find_piece(d, Form::warps, &piece) || cw_mm_failed(d.status))
    return;
  double *field = (double *)(cw_team_arena<unsigned char>() + warp * arena::bytes);
  typename Form::real *stage = (typename Form::real *)(field + 2 * arena::field);

  const int32_t start = piece.bin[0], last = piece.last;
  int32_t bin[3] = {start, piece.bin[1], piece.bin[2]};
  cw_mm_joined_walk<Form::order> walk;
  walk.begin(d, bin, last, lane);

  Form form;
  form.begin(lane);
  cw_mm_nodal<Form::order, 2> nodal;
  int32_t known = start - 1; /* B of this bin and the one before is at hand, by parity */
  if constexpr (Form::tensor)
    nodal.begin(d, bin, lane), nodal.fetch(d, start), nodal.fetch(d, min(start + 1, last - 1));
  cw_mm_raw<Real> raw = {};
  cw_mm_batch next;
  cw_mm_ask_joined<Form>(d, walk, lane, &raw, &next);
  do {
    const cw_mm_batch now = next;
    if (now.count[0] > 0) {
      const int32_t of[3] = {lane < now.second ? now.bin[0] : now.bin[1], bin[1], bin[2]};
      double x[3], column[CW_MM_COLUMNS];
      if constexpr (Form::tensor)
        while (known < now.bin[1]) {
          known++;
          nodal.store(d, field + known % 2 * arena::field, lane);
          nodal.fetch(d, min(known + 2, last - 1));
        }
      const double q = cw_mm_place<Form::order>(d, raw, of, x);
      if constexpr (Form::tensor)
        cw_mm_make_columns<Form::order>(d, raw, q, field + of[0] % 2 * arena::field, x, column);
      else
        column[0] = q;
      form.produce(d, x, column, stage, lane);
      cw_mm_ask_joined<Form>(d, walk, lane, &raw, &next);
    }
    __syncwarp();
#pragma unroll 1
    for (int s = 0; s < 2; s++) {
      const int32_t to = s ? now.bin[1] : now.bin[0];
#pragma unroll 1
      for (; bin[0] < to; bin[0]++)
        form.write(d, stage + Form::stage, cw_mm_sums_of<Form>(d, bin), bin, bin[0] + 1 == last,
                   lane);
      form.consume(d, stage + (s ? now.second : 0), s ? now.count[1] : now.count[0], lane);
    }
    __syncwarp();
  } while (bin[0] < last);
}

#endif
