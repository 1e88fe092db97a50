/* For .cu files: checked calls and launches, grid-stride loops, teams with an arena, faults. */
#ifndef CW_BASE_DEVICE_CUDA_CUH
#define CW_BASE_DEVICE_CUDA_CUH

#include <cuda_runtime.h>

#include "base/context_private.h"
#include "base/device.h"
#include "base/host_device.h"

/* Makes the context's device the calling thread's and hands out its stream (may be NULL).
 * Error: CW_ERROR_UNSUPPORTED (a context without a device), CW_ERROR_DEVICE. */
cw_status cw_device_use(cw_context *context, cudaStream_t *stream);
cudaStream_t cw_device_aux_stream(const cw_context *context);

/* CW_OK, or CW_ERROR_DEVICE (out of memory: CW_ERROR_MEMORY) with the name of the call. */
cw_status cw_cuda_check(cw_context *context, cudaError_t error, const char *call);
/* What became of the launch of `kernel`. With CELLWISE_DEVICE_SYNC=1 in the environment each
 * launch is waited for, so that a kernel that fails is the one that is named. */
cw_status cw_cuda_launched(cw_context *context, const char *kernel);

#define CW_CUDA_TRY(context, call) CW_TRY(cw_cuda_check((context), (call), #call))

/* Launches on the context's stream and returns from the caller on failure. */
#define CW_CUDA_LAUNCH_NAMED(context, name, kernel, blocks, threads, shared, ...)                  \
  do {                                                                                             \
    cudaStream_t cw_launch_stream;                                                                 \
    CW_TRY(cw_device_use((context), &cw_launch_stream));                                           \
    kernel<<<(blocks), (threads), (shared), cw_launch_stream>>>(__VA_ARGS__);                      \
    CW_TRY(cw_cuda_launched((context), (name)));                                                   \
  } while (0)
#define CW_CUDA_LAUNCH(context, kernel, blocks, threads, shared, ...)                              \
  CW_CUDA_LAUNCH_NAMED(context, #kernel, kernel, blocks, threads, shared, __VA_ARGS__)

enum { CW_WARP = 32, CW_THREADS = 256 };

/* Blocks of `threads` for a grid-stride loop over `count` > 0 items: a few waves at most. */
unsigned cw_cuda_blocks(const cw_context *context, int64_t count, int threads);

#ifdef __CUDACC__
__device__ inline int64_t cw_thread_index(void) {
  return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ inline int64_t cw_thread_count(void) {
  return (int64_t)gridDim.x * blockDim.x;
}
#define cw_grid_stride(k, count)                                                                   \
  for (int64_t k = cw_thread_index(); k < (count); k += cw_thread_count())

/* Joins the values of a block of CW_THREADS threads, of which this is number `thread`, by a fixed
 * tree of to = Join::of(to, other); the result in all threads. */
template <class Join, class Value> __device__ Value cw_over_block(Value value, int thread) {
  __shared__ Value shared[CW_THREADS];
  __syncthreads(); /* the last call's values have been read */
  shared[thread] = value;
  __syncthreads();
  for (int half = CW_THREADS / 2; half > 0; half /= 2) {
    if (thread < half)
      shared[thread] = Join::of(shared[thread], shared[thread + half]);
    __syncthreads();
  }
  return shared[0];
}
struct cw_join_sum {
  __device__ static double of(double a, double b) { return a + b; }
};
struct cw_join_largest {
  __device__ static double of(double a, double b) { return fmax(a, b); }
};
#endif

/* The fault word: `first` is the largest of ~(slot << 8 | code), that is the first slot. */
typedef struct cw_fault_word {
  unsigned long long first;
  unsigned long long count;
} cw_fault_word;

/* In device memory, for kernels' arguments; read and cleared by cw_device_synchronize. */
cw_fault_word *cw_device_fault(const cw_context *context);

#ifdef __CUDACC__
__device__ inline void cw_fault_report(cw_fault_word *word, cw_fault code, int64_t slot) {
  atomicAdd(&word->count, 1ull);
  atomicMax(&word->first, ~((unsigned long long)slot << 8 | (unsigned long long)code));
}
#endif

/* Teams: a thread block a tile, with one arena of shared memory. */
typedef struct cw_team_request {
  const char *name;   /* of the kernel, for messages */
  const void *kernel; /* (const void *)the instance */
  int64_t teams;
  int team_size; /* threads; 0: by occupancy; else rounded up to a warp, at most what runs */
  size_t arena;  /* bytes of dynamic shared memory a team */
  /* For the message where the arena is too large: the bytes that another tile edge needs. */
  int tile;
  size_t (*arena_of_tile)(const void *user, int tile);
  const void *user;
} cw_team_request;

typedef struct cw_team_launch {
  unsigned teams, threads;
  size_t arena;
  int teams_per_multiprocessor; /* resident at once */
} cw_team_launch;

/* Checks the request against the device and raises the kernel's limit of shared memory.
 * Errors: CW_ERROR_ARGUMENT (the arena is larger than the device has: the message says which tile
 * edges fit; more than 2^31 - 1 teams; a negative size), CW_ERROR_DEVICE. */
cw_status cw_team_prepare(cw_context *context, const cw_team_request *request,
                          cw_team_launch *launch);

#define CW_TEAM_LAUNCH(context, launch, name, kernel, ...)                                         \
  CW_CUDA_LAUNCH_NAMED(context, name, kernel, (launch).teams, (launch).threads, (launch).arena,    \
                       __VA_ARGS__)

#ifdef __CUDACC__
extern __shared__ __align__(128) unsigned char cw_team_arena_bytes[];
/* The team's arena: one struct, or an array, of a type without constructors. */
template <class T> __device__ inline T *cw_team_arena(void) {
  return reinterpret_cast<T *>(cw_team_arena_bytes);
}
#endif

#endif
