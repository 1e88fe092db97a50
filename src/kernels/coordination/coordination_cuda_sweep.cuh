/* Launches of one precision: which pair function, which form. Included by coordination_cuda_f32.cu
 * and _f64.cu. */
#include <math.h>

#include "kernels/coordination/coordination_cuda_bundle.cuh"
#include "kernels/coordination/coordination_cuda_cell.cuh"

template <class Real, class Pair, template <class, class> class InnerOf>
static cw_status launch_bundles(cw_context *context, const Pair &pair,
                                const cw_device_sweep *sweep) {
  const auto kernel = &cw_sweep_bundles<Real, Pair, InnerOf>;
  const int64_t bundles = cw_coordination_cuda_partials(sweep, CW_COORDINATION_FORM_BUNDLE);
  const unsigned teams = (unsigned)((bundles + CW_SWEEP_WARPS - 1) / CW_SWEEP_WARPS);
  CW_CUDA_LAUNCH_NAMED(context, "cw_sweep_bundles", kernel, teams, CW_SWEEP_WARPS * CW_WARP,
                       CW_SWEEP_WARPS * sizeof(cw_stage<Real>), *sweep, pair);
  return CW_OK;
}

template <class Real, class Pair>
static cw_status launch(cw_context *context, const Pair &pair, const cw_device_sweep *sweep,
                        cw_coordination_form form) {
  if (form == CW_COORDINATION_FORM_MATRIX)
    return launch_bundles<Real, Pair, cw_inner_matrix>(context, pair, sweep);
  if (form == CW_COORDINATION_FORM_BUNDLE) {
    CW_TRY((launch_bundles<Real, Pair, cw_inner_cluster>(context, pair, sweep)));
    if (sizeof(Real) < sizeof(double) && !sweep->fast_border)
      CW_TRY((launch_bundles<Real, Pair, cw_inner_exact>(context, pair, sweep)));
    return CW_OK;
  }
  const auto kernel = &cw_sweep_cells<Real, Pair>;
  CW_CUDA_LAUNCH_NAMED(context, "cw_sweep_cells", kernel, (unsigned)sweep->cells.total, CW_TEAM,
                       sizeof(cw_team_tile<Real>), *sweep, pair);
  return CW_OK;
}

template <class Real>
static cw_status launch_any(cw_context *context, const cw_switching *switching,
                            const cw_device_sweep *sweep, cw_coordination_form form) {
  cw_pair_any<Real> pair;
  pair.scale = 1, pair.shift = 0, pair.slope = 1;
  pair.switching = *switching;
  if (!sweep->cells.images)
    return launch<Real>(context, pair, sweep, form);
  const auto kernel = &cw_sweep_all<Real, cw_pair_any<Real>>;
  CW_CUDA_LAUNCH_NAMED(context, "cw_sweep_all", kernel,
                       (unsigned)((sweep->centre.count + CW_TEAM - 1) / CW_TEAM), CW_TEAM,
                       sizeof(cw_image_tile), *sweep, pair);
  return CW_OK;
}

/* The quick forms of 1/(1 + u^n): where nothing in range overflows or leaves the normal numbers. */
template <class Real>
static cw_status launch_sweep(cw_context *context, const cw_switching *s,
                              const cw_device_sweep *sweep, cw_coordination_form form) {
  const double limit = sizeof(Real) == sizeof(double) ? s->limit_double : s->limit_single;
  const double inverse2 = s->inverse_r_0 * s->inverse_r_0, largest = s->range2 * inverse2;
  const double k = pow(s->inverse_r_0, -6), margin = sizeof(Real) == sizeof(double) ? 1e100 : 1e12;
  const bool ordinary = s->form == CW_FORM_HALF_EVEN && !sweep->cells.images && largest < limit;
  if (ordinary && s->nn == 3 && sweep->other_ids && k < margin && k * margin > 1 &&
      pow(s->range2, 3) < margin * margin) {
    cw_pair_sixth<Real> pair;
    pair.k = (Real)k;
    pair.scale = (Real)(s->stretch * k);
    pair.shift = (Real)s->shift;
    pair.slope = (Real)(-6 * s->stretch * k);
    return launch<Real>(context, pair, sweep, form);
  }
  if (ordinary) {
    cw_pair_even<Real> pair;
    pair.inverse2 = (Real)inverse2;
    pair.n = s->nn;
    pair.scale = (Real)s->stretch;
    pair.shift = (Real)s->shift;
    pair.slope = (Real)(-2 * s->nn * s->stretch * inverse2);
    return launch<Real>(context, pair, sweep, form);
  }
  return launch_any<Real>(context, s, sweep, form);
}
