/* How a kernel of runs sums: every value is a product flow x plane, the flow of one axis (P, or q w
 * v out of plane) times the bracket of the transverse shapes. A mode says in what form the two are
 * staged (Word), summed in registers (Sum), in a tile (Scratch) and in J or its accumulators
 * (Sink).
 *
 * Every path of a mode (registers, tile, escapes, tail) adds the same numbers for a particle: the
 * files that include this are compiled without contraction, and fused products stand by name.
 *
 *     real      reals
 *     product   single precision's 64 bits: flow and plane are rounded to integers of at most 30
 * and 23 bits, whose products are exact: a value keeps its digits however small it is rounded
 * adding 1.5 * 2^(mantissa bits) to a product rounds it to a whole number of quanta, which stands
 * in the low mantissa bits: 32 bits, and double precision's 64 */
#ifndef CW_KERNELS_DEPOSIT_CUDA_MODES_CUH
#define CW_KERNELS_DEPOSIT_CUDA_MODES_CUH

#include "kernels/deposit/deposit_cuda_job.cuh"

template <class Real> struct cw_mode_real {
  typedef Real Word, Sum, Scratch, Sink;
  static const bool fixed = false;
  static __device__ __forceinline__ Real unit() { return 1; }
  static __device__ __forceinline__ Word plane(Real x) { return x; }
  static __device__ __forceinline__ Word flow(Real x) { return x; }
  static __device__ __forceinline__ void add(Sum &sum, Word flow, Word plane) {
    sum = fma(flow, plane, sum);
  }
  static __device__ __forceinline__ Scratch product(Word flow, Word plane) { return flow * plane; }
  static __device__ __forceinline__ Scratch finish(Sum sum, int) { return sum; }
};

struct cw_mode_product {
  typedef int32_t Word;
  typedef int64_t Sum, Scratch, Sink;
  static const bool fixed = true;
  static __device__ __forceinline__ float unit() { return 1.0f / CW_DEPOSIT_PLANE_UNIT; }
  static __device__ __forceinline__ Word plane(float x) { /* 0 <= x <= 1 */
    const float unit = CW_DEPOSIT_PLANE_UNIT;             /* 2^23: the mantissa holds the rest */
    return __float_as_int(fmaf(x, unit, unit)) - __float_as_int(unit);
  }
  static __device__ __forceinline__ Word flow(float x) { return __float2int_rn(x); }
  static __device__ __forceinline__ void add(Sum &sum, Word flow, Word plane) {
    /* one instruction; the compiler makes several of the same in C */
    asm("mad.wide.s32 %0, %1, %2, %0;" : "+l"(sum) : "r"(flow), "r"(plane));
  }
  static __device__ __forceinline__ Scratch product(Word flow, Word plane) {
    Sum sum;
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(sum) : "r"(flow), "r"(plane));
    return sum;
  }
  static __device__ __forceinline__ Scratch finish(Sum sum, int) { return sum; }
};

template <class Real> struct cw_magic;
template <> struct cw_magic<float> {
  typedef int32_t Integer;
  static __device__ __forceinline__ float value() { return 12582912.0f; } /* 1.5 * 2^23 */
  static __device__ __forceinline__ int32_t bits(float x) { return __float_as_int(x); }
};
template <> struct cw_magic<double> {
  typedef int64_t Integer;
  static __device__ __forceinline__ double value() { return 6755399441055744.0; } /* 1.5 * 2^52 */
  static __device__ __forceinline__ int64_t bits(double x) { return __double_as_longlong(x); }
};

template <class Real> struct cw_mode_rounded {
  typedef Real Word;
  typedef typename cw_magic<Real>::Integer Sum, Scratch;
  typedef typename std::make_unsigned<Sum>::type Wrapping;
  typedef int64_t Sink;
  static const bool fixed = true;
  static __device__ __forceinline__ Real unit() { return 1; }
  static __device__ __forceinline__ Word plane(Real x) { return x; }
  static __device__ __forceinline__ Word flow(Real x) { return x; }
  /* The sum of n such has n times the magic number's bits too much, modulo 2^32 or 2^64. */
  static __device__ __forceinline__ void add(Sum &sum, Word flow, Word plane) {
    sum = (Sum)((Wrapping)sum +
                (Wrapping)cw_magic<Real>::bits(fma(flow, plane, cw_magic<Real>::value())));
  }
  static __device__ __forceinline__ Scratch finish(Sum sum, int n) {
    return (Scratch)((Wrapping)sum -
                     (Wrapping)n * (Wrapping)cw_magic<Real>::bits(cw_magic<Real>::value()));
  }
  static __device__ __forceinline__ Scratch product(Word flow, Word plane) {
    Sum sum = 0;
    add(sum, flow, plane);
    return finish(sum, 1);
  }
};

#endif
