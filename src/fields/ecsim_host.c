/* The fields of the energy-conserving method in host memory. */
#include <math.h>
#include <string.h>

#include "base/context_private.h"
#include "fields/ecsim_private.h"
#include "fields/filters_cpu.h"

/* Lines as the filter meets them: of node values that conductors mirror as even or as odd, and of
 * charges at centres. */
enum { LINE_EVEN = 0, LINE_ODD, LINE_CHARGE, LINES };

/* The filter's job along one axis, without array and scratch. */
static cw_filter_job filter_job(const cw_ecsim_fields *fields, int line, int axis) {
  const int passes = fields->options.smoothing_passes;
  const int64_t at = 2 * passes * (3 * line + axis);
  cw_filter_job job = {.grid = &fields->grid,
                       .threads = cw_context_threads(fields->context),
                       .axis = axis,
                       .passes = passes,
                       .source = {fields->sources + at, fields->sources + at + passes},
                       .sign = {fields->signs + at, fields->signs + at + passes}};
  int32_t nodes[3];
  cw_ecsim_nodes(fields, nodes);
  for (int a = 0; a < 3; a++)
    job.last[a] = (line == LINE_CHARGE ? fields->grid.cells[a] : nodes[a]) - 1;
  return job;
}

/* `passes` places on each side. */
cw_status cw_ecsim_create_filter(cw_ecsim_fields *fields) {
  const int passes = fields->options.smoothing_passes;
  size_t values = 0;
  if (passes == 0)
    return CW_OK;
  CW_TRY(CW_NEW(fields->context, LINES * 6 * passes, "filter maps", &fields->sources));
  CW_TRY(CW_NEW(fields->context, LINES * 6 * passes, "filter signs", &fields->signs));
  for (int line = 0; line < LINES; line++)
    for (int a = 0; a < fields->grid.dim; a++) {
      const int64_t at = 2 * passes * (3 * line + a);
      cw_ecsim_continue(fields, line == LINE_CHARGE ? CW_ECSIM_CHARGE : CW_ECSIM_NODE_E,
                        line == LINE_EVEN ? a : (a + 1) % 3, a, passes, fields->sources + at,
                        fields->signs + at);
      const cw_filter_job job = filter_job(fields, line, a);
      const size_t wanted = (size_t)cw_filter_buffer(&job);
      values = wanted > values ? wanted : values;
    }
  return cw_memory_alloc(fields->context, CW_SPACE_HOST,
                         values * (size_t)cw_context_threads(fields->context), sizeof(double),
                         "filter scratch", &fields->filter_work);
}

static cw_status host_smooth(cw_ecsim_fields *fields, int component, double *array) {
  const cw_filter_cpu_table *table =
      CW_ISA_SELECT(cw_filter_cpu_ops, cw_context_isa(fields->context));
  for (int a = 0; a < fields->grid.dim; a++) {
    const int line = component < 0 ? LINE_CHARGE : component == a ? LINE_EVEN : LINE_ODD;
    cw_filter_job job = filter_job(fields, line, a);
    job.array = array;
    job.work = fields->filter_work;
    table->sweep[CW_DOUBLE](&job);
  }
  return CW_OK;
}

static const cw_ecsim_cpu_table *table_of(const cw_ecsim_fields *fields) {
  return CW_ISA_SELECT(cw_ecsim_cpu_ops, cw_context_isa(fields->context));
}

static cw_status host_curl(const cw_ecsim_fields *fields, const cw_ecsim_job *job) {
  table_of(fields)->curl(job);
  return CW_OK;
}

static cw_status host_divergence(const cw_ecsim_fields *fields, const cw_ecsim_job *job) {
  table_of(fields)->divergence(job);
  return CW_OK;
}

static cw_status host_average(const cw_ecsim_fields *fields, const cw_ecsim_job *job) {
  table_of(fields)->average(job);
  return CW_OK;
}

/* What packing multiplies a value of component c on index i of axis a by. */
static double root(const cw_ecsim_fields *fields, int c, int a, int32_t i) {
  if (cw_ecsim_share(fields, a, i) == 1)
    return 1;
  return c == a ? sqrt(0.5) : 0;
}

/* One row of component c. */
static void pack_row(const cw_ecsim_fields *fields, int c, int32_t j, int32_t k, int64_t n,
                     double *inside, double *packed, int pack) {
  double factor = root(fields, c, 1, j) * root(fields, c, 2, k), end = root(fields, c, 0, 0);
  if (!pack) {
    factor = factor > 0 ? 1 / factor : 0;
    end = end > 0 ? 1 / end : 0;
  }
  double *restrict to = pack ? packed : inside;
  const double *restrict from = pack ? inside : packed;
  for (int64_t i = 0; i < n; i++)
    to[i] = factor * from[i];
  if (end != 1) {
    to[0] *= end;
    to[n - 1] *= end;
  }
}

