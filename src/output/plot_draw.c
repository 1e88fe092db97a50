/* Panels of a page, as gnuplot commands: colour maps and curves. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/plot_private.h"

/* Panels show at most this many values along an axis: no screen has more. */
enum { MAX_MAP = 1200, MAX_FLUX = 500, MAX_CURVE = 4000 };

static const char *const axis_names[3] = {"x", "y", "z"};

/* Colour tables: knots of viridis and inferno (matplotlib, CC0), and a blue-white-red scale. */
static const char palette_viridis[] =
    "set palette defined (0 '#440154', 1 '#482878', 2 '#3e4989', 3 '#31688e', 4 '#26828e', "
    "5 '#1f9e89', 6 '#35b779', 7 '#6ece58', 8 '#b5de2b', 9 '#fde725')\n";
static const char palette_inferno[] =
    "set palette defined (0 '#000004', 1 '#1b0c41', 2 '#4a0c6b', 3 '#781c6d', 4 '#a52c60', "
    "5 '#cf4446', 6 '#ed6925', 7 '#fb9b06', 8 '#f7d13d', 9 '#fcffa4')\n";
static const char palette_signed[] =
    "set palette defined (0 '#053061', 1 '#2166ac', 2 '#4393c3', 3 '#92c5de', 4 '#d1e5f0', "
    "5 '#f7f7f7', 6 '#fddbc7', 7 '#f4a582', 8 '#d6604d', 9 '#b2182b', 10 '#67001f')\n";
static const char *const curve_colours[CW_PLOT_MAX_CURVES] = {"#3b6fb6", "#d1495b", "#2a9d6f",
                                                              "#303030"};

static void place(const cw_plot_page *page, cw_plot_area area) {
  double height = page->height, width = CW_PLOT_WIDTH;
  fprintf(page->script,
          "set lmargin at screen %.6f\nset rmargin at screen %.6f\n"
          "set tmargin at screen %.6f\nset bmargin at screen %.6f\n",
          area.left / width, (area.left + area.width) / width, 1 - area.top / height,
          1 - (area.top + area.height) / height);
}

static void put_axis_label(cw_plot_page *page, const char *axis, const char *name) {
  int scaled = page->in_skindepths;
  fprintf(page->script, "set %slabel '%s%s' offset 0\n", axis, name, scaled ? " / d_0" : "");
}

/* Range of the colours: symmetric for signed fields, logarithmic over more than a factor of 30. */
static void put_colours(cw_plot_page *page, const cw_plot_field *field) {
  double low = field->low, high = field->high;
  int logarithmic = 0;
  if (low < 0) {
    fputs(palette_signed, page->script);
    high = fmax(-low, high);
    low = -high;
  } else {
    int density = field->is_count || strncmp(field->label, "density", 7) == 0;
    fputs(density ? palette_inferno : palette_viridis, page->script);
    logarithmic = high > 30 * low && density;
    /* Empty cells must not stretch the scale without end. */
    if (logarithmic)
      low = fmax(low, 1e-3 * high);
  }
  if (!(high > low)) { /* uniform */
    double margin = high != 0 ? 0.1 * fabs(high) : 1;
    low -= margin;
    high += margin;
    logarithmic = 0;
  }
  fprintf(page->script, "%s\nset cbrange [%.9g:%.9g]\n",
          logarithmic ? "set logscale cb\nset format cb '10^{%T}'"
                      : "unset logscale cb\nset format cb '%h'",
          low, high);
}

static void put_number(FILE *script, double value) {
  if (isfinite(value))
    fprintf(script, " %.6g", value);
  else
    fputs(" NaN", script);
}

/* A plane of a field: `across` and `up` are its axes. */
typedef struct plane {
  int across, up, normal;
  int64_t middle;
  int64_t step; /* cells averaged into one value along either axis */
  int64_t columns, rows;
} plane;

