/* State of the energy-conserving engine beside what all engines share. */
#ifndef CW_ENGINE_ECSIM_PRIVATE_H
#define CW_ENGINE_ECSIM_PRIVATE_H

#include <cellwise/massmatrix.h>

#include "engine/ecsim.h"
#include "engine/engine_private.h"

typedef struct cw_ecsim_charge cw_ecsim_charge; /* ecsim_charge.c */

struct cw_ecsim_state {
  cw_ecsim_fields *fields;
  cw_massmatrix *matrix;
  double *nodes;        /* E and B for the mover: [points][CW_ECSIM_NODE] */
  int64_t *faults;      /* of the mover, one a block */
  int64_t fault_blocks; /* room there */
  cw_ecsim_report report;
  double *gamma[CW_DECK_MAX_SPECIES]; /* relativistic particles': means of the step, by slots */
  int64_t gamma_room[CW_DECK_MAX_SPECIES];
  cw_ecsim_charge *charge; /* NULL: no charge correction */
};

cw_status cw_ecsim_move(cw_engine *engine);
/* Before a deposit: each relativistic particle's mean gamma of the step, by the E of its start. */
cw_status cw_ecsim_predict(cw_engine *engine);
cw_status cw_ecsim_diagnose(cw_engine *engine, cw_engine_diagnostics *diagnostics);
cw_status cw_ecsim_density(cw_engine *engine, int species, double **density);
/* The charge density at cell centres that div E answers to, per reference charge and n0. */
cw_status cw_ecsim_gauss_charge(cw_engine *engine, double **density);
/* Charges times `unit` of the places at cell centres, folded, in engine->density, and the largest of
 * any one species. */
cw_status cw_ecsim_charge_at_centres(cw_engine *engine, double unit, double *largest);
/* What a particle's charge times 1 / volume is multiplied by in div E = scale rho. */
double cw_ecsim_charge_scale(const cw_deck *deck);
/* beta = q dt / (2 m) of a species, for fields in units of B0. */
double cw_ecsim_beta(const cw_deck *deck, const cw_deck_species *species);
/* When external fields act in the step to come: at theta, where E is solved for. */
double cw_ecsim_external_time(const cw_engine *engine);
/* 1 where an axis ends at conductors. */
int cw_ecsim_conductor(const cw_deck *deck, int axis);
/* 4 pi in Gaussian units, else 1. */
double cw_ecsim_four_pi(const cw_deck *deck);

#endif
