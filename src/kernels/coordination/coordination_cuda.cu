/* One frame on the device: copies, sweeps, sums, results in the caller's order. */
#include <math.h>
#include <string.h>

#include "kernels/coordination/coordination_cuda_plan.cuh"

enum { SUM_AT_ONCE = 1024 };

/* Sums of up to SUM_AT_ONCE records a block, in a fixed order. */
static __global__ void sum_partials(const cw_partial *in, int64_t count, cw_partial *out) {
  __shared__ double sums[CW_THREADS / CW_WARP][CW_SUMS];
  const int64_t begin = (int64_t)blockIdx.x * SUM_AT_ONCE;
  const int64_t end = begin + SUM_AT_ONCE < count ? begin + SUM_AT_ONCE : count;
  double mine[CW_SUMS] = {0};
  for (int64_t k = begin + threadIdx.x; k < end; k += CW_THREADS)
    for (int q = 0; q < CW_SUMS; q++)
      mine[q] += in[k].sum[q];
  for (int q = 0; q < CW_SUMS; q++) {
    const double sum = cw_lane_sum(mine[q]);
    if (threadIdx.x % CW_WARP == 0)
      sums[threadIdx.x / CW_WARP][q] = sum;
  }
  __syncthreads();
  if (threadIdx.x >= CW_SUMS)
    return;
  double sum = 0;
  for (int w = 0; w < CW_THREADS / CW_WARP; w++)
    sum += sums[w][threadIdx.x];
  out[blockIdx.x].sum[threadIdx.x] = sum;
}

/* Each atom's derivative from its entries, in their order. */
template <class Out>
static __global__ void gather_atoms(const uint32_t *offsets, const uint32_t *entries,
                                    const double *derivative, int64_t atoms, Out *x, Out *y, Out *z,
                                    int64_t stride) {
  cw_grid_stride(atom, atoms) {
    double sum[3] = {0, 0, 0};
    for (uint32_t k = offsets[atom]; k < offsets[atom + 1]; k++)
      for (int c = 0; c < 3; c++)
        sum[c] += derivative[3 * (int64_t)entries[k] + c];
    x[atom * stride] = (Out)sum[0];
    y[atom * stride] = (Out)sum[1];
    z[atom * stride] = (Out)sum[2];
  }
}

static cw_status mark(cw_coordination *plan, int k) {
  if (!plan->cuda->times)
    return CW_OK;
  return cw_device_event_record(plan->context, plan->cuda->event[k]);
}

static cw_status read_marks(cw_coordination *plan) {
  cw_coordination_cuda *cuda = plan->cuda;
  if (!cuda->times)
    return CW_OK;
  double *seconds[CW_COORDINATION_EVENTS - 1] = {&cuda->times->upload, &cuda->times->sort,
                                                 &cuda->times->sweep, &cuda->times->finish};
  for (int k = 0; k + 1 < CW_COORDINATION_EVENTS; k++)
    CW_TRY(cw_device_event_seconds(plan->context, cuda->event[k], cuda->event[k + 1], seconds[k]));
  return CW_OK;
}

static cw_status pinned(cw_coordination *plan, void **pointer) {
  if (*pointer)
    return CW_OK;
  const size_t bytes = (size_t)plan->atoms * 3 * sizeof(double) + 1;
  CW_CUDA_TRY(plan->context, cudaMallocHost(pointer, bytes));
  plan->cuda->pinned_bytes += bytes;
  return CW_OK;
}

static cw_status device_vectors(cw_coordination *plan, const char *what, void **pointer) {
  if (*pointer)
    return CW_OK;
  return cw_coordination_cuda_new(plan->context, plan->atoms, 3 * sizeof(double), what, pointer);
}

