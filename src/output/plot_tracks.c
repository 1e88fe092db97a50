/* Picture of tracked particles: their paths, and below it their energies over time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/plot_private.h"
#include "output/tracks.h"

enum { MOST_TRACKS = 40, MOST_POINTS = 2000, LEFT = 150, RIGHT = 60, TOP = 70, BOTTOM = 80 };
enum { PATHS = 560, TIMES = 200, GAP = 90, COLOURS = 8 };

static const char *const colours[COLOURS] = {"#3b6fb6", "#d1495b", "#2a9d6f", "#e9a23b",
                                             "#7b5ea7", "#00a5b5", "#8d6e52", "#303030"};

/* What is drawn: data blocks 0 to page.blocks - 1, one a track. */
typedef struct picture {
  cw_plot_page page;
  cw_tracks_about about;
  int species[MOST_TRACKS]; /* that the block's particle is of */
  double low[4], high[4];   /* of the blocks' columns: time, across, up, gamma */
} picture;

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

/* A record's columns of the picture. */
static void columns_of(const picture *picture, const species_paths *paths, int64_t row,
                       double column[4]) {
  const double unit = picture->page.length_unit;
  double square = 1;
  for (int a = 0; a < 3; a++)
    square += paths->u[a][row] * paths->u[a][row];
  column[0] = paths->time[row] / unit;
  column[1] = paths->across[row] / unit;
  column[2] = paths->up ? paths->up[row] / unit : 0;
  column[3] = sqrt(square);
}

/* One track as a data block; a path that leaves through one side and comes back through the other is
 * broken there. */
static void put_track(picture *picture, const species_paths *paths, int64_t first, int64_t last,
                      const double far[2]) {
  FILE *script = picture->page.script;
  const int64_t stride = (last - first + MOST_POINTS - 1) / MOST_POINTS;
  int64_t before = -1;
  fprintf(script, "$d%d << EOD\n", picture->page.blocks++);
  for (int64_t k = first; k < last; k += stride) {
    const int64_t r = paths->order[k].row;
    double column[4];
    if (before >= 0 && (fabs(paths->across[r] - paths->across[before]) > far[0] ||
                        (paths->up && fabs(paths->up[r] - paths->up[before]) > far[1])))
      fputc('\n', script);
    columns_of(picture, paths, r, column);
    for (int c = 0; c < 4; c++) {
      picture->low[c] = fmin(picture->low[c], column[c]);
      picture->high[c] = fmax(picture->high[c], column[c]);
    }
    fprintf(script, "%.9g %.9g %.9g %.9g\n", column[0], column[1], column[2], column[3]);
    before = r;
  }
  fputs("EOD\n", script);
}

/* Data blocks of the first tracks of species s: its share of those that are drawn. */
static void put_tracks(picture *picture, int s, const species_paths *paths) {
  const double far[2] = {0.5 * extent(paths->across, paths->count),
                         paths->up ? 0.5 * extent(paths->up, paths->count) : 0};
  const int end = picture->page.blocks + MOST_TRACKS / picture->about.species_count;
  for (int64_t first = 0, last; first < paths->count && picture->page.blocks < end; first = last) {
    for (last = first; last < paths->count && paths->order[last].id == paths->order[first].id;)
      last++;
    picture->species[picture->page.blocks] = s;
    put_track(picture, paths, first, last, far);
  }
}

/* A panel across the page; with `key`, species are named. A species has one colour where there are
 * several of them, else a track has. */
static void draw_panel(picture *picture, double top, double height, const char *columns, int key) {
  const cw_plot_page *page = &picture->page;
  fprintf(page->script,
          "set lmargin at screen %.6f\nset rmargin at screen %.6f\n"
          "set tmargin at screen %.6f\nset bmargin at screen %.6f\n%splot ",
          (double)LEFT / CW_PLOT_WIDTH, 1 - (double)RIGHT / CW_PLOT_WIDTH, 1 - top / page->height,
          1 - (top + height) / page->height,
          key ? "set key top right noenhanced\n" : "unset key\n");
  for (int b = 0; b < page->blocks; b++) {
    const int s = picture->species[b], first = b == 0 || picture->species[b - 1] != s;
    fprintf(page->script, "%s$d%d using %s with lines lw 1.5 lc '%s' ", b ? ", " : "", b, columns,
            colours[(picture->about.species_count > 1 ? s : b) % COLOURS]);
    if (first)
      fprintf(page->script, "title '%s'", picture->about.label[s]);
    else
      fputs("notitle", page->script);
  }
  fputc('\n', page->script);
}

/* Lorentz factors that hardly change fill the panel with round-off unless the range says so. */
static void set_gamma_range(const picture *picture) {
  const double low = picture->low[3], high = picture->high[3];
  if (high - low < 0.01 * high)
    fprintf(picture->page.script, "set yrange [%.9g:%.9g]\n", 0.98 * low, 1.02 * high);
}

static void draw(picture *picture) {
  FILE *script = picture->page.script;
  const int dim = picture->about.dim, scaled = picture->page.in_skindepths;
  const double ratio = (picture->high[2] - picture->low[2]) / (picture->high[1] - picture->low[1]);
  const char *unit = scaled ? " / d_0" : "";
  double top = TOP;
  if (dim > 1) {
    fprintf(script, "set xlabel 'x%s'\nset ylabel 'y%s'\n%s", unit, unit,
            ratio > 0.25 && ratio < 10 ? "set size ratio -1\n" : "");
    draw_panel(picture, top, PATHS, "2:3", 1);
    top += PATHS + GAP;
  }
  fprintf(script, "set size noratio\nset xlabel 't%s'\nset ylabel 'x%s'\n",
          scaled ? " c / d_0" : "", unit);
  draw_panel(picture, top, TIMES, "1:2", dim == 1);
  fputs("set ylabel 'Lorentz factor' offset 1\n", script);
  set_gamma_range(picture);
  draw_panel(picture, top + TIMES + GAP, TIMES, "1:4", 0);
}

static cw_status put_all(cw_context *context, const char *path, picture *picture) {
  for (int s = 0; s < picture->about.species_count; s++) {
    species_paths paths = {0};
    const cw_status status =
        load(context, path, picture->about.label[s], picture->about.dim, &paths);
    if (status == CW_OK)
      put_tracks(picture, s, &paths);
    clear(context, &paths);
    CW_TRY(status);
  }
  if (picture->page.blocks == 0)
    return cw_fail(context, CW_ERROR_INPUT, "%s: holds no record of a particle", path);
  return CW_OK;
}

cw_status cw_plot_tracks(cw_context *context, const char *folder, const char *png,
                         cw_plot_result *result) {
  char path[CW_PATH_SIZE], title[CW_DECK_NAME + 64];
  picture picture = {.page = {0}};
  CW_TRY(cw_path_join(context, folder, "tracks.h5", path));
  CW_TRY(cw_tracks_look(context, path, &picture.about));
  const int height = TOP + (picture.about.dim > 1 ? PATHS + GAP : 0) + 2 * TIMES + GAP + BOTTOM;
  for (int c = 0; c < 4; c++)
    picture.low[c] = INFINITY, picture.high[c] = -INFINITY;
  snprintf(title, sizeof title, "%s: tracked particles", picture.about.name);
  CW_TRY(cw_plot_page_begin(context, png, height, picture.about.skindepth0, title, &picture.page));
  const cw_status status = put_all(context, path, &picture);
  if (status != CW_OK) {
    cw_plot_page_abandon(&picture.page);
    return status;
  }
  draw(&picture);
  result->time = picture.high[0] * picture.page.length_unit;
  return cw_plot_page_finish(&picture.page);
}
