/* What acts on a run from outside, on the device: injectors, a moving window, matching sides, the
 * antenna. What comes in has the CPU's bits, and the run its history. */
#include "base/device.h"
#include "engine_twins.h"

#define BOTH "species = [\"e\", \"p\"]\n"
/* Density and fields of place, across a window's way where it has another axis. */
#define PLASMA(label)                                                                              \
  "species." label ".density = \"1 + 0.3 * sin(3 * x)\"\nspecies." label ".temperature = 0.3\n"
#define WAVY                                                                                       \
  "problem = \"expressions\"\nB = [0.3, \"1 + 0.2 * sin(3 * x)\", 0.5]\n"                          \
  "E = [0, 0, \"0.2 * cos(2 * x)\"]\n" PLASMA("e") PLASMA("p")
#define STREAM "drift = [0.2, -0.1, 0.3]\nB = [0.3, 1, 0.5]\n"

/* What acts on a run from outside, and the sides that it needs. */
static const struct {
  const char *name;
  twin_walls walls;
  int window, brings;          /* brings: particles come in */
  const char *setup, *problem; /* problem: NULL: thermal */
} sources[] = {
    {"reservoirs", TWIN_ABSORB, 0, 1,
     "[setup.injectors.left]\nkind = \"reservoir\"\nside = \"x-\"\ntemperature = 0.3\n" BOTH
     "[setup.injectors.right]\nkind = \"reservoir\"\nside = \"x+\"\ntemperature = 0.3\n" BOTH},
    {"plane", TWIN_ABSORB, 0, 1,
     "[setup.injectors.plane]\nkind = \"moving\"\nside = \"x+\"\nposition = 0.8\nspeed = 0.3\n"
     "temperature = 0.1\nvelocity = [-0.2, 0, 0]\n" BOTH},
    {"region", TWIN_ABSORB, 0, 1,
     "[setup.injectors.region]\nkind = \"replenish\"\ninterval = 3\ntemperature = 0.2\n"
     "density = 1.5\n" BOTH},
    {"window", TWIN_OPEN, 1, 1, "species.p.payload1 = \"2 * x + t\"\n", WAVY},
    {"match at the start", TWIN_MATCH, 0, 0, "", WAVY},
    {"matching window", TWIN_MATCH, 1, 1, "", WAVY},
    {"match expressions", TWIN_MATCH, 0, 0,
     STREAM "match_E = [0, \"0.2 * sin(3 * t)\", 0]\nmatch_B = [\"0.3 + 0.1 * x\", 1, 0.5]\n"},
    {"antenna", TWIN_PERIODIC, 0, 0,
     "[setup.antenna]\namplitude = 0.5\nfrequency = 0.7\ndamping = 0.3\nmode_max = 2.0\n"
     "direction = [1, 0.5, 2]\n"}};
enum { INJECTORS = 3, WINDOW = 3, KINDS = sizeof sources / sizeof *sources };

/* Case k of a kind: dimensions, precisions, axes, deposits and intervals of the sort in turn. */
static twin_case case_of(int kind, int k) {
  const int dim = 1 + k % 3;
  return (twin_case){.dim = dim,
                     .precision = (cw_precision)(k / 3 % 2),
                     .walls = sources[kind].walls,
                     .axis = kind < INJECTORS ? 0 : k / 2 % dim,
                     .window = sources[kind].window,
                     .deposit = k % 2 ? TWIN_TILED : TWIN_FIXED,
                     .interval = (k + kind) % 5 == 4 ? 0
                                 : k % 4             ? 4
                                                     : 1,
                     .order = 2,
                     .filters = k % 3 == 1,
                     .weights = k / 2 % 2,
                     .pusher = kind == WINDOW ? "Vay\"\nn_payloads = 1 # \"" : NULL,
                     .more = kind == WINDOW ? "clear_interval = 5\n" : NULL,
                     .problem = sources[kind].problem,
                     .setup = sources[kind].setup};
}

/* The ids of a species in the order of its slots, from either space. */
static uint64_t *ids_of(twin *t, int s, int64_t *count) {
  const cw_particles_view view = cw_particles_get_view(cw_engine_particles(t->engine, s));
  const size_t bytes = (size_t)view.count * sizeof(uint64_t);
  uint64_t *ids = malloc(bytes + 1);
  *count = view.count;
  if (view.space == CW_SPACE_DEVICE)
    plain_ok(t->context, cw_device_read(t->context, ids, view.id, bytes));
  else
    memcpy(ids, view.id, bytes);
  return ids;
}

