/* Runs of particles with the same window, summed in vector registers; orders 1 to 3, 2D and 3D.
 * Included after deposit_load.h, once a precision, with CW_VECTOR_BYTES set. The factors of each
 * particle come from deposit_body.h; the plain loop over it is this file's oracle.
 *
 *     for each batch of consecutive slots                                         (this file)
 *       factors U, D/sqrt(3), P of all its particles, a lane a particle; transposed to quads
 *       for each window that particles of the batch have                 (deposit_vector_sum.h)
 *         sum the run's planes in registers, add them to the target once
 *
 * A plane holds one value for each pair of nodes (f, s) of two axes, the fast and the slow one, in
 * blocks of four lanes:
 *
 *     block    0        1        2        3      |    4          5         6
 *     f, s   0-3, 0   0-3, 1   0-3, 2   0-3, 3   | 4, 0-3   0-3, 4   4, 4 ...
 *
 * Orders 1 and 2 (windows of 3 and 4 nodes) need the first three or four; order 3 (5 nodes) needs
 * seven. With T3 = U3, E3 = D3/sqrt(3) and so on, a value is P (T T' + E E')/4; the quarter is part
 * of P (in 2D, where two components are P T/2, of its flow). */

#define cw_lanes CW_REAL_NAME(cw_lanes)
#define cw_batch CW_REAL_NAME(cw_deposit_batch)
enum {
  CW_REAL_NAME(LANES) = CW_VECTOR_BYTES / (int)sizeof(cw_real),
  CW_REAL_NAME(BLOCKS) = CW_REAL_NAME(LANES) / 4,
  CW_REAL_NAME(BATCH) = 512 / (int)sizeof(cw_real),
  CW_REAL_NAME(GROUPS) = CW_REAL_NAME(BATCH) / CW_REAL_NAME(LANES),
  CW_REAL_NAME(MAX_VECTORS) = 8 / CW_REAL_NAME(BLOCKS),
  CW_REAL_NAME(BATCH_WORDS) = CW_REAL_NAME(BATCH) / 64
};
#define LANES     CW_REAL_NAME(LANES)
#define BLOCKS    CW_REAL_NAME(BLOCKS)
#define BATCH     CW_REAL_NAME(BATCH)
#define GROUPS    CW_REAL_NAME(GROUPS)
#define VECTORS   CW_REAL_NAME(MAX_VECTORS)
#define RUN_WORDS CW_REAL_NAME(BATCH_WORDS)

typedef cw_real cw_lanes __attribute__((vector_size(CW_VECTOR_BYTES)));
typedef cw_real CW_REAL_NAME(cw_quad) __attribute__((vector_size(4 * sizeof(cw_real))));
#define cw_quad CW_REAL_NAME(cw_quad)

/* Factors [axis][group][node 0-3][lane]; transposed in place (P in 2D only) to the quads of the
 * group's particles: lanes 4 b .. 4 b + 3 of row m are particle 4 b + m's. */
typedef struct cw_batch {
  cw_lanes T[3][GROUPS][4], E[3][GROUPS][4], P[3][GROUPS][4];
  cw_real T4[3][BATCH], E4[3][BATCH];           /* the fifth node of order 3 */
  cw_real flow[3][BATCH];                       /* as the particle's in deposit_body.h */
  cw_real s_shift[3][BATCH], t_shift[3][BATCH]; /* 1: the old, new shape starts a node higher */
  int32_t at[BATCH], bad[BATCH], missed[BATCH]; /* see cw_locate */
  int32_t i_prev[3][BATCH], i[3][BATCH];
  cw_real dx_prev[3][BATCH], dx[3][BATCH], u[3][BATCH], weight[BATCH];
  uint8_t tag[BATCH];
} cw_batch;

/* All bits of a lane set or clear, as comparisons give. */
typedef cw_int_of_real CW_REAL_NAME(cw_lane_mask) __attribute__((vector_size(CW_VECTOR_BYTES)));
#define cw_lane_mask CW_REAL_NAME(cw_lane_mask)

