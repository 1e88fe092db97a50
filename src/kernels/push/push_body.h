/* The physics of one particle's step: shape weights, momentum, position. The only copy, written in
 * lanes (push_lane.h): one particle, or a register of particles. No loops over particles here.
 *
 * Momentum u = gamma v / c; e and b are force_scale / 2 times E and B, so that half an electric
 * kick is u + e, and a magnetic rotation by the vector t = b / gamma turns u by 2 atan|t|. */

CW_BODY cw_lane CW_LANE_NAME(cw_dot)(cw_lane3 p, cw_lane3 q) {
  return p.x * q.x + p.y * q.y + p.z * q.z;
}

CW_BODY cw_lane3 CW_LANE_NAME(cw_cross)(cw_lane3 p, cw_lane3 q) {
  cw_lane3 r = {p.y * q.z - p.z * q.y, p.z * q.x - p.x * q.z, p.x * q.y - p.y * q.x};
  return r;
}

/* p + s q */
CW_BODY cw_lane3 CW_LANE_NAME(cw_add_scaled)(cw_lane3 p, cw_lane s, cw_lane3 q) {
  cw_lane3 r = {p.x + s * q.x, p.y + s * q.y, p.z + s * q.z};
  return r;
}

CW_BODY cw_lane3 CW_LANE_NAME(cw_scale3)(cw_lane s, cw_lane3 q) {
  cw_lane3 r = {s * q.x, s * q.y, s * q.z};
  return r;
}

/* The order + 1 values of a B-spline at t in [0, 1] from the start of its knot interval: value j
 * belongs to the j-th node of the support. Cox-de Boor recursion, whose terms are all positive:
 *   B_j^p(t) = ((t + p - j) B_{j-1}^{p-1}(t) + (1 - t + j) B_j^{p-1}(t)) / p. */
CW_BODY void CW_LANE_NAME(cw_spline)(int order, cw_lane t, cw_lane *w) {
  cw_lane rest = (cw_real)1 - t;
  w[0] = CW_LANE_NAME(cw_splat)(1);
  for (int p = 1; p <= order; p++) {
    cw_real inverse = (cw_real)1 / (cw_real)p;
    w[p] = inverse * t * w[p - 1];
    for (int j = p - 1; j > 0; j--)
      w[j] = inverse * ((t + (cw_real)(p - j)) * w[j - 1] + (rest + (cw_real)j) * w[j]);
    w[0] = inverse * rest * w[0];
  }
}

/* Primal and dual weights along an axis of a particle at offset dx in its cell. With the base
 *   base = cell (odd order), nearest node = cell + (dx >= 1/2) (even order)
 * primal values belong to nodes base - order/2 onwards, dual ones to half-nodes
 * base - order/2 - 1 + up onwards; `up` is dx >= 1/2 for odd orders and dx < 1/2 for even ones. */
CW_BODY void CW_LANE_NAME(cw_axis_weights)(int order, cw_lane dx, cw_lane *primal, cw_lane *dual) {
  cw_lane shifted = CW_LANE_SELECT(dx >= (cw_real)0.5, dx - (cw_real)0.5, dx + (cw_real)0.5);
  CW_LANE_NAME(cw_spline)(order, order % 2 ? dx : shifted, primal);
  CW_LANE_NAME(cw_spline)(order, order % 2 ? shifted : dx, dual);
}

/* Derivatives of these weights by the particle's place, in cells: value j of a spline has the slope
 * B_{j-1}^{p-1} - B_j^{p-1}. */
CW_BODY void CW_LANE_NAME(cw_axis_slopes)(int order, cw_lane dx, cw_lane *primal, cw_lane *dual) {
  cw_lane shifted = CW_LANE_SELECT(dx >= (cw_real)0.5, dx - (cw_real)0.5, dx + (cw_real)0.5);
  for (int k = 0; k < 2; k++) {
    cw_lane *slope = k ? dual : primal;
    CW_LANE_NAME(cw_spline)(order - 1, (order % 2 != 0) == !k ? dx : shifted, slope);
    slope[order] = slope[order - 1];
    for (int j = order - 1; j > 0; j--)
      slope[j] = slope[j - 1] - slope[j];
    slope[0] = -slope[0];
  }
}

/* u turned by the rotation of Boris about t (Birdsall & Langdon, section 4-4):
 *   u + (u + u x t) x s,  s = 2 t / (1 + t.t). Serves Boris and Higuera-Cary. */
CW_BODY cw_lane3 CW_LANE_NAME(cw_rotate)(cw_lane3 u, cw_lane3 t) {
  cw_lane s = (cw_real)2 / ((cw_real)1 + CW_LANE_NAME(cw_dot)(t, t));
  cw_lane3 turned = CW_LANE_NAME(cw_cross)(u, t);
  turned.x = u.x + turned.x;
  turned.y = u.y + turned.y;
  turned.z = u.z + turned.z;
  return CW_LANE_NAME(cw_add_scaled)(u, s, CW_LANE_NAME(cw_cross)(turned, t));
}

