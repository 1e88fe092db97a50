/* The mass matrix on a device: order of the particles, slabs of bins, sums, gather, faults. */
#include <stdio.h>

#include <cellwise/cells.h>

#include "kernels/massmatrix/massmatrix_cuda_launch.cuh"

/* Bytes of bins' sums that are held at once: larger boxes are summed slab by slab. */
static const int64_t most_bytes = (int64_t)1 << 30;

static cw_status reserve(cw_context *context, size_t bytes, const char *what, void **array,
                         size_t *held) {
  if (*held >= bytes)
    return CW_OK;
  cw_memory_free(context, CW_SPACE_DEVICE, *array);
  *array = NULL;
  *held = 0;
  CW_TRY(cw_memory_alloc(context, CW_SPACE_DEVICE, bytes, 1, what, array));
  *held = bytes;
  return CW_OK;
}

cw_status cw_mm_work_create_cuda(cw_context *context, cw_mm_device_work *work) {
  CW_TRY(cw_memory_alloc(context, CW_SPACE_DEVICE, 1, sizeof(cw_mm_status),
                         "status of the mass matrix", &work->status));
  CW_CUDA_TRY(context, cudaMallocHost(&work->seen, sizeof(cw_mm_status)));
  return CW_OK;
}

void cw_mm_work_destroy_cuda(cw_context *context, cw_mm_device_work *work) {
  void *const arrays[] = {work->status, work->offsets, work->offsets64, work->keys,
                          work->slots,  work->sums,    work->tails};
  for (void *array : arrays)
    cw_memory_free(context, CW_SPACE_DEVICE, array);
  if (work->seen)
    cudaFreeHost(work->seen);
}

static double real_at(cw_context *context, const void *array, cw_precision precision,
                      int64_t slot) {
  double value = 0;
  float single = 0;
  if (precision == CW_DOUBLE) {
    cw_device_read(context, &value, (const double *)array + slot, sizeof value);
    return value;
  }
  cw_device_read(context, &single, (const float *)array + slot, sizeof single);
  return single;
}

/* Names the particle of the first fault, as the host's check does. */
static cw_status report(cw_context *context, const cw_mm_device_job *d, unsigned long long fault) {
  const cw_particles_view *view = &d->job.particles;
  const int64_t slot = (int64_t)(~fault >> 8);
  for (int a = 0; a < d->job.dim; a++) {
    const double dx = real_at(context, view->dx[a], view->precision, slot);
    if (!(dx >= 0 && dx <= 1))
      return cw_fail(context, CW_ERROR_NUMERIC,
                     "massmatrix: the particle in slot %lld has offset %g along axis %d; "
                     "expected 0 to 1",
                     (long long)slot, dx, a);
    int32_t cell = 0;
    CW_TRY(cw_device_read(context, &cell, view->i[a] + slot, sizeof cell));
    if (cell < 0 || cell >= d->cells[a])
      return cw_fail(context, CW_ERROR_ARGUMENT,
                     "massmatrix: the particle in slot %lld is in cell %d along axis %d; "
                     "expected 0 to %d",
                     (long long)slot, (int)cell, a, (int)d->cells[a] - 1);
  }
  return cw_fail(context, CW_ERROR_INTERNAL, "massmatrix: a fault of no particle");
}

/* What the kernels found; waits. */
static cw_status read_status(const cw_massmatrix *matrix, const cw_mm_device_job *d,
                             int *misplaced) {
  cw_context *context = matrix->context;
  const cw_mm_status *seen = (const cw_mm_status *)matrix->work->seen;
  cudaStream_t stream;
  CW_TRY(cw_device_use(context, &stream));
  CW_CUDA_TRY(context, cudaMemcpyAsync(matrix->work->seen, d->status, sizeof *seen,
                                       cudaMemcpyDeviceToHost, stream));
  CW_CUDA_TRY(context, cudaStreamSynchronize(stream));
  *misplaced = seen->misplaced != 0;
  return seen->fault ? report(context, d, seen->fault) : CW_OK;
}

