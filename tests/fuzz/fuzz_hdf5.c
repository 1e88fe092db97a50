/* libFuzzer: a file of the user's own arrays (`problem = "hdf5"`) that is not what it should be: data
 * sets of a sound file overwritten, removed, or put in anew with another shape, or any bytes as the
 * file. It is refused with a message, or the plasma takes a step or says why not. */
#include "fuzz_sets.h"

enum { NX = 6, NY = 4, COUNT = 5 };

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

/* Fields over the grid, and particles at k / 10 with momenta of the same numbers. */
static void put_good(hid_t file) {
  double values[SET_VALUES];
  const hsize_t grid[2] = {NX, NY}, count[1] = {COUNT};
  for (int k = 0; k < SET_VALUES; k++)
    values[k] = 0.06 * (k % COUNT) + 0.01;
  for (int n = 0; n < NAMES; n++)
    put_set(file, names[n], n < 3 ? 2 : 1, n < 3 ? grid : count, H5T_NATIVE_DOUBLE, values);
}

/* Which data set, what is done to it, and how many bytes follow. */
static void change(hid_t file, const uint8_t *data, size_t size) {
  for (size_t k = 0; k + 4 <= size;) {
    const size_t count = change_size(data + k, size - k - 4);
    change_set(file, names[data[k] % NAMES], data + k, count, (hsize_t)1 << 40);
    k += 4 + count;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const fuzz_problem problem = {text, put_good, change};
  return fuzz_problem_file(&problem, data, size);
}
