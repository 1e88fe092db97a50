/* Particles of the charge correction: their matrix, and their displacement. */
#include <math.h>
#include <string.h>

#include "base/context_private.h"
#include "engine/ecsim_charge_cuda.h"
#include "engine/ecsim_charge_private.h"

enum { COLOURS = 3 };

static cw_ecsim_charge_job job_of(const cw_engine *engine, int s, double factor) {
  return (cw_ecsim_charge_job){.grid = engine->grid,
                               .particles = cw_particles_get_view(engine->species[s].particles),
                               .factor = factor,
                               .walls = {cw_ecsim_conductor(engine->deck, 0),
                                         cw_ecsim_conductor(engine->deck, 1),
                                         cw_ecsim_conductor(engine->deck, 2)}};
}

/* q^2 / m. */
static double response_of(const cw_engine *engine, int s) {
  const cw_deck_species *species = engine->species[s].deck;
  return species->charge * species->charge / species->mass;
}

/* ---- on the host ---- */

static cw_status reserve_order(cw_engine *engine, int64_t slots, int64_t slabs) {
  cw_ecsim_charge *charge = engine->ecsim->charge;
  if (!charge->begin)
    CW_TRY(CW_NEW(engine->context, slabs + 1, "order of particles", &charge->begin));
  if (charge->room >= slots)
    return CW_OK;
  CW_DELETE(engine->context, charge->order);
  charge->order = NULL;
  charge->room = 0;
  CW_TRY(CW_NEW(engine->context, slots, "order of particles", &charge->order));
  charge->room = slots;
  return CW_OK;
}

/* Slots of one species in order of their slab along the last axis, dead ones left out. */
static cw_status order_slots(cw_engine *engine, const cw_particles_view *view) {
  cw_ecsim_charge *charge = engine->ecsim->charge;
  const int axis = engine->grid.dim - 1;
  const int32_t slabs = engine->grid.cells[axis], *slab = view->i[axis];
  CW_TRY(reserve_order(engine, view->count, slabs));
  int64_t *begin = charge->begin;
  memset(begin, 0, ((size_t)slabs + 1) * sizeof *begin);
  for (int64_t p = 0; p < view->count; p++)
    if (cw_ecsim_is_live(view, p))
      begin[slab[p] + 1]++;
  for (int32_t k = 0; k < slabs; k++)
    begin[k + 1] += begin[k];
  for (int64_t p = 0; p < view->count; p++)
    if (cw_ecsim_is_live(view, p))
      charge->order[begin[slab[p]]++] = p;
  memmove(begin + 1, begin, (size_t)slabs * sizeof *begin);
  begin[0] = 0;
  return CW_OK;
}

static inline void add_particle(const cw_ecsim_charge_job *job, int order, int dim, int64_t p,
                                double *values) {
  cw_ecsim_charge_pairs pairs;
  const double factor = cw_ecsim_find_pairs(job, order, dim, p, &pairs);
  for (int k = 0; k < pairs.count[2]; k++)
    for (int j = 0; j < pairs.count[1]; j++)
      for (int i = 0; i < pairs.count[0]; i++)
        values[cw_ecsim_pair_place(&pairs, i, j, k)] +=
            cw_ecsim_pair_value(&pairs, factor, i, j, k);
}

/* Particles of one slab write into three: slabs of one of three colours do not meet. */
static void add_on_host(const cw_engine *engine, const cw_ecsim_charge_job *job, double *values) {
  const cw_ecsim_charge *charge = engine->ecsim->charge;
  const int order = engine->deck->algorithms.deposit.shape_order, dim = engine->grid.dim;
  const int32_t slabs = engine->grid.cells[dim - 1];
  for (int colour = 0; colour < COLOURS; colour++) {
#pragma omp parallel for schedule(dynamic) if (job->particles.count > CW_BLOCK)                    \
    num_threads(cw_context_threads(engine->context))
    for (int32_t slab = colour; slab < slabs; slab += COLOURS)
      for (int64_t k = charge->begin[slab]; k < charge->begin[slab + 1]; k++)
        add_particle(job, order, dim, charge->order[k], values);
  }
}