static cw_status make_plan(const cw_massmatrix *matrix, const cw_mm_job *job, cw_mm_plan *plan) {
  *plan = cw_mm_plan();
  plan->order = job->order;
  plan->components = job->components;
  plan->is_double = matrix->precision == CW_DOUBLE;
  plan->linear = job->J[0] || job->rho;
  switch (matrix->options.method) {
  case CW_MASSMATRIX_MOMENT:
    if (matrix->options.format == CW_MASSMATRIX_FP32)
      cw_mm_plan_outer(plan, 0);
    else
      cw_mm_plan_moment(plan);
    break;
  case CW_MASSMATRIX_MOMENT_FMA:
    cw_mm_plan_outer(plan, 0);
    break;
  case CW_MASSMATRIX_SORTED:
    cw_mm_plan_outer(plan, 1);
    break;
  default:
    cw_mm_plan_paper(plan);
  }
  cw_mm_plan_gather(plan);
  return CW_OK;
}

/* Runs of bins along a row that a warp sums: short where bins are long, so that the last warps to
 * end don't keep the device waiting. */
static int32_t piece_length(const cw_mm_job *job) {
  int64_t bins = (int64_t)job->bins[0] * job->bins[1] * job->bins[2];
  const int64_t each = job->particles.count / bins;
  return each >= 256 ? 2 : each >= 96 ? 4 : 8;
}

/* Layers of bins along the last axis that fit, at least one; `layer` bins each. */
static int32_t layers_at_once(const cw_mm_job *job, const cw_mm_plan *plan, int64_t *layer) {
  const int last = job->dim - 1;
  *layer = 1;
  for (int a = 0; a < last; a++)
    *layer *= job->bins[a];
  const int64_t bytes = *layer * (int64_t)plan->stride * (plan->is_double ? 8 : 4);
  const int64_t fit = cw_max_i64(1, most_bytes / bytes);
  return (int32_t)cw_min_i64(job->dim == 1 ? job->bins[0] : fit, job->bins[last]);
}

static cw_status reserve_sums(cw_context *context, cw_mm_device_work *work, const cw_mm_plan *plan,
                              cw_mm_device_job *d, int64_t bins) {
  const size_t real = plan->is_double ? 8 : 4;
  CW_TRY(reserve(context, (size_t)bins * plan->stride * real, "sums of the mass matrix's bins",
                 &work->sums, &work->sums_bytes));
  d->sums = work->sums;
  if (plan->store != CW_MM_CARRIED)
    return CW_OK;
  const int64_t rows = bins / d->job.bins[0];
  CW_TRY(reserve(context, (size_t)(rows * d->pieces) * 82 * real,
                 "sums at the ends of the mass matrix's rows", &work->tails, &work->tails_bytes));
  d->tails = work->tails;
  return CW_OK;
}

/* Sums and gathers all bins, slab by slab. */
static cw_status sum_slabs(cw_massmatrix *matrix, const cw_mm_plan *plan, cw_mm_device_job *d) {
  cw_context *context = matrix->context;
  const int last = d->job.dim - 1;
  int64_t layer;
  const int32_t at_once = layers_at_once(&d->job, plan, &layer), all = d->job.bins[last];
  d->length = piece_length(&d->job);
  d->pieces = (d->job.bins[0] - 1) / d->length + 1;
  CW_TRY(reserve_sums(context, matrix->work, plan, d, layer * at_once));
  d->fresh = matrix->work->fresh && at_once == all;
  if (at_once < all)
    CW_TRY(cw_mm_check_cuda(context, d, NULL)); /* all before the first is added */
  for (int32_t first = 0; first < all; first += at_once) {
    for (int a = 0; a < 3; a++)
      d->low[a] = 0, d->high[a] = d->job.bins[a];
    d->low[last] = first;
    d->high[last] = first + at_once < all ? first + at_once : all;
    CW_TRY(plan->sum(context, d));
    CW_TRY(plan->gather(context, d));
  }
  return CW_OK;
}

static cw_status clear_status(cw_context *context, const cw_mm_device_job *d) {
  return cw_device_zero(context, d->status, sizeof *d->status);
}

static cw_status reserve_offsets(cw_context *context, cw_mm_device_work *work,
                                 cw_mm_device_job *d) {
  CW_TRY(reserve(context, ((size_t)d->rule.bins + 1) * sizeof(uint32_t), "bins of the mass matrix",
                 &work->offsets, &work->offsets_bytes));
  d->offsets = (const uint32_t *)work->offsets;
  return CW_OK;
}

