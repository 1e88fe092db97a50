/* The loop over batches: places, factors, and the sums of one run after the other. Included after
 * deposit_vector_sum.h and deposit_vector_fixed.h. */

CW_BODY void CW_REAL_NAME(cw_sum_batch)(int dim, int order, int fixed, const cw_batch *batch,
                                        const cw_deposit_target *target) {
  cw_run left = {{0}};
  for (int w = 0; w < RUN_WORDS; w++)
    left.word[w] = cw_placed(batch->at + 64 * w);
  while (left.word[0] | left.word[1]) {
    const cw_run run = cw_take_run(&left, batch->at, RUN_WORDS);
    const int64_t at = batch->at[cw_run_first(&run)];
#ifdef CW_VECTOR_HAS_FIXED
    if (fixed) {
      CW_REAL_NAME(cw_fix_run)(dim, order, batch, run, at, target);
      continue;
    }
#else
    (void)fixed;
#endif
    if (dim == 3)
      CW_REAL_NAME(cw_sum_run_3d)(order, batch, run, at, target);
    else
      CW_REAL_NAME(cw_sum_run_2d)(order, batch, run, at, target);
  }
}

CW_BODY void CW_REAL_NAME(cw_count)(const cw_batch *batch, int count, const int64_t *slots,
                                    int64_t begin, cw_deposit_tally *counts) {
  int done = 0;
  for (int n = 0; n < count; n++)
    done += batch->at[n] >= 0;
  counts->done += done;
  if (done == count)
    return;
  for (int n = 0; n < count; n++) {
    counts->dead += batch->at[n] == DEAD;
    counts->missed += batch->at[n] == MISSED;
    if (batch->at[n] != BAD)
      continue;
    const int64_t slot = slots ? slots[begin + n] : begin + n;
    if (counts->fault < 0 || slot < counts->fault)
      counts->fault = slot;
  }
}

CW_BODY void CW_REAL_NAME(cw_deposit_vector)(int dim, int order, int fixed,
                                             const cw_deposit_job *job,
                                             const cw_deposit_target *target, const int64_t *slots,
                                             int64_t first, int64_t last, cw_deposit_tally *tally) {
  cw_batch batch;
  cw_real scale[3], quanta[3];
  for (int c = 0; c < 3; c++) {
    scale[c] = (cw_real)job->scale[c] * (cw_real)(dim == 2 && c < 2 ? 0.5 : 0.25);
    quanta[c] = fixed ? (cw_real)job->quanta[c] : 1;
  }
  cw_deposit_tally counts = {.fault = -1};
  for (int64_t begin = first; begin < last; begin += BATCH) {
    const int count = last - begin < BATCH ? (int)(last - begin) : BATCH;
    const cw_particles_view part =
        CW_REAL_NAME(cw_batch_view)(dim, &job->particles, slots, begin, count, &batch);
    CW_REAL_NAME(cw_locate)(dim, order, &part, scale, quanta, target, &batch);
    CW_REAL_NAME(cw_factors)(dim, order, &part, &batch);
    CW_REAL_NAME(cw_sum_batch)(dim, order, fixed, &batch, target);
    CW_REAL_NAME(cw_count)(&batch, count, slots, begin, &counts);
  }
  *tally = counts;
}

#define CW_DEPOSIT_LOOP(name, dim, order, fixed)                                                   \
  static void CW_REAL_NAME(name)(const cw_deposit_job *job, const cw_deposit_target *target,       \
                                 const int64_t *slots, int64_t first, int64_t last,                \
                                 cw_deposit_tally *tally) {                                        \
    CW_REAL_NAME(cw_deposit_vector)(dim, order, fixed, job, target, slots, first, last, tally);    \
  }
CW_DEPOSIT_LOOP(cw_deposit_vector_2d_1, 2, 1, 0)
CW_DEPOSIT_LOOP(cw_deposit_vector_2d_2, 2, 2, 0)
CW_DEPOSIT_LOOP(cw_deposit_vector_2d_3, 2, 3, 0)
CW_DEPOSIT_LOOP(cw_deposit_vector_3d_1, 3, 1, 0)
CW_DEPOSIT_LOOP(cw_deposit_vector_3d_2, 3, 2, 0)
CW_DEPOSIT_LOOP(cw_deposit_vector_3d_3, 3, 3, 0)
#ifdef CW_VECTOR_HAS_FIXED
CW_DEPOSIT_LOOP(cw_deposit_fixed_2d_1, 2, 1, 1)
CW_DEPOSIT_LOOP(cw_deposit_fixed_2d_2, 2, 2, 1)
CW_DEPOSIT_LOOP(cw_deposit_fixed_2d_3, 2, 3, 1)
CW_DEPOSIT_LOOP(cw_deposit_fixed_3d_1, 3, 1, 1)
CW_DEPOSIT_LOOP(cw_deposit_fixed_3d_2, 3, 2, 1)
CW_DEPOSIT_LOOP(cw_deposit_fixed_3d_3, 3, 3, 1)
#endif
#undef CW_DEPOSIT_LOOP
#undef cw_lanes
#undef cw_batch
#undef cw_quad
#undef cw_lane_mask
#undef LANES
#undef BLOCKS
#undef BATCH
#undef GROUPS
#undef VECTORS
#undef RUN_WORDS
