/* The bins' sums to the matrix, current and charge: a thread a node and component, which adds what
 * the bins around its node have for it, axis by axis, always in the same order. */
#include "kernels/massmatrix/massmatrix_cuda_launch.cuh"

/* One term of a row e = |d| of the storage: value `index` of the bin `shift` away, times factor(e).
 *   CIC    e 0: S0[n] + S2[n - 1]      e 1: S1[n]
 *   TSC    e 0: T0[n + 1]/4 + (T0 + 8 T1 + 18 T2 + 8 T3 + T4)[n]/4 + T4[n - 1]/4
 *          e 1: (T0 + 4 T1 + T2)[n + 1]/4 + (T2 + 4 T3 + T4)[n]/4      e 2: T2[n + 1]/4
 *   pairs  e 0: P00[n + 1] + P11[n] + P22[n - 1]   e 1: P01[n + 1] + P12[n]   e 2: P02[n + 1] */
template <int STORE> struct terms {
  static const int order = cw_mm_store<STORE>::order;
  static const int count = order == 1 ? 3 : STORE == CW_MM_PAIRS ? 6 : 9;
  __device__ __forceinline__ static constexpr int shift(int t) {
    if (order == 1)
      return t == 2 ? -1 : 0;
    if (STORE == CW_MM_PAIRS)
      return t == 1 || t == 4 ? 0 : t == 2 ? -1 : 1;
    return t < 3 ? 1 : t < 8 ? 0 : -1;
  }
  __device__ __forceinline__ static constexpr int index(int t) {
    if (order == 1 || STORE == CW_MM_PAIRS)
      return t;
    return t < 3 ? t : t < 8 ? t - 3 : 4;
  }
  __device__ __forceinline__ static constexpr float factor(int t, int e) {
    if (order == 1)
      return e == (t == 1);
    if (STORE == CW_MM_PAIRS)
      return e == (t < 3 ? 0 : t < 5 ? 1 : 2);
    const int i = index(t), s = shift(t);
    if (e == 0) {
      const bool outer = i == 0 || i == 4;
      if (s > 0)
        return i == 0 ? 0.25f : 0;
      return outer ? 0.25f : s < 0 ? 0 : i == 2 ? 4.5f : 2.0f;
    }
    if (e == 1) {
      if (s > 0)
        return i == 1 ? 1.0f : 0.25f;
      return s < 0 || i < 2 ? 0 : i == 3 ? 1.0f : 0.25f;
    }
    return s > 0 && i == 2 ? 0.25f : 0;
  }
};

/* The nodes that bins low .. high - 1 reach along an axis. */
static __host__ __device__ void reach(const cw_mm_device_job &d, int order, int axis,
                                      int32_t *first, int32_t *count) {
  *first = d.low[axis], *count = 1;
  if (axis >= d.job.dim)
    return;
  *first = d.low[axis] - (order - 1);
  *count = d.high[axis] - d.low[axis] + order;
}

template <int STORE, class T, int COMPONENTS> struct gather_node {
  typedef cw_mm_store<STORE> store;
  typedef terms<STORE> term;
  static const int order = store::order, E = order + 1;
  const cw_mm_device_job &d;
  int32_t m[3];
  int c;

  __device__ __forceinline__ bool has(int axis, int32_t bin) const {
    return bin >= d.low[axis] && bin < d.high[axis];
  }
  __device__ __forceinline__ T value(const T *bin, int e) const {
    return bin[store::place(store::entries, COMPONENTS, e, c)];
  }
  __device__ __forceinline__ static int32_t clamp(int32_t i, int32_t count) {
    return min(max(i, 0), count - 1);
  }

  /* Rows e of axis 0 from the bins of a row of them, of values j, k of the other axes. What is not
   * there is read elsewhere and dropped, so that no read waits for a branch. */
  __device__ __forceinline__ void line(bool there, int64_t row, int j, int k, T sum[E]) const {
    const int32_t nx = d.high[0] - d.low[0], x = m[0] - d.low[0];
    const T *bins = (const T *)d.sums + row * nx * store::stride(COMPONENTS);
    if constexpr (STORE == CW_MM_CARRIED) {
      const T *bin = bins + (int64_t)clamp(x, nx) * store::stride(COMPONENTS);
      const T v0 = value(bin, store::entry(0, j, k)), v1 = value(bin, store::entry(1, j, k));
      sum[0] = there && x < nx ? v0 : (T)0;
      sum[1] = there && x < nx ? v1 : (T)0;
      const int32_t before = max(x - 1, 0) / d.length;
      const T *tail = (const T *)d.tails + (row * d.pieces + min(before, d.pieces - 1)) * 82;
      const T ended = tail[store::place(9, COMPONENTS, j + 3 * k, c)];
      sum[0] += there && x > 0 && x <= nx && (x == nx || x % d.length == 0) ? ended : (T)0;
    } else {
#pragma unroll
      for (int e = 0; e < E; e++)
        sum[e] = 0;
#pragma unroll
      for (int t = 0; t < term::count; t++) {
        const int32_t at = x + term::shift(t);
        const T read = value(bins + (int64_t)clamp(at, nx) * store::stride(COMPONENTS),
                             store::entry(term::index(t), j, k));
        const T v = there && at >= 0 && at < nx ? read : (T)0;
#pragma unroll
        for (int e = 0; e < E; e++) {
          if (term::factor(t, e) != 0)
            sum[e] += (T)term::factor(t, e) * v;
        }
      }
    }
  }

  /* All rows: [e2][e1][e0]. */
  __device__ __forceinline__ void all(T out[E][E][E]) const {
    const int32_t ny = d.high[1] - d.low[1];
#pragma unroll
    for (int e = 0; e < E * E * E; e++)
      out[e / (E * E)][e / E % E][e % E] = 0;
#pragma unroll(order == 1 ? 3 : 1)
    for (int tz = 0; tz < term::count; tz++) {
      const int32_t z = m[2] + term::shift(tz);
      if (order == 2 && !has(2, z))
        continue;
      T plane[E][E];
#pragma unroll
      for (int e = 0; e < E * E; e++)
        plane[e / E][e % E] = 0;
#pragma unroll
      for (int ty = 0; ty < term::count; ty++) {
        const int32_t y = m[1] + term::shift(ty);
        const bool there = has(1, y) && has(2, z);
        T sum[E];
        line(there, there ? y - d.low[1] + (int64_t)ny * (z - d.low[2]) : 0, term::index(ty),
             term::index(tz), sum);
#pragma unroll
        for (int e1 = 0; e1 < E; e1++) {
          if (term::factor(ty, e1) != 0) {
#pragma unroll
            for (int e0 = 0; e0 < E; e0++)
              plane[e1][e0] += (T)term::factor(ty, e1) * sum[e0];
          }
        }
      }
#pragma unroll
      for (int e2 = 0; e2 < E; e2++) {
        const T factor = (T)term::factor(tz, e2);
#pragma unroll
        for (int e = 0; e < E * E; e++)
          out[e2][e / E][e % E] += factor * plane[e / E][e % E];
      }
    }
  }
};

