/* One step from a state file against the equations of the method, each summed by brute force from
 * particles, fields and nodes alone: no mass matrix, no solver, no code of the engine.
 *
 * With E' = th E_next + (1 - th) E, B' = B - th dt F E' and for every particle
 *   vbar = alpha (v + beta (S E')_p),  w = beta B_p,  J_g = (1 / V) sum q W vbar,
 * a step satisfies (E' - E) / (th dt) = F B' - 4 pi S J, B_next = B - dt F E', v_next = 2 vbar - v
 * and x_next = x + dt v_next. S acts on the current and on the field that particles feel, never in
 * the curls; B_p is not smoothed. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include <hdf5.h>

#include "ecsim/ecsim_run.h"

#define GOLDEN CW_SOURCE_DIR "/tests/golden/ecsim/ecsim_dh_small.h5"
enum { NX = 12, NY = 24, NZ = 6, NODES = NX * NY * NZ, SPECIES = 4 };
static const int SIZE[3] = {NX, NY, NZ};

typedef double array[NODES]; /* [z][y][x] */

static int node(int i, int j, int k) {
  return (i + 4 * NX) % NX + NX * ((j + 4 * NY) % NY + NY * ((k + 4 * NZ) % NZ));
}

static void set_number(hid_t file, const char *name, double value) {
  hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
  ck_assert(attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value) >= 0);
  H5Aclose(attribute);
}

/* The reference's state with other numerics and a guide field. */
static void write_state(const char *path, int passes, const char *shape, double theta) {
  char command[512];
  static double Bz[NODES];
  snprintf(command, sizeof command, "cp " GOLDEN " %s && chmod u+w %s", path, path);
  ck_assert_int_eq(system(command), 0);
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  set_number(file, "smoothing_passes", passes);
  set_number(file, "theta", theta);
  H5Adelete(file, "shape");
  hid_t text = H5Tcopy(H5T_C_S1), one = H5Screate(H5S_SCALAR);
  H5Tset_size(text, 4);
  hid_t attribute = H5Acreate2(file, "shape", text, one, H5P_DEFAULT, H5P_DEFAULT);
  ck_assert(attribute >= 0 && H5Awrite(attribute, text, shape) >= 0);
  H5Aclose(attribute), H5Sclose(one), H5Tclose(text);
  hid_t set = H5Dopen2(file, "Bz", H5P_DEFAULT);
  ck_assert(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, Bz) >= 0);
  for (int n = 0; n < NODES; n++)
    Bz[n] += 0.3;
  ck_assert(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, Bz) >= 0);
  H5Dclose(set);
  ck_assert(H5Fclose(file) >= 0);
}

/* All of a state that the test compares; particles by their id. */
typedef struct state {
  array E[3], B[3];
  double *x[SPECIES][3], *v[SPECIES][3], *q[SPECIES];
  int64_t count[SPECIES];
} state;

static void copy_fields(engine_fixture *f, cw_engine_quantity quantity, array to[3]) {
  const cw_vector_view view = engine_vector(f, quantity);
  for (int c = 0; c < 3; c++)
    for (int n = 0; n < NODES; n++)
      to[c][n] = ((const double *)view.component[c])[cw_grid_index(
          cw_engine_grid(f->engine), n % NX, n / NX % NY, n / (NX * NY))];
}

static state *read_state(engine_fixture *f) {
  state *s = calloc(1, sizeof *s);
  copy_fields(f, CW_QUANTITY_E, s->E);
  copy_fields(f, CW_QUANTITY_B, s->B);
  for (int k = 0; k < SPECIES; k++) {
    const cw_particles_view view = cw_particles_get_view(cw_engine_particles(f->engine, k));
    const double charge = f->deck->particles.species[k].charge;
    s->count[k] = view.count;
    s->q[k] = malloc((size_t)view.count * sizeof(double));
    for (int a = 0; a < 3; a++) {
      s->x[k][a] = malloc((size_t)view.count * sizeof(double));
      s->v[k][a] = malloc((size_t)view.count * sizeof(double));
    }
    for (int64_t slot = 0; slot < view.count; slot++) {
      const int64_t p = (int64_t)view.id[slot] - 1;
      s->q[k][p] = charge * ((const double *)view.weight)[slot];
      for (int a = 0; a < 3; a++) { /* places in cells */
        s->x[k][a][p] = view.i[a][slot] + ((const double *)view.dx[a])[slot];
        s->v[k][a][p] = ((const double *)view.u[a])[slot];
      }
    }
  }
  return s;
}

