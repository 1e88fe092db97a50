/* Picture of tracked particles: their paths, and below it their energies over time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/plot_private.h"
#include "output/tracks.h"

enum { MOST_TRACKS = 40, MOST_POINTS = 2000, LEFT = 150, RIGHT = 60, TOP = 70, BOTTOM = 80 };
enum { PATHS = 640, ENERGIES = 260, GAP = 100, COLOURS = 8 };

static const char *const colours[COLOURS] = {"#3b6fb6", "#d1495b", "#2a9d6f", "#e9a23b",
                                             "#7b5ea7", "#00a5b5", "#8d6e52", "#303030"};

/* Where a particle's record stands in the columns. */
typedef struct record {
  int64_t id, row;
} record;

/* The columns of one species that are drawn, and their records ordered by id, then step. */
typedef struct species_paths {
  int64_t count;
  int64_t *id;
  record *order;
  double *time, *across, *up, *u[3];
} species_paths;

static void clear(cw_context *context, species_paths *paths) {
  CW_DELETE(context, paths->id);
  CW_DELETE(context, paths->order);
  CW_DELETE(context, paths->time);
  CW_DELETE(context, paths->across);
  CW_DELETE(context, paths->up);
  for (int a = 0; a < 3; a++)
    CW_DELETE(context, paths->u[a]);
}

static int by_id(const void *a, const void *b) {
  const record *first = a, *second = b;
  if (first->id != second->id)
    return first->id < second->id ? -1 : 1;
  return first->row < second->row ? -1 : first->row > second->row;
}

/* `up` stays NULL in one dimension. */
static cw_status load(cw_context *context, const char *path, const char *label, int dim,
                      species_paths *paths) {
  static const char *const momenta[3] = {"momentum/x", "momentum/y", "momentum/z"};
  int64_t *n = &paths->count;
  CW_TRY(cw_tracks_read_integers(context, path, label, "id", n, &paths->id));
  CW_TRY(cw_tracks_read(context, path, label, "time", n, &paths->time));
  CW_TRY(cw_tracks_read(context, path, label, "position/x", n, &paths->across));
  if (dim > 1)
    CW_TRY(cw_tracks_read(context, path, label, "position/y", n, &paths->up));
  for (int a = 0; a < 3; a++)
    CW_TRY(cw_tracks_read(context, path, label, momenta[a], n, &paths->u[a]));
  CW_TRY(CW_NEW(context, *n + 1, "records by id", &paths->order));
  for (int64_t k = 0; k < *n; k++)
    paths->order[k] = (record){paths->id[k], k};
  qsort(paths->order, (size_t)*n, sizeof *paths->order, by_id);
  return CW_OK;
}

static double extent(const double *values, int64_t count) {
  double low = INFINITY, high = -INFINITY;
  for (int64_t k = 0; k < count; k++) {
    low = fmin(low, values[k]);
    high = fmax(high, values[k]);
  }
  return high - low;
}

/* One track as a data block: time, across, up, gamma; a path that leaves through one side and comes
 * back through the other is broken there. */
static void put_track(cw_plot_page *page, const species_paths *paths, int64_t first, int64_t last,
                      const double far[2]) {
  const int64_t stride = (last - first + MOST_POINTS - 1) / MOST_POINTS;
  const double unit = page->length_unit;
  int64_t before = -1;
  fprintf(page->script, "$d%d << EOD\n", page->blocks++);
  for (int64_t k = first; k < last; k += stride) {
    const int64_t r = paths->order[k].row;
    if (before >= 0 && (fabs(paths->across[r] - paths->across[before]) > far[0] ||
                        (paths->up && fabs(paths->up[r] - paths->up[before]) > far[1])))
      fputc('\n', page->script);
    double square = 0;
    for (int a = 0; a < 3; a++)
      square += paths->u[a][r] * paths->u[a][r];
    fprintf(page->script, "%.9g %.9g %.9g %.9g\n", paths->time[r] / unit, paths->across[r] / unit,
            paths->up ? paths->up[r] / unit : 0, sqrt(1 + square));
    before = r;
  }
  fputs("EOD\n", page->script);
}