/* gamma^2 = (a + sqrt(a^2 + 4 c)) / 2 for c >= 0, without cancellation when a < 0. */
CW_BODY cw_lane CW_LANE_NAME(cw_gamma_squared)(cw_lane a, cw_lane c) {
  cw_lane root = CW_LANE_NAME(cw_sqrt)(a * a + (cw_real)4 * c);
  cw_lane magnitude = CW_LANE_SELECT(a < 0, -a, a);
  cw_lane larger = (cw_real)0.5 * (root + magnitude);
  return CW_LANE_SELECT(a < 0, c / larger, larger);
}

CW_BODY cw_lane3 CW_LANE_NAME(cw_boris)(cw_lane3 u, cw_lane3 e, cw_lane3 b) {
  cw_lane one = CW_LANE_NAME(cw_splat)(1);
  cw_lane3 minus = CW_LANE_NAME(cw_add_scaled)(u, one, e);
  cw_lane gamma = CW_LANE_NAME(cw_sqrt)((cw_real)1 + CW_LANE_NAME(cw_dot)(minus, minus));
  cw_lane3 plus = CW_LANE_NAME(cw_rotate)(minus, CW_LANE_NAME(cw_scale3)(one / gamma, b));
  return CW_LANE_NAME(cw_add_scaled)(plus, one, e);
}

/* Higuera & Cary (2017), equations 20 to 22: Boris' step with gamma at the middle of the rotation:
 *   gamma^2 = (a + sqrt(a^2 + 4 (b.b + (b.u-)^2))) / 2,  a = 1 + u-.u- - b.b. */
CW_BODY cw_lane3 CW_LANE_NAME(cw_higuera_cary)(cw_lane3 u, cw_lane3 e, cw_lane3 b) {
  cw_lane one = CW_LANE_NAME(cw_splat)(1);
  cw_lane3 minus = CW_LANE_NAME(cw_add_scaled)(u, one, e);
  cw_lane bb = CW_LANE_NAME(cw_dot)(b, b), bu = CW_LANE_NAME(cw_dot)(b, minus);
  cw_lane a = (cw_real)1 + CW_LANE_NAME(cw_dot)(minus, minus) - bb;
  cw_lane gamma = CW_LANE_NAME(cw_sqrt)(CW_LANE_NAME(cw_gamma_squared)(a, bb + bu * bu));
  cw_lane3 plus = CW_LANE_NAME(cw_rotate)(minus, CW_LANE_NAME(cw_scale3)(one / gamma, b));
  return CW_LANE_NAME(cw_add_scaled)(plus, one, e);
}

/* Vay (2008), equations 9 to 12: the whole force of the old velocity, then the new velocity's
 * magnetic force solved for:  u' = u + 2 e + v x b,  a = 1 + u'.u' - b.b,
 *   gamma^2 = (a + sqrt(a^2 + 4 (b.b + (u'.b)^2))) / 2,  t = b / gamma,
 *   u_new = (u' + (u'.t) t + u' x t) / (1 + t.t). */
CW_BODY cw_lane3 CW_LANE_NAME(cw_vay)(cw_lane3 u, cw_lane3 e, cw_lane3 b) {
  cw_lane one = CW_LANE_NAME(cw_splat)(1);
  cw_lane gamma_old = CW_LANE_NAME(cw_sqrt)((cw_real)1 + CW_LANE_NAME(cw_dot)(u, u));
  cw_lane3 force = CW_LANE_NAME(cw_cross)(CW_LANE_NAME(cw_scale3)(one / gamma_old, u), b);
  force = CW_LANE_NAME(cw_add_scaled)(force, one + one, e);
  cw_lane3 half = CW_LANE_NAME(cw_add_scaled)(u, one, force);
  cw_lane bb = CW_LANE_NAME(cw_dot)(b, b), bu = CW_LANE_NAME(cw_dot)(b, half);
  cw_lane a = (cw_real)1 + CW_LANE_NAME(cw_dot)(half, half) - bb;
  cw_lane gamma = CW_LANE_NAME(cw_sqrt)(CW_LANE_NAME(cw_gamma_squared)(a, bb + bu * bu));
  cw_lane3 t = CW_LANE_NAME(cw_scale3)(one / gamma, b);
  cw_lane3 sum = CW_LANE_NAME(cw_add_scaled)(half, CW_LANE_NAME(cw_dot)(half, t), t);
  sum = CW_LANE_NAME(cw_add_scaled)(sum, one, CW_LANE_NAME(cw_cross)(half, t));
  return CW_LANE_NAME(cw_scale3)(one / (one + CW_LANE_NAME(cw_dot)(t, t)), sum);
}

/* The momentum after the step. */
CW_BODY cw_lane3 CW_LANE_NAME(cw_momentum)(cw_pusher pusher, cw_lane3 u, cw_lane3 e, cw_lane3 b) {
  switch (pusher) {
  case CW_PUSHER_BORIS:
    return CW_LANE_NAME(cw_boris)(u, e, b);
  case CW_PUSHER_VAY:
    return CW_LANE_NAME(cw_vay)(u, e, b);
  case CW_PUSHER_HIGUERA_CARY:
    return CW_LANE_NAME(cw_higuera_cary)(u, e, b);
  default:
    return u;
  }
}

