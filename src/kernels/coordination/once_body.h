/* Each pair met once: a centre's sums go to the centre, the other ends' sums stay with the tile's
 * entries until the bundle's centres have met them, and are then added to their places. No two
 * threads work at cells that share a neighbour (compute.c).
 *
 * Where s is a rational function of r^2 with few multiplications, every entry of the tile is
 * evaluated and those out of range are masked: cheaper than to bring those in range together. */

/* u^n for the few n that have a loop of their own. */
#define CW_SMALL_POWER(times, n, u)                                                                \
  ((n) == 1   ? (u)                                                                                \
   : (n) == 2 ? times(u, u)                                                                        \
   : (n) == 3 ? times(times(u, u), u)                                                              \
              : times(times(times(u, u), times(u, u)), u))

/* One centre with the tile's entries from `begin` on: s = 1/(1 + u^n), u = r^2/r_0^2, and h =
 * u^(n-1) s^2, which is s'(r)/r but for a factor. Out of range u is taken as 0, where h is 0. Sums
 * of s and pairs stay in w->lanes until the tile is done; force: the centre's sum of h d. */
#if CW_W > 1
static inline void CW_REAL_NAME(meet)(const int n, const cw_real inverse2,
                                      CW_REAL_NAME(scratch) * w, int i, int begin,
                                      cw_real force[3]) {
  CW_REAL_NAME(tile) *tile = &w->tile;
  const CW_VECTOR cx = CW_V(set1)(w->centre[0][i]), cy = CW_V(set1)(w->centre[1][i]);
  const CW_VECTOR cz = CW_V(set1)(w->centre[2][i]), one = CW_V(set1)(1);
  const CW_VECTOR scale = CW_V(set1)(inverse2), low2 = CW_V(set1)(w->low2);
  const CW_VECTOR high2 = CW_V(set1)(w->high2);
  CW_VECTOR value = CW_V(loadu)(w->lanes[0]), perhaps = CW_V(loadu)(w->lanes[1]);
  CW_VECTOR surely = CW_V(loadu)(w->lanes[2]);
  CW_VECTOR x = CW_V(set1)(0), y = x, z = x;
  for (int k = begin; k < tile->count; k += CW_W) {
    const CW_VECTOR dx = CW_V(sub)(CW_V(loadu)(tile->x + k), cx);
    const CW_VECTOR dy = CW_V(sub)(CW_V(loadu)(tile->y + k), cy);
    const CW_VECTOR dz = CW_V(sub)(CW_V(loadu)(tile->z + k), cz);
    const CW_VECTOR r2 = CW_V(fmadd)(dz, dz, CW_V(fmadd)(dy, dy, CW_V(mul)(dx, dx)));
    const CW_VECTOR u = CW_V(mul)(CW_KEEP(r2, high2, r2), scale);
    const CW_VECTOR below = CW_SMALL_POWER(CW_V(mul), n - 1, u);
    const CW_VECTOR s = CW_V(div)(one, CW_V(fmadd)(below, u, one));
    const CW_VECTOR h = CW_V(mul)(below, CW_V(mul)(s, s));
    value = CW_V(add)(value, CW_KEEP(r2, high2, s));
    perhaps = CW_V(add)(perhaps, CW_KEEP(r2, high2, one));
    if (!CW_REAL_IS_DOUBLE)
      surely = CW_V(add)(surely, CW_KEEP(r2, low2, one));
    x = CW_V(fmadd)(h, dx, x), y = CW_V(fmadd)(h, dy, y), z = CW_V(fmadd)(h, dz, z);
    CW_V(storeu)(tile->fx + k, CW_V(fmadd)(h, dx, CW_V(loadu)(tile->fx + k)));
    CW_V(storeu)(tile->fy + k, CW_V(fmadd)(h, dy, CW_V(loadu)(tile->fy + k)));
    CW_V(storeu)(tile->fz + k, CW_V(fmadd)(h, dz, CW_V(loadu)(tile->fz + k)));
  }
  CW_V(storeu)(w->lanes[0], value);
  CW_V(storeu)(w->lanes[1], perhaps);
  CW_V(storeu)(w->lanes[2], surely);
  force[0] = CW_REAL_NAME(lane_sum)(x);
  force[1] = CW_REAL_NAME(lane_sum)(y);
  force[2] = CW_REAL_NAME(lane_sum)(z);
}
#else
#define CW_TIMES(a, b) ((a) * (b))
static inline void CW_REAL_NAME(meet)(const int n, const cw_real inverse2,
                                      CW_REAL_NAME(scratch) * w, int i, int begin,
                                      cw_real force[3]) {
  CW_REAL_NAME(tile) *tile = &w->tile;
  const cw_real cx = w->centre[0][i], cy = w->centre[1][i], cz = w->centre[2][i];
  const cw_real *px = tile->x, *py = tile->y, *pz = tile->z, high2 = w->high2, low2 = w->low2;
  cw_real *fx = tile->fx, *fy = tile->fy, *fz = tile->fz;
  cw_real value = 0, perhaps = 0, surely = 0, x = 0, y = 0, z = 0;
  const int count = tile->count;
#pragma omp simd reduction(+ : value, perhaps, surely, x, y, z)
  for (int k = begin; k < count; k++) {
    const cw_real dx = px[k] - cx, dy = py[k] - cy, dz = pz[k] - cz;
    const cw_real r2 = dx * dx + dy * dy + dz * dz, near = r2 <= high2 ? (cw_real)1 : (cw_real)0;
    const cw_real u = near * r2 * inverse2, below = CW_SMALL_POWER(CW_TIMES, n - 1, u);
    const cw_real s = 1 / (1 + below * u), h = below * s * s;
    value += near * s, perhaps += near;
    surely += r2 <= low2 ? (cw_real)1 : (cw_real)0;
    x += h * dx, y += h * dy, z += h * dz;
    fx[k] += h * dx, fy[k] += h * dy, fz[k] += h * dz;
  }
  w->lanes[0][0] += value, w->lanes[1][0] += perhaps, w->lanes[2][0] += surely;
  force[0] = x, force[1] = y, force[2] = z;
}
#endif

