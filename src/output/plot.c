/* Pages of a run's pictures: what stands on them, and where. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "output/plot_private.h"

/* Pixels of the page's frame. */
enum {
  LEFT = CW_PLOT_LEFT,
  TOP = CW_PLOT_TOP,
  BOTTOM = CW_PLOT_BOTTOM,
  GAP = 120,
  HISTORY_HEIGHT = 300
};

static cw_status check_folder(cw_context *context, const char *folder) {
  struct stat entry;
  if (stat(folder, &entry) == 0 && S_ISDIR(entry.st_mode))
    return CW_OK;
  return cw_fail(context, CW_ERROR_INPUT,
                 "%s: there is no such folder; expected the output folder of a run", folder);
}

static cw_status read_history(cw_context *context, const char *folder, cw_table **history) {
  char path[CW_PATH_SIZE];
  struct stat entry;
  CW_TRY(cw_path_join(context, folder, "history.csv", path));
  if (stat(path, &entry) != 0)
    return cw_fail(context, CW_ERROR_INPUT,
                   "%s: is not there; expected the history of a run in this folder", path);
  return cw_table_read(context, path, history);
}

static double last_time(const cw_table *history) {
  for (int c = 0; c < history->columns && history->rows; c++)
    if (strcmp(history->names[c], "time") == 0)
      return history->values[(history->rows - 1) * history->columns + c];
  return 0;
}

void cw_plot_title(const cw_field_file *file, const char *what, char *title, size_t size) {
  double unit = file->skindepth0 > 0 ? file->skindepth0 : 1;
  snprintf(title, size, "%s%s%s   t = %.5g%s   step %" PRId64, file->name,
           file->name[0] && what[0] ? ", " : "", what, file->time / unit,
           file->skindepth0 > 0 ? " d\u2080/c" : "", file->step);
}

static const char *background(cw_field_file *file) {
  static const char *const choices[] = {"N", "rho", "|B|", "|E|", "|J|"};
  for (size_t n = 0; n < sizeof choices / sizeof *choices; n++)
    if (cw_plot_has(file, choices[n]))
      return choices[n];
  return NULL;
}

static cw_status draw_history_below(cw_plot_page *page, const cw_table *history) {
  cw_plot_area area = {LEFT, page->height - BOTTOM - HISTORY_HEIGHT, CW_PLOT_WIDTH - LEFT - 40,
                       HISTORY_HEIGHT};
  return cw_plot_draw_history(page, area, history);
}

static cw_status history_page(cw_context *context, const cw_table *history, double skindepth0,
                              const char *png) {
  cw_plot_page page;
  CW_TRY(cw_plot_page_begin(context, png, TOP + 400 + BOTTOM, skindepth0, "energy", &page));
  cw_plot_area area = {LEFT, TOP, CW_PLOT_WIDTH - LEFT - 40, 400};
  cw_status status = cw_plot_draw_history(&page, area, history);
  if (status == CW_OK)
    return cw_plot_page_finish(&page);
  cw_plot_page_abandon(&page);
  return status;
}

/* Field and history of a 2D or 3D run. */
static cw_status map_page(cw_field_file *file, const cw_table *history, const char *png,
                          cw_plot_result *result) {
  cw_plot_field field = {0};
  cw_plot_page page = {0};
  double *flux = NULL, width;
  char title[256];
  const char *quantity = background(file);
  cw_status status = CW_OK;
  if (!quantity)
    return cw_fail(file->context, CW_ERROR_FORMAT, "%s: holds none of density, rho, B, E, J",
                   file->path);
  CW_TRY_CLEANUP(status, cw_plot_load(file, quantity, &field));
  CW_TRY_CLEANUP(status, cw_plot_load_flux(file, &flux));
  cw_plot_title(file, "", title, sizeof title);
  int height = TOP + (int)cw_plot_field_height(&field, &width) + GAP + HISTORY_HEIGHT + BOTTOM;
  CW_TRY_CLEANUP(status,
                 cw_plot_page_begin(file->context, png, height, file->skindepth0, title, &page));
  CW_TRY_CLEANUP(status, cw_plot_draw_field(&page, &field, flux));
  CW_TRY_CLEANUP(status, draw_history_below(&page, history));
  status = cw_plot_page_finish(&page);
  result->minimum = field.low;
  result->maximum = field.high;
cleanup:
  cw_plot_page_abandon(&page);
  CW_DELETE(file->context, flux);
  cw_plot_field_clear(file->context, &field);
  return status;
}

