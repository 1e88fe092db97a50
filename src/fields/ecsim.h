/* Fields of the energy-conserving semi-implicit method: E and currents on nodes, B at centres.
 *
 * G. Lapenta, J. Comput. Phys. 334 (2017) 349. With th = theta and F = curl, c = 1, a step solves
 *   E' + (th dt)^2 F F E' + kappa th dt S M S E' = E + th dt F B - kappa th dt S Jhat,
 * then E_next = (E' - (1 - th) E) / th and B_next = B - dt F E'. F takes nodes to centres by the
 * mean over a cell's four parallel edges of the difference along an axis; from centres to nodes it
 * is minus the transpose, so <E, F B>_nodes = <F E, B>_centres and, with the residual r of E',
 *   change of the energy = -(V / (th four_pi)) sum E' . r
 *                          - (th - 1/2) (V / four_pi) sum (|dE|^2 + |dB|^2).
 * S is the binomial filter (1/4, 1/2, 1/4) along every axis, `smoothing_passes` times.
 *
 * An axis is periodic or ends at conductors: there the tangential E on the wall's nodes, one more
 * than cells, is no unknown but zero, a wall's node stands for half a cell in all sums over nodes,
 * and ghost cells hold mirror images: tangential B and normal E even, normal B, tangential E odd.
 * All arrays are doubles over the grid; node i of an axis stands at origin + i dx, centre i at
 * origin + (i + 1/2) dx. Arrays are in the memory of options.space; on a device work is queued, but
 * for what has a result on the host. Functions that return a status are collective. */
#ifndef CW_FIELDS_ECSIM_H
#define CW_FIELDS_ECSIM_H

#include <cellwise/grid.h>
#include <cellwise/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cw_ecsim_fields cw_ecsim_fields;

typedef struct cw_ecsim_options {
  double dt, theta;     /* theta in [1/2, 1] */
  double current_scale; /* kappa: four_pi over the cell volume, in the fields' unit */
  double four_pi;       /* 1, or 4 pi in Gaussian units */
  int smoothing_passes;
  double tolerance; /* of the true residual, relative to the first one */
  int restart;      /* Krylov vectors of one GMRES cycle */
  int iterations;   /* at most, in one solve */
  cw_space space;   /* of all arrays */
  int conductor[3]; /* 1: the axis ends at conductors on both sides */
} cw_ecsim_options;

/* Particles' response: J = M E on all nodes that they reach, those behind conductors included,
 * without the factor kappa. E's ghost cells are filled; E and J are arrays over the grid, J is zero
 * on entry if there are conductors. */
typedef cw_status cw_ecsim_response(void *user, const double *const E[3], double *const J[3]);

typedef struct cw_ecsim_report {
  int iterations;
  double first_residual, residual; /* norms over nodes and components; the true ones */
  double right_side;               /* norm of the right-hand side */
  double work;                     /* sum over nodes of E' . r */
} cw_ecsim_report;

/* Fields are zero at first. Errors: CW_ERROR_ARGUMENT (options, a grid without ghost cells),
 * CW_ERROR_UNSUPPORTED (no device), CW_ERROR_MEMORY. */
cw_status cw_ecsim_create(cw_context *context, const cw_grid *grid, const cw_ecsim_options *options,
                          cw_ecsim_fields **fields);
void cw_ecsim_destroy(cw_ecsim_fields *fields);

/* E and B of the last whole step; B_node: B averaged to nodes; E_theta: E' of the last solve;
 * E_particles: S E'; Jhat: the source, to be filled before a solve, without kappa; J: the current
 * of the last solve, S (Jhat + M S E'), in the same unit. */
cw_vector_view cw_ecsim_E(const cw_ecsim_fields *fields);
cw_vector_view cw_ecsim_B(const cw_ecsim_fields *fields);
cw_vector_view cw_ecsim_B_node(const cw_ecsim_fields *fields);
cw_vector_view cw_ecsim_E_theta(const cw_ecsim_fields *fields);
cw_vector_view cw_ecsim_E_particles(const cw_ecsim_fields *fields);
cw_vector_view cw_ecsim_Jhat(const cw_ecsim_fields *fields);
cw_vector_view cw_ecsim_J(const cw_ecsim_fields *fields);

/* Ghost cells of E and B, and B_node, after E or B were set from outside. */
cw_status cw_ecsim_update(cw_ecsim_fields *fields);
/* E' by GMRES from E, with ghost cells of E_theta and E_particles filled. Jhat's interior is the
 * source. Errors: CW_ERROR_NUMERIC (the solver stalls: the message has the residual, the number of
 * iterations and advice; or a value is not finite), CW_ERROR_MEMORY; E and B are unchanged. */
cw_status cw_ecsim_solve(cw_ecsim_fields *fields, cw_ecsim_response *response, void *user,
                         cw_ecsim_report *report);
/* E_particles = S E of the last whole step, with ghost cells: what particles would feel then. Until
 * the next solve. */
cw_status cw_ecsim_feel(cw_ecsim_fields *fields);
/* E and B of the next step from E', then as cw_ecsim_update. */
cw_status cw_ecsim_advance(cw_ecsim_fields *fields);

/* Sums over nodes and centres times V / (2 four_pi): of |E|^2 and |B|^2. */
cw_status cw_ecsim_energy(cw_ecsim_fields *fields, double *electric, double *magnetic);
/* max |div E - scale S rho| over centres and the largest |scale S rho|: rho at centres over the
 * grid, interior only; it is smoothed in place. NAN on failure. */
cw_status cw_ecsim_charge_error(cw_ecsim_fields *fields, double *rho, double scale,
                                double *max_error, double *max_rho);
/* div E at centres, or div B at nodes (of_B = 1), into the interior of an array over the grid, in
 * the fields' space. */
cw_status cw_ecsim_divergence(cw_ecsim_fields *fields, int of_B, double *out);
/* S of one array over the grid: component 0 to 2 of E or a current on nodes, -1: a charge at
 * centres; ghost cells are neither read nor filled. */
cw_status cw_ecsim_smooth(cw_ecsim_fields *fields, int component, double *array);
/* Values at centres over the interior of an array, to a packed array of one a cell, axis 0 fastest
 * (pack = 1), or back. */
cw_status cw_ecsim_pack_centres(const cw_ecsim_fields *fields, double *array, double *packed,
                                int pack);
/* A current as deposited, folded along periodic axes: what stands behind conductors is added to
 * what it is the image of, and wall values are divided by their nodes' shares of a cell. */
cw_status cw_ecsim_fold_walls(cw_ecsim_fields *fields, double *const array[3]);
/* A moment of the particles as deposited on nodes, folded along every axis: mirror images add, with
 * the opposite sign across an axis that it is odd along. A wall's node then holds a density too.
 * `space` is that of the sums. */
cw_status cw_ecsim_fold_moment(cw_ecsim_fields *fields, cw_space space, const int odd[3],
                               double *sums);
/* A charge as deposited at centres: conductors mirror it with the opposite sign. */
cw_status cw_ecsim_fold_charge(cw_ecsim_fields *fields, double *charge);
/* out = curl in over the interior, from nodes to centres or (to_node = 1) back. Ghost cells of
 * `in` must be filled. */
cw_status cw_ecsim_curl(const cw_ecsim_fields *fields, int to_node, const double *const in[3],
                        double *const out[3]);

#ifdef __cplusplus
}
#endif
#endif
