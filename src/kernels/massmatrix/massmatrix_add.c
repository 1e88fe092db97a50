/* Adding particles: argument checks, order of the particles, choice of the loops. */
#include <math.h>
#include <omp.h>
#include <string.h>

#include "kernels/massmatrix/massmatrix_cuda.h"
#include "kernels/massmatrix/massmatrix_private.h"
#include "sort/sort_private.h"

/* Bins of the last axis that one thread sums; two such slabs of the same colour never meet, because
 * a slab is at least as wide as a shape. */
static int32_t slab_width(int dim) {
  return dim == 3 ? 2 : dim == 2 ? 4 : 64;
}

static const char *space_name(cw_space space) {
  return space == CW_SPACE_HOST ? "host" : "device";
}

static cw_status check_particles(const cw_massmatrix *matrix, const cw_particles_view *particles,
                                 int tensor) {
  cw_context *context = matrix->context;
  if (particles->space != matrix->options.space)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "massmatrix: the particles are in %s memory, the matrix in %s memory",
                   space_name(particles->space), space_name(matrix->options.space));
  if (particles->count < 0)
    return cw_fail(context, CW_ERROR_ARGUMENT, "massmatrix: %lld particles",
                   (long long)particles->count);
  if (matrix->finished)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "massmatrix: the matrix is finished; clear it before more is added");
  if (tensor != (matrix->options.kind == CW_MASSMATRIX_TENSOR))
    return cw_fail(context, CW_ERROR_ARGUMENT, "massmatrix: the matrix is %s; expected a %s one",
                   tensor ? "scalar" : "a tensor", tensor ? "tensor" : "scalar");
  for (int a = 0; particles->count > 0 && a < 3; a++) {
    int placed = a >= matrix->grid.dim || (particles->i[a] && particles->dx[a]);
    if (!placed || (tensor && !particles->u[a]))
      return cw_fail(context, CW_ERROR_ARGUMENT,
                     "massmatrix: the particles lack arrays of axis %d of a %d-dimensional grid", a,
                     matrix->grid.dim);
  }
  return CW_OK;
}

static cw_status check_field(const cw_massmatrix *matrix, const char *name,
                             const cw_vector_view *field, int *present) {
  int given =
      (field->component[0] != NULL) + (field->component[1] != NULL) + (field->component[2] != NULL);
  *present = given == 3;
  if (given != 0 && given != 3)
    return cw_fail(matrix->context, CW_ERROR_ARGUMENT,
                   "massmatrix: %s has %d components; expected 3 or none", name, given);
  if (given && field->precision != CW_DOUBLE)
    return cw_fail(matrix->context, CW_ERROR_ARGUMENT,
                   "massmatrix: %s is in single precision; expected double", name);
  return CW_OK;
}

static cw_mm_job make_job(const cw_massmatrix *matrix, const cw_particles_view *particles) {
  const cw_grid *grid = &matrix->grid;
  cw_mm_job job = {.dim = grid->dim,
                   .order = matrix->options.order,
                   .columns = 1,
                   .components = matrix->components,
                   .unordered = matrix->options.method == CW_MASSMATRIX_SORTED,
                   .particles = *particles,
                   .points = grid->points};
  job.values =
      (char *)matrix->values + (size_t)grid->offset * (size_t)cw_precision_size(matrix->precision);
  for (int a = 0; a < 3; a++)
    job.stride[a] = grid->stride[a];
  return job;
}

