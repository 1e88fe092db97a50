/* Fields on a Yee grid: E, B and J with ghost cells, their update, boundaries and diagnostics.
 *
 * K. S. Yee, IEEE Trans. Antennas Propag. 14 (1966) 302. E_a and J_a are dual along a and primal
 * along the other axes; B_a is primal along a and dual along the others. c = 1. Arrays live in one
 * space, where all work on them is done; on the device it is queued on the context's stream. All
 * functions are called on the host; those that return a status are collective. README.md has the
 * boundary rules. */
#ifndef CW_FIELDS_FIELDS_H
#define CW_FIELDS_FIELDS_H

#include <cellwise/grid.h>
#include <cellwise/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cw_fields cw_fields;

typedef struct cw_fields_options {
  cw_precision precision;
  cw_space space; /* of E, B, J, and of every array that a function here is given */
  cw_field_boundary boundary[3][2];    /* of simulated axes; periodic on both sides or neither */
  cw_particle_boundary particle[3][2]; /* how J and rho fold; periodic where the fields are */
  double absorb_width[3];              /* thickness of an absorbing layer, in length units */
  double match_width[3];               /* of a layer that matches */
  double correction;                   /* multiplies c in the curl (timestep.correction); 0: 1 */
} cw_fields_options;

/* E, B and J are zero at first. The grid needs at least 2 ghost cells. Errors: CW_ERROR_ARGUMENT
 * (options that contradict each other, layers thicker than the box), CW_ERROR_MEMORY,
 * CW_ERROR_UNSUPPORTED (device space in a build or context without a device); on a device, every
 * function here may also return CW_ERROR_DEVICE. */
cw_status cw_fields_create(cw_context *context, const cw_grid *grid,
                           const cw_fields_options *options, cw_fields **fields);
void cw_fields_destroy(cw_fields *fields);
cw_vector_view cw_fields_E(const cw_fields *fields);
cw_vector_view cw_fields_B(const cw_fields *fields);
cw_vector_view cw_fields_J(const cw_fields *fields);

/* What matching sides take the fields to: Ex ... Bz, double over the grid with its ghost cells,
 * which hold what goes on behind the sides, in the fields' space; borrowed until the next call. NULL:
 * 0. */
void cw_fields_match(cw_fields *fields, const double *const target[6]);

/* Errors of the updates: CW_ERROR_ARGUMENT (a dt or scale that is not finite).
 * B -= dt curl E over the interior (and what walls need), then boundaries and ghost cells of B. */
cw_status cw_fields_advance_B(cw_fields *fields, double dt);
/* E += dt curl B - current_scale J, then boundaries and ghost cells of E. */
cw_status cw_fields_advance_E(cw_fields *fields, double dt, double current_scale);
/* Ghost cells and walls of E and B as they stand (after the initial fields are set). */
cw_status cw_fields_fill_ghosts(cw_fields *fields);
cw_status cw_fields_zero_J(cw_fields *fields);
/* After the deposit: folds the ghost cells of J (periodic: to the image cells; reflecting wall:
 * mirrored, the normal component with a minus sign, and values on the wall doubled; absorbing
 * wall: dropped), then `passes` of the binomial filter (1/4, 1/2, 1/4) along every simulated axis
 * with the same symmetry, then ghost cells that continue J. Both keep discrete continuity.
 * To be called once a deposit. On a device the arrays of J may change places with a spare one:
 * take cw_fields_J anew afterwards. Errors: CW_ERROR_ARGUMENT (passes < 0), CW_ERROR_MEMORY. */
cw_status cw_fields_sync_J(cw_fields *fields, int passes);
/* After J was set from outside, folded, filtered and with its ghost cells: as if sync_J had done so
 * with that many passes. */
void cw_fields_restore_passes(cw_fields *fields, int passes);
/* The same folding and filtering for a charge density (primal), double, over the same grid, in the
 * fields' space. */
cw_status cw_fields_sync_rho(cw_fields *fields, double *rho, int passes);

/* The same for a moment of particles on the host (double), wherever the fields are: folded, what
 * stands beyond absorbing walls dropped, ghost cells filled. odd[a]: it changes sign in a mirror
 * across axis a, as a momentum along a does; it is then zero on a wall that reflects. */
cw_status cw_fields_sync_moment(cw_fields *fields, const int odd[3], double *moment);

/* Sums over the block's interior times cell volume: half of |E|^2 and of |B|^2. */
cw_status cw_fields_energy(cw_fields *fields, double *electric, double *magnetic);
/* max |div E - scale rho| over interior nodes, and the largest |scale rho| there; rho synced,
 * double. Left out are walls, absorbing layers and, in front of walls that absorb particles, as
 * many nodes as ghost cells and filter passes: a particle that was dropped behind such a wall has
 * left its share there. Both results are NAN on failure. Errors: CW_ERROR_NUMERIC (E or rho holds
 * a value that is not finite), CW_ERROR_ARGUMENT, CW_ERROR_MEMORY. */
cw_status cw_fields_charge_error(cw_fields *fields, const double *rho, double scale,
                                 double *max_error, double *max_rho);
/* The nodes along an axis, from *first to *end - 1, that charge_error looks at. */
void cw_fields_checked_range(const cw_fields *fields, int axis, int32_t *first, int32_t *end);
/* div E (primal nodes) or div B (cell centres) into the interior of an array of doubles over the
 * grid; its ghost cells are left as they are. Needs the ghost cells of E or B. */
cw_status cw_fields_divergence(cw_fields *fields, int of_B, double *divergence);

#ifdef __cplusplus
}
#endif
#endif
