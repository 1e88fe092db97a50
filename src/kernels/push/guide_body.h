/* The physics of a guiding centre's step, of one particle, on host and device; behind push_body.h.
 *
 * T. G. Northrop, The adiabatic motion of charged particles (1963); in the form of Ripperda et al.,
 * Mon. Not. R. Astron. Soc. 467 (2017) 3279, equations 2 to 4, and Bacchini et al., Astrophys. J.
 * Suppl. 251 (2020) 10. In the frame that moves with v = E x B / B^2 the field is B* = B sqrt(1 -
 * v^2), a particle has the momentum p along b = B/|B| and gyrates with w, w^2 = 2 mu B*, where mu is
 * kept; so gamma = sqrt(1 + p^2 + w^2) / sqrt(1 - v^2). With s = (charge/mass) B0 and q = p / gamma:
 *   dp/dt = s E.b + gamma v.(q (b.grad) b + (v.grad) b) - mu/gamma (b.grad) B*
 *   dX/dt = q b + v + b/(B (1 - v^2)) x { gamma/s [q^2 (b.grad) b + q (v.grad) b + q (b.grad) v +
 *           (v.grad) v] + mu/(gamma s) grad B* + q (E.b) v }
 * Changes of the fields in time enter through v and B* alone. */

/* Fields at a place and their derivatives along the axes; zero along those not simulated. */
typedef struct CW_LANE_NAME(cw_guide_fields) {
  cw_lane3 E, B, dE[3], dB[3];
} CW_LANE_NAME(cw_guide_fields);

/* What the fields make of a place. */
typedef struct CW_LANE_NAME(cw_guide_frame) {
  cw_lane3 b, v;
  cw_lane B, rest, star; /* |B|, sqrt(1 - v^2), B* */
  cw_lane3 db[3], dv[3]; /* derivatives along the axes */
  cw_lane dstar[3];
} CW_LANE_NAME(cw_guide_frame);

/* A guiding centre within its step. */
typedef struct CW_LANE_NAME(cw_guide) {
  cw_lane moment, parallel; /* mu, p */
  cw_lane3 phase;           /* direction of the gyration */
} CW_LANE_NAME(cw_guide);

#define cw_guide_fields CW_LANE_NAME(cw_guide_fields)
#define cw_guide_frame  CW_LANE_NAME(cw_guide_frame)
#define cw_guide        CW_LANE_NAME(cw_guide)

/* 0 where the fields are not those of guiding centres: |E| > most |B|, or no B. */
CW_BODY int CW_LANE_NAME(cw_guide_look)(const cw_guide_fields *at, cw_real most,
                                        cw_guide_frame *frame) {
  const cw_lane square = CW_LANE_NAME(cw_dot)(at->B, at->B);
  const cw_lane one = 1;
  if (!(square > 0) || !(CW_LANE_NAME(cw_dot)(at->E, at->E) <= most * most * square))
    return 0;
  frame->B = CW_LANE_NAME(cw_sqrt)(square);
  frame->b = CW_LANE_NAME(cw_scale3)(one / frame->B, at->B);
  frame->v = CW_LANE_NAME(cw_scale3)(one / square, CW_LANE_NAME(cw_cross)(at->E, at->B));
  frame->rest = CW_LANE_NAME(cw_sqrt)(one - CW_LANE_NAME(cw_dot)(frame->v, frame->v));
  frame->star = frame->B * frame->rest;
  for (int a = 0; a < 3; a++) {
    const cw_lane slope = CW_LANE_NAME(cw_dot)(frame->b, at->dB[a]); /* of |B| */
    cw_lane3 turn = CW_LANE_NAME(cw_add_scaled)(at->dB[a], -slope, frame->b);
    frame->db[a] = CW_LANE_NAME(cw_scale3)(one / frame->B, turn);
    cw_lane3 change = CW_LANE_NAME(cw_add_scaled)(CW_LANE_NAME(cw_cross)(at->dE[a], at->B), one,
                                                  CW_LANE_NAME(cw_cross)(at->E, at->dB[a]));
    change = CW_LANE_NAME(cw_scale3)(one / square, change);
    frame->dv[a] = CW_LANE_NAME(cw_add_scaled)(change, -2 * slope / frame->B, frame->v);
    frame->dstar[a] =
        frame->rest * slope - frame->B / frame->rest * CW_LANE_NAME(cw_dot)(frame->v, frame->dv[a]);
  }
  return frame->rest > 0;
}

