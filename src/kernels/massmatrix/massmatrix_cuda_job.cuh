/* What the device's kernels of the mass matrix share: the job, and where a bin's sums are stored.
 *
 *   order    offsets of the bins in the sorted slots                    massmatrix_cuda_order.cu
 *   sums     a warp or team a bin: sums of products, stored once massmatrix_cuda_{moment,...}
 *   gather   adds to each node what the bins around it have             massmatrix_cuda_gather.cu
 *
 * Nothing is added by atomics, so that results have the same bits on every run (NAIVE apart).
 * A kernel that meets a fault says so in the status word and the gather then adds nothing. */
#ifndef CW_KERNELS_MASSMATRIX_CUDA_JOB_CUH
#define CW_KERNELS_MASSMATRIX_CUDA_JOB_CUH

#include "base/device_cuda.cuh"
#include "kernels/massmatrix/massmatrix_cuda.h"

/* Where the sums of bins are stored, as values an axis and a bin:
 *   CELLS     CIC: sums of b_0, b_1, b_2, which are the pairs 00, 01, 11
 *   CARRIED   the same, b_2 of the bin before along axis 0 added to b_0; the last of a piece apart
 *   MOMENTS   TSC: the five moments beta
 *   PAIRS     TSC: pairs 00, 11, 22, 01, 12, 02 of the bin's three nodes */
enum { CW_MM_CELLS, CW_MM_CARRIED, CW_MM_MOMENTS, CW_MM_PAIRS };

template <int STORE> struct cw_mm_store {
  static const int order = STORE == CW_MM_CELLS || STORE == CW_MM_CARRIED ? 1 : 2;
  static const int axis = STORE == CW_MM_PAIRS ? 6 : 2 * order + 1;
  static const int axis0 = STORE == CW_MM_CARRIED ? 2 : axis;
  static const int entries = axis0 * axis * axis;
  static const int nodes = (order + 1) * (order + 1) * (order + 1);
  static const int tail_entries = axis * axis; /* of a piece, CARRIED */
  /* Values of a bin, even, so that pairs of them are aligned. Behind the entries of a tensor, from
   * `linear` on: [node][Jx Jy Jz rho]. */
  static __host__ __device__ constexpr int linear(int components) {
    return (entries * components + 1) / 2 * 2;
  }
  static __host__ __device__ constexpr int stride(int components) {
    return linear(components) + (components == 9 ? 4 * nodes : 0);
  }
  /* Number of the entry of values i, j, k along the axes. The rows j, k of MOMENTS that fill whole
   * eights stand first. */
  static __host__ __device__ constexpr int entry(int i, int j, int k) {
    const int plane = j + axis * k;
    if (STORE != CW_MM_MOMENTS)
      return STORE == CW_MM_PAIRS ? i + axis * plane : 9 * i + plane;
    return plane < 24 ? 24 * i + plane : 120 + i;
  }
  /* Place of an entry's component: eight components stand together, the ninth behind. */
  static __host__ __device__ constexpr int place(int entries_of, int components, int e, int c) {
    return components == 1 ? e : c < 8 ? 8 * e + c : 8 * entries_of + e;
  }
};

typedef struct cw_mm_status {
  unsigned long long fault; /* the largest of ~(slot << 8 | CW_MM_FAULT_...): the first slot */
  unsigned misplaced;       /* particles met in another bin than the order says */
  unsigned unused;
} cw_mm_status;

/* What the kernels take, by value. */
typedef struct cw_mm_device_job {
  cw_mm_job job;
  int32_t cells[3];
  cw_key_rule rule;        /* order of the slots, or of `slots` */
  int ranges;              /* of slots that a bin can have */
  const uint32_t *offsets; /* [rule.bins + 1] */
  const uint32_t *slots;   /* slot at each place; NULL: itself */
  cw_mm_status *status;
  int32_t low[3], high[3]; /* the bins that are summed */
  int32_t length, pieces;  /* of runs of bins along axis 0, a warp each; how many a row has */
  int is_double;           /* the matrix's values */
  int three;               /* three TF32 products for one */
  int fresh;               /* the arrays are zero */
  void *sums, *tails;
} cw_mm_device_job;

#ifdef __CUDACC__
static __device__ __forceinline__ void cw_mm_fault(cw_mm_status *status, int code, int64_t slot) {
  atomicMax(&status->fault, ~((unsigned long long)slot << 8 | (unsigned long long)code));
}

static __device__ __forceinline__ bool cw_mm_failed(const cw_mm_status *status) {
  const volatile cw_mm_status *now = status;
  return now->fault || now->misplaced;
}

/* Slots of bin `bin`, in range r; an empty one where the bin has not so many. A node between tiles
 * has particles in each of them. */
static __device__ __forceinline__ void cw_mm_range(const cw_mm_device_job &d, const int32_t bin[3],
                                                   int r, uint32_t *begin, uint32_t *end) {
  uint32_t key = 0;
  bool exists = true;
#pragma unroll
  for (int a = 0; a < 3; a++) {
    if (a >= d.rule.dim)
      continue;
    const cw_key_axis axis = cw_key_axis_of(&d.rule, a);
    const uint32_t c = (uint32_t)bin[a];
    uint32_t t = (uint32_t)((uint64_t)c * axis.reciprocal >> 32);
    const uint32_t rest = c - t * (uint32_t)axis.tile;
    if (r >> a & 1) { /* as the last node of the tile below */
      exists = exists && c > 0 && rest == 0;
      t--;
      key += t * axis.tile_stride + (uint32_t)axis.tile * axis.local_stride;
    } else {
      exists = exists && t * (uint32_t)axis.tile <= (uint32_t)axis.last;
      key += t * axis.tile_stride + rest * axis.local_stride;
    }
  }
  *begin = exists ? d.offsets[key] : 0;
  *end = exists ? d.offsets[key + 1] : 0;
}
#endif

/* The sums of one call of add over the bins low .. high, as kernels of a format; passes over the
 * particles are inside. `store` says what they leave. */
typedef cw_status cw_mm_sum_launch(cw_context *context, const cw_mm_device_job *job);

#endif
