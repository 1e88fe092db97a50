/* Sums over one run in the particles' precision. Included after deposit_vector.h. */
/* Where particle n's quad stands behind the first vector of an axis. */
CW_BODY uint32_t CW_REAL_NAME(cw_quad_place)(uint32_t n) {
  return ((n / LANES * 4 + n % 4) * BLOCKS + n % LANES / 4) * 4;
}

CW_BODY int CW_REAL_NAME(cw_plane_vectors)(int order) {
  return ((order < 3 ? order + 2 : 7) + BLOCKS - 1) / BLOCKS;
}

/* The factor of vector v of a plane along its fast axis, and along its slow one; `fifth` in all
 * lanes of `last`, order 3 only. */
CW_BODY cw_lanes CW_REAL_NAME(cw_fast)(cw_lanes repeated, cw_lanes last, int v) {
  const int block = v * BLOCKS;
  if (block < 4)
    return repeated;
  return CW_REAL_NAME(cw_place)(repeated, last, 5 - block);
}
CW_BODY cw_lanes CW_REAL_NAME(cw_slow)(cw_lanes repeated, cw_lanes last, int v) {
  const int block = v * BLOCKS;
  if (block < 4)
    return CW_REAL_NAME(cw_spread)(repeated, v);
  return CW_REAL_NAME(cw_place)(repeated, last, 4 - block);
}

/* Where particle n's P stands behind the first vector of an axis; node p's is p LANES behind. */
CW_BODY uint32_t CW_REAL_NAME(cw_lane_place)(uint32_t n) {
  return n / LANES * 4 * LANES + n % LANES;
}

/* The plane T T' + E E' of particle n over two axes, its vector v; the quads are repeated. */
CW_BODY cw_lanes CW_REAL_NAME(cw_plane)(int order, const cw_batch *batch, uint32_t n, int fast,
                                        int slow, int v) {
  const uint32_t place = CW_REAL_NAME(cw_quad_place)(n);
  const cw_lanes zero = {0};
  const cw_lanes T = CW_REAL_NAME(cw_repeat)((const cw_real *)batch->T[fast] + place);
  const cw_lanes E = CW_REAL_NAME(cw_repeat)((const cw_real *)batch->E[fast] + place);
  const cw_lanes T_ = CW_REAL_NAME(cw_repeat)((const cw_real *)batch->T[slow] + place);
  const cw_lanes E_ = CW_REAL_NAME(cw_repeat)((const cw_real *)batch->E[slow] + place);
  const cw_lanes T4 = order == 3 ? zero + batch->T4[fast][n] : zero;
  const cw_lanes E4 = order == 3 ? zero + batch->E4[fast][n] : zero;
  const cw_lanes T4_ = order == 3 ? zero + batch->T4[slow][n] : zero;
  const cw_lanes E4_ = order == 3 ? zero + batch->E4[slow][n] : zero;
  return CW_REAL_NAME(cw_fast)(T, T4, v) * CW_REAL_NAME(cw_slow)(T_, T4_, v) +
         CW_REAL_NAME(cw_fast)(E, E4, v) * CW_REAL_NAME(cw_slow)(E_, E4_, v);
}

/* sums[c][p][v] += P[p] plane over the run, for components [first, last). The axes of a plane are
 * those across its component, the lower one fast. */
CW_BODY void CW_REAL_NAME(cw_sum_components)(int order, int first, int last, const cw_batch *batch,
                                             cw_run run, cw_lanes (*sums)[4][VECTORS]) {
  const int vectors = CW_REAL_NAME(cw_plane_vectors)(order);
  const cw_lanes zero = {0};
  cw_lanes sum[3][4][VECTORS];
  for (int c = first; c < last; c++)
    for (int p = 0; p <= order; p++)
      for (int v = 0; v < vectors; v++)
        sum[c][p][v] = zero;
  for (int w = 0; w < RUN_WORDS; w++)
    for (uint64_t bits = run.word[w]; bits; bits &= bits - 1) {
      const uint32_t n = 64 * (uint32_t)w + (uint32_t)__builtin_ctzll(bits);
      for (int c = first; c < last; c++) {
        const cw_real *P = (const cw_real *)batch->P[c] + CW_REAL_NAME(cw_lane_place)(n);
        for (int v = 0; v < vectors; v++) {
          const cw_lanes plane = CW_REAL_NAME(cw_plane)(order, batch, n, c == 0, c == 2 ? 1 : 2, v);
          for (int p = 0; p <= order; p++)
            sum[c][p][v] += plane * P[p * LANES];
        }
      }
    }
  for (int c = first; c < last; c++)
    for (int p = 0; p <= order; p++)
      for (int v = 0; v < vectors; v++)
        sums[c][p][v] = sum[c][p][v];
}

