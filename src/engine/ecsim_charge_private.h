/* What the files of the charge correction share: the method (ecsim_charge.c), its equation
 * (ecsim_charge_solve.c), and what it does to particles (ecsim_charge_particles.c). */
#ifndef CW_ENGINE_ECSIM_CHARGE_PRIVATE_H
#define CW_ENGINE_ECSIM_CHARGE_PRIVATE_H

#include "engine/ecsim_charge.h"
#include "engine/ecsim_charge_body.h"
#include "fields/ecsim_vector.h"

struct cw_ecsim_charge {
  cw_massmatrix *matrix;    /* A */
  double *before;           /* rho(x), ghost cells folded */
  double *smooth, *product; /* over the grid: S x and A S x, or free */
  cw_ecsim_vectors vectors; /* what those share that hold a value a cell: */
  SUNContext sundials;
  N_Vector residual, phi, direction, result;
  int64_t *order, *begin; /* on the host: slots by slab along the last axis */
  int64_t room;
  int known;  /* `before` belongs to the state */
  int warned; /* that the law could not be met */
};

/* g: how much of the charge after a move belongs to E_next. */
static const double CW_ECSIM_SHARE_AFTER = 0.51;

/* Values of a cell each into the interior of an array over the grid, or back. */
cw_status cw_ecsim_charge_spread(cw_engine *engine, N_Vector cells, double *array);
cw_status cw_ecsim_charge_collect(cw_engine *engine, double *array, N_Vector cells);

cw_status cw_ecsim_charge_solver_create(cw_engine *engine);
void cw_ecsim_charge_solver_destroy(cw_ecsim_charge *charge);
/* phi from the residual, which is overwritten. */
cw_status cw_ecsim_charge_solve(cw_engine *engine);
/* charge->smooth = S x, with the ghost cells that products and particles read. */
cw_status cw_ecsim_charge_smooth(cw_engine *engine, N_Vector x);

/* A of the particles where they are. */
cw_status cw_ecsim_charge_assemble(cw_engine *engine);
/* Moves all particles by what charge->smooth says. */
cw_status cw_ecsim_charge_displace(cw_engine *engine);

#endif
