/* phi of the charge correction: g S A S phi = residual, over cell centres, by conjugate gradients. */
#include <math.h>

#include "base/context_private.h"
#include "engine/ecsim_charge_private.h"
#include "fields/ecsim_cuda.h"

enum { ITERATIONS = 400 };
/* Of one round's equation: displacements are not linear in phi, so more would be lost. */
static const double ROUND_TOLERANCE = 1e-3;

cw_status cw_ecsim_charge_solver_create(cw_engine *engine) {
  cw_ecsim_charge *charge = engine->ecsim->charge;
  const int32_t *cells = engine->grid.cells;
  N_Vector *const made[] = {&charge->residual, &charge->phi, &charge->direction, &charge->result};
  charge->vectors = (cw_ecsim_vectors){.context = engine->context, .space = engine->space};
  if (SUNContext_Create(NULL, &charge->sundials) != 0)
    return cw_fail(engine->context, CW_ERROR_MEMORY, "no memory for the charge correction");
  if (engine->space == CW_SPACE_DEVICE)
    CW_TRY(cw_ecsim_sums_create_cuda(engine->context, &charge->vectors.sums));
  for (size_t k = 0; k < sizeof made / sizeof *made; k++) {
    *made[k] = cw_ecsim_vector_create(&charge->vectors, charge->sundials,
                                      (sunindextype)cells[0] * cells[1] * cells[2]);
    if (!*made[k])
      return CW_ERROR_MEMORY;
  }
  return CW_OK;
}

void cw_ecsim_charge_solver_destroy(cw_ecsim_charge *charge) {
  N_Vector const made[] = {charge->residual, charge->phi, charge->direction, charge->result};
  for (size_t k = 0; k < sizeof made / sizeof *made; k++)
    if (made[k])
      N_VDestroy(made[k]);
  if (charge->sundials)
    SUNContext_Free(&charge->sundials);
  if (charge->vectors.sums)
    cw_ecsim_sums_destroy_cuda(charge->vectors.context, charge->vectors.sums);
}

cw_status cw_ecsim_charge_spread(cw_engine *engine, N_Vector cells, double *array) {
  return cw_ecsim_pack_centres(engine->ecsim->fields, array, cw_ecsim_vector_data(cells), 0);
}

cw_status cw_ecsim_charge_collect(cw_engine *engine, double *array, N_Vector cells) {
  return cw_ecsim_pack_centres(engine->ecsim->fields, array, cw_ecsim_vector_data(cells), 1);
}

cw_status cw_ecsim_charge_smooth(cw_engine *engine, N_Vector x) {
  cw_ecsim_charge *charge = engine->ecsim->charge;
  CW_TRY(cw_ecsim_charge_spread(engine, x, charge->smooth));
  CW_TRY(cw_ecsim_smooth(engine->ecsim->fields, -1, charge->smooth));
  return cw_massmatrix_fill_ghosts(charge->matrix, charge->smooth);
}

/* y = g S A S x. */
static cw_status apply(cw_engine *engine, N_Vector x, N_Vector y) {
  cw_ecsim_charge *charge = engine->ecsim->charge;
  const cw_vector_view in = {.precision = CW_DOUBLE, .component = {charge->smooth}};
  const cw_vector_view out = {.precision = CW_DOUBLE, .component = {charge->product}};
  CW_TRY(cw_ecsim_charge_smooth(engine, x));
  CW_TRY(cw_massmatrix_product(charge->matrix, in, out));
  CW_TRY(cw_ecsim_smooth(engine->ecsim->fields, -1, charge->product));
  CW_TRY(cw_ecsim_charge_collect(engine, charge->product, y));
  N_VScale(CW_ECSIM_SHARE_AFTER, y, y);
  return CW_OK;
}

/* Conjugate gradients do not mind that A has no answer for what particles can't change. */
cw_status cw_ecsim_charge_solve(cw_engine *engine) {
  cw_ecsim_charge *charge = engine->ecsim->charge;
  N_Vector const residual = charge->residual, direction = charge->direction;
  N_VConst(0, charge->phi);
  N_VScale(1, residual, direction);
  double square = N_VDotProd(residual, residual);
  const double target = ROUND_TOLERANCE * ROUND_TOLERANCE * square;
  for (int k = 0; k < ITERATIONS && square > target; k++) {
    CW_TRY(apply(engine, direction, charge->result));
    const double curvature = N_VDotProd(direction, charge->result);
    if (!(curvature > 0))
      break;
    const double step = square / curvature, before = square;
    N_VLinearSum(1, charge->phi, step, direction, charge->phi);
    N_VLinearSum(1, residual, -step, charge->result, residual);
    square = N_VDotProd(residual, residual);
    N_VLinearSum(1, residual, square / before, direction, direction);
  }
  return charge->vectors.status;
}
