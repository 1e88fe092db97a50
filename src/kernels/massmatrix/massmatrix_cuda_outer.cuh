/* The forms without a matrix unit: a team a bin, a thread a row of the product, its sums in
 * registers.
 *
 *   for each batch of the bin's particles, a thread a particle: factors to the team's stage
 *     for each particle of the batch
 *       a thread a row: value = product of two factors; sum[column] += value * column
 *
 * PAIRS (the conventional form): rows are the unordered pairs of the bin's nodes, 36 or 378, and
 * the 9 columns of M; current and charge are one more sum a thread, of a node and a quantity.
 * Moments: rows are the 27 or 125 moments, with all 13 columns. */
#ifndef CW_KERNELS_MASSMATRIX_CUDA_OUTER_CUH
#define CW_KERNELS_MASSMATRIX_CUDA_OUTER_CUH

#include "kernels/massmatrix/massmatrix_cuda_moment.cuh"

/* Pair a <= b of nodes of one axis, as it is stored. */
template <int ORDER> static __device__ __forceinline__ int cw_mm_axis_pair(int a, int b) {
  if (ORDER == 1)
    return a + b;
  return a == b ? a : a + b == 1 ? 3 : a + b == 3 ? 4 : 5;
}

/* The entry that nodes a and b of a bin share with no other pair in this direction; -1 for the
 * pairs that are stored as another one. */
template <int ORDER> static __device__ __forceinline__ int cw_mm_pair_entry(int a, int b) {
  const int n = ORDER + 1;
  const int ax = a % n, ay = a / n % n, az = a / n / n, bx = b % n, by = b / n % n, bz = b / n / n;
  if (ax > bx || ay > by || az > bz)
    return -1;
  return cw_mm_store < ORDER == 1
             ? CW_MM_CELLS
             : CW_MM_PAIRS > ::entry(cw_mm_axis_pair<ORDER>(ax, bx), cw_mm_axis_pair<ORDER>(ay, by),
                                     cw_mm_axis_pair<ORDER>(az, bz));
}

template <int ORDER, bool PAIRS, class T, bool TENSOR> struct cw_mm_outer {
  typedef T real;
  static const int order = ORDER;
  static const bool tensor = TENSOR;
  static const int store = ORDER == 1 ? CW_MM_CELLS : PAIRS ? CW_MM_PAIRS : CW_MM_MOMENTS;
  static const int NX = 2 * ORDER + 1, nodes = (ORDER + 1) * (ORDER + 1) * (ORDER + 1);
  static const int rows = PAIRS ? nodes * (nodes + 1) / 2 : NX * NX * NX;
  static const int warps = rows > 64 ? 4 : 1, threads = 32 * warps;
  static const int each = (rows + threads - 1) / threads; /* rows a thread */
  static const int factors = PAIRS ? nodes : NX + NX * NX;
  static const int columns = !TENSOR ? 1 : PAIRS ? 9 : 13; /* of the rows */
  static const int all = factors + (TENSOR ? 13 : 1);
  static const int S =
      all % 2 ? all : all + 1; /* odd: neither lanes of particles nor of rows clash */
  static const int linear = TENSOR && !PAIRS ? 4 * rows + 4 * (ORDER + 1) * NX * NX : 0;
  static const int stage = threads * S > linear ? threads *S : linear;
  static const int field = TENSOR ? (cw_mm_nodal<ORDER, 1>::values + 1) / 2 * 2 : 0;
  static const size_t arena = field * sizeof(double) + stage * sizeof(T);
  static const int blocks = warps == 1 ? 16 : 3;

  int first[each], second[each], entry[each]; /* factors of this thread's rows; -1: not stored */
  int node;                                   /* factor of current and charge; -1: none */
  T sum[each][columns], total;

  __device__ __forceinline__ void begin() {
#pragma unroll
    for (int e = 0; e < each; e++) {
      const int row = (int)threadIdx.x + e * threads;
      int a = 0, b = 0;
      entry[e] = -1;
      if (row < rows && PAIRS) {
        int left = row;
        while (left >= nodes - a)
          left -= nodes - a, a++;
        b = a + left;
        entry[e] = cw_mm_pair_entry<ORDER>(a, b);
      } else if (row < rows) {
        const int i = row / (NX * NX), plane = row % (NX * NX);
        a = i, b = NX + plane;
        entry[e] = cw_mm_store<store>::entry(i, plane % NX, plane / NX);
      }
      first[e] = a, second[e] = b;
#pragma unroll
      for (int c = 0; c < columns; c++)
        sum[e][c] = 0;
    }
    node = TENSOR && PAIRS && (int)threadIdx.x < 4 * nodes ? (int)threadIdx.x / 4 : -1;
    total = 0;
  }

  __device__ __forceinline__ void produce(const cw_mm_device_job &d, const double x[3],
                                          const double *column, T *to) const {
    if constexpr (PAIRS) {
      cw_mm_stage_nodes<ORDER>(d.job.dim, x, to, 1);
    } else {
      const cw_mm_place_moments<ORDER, T> m(d.job.dim, x);
#pragma unroll
      for (int i = 0; i < NX; i++)
        to[i] = (T)m.along[i];
#pragma unroll
      for (int p = 0; p < NX * NX; p++)
        to[NX + p] = m.plane(p);
    }
#pragma unroll
    for (int c = 0; c < (TENSOR ? 13 : 1); c++)
      to[factors + c] = (T)column[c];
  }

  __device__ __forceinline__ void consume(const T *stage, int n) {
#pragma unroll 2
    for (int p = 0; p < n; p++) {
      const T *at = stage + p * S;
      T column[columns];
#pragma unroll
      for (int c = 0; c < columns; c++)
        column[c] = at[factors + c];
#pragma unroll
      for (int e = 0; e < each; e++) {
        const T value = at[first[e]] * at[second[e]];
#pragma unroll
        for (int c = 0; c < columns; c++)
          sum[e][c] += value * column[c];
      }
      if (TENSOR && PAIRS && node >= 0)
        total += at[node] * at[factors + 9 + threadIdx.x % 4];
    }
  }

  __device__ __forceinline__ void write(T *stage, T *out) const {
    typedef cw_mm_store<store> place;
    const int components = TENSOR ? 9 : 1;
#pragma unroll
    for (int e = 0; e < each; e++) {
      if (entry[e] < 0)
        continue;
#pragma unroll
      for (int c = 0; c < components; c++)
        out[place::place(place::entries, components, entry[e], c)] = sum[e][c];
    }
    if (!TENSOR)
      return;
    if constexpr (PAIRS) {
      if (node >= 0)
        out[place::linear(9) + threadIdx.x] = total;
    } else {
#pragma unroll
      for (int e = 0; e < each; e++)
        if (entry[e] >= 0) {
#pragma unroll
          for (int q = 0; q < 4; q++)
            stage[4 * entry[e] + q] = sum[e][columns == 13 ? 9 + q : 0];
        }
      __syncthreads();
      if (threadIdx.x < 32)
        cw_mm_write_linear<ORDER, T>(stage, stage + 4 * rows, out + place::linear(9),
                                     (int)threadIdx.x);
    }
  }
};

