/* Random numbers: the generator's published vectors, moments, independence of neighbours. */
#include <math.h>

#include <check.h>

#include <cellwise/random.h>

enum { SAMPLES = 200000 };
static const double SIGMAS = 5; /* standard errors; the numbers are fixed by their keys */

/* kat_vectors of Random123 1.14 for philox4x32-10; counter words are index low, index high, draw
 * and 0, so only those with a last word of 0 can be reached here. */
START_TEST(test_philox_gives_its_known_answer) {
  static const uint32_t right[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  uint32_t bits[4];
  cw_random_bits(0, 0, 0, 0, bits);
  for (int k = 0; k < 4; k++)
    ck_assert_uint_eq(bits[k], right[k]);
}
END_TEST

/* Philox4x32-10 written out from J. Salmon et al., SC 2011, section 3.3. */
static void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
  uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};
  for (int round = 0; round < 10; round++) {
    uint64_t a = (uint64_t)0xD2511F53 * c[0], b = (uint64_t)0xCD9E8D57 * c[2];
    uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b,
                        (uint32_t)(a >> 32) ^ c[3] ^ k[1], (uint32_t)a};
    for (int w = 0; w < 4; w++)
      c[w] = next[w];
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  for (int w = 0; w < 4; w++)
    out[w] = c[w];
}

/* The written-out rounds meet the vector with all bits set, and the library meets the rounds, so
 * that every argument is seen to reach its word. */
START_TEST(test_every_argument_reaches_its_word) {
  static const uint32_t ones[4] = {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
  static const uint32_t right[4] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd};
  uint32_t bits[4], own[4];
  philox(ones, ones, own);
  for (int k = 0; k < 4; k++)
    ck_assert_uint_eq(own[k], right[k]);
  const uint32_t counter[4] = {0x89abcdef, 0x01234567, 0x243f6a88, 0};
  const uint32_t key[2] = {0xa4093822, 0x299f31d0};
  philox(counter, key, own);
  cw_random_bits(key[0], key[1], 0x0123456789abcdef, counter[2], bits);
  for (int k = 0; k < 4; k++)
    ck_assert_uint_eq(bits[k], own[k]);
}
END_TEST

/* Means of x - 1/2, (x - 1/2)^2 and (x - 1/2)^4 of a uniform number, and products of neighbours in
 * each argument. */
START_TEST(test_uniform_numbers_have_the_right_moments) {
  double sum[3] = {0}, cross[5] = {0};
  for (uint64_t n = 0; n < SAMPLES; n++) {
    double here[2], next[4][2];
    cw_random_uniform(5, 6, n, 0, here);
    cw_random_uniform(6, 6, n, 0, next[0]);
    cw_random_uniform(5, 7, n, 0, next[1]);
    cw_random_uniform(5, 6, n + 1, 0, next[2]);
    cw_random_uniform(5, 6, n, 1, next[3]);
    ck_assert(here[0] > 0 && here[0] < 1 && here[1] > 0 && here[1] < 1);
    double x = here[0] - 0.5;
    sum[0] += x;
    sum[1] += x * x;
    sum[2] += x * x * x * x;
    cross[0] += x * (here[1] - 0.5);
    for (int k = 0; k < 4; k++)
      cross[1 + k] += x * (next[k][0] - 0.5);
  }
  const double root = sqrt(SAMPLES);
  ck_assert(fabs(sum[0] / SAMPLES) < SIGMAS * sqrt(1.0 / 12) / root);
  ck_assert(fabs(sum[1] / SAMPLES - 1.0 / 12) < SIGMAS * sqrt(1.0 / 180) / root);
  ck_assert(fabs(sum[2] / SAMPLES - 1.0 / 80) < SIGMAS * sqrt(1.0 / 3600) / root);
  for (int k = 0; k < 5; k++)
    ck_assert(fabs(cross[k] / SAMPLES) < SIGMAS / 12 / root);
}
END_TEST

/* 64 bins of equal chance: chi squared of 63 degrees is within 63 +- 5 sqrt(126). */
START_TEST(test_uniform_numbers_fill_all_bins) {
  double count[2][64] = {{0}};
  for (uint64_t n = 0; n < SAMPLES; n++) {
    double pair[2];
    cw_random_uniform(1, 2, n, 3, pair);
    for (int k = 0; k < 2; k++)
      count[k][(int)(64 * pair[k])]++;
  }
  for (int k = 0; k < 2; k++) {
    double chi = 0, mean = SAMPLES / 64.0;
    for (int b = 0; b < 64; b++)
      chi += (count[k][b] - mean) * (count[k][b] - mean) / mean;
    ck_assert(fabs(chi - 63) < SIGMAS * sqrt(126));
  }
}
END_TEST

/* Moments 0, 1, 0, 3 of a normal number (variances 1, 2, 15, 96) and no correlation in a pair. */
START_TEST(test_normal_numbers_have_the_right_moments) {
  static const double right[4] = {0, 1, 0, 3}, variance[4] = {1, 2, 15, 96};
  double sum[2][4] = {{0}}, cross = 0;
  for (uint64_t n = 0; n < SAMPLES; n++) {
    double pair[2];
    cw_random_normal(9, 1, n, 0, pair);
    for (int k = 0; k < 2; k++)
      for (int m = 0; m < 4; m++)
        sum[k][m] += pow(pair[k], m + 1);
    cross += pair[0] * pair[1];
  }
  for (int k = 0; k < 2; k++)
    for (int m = 0; m < 4; m++)
      ck_assert(fabs(sum[k][m] / SAMPLES - right[m]) < SIGMAS * sqrt(variance[m] / SAMPLES));
  ck_assert(fabs(cross / SAMPLES) < SIGMAS / sqrt(SAMPLES));
}
END_TEST

START_TEST(test_same_key_gives_the_same_number) {
  double a[2], b[2];
  cw_random_uniform(1, 2, 3, 4, a);
  cw_random_uniform(9, 9, 9, 9, b);
  cw_random_uniform(1, 2, 3, 4, b);
  ck_assert(a[0] == b[0] && a[1] == b[1]);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("random");
  TCase *tests = tcase_create("random");
  tcase_add_test(tests, test_philox_gives_its_known_answer);
  tcase_add_test(tests, test_every_argument_reaches_its_word);
  tcase_add_test(tests, test_uniform_numbers_have_the_right_moments);
  tcase_add_test(tests, test_uniform_numbers_fill_all_bins);
  tcase_add_test(tests, test_normal_numbers_have_the_right_moments);
  tcase_add_test(tests, test_same_key_gives_the_same_number);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
