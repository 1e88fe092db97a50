/* The bins' sums to the matrix, current and charge: each value of a node is formed by one thread,
 * which adds what the bins around the node have for it, axis by axis, always in the same order.
 *
 *   warps of     lanes                                     tensor             scalar
 *   components   8 nodes of a row, 4 pairs of components   the first eight
 *   entries      4 nodes, their 8 entries (CIC)            the ninth          all
 *   nodes        32 nodes (TSC)                            the ninth          all
 *   linear       16 nodes, Jx Jy and Jz rho                current, charge
 *
 * One launch: what each kind waits for differs. The bins that were stored last are read first, while
 * they are in the cache. */
#include "kernels/massmatrix/massmatrix_cuda_launch.cuh"
#include "kernels/massmatrix/massmatrix_cuda_node.cuh"

/* J and rho: lane `half` of a node has Jx and Jy, or Jz and rho. */
template <int STORE, class T>
static __device__ __forceinline__ void gather_linear(const cw_mm_device_job &d, const int32_t m[3],
                                                     int half) {
  typedef cw_mm_store<STORE> store;
  const int order = store::order, E = order + 1;
  double sum[2] = {0, 0};
#pragma unroll 9
  for (int k = 0; k < E * E * E; k++) {
    const int place[3] = {k % E, k / E % E, k / E / E};
    bool inside = true;
    int64_t bin = 0;
#pragma unroll
    for (int a = 2; a >= 0; a--) {
      const int32_t b = m[a] - place[a] + (order - 1);
      inside = inside && b >= d.low[a] && b < d.high[a];
      bin = bin * (d.high[a] - d.low[a]) + (b - d.low[a]);
    }
    const T *from = (const T *)d.sums + (inside ? bin : 0) * store::stride(9) + store::linear(9);
    const values<T, 2> v = *(const values<T, 2> *)(from + 4 * k + 2 * half);
#pragma unroll
    for (int q = 0; q < 2; q++)
      sum[q] += inside ? (double)v.of[q] : 0.0;
  }
#pragma unroll
  for (int q = 0; q < 2; q++) {
    double *array = half && q ? d.job.rho : half ? d.job.J[2] : d.job.J[q];
    if (array)
      array[point_of(d, m)] += sum[q];
  }
}

/* Warps of a kind, `wide` nodes each, side by side along axis 0; returns how many. They start where
 * the matrix's arrays have whole sectors of memory, so that a store fills them: a row may need one
 * more. Those of TSC that follow each other are neighbours along axis 1 and share what they read. */
static __host__ __device__ int32_t chunks_of(const gather_box &box, int wide) {
  return (box.count[0] + 2 * wide - 2) / wide;
}
static __host__ __device__ int32_t warps_of(const gather_box &box, int wide) {
  return chunks_of(box, wide) * box.count[1] * box.count[2];
}
template <int ORDER, class T>
static __device__ __forceinline__ bool find_node(const cw_mm_device_job &d, const gather_box &box,
                                                 int wide, int32_t warp, int i, int32_t m[3]) {
  const int32_t chunks = chunks_of(box, wide), plane = chunks * box.count[1];
  const int32_t z = warp / plane, rest = warp - z * plane;
  const int32_t of = ORDER == 1 ? chunks : box.count[1], q = rest / of, r = rest - q * of;
  m[0] = box.first[0];
  m[1] = box.first[1] + box.count[1] - 1 - (ORDER == 1 ? q : r);
  m[2] = box.first[2] + box.count[2] - 1 - z;
  const T *row = (const T *)d.job.values + point_of(d, m);
  const int32_t before = (int32_t)((uintptr_t)row / sizeof(T) % (unsigned)wide);
  const int32_t x = (ORDER == 1 ? r : q) * wide + i - before;
  m[0] += x;
  return x >= 0 && x < box.count[0] && z < box.count[2]; /* a kind's last warps may have none */
}

enum { GATHER_THREADS = 128, GATHER_WARPS = GATHER_THREADS / 32 };