CW_BODY cw_lanes CW_REAL_NAME(cw_select)(cw_lane_mask mask, cw_lanes a, cw_lanes b) {
  return (cw_lanes)(((cw_lane_mask)a & mask) | ((cw_lane_mask)b & ~mask));
}

/* Four numbers in every block. */
CW_BODY cw_lanes CW_REAL_NAME(cw_repeat)(const cw_real *quad) {
#if CW_VECTOR_BYTES == 64 && !CW_REAL_IS_DOUBLE
  return _mm512_broadcast_f32x4(_mm_load_ps(quad));
#elif CW_VECTOR_BYTES == 64
  return _mm512_broadcast_f64x4(_mm256_load_pd(quad));
#elif !CW_REAL_IS_DOUBLE
  return _mm256_broadcast_ps((const __m128 *)quad);
#else
  return _mm256_load_pd(quad);
#endif
}

/* From four numbers in every block, number s in all of block s, for the blocks of vector v. */
CW_BODY cw_lanes CW_REAL_NAME(cw_spread)(cw_lanes q, int v) {
#if CW_VECTOR_BYTES == 64 && !CW_REAL_IS_DOUBLE
  (void)v;
  return __builtin_shufflevector(q, q, 0, 0, 0, 0, 5, 5, 5, 5, 10, 10, 10, 10, 15, 15, 15, 15);
#elif CW_VECTOR_BYTES == 64 || !CW_REAL_IS_DOUBLE
  return v == 0 ? __builtin_shufflevector(q, q, 0, 0, 0, 0, 5, 5, 5, 5)
                : __builtin_shufflevector(q, q, 2, 2, 2, 2, 7, 7, 7, 7);
#else
  return v == 0   ? __builtin_shufflevector(q, q, 0, 0, 0, 0)
         : v == 1 ? __builtin_shufflevector(q, q, 1, 1, 1, 1)
         : v == 2 ? __builtin_shufflevector(q, q, 2, 2, 2, 2)
                  : __builtin_shufflevector(q, q, 3, 3, 3, 3);
#endif
}

/* Block `block` from x, the others from y; block counts from the vector's first, and no block is
 * meant if it is not in the vector. */
CW_BODY cw_lanes CW_REAL_NAME(cw_place)(cw_lanes x, cw_lanes y, int block) {
#if CW_VECTOR_BYTES == 64 && !CW_REAL_IS_DOUBLE
  if (block == 0)
    return __builtin_shufflevector(x, y, 0, 1, 2, 3, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
                                   31);
  if (block == 1)
    return __builtin_shufflevector(x, y, 16, 17, 18, 19, 4, 5, 6, 7, 24, 25, 26, 27, 28, 29, 30,
                                   31);
#elif CW_VECTOR_BYTES == 64 || !CW_REAL_IS_DOUBLE
  if (block == 0)
    return __builtin_shufflevector(x, y, 0, 1, 2, 3, 12, 13, 14, 15);
  if (block == 1)
    return __builtin_shufflevector(x, y, 8, 9, 10, 11, 4, 5, 6, 7);
#else
  if (block == 0)
    return x;
#endif
  return y;
}

