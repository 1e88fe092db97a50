/* The current of one particle: the only copy of the formulas, without loops over particles.
 *
 * Include with CW_REAL_IS_DOUBLE (the particles' precision) and CW_SINK_IS_FIXED (what the values
 * are added to: 0, reals of that precision; 1, int64 counts of a quantum; 2, doubles) set, once for
 * each pair, the reals first.
 *
 * Esirkepov (Comput. Phys. Commun. 135 (2001) 144), with S and T the old and new weights on the
 * window of order + 2 nodes, U = S + T, D = T - S, P[i] = sum of D up to i. His products reduce to
 *   S2 S3 + T2 T3 + (S2 T3 + T2 S3)/2                = 3/4 U2 U3 + 1/4 D2 D3   (3D, in-plane)
 *   T1 (S2/2 + T2) + S1 (T2/2 + S2), the same sum,   = 3/4 U1 U2 + 1/4 D1 D2   (2D, out of plane)
 * so that every value is a P X or a U X + b D X along axis 0 (X being U, D or P of that axis).
 * Zigzag (Umeda et al., Comput. Phys. Commun. 156 (2003) 73) is order 0. In 3D its weights, taken
 * at the middle of each half path, leave a residue of q dx dy dz/4 a half path in the continuity
 * equation; their mean along the path, which has dy dz/12 more (J. Villasenor & O. Buneman, Comput.
 * Phys. Commun. 69 (1992) 306), closes it and is what stands here.
 *
 * clang-format 14 takes calls of names that macros make for declarations: laid out by hand. */
/* clang-format off */
#include "base/real.h"

#undef cw_sink
#undef CW_SINK_ADD
#undef CW_SINK_HAS
#undef CW_SINK_NAME
/* A team of a device may sum one component: the others have no place. */
#ifdef CW_SINK_IS_ATOMIC
#define CW_SINK_HAS(sink, c) ((sink)->component[c] != NULL)
#else
#define CW_SINK_HAS(sink, c) 1
#endif
#if CW_SINK_IS_FIXED == 2
#define cw_sink                               double
#define CW_SINK_ADD(place, value, quanta)     cw_sink_add((place), (double)(value))
#define CW_SINK_NAME(name)                    CW_REAL_NAME(name##_wide)
#elif CW_SINK_IS_FIXED
#define cw_sink int64_t
#ifdef CW_SINK_IS_ATOMIC /* on a device other threads add to the same places */
#define CW_SINK_ADD(place, value, quanta) cw_sink_add((place), llrint((double)((value) * (quanta))))
#else
#define CW_SINK_ADD(place, value, quanta) (*(place) += llrint((double)((value) * (quanta))))
#endif
#define CW_SINK_NAME(name) CW_REAL_NAME(name##_fixed)
#else
#define cw_sink cw_real
#ifdef CW_SINK_IS_ATOMIC
#define CW_SINK_ADD(place, value, quanta) cw_sink_add((place), (value))
#else
#define CW_SINK_ADD(place, value, quanta) (*(place) += (value))
#endif
#define CW_SINK_NAME(name) CW_REAL_NAME(name)
#endif

#if !CW_SINK_IS_FIXED /* of a precision's two inclusions the first: what both share */
#include "kernels/shape_body.h"

/* What the formulas need of a particle; axes that are not simulated have no positions. */
typedef struct CW_REAL_NAME(cw_deposit_particle) {
  int32_t i_prev[3], i[3];
  cw_real dx_prev[3], dx[3];
  cw_real flow[3]; /* charge weight dx/dt along simulated axes, charge weight v along the others */
} CW_REAL_NAME(cw_deposit_particle);

typedef struct CW_REAL_NAME(cw_deposit_factors) {
  cw_real U[CW_DEPOSIT_MAX_WINDOW], D[CW_DEPOSIT_MAX_WINDOW];
  cw_real P[CW_DEPOSIT_MAX_WINDOW]; /* times -flow; from deposit_path.h, not as a sum of D */
} CW_REAL_NAME(cw_deposit_factors);