/* Lane of the pair (f, s) in a plane. */
CW_BODY int CW_REAL_NAME(cw_plane_lane)(int f, int s) {
  return s < 4 ? (f < 4 ? 4 * s + f : 16 + s) : f < 4 ? 20 + f : 24;
}

/* row[0 .. n) += the lanes of slow node s. */
CW_BODY void CW_REAL_NAME(cw_add_row)(cw_real *row, int n, const cw_real *plane, int s) {
  if (n >= 4) {
    cw_quad sum, part;
    memcpy(&sum, row, sizeof sum);
    memcpy(&part, plane + CW_REAL_NAME(cw_plane_lane)(0, s), sizeof part);
    sum += part;
    memcpy(row, &sum, sizeof sum);
  }
  for (int f = n >= 4 ? 4 : 0; f < n; f++)
    row[f] += plane[CW_REAL_NAME(cw_plane_lane)(f, s)];
}

CW_BODY void CW_REAL_NAME(cw_add_quad)(cw_real *row, const cw_real *part) {
  cw_quad sum, more;
  memcpy(&sum, row, sizeof sum);
  memcpy(&more, part, sizeof more);
  sum += more;
  memcpy(row, &sum, sizeof sum);
}

/* Component 0, whose planes lie across its rows: order 1, a value at a time. */
CW_BODY void CW_REAL_NAME(cw_add_across)(int order, cw_lanes (*sums)[VECTORS], cw_real *J,
                                         int64_t s1, int64_t s2) {
  for (int k = 0; k < order + 2; k++)
    for (int j = 0; j < order + 2; j++)
      for (int i = 0; i <= order; i++)
        J[i + j * s1 + k * s2] += ((const cw_real *)sums[i])[CW_REAL_NAME(cw_plane_lane)(j, k)];
}

/* Orders 2 and 3: the planes are transposed to rows of four, of which order 2 needs three: its
 * fourth is zero and still within the window. */
CW_BODY void CW_REAL_NAME(cw_add_rows)(int order, cw_lanes (*sums)[VECTORS], cw_real *J, int64_t s1,
                                       int64_t s2) {
  const cw_lanes zero = {0};
  for (int v = 0; v < CW_REAL_NAME(cw_plane_vectors)(order); v++) {
    cw_lanes rows[4] = {sums[0][v], sums[1][v], sums[2][v], order == 3 ? sums[3][v] : zero};
    CW_REAL_NAME(cw_transpose)(rows);
    for (int b = 0; b < BLOCKS; b++)
      for (int m = 0; m < 4; m++) {
        const int block = v * BLOCKS + b;
        const int j = block < 4 || block == 5 ? m : 4, k = block < 4 ? block : block == 4 ? m : 4;
        if (block < 6 || (block == 6 && m == 0))
          CW_REAL_NAME(cw_add_quad)(J + j * s1 + k * s2, (const cw_real *)&rows[m] + 4 * b);
      }
  }
}

/* A pass over the run a component, or one pass where all sums fit in registers. */
CW_BODY void CW_REAL_NAME(cw_sum_run_3d)(int order, const cw_batch *batch, cw_run run, int64_t at,
                                         const cw_deposit_target *target) {
  const int64_t s1 = target->stride[1], s2 = target->stride[2];
  cw_lanes sums[3][4][VECTORS];
  if (CW_VECTOR_BYTES == 64 && order < 3) {
    CW_REAL_NAME(cw_sum_components)(order, 0, 3, batch, run, sums);
  } else {
    CW_REAL_NAME(cw_sum_components)(order, 0, 1, batch, run, sums);
    CW_REAL_NAME(cw_sum_components)(order, 1, 2, batch, run, sums);
    CW_REAL_NAME(cw_sum_components)(order, 2, 3, batch, run, sums);
  }
  if (order > 1)
    CW_REAL_NAME(cw_add_rows)(order, sums[0], (cw_real *)target->component[0] + at, s1, s2);
  else
    CW_REAL_NAME(cw_add_across)(order, sums[0], (cw_real *)target->component[0] + at, s1, s2);
  cw_real *J2 = (cw_real *)target->component[1] + at;
  for (int k = 0; k < order + 2; k++)
    for (int j = 0; j <= order; j++)
      CW_REAL_NAME(cw_add_row)(J2 + j * s1 + k * s2, order + 2, (const cw_real *)sums[1][j], k);
  cw_real *J3 = (cw_real *)target->component[2] + at;
  for (int k = 0; k <= order; k++)
    for (int j = 0; j < order + 2; j++)
      CW_REAL_NAME(cw_add_row)(J3 + j * s1 + k * s2, order + 2, (const cw_real *)sums[2][k], j);
}

