/* What the bins around a node have for it, and its places in the matrix: the gather's work on one
 * node. */
#ifndef CW_KERNELS_MASSMATRIX_CUDA_NODE_CUH
#define CW_KERNELS_MASSMATRIX_CUDA_NODE_CUH

#include "kernels/massmatrix/massmatrix_cuda_job.cuh"

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

/* N components of a node, in one access. */
template <class T, int N> struct __align__(N * sizeof(T)) values {
  T of[N];
};

/* The nodes that the bins low .. high - 1 reach. */
struct gather_box {
  int32_t first[3], count[3];
};

static __host__ __device__ gather_box reach(const cw_mm_device_job &d, int order) {
  gather_box box;
  for (int a = 0; a < 3; a++) {
    const bool simulated = a < d.job.dim;
    box.first[a] = simulated ? d.low[a] - (order - 1) : d.low[a];
    box.count[a] = simulated ? d.high[a] - d.low[a] + order : 1;
  }
  return box;
}

static __device__ __forceinline__ int64_t point_of(const cw_mm_device_job &d, const int32_t m[3]) {
  const int64_t row = d.job.dim > 1 ? m[1] * d.job.stride[1] : 0;
  return m[0] + row + (d.job.dim > 2 ? m[2] * d.job.stride[2] : 0);
}

