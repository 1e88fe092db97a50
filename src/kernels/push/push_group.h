/* Which particles of a block are gathered together. Consecutive particles with one base
 * (push_body.h) are gathered a register at a time: the usual case after a sort. The others are
 * first listed by base, so that drift since the sort costs a pass over indices and not a gather a
 * particle. What a particle is given does not depend on its company. */

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

/* Base nodes along an axis of particles at offset dx in `cell`. */
CW_BODY cw_lane_cell CW_LANE_NAME(cw_base_lanes)(const cw_push_job *job, cw_lane_cell cell,
                                                 cw_lane dx) {
  cw_lane one = CW_LANE_NAME(cw_splat)(1), zero = CW_LANE_NAME(cw_splat)(0);
  cw_lane upper = CW_LANE_SELECT(dx >= (cw_real)0.5, one, zero);
  return job->order % 2 ? cell : CW_LANE_NAME(cw_add_cells)(cell, CW_LANE_TO_CELL(upper));
}

/* Bits of the lanes that are not zero. */
CW_BODY uint32_t CW_LANE_NAME(cw_set_lanes)(cw_lane_cell cells) {
#if defined(__AVX512F__) && CW_REAL_IS_DOUBLE
  return _mm256_test_epi32_mask((__m256i)cells, (__m256i)cells);
#elif defined(__AVX512F__)
  return _mm512_test_epi32_mask((__m512i)cells, (__m512i)cells);
#else
  int32_t lane[CW_LANES];
  uint32_t set = 0;
  memcpy(lane, &cells, sizeof lane);
  for (int l = 0; l < CW_LANES; l++)
    set |= (uint32_t)(lane[l] != 0) << l;
  return set;
#endif
}

/* Finds the bases of n particles from place p of the block on. When these fill a register, are
 * alive, and have one base, or those in front do, gathers for the register as if all had it and
 * returns how many do; what the others are given is overwritten in their turn. Returns 0, with
 * their bases in the scratch, where a list serves better: few particles in front have one base, and
 * there are three or more. */
CW_BODY int CW_LANE_NAME(cw_gather_sorted)(const cw_push_job *job, int64_t begin, int p, int n,
                                           const uint8_t *tag, cw_push_scratch *scratch,
                                           CW_LANE_NAME(cw_gather_function) * gather) {
  enum { FEW = CW_LANES / 4 };
  const cw_particles_view *view = &job->particles;
  cw_lane_cell base[3], from_first = {0}, from_last = {0};
  cw_lane dx[3] = {{0}}, result[6];
  int64_t start = job->offset;
  for (int a = 0; a < job->dim; a++) {
    dx[a] = CW_LANE_NAME(cw_load)((const cw_real *)view->dx[a] + begin + p, n);
    base[a] = CW_LANE_NAME(cw_base_lanes)(
        job, CW_LANE_NAME(cw_load_cell)(view->i[a] + begin + p, n), dx[a]);
    scratch->base[a][p] = base[a][0];
    start += base[a][0] * job->stride[a];
    from_first |= base[a] ^ base[a][0];
    from_last |= base[a] ^ base[a][CW_LANES - 1];
  }
  const uint32_t others = CW_LANE_NAME(cw_set_lanes)(from_first);
  const int count = __builtin_ctz(others | 1U << (CW_LANES - 1) << 1);
  if (n < CW_LANES || !CW_LANE_NAME(cw_all_alive)(tag, p, CW_LANES) ||
      !CW_REAL_NAME(cw_inside)(job, scratch, p) ||
      (count < FEW && (others & CW_LANE_NAME(cw_set_lanes)(from_last)))) {
    for (int a = 0; a < job->dim; a++)
      CW_LANE_NAME(cw_store_cell)(scratch->base[a] + p, base[a], n);
    return 0;
  }
  gather(job, start, dx, result);
  for (int c = 0; c < 6; c++)
    CW_LANE_NAME(cw_store)((cw_real *)scratch->field[c] + p, result[c], CW_LANES);
  return count;
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
  for (int p = 0, n; p < count; p += n) {
    int room = count - p < CW_LANES ? count - p : CW_LANES;
    n = CW_LANE_NAME(cw_gather_sorted)(job, begin, p, room, tag, scratch, gather);
    if (n > 0)
      continue;
    n = room;
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
