/* Whole runs of the explicit engine on the device against the CPU's, of which each part is tested
 * against double precision. */
#include "base/device.h"
#include "engine/histograms.h"
#include "engine/records.h"
#include "engine/sample.h"
#include "engine/tracked.h"
#include "engine_twins.h"

#include <stdbool.h>

/* Rounding differs by the order of sums and by fused operations; a warm plasma of a few hundred
 * particles a Debye volume makes of it, in 100 steps, some hundred times as much: 1e-7 and 1e-16 at
 * first. The charge error's own size is some 1e-6 and 1e-14; on a device charge is summed in quanta
 * of 2^-40 of a particle's. */
static twin_tolerance tolerance_of(cw_precision precision) {
  return precision == CW_DOUBLE ? (twin_tolerance){1e-12, 1e-11} : (twin_tolerance){1e-5, 1e-5};
}

static void describe(const twin_case *c, char text[160]) {
  static const char *const walls[] = {"periodic", "reflecting", "absorbing", "matching", "open"};
  static const char *const deposits[] = {"flat", "tiled", "fixed"};
  snprintf(text, 160, "%dD %s %s %s, order %d, sorted every %d, %d filters%s%s", c->dim,
           cw_precision_name(c->precision), walls[c->walls], deposits[c->deposit], c->order,
           c->interval, c->filters, c->weights ? ", weights" : "",
           c->low_memory ? ", low memory" : "");
}

/* 100 steps, compared at the start and every 25. */
static void compare_runs(cw_context *context, const twin_case *c) {
  const int steps = plain_short() ? 2 : 25;
  char text[TWIN_DECK], what[160], hash[2][65] = {"", ""};
  describe(c, what);
  twin_deck(c, text);
  twin device = twin_open(context, what, text, NULL, 0),
       host = twin_open(NULL, what, text, NULL, 0);
  if (device.engine && host.engine) {
    plain_ok(context, cw_engine_sha256(device.engine, hash[0]));
    plain_ok(host.context, cw_engine_sha256(host.engine, hash[1]));
    plain_check(strcmp(hash[0], hash[1]) == 0, "%s: the initial state has other bits", what);
  }
  for (int part = 0; part <= 4; part++) {
    twin_compare(what, &device, &host, tolerance_of(c->precision));
    if (part < 4)
      twin_steps(&device, steps), twin_steps(&host, steps);
  }
  twin_close(&device);
  twin_close(&host);
}

/* Every dimension, wall and precision; over them every deposit with every interval. */
static void test_history_equals_the_cpus(cw_context *context) {
  static const int intervals[] = {1, 4, 0}, orders[] = {2, 1, 3};
  size_t held = 0;
  for (int k = 0; k <= 36; k += plain_short() ? 6 : 1) {
    if (k == 36)
      held = cw_memory_used(context, CW_SPACE_DEVICE); /* what kernels keep for their next call */
    const int turn = k + k / 3 + k / 9 + k / 18;
    const twin_case c = {.dim = 1 + k % 3,
                         .walls = (twin_walls)(k / 3 % 3),
                         .precision = (cw_precision)(k / 9 % 2),
                         .deposit = (twin_deposit)(turn % 3),
                         .interval = intervals[(turn / 3 + k / 18) % 3],
                         .order = orders[(k / 3 + k / 18) % 3],
                         .filters = k % 2 ? 2 : 0,
                         .weights = k % 4 == 1,
                         .low_memory = k % 5 == 2,
                         .more = k / 3 % 3 == TWIN_ABSORB ? "clear_interval = 7\n" : NULL};
    compare_runs(context, &c);
  }
  plain_check(cw_memory_used(context, CW_SPACE_DEVICE) <= held, "memory is held by engines");
  printf("     the largest difference is %.2g of what is allowed\n", twin_worst);
}

