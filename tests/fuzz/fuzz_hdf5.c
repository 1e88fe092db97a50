/* libFuzzer: a file of the user's own arrays (`problem = "hdf5"`) that is not what it should be: data
 * sets of a sound file overwritten, removed, or put in anew with another shape, or any bytes as the
 * file. It is refused with a message, or the plasma takes a step or says why not. */
#include "fuzz_file.h"

#include <hdf5.h>
#include <string.h>

#include "engine/engine.h"
#include "setup/setup.h"

enum { NX = 6, NY = 4, COUNT = 5, VALUES = 64, MOST = 4096 };

static const char text[] =
    "[simulation]\nname = \"fuzz\"\nengine = \"srpic\"\nruntime = 1.0\nprecision = \"double\"\n"
    "[grid]\nresolution = [6, 4]\nextent = [[0.0, 0.6], [0.0, 0.4]]\n"
    "[grid.metric]\nmetric = \"minkowski\"\n"
    "[grid.boundaries]\nfields = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"
    "particles = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"
    "[scales]\nlarmor0 = 1.0\nskindepth0 = 1.0\n[particles]\nppc0 = 4.0\nuse_weights = true\n"
    "[[particles.species]]\nlabel = \"e\"\nmass = 1.0\ncharge = -1.0\n"
    "[[particles.species]]\nlabel = \"p\"\nmass = 1.0\ncharge = 1.0\n"
    "[setup]\nproblem = \"hdf5\"\nfile = \"%s\"\n";

static const char *const names[] = {"Ex",   "By",   "Bz",   "e/x",      "e/y",
                                    "e/ux", "e/uy", "e/uz", "p/x",      "p/y",
                                    "p/ux", "p/uy", "p/uz", "e/weight", "p/weight"};
enum { NAMES = sizeof names / sizeof *names };

static void put(hid_t file, const char *name, int rank, const hsize_t *extent, hid_t type,
                const void *values) {
  const hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  const hid_t space = rank ? H5Screate_simple(rank, extent, NULL) : H5Screate(H5S_SCALAR);
  const hid_t set = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
  if (set >= 0) {
    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
  }
  H5Sclose(space);
  H5Pclose(links);
}

/* Fields over the grid, and particles at k / 10 with momenta of the same numbers. */
static void put_good(hid_t file) {
  double values[VALUES];
  const hsize_t grid[2] = {NX, NY}, count[1] = {COUNT};
  for (int k = 0; k < VALUES; k++)
    values[k] = 0.06 * (k % COUNT) + 0.01;
  for (int n = 0; n < NAMES; n++)
    put(file, names[n], n < 3 ? 2 : 1, n < 3 ? grid : count, H5T_NATIVE_DOUBLE, values);
}

static void overwrite(hid_t file, const char *name, const uint8_t *data, size_t size) {
  double values[VALUES];
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  if (set < 0)
    return;
  const hid_t space = H5Dget_space(set);
  if (H5Sget_simple_extent_npoints(space) <= VALUES &&
      H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0) {
    memcpy(values, data, size);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  }
  H5Sclose(space);
  H5Dclose(set);
}

/* Which data set, what is done to it, and how many bytes follow. */
static void change(hid_t file, const uint8_t *data, size_t size) {
  static const double values[VALUES] = {0.1, 0.2, 0.3};
  for (size_t k = 0; k + 4 <= size;) {
    const size_t left = size - k - 4, count = data[k + 3] % 32 < left ? data[k + 3] % 32 : left;
    const char *name = names[data[k] % NAMES];
    const hsize_t extent[3] = {data[k + 2] % 8, data[k + 3] % 8, 1};
    const hid_t types[] = {H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT, H5T_NATIVE_INT, H5T_NATIVE_SCHAR};
    if (data[k + 1] % 4 == 0)
      overwrite(file, name, data + k + 4, count);
    else if (H5Ldelete(file, name, H5P_DEFAULT) >= 0 && data[k + 1] % 4 > 1)
      put(file, name, data[k + 1] / 4 % 4, extent, types[data[k + 1] / 16 % 4], values);
    k += 4 + count;
  }
}

static cw_status use(cw_context *context, const char *path) {
  char deck_text[sizeof text + 64];
  cw_deck *deck = NULL;
  cw_engine *engine = NULL;
  const int length = snprintf(deck_text, sizeof deck_text, text, path);
  require(cw_deck_parse(context, "fuzz", deck_text, (size_t)length, NULL, 0, &deck) == CW_OK,
          "the deck is right");
  cw_status status = cw_setup_check(context, deck);
  check_refusal(context, status);
  if (status == CW_OK) {
    status = cw_engine_create(context, deck, &engine);
    check_refusal(context, status);
    if (status == CW_OK)
      check_refusal(context, cw_engine_step(engine));
  }
  cw_engine_destroy(engine);
  cw_deck_destroy(deck);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1 || size > MOST)
    return 0;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  cw_context *context = begin();
  const char *path = as_file(data + 1, size - 1);
  if (data[0] % 8) {
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    require(file >= 0, "a file is made");
    put_good(file);
    change(file, data + 1, size - 1);
    H5Fclose(file);
  }
  const cw_status status = use(context, path);
  require(status == CW_OK || size > 1 || data[0] % 8 == 0, "the sound file is taken");
  end(context, path);
  return 0;
}
