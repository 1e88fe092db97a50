/* The sort against its definition. */
#include <check.h>

#include "base/context_private.h"
#include "sort/particles_private.h"
#include "sort_oracle.h"

static cw_context *context_of(int threads) {
  cw_context_options options = {.threads = threads};
  cw_context *context;
  ck_assert_int_eq(cw_context_create(&options, &context, NULL, 0), CW_OK);
  return context;
}

static cw_particles *particles_of(cw_context *context, const oracle_case *c) {
  cw_particles_options options = {
      .dim = c->dim, .precision = c->precision, .with_weights = 1, .payloads = c->dim + 1};
  cw_particles *particles;
  ck_assert_int_eq(cw_particles_create(context, &options, c->count, &particles), CW_OK);
  ck_assert_int_eq(cw_particles_resize(particles, c->count), CW_OK);
  cw_particles_view view = cw_particles_get_view(particles);
  for (int64_t s = 0; s < c->count; s++)
    oracle_particle(c, &view, s, (uint64_t)s);
  return particles;
}

static cw_cells *cells_of(cw_context *context, const oracle_case *c, int low_memory) {
  cw_cells_options options = {.dim = c->dim,
                              .cells = {c->cells[0], c->cells[1], c->cells[2]},
                              .tile = c->tile,
                              .key = c->key,
                              .depth = c->depth,
                              .low_memory = low_memory};
  cw_cells *cells;
  ck_assert_int_eq(cw_cells_create(context, &options, &cells), CW_OK);
  return cells;
}

/* Every moved member of `sorted` holds, at place s, the value that `before` had at items[s].slot.
 */
static void check_members(const cw_particles_view *before, const cw_particles_view *sorted,
                          const oracle_item *items, int64_t alive) {
  void *from[CW_MEMBERS], *to[CW_MEMBERS];
  cw_member_arrays(before, from);
  cw_member_arrays(sorted, to);
  for (int m = 0; m < CW_MEMBERS; m++) {
    int is_prev = (m >= 3 && m < 6) || (m >= 9 && m < 12);
    if (!to[m] || is_prev)
      continue;
    size_t size = cw_member_size(m, before->precision);
    int64_t s = 0;
    while (s < alive && memcmp((char *)to[m] + (size_t)s * size,
                               (char *)from[m] + (size_t)items[s].slot * size, size) == 0)
      s++;
    ck_assert_msg(s == alive, "member %d is wrong at place %lld", m, (long long)s);
  }
}

static void check_offsets(const oracle_case *c, const cw_cells_view *view, const oracle_item *items,
                          int64_t alive) {
  ck_assert_int_eq(view->total_tiles, oracle_tiles(c));
  ck_assert_int_eq(view->npart_partitioned, alive);
  int64_t s = 0, wrong = 0;
  for (int64_t t = 0; t <= view->total_tiles; t++) {
    while (s < alive && items[s].tile < t)
      s++;
    wrong += view->tile_offsets[t] != s;
  }
  ck_assert_int_eq(wrong, 0);
  ck_assert_int_eq(s, alive);
}

/* Sorts `rounds` times, moving the particles in between, and checks each result. */
static void check_case(const oracle_case *c, int threads, int low_memory, int rounds) {
  cw_context *context = context_of(threads);
  cw_particles *particles = particles_of(context, c), *copy = particles_of(context, c);
  cw_cells *cells = cells_of(context, c, low_memory);
  for (int round = 0; round < rounds; round++) {
    cw_particles_view view = cw_particles_get_view(particles);
    cw_particles_view before = cw_particles_get_view(copy);
    before.count = view.count;
    void *from[CW_MEMBERS], *to[CW_MEMBERS], *after[CW_MEMBERS];
    cw_member_arrays(&view, from);
    cw_member_arrays(&before, to);
    for (int m = 0; m < CW_MEMBERS; m++)
      if (from[m])
        memcpy(to[m], from[m], (size_t)view.count * cw_member_size(m, c->precision));
    int64_t alive;
    oracle_item *items = oracle_sort(c, &before, &alive);
    ck_assert_int_eq(cw_cells_sort(cells, particles), CW_OK);
    cw_particles_view sorted = cw_particles_get_view(particles);
    cw_member_arrays(&sorted, after);
    for (int m = 0; m < CW_MEMBERS; m++)
      ck_assert_ptr_eq(from[m], after[m]);
    ck_assert_int_eq(sorted.count, alive);
    cw_cells_view table = cw_cells_get_view(cells);
    check_offsets(c, &table, items, alive);
    check_members(&before, &sorted, items, alive);
    free(items);
    for (int64_t s = 0; s < sorted.count;
         s++) { /* one particle in 16 moves one cell and some die */
      uint64_t n = sorted.id[s];
      uint32_t bits[4];
      cw_random_bits(11, (uint32_t)round, n, 0, bits);
      for (int a = 0; a < c->dim; a++) {
        sorted.i_prev[a][s] = sorted.i[a][s];
        if (bits[a] % 16 == 0)
          sorted.i[a][s] += bits[a] / 16 % 2 ? 1 : -1;
        if (c->outside == 0) /* periodic: a sort that finds all inside need not move the cells */
          sorted.i[a][s] = (sorted.i[a][s] + c->cells[a]) % c->cells[a];
      }
      if (c->dead > 0 && bits[3] % 64 == 0)
        sorted.tag[s] = CW_TAG_DEAD;
    }
  }
  cw_cells_destroy(cells);
  cw_particles_destroy(copy);
  cw_particles_destroy(particles);
  ck_assert_uint_eq(cw_memory_used(context, CW_SPACE_HOST), 0);
  cw_context_destroy(context);
}

