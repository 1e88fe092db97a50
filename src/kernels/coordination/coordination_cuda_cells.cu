/* The cells of a frame: how many along each axis of the box, or of what the atoms span, and both
 * groups in their order. */
#include <math.h>
#include <string.h>

#include "kernels/coordination/coordination_cuda_plan.cuh"

static double from_ascending(unsigned long long bits) {
  const unsigned long long sign = 1ull << 63, plain = bits & sign ? bits ^ sign : ~bits;
  double x;
  memcpy(&x, &plain, sizeof x);
  return x;
}

cw_status cw_coordination_cuda_check_atoms(cw_coordination *plan, const cw_coordinates_view *view) {
  const uint32_t atom = plan->cuda->seen->bad_atom;
  double r[3];
  if (atom == UINT32_MAX)
    return CW_OK;
  for (int c = 0; c < 3; c++) {
    cw_coordinates_view one = *view;
    double value = 0;
    const size_t size = (size_t)cw_precision_size(view->precision);
    const char *at = (const char *)view->component[c] + (size_t)(atom * view->stride) * size;
    if (view->space == CW_SPACE_HOST)
      memcpy(&value, at, size);
    else
      CW_TRY(cw_device_read(plan->context, &value, at, size));
    one.component[0] = &value;
    r[c] = cw_coordinate(&one, 0, 0);
  }
  return cw_fail(plan->context, CW_ERROR_NUMERIC, "atom %lld has the coordinates %g %g %g",
                 (long long)atom, r[0], r[1], r[2]);
}

/* The box that holds all atoms of both groups; waits for the device. */
static cw_status find_extent(cw_coordination *plan, const cw_coordinates_view *view,
                             const cw_device_positions *positions, cw_device_cells *cells,
                             double extent[3]) {
  cw_coordination_cuda *cuda = plan->cuda;
  const cw_entries *const host[2] = {&plan->a, &plan->b};
  for (int g = 0; g < 2; g++) {
    const cw_device_entries e = cw_device_entries_of(host[g], &cuda->group[g]);
    CW_TRY(cw_coordination_cuda_extent(plan->context, &e, positions, cuda->outcome));
  }
  CW_TRY(cw_device_read(plan->context, cuda->seen, cuda->outcome, sizeof *cuda->seen));
  CW_TRY(cw_coordination_cuda_check_atoms(plan, view));
  for (int a = 0; a < 3; a++) {
    cells->origin[a] = from_ascending(cuda->seen->low[a]);
    extent[a] = from_ascending(cuda->seen->high[a]) - cells->origin[a];
    if (!isfinite(extent[a]))
      return cw_fail(plan->context, CW_ERROR_NUMERIC, "the atoms span a range that is not finite");
  }
  return CW_OK;
}

/* Edges of the cells along each axis. For bundles: columns as wide as 16 atoms' cube, cut into
 * quarters of it, so that 16 atoms along one fill about a cube; never below an eighth of the range,
 * where columns would be too many. */
static void choose_edges(const cw_coordination *plan, const double extent[3], double edge[3]) {
  const double range = plan->switching.range;
  double volume = 1;
  for (int a = 0; a < 3; a++)
    volume *= fmax(extent[a], range);
  const double atoms = (double)cw_max_i64(plan->a.count, plan->b.count);
  const double cube = cbrt(CW_CENTRES * volume / atoms);
  for (int a = 0; a < 3; a++) {
    edge[a] = fmax(a < 2 ? cube : cube / 4, range / 8);
    if (plan->form == CW_COORDINATION_FORM_CELL)
      edge[a] = range * (1 + 1e-9);
  }
}

cw_status cw_coordination_cuda_choose_cells(cw_coordination *plan, const cw_coordinates_view *view,
                                            const cw_device_positions *positions,
                                            cw_device_cells *cells) {
  const double range = plan->switching.range;
  double extent[3], edge[3], n[3] = {1, 1, 1};
  cells->lattice = plan->lattice;
  cells->images = plan->method == CW_COORDINATION_ALL || !isfinite(range);
  if (plan->lattice.kind == CW_LATTICE_NONE) {
    CW_TRY(find_extent(plan, view, positions, cells, extent));
  } else {
    for (int a = 0; a < 3; a++) {
      extent[a] = plan->lattice.heights[a];
      if (!(range < extent[a] / 2 * (1 - 1e-9)))
        cells->images = 1;
    }
  }
  if (!cells->images)
    choose_edges(plan, extent, edge);
  const double most = fmin(fmax(2.0 * (double)(plan->a.count + plan->b.count), 8.0), 1 << 30);
  for (int a = 0; a < 3 && !cells->images; a++)
    n[a] = fmax(1, floor(extent[a] / edge[a]));
  while (n[0] * n[1] * n[2] > most) {
    const int longest = n[0] >= n[1] && n[0] >= n[2] ? 0 : n[1] >= n[2] ? 1 : 2;
    n[longest] = fmax(1, floor(n[longest] / 2));
  }
  for (int a = 0; a < 3; a++) {
    cells->n[a] = (int)n[a];
    cells->inverse_extent[a] = extent[a] > 0 ? 1 / extent[a] : 0;
    cells->width[a] = 1 / n[a];
    cells->reach[a] = extent[a] > 0 ? range / extent[a] : 1;
    cells->inverse_reach2[a] = 1 / (cells->reach[a] * cells->reach[a]);
  }
  cells->total = cells->n[0] * cells->n[1] * cells->n[2];
  return CW_OK;
}

cw_status cw_coordination_cuda_sort_groups(cw_coordination *plan, const cw_device_cells *cells,
                                           const cw_device_positions *positions) {
  cw_coordination_cuda *cuda = plan->cuda;
  const cw_entries *const host[2] = {&plan->a, &plan->b};
  for (int g = 0; g < (plan->pairs == CW_PAIRS_SELF ? 1 : 2); g++) {
    cw_device_group *group = &cuda->group[g];
    CW_TRY(cw_coordination_cuda_reserve(plan->context, cells->total + 1, sizeof(uint32_t),
                                        "cell offsets", &group->offsets_capacity,
                                        (void **)&group->offsets));
    const cw_device_entries e = cw_device_entries_of(host[g], group);
    CW_TRY(cw_coordination_cuda_sort(plan->context, &cuda->sorter, cells, &e, positions,
                                     cuda->outcome));
  }
  return CW_OK;
}
