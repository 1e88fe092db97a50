/* Instances of the moment form on matrix units. */
#include "kernels/massmatrix/massmatrix_cuda_launch.cuh"
#include "kernels/massmatrix/massmatrix_cuda_moment.cuh"

template <class Form> static cw_status sum(cw_context *context, const cw_mm_device_job *job) {
  return cw_mm_launch_pieces<Form>(context, job, "mass matrix by moments", 1);
}

template <class Form> static void choose(cw_mm_plan *plan) {
  plan->sum = sum<Form>;
  plan->store = Form::store;
  plan->with_pieces = 1;
}

template <class T> static void choose_all(cw_mm_plan *plan) {
  const int tensor = plan->components == 9;
  if (plan->order == 2) {
    if (tensor)
      choose<cw_mm_moment_tensor<2, T, true>>(plan);
    else
      choose<cw_mm_moment_scalar<2, T>>(plan);
  } else if (!tensor) {
    choose<cw_mm_moment_scalar<1, T>>(plan);
  } else if (plan->linear) {
    choose<cw_mm_moment_tensor<1, T, true>>(plan);
  } else {
    choose<cw_mm_moment_tensor<1, T, false>>(plan);
  }
}

void cw_mm_plan_moment(cw_mm_plan *plan) {
  if (plan->is_double)
    choose_all<double>(plan);
  else
    choose_all<float>(plan);
}
