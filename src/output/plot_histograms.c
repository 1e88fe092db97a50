/* Pages of spectra and of phase-space maps. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/plot_private.h"

enum { HEIGHT = 620 };
static const char spectrum[] = "spectrum", phase[] = "phase";

static int begins(const char *name, const char *start) {
  return strncmp(name, start, strlen(start)) == 0;
}

static int is_phase(const char *quantity) {
  return begins(quantity, phase) &&
         (!quantity[sizeof phase - 1] || quantity[sizeof phase - 1] == '_');
}

int cw_plot_is_histogram(const char *quantity) {
  return strcmp(quantity, spectrum) == 0 || is_phase(quantity);
}

/* ---- spectra ---- */

/* Weight in each bin over all of the box, per width of a bin; the rows are summed into the first. */
static void sum_rows(double *values, int64_t points, int64_t rows, double step) {
  for (int64_t i = 0; i < points; i++) {
    for (int64_t r = 1; r < rows; r++)
      values[i] += values[r * points + i];
    values[i] /= step;
  }
}

/* Curves of the species' spectra, as many as a panel can have. */
static cw_status load_spectra(cw_field_file *file, cw_plot_curves *curves,
                              double *values[CW_PLOT_MAX_CURVES],
                              char labels[CW_PLOT_MAX_CURVES][CW_PLOT_LABEL],
                              char axis[CW_AXIS_LABEL]) {
  char(*names)[CW_FIELD_NAME];
  int count;
  cw_status status = CW_OK;
  CW_TRY(cw_field_file_list(file, &names, &count));
  for (int n = 0; n < count && status == CW_OK; n++) {
    const int c = curves->count;
    int64_t points, rows;
    double low, step;
    if (!begins(names[n], spectrum) || c == CW_PLOT_MAX_CURVES)
      continue;
    status = cw_field_file_rows(file, names[n], &points, &rows, &low, &step, axis, &values[c]);
    if (status != CW_OK || (c > 0 && points != curves->points))
      continue;
    sum_rows(values[c], points, rows, step);
    labels[c][0] = '\0';
    cw_plot_append_plain(labels[c], names[n] + sizeof spectrum); /* behind the _ */
    curves->points = points;
    curves->x0 = low + 0.5 * step;
    curves->dx = step;
    curves->values[c] = values[c];
    curves->labels[c] = labels[c];
    curves->count++;
  }
  CW_DELETE(file->context, names);
  if (status == CW_OK && curves->count == 0)
    status = cw_fail(file->context, CW_ERROR_INPUT, "%s: has no record spectrum_LABEL", file->path);
  return status;
}

static cw_status spectrum_page(cw_field_file *file, const char *png, cw_plot_result *result) {
  double *values[CW_PLOT_MAX_CURVES] = {NULL};
  char labels[CW_PLOT_MAX_CURVES][CW_PLOT_LABEL], axis[CW_AXIS_LABEL], title[256];
  cw_plot_curves curves = {.stride = 1, .log_y = 1};
  cw_plot_page page = {0};
  const cw_plot_area area = {CW_PLOT_LEFT, CW_PLOT_TOP, CW_PLOT_WIDTH - CW_PLOT_LEFT - 40, HEIGHT};
  cw_status status = CW_OK;
  CW_TRY_CLEANUP(status, load_spectra(file, &curves, values, labels, axis));
  const int logarithmic = begins(axis, "log10");
  curves.xlabel = logarithmic ? "log_{10} (γ - 1)" : "γ - 1";
  curves.ylabel = logarithmic ? "dN / d log_{10} (γ - 1)" : "dN / dγ";
  cw_plot_title(file, spectrum, title, sizeof title);
  CW_TRY_CLEANUP(status,
                 cw_plot_page_begin(file->context, png, CW_PLOT_TOP + HEIGHT + CW_PLOT_BOTTOM, 0,
                                    title, &page));
  CW_TRY_CLEANUP(status, cw_plot_draw_curves(&page, area, &curves));
  status = cw_plot_page_finish(&page);
  for (int c = 0; c < curves.count; c++)
    for (int64_t i = 0; i < curves.points; i++)
      result->maximum = fmax(result->maximum, values[c][i]);
cleanup:
  cw_plot_page_abandon(&page);
  for (int c = 0; c < CW_PLOT_MAX_CURVES; c++)
    CW_DELETE(file->context, values[c]);
  return status;
}