static plane make_plane(const cw_plot_field *field, int normal) {
  plane cut = {.normal = normal, .across = normal == 0 ? 1 : 0, .up = normal == 2 ? 1 : 2};
  cut.middle = field->cells[normal] / 2;
  int64_t longest = cw_max_i64(field->cells[cut.across], field->cells[cut.up]);
  cut.step = (longest + MAX_MAP - 1) / MAX_MAP;
  cut.columns = (field->cells[cut.across] + cut.step - 1) / cut.step;
  cut.rows = (field->cells[cut.up] + cut.step - 1) / cut.step;
  return cut;
}

static double block_mean(const cw_plot_field *field, const plane *cut, int64_t column,
                         int64_t row) {
  int64_t at[3], count = 0;
  double sum = 0;
  at[cut->normal] = cut->middle;
  int64_t end_up = cw_min_i64((row + 1) * cut->step, field->cells[cut->up]);
  int64_t end_across = cw_min_i64((column + 1) * cut->step, field->cells[cut->across]);
  for (at[cut->up] = row * cut->step; at[cut->up] < end_up; at[cut->up]++)
    for (at[cut->across] = column * cut->step; at[cut->across] < end_across; at[cut->across]++) {
      sum += field->values[at[0] + field->cells[0] * (at[1] + field->cells[1] * at[2])];
      count++;
    }
  return sum / (double)count;
}

static int put_plane(cw_plot_page *page, const cw_plot_field *field, const plane *cut) {
  fprintf(page->script, "$d%d << EOD\n", page->blocks);
  for (int64_t row = 0; row < cut->rows; row++) {
    for (int64_t column = 0; column < cut->columns; column++)
      put_number(page->script, block_mean(field, cut, column, row));
    fputc('\n', page->script);
  }
  fputs("EOD\n", page->script);
  return page->blocks++;
}

/* Contours of the flux function into a data block; returns its number. */
static int put_contours(cw_plot_page *page, const cw_plot_field *field, const double *flux) {
  enum { LEVELS = 24 };
  int64_t row = field->cells[0] + 1, rows = field->cells[1] + 1;
  int64_t step = (cw_max_i64(row, rows) + MAX_FLUX - 1) / MAX_FLUX;
  double low = flux[0], high = flux[0], unit = page->length_unit;
  int nodes = page->blocks++, lines = page->blocks++;
  fprintf(page->script, "$d%d << EOD\n", nodes);
  for (int64_t j = 0; j < rows; j += step) {
    for (int64_t i = 0; i < row; i += step) {
      double value = flux[j * row + i];
      low = fmin(low, value);
      high = fmax(high, value);
      put_number(page->script, value);
    }
    fputc('\n', page->script);
  }
  double x0 = (field->offset[0]) / unit, y0 = field->offset[1] / unit;
  fprintf(page->script,
          "EOD\nset contour base\nunset surface\nset cntrparam levels incremental %.9g,%.9g,%.9g\n"
          "set table $d%d\n"
          "splot [*:*] [*:*] [*:*] $d%d matrix using (%.9g+$1*%.9g):(%.9g+$2*%.9g):3\n"
          "unset table\nunset contour\nset surface\n",
          low + 0.5 * (high - low) / LEVELS, (high - low) / LEVELS, high, lines, nodes, x0,
          (double)step * field->spacing[0] / unit, y0, (double)step * field->spacing[1] / unit);
  return lines;
}

static void put_colour_bar(cw_plot_page *page, cw_plot_area area) {
  double width = CW_PLOT_WIDTH, height = page->height;
  fprintf(page->script,
          "set colorbox vertical user origin screen %.6f,%.6f size screen %.6f,%.6f\n",
          (area.left + area.width + 14) / width, 1 - (area.top + area.height) / height, 18 / width,
          area.height / height);
}

