/* Field files after the openPMD standard 1.1.0 (https://github.com/openPMD/openPMD-standard):
 * /data/<step>/fields/<record>, scalars as datasets, vectors as groups of x, y, z. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cellwise/version.h>

#include "output/output_private.h"

static const char *const component_names[3] = {"x", "y", "z"};

/* One file being written. */
typedef struct writer {
  cw_context *context;
  const char *path; /* the final name, for messages */
  const cw_deck *deck;
  const cw_grid *grid;
} writer;

static cw_status fail(const writer *out, const char *operation, const char *name) {
  char text[160];
  snprintf(text, sizeof text, "%s %s", operation, name);
  return cw_h5_fail(out->context, out->path, text);
}

/* Creates an attribute and writes it; takes over `space` and closes it. */
static cw_status put(const writer *out, hid_t object, const char *name, hid_t type, hid_t space,
                     const void *value) {
  cw_status status = CW_OK;
  hid_t attribute = -1;
  if (space >= 0)
    attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0 || H5Awrite(attribute, type, value) < 0)
    status = fail(out, "writing attribute", name);
  if (attribute >= 0 && H5Aclose(attribute) < 0 && status == CW_OK)
    status = fail(out, "closing attribute", name);
  if (space >= 0)
    H5Sclose(space);
  return status;
}

/* `count` strings of one fixed length each, or one scalar string if count is 0. */
static cw_status put_strings(const writer *out, hid_t object, const char *name, const char *text,
                             size_t length, hsize_t count) {
  hid_t type = H5Tcopy(H5T_C_S1);
  if (type < 0 || H5Tset_size(type, length) < 0 || H5Tset_strpad(type, H5T_STR_NULLTERM) < 0) {
    if (type >= 0)
      H5Tclose(type);
    return fail(out, "making the type of attribute", name);
  }
  hid_t space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
  cw_status status = put(out, object, name, type, space, text);
  H5Tclose(type);
  return status;
}

static cw_status put_text(const writer *out, hid_t object, const char *name, const char *text) {
  return put_strings(out, object, name, text, strlen(text) + 1, 0);
}

/* Text of any length: fixed-length attributes end at 64 kB, variable-length ones do not. */
static cw_status put_long_text(const writer *out, hid_t object, const char *name,
                               const char *text) {
  hid_t type = H5Tcopy(H5T_C_S1);
  if (type < 0 || H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0) {
    if (type >= 0)
      H5Tclose(type);
    return fail(out, "making the type of attribute", name);
  }
  cw_status status = put(out, object, name, type, H5Screate(H5S_SCALAR), &text);
  H5Tclose(type);
  return status;
}

static cw_status put_double(const writer *out, hid_t object, const char *name, double value) {
  return put(out, object, name, H5T_NATIVE_DOUBLE, H5Screate(H5S_SCALAR), &value);
}

static cw_status put_doubles(const writer *out, hid_t object, const char *name,
                             const double *values, int count) {
  hsize_t length = (hsize_t)count;
  return put(out, object, name, H5T_NATIVE_DOUBLE, H5Screate_simple(1, &length, NULL), values);
}

/* Values an axis of the simulation, in the file's order: the slowest axis first. */
static cw_status put_per_axis(const writer *out, hid_t object, const char *name,
                              const double values[3]) {
  double reversed[3];
  for (int a = 0; a < out->grid->dim; a++)
    reversed[a] = values[out->grid->dim - 1 - a];
  return put_doubles(out, object, name, reversed, out->grid->dim);
}

static cw_status put_date(const writer *out, hid_t file) {
  char date[64] = "";
  time_t now = time(NULL);
  struct tm local;
  if (localtime_r(&now, &local))
    strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S %z", &local);
  return put_text(out, file, "date", date);
}

static cw_status put_deck(const writer *out, hid_t file) {
  const cw_deck *deck = out->deck;
  if (!deck)
    return CW_OK;
  char *text = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  if (!stream)
    return cw_fail(out->context, CW_ERROR_MEMORY, "%s: text of the deck", out->path);
  cw_status status = cw_deck_echo(out->context, deck, stream);
  if (fclose(stream) != 0 && status == CW_OK)
    status = cw_fail(out->context, CW_ERROR_MEMORY, "%s: text of the deck", out->path);
  if (status == CW_OK)
    status = put_long_text(out, file, "deck", text);
  free(text);
  CW_TRY(status);
  CW_TRY(put_text(out, file, "simulation", deck->simulation.name));
  CW_TRY(put_double(out, file, "skindepth0", deck->scales.skindepth0));
  return put_double(out, file, "larmor0", deck->scales.larmor0);
}