/* Components FIRST to FIRST + LANES - 1 of a block's nodes, components running fastest as they are
 * stored: eight together, the ninth apart. */
template <int LANES> struct gather_shape {
  static const int nodes = LANES == 1 ? 128 : 32, threads = nodes * LANES;
};

/* The rows of one e2 of a block's nodes, by way of shared memory: neighbouring nodes side by side.
 */
template <class T, int COMPONENTS, int FIRST, int LANES, int E>
static __device__ __forceinline__ void write_rows(const cw_mm_device_job &d, T *at_node,
                                                  const T *rows, int nodes, int e2) {
  const int all = gather_shape<LANES>::nodes;
  const int n1 = d.job.dim > 1 ? E : 1, first = d.job.dim > 2 ? E * E * e2 : 0;
  for (int n = threadIdx.x; n < n1 * E * LANES * all; n += gather_shape<LANES>::threads) {
    const int x = n % all, row = n / all; /* component + LANES (e0 + E e1) */
    if (x >= nodes)
      continue;
    const int64_t array = (int64_t)(first + row / LANES) * COMPONENTS + FIRST + row % LANES;
    T *to = at_node + array * d.job.points + x;
    const T value = rows[row * (all + 1) + x];
    *to = d.fresh ? value : *to + value;
  }
}

template <int STORE, class T, int COMPONENTS, int FIRST, int LANES>
static __global__ void __launch_bounds__(gather_shape<LANES>::threads)
    gather_matrix(const __grid_constant__ cw_mm_device_job d) {
  const int order = cw_mm_store<STORE>::order, E = order + 1;
  const int32_t nx = gather_shape<LANES>::nodes;
  T *rows = cw_team_arena<T>(); /* [E E LANES][nx + 1] */
  if (cw_mm_failed(d.status))
    return;
  int32_t first[3], count[3];
#pragma unroll
  for (int a = 0; a < 3; a++)
    reach(d, order, a, &first[a], &count[a]);
  const int32_t chunks = (count[0] + nx - 1) / nx, block = (int32_t)blockIdx.x,
                row = block / chunks, start = block % chunks * nx;
  const int32_t i = (int32_t)threadIdx.x / LANES, lane = (int32_t)threadIdx.x % LANES;
  const gather_node<STORE, T, COMPONENTS> node = {
      d,
      {first[0] + start + i, first[1] + row % count[1], first[2] + row / count[1]},
      FIRST + lane};
  T out[E][E][E];
  node.all(out);
  const T scale = (T)(COMPONENTS == 9 ? d.job.beta : 1.0);
  T *to = (T *)d.job.values + first[0] + start;
  for (int a = 1; a < d.job.dim; a++)
    to += (int64_t)node.m[a] * d.job.stride[a];
#pragma unroll
  for (int e2 = 0; e2 < E; e2++) {
    if (e2 > 0 && d.job.dim < 3)
      break;
#pragma unroll
    for (int e = 0; e < E * E; e++)
      rows[(lane + LANES * e) * (nx + 1) + i] = scale * out[e2][e / E][e % E];
    __syncthreads();
    write_rows<T, COMPONENTS, FIRST, LANES, E>(d, to, rows, min(nx, count[0] - start), e2);
    __syncthreads();
  }
}

