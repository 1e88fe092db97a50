/* What a tracks.h5 holds, read back. */
#include <stdio.h>
#include <string.h>

#include "output/tracks_private.h"

void cw_track_column_close(cw_track_column *column) {
  if (column->space >= 0)
    H5Sclose(column->space);
  if (column->set >= 0)
    H5Dclose(column->set);
  if (column->file >= 0)
    H5Fclose(column->file);
}

cw_status cw_track_column_open(cw_context *context, const char *path, const char *name, hid_t type,
                               cw_track_column *column, int64_t *count) {
  hsize_t extent = 0;
  *column = (cw_track_column){-1, -1, -1};
  column->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  if (column->file < 0)
    return cw_fail(context, CW_ERROR_INPUT,
                   "%s: cannot be read as tracks; expected the tracks.h5 of a run with tracked "
                   "particles",
                   path);
  column->set = H5Dopen2(column->file, name, H5P_DEFAULT);
  if (column->set < 0)
    return cw_fail(context, CW_ERROR_INPUT, "%s: found no data set '%s'", path, name);
  column->space = H5Dget_space(column->set);
  hid_t stored = H5Dget_type(column->set);
  const int fits = H5Sget_simple_extent_ndims(column->space) == 1 &&
                   H5Sget_simple_extent_dims(column->space, &extent, NULL) == 1 &&
                   H5Tequal(stored, type) > 0;
  H5Tclose(stored);
  *count = (int64_t)extent;
  return fits
             ? CW_OK
             : cw_fail(context, CW_ERROR_FORMAT,
                       "%s: data set '%s' has another type or more than one dimension", path, name);
}

cw_status cw_track_column_read(cw_context *context, const char *path, const char *name,
                               const cw_track_column *column, hid_t type, int64_t first,
                               int64_t count, void *values) {
  const hsize_t start = (hsize_t)first, length = (hsize_t)count;
  hid_t memory = H5Screate_simple(1, &length, NULL);
  int failed = memory < 0 ||
               H5Sselect_hyperslab(column->space, H5S_SELECT_SET, &start, NULL, &length, NULL) < 0;
  failed = failed || H5Dread(column->set, type, memory, column->space, H5P_DEFAULT, values) < 0;
  if (memory >= 0)
    H5Sclose(memory);
  return failed ? cw_fail(context, CW_ERROR_FORMAT, "%s: data set '%s' cannot be read", path, name)
                : CW_OK;
}

/* A whole column of 8-byte values. */
static cw_status read_whole(cw_context *context, const char *path, const char *label,
                            const char *name, hid_t type, int64_t *count, void **values) {
  char full[CW_TRACK_SET];
  cw_track_column column;
  const cw_h5_silence silence = cw_h5_silence_begin();
  *values = NULL;
  *count = 0;
  snprintf(full, sizeof full, "tracks/%s/%s", label, name);
  cw_status status = cw_track_column_open(context, path, full, type, &column, count);
  if (status == CW_OK)
    status = cw_memory_alloc(context, CW_SPACE_HOST, (size_t)*count + 1, 8, "a column of tracks",
                             values);
  if (status == CW_OK && *count > 0)
    status = cw_track_column_read(context, path, full, &column, type, 0, *count, *values);
  cw_track_column_close(&column);
  cw_h5_silence_end(silence);
  if (status != CW_OK) {
    CW_DELETE(context, *values);
    *values = NULL;
  }
  return status;
}

cw_status cw_tracks_read(cw_context *context, const char *path, const char *label, const char *name,
                         int64_t *count, double **values) {
  return read_whole(context, path, label, name, H5T_NATIVE_DOUBLE, count, (void **)values);
}

cw_status cw_tracks_read_integers(cw_context *context, const char *path, const char *label,
                                  const char *name, int64_t *count, int64_t **values) {
  return read_whole(context, path, label, name, H5T_NATIVE_INT64, count, (void **)values);
}

static int has_set(hid_t file, const char *label, char axis) {
  char name[CW_TRACK_SET];
  snprintf(name, sizeof name, "tracks/%s/position/%c", label, axis);
  return H5Lexists(file, name, H5P_DEFAULT) > 0;
}

/* Text of a root attribute of fixed length; "" where there is none. */
static void read_text(hid_t file, const char *name, char *text, size_t size) {
  hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
  hid_t type = H5Tcopy(H5T_C_S1);
  text[0] = '\0';
  if (attribute >= 0 && H5Tset_size(type, size) >= 0)
    (void)H5Aread(attribute, type, text);
  text[size - 1] = '\0';
  H5Tclose(type);
  if (attribute >= 0)
    H5Aclose(attribute);
}

/* Labels of the groups, in the order of their names; 0 where the file is not ours. */
static int read_labels(hid_t file, cw_tracks_about *about) {
  H5G_info_t info;
  hid_t group = H5Gopen2(file, "tracks", H5P_DEFAULT);
  if (group < 0)
    return 0;
  int fits =
      H5Gget_info(group, &info) >= 0 && info.nlinks >= 1 && info.nlinks <= CW_DECK_MAX_SPECIES;
  for (hsize_t k = 0; fits && k < info.nlinks; k++) {
    char *label = about->label[about->species_count];
    ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, k, label,
                                        CW_DECK_NAME, H5P_DEFAULT);
    fits = length > 0 && length < CW_DECK_NAME && has_set(file, label, 'x');
    about->species_count += fits;
  }
  H5Gclose(group);
  return fits;
}

cw_status cw_tracks_look(cw_context *context, const char *path, cw_tracks_about *about) {
  const cw_h5_silence silence = cw_h5_silence_begin();
  memset(about, 0, sizeof *about);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  cw_status status = CW_OK;
  if (file < 0) {
    status = cw_fail(context, CW_ERROR_INPUT,
                     "%s: cannot be read; expected the tracks of a run that has tracking = true in "
                     "one of its species",
                     path);
  } else if (!read_labels(file, about)) {
    status = cw_fail(context, CW_ERROR_FORMAT, "%s: holds no tracks of particles", path);
  } else {
    hid_t attribute = H5Aopen(file, "skindepth0", H5P_DEFAULT);
    if (attribute >= 0) {
      (void)H5Aread(attribute, H5T_NATIVE_DOUBLE, &about->skindepth0);
      H5Aclose(attribute);
    }
    read_text(file, "simulation", about->name, sizeof about->name);
    about->dim = 1 + has_set(file, about->label[0], 'y') + has_set(file, about->label[0], 'z');
  }
  if (file >= 0)
    H5Fclose(file);
  cw_h5_silence_end(silence);
  return status;
}
