/* The owner of E, B and J, and the synchronisation of their ghost cells. */
#include "fields/fields_private.h"

#include <math.h>
#include <string.h>

enum { MAX_PASSES = 1024 };

static cw_status check_side(cw_context *context, const cw_fields_options *options, int axis,
                            int upper) {
  static const char *const names[] = {"lower", "upper"};
  cw_field_boundary field = options->boundary[axis][upper];
  cw_particle_boundary particle = options->particle[axis][upper];
  if ((int)field < 0 || field > CW_FIELD_MATCH || (int)particle < 0 ||
      particle > CW_PARTICLE_ABSORB)
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "fields: boundaries %d (fields) and %d (particles) at the %s side of axis %d",
                   (int)field, (int)particle, names[upper], axis);
  if ((field == CW_FIELD_PERIODIC) != (options->boundary[axis][0] == CW_FIELD_PERIODIC) ||
      (field == CW_FIELD_PERIODIC) != (particle == CW_PARTICLE_PERIODIC))
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "fields: axis %d is periodic for only one side, or only for fields or only for "
                   "particles, at its %s side",
                   axis, names[upper]);
  return CW_OK;
}

static cw_status check_axis(cw_context *context, const cw_grid *grid,
                            const cw_fields_options *options, int axis) {
  double length = grid->cells[axis] * grid->dx[axis], width = 0;
  int fits = 1;
  for (int upper = 0; upper < 2; upper++) {
    CW_TRY(check_side(context, options, axis, upper));
    const double own = cw_fields_layer_width(options, axis, upper);
    fits &= own == 0 || (own > 0 && isfinite(own));
    width += own;
  }
  if (!fits || !(width <= length))
    return cw_fail(context, CW_ERROR_ARGUMENT,
                   "fields: layers of width %g along axis %d of length %g", width, axis, length);
  return CW_OK;
}

double cw_fields_layer_width(const cw_fields_options *options, int axis, int upper) {
  switch (options->boundary[axis][upper]) {
  case CW_FIELD_ABSORB:
    return options->absorb_width[axis] > 0 ? options->absorb_width[axis] : NAN;
  case CW_FIELD_MATCH:
    return options->match_width[axis] > 0 ? options->match_width[axis] : NAN;
  default:
    return 0;
  }
}

static cw_status check_options(cw_context *context, const cw_grid *grid,
                               const cw_fields_options *options) {
  if (grid->ghost < 2)
    return cw_fail(context, CW_ERROR_ARGUMENT, "fields: %d ghost cells; expected at least 2",
                   (int)grid->ghost);
  if (options->precision != CW_SINGLE && options->precision != CW_DOUBLE)
    return cw_fail(context, CW_ERROR_ARGUMENT, "fields: precision is %d", (int)options->precision);
  if (!isfinite(options->correction) || options->correction < 0)
    return cw_fail(context, CW_ERROR_ARGUMENT, "fields: correction is %g; expected above 0",
                   options->correction);
  if (options->space != CW_SPACE_HOST && !cw_fields_device_ops())
    return cw_fail(context, CW_ERROR_UNSUPPORTED, "fields: this build has no device code");
  for (int axis = 0; axis < grid->dim; axis++)
    CW_TRY(check_axis(context, grid, options, axis));
  return CW_OK;
}

static cw_status allocate(cw_context *context, cw_fields *fields) {
  static const char *const names[3][3] = {{"field Ex", "field Ey", "field Ez"},
                                          {"field Bx", "field By", "field Bz"},
                                          {"current Jx", "current Jy", "current Jz"}};
  void **const sets[3] = {fields->E, fields->B, fields->J};
  size_t size = (size_t)cw_precision_size(fields->options.precision);
  for (int set = 0; set < 3; set++)
    for (int a = 0; a < 3; a++)
      CW_TRY(cw_memory_alloc(context, fields->options.space, (size_t)fields->grid.points, size,
                             names[set][a], &sets[set][a]));
  return CW_OK;
}

cw_status cw_fields_create(cw_context *context, const cw_grid *grid,
                           const cw_fields_options *options, cw_fields **fields) {
  *fields = NULL;
  CW_TRY(check_options(context, grid, options));
  cw_fields *made = NULL;
  CW_TRY(CW_NEW(context, 1, "fields", &made));
  made->context = context;
  made->grid = *grid;
  made->options = *options;
  made->ops = options->space == CW_SPACE_HOST ? &cw_fields_host_ops : cw_fields_device_ops();
  if (made->options.correction == 0)
    made->options.correction = 1;
  cw_status status = allocate(context, made);
  if (status == CW_OK)
    *fields = made;
  else
    cw_fields_destroy(made);
  return status;
}

void cw_fields_destroy(cw_fields *fields) {
  if (!fields)
    return;
  cw_context *context = fields->context;
  cw_space space = fields->options.space;
  for (int a = 0; a < 3; a++) {
    cw_memory_free(context, space, fields->E[a]);
    cw_memory_free(context, space, fields->B[a]);
    cw_memory_free(context, space, fields->J[a]);
  }
  cw_memory_free(context, space, fields->work);
  cw_memory_free(context, space, fields->spare);
  cw_memory_free(context, space, fields->sums);
  CW_DELETE(context, fields);
}

