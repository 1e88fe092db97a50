/* A state that was saved and restored goes on to the bits of the one that was not. */
#include <math.h>
#include <stdlib.h>

#include "base/context_private.h"
#include "engine/restore_case.h"

#define HEAD(engine, more)                                                                         \
  "[simulation]\nname = \"s\"\nengine = \"" engine "\"\nruntime = 100.0\n" more                    \
  "[grid.metric]\nmetric = \"minkowski\"\n[scales]\nlarmor0 = 1.0\nskindepth0 = 1.0\n"
#define PAIR                                                                                       \
  "[[particles.species]]\nlabel = \"e\"\nmass = 1.0\ncharge = -1.0\n"                              \
  "[[particles.species]]\nlabel = \"p\"\nmass = 1.0\ncharge = 1.0\n"
#define HOT "[setup]\nproblem = \"thermal\"\ntemperature = 0.3\n"
#define WALLS                                                                                      \
  "[grid]\nresolution = [20, 16]\nextent = [[0.0, 2.0], [0.0, 1.6]]\n"                             \
  "boundaries.fields = [[\"ABSORB\", \"CONDUCTOR\"], [\"PERIODIC\"]]\n"                            \
  "boundaries.particles = [[\"ABSORB\", \"REFLECT\"], [\"PERIODIC\"]]\nboundaries.absorb.ds = "    \
  "0.4\n"
#define RING "boundaries.fields = [[\"PERIODIC\"]]\nboundaries.particles = [[\"PERIODIC\"]]\n"

/* What the bits hang on besides fields and particles: the table of the last sort, the phase of the
 * next, dead slots that wait to be dropped, what filters left. */
static const char *const decks[] = {
    /* tiles of 4 sorted every fifth step; absorbed particles stay in their slots until then */
    HEAD("srpic", "precision = \"single\"\n") WALLS
    "[algorithms]\ncurrent_filters = 2\ndeposit.tiled_deposit_tile_size = 4\n"
    "[particles]\nppc0 = 12.0\nspatial_sorting_interval = 5\n" PAIR HOT,
    /* the same in fixed point, other intervals, weights, never sorted for one species */
    HEAD("srpic", "precision = \"double\"\n") WALLS
    "[algorithms]\ndeposit.tiled_deposit_fixed_point = true\ndeposit.tiled_deposit_tile_size = 6\n"
    "deposit.shape_order = 3\n[particles]\nppc0 = 9.0\nclear_interval = 4\nuse_weights = true\n"
    "spatial_sorting_interval = 3\n" PAIR "spatial_sorting_interval = 0\nn_payloads = 2\n"
    "tracking = true\ntracking_stride = 3\n" HOT "species.p.payload2 = \"x * y\"\n",
    HEAD("ecsim", "") "[grid]\nresolution = [24]\nextent = [[0.0, 6.0]]\n" RING
                      "[algorithms.timestep]\ndt = 0.3\n[algorithms.ecsim]\nsmoothing_passes = 1\n"
                      "[particles]\nppc0 = 20.0\n" PAIR HOT,
    HEAD("ecsim",
         "") "[grid]\nresolution = [24]\nextent = [[0.0, 6.0]]\n" RING
             "[algorithms.timestep]\ndt = 0.3\n[algorithms.ecsim]\npipeline = \"unsorted\"\n"
             "[particles]\nppc0 = 20.0\n" PAIR HOT,
    /* guiding centres: moments and momenta along B, and who has none; a wall that reflects them */
    HEAD("srpic", "precision = \"single\"\n") WALLS
    "[algorithms]\ndeposit.tiled_deposit_tile_size = 4\ngca.larmor_max = 0.15\n"
    "[particles]\nppc0 = 8.0\nspatial_sorting_interval = 4\n" PAIR "pusher = \"Vay,GCA\"\n"
    "tracking = true\n" HOT "external_B = [1, 0, 4]\n",
};
enum { DECKS = sizeof decks / sizeof *decks, BEFORE = 7, AFTER = 6 };

static engine_fixture make(int deck, int threads) {
  return engine_from_text(decks[deck], threads);
}

START_TEST(test_a_restored_state_goes_on_to_the_same_bits) {
  char unbroken[65], resumed[65], at_save[65], at_restore[65];
  engine_fixture f = make(_i, 1);
  store kept = {0};
  engine_steps(&f, BEFORE);
  CW_CHECK_OK(f.context, cw_engine_save(f.engine, keep, &kept));
  CW_CHECK_OK(f.context, cw_engine_sha256(f.engine, at_save));
  engine_steps(&f, AFTER);
  CW_CHECK_OK(f.context, cw_engine_sha256(f.engine, unbroken));
  engine_clear(&f);
  for (int threads = 1; threads <= 3; threads += 2) {
    f = make(_i, threads);
    restore_into(&f, &kept, BEFORE);
    CW_CHECK_OK(f.context, cw_engine_sha256(f.engine, at_restore));
    ck_assert_str_eq(at_restore, at_save);
    ck_assert_int_eq(cw_engine_step_number(f.engine), BEFORE);
    engine_steps(&f, AFTER);
    CW_CHECK_OK(f.context, cw_engine_sha256(f.engine, resumed));
    ck_assert_str_eq(resumed, unbroken);
    engine_clear(&f);
  }
  forget(&kept);
}
END_TEST