/* The components of one record along x in one panel; a scalar is one curve. */
static cw_status draw_record_1d(cw_plot_page *page, cw_field_file *file, const char *record,
                                double top, int lowest) {
  cw_plot_field fields[3];
  char name[CW_FIELD_NAME], xlabel[32];
  cw_plot_area area = {LEFT, top, CW_PLOT_WIDTH - LEFT - 40, 170};
  cw_plot_curves curves = {.stride = 1, .ylabel = record};
  cw_status status = CW_OK;
  memset(fields, 0, sizeof fields);
  snprintf(xlabel, sizeof xlabel, "x%s", page->in_skindepths ? " / d_0" : "");
  if (lowest)
    curves.xlabel = xlabel;
  for (int c = 0; c < 3; c++) {
    snprintf(name, sizeof name, "%s%c", record, "xyz"[c]);
    int vector = cw_plot_has(file, name);
    if (!vector && c > 0)
      break;
    CW_TRY_CLEANUP(status, cw_plot_load(file, vector ? name : record, &fields[c]));
    curves.labels[c] = fields[c].label;
    curves.values[c] = fields[c].values;
    curves.count++;
  }
  curves.points = fields[0].cells[0];
  curves.x0 = fields[0].offset[0];
  curves.dx = fields[0].spacing[0];
  if (curves.count == 1)
    curves.ylabel = fields[0].label;
  status = cw_plot_draw_curves(page, area, &curves);
cleanup:
  for (int c = 0; c < 3; c++)
    cw_plot_field_clear(file->context, &fields[c]);
  return status;
}

static cw_status line_page(cw_field_file *file, const cw_table *history, const char *png) {
  static const char *const choices[] = {"N", "E", "B", "J", "rho"};
  enum { CHOICES = sizeof choices / sizeof *choices, ROW = 205 };
  const char *there[CHOICES];
  int rows = 0;
  char title[256];
  cw_plot_page page;
  for (int n = 0; n < CHOICES; n++)
    if (cw_plot_has(file, choices[n]))
      there[rows++] = choices[n];
  if (rows == 0)
    return cw_fail(file->context, CW_ERROR_FORMAT, "%s: holds none of density, rho, B, E, J",
                   file->path);
  cw_plot_title(file, "", title, sizeof title);
  int height = TOP + rows * ROW + GAP - 35 + HISTORY_HEIGHT + BOTTOM;
  CW_TRY(cw_plot_page_begin(file->context, png, height, file->skindepth0, title, &page));
  cw_status status = CW_OK;
  for (int n = 0; n < rows && status == CW_OK; n++)
    status = draw_record_1d(&page, file, there[n], TOP + n * ROW, n + 1 == rows);
  if (status == CW_OK)
    status = draw_history_below(&page, history);
  if (status == CW_OK)
    return cw_plot_page_finish(&page);
  cw_plot_page_abandon(&page);
  return status;
}

static int dimension_of(cw_field_file *file) {
  cw_plot_field field;
  const char *quantity = background(file);
  if (!quantity || cw_plot_load(file, quantity, &field) != CW_OK)
    return 0;
  cw_plot_field_clear(file->context, &field);
  return field.dim;
}

cw_status cw_plot_overview_at(cw_context *context, const char *folder, int64_t step,
                              const char *png, cw_plot_result *result) {
  char path[CW_PATH_SIZE];
  cw_plot_result shown = {.step = -1};
  cw_table *history = NULL;
  cw_field_file file;
  cw_status status = CW_OK;
  CW_TRY(check_folder(context, folder));
  CW_TRY(read_history(context, folder, &history));
  CW_TRY_CLEANUP(status,
                 cw_plot_find_step(context, folder, CW_SERIES_FIELDS, step, path, &shown.step));
  shown.time = last_time(history);
  if (shown.step < 0) {
    status = history_page(context, history, 0, png);
  } else {
    CW_TRY_CLEANUP(status, cw_field_file_open(context, path, &file));
    shown.time = file.time;
    status = dimension_of(&file) == 1 ? line_page(&file, history, png)
                                      : map_page(&file, history, png, &shown);
    cw_field_file_close(&file);
  }
  if (result)
    *result = shown;
cleanup:
  cw_table_destroy(history);
  return status;
}

