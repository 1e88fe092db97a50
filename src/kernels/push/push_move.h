/* Momentum and position of a block, a register of particles after the other, from the fields that
 * were gathered for it. Written in lanes: included for one particle and for a register. */

CW_BODY cw_lane3 CW_LANE_NAME(cw_load3)(void *const *from, int64_t at, int n) {
  cw_lane3 v = {CW_LANE_NAME(cw_load)((const cw_real *)from[0] + at, n),
                CW_LANE_NAME(cw_load)((const cw_real *)from[1] + at, n),
                CW_LANE_NAME(cw_load)((const cw_real *)from[2] + at, n)};
  return v;
}

/* half_kick times a field at particle p of the block. */
CW_BODY cw_lane3 CW_LANE_NAME(cw_kick)(double half_kick, double (*field)[CW_PUSH_BLOCK], int p,
                                       int n) {
  void *rows[3] = {field[0], field[1], field[2]};
  cw_lane scale = CW_LANE_NAME(cw_splat)((cw_real)half_kick);
  return CW_LANE_NAME(cw_scale3)(scale, CW_LANE_NAME(cw_load3)(rows, p, n));
}

/* Which of n slots are alive: all ones in those lanes, zero in others and beyond n; for real
 * numbers and for cell indices. */
typedef struct CW_LANE_NAME(cw_living) {
  cw_lane_mask lanes;
  cw_lane_cell cells;
} CW_LANE_NAME(cw_living);

/* The mask goes through memory on purpose: made by a comparison of lanes, it takes gcc 12 to an
 * internal error where the registers hold two doubles. */
CW_BODY CW_LANE_NAME(cw_living) CW_LANE_NAME(cw_alive)(const uint8_t *tag, int64_t at, int n) {
  cw_mask_item flags[CW_LANES] = {0};
  int32_t cells[CW_LANES] = {0};
  for (int l = 0; l < n; l++) {
    cells[l] = -(tag[at + l] != CW_TAG_DEAD);
    flags[l] = cells[l];
  }
  CW_LANE_NAME(cw_living) alive;
  memcpy(&alive.lanes, flags, sizeof flags);
  memcpy(&alive.cells, cells, sizeof cells);
  return alive;
}

/* 1 when each of the n slots is alive: no zero byte (H. S. Warren, Hacker's Delight, 6-1). */
CW_BODY int CW_LANE_NAME(cw_all_alive)(const uint8_t *tag, int64_t at, int n) {
  if (!tag)
    return 1;
  uint64_t zero = 0;
  int l = 0;
  for (; l + 8 <= n; l += 8) {
    uint64_t bytes;
    memcpy(&bytes, tag + at + l, 8);
    zero |= (bytes - 0x0101010101010101u) & ~bytes & 0x8080808080808080u;
  }
  for (; l < n; l++)
    zero |= tag[at + l] == CW_TAG_DEAD;
  return zero == 0;
}

/* Position along one axis. */
typedef struct CW_LANE_NAME(cw_place) {
  cw_lane dx;
  cw_lane_cell i;
} CW_LANE_NAME(cw_place);

CW_BODY CW_LANE_NAME(cw_place)
    CW_LANE_NAME(cw_load_place)(int32_t *const *i, void *const *dx, int a, int64_t at, int n) {
  CW_LANE_NAME(cw_place)
  place = {CW_LANE_NAME(cw_load)((const cw_real *)dx[a] + at, n),
           CW_LANE_NAME(cw_load_cell)(i[a] + at, n)};
  return place;
}

CW_BODY void CW_LANE_NAME(cw_store_place)(int32_t *const *i, void *const *dx, int a, int64_t at,
                                          int n, CW_LANE_NAME(cw_place) place) {
  CW_LANE_NAME(cw_store)((cw_real *)dx[a] + at, place.dx, n);
  CW_LANE_NAME(cw_store_cell)(i[a] + at, place.i, n);
}

/* `yes` in living lanes, `no` in dead ones. */
CW_BODY CW_LANE_NAME(cw_place)
    CW_LANE_NAME(cw_select_place)(CW_LANE_NAME(cw_living) alive, CW_LANE_NAME(cw_place) yes,
                                  CW_LANE_NAME(cw_place) no) {
  CW_LANE_NAME(cw_place)
  place = {CW_LANE_SELECT(alive.lanes, yes.dx, no.dx),
           (alive.cells & yes.i) | (~alive.cells & no.i)};
  return place;
}

/* Momentum after the step of n particles from place p of the block, slot `at`. */
CW_BODY cw_lane3 CW_LANE_NAME(cw_kicked)(int drags, const cw_push_job *job, int p, int n,
                                         cw_push_scratch *scratch, cw_lane3 u) {
  cw_lane zero = CW_LANE_NAME(cw_splat)(0);
  cw_lane3 e = {zero, zero, zero}, b = e;
  if (job->gathers) {
    e = CW_LANE_NAME(cw_kick)(job->half_kick, scratch->field, p, n);
    b = CW_LANE_NAME(cw_kick)(job->half_kick, scratch->field + 3, p, n);
  }
  if (drags)
    u = CW_LANE_NAME(cw_drag)((cw_real)job->drag[0], (cw_real)job->drag[1], u, e, b);
  if (job->gathers)
    u = CW_LANE_NAME(cw_momentum)(job->pusher, u, e, b);
  if (drags)
    u = CW_LANE_NAME(cw_drag)((cw_real)job->drag[0], (cw_real)job->drag[1], u, e, b);
  return u;
}

