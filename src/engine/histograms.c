#include "engine/histograms.h"

#include <math.h>
#include <string.h>

#include <omp.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "engine/engine_private.h"
#include "setup/particle_place.h"

/* Sums are made in a number of shares that depends on the bins only, each over its own blocks of
 * slots in order, and then added in order. */
enum { MOST_SHARES = 16, MOST_SHARED_BINS = 1 << 20 };

/* What lies behind the bins in a share: the weight below and above each axis. */
enum { OUTSIDE = 2 * CW_HISTOGRAM_AXES };

typedef struct counting {
  cw_engine *engine;
  cw_histogram *histogram;
  int massless;
  int shares;
  double *sums; /* [share][count + OUTSIDE] */
} counting;

static double kinetic(const counting *work, const double u[3]) {
  const double u2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
  if (work->massless)
    return sqrt(u2);
  return cw_engine_is_slow(work->engine) ? 0.5 * u2 : u2 / (sqrt(1 + u2) + 1);
}

static double coordinate(const counting *work, cw_deck_coordinate which,
                         const cw_particles_view *part, int64_t p) {
  if (which <= CW_DECK_Z)
    return cw_particle_coordinate(&work->engine->grid, part, (int)which, p);
  if (which <= CW_DECK_UZ)
    return cw_real_get(part->u[which - CW_DECK_UX], part->precision, p);
  double u[3];
  for (int a = 0; a < 3; a++)
    u[a] = cw_real_get(part->u[a], part->precision, p);
  const double energy = kinetic(work, u);
  return which == CW_DECK_GAMMA        ? (work->massless ? energy : 1 + energy)
         : which == CW_DECK_LOG_ENERGY ? log10(energy)
                                       : energy;
}

/* Place of a particle in a share's sums. */
static int64_t place(const counting *work, const cw_particles_view *part, int64_t p) {
  const cw_histogram *histogram = work->histogram;
  int64_t at = 0, stride = 1;
  for (int a = 0; a < histogram->rank; a++) {
    const cw_deck_axis *axis = &histogram->axis[a];
    const double value = coordinate(work, axis->coordinate, part, p);
    if (!(value >= axis->low)) /* no energy at all: a logarithm of -inf */
      return histogram->count + 2 * a;
    if (value >= axis->high)
      return histogram->count + 2 * a + 1;
    const double share = (value - axis->low) / (axis->high - axis->low);
    at += stride * cw_min_i64((int64_t)(share * axis->bins), axis->bins - 1);
    stride *= axis->bins;
  }
  return at;
}

static void count_block(const counting *work, const cw_particles_view *part, int64_t block,
                        double *sums) {
  const int64_t end = cw_min_i64((block + 1) * CW_BLOCK, part->count);
  for (int64_t p = block * CW_BLOCK; p < end; p++)
    if (!part->tag || part->tag[p] != CW_TAG_DEAD)
      sums[place(work, part, p)] +=
          part->weight ? cw_real_get(part->weight, part->precision, p) : 1;
}

static cw_status count_part(void *user, const cw_particles_view *part) {
  counting *work = user;
  const int64_t blocks = cw_block_count(part->count), size = work->histogram->count + OUTSIDE;
#pragma omp parallel for num_threads(cw_context_threads(work->engine->context)) schedule(dynamic)
  for (int share = 0; share < work->shares; share++)
    for (int64_t b = share; b < blocks; b += work->shares)
      count_block(work, part, b, work->sums + share * size);
  return CW_OK;
}

static void gather(const counting *work) {
  cw_histogram *histogram = work->histogram;
  const int64_t size = histogram->count + OUTSIDE;
  for (int64_t k = 0; k < size; k++)
    for (int share = 1; share < work->shares; share++)
      work->sums[k] += work->sums[share * size + k];
  memcpy(histogram->weight, work->sums, (size_t)histogram->count * sizeof(double));
  histogram->total = 0;
  for (int64_t k = 0; k < size; k++)
    histogram->total += work->sums[k];
  for (int a = 0; a < histogram->rank; a++) {
    histogram->below[a] = work->sums[histogram->count + 2 * a];
    histogram->above[a] = work->sums[histogram->count + 2 * a + 1];
  }
}

cw_status cw_histogram_count(cw_engine *engine, int species, cw_histogram *histogram) {
  counting work = {.engine = engine,
                   .histogram = histogram,
                   .massless = engine->species[species].deck->mass == 0};
  cw_status status = CW_OK;
  histogram->count = 1;
  for (int a = 0; a < histogram->rank; a++)
    histogram->count *= histogram->axis[a].bins;
  work.shares = (int)cw_max_i64(1, cw_min_i64(MOST_SHARES, MOST_SHARED_BINS / histogram->count));
  CW_TRY_CLEANUP(status, CW_NEW(engine->context, histogram->count, "bins", &histogram->weight));
  CW_TRY_CLEANUP(status, CW_NEW(engine->context, work.shares * (histogram->count + OUTSIDE),
                                "shares of bins", &work.sums));
  CW_TRY_CLEANUP(status, cw_engine_each_part(engine, species, count_part, &work));
  gather(&work);
cleanup:
  CW_DELETE(engine->context, work.sums);
  if (status != CW_OK)
    cw_histogram_clear(engine->context, histogram);
  return status;
}

void cw_histogram_clear(cw_context *context, cw_histogram *histogram) {
  CW_DELETE(context, histogram->weight);
  histogram->weight = NULL;
}
