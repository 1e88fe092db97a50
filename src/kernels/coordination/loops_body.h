/* One bundle's work in float or double: stage neighbours in tiles, keep those in range, evaluate.
 *
 *   for each neighbouring cell (image shift once):  copy its atoms that come near the bundle's box
 *     tile full:  for each centre:  append the distances in range to the pair buffer
 *       buffer full:  s and g of all pairs in vector lanes; sums of the bundle; sum of each centre
 *
 * Needs cw_real (base/real.h), and CW_LANES and the others of switching_body.h. Like all bodies it
 * has no guard: it is included once for float and once for double. */

#include "kernels/coordination/switching_body.h"

typedef struct CW_REAL_NAME(tile) {
  int count, checked; /* entries; the first `checked` may be the centre's own atom */
  cw_real x[TILE + PAD], y[TILE + PAD], z[TILE + PAD];
  uint32_t id[TILE + PAD];
  uint32_t order[TILE + PAD]; /* entry number, where the direction of d depends on it */
  uint32_t place[TILE + PAD]; /* in the other group */
  cw_real fx[TILE + PAD], fy[TILE + PAD], fz[TILE + PAD], s[TILE + PAD]; /* sums of g d and s, where
                                                                            each pair is met once */
} CW_REAL_NAME(tile);

typedef struct CW_REAL_NAME(run) {
  int centre, begin, end;
} CW_REAL_NAME(run);

typedef struct CW_REAL_NAME(scratch) {
  CW_REAL_NAME(tile) tile, images; /* images also holds points about to be staged */
  cw_real dx[PAIRS + PAD], dy[PAIRS + PAD], dz[PAIRS + PAD], s[PAIRS + PAD], g[PAIRS + PAD];
  cw_real at[PAIRS + PAD]; /* which entry of the tile */
  CW_REAL_NAME(run) run[RUNS];
  int pairs, runs, own_cell;    /* own_cell: the tile begins with the centres themselves */
  double reference[3];          /* subtracted from positions before they are rounded to float */
  double origin[3];             /* of lengths in the box derivatives: the first centre */
  double slope;                 /* g = slope h, once_body.h */
  cw_real lanes[3][CW_LANES];   /* there: sums of s and pairs */
  cw_real low2, high2;          /* pairs between are decided upon in double */
  cw_real centre[3][CW_BUNDLE]; /* the centres' positions */
  cw_real low[3], high[3];      /* their bounding box */
  double derivative[3][CW_BUNDLE], value[CW_BUNDLE];
  cw_partial partial;
} CW_REAL_NAME(scratch);

#include "kernels/coordination/compact_body.h"

/* s and g of the buffered pairs; the lanes behind the last pair become 0. */
static void CW_REAL_NAME(evaluate)(const cw_switching *switching, CW_REAL_NAME(scratch) * w) {
  int n = w->pairs;
  for (int k = n; k < n + CW_LANES; k++)
    w->dx[k] = w->dy[k] = w->dz[k] = 0;
  for (int k = 0; k < n; k += CW_LANES) {
    cw_real r2[CW_LANES];
    const cw_real *x = w->dx + k, *y = w->dy + k, *z = w->dz + k;
    CW_EACH_LANE r2[l] = x[l] * x[l] + y[l] * y[l] + z[l] * z[l];
    CW_REAL_NAME(cw_switching_lanes)(switching, r2, w->s + k, w->g + k);
  }
  for (int k = n; k < n + CW_LANES; k++)
    w->s[k] = w->g[k] = 0;
}

static void CW_REAL_NAME(sum_bundle)(CW_REAL_NAME(scratch) * w, int with_box) {
  const cw_real *dx = w->dx, *dy = w->dy, *dz = w->dz, *s = w->s, *g = w->g;
  int n = w->pairs;
  cw_real value = 0, xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
#pragma omp simd reduction(+ : value)
  for (int k = 0; k < n; k++)
    value += s[k];
  w->partial.sum[CW_SUM_VALUE] += (double)value;
  w->partial.sum[CW_SUM_PAIRS] += n;
  if (!with_box)
    return;
#pragma omp simd reduction(+ : xx, yy, zz, xy, xz, yz)
  for (int k = 0; k < n; k++) {
    cw_real gx = g[k] * dx[k], gy = g[k] * dy[k], gz = g[k] * dz[k];
    xx += gx * dx[k], xy += gx * dy[k], xz += gx * dz[k];
    yy += gy * dy[k], yz += gy * dz[k], zz += gz * dz[k];
  }
  const cw_real box[6] = {xx, yy, zz, xy, xz, yz};
  for (int c = 0; c < 6; c++)
    w->partial.sum[CW_SUM_BOX + c] -= (double)box[c];
}