static void CW_REAL_NAME(meet_tile)(const cw_sweep *sweep, CW_REAL_NAME(scratch) * w, int i,
                                    int begin) {
  const cw_switching *p = sweep->switching;
  const cw_real inverse2 = (cw_real)(p->inverse_r_0 * p->inverse_r_0);
  cw_real force[3];
  switch (p->nn) {
  case 2:
    CW_REAL_NAME(meet)(2, inverse2, w, i, begin, force);
    break;
  case 3:
    CW_REAL_NAME(meet)(3, inverse2, w, i, begin, force);
    break;
  case 4:
    CW_REAL_NAME(meet)(4, inverse2, w, i, begin, force);
    break;
  default:
    CW_REAL_NAME(meet)(6, inverse2, w, i, begin, force);
  }
  for (int c = 0; c < 3; c++)
    w->derivative[c][i] -= w->slope * (double)force[c];
}

/* Takes one pair off again. */
static void CW_REAL_NAME(take_off)(const cw_switching *p, CW_REAL_NAME(scratch) * w, int i, int k) {
  CW_REAL_NAME(tile) *tile = &w->tile;
  const cw_real d[3] = {tile->x[k] - w->centre[0][i], tile->y[k] - w->centre[1][i],
                        tile->z[k] - w->centre[2][i]};
  const cw_real r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  const cw_real u = r2 * (cw_real)(p->inverse_r_0 * p->inverse_r_0);
  cw_real below = 1;
  for (int q = 1; q < p->nn; q++)
    below *= u;
  const cw_real s = 1 / (1 + below * u), h = below * s * s;
  w->lanes[0][0] -= s;
  w->lanes[1][0] -= 1;
  tile->fx[k] -= h * d[0], tile->fy[k] -= h * d[1], tile->fz[k] -= h * d[2];
  for (int c = 0; c < 3; c++)
    w->derivative[c][i] += w->slope * (double)(h * d[c]);
}

/* Pairs of an atom with itself, and pairs that rounding brought into range, do not count. */
static void CW_REAL_NAME(correct)(const cw_sweep *sweep, const cw_bundle *bundle,
                                  CW_REAL_NAME(scratch) * w, int i, int begin, int unsure) {
  const CW_REAL_NAME(tile) *tile = &w->tile;
  const int64_t place = bundle->first + i;
  const uint32_t id = sweep->centre->id[place];
  for (int k = begin; sweep->check_ids && k < tile->checked; k++)
    if (tile->id[k] == id)
      CW_REAL_NAME(take_off)(sweep->switching, w, i, k);
  for (int k = begin; unsure && k < tile->count; k++) {
    const cw_real dx = tile->x[k] - w->centre[0][i], dy = tile->y[k] - w->centre[1][i];
    const cw_real dz = tile->z[k] - w->centre[2][i];
    const cw_real r2 = dz * dz + (dy * dy + dx * dx), slack = (w->high2 - w->low2) / 64;
    if (r2 > w->low2 - slack && r2 <= w->high2 &&
        !CW_REAL_NAME(in_range)(sweep, place, tile->place[k]))
      CW_REAL_NAME(take_off)(sweep->switching, w, i, k);
  }
}

/* Lanes of float are emptied before their own rounding shows. */
static void CW_REAL_NAME(empty_lanes)(CW_REAL_NAME(scratch) * w, double total[3]) {
  for (int q = 0; q < 3; q++)
    for (int l = 0; l < CW_LANES; l++)
      total[q] += (double)w->lanes[q][l];
  memset(w->lanes, 0, sizeof w->lanes);
}

