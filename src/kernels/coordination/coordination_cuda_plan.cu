/* A plan's memory on its device, made with the first frame. */
#include "kernels/coordination/coordination_cuda_plan.cuh"

cw_status cw_coordination_cuda_new(cw_context *context, int64_t count, size_t size,
                                   const char *what, void **pointer) {
  return cw_memory_alloc(context, CW_SPACE_DEVICE, (size_t)count, size, what, pointer);
}

cw_status cw_coordination_cuda_reserve(cw_context *context, int64_t count, size_t size,
                                       const char *what, int64_t *capacity, void **pointer) {
  if (*pointer && count <= *capacity)
    return CW_OK;
  cw_memory_free(context, CW_SPACE_DEVICE, *pointer);
  *pointer = NULL;
  CW_TRY(cw_coordination_cuda_new(context, count + count / 8, size, what, pointer));
  *capacity = count + count / 8;
  return CW_OK;
}

static cw_status make_group(cw_context *context, const cw_entries *entries,
                            cw_device_group *group) {
  const int64_t n = entries->count;
  CW_TRY(cw_coordination_cuda_new(context, n, sizeof(uint32_t), "group", (void **)&group->atom));
  CW_TRY(
      cw_coordination_cuda_new(context, n, sizeof(uint32_t), "sorted atoms", (void **)&group->id));
  CW_TRY(cw_coordination_cuda_new(context, n, sizeof(uint32_t), "sorted group",
                                  (void **)&group->permutation));
  for (int c = 0; c < 3; c++)
    CW_TRY(cw_coordination_cuda_new(context, n, sizeof(double), "sorted positions",
                                    (void **)&group->position[c]));
  return cw_device_write(context, group->atom, entries->atom, (size_t)n * sizeof(uint32_t));
}

/* For each atom the rows of its entries. */
static cw_status make_rows(cw_coordination *plan, cw_coordination_cuda *cuda) {
  cw_context *context = plan->context;
  const int64_t rows = plan->a.count + plan->b.count, atoms = plan->atoms;
  uint32_t *offsets = NULL, *entries = NULL;
  cw_status status;
  cuda->disjoint = 1;
  CW_TRY_CLEANUP(status, CW_NEW(context, atoms + 2, "rows of atoms", &offsets));
  CW_TRY_CLEANUP(status, CW_NEW(context, rows, "rows of atoms", &entries));
  for (int64_t k = 0; k < rows; k++)
    offsets[2 + (k < plan->a.count ? plan->a.atom[k] : plan->b.atom[k - plan->a.count])]++;
  for (int64_t k = 0; k < atoms; k++)
    offsets[k + 2] += offsets[k + 1];
  for (int64_t k = 0; k < rows; k++) {
    const uint32_t atom = k < plan->a.count ? plan->a.atom[k] : plan->b.atom[k - plan->a.count];
    entries[offsets[atom + 1]++] = (uint32_t)k;
  }
  for (int64_t k = 0; k < atoms; k++)
    if (offsets[k] < offsets[k + 1] && entries[offsets[k]] < plan->a.count &&
        entries[offsets[k + 1] - 1] >= plan->a.count)
      cuda->disjoint = 0;
  CW_TRY_CLEANUP(status, cw_coordination_cuda_new(context, atoms + 1, sizeof(uint32_t),
                                                  "rows of atoms", (void **)&cuda->entry_offsets));
  CW_TRY_CLEANUP(status, cw_coordination_cuda_new(context, rows, sizeof(uint32_t), "rows of atoms",
                                                  (void **)&cuda->entries));
  CW_TRY_CLEANUP(status, cw_device_copy_to(context, cuda->entry_offsets, offsets,
                                           (size_t)(atoms + 1) * sizeof(uint32_t)));
  CW_TRY_CLEANUP(status,
                 cw_device_write(context, cuda->entries, entries, (size_t)rows * sizeof(uint32_t)));
cleanup:
  CW_DELETE(context, offsets);
  CW_DELETE(context, entries);
  return status;
}

