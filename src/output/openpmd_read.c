#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/output_private.h"

static int has_link(hid_t object, const char *name) {
  return H5Lexists(object, name, H5P_DEFAULT) > 0;
}

/* A real attribute of exactly `count` values. Returns 0 when it is missing or of another shape. */
static int get_doubles(hid_t object, const char *name, int count, double *values) {
  if (H5Aexists(object, name) <= 0)
    return 0;
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0)
    return 0;
  hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
  int ok = space >= 0 && type >= 0 && H5Sget_simple_extent_npoints(space) == count &&
           (H5Tget_class(type) == H5T_FLOAT || H5Tget_class(type) == H5T_INTEGER) &&
           H5Aread(attribute, H5T_NATIVE_DOUBLE, values) >= 0;
  if (type >= 0)
    H5Tclose(type);
  if (space >= 0)
    H5Sclose(space);
  H5Aclose(attribute);
  return ok;
}

static void get_text(hid_t object, const char *name, char *text, size_t size) {
  text[0] = '\0';
  if (H5Aexists(object, name) <= 0)
    return;
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0)
    return;
  hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute), memory = H5Tcopy(H5T_C_S1);
  if (space >= 0 && type >= 0 && H5Tget_class(type) == H5T_STRING &&
      H5Tis_variable_str(type) == 0 && H5Sget_simple_extent_npoints(space) == 1 &&
      H5Tset_size(memory, size) >= 0 && H5Aread(attribute, memory, text) < 0)
    text[0] = '\0';
  if (memory >= 0)
    H5Tclose(memory);
  if (type >= 0)
    H5Tclose(type);
  if (space >= 0)
    H5Sclose(space);
  H5Aclose(attribute);
}

static herr_t first_name(hid_t group, const char *name, const H5L_info_t *info, void *text) {
  (void)group, (void)info;
  snprintf(text, CW_FIELD_NAME, "%s", name);
  return 1;
}

static cw_status fail_format(cw_context *context, const char *path, const char *missing) {
  return cw_fail(context, CW_ERROR_FORMAT,
                 "%s: has no %s; expected an openPMD field file of cellwise", path, missing);
}

/* Opens the one iteration of the file and its group of fields. */
static cw_status open_iteration(cw_field_file *file) {
  char name[CW_FIELD_NAME] = "", *end;
  hid_t data = has_link(file->file, "data") ? H5Gopen2(file->file, "data", H5P_DEFAULT) : -1;
  hid_t iteration = -1;
  cw_status status = CW_OK;
  if (data < 0)
    return fail_format(file->context, file->path, "group /data");
  H5Literate(data, H5_INDEX_NAME, H5_ITER_INC, NULL, first_name, name);
  file->step = strtoll(name, &end, 10);
  if (name[0] && !*end)
    iteration = H5Gopen2(data, name, H5P_DEFAULT);
  if (iteration < 0) {
    status = fail_format(file->context, file->path, "iteration in /data");
    goto cleanup;
  }
  if (!get_doubles(iteration, "time", 1, &file->time)) {
    status = fail_format(file->context, file->path, "attribute time of the iteration");
    goto cleanup;
  }
  if (has_link(iteration, "fields"))
    file->fields = H5Gopen2(iteration, "fields", H5P_DEFAULT);
  if (file->fields < 0)
    status = fail_format(file->context, file->path, "group fields");
cleanup:
  if (iteration >= 0)
    H5Gclose(iteration);
  H5Gclose(data);
  return status;
}

cw_status cw_field_file_open(cw_context *context, const char *path, cw_field_file *file) {
  memset(file, 0, sizeof *file);
  file->context = context;
  file->file = file->fields = -1;
  snprintf(file->path, sizeof file->path, "%s", path);
  file->silence = cw_h5_silence_begin();
  file->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  cw_status status = CW_OK;
  if (file->file < 0)
    CW_TRY_CLEANUP(status, cw_h5_fail(context, path, "opening the field file"));
  CW_TRY_CLEANUP(status, open_iteration(file));
  get_text(file->file, "simulation", file->name, sizeof file->name);
  if (!get_doubles(file->file, "skindepth0", 1, &file->skindepth0))
    file->skindepth0 = 0;
  return CW_OK;
cleanup:
  cw_field_file_close(file);
  return status;
}

