/* Trajectory readers: the same frames from every format, and one clear error for broken files. */
#include <unistd.h>

#include "coordination_support.h"

#include "molecular/trajectory.h"

static char folder[] = "/tmp/cellwise_trajectory_XXXXXX";

static const char *path_of(const char *name) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void write_bytes(const char *name, const void *bytes, size_t size) {
  FILE *file = fopen(path_of(name), "wb");
  ck_assert_ptr_nonnull(file);
  ck_assert(fwrite(bytes, 1, size, file) == size);
  fclose(file);
}

static void write_text(const char *name, const char *text) {
  write_bytes(name, text, strlen(text));
}

/* Reads a whole file; returns the status that ended it, and the last frame's first coordinate sum.
 */
static cw_status read_all(cw_context *context, const char *name, int *frames, double *sum,
                          cw_box *box, int64_t *atoms) {
  cw_trajectory *trajectory;
  int more = 1;
  *frames = 0;
  *sum = 0;
  cw_status status = cw_trajectory_open(context, path_of(name), NULL, NULL, &trajectory);
  if (status != CW_OK)
    return status;
  while (status == CW_OK) {
    status = cw_trajectory_next(trajectory, &more);
    if (status != CW_OK || !more)
      break;
    (*frames)++;
    *box = trajectory->frame.box;
    *atoms = trajectory->frame.atoms;
    for (int64_t k = 0; k < 3 * *atoms; k++)
      *sum += (double)(k + 1) * trajectory->frame.position[k];
  }
  cw_trajectory_close(trajectory);
  return status;
}

/* Two frames of two atoms: (0.1 0.2 0.3) (1.1 -1.2 1.3), then (0.4 0.5 0.6) (2.1 2.2 -2.3). */
static const double right_sum = 0.1 + 0.4 + 0.9 + 4.4 - 6 + 7.8 + 0.4 + 1 + 1.8 + 8.4 + 11 - 13.8;

static void check_frames(const char *name, double scale, const double box[9]) {
  cw_context *context = new_context(1, CW_ISA_AUTO);
  int frames;
  double sum;
  cw_box found;
  int64_t atoms = 0;
  MUST(context, read_all(context, name, &frames, &sum, &found, &atoms));
  ck_assert_int_eq(frames, 2);
  ck_assert_int_eq(atoms, 2);
  ck_assert_msg(near(sum, right_sum * scale, 1e-5 * scale), "%s: %g", name, sum);
  for (int k = 0; k < 9; k++)
    ck_assert_msg(near(found.vectors[k / 3][k % 3], box[k] * scale, 1e-6 * scale), "%s: box %d: %g",
                  name, k, found.vectors[k / 3][k % 3]);
  ck_assert_int_eq((int64_t)cw_memory_used(context, CW_SPACE_HOST), 0);
  cw_context_destroy(context);
}

static const double orthogonal[9] = {3, 0, 0, 0, 4, 0, 0, 0, 5};
static const double triclinic[9] = {3, 0, 0, 1, 4, 0, 0.5, -1, 5};

START_TEST(test_xyz_plain_and_extended) {
  write_text("a.xyz",
             "2\n3 4 5\nAr 0.1 0.2 0.3\nAr 1.1 -1.2 1.3\n2\n3.0 4.0 5.0\nAr .4 5e-1 0.6 9\n"
             "Ar 2.1 2.2 -2.3\n\n\n");
  check_frames("a.xyz", 1, orthogonal);
  write_text("b.xyz",
             "2\n3 0 0 1 4 0 0.5 -1 5\nAr 0.1 0.2 0.3\nAr 1.1 -1.2 1.3\n  2\r\n3 0 0 1 4 0 "
             "0.5 -1 5\r\nAr 0.4 0.5 0.6\r\nAr 2.1 2.2 -2.3");
  check_frames("b.xyz", 1, triclinic);
  write_text(
      "c.xyz",
      "2\nLattice=\"3 0 0 1 4 0 0.5 -1 5\" Properties=species:S:1:id:I:1:pos:R:3:mass:R:1 "
      "Time=0\nAr 7 0.1 0.2 0.3 40\nAr 8 1.1 -1.2 1.3 40\n2\nTime=1 "
      "Properties=species:S:1:pos:R:3 Lattice=\"3.0 0 0 1 4 0 0.5 -1 5.0\" pbc=\"T T T\"\nAr "
      "0.4 0.5 0.6\nAr 2.1 2.2 -2.3\n");
  check_frames("c.xyz", 1, triclinic);
}
END_TEST