static void compare_ids(const char *what, twin *device, twin *host) {
  for (int s = 0; s < 2 && device->engine && host->engine; s++) {
    int64_t count[2];
    uint64_t *a = ids_of(device, s, &count[0]), *b = ids_of(host, s, &count[1]);
    plain_check(count[0] == count[1] && memcmp(a, b, (size_t)count[0] * sizeof *a) == 0,
                "%s: species %d: other ids, or %lld slots of %lld", what, s, (long long)count[0],
                (long long)count[1]);
    free(a), free(b);
  }
}

/* Tolerances as for runs without sources. Ids in order of slots: the same particles came in the
 * same steps, and were sorted alike. */
static void compare_runs(cw_context *context, int kind, int k) {
  const twin_case c = case_of(kind, k);
  const int is_double = c.precision == CW_DOUBLE, steps = plain_short() ? 4 : 20;
  const twin_tolerance tolerance =
      is_double ? (twin_tolerance){1e-12, 1e-11} : (twin_tolerance){1e-5, 1e-5};
  char text[TWIN_DECK], what[64];
  snprintf(what, sizeof what, "%s, case %d, %dD", sources[kind].name, k, c.dim);
  twin_deck(&c, text);
  twin device = twin_open(context, what, text, NULL, 0),
       host = twin_open(NULL, what, text, NULL, 0);
  if (device.engine && host.engine) {
    int64_t before, after;
    free(ids_of(&device, 0, &before));
    twin_compare(what, &device, &host, tolerance);
    twin_steps(&device, 1), twin_steps(&host, 1);
    compare_ids(what, &device, &host);
    for (int part = 0; part < 3; part++) {
      twin_steps(&device, steps), twin_steps(&host, steps);
      twin_compare(what, &device, &host, tolerance);
    }
    for (int q = 0; q < CW_QUANTITY_COUNT; q++)
      twin_compare_vectors(&device, &host, (cw_engine_quantity)q, is_double ? 1e-11 : 1e-4);
    uint64_t newest = 0;
    uint64_t *ids = ids_of(&device, 0, &after);
    for (int64_t p = 0; p < after; p++)
      newest = ids[p] > newest ? ids[p] : newest;
    plain_check(!sources[kind].brings || newest > (uint64_t)before, "%s: nothing came in", what);
    free(ids);
    for (int a = 0; a < 3; a++)
      plain_check(cw_engine_grid(device.engine)->origin[a] ==
                      cw_engine_grid(host.engine)->origin[a],
                  "%s: another place", what);
    plain_check(!c.window || cw_engine_grid(device.engine)->origin[c.axis] > 0.05,
                "%s: the window stands", what);
  }
  twin_close(&device);
  twin_close(&host);
}

static void test_runs_equal_the_cpus(cw_context *context) {
  for (int kind = 0; kind < KINDS; kind++)
    for (int k = kind % 3; k < (kind < INJECTORS ? 4 : 6) + kind % 3; k += plain_short() ? 5 : 1)
      compare_runs(context, kind, k);
  printf("     the largest difference is %.2g of what is allowed\n", twin_worst);
}

/* Charge that matching sides, a window that moves with light, or the antenna would lose or bring, as
 * on the CPU (test_window, test_sources, test_drive): round-off; charges are summed in quanta. */
static void test_gauss_law_holds(cw_context *context) {
  for (int kind = WINDOW; kind < KINDS; kind++)
    for (int k = plain_short() ? 5 : 3; k < 6; k++) {
      twin_case c = case_of(kind, k);
      cw_engine_diagnostics found = {.charge_error = NAN};
      char text[TWIN_DECK];
      if (c.problem) /* a field along the window's way that does not stand brings charge with it */
        c.problem = NULL, c.setup = STREAM;
      twin_deck(&c, text);
      twin device = twin_open(context, "Gauss", text, NULL, 0);
      for (int part = 0; part < (plain_short() ? 2 : 3) && device.engine; part++) {
        twin_steps(&device, plain_short() ? 3 : 20);
        plain_ok(context, cw_engine_diagnose(device.engine, &found));
        plain_check(found.charge_error <= 3e-12, "%s, %dD: %g", sources[kind].name, c.dim,
                    found.charge_error);
        plain_check(found.particles > 500, "%lld particles", (long long)found.particles);
      }
      twin_close(&device);
    }
}