/* The positions as device code reads them; host arrays go through pinned memory. */
static cw_status upload(cw_coordination *plan, const cw_coordinates_view *view,
                        cw_device_positions *positions) {
  cw_coordination_cuda *cuda = plan->cuda;
  positions->is_double = view->precision == CW_DOUBLE;
  positions->stride = view->stride;
  for (int c = 0; c < 3; c++)
    positions->component[c] = view->component[c];
  if (view->space != CW_SPACE_HOST)
    return CW_OK;
  const size_t size = (size_t)cw_precision_size(view->precision);
  CW_TRY(pinned(plan, &cuda->pinned_in));
  CW_TRY(device_vectors(plan, "positions", &cuda->raw));
  cw_coordination_pack(view, plan->atoms, cuda->pinned_in, plan->scratch_threads);
  positions->stride = 3;
  for (int c = 0; c < 3; c++)
    positions->component[c] = (const char *)cuda->raw + (size_t)c * size;
  return cw_device_copy_to(plan->context, cuda->raw, cuda->pinned_in,
                           (size_t)plan->atoms * 3 * size);
}

int64_t cw_coordination_cuda_partials(const cw_device_sweep *sweep, cw_coordination_form form) {
  const int64_t count = sweep->centre.count;
  if (sweep->cells.images)
    return (count + CW_TEAM - 1) / CW_TEAM;
  if (form == CW_COORDINATION_FORM_CELL)
    return sweep->cells.total;
  return (count + CW_CENTRES - 1) / CW_CENTRES;
}

static cw_status reserve_partials(cw_coordination *plan, int64_t count) {
  cw_coordination_cuda *cuda = plan->cuda;
  int64_t capacity = cuda->partial_capacity;
  CW_TRY(cw_coordination_cuda_reserve(plan->context, count, sizeof(cw_partial), "partial sums",
                                      &capacity, (void **)&cuda->partial[0]));
  return cw_coordination_cuda_reserve(plan->context, count, sizeof(cw_partial), "partial sums",
                                      &cuda->partial_capacity, (void **)&cuda->partial[1]);
}

/* Reduces the first `count` partial sums to outcome->sums. */
static cw_status add_partials(cw_coordination *plan, int64_t count) {
  cw_coordination_cuda *cuda = plan->cuda;
  int from = 0;
  for (int64_t left = count; left > 0; from = 1 - from) {
    const int64_t blocks = (left + SUM_AT_ONCE - 1) / SUM_AT_ONCE;
    cw_partial *to = blocks == 1 ? &cuda->outcome->sums : cuda->partial[1 - from];
    CW_CUDA_LAUNCH(plan->context, sum_partials, (unsigned)blocks, CW_THREADS, 0,
                   cuda->partial[from], left, to);
    left = blocks == 1 ? 0 : blocks;
  }
  return CW_OK;
}

/* One group's entries with all their neighbours in the other. */
static cw_status sweep_group(cw_coordination *plan, cw_device_sweep *sweep, int sums) {
  cw_coordination_cuda *cuda = plan->cuda;
  if (sweep->centre.count == 0)
    return CW_OK;
  const int64_t partials = cw_coordination_cuda_partials(sweep, plan->form);
  CW_TRY(reserve_partials(plan, partials));
  sweep->partial = cuda->partial[0];
  CW_TRY((plan->precision == CW_DOUBLE ? cw_coordination_cuda_sweep_f64
                                       : cw_coordination_cuda_sweep_f32)(
      plan->context, &plan->switching, sweep, plan->form));
  return sums ? add_partials(plan, partials) : CW_OK;
}

