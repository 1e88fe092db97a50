/* Conductors: adjoint operators, exact energy on one to three walled axes, a cavity's frequency,
 * densities at the wall. */
#include <math.h>
#include <stdlib.h>

#include "ecsim/ecsim_run.h"

static const double PI = 3.14159265358979323846;

/* Axis a ends at conductors if bit a of `walls` is set. */
static void sides(char *text, size_t room, int dim, int walls) {
  char fields[128] = "", particles[128] = "";
  for (int a = 0; a < dim; a++) {
    const int wall = walls >> a & 1;
    snprintf(fields + strlen(fields), sizeof fields - strlen(fields), "%s[\"%s\"]", a ? ", " : "",
             wall ? "CONDUCTOR" : "PERIODIC");
    snprintf(particles + strlen(particles), sizeof particles - strlen(particles), "%s[\"%s\"]",
             a ? ", " : "", wall ? "REFLECT" : "PERIODIC");
  }
  snprintf(text, room, "[grid.boundaries]\nfields = [%s]\nparticles = [%s]\n", fields, particles);
}

static engine_fixture box(int cells_z, int walls, int order, const char *pipeline, double theta,
                          int passes, double tolerance, int threads) {
  char text[4096], edges[512];
  sides(edges, sizeof edges, 3, walls);
  snprintf(
      text, sizeof text,
      ECSIM_HEAD
      "[grid]\nresolution = [5, 4, %d]\nextent = [[0.0, 2.5], [0.0, 2.0], [0.0, %.17g]]\n%s"
      "[scales]\nlarmor0 = 1.0\nskindepth0 = 1.0\n[particles]\nppc0 = 16.0\n" ECSIM_SPECIES(
          "e", "1.0", "-1.0")
          ECSIM_SPECIES(
              "i", "25.0",
              "1.0") "[algorithms.timestep]\ndt = 0.5\n[algorithms.deposit]\nshape_order = %d\n"
                     "[algorithms.ecsim]\npipeline = \"%s\"\nsolver_tolerance = %.17g\n"
                     "theta = %.17g\nsmoothing_passes = %d\n"
                     "[setup]\nproblem = \"thermal\"\ntemperature = 0.02\nB = [0.1, 0.2, 0.3]\n",
      cells_z, 0.5 * cells_z, edges, order, pipeline, tolerance, theta, passes);
  return engine_from_text(text, threads);
}

static void expect_inside(engine_fixture *f) {
  const cw_grid *grid = cw_engine_grid(f->engine);
  for (int s = 0; s < 2; s++) {
    const cw_particles_view view = cw_particles_get_view(cw_engine_particles(f->engine, s));
    for (int64_t p = 0; p < view.count; p++)
      for (int a = 0; a < 3; a++) {
        const double offset = ((const double *)view.dx[a])[p];
        ck_assert_msg(view.i[a][p] >= 0 && view.i[a][p] < grid->cells[a] && offset >= 0 &&
                          offset < 1,
                      "particle %lld is in cell %d, offset %g, along axis %d", (long long)p,
                      (int)view.i[a][p], offset, a);
      }
  }
}

static const int wall_sets[] = {1, 2, 4, 3, 5, 6, 7};

/* As between periodic sides: what is left is round-off. */
START_TEST(test_energy_is_kept_between_conductors) {
  /* one, two, three walled axes for long, the others for less */
  const int long_run = wall_sets[_i / 2] == 1 || wall_sets[_i / 2] == 3 || wall_sets[_i / 2] == 7;
  const int cycles = CW_SANITIZED ? 5
                     : long_run   ? 200
                                  : 20,
            walls = wall_sets[_i / 2], order = 1 + _i % 2;
  static const char *const pipelines[] = {"unsorted", "sorted", "matrix"};
  engine_fixture f = box(3, walls, order, pipelines[_i % 3], 0.5, _i % 4 == 3, 1e-14, 1);
  const double first = total_energy(&f);
  double worst = 0;
  for (int k = 0; k < cycles; k++) {
    engine_steps(&f, 1);
    const double error = fabs(total_energy(&f) / first - 1);
    worst = cw_larger(worst, error);
  }
  ck_assert_msg(worst <= 1e-13, "walls %d, order %d: the energy drifts by %.3e", walls, order,
                worst);
  expect_inside(&f);
  engine_clear(&f);
}
END_TEST

