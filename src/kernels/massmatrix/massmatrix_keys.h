/* Keys of bins for one precision of the particles. */

static int CW_REAL_NAME(cw_mm_keys)(const cw_mm_key_rule *rule, const cw_particles_view *particles,
                                    int64_t begin, int64_t n, uint32_t *keys) {
  int faults = 0;
  for (int64_t p = 0; p < n; p++)
    keys[p] = 0;
  const uint8_t *tag = particles->tag ? particles->tag + begin : NULL;
  for (int a = 0; a < rule->dim; a++) {
    const int32_t *i = particles->i[a] + begin;
    const cw_real *dx = (const cw_real *)particles->dx[a] + begin;
    const int32_t cells = rule->cells[a], by_node = rule->by_node;
    const int shift = rule->shift[a];
    const uint32_t stride = rule->stride[a];
    int32_t misplaced = 0, wrong = 0;
    for (int64_t p = 0; p < n; p++) {
      const int32_t upper = by_node & (dx[p] >= (cw_real)0.5);
      const int32_t outside = (i[p] < 0) | (i[p] >= cells);
      const int32_t bad = !((dx[p] >= 0) & (dx[p] <= 1));
      const int32_t alive = tag ? tag[p] != CW_TAG_DEAD : 1;
      misplaced |= outside & alive;
      wrong |= bad & alive;
      keys[p] += ((uint32_t)(i[p] + (outside ? 0 : upper)) >> shift) * stride;
    }
    faults |= (misplaced ? CW_MM_FAULT_PLACE : 0) | (wrong ? CW_MM_FAULT_OFFSET : 0);
  }
  for (int64_t p = 0; tag && p < n; p++)
    keys[p] = tag[p] == CW_TAG_DEAD ? rule->dead : keys[p];
  return faults;
}
