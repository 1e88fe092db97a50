/* Engine ecsim on the device: as on the CPU, energy exact, the same bits on every run, a public
 * code's energies, errors that leave the state whole. */
#include "ecsim_twins.h"

static const char *const pipelines[] = {"unsorted", "sorted", "matrix"};

/* A double current sheet in 2D and 3D, whose cells do not fill whole tiles; a warm plasma in 1D and
 * between walls. */
typedef struct ecsim_case {
  int dim, order, pipeline, passes;
  int walls; /* 1: axis 0 ends at conductors that reflect particles, 2: the last axis, too */
  double theta;
  const char *tolerance;
  const char *more;  /* keys of [algorithms.ecsim], or NULL */
  const char *setup; /* keys of [setup], or NULL */
} ecsim_case;

static void write_sides(const ecsim_case *c, const char *wall, char text[128]) {
  text[0] = 0;
  for (int a = 0; a < c->dim; a++)
    snprintf(text + strlen(text), 128 - strlen(text), "%s[\"%s\"]", a ? ", " : "",
             (c->walls && a == 0) || (c->walls == 2 && a == c->dim - 1) ? wall : "PERIODIC");
}

static void ecsim_deck(const ecsim_case *c, char text[TWIN_DECK]) {
  static const char *const resolution[] = {"[20]", "[10, 24]", "[6, 20, 9]"};
  static const char *const extent[] = {"[[0.0, 4.0]]", "[[0.0, 2.0], [0.0, 4.2]]",
                                       "[[0.0, 1.2], [0.0, 4.2], [0.0, 1.8]]"};
  char fields[128], particles[128];
  const int d = c->dim - 1;
  write_sides(c, "CONDUCTOR", fields);
  write_sides(c, "REFLECT", particles);
  snprintf(text, TWIN_DECK,
           "[simulation]\nname = \"ecsim\"\nengine = \"ecsim\"\nruntime = 1000.0\n"
           "[grid]\nresolution = %s\nextent = %s\n[grid.metric]\nmetric = \"minkowski\"\n"
           "[grid.boundaries]\nfields = [%s]\nparticles = [%s]\n"
           "[scales]\nlarmor0 = 1.0\nskindepth0 = 1.0\n[particles]\nppc0 = %d.0\n"
           "use_weights = true\n"
           "[[particles.species]]\nlabel = \"e\"\nmass = 0.00390625\ncharge = -1.0\n"
           "[[particles.species]]\nlabel = \"i\"\nmass = 1.0\ncharge = 1.0\n"
           "[algorithms.timestep]\ndt = 0.25\n[algorithms.deposit]\nshape_order = %d\n"
           "[algorithms.ecsim]\npipeline = \"%s\"\nsolver_tolerance = %s\ntheta = %.17g\n"
           "smoothing_passes = %d\n%s[setup]\n%s%s",
           resolution[d], extent[d], fields, particles, c->dim == 3 ? 6 : 20, c->order,
           pipelines[c->pipeline], c->tolerance, c->theta, c->passes, c->more ? c->more : "",
           c->dim > 1 && !c->walls ? "problem = \"double_harris\"\nguide_field = 0.00097\n"
                                   : "problem = \"thermal\"\ntemperature = 0.002\n",
           c->setup ? c->setup : "");
}

static twin open_case(cw_context *context, const ecsim_case *c) {
  char text[TWIN_DECK];
  ecsim_deck(c, text);
  return twin_open(context, "ecsim", text, NULL, 0);
}

static void compare_density(twin *device, twin *host, int species, double tolerance) {
  const double *a, *b;
  const cw_grid *grid = cw_engine_grid(host->engine);
  plain_ok(device->context, cw_engine_density(device->engine, species, &a));
  plain_ok(host->context, cw_engine_density(host->engine, species, &b));
  plain_check(largest_of(grid, b) > 0, "density %d is 0", species);
  compare_arrays("density", grid, a, b, 1, tolerance);
}