/* 2D: vector v of the planes (x, y) of particle n: J1 = P1 T2, J2 = T1 P2, J3 = flow (T1 T2 + E1
 * E2), with the powers of two in the flow. P has no fifth node. */
CW_BODY void CW_REAL_NAME(cw_values_2d)(int order, const cw_batch *batch, uint32_t n, int v,
                                        cw_lanes values[3]) {
  const uint32_t place = CW_REAL_NAME(cw_quad_place)(n);
  const cw_lanes zero = {0};
  const cw_lanes T1 = CW_REAL_NAME(cw_repeat)((const cw_real *)batch->T[0] + place);
  const cw_lanes E1 = CW_REAL_NAME(cw_repeat)((const cw_real *)batch->E[0] + place);
  const cw_lanes P1 = CW_REAL_NAME(cw_repeat)((const cw_real *)batch->P[0] + place);
  const cw_lanes T2 = CW_REAL_NAME(cw_repeat)((const cw_real *)batch->T[1] + place);
  const cw_lanes E2 = CW_REAL_NAME(cw_repeat)((const cw_real *)batch->E[1] + place);
  const cw_lanes P2 = CW_REAL_NAME(cw_repeat)((const cw_real *)batch->P[1] + place);
  const cw_lanes T14 = order == 3 ? zero + batch->T4[0][n] : zero;
  const cw_lanes E14 = order == 3 ? zero + batch->E4[0][n] : zero;
  const cw_lanes T24 = order == 3 ? zero + batch->T4[1][n] : zero;
  const cw_lanes E24 = order == 3 ? zero + batch->E4[1][n] : zero;
  const cw_lanes Tf = CW_REAL_NAME(cw_fast)(T1, T14, v), Ts = CW_REAL_NAME(cw_slow)(T2, T24, v);
  const cw_lanes Ef = CW_REAL_NAME(cw_fast)(E1, E14, v), Es = CW_REAL_NAME(cw_slow)(E2, E24, v);
  values[0] = CW_REAL_NAME(cw_fast)(P1, zero, v) * Ts;
  values[1] = Tf * CW_REAL_NAME(cw_slow)(P2, zero, v);
  values[2] = batch->flow[2][n] * (Tf * Ts + Ef * Es);
}

CW_BODY void CW_REAL_NAME(cw_sum_run_2d)(int order, const cw_batch *batch, cw_run run, int64_t at,
                                         const cw_deposit_target *target) {
  const int vectors = CW_REAL_NAME(cw_plane_vectors)(order);
  const cw_lanes zero = {0};
  cw_lanes sums[3][VECTORS];
  for (int c = 0; c < 3; c++)
    for (int v = 0; v < vectors; v++)
      sums[c][v] = zero;
  for (int w = 0; w < RUN_WORDS; w++)
    for (uint64_t bits = run.word[w]; bits; bits &= bits - 1) {
      const uint32_t n = 64 * (uint32_t)w + (uint32_t)__builtin_ctzll(bits);
      for (int v = 0; v < vectors; v++) {
        cw_lanes values[3];
        CW_REAL_NAME(cw_values_2d)(order, batch, n, v, values);
        for (int c = 0; c < 3; c++)
          sums[c][v] += values[c];
      }
    }
  for (int c = 0; c < 3; c++)
    for (int j = 0; j < (c == 1 ? order + 1 : order + 2); j++)
      CW_REAL_NAME(cw_add_row)
  ((cw_real *)target->component[c] + at + j * target->stride[1], c == 0 ? order + 1 : order + 2,
   (const cw_real *)sums[c], j);
}