/* How many components a thread has of the first eight: 27 sums of each in registers (TSC). */
template <int ORDER, class T> struct gather_shape {
  static const int each = ORDER == 2 && sizeof(T) == 8 ? 1 : 2, lanes = 8 / each;
  static const int eights = 32 / lanes, singles = ORDER == 1 ? 4 : 32, linear = 16; /* nodes */
  static const int blocks = ORDER == 1 ? 6 : sizeof(T) == 8 ? 2 : 3; /* a multiprocessor */
};

/* The first warp of each kind, whole blocks; [3]: all. */
struct gather_kinds {
  int32_t begin[4];
};
template <int ORDER, class T>
static gather_kinds list_kinds(const cw_mm_device_job &d, int components) {
  typedef gather_shape<ORDER, T> shape;
  const gather_box box = reach(d, ORDER);
  const bool linear = d.job.J[0] || d.job.rho;
  const int32_t warps[] = {components == 9 ? warps_of(box, shape::eights) : 0,
                           warps_of(box, shape::singles),
                           components == 9 && linear ? warps_of(box, shape::linear) : 0};
  gather_kinds kinds = {};
  for (int k = 0; k < 3; k++)
    kinds.begin[k + 1] =
        kinds.begin[k] + (warps[k] + GATHER_WARPS - 1) / GATHER_WARPS * GATHER_WARPS;
  return kinds;
}

template <int STORE, class T, int COMPONENTS>
static __global__ void __launch_bounds__(GATHER_THREADS,
                                         (gather_shape<cw_mm_store<STORE>::order, T>::blocks))
    gather_sums(const __grid_constant__ cw_mm_device_job d, const gather_kinds kinds) {
  const int order = cw_mm_store<STORE>::order, E = order + 1;
  typedef gather_shape<order, T> shape;
  const int32_t warp = (int32_t)(blockIdx.x * GATHER_WARPS + threadIdx.x / 32);
  const int lane = (int)threadIdx.x % 32;
  const gather_box box = reach(d, order);
  int32_t m[3];
  if (cw_mm_failed(d.status))
    return;
  if (COMPONENTS == 9 && warp < kinds.begin[1]) {
    if (!find_node<order, T>(d, box, shape::eights, warp, lane / shape::lanes, m))
      return;
    const int c = lane % shape::lanes * shape::each;
    const gather_node<STORE, T, COMPONENTS, shape::each> node(d, m, c);
    values<T, shape::each> out[E][E][E];
    node.all(out);
    node.put(out);
  } else if (warp < kinds.begin[2]) {
    if (!find_node<order, T>(d, box, shape::singles, warp - kinds.begin[1],
                             lane * shape::singles / 32, m))
      return;
    const gather_node<STORE, T, COMPONENTS, 1> node(d, m, COMPONENTS - 1);
    if constexpr (order == 1) {
      const int e = lane % 8;
      if (e >> d.job.dim)
        return;
      T *to = node.place(e);
      const T value = node.scale() * node.one(e);
      *to = d.fresh ? value : *to + value;
    } else {
      values<T, 1> out[E][E][E];
      node.all(out);
      node.put(out);
    }
  } else if (COMPONENTS == 9) {
    if (find_node<order, T>(d, box, shape::linear, warp - kinds.begin[2], lane / 2, m))
      gather_linear<STORE, T>(d, m, lane % 2);
  }
}

template <int STORE, class T, int COMPONENTS>
static cw_status gather(cw_context *context, const cw_mm_device_job *job) {
  const gather_kinds kinds = list_kinds<cw_mm_store<STORE>::order, T>(*job, COMPONENTS);
  CW_CUDA_LAUNCH_NAMED(context, "mass matrix gather", (gather_sums<STORE, T, COMPONENTS>),
                       (unsigned)(kinds.begin[3] / GATHER_WARPS), GATHER_THREADS, 0, *job, kinds);
  return CW_OK;
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