static cw_status assemble_on_host(cw_engine *engine, double *values) {
  for (int s = 0; s < engine->species_count; s++) {
    const cw_ecsim_charge_job job = job_of(engine, s, response_of(engine, s));
    if (job.factor == 0)
      continue;
    CW_TRY(order_slots(engine, &job.particles));
    add_on_host(engine, &job, values);
  }
  return CW_OK;
}

static void displace_on_host(const cw_engine *engine, const cw_ecsim_charge_job *job) {
  const int order = engine->deck->algorithms.deposit.shape_order, dim = engine->grid.dim;
  const double *phi = engine->ecsim->charge->smooth;
#pragma omp parallel for schedule(static) if (job->particles.count > CW_BLOCK)                     \
    num_threads(cw_context_threads(engine->context))
  for (int64_t p = 0; p < job->particles.count; p++)
    if (cw_ecsim_is_live(&job->particles, p))
      cw_ecsim_displace_one(job, phi, order, dim, p);
}

/* ---- on a device ---- */

/* Sums are formed in whole quanta, so that they are the same in any order: a power of two for which
 * no sum passes 2^61 of them. A particle adds at most 4 q^2 w / m sum_a 1 / dx_a^2 to a value. */
static cw_status find_quanta(cw_engine *engine, double *quanta) {
  double bound = 0, steps = 0;
  for (int a = 0; a < engine->grid.dim; a++)
    steps += 4 / (engine->grid.dx[a] * engine->grid.dx[a]);
  for (int s = 0; s < engine->species_count; s++) {
    const cw_particles_view view = cw_particles_get_view(engine->species[s].particles);
    double weights = 0;
    int64_t alive = 0;
    CW_TRY(engine->space_ops->add_sums(engine, &view, CW_ECSIM_WEIGHTS, &weights, &alive));
    bound += steps * response_of(engine, s) * weights;
  }
  int exponent;
  frexp(bound, &exponent);
  *quanta = ldexp(1, 61 - exponent);
  return CW_OK;
}

static cw_status assemble_on_device(cw_engine *engine, double *values) {
  const cw_massmatrix_view matrix = cw_massmatrix_get_view(engine->ecsim->charge->matrix);
  double quanta;
  CW_TRY(find_quanta(engine, &quanta));
  for (int s = 0; s < engine->species_count; s++) {
    const cw_ecsim_charge_job job = job_of(engine, s, response_of(engine, s) * quanta);
    if (job.factor != 0)
      CW_TRY(cw_ecsim_charge_add_cuda(engine->context, matrix.order, &job, values));
  }
  return cw_ecsim_charge_scale_cuda(engine->context, matrix.entries * matrix.points, 1 / quanta,
                                    values);
}

/* ---- both ---- */

cw_status cw_ecsim_charge_assemble(cw_engine *engine) {
  cw_massmatrix *matrix = engine->ecsim->charge->matrix;
  cw_massmatrix_clear(matrix);
  double *values = cw_massmatrix_get_view(matrix).values;
  CW_TRY(engine->space == CW_SPACE_DEVICE ? assemble_on_device(engine, values)
                                          : assemble_on_host(engine, values));
  return cw_massmatrix_finish(matrix);
}

cw_status cw_ecsim_charge_displace(cw_engine *engine) {
  const double *phi = engine->ecsim->charge->smooth;
  for (int s = 0; s < engine->species_count; s++) {
    const cw_deck_species *species = engine->species[s].deck;
    const cw_ecsim_charge_job job = job_of(engine, s, species->charge / species->mass);
    if (job.factor == 0)
      continue;
    if (engine->space == CW_SPACE_DEVICE)
      CW_TRY(cw_ecsim_charge_displace_cuda(
          engine->context, engine->deck->algorithms.deposit.shape_order, &job, phi));
    else
      displace_on_host(engine, &job);
  }
  return CW_OK;
}