/* N components from `c` on of the rows of one node. */
template <int STORE, class T, int COMPONENTS, int N> struct gather_node {
  typedef cw_mm_store<STORE> store;
  typedef terms<STORE> term;
  typedef values<T, N> value;
  static const int order = store::order, E = order + 1;
  const cw_mm_device_job &d;
  int32_t m[3];
  int c;
  bool has_tail; /* CARRIED: a piece ends below the node */
  int32_t piece; /* which */

  __device__ __forceinline__ gather_node(const cw_mm_device_job &job, const int32_t node[3],
                                         int component)
      : d(job), m{node[0], node[1], node[2]}, c(component), has_tail(false), piece(0) {
    if constexpr (STORE == CW_MM_CARRIED) {
      const int32_t nx = d.high[0] - d.low[0], x = m[0] - d.low[0];
      has_tail = x > 0 && x <= nx && (x == nx || x % d.length == 0);
      piece = has_tail ? (x - 1) / d.length : 0;
    }
  }

  __device__ __forceinline__ bool has(int axis, int32_t bin) const {
    return bin >= d.low[axis] && bin < d.high[axis];
  }
  /* Of the entry, of a bin's `entries`. */
  __device__ __forceinline__ value read(const T *bin, int entries, int e) const {
    return *(const value *)(bin + store::place(entries, COMPONENTS, e, c));
  }
  /* The number of a row of bins, `shift` away along axes 1 and 2, and whether it is there. */
  __device__ __forceinline__ bool find_row(int y, int z, int64_t *row) const {
    const int32_t ny = d.high[1] - d.low[1];
    const bool there = has(1, m[1] + y) && has(2, m[2] + z);
    *row = there ? m[1] + y - d.low[1] + (int64_t)ny * (m[2] + z - d.low[2]) : 0;
    return there;
  }

  /* Adds `factor` times an entry of the bin `shift` away in a row of bins. What is not there is read
   * elsewhere and dropped, so that no read waits for a branch. */
  __device__ __forceinline__ value read_bin(bool there, int64_t row, int shift, int e) const {
    const int32_t nx = d.high[0] - d.low[0], x = m[0] - d.low[0] + shift;
    const int32_t kept = min(max(x, 0), nx - 1);
    value v =
        read((const T *)d.sums + (row * nx + kept) * store::stride(COMPONENTS), store::entries, e);
#pragma unroll
    for (int n = 0; n < N; n++)
      v.of[n] = there && x == kept ? v.of[n] : (T)0;
    return v;
  }
  /* What a piece that ends below the node has for entry 0 of axis 0. */
  __device__ __forceinline__ value read_tail(bool there, int64_t row, int j, int k) const {
    value v = {};
    if (there && has_tail)
      v = read((const T *)d.tails + (row * d.pieces + piece) * 82, 9, j + 3 * k);
    return v;
  }

  /* Rows e of axis 0 from a row of bins, of values j, k of the other axes. */
  __device__ __forceinline__ void line(bool there, int64_t row, int j, int k, value sum[E]) const {
    if constexpr (STORE == CW_MM_CARRIED) {
      sum[0] = read_bin(there, row, 0, store::entry(0, j, k));
      sum[1] = read_bin(there, row, 0, store::entry(1, j, k));
      const value tail = read_tail(there, row, j, k);
#pragma unroll
      for (int n = 0; n < N; n++)
        sum[0].of[n] += tail.of[n];
    } else {
#pragma unroll
      for (int e = 0; e < E; e++)
        sum[e] = {};
#pragma unroll
      for (int t = 0; t < term::count; t++) {
        const value v = read_bin(there, row, term::shift(t), store::entry(term::index(t), j, k));
#pragma unroll
        for (int e = 0; e < E; e++)
          if (term::factor(t, e) != 0)
            add(&sum[e], term::factor(t, e), v);
      }
    }
  }
  __device__ __forceinline__ static void add(value *to, float factor, const value &v) {
#pragma unroll
    for (int n = 0; n < N; n++)
      to->of[n] += (T)factor * v.of[n];
  }

  /* All rows: [e2][e1][e0]. */
  __device__ __forceinline__ void all(value out[E][E][E]) const {
#pragma unroll
    for (int e = 0; e < E * E * E; e++)
      out[e / (E * E)][e / E % E][e % E] = {};
#pragma unroll(order == 1 ? 3 : 1)
    for (int tz = 0; tz < term::count; tz++) {
      if (order == 2 && !has(2, m[2] + term::shift(tz)))
        continue;
      value plane[E][E];
#pragma unroll
      for (int e = 0; e < E * E; e++)
        plane[e / E][e % E] = {};
#pragma unroll
      for (int ty = 0; ty < term::count; ty++) {
        int64_t row;
        const bool there = find_row(term::shift(ty), term::shift(tz), &row);
        value sum[E];
        line(there, row, term::index(ty), term::index(tz), sum);
#pragma unroll
        for (int e1 = 0; e1 < E; e1++)
          if (term::factor(ty, e1) != 0) {
#pragma unroll
            for (int e0 = 0; e0 < E; e0++)
              add(&plane[e1][e0], term::factor(ty, e1), sum[e0]);
          }
      }
#pragma unroll
      for (int e2 = 0; e2 < E; e2++)
#pragma unroll
        for (int e = 0; e < E * E; e++)
          if (order == 2 || term::factor(tz, e2) != 0)
            add(&out[e2][e / E][e % E], term::factor(tz, e2), plane[e / E][e % E]);
    }
  }

  /* CIC: one entry, e counted axis 0 fastest. */
  __device__ __forceinline__ T one(int e) const {
    const int e0 = e % 2, e1 = e / 2 % 2, e2 = e / 4;
    T sum = 0;
#pragma unroll
    for (int n = 0; n < 4; n++) { /* S0[n] + S2[n - 1], or S1[n], along axes 1 and 2 */
      const int y = n % 2, z = n / 2, j = y ? 2 : e1, k = z ? 2 : e2;
      int64_t row;
      const bool there = find_row(-y, -z, &row) && !(y && e1) && !(z && e2);
      sum += read_bin(there, row, 0, store::entry(e0, j, k)).of[0];
      if constexpr (STORE == CW_MM_CARRIED)
        sum += read_tail(there && e0 == 0, row, j, k).of[0];
      else
        sum += read_bin(there && e0 == 0, row, -1, store::entry(2, j, k)).of[0];
    }
    return sum;
  }

  /* To array e, components c on. */
  __device__ __forceinline__ T *place(int e) const {
    return (T *)d.job.values + ((int64_t)e * COMPONENTS + c) * d.job.points + point_of(d, m);
  }
  __device__ __forceinline__ T scale() const {
    return (T)(COMPONENTS == 9 ? d.job.beta : 1.0);
  }

  /* Stores all rows: the old values of a plane are asked for together. */
  __device__ __forceinline__ void put(const value out[E][E][E]) const {
    const int n1 = d.job.dim > 1 ? E : 1, n2 = d.job.dim > 2 ? E : 1;
    T *to = place(0);
#pragma unroll
    for (int e2 = 0; e2 < E; e2++) {
      value old[E * E] = {};
#pragma unroll
      for (int e = 0; e < E * E * N; e++)
        if (!d.fresh && e2 < n2 && e / N < E * n1)
          old[e / N].of[e % N] =
              to[((int64_t)(E * E * e2 + e / N) * COMPONENTS + e % N) * d.job.points];
#pragma unroll
      for (int e = 0; e < E * E * N; e++)
        if (e2 < n2 && e / N < E * n1)
          to[((int64_t)(E * E * e2 + e / N) * COMPONENTS + e % N) * d.job.points] =
              old[e / N].of[e % N] + scale() * out[e2][e / N / E][e / N % E].of[e % N];
    }
  }
};

#endif
