/* Options of engine ecsim on the device: Gauss's law by displaced particles, relativistic particles.
 * As on the CPU, and the same bits on every run. */
#include "ecsim_twins.h"

static const char *const pipelines[] = {"unsorted", "sorted", "matrix"};

/* A warm plasma: walls stand along the last axis, in three dimensions along all. */
typedef struct option_case {
  int dim, order, pipeline, passes, walls;
  int thin; /* one cell along axis 1 */
  double temperature;
  int relativistic, correct;
  const char *tolerance; /* of the field solver and of the charge; NULL: 1e-13 */
} option_case;

static void write_sides(const option_case *c, const char *wall, char text[128]) {
  text[0] = 0;
  for (int a = 0; a < c->dim; a++)
    snprintf(text + strlen(text), 128 - strlen(text), "%s[\"%s\"]", a ? ", " : "",
             c->walls && (a == c->dim - 1 || c->dim == 3) ? wall : "PERIODIC");
}

static void write_box(const option_case *c, char resolution[64], char extent[128]) {
  const int cells[3][3] = {{16, 1, 1}, {8, 6, 1}, {4, 5, 4}};
  resolution[0] = extent[0] = 0;
  for (int a = 0; a < c->dim; a++) {
    const int n = a == 1 && c->thin ? 1 : cells[c->dim - 1][a];
    snprintf(resolution + strlen(resolution), 64 - strlen(resolution), "%s%d", a ? ", " : "", n);
    snprintf(extent + strlen(extent), 128 - strlen(extent), "%s[0.0, %.1f]", a ? ", " : "",
             0.5 * n);
  }
}

static twin open_case(cw_context *context, const option_case *c) {
  char text[TWIN_DECK], fields[128], particles[128], resolution[64], extent[128];
  write_sides(c, "CONDUCTOR", fields);
  write_sides(c, "REFLECT", particles);
  write_box(c, resolution, extent);
  snprintf(
      text, sizeof text,
      "[simulation]\nname = \"options\"\nengine = \"ecsim\"\nruntime = 1000.0\n"
      "[grid]\nresolution = [%s]\nextent = [%s]\n[grid.metric]\nmetric = \"minkowski\"\n"
      "[grid.boundaries]\nfields = [%s]\nparticles = [%s]\n"
      "[scales]\n%s[particles]\nppc0 = 64\nuse_weights = true\n"
      "[[particles.species]]\nlabel = \"e\"\nmass = 1.0\ncharge = -1.0\n"
      "[[particles.species]]\nlabel = \"i\"\nmass = %s\ncharge = 1.0\n"
      "[algorithms.timestep]\ndt = %s\n[algorithms.deposit]\nshape_order = %d\n"
      "[algorithms.ecsim]\ncharge_correction = %s\nrelativistic = %s\npipeline = \"%s\"\n"
      "smoothing_passes = %d\nsolver_tolerance = %s\n"
      "[setup]\nproblem = \"thermal\"\ntemperature = %g\nB = [0.3, 0.2, 0.1]\n",
      resolution, extent, fields, particles,
      c->relativistic ? "larmor0 = 1.0\nskindepth0 = 1.0\n" : "larmor0 = 2.0\nskindepth0 = 0.7\n",
      c->relativistic ? "1.0" : "25.0", c->relativistic ? "0.2" : "0.4", c->order,
      c->correct ? "true" : "false", c->relativistic ? "true" : "false", pipelines[c->pipeline],
      c->passes, c->tolerance ? c->tolerance : "1e-13", c->temperature);
  return twin_open(context, "options", text, NULL, 0);
}

static void describe(const option_case *c, char what[160]) {
  snprintf(what, 160, "%dD order %d %s, %d passes%s%s%s%s", c->dim, c->order,
           pipelines[c->pipeline], c->passes, c->walls ? ", walls" : "", c->thin ? ", thin" : "",
           c->correct ? ", charge" : "", c->relativistic ? ", relativistic" : "");
}

/* Rounding differs by the order of sums: after five cycles by up to 5e-15 of the largest value. */
static void compare_runs(cw_context *context, const option_case *c, int steps) {
  char what[160];
  describe(c, what);
  twin device = open_case(context, c), host = open_case(NULL, c);
  twin_steps(&device, steps), twin_steps(&host, steps);
  if (device.engine && host.engine) {
    twin_compare(what, &device, &host, (twin_tolerance){1e-12, 1e-12});
    compare_vectors(what, &device, &host, CW_QUANTITY_E, 2e-14);
    compare_vectors(what, &device, &host, CW_QUANTITY_B, 2e-14);
    compare_vectors(what, &device, &host, CW_QUANTITY_J, 2e-14);
  }
  twin_close(&device);
  twin_close(&host);
}

