/* Sweeps by teams of 128: a team a cell, and every pair by its shortest image. */
#ifndef CW_KERNELS_COORDINATION_CUDA_CELL_CUH
#define CW_KERNELS_COORDINATION_CUDA_CELL_CUH

#include "kernels/coordination/coordination_cuda_inner.cuh"

template <class Real> struct __align__(32) cw_team_tile {
  Real at[CW_TEAM][4];
  uint32_t id[CW_TEAM];
  double sums[CW_TEAM / CW_WARP][CW_SUMS];
};

/* The tile of every pair by its shortest image. */
struct cw_image_tile {
  double at[CW_TEAM][3];
  uint32_t id[CW_TEAM];
  double sums[CW_TEAM / CW_WARP][CW_SUMS];
};

/* Most that a coordinate of a neighbour can be from a cell's first centre: two cells away. */
static __device__ __forceinline__ double cw_cell_reach(const cw_device_cells &cells) {
  double reach = 0;
  for (int c = 0; c < 3; c++) {
    double along = 0;
    for (int a = 0; a < 3; a++)
      along += cells.lattice.kind == CW_LATTICE_NONE
                   ? (a == c && cells.inverse_extent[a] > 0
                          ? 2 * cells.width[a] / cells.inverse_extent[a]
                          : 0)
                   : 2 * cells.width[a] * fabs(cells.lattice.h[a][c]);
    reach = fmax(reach, along);
  }
  return reach;
}

/* A thread's centre and what it has summed. */
template <class Real> struct cw_centre {
  Real at[3];
  uint32_t id;
  int place;
  Real border;
  cw_centre_sums<Real> sums;
  Real box[6];
};

template <class Real, class Pair>
static __device__ __forceinline__ void cw_meet(const Pair &pair, Real range2, Real r2,
                                               const Real d[3], uint32_t id,
                                               cw_centre<Real> *centre) {
  const Real dx = d[0], dy = d[1], dz = d[2];
  Real s, h, farthest = 0;
  cw_pair_masked(pair, r2, range2, !Pair::compare_ids || id != centre->id, &s, &h,
                 &centre->sums.pairs, &farthest);
  const Real gx = h * dx, gy = h * dy, gz = h * dz;
  centre->sums.value += s;
  centre->sums.force[0] += gx, centre->sums.force[1] += gy, centre->sums.force[2] += gz;
  centre->box[0] += gx * dx, centre->box[1] += gy * dy, centre->box[2] += gz * dz;
  centre->box[3] += gx * dy, centre->box[4] += gx * dz, centre->box[5] += gy * dz;
}

template <class Real, class Pair>
static __device__ __forceinline__ void cw_leave(const Pair &pair, const cw_device_sweep &sweep,
                                                int place, const cw_centre<Real> &centre,
                                                cw_partial *partial) {
  const Real origin[3] = {0, 0, 0}; /* box sums are complete already */
  cw_finish_centre(pair, sweep, place, origin, centre.sums, partial);
#pragma unroll
  for (int q = 0; q < 6; q++)
    partial->sum[CW_SUM_BOX + q] -= (double)pair.slope * (double)centre.box[q];
}

/* Sums over the team, in the order of lanes and warps. */
static __device__ __forceinline__ void cw_team_partial(const cw_partial &mine,
                                                       double sums[][CW_SUMS], cw_partial *out) {
  const int warp = threadIdx.x / CW_WARP, lane = threadIdx.x % CW_WARP;
#pragma unroll
  for (int q = 0; q < CW_SUMS; q++) {
    const double sum = cw_lane_sum(mine.sum[q]);
    if (lane == 0)
      sums[warp][q] = sum;
  }
  __syncthreads();
  if (threadIdx.x < CW_SUMS) {
    double sum = 0;
    for (int w = 0; w < CW_TEAM / CW_WARP; w++)
      sum += sums[w][threadIdx.x];
    out->sum[threadIdx.x] = sum;
  }
}

/* Meets the places [begin, end), shifted: tile by tile. */
template <class Real, class Pair>
static __device__ __forceinline__ void cw_meet_run(const cw_device_sweep &sweep, const Pair &pair,
                                                   const double offset[3], int begin, int end,
                                                   bool active, cw_team_tile<Real> *tile,
                                                   cw_centre<Real> *centre) {
  for (int base = begin; base < end; base += CW_TEAM) {
    const int count = min((int)CW_TEAM, end - base);
    __syncthreads();
    if ((int)threadIdx.x < count) {
      for (int c = 0; c < 3; c++)
        tile->at[threadIdx.x][c] = (Real)(sweep.other.position[c][base + threadIdx.x] - offset[c]);
      tile->id[threadIdx.x] = sweep.other.id[base + threadIdx.x];
    }
    __syncthreads();
    for (int k = 0; active && k < count; k++) {
      Real r[4];
      cw_load_four(tile->at[k], r);
      const Real d[3] = {r[0] - centre->at[0], r[1] - centre->at[1], r[2] - centre->at[2]};
      const Real range2 = (Real)sweep.range2;
      Real r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
      if (cw_unsure(r2, range2, centre->border))
        r2 = cw_settled(cw_in_range(sweep, centre->place, base + k), r2, range2);
      cw_meet(pair, range2, r2, d, Pair::compare_ids ? tile->id[k] : 0, centre);
    }
  }
}

