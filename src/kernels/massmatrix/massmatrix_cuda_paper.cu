/* Instances of the paper's products. */
#include "kernels/massmatrix/massmatrix_cuda_launch.cuh"
#include "kernels/massmatrix/massmatrix_cuda_paper.cuh"

template <class Form> static cw_status sum(cw_context *context, const cw_mm_device_job *job) {
  return cw_mm_launch_pieces<Form>(context, job, "mass matrix by products of nodes",
                                   Form::components / Form::each);
}

template <class Form> static void choose(cw_mm_plan *plan) {
  plan->sum = sum<Form>;
  plan->store = Form::store;
  plan->with_pieces = 1;
}

template <int ORDER, class T> static void choose_kind(cw_mm_plan *plan) {
  if (plan->components == 9)
    choose<cw_mm_paper<ORDER, T, true>>(plan);
  else
    choose<cw_mm_paper<ORDER, T, false>>(plan);
}

void cw_mm_plan_paper(cw_mm_plan *plan) {
  if (plan->order == 1 && plan->is_double)
    choose_kind<1, double>(plan);
  else if (plan->order == 1)
    choose_kind<1, float>(plan);
  else if (plan->is_double)
    choose_kind<2, double>(plan);
  else
    choose_kind<2, float>(plan);
}
