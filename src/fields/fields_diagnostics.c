/* Energies, divergences and the charge error. Sums run over a row and then over rows in order, so
 * that they do not depend on the number of threads. */
#include <math.h>

#include <omp.h>

#include "comm/comm.h"
#include "fields/fields_private.h"

#define CW_REAL_IS_DOUBLE 0
#include "base/real.h"
#include "fields/diagnostics_body.h"
#undef CW_REAL_IS_DOUBLE
#define CW_REAL_IS_DOUBLE 1
#include "base/real.h"
#include "fields/diagnostics_body.h"

static int64_t row_count(const cw_grid *grid) {
  return (int64_t)grid->cells[1] * grid->cells[2];
}

static int64_t row_start(const cw_grid *grid, int64_t row) {
  return cw_grid_index(grid, 0, row % grid->cells[1], row / grid->cells[1]);
}

static double square_row(const cw_fields *fields, void *const component[3], int64_t at) {
  int32_t n = fields->grid.cells[0];
  if (fields->options.precision == CW_DOUBLE)
    return square_row_f64(n, (double *)component[0] + at, (double *)component[1] + at,
                          (double *)component[2] + at);
  return square_row_f32(n, (float *)component[0] + at, (float *)component[1] + at,
                        (float *)component[2] + at);
}

static void divergence_row(const cw_fields *fields, int of_B, int64_t at, double *divergence) {
  void *const *component = of_B ? fields->B : fields->E;
  if (fields->options.precision == CW_DOUBLE)
    divergence_row_f64(&fields->grid, component, of_B, at, divergence);
  else
    divergence_row_f32(&fields->grid, component, of_B, at, divergence);
}

cw_status cw_fields_host_squares(cw_fields *fields, double total[2]) {
  const cw_grid *grid = &fields->grid;
  int64_t rows = row_count(grid);
  double *sums = NULL;
  total[0] = total[1] = 0;
  CW_TRY(CW_NEW(fields->context, 2 * rows, "energies by row", &sums));
#pragma omp parallel for num_threads(cw_context_threads(                                           \
    fields->context)) if (grid->points > CW_FIELDS_PARALLEL_POINTS) schedule(static)
  for (int64_t row = 0; row < rows; row++) {
    int64_t at = row_start(grid, row);
    sums[2 * row] = square_row(fields, fields->E, at);
    sums[2 * row + 1] = square_row(fields, fields->B, at);
  }
  for (int64_t row = 0; row < rows; row++)
    for (int k = 0; k < 2; k++)
      total[k] += sums[2 * row + k];
  CW_DELETE(fields->context, sums);
  return CW_OK;
}

cw_status cw_fields_energy(cw_fields *fields, double *electric, double *magnetic) {
  double total[2];
  CW_TRY(fields->ops->squares(fields, total));
  CW_TRY(cw_comm_reduce(fields->context, total, 2, CW_COMM_SUM));
  const double *dx = fields->grid.dx;
  double half_volume = 0.5 * dx[0] * dx[1] * dx[2];
  *electric = half_volume * total[0];
  *magnetic = half_volume * total[1];
  return CW_OK;
}

cw_status cw_fields_host_divergence(cw_fields *fields, int of_B, double *divergence) {
  const cw_grid *grid = &fields->grid;
  int64_t rows = row_count(grid);
#pragma omp parallel for num_threads(cw_context_threads(                                           \
    fields->context)) if (grid->points > CW_FIELDS_PARALLEL_POINTS) schedule(static)
  for (int64_t row = 0; row < rows; row++) {
    int64_t at = row_start(grid, row);
    divergence_row(fields, of_B, at, divergence + at);
  }
  return CW_OK;
}

cw_status cw_fields_divergence(cw_fields *fields, int of_B, double *divergence) {
  if (!divergence)
    return cw_fail(fields->context, CW_ERROR_ARGUMENT, "divergence: the array is NULL");
  return fields->ops->divergence(fields, of_B != 0, divergence);
}

/* Nodes at both ends of an axis that Gauss's law does not hold at: a wall carries surface charge,
 * a layer damps E, and a particle dropped behind an absorbing wall leaves its share (its shape,
 * spread by the filter) in front of it. */