/* Rounding differs by the order of sums; ten cycles make some hundred times as much of it. */
static void compare_runs(cw_context *context, const ecsim_case *c) {
  char what[160];
  snprintf(what, sizeof what, "%dD order %d %s, %d passes, %d walls%s", c->dim, c->order,
           pipelines[c->pipeline], c->passes, c->walls, c->setup ? ", external fields" : "");
  const int steps = plain_short() ? 1 : 5;
  twin device = open_case(context, c), host = open_case(NULL, c);
  for (int part = 0; part < 3 && device.engine && host.engine; part++) {
    /* charge is summed in quanta of 2^-40 of a particle's on a device */
    twin_compare(what, &device, &host, (twin_tolerance){1e-12, 1e-9});
    if (part < 2)
      twin_steps(&device, steps), twin_steps(&host, steps);
  }
  if (device.engine && host.engine) {
    compare_vectors(what, &device, &host, CW_QUANTITY_E, 1e-11);
    compare_vectors(what, &device, &host, CW_QUANTITY_B, 1e-12);
    compare_vectors(what, &device, &host, CW_QUANTITY_J, 1e-11);
    compare_density(&device, &host, 0, 1e-9);
    compare_density(&device, &host, -1, 1e-9);
  }
  twin_close(&device);
  twin_close(&host);
}

static void test_runs_equal_the_cpus(cw_context *context) {
  for (int k = 0; k < 18; k += plain_short() ? 7 : 1) {
    const ecsim_case c = {.dim = 1 + k % 3,
                          .order = 1 + k / 9,
                          .pipeline = k / 3 % 3,
                          .passes = (k + k / 3) % 3,
                          .theta = k % 4 == 3 ? 0.7 : 0.5,
                          .tolerance = "1e-14"};
    compare_runs(context, &c);
  }
  printf("     energies: %.2g of what is allowed; fields: %.2g of the largest value\n", twin_worst,
         worst_field);
}

static void test_walls_act_as_on_the_cpu(cw_context *context) {
  for (int k = 0; k < 6; k += plain_short() ? 5 : 1) {
    const ecsim_case c = {.dim = 1 + k % 3,
                          .order = 1 + k / 3,
                          .pipeline = 2 - k % 3,
                          .passes = k % 2,
                          .walls = 1 + (k > 2),
                          .theta = 0.5,
                          .tolerance = "1e-14"};
    compare_runs(context, &c);
  }
}

static void test_external_fields_act_as_on_the_cpu(cw_context *context) {
  static const char *const fields[] = {"external_B = [0, \"0.01 * cos(x)\", 0.02]\n",
                                       "external_E = [\"0.003 * sin(2 * t)\", 0, 0.001]\n"};
  for (int k = 0; k < 4; k += plain_short() ? 3 : 1) {
    const ecsim_case c = {.dim = 1 + k / 2 * 2,
                          .order = 1 + k / 2,
                          .pipeline = 2,
                          .theta = 0.5,
                          .tolerance = "1e-14",
                          .setup = fields[k % 2]};
    compare_runs(context, &c);
  }
}

static void test_energy_is_kept(cw_context *context) {
  for (int k = 0; k < 8; k += plain_short() ? 7 : 1) {
    const ecsim_case c = {.dim = 3,
                          .order = 1 + k / 3 % 2,
                          .pipeline = k < 6 ? k % 3 : 2,
                          .passes = k % 2,
                          .walls = k < 6 ? 0 : k - 5,
                          .theta = 0.5,
                          .tolerance = "1e-14"};
    twin device = open_case(context, &c);
    double worst = 0;
    const double first = device.engine ? total_energy(&device) : NAN;
    for (int n = 0; n < (plain_short() ? 3 : 200) && device.engine; n++) {
      twin_steps(&device, 1);
      const double error = fabs(total_energy(&device) / first - 1);
      worst = cw_larger(worst, error);
    }
    plain_check(worst < 1e-13 && first > 0, "order %d, %s: the energy drifts by %.3e", c.order,
                pipelines[c.pipeline], worst);
    twin_close(&device);
  }
}

