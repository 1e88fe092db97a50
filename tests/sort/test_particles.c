/* The container: growth, addresses, contents. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <cellwise/cellwise.h>

static cw_context *new_context(void) {
  cw_context *context;
  ck_assert_int_eq(cw_context_create(NULL, &context, NULL, 0), CW_OK);
  return context;
}

START_TEST(test_growth_keeps_contents_and_is_geometric) {
  cw_context *context = new_context();
  cw_particles_options options = {.dim = 2, .precision = CW_DOUBLE, .with_weights = 1};
  cw_particles *particles;
  ck_assert_int_eq(cw_particles_create(context, &options, 4, &particles), CW_OK);
  int64_t capacity = cw_particles_capacity(particles), wrong = 0;
  int growths = 0;
  for (int64_t n = 1; n <= 20000; n++) {
    int64_t old = cw_particles_capacity(particles);
    void *address = cw_particles_get_view(particles).u[0];
    ck_assert(cw_particles_resize(particles, n) == CW_OK);
    cw_particles_view view = cw_particles_get_view(particles);
    if (cw_particles_capacity(particles) != old) {
      growths++;
      wrong += 2 * cw_particles_capacity(particles) < 3 * old;
    } else {
      wrong += view.u[0] != address;
    }
    wrong += view.tag[n - 1] != CW_TAG_DEAD || view.id[n - 1] != 0 || view.i[1][n - 1] != 0;
    view.i[1][n - 1] = (int32_t)n;
    ((double *)view.weight)[n - 1] = (double)n;
    view.id[n - 1] = (uint64_t)n;
  }
  ck_assert_int_eq(capacity, 4);
  ck_assert_int_eq(wrong, 0);
  ck_assert_int_le(growths, 24); /* log(20000 / 4) / log(1.5) = 21, and rounding at small sizes */
  cw_particles_view view = cw_particles_get_view(particles);
  for (int64_t s = 0; s < 20000; s++)
    wrong += view.i[1][s] != s + 1 || view.id[s] != (uint64_t)s + 1 ||
             ((double *)view.weight)[s] != (double)(s + 1);
  ck_assert_int_eq(wrong, 0);
  cw_particles_destroy(particles);
  ck_assert_uint_eq(cw_memory_used(context, CW_SPACE_HOST), 0);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_slots_that_come_back_are_zero_and_dead) {
  cw_context *context = new_context();
  cw_particles_options options = {.dim = 1};
  cw_particles *particles;
  ck_assert_int_eq(cw_particles_create(context, &options, 8, &particles), CW_OK);
  ck_assert_int_eq(cw_particles_resize(particles, 8), CW_OK);
  cw_particles_view view = cw_particles_get_view(particles);
  for (int s = 0; s < 8; s++)
    view.tag[s] = CW_TAG_ALIVE, ((float *)view.u[2])[s] = 3;
  ck_assert_int_eq(cw_particles_resize(particles, 5), CW_OK);
  ck_assert_int_eq(cw_particles_resize(particles, 8), CW_OK);
  for (int s = 0; s < 8; s++) {
    ck_assert_int_eq(view.tag[s], s < 5 ? CW_TAG_ALIVE : CW_TAG_DEAD);
    ck_assert(((float *)view.u[2])[s] == (s < 5 ? 3.0f : 0.0f));
  }
  cw_particles_destroy(particles);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_members_follow_the_options) {
  cw_context *context = new_context();
  for (int dim = 1; dim <= 3; dim++)
    for (int k = 0; k < 4; k++) {
      cw_particles_options options = {
          .dim = dim, .precision = (cw_precision)(k & 1), .with_weights = k / 2};
      cw_particles *particles;
      ck_assert_int_eq(cw_particles_create(context, &options, 10, &particles), CW_OK);
      cw_particles_view view = cw_particles_get_view(particles);
      for (int a = 0; a < 3; a++) {
        ck_assert_int_eq(view.i[a] != NULL, a < dim);
        ck_assert_int_eq(view.i_prev[a] != NULL, a < dim);
        ck_assert_int_eq(view.dx[a] != NULL, a < dim);
        ck_assert_int_eq(view.dx_prev[a] != NULL, a < dim);
        ck_assert_ptr_nonnull(view.u[a]);
      }
      ck_assert_int_eq(view.weight != NULL, k / 2);
      ck_assert_ptr_nonnull(view.tag);
      ck_assert_ptr_nonnull(view.id);
      /* two cells of 4 bytes and two offsets an axis, three u, a weight, a tag and an id */
      size_t real = k & 1 ? 8 : 4;
      size_t bytes = (size_t)dim * (8 + 2 * real) + 3 * real + (k / 2 ? real : 0) + 1 + 8;
      ck_assert_uint_eq(cw_particles_bytes_each(&options), bytes);
      cw_particles_destroy(particles);
    }
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_reserve_that_fails_changes_nothing) {
  cw_context *context = new_context();
  cw_particles_options options = {.dim = 3};
  cw_particles *particles;
  ck_assert_int_eq(cw_particles_create(context, &options, 10, &particles), CW_OK);
  ck_assert_int_eq(cw_particles_resize(particles, 7), CW_OK);
  cw_particles_view before = cw_particles_get_view(particles);
  before.id[6] = 42;
  size_t used = cw_memory_used(context, CW_SPACE_HOST);
  uint64_t epoch = cw_particles_epoch(particles);
  ck_assert_int_eq(cw_particles_reserve(particles, INT64_MAX / 64), CW_ERROR_MEMORY);
  ck_assert(strstr(cw_context_message(context), "particles i[0]") != NULL);
  ck_assert_int_eq(cw_particles_resize(particles, INT64_MAX / 64), CW_ERROR_MEMORY);
  ck_assert_int_eq(cw_particles_resize(particles, -1), CW_ERROR_ARGUMENT);
  cw_particles_view after = cw_particles_get_view(particles);
  ck_assert_int_eq(memcmp(&before, &after, sizeof before), 0);
  ck_assert_uint_eq(after.id[6], 42);
  ck_assert_int_eq(cw_particles_capacity(particles), 10);
  ck_assert_uint_eq(cw_particles_epoch(particles), epoch);
  ck_assert_uint_eq(cw_memory_used(context, CW_SPACE_HOST), used);
  cw_particles_destroy(particles);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_copy_holds_the_same_slots_and_is_another_order) {
  cw_context *context = new_context();
  const cw_particles_options options = {.dim = 2, .with_weights = 1};
  cw_particles *from, *to;
  ck_assert_int_eq(cw_particles_create(context, &options, 0, &from), CW_OK);
  ck_assert_int_eq(cw_particles_create(context, &options, 0, &to), CW_OK);
  for (int64_t count = 1000; count >= 0; count -= 500) { /* grows, shrinks, ends empty */
    ck_assert_int_eq(cw_particles_resize(from, count), CW_OK);
    const cw_particles_view a = cw_particles_get_view(from);
    for (int64_t s = 0; s < count; s++) {
      a.i[0][s] = (int32_t)(s - count), a.i_prev[1][s] = (int32_t)s;
      ((float *)a.dx_prev[1])[s] = (float)s, ((float *)a.u[2])[s] = (float)(2 * s);
      ((float *)a.weight)[s] = (float)(3 * s), a.tag[s] = (uint8_t)(s % 2),
              a.id[s] = (uint64_t)(7 * s);
    }
    const uint64_t epoch = cw_particles_epoch(to);
    ck_assert_int_eq(cw_particles_copy(to, from), CW_OK);
    ck_assert_int_eq(cw_particles_count(to), count);
    ck_assert_uint_gt(cw_particles_epoch(to), epoch);
    const cw_particles_view b = cw_particles_get_view(to);
    const size_t n = (size_t)count;
    ck_assert_int_eq(memcmp(a.i[0], b.i[0], n * 4) | memcmp(a.i_prev[1], b.i_prev[1], n * 4) |
                         memcmp(a.dx_prev[1], b.dx_prev[1], n * 4) | memcmp(a.u[2], b.u[2], n * 4) |
                         memcmp(a.weight, b.weight, n * 4) | memcmp(a.tag, b.tag, n) |
                         memcmp(a.id, b.id, n * 8),
                     0);
  }
  cw_particles_destroy(to);
  const cw_particles_options other[] = {{.dim = 3, .with_weights = 1},
                                        {.dim = 2},
                                        {.dim = 2, .with_weights = 1, .precision = CW_DOUBLE},
                                        {.dim = 2, .with_weights = 1, .payloads = 1},
                                        {.dim = 2, .with_weights = 1, .with_guide = 1}};
  for (int k = 0; k < 5; k++) {
    ck_assert_int_eq(cw_particles_create(context, &other[k], 0, &to), CW_OK);
    ck_assert_int_eq(cw_particles_copy(to, from), CW_ERROR_ARGUMENT);
    cw_particles_destroy(to);
  }
  cw_particles_destroy(from);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_wrong_options_are_refused) {
  cw_context *context = new_context();
  cw_particles *particles = NULL;
  cw_particles_options options = {.dim = 0};
  ck_assert_int_eq(cw_particles_create(context, &options, 1, &particles), CW_ERROR_ARGUMENT);
  options = (cw_particles_options){.dim = 2, .precision = (cw_precision)2};
  ck_assert_int_eq(cw_particles_create(context, &options, 1, &particles), CW_ERROR_ARGUMENT);
  options = (cw_particles_options){.dim = 2};
  ck_assert_int_eq(cw_particles_create(context, &options, -1, &particles), CW_ERROR_ARGUMENT);
  options.space = CW_SPACE_DEVICE;
  ck_assert_int_eq(cw_particles_create(context, &options, 1, &particles), CW_ERROR_UNSUPPORTED);
  ck_assert_ptr_null(particles);
  ck_assert_uint_eq(cw_memory_used(context, CW_SPACE_HOST), 0);
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  TCase *cases = tcase_create("particles");
  tcase_set_timeout(cases, 120);
  tcase_add_test(cases, test_growth_keeps_contents_and_is_geometric);
  tcase_add_test(cases, test_slots_that_come_back_are_zero_and_dead);
  tcase_add_test(cases, test_members_follow_the_options);
  tcase_add_test(cases, test_reserve_that_fails_changes_nothing);
  tcase_add_test(cases, test_copy_holds_the_same_slots_and_is_another_order);
  tcase_add_test(cases, test_wrong_options_are_refused);
  Suite *suite = suite_create("particles");
  suite_add_tcase(suite, cases);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