void cw_fields_checked_range(const cw_fields *fields, int axis, int32_t *first, int32_t *end) {
  const cw_grid *grid = &fields->grid;
  *first = 0;
  *end = grid->cells[axis];
  for (int upper = 0; upper < 2 && axis < grid->dim; upper++) {
    int32_t skip = 0;
    cw_field_boundary field = fields->options.boundary[axis][upper];
    if (field != CW_FIELD_PERIODIC)
      skip = upper ? 0 : 1; /* the upper wall is node `cells` */
    skip += (int32_t)ceil(cw_fields_layer_width(&fields->options, axis, upper) / grid->dx[axis]);
    if (fields->options.particle[axis][upper] == CW_PARTICLE_ABSORB)
      skip += grid->ghost + fields->passes;
    if (upper)
      *end -= skip;
    else
      *first += skip;
  }
}

typedef struct charge_row {
  double error, rho;
  int bad; /* a value is not finite */
} charge_row;

static charge_row check_row(const cw_fields *fields, const double *rho, double scale,
                            const cw_node_range *range, int64_t at, double *divergence) {
  charge_row row = {0};
  divergence_row(fields, 0, at, divergence);
  for (int32_t i = range->first[0]; i < range->end[0]; i++) {
    double charge = scale * rho[at + i], error = fabs(divergence[i] - charge);
    if (!isfinite(error))
      row.bad = 1;
    if (error > row.error)
      row.error = error;
    if (fabs(charge) > row.rho)
      row.rho = fabs(charge);
  }
  return row;
}

cw_status cw_fields_host_charge(cw_fields *fields, const double *rho, double scale,
                                const cw_node_range *range, double result[3]) {
  const cw_grid *grid = &fields->grid;
  int64_t ny = cw_max_i64(0, range->end[1] - range->first[1]);
  int64_t rows = ny * cw_max_i64(0, range->end[2] - range->first[2]);
  int threads = cw_context_threads(fields->context);
  charge_row *found = NULL;
  double *divergence = NULL;
  cw_status status;
  result[0] = result[1] = result[2] = 0;
  CW_TRY_CLEANUP(status, CW_NEW(fields->context, rows, "charge error by row", &found));
  CW_TRY_CLEANUP(status, CW_NEW(fields->context, (int64_t)threads * grid->cells[0],
                                "divergence by row", &divergence));
#pragma omp parallel for num_threads(threads) if (grid->points > CW_FIELDS_PARALLEL_POINTS)        \
    schedule(static)
  for (int64_t r = 0; r < rows; r++) {
    int64_t at = cw_grid_index(grid, 0, range->first[1] + r % ny, range->first[2] + r / ny);
    found[r] = check_row(fields, rho, scale, range, at,
                         divergence + (int64_t)omp_get_thread_num() * grid->cells[0]);
  }
  for (int64_t r = 0; r < rows; r++) {
    result[0] = fmax(result[0], found[r].error);
    result[1] = fmax(result[1], found[r].rho);
    if (found[r].bad)
      result[2] = 1;
  }
cleanup:
  CW_DELETE(fields->context, found);
  CW_DELETE(fields->context, divergence);
  return status;
}

cw_status cw_fields_charge_error(cw_fields *fields, const double *rho, double scale,
                                 double *max_error, double *max_rho) {
  cw_node_range range;
  double result[3];
  *max_error = *max_rho = NAN;
  if (!rho)
    return cw_fail(fields->context, CW_ERROR_ARGUMENT, "charge error: rho is NULL");
  for (int axis = 0; axis < 3; axis++)
    cw_fields_checked_range(fields, axis, &range.first[axis], &range.end[axis]);
  CW_TRY(fields->ops->charge(fields, rho, scale, &range, result));
  CW_TRY(cw_comm_reduce(fields->context, result, 3, CW_COMM_MAX));
  if (result[2] > 0)
    return cw_fail(fields->context, CW_ERROR_NUMERIC,
                   "charge error: div E or rho holds a value that is not finite");
  *max_error = result[0];
  *max_rho = result[1];
  return CW_OK;
}
