/* What the fuzz targets of HDF5 files share: data sets put into a file, and changed; a run of it. */
#ifndef CW_TESTS_FUZZ_SETS_H
#define CW_TESTS_FUZZ_SETS_H

#include <hdf5.h>
#include <string.h>

#include "engine/engine.h"
#include "fuzz_file.h"
#include "setup/setup.h"

enum { SET_VALUES = 256 }; /* at least the 7 x 7 x 4 of the largest set that is filled */

static inline hid_t value_type(int choice) {
  const hid_t types[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT, H5T_NATIVE_INT, H5T_NATIVE_SCHAR};
  return types[choice % 4];
}

static inline hid_t space_of(int rank, const hsize_t *extent) {
  return rank ? H5Screate_simple(rank, extent, NULL) : H5Screate(H5S_SCALAR);
}

/* `values` NULL: nothing is written, and the file has no room for it. */
static inline void put_set(hid_t file, const char *name, int rank, const hsize_t *extent,
                           hid_t type, const void *values) {
  const hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  const hid_t space = space_of(rank, extent);
  const hid_t set = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
  if (set >= 0) {
    if (values)
      H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
  }
  H5Sclose(space);
  H5Pclose(links);
}

static inline void overwrite_set(hid_t file, const char *name, const uint8_t *data, size_t size) {
  double values[SET_VALUES];
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  if (set < 0)
    return;
  const hid_t space = H5Dget_space(set);
  if (H5Sget_simple_extent_npoints(space) <= SET_VALUES &&
      H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0) {
    memcpy(values, data, size);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  }
  H5Sclose(space);
  H5Dclose(set);
}

/* How many bytes follow the four that a change begins with, of `left`. */
static inline size_t change_size(const uint8_t *change, size_t left) {
  const size_t wanted = change[3] % 32;
  return wanted < left ? wanted : left;
}

/* Overwritten with the bytes that follow, removed, or put in anew with other extents and another
 * type: change[1] says which, change[2] and [3] the extents, of which 255 stands for `many`. */
static inline void change_set(hid_t file, const char *name, const uint8_t *change, size_t count,
                              hsize_t many) {
  static const double values[SET_VALUES] = {0.1, 0.2, 0.3};
  hsize_t extent[3] = {change[2] % 8, change[3] % 8, (hsize_t)1 + change[1] / 64};
  int none = 0;
  for (int a = 0; a < 2; a++)
    if (change[2 + a] == 255)
      extent[a] = many, none = 1;
  if (change[1] % 4 == 0)
    overwrite_set(file, name, change + 4, count);
  else if (H5Ldelete(file, name, H5P_DEFAULT) >= 0 && change[1] % 4 > 1)
    put_set(file, name, change[1] / 4 % 4, extent, value_type(change[1] / 16),
            none ? NULL : values);
}

enum { MOST_BYTES = 4096 };

/* A problem that is read from a file. `deck` has a %s for its path. */
typedef struct fuzz_problem {
  const char *deck;
  void (*put_good)(hid_t file);
  void (*change)(hid_t file, const uint8_t *data, size_t size);
} fuzz_problem;

/* The file is refused with a message, or the plasma takes a step or says why not. */
static inline cw_status use_file(cw_context *context, const fuzz_problem *problem,
                                 const char *path) {
  char text[4096];
  cw_deck *deck = NULL;
  cw_engine *engine = NULL;
  const int length = snprintf(text, sizeof text, problem->deck, path);
  cw_status status = cw_deck_parse(context, "fuzz", text, (size_t)length, NULL, 0, &deck);
  check_refusal(context, status);
  if (status == CW_OK)
    check_refusal(context, status = cw_setup_check(context, deck));
  if (status == CW_OK)
    check_refusal(context, status = cw_engine_create(context, deck, &engine));
  if (status == CW_OK)
    check_refusal(context, status = cw_engine_step(engine));
  cw_engine_destroy(engine);
  cw_deck_destroy(deck);
  return status;
}

/* The first byte: a sound file that the others change, or, of eight, the others as the file. */
static inline int fuzz_problem_file(const fuzz_problem *problem, const uint8_t *data, size_t size) {
  if (size < 1 || size > MOST_BYTES)
    return 0;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  cw_context *context = begin();
  const char *path = as_file(data + 1, size - 1);
  if (data[0] % 8) {
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    require(file >= 0, "a file is made");
    problem->put_good(file);
    problem->change(file, data + 1, size - 1);
    H5Fclose(file);
  }
  const cw_status status = use_file(context, problem, path);
  require(status == CW_OK || size > 1 || data[0] % 8 == 0, "the sound file is taken");
  end(context, path);
  return 0;
}

#endif
