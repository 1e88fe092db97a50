/* What the device's deposit kernels share: the job, adding to a value, loading a particle. */
#ifndef CW_KERNELS_DEPOSIT_CUDA_JOB_CUH
#define CW_KERNELS_DEPOSIT_CUDA_JOB_CUH

#include <type_traits>

#include "base/device_cuda.cuh"
#include "kernels/deposit/deposit_private.h"
#include "kernels/deposit/deposit_scratch.h"

/* Counts of one deposit, in device memory, in the order of cw_deposit_report. */
typedef struct cw_deposit_counts {
  unsigned long long tiled, escaped, tail, flat, dead, outside;
} cw_deposit_counts;

/* Most species that one pass sums. */
enum { CW_DEPOSIT_TOGETHER = 4 };

/* Fixed point: quanta a unit of each component, found on the device. */
typedef struct cw_deposit_quanta {
  double quanta[3];
  unsigned int weight_bits[CW_DEPOSIT_TOGETHER]; /* each species' largest |weight| as the bits of a
                                                  * float, rounded up */
  unsigned int most; /* at least the number of particles that can reach one value */
} cw_deposit_quanta;

/* A plane of transverse weights, at most 1, as an integer in single precision's 64-bit fixed point.
 */
#define CW_DEPOSIT_PLANE_UNIT 8388608.0f

/* One of a job's species. */
typedef struct cw_deposit_device_species {
  cw_particles_view particles;
  double scale[3];             /* charge dx/dt along simulated axes, charge along the others */
  const int64_t *tile_offsets; /* NULL: not sorted */
} cw_deposit_device_species;

/* A deposit; passed to kernels by value. Kernels of runs sum all its species, the others the first. */
typedef struct cw_deposit_device_job {
  int dim, order;
  int species_count;
  cw_deposit_device_species species[CW_DEPOSIT_TOGETHER];
  double max_move; /* fixed point: a longer move, in cells, is a fault */
  /* J, or its int64 accumulators: at node (low, low, low) */
  void *component[3];
  int64_t stride[3];
  int32_t low[3], high[3];
  /* tiles */
  int tile, tiles[3];
  int below, edge;      /* nodes of a scratch below its tile, and along an axis */
  int pad;              /* values behind each component of a scratch where runs are summed */
  int runs;             /* sum runs of particles in registers: orders 1 to 3 in 2D and 3D */
  int wide;             /* single precision, orders from 4: sums of reals are doubles */
  int scratch_bits;     /* fixed point: 32 (runs in single precision only) or 64 */
  int64_t first, last;  /* slots of a flat pass */
  int tail;             /* that pass is the tail of a sorted species */
  int outside_is_fault; /* a particle whose window leaves J's storage; else it is only counted */
  cw_deposit_quanta *quanta;
  cw_deposit_counts *counts;
  cw_fault_word *fault;
} cw_deposit_device_job;

#ifdef __CUDACC__
__device__ __forceinline__ void cw_sink_add(float *place, float value) {
  atomicAdd(place, value);
}
__device__ __forceinline__ void cw_sink_add(double *place, double value) {
  atomicAdd(place, value);
}
__device__ __forceinline__ void cw_sink_add(int32_t *place, int32_t value) {
  atomicAdd(place, value);
}
__device__ __forceinline__ void cw_sink_add(int64_t *place, int64_t value) {
  atomicAdd((unsigned long long *)place, (unsigned long long)value);
}
/* The same in shared memory, where kernels of runs sum: adds the first `count` of N values at `at`, at
 * + step, ...; `all`: values of the scratch. */
template <int N, class Scratch>
__device__ __forceinline__ void cw_tile_add(Scratch *scratch, int, int at, int step,
                                            const Scratch value[N], int count) {
#pragma unroll
  for (int n = 0; n < N; n++)
    if (n < count && value[n] != 0)
      cw_sink_add(scratch + at + n * step, value[n]);
}
/* 64 bits: there an addition of 64 is a loop of compare-and-swap and one of 32 a single
 * instruction, so the low words are added and their carries go to the high ones; all low ones
 * first, since each answers late. Zeros are added too, which costs less than to find them. The low
 * words of all values stand before the high ones, so that neighbours are in different banks. */
