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
    if (status != CW_OK)
      break;
    if (c > 0 && points != curves->points) { /* of another run: it has no place in this panel */
      CW_DELETE(file->context, values[c]);
      values[c] = NULL;
      continue;
    }
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

/* "phase_x_ux_LABEL": what the axes are; the length of "phase_x_ux". */
static size_t read_axes(const char *record, const char *axis[2]) {
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
  return (size_t)(at - record);
}

/* What of a file's maps is shown: one record, or the sum of all species' of one pair. */
typedef struct choice {
  char start[CW_FIELD_NAME]; /* the record's name, or "phase_x_ux_" */
  int whole;                 /* 1: a record's name */
  const char *axis[2];
} choice;

static int is_chosen(const choice *chosen, const char *name) {
  return chosen->whole ? strcmp(name, chosen->start) == 0 : begins(name, chosen->start);
}

/* The record asked for, or the first pair whose records' names it begins. */
static int choose(char (*names)[CW_FIELD_NAME], int count, const char *quantity, choice *chosen) {
  for (int n = 0; n < count; n++) {
    const size_t length = strlen(quantity);
    chosen->whole = strcmp(names[n], quantity) == 0;
    if (!begins(names[n], quantity) || (!chosen->whole && names[n][length] != '_'))
      continue;
    const size_t pair = read_axes(names[n], chosen->axis);
    strcpy(chosen->start, names[n]);
    if (!chosen->whole)
      chosen->start[pair + 1] = '\0';
    return 1;
  }
  return 0;
}

/* Adds a record's map to the sum. */
static cw_status add_map(cw_field_file *file, const char *record, cw_plot_field *field) {
  cw_plot_field one = {.label = ""};
  CW_TRY(cw_field_file_read(file, record, NULL, &one.dim, one.cells, one.spacing, one.offset,
                            &one.values));
  cw_status status = CW_OK;
  if (!field->values) {
    *field = one;
    one.values = NULL;
  } else if (memcmp(one.cells, field->cells, sizeof one.cells) == 0) {
    for (int64_t i = 0; i < one.cells[0] * one.cells[1]; i++)
      field->values[i] += one.values[i];
  } else {
    status = cw_fail(file->context, CW_ERROR_FORMAT,
                     "%s: the maps of one pair differ in their bins", file->path);
  }
  cw_plot_field_clear(file->context, &one);
  return status;
}

static cw_status load_map(cw_field_file *file, const char *quantity, cw_plot_field *field) {
  char(*names)[CW_FIELD_NAME], list[500] = "";
  int count;
  choice chosen = {.whole = 0};
  cw_status status = CW_OK;
  CW_TRY(cw_field_file_list(file, &names, &count));
  const int found = choose(names, count, quantity, &chosen);
  for (int n = 0; n < count && status == CW_OK; n++) {
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", n ? ", " : "", names[n]);
    if (found && is_chosen(&chosen, names[n]))
      status = add_map(file, names[n], field);
  }
  CW_DELETE(file->context, names);
  if (!found)
    return cw_fail(file->context, CW_ERROR_INPUT, "%s: has no map \"%.64s\"; there are %s",
                   file->path, quantity, list);
  CW_TRY(status);
  field->is_count = 1;
  memcpy(field->axis_name, chosen.axis, sizeof field->axis_name);
  strcpy(field->label, "weight a bin");
  for (int64_t i = 0; i < field->cells[0] * field->cells[1]; i++)
    field->high = fmax(field->high, field->values[i]);
  return CW_OK;
}

static cw_status phase_page(cw_field_file *file, const char *quantity, const char *png,
                            cw_plot_result *result) {
  char title[256];
  cw_plot_field field = {.label = ""};
  cw_plot_page page = {0};
  const cw_plot_area area = {CW_PLOT_LEFT, CW_PLOT_TOP, CW_PLOT_INNER, HEIGHT};
  cw_status status = CW_OK;
  CW_TRY_CLEANUP(status, load_map(file, quantity, &field));
  cw_plot_title(file, quantity, title, sizeof title);
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
