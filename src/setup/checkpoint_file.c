#include "setup/checkpoint_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cellwise/version.h>

#include "base/context_private.h"
#include "base/seal.h"

static cw_status fail_format(const cw_checkpoint_file *from, const char *what, const char *name) {
  return cw_fail(from->context, CW_ERROR_FORMAT,
                 "%.300s: %s '%s'; expected a checkpoint as src/setup/checkpoint_file.h describes "
                 "it",
                 from->path, what, name);
}

hid_t cw_checkpoint_type(cw_array_type type) {
  switch (type) {
  case CW_ARRAY_I32:
    return H5T_NATIVE_INT32;
  case CW_ARRAY_I64:
    return H5T_NATIVE_INT64;
  case CW_ARRAY_U8:
    return H5T_NATIVE_UINT8;
  case CW_ARRAY_U64:
    return H5T_NATIVE_UINT64;
  case CW_ARRAY_F32:
    return H5T_NATIVE_FLOAT;
  case CW_ARRAY_F64:
    return H5T_NATIVE_DOUBLE;
  }
  return -1;
}

void cw_checkpoint_describe(const cw_context *context, char text[160]) {
  snprintf(text, 160, "version %.32s, commit %.48s, backend %.16s, instruction set %.16s",
           cw_version(), cw_commit(), cw_backend_name(cw_context_backend(context)),
           cw_isa_name(cw_context_isa(context)));
}

int cw_checkpoint_is(const char *path) {
  static const char start[] = "cellwise checkpoint ";
  char head[sizeof start] = "";
  FILE *file = fopen(path, "rb");
  if (!file)
    return 0;
  size_t got = fread(head, 1, sizeof start - 1, file);
  fclose(file);
  return got == sizeof start - 1 && strcmp(head, start) == 0;
}

/* One number of a scalar attribute of the same class. */
static cw_status get_number(const cw_checkpoint_file *from, hid_t object, const char *name,
                            hid_t type, void *value) {
  hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : -1;
  if (attribute < 0)
    return fail_format(from, "found no attribute", name);
  hid_t space = H5Aget_space(attribute), stored = H5Aget_type(attribute);
  int fits = H5Sget_simple_extent_npoints(space) == 1 &&
             H5Tget_class(stored) == H5Tget_class(type) && H5Aread(attribute, type, value) >= 0;
  H5Tclose(stored);
  H5Sclose(space);
  H5Aclose(attribute);
  return fits ? CW_OK : fail_format(from, "found no number in attribute", name);
}

static cw_status get_real(const cw_checkpoint_file *from, hid_t object, const char *name,
                          double *value) {
  CW_TRY(get_number(from, object, name, H5T_NATIVE_DOUBLE, value));
  return isfinite(*value) ? CW_OK : fail_format(from, "found no finite number in attribute", name);
}

static cw_status get_integer(const cw_checkpoint_file *from, const char *name, int64_t least,
                             int64_t *value) {
  CW_TRY(get_number(from, from->iteration, name, H5T_NATIVE_INT64, value));
  return *value >= least ? CW_OK : fail_format(from, "found a negative number in attribute", name);
}

/* A text of any length; *text is HDF5's and freed with H5free_memory. */
static cw_status get_long_text(const cw_checkpoint_file *from, const char *name, char **text) {
  hid_t attribute = H5Aexists(from->file, name) > 0 ? H5Aopen(from->file, name, H5P_DEFAULT) : -1;
  *text = NULL;
  if (attribute < 0)
    return fail_format(from, "found no attribute", name);
  hid_t space = H5Aget_space(attribute), stored = H5Aget_type(attribute);
  hid_t memory = H5Tcopy(H5T_C_S1);
  int fits = H5Sget_simple_extent_npoints(space) == 1 && H5Tis_variable_str(stored) > 0 &&
             H5Tset_size(memory, H5T_VARIABLE) >= 0 &&
             H5Tset_cset(memory, H5Tget_cset(stored)) >= 0 &&
             H5Aread(attribute, memory, text) >= 0 && *text;
  H5Tclose(memory);
  H5Tclose(stored);
  H5Sclose(space);
  H5Aclose(attribute);
  return fits ? CW_OK : fail_format(from, "found no text in attribute", name);
}

static cw_status open_iteration(cw_checkpoint_file *from) {
  char name[256] = "";
  hid_t data = H5Gopen2(from->file, "data", H5P_DEFAULT);
  H5G_info_t group = {0};
  if (data < 0)
    return fail_format(from, "found no group", "data");
  int64_t step = -1;
  int end = 0;
  if (H5Gget_info(data, &group) >= 0 && group.nlinks == 1 &&
      H5Lget_name_by_idx(data, ".", H5_INDEX_NAME, H5_ITER_INC, 0, name, sizeof name, H5P_DEFAULT) >
          0 &&
      sscanf(name, "%18" SCNd64 "%n", &step, &end) == 1 && step >= 0 && !name[end])
    from->iteration = H5Gopen2(data, name, H5P_DEFAULT);
  H5Gclose(data);
  from->info.step = step;
  return from->iteration < 0 ? fail_format(from, "found no one iteration in group", "data") : CW_OK;
}

