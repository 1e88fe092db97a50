/* Instances of the forms without matrix units. */
#include "kernels/massmatrix/massmatrix_cuda_launch.cuh"
#include "kernels/massmatrix/massmatrix_cuda_outer.cuh"

template <class Form> static cw_status sum(cw_context *context, const cw_mm_device_job *job) {
  return cw_mm_launch_teams<Form>(context, job, "mass matrix, a team a bin");
}

template <class Form> static void choose(cw_mm_plan *plan) {
  plan->sum = sum<Form>;
  plan->store = Form::store;
}

template <int ORDER, class T> static void choose_all(cw_mm_plan *plan, int pairs) {
  const int tensor = plan->components == 9;
  if (pairs) {
    if (tensor)
      choose<cw_mm_outer<ORDER, true, T, true>>(plan);
    else
      choose<cw_mm_outer<ORDER, true, T, false>>(plan);
  } else if (tensor) {
    choose<cw_mm_outer<ORDER, false, T, true>>(plan);
  } else if constexpr (ORDER == 2) {
    choose<cw_mm_outer<2, false, T, false>>(plan);
  } else {
    cw_mm_choose_pieces<cw_mm_moment_lane<T>>(plan);
  }
}

void cw_mm_plan_outer(cw_mm_plan *plan, int pairs) {
  if (plan->order == 1 && plan->is_double)
    choose_all<1, double>(plan, pairs);
  else if (plan->order == 1)
    choose_all<1, float>(plan, pairs);
  else if (plan->is_double)
    choose_all<2, double>(plan, pairs);
  else
    choose_all<2, float>(plan, pairs);
}
