/* A block of a Cartesian grid with ghost cells, and how its arrays are laid out. */
#ifndef CELLWISE_GRID_H
#define CELLWISE_GRID_H

#include <stdint.h>

#include <cellwise/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Arrays over the grid hold one value a cell, ghost cells included, axis 0 fastest:
 * value (i, j, k) stands at cw_grid_index(grid, i, j, k), where interior cells count from 0 and
 * ghost cells reach from -ghost to cells + ghost - 1. Axes that are not simulated have one cell and
 * no ghost cells. A primal value of cell i sits at coordinate origin + i dx, a dual (half-shifted)
 * one at origin + (i + 1/2) dx. */
typedef struct cw_grid {
  int dim;           /* simulated axes: 1, 2 or 3 */
  int32_t cells[3];  /* interior cells an axis */
  int32_t ghost;     /* ghost cells on each side of a simulated axis */
  double origin[3];  /* coordinate of the lower corner */
  double dx[3];      /* cell edge lengths; 1 along axes that are not simulated */
  int32_t size[3];   /* cells + 2 ghost (simulated), 1 (others); derived */
  int64_t stride[3]; /* in values; stride[0] = 1; derived */
  int64_t points;    /* values an array; derived */
  int64_t offset;    /* index of interior cell (0, 0, 0); derived */
} cw_grid;

/* Fills the derived members from the others. Errors: CW_ERROR_ARGUMENT (dim, cells, ghost, dx). */
CW_API cw_status cw_grid_init(cw_context *context, cw_grid *grid, int dim, const int32_t cells[3],
                              int32_t ghost, const double origin[3], const double dx[3]);

/* Ghost cells that deposit and gather of a shape order need when a particle moves at most
 * max_move cells (at most 1) along an axis in a step, and may leave the block in that step. */
CW_API int32_t cw_grid_ghost_cells(int order, double max_move);

/* Place in an array over the grid of cell (i, j, k), which may be a ghost cell. */
static inline int64_t cw_grid_index(const cw_grid *grid, int64_t i, int64_t j, int64_t k) {
  return grid->offset + i + j * grid->stride[1] + k * grid->stride[2];
}

/* Three components over one grid, borrowed from their owner; `precision` says float or double. */
typedef struct cw_vector_view {
  cw_precision precision; /* float or double */
  void *component[3];     /* [cw_grid.points] each; NULL where a function allows it */
} cw_vector_view;

/* What stands at a side of the box. Index boundaries as [axis][0 lower, 1 upper]. */
typedef enum cw_field_boundary {
  CW_FIELD_PERIODIC = 0,
  CW_FIELD_CONDUCTOR, /* perfect conductor: tangential E and normal B vanish at the wall */
  CW_FIELD_ABSORB,    /* absorbing layer in front of the wall */
  CW_FIELD_MATCH      /* layer in which the fields go over to given ones, which go on behind it */
} cw_field_boundary;

/* What a particle meets at a side of the box. */
typedef enum cw_particle_boundary {
  CW_PARTICLE_PERIODIC = 0,
  CW_PARTICLE_REFLECT,
  CW_PARTICLE_ABSORB
} cw_particle_boundary;

#ifdef __cplusplus
}
#endif
#endif
