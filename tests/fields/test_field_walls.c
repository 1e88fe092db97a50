/* Conductors and reflecting walls against mirror images and exact cavity modes. */
#include "base/reals.h"
#include "fields/fields_fixture.h"

enum { GHOST = 7 };

/* Twice the coordinate of index i, in cells. */
static int32_t twice(int dual, int32_t i) {
  return 2 * i + dual;
}

/* E and B: dual components are even, primal ones odd, about both walls. */
static void check_symmetry(const fixture *f, const void *array, int axis, int dual) {
  const cw_grid *grid = &f->grid;
  int32_t n = grid->cells[axis], sign = dual ? 1 : -1;
  for (int64_t at = 0; at < grid->points; at++) {
    int32_t i = (int32_t)(at / grid->stride[axis] % grid->size[axis]) - grid->ghost;
    for (int32_t wall = 0; wall <= n; wall += n) {
      int32_t j = 2 * wall - dual - i;
      if (j < -grid->ghost || j >= n + grid->ghost)
        continue;
      double here = get(CW_DOUBLE, array, at);
      double there = get(CW_DOUBLE, array, at + (j - i) * grid->stride[axis]);
      ck_close(here, sign * there, 0); /* i == j: an odd value on the wall is zero */
    }
  }
}

START_TEST(test_ghost_cells_mirror_the_fields_about_a_conductor) {
  static const double dx[3] = {0.1, 0.2, 0.3};
  static const int32_t cells[3][3] = {{1, 2, 3}, {9, 1, 4}, {12, 10, 8}};
  cw_fields_options options = walls(CW_DOUBLE, 3, CW_FIELD_CONDUCTOR, CW_PARTICLE_REFLECT);
  fixture f = make_fixture(3, cells[_i], GHOST, dx, &options);
  cw_vector_view E = cw_fields_E(f.fields), B = cw_fields_B(f.fields);
  for (int a = 0; a < 3; a++) {
    randomise(&f.grid, CW_DOUBLE, E.component[a], (uint32_t)a);
    randomise(&f.grid, CW_DOUBLE, B.component[a], (uint32_t)a + 3);
  }
  ck_ok(f.context, cw_fields_fill_ghosts(f.fields));
  for (int a = 0; a < 3; a++) {
    for (int axis = 0; axis < 3; axis++) {
      check_symmetry(&f, E.component[a], axis, a == axis);
      check_symmetry(&f, B.component[a], axis, a != axis);
    }
    int64_t at = cw_grid_index(&f.grid, 0, 0, 0); /* E_a is dual along a: kept unless on a wall */
    if (f.grid.cells[(a + 1) % 3] > 1 && f.grid.cells[(a + 2) % 3] > 1) {
      at += f.grid.stride[(a + 1) % 3] + f.grid.stride[(a + 2) % 3];
      ck_close(get(CW_DOUBLE, E.component[a], at), random_value((uint32_t)a, at), 0);
    }
  }
  drop_fixture(&f);
}
END_TEST

/* What the index `to` receives from the index `from` when particles are continued by their images:
 * the sum over images of the sign with which `from` lies on `to`. */
static double image_weight(const cw_fields_options *options, int axis, int32_t n, int dual,
                           int32_t to, int32_t from) {
  int lower = options->particle[axis][0] == CW_PARTICLE_REFLECT;
  int upper = options->particle[axis][1] == CW_PARTICLE_REFLECT;
  int32_t t = twice(dual, to), s = twice(dual, from), mirror = dual ? -1 : 1;
  if (t < 0 || t > 2 * n)
    return 0; /* beyond the walls: nothing */
  double weight = 0;
  if (!lower && !upper)
    return t == s;
  if (lower != upper) {
    int32_t wall = lower ? 0 : 2 * n;
    return (t == s) + mirror * (t == 2 * wall - s);
  }
  for (int32_t m = -40; m <= 40; m++)
    weight += (t == s + 4 * n * m) + mirror * (t == -s + 4 * n * m);
  return weight;
}

enum { FOLDS = 12 };
static const int32_t fold_cells[3] = {1, 3, 9};

