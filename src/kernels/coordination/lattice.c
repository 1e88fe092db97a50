#include "kernels/coordination/lattice.h"

#include <math.h>
#include <string.h>

#include "base/context_private.h"

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void add_multiple(double a[3], double k, const double b[3]) {
  for (int c = 0; c < 3; c++)
    a[c] += k * b[c];
}

static void swap_rows(double a[3], double b[3]) {
  for (int c = 0; c < 3; c++) {
    double t = a[c];
    a[c] = b[c];
    b[c] = t;
  }
}

static void sort_by_length(double h[3][3]) {
  for (int pass = 0; pass < 2; pass++)
    for (int a = 0; a < 2; a++)
      if (dot(h[a + 1], h[a + 1]) < dot(h[a], h[a]))
        swap_rows(h[a], h[a + 1]);
}

/* Shortens the longest vector by its closest lattice point of the two others; 1 if it got shorter.
 */
static int shorten_third(double h[3][3]) {
  double g00 = dot(h[0], h[0]), g01 = dot(h[0], h[1]), g11 = dot(h[1], h[1]);
  double p0 = dot(h[2], h[0]), p1 = dot(h[2], h[1]), det = g00 * g11 - g01 * g01;
  double x = floor((p0 * g11 - p1 * g01) / det), y = floor((p1 * g00 - p0 * g01) / det);
  double best[3], before = dot(h[2], h[2]), shortest = before;
  memcpy(best, h[2], sizeof best);
  for (int k = 0; k < 16; k++) {
    double trial[3];
    memcpy(trial, h[2], sizeof trial);
    add_multiple(trial, -(x + k % 4 - 1), h[0]);
    add_multiple(trial, -(y + k / 4 - 1), h[1]);
    if (dot(trial, trial) < shortest * (1 - 1e-12)) {
      shortest = dot(trial, trial);
      memcpy(best, trial, sizeof best);
    }
  }
  memcpy(h[2], best, sizeof best);
  return shortest < before;
}

/* Minkowski reduction in three dimensions: I. Semaev, A 3-dimensional lattice reduction algorithm,
 * CaLC 2001. Each pass makes a vector shorter by more than round-off, so it ends. */
static void reduce(double h[3][3]) {
  int again = 1;
  for (int pass = 0; again && pass < 1000; pass++) {
    sort_by_length(h);
    double k = nearbyint(dot(h[0], h[1]) / dot(h[0], h[0]));
    double before = dot(h[1], h[1]);
    double trial[3];
    memcpy(trial, h[1], sizeof trial);
    add_multiple(trial, -k, h[0]);
    again = dot(trial, trial) < before * (1 - 1e-12);
    if (again)
      memcpy(h[1], trial, sizeof trial);
    else
      again = shorten_third(h);
  }
}

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int c = 0; c < 3; c++)
    out[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}

/* inverse[.][a] = (h_b x h_c) / volume; the height along a is the inverse of its length. */
static int invert(cw_lattice *lattice) {
  double volume = 0, scale = 1;
  for (int a = 0; a < 3; a++)
    scale *= sqrt(dot(lattice->h[a], lattice->h[a]));
  for (int a = 0; a < 3; a++) {
    double normal[3];
    cross(lattice->h[(a + 1) % 3], lattice->h[(a + 2) % 3], normal);
    volume = dot(normal, lattice->h[a]);
    if (!(fabs(volume) > 1e-10 * scale))
      return 0;
    lattice->heights[a] = fabs(volume) / sqrt(dot(normal, normal));
    for (int c = 0; c < 3; c++)
      lattice->inverse[c][a] = normal[c] / volume;
  }
  return isfinite(volume);
}

static void fill_shifts(cw_lattice *lattice) {
  int count = 0;
  for (int k = 0; k < 27; k++) {
    if (k == 13)
      continue;
    double t[3] = {0, 0, 0};
    add_multiple(t, k % 3 - 1, lattice->h[0]);
    add_multiple(t, k / 3 % 3 - 1, lattice->h[1]);
    add_multiple(t, k / 9 - 1, lattice->h[2]);
    memcpy(lattice->shifts[count++], t, sizeof t);
  }
}

cw_status cw_lattice_init(cw_context *context, const cw_box *box, cw_lattice *lattice) {
  memset(lattice, 0, sizeof *lattice);
  double largest = 0, off_diagonal = 0;
  for (int a = 0; box && a < 3; a++)
    for (int c = 0; c < 3; c++) {
      double v = box->vectors[a][c];
      if (!isfinite(v))
        return cw_fail(context, CW_ERROR_ARGUMENT,
                       "box vector %d holds a number that is not finite", a + 1);
      largest = fmax(largest, fabs(v));
      if (a != c)
        off_diagonal = fmax(off_diagonal, fabs(v));
    }
  if (largest == 0)
    return CW_OK;
  memcpy(lattice->h, box->vectors, sizeof lattice->h);
  lattice->kind = off_diagonal == 0 ? CW_LATTICE_ORTHOGONAL : CW_LATTICE_TRICLINIC;
  if (!invert(lattice))
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "the box is flat: vectors (%g %g %g) (%g %g %g) (%g %g %g) span no volume",
                   box->vectors[0][0], box->vectors[0][1], box->vectors[0][2], box->vectors[1][0],
                   box->vectors[1][1], box->vectors[1][2], box->vectors[2][0], box->vectors[2][1],
                   box->vectors[2][2]);
  if (lattice->kind == CW_LATTICE_TRICLINIC) {
    reduce(lattice->h);
    if (!invert(lattice))
      return cw_fail(context, CW_ERROR_ARGUMENT, "the box is flat");
  }
  fill_shifts(lattice);
  return CW_OK;
}

static void scale(const cw_lattice *lattice, const double r[3], double s[3]) {
  for (int a = 0; a < 3; a++)
    s[a] = r[0] * lattice->inverse[0][a] + r[1] * lattice->inverse[1][a] +
           r[2] * lattice->inverse[2][a];
}

void cw_lattice_wrap(const cw_lattice *lattice, double r[3]) {
  if (lattice->kind == CW_LATTICE_NONE)
    return;
  double s[3];
  scale(lattice, r, s);
  for (int a = 0; a < 3; a++)
    if (floor(s[a]) != 0)
      add_multiple(r, -floor(s[a]), lattice->h[a]);
}

void cw_lattice_minimum_image(const cw_lattice *lattice, double d[3]) {
  if (lattice->kind == CW_LATTICE_NONE)
    return;
  double s[3];
  scale(lattice, d, s);
  for (int a = 0; a < 3; a++)
    add_multiple(d, -floor(s[a] + 0.5 + CW_HALF_BOX_SLACK), lattice->h[a]);
  if (lattice->kind == CW_LATTICE_ORTHOGONAL)
    return;
  double best[3], shortest = dot(d, d);
  memcpy(best, d, sizeof best);
  for (int k = 0; k < CW_LATTICE_SHIFTS; k++) {
    double trial[3];
    memcpy(trial, d, sizeof trial);
    add_multiple(trial, 1, lattice->shifts[k]);
    if (dot(trial, trial) < shortest) {
      shortest = dot(trial, trial);
      memcpy(best, trial, sizeof best);
    }
  }
  memcpy(d, best, sizeof best);
}

cw_status cw_coordination_minimum_image(cw_context *context, const cw_box *box, double d[3]) {
  cw_lattice lattice;
  CW_TRY(cw_lattice_init(context, box, &lattice));
  cw_lattice_minimum_image(&lattice, d);
  return CW_OK;
}
