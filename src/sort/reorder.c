/* Moves the members into sorted order, in place.
 *
 * Nearly sorted particles take the window: chunks of new slots are gathered, all members of a chunk
 * together, into a ring of a few chunks that stays in the cache, and a chunk is written back when
 * the ring comes round to it. A source that its own chunk's write-back (or another thread) would
 * overwrite before it is read is far: it is saved beforehand. Each array is so read once and
 * written once, whatever the number of members.
 * When too many sources are far, one member at a time goes through a buffer of its full length or,
 * to save memory, along the cycles of the permutation. */
#include <string.h>

#include "base/context_private.h"
#include "sort/sort_private.h"

enum {
  CHUNK = CW_PLAN_CHUNK, /* slots gathered together */
  RING = 16,             /* chunks held before they are written back */
  SHORT_RUN = 3,         /* mean length of runs up to which single items are gathered */
  FAR_SHARE = 8          /* the window serves when at most one source in FAR_SHARE is far */
};

typedef struct reorder_job {
  cw_context *context;
  const cw_sort_cpu *cpu;
  int64_t count, alive; /* slots before and after */
  uint32_t *permutation;
  int members;
  char *array[CW_MEMBERS];
  size_t size[CW_MEMBERS];
  size_t first_byte[CW_MEMBERS]; /* of a member, among the bytes of one particle */
  size_t bytes_each;
  const cw_sort_bins *bins; /* cells are written from them, and are no members; or NULL */
  int32_t *const *cells;    /* the particles' i */
  int offset_member[3];     /* which members dx are */
  cw_precision precision;
  int parts;
  int64_t *part_far; /* [parts + 1] first far source of each part */
  int64_t far_room;
  uint32_t *far_slot, *far_source; /* [far_room], by slot */
  char *far_values;                /* [member][far_room] */
  char *rings;                     /* [parts][RING] of ring_bytes: [member][CHUNK] */
  size_t ring_bytes;
  cw_sort_run *runs; /* [parts][CHUNK + 1] */
} reorder_job;

static int64_t chunk_count(const reorder_job *job) {
  return (job->alive + CHUNK - 1) / CHUNK;
}

static int64_t part_chunk(const reorder_job *job, int part) {
  return chunk_count(job) * part / job->parts;
}

static int64_t chunk_begin(const reorder_job *job, int64_t chunk) {
  return cw_min_i64(chunk * CHUNK, job->alive);
}

/* Sources that part may read when it gathers a chunk: [low, high), and those behind the alive. */
typedef struct near_range {
  uint32_t low, length, alive;
} near_range;

static near_range near_of(const reorder_job *job, int part, int64_t chunk) {
  int64_t first = cw_max_i64(part_chunk(job, part), chunk - RING + 1);
  int64_t low = chunk_begin(job, first), high = chunk_begin(job, part_chunk(job, part + 1));
  return (near_range){(uint32_t)low, (uint32_t)(high - low), (uint32_t)job->alive};
}

static inline int is_far(near_range range, uint32_t source) {
  return (source - range.low >= range.length) & (source < range.alive);
}

static int64_t count_far(const reorder_job *job, int part) {
  int64_t total = 0;
  for (int64_t c = part_chunk(job, part); c < part_chunk(job, part + 1); c++) {
    near_range range = near_of(job, part, c);
    const uint32_t *source = job->permutation + chunk_begin(job, c);
    int n = (int)(chunk_begin(job, c + 1) - chunk_begin(job, c)), far = 0;
    for (int k = 0; k < n; k++)
      far += is_far(range, source[k]);
    total += far;
  }
  return total;
}

/* Saves the far sources of a part; in the permutation its own slot, which is readable, stands in.
 */
static void save_far(const reorder_job *job, int part) {
  int64_t first = job->part_far[part], next = first;
  for (int64_t c = part_chunk(job, part); c < part_chunk(job, part + 1); c++) {
    near_range range = near_of(job, part, c);
    for (int64_t s = chunk_begin(job, c); s < chunk_begin(job, c + 1); s++) {
      uint32_t source = job->permutation[s];
      if (!is_far(range, source))
        continue;
      job->far_slot[next] = (uint32_t)s;
      job->far_source[next++] = source;
      job->permutation[s] = (uint32_t)s;
    }
  }
  for (int m = 0; m < job->members; m++) {
    char *values = job->far_values + job->first_byte[m] * (size_t)job->far_room;
    job->cpu->gather(next - first, job->far_source + first, job->size[m], job->array[m],
                     values + (size_t)first * job->size[m]);
  }
}