static cw_status sweep_groups(cw_coordination *plan, const cw_device_cells *cells,
                              int derivatives) {
  cw_coordination_cuda *cuda = plan->cuda;
  const int self = plan->pairs == CW_PAIRS_SELF;
  cw_device_sweep sweep = {};
  sweep.cells = *cells;
  sweep.centre = cw_device_entries_of(&plan->a, &cuda->group[0]);
  sweep.other = self ? sweep.centre : cw_device_entries_of(&plan->b, &cuda->group[1]);
  sweep.range2 = plan->switching.range2;
  sweep.same = self;
  sweep.forward = 1;
  sweep.fast_border = plan->fast_border;
  sweep.drop_self = self && plan->a.distinct;
  sweep.other_ids = sweep.drop_self || (!self && cuda->disjoint);
  sweep.derivative = cuda->derivative;
  sweep.value = cuda->value;
  CW_TRY(sweep_group(plan, &sweep, 1));
  if (self || !derivatives)
    return CW_OK;
  const cw_device_entries centre = sweep.other;
  sweep.other = sweep.centre;
  sweep.centre = centre;
  sweep.forward = 0;
  sweep.derivative += 3 * plan->a.count;
  sweep.value += plan->a.count;
  return sweep_group(plan, &sweep, 0);
}

static cw_status zip_groups(cw_coordination *plan, const cw_device_positions *positions) {
  cw_coordination_cuda *cuda = plan->cuda;
  cw_device_sweep sweep = {};
  const int64_t partials = (plan->a.count + CW_TEAM - 1) / CW_TEAM;
  sweep.cells.lattice = plan->lattice;
  sweep.centre = cw_device_entries_of(&plan->a, &cuda->group[0]);
  sweep.other = cw_device_entries_of(&plan->b, &cuda->group[1]);
  sweep.range2 = plan->switching.range2;
  sweep.derivative = cuda->derivative;
  sweep.value = cuda->value;
  CW_TRY(reserve_partials(plan, cw_max_i64(partials, 1)));
  sweep.partial = cuda->partial[0];
  CW_TRY(
      cw_coordination_cuda_zip(plan->context, &plan->switching, &sweep, positions, cuda->outcome));
  return add_partials(plan, partials);
}

/* Derivatives of atoms into the caller's device array, or packed for the way to the host. */
static cw_status gather(cw_coordination *plan, const cw_coordinates_view *out) {
  cw_coordination_cuda *cuda = plan->cuda;
  const size_t size = (size_t)cw_precision_size(out->precision);
  const int host = out->space == CW_SPACE_HOST;
  void *to[3];
  if (host)
    CW_TRY(device_vectors(plan, "derivatives", &cuda->out));
  for (int c = 0; c < 3; c++)
    to[c] = host ? (char *)cuda->out + (size_t)c * size : out->component[c];
  const int64_t stride = host ? 3 : out->stride;
  const unsigned blocks = cw_cuda_blocks(plan->context, plan->atoms, CW_THREADS);
  if (out->precision == CW_DOUBLE)
    CW_CUDA_LAUNCH_NAMED(plan->context, "gather_atoms", gather_atoms<double>, blocks, CW_THREADS, 0,
                         cuda->entry_offsets, cuda->entries, cuda->derivative, plan->atoms,
                         (double *)to[0], (double *)to[1], (double *)to[2], stride);
  else
    CW_CUDA_LAUNCH_NAMED(plan->context, "gather_atoms", gather_atoms<float>, blocks, CW_THREADS, 0,
                         cuda->entry_offsets, cuda->entries, cuda->derivative, plan->atoms,
                         (float *)to[0], (float *)to[1], (float *)to[2], stride);
  return CW_OK;
}

static void store_sums(const cw_coordination *plan, cw_coordination_result *result) {
  const double *sum = plan->cuda->seen->sums.sum;
  /* SELF met each pair from both ends */
  const double weight = plan->pairs == CW_PAIRS_SELF ? 0.5 : 1;
  static const int at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  result->value = weight * sum[CW_SUM_VALUE];
  result->pairs_in_range = (int64_t)(weight * sum[CW_SUM_PAIRS]);
  for (int k = 0; k < 9; k++)
    result->box_derivatives[k / 3][k % 3] =
        result->without_box_derivatives ? 0 : weight * sum[CW_SUM_BOX + at[k]];
}