START_TEST(test_gro_with_few_and_many_digits) {
  write_text("a.gro",
             "title\n    2\n    1SOL     OW    1   0.100   0.200   0.300\n    1SOL    HW1    "
             "2   1.100  -1.200   1.300\n 3.0 4.0 5.0\ntitle\n    2\n    1SOL     OW    1   "
             "0.400   0.500   0.600  0.1000  0.2000  0.3000\n    1SOL    HW1    2   2.100   "
             "2.200  -2.300\n 3.0 4.0 5.0\n");
  check_frames("a.gro", 1, orthogonal);
  write_text("b.gro",
             "title\n2\n    1SOL     OW    1   0.10000   0.20000   0.30000\n    1SOL    HW1   "
             " 2   1.10000  -1.20000   1.30000\n3 4 5 0 0 1 0 0.5 -1\nt\n2\n    1SOL     OW "
             "   1   0.40000   0.50000   0.60000\n    1SOL    HW1    2   2.10000   2.20000  "
             "-2.30000\n3 4 5 0 0 1 0 0.5 -1\n");
  check_frames("b.gro", 1, triclinic);
}
END_TEST

#define PDB_CELL          "CRYST1   30.000   40.000   50.000  90.00  90.00  90.00 P 1           1\n"
#define PDB_LINE(x, y, z) "ATOM      1  AR  AR  A   1    " x y z " 39.95  0.50\n"
START_TEST(test_pdb_models) {
  write_text(
      "a.pdb",
      PDB_CELL "MODEL        1\n" PDB_LINE("   1.000", "   2.000", "   3.000")
          PDB_LINE("  11.000", " -12.000", "  13.000") "TER\nENDMDL\nMODEL        2\n" PDB_LINE(
              "   4.000", "   5.000", "   6.000")
              PDB_LINE("  21.000", "  22.000", " -23.000") "ENDMDL\nEND\n");
  check_frames("a.pdb", 10, orthogonal);
  cw_context *context = new_context(1, CW_ISA_AUTO);
  cw_trajectory *trajectory;
  int more;
  MUST(context, cw_trajectory_open(context, path_of("a.pdb"), NULL, NULL, &trajectory));
  MUST(context, cw_trajectory_next(trajectory, &more));
  ck_assert(near(trajectory->frame.mass[1], 39.95, 1e-12));
  ck_assert(near(trajectory->frame.charge[1], 0.5, 1e-12));
  cw_trajectory_close(trajectory);
  cw_context_destroy(context);
}
END_TEST

/* A DCD file in memory, in either byte order. */
typedef struct bytes {
  unsigned char data[2048];
  size_t size;
  int swapped;
} bytes;

static void put(bytes *b, const void *value, size_t size) {
  const unsigned char *from = value;
  for (size_t k = 0; k < size; k++)
    b->data[b->size++] = from[b->swapped ? size - 1 - k : k];
}

static void put_word(bytes *b, int32_t value) {
  put(b, &value, sizeof value);
}

static void make_dcd(bytes *b, int swapped, int cosines) {
  static const float x[2][3][2] = {{{1, 11}, {2, -12}, {3, 13}}, {{4, 21}, {5, 22}, {6, -23}}};
  const double angle = cosines ? 0 : 90, cell[6] = {30, angle, 40, angle, angle, 50};
  *b = (bytes){.swapped = swapped};
  put_word(b, 84);
  memcpy(b->data + b->size, "CORD", 4);
  b->size += 4;
  for (int k = 0; k < 20; k++)
    put_word(b, k == 0 ? 2 : k == 10 ? 1 : k == 19 ? 24 : 0);
  put_word(b, 84);
  put_word(b, 84);
  put_word(b, 1);
  b->size += 80;
  put_word(b, 84);
  put_word(b, 4);
  put_word(b, 2);
  put_word(b, 4);
  for (int frame = 0; frame < 2; frame++) {
    put_word(b, 48);
    for (int k = 0; k < 6; k++)
      put(b, &cell[k], sizeof cell[k]);
    put_word(b, 48);
    for (int c = 0; c < 3; c++) {
      put_word(b, 8);
      for (int k = 0; k < 2; k++)
        put(b, &x[frame][c][k], sizeof(float));
      put_word(b, 8);
    }
  }
}