/* First node of the shape of a particle at i + dx. */
CW_BODY int32_t CW_REAL_NAME(cw_deposit_first_node)(int order, int32_t i, cw_real dx) {
  if (order == 0) return i;
  return order % 2 ? i - (order - 1) / 2 : i - order / 2 + (dx >= (cw_real)0.5);
}

/* The first node of its window along axis a. */
CW_BODY int32_t CW_REAL_NAME(cw_deposit_start)(int order,
                                               const CW_REAL_NAME(cw_deposit_particle) * particle,
                                               int a) {
  const int32_t s = CW_REAL_NAME(cw_deposit_first_node)(order, particle->i_prev[a],
                                                        particle->dx_prev[a]);
  const int32_t t = CW_REAL_NAME(cw_deposit_first_node)(order, particle->i[a], particle->dx[a]);
  return s < t ? s : t;
}

/* 1 if the particle is finite and moved by at most one cell along axis a, in a form that NaN
 * fails. The nodes are compared too: a move that rounds to 1 may pass two of them. */
CW_BODY int CW_REAL_NAME(cw_deposit_axis_valid)(int order,
                                                const CW_REAL_NAME(cw_deposit_particle) * particle,
                                                int a) {
  const cw_real dx = particle->dx[a], dx_prev = particle->dx_prev[a];
  /* unsigned: wraps instead of overflowing where the indices are garbage */
  const uint32_t cells = (uint32_t)particle->i[a] - (uint32_t)particle->i_prev[a];
  const uint32_t nodes =
      (uint32_t)CW_REAL_NAME(cw_deposit_first_node)(order, particle->i[a], dx) -
      (uint32_t)CW_REAL_NAME(cw_deposit_first_node)(order, particle->i_prev[a], dx_prev);
  const cw_real move = (cw_real)(int32_t)cells + (dx - dx_prev);
  return (cells + 1 <= 2) & (nodes + 1 <= 2) & (move >= -1) & (move <= 1) & (dx >= 0) & (dx <= 1) &
         (dx_prev >= 0) & (dx_prev <= 1);
}

#include "kernels/deposit/deposit_path.h"

/* U, D and P of one axis on the window that begins at `start`. */
CW_BODY void CW_REAL_NAME(cw_deposit_axis)(int order,
                                           const CW_REAL_NAME(cw_deposit_particle) * particle,
                                           int a, int32_t start,
                                           CW_REAL_NAME(cw_deposit_factors) * out) {
  cw_real s[CW_DEPOSIT_MAX_WINDOW], t[CW_DEPOSIT_MAX_WINDOW], flux[CW_DEPOSIT_MAX_WINDOW];
  int s_first, t_first;
  CW_REAL_NAME(cw_shape_weights)(order, particle->dx_prev[a], &s_first, s);
  CW_REAL_NAME(cw_shape_weights)(order, particle->dx[a], &t_first, t);
  const int s_shift = particle->i_prev[a] + s_first != start;
  const int t_shift = particle->i[a] + t_first != start;
  CW_REAL_NAME(cw_deposit_fluxes)
  (order, particle->i[a] - particle->i_prev[a], t_shift - s_shift, particle->dx_prev[a],
   particle->dx[a], flux);
  for (int n = 0; n < order + 2; n++) {
    /* a shape whose first node is the window's second one is shifted by one */
    const cw_real S = s_shift ? (n > 0 ? s[n - 1] : 0) : n <= order ? s[n] : 0;
    const cw_real T = t_shift ? (n > 0 ? t[n - 1] : 0) : n <= order ? t[n] : 0;
    out->U[n] = S + T;
    out->D[n] = T - S;
    out->P[n] = n <= order ? particle->flow[a] * flux[n] : 0;
  }
}
#endif

/* The window's arrays, at its first node. */
typedef struct CW_SINK_NAME(cw_deposit_sink) {
  cw_sink *component[3];
  int64_t stride[3];
  cw_real quanta[3];
} CW_SINK_NAME(cw_deposit_sink);

CW_BODY void CW_SINK_NAME(cw_deposit_row)(cw_sink *row, int n, cw_real quanta, cw_real a,
                                          const cw_real *X) {
  (void)quanta;
  for (int i = 0; i < n; i++) CW_SINK_ADD(&row[i], a * X[i], quanta);
}