/* The other ends of a centre's pairs, no two of which are the same. */
static void CW_REAL_NAME(add_other_ends)(const cw_sweep *sweep, CW_REAL_NAME(scratch) * w,
                                         CW_REAL_NAME(run) run) {
  CW_REAL_NAME(tile) *tile = &w->tile;
  for (int k = run.begin; k < run.end; k++) {
    const int at = (int)w->at[k];
    tile->fx[at] += w->g[k] * w->dx[k];
    tile->fy[at] += w->g[k] * w->dy[k];
    tile->fz[at] += w->g[k] * w->dz[k];
    if (sweep->with_values)
      tile->s[at] += w->s[k];
  }
}

static void CW_REAL_NAME(flush)(const cw_sweep *sweep, CW_REAL_NAME(scratch) * w) {
  CW_REAL_NAME(evaluate)(sweep->switching, w);
  CW_REAL_NAME(sum_bundle)(w, sweep->with_box);
  for (int q = 0; q < w->runs; q++) {
    const CW_REAL_NAME(run) run = w->run[q];
    const cw_real *dx = w->dx, *dy = w->dy, *dz = w->dz, *g = w->g, *s = w->s;
    cw_real fx = 0, fy = 0, fz = 0, value = 0;
#pragma omp simd reduction(+ : fx, fy, fz)
    for (int k = run.begin; k < run.end; k++)
      fx += g[k] * dx[k], fy += g[k] * dy[k], fz += g[k] * dz[k];
    if (sweep->with_values) {
#pragma omp simd reduction(+ : value)
      for (int k = run.begin; k < run.end; k++)
        value += s[k];
      w->value[run.centre] += (double)value;
    }
    w->derivative[0][run.centre] -= (double)fx;
    w->derivative[1][run.centre] -= (double)fy;
    w->derivative[2][run.centre] -= (double)fz;
    if (sweep->once)
      CW_REAL_NAME(add_other_ends)(sweep, w, run);
  }
  w->pairs = w->runs = 0;
}

/* Whether a pair is in range, by the positions as they were given. */
static int CW_REAL_NAME(in_range)(const cw_sweep *sweep, int64_t centre, int64_t other) {
  double d[3], r2 = 0;
  for (int c = 0; c < 3; c++)
    d[c] = sweep->other->position[c][other] - sweep->centre->position[c][centre];
  cw_lattice_minimum_image(sweep->lattice, d);
  for (int c = 0; c < 3; c++)
    r2 += d[c] * d[c];
  return r2 <= sweep->range2;
}

/* Which pairs count does not depend on rounding: of the last `kept` in the buffer, drops those out
 * of range. Returns how many stay. */
static int CW_REAL_NAME(drop_beyond)(const cw_sweep *sweep, CW_REAL_NAME(scratch) * w, int kept,
                                     int64_t centre) {
  cw_real *x = w->dx + w->pairs, *y = w->dy + w->pairs, *z = w->dz + w->pairs;
  cw_real *at = w->at + w->pairs, farthest = 0;
  int stay = 0;
  for (int k = 0; k < kept; k++) {
    const cw_real r2 = x[k] * x[k] + y[k] * y[k] + z[k] * z[k];
    farthest = r2 > farthest ? r2 : farthest;
  }
  if (farthest < w->low2)
    return kept;
  for (int k = 0; k < kept; k++) {
    const cw_real r2 = x[k] * x[k] + y[k] * y[k] + z[k] * z[k];
    if (r2 >= w->low2 && !CW_REAL_NAME(in_range)(sweep, centre, w->tile.place[(int)at[k]]))
      continue;
    x[stay] = x[k], y[stay] = y[k], z[stay] = z[k], at[stay] = at[k];
    stay++;
  }
  return stay;
}