CW_BODY void CW_REAL_NAME(cw_transpose)(cw_lanes *w) {
#if CW_VECTOR_BYTES == 64 && !CW_REAL_IS_DOUBLE
#define PAIR(a, b, x, y)                                                                           \
  __builtin_shufflevector(a, b, x, 16 + x, y, 16 + y, 4 + x, 20 + x, 4 + y, 20 + y, 8 + x, 24 + x, \
                          8 + y, 24 + y, 12 + x, 28 + x, 12 + y, 28 + y)
#define JOIN(a, b, x)                                                                              \
  __builtin_shufflevector(a, b, x, x + 1, 16 + x, 17 + x, 4 + x, 5 + x, 20 + x, 21 + x, 8 + x,     \
                          9 + x, 24 + x, 25 + x, 12 + x, 13 + x, 28 + x, 29 + x)
#elif CW_VECTOR_BYTES == 64 || !CW_REAL_IS_DOUBLE
#define PAIR(a, b, x, y)                                                                           \
  __builtin_shufflevector(a, b, x, 8 + x, y, 8 + y, 4 + x, 12 + x, 4 + y, 12 + y)
#define JOIN(a, b, x)                                                                              \
  __builtin_shufflevector(a, b, x, x + 1, 8 + x, 9 + x, 4 + x, 5 + x, 12 + x, 13 + x)
#else
#define PAIR(a, b, x, y) __builtin_shufflevector(a, b, x, 4 + x, y, 4 + y)
#define JOIN(a, b, x)    __builtin_shufflevector(a, b, x, x + 1, 4 + x, 5 + x)
#endif
  const cw_lanes a = PAIR(w[0], w[1], 0, 1), b = PAIR(w[2], w[3], 0, 1);
  const cw_lanes c = PAIR(w[0], w[1], 2, 3), d = PAIR(w[2], w[3], 2, 3);
  w[0] = JOIN(a, b, 0);
  w[1] = JOIN(a, b, 2);
  w[2] = JOIN(c, d, 0);
  w[3] = JOIN(c, d, 2);
#undef PAIR
#undef JOIN
}

/* Copies the raw values of the batch's slots side by side. */
CW_BODY void CW_REAL_NAME(cw_gather)(int dim, const cw_particles_view *view, const int64_t *slots,
                                     int64_t first, int count, cw_batch *batch) {
  for (int n = 0; n < BATCH; n++) {
    /* lanes behind the last particle repeat it, marked as dead */
    const int64_t place = first + (n < count ? n : count - 1);
    const int64_t slot = slots ? slots[place] : place;
    for (int a = 0; a < dim; a++) {
      batch->i_prev[a][n] = view->i_prev[a][slot];
      batch->i[a][n] = view->i[a][slot];
      batch->dx_prev[a][n] = ((const cw_real *)view->dx_prev[a])[slot];
      batch->dx[a][n] = ((const cw_real *)view->dx[a])[slot];
    }
    for (int c = 0; dim < 3 && c < 3; c++)
      batch->u[c][n] = ((const cw_real *)view->u[c])[slot];
    batch->weight[n] = view->weight ? ((const cw_real *)view->weight)[slot] : 1;
    batch->tag[n] = n >= count ? CW_TAG_DEAD : view->tag ? view->tag[slot] : CW_TAG_ALIVE;
  }
}

/* A view of the batch's particles: the arrays themselves where they can be read a vector at a
 * time, otherwise the gathered copies. */
CW_BODY cw_particles_view CW_REAL_NAME(cw_batch_view)(int dim, const cw_particles_view *view,
                                                      const int64_t *slots, int64_t first,
                                                      int count, cw_batch *batch) {
  cw_particles_view part = {.count = count};
  const int direct = !slots && count == BATCH;
  if (!direct)
    CW_REAL_NAME(cw_gather)(dim, view, slots, first, count, batch);
  for (int a = 0; a < dim; a++) {
    part.i_prev[a] = direct ? view->i_prev[a] + first : batch->i_prev[a];
    part.i[a] = direct ? view->i[a] + first : batch->i[a];
    part.dx_prev[a] = direct ? (cw_real *)view->dx_prev[a] + first : batch->dx_prev[a];
    part.dx[a] = direct ? (cw_real *)view->dx[a] + first : batch->dx[a];
  }
  for (int c = 0; dim < 3 && c < 3; c++)
    part.u[c] = direct ? (cw_real *)view->u[c] + first : batch->u[c];
  if (direct)
    for (int n = 0; n < BATCH; n++)
      batch->weight[n] = view->weight ? ((const cw_real *)view->weight)[first + n] : 1;
  part.tag = !direct ? batch->tag : view->tag ? view->tag + first : NULL;
  return part;
}

