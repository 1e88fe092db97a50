#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/plot_private.h"

static cw_status fail_no_files(cw_context *context, const char *folder, cw_series series) {
  const char *name = cw_series_names[series];
  if (series == CW_SERIES_FIELDS)
    return cw_fail(context, CW_ERROR_INPUT, "%s: has no field files (fields_XXXXXXXX.h5)", folder);
  return cw_fail(context, CW_ERROR_INPUT,
                 "%s: has no files %s/%s_XXXXXXXX.h5; [output.%s] asks a run for them", folder,
                 name, name, name);
}

cw_status cw_plot_find_step(cw_context *context, const char *folder, cw_series series,
                            int64_t wanted, char *path, int64_t *step) {
  int64_t first = INT64_MAX, last = -1, count = 0;
  char own[CW_PATH_SIZE];
  int found = 0;
  CW_TRY(cw_series_folder(context, folder, series, own));
  DIR *directory = opendir(own);
  int error = errno;
  if (!directory && series != CW_SERIES_FIELDS)
    return fail_no_files(context, folder, series);
  if (!directory)
    return cw_fail(context, CW_ERROR_INPUT, "%s: %s; expected the output folder of a run", folder,
                   strerror(error));
  for (struct dirent *entry; (entry = readdir(directory));) {
    int64_t here = cw_step_of_name(entry->d_name, cw_series_names[series]);
    if (here < 0)
      continue;
    count++;
    first = cw_min_i64(first, here);
    last = cw_max_i64(last, here);
    found |= here == wanted;
  }
  closedir(directory);
  *step = wanted < 0 ? last : wanted;
  if (count == 0 && (wanted >= 0 || series != CW_SERIES_FIELDS))
    return fail_no_files(context, folder, series);
  if (wanted >= 0 && !found)
    return cw_fail(context, CW_ERROR_INPUT,
                   "%s: has no %s file of step %" PRId64 "; there are %" PRId64
                   " from step %" PRId64 " to step %" PRId64,
                   folder, series == CW_SERIES_FIELDS ? "field" : cw_series_names[series], wanted,
                   count, first, last);
  if (*step < 0)
    return CW_OK;
  return cw_series_path(context, folder, series, *step, path);
}

void cw_plot_append_plain(char label[CW_PLOT_LABEL], const char *text) {
  size_t used = strlen(label);
  for (; *text && used + 3 < CW_PLOT_LABEL; text++) {
    if (strchr("_^{}@&~\\", *text))
      label[used++] = '\\';
    label[used++] = iscntrl((unsigned char)*text) ? ' ' : *text;
  }
  label[used] = '\0';
}

/* What a quantity's name stands for in a file. */
typedef enum quantity_kind { NOT_THERE, SCALAR, COMPONENT, MAGNITUDE, DENSITIES } quantity_kind;

typedef struct quantity_source {
  quantity_kind kind;
  char record[CW_FIELD_NAME];
  char component[2];
} quantity_source;

static const char density_prefix[] = "density_";

static int is_density(const char *name) {
  return strncmp(name, density_prefix, sizeof density_prefix - 1) == 0;
}

static int is_there(char (*names)[CW_FIELD_NAME], int count, const char *record,
                    const char *component) {
  char name[2 * CW_FIELD_NAME];
  snprintf(name, sizeof name, "%s%s%s", record, component ? "/" : "", component ? component : "");
  for (int n = 0; n < count; n++)
    if (strcmp(names[n], name) == 0)
      return 1;
  return 0;
}

/* "Bz" or "B_z": cuts the component off; 0 if there is none. */
static int split_component(char *record, char component[2]) {
  size_t length = strlen(record);
  if (length < 2 || !strchr("xyz", record[length - 1]))
    return 0;
  component[0] = record[length - 1];
  component[1] = '\0';
  record[--length] = '\0';
  if (length > 1 && record[length - 1] == '_')
    record[length - 1] = '\0';
  return 1;
}

