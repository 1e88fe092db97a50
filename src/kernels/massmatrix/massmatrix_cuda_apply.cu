/* What a finished matrix on a device is used for: a thread a node. */
#include "kernels/massmatrix/massmatrix_cuda.h"

#include "base/device_cuda.cuh"

/* A matrix as kernels see it. */
struct device_matrix {
  int dim, order, components;
  int periodic[3];
  int32_t low[3], count[3];
  int64_t stride[3], points, nodes;
  const void *values; /* at node (0, 0, 0) of array 0 */
};

static device_matrix describe(const cw_massmatrix *matrix) {
  device_matrix m = {};
  const cw_grid *grid = &matrix->grid;
  m.dim = grid->dim;
  m.order = matrix->options.order;
  m.components = matrix->components;
  m.points = grid->points;
  m.nodes = 1;
  for (int a = 0; a < 3; a++) {
    m.periodic[a] = matrix->options.periodic[a];
    m.low[a] = matrix->low[a];
    m.count[a] = matrix->high[a] - matrix->low[a] + 1;
    m.stride[a] = grid->stride[a];
    m.nodes *= m.count[a];
  }
  m.values = (const char *)matrix->values +
             (size_t)grid->offset * (size_t)cw_precision_size(matrix->precision);
  return m;
}

static __device__ __forceinline__ int64_t node_at(const device_matrix &m, int64_t k, int32_t g[3]) {
  int64_t at = 0;
  for (int a = 0; a < 3; a++) {
    g[a] = m.low[a] + (int32_t)(k % m.count[a]);
    k /= m.count[a];
    if (a < m.dim)
      at += g[a] * m.stride[a];
  }
  return at;
}

/* Along axis a from node g there is one d further. */
static __device__ __forceinline__ bool exists(const device_matrix &m, int a, int32_t g, int d) {
  if (a >= m.dim)
    return d == 0;
  return m.periodic[a] || (g + d >= m.low[a] && g + d < m.low[a] + m.count[a]);
}

/* Calls use(entry, place of the entry's value, place of the neighbour) for every displacement. */
template <class Use>
static __device__ __forceinline__ void each_neighbour(const device_matrix &m, const int32_t g[3],
                                                      int64_t at, Use use) {
  const int n0 = m.order, n1 = m.dim > 1 ? n0 : 0, n2 = m.dim > 2 ? n0 : 0;
  for (int d2 = -n2; d2 <= n2; d2++)
    for (int d1 = -n1; d1 <= n1; d1++) {
      if (!exists(m, 1, g[1], d1) || !exists(m, 2, g[2], d2))
        continue;
      const int64_t row = (m.order + 1) * (abs(d1) + (int64_t)(m.order + 1) * abs(d2));
      const int64_t low = at + min(d1, 0) * m.stride[1] + min(d2, 0) * m.stride[2];
      const int64_t other = at + d1 * m.stride[1] + d2 * m.stride[2];
      for (int d0 = -n0; d0 <= n0; d0++)
        if (exists(m, 0, g[0], d0))
          use(row + abs(d0), low + min(d0, 0), other + d0);
    }
}

struct vectors {
  const double *x[3];
  double *y[3];
};

template <class T, int WIDE>
static __global__ void __launch_bounds__(CW_THREADS)
    product(const __grid_constant__ device_matrix m, vectors v) {
  cw_grid_stride(k, m.nodes) {
    int32_t g[3];
    const int64_t at = node_at(m, k, g);
    double sum[WIDE];
    for (int i = 0; i < WIDE; i++)
      sum[i] = 0;
    each_neighbour(m, g, at, [&](int64_t entry, int64_t place, int64_t other) {
      const T *value = (const T *)m.values + entry * WIDE * WIDE * m.points + place;
      double x[WIDE];
#pragma unroll
      for (int j = 0; j < WIDE; j++)
        x[j] = v.x[j][other];
#pragma unroll
      for (int i = 0; i < WIDE; i++)
#pragma unroll
        for (int j = 0; j < WIDE; j++)
          sum[i] += (double)value[(WIDE * i + j) * m.points] * x[j];
    });
#pragma unroll
    for (int i = 0; i < WIDE; i++)
      v.y[i][at] = sum[i];
  }
}