START_TEST(test_dcd_in_both_byte_orders) {
  for (int swapped = 0; swapped < 2; swapped++)
    for (int cosines = 0; cosines < 2; cosines++) {
      bytes b;
      make_dcd(&b, swapped, cosines);
      write_bytes("a.dcd", b.data, b.size);
      check_frames("a.dcd", 10, orthogonal);
    }
}
END_TEST

/* Every proper beginning of a good file either is whole frames or ends in one error. */
static void check_cut(const char *name, const void *data, size_t size) {
  cw_context *context = new_context(1, CW_ISA_AUTO);
  int refused = 0;
  for (size_t cut = 0; cut < size; cut++) {
    int frames;
    double sum;
    cw_box box;
    int64_t atoms;
    write_bytes(name, data, cut);
    cw_status status = read_all(context, name, &frames, &sum, &box, &atoms);
    ck_assert(status == CW_OK || status == CW_ERROR_FORMAT);
    if (status != CW_OK)
      ck_assert_ptr_nonnull(strstr(cw_context_message(context), name));
    refused += status != CW_OK;
    ck_assert_int_le(frames, 2);
  }
  ck_assert_int_gt(refused, (int)size / 2);
  ck_assert_int_eq((int64_t)cw_memory_used(context, CW_SPACE_HOST), 0);
  cw_context_destroy(context);
}

START_TEST(test_cut_off_files_end_in_one_error) {
  static const char xyz[] =
      "2\n3 4 5\nAr 0.1 0.2 0.3\nAr 1.1 -1.2 1.3\n2\n3 4 5\nAr 4 5 6\nAr 2 2 2\n";
  static const char gro[] =
      "title\n    2\n    1SOL     OW    1   0.100   0.200   0.300\n    1SOL    "
      "HW1    2   1.100  -1.200   1.300\n 3.0 4.0 5.0\n";
  bytes b;
  make_dcd(&b, 0, 0);
  check_cut("a.xyz", xyz, sizeof xyz - 1);
  check_cut("a.gro", gro, sizeof gro - 1);
  check_cut("a.dcd", b.data, b.size);
}
END_TEST