cw_status cw_plot_overview(cw_context *context, const char *folder, const char *png) {
  return cw_plot_overview_at(context, folder, -1, png, NULL);
}

static cw_status quantity_page(cw_field_file *file, const char *quantity, int lines,
                               const char *png, cw_plot_result *result) {
  cw_plot_field field;
  double *flux = NULL;
  cw_plot_page page = {0};
  char title[256];
  double width;
  CW_TRY(cw_plot_load(file, quantity, &field));
  cw_status status = CW_OK;
  if (lines)
    CW_TRY_CLEANUP(status, cw_plot_load_flux(file, &flux));
  if (lines && !flux) {
    status = cw_fail(file->context, CW_ERROR_INPUT,
                     "%s: has no field lines to draw; expected Bx and By, not all zero, in two or "
                     "three dimensions",
                     file->path);
    goto cleanup;
  }
  cw_plot_title(file, quantity, title, sizeof title);
  int height = TOP + (int)cw_plot_field_height(&field, &width) + BOTTOM;
  CW_TRY_CLEANUP(status,
                 cw_plot_page_begin(file->context, png, height, file->skindepth0, title, &page));
  CW_TRY_CLEANUP(status, cw_plot_draw_field(&page, &field, flux));
  status = cw_plot_page_finish(&page);
  result->time = file->time;
  result->minimum = field.low;
  result->maximum = field.high;
cleanup:
  cw_plot_page_abandon(&page);
  CW_DELETE(file->context, flux);
  cw_plot_field_clear(file->context, &field);
  return status;
}

/* The history names no unit of time: the last field file, if there is one, does. */
static cw_status read_skindepth(cw_context *context, const char *folder, double *skindepth0) {
  char path[CW_PATH_SIZE];
  int64_t step;
  cw_field_file file;
  *skindepth0 = 0;
  CW_TRY(cw_plot_find_step(context, folder, CW_SERIES_FIELDS, -1, path, &step));
  if (step < 0)
    return CW_OK;
  CW_TRY(cw_field_file_open(context, path, &file));
  *skindepth0 = file.skindepth0;
  cw_field_file_close(&file);
  return CW_OK;
}

static cw_status energy_page(cw_context *context, const char *folder, const char *png,
                             cw_plot_result *result) {
  cw_table *history;
  double skindepth0;
  CW_TRY(read_skindepth(context, folder, &skindepth0));
  CW_TRY(read_history(context, folder, &history));
  result->time = last_time(history);
  cw_status status = history_page(context, history, skindepth0, png);
  cw_table_destroy(history);
  return status;
}

static cw_status plot_quantity(cw_context *context, const char *folder, const char *quantity,
                               int64_t step, int lines, const char *png, cw_plot_result *result) {
  char path[CW_PATH_SIZE];
  cw_plot_result shown = {.step = -1};
  cw_field_file file;
  cw_status status;
  CW_TRY(check_folder(context, folder));
  if (strcmp(quantity, "energy") == 0) {
    status = energy_page(context, folder, png, &shown);
  } else if (cw_plot_is_histogram(quantity)) {
    status = cw_plot_histogram(context, folder, quantity, step, png, &shown);
  } else if (strcmp(quantity, "track") == 0 || strcmp(quantity, "tracks") == 0) {
    status = cw_plot_tracks(context, folder, png, &shown);
  } else {
    CW_TRY(cw_plot_find_step(context, folder, CW_SERIES_FIELDS, step, path, &shown.step));
    if (shown.step < 0)
      return cw_fail(context, CW_ERROR_INPUT, "%s: has no field files (fields_XXXXXXXX.h5)",
                     folder);
    CW_TRY(cw_field_file_open(context, path, &file));
    status = quantity_page(&file, quantity, lines, png, &shown);
    cw_field_file_close(&file);
  }
  if (result)
    *result = shown;
  return status;
}

cw_status cw_plot_quantity(cw_context *context, const char *folder, const char *quantity,
                           int64_t step, const char *png, cw_plot_result *result) {
  return plot_quantity(context, folder, quantity, step, 0, png, result);
}

cw_status cw_plot_quantity_lines(cw_context *context, const char *folder, const char *quantity,
                                 int64_t step, const char *png, cw_plot_result *result) {
  return plot_quantity(context, folder, quantity, step, 1, png, result);
}