static cw_status put_file_attributes(const writer *out, hid_t file) {
  uint32_t extension = 0; /* no domain-specific extension */
  CW_TRY(put_text(out, file, "openPMD", "1.1.0"));
  CW_TRY(put(out, file, "openPMDextension", H5T_NATIVE_UINT32, H5Screate(H5S_SCALAR), &extension));
  CW_TRY(put_text(out, file, "basePath", "/data/%T/"));
  CW_TRY(put_text(out, file, "meshesPath", "fields/"));
  CW_TRY(put_text(out, file, "iterationEncoding", "fileBased"));
  CW_TRY(put_text(out, file, "iterationFormat", "fields_%08T.h5"));
  CW_TRY(put_text(out, file, "software", "cellwise"));
  CW_TRY(put_text(out, file, "softwareVersion", cw_version()));
  CW_TRY(put_text(out, file, "commit", cw_commit()));
  CW_TRY(put_text(out, file, "backend", cw_backend_name(cw_context_backend(out->context))));
  CW_TRY(put_date(out, file));
  return put_deck(out, file);
}

/* What the standard asks of every mesh: on the dataset of a scalar, on the group of a vector. */
static cw_status put_mesh(const writer *out, hid_t object, const cw_output_record *record) {
  static const char labels[3][2] = {"x", "y", "z"};
  char reversed[3][2];
  const cw_grid *grid = out->grid;
  for (int a = 0; a < grid->dim; a++)
    memcpy(reversed[a], labels[grid->dim - 1 - a], 2);
  CW_TRY(put_text(out, object, "geometry", "cartesian"));
  CW_TRY(put_text(out, object, "dataOrder", "C"));
  CW_TRY(put_strings(out, object, "axisLabels", reversed[0], 2, (hsize_t)grid->dim));
  CW_TRY(put_per_axis(out, object, "gridSpacing", grid->dx));
  CW_TRY(put_per_axis(out, object, "gridGlobalOffset", grid->origin));
  CW_TRY(put_double(out, object, "gridUnitSI", 1));
  CW_TRY(put_doubles(out, object, "unitDimension", record->dimension, 7));
  return put_double(out, object, "timeOffset", 0);
}

/* Selects the interior of an array with ghost cells as the memory to write from. */
static hid_t interior_of(const cw_grid *grid) {
  hsize_t size[3], start[3], count[3];
  for (int a = 0; a < grid->dim; a++) {
    int slot = grid->dim - 1 - a;
    size[slot] = (hsize_t)grid->size[a];
    start[slot] = (hsize_t)grid->ghost;
    count[slot] = (hsize_t)grid->cells[a];
  }
  hid_t space = H5Screate_simple(grid->dim, size, NULL);
  if (space >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) < 0) {
    H5Sclose(space);
    return -1;
  }
  return space;
}

static cw_status put_values(const writer *out, hid_t dataset, const cw_output_record *record,
                            int component) {
  hid_t memory = interior_of(out->grid);
  hid_t type = record->precision == CW_DOUBLE ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
  cw_status status = CW_OK;
  if (memory < 0 ||
      H5Dwrite(dataset, type, memory, H5S_ALL, H5P_DEFAULT, record->data[component]) < 0)
    status = fail(out, "writing", record->name);
  if (memory >= 0)
    H5Sclose(memory);
  return status;
}

