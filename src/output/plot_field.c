/* One field of a file on a page: a curve (1D), a map (2D) or three mid-plane slices (3D), with field
 * lines. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/plot_private.h"

/* Height of a map of the given width whose axes have one scale, within what a page can hold. */
static double map_height(const cw_plot_field *field, int across, int up, double *width) {
  double ratio = field->spacing[up] * (double)field->cells[up] /
                 (field->spacing[across] * (double)field->cells[across]);
  double height = *width * ratio;
  if (height > 1100) {
    height = 1100;
    *width = height / ratio;
  }
  return fmax(height, 60);
}

static cw_status draw_line(cw_plot_page *page, double top, const cw_plot_field *field) {
  char label[64];
  cw_plot_area area = {CW_PLOT_LEFT, top, CW_PLOT_WIDTH - CW_PLOT_LEFT - 40, 300};
  cw_plot_curves curves = {.count = 1, .points = field->cells[0], .stride = 1};
  snprintf(label, sizeof label, "x%s", page->in_skindepths ? " / d_0" : "");
  curves.x0 = field->offset[0];
  curves.dx = field->spacing[0];
  curves.values[0] = field->values;
  curves.labels[0] = field->label;
  curves.xlabel = label;
  curves.ylabel = field->label;
  return cw_plot_draw_curves(page, area, &curves);
}

/* Three mid-plane slices in a row (xy, xz, yz), all of one scale: pixels a unit of length. */
enum { SLICES = 3, SLICE_GAP = 110, SLICE_HEIGHT = 440 };

static double slice_scale(const double length[3]) {
  double across = 2 * length[0] + length[1], up = fmax(length[1], length[2]);
  return fmin((CW_PLOT_INNER - (SLICES - 1) * SLICE_GAP) / across, SLICE_HEIGHT / up);
}

static void box_lengths(const cw_plot_field *field, double length[3]) {
  for (int a = 0; a < 3; a++)
    length[a] = field->spacing[a] * (double)field->cells[a];
}

static cw_status draw_slices(cw_plot_page *page, double top, const cw_plot_field *field,
                             const double *flux) {
  double length[3], left = CW_PLOT_LEFT;
  box_lengths(field, length);
  double scale = slice_scale(length);
  for (int s = 0; s < SLICES; s++) {
    int normal = 2 - s, across = normal == 0 ? 1 : 0, up = normal == 2 ? 1 : 2;
    cw_plot_area area = {left, top, scale * length[across], scale * length[up]};
    CW_TRY(cw_plot_map(page, area, field, normal, normal == 2 ? flux : NULL, s + 1 == SLICES));
    left += area.width + SLICE_GAP;
  }
  return CW_OK;
}

double cw_plot_field_height(const cw_plot_field *field, double *width) {
  *width = CW_PLOT_INNER;
  if (field->dim == 2)
    return map_height(field, 0, 1, width);
  if (field->dim == 1)
    return 300;
  double length[3];
  box_lengths(field, length);
  return slice_scale(length) * fmax(length[1], length[2]);
}

cw_status cw_plot_draw_field(cw_plot_page *page, const cw_plot_field *field, const double *flux) {
  double width, height = cw_plot_field_height(field, &width);
  cw_plot_area area = {CW_PLOT_LEFT + 0.5 * (CW_PLOT_INNER - width), CW_PLOT_TOP, width, height};
  if (field->dim == 1)
    return draw_line(page, CW_PLOT_TOP, field);
  if (field->dim == 3)
    return draw_slices(page, CW_PLOT_TOP, field, flux);
  return cw_plot_map(page, area, field, 2, flux, 1);
}

/* Values at cell centres become means of neighbours along `axis`, on the faces between, as they
 * stand on a Yee grid; the first face keeps the first value. */
static void to_faces(const cw_plot_field *field, int axis, double *plane) {
  const int64_t nx = field->cells[0], ny = field->cells[1], step = axis ? nx : 1;
  for (int64_t j = ny - 1; j >= (axis == 1); j--)
    for (int64_t i = nx - 1; i >= (axis == 0); i--)
      plane[j * nx + i] = 0.5 * (plane[j * nx + i] + plane[j * nx + i - step]);
}

cw_status cw_plot_load_flux(cw_field_file *file, double **flux) {
  cw_plot_field x = {0}, y = {0};
  *flux = NULL;
  if (!cw_plot_has(file, "Bx") || !cw_plot_has(file, "By"))
    return CW_OK;
  cw_status status = CW_OK;
  CW_TRY_CLEANUP(status, cw_plot_load(file, "Bx", &x));
  CW_TRY_CLEANUP(status, cw_plot_load(file, "By", &y));
  int finite = isfinite(x.high - x.low) && isfinite(y.high - y.low);
  int any = x.low != 0 || x.high != 0 || y.low != 0 || y.high != 0;
  if (!finite || !any || x.dim < 2 || memcmp(x.cells, y.cells, sizeof x.cells) != 0)
    goto cleanup;
  CW_TRY_CLEANUP(status,
                 CW_NEW(file->context, (x.cells[0] + 1) * (x.cells[1] + 1), "flux function", flux));
  const int64_t middle = x.dim == 3 ? x.cells[2] / 2 * x.cells[0] * x.cells[1] : 0;
  if (fabs(x.offset[0] - y.offset[0]) < 0.25 * x.spacing[0]) { /* engine ecsim */
    to_faces(&x, 0, x.values + middle);
    to_faces(&y, 1, y.values + middle);
  }
  cw_plot_flux(x.cells, x.spacing, x.values + middle, y.values + middle, *flux);
cleanup:
  cw_plot_field_clear(file->context, &x);
  cw_plot_field_clear(file->context, &y);
  return status;
}
