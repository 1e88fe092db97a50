/* Current and charge deposit: zigzag (order 0) and Esirkepov (orders 1 to 11).
 *
 * Sources: T. Umeda et al., Comput. Phys. Commun. 156 (2003) 73, in 3D with the term of
 * J. Villasenor & O. Buneman, Comput. Phys. Commun. 69 (1992) 306, without which it does not close;
 * T. Zh. Esirkepov, Comput. Phys. Commun. 135 (2001) 144. Shapes are centred B-splines. The
 * discrete continuity equation (rho_new - rho_old)/dt + div J = 0 holds per cell to round-off for
 * every order and dimension. */
#ifndef CELLWISE_DEPOSIT_H
#define CELLWISE_DEPOSIT_H

#include <cellwise/cells.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The highest shape order of deposit, gather and charge. */
enum { CW_MAX_SHAPE_ORDER = 11 };

/* Where sums are formed. */
typedef enum cw_deposit_method {
  CW_DEPOSIT_FLAT = 0,   /* any particle order, straight to the grid's arrays */
  CW_DEPOSIT_TILED,      /* a team a tile, sums in a scratch tile of the grid's precision */
  CW_DEPOSIT_TILED_FIXED /* the same in fixed point: the same bits for any order of particles */
} cw_deposit_method;

/* Which code forms a stencil's values; every choice gives the same result to round-off. */
typedef enum cw_deposit_path {
  CW_DEPOSIT_PATH_AUTO = 0, /* vector where it is compiled and pays */
  CW_DEPOSIT_PATH_SCALAR,   /* one particle at a time */
  CW_DEPOSIT_PATH_VECTOR    /* runs of particles in one cell summed in vector registers */
} cw_deposit_path;

/* Zero-initialised means defaults, but for order, charge and dt. */
typedef struct cw_deposit_options {
  int order;                /* shape order, 0 to 11 */
  cw_deposit_method method; /* where sums are formed */
  cw_deposit_path path;     /* which code forms values */
  int drift;       /* cells a particle may be from its tile before it takes the escape path */
  int team_size;   /* threads a team on a device; 0: by occupancy. The CPU's teams are one thread */
  double max_move; /* bound of a particle's move along an axis in this step, cells; 0 means 1. A
                    * device's fixed point takes its quantum from it; a longer move is a fault */
  int scratch_bits; /* of a device's fixed-point tile in single precision: 32, or 64 (0: 64) */
  double charge;    /* of a particle of weight 1 */
  double dt;        /* time step: in-plane currents are charge * weight * displacement / dt */
} cw_deposit_options;

/* Counts of one deposit, for benchmarks and the seed's launch rules; they add up to the number of
 * slots. */
typedef struct cw_deposit_report {
  int64_t tiled;   /* particles summed in a tile's scratch */
  int64_t escaped; /* particles whose stencil did not fit in their tile's window, deposited flat */
  int64_t tail;    /* particles appended since the sort, deposited */
  int64_t flat;    /* particles of a whole flat pass */
  int64_t dead;    /* slots skipped */
  int64_t outside; /* particles whose stencil reaches beyond the ghost cells: not deposited */
} cw_deposit_report;

/* Adds the species' current density times cell volume to J: J_a gets sum of charge * weight * v_a
 * times the shape, at dual positions along a and primal ones along the other axes. In-plane
 * components use displacement * dx / dt from (i_prev, dx_prev) to (i, dx); components along axes
 * that are not simulated use v = u / sqrt(1 + u.u).
 * `cells` may be NULL or not yet sorted: then all particles take the flat path (the seed's first
 * step); slots from npart_partitioned on take it too (the tail pass). J is not zeroed here, and
 * ghost cells receive their share: fold them afterwards. No particle may have moved more than one
 * cell along an axis. The result does not depend on the thread count.
 *   J       in/out, over `grid`, where the particles are
 *   report  out, may be NULL. On a device it is waited for; without it the deposit is queued, and a
 *           particle outside is a fault that the next wait for the device tells
 * Fixed point on a device counts on max_move.
 * A table that is older than the particles' order costs only time (their stencils take the escape
 * path): callers that must know ask cw_cells_check.
 * Errors: CW_ERROR_ARGUMENT (order, tile, drift, precision, ghost cells too few for the order; on a
 * device a tile whose scratch fits in no team's shared memory: the message says which edges do),
 * CW_ERROR_MEMORY, CW_ERROR_NUMERIC (a particle with a value that is not finite, or that moved too
 * far: J is then undefined; the message names its slot and id), CW_ERROR_UNSUPPORTED (path VECTOR
 * where it is not compiled, or with CW_DEPOSIT_TILED_FIXED on less than AVX-512). */
CW_API cw_status cw_deposit_current(cw_context *context, const cw_deposit_options *options,
                                    const cw_grid *grid, const cw_particles_view *particles,
                                    const cw_cells_view *cells, cw_vector_view J,
                                    cw_deposit_report *report);

/* One of several species that are deposited by one call. */
typedef struct cw_deposit_species {
  double charge;               /* of a particle of weight 1 */
  cw_particles_view particles; /* its particles */
  cw_cells_view cells;         /* their last sort; zero-initialised: not sorted */
} cw_deposit_species;

/* cw_deposit_current of `count` species with options in common (their `charge` is not read), all of
 * one precision and in one space. On a device a team sums its tile's particles of all species in one
 * pass, which is faster than a pass a species. In fixed point up to four species share one quantum:
 * the same bits for any order of particles and of species, but not those of a call a species, whose
 * quanta differ and whose sums J takes one after the other.
 *   report  out, may be NULL; sums over the species
 * Errors: as cw_deposit_current, and CW_ERROR_ARGUMENT (precision or space differ). */
CW_API cw_status cw_deposit_currents(cw_context *context, const cw_deposit_options *options,
                                     const cw_grid *grid, const cw_deposit_species *species,
                                     int count, cw_vector_view J, cw_deposit_report *report);

/* The plain double-precision sum of the same formulas, one thread: the oracle of every other form.
 * J must be CW_DOUBLE; the particles may be of either precision. */
CW_API cw_status cw_deposit_current_reference(cw_context *context,
                                              const cw_deposit_options *options,
                                              const cw_grid *grid,
                                              const cw_particles_view *particles, cw_vector_view J);

/* Adds charge * weight times the shape to rho at primal positions (double, one array over `grid`);
 * use_prev = 1 takes the positions before the last push. Order 0 means linear weights, which is
 * what the zigzag current closes with. Deterministic for any thread count. */
CW_API cw_status cw_deposit_charge(cw_context *context, const cw_deposit_options *options,
                                   const cw_grid *grid, const cw_particles_view *particles,
                                   int use_prev, double *rho);

/* 1 when path VECTOR is compiled for that case on this context's instruction set. */
CW_API int cw_deposit_has_vector_path(const cw_context *context, int dim, int order,
                                      cw_precision precision);

#ifdef __cplusplus
}
#endif
#endif
