/* Instances of the moment form on matrix units. */
#include "kernels/massmatrix/massmatrix_cuda_launch.cuh"
#include "kernels/massmatrix/massmatrix_cuda_moment.cuh"

template <class T> static void choose_all(cw_mm_plan *plan) {
  const int tensor = plan->components == 9;
  if (plan->order == 2) {
    if (tensor)
      cw_mm_choose_pieces<cw_mm_moment_tensor<2, T, true>>(plan);
    else
      cw_mm_choose_pieces<cw_mm_moment_scalar<2, T>>(plan);
  } else if (!tensor) {
    cw_mm_choose_pieces<cw_mm_moment_scalar<1, T>>(plan);
  } else if (plan->linear) {
    cw_mm_choose_pieces<cw_mm_moment_tensor<1, T, true>>(plan);
  } else {
    cw_mm_choose_pieces<cw_mm_moment_tensor<1, T, false>>(plan);
  }
}

void cw_mm_plan_moment(cw_mm_plan *plan) {
  if (plan->is_double)
    choose_all<double>(plan);
  else
    choose_all<float>(plan);
}
