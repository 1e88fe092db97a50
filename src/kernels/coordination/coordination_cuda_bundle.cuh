/* Sweep, a warp a bundle of 16 centres that follow each other along the snake.
 *
 *   box of the bundle, in space and in scaled coordinates
 *   for each column of cells that the box grown by the range touches   a lane a column
 *     for each periodic image of its run of cells                         -> run of places, shift
 *       load 32 neighbours, add the shift, drop what is far from the box -> stage
 *   whenever the stage is full: all centres with all staged neighbours    _inner.cuh
 *   sums over lanes; each centre's derivative and value; the bundle's partial sums
 *
 * Warps share nothing: no barrier, and a bundle's result depends on nothing but its places. */
#ifndef CW_KERNELS_COORDINATION_CUDA_BUNDLE_CUH
#define CW_KERNELS_COORDINATION_CUDA_BUNDLE_CUH

#include "kernels/coordination/coordination_cuda_matrix.cuh"

/* What a lane knows of the bundle while its neighbours are staged. */
template <class Real> struct cw_bundle_frame {
  double reference[3]; /* subtracted from positions before they are rounded */
  double scaled_low[3], scaled_high[3];
  Real low[3], high[3]; /* box, relative to the reference */
  Real keep2;           /* neighbours farther from the box (squared) are dropped */
};

template <class T> static __device__ __forceinline__ T cw_lane_min(T x) {
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) {
    const T y = __shfl_xor_sync(0xffffffffu, x, apart);
    x = y < x ? y : x;
  }
  return x;
}
template <class T> static __device__ __forceinline__ T cw_lane_max(T x) {
  return -cw_lane_min(-x);
}

/* Cells [low, high] along an axis that lie within reach of the box, periodic ones unwrapped. The
 * margin covers the rounding of scaled coordinates. */
template <class Real>
static __device__ __forceinline__ void cw_cells_in_reach(const cw_device_cells &cells,
                                                         const cw_bundle_frame<Real> &frame, int a,
                                                         double reach, int *low, int *high) {
  const double margin = 1e-6;
  const double from = (frame.scaled_low[a] - reach) * cells.n[a] - margin;
  const double to = (frame.scaled_high[a] + reach) * cells.n[a] + margin;
  *low = (int)floor(from);
  *high = (int)floor(to);
  if (cells.lattice.kind == CW_LATTICE_NONE) {
    *low = max(0, *low);
    *high = min(cells.n[a] - 1, *high);
  }
}

/* Squared gap between a column and the bundle's box along an axis, in units of the range; where
 * lattice vectors stand along the axes. */
template <class Real>
static __device__ __forceinline__ double cw_column_gap(const cw_device_cells &cells,
                                                       const cw_bundle_frame<Real> &frame, int a,
                                                       int c) {
  const double low = (c - 1e-6) * cells.width[a], high = (c + 1 + 1e-6) * cells.width[a];
  const double gap = fmax(fmax(low - frame.scaled_high[a], frame.scaled_low[a] - high), 0.0);
  return gap * gap * cells.inverse_reach2[a];
}

/* A lane's column: what of it is within reach, image by image. */
struct cw_column_walk {
  int column, image0, image1, image2, low, high;
};

template <class Real>
static __device__ __forceinline__ cw_column_walk cw_column_begin(const cw_device_cells &cells,
                                                                 const cw_bundle_frame<Real> &frame,
                                                                 int c0, int c1) {
  cw_column_walk walk;
  const int periodic = cells.lattice.kind != CW_LATTICE_NONE;
  double reach = cells.reach[2];
  if (cells.lattice.kind != CW_LATTICE_TRICLINIC) {
    const double left = 1 - cw_column_gap(cells, frame, 0, c0) - cw_column_gap(cells, frame, 1, c1);
    reach = left > 0 ? reach * sqrt(left) : -1;
  }
  walk.low = 1, walk.high = 0;
  if (reach >= 0)
    cw_cells_in_reach(cells, frame, 2, reach, &walk.low, &walk.high);
  walk.image0 = periodic ? cw_floor_divide_int(c0, cells.n[0]) : 0;
  walk.image1 = periodic ? cw_floor_divide_int(c1, cells.n[1]) : 0;
  walk.image2 = periodic ? cw_floor_divide_int(walk.low, cells.n[2]) : 0;
  walk.column = cw_cell_column(cells, c0 - walk.image0 * cells.n[0], c1 - walk.image1 * cells.n[1]);
  return walk;
}

