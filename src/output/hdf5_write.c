#include "output/hdf5_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cellwise/version.h>

cw_status cw_h5_out_fail(const cw_h5_out *out, const char *operation, const char *name) {
  char text[160];
  snprintf(text, sizeof text, "%s %s", operation, name);
  return cw_h5_fail(out->context, out->path, text);
}

/* Takes over `space` and closes it. */
static cw_status put(const cw_h5_out *out, hid_t object, const char *name, hid_t type, hid_t space,
                     const void *value) {
  cw_status status = CW_OK;
  hid_t attribute = -1;
  if (space >= 0)
    attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0 || H5Awrite(attribute, type, value) < 0)
    status = cw_h5_out_fail(out, "writing attribute", name);
  if (attribute >= 0 && H5Aclose(attribute) < 0 && status == CW_OK)
    status = cw_h5_out_fail(out, "closing attribute", name);
  if (space >= 0)
    H5Sclose(space);
  return status;
}

cw_status cw_h5_put_strings(const cw_h5_out *out, hid_t object, const char *name, const char *text,
                            size_t length, hsize_t count) {
  hid_t type = H5Tcopy(H5T_C_S1);
  if (type < 0 || H5Tset_size(type, length) < 0 || H5Tset_strpad(type, H5T_STR_NULLTERM) < 0) {
    if (type >= 0)
      H5Tclose(type);
    return cw_h5_out_fail(out, "making the type of attribute", name);
  }
  hid_t space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
  cw_status status = put(out, object, name, type, space, text);
  H5Tclose(type);
  return status;
}

cw_status cw_h5_put_text(const cw_h5_out *out, hid_t object, const char *name, const char *text) {
  return cw_h5_put_strings(out, object, name, text, strlen(text) + 1, 0);
}

cw_status cw_h5_put_long_text(const cw_h5_out *out, hid_t object, const char *name,
                              const char *text) {
  hid_t type = H5Tcopy(H5T_C_S1);
  if (type < 0 || H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0) {
    if (type >= 0)
      H5Tclose(type);
    return cw_h5_out_fail(out, "making the type of attribute", name);
  }
  cw_status status = put(out, object, name, type, H5Screate(H5S_SCALAR), &text);
  H5Tclose(type);
  return status;
}

cw_status cw_h5_put_double(const cw_h5_out *out, hid_t object, const char *name, double value) {
  return put(out, object, name, H5T_NATIVE_DOUBLE, H5Screate(H5S_SCALAR), &value);
}

cw_status cw_h5_put_integer(const cw_h5_out *out, hid_t object, const char *name, int64_t value) {
  return put(out, object, name, H5T_NATIVE_INT64, H5Screate(H5S_SCALAR), &value);
}

cw_status cw_h5_put_uint32(const cw_h5_out *out, hid_t object, const char *name, uint32_t value) {
  return put(out, object, name, H5T_NATIVE_UINT32, H5Screate(H5S_SCALAR), &value);
}

cw_status cw_h5_put_shape(const cw_h5_out *out, hid_t object, const char *name, uint64_t count) {
  const hsize_t one = 1;
  return put(out, object, name, H5T_NATIVE_UINT64, H5Screate_simple(1, &one, NULL), &count);
}

cw_status cw_h5_put_doubles(const cw_h5_out *out, hid_t object, const char *name,
                            const double *values, int count) {
  hsize_t length = (hsize_t)count;
  return put(out, object, name, H5T_NATIVE_DOUBLE, H5Screate_simple(1, &length, NULL), values);
}

hid_t cw_h5_compressed(int rank, const hsize_t *extent) {
  enum { LEAST = 4096, CHUNK = 1 << 16, LEVEL = 1 };
  hsize_t chunk[4], values = 1;
  for (int a = rank - 1; a >= 0; a--) { /* whole rows first */
    const hsize_t room = CHUNK / values;
    chunk[a] = extent[a] < room ? extent[a] : room;
    chunk[a] = chunk[a] ? chunk[a] : 1;
    values *= chunk[a];
  }
  hid_t layout = values >= LEAST ? H5Pcreate(H5P_DATASET_CREATE) : -1;
  if (layout < 0)
    return H5P_DEFAULT;
  if (H5Pset_chunk(layout, rank, chunk) < 0 ||
      (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0 &&
       (H5Pset_shuffle(layout) < 0 || H5Pset_deflate(layout, LEVEL) < 0))) {
    H5Pclose(layout);
    return H5P_DEFAULT;
  }
  return layout;
}