START_TEST(test_wall_fold_is_the_sum_over_mirror_images) {
  static const double dx[3] = {1, 1, 1};
  int32_t n = fold_cells[_i % 3];
  const int32_t cells[3] = {n, 5, 1};
  cw_fields_options options = walls(CW_DOUBLE, 1, CW_FIELD_CONDUCTOR, CW_PARTICLE_REFLECT);
  for (int side = 0; side < 2; side++)
    if (_i / 3 & (1 << side))
      options.particle[0][side] = CW_PARTICLE_ABSORB;
  fixture f = make_fixture(1, cells, GHOST, dx, &options);
  double *rho = calloc((size_t)f.grid.points, sizeof *rho);
  randomise(&f.grid, CW_DOUBLE, rho, 9);
  for (int a = 0; a < 3; a++)
    randomise(&f.grid, CW_DOUBLE, cw_fields_J(f.fields).component[a], (uint32_t)a);
  ck_ok(f.context, cw_fields_sync_rho(f.fields, rho, 0));
  ck_ok(f.context, cw_fields_sync_J(f.fields, 0));
  for (int which = 0; which < 4; which++) {
    int dual = which == 0;
    const double *found = which == 3 ? rho : cw_fields_J(f.fields).component[which];
    uint32_t stream = which == 3 ? 9 : (uint32_t)which;
    for (int32_t to = 0; to < n + !dual; to++) {
      double expected = 0;
      for (int32_t from = -GHOST; from < n + GHOST; from++)
        expected += image_weight(&options, 0, n, dual, to, from) *
                    random_value(stream, cw_grid_index(&f.grid, from, 0, 0));
      ck_close(found[cw_grid_index(&f.grid, to, 0, 0)], expected, 1e-14); /* other order */
    }
    for (int side = 0; side < 2; side++) /* nothing is left beyond an absorbing wall */
      if (options.particle[0][side] == CW_PARTICLE_ABSORB)
        ck_close(found[cw_grid_index(&f.grid, side ? n + 1 : -1, 0, 0)], 0, 0);
  }
  free(rho);
  drop_fixture(&f);
}
END_TEST

/* Cavity mode (every wall a conductor): E_a = e_a cos(k_a x_a) prod of sin(k_b x_b), e.K = 0. */
static double cavity_mode(const fixture *f, const int mode[3], int a, const int32_t cell[3]) {
  double e[3] = {0.3, -0.7, 0.5}, K[3] = {0}, square = 0, dot = 0;
  for (int b = 0; b < f->grid.dim; b++) {
    double k = PI * mode[b] / (f->grid.cells[b] * f->grid.dx[b]);
    K[b] = 2 * sin(k * f->grid.dx[b] / 2) / f->grid.dx[b];
    square += K[b] * K[b];
    dot += K[b] * e[b];
  }
  double value = e[a] - K[a] * dot / square;
  for (int b = 0; b < f->grid.dim; b++) {
    double angle = PI * mode[b] / f->grid.cells[b];
    value *= a == b ? cos(angle * (cell[b] + 0.5)) : sin(angle * cell[b]);
  }
  return value;
}

enum { CAVITIES = 4, CAVITY_STEPS = 300 };
static const struct {
  int dim;
  int32_t cells[3];
  int mode[3];
} cavities[CAVITIES] = {{1, {17, 1, 1}, {3, 0, 0}},
                        {2, {16, 11, 1}, {2, 3, 0}},
                        {3, {9, 8, 7}, {1, 1, 2}},
                        {3, {2, 8, 7}, {1, 7, 6}}};