static cw_status host_pack(const cw_ecsim_fields *fields, double *const array[3], double *packed,
                           int pack) {
  int32_t nodes[3];
  cw_ecsim_nodes(fields, nodes);
  const int64_t rows = (int64_t)nodes[1] * nodes[2];
#pragma omp parallel for schedule(static) if (fields->grid.points > CW_ECSIM_PARALLEL_POINTS)      \
    num_threads(cw_context_threads(fields->context))
  for (int64_t row = 0; row < 3 * rows; row++) {
    const int c = (int)(row / rows);
    const int32_t j = (int32_t)(row % rows % nodes[1]), k = (int32_t)(row % rows / nodes[1]);
    pack_row(fields, c, j, k, nodes[0], array[c] + cw_grid_index(&fields->grid, 0, j, k),
             packed + row * nodes[0], pack);
  }
  return CW_OK;
}

static cw_status host_pack_centres(const cw_ecsim_fields *fields, int components, double *array,
                                   double *packed, int pack) {
  const cw_grid *grid = &fields->grid;
  const int32_t *n = grid->cells;
  const int64_t rows = (int64_t)n[1] * n[2];
#pragma omp parallel for schedule(static) if (grid->points > CW_ECSIM_PARALLEL_POINTS)             \
    num_threads(cw_context_threads(fields->context))
  for (int64_t row = 0; row < components * rows; row++) {
    double *inside = array + row / rows * grid->points +
                     cw_grid_index(grid, 0, row % rows % n[1], row % rows / n[1]);
    double *outside = packed + row * n[0];
    memcpy(pack ? outside : inside, pack ? inside : outside, (size_t)n[0] * sizeof *inside);
  }
  return CW_OK;
}

static cw_status host_combine(const cw_ecsim_fields *fields, double a, double *const x[3], double b,
                              double *const y[3], double *const z[3]) {
#pragma omp parallel for schedule(static) if (fields->grid.points > CW_ECSIM_PARALLEL_POINTS)      \
    num_threads(cw_context_threads(fields->context))
  for (int64_t k = 0; k < fields->grid.points; k++)
    for (int c = 0; c < 3; c++)
      z[c][k] = a * x[c][k] + b * y[c][k];
  return CW_OK;
}

/* Sum of squares, each times the share of a cell that its node stands for (at centres: 1): a row at
 * a time, then the rows of a plane, then the planes. */
static double square_sum(const cw_ecsim_fields *fields, const int32_t count[3], int on_nodes,
                         double *const array[3]) {
  double total = 0;
  for (int32_t k = 0; k < count[2]; k++) {
    double plane = 0;
    for (int32_t j = 0; j < count[1]; j++) {
      const int64_t at = cw_grid_index(&fields->grid, 0, j, k);
      double row = 0;
      for (int c = 0; c < 3; c++)
        for (int32_t i = 0; i < count[0]; i++)
          row +=
              (on_nodes ? cw_ecsim_share(fields, 0, i) : 1) * (array[c][at + i] * array[c][at + i]);
      plane += (on_nodes ? cw_ecsim_share(fields, 1, j) : 1) * row;
    }
    total += (on_nodes ? cw_ecsim_share(fields, 2, k) : 1) * plane;
  }
  return total;
}

static cw_status host_squares(cw_ecsim_fields *fields, double sums[2]) {
  int32_t nodes[3];
  cw_ecsim_nodes(fields, nodes);
  sums[0] = square_sum(fields, nodes, 1, fields->E);
  sums[1] = square_sum(fields, fields->grid.cells, 0, fields->B);
  return CW_OK;
}

static cw_status host_charge(cw_ecsim_fields *fields, const double *divergence, const double *rho,
                             double scale, double result[3]) {
  const cw_grid *grid = &fields->grid;
  memset(result, 0, 3 * sizeof *result);
  for (int32_t k = 0; k < grid->cells[2]; k++)
    for (int32_t j = 0; j < grid->cells[1]; j++)
      for (int32_t i = 0; i < grid->cells[0]; i++) {
        const int64_t at = cw_grid_index(grid, i, j, k);
        const double charge = scale * rho[at], error = fabs(divergence[at] - charge);
        if (!isfinite(error))
          result[2] = 1;
        result[0] = fmax(result[0], error);
        result[1] = fmax(result[1], fabs(charge));
      }
  return CW_OK;
}

const cw_ecsim_ops cw_ecsim_host_ops = {.curl = host_curl,
                                        .divergence = host_divergence,
                                        .average = host_average,
                                        .smooth = host_smooth,
                                        .pack = host_pack,
                                        .pack_centres = host_pack_centres,
                                        .combine = host_combine,
                                        .squares = host_squares,
                                        .charge = host_charge};
