/* Which pairs count is never left to rounding: in single precision pairs within the error of the
 * range are decided upon in double, by the positions as they were given. */
#ifndef CW_KERNELS_COORDINATION_CUDA_BORDER_CUH
#define CW_KERNELS_COORDINATION_CUDA_BORDER_CUH

#include "kernels/coordination/coordination_cuda_job.cuh"

/* The shortest image of d, as cw_lattice_minimum_image finds it. */
static __device__ __forceinline__ void cw_device_minimum_image(const cw_lattice &lattice,
                                                               double d[3]) {
  if (lattice.kind == CW_LATTICE_NONE)
    return;
  double s[3];
  for (int a = 0; a < 3; a++)
    s[a] = floor(d[0] * lattice.inverse[0][a] + d[1] * lattice.inverse[1][a] +
                 d[2] * lattice.inverse[2][a] + 0.5 + CW_HALF_BOX_SLACK);
  for (int c = 0; c < 3; c++)
    d[c] -= s[0] * lattice.h[0][c] + s[1] * lattice.h[1][c] + s[2] * lattice.h[2][c];
  if (lattice.kind == CW_LATTICE_ORTHOGONAL)
    return;
  double shortest = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], best[3] = {d[0], d[1], d[2]};
  for (int k = 0; k < CW_LATTICE_SHIFTS; k++) {
    const double x = d[0] + lattice.shifts[k][0], y = d[1] + lattice.shifts[k][1];
    const double z = d[2] + lattice.shifts[k][2], r2 = x * x + y * y + z * z;
    if (r2 < shortest)
      shortest = r2, best[0] = x, best[1] = y, best[2] = z;
  }
  for (int c = 0; c < 3; c++)
    d[c] = best[c];
}

/* Half of the width of what must be decided upon, in squared distance, for coordinates up to
 * `reach` (bundle_body.h has the bound on the error). */
template <class Real>
static __device__ __forceinline__ Real cw_border(double range2, double reach) {
  return sizeof(Real) == sizeof(double) ? (Real)0 : (Real)(16.0 / (1 << 24) * sqrt(range2) * reach);
}

template <class Real>
static __device__ __forceinline__ bool cw_unsure(Real r2, Real range2, Real border) {
  return sizeof(Real) < sizeof(double) && fabs(r2 - range2) <= border;
}

static __device__ __noinline__ bool cw_in_range(const cw_device_sweep &sweep, int centre,
                                                int other) {
  double d[3];
  for (int c = 0; c < 3; c++)
    d[c] = sweep.other.position[c][other] - sweep.centre.position[c][centre];
  cw_device_minimum_image(sweep.cells.lattice, d);
  return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= sweep.range2;
}

/* A squared distance on the right side of the range. */
template <class Real>
static __device__ __forceinline__ Real cw_settled(bool inside, Real r2, Real range2) {
  return inside ? (r2 < range2 ? r2 : range2) : (r2 > range2 ? r2 : 2 * range2);
}

#endif