/* Particles in another order than was expected: sorts slot numbers by bin. */
static cw_status sort_slots(cw_massmatrix *matrix, cw_mm_device_job *d) {
  cw_context *context = matrix->context;
  cw_mm_device_work *work = matrix->work;
  const size_t count = (size_t)d->job.particles.count, bins = d->rule.bins;
  int misplaced;
  CW_TRY(reserve(context, count * 4, "bins of particles", &work->keys, &work->keys_bytes));
  CW_TRY(reserve(context, count * 4, "order of particles", &work->slots, &work->slots_bytes));
  CW_TRY(reserve(context, (bins + 1) * 8, "bins of the mass matrix", &work->offsets64,
                 &work->offsets64_bytes));
  CW_TRY(reserve_offsets(context, work, d));
  CW_TRY(clear_status(context, d));
  CW_TRY(cw_mm_check_cuda(context, d, (uint32_t *)work->keys));
  CW_TRY(read_status(matrix, d, &misplaced));
  CW_TRY(cw_cells_sort_keys_device(context, (int64_t)count, (const uint32_t *)work->keys,
                                   (uint32_t)bins, 0, (uint32_t *)work->slots,
                                   (int64_t *)work->offsets64));
  CW_TRY(cw_mm_narrow_cuda(context, (const int64_t *)work->offsets64, (uint32_t *)work->offsets,
                           (int64_t)bins + 1));
  d->slots = (const uint32_t *)work->slots;
  d->ranges = 1;
  return CW_OK;
}

static cw_status add_sorted(cw_massmatrix *matrix, cw_mm_device_job *d, const cw_key_rule *tiled,
                            const cw_key_rule *by_bin) {
  cw_context *context = matrix->context;
  cw_mm_plan plan;
  int misplaced;
  CW_TRY(make_plan(matrix, &d->job, &plan));
  d->rule = *tiled;
  d->ranges = tiled->by_node && tiled->tile < by_bin->tile ? 1 << d->job.dim : 1;
  CW_TRY(reserve_offsets(context, matrix->work, d));
  CW_TRY(clear_status(context, d));
  CW_TRY(cw_mm_find_offsets_cuda(context, d));
  CW_TRY(sum_slabs(matrix, &plan, d));
  CW_TRY(read_status(matrix, d, &misplaced));
  if (!misplaced)
    return CW_OK;
  d->rule = *by_bin;
  CW_TRY(sort_slots(matrix, d));
  CW_TRY(sum_slabs(matrix, &plan, d));
  CW_TRY(read_status(matrix, d, &misplaced));
  if (misplaced)
    return cw_fail(context, CW_ERROR_INTERNAL, "massmatrix: sorted particles are out of order");
  return CW_OK;
}

cw_status cw_mm_add_cuda(cw_massmatrix *matrix, const cw_mm_job *job, const cw_key_rule *tiled,
                         const cw_key_rule *by_bin) {
  cw_context *context = matrix->context;
  cw_mm_device_job d = {};
  int misplaced;
  d.job = *job;
  for (int a = 0; a < 3; a++)
    d.cells[a] = matrix->grid.cells[a];
  d.status = (cw_mm_status *)matrix->work->status;
  d.is_double = matrix->precision == CW_DOUBLE;
  d.three = matrix->options.format == CW_MASSMATRIX_TF32X3;
  if (job->particles.count > (int64_t)UINT32_MAX)
    return cw_fail(context, CW_ERROR_UNSUPPORTED,
                   "massmatrix: %lld particles in one block; at most 2^32 - 1 are possible",
                   (long long)job->particles.count);
  if (matrix->options.method != CW_MASSMATRIX_NAIVE) {
    CW_TRY(add_sorted(matrix, &d, tiled, by_bin));
  } else {
    d.rule = *by_bin;
    CW_TRY(clear_status(context, &d));
    CW_TRY(cw_mm_check_cuda(context, &d, NULL));
    CW_TRY(read_status(matrix, &d, &misplaced));
    CW_TRY(cw_mm_naive_cuda(context, &d));
    CW_TRY(cw_device_synchronize(context));
  }
  matrix->work->fresh = 0;
  return CW_OK;
}