/* Number k of all boxes and orders. */
static option_case charge_case(int k) {
  option_case c = {.dim = 1 + k / 2 % 3,
                   .order = 1 + k % 2,
                   .pipeline = k % 3,
                   .walls = k / 6 % 2,
                   .temperature = 0.01,
                   .correct = 1};
  c.passes = k / 2 % 3 == 1 && !c.walls ? 1 : c.walls && c.dim == 3;
  if (k >= 12)
    c.dim = 3, c.thin = 1;
  return c;
}
enum { CHARGE_CASES = 14 };

/* Between walls in three dimensions without smoothing: with it the equation of the displacements is so
 * ill-conditioned that rounding decides where within its tolerance the solver ends. */
static void test_charge_correction_is_the_cpus(cw_context *context) {
  for (int k = plain_short() ? 4 : 0; k < CHARGE_CASES; k += plain_short() ? 5 : 1) {
    option_case c = charge_case(k);
    c.passes = c.dim == 3 ? 0 : c.passes;
    c.tolerance = "1e-14";
    worst_field = 0;
    compare_runs(context, &c, plain_short() ? 1 : 5);
    printf("     box %d: fields differ by %.2g of the largest value\n", k, worst_field);
  }
}

/* The bounds of the CPU's test. */
static void test_gauss_law_holds_and_energy_stays(cw_context *context) {
  for (int k = plain_short() ? 4 : 0; k < CHARGE_CASES; k += plain_short() ? 5 : 1) {
    const option_case c = charge_case(k);
    char what[160];
    describe(&c, what);
    twin device = open_case(context, &c);
    const double first = device.engine ? total_energy(&device) : NAN;
    for (int n = 0; n < (plain_short() ? 1 : 20) && device.engine; n++) {
      cw_engine_diagnostics found = {.total_energy = NAN, .charge_error = NAN};
      twin_steps(&device, 1);
      plain_ok(context, cw_engine_diagnose(device.engine, &found));
      plain_check(found.charge_error <= 2e-13, "%s, step %d: the charge is off by %.3e", what,
                  n + 1, found.charge_error);
      plain_check(fabs(found.total_energy / first - 1) <= 2e-14,
                  "%s, step %d: the energy drifts by %.3e", what, n + 1,
                  found.total_energy / first - 1);
    }
    twin_close(&device);
  }
}

static void same_bits(cw_context *context, const option_case *c) {
  char hex[2][65] = {"", ""}, what[160];
  describe(c, what);
  for (int run = 0; run < 2; run++) {
    twin device = open_case(context, c);
    twin_steps(&device, plain_short() ? 1 : 4);
    if (device.engine)
      plain_ok(context, cw_engine_sha256(device.engine, hex[run]));
    twin_close(&device);
  }
  plain_check(hex[0][0] && strcmp(hex[0], hex[1]) == 0, "%s: %s and then %s", what, hex[0], hex[1]);
}

static void test_same_bits_on_every_run(cw_context *context) {
  for (int k = plain_short() ? 3 : 0; k < 4; k++) {
    const int relativistic = k % 2;
    const option_case c = {.dim = 3,
                           .order = 1 + k / 2,
                           .pipeline = 2 - k / 2,
                           .passes = !plain_short(),
                           .walls = 1,
                           .temperature = relativistic ? 1 : 0.01,
                           .relativistic = relativistic,
                           .correct = 1};
    same_bits(context, &c);
  }
}

/* Saved between two steps: the charge before the last move is part of the state. */
static void test_saved_state_goes_on_to_the_same_bits(cw_context *context) {
  const option_case c = {.dim = 3,
                         .order = 2,
                         .pipeline = 2,
                         .passes = !plain_short(),
                         .temperature = 0.5,
                         .relativistic = 1,
                         .correct = 1};
  twin device = open_case(context, &c), host = open_case(NULL, &c);
  twin_check_restore(&device, &host, plain_short() ? 1 : 2, plain_short() ? 1 : 2);
}

