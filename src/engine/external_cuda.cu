/* External fields on the device: a thread a point runs the expression's program. Compiled without
 * contraction: what is not a function of libm has the bits of the host's. */
#include "base/device_cuda.cuh"
#include "engine/engine_cuda.h"
#include "setup/place_body.h"

namespace {

enum { LOCAL_DEPTH = 32 }; /* values on a thread's own stack; deeper ones are in device memory */

__device__ __forceinline__ int64_t evaluate(const cw_external_job &job, int64_t n, double *stack,
                                            int64_t stride, double *value) {
  const int32_t ghost = job.grid.ghost;
  const int64_t i = n % job.size[0], j = n / job.size[0] % job.size[1],
                k = n / job.size[0] / job.size[1];
  const double variable[4] = {cw_place(&job.grid, 0, i - ghost, job.shift[0]),
                              cw_place(&job.grid, 1, j - ghost, job.shift[1]),
                              cw_place(&job.grid, 2, k - ghost, job.shift[2]), job.t};
  *value = cw_expression_run(job.code, job.length, variable, stack, stride);
  return i + j * job.grid.stride[1] + k * job.grid.stride[2];
}

template <bool IS_LOCAL>
__global__ void __launch_bounds__(CW_THREADS)
    fill_external(cw_external_job job, cw_external_fault *first, cw_fault_word *fault) {
  double local[IS_LOCAL ? LOCAL_DEPTH : 1];
  double *stack = IS_LOCAL ? local : job.stack + cw_thread_index();
  const int64_t stride = IS_LOCAL ? 1 : cw_thread_count();
  const int64_t points = (int64_t)job.size[0] * job.size[1] * job.size[2];
  cw_grid_stride(n, points) {
    double value;
    const int64_t at = evaluate(job, n, stack, stride, &value);
    job.values[at] = job.scale * value;
    if (isfinite(value))
      continue;
    if (atomicExch(&first->found, 1u) == 0)
      first->t = job.t; /* steps follow each other: the first finds none */
    cw_fault_report(fault, CW_FAULT_NOT_FINITE, at);
  }
}

/* From the points that differ to all: what is read is not written. */
__global__ void __launch_bounds__(CW_THREADS) spread_external(cw_external_job job) {
  const int64_t points = (int64_t)job.grid.size[0] * job.grid.size[1] * job.grid.size[2];
  cw_grid_stride(n, points) {
    const int64_t i = n % job.grid.size[0], j = n / job.grid.size[0] % job.grid.size[1],
                  k = n / job.grid.size[0] / job.grid.size[1];
    const int64_t from = i % job.size[0] + j % job.size[1] * job.grid.stride[1] +
                         k % job.size[2] * job.grid.stride[2];
    const int64_t to = i + j * job.grid.stride[1] + k * job.grid.stride[2];
    if (from != to)
      job.values[to] = job.values[from];
  }
}

} // namespace

int64_t cw_engine_external_stack(int depth) {
  return depth <= LOCAL_DEPTH ? 0 : (int64_t)depth * CW_EXTERNAL_THREADS;
}

cw_status cw_engine_fill_external_cuda(cw_context *context, const cw_external_job *job,
                                       cw_external_fault *first) {
  const int64_t points = (int64_t)job->size[0] * job->size[1] * job->size[2];
  cw_fault_word *fault = cw_device_fault(context);
  if (job->stack)
    CW_CUDA_LAUNCH_NAMED(context, "fill_external", fill_external<false>,
                         CW_EXTERNAL_THREADS / CW_THREADS, CW_THREADS, 0, *job, first, fault);
  else
    CW_CUDA_LAUNCH_NAMED(context, "fill_external", fill_external<true>,
                         cw_cuda_blocks(context, points, CW_THREADS), CW_THREADS, 0, *job, first,
                         fault);
  if (points < job->grid.points)
    CW_CUDA_LAUNCH(context, spread_external, cw_cuda_blocks(context, job->grid.points, CW_THREADS),
                   CW_THREADS, 0, *job);
  return CW_OK;
}