static char *ring_place(const reorder_job *job, int part, int64_t chunk, int member) {
  size_t place = (size_t)part * RING + (size_t)(chunk % RING);
  return job->rings + place * job->ring_bytes + job->first_byte[member] * CHUNK;
}

static void put_far(const reorder_job *job, int member, int64_t first, int64_t end, int64_t begin,
                    char *chunk) {
  size_t size = job->size[member];
  const char *values = job->far_values + job->first_byte[member] * (size_t)job->far_room;
  for (int64_t f = first; f < end; f++) {
    char *to = chunk + (size_t)(job->far_slot[f] - begin) * size;
    const char *from = values + (size_t)f * size;
    switch (size) {
    case 1:
      memcpy(to, from, 1);
      break;
    case 4:
      memcpy(to, from, 4);
      break;
    default:
      memcpy(to, from, 8);
    }
  }
}

static void write_back(const reorder_job *job, int part, int64_t chunk) {
  int64_t begin = chunk_begin(job, chunk), n = chunk_begin(job, chunk + 1) - begin;
  for (int m = 0; m < job->members; m++)
    memcpy(job->array[m] + (size_t)begin * job->size[m], ring_place(job, part, chunk, m),
           (size_t)n * job->size[m]);
}

/* The cells of a chunk whose offsets are in the ring: no chunk reads them, so they need no ring. */
static void write_cells(const reorder_job *job, int part, int64_t chunk) {
  int64_t begin = chunk_begin(job, chunk), n = chunk_begin(job, chunk + 1) - begin;
  const cw_key_rule *rule = job->bins->rule;
  const void *dx[3] = {NULL};
  int32_t *i[3] = {NULL};
  for (int a = 0; a < rule->dim; a++) {
    dx[a] = rule->by_node ? ring_place(job, part, chunk, job->offset_member[a]) : NULL;
    i[a] = job->cells[a] + begin;
  }
  job->cpu->cells(rule, job->bins->ends, begin, n, job->precision, dx, i);
}

/* Asks for what the caches cannot have of a member that is copied next. */
static void fetch_cold(const reorder_job *job, const cw_sort_plan *plan, int member) {
  if (member < job->members)
    for (int64_t k = 0; k < plan->cold; k++)
      __builtin_prefetch(job->array[member] + (size_t)plan->cold_source[k] * job->size[member]);
}

/* One chunk of every member, into the ring. */
static void gather_chunk(const reorder_job *job, int part, int64_t chunk, int64_t far,
                         int64_t far_end) {
  const cw_sort_cpu *cpu = job->cpu;
  int64_t begin = chunk_begin(job, chunk), n = chunk_begin(job, chunk + 1) - begin;
  const uint32_t *sources = job->permutation + begin;
  cw_sort_run *runs = job->runs + (int64_t)part * (CHUNK + 1);
  cw_sort_plan plan;
  plan.strays = n;
  if (cpu->plan)
    cpu->plan(n, sources, job->count, &plan);
  const int by_plan = plan.strays * 2 < n;
  int64_t run_count = by_plan ? 0 : cpu->find_runs(n, sources, runs);
  if (by_plan)
    fetch_cold(job, &plan, 0);
  for (int m = 0; m < job->members; m++) {
    char *place = ring_place(job, part, chunk, m);
    if (by_plan)
      fetch_cold(job, &plan, m + 1);
    if (by_plan)
      cpu->copy_planned(&plan, job->size[m], job->array[m], place);
    else if (run_count * SHORT_RUN < n)
      cpu->copy_runs(run_count, runs, job->size[m], job->count, job->array[m], place);
    else
      cpu->gather(n, sources, job->size[m], job->array[m], place);
    put_far(job, m, far, far_end, begin, place);
  }
  if (job->bins)
    write_cells(job, part, chunk);
}

