/* Coordination numbers on the device: what any pair sum obeys, over random systems; frames in
 * flight; pairs at the very end of the range. */
#include <stdint.h>
#include <stdlib.h>

#include "coordination/coordination_properties.h"
#include "plain_check.h"

enum { FORMS = 3 };

/* Neighbours two spacings away on a cubic lattice are 4e-9 inside or outside the range, less than a
 * float of their coordinates can tell. */
static void test_rounding_does_not_decide_which_pairs_count(cw_context *context) {
  enum { EDGE = 12, ALL = EDGE * EDGE * EDGE };
  const double spacing = 0.3, side = EDGE * spacing;
  const cw_box box = {{{side, 0, 0}, {0, side, 0}, {0, 0, side}}};
  double *r = malloc(3 * ALL * sizeof *r);
  for (int k = 0; k < ALL; k++) {
    r[3 * k] = spacing * (k % EDGE) + 0.01;
    r[3 * k + 1] = spacing * (k / EDGE % EDGE) + 0.02;
    r[3 * k + 2] = spacing * (k / EDGE / EDGE) + 0.03;
  }
  const cw_coordinates_view view = {CW_DOUBLE, CW_SPACE_HOST, {r, r + 1, r + 2}, 3};
  for (int k = 0; k < 16; k += plain_short() ? 5 : 1) {
    const int inside = k % 2;
    const cw_coordination_options options = {
        .switching = {.r_0 = 0.25, .d_max = 0.6 + (inside ? 4e-9 : -4e-9), .nn = k / 2 % 2 ? 7 : 6},
        .precision = (cw_precision)(k / 4 % 2),
        .atoms = ALL,
        .form = k / 8 ? CW_COORDINATION_FORM_CELL : CW_COORDINATION_FORM_BUNDLE};
    cw_coordination *plan = NULL;
    cw_coordination_result result = {.value = NAN};
    plain_ok(context, cw_coordination_create(context, &options, &plan));
    plain_ok(context, cw_coordination_compute(plan, view, &box, 0, &result));
    /* at 1, sqrt 2, sqrt 3 and 2 spacings */
    const int64_t right = (int64_t)ALL * (6 + 12 + 8 + (inside ? 6 : 0)) / 2;
    plain_check(result.pairs_in_range == right, "case %d: %lld pairs, right %lld", k,
                (long long)result.pairs_in_range, (long long)right);
    cw_coordination_destroy(plan);
  }
  free(r);
}

static void test_random_systems_obey_what_any_sum_does(cw_context *context) {
  const int systems = plain_short() ? 1 : 48;
  int counted = 0;
  for (int k = 0; k < systems; k++) {
    static property_system s;
    counted += property_check(context, (uint64_t)k, (cw_coordination_form)(1 + k % FORMS), &s);
    plain_check(!s.failure[0], "seed %d: %s", k, s.failure);
  }
  plain_check(counted > 10 * systems, "%d steps counted", counted);
}

/* Four host threads, a context and a plan each: every frame has the bits that it has alone. */
static void test_frames_in_flight_have_the_bits_of_frames_alone(cw_context *context) {
  enum { FRAMES = 24, THREADS = 4 };
  const int frames = plain_short() ? THREADS : FRAMES;
  property_system *systems = calloc(FRAMES, sizeof *systems);
  property_sums *right = calloc(FRAMES, sizeof *right);
  int wrong = 0, failed = 0;
  for (int k = 0; k < frames; k++) {
    property_make(context, (uint64_t)k + 100, CW_COORDINATION_FORM_AUTO, &systems[k]);
    right[k] = property_compute(&systems[k], systems[k].positions, &systems[k].box);
    plain_check(!systems[k].failure[0], "%s", systems[k].failure);
    cw_coordination_destroy(systems[k].plan);
  }
#pragma omp parallel num_threads(THREADS) reduction(+ : wrong, failed)
  {
    const cw_context_options own = {.backend = CW_BACKEND_CUDA, .threads = 1};
    cw_context *mine = NULL;
    failed += cw_context_create(&own, &mine, NULL, 0) != CW_OK;
#pragma omp for schedule(dynamic, 1)
    for (int k = 0; k < frames; k++) {
      property_system *s = &systems[k];
      s->context = mine;
      property_open(s);
      if (s->plan) {
        const property_sums sums = property_compute(s, s->positions, &s->box);
        wrong += memcmp(&sums, &right[k], sizeof sums) != 0;
      }
      failed += s->failure[0] != 0;
      cw_coordination_destroy(s->plan);
    }
    cw_context_destroy(mine);
  }
  plain_check(failed == 0, "%d calls failed", failed);
  plain_check(wrong == 0, "%d frames differ", wrong);
  free(systems);
  free(right);
}

static const plain_case cases[] = {PLAIN_CASE(test_rounding_does_not_decide_which_pairs_count),
                                   PLAIN_CASE(test_random_systems_obey_what_any_sum_does),
                                   PLAIN_CASE(test_frames_in_flight_have_the_bits_of_frames_alone)};

int main(void) {
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
