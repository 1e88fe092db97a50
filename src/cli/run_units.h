/* SI units of what a run writes. A deck fixes lengths in L, speeds in c, and fields and densities
 * by larmor0 and skindepth0; with output.length_SI metres for an L and an electron for the
 * reference particle all of them have values in SI. */
#ifndef CW_CLI_RUN_UNITS_H
#define CW_CLI_RUN_UNITS_H

#include "engine/engine.h"
#include "output/output.h"

/* openPMD: value in the file times unit_SI is in SI; dimension: powers of L M T I theta N J. */
void cw_run_unit_of_record(const cw_deck *deck, cw_deck_quantity_kind kind, double *unit_SI,
                           double dimension[7]);
/* The engine's step and time, with the units of time and length. */
cw_output_time cw_run_time(const cw_deck *deck, const cw_engine *engine);
/* kg, C, kg m / s: of the reference particle's mass, charge and m0 c. */
double cw_run_mass_SI(void);
double cw_run_charge_SI(void);
double cw_run_momentum_SI(void);
/* Particles a cubic metre at density n0; in 1D and 2D the missing lengths are an L each. */
double cw_run_density_SI(const cw_deck *deck);

#endif