static quantity_source find_source(char (*names)[CW_FIELD_NAME], int count, const char *quantity) {
  quantity_source source = {.kind = NOT_THERE};
  size_t length = strlen(quantity);
  if (length == 0 || length >= sizeof source.record)
    return source;
  strcpy(source.record, quantity);
  if (is_there(names, count, quantity, NULL)) {
    source.kind = SCALAR;
    return source;
  }
  if (length > 2 && quantity[0] == '|' && quantity[length - 1] == '|') {
    memcpy(source.record, quantity + 1, length - 2);
    source.record[length - 2] = '\0';
  }
  if (is_there(names, count, source.record, "x")) {
    source.kind = MAGNITUDE;
    return source;
  }
  if (split_component(source.record, source.component) &&
      is_there(names, count, source.record, source.component)) {
    source.kind = COMPONENT;
    return source;
  }
  for (int n = 0; n < count && strcmp(quantity, "N") == 0; n++)
    if (is_density(names[n]))
      source.kind = DENSITIES;
  return source;
}

int cw_plot_has(cw_field_file *file, const char *quantity) {
  char(*names)[CW_FIELD_NAME];
  int count;
  if (cw_field_file_list(file, &names, &count) != CW_OK)
    return 0;
  quantity_source source = find_source(names, count, quantity);
  CW_DELETE(file->context, names);
  return source.kind != NOT_THERE;
}

/* The names that may be asked for: "B", "Bx", ... for vectors, others as they stand. */
static cw_status fail_unknown(cw_field_file *file, char (*names)[CW_FIELD_NAME], int count,
                              const char *quantity) {
  const char **choices = NULL;
  char(*texts)[CW_FIELD_NAME] = NULL;
  char list[600] = "";
  int made = 0, densities = 0;
  cw_status status = CW_OK;
  CW_TRY_CLEANUP(status, CW_NEW(file->context, 2 * count + 2, "names of quantities", &texts));
  CW_TRY_CLEANUP(status, CW_NEW(file->context, 2 * count + 2, "names of quantities", &choices));
  for (int n = 0; n < count; n++) {
    char *slash = strchr(names[n], '/');
    if (slash && slash[1] == 'x')
      snprintf(texts[made++], CW_FIELD_NAME, "%.*s", (int)(slash - names[n]), names[n]);
    if (slash)
      snprintf(texts[made++], CW_FIELD_NAME, "%.*s%s", (int)(slash - names[n]), names[n],
               slash + 1);
    else
      strcpy(texts[made++], names[n]);
    densities += is_density(names[n]);
  }
  if (densities)
    strcpy(texts[made++], "N");
  strcpy(texts[made++], "energy");
  for (int n = 0; n < made; n++) {
    size_t used = strlen(list);
    choices[n] = texts[n];
    snprintf(list + used, sizeof list - used, "%s%s", n ? ", " : "", texts[n]);
  }
  const char *nearest = cw_deck_nearest(quantity, choices, made);
  status =
      cw_fail(file->context, CW_ERROR_INPUT, "%s: has no quantity \"%.64s\"%s%s%s; there are %s",
              file->path, quantity, nearest ? " (did you mean \"" : "", nearest ? nearest : "",
              nearest ? "\"?)" : "", list);
cleanup:
  CW_DELETE(file->context, choices);
  CW_DELETE(file->context, texts);
  return status;
}

/* How a further array joins the sum in `field`. */
static void add_values(cw_plot_field *field, const double *values, int squared) {
  int64_t count = field->cells[0] * field->cells[1] * field->cells[2];
  for (int64_t i = 0; i < count; i++)
    field->values[i] += squared ? values[i] * values[i] : values[i];
}

static cw_status add_record(cw_field_file *file, const char *record, const char *component,
                            int squared, cw_plot_field *field) {
  cw_plot_field one = {0};
  CW_TRY(cw_field_file_read(file, record, component, &one.dim, one.cells, one.spacing, one.offset,
                            &one.values));
  cw_status status = CW_OK;
  if (!field->values) {
    *field = one;
    one.values = NULL;
    int64_t count = field->cells[0] * field->cells[1] * field->cells[2];
    for (int64_t i = 0; squared && i < count; i++)
      field->values[i] *= field->values[i];
  } else if (memcmp(one.cells, field->cells, sizeof one.cells) == 0) {
    add_values(field, one.values, squared);
  } else {
    status =
        cw_fail(file->context, CW_ERROR_FORMAT,
                "%s: the components of %s differ in their numbers of cells", file->path, record);
  }
  CW_DELETE(file->context, one.values);
  return status;
}

