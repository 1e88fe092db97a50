/* Stable counting sort. A stable sort has one result, so the number of parts cannot change it. */
#include <string.h>

#include "base/context_private.h"
#include "sort/sort_private.h"

enum { KEY_BLOCK = 4096 };

typedef struct sort_job {
  cw_context *context;
  const cw_sort_cpu *cpu;
  const cw_key_source *source;
  int64_t count;
  uint32_t bins;
  int parts;
  uint32_t *places;  /* [parts][bins + 1]: counts, then the next free place of each bin */
  uint32_t *buffers; /* [parts][KEY_BLOCK] */
  int64_t *wrong;    /* [parts]: first point whose key is above bins, or -1 */
  int outside;       /* a particle is outside the block */
} sort_job;

static int64_t part_begin(const sort_job *job, int part) {
  int64_t blocks = (job->count + KEY_BLOCK - 1) / KEY_BLOCK;
  return cw_min_i64(blocks * part / job->parts * KEY_BLOCK, job->count);
}

/* Keys of slots [begin, begin + n). */
static const uint32_t *block_keys(sort_job *job, int part, int64_t begin, int64_t n,
                                  int first_pass) {
  const cw_key_source *source = job->source;
  if (source->given)
    return source->given + begin;
  uint32_t *keys = source->kept ? source->kept + begin : job->buffers + (int64_t)part * KEY_BLOCK;
  if ((first_pass || !source->kept) &&
      job->cpu->keys(source->rule, source->particles, begin, n, keys))
#pragma omp atomic write
    job->outside = 1;
  return keys;
}

static int64_t first_above(const uint32_t *keys, int64_t n, uint32_t bins) {
  uint32_t highest = 0;
  for (int64_t k = 0; k < n; k++)
    highest = keys[k] > highest ? keys[k] : highest;
  if (highest <= bins)
    return -1;
  int64_t k = 0;
  while (keys[k] <= bins)
    k++;
  return k;
}

/* Neighbours often have the same key, and each addition to one count waits for the one before it:
 * quarters of the block take turns. */
static void count_block(const uint32_t *keys, int64_t n, uint32_t *counts) {
  const int64_t quarter = n / 4;
  for (int64_t k = 0; k < quarter; k++) {
    counts[keys[k]]++;
    counts[keys[quarter + k]]++;
    counts[keys[2 * quarter + k]]++;
    counts[keys[3 * quarter + k]]++;
  }
  for (int64_t k = 4 * quarter; k < n; k++)
    counts[keys[k]]++;
}

static void count_part(sort_job *job, int part) {
  uint32_t *counts = job->places + (int64_t)part * ((int64_t)job->bins + 1);
  int64_t end = part_begin(job, part + 1);
  job->wrong[part] = -1;
  for (int64_t begin = part_begin(job, part); begin < end; begin += KEY_BLOCK) {
    int64_t n = cw_min_i64(KEY_BLOCK, end - begin);
    const uint32_t *keys = block_keys(job, part, begin, n, 1);
    int64_t wrong = job->source->given ? first_above(keys, n, job->bins) : -1;
    if (wrong >= 0) {
      job->wrong[part] = begin + wrong;
      return;
    }
    count_block(keys, n, counts);
  }
}

/* Counts become first places: bins in order and, within a bin, parts in order. */
static void scan(const sort_job *job) {
  int64_t row = (int64_t)job->bins + 1;
  uint32_t place = 0;
  for (int64_t b = 0; b < row; b++)
    for (int p = 0; p < job->parts; p++) {
      uint32_t n = job->places[p * row + b];
      job->places[p * row + b] = place;
      place += n;
    }
}

static void scatter_part(sort_job *job, int part, uint32_t *permutation) {
  uint32_t *places = job->places + (int64_t)part * ((int64_t)job->bins + 1);
  int64_t end = part_begin(job, part + 1);
  for (int64_t begin = part_begin(job, part); begin < end; begin += KEY_BLOCK) {
    int64_t n = cw_min_i64(KEY_BLOCK, end - begin);
    const uint32_t *keys = block_keys(job, part, begin, n, 0);
    job->cpu->scatter(n, (uint32_t)begin, keys, places, permutation);
  }
}

static cw_status check_keys(const sort_job *job) {
  for (int p = 0; p < job->parts; p++)
    if (job->wrong[p] >= 0)
      return cw_fail(job->context, CW_ERROR_ARGUMENT,
                     "sort: key of point %lld is %lu; expected at most %lu",
                     (long long)job->wrong[p], (unsigned long)job->source->given[job->wrong[p]],
                     (unsigned long)job->bins);
  return CW_OK;
}