cw_status cw_plot_map(cw_plot_page *page, cw_plot_area area, const cw_plot_field *field, int normal,
                      const double *flux, int colour_bar) {
  FILE *script = page->script;
  plane cut = make_plane(field, normal);
  double unit = page->length_unit;
  double dx = (double)cut.step * field->spacing[cut.across] / unit;
  double dy = (double)cut.step * field->spacing[cut.up] / unit;
  double x0 = field->offset[cut.across] / unit, y0 = field->offset[cut.up] / unit;
  double half_x = 0.5 * field->spacing[cut.across] / unit,
         half_y = 0.5 * field->spacing[cut.up] / unit;
  int block = put_plane(page, field, &cut);
  int lines = flux && field->high >= field->low ? put_contours(page, field, flux) : -1;
  place(page, area);
  if (colour_bar)
    put_colour_bar(page, area);
  else
    fputs("unset colorbox\n", script);
  put_colours(page, field);
  put_axis_label(page, "x", field->axis_name[0] ? field->axis_name[0] : axis_names[cut.across]);
  put_axis_label(page, "y", field->axis_name[1] ? field->axis_name[1] : axis_names[cut.up]);
  fprintf(script,
          "set cblabel '%s' offset 0.6\n"
          "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\nunset grid\n"
          "plot $d%d matrix using (%.9g+$1*%.9g):(%.9g+$2*%.9g):3 with image",
          field->label, x0 - half_x, x0 - half_x + 2 * half_x * (double)field->cells[cut.across],
          y0 - half_y, y0 - half_y + 2 * half_y * (double)field->cells[cut.up], block,
          x0 - half_x + 0.5 * dx, dx, y0 - half_y + 0.5 * dy, dy);
  if (lines >= 0)
    fprintf(script, ", $d%d using 1:2 with lines lw 1.1 lc rgb '#60ffffff'", lines);
  fputs("\n", script);
  return CW_OK;
}

/* Sizes of the curves, to choose their axis. */
static void curves_range(const cw_plot_curves *curves, double *low, double *high, double *weakest) {
  int any = 0;
  *low = *high = 0;
  *weakest = HUGE_VAL;
  for (int c = 0; c < curves->count; c++) {
    double largest = 0;
    for (int64_t i = 0; i < curves->points; i++) {
      double value = curves->values[c][i * curves->stride];
      if (!isfinite(value))
        continue;
      *low = any ? fmin(*low, value) : value;
      *high = any ? fmax(*high, value) : value;
      largest = fmax(largest, fabs(value));
      any = 1;
    }
    if (largest > 0)
      *weakest = fmin(*weakest, largest);
  }
}

static double least_positive(const cw_plot_curves *curves) {
  double least = HUGE_VAL;
  for (int c = 0; c < curves->count; c++)
    for (int64_t i = 0; i < curves->points; i++)
      if (curves->values[c][i * curves->stride] > 0)
        least = fmin(least, curves->values[c][i * curves->stride]);
  return least;
}

static void put_curve_ranges(cw_plot_page *page, const cw_plot_curves *curves) {
  double low, high, weakest;
  if (curves->log_y && isfinite(low = least_positive(curves))) {
    curves_range(curves, &weakest, &high, &weakest);
    fprintf(page->script, "set logscale y\nset format y '10^{%%T}'\nset yrange [%.9g:%.9g]\n",
            0.5 * low, 2 * high);
    return;
  }
  curves_range(curves, &low, &high, &weakest);
  if (curves->allow_log && low >= 0 && weakest < high / 30) {
    fprintf(page->script, "set logscale y\nset format y '10^{%%T}'\nset yrange [%.9g:%.9g]\n",
            weakest * 1e-2, high * 3);
    return;
  }
  double margin = high > low ? 0.08 * (high - low) : fmax(0.1 * fabs(high), 1e-300);
  if (low == 0 && high == 0)
    margin = 1;
  fprintf(page->script, "unset logscale y\nset format y '%%h'\nset yrange [%.9g:%.9g]\n",
          low >= 0 && low < 0.5 * high ? 0 : low - margin, high + margin);
}

static int put_curve_points(cw_plot_page *page, const cw_plot_curves *curves) {
  int64_t step = (curves->points + MAX_CURVE - 1) / MAX_CURVE;
  if (step < 1)
    step = 1;
  fprintf(page->script, "$d%d << EOD\n", page->blocks);
  for (int64_t i = 0; i < curves->points; i += step) {
    double x = curves->x ? curves->x[i * curves->stride] : curves->x0 + curves->dx * (double)i;
    fprintf(page->script, "%.9g", x / page->length_unit);
    for (int c = 0; c < curves->count; c++)
      put_number(page->script, curves->values[c][i * curves->stride]);
    fputc('\n', page->script);
  }
  fputs("EOD\n", page->script);
  return page->blocks++;
}