/* For a solver so loose, too, that what its residual does is seen. */
START_TEST(test_identity_between_conductors) {
  const int walls = wall_sets[_i], order = 1 + _i % 2;
  const double theta = _i % 3 ? 0.5 : 0.7, tolerance = _i % 3 ? 1e-3 : 1e-13;
  engine_fixture f = box(4, walls, order, "matrix", theta, _i % 2, tolerance, 2);
  check_identity(&f, theta, walls, 6, 1e-10);
  engine_clear(&f);
}
END_TEST

START_TEST(test_same_bits_between_conductors) {
  char hex[2][65];
  for (int threads = 1; threads <= 3; threads += 2) {
    engine_fixture f = box(3, 6, 1 + _i, "matrix", 0.5, 1, 1e-13, threads);
    engine_steps(&f, 3);
    CW_CHECK_OK(f.context, cw_engine_sha256(f.engine, hex[threads / 2]));
    engine_clear(&f);
  }
  ck_assert_str_eq(hex[0], hex[1]);
}
END_TEST

/* Particles evenly spread, 2 an axis and cell, make a density that is the same on all nodes, those
 * on walls and edges too. */
START_TEST(test_density_is_even_up_to_the_wall) {
  const int order = 1 + _i % 2, walls = _i < 2 ? 7 : 5;
  engine_fixture f = box(3, walls, order, "sorted", 0.5, 0, 1e-13, 1);
  const cw_grid *grid = cw_engine_grid(f.engine);
  const cw_particles_view view = cw_particles_get_view(cw_engine_particles(f.engine, 0));
  ck_assert_int_eq(view.count, 8 * 5 * 4 * 3);
  for (int64_t p = 0; p < view.count; p++)
    for (int a = 0, rest = (int)p; a < 3; rest /= 2 * grid->cells[a++]) {
      const int place = rest % (2 * grid->cells[a]);
      view.i[a][p] = place / 2;
      ((double *)view.dx[a])[p] = place % 2 ? 0.75 : 0.25;
    }
  const double *density;
  CW_CHECK_OK(f.context, cw_engine_density(f.engine, 0, &density));
  for (int32_t k = 0; k <= 3; k++)
    for (int32_t j = 0; j < 4 + (walls == 7); j++)
      for (int32_t i = 0; i <= 5; i++) {
        const double found = density[cw_grid_index(grid, i, j, k)];
        ck_assert_msg(fabs(found - 0.5) <= 1e-14, "node (%d, %d, %d): %.17g; expected 1/2", i, j, k,
                      found);
      }
  engine_clear(&f);
}
END_TEST

/* A particle without charge between two mirrors: its place is a triangle wave of time. */
START_TEST(test_particle_between_mirrors) {
  const double length = 4, speed = _i ? -19.3 : 0.7, start = 1.3; /* 19.3: many mirrors a step */
  char text[2048];
  snprintf(text, sizeof text,
           ECSIM_HEAD
           "[grid]\nresolution = [4]\nextent = [[0.0, 4.0]]\n[grid.boundaries]\nfields = "
           "[[\"CONDUCTOR\"]]\nparticles = [[\"REFLECT\"]]\n[scales]\nlarmor0 = 1.0\n"
           "skindepth0 = 1.0\n[particles]\nppc0 = 1.0\n" ECSIM_SPECIES(
               "e", "1.0", "0.0") "[algorithms.timestep]\ndt = 0.9\n[setup]\nproblem = \"orbits\"\n"
                                  "position = [%.17g, 0.0, 0.0]\nu = [%.17g, 0.0, 0.0]\n",
           start, speed);
  engine_fixture f = engine_from_text(text, 1);
  for (int k = 1; k <= 100; k++) {
    engine_steps(&f, 1);
    const cw_particles_view view = cw_particles_get_view(cw_engine_particles(f.engine, 0));
    const double place = view.i[0][0] + ((const double *)view.dx[0])[0];
    const double unfolded = fabs(remainder(start + 0.9 * k * speed, 2 * length));
    const int rising = remainder(start + 0.9 * k * speed, 2 * length) > 0;
    ck_assert_msg(fabs(place - unfolded) <= 1e-11, "step %d: %.15g; expected %.15g", k, place,
                  unfolded);
    ck_assert_double_eq(((const double *)view.u[0])[0], rising ? speed : -speed);
  }
  engine_clear(&f);
}
END_TEST

