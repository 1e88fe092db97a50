/* The solver's vectors on a device. A dot product is formed by a fixed number of blocks, each over
 * a fixed slice, and then over the blocks, by fixed trees; x is read once for several partners, and
 * the last kernel writes where the host can read, so that one wait is all that it takes. */
#include "base/device_cuda.cuh"
#include "fields/ecsim_cuda.h"

enum { PARTS = 512, TOGETHER = 4 /* partners that a block treats at once */ };

struct cw_ecsim_sums {
  double *parts;   /* [CW_ECSIM_AT_ONCE][PARTS], on the device */
  double *results; /* [CW_ECSIM_AT_ONCE], pinned */
};

namespace {

struct vector_list {
  const double *array[CW_ECSIM_AT_ONCE];
};
struct factor_list {
  double value[CW_ECSIM_AT_ONCE];
};

/* Over the block's values; the result in thread 0. */
__device__ double sum_over_block(double value) {
  __shared__ double shared[CW_THREADS / CW_WARP];
  for (int half = CW_WARP / 2; half > 0; half /= 2)
    value += __shfl_down_sync(0xffffffffu, value, half);
  __syncthreads(); /* the last call's values have been read */
  if (threadIdx.x % CW_WARP == 0)
    shared[threadIdx.x / CW_WARP] = value;
  __syncthreads();
  double sum = 0;
  if (threadIdx.x == 0)
    for (int w = 0; w < CW_THREADS / CW_WARP; w++)
      sum += shared[w];
  return sum;
}

__global__ void __launch_bounds__(CW_THREADS)
    dots(int64_t length, const double *__restrict__ x, int count,
         const __grid_constant__ vector_list y, double *parts) {
  const int first = blockIdx.y * TOGETHER, taken = min(TOGETHER, count - first);
  double sum[TOGETHER] = {};
  for (int64_t k = cw_thread_index(); k < length; k += (int64_t)PARTS * CW_THREADS) {
    const double here = x[k];
#pragma unroll
    for (int t = 0; t < TOGETHER; t++)
      if (t < taken)
        sum[t] += here * y.array[first + t][k];
  }
#pragma unroll
  for (int t = 0; t < TOGETHER; t++) {
    const double all = sum_over_block(sum[t]);
    if (threadIdx.x == 0 && t < taken)
      parts[(first + t) * PARTS + blockIdx.x] = all;
  }
}

/* A block a result. */
__global__ void __launch_bounds__(CW_THREADS) over_parts(const double *parts, double *results) {
  double sum = 0;
  for (int p = threadIdx.x; p < PARTS; p += CW_THREADS)
    sum += parts[blockIdx.x * PARTS + p];
  sum = sum_over_block(sum);
  if (threadIdx.x == 0)
    results[blockIdx.x] = sum;
}

__global__ void __launch_bounds__(CW_THREADS)
    combine(int64_t length, int count, const __grid_constant__ factor_list c,
            const __grid_constant__ vector_list x, double *z) {
  cw_grid_stride(k, length) {
    double sum = c.value[0] * x.array[0][k];
    for (int t = 1; t < count; t++)
      sum += c.value[t] * x.array[t][k];
    z[k] = sum;
  }
}

__global__ void __launch_bounds__(CW_THREADS) set(int64_t length, double c, double *z) {
  cw_grid_stride(k, length) z[k] = c;
}

__global__ void __launch_bounds__(CW_THREADS)
    pointwise(int64_t length, const double *x, const double *y, int divide, double *z) {
  cw_grid_stride(k, length) z[k] = divide ? x[k] / y[k] : x[k] * y[k];
}

} // namespace

cw_status cw_ecsim_sums_create_cuda(cw_context *context, cw_ecsim_sums **sums) {
  cw_ecsim_sums *made = NULL;
  *sums = NULL;
  CW_TRY(cw_memory_alloc(context, CW_SPACE_HOST, 1, sizeof *made, "solver sums", (void **)&made));
  *sums = made; /* the caller destroys it after a failure, too */
  CW_TRY(cw_memory_alloc(context, CW_SPACE_DEVICE, (size_t)CW_ECSIM_AT_ONCE * PARTS, sizeof(double),
                         "solver sums", (void **)&made->parts));
  CW_CUDA_TRY(context, cudaMallocHost(&made->results, CW_ECSIM_AT_ONCE * sizeof(double)));
  return CW_OK;
}

void cw_ecsim_sums_destroy_cuda(cw_context *context, cw_ecsim_sums *sums) {
  cw_memory_free(context, CW_SPACE_DEVICE, sums->parts);
  if (sums->results)
    cudaFreeHost(sums->results);
  cw_memory_free(context, CW_SPACE_HOST, sums);
}

cw_status cw_ecsim_dots_cuda(cw_context *context, cw_ecsim_sums *sums, int64_t length,
                             const double *x, int count, const double *const *y, double *results) {
  cudaStream_t stream;
  vector_list list = {};
  for (int k = 0; k < count; k++)
    list.array[k] = y[k];
  const dim3 blocks(PARTS, (unsigned)((count + TOGETHER - 1) / TOGETHER));
  CW_CUDA_LAUNCH(context, dots, blocks, CW_THREADS, 0, length, x, count, list, sums->parts);
  CW_CUDA_LAUNCH(context, over_parts, (unsigned)count, CW_THREADS, 0, (const double *)sums->parts,
                 sums->results);
  CW_TRY(cw_device_use(context, &stream));
  CW_CUDA_TRY(context, cudaStreamSynchronize(stream));
  for (int k = 0; k < count; k++)
    results[k] = sums->results[k];
  return CW_OK;
}

cw_status cw_ecsim_combine_cuda(cw_context *context, int64_t length, int count, const double *c,
                                const double *const *x, double *z) {
  vector_list list = {};
  factor_list factors = {};
  for (int k = 0; k < count; k++) {
    list.array[k] = x[k];
    factors.value[k] = c[k];
  }
  CW_CUDA_LAUNCH(context, combine, cw_cuda_blocks(context, length, CW_THREADS), CW_THREADS, 0,
                 length, count, factors, list, z);
  return CW_OK;
}

cw_status cw_ecsim_set_cuda(cw_context *context, int64_t length, double c, double *z) {
  CW_CUDA_LAUNCH(context, set, cw_cuda_blocks(context, length, CW_THREADS), CW_THREADS, 0, length,
                 c, z);
  return CW_OK;
}

cw_status cw_ecsim_pointwise_cuda(cw_context *context, int64_t length, const double *x,
                                  const double *y, int divide, double *z) {
  CW_CUDA_LAUNCH(context, pointwise, cw_cuda_blocks(context, length, CW_THREADS), CW_THREADS, 0,
                 length, x, y, divide, z);
  return CW_OK;
}