void cw_field_file_close(cw_field_file *file) {
  if (file->fields >= 0)
    H5Gclose(file->fields);
  if (file->file >= 0)
    H5Fclose(file->file);
  file->file = file->fields = -1;
  cw_h5_silence_end(file->silence);
}

/* Every dataset is visited in the order of names. */
typedef struct name_list {
  char (*names)[CW_FIELD_NAME];
  int count; /* of names seen; stored when names is not NULL */
} name_list;

static herr_t add_name(hid_t group, const char *name, const H5O_info_t *info, void *user) {
  (void)group;
  name_list *list = user;
  if (info->type != H5O_TYPE_DATASET || strlen(name) >= CW_FIELD_NAME)
    return 0;
  if (list->names)
    strcpy(list->names[list->count], name);
  list->count++;
  return 0;
}

cw_status cw_field_file_list(cw_field_file *file, char (**names)[CW_FIELD_NAME], int *count) {
  name_list list = {NULL, 0};
  *names = NULL;
  *count = 0;
  if (H5Ovisit2(file->fields, H5_INDEX_NAME, H5_ITER_INC, add_name, &list, H5O_INFO_BASIC) < 0)
    return cw_h5_fail(file->context, file->path, "listing the records");
  CW_TRY(CW_NEW(file->context, list.count, "names of records", &list.names));
  list.count = 0;
  if (H5Ovisit2(file->fields, H5_INDEX_NAME, H5_ITER_INC, add_name, &list, H5O_INFO_BASIC) < 0) {
    CW_DELETE(file->context, list.names);
    return cw_h5_fail(file->context, file->path, "listing the records");
  }
  *names = list.names;
  *count = list.count;
  return CW_OK;
}

/* Shape and geometry of an open component; `mesh` carries the grid's attributes. */
static cw_status get_geometry(cw_field_file *file, const char *name, hid_t mesh, hid_t dataset,
                              int *dim, int64_t cells[3], double spacing[3], double offset[3]) {
  hsize_t count[3];
  double dx[3], origin[3], position[3];
  hid_t space = H5Dget_space(dataset);
  *dim = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
  int ok = *dim >= 1 && *dim <= 3 && H5Sget_simple_extent_dims(space, count, NULL) == *dim;
  if (space >= 0)
    H5Sclose(space);
  if (!ok || !get_doubles(mesh, "gridSpacing", *dim, dx) ||
      !get_doubles(mesh, "gridGlobalOffset", *dim, origin) ||
      !get_doubles(dataset, "position", *dim, position))
    return cw_fail(file->context, CW_ERROR_FORMAT,
                   "%s: record %s is not a mesh of 1 to 3 axes with gridSpacing, gridGlobalOffset "
                   "and position",
                   file->path, name);
  for (int a = 0; a < 3; a++) {
    int slot = *dim - 1 - a; /* the file's order is slowest axis first */
    cells[a] = slot >= 0 ? (int64_t)count[slot] : 1;
    spacing[a] = slot >= 0 ? dx[slot] : 1;
    offset[a] = slot >= 0 ? origin[slot] + position[slot] * dx[slot] : 0;
  }
  return CW_OK;
}

static cw_status get_values(cw_field_file *file, const char *name, hid_t dataset,
                            const int64_t cells[3], double **values) {
  double limit = 1;
  for (int a = 0; a < 3; a++)
    limit *= (double)cells[a];
  if (!(limit >= 1 && limit < 1e15))
    return cw_fail(file->context, CW_ERROR_FORMAT, "%s: record %s has no or too many values",
                   file->path, name);
  double *made;
  CW_TRY(CW_NEW(file->context, cells[0] * cells[1] * cells[2], "a field read from a file", &made));
  if (H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, made) < 0) {
    CW_DELETE(file->context, made);
    return cw_h5_fail(file->context, file->path, "reading a record");
  }
  *values = made;
  return CW_OK;
}

