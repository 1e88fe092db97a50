/* What the fuzz targets of HDF5 files share: data sets put into a file, and changed. */
#ifndef CW_TESTS_FUZZ_SETS_H
#define CW_TESTS_FUZZ_SETS_H

#include <hdf5.h>
#include <string.h>

#include "fuzz_file.h"

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

#endif
