/* The user's own arrays: what is written is what a run starts from, and what does not fit is named.
 */
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/context_private.h"
#include "base/reals.h"
#include "engine/engine_deck.h"

enum { NX = 16, NY = 8, COUNT = 3 };
static const char file_name[] = "arrays.h5"; /* in the folder that the test makes */
static char folder[64];

static const char deck_text[] =
    "[simulation]\nname = \"arrays\"\nengine = \"srpic\"\nruntime = 1\nprecision = \"single\"\n"
    "[grid]\nresolution = [16, 8]\nextent = [[-1, 1], [0, 1]]\nmetric.metric = \"minkowski\"\n"
    "boundaries.fields = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"
    "boundaries.particles = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"
    "[scales]\nlarmor0 = 2\nskindepth0 = 0.5\n[particles]\nppc0 = 10\n"
    "[[particles.species]]\nlabel = \"e\"\nmass = 1\ncharge = -1\n"
    "[[particles.species]]\nlabel = \"i\"\nmass = 25\ncharge = 1\n";

static void write_set(hid_t at, const char *name, int rank, const hsize_t *extent,
                      const void *values, hid_t type) {
  const hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  const hid_t space = rank ? H5Screate_simple(rank, extent, NULL) : H5Screate(H5S_SCALAR);
  const hid_t set = H5Dcreate2(at, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
  ck_assert(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
  H5Dclose(set);
  H5Sclose(space);
  H5Pclose(links);
}

static const char *file_path(void) {
  static char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, file_name);
  return path;
}

static double values[NX * NY];

/* Three electrons and Bz = 10 i + j; `change` may add to or spoil the file. */
static void write_file(void (*change)(hid_t file)) {
  const hsize_t grid[2] = {NX, NY}, count[1] = {COUNT};
  const double place[2][COUNT] = {{-1, 0.4375, 0.99999999999}, {0, 0.5, 0.1}};
  const double u[COUNT] = {0.25, -3, 1e-3};
  const hid_t file = H5Fcreate(file_path(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  ck_assert(file >= 0);
  for (int k = 0; k < NX * NY; k++)
    values[k] = 10.0 * (k / NY) + k % NY;
  write_set(file, "Bz", 2, grid, values, H5T_NATIVE_DOUBLE);
  write_set(file, "e/x", 1, count, place[0], H5T_NATIVE_DOUBLE);
  write_set(file, "e/y", 1, count, place[1], H5T_NATIVE_DOUBLE);
  write_set(file, "e/ux", 1, count, u, H5T_NATIVE_DOUBLE);
  write_set(file, "e/uy", 1, count, u, H5T_NATIVE_DOUBLE);
  write_set(file, "e/uz", 1, count, u, H5T_NATIVE_DOUBLE);
  if (change)
    change(file);
  H5Fclose(file);
}

static char *text_of(const char *more) {
  static char text[4096];
  snprintf(text, sizeof text, "%s%s[setup]\nproblem = \"hdf5\"\nfile = \"%s\"\n", deck_text, more,
           file_path());
  return text;
}

START_TEST(test_state_is_what_the_file_holds) {
  write_file(NULL);
  engine_fixture f = engine_from_text(text_of(""), 2);
  const cw_particles_view view = cw_particles_get_view(cw_engine_particles(f.engine, 0));
  ck_assert_int_eq(view.count, COUNT);
  ck_assert_int_eq(cw_particles_count(cw_engine_particles(f.engine, 1)), 0);
  const int cell[COUNT][2] = {{0, 0}, {11, 4}, {15, 0}};
  const double offset[COUNT][2] = {{0, 0}, {0.5, 0}, {1, 0.8}};
  const double u[COUNT] = {0.25, -3, 1e-3};
  for (int p = 0; p < COUNT; p++) {
    for (int a = 0; a < 2; a++) {
      const float dx = ((float *)view.dx[a])[p];
      ck_assert_int_eq(view.i[a][p], cell[p][a]);
      ck_assert(fabs(dx - offset[p][a]) < 1e-6 && dx >= 0 && dx < 1);
    }
    for (int a = 0; a < 3; a++)
      ck_assert(((float *)view.u[a])[p] == (float)u[p]);
    ck_assert(view.tag[p] == CW_TAG_ALIVE && view.id[p] == (uint64_t)p + 1);
  }
  double position[3][3];
  cw_vector_view B;
  CW_CHECK_OK(f.context, cw_engine_vector(f.engine, CW_QUANTITY_B, position, &B));
  for (int i = 0; i < NX; i++)
    for (int j = 0; j < NY; j++) {
      const int64_t at = cw_grid_index(cw_engine_grid(f.engine), i, j, 0);
      ck_assert(((float *)B.component[2])[at] == (float)(10 * i + j));
      ck_assert(((float *)B.component[0])[at] == 0);
    }
  engine_clear(&f);
}
END_TEST

/* Single precision's places survive their way through coordinates in double: here a cell's edge is
 * a power of two. */
static void dump(cw_engine *engine) {
  const cw_grid *grid = cw_engine_grid(engine);
  static const char *const labels[] = {"e", "i"};
  char name[32];
  const hid_t file = H5Fcreate(file_path(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  for (int f = 0; f < 6; f++) {
    double position[3][3];
    const hsize_t extent[2] = {NX, NY};
    cw_vector_view view;
    ck_assert_int_eq(
        cw_engine_vector(engine, f < 3 ? CW_QUANTITY_E : CW_QUANTITY_B, position, &view), CW_OK);
    for (int k = 0; k < NX * NY; k++)
      values[k] = cw_real_get(view.component[f % 3], view.precision,
                              cw_grid_index(grid, k / NY, k % NY, 0));
    snprintf(name, sizeof name, "%c%c", f < 3 ? 'E' : 'B', "xyz"[f % 3]);
    write_set(file, name, 2, extent, values, H5T_NATIVE_DOUBLE);
  }
  for (int s = 0; s < 2; s++) {
    const cw_particles_view view = cw_particles_get_view(cw_engine_particles(engine, s));
    const hsize_t count = (hsize_t)view.count;
    double *x = calloc(count, sizeof *x);
    for (int a = 0; a < 5; a++) {
      for (hsize_t p = 0; p < count; p++)
        x[p] = a < 2 ? grid->origin[a] + (view.i[a][p] + (double)((float *)view.dx[a])[p]) * 0.125
                     : (double)((float *)view.u[a - 2])[p];
      snprintf(name, sizeof name, a < 2 ? "%s/%c" : "%s/u%c", labels[s], "xyxyz"[a]);
      write_set(file, name, 1, &count, x, H5T_NATIVE_DOUBLE);
    }
    free(x);
  }
  H5Fclose(file);
}

START_TEST(test_a_state_written_out_runs_on_to_the_same_bits) {
  char text[4096];
  snprintf(text, sizeof text,
           "%s[setup]\nproblem = \"expressions\"\nB = [0, \"sin(pi * x)\", 0.5]\n"
           "species.e.density = \"1 + x^2\"\nspecies.i.density = \"1 + x^2\"\n"
           "species.e.temperature = 0.1\nspecies.i.velocity = [0.1, \"0.2 * x\", 0]\n",
           deck_text);
  engine_fixture first = engine_from_text(text, 2);
  dump(first.engine);
  engine_fixture second = engine_from_text(text_of(""), 2);
  engine_steps(&first, 10);
  engine_steps(&second, 10);
  for (int s = 0; s < 2; s++) {
    const cw_particles_view a = cw_particles_get_view(cw_engine_particles(first.engine, s));
    const cw_particles_view b = cw_particles_get_view(cw_engine_particles(second.engine, s));
    ck_assert_int_eq(a.count, b.count);
    ck_assert_int_gt(a.count, 1000);
    for (int axis = 0; axis < 2; axis++)
      ck_assert_mem_eq(a.dx[axis], b.dx[axis], (size_t)a.count * sizeof(float));
    for (int axis = 0; axis < 3; axis++)
      ck_assert_mem_eq(a.u[axis], b.u[axis], (size_t)a.count * sizeof(float));
  }
  engine_clear(&first);
  engine_clear(&second);
}
END_TEST

#define SPOIL(name, body)                                                                          \
  static void name(hid_t file) {                                                                   \
    const hsize_t two[1] = {2}, three[1] = {3}, grid[2] = {NX, NY}, turned[2] = {NY, NX},          \
                  space[3] = {NX, NY, 1};                                                          \
    double bad[COUNT] = {0, NAN, 5};                                                               \
    (void)two, (void)three, (void)grid, (void)turned, (void)space, (void)bad;                      \
    body                                                                                           \
  }
#define SET(name, rank, extent) write_set(file, name, rank, extent, values, H5T_NATIVE_DOUBLE)
SPOIL(turn, SET("Ex", 2, turned);)
SPOIL(deepen, SET("Ex", 3, space);)
SPOIL(scalar, SET("Ex", 0, NULL);)
SPOIL(foreign, SET("Bzz", 2, grid);)
SPOIL(other_species, SET("p/x", 1, three);)
SPOIL(lack, H5Ldelete(file, "e/uy", H5P_DEFAULT);)
SPOIL(shorten, H5Ldelete(file, "e/uy", H5P_DEFAULT); SET("e/uy", 1, two);)
SPOIL(third_axis, SET("e/z", 1, three);)
SPOIL(weigh, SET("e/weight", 1, three);)
SPOIL(group, H5Gclose(H5Gcreate2(file, "Ey", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));)
SPOIL(words, write_set(file, "Ey", 2, grid, values, H5T_C_S1);)
SPOIL(not_finite, H5Ldelete(file, "e/ux", H5P_DEFAULT);
      write_set(file, "e/ux", 1, three, bad, H5T_NATIVE_DOUBLE);)
SPOIL(outside, bad[1] = 0; H5Ldelete(file, "e/y", H5P_DEFAULT);
      write_set(file, "e/y", 1, three, bad, H5T_NATIVE_DOUBLE);)

static const struct {
  void (*change)(hid_t file);
  const char *message;
} broken[] = {
    {turn, "found data set 'Ex' of 8 x 16; expected grid.resolution, 16 x 8"},
    {deepen, "found data set 'Ex' of 16 x 8 x 1; expected grid.resolution, 16 x 8"},
    {scalar, "found data set 'Ex' of a single value; expected grid.resolution, 16 x 8"},
    {foreign, "found 'Bzz'; expected Ex, Ey, Ez, Bx, By, Bz and the labels of species"},
    {other_species, "found 'p'; expected Ex,"},
    {lack, "found no data set 'e/uy'; expected one value a particle"},
    {shorten, "found data set 'e/uy' of 2; expected one axis of 3 particles"},
    {third_axis, "found data set 'e/z'; expected none: the grid has no such axis"},
    {weigh, "found data set 'e/weight'; expected none: particles.use_weights is false"},
    {NULL, "found no data set 'e/weight'; expected one value a particle"}, /* with use_weights */
    {group, "found 'Ey', which is no data set; expected one of numbers"},
    {words, "found data set 'Ey' of another type; expected numbers"},
    {not_finite, "found nan as value 1 of 'e/ux'; expected finite numbers"},
    {outside, "found 5 as value 2 of 'e/y'; expected a place from 0 to 1, inside the box"},
};
enum { BROKEN = (int)(sizeof broken / sizeof *broken) };

START_TEST(test_what_does_not_fit_is_named) {
  const cw_deck_override weights = {"particles.use_weights", "true"};
  const int weighted = !broken[_i].change;
  cw_context *context;
  cw_deck *deck;
  cw_engine *engine = NULL;
  write_file(broken[_i].change);
  const char *text = text_of("");
  ck_assert_int_eq(cw_context_create(NULL, &context, NULL, 0), CW_OK);
  CW_CHECK_OK(context,
              cw_deck_parse(context, "t.toml", text, strlen(text), &weights, weighted, &deck));
  cw_status status = cw_setup_check(context, deck);
  if (status == CW_OK)
    status = cw_engine_create(context, deck, &engine);
  ck_assert_int_ne(status, CW_OK);
  ck_assert_ptr_null(engine);
  const char *expected = broken[_i].message;
  ck_assert_msg(strstr(cw_context_message(context), expected) != NULL, "%s",
                cw_context_message(context));
  cw_deck_destroy(deck);
  ck_assert_uint_eq(cw_memory_used(context, CW_SPACE_HOST), 0);
  cw_context_destroy(context);
}
END_TEST

static void make_folder(void) {
  snprintf(folder, sizeof folder, "/tmp/cellwise_hdf5_XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void) {
  unlink(file_path());
  rmdir(folder);
}

int main(void) {
  Suite *suite = suite_create("hdf5");
  TCase *tests = tcase_create("hdf5");
  tcase_set_timeout(tests, 120);
  tcase_add_checked_fixture(tests, make_folder, remove_folder);
  tcase_add_test(tests, test_state_is_what_the_file_holds);
  tcase_add_test(tests, test_a_state_written_out_runs_on_to_the_same_bits);
  tcase_add_loop_test(tests, test_what_does_not_fit_is_named, 0, BROKEN);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