static void reorder_part(const reorder_job *job, int part) {
  int64_t first = part_chunk(job, part), last = part_chunk(job, part + 1);
  int64_t far = job->part_far[part];
  for (int64_t c = first; c < last; c++) {
    int64_t end = chunk_begin(job, c + 1), far_end = far;
    while (far_end < job->part_far[part + 1] && job->far_slot[far_end] < end)
      far_end++;
    gather_chunk(job, part, c, far, far_end);
    far = far_end;
    if (c - RING + 1 >= first)
      write_back(job, part, c - RING + 1);
  }
  for (int64_t c = cw_max_i64(first, last - RING + 1); c < last; c++)
    write_back(job, part, c);
}

static cw_status grow_scratch(cw_context *context, cw_reorder_scratch *scratch, size_t size) {
  if (size <= scratch->size)
    return CW_OK;
  CW_DELETE(context, scratch->bytes);
  *scratch = (cw_reorder_scratch){NULL, 0};
  CW_TRY(CW_NEW(context, size, "window of the reorder", &scratch->bytes));
  scratch->size = size;
  return CW_OK;
}

static cw_status reorder_by_window(reorder_job *job, cw_reorder_scratch *scratch) {
  cw_context *context = job->context;
  int64_t total = job->part_far[job->parts];
  job->far_room = (total + 63) / 64 * 64; /* keeps every member's values aligned */
  cw_status status;
  CW_TRY_CLEANUP(status, CW_NEW(context, total, "slots of far particles", &job->far_slot));
  CW_TRY_CLEANUP(status, CW_NEW(context, total, "sources of far particles", &job->far_source));
  CW_TRY_CLEANUP(status, CW_NEW(context, (size_t)job->far_room * job->bytes_each,
                                "values of far particles", &job->far_values));
  CW_TRY_CLEANUP(status,
                 CW_NEW(context, job->parts * (CHUNK + 1), "runs of the reorder", &job->runs));
  job->ring_bytes = job->bytes_each * CHUNK + CW_RUN_OVERSHOOT;
  CW_TRY_CLEANUP(status,
                 grow_scratch(context, scratch, (size_t)(job->parts * RING) * job->ring_bytes));
  job->rings = scratch->bytes;
#pragma omp parallel for num_threads(job->parts) schedule(static, 1)
  for (int p = 0; p < job->parts; p++)
    save_far(job, p);
#pragma omp parallel for num_threads(job->parts) schedule(static, 1)
  for (int p = 0; p < job->parts; p++)
    reorder_part(job, p);

cleanup:
  CW_DELETE(context, job->far_slot);
  CW_DELETE(context, job->far_source);
  CW_DELETE(context, job->far_values);
  CW_DELETE(context, job->runs);
  return status;
}

static cw_status reorder_by_buffer(const reorder_job *job) {
  size_t largest = 0;
  for (int m = 0; m < job->members; m++)
    largest = job->size[m] > largest ? job->size[m] : largest;
  char *buffer = NULL;
  CW_TRY(CW_NEW(job->context, (size_t)job->alive * largest, "buffer of the reorder", &buffer));
  int64_t blocks = cw_block_count(job->alive);
#pragma omp parallel num_threads(cw_context_threads(job->context))
  for (int m = 0; m < job->members; m++) {
    size_t size = job->size[m];
#pragma omp for schedule(static)
    for (int64_t b = 0; b < blocks; b++) {
      int64_t begin = b * CW_BLOCK, n = cw_min_i64(CW_BLOCK, job->alive - begin);
      job->cpu->gather(n, job->permutation + begin, size, job->array[m],
                       buffer + (size_t)begin * size);
    }
#pragma omp for schedule(static)
    for (int64_t b = 0; b < blocks; b++) {
      int64_t begin = b * CW_BLOCK, n = cw_min_i64(CW_BLOCK, job->alive - begin);
      memcpy(job->array[m] + (size_t)begin * size, buffer + (size_t)begin * size, (size_t)n * size);
    }
  }
  CW_DELETE(job->context, buffer);
  return CW_OK;
}

