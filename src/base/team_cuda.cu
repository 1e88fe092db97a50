/* How a team is launched: does its arena fit, and how many threads it gets. */
#include "base/device_cuda.cuh"
#include "base/tile_edges.h"

enum { DEFAULT_SHARED_LIMIT = 48 * 1024 }; /* above it a kernel has to ask */

static cw_status check_arena(cw_context *context, const cw_team_request *request, size_t fixed) {
  const cw_device_properties *device = cw_device_opened(context);
  size_t limit = device->shared_per_block - fixed; /* what the kernel declares itself */
  if (request->arena <= limit)
    return CW_OK;
  if (!request->arena_of_tile)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "%s: a team needs %zu bytes of shared memory; %s has %zu a team", request->name,
                   request->arena, device->name, limit);
  char fitting[64];
  cw_tile_edges_that_fit(limit, request->arena_of_tile, request->user, fitting, sizeof fitting);
  return cw_fail(context, CW_ERROR_ARGUMENT,
                 "%s: a tile of edge %d needs %zu bytes of shared memory; %s has %zu a team; tile "
                 "edges that fit: %s",
                 request->name, request->tile, request->arena, device->name, limit, fitting);
}

/* The smallest team that keeps the most threads resident: small teams balance tiles better. */
static cw_status choose_threads(cw_context *context, const cw_team_request *request, int most,
                                int *threads) {
  int best = 0;
  *threads = CW_WARP;
  for (int size = CW_WARP; size <= most; size += CW_WARP) {
    int teams = 0;
    CW_CUDA_TRY(context, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&teams, request->kernel,
                                                                       size, request->arena));
    if (teams * size > best) {
      best = teams * size;
      *threads = size;
    }
  }
  return CW_OK;
}

cw_status cw_team_prepare(cw_context *context, const cw_team_request *request,
                          cw_team_launch *launch) {
  CW_TRY(cw_device_use(context, NULL));
  const cw_device_properties *device = cw_device_opened(context);
  if (request->teams < 1 || request->teams > INT32_MAX || request->team_size < 0)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "%s: %lld teams of %d threads; expected 1 to %d teams of at least 0 threads",
                   request->name, (long long)request->teams, request->team_size, INT32_MAX);
  cudaFuncAttributes kernel;
  CW_TRY(cw_cuda_check(context, cudaFuncGetAttributes(&kernel, request->kernel), request->name));
  CW_TRY(check_arena(context, request, kernel.sharedSizeBytes));
  if (request->arena + kernel.sharedSizeBytes > DEFAULT_SHARED_LIMIT)
    CW_TRY(cw_cuda_check(
        context,
        cudaFuncSetAttribute(request->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)(device->shared_per_block - kernel.sharedSizeBytes)),
        request->name));
  int most = kernel.maxThreadsPerBlock / CW_WARP * CW_WARP;
  int threads =
      (int)cw_min_i64(most, ((int64_t)request->team_size + CW_WARP - 1) / CW_WARP * CW_WARP);
  if (request->team_size == 0)
    CW_TRY(choose_threads(context, request, most, &threads));
  launch->teams = (unsigned)request->teams;
  launch->threads = (unsigned)threads;
  launch->arena = request->arena;
  CW_CUDA_TRY(context,
              cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                  &launch->teams_per_multiprocessor, request->kernel, threads, request->arena));
  return CW_OK;
}
