/* Payloads and marks: what a particle was given when it came into being stays with its id through
 * sorts, the removal of the dead, walls and a restart. */
#include <math.h>
#include <stdlib.h>

#include "base/reals.h"
#include "base/thinning.h"
#include "engine/restore_case.h"
#include "engine/sample.h"

/* Absorbing sides, so that particles are dropped; species a is sorted, b is cleared. */
#define DECK(precision)                                                                            \
  "[simulation]\nname = \"s\"\nengine = \"srpic\"\nruntime = 100.0\nprecision = \"" precision      \
  "\"\n[grid]\nresolution = [16, 12]\nextent = [[0.0, 1.6], [-0.6, 0.6]]\n"                        \
  "metric.metric = \"minkowski\"\n"                                                                \
  "boundaries.fields = [[\"ABSORB\"], [\"PERIODIC\"]]\n"                                           \
  "boundaries.particles = [[\"ABSORB\", \"REFLECT\"], [\"PERIODIC\"]]\n"                           \
  "boundaries.absorb.ds = 0.3\n[scales]\nlarmor0 = 1.0\nskindepth0 = 1.0\n"                        \
  "[algorithms]\ndeposit.tiled_deposit_tile_size = 4\n[particles]\nppc0 = 8.0\n"                   \
  "[[particles.species]]\nlabel = \"a\"\nmass = 1.0\ncharge = -1.0\nn_payloads = 3\n"              \
  "spatial_sorting_interval = 2\ntracking = true\ntracking_stride = 2\n"                           \
  "[[particles.species]]\nlabel = \"b\"\nmass = 1.0\ncharge = 1.0\nn_payloads = 1\n"               \
  "clear_interval = 3\n"                                                                           \
  "[setup]\nproblem = \"thermal\"\ntemperature = 0.5\nconstants.h = 0.25\n"                        \
  "[setup.species.a]\npayload1 = \"x + h\"\npayload3 = \"10 * y + t\"\ntracked = \"x > 0.8\"\n"    \
  "[setup.species.b]\npayload1 = 7\n"
static const char *const decks[] = {DECK("single"), DECK("double")};

enum { MOST = 4096 };

/* The place of each particle at the start by its id, which is the oracle of all later payloads, and
 * whether a particle file with the stride of the tracks would hold it. */
typedef struct origins {
  double x[MOST][2];
  int known[MOST], in_files[MOST];
} origins;

static cw_particles_view view_of(engine_fixture *f, int s) {
  return cw_particles_get_view(cw_engine_particles(f->engine, s));
}

static void note_origins(engine_fixture *f, origins *from) {
  const cw_particles_view view = view_of(f, 0);
  const cw_grid *grid = cw_engine_grid(f->engine);
  memset(from, 0, sizeof *from);
  for (int64_t p = 0; p < view.count; p++) {
    ck_assert_uint_lt(view.id[p], MOST);
    from->known[view.id[p]] = 1;
    for (int a = 0; a < 2; a++)
      from->x[view.id[p]][a] =
          grid->origin[a] +
          (view.i[a][p] + cw_real_get(view.dx[a], view.precision, p)) * grid->dx[a];
  }
  cw_selection *all;
  cw_sample sample = {0};
  CW_CHECK_OK(f->context, cw_selection_create(f->context, f->deck, &all));
  CW_CHECK_OK(f->context, cw_sample_take(f->engine, 0, 2, all, &sample));
  for (int64_t n = 0; n < sample.count; n++)
    from->in_files[sample.id[n]] = 1;
  cw_sample_clear(f->context, &sample);
  cw_selection_destroy(all);
}

/* Returns how many are alive. */
static int64_t check_all(engine_fixture *f, const origins *from) {
  const cw_particles_view view = view_of(f, 0), other = view_of(f, 1);
  const double rounding = view.precision == CW_DOUBLE ? 1e-15 : 3e-7;
  int64_t alive = 0, tracked = 0;
  for (int64_t p = 0; p < view.count; p++) {
    if (view.tag[p] == CW_TAG_DEAD)
      continue;
    const double *x = from->x[view.id[p]];
    const double wanted[3] = {x[0] + 0.25, 0, 10 * x[1]};
    ck_assert_int_eq(from->known[view.id[p]], 1);
    for (int k = 0; k < 3; k++) {
      const double found = cw_real_get(view.payload[k], view.precision, p);
      ck_assert_msg(fabs(found - wanted[k]) <= rounding * 6, "id %llu, payload%d: %.17g; not %.17g",
                    (unsigned long long)view.id[p], k + 1, found, wanted[k]);
    }
    const int chosen = from->in_files[view.id[p]] && x[0] > 0.8;
    ck_assert_int_eq(view.tag[p] == CW_TAG_TRACKED, chosen);
    alive++, tracked += chosen;
  }
  ck_assert_int_gt(tracked, alive / 8);
  ck_assert_int_lt(tracked, alive / 2);
  ck_assert_ptr_null(view.payload[3]);
  ck_assert_ptr_null(other.payload[1]);
  for (int64_t p = 0; p < other.count; p++) {
    ck_assert(other.tag[p] == CW_TAG_DEAD ||
              cw_real_get(other.payload[0], other.precision, p) == 7);
    ck_assert_uint_ne(other.tag[p], CW_TAG_TRACKED);
  }
  return alive;
}

