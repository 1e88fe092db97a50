/* tracks.h5: whole histories of chosen particles, the same for any number of threads, sorted or not,
 * and of a run that was broken off. */
#include <math.h>

#include <cellwise/cellwise.h>

#include "base/context_private.h"
#include "base/thinning.h"
#include "output/tracks.h"
#include "program.h"

/* Particles that move in a fixed field, so that how they are summed does not reach them. */
static const char track_deck[] =
    "[simulation]\nname = \"tracks\"\nengine = \"srpic\"\nruntime = 100.0\nprecision = \"double\"\n"
    "[grid]\nresolution = [16, 12]\nextent = [[-0.8, 0.8], [0.0, 1.2]]\n"
    "metric.metric = \"minkowski\"\nboundaries.fields = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"
    "boundaries.particles = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"
    "[scales]\nlarmor0 = 0.5\nskindepth0 = 1.0\n"
    "[algorithms]\ndeposit.enable = false\nfieldsolver.enable = false\n"
    "deposit.tiled_deposit_tile_size = 4\n[particles]\nppc0 = 4.0\n"
    "spatial_sorting_interval = 3\n"
    "[[particles.species]]\nlabel = \"e-\"\nmass = 1.0\ncharge = -1.0\ntracking = true\n"
    "tracking_stride = 7\nn_payloads = 1\n"
    "[[particles.species]]\nlabel = \"e+\"\nmass = 1.0\ncharge = 1.0\n"
    "[setup]\nproblem = \"thermal\"\ntemperature = 0.3\nexternal_B = [0.5, 0, 1.5]\n"
    "external_E = [0, \"0.25 * cos(0 * x)\", 0]\n"
    "[setup.species.e-]\npayload1 = \"x + 2 * y\"\ntracked = \"x > 0\"\n"
    "[output]\ninterval = 0\ntracks.interval = 2\n[checkpoint]\ninterval = 7\n";
enum { STEPS = 40, RECORDS = STEPS / 2 + 1 };

static void run(const char *arguments, int status) {
  program_write("t.toml", track_deck);
  const program_result *result = program_run("run t.toml --quiet %s", arguments);
  ck_assert_msg(result->status == status, "%s: status %d: %s", arguments, result->status,
                result->err);
}

/* Every column of one tracks.h5. */
typedef struct columns {
  cw_context *context;
  int64_t count, *step, *id;
  double *time, *x, *y, *u[3], *weighting, *E[3], *B[3], *payload;
} columns;

static double *column(columns *c, const char *path, const char *name) {
  int64_t count;
  double *values;
  ck_assert_msg(cw_tracks_read(c->context, path, "e-", name, &count, &values) == CW_OK, "%s",
                cw_context_message(c->context));
  ck_assert_int_eq(count, c->count);
  return values;
}

static columns read_all(const char *folder) {
  columns c = {0};
  char name[64], path[1024];
  snprintf(name, sizeof name, "%s/tracks.h5", folder);
  snprintf(path, sizeof path, "%s", program_path(name));
  ck_assert(cw_context_create(NULL, &c.context, NULL, 0) == CW_OK);
  ck_assert_msg(cw_tracks_read_integers(c.context, path, "e-", "step", &c.count, &c.step) == CW_OK,
                "%s", cw_context_message(c.context));
  int64_t count;
  ck_assert(cw_tracks_read_integers(c.context, path, "e-", "id", &count, &c.id) == CW_OK);
  ck_assert_int_eq(count, c.count);
  c.time = column(&c, path, "time");
  c.x = column(&c, path, "position/x");
  c.y = column(&c, path, "position/y");
  for (int a = 0; a < 3; a++) {
    const char axis[] = {"xyz"[a], '\0'};
    snprintf(name, sizeof name, "momentum/%s", axis);
    c.u[a] = column(&c, path, name);
    snprintf(name, sizeof name, "E/%s", axis);
    c.E[a] = column(&c, path, name);
    snprintf(name, sizeof name, "B/%s", axis);
    c.B[a] = column(&c, path, name);
  }
  c.payload = column(&c, path, "payload1");
  ck_assert(cw_tracks_read(c.context, path, "e+", "time", &count, &c.weighting) == CW_ERROR_INPUT);
  c.weighting = column(&c, path, "weighting");
  return c;
}

static void clear(columns *c) {
  double *all[] = {c->time, c->x,    c->y,    c->u[0], c->u[1], c->u[2],    c->E[0],
                   c->E[1], c->E[2], c->B[0], c->B[1], c->B[2], c->payload, c->weighting};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    CW_DELETE(c->context, all[k]);
  CW_DELETE(c->context, c->step);
  CW_DELETE(c->context, c->id);
  cw_context_destroy(c->context);
}