/* (along.grad) of a vector whose derivatives are d. */
CW_BODY cw_lane3 CW_LANE_NAME(cw_along)(cw_lane3 along, const cw_lane3 *d) {
  cw_lane3 sum = CW_LANE_NAME(cw_scale3)(along.x, d[0]);
  sum = CW_LANE_NAME(cw_add_scaled)(sum, along.y, d[1]);
  return CW_LANE_NAME(cw_add_scaled)(sum, along.z, d[2]);
}

/* Momentum seen from a frame that moves with -v: a Lorentz boost; rest = sqrt(1 - v^2). */
CW_BODY cw_lane3 CW_LANE_NAME(cw_boost)(cw_lane3 u, cw_lane3 v, cw_lane rest) {
  const cw_lane one = 1, gamma = one / rest;
  const cw_lane energy = CW_LANE_NAME(cw_sqrt)(one + CW_LANE_NAME(cw_dot)(u, u));
  const cw_lane share = gamma * gamma / (gamma + one) * CW_LANE_NAME(cw_dot)(u, v) + gamma * energy;
  return CW_LANE_NAME(cw_add_scaled)(u, share, v);
}

CW_BODY cw_lane CW_LANE_NAME(cw_guide_gamma)(const cw_guide_frame *frame, cw_lane moment,
                                             cw_lane parallel) {
  const cw_lane square = (cw_real)1 + parallel * parallel + 2 * moment * frame->star;
  return CW_LANE_NAME(cw_sqrt)(square) / frame->rest;
}

/* Direction across b of a vector; some such direction where it has none. */
CW_BODY cw_lane3 CW_LANE_NAME(cw_across)(cw_lane3 u, cw_lane3 b) {
  const cw_lane one = 1;
  for (int k = 0; k < 3; k++) {
    cw_lane3 part = CW_LANE_NAME(cw_add_scaled)(u, -CW_LANE_NAME(cw_dot)(u, b), b);
    const cw_lane square = CW_LANE_NAME(cw_dot)(part, part);
    if (square > 0)
      return CW_LANE_NAME(cw_scale3)(one / CW_LANE_NAME(cw_sqrt)(square), part);
    u.x = k == 0, u.y = k == 1, u.z = 0;
  }
  return u;
}

/* Takes a particle of momentum u for a guiding centre: as stored where `moment` > 0, else made of u.
 * 0 where its Larmor radius is above larmor_max (> 0); `s` as above. */
CW_BODY int CW_LANE_NAME(cw_guide_take)(const cw_guide_frame *frame, cw_real s, cw_real larmor_max,
                                        cw_lane3 u, cw_lane moment, cw_lane parallel,
                                        cw_guide *guide) {
  const cw_lane3 back = {-frame->v.x, -frame->v.y, -frame->v.z};
  const cw_lane3 own = CW_LANE_NAME(cw_boost)(u, back, frame->rest);
  guide->moment = moment;
  guide->parallel = parallel;
  guide->phase = CW_LANE_NAME(cw_across)(own, frame->b);
  if (!(moment > 0)) {
    guide->parallel = CW_LANE_NAME(cw_dot)(own, frame->b);
    const cw_lane3 turning = CW_LANE_NAME(cw_add_scaled)(own, -guide->parallel, frame->b);
    const cw_lane found = CW_LANE_NAME(cw_dot)(turning, turning) / (2 * frame->star);
    guide->moment = found > CW_GUIDE_LEAST ? found : CW_GUIDE_LEAST;
  }
  /* Larmor radius w / (|s| B*), squared */
  return larmor_max == 0 || !(2 * guide->moment > larmor_max * larmor_max * s * s * frame->star);
}

