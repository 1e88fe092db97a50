/* Instances of the paper's products. */
#include "kernels/massmatrix/massmatrix_cuda_launch.cuh"
#include "kernels/massmatrix/massmatrix_cuda_paper.cuh"

template <int ORDER, class T> static void choose_kind(cw_mm_plan *plan) {
  if (plan->components == 9)
    cw_mm_choose_pieces<cw_mm_paper<ORDER, T, true>>(plan);
  else
    cw_mm_choose_pieces<cw_mm_paper<ORDER, T, false>>(plan);
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
