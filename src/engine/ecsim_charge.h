/* Charge of the energy-conserving engine that obeys Gauss's law: algorithms.ecsim.charge_correction. */
#ifndef CW_ENGINE_ECSIM_CHARGE_H
#define CW_ENGINE_ECSIM_CHARGE_H

#include "engine/ecsim_private.h"

cw_status cw_ecsim_charge_create(cw_engine *engine);
void cw_ecsim_charge_destroy(cw_engine *engine);
/* Before particles move: keeps the charge of their places. */
cw_status cw_ecsim_charge_keep(cw_engine *engine);
/* After they have moved and E is that of the next step: displaces them until Gauss's law holds to
 * the solver's tolerance, relative to the largest charge density of one species, or as well as it
 * can; then, once, a warning. Velocities and fields stay. Same bits for any number of threads. */
cw_status cw_ecsim_charge_correct(cw_engine *engine);
/* density, times unit, of the particles' places becomes that of E's time: a mean of the charges
 * before and after the last move. Nothing is done without the correction, or before a step. */
cw_status cw_ecsim_charge_blend(const cw_engine *engine, double unit, double *density);
/* The charge before the last move, over the grid, in the engine's space: part of the state. NULL
 * without the correction. */
double *cw_ecsim_charge_before(const cw_engine *engine);
/* After it was restored. */
void cw_ecsim_charge_set_known(cw_engine *engine);

#endif
