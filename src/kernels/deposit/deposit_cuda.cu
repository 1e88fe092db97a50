/* The device's deposit: the job, the quanta of fixed point, the passes, the report. */
#include "kernels/deposit/deposit_cuda.h"
#include "kernels/deposit/deposit_cuda_launch.cuh"
#include "kernels/deposit/deposit_scratch.h"

#define CW_REAL_IS_DOUBLE 1
#define CW_BODY           static __device__ __forceinline__
#include "kernels/shape_body.h"

/* Largest |weight| as the bits of a float, which order as the values do; rounded up. */
template <class Real>
static __global__ void largest_weight(const Real *weight, const uint8_t *tag, int64_t count,
                                      cw_deposit_quanta *quanta, cw_fault_word *fault) {
  unsigned largest = 0;
  cw_grid_stride(n, count) {
    if (tag && tag[n] == CW_TAG_DEAD) continue;
    const float w = __double2float_ru(fabs((double)weight[n]));
    if (!isfinite(w)) cw_fault_report(fault, CW_FAULT_NOT_FINITE, n);
    else if (__float_as_uint(w) > largest) largest = __float_as_uint(w);
  }
  atomicMax(&quanta->weight_bits, largest);
}

/* Boxes as wide as the cells from which one value can be reached: its particles stand in at most
 * two boxes an axis. */
typedef struct census {
  int dim;
  int32_t low, width, boxes[3];
  unsigned *counts;
} census;

static __global__ void count_boxes(cw_particles_view view, census boxes) {
  cw_grid_stride(n, view.count) {
    int64_t box = 0, stride = 1;
    for (int a = 0; a < boxes.dim; a++) {
      const int32_t cell = min(view.i[a][n], view.i_prev[a][n]);
      const int32_t at = min(max((cell - boxes.low) / boxes.width, 0), boxes.boxes[a] - 1);
      box += at * stride;
      stride *= boxes.boxes[a];
    }
    /* one addition for the lanes that share a box */
    const unsigned active = __activemask();
    const unsigned same = __match_any_sync(active, (unsigned long long)box);
    if ((int)(threadIdx.x % 32) == __ffs((int)same) - 1) atomicAdd(&boxes.counts[box], __popc(same));
  }
}

static __global__ void most_in_reach(census boxes, int64_t total, cw_deposit_quanta *quanta) {
  cw_grid_stride(n, total) {
    const int32_t x = (int32_t)(n % boxes.boxes[0]), y = (int32_t)(n / boxes.boxes[0] % boxes.boxes[1]),
                  z = (int32_t)(n / boxes.boxes[0] / boxes.boxes[1]);
    unsigned sum = 0;
    for (int corner = 0; corner < 8; corner++) {
      const int32_t i = x + (corner & 1), j = y + (corner >> 1 & 1), k = z + (corner >> 2);
      if (i < boxes.boxes[0] && j < boxes.boxes[1] && k < boxes.boxes[2])
        sum += boxes.counts[i + (int64_t)boxes.boxes[0] * (j + (int64_t)boxes.boxes[1] * k)];
    }
    atomicMax(&quanta->most, sum);
  }
}

/* Powers of two such that no value exceeds 2^value_bits quanta and no sum 2^62. `largest` bounds a
 * value of each component for weight 1. */
static __global__ void choose_quanta(cw_deposit_quanta *quanta, double largest0, double largest1,
                                     double largest2, int value_bits, int has_weights) {
  const double largest[3] = {largest0, largest1, largest2};
  const double weight = has_weights ? (double)__uint_as_float(quanta->weight_bits) : 1.0;
  int most_bits = 0;
  while ((1u << most_bits) < quanta->most && most_bits < 31) most_bits++;
  for (int c = 0; c < 3; c++) {
    const double each = largest[c] * weight;
    int exponent = 0;
    frexp(each, &exponent); /* each < 2^exponent */
    int bits = value_bits < 62 - most_bits ? value_bits : 62 - most_bits;
    bits -= exponent;
    quanta->quanta[c] = each > 0 ? ldexp(1.0, bits < 96 ? bits : 96) : 1.0;
  }
}

template <class Real>
static __global__ void add_sums(const int64_t *sums, Real *J, int64_t points,
                                const cw_deposit_quanta *quanta, int component) {
  const double quantum = 1.0 / quanta->quanta[component];
  cw_grid_stride(n, points) {
    const int64_t sum = sums[n];
    if (sum) J[n] += (Real)((double)sum * quantum);
  }
}

/* ---- host ---- */

