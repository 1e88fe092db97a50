/* The sort of arbitrary keys and the gather. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <cellwise/cellwise.h>

static cw_context *context_of(int threads, cw_isa isa) {
  cw_context_options options = {.threads = threads, .isa = isa};
  cw_context *context;
  return cw_context_create(&options, &context, NULL, 0) == CW_OK ? context : NULL;
}

typedef struct item {
  uint32_t key, point;
} item;

static int compare(const void *left, const void *right) {
  const item *a = left, *b = right;
  if (a->key != b->key)
    return a->key < b->key ? -1 : 1;
  return a->point < b->point ? -1 : 1;
}

/* Random keys of 0 to bins (the sentinel included), against qsort by (key, point). */
static void check_sort(int threads, int64_t count, uint32_t bins) {
  cw_context *context = context_of(threads, CW_ISA_AUTO);
  uint32_t *keys = malloc(sizeof *keys * (size_t)(count + 1));
  uint32_t *permutation = malloc(sizeof *permutation * (size_t)(count + 1));
  int64_t *offsets = malloc(sizeof *offsets * ((size_t)bins + 1));
  item *items = malloc(sizeof *items * (size_t)(count + 1));
  ck_assert(keys && permutation && offsets && items);
  memset(permutation, 0xff, sizeof *permutation * (size_t)(count + 1));
  memset(offsets, 0xff, sizeof *offsets * ((size_t)bins + 1));
  for (int64_t p = 0; p < count; p++) {
    uint32_t bits[4];
    cw_random_bits(3, 1, (uint64_t)p, 0, bits);
    keys[p] = bits[0] % (bins + 1);
    items[p] = (item){keys[p], (uint32_t)p};
  }
  qsort(items, (size_t)count, sizeof *items, compare);
  ck_assert_int_eq(cw_cells_sort_keys(context, count, keys, bins, permutation, offsets), CW_OK);
  int64_t wrong = permutation[count] != UINT32_MAX, place = 0; /* nothing written behind the end */
  for (int64_t s = 0; s < count; s++)
    wrong += permutation[s] != items[s].point;
  for (uint32_t b = 0; b <= bins; b++) {
    while (place < count && items[place].key < b)
      place++;
    wrong += offsets[b] != place;
  }
  ck_assert_int_eq(wrong, 0);
  free(keys), free(permutation), free(offsets), free(items);
  ck_assert_uint_eq(cw_memory_used(context, CW_SPACE_HOST), 0);
  cw_context_destroy(context);
}

START_TEST(test_order_is_by_key_then_point) {
  static const struct {
    int64_t count;
    uint32_t bins;
  } sizes[] = {{0, 0},         {0, 5},     {1, 0},         {7, 1},
               {100, 1000000}, {50000, 3}, {60000, 60000}, {200000, 999}};
  for (int threads = 1; threads <= 5; threads++)
    check_sort(threads, sizes[_i].count, sizes[_i].bins);
}
END_TEST

START_TEST(test_a_key_out_of_range_names_the_first_point) {
  enum { COUNT = 50000 };
  cw_context *context = context_of(3, CW_ISA_AUTO);
  uint32_t *keys = calloc(COUNT, sizeof *keys), *permutation = calloc(COUNT, sizeof *permutation);
  int64_t offsets[11];
  ck_assert(keys && permutation);
  keys[10] = 10; /* the sentinel is allowed */
  keys[49999] = 12;
  keys[31234] = 11;
  keys[31300] = 4000000000u;
  ck_assert_int_eq(cw_cells_sort_keys(context, COUNT, keys, 10, permutation, offsets),
                   CW_ERROR_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(cw_context_message(context), "point 31234 is 11"));
  ck_assert_int_eq(cw_cells_sort_keys(context, -1, keys, 10, permutation, offsets),
                   CW_ERROR_ARGUMENT);
  ck_assert_int_eq(cw_cells_sort_keys(context, (int64_t)1 << 32, keys, 10, permutation, offsets),
                   CW_ERROR_UNSUPPORTED);
  ck_assert_int_eq(cw_cells_sort_keys(context, COUNT, keys, UINT32_MAX, permutation, offsets),
                   CW_ERROR_UNSUPPORTED);
  free(keys), free(permutation);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_gather_takes_the_named_items) {
  enum { COUNT = 40001, SOURCES = 70000 };
  static unsigned char source[SOURCES * 8], destination[(COUNT + 1) * 8];
  static uint32_t permutation[COUNT];
  for (size_t k = 0; k < sizeof source; k++)
    source[k] = (unsigned char)(k * 2654435761u >> 13);
  for (uint32_t s = 0; s < COUNT; s++) {
    uint32_t bits[4];
    cw_random_bits(3, 2, s, 0, bits);
    permutation[s] = bits[0] % SOURCES;
  }
  cw_context *context = context_of(2, (cw_isa)_i);
  if (!context)
    return; /* this processor lacks the instruction set */
  for (size_t size = 1; size <= 8; size *= 2) {
    memset(destination, 0xa5, sizeof destination);
    ck_assert_int_eq(cw_cells_gather(context, COUNT, permutation, size, source, destination),
                     CW_OK);
    int wrong = destination[COUNT * size] != 0xa5;
    for (size_t s = 0; s < COUNT; s++)
      wrong += memcmp(destination + s * size, source + permutation[s] * size, size) != 0;
    ck_assert_int_eq(wrong, 0);
  }
  ck_assert_int_eq(cw_cells_gather(context, 1, permutation, 3, source, destination),
                   CW_ERROR_ARGUMENT);
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  TCase *cases = tcase_create("sort_keys");
  tcase_set_timeout(cases, 120);
  tcase_add_loop_test(cases, test_order_is_by_key_then_point, 0, 8);
  tcase_add_test(cases, test_a_key_out_of_range_names_the_first_point);
  tcase_add_loop_test(cases, test_gather_takes_the_named_items, CW_ISA_BASE, CW_ISA_AVX512 + 1);
  Suite *suite = suite_create("sort_keys");
  suite_add_tcase(suite, cases);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