static void free_state(state *s) {
  for (int k = 0; k < SPECIES; k++) {
    free(s->q[k]);
    for (int a = 0; a < 3; a++)
      free(s->x[k][a]), free(s->v[k][a]);
  }
  free(s);
}

/* (1, 2, 1) / 4 along each axis, pass by pass. */
static void smooth(array a, int passes) {
  static array copy;
  for (int pass = 0; pass < passes; pass++)
    for (int axis = 0; axis < 3; axis++) {
      memcpy(copy, a, sizeof copy);
      for (int k = 0; k < NZ; k++)
        for (int j = 0; j < NY; j++)
          for (int i = 0; i < NX; i++) {
            const int x = axis == 0, y = axis == 1, z = axis == 2;
            a[node(i, j, k)] = 0.25 * copy[node(i - x, j - y, k - z)] + 0.5 * copy[node(i, j, k)] +
                               0.25 * copy[node(i + x, j + y, k + z)];
          }
    }
}

/* d/d(axis) at the corner or centre whose surroundings begin at `low`: 0 to a centre, -1 to a node. */
static double slope(const array a, int axis, int i, int j, int k, int low, double dx) {
  double sum = 0;
  for (int corner = 0; corner < 8; corner++) {
    const int at[3] = {corner & 1, corner >> 1 & 1, corner >> 2 & 1};
    sum += (at[axis] ? 1 : -1) * a[node(i + low + at[0], j + low + at[1], k + low + at[2])];
  }
  return sum / (4 * dx);
}

static void curl(array in[3], int low, const double dx[3], array out[3]) {
  for (int k = 0; k < NZ; k++)
    for (int j = 0; j < NY; j++)
      for (int i = 0; i < NX; i++)
        for (int c = 0; c < 3; c++) {
          const int a = (c + 1) % 3, b = (c + 2) % 3;
          out[c][node(i, j, k)] =
              slope(in[b], a, i, j, k, low, dx[a]) - slope(in[a], b, i, j, k, low, dx[b]);
        }
}

/* Nodes and weights of a place, in cells; B-splines of order 1 or 2 by their definition. */
static int around(const double x[3], int order, int nodes[27], double weights[27]) {
  int count = 0, first[3];
  for (int a = 0; a < 3; a++)
    first[a] = order == 1 ? (int)floor(x[a]) : (int)floor(x[a] + 0.5) - 1;
  for (int c = 0; c < (order == 1 ? 8 : 27); c++) {
    const int n = order + 1, at[3] = {c % n, c / n % n, c / (n * n)};
    double w = 1;
    for (int a = 0; a < 3; a++) {
      const double far = fabs(x[a] - (first[a] + at[a]));
      w *= order == 1 ? 1 - far : far <= 0.5 ? 0.75 - far * far : 0.5 * (1.5 - far) * (1.5 - far);
    }
    nodes[count] = node(first[0] + at[0], first[1] + at[1], first[2] + at[2]);
    weights[count++] = w;
  }
  return count;
}

/* vbar solves vbar = v + beta (E + vbar x B): Cramer's rule. */
static void mean_velocity(const double v[3], double beta, const double E[3], const double B[3],
                          double mean[3]) {
  const double b[3] = {beta * B[0], beta * B[1], beta * B[2]};
  const double m[3][3] = {{1, -b[2], b[1]}, {b[2], 1, -b[0]}, {-b[1], b[0], 1}};
  double r[3];
  for (int a = 0; a < 3; a++)
    r[a] = v[a] + beta * E[a];
  const double det = 1 + b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
  for (int c = 0; c < 3; c++) {
    double t[3][3];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        t[i][j] = j == c ? r[i] : m[i][j];
    mean[c] = (t[0][0] * (t[1][1] * t[2][2] - t[1][2] * t[2][1]) -
               t[0][1] * (t[1][0] * t[2][2] - t[1][2] * t[2][0]) +
               t[0][2] * (t[1][0] * t[2][1] - t[1][1] * t[2][0])) /
              det;
  }
}

static double largest_of(array a[3]) {
  double most = 0;
  for (int c = 0; c < 3; c++)
    for (int n = 0; n < NODES; n++)
      most = cw_larger(most, fabs(a[c][n]));
  return most;
}

static void expect_near(double found, double expected, double tolerance, const char *what) {
  ck_assert_msg(fabs(found - expected) <= tolerance, "%s is %.15g; expected %.15g within %.1e",
                what, found, expected, tolerance);
}