static const int32_t tile_sizes[] = {4, 6, 8, 10, 12, 14, 16};

START_TEST(test_particles_stand_in_key_order) {
  /* Grids that no tile size divides; one case a dimension, precision, key, depth and tile size. */
  oracle_case c = {.cells = {37, 23, 11}, .dead = 0.05, .outside = 0.05, .count = 3001};
  c.tile = tile_sizes[_i];
  for (c.dim = 1; c.dim <= 3; c.dim++)
    for (int precision = 0; precision < 2; precision++)
      for (int key = 0; key < 2; key++)
        for (int depth = 0; depth < 3; depth++) {
          c.precision = (cw_precision)precision;
          c.key = (cw_cells_key)key;
          c.depth = (cw_cells_depth)depth;
          check_case(&c, 1, 0, 2);
        }
}
END_TEST

START_TEST(test_result_is_the_same_for_any_threads_and_memory) {
  /* Enough particles for several parts, chunks and a window; later rounds are nearly sorted. */
  oracle_case c = {.dim = 3,
                   .cells = {20, 18, 33},
                   .tile = 8,
                   .depth = (cw_cells_depth)(_i % 3),
                   .key = CW_KEY_CURRENT,
                   .dead = 0.02,
                   .count = 120000};
  c.precision = _i % 2 ? CW_DOUBLE : CW_SINGLE;
  int threads = 1 + _i / 2 % 4, low_memory = _i / 8;
  check_case(&c, threads, low_memory, 3);
}
END_TEST

START_TEST(test_sparse_particles_leave_empty_tiles) {
  oracle_case c = {
      .dim = 2, .cells = {400, 300, 1}, .tile = 4, .depth = CW_DEPTH_CELL, .count = 57};
  check_case(&c, 3, 0, 2);
}
END_TEST

START_TEST(test_no_particles) {
  oracle_case c = {.dim = 2, .cells = {9, 9, 1}, .tile = 4, .depth = CW_DEPTH_CELL, .count = 0};
  check_case(&c, 2, 0, 2);
  check_case(&c, 2, 1, 2);
}
END_TEST

START_TEST(test_all_dead_leaves_none) {
  oracle_case c = {.dim = 1, .cells = {9, 1, 1}, .tile = 4, .dead = 2, .count = 5000};
  check_case(&c, 2, 0, 1);
  check_case(&c, 2, 1, 1);
}
END_TEST