static void check_same(const char *a, const char *b) {
  columns first = read_all(a), second = read_all(b);
  const size_t bytes = (size_t)first.count * 8;
  ck_assert_int_eq(first.count, second.count);
  ck_assert_int_eq(memcmp(first.step, second.step, bytes) | memcmp(first.id, second.id, bytes) |
                       memcmp(first.time, second.time, bytes) | memcmp(first.x, second.x, bytes) |
                       memcmp(first.y, second.y, bytes) | memcmp(first.u[0], second.u[0], bytes) |
                       memcmp(first.u[2], second.u[2], bytes) |
                       memcmp(first.E[1], second.E[1], bytes) |
                       memcmp(first.payload, second.payload, bytes),
                   0);
  clear(&first);
  clear(&second);
}

/* A record is of the particle that its id names, at its step, with the fields there: from one to the
 * next, two steps later, the particle turns as Boris turns it, and moves along. */
START_TEST(test_records_are_the_particles_own_orbits) {
  run("--out o --steps 40 --threads 2", 0);
  columns c = read_all("o");
  const int64_t each = c.count / RECORDS;
  const double dt = 0.95 * 0.1 / sqrt(2), length[2] = {1.6, 1.2};
  ck_assert_int_gt(each, 12); /* one of seven of 192 beyond x = 0: 27, with a standard error of 5 */
  ck_assert_int_lt(each, 43);
  ck_assert_int_eq(each * RECORDS, c.count);
  for (int64_t r = 0; r < c.count; r++) {
    ck_assert_int_eq(c.step[r], 2 * (r / each));
    ck_assert_double_eq_tol(c.time[r], (double)c.step[r] * dt, 1e-12);
    ck_assert(cw_thinning_keeps((uint64_t)c.id[r], 7));
    ck_assert(r % each == 0 || c.id[r] > c.id[r - 1]);
    const double fields[6] = {c.E[0][r], c.E[1][r], c.E[2][r], c.B[0][r], c.B[1][r], c.B[2][r]};
    static const double given[6] = {0, 0.25, 0, 0.5, 0, 1.5};
    for (int k = 0; k < 6; k++) /* weights sum to 1 but for some roundings */
      ck_assert_double_eq_tol(fields[k], given[k], 1e-14);
    ck_assert(c.weighting[r] == 1);
    if (r < each) {
      ck_assert_double_gt(c.x[r], 0);
      ck_assert_double_eq_tol(c.payload[r], c.x[r] + 2 * c.y[r], 1e-14);
      continue;
    }
    ck_assert(c.id[r] == c.id[r - each] && c.payload[r] == c.payload[r - each]);
    double u[3], x[2] = {c.x[r - each], c.y[r - each]};
    for (int a = 0; a < 3; a++)
      u[a] = c.u[a][r - each];
    for (int n = 0; n < 2; n++) { /* Boris, charge -1, B0 = 2 */
      const double s = -dt * 2 / 2, e[3] = {0, s * 0.25, 0};
      double t[3], w[3], plus[3], square = 0, gamma = 1;
      for (int a = 0; a < 3; a++)
        u[a] += e[a], gamma += u[a] * u[a];
      gamma = sqrt(gamma);
      t[0] = s * 0.5 / gamma, t[1] = 0, t[2] = s * 1.5 / gamma;
      square = 1 + t[0] * t[0] + t[2] * t[2];
      for (int a = 0; a < 3; a++)
        w[a] = u[a] + u[(a + 1) % 3] * t[(a + 2) % 3] - u[(a + 2) % 3] * t[(a + 1) % 3];
      for (int a = 0; a < 3; a++)
        plus[a] =
            u[a] + 2 / square * (w[(a + 1) % 3] * t[(a + 2) % 3] - w[(a + 2) % 3] * t[(a + 1) % 3]);
      gamma = 1;
      for (int a = 0; a < 3; a++)
        u[a] = plus[a] + e[a], gamma += u[a] * u[a];
      for (int a = 0; a < 2; a++)
        x[a] += dt * u[a] / sqrt(gamma);
    }
    for (int a = 0; a < 3; a++)
      ck_assert_double_eq_tol(c.u[a][r], u[a], 1e-12);
    ck_assert_double_eq_tol(remainder(c.x[r] - x[0], length[0]), 0, 1e-12);
    ck_assert_double_eq_tol(remainder(c.y[r] - x[1], length[1]), 0, 1e-12);
  }
  clear(&c);
}
END_TEST

START_TEST(test_threads_and_sorts_do_not_change_them) {
  run("--out one --steps 40 --threads 1", 0);
  run("--out three --steps 40 --threads 3 --set particles.spatial_sorting_interval=0", 0);
  check_same("one", "three");
}
END_TEST