/* One register of n particles from slot `at`, the p-th of its block; `alive` is NULL when all of
 * them are. Loads come first: arrays that start at the same place of a page would make each load
 * wait for the store before it. Returns where the result is finite. */
CW_BODY cw_lane_mask CW_LANE_NAME(cw_move)(int dim, int drags, const cw_push_job *job, int64_t at,
                                           int p, int n, cw_push_scratch *scratch,
                                           const CW_LANE_NAME(cw_living) * alive) {
  const cw_particles_view *view = &job->particles;
  CW_LANE_NAME(cw_place) before[3], after[3];
  for (int a = 0; a < dim; a++)
    before[a] = CW_LANE_NAME(cw_load_place)(view->i, view->dx, a, at, n);
  cw_lane3 old = CW_LANE_NAME(cw_load3)(view->u, at, n);
  cw_lane3 u = CW_LANE_NAME(cw_kicked)(drags, job, p, n, scratch, old);
  cw_lane3 v = CW_LANE_NAME(cw_velocity)(job->pusher, u);
  cw_lane zero = CW_LANE_NAME(cw_splat)(0), velocity[3] = {v.x, v.y, v.z};
  cw_lane_mask finite = zero * u.x + zero * u.y + zero * u.z == zero;
  for (int a = 0; a < dim; a++) {
    after[a] = before[a];
    cw_lane crossed = CW_LANE_NAME(cw_advance)(&after[a].dx, velocity[a] * (cw_real)job->step[a]);
    after[a].i = CW_LANE_NAME(cw_add_cells)(before[a].i, CW_LANE_TO_CELL(crossed));
    finite = finite & (after[a].dx == after[a].dx);
  }
  if (alive) {
    finite = finite | ~alive->lanes;
    u.x = CW_LANE_SELECT(alive->lanes, u.x, old.x);
    u.y = CW_LANE_SELECT(alive->lanes, u.y, old.y);
    u.z = CW_LANE_SELECT(alive->lanes, u.z, old.z);
    for (int a = 0; a < dim; a++) {
      CW_LANE_NAME(cw_place)
      kept = CW_LANE_NAME(cw_load_place)(view->i_prev, view->dx_prev, a, at, n);
      after[a] = CW_LANE_NAME(cw_select_place)(*alive, after[a], before[a]);
      before[a] = CW_LANE_NAME(cw_select_place)(*alive, before[a], kept);
    }
  }
  for (int a = 0; a < dim; a++) {
    CW_LANE_NAME(cw_store_place)(view->i_prev, view->dx_prev, a, at, n, before[a]);
    CW_LANE_NAME(cw_store_place)(view->i, view->dx, a, at, n, after[a]);
  }
  CW_LANE_NAME(cw_store)((cw_real *)view->u[0] + at, u.x, n);
  CW_LANE_NAME(cw_store)((cw_real *)view->u[1] + at, u.y, n);
  CW_LANE_NAME(cw_store)((cw_real *)view->u[2] + at, u.z, n);
  return finite;
}

/* Moves a block whose fields are gathered; returns its faults. */
CW_BODY int CW_LANE_NAME(cw_move_all)(int dim, int drags, const cw_push_job *job, int64_t begin,
                                      int count, cw_push_scratch *scratch) {
  const uint8_t *tag = job->particles.tag;
  cw_lane zero = CW_LANE_NAME(cw_splat)(0);
  cw_lane_mask finite = zero == zero;
  for (int p = 0; p < count; p += CW_LANES) {
    int n = count - p < CW_LANES ? count - p : CW_LANES;
    if (CW_LANE_NAME(cw_all_alive)(tag, begin + p, n)) {
      finite = finite & CW_LANE_NAME(cw_move)(dim, drags, job, begin + p, p, n, scratch, NULL);
    } else if (CW_LANES > 1) {
      CW_LANE_NAME(cw_living) alive = CW_LANE_NAME(cw_alive)(tag, begin + p, n);
      finite = finite & CW_LANE_NAME(cw_move)(dim, drags, job, begin + p, p, n, scratch, &alive);
    }
  }
  return CW_LANE_NAME(cw_all_lanes)(finite) ? 0 : CW_PUSH_NOT_FINITE;
}

static int CW_LANE_NAME(cw_move_block)(const cw_push_job *job, int64_t begin, int count,
                                       cw_push_scratch *scratch) {
  if (job->drags)
    return CW_LANE_NAME(cw_move_all)(job->dim, 1, job, begin, count, scratch);
  if (job->dim == 1)
    return CW_LANE_NAME(cw_move_all)(1, 0, job, begin, count, scratch);
  if (job->dim == 2)
    return CW_LANE_NAME(cw_move_all)(2, 0, job, begin, count, scratch);
  return CW_LANE_NAME(cw_move_all)(3, 0, job, begin, count, scratch);
}
