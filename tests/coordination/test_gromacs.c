/* XTC and TRR: what libgromacs reads, and what is refused before it sees it. */
#include <unistd.h>

#include "coordination_support.h"

#include "molecular/gromacs_adaptor.h"
#include "molecular/trajectory.h"

static char folder[] = "/tmp/cellwise_gromacs_XXXXXX";

/* Twelve atoms, two frames, as libgromacs writes them: component d of atom k in frame t is (37 k +
 * 101 d + 11 t mod 1900) / 1000, box vectors (2 0 0), (0.5 2 0), (0 0 3). */
static size_t xtc_bytes(unsigned char *bytes) {
  static const char hex[] =
      "000007cb0000000c00000000000000004000000000000000000000003f00000040000000000000000000"
      "000000000000404000000000000c447a00000000000000000065000000ca00000197000001fc00000261"
      "00000015000000255d365e124de6985e8c68cb379a6d10fd73b908ea31c95edfc85d7f2175fc85d7f217"
      "5fc85c000000000007cb0000000c000000013f8000004000000000000000000000003f00000040000000"
      "000000000000000000000000404000000000000c447a00000000000b00000070000000d5000001a20000"
      "02070000026c00000015000000255d365e124de6985e8c68cb379a6d10fd73b908ea31c95edfc85d7f21"
      "75fc85d7f2175fc85c000000";
  for (size_t k = 0; k < sizeof hex / 2; k++) {
    char digits[3] = {hex[2 * k], hex[2 * k + 1], 0};
    bytes[k] = (unsigned char)strtoul(digits, NULL, 16);
  }
  return sizeof hex / 2;
}

static void put_word(unsigned char *at, uint32_t v) {
  for (int k = 0; k < 4; k++)
    at[k] = (unsigned char)(v >> (24 - 8 * k));
}

static void put_real(unsigned char *at, double value) {
  float x = (float)value;
  uint32_t v;
  memcpy(&v, &x, sizeof v);
  put_word(at, v);
}

/* The same as TRR, by the format's description: header, time and lambda, box, positions. */
static size_t trr_bytes(unsigned char *bytes) {
  enum { ATOMS = 12, FRAME = 76 + 8 + 36 + 12 * ATOMS };
  static const double box[9] = {2, 0, 0, 0.5, 2, 0, 0, 0, 3};
  memset(bytes, 0, 2 * FRAME);
  for (int t = 0; t < 2; t++) {
    unsigned char *at = bytes + t * FRAME;
    put_word(at, 1993);
    put_word(at + 4, 13);
    put_word(at + 8, 12);
    memcpy(at + 12, "GMX_trn_file", 12);
    put_word(at + 32, 36);
    put_word(at + 52, 12 * ATOMS);
    put_word(at + 64, ATOMS);
    put_word(at + 68, (uint32_t)t);
    for (int k = 0; k < 9; k++)
      put_real(at + 84 + 4 * k, box[k]);
    for (int k = 0; k < 3 * ATOMS; k++)
      put_real(at + 120 + 4 * k, 0.001 * (37 * (k / 3) + 101 * (k % 3) + 11 * t));
  }
  return 2 * FRAME;
}

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

static void check_gromacs_frames(cw_context *context, const unsigned char *bytes, size_t size,
                                 const char *format) {
  cw_trajectory *trajectory;
  int more;
  MUST(context, open_bytes(context, bytes, size, format, &trajectory));
  for (int t = 0; t < 2; t++) {
    MUST(context, cw_trajectory_next(trajectory, &more));
    ck_assert_int_eq(more, 1);
    ck_assert_int_eq(trajectory->frame.atoms, 12);
    for (int k = 0; k < 36; k++) /* a float, and XTC's 0.001 nm */
      ck_assert(near(trajectory->frame.position[k], 0.001 * (37 * (k / 3) + 101 * (k % 3) + 11 * t),
                     1e-6));
    ck_assert(near(trajectory->frame.box.vectors[1][0], 0.5, 1e-7));
    ck_assert(near(trajectory->frame.box.vectors[2][2], 3, 1e-7));
  }
  MUST(context, cw_trajectory_next(trajectory, &more));
  ck_assert_int_eq(more, 0);
  cw_trajectory_close(trajectory);
}

