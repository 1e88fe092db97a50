/* Launches, teams with an arena, and the fault word. */
#include "base/device_cuda.cuh"
#include "plain_check.h"

__global__ void report(cw_fault_word *word, int64_t count, int64_t lowest) {
  cw_grid_stride(k, count) {
    if (k >= lowest && k % 3 == 0)
      cw_fault_report(word, k == lowest ? CW_FAULT_MOMENTUM : CW_FAULT_MOVED, k);
  }
}

static cw_status launch_report(cw_context *context, int64_t count, int64_t lowest) {
  CW_CUDA_LAUNCH(context, report, cw_cuda_blocks(context, count, CW_THREADS), CW_THREADS, 0,
                 cw_device_fault(context), count, lowest);
  return CW_OK;
}

static void test_first_fault_and_their_number_reach_the_host(cw_context *context) {
  plain_ok(context, launch_report(context, 1000000, 300000));
  plain_refused(context, cw_device_synchronize(context), CW_ERROR_NUMERIC,
                "a particle's momentum is not finite: slot 300000 is the first of 233334");
  plain_ok(context, cw_device_synchronize(context)); /* it was cleared */
  plain_ok(context, launch_report(context, 10, 10));
  plain_ok(context, cw_device_synchronize(context));
  plain_ok(context, launch_report(context, 10, 3));
  plain_refused(context, cw_device_synchronize(context), CW_ERROR_NUMERIC,
                "slot 3 is the first of 3");
}

/* Each team sums 0 ... words - 1 through its arena. */
__global__ void sum_arena(int words, long long *sums) {
  int *arena = cw_team_arena<int>();
  for (int k = threadIdx.x; k < words; k += blockDim.x)
    arena[k] = k;
  __syncthreads();
  if (threadIdx.x == 0) {
    long long sum = 0;
    for (int k = 0; k < words; k++)
      sum += arena[k];
    sums[blockIdx.x] = sum;
  }
}

static size_t arena_of_tile(const void *user, int tile) {
  size_t edge = (size_t)tile + 6;
  return edge * edge * edge * 3 * *(const size_t *)user;
}

static cw_team_request make_request(size_t arena, int team_size) {
  cw_team_request request = {};
  request.name = "sum_arena";
  request.kernel = (const void *)sum_arena;
  request.teams = 5;
  request.team_size = team_size;
  request.arena = arena;
  return request;
}

static cw_status run_teams(cw_context *context, const cw_team_request *request, long long *sums) {
  cw_team_launch launch;
  CW_TRY(cw_team_prepare(context, request, &launch));
  plain_check(launch.threads % CW_WARP == 0 && launch.threads >= CW_WARP && launch.threads <= 1024,
              "%u threads", launch.threads);
  plain_check(launch.teams_per_multiprocessor > 0, "no team is resident");
  CW_TEAM_LAUNCH(context, launch, request->name, sum_arena, (int)(request->arena / sizeof(int)),
                 sums);
  return CW_OK;
}

static void test_teams_use_all_of_their_arena(cw_context *context) {
  static const size_t arenas[] = {4, 1000, 48 * 1024, 48 * 1024 + 4, 100 * 1024};
  static const int sizes[] = {0, 1, 33, 256, 5000};
  void *sums = NULL;
  long long found[5];
  plain_ok(context, cw_memory_alloc(context, CW_SPACE_DEVICE, 5, sizeof *found, "sums", &sums));
  for (size_t arena : arenas)
    for (int size : sizes) {
      cw_team_request request = make_request(arena, size);
      long long words = (long long)(arena / sizeof(int));
      plain_ok(context, cw_device_zero(context, sums, sizeof found));
      plain_ok(context, run_teams(context, &request, (long long *)sums));
      plain_ok(context, cw_device_read(context, found, sums, sizeof found));
      for (long long sum : found)
        plain_check(sum == words * (words - 1) / 2, "arena %zu, size %d: %lld", arena, size, sum);
    }
  cw_memory_free(context, CW_SPACE_DEVICE, sums);
}

static void test_team_size_is_rounded_and_clamped(cw_context *context) {
  static const int asked[] = {1, 32, 33, 96, 1024, 1025, 100000};
  static const unsigned given[] = {32, 32, 64, 96, 1024, 1024, 1024};
  for (int k = 0; k < 7; k++) {
    cw_team_request request = make_request(64, asked[k]);
    cw_team_launch launch = {};
    plain_ok(context, cw_team_prepare(context, &request, &launch));
    plain_check(launch.threads == given[k], "%d gives %u", asked[k], launch.threads);
  }
  cw_team_request request = make_request(64, -1);
  cw_team_launch launch;
  plain_refused(context, cw_team_prepare(context, &request, &launch), CW_ERROR_ARGUMENT, "-1");
  request = make_request(64, 0);
  request.teams = (int64_t)1 << 31;
  plain_refused(context, cw_team_prepare(context, &request, &launch), CW_ERROR_ARGUMENT,
                "2147483648");
}

static void test_arena_that_is_too_large_names_the_tiles_that_fit(cw_context *context) {
  const size_t real = sizeof(double), limit = cw_device_opened(context)->shared_per_block;
  char fitting[64] = "none";
  int length = 0;
  for (int tile = 4; tile <= 16; tile += 2)
    if (arena_of_tile(&real, tile) <= limit)
      length += snprintf(fitting + length, sizeof fitting - (size_t)length, "%s%d",
                         length ? ", " : "", tile);
  cw_team_request request = make_request(arena_of_tile(&real, 32), 0);
  request.tile = 32;
  request.arena_of_tile = arena_of_tile;
  request.user = &real;
  cw_team_launch launch;
  char part[128];
  snprintf(part, sizeof part, "tile edges that fit: %s", fitting);
  plain_refused(context, cw_team_prepare(context, &request, &launch), CW_ERROR_ARGUMENT, part);
  request.arena_of_tile = NULL;
  plain_refused(context, cw_team_prepare(context, &request, &launch), CW_ERROR_ARGUMENT,
                "bytes of shared memory");
}

static cw_status launch_too_wide(cw_context *context) {
  CW_CUDA_LAUNCH(context, report, 1, 4096, 0, cw_device_fault(context), (int64_t)0, (int64_t)0);
  return CW_OK;
}

static void test_launch_that_fails_is_named_and_leaves_the_device_usable(cw_context *context) {
  plain_refused(context, launch_too_wide(context), CW_ERROR_DEVICE, "kernel report failed");
  plain_ok(context, cw_device_synchronize(context));
  plain_ok(context, launch_report(context, 10, 10));
  plain_ok(context, cw_device_synchronize(context));
}

int main(void) {
  static const plain_case cases[] = {
      PLAIN_CASE(test_first_fault_and_their_number_reach_the_host),
      PLAIN_CASE(test_teams_use_all_of_their_arena),
      PLAIN_CASE(test_team_size_is_rounded_and_clamped),
      PLAIN_CASE(test_arena_that_is_too_large_names_the_tiles_that_fit),
      PLAIN_CASE(test_launch_that_fails_is_named_and_leaves_the_device_usable),
  };
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