CW_BODY void CW_SINK_NAME(cw_deposit_row2)(cw_sink *row, int n, cw_real quanta, cw_real a,
                                           const cw_real *X, cw_real b, const cw_real *Y) {
  (void)quanta;
  for (int i = 0; i < n; i++) CW_SINK_ADD(&row[i], a * X[i] + b * Y[i], quanta);
}

CW_BODY void CW_SINK_NAME(cw_deposit_esirkepov_1d)(
    int order, const CW_REAL_NAME(cw_deposit_factors) * f,
    const CW_REAL_NAME(cw_deposit_particle) * particle,
    const CW_SINK_NAME(cw_deposit_sink) * sink) {
  const cw_real half = (cw_real)0.5;
  if (CW_SINK_HAS(sink, 0))
    CW_SINK_NAME(cw_deposit_row)(sink->component[0], order + 1, sink->quanta[0], 1, f[0].P);
  for (int c = 1; c < 3; c++)
    if (CW_SINK_HAS(sink, c))
      CW_SINK_NAME(cw_deposit_row)(sink->component[c], order + 2, sink->quanta[c],
                                   half * particle->flow[c], f[0].U);
}

CW_BODY void CW_SINK_NAME(cw_deposit_esirkepov_2d)(
    int order, const CW_REAL_NAME(cw_deposit_factors) * f,
    const CW_REAL_NAME(cw_deposit_particle) * particle,
    const CW_SINK_NAME(cw_deposit_sink) * sink) {
  const cw_real half = (cw_real)0.5;
  const cw_real even = particle->flow[2] / 4, odd = particle->flow[2] / 12;
  for (int j = 0; j < order + 2; j++) {
    const int64_t at = j * sink->stride[1];
    if (CW_SINK_HAS(sink, 0))
      CW_SINK_NAME(cw_deposit_row)(sink->component[0] + at, order + 1, sink->quanta[0],
                                   half * f[1].U[j], f[0].P);
    if (j <= order && CW_SINK_HAS(sink, 1))
      CW_SINK_NAME(cw_deposit_row)(sink->component[1] + at, order + 2, sink->quanta[1],
                                   half * f[1].P[j], f[0].U);
    if (CW_SINK_HAS(sink, 2))
      CW_SINK_NAME(cw_deposit_row2)(sink->component[2] + at, order + 2, sink->quanta[2],
                                    even * f[1].U[j], f[0].U, odd * f[1].D[j], f[0].D);
  }
}

CW_BODY void CW_SINK_NAME(cw_deposit_esirkepov_3d)(
    int order, const CW_REAL_NAME(cw_deposit_factors) * f,
    const CW_SINK_NAME(cw_deposit_sink) * sink) {
  const cw_real even = (cw_real)(1.0 / 4), odd = (cw_real)(1.0 / 12);
  for (int k = 0; k < order + 2; k++) {
    const cw_real even_U3 = even * f[2].U[k], odd_D3 = odd * f[2].D[k];
    for (int j = 0; j < order + 2; j++) {
      const int64_t at = j * sink->stride[1] + k * sink->stride[2];
      if (CW_SINK_HAS(sink, 0))
        CW_SINK_NAME(cw_deposit_row)(sink->component[0] + at, order + 1, sink->quanta[0],
                                     even_U3 * f[1].U[j] + odd_D3 * f[1].D[j], f[0].P);
      if (j <= order && CW_SINK_HAS(sink, 1))
        CW_SINK_NAME(cw_deposit_row2)(sink->component[1] + at, order + 2, sink->quanta[1],
                                      f[1].P[j] * even_U3, f[0].U, f[1].P[j] * odd_D3, f[0].D);
      if (k <= order && CW_SINK_HAS(sink, 2))
        CW_SINK_NAME(cw_deposit_row2)(sink->component[2] + at, order + 2, sink->quanta[2],
                                      f[2].P[k] * even * f[1].U[j], f[0].U,
                                      f[2].P[k] * odd * f[1].D[j], f[0].D);
    }
  }
}

