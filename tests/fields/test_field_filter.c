/* The binomial filter: its transfer function, what it conserves, and that it commutes with the
 * discrete divergence, for periodic axes and walls. */
#include "base/reals.h"
#include "fields/fields_fixture.h"

/* Index ranges and the weight 1/2 of a wall node, which a deposit fills from one side only. */
static double mode_value(const cw_grid *grid, const int mode[3], int period, int32_t dual_axis,
                         int odd, const int32_t cell[3]) {
  double value = 1;
  for (int a = 0; a < grid->dim; a++) {
    double x = (cell[a] + (a == dual_axis ? 0.5 : 0)) / grid->cells[a];
    double angle = PI * (period ? 2 : 1) * mode[a] * x;
    value *= odd && a == dual_axis ? sin(angle) : cos(angle + (period ? 0.3 : 0));
  }
  return value;
}

enum { MODES = 10 };
static const struct {
  int dim;
  int32_t cells[3];
  int mode[3], passes;
} modes[MODES] = {{1, {24, 1, 1}, {3, 0, 0}, 1},   {1, {25, 1, 1}, {11, 0, 0}, 4},
                  {1, {1, 1, 1}, {0, 0, 0}, 4},    {1, {3, 1, 1}, {1, 0, 0}, 9},
                  {2, {20, 37, 1}, {2, 7, 0}, 4},  {2, {2, 2, 1}, {1, 1, 0}, 5},
                  {2, {40, 3, 1}, {19, 1, 0}, 3},  {3, {9, 8, 7}, {1, 2, 3}, 2},
                  {3, {35, 10, 12}, {3, 1, 5}, 4}, {3, {2, 1, 3}, {1, 0, 1}, 7}};

/* component 3 stands for rho. */
static void check_mode(int which, int period, int component, cw_precision precision, cw_isa isa) {
  static const double dx[3] = {0.1, 0.2, 0.3};
  const int *mode = modes[which].mode;
  int dim = modes[which].dim, passes = modes[which].passes;
  cw_context *context = make_context(1, isa);
  if (!context)
    return;
  cw_fields_options options =
      walls(precision, period ? 0 : dim, CW_FIELD_CONDUCTOR, CW_PARTICLE_REFLECT);
  fixture f = make_fixture_on(context, dim, modes[which].cells, 2, dx, &options);
  if (component == 3)
    precision = CW_DOUBLE;
  double *rho = calloc((size_t)f.grid.points, sizeof *rho);
  void *array = component == 3 ? rho : cw_fields_J(f.fields).component[component];
  double transfer = 1;
  int32_t last[3];
  for (int a = 0; a < 3; a++) {
    last[a] = f.grid.cells[a] - 1 + (a < dim && !period && a != component);
    double angle = PI * (period ? 2 : 1) * mode[a] / f.grid.cells[a];
    if (a < dim)
      transfer *= pow(cos(angle / 2), 2 * passes);
  }
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t k = 0; k <= last[2]; k++)
      for (int32_t j = 0; j <= last[1]; j++)
        for (int32_t i = 0; i <= last[0]; i++) {
          const int32_t cell[3] = {i, j, k};
          int64_t at = cw_grid_index(&f.grid, i, j, k);
          double value = mode_value(&f.grid, mode, period, component, !period, cell);
          if (pass) {
            ck_close(get(precision, array, at), transfer * value,
                     precision == CW_DOUBLE ? 1e-14 : 5e-6); /* some 30 roundings */
            continue;
          }
          for (int a = 0; a < dim && !period; a++) /* a wall node's own share is half */
            if (a != component && (cell[a] == 0 || cell[a] == f.grid.cells[a]))
              value /= 2;
          set(precision, array, at, value);
        }
    if (pass)
      break;
    if (component == 3)
      ck_ok(context, cw_fields_sync_rho(f.fields, rho, passes));
    else
      ck_ok(context, cw_fields_sync_J(f.fields, passes));
  }
  free(rho);
  drop_fixture(&f);
}

START_TEST(test_modes_are_damped_by_the_transfer_function) {
  for (int isa = CW_ISA_BASE; isa <= CW_ISA_AVX512; isa++)
    for (int component = 0; component < 4; component++)
      for (int precision = CW_SINGLE; precision <= CW_DOUBLE; precision++)
        for (int period = 0; period < 2; period++)
          check_mode(_i, period, component, (cw_precision)precision, (cw_isa)isa);
}
END_TEST

/* Bit a set in `reflecting`: axis a has walls that reflect, else it is periodic. */
static cw_fields_options mixed(int reflecting) {
  cw_fields_options options = {.precision = CW_DOUBLE};
  for (int a = 0; a < 3; a++)
    for (int side = 0; side < 2; side++)
      if (reflecting & (1 << a)) {
        options.boundary[a][side] = CW_FIELD_CONDUCTOR;
        options.particle[a][side] = CW_PARTICLE_REFLECT;
      }
  return options;
}

