/* Which particles of a block are gathered together. A register of consecutive particles with one
 * base (push_body.h) is gathered at once: the usual case after a sort. Particles of the other
 * registers are first listed by base, so that drift since the sort costs a pass over indices and
 * not a gather a particle. What a particle is given does not depend on its company. */

/* Gathers for n particles of one base; slot[l] is a particle's place in the block. */
static void CW_LANE_NAME(cw_gather_listed)(const cw_push_job *job, int64_t begin,
                                           const uint32_t *slot, int n, cw_push_scratch *scratch,
                                           CW_LANE_NAME(cw_gather_function) * gather) {
  cw_lane dx[3] = {{0}}, result[6];
  int64_t start = job->offset;
  for (int a = 0; a < job->dim; a++) {
    const cw_real *from = (const cw_real *)job->particles.dx[a] + begin;
    cw_real listed[CW_LANES] = {0};
    if (n == CW_LANES)
      for (int l = 0; l < CW_LANES; l++)
        listed[l] = from[slot[l]];
    else
      for (int l = 0; l < n; l++)
        listed[l] = from[slot[l]];
    dx[a] = CW_LANE_NAME(cw_load)(listed, CW_LANES);
    start += scratch->base[a][slot[0]] * job->stride[a];
  }
  gather(job, start, dx, result);
  for (int c = 0; c < 6; c++) {
    cw_real *to = (cw_real *)scratch->field[c];
    for (int l = 0; l < n; l++)
      to[slot[l]] = result[c][l];
  }
}

/* Gathers for the register of particles from place p of the block on. `same` marks those whose base
 * is that of the first; the others have that of the last. */
static void CW_LANE_NAME(cw_gather_register)(const cw_push_job *job, int64_t begin, int p,
                                             cw_push_scratch *scratch, const cw_lane_mask *same,
                                             CW_LANE_NAME(cw_gather_function) * gather) {
  cw_lane dx[3] = {{0}}, result[6], other[6];
  int64_t first = job->offset, last = job->offset;
  for (int a = 0; a < job->dim; a++) {
    dx[a] = CW_LANE_NAME(cw_load)((const cw_real *)job->particles.dx[a] + begin + p, CW_LANES);
    first += scratch->base[a][p] * job->stride[a];
    last += scratch->base[a][p + CW_LANES - 1] * job->stride[a];
  }
  gather(job, first, dx, result);
  if (same) {
    gather(job, last, dx, other);
    for (int c = 0; c < 6; c++)
      result[c] = CW_LANE_SELECT(*same, result[c], other[c]);
  }
  for (int c = 0; c < 6; c++)
    CW_LANE_NAME(cw_store)((cw_real *)scratch->field[c] + p, result[c], CW_LANES);
}

/* 1 when any bit of any lane is set. */
CW_BODY int CW_LANE_NAME(cw_any_cell)(cw_lane_cell cells) {
  uint64_t words[sizeof cells / sizeof(uint64_t)], any = 0;
  memcpy(words, &cells, sizeof cells);
  for (size_t w = 0; w < sizeof words / sizeof *words; w++)
    any |= words[w];
  return any != 0;
}

/* Base nodes of the n particles from place p of the block on, along axis a. */
CW_BODY cw_lane_cell CW_LANE_NAME(cw_base_lanes)(const cw_push_job *job, int64_t begin, int p,
                                                 int n, int a) {
  cw_lane_cell cell = CW_LANE_NAME(cw_load_cell)(job->particles.i[a] + begin + p, n);
  cw_lane dx = CW_LANE_NAME(cw_load)((const cw_real *)job->particles.dx[a] + begin + p, n);
  cw_lane one = CW_LANE_NAME(cw_splat)(1), zero = CW_LANE_NAME(cw_splat)(0);
  cw_lane upper = CW_LANE_SELECT(dx >= (cw_real)0.5, one, zero);
  return job->order % 2 ? cell : CW_LANE_NAME(cw_add_cells)(cell, CW_LANE_TO_CELL(upper));
}

/* Finds the bases of n particles from place p of the block on. When these fill a register, are
 * alive, and have one base or, as where two cells meet in a sorted array, two, gathers for them and
 * returns 1. */