/* Components stand half a cell apart; a picture does not show it. */
static cw_status load_magnitude(cw_field_file *file, const char *record, cw_plot_field *field) {
  CW_TRY(add_record(file, record, "x", 1, field));
  CW_TRY(add_record(file, record, "y", 1, field));
  CW_TRY(add_record(file, record, "z", 1, field));
  int64_t count = field->cells[0] * field->cells[1] * field->cells[2];
  for (int64_t i = 0; i < count; i++)
    field->values[i] = sqrt(field->values[i]);
  return CW_OK;
}

static cw_status load_source(cw_field_file *file, char (*names)[CW_FIELD_NAME], int count,
                             const quantity_source *source, cw_plot_field *field) {
  switch (source->kind) {
  case SCALAR:
    return add_record(file, source->record, NULL, 0, field);
  case COMPONENT:
    return add_record(file, source->record, source->component, 0, field);
  case MAGNITUDE:
    return load_magnitude(file, source->record, field);
  default:
    break;
  }
  for (int n = 0; n < count; n++)
    if (is_density(names[n]))
      CW_TRY(add_record(file, names[n], NULL, 0, field));
  return CW_OK;
}

static void set_label(const quantity_source *source, char *label) {
  label[0] = '\0';
  if (source->kind == DENSITIES || (source->kind == SCALAR && strcmp(source->record, "N") == 0)) {
    strcpy(label, "density");
  } else if (source->kind == SCALAR && is_density(source->record)) {
    strcpy(label, "density of ");
    cw_plot_append_plain(label, source->record + sizeof density_prefix - 1);
  } else if (source->kind == SCALAR && strcmp(source->record, "rho") == 0) {
    strcpy(label, "ρ");
  } else if (source->kind == MAGNITUDE) {
    strcpy(label, "|");
    cw_plot_append_plain(label, source->record);
    strncat(label, "|", CW_PLOT_LABEL - strlen(label) - 1);
  } else {
    cw_plot_append_plain(label, source->record);
    size_t used = strlen(label);
    if (source->kind == COMPONENT)
      snprintf(label + used, CW_PLOT_LABEL - used, "_{%s}", source->component);
  }
}

static void set_range(cw_plot_field *field) {
  int64_t count = field->cells[0] * field->cells[1] * field->cells[2];
  int any = 0;
  field->low = field->high = 0;
  for (int64_t i = 0; i < count; i++) {
    double value = field->values[i];
    if (!isfinite(value))
      continue;
    field->low = any ? fmin(field->low, value) : value;
    field->high = any ? fmax(field->high, value) : value;
    any = 1;
  }
}

cw_status cw_plot_load(cw_field_file *file, const char *quantity, cw_plot_field *field) {
  char(*names)[CW_FIELD_NAME];
  int count;
  memset(field, 0, sizeof *field);
  CW_TRY(cw_field_file_list(file, &names, &count));
  quantity_source source = find_source(names, count, quantity);
  cw_status status = source.kind == NOT_THERE ? fail_unknown(file, names, count, quantity)
                                              : load_source(file, names, count, &source, field);
  CW_DELETE(file->context, names);
  if (status != CW_OK) {
    cw_plot_field_clear(file->context, field);
    return status;
  }
  set_label(&source, field->label);
  set_range(field);
  return CW_OK;
}

void cw_plot_field_clear(cw_context *context, cw_plot_field *field) {
  CW_DELETE(context, field->values);
  field->values = NULL;
}

void cw_plot_flux(const int64_t cells[2], const double spacing[2], const double *Bx,
                  const double *By, double *flux) {
  int64_t nx = cells[0], ny = cells[1], row = nx + 1;
  double mean = 0;
  flux[0] = 0;
  for (int64_t j = 0; j < ny; j++) {
    if (j > 0)
      flux[j * row] = flux[(j - 1) * row] + spacing[1] * Bx[(j - 1) * nx];
    for (int64_t i = 0; i < nx; i++)
      flux[j * row + i + 1] = flux[j * row + i] - spacing[0] * By[j * nx + i];
  }
  /* By is not known along the upper edge: go up with Bx; the corner follows from its neighbours. */
  double *top = flux + ny * row, *below = top - row;
  for (int64_t i = 0; i < nx; i++)
    top[i] = below[i] + spacing[1] * Bx[(ny - 1) * nx + i];
  top[nx] = below[nx] + top[nx - 1] - below[nx - 1];
  for (int64_t n = 0; n < row * (ny + 1); n++)
    mean += flux[n];
  mean /= (double)(row * (ny + 1));
  for (int64_t n = 0; n < row * (ny + 1); n++)
    flux[n] -= mean;
}