/* A species that may not have more: told with the injector's name and the step. */
static void test_too_many_are_refused(cw_context *context) {
  const twin_case c = case_of(2, 2); /* the region */
  char text[TWIN_DECK];
  twin_deck(&c, text);
  char *label = strstr(text, "label = \"e\"\n");
  plain_check(label != NULL, "no species");
  if (!label)
    return;
  char more[TWIN_DECK];
  snprintf(more, sizeof more, "%.*smaxnpart = 1e4\n%s", (int)(label - text), text, label);
  const cw_deck_override less = {"particles.ppc0", "5.5"}; /* 9240 of 14 x 12 x 10 cells; 13860 */
  twin device = twin_open(context, "too many", more, &less, 1);
  const cw_status status = twin_try_steps(&device, 5);
  plain_check(status != CW_OK && strstr(cw_context_message(context), "injector 'region' brings "),
              "%s: '%s'", cw_status_name(status), cw_context_message(context));
  twin_close(&device);
}

/* A target that is not finite: the key, the place and the first time. */
static void test_a_target_that_is_not_finite_is_told(cw_context *context) {
  const twin_case c = {.dim = 2,
                       .walls = TWIN_MATCH,
                       .deposit = TWIN_FIXED,
                       .order = 2,
                       .setup = "match_B = [0, \"t < 0.2 || t > 9 ? x : log(x - 9)\", \"t\"]\n"};
  char text[TWIN_DECK];
  twin_deck(&c, text);
  twin device = twin_open(context, "not finite", text, NULL, 0);
  const cw_status status = twin_try_steps(&device, 40);
  plain_check(status == CW_ERROR_INPUT &&
                  strstr(cw_context_message(context), "setup.match_B[2] is nan at x = "),
              "%s: '%s'", cw_status_name(status), cw_context_message(context));
  twin_close(&device);
}

/* Fixed point: a run has the same bits again. */
static void test_two_runs_have_the_same_bits(cw_context *context) {
  for (int kind = 0; kind < KINDS; kind++) {
    twin_case c = case_of(kind, kind + 1);
    char text[TWIN_DECK], hash[2][65] = {"", "-"};
    c.deposit = TWIN_FIXED;
    twin_deck(&c, text);
    for (int run = 0; run < 2; run++) {
      twin device = twin_open(context, "twice", text, NULL, 0);
      twin_steps(&device, plain_short() ? 5 : 30);
      if (device.engine)
        plain_ok(context, cw_engine_sha256(device.engine, hash[run]));
      twin_close(&device);
    }
    plain_check(strcmp(hash[0], hash[1]) == 0, "%s: %s, then %s", sources[kind].name, hash[0],
                hash[1]);
  }
}

/* Saved between two sorts. */
static void test_saved_state_goes_on_to_the_same_bits(cw_context *context) {
  for (int kind = 0; kind < KINDS; kind += plain_short() ? 2 : 1)
    for (int k = plain_short() ? 2 : 1; k < 3; k++) {
      twin_case c = case_of(kind, k + 3 * (kind % 2));
      char text[TWIN_DECK];
      c.deposit = TWIN_FIXED;
      twin_deck(&c, text);
      twin device = twin_open(context, sources[kind].name, text, NULL, 0),
           host = twin_open(NULL, sources[kind].name, text, NULL, 0);
      twin_check_restore(&device, &host, 6, plain_short() ? 3 : 9);
    }
}

int main(void) {
  static const plain_case cases[] = {PLAIN_CASE(test_runs_equal_the_cpus),
                                     PLAIN_CASE(test_gauss_law_holds),
                                     PLAIN_CASE(test_too_many_are_refused),
                                     PLAIN_CASE(test_a_target_that_is_not_finite_is_told),
                                     PLAIN_CASE(test_two_runs_have_the_same_bits),
                                     PLAIN_CASE(test_saved_state_goes_on_to_the_same_bits)};
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