/* The device scratch of one call. */
typedef struct workspace {
  int64_t *sums;
  cw_deposit_quanta *quanta;
  cw_deposit_counts *counts;
  unsigned *boxes;
} workspace;

static void release(cw_context *context, workspace *work) {
  cw_memory_free(context, CW_SPACE_DEVICE, work->sums);
  cw_memory_free(context, CW_SPACE_DEVICE, work->quanta);
  cw_memory_free(context, CW_SPACE_DEVICE, work->counts);
  cw_memory_free(context, CW_SPACE_DEVICE, work->boxes);
}

static cw_status find_weight(cw_context *context, const cw_particles_view *view,
                             cw_deposit_quanta *quanta) {
  if (!view->weight || view->count == 0) return CW_OK;
  const unsigned blocks = cw_cuda_blocks(context, view->count, CW_THREADS);
  if (view->precision == CW_DOUBLE)
    CW_CUDA_LAUNCH_NAMED(context, "largest_weight", largest_weight<double>, blocks, CW_THREADS, 0,
                         (const double *)view->weight, view->tag, view->count, quanta,
                         cw_device_fault(context));
  else
    CW_CUDA_LAUNCH_NAMED(context, "largest_weight", largest_weight<float>, blocks, CW_THREADS, 0,
                         (const float *)view->weight, view->tag, view->count, quanta,
                         cw_device_fault(context));
  return CW_OK;
}

/* Double precision needs to know how many particles one value can get; single precision's values
 * have so few bits that 2^40 of them fit. */
static cw_status take_census(cw_context *context, const cw_grid *grid,
                             const cw_particles_view *view, int order, workspace *work) {
  if (view->count == 0) return CW_OK;
  census boxes = {grid->dim, -grid->ghost, order + 3, {1, 1, 1}, NULL};
  int64_t total = 1;
  for (int a = 0; a < grid->dim; a++) {
    boxes.boxes[a] = (grid->size[a] + boxes.width - 1) / boxes.width;
    total *= boxes.boxes[a];
  }
  CW_TRY(cw_memory_alloc(context, CW_SPACE_DEVICE, (size_t)total, sizeof(unsigned),
                         "particle counts of the fixed-point bound", (void **)&work->boxes));
  boxes.counts = work->boxes;
  CW_CUDA_LAUNCH(context, count_boxes, cw_cuda_blocks(context, view->count, CW_THREADS), CW_THREADS,
                 0, *view, boxes);
  CW_CUDA_LAUNCH(context, most_in_reach, cw_cuda_blocks(context, total, CW_THREADS), CW_THREADS, 0,
                 boxes, total, work->quanta);
  return CW_OK;
}

/* Largest weight of a centred B-spline of that order at one node: at its centre. */
static double largest_shape(int order) {
  static const double values[CW_MAX_SHAPE_ORDER + 1] = {1,     1,     0.75,  0.667, 0.599, 0.551,
                                                        0.512, 0.480, 0.454, 0.431, 0.411, 0.394};
  return values[order];
}

/* Bound of what a particle of weight 1 adds to one value of component c: the prefix sum of T - S is
 * at most the move, and the factor of each other axis, a mean of weights along the path, at most
 * the shape's largest. An axis that is not simulated has its velocity, below 1, for the move. */
static double largest_value(const cw_deposit_device_job *job, int c) {
  const double shape = largest_shape(job->order);
  double value = fabs(job->scale[c]) * (c < job->dim ? job->max_move : 1.0);
  for (int a = 0; a < job->dim; a++) value *= a == c ? 1.0 : shape;
  /* zigzag adds to one value from each half of the path; a little for the rounding of factors */
  return value * (job->order ? 1.001 : 2.002);
}

static cw_status prepare_fixed(cw_context *context, const cw_deposit_options *options,
                               const cw_grid *grid, cw_deposit_device_job *job, workspace *work) {
  CW_TRY(cw_memory_alloc(context, CW_SPACE_DEVICE, (size_t)(3 * grid->points), sizeof(int64_t),
                         "fixed-point sums of J", (void **)&work->sums));
  CW_TRY(cw_memory_alloc(context, CW_SPACE_DEVICE, 1, sizeof *work->quanta, "fixed-point quanta",
                         (void **)&work->quanta));
  CW_TRY(find_weight(context, &job->particles, work->quanta));
  const int is_double = job->particles.precision == CW_DOUBLE;
  if (is_double) CW_TRY(take_census(context, grid, &job->particles, options->order, work));
  CW_CUDA_LAUNCH(context, choose_quanta, 1, 1, 0, work->quanta, largest_value(job, 0),
                 largest_value(job, 1), largest_value(job, 2), is_double ? 51 : 22,
                 job->particles.weight != NULL);
  job->quanta = work->quanta;
  for (int c = 0; c < 3; c++) job->component[c] = work->sums + c * grid->points;
  return CW_OK;
}

