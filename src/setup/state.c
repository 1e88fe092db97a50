#include "setup/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/context_private.h"

static cw_status fail_format(const cw_state_file *state, const char *what) {
  return cw_fail(state->context, CW_ERROR_FORMAT,
                 "%s: %s; expected a state file as src/setup/state.h describes it", state->path,
                 what);
}

/* `count` numbers of an attribute; 0 when it is missing or of another shape. */
static int get_numbers(hid_t object, const char *name, int count, double *values) {
  if (H5Aexists(object, name) <= 0)
    return 0;
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0)
    return 0;
  hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
  H5T_class_t class = H5Tget_class(type);
  int fits = H5Sget_simple_extent_npoints(space) == count &&
             (class == H5T_FLOAT || class == H5T_INTEGER) &&
             H5Aread(attribute, H5T_NATIVE_DOUBLE, values) >= 0;
  H5Tclose(type);
  H5Sclose(space);
  H5Aclose(attribute);
  for (int k = 0; k < count && fits; k++)
    fits = isfinite(values[k]);
  return fits;
}

/* The text of an attribute, of fixed or variable length; "" when there is none. */
static void get_text(hid_t object, const char *name, char *text, size_t size) {
  text[0] = '\0';
  if (H5Aexists(object, name) <= 0)
    return;
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  if (attribute < 0)
    return;
  hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute), memory = H5Tcopy(H5T_C_S1);
  int one = H5Sget_simple_extent_npoints(space) == 1 && H5Tget_class(type) == H5T_STRING;
  if (one)
    H5Tset_cset(memory, H5Tget_cset(type));
  if (one && H5Tis_variable_str(type) > 0) {
    char *found = NULL;
    H5Tset_size(memory, H5T_VARIABLE);
    if (H5Aread(attribute, memory, &found) >= 0 && found) {
      snprintf(text, size, "%s", found);
      H5free_memory(found);
    }
  } else if (one) {
    H5Tset_size(memory, size);
    if (H5Aread(attribute, memory, text) < 0)
      text[0] = '\0';
    text[size - 1] = '\0';
  }
  H5Tclose(memory);
  H5Tclose(type);
  H5Sclose(space);
  H5Aclose(attribute);
}

static cw_status read_numbers(const cw_state_file *state, hid_t object, const char *name, int count,
                              double *values) {
  char what[128];
  if (get_numbers(object, name, count, values))
    return CW_OK;
  snprintf(what, sizeof what, "found no attribute '%s' of %d finite number%s", name, count,
           count > 1 ? "s" : "");
  return fail_format(state, what);
}

static int is_whole(double value, double low, double high) {
  return value == floor(value) && value >= low && value <= high;
}

static cw_status read_scales(cw_state_file *state) {
  double cells[3], c = 1, passes = 0, cycle = 0;
  char text[64];
  CW_TRY(read_numbers(state, state->file, "grid", 3, cells));
  CW_TRY(read_numbers(state, state->file, "length", 3, state->length));
  CW_TRY(read_numbers(state, state->file, "dt", 1, &state->dt));
  CW_TRY(read_numbers(state, state->file, "theta", 1, &state->theta));
  get_numbers(state->file, "c", 1, &c);
  get_numbers(state->file, "smoothing_passes", 1, &passes);
  get_numbers(state->file, "cycle", 1, &cycle);
  for (int a = 0; a < 3; a++) {
    if (!is_whole(cells[a], 1, 1 << 30) || !(state->length[a] > 0))
      return fail_format(state, "found an axis without cells or length");
    state->cells[a] = (int64_t)cells[a];
  }
  if (c != 1)
    return fail_format(state, "found a speed of light that is not 1");
  if (!(state->dt > 0) || !(state->theta >= 0.5 && state->theta <= 1))
    return fail_format(state, "found a dt that is not positive or a theta outside 1/2 to 1");
  if (!is_whole(passes, 0, 1000) || !is_whole(cycle, 0, 1e15))
    return fail_format(state, "found smoothing_passes or a cycle that is no count");
  state->smoothing_passes = (int)passes;
  state->cycle = (int64_t)cycle;
  get_text(state->file, "units", text, sizeof text);
  state->gaussian = strncasecmp(text, "gaussian", 8) == 0;
  get_text(state->file, "shape", text, sizeof text);
  state->order = strcasecmp(text, "TSC") == 0 ? 2 : 1;
  if (state->order == 1 && *text && strcasecmp(text, "CIC") != 0)
    return fail_format(state, "found a shape that is neither \"CIC\" nor \"TSC\"");
  return CW_OK;
}

