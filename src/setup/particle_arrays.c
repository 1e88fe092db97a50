#include "setup/particle_arrays.h"

#include <math.h>
#include <stdio.h>

#include "base/context_private.h"
#include "base/reals.h"

static const char axes[] = "xyz";

/* First value that is not finite, or -1. */
static int64_t first_not_finite(const cw_context *context, const cw_array *array) {
  const int64_t count = cw_array_count(array), blocks = cw_block_count(count);
  int64_t first = count;
  if (array->type != CW_ARRAY_F32 && array->type != CW_ARRAY_F64)
    return -1;
  const cw_precision precision = array->type == CW_ARRAY_F32 ? CW_SINGLE : CW_DOUBLE;
#pragma omp parallel for schedule(static) reduction(min                                            \
                                                    : first) if (blocks > 1)                       \
    num_threads(cw_context_threads(context))
  for (int64_t b = 0; b < blocks; b++)
    for (int64_t k = b * CW_BLOCK; k < cw_min_i64((b + 1) * CW_BLOCK, count); k++)
      if (!isfinite(cw_real_get(array->data, precision, k)) && k < first)
        first = k;
  return first < count ? first : -1;
}

cw_status cw_array_check_finite(cw_context *context, cw_status status, const cw_array *array) {
  const int64_t first = first_not_finite(context, array);
  if (first < 0)
    return CW_OK;
  return cw_fail(context, status, "'%s': value %lld is not finite", array->name, (long long)first);
}

void cw_particle_array_name(cw_array *array, const char *label, const char *name, int axis) {
  snprintf(array->name, CW_ARRAY_NAME, axis < 0 ? "particles/%s/%s" : "particles/%s/%s/%c", label,
           name, axis < 0 ? 0 : axes[axis]);
}

/* The members of one species on their way to a visitor. */
typedef struct walk {
  const cw_particles_view *view;
  const char *label;
  cw_array_visit *visit;
  void *user;
} walk;

static cw_status visit_member(const walk *way, const char *name, int axis, cw_array_type type,
                              void *data) {
  cw_array array = {.type = type, .rank = 1, .extent = {way->view->count}, .data = data};
  if (!data)
    return CW_OK;
  cw_particle_array_name(&array, way->label, name, axis);
  return way->visit(way->user, &array);
}

cw_status cw_particle_arrays_each(const cw_particles_view *view, int dim, const char *label,
                                  cw_array_visit *visit, void *user) {
  const walk way = {view, label, visit, user};
  const cw_array_type real = view->precision == CW_DOUBLE ? CW_ARRAY_F64 : CW_ARRAY_F32;
  for (int a = 0; a < dim; a++) {
    CW_TRY(visit_member(&way, "positionOffset", a, CW_ARRAY_I32, view->i[a]));
    CW_TRY(visit_member(&way, "position", a, real, view->dx[a]));
  }
  for (int a = 0; a < 3; a++)
    CW_TRY(visit_member(&way, "momentum", a, real, view->u[a]));
  CW_TRY(visit_member(&way, "weighting", -1, real, view->weight));
  CW_TRY(visit_member(&way, "guidingMoment", -1, real, view->guide[0]));
  CW_TRY(visit_member(&way, "guidingMomentum", -1, real, view->guide[1]));
  for (int k = 0; k < CW_MAX_PAYLOADS && view->payload[k]; k++) {
    char name[16];
    snprintf(name, sizeof name, "payload%d", k + 1);
    CW_TRY(visit_member(&way, name, -1, real, view->payload[k]));
  }
  CW_TRY(visit_member(&way, "tag", -1, CW_ARRAY_U8, view->tag));
  return visit_member(&way, "id", -1, CW_ARRAY_U64, view->id);
}

/* Dead slots may stand anywhere. */
static int is_sound(const cw_grid *grid, const cw_particles_view *view, int64_t p) {
  int inside = view->tag[p] == CW_TAG_ALIVE || view->tag[p] == CW_TAG_TRACKED;
  for (int a = 0; a < grid->dim; a++) {
    const double offset = cw_real_get(view->dx[a], view->precision, p);
    inside &= view->i[a][p] >= 0 && view->i[a][p] < grid->cells[a] && offset >= 0 && offset < 1;
  }
  return inside || view->tag[p] == CW_TAG_DEAD;
}

cw_status cw_particle_arrays_check(cw_context *context, const cw_grid *grid,
                                   const cw_particles_view *view, const char *label) {
  const int64_t blocks = cw_block_count(view->count);
  int64_t first = view->count;
#pragma omp parallel for schedule(static) reduction(min                                            \
                                                    : first) if (blocks > 1)                       \
    num_threads(cw_context_threads(context))
  for (int64_t b = 0; b < blocks; b++)
    for (int64_t p = b * CW_BLOCK; p < cw_min_i64((b + 1) * CW_BLOCK, view->count); p++)
      if (!is_sound(grid, view, p) && p < first)
        first = p;
  if (first == view->count)
    return CW_OK;
  return cw_fail(context, CW_ERROR_FORMAT,
                 "'particles/%s': slot %lld is neither dead nor inside the box", label,
                 (long long)first);
}