template <class Form, class Real>
static __global__ void __launch_bounds__(Form::threads, Form::blocks)
    cw_mm_sum_teams(const __grid_constant__ cw_mm_device_job d) {
  if (cw_mm_failed(d.status))
    return;
  double *field = cw_team_arena<double>();
  typename Form::real *stage = (typename Form::real *)(field + Form::field);
  const int32_t nx = d.high[0] - d.low[0], ny = d.high[1] - d.low[1];
  const int32_t number = (int32_t)blockIdx.x;
  const int32_t bin[3] = {d.low[0] + number % nx, d.low[1] + number / nx % ny,
                          d.low[2] + number / nx / ny};
  if constexpr (Form::tensor)
    if (threadIdx.x < 32) {
      cw_mm_nodal<Form::order, 1> nodal;
      nodal.begin(d, bin, (int)threadIdx.x);
      nodal.fetch(d, bin[0]);
      nodal.store(d, field, (int)threadIdx.x);
    }
  Form form;
  form.begin();
  __syncthreads();
  for (int r = 0; r < d.ranges; r++) {
    uint32_t begin, end;
    cw_mm_range(d, bin, r, &begin, &end);
    for (uint32_t at = begin; at < end; at += Form::threads) {
      const int n = min((int)(end - at), Form::threads);
      if ((int)threadIdx.x < n) {
        cw_mm_raw<Real> raw = {};
        double x[3], column[CW_MM_COLUMNS];
        cw_mm_read<Form::tensor>(d, at + threadIdx.x, true, &raw);
        const double q = cw_mm_place<Form::order>(d, raw, bin, x);
        if constexpr (Form::tensor)
          cw_mm_make_columns<Form::order>(d, raw, q, field, x, column);
        else
          column[0] = q;
        form.produce(d, x, column, stage + threadIdx.x * Form::S);
      }
      __syncthreads();
      form.consume(stage, n);
      __syncthreads();
    }
  }
  form.write(stage, cw_mm_sums_of<Form>(d, bin));
}

template <class Form, class Real>
static cw_status cw_mm_launch_teams_of(cw_context *context, const cw_mm_device_job *job,
                                       const char *name) {
  cw_team_request request = {};
  request.name = name;
  request.kernel = (const void *)cw_mm_sum_teams<Form, Real>;
  request.teams = (int64_t)(job->high[0] - job->low[0]) * (job->high[1] - job->low[1]) *
                  (job->high[2] - job->low[2]);
  request.team_size = Form::threads;
  request.arena = Form::arena;
  cw_team_launch launch;
  CW_TRY(cw_team_prepare(context, &request, &launch));
  CW_TEAM_LAUNCH(context, launch, name, (cw_mm_sum_teams<Form, Real>), *job);
  return CW_OK;
}

template <class Form>
static cw_status cw_mm_launch_teams(cw_context *context, const cw_mm_device_job *job,
                                    const char *name) {
  return job->job.particles.precision == CW_DOUBLE
             ? cw_mm_launch_teams_of<Form, double>(context, job, name)
             : cw_mm_launch_teams_of<Form, float>(context, job, name);
}

#endif
