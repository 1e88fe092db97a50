/* Field files: /data/<step>/fields/<record>, scalars as datasets, vectors as groups of x, y, z. */
#include <inttypes.h>
#include <string.h>

#include "output/openpmd_write.h"

static const char *const component_names[3] = {"x", "y", "z"};

/* One file being written. */
typedef struct writer {
  cw_h5_out h5;
  const cw_grid *grid;
  const cw_output_time *when;
  const cw_output_record *records;
  int record_count;
} writer;

static cw_status fail(const writer *out, const char *operation, const char *name) {
  return cw_h5_out_fail(&out->h5, operation, name);
}

/* Values an axis of the simulation, in the file's order: the slowest axis first. */
static cw_status put_per_axis(const writer *out, hid_t object, const char *name,
                              const double values[3]) {
  double reversed[3];
  for (int a = 0; a < out->grid->dim; a++)
    reversed[a] = values[out->grid->dim - 1 - a];
  return cw_h5_put_doubles(&out->h5, object, name, reversed, out->grid->dim);
}

/* What the standard asks of every mesh: on the dataset of a scalar, on the group of a vector. */
static cw_status put_mesh(const writer *out, hid_t object, const cw_output_record *record) {
  static const char labels[3][2] = {"x", "y", "z"};
  char reversed[3][2];
  const cw_grid *grid = out->grid;
  for (int a = 0; a < grid->dim; a++)
    memcpy(reversed[a], labels[grid->dim - 1 - a], 2);
  CW_TRY(cw_h5_put_text(&out->h5, object, "geometry", "cartesian"));
  CW_TRY(cw_h5_put_text(&out->h5, object, "dataOrder", "C"));
  CW_TRY(cw_h5_put_strings(&out->h5, object, "axisLabels", reversed[0], 2, (hsize_t)grid->dim));
  CW_TRY(put_per_axis(out, object, "gridSpacing", grid->dx));
  CW_TRY(put_per_axis(out, object, "gridGlobalOffset", grid->origin));
  CW_TRY(
      cw_h5_put_double(&out->h5, object, "gridUnitSI", cw_openpmd_unit(out->when->grid_unit_SI)));
  CW_TRY(cw_h5_put_doubles(&out->h5, object, "unitDimension", record->dimension, 7));
  return cw_h5_put_double(&out->h5, object, "timeOffset", 0);
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
                 cw_h5_put_double(&out->h5, dataset, "unitSI", cw_openpmd_unit(record->unit_SI)));
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

static cw_status put_fields(const cw_h5_out *h5, hid_t file, hid_t iteration, const void *user) {
  const writer *records = user;
  writer out = *records;
  hid_t fields;
  out.h5 = *h5;
  CW_TRY(cw_openpmd_group(h5, file, iteration, "meshesPath", "fields", &fields));
  cw_status status = CW_OK;
  for (int r = 0; r < out.record_count && status == CW_OK; r++)
    status = put_record(&out, fields, &out.records[r]);
  H5Gclose(fields);
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

cw_status cw_output_write_fields(cw_context *context, const char *folder, const cw_deck *deck,
                                 const cw_grid *grid, const cw_output_time *when,
                                 const cw_output_record *records, int record_count) {
  CW_TRY(check_records(context, when->step, records, record_count));
  const writer out = {.grid = grid, .when = when, .records = records, .record_count = record_count};
  return cw_openpmd_write(context, folder, CW_SERIES_FIELDS, deck, when, put_fields, &out);
}