cw_status cw_plot_draw_curves(cw_plot_page *page, cw_plot_area area, const cw_plot_curves *curves) {
  FILE *script = page->script;
  int64_t last = curves->points - 1;
  double start = curves->x ? curves->x[0] : curves->x0;
  double end = curves->x ? curves->x[last * curves->stride] : start + curves->dx * (double)last;
  if (!(end > start))
    end = start + 1;
  int block = put_curve_points(page, curves);
  place(page, area);
  put_curve_ranges(page, curves);
  fprintf(script, "set xrange [%.9g:%.9g]\nset ylabel '%s' offset 1.5\n", start / page->length_unit,
          end / page->length_unit, curves->ylabel);
  if (curves->xlabel)
    fprintf(script, "set xlabel '%s'\nset format x '%%h'\n", curves->xlabel);
  else
    fputs("unset xlabel\nset format x ''\n", script);
  fputs("set grid lc '#e4e4e4' lt 1 lw 1\n"
        "set key bottom left at graph 0,1.03 horizontal Left reverse samplen 1.2 width 1 font "
        "',13'\nplot ",
        script);
  for (int c = 0; c < curves->count; c++)
    fprintf(script, "%s$d%d using 1:%d with lines lw 2.2 lc rgb '%s' title '%s'", c ? ", " : "",
            block, c + 2, curve_colours[c], curves->count > 1 ? curves->labels[c] : "");
  fputs("\nunset key\nunset grid\nunset logscale y\nset format x '%h'\nset format y '%h'\n",
        script);
  return CW_OK;
}

static int column_of(const cw_table *table, const char *name) {
  for (int c = 0; c < table->columns; c++)
    if (strcmp(table->names[c], name) == 0)
      return c;
  return -1;
}

static cw_status draw_change(cw_plot_page *page, cw_plot_area area, const cw_table *history,
                             cw_plot_curves curves, int total) {
  double *change;
  CW_TRY(CW_NEW(page->context, history->rows * history->columns, "energy change", &change));
  double first = history->values[total];
  for (int64_t r = 0; r < history->rows; r++)
    change[r * history->columns] =
        (history->values[r * history->columns + total] - first) / (first != 0 ? fabs(first) : 1);
  curves.count = 1;
  curves.values[0] = change;
  curves.labels[0] = "total energy";
  curves.ylabel = first != 0 ? "relative change of total" : "change of total";
  curves.allow_log = 0;
  cw_status status = cw_plot_draw_curves(page, area, &curves);
  CW_DELETE(page->context, change);
  return status;
}

cw_status cw_plot_draw_history(cw_plot_page *page, cw_plot_area area, const cw_table *history) {
  static const char *const names[3] = {"electric_energy", "magnetic_energy", "kinetic_energy"};
  static const char *const labels[3] = {"electric", "magnetic", "kinetic"};
  int time = column_of(history, "time"), total = column_of(history, "total_energy");
  cw_plot_curves curves = {.points = history->rows, .stride = history->columns, .allow_log = 1};
  curves.x = history->values + time;
  curves.xlabel = page->in_skindepths ? "t c / d_0" : "t";
  curves.ylabel = "energy";
  for (int n = 0; n < 3; n++) {
    int column = column_of(history, names[n]);
    if (column < 0)
      continue;
    curves.labels[curves.count] = labels[n];
    curves.values[curves.count++] = history->values + column;
  }
  if (time < 0 || curves.count == 0 || history->rows == 0)
    return cw_fail(page->context, CW_ERROR_FORMAT, "history.csv: %s",
                   history->rows ? "has no columns time and electric_energy, "
                                   "magnetic_energy or kinetic_energy"
                                 : "has no rows yet");
  cw_plot_area left = area, right = area;
  if (total < 0)
    return cw_plot_draw_curves(page, left, &curves);
  left.width = 0.56 * area.width;
  right.width = 0.28 * area.width;
  right.left = area.left + area.width - right.width;
  CW_TRY(cw_plot_draw_curves(page, left, &curves));
  return draw_change(page, right, history, curves, total);
}