static void check_gromacs_refusal(cw_context *context, const unsigned char *bytes, size_t size,
                                  const char *format, const char *part) {
  cw_trajectory *trajectory;
  cw_status status = open_bytes(context, bytes, size, format, &trajectory);
  ck_assert_int_eq(status, cw_gromacs_here() ? CW_ERROR_FORMAT : CW_ERROR_UNSUPPORTED);
  if (!cw_gromacs_here())
    part = "libgromacs";
  ck_assert_msg(strstr(cw_context_message(context), part) != NULL, "%s",
                cw_context_message(context));
}

/* Read by libgromacs where the build has it, else refused by name. */
START_TEST(test_xtc_and_trr_are_read_or_refused_by_name) {
  static unsigned char xtc[4096], trr[4096];
  cw_context *context = new_context(1, CW_ISA_AUTO);
  size_t xtc_size = xtc_bytes(xtc), trr_size = trr_bytes(trr);
  if (cw_gromacs_here()) {
    check_gromacs_frames(context, xtc, xtc_size, "xtc");
    check_gromacs_frames(context, trr, trr_size, "trr");
  }
  check_gromacs_refusal(context, xtc, xtc_size - 4, "xtc", "frame 2: the file is cut off");
  check_gromacs_refusal(context, trr, trr_size - 4, "trr", "frame 2: the file is cut off");
  check_gromacs_refusal(context, xtc, xtc_size, "trr", "frame 1: this is no TRR frame");
  check_gromacs_refusal(context, trr, trr_size, "xtc", "frame 1: this is no XTC frame");
  put_word(trr + trr_size / 2 + 64, 13);
  check_gromacs_refusal(context, trr, trr_size, "trr", "frame 2");
  put_word(xtc + 52, 1u << 31);
  check_gromacs_refusal(context, xtc, xtc_size, "xtc", "absurd");
  ck_assert_int_eq((int64_t)cw_memory_used(context, CW_SPACE_HOST), 0);
  cw_context_destroy(context);
}
END_TEST

/* Bytes of the compressed coordinates are changed, which only libgromacs can notice: each file ends as
 * whole frames or one message, and this process lives on. */
START_TEST(test_damaged_frames_end_in_a_message) {
  static unsigned char xtc[4096], bytes[4096];
  cw_context *context = new_context(1, CW_ISA_AUTO);
  const size_t size = xtc_bytes(xtc);
  uint64_t seed = 3;
  for (int k = 0; k < 60 && cw_gromacs_here(); k++) {
    cw_trajectory *trajectory;
    int more = 1;
    memcpy(bytes, xtc, size);
    for (int j = 0; j < 1 + k % 8; j++)
      bytes[56 + (size_t)(next_uniform(&seed) * 80)] = (unsigned char)(256 * next_uniform(&seed));
    cw_status status = open_bytes(context, bytes, size, "xtc", &trajectory);
    while (status == CW_OK && more)
      status = cw_trajectory_next(trajectory, &more);
    ck_assert(status == CW_OK || status == CW_ERROR_FORMAT);
    if (status != CW_OK)
      ck_assert_msg(strstr(cw_context_message(context), "frames.xtc") != NULL, "%s",
                    cw_context_message(context));
    cw_trajectory_close(trajectory);
  }
  ck_assert_int_eq((int64_t)cw_memory_used(context, CW_SPACE_HOST), 0);
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  if (!mkdtemp(folder))
    return 1;
  Suite *suite = suite_create("xtc and trr");
  TCase *tcase = tcase_create("files");
  tcase_add_test(tcase, test_xtc_and_trr_are_read_or_refused_by_name);
  tcase_add_test(tcase, test_damaged_frames_end_in_a_message);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  char command[256];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  return system(command) != 0 || failed != 0;
}