static cw_status put_date(const cw_h5_out *out, hid_t file) {
  char date[64] = "";
  time_t now = time(NULL);
  struct tm local;
  if (localtime_r(&now, &local))
    strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S %z", &local);
  return cw_h5_put_text(out, file, "date", date);
}

static cw_status put_deck(const cw_h5_out *out, hid_t file, const cw_deck *deck) {
  char *text = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  if (!stream)
    return cw_fail(out->context, CW_ERROR_MEMORY, "%s: text of the deck", out->path);
  cw_status status = cw_deck_echo(out->context, deck, stream);
  if (fclose(stream) != 0 && status == CW_OK)
    status = cw_fail(out->context, CW_ERROR_MEMORY, "%s: text of the deck", out->path);
  if (status == CW_OK)
    status = cw_h5_put_long_text(out, file, "deck", text);
  free(text);
  CW_TRY(status);
  CW_TRY(cw_h5_put_text(out, file, "simulation", deck->simulation.name));
  CW_TRY(cw_h5_put_double(out, file, "skindepth0", deck->scales.skindepth0));
  return cw_h5_put_double(out, file, "larmor0", deck->scales.larmor0);
}

cw_status cw_h5_put_origin(const cw_h5_out *out, hid_t file, const cw_deck *deck) {
  CW_TRY(cw_h5_put_text(out, file, "software", "cellwise"));
  CW_TRY(cw_h5_put_text(out, file, "softwareVersion", cw_version()));
  CW_TRY(cw_h5_put_text(out, file, "commit", cw_commit()));
  CW_TRY(cw_h5_put_text(out, file, "backend", cw_backend_name(cw_context_backend(out->context))));
  CW_TRY(put_date(out, file));
  return deck ? put_deck(out, file, deck) : CW_OK;
}

cw_status cw_h5_put_file_attributes(const cw_h5_out *out, hid_t file, const char *format,
                                    uint32_t extensions, const cw_deck *deck) {
  CW_TRY(cw_h5_put_text(out, file, "openPMD", "1.1.0"));
  CW_TRY(cw_h5_put_uint32(out, file, "openPMDextension", extensions));
  CW_TRY(cw_h5_put_text(out, file, "basePath", "/data/%T/"));
  CW_TRY(cw_h5_put_text(out, file, "iterationEncoding", "fileBased"));
  CW_TRY(cw_h5_put_text(out, file, "iterationFormat", format));
  return cw_h5_put_origin(out, file, deck);
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

/* A file creation list that leaves `user_block` bytes at the file's head. */
static hid_t make_creation(hsize_t user_block) {
  hid_t creation = H5Pcreate(H5P_FILE_CREATE);
  if (creation >= 0 && user_block && H5Pset_userblock(creation, user_block) < 0) {
    H5Pclose(creation);
    return -1;
  }
  return creation;
}

cw_status cw_h5_write_part(const cw_h5_out *out, const char *part, hsize_t user_block,
                           cw_h5_body *body, const void *user) {
  int error = 0;
  hid_t driver = cw_h5_part_driver(), access = make_access(driver, &error), file = -1;
  hid_t creation = make_creation(user_block);
  cw_status status = CW_OK;
  if (access >= 0 && creation >= 0)
    file = H5Fcreate(part, H5F_ACC_TRUNC, creation, access);
  if (file < 0)
    status = cw_h5_fail(out->context, out->path, "creating the file");
  else
    status = body(out, file, user);
  if (file >= 0 && H5Fclose(file) < 0 && status == CW_OK)
    status = cw_h5_fail(out->context, out->path, "closing the file");
  if (creation >= 0)
    H5Pclose(creation);
  if (access >= 0)
    H5Pclose(access);
  if (driver >= 0)
    H5FDunregister(driver);
  if (error != 0)
    status = cw_fail(out->context, CW_ERROR_IO, "%s: cannot %s: %s", out->path,
                     file < 0 ? "create" : "write", strerror(error));
  return status;
}