/* At theta = 1/2 the change is -(V / th) sum E' . r: seen with a solver that stops early. */
static void test_change_of_energy_equals_the_identity(cw_context *context) {
  for (int k = 0; k < 4; k += plain_short() ? 3 : 1) {
    const ecsim_case c = {.dim = 3,
                          .order = 1 + k / 2,
                          .pipeline = 2 - k % 2,
                          .passes = k % 2,
                          .theta = 0.5,
                          .tolerance = "1e-3"};
    twin device = open_case(context, &c);
    if (!device.engine)
      continue;
    const double *dx = cw_engine_grid(device.engine)->dx, V = dx[0] * dx[1] * dx[2];
    double before = total_energy(&device), largest = 0;
    const double total = before;
    for (int n = 0; n < 8; n++) {
      twin_steps(&device, 1);
      const double now = total_energy(&device);
      const double expected = -2 * V * cw_engine_ecsim_report(device.engine).work;
      plain_check(fabs(now - before - expected) <= 2e-14 * total,
                  "step %d: the energy changes by %.6e; expected %.6e", n + 1, now - before,
                  expected);
      largest = cw_larger(largest, fabs(expected));
      before = now;
    }
    plain_check(largest >= 1e-11 * total, "the identity was not put to the test: %.1e", largest);
    twin_close(&device);
  }
}

static void test_same_bits_on_every_run(cw_context *context) {
  char hex[2][65] = {"", ""};
  for (int k = plain_short() ? 6 : 0; k < 8; k++) { /* all but the one that adds by atomics */
    const ecsim_case c = {.dim = 3,
                          .order = 1 + k / 4,
                          .pipeline = 1 + k / 2 % 2,
                          .passes = 1,
                          .theta = 0.5,
                          .tolerance = "1e-13"};
    twin device = open_case(context, &c);
    twin_steps(&device, plain_short() ? 2 : 10);
    if (device.engine)
      plain_ok(context, cw_engine_sha256(device.engine, hex[k % 2]));
    if (k % 2)
      plain_check(hex[0][0] && strcmp(hex[0], hex[1]) == 0, "order %d, %s: %s and then %s", c.order,
                  pipelines[c.pipeline], hex[0], hex[1]);
    twin_close(&device);
  }
}

static int read_reference(double rows[10][4]) {
  FILE *stream = fopen(twin_path("tests/golden/ecsim", "ecsim_dh_small_energy.csv"), "r");
  char line[256];
  int read = 0;
  if (!stream || !fgets(line, sizeof line, stream))
    return 0;
  while (read < 10 && fgets(line, sizeof line, stream) &&
         sscanf(line, "%lf,%lf,%lf,%lf", &rows[read][0], &rows[read][1], &rows[read][2],
                &rows[read][3]) == 4)
    read++;
  fclose(stream);
  return read;
}

/* The state is cycle 1. */
static void test_energies_of_a_public_code(cw_context *context) {
  double rows[10][4];
  plain_check(read_reference(rows) == 10, "the reference can't be read");
  for (int p = plain_short() ? 2 : 0; p < 3; p++) {
    char text[TWIN_DECK];
    snprintf(
        text, sizeof text,
        "[simulation]\nname = \"reference\"\nengine = \"ecsim\"\n[setup]\nproblem = \"state\"\n"
        "file = \"%s\"\n[algorithms.ecsim]\npipeline = \"%s\"\n",
        twin_path("tests/golden/ecsim", "ecsim_dh_small.h5"), pipelines[p]);
    twin device = twin_open(context, "reference", text, NULL, 0);
    for (int k = 0; k < (plain_short() ? 3 : 10) && device.engine; k++) {
      cw_engine_diagnostics found = {0};
      plain_ok(context, cw_engine_diagnose(device.engine, &found));
      const double energies[3] = {found.electric_energy, found.magnetic_energy,
                                  found.kinetic_energy};
      for (int c = 0; c < 3; c++)
        plain_check(fabs(energies[c] / rows[k][c + 1] - 1) <= 1e-11,
                    "%s, cycle %.0f, energy %d: %.16e; expected %.16e", pipelines[p], rows[k][0], c,
                    energies[c], rows[k][c + 1]);
      twin_steps(&device, k < 9);
    }
    twin_close(&device);
  }
}

/* Saved on the device, gone on with there and on the CPU. */
static void test_saved_state_goes_on_to_the_same_bits(cw_context *context) {
  const ecsim_case c = {
      .dim = 3, .order = 2, .pipeline = 2, .passes = 1, .theta = 0.5, .tolerance = "1e-13"};
  twin device = open_case(context, &c), host = open_case(NULL, &c);
  twin_check_restore(&device, &host, plain_short() ? 2 : 5, plain_short() ? 1 : 4);
}