cw_status cw_fields_grow_work(cw_fields *fields, size_t bytes) {
  if (bytes <= fields->work_size)
    return CW_OK;
  cw_memory_free(fields->context, fields->options.space, fields->work);
  fields->work = NULL;
  fields->work_size = 0;
  CW_TRY(cw_memory_alloc(fields->context, fields->options.space, bytes, 1, "filter scratch",
                         &fields->work));
  fields->work_size = bytes;
  return CW_OK;
}

static cw_vector_view view(const cw_fields *fields, void *const component[3]) {
  return (cw_vector_view){fields->options.precision, {component[0], component[1], component[2]}};
}

cw_vector_view cw_fields_E(const cw_fields *fields) {
  return view(fields, fields->E);
}
cw_vector_view cw_fields_B(const cw_fields *fields) {
  return view(fields, fields->B);
}
cw_vector_view cw_fields_J(const cw_fields *fields) {
  return view(fields, fields->J);
}

cw_status cw_fields_fill_ghosts(cw_fields *fields) {
  for (int a = 0; a < 3; a++) {
    cw_fields_kind E = cw_fields_kind_E(a), B = cw_fields_kind_B(a);
    CW_TRY(cw_fields_fill_array(fields, &E, fields->options.precision, fields->E[a]));
    CW_TRY(cw_fields_fill_array(fields, &B, fields->options.precision, fields->B[a]));
    CW_TRY(cw_fields_set_outside(fields, &E, a, fields->E[a]));
    CW_TRY(cw_fields_set_outside(fields, &B, 3 + a, fields->B[a]));
  }
  return CW_OK;
}

static cw_status host_zero(cw_fields *fields, void *array, size_t size) {
  char *bytes = array;
  int64_t blocks = cw_block_count((int64_t)size);
  int parallel = size > CW_FIELDS_PARALLEL_POINTS * sizeof(float);
#pragma omp parallel for num_threads(cw_context_threads(fields->context)) if (parallel)            \
    schedule(static)
  for (int64_t block = 0; block < blocks; block++) {
    int64_t first = block * CW_BLOCK, count = cw_min_i64(CW_BLOCK, (int64_t)size - first);
    memset(bytes + first, 0, (size_t)count);
  }
  return CW_OK;
}

const cw_fields_ops cw_fields_host_ops = {
    .zero = host_zero,
    .curl = cw_fields_host_curl,
    .lines = cw_fields_host_lines,
    .damp = cw_fields_host_damp,
    .match = cw_fields_host_match,
    .filter = cw_fields_host_filter,
    .squares = cw_fields_host_squares,
    .divergence = cw_fields_host_divergence,
    .charge = cw_fields_host_charge,
};

cw_status cw_fields_zero_J(cw_fields *fields) {
  size_t size = (size_t)cw_precision_size(fields->options.precision);
  for (int a = 0; a < 3; a++)
    CW_TRY(fields->ops->zero(fields, fields->J[a], (size_t)fields->grid.points * size));
  return CW_OK;
}

static cw_status sync(cw_fields *fields, const cw_fields_kind *kind, cw_precision precision,
                      void **array, int passes) {
  CW_TRY(cw_fields_fold_array(fields, kind, precision, *array));
  if (passes > 0)
    CW_TRY(fields->ops->filter(fields, kind, precision, array, passes));
  CW_TRY(cw_fields_drop_outside(fields, kind, precision, *array));
  return cw_fields_fill_array(fields, kind, precision, *array);
}

cw_status cw_fields_sync_moment(cw_fields *fields, const int odd[3], double *moment) {
  cw_fields host = *fields; /* the same box, with the host's functions */
  cw_fields_kind kind = cw_fields_kind_rho();
  void *array = moment;
  host.ops = &cw_fields_host_ops;
  host.options.space = CW_SPACE_HOST;
  for (int a = 0; a < 3; a++)
    kind.mirror_sign[a] = odd[a] ? -kind.mirror_sign[a] : kind.mirror_sign[a];
  return sync(&host, &kind, CW_DOUBLE, &array, 0);
}

static cw_status check_passes(cw_context *context, int passes) {
  if (passes < 0 || passes > MAX_PASSES)
    return cw_fail(context, CW_ERROR_ARGUMENT, "fields: %d filter passes; expected 0 to %d", passes,
                   (int)MAX_PASSES);
  return CW_OK;
}

cw_status cw_fields_sync_J(cw_fields *fields, int passes) {
  CW_TRY(check_passes(fields->context, passes));
  for (int a = 0; a < 3; a++) {
    cw_fields_kind kind = cw_fields_kind_J(a);
    CW_TRY(sync(fields, &kind, fields->options.precision, &fields->J[a], passes));
  }
  fields->passes = passes;
  return CW_OK;
}

void cw_fields_restore_passes(cw_fields *fields, int passes) {
  fields->passes = passes;
}

cw_status cw_fields_sync_rho(cw_fields *fields, double *rho, int passes) {
  if (!rho)
    return cw_fail(fields->context, CW_ERROR_ARGUMENT, "sync rho: the array is NULL");
  CW_TRY(check_passes(fields->context, passes));
  cw_fields_kind kind = cw_fields_kind_rho();
  void *array = rho;
  return sync(fields, &kind, CW_DOUBLE, &array, passes);
}
