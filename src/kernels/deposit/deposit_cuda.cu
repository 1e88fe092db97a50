/* The device's deposit: the job, the work memory, the passes, the report. */
#include "kernels/deposit/deposit_cuda.h"
#include "kernels/deposit/deposit_cuda_bound.cuh"
#include "kernels/deposit/deposit_cuda_launch.cuh"
#include "kernels/deposit/deposit_fit.h"

template <class Sum, class Real>
static __global__ void add_sums(const Sum *sums, Real *J, int64_t points,
                                const cw_deposit_quanta *quanta, int component) {
  const double quantum = quanta ? 1.0 / quanta->quanta[component] : 1.0;
  cw_grid_stride(n, points) {
    const Sum sum = sums[n];
    if (sum != 0)
      J[n] += (Real)((double)sum * quantum);
  }
}

/* Work memory, kept between calls. */
typedef struct workspace {
  cw_deposit_counts *counts;
  cw_deposit_quanta *quanta;
  int64_t *sums; /* of J: integers, or doubles */
  unsigned *census;
} workspace;

static cw_status get_workspace(cw_context *context, const cw_grid *grid, int components,
                               workspace *work) {
  const size_t head = 256; /* counts and quanta */
  const size_t sums = (size_t)grid->points * sizeof(int64_t) * (size_t)components;
  void *memory = NULL;
  CW_TRY(cw_device_kept(context, CW_KEPT_DEPOSIT,
                        head + sums + (components ? cw_deposit_census_bytes(grid) : 0),
                        components ? "fixed-point sums of J" : "deposit counts", &memory));
  work->counts = (cw_deposit_counts *)memory;
  work->quanta = (cw_deposit_quanta *)((char *)memory + head / 2);
  work->sums = (int64_t *)((char *)memory + head);
  work->census = (unsigned *)((char *)memory + head + sums);
  CW_TRY(cw_device_zero(context, work->counts, sizeof *work->counts));
  return sums ? cw_device_zero(context, work->sums, sums) : CW_OK;
}

/* At least the largest weight of a centred B-spline of that degree at one node: at its centre. */
static double largest_shape(int degree) {
  static const double values[CW_MAX_SHAPE_ORDER + 1] = {1,     1,     0.75,  0.667, 0.599, 0.551,
                                                        0.512, 0.480, 0.454, 0.431, 0.411, 0.394};
  return values[degree];
}

/* What a particle of charge and weight 1 adds to one value of component c at most: flow times plane.
 * The flow is the move times a mean of a shape of one degree less, or a velocity below 1; the plane
 * a mean of products of weights along the path. A little for the rounding of factors. */
static cw_deposit_bounds find_bounds(const cw_deposit_device_job *job, const double unit[3]) {
  cw_deposit_bounds bounds = {CW_ROUND_64, {0, 0, 0}, {0, 0, 0}};
  const double shape = largest_shape(job->order), slack = 1.001;
  for (int c = 0; c < 3; c++) {
    const int along = c < job->dim;
    /* zigzag adds to one value from each half of the path */
    const double degree_less = job->order ? largest_shape(job->order - 1) : 2;
    bounds.flow[c] = fabs(unit[c]) * slack * (along ? job->max_move * degree_less : 1);
    if (!along && job->order == 0)
      bounds.flow[c] *= 2;
    bounds.plane[c] = slack;
    for (int a = 0; a < job->dim; a++)
      bounds.plane[c] *= a == c ? 1 : shape;
  }
  if (job->runs && job->species[0].particles.precision == CW_SINGLE)
    bounds.rounding = job->scratch_bits == 32 ? CW_ROUND_32 : CW_ROUND_PRODUCT;
  return bounds;
}

/* What a current is in units of a particle's charge times weight. */
static void current_scale(const cw_grid *grid, double dt, double unit[3]) {
  for (int c = 0; c < 3; c++)
    unit[c] = c < grid->dim ? grid->dx[c] / dt : 1;
}

static cw_status prepare_fixed(cw_context *context, const cw_deposit_options *options,
                               const cw_grid *grid, const cw_deposit_species *species,
                               const workspace *work, cw_deposit_device_job *job) {
  double unit[3];
  cw_deposit_counted counted[CW_DEPOSIT_TOGETHER];
  current_scale(grid, options->dt, unit);
  const cw_deposit_bounds bounds = find_bounds(job, unit);
  for (int s = 0; s < job->species_count; s++)
    counted[s] = {&species[s].particles, &species[s].cells, species[s].charge};
  CW_TRY(cw_deposit_find_quanta(context, grid, counted, job->species_count, job->order, 0, &bounds,
                                work->census, work->quanta));
  job->quanta = work->quanta;
  return CW_OK;
}

/* The work memory's sums into J. */
template <class Sum, class Real>
static cw_status finish(cw_context *context, const cw_grid *grid, const cw_deposit_device_job *job,
                        cw_vector_view J) {
  const unsigned blocks = cw_cuda_blocks(context, grid->points, CW_THREADS);
  for (int c = 0; c < 3; c++)
    CW_CUDA_LAUNCH_NAMED(context, "add_sums", (add_sums<Sum, Real>), blocks, CW_THREADS, 0,
                         (const Sum *)job->component[c], (Real *)J.component[c], grid->points,
                         job->quanta, c);
  return CW_OK;
}

