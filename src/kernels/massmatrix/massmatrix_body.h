/* Physics of one particle, in lanes: one real number (naive form, devices) or a vector of them.
 * Included after cw_lane (the type), CW_MM_LANE(name) (how its functions are called) are set.
 *
 * Moments. Along an axis every product of two CIC weights is one of b = ((1-x)^2, x (1-x), x^2).
 * For TSC let t be the offset from the nearest node, p = 1/2 - t, r = 1/2 + t; every product is a
 * sum of the five beta_j = p^(4-j) r^j with positive coefficients (massmatrix_write.h). All factors
 * are positive, so that nothing cancels. */

#ifndef CW_BODY
#define CW_BODY static inline __attribute__((always_inline))
#endif
#ifndef CW_MM_DIVIDE
#define CW_MM_DIVIDE(a, b) ((a) / (b))
#endif

/* x in [0, 1] from the cell's lower node (CIC), or from half a cell below the nearest node (TSC).
 */
CW_BODY void CW_MM_LANE(cw_mm_moments)(int order, cw_lane x, cw_lane *moment) {
  const cw_lane p = 1 - x, r = x;
  if (order == 1) {
    moment[0] = p * p;
    moment[1] = p * r;
    moment[2] = r * r;
  } else {
    const cw_lane pp = p * p, pr = p * r, rr = r * r;
    moment[0] = pp * pp;
    moment[1] = pp * pr;
    moment[2] = pp * rr;
    moment[3] = pr * rr;
    moment[4] = rr * rr;
  }
}

/* S at the order + 1 nodes of the same x. */
CW_BODY void CW_MM_LANE(cw_mm_weights)(int order, cw_lane x, cw_lane *weight) {
  const cw_lane p = 1 - x, r = x;
  if (order == 1) {
    weight[0] = p;
    weight[1] = r;
  } else {
    weight[0] = (cw_real)0.5 * (p * p);
    weight[1] = (cw_real)0.5 + p * r;
    weight[2] = (cw_real)0.5 * (r * r);
  }
}

/* alpha = factor [I - C(w) + w w^T] / (1 + |w|^2), C(w) u = w x u; row by row. */
CW_BODY void CW_MM_LANE(cw_mm_alpha)(const cw_lane *w, cw_lane factor, cw_lane *alpha) {
  const cw_lane s = CW_MM_DIVIDE(factor, 1 + w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  const cw_lane sx = s * w[0], sy = s * w[1], sz = s * w[2];
  const cw_lane xy = sx * w[1], xz = sx * w[2], yz = sy * w[2];
  alpha[0] = s + sx * w[0];
  alpha[1] = xy + sz;
  alpha[2] = xz - sy;
  alpha[3] = xy - sz;
  alpha[4] = s + sy * w[1];
  alpha[5] = yz + sx;
  alpha[6] = xz + sy;
  alpha[7] = yz - sx;
  alpha[8] = s + sz * w[2];
}

/* The 13 columns of one particle: beta q alpha, q alpha u, q. */
CW_BODY void CW_MM_LANE(cw_mm_columns)(cw_lane q, cw_real beta, const cw_lane *alpha,
                                       const cw_lane *u, cw_lane *column) {
  for (int c = 0; c < 9; c++)
    column[c] = beta * q * alpha[c];
  for (int a = 0; a < 3; a++)
    column[9 + a] = q * (alpha[3 * a] * u[0] + alpha[3 * a + 1] * u[1] + alpha[3 * a + 2] * u[2]);
  column[12] = q;
}