START_TEST(test_cavity_rings_at_its_discrete_eigenfrequency) {
  static const double dx[3] = {0.1, 0.13, 0.09};
  const int *mode = cavities[_i].mode;
  const double dt = 0.05;
  int dim = cavities[_i].dim;
  cw_fields_options options = walls(CW_DOUBLE, dim, CW_FIELD_CONDUCTOR, CW_PARTICLE_REFLECT);
  fixture f = make_fixture(dim, cavities[_i].cells, 2, dx, &options);
  double square = 0;
  for (int b = 0; b < dim; b++)
    square += pow(2 * sin(PI * mode[b] / (2.0 * f.grid.cells[b])) / dx[b], 2);
  double omega = 2 / dt * asin(dt / 2 * sqrt(square));
  cw_vector_view E = cw_fields_E(f.fields);
  for_interior(&f.grid, i, j, k) for (int a = 0; a < 3; a++) {
    int64_t at = cw_grid_index(&f.grid, i, j, k);
    ((double *)E.component[a])[at] = cavity_mode(&f, mode, a, (const int32_t[3]){i, j, k});
  }
  ck_ok(f.context, cw_fields_fill_ghosts(f.fields));
  for (int step = 0; step < CAVITY_STEPS; step++) {
    ck_ok(f.context, cw_fields_advance_B(f.fields, step ? dt : dt / 2)); /* B(0) = 0 */
    ck_ok(f.context, cw_fields_advance_E(f.fields, dt, 0));
  }
  double factor = cos(omega * CAVITY_STEPS * dt), largest = 0;
  for_interior(&f.grid, i, j, k) for (int a = 0; a < 3; a++) {
    double start = cavity_mode(&f, mode, a, (const int32_t[3]){i, j, k});
    largest = cw_larger(largest, fabs(start));
    ck_close(get(CW_DOUBLE, E.component[a], cw_grid_index(&f.grid, i, j, k)), factor * start,
             1e-11); /* round-off of omega t, about 400 */
  }
  ck_assert(largest > 0.1);
  drop_fixture(&f);
}
END_TEST

START_TEST(test_cavity_keeps_the_leapfrog_energy) {
  static const double dx[3] = {0.1, 0.13, 0.09};
  static const int32_t cells[3] = {9, 8, 7};
  int dim = _i + 1;
  cw_fields_options options = walls(CW_DOUBLE, dim, CW_FIELD_CONDUCTOR, CW_PARTICLE_REFLECT);
  fixture f = make_fixture(dim, cells, 2, dx, &options);
  for (int a = 0; a < 3; a++) {
    randomise(&f.grid, CW_DOUBLE, cw_fields_E(f.fields).component[a], (uint32_t)a);
    randomise(&f.grid, CW_DOUBLE, cw_fields_B(f.fields).component[a], (uint32_t)a + 3);
  }
  ck_ok(f.context, cw_fields_fill_ghosts(f.fields));
  double *old = calloc((size_t)f.grid.points * 3, sizeof *old), first = 0;
  for (int step = 0; step < 200; step++) {
    double electric, magnetic, product = 0;
    for (int a = 0; a < 3; a++)
      memcpy(old + a * f.grid.points, cw_fields_B(f.fields).component[a],
             (size_t)f.grid.points * sizeof *old);
    ck_ok(f.context, cw_fields_energy(f.fields, &electric, &magnetic));
    ck_ok(f.context, cw_fields_advance_B(f.fields, 0.04));
    for_interior(&f.grid, i, j, k) for (int a = 0; a < 3; a++) {
      int64_t at = cw_grid_index(&f.grid, i, j, k);
      product +=
          old[a * f.grid.points + at] * get(CW_DOUBLE, cw_fields_B(f.fields).component[a], at);
    }
    ck_ok(f.context, cw_fields_advance_E(f.fields, 0.04, 0));
    /* E(n).E(n) + B(n-1/2).B(n+1/2) is exactly conserved by the leapfrog. */
    double energy = electric + 0.5 * product * f.grid.dx[0] * f.grid.dx[1] * f.grid.dx[2];
    if (step == 0)
      first = energy;
    ck_close(energy / first, 1, 1e-12);
  }
  free(old);
  drop_fixture(&f);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("field walls");
  TCase *tests = tcase_create("all");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_ghost_cells_mirror_the_fields_about_a_conductor, 0, 3);
  tcase_add_loop_test(tests, test_wall_fold_is_the_sum_over_mirror_images, 0, FOLDS);
  tcase_add_loop_test(tests, test_cavity_rings_at_its_discrete_eigenfrequency, 0, CAVITIES);
  tcase_add_loop_test(tests, test_cavity_keeps_the_leapfrog_energy, 0, 3);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
