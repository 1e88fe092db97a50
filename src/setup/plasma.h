/* The plasma that a deck's expressions describe: compiled, evaluated, checked. */
#ifndef CW_SETUP_PLASMA_H
#define CW_SETUP_PLASMA_H

#include "setup/setup.h"

typedef struct cw_plasma cw_plasma;

/* Compiles the expressions of problem "expressions", for so many threads at a time (0: the
 * context's). Errors: CW_ERROR_INPUT (with the character's place), CW_ERROR_MEMORY. */
cw_status cw_plasma_create(cw_context *context, const cw_deck *deck, int threads,
                           cw_plasma **plasma);
void cw_plasma_destroy(cw_plasma *plasma);
/* Evaluates everything at cell centres, at most CW_PLASMA_SAMPLES of them evenly over the box.
 * Errors: CW_ERROR_INPUT: a value is not finite, a density or temperature negative, a speed not
 * below c; the message names the place. */
cw_status cw_plasma_check(const cw_plasma *plasma);
enum { CW_PLASMA_SAMPLES = 65536 };
/* Mean over those samples, in units of n0. */
double cw_plasma_mean_density(const cw_plasma *plasma, int species);
/* Largest density, lowest temperature and highest mean speed at those samples where the density is
 * not 0; largest magnetic field. */
void cw_plasma_extremes(const cw_plasma *plasma, int species, cw_species_scales *scales);

/* The first species whose density is the same text, or number, as this one's. */
int cw_plasma_leader(const cw_plasma *plasma, int species);
/* Mean density over a cell by Gauss's points, two an axis (exact for cubics); NAN where the density
 * at one of them is negative or not finite. */
double cw_plasma_density(const cw_plasma *plasma, int species, const double lower[3],
                         const double upper[3]);
/* Mean velocity and temperature at a place; 0 when they are not those of a plasma. */
int cw_plasma_motion(const cw_plasma *plasma, int species, const double x[3], double drift[3],
                     double *temperature);
/* Initial fields, as cw_initial_field. */
double cw_plasma_E(const void *plasma, int axis, const double x[3]);
double cw_plasma_B(const void *plasma, int axis, const double x[3]);

/* After a failure: finds the first cell, particle or field value that cannot be, and records what
 * and where. The last two return CW_OK where there is none. */
cw_status cw_plasma_fail_density(const cw_plasma *plasma, int species, const cw_grid *grid);
cw_status cw_plasma_check_motion(const cw_plasma *plasma, int species, const cw_grid *grid,
                                 const cw_particles *particles);
cw_status cw_plasma_check_fields(const cw_plasma *plasma, const cw_setup_target *target);
#endif