START_TEST(test_the_charge_of_the_box_is_kept) {
  static const double dx[3] = {1, 1, 1};
  static const int32_t cells[3] = {5, 3, 6};
  cw_fields_options options = mixed(_i);
  fixture f = make_fixture(3, cells, 4, dx, &options);
  double *rho = calloc((size_t)f.grid.points, sizeof *rho), before = 0, after = 0;
  randomise(&f.grid, CW_DOUBLE, rho, 3);
  for (int64_t at = 0; at < f.grid.points; at++)
    before += rho[at];
  ck_ok(f.context, cw_fields_sync_rho(f.fields, rho, 5));
  for (int32_t k = 0; k <= cells[2]; k++)
    for (int32_t j = 0; j <= cells[1]; j++)
      for (int32_t i = 0; i <= cells[0]; i++) {
        const int32_t cell[3] = {i, j, k};
        double volume = 1; /* half a cell on a wall; the last node is the first one if periodic */
        for (int a = 0; a < 3; a++) {
          if ((_i & (1 << a)) && (cell[a] == 0 || cell[a] == cells[a]))
            volume /= 2;
          if (!(_i & (1 << a)) && cell[a] == cells[a])
            volume = 0;
        }
        after += volume * rho[cw_grid_index(&f.grid, i, j, k)];
      }
  ck_close(after, before, 1e-12); /* 2000 values of order 1 */
  free(rho);
  drop_fixture(&f);
}
END_TEST

/* A deposit: J anywhere but where its divergence would leave the storage, drho = -div J. */
static void make_deposit(fixture *f, double *drho) {
  const cw_grid *grid = &f->grid;
  cw_vector_view J = cw_fields_J(f->fields);
  for (int a = 0; a < 3; a++)
    randomise(grid, CW_DOUBLE, J.component[a], (uint32_t)a);
  for (int a = 0; a < grid->dim; a++) {
    double *current = J.component[a];
    for (int64_t at = 0; at < grid->points; at++)
      if (at / grid->stride[a] % grid->size[a] == grid->size[a] - 1)
        current[at] = 0;
    for (int64_t at = 0; at < grid->points; at++) {
      int edge = at / grid->stride[a] % grid->size[a] == 0;
      drho[at] -= (current[at] - (edge ? 0 : current[at - grid->stride[a]])) / grid->dx[a];
    }
  }
}

/* Largest |drho + div J| over the nodes of the block at least `skip` from both ends. */
static double continuity_error(const fixture *f, const double *drho, int32_t skip) {
  const cw_grid *grid = &f->grid;
  double worst = 0;
  for_interior(grid, i, j, k) {
    const int32_t cell[3] = {i, j, k};
    int inside = 1;
    for (int a = 0; a < grid->dim; a++)
      if (cell[a] < skip || cell[a] > grid->cells[a] - skip)
        inside = 0;
    if (!inside)
      continue;
    int64_t at = cw_grid_index(grid, i, j, k);
    double sum = drho[at];
    for (int a = 0; a < grid->dim; a++) {
      const double *current = cw_fields_J(f->fields).component[a];
      sum += (current[at] - current[at - grid->stride[a]]) / grid->dx[a];
    }
    ck_assert(isfinite(sum));
    worst = cw_larger(worst, fabs(sum));
  }
  return worst;
}

START_TEST(test_fold_and_filter_keep_continuity) {
  static const double dx[3] = {0.5, 0.7, 0.6};
  static const int32_t cells[4][3] = {{6, 5, 7}, {1, 2, 3}, {33, 4, 2}, {12, 12, 12}};
  static const int passes[4] = {0, 1, 4, 9};
  for (int dim = 1; dim <= 3; dim++)
    for (int reflecting = 0; reflecting < 1 << dim; reflecting++)
      for (int p = 0; p < 4; p++) {
        cw_fields_options options = mixed(reflecting);
        fixture f = make_fixture(dim, cells[_i], 4, dx, &options);
        double *drho = calloc((size_t)f.grid.points, sizeof *drho);
        make_deposit(&f, drho);
        ck_ok(f.context, cw_fields_sync_J(f.fields, passes[p]));
        ck_ok(f.context, cw_fields_sync_rho(f.fields, drho, passes[p]));
        /* every node, also on the walls; sums of up to 9^3 values of order 2 / dx */
        ck_close(continuity_error(&f, drho, 0), 0, 5e-12);
        free(drho);
        drop_fixture(&f);
      }
}
END_TEST

START_TEST(test_filter_keeps_continuity_at_absorbing_walls) {
  static const double dx[3] = {0.5, 0.7, 0.6};
  static const int32_t cells[3] = {8, 7, 6};
  cw_fields_options options = walls(CW_DOUBLE, 3, CW_FIELD_CONDUCTOR, CW_PARTICLE_ABSORB);
  options.particle[1][0] = CW_PARTICLE_REFLECT; /* one axis with both kinds */
  for (int passes = 0; passes <= 3; passes++) {
    fixture f = make_fixture(3, cells, 4, dx, &options);
    double *drho = calloc((size_t)f.grid.points, sizeof *drho);
    make_deposit(&f, drho);
    ck_ok(f.context, cw_fields_sync_J(f.fields, passes));
    ck_ok(f.context, cw_fields_sync_rho(f.fields, drho, passes));
    ck_close(continuity_error(&f, drho, 1), 0, 1e-12);
    free(drho);
    drop_fixture(&f);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("field filter");
  TCase *tests = tcase_create("all");
  tcase_set_timeout(tests, 120);
  tcase_add_loop_test(tests, test_modes_are_damped_by_the_transfer_function, 0, MODES);
  tcase_add_loop_test(tests, test_the_charge_of_the_box_is_kept, 0, 8);
  tcase_add_loop_test(tests, test_fold_and_filter_keep_continuity, 0, 4);
  tcase_add_test(tests, test_filter_keeps_continuity_at_absorbing_walls);
  suite_add_tcase(suite, tests);
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_NORMAL);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
