/* P of one axis from the path itself. Included by deposit_body.h after shape_body.h.
 *
 * P[i], the sum of T - S up to node i, is what flows from node i to node i + 1. The derivative of a
 * B-spline of degree p is the difference of two of degree p - 1, so the sums collapse to
 *     P[i] = - integral from the old to the new position of B_{p-1}(x - i - 1/2) dx:
 * the length of the path times a mean of positive weights, where the sum of differences of weights
 * loses the digits that a short path has fewer than the cell. A path that passes a knot is two
 * pieces; on a piece the spline is a polynomial, whose mean is its value in the middle (degrees 0
 * and 1), that with length^2/24 times the second derivative (degree 2), or Gauss's sum. */

/* Distances of a particle from the knots below and above it, each without the other's rounding. */
typedef struct CW_REAL_NAME(cw_deposit_knots) {
  cw_real below, above;
} CW_REAL_NAME(cw_deposit_knots);

CW_BODY CW_REAL_NAME(cw_deposit_knots) CW_REAL_NAME(cw_deposit_between)(int order, cw_real dx) {
  const cw_real half = (cw_real)0.5, one = 1;
  CW_REAL_NAME(cw_deposit_knots) knots;
  const int upper = dx >= half;
  knots.below = order % 2 ? dx : upper ? dx - half : dx + half;
  knots.above = order % 2 ? one - dx : upper ? one + half - dx : half - dx;
  return knots;
}

/* new - old position, in cells, to a rounding of itself. */
CW_BODY cw_real CW_REAL_NAME(cw_deposit_move)(int32_t cells, cw_real dx_prev, cw_real dx) {
  const cw_real one = 1;
  return cells == 0 ? dx - dx_prev : cells > 0 ? (one - dx_prev) + dx : (dx - one) - dx_prev;
}

/* Gauss-Legendre on [-1, 1]: the positive halves of 2 to 6 points, exact to degree 11. */
CW_BODY int CW_REAL_NAME(cw_deposit_gauss)(int points, const double **nodes,
                                           const double **weights) {
  static const double x[] = {0.577350269189625765, 0.0,
                             0.774596669241483377, 0.339981043584856265,
                             0.861136311594052575, 0.0,
                             0.538469310105683091, 0.906179845938663993,
                             0.238619186083196909, 0.661209386466264514,
                             0.932469514203152028};
  static const double w[] = {0.5,
                             0.444444444444444444,
                             0.277777777777777778,
                             0.326072577431273071,
                             0.173927422568726929,
                             0.284444444444444444,
                             0.239314335249683234,
                             0.118463442528094544,
                             0.233956967286345524,
                             0.180380786524069304,
                             0.085662246189585173}; /* they sum to 1 */
  static const int first[] = {0, 1, 3, 5, 8};
  *nodes = x + first[points - 2];
  *weights = w + first[points - 2];
  return (points + 1) / 2;
}

/* flux[n] += length times the mean of weight n of degree order - 1 between two places of one knot
 * interval, given by their distances from its lower knot; order > 3. */
CW_BODY void CW_REAL_NAME(cw_deposit_gauss_piece)(int order, cw_real from, cw_real to,
                                                  cw_real length, cw_real *flux) {
  const cw_real half = (cw_real)0.5, middle = half * (from + to), reach = half * (to - from);
  const double *nodes, *weights;
  const int halves = CW_REAL_NAME(cw_deposit_gauss)((order + 1) / 2, &nodes, &weights);
  for (int g = 0; g < halves; g++)
    for (int side = 0; side < (nodes[g] > 0 ? 2 : 1); side++) {
      const cw_real away = reach * (cw_real)nodes[g];
      const cw_real share = length * (cw_real)weights[g];
      cw_real w[CW_MAX_SHAPE_ORDER + 1];
      CW_REAL_NAME(cw_shape_recursion)(order - 1, side ? middle - away : middle + away, w);
      for (int n = 0; n < order; n++)
        flux[n] += share * w[n];
    }
}

/* The same, into flux[0 .. order); any order. */
CW_BODY void CW_REAL_NAME(cw_deposit_piece)(int order, cw_real from, cw_real to, cw_real length,
                                            cw_real *flux) {
  flux[0] = 0;
  for (int n = 1; n < order; n++)
    flux[n] = 0;
  if (order > 3) {
    CW_REAL_NAME(cw_deposit_gauss_piece)(order, from, to, length, flux);
    return;
  }
  cw_real w[4] = {1, 0, 0, 0};
  if (order > 1)
    CW_REAL_NAME(cw_shape_recursion)(order - 1, (cw_real)0.5 * (from + to), w);
  if (order == 3) { /* second derivatives 1, -2, 1 */
    const cw_real bend = length * length * (cw_real)(1.0 / 24);
    w[0] += bend;
    w[1] -= bend + bend;
    w[2] += bend;
  }
  for (int n = 0; n < order; n++)
    flux[n] = length * w[n];
}

/* flux[0 .. order] = -P[0 .. order] on the window that begins at the lower of the two
 * shapes' first nodes; nodes: the new one less the old one, -1, 0 or 1. */
CW_BODY void CW_REAL_NAME(cw_deposit_fluxes)(int order, int32_t cells, int nodes, cw_real dx_prev,
                                             cw_real dx, cw_real *flux) {
  const CW_REAL_NAME(cw_deposit_knots) old = CW_REAL_NAME(cw_deposit_between)(order, dx_prev);
  const CW_REAL_NAME(cw_deposit_knots) now = CW_REAL_NAME(cw_deposit_between)(order, dx);
  cw_real first[CW_MAX_SHAPE_ORDER + 1], second[CW_MAX_SHAPE_ORDER + 1];
  const cw_real end = nodes > 0 ? (cw_real)1 : (cw_real)0;
  CW_REAL_NAME(cw_deposit_piece)
  (order, old.below, nodes ? end : now.below,
   nodes == 0  ? CW_REAL_NAME(cw_deposit_move)(cells, dx_prev, dx)
   : nodes > 0 ? old.above
               : -old.below,
   first);
  if (nodes == 0) {
    for (int n = 0; n < order; n++)
      flux[n] = first[n];
    flux[order] = 0;
    return;
  }
  CW_REAL_NAME(cw_deposit_piece)
  (order, 1 - end, now.below, nodes > 0 ? now.below : -now.above, second);
  const cw_real *lower = nodes > 0 ? first : second, *upper = nodes > 0 ? second : first;
  flux[0] = lower[0];
  for (int n = 1; n < order; n++)
    flux[n] = lower[n] + upper[n - 1];
  flux[order] = upper[order - 1];
}