/* Places [begin, end) of the column's cells in the current image. */
static __device__ __forceinline__ void cw_column_run(const cw_device_sweep &sweep,
                                                     const cw_column_walk &walk, int *begin,
                                                     int *end) {
  *begin = *end = 0;
  if (walk.low > walk.high)
    return;
  const int n = sweep.cells.n[2], origin = walk.image2 * n;
  int first = cw_cell_number(sweep.cells, walk.column, walk.low - origin);
  int last = cw_cell_number(sweep.cells, walk.column, min(walk.high, origin + n - 1) - origin);
  if (last < first) {
    const int swap = first;
    first = last, last = swap;
  }
  *begin = (int)sweep.other.offsets[first];
  *end = (int)sweep.other.offsets[last + 1];
}

/* Stages those of the places [begin, end) that are near enough; returns how many are staged. */
template <class Real, class Inner>
static __device__ __forceinline__ int cw_stage_run(const cw_device_sweep &sweep,
                                                   const cw_bundle_frame<Real> &frame,
                                                   const double offset[3], int begin, int end,
                                                   cw_stage<Real> *stage, int staged,
                                                   Inner &inner) {
  const int lane = threadIdx.x % CW_WARP;
#pragma unroll 1
  for (int base = begin; base < end; base += CW_WARP) {
    const int p = base + lane;
    bool keep = p < end;
    Real at[3] = {0, 0, 0}, distance2 = 0;
    if (keep) {
#pragma unroll
      for (int c = 0; c < 3; c++) {
        at[c] = (Real)(sweep.other.position[c][p] - offset[c]);
        Real gap = frame.low[c] - at[c];
        gap = at[c] - frame.high[c] > gap ? at[c] - frame.high[c] : gap;
        gap = gap > 0 ? gap : 0;
        distance2 += gap * gap;
      }
      keep = distance2 <= frame.keep2;
    }
    const unsigned kept = __ballot_sync(0xffffffffu, keep);
    if (keep) {
      const int to = staged + __popc(kept & ((1u << lane) - 1));
      inner.put(stage, to, at, Inner::compare_ids ? sweep.other.id[p] : 0, p);
    }
    staged += __popc(kept);
    if (staged + CW_WARP + CW_STAGE_PAD > CW_STAGE) {
      inner.process(stage, staged);
      staged = 0;
    }
  }
  return staged;
}