/* One bin a cell or node for the methods that sum by cell; one a slab for the others. */
static cw_status make_rule(const cw_massmatrix *matrix, cw_mm_job *job, cw_mm_key_rule *rule) {
  int slabs = matrix->options.method == CW_MASSMATRIX_NAIVE ||
              matrix->options.method == CW_MASSMATRIX_REFERENCE;
  uint64_t bins = 1;
  *rule = (cw_mm_key_rule){.dim = job->dim, .by_node = job->order % 2 == 0};
  for (int a = 0; a < 3; a++) {
    int32_t count = a < job->dim ? matrix->grid.cells[a] + rule->by_node : 1;
    rule->cells[a] = matrix->grid.cells[a];
    if (slabs && a < job->dim) {
      rule->shift[a] = a == job->dim - 1 ? 4 : 31; /* slabs of 16: wider than any shape */
      count = ((count - 1) >> rule->shift[a]) + 1;
    }
    job->bins[a] = count;
    rule->stride[a] = (uint32_t)bins;
    bins *= (uint64_t)count;
    if (bins >= UINT32_MAX)
      return cw_fail(matrix->context, CW_ERROR_UNSUPPORTED,
                     "massmatrix: the block has more than 2^32 - 2 cells");
  }
  rule->dead = (uint32_t)bins;
  return CW_OK;
}

static cw_mm_slab_function *choose_slab(const cw_massmatrix *matrix, const cw_mm_ops *ops) {
  cw_isa isa = cw_context_isa(matrix->context);
  const cw_mm_pair_ops *pair_ops = CW_ISA_SELECT(cw_mm_pair_ops_table, isa);
  int tensor = matrix->options.kind == CW_MASSMATRIX_TENSOR;
  int format = (int)matrix->precision, order = matrix->options.order - 1,
      dim = matrix->grid.dim - 1;
  if (matrix->amx)
    return cw_mm_amx_ops_table.moment[order][dim][tensor];
  switch (matrix->options.method) {
  case CW_MASSMATRIX_NAIVE:
    return ops->naive[format];
  case CW_MASSMATRIX_SORTED:
  case CW_MASSMATRIX_PAIRS:
    return pair_ops->pairs[format][order][dim];
  default:
    return ops->moment[format][order][dim][tensor];
  }
}

/* Slabs of even number, then those of odd number: within one colour no two touch the same node. */
static cw_status sum_slabs(const cw_massmatrix *matrix, const cw_mm_job *job) {
  cw_context *context = matrix->context;
  const cw_mm_ops *ops = CW_ISA_SELECT(cw_mm_ops_table, cw_context_isa(context));
  cw_mm_slab_function *sum = choose_slab(matrix, ops);
  int32_t bins = job->bins[job->dim - 1];
  int32_t width = matrix->options.method == CW_MASSMATRIX_NAIVE ? 1 : slab_width(job->dim);
  int32_t slabs = (bins - 1) / width + 1;
  int threads = (int)cw_min_i64(cw_context_threads(context), (slabs + 1) / 2);
  char *scratch;
  size_t size =
      matrix->amx ? cw_mm_amx_ops_table.scratch_size : ops->scratch_size[matrix->precision];
  CW_TRY(CW_NEW(context, (size_t)threads * size, "sums of a thread's cells", &scratch));
  for (int32_t colour = 0; colour < 2; colour++) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int32_t s = colour; s < slabs; s += 2) {
      int32_t end = (s + 1) * width < bins ? (s + 1) * width : bins;
      sum(job, s * width, end, scratch + (size_t)omp_get_thread_num() * size);
    }
  }
  CW_DELETE(context, scratch);
  return CW_OK;
}

/* Bins in rows of the sort's rule: one tile that is larger than any grid. */
static cw_key_rule rows_of_bins(const cw_massmatrix *matrix, const cw_mm_job *job) {
  enum { LARGE = 1 << 29 };
  uint32_t bins = 1;
  cw_key_rule rule = {.dim = job->dim,
                      .by_node = job->order % 2 == 0,
                      .tile = LARGE,
                      .reciprocal = (uint32_t)(((uint64_t)1 << 32) / LARGE)};
  for (int a = 0; a < 3; a++) {
    rule.last[a] = a < job->dim ? matrix->grid.cells[a] - 1 : 0;
    rule.local_stride[a] = a < job->dim ? bins : 0;
    bins *= (uint32_t)job->bins[a];
  }
  rule.tile_bins = rule.bins = bins;
  return rule;
}