/* Data blocks of the first tracks of a species. */
static void put_tracks(cw_plot_page *page, const species_paths *paths) {
  const double far[2] = {0.5 * extent(paths->across, paths->count),
                         paths->up ? 0.5 * extent(paths->up, paths->count) : 0};
  for (int64_t first = 0, last; first < paths->count && page->blocks < MOST_TRACKS; first = last) {
    for (last = first; last < paths->count && paths->order[last].id == paths->order[first].id;)
      last++;
    put_track(page, paths, first, last, far);
  }
}

static void draw_panel(cw_plot_page *page, double top, double height, const char *columns) {
  fprintf(page->script,
          "set lmargin at screen %.6f\nset rmargin at screen %.6f\n"
          "set tmargin at screen %.6f\nset bmargin at screen %.6f\nplot ",
          (double)LEFT / CW_PLOT_WIDTH, 1 - (double)RIGHT / CW_PLOT_WIDTH, 1 - top / page->height,
          1 - (top + height) / page->height);
  for (int b = 0; b < page->blocks; b++)
    fprintf(page->script, "%s$d%d using %s with lines lw 1.5 lc '%s'", b ? ", " : "", b, columns,
            colours[b % COLOURS]);
  fputc('\n', page->script);
}

/* `extents` of the paths: a unit is as long along y as along x, unless that leaves a thin strip. */
static void draw(cw_plot_page *page, int dim, const double extents[2]) {
  const int alike = extents[1] > 0.25 * extents[0] && extents[0] > 0.1 * extents[1];
  const char *unit = page->in_skindepths ? " / d_0" : "";
  const char *time = page->in_skindepths ? " c / d_0" : "";
  fprintf(page->script, "set xlabel '%s%s'\nset ylabel '%s%s'\n%s", dim > 1 ? "x" : "t",
          dim > 1 ? unit : time, dim > 1 ? "y" : "x", unit,
          dim > 1 && alike ? "set size ratio -1\n" : "");
  draw_panel(page, TOP, PATHS, dim > 1 ? "2:3" : "1:2");
  fprintf(page->script,
          "set size noratio\nset xlabel 't%s'\nset ylabel 'Lorentz factor' offset 1\n", time);
  draw_panel(page, TOP + PATHS + GAP, ENERGIES, "1:4");
}

cw_status cw_plot_tracks(cw_context *context, const char *folder, const char *png,
                         cw_plot_result *result) {
  char path[CW_PATH_SIZE], title[CW_DECK_NAME + 64];
  cw_tracks_about about;
  cw_plot_page page = {0};
  double extents[2] = {0, 0};
  cw_status status = CW_OK;
  CW_TRY(cw_path_join(context, folder, "tracks.h5", path));
  CW_TRY(cw_tracks_look(context, path, &about));
  snprintf(title, sizeof title, "%s: tracked particles", about.name);
  CW_TRY(cw_plot_page_begin(context, png, TOP + PATHS + GAP + ENERGIES + BOTTOM, about.skindepth0,
                            title, &page));
  for (int s = 0; s < about.species_count && status == CW_OK; s++) {
    species_paths paths = {0};
    status = load(context, path, about.label[s], about.dim, &paths);
    if (status == CW_OK)
      put_tracks(&page, &paths);
    if (paths.count) {
      extents[0] = fmax(extents[0], extent(paths.across, paths.count));
      extents[1] = fmax(extents[1], paths.up ? extent(paths.up, paths.count) : 0);
    }
    for (int64_t k = 0; k < paths.count && status == CW_OK; k++)
      result->time = fmax(result->time, paths.time[k]);
    clear(context, &paths);
  }
  if (status == CW_OK && page.blocks == 0)
    status = cw_fail(context, CW_ERROR_INPUT, "%s: holds no record of a particle", path);
  if (status == CW_OK) {
    draw(&page, about.dim, extents);
    return cw_plot_page_finish(&page);
  }
  cw_plot_page_abandon(&page);
  return status;
}