/* One straight half of the zigzag path, inside one cell that stands at `at` of the window: flow[c]
 * is the current along c, move[a] the displacement in cells, middle[a] that of the path's middle
 * from the cell's lower node. */
CW_BODY void CW_SINK_NAME(cw_deposit_zigzag_half)(int dim, const cw_real *flow,
                                                  const cw_real *move, const cw_real *middle,
                                                  int64_t at,
                                                  const CW_SINK_NAME(cw_deposit_sink) * sink) {
  for (int c = 0; c < 3; c++)
    for (int corner = 0; corner < 1 << dim; corner++) {
      if (!CW_SINK_HAS(sink, c)) break;
      if (c < dim && (corner >> c & 1)) continue; /* one value along its own axis */
      cw_real weight = 1, moves = 1;
      int64_t node = at;
      for (int a = 0; a < dim; a++) {
        const int upper = corner >> a & 1;
        if (a != c) {
          weight *= upper ? middle[a] : 1 - middle[a];
          moves *= upper ? move[a] : -move[a];
        }
        node += upper * sink->stride[a];
      }
      if (dim == 3) weight += moves * (cw_real)(1.0 / 12);
      CW_SINK_ADD(&sink->component[c][node], flow[c] * weight, sink->quanta[c]);
    }
}

CW_BODY void CW_SINK_NAME(cw_deposit_zigzag)(int dim,
                                             const CW_REAL_NAME(cw_deposit_particle) * particle,
                                             const int32_t *start,
                                             const CW_SINK_NAME(cw_deposit_sink) * sink) {
  const cw_real half = (cw_real)0.5;
  cw_real flow1[3], move1[3], middle1[3], flow2[3], move2[3], middle2[3];
  int64_t at1 = 0, at2 = 0;
  for (int a = 0; a < dim; a++) {
    /* positions relative to the old cell; the path turns at the relay point. Each half's move comes
     * from the offset on its own side, so that a short one keeps its digits. */
    const int32_t cells = particle->i[a] - particle->i_prev[a];
    const cw_real from = particle->dx_prev[a], to = particle->dx[a];
    const cw_real relay = cells == 0 ? half * (from + to) : cells > 0 ? (cw_real)1 : (cw_real)0;
    move1[a] = cells == 0 ? half * (to - from) : relay - from;
    move2[a] = cells == 0 ? move1[a] : cells > 0 ? to : to - 1;
    flow1[a] = particle->flow[a] * move1[a];
    flow2[a] = particle->flow[a] * move2[a];
    middle1[a] = half * (from + relay);
    middle2[a] = cells == 0 ? half * (relay + to) : half * (to + (cells > 0 ? 0 : 1));
    at1 += (particle->i_prev[a] - start[a]) * sink->stride[a];
    at2 += (particle->i[a] - start[a]) * sink->stride[a];
  }
  for (int c = dim; c < 3; c++) flow1[c] = flow2[c] = half * particle->flow[c];
  CW_SINK_NAME(cw_deposit_zigzag_half)(dim, flow1, move1, middle1, at1, sink);
  CW_SINK_NAME(cw_deposit_zigzag_half)(dim, flow2, move2, middle2, at2, sink);
}

/* Adds the particle's current to the window that begins at node `start`; the particle is valid. */
CW_BODY void CW_SINK_NAME(cw_deposit_particle_current)(
    int dim, int order, const CW_REAL_NAME(cw_deposit_particle) * particle, const int32_t *start,
    const CW_SINK_NAME(cw_deposit_sink) * sink) {
  if (order == 0) {
    CW_SINK_NAME(cw_deposit_zigzag)(dim, particle, start, sink);
    return;
  }
  CW_REAL_NAME(cw_deposit_factors) f[3];
  for (int a = 0; a < dim; a++)
    CW_REAL_NAME(cw_deposit_axis)(order, particle, a, start[a], &f[a]);
  if (dim == 1) CW_SINK_NAME(cw_deposit_esirkepov_1d)(order, f, particle, sink);
  if (dim == 2) CW_SINK_NAME(cw_deposit_esirkepov_2d)(order, f, particle, sink);
  if (dim == 3) CW_SINK_NAME(cw_deposit_esirkepov_3d)(order, f, sink);
}
