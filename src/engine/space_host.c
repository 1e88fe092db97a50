/* What the engines themselves do to arrays in host memory. */
#include <math.h>

#include <omp.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "engine/ecsim_body.h"
#include "engine/engine_private.h"

static cw_status host_open(cw_engine *engine) {
  (void)engine;
  return CW_OK;
}

static void host_close(cw_engine *engine) {
  (void)engine;
}

static cw_status host_mark(cw_engine *engine, int stage) {
  double now = cw_seconds();
  if (stage < CW_STAGE_COUNT)
    engine->stage_seconds[stage] += now - engine->since;
  engine->since = now;
  return CW_OK;
}

static cw_status host_wait(cw_engine *engine) {
  (void)engine;
  return CW_OK;
}

/* Sums over one block of slots. */
static void block_energy(const cw_particles_view *view, int massless, int64_t from, int64_t to,
                         double *energy, int64_t *alive) {
  double sum = 0;
  int64_t count = 0;
  for (int64_t p = from; p < to; p++) {
    if (view->tag && view->tag[p] == CW_TAG_DEAD)
      continue;
    double ux = cw_real_get(view->u[0], view->precision, p);
    double uy = cw_real_get(view->u[1], view->precision, p);
    double uz = cw_real_get(view->u[2], view->precision, p);
    double u2 = ux * ux + uy * uy + uz * uz;
    /* gamma - 1 = u^2 / (gamma + 1) loses nothing for slow particles */
    double each = massless ? sqrt(u2) : u2 / (sqrt(1 + u2) + 1);
    sum += view->weight ? each * cw_real_get(view->weight, view->precision, p) : each;
    count++;
  }
  *energy = sum;
  *alive = count;
}

enum { CHUNK_BLOCKS = 64 };

/* Block by block in order. */
static cw_status add_energy(cw_engine *engine, const cw_particles_view *particles, int massless,
                            double *energy, int64_t *alive) {
  double sums[CHUNK_BLOCKS];
  int64_t counts[CHUNK_BLOCKS];
  const int64_t blocks = cw_block_count(particles->count);
  if (blocks > CHUNK_BLOCKS)
    return cw_fail(engine->context, CW_ERROR_INTERNAL, "energy of %lld particles at a time",
                   (long long)particles->count);
#pragma omp parallel for num_threads(cw_context_threads(engine->context)) schedule(static)
  for (int64_t b = 0; b < blocks; b++)
    block_energy(particles, massless, b * CW_BLOCK,
                 cw_min_i64((b + 1) * CW_BLOCK, particles->count), &sums[b], &counts[b]);
  for (int64_t b = 0; b < blocks; b++)
    *energy += sums[b], *alive += counts[b];
  return CW_OK;
}

/* Sums over one block of slots. */
static double block_sum(const cw_particles_view *view, int what, int64_t from, int64_t to,
                        int64_t *alive) {
  cw_ecsim_sum sum = {0, 0};
  *alive = 0;
  for (int64_t p = from; p < to; p++) {
    if (view->tag && view->tag[p] == CW_TAG_DEAD)
      continue;
    cw_ecsim_add(&sum, cw_ecsim_summand(view, what, p));
    ++*alive;
  }
  return sum.sum + sum.lost;
}

/* Chunk by chunk, block by block in order. */
static cw_status add_sums(cw_engine *engine, const cw_particles_view *particles, int what,
                          double *sum, int64_t *alive) {
  double sums[CHUNK_BLOCKS];
  int64_t counts[CHUNK_BLOCKS];
  const int64_t blocks = cw_block_count(particles->count);
  for (int64_t first = 0; first < blocks; first += CHUNK_BLOCKS) {
    const int64_t end = cw_min_i64(first + CHUNK_BLOCKS, blocks);
#pragma omp parallel for num_threads(cw_context_threads(engine->context)) schedule(static)
    for (int64_t b = first; b < end; b++)
      sums[b - first] =
          block_sum(particles, what, b * CW_BLOCK, cw_min_i64((b + 1) * CW_BLOCK, particles->count),
                    &counts[b - first]);
    for (int64_t b = first; b < end; b++)
      *sum += sums[b - first], *alive += counts[b - first];
  }
  return CW_OK;
}

static cw_status add_density(cw_engine *engine, double *total, const double *one) {
  for (int64_t k = 0; k < engine->grid.points; k++)
    total[k] += one[k];
  return CW_OK;
}

static cw_status add_field(cw_engine *engine, cw_precision precision, const void *own,
                           const double *external, void *total) {
#pragma omp parallel for schedule(static) if (engine->grid.points > CW_BLOCK)                      \
    num_threads(cw_context_threads(engine->context))
  for (int64_t k = 0; k < engine->grid.points; k++)
    cw_real_set(total, precision, k, cw_real_get(own, precision, k) + external[k]);
  return CW_OK;
}

static cw_status largest_inside(cw_engine *engine, const double *density, double *largest) {
  const cw_grid *grid = &engine->grid;
  *largest = 0;
  for (int32_t k = 0; k < grid->cells[2]; k++)
    for (int32_t j = 0; j < grid->cells[1]; j++)
      for (int32_t i = 0; i < grid->cells[0]; i++)
        *largest = fmax(*largest, fabs(density[cw_grid_index(grid, i, j, k)]));
  return CW_OK;
}

const cw_engine_space_ops cw_engine_on_host = {.chunk = (int64_t)CHUNK_BLOCKS * CW_BLOCK,
                                               .open = host_open,
                                               .close = host_close,
                                               .mark = host_mark,
                                               .wait = host_wait,
                                               .add_energy = add_energy,
                                               .add_sums = add_sums,
                                               .add_density = add_density,
                                               .add_field = add_field,
                                               .largest = largest_inside};