/* Adds to each vector that of the lattice's shifts which makes it shortest, if any does. */
static void CW_REAL_NAME(shortest_shift)(const cw_lattice *lattice, cw_real *x, cw_real *y,
                                         cw_real *z) {
  cw_real shortest[CW_LANES], bx[CW_LANES], by[CW_LANES], bz[CW_LANES];
  CW_EACH_LANE {
    shortest[l] = x[l] * x[l] + y[l] * y[l] + z[l] * z[l];
    bx[l] = x[l], by[l] = y[l], bz[l] = z[l];
  }
  for (int q = 0; q < CW_LATTICE_SHIFTS; q++) {
    const cw_real tx = (cw_real)lattice->shifts[q][0], ty = (cw_real)lattice->shifts[q][1];
    const cw_real tz = (cw_real)lattice->shifts[q][2];
    CW_EACH_LANE {
      cw_real sx = x[l] + tx, sy = y[l] + ty, sz = z[l] + tz, r2 = sx * sx + sy * sy + sz * sz;
      int shorter = r2 < shortest[l];
      shortest[l] = shorter ? r2 : shortest[l];
      bx[l] = shorter ? sx : bx[l], by[l] = shorter ? sy : by[l], bz[l] = shorter ? sz : bz[l];
    }
  }
  CW_EACH_LANE x[l] = bx[l], y[l] = by[l], z[l] = bz[l];
}

/* Fills w->images with the shortest images of the tile's distances from one centre. The direction
 * of d is always that of the definition (from the lower to the higher entry, from a to b), so that
 * of two equally short images the two ends take the same. */
static void CW_REAL_NAME(shortest_images)(const cw_sweep *sweep, CW_REAL_NAME(scratch) * w,
                                          const cw_real centre[3], uint32_t order) {
  const cw_lattice *lattice = sweep->lattice;
  const CW_REAL_NAME(tile) *from = &w->tile;
  CW_REAL_NAME(tile) *to = &w->images;
  const cw_real slack = CW_REAL_IS_DOUBLE ? (cw_real)CW_HALF_BOX_SLACK : (cw_real)1e-6;
  const int triclinic = lattice->kind == CW_LATTICE_TRICLINIC, same = sweep->same;
  const cw_real forward = sweep->forward ? 1 : -1;
  cw_real h[3][3], inverse[3][3];
  for (int a = 0; a < 3; a++)
    for (int c = 0; c < 3; c++)
      h[a][c] = (cw_real)lattice->h[a][c], inverse[a][c] = (cw_real)lattice->inverse[a][c];
  for (int k = 0; k < from->count; k += CW_LANES) {
    cw_real x[CW_LANES], y[CW_LANES], z[CW_LANES], sign[CW_LANES];
    CW_EACH_LANE {
      sign[l] = same ? (from->order[k + l] > order ? 1 : -1) : forward;
      x[l] = sign[l] * (from->x[k + l] - centre[0]);
      y[l] = sign[l] * (from->y[k + l] - centre[1]);
      z[l] = sign[l] * (from->z[k + l] - centre[2]);
      cw_real n0 = x[l] * inverse[0][0] + y[l] * inverse[1][0] + z[l] * inverse[2][0];
      cw_real n1 = x[l] * inverse[0][1] + y[l] * inverse[1][1] + z[l] * inverse[2][1];
      cw_real n2 = x[l] * inverse[0][2] + y[l] * inverse[1][2] + z[l] * inverse[2][2];
      n0 = CW_MATH(floor)(n0 + (cw_real)0.5 + slack);
      n1 = CW_MATH(floor)(n1 + (cw_real)0.5 + slack);
      n2 = CW_MATH(floor)(n2 + (cw_real)0.5 + slack);
      x[l] -= n0 * h[0][0] + n1 * h[1][0] + n2 * h[2][0];
      y[l] -= n0 * h[0][1] + n1 * h[1][1] + n2 * h[2][1];
      z[l] -= n0 * h[0][2] + n1 * h[1][2] + n2 * h[2][2];
    }
    if (triclinic)
      CW_REAL_NAME(shortest_shift)(lattice, x, y, z);
    CW_EACH_LANE {
      to->x[k + l] = sign[l] * x[l];
      to->y[k + l] = sign[l] * y[l];
      to->z[k + l] = sign[l] * z[l];
      to->id[k + l] = from->id[k + l]; /* places stay the tile's */
    }
  }
  to->count = from->count;
}