/* All centres with the tile. */
static void CW_REAL_NAME(meet_all)(const cw_sweep *sweep, const cw_bundle *bundle,
                                   CW_REAL_NAME(scratch) * w) {
  enum { MOST = 32 * CW_W };
  const cw_switching *p = sweep->switching;
  const int ahead = w->own_cell && sweep->same;
  double total[3] = {0};
  memset(w->lanes, 0, sizeof w->lanes);
  for (int i = 0, met = 0; i < bundle->count; i++) {
    CW_REAL_NAME(meet_tile)(sweep, w, i, ahead ? i + 1 : 0);
    met += w->tile.count;
    if (met > MOST) {
      CW_REAL_NAME(empty_lanes)(w, total);
      met = 0;
    }
  }
  CW_REAL_NAME(empty_lanes)(w, total);
  const int unsure = !CW_REAL_IS_DOUBLE && total[1] > total[2];
  if (unsure || (sweep->check_ids && w->own_cell)) {
    for (int i = 0; i < bundle->count; i++)
      CW_REAL_NAME(correct)(sweep, bundle, w, i, ahead ? i + 1 : 0, unsure);
    CW_REAL_NAME(empty_lanes)(w, total);
  }
  w->partial.sum[CW_SUM_VALUE] += p->stretch * total[0] + p->shift * total[1];
  w->partial.sum[CW_SUM_PAIRS] += total[1];
}

/* The box derivatives' sum of g d_a d_b over pairs is that of r_ja g d_b over the other ends less
 * that of r_ia g d_b over the centres, lengths from the bundle's first centre: a tile's share, */
static void CW_REAL_NAME(add_box)(CW_REAL_NAME(scratch) * w) {
  const CW_REAL_NAME(tile) *tile = &w->tile;
  const double ox = w->origin[0], oy = w->origin[1], oz = w->origin[2];
  double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
#pragma omp simd reduction(+ : xx, yy, zz, xy, xz, yz)
  for (int k = 0; k < tile->count; k++) {
    const double x = (double)tile->x[k] - ox, y = (double)tile->y[k] - oy;
    const double z = (double)tile->z[k] - oz, fx = (double)tile->fx[k];
    const double fy = (double)tile->fy[k], fz = (double)tile->fz[k];
    xx += x * fx, xy += x * fy, xz += x * fz;
    yy += y * fy, yz += y * fz, zz += z * fz;
  }
  const double box[6] = {xx, yy, zz, xy, xz, yz};
  for (int q = 0; q < 6; q++)
    w->partial.sum[CW_SUM_BOX + q] -= w->slope * box[q];
}

/* and the centres', whose derivatives are complete. */
static void CW_REAL_NAME(add_centres_box)(const cw_bundle *bundle, CW_REAL_NAME(scratch) * w) {
  static const int first[6] = {0, 1, 2, 0, 0, 1}, second[6] = {0, 1, 2, 1, 2, 2};
  for (int i = 0; i < bundle->count; i++)
    for (int q = 0; q < 6; q++)
      w->partial.sum[CW_SUM_BOX + q] -=
          ((double)w->centre[first[q]][i] - w->origin[first[q]]) * w->derivative[second[q]][i];
}

static void CW_REAL_NAME(add_tile)(const cw_sweep *sweep, CW_REAL_NAME(scratch) * w, double slope) {
  const CW_REAL_NAME(tile) *tile = &w->tile;
  double *x = sweep->other->derivative[0], *y = sweep->other->derivative[1];
  double *z = sweep->other->derivative[2];
  for (int k = 0; k < tile->count; k++) {
    const uint32_t at = tile->place[k];
    x[at] += slope * (double)tile->fx[k];
    y[at] += slope * (double)tile->fy[k];
    z[at] += slope * (double)tile->fz[k];
  }
  for (int k = 0; sweep->with_values && sweep->same && k < tile->count; k++)
    sweep->other->value[tile->place[k]] += (double)tile->s[k];
}

static void CW_REAL_NAME(process_once)(const cw_sweep *sweep, const cw_bundle *bundle,
                                       CW_REAL_NAME(scratch) * w) {
  CW_REAL_NAME(tile) *tile = &w->tile;
  const size_t bytes = (size_t)(tile->count + PAD) * sizeof(cw_real);
  /* Finite where it is multiplied by 0; square finite. */
  const cw_real far = CW_REAL_IS_DOUBLE ? (cw_real)1e60 : (cw_real)1e17;
  if (tile->count == 0)
    return;
  CW_REAL_NAME(pad)(tile, sweep->dense ? far : (cw_real)NAN);
  memset(tile->fx, 0, bytes);
  memset(tile->fy, 0, bytes);
  memset(tile->fz, 0, bytes);
  if (sweep->with_values)
    memset(tile->s, 0, bytes);
  if (sweep->dense) {
    CW_REAL_NAME(meet_all)(sweep, bundle, w);
    if (sweep->with_box)
      CW_REAL_NAME(add_box)(w);
  } else {
    for (int i = 0; i < bundle->count; i++)
      CW_REAL_NAME(collect)(sweep, bundle, w, i, w->own_cell && sweep->same ? i + 1 : 0);
    CW_REAL_NAME(flush)(sweep, w);
  }
  CW_REAL_NAME(add_tile)(sweep, w, sweep->dense ? w->slope : 1);
  tile->count = tile->checked = 0;
  w->own_cell = 0;
}