START_TEST(test_step_satisfies_the_equations) {
  static const struct {
    int passes, order;
    double theta;
  } cases[] = {{0, 1, 0.5}, {1, 1, 0.5}, {3, 1, 0.5}, {2, 2, 0.5}, {1, 2, 0.75}};
  const int passes = cases[_i].passes, order = cases[_i].order;
  const double theta = cases[_i].theta, four_pi = 4 * acos(-1.0);
  char path[] = "/tmp/cellwise-state-XXXXXX", text[1024];
  close(mkstemp(path));
  write_state(path, passes, order == 1 ? "CIC" : "TSC", theta);
  snprintf(
      text, sizeof text,
      "[simulation]\nname = \"step\"\nengine = \"ecsim\"\n[setup]\nproblem = \"state\"\nfile = "
      "\"%s\"\n[algorithms.ecsim]\nsolver_tolerance = 1e-14\n",
      path);
  engine_fixture f = engine_from_text(text, 1);
  const cw_grid *grid = cw_engine_grid(f.engine);
  const double dt = f.deck->dt, *dx = grid->dx, V = dx[0] * dx[1] * dx[2];
  state *old = read_state(&f);
  engine_steps(&f, 1);
  state *new = read_state(&f);
  static array E[3], felt[3], B_node[3], J[3], curl_E[3], curl_B[3], B[3];
  for (int c = 0; c < 3; c++)
    for (int n = 0; n < NODES; n++) {
      felt[c][n] = E[c][n] = theta * new->E[c][n] + (1 - theta) * old->E[c][n];
      J[c][n] = 0;
    }
  curl(E, 0, dx, curl_E);
  for (int c = 0; c < 3; c++) {
    smooth(felt[c], passes);
    for (int k = 0; k < NZ; k++)
      for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
          double sum = 0;
          for (int n = 0; n < 8; n++)
            sum += old->B[c][node(i - 1 + (n & 1), j - 1 + (n >> 1 & 1), k - 1 + (n >> 2))];
          B_node[c][node(i, j, k)] = sum / 8;
        }
    for (int n = 0; n < NODES; n++) {
      B[c][n] = old->B[c][n] - theta * dt * curl_E[c][n];
      expect_near(new->B[c][n], old->B[c][n] - dt * curl_E[c][n], 1e-15, "B");
    }
  }
  for (int s = 0; s < SPECIES; s++) {
    const double q_over_m = f.deck->particles.species[s].charge / f.deck->particles.species[s].mass;
    for (int64_t p = 0; p < old->count[s]; p++) {
      const double x[3] = {old->x[s][0][p], old->x[s][1][p], old->x[s][2][p]};
      const double v[3] = {old->v[s][0][p], old->v[s][1][p], old->v[s][2][p]};
      double weights[27], field[2][3] = {{0}}, mean[3];
      int nodes[27];
      const int count = around(x, order, nodes, weights);
      for (int n = 0; n < count; n++)
        for (int c = 0; c < 3; c++) {
          field[0][c] += weights[n] * felt[c][nodes[n]];
          field[1][c] += weights[n] * B_node[c][nodes[n]];
        }
      mean_velocity(v, 0.5 * q_over_m * dt, field[0], field[1], mean);
      for (int n = 0; n < count; n++)
        for (int c = 0; c < 3; c++)
          J[c][nodes[n]] += old->q[s][p] * weights[n] * mean[c] / V;
      for (int a = 0; a < 3; a++) {
        const double next = 2 * mean[a] - v[a], place = x[a] + next * dt / dx[a];
        expect_near(new->v[s][a][p], next, 1e-14, "v");
        expect_near(remainder(new->x[s][a][p] - place, SIZE[a]), 0, 1e-12, "x");
      }
    }
  }
  curl(B, -1, dx, curl_B);
  const double unit = largest_of(curl_B) + largest_of(E) / (theta * dt);
  for (int c = 0; c < 3; c++) {
    smooth(J[c], passes);
    for (int n = 0; n < NODES; n++)
      expect_near((E[c][n] - old->E[c][n]) / (theta * dt) / unit,
                  (curl_B[c][n] - four_pi * J[c][n]) / unit, 1e-12, "dE/dt over its largest part");
  }
  free_state(old), free_state(new);
  engine_clear(&f);
  unlink(path);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("ecsim step");
  TCase *tests = tcase_create("equations by brute force");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_step_satisfies_the_equations, 0, 5);
  suite_add_tcase(suite, tests);
  return run_suite(suite);
}
