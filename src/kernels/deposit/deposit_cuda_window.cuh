/* One particle's factors on a window of N nodes an axis, orders 1 to 3 in 2D and 3D, and the values
 * that they make: planes (rows of transverse nodes) times flows. Included once a precision, after
 * deposit_body.h.
 *
 *     3D   component c   plane[a][b] = T[a] T'[b] + E[a] E'[b] of the other two axes, N - 1 flows
 *     2D   in-plane      plane[a] = T[a] of the other axis, N - 1 flows
 *          out of plane  plane[a][b] as in 3D, one flow: charge weight v
 *
 * with T = U/2 and E = D/sqrt(12). N = order + 1 where old and new shape stand on the same nodes
 * along every axis (the particle keeps its support): their order flows are the whole of it. Else
 * the window is order + 2 wide. Where the support changes along one axis only, that is two windows
 * of order + 1, a node apart, of which the upper one has the last node and flow alone:
 *
 *     wide     T0 T1 T2 T3    F0 F1 F2          lower    T0 T1 T2      F0 F1
 *                                               upper       0  0  T3       0 F2       */

typedef struct pair_type {
  cw_real t, e;
} pair_type;

template <int DIM, int N> struct window {
  static const int rows = cw_deposit_rows(DIM, N);
  static const int flows = cw_deposit_flows(DIM, N);

  /* Row r's component and transverse nodes. */
  static __device__ __forceinline__ void decode(int row, int *c, int *a, int *b) {
    if (DIM == 3) {
      *c = row / (N * N);
      *a = row % N;
      *b = row / N % N;
    } else {
      *c = row < N ? 0 : row < 2 * N ? 1 : 2;
      *a = *c < 2 ? row - *c * N : (row - 2 * N) % N;
      *b = *c < 2 ? 0 : (row - 2 * N) / N;
    }
  }
  static __device__ __forceinline__ bool is_plane(int c) { return DIM == 3 || c == 2; }
  /* The axes that nodes a and b of component c belong to. */
  static __device__ __forceinline__ int axis_a(int c) { return c == 0 ? 1 : 0; }
  static __device__ __forceinline__ int axis_b(int c) { return c == 2 ? 1 : 2; }
  template <class Stride>
  static __device__ __forceinline__ Stride place(const Stride *stride, int c, int a, int b) {
    if (DIM == 2 && c == 2)
      return a + b * stride[1];
    return a * stride[axis_a(c)] + (DIM == 3 ? b * stride[axis_b(c)] : 0);
  }
  static __device__ __forceinline__ int flows_of(int c) { return c < DIM ? N - 1 : 1; }
};

static __device__ __forceinline__ cw_real plane_value(pair_type a, pair_type b) {
  return fma(a.t, b.t, a.e * b.e);
}

/* Weights of a shape. Order 2 in closed form, sums of positive terms as the recursion's. */
template <int ORDER>
static __device__ __forceinline__ void window_weights(cw_real dx, int *first, cw_real *w) {
  if (ORDER == 2) {
    const cw_real half = (cw_real)0.5, t = CW_REAL_NAME(cw_shape_knot_offset)(2, dx), s = 1 - t;
    *first = (dx >= half) - 1;
    w[0] = half * s * s;
    w[1] = fma(s, t, half);
    w[2] = half * t * t;
  } else {
    CW_REAL_NAME(cw_shape_weights)(ORDER, dx, first, w);
  }
}

/* Factors of one axis where old and new shape begin at the same node. */
template <int ORDER>
static __device__ __forceinline__ void kept_axis(cw_real dx_prev, cw_real dx, cw_real move,
                                                 pair_type pairs[ORDER + 1], cw_real flux[ORDER]) {
  const cw_real half = (cw_real)0.5, root = (cw_real)0.28867513459481288; /* 1/sqrt(12) */
  cw_real s[ORDER + 1], t[ORDER + 1];
  int first;
  window_weights<ORDER>(dx_prev, &first, s);
  window_weights<ORDER>(dx, &first, t);
  for (int n = 0; n <= ORDER; n++)
    pairs[n] = {half * (s[n] + t[n]), root * (t[n] - s[n])};
  CW_REAL_NAME(cw_deposit_piece)
  (ORDER, CW_REAL_NAME(cw_deposit_between)(ORDER, dx_prev).below,
   CW_REAL_NAME(cw_deposit_between)(ORDER, dx).below, move, flux);
}

/* Any valid particle's factors of axis a, on the window that begins at `start`. */
template <int ORDER>
static __device__ __forceinline__ void any_axis(const particle_type &particle, int a, int32_t start,
                                                pair_type pairs[ORDER + 2],
                                                cw_real flux[ORDER + 1]) {
  const cw_real half = (cw_real)0.5, root = (cw_real)0.28867513459481288;
  cw_real s[ORDER + 1], t[ORDER + 1];
  int s_first, t_first;
  window_weights<ORDER>(particle.dx_prev[a], &s_first, s);
  window_weights<ORDER>(particle.dx[a], &t_first, t);
  const int s_shift = particle.i_prev[a] + s_first != start;
  const int t_shift = particle.i[a] + t_first != start;
#pragma unroll
  for (int n = 0; n < ORDER + 2; n++) {
    const cw_real s0 = n <= ORDER ? s[n <= ORDER ? n : 0] : 0,
                  s1 = n > 0 ? s[n > 0 ? n - 1 : 0] : 0;
    const cw_real t0 = n <= ORDER ? t[n <= ORDER ? n : 0] : 0,
                  t1 = n > 0 ? t[n > 0 ? n - 1 : 0] : 0;
    const cw_real S = s_shift ? s1 : s0, T = t_shift ? t1 : t0;
    pairs[n] = {half * (S + T), root * (T - S)};
  }
  CW_REAL_NAME(cw_deposit_fluxes)
  (ORDER, particle.i[a] - particle.i_prev[a], t_shift - s_shift, particle.dx_prev[a],
   particle.dx[a], flux);
}