/* A cell's neighbours, 27 with images, for up to 128 of its centres. */
template <class Real, class Pair>
static __device__ __forceinline__ void cw_meet_cells(const cw_device_sweep &sweep, const Pair &pair,
                                                     const int home[3], const double reference[3],
                                                     bool active, cw_team_tile<Real> *tile,
                                                     cw_centre<Real> *centre) {
  const cw_device_cells &cells = sweep.cells;
  const bool periodic = cells.lattice.kind != CW_LATTICE_NONE;
  for (int k = 0; k < 27; k++) {
    int c[3] = {home[0] + k / 9 - 1, home[1] + k / 3 % 3 - 1, home[2] + k % 3 - 1};
    double offset[3] = {reference[0], reference[1], reference[2]};
    bool outside = false;
    for (int a = 0; a < 3; a++) {
      const int image = cw_floor_divide_int(c[a], cells.n[a]);
      c[a] -= image * cells.n[a];
      outside = outside || (image != 0 && !periodic);
      for (int b = 0; b < 3; b++)
        offset[b] -= image * cells.lattice.h[a][b];
    }
    if (outside)
      continue;
    const int cell = cw_cell_number(cells, cw_cell_column(cells, c[0], c[1]), c[2]);
    cw_meet_run(sweep, pair, offset, (int)sweep.other.offsets[cell],
                (int)sweep.other.offsets[cell + 1], active, tile, centre);
  }
}

template <class Real, class Pair>
static __global__ void __launch_bounds__(CW_TEAM)
    cw_sweep_cells(const __grid_constant__ cw_device_sweep sweep,
                   const __grid_constant__ Pair pair) {
  cw_team_tile<Real> *tile = cw_team_arena<cw_team_tile<Real>>();
  const cw_device_cells &cells = sweep.cells;
  const int cell = blockIdx.x, column = cell / cells.n[2], along = cell % cells.n[2];
  const int c0 = column / cells.n[1], c1 = column % cells.n[1];
  const int home[3] = {c0, c0 & 1 ? cells.n[1] - 1 - c1 : c1,
                       column & 1 ? cells.n[2] - 1 - along : along};
  const int begin = (int)sweep.centre.offsets[cell], end = (int)sweep.centre.offsets[cell + 1];
  cw_partial partial = {};
  for (int base = begin; base < end; base += CW_TEAM) {
    const int place = base + threadIdx.x;
    const bool active = place < end;
    cw_centre<Real> centre = {};
    double reference[3];
    for (int c = 0; c < 3; c++) {
      reference[c] = sweep.centre.position[c][base];
      if (active)
        centre.at[c] = (Real)(sweep.centre.position[c][place] - reference[c]);
    }
    if (active)
      centre.id = sweep.centre.id[place];
    centre.place = place;
    centre.border = cw_border<Real>(sweep.range2, cw_cell_reach(cells));
    cw_meet_cells(sweep, pair, home, reference, active, tile, &centre);
    if (active)
      cw_leave(pair, sweep, place, centre, &partial);
  }
  cw_team_partial(partial, tile->sums, &sweep.partial[cell]);
}

/* Every pair. d has the direction of the definition, from the lower to the higher entry or from a
 * to b, so that of two equally short images both ends take the same. */
template <class Real, class Pair>
static __global__ void __launch_bounds__(CW_TEAM)
    cw_sweep_all(const __grid_constant__ cw_device_sweep sweep, const __grid_constant__ Pair pair) {
  cw_image_tile *tile = cw_team_arena<cw_image_tile>();
  const int place = blockIdx.x * CW_TEAM + threadIdx.x;
  const bool active = place < sweep.centre.count;
  cw_centre<Real> centre = {};
  double r[3] = {0, 0, 0};
  for (int c = 0; active && c < 3; c++)
    r[c] = sweep.centre.position[c][place];
  if (active)
    centre.id = sweep.centre.id[place];
  const uint32_t order = active ? sweep.centre.permutation[place] : 0;
  for (int base = 0; base < sweep.other.count; base += CW_TEAM) {
    const int count = min((int)CW_TEAM, sweep.other.count - base), own = base + threadIdx.x;
    __syncthreads();
    if ((int)threadIdx.x < count) {
      for (int c = 0; c < 3; c++)
        tile->at[threadIdx.x][c] = sweep.other.position[c][own];
      tile->id[threadIdx.x] = sweep.other.id[own];
    }
    __syncthreads();
    for (int k = 0; active && k < count; k++) {
      const bool ahead =
          sweep.same ? sweep.other.permutation[base + k] > order : sweep.forward != 0;
      const double sign = ahead ? 1.0 : -1.0;
      double d[3];
      for (int c = 0; c < 3; c++)
        d[c] = sign * (tile->at[k][c] - r[c]);
      cw_device_minimum_image(sweep.cells.lattice, d);
      const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
      const Real from[3] = {(Real)(sign * d[0]), (Real)(sign * d[1]), (Real)(sign * d[2])};
      const Real range2 = (Real)sweep.range2;
      cw_meet(pair, range2, cw_settled(r2 <= sweep.range2, (Real)r2, range2), from, tile->id[k],
              &centre);
    }
  }
  cw_partial partial = {};
  if (active)
    cw_leave(pair, sweep, place, centre, &partial);
  cw_team_partial(partial, tile->sums, &sweep.partial[blockIdx.x]);
}

#endif