CW_BODY int CW_LANE_NAME(cw_gather_sorted)(const cw_push_job *job, int64_t begin, int p, int n,
                                           const uint8_t *tag, cw_push_scratch *scratch,
                                           CW_LANE_NAME(cw_gather_function) * gather) {
  cw_lane_cell from_first = {0}, from_last = {0};
  for (int a = 0; a < job->dim; a++) {
    cw_lane_cell base = CW_LANE_NAME(cw_base_lanes)(job, begin, p, n, a);
    CW_LANE_NAME(cw_store_cell)(scratch->base[a] + p, base, n);
    from_first |= base ^ base[0];
    from_last |= base ^ base[CW_LANES - 1];
  }
  int several = CW_LANE_NAME(cw_any_cell)(from_first);
  cw_lane_cell strangers = (from_first != 0) & (from_last != 0);
  if (n < CW_LANES || (several && CW_LANE_NAME(cw_any_cell)(strangers)) ||
      !CW_LANE_NAME(cw_all_alive)(tag, p, CW_LANES) || !CW_REAL_NAME(cw_inside)(job, scratch, p) ||
      !CW_REAL_NAME(cw_inside)(job, scratch, p + CW_LANES - 1))
    return 0;
  cw_lane_mask same = CW_LANE_OF_CELLS(from_first == 0);
  CW_LANE_NAME(cw_gather_register)(job, begin, p, scratch, several ? &same : NULL, gather);
  return 1;
}

/* Orders the listed particles by base: a counting sort over the box of their bases. Returns 0, with
 * the list as it was, when the box has more cells than the scratch has counters. */
static int CW_LANE_NAME(cw_sort_listed)(const cw_push_job *job, int listed,
                                        cw_push_scratch *scratch) {
  int64_t bins = 1, low[3] = {0, 0, 0}, step[3] = {0, 0, 0};
  for (int a = 0; a < job->dim; a++) {
    const int32_t *base = scratch->base[a];
    int32_t least = base[scratch->list[0]], most = least;
    for (int q = 1; q < listed; q++) {
      int32_t b = base[scratch->list[q]];
      least = b < least ? b : least;
      most = b > most ? b : most;
    }
    low[a] = least;
    step[a] = bins;
    bins *= (int64_t)most - least + 1;
    if (bins > CW_PUSH_BINS)
      return 0;
  }
  uint16_t *end = scratch->bin_end;
  memset(end, 0, (size_t)bins * sizeof *end);
  for (int q = 0; q < listed; q++) {
    uint32_t p = scratch->list[q];
    int64_t bin = 0;
    for (int a = 0; a < job->dim; a++)
      bin += (scratch->base[a][p] - low[a]) * step[a];
    scratch->bin[q] = (uint16_t)bin;
    end[bin]++;
  }
  uint16_t before = 0;
  for (int64_t b = 0; b < bins; b++) {
    uint16_t here = end[b];
    end[b] = before;
    before = (uint16_t)(before + here);
  }
  for (int q = 0; q < listed; q++)
    scratch->sorted[end[scratch->bin[q]]++] = scratch->list[q];
  memcpy(scratch->list, scratch->sorted, (size_t)listed * sizeof *scratch->list);
  return 1;
}

/* Gathers for the listed particles: each register takes the next ones that share a base. */
static void CW_LANE_NAME(cw_gather_list)(const cw_push_job *job, int64_t begin, int listed,
                                         cw_push_scratch *scratch,
                                         CW_LANE_NAME(cw_gather_function) * gather) {
  if (listed)
    CW_LANE_NAME(cw_sort_listed)(job, listed, scratch);
  for (int q = 0, n; q < listed; q += n) {
    const uint32_t *slot = scratch->list + q;
    int room = listed - q < CW_LANES ? listed - q : CW_LANES;
    for (n = 1; n < room; n++) {
      int32_t differ = 0;
      for (int a = 0; a < job->dim; a++)
        differ |= scratch->base[a][slot[n]] ^ scratch->base[a][slot[0]];
      if (differ)
        break;
    }
    CW_LANE_NAME(cw_gather_listed)(job, begin, slot, n, scratch, gather);
  }
}

/* E and B at each living particle of the block, into the scratch; returns its faults. */
static int CW_LANE_NAME(cw_gather_block)(const cw_push_job *job, int64_t begin, int count,
                                         cw_push_scratch *scratch) {
  CW_LANE_NAME(cw_gather_function) *gather = CW_LANE_NAME(cw_select_gather)(job->dim, job->order);
  const uint8_t *tag = job->particles.tag ? job->particles.tag + begin : NULL;
  int listed = 0, faults = 0;
  for (int p = 0; p < count; p += CW_LANES) {
    int n = count - p < CW_LANES ? count - p : CW_LANES;
    if (CW_LANE_NAME(cw_gather_sorted)(job, begin, p, n, tag, scratch, gather))
      continue;
    for (int q = p; q < p + n; q++) {
      if (tag && tag[q] == CW_TAG_DEAD)
        continue;
      if (CW_REAL_NAME(cw_inside)(job, scratch, q))
        scratch->list[listed++] = (uint32_t)q;
      else
        faults |= CW_REAL_NAME(cw_no_field)(scratch, q);
    }
  }
  CW_LANE_NAME(cw_gather_list)(job, begin, listed, scratch, gather);
  return faults;
}