/* Factors of an axis along which the particle changes its support, on its lower or its upper window
 * of order + 1 nodes: the same numbers as any_axis forms. cells: new less old. Returns the new less
 * the old first node, 1 or -1. */
template <int ORDER>
static __device__ __forceinline__ int split_axis(int32_t cells, cw_real dx_prev, cw_real dx,
                                                 int upper, pair_type pairs[ORDER + 1],
                                                 cw_real flux[ORDER]) {
  const cw_real half = (cw_real)0.5, root = (cw_real)0.28867513459481288;
  cw_real s[ORDER + 1], t[ORDER + 1], all[ORDER + 1];
  int s_first, t_first;
  window_weights<ORDER>(dx_prev, &s_first, s);
  window_weights<ORDER>(dx, &t_first, t);
  const int nodes = cells + t_first - s_first;
  const bool up = nodes > 0;
#pragma unroll
  for (int n = 0; n <= ORDER; n++) {
    const cw_real s1 = n > 0 ? s[n > 0 ? n - 1 : 0] : 0, t1 = n > 0 ? t[n > 0 ? n - 1 : 0] : 0;
    const cw_real S = up ? s[n] : s1, T = up ? t1 : t[n];
    pairs[n] = {half * (S + T), root * (T - S)};
    if (upper) {
      const cw_real last = up ? t[ORDER] : s[ORDER];
      pairs[n] = {n < ORDER ? 0 : half * last, n < ORDER ? 0 : root * (up ? last : -last)};
    }
  }
  CW_REAL_NAME(cw_deposit_fluxes)(ORDER, cells, nodes, dx_prev, dx, all);
#pragma unroll
  for (int n = 0; n < ORDER; n++)
    flux[n] = !upper ? all[n] : n < ORDER - 1 ? 0 : all[ORDER];
  return nodes;
}

/* All factors of a particle whose window begins at `start`: pairs[axis][node], and flows in the
 * order of window<>'s. scale: quanta of the flows. */
template <int DIM, int ORDER, class Mode>
static __device__ __forceinline__ void any_factors(const particle_type &particle,
                                                   const int32_t *start, const cw_real *scale,
                                                   pair_type pairs[DIM][ORDER + 2],
                                                   typename Mode::Word *flows) {
#pragma unroll
  for (int a = 0; a < DIM; a++) {
    cw_real flux[ORDER + 1];
    any_axis<ORDER>(particle, a, start[a], pairs[a], flux);
#pragma unroll
    for (int n = 0; n <= ORDER; n++)
      flows[a * (ORDER + 1) + n] = Mode::flow(flux[n] * (particle.flow[a] * scale[a]));
  }
  if (DIM == 2)
    flows[2 * (ORDER + 1)] = Mode::flow(particle.flow[2] * scale[2]);
}

/* Plane of row r from pairs[axis][node] stored one axis after the other. */
template <int DIM, int N>
static __device__ __forceinline__ cw_real row_plane(const pair_type *pairs, int c, int a, int b) {
  typedef window<DIM, N> w;
  if (DIM == 2 && c == 2)
    return plane_value(pairs[a], pairs[N + b]);
  const pair_type pa = pairs[w::axis_a(c) * N + a];
  return DIM == 3 ? plane_value(pa, pairs[w::axis_b(c) * N + b]) : pa.t;
}

/* Quanta of the flows in a mode; 1 where reals are summed. */
template <class Mode>
static __device__ __forceinline__ void flow_scales(const cw_deposit_device_job &job,
                                                   cw_real scale[3]) {
  for (int c = 0; c < 3; c++)
    scale[c] = Mode::fixed ? (cw_real)(job.quanta->quanta[c] * (double)Mode::unit()) : (cw_real)1;
}

/* Straight to J or its accumulators: the whole particle; 0 if its window leaves them. */
template <int DIM, int ORDER, class Mode>
static __device__ __noinline__ bool window_to_grid(const cw_deposit_device_job &job,
                                                   const particle_type *particle, int64_t slot) {
  typedef window<DIM, ORDER + 2> w;
  typedef typename Mode::Sink Sink;
  int32_t start[3];
  int64_t at = 0;
  for (int a = 0; a < DIM; a++) {
    start[a] = CW_REAL_NAME(cw_deposit_start)(ORDER, particle, a);
    if (start[a] < job.low[a] || start[a] > job.high[a] - (ORDER + 2))
      return report_outside(job, slot);
    at += (start[a] - job.low[a]) * job.stride[a];
  }
  cw_real scale[3];
  flow_scales<Mode>(job, scale);
  pair_type pairs[DIM][ORDER + 2];
  typename Mode::Word flows[w::flows];
  any_factors<DIM, ORDER, Mode>(*particle, start, scale, pairs, flows);
#pragma unroll 1
  for (int row = 0; row < w::rows; row++) {
    int c, a, b;
    w::decode(row, &c, &a, &b);
    const typename Mode::Word plane = Mode::plane(row_plane<DIM, ORDER + 2>(&pairs[0][0], c, a, b));
    Sink *place = (Sink *)job.component[c] + at + w::place(job.stride, c, a, b);
    for (int n = 0; n < w::flows_of(c); n++) {
      const Sink value = Mode::product(flows[c * (ORDER + 1) + n], plane);
      if (value != 0)
        cw_sink_add(place + n * job.stride[c], value);
    }
  }
  return true;
}
