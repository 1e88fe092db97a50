/* k-th of a with k-th of b: a thread a pair, in double. */
#include "kernels/coordination/coordination_cuda_cell.cuh"

static __global__ void __launch_bounds__(CW_TEAM)
    cw_sweep_zip(const __grid_constant__ cw_device_sweep sweep,
                 const __grid_constant__ cw_switching switching,
                 const __grid_constant__ cw_device_positions positions,
                 cw_device_outcome *outcome) {
  cw_image_tile *tile = cw_team_arena<cw_image_tile>();
  const int k = blockIdx.x * CW_TEAM + threadIdx.x;
  cw_partial partial = {};
  if (k < sweep.centre.count) {
    const uint32_t i = sweep.centre.atom[k], j = sweep.other.atom[k];
    double a[3], b[3], s = 0, g = 0;
    cw_device_load(positions, i, a);
    cw_device_load(positions, j, b);
    for (int c = 0; c < 3; c++) {
      if (!isfinite(a[c]))
        atomicMin(&outcome->bad_atom, i);
      if (!isfinite(b[c]))
        atomicMin(&outcome->bad_atom, j);
    }
    double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    cw_device_minimum_image(sweep.cells.lattice, d);
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const bool counts = i != j && r2 <= sweep.range2;
    if (counts)
      cw_switching_any(&switching, r2, &s, &g);
    for (int c = 0; c < 3; c++) {
      sweep.derivative[3 * (int64_t)k + c] = -g * d[c];
      sweep.derivative[3 * ((int64_t)sweep.centre.count + k) + c] = g * d[c];
    }
    sweep.value[k] = s;
    partial.sum[CW_SUM_VALUE] = s;
    partial.sum[CW_SUM_PAIRS] = counts;
    partial.sum[CW_SUM_BOX + 0] = -g * d[0] * d[0];
    partial.sum[CW_SUM_BOX + 1] = -g * d[1] * d[1];
    partial.sum[CW_SUM_BOX + 2] = -g * d[2] * d[2];
    partial.sum[CW_SUM_BOX + 3] = -g * d[0] * d[1];
    partial.sum[CW_SUM_BOX + 4] = -g * d[0] * d[2];
    partial.sum[CW_SUM_BOX + 5] = -g * d[1] * d[2];
  }
  cw_team_partial(partial, tile->sums, &sweep.partial[blockIdx.x]);
}

cw_status cw_coordination_cuda_zip(cw_context *context, const cw_switching *switching,
                                   const cw_device_sweep *sweep,
                                   const cw_device_positions *positions,
                                   cw_device_outcome *outcome) {
  if (sweep->centre.count > 0)
    CW_CUDA_LAUNCH(context, cw_sweep_zip, (unsigned)((sweep->centre.count + CW_TEAM - 1) / CW_TEAM),
                   CW_TEAM, sizeof(cw_image_tile), *sweep, *switching, *positions, outcome);
  return CW_OK;
}