/* One that stands still, one that moves, and a force on one species beside it. */
static void test_external_fields_act_as_on_the_cpu(cw_context *context) {
  static const char *const fields[] = {"external_B = [0, \"cos(x)\", 2]\n",
                                       "external_E = [\"3 * sin(2 * t)\", 0, \"x * t\"]\n",
                                       "external_E = [0, \"x\", 0]\n"
                                       "species.p.force = [0.5, 0, \"cos(x) * t\"]\n"};
  for (int k = 0; k < (plain_short() ? 3 : 6); k++) {
    const twin_case c = {.dim = 1 + k % 2,
                         .precision = (cw_precision)(k / 3),
                         .deposit = TWIN_TILED,
                         .interval = 4,
                         .order = 2,
                         .setup = fields[k % 3]};
    compare_runs(context, &c);
  }
}

/* Guiding centres (none near a threshold, where a rounding decides), and radiation of both kinds. */
static void test_guiding_centres_and_radiation_are_the_cpus(cw_context *context) {
  static const char *const pushers[] = {"Vay,GCA\"\nn_payloads = 2 # \"",
                                        "Boris\"\nradiative_drag = \"synchrotron,compton"};
  for (int k = 0; k < 12; k++) {
    const twin_case c = {.dim = 1 + k % 3,
                         .walls = k % 2 ? TWIN_REFLECT : TWIN_PERIODIC,
                         .precision = (cw_precision)(k / 3 % 2),
                         .deposit = TWIN_TILED,
                         .interval = 4,
                         .order = 1 + k % 3,
                         .pusher = pushers[k / 6],
                         .setup = "external_B = [1, \"2 + 0 * x\", 5]\n"};
    compare_runs(context, &c);
  }
}

/* Fields at a particle have a tolerance of their own: external ones are formulas of the device. */
static void compare_tracks(twin *device, twin *host, double tolerance, double fields) {
  char names[CW_TRACK_COLUMNS][CW_TRACK_NAME];
  const int columns = cw_track_columns(host->deck, 1, names);
  cw_tracked a, b;
  double most = 0, most_of_fields = 0;
  plain_ok(device->context, cw_engine_tracked(device->engine, 1, &a));
  plain_ok(host->context, cw_engine_tracked(host->engine, 1, &b));
  plain_check(a.count == b.count && b.count > 20, "%lld tracked; the CPU has %lld",
              (long long)a.count, (long long)b.count);
  for (int64_t k = 0; k < b.count && a.count == b.count; k++) {
    plain_check(a.id[k] == b.id[k], "record %lld is of another particle", (long long)k);
    for (int c = 0; c < columns; c++) {
      const bool field = strncmp(names[c], "E/", 2) == 0 || strncmp(names[c], "B/", 2) == 0;
      double *largest = field ? &most_of_fields : &most;
      const double error = fabs(a.value[c][k] - b.value[c][k]);
      *largest = cw_larger(*largest, error);
    }
  }
  plain_check(most <= tolerance, "tracks differ by %.3g; %.3g is allowed", most, tolerance);
  plain_check(most_of_fields <= fields, "fields differ by %.3g; %.3g is allowed", most_of_fields,
              fields);
  cw_tracked_free(device->context, &a);
  cw_tracked_free(host->context, &b);
}

/* At the start to the bit, fields to the last place of a cosine; after a few steps to rounding. */
static void test_tracked_particles_are_the_cpus(cw_context *context) {
  for (int k = 0; k < 6; k++) {
    const twin_case c = {.dim = 1 + k % 3,
                         .walls = TWIN_REFLECT,
                         .precision = (cw_precision)(k / 3),
                         .deposit = TWIN_TILED,
                         .interval = 3,
                         .order = 2,
                         .weights = k % 2,
                         .pusher =
                             "Vay\"\nn_payloads = 2\ntracking = true\ntracking_stride = 5 # \"",
                         .setup = "external_B = [0, \"cos(x)\", 2]\nspecies.p.payload2 = \"x\"\n"};
    char text[TWIN_DECK];
    twin_deck(&c, text);
    twin device = twin_open(context, "tracks", text, NULL, 0),
         host = twin_open(NULL, "tracks", text, NULL, 0);
    if (device.engine && host.engine) {
      const double rounding = c.precision == CW_DOUBLE ? 1e-11 : 1e-4;
      compare_tracks(&device, &host, 0, c.precision == CW_DOUBLE ? 1e-15 : 1e-6);
      twin_steps(&device, 8), twin_steps(&host, 8);
      compare_tracks(&device, &host, rounding, rounding);
    }
    twin_close(&device);
    twin_close(&host);
  }
}