START_TEST(test_sort_of_a_callers_own_arrays_without_optional_members) {
  enum { COUNT = 1000 };
  static int32_t i[COUNT];
  static float u[COUNT];
  cw_context *context = context_of(2);
  oracle_case c = {.dim = 1, .cells = {50, 1, 1}, .tile = 4, .depth = CW_DEPTH_CELL};
  cw_cells *cells = cells_of(context, &c, 0);
  for (int s = 0; s < COUNT; s++)
    i[s] = (s * 37) % 50, u[s] = (float)s;
  cw_particles_view view = {.count = COUNT, .precision = CW_SINGLE, .i = {i}, .u = {u, NULL, NULL}};
  int64_t count = -1;
  ck_assert_int_eq(cw_cells_sort_view(cells, view, &count), CW_OK);
  ck_assert_int_eq(count, COUNT);
  int wrong = 0;
  for (int s = 0; s < COUNT; s++) {
    wrong += i[s] != ((int)u[s] * 37) % 50;
    if (s)
      wrong += !(i[s - 1] < i[s] || (i[s - 1] == i[s] && u[s - 1] < u[s]));
  }
  ck_assert_int_eq(wrong, 0);
  cw_cells_destroy(cells);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_a_reordered_owner_makes_the_table_stale) {
  cw_context *context = context_of(1);
  oracle_case c = {.dim = 2, .cells = {9, 9, 1}, .tile = 4, .count = 100};
  cw_particles *particles = particles_of(context, &c);
  cw_cells *cells = cells_of(context, &c, 0), *other = cells_of(context, &c, 0);
  ck_assert_int_eq(cw_cells_get_view(cells).total_tiles, 0);
  ck_assert_int_eq(cw_cells_check(cells, particles),
                   CW_OK); /* a table without a sort claims nothing */
  ck_assert_int_eq(cw_cells_sort(cells, particles), CW_OK);
  ck_assert_int_eq(cw_cells_check(cells, particles), CW_OK);
  ck_assert_uint_eq(cw_cells_get_view(cells).epoch, cw_particles_epoch(particles));
  ck_assert_int_eq(cw_particles_resize(particles, 120), CW_OK); /* a tail is no reorder */
  ck_assert_int_eq(cw_cells_check(cells, particles), CW_OK);
  ck_assert_int_eq(cw_cells_sort(other, particles), CW_OK);
  ck_assert_int_eq(cw_cells_check(cells, particles), CW_ERROR_STALE);
  ck_assert_int_eq(cw_cells_check(other, particles), CW_OK);
  ck_assert_int_eq(cw_particles_resize(particles, 10), CW_OK); /* slots dropped */
  ck_assert_int_eq(cw_cells_check(other, particles), CW_ERROR_STALE);
  cw_cells_destroy(cells);
  cw_cells_destroy(other);
  cw_particles_destroy(particles);
  cw_context_destroy(context);
}
END_TEST

START_TEST(test_wrong_options_and_particles_are_refused) {
  cw_context *context = context_of(1);
  oracle_case c = {.dim = 2, .cells = {9, 9, 1}, .tile = 4, .count = 10};
  cw_particles *particles = particles_of(context, &c);
  cw_cells_options right = {.dim = 1, .cells = {9, 0, 0}, .tile = 4};
  cw_cells *cells = NULL;
  ck_assert_int_eq(cw_cells_create(context, &right, &cells), CW_OK);
  ck_assert_int_eq(cw_cells_sort(cells, particles), CW_ERROR_ARGUMENT);
  cw_particles_view view = cw_particles_get_view(particles);
  int64_t count = 77;
  view.count = (int64_t)UINT32_MAX + 1;
  ck_assert_int_eq(cw_cells_sort_view(cells, view, &count), CW_ERROR_UNSUPPORTED);
  view = cw_particles_get_view(particles);
  view.space = CW_SPACE_DEVICE;
  ck_assert_int_eq(cw_cells_sort_view(cells, view, &count), CW_ERROR_ARGUMENT);
  ck_assert_int_eq(count, 77);
  cw_cells_destroy(cells);
  for (int k = 0; k < 6; k++) {
    cw_cells_options wrong = right;
    if (k == 0)
      wrong.tile = 5;
    if (k == 1)
      wrong.dim = 4;
    if (k == 2)
      wrong.cells[0] = 0;
    if (k == 3)
      wrong.key = (cw_cells_key)9;
    if (k == 4)
      wrong.depth = (cw_cells_depth)-1;
    if (k == 5)
      wrong.dim = 3, wrong.cells[0] = wrong.cells[1] = wrong.cells[2] = 1 << 20;
    ck_assert_int_eq(cw_cells_create(context, &wrong, &cells),
                     k == 5 ? CW_ERROR_UNSUPPORTED : CW_ERROR_ARGUMENT);
    ck_assert_ptr_null(cells);
    ck_assert(strlen(cw_context_message(context)) > 0);
  }
  cw_particles_destroy(particles);
  cw_context_destroy(context);
}
END_TEST

int main(void) {
  TCase *cases = tcase_create("cells_sort");
  tcase_set_timeout(cases, 120);
  tcase_add_loop_test(cases, test_particles_stand_in_key_order, 0, 7);
  tcase_add_loop_test(cases, test_result_is_the_same_for_any_threads_and_memory, 0, 16);
  tcase_add_test(cases, test_sparse_particles_leave_empty_tiles);
  tcase_add_test(cases, test_no_particles);
  tcase_add_test(cases, test_all_dead_leaves_none);
  tcase_add_test(cases, test_sort_of_a_callers_own_arrays_without_optional_members);
  tcase_add_test(cases, test_a_reordered_owner_makes_the_table_stale);
  tcase_add_test(cases, test_wrong_options_and_particles_are_refused);
  Suite *suite = suite_create("cells_sort");
  suite_add_tcase(suite, cases);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
