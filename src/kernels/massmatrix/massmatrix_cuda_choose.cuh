/* Launches of the forms with a warp a piece. */
#ifndef CW_KERNELS_MASSMATRIX_CUDA_CHOOSE_CUH
#define CW_KERNELS_MASSMATRIX_CUDA_CHOOSE_CUH

#include "kernels/massmatrix/massmatrix_cuda_joined.cuh"

typedef void cw_mm_piece_kernel(const cw_mm_device_job d);

template <class Form>
static cw_status cw_mm_launch_kernel(cw_context *context, const cw_mm_device_job *job,
                                     cw_mm_piece_kernel *kernel, size_t arena) {
  const int64_t pieces =
      (int64_t)job->pieces * (job->high[1] - job->low[1]) * (job->high[2] - job->low[2]);
  cw_team_request request = {};
  request.name = Form::name();
  request.kernel = (const void *)kernel;
  request.teams = (pieces + Form::warps - 1) / Form::warps;
  request.team_size = Form::warps * 32;
  request.arena = Form::warps * arena;
  cw_team_launch launch;
  CW_TRY(cw_team_prepare(context, &request, &launch));
  const dim3 blocks(launch.teams, (unsigned)Form::passes);
  CW_CUDA_LAUNCH_NAMED(context, request.name, kernel, blocks, launch.threads, launch.arena, *job);
  return CW_OK;
}

/* Particles a bin, on average, below which two bins share a batch. */
enum { CW_MM_FEW = 24 };

template <class Form, class Real>
static cw_status cw_mm_launch_pieces_of(cw_context *context, const cw_mm_device_job *job) {
  if constexpr (Form::joins)
    if (job->job.particles.count / CW_MM_FEW < (int64_t)job->rule.bins)
      return cw_mm_launch_kernel<Form>(context, job, cw_mm_sum_joined<Form, Real>,
                                       cw_mm_joined_arena<Form>::bytes);
  return cw_mm_launch_kernel<Form>(context, job, cw_mm_sum_pieces<Form, Real>,
                                   cw_mm_arena<Form>::bytes);
}

template <class Form>
static cw_status cw_mm_launch_pieces(cw_context *context, const cw_mm_device_job *job) {
  return job->job.particles.precision == CW_DOUBLE
             ? cw_mm_launch_pieces_of<Form, double>(context, job)
             : cw_mm_launch_pieces_of<Form, float>(context, job);
}

template <class Form> static void cw_mm_choose_pieces(cw_mm_plan *plan) {
  plan->sum = cw_mm_launch_pieces<Form>;
  plan->store = Form::store;
}

#endif
