/* Particles grouped by bin: runs of equal keys are sorted, not particles, so that particles in
 * order cost a look at their cells and nothing more. */
#include <cellwise/cells.h>

#include "base/reals.h"
#include "kernels/massmatrix/massmatrix_private.h"

/* Runs that a block can list at once; particles in less order than that are looked at twice. */
enum { BLOCK_RUNS = 256 };

typedef struct block_run {
  uint32_t key;
  uint16_t begin, length; /* in the block */
} block_run;

typedef struct runs_job {
  cw_context *context;
  const cw_mm_key_rule *rule;
  const cw_particles_view *particles;
  cw_mm_key_function *keys;
  int64_t blocks;
  int64_t *first;                 /* [blocks + 1]: runs before each block */
  block_run *listed;              /* [blocks][BLOCK_RUNS] */
  uint32_t *key, *begin, *length; /* [runs], in order of slots */
} runs_job;

/* Lists the runs of live particles in a block, of which the first `most` are kept; returns how many
 * there are. */
static int64_t find_runs(const runs_job *job, int64_t block, int64_t most, block_run *list,
                         int *faults) {
  uint32_t keys[CW_MM_KEY_BLOCK], dead = job->rule->dead;
  int64_t start = block * CW_MM_KEY_BLOCK, runs = 0;
  int64_t n = cw_min_i64(CW_MM_KEY_BLOCK, job->particles->count - start);
  *faults |= job->keys(job->rule, job->particles, start, n, keys);
  for (int64_t p = 0, end; p < n; p = end) {
    for (end = p + 1; end < n && keys[end] == keys[p];)
      end++;
    if (keys[p] == dead)
      continue;
    if (runs < most)
      list[runs] = (block_run){keys[p], (uint16_t)p, (uint16_t)(end - p)};
    runs++;
  }
  return runs;
}

/* Moves a block's runs to their place among all. */
static void place_block(const runs_job *job, int64_t block) {
  block_run more[CW_MM_KEY_BLOCK];
  const block_run *list = job->listed + block * BLOCK_RUNS;
  int64_t first = job->first[block], runs = job->first[block + 1] - first;
  int faults = 0;
  if (runs > BLOCK_RUNS) {
    find_runs(job, block, CW_MM_KEY_BLOCK, more, &faults);
    list = more;
  }
  for (int64_t r = 0; r < runs; r++) {
    job->key[first + r] = list[r].key;
    job->begin[first + r] = (uint32_t)(block * CW_MM_KEY_BLOCK + list[r].begin);
    job->length[first + r] = list[r].length;
  }
}

/* Fails naming the first particle out of place. */
static cw_status report(const runs_job *job) {
  const cw_particles_view *view = job->particles;
  for (int64_t p = 0; p < view->count; p++) {
    uint32_t key;
    int faults = job->keys(job->rule, view, p, 1, &key);
    for (int a = 0; faults && a < job->rule->dim; a++) {
      double dx = cw_real_get(view->dx[a], view->precision, p);
      if (!(dx >= 0 && dx <= 1))
        return cw_fail(job->context, CW_ERROR_NUMERIC,
                       "massmatrix: the particle in slot %lld has offset %g along axis %d; "
                       "expected 0 to 1",
                       (long long)p, dx, a);
      if (view->i[a][p] < 0 || view->i[a][p] >= job->rule->cells[a])
        return cw_fail(job->context, CW_ERROR_ARGUMENT,
                       "massmatrix: the particle in slot %lld is in cell %d along axis %d; "
                       "expected 0 to %d",
                       (long long)p, (int)view->i[a][p], a, (int)job->rule->cells[a] - 1);
    }
  }
  return cw_fail(job->context, CW_ERROR_INTERNAL, "massmatrix: a fault of no particle");
}

static cw_status list_runs(runs_job *job, int64_t *count) {
  int threads = (int)cw_min_i64(cw_context_threads(job->context), cw_max_i64(job->blocks, 1));
  int faults = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(| : faults)
  for (int64_t b = 0; b < job->blocks; b++)
    job->first[b + 1] = find_runs(job, b, BLOCK_RUNS, job->listed + b * BLOCK_RUNS, &faults);
  if (faults)
    return report(job);
  for (int64_t b = 0; b < job->blocks; b++)
    job->first[b + 1] += job->first[b];
  int64_t runs = *count = job->first[job->blocks];
  CW_TRY(CW_NEW(job->context, runs, "bins of particle runs", &job->key));
  CW_TRY(CW_NEW(job->context, runs, "starts of particle runs", &job->begin));
  CW_TRY(CW_NEW(job->context, runs, "lengths of particle runs", &job->length));
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t b = 0; b < job->blocks; b++)
    place_block(job, b);
  return CW_OK;
}