static cw_deposit_device_job make_job(cw_context *context, const cw_deposit_options *options,
                                      const cw_grid *grid, const cw_deposit_species *species,
                                      int count, cw_vector_view J) {
  const cw_precision precision = species[0].particles.precision;
  double unit[3];
  cw_deposit_device_job job = {};
  job.dim = grid->dim;
  job.order = options->order;
  job.max_move = options->method == CW_DEPOSIT_TILED_FIXED && options->max_move > 0
                     ? options->max_move * (1 + 1e-6)
                     : 1;
  job.runs =
      options->path != CW_DEPOSIT_PATH_SCALAR && cw_deposit_has_runs(grid->dim, options->order);
  /* 6 particles a cell at order 9 are 8000 a value: a sum of that many floats is off by 1.6e-6 */
  job.wide =
      options->method != CW_DEPOSIT_TILED_FIXED && options->order > 3 && precision == CW_SINGLE;
  job.scratch_bits = options->scratch_bits ? options->scratch_bits : 64;
  job.species_count = count;
  current_scale(grid, options->dt, unit);
  for (int s = 0; s < count; s++) {
    job.species[s].particles = species[s].particles;
    job.species[s].tile_offsets =
        species[s].cells.total_tiles > 0 ? species[s].cells.tile_offsets : NULL;
    for (int c = 0; c < 3; c++)
      job.species[s].scale[c] = species[s].charge * unit[c];
  }
  for (int c = 0; c < 3; c++) {
    job.component[c] = J.component[c];
    job.stride[c] = grid->stride[c];
    job.low[c] = c < grid->dim ? -grid->ghost : 0;
    job.high[c] = c < grid->dim ? grid->cells[c] + grid->ghost : 1;
    job.tiles[c] = 1;
  }
  job.below = cw_deposit_below(options->order, options->drift, job.runs);
  job.fault = cw_device_fault(context);
  return job;
}

/* `job` for some of its species: those of `tile`, all or one at a time as its kernel takes them. */
static cw_status run_tiles(cw_context *context, const cw_deposit_options *options,
                           const cw_deposit_species *species, const cw_deposit_device_job *job,
                           int32_t tile) {
  const int is_double = species[0].particles.precision == CW_DOUBLE;
  cw_deposit_device_job part = *job;
  part.tile = tile;
  part.edge = tile + cw_deposit_margin(options->order, options->drift, job->runs);
  part.species_count = 0;
  for (int s = 0; s < job->species_count; s++) {
    if (!job->species[s].tile_offsets || species[s].cells.tile != tile)
      continue;
    part.species[part.species_count++] = job->species[s];
    for (int a = 0; a < 3; a++)
      part.tiles[a] = species[s].cells.tiles[a];
  }
  for (int s = 0; s < (job->runs ? 1 : part.species_count); s++) {
    int fits = 0;
    cw_deposit_device_job one = part;
    one.species[0] = part.species[s];
    CW_TRY((is_double ? cw_deposit_cuda_tiled_f64
                      : cw_deposit_cuda_tiled_f32)(context, &one, options->team_size, &fits));
    if (!fits)
      return cw_fail(context, CW_ERROR_INTERNAL, "a tile that was found to fit does not");
  }
  return CW_OK;
}

/* The sorted slots by tiles, then the tails; or everything flat. */
static cw_status run_passes(cw_context *context, const cw_deposit_options *options,
                            const cw_deposit_species *species, const cw_deposit_device_job *job) {
  const int is_double = species[0].particles.precision == CW_DOUBLE;
  const int tiled = options->method != CW_DEPOSIT_FLAT;
  for (int s = 0; s < job->species_count && tiled; s++) {
    int done = job->species[s].tile_offsets == NULL;
    for (int before = 0; before < s; before++)
      done |=
          job->species[before].tile_offsets && species[before].cells.tile == species[s].cells.tile;
    if (!done)
      CW_TRY(run_tiles(context, options, species, job, species[s].cells.tile));
  }
  for (int s = 0; s < job->species_count; s++) {
    cw_deposit_device_job flat = *job;
    flat.species[0] = job->species[s];
    flat.last = species[s].particles.count;
    flat.tail = tiled && flat.species[0].tile_offsets != NULL;
    flat.first = flat.tail ? cw_min_i64(species[s].cells.npart_partitioned, flat.last) : 0;
    flat.tail = flat.first > 0;
    CW_TRY((is_double ? cw_deposit_cuda_flat_f64 : cw_deposit_cuda_flat_f32)(context, &flat));
  }
  return CW_OK;
}