START_TEST(test_a_resumed_run_has_the_records_of_an_unbroken_one) {
  run("--out whole --steps 40", 0);
  run("--out o --steps 25", 0);
  run("--out o --steps 40 --resume", 0);
  check_same("whole", "o");
  /* as after a kill behind step 38: records behind the newest checkpoint are made again */
  run("--out killed --steps 38", 0);
  ck_assert_int_eq(unlink(program_path("killed/checkpoint_00000035.h5")), 0);
  ck_assert(program_exists("killed/checkpoint_00000028.h5"));
  program_write("killed/tracks.h5.part", "what a kill left");
  run("--out killed --steps 40 --resume", 0);
  check_same("whole", "killed");
  ck_assert(!program_exists("killed/tracks.h5.part"));
}
END_TEST

START_TEST(test_tracks_of_another_run_are_not_taken_or_lost) {
  run("--out o --steps 10", 0);
  run("--out o --steps 12", 0);
  ck_assert(program_exists("o/previous_1/tracks.h5"));
  columns c = read_all("o/previous_1");
  ck_assert_int_eq(c.step[c.count - 1], 10);
  clear(&c);
  program_write("o/tracks.h5", "no tracks");
  run("--out o --steps 14 --resume", 2);
  char text[64];
  program_read(program_path("o/tracks.h5"), text, sizeof text);
  ck_assert_str_eq(text, "no tracks");
}
END_TEST

/* Payloads and ids of the checkpoint, in a deck that asks for one payload more and another pusher. */
START_TEST(test_a_new_run_from_a_checkpoint_keeps_payloads) {
  static const char deck[] =
      "[simulation]\nname = \"more\"\nengine = \"srpic\"\nruntime = 100.0\n"
      "[[particles.species]]\nlabel = \"e-\"\nmass = 1.0\ncharge = -1.0\ntracking = true\n"
      "tracking_stride = 7\nn_payloads = 2\npusher = \"Boris,GCA\"\n"
      "[[particles.species]]\nlabel = \"e+\"\nmass = 1.0\ncharge = 1.0\n"
      "[setup]\nproblem = \"state\"\nfile = \"o/checkpoint_00000014.h5\"\n"
      "external_B = [0.5, 0, 1.5]\nspecies.e-.payload2 = \"x\"\n[output]\ninterval = 0\n";
  run("--out o --steps 14", 0);
  program_write("more.toml", deck);
  const program_result *result = program_run("run more.toml --quiet --steps 4 --out more");
  ck_assert_msg(result->status == 0, "%s", result->err);
  columns before = read_all("o"), after = read_all("more");
  int64_t count;
  char path[1024];
  double *second;
  snprintf(path, sizeof path, "%s", program_path("more/tracks.h5"));
  ck_assert(cw_tracks_read(after.context, path, "e-", "payload2", &count, &second) == CW_OK);
  int64_t met = 0;
  for (int64_t r = 0; r < after.count && after.step[r] == 0; r++) {
    ck_assert(second[r] == after.x[r]);
    for (int64_t b = 0; b < before.count; b++)
      if (before.step[b] == 14 && before.id[b] == after.id[r]) {
        ck_assert(before.payload[b] == after.payload[r] && before.x[b] == after.x[r]);
        met++;
      }
  }
  ck_assert_int_gt(met, 20);
  CW_DELETE(after.context, second);
  clear(&before);
  clear(&after);
}
END_TEST

START_TEST(test_tracks_are_drawn) {
  if (system("command -v gnuplot >/dev/null") != 0) {
    fprintf(stderr, "skipped: no gnuplot here\n");
    return;
  }
  run("--out o --steps 40", 0);
  ck_assert_int_eq(program_run("plot o --quantity track")->status, 0);
  ck_assert(program_exists("o/track.png"));
  run("--out none --steps 2 --set output.tracks.interval=0", 0);
  const program_result *result = program_run("plot none --quantity track");
  ck_assert_int_eq(result->status, 2);
  ck_assert_ptr_nonnull(strstr(result->err, "tracking = true"));
}
END_TEST

int main(void) {
  TCase *cases = tcase_create("tracks");
  tcase_add_test(cases, test_records_are_the_particles_own_orbits);
  tcase_add_test(cases, test_threads_and_sorts_do_not_change_them);
  tcase_add_test(cases, test_a_resumed_run_has_the_records_of_an_unbroken_one);
  tcase_add_test(cases, test_tracks_of_another_run_are_not_taken_or_lost);
  tcase_add_test(cases, test_a_new_run_from_a_checkpoint_keeps_payloads);
  tcase_add_test(cases, test_tracks_are_drawn);
  return program_suite("tracks", cases);
}