/* Flows, in quanta (1 if the sums are real), and which of them are finite. */
CW_BODY void CW_REAL_NAME(cw_flows)(int dim, const cw_particles_view *part, const cw_real *scale,
                                    const cw_real *quanta, cw_batch *batch) {
  const cw_real scale0 = scale[0], scale1 = scale[1], scale2 = scale[2];
  const cw_real quanta0 = quanta[0], quanta1 = quanta[1], quanta2 = quanta[2];
#pragma omp simd
  for (int n = 0; n < BATCH; n++) {
    const cw_real weight = batch->weight[n];
    batch->flow[0][n] = scale0 * weight * quanta0;
    batch->flow[1][n] = scale1 * weight * quanta1;
    batch->flow[2][n] = scale2 * weight * quanta2;
  }
  if (dim == 2) {
    const cw_real *u0 = part->u[0], *u1 = part->u[1], *u2 = part->u[2];
#pragma omp simd
    for (int n = 0; n < BATCH; n++) {
      const cw_real square = 1 + u0[n] * u0[n] + u1[n] * u1[n] + u2[n] * u2[n];
      batch->flow[2][n] *= u2[n] / CW_REAL_NAME(cw_deposit_sqrt)(square);
    }
  }
#pragma omp simd
  for (int n = 0; n < BATCH; n++) {
    const cw_real sum = batch->flow[0][n] + batch->flow[1][n] + batch->flow[2][n];
    batch->bad[n] = sum - sum != 0;
    batch->missed[n] = 0;
    batch->at[n] = 0;
  }
}

/* What depends on the cells along one axis: shifts, validity, and the window's place. */
CW_BODY void CW_REAL_NAME(cw_locate_axis)(int order, int axis, const cw_particles_view *part,
                                          const cw_deposit_target *target, cw_batch *batch) {
  const int32_t *i_prev = part->i_prev[axis], *i = part->i[axis];
  const cw_real *dx_prev = part->dx_prev[axis], *dx = part->dx[axis];
  const int32_t low = target->low[axis], last = target->high[axis] - (order + 2);
  const int32_t stride = (int32_t)target->stride[axis];
#pragma omp simd
  for (int n = 0; n < BATCH; n++) {
    const CW_REAL_NAME(cw_deposit_particle)
        particle = {.i_prev = {i_prev[n]}, .i = {i[n]}, .dx_prev = {dx_prev[n]}, .dx = {dx[n]}};
    const int32_t s = CW_REAL_NAME(cw_deposit_first_node)(order, i_prev[n], dx_prev[n]);
    const int32_t t = CW_REAL_NAME(cw_deposit_first_node)(order, i[n], dx[n]);
    const int32_t start = s < t ? s : t;
    batch->s_shift[axis][n] = (cw_real)(s != start);
    batch->t_shift[axis][n] = (cw_real)(t != start);
    batch->bad[n] |= !CW_REAL_NAME(cw_deposit_axis_valid)(order, &particle, 0);
    batch->missed[n] |= (start < low) | (start > last);
    batch->at[n] += (int32_t)(((uint32_t)start - (uint32_t)low) * (uint32_t)stride);
  }
}

/* Where each particle goes, at[n]: its window's first node in the target, or DEAD, MISSED (it does
 * not fit) or BAD. */
CW_BODY void CW_REAL_NAME(cw_locate)(int dim, int order, const cw_particles_view *part,
                                     const cw_real *scale, const cw_real *quanta,
                                     const cw_deposit_target *target, cw_batch *batch) {
  CW_REAL_NAME(cw_flows)(dim, part, scale, quanta, batch);
  for (int a = 0; a < dim; a++)
    CW_REAL_NAME(cw_locate_axis)(order, a, part, target, batch);
#pragma omp simd
  for (int n = 0; n < BATCH; n++)
    batch->at[n] = batch->missed[n] ? MISSED : batch->bad[n] ? BAD : batch->at[n];
  if (part->tag)
    for (int n = 0; n < BATCH; n++)
      if (part->tag[n] == CW_TAG_DEAD)
        batch->at[n] = DEAD;
}