/* Adds to *report. */
static cw_status add_report(cw_context *context, const cw_deposit_counts *device,
                            cw_deposit_report *report) {
  cw_deposit_counts counts;
  CW_TRY(cw_device_read(context, &counts, device, sizeof counts));
  report->tiled += (int64_t)counts.tiled;
  report->escaped += (int64_t)counts.escaped;
  report->tail += (int64_t)counts.tail;
  report->flat += (int64_t)counts.flat;
  report->dead += (int64_t)counts.dead;
  report->outside += (int64_t)counts.outside;
  return CW_OK;
}

/* At most CW_DEPOSIT_TOGETHER species. */
static cw_status deposit_together(cw_context *context, const cw_deposit_options *options,
                                  const cw_grid *grid, const cw_deposit_species *species, int count,
                                  cw_vector_view J, cw_deposit_report *report) {
  const int fixed = options->method == CW_DEPOSIT_TILED_FIXED;
  workspace work;
  cw_deposit_device_job job = make_job(context, options, grid, species, count, J);
  for (int s = 0; s < count; s++)
    if (job.species[s].tile_offsets)
      CW_TRY(cw_deposit_check_tile(context, options, grid->dim, species[s].particles.precision,
                                   species[s].cells.tile));
  CW_TRY(get_workspace(context, grid, fixed || job.wide ? 3 : 0, &work));
  job.counts = work.counts;
  job.outside_is_fault = report == NULL;
  if (fixed)
    CW_TRY(prepare_fixed(context, options, grid, species, &work, &job));
  for (int c = 0; c < 3 && (fixed || job.wide); c++)
    job.component[c] = work.sums + c * grid->points;
  CW_TRY(run_passes(context, options, species, &job));
  if (job.wide)
    CW_TRY((finish<double, float>(context, grid, &job, J)));
  else if (fixed && J.precision == CW_DOUBLE)
    CW_TRY((finish<int64_t, double>(context, grid, &job, J)));
  else if (fixed)
    CW_TRY((finish<int64_t, float>(context, grid, &job, J)));
  return report ? add_report(context, work.counts, report) : CW_OK;
}

cw_status cw_deposit_currents_cuda(cw_context *context, const cw_deposit_options *options,
                                   const cw_grid *grid, const cw_deposit_species *species,
                                   int count, cw_vector_view J, cw_deposit_report *report) {
  if (report)
    *report = {};
  for (int s = 0; s < count; s += CW_DEPOSIT_TOGETHER) {
    const int here = count - s < CW_DEPOSIT_TOGETHER ? count - s : CW_DEPOSIT_TOGETHER;
    CW_TRY(deposit_together(context, options, grid, species + s, here, J, report));
  }
  return CW_OK;
}

#define CW_REAL_IS_DOUBLE 1
#define CW_BODY           static __device__ __forceinline__
#include "kernels/shape_body.h"

/* Charge: a thread a particle, in whole quanta of at least 2^-51 of the largest |charge weight|:
 * the sum is the same in any order. */
static __global__ void deposit_charge(cw_deposit_device_job job, int use_prev) {
  const cw_particles_view view = job.species[0].particles;
  const double quanta = job.quanta->quanta[0];
  cw_grid_stride(slot, view.count) {
    if (view.tag && view.tag[slot] == CW_TAG_DEAD)
      continue;
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
        const double plane = job.species[0].scale[0] * weight * (job.dim > 1 ? w[1][j] : 1) *
                             (job.dim > 2 ? w[2][k] : 1) * quanta;
        int64_t *row = (int64_t *)job.component[0] + at + j * job.stride[1] + k * job.stride[2];
        for (int i = 0; i < nodes; i++)
          cw_sink_add(&row[i], (int64_t)llrint(plane * w[0][i]));
      }
  }
}

cw_status cw_deposit_charge_cuda(cw_context *context, const cw_deposit_options *options,
                                 const cw_grid *grid, const cw_particles_view *particles,
                                 int use_prev, double *rho) {
  if (particles->count == 0)
    return CW_OK;
  const cw_vector_view none = {};
  const cw_deposit_species species = {options->charge, *particles, {}};
  const cw_deposit_counted counted = {particles, NULL, options->charge};
  workspace work;
  cw_deposit_device_job job = make_job(context, options, grid, &species, 1, none);
  if (job.order == 0)
    job.order = 1;
  job.species[0].scale[0] = options->charge;
  const cw_deposit_bounds bounds = {CW_ROUND_64, {1, 1, 1}, {1.001, 1.001, 1.001}};
  CW_TRY(get_workspace(context, grid, 1, &work));
  CW_TRY(cw_deposit_find_quanta(context, grid, &counted, 1, job.order, !use_prev, &bounds,
                                work.census, work.quanta));
  job.quanta = work.quanta;
  job.component[0] = work.sums;
  CW_CUDA_LAUNCH(context, deposit_charge, cw_cuda_blocks(context, particles->count, CW_THREADS),
                 CW_THREADS, 0, job, use_prev);
  CW_CUDA_LAUNCH_NAMED(context, "add_sums", (add_sums<int64_t, double>),
                       cw_cuda_blocks(context, grid->points, CW_THREADS), CW_THREADS, 0, work.sums,
                       rho, grid->points, work.quanta, 0);
  return CW_OK;
}