/* All neighbours of the bundle, column by column. */
template <class Real, class Inner>
static __device__ __forceinline__ void cw_stage_all(const cw_device_sweep &sweep,
                                                    const cw_bundle_frame<Real> &frame,
                                                    cw_stage<Real> *stage, Inner &inner) {
  const int lane = threadIdx.x % CW_WARP;
  const cw_device_cells &cells = sweep.cells;
  int low0, high0, low1, high1, staged = 0;
  cw_cells_in_reach(cells, frame, 0, cells.reach[0], &low0, &high0);
  cw_cells_in_reach(cells, frame, 1, cells.reach[1], &low1, &high1);
  const int width = high1 - low1 + 1;
  const int columns = (high0 - low0 + 1) * width;
#pragma unroll 1
  for (int base = 0; base < columns; base += CW_WARP) {
    cw_column_walk walk = {0, 0, 0, 0, 1, 0};
    if (base + lane < columns)
      walk =
          cw_column_begin(cells, frame, low0 + (base + lane) / width, low1 + (base + lane) % width);
    while (__any_sync(0xffffffffu, walk.low <= walk.high)) {
      int begin, end;
      cw_column_run(sweep, walk, &begin, &end);
      unsigned left = __ballot_sync(0xffffffffu, begin < end);
      for (; left; left &= left - 1) {
        const int from = __ffs((int)left) - 1;
        const int image0 = __shfl_sync(0xffffffffu, walk.image0, from);
        const int image1 = __shfl_sync(0xffffffffu, walk.image1, from);
        const int image2 = __shfl_sync(0xffffffffu, walk.image2, from);
        const int first = __shfl_sync(0xffffffffu, begin, from);
        const int last = __shfl_sync(0xffffffffu, end, from);
        double offset[3];
        for (int c = 0; c < 3; c++)
          offset[c] = frame.reference[c] - image0 * cells.lattice.h[0][c] -
                      image1 * cells.lattice.h[1][c] - image2 * cells.lattice.h[2][c];
        staged = cw_stage_run(sweep, frame, offset, first, last, stage, staged, inner);
      }
      if (walk.low <= walk.high)
        walk.low = ++walk.image2 * cells.n[2];
    }
  }
  inner.process(stage, staged);
}

template <class Real, class Pair, template <class, class> class InnerOf>
static __global__ void __launch_bounds__(CW_SWEEP_WARPS *CW_WARP)
    cw_sweep_bundles(const __grid_constant__ cw_device_sweep sweep,
                     const __grid_constant__ Pair pair) {
  typedef InnerOf<Real, Pair> Inner;
  const int lane = threadIdx.x % CW_WARP, warp = threadIdx.x / CW_WARP;
  const int bundle = blockIdx.x * CW_SWEEP_WARPS + warp, first = bundle * CW_CENTRES;
  if (first >= sweep.centre.count || (Inner::again && sweep.partial[bundle].sum[CW_SUM_PAIRS] >= 0))
    return;
  cw_stage<Real> *stage = cw_team_arena<cw_stage<Real>>() + warp;
  const int centres = min((int)CW_CENTRES, sweep.centre.count - first);
  const int own = first + min(lane % CW_CENTRES, centres - 1);
  cw_bundle_frame<Real> frame;
  double r[3], s[3];
  Real local[3];
  for (int c = 0; c < 3; c++)
    r[c] = sweep.centre.position[c][own];
  cw_device_scale(sweep.cells, r, s);
  for (int c = 0; c < 3; c++) {
    frame.reference[c] = __shfl_sync(0xffffffffu, r[c], 0);
    local[c] = (Real)(r[c] - frame.reference[c]);
    frame.low[c] = cw_lane_min(local[c]);
    frame.high[c] = cw_lane_max(local[c]);
    frame.scaled_low[c] = cw_lane_min(s[c]);
    frame.scaled_high[c] = cw_lane_max(s[c]);
  }
  Inner inner(pair, sweep, (Real)sweep.range2);
  inner.load(local, sweep.centre.id[own], centres);
  double reach = 0;
  for (int c = 0; c < 3; c++)
    reach = fmax(reach, fmax(fabs((double)frame.low[c]), fabs((double)frame.high[c])));
  reach += sqrt(sweep.range2);
  inner.begin(first, reach);
  frame.keep2 = (Real)(sweep.range2 * (1 + 1e-5)) + cw_border<Real>(sweep.range2, reach);
  cw_stage_all(sweep, frame, stage, inner);

  cw_partial partial = inner.finish(first, centres);
#pragma unroll
  for (int q = 0; q < CW_SUMS; q++)
    partial.sum[q] = cw_lane_sum(partial.sum[q]);
  if (inner.in_doubt()) /* a mark for the second pass */
    partial.sum[CW_SUM_PAIRS] = -1;
  if (lane == 0)
    sweep.partial[bundle] = partial;
}

#endif