typedef struct cavity {
  cw_context *context;
  cw_grid grid;
  cw_ecsim_fields *fields;
} cavity;

static cavity make_cavity(int dim, const int32_t cells[3], int walls) {
  cavity c = {0};
  const double origin[3] = {0, 0, 0}, dx[3] = {0.5, dim > 1 ? 0.4 : 1, dim > 2 ? 0.3 : 1};
  const cw_ecsim_options options = {.dt = 0.3,
                                    .theta = 0.5,
                                    .current_scale = 1,
                                    .four_pi = 1,
                                    .tolerance = 1e-14,
                                    .restart = 20,
                                    .iterations = 200,
                                    .conductor = {walls & 1, walls >> 1 & 1, walls >> 2 & 1}};
  ck_assert_int_eq(cw_context_create(NULL, &c.context, NULL, 0), CW_OK);
  CW_CHECK_OK(c.context, cw_grid_init(c.context, &c.grid, dim, cells, 2, origin, dx));
  CW_CHECK_OK(c.context, cw_ecsim_create(c.context, &c.grid, &options, &c.fields));
  return c;
}

static void clear_cavity(cavity *c) {
  cw_ecsim_destroy(c->fields);
  cw_context_destroy(c->context);
}

/* <E, curl B> over nodes with their shares is <curl E, B> over centres. */
START_TEST(test_curl_is_its_own_adjoint_between_conductors) {
  static const int32_t cells[][3] = {{4, 5, 3}, {1, 4, 2}, {2, 1, 3}, {5, 4, 1}, {6, 1, 1}};
  static const int dims[] = {3, 3, 3, 2, 1};
  const int dim = dims[_i % 5];
  for (int walls = 1; walls < 1 << dim; walls++) {
    cavity c = make_cavity(dim, cells[_i % 5], walls);
    const cw_vector_view E = cw_ecsim_E(c.fields), B = cw_ecsim_B(c.fields);
    double *zero[3] = {NULL}, *curl_E[3] = {NULL}, *curl_B[3] = {NULL}, *sum[3] = {NULL};
    srand(5 + (unsigned)walls);
    for (int a = 0; a < 3; a++)
      for (int64_t k = 0; k < c.grid.points; k++) {
        ((double *)E.component[a])[k] = rand() / (double)RAND_MAX - 0.5;
        ((double *)B.component[a])[k] = rand() / (double)RAND_MAX - 0.5;
      }
    CW_CHECK_OK(c.context, cw_ecsim_update(c.fields));
    keep_vector(&c.grid, E, curl_E), keep_vector(&c.grid, E, curl_B);
    keep_vector(&c.grid, E, zero), keep_vector(&c.grid, E, sum);
    const double *const E_in[3] = {E.component[0], E.component[1], E.component[2]};
    const double *const B_in[3] = {B.component[0], B.component[1], B.component[2]};
    cw_ecsim_curl(c.fields, 0, E_in, curl_E);
    cw_ecsim_curl(c.fields, 1, B_in, curl_B);
    /* x . y = (|x + y|^2 - |x - y|^2) / 4 */
    double product[2];
    for (int side = 0; side < 2; side++) {
      double squares[2];
      for (int sign = 0; sign < 2; sign++) {
        const double *const *x = side ? B_in : E_in;
        double *const *y = side ? curl_E : curl_B;
        for (int a = 0; a < 3; a++)
          for (int64_t k = 0; k < c.grid.points; k++) {
            zero[a][k] = 0;
            sum[a][k] = x[a][k] + (sign ? -1 : 1) * y[a][k];
          }
        const cw_vector_view view = {.component = {sum[0], sum[1], sum[2]}};
        squares[sign] = squared_change(&c.grid, view, zero, side ? 0 : walls);
      }
      product[side] = 0.25 * (squares[0] - squares[1]);
    }
    ck_assert_msg(fabs(product[0] - product[1]) <= 1e-11,
                  "walls %d: <E, curl B> = %.15g, <curl E, B> = %.15g", walls, product[0],
                  product[1]);
    for (int a = 0; a < 3; a++)
      free(zero[a]), free(curl_E[a]), free(curl_B[a]), free(sum[a]);
    clear_cavity(&c);
  }
}
END_TEST

