/* Cells on the device: bounding box, keys, a stable sort, entries by place. */
#include <cub/device/device_radix_sort.cuh>

#include "kernels/coordination/coordination_cuda_job.cuh"

/* Bits that ascend as the numbers do. */
static __device__ unsigned long long ascending(double x) {
  const long long bits = __double_as_longlong(x);
  return (unsigned long long)(bits < 0 ? ~bits : bits | (long long)(1ull << 63));
}

static __device__ bool is_finite(const double r[3]) {
  return isfinite(r[0]) && isfinite(r[1]) && isfinite(r[2]);
}

static __global__ void find_extent(cw_device_entries entries, cw_device_positions positions,
                                   cw_device_outcome *outcome) {
  unsigned long long low[3], high[3];
  for (int c = 0; c < 3; c++)
    low[c] = ~0ull, high[c] = 0;
  cw_grid_stride(k, entries.count) {
    double r[3];
    const uint32_t atom = entries.atom[k];
    cw_device_load(positions, atom, r);
    if (!is_finite(r)) {
      atomicMin(&outcome->bad_atom, atom);
      continue;
    }
    for (int c = 0; c < 3; c++) {
      low[c] = min(low[c], ascending(r[c]));
      high[c] = max(high[c], ascending(r[c]));
    }
  }
  for (int c = 0; c < 3; c++) {
    for (int apart = 16; apart > 0; apart /= 2) {
      low[c] = min(low[c], __shfl_xor_sync(0xffffffffu, low[c], apart));
      high[c] = max(high[c], __shfl_xor_sync(0xffffffffu, high[c], apart));
    }
    if (threadIdx.x % CW_WARP == 0) {
      atomicMin(&outcome->low[c], low[c]);
      atomicMax(&outcome->high[c], high[c]);
    }
  }
}

static __device__ void wrap(const cw_device_cells &cells, double r[3]) {
  const cw_lattice &l = cells.lattice;
  if (l.kind == CW_LATTICE_NONE)
    return;
  double s[3];
  cw_device_scale(cells, r, s);
  for (int a = 0; a < 3; a++) {
    const double whole = floor(s[a]);
    if (whole != 0)
      for (int c = 0; c < 3; c++)
        r[c] -= whole * l.h[a][c];
  }
}

static __global__ void find_keys(cw_device_cells cells, cw_device_entries entries,
                                 cw_device_positions positions, uint32_t *key, uint32_t *order,
                                 cw_device_outcome *outcome) {
  cw_grid_stride(k, entries.count) {
    double r[3], s[3];
    int c[3];
    const uint32_t atom = entries.atom[k];
    cw_device_load(positions, atom, r);
    if (!is_finite(r)) {
      atomicMin(&outcome->bad_atom, atom);
      r[0] = r[1] = r[2] = 0;
    }
    wrap(cells, r);
    cw_device_scale(cells, r, s);
    for (int a = 0; a < 3; a++) {
      const double at = s[a] * cells.n[a];
      c[a] = at >= cells.n[a] ? cells.n[a] - 1 : at > 0 ? (int)at : 0;
    }
    key[k] = (uint32_t)cw_cell_number(cells, cw_cell_column(cells, c[0], c[1]), c[2]);
    order[k] = (uint32_t)k;
  }
}

static __global__ void place_entries(cw_device_cells cells, cw_device_entries entries,
                                     cw_device_positions positions) {
  cw_grid_stride(p, entries.count) {
    double r[3];
    const uint32_t atom = entries.atom[entries.permutation[p]];
    cw_device_load(positions, atom, r);
    if (!is_finite(r))
      r[0] = r[1] = r[2] = 0;
    if (!cells.images)
      wrap(cells, r);
    for (int c = 0; c < 3; c++)
      entries.position[c][p] = r[c];
    entries.id[p] = atom;
  }
}

/* offsets[c]: the first place whose key is not below c, by bisection. */
static __global__ void find_offsets(cw_device_cells cells, cw_device_entries entries,
                                    const uint32_t *sorted_key) {
  cw_grid_stride(c, (int64_t)cells.total + 1) {
    int low = 0, high = entries.count;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      if (sorted_key[middle] < (uint32_t)c)
        low = middle + 1;
      else
        high = middle;
    }
    entries.offsets[c] = (uint32_t)low;
  }
}

/* ---- host ---- */

cw_status cw_coordination_cuda_scratch(cw_context *context, int count, size_t *bytes) {
  uint32_t *none = NULL;
  CW_TRY(cw_device_use(context, NULL));
  CW_CUDA_TRY(context,
              cub::DeviceRadixSort::SortPairs(NULL, *bytes, none, none, none, none, count, 0, 32));
  return CW_OK;
}

cw_status cw_coordination_cuda_extent(cw_context *context, const cw_device_entries *entries,
                                      const cw_device_positions *positions,
                                      cw_device_outcome *outcome) {
  if (entries->count > 0)
    CW_CUDA_LAUNCH(context, find_extent, cw_cuda_blocks(context, entries->count, CW_THREADS),
                   CW_THREADS, 0, *entries, *positions, outcome);
  return CW_OK;
}

cw_status cw_coordination_cuda_sort(cw_context *context, const cw_device_sorter *sorter,
                                    const cw_device_cells *cells, const cw_device_entries *entries,
                                    const cw_device_positions *positions,
                                    cw_device_outcome *outcome) {
  const unsigned blocks = cw_cuda_blocks(context, entries->count, CW_THREADS);
  int bits = 1;
  cudaStream_t stream;
  while (((int64_t)1 << bits) < cells->total)
    bits++;
  if (entries->count > 0) {
    CW_CUDA_LAUNCH(context, find_keys, blocks, CW_THREADS, 0, *cells, *entries, *positions,
                   sorter->key, sorter->order, outcome);
    CW_TRY(cw_device_use(context, &stream));
    size_t bytes = sorter->scratch_bytes;
    CW_CUDA_TRY(context, cub::DeviceRadixSort::SortPairs(
                             sorter->scratch, bytes, sorter->key, sorter->sorted_key, sorter->order,
                             entries->permutation, entries->count, 0, bits, stream));
    CW_CUDA_LAUNCH(context, place_entries, blocks, CW_THREADS, 0, *cells, *entries, *positions);
  }
  CW_CUDA_LAUNCH(context, find_offsets, cw_cuda_blocks(context, cells->total + 1, CW_THREADS),
                 CW_THREADS, 0, *cells, *entries, sorter->sorted_key);
  return CW_OK;
}