template <int N>
__device__ __forceinline__ void cw_tile_add(int64_t *scratch, int all, int at, int step,
                                            const int64_t value[N], int count) {
  unsigned *const low = (unsigned *)scratch + at, *const high = low + all;
  unsigned before[N];
#pragma unroll
  for (int n = 0; n < N; n++)
    if (n < count)
      before[n] = atomicAdd(low + n * step, (unsigned)value[n]);
#pragma unroll
  for (int n = 0; n < N; n++)
    if (n < count) {
      const unsigned carry = before[n] + (unsigned)value[n] < (unsigned)value[n];
      atomicAdd(high + n * step, (unsigned)((uint64_t)value[n] >> 32) + carry);
    }
}
/* Value n of such a scratch. */
template <class Scratch>
__device__ __forceinline__ Scratch cw_tile_value(const Scratch *scratch, int, int n) {
  return scratch[n];
}
__device__ __forceinline__ int64_t cw_tile_value(const int64_t *scratch, int all, int n) {
  const unsigned *const words = (const unsigned *)scratch;
  return (int64_t)((uint64_t)words[all + n] << 32 | words[n]);
}
/* One addition a warp: those of all teams to one counter follow each other, and at one a thread they
 * took longer than small tiles did. */
__device__ __forceinline__ void cw_count(unsigned long long *counter, unsigned n) {
  const unsigned active = __activemask(), sum = __reduce_add_sync(active, n);
  if (sum && (int)(threadIdx.x % 32) == __ffs((int)active) - 1)
    atomicAdd(counter, (unsigned long long)sum);
}

/* Tile t's lowest cell along each axis. */
__device__ __forceinline__ void cw_tile_origin(const cw_deposit_device_job &job, int t,
                                               int32_t origin[3]) {
  origin[0] = t % job.tiles[0] * job.tile;
  origin[1] = t / job.tiles[0] % job.tiles[1] * job.tile;
  origin[2] = t / job.tiles[0] / job.tiles[1] * job.tile;
}

/* The value of component c at a node of a tile's scratch is added to J, but not beyond J's storage. */
template <int DIM, class Sink>
__device__ __forceinline__ void cw_tile_put(const cw_deposit_device_job &job,
                                            const int32_t origin[3], int c, const int32_t node[3],
                                            Sink value) {
  int64_t place = 0;
  bool inside = true;
#pragma unroll
  for (int a = 0; a < DIM; a++) {
    const int32_t global = origin[a] - job.below + node[a];
    inside = inside && global >= job.low[a] && global < job.high[a];
    place += (int64_t)(global - job.low[a]) * job.stride[a];
  }
  if (inside)
    cw_sink_add((Sink *)job.component[c] + place, value);
}

/* Adds a tile's scratch of edge `edge`, `components` of them from `first` on, to J: one addition for
 * each value that is not zero. */
template <int DIM, class Scratch, class Sink>
__device__ void cw_tile_flush(const cw_deposit_device_job &job, const Scratch *scratch, int edge,
                              const int32_t origin[3], int first, int components) {
  const int volume = DIM == 1 ? edge : DIM == 2 ? edge * edge : edge * edge * edge;
  for (int n = threadIdx.x; n < components * volume; n += blockDim.x) {
    if (scratch[n] == 0)
      continue;
    const int c = n / volume, at = n - c * volume;
    const int32_t node[3] = {at % edge, DIM > 1 ? at / edge % edge : 0,
                             DIM > 2 ? at / edge / edge : 0};
    cw_tile_put<DIM>(job, origin, first + c, node, (Sink)scratch[n]);
  }
}
#endif
#endif
