/* libFuzzer: a state file of the reference layout (src/setup/state.h) that is not what it should be:
 * data sets and attributes of a sound file overwritten, removed, or put in anew with other extents and
 * another type, or any bytes as the file. It is refused with a message, or the plasma takes a step
 * of engine ecsim or says why not. */
#include "fuzz_sets.h"

/* So many particles that reading them into room for one is seen. */
enum { NX = 4, NY = 3, NZ = 3, COUNT = 60 };

static const char text[] = "[simulation]\nname = \"fuzz\"\nengine = \"ecsim\"\nruntime = 1.0\n"
                           "[algorithms.ecsim]\nsolver_tolerance = 1e-6\n"
                           "[setup]\nproblem = \"state\"\nfile = \"%s\"\n";

static const char *const sets[] = {"Ex",
                                   "Ey",
                                   "Ez",
                                   "Bx",
                                   "By",
                                   "Bz",
                                   "species_0/q",
                                   "species_0/x_x",
                                   "species_0/x_y",
                                   "species_0/x_z",
                                   "species_0/v_x",
                                   "species_0/v_y",
                                   "species_0/v_z",
                                   "species_1/q",
                                   "species_1/x_x",
                                   "species_1/x_y",
                                   "species_1/x_z",
                                   "species_1/v_x",
                                   "species_1/v_y",
                                   "species_1/v_z"};
/* The last two are texts. */
static const char *const attributes[] = {"grid",  "length", "dt",       "theta", "smoothing_passes",
                                         "cycle", "c",      "q_over_m", "shape", "units"};
enum {
  SETS = sizeof sets / sizeof *sets,
  ATTRIBUTES = sizeof attributes / sizeof *attributes,
  TEXTS = 2,
  FIELDS = 6,
  OF_SPECIES = 7 /* sets of one species; also the number of q_over_m */
};

static void put_attribute(hid_t object, const char *name, int rank, hsize_t count, hid_t type,
                          const void *values) {
  const hid_t space = space_of(rank, &count);
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute >= 0) {
    H5Awrite(attribute, type, values);
    H5Aclose(attribute);
  }
  H5Sclose(space);
}

static void put_text(hid_t object, const char *name, const char *value, size_t size) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, size ? size : 1);
  put_attribute(object, name, 0, 1, type, value);
  H5Tclose(type);
}

static hid_t owner_of(hid_t file, int attribute, int species) {
  if (attribute != OF_SPECIES)
    return H5Gopen2(file, "/", H5P_DEFAULT);
  return H5Gopen2(file, species ? "species_1" : "species_0", H5P_DEFAULT);
}

/* Cubes of cells; electrons and ions at the same places. */
static void put_good(hid_t file) {
  static const double scales[][3] = {{NX, NY, NZ}, {1.6, 1.2, 1.2}, {0.25}, {0.5}, {0}, {7}, {1}};
  double values[SET_VALUES];
  const hsize_t grid[3] = {NX, NY, NZ}, count[1] = {COUNT};
  for (int n = 0; n < SETS; n++) {
    const int what = n < FIELDS ? -1 : (n - FIELDS) % OF_SPECIES, electrons = n < FIELDS + 7;
    for (int k = 0; k < SET_VALUES; k++)
      values[k] = what < 0    ? 0.01 * (k % 5)
                  : what == 0 ? (electrons ? -0.02 : 0.02)
                  : what < 4  ? 0.017 * (k % COUNT) + 0.1
                              : 0.02 * (k % 3);
    put_set(file, sets[n], n < FIELDS ? 3 : 1, n < FIELDS ? grid : count, H5T_NATIVE_DOUBLE,
            values);
  }
  for (int n = 0; n < ATTRIBUTES; n++)
    for (int s = 0; s < (n == OF_SPECIES ? 2 : 1); s++) {
      const double q_over_m = s ? 0.1 : -1;
      const hid_t object = owner_of(file, n, s);
      if (n < ATTRIBUTES - TEXTS)
        put_attribute(object, attributes[n], n != OF_SPECIES, n < 2 ? 3 : 1, H5T_NATIVE_DOUBLE,
                      n == OF_SPECIES ? &q_over_m : scales[n]);
      else
        put_text(object, attributes[n], n == ATTRIBUTES - 1 ? "Gaussian" : "CIC\0\0\0\0", 8);
      H5Gclose(object);
    }
}

/* As change_set; the bytes that follow are the new values. */
static void change_attribute(hid_t file, int n, const uint8_t *change, size_t count) {
  double values[SET_VALUES] = {1, 1, 1};
  const hid_t object = owner_of(file, n, change[0] & 1);
  if (object < 0)
    return;
  memcpy(values, change + 4, count);
  if (H5Adelete(object, attributes[n]) >= 0 && change[1] % 4 != 1) {
    if (change[1] % 4 == 3 || (n >= ATTRIBUTES - TEXTS && change[1] % 4 == 0))
      put_text(object, attributes[n], (const char *)values, count);
    else
      put_attribute(object, attributes[n], change[1] % 4 == 0 || change[1] / 4 % 2,
                    change[1] % 4 == 0 ? (n < 2 ? 3 : 1) : change[2] % 8,
                    value_type(change[1] % 4 == 0 ? 0 : change[1] / 16), values);
  }
  H5Gclose(object);
}

/* 2^30 is the most cells of an axis; 2^40 particles are more than any machine's memory.
 * Which data set or attribute, what is done to it, and how many bytes follow. */
static void change(hid_t file, const uint8_t *data, size_t size) {
  for (size_t k = 0; k + 4 <= size;) {
    const size_t count = change_size(data + k, size - k - 4);
    const int which = data[k] % (SETS + ATTRIBUTES);
    if (which < SETS)
      change_set(file, sets[which], data + k, count, (hsize_t)1 << (which < FIELDS ? 30 : 40));
    else
      change_attribute(file, which - SETS, data + k, count);
    k += 4 + count;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const fuzz_problem problem = {text, put_good, change};
  return fuzz_problem_file(&problem, data, size);
}