START_TEST(test_a_payload_stays_with_its_particle) {
  engine_fixture f = engine_from_text(decks[_i], 2);
  static origins from;
  note_origins(&f, &from);
  const int64_t before = check_all(&f, &from);
  engine_steps(&f, 11);
  const int64_t after = check_all(&f, &from);
  ck_assert_int_lt(after, before - 20); /* some left through the open side, and were dropped */
  ck_assert_int_lt(view_of(&f, 1).count, before - 20);
  store kept = {0};
  CW_CHECK_OK(f.context, cw_engine_save(f.engine, keep, &kept));
  restore_into(&f, &kept, 11);
  ck_assert_int_eq(check_all(&f, &from), after);
  engine_steps(&f, 4);
  check_all(&f, &from);
  engine_clear(&f);
  forget(&kept);
}
END_TEST

/* What particle files are made of. */
START_TEST(test_a_sample_has_the_payloads) {
  engine_fixture f = engine_from_text(decks[_i], 2);
  static origins from;
  cw_selection *selection = NULL;
  cw_sample sample = {0};
  note_origins(&f, &from);
  engine_steps(&f, 5);
  CW_CHECK_OK(f.context, cw_selection_create(f.context, f.deck, &selection));
  CW_CHECK_OK(f.context, cw_sample_take(f.engine, 0, 3, selection, &sample));
  ck_assert_int_gt(sample.count, 50);
  for (int64_t n = 0; n < sample.count; n++) {
    const double *x = from.x[sample.id[n]];
    ck_assert_double_eq_tol(sample.payload[0][n], x[0] + 0.25, 1e-6);
    ck_assert(sample.payload[1][n] == 0);
    ck_assert_double_eq_tol(sample.payload[2][n], 10 * x[1], 3e-6);
  }
  ck_assert_ptr_null(sample.payload[3]);
  cw_sample_clear(f.context, &sample);
  cw_selection_destroy(selection);
  engine_clear(&f);
}
END_TEST

/* payload1 of an injected particle is the time of its injection, and it is tracked like others. */
START_TEST(test_injected_particles_are_given_theirs) {
  char text[4096];
  snprintf(text, sizeof text, "%s%s", decks[_i],
           "payload2 = \"t\"\n[setup.injectors.left]\nkind = \"reservoir\"\nside = \"x-\"\n"
           "species = [\"a\", \"b\"]\ntemperature = 0.5\n");
  char *b = strstr(text, "n_payloads = 1");
  ck_assert_ptr_nonnull(b);
  memcpy(b, "n_payloads = 2", 14);
  engine_fixture f = engine_from_text(text, 2);
  static char known[2 * MOST];
  int64_t injected = 0;
  memset(known, 0, sizeof known);
  for (int step = 0; step < 10; step++) {
    const cw_particles_view view = view_of(&f, 1), other = view_of(&f, 0);
    for (int64_t p = 0; p < view.count; p++) {
      ck_assert_uint_lt(view.id[p], sizeof known);
      if (known[view.id[p]]++ || view.tag[p] == CW_TAG_DEAD)
        continue;
      const double t = cw_real_get(view.payload[1], view.precision, p);
      ck_assert_double_eq_tol(t, step ? (step - 1) * f.deck->dt : 0, 1e-6);
      ck_assert(cw_real_get(view.payload[0], view.precision, p) == 7);
      injected += step > 0;
    }
    for (int64_t p = 0; p < other.count; p++) /* the left is not where particles are tracked */
      ck_assert(step == 0 || other.tag[p] != CW_TAG_TRACKED || cw_thinning_keeps(other.id[p], 2));
    engine_steps(&f, 1);
  }
  ck_assert_int_gt(injected, 30);
  engine_clear(&f);
}
END_TEST

/* One species' interval is its own: sorted every second step, cleared every third. */
START_TEST(test_a_species_has_its_own_intervals) {
  engine_fixture f = engine_from_text(decks[0], 1);
  for (int step = 0; step < 12; step++) {
    const int64_t count[2] = {view_of(&f, 0).count, view_of(&f, 1).count};
    engine_steps(&f, 1);
    ck_assert(step % 2 == 0 || view_of(&f, 0).count == count[0]);
    ck_assert(step % 3 == 0 || view_of(&f, 1).count == count[1]);
    ck_assert(step < 4 || step % 6 || view_of(&f, 1).count < count[1]);
  }
  engine_clear(&f);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("payloads");
  TCase *each = tcase_create("payloads");
  tcase_add_loop_test(each, test_a_payload_stays_with_its_particle, 0, 2);
  tcase_add_loop_test(each, test_a_sample_has_the_payloads, 0, 2);
  tcase_add_loop_test(each, test_injected_particles_are_given_theirs, 0, 2);
  tcase_add_test(each, test_a_species_has_its_own_intervals);
  suite_add_tcase(suite, each);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  const int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed != 0;
}
