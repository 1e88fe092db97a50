/* Virtual atoms: where they are, and how their derivatives reach the real atoms. */
#ifndef CW_MOLECULAR_VIRTUAL_H
#define CW_MOLECULAR_VIRTUAL_H

#include "kernels/coordination/lattice.h"
#include "molecular/input.h"

/* Fills in weights that are masses. mass may be NULL. Errors: CW_ERROR_INPUT (a mass unknown). */
cw_status cw_virtual_masses(cw_input *input, const double *mass);
/* Computes positions[atoms + k] for every virtual atom k, in the order of definition. */
void cw_virtual_place(const cw_input *input, const cw_lattice *lattice, double *positions);
/* Adds the derivatives of virtual atoms to those of the atoms that they are made of. */
void cw_virtual_spread(const cw_input *input, double *derivatives);

#endif