static cw_status read_deck(cw_checkpoint_file *from) {
  char *text, message[512];
  CW_TRY(get_long_text(from, "deck", &text));
  cw_status status =
      cw_deck_parse(from->context, from->path, text, strlen(text), NULL, 0, &from->deck);
  H5free_memory(text);
  if (status == CW_OK || status == CW_ERROR_MEMORY)
    return status;
  snprintf(message, sizeof message, "%s", cw_context_message(from->context));
  return cw_fail(from->context, CW_ERROR_FORMAT, "the deck in the checkpoint cannot be read: %s",
                 message);
}

static cw_status read_head(cw_checkpoint_file *from) {
  cw_checkpoint_info *info = &from->info;
  char *origin;
  CW_TRY(open_iteration(from));
  CW_TRY(get_real(from, from->iteration, "firstEnergy", &info->first_energy));
  CW_TRY(get_real(from, from->iteration, "maxChargeError", &info->max_charge_error));
  CW_TRY(get_integer(from, "historyBytes", 0, &info->history_bytes));
  for (int k = 0; k < CW_SERIES_COUNT; k++) {
    char name[32];
    snprintf(name, sizeof name, "%sStep", cw_series_names[k]);
    CW_TRY(get_integer(from, name, -1, &info->series_step[k]));
  }
  CW_TRY(get_long_text(from, "origin", &origin));
  snprintf(from->origin, sizeof from->origin, "%s", origin);
  H5free_memory(origin);
  CW_TRY(read_deck(from));
  CW_TRY(get_real(from, from->file, "q0", &from->deck->q0));
  return get_real(from, from->file, "B0", &from->deck->B0);
}

cw_status cw_checkpoint_open(cw_context *context, const char *path, int whole,
                             cw_checkpoint_file *from) {
  *from = (cw_checkpoint_file){.context = context, .file = -1, .iteration = -1};
  snprintf(from->path, sizeof from->path, "%s", path);
  CW_TRY(cw_seal_check(context, path, "checkpoint", whole));
  H5Eget_auto2(H5E_DEFAULT, &from->report, &from->report_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  from->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  cw_status status = from->file < 0 ? cw_fail(context, CW_ERROR_FORMAT,
                                              "%.300s: found no HDF5 file behind the seal", path)
                                    : read_head(from);
  if (status != CW_OK)
    cw_checkpoint_close(from);
  return status;
}

void cw_checkpoint_close(cw_checkpoint_file *from) {
  cw_deck_destroy(from->deck);
  if (from->iteration >= 0)
    H5Gclose(from->iteration);
  if (from->file >= 0)
    H5Fclose(from->file);
  *from = (cw_checkpoint_file){.context = from->context,
                               .file = -1,
                               .iteration = -1,
                               .report = from->report,
                               .report_data = from->report_data};
  H5Eset_auto2(H5E_DEFAULT, from->report, from->report_data);
}

static int64_t count_values(void *user, const char *name) {
  const cw_checkpoint_file *from = user;
  hid_t set = H5Dopen2(from->iteration, name, H5P_DEFAULT);
  if (set < 0)
    return -1;
  hid_t space = H5Dget_space(set);
  int64_t count =
      H5Sget_simple_extent_ndims(space) == 1 ? (int64_t)H5Sget_simple_extent_npoints(space) : -1;
  H5Sclose(space);
  H5Dclose(set);
  return count;
}

static int same_extent(const cw_array *array, hid_t space) {
  hsize_t extent[3] = {0, 0, 0};
  int same = H5Sget_simple_extent_ndims(space) == array->rank &&
             H5Sget_simple_extent_dims(space, extent, NULL) == array->rank;
  for (int a = 0; a < array->rank && same; a++)
    same = (int64_t)extent[a] == array->extent[a];
  return same;
}

static cw_status read_values(void *user, const cw_array *array) {
  const cw_checkpoint_file *from = user;
  const hid_t type = cw_checkpoint_type(array->type);
  hid_t set = H5Dopen2(from->iteration, array->name, H5P_DEFAULT);
  if (set < 0)
    return fail_format(from, "found no data set", array->name);
  hid_t space = H5Dget_space(set), stored = H5Dget_type(set);
  const char *wrong = NULL;
  if (H5Tequal(stored, type) <= 0)
    wrong = "found values of another type in data set";
  else if (!same_extent(array, space))
    wrong = "found another grid or number of particles in data set";
  else if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, array->data) < 0)
    wrong = "found values that cannot be read in data set";
  H5Tclose(stored);
  H5Sclose(space);
  H5Dclose(set);
  return wrong ? fail_format(from, wrong, array->name) : CW_OK;
}

cw_array_source cw_checkpoint_source(cw_checkpoint_file *checkpoint) {
  return (cw_array_source){.user = checkpoint, .count = count_values, .read = read_values};
}