/* ABSORB must lose particles, or the counts above prove little. */
static void test_absorbing_walls_lose_particles(cw_context *context) {
  const twin_case c = {
      .dim = 2, .walls = TWIN_ABSORB, .deposit = TWIN_FIXED, .interval = 4, .order = 2};
  char text[TWIN_DECK];
  cw_engine_diagnostics first = {0}, last = {0};
  twin_deck(&c, text);
  twin device = twin_open(context, "absorb", text, NULL, 0);
  if (device.engine) {
    plain_ok(context, cw_engine_diagnose(device.engine, &first));
    twin_steps(&device, plain_short() ? 20 : 100);
    plain_ok(context, cw_engine_diagnose(device.engine, &last));
  }
  plain_check(last.particles < first.particles && last.particles > first.particles / 10,
              "%lld of %lld particles are left", (long long)last.particles,
              (long long)first.particles);
  twin_close(&device);
}

static void state_after(cw_context *context, const twin_case *c, const char *more, char hex[65]) {
  char text[TWIN_DECK];
  const cw_deck_override team = {"algorithms.deposit.tiled_deposit_team_size", more};
  twin_deck(c, text);
  twin device = twin_open(context, "same bits", text, &team, 1);
  twin_steps(&device, plain_short() ? 5 : 40);
  if (device.engine)
    plain_ok(context, cw_engine_sha256(device.engine, hex));
  twin_close(&device);
}

/* A fixed-point sum knows no order: two runs, and any team size, end in the same bits. */
static void test_fixed_point_runs_agree_bit_by_bit(cw_context *context) {
  static const char *const teams[] = {"0", "64", "256"};
  static const int intervals[] = {1, 4, 0};
  for (int k = 0; k < 6; k += plain_short() ? 4 : 1) {
    const twin_case c = {.dim = 1 + k % 3,
                         .precision = (cw_precision)(k / 3),
                         .walls = (twin_walls)(k % 2),
                         .deposit = TWIN_FIXED,
                         .interval = intervals[k % 3],
                         .order = 2,
                         .filters = 1,
                         .weights = k % 2};
    char first[65] = "", hex[65] = "-";
    state_after(context, &c, "0", first);
    for (int t = 0; t < 3; t++) {
      state_after(context, &c, teams[t], hex);
      plain_check(strcmp(hex, first) == 0, "case %d, teams of %s: %s; the first run has %s", k,
                  teams[t], hex, first);
    }
  }
}

/* The small size of each example. */
typedef struct example {
  const char *deck, *resolution, *ppc0;
} example;

static void test_every_example_runs_as_on_the_cpu(cw_context *context) {
  static const example examples[] = {{"langmuir.toml", "[64]", "16.0"},
                                     {"orbit.toml", "[64, 64]", "1.0"},
                                     {"reconnection.toml", "[128, 64]", "4.0"},
                                     {"thermal.toml", NULL, NULL},
                                     {"two_stream.toml", "[64]", "32.0"},
                                     {"weibel.toml", NULL, NULL},
                                     {"shock.toml", NULL, NULL},
                                     {"turbulence.toml", NULL, NULL},
                                     {"own_problem.toml", "[64, 64]", "8.0"}};
  for (size_t k = 0; k < (plain_short() ? 1 : sizeof examples / sizeof *examples); k++) {
    const example *e = &examples[k];
    const cw_deck_override small[] = {{"grid.resolution", e->resolution},
                                      {"particles.ppc0", e->ppc0}};
    const int count = e->resolution ? 2 : 0;
    char path[4096];
    snprintf(path, sizeof path, "%s", twin_path("examples", e->deck));
    twin device = twin_open(context, path, NULL, small, count);
    twin host = twin_open(NULL, path, NULL, small, count);
    twin_steps(&device, 30), twin_steps(&host, 30);
    if (host.engine)
      twin_compare(e->deck, &device, &host, tolerance_of(host.deck->simulation.precision));
    twin_close(&device);
    twin_close(&host);
  }
}

