/* Minimum images against a search over many images, in cells of every shape. */
#include "coordination_support.h"

/* The shortest of all images with coefficients up to 12: enough for the cells below, whose longest
 * vector is at most 6 times their smallest height. */
static double shortest(const cw_box *box, const double d[3]) {
  double best = HUGE_VAL;
  for (int i = -12; i <= 12; i++)
    for (int j = -12; j <= 12; j++)
      for (int k = -12; k <= 12; k++) {
        double r2 = 0;
        for (int c = 0; c < 3; c++) {
          double x =
              d[c] + i * box->vectors[0][c] + j * box->vectors[1][c] + k * box->vectors[2][c];
          r2 += x * x;
        }
        best = r2 < best ? r2 : best;
      }
  return sqrt(best);
}

static double volume(const cw_box *box) {
  const double(*v)[3] = box->vectors;
  return v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) -
         v[0][1] * (v[1][0] * v[2][2] - v[1][2] * v[2][0]) +
         v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
}

START_TEST(test_random_cells) {
  cw_context *context = new_context(1, CW_ISA_AUTO);
  uint64_t seed = 21;
  int cells = 0;
  while (cells < 60) {
    cw_box box;
    for (int k = 0; k < 9; k++)
      box.vectors[k / 3][k % 3] = 2 * next_uniform(&seed) - 1;
    if (fabs(volume(&box)) < 0.3)
      continue;
    cells++;
    if (cells % 2) /* skew it: the same lattice in a longer basis */
      for (int c = 0; c < 3; c++) {
        box.vectors[1][c] += 2 * box.vectors[0][c];
        box.vectors[2][c] -= 1 * box.vectors[1][c];
      }
    for (int k = 0; k < 20; k++) {
      double d[3], before[3], s[3];
      for (int c = 0; c < 3; c++)
        s[c] = 2 * next_uniform(&seed) - 1;
      for (int c = 0; c < 3; c++)
        d[c] = before[c] =
            s[0] * box.vectors[0][c] + s[1] * box.vectors[1][c] + s[2] * box.vectors[2][c];
      MUST(context, cw_coordination_minimum_image(context, &box, d));
      double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
      ck_assert_msg(near(length, shortest(&box, before), 1e-13), "length %.15g, not %.15g", length,
                    shortest(&box, before));
    }
  }
  cw_context_destroy(context);
}
END_TEST

/* Half a box away, also where the box length is no binary fraction: the negative image. */
START_TEST(test_half_a_box_goes_down) {
  cw_context *context = new_context(1, CW_ISA_AUTO);
  for (int k = 1; k < 200; k++) {
    double side = 0.1 * k + 0.03;
    const cw_box box = {{{side, 0, 0}, {0, side, 0}, {0, 0, side}}};
    for (int sign = -1; sign <= 1; sign += 2) {
      double d[3] = {sign * side / 2, sign * side * 1.5, 0.1 * side};
      MUST(context, cw_coordination_minimum_image(context, &box, d));
      ck_assert(near(d[0], -side / 2, 1e-13));
      ck_assert(near(d[1], -side / 2, 1e-13));
      ck_assert(near(d[2], 0.1 * side, 1e-13));
    }
  }
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_flat_boxes_are_refused_and_none_is_none) {
  cw_context *context = new_context(1, CW_ISA_AUTO);
  const cw_box flat[] = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 0}}},
                         {{{1, 2, 3}, {2, 4, 6}, {0, 0, 1}}},
                         {{{NAN, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                         {{{HUGE_VAL, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
  const cw_box none = {{{0}}};
  double d[3] = {5, 6, 7};
  for (size_t k = 0; k < sizeof flat / sizeof *flat; k++)
    ck_assert_int_eq(cw_coordination_minimum_image(context, &flat[k], d), CW_ERROR_ARGUMENT);
  MUST(context, cw_coordination_minimum_image(context, &none, d));
  MUST(context, cw_coordination_minimum_image(context, NULL, d));
  ck_assert(d[0] == 5 && d[1] == 6 && d[2] == 7);
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("minimum image");
  TCase *tcase = tcase_create("images");
  tcase_set_timeout(tcase, 60);
  tcase_add_test(tcase, test_random_cells);
  tcase_add_test(tcase, test_half_a_box_goes_down);
  tcase_add_test(tcase, test_flat_boxes_are_refused_and_none_is_none);
  suite_add_tcase(suite, tcase);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