/* Queues what goes back, waits, and hands it over. */
static cw_status download(cw_coordination *plan, const cw_coordinates_view *positions,
                          cw_coordination_result *result) {
  cw_context *context = plan->context;
  cw_coordination_cuda *cuda = plan->cuda;
  const cw_coordinates_view *out = &result->derivatives;
  const int vectors = out->component[0] != NULL && plan->atoms > 0;
  const int packed = vectors && out->space == CW_SPACE_HOST;
  const int64_t rows = plan->a.count + plan->b.count;
  const size_t bytes = (size_t)plan->atoms * 3 * (size_t)cw_precision_size(out->precision);
  if (packed)
    CW_TRY(pinned(plan, &cuda->pinned_out));
  if (vectors)
    CW_TRY(gather(plan, out));
  if (packed)
    CW_TRY(cw_device_copy_from(context, cuda->pinned_out, cuda->out, bytes));
  if (result->entry_derivatives)
    CW_TRY(cw_device_copy_from(context, result->entry_derivatives, cuda->derivative,
                               (size_t)rows * 3 * sizeof(double)));
  if (result->entry_values)
    CW_TRY(cw_device_copy_from(context, result->entry_values, cuda->value,
                               (size_t)plan->a.count * sizeof(double)));
  CW_TRY(cw_device_copy_from(context, cuda->seen, cuda->outcome, sizeof *cuda->seen));
  CW_TRY(mark(plan, 4));
  CW_TRY(cw_device_synchronize(context));
  CW_TRY(cw_coordination_cuda_check_atoms(plan, positions));
  CW_TRY(read_marks(plan));
  if (packed)
    cw_coordination_unpack(cuda->pinned_out, plan->atoms, out, plan->scratch_threads);
  store_sums(plan, result);
  return CW_OK;
}

/* Sums 0, bounds beyond all numbers, no bad atom. */
static cw_status reset_outcome(cw_coordination *plan) {
  cw_device_outcome *seen = plan->cuda->seen;
  memset(seen, 0, sizeof *seen);
  memset(seen->low, 0xff, sizeof seen->low);
  seen->bad_atom = UINT32_MAX;
  return cw_device_copy_to(plan->context, plan->cuda->outcome, seen, sizeof *seen);
}

cw_status cw_coordination_cuda_compute(cw_coordination *plan, const cw_coordinates_view *view,
                                       cw_coordination_result *result) {
  cw_device_positions positions = {};
  cw_device_cells cells = {};
  const int derivatives = result->derivatives.component[0] || result->entry_derivatives;
  const int empty = plan->a.count == 0 && plan->b.count == 0;
  if (plan->method == CW_COORDINATION_FROZEN)
    return cw_fail(plan->context, CW_ERROR_UNSUPPORTED,
                   "frozen lists need positions and derivatives in host memory");
  CW_TRY(cw_device_use(plan->context, NULL));
  CW_TRY(cw_coordination_cuda_prepare(plan));
  CW_TRY(mark(plan, 0));
  CW_TRY(reset_outcome(plan));
  CW_TRY(upload(plan, view, &positions));
  CW_TRY(mark(plan, 1));
  if (plan->pairs == CW_PAIRS_ZIP || empty) {
    CW_TRY(mark(plan, 2));
    if (!empty)
      CW_TRY(zip_groups(plan, &positions));
  } else {
    CW_TRY(cw_coordination_cuda_choose_cells(plan, view, &positions, &cells));
    CW_TRY(cw_coordination_cuda_sort_groups(plan, &cells, &positions));
    CW_TRY(mark(plan, 2));
    CW_TRY(sweep_groups(plan, &cells, derivatives));
    for (int a = 0; a < 3; a++)
      result->cells[a] = cells.n[a];
    result->images = cells.images && plan->lattice.kind != CW_LATTICE_NONE;
  }
  CW_TRY(mark(plan, 3));
  result->list_rebuilt = plan->method == CW_COORDINATION_LIST;
  return download(plan, view, result);
}