static cw_status finish_fixed(cw_context *context, const cw_grid *grid, const workspace *work,
                              cw_vector_view J) {
  const unsigned blocks = cw_cuda_blocks(context, grid->points, CW_THREADS);
  for (int c = 0; c < 3; c++) {
    const int64_t *sums = work->sums + c * grid->points;
    if (J.precision == CW_DOUBLE)
      CW_CUDA_LAUNCH_NAMED(context, "add_sums", add_sums<double>, blocks, CW_THREADS, 0, sums,
                           (double *)J.component[c], grid->points, work->quanta, c);
    else
      CW_CUDA_LAUNCH_NAMED(context, "add_sums", add_sums<float>, blocks, CW_THREADS, 0, sums,
                           (float *)J.component[c], grid->points, work->quanta, c);
  }
  return CW_OK;
}

static cw_deposit_device_job make_job(cw_context *context, const cw_deposit_options *options,
                                      const cw_grid *grid, const cw_particles_view *particles,
                                      const cw_cells_view *cells, cw_vector_view J) {
  cw_deposit_device_job job = {};
  job.dim = grid->dim;
  job.order = options->order;
  job.max_move = options->method == CW_DEPOSIT_TILED_FIXED && options->max_move > 0
                     ? options->max_move * (1 + 1e-6)
                     : 1;
  job.particles = *particles;
  for (int c = 0; c < 3; c++) {
    job.scale[c] = options->charge * (c < grid->dim ? grid->dx[c] / options->dt : 1);
    job.component[c] = J.component[c];
    job.stride[c] = grid->stride[c];
    job.low[c] = c < grid->dim ? -grid->ghost : 0;
    job.high[c] = c < grid->dim ? grid->cells[c] + grid->ghost : 1;
    job.tiles[c] = 1;
  }
  if (cells && cells->total_tiles > 0) {
    job.tile = cells->tile;
    job.halo = cw_deposit_halo(options->order, options->drift);
    for (int a = 0; a < 3; a++) job.tiles[a] = cells->tiles[a];
    job.tile_offsets = cells->tile_offsets;
  }
  job.fault = cw_device_fault(context);
  return job;
}

static cw_status run_passes(cw_context *context, const cw_deposit_options *options,
                            const cw_cells_view *cells, cw_deposit_device_job *job) {
  const int is_double = job->particles.precision == CW_DOUBLE;
  int64_t sorted = 0;
  if (options->method != CW_DEPOSIT_FLAT && job->tile_offsets) {
    sorted = cw_min_i64(cells->npart_partitioned, job->particles.count);
    const int runs = options->path != CW_DEPOSIT_PATH_SCALAR;
    CW_TRY((is_double ? cw_deposit_cuda_tiled_f64 : cw_deposit_cuda_tiled_f32)(
        context, job, runs, options->scratch_bits ? options->scratch_bits : 64, options->team_size));
  }
  job->first = sorted;
  job->last = job->particles.count;
  job->tail = sorted > 0;
  return (is_double ? cw_deposit_cuda_flat_f64 : cw_deposit_cuda_flat_f32)(context, job);
}

static cw_status read_report(cw_context *context, const cw_deposit_counts *device,
                             cw_deposit_report *report) {
  cw_deposit_counts counts;
  CW_TRY(cw_device_read(context, &counts, device, sizeof counts));
  report->tiled = (int64_t)counts.tiled;
  report->escaped = (int64_t)counts.escaped;
  report->tail = (int64_t)counts.tail;
  report->flat = (int64_t)counts.flat;
  report->dead = (int64_t)counts.dead;
  report->outside = (int64_t)counts.outside;
  return CW_OK;
}

cw_status cw_deposit_current_cuda(cw_context *context, const cw_deposit_options *options,
                                  const cw_grid *grid, const cw_particles_view *particles,
                                  const cw_cells_view *cells, cw_vector_view J,
                                  cw_deposit_report *report) {
  workspace work = {};
  cw_status status;
  cw_deposit_device_job job = make_job(context, options, grid, particles, cells, J);
  CW_TRY_CLEANUP(status, cw_memory_alloc(context, CW_SPACE_DEVICE, 1, sizeof *work.counts,
                                         "deposit counts", (void **)&work.counts));
  job.counts = work.counts;
  job.outside_is_fault = report == NULL;
  if (options->method == CW_DEPOSIT_TILED_FIXED)
    CW_TRY_CLEANUP(status, prepare_fixed(context, options, grid, &job, &work));
  CW_TRY_CLEANUP(status, run_passes(context, options, cells, &job));
  if (options->method == CW_DEPOSIT_TILED_FIXED)
    CW_TRY_CLEANUP(status, finish_fixed(context, grid, &work, J));
  if (report) CW_TRY_CLEANUP(status, read_report(context, work.counts, report));
cleanup:
  release(context, &work);
  return status;
}

