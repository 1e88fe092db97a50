/* Injectors of a run on the device: what comes in has the CPU's bits, and the run its history. */
#include "base/device.h"
#include "engine_twins.h"

#define BOTH "species = [\"e\", \"p\"]\n"
static const char *const injectors[] = {
    "[setup.injectors.left]\nkind = \"reservoir\"\nside = \"x-\"\ntemperature = 0.3\n" BOTH
    "[setup.injectors.right]\nkind = \"reservoir\"\nside = \"x+\"\ntemperature = 0.3\n" BOTH,
    "[setup.injectors.plane]\nkind = \"moving\"\nside = \"x+\"\nposition = 0.8\nspeed = 0.3\n"
    "temperature = 0.1\nvelocity = [-0.2, 0, 0]\n" BOTH,
    "[setup.injectors.region]\nkind = \"replenish\"\ninterval = 3\ntemperature = 0.2\n"
    "density = 1.5\n" BOTH};
enum { KINDS = 3 };

static twin_case case_of(int k) {
  return (twin_case){.dim = 1 + k % 3,
                     .precision = (cw_precision)(k / 3 % 2),
                     .walls = TWIN_ABSORB,
                     .deposit = k % 2 ? TWIN_TILED : TWIN_FIXED,
                     .interval = k % 4 ? 4 : 1,
                     .order = 2,
                     .weights = k / 2 % 2,
                     .setup = injectors[(k + k / 3) % KINDS]};
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

/* Tolerances as for runs without injectors. Ids in order of slots: the same particles came in the
 * same steps, and were sorted alike. */
static void test_history_and_ids_equal_the_cpus(cw_context *context) {
  for (int k = 0; k < (plain_short() ? 3 : 12); k++) {
    const twin_case c = case_of(k);
    const twin_tolerance tolerance =
        c.precision == CW_DOUBLE ? (twin_tolerance){1e-12, 1e-11} : (twin_tolerance){1e-5, 1e-5};
    char text[TWIN_DECK], what[64];
    snprintf(what, sizeof what, "case %d, %dD", k, c.dim);
    twin_deck(&c, text);
    twin device = twin_open(context, what, text, NULL, 0),
         host = twin_open(NULL, what, text, NULL, 0);
    int64_t before, after;
    free(device.engine ? ids_of(&device, 0, &before) : NULL);
    twin_steps(&device, 1), twin_steps(&host, 1);
    compare_ids(what, &device, &host);
    for (int part = 0; part < 3; part++) {
      twin_steps(&device, plain_short() ? 4 : 20), twin_steps(&host, plain_short() ? 4 : 20);
      twin_compare(what, &device, &host, tolerance);
    }
    uint64_t newest = 0;
    uint64_t *ids = device.engine ? ids_of(&device, 0, &after) : NULL;
    for (int64_t p = 0; ids && p < after; p++)
      newest = ids[p] > newest ? ids[p] : newest;
    plain_check(!ids || newest > (uint64_t)before, "%s: nothing came in", what);
    free(ids);
    twin_close(&device);
    twin_close(&host);
  }
}

/* A species that may not have more: told with the injector's name and the step. */
static void test_too_many_are_refused(cw_context *context) {
  const twin_case c = case_of(2); /* replenish */
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
  cw_status status = CW_OK;
  for (int k = 0; k < 5 && status == CW_OK && device.engine; k++)
    status = cw_engine_step(device.engine);
  plain_check(status != CW_OK && strstr(cw_context_message(context), "injector 'region' brings "),
              "%s: '%s'", cw_status_name(status), cw_context_message(context));
  twin_close(&device);
}

/* Fixed point: injected or not, a run has the same bits again. */
static void test_two_runs_have_the_same_bits(cw_context *context) {
  for (int k = 0; k < KINDS; k++) {
    twin_case c = case_of(k);
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
    plain_check(strcmp(hash[0], hash[1]) == 0, "kind %d: %s, then %s", k, hash[0], hash[1]);
  }
}

int main(void) {
  static const plain_case cases[] = {PLAIN_CASE(test_history_and_ids_equal_the_cpus),
                                     PLAIN_CASE(test_too_many_are_refused),
                                     PLAIN_CASE(test_two_runs_have_the_same_bits)};
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
