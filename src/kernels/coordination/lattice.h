/* A periodic box in its reduced basis, and minimum images in it. */
#ifndef CW_KERNELS_COORDINATION_LATTICE_H
#define CW_KERNELS_COORDINATION_LATTICE_H

#include <cellwise/coordination.h>

enum { CW_LATTICE_SHIFTS = 26 };

typedef enum cw_lattice_kind {
  CW_LATTICE_NONE = 0,   /* no box */
  CW_LATTICE_ORTHOGONAL, /* edges along the axes */
  CW_LATTICE_TRICLINIC
} cw_lattice_kind;

/* Rows are vectors. A scaled coordinate is s_a = sum_c r_c inverse[c][a], and r_c = sum_a s_a
 * h[a][c]. The basis is Minkowski-reduced: the shortest image of a vector whose scaled coordinates
 * lie in
 * [-1/2, 1/2) is that vector plus one with coefficients in {-1, 0, 1}, the `shifts`. */
typedef struct cw_lattice {
  cw_lattice_kind kind;
  double h[3][3], inverse[3][3];
  double heights[3]; /* distance between the faces that vector a joins */
  double shifts[CW_LATTICE_SHIFTS][3];
} cw_lattice;

/* box may be NULL. Errors: CW_ERROR_ARGUMENT (flat or not finite). */
cw_status cw_lattice_init(cw_context *context, const cw_box *box, cw_lattice *lattice);
/* Replaces d by its shortest image. */
void cw_lattice_minimum_image(const cw_lattice *lattice, double d[3]);
/* Moves r into the box: scaled coordinates in [0, 1). Coordinates already there are not touched. */
void cw_lattice_wrap(const cw_lattice *lattice, double r[3]);

/* An image half a box away within this fraction of the box counts as exactly there, so that the
 * choice among two equally short images (the negative one, as in PLUMED) is not left to round-off.
 */
#define CW_HALF_BOX_SLACK 7e-15

#endif