#define CW_SHAPE_TYPE       cw_lanes
#define CW_SHAPE_NAME(name) CW_REAL_NAME(name##_lanes)
#include "kernels/shape_recursion.h"
#define CW_SHAPE_TYPE         cw_lanes
#define CW_SHAPE_NAME(name)   CW_REAL_NAME(name##_lanes)
#define CW_MASK               cw_lane_mask
#define CW_SELECT(mask, a, b) CW_REAL_NAME(cw_select)(mask, a, b)
#include "kernels/deposit/deposit_factors.h"

CW_BODY cw_lanes CW_REAL_NAME(cw_load_lanes)(const void *array, int n) {
  cw_lanes lanes;
  memcpy(&lanes, (const cw_real *)array + n, sizeof lanes);
  return lanes;
}

/* cw_shape_knot_offset of every lane. */
CW_BODY cw_lanes CW_REAL_NAME(cw_knot_offsets)(int order, cw_lanes dx) {
  const cw_lanes half = (dx - dx) + (cw_real)0.5;
  return order % 2 ? dx : dx + CW_REAL_NAME(cw_select)(dx >= half, -half, half);
}

CW_BODY void CW_REAL_NAME(cw_factors)(int dim, int order, const cw_particles_view *part,
                                      cw_batch *batch) {
  const cw_real root = (cw_real)0.57735026918962576451; /* 1/sqrt(3) */
  const cw_lanes zero = {0};
  for (int a = 0; a < dim; a++)
    for (int g = 0; g < GROUPS; g++) {
      const int n = g * LANES;
      const cw_lanes dx_prev = CW_REAL_NAME(cw_load_lanes)(part->dx_prev[a], n);
      const cw_lanes dx = CW_REAL_NAME(cw_load_lanes)(part->dx[a], n);
      cw_lanes s[5], t[5], U[5], D[5], P[5];
      CW_REAL_NAME(cw_shape_recursion_lanes)
      (order, CW_REAL_NAME(cw_knot_offsets)(order, dx_prev), s);
      CW_REAL_NAME(cw_shape_recursion_lanes)(order, CW_REAL_NAME(cw_knot_offsets)(order, dx), t);
      CW_REAL_NAME(cw_deposit_window_factors_lanes)
      (order, s, CW_REAL_NAME(cw_load_lanes)(batch->s_shift[a], n) > zero, t,
       CW_REAL_NAME(cw_load_lanes)(batch->t_shift[a], n) > zero,
       CW_REAL_NAME(cw_load_lanes)(batch->flow[a], n), U, D, P);
      cw_lanes T[4], E[4];
      for (int k = 0; k < 4; k++) {
        T[k] = k < order + 2 ? U[k] : zero;
        E[k] = k < order + 2 ? root * D[k] : zero;
        P[k] = k < order + 1 ? P[k] : zero;
      }
      CW_REAL_NAME(cw_transpose)(T);
      CW_REAL_NAME(cw_transpose)(E);
      if (dim == 2)
        CW_REAL_NAME(cw_transpose)(P);
      memcpy(batch->T[a][g], T, sizeof T);
      memcpy(batch->E[a][g], E, sizeof E);
      memcpy(batch->P[a][g], P, (dim == 2 ? 4 : (size_t)order + 1) * sizeof *P);
      if (order == 3) {
        const cw_lanes E4 = root * D[4];
        memcpy(&batch->T4[a][n], &U[4], sizeof U[4]);
        memcpy(&batch->E4[a][n], &E4, sizeof E4);
      }
    }
}