/* Inside the box, to a share of the largest value or of 1: differences of energies and of charges
 * are as uncertain as these. */
static void compare_inside(const char *what, const cw_grid *grid, const double *found,
                           const double *expected, double tolerance) {
  double largest = 1;
  const double difference = twin_difference_inside(grid, found, expected, &largest);
  plain_check(difference <= tolerance * largest, "%s: differs by %g of %g", what, difference,
              largest);
}

/* Moments and divergences of the deck's field files. */
static void compare_records(twin *device, twin *host) {
  cw_records *records[2] = {NULL, NULL};
  cw_deck_record record;
  plain_ok(device->context, cw_records_create(device->engine, device->deck, &records[0]));
  plain_ok(host->context, cw_records_create(host->engine, host->deck, &records[1]));
  for (int n = 0; records[0] && records[1] && cw_deck_output_record(host->deck, n, &record); n++) {
    cw_record_values a, b;
    plain_ok(device->context, cw_records_get(records[0], &record, &a));
    plain_ok(host->context, cw_records_get(records[1], &record, &b));
    plain_check(memcmp(a.position, b.position, sizeof a.position) == 0, "%s: places", record.name);
    for (int c = 0; c < record.components; c++)
      if (a.component[c] && b.component[c])
        compare_inside(record.name, cw_engine_grid(host->engine), a.component[c], b.component[c],
                       1e-9);
  }
  cw_records_destroy(records[0]);
  cw_records_destroy(records[1]);
}

/* The same particles, where they are on the CPU; and as much weight of them in the bins, but for one
 * that rounding may put in the next. */
static void compare_particles(twin *device, twin *host) {
  cw_selection *all = NULL;
  cw_sample a = {0}, b = {0};
  cw_histogram x = {.rank = 2, .axis = {{CW_DECK_X, 0, 2, 8}, {CW_DECK_UY, -1, 1, 10}}}, y = x;
  plain_ok(host->context, cw_selection_create(host->context, host->deck, &all));
  plain_ok(device->context, cw_sample_take(device->engine, 1, 3, all, &a));
  plain_ok(host->context, cw_sample_take(host->engine, 1, 3, all, &b));
  plain_check(a.count == b.count && b.count > 50, "%lld and %lld particles", (long long)a.count,
              (long long)b.count);
  double apart = 0;
  for (int64_t n = 0; n < a.count && a.count == b.count; n++) {
    plain_check(a.id[n] == b.id[n], "id %lld", (long long)a.id[n]);
    apart = cw_larger(apart, fabs(a.u[0][n] - b.u[0][n]) + fabs(a.x[0][n] - b.x[0][n]));
    plain_check(a.weight[n] == b.weight[n], "weight of %lld", (long long)a.id[n]);
  }
  plain_check(apart <= 1e-9, "particles differ by %g", apart);
  plain_ok(device->context, cw_histogram_count(device->engine, 1, &x));
  plain_ok(host->context, cw_histogram_count(host->engine, 1, &y));
  double moved = 0;
  for (int64_t k = 0; x.weight && y.weight && k < x.count; k++)
    moved += fabs(x.weight[k] - y.weight[k]);
  plain_check(moved <= 4 && fabs(x.total - y.total) <= 1e-9 * y.total && y.total > 100,
              "bins: %g moved of %g", moved, y.total);
  cw_histogram_clear(device->context, &x);
  cw_histogram_clear(host->context, &y);
  cw_sample_clear(device->context, &a);
  cw_sample_clear(host->context, &b);
  cw_selection_destroy(all);
}

/* What is written out: copies of fields and densities, ghost cells and all; moments, divergences and
 * particles. */