/* Writes one component as dataset `name` of `parent`; a scalar's carries the mesh's attributes. */
static cw_status put_component(const writer *out, hid_t parent, const char *name,
                               const cw_output_record *record, int component) {
  const cw_grid *grid = out->grid;
  hsize_t count[3];
  for (int a = 0; a < grid->dim; a++)
    count[grid->dim - 1 - a] = (hsize_t)grid->cells[a];
  hid_t type = record->precision == CW_DOUBLE ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT;
  hid_t space = H5Screate_simple(grid->dim, count, NULL), dataset = -1;
  cw_status status = CW_OK;
  if (space >= 0)
    dataset = H5Dcreate2(parent, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (dataset < 0) {
    status = fail(out, "creating", record->name);
    goto cleanup;
  }
  CW_TRY_CLEANUP(status, put_values(out, dataset, record, component));
  CW_TRY_CLEANUP(status, put_per_axis(out, dataset, "position", record->position[component]));
  CW_TRY_CLEANUP(status,
                 put_double(out, dataset, "unitSI", record->unit_SI != 0 ? record->unit_SI : 1));
  if (record->components == 1)
    CW_TRY_CLEANUP(status, put_mesh(out, dataset, record));
cleanup:
  if (dataset >= 0 && H5Dclose(dataset) < 0 && status == CW_OK)
    status = fail(out, "closing", record->name);
  if (space >= 0)
    H5Sclose(space);
  return status;
}

static cw_status put_record(const writer *out, hid_t fields, const cw_output_record *record) {
  if (record->components == 1)
    return put_component(out, fields, record->name, record, 0);
  hid_t group = H5Gcreate2(fields, record->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (group < 0)
    return fail(out, "creating", record->name);
  cw_status status = put_mesh(out, group, record);
  for (int c = 0; c < 3 && status == CW_OK; c++)
    status = put_component(out, group, component_names[c], record, c);
  if (H5Gclose(group) < 0 && status == CW_OK)
    status = fail(out, "closing", record->name);
  return status;
}

static cw_status put_iteration(const writer *out, hid_t file, int64_t step, double time, double dt,
                               const cw_output_record *records, int record_count) {
  char name[64];
  cw_status status = CW_OK;
  hid_t fields = -1, iteration = -1, data = -1;
  snprintf(name, sizeof name, "%" PRId64, step);
  data = H5Gcreate2(file, "data", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (data >= 0)
    iteration = H5Gcreate2(data, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (iteration >= 0)
    fields = H5Gcreate2(iteration, "fields", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (fields < 0) {
    status = fail(out, "creating group", "fields");
    goto cleanup;
  }
  CW_TRY_CLEANUP(status, put_double(out, iteration, "time", time));
  CW_TRY_CLEANUP(status, put_double(out, iteration, "dt", dt));
  CW_TRY_CLEANUP(status, put_double(out, iteration, "timeUnitSI", 1));
  for (int r = 0; r < record_count; r++)
    CW_TRY_CLEANUP(status, put_record(out, fields, &records[r]));
cleanup:
  if (fields >= 0)
    H5Gclose(fields);
  if (iteration >= 0)
    H5Gclose(iteration);
  if (data >= 0)
    H5Gclose(data);
  return status;
}

static cw_status check_records(cw_context *context, int64_t step, const cw_output_record *records,
                               int count) {
  if (step < 0)
    return cw_fail(context, CW_ERROR_ARGUMENT, "field file: step %" PRId64 " is negative", step);
  for (int r = 0; r < count; r++) {
    const cw_output_record *record = &records[r];
    if (!record->name || !record->name[0] || strchr(record->name, '/'))
      return cw_fail(context, CW_ERROR_ARGUMENT, "field file: record %d has no usable name", r);
    if (record->components != 1 && record->components != 3)
      return cw_fail(context, CW_ERROR_ARGUMENT,
                     "field file: record %s has %d components; expected 1 or 3", record->name,
                     record->components);
    for (int c = 0; c < record->components; c++)
      if (!record->data[c])
        return cw_fail(context, CW_ERROR_ARGUMENT, "field file: record %s, component %d: no data",
                       record->name, c);
  }
  return CW_OK;
}

/* A file access list with our driver, which stores the system's first error in *error. */
static hid_t make_access(hid_t driver, int *error) {
  hid_t access = driver >= 0 ? H5Pcreate(H5P_FILE_ACCESS) : -1;
  /* Closing the file closes all that a failure left open in it. */
  if (access >= 0 && (H5Pset_driver(access, driver, &error) < 0 ||
                      H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0)) {
    H5Pclose(access);
    return -1;
  }
  return access;
}

/* Everything in the part file; closed on return, whatever happens. */
static cw_status write_part(const writer *out, const char *part, int64_t step, double time,
                            double dt, const cw_output_record *records, int record_count) {
  int error = 0;
  hid_t driver = cw_h5_part_driver(), access = make_access(driver, &error), file = -1;
  cw_status status = CW_OK;
  if (access >= 0)
    file = H5Fcreate(part, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  if (file < 0) {
    status = cw_h5_fail(out->context, out->path, "creating the file");
    goto cleanup;
  }
  CW_TRY_CLEANUP(status, put_file_attributes(out, file));
  CW_TRY_CLEANUP(status, put_iteration(out, file, step, time, dt, records, record_count));
cleanup:
  if (file >= 0 && H5Fclose(file) < 0 && status == CW_OK)
    status = cw_h5_fail(out->context, out->path, "closing the file");
  if (access >= 0)
    H5Pclose(access);
  if (driver >= 0)
    H5FDunregister(driver);
  if (error != 0)
    status = cw_fail(out->context, CW_ERROR_IO, "%s: cannot %s: %s", out->path,
                     file < 0 ? "create" : "write", strerror(error));
  return status;
}

cw_status cw_output_write_fields(cw_context *context, const char *folder, const cw_deck *deck,
                                 const cw_grid *grid, int64_t step, double time, double dt,
                                 const cw_output_record *records, int record_count) {
  char name[64], path[CW_PATH_SIZE];
  cw_aside aside;
  CW_TRY(check_records(context, step, records, record_count));
  snprintf(name, sizeof name, "fields_%08" PRId64 ".h5", step);
  CW_TRY(cw_path_join(context, folder, name, path));
  CW_TRY(cw_aside_begin(context, path, &aside));
  writer out = {context, path, deck, grid};
  cw_h5_silence silence = cw_h5_silence_begin();
  cw_status status = write_part(&out, aside.part, step, time, dt, records, record_count);
  cw_h5_silence_end(silence);
  if (status != CW_OK) {
    cw_aside_abandon(&aside);
    return status;
  }
  return cw_aside_commit(context, &aside);
}
