/* Where the masses of COM and of CENTER MASS come from. */
#ifndef CW_CLI_COORDINATION_MASSES_H
#define CW_CLI_COORDINATION_MASSES_H

#include "molecular/input.h"
#include "molecular/trajectory.h"

/* Fills in the weights of virtual atoms: from the first frame, where the trajectory is a structure
 * file; then from the structure `pdb` (occupancy column); then from the rows of `table` (index from
 * 0, mass, charge). Either may be NULL. Errors: CW_ERROR_INPUT, CW_ERROR_FORMAT, CW_ERROR_IO. */
cw_status cw_coordination_masses(cw_input *input, const cw_frame *first, const char *pdb,
                                 const char *table);

#endif