/* Charge: a thread a particle, in whole quanta of 2^-40 of the largest |charge weight|: the sum is
 * the same in any order, and 2^22 particles can meet in one value. */
static __global__ void deposit_charge(cw_deposit_device_job job, int use_prev) {
  const cw_particles_view view = job.particles;
  const double quanta = job.quanta->quanta[0];
  cw_grid_stride(slot, view.count) {
    if (view.tag && view.tag[slot] == CW_TAG_DEAD) continue;
    double w[3][CW_MAX_SHAPE_ORDER + 1];
    int64_t at = 0;
    bool fits = true;
    for (int a = 0; a < job.dim; a++) {
      const void *offsets = use_prev ? view.dx_prev[a] : view.dx[a];
      const double dx = view.precision == CW_DOUBLE ? ((const double *)offsets)[slot]
                                                    : (double)((const float *)offsets)[slot];
      int first;
      cw_shape_weights_f64(job.order, dx, &first, w[a]);
      const int32_t node = (use_prev ? view.i_prev[a] : view.i[a])[slot] + first;
      fits = fits && dx >= 0 && dx <= 1 && node >= job.low[a] && node + job.order < job.high[a];
      at += (int64_t)(node - job.low[a]) * job.stride[a];
    }
    if (!fits) {
      cw_fault_report(job.fault, CW_FAULT_OUTSIDE, slot);
      continue;
    }
    double weight = 1;
    if (view.weight)
      weight = view.precision == CW_DOUBLE ? ((const double *)view.weight)[slot]
                                           : (double)((const float *)view.weight)[slot];
    const int nodes = job.order + 1, ny = job.dim > 1 ? nodes : 1, nz = job.dim > 2 ? nodes : 1;
    for (int k = 0; k < nz; k++)
      for (int j = 0; j < ny; j++) {
        const double plane = job.scale[0] * weight * (job.dim > 1 ? w[1][j] : 1) *
                             (job.dim > 2 ? w[2][k] : 1) * quanta;
        int64_t *row = (int64_t *)job.component[0] + at + j * job.stride[1] + k * job.stride[2];
        for (int i = 0; i < nodes; i++) cw_sink_add(&row[i], (int64_t)llrint(plane * w[0][i]));
      }
  }
}

cw_status cw_deposit_charge_cuda(cw_context *context, const cw_deposit_options *options,
                                 const cw_grid *grid, const cw_particles_view *particles,
                                 int use_prev, double *rho) {
  workspace work = {};
  cw_status status = CW_OK;
  const cw_vector_view none = {};
  cw_deposit_device_job job = make_job(context, options, grid, particles, NULL, none);
  if (particles->count == 0) return CW_OK;
  if (job.order == 0) job.order = 1;
  job.scale[0] = options->charge;
  CW_TRY_CLEANUP(status, cw_memory_alloc(context, CW_SPACE_DEVICE, (size_t)grid->points,
                                         sizeof(int64_t), "fixed-point charge", (void **)&work.sums));
  CW_TRY_CLEANUP(status, cw_memory_alloc(context, CW_SPACE_DEVICE, 1, sizeof *work.quanta,
                                         "fixed-point quanta", (void **)&work.quanta));
  CW_TRY_CLEANUP(status, find_weight(context, particles, work.quanta));
  job.quanta = work.quanta;
  job.component[0] = work.sums;
  {
    const unsigned blocks = cw_cuda_blocks(context, particles->count, CW_THREADS);
    CW_CUDA_LAUNCH(context, choose_quanta, 1, 1, 0, work.quanta, fabs(job.scale[0]),
                   fabs(job.scale[0]), fabs(job.scale[0]), 40, particles->weight != NULL);
    CW_CUDA_LAUNCH(context, deposit_charge, blocks, CW_THREADS, 0, job, use_prev);
    CW_CUDA_LAUNCH_NAMED(context, "add_sums", add_sums<double>,
                         cw_cuda_blocks(context, grid->points, CW_THREADS), CW_THREADS, 0, work.sums,
                         rho, grid->points, work.quanta, 0);
  }
cleanup:
  release(context, &work);
  return status;
}