START_TEST(test_broken_files_are_refused_with_their_line) {
  static const struct {
    const char *name, *text, *word;
  } cases[] = {{"a.xyz", "2\nfrom a program\nAr 0 0 0\nAr 1 1 1\n", "a.xyz:2"},
               {"a.xyz", "2\n1 2\nAr 0 0 0\nAr 1 1 1\n", "a.xyz:2"},
               {"a.xyz", "2\n1 2 x\nAr 0 0 0\nAr 1 1 1\n", "a.xyz:2"},
               {"a.xyz", "-2\n1 2 3\n", "a.xyz:1"},
               {"a.xyz", "2.5\n1 2 3\n", "a.xyz:1"},
               {"a.xyz", "99999999999999\n1 2 3\n", "a.xyz:1"},
               {"a.xyz", "2\n1 2 3\nAr 0 0\nAr 1 1 1\n", "a.xyz:3"},
               {"a.xyz", "2\n1 2 3\nAr 0 0 nan\nAr 1 1 1\n", "a.xyz:3"},
               {"a.xyz", "2\n1 2 3\nAr 0 0 1e999\nAr 1 1 1\n", "a.xyz:3"},
               {"a.xyz", "1\n1 2 3\nAr 0 0 0\n2\n1 2 3\nAr 0 0 0\nAr 0 0 0\n", "first has 1"},
               {"a.xyz", "1\nLattice=\"1 2 3\"\nAr 0 0 0\n", "Lattice"},
               {"a.xyz", "1\nLattice=\"1 0 0 0 1 0 0 0 x\"\nAr 0 0 0\n", "Lattice"},
               {"a.xyz", "1\nLattice=\"1 0 0 0 1 0 0 0 1\" pbc=\"T T F\"\nAr 0 0 0\n", "pbc"},
               {"a.xyz", "1\nProperties=species:S:1:force:R:3\nAr 0 0 0\n", "pos"},
               {"a.gro", "t\n1\n    1SOL     OW    1   0.100   0.200\n1 1 1\n", "a.gro:3"},
               {"a.gro", "t\n1\n    1SOL     OW    1 nothing here\n1 1 1\n", "a.gro:3"},
               {"a.gro", "t\n1\n    1SOL     OW    1   0.100   0.200   0.300\n1 1\n", "a.gro:4"},
               {"a.gro", "t\nx\n", "a.gro:2"},
               {"a.pdb", "ATOM      1  AR  AR  A   1       1.000   2.000\nEND\n", "a.pdb:1"},
               {"a.pdb", "CRYST1   30.000   40.000   50.000  90.00  90.00 190.00\n", "a.pdb:1"},
               {"a.pdb", "CRYST1   30.000\n", "a.pdb:1"},
               {"a.pdb",
                PDB_LINE("   1.000", "   2.000",
                         "   3.000") "END\n" PDB_LINE("   1.000", "   2.000", "   3.000")
                    PDB_LINE("   1.000", "   2.000", "   3.000") "END\n",
                "more atoms"},
               {"a.dcd", "this is no dcd file at all", "84 bytes"},
               {"a.foo", "x", "format"}};
  cw_context *context = new_context(1, CW_ISA_AUTO);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    int frames;
    double sum;
    cw_box box;
    int64_t atoms;
    write_text(cases[k].name, cases[k].text);
    cw_status status = read_all(context, cases[k].name, &frames, &sum, &box, &atoms);
    ck_assert_msg(status == CW_ERROR_FORMAT || status == CW_ERROR_INPUT, "accepted: %s",
                  cases[k].text);
    ck_assert_msg(strstr(cw_context_message(context), cases[k].word) != NULL, "'%s': %s",
                  cases[k].text, cw_context_message(context));
  }
  write_bytes("a.xyz", "1\n1 2\0 3\n", 9);
  int frames;
  double sum;
  cw_box box;
  int64_t atoms;
  ck_assert_int_eq(read_all(context, "a.xyz", &frames, &sum, &box, &atoms), CW_ERROR_FORMAT);
  ck_assert_int_eq(read_all(context, "missing.xyz", &frames, &sum, &box, &atoms), CW_ERROR_IO);
  ck_assert_int_eq((int64_t)cw_memory_used(context, CW_SPACE_HOST), 0);
  cw_context_destroy(context);
}
END_TEST

static cw_status open_bytes(cw_context *context, const unsigned char *bytes, size_t size,
                            const char *format, cw_trajectory **trajectory) {
  char path[256];
  snprintf(path, sizeof path, "%s/frames.%s", folder, format);
  FILE *file = fopen(path, "wb");
  ck_assert_ptr_nonnull(file);
  fwrite(bytes, 1, size, file);
  fclose(file);
  return cw_trajectory_open(context, path, NULL, NULL, trajectory);
}

/* A count that no file of that size can hold claims no memory. */
START_TEST(test_a_huge_count_in_a_small_file_is_refused) {
  cw_context *context = new_context(1, CW_ISA_AUTO);
  cw_trajectory *trajectory;
  int more;
  static const char text[] = "1000000000\n1 1 1\nA 0 0 0\n";
  MUST(context,
       open_bytes(context, (const unsigned char *)text, sizeof text - 1, "xyz", &trajectory));
  ck_assert_int_eq(cw_trajectory_next(trajectory, &more), CW_ERROR_FORMAT);
  ck_assert_ptr_nonnull(strstr(cw_context_message(context), "1000000000 atoms do not fit"));
  cw_trajectory_close(trajectory);
  ck_assert_int_lt((int64_t)cw_memory_peak(context, CW_SPACE_HOST), 1 << 20);
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  if (!mkdtemp(folder))
    return 1;
  Suite *suite = suite_create("trajectories");
  TCase *tcase = tcase_create("readers");
  tcase_set_timeout(tcase, 60);
  tcase_add_test(tcase, test_xyz_plain_and_extended);
  tcase_add_test(tcase, test_gro_with_few_and_many_digits);
  tcase_add_test(tcase, test_pdb_models);
  tcase_add_test(tcase, test_dcd_in_both_byte_orders);
  tcase_add_test(tcase, test_cut_off_files_end_in_one_error);
  tcase_add_test(tcase, test_broken_files_are_refused_with_their_line);
  tcase_add_test(tcase, test_a_huge_count_in_a_small_file_is_refused);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  char command[256];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  return system(command) != 0 || failed != 0;
}