/* ---- phase space ---- */

/* The record asked for, or the first one whose name it begins. */
static cw_status choose_map(cw_field_file *file, const char *quantity, char record[CW_FIELD_NAME]) {
  char(*names)[CW_FIELD_NAME], list[500] = "";
  int count;
  record[0] = '\0';
  CW_TRY(cw_field_file_list(file, &names, &count));
  for (int n = 0; n < count; n++) {
    const size_t length = strlen(quantity), used = strlen(list);
    if (!record[0] && begins(names[n], quantity) && (!names[n][length] || names[n][length] == '_'))
      strcpy(record, names[n]);
    snprintf(list + used, sizeof list - used, "%s%s", n ? ", " : "", names[n]);
  }
  CW_DELETE(file->context, names);
  if (record[0])
    return CW_OK;
  return cw_fail(file->context, CW_ERROR_INPUT, "%s: has no map \"%.64s\"; there are %s",
                 file->path, quantity, list);
}

/* "phase_x_ux_LABEL": what the axes are, and the label. */
static void read_name(const char *record, const char *axis[2], char label[CW_PLOT_LABEL]) {
  static const char *const shown[] = {"x", "y", "z", "u_x", "u_y", "u_z", "γ"};
  const char *at = record + sizeof phase - 1;
  axis[0] = axis[1] = "";
  for (int k = 0; k < 2; k++)
    for (int c = 0; c < CW_DECK_COORDINATE_NAMES; c++) {
      const size_t length = strlen(cw_deck_coordinates[c]);
      if (at[0] != '_' || strncmp(at + 1, cw_deck_coordinates[c], length) != 0 ||
          at[1 + length] != '_')
        continue;
      axis[k] = shown[c];
      at += 1 + length;
      break;
    }
  strcpy(label, "weight of ");
  cw_plot_append_plain(label, at[0] == '_' ? at + 1 : at);
}

static cw_status phase_page(cw_field_file *file, const char *quantity, const char *png,
                            cw_plot_result *result) {
  char record[CW_FIELD_NAME], title[256];
  cw_plot_field field = {.is_count = 1, .label = ""};
  cw_plot_page page = {0};
  const cw_plot_area area = {CW_PLOT_LEFT, CW_PLOT_TOP, CW_PLOT_INNER, HEIGHT};
  cw_status status = CW_OK;
  CW_TRY(choose_map(file, quantity, record));
  CW_TRY_CLEANUP(status, cw_field_file_read(file, record, NULL, &field.dim, field.cells,
                                            field.spacing, field.offset, &field.values));
  read_name(record, field.axis_name, field.label);
  for (int64_t i = 0; i < field.cells[0] * field.cells[1]; i++)
    field.high = fmax(field.high, field.values[i]);
  cw_plot_title(file, "phase space", title, sizeof title);
  CW_TRY_CLEANUP(status,
                 cw_plot_page_begin(file->context, png, CW_PLOT_TOP + HEIGHT + CW_PLOT_BOTTOM, 0,
                                    title, &page));
  CW_TRY_CLEANUP(status, cw_plot_map(&page, area, &field, 2, NULL, 1));
  status = cw_plot_page_finish(&page);
  result->maximum = field.high;
cleanup:
  cw_plot_page_abandon(&page);
  cw_plot_field_clear(file->context, &field);
  return status;
}

cw_status cw_plot_histogram(cw_context *context, const char *folder, const char *quantity,
                            int64_t step, const char *png, cw_plot_result *result) {
  const cw_series series = is_phase(quantity) ? CW_SERIES_PHASE_SPACE : CW_SERIES_SPECTRA;
  char path[CW_PATH_SIZE];
  cw_field_file file;
  CW_TRY(cw_plot_find_step(context, folder, series, step, path, &result->step));
  CW_TRY(cw_field_file_open(context, path, &file));
  result->time = file.time;
  cw_status status = series == CW_SERIES_SPECTRA ? spectrum_page(&file, png, result)
                                                 : phase_page(&file, quantity, png, result);
  cw_field_file_close(&file);
  return status;
}
