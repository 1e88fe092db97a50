/* What a coordination kernel is told: cells, entries, a sweep. Plain structs, passed by value. */
#ifndef CW_KERNELS_COORDINATION_CUDA_JOB_CUH
#define CW_KERNELS_COORDINATION_CUDA_JOB_CUH

#include "base/device_cuda.cuh"
#include "kernels/coordination/coordination_cuda.h"

enum {
  CW_CENTRES = 16,    /* of a bundle: one warp's */
  CW_SWEEP_WARPS = 4, /* bundles a team */
  CW_STAGE = 256,     /* neighbours staged a bundle */
  CW_TEAM = 128       /* threads, and atoms of a tile, where a team works together */
};

/* Cells stand along a snake: along axis 2 up in one column and down in the next, so that entries
 * that follow each other are near each other even across the end of a column. */
typedef struct cw_device_cells {
  cw_lattice lattice;
  int n[3];
  int total;
  int images;      /* positions are not wrapped: the shortest image is chosen pair by pair */
  double width[3]; /* 1 / n */
  double reach[3]; /* range over height: in scaled coordinates */
  double inverse_reach2[3];
  double origin[3], inverse_extent[3]; /* bounding box, without a periodic one */
} cw_device_cells;

/* One group; arrays but `atom` are by place, see cw_entries. */
typedef struct cw_device_entries {
  int count;
  uint32_t *atom; /* [count] by entry */
  uint32_t *id, *permutation;
  double *position[3];
  uint32_t *offsets; /* [cells + 1] by cell number */
} cw_device_entries;

typedef struct cw_device_sweep {
  cw_device_cells cells;
  cw_device_entries centre, other;
  double range2;
  int same;           /* other is the centres' own group */
  int forward;        /* not same: d points from centre to other by definition */
  int drop_self;      /* where ids are not compared, each centre meets itself once, at distance 0 */
  int fast_border;    /* single precision: no second pass */
  int other_ids;      /* but for that, no centre has the id of a neighbour */
  double *derivative; /* [count][3] by entry */
  double *value;      /* [count] by entry */
  cw_partial *partial; /* one a bundle or team */
} cw_device_sweep;

/* Raw positions, in device memory. */
typedef struct cw_device_positions {
  const void *component[3];
  int64_t stride;
  int is_double;
} cw_device_positions;

/* What the device reports at the end of a frame. */
typedef struct cw_device_outcome {
  cw_partial sums;
  unsigned long long low[3], high[3]; /* bounding box: the doubles' bits in ascending order */
  uint32_t bad_atom;                  /* the first that is not finite; UINT32_MAX: none */
  uint32_t padding;
} cw_device_outcome;

/* coordination_cuda_sort.cu. Bytes of scratch that sorting `count` keys needs. */
cw_status cw_coordination_cuda_scratch(cw_context *context, int count, size_t *bytes);
typedef struct cw_device_sorter {
  uint32_t *key, *sorted_key, *order; /* [count] */
  void *scratch;
  size_t scratch_bytes;
} cw_device_sorter;
/* Fills in outcome->low, high, bad_atom over the entries. */
cw_status cw_coordination_cuda_extent(cw_context *context, const cw_device_entries *entries,
                                      const cw_device_positions *positions,
                                      cw_device_outcome *outcome);
/* Sorts entries by (cell, entry) and fills in their arrays by place. */
cw_status cw_coordination_cuda_sort(cw_context *context, const cw_device_sorter *sorter,
                                    const cw_device_cells *cells, const cw_device_entries *entries,
                                    const cw_device_positions *positions,
                                    cw_device_outcome *outcome);

/* Partial sums of a sweep in one form. */
int64_t cw_coordination_cuda_partials(const cw_device_sweep *sweep, cw_coordination_form form);
/* coordination_cuda_f32.cu, _f64.cu. */
cw_status cw_coordination_cuda_sweep_f32(cw_context *context, const cw_switching *switching,
                                         const cw_device_sweep *sweep, cw_coordination_form form);
cw_status cw_coordination_cuda_sweep_f64(cw_context *context, const cw_switching *switching,
                                         const cw_device_sweep *sweep, cw_coordination_form form);
/* coordination_cuda_zip.cu: k-th with k-th; derivative rows of a, then of b. */
cw_status cw_coordination_cuda_zip(cw_context *context, const cw_switching *switching,
                                   const cw_device_sweep *sweep,
                                   const cw_device_positions *positions,
                                   cw_device_outcome *outcome);

#ifdef __CUDACC__
__device__ __forceinline__ void cw_device_load(const cw_device_positions &p, int64_t atom,
                                               double r[3]) {
  const int64_t at = atom * p.stride;
#pragma unroll
  for (int c = 0; c < 3; c++)
    r[c] = p.is_double ? ((const double *)p.component[c])[at]
                       : (double)((const float *)p.component[c])[at];
}

/* Scaled coordinates: [0, 1) in the box. */
__device__ __forceinline__ void cw_device_scale(const cw_device_cells &cells, const double r[3],
                                                double s[3]) {
  const cw_lattice &l = cells.lattice;
#pragma unroll
  for (int a = 0; a < 3; a++)
    s[a] = l.kind == CW_LATTICE_NONE
               ? (r[a] - cells.origin[a]) * cells.inverse_extent[a]
               : r[0] * l.inverse[0][a] + r[1] * l.inverse[1][a] + r[2] * l.inverse[2][a];
}

/* Number of a cell along the snake. */
__device__ __forceinline__ int cw_cell_column(const cw_device_cells &cells, int c0, int c1) {
  return c0 * cells.n[1] + (c0 & 1 ? cells.n[1] - 1 - c1 : c1);
}
__device__ __forceinline__ int cw_cell_number(const cw_device_cells &cells, int column, int c2) {
  return column * cells.n[2] + (column & 1 ? cells.n[2] - 1 - c2 : c2);
}
__device__ __forceinline__ int cw_floor_divide_int(int a, int n) {
  return a >= 0 ? a / n : -((n - 1 - a) / n);
}

template <class T> __device__ __forceinline__ T cw_lane_sum(T x) {
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2)
    x += __shfl_xor_sync(0xffffffffu, x, apart);
  return x;
}
#endif

#endif