static void test_output_equals_the_cpus(cw_context *context) {
  for (int dim = plain_short() ? 3 : 1; dim <= 3; dim++) {
    const twin_case c = {.dim = dim,
                         .precision = CW_DOUBLE,
                         .walls = dim == 2 ? TWIN_REFLECT : TWIN_PERIODIC,
                         .deposit = TWIN_TILED,
                         .interval = 4,
                         .order = 2,
                         .filters = 2};
    char text[TWIN_DECK];
    twin_deck(&c, text);
    strcat(text,
           "[output.fields]\nquantities = [\"divE\", \"divE_error\", \"divB\", \"N\", \"N_all\", "
           "\"V\", \"kinetic\", \"temperature\", \"T00\", \"T0i\", \"Tij\", \"Nppc\", "
           "\"Rho\", \"Charge\"]\n");
    twin device = twin_open(context, "output", text, NULL, 0);
    twin host = twin_open(NULL, "output", text, NULL, 0);
    twin_steps(&device, 10), twin_steps(&host, 10);
    for (int q = 0; q < CW_QUANTITY_COUNT && device.engine && host.engine; q++)
      twin_compare_vectors(&device, &host, (cw_engine_quantity)q, 1e-11);
    for (int s = -1; s < 2 && device.engine && host.engine; s++) {
      const double *a, *b;
      plain_ok(context, cw_engine_density(device.engine, s, &a));
      plain_ok(host.context, cw_engine_density(host.engine, s, &b));
      if (a && b)
        twin_compare_arrays("density", cw_engine_grid(host.engine), CW_DOUBLE, a, b, 1e-11);
    }
    if (device.engine && host.engine) {
      compare_records(&device, &host);
      compare_particles(&device, &host);
    }
    twin_close(&device);
    twin_close(&host);
  }
}

/* Saved between two sorts. */
static void test_saved_state_goes_on_to_the_same_bits(cw_context *context) {
  const twin_case c = {.dim = 2,
                       .walls = TWIN_ABSORB,
                       .deposit = TWIN_FIXED,
                       .interval = 4,
                       .order = 2,
                       .filters = 2,
                       .weights = 1};
  char text[TWIN_DECK];
  twin_deck(&c, text);
  twin device = twin_open(context, "saved", text, NULL, 0),
       host = twin_open(NULL, "saved", text, NULL, 0);
  twin_check_restore(&device, &host, 10, 9);
}

static void test_stages_are_timed_without_waiting_for_them(cw_context *context) {
  const twin_case c = {.dim = 3, .deposit = TWIN_TILED, .interval = 1, .order = 2};
  const int steps = plain_short() ? 20 : 300; /* more than the events that are kept */
  char text[TWIN_DECK];
  double sum = 0;
  twin_deck(&c, text);
  twin device = twin_open(context, "stages", text, NULL, 0);
  const double since = cw_seconds();
  twin_steps(&device, steps);
  if (!device.engine)
    return;
  plain_ok(context, cw_engine_wait(device.engine));
  const double wall = cw_seconds() - since, *seconds = cw_engine_stage_seconds(device.engine);
  for (int k = 0; k < CW_STAGE_COUNT; k++) {
    plain_check(seconds[k] > 0, "stage %s took %g s", cw_stage_names[k], seconds[k]);
    sum += seconds[k];
  }
  /* stages follow each other; between steps little is left out, events are good to 1 us */
  plain_check(sum <= wall * 1.01 + 300e-6 && sum >= 0.2 * wall, "%g s in stages of %g s", sum,
              wall);
  twin_close(&device);
}

int main(void) {
  static const plain_case cases[] = {PLAIN_CASE(test_history_equals_the_cpus),
                                     PLAIN_CASE(test_external_fields_act_as_on_the_cpu),
                                     PLAIN_CASE(test_tracked_particles_are_the_cpus),
                                     PLAIN_CASE(test_guiding_centres_and_radiation_are_the_cpus),
                                     PLAIN_CASE(test_absorbing_walls_lose_particles),
                                     PLAIN_CASE(test_fixed_point_runs_agree_bit_by_bit),
                                     PLAIN_CASE(test_every_example_runs_as_on_the_cpu),
                                     PLAIN_CASE(test_output_equals_the_cpus),
                                     PLAIN_CASE(test_saved_state_goes_on_to_the_same_bits),
                                     PLAIN_CASE(test_stages_are_timed_without_waiting_for_them)};
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