/* Values of a data set, or -1 if there is none; `dims` receives up to 3 extents. */
static int64_t data_count(hid_t object, const char *name, int *rank, hsize_t dims[3]) {
  int64_t count = -1;
  *rank = 0;
  if (H5Lexists(object, name, H5P_DEFAULT) <= 0)
    return -1;
  hid_t set = H5Dopen2(object, name, H5P_DEFAULT);
  if (set < 0)
    return -1;
  hid_t space = H5Dget_space(set), type = H5Dget_type(set);
  if (H5Tget_class(type) == H5T_FLOAT) {
    *rank = H5Sget_simple_extent_ndims(space);
    count = H5Sget_simple_extent_npoints(space);
    if (*rank >= 1 && *rank <= 3)
      H5Sget_simple_extent_dims(space, dims, NULL);
  }
  H5Tclose(type);
  H5Sclose(space);
  H5Dclose(set);
  return count;
}

static cw_status check_fields(const cw_state_file *state) {
  static const char *const names[] = {"Ex", "Ey", "Ez", "Bx", "By", "Bz"};
  char what[256];
  for (int k = 0; k < 6; k++) {
    hsize_t dims[3] = {0, 0, 0};
    int rank;
    if (data_count(state->file, names[k], &rank, dims) < 0) {
      snprintf(what, sizeof what, "found no data set '%s'", names[k]);
      return fail_format(state, what);
    }
    if (rank != 3 || (int64_t)dims[0] != state->cells[0] || (int64_t)dims[1] != state->cells[1] ||
        (int64_t)dims[2] != state->cells[2]) {
      snprintf(what, sizeof what,
               "found '%s' of %d axes, %lld x %lld x %lld, where attribute grid is "
               "%lld x %lld x %lld",
               names[k], rank, (long long)dims[0], (long long)dims[1], (long long)dims[2],
               (long long)state->cells[0], (long long)state->cells[1], (long long)state->cells[2]);
      return fail_format(state, what);
    }
  }
  return CW_OK;
}

static cw_status check_species(cw_state_file *state, int s, hid_t group) {
  static const char *const names[] = {"q", "x_x", "x_y", "x_z", "v_x", "v_y", "v_z"};
  char what[256];
  CW_TRY(read_numbers(state, group, "q_over_m", 1, &state->q_over_m[s]));
  if (state->q_over_m[s] == 0)
    return fail_format(state, "found a species whose q_over_m is 0");
  for (int k = 0; k < 7; k++) {
    hsize_t dims[3];
    int rank;
    const int64_t count = data_count(group, names[k], &rank, dims);
    if (k == 0)
      state->count[s] = count;
    if (count >= 0 && count == state->count[s])
      continue;
    snprintf(what, sizeof what, "species_%d: found %lld values of '%s'; q has %lld", s,
             (long long)count, names[k], (long long)state->count[s]);
    return fail_format(state, what);
  }
  return CW_OK;
}

static cw_status read_species(cw_state_file *state) {
  char name[32];
  for (int s = 0;; s++) {
    snprintf(name, sizeof name, "species_%d", s);
    if (H5Lexists(state->file, name, H5P_DEFAULT) <= 0)
      break;
    if (s == CW_DECK_MAX_SPECIES)
      return fail_format(state, "found more species than a deck can have");
    hid_t group = H5Gopen2(state->file, name, H5P_DEFAULT);
    if (group < 0)
      return fail_format(state, "found a species that is not a group");
    cw_status status = check_species(state, s, group);
    H5Gclose(group);
    CW_TRY(status);
    state->species_count = s + 1;
  }
  return state->species_count ? CW_OK : fail_format(state, "found no group 'species_0'");
}

cw_status cw_state_open(cw_context *context, const char *path, cw_state_file *state) {
  cw_status status = CW_OK;
  *state = (cw_state_file){.context = context, .file = -1};
  snprintf(state->path, sizeof state->path, "%s", path);
  H5Eget_auto2(H5E_DEFAULT, &state->report, &state->report_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  if (access(path, R_OK) != 0)
    status = cw_fail(context, CW_ERROR_IO, "%.300s: the state file cannot be read", path);
  else if ((state->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT)) < 0)
    status = fail_format(state, "found a file that is not HDF5");
  if (status == CW_OK)
    status = read_scales(state);
  if (status == CW_OK)
    status = check_fields(state);
  if (status == CW_OK)
    status = read_species(state);
  if (status != CW_OK)
    cw_state_close(state);
  return status;
}

void cw_state_close(cw_state_file *state) {
  if (state->file >= 0)
    H5Fclose(state->file);
  state->file = -1;
  H5Eset_auto2(H5E_DEFAULT, state->report, state->report_data);
}

cw_status cw_state_read(cw_state_file *state, const char *name, int64_t count, double *values) {
  char what[128];
  hid_t set = H5Dopen2(state->file, name, H5P_DEFAULT);
  int ok = set >= 0 && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  if (set >= 0)
    H5Dclose(set);
  for (int64_t k = 0; k < count && ok; k++)
    ok = isfinite(values[k]);
  if (ok)
    return CW_OK;
  snprintf(what, sizeof what, "found values of '%s' that cannot be read or are not finite", name);
  return fail_format(state, what);
}