static void test_stalled_solver_leaves_the_state_whole(cw_context *context) {
  const ecsim_case c = {.dim = 3,
                        .order = 1,
                        .pipeline = 2,
                        .theta = 0.5,
                        .tolerance = "1e-16",
                        .more = "solver_restart = 1\n"};
  store kept = {0};
  twin device = open_case(context, &c);
  if (!device.engine)
    return;
  cw_status status = CW_OK;
  for (int k = 0; k < 5 && status == CW_OK; k++)
    status = cw_engine_step(device.engine);
  plain_check(status == CW_ERROR_NUMERIC, "%s", cw_status_name(status));
  const char *message = cw_context_message(context);
  plain_check(strstr(message, "solver") && strstr(message, "residual is") &&
                  strstr(message, "iterations") && strstr(message, "solver_restart"),
              "%s", message);
  plain_check(cw_engine_is_whole(device.engine), "the state is lost");
  plain_ok(context, cw_engine_save(device.engine, keep, &kept));
  forget(&kept);
  twin_close(&device);
}

/* A neutral particle, which no field equation sees. */
static void test_particle_that_flies_off_is_told(cw_context *context) {
  const ecsim_case c = {.dim = 1, .order = 1, .pipeline = 1, .theta = 0.5, .tolerance = "1e-13"};
  const double fast = 1e300;
  char text[TWIN_DECK];
  ecsim_deck(&c, text);
  char *charge = strstr(text, "charge = -1.0"), *other = strstr(text, "charge = 1.0");
  memcpy(charge, "charge = 0.00", 13);
  memcpy(other, "charge = 0.0", 12);
  twin device = twin_open(context, "neutral", text, NULL, 0);
  if (!device.engine)
    return;
  const cw_particles_view view = cw_particles_get_view(cw_engine_particles(device.engine, 1));
  plain_ok(context, cw_device_write(context, (double *)view.u[0] + 7, &fast, sizeof fast));
  cw_status status = cw_engine_step(device.engine);
  if (status == CW_OK)
    status = cw_engine_wait(device.engine);
  plain_check(status == CW_ERROR_NUMERIC &&
                  strstr(cw_context_message(context), "outside the block"),
              "%s: %s", cw_status_name(status), cw_context_message(context));
  plain_check(!cw_engine_is_whole(device.engine), "a state with a lost particle is called whole");
  twin_close(&device);
}

static void test_stages_are_timed(cw_context *context) {
  const ecsim_case c = {.dim = 3, .order = 1, .pipeline = 2, .theta = 0.5, .tolerance = "1e-10"};
  twin device = open_case(context, &c);
  if (!device.engine)
    return;
  const double since = cw_seconds();
  double sum = 0;
  int count;
  twin_steps(&device, plain_short() ? 10 : 150); /* more than the events that are kept */
  plain_ok(context, cw_engine_wait(device.engine));
  const double wall = cw_seconds() - since, *seconds = cw_engine_stage_seconds(device.engine);
  const char *const *names = cw_engine_stages(device.deck, &count);
  for (int k = 0; k < count; k++) {
    plain_check(seconds[k] > 0, "stage %s took %g s", names[k], seconds[k]);
    sum += seconds[k];
  }
  plain_check(count == 4 && sum <= wall * 1.01 + 150e-6 && sum >= 0.5 * wall,
              "%g s in stages of %g s", sum, wall);
  twin_close(&device);
}

int main(void) {
  static const plain_case cases[] = {PLAIN_CASE(test_runs_equal_the_cpus),
                                     PLAIN_CASE(test_walls_act_as_on_the_cpu),
                                     PLAIN_CASE(test_external_fields_act_as_on_the_cpu),
                                     PLAIN_CASE(test_energy_is_kept),
                                     PLAIN_CASE(test_change_of_energy_equals_the_identity),
                                     PLAIN_CASE(test_same_bits_on_every_run),
                                     PLAIN_CASE(test_energies_of_a_public_code),
                                     PLAIN_CASE(test_saved_state_goes_on_to_the_same_bits),
                                     PLAIN_CASE(test_stalled_solver_leaves_the_state_whole),
                                     PLAIN_CASE(test_particle_that_flies_off_is_told),
                                     PLAIN_CASE(test_stages_are_timed)};
  return plain_main(cases, (int)(sizeof cases / sizeof *cases));
}