/* Moves one member along each cycle that starts at the cycle's lowest slot. */
static void follow_cycles(const reorder_job *job, int member, uint64_t *done) {
  size_t size = job->size[member];
  char *array = job->array[member];
  memset(done, 0, ((size_t)job->count + 63) / 64 * sizeof *done);
  for (int64_t start = 0; start < job->count; start++) {
    if (done[start >> 6] >> (start & 63) & 1)
      continue;
    char held[8];
    memcpy(held, array + (size_t)start * size, size);
    int64_t slot = start;
    for (int64_t source = job->permutation[slot]; source != start;
         slot = source, source = job->permutation[slot]) {
      memcpy(array + (size_t)slot * size, array + (size_t)source * size, size);
      done[source >> 6] |= (uint64_t)1 << (source & 63);
    }
    memcpy(array + (size_t)slot * size, held, size);
  }
}

static cw_status reorder_by_cycles(const reorder_job *job) {
  int teams = (int)cw_min_i64(cw_context_threads(job->context), job->members);
  size_t words = ((size_t)job->count + 63) / 64;
  uint64_t *done = NULL;
  CW_TRY(CW_NEW(job->context, (size_t)teams * words, "marks of the reorder", &done));
#pragma omp parallel for num_threads(teams) schedule(static, 1)
  for (int t = 0; t < teams; t++)
    for (int m = t; m < job->members; m += teams)
      follow_cycles(job, m, done + (size_t)t * words);
  CW_DELETE(job->context, done);
  return CW_OK;
}

/* The members that move: all that are there, but for the _prev ones and cells that the bins tell.
 * Wide ones first, so that every member's place in the ring is aligned. */
static void list_members(reorder_job *job, const cw_particles_view *particles) {
  void *array[CW_MEMBERS];
  cw_member_arrays(particles, array);
  for (size_t size = 8; size >= 1; size /= 2)
    for (int m = 0; m < CW_MEMBERS; m++) {
      int is_prev = (m >= CW_MEMBER_I_PREV && m < CW_MEMBER_DX) ||
                    (m >= CW_MEMBER_DX_PREV && m < CW_MEMBER_U);
      int is_cell = m < CW_MEMBER_I_PREV, is_offset = m >= CW_MEMBER_DX && m < CW_MEMBER_DX_PREV;
      if (!array[m] || is_prev || cw_member_size(m, particles->precision) != size ||
          (job->bins && is_cell && m < job->bins->rule->dim))
        continue;
      if (is_offset)
        job->offset_member[m - CW_MEMBER_DX] = job->members;
      job->array[job->members] = array[m];
      job->size[job->members] = size;
      job->first_byte[job->members++] = job->bytes_each;
      job->bytes_each += size;
    }
}

cw_status cw_sort_reorder(cw_context *context, cw_particles_view *particles, int64_t alive,
                          uint32_t *permutation, int low_memory, const cw_sort_bins *bins,
                          cw_reorder_scratch *scratch) {
  reorder_job job = {.context = context,
                     .count = particles->count,
                     .alive = alive,
                     .permutation = permutation,
                     .cells = particles->i,
                     .precision = particles->precision,
                     .cpu = CW_ISA_SELECT(cw_sort_cpu_ops, cw_context_isa(context))};
  job.parts = (int)cw_max_i64(1, cw_min_i64(cw_context_threads(context), chunk_count(&job) / RING));
  cw_status status;
  CW_TRY_CLEANUP(status, CW_NEW(context, job.parts + 1, "parts of the reorder", &job.part_far));
#pragma omp parallel for num_threads(job.parts) schedule(static, 1)
  for (int p = 0; p < job.parts; p++)
    job.part_far[p + 1] = count_far(&job, p);
  for (int p = 0; p < job.parts; p++)
    job.part_far[p + 1] += job.part_far[p];
  const int by_window = job.part_far[job.parts] * FAR_SHARE <= alive;
  job.bins = by_window ? bins : NULL;
  list_members(&job, particles);
  if (by_window)
    status = reorder_by_window(&job, scratch);
  else
    status = low_memory ? reorder_by_cycles(&job) : reorder_by_buffer(&job);

cleanup:
  CW_DELETE(context, job.part_far);
  return status;
}