/* One part a thread, but no more than keep the tables of places smaller than the points. */
static int choose_parts(const cw_context *context, int64_t count, uint32_t bins) {
  int64_t fit = 4 * count / ((int64_t)bins + 1);
  int64_t blocks = (count + KEY_BLOCK - 1) / KEY_BLOCK;
  int64_t parts = cw_min_i64(cw_context_threads(context), cw_min_i64(fit, blocks));
  return (int)cw_max_i64(parts, 1);
}

cw_status cw_sort_check_count(cw_context *context, int64_t count) {
  if (count < 0)
    return cw_fail(context, CW_ERROR_ARGUMENT, "sort: count is %lld; expected 0 or more",
                   (long long)count);
  if (count > (int64_t)UINT32_MAX)
    return cw_fail(context, CW_ERROR_UNSUPPORTED,
                   "sort: %lld points in one block; at most 2^32 - 1 can be sorted",
                   (long long)count);
  return CW_OK;
}

cw_status cw_sort_permutation(cw_context *context, int64_t count, const cw_key_source *source,
                              uint32_t bins, uint32_t stride, uint32_t *permutation,
                              int64_t *offsets) {
  CW_TRY(cw_sort_check_count(context, count));
  sort_job job = {.context = context, .source = source, .count = count, .bins = bins};
  job.cpu = CW_ISA_SELECT(cw_sort_cpu_ops, cw_context_isa(context));
  job.parts = choose_parts(context, count, bins);
  cw_status status;
  size_t row = (size_t)bins + 1;
  CW_TRY_CLEANUP(
      status, CW_NEW(context, (size_t)job.parts * row, "places of the sort's bins", &job.places));
  CW_TRY_CLEANUP(status, CW_NEW(context, (int64_t)job.parts * KEY_BLOCK,
                                "keys of the sort's blocks", &job.buffers));
  CW_TRY_CLEANUP(status, CW_NEW(context, job.parts, "the sort's parts", &job.wrong));

#pragma omp parallel for num_threads(job.parts) schedule(static, 1)
  for (int p = 0; p < job.parts; p++)
    count_part(&job, p);
  CW_TRY_CLEANUP(status, check_keys(&job));
  scan(&job);
  for (size_t b = 0; offsets && b <= bins / stride; b++)
    offsets[b] = (int64_t)job.places[b * stride];
#pragma omp parallel for num_threads(job.parts) schedule(static, 1)
  for (int p = 0; p < job.parts; p++)
    scatter_part(&job, p, permutation);
  if (source->bin_ends) /* each part's places end where the next one's began: the last part's are it
                         */
    memcpy(source->bin_ends, job.places + (size_t)(job.parts - 1) * row,
           (size_t)bins * sizeof *source->bin_ends);
  if (source->outside)
    *source->outside = job.outside;

cleanup:
  CW_DELETE(context, job.places);
  CW_DELETE(context, job.buffers);
  CW_DELETE(context, job.wrong);
  return status;
}

cw_status cw_cells_sort_keys(cw_context *context, int64_t count, const uint32_t *keys,
                             uint32_t bins, uint32_t *permutation, int64_t *offsets) {
  if (bins == UINT32_MAX)
    return cw_fail(context, CW_ERROR_UNSUPPORTED, "sort: at most 2^32 - 2 bins are possible");
  cw_key_source source = {.given = keys};
  return cw_sort_permutation(context, count, &source, bins, 1, permutation, offsets);
}

cw_status cw_cells_gather(cw_context *context, int64_t count, const uint32_t *permutation,
                          size_t item_size, const void *source, void *destination) {
  if (item_size != 1 && item_size != 2 && item_size != 4 && item_size != 8)
    return cw_fail(context, CW_ERROR_ARGUMENT, "gather: items of %zu bytes; expected 1, 2, 4 or 8",
                   item_size);
  CW_TRY(cw_sort_check_count(context, count));
  const cw_sort_cpu *cpu = CW_ISA_SELECT(cw_sort_cpu_ops, cw_context_isa(context));
  int64_t blocks = cw_block_count(count);
#pragma omp parallel for num_threads(cw_context_threads(context)) schedule(static)
  for (int64_t b = 0; b < blocks; b++) {
    int64_t begin = b * CW_BLOCK;
    cpu->gather(cw_min_i64(CW_BLOCK, count - begin), permutation + begin, item_size, source,
                (char *)destination + (size_t)begin * item_size);
  }
  return CW_OK;
}