cw_status cw_field_file_read(cw_field_file *file, const char *record, const char *component,
                             int *dim, int64_t cells[3], double spacing[3], double offset[3],
                             double **values) {
  *values = NULL;
  int vector = component && component[0];
  hid_t mesh = has_link(file->fields, record) ? H5Oopen(file->fields, record, H5P_DEFAULT) : -1;
  hid_t dataset = mesh;
  if (mesh >= 0 && vector) {
    int there = H5Iget_type(mesh) == H5I_GROUP && has_link(mesh, component);
    dataset = there ? H5Oopen(mesh, component, H5P_DEFAULT) : -1;
  }
  cw_status status = CW_OK;
  if (dataset < 0 || H5Iget_type(dataset) != H5I_DATASET) {
    status = cw_fail(file->context, CW_ERROR_INPUT, "%s: has no record %s%s%s", file->path, record,
                     vector ? "/" : "", vector ? component : "");
    goto cleanup;
  }
  CW_TRY_CLEANUP(status, get_geometry(file, record, mesh, dataset, dim, cells, spacing, offset));
  status = get_values(file, record, dataset, cells, values);
cleanup:
  if (dataset >= 0 && dataset != mesh)
    H5Oclose(dataset);
  if (mesh >= 0)
    H5Oclose(mesh);
  return status;
}

/* Last of the labels of the axes. */
static void get_last_label(hid_t set, char label[CW_AXIS_LABEL]) {
  char all[4][CW_AXIS_LABEL];
  label[0] = '\0';
  hid_t attribute = H5Aexists(set, "axisLabels") > 0 ? H5Aopen(set, "axisLabels", H5P_DEFAULT) : -1;
  hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1, type = H5Tcopy(H5T_C_S1);
  const hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : 0;
  if (count >= 1 && count <= 4 && type >= 0 && H5Tset_size(type, CW_AXIS_LABEL) >= 0 &&
      H5Aread(attribute, type, all) >= 0)
    snprintf(label, CW_AXIS_LABEL, "%.31s", all[count - 1]);
  if (type >= 0)
    H5Tclose(type);
  if (space >= 0)
    H5Sclose(space);
  if (attribute >= 0)
    H5Aclose(attribute);
}

cw_status cw_field_file_rows(cw_field_file *file, const char *record, int64_t *points,
                             int64_t *rows, double *low, double *step, char label[CW_AXIS_LABEL],
                             double **values) {
  hsize_t count[4] = {0};
  double lows[4], steps[4];
  hid_t set = has_link(file->fields, record) ? H5Dopen2(file->fields, record, H5P_DEFAULT) : -1;
  hid_t space = set >= 0 ? H5Dget_space(set) : -1;
  const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
  cw_status status = CW_OK;
  *values = NULL;
  if (rank < 1 || rank > 4 || H5Sget_simple_extent_dims(space, count, NULL) != rank ||
      !get_doubles(set, "gridSpacing", rank, steps) ||
      !get_doubles(set, "gridGlobalOffset", rank, lows)) {
    status = cw_fail(file->context, CW_ERROR_FORMAT,
                     "%s: record %s is no mesh of 1 to 4 axes with gridSpacing and "
                     "gridGlobalOffset",
                     file->path, record);
    goto cleanup;
  }
  int64_t cells[3] = {(int64_t)count[rank - 1], 1, 1};
  for (int a = 0; a < rank - 1; a++)
    cells[1] *= (int64_t)count[a];
  *points = cells[0];
  *rows = cells[1];
  *low = lows[rank - 1];
  *step = steps[rank - 1];
  get_last_label(set, label);
  status = get_values(file, record, set, cells, values);
cleanup:
  if (space >= 0)
    H5Sclose(space);
  if (set >= 0)
    H5Dclose(set);
  return status;
}

cw_status cw_output_read_field(cw_context *context, const char *path, const char *record,
                               const char *component, int *dim, int64_t cells[3], double spacing[3],
                               double offset[3], double **values) {
  cw_field_file file;
  *values = NULL;
  CW_TRY(cw_field_file_open(context, path, &file));
  cw_status status =
      cw_field_file_read(&file, record, component, dim, cells, spacing, offset, values);
  cw_field_file_close(&file);
  return status;
}