static cw_status no_response(void *user, const double *const E[3], double *const J[3]) {
  const cavity *c = user;
  (void)E;
  for (int a = 0; a < 3; a++)
    memset(J[a], 0, (size_t)c->grid.points * sizeof(double));
  return CW_OK;
}

/* E_z = sin(kx x) sin(ky y) in an empty box of conductors: (2/dt) tan(w dt/2) = hypot(Kx, Ky),
 * Kx = (2/dx) sin(kx dx/2) cos(ky dy/2). */
START_TEST(test_frequency_of_a_cavity) {
  const int32_t cells[3] = {9, 7, 1};
  cavity c = make_cavity(2, cells, 3);
  const double kx = 2 * PI / cells[0], ky = PI / cells[1], dt = 0.3; /* phases a cell */
  double *E = cw_ecsim_E(c.fields).component[2], a[60];
  for (int32_t j = 0; j <= cells[1]; j++)
    for (int32_t i = 0; i <= cells[0]; i++)
      E[cw_grid_index(&c.grid, i, j, 0)] = sin(kx * i) * sin(ky * j);
  CW_CHECK_OK(c.context, cw_ecsim_update(c.fields));
  const int64_t at = cw_grid_index(&c.grid, 2, 3, 0);
  double above = 0, below = 0;
  for (int k = 0; k < 60; k++) {
    cw_ecsim_report report;
    a[k] = E[at];
    CW_CHECK_OK(c.context, cw_ecsim_solve(c.fields, no_response, &c, &report));
    CW_CHECK_OK(c.context, cw_ecsim_advance(c.fields));
  }
  for (int k = 1; k < 59; k++)
    above += a[k] * (a[k + 1] + a[k - 1]), below += 2 * a[k] * a[k];
  const double w = acos(above / below) / dt;
  const double Kx = 2 / c.grid.dx[0] * sin(0.5 * kx) * cos(0.5 * ky);
  const double Ky = 2 / c.grid.dx[1] * sin(0.5 * ky) * cos(0.5 * kx);
  const double expected = 2 / dt * atan(0.5 * dt * hypot(Kx, Ky));
  ck_assert_msg(fabs(w - expected) <= 1e-10, "w = %.12f; expected %.12f", w, expected);
  clear_cavity(&c);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("ecsim walls");
  TCase *tests = tcase_create("conductors");
  tcase_set_timeout(tests, 300);
  tcase_add_loop_test(tests, test_curl_is_its_own_adjoint_between_conductors, 0, 5);
  tcase_add_test(tests, test_frequency_of_a_cavity);
  tcase_add_loop_test(tests, test_particle_between_mirrors, 0, 2);
  tcase_add_loop_test(tests, test_density_is_even_up_to_the_wall, 0, 4);
  tcase_add_loop_test(tests, test_same_bits_between_conductors, 0, 2);
  tcase_add_loop_test(tests, test_identity_between_conductors, 0, 7);
  tcase_add_loop_test(tests, test_energy_is_kept_between_conductors, 0, 14);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
