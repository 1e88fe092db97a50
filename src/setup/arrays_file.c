#include "setup/arrays_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/context_private.h"

enum { NAME = CW_DECK_NAME + 16, EXTENTS = 96 };
static const char *const field_names[] = {"Ex", "Ey", "Ez", "Bx", "By", "Bz"};
static const char *const particle_names[] = {"x", "y", "z", "ux", "uy", "uz", "weight"};
enum { FIELDS = 6, PARTICLES = 7, WEIGHT = 6 };

static cw_status fail(const cw_arrays_file *file, const char *format, ...) CW_PRINTF(2, 3);
static cw_status fail(const cw_arrays_file *file, const char *format, ...) {
  char message[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return cw_fail(file->context, CW_ERROR_FORMAT, "%.300s: %s", file->path, message);
}

int cw_arrays_has(const cw_arrays_file *file, const char *name) {
  char group[NAME];
  snprintf(group, sizeof group, "%s", name);
  char *slash = strchr(group, '/');
  if (slash)
    *slash = '\0';
  return H5Lexists(file->file, group, H5P_DEFAULT) > 0 &&
         (!slash || H5Lexists(file->file, name, H5P_DEFAULT) > 0);
}

static void write_extents(int rank, const hsize_t *extent, char text[EXTENTS]) {
  size_t used = 0;
  snprintf(text, EXTENTS, "a single value");
  for (int a = 0; a < rank && used < EXTENTS; a++)
    used += (size_t)snprintf(text + used, EXTENTS - used, "%s%" PRIu64, a ? " x " : "",
                             (uint64_t)extent[a]);
}

/* Extents of a data set of numbers. */
static cw_status shape_of(const cw_arrays_file *file, const char *name, int *rank,
                          hsize_t extent[8]) {
  const hid_t set = H5Dopen2(file->file, name, H5P_DEFAULT);
  if (set < 0)
    return fail(file, "found '%s', which is no data set; expected one of numbers", name);
  const hid_t space = H5Dget_space(set), type = H5Dget_type(set);
  const H5T_class_t class = H5Tget_class(type);
  *rank = H5Sget_simple_extent_ndims(space);
  if (*rank > 0 && *rank <= 8)
    H5Sget_simple_extent_dims(space, extent, NULL);
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(set);
  if (class != H5T_FLOAT && class != H5T_INTEGER)
    return fail(file, "found data set '%s' of another type; expected numbers", name);
  return CW_OK;
}

static cw_status check_field(const cw_arrays_file *file, const char *name) {
  const cw_deck *deck = file->deck;
  hsize_t extent[8] = {0}, wanted[3] = {0};
  char found[EXTENTS], expected[EXTENTS];
  int rank, fits;
  CW_TRY(shape_of(file, name, &rank, extent));
  fits = rank == deck->grid.dim;
  for (int a = 0; a < deck->grid.dim; a++) {
    wanted[a] = (hsize_t)deck->grid.resolution[a];
    fits = fits && extent[a] == wanted[a];
  }
  if (fits)
    return CW_OK;
  write_extents(rank < 8 ? rank : 8, extent, found);
  write_extents(deck->grid.dim, wanted, expected);
  return fail(file, "found data set '%s' of %s; expected grid.resolution, %s", name, found,
              expected);
}

/* A data set of a species: the same number of values in each. */
static cw_status check_values(cw_arrays_file *file, int s, const char *name, int first) {
  hsize_t extent[8] = {0};
  char found[EXTENTS];
  int rank;
  if (!cw_arrays_has(file, name))
    return fail(file, "found no data set '%s'; expected one value a particle", name);
  CW_TRY(shape_of(file, name, &rank, extent));
  if (first)
    file->count[s] = (int64_t)extent[0];
  if (rank == 1 && (int64_t)extent[0] == file->count[s])
    return CW_OK;
  write_extents(rank < 8 ? rank : 8, extent, found);
  return fail(file, "found data set '%s' of %s; expected one axis of %" PRId64 " particles", name,
              found, file->count[s]);
}

static cw_status check_species(cw_arrays_file *file, int s) {
  const cw_deck *deck = file->deck;
  const char *label = deck->particles.species[s].label;
  char name[NAME];
  if (!cw_arrays_has(file, label))
    return CW_OK;
  for (int k = 0; k < PARTICLES; k++) {
    snprintf(name, sizeof name, "%s/%s", label, particle_names[k]);
    const int wanted = k == WEIGHT                    ? deck->particles.use_weights
                       : k >= deck->grid.dim && k < 3 ? 0
                                                      : 1;
    if (wanted)
      CW_TRY(check_values(file, s, name, k == 0));
    else if (cw_arrays_has(file, name))
      return fail(file, "found data set '%s'; expected none: %s", name,
                  k == WEIGHT ? "particles.use_weights is false" : "the grid has no such axis");
  }
  return CW_OK;
}

static herr_t find_foreign(hid_t group, const char *name, const H5L_info_t *info, void *user) {
  const cw_arrays_file *file = user;
  (void)group, (void)info;
  for (int k = 0; k < FIELDS; k++)
    if (strcmp(name, field_names[k]) == 0)
      return 0;
  for (int s = 0; s < file->deck->particles.species_count; s++)
    if (strcmp(name, file->deck->particles.species[s].label) == 0)
      return 0;
  fail(file, "found '%.60s'; expected Ex, Ey, Ez, Bx, By, Bz and the labels of species", name);
  return 1;
}

static cw_status check(cw_arrays_file *file) {
  hsize_t at = 0;
  H5G_info_t inside = {.nlinks = 0};
  if (H5Gget_info(file->file, &inside) < 0 || inside.nlinks == 0)
    return fail(file,
                "found nothing in the file; expected '%s' or another field, or a species' label",
                field_names[0]);
  if (H5Literate(file->file, H5_INDEX_NAME, H5_ITER_INC, &at, find_foreign, file) != 0)
    return CW_ERROR_FORMAT;
  for (int k = 0; k < FIELDS; k++)
    if (cw_arrays_has(file, field_names[k]))
      CW_TRY(check_field(file, field_names[k]));
  for (int s = 0; s < file->deck->particles.species_count; s++)
    CW_TRY(check_species(file, s));
  return CW_OK;
}

cw_status cw_arrays_open(cw_context *context, const cw_deck *deck, const char *path,
                         cw_arrays_file *file) {
  cw_status status = CW_OK;
  *file = (cw_arrays_file){.context = context, .deck = deck, .file = -1};
  snprintf(file->path, sizeof file->path, "%s", path);
  H5Eget_auto2(H5E_DEFAULT, &file->report, &file->report_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  if (access(path, R_OK) != 0)
    status = cw_fail(context, CW_ERROR_IO, "%.300s: the file cannot be read", path);
  else if ((file->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT)) < 0)
    status = fail(file, "found a file that is not HDF5");
  if (status == CW_OK)
    status = check(file);
  if (status != CW_OK)
    cw_arrays_close(file);
  return status;
}

void cw_arrays_close(cw_arrays_file *file) {
  if (file->file >= 0)
    H5Fclose(file->file);
  file->file = -1;
  H5Eset_auto2(H5E_DEFAULT, file->report, file->report_data);
}

cw_status cw_arrays_read(const cw_arrays_file *file, const char *name, int64_t count,
                         double *values) {
  const hid_t set = H5Dopen2(file->file, name, H5P_DEFAULT);
  const int read =
      set >= 0 && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  if (set >= 0)
    H5Dclose(set);
  if (!read)
    return fail(file, "found data set '%s' that cannot be read", name);
  for (int64_t k = 0; k < count; k++)
    if (!isfinite(values[k]))
      return fail(file, "found %g as value %" PRId64 " of '%s'; expected finite numbers",
                  isnan(values[k]) ? fabs(values[k]) : values[k], k, name);
  return CW_OK;
}
