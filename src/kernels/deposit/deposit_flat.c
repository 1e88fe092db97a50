/* Particles in any order, race-free and always in the same order of summation: slots are binned
 * into slabs across the slowest axis, at least as thick as a particle's reach, so that two slabs of
 * the same parity never write the same value. Even slabs first, then odd ones. */
#include "kernels/deposit/deposit_private.h"

enum {
  MAX_SLABS = 256,
  MAX_CHUNK = 1 << 26 /* slots binned at a time: bounds the index to 512 MB */
};

typedef struct cw_deposit_slabs {
  const cw_deposit_job *job;
  const int64_t *list; /* or NULL */
  int64_t first, count;
  int axis;
  int32_t low, width;
  int slabs;
  int64_t *offsets; /* [block][slab + the dead], then where each goes */
  int64_t *slots;
  int64_t starts[MAX_SLABS + 2];
} cw_deposit_slabs;

static inline int64_t slot_of(const cw_deposit_slabs *s, int64_t n) {
  return s->list ? s->list[n] : s->first + n;
}

/* Slab of a slot; dead slots go to one more bin. Particles off the grid are clamped: the loop that
 * meets them does not write. */
static inline int slab_of(const cw_deposit_slabs *s, int64_t slot) {
  const cw_particles_view *view = &s->job->particles;
  if (view->tag && view->tag[slot] == CW_TAG_DEAD)
    return s->slabs;
  const int64_t now = view->i[s->axis][slot], before = view->i_prev[s->axis][slot];
  const int64_t slab = (cw_min_i64(now, before) - s->low) / s->width;
  return (int)cw_max_i64(0, cw_min_i64(slab, s->slabs - 1));
}

/* Stable counting sort of the slots by slab, block by block. */
static void bin(cw_context *context, cw_deposit_slabs *s) {
  const int64_t blocks = cw_block_count(s->count);
  const int bins = s->slabs + 1, threads = cw_context_threads(context);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t b = 0; b < blocks; b++) {
    int64_t *counts = s->offsets + b * bins;
    const int64_t end = cw_min_i64(s->count, (b + 1) * CW_BLOCK);
    for (int k = 0; k < bins; k++)
      counts[k] = 0;
    for (int64_t n = b * CW_BLOCK; n < end; n++)
      counts[slab_of(s, slot_of(s, n))]++;
  }
  int64_t total = 0;
  for (int k = 0; k < bins; k++) {
    s->starts[k] = total;
    for (int64_t b = 0; b < blocks; b++) {
      const int64_t here = s->offsets[b * bins + k];
      s->offsets[b * bins + k] = total;
      total += here;
    }
  }
  s->starts[bins] = total;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int64_t b = 0; b < blocks; b++) {
    int64_t *place = s->offsets + b * bins;
    const int64_t end = cw_min_i64(s->count, (b + 1) * CW_BLOCK);
    for (int64_t n = b * CW_BLOCK; n < end; n++) {
      const int64_t slot = slot_of(s, n);
      s->slots[place[slab_of(s, slot)]++] = slot;
    }
  }
}

static void sum_slabs(cw_context *context, const cw_deposit_slabs *s, cw_deposit_loop *loop,
                      const cw_deposit_target *target, cw_deposit_tally *tally) {
  cw_deposit_tally parts[MAX_SLABS];
  for (int parity = 0; parity < 2; parity++) {
#pragma omp parallel for num_threads(cw_context_threads(context)) schedule(dynamic)
    for (int k = parity; k < s->slabs; k += 2)
      loop(s->job, target, s->slots, s->starts[k], s->starts[k + 1], &parts[k]);
  }
  for (int k = 0; k < s->slabs; k++)
    cw_deposit_tally_add(tally, &parts[k]);
  tally->dead += s->starts[s->slabs + 1] - s->starts[s->slabs];
}

cw_status cw_deposit_flat(cw_context *context, const cw_deposit_job *job, const cw_grid *grid,
                          cw_deposit_loop *loop, const cw_deposit_target *target,
                          const int64_t *list, int64_t first, int64_t count,
                          cw_deposit_tally *tally) {
  *tally = (cw_deposit_tally){.fault = -1};
  if (count == 0)
    return CW_OK;
  /* From its lower cell c a particle of order O writes nodes c - O/2 to c - O/2 + O + 2, so two
   * slabs on, nothing is shared if a slab is O + 3 wide. */
  const int axis = job->dim - 1;
  const int32_t width =
      (int32_t)cw_max_i64(job->order + 3, (grid->size[axis] + MAX_SLABS - 1) / MAX_SLABS);
  cw_deposit_slabs slabs = {.job = job,
                            .axis = axis,
                            .low = -grid->ghost,
                            .width = width,
                            .slabs = (grid->size[axis] + width - 1) / width};
  const int64_t chunk = cw_min_i64(count, MAX_CHUNK);
  cw_status status = CW_OK;
  CW_TRY_CLEANUP(status, CW_NEW(context, cw_block_count(chunk) * (slabs.slabs + 1),
                                "slab offsets of the deposit", &slabs.offsets));
  CW_TRY_CLEANUP(status, CW_NEW(context, chunk, "slab index of the deposit", &slabs.slots));
  for (int64_t done = 0; done < count; done += chunk) {
    slabs.list = list ? list + done : NULL;
    slabs.first = first + done;
    slabs.count = cw_min_i64(chunk, count - done);
    bin(context, &slabs);
    sum_slabs(context, &slabs, loop, target, tally);
  }
cleanup:
  CW_DELETE(context, slabs.slots);
  CW_DELETE(context, slabs.offsets);
  return status;
}