/* J and rho: a thread a node and quantity. */
template <int STORE, class T>
static __global__ void __launch_bounds__(CW_THREADS)
    gather_linear(const __grid_constant__ cw_mm_device_job d) {
  typedef cw_mm_store<STORE> store;
  const int order = store::order, E = order + 1;
  if (cw_mm_failed(d.status))
    return;
  int32_t first[3], count[3];
#pragma unroll
  for (int a = 0; a < 3; a++)
    reach(d, order, a, &first[a], &count[a]);
  const int64_t total = 4 * (int64_t)count[0] * count[1] * count[2];
  cw_grid_stride(n, total) {
    const int q = (int)(n % 4);
    double *array = q < 3 ? d.job.J[q] : d.job.rho;
    if (!array)
      continue;
    int64_t rest = n / 4, at = 0;
    int32_t m[3];
    for (int a = 0; a < 3; a++) {
      m[a] = first[a] + (int32_t)(rest % count[a]);
      rest /= count[a];
      if (a < d.job.dim)
        at += m[a] * d.job.stride[a];
    }
    double sum = 0;
    for (int k = 0; k < E * E * E; k++) {
      const int place[3] = {k % E, k / E % E, k / E / E};
      bool inside = true;
      int64_t bin = 0;
      for (int a = 2; a >= 0; a--) {
        const int32_t b = m[a] - place[a] + (order - 1);
        inside = inside && b >= d.low[a] && b < d.high[a];
        bin = bin * (d.high[a] - d.low[a]) + (b - d.low[a]);
      }
      if (inside)
        sum += (double)((const T *)d.sums)[bin * store::stride(9) + store::linear(9) + 4 * k + q];
    }
    array[at] += sum;
  }
}

template <int STORE, class T, int COMPONENTS, int FIRST, int LANES>
static cw_status gather_components(cw_context *context, const cw_mm_device_job *job) {
  int32_t first[3], count[3];
  const int order = cw_mm_store<STORE>::order;
  for (int a = 0; a < 3; a++)
    reach(*job, order, a, &first[a], &count[a]);
  const int32_t nx = gather_shape<LANES>::nodes;
  const int64_t blocks = (int64_t)((count[0] + nx - 1) / nx) * count[1] * count[2];
  const size_t arena = (size_t)((order + 1) * (order + 1) * LANES * (nx + 1)) * sizeof(T);
  CW_CUDA_LAUNCH_NAMED(context, "mass matrix gather",
                       (gather_matrix<STORE, T, COMPONENTS, FIRST, LANES>), (unsigned)blocks,
                       (gather_shape<LANES>::threads), arena, *job);
  return CW_OK;
}

template <int STORE, class T, int COMPONENTS>
static cw_status gather(cw_context *context, const cw_mm_device_job *job) {
  if constexpr (COMPONENTS == 1) {
    return gather_components<STORE, T, 1, 0, 1>(context, job);
  } else {
    CW_TRY((gather_components<STORE, T, 9, 0, 8>(context, job)));
    CW_TRY((gather_components<STORE, T, 9, 8, 1>(context, job)));
    if (!job->job.J[0] && !job->job.rho)
      return CW_OK;
    int32_t first[3], count[3];
    for (int a = 0; a < 3; a++)
      reach(*job, cw_mm_store<STORE>::order, a, &first[a], &count[a]);
    const int64_t values = 4 * (int64_t)count[0] * count[1] * count[2];
    CW_CUDA_LAUNCH_NAMED(context, "current and charge gather", (gather_linear<STORE, T>),
                         cw_cuda_blocks(context, values, CW_THREADS), CW_THREADS, 0, *job);
    return CW_OK;
  }
}

template <int STORE, class T> static void list(cw_mm_plan *plan) {
  typedef cw_mm_store<STORE> store;
  const int tensor = plan->components == 9;
  plan->stride = store::stride(plan->components);
  if constexpr (STORE != CW_MM_CARRIED)
    plan->gather = tensor ? gather<STORE, T, 9> : gather<STORE, T, 1>;
  else
    plan->gather = gather<STORE, T, 9>;
}

template <class T> static void list_all(cw_mm_plan *plan) {
  switch (plan->store) {
  case CW_MM_CELLS:
    list<CW_MM_CELLS, T>(plan);
    break;
  case CW_MM_CARRIED:
    list<CW_MM_CARRIED, T>(plan);
    break;
  case CW_MM_MOMENTS:
    list<CW_MM_MOMENTS, T>(plan);
    break;
  default:
    list<CW_MM_PAIRS, T>(plan);
  }
}

void cw_mm_plan_gather(cw_mm_plan *plan) {
  if (plan->is_double)
    list_all<double>(plan);
  else
    list_all<float>(plan);
}