static void test_relativistic_runs_are_the_cpus(cw_context *context) {
  worst_field = 0;
  for (int k = 0; k < 18; k += plain_short() ? 7 : 1) {
    const option_case c = {.dim = 1 + k % 3,
                           .order = 1 + k / 3 % 2,
                           .pipeline = k / 6,
                           .passes = k % 2,
                           .walls = k / 3 % 3 == 1,
                           .temperature = 1,
                           .relativistic = 1,
                           .tolerance = "1e-14"};
    compare_runs(context, &c, plain_short() ? 1 : 5);
  }
  printf("     fields differ by %.2g of the largest value\n", worst_field);
}

/* Gamma of a step is foreseen, so that the energy is kept well, not exactly; far from it if gamma
 * were left out of the mover, of the matrix or of the sums. */
static void test_energy_of_a_hot_plasma(cw_context *context) {
  for (int k = 0; k < 6; k += plain_short() ? 4 : 1) {
    const option_case c = {
        .dim = 3, .order = 1 + k % 2, .pipeline = k % 3, .temperature = 1, .relativistic = 1};
    twin device = open_case(context, &c);
    double worst = 0;
    const double first = device.engine ? total_energy(&device) : NAN;
    for (int n = 0; n < (plain_short() ? 2 : 40) && device.engine; n++) {
      twin_steps(&device, 1);
      const double drift = fabs(total_energy(&device) / first - 1);
      plain_check(drift <= 1e-4, "order %d, %s, step %d: drifts by %.3e", c.order,
                  pipelines[c.pipeline], n + 1, drift);
      worst = cw_larger(worst, drift);
    }
    plain_check(worst >= 1e-13, "gamma is not foreseen, but known: %.3e", worst);
    twin_close(&device);
  }
}

/* In B along z, |u| = sqrt(5), u turns by 2 atan(B dt / (2 gamma)) a step. One particle, whose
 * current is too weak to be felt. */
static void test_gyration_at_gamma(cw_context *context) {
  static const char text[] =
      "[simulation]\nname = \"orbit\"\nengine = \"ecsim\"\nruntime = 100.0\n"
      "[grid]\nresolution = [8, 8]\nextent = [[0.0, 8.0], [0.0, 8.0]]\n"
      "[grid.metric]\nmetric = \"minkowski\"\n[grid.boundaries]\n"
      "fields = [[\"PERIODIC\"], [\"PERIODIC\"]]\nparticles = [[\"PERIODIC\"], [\"PERIODIC\"]]\n"
      "[scales]\nlarmor0 = 1.0\nskindepth0 = 1e9\n[particles]\nppc0 = 1.0\n"
      "[[particles.species]]\nlabel = \"e\"\nmass = 1.0\ncharge = 1.0\n"
      "[[particles.species]]\nlabel = \"i\"\nmass = 1e30\ncharge = -1.0\n"
      "[algorithms.timestep]\ndt = 0.2\n[algorithms.ecsim]\nrelativistic = true\n"
      "[setup]\nproblem = \"orbits\"\nposition = [4.0, 4.0, 0.0]\nu = [2.0, 0.0, 1.0]\n"
      "B = [0.0, 0.0, 0.7]\n";
  twin device = twin_open(context, "orbit", text, NULL, 0);
  const double turn = -2 * atan(0.7 * 0.2 / (2 * sqrt(6.0)));
  for (int k = 1; k <= (plain_short() ? 3 : 50) && device.engine; k++) {
    double u[3] = {NAN, NAN, NAN};
    twin_steps(&device, 1);
    const cw_particles_view view = cw_particles_get_view(cw_engine_particles(device.engine, 0));
    for (int a = 0; a < 3; a++)
      plain_ok(context, cw_device_read(context, &u[a], view.u[a], sizeof u[a]));
    plain_check(fabs(u[0] - 2 * cos(k * turn)) <= 1e-12 &&
                    fabs(u[1] - 2 * sin(k * turn)) <= 1e-12 && fabs(u[2] - 1) <= 1e-12,
                "step %d: u = (%.15g, %.15g, %.15g)", k, u[0], u[1], u[2]);
  }
  twin_close(&device);
}

int main(void) {
  static const plain_case cases[] = {PLAIN_CASE(test_charge_correction_is_the_cpus),
                                     PLAIN_CASE(test_gauss_law_holds_and_energy_stays),
                                     PLAIN_CASE(test_same_bits_on_every_run),
                                     PLAIN_CASE(test_saved_state_goes_on_to_the_same_bits),
                                     PLAIN_CASE(test_relativistic_runs_are_the_cpus),
                                     PLAIN_CASE(test_energy_of_a_hot_plasma),
                                     PLAIN_CASE(test_gyration_at_gamma)};
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