/* u = `from` after radiation with the force that acts at momentum `at` (<cellwise/push.h>); e and b
 * in the same unit as the coefficient. Its two parts in turn, so that the order is even:
 *   half of synchrotron kappa;  du/dt = -x gamma u, solved:  u / (sqrt(1 + x^2) + x gamma), which is
 *   the exact u sech x / (1 + gamma tanh x) to third order in x and stable for any;  the other half. */
CW_BODY cw_lane3 CW_LANE_NAME(cw_drag_from)(cw_real synchrotron, cw_real compton, cw_lane3 at,
                                            cw_lane3 from, cw_lane3 e, cw_lane3 b) {
  cw_lane one = CW_LANE_NAME(cw_splat)(1), zero = CW_LANE_NAME(cw_splat)(0);
  cw_lane half = CW_LANE_NAME(cw_splat)((cw_real)0.5 * synchrotron);
  cw_lane gamma = CW_LANE_NAME(cw_sqrt)((cw_real)1 + CW_LANE_NAME(cw_dot)(at, at));
  cw_lane3 beta = CW_LANE_NAME(cw_scale3)(one / gamma, at);
  cw_lane3 force = CW_LANE_NAME(cw_add_scaled)(e, one, CW_LANE_NAME(cw_cross)(beta, b));
  cw_lane power = CW_LANE_NAME(cw_dot)(beta, e);
  cw_lane3 kappa = CW_LANE_NAME(cw_add_scaled)(CW_LANE_NAME(cw_cross)(force, b), power, e);
  cw_lane chi = CW_LANE_NAME(cw_dot)(force, force) - power * power;
  chi = CW_LANE_SELECT(chi > 0, chi, zero);
  cw_lane x = synchrotron * chi + compton;
  cw_lane3 u = CW_LANE_NAME(cw_add_scaled)(from, half, kappa);
  gamma = CW_LANE_NAME(cw_sqrt)((cw_real)1 + CW_LANE_NAME(cw_dot)(u, u));
  cw_lane slower = one / (CW_LANE_NAME(cw_sqrt)(one + x * x) + x * gamma);
  return CW_LANE_NAME(cw_add_scaled)(CW_LANE_NAME(cw_scale3)(slower, u), half, kappa);
}

/* Radiation for half a step, by the midpoint rule. */
CW_BODY cw_lane3 CW_LANE_NAME(cw_drag)(cw_real synchrotron, cw_real compton, cw_lane3 u, cw_lane3 e,
                                       cw_lane3 b) {
  const cw_real half = (cw_real)0.5;
  cw_lane3 middle = CW_LANE_NAME(cw_drag_from)(half * synchrotron, half * compton, u, u, e, b);
  return CW_LANE_NAME(cw_drag_from)(synchrotron, compton, middle, u, e, b);
}

/* v = u / gamma, or u/|u| of massless particles (at rest where u is zero). u is first scaled by
 * its largest component there, whose square alone might leave the range of a float. */
CW_BODY cw_lane3 CW_LANE_NAME(cw_velocity)(cw_pusher pusher, cw_lane3 u) {
  cw_lane one = CW_LANE_NAME(cw_splat)(1), zero = CW_LANE_NAME(cw_splat)(0);
  cw_lane rest = one;
  if (pusher == CW_PUSHER_MASSLESS) {
    cw_lane x = CW_LANE_SELECT(u.x < 0, -u.x, u.x), y = CW_LANE_SELECT(u.y < 0, -u.y, u.y);
    cw_lane z = CW_LANE_SELECT(u.z < 0, -u.z, u.z);
    cw_lane largest = CW_LANE_SELECT(x > y, x, y);
    largest = CW_LANE_SELECT(z > largest, z, largest);
    rest = CW_LANE_SELECT(largest > 0, zero, one);
    u = CW_LANE_NAME(cw_scale3)(one / CW_LANE_SELECT(largest > 0, largest, one), u);
  }
  cw_lane gamma = CW_LANE_NAME(cw_sqrt)(rest + CW_LANE_NAME(cw_dot)(u, u));
  return CW_LANE_NAME(cw_scale3)(one / gamma, u);
}

/* Adds a move of at most one cell to the offset dx in [0, 1) and returns how many cells were
 * crossed (as a real number). dx stays in [0, 1) exactly: where the sum rounds to 1, from either
 * side, the particle stands at offset 0 of the next cell. */
CW_BODY cw_lane CW_LANE_NAME(cw_advance)(cw_lane *dx, cw_lane move) {
  cw_lane one = CW_LANE_NAME(cw_splat)(1), zero = CW_LANE_NAME(cw_splat)(0);
  cw_lane x = *dx + move;
  cw_lane crossed = CW_LANE_SELECT(x >= one, one, zero) - CW_LANE_SELECT(x < zero, one, zero);
  x = x - crossed;
  cw_lane again = CW_LANE_SELECT(x >= one, one, zero);
  *dx = x - again;
  return crossed + again;
}