template <class T>
static __global__ void __launch_bounds__(CW_THREADS)
    row_sums(const __grid_constant__ device_matrix m, int component, double *sums) {
  cw_grid_stride(k, m.nodes) {
    int32_t g[3];
    const int64_t at = node_at(m, k, g);
    double sum = 0;
    each_neighbour(m, g, at, [&](int64_t entry, int64_t place, int64_t) {
      sum += (double)((const T *)m.values)[(entry * m.components + component) * m.points + place];
    });
    sums[at] = sum;
  }
}

struct displacement {
  int d[3];
};

template <class T>
static __global__ void __launch_bounds__(CW_THREADS)
    canonical(const __grid_constant__ device_matrix m, displacement by, int component,
              double *array) {
  cw_grid_stride(k, m.nodes) {
    int32_t g[3];
    int64_t at = node_at(m, k, g), place = at, entry = 0;
    bool there = true;
    for (int a = 2; a >= 0; a--) {
      there = there && exists(m, a, g[a], by.d[a]);
      if (a >= m.dim)
        continue;
      place += min(by.d[a], 0) * m.stride[a];
      entry = entry * (m.order + 1) + abs(by.d[a]);
    }
    array[at] =
        there ? (double)((const T *)m.values)[(entry * m.components + component) * m.points + place]
              : 0.0;
  }
}

template <class T> static cw_status multiply(const cw_massmatrix *matrix, const vectors *v) {
  const device_matrix m = describe(matrix);
  const unsigned blocks = cw_cuda_blocks(matrix->context, m.nodes, CW_THREADS);
  if (m.components == 9)
    CW_CUDA_LAUNCH_NAMED(matrix->context, "mass matrix product", (product<T, 3>), blocks,
                         CW_THREADS, 0, m, *v);
  else
    CW_CUDA_LAUNCH_NAMED(matrix->context, "mass matrix product", (product<T, 1>), blocks,
                         CW_THREADS, 0, m, *v);
  return CW_OK;
}

cw_status cw_mm_product_cuda(const cw_massmatrix *matrix, const double *const x[3],
                             double *const y[3]) {
  vectors v;
  for (int c = 0; c < 3; c++) {
    v.x[c] = x[c] ? x[c] + matrix->grid.offset : NULL;
    v.y[c] = y[c] ? y[c] + matrix->grid.offset : NULL;
  }
  return matrix->precision == CW_DOUBLE ? multiply<double>(matrix, &v)
                                        : multiply<float>(matrix, &v);
}

cw_status cw_mm_row_sums_cuda(const cw_massmatrix *matrix, int component, double *sums) {
  const device_matrix m = describe(matrix);
  const unsigned blocks = cw_cuda_blocks(matrix->context, m.nodes, CW_THREADS);
  double *to = sums + matrix->grid.offset;
  if (matrix->precision == CW_DOUBLE)
    CW_CUDA_LAUNCH_NAMED(matrix->context, "row sums", row_sums<double>, blocks, CW_THREADS, 0, m,
                         component, to);
  else
    CW_CUDA_LAUNCH_NAMED(matrix->context, "row sums", row_sums<float>, blocks, CW_THREADS, 0, m,
                         component, to);
  return CW_OK;
}

cw_status cw_mm_canonical_cuda(const cw_massmatrix *matrix, const int d[3], int component,
                               double *array) {
  const device_matrix m = describe(matrix);
  const unsigned blocks = cw_cuda_blocks(matrix->context, m.nodes, CW_THREADS);
  const displacement by = {{d[0], d[1], d[2]}};
  double *to = array + matrix->grid.offset;
  if (matrix->precision == CW_DOUBLE)
    CW_CUDA_LAUNCH_NAMED(matrix->context, "canonical stencil", canonical<double>, blocks,
                         CW_THREADS, 0, m, by, component, to);
  else
    CW_CUDA_LAUNCH_NAMED(matrix->context, "canonical stencil", canonical<float>, blocks, CW_THREADS,
                         0, m, by, component, to);
  return CW_OK;
}