/* The momentum along b after dt. */
CW_BODY cw_lane CW_LANE_NAME(cw_guide_kick)(const cw_guide_frame *frame, const cw_guide_fields *at,
                                            const cw_guide *guide, cw_real s, cw_real dt) {
  const cw_lane3 bend = CW_LANE_NAME(cw_along)(frame->b, frame->db);
  const cw_lane3 turn = CW_LANE_NAME(cw_along)(frame->v, frame->db);
  const cw_lane push = s * CW_LANE_NAME(cw_dot)(at->E, frame->b);
  const cw_lane mirror =
      frame->b.x * frame->dstar[0] + frame->b.y * frame->dstar[1] + frame->b.z * frame->dstar[2];
  cw_lane mean = guide->parallel, after = mean;
  for (int k = 0; k < 3; k++) { /* the force at the mean of before and after */
    const cw_lane gamma = CW_LANE_NAME(cw_guide_gamma)(frame, guide->moment, mean);
    const cw_lane force = push + mean * CW_LANE_NAME(cw_dot)(frame->v, bend) +
                          gamma * CW_LANE_NAME(cw_dot)(frame->v, turn) -
                          guide->moment / gamma * mirror;
    after = guide->parallel + dt * force;
    mean = (cw_real)0.5 * (guide->parallel + after);
  }
  return after;
}

CW_BODY cw_lane3 CW_LANE_NAME(cw_guide_velocity)(const cw_guide_frame *frame,
                                                 const cw_guide_fields *at, const cw_guide *guide,
                                                 cw_real s) {
  const cw_lane gamma = CW_LANE_NAME(cw_guide_gamma)(frame, guide->moment, guide->parallel);
  const cw_lane q = guide->parallel / gamma, one = 1;
  const cw_lane3 bend = CW_LANE_NAME(cw_along)(frame->b, frame->db);
  const cw_lane3 turn = CW_LANE_NAME(cw_along)(frame->v, frame->db);
  const cw_lane3 shear = CW_LANE_NAME(cw_along)(frame->b, frame->dv);
  const cw_lane3 carry = CW_LANE_NAME(cw_along)(frame->v, frame->dv);
  cw_lane3 inertia = CW_LANE_NAME(cw_scale3)(q * q, bend);
  inertia = CW_LANE_NAME(cw_add_scaled)(inertia, q, turn);
  inertia = CW_LANE_NAME(cw_add_scaled)(inertia, q, shear);
  inertia = CW_LANE_NAME(cw_add_scaled)(inertia, one, carry);
  const cw_lane3 slope = {frame->dstar[0], frame->dstar[1], frame->dstar[2]};
  cw_lane3 force = CW_LANE_NAME(cw_scale3)(gamma / s, inertia);
  force = CW_LANE_NAME(cw_add_scaled)(force, guide->moment / (gamma * s), slope);
  force = CW_LANE_NAME(cw_add_scaled)(force, q * CW_LANE_NAME(cw_dot)(at->E, frame->b), frame->v);
  const cw_lane3 drift = CW_LANE_NAME(cw_cross)(frame->b, force);
  cw_lane3 velocity = CW_LANE_NAME(cw_add_scaled)(frame->v, q, frame->b);
  return CW_LANE_NAME(cw_add_scaled)(velocity, one / (frame->B * frame->rest * frame->rest), drift);
}

/* The whole momentum of a guiding centre after a step, its gyration turned as Boris would turn it;
 * `before` is the frame at the step's start. */
CW_BODY cw_lane3 CW_LANE_NAME(cw_guide_momentum)(const cw_guide_frame *before,
                                                 const cw_guide_frame *frame, const cw_guide *guide,
                                                 cw_real half_kick) {
  const cw_lane gamma = CW_LANE_NAME(cw_guide_gamma)(before, guide->moment, guide->parallel);
  const cw_lane turn = half_kick * before->star / gamma;
  const cw_lane3 turned =
      CW_LANE_NAME(cw_rotate)(guide->phase, CW_LANE_NAME(cw_scale3)(turn, before->b));
  const cw_lane3 phase = CW_LANE_NAME(cw_across)(turned, frame->b);
  cw_lane3 own = CW_LANE_NAME(cw_scale3)(guide->parallel, frame->b);
  own = CW_LANE_NAME(cw_add_scaled)(own, CW_LANE_NAME(cw_sqrt)(2 * guide->moment * frame->star),
                                    phase);
  return CW_LANE_NAME(cw_boost)(own, frame->v, frame->rest);
}