static int in_order(const uint32_t *keys, int64_t count) {
  for (int64_t r = 1; r < count; r++)
    if (keys[r] < keys[r - 1])
      return 0;
  return 1;
}

/* Offsets of the bins when the runs stand in order already. */
static void find_offsets(const uint32_t *keys, int64_t count, uint32_t bins, int64_t *offsets) {
  int64_t r = 0;
  for (uint32_t b = 0; b <= bins; b++) {
    while (r < count && keys[r] < b)
      r++;
    offsets[b] = r;
  }
}

static cw_status sort_runs(runs_job *job, int64_t count, cw_mm_runs *runs) {
  uint32_t bins = job->rule->dead, *permutation = NULL;
  CW_TRY(CW_NEW(job->context, (int64_t)bins + 1, "offsets of the bins", &runs->offsets));
  cw_status status = CW_OK;
  if (in_order(job->key, count)) {
    find_offsets(job->key, count, bins, runs->offsets);
    runs->begin = job->begin;
    runs->length = job->length;
    job->begin = job->length = NULL;
    return CW_OK;
  }
  CW_TRY_CLEANUP(status, CW_NEW(job->context, count, "order of particle runs", &permutation));
  CW_TRY_CLEANUP(
      status, cw_cells_sort_keys(job->context, count, job->key, bins, permutation, runs->offsets));
  CW_TRY_CLEANUP(status, CW_NEW(job->context, count, "starts of sorted runs", &runs->begin));
  CW_TRY_CLEANUP(status, CW_NEW(job->context, count, "lengths of sorted runs", &runs->length));
  CW_TRY_CLEANUP(status, cw_cells_gather(job->context, count, permutation, sizeof *runs->begin,
                                         job->begin, runs->begin));
  CW_TRY_CLEANUP(status, cw_cells_gather(job->context, count, permutation, sizeof *runs->length,
                                         job->length, runs->length));
cleanup:
  CW_DELETE(job->context, permutation);
  return status;
}

cw_status cw_mm_runs_create(cw_context *context, const cw_mm_key_rule *rule,
                            const cw_particles_view *particles, cw_mm_runs *runs) {
  *runs = (cw_mm_runs){0};
  if (particles->count > (int64_t)UINT32_MAX)
    return cw_fail(context, CW_ERROR_UNSUPPORTED,
                   "massmatrix: %lld particles in one block; at most 2^32 - 1 are possible",
                   (long long)particles->count);
  const cw_mm_ops *ops = CW_ISA_SELECT(cw_mm_ops_table, cw_context_isa(context));
  runs_job job = {.context = context,
                  .rule = rule,
                  .particles = particles,
                  .keys = ops->keys[particles->precision],
                  .blocks = (particles->count + CW_MM_KEY_BLOCK - 1) / CW_MM_KEY_BLOCK};
  int64_t count = 0;
  cw_status status;
  CW_TRY_CLEANUP(status, CW_NEW(context, job.blocks + 1, "runs of particle blocks", &job.first));
  CW_TRY_CLEANUP(status,
                 CW_NEW(context, job.blocks * BLOCK_RUNS, "runs in particle blocks", &job.listed));
  CW_TRY_CLEANUP(status, list_runs(&job, &count));
  CW_TRY_CLEANUP(status, sort_runs(&job, count, runs));
cleanup:
  CW_DELETE(context, job.first);
  CW_DELETE(context, job.listed);
  CW_DELETE(context, job.key);
  CW_DELETE(context, job.begin);
  CW_DELETE(context, job.length);
  if (status != CW_OK)
    cw_mm_runs_destroy(context, runs);
  return status;
}

void cw_mm_runs_destroy(cw_context *context, cw_mm_runs *runs) {
  CW_DELETE(context, runs->begin);
  CW_DELETE(context, runs->length);
  CW_DELETE(context, runs->offsets);
  *runs = (cw_mm_runs){0};
}