static cw_status make(cw_coordination *plan) {
  cw_context *context = plan->context;
  cw_coordination_cuda *cuda = plan->cuda;
  const int64_t rows = plan->a.count + plan->b.count;
  const int64_t most = cw_max_i64(plan->a.count, plan->b.count);
  if (rows >= INT32_MAX)
    return cw_fail(context, CW_ERROR_UNSUPPORTED,
                   "the groups have %lld entries; on a device they can have 2^31 - 2",
                   (long long)rows);
  CW_TRY(make_group(context, &plan->a, &cuda->group[0]));
  CW_TRY(make_group(context, &plan->b, &cuda->group[1]));
  CW_TRY(make_rows(plan, cuda));
  CW_TRY(cw_coordination_cuda_new(context, most, sizeof(uint32_t), "cell keys",
                                  (void **)&cuda->sorter.key));
  CW_TRY(cw_coordination_cuda_new(context, most, sizeof(uint32_t), "cell keys",
                                  (void **)&cuda->sorter.sorted_key));
  CW_TRY(cw_coordination_cuda_new(context, most, sizeof(uint32_t), "entry order",
                                  (void **)&cuda->sorter.order));
  CW_TRY(cw_coordination_cuda_scratch(context, (int)most, &cuda->sorter.scratch_bytes));
  CW_TRY(cw_coordination_cuda_new(context, (int64_t)cuda->sorter.scratch_bytes, 1, "sort scratch",
                                  &cuda->sorter.scratch));
  CW_TRY(cw_coordination_cuda_new(context, rows, 3 * sizeof(double), "derivatives of entries",
                                  (void **)&cuda->derivative));
  CW_TRY(cw_coordination_cuda_new(context, rows, sizeof(double), "values of entries",
                                  (void **)&cuda->value));
  CW_TRY(cw_coordination_cuda_new(context, 1, sizeof *cuda->outcome, "outcome",
                                  (void **)&cuda->outcome));
  CW_CUDA_TRY(context, cudaMallocHost((void **)&cuda->seen, sizeof *cuda->seen));
  return CW_OK;
}

static void free_group(cw_context *context, cw_device_group *group) {
  cw_memory_free(context, CW_SPACE_DEVICE, group->atom);
  cw_memory_free(context, CW_SPACE_DEVICE, group->id);
  cw_memory_free(context, CW_SPACE_DEVICE, group->permutation);
  cw_memory_free(context, CW_SPACE_DEVICE, group->offsets);
  for (int c = 0; c < 3; c++)
    cw_memory_free(context, CW_SPACE_DEVICE, group->position[c]);
}

void cw_coordination_cuda_destroy(cw_coordination *plan) {
  cw_context *context = plan->context;
  cw_coordination_cuda *cuda = plan->cuda;
  if (!cuda)
    return;
  free_group(context, &cuda->group[0]);
  free_group(context, &cuda->group[1]);
  void *const held[] = {cuda->sorter.key,
                        cuda->sorter.sorted_key,
                        cuda->sorter.order,
                        cuda->sorter.scratch,
                        cuda->entry_offsets,
                        cuda->entries,
                        cuda->derivative,
                        cuda->value,
                        cuda->partial[0],
                        cuda->partial[1],
                        cuda->outcome,
                        cuda->raw,
                        cuda->out};
  for (size_t k = 0; k < sizeof held / sizeof *held; k++)
    cw_memory_free(context, CW_SPACE_DEVICE, held[k]);
  cudaFreeHost(cuda->seen);
  cudaFreeHost(cuda->pinned_in);
  cudaFreeHost(cuda->pinned_out);
  for (int k = 0; k < CW_COORDINATION_EVENTS; k++)
    cw_device_event_destroy(context, cuda->event[k]);
  CW_DELETE(context, cuda);
  plan->cuda = NULL;
}

size_t cw_coordination_cuda_memory(const cw_coordination *plan) {
  const cw_coordination_cuda *cuda = plan->cuda;
  if (!cuda)
    return 0;
  const size_t rows = (size_t)(plan->a.count + plan->b.count), atoms = (size_t)plan->atoms;
  const size_t most = (size_t)cw_max_i64(plan->a.count, plan->b.count);
  const size_t offsets =
      (size_t)(cuda->group[0].offsets_capacity + cuda->group[1].offsets_capacity);
  const size_t vectors = atoms * 3 * sizeof(double);
  return rows * (4 * sizeof(uint32_t) + 7 * sizeof(double)) + 3 * most * sizeof(uint32_t) +
         cuda->sorter.scratch_bytes + (offsets + atoms) * sizeof(uint32_t) +
         2 * (size_t)cuda->partial_capacity * sizeof(cw_partial) + (cuda->raw ? vectors : 0) +
         (cuda->out ? vectors : 0) + cuda->pinned_bytes + sizeof *cuda;
}

cw_status cw_coordination_cuda_prepare(cw_coordination *plan) {
  if (plan->cuda)
    return CW_OK;
  CW_TRY(CW_NEW(plan->context, 1, "device plan", &plan->cuda));
  const cw_status status = make(plan);
  if (status != CW_OK)
    cw_coordination_cuda_destroy(plan);
  return status;
}

cw_status cw_coordination_cuda_measure(cw_coordination *plan, cw_coordination_cuda_times *times) {
  CW_TRY(cw_device_use(plan->context, NULL));
  CW_TRY(cw_coordination_cuda_prepare(plan));
  for (int k = 0; times && k < CW_COORDINATION_EVENTS; k++)
    if (!plan->cuda->event[k])
      CW_TRY(cw_device_event_create(plan->context, &plan->cuda->event[k]));
  plan->cuda->times = times;
  return CW_OK;
}
