/* Moments of a species' particles at nodes: what density, bulk velocity, stress and temperature in
 * the output are made of. */
#include <math.h>
#include <string.h>

#include <omp.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "engine/ecsim.h"
#include "engine/engine_private.h"
#include "kernels/deposit/deposit_moments.h"

static const int pairs[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};

/* One species on its way to the grid. */
typedef struct summing {
  cw_engine *engine;
  double mass;
  int slow;                     /* engine ecsim: u is a velocity */
  double unit;                  /* of a weight: 1 / ppc0 */
  int count;                    /* of moments asked for */
  cw_moment moment[CW_MOMENTS]; /* which */
  double *sums[CW_MOMENTS];     /* where to, over the grid */
  double *values[CW_MOMENTS];   /* of the particles of a part */
  int64_t room;
} summing;

/* All moments of one particle of weight w. */
static void moments_of(const summing *work, const double u[3], double w, double value[CW_MOMENTS]) {
  const double u2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2], m = work->mass;
  const int massless = m == 0;
  const double gamma = massless ? sqrt(u2) : work->slow ? 1 : sqrt(1 + u2);
  const double inertia = massless ? 1 : m; /* of u in momentum and energy */
  const double kinetic = massless ? gamma : work->slow ? 0.5 * u2 : u2 / (gamma + 1);
  value[CW_MOMENT_N] = w;
  value[CW_MOMENT_T00] = w * inertia * (massless ? gamma : 1 + kinetic);
  value[CW_MOMENT_REST] = massless ? 0 : w * m / gamma;
  value[CW_MOMENT_KINETIC] = w * inertia * kinetic;
  value[CW_MOMENT_COUNT_ALIVE] = 1;
  for (int a = 0; a < 3; a++) {
    value[CW_MOMENT_FLUX + a] = gamma > 0 ? w * u[a] / gamma : 0;
    value[CW_MOMENT_T0I + a] = w * inertia * u[a];
  }
  for (int p = 0; p < 6; p++)
    value[CW_MOMENT_TIJ + p] =
        gamma > 0 ? w * inertia * u[pairs[p][0]] * u[pairs[p][1]] / gamma : 0;
}

static void fill_values(const summing *work, const cw_particles_view *part, int64_t from,
                        int64_t to) {
  for (int64_t p = from; p < to; p++) {
    double value[CW_MOMENTS] = {0}, u[3];
    if (!part->tag || part->tag[p] != CW_TAG_DEAD) {
      for (int a = 0; a < 3; a++)
        u[a] = cw_real_get(part->u[a], part->precision, p);
      const double w = part->weight ? cw_real_get(part->weight, part->precision, p) : 1;
      moments_of(work, u, w * work->unit, value);
    }
    for (int m = 0; m < work->count; m++)
      work->values[m][p] = value[work->moment[m]];
  }
}

static cw_status grow(summing *work, int64_t count) {
  cw_context *context = work->engine->context;
  if (count <= work->room)
    return CW_OK;
  for (int m = 0; m < work->count; m++) {
    CW_DELETE(context, work->values[m]);
    work->values[m] = NULL;
    CW_TRY(CW_NEW(context, count, "moments of particles", &work->values[m]));
  }
  work->room = count;
  return CW_OK;
}

static cw_status add_part(void *user, const cw_particles_view *part) {
  summing *work = user;
  cw_engine *engine = work->engine;
  const double *values[CW_MOMENTS];
  CW_TRY(grow(work, part->count));
  const int64_t blocks = cw_block_count(part->count);
#pragma omp parallel for num_threads(cw_context_threads(engine->context)) schedule(static)
  for (int64_t b = 0; b < blocks; b++)
    fill_values(work, part, b * CW_BLOCK, cw_min_i64((b + 1) * CW_BLOCK, part->count));
  for (int m = 0; m < work->count; m++)
    values[m] = work->values[m];
  return cw_deposit_moments(engine->context, engine->deck->algorithms.deposit.shape_order,
                            &engine->grid, part, work->count, values, work->sums);
}

/* Axes across which a mirror turns the moment's sign. */
static void parity(cw_moment moment, int odd[3]) {
  memset(odd, 0, 3 * sizeof *odd);
  if (moment >= CW_MOMENT_FLUX && moment < CW_MOMENT_FLUX + 3)
    odd[moment - CW_MOMENT_FLUX] = 1;
  if (moment >= CW_MOMENT_T0I && moment < CW_MOMENT_T0I + 3)
    odd[moment - CW_MOMENT_T0I] = 1;
  if (moment >= CW_MOMENT_TIJ && moment < CW_MOMENT_TIJ + 6)
    for (int k = 0; k < 2; k++)
      odd[pairs[moment - CW_MOMENT_TIJ][k]] ^= 1;
}

/* What particles beyond the sides left in ghost cells comes home. */
static cw_status fold(cw_engine *engine, cw_moment moment, double *sums) {
  int odd[3];
  parity(moment, odd);
  if (engine->fields)
    return cw_fields_sync_moment(engine->fields, odd, sums);
  return cw_ecsim_fold_moment(cw_engine_ecsim_fields(engine), CW_SPACE_HOST, odd, sums);
}

static cw_status add_species(summing *work, int species) {
  CW_TRY(cw_engine_each_part(work->engine, species, add_part, work));
  for (int m = 0; m < work->count; m++)
    CW_TRY(fold(work->engine, work->moment[m], work->sums[m]));
  return CW_OK;
}

cw_status cw_engine_add_moments(cw_engine *engine, int species, double *const moments[CW_MOMENTS]) {
  summing work = {.engine = engine,
                  .mass = engine->species[species].deck->mass,
                  .slow = cw_engine_is_slow(engine),
                  .unit = 1 / engine->deck->particles.ppc0};
  cw_status status = CW_OK;
  for (int m = 0; m < CW_MOMENTS; m++)
    if (moments[m]) {
      CW_TRY_CLEANUP(
          status, CW_NEW(engine->context, engine->grid.points, "moment", &work.sums[work.count]));
      work.moment[work.count++] = (cw_moment)m;
    }
  CW_TRY_CLEANUP(status, add_species(&work, species));
  for (int m = 0; m < work.count; m++)
    for (int64_t k = 0; k < engine->grid.points; k++)
      moments[work.moment[m]][k] += work.sums[m][k];
cleanup:
  for (int m = 0; m < CW_MOMENTS; m++) {
    CW_DELETE(engine->context, work.sums[m]);
    CW_DELETE(engine->context, work.values[m]);
  }
  return status;
}