/* Diagnostics of a restored state, before any step, are those of the saved one. */
START_TEST(test_a_restored_state_has_the_diagnostics_of_the_saved_one) {
  cw_engine_diagnostics saved, restored;
  engine_fixture f = make(_i, 1);
  store kept = {0};
  engine_steps(&f, BEFORE);
  CW_CHECK_OK(f.context, cw_engine_save(f.engine, keep, &kept));
  CW_CHECK_OK(f.context, cw_engine_diagnose(f.engine, &saved));
  restore_into(&f, &kept, BEFORE);
  CW_CHECK_OK(f.context, cw_engine_diagnose(f.engine, &restored));
  ck_assert_int_eq(memcmp(&saved, &restored, sizeof saved), 0);
  engine_clear(&f);
  forget(&kept);
}
END_TEST

START_TEST(test_the_size_told_before_is_the_size_of_the_arrays) {
  engine_fixture f = make(_i, 1);
  store kept = {0};
  const cw_grid *grid = cw_engine_grid(f.engine);
  double told = cw_engine_save_bytes(f.deck, grid, -1, 0);
  int64_t bytes = 0, tables = 0;
  CW_CHECK_OK(f.context, cw_engine_save(f.engine, keep, &kept));
  for (int k = 0; k < kept.count; k++) {
    const cw_array *array = &kept.array[k];
    const int64_t size = cw_array_count(array) * cw_array_value_size(array->type);
    *(strstr(array->name, "tile_offsets") ? &tables : &bytes) += size;
  }
  ck_assert_int_eq(tables, 0); /* nothing is sorted yet */
  for (int s = 0; s < f.deck->particles.species_count; s++)
    told += cw_engine_save_bytes(f.deck, grid, s,
                                 (double)cw_particles_count(cw_engine_particles(f.engine, s)));
  ck_assert_msg(told == (double)bytes, "told %.0f; found %lld", told, (long long)bytes);
  engine_clear(&f);
  forget(&kept);
}
END_TEST

/* What a file could hold after all checks of the file. */
static void check_refused(int deck, const char *name, int64_t place, double value,
                          const char *part) {
  engine_fixture f = make(deck, 1);
  store kept = {0};
  cw_engine *engine;
  const cw_array_source source = {.user = &kept, .count = count_of, .read = give};
  engine_steps(&f, BEFORE);
  CW_CHECK_OK(f.context, cw_engine_save(f.engine, keep, &kept));
  cw_array *array = find(&kept, name);
  ck_assert_msg(array != NULL, "%s was not saved", name);
  if (array->type == CW_ARRAY_F32)
    ((float *)array->data)[place] = (float)value;
  else if (array->type == CW_ARRAY_F64)
    ((double *)array->data)[place] = value;
  else if (array->type == CW_ARRAY_I32)
    ((int32_t *)array->data)[place] = (int32_t)value;
  else if (array->type == CW_ARRAY_U8)
    ((uint8_t *)array->data)[place] = (uint8_t)value;
  else
    ((int64_t *)array->data)[place] = (int64_t)value;
  cw_status status = cw_engine_restore(f.context, f.deck, BEFORE, &source, &engine);
  ck_assert_msg(status == CW_ERROR_FORMAT || status == CW_ERROR_ARGUMENT, "%s: %s", name,
                cw_status_name(status));
  ck_assert_ptr_null(engine);
  ck_assert_msg(strstr(cw_context_message(f.context), part) != NULL, "%s",
                cw_context_message(f.context));
  engine_clear(&f);
  forget(&kept);
}

START_TEST(test_a_state_that_kernels_cannot_take_is_refused) {
  check_refused(0, "fields/E/y", 17, NAN, "'fields/E/y': value 17 is not finite");
  check_refused(2, "particles/p/momentum/z", 3, INFINITY, "momentum/z': value 3 is not finite");
  check_refused(2, "particles/e/positionOffset/x", 5, 24, "slot 5 is neither dead nor inside");
  check_refused(2, "particles/e/positionOffset/x", 5, -1, "slot 5 is neither dead nor inside");
  check_refused(2, "particles/e/position/x", 8, 1.0, "slot 8 is neither dead nor inside");
  check_refused(2, "particles/e/tag", 2, 7, "slot 2 is neither dead nor inside");
  check_refused(0, "particles/e/tile_offsets", 3, 1e9, "offsets do not rise");
  check_refused(0, "particles/e/tile_offsets", 0, 1, "offsets do not rise");
}
END_TEST

START_TEST(test_a_state_that_is_not_finite_is_not_saved) {
  engine_fixture f = make(2, 1);
  store kept = {0};
  ((double *)engine_vector(&f, CW_QUANTITY_B).component[1])[9] = NAN;
  ck_assert_int_eq(cw_engine_save(f.engine, keep, &kept), CW_ERROR_NUMERIC);
  ck_assert_msg(strstr(cw_context_message(f.context), "'fields/B/y': value 9 is not finite"), "%s",
                cw_context_message(f.context));
  engine_clear(&f);
  forget(&kept);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("snapshot");
  TCase *cases = tcase_create("snapshot");
  tcase_add_loop_test(cases, test_a_restored_state_goes_on_to_the_same_bits, 0, DECKS);
  tcase_add_loop_test(cases, test_a_restored_state_has_the_diagnostics_of_the_saved_one, 0, DECKS);
  tcase_add_loop_test(cases, test_the_size_told_before_is_the_size_of_the_arrays, 0, DECKS);
  tcase_add_test(cases, test_a_state_that_kernels_cannot_take_is_refused);
  tcase_add_test(cases, test_a_state_that_is_not_finite_is_not_saved);
  suite_add_tcase(suite, cases);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? 1 : 0;
}
