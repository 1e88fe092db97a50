/* What Harris sheets of ions and electrons share (E. G. Harris, Nuovo Cimento 23 (1962) 115): sheets
 * of density sech^2((y - middle) / d) that carry a current along z, and a uniform background. */
#ifndef CW_SETUP_HARRIS_H
#define CW_SETUP_HARRIS_H

#include "setup/loaders.h"

/* Electrons first, then ions. The sheets' particles drift along z, opposite in the second sheet,
 * with velocities that are Gaussian and not relativistic. */
typedef struct cw_harris {
  int sheets; /* 1 or 2 */
  double middle[2], half_width, background;
  double thermal[2]; /* speed of each component */
  double drift[2];   /* in the first sheet */
} cw_harris;

/* Electrons and ions, or these twice: of the sheets and of the background. CW_ERROR_INPUT. */
cw_status cw_harris_check_species(cw_context *context, const cw_deck *deck);
/* Particles of a species, where ppc0 counts those of one cell at a sheet's middle. */
int64_t cw_harris_expected(const cw_harris *harris, const cw_deck *deck, int species);
/* Loads all of the target's species, electrons and ions at the same places: no charge at the
 * start. Where two species hold sheets and background together, they drift with the mean of what
 * they hold, drift n_sheet / n. Errors: as cw_loader_inject. */
cw_status cw_harris_load(const cw_harris *harris, const cw_setup_target *target);
/* Density, temperature and speed of a species. */
void cw_harris_scales(const cw_harris *harris, const cw_deck *deck, int species,
                      cw_species_scales *scales);

/* Component 0 or 1 of the field of a flux function psi, dB = grad psi x z, at a cell's centre x:
 * differences of psi between the cell's corners, in the mean over the other axis, which are the very
 * differences of the engine's curl, so that div B = 0 to round-off. */
typedef double cw_harris_flux(const void *user, double x, double y);
double cw_harris_flux_field(cw_harris_flux *flux, const void *user, const double dx[2], int axis,
                            const double x[3]);

#endif