static cw_status add_on_device(cw_massmatrix *matrix, cw_mm_job *job) {
  cw_mm_key_rule rule;
  int bins_only = matrix->options.method != CW_MASSMATRIX_NAIVE;
  for (int a = 0; a < 3; a++)
    job->bins[a] = 1;
  if (bins_only)
    CW_TRY(make_rule(matrix, job, &rule)); /* counts them */
  const cw_key_rule by_bin = rows_of_bins(matrix, job);
  cw_key_rule tiled = by_bin;
  if (bins_only && matrix->options.tile > 0) {
    cw_cells_options order = {.dim = job->dim,
                              .tile = matrix->options.tile,
                              .key = CW_KEY_CURRENT,
                              .depth = job->order % 2 ? CW_DEPTH_CELL : CW_DEPTH_NODE};
    int32_t tiles[3];
    memcpy(order.cells, matrix->grid.cells, sizeof order.cells);
    CW_TRY(cw_key_rule_init(matrix->context, &order, &tiled, tiles));
  }
  return cw_mm_add_cuda(matrix, job, &tiled, &by_bin);
}

static cw_status add(cw_massmatrix *matrix, cw_mm_job *job) {
  if (job->particles.count == 0)
    return CW_OK;
  if (matrix->work)
    return add_on_device(matrix, job);
  cw_mm_key_rule rule;
  CW_TRY(make_rule(matrix, job, &rule));
  CW_TRY(cw_mm_runs_create(matrix->context, &rule, &job->particles, &job->runs));
  cw_status status = CW_OK;
  if (matrix->options.method == CW_MASSMATRIX_REFERENCE)
    status = cw_mm_reference(matrix->context, job, matrix);
  else
    status = sum_slabs(matrix, job);
  cw_mm_runs_destroy(matrix->context, &job->runs);
  return status;
}

cw_status cw_massmatrix_add_scalar(cw_massmatrix *matrix, cw_particles_view particles,
                                   const void *coefficient, double scale) {
  CW_TRY(check_particles(matrix, &particles, 0));
  cw_mm_job job = make_job(matrix, &particles);
  job.coefficient = coefficient;
  job.scale = scale;
  return add(matrix, &job);
}

cw_status cw_massmatrix_add_species(cw_massmatrix *matrix, cw_particles_view particles,
                                    const cw_massmatrix_species *species, cw_vector_view B,
                                    cw_vector_view Jhat, double *rho) {
  int has_B, has_J;
  CW_TRY(check_particles(matrix, &particles, 1));
  CW_TRY(check_field(matrix, "B", &B, &has_B));
  CW_TRY(check_field(matrix, "Jhat", &Jhat, &has_J));
  double light_speed = species->light_speed == 0 ? 1 : species->light_speed;
  double scale = species->scale == 0 ? 1 : species->scale;
  if (!isfinite(species->charge * species->beta * scale) || !(light_speed > 0))
    return cw_fail(matrix->context, CW_ERROR_ARGUMENT,
                   "massmatrix: charge %g, beta %g, scale %g, light speed %g", species->charge,
                   species->beta, scale, light_speed);
  cw_mm_job job = make_job(matrix, &particles);
  job.columns = CW_MM_COLUMNS;
  job.gamma = species->gamma;
  job.relativistic = species->relativistic;
  job.scale = species->charge * scale;
  job.beta = species->beta;
  job.omega = species->beta / light_speed;
  job.inverse_c2 = 1 / (light_speed * light_speed);
  job.rho = rho ? rho + matrix->grid.offset : NULL;
  for (int c = 0; c < 3; c++) {
    job.B[c] = has_B ? (const double *)B.component[c] + matrix->grid.offset : NULL;
    job.J[c] = has_J ? (double *)Jhat.component[c] + matrix->grid.offset : NULL;
  }
  return add(matrix, &job);
}
