/* Gauss's law by displacing particles, which leaves every energy as it is (Y. Chen and G. Toth,
 * J. Comput. Phys. 386 (2019) 632, arXiv 1808.05745).
 *
 * Velocities and fields stand at whole steps, places x half a step later; so does the charge, and
 * E_next belongs to a mean of the charges before and after the move:
 *   div E_next = scale S [g rho(x_next) + (1 - g) rho(x)],
 * g a little above 1/2, so that what is left of one step's error dies away and does not alternate.
 * Displacements d_p = (q_p / m_p) sum_c (S phi)_c grad W_pc change rho by A S phi,
 *   A_cc' = sum_p (q_p^2 / m_p) grad W_pc . grad W_pc',
 * a scalar matrix over cell centres, kept and multiplied as a mass matrix is: per axis it depends on
 * the unordered pair of centres alone. Rounds of g S A S phi = residual, by conjugate gradients, and
 * of displacements follow each other until the charge is right, with the same A as long as that
 * helps. */
#include "engine/ecsim_charge.h"

#include <math.h>

#include "base/context_private.h"
#include "base/space.h"
#include "engine/ecsim_charge_private.h"
#include "fields/ecsim_cuda.h"

enum { ROUNDS = 20 };

static cw_status create_matrix(cw_engine *engine) {
  const cw_deck *deck = engine->deck;
  const cw_massmatrix_options options = {
      .order = deck->algorithms.deposit.shape_order,
      .kind = CW_MASSMATRIX_SCALAR,
      .method = CW_MASSMATRIX_NAIVE,
      .periodic = {!cw_ecsim_conductor(deck, 0), !cw_ecsim_conductor(deck, 1),
                   !cw_ecsim_conductor(deck, 2)},
      .space = engine->space,
  };
  return cw_massmatrix_create(engine->context, &engine->grid, &options,
                              &engine->ecsim->charge->matrix);
}

cw_status cw_ecsim_charge_create(cw_engine *engine) {
  CW_TRY(CW_NEW(engine->context, 1, "charge correction", &engine->ecsim->charge));
  cw_ecsim_charge *charge = engine->ecsim->charge;
  double **const arrays[] = {&charge->before, &charge->smooth, &charge->product};
  CW_TRY(create_matrix(engine));
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    CW_TRY(cw_memory_alloc(engine->context, engine->space, (size_t)engine->grid.points,
                           sizeof(double), "charge correction", (void **)arrays[k]));
  return cw_ecsim_charge_solver_create(engine);
}

void cw_ecsim_charge_destroy(cw_engine *engine) {
  cw_ecsim_charge *charge = engine->ecsim->charge;
  if (!charge)
    return;
  double *const arrays[] = {charge->before, charge->smooth, charge->product};
  cw_ecsim_charge_solver_destroy(charge);
  cw_massmatrix_destroy(charge->matrix);
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    cw_memory_free(engine->context, engine->space, arrays[k]);
  CW_DELETE(engine->context, charge->order);
  CW_DELETE(engine->context, charge->begin);
  CW_DELETE(engine->context, charge);
}

double *cw_ecsim_charge_before(const cw_engine *engine) {
  return engine->ecsim->charge ? engine->ecsim->charge->before : NULL;
}

void cw_ecsim_charge_set_known(cw_engine *engine) {
  engine->ecsim->charge->known = 1;
}

cw_status cw_ecsim_charge_blend(const cw_engine *engine, double unit, double *density) {
  const cw_ecsim_charge *charge = engine->ecsim->charge;
  if (!charge || !charge->known)
    return CW_OK;
  const double after = CW_ECSIM_SHARE_AFTER, share[2] = {after, (1 - after) * unit};
  const double *const of[2] = {density, charge->before};
  if (engine->space == CW_SPACE_DEVICE)
    return cw_ecsim_combine_cuda(engine->context, engine->grid.points, 2, share, of, density);
  for (int64_t k = 0; k < engine->grid.points; k++)
    density[k] = share[0] * density[k] + share[1] * charge->before[k];
  return CW_OK;
}

cw_status cw_ecsim_charge_keep(cw_engine *engine) {
  cw_ecsim_charge *charge = engine->ecsim->charge;
  double largest;
  CW_TRY(cw_ecsim_charge_at_centres(engine, 1, &largest));
  charge->known = 1;
  return cw_space_copy(engine->context, engine->space, charge->before, engine->space,
                       engine->density, (size_t)engine->grid.points * sizeof(double));
}

/* Between periodic sides div E has no mean, and displacements do not change the charge's. */
static void remove_mean(const cw_engine *engine, N_Vector cells, N_Vector work) {
  for (int a = 0; a < engine->grid.dim; a++)
    if (cw_ecsim_conductor(engine->deck, a))
      return;
  N_VConst(1, work);
  const double mean = N_VDotProd(cells, work) / (double)N_VGetLength(cells);
  N_VLinearSum(1, cells, -mean, work, cells);
}

/* residual = div E / scale - S rho, at centres; its largest value and that of one species. */
static cw_status residual_of(cw_engine *engine, double *error, double *largest) {
  cw_ecsim_charge *charge = engine->ecsim->charge;
  cw_ecsim_fields *fields = engine->ecsim->fields;
  CW_TRY(cw_ecsim_charge_at_centres(engine, 1, largest));
  CW_TRY(cw_ecsim_charge_blend(engine, 1, engine->density));
  CW_TRY(cw_ecsim_smooth(fields, -1, engine->density));
  CW_TRY(cw_ecsim_divergence(fields, 0, charge->product));
  CW_TRY(cw_ecsim_charge_collect(engine, charge->product, charge->residual));
  CW_TRY(cw_ecsim_charge_collect(engine, engine->density, charge->direction));
  N_VLinearSum(1 / cw_ecsim_charge_scale(engine->deck), charge->residual, -1, charge->direction,
               charge->residual);
  remove_mean(engine, charge->residual, charge->direction);
  CW_TRY(charge->vectors.status);
  CW_TRY(cw_ecsim_charge_spread(engine, charge->residual, charge->product));
  return engine->space_ops->largest(engine, charge->product, error);
}

/* Once a run: where few particles stand, the law can be out of their reach. */
static void warn(cw_engine *engine, double error) {
  cw_ecsim_charge *charge = engine->ecsim->charge;
  if (!charge->warned)
    cw_log(
        engine->context, CW_LOG_WARNING,
        "algorithms.ecsim.charge_correction leaves an error of %.3g of the largest charge density "
        "of one species at step %lld (charge_error in history.csv): more particles a cell, or "
        "a shorter time step, bring it within reach",
        error, (long long)engine->step);
  charge->warned = 1;
}

cw_status cw_ecsim_charge_correct(cw_engine *engine) {
  const double target = fmax(engine->deck->algorithms.ecsim.solver_tolerance, 1e-14);
  double before = 0, error, largest;
  int slow = 0;
  for (int round = 0; round < ROUNDS; round++) {
    CW_TRY(residual_of(engine, &error, &largest));
    if (error <= target * largest)
      return CW_OK;
    slow = round && error > 0.9 * before ? slow + 1 : 0;
    if (slow == 3)
      break;
    if (error > 0.1 * before) /* the first round, or particles have come to other centres */
      CW_TRY(cw_ecsim_charge_assemble(engine));
    before = error;
    CW_TRY(cw_ecsim_charge_solve(engine));
    CW_TRY(cw_ecsim_charge_smooth(engine, engine->ecsim->charge->phi));
    CW_TRY(cw_ecsim_charge_displace(engine));
  }
  if (error > 1e3 * target * largest)
    warn(engine, error / largest);
  return CW_OK;
}
